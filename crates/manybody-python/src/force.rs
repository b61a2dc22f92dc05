//! Forces beside those that the settings of a run name: by a law, or by a function of Python's.

use crate::errors::wrong;
use manybody::forces::{Accelerations, ForceModel, Forcing, LawForces, law_parameters, law_text};
use manybody::law::Law;
use manybody::solver::Method;
use manybody::{Bodies, Error, Result, Snapshot};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A force as Python gives it: a law with words of its parameters, or a function, its potential, whether it reads
/// velocities, and its name.
#[derive(FromPyObject)]
pub(crate) enum ExtraWords {
    Law(String, Vec<String>),
    Function(Py<PyAny>, Option<Py<PyAny>>, bool, String),
}

/// A force beside those of the settings.
#[derive(Clone)]
pub(crate) enum Extra {
    Law(String, Vec<String>),
    Function(Arc<Function>),
}

/// A function of Python's.
pub(crate) struct Function {
    acceleration: Py<PyAny>,
    potential: Option<Py<PyAny>>,
    reads_velocities: bool,
    name: String,
}

impl From<ExtraWords> for Extra {
    fn from(words: ExtraWords) -> Self {
        match words {
            ExtraWords::Law(law, par) => Extra::Law(law, par),
            ExtraWords::Function(acceleration, potential, reads_velocities, name) => {
                Extra::Function(Arc::new(Function { acceleration, potential, reads_velocities, name }))
            }
        }
    }
}

impl Extra {
    /// Other forces with this one beside them.
    pub(crate) fn beside(
        self,
        forcing: Forcing,
        method: &Method,
        snapshot: &Snapshot,
        thrown: &Thrown,
    ) -> Result<Forcing> {
        Ok(match self {
            Extra::Law(law, par) => {
                let law = Law::by_name_or_text(&law_text(&law, Path::new(""))?)?;
                let par = law_parameters(&law, &par, &snapshot.units)?;
                let method = Method::on(method.device, method.precision).gpus(method.gpus.clone());
                forcing.and_model(LawForces::new(law, par, &method, &snapshot.bodies)?)
            }
            Extra::Function(function) => forcing.and_model(OfFunction { function, thrown: thrown.clone() }),
        })
    }
}

/// The exception that a function of Python's has raised, if it has.
#[derive(Clone, Default)]
pub(crate) struct Thrown(Arc<Mutex<Option<PyErr>>>);

impl Thrown {
    /// Takes it out.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().ok()?.take()
    }

    /// Keeps it, and ends the computation.
    fn ends(&self, error: PyErr) -> Error {
        if let Ok(mut thrown) = self.0.lock() {
            *thrown = Some(error);
        }
        Error::Interrupted
    }
}

/// The accelerations that a function of Python's computes.
struct OfFunction {
    function: Arc<Function>,
    thrown: Thrown,
}

/// Columns side by side: \[n, 3\].
fn rows<'py>(py: Python<'py>, columns: [&Vec<f64>; 3]) -> PyResult<Bound<'py, PyAny>> {
    let n = columns[0].len();
    columns.map(Vec::as_slice).concat().into_pyarray(py).reshape([3, n])?.call_method0("transpose")
}

impl OfFunction {
    /// What a function gives for bodies: an array.
    fn call<'py>(
        &self,
        py: Python<'py>,
        function: &Py<PyAny>,
        bodies: &Bodies,
        time: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let x = rows(py, [&bodies.x, &bodies.y, &bodies.z])?;
        let v = rows(py, [&bodies.vx, &bodies.vy, &bodies.vz])?;
        let m = PyArray1::from_slice(py, &bodies.mass);
        let found = function.bind(py).call1((x, v, m, time))?;
        py.import("numpy")?.call_method1("asarray", (found, "float64"))
    }

    fn wrong(&self, found: &Bound<'_, PyAny>, expected: String) -> PyErr {
        wrong(&format!("the force {}", self.function.name), crate::arrays::described(found), expected)
    }

    fn evaluate(&self, bodies: &Bodies, time: f64) -> PyResult<[Vec<f64>; 3]> {
        Python::attach(|py| {
            let found = self.call(py, &self.function.acceleration, bodies, time)?;
            let expected = || format!("must return accelerations of shape ({}, 3)", bodies.len());
            let array = found.cast::<PyArray2<f64>>().map_err(|_| self.wrong(&found, expected()))?;
            if array.shape() != [bodies.len(), 3] {
                return Err(self.wrong(&found, expected()));
            }
            let view = array.readonly();
            let view = view.as_array();
            Ok([0, 1, 2].map(|k| view.column(k).to_vec()))
        })
    }

    fn evaluate_potential(&self, function: &Py<PyAny>, bodies: &Bodies, time: f64) -> PyResult<Vec<f64>> {
        Python::attach(|py| {
            let found = self.call(py, function, bodies, time)?;
            let expected = || format!("must return potentials of shape ({},)", bodies.len());
            let array = found.cast::<PyArray1<f64>>().map_err(|_| self.wrong(&found, expected()))?;
            if array.len() != bodies.len() {
                return Err(self.wrong(&found, expected()));
            }
            // the energy of bodies in a potential from outside is the whole sum, of which half is taken
            Ok(array.readonly().as_array().iter().map(|potential| 2.0 * potential).collect())
        })
    }
}

impl ForceModel for OfFunction {
    fn name(&self) -> String {
        self.function.name.clone()
    }

    fn accelerations(&mut self, bodies: &Bodies, time: f64, out: &mut Accelerations) -> Result<()> {
        let found = self.evaluate(bodies, time).map_err(|error| self.thrown.ends(error))?;
        [out.forces.ax, out.forces.ay, out.forces.az] = found;
        Ok(())
    }

    fn reads_velocities(&self) -> bool {
        self.function.reads_velocities
    }

    fn has_potential(&self) -> bool {
        self.function.potential.is_some()
    }

    fn potential(&mut self, bodies: &Bodies, time: f64) -> Result<Vec<f64>> {
        match &self.function.potential {
            Some(function) => self.evaluate_potential(function, bodies, time).map_err(|error| self.thrown.ends(error)),
            None => Ok(vec![0.0; bodies.len()]),
        }
    }
}
