//! Every kernel passes naga's validator, without a GPU.

#![allow(clippy::print_stdout)] // what is skipped is said

use super::*;
use manybody_law::law;
use manybody_pairwise::Summation;
use naga::valid::{Capabilities, ValidationFlags, Validator};

#[test]
fn every_kernel_validates() {
    let text = "body x[3]; id k; argmin near = dot(j.x - i.x, j.x - i.x), j.k; count n = i.k != j.k; \
                logsumexp s = -i.x[0]; max m = sin(j.x[1]); self exclude";
    let laws = [
        Law::of::<law::Gravity>(),
        Law::of::<law::SoftGravityPot>(),
        Law::of::<law::SoftGravityJerk>(),
        Law::of::<law::Gravity>().and_then(|law| law.uniform(&["m"])),
        Law::parse(text),
        Law::parse("body x; sum s = 1 / (i.x + j.x); self include"),
    ];
    laws.into_iter().for_each(|law| validate(&law.unwrap()));
}

/// Whatever law there is.
#[test]
fn kernels_of_random_laws_validate() {
    (0..40).for_each(|seed| validate(&random_law(seed, seed % 2 == 0)));
}

/// A law made from a seed, its bodies of one kind or of two.
fn random_law(seed: u64, one_kind: bool) -> Law {
    let text = manybody_law::law::conformance::law_from_seed(seed, one_kind);
    Law::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn validate(law: &Law) {
    let every = [
        (Pairs::Ordered, 100, Subgroups::None),
        (Pairs::Ordered, 10_000, Subgroups::None),
        (Pairs::Once, 10_000, Subgroups::Width(8)),
        (Pairs::Once, 100_000, Subgroups::Width(32)),
        (Pairs::Once, 100_000, Subgroups::Any),
        (Pairs::Once, 100_000, Subgroups::None),
    ];
    for (pairs, n, subgroups) in every.into_iter().filter(|(pairs, ..)| law.has_one_kind() || *pairs == Pairs::Ordered)
    {
        let adapter = Traits { subgroups, shared: 16 << 10, is_software: false };
        let shapes = [false, true].map(|split| Shape::choose(pairs, n, law, split, adapter));
        shapes.iter().for_each(|shape| assert!(shape.shared_bytes(law) <= 16 << 10));
        let sums = law.cells().iter().all(|cell| *cell == law::Cell::Sum) && pairs == Pairs::Ordered;
        let bags = [Summation::Blocked(Some(100)), Summation::Blocked(Some(256))];
        let summed = Summation::ALL
            .into_iter()
            .chain(bags)
            .filter(|_| sums)
            .map(|sum| Shape::summed(sum, n, law, false, adapter));
        for text in shapes.into_iter().chain(summed).flat_map(|shape| source(law, shape, true)) {
            let module =
                naga::front::wgsl::parse_str(&text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text)));
            let needed = Capabilities::SUBGROUP;
            let checked = Validator::new(ValidationFlags::all(), needed).validate(&module);
            checked.unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text)));
        }
    }
}

/// An adapter for one test, so that other tests are not affected. `None`, and a message, if there is no adapter.
fn own_adapter() -> Option<std::sync::Arc<Wgpu>> {
    let found = Wgpu::fastest().ok();
    if found.is_none() {
        println!("skipped: device wgpu: {HOW}");
    }
    found
}

#[test]
fn a_kernel_that_does_not_compile_is_an_error() {
    let Some(wgpu) = own_adapter() else { return };
    let error = wgpu.pipeline("fn gather( {", "gather", &wgpu.layouts[0]).unwrap_err().to_string();
    assert!(error.contains("the kernel gather does not compile"), "{error}");
    wgpu.check().unwrap();
}

#[test]
fn too_large_a_buffer_is_an_error() {
    let Some(wgpu) = own_adapter() else { return };
    let message = |sized_by| {
        let most = wgpu.largest_buffer();
        let made = wgpu.buffer(most.saturating_add(16), ::wgpu::BufferUsages::STORAGE, sized_by);
        made.unwrap_err().to_string()
    };
    let error = message(SizedBy::Bodies);
    assert!(error.contains("fewer bodies would do") || error.contains("not enough memory"), "{error}");
    let error = message(SizedBy::Other);
    assert!(!error.contains("bodies"), "{error}");
    wgpu.check().unwrap();
}

/// Mistakes of every kind that wgpu finds, each in a call of its own; `done` says whether it was let pass.
fn mistakes(wgpu: &Wgpu) -> Vec<(&'static str, bool)> {
    let usage = ::wgpu::BufferUsages::STORAGE;
    let small = wgpu.buffer(64, usage, SizedBy::Other).unwrap();
    let back = ::wgpu::BufferUsages::MAP_READ | ::wgpu::BufferUsages::COPY_DST;
    let back = wgpu.buffer(64, back, SizedBy::Other).unwrap();
    let most = wgpu.largest_buffer().saturating_add(16);
    vec![
        ("a law that does not compile", wgpu.pipeline("fn f( {", "f", &wgpu.layouts[0]).is_ok()),
        ("a layout of another kernel", wgpu.bind(&wgpu.layouts[0], &[&small]).is_ok()),
        ("a buffer that is too large", wgpu.buffer(most, usage, SizedBy::Bodies).is_ok()),
        ("a buffer for two things", wgpu.buffer(64, back_and_storage(), SizedBy::Bodies).is_ok()),
        ("a write beyond the end", wgpu.write(&small, 1 << 20, &[0; 16]).is_ok()),
        ("a copy beyond the end", wgpu.read(&small, 1 << 20, &back, 16, drop_bytes).is_ok()),
    ]
}

/// A use that no device has.
fn back_and_storage() -> ::wgpu::BufferUsages {
    ::wgpu::BufferUsages::MAP_READ | ::wgpu::BufferUsages::STORAGE
}

fn drop_bytes(_: &[u8]) {}

/// Of two computations on one device, from two threads, one makes errors all the time and gets each of them; the other has
/// its results, to the last bit, and no error.
#[test]
fn errors_stay_with_the_computation_that_makes_them() {
    let Some(wgpu) = own_adapter() else { return };
    let x: Vec<f64> = (0..300).map(|k| f64::from(k * 37 % 101)).collect();
    let y: Vec<f64> = (0..300).map(f64::from).collect();
    let columns: [&[f64]; 4] = [&x, &y, &x, &y];
    let inputs = manybody_law::law::PairInputs::one(&columns, &[0.1]);
    let evaluator = || WgpuEvaluator::new(wgpu.clone(), &Law::of::<law::Gravity>().unwrap(), Pairs::Once);
    let want = evaluator().evaluate(&inputs).unwrap();
    let rounds = 100;
    std::thread::scope(|scope| {
        let wrong = scope.spawn(|| {
            for _ in 0..rounds {
                let passed: Vec<_> = mistakes(&wgpu).into_iter().filter(|(_, done)| *done).collect();
                assert!(passed.is_empty(), "{passed:?}");
            }
        });
        // kernels are compiled, bodies loaded and results fetched beside the errors
        while !wrong.is_finished() {
            wgpu.check().unwrap();
            assert_eq!(evaluator().evaluate(&inputs).unwrap(), want);
        }
        wrong.join().unwrap();
    });
    wgpu.check().unwrap();
}

/// An error that belongs to no call takes the device out of use, and says what it was; the next one asked for is another.
#[test]
fn an_error_outside_of_calls_is_named() {
    let Some(wgpu) = own_adapter() else { return };
    let _buffer = wgpu.device.create_buffer(&::wgpu::BufferDescriptor {
        label: Some("stray"),
        size: 64,
        usage: back_and_storage(),
        mapped_at_creation: false,
    });
    for error in [wgpu.check().unwrap_err(), wgpu.wait().unwrap_err()] {
        let error = error.to_string();
        assert!(error.contains("no call") && error.contains("stray") && error.contains("STORAGE"), "{error}");
    }
    assert!(Wgpu::open().unwrap().check().is_ok());
}

/// Whatever is asked of a device that is gone is an error, not a panic and not numbers; the next one asked for is another.
#[test]
fn a_lost_device_is_an_error() {
    let Some(wgpu) = own_adapter() else { return };
    let x: Vec<f64> = (0..300).map(f64::from).collect();
    let columns: [&[f64]; 4] = [&x, &x, &x, &x];
    let inputs = manybody_law::law::PairInputs::one(&columns, &[0.1]);
    let mut evaluator = WgpuEvaluator::new(wgpu.clone(), &Law::of::<law::Gravity>().unwrap(), Pairs::Once);
    evaluator.evaluate(&inputs).unwrap();
    wgpu.device.destroy();
    let error = evaluator.compute().and_then(|()| evaluator.fetch()).unwrap_err();
    assert!(matches!(error, Error::Device { device: "wgpu", .. }), "{error}");
    let error = evaluator.evaluate(&inputs).unwrap_err();
    assert!(matches!(error, Error::Device { device: "wgpu", .. }), "{error}");
    assert!(Wgpu::open().is_ok());
}

/// Gravity's inner loop is written out as often as was found best, long laws' less often, on the CPU little.
#[test]
fn inner_loops_are_as_long_as_is_good() {
    let gpu = Traits { subgroups: Subgroups::Width(32), shared: 48 << 10, is_software: false };
    let unroll = |law: Law, adapter| Shape::choose(Pairs::Once, 65_536, &law.unwrap(), false, adapter).unroll;
    type Law = manybody_law::Result<manybody_law::law::Law>;
    let gravity = || manybody_law::law::Law::of::<law::Gravity>();
    assert_eq!(unroll(gravity(), gpu), 32);
    assert_eq!(unroll(gravity(), Traits { is_software: true, ..gpu }), 4);
    assert_eq!(unroll(gravity(), Traits { subgroups: Subgroups::Any, ..gpu }), 4);
    let long = unroll(manybody_law::law::Law::of::<law::SoftGravityJerk>(), gpu);
    assert!((4..32).contains(&long), "{long}");
    let longest = || manybody_law::law::Law::parse("body v[64]; sum a = (i.v - j.v)^9");
    assert_eq!([gpu, Traits { is_software: true, ..gpu }].map(|adapter| unroll(longest(), adapter)), [2, 1]);
}
