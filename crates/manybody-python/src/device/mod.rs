//! Arrays in the memory of a GPU: read in place, and results left there.

mod dlpack;

use crate::calls::{compute, compute_watched, watch};
use crate::errors::{in_arguments, raise, wrong};
use crate::law::Law;
use crate::settings::{Words, settings_of_forces};
use manybody::driver::{method, method_of_law_of_arrays};
use manybody::solver::{Precision, SolverName};
use manybody_gpu::Pairs;
use manybody_gpu::arrays::{self, Column, ForceColumns, GravityArrays, LawArrays, Memory, Numbers};
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex};

/// A device for one call, with the stream on which its work is done.
#[pyclass(frozen, module = "manybody._native")]
pub(crate) struct Queue(Mutex<arrays::Queue>);

#[pymethods]
impl Queue {
    #[new]
    fn new(py: Python<'_>, index: usize) -> PyResult<Self> {
        compute(py, || arrays::Queue::open(index)).map(|queue| Queue(Mutex::new(queue)))
    }

    /// The handle of its stream, as DLPack's `stream` has it.
    #[getter]
    fn stream(&self) -> PyResult<u64> {
        self.with(|queue| Ok(queue.stream()))
    }

    /// Lets what comes wait for what was started on another stream: 1 for the default one.
    #[allow(unsafe_code)]
    fn wait_for(&self, stream: u64) -> PyResult<()> {
        // SAFETY: the handle is what the interface of an array of this device names
        self.with(|queue| unsafe { queue.wait_for(stream) })
    }
}

impl Queue {
    fn with<R>(&self, work: impl FnOnce(&mut arrays::Queue) -> manybody::Result<R>) -> PyResult<R> {
        self.0.lock().map_or_else(|_| Err(in_use()), |mut queue| work(&mut queue).map_err(raise))
    }
}

fn in_use() -> PyErr {
    wrong("queue", "a device whose call has failed", "must be opened again")
}

/// The device of memory; `None` for memory that is no GPU's.
#[pyfunction]
pub(crate) fn ordinal_of(address: u64) -> Option<usize> {
    arrays::ordinal_of(address)
}

enum Owner {
    Others { _array: dlpack::Taken },
    Own(Arc<Memory>),
}

/// An array in whatever memory: one of another package, taken from its capsule of DLPack, or one of our own.
#[pyclass(frozen, module = "manybody._native")]
pub(crate) struct SharedArray {
    layout: dlpack::Layout,
    owner: Owner,
}

#[pymethods]
impl SharedArray {
    /// The array of a capsule; errors name the argument.
    #[staticmethod]
    fn of_capsule(capsule: &Bound<'_, PyAny>, argument: &str) -> PyResult<Self> {
        let (layout, array) = dlpack::taken(capsule, argument)?;
        Ok(SharedArray { layout, owner: Owner::Others { _array: array } })
    }

    /// A new array on a device, row by row.
    #[staticmethod]
    fn empty(py: Python<'_>, queue: &Queue, shape: Vec<i64>, kind: &str) -> PyResult<Self> {
        let bytes = dlpack::kind(kind)?.bytes();
        let all = shape.iter().try_fold(bytes, |all, n| all.checked_mul(usize::try_from(*n).ok()?));
        let Some(all) = all else { return Err(wrong("shape", format!("{shape:?}"), "must be numbers of elements")) };
        let strides = dlpack::dense(&shape).iter().map(|stride| stride * bytes as i64).collect();
        let (memory, index) = compute(py, || {
            let queue = queue.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            Ok((Memory::new(&queue, all)?, queue.index()))
        })?;
        let kind = ["f4", "f8", "i8"].into_iter().find(|known| *known == kind);
        let Some(kind) = kind else { return Err(wrong("kind", "other", "must be f4, f8 or i8")) };
        let layout =
            dlpack::Layout { address: memory.address(), shape, strides, kind, device: (dlpack::CUDA, index as i32) };
        Ok(SharedArray { layout, owner: Owner::Own(Arc::new(memory)) })
    }

    #[getter]
    fn address(&self) -> u64 {
        self.layout.address
    }

    #[getter]
    fn shape(&self) -> Vec<i64> {
        self.layout.shape.clone()
    }

    /// In bytes.
    #[getter]
    fn strides(&self) -> Vec<i64> {
        self.layout.strides.clone()
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.layout.kind
    }

    #[pyo3(name = "__dlpack_device__")]
    fn dlpack_device(&self) -> (i32, i32) {
        self.layout.device
    }

    /// A capsule of DLPack. The array is complete: no stream has to wait for it.
    #[pyo3(name = "__dlpack__", signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn dlpack<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = (stream, max_version);
        if copy == Some(true) || dl_device.is_some_and(|device| device != self.layout.device) {
            return Err(PyBufferError::new_err("this array is handed over as it is: neither copied nor moved"));
        }
        match &self.owner {
            Owner::Own(memory) => dlpack::capsule(py, &self.layout, memory.clone()),
            Owner::Others { .. } => Err(PyBufferError::new_err("this array belongs to another package")),
        }
    }

    #[getter]
    #[pyo3(name = "__cuda_array_interface__")]
    fn cuda_array_interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        let tuple = |list: &[i64]| pyo3::types::PyTuple::new(py, list);
        found.set_item("shape", tuple(&self.layout.shape)?)?;
        found.set_item("strides", tuple(&self.layout.strides)?)?;
        found.set_item("typestr", format!("<{}", self.layout.kind))?;
        found.set_item("data", (self.layout.address, false))?;
        found.set_item("version", 3)?;
        Ok(found)
    }
}

/// A column of bodies: a number for all, or where their numbers are: address, stride in bytes, kind.
#[derive(FromPyObject)]
pub(crate) enum Given {
    One(f64),
    Each((u64, i64, String)),
}

impl Given {
    fn column(&self) -> PyResult<Column> {
        Ok(match self {
            Given::One(one) => Column::One(*one),
            Given::Each(each) => Column::Each(numbers(each)?),
        })
    }
}

/// Where numbers are: address, stride in bytes, kind.
type Place = (u64, i64, String);

fn numbers((address, stride, kind): &Place) -> PyResult<Numbers> {
    Ok(Numbers { address: *address, stride: *stride, kind: dlpack::kind(kind)? })
}

fn columns(given: &[Given]) -> PyResult<Vec<Column>> {
    given.iter().map(Given::column).collect()
}

fn three(given: &[Given], argument: &str) -> PyResult<[Column; 3]> {
    columns(given)?.try_into().map_err(|_| wrong(argument, given.len(), "must have three columns"))
}

fn three_places(places: &[Place]) -> PyResult<[Numbers; 3]> {
    let all = places.iter().map(numbers).collect::<PyResult<Vec<_>>>()?;
    all.try_into().map_err(|_| wrong("results", places.len(), "must have three columns"))
}

fn precision(single: bool) -> Precision {
    if single { Precision::F32 } else { Precision::F64 }
}

/// Writes what a law makes of columns on a device: as `Law.evaluate`, with one column of `results` each.
#[pyfunction]
#[pyo3(signature = (queue, law, i, j, parameters, lens, same, single, how, results))]
#[allow(clippy::too_many_arguments)] // what an evaluation consists of
#[allow(unsafe_code)]
pub(crate) fn evaluate_on_device(
    py: Python<'_>,
    queue: &Queue,
    law: &Law,
    i: Vec<Given>,
    j: Vec<Given>,
    parameters: Vec<f64>,
    lens: (usize, usize),
    same: bool,
    single: bool,
    how: Words,
    results: Vec<Place>,
) -> PyResult<()> {
    let law = law.inner();
    let settings = settings_of_forces(&how)?;
    let method = method_of_law_of_arrays(&settings, precision(single), lens.0.max(lens.1)).map_err(raise)?;
    let once = same && law.has_one_kind() && method.solver != SolverName::Direct;
    let pairs = if once { Pairs::Once } else { Pairs::Ordered };
    let (i, j) = (columns(&i)?, columns(&j)?);
    let results = results.iter().map(numbers).collect::<PyResult<Vec<_>>>()?;
    let given = LawArrays { law, i: &i, j: &j, parameters: &parameters, lens, same };
    let watch = watch();
    let count = (lens.0 as u64).saturating_mul(lens.1 as u64);
    compute_watched(py, count, &watch, || {
        let mut queue = queue.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // SAFETY: the package keeps the arrays until this returns, and has let our stream wait for their owners' work
        unsafe { arrays::evaluate(&mut queue, &given, method.precision, pairs, &watch, &results) }
    })
}

/// Writes the forces of bodies on a device on each other: as `forces`.
#[pyfunction]
#[pyo3(signature = (queue, n, x, m, v, eps, g, targets, single, how, acceleration, potential, jerk))]
#[allow(clippy::too_many_arguments)] // Python's keywords, each of which is one
#[allow(unsafe_code)]
pub(crate) fn forces_on_device(
    py: Python<'_>,
    queue: &Queue,
    n: usize,
    x: Vec<Given>,
    m: Given,
    v: Option<Vec<Given>>,
    eps: Given,
    g: f64,
    targets: Option<Vec<usize>>,
    single: bool,
    how: Words,
    acceleration: Vec<Place>,
    potential: Option<Place>,
    jerk: Option<Vec<Place>>,
) -> PyResult<()> {
    let settings = settings_of_forces(&how)?;
    let method = method(&settings, precision(single), n).map_err(raise)?;
    let softening = settings.softening.unwrap_or_default();
    let v = v.map(|v| three(&v, "v")).transpose()?;
    let (x, m, eps) = (three(&x, "x")?, m.column()?, eps.column()?);
    let given = GravityArrays { n, x, v, m, eps, g, softening, targets: targets.as_deref() };
    let results = ForceColumns {
        acceleration: three_places(&acceleration)?,
        potential: potential.as_ref().map(numbers).transpose()?,
        jerk: jerk.map(|jerk| three_places(&jerk)).transpose()?,
    };
    let watch = watch();
    let count = (n as u64).saturating_mul(targets.as_ref().map_or(n, Vec::len) as u64);
    let mut wrong_number = None;
    compute_watched(py, count, &watch, || {
        let mut queue = queue.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // SAFETY: the package keeps the arrays until this returns, and has let our stream wait for their owners' work
        match unsafe { arrays::forces(&mut queue, &given, &method, &watch, &results) } {
            Err(error @ manybody::Error::Body { .. }) => {
                wrong_number = Some(error);
                Ok(())
            }
            done => done,
        }
    })?;
    wrong_number.map_or(Ok(()), |error| Err(in_arguments(error)))
}
