//! Laws as text.

use super::{Cluster, Settings, bad, c, good, message, same_bits};
use crate::cunbody::mb_cunbody_api;
use crate::law::{mb_evaluate, mb_evaluate_f32, mb_evaluate_on, mb_evaluate_on_f32};
use crate::status::mb_status::{MB_ERROR_ARGUMENT, MB_ERROR_INPUT};
use std::ptr::{null, null_mut};

const SPRINGS: &str = "body x[3], q; param k = 2; d = j.x - i.x; sum f = k * j.q * d; sum u = j.q; self exclude";

/// The pipeline of CUNBODY-1's paper, figure 14.
const PIPELINE: &str = "float xi,yi,zi,eps2; float xj,yj,zj,mj; float dx,dy,dz; float dx2,dy2,dz2; float r2,r1i,r2i,r3i;
    float mr3i; xi = INPUT_I[0]; yi = INPUT_I[1]; zi = INPUT_I[2]; eps2 = INPUT_I[3]; xj = INPUT_J[0]; yj = INPUT_J[1];
    zj = INPUT_J[2]; mj = INPUT_J[3]; dx = xj - xi; dy = yj - yi; dz = zj - zi; dx2 = dx * dx; dy2 = dy * dy; dz2 = dz * dz;
    r2 = (dx2 + dy2) + (dz2 + eps2); r1i = 1/sqrt(r2); r2i = r1i * r1i; r3i = r2i * r1i; mr3i = mj * r3i;
    OUTPUT[0] += mr3i * dx; OUTPUT[1] += mr3i * dy; OUTPUT[2] += mr3i * dz;";

/// Two bodies with a charge.
const TWO: [f64; 8] = [0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 5.0];

fn evaluate(
    law: &str,
    par: &[f64],
    words: &[(&str, &str)],
    f: &mut [f64],
    dim: i32,
    fdim: i32,
) -> crate::status::mb_status {
    let (law, settings) = (c(law), Settings::of(words));
    let (npar, par) = (par.len() as i64, par.as_ptr());
    unsafe { mb_evaluate(settings.0, law.as_ptr(), 2, dim, TWO.as_ptr(), npar, par, fdim, f.as_mut_ptr()) }
}

#[test]
fn laws_have_rows_and_parameters() {
    let mut f = [0.0; 8];
    good(evaluate(SPRINGS, &[], &[], &mut f, 4, 4));
    assert_eq!(f, [10.0, 20.0, 30.0, 5.0, -2.0, -4.0, -6.0, 1.0]);
    good(evaluate(SPRINGS, &[3.0], &[], &mut f, 4, 4));
    assert_eq!(f[..4], [15.0, 30.0, 45.0, 5.0]);
    good(evaluate(SPRINGS, &[], &[("par", "k=1")], &mut f, 4, 4));
    assert_eq!(f[..4], [5.0, 10.0, 15.0, 5.0]);
    // a law by its name
    good(evaluate("coulomb", &[], &[("par", "k=3")], &mut f, 4, 4));
    assert_eq!(f[7], 3.0 / 14_f64.sqrt());
    let single = TWO.map(|q| q as f32);
    let (law, mut g) = (c(SPRINGS), [0.0_f32; 8]);
    good(unsafe { mb_evaluate_f32(null(), law.as_ptr(), 2, 4, single.as_ptr(), 0, null(), 4, g.as_mut_ptr()) });
    assert_eq!(g, [10.0, 20.0, 30.0, 5.0, -2.0, -4.0, -6.0, 1.0]);
}

#[test]
fn the_pipeline_of_the_paper_is_gravity() {
    let Cluster { bodies, x, m, .. } = &Cluster::of(100);
    let eps2 = 0.01;
    let row = |k: usize, last: f64| [x[3 * k], x[3 * k + 1], x[3 * k + 2], last];
    let xi: Vec<f64> = (0..100).flat_map(|k| row(k, eps2)).collect();
    let xj: Vec<f64> = (0..100).flat_map(|k| row(k, m[k])).collect();
    let (law, mut f, mut again) = (c(PIPELINE), vec![0.0; 300], vec![0.0; 300]);
    let call = |f: &mut Vec<f64>| unsafe {
        mb_cunbody_api(law.as_ptr(), 4, 4, 3, xj.as_ptr(), xi.as_ptr(), f.as_mut_ptr(), 100, 100)
    };
    good(call(&mut f));
    let gravity = manybody::solver::Gravity::new(1.0, 0.1);
    for k in 0..100 {
        let at = manybody::solver::reference_at(bodies, &gravity, k);
        let scale = at.acc.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
        assert!((0..3).all(|axis| (f[3 * k + axis] - at.acc[axis]).abs() < 1e-13 * scale), "body {k}");
    }
    let (ni, i, nj, j, to) = (100, xi.as_ptr(), 100, xj.as_ptr(), again.as_mut_ptr());
    good(unsafe { mb_evaluate_on(null(), law.as_ptr(), ni, 4, i, nj, 4, j, 0, 0, null(), 3, to) });
    same_bits(&f, &again);
    good(unsafe { mb_evaluate_on(null(), law.as_ptr(), ni, 4, i, nj, 4, j, 1, 0, null(), 3, to) });
    same_bits(&f, &again); // a pipeline includes i = j, which adds nothing here
    // a driver with more numbers than the pipeline uses
    let short = c("OUTPUT[0] += INPUT_J[0];");
    let mut sums = [0.0; 25];
    let status =
        unsafe { mb_cunbody_api(short.as_ptr(), 4, 4, 1, xj.as_ptr(), xi.as_ptr(), sums.as_mut_ptr(), 25, 100) };
    good(status);
    let sum: f64 = x.iter().step_by(3).sum();
    assert!(sums.iter().all(|s| (s - sum).abs() < 1e-12));
    let narrow = |column: &[f64]| column.iter().map(|q| *q as f32).collect::<Vec<f32>>();
    let (i, j, mut g) = (narrow(&xi), narrow(&xj), vec![0.0_f32; 300]);
    let (i, j, to) = (i.as_ptr(), j.as_ptr(), g.as_mut_ptr());
    good(unsafe { mb_evaluate_on_f32(null(), law.as_ptr(), ni, 4, i, nj, 4, j, 0, 0, null(), 3, to) });
    let scale = f.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
    // 24 bits, and a sum of a hundred terms
    assert!(f.iter().zip(&g).all(|(f, g)| (f - f64::from(*g)).abs() < 1e-5 * scale));
}

#[test]
fn what_does_not_fit_a_law_is_refused() {
    let mut f = [7.0; 8];
    bad(
        evaluate(SPRINGS, &[], &[], &mut f, 3, 4),
        MB_ERROR_INPUT,
        "idim = 3; the law reads 4 numbers of a body i: x[3], q[1]",
    );
    bad(evaluate(SPRINGS, &[], &[], &mut f, 4, 3), MB_ERROR_INPUT, "fdim = 3; the law has 4 results: fx, fy, fz, u");
    bad(evaluate(SPRINGS, &[1.0, 2.0], &[], &mut f, 4, 4), MB_ERROR_INPUT, "parameters");
    bad(evaluate(SPRINGS, &[f64::NAN], &[], &mut f, 4, 4), MB_ERROR_INPUT, "k = NaN");
    bad(evaluate(SPRINGS, &[1.0], &[("par", "k=1")], &mut f, 4, 4), MB_ERROR_INPUT, "one or the other");
    bad(evaluate("body x; sum s = j.y", &[], &[], &mut f, 4, 4), MB_ERROR_INPUT, "y");
    bad(evaluate("coulom", &[], &[], &mut f, 4, 4), MB_ERROR_INPUT, "coulomb");
    bad(evaluate(SPRINGS, &[], &[], &mut f, -4, 4), MB_ERROR_ARGUMENT, "rows of -4 numbers");
    bad(evaluate(SPRINGS, &[], &[], &mut f, 4, -1), MB_ERROR_ARGUMENT, "rows of -1 numbers");
    bad(evaluate(SPRINGS, &[], &[("dt", "1")], &mut f, 4, 4), MB_ERROR_INPUT, "dt belongs to a run");
    bad(evaluate(PIPELINE, &[], &[], &mut f, 4, 3), MB_ERROR_INPUT, "mb_evaluate_on");
    assert_eq!(f, [7.0; 8]);
    let law = c(SPRINGS);
    let nan = [0.0, f64::NAN, 0.0, 1.0, 1.0, 2.0, 3.0, 5.0];
    unsafe {
        let call = |x, f| mb_evaluate(null(), law.as_ptr(), 2, 4, x, 0, null(), 4, f);
        bad(call(nan.as_ptr(), f.as_mut_ptr()), MB_ERROR_INPUT, "NaN for body 0");
        bad(call(null(), f.as_mut_ptr()), MB_ERROR_ARGUMENT, "x: is a null pointer");
        bad(call(TWO.as_ptr(), null_mut()), MB_ERROR_ARGUMENT, "f: is a null pointer");
        bad(call(f.as_ptr(), f.as_mut_ptr()), MB_ERROR_ARGUMENT, "f overlaps x");
        good(mb_evaluate(null(), law.as_ptr(), 0, 4, null(), 0, null(), 4, null_mut()));
        let f = f.as_mut_ptr();
        bad(
            mb_evaluate(null(), null(), 2, 4, TWO.as_ptr(), 0, null(), 4, f),
            MB_ERROR_ARGUMENT,
            "law: is a null pointer",
        );
        let latin = c"sum \xe9";
        bad(mb_evaluate(null(), latin.as_ptr(), 2, 4, TWO.as_ptr(), 0, null(), 4, f), MB_ERROR_ARGUMENT, "UTF-8");
        let on = |same, nj| {
            let (x, law) = (TWO.as_ptr(), law.as_ptr());
            mb_evaluate_on(null(), law, 2, 4, x, nj, 4, x, same, 0, null(), 4, f)
        };
        bad(on(1, 2), MB_ERROR_INPUT, "mb_evaluate takes them once");
        bad(on(1, 1), MB_ERROR_ARGUMENT, "as many on both sides");
        good(on(0, 2));
        bad(mb_cunbody_api(c"oops".as_ptr(), 4, 4, 1, TWO.as_ptr(), TWO.as_ptr(), f, 2, 2), MB_ERROR_INPUT, "");
        assert!((*f).is_nan() && (*f.add(1)).is_nan());
        let colliding = c("body x; sum s = 1 / (j.x - i.x); self exclude");
        bad(
            mb_evaluate(null(), colliding.as_ptr(), 2, 1, [1.0, 1.0].as_ptr(), 0, null(), 1, f),
            MB_ERROR_INPUT,
            "body 0",
        );
    }
    assert!(!message().is_empty());
}
