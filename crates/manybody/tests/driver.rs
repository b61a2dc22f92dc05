//! A run by the library's driver: events, stops, resumes, and what it refuses, without the command.

use manybody::driver::{Driver, End, Event, Failure, Observer, Outcome, Request};
use manybody::log::Table;
use manybody::settings::{Raw, Settings};
use manybody::simulation::Simulation;
use manybody::watch::Watch;
use manybody::{Error, snapshot};
use std::ops::ControlFlow;
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};

/// A run of 40 steps that writes 3 snapshots meanwhile.
fn settings(out: PathBuf) -> Settings {
    Settings {
        n: Some(60),
        dt: Some("1/64".into()),
        t_end: Some((40.0 / 64.0).into()),
        eps: Some("1/32".into()),
        snapshot_every: Some("10/64".into()),
        out: Some(out),
        ..Settings::default()
    }
}

fn resume(file: PathBuf) -> Settings {
    Settings { resume: Some(file), ..Settings::default() }
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn observers_hear_of_a_run_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut heard = Vec::new();
    let outcome = Driver::new(settings(folder.path().join("b.hdf5")))
        .run_observed(&mut |event: &Event<'_>| {
            heard.push(match event {
                Event::Started { run, .. } => format!("started at {}", run.clock().step()),
                Event::Snapshot(written) => format!("snapshot {}", written.step),
                Event::Ended { run, last } => format!("ended at {} {}", run.clock().step(), last.is_some()),
                _ => return Continue(()),
            });
            Continue(())
        })
        .unwrap();
    let expected =
        ["started at 0", "snapshot 0", "snapshot 10", "snapshot 20", "snapshot 30", "snapshot 40", "ended at 40 true"];
    assert_eq!(heard, expected);
    assert_eq!((outcome.end, outcome.steps, outcome.time), (End::Finished, (40, 40), 0.625));
    let (energy, force) = (outcome.errors.energy.unwrap(), outcome.errors.force.unwrap().max);
    // f64 forces: some roundings of 1.1e-16; the energy of a leapfrog: (dt / eps)^2 / 24 at most, 1e-2
    assert!(energy.abs() < 1e-2 && force < 1e-13, "{energy} {force}");
    assert_eq!(snapshot::read(&outcome.file).unwrap().time, 0.625);
}

/// Audits at the start, at snapshots and at the end come as events, before the snapshot of their state, which keeps the same
/// errors; without an audit there is no such event, and one that fails is the error of the run.
#[test]
fn observers_get_the_errors_of_audits() {
    let folder = tempfile::tempdir().unwrap();
    let audited = |settings: Settings| {
        let mut heard = Vec::new();
        let outcome = Driver::new(settings).run_observed(&mut |event: &Event<'_>| {
            match event {
                Event::Started { .. } => heard.push(("started", 0, None)),
                Event::Audited { run, errors } => heard.push(("audit", run.clock().step(), Some(**errors))),
                Event::Snapshot(written) => heard.push(("snapshot", written.step, written.errors.force)),
                _ => {}
            }
            Continue(())
        });
        (heard, outcome)
    };
    let of_all = Settings { audit: Some(1.0.into()), ..settings(folder.path().join("b.hdf5")) };
    let (heard, outcome) = audited(of_all);
    assert_eq!(heard[0].0, "started");
    let of = |what: &str| heard.iter().filter(|event| event.0 == what).map(|event| event.1).collect::<Vec<_>>();
    assert_eq!(of("audit"), [0, 10, 20, 30, 40]);
    assert_eq!(of("snapshot"), [0, 10, 20, 30, 40]);
    for step in of("audit") {
        let errors = |what: &str| heard.iter().position(|event| (event.0, event.1) == (what, step)).unwrap();
        let (audit, snapshot) = (errors("audit"), errors("snapshot"));
        assert!(audit < snapshot && heard[audit].2 == heard[snapshot].2, "{heard:?}");
        // f64: some roundings of 1.1e-16
        assert!(heard[audit].2.is_some_and(|errors| errors.sample == 60 && errors.max < 1e-13), "{heard:?}");
    }
    assert_eq!(outcome.unwrap().errors.force, heard[heard.len() - 1].2);

    let without = Settings { audit: Some(0.0.into()), ..settings(folder.path().join("c.hdf5")) };
    let (heard, outcome) = audited(without);
    assert!(outcome.is_ok() && heard.iter().all(|event| event.0 != "audit"), "{heard:?}");

    let precision = Some(manybody::solver::Precision::F32);
    let limit = Some(1e-15.into());
    let failing = Settings { audit_limit: limit, precision, ..settings(folder.path().join("d.hdf5")) };
    let (heard, outcome) = audited(failing);
    assert!(matches!(outcome.unwrap_err().error, Error::Audit { .. }) && heard.is_empty(), "{heard:?}");
}

/// Pauses ten times before each of the first twelve steps, makes these one by one, and then as many as there are.
#[derive(Default)]
struct Slow {
    pauses: u64,
    /// The steps of each event, and how many bodies it found.
    steps: Vec<u64>,
    bodies: Vec<usize>,
    at: u64,
}

impl Observer for Slow {
    fn event(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        if let Event::Advanced { run, .. } = event {
            self.steps.push(run.clock().step() - self.at);
            self.at = run.clock().step();
            self.bodies.extend(run.bodies_here().map(|bodies| bodies.len()));
        }
        Continue(())
    }

    fn request(&mut self, run: &Simulation) -> Request {
        let alone = run.clock().step() < 12;
        self.pauses += u64::from(alone);
        let steps = if !alone { u64::MAX } else { u64::from(self.pauses.is_multiple_of(11)) };
        Request { steps, bodies: true }
    }
}

#[test]
fn an_observer_limits_the_steps_to_its_next_event() {
    let folder = tempfile::tempdir().unwrap();
    let (free, slow) = (folder.path().join("a.hdf5"), folder.path().join("b.hdf5"));
    Driver::new(settings(free.clone())).run().unwrap();
    let mut observer = Slow::default();
    Driver::new(settings(slow.clone())).run_observed(&mut observer).unwrap();
    assert!(bytes(&free) == bytes(&slow));
    assert_eq!((observer.pauses, &observer.steps[..12]), (132, &[1; 12][..]));
    // single steps, however short, are no reason to make many at once: the first may find that one is no limit, and two
    // are the next number to try
    assert!(observer.steps[12] <= 2, "{:?}", observer.steps);
    assert!(observer.bodies.len() == observer.steps.len() && observer.bodies.iter().all(|n| *n == 60));
}

/// The lines of the table come as events, too, and what a program reads back are their numbers.
#[test]
fn observers_get_the_lines_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { log: Some("8/64".into()), ..settings(folder.path().join("b.hdf5")) };
    let mut rows = Vec::new();
    Driver::new(settings)
        .run_observed(&mut |event: &Event<'_>| {
            if let Event::Logged(row) = event {
                rows.push((*row).clone());
            }
            Continue(())
        })
        .unwrap();
    assert_eq!(rows.iter().map(|row| row.step).collect::<Vec<_>>(), [0, 8, 16, 24, 32, 40]);
    let table = Table::read(&folder.path().join("b.csv")).unwrap();
    let of = |name: &str| table.column(name).unwrap();
    for (k, row) in rows.iter().enumerate() {
        let drift = row.diagnostics.drift_since(&rows[0].diagnostics).energy;
        assert_eq!((of("time")[k], of("energy_error")[k]), (row.diagnostics.time, drift));
        assert_eq!(of("lagrangian_50")[k], row.cluster.lagrangian_radii[4]);
        assert_eq!(Some(of("core_radius")[k]), row.cluster.core_radius);
    }
}

/// Stopped by its observer at any snapshot, or by a watch before it begins, a run goes on to the same bytes.
#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Driver::new(settings(folder.path().join("whole.hdf5"))).run().unwrap();
    for stop in [0, 10] {
        let out = folder.path().join(format!("stopped{stop}.hdf5"));
        let outcome = Driver::new(settings(out.clone()))
            .run_observed(&mut |event: &Event<'_>| match event {
                Event::Snapshot(written) if written.step == stop => Break(()),
                _ => Continue(()),
            })
            .unwrap();
        assert_eq!(outcome.end, End::Interrupted);
        assert!(outcome.resume.is_some() && !out.exists() && outcome.steps.0 < 40, "{outcome:?}");
        let rest = Driver::new(resume(out.clone())).run().unwrap();
        assert_eq!(rest.end, End::Finished);
        assert!(bytes(&out) == bytes(&whole.file), "{stop}");
    }
    let out = folder.path().join("watched.hdf5");
    let watch = Watch::default();
    watch.stop();
    let outcome = Driver::new(settings(out.clone())).watch(&watch).run().unwrap();
    assert_eq!((outcome.end, outcome.steps), (End::Interrupted, (0, 40)));
    Driver::new(resume(out.clone())).run().unwrap();
    assert!(bytes(&out) == bytes(&whole.file));
    // and once more there is nothing to do
    assert_eq!(Driver::new(resume(out)).run().unwrap().end, End::FinishedBefore);
}

/// A description repeats its run, and only with the bodies that it was made for.
#[test]
fn a_description_repeats_its_run_with_its_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let start = folder.path().join("start.csv");
    let draw = |seed| manybody::ic::by_name("plummer", &manybody::ic::Request::new(50, seed)).unwrap();
    snapshot::write(&start, &draw(1)).unwrap();
    let from_file = Settings { n: None, file: Some(start.clone()), ..settings(folder.path().join("b.hdf5")) };
    let first = Driver::new(from_file).run().unwrap();
    let before = bytes(&first.file);
    let again = || Driver::described_by(&first.description, Settings::default())?.run();
    assert_eq!(again().unwrap().end, End::Finished);
    assert!(bytes(&first.file) == before);
    snapshot::write(&start, &draw(2)).unwrap();
    let error = again().unwrap_err().to_string();
    assert!(error.contains("initial-state") && error.contains("start.csv"), "{error}");
    // other bodies that are asked for are no mistake
    let other = Settings { file: Some(start), out: Some(folder.path().join("c.hdf5")), ..Settings::default() };
    Driver::described_by(&first.description, other).unwrap().run().unwrap();
}

/// Snapshots of another run under the same name are not gone on from, whatever differs between the two.
#[test]
fn the_snapshots_of_another_run_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mine, other) = (folder.path().join("b.hdf5"), folder.path().join("other"));
    std::fs::create_dir(&other).unwrap();
    Driver::new(settings(mine.clone())).run().unwrap();
    let set = |name: &str, value: &str| {
        let mut given = settings(other.join("b.hdf5"));
        given.set(name, Raw::Text(value.into())).unwrap();
        given
    };
    let changes = [
        ("seed", "2"),
        ("n", "61"),
        ("ic", "king"),
        ("dt", "1/128"),
        ("eps", "1/16"),
        ("precision", "f32"),
        ("integrator", "yoshida4"),
        ("solver", "direct"),
        ("t-end", "1"),
        ("snapshot-every", "5/64"),
        ("field", "uniform:gx=1"),
    ];
    for (name, value) in changes {
        std::fs::remove_dir_all(&other).unwrap();
        std::fs::create_dir(&other).unwrap();
        Driver::new(set(name, value)).run().unwrap();
        let foreign = folder.path().join("b.0002.hdf5");
        std::fs::copy(other.join("b.0002.hdf5"), &foreign).unwrap();
        let last = folder.path().join("b.hdf5");
        let _ = std::fs::remove_file(&last);
        let error = Driver::new(resume(foreign)).run().unwrap_err().to_string();
        assert!(error.contains("b.toml") && error.contains("b.0002.hdf5"), "{name}: {error}");
        let word = if ["seed", "n", "ic"].contains(&name) { "initial-state" } else { name };
        assert!(error.contains(word), "{name}: {error}");
        Driver::new(Settings { out: Some(mine.clone()), ..settings(mine.clone()) }).run().unwrap();
    }
}

#[test]
fn what_is_wrong_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let fails = |change: &dyn Fn(&mut Settings)| -> Failure {
        let mut given = settings(folder.path().join("b.hdf5"));
        change(&mut given);
        Driver::new(given).run().unwrap_err()
    };
    for (failure, part) in [
        (fails(&|given| given.dt = Some("10 apples".into())), "dt = 10 apples"),
        (fails(&|given| given.dt = Some((-1.0).into())), "dt = -1"),
        (fails(&|given| given.ic = Some("sphere".into())), "sphere"),
        (fails(&|given| given.audit = Some(2.0.into())), "audit = 2"),
        (fails(&|given| given.gpus = Some("2".parse().unwrap())), "gpus = 2"),
        (fails(&|given| given.initial_state = Some("0".into())), "initial-state = 0"),
        (fails(&|given| given.out = Some(folder.path().join("b.docx"))), "docx"),
    ] {
        assert!(failure.error.is_bad_input() && failure.stopped.is_none(), "{failure}");
        assert!(failure.to_string().contains(part), "'{failure}' should contain '{part}'");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "a refused run has left files");
    let mut given = Settings::default();
    assert!(matches!(given.set("esp", Raw::Number(1.0)), Err(Error::Unknown { .. })));
    assert!(given.set("precision", Raw::Text("f16".into())).unwrap_err().to_string().contains("precision = f16"));
}

/// A limit that is passed stops a run with what was good before it on disk.
/// Where no snapshot is left, a description that is not as a run wrote it begins no run.
#[test]
fn a_damaged_description_is_not_gone_on_from() {
    let folder = tempfile::tempdir().unwrap();
    let (out, scene) = (folder.path().join("a.hdf5"), folder.path().join("a.toml"));
    Driver::new(Settings { snapshot_every: None, ..settings(out.clone()) }).run().unwrap();
    let end = bytes(&out);
    std::fs::remove_file(&out).unwrap();
    let written = String::from_utf8(bytes(&scene)).unwrap();
    std::fs::write(&scene, written.replace("seed = 1", "seed = 3")).unwrap();
    let failure = Driver::new(resume(out.clone())).run().unwrap_err();
    assert!(failure.error.is_bad_input() && failure.to_string().contains("a.toml"), "{failure}");
    assert!(matches!(&failure.error, Error::Field { field, .. } if field == "checksum"), "{failure}");
    assert!(!out.exists());
    std::fs::write(&scene, written).unwrap();
    Driver::new(resume(out.clone())).run().unwrap();
    assert!(bytes(&out) == end);
}

#[test]
fn a_limit_stops_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let given = Settings {
        dt: Some((10.0 / 64.0).into()),
        max_energy_error: Some(1e-9.into()),
        ..settings(folder.path().join("b.hdf5"))
    };
    let failure = Driver::new(given).run().map(|outcome: Outcome| outcome.end).unwrap_err();
    assert!(matches!(failure.error, Error::EnergyError { .. }) && !failure.error.is_bad_input(), "{failure}");
    let stopped = failure.stopped.unwrap();
    assert!(stopped.advice.contains("kept") || stopped.advice.contains("good"), "{stopped:?}");
    assert!(stopped.newest.unwrap().exists());
}

/// Two runs at once in one process share nothing.
#[test]
fn two_runs_at_once_in_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let alone: Vec<Vec<u8>> = ["f64", "f32"]
        .map(|precision| {
            let mut given = settings(folder.path().join(format!("alone-{precision}.hdf5")));
            given.set("precision", Raw::Text(precision.into())).unwrap();
            bytes(&Driver::new(given).run().unwrap().file)
        })
        .into();
    let together: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let runs = ["f64", "f32"].map(|precision| {
            let mut given = settings(folder.path().join(format!("together-{precision}.hdf5")));
            given.set("precision", Raw::Text(precision.into())).unwrap();
            scope.spawn(move || bytes(&Driver::new(given).run().unwrap().file))
        });
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(alone == together);
}

/// A process starts its threads once; inside a pool of a program's own, the setting must agree with it.
#[test]
fn the_number_of_threads_is_that_of_the_pool() {
    let folder = tempfile::tempdir().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let run = |threads: i64| {
        let mut given = settings(folder.path().join(format!("{threads}.hdf5")));
        given.set("threads", Raw::Integer(threads)).unwrap();
        pool.install(|| Driver::new(given).run().map(|outcome| bytes(&outcome.file)))
    };
    let whole = Driver::new(settings(folder.path().join("whole.hdf5"))).run().unwrap();
    assert!(run(2).unwrap() == bytes(&whole.file));
    let refused = run(3).unwrap_err();
    assert!(refused.error.is_bad_input(), "{refused}");
    assert_eq!(refused.to_string(), "threads = 3: this process computes on 2 threads, and starts no others");
}

/// With `overwrite`, the files of the earlier run are gone.
#[test]
fn overwrite_leaves_no_earlier_run() {
    let folder = tempfile::tempdir().unwrap();
    let names = || std::fs::read_dir(folder.path()).unwrap().count();
    let out = folder.path().join("b.hdf5");
    Driver::new(settings(out.clone())).run().unwrap();
    let first = names();
    Driver::new(Settings { overwrite: Some(true), seed: Some(2), ..settings(out.clone()) }).run().unwrap();
    assert_eq!(names(), first);
    Driver::new(settings(out)).run().unwrap();
    assert!(names() > first);
}
