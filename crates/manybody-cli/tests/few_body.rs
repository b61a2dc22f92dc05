//! The integrator ar-chain by the command: files, resumes, and what is refused.

mod common;

use common::{Place, event};

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
