//! Audits act, chosen parameters are right or refused, and what a summary says can be read.

mod common;

use common::{Place, event};
use manybody::snapshot;

/// An error beyond the limit is exit status 1, without a file, in every command that audits.
#[test]
fn an_audit_acts() {
    let place = Place::new();
    place.good("ic plummer -n 600 -o in.hdf5");
    let before = place.names();
    let words = ["t = 0", "the audit found body ", "(id ", "acceleration", "beyond 1.0e-30", "limit that was set"];
    let gravity = "force in.hdf5 -o f.csv --force --eps 0.1 --precision f32 --device cpu";
    place.bad(&format!("{gravity} --audit-limit 1e-30"), 1, &words);
    let law = "force in.hdf5 -o f.csv --force --device cpu --precision f32 --law";
    let text = "body_x[3],mass;d=j.x-i.x;sum_p=j.mass/sqrt(dot(d,d)+0.01);self_exclude";
    place.write("law.txt", &text.replace('_', " ").replace(';', "\n"));
    place.bad(&format!("{law} law.txt --audit-limit 1e-30"), 1, &["the audit found body ", "p, in", "beyond 1.0e-30"]);
    // of several results the one that is worst
    let two = text.replace("self", "sum_sound=j.mass*0;self");
    place.write("law.txt", &two.replace('_', " ").replace(';', "\n"));
    let text = place.bad(&format!("{law} law.txt --audit-limit 1e-30"), 1, &["wrong: p, in its rms, off by"]);
    assert!(!text.contains("sound"), "{text}");
    place.bad("bench -n 600 --precision f32 --repeat 1 --audit-limit 1e-30", 1, &["the audit found body "]);
    std::fs::remove_file(place.path("law.txt")).unwrap();
    let run = "run in.hdf5 --eps 0.1 --dt 1/128 --t-end 1/16 --precision f32 --device cpu --out b.hdf5";
    let text = place.bad(&format!("{run} --audit-limit 1e-30"), 1, &words);
    assert!(!text.contains("smaller --dt"), "{text}");
    assert_eq!(place.names(), before, "{text}");
    // within the limit, and with what the precision explains
    place.good(&format!("{gravity} --audit-limit 1e-3"));
    place.good(gravity);
    place.bad(&format!("{gravity} --audit 0 --audit-limit 1e-3"), 2, &["audit-limit", "without an audit"]);
    place.bad(&format!("{run} --audit 0 --audit-limit 1e-3"), 2, &["audit-limit", "without an audit"]);
    place.bad(&format!("{run} --audit-limit 0"), 2, &["audit-limit = 0"]);
}

/// A run stops at the first snapshot whose force error is beyond the limit: the snapshot before it stays and is named,
/// and no final snapshot is written.
#[test]
fn an_audit_stops_a_run() {
    for seed in 1..20 {
        let place = Place::new();
        let words = format!(
            "run -n 300 --seed {seed} --eps 1/64 --dt 1/64 --t-end 3/4 --snapshot-every 1/8 --audit 1 --precision f32 \
             --device cpu --json --out b.hdf5"
        );
        let errors: Vec<f64> = place
            .good(&words)
            .json()
            .iter()
            .filter(|line| line["event"] == "snapshot")
            .map(|line| line["force_error"]["max"].as_f64().unwrap())
            .collect();
        // the first snapshot during the run (b.0000 is the start) whose error is larger than all before it, by so much
        // that a limit fits between them
        let later = (2..errors.len() - 1).find(|k| errors[..*k].iter().all(|before| *before < 0.8 * errors[*k]));
        let Some(k) = later else { continue };
        let place = Place::new();
        let limit = 0.9 * errors[k];
        let last = format!("b.{:04}.hdf5", k - 1);
        let outcome = place.run(&format!("{words} --audit-limit {limit:e}"));
        outcome.expect_failure(&words, 1, &["the audit found body ", "beyond", &last]);
        assert!(place.path(&last).exists() && !place.path("b.hdf5").exists(), "{:?}", place.names());
        assert!(!place.path(&format!("b.{k:04}.hdf5")).exists(), "{:?}", place.names());
        let lines = outcome.json();
        assert_eq!(event(&lines, "end")["status"], "stopped");
        return;
    }
    panic!("in no run is a later error the largest");
}

/// Lengths whose squares overflow are audited all the same; what overflows in f64 is an error, never a NaN that passes.
#[test]
fn what_overflows_is_no_success() {
    let place = Place::new();
    place.write("far.csv", "id,mass,x,y,z,vx,vy,vz\n1,1,1e200,0,0,0,0,0\n2,1,-1e200,0,0,0,0,0\n3,1,0,1e200,0,0,0,0\n");
    let text = place.good("force far.csv -o f.csv --force").text;
    assert!(text.contains("max ") && !text.contains("NaN"), "{text}");
    place.write("end.csv", "id,mass,x,y,z,vx,vy,vz\n1,1,1e308,0,0,0,0,0\n2,1,-1.7e308,0,0,0,0,0\n");
    for words in [
        "force end.csv -o g.csv --force",
        "force end.csv -o g.csv --force --solver reference",
        "force far.csv -o g.csv --force --law coulomb --par k=1",
    ] {
        let outcome = place.run(words);
        assert!(!outcome.text.contains("NaN") || outcome.status != Some(0), "{words}: {}", outcome.text);
        assert!(!outcome.text.contains("panicked"), "{words}: {}", outcome.text);
    }
}

/// A run that has gone wrong says so, in words and in JSON.
#[test]
fn a_large_energy_error_is_a_warning() {
    let place = Place::new();
    let words =
        "run --ic plummer -n 200 --eps 0 --dt 1/8 --t-end 6 --snapshot-every 2 --device cpu --json --out b.hdf5";
    let outcome = place.good(words);
    assert!(outcome.text.contains("warning: at t = ") && outcome.text.contains("smaller --dt"), "{}", outcome.text);
    let lines = outcome.json();
    let end = event(&lines, "end");
    assert!(end["energy_error"].as_f64().unwrap().abs() > 0.1, "{end}");
    assert!(!end["warnings"].as_array().unwrap().is_empty(), "{end}");
    let outcome = place.good("run --ic plummer -n 200 --t-end 1/8 --device cpu --json --out c.hdf5");
    assert_eq!(event(&outcome.json(), "end")["warnings"], serde_json::json!([]));
    assert!(!outcome.text.contains("warning"), "{}", outcome.text);
}

/// An accuracy that is missed: exit status 1, and the last state under a name of its own. Precision and solver are
/// both named, so that neither is chosen by a measurement at the start, which would refuse the run.
#[test]
fn a_missed_accuracy_is_a_failure() {
    let place = Place::new();
    let settings = "ic = \"plummer\"\nn = 300\nt-end = \"1/16\"\nprecision = \"f32\"\nrtol = 1e-12\ndevice = \"cpu\"\n";
    place.write("chosen.toml", settings);
    place.bad("run chosen.toml", 2, &["rtol = 1e-12", "the most exact precision", "is wrong by"]);
    place.write("g.toml", &format!("{settings}solver = \"symmetric\"\n"));
    let outcome = place.run("run g.toml --json");
    outcome.expect_failure("run g.toml", 1, &["rtol 1e-12: MISSED", "g.missed.hdf5", "not as g.hdf5"]);
    assert_eq!(place.names(), ["chosen.toml", "g.missed.hdf5", "g.toml"]);
    let lines = outcome.json();
    let end = event(&lines, "end");
    assert_eq!((&end["status"], &end["rtol_met"]), (&"missed".into(), &false.into()));
    place.run("run g.toml").expect_failure("run g.toml", 1, &["g.missed2.hdf5"]);
}

/// Values are chosen for what is one system of many bodies; for others the command says why not, and what to give.
#[test]
fn chosen_parameters_are_right_or_refused() {
    let place = Place::new();
    let rows = |extra: &str| format!("id,mass,x,y,z,vx,vy,vz\n1,1,0,0,0,0,0,0\n2,0.001,5.2,0,0,0,0.44,0\n{extra}");
    for asteroids in [60, 1000] {
        let some: String = (0..asteroids)
            .map(|k| {
                let angle = f64::from(k) * 2.4;
                format!(
                    "{},0,{},{},0,{},{},0\n",
                    k + 3,
                    2.5 * angle.cos(),
                    2.5 * angle.sin(),
                    -0.63 * angle.sin(),
                    0.63 * angle.cos()
                )
            })
            .collect();
        place.write("sun.csv", &rows(&some));
        place.bad("run sun.csv", 2, &["no dt is given", "there are 2", "--dt"]);
        let outcome = place.good("run sun.csv --dt 1/64 --t-end 1/4 --json --out s.hdf5");
        assert_eq!(event(&outcome.json(), "start")["eps"], 0.0);
    }
    let disc: String = (0..200)
        .map(|k| {
            let (angle, r) = (f64::from(k) * 2.4, 0.1 * f64::from(k % 17 + 1));
            format!("{},1e-6,{},{},{},0,0,0\n", k + 3, r * angle.cos(), r * angle.sin(), 0.01 * f64::from(k % 5))
        })
        .collect();
    place.write("hole.csv", &rows(&disc));
    place.bad("run hole.csv", 2, &["no eps is given", "body 0 (id 1)", "--eps"]);
    place.bad("run hole.csv --eps 0", 2, &["no dt is given", "body 0 (id 1)", "--dt"]);
    place.good("run hole.csv --eps 0.01 --dt 1/64 --t-end 1/64 --out h.hdf5");
    // tracers change nothing
    place.good("ic plummer -n 500 -o p.csv");
    let plain = String::from_utf8(place.bytes("p.csv")).unwrap();
    let chosen = |file: &str| {
        let text = place.good(&format!("run {file} --t-end 1/64 --device cpu --out c.hdf5")).text;
        let line = text.lines().find(|line| line.starts_with("chosen for")).unwrap().to_owned();
        line.split_once(": ").unwrap().1.to_owned()
    };
    let before = chosen("p.csv");
    let snapshot = snapshot::read(place.path("p.csv")).unwrap();
    let mut traced = snapshot.clone();
    for i in 0..500 {
        traced.bodies.push(0.0, snapshot.bodies.position(i).map(|q| 5.0 * q), [0.0; 3]);
        traced.bodies.id[500 + i] = 1000 + i as u64;
    }
    snapshot::write(place.path("q.hdf5"), &traced).unwrap();
    assert_eq!(chosen("q.hdf5"), before, "{}", &plain[..80]);
}

/// Each of 200 bodies of a Plummer sphere as these (mass, x), 1e-4 apart: hard binaries, planets.
#[test]
fn hierarchies_are_recognised() {
    let place = Place::new();
    let cluster = manybody::ic::by_name("plummer", &manybody::ic::Request::new(200, 1)).unwrap().bodies;
    for (name, parts, kind) in [
        ("binaries.hdf5", &[(0.5, -0.5), (0.5, 0.5)][..], "with mass"),
        ("planets.hdf5", &[(1.0, 0.0), (0.0, 1.0), (0.0, 1.5), (0.0, 2.0)], "without mass"),
    ] {
        let mut found = snapshot::Snapshot::default();
        for i in 0..cluster.len() {
            for (mass, x) in parts {
                let [a, b, c] = cluster.position(i);
                found.bodies.push(mass * cluster.mass[i], [a + 1e-4 * x, b, c], cluster.velocity(i));
            }
        }
        found.bodies.id = (0..found.bodies.len() as u64).collect();
        snapshot::write(place.path(name), &found).unwrap();
        let refused = ["no eps is given", kind, "hard binaries", "step of about ", "--eps, --dt in"];
        place.bad(&format!("run {name} --device cpu --out r.hdf5"), 2, &refused);
        let run = |words: &str| format!("run {name} --device cpu --out {words}");
        place.bad(&run("r.hdf5 --eps 0"), 2, &["no dt is given", "--dt in"]);
        place.bad(&run("r.hdf5 --dt 1/1024"), 2, &["no eps is given", "--eps in"]);
        // the unit of time suits the whole, steps that vary need no more, and what is given is the user's
        let text = place.good(&run(&format!("v{name} --eps 0 --dt 1/2 --t-end 1/2 --audit 0"))).text;
        assert!(!text.contains("chosen for"), "{text}");
        let text = place.good(&run(&format!("w{name} --eps 1/16 --audit 0"))).text;
        assert!(text.contains("dt = 1/128, t-end = 1"), "{text}");
        let text = place.good(&run(&format!("x{name} --eps 0 --dt 1 --audit 0"))).text;
        assert!(text.lines().any(|line| line.starts_with("chosen for") && line.ends_with(": t-end = 1")), "{text}");
    }
}

/// Without an energy to be relative to, the change is no share of it.
#[test]
fn an_energy_of_0_is_no_scale() {
    let place = Place::new();
    place.write("e0.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,-1,0\n1,1,0,0,0,1,0\n");
    let text = place.good("run e0.csv --eps 0 --dt 1/8 --t-end 1 --explain --out e.hdf5").text;
    assert_eq!(text.matches("not relative: E was 0").count(), 2, "{text}");
    assert!(!text.contains("of |E|"), "{text}");
}

/// What a run has written has the softening of the run.
#[test]
fn force_takes_the_softening_of_the_run() {
    let place = Place::new();
    place.good("run -n 200 --t-end 0 --eps 1/16 --device cpu --out k.hdf5");
    let force = |words: &str| {
        let outcome = place.good(&format!("force k.hdf5 -o f.csv --force --json {words}"));
        let lines = outcome.json();
        let line = event(&lines, "force");
        (line["eps"].as_f64(), line["eps_from"].as_str().unwrap().to_owned(), outcome.text)
    };
    let (eps, from, text) = force("");
    assert_eq!((eps, from.as_str()), (Some(0.0625), "run"));
    assert!(text.contains("eps = 0.0625, of the run that wrote the file"), "{text}");
    let (eps, from, _) = force("--eps 0.5");
    assert_eq!((eps, from.as_str()), (Some(0.5), "option"));
    place.good("ic plummer -n 200 -o k.hdf5 --force");
    let (eps, from, _) = force("");
    assert_eq!((eps, from.as_str()), (Some(0.0), "default"));
    // in other units, too
    place.good("ic plummer -n 200 --scale 1e5Msun:3pc --units msun-pc-kms -o pc.hdf5");
    place.good("run pc.hdf5 --t-end 0 --eps 2pc --dt 1e-3 --device cpu --out l.hdf5");
    place.good("convert l.hdf5 k.hdf5 --units msun-kpc-kms --force");
    let (eps, from, text) = force("");
    assert!((eps.unwrap() - 0.002).abs() < 1e-15 && from == "run" && text.contains("kpc"), "{text}");
}

/// Times and lengths have their units; `info` says how a system is.
#[test]
fn units_are_shown() {
    let place = Place::new();
    let half = "--scale 1e5Msun --half-mass-radius 3pc";
    place.good(&format!("ic plummer -n 500 {half} --units msun-pc-kms -o pc.hdf5"));
    let text = place.good("run pc.hdf5 --eps 0.5pc --dt 0.1Myr --t-end 10Myr --device cpu --out b.hdf5").text;
    for part in ["t = 0 Myr", "t = 10 Myr", "eps = 0.5 pc", "(100 kyr)", "half-mass radius / pc"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for line in text.lines().filter(|line| line.contains("of |E|") || line.contains("kinetic")) {
        let numbers = line.split_whitespace().filter(|word| word.parse::<f64>().is_ok()).count();
        assert!(numbers >= 2, "{line}");
    }
    let info = place.good("info pc.hdf5");
    for part in ["virial ratio", "half-mass radius 3 pc", "(0 Myr)"] {
        assert!(info.text.contains(part) || part == "(0 Myr)", "{part}: {}", info.text);
    }
    let found: serde_json::Value = serde_json::from_str(&place.good("info pc.hdf5 --json").lines[0]).unwrap();
    assert!((found["diagnostics"]["half_mass_radius"].as_f64().unwrap() - 3.0).abs() < 1e-9, "{found}");
    assert!((found["diagnostics"]["virial_ratio"].as_f64().unwrap() - 1.0).abs() < 0.2, "{found}");
    place.bad("ic plummer -n 5 --scale 1e5:3 --half-mass-radius 3pc -o x.hdf5", 2, &["only a mass"]);
    place.bad("ic plummer -n 5 --half-mass-radius 3pc -o x.hdf5", 2, &["--scale"]);
}

/// A word that is not known is answered with the one that was meant.
#[test]
fn words_are_understood() {
    let place = Place::new();
    for command in ["run", "force a.csv -o b.csv --force"] {
        place.bad(&format!("{command} --softening 0.1"), 2, &["softening", "--eps"]);
    }
    let text = place.bad("run --scale 1e5:3", 2, &["--scale", "manybody ic"]);
    assert!(!text.contains("--solver"), "{text}");
    place.write("k.toml", "ic = \"king\"\nw0 = 7\nn = 100\nt-end = \"1/64\"\ndevice = \"cpu\"\n");
    assert!(place.good("run k.toml").text.contains("king, w0 7"));
}
