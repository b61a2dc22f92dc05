//! Where expansions and bodies are.

/// The centre of an expansion, or of moments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    /// In units of the bodies.
    pub center: [f64; 3],
    /// The unit of length of the coefficients, a power of two.
    pub unit: f64,
}

/// A body's place and mass.
#[derive(Clone, Copy, Debug, Default)]
pub struct Point {
    /// In units of the bodies.
    pub x: [f64; 3],
    /// May be of either sign.
    pub mass: f64,
}
