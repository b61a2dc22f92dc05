//! Where the system gives no more threads, memory, stack or room, and where it gives without end: an error, soon.
#![cfg(unix)]

mod common;

use common::{Outcome, Place};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn place_with_bodies() -> Place {
    let place = Place::new();
    place.good("ic plummer -n 100 -o p.csv");
    place
}

/// The command in a shell, after `before`.
fn after(place: &Place, before: &str, words: &str) -> Outcome {
    // a panic that prints its stack without memory hangs in the standard library
    let script = format!("{before}; RUST_BACKTRACE=0 exec '{}' {words}", env!("CARGO_BIN_EXE_manybody"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(place.folder()).stdin(Stdio::null()).output();
    Outcome::of(output.unwrap())
}

/// The least memory in KiB, to a step of 1000, that the system loads the program into: below it, the system ends it.
#[cfg(target_os = "linux")]
fn least_memory(place: &Place) -> usize {
    let loads = |kib: &usize| after(place, &format!("ulimit -v {kib}"), "--version").status.is_some();
    (5_000..200_000).step_by(1000).find(loads).expect("200 MB hold the program")
}

/// At some limit the threads cannot be started, at others memory is missing here or there.
#[test]
#[cfg(target_os = "linux")]
fn without_threads_or_memory_there_is_an_error() {
    let place = place_with_bodies();
    let least = least_memory(&place);
    let (mut failed, mut starved) = (0, 0);
    for (k, words) in [
        "pairs distances p.csv -o d.npy --force",
        "run p.csv --t-end 1/64 --out r.hdf5",
        "force p.csv -o f.csv --force",
    ]
    .iter()
    .cycle()
    .take(36)
    .enumerate()
    {
        let limit = format!("ulimit -v {}", least + 1000 * k);
        let outcome = after(&place, &limit, words);
        // so little that not even the first line of the program can be allocated: the language's runtime ends it
        if outcome.status.is_none() && outcome.text.starts_with("memory allocation of") {
            starved += 1;
            continue;
        }
        // 127 is the system's loader, before there is a program
        assert!(matches!(outcome.status, Some(0 | 1 | 127)), "{limit}; {words}: {:?} {}", outcome.status, outcome.text);
        // a thread that has no memory for its signals' stack panics in the standard library, before it is ours
        let panicked = outcome.text.contains("panicked") && !outcome.text.contains("alternative stack");
        assert!(!panicked, "{limit}; {words}: {}", outcome.text);
        let said = outcome.text.contains("error: ") || outcome.text.contains("panicked");
        assert!(said || outcome.status != Some(1), "{limit}; {words}: {}", outcome.text);
        failed += i32::from(outcome.status == Some(1));
    }
    assert!(failed > 0, "no limit was low enough");
    assert!(starved < 2, "memory for the first lines takes less than a step of these limits");
    let outcome = after(&place, "ulimit -v 2000000", "pairs distances p.csv -o e.npy --threads 4000");
    assert_eq!(outcome.status, Some(1), "4000 threads: {}", outcome.text);
    if !outcome.text.contains("alternative stack") {
        outcome.expect_failure("4000 threads", 1, &["the threads to compute on cannot be started", "--threads"]);
    }
}

#[test]
fn a_small_stack_is_enough() {
    let place = place_with_bodies();
    for words in ["info p.csv", "run p.csv --t-end 1/64 --out r.hdf5", "pairs distances p.csv -o d.npy"] {
        let outcome = after(&place, "ulimit -s 64", words);
        assert_eq!(outcome.status, Some(0), "{words}: {}", outcome.text);
    }
}

/// Waits for a child, which must end soon.
fn soon(mut child: Child, what: &str) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if start.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("{what}: does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A program that opens a pipe with no process at its other end waits; a signal must still end it.
#[test]
fn signals_end_a_program_that_waits_for_a_pipe() {
    let place = place_with_bodies();
    for name in ["in.csv", "b.manybody-lock"] {
        assert!(Command::new("mkfifo").arg(place.path(name)).status().unwrap().success());
    }
    for words in [
        "run in.csv --t-end 1",
        "run p.csv --t-end 1/64 --out b.hdf5",
        "force in.csv -o f.csv --force",
        // no file to remove
        "info in.csv",
    ] {
        let child = place.command(words).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(200));
        let id = child.id().to_string();
        // a lock that is a pipe may be refused before
        let _ = Command::new("kill").args(["-TERM", &id]).stderr(Stdio::null()).status();
        let status = soon(child, words);
        assert!(
            status == Some(130) || (words.contains("b.hdf5") && matches!(status, Some(1 | 2))),
            "{words}: {status:?}"
        );
    }
    assert_eq!(place.names(), ["b.manybody-lock", "in.csv", "p.csv"]);
}

/// What is no file under a name that a run gives its files is refused before it is opened.
#[test]
fn pipes_with_the_names_of_outputs_are_refused() {
    let place = place_with_bodies();
    let words = "run p.csv --dt 1/64 --t-end 1/32 --snapshot-every 1/64 --eps 0.1 --device cpu --out";
    for (pipe, out) in [
        ("d.0000.hdf5", "d.hdf5"),
        ("d.0007.hdf5", "d.hdf5"),
        ("d.hdf5", "d.hdf5"),
        ("d.toml", "d.hdf5"),
        ("d.manybody-moving", "d.hdf5"),
        ("d.0000.hdf5", "d.tipsy"),
        ("d.0000.csv", "d.csv"),
    ] {
        assert!(Command::new("mkfifo").arg(place.path(pipe)).status().unwrap().success());
        for words in [format!("{words} {out}"), format!("{words} {out} --overwrite"), format!("run --resume {out}")] {
            let child = place.command(&words).stderr(Stdio::piped()).spawn().unwrap();
            let id = child.id();
            // the test must end where the program does not
            let watchdog = Command::new("sh").args(["-c", &format!("sleep 20; kill -9 {id}")]).spawn();
            let outcome = Outcome::of(child.wait_with_output().unwrap());
            outcome.expect_failure(&words, 2, &[pipe, "pipe", "--out"]);
            let _ = watchdog.map(|mut watchdog| (watchdog.kill(), watchdog.wait()));
        }
        std::fs::remove_file(place.path(pipe)).unwrap();
    }
    assert_eq!(place.names(), ["p.csv"]);
}

#[test]
#[cfg(target_os = "linux")]
fn lines_that_a_full_disk_loses_are_a_failure() {
    let place = place_with_bodies();
    for words in ["info p.csv", "run p.csv --t-end 1/64 --out r.hdf5", "force p.csv -o f.csv --force", "devices"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command(&format!("{words} --json")).stdout(full).output().unwrap();
        Outcome::of(output).expect_failure(words, 1, &["stdout", "cannot write JSON"]);
    }
    assert!(place.path("r.hdf5").exists() && place.path("f.csv").exists(), "the work itself is done");
}

#[test]
fn what_is_not_text_is_named() {
    let place = place_with_bodies();
    let odd = OsStr::from_bytes(b"a\xffb");
    let output = place.command("devices").env("MANYBODY_SIMD", odd).output().unwrap();
    Outcome::of(output).expect_failure("devices", 2, &["a\u{fffd}b", "avx2"]);
    let output = place.command("force p.csv -o f.csv --force --law").arg(odd).output().unwrap();
    Outcome::of(output).expect_failure("force", 2, &[r"a\xFFb", "UTF-8"]);
}

#[test]
fn numbers_are_printed_in_few_digits() {
    let place = place_with_bodies();
    let text = place.bad("run p.csv --t-end 1e300 --dt 1/64", 2, &["dt = 0.015625", "1e300"]);
    assert!(text.len() < 300, "{text}");
}

/// A device without an end, as a file of each kind that a command reads.
#[test]
#[cfg(target_os = "linux")]
fn what_has_no_end_is_refused() {
    let place = place_with_bodies();
    for name in ["z.toml", "z.csv", "z.hdf5", "z.npy", "z.law"] {
        std::os::unix::fs::symlink("/dev/zero", place.path(name)).unwrap();
    }
    for words in [
        "info /dev/zero",
        "info z.csv",
        "convert z.hdf5 a.csv",
        "pairs distances z.npy -o d.npy",
        "force p.csv -o f.csv --force --law z.law",
        "run z.toml",
        "run z.csv --t-end 1",
    ] {
        let outcome = after(&place, "ulimit -v 2000000", words);
        outcome.expect_failure(words, 2, &[if words.contains("/dev") { "/dev/zero" } else { "z." }]);
    }
}
