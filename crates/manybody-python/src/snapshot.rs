//! Bodies with their units and time: files, initial conditions, and arrays of them.

use crate::arrays::{OneOrEach, Vectors, numbers};
use crate::calls::compute;
use crate::errors::{in_arguments, raise, wrong};
use manybody::diagnostics::lagrangian_radii;
use manybody::snapshot::{self, Format, Precision, ReadOptions, WriteOptions};
use manybody::units::{Dimension, Units, parse_quantity};
use manybody::{Bodies, Error, ic};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A system of units: name, G, and metres, kilograms and seconds to one unit of length, mass and time.
type UnitWords = (String, f64, Option<[f64; 3]>);

/// A system at one time, as the library keeps it.
#[pyclass(frozen, name = "Snapshot", module = "manybody._native")]
pub(crate) struct Snapshot {
    pub(crate) inner: manybody::Snapshot,
    /// What a reader had to say.
    notes: Vec<String>,
}

impl From<manybody::Snapshot> for Snapshot {
    fn from(inner: manybody::Snapshot) -> Self {
        Snapshot { inner, notes: Vec::new() }
    }
}

fn to_units((name, g, si): UnitWords) -> Units {
    Units { name, g, si }
}

fn from_units(units: &Units) -> UnitWords {
    (units.name.clone(), units.g, units.si)
}

/// Columns side by side: \[n, 3\], each column contiguous.
fn rows<'py>(py: Python<'py>, columns: [&Vec<f64>; 3]) -> PyResult<Bound<'py, PyAny>> {
    let n = columns[0].len();
    columns.map(Vec::as_slice).concat().into_pyarray(py).reshape([3, n])?.call_method0("transpose")
}

#[pymethods]
impl Snapshot {
    /// A system of arrays.
    #[new]
    #[pyo3(signature = (m, x, v, id, eps, kind, columns, units, time, meta))]
    #[allow(clippy::too_many_arguments)] // all that a snapshot has
    fn new(
        m: &Bound<'_, PyAny>,
        x: &Bound<'_, PyAny>,
        v: Option<&Bound<'_, PyAny>>,
        id: Option<Vec<u64>>,
        eps: Option<&Bound<'_, PyAny>>,
        kind: Option<Vec<u8>>,
        columns: BTreeMap<String, Bound<'_, PyAny>>,
        units: UnitWords,
        time: f64,
        meta: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        let [x, y, z] = Vectors::of(x, "x", None)?.columns;
        let n = x.len();
        let [vx, vy, vz] = match v {
            Some(v) => Vectors::of(v, "v", Some(n))?.columns,
            None => [(); 3].map(|()| vec![0.0; n]),
        };
        let id = id.unwrap_or_else(|| (0..n as u64).collect());
        for (argument, found) in [("id", id.len()), ("kind", kind.as_ref().map_or(n, Vec::len))] {
            if found != n {
                return Err(wrong(argument, format!("{found} numbers"), format!("must have {n}, one for each body")));
            }
        }
        let extra = columns.into_iter().map(|(name, column)| {
            let (column, _) = numbers(&column, &name, Some(n))?;
            Ok((name, column))
        });
        let bodies = Bodies {
            x,
            y,
            z,
            vx,
            vy,
            vz,
            mass: OneOrEach::of(m, "m", n)?.each(n),
            id,
            eps: eps.map(|eps| OneOrEach::of(eps, "eps", n)).transpose()?.map(|eps| eps.each(n)),
            kind,
            extra: extra.collect::<PyResult<_>>()?,
        };
        bodies.validate().map_err(in_arguments)?;
        if !time.is_finite() {
            return Err(wrong("time", time, "must be a finite number"));
        }
        Ok(manybody::Snapshot { bodies, time, units: to_units(units), meta }.into())
    }

    #[getter]
    fn m<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.inner.bodies.mass)
    }

    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Bodies { x, y, z, .. } = &self.inner.bodies;
        rows(py, [x, y, z])
    }

    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Bodies { vx, vy, vz, .. } = &self.inner.bodies;
        rows(py, [vx, vy, vz])
    }

    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_slice(py, &self.inner.bodies.id)
    }

    #[getter]
    fn eps<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.inner.bodies.eps.as_ref().map(|eps| PyArray1::from_slice(py, eps))
    }

    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u8>>> {
        self.inner.bodies.kind.as_ref().map(|kind| PyArray1::from_slice(py, kind))
    }

    /// Further columns by name.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> BTreeMap<String, Bound<'py, PyArray1<f64>>> {
        let extra = self.inner.bodies.extra.iter();
        extra.map(|(name, column)| (name.clone(), PyArray1::from_slice(py, column))).collect()
    }

    #[getter]
    fn units(&self) -> UnitWords {
        from_units(&self.inner.units)
    }

    #[getter]
    fn time(&self) -> f64 {
        self.inner.time
    }

    #[getter]
    fn meta(&self) -> BTreeMap<String, String> {
        self.inner.meta.clone()
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The same in other units.
    fn to(&self, py: Python<'_>, units: UnitWords) -> PyResult<Self> {
        let mut inner = self.inner.clone();
        compute(py, || inner.convert_to(&to_units(units)).map(|()| inner.into()))
    }

    /// The radii about a centre, the centre of mass unless given, that hold these shares of the mass.
    #[pyo3(signature = (fractions, center))]
    fn lagrangian_radii(&self, fractions: Vec<f64>, center: Option<[f64; 3]>) -> Vec<f64> {
        let center = center.unwrap_or_else(|| self.inner.bodies.center_of_mass().0);
        lagrangian_radii(&self.inner.bodies, center, &fractions)
    }

    /// Writes a file, and returns what the format could not hold.
    #[pyo3(signature = (path, format, precision, columns))]
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: Option<String>,
        precision: Option<String>,
        columns: Option<String>,
    ) -> PyResult<Vec<String>> {
        let options = || -> manybody::Result<WriteOptions> {
            Ok(WriteOptions {
                format: format.as_deref().map(str::parse::<Format>).transpose()?,
                precision: precision.as_deref().map_or(Ok(Precision::default()), str::parse)?,
                columns: columns.as_deref().map(str::parse).transpose()?,
                ..WriteOptions::default()
            })
        };
        let options = options().map_err(raise)?;
        compute(py, || snapshot::write_as(path, &self.inner, &options))
    }
}

/// Reads a snapshot from a file.
#[pyfunction]
#[pyo3(signature = (path, format, columns, frame))]
pub(crate) fn read(
    py: Python<'_>,
    path: PathBuf,
    format: Option<String>,
    columns: Option<String>,
    frame: Option<usize>,
) -> PyResult<Snapshot> {
    let options = || -> manybody::Result<ReadOptions> {
        Ok(ReadOptions {
            format: format.as_deref().map(str::parse).transpose()?,
            columns: columns.as_deref().map(str::parse).transpose()?,
            frame,
            ..ReadOptions::default()
        })
    };
    let options = options().map_err(raise)?;
    let loaded = compute(py, || snapshot::read_with(path, &options))?;
    Ok(Snapshot { inner: loaded.snapshot, notes: loaded.notes })
}

/// A parameter of an initial condition: name, default, what it is.
type ModelParameter = (&'static str, &'static str, &'static str);

/// The initial conditions: name, what it is, how many bodies it has where it chooses them, its parameters.
#[pyfunction]
pub(crate) fn models() -> Vec<(&'static str, &'static str, Option<usize>, Vec<ModelParameter>)> {
    let parameters =
        |model: &'static ic::Model| model.parameters.iter().map(|p| (p.name, p.default, p.about)).collect();
    ic::registry().iter().map(|model| (model.name, model.about, model.n, parameters(model))).collect()
}

/// The initial condition of a name.
#[pyfunction]
#[pyo3(signature = (name, n, seed, parameters))]
pub(crate) fn initial_condition(
    py: Python<'_>,
    name: &str,
    n: Option<usize>,
    seed: u64,
    parameters: BTreeMap<String, String>,
) -> PyResult<Snapshot> {
    let request = ic::Request { n, seed, parameters };
    compute(py, || ic::by_name(name, &request)).map(Snapshot::from)
}

/// The system of units of a name.
#[pyfunction]
pub(crate) fn units(name: &str) -> PyResult<UnitWords> {
    Units::by_name(name).map(|units| from_units(&units)).map_err(raise)
}

/// A quantity such as "10 Myr" in units: of the dimension "mass", "length", "time" or "velocity".
#[pyfunction]
pub(crate) fn quantity(name: &str, text: &str, dimension: &str, units: UnitWords) -> PyResult<f64> {
    let dimension = match dimension {
        "mass" => Dimension::MASS,
        "length" => Dimension::LENGTH,
        "time" => Dimension::TIME,
        _ => Dimension::VELOCITY,
    };
    parse_quantity(text, dimension, &to_units(units)).map_err(|error| match error {
        Error::Parameter { value, expected, .. } => wrong(name, value, expected),
        other => raise(other),
    })
}
