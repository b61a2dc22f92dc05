//! Operators of multipole and local expansions: moments of bodies and cells, what these do at a distance, and what that and other
//! bodies do to bodies.
//!
//! ```text
//! bodies --moments--> cells --far, harmonic, soft, law--> expansions about sinks --local--> bodies
//! bodies -----------------------------------near------------------------------------------> bodies
//! ```
//!
//! Expansions are Cartesian ([`taylor`]), of the softened potential itself, or of any function of the separation ([`law`]); where the
//! softening does not matter, cells interact by real solid harmonics ([`spherical`]). An operator is a struct of what it reads and
//! writes, and a function that runs it with the vectors of a level: [`Operators`] has those of f32 and f64, [`law`] its own. They are
//! compiled here, once, so the walks over trees in `manybody-tree`, which call them for one sink after the other, compile no
//! kernel; and they know no tree. All lengths of one call are in one unit, that of the bodies or of the expansion.

mod estimate;
mod far;
mod harmonic;
pub mod index;
pub mod law;
mod local;
mod moments;
mod near;
mod operators;
mod place;
mod rates;
mod scratch;
mod soft;
mod space;
pub mod spherical;
pub mod taylor;
mod unrolled;

pub use estimate::Estimate;
pub use far::{FromBodies, FromCells, Softness};
pub use harmonic::{Conversion, FromFarCells, ToSpherical};
pub use local::{AtBodies, ToChildren, at_center};
pub use moments::{HEADER, Moments, MomentsOfBodies, MomentsOfCells, head};
pub use near::{FIELDS, Leaves, Near};
pub use operators::Operators;
pub use place::{Place, Point};
pub use rates::{JerksAtBodies, OF_ORDER_TWO, RatesFromBodies, RatesOfBodies, jerk_at_center};
pub use scratch::{Scratch, WIDEST, padded, splat};
pub use soft::{Both, Differences, FromSoftBodies, FromSoftCells, LeafDifferences};
pub use space::{Products, Space, factorial};
