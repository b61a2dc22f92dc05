//! Gravity, and how its sums and places are kept.

use super::cases::{SIZES, cases, check, columns, random, slices};
use super::common;
use manybody::Bodies;
use manybody::law::{self, Law, PairInputs, oracle};
use manybody::solver::{Device, ForceTerms, Forces, Gravity, Precision, Softening, Solver, Summation};
use manybody_gpu::cuda::{Cuda, CudaEvaluator};
use manybody_gpu::wgpu::{Wgpu, WgpuEvaluator};
use manybody_gpu::{Evaluator, Pairs};

#[test]
fn gravity() {
    check::<law::Gravity>(4, &[0.01], &SIZES);
}

/// Sizes that only a real GPU computes in a test's time: several rounds, launches and axes of groups. A few bodies are
/// compared, the first and last of them among them. 16 million bodies take minutes: MANYBODY_LARGE=1 asks for them.
#[test]
fn many_bodies() {
    let large = std::env::var_os("MANYBODY_LARGE").is_some();
    let law = Law::of::<law::Gravity>().unwrap();
    for case in cases().into_iter().filter(|case| case.subgroups.is_none()) {
        if case.device == Device::Wgpu && Wgpu::open().is_ok_and(|wgpu| wgpu.is_software()) {
            println!("skipped: {}: many bodies, no GPU", case.name);
            continue;
        }
        let mut evaluator = case.evaluator(&law);
        for n in [65_537, 1_000_003, 16_000_001] {
            let slow = case.pairs == Pairs::Ordered || case.precision == Precision::F64;
            if n > 2_000_000 && (!large || slow) || n > 100_000 && case.tiled {
                println!("skipped: {}: {n} bodies", case.name);
                continue;
            }
            let data = columns(4, n, 7);
            let data = slices(&data);
            let found = evaluator.evaluate(&PairInputs::one(&data, &[0.01])).unwrap();
            let some: Vec<usize> = (0..16).map(|k| k * (n - 1) / 15).collect();
            let of = |column: &[f64]| -> Vec<f64> { some.iter().map(|b| column[*b]).collect() };
            let (found, bodies): (Vec<_>, Vec<_>) =
                (found.iter().map(|c| of(c)).collect(), data.iter().map(|c| of(c)).collect());
            // a body meets itself here, at no distance: softened, that is no force
            let want = oracle::<law::Gravity>(&PairInputs::two(&slices(&bodies), &data, &[0.01])).unwrap();
            case.agree(&format!("{n} bodies"), &found, &want);
        }
    }
}

#[test]
fn gravity_with_potential_and_softenings() {
    check::<law::SoftGravityPot>(5, &[0.0], &[1, 33, 513, 1000]);
}

#[test]
fn gravity_with_the_spline_softening() {
    check::<law::SplineGravity>(4, &[0.1], &[1, 33, 1000]);
    check::<law::SoftSplineGravityPot>(5, &[0.0], &[2, 513]);
    check::<law::SplineGravityJerk>(7, &[0.1], &[2, 129, 1000]);
}

#[test]
fn gravity_with_jerk() {
    check::<law::GravityJerk>(7, &[0.01], &[2, 129, 1000]);
}

#[test]
fn two_sets() {
    let law = Law::of::<law::GravityPot>().unwrap();
    for case in cases().into_iter().filter(|c| c.pairs == Pairs::Ordered) {
        let mut evaluator = case.evaluator(&law);
        for (ni, nj) in [(0, 5), (5, 0), (1, 1), (1, 1000), (1000, 1), (33, 700), (257, 64)] {
            let (i, j) = (columns(4, ni, 1), columns(4, nj, 2));
            let (i, j) = (slices(&i), slices(&j));
            let inputs = PairInputs::two(&i, &j, &[0.05]);
            let found = evaluator.evaluate(&inputs).unwrap();
            case.agree(&format!("{ni} x {nj}"), &found, &oracle::<law::GravityPot>(&inputs).unwrap());
        }
    }
}

#[test]
fn what_is_the_same_for_all_costs_nothing_and_changes_nothing() {
    let law = Law::of::<law::Gravity>().unwrap();
    for case in cases() {
        let mut data = columns(4, 600, 3);
        data[3].fill(0.001);
        let data = slices(&data);
        let inputs = PairInputs::one(&data, &[0.01]);
        let found = case.evaluator(&law).evaluate(&inputs).unwrap();
        case.agree("equal masses", &found, &oracle::<law::Gravity>(&inputs).unwrap());
    }
}

/// Partial sums that a float holds exactly, and a total that it does not: what gathering loses to rounding is kept, also
/// by compilers that think they know better.
#[test]
fn sums_are_gathered_exactly() {
    let law = Law::parse("body w, x; sum s = j.w + 0 * (j.x - i.x); self include").unwrap();
    // in slots of at most 832 bodies (one-sided) and one slot a round (mirrored) that is below 2^24
    let n = 20_000;
    let w: Vec<f64> = (0..n).map(|b| f64::from(20_001 + b % 2)).collect();
    let x = random(n as usize, 5);
    let total: f64 = w.iter().sum();
    for case in cases().into_iter().filter(|case| case.precision == Precision::F32) {
        let found = case.evaluator(&law).evaluate(&PairInputs::one(&[&w, &x], &[])).unwrap();
        assert_eq!(found[0][n as usize / 2], total, "{}", case.name);
    }
}

/// A system shifted by a million of its radii: two floats a coordinate hold it to 4e-9 of the radius, and differences to
/// rounding, where one float holds it to 0.06. The bar is a median error of 1e-7 of the rms force.
#[test]
fn mixed_precision_serves_far_from_the_origin() {
    let law = Law::of::<law::Gravity>().unwrap();
    let n = 1500;
    let mut data = columns(4, n, 11);
    data[..3].iter_mut().flatten().for_each(|x| *x = *x / 3.0 + 1e6 / 7.0);
    let data = slices(&data);
    let inputs = PairInputs::one(&data, &[1e-3]);
    let want = oracle::<law::Gravity>(&inputs).unwrap();
    let rms = (want.iter().flatten().map(|a| a * a).sum::<f64>() / n as f64).sqrt();
    for case in cases().into_iter().filter(|c| c.precision == Precision::F32 && c.subgroups.is_none() && !c.tiled) {
        let mut mixed: Box<dyn Evaluator> = match case.device {
            Device::Cuda => {
                Box::new(CudaEvaluator::<f32>::new(Cuda::open(0).unwrap(), &law, case.pairs).mixed().unwrap())
            }
            _ => Box::new(WgpuEvaluator::new(Wgpu::open().unwrap(), &law, case.pairs).mixed().unwrap()),
        };
        let found = mixed.evaluate(&inputs).unwrap();
        let off = |b: usize| (0..3).map(|k| (found[k][b] - want[k][b]).powi(2)).sum::<f64>().sqrt() / rms;
        let mut errors: Vec<f64> = (0..n).map(off).collect();
        errors.sort_by(f64::total_cmp);
        println!("{}, mixed: median {:.1e}, largest {:.1e}", case.name, errors[n / 2], errors[n - 1]);
        assert!(errors[n / 2] < 1e-7 && errors[n - 1] < 2e-6, "{}: {errors:?}", case.name);
    }
}

/// Through the solver that runs use: coincident bodies, massless bodies, mass ratios, far from the origin, SI units.
#[test]
fn gravity_on_the_edges() {
    let mut bodies = Bodies::default();
    let q = random(300 * 3, 5);
    for i in 0..300 {
        let mass = [1.0, 0.0, 1e-12, 1e-3][i % 4];
        bodies.push(mass, [q[3 * i], q[3 * i + 1], q[3 * i + 2]], [0.0; 3]);
    }
    // without softening two bodies at one place have a potential of minus infinity, so that case is without these
    let apart = bodies.clone();
    let device_map = bodies.position(0);
    bodies.push(1.0, device_map, [0.0; 3]);
    let mut far = bodies.clone();
    far.x.iter_mut().for_each(|x| *x += 1048576.0);
    let mut si = bodies.clone();
    [&mut si.x, &mut si.y, &mut si.z].into_iter().flatten().for_each(|x| *x *= 1e16);
    si.mass.iter_mut().for_each(|m| *m *= 2e30);
    let spline = |g: f64, eps: f64| Gravity::new(g, eps).softened(Softening::Spline);
    let mut soft = apart.clone();
    soft.eps = Some((0..soft.len()).map(|i| 0.01 * (i % 5) as f64).collect());
    for case in cases().into_iter().filter(|c| c.subgroups.is_none() && !c.tiled) {
        let name = if case.pairs == Pairs::Once { "symmetric" } else { "direct" };
        let mut solver = common::solver(case.device, &[], name, case.precision, Summation::default()).unwrap();
        for (what, bodies, gravity) in [
            ("near", &bodies, Gravity::new(1.0, 0.05)),
            ("no softening", &apart, Gravity::new(1.0, 0.0)),
            ("far", &far, Gravity::new(1.0, 0.05)),
            ("SI", &si, Gravity::new(6.6743e-11, 5e14)),
            ("own softenings", &soft, Gravity::new(1.0, 0.0)),
            ("spline", &bodies, spline(1.0, 0.2)),
            ("spline, no softening", &apart, spline(1.0, 0.0)),
            ("spline, far", &far, spline(1.0, 0.2)),
            ("spline, SI", &si, spline(6.6743e-11, 2e15)),
            ("spline, own softenings", &soft, spline(1.0, 0.0)),
        ] {
            let want = ForceTerms { potential: true, jerk: false };
            let (mut found, mut right) = (Forces::default(), Forces::default());
            solver.forces(bodies, &gravity, want, &mut found).unwrap();
            manybody::solver::Reference::default().forces(bodies, &gravity, want, &mut right).unwrap();
            let columns = |f: &Forces| vec![f.ax.clone(), f.ay.clone(), f.az.clone(), f.pot.clone()];
            case.agree(what, &columns(&found), &columns(&right));
        }
    }
}
