//! Several processes that share a run: the files of one process, whatever happens to one of them.
#![cfg(unix)]

mod common;

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
    for integrator in ["hermite4", "hermite6"] {
        same_files(&format!("run -n 1100 --dt 1/32 --t-end 1/16 --integrator {integrator}"), &[2, 3]);
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

/// On GPUs, here perhaps one that is emulated by the CPU and opened by every rank. From 8,193 bodies on the kernel is one
/// whose rows are shared. The same host code shares rows on CUDA.
#[test]
fn ranks_with_a_gpu_each_have_the_files_of_one_process() {
    for device in ["wgpu", "cuda"] {
        if !Place::new().has_device(device) {
            continue;
        }
        let words = format!(
            "run -n 8300 --eps 1/32 --dt 1/64 --t-end 1/32 --snapshot-every 1/64 --audit 0 --precision f32 --device \
             {device}"
        );
        same_files(&format!("{words} --solver direct"), &[2, 3]);
        let (one, several) = (Place::new(), Place::new());
        one.good(&format!("{words} --solver direct --out b.hdf5"));
        one.good("run --resume b.hdf5 --t-end 3/64 --quiet --out c.hdf5");
        good(&several, &format!("{words} --solver direct --out b.hdf5"), 3);
        good(&several, "run --resume b.hdf5 --t-end 3/64 --out c.hdf5", 2);
        several.assert_same_files(&one, device);
        // each pair once: by NCCL alone, where each rank has a GPU of its own
        for (solver, ranks) in
            [("", 2), ("--solver symmetric", 2), ("--solver symmetric", 3), ("--solver symmetric", 4)]
        {
            let (one, several) = (Place::new(), Place::new());
            let words = format!("{words} {solver} --out b.hdf5");
            let outcomes = run(&several, &words, ranks);
            let text = &outcomes[0].text;
            if outcomes[0].status != Some(0) {
                assert!(outcomes[1].status != Some(0) && text.contains("give --solver direct"), "{device}: {text}");
                eprintln!("{device} {solver}, {ranks} ranks: not shared: {text}");
                continue;
            }
            assert!(device == "cuda" && !text.contains("through the host"), "{text}");
            one.good(&words);
            several.assert_same_files(&one, solver);
        }
        if device == "cuda" {
            // ranks with two GPUs each, which perhaps are not here
            for (solver, ranks) in [("symmetric", 2), ("direct", 2), ("symmetric", 3)] {
                let (one, several) = (Place::new(), Place::new());
                let words = format!("{words} --solver {solver} --out b.hdf5");
                let outcomes = run(&several, &format!("{words} --gpus 2"), ranks);
                if outcomes[0].status != Some(0) {
                    eprintln!("{solver}, {ranks} ranks with two GPUs each: {}", outcomes[0].text);
                    continue;
                }
                one.good(&words);
                // the description says how many GPUs there were
                assert!(several.bytes("b.hdf5") == one.bytes("b.hdf5"), "{solver}, {ranks} ranks with two GPUs each");
            }
            // the way through the host, which the run mentions
            let place = Place::new();
            let at = free_address();
            let words = format!("{words} --solver direct --out b.hdf5");
            let start = |k| rank(&place, &place, &words, [k, 2], &at).env("MANYBODY_NCCL", "off").spawn().unwrap();
            for (k, child) in (0..2).map(start).collect::<Vec<_>>().into_iter().enumerate() {
                let outcome = Outcome::of(child.wait_with_output().unwrap());
                assert_eq!(outcome.status, Some(0), "{}", outcome.text);
                assert!(k > 0 || outcome.text.contains("not by NCCL: rank 0: MANYBODY_NCCL=off"), "{}", outcome.text);
            }
        }
    }
}

/// What GPUs of ranks share besides: laws, single evaluations, block steps, and bodies without mass.
#[test]
fn everything_that_ranks_with_a_gpu_each_share_has_the_files_of_one_process() {
    for device in ["wgpu", "cuda"] {
        let place = Place::new();
        if !place.has_device(device) {
            continue;
        }
        let text = "body x[3], m = mass; d = j.x - i.x; r2 = dot(d, d) + 0.01; sum acc[3] = j.m * d / (r2 * sqrt(r2)); \
                    max nearest = -r2; self exclude";
        place.write("own.law", text);
        // each pair in one direction
        let text = "body x[3]; source q = mass; d = j.x - i.x; sum p = j.q / sqrt(dot(d, d) + 0.01)";
        place.write("potential.law", text);
        // more than a kernel for few bodies takes
        let (n, numbers) = if device == "cuda" { (8300, 2..4) } else { (1100, 2..3) };
        place.good(&format!("ic plummer -n {n} --seed 4 -o start.hdf5"));
        let row = |k: u32| {
            let number = |q: u32| f64::from((k * q) % 10007) / 10007.0;
            let mass = if k.is_multiple_of(30) { 1e-3 } else { 0.0 };
            format!("{k},{mass},{},{},{},{},0,0\n", number(31), number(57), number(101), number(13))
        };
        let rows: String = (0..n + 700).map(row).collect();
        place.write("test-particles.csv", &format!("id,mass,x,y,z,vx,vy,vz\n{rows}"));
        let run = "--dt 1/64 --t-end 1/32 --audit 0";
        for words in [
            "force start.hdf5 --eps 0.01 --solver direct".to_owned(),
            format!("force start.hdf5 --eps 0.01 --solver {}", if device == "cuda" { "symmetric" } else { "direct" }),
            "force start.hdf5 --law own.law".to_owned(),
            "force start.hdf5 --law potential.law".to_owned(),
            format!("run start.hdf5 --law own.law {run}"),
            "run start.hdf5 --eps 1/32 --solver direct --integrator hermite4 --dt-max 1/64 --t-end 1/64 --audit 0"
                .to_owned(),
            format!("run test-particles.csv --eps 1/32 {run} --solver direct"),
            "force test-particles.csv --eps 1/32 --solver direct".to_owned(),
        ] {
            let words = format!("{words} --precision f32 --device {device}");
            let out =
                |name: &str| if words.starts_with("run") { format!("{name}.hdf5") } else { format!("{name}.csv") };
            place.good(&format!("{words} --out {}", out("one")));
            for ranks in numbers.clone() {
                let file = out("several");
                good_in(&place, &place, &format!("{words} --out {file}"), ranks);
                assert!(place.bytes(&out("one")) == place.bytes(&file), "{words} by {ranks} ranks");
                std::fs::remove_file(place.path(&file)).unwrap();
            }
            std::fs::remove_file(place.path(&out("one"))).unwrap();
        }
    }
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
    let words = "pairs correlation points.hdf5 --bins log:0.01:2:10 --weights mass";
    place.good("ic plummer -n 3000 --seed 4 -o points.hdf5");
    place.good(&format!("{words} -o pairs.csv"));
    good_in(&place, &place, &format!("{words} -o pairs-3.csv"), 3);
    assert!(place.bytes("pairs.csv") == place.bytes("pairs-3.csv"));
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
