//! `manybody run` from start to end: what it writes, what it says, what it repeats.

mod common;

use common::{Place, event};
use manybody::snapshot;

#[test]
fn a_cluster_evolves_and_keeps_what_it_should() {
    let place = Place::new();
    let outcome = place.good("run -n 2000 --device cpu --out b.hdf5 --snapshot-every 1/4 --json");
    let lines = outcome.json();
    let kinds: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["start", "snapshot", "snapshot", "progress", "snapshot", "snapshot", "progress", "snapshot", "end"]
    );
    assert_eq!(place.names(), ["b.0000.hdf5", "b.0001.hdf5", "b.0002.hdf5", "b.0003.hdf5", "b.hdf5", "b.toml"]);

    let (start, end) = (event(&lines, "start"), event(&lines, "end"));
    assert_eq!((&start["n"], &start["steps"], &end["time"]), (&2000.into(), &128.into(), &1.0.into()));
    // in equilibrium: a draw of 2000 bodies scatters the ratio by about 2 / sqrt(n)
    let virial = start["diagnostics"]["virial_ratio"].as_f64().unwrap();
    assert!((virial - 1.0).abs() < 0.1, "{virial}");
    // E = -1/4, with the scatter of the draw and the softening's few per cent
    let energy = start["diagnostics"]["energy"].as_f64().unwrap();
    assert!((energy + 0.25).abs() < 0.02, "{energy}");
    // the drift that the documentation promises; momentum to rounding: 128 kicks of 2000 bodies at random
    let drift = |name: &str| end["drift"][name].as_f64().unwrap();
    assert!(drift("energy").abs() < 1.0e-4 && drift("energy") != 0.0, "{}", drift("energy"));
    assert!(drift("momentum") < 1.0e-14, "{}", drift("momentum"));
    assert!(drift("angular_momentum") < 1.0e-14, "{}", drift("angular_momentum"));
    assert!(outcome.text.contains("virial ratio") && outcome.text.contains("drift"), "{}", outcome.text);

    // files hold what was said
    let times = ["b.0001.hdf5", "b.0002.hdf5", "b.0003.hdf5", "b.hdf5"].map(|name| {
        let kept = snapshot::read(place.path(name)).unwrap();
        assert_eq!(kept.bodies.len(), 2000);
        kept.time
    });
    assert_eq!(times, [0.25, 0.5, 0.75, 1.0]);
}

#[test]
fn without_json_nothing_goes_to_stdout() {
    let place = Place::new();
    let outcome = place.good("run -n 100 --t-end 1/16");
    assert_eq!(outcome.lines, Vec::<String>::new());
    assert_eq!(place.names(), ["manybody.hdf5", "manybody.toml"]);
    for word in ["energy", "momentum", "angular momentum", "virial ratio", "interactions/s", "manybody.hdf5"] {
        assert!(outcome.text.contains(word), "{word}: {}", outcome.text);
    }
}

#[test]
fn threads_and_watching_change_no_bit() {
    let place = Place::new();
    // more than one chunk of work for the threads, and two chunks for drift and kick need 65536: too slow here
    place.good("run -n 3000 --t-end 1/16 --threads 1 --out a.hdf5");
    place.good("run -n 3000 --t-end 0.0625 --threads 2 --out b.hdf5 --snapshot-every 1/64 --json");
    place.good("run -n 3000 --t-end 1/16 --threads 3 --precision f32 --out c.hdf5");
    place.good("run -n 3000 --t-end 1/16 --threads 1 --precision f32 --out d.hdf5");
    assert!(place.bytes("a.hdf5") == place.bytes("b.hdf5"), "f64 differs");
    assert!(place.bytes("c.hdf5") == place.bytes("d.hdf5"), "f32 differs");
    assert!(place.bytes("a.hdf5") != place.bytes("c.hdf5"), "--precision does nothing");
}

#[test]
fn a_description_repeats_its_run() {
    let place = Place::new();
    for (name, words) in [
        ("a.hdf5", "--ic king --with w0=3 -n 200 --seed 7 --t-end 1/8 --eps 1/20 --integrator yoshida4 --dt 0.01"),
        ("b.csv", "-n 100 --t-end 1/8 --snapshot-every 1/16 --solver direct --precision f32"),
        ("c.hdf5", "--ic kepler --with eccentricity=0.3"),
    ] {
        place.good(&format!("run {words} --out {name}"));
        let (stem, extension) = name.split_once('.').unwrap();
        let first = place.bytes(name);
        place.good(&format!("run {stem}.toml"));
        assert!(place.bytes(name) == first, "{name}");
        assert!(place.bytes(&format!("{stem}.old1.{extension}")) == first, "{name} was not moved aside");
    }
    assert_eq!(place.bytes("b.0001.csv"), place.bytes("b.old1.0001.csv"));
    // from a file, from another folder; a copy by another name has outputs by another name
    std::fs::create_dir(place.path("sub")).unwrap();
    place.good("run a.hdf5 --t-end 1/4 --dt 1/64 --eps 0.1 --out sub/d.hdf5");
    std::fs::copy(place.path("sub/d.toml"), place.path("sub/e.toml")).unwrap();
    place.good("run sub/e.toml");
    assert!(place.bytes("sub/d.hdf5") == place.bytes("sub/e.hdf5"));
    // the command line has the last word
    place.good("run sub/e.toml --eps 0.2 --out f.hdf5");
    assert!(place.bytes("sub/e.hdf5") != place.bytes("f.hdf5"));
}

/// A scene written by hand is its author's: comments, order and all. Options beside it make another run.
#[test]
fn a_scene_written_by_hand_stays_as_it_is() {
    let place = Place::new();
    let scene = "# my cluster\nt-end = \"1/8\"   # short\nn = 100\nic = \"king\"\n\n[with]\nw0 = 3 # shallow\n";
    place.write("mine.toml", scene);
    let unchanged = || assert_eq!(place.bytes("mine.toml"), scene.as_bytes());
    place.good("run mine.toml");
    unchanged();
    let first = place.bytes("mine.hdf5");
    place.good("run mine.toml --threads 1 --json");
    unchanged();
    assert!(place.bytes("mine.hdf5") == first);
    assert_eq!(place.names(), ["mine.hdf5", "mine.old1.hdf5", "mine.toml"]);
    // the description of another run must not take its place
    place.bad("run mine.toml --seed 2", 2, &["mine.toml", "another --out"]);
    assert_eq!(place.names(), ["mine.hdf5", "mine.old1.hdf5", "mine.toml"]);
    unchanged();
    // what is written beside another output has decided everything, and repeats it
    place.good("run mine.toml --w0 5 --out other.csv");
    unchanged();
    let other = place.bytes("other.csv");
    let written = String::from_utf8(place.bytes("other.toml")).unwrap();
    for word in ["eps = ", "dt = ", "seed = 1", "w0 = \"5\"", "out = \"other.csv\""] {
        assert!(written.contains(word), "{word}: {written}");
    }
    place.good("run other.toml");
    assert!(place.bytes("other.csv") == other && place.bytes("other.toml") == written.as_bytes());
}

/// A second run would mix its snapshots with those of the first.
#[test]
fn one_run_at_a_time_to_a_name() {
    use std::io::{BufRead, BufReader};
    let place = Place::new();
    // killed when dropped, also where an assertion fails
    struct Killed(std::process::Child);
    impl Drop for Killed {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
    let first = place
        .command("run -n 2000 --t-end 1000 --out b.hdf5 --json")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn();
    let mut first = Killed(first.unwrap());
    let mut lines = BufReader::new(first.0.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("start"));
    // the description is common to b.hdf5 and b.csv
    for out in ["b.hdf5", "b.csv", "./b.hdf5"] {
        place.bad(&format!("run -n 100 --t-end 1/16 --out {out}"), 2, &[out, "another run", "--out"]);
    }
    place.good("run -n 100 --t-end 1/16 --out c.hdf5");
    drop(first);
    // a killed run blocks no other run
    place.good("run -n 100 --t-end 1/16 --out b.hdf5");
    assert!(!place.path("b.manybody-lock").exists());
}

/// t-end is met to the bit whether or not dt divides it; the file says so.
#[test]
fn the_end_is_met_exactly() {
    let place = Place::new();
    for (words, end) in
        [("--dt 1/128 --t-end 0.3", 0.3), ("--dt 0.1 --t-end 0.7", 0.7), ("--dt 7 --t-end 1/3", 1.0 / 3.0)]
    {
        let outcome = place.good(&format!("run -n 10 {words} --eps 0.1 --out b.hdf5 --json"));
        assert_eq!(event(&outcome.json(), "end")["time"].as_f64(), Some(end), "{words}");
        assert_eq!(snapshot::read(place.path("b.hdf5")).unwrap().time, end, "{words}");
    }
}

#[test]
fn quantities_may_be_fractions_and_carry_units() {
    let place = Place::new();
    place.good("run -n 100 --dt 1/128 --t-end 1/8 --eps 1/32 --out a.hdf5");
    place.good("run -n 100 --dt 0.0078125 --t-end 0.125 --eps 0.03125 --out b.hdf5");
    assert!(place.bytes("a.hdf5") == place.bytes("b.hdf5"));
    place.good("run --ic solar-system --t-end 48h --dt 0.25d --eps 0km --out c.hdf5");
    let kept = snapshot::read(place.path("c.hdf5")).unwrap();
    assert_eq!((kept.time, kept.units.name.as_str()), (2.0, "msun-au-day"));
    place.bad("run -n 100 --t-end 1Myr", 2, &["t-end", "1Myr"]);
}

/// After one period the two bodies are where they began, but for the leapfrog's phase error: of second order, so half the
/// step leaves a quarter of it, give or take the next term, which is dt^2 = 1e-5 smaller than the first.
#[test]
fn a_planet_comes_back() {
    let place = Place::new();
    let positions = |words: &str, out: &str| {
        place.good(&format!("run --ic kepler {words} --out {out}"));
        let kept = snapshot::read(place.path(out)).unwrap();
        (kept.time, kept.bodies.x[1], kept.bodies.y[1])
    };
    let (_, x, y) = positions("--t-end 0", "start.hdf5");
    let missed = |words: &str, out: &str| {
        let (time, x_end, y_end) = positions(words, out);
        assert_eq!(time, std::f64::consts::TAU);
        (x_end - x).hypot(y_end - y)
    };
    let (chosen, half) = (missed("", "chosen.hdf5"), missed("--dt 1/512", "half.hdf5"));
    assert!(chosen < 1.0e-3 && (chosen / half - 4.0).abs() < 0.05, "{chosen:e} {half:e}");
}

#[test]
fn a_users_file_is_run_with_scales_of_its_own() {
    let place = Place::new();
    place.good("run -n 300 --t-end 0 --out start.hdf5");
    // the same cluster in a file without anything but bodies, 1000 times as large
    let start = snapshot::read(place.path("start.hdf5")).unwrap();
    let b = &start.bodies;
    let mut text = "mass,x,y,z,vx,vy,vz\n".to_owned();
    for i in 0..b.len() {
        let [x, y, z] = b.position(i).map(|q| 1000.0 * q);
        let [u, v, w] = b.velocity(i).map(|q| q / 1000.0_f64.sqrt());
        text += &format!("{},{x},{y},{z},{u},{v},{w}\n", b.mass[i]);
    }
    place.write("mine.csv", &text);
    let outcome = place.good("run mine.csv --json");
    let lines = outcome.json();
    let (start, end) = (event(&lines, "start"), event(&lines, "end"));
    // R = 1000: nearest power of two 1024; T = 1000^1.5 = 31623: 32768
    assert_eq!((start["t_end"].as_f64(), start["dt"].as_f64()), (Some(32768.0), Some(256.0)), "{start}");
    assert!(end["drift"]["energy"].as_f64().unwrap().abs() < 1.0e-4, "{end}");
    assert!(outcome.text.contains("chosen for 300 bodies"), "{}", outcome.text);
}

#[test]
fn few_bodies_want_to_be_asked() {
    let place = Place::new();
    place.write("two.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n0,1,0,0,0,1,0\n");
    place.bad("run two.csv", 2, &["no dt is given", "here there is 1", "--dt, --t-end"]);
    place.bad("run two.csv --dt 0.1", 2, &["t-end", "--t-end"]);
    place.good("run two.csv --dt 0.1 --t-end 1");
}

#[test]
fn formats_that_round_say_so() {
    let place = Place::new();
    let outcome = place.good("run -n 100 --t-end 1/16 --snapshot-every 1/32 --out b.tipsy");
    assert!(outcome.text.contains("cannot be resumed from these snapshots"), "{}", outcome.text);
    assert_eq!(place.names(), ["b.0000.tipsy", "b.0001.tipsy", "b.tipsy", "b.toml"]);
    place.bad("run --resume b.0001.tipsy", 2, &["b.0001.tipsy", "run."]);
}

#[test]
fn columns_of_a_file_belong_to_a_file() {
    let place = Place::new();
    place.bad(
        "run --ic plummer -n 100 --columns mass-first --t-end 0.1 --out a.hdf5",
        2,
        &["columns", "plummer is made here"],
    );
    assert!(place.names().is_empty());
}

/// The spline softening by all that computes gravity: runs repeat and resume byte for byte, keep the energy, and their files
/// say what the softening is.
#[test]
fn the_spline_softening_in_runs() {
    let place = Place::new();
    let run = "run --ic plummer -n 400 --device cpu --eps 1/16 --dt 1/64 --t-end 1/4";
    place.good(&format!("{run} --out plummer.hdf5"));
    for (name, words) in [
        ("a", ""),
        ("b", "--solver fmm --rtol 1e-4"),
        ("c", "--solver direct --precision mixed"),
        ("d", "--integrator hermite4"),
        ("e", "--precision f32 --solver direct --sum fixed"),
    ] {
        let words = format!("{run} --softening spline {words}");
        let lines = place.good(&format!("{words} --snapshot-every 1/8 --out {name}.hdf5 --json")).json();
        let end = event(&lines, "end");
        // steps of 1/64 where sqrt(eps^3 / m) is 0.3: as with Plummer's softening
        assert!(end["energy_error"].as_f64().unwrap().abs() < 1e-5, "{words}: {end}");
        place.good(&format!("run --resume {name}.0001.hdf5 --out {name}2.hdf5"));
        assert!(place.bytes(&format!("{name}.hdf5")) == place.bytes(&format!("{name}2.hdf5")), "{words} resumed");
        place.good(&format!("run {name}.toml --threads 1 --out {name}3.hdf5"));
        assert!(place.bytes(&format!("{name}.hdf5")) == place.bytes(&format!("{name}3.hdf5")), "{words} repeated");
        assert!(place.bytes(&format!("{name}.hdf5")) != place.bytes("plummer.hdf5"), "{words}");
        let kept = snapshot::read(place.path(&format!("{name}.hdf5"))).unwrap();
        assert_eq!(kept.meta["run.softening"], "spline", "{words}");
        // the energy of the file is that of the run
        let info: serde_json::Value =
            serde_json::from_str(&place.good(&format!("info {name}.hdf5 --json")).lines[0]).unwrap();
        let [there, here] = [&info["diagnostics"], &end["diagnostics"]].map(|of| of["energy"].as_f64().unwrap());
        assert!((there - here).abs() < 1e-6 * here.abs(), "{words}: {there} {here}");
    }
    // forces of a file are those of its run
    place.good("force a.hdf5 --device cpu -o run.csv");
    place.good("force a.hdf5 --device cpu --eps 1/16 --softening spline -o said.csv");
    place.good("force a.hdf5 --device cpu --softening plummer -o other.csv");
    assert!(place.bytes("run.csv") == place.bytes("said.csv"));
    assert!(place.bytes("run.csv") != place.bytes("other.csv"));
    for (words, named) in [
        ("--softening gauss", &["softening", "gauss", "plummer or spline"][..]),
        ("--softening spline --integrator hermite6", &["softening", "spline", "hermite4"]),
        ("--softening spline --integrator hermite4 --precision mixed", &["softening", "spline", "f64"]),
        ("--softening spline --integrator ar-chain", &["softening", "plummer"]),
    ] {
        place.bad(&format!("run -n 3 --eps 0.1 --dt 1/64 --t-end 1 --out x.hdf5 {words}"), 2, named);
    }
    let words = "run -n 3 --dt 1/64 --t-end 1 --out x.hdf5 --softening spline --law coulomb";
    place.bad(words, 2, &["softening", "gravity", "--par"]);
    place.bad("force a.hdf5 --law nearest --softening spline -o x.csv", 2, &["softening", "gravity"]);
    // softenings of the bodies' own are of that kind in a run from the file, too; tipsy, which does not hold it, says so
    let row = |k: i32| format!("{k},0.01,{},{},{},0,0,0,0.2\n", 0.1 * f64::from(k * k % 17), 0.05 * f64::from(k), 0.3);
    let rows: String = (0..40).map(row).collect();
    place.write("own.csv", &format!("id,mass,x,y,z,vx,vy,vz,eps\n{rows}"));
    let times = "--device cpu --dt 1/64";
    place.good(&format!("run own.csv {times} --t-end 1/16 --softening spline --out own.hdf5"));
    let lines = place.good(&format!("run own.hdf5 {times} --t-end 1/8 --out on.hdf5 --json")).json();
    assert_eq!(event(&lines, "start")["settings"]["softening"], "spline");
    assert!(place.good("convert own.hdf5 own.tipsy").text.contains("--softening spline"));
    assert!(!place.good("convert plummer.hdf5 p.tipsy").text.contains("spline"));
    // a run that goes on with another softening is another run
    place.good("run --resume a.0001.hdf5 --softening plummer --out f.hdf5");
    assert!(place.bytes("f.hdf5") != place.bytes("a.hdf5"));
}
