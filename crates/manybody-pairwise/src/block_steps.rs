//! Whole steps of a scheme with block time steps, for devices that make all blocks of a step by themselves.

/// Bodies of a Hermite scheme of order 4: what it carries of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockState {
    /// Position, velocity, acceleration and jerk, of all bodies at one time: each \[n\] an axis.
    pub derivatives: Vec<[Vec<f64>; 3]>,
    /// The levels of the bodies: steps of dt / 2^level. Each \[n\].
    pub levels: Vec<u8>,
}

/// One step of a run, made of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockStep {
    /// Its length.
    pub dt: f64,
    /// The accuracy parameter of the criterion.
    pub eta: f64,
    /// The levels of the largest and of the smallest step of a body.
    pub levels: [u8; 2],
    /// Bodies keep the smallest step where they need a smaller one; else that is reported.
    pub is_limited: bool,
}

/// What was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockWork {
    /// Blocks: times at which some bodies were active.
    pub blocks: u64,
    /// Steps of bodies.
    pub body_steps: u64,
    /// A body that needed a smaller step than the smallest.
    pub too_deep: Option<usize>,
}
