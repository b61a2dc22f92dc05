//! Viewers control a run or a series of snapshots: pause, steps, speed, end.

use crate::common::Place;
use crate::served::{Heard, LONG, PATIENCE, Served};
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn a_run_has_the_same_bytes_under_the_eyes_of_viewers() {
    let words = "run --ic plummer -n 256 --dt 1/256 --t-end 1 --snapshot-every 1/4 --log 1/8 --device cpu";
    let (alone, watched) = (Place::new(), Place::new());
    alone.good(words);
    let served = Served::start(&watched, &format!("{words} --serve --control"));
    let mut viewer = served.viewer();
    viewer.say(&json!("pause"));
    viewer.words("status", |status| status["playing"] == false);
    (0..3).for_each(|_| viewer.say(&json!("step")));
    viewer.say(&json!({ "speed": 200.0 }));
    viewer.say(&json!("play"));
    let half = viewer.frame(|frame| frame.time() > 0.5);
    assert_eq!(half.position.len(), 256);
    viewer.say(&json!({ "speed": null }));
    let ended = viewer.words("status", |status| !status["ended"].is_null());
    assert_eq!(ended["ended"], "finished");
    let (status, text) = served.end();
    assert_eq!(status, Some(0), "{text}");
    alone.assert_same_files(&watched, "with a live view");
}

#[test]
fn viewers_control_a_run_only_where_they_may() {
    let place = Place::new();
    let served = Served::start(&place, "run --ic plummer -n 256 --dt 1/512 --t-end 8 --serve --device cpu");
    let mut viewer = served.viewer();
    assert_eq!(viewer.words("hello", |_| true)["control"], false);
    for ask in [json!("pause"), json!("stop"), json!("step"), json!({ "speed": 1.0 }), json!({ "seek": 0 })] {
        viewer.say(&ask);
        assert!(viewer.words("refused", |_| true).as_str().unwrap().contains("--control"));
    }
    viewer.frame(|frame| frame.time() > 0.0);
    assert_eq!(served.end().0, Some(0));

    let served = Served::start(&place, LONG);
    let (mut viewer, mut second) = (served.viewer(), served.viewer());
    viewer.say(&json!("pause"));
    second.words("status", |status| status["playing"] == false);
    let still = viewer.frame(|_| true);
    // the last frame before the pause
    let mut step = still.step();
    while let Some(Heard::Frame(frame)) = {
        viewer.socket.get_ref().set_read_timeout(Some(Duration::from_millis(700))).unwrap();
        match viewer.hear() {
            Some(Heard::Words(_)) => None, // the heartbeat, after a second without frames
            heard => heard,
        }
    } {
        step = frame.step();
    }
    viewer.socket.get_ref().set_read_timeout(Some(PATIENCE)).unwrap();
    for k in 1..=3 {
        viewer.say(&json!("step"));
        let next = viewer.frame(|frame| frame.step() > step);
        assert_eq!(next.step(), step + 1.0, "step {k}");
        step = next.step();
    }
    // a viewer who comes in a pause sees the present state
    assert_eq!(served.viewer().frame(|_| true).step(), step);
    viewer.say(&json!({ "speed": 50.0 }));
    viewer.say(&json!("play"));
    let begin = (Instant::now(), viewer.frame(|frame| frame.step() > step).step());
    let later = viewer.frame(|frame| frame.step() >= begin.1 + 50.0);
    // a second at least, but for what is caught up, a tenth
    assert!(begin.0.elapsed() > Duration::from_millis(800), "{:?}", begin.0.elapsed());
    assert!(later.header[2] < 200.0, "{} steps a second", later.header[2]);
    viewer.say(&json!("stop"));
    let ended = viewer.words("status", |status| !status["ended"].is_null());
    assert_eq!(ended["ended"], "interrupted");
    let (status, text) = served.end();
    assert_eq!(status, Some(130), "{text}");
    assert!(text.contains("--resume"), "{text}");
}

#[test]
fn a_run_begins_paused_where_that_is_asked_for() {
    let place = Place::new();
    let served = Served::start(&place, &format!("{LONG} --paused"));
    let mut viewer = served.viewer();
    assert_eq!(viewer.words("status", |_| true)["playing"], false);
    // a viewer gets the initial conditions, and a heartbeat later nothing has moved
    assert_eq!(viewer.frame(|_| true).step(), 0.0);
    viewer.words("status", |_| true);
    viewer.words("status", |_| true);
    assert_eq!(served.viewer().frame(|_| true).step(), 0.0);
    viewer.say(&json!("step"));
    assert_eq!(viewer.frame(|frame| frame.step() > 0.0).step(), 1.0);
    viewer.say(&json!("play"));
    viewer.frame(|frame| frame.step() > 10.0);
    assert_eq!(served.interrupt().0, Some(130));

    // who begins paused and ends it has the initial conditions in a file, and no later ones
    let served = Served::start(&place, &format!("{LONG} --paused --out never.hdf5"));
    served.viewer().frame(|_| true);
    assert_eq!(served.interrupt().0, Some(130));
    let kept = place.names().into_iter().filter(|name| name.starts_with("never")).collect::<Vec<_>>();
    for name in kept.iter().filter(|name| name.ends_with(".hdf5")) {
        assert_eq!(manybody::snapshot::read(place.path(name)).unwrap().time, 0.0, "{name}");
    }

    // no viewer could play it
    place.bad("run --paused", 2, &["--control"]);
    place.bad("run --serve --paused", 2, &["--control"]);
}

#[test]
fn snapshots_begin_paused_where_that_is_asked_for() {
    let place = Place::new();
    place.good("ic plummer -n 100 -o a.hdf5");
    let served = Served::start(&place, "view a.hdf5 a.hdf5 a.hdf5 --paused");
    let mut viewer = served.viewer();
    assert_eq!(viewer.words("status", |_| true)["playing"], false);
    assert_eq!(viewer.frame(|_| true).header[7], 0.0);
    viewer.words("status", |_| true);
    viewer.words("status", |_| true);
    assert_eq!(served.viewer().frame(|_| true).header[7], 0.0);
    viewer.say(&json!("play"));
    viewer.frame(|frame| frame.header[7] == 2.0);
}

#[test]
fn a_pause_ends_by_ctrl_c() {
    let place = Place::new();
    let served = Served::start(&place, LONG);
    let mut viewer = served.viewer();
    viewer.frame(|frame| frame.step() > 0.0);
    viewer.say(&json!("pause"));
    viewer.words("status", |status| status["playing"] == false);
    let (status, text) = served.interrupt();
    assert_eq!(status, Some(130), "{text}");
    assert!(place.names().iter().any(|name| name.ends_with(".hdf5")), "{:?}", place.names());
}
