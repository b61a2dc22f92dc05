//! Arrays in the memory of a GPU: what is refused before they are read. What is computed of them is tested on a GPU, by Python.

use super::{Settings, bad, c, good, message};
use crate::device::{mb_evaluate_device, mb_evaluate_on_device, mb_forces_device, mb_forces_device_f32};
use crate::status::mb_status;
use crate::status::mb_status::{MB_ERROR_ARGUMENT, MB_ERROR_DEVICE, MB_ERROR_INPUT};
use std::ptr::{null, null_mut};

const SPRINGS: &str = "body x[3], q; param k = 2; d = j.x - i.x; sum f = k * j.q * d; sum u = j.q; self exclude";
const UNLIKE: &str = "target x; source y; sum s = j.y - i.x";

/// Numbers of the host where those of a GPU must be: refused, or the GPU is missed.
#[track_caller]
pub(super) fn misplaced(status: mb_status) {
    match status {
        MB_ERROR_DEVICE => assert!(message().contains("device cuda"), "{}", message()),
        _ => bad(status, MB_ERROR_ARGUMENT, "is not in the memory of a GPU"),
    }
}

#[test]
fn forces_of_a_gpu_are_refused_unread() {
    let (x, m) = ([0.0; 6], [1.0; 2]);
    let (mut a, mut phi) = ([0.0; 6], [0.0; 2]);
    let [at, phi_at] = [a.as_mut_ptr(), phi.as_mut_ptr()];
    let call = |settings: &Settings, n, x: *const f64, m: *const f64, a, phi, jerk| unsafe {
        mb_forces_device(settings.0, null_mut(), n, x, null(), m, null(), 1.0, 0.01, a, phi, jerk)
    };
    let plain = Settings::of(&[]);
    misplaced(call(&plain, 2, x.as_ptr(), m.as_ptr(), at, phi_at, null_mut()));
    good(call(&plain, 0, null(), null(), null_mut(), null_mut(), null_mut()));
    bad(call(&plain, 2, null(), m.as_ptr(), at, phi_at, null_mut()), MB_ERROR_ARGUMENT, "x: is a null pointer");
    bad(call(&plain, -1, x.as_ptr(), m.as_ptr(), at, phi_at, null_mut()), MB_ERROR_ARGUMENT, "the size of x is -1");
    bad(call(&plain, 2, x.as_ptr(), m.as_ptr(), at, phi_at, at), MB_ERROR_ARGUMENT, "a overlaps jerk");
    bad(
        call(&plain, 2, x.as_ptr(), m.as_ptr(), null_mut(), phi_at, at),
        MB_ERROR_ARGUMENT,
        "the jerk needs velocities",
    );
    for (name, value, words) in
        [("device", "cpu", "device = cpu"), ("gpus", "2", "gpus = 2"), ("rtol", "1e-3", "rtol"), ("dt", "1", "dt")]
    {
        let settings = Settings::of(&[(name, value)]);
        bad(call(&settings, 2, x.as_ptr(), m.as_ptr(), at, phi_at, null_mut()), MB_ERROR_INPUT, words);
    }
    let (single, mut b) = ([0.0_f32; 6], [0.0_f32; 6]);
    let (x, b) = (single.as_ptr(), b.as_mut_ptr());
    misplaced(unsafe {
        mb_forces_device_f32(null(), null_mut(), 2, x, null(), x, null(), 1.0, 0.01, b, null_mut(), null_mut())
    });
}

#[test]
fn laws_of_a_gpu_are_refused_unread() {
    let (x, mut f) = ([0.0; 8], [0.0; 8]);
    let at = f.as_mut_ptr();
    let on_each_other = |law: &str, words: &[(&str, &str)], dim, fdim| unsafe {
        let (law, settings) = (c(law), Settings::of(words));
        mb_evaluate_device(settings.0, null_mut(), law.as_ptr(), 2, dim, x.as_ptr(), 0, null(), fdim, at)
    };
    misplaced(on_each_other(SPRINGS, &[], 4, 4));
    bad(on_each_other(SPRINGS, &[], 3, 4), MB_ERROR_INPUT, "idim = 3; the law reads 4 numbers of a body i");
    bad(on_each_other(SPRINGS, &[], 4, 3), MB_ERROR_INPUT, "fdim = 3; the law has 4 results");
    bad(on_each_other(SPRINGS, &[("solver", "fmm")], 4, 4), MB_ERROR_INPUT, "fmm takes arrays of the host");
    bad(on_each_other(SPRINGS, &[("device", "wgpu")], 4, 4), MB_ERROR_INPUT, "device = wgpu");
    bad(on_each_other(UNLIKE, &[], 1, 1), MB_ERROR_INPUT, "mb_evaluate_on_device takes both");
    let on_others = |law: &str, ni, nj, same, (idim, jdim, fdim)| unsafe {
        let (law, none) = (c(law), null());
        let (i, j) = (x.as_ptr(), x.as_ptr());
        mb_evaluate_on_device(null(), null_mut(), law.as_ptr(), ni, idim, i, nj, jdim, j, same, 0, none, fdim, at)
    };
    misplaced(on_others(SPRINGS, 1, 2, 0, (4, 4, 4)));
    misplaced(on_others(UNLIKE, 4, 4, 1, (1, 1, 1)));
    bad(on_others(SPRINGS, 2, 2, 1, (4, 4, 4)), MB_ERROR_INPUT, "mb_evaluate_device takes them once");
    bad(on_others(UNLIKE, 4, 3, 1, (1, 1, 1)), MB_ERROR_ARGUMENT, "ni = 4 and nj = 3");
    good(on_others(SPRINGS, 0, 2, 0, (4, 4, 4)));
}
