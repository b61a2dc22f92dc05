//! A run that was stopped, by whom and how ever, ends with the bytes of one that was not.
#![cfg(unix)]

mod common;

use common::{Outcome, Place, event};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Some steps of a few milliseconds each, with snapshots that do not fall on steps.
const WORDS: &str = "run -n 1500 --t-end 3/4 --dt 1/128 --eps 1/32 --snapshot-every 0.05";

/// The files of the run, never interrupted.
fn whole(words: &str) -> Place {
    let place = Place::new();
    place.good(&format!("{words} --out b.hdf5"));
    place
}

#[test]
fn every_snapshot_leads_to_the_same_end() {
    let words = "run -n 200 --t-end 1/4 --dt 0.01 --eps 1/32 --snapshot-every 0.05";
    for extension in ["hdf5", "csv"] {
        let place = Place::new();
        place.good(&format!("{words} --out b.{extension}"));
        for number in 1..=4 {
            let other = format!("c{number}");
            place.good(&format!("run --resume b.000{number}.{extension} --out {other}.{extension}"));
            let same = |a: String, b: String| assert!(place.bytes(&a) == place.bytes(&b), "{b}");
            same(format!("b.{extension}"), format!("{other}.{extension}"));
            for later in number + 1..=4 {
                same(format!("b.000{later}.{extension}"), format!("{other}.000{later}.{extension}"));
            }
            // the description of a resumed run repeats it too, whether it is given itself or is all that is left
            for words in [format!("run {other}.toml"), format!("run --resume {other}.{extension}")] {
                let kept: Vec<String> = place.names().into_iter().filter(|name| name.starts_with(&other)).collect();
                kept.iter()
                    .filter(|name| !name.ends_with("toml"))
                    .for_each(|n| std::fs::remove_file(place.path(n)).unwrap());
                place.good(&words);
                same(format!("b.{extension}"), format!("{other}.{extension}"));
            }
        }
    }
}

#[test]
fn the_end_does_not_depend_on_the_schedule() {
    let place = Place::new();
    place.good("run -n 100 --t-end 1/4 --dt 0.01 --snapshot-every 0.1 --out a.hdf5");
    place.good("run -n 100 --t-end 1/4 --dt 0.01 --out b.hdf5");
    assert!(place.bytes("a.hdf5") == place.bytes("b.hdf5"));
}

#[test]
fn asked_to_stop_it_keeps_where_it_is() {
    let undisturbed = whole(WORDS);
    for signal in ["INT", "TERM"] {
        let place = Place::new();
        let mut child = place
            .command(&format!("{WORDS} --out b.hdf5 --json"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut seen = Vec::new();
        while !seen.iter().any(|line: &String| line.contains("b.0002.hdf5")) {
            seen.push(lines.next().unwrap().unwrap());
        }
        assert!(Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap().success());
        let rest: Vec<String> = lines.map(Result::unwrap).collect();
        let outcome = Outcome { lines: rest, ..Outcome::of(child.wait_with_output().unwrap()) };
        assert_eq!(outcome.status, Some(130), "{signal}: {}", outcome.text);
        let events = outcome.json();
        let end = event(&events, "end");
        assert_eq!(end["status"], "interrupted");
        let file = end["file"].as_str().unwrap();
        assert!(outcome.text.contains(&format!("manybody run --resume {file}")), "{}", outcome.text);
        assert!(!place.path("b.hdf5").exists());
        // by the name of that file, and by the name of the run
        place.good(&format!("run --resume {}", if signal == "INT" { file } else { "b.hdf5" }));
        place.assert_same_files(&undisturbed, signal);
    }
}

/// A format that rounds holds no state to go on from, so an interruption keeps one in HDF5, and what goes on needs only
/// the run's name.
#[test]
fn a_run_into_tipsy_can_be_stopped_too() {
    let words = "run -n 1000 --t-end 1/2 --dt 1/512 --eps 1/32 --snapshot-every 1/8 --out b.tipsy";
    let undisturbed = Place::new();
    undisturbed.good(words);
    let place = Place::new();
    let mut words = format!("{words} --json");
    for sign in ["b.0001.tipsy", "b.0002.tipsy"] {
        let mut child = place.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line.contains(sign)), "{sign}");
        assert!(Command::new("kill").args(["-INT".into(), child.id().to_string()]).status().unwrap().success());
        lines.for_each(drop);
        let outcome = Outcome::of(child.wait_with_output().unwrap());
        assert_eq!(outcome.status, Some(130), "{}", outcome.text);
        let kept: Vec<String> = place.names().into_iter().filter(|name| name.ends_with("hdf5")).collect();
        assert!(kept.len() == 1 && outcome.text.contains(&format!("kept as {}", kept[0])), "{kept:?} {}", outcome.text);
        assert!(outcome.text.contains("manybody run --resume b.tipsy\n"), "{}", outcome.text);
        words = "run --resume b.tipsy --json".into();
    }
    place.good(&words);
    place.assert_same_files(&undisturbed, "tipsy");
}

/// Interrupted where no snapshot is due any more, it leaves no file that the undisturbed run does not have.
#[test]
fn stopped_after_its_last_snapshot_it_leaves_nothing_more() {
    // the first has no schedule; the second's next time is the end itself, which has no number
    for schedule in ["", "--snapshot-every 1/4"] {
        let words = format!("run -n 1500 --t-end 1/2 --dt 1/1024 --eps 1/32 --device cpu {schedule}");
        let undisturbed = whole(&words);
        let place = Place::new();
        let mut child = place
            .command(&format!("{words} --out b.hdf5 --json"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let sign = if schedule.is_empty() { "start" } else { "b.0001.hdf5" };
        assert!(lines.any(|line| line.contains(sign)), "{schedule}");
        assert!(Command::new("kill").args(["-INT".into(), child.id().to_string()]).status().unwrap().success());
        lines.for_each(drop);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{schedule}");
        place.good("run --resume b.hdf5");
        place.assert_same_files(&undisturbed, schedule);
    }
}

/// A run is killed without warning again and again, at times that a seed chooses, and each time resumed by the same
/// command.
#[test]
fn killed_at_any_moment_it_goes_on() {
    let undisturbed = whole(WORDS);
    let mut state = 20_261_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut kills = 0;
    for round in 0..3 {
        let place = Place::new();
        let mut words = format!("{WORDS} --out b.hdf5");
        // each life may last a little longer than the one before, or a slow machine would never reach the end
        for longest in (40_u64..).step_by(20) {
            let mut child = place.command(&words).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(5 + next() % longest));
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success(), "round {round}");
                break;
            }
            child.kill().unwrap(); // SIGKILL
            child.wait().unwrap();
            kills += 1;
            // whatever is there by its last name is whole
            for name in place.names().iter().filter(|name| name.ends_with(".hdf5")) {
                manybody::snapshot::read(place.path(name)).unwrap();
            }
            // killed before it had written its first word, it has to be started again
            if place.path("b.toml").exists() {
                words = "run --resume b.hdf5".into();
            }
        }
        place.assert_same_files(&undisturbed, &format!("round {round}, {kills} kills so far"));
    }
    assert!(kills >= 5, "only {kills} kills: the run is too short for this test");
}

#[test]
fn a_finished_run_has_nothing_to_resume() {
    let place = whole("run -n 100 --t-end 1/8 --snapshot-every 1/16");
    let before = place.content();
    let outcome = place.good("run --resume b.hdf5 --json");
    assert!(outcome.text.contains("finished"), "{}", outcome.text);
    assert_eq!(event(&outcome.json(), "end")["status"], "finished");
    assert!(place.content() == before);
}

#[test]
fn a_longer_run_continues_a_finished_one() {
    let place = whole("run -n 100 --t-end 1/8");
    place.bad("run --resume b.hdf5 --t-end 1/4", 2, &["--out", "b.hdf5"]);
    place.good("run --resume b.hdf5 --t-end 1/4 --out c.hdf5");
    place.good("run -n 100 --t-end 1/4 --out d.hdf5");
    assert!(place.bytes("c.hdf5") == place.bytes("d.hdf5"));
    place.bad("run --resume b.hdf5 --t-end 1/16 --out e.hdf5", 2, &["t-end", "0.125"]);
}

#[test]
fn another_run_needs_another_name() {
    let place = whole("run -n 100 --t-end 1/8 --snapshot-every 1/16");
    let before = place.content();
    for words in ["--dt 1/256", "--eps 1/2", "--integrator yoshida4", "--solver direct", "--snapshot-every 1/32"] {
        place.bad(&format!("run --resume b.0001.hdf5 {words}"), 2, &["--out"]);
    }
    place.bad("run --resume b.0001.hdf5 --eps 1/2 --out b.hdf5", 2, &["another --out"]);
    assert!(place.content() == before);
    place.good("run --resume b.0001.hdf5 --dt 1/256 --out c.hdf5");
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    let place = whole("run -n 100 --t-end 1/8 --snapshot-every 1/16");
    place.bad("run --resume none.hdf5", 2, &["none.hdf5"]);
    place.bad("run --resume b.toml", 2, &["b.toml"]);
    place.bad("run --resume b.0001.hdf5 --ic king", 2, &["--ic"]);
    for words in ["-n 300", "--seed 2", "--with w0=3", "--w0 3"] {
        place.bad(&format!("run --resume b.0001.hdf5 {words}"), 2, &["--resume"]);
    }
    place.write("c.toml", "resume = 'b.0001.hdf5'\nn = 300\n");
    place.bad("run c.toml", 2, &["n = 300", "b.0001.hdf5"]);
    place.bad("run b.hdf5 --resume b.0001.hdf5", 2, &["--resume"]);
    place.write("mine.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n");
    place.bad("run --resume mine.csv --out c.hdf5", 2, &["mine.csv", "run.dt"]);
    std::fs::rename(place.path("b.0001.hdf5"), place.path("renamed.hdf5")).unwrap();
    place.bad("run --resume renamed.hdf5", 2, &["renamed.hdf5", "--out"]);
    place.good("run --resume renamed.hdf5 --out d.hdf5");
    assert!(place.bytes("b.hdf5") == place.bytes("d.hdf5"));
    // the newest is damaged: the one before serves
    let place = whole("run -n 100 --t-end 1/4 --snapshot-every 1/16");
    let end = place.bytes("b.hdf5");
    let cut = place.bytes("b.0003.hdf5");
    std::fs::write(place.path("b.0003.hdf5"), &cut[..cut.len() / 2]).unwrap();
    std::fs::remove_file(place.path("b.hdf5")).unwrap();
    place.bad("run --resume b.0003.hdf5", 2, &["b.0003.hdf5"]);
    let outcome = place.good("run --resume b.hdf5");
    assert!(outcome.text.contains("trying the one before"), "{}", outcome.text);
    assert!(place.bytes("b.hdf5") == end && place.bytes("b.0003.hdf5") == cut);
}

/// Batch scripts resume always: a run that has ended has nothing to do, in whatever format.
#[test]
fn a_finished_run_into_tipsy_has_nothing_to_do() {
    let place = Place::new();
    place.good("run -n 100 --t-end 1/4 --dt 1/64 --eps 1/32 --snapshot-every 1/8 --out b.tipsy");
    let before = std::fs::read(place.path("b.tipsy")).unwrap();
    let outcome = place.good("run --resume b.tipsy");
    assert!(outcome.text.contains("this run is finished"), "{}", outcome.text);
    assert_eq!(std::fs::read(place.path("b.tipsy")).unwrap(), before);
}

/// The last snapshot is one of those that a crash can damage.
#[test]
fn a_damaged_last_snapshot_is_made_again_from_the_one_before() {
    let place = Place::new();
    let words = "run -n 100 --t-end 1/4 --dt 1/64 --eps 1/32 --snapshot-every 1/8 --out b.hdf5";
    place.good(words);
    let whole = std::fs::read(place.path("b.hdf5")).unwrap();
    place.good("ic plummer -n 10 -o other.hdf5");
    for damaged in [whole[..5000].to_vec(), Vec::new(), std::fs::read(place.path("other.hdf5")).unwrap()] {
        std::fs::write(place.path("b.hdf5"), damaged).unwrap();
        let outcome = place.good("run --resume b.hdf5");
        assert!(outcome.text.contains("trying the one before"), "{}", outcome.text);
        assert_eq!(std::fs::read(place.path("b.hdf5")).unwrap(), whole);
    }
    // without an earlier snapshot, the error is reported
    for file in ["b.0000.hdf5", "b.0001.hdf5"] {
        std::fs::remove_file(place.path(file)).unwrap();
    }
    std::fs::write(place.path("b.hdf5"), &whole[..5000]).unwrap();
    place.bad("run --resume b.hdf5", 2, &["b.hdf5"]);
}

/// Two runs of one name share the description: the first cannot go on as if the second's were its own.
#[test]
fn the_description_of_another_run_is_not_taken_for_ones_own() {
    let place = Place::new();
    place.good("run -n 100 --t-end 1/4 --dt 1/64 --eps 1/2 --snapshot-every 1/8 --out b.csv");
    std::fs::remove_file(place.path("b.csv")).unwrap();
    place.good("run -n 100 --t-end 1/8 --dt 1/64 --eps 1/4 --out b.hdf5");
    place.bad("run --resume b.csv", 2, &["b.toml", "another run", "b.hdf5", "--out"]);
    for file in ["b.0001.csv", "b.0002.csv"] {
        let _ = std::fs::remove_file(place.path(file));
    }
    place.bad("run --resume b.csv", 2, &["b.toml", "another run"]);
}

/// What an editor or a defect has changed in the text that a run has kept is named, with the file.
#[test]
fn a_value_that_no_run_keeps_is_named_with_its_file() {
    let place = Place::new();
    let words =
        "run --ic plummer -n 50 --eps 0.05 --dt 1/64 --t-end 1/8 --snapshot-every 1/16 --radius 0.1 --collisions merge";
    place.good(&format!("{words} --integrator hermite4 --out a.csv"));
    let text = String::from_utf8(place.bytes("a.0001.csv")).unwrap();
    let text: String = text.lines().filter(|line| !line.contains("checksum")).map(|line| format!("{line}\n")).collect();
    assert!(text.contains("# meta \"run.events\""), "no merger in the first half:\n{}", &text[..2000]);
    let entry = |name: &str, value: &str| {
        let edit = |line: &str| match line.starts_with(&format!("# meta \"{name}\"")) {
            true => format!("# meta \"{name}\" = \"{value}\"\n"),
            false => format!("{line}\n"),
        };
        text.lines().map(edit).collect::<String>()
    };
    let lines: Vec<&str> = text.lines().collect();
    let header = lines.iter().position(|line| !line.starts_with('#')).unwrap();
    let step = lines[header].split(',').position(|name| name == "hermite_dt").unwrap();
    let with_step = |value: &str| {
        let mut cells: Vec<&str> = lines[header + 3].split(',').collect();
        cells[step] = value;
        let changed = cells.join(",");
        let mut lines = lines.clone();
        lines[header + 3] = &changed;
        lines.join("\n") + "\n"
    };
    let twice = lines.iter().find(|line| line.starts_with("# meta \"run.dt\"")).unwrap();
    let renamed = text.replacen("hermite_jx", "hermite_no", 1);
    for (edited, words) in [
        (entry("run.eps", "NaN"), "eps"),
        (entry("run.events.mass", "NaN"), "run.events.mass"),
        (entry("run.events.momentum", "0.0 NaN 0.0"), "run.events.momentum"),
        (with_step("1e300"), "hermite_dt: body 2 (id "),
        (renamed, "hermite_jx: missing"),
        (text.replacen(twice, &format!("{twice}\n{twice}"), 1), "given twice"),
    ] {
        place.write("b.csv", &edited);
        place.bad("run --resume b.csv --out c.csv", 2, &["b.csv", words]);
    }
    place.write("b.csv", &text);
    place.good("run --resume b.csv --out c.csv");
}
