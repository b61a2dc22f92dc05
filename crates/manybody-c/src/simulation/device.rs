//! Bodies that are kept, to and from arrays in the memory of a GPU. They go through the memory of the host, where snapshots
//! and checks need them in any case: of a million bodies 56 MB, beside the forces of each step.
#![allow(unsafe_code)] // exported functions

use super::{accelerations, bodies, mb_simulation, set_bodies};
use crate::arrays;
use crate::border::{Outcome, call};
use crate::device::{fetch, put};
use crate::handle;
use crate::status::mb_status;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// mb_simulation_set_bodies of arrays in the memory of a GPU, whose numbers are copied, and which may be another GPU than
/// the one that computes. `stream` is the CUDA stream, a cudaStream_t or CUstream, on which the arrays are being written:
/// what is on it is done first, and NULL is the default stream.
///
/// # Safety
/// As `mb_simulation_set_bodies`; `stream` is a stream of the GPU, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_set_bodies_device(
    simulation: *mut mb_simulation,
    stream: *mut c_void,
    n: i64,
    x: *const f64,
    v: *const f64,
    m: *const f64,
) -> mb_status {
    call(|| {
        // SAFETY: as this function's
        unsafe { handle::of("simulation", simulation) }?;
        let mut given = vec![("x", 3, x), ("m", 1, m)];
        if !v.is_null() {
            given.push(("v", 3, v));
        }
        // SAFETY: as this function's
        unsafe {
            let found = fetch(stream, n, &given)?;
            let at = |k: usize| found.get(k).map_or(null(), |numbers| numbers.as_ptr());
            set_bodies(simulation, n, [at(0), at(2), at(1)])
        }
    })
}

/// Room on the host for an array that is on a GPU, where there is one.
fn room(name: &str, at: *mut f64, n: i64, width: usize) -> Outcome<Option<Vec<f64>>> {
    (!at.is_null()).then(|| arrays::zeros(arrays::check(name, at, n, width)?)).transpose()
}

/// mb_simulation_bodies to arrays in the memory of a GPU, which are complete when the call returns; `stream` as of
/// mb_simulation_set_bodies_device.
///
/// # Safety
/// As `mb_simulation_bodies`; `stream` is a stream of the GPU, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_bodies_device(
    simulation: *mut mb_simulation,
    stream: *mut c_void,
    n: i64,
    x: *mut f64,
    v: *mut f64,
    m: *mut f64,
) -> mb_status {
    call(|| {
        let places = [("x", 3, x), ("v", 3, v), ("m", 1, m)];
        let mut rooms = [room("x", x, n, 3)?, room("v", v, n, 3)?, room("m", m, n, 1)?];
        let at = rooms.each_mut().map(|room| room.as_mut().map_or(null_mut(), |numbers| numbers.as_mut_ptr()));
        // SAFETY: as this function's
        unsafe {
            bodies(simulation, n, at)?;
            let some = places.into_iter().zip(&rooms).filter_map(|(place, room)| Some((place, room.as_deref()?)));
            put(stream, n, &some.collect::<Vec<_>>())
        }
    })
}

/// mb_simulation_accelerations to an array in the memory of a GPU, as mb_simulation_bodies_device.
///
/// # Safety
/// As `mb_simulation_accelerations`; `stream` is a stream of the GPU, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_accelerations_device(
    simulation: *mut mb_simulation,
    stream: *mut c_void,
    n: i64,
    a: *mut f64,
) -> mb_status {
    call(|| {
        let mut numbers = arrays::zeros(arrays::check("a", a, n, 3)?)?;
        // SAFETY: as this function's
        unsafe {
            accelerations(simulation, n, numbers.as_mut_ptr())?;
            put(stream, n, &[(("a", 3, a), &numbers)])
        }
    })
}
