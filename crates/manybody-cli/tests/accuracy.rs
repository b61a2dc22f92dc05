//! The accuracy of a run: errors that it prints meanwhile, keeps in its files, and stops at.

mod common;

use common::{Place, event};
use manybody::simulation::Errors;
use manybody::snapshot;

/// The force errors that a run prints are those that its snapshots keep and that `info` shows.
#[test]
fn errors_are_printed_and_kept() {
    let place = Place::new();
    let words = "run -n 1500 --t-end 1/4 --dt 1/128 --device cpu --precision f32 --snapshot-every 1/8 --audit 0.1 --out b.hdf5 --json";
    let outcome = place.good(words);
    let lines = outcome.json();
    let of = |line: &serde_json::Value| line["force_error"]["max"].as_f64().unwrap();
    let (start, end) = (event(&lines, "start"), event(&lines, "end"));
    // f32: the rounding of terms, 6e-8, and of sums of 1500
    assert!((1e-8..2e-6).contains(&of(start)) && (1e-8..2e-6).contains(&of(end)), "{start} {end}");
    assert_eq!(start["force_error"]["sample"], 150);
    let snapshots: Vec<_> = lines.iter().filter(|line| line["event"] == "snapshot").collect();
    assert_eq!(snapshots.len(), 3);
    for line in snapshots {
        let kept = Errors::from_snapshot(&snapshot::read(place.path(line["file"].as_str().unwrap())).unwrap()).unwrap();
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
    place.bad(words, 1, &["energy error", "beyond the limit of 1e-3", "is kept as b.0001.hdf5", "t = 0 after step 0"]);
    assert_eq!(place.names(), ["b.0001.hdf5", "b.toml"]);
    let kept = snapshot::read(place.path("b.0001.hdf5")).unwrap();
    assert_eq!((kept.time, kept.bodies.len()), (0.0, 300));
    // with a step that suits it, the same start goes through
    place.good("run --resume b.0001.hdf5 --dt 1/256 --t-end 1/4 --out c.hdf5");
    // a snapshot during the run is kept only if its energy error is within the limit: that of t = 5 is not
    let words = "run -n 300 --t-end 40 --dt 1/2 --eps 1/64 --max-energy-error 1e-3 --snapshot-every 5 --out d.hdf5";
    place.bad(words, 1, &["t = 5:", "the last good snapshot is d.0000.hdf5"]);
    assert_eq!(snapshot::read(place.path("d.0000.hdf5")).unwrap().time, 0.0);
    assert!(!place.path("d.0001.hdf5").exists());
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
            "force in.hdf5 -o f.csv --force --eps 0.2 --precision f32 --device cpu --sum {sum} --audit 1 --json"
        ));
        let force = &outcome.json()[0];
        assert_eq!((&force["sum"], &force["error"]["sample"]), (&sum.into(), &3000.into()));
        worst.push(force["error"]["max"].as_f64().unwrap());
    }
    // one running sum of 3000 terms is the worst by far; exact sums leave the error of the terms
    let exact = worst[5];
    assert!(worst[0] > 2.0 * exact && worst[1..].iter().all(|error| *error < worst[0]), "{worst:?}");
    assert!([worst[4], worst[6]].iter().all(|error| (error / exact - 1.0).abs() < 0.2), "{worst:?}");
    place.bad("force in.hdf5 -o f.csv --force --sum kahan", 2, &["kahan", "compensated"]);
    place.bad("force in.hdf5 -o f.csv --force --sum pairwise", 2, &["sum = pairwise", "f32"]);
    place.bad("run in.hdf5 --sum f64 --precision f32 --solver symmetric", 2, &["sum = f64", "direct"]);
    place.bad("force in.hdf5 -o f.csv --force --law nearest --sum f64", 2, &["sum = f64", "gravity"]);
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
        let outcome =
            place.good(&format!("force pairs.csv -o f.csv --force --precision {precision} --device cpu --json"));
        outcome.json()[0]["error"]["max"].as_f64().unwrap()
    };
    let (single, mixed, double) = (error("f32"), error("mixed"), error("f64"));
    // 2^-24 of a position of 1 is 0.4 % of 1.4e-5
    assert!((1e-4..0.1).contains(&single), "{single:e}");
    assert!(mixed < 1e-6 && double < 1e-13, "{mixed:e} {double:e}");
    place.bad("force pairs.csv -o f.csv --force --precision mixed --solver symmetric", 2, &["mixed", "direct"]);
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
    // the requested error is kept, and the forces are checked against it again when the run is resumed
    let words = "run -n 500 --t-end 1/16 --snapshot-every 1/32 --rtol 1e-5 --device cpu --out d.hdf5";
    let outcome = place.good(words);
    assert!(outcome.text.contains("force error at 500 bodies"), "{}", outcome.text); // up to 1024
    let toml = String::from_utf8(place.bytes("d.toml")).unwrap();
    let asked = toml.lines().find(|line| line.starts_with("rtol = ")).unwrap();
    assert!(asked[7..].parse() == Ok(1e-5) && toml.contains("precision = \"f32\""), "{toml}");
    let outcome = place.good("run --resume d.0001.hdf5 --out e.hdf5 --json");
    let lines = outcome.json();
    let end = event(&lines, "end");
    assert!(outcome.text.contains("met at the end"), "{}", outcome.text);
    assert_eq!((&end["rtol"], &end["rtol_met"]), (&1e-5.into(), &true.into()));
    assert!(place.bytes("d.hdf5") == place.bytes("e.hdf5"));
    assert!(place.good("info d.hdf5").text.contains("run.rtol"), "{}", place.good("info d.hdf5").text);
    // a description says both what was asked for and what was chosen; it repeats the run without another try
    let before = place.bytes("d.hdf5");
    let outcome = place.good("run d.toml");
    assert!(!outcome.text.contains("taken") && outcome.text.contains("met at the end"), "{}", outcome.text);
    assert!(place.bytes("d.hdf5") == before);
    // an accuracy that later steps do not have is missed, and said
    let missed = place.good("run d.toml --rtol 1e-9 --out f.hdf5 --json");
    assert!(missed.text.contains("f64") && missed.text.contains("met at the end"), "{}", missed.text);
    // a solver that is named takes its place, and that is said
    let named = place.good("run d.toml --solver symmetric --out h.hdf5");
    assert!(named.text.contains("the rtol of d.toml is not used"), "{}", named.text);
    place.write("g.toml", &toml.replace(asked, "rtol = 1e-12").replace("d.hdf5", "g.hdf5"));
    let missed = place.run("run g.toml --json");
    missed.expect_failure("run g.toml", 1, &["MISSED at the end", "g.missed.hdf5"]);
    assert_eq!(event(&missed.json(), "end")["rtol_met"], false);
    place.bad("run -n 500 --rtol 1e-5 --audit 0", 2, &["audit = 0", "rtol"]);
    place.bad("run -n 2000 --rtol 1e-19 --device cpu --out c.hdf5", 2, &["rtol = ", "most exact"]);
    place.bad("run -n 2000 --rtol 1e-12 --precision f32 --device cpu --out c.hdf5", 2, &["rtol = ", "most exact"]);
    // by the file as by options
    place.write("h.toml", "n = 2000\nrtol = 1e-12\nprecision = \"f32\"\ndevice = \"cpu\"\n");
    place.bad("run h.toml", 2, &["rtol = ", "most exact"]);
    place.write("i.toml", "n = 500\nrtol = 1e-3\nsum = \"pairwise\"\n");
    place.bad("run i.toml", 2, &["sum = pairwise", "rtol"]);
    place.bad("run -n 500 --rtol 1e-3 --sum pairwise", 2, &["--rtol", "--sum"]);
    let named = place.good("run -n 100 --eps 0.05 --t-end 1/64 --dt 1/64 --title stars --json --out k.hdf5").json();
    let settings = &event(&named, "start")["settings"];
    assert_eq!((&settings["title"], &settings["eps"]), (&"stars".into(), &0.05.into()));
    let described = String::from_utf8(place.bytes("k.toml")).unwrap();
    for name in ["t-end", "dt", "integrator", "solver", "device", "precision", "audit"] {
        assert!(described.contains(&format!("\n{name} = ")) && !settings[name].is_null(), "{name}: {settings}");
    }
    let words = "run -n 500 --rtol 1e-4 --device cpu --t-end 1/64 --dt 1/64 --eps 0.05 --json --out j.hdf5";
    for (given, solver, precision) in [
        ("", "symmetric", "f32"),
        ("--precision f64", "symmetric", "f64"),
        ("--solver reference", "reference", "f64"),
        ("--solver direct --precision f64", "direct", "f64"),
    ] {
        let lines = place.good(&format!("{words} {given}")).json();
        let start = event(&lines, "start");
        assert_eq!((&start["solver"], &start["precision"]), (&solver.into(), &precision.into()), "{given}");
        assert_eq!(event(&lines, "end")["rtol_met"], true, "{given}");
    }
    place.bad("run --rtol 0", 2, &["rtol = 0"]);
}

/// Unless the number of bodies is given, an audit takes so many that it costs little compared with the run. A pair of
/// the audit is assumed to cost as much as 107 pairs of a run in f32, or 45 in f64.
#[test]
fn an_audit_costs_little() {
    let place = Place::new();
    for (n, steps, precision, dearer) in [(500, 4, "f32", 107.0), (1500, 32, "f32", 107.0), (1500, 128, "f64", 45.0)] {
        let words = format!(
            "run -n {n} --dt 1/1024 --t-end {steps}/1024 --eps 0.1 --precision {precision} --device cpu --json --out b.hdf5"
        );
        let lines = place.good(&words).json();
        let (start, end) = (event(&lines, "start"), event(&lines, "end"));
        let sample = start["force_error"]["sample"].as_f64().unwrap();
        assert_eq!(end["force_error"]["sample"].as_f64(), Some(sample));
        let share = 2.0 * sample * dearer / (f64::from(steps) * f64::from(n));
        // one body, or 1 in 1000, is the least
        assert!(share < 0.01 || sample <= 2.0, "{words}: {sample} bodies, {share}");
        assert!(sample < 65.0 && (sample > 8.0 || steps < 128), "{words}: {sample}");
        assert!(end["audit_s"].as_f64().unwrap() > 0.0);
    }
    // what was asked for is done
    let lines = place.good("run -n 500 --dt 1/1024 --t-end 4/1024 --eps 0.1 --audit 0.5 --json --out b.hdf5").json();
    assert_eq!(event(&lines, "start")["force_error"]["sample"], 250);
}

/// Two bodies that fall together without softening leave the range of fixed-point sums: the run stops there, on the CPU and
/// on a device that keeps the bodies, with the bodies' name, the time, and a snapshot from before.
#[test]
fn a_sum_that_leaves_its_range_stops_a_run() {
    let place = Place::new();
    let mut rows = String::from("id,mass,x,y,z,vx,vy,vz\n");
    for k in 0..30 {
        let angle = f64::from(k) * 0.7;
        rows += &format!("{k},1e-15,{},{},{},0,0,0\n", angle.cos(), angle.sin(), f64::from(k % 3));
    }
    // after 256 steps the two are 4e-6 apart: they weigh too little to move each other
    rows += "4711,1e-9,0.5,0.5,0.5,0.25,0,0\n4712,1e-9,0.562504,0.5,0.5,0,0,0\n";
    place.write("in.csv", &rows);
    for device in ["cpu", "wgpu"].into_iter().filter(|device| *device == "cpu" || place.has_device(device)) {
        let words = format!(
            "run in.csv --eps 0 --dt 1/1024 --t-end 1 --precision f32 --sum fixed --device {device} --out {device}.hdf5"
        );
        let parts = ["(id 471", "acceleration beyond", "fixed-point", "stopped after step 255, t = 0.2490"];
        let said = place.bad(&words, 1, &parts);
        assert!(said.contains(&format!("is kept as {device}.0001.hdf5")), "{said}");
        let kept = snapshot::read(place.path(&format!("{device}.0001.hdf5"))).unwrap();
        assert!(kept.time < 0.25 && kept.bodies.x.iter().all(|x| x.is_finite()));
    }
}

/// A device keeps the frame of its forces between steps. In this frame a sum can leave a range that it would not leave
/// in a frame of the present positions. The error names the cause in this case, too.
#[test]
fn a_sum_that_leaves_the_range_of_a_kept_frame_stops_a_run() {
    let place = Place::new();
    if !place.has_device("wgpu") {
        return;
    }
    place.write("in.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1e-12,1,0,0,-0.49999,0,0\n");
    let words = "run in.csv --eps 0 --dt 1 --t-end 3 --precision f32 --sum fixed --device wgpu --out b.hdf5";
    place.bad(words, 1, &["body 1 (id 1)", "acceleration beyond", "fixed-point", "stopped after step 0"]);
}

/// Every snapshot has its energy error, however short the time between snapshots is.
#[test]
fn every_snapshot_has_its_energy_error() {
    let place = Place::new();
    for precision in ["f32", "f64"] {
        let words = format!(
            "run -n 200 --dt 1/128 --t-end 4/128 --snapshot-every 1/128 --device cpu --precision {precision} --json \
             --out {precision}.hdf5"
        );
        let lines = place.good(&words).json();
        let snapshots: Vec<_> = lines.iter().filter(|line| line["event"] == "snapshot").collect();
        assert_eq!(snapshots.len(), 5, "{precision}");
        assert_eq!(snapshots[0]["energy_error"].as_f64(), Some(0.0), "{precision}");
        for line in &snapshots[1..] {
            let told = line["energy_error"].as_f64().unwrap();
            let kept = snapshot::read(line["file"].as_str().map(|file| place.path(file)).unwrap()).unwrap();
            let in_file: f64 = kept.meta["run.error.energy"].parse().unwrap();
            // numbers of JSON are read to the last place but one
            assert!((in_file / told - 1.0).abs() < 1e-14, "{precision}: {in_file} {told}");
            assert!(told != 0.0 && told.abs() < 1e-3, "{precision}: {told}");
        }
    }
}

/// Bodies that meet at one place without softening are no success: the run stops where it looks, with their name.
#[test]
fn bodies_that_meet_stop_a_run() {
    let place = Place::new();
    place.write("in.csv", "id,mass,x,y,z,vx,vy,vz\n7,1e-300,1,0,0,-1,0,0\n8,1e-300,-1,0,0,1,0,0\n");
    let words = "run in.csv --eps 0 --dt 1/8 --t-end 2 --snapshot-every 1/4 --device cpu --out b.csv --json";
    let outcome = place.run(words);
    outcome.expect_failure(words, 1, &["t = 1", "(id 7)", "acceleration = inf", "b.0003.csv"]);
    let lines = outcome.json();
    let end = event(&lines, "end");
    assert_eq!((end["status"].as_str(), end["step"].as_u64()), (Some("stopped"), Some(8)));
    assert!(end["error"].as_str().is_some_and(|error| error.contains("acceleration")), "{end}");
    assert!(end["file"].as_str().is_some_and(|file| file.ends_with("b.0003.csv")), "{end}");
}

/// Where nothing has mass, every sum is 0, in fixed point as well.
#[test]
fn massless_bodies_have_fixed_point_sums() {
    let place = Place::new();
    place.write("in.csv", "mass,x,y,z,vx,vy,vz\n0,1,0,0,0,0,0\n0,2,0,0,0,0,0\n");
    place.good("force in.csv -o f.csv --force --precision f32 --sum fixed --device cpu --eps 0");
    let text = String::from_utf8(place.bytes("f.csv")).unwrap();
    let rows: Vec<Vec<f64>> = text
        .lines()
        .filter(|line| line.starts_with(['0', '1']))
        .map(|line| line.split(',').skip(1).map(|x| x.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows, vec![vec![0.0; 4]; 2], "{text}");
}

/// A state that is kept because the run had to stop contains its errors.
#[test]
fn what_is_kept_when_a_run_stops_has_its_energy_error() {
    let place = Place::new();
    place.bad(
        "run --ic pythagorean --max-energy-error 1e-3 --dt 1/256 --device cpu --out b.hdf5",
        1,
        &["energy error", "is kept as"],
    );
    let kept = snapshot::read(place.path("b.0001.hdf5")).unwrap();
    let error: f64 = kept.meta["run.error.energy"].parse().unwrap();
    assert!(error.abs() <= 1e-3, "{error}");
}

/// The energy is watched on a device that keeps the bodies, too.
#[test]
fn a_run_on_a_device_that_goes_wrong_stops() {
    let place = Place::new();
    if !place.has_device("wgpu") {
        return;
    }
    let words = "run -n 300 --t-end 40 --dt 1/2 --eps 1/64 --max-energy-error 1e-3 --precision f32 --device wgpu \
                 --audit 0.1 --out b.hdf5";
    place.bad(words, 1, &["energy error", "beyond the limit of 1e-3", "is kept as b.0001.hdf5", "force error at 30"]);
    assert_eq!(snapshot::read(place.path("b.0001.hdf5")).unwrap().time, 0.0);
}

/// A run that is resumed with another number of threads ends with the same file.
#[test]
fn threads_change_no_bit_of_a_resumed_run() {
    let place = Place::new();
    for words in ["", "--precision f32", "--precision f32 --sum fixed", "--precision mixed"] {
        place.good(&format!(
            "run -n 1200 --t-end 1/16 --dt 1/128 --snapshot-every 1/32 --device cpu --threads 1 {words} --out a.hdf5"
        ));
        place.good("run --resume a.0001.hdf5 --threads 3 --out b.hdf5");
        assert!(place.bytes("a.hdf5") == place.bytes("b.hdf5"), "{words}");
    }
}
