//! The calls of GRAPE-6 [Makino 2003], in the form that Sapporo2 has given them [Bedorf 2015]: with names that end with `_`
//! and arguments by reference, as Fortran calls them. The header grape6.h has the forms with values for C.
//!
//! A cluster keeps particles j, predicts them to the time of the particles i, and computes accelerations, jerks and
//! potentials with G = 1. It computes in f64, and on the device that MANYBODY_SETTINGS names; neighbours always on the CPU.
//!
//! ```text
//! dt = ti - tj;  x = xj + v dt + a dt^2 / 2 + j dt^3 / 6 + s dt^4 / 24;  v = vj + a dt + j dt^2 / 2 + s dt^3 / 6
//! ```
//!
//! A particle i does nothing to itself: to the particle j of the same index. Calls return 0, or -1 with a message in
//! mb_last_error.
#![allow(unsafe_code)] // exported functions

use crate::arrays::{self, In, Out, columns3};
use crate::border::{Failure, Outcome, call};
use crate::cunbody::of_environment;
use crate::gravity::{check_bodies, gravity};
use crate::status::mb_status;
use crate::{handle, threads};
use manybody::Bodies;
use manybody::solver::{self, Acting, ForceTerms, Forces, Precision};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::ffi::c_int;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The particles i that programs should pass at once: any number is computed, and more are faster.
const PIPELINES: c_int = 256;

/// The largest address of a particle j.
const MOST: usize = 1 << 26;

static CLUSTERS: LazyLock<Mutex<BTreeMap<i32, Arc<Mutex<Cluster>>>>> = LazyLock::new(Mutex::default);

/// A particle j: where it was at a time, and how it moves.
#[derive(Clone, Copy)]
struct Particle {
    index: i32,
    time: f64,
    mass: f64,
    /// Snap / 24, jerk / 6, acceleration / 2.
    snap: [f64; 3],
    jerk: [f64; 3],
    acceleration: [f64; 3],
    velocity: [f64; 3],
    position: [f64; 3],
}

/// An address that no particle has been set at.
const NO_PARTICLE: Particle = Particle {
    index: -1,
    time: 0.0,
    mass: 0.0,
    snap: [0.0; 3],
    jerk: [0.0; 3],
    acceleration: [0.0; 3],
    velocity: [0.0; 3],
    position: [0.0; 3],
};

impl Particle {
    /// Position and velocity at a time.
    fn at(&self, time: f64) -> ([f64; 3], [f64; 3]) {
        let dt = time - self.time;
        let Particle { snap: s, jerk: j, acceleration: a, velocity: v, position: x, .. } = self;
        let position = [0, 1, 2].map(|k| x[k] + dt * (v[k] + dt * (a[k] + dt * (j[k] + dt * s[k]))));
        let velocity = [0, 1, 2].map(|k| v[k] + dt * (2.0 * a[k] + dt * (3.0 * j[k] + dt * (4.0 * s[k]))));
        (position, velocity)
    }
}

/// Particles i, as the first half of a calculation takes them.
#[derive(Default)]
struct Targets {
    index: Vec<i32>,
    bodies: Bodies,
    eps2: f64,
    h2: Vec<f64>,
}

/// A GRAPE.
#[derive(Default)]
struct Cluster {
    particles: Vec<Particle>,
    time: f64,
    targets: Targets,
    /// How many particles j act.
    acting: usize,
    /// The addresses of the indices of so many particles, where they are known.
    address_of: Option<(usize, HashMap<i32, usize>)>,
    /// The neighbours of each particle i, once they are read.
    neighbours: Vec<Vec<i32>>,
}

impl Cluster {
    fn set(&mut self, address: i32, particle: Particle) -> Outcome {
        let numbers = [particle.position, particle.velocity, particle.acceleration, particle.jerk, particle.snap];
        let is_finite = numbers.iter().flatten().chain([&particle.time, &particle.mass]).all(|q| q.is_finite());
        let at = usize::try_from(address).ok().filter(|at| *at < MOST);
        let Some(at) = at else {
            return Err(Failure::Argument(format!("address = {address}; must be from 0, below {MOST}")));
        };
        if !is_finite {
            return Err(Failure::Input(format!("the particle at address {address}: all its numbers must be finite")));
        }
        if at >= self.particles.len() {
            self.particles.resize(at + 1, NO_PARTICLE);
        }
        if self.particles[at].index != particle.index {
            self.address_of = None;
        }
        self.particles[at] = particle;
        Ok(())
    }

    /// Finds the addresses of the indices of the particles j that act.
    fn find_addresses(&mut self) -> Outcome {
        if self.address_of.as_ref().is_some_and(|(acting, _)| *acting == self.acting) {
            return Ok(());
        }
        let acting = &self.particles[..self.acting];
        let mut address_of = HashMap::with_capacity(acting.len());
        for (address, particle) in acting.iter().enumerate().filter(|(_, particle)| particle.index >= 0) {
            if let Some(other) = address_of.insert(particle.index, address) {
                let index = particle.index;
                let text = format!("the particles at {other} and {address} have the same index, {index}");
                return Err(Failure::Input(text));
            }
        }
        self.address_of = Some((self.acting, address_of));
        Ok(())
    }

    /// The address of the particle j that particle i number `k` is.
    fn address(&self, k: usize) -> Option<usize> {
        let (_, address_of) = self.address_of.as_ref()?;
        address_of.get(&self.targets.index[k]).copied()
    }

    /// The addresses of the particles j that act: first those of the particles i that are among them, in the order of
    /// `which`, the particles i.
    fn order(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut which, mut order) = (Vec::new(), Vec::with_capacity(self.acting));
        let mut is_target = vec![false; self.acting];
        for k in 0..self.targets.index.len() {
            // one index may be asked for twice: each is computed alone then
            if let Some(address) = self.address(k).filter(|address| !is_target[*address]) {
                is_target[address] = true;
                which.push(k);
                order.push(address);
            }
        }
        order.extend((0..self.acting).filter(|address| !is_target[*address]));
        (which, order)
    }

    /// Particles j at the time of the particles i.
    fn predicted(&self, order: &[usize]) -> Bodies {
        let at = |address: &usize| (self.particles[*address].at(self.time), self.particles[*address].mass);
        let each: Vec<_> = order.par_iter().with_min_len(1 << 10).map(at).collect();
        let position = |k: usize| each.iter().map(|((x, _), _)| x[k]).collect();
        let velocity = |k: usize| each.iter().map(|((_, v), _)| v[k]).collect();
        Bodies {
            x: position(0),
            y: position(1),
            z: position(2),
            vx: velocity(0),
            vy: velocity(1),
            vz: velocity(2),
            mass: each.iter().map(|(_, mass)| *mass).collect(),
            id: (0..order.len() as u64).collect(),
            ..Bodies::default()
        }
    }

    /// Accelerations, jerks and potentials of the particles i.
    fn forces(&mut self) -> Outcome<Forces> {
        self.find_addresses()?;
        self.forces_by_address()
    }

    fn forces_by_address(&self) -> Outcome<Forces> {
        let n = self.targets.index.len();
        let terms = ForceTerms { potential: true, jerk: true };
        let gravity = gravity(1.0, self.targets.eps2.sqrt())?;
        let chosen = of_environment()?;
        threads::on(chosen.threads(), || {
            let mut out = Forces::zeros(n, terms);
            let (which, order) = self.order();
            let sources = self.predicted(&order);
            check_bodies(&sources)?;
            let method = chosen.method(Precision::F64, n.max(order.len()))?;
            let mut compute = |which: &[usize], acting: Acting<'_>| -> Outcome {
                if which.is_empty() {
                    return Ok(());
                }
                let targets = some(&self.targets.bodies, which);
                let found = solver::forces_between(&targets, acting, &gravity, terms, &method)?;
                put(&found, which, &mut out);
                Ok(())
            };
            compute(&which, Acting::Among(&sources))?;
            let mut is_done = vec![false; n];
            which.iter().for_each(|k| is_done[*k] = true);
            let left = (0..n).filter(|k| !is_done[*k]);
            let (again, others): (Vec<usize>, Vec<usize>) = left.partition(|k| self.address(*k).is_some());
            compute(&others, Acting::Others(&sources))?;
            for k in again {
                // one that is asked for once more: it comes first among those that act
                let address = self.address(k);
                let (own, rest): (Vec<usize>, Vec<usize>) = (0..order.len()).partition(|j| Some(order[*j]) == address);
                compute(&[k], Acting::Among(&some(&sources, &[own, rest].concat())))?;
            }
            out.check_finite(None)?;
            Ok(out)
        })
    }

    /// Calls `see` for each particle i with its number, its place and its index, and the particles j at its time.
    fn each<T: Send>(&self, see: impl Fn(usize, &Point, &[Point]) -> T + Sync) -> Outcome<Vec<T>> {
        let chosen = of_environment()?;
        threads::on(chosen.threads(), || {
            let acting = self.particles[..self.acting].iter().filter(|particle| particle.index >= 0);
            let points: Vec<Point> = acting.map(|p| Point { place: p.at(self.time).0, index: p.index }).collect();
            let own = |k: usize| Point { place: self.targets.bodies.position(k), index: self.targets.index[k] };
            Ok((0..self.targets.index.len()).into_par_iter().map(|k| see(k, &own(k), &points)).collect())
        })
    }

    /// The index of the nearest particle j of each particle i; -1 where there is no other.
    fn nearest(&self) -> Outcome<Vec<i32>> {
        self.each(|_, own, points| {
            let mut nearest = (f64::INFINITY, -1);
            for point in points {
                let r2 = own.squared_distance(point);
                if r2 < nearest.0 && point.index != own.index {
                    nearest = (r2, point.index);
                }
            }
            nearest.1
        })
    }

    /// The indices of the particles j within the distance h of each particle i, in ascending order.
    fn read_neighbours(&mut self) -> Outcome {
        self.neighbours = self.each(|k, own, points| {
            let is_near = |point: &&Point| own.squared_distance(point) < self.targets.h2[k] && point.index != own.index;
            let mut near: Vec<i32> = points.iter().filter(is_near).map(|point| point.index).collect();
            near.sort_unstable();
            near
        })?;
        Ok(())
    }
}

/// The place of a particle.
struct Point {
    place: [f64; 3],
    index: i32,
}

impl Point {
    fn squared_distance(&self, other: &Point) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| other.place[k] - self.place[k]);
        x * x + y * y + z * z
    }
}

/// Some of the bodies.
fn some(bodies: &Bodies, which: &[usize]) -> Bodies {
    let of = |column: &[f64]| which.iter().map(|k| column[*k]).collect();
    Bodies {
        x: of(&bodies.x),
        y: of(&bodies.y),
        z: of(&bodies.z),
        vx: of(&bodies.vx),
        vy: of(&bodies.vy),
        vz: of(&bodies.vz),
        mass: of(&bodies.mass),
        id: (0..which.len() as u64).collect(),
        ..Bodies::default()
    }
}

/// Writes the forces on some of the bodies.
fn put(found: &Forces, which: &[usize], out: &mut Forces) {
    let Forces { ax, ay, az, pot, jx, jy, jz } = out;
    let columns = [(ax, &found.ax), (ay, &found.ay), (az, &found.az), (pot, &found.pot)];
    let jerks = [(jx, &found.jx), (jy, &found.jy), (jz, &found.jz)];
    for (to, from) in columns.into_iter().chain(jerks) {
        which.iter().zip(from).for_each(|(k, value)| to[*k] = *value);
    }
}

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
        let begin = |cluster: &mut Cluster| {
            let known = cluster.particles.len();
            let Some(acting) = usize::try_from(nj).ok().filter(|nj| *nj <= known) else {
                return Err(Failure::Argument(format!("nj = {nj}; must be 0 to {known}, the particles that are set")));
            };
            (cluster.targets, cluster.acting, cluster.neighbours) = (targets, acting, Vec::new());
            Ok(())
        };
        // SAFETY: as this function's
        unsafe { with(id, begin) }
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
        if cluster.targets.index.len() as i64 != ni {
            let text = format!("ni = {ni}; must be {}, as in g6calc_firsthalf", cluster.targets.index.len());
            return Err(Failure::Argument(text));
        }
        let near = if nearest.is_some() { Some(cluster.nearest()?) } else { None };
        Ok((cluster.forces()?, near))
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
            let found = usize::try_from(pipe).ok().and_then(|pipe| cluster.neighbours.get(pipe).cloned());
            let known = cluster.neighbours.len();
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
