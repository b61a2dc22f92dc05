//! What is printed: sizes, literals, and operation counts; that it compiles is tested with the devices.

use super::*;
use manybody_law::law::{Gravity, GravityJerk};

fn text(law: &Law, dialect: Dialect) -> String {
    law_text(law, Form { dialect, mirrored: true, scales: false, split: false }).text
}

/// Lines of the function `name`.
fn function<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let lines = text.lines().skip_while(|line| !line.contains(&format!(" {name}(")));
    lines.skip(1).take_while(|line| !line.starts_with('}')).collect()
}

/// A statement an operation: as many as the graph counts, one for the reciprocal root, and what depends on one body only,
/// which compilers take out of the loop.
#[test]
fn a_line_an_operation() {
    for dialect in [Dialect::Wgsl, Dialect::CudaF32] {
        for (law, [one, one_body], [both, two_bodies]) in
            [(Law::of::<Gravity>(), [12, 0], [16, 0]), (Law::of::<GravityJerk>(), [28, 1], [40, 2])]
        {
            let law = law.unwrap();
            let text = text(&law, dialect);
            let lines = |name| function(&text, name).len();
            assert_eq!([lines("pair"), lines("pair_both")], [one + 1 + one_body, both + 1 + two_bodies], "{text}");
        }
    }
}

/// In f64 the third power of the reciprocal root is one function.
#[test]
fn double_cubes_at_once() {
    let text = text(&Law::of::<Gravity>().unwrap(), Dialect::CudaF64);
    assert_eq!(text.matches("m_rsqrt3(").count(), 2, "{text}");
    assert!(!text.contains("m_rsqrt("), "{text}");
    // the potential needs the root itself
    let text = self::text(&Law::of::<GravityJerk>().unwrap(), Dialect::CudaF64);
    assert_eq!((text.matches("m_rsqrt3(").count(), text.matches("m_rsqrt(").count()), (0, 2), "{text}");
}

#[test]
fn literals_fit_their_type() {
    for (c, wgsl, single, double) in [
        (0.1, "0.1f", "0.1f", "0.1"),
        (
            f64::NAN,
            "bitcast<f32>(0x7fc00000u ^ zero_word())",
            "__int_as_float(0x7fc00000)",
            "__longlong_as_double(0x7ff8000000000000ll)",
        ),
        (-3e38, "-3e38f", "-3e38f", "-3e38"),
        (1e300, "bitcast<f32>(0x7f800000u ^ zero_word())", "__int_as_float(0x7f800000)", "1e300"),
        (
            f64::NEG_INFINITY,
            "bitcast<f32>(0xff800000u ^ zero_word())",
            "-__int_as_float(0x7f800000)",
            "-__longlong_as_double(0x7ff0000000000000ll)",
        ),
    ] {
        assert_eq!(Dialect::Wgsl.literal(c), wgsl);
        assert_eq!(Dialect::CudaF32.literal(c), single);
        assert_eq!(Dialect::CudaF64.literal(c), double);
    }
}

#[test]
fn equal_masses_drop_out() {
    let law = Law::of::<Gravity>().unwrap().uniform(&["m"]).unwrap();
    let text = law_text(&law, Form { dialect: Dialect::CudaF32, mirrored: true, scales: true, split: false }).text;
    assert_eq!(function(&text, "pair_both").len(), 14 + 1, "{text}");
}
