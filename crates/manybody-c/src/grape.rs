//! The calls of GRAPE-6 [Makino 2003], in the form that Sapporo2 has given them [Bedorf 2015]: with names that end with `_`
//! and arguments by reference, as Fortran calls them. The header grape6.h has the forms with values for C.
//!
//! A cluster keeps particles j, predicts them to the time of the particles i, and computes accelerations, jerks and
//! potentials with G = 1. It computes in f64, and on the device that MANYBODY_SETTINGS names. With `device=cuda` the first GPU
//! keeps the particles j, predicts them and finds the nearest one; lists of neighbours are always made on the CPU.
//!
//! ```text
//! dt = ti - tj;  x = xj + v dt + a dt^2 / 2 + j dt^3 / 6 + s dt^4 / 24;  v = vj + a dt + j dt^2 / 2 + s dt^3 / 6
//! ```
//!
//! A particle i does nothing to itself: to the particle j of the same index. Calls return 0, or -1 with a message in
//! mb_last_error.
#![allow(unsafe_code)] // exported functions

mod cluster;
#[cfg(feature = "gpu")]
mod resident;

use crate::arrays::{self, In, Out, columns3};
use crate::border::{Failure, Outcome, call};
use crate::cunbody::of_environment;
use crate::gravity::check_bodies;
use crate::handle;
use crate::status::mb_status;
use cluster::{Cluster, Found, Particle, Targets};
use manybody::Bodies;
use manybody::solver::Precision;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The particles i that programs should pass at once: any number is computed, and more are faster.
const PIPELINES: c_int = 256;

static CLUSTERS: LazyLock<Mutex<BTreeMap<i32, Arc<Mutex<Cluster>>>>> = LazyLock::new(Mutex::default);

/// Calls `work` with a cluster.
///
/// # Safety
/// `id` is null or points to a number.
unsafe fn with<T>(id: *const c_int, work: impl FnOnce(&mut Cluster) -> Outcome<T>) -> Outcome<T> {
    // SAFETY: as this function's
    let id = unsafe { number("the cluster", id) }?;
    let clusters = CLUSTERS.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(cluster) = clusters.get(&id).cloned() else {
        return Err(Failure::Argument(format!("cluster {id} is not open: g6_open comes first")));
    };
    drop(clusters);
    let mut cluster = cluster.lock().map_err(|_| Failure::Broken)?;
    work(&mut cluster)
}

/// The number at a pointer.
///
/// # Safety
/// As [`In::new`].
unsafe fn number<T: Copy>(name: &'static str, at: *const T) -> Outcome<T> {
    // SAFETY: as this function's
    Ok(unsafe { In::new(name, at, 1, 1) }?.slice()[0])
}

/// Three numbers at a pointer.
///
/// # Safety
/// As [`In::new`].
unsafe fn three(name: &'static str, at: *const f64) -> Outcome<[f64; 3]> {
    // SAFETY: as this function's
    let numbers = unsafe { In::new(name, at, 3, 1) }?;
    Ok([0, 1, 2].map(|k| numbers.slice()[k]))
}

/// What the calls return.
fn answer(status: mb_status) -> c_int {
    if status == mb_status::MB_OK { 0 } else { -1 }
}

/// Opens a cluster, without particles.
///
/// # Safety
/// `id` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_open_(id: *const c_int) -> c_int {
    answer(call(|| {
        // SAFETY: as this function's
        let id = unsafe { number("the cluster", id) }?;
        // what the environment names is refused here, not in the midst of a run
        of_environment()?.method(Precision::F64, 1)?;
        let mut clusters = CLUSTERS.lock().unwrap_or_else(PoisonError::into_inner);
        clusters.insert(id, Arc::default());
        Ok(())
    }))
}

/// Closes a cluster.
///
/// # Safety
/// `id` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_close_(id: *const c_int) -> c_int {
    answer(call(|| {
        // SAFETY: as this function's
        let id = unsafe { number("the cluster", id) }?;
        CLUSTERS.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        Ok(())
    }))
}

/// How many particles i are best passed at once; any number is computed.
#[unsafe(no_mangle)]
pub extern "C" fn g6_npipes_() -> c_int {
    PIPELINES
}

/// Does nothing: times have no unit here.
#[unsafe(no_mangle)]
pub extern "C" fn g6_set_tunit_(_: *const f64) -> c_int {
    0
}

/// Does nothing: lengths have no unit here.
#[unsafe(no_mangle)]
pub extern "C" fn g6_set_xunit_(_: *const f64) -> c_int {
    0
}

/// Removes the particles of a cluster.
///
/// # Safety
/// `id` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_reset_(id: *const c_int) -> c_int {
    let reset = |cluster: &mut Cluster| {
        *cluster = Cluster::default();
        Ok(())
    };
    // SAFETY: as this function's
    answer(call(|| unsafe { with(id, reset) }))
}

/// Does nothing: there is no such hardware.
#[unsafe(no_mangle)]
pub extern "C" fn g6_reset_fofpga_(_: *const c_int) -> c_int {
    0
}

/// Does nothing: particles j are stored when they are set.
#[unsafe(no_mangle)]
pub extern "C" fn g6_initialize_jp_buffer_(_: *const c_int, _: *const c_int) -> c_int {
    0
}

/// Does nothing: particles j are stored when they are set.
#[unsafe(no_mangle)]
pub extern "C" fn g6_flush_jp_buffer_(_: *const c_int) -> c_int {
    0
}

/// Sets the time of the particles i, to which particles j are predicted.
///
/// # Safety
/// The pointers point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_set_ti_(id: *const c_int, ti: *const f64) -> c_int {
    answer(call(|| {
        // SAFETY: as this function's
        unsafe {
            let time = number("ti", ti)?;
            if !time.is_finite() {
                return Err(Failure::Input(format!("ti = {time}; must be a finite time")));
            }
            with(id, |cluster| {
                cluster.time = time;
                Ok(())
            })
        }
    }))
}

/// Sets the particle j at an address, from 0: its index, time, time step (not used), mass, the second derivative of its
/// acceleration / 18, its jerk / 6, its acceleration / 2, its velocity and its position.
///
/// # Safety
/// The pointers point to a number each, the last five to three.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_set_j_particle_(
    id: *const c_int,
    address: *const c_int,
    index: *const c_int,
    tj: *const f64,
    _dtj: *const f64,
    mass: *const f64,
    k18: *const f64,
    j6: *const f64,
    a2: *const f64,
    v: *const f64,
    x: *const f64,
) -> c_int {
    answer(call(|| {
        // SAFETY: as this function's
        unsafe {
            let particle = Particle {
                index: number("index", index)?,
                time: number("tj", tj)?,
                mass: number("mass", mass)?,
                snap: three("k18", k18)?.map(|k| k * (18.0 / 24.0)),
                jerk: three("j6", j6)?,
                acceleration: three("a2", a2)?,
                velocity: three("v", v)?,
                position: three("x", x)?,
            };
            let address = number("address", address)?;
            with(id, |cluster| cluster.set(address, particle))
        }
    }))
}

/// Takes the particles i: their indices, positions, velocities, and the squares of the softening length and of their radii of
/// neighbours. The particles j at the addresses 0 to nj - 1 act on them. Former accelerations, jerks and potentials, which a
/// GRAPE scales its numbers by, are not used.
///
/// # Safety
/// The arrays have `ni` rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6calc_firsthalf_(
    id: *const c_int,
    nj: *const c_int,
    ni: *const c_int,
    index: *const c_int,
    xi: *const f64,
    vi: *const f64,
    _aold: *const f64,
    _j6old: *const f64,
    _phiold: *const f64,
    eps2: *const f64,
    h2: *const f64,
) -> c_int {
    answer(call(|| {
        // SAFETY: as this function's
        unsafe {
            with(id, |cluster| {
                cluster.forget_targets();
                Ok(())
            })?;
        }
        // SAFETY: as this function's
        let (nj, eps2, targets) = unsafe {
            let (nj, ni) = (number("nj", nj)?, i64::from(number("ni", ni)?));
            let (index, h2) = (In::new("index", index, ni, 1)?, In::new("h2", h2, ni, 1)?);
            let (xi, vi, eps2) = (In::new("xi", xi, ni, 3)?, In::new("vi", vi, ni, 3)?, number("eps2", eps2)?);
            let ([x, y, z], [vx, vy, vz]) = (columns3(&xi)?, columns3(&vi)?);
            let n = x.len();
            let bodies = Bodies { x, y, z, vx, vy, vz, ..Bodies::zeros(n) };
            let (index, h2) = (index.slice().to_vec(), arrays::column(&h2)?);
            (nj, eps2, Targets { index, bodies, eps2, h2 })
        };
        check_bodies(&targets.bodies)?;
        if !(eps2 >= 0.0 && eps2.is_finite()) {
            return Err(Failure::Input(format!("eps2 = {eps2}; must be the square of a softening length, 0 or more")));
        }
        // SAFETY: as this function's
        unsafe { with(id, |cluster| cluster.begin(nj, targets)) }
    }))
}

/// Computes the accelerations, jerks and potentials of the particles i of g6calc_firsthalf_.
///
/// # Safety
/// The arrays have `ni` rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6calc_lasthalf_(
    id: *const c_int,
    _nj: *const c_int,
    ni: *const c_int,
    _index: *const c_int,
    _xi: *const f64,
    _vi: *const f64,
    _eps2: *const f64,
    _h2: *const f64,
    acc: *mut f64,
    jerk: *mut f64,
    pot: *mut f64,
) -> c_int {
    // SAFETY: as this function's
    answer(call(|| unsafe { last_half(id, ni, [acc, jerk, pot], None) }))
}

/// The same, with the index of the nearest particle j of each particle i, or -1.
///
/// # Safety
/// The arrays have `ni` rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6calc_lasthalf2_(
    id: *const c_int,
    _nj: *const c_int,
    ni: *const c_int,
    _index: *const c_int,
    _xi: *const f64,
    _vi: *const f64,
    _eps2: *const f64,
    _h2: *const f64,
    acc: *mut f64,
    jerk: *mut f64,
    pot: *mut f64,
    nnbindex: *mut c_int,
) -> c_int {
    // SAFETY: as this function's
    answer(call(|| unsafe { last_half(id, ni, [acc, jerk, pot], Some(nnbindex)) }))
}

/// # Safety
/// As [`g6calc_lasthalf2_`].
unsafe fn last_half(
    id: *const c_int,
    ni: *const c_int,
    [acc, jerk, pot]: [*mut f64; 3],
    nearest: Option<*mut c_int>,
) -> Outcome {
    // SAFETY: as this function's
    let (ni, mut acc, mut jerk, mut pot, mut nearest) = unsafe {
        let ni = i64::from(number("ni", ni)?);
        let nearest = nearest.map(|at| Out::new("nnbindex", at, ni, 1)).transpose()?;
        let (acc, jerk) = (Out::new("acc", acc, ni, 3)?, Out::new("jerk", jerk, ni, 3)?);
        (ni, acc, jerk, Out::new("pot", pot, ni, 1)?, nearest)
    };
    let places = [Some(acc.place()), Some(jerk.place()), Some(pot.place()), nearest.as_ref().map(Out::place)];
    arrays::check_apart(&places, &[])?;
    let finish = |cluster: &mut Cluster| {
        if cluster.count() as i64 != ni {
            let text = format!("ni = {ni}; must be {}, as in g6calc_firsthalf", cluster.count());
            return Err(Failure::Argument(text));
        }
        let Found { forces, nearest: known } = cluster.forces()?;
        let near = match known.filter(|_| nearest.is_some()) {
            None if nearest.is_some() => Some(cluster.nearest()?),
            known => known,
        };
        Ok((forces, near))
    };
    // SAFETY: as this function's
    let (found, near) = unsafe { with(id, finish) }?;
    acc.write_rows(&[&found.ax, &found.ay, &found.az]);
    jerk.write_rows(&[&found.jx, &found.jy, &found.jz]);
    pot.write_rows(&[&found.pot]);
    if let (Some(to), Some(near)) = (&mut nearest, near) {
        to.slice().copy_from_slice(&near);
    }
    Ok(())
}

/// Finds the neighbours of the particles i of the last g6calc_firsthalf_: particles j, other than itself, nearer than the
/// radius.
///
/// # Safety
/// `id` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_read_neighbour_list_(id: *const c_int) -> c_int {
    // SAFETY: as this function's
    answer(call(|| unsafe { with(id, Cluster::read_neighbours) }))
}

/// Writes the indices of the neighbours of particle i number `ipipe`, from 0, in ascending order, and how many they are. Of
/// more than `maxlength` the first are written, and 1 is returned.
///
/// # Safety
/// `neighbours` has `maxlength` numbers; the others point to a number each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g6_get_neighbour_list_(
    id: *const c_int,
    ipipe: *const c_int,
    maxlength: *const c_int,
    n_neighbours: *mut c_int,
    neighbours: *mut c_int,
) -> c_int {
    let mut is_cut = false;
    let status = call(|| {
        // SAFETY: as this function's
        let (pipe, mut room) = unsafe {
            let most = i64::from(number("maxlength", maxlength)?);
            (number("ipipe", ipipe)?, Out::new("neighbour_list", neighbours, most, 1)?)
        };
        let list = |cluster: &mut Cluster| {
            let found = usize::try_from(pipe).ok().and_then(|pipe| cluster.neighbours().get(pipe).cloned());
            let known = cluster.neighbours().len();
            let text =
                || format!("ipipe = {pipe}; g6_read_neighbour_list has read the neighbours of {known} particles");
            found.ok_or_else(|| Failure::Argument(text()))
        };
        // SAFETY: as this function's
        let found = unsafe { with(id, list) }?;
        let written = found.len().min(room.slice().len());
        room.slice()[..written].copy_from_slice(&found[..written]);
        is_cut = written < found.len();
        // SAFETY: as this function's
        unsafe { handle::put(n_neighbours, found.len() as c_int) };
        Ok(())
    });
    if is_cut { 1 } else { answer(status) }
}
