//! Files of an earlier version, in tests/old: snapshots in every format, runs from a snapshot in the middle, and
//! descriptions. They are compared with what that version read and computed; tests/old/README.md lists the differences.
//!
//! All of it was computed without vector instructions, and is here, too: then the bits are those of every machine.

mod common;

use common::{Outcome, Place, event};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// A file of the earlier version; HDF5 files are packed, since they consist of zeros for the most part.
fn old(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old").join(name);
    let read = |path: &Path| std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if !name.ends_with(".hdf5") {
        return read(&path);
    }
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&*read(&path.with_extension("hdf5.gz"))).read_to_end(&mut bytes).unwrap();
    bytes
}

/// A place with files of the earlier version.
fn place_with(names: &[&str]) -> Place {
    let place = Place::new();
    for name in names {
        std::fs::write(place.path(name), old(name)).unwrap();
    }
    place
}

/// Runs without vector instructions, and expects success.
fn good(place: &Place, words: &str) -> Outcome {
    let outcome = Outcome::of(place.command(words).env("MANYBODY_SIMD", "scalar").output().unwrap());
    assert_eq!(outcome.status, Some(0), "manybody {words}\n{}", outcome.text);
    outcome
}

/// A snapshot as CSV, without a checksum, which the earlier version did not write.
fn as_csv(place: &Place, name: &str, options: &str) -> String {
    good(place, &format!("convert {name} as.csv --no-checksum {options}"));
    let csv = String::from_utf8(place.bytes("as.csv")).unwrap();
    std::fs::remove_file(place.path("as.csv")).unwrap();
    csv
}

/// What a snapshot says of its run, by name.
fn record(csv: &str) -> BTreeMap<&str, &str> {
    csv.lines().filter_map(|line| line.strip_prefix("# meta ")?.split_once(" = ")).collect()
}

/// The columns of the bodies, by name.
fn columns(csv: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut lines = csv.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    names.iter().enumerate().map(|(k, name)| (*name, rows.iter().map(|row| row[k]).collect())).collect()
}

/// How close the numbers of a run must be to those of the earlier version.
#[derive(Clone, Copy)]
enum Close {
    Bits,
    /// Bits, but of massless bodies what rounding leaves: since abc0fec the others act on them by another kernel, which
    /// adds in another order. A rounding of a velocity below 1 is 1.1e-16, in each of 96 kicks at most.
    Massless,
    /// What rounding in f32 leaves, since another driver of a GPU may round otherwise: 6e-8 of accelerations up to 10,
    /// over a time of 1/4.
    Single,
}

/// Compares two snapshots as CSV; `more` are the columns that the earlier version did not write.
fn compare(now: &str, before: &str, close: Close, more: &[&str], what: &str) {
    let (mut found, expected) = (columns(now), columns(before));
    for name in more {
        assert!(found.remove(name).is_some() && !expected.contains_key(name), "{what}: {name}");
    }
    assert!(found.keys().eq(expected.keys()), "{what}: {:?}", found.keys());
    for (name, values) in &expected {
        assert_eq!(found[name].len(), values.len(), "{what}");
        for (k, (a, b)) in found[name].iter().zip(values).enumerate() {
            let most = match close {
                Close::Massless if expected["mass"][k] == "0.0" => 1e-14,
                Close::Single => 1e-6,
                _ => 0.0,
            };
            let off = |a: f64, b: f64| (a - b).abs();
            let within = || a.parse().ok().zip(b.parse().ok()).is_some_and(|(a, b)| off(a, b) < most);
            assert!(a == b || within(), "{what}: {name} of body {k}: {a}, not {b}");
        }
    }
    let header = |line: &&str| line.starts_with("# ") && !line.starts_with("# meta ");
    assert!(now.lines().filter(header).eq(before.lines().filter(header)), "{what}: time or units");
    // formats that round keep no record, and some of the files have no record, to save space
    let (now, before) = (record(now), record(before));
    if before.is_empty() {
        return;
    }
    for (key, value) in &before {
        // errors are of the size of the rounding
        let same = now.get(key) == Some(value) || (key.contains("run.error") && !matches!(close, Close::Bits));
        assert!(same && now.contains_key(key), "{what}: {key} = {:?}, not {value}", now.get(key));
    }
    let added = ["\"run.initial.state\"", "\"run.simd\""];
    assert!(now.keys().all(|key| before.contains_key(key) || added.contains(key)), "{what}: {:?}", now.keys());
}

/// Compares the snapshot `now` in a place with the file `before` of the earlier version.
fn compare_files(place: &Place, now: &str, before: &str, close: Close, more: &[&str]) {
    let earlier = Place::new();
    let name = Path::new(before).file_name().unwrap().to_str().unwrap();
    std::fs::write(earlier.path(name), old(before)).unwrap();
    compare(&as_csv(place, now, ""), &as_csv(&earlier, name, ""), close, more, before);
}

/// Each format, in each of its variants, has the numbers and the record that the earlier version read from it.
#[test]
fn snapshots_are_read() {
    for (name, options, read, n, format) in [
        ("bodies.csv", "", "bodies.csv", 12, "csv"),
        ("bodies.hdf5", "", "bodies.csv", 12, "hdf5"),
        ("bodies.nemo", "", "bodies.csv", 12, "nemo"),
        ("bodies.f32.hdf5", "", "ends/bodies.f32.hdf5.csv", 12, "hdf5"),
        ("bodies.f32.nemo", "", "ends/bodies.f32.hdf5.csv", 12, "nemo"),
        ("bodies.standard.tipsy", "", "ends/bodies.standard.tipsy.csv", 12, "tipsy"),
        ("bodies.native.tipsy", "", "ends/bodies.standard.tipsy.csv", 12, "tipsy"),
        ("stars.nvidia.tipsy", "", "ends/stars.bonsai.tipsy.csv", 10, "tipsy"),
        ("stars.bonsai.tipsy", "", "ends/stars.bonsai.tipsy.csv", 10, "tipsy"),
        ("mass-first.txt", "--columns mass-first", "ends/mass-first.txt.csv", 8, "text"),
        ("mass-last.txt", "--columns mass-last", "ends/mass-first.txt.csv", 8, "text"),
        ("gadget.hdf5", "", "ends/gadget.hdf5.csv", 12, "hdf5"),
        ("parsecs.nemo", "", "ends/parsecs.nemo.csv", 12, "nemo"),
    ] {
        let place = place_with(&[name]);
        let info = &good(&place, &format!("info {name} --json {options}")).json()[0];
        assert_eq!((&info["n"], &info["format"], &info["finite"]), (&n.into(), &format.into(), &true.into()), "{name}");
        assert_eq!(info["checksum"]["state"], "absent", "{name}");
        assert!(as_csv(&place, name, options).as_bytes() == old(read), "{name}");
    }
}

/// A law in a file, on the columns of a snapshot.
#[test]
fn a_law_in_a_file_is_computed() {
    let place = place_with(&["bodies.csv", "springs.txt"]);
    good(&place, "force bodies.csv --law springs.txt --par length=0.25 -o springs.csv");
    assert!(place.bytes("springs.csv") == old("ends/springs.csv"));
}

/// From a snapshot in the middle, by its name or by that of the run.
#[test]
fn runs_are_resumed() {
    for (files, words, now, before, close) in [
        (&["leapfrog.0002.hdf5", "leapfrog.toml"][..], "leapfrog.hdf5", "leapfrog.hdf5", "leapfrog.hdf5", Close::Bits),
        (&["dkd.0002.csv", "dkd.toml"], "dkd.0002.csv", "dkd.csv", "dkd.csv", Close::Bits),
        (&["yoshida4.0002.nemo"], "yoshida4.0002.nemo", "yoshida4.nemo", "yoshida4.nemo", Close::Massless),
        (&["yoshida6.0002.csv"], "yoshida6.csv", "yoshida6.csv", "yoshida6.csv", Close::Bits),
        (&["mixed.0002.csv", "mixed.toml"], "mixed.0002.csv", "mixed.csv", "mixed.csv", Close::Bits),
        (&["rtol.0002.csv", "rtol.toml"], "rtol.0002.csv", "rtol.csv", "rtol.csv", Close::Bits),
        (&["sum-fixed.0002.csv"], "sum-fixed.0002.csv --threads 1", "sum-fixed.csv", "sum-fixed.csv", Close::Bits),
        (
            &["interrupted.0002.csv", "interrupted.toml"],
            "interrupted.csv",
            "interrupted.csv",
            "ends/interrupted.csv",
            Close::Bits,
        ),
        // the end of a run has no end of its own
        (&["yoshida6.csv"], "yoshida6.csv --t-end 3/8 --out longer.csv", "longer.csv", "longer.csv", Close::Bits),
    ] {
        let place = place_with(files);
        let end = good(&place, &format!("run --resume {words} --json")).json();
        assert_eq!(event(&end, "end")["status"], "finished", "{words}");
        compare_files(&place, now, before, close, &[]);
    }
}

/// What an interruption has left of a run into tipsy files, whose bodies have the run's softening since 4adbb5b.
#[test]
fn a_rounded_run_is_resumed() {
    let place = place_with(&["rounded.0002.hdf5", "rounded.toml"]);
    good(&place, "run --resume rounded.tipsy");
    compare_files(&place, "rounded.tipsy", "ends/rounded.tipsy", Close::Bits, &["eps"]);
    assert!(!place.path("rounded.0002.hdf5").exists());
}

/// Series begin with 0000 since 70a58c8: of an earlier one, which began with 0001, no snapshot is missing. A finished run has
/// nothing to do.
#[test]
fn a_series_is_whole() {
    let files = ["sum-direct.0001.csv", "sum-direct.0002.csv", "sum-direct.toml"];
    let place = place_with(&files);
    let outcome = good(&place, "run --resume sum-direct.csv");
    let warned: Vec<&str> = outcome.text.lines().filter(|line| line.starts_with("warning")).collect();
    assert!(warned.is_empty(), "{warned:?}");
    compare_files(&place, "sum-direct.csv", "sum-direct.csv", Close::Bits, &[]);
    assert!(files.iter().all(|name| place.bytes(name) == old(name)));

    std::fs::write(place.path("sum-direct.csv"), old("sum-direct.csv")).unwrap();
    let outcome = good(&place, "run --resume sum-direct.csv");
    assert!(outcome.text.contains("finished") && !outcome.text.contains("warning"), "{}", outcome.text);
    assert!(place.bytes("sum-direct.csv") == old("sum-direct.csv"));
}

/// A run that is begun again moves the files of the earlier version aside, as those of a run.
#[test]
fn files_of_a_run_are_moved_aside() {
    for (stem, files) in [
        ("leapfrog", ["leapfrog.0002.hdf5", "leapfrog.hdf5"]),
        ("dkd", ["dkd.0002.csv", "dkd.csv"]),
        ("sum-fixed", ["sum-fixed.0002.csv", "sum-fixed.csv"]),
    ] {
        let description = format!("{stem}.toml");
        let place = place_with(&[&files[..], &[&description]].concat());
        good(&place, &format!("run {description}"));
        for name in files {
            let aside = name.replacen(stem, &format!("{stem}.old1"), 1);
            assert!(place.bytes(&aside) == old(name), "{name}");
        }
    }
    // nothing shows that it is a run's
    let place = place_with(&["rounded.toml"]);
    std::fs::write(place.path("rounded.tipsy"), old("ends/rounded.tipsy")).unwrap();
    place.bad("run rounded.toml", 2, &["rounded.tipsy", "no run has written it"]);
}

/// Those that the earlier version wrote beside its runs.
#[test]
fn descriptions_of_runs_repeat_them() {
    for (stem, files, now, before, close) in [
        ("leapfrog", &[][..], "leapfrog.hdf5", "leapfrog.hdf5", Close::Bits),
        ("dkd", &[], "dkd.csv", "dkd.csv", Close::Bits),
        ("yoshida4", &["bodies.csv"], "yoshida4.nemo", "yoshida4.nemo", Close::Massless),
        ("yoshida6", &[], "yoshida6.csv", "yoshida6.csv", Close::Bits),
        ("mixed", &[], "mixed.csv", "mixed.csv", Close::Bits),
        ("rtol", &["parsecs.nemo"], "rtol.csv", "rtol.csv", Close::Bits),
        ("rtol-resumed", &["rtol.0002.csv"], "rtol-resumed.csv", "rtol.csv", Close::Bits),
        ("longer", &["yoshida6.csv"], "longer.csv", "longer.csv", Close::Bits),
        ("interrupted", &[], "interrupted.csv", "ends/interrupted.csv", Close::Bits),
        ("sum-direct", &[], "sum-direct.csv", "sum-direct.csv", Close::Bits),
        ("sum-blocked", &[], "sum-blocked.csv", "sum-blocked.csv", Close::Bits),
        ("sum-pairwise", &[], "sum-pairwise.csv", "sum-pairwise.csv", Close::Bits),
        ("sum-compensated", &[], "sum-compensated.csv", "sum-compensated.csv", Close::Bits),
        ("sum-f64", &[], "sum-f64.csv", "sum-f64.csv", Close::Bits),
        ("sum-fixed", &[], "sum-fixed.csv", "sum-fixed.csv", Close::Bits),
    ] {
        let description = format!("{stem}.toml");
        let place = place_with(&[files, &[&description]].concat());
        good(&place, &format!("run {description}"));
        compare_files(&place, now, before, close, &[]);
        assert!(place.bytes(&description) == old(&description), "{description}");
        // as where it was ended before it kept anything
        let place = place_with(&[files, &[&description]].concat());
        good(&place, &format!("run --resume {now}"));
        compare_files(&place, now, before, close, &[]);
    }
    let place = place_with(&["rounded.toml"]);
    good(&place, "run rounded.toml");
    compare_files(&place, "rounded.tipsy", "ends/rounded.tipsy", Close::Bits, &["eps"]);
}

/// Those that were written by hand.
#[test]
fn descriptions_by_hand_are_run() {
    for (stem, files, close) in [
        ("hand-king", &[][..], Close::Bits),
        ("hand-figure8", &[], Close::Bits),
        ("hand-kepler", &[], Close::Bits),
        ("hand-solar-system", &[], Close::Bits),
        ("hand-text", &["mass-last.txt"], Close::Bits),
        ("hand-units", &["gadget.hdf5"], Close::Bits),
        ("hand-resume", &["yoshida4.0002.nemo"], Close::Massless),
    ] {
        let description = format!("{stem}.toml");
        let place = place_with(&[files, &[&description]].concat());
        good(&place, &format!("run {description} --out out.csv"));
        compare_files(&place, "out.csv", &format!("ends/{stem}.csv"), close, &[]);
    }
}

/// Since 70a58c8 bodies of a disc and a bulge are of the kind 4, stars, in place of 2 and 3, and columns say what they
/// belong to.
#[test]
fn discs_have_other_kinds() {
    for (stem, more) in [("hand-disc", &["component"][..]), ("hand-collision", &["component", "group"])] {
        let description = format!("{stem}.toml");
        let place = place_with(&[&description]);
        good(&place, &format!("run {description} --out out.csv"));
        let before = String::from_utf8(old(&format!("ends/{stem}.csv"))).unwrap();
        let stars: Vec<String> = before
            .lines()
            .map(|line| match line.split_once(',') {
                Some((id, rest)) if rest.starts_with("2,") || rest.starts_with("3,") => format!("{id},4{}", &rest[1..]),
                _ => line.to_owned(),
            })
            .collect();
        compare(&as_csv(&place, "out.csv", ""), &stars.join("\n"), Close::Bits, more, stem);
    }
}

/// What is chosen for a description that leaves it open.
#[test]
fn the_same_is_chosen() {
    for stem in ["hand-default", "hand-uneven"] {
        let place = place_with(&[&*format!("{stem}.toml")]);
        good(&place, &format!("run {stem}.toml --out out.csv"));
        let texts = [place.bytes("out.toml"), old(&format!("ends/{stem}.toml"))].map(|t| String::from_utf8(t).unwrap());
        let [now, before] = texts
            .each_ref()
            .map(|text| text.lines().filter_map(|line| line.split_once(" = ")).collect::<BTreeMap<_, _>>());
        let others: Vec<_> = before.iter().filter(|(key, value)| now.get(*key) != Some(value)).collect();
        match stem {
            "hand-default" => assert_eq!(others, [(&"out", &"\"hand-default.csv\"")]),
            // a chosen step divides the time between snapshots since 70a58c8, so that they fall on their times
            _ => {
                assert_eq!(others, [(&"dt", &"0.0078125"), (&"out", &"\"hand-uneven.csv\"")]);
                assert_eq!(now["dt"].parse(), Ok(0.1 / 13.0));
            }
        }
    }
}

/// Bodies that live on a device.
#[test]
fn runs_on_a_gpu_are_resumed() {
    let place = place_with(&["wgpu.0002.csv", "wgpu.toml"]);
    if !place.has_device("wgpu") {
        return;
    }
    good(&place, "run --resume wgpu.csv");
    compare_files(&place, "wgpu.csv", "wgpu.csv", Close::Single, &[]);
    let place = place_with(&["wgpu.toml"]);
    good(&place, "run wgpu.toml");
    compare_files(&place, "wgpu.csv", "wgpu.csv", Close::Single, &[]);
}
