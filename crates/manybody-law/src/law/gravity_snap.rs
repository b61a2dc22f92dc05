//! Gravity with Plummer softening up to the snap: what a sixth-order Hermite scheme asks of a pair.
//!
//! ```text
//! r = x_j - x_i,  w = v_j - v_i,  c = a_j - a_i,  s^2 = r.r + eps^2        [Nitadori 2008, sect. 2]
//! A     = m_j r / s^3                        a = sum A
//! alpha = r.w / s^2
//! J     = m_j w / s^3 - 3 alpha A            j = sum J
//! beta  = (w.w + r.c) / s^2 + alpha^2
//! S     = m_j c / s^3 - 6 alpha J - 3 beta A     s = sum S
//! phi   = -sum m_j / s
//! ```
//!
//! The accelerations of the bodies are given: those of the last evaluation, or predicted ones. The law of the
//! acceleration called with [`Taylor2`](super::dual::Taylor2) numbers gives the same without this formula; a test
//! compares both. If the accelerations are not known, two evaluations are needed: `gravity` first.

use super::{PairLaw, Real, Sum, add3, dot3, sub3};
use crate::law::Eps2;
use crate::record;

record! {
    /// A body at a place, moving, and accelerated.
    pub struct AcceleratedStar<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Velocity, length / time.
        pub v: [R; 3],
        /// Acceleration, length / time^2.
        pub acc: [R; 3],
        /// Mass, times G.
        pub m: R,
    }
}
record! {
    /// A body at a place, moving, and accelerated, with a softening of its own.
    pub struct AcceleratedSoftStar<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Velocity, length / time.
        pub v: [R; 3],
        /// Acceleration, length / time^2.
        pub acc: [R; 3],
        /// Mass, times G.
        pub m: R,
        /// Half the square of the softening length, length^2.
        pub h: R,
    }
}
record! {
    /// A body at a place that is known to twice the digits of R, moving, and accelerated, with a softening of its own.
    pub struct AcceleratedSplitStar<R> {
        /// Position, rounded, length.
        pub x: [R; 3],
        /// What the rounding left, length.
        pub dx: [R; 3],
        /// Velocity, length / time.
        pub v: [R; 3],
        /// Acceleration, length / time^2.
        pub acc: [R; 3],
        /// Mass, times G.
        pub m: R,
        /// Half the square of the softening length, length^2.
        pub h: R,
    }
}
record! {
    /// Acceleration, its first two time derivatives, and potential.
    pub struct AccJerkSnapPot<R> {
        /// length / time^2.
        pub a: [Sum<R>; 3],
        /// length / time^3.
        pub j: [Sum<R>; 3],
        /// length / time^4.
        pub s: [Sum<R>; 3],
        /// Potential, negative, length^2 / time^2.
        pub pot: Sum<R>,
    }
}

/// Gravity: acceleration, jerk, snap and potential.
#[derive(Clone, Copy, Debug)]
pub struct GravitySnap;

impl PairLaw for GravitySnap {
    type Body<R: Real> = AcceleratedStar<R>;
    type Par<R: Real> = Eps2<R>;
    type Out<R: Real> = AccJerkSnapPot<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &AcceleratedStar<R>, j: &AcceleratedStar<R>, par: &Eps2<R>, out: &mut AccJerkSnapPot<R>) {
        let (d, w, c) = (sub3(j.x, i.x), sub3(j.v, i.v), sub3(j.acc, i.acc));
        snap([d, w, c], dot3(d, d, par.eps2), j.m, out);
    }
}

/// Gravity: acceleration, jerk, snap and potential; bodies have softenings of their own.
#[derive(Clone, Copy, Debug)]
pub struct SoftGravitySnap;

impl PairLaw for SoftGravitySnap {
    const ROOTS_ARE_FINITE: bool = true; // as in `gravity`
    type Body<R: Real> = AcceleratedSoftStar<R>;
    type Par<R: Real> = Eps2<R>;
    type Out<R: Real> = AccJerkSnapPot<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &AcceleratedSoftStar<R>, j: &AcceleratedSoftStar<R>, _: &Eps2<R>, out: &mut AccJerkSnapPot<R>) {
        let (d, w, c) = (sub3(j.x, i.x), sub3(j.v, i.v), sub3(j.acc, i.acc));
        snap([d, w, c], dot3(d, d, i.h + j.h), j.m, out);
    }
}

/// What a pair at the distance d, with the relative velocity w and acceleration c, adds; s2 = d.d + eps^2.
#[inline(always)]
fn snap<R: Real>([d, w, c]: [[R; 3]; 3], s2: R, mass: R, out: &mut AccJerkSnapPot<R>) {
    let y = s2.rsqrt();
    let y2 = y * y;
    let mr = mass * y;
    let f = mr * y2;
    let zero = y.lit(0.0);
    // what multiplies r, w and c: S = f c - 6 alpha J - 3 beta A with J and A written out
    let alpha = y2 * dot3(d, w, zero);
    let g = y.lit(-3.0) * alpha;
    let rest = y2 * dot3(w, w, dot3(d, c, zero)); // beta - alpha^2
    let h = y.lit(15.0) * (alpha * alpha) - y.lit(3.0) * rest;
    out.pot.add(-mr);
    add3(&mut out.a, f, d);
    add3(&mut out.j, f, w);
    add3(&mut out.j, f * g, d);
    add3(&mut out.s, f, c);
    add3(&mut out.s, f * (g + g), w);
    add3(&mut out.s, f * h, d);
}

/// As [`SoftGravitySnap`], in a form for f32: see [`SplitGravitySnap`].
#[derive(Clone, Copy, Debug)]
pub struct NearGravitySnap;

impl PairLaw for NearGravitySnap {
    const ROOTS_ARE_FINITE: bool = true; // as in `gravity`
    type Body<R: Real> = AcceleratedSoftStar<R>;
    type Par<R: Real> = Eps2<R>;
    type Out<R: Real> = AccJerkSnapPot<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &AcceleratedSoftStar<R>, j: &AcceleratedSoftStar<R>, _: &Eps2<R>, out: &mut AccJerkSnapPot<R>) {
        let (d, w, c) = (sub3(j.x, i.x), sub3(j.v, i.v), sub3(j.acc, i.acc));
        near_snap([d, w, c], dot3(d, d, i.h + j.h), j.m, out);
    }
}

/// Gravity: acceleration, jerk, snap and potential; each body has its softening, and its position twice the digits. No number is
/// much larger than a result: f32 has room for the snap of bodies at distances from 1e-10 of the unit of length on.
#[derive(Clone, Copy, Debug)]
pub struct SplitGravitySnap;

impl PairLaw for SplitGravitySnap {
    const ROOTS_ARE_FINITE: bool = true; // as in `gravity`
    type Body<R: Real> = AcceleratedSplitStar<R>;
    type Par<R: Real> = Eps2<R>;
    type Out<R: Real> = AccJerkSnapPot<R>;
    #[inline(always)]
    fn pair<R: Real>(
        i: &AcceleratedSplitStar<R>,
        j: &AcceleratedSplitStar<R>,
        _: &Eps2<R>,
        out: &mut AccJerkSnapPot<R>,
    ) {
        let (high, low) = (sub3(j.x, i.x), sub3(j.dx, i.dx));
        let d = [high[0] + low[0], high[1] + low[1], high[2] + low[2]];
        let (w, c) = (sub3(j.v, i.v), sub3(j.acc, i.acc));
        near_snap([d, w, c], dot3(d, d, i.h + j.h), j.m, out);
    }
}

/// As [`snap`], by J = (w - 3 alpha r) m_j / s^3 and S = (c - 6 alpha w + (15 alpha^2 - 3 (w.w + r.c) / s^2) r) m_j / s^3.
#[inline(always)]
fn near_snap<R: Real>([d, w, c]: [[R; 3]; 3], s2: R, mass: R, out: &mut AccJerkSnapPot<R>) {
    let y = s2.rsqrt();
    let y2 = y * y;
    let mr = mass * y;
    let f = mr * y2;
    let zero = y.lit(0.0);
    let alpha = y2 * dot3(d, w, zero);
    let turn = y.lit(3.0) * alpha;
    let rest = y2 * dot3(w, w, dot3(d, c, zero));
    let (once, twice) = ((y.lit(15.0) * alpha) * alpha - y.lit(3.0) * rest, turn + turn);
    out.pot.add(-mr);
    add3(&mut out.a, f, d);
    add3(&mut out.j, f, [turn.fnma(d[0], w[0]), turn.fnma(d[1], w[1]), turn.fnma(d[2], w[2])]);
    let c = [twice.fnma(w[0], c[0]), twice.fnma(w[1], c[1]), twice.fnma(w[2], c[2])];
    add3(&mut out.s, f, [once.fma(d[0], c[0]), once.fma(d[1], c[1]), once.fma(d[2], c[2])]);
}
