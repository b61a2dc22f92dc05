//! No more bytes are sent than a link carries.

use crate::common::Place;
use crate::served::Served;
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn a_million_bodies_are_thinned_for_the_link() {
    let place = Place::new();
    // 200,000 are enough to see it: the bodies that are shown do not depend on the number
    place.good("ic plummer -n 200000 -o a.hdf5");
    place.good("ic plummer -n 200000 -o b.hdf5");
    let served = Served::start(&place, "view a.hdf5 b.hdf5 a.hdf5 b.hdf5");
    let mut viewer = served.viewer();
    assert_eq!(viewer.words("hello", |_| true)["bodies"], 200_000);
    viewer.say(&json!({ "speed": 1000.0 }));
    let begin = Instant::now();
    let mut bytes = 0;
    let mut frames = 0;
    while begin.elapsed() < Duration::from_secs(3) {
        viewer.say(&json!({ "seek": frames % 4 }));
        let frame = viewer.frame(|_| true);
        assert_eq!(frame.position.len(), 60_000);
        bytes += frame.bytes;
        frames += 1;
    }
    let rate = bytes as f64 / begin.elapsed().as_secs_f64();
    // 10 bytes a body and a header, 30 times a second, are 18 MB/s; a frame more or less at the ends
    assert!(rate <= 20e6 && frames > 10, "{rate:.2e} bytes/s, {frames} frames");
}

#[test]
fn a_series_of_other_bodies_is_thinned_for_the_link() {
    let place = Place::new();
    // a cast for each frame: other ids. 60,000 bodies are as many as are shown
    for (name, first) in [("a.csv", 0), ("b.csv", 100_000)] {
        let row = |k: usize| format!("{},1,{},{},0,0,0,0", first + k, k % 251, k / 251);
        let rows: Vec<String> = (0..60_000).map(row).collect();
        place.write(name, &format!("id,mass,x,y,z,vx,vy,vz\n{}\n", rows.join("\n")));
    }
    let served = Served::start(&place, "view a.csv b.csv --paused");
    let mut viewer = served.viewer();
    for index in [1, 0] {
        // from now on both are in memory
        viewer.say(&json!({ "seek": index }));
        viewer.frame(|frame| frame.header[7] == f64::from(index));
    }
    let (begin, mut bytes, mut casts) = (Instant::now(), 0, 0);
    while begin.elapsed() < Duration::from_secs(3) {
        casts += 1;
        viewer.say(&json!({ "seek": casts % 2 }));
        let frame = viewer.frame(|frame| frame.header[7] == f64::from(casts % 2));
        let ids = &viewer.cast.as_ref().unwrap().id;
        assert_eq!((ids[0], ids.len()), (f64::from(casts % 2) * 100_000.0, 60_000));
        bytes += frame.bytes + 16 + 17 * ids.len();
    }
    let rate = bytes as f64 / begin.elapsed().as_secs_f64();
    assert!(rate <= 20e6 && casts > 3, "{rate:.2e} bytes/s, {casts} casts");
}
