//! What viewers see.

use crate::common::Place;
use crate::served::Served;
use serde_json::json;

#[test]
fn frames_show_the_bodies_of_the_file() {
    let place = Place::new();
    place.good("ic plummer -n 1000 --seed 5 -o a.hdf5");
    let bodies = manybody::snapshot::read(place.path("a.hdf5")).unwrap().bodies;
    let served = Served::start(&place, "view a.hdf5");
    let mut viewer = served.viewer();
    let hello = viewer.words("hello", |_| true);
    assert_eq!((&hello["bodies"], &hello["kind"]), (&json!(1000), &json!("snapshots")));
    let frame = viewer.frame(|_| true);
    let cast = viewer.cast.as_ref().unwrap();
    assert_eq!((frame.position.len(), cast.id.len()), (1000, 1000));
    // half a cell of the box, and what rounding of f64 adds
    let most = 0.5 * frame.header[11] / f64::from((1 << 21) - 1) + 1e-12;
    let (_, drift) = bodies.center_of_mass();
    let [low, high] = [frame.header[18], frame.header[19]];
    for i in 0..1000 {
        for (shown, own) in frame.position[i].into_iter().zip(bodies.position(i)) {
            assert!((shown - own).abs() <= most, "{i}: {shown} {own}");
        }
        assert_eq!((cast.id[i], cast.mass[i]), (bodies.id[i] as f64, bodies.mass[i]));
        let v = bodies.velocity(i);
        let speed = [0, 1, 2].map(|k| (v[k] - drift[k]) * (v[k] - drift[k])).iter().sum::<f64>().sqrt();
        let level = 255.0 * ((speed - low) / (high - low)).clamp(0.0, 1.0);
        assert!((level - f64::from(frame.speed[i])).abs() <= 0.5 + 1e-6, "{i}: {level}");
    }
    viewer.say(&json!({ "body": 7 }));
    let body = viewer.words("body", |_| true);
    for (k, q) in bodies.position(7).into_iter().enumerate() {
        // serde_json reads to the last bit but one
        assert!((body["position"][k].as_f64().unwrap() - q).abs() <= f64::EPSILON * q.abs(), "{body}");
    }
    assert_eq!(body["id"], json!(bodies.id[7].to_string()));
    viewer.say(&json!({ "body": 1000 }));
    assert!(viewer.words("body", |_| true).is_null());
    assert_eq!(served.interrupt().0, Some(130));
}

#[test]
fn a_series_is_played_and_sought() {
    let place = Place::new();
    place.good("run --ic plummer -n 200 --t-end 1 --snapshot-every 1/4 --device cpu --out b.hdf5");
    let served = Served::start(&place, "view b.0000.hdf5 b.0001.hdf5 b.0002.hdf5 b.0003.hdf5 b.hdf5");
    let mut viewer = served.viewer();
    assert_eq!(viewer.words("hello", |_| true)["files"].as_array().unwrap().len(), 5);
    let last = viewer.frame(|frame| frame.header[7] == 4.0);
    assert_eq!((last.time(), last.step()), (1.0, 128.0));
    // energy and its error as the run has kept them
    let meta = manybody::snapshot::read(place.path("b.hdf5")).unwrap().meta;
    assert_eq!(last.header[5].to_string(), meta["run.error.energy"].parse::<f64>().unwrap().to_string());
    viewer.words("status", |status| status["playing"] == false);
    viewer.say(&json!({ "seek": 2 }));
    assert_eq!(viewer.frame(|frame| frame.header[7] == 2.0).time(), 0.5);
    viewer.say(&json!("step"));
    assert_eq!(viewer.frame(|frame| frame.header[7] == 3.0).time(), 0.75);
    viewer.say(&json!({ "seek": 99 }));
    viewer.frame(|frame| frame.header[7] == 4.0);
    viewer.say(&json!("play"));
    viewer.frame(|frame| frame.header[7] == 0.0);
    drop(served);
    let error = place.bad("view b.hdf5 missing.hdf5 --serve nonsense", 2, &["--serve", "must be a port"]);
    assert!(!error.contains("live view:"));
    place.bad("view missing.hdf5", 2, &["missing.hdf5"]);
}

#[test]
fn an_energy_error_is_shown_as_soon_as_it_is_measured() {
    let place = Place::new();
    // soon after the start: a hundredth of this run takes hours
    let words = "run --ic plummer -n 256 --dt 1/512 --t-end 1e6 --serve --control --paused --device cpu";
    let served = Served::start(&place, words);
    let mut viewer = served.viewer();
    assert_eq!(viewer.frame(|_| true).header[5], 0.0);
    viewer.say(&json!("play"));
    // NaN until then: it is not 0 any more
    let known = viewer.frame(|frame| {
        let error = frame.header[5];
        assert!(frame.step() == 0.0 || error != 0.0, "an error that was not measured, at step {}", frame.step());
        frame.step() > 0.0 && !error.is_nan()
    });
    assert!(known.header[5].abs() < 1e-3 && known.header[4] < 0.0, "{:?}", &known.header[4..6]);
}

/// Bodies that merge are gone from the view, and the sum is in it with its mass.
#[test]
fn mergers_are_shown() {
    let place = Place::new();
    let words = "run --ic plummer -n 200 --eps 1/64 --dt 1/128 --t-end 1e6 --collisions merge --radius 0.02";
    let served = Served::start(&place, &format!("{words} --serve --control --paused --device cpu"));
    let mut viewer = served.viewer();
    assert_eq!(viewer.frame(|_| true).position.len(), 200);
    viewer.say(&json!("play"));
    let frame = viewer.frame(|frame| frame.position.len() < 190);
    let cast = viewer.cast.as_ref().unwrap();
    assert_eq!((cast.id.len(), cast.mass.len()), (frame.position.len(), frame.position.len()));
    assert!((cast.mass.iter().sum::<f64>() - 1.0).abs() < 1e-12 && cast.mass.iter().any(|mass| *mass > 0.0099));
    viewer.say(&json!({ "body": 180 }));
    viewer.words("body", |_| true);
}

/// A CSV file of bodies in a row: their ids, masses and groups.
fn row(place: &Place, name: &str, bodies: &[(u64, f64, u8)]) {
    let line = |(k, (id, mass, group)): (usize, &(u64, f64, u8))| format!("{id},{mass:?},{k},0,0,0,0,0,{group}\n");
    let lines: String = bodies.iter().enumerate().map(line).collect();
    place.write(name, &format!("id,mass,x,y,z,vx,vy,vz,group\n{lines}"));
}

#[test]
fn a_series_shows_the_bodies_masses_and_groups_of_each_file() {
    let place = Place::new();
    let few: Vec<_> = (0..2).map(|id| (id, 1.0, 0)).collect();
    let many: Vec<_> = (0..100).map(|id| (id, 1.0, 0)).collect();
    let heavier: Vec<_> = many.iter().map(|(id, _, group)| (*id, 3.0 + *id as f64, *group)).collect();
    let grouped: Vec<_> = heavier.iter().map(|(id, mass, _)| (*id, *mass, (id % 5) as u8)).collect();
    let fewer = &grouped[..50];
    let files = [("a.csv", &few[..]), ("b.csv", &many), ("c.csv", &heavier), ("d.csv", &grouped), ("e.csv", fewer)];
    files.iter().for_each(|(name, bodies)| row(&place, name, bodies));
    let served = Served::start(&place, "view a.csv b.csv c.csv d.csv e.csv --paused");
    let mut viewer = served.viewer();
    viewer.frame(|frame| frame.index() == 0.0);
    // there and back: also what is in memory
    for index in [1, 2, 3, 4, 3, 2, 1, 0, 4, 1] {
        let bodies = files[index].1;
        viewer.say(&json!({ "seek": index }));
        let frame = viewer.frame(|frame| frame.index() == index as f64);
        let cast = viewer.cast.as_ref().unwrap();
        assert_eq!(frame.position.len(), bodies.len(), "{index}");
        assert_eq!(frame.header[23], bodies.len() as f64, "{index}");
        assert_eq!(cast.id, bodies.iter().map(|(id, ..)| *id as f64).collect::<Vec<_>>(), "{index}");
        assert_eq!(cast.mass, bodies.iter().map(|(_, mass, _)| *mass).collect::<Vec<_>>(), "{index}");
        let groups = bodies.iter().map(|(.., group)| *group).collect::<Vec<_>>();
        assert_eq!(cast.group, (groups[1] != groups[0]).then_some(groups), "{index}");
        let masses: f64 = bodies.iter().map(|(_, mass, _)| mass).sum();
        let centre = bodies.iter().enumerate().map(|(k, (_, mass, _))| mass * k as f64).sum::<f64>() / masses;
        // the same sum, in another order at most
        assert!((frame.header[12] - centre).abs() <= 1e-12 * centre, "{index}: {} {centre}", frame.header[12]);
        let last = bodies.len() - 1;
        viewer.say(&json!({ "body": last }));
        let body = viewer.words("body", |body| body["place"] == last);
        assert_eq!(body["id"], json!(bodies[last].0.to_string()));
        assert_eq!(body["mass"], json!(bodies[last].1));
    }
}

#[test]
fn a_page_hears_of_other_units_in_a_series() {
    let place = Place::new();
    place.good("ic plummer -n 10 --scale 1e4Msun:3pc -o a.hdf5");
    place.good("ic plummer -n 10 --scale 1e4Msun:3pc --units msun-pc-kms -o b.hdf5");
    let served = Served::start(&place, "view a.hdf5 b.hdf5 --paused");
    let mut viewer = served.viewer();
    assert!(viewer.words("hello", |_| true)["units"]["mass"].is_null());
    viewer.say(&json!({ "seek": 1 }));
    let units = &viewer.words("hello", |_| true)["units"];
    assert_eq!((&units["mass"], &units["time"]), (&json!("Msun"), &json!("Myr")));
    viewer.say(&json!({ "seek": 0 }));
    assert!(viewer.words("hello", |_| true)["units"]["mass"].is_null());
}

#[test]
fn files_that_cannot_be_shown_are_named_and_the_others_go_on() {
    let place = Place::new();
    place.good("ic plummer -n 100 -o a.csv");
    // as far as a header is read
    place.write("garbage.hdf5", "no HDF5");
    place.write("empty.hdf5", "");
    place.good("ic plummer -n 0 -o none.hdf5");
    for (name, part) in [("garbage.hdf5", "garbage.hdf5"), ("missing.csv", "missing.csv"), ("empty.hdf5", "empty.hdf5")]
    {
        place.bad(&format!("view a.csv {name} a.csv"), 2, &[part]);
    }
    place.bad("view a.csv none.hdf5", 2, &["none.hdf5", "it has no bodies"]);
    // what is found later
    place.write("late.csv", "id,mass,x,y,z,vx,vy,vz\n0,1,0,0,0,0,0,0\n1,1,zero,0,0,0,0,0\n");
    let served = Served::start(&place, "view a.csv late.csv a.csv --paused");
    let (mut viewer, mut second) = (served.viewer(), served.viewer());
    viewer.frame(|frame| frame.index() == 0.0);
    for _ in 0..2 {
        viewer.say(&json!({ "seek": 1 }));
        for viewer in [&mut viewer, &mut second] {
            let problem = viewer.words("status", |status| !status["problem"].is_null())["problem"].clone();
            assert_eq!(problem["index"], 1);
            let text = problem["text"].as_str().unwrap();
            assert!(text.contains("late.csv") && text.contains("zero"), "{text}");
        }
        viewer.say(&json!({ "seek": 2 }));
        viewer.frame(|frame| frame.index() == 2.0);
        viewer.words("status", |status| status["problem"].is_null());
        second.words("status", |status| status["problem"].is_null());
    }
    // a series plays on beyond it
    viewer.say(&json!({ "seek": 0 }));
    viewer.frame(|frame| frame.index() == 0.0);
    viewer.say(&json!("play"));
    viewer.frame(|frame| frame.index() == 2.0);
    // one that is mended is shown
    viewer.say(&json!({ "seek": 1 }));
    viewer.words("status", |status| !status["problem"].is_null());
    std::fs::copy(place.path("a.csv"), place.path("late.csv")).unwrap();
    viewer.say(&json!({ "seek": 1 }));
    viewer.frame(|frame| frame.index() == 1.0);
    let (status, text) = served.interrupt();
    assert_eq!(status, Some(130), "{text}");
    assert_eq!(text.matches("late.csv").count(), 1, "{text}");
}

#[test]
fn an_address_for_other_machines_can_be_typed_there() {
    let place = Place::new();
    place.good("ic plummer -n 10 -o a.hdf5");
    let served = Served::start(&place, "view a.hdf5 --serve 0.0.0.0:0");
    let (ip, port) = served.host.rsplit_once(':').unwrap();
    assert!(ip != "0.0.0.0" && port.parse::<u16>().unwrap() > 0, "{}", served.host);
    assert_eq!(served.viewer().frame(|_| true).position.len(), 10);
    let (_, text) = served.interrupt();
    assert_eq!(text.matches("not encrypted").count(), 1, "{text}");
    let served = Served::start(&place, "view a.hdf5");
    served.viewer().frame(|_| true);
    assert_eq!(served.interrupt().1.matches("not encrypted").count(), 0);
}

#[test]
fn a_run_that_ends_before_anyone_looks_on_says_so() {
    let place = Place::new();
    let words = "run --ic figure8 --dt 1/64 --t-end 1 --device cpu --out b.hdf5 --serve";
    let (status, text) = Served::start(&place, words).end();
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("before anyone looked on; with --control --paused it waits"), "{text}");
    // one that is stopped, or seen, has no need of it
    let seen = Served::start(&place, &words.replace("--t-end 1 ", "--t-end 1e9 "));
    let mut viewer = seen.viewer();
    viewer.frame(|frame| frame.step() > 0.0);
    let (status, text) = seen.interrupt();
    assert!(status == Some(130) && !text.contains("looked on"), "{text}");
}
