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
        "hermite4 --eps 0 --dt 1/16 --pairs chain",
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

/// Few bodies, of which some merge, by ar-chain.
#[test]
fn few_bodies_that_merge_are_resumed() {
    let place = Place::new();
    let words = "run -n 20 --seed 2 --integrator ar-chain --eps 0 --dt 1/16 --collisions merge --radius 0.06 --t-end 1";
    place.good(&format!("{words} --snapshot-every 1/8 --out b.hdf5 --threads 1"));
    let whole = ["b.hdf5", "b.events.csv"].map(|file| place.bytes(file));
    let found = rows(&place, "b.events.csv");
    assert!(found.len() >= 2, "{found:?}");
    // at the moment of contact, not at the end of a step
    let times = found.iter().map(|row| row[0].parse::<f64>().unwrap());
    assert!(times.map(|time| (16.0 * time).fract()).all(|rest| rest > 0.0), "{found:?}");
    for from in 0..8 {
        std::fs::remove_file(place.path("b.hdf5")).unwrap();
        place.good(&format!("run --resume b.{from:04}.hdf5 --threads 2"));
        assert!(["b.hdf5", "b.events.csv"].map(|file| place.bytes(file)) == whole, "from {from}");
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
    for pairs in ["resolved", "kepler", "chain", "ar-chain"] {
        let words = "run pairs.csv --eps 0 --dt 1/64 --t-end 1/16 --collisions merge --overwrite --out p.hdf5";
        place.good(&match pairs {
            "ar-chain" => format!("{words} --integrator ar-chain"),
            _ => format!("{words} --integrator hermite4 --pairs {pairs}"),
        });
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

/// The description of a run belongs to the radii that it began with.
#[test]
fn other_radii_are_other_bodies() {
    let place = Place::new();
    let file = |radius: f64| {
        let head = "# time = 0\n# units = g1\nid,mass,x,y,z,vx,vy,vz,radius\n";
        place.write("a.csv", &format!("{head}1,1,0,0,0,0,0,0,{radius}\n2,1,1,0,0,0,1,0,{radius}\n"));
    };
    file(0.1);
    place.good("run a.csv --collisions merge --eps 0 --dt 1/64 --t-end 1/4 --out b.hdf5");
    place.good("run b.toml");
    file(0.2);
    place.bad("run b.toml", 2, &["initial-state", "the file has changed"]);
    place.good("run a.csv --collisions merge --radius 0.1 --eps 0 --dt 1/64 --t-end 1/4 --out c.hdf5");
    file(0.3);
    place.good("run c.toml");
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

/// What a merger changes of the forces on others is no error of block schemes: momentum is kept as without mergers, where
/// before it was lost in proportion to dt (2.5e-5 with 1/128, 6.5e-6 with 1/512).
#[test]
fn mergers_keep_the_order_of_block_schemes() {
    let place = Place::new();
    for scheme in ["hermite4", "hermite6", "hermite6-3pt", "hermite4 --time-steps shared"] {
        let words =
            format!("run -n 60 --seed 3 --integrator {scheme} --eps 0.02 --collisions merge --radius 0.02 --t-end 1");
        let lines = place.good(&format!("{words} --dt 1/512 --audit 0 --json --overwrite --out b.hdf5")).json();
        let end = event(&lines, "end");
        assert!(end["events"].as_u64().unwrap() >= 3, "{scheme}: {end}");
        let drift = |name: &str| end["drift"][name].as_f64().unwrap().abs();
        assert!(drift("momentum") < 2e-8 && drift("energy") < 1e-6, "{scheme}: {end}");
    }
}

/// Cases that were wrong once: see each.
#[test]
fn bodies_that_are_left_go_on() {
    let place = Place::new();
    let head = "# time = 0\n# units = g1\nid,mass,x,y,z,vx,vy,vz,radius\n";
    let write = |name: &str, rows: &str| place.write(name, &format!("{head}{rows}"));
    // all that pulled has left: the body that stays had the derivatives of before, and a step of 0
    write("l.csv", "1,1,0,0,0,0,0,0,0\n2,0.1,3,0,0,3,0,0,0\n");
    for scheme in ["leapfrog", "hermite4", "hermite6", "hermite6-3pt"] {
        let words = format!("run l.csv --integrator {scheme} --remove-escapers 3.5 --eps 0 --dt 1/64 --t-end 2");
        place.good(&format!("{words} --overwrite --out l.hdf5"));
        assert_eq!(manybody::snapshot::read(place.path("l.hdf5")).unwrap().bodies.id, [1]);
    }
    // all become one: an energy of about 0 is expected, which errors were relative to
    let words = "run -n 100 --seed 2 --collisions merge --radius 100 --eps 0.01 --dt 1/64 --t-end 1/2";
    let outcome = place.good(&format!("{words} --max-energy-error 1e-2 --out one.hdf5"));
    assert!(!outcome.text.contains("warning"), "{}", outcome.text);
    // the smallest step was that of a body by its place before others were removed
    let words = "run -n 100 --seed 2 --collisions merge --radius 1 --eps 0.01 --dt 1/64 --t-end 1 --explain";
    place.good(&format!("{words} --integrator hermite4 --out explained.hdf5"));
    // a light body bound to another one, whose centre of mass is bound to the whole
    write("e.csv", "1,1,0,0,0,0,0,0,0\n2,0.01,20,0,0,0.287,0,0,0\n3,0.0001,20,0.11,0,0.59,0,0,0\n");
    place.good("run e.csv --remove-escapers 10 --eps 0 --integrator hermite4 --dt 1/64 --t-end 1 --out e.hdf5");
    assert_eq!(rows(&place, "e.events.csv").len(), 0);
    // a body that is too light to perturb a pair which moves as one passes over it
    write("k.csv", "1,0.5,-0.005,0,0,0,-5,0,1e-5\n2,0.5,0.005,0,0,0,5,0,1e-5\n3,1e-9,-2,0.3,0,1.5,0,0,0.5\n");
    for pairs in ["resolved", "kepler"] {
        let words = "run k.csv --collisions merge --eps 0 --integrator hermite4 --dt 1/64 --t-end 1.25 --overwrite";
        place.good(&format!("{words} --pairs {pairs} --out k.hdf5"));
        assert!(!rows(&place, "k.events.csv").is_empty(), "{pairs}");
    }
    // a third body passes through the sum later in the same step
    write("f.csv", "1,1e-9,0,0,0,0,0,0,0.01\n2,1e-10,-0.03,0,0,1,0,0,0.01\n3,1e-10,0,-1,0,0,20,0,0.01\n");
    for dt in ["1/8", "1/256"] {
        let words = "run f.csv --collisions merge --eps 0.001 --t-end 1/4 --overwrite --out f.hdf5";
        place.good(&format!("{words} --dt {dt}"));
        assert_eq!(rows(&place, "f.events.csv").len(), 2, "{dt}");
    }
}

/// Bodies without mass change no bit of the others, also where they become a part of these.
#[test]
fn massless_bodies_leave_the_bits_of_others() {
    let place = Place::new();
    place.good("ic plummer -n 30 --seed 1 -o s.csv");
    let bodies = text(&place, "s.csv");
    let massive: Vec<&str> = bodies.lines().filter(|line| !line.starts_with('#')).skip(1).collect();
    let head = "# time = 0\n# units = henon\nid,mass,x,y,z,vx,vy,vz,radius\n";
    let with = |line: &str, radius: &str| format!("{line},{radius}\n");
    let rows: String = massive.iter().map(|line| with(line, "0.001")).collect();
    let beside: String = massive
        .iter()
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let x: f64 = fields[2].parse().unwrap();
            format!("1{},0,{},{},0\n", fields[0], x + 0.01, fields[3..].join(","))
        })
        .collect();
    place.write("a.csv", &format!("{head}{rows}"));
    place.write("b.csv", &format!("{head}{rows}{beside}"));
    for scheme in ["leapfrog", "hermite4", "hermite6", "hermite6-3pt"] {
        let state = |file: &str| {
            let words =
                format!("run {file}.csv --integrator {scheme} --eps 1/64 --dt 1/64 --t-end 1/2 --collisions merge");
            place.good(&format!("{words} --overwrite --audit 0 --out {file}.hdf5"));
            let bodies = manybody::snapshot::read(place.path(&format!("{file}.hdf5"))).unwrap().bodies;
            let massive = (0..bodies.len()).filter(|k| bodies.mass[*k] > 0.0);
            massive.map(|k| (bodies.id[k], bodies.position(k), bodies.velocity(k))).collect::<Vec<_>>()
        };
        assert_eq!(state("a"), state("b"), "{scheme}");
        assert!(self::rows(&place, "b.events.csv").len() >= 5, "{scheme}");
    }
}

/// Events of the steps before one that fails are in the table, where the snapshot that is kept counts them.
#[test]
fn events_before_a_failure_are_written() {
    let place = Place::new();
    let head = "# time = 0\n# units = g1\nid,mass,x,y,z,vx,vy,vz,radius\n";
    let rows_of = "1,0.5,-0.39995,0,0,0,0,0,0.0002\n2,0.5,0.39995,0,0,0,0,0,0.0002\n\
                   3,0.5,99.6,0,0,0,0,0,0\n4,0.5,100.4,0,0,0,0,0,0\n";
    place.write("s.csv", &format!("{head}{rows_of}"));
    let words = "run s.csv --collisions merge --eps 0 --integrator hermite4 --dt 1/4096 --t-end 1 --out s.hdf5";
    place.bad(words, 1, &["needs a time step below"]);
    let kept = manybody::snapshot::read(place.path("s.0001.hdf5")).unwrap();
    assert_eq!((kept.bodies.len(), &kept.meta["run.events"][..]), (3, "1"));
    assert_eq!(rows(&place, "s.events.csv").len(), 1);
}

/// Where dt is no power of two, an event at the end of a step has the time of the snapshot there.
#[test]
fn events_at_the_time_of_a_snapshot_belong_to_it() {
    let place = Place::new();
    let words =
        "run -n 100 --seed 3 --collisions merge --radius 0.02 --eps 0.02 --integrator hermite6 --dt 0.1 --t-end 2";
    place.good(&format!("{words} --snapshot-every 0.1 --out b.hdf5"));
    let whole = place.bytes("b.events.csv");
    assert!(rows(&place, "b.events.csv").len() >= 8);
    for k in (1..20).step_by(2) {
        std::fs::remove_file(place.path("b.hdf5")).unwrap();
        let outcome = place.good(&format!("run --resume b.{k:04}.hdf5"));
        assert!(place.bytes("b.events.csv") == whole && !outcome.text.contains("missing"), "{k}: {}", outcome.text);
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
    // back behind the beginning of the new table: it begins again there
    std::fs::remove_file(place.path("b.hdf5")).unwrap();
    place.good("run --resume b.0001.hdf5");
    let kept = manybody::snapshot::read(place.path("b.0001.hdf5")).unwrap().meta["run.events"].clone();
    assert!(text(&place, "b.events.csv").contains(&format!("# events before = {kept}\n")));
    // a finished run names what is damaged
    place.good("run --resume b.hdf5");
    let changed = text(&place, "b.events.csv").replacen("merger", "merges", 1);
    place.write("b.events.csv", &changed);
    let outcome = place.good("run --resume b.hdf5");
    assert!(
        outcome.text.contains("b.events.csv") && outcome.text.contains("differs from its checksum"),
        "{}",
        outcome.text
    );
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
