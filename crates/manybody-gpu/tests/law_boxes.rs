//! Laws by boxes on GPUs, beside all pairs: on every device that is here, in every precision that it has.

mod common;

use common::{devices, kinds};
use manybody_gpu::emit::lowering;
use manybody_gpu::{Pairs, evaluator, law_boxes};
use manybody_law::law::bounds::Rounding;
use manybody_law::law::conformance::{
    CUT_OFFS, KINDS, NO_PARTNERS, SYSTEMS, anywhere, law_from_seed, placed, slices, ways, within_bounds,
};
use manybody_law::law::{Cell, Law, PairInputs, Targets};
use manybody_law::{Capability, Device, Error};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Evaluator, Gpus, Method, Precision, SolverName};
use manybody_tree::LawBoxes;

/// Every device with its precisions.
fn cases() -> Vec<(Device, Precision)> {
    let precisions = |device| match device {
        Device::Cuda => vec![Precision::F32, Precision::F64],
        _ => vec![Precision::F32],
    };
    kinds().into_iter().flat_map(|device| precisions(device).into_iter().map(move |p| (device, p))).collect()
}

fn method(device: Device, precision: Precision) -> Method {
    Method { device, precision, ..Method::default() }.solver(SolverName::Tree)
}

fn is_slow(device: Device) -> bool {
    devices().iter().any(|gpu| gpu.device() == device && gpu.is_software())
}

/// Extremes, labels and counts are those of other results, bit for bit but for the sign of a zero.
fn same(law: &Law, found: &[Vec<f64>], want: &[Vec<f64>], what: &str) {
    let cells: Vec<Cell> = law.cells().into_iter().filter(|cell| *cell != Cell::Scaled).collect();
    for ((name, cell), (found, want)) in law.result_columns().iter().zip(cells).zip(found.iter().zip(want)) {
        if matches!(cell, Cell::Sum | Cell::LogSumExp) {
            continue;
        }
        for (body, (x, y)) in found.iter().zip(want).enumerate() {
            let is_same = x == y || x.is_nan() && y.is_nan();
            assert!(is_same, "{what}: {name} of body {body} is {x}, not {y}: {}", law.to_text());
        }
    }
}

/// A law by boxes and for all pairs on one device.
struct Both {
    what: String,
    boxes: LawBoxes,
    all: Box<dyn Evaluator>,
    rounding: &'static Rounding,
}

impl Both {
    fn of(law: &Law, device: Device, precision: Precision) -> Option<Self> {
        let boxes = match law_boxes(&method(device, precision), law) {
            Err(Error::Unsupported { capability: Capability::Solver, .. }) => return None,
            boxes => boxes.unwrap(),
        };
        let all = evaluator(device, &[], law, precision, Pairs::Ordered, None).unwrap();
        Some(Both {
            what: format!("{device} {precision}"),
            boxes,
            all,
            rounding: Rounding::of(device, precision == Precision::F32),
        })
    }

    fn check(&mut self, law: &Law, inputs: &PairInputs<'_>, name: &str) {
        let what = format!("{} {name}", self.what);
        let found = self.boxes.evaluate(inputs).unwrap();
        // for all pairs, a number that all bodies share is a parameter, and operations are grouped in another way
        let is_shared = |column: &[f64]| column.windows(2).all(|two| two[0] == two[1]);
        if !inputs.i.iter().chain(inputs.j).any(|column| is_shared(column)) {
            same(law, &found, &self.all.evaluate(inputs).unwrap(), &what);
        }
        if let Err(problem) = within_bounds(law, inputs, &found, self.rounding, &[lowering(false, true)]) {
            panic!("{what}: {problem}: {}", law.to_text());
        }
    }
}

/// Random laws with bodies in every way in which they can be given.
#[test]
fn random_laws_are_those_of_all_pairs() {
    for (device, precision) in cases() {
        let mut tried = 0;
        // most laws have a sum of which no pair can be left out
        let random = (0..if is_slow(device) { 200 } else { 500 }).map(|seed| law_from_seed(seed, seed % 2 == 0));
        for text in random.chain(KINDS.iter().chain(&[NO_PARTNERS]).map(|text| text.to_string())) {
            let law = Law::parse(&text).unwrap();
            let Some(mut both) = Both::of(&law, device, precision) else { continue };
            // more than a leaf of each side
            for way in ways(&law, 177, 300, tried) {
                // parameters that f32 has exactly
                let par = &[0.75, 0.125][..law.defaults().len()];
                way.with(par, |inputs| both.check(&law, inputs, &way.name));
            }
            tried += 1;
        }
        assert!(tried > 5, "{tried}");
    }
}

#[test]
fn cut_offs_extremes_and_counts_are_those_of_all_pairs() {
    for (device, precision) in cases() {
        for text in CUT_OFFS {
            let law = Law::parse(text).unwrap();
            let mut both = Both::of(&law, device, precision).unwrap();
            for (name, places) in SYSTEMS {
                for n in [1, 129, 700] {
                    let columns = placed(&law, places, n, 0.03125);
                    both.check(&law, &PairInputs::one(&slices(&columns), &[]), name);
                }
            }
        }
    }
}

/// Of bodies with so many numbers that few of them fit into shared memory.
#[test]
fn wide_laws_are_those_of_all_pairs() {
    for (device, precision) in cases() {
        for text in [
            "body x[64]; id k; d = i.x - j.x; argmin near = dot(d, d), j.k; self exclude",
            "body x[60], u[60]; d = i.x - j.x; max far = dot(d, d) + dot(i.u, j.u); count n = dot(d, d) < 15",
        ] {
            let law = Law::parse(text).unwrap();
            let columns = placed(&law, anywhere, 200, 0.5);
            let columns: Vec<Vec<f64>> = columns
                .iter()
                .enumerate()
                .map(|(axis, _)| (0..200).map(|k| anywhere(k + 977 * axis, 1)).collect())
                .collect();
            let ids: Vec<f64> = (0..200).map(f64::from).collect();
            let numbers: Vec<&[f64]> = match text.contains("id k") {
                true => columns[..64].iter().map(Vec::as_slice).chain([&ids[..]]).collect(),
                false => slices(&columns),
            };
            Both::of(&law, device, precision).unwrap().check(&law, &PairInputs::one(&numbers, &[]), "wide");
        }
    }
}

/// Bodies with other numbers where they act, at the same places.
#[test]
fn bodies_may_differ_where_they_act() {
    let law = Law::parse("body x[3], m; max heaviest = j.m when norm(i.x - j.x) < 0.2; self exclude").unwrap();
    let columns = placed(&law, anywhere, 400, 1.0);
    let other: Vec<f64> = (0..400).map(|k| anywhere(k, 7)).collect();
    let own: Vec<&[f64]> = slices(&columns);
    let acting: Vec<&[f64]> = own[..3].iter().copied().chain([&other[..]]).collect();
    for (device, precision) in cases() {
        let mut both = Both::of(&law, device, precision).unwrap();
        both.check(&law, &PairInputs::roles(&own, &acting, &[]), "other masses");
    }
}

/// Of many bodies, beside all pairs at some of them: cells of several levels act and are acted on. Most pairs are left out.
#[test]
fn many_bodies_are_as_all_pairs_at_some_of_them() {
    let n = 20_000;
    let some: Vec<usize> = (0..50).map(|k| k * 397).collect();
    for (device, precision) in cases() {
        for text in CUT_OFFS.iter().take(if is_slow(device) { 4 } else { CUT_OFFS.len() }) {
            let law = Law::parse(text).unwrap();
            let columns = placed(&law, anywhere, n, 0.0078125);
            let columns = slices(&columns);
            let inputs = PairInputs::one(&columns, &[]);
            let mut both = Both::of(&law, device, precision).unwrap();
            let found = both.boxes.evaluate(&inputs).unwrap();
            let found: Vec<Vec<f64>> = found.iter().map(|column| some.iter().map(|k| column[*k]).collect()).collect();
            let want = both.all.evaluate_at(&inputs, &Targets::List(&some)).unwrap();
            same(&law, &found, &want, &both.what);
            for (name, (found, want)) in law.result_columns().iter().zip(found.iter().zip(&want)) {
                let size = want.iter().filter(|y| y.is_finite()).fold(1e-300_f64, |size, y| size.max(y.abs()));
                for (x, y) in found.iter().zip(want) {
                    // sums of at most a few hundred terms of one size and, for forces, of either sign
                    let bound = 1000.0 * both.rounding.unit * size;
                    assert!(x == y || (x - y).abs() <= bound, "{} {name}: {x} {y}", both.what);
                }
            }
        }
    }
}

/// Neither the number of GPUs changes a bit nor what was computed before.
#[test]
fn bits_depend_on_the_bodies_alone() {
    for (device, precision) in cases() {
        let law = Law::parse(CUT_OFFS[0]).unwrap();
        let columns = placed(&law, anywhere, 5000, 0.02);
        let columns = slices(&columns);
        let inputs = PairInputs::one(&columns, &[]);
        let mut one = law_boxes(&method(device, precision), &law).unwrap();
        let found = one.evaluate(&inputs).unwrap();
        let few: Vec<&[f64]> = columns.iter().map(|column| &column[..77]).collect();
        one.evaluate(&PairInputs::one(&few, &[])).unwrap();
        assert_eq!(one.evaluate(&inputs).unwrap(), found, "{device} {precision}");
        if device == Device::Cuda {
            // one that shares with itself
            let gpus = Gpus::of(&[0, 0, 0]).unwrap();
            let mut several = law_boxes(&method(device, precision).gpus(gpus), &law).unwrap();
            assert_eq!(several.evaluate(&inputs).unwrap(), found, "{precision}");
            // more than there are leaves
            let few = PairInputs::one(&few, &[]);
            let gpus = Gpus::of(&[0; 8]).unwrap();
            let mut several = law_boxes(&method(device, precision).gpus(gpus), &law).unwrap();
            assert_eq!(several.evaluate(&few).unwrap(), one.evaluate(&few).unwrap(), "{precision}");
        }
    }
}

/// Without bodies that act, and without bodies acted on.
#[test]
fn nothing_is_right() {
    let law = Law::parse("target t; source x; min a = abs(i.t - j.x); count n = abs(i.t - j.x) < 1").unwrap();
    for (device, precision) in cases() {
        let mut boxes = law_boxes(&method(device, precision), &law).unwrap();
        let mut of = |t: &[f64], x: &[f64]| boxes.evaluate(&PairInputs::two(&[t], &[x], &[])).unwrap();
        assert_eq!(of(&[1.0, 2.0], &[]), [[f64::INFINITY; 2].to_vec(), vec![0.0; 2]]);
        assert_eq!(of(&[], &[1.0]), vec![Vec::<f64>::new(); 2]);
        assert_eq!(of(&[1.0, 2.0], &[1.5, 4.0, 1.25]), [[0.25, 0.5].to_vec(), vec![2.0; 2]]);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let near = Law::parse(CUT_OFFS[2]).unwrap();
    let coulomb = manybody_law::law::by_name("coulomb").unwrap();
    for device in kinds() {
        let refused =
            |precision, law: &Law| law_boxes(&method(device, precision), law).map(drop).unwrap_err().to_string();
        assert!(refused(Precision::F32, &coulomb).contains("every pair contributes to result"));
        assert!(refused(Precision::Mixed, &near).contains("mixed"));
        if device == Device::Wgpu {
            assert!(refused(Precision::F64, &near).contains("--precision f32"));
        }
    }
    assert!(law_boxes(&method(Device::Cpu, Precision::F64), &near).is_err());
}

/// A watch that asks for an end gets it.
#[test]
fn a_watch_ends_it() {
    let law = Law::parse(CUT_OFFS[0]).unwrap();
    let columns = placed(&law, anywhere, 5000, 0.5);
    for (device, precision) in cases() {
        let mut boxes = law_boxes(&method(device, precision), &law).unwrap();
        let watch = Watch::of(1);
        watch.hear(true);
        watch.stop();
        boxes.watch(&watch);
        let ended = boxes.evaluate(&PairInputs::one(&slices(&columns), &[]));
        assert!(matches!(ended, Err(Error::Interrupted)), "{device} {precision}: {ended:?}");
    }
}
