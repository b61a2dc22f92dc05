//! Devices other than the CPU, by name. This crate knows none of them: who links a crate that has some registers them, and
//! from then on runs can ask for them by name.

use super::{Precision, Solver, Summation, with_sums};
use crate::{Error, Result};
use std::sync::{PoisonError, RwLock};

/// Makes the solver called `name` on a device, with a summation.
pub type Factory = fn(name: &str, precision: Precision, sum: Summation) -> Result<Box<dyn Solver>>;

static DEVICES: RwLock<Vec<(&'static str, Factory)>> = RwLock::new(Vec::new());

/// Makes a device known by name; a name that is known already gets the new factory.
pub fn register(device: &'static str, factory: Factory) {
    let mut devices = DEVICES.write().unwrap_or_else(PoisonError::into_inner);
    devices.retain(|(name, _)| *name != device);
    devices.push((device, factory));
}

/// The solver called `name` on a device: "cpu", or one that is [registered](register).
///
/// # Errors
/// As [`on_with_sums`].
pub fn on(device: &str, name: &str, precision: Precision) -> Result<Box<dyn Solver>> {
    on_with_sums(device, name, precision, Summation::default())
}

/// The solver called `name` on a device, with a [`Summation`].
///
/// # Errors
/// [`Error::Unknown`] for a device that is not registered, and those of [`with_sums`] and the factory.
pub fn on_with_sums(device: &str, name: &str, precision: Precision, sum: Summation) -> Result<Box<dyn Solver>> {
    if device == "cpu" {
        return with_sums(name, precision, sum);
    }
    let devices = DEVICES.read().unwrap_or_else(PoisonError::into_inner);
    match devices.iter().find(|(known, _)| *known == device) {
        Some((_, factory)) => factory(name, precision, sum),
        None => {
            let known: Vec<&str> = ["cpu"].into_iter().chain(devices.iter().map(|(name, _)| *name)).collect();
            Err(Error::Unknown { what: "device", name: device.into(), known: known.join(", ") })
        }
    }
}

/// The solver for energies on a device: in f64 where it can, else in mixed precision or f32.
///
/// # Errors
/// As [`on`].
pub fn most_exact_on(device: &str, name: &str) -> Result<Box<dyn Solver>> {
    on(device, name, Precision::F64)
        .or_else(|error| match error {
            Error::Parameter { name: "precision", .. } => on(device, name, Precision::Mixed),
            other => Err(other),
        })
        .or_else(|error| match error {
            Error::Parameter { name: "precision", .. } => on(device, name, Precision::F32),
            other => Err(other),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registered_devices_are_found() {
        register("slow", |name, precision, sum| match precision {
            Precision::F32 => with_sums(name, precision, sum),
            Precision::F64 | Precision::Mixed => {
                Err(Error::Parameter { name: "precision", value: "f64".into(), expected: "f32 only".into() })
            }
        });
        assert_eq!(on("slow", "direct", Precision::F32).unwrap().name(), "direct");
        assert!(on("slow", "direct", Precision::F64).is_err());
        assert_eq!(most_exact_on("slow", "direct").unwrap().name(), "direct");
        let error = on("fast", "direct", Precision::F32).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("unknown device 'fast'") && error.contains("cpu"), "{error}");
        assert_eq!(on("cpu", "symmetric", Precision::F64).unwrap().name(), "symmetric");
    }
}
