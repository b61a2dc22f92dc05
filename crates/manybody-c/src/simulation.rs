//! Bodies that are kept by the library: their forces, steps, energies and files.
#![allow(unsafe_code)] // exported functions

pub(crate) mod device;
mod kept;

use crate::arrays::{self, In, Out, check_apart};
use crate::border::{Failure, Outcome, call};
use crate::gravity::Given;
use crate::settings::{Chosen, mb_settings};
use crate::status::mb_status;
use crate::{handle, text, threads};
use kept::{Kept, resumed, started};
use manybody::driver::{Driver, End};
use manybody::law::Targets;
use manybody::{Bodies, Snapshot, Units, snapshot};
use std::ffi::c_char;
use std::sync::{Mutex, TryLockError};

/// Bodies that the library keeps, with what accelerates them. A handle is used by one thread at a time; a call that meets
/// another one returns MB_ERROR_BUSY.
#[allow(non_camel_case_types)]
pub struct mb_simulation(Mutex<Kept>);

/// Calls `work` with what a handle keeps, on the threads that its settings name.
///
/// # Safety
/// As [`handle::of`].
unsafe fn with<T: Send>(at: *mut mb_simulation, work: impl FnOnce(&mut Kept) -> Outcome<T> + Send) -> Outcome<T> {
    // SAFETY: as this function's
    let simulation = unsafe { handle::of("simulation", at) }?;
    let mut kept = match simulation.0.try_lock() {
        Ok(kept) => kept,
        Err(TryLockError::WouldBlock) => return Err(Failure::Busy("simulation")),
        Err(TryLockError::Poisoned(_)) => return Err(Failure::Broken),
    };
    let kept = &mut *kept;
    threads::on(kept.chosen.threads(), move || work(kept))
}

/// Makes a handle of what `make` finds, on the threads that the settings name.
///
/// # Safety
/// As [`handle::give`] and [`Chosen::of`].
unsafe fn make(
    settings: *const mb_settings,
    simulation: *mut *mut mb_simulation,
    make: impl FnOnce(Chosen) -> Outcome<Kept> + Send,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe {
        handle::give(simulation, || {
            let chosen = Chosen::of(settings)?;
            let kept = threads::on(chosen.threads(), || make(chosen))?;
            Ok(mb_simulation(Mutex::new(kept)))
        })
    })
}

/// Keeps `n` bodies: places `x` [n][3], velocities `v` [n][3] or null for bodies at rest, masses `m` [n]. `units` is
/// the name of a system of units, as "msun-pc-kms", or null for G = 1. Settings that are not given are chosen for the bodies,
/// as by the command, when they are first needed. To be freed with mb_simulation_free.
///
/// # Safety
/// `settings` is null or a handle; the texts end with a zero; the arrays have these sizes; `simulation` points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_new(
    settings: *const mb_settings,
    units: *const c_char,
    n: i64,
    x: *const f64,
    v: *const f64,
    m: *const f64,
    simulation: *mut *mut mb_simulation,
) -> mb_status {
    let arguments = || -> Outcome<Snapshot> {
        // SAFETY: as this function's
        unsafe {
            let units = if units.is_null() { "g1" } else { text::text("units", units)? };
            let (x, v, m) = (In::new("x", x, n, 3)?, In::optional("v", v, n, 3)?, In::new("m", m, n, 1)?);
            Ok(Snapshot {
                units: Units::by_name(units)?,
                bodies: Given { x, v, m, eps: None }.bodies()?,
                ..Snapshot::default()
            })
        }
    };
    let arguments = arguments();
    let kept = |chosen: Chosen| {
        chosen.refuse_start()?;
        Ok(Kept::of(chosen, arguments?))
    };
    // SAFETY: as this function's
    unsafe { make(settings, simulation, kept) }
}

/// Begins the run that settings describe, without writing a file: bodies from the settings `ic`, `n`, `seed` and the
/// parameters of initial conditions, or from `file`, or, of a run that was stopped, from `resume`.
///
/// # Safety
/// `settings` is null or a handle; `simulation` points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_start(
    settings: *const mb_settings,
    simulation: *mut *mut mb_simulation,
) -> mb_status {
    let kept = |chosen: Chosen| {
        let run = started(chosen.settings.clone())?;
        Ok(Kept::of_run(chosen, run))
    };
    // SAFETY: as this function's
    unsafe { make(settings, simulation, kept) }
}

/// Keeps the bodies of a snapshot file, in any format, as those that a new run begins with.
///
/// # Safety
/// `settings` is null or a handle; `path` is a text that ends with a zero; `simulation` points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_load(
    settings: *const mb_settings,
    path: *const c_char,
    simulation: *mut *mut mb_simulation,
) -> mb_status {
    // SAFETY: as this function's
    let path = unsafe { text::path("path", path) };
    let kept = |chosen: Chosen| {
        chosen.refuse_start()?;
        Ok(Kept::of(chosen, snapshot::read(path?)?))
    };
    // SAFETY: as this function's
    unsafe { make(settings, simulation, kept) }
}

/// Goes on with the run that a file has kept, of mb_simulation_save or of the command: with the same bits as without the
/// pause. Settings that are given take the place of the run's own.
///
/// # Safety
/// As [`mb_simulation_load`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_resume(
    settings: *const mb_settings,
    path: *const c_char,
    simulation: *mut *mut mb_simulation,
) -> mb_status {
    // SAFETY: as this function's
    let path = unsafe { text::path("path", path) };
    let kept = |chosen: Chosen| {
        chosen.refuse_start()?;
        let run = resumed(&chosen, &path?)?;
        Ok(Kept::of_run(chosen, run))
    };
    // SAFETY: as this function's
    unsafe { make(settings, simulation, kept) }
}

/// Writes the bodies to a file, in the format of its extension; of a run also all that mb_simulation_resume needs.
///
/// # Safety
/// `simulation` is a handle; `path` is a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_save(simulation: *mut mb_simulation, path: *const c_char) -> mb_status {
    call(|| {
        // SAFETY: as this function's
        unsafe {
            let path = text::path("path", path)?;
            with(simulation, |kept| kept.save(&path))
        }
    })
}

/// Puts other bodies in place of those that are kept, as mb_simulation_new takes them; a new run begins with them, at the
/// present time.
///
/// # Safety
/// `simulation` is a handle; the arrays have these sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_set_bodies(
    simulation: *mut mb_simulation,
    n: i64,
    x: *const f64,
    v: *const f64,
    m: *const f64,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { set_bodies(simulation, n, [x, v, m]) })
}

/// # Safety
/// As [`mb_simulation_set_bodies`].
unsafe fn set_bodies(simulation: *mut mb_simulation, n: i64, [x, v, m]: [*const f64; 3]) -> Outcome {
    // SAFETY: as this function's
    unsafe {
        let (x, v, m) = (In::new("x", x, n, 3)?, In::optional("v", v, n, 3)?, In::new("m", m, n, 1)?);
        let bodies = Given { x, v, m, eps: None }.bodies()?;
        with(simulation, |kept| {
            kept.change(|old| {
                *old = bodies;
                Ok(())
            })
        })
    }
}

/// Sets a column of the bodies: x, y, z, vx, vy, vz, mass, eps, or any other name, as "q", which laws read. A new run begins
/// with the bodies, at the present time.
///
/// # Safety
/// `simulation` is a handle; `name` is a text that ends with a zero; `values` has a number for each body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_set_column(
    simulation: *mut mb_simulation,
    name: *const c_char,
    n: i64,
    values: *const f64,
) -> mb_status {
    call(|| {
        // SAFETY: as this function's
        let (name, values) = unsafe { (text::text("name", name)?, arrays::column(&In::new("values", values, n, 1)?)?) };
        let work = |kept: &mut Kept| {
            let bodies = kept.count();
            if values.len() != bodies {
                let text = format!("n = {}; must be {bodies}, one number for each body", values.len());
                return Err(Failure::Argument(text));
            }
            if !arrays::all_finite(&values) {
                let found = values.iter().position(|q| !q.is_finite()).unwrap_or(0);
                let text = format!("{name}[{found}] = {}; must be a finite number", values[found]);
                return Err(Failure::Input(text));
            }
            kept.change(|bodies| set_column(bodies, name, values))
        };
        // SAFETY: as this function's
        unsafe { with(simulation, work) }
    })
}

fn set_column(bodies: &mut Bodies, name: &str, values: Vec<f64>) -> Outcome {
    match name {
        "x" => bodies.x = values,
        "y" => bodies.y = values,
        "z" => bodies.z = values,
        "vx" => bodies.vx = values,
        "vy" => bodies.vy = values,
        "vz" => bodies.vz = values,
        "mass" => bodies.mass = values,
        "eps" => bodies.eps = Some(values),
        "id" | "kind" => {
            return Err(Failure::Input(format!("name = {name}; this column has whole numbers, and is not set so")));
        }
        other => drop(bodies.extra.insert(other.into(), values)),
    }
    Ok(())
}

/// Reads a column of the bodies by its name.
///
/// # Safety
/// As [`mb_simulation_set_column`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_column(
    simulation: *mut mb_simulation,
    name: *const c_char,
    n: i64,
    values: *mut f64,
) -> mb_status {
    call(|| {
        // SAFETY: as this function's
        let (name, mut values) = unsafe { (text::text("name", name)?, Out::new("values", values, n, 1)?) };
        let work = |kept: &mut Kept| {
            let bodies = kept.bodies()?;
            let Some(column) = bodies.column(name) else {
                let known = bodies.column_names().join(", ");
                return Err(Failure::Input(format!("name = {name}; the bodies have the columns {known}")));
            };
            Ok(column.into_owned())
        };
        // SAFETY: as this function's
        let column = unsafe { with(simulation, work) }?;
        write(&mut values, 1, &[&column])
    })
}

/// Writes columns as rows where a caller has room for so many.
fn write(to: &mut Out<f64>, width: usize, columns: &[&[f64]]) -> Outcome {
    let (room, needed) = (to.slice().len() / width, columns[0].len());
    if room != needed {
        return Err(Failure::Argument(format!("n = {room}; must be {needed}, the number of rows of the result")));
    }
    to.write_rows(columns);
    Ok(())
}

/// Writes how many bodies there are.
///
/// # Safety
/// `simulation` is a handle; `n` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_count(simulation: *mut mb_simulation, n: *mut i64) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe {
        let found = with(simulation, |kept| Ok(kept.count()))?;
        Out::new("n", n, 1, 1)?.slice()[0] = found as i64;
        Ok(())
    })
}

/// Writes the time.
///
/// # Safety
/// `simulation` is a handle; `time` points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_time(simulation: *mut mb_simulation, time: *mut f64) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe {
        let found = with(simulation, |kept| Ok(kept.time()))?;
        Out::new("time", time, 1, 1)?.slice()[0] = found;
        Ok(())
    })
}

/// Writes places `x` [n][3], velocities `v` [n][3] and masses `m` [n] of all bodies; null for those that are not
/// needed. `n` must be the number of bodies.
///
/// # Safety
/// `simulation` is a handle; the arrays have these sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_bodies(
    simulation: *mut mb_simulation,
    n: i64,
    x: *mut f64,
    v: *mut f64,
    m: *mut f64,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { bodies(simulation, n, [x, v, m]) })
}

/// # Safety
/// As [`mb_simulation_bodies`].
unsafe fn bodies(simulation: *mut mb_simulation, n: i64, [x, v, m]: [*mut f64; 3]) -> Outcome {
    // SAFETY: as this function's
    let (mut x, mut v, mut m) =
        unsafe { (Out::optional("x", x, n, 3)?, Out::optional("v", v, n, 3)?, Out::optional("m", m, n, 1)?) };
    let places = [x.as_ref().map(Out::place), v.as_ref().map(Out::place), m.as_ref().map(Out::place)];
    check_apart(&places, &[])?;
    let copy = |kept: &mut Kept| {
        let (all, bodies) = (kept.count(), kept.bodies()?);
        if arrays::count("the arrays", n)? != all {
            return Err(Failure::Argument(format!("n = {n}; must be {all}, the number of bodies")));
        }
        Ok(bodies.clone())
    };
    // SAFETY: as this function's
    let Bodies { x: bx, y, z, vx, vy, vz, mass, .. } = unsafe { with(simulation, copy) }?;
    x.iter_mut().for_each(|x| x.write_rows(&[&bx, &y, &z]));
    v.iter_mut().for_each(|v| v.write_rows(&[&vx, &vy, &vz]));
    m.iter_mut().for_each(|m| m.write_rows(&[&mass]));
    Ok(())
}

/// Writes the accelerations `a` [n][3] of all bodies at the present time, by their forces on each other and by external
/// fields. `n` must be the number of bodies.
///
/// # Safety
/// `simulation` is a handle; the array has this size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_accelerations(simulation: *mut mb_simulation, n: i64, a: *mut f64) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { accelerations(simulation, n, a) })
}

/// # Safety
/// As [`mb_simulation_accelerations`].
unsafe fn accelerations(simulation: *mut mb_simulation, n: i64, a: *mut f64) -> Outcome {
    // SAFETY: as this function's
    let mut a = unsafe { Out::new("a", a, n, 3) }?;
    // SAFETY: as this function's
    let [ax, ay, az] = unsafe { with(simulation, |kept| kept.accelerations(&Targets::All)) }?;
    write(&mut a, 3, &[&ax, &ay, &az])
}

/// Writes the accelerations `a` [n][3] of the bodies of the indices `targets` [n], from 0, in this order. The cost is
/// that of these; sums may be rounded differently than among all.
///
/// # Safety
/// `simulation` is a handle; the arrays have these sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_accelerations_on(
    simulation: *mut mb_simulation,
    n: i64,
    targets: *const i64,
    a: *mut f64,
) -> mb_status {
    call(|| {
        // SAFETY: as this function's
        let (targets, mut a) = unsafe { (In::new("targets", targets, n, 1)?, Out::new("a", a, n, 3)?) };
        check_apart(&[Some(a.place())], &[Some(targets.place())])?;
        let mut list = arrays::room(targets.slice().len())?;
        for target in targets.slice() {
            let wrong = |_| Failure::Input(format!("targets = {target}; must be the index of a body, from 0"));
            list.push(usize::try_from(*target).map_err(wrong)?);
        }
        // SAFETY: as this function's
        let [ax, ay, az] = unsafe { with(simulation, |kept| kept.accelerations(&Targets::List(&list))) }?;
        write(&mut a, 3, &[&ax, &ay, &az])
    })
}

/// Makes steps of the setting dt, at most to the setting t-end, and writes how many it were to `made`, which may be null.
/// A run that fails stands at its last good step.
///
/// # Safety
/// `simulation` is a handle; `made` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_step(simulation: *mut mb_simulation, steps: i64, made: *mut i64) -> mb_status {
    call(|| {
        let wrong = |_| Failure::Argument(format!("steps = {steps}; must be 0 or more"));
        let steps = u64::try_from(steps).map_err(wrong)?;
        // SAFETY: as this function's
        unsafe {
            handle::put(made, 0);
            let found = with(simulation, |kept| kept.step(steps))?;
            handle::put(made, found as i64);
        }
        Ok(())
    })
}

/// Advances to a time, which is met exactly, by a shorter last step where the setting dt does not divide the time between.
///
/// # Safety
/// `simulation` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_advance(simulation: *mut mb_simulation, until: f64) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { with(simulation, |kept| kept.advance(until)) })
}

/// Writes the kinetic and the potential energy and the energy error (E - E0) / |E0| since the run began, at the cost of a
/// force evaluation; null for those that are not needed. The error is NaN where the forces conserve no energy.
///
/// # Safety
/// `simulation` is a handle; the others are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_energy(
    simulation: *mut mb_simulation,
    kinetic: *mut f64,
    potential: *mut f64,
    error: *mut f64,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe {
        let found = with(simulation, Kept::energy)?;
        handle::put(kinetic, found.kinetic);
        handle::put(potential, found.potential);
        handle::put(error, found.error);
        Ok(())
    })
}

/// Writes the value of a setting as text to a buffer of `size` bytes: as it was given or, once a run has begun, as it was
/// chosen; an empty text where it has no value.
///
/// # Safety
/// `simulation` is a handle; `name` is a text that ends with a zero; `value` points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_setting(
    simulation: *mut mb_simulation,
    name: *const c_char,
    value: *mut c_char,
    size: usize,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe {
        let name = text::text("name", name)?;
        let found = with(simulation, |kept| kept.setting(name))?;
        text::write("value", &found, value, size)
    })
}

/// Frees a simulation; nothing for null.
///
/// # Safety
/// `simulation` is null or a handle that is not freed yet, and that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_simulation_free(simulation: *mut mb_simulation) {
    // SAFETY: as this function's
    call(|| unsafe { handle::free(simulation) });
}

/// Makes the whole run that settings describe, as `manybody run` does, with its snapshots, audits and checks, and writes the
/// name of the file with the last state to a buffer of `size` bytes, which may be null.
///
/// # Safety
/// `settings` is null or a handle; `file` is null or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_run(settings: *const mb_settings, file: *mut c_char, size: usize) -> mb_status {
    call(|| {
        // SAFETY: as this function's
        let chosen = unsafe { Chosen::of(settings) }?;
        let outcome = threads::on(chosen.threads(), || {
            let run = Driver::new(chosen.settings.clone()).run();
            run.map_err(|failure| Failure::Library(failure.error))
        })?;
        if !file.is_null() {
            // SAFETY: as this function's
            unsafe { text::write("file", &outcome.file.display().to_string(), file, size) }?;
        }
        match outcome.end {
            End::Missed { rtol, found } => Err(Failure::Missed(rtol, found.max)),
            _ => Ok(()),
        }
    })
}
