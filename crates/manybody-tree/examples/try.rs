//! Error and time of the solver.
use manybody_law::simd::{Element, Level};
use manybody_pairwise::{Bodies, ForceTerms, Forces, Gravity, Solver, reference_at};
use manybody_tree::{Accuracy, Fmm, Opening, Sinks};
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let n = 1_usize << args[1].parse::<u32>().unwrap();
    let order = args[2].parse().unwrap();
    let tolerance = args[3].parse().unwrap();
    let leaf = args[4].parse().unwrap();
    let double = args.get(5).is_some_and(|a| a == "f64");
    let accuracy = Accuracy { order, opening: Opening::Error(tolerance), leaf };
    if double { go::<f64>(n, accuracy) } else { go::<f32>(n, accuracy) }
}

fn go<T: Element>(n: usize, accuracy: Accuracy) {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut bodies = Bodies::default();
    for k in 0..n {
        let u: f64 = random() * 0.999;
        let r = 0.589 / (u.powf(-2.0 / 3.0) - 1.0).sqrt();
        let c = 2.0 * random() - 1.0;
        let ph = 6.283185307179586 * random();
        let q = (1.0 - c * c).sqrt();
        bodies.x.push(r * q * ph.cos());
        bodies.y.push(r * q * ph.sin());
        bodies.z.push(r * c);
        for v in [&mut bodies.vx, &mut bodies.vy, &mut bodies.vz] {
            v.push(0.0);
        }
        bodies.mass.push(1.0 / n as f64);
        bodies.id.push(k as u64);
    }
    let gravity = Gravity { g: 1.0, eps: std::env::var("EPS").map_or(0.0, |e| e.parse().unwrap()) };
    let potential = std::env::var_os("POT").is_some();
    let want = ForceTerms { potential, jerk: false };
    let mut solver = Fmm::<T>::new(
        Level::from_env().unwrap(),
        accuracy,
        if std::env::var_os("TREE").is_some() { Sinks::Leaves } else { Sinks::Cells },
    );
    let mut out = Forces::default();
    let mut best = f64::INFINITY;
    for _ in 0..std::env::var("REP").map_or(3, |e| e.parse().unwrap()) {
        let t = Instant::now();
        solver.forces(&bodies, &gravity, want, &mut out).unwrap();
        best = best.min(t.elapsed().as_secs_f64());
    }
    let sample: Vec<usize> = (0..1024.min(n)).map(|k| (k * 2_654_435_761 + 12345) % n).collect();
    let mut errors: Vec<f64> = Vec::new();
    let mut pots: Vec<f64> = Vec::new();
    let mut worst: Vec<(f64, f64, f64)> = Vec::new();
    for (k, exact) in sample.iter().map(|k| (k, reference_at(&bodies, &gravity, *k))) {
        let a = out.acceleration(*k);
        let e = exact.acc;
        let d: f64 = (0..3).map(|k| (a[k] - e[k]).powi(2)).sum();
        errors.push((d / e.iter().map(|e| e * e).sum::<f64>()).sqrt());
        let r = (bodies.x[*k].powi(2) + bodies.y[*k].powi(2) + bodies.z[*k].powi(2)).sqrt();
        worst.push((errors[errors.len() - 1], r, e.iter().map(|e| e * e).sum::<f64>().sqrt()));
        if potential {
            pots.push(((out.pot[*k] - exact.pot) / exact.pot).abs());
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    if std::env::var_os("WORST").is_some() {
        for w in &worst[..12] {
            println!("error {:.1e} r {:.3} a {:.3}", w.0, w.1, w.2);
        }
    }
    errors.sort_by(f64::total_cmp);
    pots.sort_by(f64::total_cmp);
    let sum: f64 = [&out.ax, &out.ay, &out.az]
        .iter()
        .map(|a| a.iter().zip(&bodies.mass).map(|(a, m)| a * m).sum::<f64>().powi(2))
        .sum::<f64>()
        .sqrt();
    let size: f64 =
        (0..n).map(|k| bodies.mass[k] * out.acceleration(k).iter().map(|a| a * a).sum::<f64>().sqrt()).sum();
    let at = |q: f64| errors[((errors.len() as f64 * q) as usize).min(errors.len() - 1)];
    println!(
        "n {n} {accuracy:?}: {:.1} ms; median {:.1e} p99 {:.1e} p99.9 {:.1e} max {:.1e}; momentum {:.1e} pot p99 {:?}",
        best * 1e3,
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0),
        sum / size,
        pots.get(pots.len() * 99 / 100)
    );
}
