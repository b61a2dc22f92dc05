//! Whole steps of a scheme with block time steps, for devices that make all blocks of a step by themselves.

/// The order of a Hermite scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HermiteOrder {
    /// Accelerations and jerks \[Makino 1992\].
    Fourth,
    /// Accelerations, jerks and snaps \[Nitadori 2008\].
    Sixth,
}

impl HermiteOrder {
    /// Errors fall with this power of the steps.
    pub fn number(self) -> u32 {
        match self {
            HermiteOrder::Fourth => 4,
            HermiteOrder::Sixth => 6,
        }
    }

    /// Derivatives of the position that are carried, the zeroth included.
    pub fn derivatives(self) -> usize {
        match self {
            HermiteOrder::Fourth => 4,
            HermiteOrder::Sixth => 6,
        }
    }
}

/// Bodies of a Hermite scheme: what it carries of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockState {
    /// Position, velocity, acceleration and jerk, for order 6 also snap and its derivative, of all bodies at one time: each
    /// \[n\] an axis.
    pub derivatives: Vec<[Vec<f64>; 3]>,
    /// The levels of the bodies: steps of dt / 2^level. Each \[n\].
    pub levels: Vec<u8>,
}

/// One step of a run, made of blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockStep {
    /// The scheme.
    pub order: HermiteOrder,
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
    /// A body that needed a smaller step than the smallest, and when: of 2^52 parts of the step. No block is made after that.
    pub too_deep: Option<(usize, u64)>,
}
