//! From the error that is asked for to the order of the expansions and the tolerance of the criterion.

use manybody_expansions::index::HIGHEST;
use manybody_law::simd::Element;
use manybody_law::{Device, Error, Result};
use manybody_pairwise::{Expansion, Method, Precision, SolverName};
use std::fmt::Display;

/// How exact forces are, and how that is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The order of the expansions: 1 to 12.
    pub order: usize,
    /// When two cells interact.
    pub opening: Opening,
    /// Bodies in a leaf: 16 or 32.
    pub leaf: usize,
    /// Whether the tolerance is that of a table, for 2^20 bodies.
    pub is_usual: bool,
}

/// When two cells interact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Opening {
    /// Where the error that one interaction makes is below this part of the body's acceleration; of a law's result, of
    /// the median of all results.
    Error(f64),
    /// Where their radii together are less than this times their distance.
    Angle(f64),
}

/// A row of a table: the relative error of 99 of 100 bodies, and what reaches it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    error: f64,
    order: usize,
    tolerance: f64,
    pub(crate) leaf: usize,
}

pub(crate) const fn row(error: f64, order: usize, tolerance: f64, leaf: usize) -> Row {
    Row { error, order, tolerance, leaf }
}

/// Measured with 2^20 bodies of Plummer and Hernquist spheres, a uniform sphere, a disc and two galaxies
/// (docs/measurements).
const TABLE: [Row; 12] = [
    row(3e-2, 3, 3e-3, 16),
    row(1e-2, 4, 2e-3, 16),
    row(3e-3, 4, 4e-4, 16),
    row(1e-3, 5, 1.9e-4, 16),
    row(3e-4, 6, 7e-5, 16),
    row(1e-4, 7, 2.7e-5, 16),
    row(3e-5, 8, 8e-6, 16),
    row(1e-5, 8, 2.6e-6, 16),
    row(1e-6, 8, 1.2e-7, 16),
    row(1e-7, 10, 2.5e-8, 32),
    row(1e-8, 12, 3e-9, 32),
    row(1e-9, 12, 1.9e-10, 32),
];

/// The same on GPUs, where leaves have 32 bodies, cells eight children, an interaction of cells costs less, and the criterion estimates
/// what is cut off in another way. Measured with 2^20 bodies of a Plummer sphere and a uniform one
/// (docs/measurements/2026-11-30-cells-along-z.md).
const ON_GPUS: [Row; 8] = [
    row(3e-2, 3, 2e-2, 32),
    row(1e-2, 4, 8e-3, 32),
    row(3e-3, 5, 2.7e-3, 32),
    row(1e-3, 6, 1.7e-3, 32),
    row(3e-4, 6, 3.3e-4, 32),
    row(1e-4, 7, 1.2e-4, 32),
    row(1e-5, 8, 1.1e-5, 32),
    row(1e-6, 8, 7e-7, 32),
];

/// What CUDA has in f64 and in mixed precision in place of the last row, for forces without softening and with that of splines. Measured as
/// those.
const ON_CUDA: [Row; 4] =
    [row(1e-6, 9, 5.2e-7, 32), row(1e-7, 10, 5.5e-8, 32), row(1e-8, 11, 7e-9, 32), row(1e-10, 12, 3.7e-11, 32)];

/// The same with Plummer's softening, whose expansions are not harmonic: of higher orders they cost more than the interactions that
/// they save (docs/measurements/2026-11-30-parts-in-f32.md).
const ON_CUDA_SOFTENED: [Row; 4] =
    [row(1e-6, 8, 1.4e-6, 32), row(1e-7, 8, 1.2e-7, 32), row(1e-8, 8, 5.5e-9, 32), row(1e-10, 8, 2e-12, 32)];

/// How much smaller the tolerance of a tree is: leaves as the only sinks take more interactions, each with its error.
const TREE_ON_GPUS: f64 = 5.0;

/// The highest order of laws on GPUs, and of gravity on wgpu: registers hold no more.
pub(crate) const HIGHEST_IN_REGISTERS: usize = 8;

/// The bodies that the tables are made for, and the least part of their tolerance that fewer take.
const FOR_BODIES: f64 = (1_u64 << 20) as f64;
const FEWEST: f64 = 0.1;

/// A larger error than this is not made on purpose.
const LARGEST: f64 = 0.1;

/// The order where an angle decides and no order is named.
const USUAL_ORDER: usize = 4;

/// The smallest relative error that f32 can promise: positions of 24 digits, sums over thousands of terms.
const LEAST_SINGLE: f64 = 3e-6;

/// The same where sums over thousands of terms are in f64, or compensated.
const LEAST_MIXED: f64 = 1e-6;

/// Ratios up to which powers stay in the range of a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Of the units of two cells.
    pub units: f32,
    /// Of a unit and a distance; squared.
    pub unit2: f32,
}

impl Limits {
    /// For numbers of type T: no power of a ratio of units, to the order, and no derivative of 1/r to the order,
    /// (2p-1)!! ratio^(2p+1) at most, leaves its range.
    pub fn of<T: Element>(order: usize) -> Self {
        let factorial: f64 = (1..=order).map(|k| ((2 * k - 1) as f64).log2()).sum();
        let [units, unit] = match T::DOUBLE {
            true => [100.0, 30.0],
            false => [(96 / (order + 1)) as f64, ((126.0 - factorial) / (2 * order + 1) as f64).floor()],
        };
        Limits { units: units.exp2() as f32, unit2: (2.0 * unit).exp2() as f32 }
    }
}

impl Accuracy {
    /// Expansions of cells closer than this, radii over distance, converge too slowly, whatever the criterion says.
    pub const WIDEST_ANGLE: f32 = 0.95;

    /// The criterion takes accelerations to be at least this part of their root mean square: where forces cancel, a
    /// relative error has no bound. On the CPU they are at least `low`, where that is less.
    pub const FLOOR: f64 = 1e-3;

    /// What one in 256 of these accelerations are below. Where bodies lie at many scales, the forces of most may be far below the root mean
    /// square, and of 100 bodies 99 must have the error that is asked for.
    pub(crate) fn low(accelerations: &[f64]) -> f64 {
        let mut all = accelerations.to_vec();
        let at = all.len() / 256;
        all.select_nth_unstable_by(at, f64::total_cmp);
        all[at]
    }

    /// The same for so many bodies: of fewer, each leaf is a larger part, and the same tolerance leaves larger errors
    /// (from 2^20 to 2^17 bodies up to 2.5 times, in the systems of the table).
    #[must_use]
    pub fn of_bodies(self, n: usize) -> Self {
        let fewer = (n as f64 / FOR_BODIES).cbrt().clamp(FEWEST, 1.0);
        match self.opening {
            Opening::Error(tolerance) if self.is_usual => {
                Accuracy { opening: Opening::Error(tolerance * fewer), ..self }
            }
            _ => self,
        }
    }

    /// What a method asks for, where forces have no softening of Plummer's.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an error, order, angle or tolerance that is not available.
    pub fn of(method: &Method) -> Result<Self> {
        Self::with(method, &ON_CUDA)
    }

    /// The same where they have: by CUDA other orders.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_softened(method: &Method) -> Result<Self> {
        Self::with(method, &ON_CUDA_SOFTENED)
    }

    fn with(method: &Method, on_cuda: &[Row]) -> Result<Self> {
        let &Method { ref expansion, precision, device, solver, .. } = method;
        let (table, highest) = match device {
            Device::Cpu => (TABLE.to_vec(), HIGHEST),
            // (which are for errors that f32 does not have)
            Device::Cuda if precision != Precision::F32 => ([&ON_GPUS[..ON_GPUS.len() - 1], on_cuda].concat(), HIGHEST),
            Device::Cuda => (ON_GPUS.to_vec(), HIGHEST),
            Device::Wgpu => (ON_GPUS.to_vec(), HIGHEST_IN_REGISTERS),
        };
        let rtol = asked(expansion, highest, device)?;
        if let Some(value) = expansion.tolerance.filter(|value| *value > LARGEST) {
            return wrong("tolerance", value, format!("must be at most {LARGEST}"));
        }
        let least = least(&table, precision);
        if expansion.theta.is_none() && rtol < least {
            let more = match (precision, device) {
                (Precision::F64, _) => "the solver symmetric is exact",
                _ => "f64 has smaller ones",
            };
            let expected = format!("must be at least {least:e} by expansions in {precision} on {device}; {more}");
            return wrong("rtol", rtol, expected);
        }
        let mut row = row_of(&table, rtol);
        if device.is_gpu() && solver == SolverName::Tree {
            row.error *= TREE_ON_GPUS;
        }
        let (order, opening) = row.chosen(expansion, rtol);
        let leaf = if expansion.theta.is_some() { 16 } else { row.leaf };
        Ok(Accuracy { order, opening, leaf, is_usual: expansion.tolerance.is_none() })
    }
}

pub(crate) fn wrong<T>(name: &'static str, value: impl Display, expected: String) -> Result<T> {
    Err(Error::Parameter { name, value: value.to_string(), expected })
}

/// Checks the settings of expansions with orders up to `highest`. Returns the relative error, [`Expansion::RTOL`] where
/// it is not named.
///
/// # Errors
/// [`Error::Parameter`] for an order that is not available, and for an error, angle or tolerance out of range.
pub(crate) fn asked(expansion: &Expansion, highest: usize, device: Device) -> Result<f64> {
    let Expansion { rtol, order, theta, tolerance } = *expansion;
    if let Some(order) = order.filter(|order| !(1..=highest).contains(order)) {
        return wrong("order", order, format!("must be a whole number from 1 to {highest} on {device}"));
    }
    if let Some(theta) = theta.filter(|theta| !(*theta > 0.0 && *theta < 1.0)) {
        return wrong("theta", theta, "must be above 0 and below 1".into());
    }
    for (name, given) in [("rtol", rtol), ("tolerance", tolerance)] {
        if let Some(value) = given.filter(|value| !(*value > 0.0 && value.is_finite())) {
            return wrong(name, value, "must be a finite number above 0, as 1e-3".into());
        }
    }
    if let (Some(value), true) = (tolerance, theta.is_some()) {
        return wrong(
            "tolerance",
            value,
            "with --theta cells are opened by an angle: must be left out, or --theta".into(),
        );
    }
    Ok(rtol.unwrap_or(Expansion::RTOL))
}

/// The smallest error that a table has for a precision.
pub(crate) fn least(table: &[Row], precision: Precision) -> f64 {
    match precision {
        Precision::F64 => table[table.len() - 1].error,
        Precision::Mixed => LEAST_MIXED,
        Precision::F32 => LEAST_SINGLE,
    }
}

/// The first row of a table that has this relative error or a smaller one; otherwise the last.
pub(crate) fn row_of(table: &[Row], rtol: f64) -> Row {
    table.iter().find(|row| row.error <= rtol * (1.0 + 1e-9)).copied().unwrap_or(table[table.len() - 1])
}

impl Row {
    /// The order and the criterion: those that are asked for, otherwise those of the row.
    pub(crate) fn chosen(&self, expansion: &Expansion, rtol: f64) -> (usize, Opening) {
        let Expansion { order, theta, tolerance, .. } = *expansion;
        match theta {
            Some(theta) => (order.unwrap_or(USUAL_ORDER), Opening::Angle(theta)),
            None => {
                // between two rows the tolerance follows the error
                let tolerance = tolerance.unwrap_or(self.tolerance * (rtol.min(LARGEST) / self.error));
                (order.unwrap_or(self.order), Opening::Error(tolerance))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_error_is_a_smaller_tolerance_or_a_higher_order() {
        // from 0.1 on, by tenths of a decade, to the least error of each device
        for (device, tenths) in [(Device::Cpu, 80), (Device::Cuda, 90), (Device::Wgpu, 50)] {
            let mut last: Option<Accuracy> = None;
            for k in 0..tenths {
                let rtol = Some(LARGEST * 10_f64.powf(-0.1 * f64::from(k)));
                let expansion = Expansion { rtol, ..Expansion::default() };
                let found = Accuracy::of(&Method { device, expansion, ..Method::default() }).unwrap();
                let Opening::Error(tolerance) = found.opening else { panic!("{found:?}") };
                if let Some(Accuracy { order, opening: Opening::Error(before), .. }) = last {
                    assert!(order <= found.order && (tolerance < before || order < found.order), "{found:?}");
                }
                last = Some(found);
            }
        }
    }

    #[test]
    fn impossible_settings_are_named() {
        let of = |rtol, order, theta, precision| {
            let expansion = Expansion { rtol, order, theta, tolerance: None };
            Accuracy::of(&Method { expansion, precision, ..Method::default() }).unwrap_err().to_string()
        };
        assert!(of(Some(0.0), None, None, Precision::F64).contains("rtol"));
        assert!(of(Some(f64::NAN), None, None, Precision::F64).contains("rtol"));
        assert!(of(Some(1e-7), None, None, Precision::F32).contains("f64"));
        assert!(of(Some(1e-12), None, None, Precision::F64).contains("symmetric"));
        assert!(of(None, Some(13), None, Precision::F64).contains("order"));
        assert!(of(Some(5e-7), None, None, Precision::Mixed).contains("f64"));
        let of_cuda = |rtol| {
            let expansion = Expansion { rtol: Some(rtol), ..Expansion::default() };
            Accuracy::of(&Method { device: Device::Cuda, expansion, ..Method::default() })
        };
        assert_eq!(of_cuda(1e-10).unwrap().order, HIGHEST);
        let error = of_cuda(1e-11).unwrap_err().to_string();
        assert!(error.contains("the solver symmetric is exact"), "{error}");
        assert!(of(None, None, Some(1.0), Precision::F64).contains("theta"));
        let tolerance = |theta, tolerance| {
            let expansion = Expansion { theta, tolerance: Some(tolerance), ..Expansion::default() };
            Accuracy::of(&Method { expansion, ..Method::default() }).unwrap_err().to_string()
        };
        assert!(tolerance(None, 10.0).contains("tolerance = 10: must be at most 0.1"), "{}", tolerance(None, 10.0));
        assert!(tolerance(Some(0.5), 1e-3).contains("--theta"), "{}", tolerance(Some(0.5), 1e-3));
    }
}
