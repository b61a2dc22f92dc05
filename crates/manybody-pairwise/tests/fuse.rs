//! What is one loop of the interpreter.

use manybody_law::law::{Class, Law, Lowering};
use manybody_law::simd::Level;
use manybody_pairwise::{Interpreter, Precision};

fn loops(text: &str) -> Vec<String> {
    Interpreter::new(&Law::parse(text).unwrap(), Level::Scalar, Precision::F64).loops()
}

/// Gravity takes five loops beside its sums; unfused it takes a loop an operation.
#[test]
fn what_is_fused() {
    let gravity = "body x[3], m; param e = 1; d = j.x - i.x; sum a = j.m * d / (dot(d, d) + e)^1.5; self exclude";
    let found = loops(gravity);
    assert_eq!(found[3..], ["Squares3Plus", "RsqrtCubeMul"], "{found:?}");
    let program = Law::parse(gravity).unwrap().program(Lowering::default());
    assert_eq!(program.values.iter().filter(|v| v.class == Class::PAIR).count(), 10);
    let last_is = |text, name: &str| assert_eq!(loops(text).last().map(String::as_str), Some(name), "{text}");
    last_is("body x[2]; d = j.x - i.x; min r = dot(d, d)", "Squares2");
    last_is("body x[3]; d = j.x - i.x; min r = dot(d, d)", "Squares3");
    last_is("body x[2]; param e = 1; d = j.x - i.x; min r = dot(d, d) + e", "Squares2Plus");
    let has = |loops: &[String], name: &str| loops.iter().any(|found| found == name);
    // with the comparison and the choice that keep NaN in a minimum
    let cube = loops("body x; param e = 1; d = (j.x - i.x)^2 + e; min f = d^-1.5");
    assert!(has(&cube, "RsqrtCube") && cube.last().is_some_and(|name| name == "Select"), "{cube:?}");
    // the root is a result, too
    let both = loops("body x; param e = 1; d = (j.x - i.x)^2 + e; min f = d^-1.5; min g = d^-0.5");
    assert!(has(&both, "MulSquare") && !has(&both, "RsqrtCube"), "{both:?}");
}
