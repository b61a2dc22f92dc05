//! Several processes that share a run: the files of one process, whatever happens to one of them.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
mod gpus;
mod shared_files;

use common::{Outcome, Place};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TOKEN: &str = "a secret of these tests";

/// A port that nothing listens on now.
fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// A rank of a run; those beside rank 0 are in a folder of their own, which stays empty.
fn rank(place: &Place, elsewhere: &Place, words: &str, [rank, ranks]: [usize; 2], at: &str) -> Command {
    let place = if rank == 0 { place } else { elsewhere };
    let mut command = place.command(&format!("{words} --threads 1 --rank {rank} --ranks {ranks} --at {at}"));
    command.env("MANYBODY_TOKEN", TOKEN).env("MANYBODY_RANKS_PATIENCE", "20");
    if words.contains("--device") {
        command.env("MANYBODY_SHARE_FROM", "1"); // those that last a moment, too
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The outcome of each rank.
fn run(place: &Place, words: &str, ranks: usize) -> Vec<Outcome> {
    let (elsewhere, at) = (Place::new(), free_address());
    let start = |k| rank(place, &elsewhere, words, [k, ranks], &at).spawn().unwrap();
    let children: Vec<Child> = (0..ranks).map(start).collect();
    let outcomes = children.into_iter().map(|child| Outcome::of(child.wait_with_output().unwrap())).collect();
    assert!(elsewhere.names().is_empty(), "{words}: {:?}", elsewhere.names());
    outcomes
}

/// Runs and expects success of all.
fn good(place: &Place, words: &str, ranks: usize) {
    for (k, outcome) in run(place, words, ranks).iter().enumerate() {
        assert_eq!(outcome.status, Some(0), "{words}, rank {k} of {ranks}\n{}", outcome.text);
        assert!(outcome.text.contains("ranks") == (k == 0), "{words}, rank {k}\n{}", outcome.text);
    }
}

/// Runs, those beside rank 0 in a folder of which nothing is expected, and expects success of all.
fn good_in(place: &Place, elsewhere: &Place, words: &str, ranks: usize) {
    let at = free_address();
    let start = |k| rank(place, elsewhere, words, [k, ranks], &at).spawn().unwrap();
    for child in (0..ranks).map(start).collect::<Vec<_>>() {
        let outcome = Outcome::of(child.wait_with_output().unwrap());
        assert_eq!(outcome.status, Some(0), "{words}\n{}", outcome.text);
    }
}

/// The same files by one process and by several.
fn same_files(words: &str, numbers: &[usize]) {
    let one = Place::new();
    one.good(&format!("{words} --out b.hdf5"));
    for ranks in numbers {
        let several = Place::new();
        good(&several, &format!("{words} --out b.hdf5"), *ranks);
        several.assert_same_files(&one, &format!("{words} on {ranks} ranks"));
    }
}

#[test]
fn every_scheme_has_the_files_of_one_process() {
    same_files("run -n 1100 --dt 1/64 --t-end 1/16 --snapshot-every 1/32 --log 1/32", &[2, 3, 4]);
    for integrator in ["leapfrog-dkd", "yoshida4", "yoshida6"] {
        same_files(&format!("run -n 1100 --dt 1/64 --t-end 1/32 --integrator {integrator}"), &[3]);
    }
    for integrator in ["hermite4", "hermite6", "hermite6-3pt"] {
        same_files(&format!("run -n 1100 --dt 1/32 --t-end 1/16 --integrator {integrator}"), &[2, 3]);
    }
    same_files("run -n 5000 --dt 1/64 --t-end 1/64 --integrator hermite4 --solver fmm", &[3]);
}

#[test]
fn events_fields_and_close_pairs_have_the_files_of_one_process() {
    let all = [
        "--dt 1/64 --t-end 1/16 --field point-mass:m=1,x=3 --audit 0",
        "--dt 1/64 --t-end 1/16 --collisions merge --radius 0.01 --audit 0",
        "--dt 1/64 --t-end 1/16 --integrator yoshida4 --remove-escapers 5 --audit 0",
        "--t-end 1/16 --integrator hermite4 --pairs chain --eps 0 --audit 0",
        "--t-end 1/16 --integrator hermite4 --pairs kepler --eps 0 --audit 0",
        "--dt 1/64 --t-end 1/16 --rtol 1e-4",
    ];
    for (k, words) in all.iter().enumerate() {
        same_files(&format!("run -n 1100 {words}"), &[2 + k % 3]);
    }
}

#[test]
fn every_solver_has_the_files_of_one_process() {
    for method in [
        "--precision f32",
        "--solver direct",
        "--solver direct --precision f32",
        "--precision mixed",
        "--precision f32 --solver direct --sum pairwise",
        "--precision f32 --solver direct --sum fixed",
        "--solver reference",
        "--solver fmm",
        "--solver tree --precision f32",
    ] {
        same_files(&format!("run -n 1100 --dt 1/64 --t-end 1/32 {method}"), &[3]);
    }
    // massless bodies, and a softening for each
    let place = Place::new();
    let row = |k: u32| {
        let number = |q: u32| f64::from((k * q) % 1009) / 1009.0;
        let mass = if k.is_multiple_of(5) { 0.0 } else { 1e-3 };
        format!("{k},{mass},{},{},{},{},0,0,0.{}\n", number(31), number(57), number(101), number(13), k % 7 + 1)
    };
    let rows: String = (0..1200).map(row).collect();
    place.write("start.csv", &format!("id,mass,x,y,z,vx,vy,vz,eps\n{rows}"));
    place.good("run start.csv --dt 1/64 --t-end 1/16 --out one.hdf5");
    good(&place, "run start.csv --dt 1/64 --t-end 1/16 --out three.hdf5", 3);
    assert!(place.bytes("one.hdf5") == place.bytes("three.hdf5"));
}

#[test]
fn laws_have_the_files_of_one_process() {
    let text = "body x[3], m = mass; param g = 1; d = j.x - i.x; r2 = dot(d, d) + 0.01; sum acc[3] = g * j.m * d / (r2 * sqrt(r2))";
    for precision in ["f64", "f32"] {
        let place = Place::new();
        place.write("own.law", text);
        let words = format!("run -n 1100 --law own.law --dt 1/64 --t-end 1/32 --precision {precision}");
        place.good(&format!("{words} --out one.hdf5"));
        // here all need the file, whose text is part of what they compare
        good_in(&place, &place, &format!("{words} --out three.hdf5"), 3);
        assert!(place.bytes("one.hdf5") == place.bytes("three.hdf5"), "{precision}");
    }
    // by expansions, and all pairs but those that boxes rule out
    let place = Place::new();
    place.good("ic plummer -n 4000 --seed 4 -o start.hdf5");
    place.write("own.law", text);
    let near =
        "body x[3]; param h = 0.1; d = j.x - i.x; r2 = dot(d, d); count n = r2 < h * h; min nearest = r2; self exclude";
    place.write("near.law", near);
    for words in [
        "force start.hdf5 --law own.law --solver fmm",
        "force start.hdf5 --law own.law --solver fmm --precision f32",
        "force start.hdf5 --law near.law --solver tree",
    ] {
        place.good(&format!("{words} -o one.csv"));
        for ranks in [2, 3] {
            good_in(&place, &place, &format!("{words} -o several.csv"), ranks);
            assert!(place.bytes("one.csv") == place.bytes("several.csv"), "{words} by {ranks} ranks");
            std::fs::remove_file(place.path("several.csv")).unwrap();
        }
        std::fs::remove_file(place.path("one.csv")).unwrap();
    }
    place.write(
        "cut.law",
        "body x[3]; d = j.x - i.x; r2 = dot(d, d); near = r2 < 0.25; sum acc[3] = select(near, d, 0 * d)",
    );
    let words = "run start.hdf5 --law cut.law --solver tree --dt 1/64 --t-end 1/32 --audit 0";
    place.good(&format!("{words} --out one.hdf5"));
    good_in(&place, &place, &format!("{words} --out three.hdf5"), 3);
    assert!(place.bytes("one.hdf5") == place.bytes("three.hdf5"));
}

#[test]
fn a_run_goes_on_with_any_number_of_ranks() {
    let words = "run -n 1100 --dt 1/64 --t-end 1/4 --snapshot-every 1/16";
    let one = Place::new();
    one.good(&format!("{words} --out b.hdf5"));
    let place = Place::new();
    good(&place, &format!("{words} --out b.hdf5"), 3);
    for (snapshot, ranks) in [("b.0001.hdf5", 2), ("b.0002.hdf5", 4), ("b.0003.hdf5", 1)] {
        let words = format!("run --resume {snapshot} --out c{ranks}.hdf5");
        match ranks {
            1 => drop(place.good(&words)),
            _ => good(&place, &words, ranks),
        }
        assert!(one.bytes("b.hdf5") == place.bytes(&format!("c{ranks}.hdf5")), "{snapshot} on {ranks} ranks");
    }
}

/// A run that takes long, under way: at least one snapshot is kept.
struct Long {
    place: Place,
    _elsewhere: Place,
    children: Vec<Child>,
}

/// About a minute on one core; a snapshot after each step or two.
const LONG: &str = "run -n 3000 --dt 1/256 --t-end 16 --eps 1/32 --snapshot-every 1/64 --audit 0 --json --out b.hdf5";

impl Long {
    fn start(words: &str, ranks: usize) -> Self {
        let (place, elsewhere, at) = (Place::new(), Place::new(), free_address());
        let start = |k| rank(&place, &elsewhere, words, [k, ranks], &at).spawn().unwrap();
        let mut children: Vec<Child> = (0..ranks).map(start).collect();
        let out = BufReader::new(children[0].stdout.take().unwrap());
        let mut lines = out.lines();
        let kept = lines.by_ref().map(Result::unwrap).filter(|line| line.contains("\"snapshot\"")).take(2).count();
        assert_eq!(kept, 2);
        // the pipe must not fill up
        std::thread::spawn(move || lines.for_each(drop));
        Long { place, _elsewhere: elsewhere, children }
    }

    fn signal(&self, rank: usize, signal: &str) {
        let id = self.children[rank].id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
    }

    /// Waits for all but `without`, at most 5 s, as is promised; and a moment for a machine that is shared.
    fn end(mut self, without: Option<usize>) -> (Place, Vec<Option<Outcome>>) {
        let start = Instant::now();
        let mut waiting: Vec<usize> = (0..self.children.len()).filter(|k| Some(*k) != without).collect();
        while !waiting.is_empty() {
            waiting.retain(|k| self.children[*k].try_wait().unwrap().is_none());
            assert!(start.elapsed() < Duration::from_secs(7), "ranks {waiting:?} go on");
            std::thread::sleep(Duration::from_millis(20));
        }
        let outcomes = self.children.into_iter().enumerate().map(|(k, mut child)| {
            if Some(k) == without {
                child.kill().unwrap();
                child.wait().unwrap();
                return None;
            }
            Some(Outcome::of(child.wait_with_output().unwrap()))
        });
        (self.place, outcomes.collect())
    }
}

/// What is left can be read, and leads to a state that one process reaches, too.
fn can_go_on(place: &Place) {
    let newest = place.names().into_iter().rfind(|name| name.starts_with("b.0")).unwrap();
    assert!(place.names().iter().all(|name| !name.ends_with(".tmp")), "{:?}", place.names());
    let time = place.good(&format!("info {newest} --json")).json()[0]["time"].as_f64().unwrap();
    let end = time + 1.0 / 64.0;
    good(place, &format!("run --resume {newest} --t-end {end} --out three.hdf5"), 3);
    let one = Place::new();
    one.good(&format!(
        "run -n 3000 --dt 1/256 --t-end {end} --eps 1/32 --snapshot-every 1/64 --audit 0 --out three.hdf5"
    ));
    assert!(place.bytes("three.hdf5") == one.bytes("three.hdf5"), "{newest}");
}

#[test]
fn a_rank_that_is_killed_stops_all_and_is_named() {
    for killed in [2, 0] {
        let run = Long::start(LONG, 3);
        run.signal(killed, "KILL");
        let (place, outcomes) = run.end(None);
        for outcome in outcomes.iter().enumerate().filter(|(k, _)| *k != killed).map(|(_, outcome)| outcome) {
            let outcome = outcome.as_ref().unwrap();
            assert_eq!(outcome.status, Some(1), "{}", outcome.text);
            let named = outcome.text.contains(&format!("rank {killed}: the connection to it is lost"));
            // what rank 0 says, the others need not repeat
            assert!(named || (killed == 2 && outcome.text.is_empty()), "{}", outcome.text);
        }
        if killed == 2 {
            let text = &outcomes[0].as_ref().unwrap().text;
            assert!(text.contains("rank 2: ") && text.contains("manybody run --resume"), "{text}");
        }
        can_go_on(&place);
    }
}

/// Passes on what comes at its own address to `to`, until it is cut.
fn passing_on(to: &str) -> (String, std::sync::mpsc::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (at, to) = (listener.local_addr().unwrap().to_string(), to.to_owned());
    let (cut, is_cut) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let near = listener.accept().unwrap().0;
        let far = loop {
            match TcpStream::connect(&to) {
                Ok(far) => break far,
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        for (from, to) in [(&near, &far), (&far, &near)] {
            let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut from, &mut to));
        }
        is_cut.recv().unwrap();
        [near, far].iter().for_each(|line| line.shutdown(std::net::Shutdown::Both).unwrap());
    });
    (at, cut)
}

#[test]
fn a_connection_that_is_cut_stops_both() {
    let (place, elsewhere, at) = (Place::new(), Place::new(), free_address());
    let (other_end, cut) = passing_on(&at);
    let mut root = rank(&place, &elsewhere, LONG, [0, 2], &at).spawn().unwrap();
    let other = rank(&place, &elsewhere, LONG, [1, 2], &other_end).spawn().unwrap();
    let mut lines = BufReader::new(root.stdout.take().unwrap()).lines();
    assert_eq!(lines.by_ref().map(Result::unwrap).filter(|line| line.contains("\"snapshot\"")).take(2).count(), 2);
    std::thread::spawn(move || lines.for_each(drop));
    let start = Instant::now();
    cut.send(()).unwrap();
    let [other, root] = [other, root].map(|child| Outcome::of(child.wait_with_output().unwrap()));
    assert!(start.elapsed() < Duration::from_secs(7));
    root.expect_failure("rank 0", 1, &["rank 1: the connection to it is lost", "manybody run --resume"]);
    other.expect_failure("rank 1", 1, &["rank 0: the connection to it is lost"]);
    can_go_on(&place);
}

#[test]
fn a_rank_that_stands_still_stops_all_and_is_named() {
    let run = Long::start(LONG, 3);
    run.signal(1, "STOP");
    let (place, outcomes) = run.end(Some(1));
    let text = &outcomes[0].as_ref().unwrap().text;
    assert!(text.contains("rank 1: it has given no sign of life for 4 s"), "{text}");
    assert_eq!((outcomes[0].as_ref().unwrap().status, outcomes[2].as_ref().unwrap().status), (Some(1), Some(1)));
    can_go_on(&place);
}

#[test]
fn a_signal_to_any_rank_keeps_a_snapshot_and_stops_all() {
    for (rank, signal) in [(0, "INT"), (1, "TERM"), (2, "INT")] {
        let run = Long::start(LONG, 3);
        run.signal(rank, signal);
        let (place, outcomes) = run.end(None);
        for outcome in outcomes.iter().flatten() {
            assert_eq!(outcome.status, Some(130), "SIG{signal} to rank {rank}\n{}", outcome.text);
        }
        let text = &outcomes[0].as_ref().unwrap().text;
        assert!(text.contains("--resume"), "{text}");
        can_go_on(&place);
    }
}

#[test]
fn strangers_and_wrong_tokens_are_refused_and_disturb_nothing() {
    let (place, at) = (Place::new(), free_address());
    let words = "run -n 1100 --dt 1/64 --t-end 1/32 --out b.hdf5";
    let root = rank(&place, &place, words, [0, 2], &at).spawn().unwrap();
    let mut strangers = Vec::new();
    while strangers.len() < 3 {
        if let Ok(mut stranger) = TcpStream::connect(&at) {
            stranger.write_all(&[b'x'; 300]).unwrap();
            strangers.push(stranger);
        }
    }
    let wrong = rank(&place, &place, words, [1, 2], &at).env("MANYBODY_TOKEN", "another secret of tests").output();
    Outcome::of(wrong.unwrap()).expect_failure(words, 1, &["rank 0: ", "MANYBODY_TOKEN must be the same on all ranks"]);
    let right = Outcome::of(rank(&place, &place, words, [1, 2], &at).output().unwrap());
    let root = Outcome::of(root.wait_with_output().unwrap());
    assert_eq!((root.status, right.status), (Some(0), Some(0)), "{}{}", root.text, right.text);
}

#[test]
fn the_port_is_open_only_while_ranks_come() {
    let (place, elsewhere, at) = (Place::new(), Place::new(), free_address());
    let start = |k| rank(&place, &elsewhere, LONG, [k, 2], &at).spawn().unwrap();
    let mut children = [start(0), start(1)];
    let mut lines = BufReader::new(children[0].stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("\"snapshot\"")));
    assert!(TcpStream::connect(&at).is_err());
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // a run of one process listens nowhere
    assert!(place.good("run -n 10 --dt 1/8 --t-end 1/8 --eps 0.1 --out c.hdf5").text.find("ranks").is_none());
}

#[test]
fn ranks_that_do_not_belong_together_are_refused_by_name() {
    let cases = [
        ([0, 2], "--dt 1/64", [1, 2], "--dt 1/32", "rank 1: it was started with other settings than rank 0: dt = 1/32"),
        ([0, 2], "", [1, 3], "", "rank 1: it was started with --ranks 3, rank 0 with --ranks 2"),
        ([0, 2], "", [1, 2], "--seed 2", "rank 1: it was started with other settings than rank 0: seed = 2"),
    ];
    for (a, more_a, b, more_b, expected) in cases {
        let (place, at) = (Place::new(), free_address());
        let words = |more: &str| format!("run -n 1100 {more} --t-end 1/4 --eps 1/32 --out b.hdf5");
        let root = rank(&place, &place, &words(more_a), a, &at).spawn().unwrap();
        let other = Outcome::of(rank(&place, &place, &words(more_b), b, &at).output().unwrap());
        let root = Outcome::of(root.wait_with_output().unwrap());
        root.expect_failure(more_a, 1, &[expected]);
        other.expect_failure(more_b, 1, &[expected]);
        assert!(place.names().is_empty(), "{:?}", place.names());
    }
    // descriptions of one name and another content
    let (a, b, at) = (Place::new(), Place::new(), free_address());
    a.write("run.toml", "n = 1100\ndt = \"1/64\"\nt-end = \"1/32\"\neps = \"1/32\"\n");
    b.write("run.toml", "n = 1100\ndt = \"1/64\"\nt-end = \"1/16\"\neps = \"1/32\"\n");
    let root = rank(&a, &b, "run run.toml", [0, 2], &at).spawn().unwrap();
    let other = Outcome::of(rank(&a, &b, "run run.toml", [1, 2], &at).output().unwrap());
    other.expect_failure("run.toml", 1, &["t-end = 1/16, and rank 0: t-end = 1/32"]);
    Outcome::of(root.wait_with_output().unwrap()).expect_failure("run.toml", 1, &["rank 1: ", "t-end = 1/16"]);
    // two of one number
    let (place, at) = (Place::new(), free_address());
    let start = |k| rank(&place, &place, "run -n 1100 --out b.hdf5", [k, 3], &at).spawn().unwrap();
    let children: Vec<Child> = [0, 1, 1].into_iter().map(start).collect();
    for child in children {
        let outcome = Outcome::of(child.wait_with_output().unwrap());
        outcome.expect_failure("two of one number", 1, &["rank 1: two processes were started with this number"]);
    }
    // other vectors, whose bits are others
    let at = free_address();
    let root = rank(&place, &place, "run -n 1100 --out b.hdf5", [0, 2], &at).spawn().unwrap();
    let other = rank(&place, &place, "run -n 1100 --out b.hdf5", [1, 2], &at).env("MANYBODY_SIMD", "scalar").output();
    Outcome::of(other.unwrap()).expect_failure("simd", 1, &["simd (MANYBODY_SIMD) = scalar"]);
    drop(root.wait_with_output());
}

#[test]
fn wrong_options_are_bad_usage() {
    let place = Place::new();
    let bad = |words: &str, part: &str| {
        let output = place.command(words).env("MANYBODY_TOKEN", TOKEN).output().unwrap();
        Outcome::of(output).expect_failure(words, 2, &[part]);
    };
    bad("run --rank 2 --ranks 2 --at 127.0.0.1:4300", "rank = 2: must be below the number of ranks, --ranks 2: 0 to 1");
    bad("run --ranks 2 --at 127.0.0.1:4300", "no rank is given");
    bad("run --rank 0 --ranks 2", "no at is given");
    bad("run --rank 0 --ranks 0", "ranks = 0");
    bad("run --rank 0 --ranks 2 --at nowhere", "at = nowhere: must be HOST:PORT");
    bad("run --rank 0 --ranks 2 --at 192.0.2.77:4300", "at = 192.0.2.77:4300: rank 0 cannot listen there");
    place.bad("run --rank 0 --ranks 2 --at 127.0.0.1:4300", 2, &["no MANYBODY_TOKEN is given"]);
    let alone = place.command("run -n 1100 --rank 0 --ranks 2 --at 127.0.0.1:0").env("MANYBODY_TOKEN", TOKEN).output();
    Outcome::of(alone.unwrap()).expect_failure("port 0", 2, &["at = 127.0.0.1:0"]);
    let at = free_address();
    let words = format!("run -n 1100 --rank 0 --ranks 3 --at {at}");
    let missing = place.command(&words).env("MANYBODY_TOKEN", TOKEN).env("MANYBODY_RANKS_PATIENCE", "1").output();
    Outcome::of(missing.unwrap()).expect_failure(&words, 1, &["rank 1: it did not come within 1 s", "1 of 3 ranks"]);
    assert!(place.names().is_empty());
}

/// Ranks of a launcher meet by a file that only their user can read, and that is gone afterwards.
#[test]
fn ranks_of_a_launcher_find_each_other() {
    let (one, place, meeting) = (Place::new(), Place::new(), Place::new());
    let words = "run -n 1100 --dt 1/64 --t-end 1/32 --threads 1 --out b.hdf5";
    one.good(words);
    let start = |k: u32| {
        let mut command = place.command(words);
        command.env("SLURM_PROCID", k.to_string()).env("SLURM_STEP_NUM_TASKS", "3").env("SLURM_STEP_ID", "0");
        command.env("SLURM_JOB_ID", "4711").env("SLURM_NNODES", "1").env("MANYBODY_RANKS_DIR", meeting.folder());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    for child in (0..3).map(start).collect::<Vec<_>>() {
        let outcome = Outcome::of(child.wait_with_output().unwrap());
        assert_eq!(outcome.status, Some(0), "{}", outcome.text);
    }
    place.assert_same_files(&one, "by srun");
    assert!(meeting.names().is_empty(), "{:?}", meeting.names());
}

/// The file has the token.
#[test]
fn a_signal_to_rank_0_that_waits_for_others_removes_the_file_where_they_meet() {
    for words in ["run -n 1100 --dt 1/64 --t-end 1/32 --out b.hdf5", "force start.hdf5 --eps 0.01 --out f.csv"] {
        let (place, meeting) = (Place::new(), Place::new());
        place.good("ic plummer -n 100 -o start.hdf5");
        let mut command = place.command(words);
        command.env("OMPI_COMM_WORLD_RANK", "0").env("OMPI_COMM_WORLD_SIZE", "2").env("PMIX_NAMESPACE", "4712");
        command.env("OMPI_COMM_WORLD_LOCAL_SIZE", "2").env("MANYBODY_RANKS_DIR", meeting.folder());
        let child = command.env("MANYBODY_RANKS_BY", "tcp").stderr(Stdio::piped()).spawn().unwrap();
        let begun = Instant::now();
        while meeting.names() != ["open-4712.address"] {
            assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", meeting.names());
            std::thread::sleep(Duration::from_millis(5));
        }
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let outcome = Outcome::of(child.wait_with_output().unwrap());
        assert_eq!(outcome.status, Some(130), "{}", outcome.text);
        assert!(meeting.names().is_empty(), "{:?}", meeting.names());
    }
}

#[test]
fn pairs_and_triples_have_the_file_of_one_process() {
    let place = Place::new();
    place.good("ic plummer -n 3000 --seed 4 -o points.hdf5");
    place.good("ic plummer -n 200 --seed 4 -o atoms.hdf5");
    for words in [
        "correlation points.hdf5 --bins log:0.01:2:10 --weights mass",
        "collisions points.hdf5 --radius 0.02",
        "collisions points.hdf5 --radius 0.02 --precision f32",
        "axilrod-teller atoms.hdf5 --nu 2",
        "axilrod-teller atoms.hdf5 --cutoff 0.5",
    ] {
        place.good(&format!("pairs {words} -o one.csv"));
        assert!(place.bytes("one.csv").len() > 200, "{words}");
        for ranks in [2, 3, 4] {
            let elsewhere = Place::new();
            good_in(&place, &elsewhere, &format!("pairs {words} -o several.csv"), ranks);
            assert!(elsewhere.names().is_empty(), "{:?}", elsewhere.names());
            assert!(place.bytes("one.csv") == place.bytes("several.csv"), "{words} by {ranks} ranks");
            std::fs::remove_file(place.path("several.csv")).unwrap();
        }
        std::fs::remove_file(place.path("one.csv")).unwrap();
    }
    // the number of touching pairs alone, and atoms in one place, which rank 0 names
    let one = place.good("pairs collisions points.hdf5 --radius 0.02 --json").json()[0]["touching"].clone();
    let at = free_address();
    let start =
        |k| rank(&place, &place, "pairs collisions points.hdf5 --radius 0.02 --json", [k, 2], &at).spawn().unwrap();
    let outcomes = (0..2).map(start).collect::<Vec<_>>().into_iter();
    let outcomes: Vec<Outcome> = outcomes.map(|child| Outcome::of(child.wait_with_output().unwrap())).collect();
    assert_eq!(outcomes[0].json()[0]["touching"], one, "{}", outcomes[0].text);
    let rows: String = (0..200).map(|k| format!("{},{},0\n", k % 199, k % 199 * k % 7)).collect();
    place.write("close.csv", &format!("x,y,z\n{rows}"));
    for outcome in run(&place, "pairs axilrod-teller close.csv", 2) {
        assert_eq!(outcome.status, Some(2), "{}", outcome.text);
    }
}

#[test]
fn one_evaluation_has_the_file_of_one_process() {
    let place = Place::new();
    place.good("ic plummer -n 1100 --seed 4 -o start.hdf5");
    place.write("own.law", "body x[3], m = mass; d = j.x - i.x; sum p = j.m / sqrt(dot(d, d) + 0.01); self exclude");
    for (name, more) in [("gravity", "--eps 0.01"), ("fmm", "--eps 0.01 --solver fmm"), ("law", "--law own.law")] {
        place.good(&format!("force start.hdf5 {more} -o {name}.csv"));
        let elsewhere = Place::new();
        good_in(&place, &elsewhere, &format!("force start.hdf5 {more} -o {name}-3.csv"), 3);
        assert!(elsewhere.names().is_empty(), "{:?}", elsewhere.names());
        assert!(place.bytes(&format!("{name}.csv")) == place.bytes(&format!("{name}-3.csv")), "{name}");
    }
    // what fails on rank 0 ends the others, too, with its status
    let at = free_address();
    let start = |k| rank(&place, &place, "force absent.hdf5 -o x.csv", [k, 2], &at).spawn().unwrap();
    for child in (0..2).map(start).collect::<Vec<_>>() {
        assert_eq!(Outcome::of(child.wait_with_output().unwrap()).status, Some(2));
    }
    let root = rank(&place, &place, "force start.hdf5 -o y.csv --eps 0.1", [0, 2], &at).spawn().unwrap();
    let other = rank(&place, &place, "force start.hdf5 -o y.csv --eps 0.2", [1, 2], &at).output().unwrap();
    Outcome::of(other).expect_failure(
        "force",
        1,
        &["rank 1: it was started with other settings than rank 0: command = "],
    );
    assert_eq!(Outcome::of(root.wait_with_output().unwrap()).status, Some(1));
}
