//! From a surface density to a brightness, 0 to 1.
//!
//! ```text
//! asinh    asinh(v / low) / asinh(high / low)     linear below `low`, logarithmic above it [Lupton 2004]
//! log      ln(v / low) / ln(high / low)           0 below `low`
//! linear   v / high
//! ```
//!
//! Where no range is given, `high` is the largest value of the picture and `low` half of what the median body adds to the
//! pixel at its middle: a body alone is faint but visible, whatever the core has.

use crate::wrong;
use manybody::{Error, Result};
use std::str::FromStr;

/// The names that [`Stretch`] has.
const NAMES: &str = "asinh, log, linear";

/// The shape of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stretch {
    /// Linear below, logarithmic above: shows a core and its halo.
    #[default]
    Asinh,
    /// Logarithmic.
    Log,
    /// Linear.
    Linear,
}

impl FromStr for Stretch {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "asinh" => Stretch::Asinh,
            "log" => Stretch::Log,
            "linear" => Stretch::Linear,
            _ => return Err(Error::Unknown { what: "stretch", name: text.into(), known: NAMES.into() }),
        })
    }
}

/// A map with its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tone {
    /// The shape.
    pub stretch: Stretch,
    /// Where it begins to be logarithmic.
    pub low: f64,
    /// What is as bright as can be.
    pub high: f64,
}

impl Tone {
    /// A map of this range.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless 0 < low < high, both finite.
    pub fn new(stretch: Stretch, low: f64, high: f64) -> Result<Self> {
        if low > 0.0 && high > low && high.is_finite() {
            return Ok(Tone { stretch, low, high });
        }
        Err(wrong(
            "range",
            format!("{low},{high}"),
            "must be two finite surface densities above 0, the smaller one first",
        ))
    }

    /// The brightness of a value.
    pub fn of(&self, value: f64) -> f64 {
        let t = match self.stretch {
            Stretch::Asinh => libm::asinh(value / self.low) / libm::asinh(self.high / self.low),
            Stretch::Log if value <= self.low => 0.0,
            Stretch::Log => libm::log(value / self.low) / libm::log(self.high / self.low),
            Stretch::Linear => value / self.high,
        };
        // densities beyond all numbers, of masses that are, too
        if t.is_nan() { 1.0 } else { t.clamp(0.0, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_goes_from_dark_to_bright() {
        for stretch in [Stretch::Asinh, Stretch::Log, Stretch::Linear] {
            let tone = Tone::new(stretch, 1e-3, 10.0).unwrap();
            assert_eq!((tone.of(0.0), tone.of(10.0), tone.of(1e9)), (0.0, 1.0, 1.0));
            assert!(tone.of(1.0) > tone.of(0.1));
        }
        // a ten-thousandth of the brightest is seen by one, and not by the other
        let of = |stretch| Tone::new(stretch, 1e-3, 10.0).unwrap().of(1e-3);
        assert!(of(Stretch::Asinh) > 0.08 && of(Stretch::Linear) < 2e-4);
        for (low, high) in [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)] {
            assert!(Tone::new(Stretch::Log, low, high).unwrap_err().is_bad_input());
        }
        assert!("lin".parse::<Stretch>().unwrap_err().is_bad_input());
    }
}
