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
        assert_eq!((cast.id[i], cast.mass[i]), (bodies.id[i] as f64, bodies.mass[i] as f32));
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
    // it is measured every hundredth of a run
    let words = "run --ic plummer -n 256 --dt 1/512 --t-end 100 --serve --control --paused --device cpu";
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
