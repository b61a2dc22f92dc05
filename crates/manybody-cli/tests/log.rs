//! `run --log EVERY`: the table beside a run.
#![cfg(unix)]

mod common;

use common::{Outcome, Place, event};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const WORDS: &str = "run -n 300 --t-end 1/2 --dt 1/128 --eps 1/32 --log 0.05 --snapshot-every 1/8";

/// The lines of a table below its header, by columns; the last one, of checksums, depends on the lines before.
fn table(place: &Place, name: &str) -> Vec<BTreeMap<String, String>> {
    let text = String::from_utf8(place.bytes(name)).unwrap();
    assert!(text.starts_with("# manybody log 1\n# units = ") && text.ends_with('\n'), "{text}");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().unwrap().split(',').map(|name| name.split(" [").next().unwrap()).collect();
    assert_eq!(names.last(), Some(&"checksum"));
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields.len(), names.len(), "{line}");
        let (fields, names) = (&fields[..names.len() - 1], &names[..names.len() - 1]);
        names.iter().zip(fields).map(|(name, field)| (String::from(*name), String::from(*field))).collect()
    };
    lines.map(row).collect()
}

/// Whether a field is a value of JSON, to one unit in the last place, as serde_json reads numbers.
fn same(field: &str, value: &serde_json::Value) -> bool {
    match (field.parse::<f64>(), value.as_f64()) {
        (Ok(a), Some(b)) => (a - b).abs() <= f64::EPSILON * a.abs(),
        (a, b) => a.is_err() && b.is_none(),
    }
}

#[test]
fn a_table_has_its_lines_and_changes_no_bit_of_the_run() {
    let place = Place::new();
    let outcome = place.good(&format!("{WORDS} --out b.hdf5 --json"));
    place.good("run -n 300 --t-end 1/2 --dt 1/128 --eps 1/32 --snapshot-every 1/8 --out c.hdf5");
    assert!(place.bytes("b.hdf5") == place.bytes("c.hdf5"), "the last snapshot differs");
    let rows = table(&place, "b.csv");
    // after the first step that reaches 0, 0.05, ... 0.45, and at the end
    let steps: Vec<u64> = rows.iter().map(|row| row["step"].parse().unwrap()).collect();
    assert_eq!(steps, [0, 7, 13, 20, 26, 32, 39, 45, 52, 58, 64]);
    let events: Vec<_> = outcome.json().into_iter().filter(|line| line["event"] == "log").collect();
    assert_eq!(events.len(), rows.len());
    for (row, event) in rows.iter().zip(&events) {
        assert_eq!(row.len() + 1, event.as_object().unwrap().len());
        for (name, field) in row {
            assert!(same(field, &event[name]), "{name}: {field} {}", event[name]);
        }
    }
    // the end as the run itself reports it
    let lines = outcome.json();
    let (end, last) = (event(&lines, "end"), rows.last().unwrap());
    assert!(same(&last["energy_error"], &end["energy_error"]));
    for name in ["kinetic", "potential", "energy", "virial_ratio"] {
        assert!(same(&last[name], &end["diagnostics"][name]), "{name}");
    }
    // 0.25 is a time of both: the snapshot keeps the line
    let info: serde_json::Value = serde_json::from_str(&place.good("info b.0002.hdf5 --json").lines[0]).unwrap();
    assert_eq!(info["meta"]["run.log.core_radius"], rows[5]["core_radius"].as_str());
    assert_eq!(info["meta"]["run.log.bound_pairs"], rows[5]["bound_pairs"].as_str());
}

#[test]
fn threads_and_formats_of_snapshots_change_no_byte_of_it() {
    let place = Place::new();
    for (threads, out, log) in [(1, "a.hdf5", "a.csv"), (2, "b.nemo", "b.csv"), (3, "c.csv", "c.log.csv")] {
        place.good(&format!("{WORDS} --threads {threads} --out {out}"));
        assert!(place.bytes(log) == place.bytes("a.csv"), "{log}");
    }
}

/// Killed while it runs, and resumed, until it ends: whole lines at any time, and the files of an undisturbed run.
#[test]
fn killed_and_resumed_it_ends_with_the_same_bytes() {
    let words = "run -n 1500 --t-end 1/2 --dt 1/128 --eps 1/32 --log 1/64 --snapshot-every 0.1";
    let undisturbed = Place::new();
    undisturbed.good(&format!("{words} --out b.hdf5"));
    let place = Place::new();
    let mut words = format!("{words} --out b.hdf5 --json");
    for (signal, lines) in [("KILL", 12), ("INT", 5), ("KILL", 9)] {
        let mut child = place.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut out = out.filter(|line| line.contains("\"event\":\"log\""));
        assert_eq!(out.by_ref().take(lines).count(), lines, "ended too soon");
        assert!(Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap().success());
        out.for_each(drop);
        let outcome = Outcome::of(child.wait_with_output().unwrap());
        assert_eq!(outcome.status, (signal == "INT").then_some(130), "{}", outcome.text);
        let rows = table(&place, "b.csv");
        assert!(rows.len() >= lines, "{}", rows.len());
        words = "run --resume b.hdf5 --json".into();
    }
    let outcome = place.good(&words);
    assert!(!outcome.text.contains("warning"), "{}", outcome.text);
    place.assert_same_files(&undisturbed, "resumed");
}

/// What no run leaves: half a line, lines that are gone, a table that is gone, another one.
#[test]
fn a_damaged_table_is_mended_or_refused() {
    let whole = Place::new();
    whole.good(&format!("{WORDS} --out b.hdf5"));
    let table = String::from_utf8(whole.bytes("b.csv")).unwrap();
    let broken = |content: Option<&str>| {
        let place = Place::new();
        for (name, bytes) in whole.content().iter().filter(|(name, _)| name != "b.hdf5" && name != "b.csv") {
            std::fs::write(place.path(name), bytes).unwrap();
        }
        content.iter().for_each(|content| place.write("b.csv", content));
        place
    };
    let torn = broken(Some(&table[..table.len() - 20]));
    torn.good("run --resume b.hdf5");
    torn.assert_same_files(&whole, "torn");
    // the header and the first two lines
    let ends: Vec<usize> = table.match_indices('\n').map(|(at, _)| at + 1).collect();
    let short = broken(Some(&table[..ends[4]]));
    assert!(short.good("run --resume b.hdf5").text.contains("of its lines before this snapshot are missing"));
    let gone = broken(None);
    assert!(gone.good("run --resume b.hdf5").text.contains("b.csv is missing"));
    assert!(gone.bytes("b.csv").starts_with(&table.as_bytes()[..ends[2]]));
    let other = broken(Some(&table.replacen("core_radius", "core", 1)));
    let before = other.content();
    other.bad("run --resume b.hdf5", 2, &["b.csv", "header"]);
    assert!(other.content() == before);
}

/// One flipped bit in a line before the snapshot is named, and nothing is touched; from a snapshot before that line it
/// is written again.
#[test]
fn a_flipped_bit_in_a_table_is_found() {
    let whole = Place::new();
    whole.good(&format!("{WORDS} --out b.hdf5"));
    let place = Place::new();
    for (name, bytes) in whole.content().iter().filter(|(name, _)| name != "b.hdf5" && name != "b.0004.hdf5") {
        std::fs::write(place.path(name), bytes).unwrap();
    }
    let text = String::from_utf8(whole.bytes("b.csv")).unwrap();
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    // up to the line before t = 3/8, the newest snapshot; the header has four lines
    let (begin, end) = (ends[3], ends[11]);
    for k in 0..60 {
        let bit = begin * 8 + (end - begin) * 8 * k / 60 + k % 8;
        let mut damaged = text.clone().into_bytes();
        damaged[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(place.path("b.csv"), &damaged).unwrap();
        let before = place.content();
        let text = place.bad("run --resume b.hdf5", 2, &["b.csv", "checksum", "--resume"]);
        assert!(place.content() == before, "bit {bit}: {text}");
    }
    place.bad("plot b.csv -o b.png", 2, &["b.csv", "checksum"]);
    let last = place.bytes("b.csv");
    assert!(last != text.as_bytes());
    for number in ["b.0002.hdf5", "b.0003.hdf5"] {
        std::fs::remove_file(place.path(number)).unwrap();
    }
    place.good("run --resume b.0001.hdf5");
    place.assert_same_files(&whole, "from a snapshot before");
    // of a finished run, too, to which nothing is written
    assert!(!place.good("run --resume b.hdf5").text.contains("b.csv"));
    std::fs::write(place.path("b.csv"), &last).unwrap();
    let found = place.good("run --resume b.hdf5 --json");
    assert!(found.text.contains("b.csv") && found.text.contains("checksum"), "{}", found.text);
    assert!(event(&found.json(), "damaged")["file"].as_str().unwrap().ends_with("b.csv"));
    std::fs::remove_file(place.path("b.csv")).unwrap();
    assert!(place.good("run --resume b.hdf5").text.contains("b.csv"));
}

#[test]
fn it_replaces_no_file_of_the_users_and_moves_with_its_run() {
    let place = Place::new();
    place.write("b.csv", "name,value\na,1\n");
    place.bad(&format!("{WORDS} --out b.hdf5"), 2, &["--log", "b.csv", "--out"]);
    assert_eq!(place.names(), ["b.csv"]);
    // without a table, the run does not touch another file of that name
    place.good("run -n 10 --dt 1/64 --t-end 1/16 --eps 1/8 --out b.hdf5");
    assert_eq!(place.bytes("b.csv"), b"name,value\na,1\n");
    std::fs::remove_file(place.path("b.csv")).unwrap();
    place.good(&format!("{WORDS} --out b.hdf5 --overwrite"));
    let first = place.bytes("b.csv");
    place.good(&format!("{WORDS} --out b.hdf5 --seed 2"));
    assert!(place.bytes("b.old1.csv") == first && place.bytes("b.csv") != first);
    // described by the run beside it: removed with it
    place.good(&format!("{WORDS} --out b.hdf5 --seed 3 --overwrite"));
    assert!(!place.path("b.old2.csv").exists());
    assert_eq!(place.names().iter().filter(|name| name.ends_with("csv")).count(), 2);
}

#[test]
fn a_run_under_another_name_begins_a_table_of_its_own() {
    let place = Place::new();
    place.good(&format!("{WORDS} --out b.hdf5"));
    place.good("run --resume b.0002.hdf5 --out c.hdf5");
    let (b, c) = (table(&place, "b.csv"), table(&place, "c.csv"));
    // from step 32, where a line was due
    assert_eq!(c, b[5..]);
    place.bad("run --resume b.0002.hdf5 --log 0.1", 2, &["--out"]);
    // another schedule, from a state off it
    place.good("run --resume b.0001.hdf5 --log 0.1 --out d.hdf5");
    let steps: Vec<String> = table(&place, "d.csv").iter().map(|row| row["step"].clone()).collect();
    assert_eq!(steps, ["16", "26", "39", "52", "64"]);
}

#[test]
fn impossible_intervals_are_refused() {
    let place = Place::new();
    for every in ["0", "-1", "nan", "inf", "1/256", "often"] {
        place.bad(&format!("run -n 10 --dt 1/128 --t-end 1 --eps 0.1 --log {every}"), 2, &["log"]);
    }
    assert!(place.names().is_empty());
}

/// Two bodies on a circle: one pair, and no density.
#[test]
fn fields_that_have_no_number_are_empty() {
    let place = Place::new();
    place.good("run --ic kepler --eccentricity 0.5 --dt 1/1024 --t-end 1/8 --eps 0 --log 1/16 --out k.hdf5");
    for row in table(&place, "k.csv") {
        assert_eq!((&*row["core_radius"], &*row["bound_pairs"], &*row["escapers"]), ("", "1", "0"));
        let near = |name: &str, exact: f64| {
            // of a leapfrog in an eighth of a radian: (dt / r^1.5)^2 / 24 of the orbit at the pericentre, r = 1/2
            let found: f64 = row[name].parse().unwrap();
            assert!((found - exact).abs() < 1e-6, "{name} {found}");
        };
        near("hardest_a", 1.0);
        near("hardest_e", 0.5);
        assert_eq!((&*row["hardest_id_1"], &*row["hardest_id_2"]), ("0", "1"));
    }
    // a law without a potential
    place.write("law.txt", "body x[3], mass\nsum a = j.mass * (j.x - i.x)\nself exclude\n");
    place.good("run -n 10 --law law.txt --dt 1/64 --t-end 1/16 --log 1/32 --out l.hdf5");
    for row in table(&place, "l.csv") {
        let empty = ["potential", "energy", "energy_error", "virial_ratio", "escapers", "bound_pairs", "hardest_a"];
        assert!(empty.iter().all(|name| row[*name].is_empty()) && !row["kinetic"].is_empty(), "{row:?}");
    }
}

#[test]
fn without_bodies_radii_are_empty() {
    let place = Place::new();
    place.good("run -n 0 --t-end 1/4 --dt 1/16 --log 1/8 --out b.hdf5");
    let rows = table(&place, "b.csv");
    assert_eq!(rows.len(), 3);
    for row in rows {
        for name in ["lagrangian_1", "lagrangian_50", "core_radius", "velocity_dispersion", "density_centre_x"] {
            assert_eq!(row[name], "", "{name}");
        }
        assert_eq!(row["escapers"], "0");
    }
}
