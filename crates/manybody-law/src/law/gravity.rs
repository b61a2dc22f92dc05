//! Gravity: acceleration, potential, jerk. With Plummer softening:
//!
//! ```text
//! r = x_j - x_i,  w = v_j - v_i,  s^2 = r.r + eps^2
//! a   = sum m_j r / s^3                              [Nyland 2007, eq. 31-3]
//! phi = -sum m_j / s
//! j   = sum m_j (w / s^3 - 3 (r.w) r / s^5)          [Hamada 2007, sect. 2]
//! ```
//!
//! The other softening is that of `spline`. With one softening for all, eps^2 is a parameter. Where bodies differ, a pair's eps^2 is the mean of the two
//! squares, (eps_i^2 + eps_j^2) / 2: symmetric, so momentum is conserved, and equal to eps^2 when all are equal. Each
//! body then brings its half, `h = eps^2 / 2`, and a pair pays one addition.
//!
//! G = 1 here; a solver scales the masses. s^2 must not be 0: a solver passes at least [`smallest_eps2`], so that two
//! bodies at the same place without softening exert no force on each other instead of NaN.

use super::{PairLaw, Real, Sum, add3, dot3, spline, sub3};
use crate::record;

record! {
    /// A body at a place.
    pub struct Star<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Mass, times G.
        pub m: R,
    }
}
record! {
    /// A body at a place, with a softening of its own.
    pub struct SoftStar<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Mass, times G.
        pub m: R,
        /// Half the square of the softening length, length^2.
        pub h: R,
    }
}
record! {
    /// A body at a place that is known to twice the digits of R, with a softening of its own.
    pub struct SplitStar<R> {
        /// Position, rounded, length.
        pub x: [R; 3],
        /// What the rounding left, length.
        pub dx: [R; 3],
        /// Mass, times G.
        pub m: R,
        /// Half the square of the softening length, length^2.
        pub h: R,
    }
}
record! {
    /// A body at a place, moving.
    pub struct MovingStar<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Velocity, length / time.
        pub v: [R; 3],
        /// Mass, times G.
        pub m: R,
    }
}
record! {
    /// A body at a place, moving, with a softening of its own.
    pub struct MovingSoftStar<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Velocity, length / time.
        pub v: [R; 3],
        /// Mass, times G.
        pub m: R,
        /// Half the square of the softening length, length^2.
        pub h: R,
    }
}
record! {
    /// A body at a place that is known to twice the digits of R, moving, with a softening of its own.
    pub struct MovingSplitStar<R> {
        /// Position, rounded, length.
        pub x: [R; 3],
        /// What the rounding left, length.
        pub dx: [R; 3],
        /// Velocity, length / time.
        pub v: [R; 3],
        /// Mass, times G.
        pub m: R,
        /// Half the square of the softening length, length^2.
        pub h: R,
    }
}
record! {
    /// One softening for all pairs.
    pub struct Eps2<R> {
        /// Square of the softening length, length^2.
        pub eps2: R,
    }
}
record! {
    /// Acceleration.
    pub struct Acc<R> {
        /// length / time^2.
        pub a: [Sum<R>; 3],
    }
}
record! {
    /// Acceleration and potential.
    pub struct AccPot<R> {
        /// length / time^2.
        pub a: [Sum<R>; 3],
        /// Potential, negative, length^2 / time^2.
        pub pot: Sum<R>,
    }
}
record! {
    /// Acceleration, its time derivative, and potential.
    pub struct AccJerkPot<R> {
        /// length / time^2.
        pub a: [Sum<R>; 3],
        /// length / time^3.
        pub j: [Sum<R>; 3],
        /// Potential, negative, length^2 / time^2.
        pub pot: Sum<R>,
    }
}

/// The least eps^2 a solver may pass, in units where lengths and masses are about 1 at most: s^-3 stays finite and
/// times r = 0 gives 0, and it changes no sum of squares that is not already far below what the type resolves
/// (f32: r > 1e-9 of the system; f64: r > 1e-92).
pub fn smallest_eps2(double: bool) -> f64 {
    if double { 1.0e-200 } else { 1.0e-24 }
}

#[inline(always)]
fn acc<R: Real>(d: [R; 3], s2: R, mass: R, out: &mut Acc<R>) {
    add3(&mut out.a, s2.rsqrt3() * mass, d);
}

#[inline(always)]
fn acc_pot<R: Real>(d: [R; 3], s2: R, mass: R, out: &mut AccPot<R>) {
    let y = s2.rsqrt();
    let mr = y * mass;
    add3(&mut out.a, y * y * mr, d);
    out.pot.add(-mr);
}

#[inline(always)]
fn acc_jerk_pot<R: Real>(d: [R; 3], w: [R; 3], s2: R, mass: R, out: &mut AccJerkPot<R>) {
    let y = s2.rsqrt();
    let y2 = y * y;
    let mr = y * mass;
    let f = y2 * mr;
    let g = -(f * (y.lit(3.0) * (y2 * dot3(d, w, y.lit(0.0)))));
    out.pot.add(-mr);
    add3(&mut out.a, f, d);
    add3(&mut out.j, f, w);
    add3(&mut out.j, g, d);
}

macro_rules! gravity {
    ($(#[$doc:meta])* $name:ident: $body:ident -> $out:ident, ($i:ident, $j:ident, $par:ident) eps2 = $eps2:expr;
     ($d:ident, $s2:ident, $o:ident) => $term:expr) => {
        gravity!($(#[$doc])* $name: $body -> $out, ($i, $j, $par, $d, $o) => {
            let $s2 = dot3($d, $d, $eps2);
            $term
        });
    };
    ($(#[$doc:meta])* $name:ident: $body:ident -> $out:ident, ($i:ident, $j:ident, $par:ident, $d:ident, $o:ident)
     => $term:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl PairLaw for $name {
            const ROOTS_ARE_FINITE: bool = true; // eps2 is never 0 in the kernels: see smallest_eps2
            type Body<R: Real> = $body<R>;
            type Par<R: Real> = Eps2<R>;
            type Out<R: Real> = $out<R>;
            #[inline(always)]
            fn pair<R: Real>($i: &$body<R>, $j: &$body<R>, $par: &Eps2<R>, $o: &mut $out<R>) {
                let $d = sub3($j.x, $i.x);
                $term
            }
        }
    };
}
gravity!(
    /// Gravity: acceleration.
    Gravity: Star -> Acc, (i, j, par) eps2 = par.eps2; (d, s2, out) => acc(d, s2, j.m, out));
gravity!(
    /// Gravity: acceleration; each body has its softening.
    SoftGravity: SoftStar -> Acc, (i, j, _par) eps2 = i.h + j.h; (d, s2, out) => acc(d, s2, j.m, out));
gravity!(
    /// Gravity: acceleration and potential.
    GravityPot: Star -> AccPot, (i, j, par) eps2 = par.eps2; (d, s2, out) => acc_pot(d, s2, j.m, out));
gravity!(
    /// Gravity: acceleration and potential; each body has its softening.
    SoftGravityPot: SoftStar -> AccPot, (i, j, _par) eps2 = i.h + j.h; (d, s2, out) => acc_pot(d, s2, j.m, out));
gravity!(
    /// Gravity: acceleration, jerk and potential.
    GravityJerk: MovingStar -> AccJerkPot, (i, j, par) eps2 = par.eps2;
    (d, s2, out) => acc_jerk_pot(d, sub3(j.v, i.v), s2, j.m, out));
gravity!(
    /// Gravity: acceleration, jerk and potential; each body has its softening.
    SoftGravityJerk: MovingSoftStar -> AccJerkPot, (i, j, _par) eps2 = i.h + j.h;
    (d, s2, out) => acc_jerk_pot(d, sub3(j.v, i.v), s2, j.m, out));

gravity!(
    /// Gravity with the spline softening: acceleration.
    SplineGravity: Star -> Acc, (i, j, par, d, out) => spline::acc(d, par.eps2, j.m, out));
gravity!(
    /// Gravity with the spline softening: acceleration; each body has its softening.
    SoftSplineGravity: SoftStar -> Acc, (i, j, _par, d, out) => spline::acc(d, i.h + j.h, j.m, out));
gravity!(
    /// Gravity with the spline softening: acceleration and potential.
    SplineGravityPot: Star -> AccPot, (i, j, par, d, out) => spline::acc_pot(d, par.eps2, j.m, out));
gravity!(
    /// Gravity with the spline softening: acceleration and potential; each body has its softening.
    SoftSplineGravityPot: SoftStar -> AccPot, (i, j, _par, d, out) => spline::acc_pot(d, i.h + j.h, j.m, out));
gravity!(
    /// Gravity with the spline softening: acceleration, jerk and potential.
    SplineGravityJerk: MovingStar -> AccJerkPot,
    (i, j, par, d, out) => spline::acc_jerk_pot(d, sub3(j.v, i.v), par.eps2, j.m, out));
gravity!(
    /// Gravity with the spline softening: acceleration, jerk and potential; each body has its softening.
    SoftSplineGravityJerk: MovingSoftStar -> AccJerkPot,
    (i, j, _par, d, out) => spline::acc_jerk_pot(d, sub3(j.v, i.v), i.h + j.h, j.m, out));

/// As [`acc_jerk_pot`], by (w - 3 (r.w) r / s^2) / s^3: f32 has room for the jerk of bodies that are so close that only split
/// positions keep them apart, and not for s^-5.
#[inline(always)]
fn near_acc_jerk_pot<R: Real>(d: [R; 3], w: [R; 3], s2: R, mass: R, out: &mut AccJerkPot<R>) {
    let y = s2.rsqrt();
    let y2 = y * y;
    let mr = y * mass;
    let f = y2 * mr;
    let turn = y.lit(3.0) * (y2 * dot3(d, w, y.lit(0.0)));
    out.pot.add(-mr);
    add3(&mut out.a, f, d);
    add3(&mut out.j, f, [turn.fnma(d[0], w[0]), turn.fnma(d[1], w[1]), turn.fnma(d[2], w[2])]);
}

macro_rules! split_gravity {
    ($(#[$doc:meta])* $name:ident: $body:ident -> $out:ident, ($i:ident, $j:ident, $d:ident, $s2:ident, $o:ident) => $term:expr) => {
        split_gravity!($(#[$doc])* $name: $body -> $out, ($i, $j, $d, $o) => {
            let $s2 = dot3($d, $d, $i.h + $j.h);
            $term
        });
    };
    ($(#[$doc:meta])* $name:ident: $body:ident -> $out:ident, ($i:ident, $j:ident, $d:ident, $o:ident) => $term:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl PairLaw for $name {
            const ROOTS_ARE_FINITE: bool = true; // as above
            type Body<R: Real> = $body<R>;
            type Par<R: Real> = Eps2<R>;
            type Out<R: Real> = $out<R>;
            #[inline(always)]
            fn pair<R: Real>($i: &$body<R>, $j: &$body<R>, _par: &Eps2<R>, $o: &mut $out<R>) {
                let (high, low) = (sub3($j.x, $i.x), sub3($j.dx, $i.dx));
                let $d = [high[0] + low[0], high[1] + low[1], high[2] + low[2]];
                $term
            }
        }
    };
}
split_gravity!(
    /// Gravity: acceleration and potential; each body has its softening, and its position twice the digits: the difference of
    /// two is right to all digits of R, however close they are.
    SplitGravityPot: SplitStar -> AccPot, (i, j, d, s2, out) => acc_pot(d, s2, j.m, out));
split_gravity!(
    /// Gravity with the spline softening: acceleration and potential; each body has its softening, and its position twice the
    /// digits.
    SplitSplineGravityPot: SplitStar -> AccPot, (i, j, d, out) => spline::acc_pot(d, i.h + j.h, j.m, out));
split_gravity!(
    /// Gravity: acceleration, jerk and potential; each body has its softening, and its position twice the digits.
    SplitGravityJerk: MovingSplitStar -> AccJerkPot, (i, j, d, s2, out) =>
    near_acc_jerk_pot(d, sub3(j.v, i.v), s2, j.m, out));
