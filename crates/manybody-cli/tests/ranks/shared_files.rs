//! Files that all ranks write together.

use super::common::{Outcome, Place};
use super::{free_address, rank};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command};
use std::time::Duration;

/// Files of 300 bodies and more in common, in blocks of 512 bytes.
const SHARED_FILES: (&str, &str) = ("MANYBODY_SHARED_FILES", "300:512");

/// Runs a rank 0 that has its files written by all ranks, and expects success of all.
fn good_with_shared_files(place: &Place, words: &str, ranks: usize) -> Outcome {
    let (elsewhere, at) = (Place::new(), free_address());
    let start = |k| {
        let mut command = rank(place, &elsewhere, words, [k, ranks], &at);
        if k == 0 {
            command.env(SHARED_FILES.0, SHARED_FILES.1);
        }
        command.spawn().unwrap()
    };
    let children: Vec<Child> = (0..ranks).map(start).collect();
    let mut outcomes = children.into_iter().map(|child| Outcome::of(child.wait_with_output().unwrap()));
    let root = outcomes.next().unwrap();
    for (k, other) in outcomes.enumerate() {
        assert_eq!(other.status, Some(0), "{words}, rank {} of {ranks}\n{}", k + 1, other.text);
    }
    assert_eq!(root.status, Some(0), "{words}, rank 0 of {ranks}\n{}", root.text);
    assert!(elsewhere.names().is_empty(), "{words}: {:?}", elsewhere.names());
    root
}

#[test]
fn a_file_that_all_ranks_write_has_the_bytes_of_one_process() {
    let words = "run -n 700 --dt 1/64 --t-end 1/8 --snapshot-every 1/32 --log 1/32 --out b.hdf5";
    let one = Place::new();
    one.good(words);
    for ranks in [1, 2, 3] {
        let several = Place::new();
        match ranks {
            1 => {
                let output = several.command(words).env(SHARED_FILES.0, SHARED_FILES.1).output();
                assert_eq!(Outcome::of(output.unwrap()).status, Some(0));
            }
            _ => {
                let root = good_with_shared_files(&several, words, ranks);
                assert!(!root.text.contains("alone"), "{}", root.text);
            }
        }
        several.assert_same_files(&one, &format!("{ranks} ranks"));
    }
    // each leads to the same end, and is whole by its checksum
    let place = Place::new();
    good_with_shared_files(&place, words, 3);
    for (snapshot, ranks) in [("b.0001.hdf5", 1), ("b.0002.hdf5", 2), ("b.0003.hdf5", 3)] {
        let found = place.good(&format!("info {snapshot} --json")).json();
        assert_eq!(found[0]["checksum"]["state"], "whole", "{snapshot}");
        let words = format!("run --resume {snapshot} --out c{ranks}.hdf5");
        match ranks {
            1 => drop(place.good(&words)),
            _ => drop(good_with_shared_files(&place, &words, ranks)),
        }
        assert!(one.bytes("b.hdf5") == place.bytes(&format!("c{ranks}.hdf5")), "{snapshot} on {ranks} ranks");
    }
    // other formats are rank 0's
    let csv = words.replace("b.hdf5", "b.csv");
    let (one, several) = (Place::new(), Place::new());
    one.good(&csv);
    good_with_shared_files(&several, &csv, 2);
    several.assert_same_files(&one, "csv");
}

/// Under this path each process sees the folder that it was started in, as machines see disks of their own.
#[cfg(target_os = "linux")]
#[test]
fn ranks_that_do_not_see_the_folder_leave_the_files_to_rank_0() {
    let words = "run -n 700 --dt 1/64 --t-end 1/16 --snapshot-every 1/64";
    let (one, several) = (Place::new(), Place::new());
    one.good(&format!("{words} --out b.hdf5"));
    let root = good_with_shared_files(&several, &format!("{words} --out /proc/self/cwd/b.hdf5"), 3);
    let said = "b.0000.hdf5: rank 1 cannot write it (No such file or directory (os error 2)): rank 0 writes the files of \
                this run alone";
    assert_eq!(root.text.matches(said).count(), 1, "{}", root.text);
    assert_eq!(root.text.matches("alone").count(), 1, "{}", root.text);
    several.assert_same_files(&one, "alone");
}

/// Evaluations of so few bodies are rank 0's, which needs the others for the files only.
const MANY_FILES: &str =
    "run -n 400 --dt 1/256 --t-end 64 --eps 1/32 --snapshot-every 1/256 --audit 0 --json --out b.hdf5";

/// Three ranks under way that write all files together; and the folder of the others.
fn with_many_files(place: &Place) -> (Place, Vec<Child>) {
    let (elsewhere, at) = (Place::new(), free_address());
    let start = |k| {
        let mut command = rank(place, &elsewhere, MANY_FILES, [k, 3], &at);
        command.env(SHARED_FILES.0, SHARED_FILES.1).spawn().unwrap()
    };
    let mut children: Vec<Child> = (0..3).map(start).collect();
    let mut lines = BufReader::new(children[0].stdout.take().unwrap()).lines();
    assert_eq!(lines.by_ref().map(Result::unwrap).filter(|line| line.contains("\"snapshot\"")).take(3).count(), 3);
    std::thread::spawn(move || lines.for_each(drop));
    (elsewhere, children)
}

/// The outcomes of all; what is left is whole, and leads to a state that one process reaches, too.
fn end_of_many_files(place: &Place, children: Vec<Child>) -> Vec<Outcome> {
    let outcomes = children.into_iter().map(|child| Outcome::of(child.wait_with_output().unwrap())).collect();
    assert!(place.names().iter().all(|name| !name.ends_with(".tmp")), "{:?}", place.names());
    let newest = place.names().into_iter().rfind(|name| name.starts_with("b.0")).unwrap();
    let time = place.good(&format!("info {newest} --json")).json()[0]["time"].as_f64().unwrap();
    let end = time + 1.0 / 64.0;
    good_with_shared_files(place, &format!("run --resume {newest} --t-end {end} --out c.hdf5"), 3);
    let one = Place::new();
    one.good(&format!("run -n 400 --dt 1/256 --t-end {end} --eps 1/32 --snapshot-every 1/256 --audit 0 --out c.hdf5"));
    assert!(place.bytes("c.hdf5") == one.bytes("c.hdf5"), "{newest}");
    outcomes
}

fn send_signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// A rank that stands still has stopped the run within a file; then it is killed.
#[test]
fn a_rank_that_is_killed_while_all_write_leaves_the_last_snapshot_whole() {
    let place = Place::new();
    let (_elsewhere, children) = with_many_files(&place);
    send_signal(&children[2], "-STOP");
    // the name has a number that grows: one that stays is the file that waits
    let temporary = |place: &Place| place.names().into_iter().find(|name| name.ends_with(".tmp"));
    let waits = (0..12).any(|_| {
        let before = temporary(&place);
        std::thread::sleep(Duration::from_millis(250));
        before.is_some() && before == temporary(&place)
    });
    assert!(waits, "{:?}", place.names());
    send_signal(&children[2], "-KILL");
    let outcomes = end_of_many_files(&place, children);
    outcomes[0].expect_failure("rank 0", 1, &["rank 2: the connection to it is lost", "manybody run --resume"]);
    assert_eq!(outcomes[1].status, Some(1), "{}", outcomes[1].text);
}

#[test]
fn a_signal_to_any_rank_while_all_write_keeps_a_snapshot() {
    for asked in [0, 2] {
        let place = Place::new();
        let (_elsewhere, children) = with_many_files(&place);
        send_signal(&children[asked], "-INT");
        for outcome in end_of_many_files(&place, children) {
            assert_eq!(outcome.status, Some(130), "SIGINT to rank {asked}\n{}", outcome.text);
        }
    }
}
