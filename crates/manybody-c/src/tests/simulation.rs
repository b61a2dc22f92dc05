//! Bodies that are kept.

use super::device::misplaced;
use super::{Cluster, Settings, bad, c, good, message, rows, same_bits};
use crate::simulation::device::{
    mb_simulation_accelerations_device, mb_simulation_bodies_device, mb_simulation_set_bodies_device,
};
use crate::simulation::{
    mb_run, mb_simulation, mb_simulation_accelerations, mb_simulation_accelerations_on, mb_simulation_advance,
    mb_simulation_bodies, mb_simulation_column, mb_simulation_count, mb_simulation_energy, mb_simulation_free,
    mb_simulation_load, mb_simulation_new, mb_simulation_resume, mb_simulation_save, mb_simulation_set_bodies,
    mb_simulation_set_column, mb_simulation_setting, mb_simulation_start, mb_simulation_step, mb_simulation_time,
};
use crate::status::mb_status::{MB_ERROR_ARGUMENT, MB_ERROR_BUSY, MB_ERROR_COMPUTATION, MB_ERROR_FILE, MB_ERROR_INPUT};
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{self, ForceTerms, Forces, Gravity, Method};
use manybody::{Bodies, Snapshot};
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

/// A handle that is freed at the end.
struct Handle(*mut mb_simulation);

impl Handle {
    fn of(settings: &Settings, cluster: &Cluster) -> Self {
        let mut at = null_mut();
        let (n, x, v, m) = (cluster.m.len() as i64, cluster.x.as_ptr(), cluster.v.as_ptr(), cluster.m.as_ptr());
        good(unsafe { mb_simulation_new(settings.0, null(), n, x, v, m, &mut at) });
        Handle(at)
    }

    /// Places and velocities, one after the other.
    fn state(&self) -> Vec<f64> {
        let mut n = 0;
        good(unsafe { mb_simulation_count(self.0, &mut n) });
        let (mut x, mut v) = (vec![0.0; 3 * n as usize], vec![0.0; 3 * n as usize]);
        good(unsafe { mb_simulation_bodies(self.0, n, x.as_mut_ptr(), v.as_mut_ptr(), null_mut()) });
        [x, v].concat()
    }

    fn time(&self) -> f64 {
        let mut time = 0.0;
        good(unsafe { mb_simulation_time(self.0, &mut time) });
        time
    }

    fn step(&self, steps: i64) -> i64 {
        let mut made = -1;
        good(unsafe { mb_simulation_step(self.0, steps, &mut made) });
        made
    }

    fn setting(&self, name: &str) -> String {
        let mut buffer = [0 as c_char; 64];
        good(unsafe { mb_simulation_setting(self.0, c(name).as_ptr(), buffer.as_mut_ptr(), 64) });
        unsafe { CStr::from_ptr(buffer.as_ptr()) }.to_string_lossy().into_owned()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { mb_simulation_free(self.0) }
    }
}

fn state_of(bodies: &Bodies) -> Vec<f64> {
    [rows([&bodies.x, &bodies.y, &bodies.z]), rows([&bodies.vx, &bodies.vy, &bodies.vz])].concat()
}

/// The same run by the library.
fn library(cluster: &Cluster, dt: f64, t_end: f64) -> Vec<f64> {
    let snapshot = Snapshot { bodies: cluster.bodies.clone(), units: manybody::Units::g1(), ..Snapshot::default() };
    let parameters = Parameters { dt, t_end, eps: Some(0.05), ..Parameters::default() };
    let mut run = Simulation::start(snapshot, parameters).unwrap();
    while !run.is_finished() {
        run.step().unwrap();
    }
    state_of(run.bodies().unwrap())
}

const STEPS: [(&str, &str); 3] = [("dt", "1/64"), ("eps", "0.05"), ("device", "cpu")];

#[test]
fn a_run_has_the_bits_of_the_library() {
    let cluster = Cluster::of(300);
    let run = Handle::of(&Settings::of(&STEPS), &cluster);
    good(unsafe { mb_simulation_advance(run.0, 0.5) });
    assert_eq!(run.time(), 0.5);
    let expected = library(&cluster, 1.0 / 64.0, 0.5);
    same_bits(&run.state(), &expected);
    let by_steps = Handle::of(&Settings::of(&STEPS), &cluster);
    assert_eq!((by_steps.step(10), by_steps.step(0), by_steps.step(22)), (10, 0, 22));
    same_bits(&by_steps.state(), &expected);
    // on from a time between two steps, which is met exactly
    good(unsafe { mb_simulation_advance(run.0, 0.51) });
    assert_eq!(run.time(), 0.51);
    assert_eq!(run.step(3), 3);
    assert_eq!(run.time(), 0.51 + 3.0 / 64.0);
    good(unsafe { mb_simulation_advance(run.0, run.time()) });
    assert_eq!([run.setting("dt"), run.setting("eps"), run.setting("integrator")], ["0.015625", "0.05", "leapfrog"]);
}

#[test]
fn individual_time_steps_are_a_setting_too() {
    let words = [("integrator", "hermite4"), ("dt", "1/16"), ("eps", "0.05"), ("device", "cpu")];
    let cluster = Cluster::of(60);
    let at_once = Handle::of(&Settings::of(&words), &cluster);
    good(unsafe { mb_simulation_advance(at_once.0, 0.5) });
    // by steps, and over a time at which another end is set
    let by_steps = Handle::of(&Settings::of(&words), &cluster);
    assert_eq!(by_steps.step(3), 3);
    good(unsafe { mb_simulation_advance(by_steps.0, 0.25) });
    assert_eq!((by_steps.step(4), by_steps.time()), (4, 0.5));
    same_bits(&by_steps.state(), &at_once.state());
}

#[test]
fn the_end_of_the_settings_ends_the_steps() {
    let run = Handle::of(&Settings::of(&[STEPS[0], STEPS[1], STEPS[2], ("t-end", "0.125")]), &Cluster::of(20));
    assert_eq!((run.step(5), run.step(5), run.step(5)), (5, 3, 0));
    assert_eq!(run.time(), 0.125);
    // a time before the end does not move the end
    let run = Handle::of(&Settings::of(&[STEPS[0], STEPS[1], STEPS[2], ("t-end", "0.125")]), &Cluster::of(20));
    good(unsafe { mb_simulation_advance(run.0, 0.0625) });
    assert_eq!((run.step(100), run.time()), (4, 0.125));
    // a time beyond it goes on
    good(unsafe { mb_simulation_advance(run.0, 0.25) });
    assert_eq!(run.time(), 0.25);
}

#[test]
fn a_run_that_is_saved_goes_on_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let file = c(folder.path().join("state.hdf5").to_str().unwrap());
    let cluster = Cluster::of(100);
    let whole = Handle::of(&Settings::of(&STEPS), &cluster);
    assert_eq!(whole.step(20), 20);
    let first = Handle::of(&Settings::of(&STEPS), &cluster);
    assert_eq!(first.step(8), 8);
    good(unsafe { mb_simulation_save(first.0, file.as_ptr()) });
    let mut at = null_mut();
    good(unsafe { mb_simulation_resume(null(), file.as_ptr(), &mut at) });
    let second = Handle(at);
    assert_eq!((second.time(), second.step(12)), (0.125, 12));
    same_bits(&second.state(), &whole.state());
    // as bodies alone: a run of its own from the same time
    let mut at = null_mut();
    good(unsafe { mb_simulation_load(Settings::of(&STEPS).0, file.as_ptr(), &mut at) });
    let loaded = Handle(at);
    same_bits(&loaded.state(), &first.state());
    assert_eq!((loaded.time(), loaded.step(1)), (0.125, 1));
    // bodies that no run has, saved and read
    let kept = Handle::of(&Settings::of(&STEPS), &cluster);
    let plain = c(folder.path().join("bodies.csv").to_str().unwrap());
    good(unsafe { mb_simulation_save(kept.0, plain.as_ptr()) });
    let mut at = null_mut();
    good(unsafe { mb_simulation_load(null(), plain.as_ptr(), &mut at) });
    same_bits(&Handle(at).state(), &state_of(&cluster.bodies));
    let mut at = null_mut();
    bad(
        unsafe { mb_simulation_resume(null(), plain.as_ptr(), &mut at) },
        MB_ERROR_FILE,
        "only a snapshot that a run has kept",
    );
    assert!(at.is_null());
    let missing = c(folder.path().join("none.hdf5").to_str().unwrap());
    bad(unsafe { mb_simulation_resume(null(), missing.as_ptr(), &mut at) }, MB_ERROR_FILE, "none.hdf5");
    bad(unsafe { mb_simulation_load(null(), missing.as_ptr(), &mut at) }, MB_ERROR_FILE, "none.hdf5");
    let folder = c(folder.path().to_str().unwrap());
    let status = unsafe { mb_simulation_save(kept.0, folder.as_ptr()) };
    assert!(status != crate::status::mb_status::MB_OK);
}

#[test]
fn accelerations_are_those_of_the_solver() {
    let cluster = Cluster::of(150);
    let run = Handle::of(&Settings::of(&[("eps", "0.05"), ("device", "cpu")]), &cluster);
    let mut a = vec![0.0; 450];
    good(unsafe { mb_simulation_accelerations(run.0, 150, a.as_mut_ptr()) });
    let (gravity, mut forces) = (Gravity::new(1.0, 0.05), Forces::default());
    let mut by = solver::of(&Method::default()).unwrap();
    by.forces(&cluster.bodies, &gravity, ForceTerms::default(), &mut forces).unwrap();
    same_bits(&a, &rows([&forces.ax, &forces.ay, &forces.az]));
    let (targets, mut some) = ([7_i64, 3, 149], [0.0; 9]);
    good(unsafe { mb_simulation_accelerations_on(run.0, 3, targets.as_ptr(), some.as_mut_ptr()) });
    for (k, body) in targets.iter().enumerate() {
        for axis in 0..3 {
            let (found, expected) = (some[3 * k + axis], a[3 * *body as usize + axis]);
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
    unsafe {
        let on = |n, list: &[i64], to| mb_simulation_accelerations_on(run.0, n, list.as_ptr(), to);
        let to = some.as_mut_ptr();
        bad(on(2, &[0, 150], to), MB_ERROR_INPUT, "targets = 150");
        bad(on(2, &[5, 5], to), MB_ERROR_INPUT, "at most once");
        bad(on(1, &[-1], to), MB_ERROR_INPUT, "targets = -1");
        bad(on(1, &[1], null_mut()), MB_ERROR_ARGUMENT, "a: is a null pointer");
        good(on(0, &[], null_mut()));
        bad(mb_simulation_accelerations(run.0, 149, a.as_mut_ptr()), MB_ERROR_ARGUMENT, "n = 149; must be 150");
    }
    // after steps, of the places that there are then
    let settings = Settings::of(&STEPS);
    let run = Handle::of(&settings, &cluster);
    assert_eq!(run.step(5), 5);
    good(unsafe { mb_simulation_accelerations(run.0, 150, a.as_mut_ptr()) });
    let state = run.state();
    let column = |k: usize| state[..450].iter().skip(k).step_by(3).copied().collect::<Vec<f64>>();
    let moved = Bodies { x: column(0), y: column(1), z: column(2), ..cluster.bodies.clone() };
    by.forces(&moved, &gravity, ForceTerms::default(), &mut forces).unwrap();
    same_bits(&a, &rows([&forces.ax, &forces.ay, &forces.az]));
    // and of others that take their place
    let (x, m) = (cluster.x.as_ptr(), cluster.m.as_ptr());
    good(unsafe { mb_simulation_set_bodies(run.0, 150, x, null(), m) });
    good(unsafe { mb_simulation_accelerations(run.0, 150, a.as_mut_ptr()) });
    by.forces(&cluster.bodies, &gravity, ForceTerms::default(), &mut forces).unwrap();
    same_bits(&a, &rows([&forces.ax, &forces.ay, &forces.az]));
    assert_eq!(run.time(), 5.0 / 64.0, "other bodies begin at the present time");
    assert_eq!(run.step(2), 2);
}

#[test]
fn energies_and_columns_are_read() {
    let cluster = Cluster::of(100);
    let run = Handle::of(&Settings::of(&STEPS), &cluster);
    let (mut kinetic, mut potential, mut error) = (0.0, 0.0, 7.0);
    good(unsafe { mb_simulation_energy(run.0, &mut kinetic, &mut potential, &mut error) });
    assert!((kinetic - 0.25).abs() < 0.1 && (potential + 0.5).abs() < 0.2 && error == 0.0, "{kinetic} {potential}");
    assert_eq!(run.step(64), 64);
    let mut later = 0.0;
    good(unsafe { mb_simulation_energy(run.0, &mut kinetic, null_mut(), &mut later) });
    // a leapfrog's error at this step
    assert!(later != 0.0 && later.abs() < 1e-3, "{later}");
    let mut mass = vec![0.0; 100];
    good(unsafe { mb_simulation_column(run.0, c"mass".as_ptr(), 100, mass.as_mut_ptr()) });
    same_bits(&mass, &cluster.m);
    unsafe {
        let to = mass.as_mut_ptr();
        bad(mb_simulation_column(run.0, c"q".as_ptr(), 100, to), MB_ERROR_INPUT, "vx, vy, vz");
        bad(mb_simulation_column(run.0, c"mass".as_ptr(), 99, to), MB_ERROR_ARGUMENT, "n = 99; must be 100");
        bad(mb_simulation_set_column(run.0, c"q".as_ptr(), 99, to), MB_ERROR_ARGUMENT, "n = 99; must be 100");
        bad(mb_simulation_set_column(run.0, c"id".as_ptr(), 100, to), MB_ERROR_INPUT, "whole numbers");
        mass[3] = f64::NAN;
        bad(mb_simulation_set_column(run.0, c"q".as_ptr(), 100, to), MB_ERROR_INPUT, "q[3] = NaN");
        mass[3] = -1.0;
        bad(mb_simulation_set_column(run.0, c"mass".as_ptr(), 100, to), MB_ERROR_INPUT, "m[3] = -1");
    }
}

#[test]
fn a_law_with_a_column_of_its_own_moves_bodies() {
    let law = "body x[3], q; d = i.x - j.x; sum f = i.q * j.q * d * pow(dot(d, d) + 0.01, -1.5); self exclude";
    let words = [("law", law), ("dt", "0.01"), ("device", "cpu")];
    let x = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let (m, mut at) = ([1.0, 1.0], null_mut());
    let settings = Settings::of(&words);
    good(unsafe { mb_simulation_new(settings.0, null(), 2, x.as_ptr(), null(), m.as_ptr(), &mut at) });
    let run = Handle(at);
    let mut made = 7;
    bad(unsafe { mb_simulation_step(run.0, 1, &mut made) }, MB_ERROR_INPUT, "q");
    assert_eq!(made, 0);
    good(unsafe { mb_simulation_set_column(run.0, c"q".as_ptr(), 2, [1.0, 2.0].as_ptr()) });
    assert_eq!(run.step(10), 10);
    let state = run.state();
    assert!(state[0] < 0.0 && state[3] > 1.0, "like charges repel: {state:?}");
    let mut a = [0.0; 6];
    good(unsafe { mb_simulation_accelerations(run.0, 2, a.as_mut_ptr()) });
    assert!(a[0] < 0.0 && a[3] == -a[0]);
}

#[test]
fn fields_accelerate_beside_the_bodies() {
    let words = [("field", "uniform:gx=1,gy=2,gz=3"), ("eps", "0.1"), ("dt", "0.01"), ("device", "cpu")];
    let settings = Settings::of(&words);
    let (x, m, mut at) = ([1.0, 2.0, 3.0], [1.0], null_mut());
    good(unsafe { mb_simulation_new(settings.0, null(), 1, x.as_ptr(), null(), m.as_ptr(), &mut at) });
    let (run, mut a) = (Handle(at), [0.0; 3]);
    good(unsafe { mb_simulation_accelerations(run.0, 1, a.as_mut_ptr()) });
    assert_eq!(a, [1.0, 2.0, 3.0]);
    good(unsafe { mb_simulation_accelerations_on(run.0, 1, [0].as_ptr(), a.as_mut_ptr()) });
    assert_eq!(a, [1.0, 2.0, 3.0]);
    assert_eq!(run.step(1), 1);
}

#[test]
fn settings_start_what_the_command_starts() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("b.hdf5");
    let words = [("ic", "king"), ("w0", "5"), ("n", "64"), ("dt", "1/64"), ("t-end", "0.125"), ("eps", "0.05")];
    let settings = Settings::of(&words);
    let mut at = null_mut();
    good(unsafe { mb_simulation_start(settings.0, &mut at) });
    let run = Handle(at);
    assert_eq!(run.step(1000), 8);
    good(settings.set("out", out.to_str().unwrap()));
    let mut file = [0 as c_char; 1024];
    good(unsafe { mb_run(settings.0, file.as_mut_ptr(), 1024) });
    assert_eq!(unsafe { CStr::from_ptr(file.as_ptr()) }.to_str().unwrap(), out.to_str().unwrap());
    let last = manybody::snapshot::read(&out).unwrap();
    same_bits(&run.state(), &state_of(&last.bodies));
    // a run that has ended, which goes on where it is asked to
    let resume = Settings::of(&[("resume", out.to_str().unwrap())]);
    let mut at = null_mut();
    good(unsafe { mb_simulation_start(resume.0, &mut at) });
    let run = Handle(at);
    assert_eq!(run.time(), 0.125);
    good(unsafe { mb_simulation_advance(run.0, 0.25) });
    assert_eq!(run.time(), 0.25);
    let wrong = Settings::of(&[("ic", "plumer")]);
    bad(unsafe { mb_run(wrong.0, null_mut(), 0) }, MB_ERROR_INPUT, "did you mean plummer?");
    bad(unsafe { mb_simulation_start(wrong.0, &mut at) }, MB_ERROR_INPUT, "did you mean plummer?");
}

#[test]
fn what_cannot_be_kept_or_moved_is_refused() {
    let cluster = Cluster::of(10);
    let (x, v, m, mut at) = (cluster.x.as_ptr(), cluster.v.as_ptr(), cluster.m.as_ptr(), null_mut());
    let nan = [0.0, f64::NAN, 0.0];
    let settings = Settings::of(&STEPS);
    unsafe {
        let new = |n, x, v, m, at| mb_simulation_new(settings.0, null(), n, x, v, m, at);
        bad(new(10, null(), v, m, &mut at), MB_ERROR_ARGUMENT, "x: is a null pointer");
        bad(new(10, x, v, null(), &mut at), MB_ERROR_ARGUMENT, "m: is a null pointer");
        bad(new(10, x, v, m, null_mut()), MB_ERROR_ARGUMENT, "the handle");
        bad(new(-1, x, v, m, &mut at), MB_ERROR_ARGUMENT, "-1");
        bad(new(1, nan.as_ptr(), v, m, &mut at), MB_ERROR_INPUT, "x[0][1] = NaN");
        bad(mb_simulation_new(settings.0, c"parsec".as_ptr(), 10, x, v, m, &mut at), MB_ERROR_INPUT, "system of units");
        let ic = Settings::of(&[("ic", "plummer")]);
        bad(mb_simulation_new(ic.0, null(), 10, x, v, m, &mut at), MB_ERROR_INPUT, "the setting ic");
        assert!(at.is_null());
        let none = null_mut();
        bad(mb_simulation_step(none, 1, null_mut()), MB_ERROR_ARGUMENT, "simulation: is a null pointer");
        bad(mb_simulation_advance(none, 1.0), MB_ERROR_ARGUMENT, "simulation");
        bad(mb_simulation_count(none, null_mut()), MB_ERROR_ARGUMENT, "simulation");
        bad(mb_simulation_save(none, c"a".as_ptr()), MB_ERROR_ARGUMENT, "simulation");
        bad(mb_simulation_energy(none, null_mut(), null_mut(), null_mut()), MB_ERROR_ARGUMENT, "simulation");
        mb_simulation_free(none);
    }
    let run = Handle::of(&settings, &cluster);
    unsafe {
        bad(mb_simulation_step(run.0, -1, null_mut()), MB_ERROR_ARGUMENT, "steps = -1");
        bad(mb_simulation_advance(run.0, f64::NAN), MB_ERROR_INPUT, "until = NaN");
        bad(mb_simulation_advance(run.0, -1.0), MB_ERROR_INPUT, "until = -1");
        bad(mb_simulation_time(run.0, null_mut()), MB_ERROR_ARGUMENT, "time: is a null pointer");
        bad(mb_simulation_count(run.0, null_mut()), MB_ERROR_ARGUMENT, "n: is a null pointer");
        bad(mb_simulation_save(run.0, null()), MB_ERROR_ARGUMENT, "path: is a null pointer");
        let mut to = vec![0.0; 33];
        let at = to.as_mut_ptr();
        bad(mb_simulation_bodies(run.0, 11, at, null_mut(), null_mut()), MB_ERROR_ARGUMENT, "n = 11; must be 10");
        bad(mb_simulation_bodies(run.0, 10, at, at.add(1), null_mut()), MB_ERROR_ARGUMENT, "x overlaps v");
        bad(mb_simulation_set_bodies(run.0, 1, nan.as_ptr(), null(), m), MB_ERROR_INPUT, "x[0][1] = NaN");
    }
    assert_eq!(run.step(1), 1, "what was refused has changed nothing");
    // few bodies: a time step is not chosen for them
    let few = Handle::of(&Settings::of(&[("eps", "0")]), &Cluster::of(3));
    bad(unsafe { mb_simulation_step(few.0, 1, null_mut()) }, MB_ERROR_INPUT, "give dt");
    assert!(!message().contains("--"));
    // bodies that meet
    let (x, v) = ([-1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [1e160, 0.0, 0.0, -1e160, 0.0, 0.0]);
    let mut at = null_mut();
    let fast = Settings::of(&[("dt", "1e150"), ("eps", "0")]);
    good(unsafe { mb_simulation_new(fast.0, null(), 2, x.as_ptr(), v.as_ptr(), [1.0, 1.0].as_ptr(), &mut at) });
    bad(unsafe { mb_simulation_step(Handle(at).0, 5, null_mut()) }, MB_ERROR_COMPUTATION, "t = ");
}

#[test]
fn no_bodies_are_a_system_too() {
    let mut at = null_mut();
    let settings = Settings::of(&STEPS);
    good(unsafe { mb_simulation_new(settings.0, null(), 0, null(), null(), null(), &mut at) });
    let run = Handle(at);
    good(unsafe { mb_simulation_accelerations(run.0, 0, null_mut()) });
    good(unsafe { mb_simulation_bodies(run.0, 0, null_mut(), null_mut(), null_mut()) });
    assert_eq!(run.step(2), 2);
}

#[test]
fn a_handle_that_is_in_use_is_refused() {
    let run = Handle::of(&Settings::of(&STEPS), &Cluster::of(2000));
    let address = run.0.addr();
    let busy = std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let at = std::ptr::with_exposed_provenance_mut::<mb_simulation>(address);
            loop {
                let status = unsafe { mb_simulation_step(at, 40, null_mut()) };
                if status != MB_ERROR_BUSY {
                    break status;
                }
            }
        });
        let mut busy = 0;
        while !worker.is_finished() {
            let mut time = 0.0;
            let status = unsafe { mb_simulation_time(run.0, &mut time) };
            busy += u32::from(status == MB_ERROR_BUSY);
        }
        good(worker.join().unwrap());
        busy
    });
    assert!(busy > 0 && message().contains("another thread"), "{busy}");
    assert_eq!(run.time(), 40.0 / 64.0);
}

#[test]
fn arrays_of_a_gpu_are_refused_unread() {
    let cluster = Cluster::of(3);
    let handle = Handle::of(&Settings::of(&[]), &cluster);
    let before = handle.state();
    let (x, v, m) = (cluster.x.as_ptr(), cluster.v.as_ptr(), cluster.m.as_ptr());
    let set = |n, x, v, m| unsafe { mb_simulation_set_bodies_device(handle.0, null_mut(), n, x, v, m) };
    misplaced(set(3, x, v, m));
    misplaced(set(3, x, null(), m));
    bad(set(3, null(), v, m), MB_ERROR_ARGUMENT, "x: is a null pointer");
    bad(set(3, x, v, null()), MB_ERROR_ARGUMENT, "m: is a null pointer");
    bad(set(-1, x, v, m), MB_ERROR_ARGUMENT, "the size of x is -1");
    let mut room = [0.0; 9];
    let at = room.as_mut_ptr();
    let get = |n, x, v, m| unsafe { mb_simulation_bodies_device(handle.0, null_mut(), n, x, v, m) };
    misplaced(get(3, at, null_mut(), null_mut()));
    good(get(3, null_mut(), null_mut(), null_mut()));
    bad(get(2, at, null_mut(), null_mut()), MB_ERROR_ARGUMENT, "n = 2; must be 3");
    bad(get(3, at, at, null_mut()), MB_ERROR_ARGUMENT, "x overlaps v");
    let accelerations = |n, a| unsafe { mb_simulation_accelerations_device(handle.0, null_mut(), n, a) };
    misplaced(accelerations(3, at));
    bad(accelerations(4, at), MB_ERROR_ARGUMENT, "n = 4; must be 3");
    bad(accelerations(3, null_mut()), MB_ERROR_ARGUMENT, "a: is a null pointer");
    let null = unsafe { mb_simulation_accelerations_device(null_mut(), null_mut(), 3, at) };
    bad(null, MB_ERROR_ARGUMENT, "simulation: is a null pointer");
    let null = unsafe { mb_simulation_set_bodies_device(null_mut(), null_mut(), 3, x, v, m) };
    bad(null, MB_ERROR_ARGUMENT, "simulation: is a null pointer");
    assert_eq!(handle.state(), before);
    assert_eq!(room, [0.0; 9]);
}
