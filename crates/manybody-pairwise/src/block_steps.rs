//! Whole steps of a scheme with block time steps, for devices that make all blocks of a step by themselves.

/// A Hermite scheme, by its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HermiteOrder {
    /// Accelerations and jerks \[Makino 1992\].
    Fourth,
    /// Accelerations, jerks and snaps \[Nitadori 2008\].
    Sixth,
    /// Order 6 by accelerations and jerks at both ends of a step and where the step before began \[Dittmann 2024, arXiv:2410.17311\].
    ThreePoint,
}

impl HermiteOrder {
    /// Errors fall with this power of the steps.
    pub fn number(self) -> u32 {
        match self {
            HermiteOrder::Fourth => 4,
            HermiteOrder::Sixth | HermiteOrder::ThreePoint => 6,
        }
    }

    /// Derivatives of the position that are carried, the zeroth included.
    pub fn derivatives(self) -> usize {
        match self {
            HermiteOrder::Fourth => 4,
            HermiteOrder::Sixth | HermiteOrder::ThreePoint => 6,
        }
    }

    /// The accuracy parameter that serves where no value is given.
    pub fn default_eta(self) -> f64 {
        match self {
            HermiteOrder::Fourth => 0.1,
            HermiteOrder::Sixth => 0.5,
            // with the energy errors that order 4 has with its own
            HermiteOrder::ThreePoint => 0.35,
        }
    }

    /// The least accuracy parameter that makes sense where terms of forces are rounded to f32: with less the criterion finds what
    /// rounding leaves of high derivatives, and asks for many times as many steps as in f64, which are not more accurate. Measured with
    /// Plummer spheres of 33 and 256 bodies.
    pub fn least_rounded_eta(self) -> f64 {
        match self {
            HermiteOrder::Fourth => 0.03,
            HermiteOrder::Sixth => 0.3,
            HermiteOrder::ThreePoint => 0.2,
        }
    }

    /// Whether it needs the snaps of bodies.
    pub fn has_snaps(self) -> bool {
        self == HermiteOrder::Sixth
    }
}

/// Bodies of a Hermite scheme: what it carries of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockState {
    /// Position, velocity, acceleration and jerk, for order 6 also snap and its derivative, of all bodies at one time: each
    /// \[n\] an axis. For [`HermiteOrder::ThreePoint`] the last two are those of the cubic through the last two points.
    pub derivatives: Vec<[Vec<f64>; 3]>,
    /// For [`HermiteOrder::ThreePoint`] the lengths of the last steps of the bodies, 0 where a body has not made a step since it began: \[n\].
    pub before: Vec<f64>,
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
