//! Forces of arrays in the memory of a GPU: pointers of the device in and out.
#![allow(unsafe_code)] // exported functions
#![cfg_attr(not(feature = "gpu"), allow(dead_code))] // a library without GPUs reads no argument

use crate::border::{Outcome, call};
use crate::settings::{Chosen, mb_settings};
use crate::status::mb_status;
use std::ffi::{c_char, c_int, c_void};

#[cfg(feature = "gpu")]
mod gpu;

pub(crate) use gpu::{fetch, put};

/// An array of a caller on a GPU: its name, numbers in a row, and where it is.
pub(crate) type Column<P> = (&'static str, usize, P);

/// Bodies of one side of a law: how many, numbers of each, and where they are.
type Rows<T> = (i64, c_int, *const T);

#[cfg(not(feature = "gpu"))]
mod gpu {
    //! A library without GPUs.
    use super::{Bodies, Call, Column, LawCall, Outcome, Results};
    use crate::border::Failure;
    use crate::gravity::Precise;
    use std::ffi::c_void;

    fn without<T>() -> Outcome<T> {
        let how = "this library was built without GPUs; the feature gpu of manybody-c has them".into();
        Err(Failure::Library(manybody::Error::NoDevice { device: "cuda", how }))
    }

    pub(super) unsafe fn forces<T: Precise>(_: &Call, _: &Bodies<T>, _: &Results<T>) -> Outcome {
        without()
    }

    pub(super) unsafe fn evaluate<T: Precise>(_: &Call, _: &LawCall<T>) -> Outcome {
        without()
    }

    pub(crate) unsafe fn fetch(_: *mut c_void, _: i64, _: &[Column<*const f64>]) -> Outcome<Vec<Vec<f64>>> {
        without()
    }

    pub(crate) unsafe fn put(_: *mut c_void, _: i64, _: &[(Column<*mut f64>, &[f64])]) -> Outcome {
        without()
    }
}

/// What every call has: settings, and the stream on which the arrays are written.
struct Call {
    chosen: Chosen,
    stream: u64,
}

impl Call {
    /// # Safety
    /// `settings` is null or a handle.
    unsafe fn of(settings: *const mb_settings, stream: *mut c_void) -> Outcome<Self> {
        // SAFETY: as this function's
        let chosen = unsafe { Chosen::of(settings) }?;
        Ok(Call { chosen, stream: handle_of(stream) })
    }
}

/// The stream 0 of CUDA is the default one, whose handle is 1.
fn handle_of(stream: *mut c_void) -> u64 {
    (stream.addr() as u64).max(1)
}

/// Bodies under gravity.
struct Bodies<T> {
    n: i64,
    x: *const T,
    v: *const T,
    m: *const T,
    eps_each: *const T,
    g: f64,
    eps: f64,
}

/// Where results go; null for those that are not computed.
struct Results<T> {
    a: *mut T,
    phi: *mut T,
    jerk: *mut T,
}

/// A law and its bodies.
struct LawCall<T> {
    law: *const c_char,
    i: Rows<T>,
    /// `None`: those acted on.
    j: Option<Rows<T>>,
    same: c_int,
    par: (i64, *const T),
    f: (c_int, *mut T),
}

/// mb_forces of arrays in the memory of a GPU, which computes: `x`, `v`, `m` and `eps_each` are read there, and results are
/// written there. Of bodies without mass, and of errors, the host gets numbers, else no array. `stream` is the CUDA stream, a
/// cudaStream_t or CUstream, on which the arrays are being written: what is on it is done first, and NULL is the default
/// stream. The results are complete when the call returns. All pairs are computed, on the GPU of `x`: the settings device,
/// gpus, rtol and solver cannot ask for something else.
///
/// # Safety
/// The arrays have these sizes; `settings` is null or a handle; `stream` is a stream of the GPU, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_forces_device(
    settings: *const mb_settings,
    stream: *mut c_void,
    n: i64,
    x: *const f64,
    v: *const f64,
    m: *const f64,
    eps_each: *const f64,
    g: f64,
    eps: f64,
    a: *mut f64,
    phi: *mut f64,
    jerk: *mut f64,
) -> mb_status {
    let (bodies, results) = (Bodies { n, x, v, m, eps_each, g, eps }, Results { a, phi, jerk });
    // SAFETY: as this function's
    call(|| unsafe { gpu::forces(&Call::of(settings, stream)?, &bodies, &results) })
}

/// mb_forces_device of arrays of float, in f32 unless the settings name another precision.
///
/// # Safety
/// As [`mb_forces_device`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_forces_device_f32(
    settings: *const mb_settings,
    stream: *mut c_void,
    n: i64,
    x: *const f32,
    v: *const f32,
    m: *const f32,
    eps_each: *const f32,
    g: f64,
    eps: f64,
    a: *mut f32,
    phi: *mut f32,
    jerk: *mut f32,
) -> mb_status {
    let (bodies, results) = (Bodies { n, x, v, m, eps_each, g, eps }, Results { a, phi, jerk });
    // SAFETY: as this function's
    call(|| unsafe { gpu::forces(&Call::of(settings, stream)?, &bodies, &results) })
}

/// mb_evaluate of arrays `x` and `f` in the memory of a GPU, as mb_forces_device; `par` is in the memory of the CPU.
///
/// # Safety
/// As [`mb_forces_device`]; `law` is a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_evaluate_device(
    settings: *const mb_settings,
    stream: *mut c_void,
    law: *const c_char,
    n: i64,
    dim: c_int,
    x: *const f64,
    npar: i64,
    par: *const f64,
    fdim: c_int,
    f: *mut f64,
) -> mb_status {
    let given = LawCall { law, i: (n, dim, x), j: None, same: 1, par: (npar, par), f: (fdim, f) };
    // SAFETY: as this function's
    call(|| unsafe { gpu::evaluate(&Call::of(settings, stream)?, &given) })
}

/// mb_evaluate_device of arrays of float, in f32 unless the settings name another precision.
///
/// # Safety
/// As [`mb_evaluate_device`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_evaluate_device_f32(
    settings: *const mb_settings,
    stream: *mut c_void,
    law: *const c_char,
    n: i64,
    dim: c_int,
    x: *const f32,
    npar: i64,
    par: *const f32,
    fdim: c_int,
    f: *mut f32,
) -> mb_status {
    let given = LawCall { law, i: (n, dim, x), j: None, same: 1, par: (npar, par), f: (fdim, f) };
    // SAFETY: as this function's
    call(|| unsafe { gpu::evaluate(&Call::of(settings, stream)?, &given) })
}

/// mb_evaluate_on of arrays `xi`, `xj` and `f` in the memory of a GPU, as mb_evaluate_device.
///
/// # Safety
/// As [`mb_evaluate_device`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_evaluate_on_device(
    settings: *const mb_settings,
    stream: *mut c_void,
    law: *const c_char,
    ni: i64,
    idim: c_int,
    xi: *const f64,
    nj: i64,
    jdim: c_int,
    xj: *const f64,
    same: c_int,
    npar: i64,
    par: *const f64,
    fdim: c_int,
    f: *mut f64,
) -> mb_status {
    let given = LawCall { law, i: (ni, idim, xi), j: Some((nj, jdim, xj)), same, par: (npar, par), f: (fdim, f) };
    // SAFETY: as this function's
    call(|| unsafe { gpu::evaluate(&Call::of(settings, stream)?, &given) })
}

/// mb_evaluate_on_device of arrays of float, in f32 unless the settings name another precision.
///
/// # Safety
/// As [`mb_evaluate_device`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_evaluate_on_device_f32(
    settings: *const mb_settings,
    stream: *mut c_void,
    law: *const c_char,
    ni: i64,
    idim: c_int,
    xi: *const f32,
    nj: i64,
    jdim: c_int,
    xj: *const f32,
    same: c_int,
    npar: i64,
    par: *const f32,
    fdim: c_int,
    f: *mut f32,
) -> mb_status {
    let given = LawCall { law, i: (ni, idim, xi), j: Some((nj, jdim, xj)), same, par: (npar, par), f: (fdim, f) };
    // SAFETY: as this function's
    call(|| unsafe { gpu::evaluate(&Call::of(settings, stream)?, &given) })
}
