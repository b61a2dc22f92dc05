//! One suite for every device that is here: laws, pairs and sizes against the f64 oracle.
//!
//! On a machine without a GPU this runs on Mesa's lavapipe, if it is installed; what is skipped is printed.

#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use manybody::law::bounds::Rounding;
use manybody::law::conformance::{EXTREMES, KINDS, NO_PARTNERS, alike, law_from_seed, ways, within_bounds};
use manybody::law::{self, Law, Lowering, PairInputs, PairLaw, oracle};
use manybody::solver::{Device, ForceTerms, Forces, Gravity, Precision, Solver, Summation};
use manybody::{Bodies, Error};
use manybody_gpu::cuda::{Cuda, CudaEvaluator};
use manybody_gpu::kernel_config::KernelConfig;
use manybody_gpu::wgpu::{Subgroups, Wgpu, WgpuEvaluator};
use manybody_gpu::{Evaluator, Pairs, evaluator};

/// A way to compute: a device with a number type, and a name for messages.
struct Case {
    name: String,
    device: Device,
    precision: Precision,
    pairs: Pairs,
    /// On wgpu: subgroups other than the adapter's own.
    subgroups: Option<Subgroups>,
    /// On cuda: the tiled one-sided kernel, which is not chosen for so few bodies.
    tiled: bool,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for device in common::kinds() {
        let precisions =
            if device == Device::Cuda { vec![Precision::F32, Precision::F64] } else { vec![Precision::F32] };
        for precision in precisions {
            for pairs in [Pairs::Ordered, Pairs::Once] {
                let name = format!("{device} {precision} {pairs:?}");
                cases.push(Case { name, device, precision, pairs, subgroups: None, tiled: false });
            }
        }
    }
    if cases.iter().any(|c| c.device == Device::Cuda) {
        for precision in [Precision::F32, Precision::F64] {
            let name = format!("cuda {precision} Ordered, tiled");
            let (device, pairs) = (Device::Cuda, Pairs::Ordered);
            cases.push(Case { name, device, precision, pairs, subgroups: None, tiled: true });
        }
    }
    if cases.iter().any(|c| c.device == Device::Wgpu) {
        for subgroups in [Subgroups::None, Subgroups::Any] {
            let name = format!("wgpu f32 Once, subgroups: {subgroups:?}");
            let (device, precision, pairs) = (Device::Wgpu, Precision::F32, Pairs::Once);
            // any width only where there are subgroups at all
            if subgroups == Subgroups::None || Wgpu::open().unwrap().subgroups() != Subgroups::None {
                cases.push(Case { name, device, precision, pairs, subgroups: Some(subgroups), tiled: false });
            }
        }
    }
    cases
}

impl Case {
    fn evaluator(&self, law: &Law) -> Box<dyn Evaluator> {
        if let Some(subgroups) = self.subgroups {
            let evaluator = WgpuEvaluator::new(Wgpu::open().unwrap(), law, self.pairs);
            return Box::new(evaluator.with_subgroups(subgroups));
        }
        if self.tiled {
            let shape = KernelConfig::Direct { per_thread: 2, threads: 64, unroll: 4, bag: 2, split: 0 };
            let cuda = Cuda::open(0).unwrap();
            return match self.precision {
                Precision::F32 => Box::new(CudaEvaluator::<f32>::new(cuda, law, self.pairs).with_shape(shape)),
                Precision::Mixed => {
                    Box::new(CudaEvaluator::<f32>::new(cuda, law, self.pairs).with_shape(shape).mixed().unwrap())
                }
                Precision::F64 => Box::new(CudaEvaluator::<f64>::new(cuda, law, self.pairs).with_shape(shape)),
            };
        }
        evaluator(self.device, &[], law, self.precision, self.pairs, None).unwrap()
    }

    /// Of the largest result of a column. A term has a dozen roundings of 6e-8 (f32; devices' roots and exponentials
    /// have two such) or 1e-16 (f64; the root 1e-14), and sums of up to 1024 terms add at most as many more, as a random
    /// walk a few; terms that cancel make the sum smaller than they are, ten times at these sizes.
    fn tolerance(&self) -> f64 {
        if self.precision == Precision::F64 { 2e-12 } else { 2e-5 }
    }

    fn agree(&self, what: &str, found: &[Vec<f64>], want: &[Vec<f64>]) {
        assert_eq!(found.len(), want.len(), "{}: {what}", self.name);
        for (k, (found, want)) in found.iter().zip(want).enumerate() {
            assert_eq!(found.len(), want.len(), "{}: {what}: result {k}", self.name);
            let top = want.iter().filter(|x| x.is_finite()).fold(1e-30_f64, |top, x| top.max(x.abs()));
            for (b, (x, y)) in found.iter().zip(want).enumerate() {
                let near = (x - y).abs() <= self.tolerance() * top || x == y;
                assert!(near, "{}: {what}: result {k} of body {b}: {x} where {y} is right", self.name);
            }
        }
    }
}

/// Random numbers in (-1, 1), the same everywhere.
fn random(n: usize, seed: u64) -> Vec<f64> {
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        // a float's number of bits, so that f32 reads the same bodies
        f64::from((s >> 40) as u32) / f64::from(1_u32 << 23) - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// Columns for a law: the last, a mass, is positive.
fn columns(numbers: usize, n: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> = (0..numbers).map(|k| random(n, seed + 31 * k as u64)).collect();
    columns[numbers - 1].iter_mut().for_each(|m| *m = 0.5 + 0.25 * *m);
    columns
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

const SIZES: [usize; 14] = [0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 511, 513, 1000, 2051];

fn check<L: PairLaw>(numbers: usize, par: &[f64], sizes: &[usize]) {
    let law = Law::of::<L>().unwrap();
    for case in cases() {
        let mut evaluator = case.evaluator(&law);
        for n in sizes {
            let data = columns(numbers, *n, 7);
            let data = slices(&data);
            let inputs = PairInputs::one(&data, par);
            let found = evaluator.evaluate(&inputs).unwrap();
            case.agree(&format!("{} of {n} bodies", law.name()), &found, &oracle::<L>(&inputs).unwrap());
            let again = evaluator.evaluate(&inputs).unwrap();
            assert_eq!(found, again, "{}: not the same bits twice", case.name);
        }
    }
}

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

#[test]
fn laws_as_text() {
    let texts = [
        (
            "body x[3]; id k; param r2; argmin near = dot(j.x - i.x, j.x - i.x), j.k; \
          count n = dot(j.x - i.x, j.x - i.x) < r2; self exclude",
            4,
            vec![0.1],
        ),
        (
            "body x, y; logsumexp s = -(i.x - j.x)^2; max m = sin(j.y) * i.x; min l = ln(abs(j.y) + 1) - i.y; self include",
            2,
            vec![],
        ),
        (
            "body x[2], q; id mol; sum f = i.q * j.q * exp(-dot(j.x - i.x, j.x - i.x)) when i.mol != j.mol; self exclude",
            4,
            vec![],
        ),
        (
            "body x[3]; sum a = cos(3 * sqrt(dot(j.x - i.x, j.x - i.x))); sum b = i.x[0] - j.x[1] / (2 + j.x[2]); self include",
            3,
            vec![],
        ),
        ("body x; sum s = i.x * j.x; self = i.x", 1, vec![]),
    ];
    for (text, numbers, par) in texts {
        let law = match Law::parse(text) {
            Ok(law) => law,
            Err(error) => panic!("{text}: {error}"),
        };
        for case in cases() {
            let mut evaluator = case.evaluator(&law);
            for n in [1_usize, 2, 65, 300] {
                let mut data = columns(numbers, n, 11);
                let ids = law.body().last().is_some_and(|f| f.cell == law::Cell::Id);
                if ids {
                    data[numbers - 1] = (0..n).map(|k| (k / if text.contains("mol") { 3 } else { 1 }) as f64).collect();
                }
                let data = slices(&data);
                let inputs = PairInputs::one(&data, &par);
                let found = evaluator.evaluate(&inputs).unwrap();
                case.agree(&format!("{text}, {n} bodies"), &found, &law.oracle(&inputs).unwrap());
            }
        }
    }
}

/// Every law of the registry, on bodies that are not too close: all numbers but places lie in (1/4, 3/4).
#[test]
fn built_in_laws() {
    for builtin in law::LAWS {
        let law = builtin.law().unwrap();
        let par: Vec<f64> = law.defaults().iter().map(|d| d.filter(|x| x.abs() < 1e17).unwrap_or(0.5)).collect();
        for case in cases() {
            if case.pairs == Pairs::Once && !law.has_one_kind() {
                continue;
            }
            let mut evaluator = case.evaluator(&law);
            for n in [2_usize, 33, 200] {
                let mut data: Vec<Vec<f64>> = Vec::new();
                for field in law.body() {
                    let seed = 100 + data.len() as u64;
                    let more: Vec<Vec<f64>> = match (field.cell, field.name.as_str()) {
                        (law::Cell::Id, _) => vec![(0..n).map(|k| (k % 2) as f64).collect()],
                        // a lattice, shaken: forces that diverge where bodies meet would test nothing but the closest two
                        (_, "x") => (0..field.numbers())
                            .map(|axis| {
                                let shake = random(n, seed + axis as u64);
                                let place = |k: usize| (k / 6_usize.pow(axis as u32) % 6) as f64 + 0.3 * shake[k];
                                (0..n).map(|k| f64::from((0.5 * place(k)) as f32)).collect()
                            })
                            .collect(),
                        _ => (0..field.numbers())
                            .map(|c| random(n, seed + c as u64).iter().map(|x| 0.5 + 0.25 * x).collect())
                            .collect(),
                    };
                    data.extend(more);
                }
                let data = slices(&data);
                let inputs = PairInputs::one(&data, &par);
                let found = evaluator.evaluate(&inputs).unwrap();
                case.agree(&format!("{}, {n} bodies", law.name()), &found, &law.oracle(&inputs).unwrap());
            }
        }
    }
}

/// What is too large, too small, zero or without partners is what IEEE's arithmetic says, though compilers of WGSL may assume
/// that there are no infinities.
#[test]
fn infinities_are_those_of_the_cpu() {
    let (law, alone) = (Law::parse(EXTREMES).unwrap(), Law::parse(NO_PARTNERS).unwrap());
    for case in cases() {
        if case.pairs == Pairs::Ordered {
            let mut evaluator = case.evaluator(&law);
            for x in [1000.0, -1000.0] {
                let (i, j): ([&[f64]; 1], [&[f64]; 1]) = ([&[0.0; 40]], [&[x]]);
                let inputs = PairInputs::two(&i, &j, &[]);
                let found = evaluator.evaluate(&inputs).unwrap();
                let want = law.oracle(&inputs).unwrap();
                alike(&law, &found, &want, 1e-5).unwrap_or_else(|e| panic!("{}, x = {x}: {e}", case.name));
            }
        }
        let mut evaluator = case.evaluator(&alone);
        for n in [1, 40, 300] {
            let ids: Vec<f64> = (0..n).map(f64::from).collect();
            let found = evaluator.evaluate(&PairInputs::one(&[&ids, &ids], &[])).unwrap();
            let (inf, none) = (f64::INFINITY, f64::NEG_INFINITY);
            for body in [0, n as usize - 1] {
                let of: Vec<f64> = found.iter().skip(1).map(|c| c[body]).collect();
                assert_eq!(of, [0.0, inf, none, inf, -1.0, none, -1.0, none], "{}, {n} bodies", case.name);
            }
        }
    }
}

/// A pair that contributes NaN is in every result, wherever its partner stands, though the others' numbers are smaller and
/// larger: infinity of the wrong sign in extremes, which `check_results` refuses, NaN in all others.
#[test]
fn a_pair_of_nan_is_in_every_result() {
    let text = "body w; id k; r = sqrt(j.w - 0.05)
        min a = r; max b = r; argmin c = r, j.k; argmax d = r, j.k
        sum s = min(r, 0.5); sum t = max(0.5, r); sum u = min(r, max(r, 0.1)); logsumexp z = r";
    let law = Law::parse(text).unwrap();
    let (inf, none) = (f64::INFINITY, f64::NEG_INFINITY);
    for case in cases() {
        let mut evaluator = case.evaluator(&law);
        for n in [1, 40, 300] {
            for bad in [0, n / 2, n - 1] {
                let ids: Vec<f64> = (0..n).map(|k| k as f64).collect();
                let w: Vec<f64> = (0..n).map(|k| if k == bad { 0.0 } else { 0.05 + (k % 7) as f64 }).collect();
                let columns: [&[f64]; 2] = [&w, &ids];
                let inputs = PairInputs::one(&columns, &[]);
                let found = evaluator.evaluate(&inputs).unwrap();
                let want = law.oracle(&inputs).unwrap();
                for body in [0, n / 2, n - 1] {
                    for found in [&found, &want] {
                        let what = format!("{}, {n} bodies, {bad} is wrong, body {body}", case.name);
                        let of: Vec<f64> = found.iter().map(|c| c[body]).collect();
                        assert_eq!((of[0], of[1], of[2], of[4]), (none, inf, none, inf), "{what}");
                        assert!(of[6..].iter().all(|x| x.is_nan()), "{what}: {of:?}");
                    }
                }
            }
        }
    }
}

/// A difference of equal numbers is 0, not -0, in whichever order they stand, and a division by it infinite.
#[test]
fn divisions_by_differences_are_those_of_ieee() {
    let law = Law::parse(
        "body q; count a = 1 / (j.q - i.q) > 5; count b = 1 / (i.q - j.q) > 5; count c = 1 / (j.q - 2) > 5
        count d = 1 / (2 - j.q) > 5; count e = -1 / (2 - j.q) < -5; sum f = exp(-1 / (j.q - 2)); sum g = exp(-1 / (2 - j.q))
        max h = 1 / (j.q - 2); min k = -3 / (j.q - 2); max l = rsqrt(j.q - 2) when j.q >= 2; self include",
    )
    .unwrap();
    let pair = |i: f64, j: f64| {
        let truth = |holds: bool| f64::from(u8::from(holds));
        let (to, from) = (j - 2.0, 2.0 - j);
        let root = if j >= 2.0 { 1.0 / to.sqrt() } else { f64::NEG_INFINITY };
        let counts = [1.0 / (j - i) > 5.0, 1.0 / (i - j) > 5.0, 1.0 / to > 5.0, 1.0 / from > 5.0, -1.0 / from < -5.0];
        let [a, b, c, d, e] = counts.map(truth);
        [a, b, c, d, e, (-1.0 / to).exp(), (-1.0 / from).exp(), 1.0 / to, -3.0 / to, root]
    };
    for case in cases() {
        let mut evaluator = case.evaluator(&law);
        for n in [3, 40, 300] {
            let q: Vec<f64> = (0..n).map(|k| f64::from(1 + k % 3)).collect();
            let columns: [&[f64]; 1] = [&q];
            let inputs = PairInputs::one(&columns, &[]);
            let found = evaluator.evaluate(&inputs).unwrap();
            let oracle = law.oracle(&inputs).unwrap();
            for body in 0..n as usize {
                let all: Vec<_> = q.iter().map(|j| pair(q[body], *j)).collect();
                let want = |k: usize| match k {
                    0..=6 => all.iter().map(|x| x[k]).sum::<f64>(),
                    8 => all.iter().map(|x| x[k]).fold(f64::INFINITY, f64::min),
                    _ => all.iter().map(|x| x[k]).fold(f64::NEG_INFINITY, f64::max),
                };
                for results in [&found, &oracle] {
                    for (k, result) in results.iter().enumerate() {
                        let (got, want) = (result[body], want(k));
                        // exp in f32 of at most 300 terms: 1e-6 of each
                        let same = got == want || (got - want).abs() <= 1e-6 * want.abs();
                        assert!(same, "{}, {n} bodies: result {k} of body {body} is {got}, not {want}", case.name);
                    }
                }
            }
        }
    }
}

/// How a case rounds, and how it lowers a law.
fn promise(case: &Case) -> (&'static Rounding, Vec<Lowering>) {
    // the root of CUDA's f64 is good to 1e-14 (kernels/prelude.cuh)
    const CUDA_F64: Rounding = Rounding { root: 128.0, ..Rounding::F64 };
    let rounding: &'static Rounding = match (case.device, case.precision) {
        (Device::Wgpu, _) => &Rounding::WGSL,
        (_, Precision::F32) => &Rounding::F32,
        (_, Precision::F64 | Precision::Mixed) => &CUDA_F64,
    };
    let how = |mirrored| Lowering { exp2: true, mirrored, ..Lowering::default() };
    (rounding, if case.pairs == Pairs::Once { vec![how(false), how(true)] } else { vec![how(false)] })
}

/// Holds a law to its bounds in every way in which bodies can be given to it; what visits each pair once takes one set with
/// one record a body, and refuses all others.
fn every_way(case: &Case, text: &str, law: &Law, evaluator: &mut dyn Evaluator, seed: u64) -> usize {
    let (rounding, lowered) = promise(case);
    let par = [0.75, f64::from(0.1_f32)];
    let par = &par[..law.parameters().len()];
    let mut held = 0;
    for way in ways(law, 70, 45, seed) {
        held += way.with(par, |inputs| match evaluator.evaluate(inputs) {
            Ok(found) => {
                let each = case.pairs == Pairs::Ordered || inputs.is_part();
                assert!(each || inputs.same_columns(), "{}: {}\n{text}", case.name, way.name);
                within_bounds(law, inputs, &found, rounding, &lowered)
                    .unwrap_or_else(|problem| panic!("{}: {}: {problem}\n{text}", case.name, way.name))
            }
            Err(error) => {
                assert!(case.pairs == Pairs::Once && !inputs.same_columns(), "{}: {}: {error}", case.name, way.name);
                assert!(error.to_string().contains("Pairs::Ordered"), "{error}");
                0
            }
        });
    }
    held
}

/// Laws of every kind in every way in which bodies can be given, in every kernel, also in mixed precision.
#[test]
fn every_kind_of_law_in_every_way() {
    for (seed, text) in KINDS.iter().enumerate() {
        let law = Law::parse(text).unwrap();
        for case in cases().into_iter().filter(|c| law.has_one_kind() || c.pairs == Pairs::Ordered) {
            every_way(&case, text, &law, &mut *case.evaluator(&law), seed as u64);
            if case.precision == Precision::F32 && case.subgroups.is_none() && !case.tiled {
                match evaluator(case.device, &[], &law, Precision::Mixed, case.pairs, None) {
                    Ok(mut mixed) => {
                        assert!(law.has_one_kind(), "{}: mixed precision in name only\n{text}", case.name);
                        every_way(&case, text, &law, &mut *mixed, seed as u64);
                    }
                    // positions of unlike i and j are not given in two parts
                    Err(error) => {
                        assert!(!law.has_one_kind() && error.to_string().contains("f32 or f64"), "{error}\n{text}");
                    }
                }
            }
        }
    }
}

/// The same with a choice of sums, for laws whose results are sums.
#[test]
fn every_kind_of_law_with_every_sum() {
    let sums = [
        Summation::Direct,
        Summation::Blocked(None),
        Summation::Pairwise,
        Summation::Compensated,
        Summation::F64,
        Summation::Fixed,
    ];
    for case in cases()
        .into_iter()
        .filter(|c| (c.precision, c.pairs, c.tiled) == (Precision::F32, Pairs::Ordered, false) && c.subgroups.is_none())
    {
        for (seed, text) in KINDS.iter().enumerate() {
            let law = Law::parse(text).unwrap();
            if law.cells().iter().any(|cell| *cell != law::Cell::Sum) {
                continue;
            }
            for (precision, sum) in
                sums.into_iter().map(|sum| (Precision::F32, sum)).chain([(Precision::Mixed, Summation::F64)])
            {
                if precision == Precision::Mixed && !law.has_one_kind() {
                    continue; // refused
                }
                let mut evaluator = evaluator(case.device, &[], &law, precision, Pairs::Ordered, Some(sum)).unwrap();
                evaluator.bound(&vec![1e5; law.cells().len()]);
                every_way(&case, &format!("{text} {sum}"), &law, &mut *evaluator, seed as u64);
            }
        }
    }
}

/// Laws made at random, within bounds that come from their operations, whose functions may be as loose as the device's
/// maker says, in every way in which bodies can be given. MANYBODY_LAWS=1000 asks for so many laws.
#[test]
fn random_laws() {
    let seeds = std::env::var("MANYBODY_LAWS").ok().and_then(|n| n.parse().ok()).unwrap_or(24);
    let mut held = 0;
    for seed in 0..seeds {
        let one_kind = seed % 2 == 0;
        let text = law_from_seed(seed, one_kind);
        let law = Law::parse(&text).unwrap();
        for case in cases().into_iter().filter(|c| one_kind || c.pairs == Pairs::Ordered) {
            held += every_way(&case, &text, &law, &mut *case.evaluator(&law), seed);
        }
    }
    println!("{held} results of random laws held to their bounds");
}

/// Far from the origin results are what they are at it, also in f32.
#[test]
fn laws_far_from_the_origin() {
    let law =
        Law::parse("body x[3], q; d = j.x - i.x; sum f = j.q * d / (dot(d, d) + 0.05)^1.5; self exclude").unwrap();
    let mut data = columns(4, 300, 21);
    data[0].iter_mut().for_each(|x| *x += 1e7);
    data[2].iter_mut().for_each(|x| *x -= 3e9);
    let data = slices(&data);
    let inputs = PairInputs::one(&data, &[]);
    let want = law.oracle(&inputs).unwrap();
    cases().iter().for_each(|case| case.agree("far", &case.evaluator(&law).evaluate(&inputs).unwrap(), &want));
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
    let mut soft = apart.clone();
    soft.eps = Some((0..soft.len()).map(|i| 0.01 * (i % 5) as f64).collect());
    for case in cases().into_iter().filter(|c| c.subgroups.is_none() && !c.tiled) {
        let name = if case.pairs == Pairs::Once { "symmetric" } else { "direct" };
        let mut solver = common::solver(case.device, &[], name, case.precision, Summation::default()).unwrap();
        for (what, bodies, gravity) in [
            ("near", &bodies, Gravity { g: 1.0, eps: 0.05 }),
            ("no softening", &apart, Gravity { g: 1.0, eps: 0.0 }),
            ("far", &far, Gravity { g: 1.0, eps: 0.05 }),
            ("SI", &si, Gravity { g: 6.6743e-11, eps: 5e14 }),
            ("own softenings", &soft, Gravity { g: 1.0, eps: 0.0 }),
        ] {
            let want = ForceTerms { potential: true, jerk: false };
            let (mut found, mut right) = (Forces::default(), Forces::default());
            solver.forces(bodies, &gravity, want, &mut found).unwrap();
            manybody::solver::Reference.forces(bodies, &gravity, want, &mut right).unwrap();
            let columns = |f: &Forces| vec![f.ax.clone(), f.ay.clone(), f.az.clone(), f.pot.clone()];
            case.agree(what, &columns(&found), &columns(&right));
        }
    }
}

#[test]
fn what_cannot_be_is_said() {
    let law = Law::of::<law::Gravity>().unwrap();
    assert!(matches!(evaluator(Device::Cpu, &[], &law, Precision::F32, Pairs::Once, None), Err(Error::Unknown { .. })));
    for case in cases() {
        let mut evaluator = case.evaluator(&law);
        let (x, bad) = ([1.0, 2.0], [1.0, f64::NAN]);
        let columns: [&[f64]; 4] = [&x, &x, &bad, &x];
        let error = evaluator.evaluate(&PairInputs::one(&columns, &[0.1])).unwrap_err().to_string();
        assert!(error.contains("NaN for body 1"), "{error}");
    }
    if cases().iter().any(|c| c.device == Device::Wgpu) {
        let error =
            evaluator(Device::Wgpu, &[], &law, Precision::F64, Pairs::Once, None).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("computes in f32"), "{error}");
    }
}
