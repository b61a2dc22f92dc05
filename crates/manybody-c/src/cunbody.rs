//! The calls of CUNBODY-1 [Hamada 2007, figures 9 and 12], as the headers cunbody.h and cunbody_api.h have them.
//!
//! Their programs name no device and no precision: the environment variable MANYBODY_SETTINGS does, in words NAME=VALUE.
#![allow(unsafe_code)] // exported functions

use crate::arrays::Out;
use crate::border::{Failure, Outcome, call};
use crate::gravity::accelerations_at;
use crate::law::pipeline;
use crate::settings::Chosen;
use crate::status::mb_status;
use std::ffi::{c_char, c_int};

/// The settings that the environment names.
pub(crate) fn of_environment() -> Outcome<Chosen> {
    let words = std::env::var_os("MANYBODY_SETTINGS").unwrap_or_default();
    Chosen::of_words(&words.to_string_lossy())
        .map_err(|failure| Failure::Input(format!("MANYBODY_SETTINGS: {}", failure.message())))
}

/// Results of a call that has failed: its caller looks at no status.
///
/// # Safety
/// As [`Out::new`].
unsafe fn refuse(a: *mut f64, n: c_int, width: usize) {
    // SAFETY: as this function's
    if let Ok(mut a) = unsafe { Out::new("a", a, n.into(), width) } {
        a.fill(f64::NAN);
    }
}

/// CUNBODY-1's `force`, with a status: the accelerations `a` [ni][3] that `nj` bodies at `xj` [nj][3] with masses `mj`
/// [nj] cause at the places `xi` [ni][3], with G = 1 and the square `eps2` of the softening length. Computed in f64, on
/// the device that the environment variable MANYBODY_SETTINGS names, as in "device=cuda precision=f32". On an error `a`
/// is filled with NaN.
///
/// # Safety
/// The arrays have these sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_cunbody_force(
    xj: *const f64,
    mj: *const f64,
    xi: *const f64,
    eps2: f64,
    a: *mut f64,
    ni: c_int,
    nj: c_int,
) -> mb_status {
    let status = call(|| {
        if !(eps2 >= 0.0 && eps2.is_finite()) {
            return Err(Failure::Input(format!("eps2 = {eps2}; must be the square of a softening length, 0 or more")));
        }
        let chosen = of_environment()?;
        // SAFETY: as this function's
        unsafe { accelerations_at(&chosen, ni.into(), xi, nj.into(), [xj, mj], 1.0, eps2.sqrt(), a) }
    });
    if status != mb_status::MB_OK {
        // SAFETY: as this function's
        unsafe { refuse(a, ni, 3) };
    }
    status
}

/// CUNBODY-1's `cunbody_api`, with a status: what `pipeline_description`, a text or the name of a file with one, makes of
/// `nj` bodies `xj` [nj][jdim] acting on `ni` bodies `xi` [ni][idim]: `f` [ni][fdim]. Otherwise as
/// mb_cunbody_force.
///
/// # Safety
/// The arrays have these sizes; `pipeline_description` is a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_cunbody_api(
    pipeline_description: *const c_char,
    idim: c_int,
    jdim: c_int,
    fdim: c_int,
    xj: *const f64,
    xi: *const f64,
    f: *mut f64,
    ni: c_int,
    nj: c_int,
) -> mb_status {
    let status = call(|| {
        let (chosen, dims) = (of_environment()?, [idim, jdim, fdim]);
        // SAFETY: as this function's
        unsafe { pipeline(&chosen, pipeline_description, dims, (nj.into(), xj), (ni.into(), xi), f) }
    });
    if let (true, Ok(width)) = (status != mb_status::MB_OK, usize::try_from(fdim)) {
        // SAFETY: as this function's
        unsafe { refuse(f, ni, width) };
    }
    status
}
