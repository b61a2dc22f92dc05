//! `manybody ic` as a user calls it. What the models are is tested in the library.

mod common;

use common::Place;
use manybody::Snapshot;
use manybody::snapshot;

fn read(place: &Place, name: &str) -> Snapshot {
    snapshot::read(place.path(name)).unwrap()
}

#[test]
fn parameters_have_one_spelling_in_ic_and_run() {
    let place = Place::new();
    place.good("ic king -n 50 --w0 7 -o a.hdf5");
    place.good("ic king -n 5e1 --with w0=7 -o b.hdf5");
    assert!(place.bytes("a.hdf5") == place.bytes("b.hdf5"));
    place.good("run --ic king -n 50 --w0 7 --t-end 0 --dt 1 --out c.hdf5");
    place.good("run --ic king -n 50 --with w0=7 --t-end 0 --dt 1 --out d.hdf5");
    assert!(place.bytes("c.hdf5") == place.bytes("d.hdf5"));
    assert_eq!(read(&place, "a.hdf5").bodies, read(&place, "c.hdf5").bodies);
    // values may be negative
    place.good("ic collision --model plummer -n 20 --inclination1 -30 -o e.csv");
    place.bad("ic king --w0 7 --with w0=7 -o f.csv", 2, &["w0=7", "before"]);
    place.bad("ic king --with w0 -o f.csv", 2, &["NAME=VALUE"]);
    place.bad("ic king --phase 7 -o f.csv", 2, &["phase", "w0"]);
    let help = place.good("ic --help").lines.join("\n");
    let (model, parameter) = (help.find("king ").unwrap(), help.find("--w0 6").unwrap());
    assert!(model < parameter, "{help}");
    assert!(place.good("run --help").lines.join("\n").contains("--w0 6"));
}

/// 1e5 solar masses and a virial radius of 3 pc: G M / R = 143.4 (km/s)^2, from GM of the Sun and the parsec.
#[test]
fn models_have_the_scale_they_are_given() {
    let place = Place::new();
    place.good("ic plummer -n 100 -o henon.hdf5");
    place.good("ic plummer -n 100 --scale 1e5:3 -o scaled.hdf5");
    place.good("ic plummer -n 100 --scale 1e5Msun:3pc --units msun-pc-kms -o physical.hdf5");
    let [henon, scaled, physical] = ["henon", "scaled", "physical"].map(|name| read(&place, &format!("{name}.hdf5")));
    assert_eq!((&*scaled.units.name, &scaled.bodies), ("henon:100000msun:3pc", &henon.bodies));
    assert_eq!(physical.units.name, "msun-pc-kms");
    let speed = (4.300_917e-3 * 1e5 / 3.0_f64).sqrt();
    let ratio = |a: &[f64], b: &[f64], expected: f64, digits: f64| {
        assert!(a.iter().zip(b).all(|(a, b)| (a / b / expected - 1.0).abs() < digits), "{expected}");
    };
    // mass and length to rounding, speed to the digits of the constant above
    ratio(&physical.bodies.mass, &henon.bodies.mass, 1e5, 1e-15);
    ratio(&physical.bodies.x, &henon.bodies.x, 3.0, 1e-15);
    ratio(&physical.bodies.vx, &henon.bodies.vx, speed, 1e-6);
    assert_eq!(physical.meta["ic"], "plummer -n 100 --seed 1 --scale 1e5Msun:3pc --units msun-pc-kms");

    place.good("ic kepler --scale 1:2 -o pair.csv");
    assert_eq!(read(&place, "pair.csv").units.name, "g1:1msun:2pc");

    place.bad("ic plummer --units gadget -o a.csv", 2, &["gadget", "plummer", "--scale"]);
    place.bad("ic plummer --scale 1e5 -o a.csv", 2, &["scale = 1e5", "1e5Msun:3pc"]);
    place.bad("ic plummer --scale 1e5:-3 -o a.csv", 2, &["scale = 1e5:-3", "above 0"]);
    place.bad("ic plummer --scale 1e5km:3 -o a.csv", 2, &["scale = 1e5km:3", "mass"]);
    place.bad("ic solar-system --scale 1:1 -o a.csv", 2, &["scale", "msun-au-day"]);
    place.good("ic solar-system --units si -o sun.csv");
    // the nominal GM of the Sun over CODATA's G
    let sun = read(&place, "sun.csv").bodies.mass[0];
    assert!((sun / 1.988_4e30 - 1.0).abs() < 1e-4, "{sun:e}");
}

#[test]
fn files_are_written_as_convert_writes_them() {
    let place = Place::new();
    place.good("ic plummer -n 100 -o a.hdf5");
    for (words, name) in [("--precision f32", "s.hdf5"), ("--tipsy nvidia", "n.tipsy"), ("--to nemo", "b.dat")] {
        place.good(&format!("ic plummer -n 100 {words} -o {name}"));
        place.good(&format!("convert a.hdf5 c.{name} {words}"));
        assert!(place.bytes(name) == place.bytes(&format!("c.{name}")), "{words}");
    }
    place.good("ic plummer -n 100 --columns mass-last -o t.txt");
    place.good("convert a.hdf5 c.txt --to-columns mass-last");
    assert!(place.bytes("t.txt") == place.bytes("c.txt"));
    place.bad("ic plummer -n 100 -o u.txt", 2, &["columns", "mass-first"]);
    place.bad("ic plummer -n 100 -o a.hdf5", 2, &["a.hdf5", "--force"]);
    place.bad("ic plummer -n 100 -o a.docx", 2, &["a.docx", ".hdf5"]);
    let outcome = place.good("ic plummer -n 7 -o a.hdf5 --force --json");
    let [told] = &outcome.json()[..] else { panic!("{:?}", outcome.lines) };
    assert_eq!((&told["n"], &told["model"], &told["units"]), (&7.into(), &"plummer".into(), &"henon".into()));
    assert_eq!(told["bytes"].as_u64(), Some(place.bytes("a.hdf5").len() as u64));
}
