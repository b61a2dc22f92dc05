//! Radial laws by fast multipoles on a GPU.

use super::{Columns, Coupling, Inner, OfLaw, inner};
use crate::emit::Dialect;
use crate::no_gpu;
use manybody_law::law::{Law, PairInputs, Radial};
use manybody_law::simd::Level;
use manybody_law::{Capability, Device, Error, Result};
use manybody_pairwise::{Evaluator, Loaded, Method, Precision, SolverName};
use manybody_tree::{Accuracy, ExpandedLaw, LawAccuracy, Sinks};
use std::sync::Arc;

/// The evaluator of a law by the solver fmm on a GPU.
///
/// # Errors
/// [`Error::NoDevice`]; [`Error::Unsupported`] for a law that is not radial, with the reason, and for a precision or solver
/// that laws by expansions do not have there; [`Error::Parameter`] for an accuracy that is not available.
pub fn law_expansions(method: &Method, law: &Law) -> Result<LawExpansions> {
    let wrong = |capability, value: String, expected: &str| {
        Err(Error::Unsupported { capability, value, expected: expected.into() })
    };
    if method.device == Device::Cpu {
        return Err(no_gpu(Device::Cpu));
    }
    if method.solver == SolverName::Tree {
        return wrong(
            Capability::Solver,
            method.solver.to_string(),
            "expansions are the solver fmm; law_boxes has the solver tree of laws",
        );
    }
    match (method.device, method.precision) {
        (_, Precision::Mixed) => {
            return wrong(Capability::Precision, "mixed".into(), "laws by expansions have f32 and f64");
        }
        (Device::Wgpu, Precision::F64) => {
            return wrong(
                Capability::Precision,
                "f64".into(),
                "laws by expansions have f32 on wgpu: --precision f32; cuda and cpu have f64",
            );
        }
        _ => {}
    }
    let radial = Radial::of(law)?;
    let accuracy = LawAccuracy::of(method)?;
    let LawAccuracy { order, opening, leaf } = accuracy;
    let kept = Accuracy { order, opening, leaf, is_usual: false };
    let inner = inner(method, kept, Sinks::Cells)?;
    let level = method.level()?;
    Ok(LawExpansions { law: law.clone(), radial, accuracy, level, inner, loaded: None, results: Vec::new() })
}

/// A radial law by fast multipoles on a GPU.
pub struct LawExpansions {
    law: Law,
    radial: Radial,
    accuracy: LawAccuracy,
    level: Level,
    inner: Inner,
    loaded: Option<Loaded>,
    results: Vec<Vec<f64>>,
}

/// What the device is given.
struct Problem {
    columns: Columns,
    of: Arc<OfLaw>,
}

impl LawExpansions {
    fn problem(&self, inputs: &PairInputs<'_>) -> Result<Problem> {
        let mut problem = ExpandedLaw::new(&self.law, &self.radial, inputs, self.accuracy)?;
        let dialect = match &self.inner {
            Inner::Single(..) => Dialect::CudaF32,
            Inner::Double(..) => Dialect::CudaF64,
            Inner::Wgpu(..) => Dialect::Wgsl,
        };
        let text = problem.text(dialect != Dialect::CudaF64, &|f, x| dialect.call(f, x))?;
        let (square, bodies) = (problem.square, problem.take_bodies());
        let of = Arc::new(OfLaw { couplings: Coupling::of(&text), text: Arc::new(text), problem });
        let law = Some(of.clone());
        // charges have any sign, and so dipoles about their centres
        let mut columns = Columns { soft2: square, has_negative_mass: true, law, ..Columns::default() };
        columns.take(bodies);
        Ok(Problem { columns, of })
    }

    fn any(&mut self, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        let (ni, nj) = inputs.lens();
        if ni == 0 || nj == 0 {
            return Ok(ExpandedLaw::of_nothing(&self.law, inputs, self.level));
        }
        let Problem { columns, of } = self.problem(inputs)?;
        let has_value = of.text.has_values;
        let wide =
            |columns: Vec<Vec<f32>>| columns.into_iter().map(|c| c.into_iter().map(f64::from).collect()).collect();
        let found: Vec<Vec<f64>> = match &mut self.inner {
            Inner::Single(_, inner) => wide(inner.forces(&columns, has_value)?),
            Inner::Double(_, inner) => inner.forces(&columns, has_value)?,
            Inner::Wgpu(_, inner) => wide(inner.forces(&columns, has_value)?),
        };
        Ok(of.problem.results(inputs, self.level, &found))
    }

    /// Seconds that the device needs, without transfers of the bodies: the mean of `repeats`.
    ///
    /// # Errors
    /// As [`Evaluator::evaluate`].
    pub fn seconds(&mut self, inputs: &PairInputs<'_>, repeats: usize) -> Result<f64> {
        self.check(inputs)?;
        let Problem { columns, of } = self.problem(inputs)?;
        let has_value = of.text.has_values;
        match &mut self.inner {
            Inner::Single(_, inner) => inner.seconds(&columns, has_value, repeats),
            Inner::Double(_, inner) => inner.seconds(&columns, has_value, repeats),
            Inner::Wgpu(_, inner) => inner.seconds(&columns, has_value, repeats),
        }
    }

    /// Seconds of each phase of an evaluation on the device, by its name.
    ///
    /// # Errors
    /// As [`Evaluator::evaluate`].
    pub fn phases(&mut self, inputs: &PairInputs<'_>) -> Result<Vec<(&'static str, f64)>> {
        self.check(inputs)?;
        let Problem { columns, of } = self.problem(inputs)?;
        let has_value = of.text.has_values;
        match &mut self.inner {
            Inner::Single(_, inner) => inner.phases(&columns, has_value),
            Inner::Double(_, inner) => inner.phases(&columns, has_value),
            Inner::Wgpu(_, inner) => inner.phases(&columns, has_value),
        }
    }

    fn check(&self, inputs: &PairInputs<'_>) -> Result<()> {
        let is_double = matches!(self.inner, Inner::Double(..));
        inputs.check(&self.law, 2f64.powi(if is_double { 53 } else { 24 }))
    }
}

impl Evaluator for LawExpansions {
    fn load(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        self.check(inputs)?;
        self.loaded = Some(Loaded::of(inputs));
        Ok(())
    }

    fn compute(&mut self) -> Result<()> {
        if let Some(loaded) = self.loaded.take() {
            self.results.clear();
            let results = loaded.with(|inputs| self.any(inputs));
            self.loaded = Some(loaded);
            self.results = results?;
        }
        Ok(())
    }

    fn fetch(&mut self) -> Result<Vec<Vec<f64>>> {
        Ok(self.results.clone())
    }

    /// Without a copy of the sets.
    fn evaluate(&mut self, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        self.check(inputs)?;
        self.any(inputs)
    }
}
