//! Laws: what one body does to another, written once over a number type.
//!
//! ```
//! # use manybody_law as manybody;
//! use manybody::{record, law::{PairLaw, Real, Sum, sub3, dot3, add3}};
//! record! { pub struct Star<R> { pub x: [R; 3], pub m: R } }
//! record! { pub struct Softening<R> { pub eps2: R } }
//! record! { pub struct Pull<R> { pub a: [Sum<R>; 3] } }
//!
//! struct Newton;
//! impl PairLaw for Newton {
//!     type Body<R: Real> = Star<R>;
//!     type Par<R: Real> = Softening<R>;
//!     type Out<R: Real> = Pull<R>;
//!     #[inline(always)]
//!     fn pair<R: Real>(i: &Star<R>, j: &Star<R>, par: &Softening<R>, out: &mut Pull<R>) {
//!         let d = sub3(j.x, i.x);
//!         let f = j.m * dot3(d, d, par.eps2).rsqrt3();
//!         add3(&mut out.a, f, d);
//!     }
//! }
//! ```

pub mod audit;
mod bind;
#[doc(hidden)] // for tests and audits of this library
pub mod bounds;
pub mod builtin;
mod canonical;
#[doc(hidden)] // for tests of this library
pub mod conformance;
mod declare;
mod definition;
pub mod dual;
mod gradient;
mod graph;
mod gravity;
mod gravity_snap;
#[doc(hidden)] // for solvers of this library
pub mod intervals;
mod nan;
mod oracle;
mod pair_inputs;
mod print;
mod radial;
mod real;
mod recentre;
mod record;
mod series;
mod series_text;
mod spline;
pub mod text;
mod uniform;

pub use bind::Columns;
pub use builtin::{Builtin, LAWS, by_name};
pub use canonical::{Canonical, CanonicalMask};
pub use definition::{Grouping, Law, Lowering, SelfPair};
pub use gradient::Gradient;
pub use graph::program::{Arg, Class, Cost, Fold, Op, Program, Scale, Value};
pub use graph::{Function, Role};
pub use gravity::{
    Acc, AccJerkPot, AccPot, Eps2, Gravity, GravityJerk, GravityPot, MovingSoftStar, MovingSplitStar, MovingStar,
    SoftGravity, SoftGravityJerk, SoftGravityPot, SoftSplineGravity, SoftSplineGravityJerk, SoftSplineGravityPot,
    SoftStar, SplineGravity, SplineGravityJerk, SplineGravityPot, SplitGravityJerk, SplitGravityPot,
    SplitSplineGravityPot, SplitStar, Star, smallest_eps2,
};
pub use gravity_snap::{
    AccJerkSnapPot, AcceleratedSoftStar, AcceleratedSplitStar, AcceleratedStar, GravitySnap, NearGravitySnap,
    SoftGravitySnap, SplitGravitySnap,
};
pub use oracle::{oracle, record_of};
pub use pair_inputs::{PairInputs, Targets};
pub use radial::{FunctionOf, Radial, Term};
pub use real::{Mask, Real};
pub use recentre::range;
pub use record::{
    ArgMax, ArgMin, Cell, Count, Field, Id, LogSumExp, Max, Min, Nothing, Record, Sum, cells, each, fields,
    finite_or_zero, make, merge, width,
};
pub use series::{Line, Series, Shape};
pub use series_text::Statements;
pub use spline::{SPLINE_RADIUS, spline, spline_pair, spline_with_slope};

/// A pairwise law: what body j does to body i.
///
/// The three records are CUNBODY-1's IDIM and JDIM (here one `Body`, since any body may play either part), the
/// pipeline's constants, and FDIM [Hamada 2007, sect. 4]. `pair` must be `#[inline(always)]`, as must every helper it
/// calls, and must not loop over arrays with an index the compiler cannot unroll.
pub trait PairLaw: Send + Sync + 'static {
    /// The numbers of a body that the law reads.
    type Body<R: Real>: Record<R>;
    /// What is the same for all pairs.
    type Par<R: Real>: Record<R>;
    /// The results of a body, as [`Sum`], [`Min`] and [`Max`] cells.
    type Out<R: Real>: Record<R>;
    /// Whether a body acts on itself. If false, `pair` is never called with i = j (but may be called with two bodies
    /// at the same place).
    const SELF: bool = false;
    /// Whether the law calls exp, ln, sin or cos. The compiled kernels then do each operation for four vectors before the
    /// next, so that one is computed while others wait: 1.2 to 1.6 times the rate of such laws, 0.8 of others' (AVX2).
    /// Results do not depend on it, but for rounding.
    const TRANSCENDENTAL: bool = false;
    /// Whether no root of the law meets 0 or infinity, as where a softening is part of every distance. f64 kernels on CUDA
    /// then leave out what makes such roots IEEE's: 8 to 10 % of the rate of gravity (H200).
    const ROOTS_ARE_FINITE: bool = false;

    /// Adds to `out` what `j` does to `i`.
    fn pair<R: Real>(i: &Self::Body<R>, j: &Self::Body<R>, par: &Self::Par<R>, out: &mut Self::Out<R>);

    /// Adds to `out` what a body does to itself, where `SELF` is false: called once for each body that is on both
    /// sides. By default nothing.
    #[inline(always)]
    fn own<R: Real>(i: &Self::Body<R>, par: &Self::Par<R>, out: &mut Self::Out<R>) {
        let _ = (i, par, out);
    }
}

/// a - b.
#[inline(always)]
pub fn sub3<R: Real>(a: [R; 3], b: [R; 3]) -> [R; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a . b + c.
#[inline(always)]
pub fn dot3<R: Real>(a: [R; 3], b: [R; 3], c: R) -> R {
    a[2].fma(b[2], a[1].fma(b[1], a[0].fma(b[0], c)))
}

/// out += f * d, written out: a loop here is unrolled too late for the mirrored kernel's sharing to happen.
#[inline(always)]
pub fn add3<R: Real>(out: &mut [Sum<R>; 3], f: R, d: [R; 3]) {
    out[0].add_mul(f, d[0]);
    out[1].add_mul(f, d[1]);
    out[2].add_mul(f, d[2]);
}

#[cfg(test)]
mod documents_tests;
