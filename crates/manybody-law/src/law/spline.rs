//! The spline softening of gravity: a body is a ball whose density is the cubic spline of SPH. Beyond its edge its force is
//! exactly Newton's.
//!
//! ```text
//! h = 2.8 eps,  u = r / h,  v = 1 - u            [Hernquist 1989, app. A; Springel 2001, app. A]
//! u < 1/2   a / d = m (32/3 - 192/5 u^2 + 32 u^3) / h^3
//!           -phi  = m (14/5 - 16/3 u^2 + 48/5 u^4 - 32/5 u^5) / h
//! u < 1     a / d = m (1 - v^4 (16 - 128/5 v + 32/3 v^2)) / r^3
//!           -phi  = m (1 - v^5 (16/5 - 32/15 v)) / r
//! u >= 1    a / d = m / r^3,  -phi = m / r
//! ```
//!
//! The rows of u < 1 are the published polynomials in v: they lose no digits towards the edge, where v = 0 gives the last rows.
//! With h = 2.8 eps the potential at the centre of a body is that of Plummer's softening eps.

use super::gravity::{Acc, AccJerkPot, AccPot};
use super::{Real, add3, dot3};

/// The radius of a body over its softening length.
pub const SPLINE_RADIUS: f64 = 2.8;

/// u^2 at least, so that no root meets 0: far below what changes a force.
const LEAST: f64 = 1e-30;

/// A pair: its terms are polynomials in u, times powers of 1/h within half of the radius and of 1/r beyond it.
struct Spline<R: Real> {
    u: R,
    v: R,
    is_inner: R::Mask,
    /// 1/h or 1/r.
    inverse: R,
}

impl<R: Real> Spline<R> {
    #[inline(always)]
    fn of(d: [R; 3], eps2: R) -> Self {
        let one = eps2.lit(1.0);
        let r2 = dot3(d, d, eps2.lit(0.0));
        // the first root is one for all pairs where eps is
        let of_h = (eps2 * eps2.lit(SPLINE_RADIUS * SPLINE_RADIUS)).rsqrt();
        let u2 = (r2 * of_h * of_h).max(eps2.lit(LEAST));
        let per_u = u2.rsqrt();
        // beyond the radius u stays 1
        let u = (u2 * per_u).min(one);
        let is_inner = u.lt(eps2.lit(0.5));
        Spline { u, v: one - u, is_inner, inverse: of_h * R::select(is_inner, one, per_u) }
    }

    /// -phi / m times h or r.
    #[inline(always)]
    fn potential(&self) -> R {
        let Spline { u, v, is_inner, .. } = *self;
        let (u2, v2) = (u * u, v * v);
        let inner = u2.fnma(u2.fnma(u.fnma(u.lit(6.4), u.lit(9.6)), u.lit(16.0 / 3.0)), u.lit(14.0 / 5.0));
        let outer = (v2 * v2 * v).fnma(v.fnma(v.lit(32.0 / 15.0), v.lit(3.2)), v.lit(1.0));
        R::select(is_inner, inner, outer)
    }

    /// a / (m d) times h^3 or r^3.
    #[inline(always)]
    fn force(&self) -> R {
        R::select(self.is_inner, self.inner_force(), self.mass())
    }

    #[inline(always)]
    fn inner_force(&self) -> R {
        let u = self.u;
        (u * u).fnma(u.fnma(u.lit(32.0), u.lit(38.4)), u.lit(32.0 / 3.0))
    }

    /// The mass within r, over m.
    #[inline(always)]
    fn mass(&self) -> R {
        let v = self.v;
        let v2 = v * v;
        (v2 * v2).fnma(v.fnma(v.fnma(v.lit(32.0 / 3.0), v.lit(25.6)), v.lit(16.0)), v.lit(1.0))
    }

    /// The derivative of a / (m d) by r, over r, times h^5 or r^5.
    #[inline(always)]
    fn slope(&self) -> R {
        let Spline { u, v, is_inner, .. } = *self;
        let uv = u * v;
        let outer = (uv * uv * uv).fma(u.lit(64.0), u.lit(-3.0) * self.mass());
        R::select(is_inner, u.fma(u.lit(96.0), u.lit(-76.8)), outer)
    }
}

#[inline(always)]
pub(super) fn acc<R: Real>(d: [R; 3], eps2: R, mass: R, out: &mut Acc<R>) {
    let pair = Spline::of(d, eps2);
    let y = pair.inverse;
    add3(&mut out.a, y * y * (y * mass) * pair.force(), d);
}

#[inline(always)]
pub(super) fn acc_pot<R: Real>(d: [R; 3], eps2: R, mass: R, out: &mut AccPot<R>) {
    let pair = Spline::of(d, eps2);
    let y = pair.inverse;
    let mr = y * mass;
    add3(&mut out.a, y * y * mr * pair.force(), d);
    out.pot.add(-(mr * pair.potential()));
}

#[inline(always)]
pub(super) fn acc_jerk_pot<R: Real>(d: [R; 3], w: [R; 3], eps2: R, mass: R, out: &mut AccJerkPot<R>) {
    let pair = Spline::of(d, eps2);
    let y = pair.inverse;
    let y2 = y * y;
    let mr = y * mass;
    let cube = y2 * mr;
    let f = cube * pair.force();
    out.pot.add(-(mr * pair.potential()));
    add3(&mut out.a, f, d);
    add3(&mut out.j, f, w);
    add3(&mut out.j, cube * (y2 * dot3(d, w, y.lit(0.0))) * pair.slope(), d);
}

/// What a pair with this separation d is: -phi / m, and a / (m d).
#[inline(always)]
pub fn spline<R: Real>(d: [R; 3], eps2: R) -> [R; 2] {
    let pair = Spline::of(d, eps2);
    let y = pair.inverse;
    [y * pair.potential(), y * y * (y * pair.force())]
}

/// What a pair with this separation and mass is: -phi, a / d, and the derivative of that by r, over r, as two factors: one of them
/// alone or their product may leave the range of f32 where the jerk does not. Without mass all but the second factor are 0.
#[inline(always)]
pub fn spline_with_slope<R: Real>(d: [R; 3], eps2: R, mass: R) -> [R; 4] {
    let pair = Spline::of(d, eps2);
    let y = pair.inverse;
    let (y2, mr) = (y * y, y * mass);
    let cube = y2 * mr;
    [mr * pair.potential(), cube * pair.force(), cube * pair.slope(), y2]
}

/// What a pair at the distance r is, of this eps^2, in f64: -phi / m, a / (m d), and the derivative of that by r, over r.
pub fn spline_pair(r2: f64, eps2: f64) -> [f64; 3] {
    let pair = Spline::of([r2.sqrt(), 0.0, 0.0], eps2);
    let y = pair.inverse;
    [y * pair.potential(), y * y * y * pair.force(), y.powi(5) * pair.slope()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// W_2 and W_2' / u of [Springel 2001, app. A], with u = r / h: phi = m W_2 / h and a / d = m W_2' / (u h^3).
    fn published(u: f64) -> [f64; 2] {
        let [u2, u3, u4, u5] = [2, 3, 4, 5].map(|n| u.powi(n));
        match u {
            u if u < 0.5 => [
                16.0 / 3.0 * u2 - 48.0 / 5.0 * u4 + 32.0 / 5.0 * u5 - 14.0 / 5.0,
                32.0 / 3.0 - 192.0 / 5.0 * u2 + 32.0 * u3,
            ],
            u if u < 1.0 => [
                1.0 / (15.0 * u) + 32.0 / 3.0 * u2 - 16.0 * u3 + 48.0 / 5.0 * u4 - 32.0 / 15.0 * u5 - 16.0 / 5.0,
                -1.0 / (15.0 * u3) + 64.0 / 3.0 - 48.0 * u + 192.0 / 5.0 * u2 - 32.0 / 3.0 * u3,
            ],
            u => [-1.0 / u, 1.0 / u3],
        }
    }

    #[test]
    fn potential_and_force_are_the_published_polynomials() {
        let (eps, mut last) = (0.35, f64::INFINITY);
        let h = SPLINE_RADIUS * eps;
        for k in 0..=300 {
            let u = f64::from(k) / 200.0;
            let (r2, eps2) = ((u * h).powi(2), eps * eps);
            let [potential, force, slope] = spline_pair(r2, eps2);
            let [w, f] = published(u);
            // the published polynomials lose up to 50 roundings towards u = 1
            assert!((potential + w / h).abs() < 1e-14 / h, "{u}: {potential} {w}");
            assert!((force - f / h.powi(3)).abs() < 1e-13 / h.powi(3), "{u}: {force} {f}");
            assert!(potential < last, "{u}");
            last = potential;
            // the derivatives, by differences: errors of 1e-5 of the second order
            let step = 1e-5 * h;
            let r = (u * h).max(2.0 * step);
            let at = |r: f64| spline_pair(r * r, eps2);
            let by_r = |which: usize| (at(r + step)[which] - at(r - step)[which]) / (2.0 * step);
            let [_, force, slope] = if u > 0.0 { [potential, force, slope] } else { at(r) };
            assert!((by_r(0) + r * force).abs() < 1e-8 / (h * h), "{u}: the force is no gradient");
            assert!((by_r(1) - r * slope).abs() < 1e-7 / h.powi(4), "{u}: {slope}");
        }
        // as deep as Plummer's
        assert!((spline_pair(0.0, eps * eps)[0] - 1.0 / eps).abs() < 1e-15 / eps);
    }

    /// Beyond the radius a force is Newton's to rounding, in f32, too, and at any distance.
    #[test]
    fn it_is_newtons_beyond_the_radius() {
        for (eps, factor) in [(1e-12_f32, 1.0), (0.25, 1.0), (0.25, 1e6), (0.0, 1.0)] {
            let eps2 = (eps * eps).max(super::super::smallest_eps2(false) as f32);
            for k in 1..50 {
                let r = factor * (2.8 * eps2.sqrt()).max(1e-3) * (1.0 + 0.1 * k as f32);
                let [potential, force] = spline([r, 0.0, 0.0], eps2);
                assert!((potential * r - 1.0).abs() < 4.0 * f32::EPSILON, "{eps} {r}: {potential}");
                assert!((force * r * r * r - 1.0).abs() < 8.0 * f32::EPSILON, "{eps} {r}: {force}");
            }
            let [potential, force] = spline([0.0_f32; 3], eps2);
            assert!(potential.is_finite() && force.is_finite(), "{eps}");
        }
    }
}
