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
    let evaluator = WgpuEvaluator::new(wgpu, &Law::of::<law::Gravity>().unwrap(), Pairs::Once);
    let error = evaluator.pipeline("fn gather( {", "gather", evaluate::Form::ThirdIsRead).unwrap_err().to_string();
    assert!(error.contains("the kernel gather does not compile"), "{error}");
}

#[test]
fn too_large_a_buffer_is_an_error() {
    let Some(wgpu) = own_adapter() else { return };
    let most = wgpu.limits.max_buffer_size.min(wgpu.limits.max_storage_buffer_binding_size);
    let evaluator = WgpuEvaluator::new(wgpu, &Law::of::<law::Gravity>().unwrap(), Pairs::Once);
    let error = evaluator.buffer(most.saturating_add(16), ::wgpu::BufferUsages::STORAGE).unwrap_err().to_string();
    assert!(error.contains("fewer bodies would do") || error.contains("out of memory"), "{error}");
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
