//! `manybody force`: forces computed by hand, and their output.

mod common;

use common::{Place, event};

fn rows(place: &Place, name: &str) -> Vec<Vec<f64>> {
    let text = String::from_utf8(place.bytes(name)).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("id,ax,ay,az,pot"));
    lines.map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect()
}

/// Masses 3 and 1 at distance 2 along x: a = G m / r^2, phi = -G m / r, all exact in binary.
#[test]
fn forces_on_a_pair() {
    let place = Place::new();
    place.write("pair.csv", "id,mass,x,y,z,vx,vy,vz\n7,3,1,0,0,0,0,0\n5,1,3,0,0,0,0,0\n");
    for solver in ["reference", "direct", "symmetric"] {
        place.good(&format!("force pair.csv -o f.csv --force --solver {solver}"));
        let exact = [[7.0, 0.25, 0.0, 0.0, -0.5], [5.0, -0.75, 0.0, 0.0, -1.5]];
        for (row, exact) in rows(&place, "f.csv").iter().zip(exact) {
            // the reciprocal square root of the fast paths: a few units in the last place
            assert!(row.iter().zip(exact).all(|(a, b)| (a - b).abs() <= 4.0e-15), "{solver}: {row:?} {exact:?}");
        }
    }
    // eps^2 = 5: r^2 + eps^2 = 9
    place.good("force pair.csv -o g.csv --force --eps 2.23606797749979");
    let soft = rows(&place, "g.csv");
    assert!((soft[0][1] - 2.0 / 27.0).abs() < 1e-15 && (soft[0][4] + 1.0 / 3.0).abs() < 1e-15, "{soft:?}");
}

/// Each format keeps the softening of a run, with which `force` and `info` compute; tipsy as that of each body.
#[test]
fn a_runs_softening_is_kept_in_every_format() {
    let place = Place::new();
    let run = "run -n 100 --dt 1/64 --t-end 1/32 --snapshot-every 1/64 --eps 1/4 --out";
    for extension in ["hdf5", "csv", "nemo", "tipsy"] {
        place.good(&format!("{run} {extension}.{extension}"));
        for name in [extension.to_owned(), format!("{extension}.0001")] {
            place.good(&format!("force {name}.{extension} -o own.csv --force"));
            place.good(&format!("force {name}.{extension} -o given.csv --force --eps 1/4"));
            for (own, given) in rows(&place, "own.csv").iter().zip(rows(&place, "given.csv")) {
                assert_eq!(own, &given, "{name}");
            }
        }
    }
    place.good("convert hdf5.hdf5 converted.tipsy");
    for variant in ["nvidia", "native"] {
        place.good(&format!("convert hdf5.hdf5 {variant}.tipsy --tipsy {variant}"));
        let outcome = place.good(&format!("force {variant}.tipsy -o own.csv --force"));
        // equal softenings are one for all, which every solver has
        place.good(&format!("force {variant}.tipsy -o fmm.csv --force --solver fmm"));
        assert!(outcome.text.contains("eps = 0.25, that of all bodies of the file"), "{}", outcome.text);
    }
    let energy = |name: &str| {
        let said = place.good(&format!("info {name}")).text;
        said.lines().find(|line| line.starts_with("virial ratio")).map(str::to_owned)
    };
    assert!(energy("hdf5.hdf5").is_some());
    assert_eq!(energy("converted.tipsy"), energy("hdf5.hdf5"));
}

/// An error that the precision explains is a warning where the numbers are of no use, in `force` and in `run`.
#[test]
fn large_errors_that_the_precision_explains_are_warnings() {
    let place = Place::new();
    let body = |far: f64, x: f64, y: f64| format!("1,{},{y},0,0,0,0\n", far + x);
    let two = |far: f64| {
        let near = |far| body(far, 0.0, 0.0) + &body(far, 1.0, 0.0) + &body(far, 0.3, 0.7);
        format!("mass,x,y,z,vx,vy,vz\n{}{}", near(0.0), near(far))
    };
    place.write("two.csv", &two(1e8));
    let of = |words: &str| {
        let outcome = place.good(&format!("force two.csv -o f.csv --force --eps 0.01 --json {words}"));
        let force = event(&outcome.json(), "force").clone();
        (force["warnings"].as_array().unwrap().len(), outcome.text)
    };
    let (warnings, said) = of("--precision f32");
    assert!(warnings == 1 && said.contains("warning: accelerations are off by up to"), "{said}");
    assert!(said.contains("--precision mixed and f64 have more"), "{said}");
    for words in ["", "--solver reference", "--precision mixed --solver direct"] {
        let (warnings, said) = of(words);
        assert!(warnings == 0 && !said.contains("warning"), "{words}: {said}");
    }
    let run =
        "run two.csv --eps 0.01 --dt 1/1024 --t-end 1/512 --snapshot-every 1/512 --precision f32 --json --out r.hdf5";
    let outcome = place.good(run);
    let summary = outcome.json().into_iter().rfind(|line| !line["warnings"].is_null()).unwrap();
    assert!(summary["warnings"].to_string().contains("accelerations are off"), "{summary}");
    // one body far away moves the centre of mass, and costs the others no digit
    let four = |far: f64| two(far).lines().take(5).map(|line| format!("{line}\n")).collect::<String>();
    place.write("far.csv", &four(1e10));
    place.good("force far.csv -o f.csv --force --eps 0.01");
    place.good("force far.csv -o g.csv --force --eps 0.01 --solver reference");
    for (row, exact) in rows(&place, "f.csv").iter().zip(rows(&place, "g.csv")) {
        assert!(row.iter().zip(&exact).all(|(a, b)| (a - b).abs() <= 4e-15), "{row:?} {exact:?}");
    }
    // no unit holds all of these
    place.write("farther.csv", &four(1e200));
    for words in ["", "--solver reference", "--precision f32"] {
        place.bad(&format!("force farther.csv -o h.csv --eps 0.01 {words}"), 1, &["body"]);
    }
    assert!(!place.names().contains(&"h.csv".to_owned()));
}

#[test]
fn precision_shows_in_the_error() {
    let place = Place::new();
    place.good("run -n 1000 --t-end 0 --out b.hdf5");
    let error = |words: &str| {
        let outcome = place.good(&format!("force b.hdf5 -o f.csv --force --eps 1/64 --json {words}"));
        let lines = outcome.json();
        assert_eq!(lines.len(), 1);
        assert!(outcome.text.contains("median") && outcome.text.contains("interactions/s"), "{}", outcome.text);
        let force = event(&lines, "force");
        assert_eq!((&force["n"], &force["error"]["sample"]), (&1000.into(), &256.into()));
        force["error"]["max"].as_f64().unwrap()
    };
    // sums of 1000 terms in f64, compared with compensated sums
    assert!(error("--solver reference") < 1e-14);
    // 24 and 53 bits, and sums of 1000 terms
    let (single, double) = (error("--precision f32"), error(""));
    assert!((1.0e-9..5.0e-6).contains(&single), "{single:e}");
    assert!((1.0e-18..1.0e-13).contains(&double), "{double:e}");
    assert_eq!(rows(&place, "f.csv").len(), 1000);
}

/// A user's file with the columns of ours is the user's; an empty one holds nothing to lose.
#[test]
fn an_output_that_exists_is_replaced_only_by_force() {
    let place = Place::new();
    place.write("pair.csv", "id,mass,x,y,z,vx,vy,vz\n7,3,1,0,0,0,0,0\n5,1,3,0,0,0,0,0\n");
    let mine = "id,ax,ay,az,pot\n1,0.5,0,0,-1\n# measured by hand\n";
    place.write("f.csv", mine);
    place.bad("force pair.csv -o f.csv", 2, &["f.csv", "the file exists", "--force"]);
    assert_eq!(place.bytes("f.csv"), mine.as_bytes());
    place.good("force pair.csv -o f.csv --force");
    assert_eq!(rows(&place, "f.csv").len(), 2);
    place.write("empty.csv", "");
    place.good("force pair.csv -o empty.csv");
    assert_eq!(rows(&place, "empty.csv").len(), 2);
}

#[test]
fn no_bodies_and_bad_words() {
    let place = Place::new();
    place.write("none.csv", "id,mass,x,y,z,vx,vy,vz\n");
    place.good("force none.csv -o f.csv --force");
    assert_eq!(rows(&place, "f.csv"), Vec::<Vec<f64>>::new());
    // the columns of a file do not say whose it is
    let before = place.bytes("none.csv");
    place.bad("force none.csv -o none.csv", 2, &["none.csv", "the file exists", "--force"]);
    place.bad("force none.csv -o none.hdf5", 2, &["none.hdf5", ".csv"]);
    place.bad("force none.csv -o none.csv --force", 2, &["none.csv", "file that is read"]);
    assert!(place.bytes("none.csv") == before);
    place.write("other.csv", "id,q\n");
    place.bad("force none.csv -o other.csv", 2, &["other.csv", "--force"]);
    place.good("force none.csv -o other.csv --force");
    place.write("plain.txt", "1 0 0 0 0 0 0\n");
    place.bad("force plain.txt -o f.csv --force", 2, &["columns", "mass-first"]);
    place.good("force plain.txt -o f.csv --force --columns mass-first");
    assert_eq!(rows(&place, "f.csv"), [[0.0; 5]]);
    place.bad("force missing.csv -o f.csv --force", 2, &["missing.csv"]);
    place.bad("force none.csv", 2, &["--out"]);
    place.bad("force none.csv -o f.csv --force --eps=-1", 2, &["eps", "-1"]);
    place.bad("force none.csv -o f.csv --force --solver magic", 2, &["magic", "symmetric"]);
    place.bad("force none.csv -o f.csv --force --precision f16", 2, &["f16", "f32"]);
    place.bad("force none.csv -o none/f.csv", 2, &["none/f.csv"]);
}
