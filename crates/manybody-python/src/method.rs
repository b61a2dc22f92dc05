//! How forces are computed, as Python names it.

use crate::arrays::Number;
use manybody::driver::Choice;
use manybody::driver::device::{choose, choose_by_expansion};
use manybody::solver::{Device, DeviceChoice, Gpus, Method, Precision, SolverName, Summation};
use manybody::{Error, Result};

/// The keywords device, precision, solver, sum and gpus; what is not given is chosen.
pub(crate) type Words = (Option<String>, Option<String>, Option<String>, Option<String>, Option<String>);

/// The method for arrays of `number` and so many bodies: by default in the precision of the arrays.
pub(crate) fn method(words: &Words, number: Number, bodies: usize) -> Result<Method> {
    let (device, precision, solver, sum, gpus) = words;
    let choice = device.as_deref().map_or(Ok(DeviceChoice::Auto), str::parse)?;
    let precision = match (precision.as_deref(), number) {
        (Some(name), _) => name.parse()?,
        (None, Number::F32) => Precision::F32,
        (None, Number::F64) => Precision::F64,
    };
    let sum = sum.as_deref().map_or(Ok(Summation::default()), str::parse)?;
    let solver: Option<SolverName> = solver.as_deref().map(str::parse).transpose()?;
    let device = match solver.filter(|solver| solver.is_by_expansion()) {
        Some(solver) => choose_by_expansion(choice, &Method { precision, ..Method::default() }.solver(solver), bodies),
        None => choose(choice, precision, bodies),
    };
    let gpus = gpus.as_deref().map_or(Ok(Gpus::default()), str::parse)?;
    if gpus != Gpus::default() && device != Device::Cuda {
        let expected = format!("needs device = cuda: only its GPUs share a computation, and this one is for {device}");
        return Err(Error::Parameter { name: "gpus", value: gpus.to_string(), expected });
    }
    let method = Method::summed(device, precision, sum).gpus(gpus);
    Ok(match solver {
        Some(solver) => method.solver(solver),
        None => method,
    })
}

/// What may be chosen for an error, where the keywords name no solver.
pub(crate) fn choice(words: &Words, expansions: bool) -> Result<Option<Choice>> {
    let (device, precision, solver, sum, gpus) = words;
    if solver.is_some() {
        return Ok(None);
    }
    let device = device.as_deref().map_or(Ok(DeviceChoice::Auto), str::parse)?;
    let precision = precision.as_deref().map(str::parse).transpose()?;
    Ok(Some(Choice { device, precision, expansions: expansions && sum.is_none() && gpus.is_none() }))
}
