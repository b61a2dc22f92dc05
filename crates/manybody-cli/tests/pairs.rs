//! `manybody pairs`: answers computed by hand, and the errors of bad input.

mod common;

use common::{Place, event};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// An .npy file of shape (rows, columns), as numpy.save writes it.
fn npy(rows: usize, columns: usize, numbers: impl Iterator<Item = f64>) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(numbers.flat_map(f64::to_le_bytes));
    bytes
}

fn array(place: &Place, name: &str, rows: usize, columns: usize, numbers: &[f64]) {
    std::fs::write(place.path(name), npy(rows, columns, numbers.iter().copied())).unwrap();
}

/// The numbers of an .npy file of one axis.
fn numbers(place: &Place, name: &str) -> (String, Vec<f64>) {
    let bytes = place.bytes(name);
    let data = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8(bytes[10..data].to_vec()).unwrap();
    let values = if header.contains("<f4") {
        bytes[data..].as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect()
    } else {
        bytes[data..].as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect()
    };
    (header, values)
}

fn text(place: &Place, name: &str) -> String {
    String::from_utf8(place.bytes(name)).unwrap()
}

/// SciPy 1.17: pdist([[0, 0], [3, 4], [6, 8], [0, 1]]).
#[test]
fn distances_of_files_of_every_kind() {
    let place = Place::new();
    let want = [5.0, 10.0, 1.0, 5.0, 18_f64.sqrt(), 85_f64.sqrt()];
    let plane = [0.0, 0.0, 3.0, 4.0, 6.0, 8.0, 0.0, 1.0];
    array(&place, "a.npy", 4, 2, &plane);
    let outcome = place.good("pairs distances a.npy -o d.npy --json --device cpu");
    let said = event(&outcome.json(), "distances").clone();
    assert_eq!((&said["n"], &said["dimensions"], &said["distances"]), (&4.into(), &2.into(), &6.into()));
    assert!(outcome.text.contains("4 points in 2 dimensions") && outcome.text.contains("d.npy"), "{}", outcome.text);
    let (header, found) = numbers(&place, "d.npy");
    assert!(header.contains("'descr': '<f8'") && header.contains("'shape': (6,)"), "{header}");
    assert_eq!(found, want);
    // only what is read is needed
    place.write("a.csv", "x,y\n0,0\n3,4\n6,8\n0,1\n");
    place.good("pairs distances a.csv -o d.npy --force --precision f32 --device cpu");
    let (header, found) = numbers(&place, "d.npy");
    assert!(header.contains("'descr': '<f4'"), "{header}");
    assert!(found.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
    // a table of features, and a whole snapshot
    place.write("f.csv", "id,a,b,c\n1,0,9,0\n2,3,9,4\n3,6,9,8\n4,0,9,1\n");
    place.good("pairs distances f.csv --coordinates a,c -o d.npy --force --device cpu --threads 1");
    assert_eq!(numbers(&place, "d.npy").1, want);
    place.write("s.csv", "id,mass,x,y,z,vx,vy,vz\n7,3,1,0,2,0,0,0\n5,1,3,0,2,0,0,0\n");
    place.good("pairs distances s.csv -o e.npy --device cpu");
    assert_eq!(numbers(&place, "e.npy").1, [2.0]);
}

/// Far from the origin f32 keeps its digits.
#[test]
fn distances_far_from_the_origin() {
    let place = Place::new();
    array(&place, "a.npy", 3, 1, &[1e9, 1e9 + 1.0, 1e9 + 2.5]);
    place.good("pairs distances a.npy -o d.npy --precision f32 --device cpu");
    assert_eq!(numbers(&place, "d.npy").1, [1.0, 2.5, 1.5]);
    // and two files keep their distance: 2 - 1/2 and so on
    array(&place, "b.npy", 1, 1, &[1e9 - 0.5]);
    let words = "pairs correlation a.npy --random b.npy --bins 0,1,2,4 --precision f32 --device cpu -o c.csv";
    place.good(&format!("{words} --estimator davis-peebles"));
    let dr: Vec<String> = text(&place, "c.csv").lines().skip(1).map(|l| l.split(',').nth(3).unwrap().into()).collect();
    assert_eq!(dr, ["1", "1", "1"]);
}

#[test]
fn touching_spheres() {
    let place = Place::new();
    // 11 lies inside 10; 12 meets 10 in one point; 13 is free
    place.write("s.csv", "id,x,radius\n10,0,1\n11,0.25,0.125\n12,1.5,0.5\n13,4,0.5\n");
    let outcome = place.good("pairs collisions s.csv -o c.csv --json --device cpu");
    assert_eq!(text(&place, "c.csv"), "i,j\n10,11\n10,12\n");
    let said = event(&outcome.json(), "collisions").clone();
    assert_eq!((&said["touching"], &said["dimensions"], &said["n"]), (&2.into(), &1.into(), &4.into()));
    assert!(outcome.text.contains("2 of 6 pairs touch"), "{}", outcome.text);
    // counted alone, with one radius for all: no file
    let names = place.names();
    let outcome = place.good("pairs collisions s.csv --radius 1/8 --precision f32 --json --device cpu");
    assert_eq!(event(&outcome.json(), "collisions")["touching"], 1);
    assert_eq!(place.names(), names);
    // of an array with four columns the last is the radius, others by name
    array(&place, "a.npy", 2, 4, &[0.0, 0.0, 0.0, 1.0, 0.0, 3.0, 4.0, 4.0]);
    let touching = |words: &str| {
        event(&place.good(&format!("pairs collisions a.npy --json {words}")).json(), "collisions")["touching"].clone()
    };
    assert_eq!(touching(""), 1); // 1 + 4 = 5
    assert_eq!(touching("--coordinates c1,c2 --radius 2"), 0); // 2 + 2 < 5
    assert_eq!(touching("--coordinates c1 --radius 2"), 1); // 2 + 2 > 3
    assert_eq!(touching("--coordinates c1,c2 --radius c3"), 1);
}

/// Columns that a computation does not read may hold anything.
#[test]
fn only_what_is_read_is_looked_at() {
    let place = Place::new();
    place.write(
        "s.csv",
        "id,x,y,z,mass,vx,radius,name,w,eps\n10,0,0,0,nan,1,1,He,1,-1\n11,3,4,0,-1,inf,4,Ne,2,nan\n12,9,0,0,abc,,1,Ar,3,\n",
    );
    place.good("pairs distances s.csv -o d.npy --device cpu");
    assert_eq!(numbers(&place, "d.npy").1, [5.0, 9.0, 52_f64.sqrt()]);
    place.good("pairs collisions s.csv -o c.csv --device cpu");
    assert_eq!(text(&place, "c.csv"), "i,j\n10,11\n");
    let outcome = place.good("pairs collisions s.csv --radius w --json --device cpu");
    assert_eq!(event(&outcome.json(), "collisions")["touching"], 0);
    place.good("pairs correlation s.csv --weights w --bins 0,6,20 -o k.csv --device cpu");
    assert_eq!(text(&place, "k.csv"), "from,to,dd\n0.0,6.0,2\n6.0,20.0,9\n");
    place.good("pairs axilrod-teller s.csv");
    // columns that are read are checked as before
    place.bad("pairs correlation s.csv --weights mass --bins 0,6,20 -o k.csv --force", 2, &["mass", "line 4", "abc"]);
    place.bad("pairs distances s.csv --coordinates x,vx -o d.npy --force", 2, &["field vx", "line 4"]);
    place.bad(
        "pairs correlation s.csv --weights no --bins 0,6,20 -o k.csv --force",
        2,
        &["no: not in the file", "radius"],
    );
}

/// Four points on a line, in the open and on a ring, as the library's own example has them.
#[test]
fn pairs_by_distance() {
    let place = Place::new();
    array(&place, "a.npy", 4, 1, &[0.0, 1.0, 3.0, 9.5]);
    place.good("pairs correlation a.npy --bins 0,1,2,4 -o c.csv");
    assert_eq!(text(&place, "c.csv"), "from,to,dd\n0.0,1.0,0\n1.0,2.0,1\n2.0,4.0,2\n");
    let outcome = place.good("pairs correlation a.npy --bins 0,1,2,4 --box 10 -o r.csv --json");
    // RR: 6 pairs, 2 dr / 10 of them in a bin
    let rows: Vec<Vec<f64>> = text(&place, "r.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|x| x.parse().unwrap()).collect())
        .collect();
    for (row, (dd, rr)) in rows.iter().zip([(1.0, 1.2), (2.0, 1.2), (3.0, 2.4)]) {
        assert!(row[2] == dd && (row[3] - rr).abs() < 1e-12 && (row[4] - (dd / rr - 1.0)).abs() < 1e-12, "{row:?}");
    }
    assert_eq!(event(&outcome.json(), "correlation")["pairs"], 6);
    // weights, and random points
    place.write("w.csv", "x,w\n0,1\n1,2\n3,3\n9.5,4\n");
    place.good("pairs correlation w.csv --weights w --bins linear:0:4:2 -o w2.csv");
    assert_eq!(text(&place, "w2.csv"), "from,to,dd\n0.0,2.0,2\n2.0,4.0,9\n"); // 1*2; 2*3 + 1*3
    array(&place, "random.npy", 3, 1, &[0.5, 2.0, 9.0]);
    place.good("pairs correlation a.npy --random random.npy --estimator davis-peebles --bins log:1:4:1 -o x.csv");
    // DR of 12: 0.5-3, 1-2 (1), 0-2, 3-2 (1); 2-... 0.5-... : 2.5, 1, 2, 1; RR of 3: 0.5-2
    assert_eq!(text(&place, "x.csv"), "from,to,dd,dr,rr,xi\n1.0,4.0,3,4,1,0.5\n"); // (3/6)/(4/12) - 1
}

/// An equilateral triangle of side 1: cos 60 = 1/2, so E = nu (1 + 3/8).
#[test]
fn triples() {
    let place = Place::new();
    array(&place, "a.npy", 3, 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.75_f64.sqrt(), 0.0]);
    let outcome = place.good("pairs axilrod-teller a.npy --nu 2 -o f.csv --json");
    let energy = event(&outcome.json(), "axilrod-teller")["energy"].as_f64().unwrap();
    assert!((energy - 2.75).abs() < 1e-14, "{energy}");
    // E is of degree -9: each force points outwards with 9 E / (3 * distance to the middle)
    let rows: Vec<Vec<f64>> = text(&place, "f.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|x| x.parse().unwrap()).collect())
        .collect();
    let size = rows[2][1].hypot(rows[2][2]);
    assert!((size - 9.0 * 2.75 / (3.0 / 3_f64.sqrt())).abs() < 1e-12 && rows[2][2] > 0.0, "{rows:?}");
    // beyond the cut-off there is nothing
    let outcome = place.good("pairs axilrod-teller a.npy --cutoff 0.9 --box 4 --json");
    assert_eq!(event(&outcome.json(), "axilrod-teller")["energy"], 0.0);
}

/// Each takes a core more than a second, optimised (EPYC with AVX-512: 1.3e9 triples at 2.6 ns, 3.2e9 tests at 0.35 ns,
/// 1.8e9 squares at 0.7 ns), and prints within the first a line with the share that is done. The command ends there:
/// little optimised, as the tests are, the whole takes minutes.
#[test]
fn a_long_computation_reports_its_share() {
    let place = Place::new();
    let file = |name: &str, n: usize| {
        let at = |k: usize, step: usize| ((k * step) % n) as f64;
        let rows: Vec<f64> = (0..n).flat_map(|k| [at(k, 1), at(k, 7), at(k, 11)]).collect();
        array(&place, name, n, 3, &rows);
    };
    file("triples.npy", 2000);
    file("spheres.npy", 80_000);
    file("points.npy", 1_000);
    file("random.npy", 60_000);
    for (words, line) in [
        ("axilrod-teller triples.npy", "computing triples"),
        ("collisions spheres.npy --radius 0.1 -o touching.csv", "testing pairs"),
        ("correlation points.npy --random random.npy --bins 0,1 -o xi.csv", "counting pairs of random points"),
    ] {
        // the first line of a busy machine may say 0
        let share = first_share(&place, &format!("pairs {words} --device cpu --threads 1"), line, 0.1);
        assert!(share < 100.0, "{line}: {share} %");
    }
}

/// Runs the command until its first line of progress with a share of `least` per cent, ends it, and returns the share.
/// Panics where it prints no such line.
fn first_share(place: &Place, words: &str, line: &str, least: f64) -> f64 {
    let mut child = place.command(words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut printed = Vec::new();
    let share = BufReader::new(child.stderr.take().unwrap()).lines().find_map(|text| {
        let text = text.unwrap();
        let share = text.strip_prefix(line).and_then(|text| text.strip_prefix(": ")?.strip_suffix(" %")?.parse().ok());
        printed.push(text);
        share.filter(|share| *share >= least)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    share.unwrap_or_else(|| panic!("manybody {words} printed no line '{line}':\n{}", printed.join("\n")))
}

/// The same on a device that computes on the CPU: each takes two cores with AVX-512 more than a second (1.7e8 triples at 5e7/s,
/// 5e9 tests at 3.5e9/s); on a GPU they end before the first line.
#[test]
fn a_long_computation_on_a_device_reports_its_share() {
    let place = Place::new();
    let devices = place.good("devices --json").json();
    if !devices.iter().any(|device| device["device"] == "wgpu" && device["software"] == true) {
        eprintln!("skipped: no device that computes on the CPU here");
        return;
    }
    let file = |name: &str, n: usize| {
        let at = |k: usize, step: usize| ((k * step) % n) as f64;
        let rows: Vec<f64> = (0..n).flat_map(|k| [at(k, 1), at(k, 7), at(k, 11)]).collect();
        array(&place, name, n, 3, &rows);
    };
    file("triples.npy", 1000);
    file("spheres.npy", 100_000);
    for (words, line) in [
        ("axilrod-teller triples.npy", "computing triples"),
        ("collisions spheres.npy --radius 0.1 -o touching.csv", "testing pairs"),
    ] {
        let share = first_share(&place, &format!("pairs {words} --device wgpu --precision f32"), line, 0.0);
        assert!(share < 100.0, "{line}: {share} %");
    }
}

#[test]
fn bad_input_is_reported_before_the_work() {
    let place = Place::new();
    array(&place, "a.npy", 2, 1, &[0.0, 1.0]);
    array(&place, "nan.npy", 2, 2, &[0.0, 1.0, 2.0, f64::NAN]);
    array(&place, "far.npy", 2, 1, &[0.0, 1e160]);
    array(&place, "four.npy", 2, 5, &[0.0; 10]);
    array(&place, "same.npy", 3, 3, &[0.0; 9]);
    place.write("s.csv", "id,x,radius\n10,0,1\n11,0.25,-0.5\n");
    place.write("n.csv", "id,x,radius\n10,0,1\n11,NaN,0.5\n");
    place.write("plain.csv", "x,y\n0,0\n");
    place.write("w.csv", "x,w\n0,1\n1,2\n");
    place.write("cut.npy", "no array");
    std::fs::write(place.path("short.npy"), npy(7_000_000_000, 1, std::iter::repeat_n(0.0, 10))).unwrap();
    place.write("old.npy", "old");
    let before = place.content();
    for (words, parts) in [
        ("distances nan.npy -o d.npy", &["nan.npy", "field c1", "row 1: NaN"][..]),
        ("distances far.npy -o d.npy", &["far.npy", "coordinates", "1e160", "point 1"]),
        ("distances short.npy -o d.npy", &["short.npy", "7000000000 x 1", "80 bytes follow"]),
        ("distances cut.npy -o d.npy", &["cut.npy", "not a readable NumPy file"]),
        ("distances missing.npy -o d.npy", &["missing.npy", "os error"]),
        ("distances a.npy -o old.npy", &["old.npy", "--force"]),
        ("distances a.npy -o d.csv", &["out = d.csv", ".npy"]),
        ("distances a.npy -o none/d.npy", &["none"]),
        ("distances a.npy", &["--out"]),
        ("distances plain.csv --coordinates x,q -o d.npy", &["plain.csv", "field q", "there are: id, x, y"]),
        ("distances a.npy -o d.npy --device abacus", &["unknown device 'abacus'"]),
        ("distances a.npy -o d.npy --precision f16", &["f16"]),
        ("distances a.npy -o d.npy --threads 0", &["threads"]),
        ("collisions s.csv", &["s.csv", "field radius", "-0.5 at sphere 1"]),
        ("collisions n.csv", &["n.csv", "x", "NaN"]),
        ("collisions plain.csv", &["plain.csv", "field radius", "--radius"]),
        ("collisions plain.csv --radius=-1", &["radius = -1", "0 or more"]),
        ("collisions plain.csv --radius wide", &["radius = wide", "a column of the file or a length"]),
        ("collisions four.npy --radius 1", &["four.npy", "5 dimensions"]),
        ("collisions s.csv -o c.npy", &["out = c.npy", ".csv"]),
        ("correlation a.npy --bins 1,0 -o c.csv", &["bins = 1,0", "ascending"]),
        ("correlation a.npy --bins 3 -o c.csv", &["bins = 3", "two edges"]),
        ("correlation a.npy --bins log:0:1:5 -o c.csv", &["bins = log:0:1:5"]),
        ("correlation a.npy --bins log:1:2:0 -o c.csv", &["bins = log:1:2:0"]),
        ("correlation a.npy --bins 0,much -o c.csv", &["bins", "much"]),
        ("correlation a.npy --bins 0,6 --box 10 -o c.csv", &["box length = 10", "6"]),
        ("correlation a.npy --bins 0,1 --box 10,10 -o c.csv", &["box = 10,10", "1 dimensions"]),
        ("correlation a.npy --bins 0,1 --weights w -o c.csv", &["a.npy", "field w"]),
        ("correlation a.npy --bins 0,1 --random nan.npy -o c.csv", &["nan.npy", "NaN"]),
        ("correlation a.npy --bins 0,1 --random four.npy -o c.csv", &["four.npy", "5 dimensions"]),
        ("correlation a.npy --bins 0,1 --estimator best -o c.csv", &["best", "landy-szalay"]),
        ("correlation a.npy --bins 0,1 --device abacus -o c.csv", &["unknown device 'abacus'"]),
        ("correlation a.npy --bins 0,1", &["--out"]),
        ("correlation w.csv --bins 0,1 --weights w --device wgpu -o c.csv", &["device = wgpu", "weights"]),
        ("correlation four.npy --bins 0,1 --device wgpu -o c.csv", &["device = wgpu", "four dimensions"]),
        ("axilrod-teller a.npy", &["a.npy", "1 dimensions", "3 dimensions"]),
        ("axilrod-teller same.npy", &["same.npy", "atoms 0 and 1 at distance 0"]),
        ("axilrod-teller same.npy --nu nan", &["nu = NaN"]),
        ("axilrod-teller same.npy --cutoff=-1", &["cutoff = -1"]),
        ("axilrod-teller same.npy --cutoff 1 --box 2", &["cutoff = 1", "a third"]),
        ("axilrod-teller same.npy --cutoff 1 --device wgpu", &["device = wgpu", "--device cpu"]),
        ("axilrod-teller same.npy --precision f32 --device cpu", &["precision = f32", "f64"]),
        ("angles a.npy", &["angles"]),
    ] {
        place.bad(&format!("pairs {words}"), 2, parts);
        assert!(place.content() == before, "{words}: files have changed: {:?}", place.names());
    }
}

/// 3 million points have 36 TB of distances: refused before any is computed.
#[test]
fn a_disk_that_is_too_small() {
    let place = Place::new();
    std::fs::write(place.path("a.npy"), npy(3_000_000, 1, std::iter::repeat_n(0.5, 3_000_000))).unwrap();
    place.bad("pairs distances a.npy -o d.npy --device cpu", 2, &["out = d.npy", "35999988000128 bytes", "free"]);
    assert_eq!(place.names(), ["a.npy"]);
}

/// A GPU gives the same answers, or its absence is reported. Random points, whose coordinates have 16 bits.
#[test]
#[cfg(feature = "gpu")]
fn devices_agree() {
    let place = Place::new();
    let mut s = 1_u64;
    let mut random = || {
        s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (s >> 48) as f64 / 65_536.0
    };
    let rows: Vec<f64> = (0..400).flat_map(|_| [random(), random(), random(), 0.05 * random()]).collect();
    array(&place, "a.npy", 400, 4, &rows);
    place.good("pairs distances a.npy -o cpu.npy --precision f32 --device cpu");
    place.good("pairs collisions a.npy -o cpu.csv --precision f32 --device cpu");
    let random: Vec<f64> = (0..600).flat_map(|_| [random(), random(), random()]).collect();
    array(&place, "random.npy", 600, 3, &random);
    let correlation = "pairs correlation a.npy --coordinates c0,c1,c2 --bins log:0.01:0.5:9 --precision f32";
    place.good(&format!("{correlation} --box 1 -o xi-cpu.csv --device cpu"));
    // the three columns of the second file are called as those of the first
    place.good(&format!("{correlation} --random random.npy -o dr-cpu.csv --device cpu"));
    let energy = |words: &str| {
        let outcome = place.good(&format!("pairs axilrod-teller a.npy --coordinates c0,c1,c2 --json {words}"));
        event(&outcome.json(), "axilrod-teller")["energy"].as_f64().unwrap()
    };
    let want = energy("--device cpu");
    for device in ["cuda", "wgpu"] {
        let words = format!("pairs distances a.npy -o {device}.npy --precision f32 --device {device}");
        if !place.has_device(device) {
            place.bad(&words, 2, &[device]);
            continue;
        }
        place.good(&words);
        // four squares, sums and a root, each off by half a unit of 6e-8 at most, on both sides
        let (found, cpu) = (numbers(&place, &format!("{device}.npy")).1, numbers(&place, "cpu.npy").1);
        assert!(found.len() == cpu.len() && found.iter().zip(&cpu).all(|(a, b)| (a - b).abs() <= 1e-6 * b), "{device}");
        place.good(&format!("pairs collisions a.npy -o {device}.csv --precision f32 --device {device}"));
        assert_eq!(text(&place, &format!("{device}.csv")), text(&place, "cpu.csv"), "{device}");
        place.good(&format!("{correlation} --box 1 -o xi-{device}.csv --device {device}"));
        assert_eq!(text(&place, &format!("xi-{device}.csv")), text(&place, "xi-cpu.csv"), "{device}");
        place.good(&format!("{correlation} --random random.npy -o dr-{device}.csv --device {device}"));
        assert_eq!(text(&place, &format!("dr-{device}.csv")), text(&place, "dr-cpu.csv"), "{device}");
        let found = energy(&format!("--device {device} --precision f32"));
        // 1e7 triples whose energies span 20 powers of ten: the closest decide
        assert!((found - want).abs() < 1e-4 * want.abs(), "{device}: {found} {want}");
    }
}
