use super::super::{
    AccJerkPot, AccJerkSnapPot, AccPot, AcceleratedStar, Eps2, GravityJerk, GravityPot, GravitySnap, MovingStar,
    PairLaw, Star, Sum, sub3,
};
use super::*;

/// f and its first two derivatives along x(t) = 0.7 + 0.3 t + 0.1 t^2, at t = 0, against differences of f itself.
fn against_differences(name: &str, f: impl Fn(f64) -> f64, dual: Dual<f64>, taylor: Taylor2<f64>) {
    let x = |t: f64| 0.7 + 0.3 * t + 0.1 * t * t;
    // fourth-order central differences with h = 1e-2: truncation h^4 f^(5)/30 and h^4 f^(6)/90, below 1e-8 times
    // derivatives that reach about 1e3 here (1/x^7)
    let h = 1e-2;
    let at = |k: f64| f(x(k * h));
    let d = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
    let dd = (16.0 * (at(1.0) + at(-1.0)) - (at(2.0) + at(-2.0)) - 30.0 * at(0.0)) / (12.0 * h * h);
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + b.abs());
    assert_eq!(dual.v, taylor.v, "{name}: value");
    assert!((dual.v - at(0.0)).abs() <= 4.0 * f64::EPSILON * at(0.0).abs(), "{name}: {} {}", dual.v, at(0.0));
    assert!(close(dual.rate(), d), "{name}: first derivative {} {d}", dual.rate());
    assert!(close(taylor.rates()[0], d), "{name}: first derivative of Taylor2 {} {d}", taylor.rates()[0]);
    assert!(close(taylor.rates()[1], dd), "{name}: second derivative {} {dd}", taylor.rates()[1]);
}

macro_rules! every_operation {
    ($($name:ident: |$x:ident| $f:expr;)*) => { $({
        fn $name<R: Real>($x: R) -> R { $f }
        against_differences(
            stringify!($name),
            $name::<f64>,
            $name(Dual::moving(0.7, 0.3)),
            $name(Taylor2::moving(0.7, 0.3, 0.2)),
        );
    })* };
}

#[test]
fn every_operation_has_its_derivatives() {
    every_operation! {
        add: |x| x + x * x;
        sub: |x| x.lit(2.0) - x * x;
        neg: |x| -(x * x * x);
        mul: |x| x * (x + x.lit(1.0));
        div: |x| x.lit(3.0) / (x * x);
        fma: |x| x.fma(x * x, x);
        fnma: |x| x.fnma(x * x, x);
        sqrt: |x| x.sqrt();
        rsqrt: |x| x.rsqrt();
        rsqrt3: |x| x.rsqrt3();
        recip: |x| x.recip();
        exp: |x| x.exp();
        ln: |x| x.ln();
        exp_m1: |x| x.exp_m1();
        ln_1p: |x| x.ln_1p();
        sin: |x| x.sin();
        cos: |x| x.cos();
        abs: |x| (-x).abs();
        min: |x| (x * x).min(x);
        max: |x| (x * x).max(x);
        powi: |x| x.powi(7);
        select: |x| R::select(x.lt(x.lit(0.5)), x, x.sin());
        round: |x| x * (x * x.lit(4.0)).round();
    }
}

#[test]
fn what_is_constant_stays_constant() {
    let c = Dual::fixed(2.0);
    assert!((c * c + c.lit(1.0)).rsqrt().d.is_none());
    assert!(Dual::select(true, c, c.exp()).d.is_none());
    let c = Taylor2::fixed(2.0);
    let f = (c * c + c.lit(1.0)).ln();
    assert!(f.d.is_none() && f.dd.is_none());
}

fn star(b: &MovingStar<f64>) -> Star<Dual<f64>> {
    Star { x: std::array::from_fn(|k| Dual::moving(b.x[k], b.v[k])), m: Dual::fixed(b.m) }
}

/// The jerk from the law of the acceleration, differentiated, is the jerk of the hand formula.
#[test]
fn jerk_from_the_acceleration() {
    let i = MovingStar { x: [0.1, 0.3, -0.2], v: [0.3, 0.1, 0.4], m: 1.5 };
    let par = Eps2 { eps2: 1e-2 };
    for (x, v) in
        [([0.7, -0.4, 0.2], [-0.2, 0.5, 0.1]), ([0.1, 0.3, -0.2], [1.0, 0.0, 0.0]), ([1e3, 0.0, 1.0], [0.0; 3])]
    {
        let j = MovingStar { x, v, m: 0.8 };
        let mut hand = AccJerkPot { a: [Sum(0.0); 3], j: [Sum(0.0); 3], pot: Sum(0.0) };
        GravityJerk::pair(&i, &j, &par, &mut hand);
        let zero = Sum(Dual::fixed(0.0));
        let mut dual = AccPot { a: [zero; 3], pot: zero };
        GravityPot::pair(&star(&i), &star(&j), &Eps2 { eps2: Dual::fixed(par.eps2) }, &mut dual);
        // a dozen roundings of terms no larger than |v| s^-3 and 3 |v| s^-3
        let size = 0.8 * 3.0 * v.iter().map(|v: &f64| v.abs()).sum::<f64>() / 1e-3;
        for k in 0..3 {
            assert_eq!(dual.a[k].0.v, hand.a[k].0);
            let error = (dual.a[k].0.rate() - hand.j[k].0).abs();
            assert!(error <= 16.0 * f64::EPSILON * size, "{} {}", dual.a[k].0.rate(), hand.j[k].0);
        }
        assert_eq!(dual.pot.0.v, hand.pot.0);
    }
}

/// The snap from the acceleration's law, differentiated twice, is the snap of the hand formula; and so are acceleration,
/// jerk and potential.
#[test]
fn snap_from_the_acceleration() {
    let taylor = |b: &AcceleratedStar<f64>| Star {
        x: std::array::from_fn(|k| Taylor2::moving(b.x[k], b.v[k], b.acc[k])),
        m: Taylor2::fixed(b.m),
    };
    let i = AcceleratedStar { x: [0.1, 0.3, -0.2], v: [0.3, 0.1, 0.4], acc: [0.2, -0.7, 0.5], m: 1.5 };
    for (x, v, a) in [
        ([0.7, -0.4, 0.2], [-0.2, 0.5, 0.1], [-0.1, 0.4, 0.3]),
        ([0.1, 0.3, -0.2], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]),
        ([1e3, 0.0, 1.0], [0.0; 3], [0.5, 0.0, 0.0]),
        ([0.2, 0.4, -0.1], [2.0, -1.0, 0.5], [0.0; 3]),
    ] {
        let j = AcceleratedStar { x, v, acc: a, m: 0.8 };
        let eps2 = 1e-2;
        let zero = Sum(0.0);
        let mut hand = AccJerkSnapPot { a: [zero; 3], j: [zero; 3], s: [zero; 3], pot: zero };
        GravitySnap::pair(&i, &j, &Eps2 { eps2 }, &mut hand);
        let zero = Sum(Taylor2::fixed(0.0));
        let mut dual = AccPot { a: [zero; 3], pot: zero };
        GravityPot::pair(&taylor(&i), &taylor(&j), &Eps2 { eps2: Taylor2::fixed(eps2) }, &mut dual);
        // two dozen roundings of terms that are at most m / s^3 times 1, |w| and |c| + 18 |w|^2 / s, each over
        // s >= 0.1; |r| <= s
        let norm = |u: [f64; 3], v: [f64; 3]| sub3(u, v).iter().map(|q| q * q).sum::<f64>().sqrt();
        let (w, c) = (norm(v, i.v), norm(a, i.acc));
        let s = (norm(x, i.x).powi(2) + eps2).sqrt();
        let f = 0.8 / s.powi(3);
        let bound = |size: f64| 24.0 * f64::EPSILON * size;
        for k in 0..3 {
            let Taylor2 { v: acc, .. } = dual.a[k].0;
            let [jerk, snap] = dual.a[k].0.rates();
            assert!((acc - hand.a[k].0).abs() <= bound(f * s), "{acc} {}", hand.a[k].0);
            assert!((jerk - hand.j[k].0).abs() <= bound(4.0 * f * w), "{jerk} {}", hand.j[k].0);
            let size = f * (4.0 * c + 24.0 * w * w / s);
            assert!((snap - hand.s[k].0).abs() <= bound(size), "{snap} {} {size:e}", hand.s[k].0);
        }
        assert!((dual.pot.0.v - hand.pot.0).abs() <= bound(0.8 / s));
    }
}

/// Along an orbit of two bodies the snap is the second derivative of the acceleration: differences of an ellipse.
#[test]
fn snap_along_an_orbit() {
    // r(t) of the relative motion with unit mass, a = 1, e = 0.5, by Kepler's equation
    let place = |t: f64| {
        let mut u = t;
        (0..60).for_each(|_| u -= (u - 0.5 * u.sin() - t) / (1.0 - 0.5 * u.cos()));
        [u.cos() - 0.5, 0.75f64.sqrt() * u.sin(), 0.0]
    };
    let (t, h) = (1.0, 1e-2);
    let acc = |t: f64| {
        let x = place(t);
        let r3 = (x[0] * x[0] + x[1] * x[1]).powf(1.5);
        x.map(|q| -q / r3)
    };
    // second derivatives by sixth-order differences: truncation h^6 f^(8) / 560 < 1e-9 here, rounding 1e-16 / h^2
    let second = |f: &dyn Fn(f64) -> [f64; 3], k: usize| {
        let at = |m: f64| f(t + m * h)[k];
        let w = [-49.0 / 18.0, 1.5, -0.15, 1.0 / 90.0];
        let sum: f64 = (1..4).map(|m| w[m] * (at(m as f64) + at(-(m as f64)))).sum();
        (sum + w[0] * at(0.0)) / (h * h)
    };
    let first = |f: &dyn Fn(f64) -> [f64; 3], k: usize| {
        let at = |m: f64| f(t + m * h)[k] - f(t - m * h)[k];
        (0.75 * at(1.0) - 0.15 * at(2.0) + at(3.0) / 60.0) / h
    };
    let zero = Sum(0.0);
    let star = AcceleratedStar { x: place(t), v: std::array::from_fn(|k| first(&place, k)), acc: acc(t), m: 0.0 };
    let rest = AcceleratedStar { x: [0.0; 3], v: [0.0; 3], acc: [0.0; 3], m: 1.0 };
    let mut out = AccJerkSnapPot { a: [zero; 3], j: [zero; 3], s: [zero; 3], pot: zero };
    GravitySnap::pair(&star, &rest, &Eps2 { eps2: 0.0 }, &mut out);
    for k in 0..3 {
        assert!((out.j[k].0 - first(&acc, k)).abs() < 1e-8, "{k}: {} {}", out.j[k].0, first(&acc, k));
        assert!((out.s[k].0 - second(&acc, k)).abs() < 1e-8, "{k}: {} {}", out.s[k].0, second(&acc, k));
    }
}
