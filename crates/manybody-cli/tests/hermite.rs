//! Hermite schemes with block time steps by the command: files, resumes, and what is refused.

mod common;

use common::{Place, event};
use std::process::Stdio;
use std::time::{Duration, Instant};

const WORDS: &str = "run --ic plummer -n 300 --eps 1/64 --dt 1/16 --t-end 1/2";

#[test]
fn runs_repeat_and_resume_byte_for_byte() {
    // the audit looks at jerks, too: in f64 a few roundings of 300 terms, in mixed precision of 1e-7 of each
    for (name, most) in [
        ("hermite4", 1e-13),
        ("hermite6", 1e-13),
        ("hermite4 --time-steps shared", 1e-13),
        ("hermite6 --iterations 2 --eta 0.4", 1e-13),
        ("hermite4 --precision mixed", 1e-5),
        ("hermite6 --precision mixed", 1e-5),
        ("hermite6 --precision mixed --time-steps shared", 1e-5),
        ("hermite4 --precision f32", 1e-3),
        ("hermite6-3pt", 1e-13),
        ("hermite6-3pt --time-steps shared --iterations 2", 1e-13),
        ("hermite6-3pt --precision mixed", 1e-5),
        ("hermite6-3pt --precision f32", 1e-3),
    ] {
        let place = Place::new();
        let words = format!("{WORDS} --integrator {name}");
        let lines = place.good(&format!("{words} --snapshot-every 1/8 --out a.hdf5 --json")).json();
        let error = event(&lines, "end")["energy_error"].as_f64().unwrap();
        // at eta = 0.1 and 0.5 a Plummer sphere of 1,024 has 1e-9 to 1e-8 a unit [measured elsewhere]
        assert!(error.abs() < 1e-6 && error != 0.0, "{name}: {error:e}");
        let jerk = event(&lines, "end")["force_error"]["jerk"].as_f64().unwrap();
        assert!(jerk < most && (most < 1e-9 || jerk > 1e-9), "{name}: {jerk:e}");
        // neither snapshots during the run nor threads change a bit
        place.good(&format!("{words} --out b.hdf5 --threads 1"));
        assert!(place.bytes("a.hdf5") == place.bytes("b.hdf5"), "{name}: one thread");
        for number in 0..4 {
            place.good(&format!("run --resume a.000{number}.hdf5 --out c{number}.hdf5"));
            assert!(place.bytes("a.hdf5") == place.bytes(&format!("c{number}.hdf5")), "{name} resumed at {number}");
        }
        place.good("run b.toml --out d.hdf5");
        assert!(place.bytes("b.hdf5") == place.bytes("d.hdf5"), "{name} repeated");
    }
}

/// A new run from the last bodies of another one does not use the columns that the other run has left with them.
#[test]
fn another_run_begins_without_what_the_first_one_carried() {
    let place = Place::new();
    place.good(&format!("{WORDS} --integrator hermite4 --out a.hdf5"));
    let next = "--eps 1/64 --dt 1/16 --t-end 3/4 --integrator hermite4 --audit 0";
    place.good(&format!("run a.hdf5 {next} --out b.hdf5"));
    place.good(&format!("run a.hdf5 {next} --eta 0.05 --out c.hdf5"));
    assert!(place.bytes("b.hdf5") != place.bytes("c.hdf5"));
    // with another softening the carried accelerations would be wrong
    place.good("run --resume a.hdf5 --eps 1/8 --t-end 3/4 --out d.hdf5");
    place.good("run a.hdf5 --eps 1/8 --dt 1/16 --t-end 3/4 --integrator hermite4 --out e.hdf5");
    for name in ["d", "e"] {
        place.good(&format!("convert {name}.hdf5 {name}.csv"));
    }
    let rows = |name: &str| -> Vec<String> {
        let text = String::from_utf8(place.bytes(name)).unwrap();
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    };
    assert_eq!(rows("d.csv"), rows("e.csv"));
}

/// The last step is shorter where dt does not divide the time.
#[test]
fn the_end_is_met_exactly() {
    let place = Place::new();
    // with three points the first constant step is made in parts, and its snapshot is one of whole steps
    for (scheme, part) in [("hermite6 --dt 1/16", "b"), ("hermite6-3pt --time-steps constant --dt 1/64", "e")] {
        let words =
            format!("run --ic kepler --integrator {scheme} --eps 0 --t-end 1.7 --snapshot-every 1/2 --overwrite");
        let lines = place.good(&format!("{words} --out a.hdf5 --json")).json();
        assert_eq!(event(&lines, "end")["time"].as_f64(), Some(1.7));
        // a pericentre with e = 0.5 at eta = 0.5: 1.7e-6, and 50 times less at half of that eta
        assert!(event(&lines, "end")["energy_error"].as_f64().unwrap().abs() < 5e-6, "{scheme}");
        place.good(&format!("run --resume a.0002.hdf5 --out {part}.hdf5"));
        assert!(place.bytes("a.hdf5") == place.bytes(&format!("{part}.hdf5")), "{scheme}");
        // after a last step that was shorter than others by far, what follows is as exact
        place.good(&format!(
            "run --ic kepler --integrator {scheme} --eps 0 --t-end 1.00000001 --overwrite --out c.hdf5"
        ));
        let lines = place.good(&format!("run --resume c.hdf5 --t-end 3 --out {part}2.hdf5 --json")).json();
        assert!(event(&lines, "end")["energy_error"].as_f64().unwrap().abs() < 5e-6, "{scheme} resumed");
    }
}

#[test]
fn what_hermite_schemes_do_not_have_is_refused() {
    let place = Place::new();
    place.good("ic plummer -n 100 -o a.hdf5");
    for (words, named) in [
        ("--integrator leapfrog --eta 0.1", &["eta", "hermite4"][..]),
        ("--integrator hermite4 --eta 0", &["eta = 0", "above 0"]),
        ("--integrator hermite4 --eta-start -1", &["eta-start", "above 0"]),
        ("--integrator hermite4 --dt-max 1/8", &["dt-max", "at most dt"]),
        ("--integrator hermite4 --dt-max 1/64 --dt-min 1/32", &["dt-min", "largest step"]),
        ("--integrator hermite4 --time-steps some", &["time-steps", "individual"]),
        ("--integrator hermite4 --time-steps constant --dt-min 1/64", &["dt-min", "individual"]),
        ("--integrator hermite4 --iterations 0", &["iterations", "1 to 9"]),
        ("--integrator hermite6 --field harmonic:omega=1", &["hermite6", "snap"]),
        ("--integrator hermite6 --solver fmm", &["fmm", "snaps"]),
        ("--integrator hermite6-3pt --solver tree", &["hermite6-3pt", "tree", "symmetric"]),
        ("--integrator hermite6-3pt --precision mixed --softening spline", &["softening", "hermite6-3pt"]),
        ("--integrator hermite4 --solver fmm --order 1", &["jerks", "--order 2"]),
        ("--integrator hermite4 --solver fmm --pairs chain", &["pairs = chain", "all pairs"]),
        ("--integrator hermite6 --precision f32", &["hermite6", "mixed", "f64"]),
        ("--integrator hermite4 --precision mixed --sum f64", &["hermite4", "jerks", "--sum f64"]),
        ("--integrator hermite4 --precision mixed --solver symmetric", &["mixed", "direct"]),
        ("--integrator hermite5", &["hermite4"]),
    ] {
        place.bad(&format!("run a.hdf5 --eps 0.01 --dt 1/16 --t-end 1 --out b.hdf5 {words}"), 2, named);
    }
    place.write("spring.txt", "body x[3]; sum acc[3] = j.x - i.x");
    let words = "run a.hdf5 --law spring.txt --dt 1/16 --t-end 1 --out b.hdf5 --integrator hermite4";
    place.bad(words, 2, &["hermite4", "jerk", "leapfrog"]);
    assert_eq!(place.names(), ["a.hdf5", "spring.txt"]);
}

/// An eta for which the digits of the forces are too few is said to be one.
#[test]
fn an_eta_below_rounding_is_named() {
    let place = Place::new();
    place.good("ic plummer -n 9 --seed 1 -o a.hdf5");
    for (words, is_named) in [
        ("hermite6 --eta 0.29 --precision mixed", true),
        ("hermite6 --eta 0.3 --precision mixed", false),
        ("hermite6 --eta 0.1", false),
        ("hermite6-3pt --eta 0.19 --precision f32", true),
        ("hermite4 --eta 0.02 --precision f32", true),
        ("hermite4 --precision mixed", false),
        ("leapfrog --precision mixed", false),
    ] {
        let words = format!("run a.hdf5 --eps 0.1 --dt 1/64 --t-end 1/64 --json --overwrite --integrator {words}");
        let outcome = place.good(&words);
        let lines = outcome.json();
        let warnings = event(&lines, "end")["warnings"].as_array().unwrap();
        let named: Vec<&str> = warnings.iter().filter_map(|text| text.as_str()).collect();
        assert_eq!(named.iter().any(|text| text.contains("--eta") && text.contains("rounding")), is_named, "{words}");
        assert!(named.iter().all(|text| outcome.text.contains(text)), "{}", outcome.text);
    }
}

/// Two bodies that fall on each other without softening: the run stops where no step is small enough, says which bodies
/// they are, and keeps what it had.
#[test]
fn a_collision_is_named() {
    let place = Place::new();
    place.write("two.csv", "id,mass,x,y,z,vx,vy,vz\n7,0.5,0.5,0,0,0,0,0\n9,0.5,-0.5,0,0,0,0,0\n");
    let words = "run two.csv --integrator hermite4 --eps 0 --dt 1/8 --t-end 2 --snapshot-every 1/4 --out a.hdf5";
    place.bad(words, 1, &["id 7", "id 9", "distance", "--dt-min", "--eps"]);
    assert!(place.names().contains(&"a.0004.hdf5".to_owned()), "{:?}", place.names());
    place.good("run --resume a.0004.hdf5 --t-end 1.05 --out b.hdf5");
    // without snapshots during the run, the state before the impossible step is kept: another scheme continues from it
    let words = "run two.csv --integrator hermite4 --eps 0 --dt 1/8 --t-end 2 --out c.hdf5";
    place.bad(words, 1, &["id 7", "the last state found good, t = 1 after step 8, is kept as c.0001.hdf5"]);
    place.good("run --resume c.0001.hdf5 --t-end 1.05 --out d.hdf5");
    assert!(place.bytes("b.hdf5") == place.bytes("d.hdf5"), "the state kept is that of the run");
    place.good("run c.0001.hdf5 --integrator ar-chain --eps 0 --dt 1/8 --t-end 2 --out e.hdf5");
}

/// A cluster with massless bodies around: those with mass have the bits that they have alone.
#[test]
fn massless_bodies_change_nothing() {
    let place = Place::new();
    place.good("ic plummer -n 64 -o a.csv");
    let text = String::from_utf8(place.bytes("a.csv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("# checksum"));
    let mut with: String = lines.map(|line| format!("{line}\n")).collect();
    with = with.replace("# bodies = 64", "# bodies = 104");
    for k in 0..40 {
        with.push_str(&format!("{},0,{},0.3,{},0,0.5,0\n", 1000 + k, 0.1 * f64::from(k), 0.2));
    }
    let header = text.lines().find(|line| !line.starts_with('#')).unwrap();
    assert!(header.starts_with("id,mass,x,y,z,vx,vy,vz"), "{header}");
    place.write("with.csv", &with);
    let rows = |file: &str| -> Vec<String> {
        let text = String::from_utf8(place.bytes(file)).unwrap();
        let rows = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        rows.map(|row| row.split(',').take(8).collect::<Vec<_>>().join(",")).take(64).collect()
    };
    for scheme in ["hermite4", "hermite6", "hermite4 --precision mixed", "hermite6 --precision mixed", "hermite6-3pt"] {
        let words = format!("--integrator {scheme} --eps 1/64 --dt 1/16 --t-end 1/4 --audit 0 --overwrite --out");
        for file in ["a", "with"] {
            place.good(&format!("run {file}.csv {words} {file}-end.csv"));
        }
        assert_eq!(rows("a-end.csv"), rows("with-end.csv"), "{scheme}");
    }
}

/// A small cluster whose bodies of the first lines have companions, so close that others hardly pull at them.
fn with_companions(place: &Place) {
    place.good("ic plummer -n 40 --seed 5 -o a.csv");
    let text = String::from_utf8(place.bytes("a.csv")).unwrap();
    let mut with = String::new();
    for line in text.lines().filter(|line| !line.starts_with("# checksum")) {
        with.push_str(&format!("{}\n", line.replace("# bodies = 40", "# bodies = 44")));
    }
    let rows = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    for (k, row) in rows.take(4).enumerate() {
        let number = |column: usize| row.split(',').nth(column).unwrap().parse::<f64>().unwrap();
        let (id, mass) = (100 + k, number(1));
        // a circle: w^2 = 2 m / r
        let (r, w) = (2e-4, (2.0 * mass / 2e-4).sqrt());
        let place = [number(2) + r, number(3), number(4)].map(|q| q.to_string());
        let velocity = [number(5), number(6) + w, number(7)].map(|q| q.to_string());
        with.push_str(&format!("{id},{mass},{},{}\n", place.join(","), velocity.join(",")));
    }
    place.write("b.csv", &with);
}

/// Compact subsystems by algorithmic regularisation: the files of any number of threads, and of a run that is resumed, also
/// after it was killed.
#[test]
fn subsystems_repeat_and_resume() {
    for (scheme, precision) in [("hermite4", "f64"), ("hermite4", "mixed"), ("hermite6", "mixed")] {
        let place = Place::new();
        with_companions(&place);
        let words = format!(
            "run b.csv --integrator {scheme} --pairs chain --perturbation 1e-8 --eps 0 --dt 1/64 --t-end 1/4 --precision {precision}"
        );
        let outcome = place.good(&format!("{words} --snapshot-every 1/16 --out c.hdf5 --json"));
        let lines = outcome.json();
        assert!(event(&lines, "end")["energy_error"].as_f64().unwrap().abs() < 1e-6);
        let warned = event(&lines, "end")["warnings"][0].as_str().unwrap();
        assert!(warned.contains("experimental") && outcome.text.contains(warned), "{warned} {}", outcome.text);
        place.good(&format!("{words} --out d.hdf5 --threads 1"));
        assert!(place.bytes("c.hdf5") == place.bytes("d.hdf5"), "{scheme} {precision}: one thread");
        place.good(&format!("{words} --out d.hdf5 --threads 3 --overwrite"));
        assert!(place.bytes("c.hdf5") == place.bytes("d.hdf5"), "{scheme} {precision}: three threads");
        for number in 0..4 {
            place.good(&format!("run --resume c.000{number}.hdf5 --out e{number}.hdf5"));
            let resumed = place.bytes(&format!("e{number}.hdf5"));
            assert!(place.bytes("c.hdf5") == resumed, "{scheme} {precision}: resumed at {number}");
        }
        let killed = Place::new();
        with_companions(&killed);
        let words = format!("{words} --snapshot-every 1/16 --out c.hdf5");
        let mut child = killed.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while !killed.path("c.0001.hdf5").exists() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if !killed.path("c.hdf5").exists() {
            killed.good("run --resume c.hdf5");
        }
        assert!(place.bytes("c.hdf5") == killed.bytes("c.hdf5"), "{scheme} {precision}: killed");
    }
    let place = Place::new();
    with_companions(&place);
    for (words, named) in [
        ("--integrator leapfrog --eps 0", &["pairs", "hermite4", "hermite6"][..]),
        ("--integrator hermite4 --eps 0.01", &["pairs", "chain", "softening", "--eps 0"]),
        ("--integrator hermite4 --eps 0 --time-steps shared", &["pairs", "individual"]),
        ("--integrator hermite4 --eps 0 --precision f32", &["pairs", "f64"]),
        ("--integrator hermite4 --eps 0 --field harmonic:omega=1", &["pairs", "fields"]),
        ("--integrator hermite4 --eps 0 --device cuda", &["pairs", "GPUs"]),
        ("--integrator hermite6-3pt --eps 0", &["pairs", "hermite4 or hermite6"]),
        ("--integrator hermite4 --eps 0 --perturbation 0.1", &["perturbation", "1e-3"]),
    ] {
        place.bad(&format!("run b.csv --dt 1/16 --t-end 1 --out f.hdf5 --pairs chain {words}"), 2, named);
    }
}

/// Unperturbed pairs by Kepler's solution: the files of any number of threads, and of a run that is resumed.
#[test]
fn pairs_by_keplers_solution_repeat_and_resume() {
    let place = Place::new();
    with_companions(&place);
    for (scheme, precision) in [("hermite4", "f64"), ("hermite4", "mixed"), ("hermite6", "f64")] {
        let words = "run b.csv --pairs kepler --eps 0 --dt 1/64 --t-end 1/4 --overwrite";
        let words = format!("{words} --integrator {scheme} --precision {precision}");
        let lines = place.good(&format!("{words} --snapshot-every 1/16 --out c.hdf5 --json")).json();
        // without --pairs it is 1e-4, of orbits of a period of 5e-4
        assert!(event(&lines, "end")["energy_error"].as_f64().unwrap().abs() < 1e-6);
        place.good(&format!("{words} --out d.hdf5 --threads 1"));
        assert!(place.bytes("c.hdf5") == place.bytes("d.hdf5"), "{scheme} {precision}: one thread");
        for number in 0..4 {
            place.good(&format!("run --resume c.000{number}.hdf5 --out {scheme}{precision}{number}.hdf5"));
            let resumed = place.bytes(&format!("{scheme}{precision}{number}.hdf5"));
            assert!(place.bytes("c.hdf5") == resumed, "{scheme} {precision}: resumed at {number}");
        }
    }
    for (words, named) in [
        ("--integrator leapfrog --eps 0", &["pairs", "hermite4", "hermite6"][..]),
        ("--integrator hermite4 --eps 0.01", &["pairs", "softening", "--eps 0"]),
        ("--integrator hermite4 --eps 0 --time-steps shared", &["pairs", "individual"]),
        ("--integrator hermite4 --eps 0 --precision f32", &["pairs", "f64"]),
        ("--integrator hermite4 --eps 0 --field harmonic:omega=1", &["pairs", "fields"]),
        ("--integrator hermite4 --eps 0 --perturbation 0.1", &["perturbation", "1e-3"]),
    ] {
        place.bad(&format!("run b.csv --dt 1/16 --t-end 1 --out f.hdf5 --pairs kepler {words}"), 2, named);
    }
    let words = "run b.csv --dt 1/16 --t-end 1 --out f.hdf5 --integrator hermite4 --eps 0 --perturbation 1e-6";
    place.bad(words, 2, &["perturbation", "--pairs kepler"]);
    let words = "run b.csv --dt 1/16 --t-end 1 --out f.hdf5 --integrator hermite4 --eps 0 --pairs newton";
    place.bad(words, 2, &["newton", "resolved", "kepler", "chain"]);
}
