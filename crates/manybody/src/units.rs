//! Systems of units, named, stored in every file.

/// A system of units: what the numbers of a snapshot mean.
///
/// G = 1 by default. A system with a physical scale also says how many SI units its units are.
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// The name as files and the command line spell it: "henon", "msun-pc-kms", ...
    pub name: String,
    /// The gravitational constant in these units.
    pub g: f64,
    /// Metres, kilograms and seconds to one unit of length, mass and time; None for a system without a scale.
    pub si: Option<[f64; 3]>,
}

impl Units {
    /// Henon (N-body) units: G = M = 1, E = -1/4, without a physical scale.
    pub fn henon() -> Self {
        Units { name: "henon".into(), g: 1.0, si: None }
    }
}

impl Default for Units {
    fn default() -> Self {
        Self::henon()
    }
}
