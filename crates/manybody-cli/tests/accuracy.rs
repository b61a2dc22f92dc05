//! How right a run was, told on the way, kept in its files, and acted upon.

mod common;

use common::{Place, event};
use manybody::simulation::Errors;
use manybody::snapshot;

/// What the lines say of the forces is what the snapshots keep, and what `info` shows.
#[test]
fn errors_are_told_and_kept() {
    let place = Place::new();
    let words =
        "run -n 1500 --t-end 1/4 --dt 1/128 --precision f32 --snapshot-every 1/8 --audit 0.1 --out b.hdf5 --json";
    let outcome = place.good(words);
    let lines = outcome.json();
    let of = |line: &serde_json::Value| line["force_error"]["max"].as_f64().unwrap();
    let (start, end) = (event(&lines, "start"), event(&lines, "end"));
    // f32: the rounding of terms, 6e-8, and of sums of 1500
    assert!((1e-8..2e-6).contains(&of(start)) && (1e-8..2e-6).contains(&of(end)), "{start} {end}");
    assert_eq!(start["force_error"]["sample"], 150);
    let snapshots: Vec<_> = lines.iter().filter(|line| line["event"] == "snapshot").collect();
    assert_eq!(snapshots.len(), 2);
    for line in snapshots {
        let kept = Errors::kept_in(&snapshot::read(place.path(line["file"].as_str().unwrap())).unwrap()).unwrap();
        let force = kept.force.unwrap();
        // JSON's reader rounds the last digit its own way
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-14 * a.abs();
        assert!(same(force.max, of(line)) && force.sample == 150, "{force:?} {line}");
        assert!(force.median <= force.p99 && force.p99 <= force.p999 && force.p999 <= force.max, "{force:?}");
        // each pair once: what is left is the rounding of 1500 f32 sums
        assert!(force.net < 1e-7, "{force:?}");
        let energy = line["energy_error"].as_f64();
        assert!(kept.energy.zip(energy).is_none_or(|(a, b)| same(a, b)) && kept.energy.is_some() == energy.is_some());
    }
    assert!(outcome.text.contains("force error at 150 bodies"), "{}", outcome.text);
    let info = place.good("info b.hdf5 --json");
    let said: serde_json::Value = serde_json::from_str(&info.lines[0]).unwrap();
    assert_eq!((&said["finite"], &said["errors"]["force"]["max"]), (&true.into(), &of(end).into()));
    assert_eq!(said["errors"]["energy"].as_f64(), end["drift"]["energy"].as_f64());
    let info = place.good("info b.hdf5");
    for part in ["all finite", "energy error", "force error at 150 bodies"] {
        assert!(info.text.contains(part), "{part}: {}", info.text);
    }
    // without an audit, the same bodies
    place.good("run -n 1500 --t-end 1/4 --dt 1/128 --precision f32 --audit 0 --out c.hdf5");
    let bodies = |name: &str| snapshot::read(place.path(name)).unwrap().bodies;
    assert!(bodies("b.hdf5") == bodies("c.hdf5"));
    place.bad("run --audit 2", 2, &["audit = 2"]);
}

/// An energy error beyond the limit ends the run where it is found, with a state from before it.
#[test]
fn a_run_that_goes_wrong_stops() {
    let place = Place::new();
    // a step as long as the crossing of the core: the energy is wrong by per cents within 60 steps
    let words = "run -n 300 --t-end 40 --dt 1/2 --eps 1/64 --max-energy-error 1e-3 --out b.hdf5";
    place.bad(
        words,
        1,
        &["energy error", "beyond the limit of 1e-3", "is kept as b.0001.hdf5", "t = 0.0000 after step 0"],
    );
    assert_eq!(place.names(), ["b.0001.hdf5", "b.toml"]);
    let kept = snapshot::read(place.path("b.0001.hdf5")).unwrap();
    assert_eq!((kept.time, kept.bodies.len()), (0.0, 300));
    // with a step that suits it, the same start goes through
    place.good("run --resume b.0001.hdf5 --dt 1/256 --t-end 1/4 --out c.hdf5");
    // snapshots on the way that were good are the place to go on from, and no other is written
    let words = "run -n 300 --t-end 40 --dt 1/2 --eps 1/64 --max-energy-error 1e-3 --snapshot-every 5 --out d.hdf5";
    place.bad(words, 1, &["last good snapshot is d.0005.hdf5"]);
    place.bad("run --max-energy-error=-1", 2, &["max-energy-error = -1"]);
}

/// Every summation computes the same forces, to what it promises; the others need a solver that has them.
#[test]
fn sums_are_chosen_by_name() {
    let place = Place::new();
    place.good("ic plummer -n 3000 -o in.hdf5");
    let mut worst = Vec::new();
    for sum in ["direct", "blocked", "blocked:64", "pairwise", "compensated", "f64", "fixed"] {
        let outcome = place.good(&format!(
            "force in.hdf5 -o f.csv --eps 0.2 --precision f32 --device cpu --sum {sum} --audit 1 --json"
        ));
        let force = &outcome.json()[0];
        assert_eq!((&force["sum"], &force["error"]["sample"]), (&sum.into(), &3000.into()));
        worst.push(force["error"]["max"].as_f64().unwrap());
    }
    // one running sum of 3000 terms is the worst by far; exact sums leave the error of the terms
    let exact = worst[5];
    assert!(worst[0] > 2.0 * exact && worst[1..].iter().all(|error| *error < worst[0]), "{worst:?}");
    assert!([worst[4], worst[6]].iter().all(|error| (error / exact - 1.0).abs() < 0.2), "{worst:?}");
    place.bad("force in.hdf5 -o f.csv --sum kahan", 2, &["kahan", "compensated"]);
    place.bad("force in.hdf5 -o f.csv --sum pairwise", 2, &["sum = pairwise", "f32"]);
    place.bad("run in.hdf5 --sum f64 --precision f32 --solver symmetric", 2, &["sum = f64", "direct"]);
    place.bad("force in.hdf5 -o f.csv --law nearest --sum f64", 2, &["sum = f64", "gravity"]);
    // a run keeps its choice
    place.good(
        "run -n 500 --t-end 1/8 --precision f32 --sum compensated --snapshot-every 1/16 --device cpu --out a.hdf5",
    );
    place.good("run --resume a.0001.hdf5 --out b.hdf5");
    assert!(place.bytes("a.hdf5") == place.bytes("b.hdf5"));
    assert!(String::from_utf8(place.bytes("a.toml")).unwrap().contains("sum = \"compensated\""));
}

/// Two close pairs far from the centre: f32 does not know how close, mixed precision does.
#[test]
fn mixed_precision_knows_close_pairs() {
    let place = Place::new();
    let mut rows = String::from("mass,x,y,z,vx,vy,vz\n");
    for (x, y) in [(1.0, 0.3), (-1.1, 0.2), (0.4, -0.9), (-0.2, 0.7)] {
        for d in [0.0, 1.37e-5] {
            rows += &format!("0.125,{},{},{},0,0,0\n", x + d, y, d);
        }
    }
    place.write("pairs.csv", &rows);
    let error = |precision: &str| {
        let outcome = place.good(&format!("force pairs.csv -o f.csv --precision {precision} --device cpu --json"));
        outcome.json()[0]["error"]["max"].as_f64().unwrap()
    };
    let (single, mixed, double) = (error("f32"), error("mixed"), error("f64"));
    // 2^-24 of a position of 1 is 0.4 % of 1.4e-5
    assert!((1e-4..0.1).contains(&single), "{single:e}");
    assert!(mixed < 1e-6 && double < 1e-13, "{mixed:e} {double:e}");
    place.bad("force pairs.csv -o f.csv --precision mixed --solver symmetric", 2, &["mixed", "direct"]);
}

/// An accuracy that is asked for is met by the cheapest way, and that is said.
#[test]
fn an_accuracy_is_asked_for() {
    let place = Place::new();
    let run = |rtol: &str| {
        let outcome = place.good(&format!("run -n 2000 --t-end 1/32 --rtol {rtol} --device cpu --json --out b.hdf5"));
        let precision = event(&outcome.json(), "start")["precision"].as_str().unwrap().to_owned();
        assert!(outcome.text.contains("taken") && outcome.text.contains("met at the end"), "{}", outcome.text);
        precision
    };
    assert_eq!((run("1e-5"), run("1e-9")), ("f32".into(), "f64".into()));
    place.bad("run -n 2000 --rtol 1e-19 --device cpu --out c.hdf5", 2, &["rtol = ", "most exact"]);
    place.bad("run --rtol 1e-6 --precision f32", 2, &["--rtol"]);
    place.bad("run --rtol 0", 2, &["rtol = 0"]);
}

/// A run taken up on another number of threads ends in the same file.
#[test]
fn threads_change_no_bit_of_a_run_taken_up() {
    let place = Place::new();
    for words in ["", "--precision f32", "--precision f32 --sum fixed", "--precision mixed"] {
        place.good(&format!(
            "run -n 1200 --t-end 1/16 --dt 1/128 --snapshot-every 1/32 --device cpu --threads 1 {words} --out a.hdf5"
        ));
        place.good("run --resume a.0001.hdf5 --threads 3 --out b.hdf5");
        assert!(place.bytes("a.hdf5") == place.bytes("b.hdf5"), "{words}");
    }
}
