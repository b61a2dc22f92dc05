//! All kernels compile.

#![allow(clippy::print_stdout)] // what is skipped is said

use super::*;
use crate::cuda::tests::{Assembled, ptxas};
use crate::emit::Dialect;
use manybody_law::law::{Law, PairInputs, Radial};
use manybody_tree::LawAccuracy;

#[test]
fn every_kernel_of_a_law_compiles() {
    if !crate::cuda::has_compiler() {
        return;
    }
    let texts = [
        "r = norm(d); sum p = j.q * exp(-r) / r; sum f = j.q * d * exp(-r) * (1 + r) / r^3; self exclude",
        "r = norm(d); sum f = j.q * d * log1p(r) / r; self exclude",
        "s = dot(d, d); sum p = j.q * (sin(s) + expm1(-s) + ln(1 + s))",
        "r = norm(d); sum u = j.m / r + d * dot(j.m, d) / r^3; self exclude",
        "r = norm(d); sum b = cross(j.m, d) / r^3; sum p = j.q / r; self exclude",
    ];
    let columns = [[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 1.0], [1.0, 2.0], [3.0, 1.0], [0.5, 0.3]];
    let columns = columns.each_ref().map(<[f64; 2]>::as_slice);
    for text in texts {
        let law = Law::parse(&format!("body x[3], q, m[3]; d = i.x - j.x; {text}")).unwrap();
        for (order, dialect, double) in
            [(1, Dialect::CudaF64, true), (3, Dialect::CudaF32, false), (8, Dialect::CudaF32, false)]
        {
            let accuracy = LawAccuracy { order, opening: Opening::Error(1e-4), leaf: 32 };
            let radial = Radial::of(&law).unwrap();
            let found = ExpandedLaw::new(&law, &radial, &PairInputs::one(&columns, &[]), accuracy).unwrap();
            let text = found.text(!double, &|f, x| dialect.call(f, x)).unwrap();
            let (potential, motion) = (text.has_values, Motion::Rest);
            let operators = Operators { order, dipoles: true, potential, of_law: true, motion };
            // those of all couplings, of the first and of the last
            let couplings = Coupling::of(&text);
            for coupling in [None, couplings.first(), couplings.last()] {
                let plain = (false, Softening::Plummer, false);
                let source = source(operators, double, Purpose::Forces, plain, Some((&text, coupling)));
                crate::cuda::compile(&source, 90).unwrap_or_else(|error| panic!("{operators:?} {coupling:?}: {error}"));
            }
        }
    }
}

#[test]
fn every_kernel_compiles() {
    if !crate::cuda::has_compiler() {
        return;
    }
    // estimates have orders up to 3
    let purposes = [(Purpose::Estimate, 1), (Purpose::Estimate, 3)]
        .into_iter()
        .chain([1, 3, 8, 9].map(|order| (Purpose::Forces, order)));
    for (purpose, order) in purposes {
        for (dipoles, potential, double) in [(false, false, false), (true, true, false), (false, true, true)] {
            let is_high = order > 8;
            if is_high && (dipoles, double) == (false, false) {
                continue;
            }
            let operators = Operators { order, dipoles, potential, of_law: false, motion: Motion::Rest };
            let softenings = Softening::ALL.into_iter().flat_map(|kind| [(false, kind), (true, kind)]);
            // what the spline changes has all its parts with the potential, and in any order
            let is_case = |(own, kind): &(bool, Softening)| {
                (dipoles || !own) && (*kind == Softening::Plummer || (potential && order <= 3))
            };
            for (own, kind) in softenings.filter(is_case).filter(|(own, _)| !is_high || *own == dipoles) {
                let is_mixed = !double && !own && potential;
                let text = source(operators, double, purpose, (own, kind, is_mixed), None);
                crate::cuda::compile(&text, 90).unwrap_or_else(|error| panic!("{operators:?} {own} {kind:?}: {error}"));
            }
        }
    }
}

#[test]
fn every_kernel_of_jerks_compiles() {
    if !crate::cuda::has_compiler() {
        return;
    }
    let ptxas = ptxas();
    if ptxas.is_none() {
        println!("skipped: registers and spills are not checked, ptxas is not found");
    }
    let cases = [
        (2, false, false, Softening::Plummer, false),
        (8, false, false, Softening::Plummer, true),
        (5, true, true, Softening::Plummer, false),
        (3, true, true, Softening::Spline, false),
        (3, false, false, Softening::Spline, true),
        (9, false, true, Softening::Plummer, false),
        (9, true, false, Softening::Plummer, false),
    ];
    for (order, double, own, softening, is_mixed) in cases {
        let motion = Motion::Jerks;
        let operators = Operators { order, dipoles: own, potential: true, of_law: false, motion };
        for operators in [operators, operators.of_rates()] {
            let text = source(operators, double, Purpose::Forces, (own, softening, is_mixed), None);
            let what = format!("{operators:?}, f64 {double}, own {own}, {softening}");
            let ptx = crate::cuda::compile(&text, 90).unwrap_or_else(|error| panic!("{what}: {error}"));
            let Some(ptxas) = &ptxas else { continue };
            let (assembled, is_of_rates) = (Assembled::of(ptxas, &ptx), operators.motion == Motion::Rates);
            // those whose sums are in registers for thousands of interactions
            let entries: &[&str] = match is_of_rates {
                true => &["far_cells", "soft_cells", "hand_down"],
                false => &["near_bodies", "one_by_one", "finish"],
            };
            for (k, entry) in entries.iter().enumerate() {
                let (registers, spilled) = assembled.function(entry);
                println!("{what}, {entry}: {registers} registers, {spilled} bytes spilled");
                assert!(k > 0 || spilled == 0 || order > 8, "{what}, {entry}: {spilled} bytes spilled");
            }
        }
    }
}

/// The driver takes as many arguments as a kernel has, whatever is given.
#[test]
fn kernels_are_started_with_as_many_numbers_as_they_have() {
    let kernels = [CELLS, RATES, LISTS, FAR, SOFT, SOFT_HIGH, HAND_DOWN, DOWN, NEAR, LAW, LAW_CELLS, ESTIMATE].concat();
    let mut checked = 0;
    let calls = ["start(\"", "start_on(beside, \""].map(|call| include_str!("part.rs").split(call).skip(1));
    for call in calls.into_iter().flatten() {
        let (name, rest) = call.split_once('"').unwrap();
        let statement = rest.split(")?;").next().unwrap();
        let Some((_, given)) = statement.rsplit_once("&[") else { continue };
        let given = given.trim_end_matches(']').split(',').filter(|number| !number.trim().is_empty()).count();
        for definition in kernels.split(&format!(" {name}(Tree t")).skip(1) {
            let parameters = definition.split(')').next().unwrap().matches(',').count();
            assert_eq!(given, parameters, "{name}");
            checked += 1;
        }
    }
    assert!(checked >= 15, "{checked}");
}
