//! Only what a run has written is ever removed or moved, a damaged snapshot is never gone on from, and the first bodies
//! and the times of a series are those that were asked for.

mod common;

use common::{Place, event};
use manybody::snapshot;

const WORDS: &str = "run --ic plummer -n 64 --dt 1/64 --t-end 1/8 --snapshot-every 1/32 --out a.hdf5";

fn run_without_its_end() -> (Place, Vec<u8>) {
    let place = Place::new();
    place.good(WORDS);
    let end = place.bytes("a.hdf5");
    std::fs::remove_file(place.path("a.hdf5")).unwrap();
    (place, end)
}

/// Where `text` stands in a file.
fn find(bytes: &[u8], text: &str) -> usize {
    bytes.windows(text.len()).position(|window| window == text.as_bytes()).unwrap()
}

/// A flipped bit in the name of the schedule: the snapshot is named, those before stay, and the end is the same; also where
/// the file has no checksum, by what the description says.
#[test]
fn a_newest_snapshot_without_its_schedule_costs_no_other() {
    for with_checksum in [true, false] {
        let (place, end) = run_without_its_end();
        let whole = place.content();
        let mut bytes = place.bytes("a.0003.hdf5");
        if !with_checksum {
            bytes.truncate(bytes.len() - 32);
        }
        let at = find(&bytes, "run.snapshot_every");
        bytes[at + 5] ^= 2;
        std::fs::write(place.path("a.0003.hdf5"), bytes).unwrap();
        let outcome = place.good("run --resume a.hdf5 --json");
        assert!(
            outcome.text.contains("a.0003.hdf5") && outcome.text.contains("trying the one before"),
            "{}",
            outcome.text
        );
        assert!(event(&outcome.json(), "damaged")["file"].as_str().unwrap().ends_with("a.0003.hdf5"));
        assert!(place.bytes("a.hdf5") == end);
        for (name, bytes) in whole {
            assert!(place.bytes(&name) == bytes, "{name}, checksum: {with_checksum}");
        }
    }
}

/// A user's copy under a numbered name of the run is not the file of an interruption.
#[test]
fn only_the_number_of_an_interruption_is_removed() {
    let (place, end) = run_without_its_end();
    let copy = place.bytes("a.0002.hdf5");
    std::fs::write(place.path("a.0007.hdf5"), &copy).unwrap();
    place.good("run --resume a.hdf5");
    assert!(place.bytes("a.hdf5") == end && place.bytes("a.0007.hdf5") == copy);
}

/// Any flipped bit, in any format to go on from: the end is that of a run of undamaged files.
#[test]
fn whatever_the_damage_the_one_before_is_taken() {
    for extension in ["hdf5", "csv", "nemo"] {
        let place = Place::new();
        place.good(&WORDS.replace("hdf5", extension));
        let (end, newest) = (place.bytes(&format!("a.{extension}")), place.bytes(&format!("a.0003.{extension}")));
        for k in 0..6 {
            std::fs::remove_file(place.path(&format!("a.{extension}"))).unwrap();
            let mut damaged = newest.clone();
            match k {
                0 => damaged.truncate(newest.len() / 2),
                1 => damaged.clear(),
                2 => damaged.push(b'\n'),
                // in its step, and anywhere
                3 => damaged[find(&newest, "run.step")] ^= 1,
                _ => damaged[newest.len() / 7 * k] ^= 1 << k,
            }
            std::fs::write(place.path(&format!("a.0003.{extension}")), damaged).unwrap();
            let outcome = place.good(&format!("run --resume a.{extension}"));
            assert!(outcome.text.contains(&format!("a.0003.{extension}")), "{}", outcome.text);
            assert!(place.bytes(&format!("a.{extension}")) == end, "{extension} {k}");
            assert!(place.bytes(&format!("a.0003.{extension}")) == newest, "{extension} {k}");
        }
    }
}

/// It is moved aside, and the run goes on to its end again.
#[test]
fn a_damaged_last_snapshot_is_not_the_end() {
    for extension in ["hdf5", "csv", "nemo"] {
        let place = Place::new();
        place.good(&WORDS.replace("hdf5", extension));
        let end = place.bytes(&format!("a.{extension}"));
        let mut damaged = end.clone();
        damaged[end.len() / 2] ^= 16;
        std::fs::write(place.path(&format!("a.{extension}")), &damaged).unwrap();
        let outcome = place.good(&format!("run --resume a.{extension} --json"));
        assert_eq!(event(&outcome.json(), "end")["status"], "finished");
        assert!(event(&outcome.json(), "damaged")["error"].as_str().unwrap().contains("differs from what was written"));
        assert!(place.bytes(&format!("a.{extension}")) == end);
        assert!(place.bytes(&format!("a.old1.{extension}")) == damaged);
    }
    // with nothing before it there is nothing to go on from, and what helps is said
    let place = Place::new();
    place.good("run -n 64 --dt 1/64 --t-end 1/8 --out a.hdf5");
    let mut damaged = place.bytes("a.hdf5");
    damaged[3000] ^= 1;
    std::fs::write(place.path("a.hdf5"), damaged).unwrap();
    place.bad("run --resume a.hdf5", 2, &["a.hdf5", "differs from what was written", "manybody run a.toml"]);
}

/// The description was edited, or is another run's: nothing is computed, and nothing replaced.
#[test]
fn a_whole_snapshot_that_its_description_contradicts_is_refused() {
    let (place, _) = run_without_its_end();
    let scene = String::from_utf8(place.bytes("a.toml")).unwrap();
    for (from, to, part) in [
        ("dt = 0.015625", "dt = 0.03125", "dt = 0.03125, not 0.015625"),
        ("snapshot-every = 0.03125", "", "no snapshot-every"),
        ("t-end = 0.125", "t-end = 0.25", "t-end = 0.25"),
    ] {
        assert!(scene.contains(from), "{scene}");
        place.write("a.toml", &scene.replace(from, to));
        let before = place.content();
        place.bad("run --resume a.hdf5", 2, &["a.0003.hdf5", "a.toml", part]);
        assert!(place.content() == before);
        place.good("run --resume a.0003.hdf5 --out b.hdf5");
        for name in ["b.hdf5", "b.toml"] {
            std::fs::remove_file(place.path(name)).unwrap();
        }
    }
}

/// Where a description no longer says what the run was, and nothing of it contradicts the snapshots, that is said.
#[test]
fn a_description_that_was_changed_is_named() {
    let (place, _) = run_without_its_end();
    let scene = String::from_utf8(place.bytes("a.toml")).unwrap();
    assert!(scene.contains("seed = 1\n"), "{scene}");
    let sign = "warning: a.toml differs from what the run has written";
    place.write("a.toml", &scene.replace("seed = 1\n", "seed = 3\n"));
    for words in ["run --resume a.hdf5", "run --resume a.hdf5"] {
        let text = place.good(words).text;
        assert_eq!(text.matches(sign).count(), 1, "{text}");
    }
    place.write("a.toml", &scene);
    assert!(!place.good("run --resume a.hdf5").text.contains("warning"));
    // without the line of the checksum it is the user's
    place.write("a.toml", scene.split_once('\n').unwrap().1);
    assert!(!place.good("run --resume a.hdf5").text.contains("warning"));
}

#[test]
fn a_users_lock_file_stays() {
    let place = Place::new();
    place.write("Cargo.lock", "a user's");
    place.good("run --ic figure8 --dt 1/64 --t-end 1/8 --out Cargo.hdf5");
    assert_eq!(place.bytes("Cargo.lock"), b"a user's");
    assert_eq!(place.names(), ["Cargo.hdf5", "Cargo.lock", "Cargo.toml"]);
}

/// A description that a user has written or edited belongs to the user; so does a file that no run has written.
#[test]
fn what_a_user_has_written_is_never_moved() {
    let place = Place::new();
    let short = "run --ic figure8 --dt 1/64 --t-end 1/8 --out a.hdf5";
    place.write("a.toml", "# mine\nic = 'king'\n");
    let before = place.content();
    for words in [short, &format!("{short} --overwrite")] {
        place.bad(words, 2, &["a.toml", "by hand", "--out"]);
        assert!(place.content() == before);
    }
    std::fs::remove_file(place.path("a.toml")).unwrap();
    place.good(short);
    let written = String::from_utf8(place.bytes("a.toml")).unwrap();
    place.write("a.toml", &written.replace("dt = 0.015625", "dt = 0.03125"));
    place.bad(short, 2, &["a.toml", "edited by hand"]);
    assert!(place.good("run a.toml").text.contains("warning: a.toml differs from what a run has written"));
    // without the line of the checksum it is the user's
    place.write("a.toml", written.replace("dt = 0.015625", "dt = 0.03125").split_once('\n').unwrap().1);
    assert!(!place.good("run a.toml").text.contains("differs"));
    std::fs::remove_file(place.path("a.toml")).unwrap();
    place.write("a.hdf5", "mine");
    place.bad(short, 2, &["a.hdf5", "no run has written it"]);
    assert_eq!(place.bytes("a.hdf5"), b"mine");
}

/// Beside the description of a run, too: the run is refused with the names of all of them.
#[test]
fn a_users_files_beside_a_run_stay() {
    let place = Place::new();
    let words = "run --ic figure8 --dt 1/64 --t-end 1/4 --snapshot-every 1/8 --out b.hdf5";
    place.good(words);
    place.write("b.0001.hdf5", "precious");
    place.write("b.0005.hdf5", "notes");
    let before = place.content();
    for words in [words, &format!("{words} --overwrite")] {
        let text = place.bad(words, 2, &["b.0001.hdf5", "b.0005.hdf5", "no run has written it", "--out"]);
        assert!(!text.contains("b.0000.hdf5"), "{text}");
        assert!(place.content() == before, "{text}");
    }
    for name in ["b.0001.hdf5", "b.0005.hdf5"] {
        std::fs::remove_file(place.path(name)).unwrap();
    }
    place.good(words);
}

/// With no whole snapshot left, only the description says which run it was: one that differs from its checksum does not.
#[test]
fn a_damaged_description_begins_no_other_run() {
    let place = Place::new();
    place.good("run -n 64 --device cpu --dt 1/64 --t-end 1/4 --snapshot-every 1/8 --out a.hdf5");
    let written = String::from_utf8(place.bytes("a.toml")).unwrap();
    for with_damaged_snapshots in [true, false] {
        for name in ["a.0000.hdf5", "a.0001.hdf5", "a.hdf5"] {
            let path = place.path(name);
            match with_damaged_snapshots && name != "a.hdf5" {
                true => {
                    let mut bytes = std::fs::read(&path).unwrap();
                    let middle = bytes.len() / 2;
                    bytes[middle] ^= 1;
                    std::fs::write(&path, bytes).unwrap();
                }
                false => drop(std::fs::remove_file(&path)),
            }
        }
        for (from, to) in [("seed = 1", "seed = 3"), ("dt = 0.015625", "dt = 0.025625")] {
            assert!(written.contains(from), "{written}");
            place.write("a.toml", &written.replace(from, to));
            let before = place.content();
            let parts = ["a.toml", "checksum", "differs", "manybody run a.toml"];
            place.bad("run --resume a.hdf5", 2, &parts);
            assert!(place.content() == before, "{to}");
        }
        // as it was written it is begun again
        place.write("a.toml", &written);
        assert!(place.good("run --resume a.hdf5").text.contains("beginning again"));
    }
}

#[test]
#[cfg(unix)]
fn links_to_nothing_are_not_replaced() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    symlink("elsewhere.hdf5", place.path("link.hdf5")).unwrap();
    let text = place.good("ic plummer -n 10 -o link.hdf5").text;
    assert!(text.contains("link.hdf5: is a symbolic link") && text.contains("elsewhere.hdf5"), "{text}");
    let again = place.good("ic plummer -n 10 -o link.hdf5 --force").text;
    assert!(!again.contains("symbolic"), "{again}");
    assert!(place.path("link.hdf5").symlink_metadata().unwrap().is_symlink());
    assert!(place.path("elsewhere.hdf5").symlink_metadata().unwrap().is_file());
    for name in ["a.hdf5", "a.0001.hdf5", "a.toml"] {
        symlink("nowhere", place.path(name)).unwrap();
        place.bad("run --ic figure8 --dt 1/64 --t-end 1/8 --out a.hdf5", 2, &[name, "link"]);
        assert!(place.path(name).symlink_metadata().unwrap().is_symlink());
        std::fs::remove_file(place.path(name)).unwrap();
    }
}

/// Killed in the middle of moving an earlier run aside, `--resume` does not take what is left of it for a run, and the same
/// command moves the rest.
#[test]
fn a_move_that_was_cut_is_completed() {
    let names = ["a.0000.hdf5", "a.0001.hdf5", "a.0002.hdf5", "a.0003.hdf5", "a.hdf5", "a.toml"];
    let place = Place::new();
    place.good(WORDS);
    let first: Vec<Vec<u8>> = names.iter().map(|name| place.bytes(name)).collect();
    let journal = r#"{"to":"a.old1","endings":[".0000.hdf5",".0001.hdf5",".0002.hdf5",".0003.hdf5",".hdf5",".toml"]}"#;
    for done in [0, 1, 3, 5, 6] {
        for words in ["run --resume a.hdf5", "run --ic plummer -n 64 --dt 1/64 --t-end 1/64 --seed 2 --out a.hdf5"] {
            let place = Place::new();
            for (k, (name, bytes)) in names.iter().zip(&first).enumerate() {
                let name = if k < done { name.replace("a.", "a.old1.") } else { name.to_string() };
                std::fs::write(place.path(&name), bytes).unwrap();
            }
            place.write("a.manybody-moving", journal);
            let outcome = place.run(words);
            let resumed = words.contains("--resume");
            assert_eq!(outcome.status, Some(if resumed { 2 } else { 0 }), "{done} {words}: {}", outcome.text);
            for (name, bytes) in names.iter().zip(&first) {
                assert!(place.bytes(&name.replace("a.", "a.old1.")) == *bytes, "{done} {words}: {name}");
            }
            let others = place.names().into_iter().filter(|name| !name.starts_with("a.old1.")).collect::<Vec<_>>();
            let expected: &[&str] = if resumed { &[] } else { &["a.hdf5", "a.toml"] };
            assert_eq!(others, expected, "{done} {words}");
        }
    }
}

#[test]
fn a_name_without_room_for_numbers_is_refused_at_once() {
    let place = Place::new();
    for n in [250, 247, 230] {
        let name = "n".repeat(n);
        place.bad(
            &format!("run -n 10 --t-end 1/64 --dt 1/64 --eps 1 --out {name}.hdf5"),
            2,
            &["out = nnn", "are possible"],
        );
        assert_eq!(place.names(), Vec::<String>::new());
    }
}

/// What processes that were killed have left of a run whose format rounds.
#[test]
fn the_leavings_of_an_interrupted_tipsy_run_are_swept() {
    let place = Place::new();
    place.write("a.0003.hdf5.4194305-7.tmp", "half");
    place.write("a.0001.tipsy.4194305-6.tmp", "half");
    place.good("run -n 64 --dt 1/64 --t-end 1/64 --out a.tipsy");
    assert_eq!(place.names(), ["a.tipsy", "a.toml"]);
}

/// With a schedule, the first bodies are kept too; they change no other bit, and can be gone on from.
#[test]
fn a_series_begins_with_its_first_bodies() {
    let (place, end) = run_without_its_end();
    let first = snapshot::read(place.path("a.0000.hdf5")).unwrap();
    assert_eq!((first.time, first.bodies.len()), (0.0, 64));
    place.good("ic plummer -n 64 --seed 1 -o ic.hdf5");
    let drawn = snapshot::read(place.path("ic.hdf5")).unwrap();
    assert_eq!((first.bodies.x, first.bodies.vz), (drawn.bodies.x, drawn.bodies.vz));
    // without a series, from the same bodies
    place.good(&WORDS.replace("--snapshot-every 1/32", "").replace("a.hdf5", "b.hdf5"));
    assert!(place.bytes("b.hdf5") == end);
    assert!(!place.path("b.0000.hdf5").exists());
    let whole = place.content();
    for number in 1..=3 {
        std::fs::remove_file(place.path(&format!("a.000{number}.hdf5"))).unwrap();
    }
    place.good("run --resume a.hdf5");
    assert!(place.bytes("a.hdf5") == end);
    for (name, bytes) in whole {
        assert!(place.bytes(&name) == bytes, "{name}");
    }
    // going on under another name, a run does not begin
    place.good("run --resume a.0001.hdf5 --out c.hdf5");
    assert!(!place.path("c.0000.hdf5").exists());
}

/// A step that is chosen divides the interval, so that each snapshot has the time that was asked for.
#[test]
fn snapshots_fall_on_their_times() {
    let place = Place::new();
    let outcome = place.good("run -n 100 --t-end 0.3 --snapshot-every 0.1 --out a.hdf5 --json");
    assert_eq!(event(&outcome.json(), "start")["dt"].as_f64(), Some(0.1 / 13.0));
    for (name, time) in [("a.0000.hdf5", 0.0), ("a.0001.hdf5", 0.1), ("a.0002.hdf5", 0.2), ("a.hdf5", 0.3)] {
        let kept = snapshot::read(place.path(name)).unwrap().time;
        assert!((kept - time).abs() < 1e-15, "{name}: {kept}");
    }
    assert!(!place.path("a.0003.hdf5").exists());
    // a step that was asked for stays, and so does a power of two that divides
    let outcome = place.good("run -n 100 --t-end 0.3 --dt 0.07 --snapshot-every 0.1 --out b.hdf5 --json");
    assert_eq!(event(&outcome.json(), "start")["dt"].as_f64(), Some(0.07));
    let outcome = place.good("run -n 100 --t-end 1/8 --snapshot-every 1/16 --out c.hdf5 --json");
    assert_eq!(event(&outcome.json(), "start")["dt"].as_f64(), Some(1.0 / 128.0));
}

#[test]
fn overwrite_leaves_no_earlier_run() {
    let place = Place::new();
    place.good(WORDS);
    let names = place.names();
    place.write("a.note", "mine");
    let outcome = place.good(&format!("{WORDS} --seed 2 --overwrite"));
    assert!(outcome.text.contains("removed"), "{}", outcome.text);
    let mut expected = names;
    expected.push("a.note".into());
    expected.sort();
    assert_eq!(place.names(), expected);
    // among them the description that the run itself is read from
    place.good("run a.toml --overwrite");
    assert_eq!(place.names(), expected);
    place.bad("run --resume a.hdf5 --overwrite", 2, &["--overwrite"]);
    // as a key of a description, which stays as it was written
    let description = format!("overwrite = true\nthreads = 1\n{}", String::from_utf8_lossy(&place.bytes("a.toml")));
    place.write("a.toml", &description);
    let outcome = place.good("run a.toml");
    assert!(outcome.text.contains("removed") && outcome.text.contains("cpu, 1 threads"), "{}", outcome.text);
    assert_eq!(place.names(), expected);
    assert_eq!(place.bytes("a.toml"), description.as_bytes());
    let outcome = place.good("run a.toml --threads 3");
    assert!(outcome.text.contains("cpu, 3 threads"), "{}", outcome.text);
    assert_eq!(place.names(), expected);
    // neither is in the description of a run
    place.good("run -n 100 --t-end 1/16 --out b.hdf5 --threads 1 --overwrite");
    let written = String::from_utf8(place.bytes("b.toml")).unwrap();
    assert!(!written.contains("threads") && !written.contains("overwrite"), "{written}");
}

/// Only what a run has written is removed: the output of another command, a copy and a conversion of a run's own snapshot
/// under a name of the run, and what is damaged, are kept aside and named.
#[test]
fn overwrite_removes_only_files_of_an_earlier_run() {
    let short = "run --ic plummer -n 64 --dt 1/64 --t-end 1/8 --overwrite --out";
    for extension in ["hdf5", "csv", "nemo", "tipsy"] {
        let place = Place::new();
        let out = format!("a.{extension}");
        place.good(&format!("ic plummer -n 10 -o {out}"));
        let mine = place.bytes(&out);
        let outcome = place.good(&format!("{short} {out}"));
        let aside = format!("a.old1.{extension}");
        assert!(outcome.text.contains("is not removed") && outcome.text.contains(&aside), "{}", outcome.text);
        assert!(place.bytes(&aside) == mine, "{extension}");
        // the same beside the description of a run
        if extension != "tipsy" {
            std::fs::write(place.path(&out), &mine).unwrap();
            let outcome = place.good(&format!("{short} {out}"));
            assert!(place.bytes(&format!("a.old2.{extension}")) == mine, "{}", outcome.text);
            assert!(outcome.text.contains("1 file of an earlier run removed"), "{}", outcome.text);
            assert!(!place.path("a.old2.toml").exists());
        }
    }
    let place = Place::new();
    place.good(WORDS);
    place.good("convert a.0002.hdf5 b.hdf5");
    place.good("convert a.hdf5 c.hdf5");
    place.good("convert a.hdf5 a.csv");
    let copy = place.bytes("a.0001.hdf5");
    std::fs::write(place.path("a.0007.hdf5"), &copy).unwrap();
    let mut damaged = place.bytes("a.0003.hdf5");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(place.path("a.0003.hdf5"), &damaged).unwrap();
    for name in ["b.hdf5", "c.hdf5", "a.csv"] {
        let before = place.bytes(name);
        place.good(&format!("{short} {name}"));
        assert!(place.bytes(&name.replace('.', ".old1.")) == before, "{name}");
        if name == "a.csv" {
            // it has taken the description of the run a.hdf5, which was not its own to remove
            assert!(place.path("a.old1.toml").exists());
        }
    }
    // the description of a run identifies its own files
    std::fs::rename(place.path("a.old1.toml"), place.path("a.toml")).unwrap();
    let outcome = place.good(&format!("{short} a.hdf5"));
    assert!(place.bytes("a.old1.0007.hdf5") == copy && place.bytes("a.old1.0003.hdf5") == damaged);
    let kept: Vec<String> = place.names().into_iter().filter(|name| name.starts_with("a.old1.0")).collect();
    assert_eq!(kept, ["a.old1.0003.hdf5", "a.old1.0007.hdf5"], "{}", outcome.text);
    assert!(outcome.text.contains("5 files of an earlier run removed"), "{}", outcome.text);
}

/// What is wrong with the snapshots before the one that a run goes on from is named, each by itself.
#[test]
fn every_snapshot_of_the_series_is_checked() {
    for extension in ["hdf5", "csv", "nemo"] {
        let place = Place::new();
        place.good(&WORDS.replace("hdf5", extension));
        let name = |number: u32| format!("a.{number:04}.{extension}");
        let (end, first) = (place.bytes(&format!("a.{extension}")), place.bytes(&name(1)));
        assert_eq!(place.good(&format!("run --resume a.{extension}")).text.matches("warning").count(), 0);
        let mut damaged = first.clone();
        damaged[first.len() / 2] ^= 4;
        std::fs::write(place.path(&name(1)), damaged).unwrap();
        std::fs::remove_file(place.path(&name(0))).unwrap();
        // finished; from its newest snapshot; from one that is named
        for (words, last) in [
            (format!("run --resume a.{extension} --json"), true),
            (format!("run --resume a.{extension} --json"), false),
            (format!("run --resume {} --json", name(2)), false),
        ] {
            if !last {
                std::fs::remove_file(place.path(&format!("a.{extension}"))).unwrap();
            }
            let outcome = place.good(&words);
            let warnings: Vec<&str> = outcome.text.lines().filter(|line| line.starts_with("warning: ")).collect();
            assert_eq!(warnings.len(), 2, "{words}: {}", outcome.text);
            assert!(warnings[0].contains(&name(0)) && warnings[0].contains("missing"), "{}", outcome.text);
            assert!(warnings[1].contains(&name(1)) && warnings[1].contains("differs from what"), "{}", outcome.text);
            let lines = outcome.json();
            let files: Vec<&str> =
                lines.iter().filter(|l| l["event"] == "damaged").map(|l| l["file"].as_str().unwrap()).collect();
            assert_eq!(files, [name(0), name(1)], "{words}");
            assert!(place.bytes(&format!("a.{extension}")) == end, "{words}");
        }
        // what the warning says helps
        std::fs::remove_file(place.path(&name(2))).unwrap();
        place.good(&format!("run --ic plummer -n 64 --dt 1/64 --t-end 1/8 --snapshot-every 1/32 --out b.{extension}"));
        std::fs::write(place.path(&name(0)), place.bytes(&format!("b.0000.{extension}"))).unwrap();
        let outcome = place.good(&format!("run --resume a.{extension}"));
        let remedy = format!("manybody run --resume {} computes it again", name(0));
        assert_eq!(outcome.text.matches(&remedy).count(), 2, "{}", outcome.text);
        place.good(&format!("run --resume {}", name(0)));
        assert!(place.bytes(&name(1)) == first && place.path(&name(2)).exists());
        assert!(place.bytes(&format!("a.{extension}")) == end);
    }
}

/// A format that rounds has only checksums and numbers; the newest of its snapshots is checked, too.
#[test]
fn damaged_snapshots_in_tipsy_are_named() {
    let place = Place::new();
    place.good(&WORDS.replace("hdf5", "tipsy"));
    for name in ["a.0001.tipsy", "a.0003.tipsy"] {
        let mut bytes = place.bytes(name);
        bytes[100] ^= 1;
        std::fs::write(place.path(name), bytes).unwrap();
    }
    std::fs::remove_file(place.path("a.0002.tipsy")).unwrap();
    let outcome = place.good("run --resume a.tipsy");
    for (name, what) in [("0001", "differs"), ("0002", "missing"), ("0003", "differs")] {
        let found = outcome.text.lines().find(|line| line.contains(&format!("a.{name}.tipsy")));
        assert!(found.is_some_and(|line| line.starts_with("warning: ") && line.contains(what)), "{}", outcome.text);
    }
}

/// A snapshot under the number of another is not taken for that one, and the run ends in the same files.
#[test]
fn a_renamed_snapshot_is_named_and_not_taken() {
    let (place, end) = run_without_its_end();
    let whole = place.content();
    std::fs::rename(place.path("a.0003.hdf5"), place.path("a.0002.hdf5")).unwrap();
    place.bad("run --resume a.0002.hdf5", 2, &["a.0002.hdf5", "it holds the snapshot of number 0003", "--out"]);
    let outcome = place.good("run --resume a.hdf5 --json");
    assert!(outcome.text.contains("it holds the snapshot of number 0003"), "{}", outcome.text);
    assert!(event(&outcome.json(), "damaged")["file"].as_str().unwrap().ends_with("a.0002.hdf5"));
    assert!(place.bytes("a.hdf5") == end);
    whole.iter().for_each(|(name, bytes)| assert!(place.bytes(name) == *bytes, "{name}"));
    // before the one to go on from it is a warning
    std::fs::write(place.path("a.0001.hdf5"), place.bytes("a.0002.hdf5")).unwrap();
    let outcome = place.good("run --resume a.hdf5");
    assert!(outcome.text.contains("a.0001.hdf5: field run: it holds the snapshot of number 0002"), "{}", outcome.text);
    // also the snapshot before under the number, as an interruption right after it has; and both of two
    std::fs::write(place.path("a.0001.hdf5"), place.bytes("a.0000.hdf5")).unwrap();
    let outcome = place.good("run --resume a.hdf5");
    assert!(outcome.text.contains("a.0001.hdf5: field run: it holds the snapshot of number 0000"), "{}", outcome.text);
    std::fs::write(place.path("a.0001.hdf5"), place.bytes("a.0002.hdf5")).unwrap();
    // where it is the only snapshot left, the run must not begin again over it
    for name in ["a.0000.hdf5", "a.0002.hdf5", "a.0003.hdf5", "a.hdf5"] {
        std::fs::remove_file(place.path(name)).unwrap();
    }
    let before = place.content();
    place.bad("run --resume a.hdf5", 2, &["a.0001.hdf5", "number 0002"]);
    assert!(place.content() == before);
    place.good("run --resume a.0001.hdf5 --out b.hdf5");
    assert!(place.bytes("b.hdf5") == end);
}

#[test]
fn quiet_leaves_only_errors_and_warnings() {
    let place = Place::new();
    let outcome = place.good(&format!("{WORDS} --quiet"));
    assert_eq!((outcome.text.as_str(), outcome.lines.len()), ("", 0));
    let outcome = place.good(&format!("{WORDS} --quiet --json"));
    assert_eq!(outcome.text, "");
    assert_eq!(event(&outcome.json(), "end")["status"], "finished");
    place.bad("run --quiet --dt 0", 2, &["error: ", "dt = 0"]);
    // --quiet does not suppress warnings: they are printed during the run, and again at the end
    let wild = "run --ic plummer -n 200 --eps 0 --dt 1/8 --t-end 6 --snapshot-every 2 --device cpu --out w.hdf5";
    let outcome = place.good(&format!("{wild} --quiet"));
    assert!(outcome.text.lines().count() >= 2, "{}", outcome.text);
    assert!(outcome.text.lines().all(|line| line.starts_with("warning: at t = ")), "{}", outcome.text);
    assert_eq!(place.good("run --resume a.hdf5 --quiet").text, "");
}
