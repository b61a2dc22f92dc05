//! The entries of all operators of gravity, for both types of numbers.

use crate::estimate::Estimate;
use crate::far::{FromBodies, FromCells};
use crate::harmonic::{FromFarCells, ToSpherical};
use crate::local::{AtBodies, ToChildren};
use crate::moments::{MomentsOfBodies, MomentsOfCells};
use crate::near::Near;
use crate::rates::{JerksAtBodies, RatesFromBodies, RatesOfBodies};
use crate::soft::{FromSoftBodies, FromSoftCells};
use manybody_law::simd::{Element, Level, launch};

/// The trait, and its functions for each type of numbers. What is generic is compiled where it is used; these are not.
macro_rules! operators {
    ($($doc:literal $name:ident: $Work:ident $(-> $result:ty)?;)*) => {
        /// Numbers that expansions are computed in, f32 and f64: each function runs an operator with the vectors of a level, which
        /// this machine has.
        pub trait Operators: Element {
            $(
                #[doc = $doc]
                fn $name(level: Level, work: $Work<'_, Self>) $(-> $result)?;
            )*
        }
        operators! { @f32 $($name: $Work $(-> $result)?;)* }
        operators! { @f64 $($name: $Work $(-> $result)?;)* }
    };
    (@$T:ident $($name:ident: $Work:ident $(-> $result:ty)?;)*) => {
        impl Operators for $T {
            $(
                fn $name(level: Level, work: $Work<'_, Self>) $(-> $result)? {
                    launch(level, work)
                }
            )*
        }
    };
}

operators! {
    "Adds the moments of a leaf's bodies." moments_of_bodies: MomentsOfBodies;
    "Adds the moments of a cell's children." moments_of_cells: MomentsOfCells;
    "Adds the rates of the moments of a leaf's bodies." rates_of_bodies: RatesOfBodies;
    "Makes spherical moments." to_spherical: ToSpherical;
    "Adds what cells do which the softening does not matter to." from_far_cells: FromFarCells;
    "Adds what cells do." from_cells: FromCells;
    "Adds what bodies do." from_bodies: FromBodies;
    "Adds what cells do whose softenings differ." from_soft_cells: FromSoftCells;
    "Adds what bodies do whose softenings differ." from_soft_bodies: FromSoftBodies;
    "Adds the rates of what bodies do." rates_from_bodies: RatesFromBodies;
    "Hands an expansion down." to_children: ToChildren;
    "Adds what an expansion does to the bodies of a leaf." at_bodies: AtBodies;
    "Adds the jerks of an expansion to those of a leaf's bodies." jerks_at_bodies: JerksAtBodies;
    "Adds what the bodies of leaves do to those of one." near: Near;
    "Estimates the least acceleration in a leaf." estimate: Estimate -> f64;
}
