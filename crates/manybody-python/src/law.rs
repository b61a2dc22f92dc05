//! Laws between bodies, on arrays.

use crate::arrays::Number;
use crate::calls::{compute_watched, watch};
use crate::errors::raise;
use crate::settings::{Words, settings_of_forces};
use manybody::driver::{LawTrial, method_of_law, tuned_law};
use manybody::law::{self, Cell, EvaluateLaw, Field, PairInputs, Role, SelfPair};
use manybody::solver::{Method, SolverName};
use manybody::{forces::law_text, solver};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::path::Path;

/// A member of a record: its name, how many numbers it has, what they are, and the columns of bodies that they are read from.
type Member = (String, usize, &'static str, Vec<String>);

/// A law between bodies, as data.
#[pyclass(frozen, name = "Law", module = "manybody._native")]
pub(crate) struct Law(law::Law);

#[pymethods]
impl Law {
    /// The law of a name, of a text, or of the file that a name is of.
    #[new]
    fn new(law: &str) -> PyResult<Self> {
        let text = law_text(law, Path::new("")).map_err(raise)?;
        law::Law::by_name_or_text(&text).map(Law).map_err(raise)
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn text(&self) -> String {
        self.0.to_text()
    }

    #[getter]
    fn latex(&self) -> String {
        self.0.to_latex()
    }

    /// Operations, and roots or functions, of a pair.
    #[getter]
    fn cost(&self) -> (usize, usize) {
        let cost = self.0.one_sided().cost();
        (cost.operations, cost.special)
    }

    /// The members of the bodies acted on.
    #[getter]
    fn targets(&self) -> Vec<Member> {
        self.members(self.0.body())
    }

    /// The members of the bodies that act.
    #[getter]
    fn sources(&self) -> Vec<Member> {
        self.members(self.0.partner())
    }

    /// The parameters with the defaults of their numbers.
    #[getter]
    fn parameters(&self) -> Vec<(String, usize, Vec<Option<f64>>)> {
        let mut defaults = self.0.defaults().iter().copied();
        let of = |field: &Field| (field.name.clone(), field.width, defaults.by_ref().take(field.width).collect());
        self.0.parameters().iter().map(of).collect()
    }

    #[getter]
    fn results(&self) -> Vec<Member> {
        let of = |field: &Field| (field.name.clone(), field.width, field.cell.name(), Vec::new());
        self.0.results().iter().map(of).collect()
    }

    /// Whether any body may play either part.
    #[getter]
    fn has_one_kind(&self) -> bool {
        self.0.has_one_kind()
    }

    /// Whether it leaves out the pair of a body with itself.
    #[getter]
    fn excludes_self(&self) -> bool {
        self.0.self_pair() == SelfPair::Excluded
    }

    /// Which numbers of the bodies acted on, and of those that act, the results depend on.
    #[getter]
    fn reads(&self) -> (Vec<bool>, Vec<bool>) {
        (self.0.reads(Role::I), self.0.reads(Role::J))
    }

    /// The derivatives of its weighted sums, by the bodies acted on and the parameters, and by the bodies that act.
    fn gradient(&self) -> PyResult<(Law, Law)> {
        let law::Gradient { targets, sources } = self.0.gradient().map_err(raise)?;
        Ok((Law(targets), Law(sources)))
    }

    /// What the law makes of columns: `lens` are the numbers of bodies acted on and of those that act, `same` says that
    /// these are the same bodies. One array for each column of the results.
    #[pyo3(signature = (i, j, parameters, lens, same, single, how))]
    #[allow(clippy::too_many_arguments)] // what an evaluation consists of
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        i: Vec<PyReadonlyArray1<'py, f64>>,
        j: Vec<PyReadonlyArray1<'py, f64>>,
        parameters: Vec<f64>,
        lens: (usize, usize),
        same: bool,
        single: bool,
        how: Words,
    ) -> PyResult<Vec<Bound<'py, PyArray1<f64>>>> {
        let number = if single { Number::F32 } else { Number::F64 };
        let (ni, nj) = lens;
        let method = method_of_law(&settings_of_forces(&how)?, number.precision(), ni.max(nj)).map_err(raise)?;
        // of two sets of bodies GPUs evaluate every ordered pair
        let ordered = !same && method.device.is_gpu() && method.solver == SolverName::Auto;
        let method = if ordered { Method { solver: SolverName::Direct, ..method } } else { method };
        let (i, j) = (slices(&i)?, slices(&j)?);
        let inputs = match (same, self.0.has_one_kind()) {
            (true, true) => PairInputs::one(&i, &parameters),
            (true, false) => PairInputs::roles(&i, &j, &parameters),
            (false, _) => PairInputs::two(&i, &j, &parameters),
        };
        let inputs = inputs.sized(ni, nj);
        let pairs = (ni as u64).saturating_mul(nj as u64);
        let watch = watch();
        let results = compute_watched(py, pairs, &watch, || {
            if method.solver == SolverName::Fmm {
                let trial = LawTrial { law: &self.0, inputs: &inputs, share: 0.0 };
                let tuned = tuned_law(method.clone(), trial, &watch, &mut |_| {})?;
                return tuned.check().map(|()| tuned.results);
            }
            let mut evaluator = solver::evaluator(&method, &self.0)?;
            evaluator.watch(&watch);
            let results = evaluator.evaluate(&inputs)?;
            self.0.check_results(&inputs, &results)?;
            Ok(results)
        })?;
        Ok(results.into_iter().map(|column| column.into_pyarray(py)).collect())
    }
}

impl Law {
    /// The law.
    pub(crate) fn inner(&self) -> &law::Law {
        &self.0
    }

    fn members(&self, fields: &[Field]) -> Vec<Member> {
        let kind = |field: &Field| if field.cell == Cell::Id { "id" } else { "number" };
        let of = |field: &Field| (field.name.clone(), field.width, kind(field), self.0.column_names(field));
        fields.iter().map(of).collect()
    }
}

fn slices<'a>(columns: &'a [PyReadonlyArray1<'_, f64>]) -> PyResult<Vec<&'a [f64]>> {
    columns.iter().map(|column| Ok(column.as_slice()?)).collect()
}

/// The laws that have a name, each with what it is.
#[pyfunction]
pub(crate) fn laws() -> Vec<(&'static str, &'static str)> {
    law::LAWS.iter().map(|law| (law.name, law.help)).collect()
}
