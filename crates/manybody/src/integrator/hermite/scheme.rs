//! The formulas of Hermite schemes: predictor, corrector, and the criterion for the next step.
//!
//! ```text
//! predictor   x(t) = x + v t + a t^2/2 + j t^3/6 [+ s t^4/24 + c t^5/120]
//! corrector   order 4   v1 = v0 + t/2 (a0 + a1) + t^2/12 (j0 - j1)                          [Makino 1992, eqs. 9, 10;
//!                       x1 = x0 + t/2 (v0 + v1) + t^2/12 (a0 - a1)                           in the form of Hut 1995]
//!             order 6   v1 = v0 + t/2 (a0 + a1) + t^2/10 (j0 - j1) + t^3/120 (s0 + s1)
//!                       x1 = x0 + t/2 (v0 + v1) + t^2/10 (a0 - a1) + t^3/120 (j0 + j1)      [Nitadori 2008, eqs. 12, 13]
//!             order 6 of three points: v and x by the quintic through a and j at both ends and where the step before began
//!                                                                                            [Dittmann 2024, arXiv:2410.17311]
//! criterion   order p   dt = eta (A_1 / A_(p-2))^(1/(p-3)),
//!                       A_k^2 = |a^(k-1)| |a^(k+1)| + |a^(k)|^2                             [Nitadori 2008, eq. 15]
//! ```
//!
//! For order 4 the criterion is Aarseth's, eta^2 taking the place of his eta. Where terms of forces are rounded to f32, order 6 has a
//! least step, 0.03 eta min(|a| / |j|, (|a| / |s|)^(1/2)): the criterion takes a^(3) to a^(5) from differences between both ends, which
//! are of rounding alone over short steps, and would then ask for a shorter one each time. (Of three points, s t there is the difference of
//! jerks: that of the quintic is of rounding, too.) The higher derivatives at the end of the step are those of the polynomial through what
//! is known at both ends.
//!
//! With three points, s and c of the predictor are those of the cubic through a and j at both ends of the last step: the quintic of the next
//! step is this cubic and more, which is 0, with its derivative, at these two points. The first step of a body has but two points, and is made
//! by the scheme of order 4.

use crate::simd::{Kernel, Lanes, Level, launch};
use crate::solver::{Derivatives, HermiteOrder};
use crate::{Bodies, Error, Result};

pub(super) const AXES: usize = 3;
type Vector = [f64; AXES];

const CARRIED: [&str; 14] = [
    "hermite_ax",
    "hermite_ay",
    "hermite_az",
    "hermite_jx",
    "hermite_jy",
    "hermite_jz",
    "hermite_sx",
    "hermite_sy",
    "hermite_sz",
    "hermite_cx",
    "hermite_cy",
    "hermite_cz",
    "hermite_dt",
    "hermite_before",
];
/// Of these, the time step, and the one before, 0 where the next one is the first.
pub(super) const CARRIED_STEP: &str = CARRIED[12];
pub(super) const STEP_BEFORE: &str = CARRIED[13];
/// The partner of a body that is one of an unperturbed pair, counted from 1; where pairs are such.
pub(super) const PARTNER: &str = "hermite_pair";
/// The subsystem of a body, by the first of its bodies, counted from 1; 0 for a single body; where subsystems are.
pub(super) const SUBSYSTEM: &str = "hermite_subsystem";
/// Whether two bodies were moved as one in the last step of a run, as a pair or in a subsystem.
pub(crate) fn were_one(bodies: &Bodies, i: usize, j: usize) -> bool {
    let column = |name: &str| bodies.extra.get(name).filter(|column| column.len() == bodies.len());
    let is_partner = column(PARTNER).is_some_and(|partner| partner[i] == (j + 1) as f64);
    is_partner || column(SUBSYSTEM).is_some_and(|of| of[i] > 0.0 && of[i] == of[j])
}

/// What rounding leaves of positions and velocities of the bodies of subsystems.
pub(super) const REMAINDERS: [&str; 6] =
    ["hermite_x", "hermite_y", "hermite_z", "hermite_vx", "hermite_vy", "hermite_vz"];
/// Of these, the positions.
pub(in super::super) const PLACES_LEFT: [&str; 3] = [REMAINDERS[0], REMAINDERS[1], REMAINDERS[2]];
/// So many derivatives, the step, and what pairs and subsystems leave.
const fn carried<const N: usize>(derivatives: usize) -> [&'static str; N] {
    let mut all = [CARRIED_STEP; N];
    let mut k = 0;
    while k < derivatives {
        all[k] = CARRIED[k];
        k += 1;
    }
    (all[derivatives + 1], all[derivatives + 2]) = (PARTNER, SUBSYSTEM);
    k = 0;
    while k < REMAINDERS.len() {
        all[derivatives + 3 + k] = REMAINDERS[k];
        k += 1;
    }
    all
}
static CARRIED4: [&str; 15] = carried(6);
static CARRIED6: [&str; 21] = carried(12);
static CARRIED_OF_THREE: [&str; 22] = {
    let mut all = [STEP_BEFORE; 22];
    let mut k = 0;
    while k < CARRIED6.len() {
        all[k] = CARRIED6[k];
        k += 1;
    }
    all
};

/// The columns of bodies that are carried: derivatives from the acceleration on, the step, and what is of some schemes or settings only.
pub(super) fn columns(order: HermiteOrder) -> &'static [&'static str] {
    match order {
        HermiteOrder::Fourth => &CARRIED4,
        HermiteOrder::Sixth => &CARRIED6,
        HermiteOrder::ThreePoint => &CARRIED_OF_THREE,
    }
}

/// Refuses bodies that lack a column without which a run with steps of `dt` cannot go on, and values of them that it does
/// not write.
pub(super) fn check_kept(order: HermiteOrder, bodies: &Bodies, dt: f64) -> Result<()> {
    if bodies.is_empty() {
        return Ok(());
    }
    let derivatives = AXES * (order.derivatives() - 2);
    let before = (order == HermiteOrder::ThreePoint).then_some(&STEP_BEFORE);
    for name in CARRIED[..derivatives].iter().chain([&CARRIED_STEP]).chain(before) {
        let Some(column) = bodies.extra.get(*name) else {
            let expected =
                "a run with block time steps keeps it with the bodies, and cannot be resumed without it".into();
            return Err(Error::Kept { entry: name, value: "missing".into(), expected });
        };
        let most = if *name == CARRIED_STEP { dt } else { f64::MAX };
        let is_wrong = |value: &f64| value.is_nan() || value.abs() > most || (*name == STEP_BEFORE && *value < 0.0);
        if let Some(index) = column.iter().position(is_wrong) {
            let (id, value) = (bodies.id[index], column[index]);
            let expected = "not what a run writes there: the file is damaged or was edited";
            return Err(Error::Body { index, id, field: name, value, expected });
        }
    }
    Ok(())
}

/// A scheme with its accuracy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scheme {
    pub(super) order: HermiteOrder,
    pub(super) eta: f64,
    pub(super) eta_start: f64,
    /// Whether terms of forces are rounded to f32.
    pub(super) is_rounded: bool,
}

/// The least step of rounded forces, in units of eta and the time in which they change. Its square is in the kernels, too
/// (blocks.cuh, blocks6.wgsl).
const LEAST: f64 = 0.03;

/// A body at the end of its step.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// Derivatives of the position, those among them that the scheme carries.
    pub(super) derivatives: [Vector; 6],
    /// Derivatives of the acceleration, from the zeroth on, times t^k: what the criterion reads.
    pub(super) scaled: [Vector; 6],
    /// The snap times t^2 that is not of accelerations: at the end, or of three points that by which the jerk has changed.
    snap: Vector,
    /// Whether the fourth and the fifth of these are known.
    is_of_order_6: bool,
}

/// x and v at `elapsed` after the derivatives of one axis were those.
pub(super) fn predict4(from: [&[f64]; 4], elapsed: &[f64], to: [&mut [f64]; 2]) {
    launch(Level::usual(), Prediction { from, elapsed, to });
}

/// x, v and a at `elapsed` after the derivatives of one axis were those.
pub(super) fn predict6(from: [&[f64]; 6], elapsed: &[f64], to: [&mut [f64]; 3]) {
    launch(Level::usual(), Prediction { from, elapsed, to });
}

/// Of one axis, with the vectors of the machine: from so many derivatives, so many of them later.
struct Prediction<'a, const FROM: usize, const TO: usize> {
    from: [&'a [f64]; FROM],
    elapsed: &'a [f64],
    to: [&'a mut [f64]; TO],
}

impl Kernel<f64> for Prediction<'_, 4, 2> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(self, _token: V::Token) {
        let n = self.elapsed.len();
        let ([d0, d1, d2, d3], [x, v]) = (self.from, self.to);
        let ([d0, d1, d2, d3], [x, v]) = ([&d0[..n], &d1[..n], &d2[..n], &d3[..n]], [&mut x[..n], &mut v[..n]]);
        for (k, t) in self.elapsed.iter().enumerate() {
            x[k] = d0[k] + t * (d1[k] + t * 0.5 * (d2[k] + t * (1.0 / 3.0) * d3[k]));
            v[k] = d1[k] + t * (d2[k] + t * 0.5 * d3[k]);
        }
    }
}

impl Kernel<f64> for Prediction<'_, 6, 3> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(self, _token: V::Token) {
        let n = self.elapsed.len();
        let ([d0, d1, d2, d3, d4, d5], [x, v, a]) = (self.from, self.to);
        let ([d0, d1, d2], [d3, d4, d5]) = ([&d0[..n], &d1[..n], &d2[..n]], [&d3[..n], &d4[..n], &d5[..n]]);
        let [x, v, a] = [&mut x[..n], &mut v[..n], &mut a[..n]];
        for (k, t) in self.elapsed.iter().enumerate() {
            let (half, third, fourth, fifth) = (t * 0.5, t * (1.0 / 3.0), t * 0.25, t * 0.2);
            x[k] = d0[k] + t * (d1[k] + half * (d2[k] + third * (d3[k] + fourth * (d4[k] + fifth * d5[k]))));
            v[k] = d1[k] + t * (d2[k] + half * (d3[k] + third * (d4[k] + fourth * d5[k])));
            a[k] = d2[k] + t * (d3[k] + half * (d4[k] + third * d5[k]));
        }
    }
}

impl Scheme {
    /// The derivatives of a body where its step began.
    pub(super) fn gather(&self, derivatives: &[[Vec<f64>; AXES]], i: usize) -> [Vector; 6] {
        let mut gathered = [[0.0; AXES]; 6];
        for (to, from) in gathered.iter_mut().zip(derivatives) {
            *to = [from[0][i], from[1][i], from[2][i]];
        }
        gathered
    }

    /// A body after a step t, from where it began, the length of the step before (of three points; 0 where it is the first), and what was found at its
    /// end, in row k.
    pub(super) fn corrected(&self, begin: &[Vector; 6], before: f64, found: &Derivatives, k: usize, t: f64) -> End {
        let at = |columns: &[Vec<f64>; AXES]| [columns[0][k], columns[1][k], columns[2][k]];
        let (a, j) = (at(&found.a), at(&found.j));
        match self.order {
            HermiteOrder::Fourth => fourth(begin, a, j, t),
            HermiteOrder::Sixth => sixth(begin, a, j, at(&found.s), t),
            HermiteOrder::ThreePoint if before == 0.0 => fourth(begin, a, j, t),
            HermiteOrder::ThreePoint => of_three_points(begin, before / t, a, j, t),
        }
    }

    /// The square of the ratio of the required step to the present one.
    pub(super) fn required_squared(&self, end: &End) -> f64 {
        let length2 = |of: &Vector| of.iter().map(|q| q * q).sum::<f64>();
        let square = |k: usize| length2(&end.scaled[k]);
        let a2 = |k: usize| (square(k - 1) * square(k + 1)).sqrt() + square(k);
        if !end.is_of_order_6 {
            let eta = self.eta * (HermiteOrder::Fourth.default_eta() / self.order.default_eta());
            return eta * eta * (a2(1) / a2(2));
        }
        let asked = self.eta * self.eta * (a2(1) / a2(4)).cbrt();
        if !self.is_rounded {
            return asked;
        }
        asked.max((LEAST * self.eta).powi(2) * changes([square(0), square(1), length2(&end.snap)]))
    }

    /// The same for a first step, of which nothing is known but the acceleration, the jerk and perhaps the snap:
    /// eta |a| / |j|, or eta |j| / |s| where that is less, but a quarter of eta_start min(|a| / |j|, (|a| / |s|)^(1/2)) at least: where
    /// bodies begin at rest beside others, without a jerk, the criterion would find at the end of a shorter step what rounding leaves, and
    /// would not make the next one longer.
    pub(super) fn first_squared(&self, known: &[Vector; 6], dt: f64) -> f64 {
        let square = |m: usize| known[m].iter().map(|q| q * q).sum::<f64>();
        let [a, j, s] = [2, 3, 4].map(square);
        // 0 / 0 where bodies are alone: the larger of a number and NaN is the number
        let ratio = (a / j).min(j / s).max(changes([a, j, s]) / 16.0);
        self.eta_start * self.eta_start * ratio / (dt * dt)
    }
}

/// The square of the time in which an acceleration changes, min(|a| / |j|, (|a| / |s|)^(1/2)), from the squares of these.
fn changes([a, j, s]: [f64; 3]) -> f64 {
    // 0 / 0 where bodies are alone: the larger of a number and NaN is the number
    (a / j).min((a / s).sqrt())
}

fn fourth(begin: &[Vector; 6], a1: Vector, j1: Vector, t: f64) -> End {
    let [x0, v0, a0, j0, ..] = begin;
    let mut end =
        End { derivatives: [[0.0; AXES]; 6], scaled: [[0.0; AXES]; 6], snap: [0.0; AXES], is_of_order_6: false };
    let (half, twelfth) = (0.5 * t, t * t * (1.0 / 12.0));
    let [per2, per3] = per_square_and_cube(t);
    for q in 0..AXES {
        let v = v0[q] + half * (a0[q] + a1[q]) + twelfth * (j0[q] - j1[q]);
        let x = x0[q] + half * (v0[q] + v) + twelfth * (a0[q] - a1[q]);
        let (low, high) = (t * j0[q], t * j1[q]);
        let [snap, crackle] = of_cubic(a0[q] - a1[q], low, high);
        // (order 4 carries four of these)
        for (to, value) in end.derivatives.iter_mut().zip([x, v, a1[q], j1[q], snap * per2, crackle * per3]) {
            to[q] = value;
        }
        for (to, value) in end.scaled.iter_mut().zip([a1[q], high, snap, crackle]) {
            to[q] = value;
        }
    }
    end
}

/// The second and third derivative, at its end, of the cubic through a0, j0, a1, j1, in units of the step: from a0 - a1 and the slopes at both ends.
pub(super) fn of_cubic(drop: f64, low: f64, high: f64) -> [f64; 2] {
    let crackle = 12.0 * drop + 6.0 * (low + high);
    [-6.0 * drop - (4.0 * low + 2.0 * high) + crackle, crackle]
}

/// 1 / t^2 and 1 / t^3; 0 where there is no step.
fn per_square_and_cube(t: f64) -> [f64; 2] {
    if t > 0.0 { [1.0 / (t * t), 1.0 / (t * t * t)] } else { [0.0; 2] }
}

/// In u = time / t from the beginning on, with the step before from u = -r to 0: the acceleration is P + u^2 (u + r)^2 (alpha + beta u), P being
/// the cubic through a and j at -r and 0, which `begin` has. Both are as a1 and j1 ask for at u = 1.
pub(super) fn of_three_points(begin: &[Vector; 6], r: f64, a1: Vector, j1: Vector, t: f64) -> End {
    let [x0, v0, a0, j0, s0, c0] = begin;
    let mut end =
        End { derivatives: [[0.0; AXES]; 6], scaled: [[0.0; AXES]; 6], snap: [0.0; AXES], is_of_order_6: true };
    // of w(u) = u^2 (u + r)^2 and of u w(u): integrals from 0 to 1, also times 1 - u
    let of_w = [1.0 / 5.0 + r * (1.0 / 2.0 + r * (1.0 / 3.0)), 1.0 / 6.0 + r * (2.0 / 5.0 + r * (1.0 / 4.0))];
    let falling = [1.0 / 30.0 + r * (1.0 / 10.0 + r * (1.0 / 12.0)), 1.0 / 42.0 + r * (1.0 / 15.0 + r * (1.0 / 20.0))];
    // w(1) and w'(1)
    let all = 1.0 + r;
    let (value, slope) = (all * all, 2.0 * all * (all + 1.0));
    let [per2, per3] = per_square_and_cube(t);
    for q in 0..AXES {
        let (b, c) = (s0[q] * (t * t) * 0.5, c0[q] * (t * t * t) * (1.0 / 6.0));
        let (low, high) = (t * j0[q], t * j1[q]);
        // what P lacks at u = 1
        let (rest, rest_slope) = (a1[q] - (a0[q] + low + b + c), high - (low + 2.0 * b + 3.0 * c));
        let sum = rest / value;
        let beta = (rest_slope - slope * sum) / value;
        let alpha = sum - beta;
        let mean = a0[q] + low * 0.5 + b * (1.0 / 3.0) + c * 0.25 + alpha * of_w[0] + beta * of_w[1];
        let falls =
            a0[q] * 0.5 + low * (1.0 / 6.0) + b * (1.0 / 12.0) + c * 0.05 + alpha * falling[0] + beta * falling[1];
        let (v, x) = (v0[q] + t * mean, x0[q] + t * (v0[q] + t * falls));
        // the quintic's coefficients from the second on, and its derivatives at u = 1
        let [c2, c3, c4, c5] = [b + alpha * (r * r), c + r * (2.0 * alpha + beta * r), alpha + 2.0 * r * beta, beta];
        let second = 2.0 * c2 + 6.0 * c3 + 12.0 * c4 + 20.0 * c5;
        let third = 6.0 * c3 + 24.0 * c4 + 60.0 * c5;
        let (fourth, fifth) = (24.0 * c4 + 120.0 * c5, 120.0 * c5);
        let [snap, crackle] = of_cubic(a0[q] - a1[q], low, high);
        for (to, value) in end.derivatives.iter_mut().zip([x, v, a1[q], j1[q], snap * per2, crackle * per3]) {
            to[q] = value;
        }
        for (to, value) in end.scaled.iter_mut().zip([a1[q], high, second, third, fourth, fifth]) {
            to[q] = value;
        }
        end.snap[q] = high - low;
    }
    end
}

fn sixth(begin: &[Vector; 6], a1: Vector, j1: Vector, s1: Vector, t: f64) -> End {
    let [x0, v0, a0, j0, s0, _] = begin;
    let mut end =
        End { derivatives: [[0.0; AXES]; 6], scaled: [[0.0; AXES]; 6], snap: [0.0; AXES], is_of_order_6: true };
    let (half, tenth, last) = (0.5 * t, t * t * 0.1, t * t * t * (1.0 / 120.0));
    for q in 0..AXES {
        let v = v0[q] + half * (a0[q] + a1[q]) + tenth * (j0[q] - j1[q]) + last * (s0[q] + s1[q]);
        let x = x0[q] + half * (v0[q] + v) + tenth * (a0[q] - a1[q]) + last * (j0[q] + j1[q]);
        // the quintic through a, j and s at both ends, in u = time / t from the end on backwards: p(u) with
        // p(0) = a1, p'(0) = j1 t, p''(0) = s1 t^2, and the same at u = -1
        let (low, high) = (t * j0[q], t * j1[q]);
        let (low2, high2) = (t * t * s0[q], t * t * s1[q]);
        // what the first three terms leave at u = -1, of the value, the slope and the curvature
        let r0 = a0[q] - (a1[q] - high + 0.5 * high2);
        let r1 = low - (high - high2);
        let r2 = low2 - high2;
        // -c3 + c4 - c5 = r0, 3 c3 - 4 c4 + 5 c5 = r1, -6 c3 + 12 c4 - 20 c5 = r2
        let c5 = -6.0 * r0 - 3.0 * r1 - 0.5 * r2;
        let c4 = -15.0 * r0 - 7.0 * r1 - r2;
        let c3 = c4 - c5 - r0;
        let [third, fourth, fifth] = [6.0 * c3, 24.0 * c4, 120.0 * c5];
        let crackle = if t > 0.0 { third / (t * t * t) } else { 0.0 };
        for (to, value) in end.derivatives.iter_mut().zip([x, v, a1[q], j1[q], s1[q], crackle]) {
            to[q] = value;
        }
        for (to, value) in end.scaled.iter_mut().zip([a1[q], high, high2, third, fourth, fifth]) {
            to[q] = value;
        }
        end.snap[q] = high2;
    }
    end
}
