//! The integrator ar-chain by the command: files, resumes, ensembles, and what is refused.

#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use common::{Outcome, Place, event};
use manybody::simd::Level;

const WORDS: &str = "run --ic pythagorean --integrator ar-chain --dt 1/4 --t-end 20";

#[test]
fn runs_repeat_and_resume_byte_for_byte() {
    let place = Place::new();
    let lines = place.good(&format!("{WORDS} --snapshot-every 3 --out a.hdf5 --json")).json();
    let error = event(&lines, "end")["energy_error"].as_f64().unwrap();
    assert!(error.abs() < 1e-12, "{error:e}");
    // neither snapshots during the run nor threads, tables and audits change a bit
    place.good(&format!("{WORDS} --out b.hdf5 --threads 1 --log 1/4"));
    assert!(place.bytes("a.hdf5") == place.bytes("b.hdf5"), "one thread");
    for number in 0..7 {
        place.good(&format!("run --resume a.000{number}.hdf5 --out c{number}.hdf5"));
        assert!(place.bytes("a.hdf5") == place.bytes(&format!("c{number}.hdf5")), "resumed at {number}");
    }
    place.good("run b.toml --out d.hdf5");
    assert!(place.bytes("b.hdf5") == place.bytes("d.hdf5"), "repeated");
    // text keeps every bit
    place.good(&format!("{WORDS} --snapshot-every 3 --out e.csv"));
    place.good("run --resume e.0003.csv --out f.csv");
    assert!(place.bytes("e.csv") == place.bytes("f.csv"), "resumed from text");
}

/// The last step is shorter where dt does not divide the time, and a run can go on from its end.
#[test]
fn the_end_is_met_exactly() {
    let place = Place::new();
    let words = "run --ic kepler --eccentricity 0.99 --integrator ar-chain --eps 0 --dt 1/2 --t-end 6.7";
    let lines = place.good(&format!("{words} --out a.hdf5 --json")).json();
    assert_eq!(event(&lines, "end")["time"].as_f64(), Some(6.7));
    assert!(event(&lines, "end")["energy_error"].as_f64().unwrap().abs() < 1e-12);
    place.good("run --resume a.hdf5 --t-end 9 --out b.hdf5");
    // one that begins from the same bodies has lost what rounding left of them
    place.good("run a.hdf5 --integrator ar-chain --eps 0 --dt 1/2 --t-end 9 --out c.hdf5");
    let places = |name: &str| {
        place.good(&format!("convert {name}.hdf5 {name}.csv"));
        let text = String::from_utf8(place.bytes(&format!("{name}.csv"))).unwrap();
        let rows = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        rows.flat_map(|row| row.split(',').skip(2).take(3).map(|q| q.parse::<f64>().unwrap()).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    let (on, again) = (places("b"), places("c"));
    assert!(on != again && on.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-12), "{on:?} {again:?}");
}

#[test]
fn what_it_does_not_have_is_refused() {
    let place = Place::new();
    place.good("ic plummer -n 20 -o a.hdf5");
    place.good("ic plummer -n 33 -o many.hdf5");
    for (words, named) in [
        ("a.hdf5 --eta 0.1", &["eta", "hermite4", "ar-chain"][..]),
        ("a.hdf5 --time-steps shared", &["time-steps", "hermite4"]),
        ("a.hdf5 --precision f32", &["ar-chain", "f64"]),
        ("a.hdf5 --solver fmm", &["ar-chain", "fmm"]),
        ("a.hdf5 --field harmonic:omega=1", &["ar-chain", "field", "isolated"]),
        ("many.hdf5", &["33", "at most 32", "hermite4"]),
    ] {
        let words = format!("run {words} --integrator ar-chain --eps 0 --dt 1/16 --t-end 1 --out b.hdf5");
        place.bad(&words, 2, named);
    }
    place.write("spring.txt", "body x[3]; sum acc[3] = j.x - i.x");
    let words = "run a.hdf5 --law spring.txt --dt 1/16 --t-end 1 --out b.hdf5 --integrator ar-chain";
    place.bad(words, 2, &["ar-chain", "gravity", "leapfrog"]);
    place.write("light.csv", "id,mass,x,y,z,vx,vy,vz\n7,0.5,0.5,0,0,0,0,0\n9,0,-0.5,0,0,0,0,0\n");
    let words = "run light.csv --eps 0 --dt 1/16 --t-end 1 --out b.hdf5 --integrator ar-chain";
    place.bad(words, 2, &["mass", "id 9", "above 0"]);
    assert_eq!(place.names(), ["a.hdf5", "light.csv", "many.hdf5", "spring.txt"]);
}

/// Two bodies that fall on each other without softening, where hermite4 stops: they turn back.
#[test]
fn a_collision_is_passed() {
    let place = Place::new();
    place.write("two.csv", "id,mass,x,y,z,vx,vy,vz\n7,0.5,0.5,0,0,0,0,0\n9,0.5,-0.5,0,0,0,0,0\n");
    let words = "run two.csv --integrator ar-chain --eps 0 --dt 1/8 --t-end 2 --out a.hdf5 --json";
    let lines = place.good(words).json();
    // at t = 2 they are apart again: they have met at pi / 2^(3/2) = 1.11
    assert!(event(&lines, "end")["energy_error"].as_f64().unwrap().abs() < 1e-12);
}

/// Systems of three bodies that meet, a pair, and a body alone: 41 systems, from the same numbers each time.
fn systems() -> String {
    let mut text = String::from("id,mass,x,y,z,vx,vy,vz,system,radius\n");
    let mut id = 0;
    for system in 0..41 {
        let turn = f64::from(system) * 0.37;
        let three = [
            [0.5, 0.5 * turn.cos(), 0.5 * turn.sin(), 0.0, -0.5 * turn.sin(), 0.5 * turn.cos()],
            [0.5, -0.5 * turn.cos(), -0.5 * turn.sin(), 0.0, 0.5 * turn.sin(), -0.5 * turn.cos()],
            [0.7, 6.0, 0.3 * (turn - 5.0), 0.1, -1.0, 0.0],
        ];
        let count = [3, 3, 2, 3, 1][system as usize % 5];
        for [mass, x, y, z, vx, vy] in three.into_iter().rev().take(count) {
            text += &format!("{id},{mass},{x},{y},{z},{vx},{vy},0,{system},0.05\n");
            id += 1;
        }
    }
    text
}

/// The numbers of a column of a CSV file, in the order of ids.
fn column(place: &Place, name: &str, wanted: &str) -> Vec<f64> {
    let text = String::from_utf8(place.bytes(name)).unwrap();
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = header.iter().position(|column| *column == wanted).unwrap_or_else(|| panic!("{wanted} in {header:?}"));
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap_or(f64::NAN)).collect()
}

/// Each system ends as by a run of its own, for any threads, instructions and devices, to the last bit.
#[test]
fn an_ensemble_is_many_runs() {
    let place = Place::new();
    let all = systems();
    place.write("all.csv", &all);
    let lines = place.good("ensemble all.csv --t-end 12 -o end.csv --table t.csv --device cpu --json").json();
    assert_eq!((lines[0]["systems"].as_u64(), lines[0]["n"].as_u64()), (Some(41), Some(99)));
    assert!(lines[0]["energy_error"].as_f64().unwrap() < 1e-12, "{lines:?}");
    for system in [0, 3, 7, 16] {
        let own =
            all.lines().filter(|line| line.starts_with("id") || line.split(',').nth(8) == Some(&system.to_string()));
        place.write("one.csv", &own.collect::<Vec<_>>().join("\n"));
        place.good("run one.csv --integrator ar-chain --eps 0 --dt 12 --t-end 12 --out own.csv --overwrite");
        let of = column(&place, "end.csv", "system");
        for name in ["x", "y", "vx", "vz"] {
            let found = column(&place, "end.csv", name).into_iter().zip(&of);
            let found: Vec<f64> = found.filter(|(_, of)| **of == f64::from(system)).map(|(value, _)| value).collect();
            assert_eq!(found, column(&place, "own.csv", name), "{name} of system {system}");
        }
    }
    // two advances go on where one has ended
    place.good("ensemble all.csv --t-end 5 -o half.csv --device cpu");
    place.good("ensemble half.csv --t-end 12 -o whole.csv --device cpu");
    let [one, two] = ["end.csv", "whole.csv"].map(|name| column(&place, name, "x"));
    assert!(one.iter().zip(&two).all(|(a, b)| (a - b).abs() < 1e-9), "{one:?} {two:?}");
    let [before, after] = ["energy_before", "energy_after"].map(|name| column(&place, "t.csv", name));
    assert!(before.len() == 41 && before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-12));
    let mut words = vec!["--threads 1 --device cpu", "--threads 3"];
    match place.has_device("cuda") {
        true => words.push("--device cuda"),
        false => println!("skipped: no CUDA device"),
    }
    for words in words {
        place.good(&format!("ensemble all.csv --t-end 12 -o again.csv --force {words}"));
        assert!(place.bytes("again.csv") == place.bytes("end.csv"), "{words}");
    }
    let words = "ensemble all.csv --t-end 12 -o again.csv --force --device cpu --json";
    for level in Level::available() {
        let variable = Outcome::of(place.command(words).env("MANYBODY_SIMD", level.name()).output().unwrap());
        for outcome in [variable, place.good(&format!("{words} --simd {level}"))] {
            assert_eq!(outcome.json()[0]["simd"].as_str(), Some(level.name()));
            assert!(place.bytes("again.csv") == place.bytes("end.csv"), "{level}");
        }
    }
    let wrong = Outcome::of(place.command(words).env("MANYBODY_SIMD", "wide").output().unwrap());
    assert!(wrong.status == Some(2) && wrong.text.contains("MANYBODY_SIMD"), "{}", wrong.text);
}

/// Systems whose bodies touch end then; the others go on.
#[test]
fn an_ensemble_ends_at_contacts() {
    let place = Place::new();
    place.write("all.csv", &systems());
    let lines =
        place.good("ensemble all.csv --t-end 12 -o a.csv --stop-at-contact --radius 0.2 --table t.csv --json").json();
    let contacts = lines[0]["contacts"].as_u64().unwrap();
    assert!((3..30).contains(&contacts), "{contacts}");
    let times = column(&place, "t.csv", "time");
    assert_eq!(times.iter().filter(|time| **time < 12.0).count() as u64, contacts);
    let [of, time] = ["system", "system_time"].map(|name| column(&place, "a.csv", name));
    let names = column(&place, "t.csv", "system");
    for (of, time) in of.iter().zip(&time) {
        let at = names.iter().position(|name| name == of).unwrap();
        assert_eq!(*time, times[at], "system {of}");
    }
    assert!(column(&place, "a.csv", "radius").iter().all(|radius| *radius == 0.2));
    place.bad("ensemble a.csv --t-end 13 -o c.csv", 2, &["a.csv", "system_time", "has ended at"]);
    place.bad("run a.csv --eps 0 --t-end 13 --dt 1 --out c.csv", 2, &["a.csv", "system_time", "has ended at"]);
    // the bodies' own radii are smaller
    let lines = place.good("ensemble all.csv --t-end 12 -o b.csv --stop-at-contact --json").json();
    assert!(lines[0]["contacts"].as_u64().unwrap() < contacts);
}

#[test]
fn ensembles_name_what_is_wrong() {
    let place = Place::new();
    place.write("all.csv", &systems());
    place.write("two.csv", "id,mass,x,y,z,vx,vy,vz\n7,0.5,0.5,0,0,0,0,0\n9,0.5,-0.5,0,0,0,0,0\n");
    place.write("half.csv", "id,mass,x,y,z,vx,vy,vz,system\n7,0.5,0.5,0,0,0,0,0,1\n9,0.5,-0.5,0,0,0,0,0,1.5\n");
    place.write("light.csv", "id,mass,x,y,z,vx,vy,vz,system\n7,0.5,0.5,0,0,0,0,0,1\n9,0,-0.5,0,0,0,0,0,1\n");
    place.write("large.csv", "id,mass,x,y,z,vx,vy,vz,system\n7,0.5,0.5,0,0,0,0,0,16777217\n");
    place.write("fast.csv", "id,mass,x,y,z,vx,vy,vz,system\n7,0.5,0.5,0,0,1e200,0,0,1\n8,1,2,0,0,0,0,0,1\n");
    place.write("empty.csv", "id,mass,x,y,z,vx,vy,vz,system\n");
    let before = place.names();
    for (words, named) in [
        ("all.csv", &["t-end", "must be given"][..]),
        ("all.csv --t-end=-1", &["t-end", "-1"]),
        ("two.csv --t-end 1", &["two.csv", "system", "no such column"]),
        ("half.csv --t-end 1", &["half.csv", "system", "id 9", "1.5"]),
        ("light.csv --t-end 1", &["mass", "id 9", "above 0"]),
        ("two.csv --t-end 1 --stop-at-contact", &["two.csv", "system"]),
        ("all.csv --t-end 1 --radius 1", &["radius", "--stop-at-contact"]),
        ("all.csv --t-end 1 --eps=-1", &["eps", "-1"]),
        ("all.csv --t-end 1 --device wgpu", &["wgpu", "f64"]),
        ("all.csv --t-end 1 --table t.txt", &["table", ".csv"]),
        ("all.csv --t-end 1 --table ./out.csv", &["table", "too"]),
        ("all.csv --t-end 1 --table ./all.csv --force", &["table", "too"]),
        ("all.csv --t-end 1 --units si", &["units", "convert"]),
        ("large.csv --t-end 1 --precision f32", &["large.csv", "system", "2^24"]),
        ("fast.csv --t-end 1", &["fast.csv", "system 1", "inf"]),
        ("empty.csv --t-end 1", &["empty.csv", "no bodies"]),
    ] {
        place.bad(&format!("ensemble {words} -o out.csv"), 2, named);
    }
    place.bad("ensemble all.csv --t-end 1 -o two.csv", 2, &["out", "--force"]);
    place.bad("ensemble all.csv --t-end 1 -o new.txt", 2, &["out", "text", "no column"]);
    place.bad("ensemble all.csv --t-end 1 -o new.tipsy", 2, &["out", "tipsy", "no column"]);
    assert_eq!(place.names(), before);
}
