//! Collisions and escapes in `manybody run`: resumes, tables, other runs' tables, devices, and what is refused.

mod common;

use common::{Place, event};

/// 200 bodies of which about ten merge up to t = 1.
const CLUSTER: &str =
    "run -n 200 --collisions merge --radius 0.01 --t-end 1 --snapshot-every 1/4 --log 1/4 --out b.hdf5";

fn text(place: &Place, file: &str) -> String {
    String::from_utf8(place.bytes(file)).unwrap()
}

/// The lines of a table of events.
fn rows(place: &Place, file: &str) -> Vec<Vec<String>> {
    let text = text(place, file);
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// By every scheme, and beside a GPU, a run that is resumed from any of its snapshots ends with the same bytes, those of
/// its tables, too; on one thread and on two.
#[test]
fn runs_with_mergers_are_resumed() {
    let place = Place::new();
    for scheme in [
        "leapfrog --eps 1/64 --dt 1/64",
        "yoshida4 --eps 1/64 --dt 1/64",
        "hermite4 --eps 0 --dt 1/16",
        "hermite6 --eps 0 --dt 1/16",
        "hermite4 --eps 0 --dt 1/16 --time-steps shared",
        "hermite4 --eps 0 --dt 1/16 --pairs kepler",
        "leapfrog --eps 1/64 --dt 1/32 --device wgpu --precision f32",
        "leapfrog --eps 1/64 --dt 1/64 --device cuda",
        "hermite4 --eps 1/64 --dt 1/16 --device cuda",
    ] {
        let device = ["wgpu", "cuda"].into_iter().find(|device| scheme.contains(device));
        if device.is_some_and(|device| !place.has_device(device)) {
            continue;
        }
        let words = format!("{CLUSTER} --integrator {scheme} --overwrite");
        place.good(&format!("{words} --threads 1"));
        let files = ["b.hdf5", "b.events.csv", "b.csv"];
        let whole = files.map(|file| place.bytes(file));
        let found = rows(&place, "b.events.csv");
        assert!(found.len() >= 5, "{scheme}: {found:?}");
        let bodies = manybody::snapshot::read(place.path("b.hdf5")).unwrap().bodies;
        assert_eq!(bodies.len() + found.len(), 200, "{scheme}");
        let all = ["b.0001.hdf5", "b.0000.hdf5", "b.0003.hdf5"];
        for from in if scheme == "leapfrog --eps 1/64 --dt 1/64" { &all[..] } else { &all[..1] } {
            std::fs::remove_file(place.path("b.hdf5")).unwrap();
            place.good(&format!("run --resume {from} --threads 2"));
            for (file, whole) in files.iter().zip(&whole) {
                assert!(place.bytes(file) == *whole, "{scheme}: {file} from {from}");
            }
        }
        // the description repeats it
        place.good("run b.toml");
        assert!(files.map(|file| place.bytes(file)) == whole, "{scheme}");
    }
}

/// What the events change of the energy is in the summary, and the error of the run is that of its orbits: it falls with
/// dt as the scheme's.
#[test]
fn mergers_are_no_error_of_the_energy() {
    let place = Place::new();
    let mut errors = Vec::new();
    for dt in ["1/256", "1/1024"] {
        let words = format!("{CLUSTER} --integrator leapfrog --eps 1/32 --dt {dt} --overwrite --json");
        let outcome = place.good(&words);
        let lines = outcome.json();
        let end = event(&lines, "end").clone();
        let mergers: Vec<f64> = lines
            .iter()
            .filter(|line| line["event"] == "merger")
            .map(|line| line["energy"].as_f64().unwrap())
            .collect();
        assert_eq!(end["events"], mergers.len());
        let sum: f64 = mergers.iter().sum();
        assert!((end["events_energy"].as_f64().unwrap() - sum).abs() < 1e-15 && sum.abs() > 1e-4, "{end}");
        let column = rows(&place, "b.events.csv").iter().map(|row| row[14].parse::<f64>().unwrap()).sum::<f64>();
        assert!((column - sum).abs() < 1e-15);
        errors.push(end["drift"]["energy"].as_f64().unwrap().abs());
        // the line at the end of the table says the same
        let last = text(&place, "b.csv").lines().last().unwrap().split(',').nth(5).unwrap().parse::<f64>().unwrap();
        assert!((last.abs() / errors[errors.len() - 1] - 1.0).abs() < 1e-12); // JSON is read to the last digit but one
    }
    // 16 for order 2, mergers a step earlier or later
    assert!(errors[1] < errors[0] / 4.0 && errors[1] < 1e-4, "{errors:?}");
    let said = place.good(&format!("{CLUSTER} --integrator leapfrog --eps 1/32 --dt 1/256 --overwrite")).text;
    assert!(said.contains("by events") && said.contains("have merged"), "{said}");
}

/// Bodies with radii of their own that touch at the pericentre merge, also where the pair could move by Kepler's solution,
/// and those that do not touch stay two; a body that is as fast as two radii a step is not missed.
#[test]
fn pairs_touch_or_not() {
    let place = Place::new();
    // two pairs of e = 0.5, a = 1e-3, at apocentre; the pericentre is 5e-4; and a massless body that flies through a large one
    let head = "# time = 0\n# units = g1\nid,mass,x,y,z,vx,vy,vz,radius\n";
    let pair = |id: u32, x: f64, radius: f64| {
        let v = (1.0 / 1.5e-3_f64 * (1.0 - 0.5)).sqrt() / 2.0;
        let one = |id: u32, side: f64| format!("{id},0.5,{},0,0,0,{},0,{radius}\n", x + side * 0.75e-3, side * v);
        one(id, -1.0) + &one(id + 1, 1.0)
    };
    let text = format!("{head}{}{}", pair(0, -50.0, 3e-4), pair(2, 50.0, 2e-4));
    place.write("pairs.csv", &text);
    for pairs in ["resolved", "kepler"] {
        let words = "run pairs.csv --integrator hermite4 --eps 0 --dt 1/64 --t-end 1/16 --collisions merge --overwrite";
        place.good(&format!("{words} --pairs {pairs} --out p.hdf5"));
        let found = rows(&place, "p.events.csv");
        assert_eq!(found.len(), 1, "{pairs}: {found:?}");
        assert_eq!((&found[0][2][..], &found[0][3][..], &found[0][4][..]), ("0", "1", "1.0"), "{pairs}");
        let left = manybody::snapshot::read(place.path("p.hdf5")).unwrap().bodies;
        assert_eq!(left.id, [0, 2, 3], "{pairs}");
    }
    place.write("fast.csv", &format!("{head}0,1,0,0,0,0,0,0,0.01\n1,0,-1,0.009,0,40,0,0,0\n2,0,-1,0.5,0,40,0,0,0\n"));
    for scheme in ["leapfrog", "hermite4 --time-steps constant"] {
        let words = format!("run fast.csv --integrator {scheme} --eps 1/8 --dt 1/64 --t-end 1/16 --collisions merge");
        place.good(&format!("{words} --overwrite --out f.hdf5"));
        let left = manybody::snapshot::read(place.path("f.hdf5")).unwrap().bodies;
        assert_eq!((&left.id[..], left.mass[0]), (&[0, 2][..], 1.0), "{scheme}");
    }
}

#[test]
fn escapers_are_removed() {
    let place = Place::new();
    place.good("ic plummer -n 100 --seed 5 -o s.csv");
    let bodies = text(&place, "s.csv");
    // their number and checksum are others
    let mut lines = vec!["# time = 0", "# units = henon"];
    lines.extend(bodies.lines().filter(|line| !line.starts_with('#')));
    let added: Vec<String> = (0..3).map(|k| format!("{},0.001,{},0,0,{},0,0", 1000 + k, 4 + k, k)).collect();
    lines.extend(added.iter().map(String::as_str));
    place.write("s.csv", &(lines.join("\n") + "\n"));
    for scheme in ["leapfrog", "hermite4"] {
        let words = format!("run s.csv --integrator {scheme} --eps 1/16 --dt 1/64 --t-end 2 --remove-escapers 4.5");
        let lines = place.good(&format!("{words} --out e.hdf5 --overwrite --json")).json();
        let escapes: Vec<_> = lines.iter().filter(|line| line["event"] == "escape").collect();
        // with speeds of 1 and 2, where sqrt(2 M / r) is 0.6; the one at rest falls
        let ids: Vec<u64> = escapes.iter().map(|line| line["id"].as_u64().unwrap()).collect();
        assert!(ids.contains(&1001) && ids.contains(&1002) && !ids.contains(&1000), "{ids:?}");
        assert!(escapes.iter().all(|line| line["speed"].as_f64().unwrap() > 0.5));
        let end = event(&lines, "end");
        let drift = &end["drift"];
        assert!(drift["energy"].as_f64().unwrap().abs() < 1e-4 && drift["momentum"].as_f64().unwrap() < 1e-6, "{end}");
        assert_eq!(manybody::snapshot::read(place.path("e.hdf5")).unwrap().bodies.len() + ids.len(), 103);
    }
}

/// The table of an earlier run moves with its files, is removed with them, and no other file is replaced by one.
#[test]
fn tables_of_events_are_files_of_their_run() {
    let place = Place::new();
    let words = format!("{CLUSTER} --integrator leapfrog --eps 1/64 --dt 1/64");
    place.good(&words);
    let (first, table) = (place.bytes("b.events.csv"), rows(&place, "b.events.csv"));
    place.good(&words);
    assert!(place.bytes("b.old1.events.csv") == first && place.bytes("b.events.csv") == first);
    place.good(&format!("{words} --overwrite"));
    assert!(!place.path("b.old2.events.csv").exists() && place.bytes("b.events.csv") == first);
    // a part of the last line, as a kill leaves it, is cut off; so is what was after the snapshot
    std::fs::remove_file(place.path("b.hdf5")).unwrap();
    place.write("b.events.csv", &(String::from_utf8(first.clone()).unwrap() + "0.9,merger,1"));
    place.good("run --resume b.0003.hdf5");
    assert!(place.bytes("b.events.csv") == first);
    // a changed line is named, a missing table, too
    std::fs::remove_file(place.path("b.hdf5")).unwrap();
    let damaged = String::from_utf8(first.clone()).unwrap().replacen(&table[0][0], "0.03125", 1);
    place.write("b.events.csv", &damaged);
    place.bad("run --resume b.0003.hdf5", 2, &["b.events.csv", "line 6 differs from its checksum"]);
    std::fs::remove_file(place.path("b.events.csv")).unwrap();
    let outcome = place.good("run --resume b.0003.hdf5");
    assert!(outcome.text.contains("b.events.csv is missing"), "{}", outcome.text);
    place.write("other.events.csv", "mine\n");
    let other = words.replace("b.hdf5", "other.hdf5");
    place.bad(&other, 2, &["other.events.csv", "give another --out"]);
    assert_eq!(text(&place, "other.events.csv"), "mine\n");
}

#[test]
fn what_cannot_be_is_refused() {
    let place = Place::new();
    let run = "run -n 100 --dt 1/64 --t-end 1 --out x.hdf5";
    for (words, parts) in [
        ("--collisions merge", &["radius", "--radius"][..]),
        ("--collisions bounce --radius 1", &["collisions", "bounce", "merge"]),
        ("--radius 0.1", &["radius", "--collisions"]),
        ("--collisions merge --radius 0", &["radius = 0", "above 0"]),
        ("--collisions merge --radius -1", &["radius = -1", "above 0"]),
        ("--remove-escapers 0", &["remove-escapers = 0", "above 0"]),
        ("--remove-escapers 3 --field nfw:m=3,a=1", &["remove-escapers", "field"]),
        ("--collisions merge --radius 1 --eps 0 --integrator hermite4 --pairs chain", &["collisions", "--pairs chain"]),
        ("--collisions merge --radius 1 --law newton.txt", &["collisions", "gravity"]),
    ] {
        place.write("newton.txt", "body x[3], m; d = j.x - i.x; sum acc = j.m * d / (dot(d, d) + 1)^1.5\n");
        place.bad(&format!("{run} {words}"), 2, parts);
    }
    place.write("bad.csv", "id,mass,x,y,z,vx,vy,vz,radius\n1,1,0,0,0,0,0,0,0.1\n5,1,1,0,0,0,0,0,-0.1\n");
    let bad = "run bad.csv --dt 1/64 --t-end 1 --eps 0 --collisions merge --out x.hdf5";
    place.bad(bad, 2, &["body 1 (id 5)", "radius", "-0.1"]);
    assert!(!place.path("x.hdf5").exists() && !place.path("x.events.csv").exists());
}
