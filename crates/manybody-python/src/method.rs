//! How forces are computed, as Python names it.

use crate::arrays::Number;
use manybody::driver::device::choose;
use manybody::solver::{Device, DeviceChoice, Gpus, Method, Precision, Summation};
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
    let device = choose(choice, precision, bodies);
    let gpus = gpus.as_deref().map_or(Ok(Gpus::default()), str::parse)?;
    if gpus != Gpus::default() && device != Device::Cuda {
        let expected = format!("needs device = cuda: only its GPUs share a computation, and this one is for {device}");
        return Err(Error::Parameter { name: "gpus", value: gpus.to_string(), expected });
    }
    let method = Method::summed(device, precision, sum).gpus(gpus);
    Ok(match solver.as_deref() {
        Some(name) => method.solver(name.parse()?),
        None => method,
    })
}
