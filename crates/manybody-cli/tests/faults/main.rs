//! Every file call of short commands fails once, in every way in which it can, and the process is killed once at each.
//!
//! `shim.c` counts the calls and makes one of them fail; `scenarios.rs` says what is run; `inject.rs` runs it with a fault,
//! looks at what is left, goes on without faults and looks again:
//!
//! - files that were there before have their bytes; new ones are whole;
//! - EINTR and short counts change nothing. After another fault the exit status is 1 and the message names the file,
//!   or it is 0 and all files are as without the fault;
//! - no command panics, and temporary files stay only where the process was killed;
//! - `run --resume`, or the same command again, ends in the same bytes as a command that was never disturbed.
//!
//! Positions are calls times faults. By default every 50th is run; `MANYBODY_FAULTS=1` runs all, and `MANYBODY_FAULTS=4`
//! every fourth, from the first to the fourth on: `MANYBODY_FAULTS_FIRST`, of which the remainder counts, says which.
//! `MANYBODY_FAULTS_RUN` is the same for plain runs. scripts/check.sh runs all positions of these and every eighth of the rest,
//! from the number of commits on, so that eight commits after each other run all. `MANYBODY_BIN` names another binary than the
//! one built for tests, `FAULT_SHIM` and `DEVICE_SHIM` compiled shims for a machine without a C compiler, and
//! `MANYBODY_GPU=cuda` the device to disturb instead of wgpu.
#![cfg(target_os = "linux")]

mod inject;
mod scenarios;

use inject::{Clean, Program};
use scenarios::Scenario;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Compiles `source` beside this file, unless the variable names a library. `None`, and a message, if there is no
/// compiler.
fn shim(source: &str, variable: &str) -> Option<PathBuf> {
    if let Some(library) = std::env::var_os(variable) {
        return Some(library.into());
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults").join(source);
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(source.with_extension("so").file_name()?);
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&library).arg(&source);
    match compiler.arg("-ldl").status() {
        Ok(status) => assert!(status.success(), "{}: not compiled", source.display()),
        Err(error) => {
            eprintln!("skipped: cc: {error}");
            return None;
        }
    }
    Some(library)
}

fn program(source: &str, variable: &str) -> Option<Program> {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_manybody"));
    let binary = std::env::var_os("MANYBODY_BIN").map_or(built, PathBuf::from);
    Some(Program::new(binary.canonicalize().unwrap(), shim(source, variable)?))
}

/// Every how many positions one is run: of plain runs, and of the rest.
fn strides(default: usize) -> [usize; 2] {
    let rest = number("MANYBODY_FAULTS", default);
    [number("MANYBODY_FAULTS_RUN", rest), rest]
}

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable)
        .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable}: not a number: {text}")))
}

#[test]
fn every_file_call_fails_once() {
    let Some(program) = program("shim.c", "FAULT_SHIM") else { return };
    disturb(&program, scenarios::on_the_cpu(&program), strides(50));
}

/// The GPU to disturb, if it is here. One that `MANYBODY_GPU` names must be.
fn gpu(program: &Program) -> Option<String> {
    let named = std::env::var("MANYBODY_GPU").ok();
    let device = named.clone().unwrap_or("wgpu".into());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.csv"), "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,0,0\n").unwrap();
    let words = format!("force in.csv -o f.csv --force --device {device} --precision f32 --eps 1");
    let ended = program.run(&words, folder.path(), &[]);
    if ended.status != Some(0) {
        assert!(named.is_none(), "MANYBODY_GPU={device}: {}", ended.text.trim());
        eprintln!("skipped: {}", ended.text.trim());
    }
    (ended.status == Some(0)).then_some(device)
}

#[test]
fn every_file_call_of_a_run_on_a_gpu_fails_once() {
    let Some(program) = program("shim.c", "FAULT_SHIM") else { return };
    let Some(device) = gpu(&program) else { return };
    // a process takes a fifth of a second to find the device and compile its kernels
    disturb(
        &program,
        scenarios::on_a_gpu(&program, &device, &["b.csv", "b.hdf5"]),
        strides(50).map(|stride| 10 * stride),
    );
}

/// From some call on the device has no more memory, or is lost: the run ends with exit status 1, names the device, keeps
/// its snapshots, and goes on from them.
#[test]
fn a_device_that_fails_stops_the_run_and_loses_nothing() {
    let Some(program) = program("device.c", "DEVICE_SHIM") else { return };
    let Some(device) = gpu(&program) else { return };
    disturb(&program, scenarios::on_a_gpu(&program, &device, &["b.csv"]), strides(10));
}

/// Runs positions of the scenarios, one of so many each, on all cores, and fails with the list of what went wrong.
fn disturb(program: &Program, scenarios: Vec<Scenario>, strides: [usize; 2]) {
    let start = Instant::now();
    let scenarios: Vec<(Scenario, Clean)> = scenarios
        .into_iter()
        .map(|scenario| {
            let clean = program.clean(&scenario);
            (scenario, clean)
        })
        .collect();
    let (first, mut all, mut positions) = (number("MANYBODY_FAULTS_FIRST", 0), 0, Vec::new());
    for (k, (scenario, clean)) in scenarios.iter().enumerate() {
        let stride = strides[usize::from(!scenario.is_run())];
        for (at, call) in clean.calls.iter().enumerate() {
            for fault in call.faults() {
                if all % stride == first % stride {
                    positions.push((k, at + 1, *fault));
                }
                all += 1;
            }
        }
    }
    let calls: usize = scenarios.iter().map(|(_, clean)| clean.calls.len()).sum();
    assert!(all > 0, "the shim saw no call");
    let (next, missed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let found: Mutex<BTreeMap<usize, String>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&(scenario, at, fault)) = positions.get(k) else { break };
                    let (scenario, clean) = &scenarios[scenario];
                    let Some(problems) = program.inject(scenario, clean, at, fault) else {
                        missed.fetch_add(1, Ordering::Relaxed);
                        continue;
                    };
                    if !problems.is_empty() {
                        let call = &clean.calls[at - 1];
                        let what = format!(
                            "{} [{}], call {at}: {} {}, fault {fault}",
                            scenario.name, scenario.words, call.name, call.path
                        );
                        found.lock().unwrap().insert(k, format!("{what}\n    {}", problems.join("\n    ")));
                    }
                }
            });
        }
    });
    let (found, missed) = (found.into_inner().unwrap(), missed.into_inner());
    let kills = positions.iter().filter(|(_, _, fault)| *fault == "kill").count();
    eprintln!(
        "{} of {all} positions ({calls} calls in {} commands; {kills} kills) in {:.0} s; {} with problems; {missed} not \
         met because of other threads",
        positions.len(),
        scenarios.len(),
        start.elapsed().as_secs_f64(),
        found.len()
    );
    let list: Vec<&str> = found.values().map(String::as_str).collect();
    if let Ok(path) = std::env::var("FAULT_REPORT") {
        let mut report = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        std::io::Write::write_all(&mut report, (list.join("\n") + "\n").as_bytes()).unwrap();
    }
    assert!(list.is_empty(), "{}", list[..list.len().min(20)].join("\n"));
    assert!(missed * 100 <= positions.len(), "{missed} positions were not met");
}
