//! `manybody render`: pictures, series and films; what cannot be drawn is refused before anything is written.
#![cfg(unix)]

mod common;

use common::{Outcome, Place};
use std::os::unix::fs::PermissionsExt;

/// Width and height of a PNG file.
fn size(place: &Place, name: &str) -> (u32, u32) {
    let bytes = place.bytes(name);
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.ends_with(b"IEND\xaeB`\x82"), "{name}");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

fn stars() -> Place {
    let place = Place::new();
    place.good("ic plummer -n 500 -o a.hdf5");
    place
}

#[test]
fn a_picture_has_its_size_and_the_same_bytes_on_any_number_of_threads() {
    let place = stars();
    for (options, expected) in [("", (1024, 1024)), ("--size 320x200 --colour speed --map viridis", (320, 200))] {
        place.good(&format!("render a.hdf5 -o 1.png {options} --threads 1 --force"));
        place.good(&format!("render a.hdf5 -o 2.png {options} --threads 2 --force"));
        assert_eq!(size(&place, "1.png"), expected);
        assert!(place.bytes("1.png") == place.bytes("2.png"), "{options}");
    }
    // by another name of the same view
    place.good("render a.hdf5 -o x.png --size 100 --centre 0,0,0 --width 4 --direction=0,0,-5 --up 0,2,0");
    place.good("render a.hdf5 -o y.png --size 100 --centre 0,0,0 --width 4");
    assert!(place.bytes("x.png") == place.bytes("y.png"));
    place.good("render a.hdf5 -o z.png --size 100 --centre 0,0,0 --width 4 --direction x --up z");
    assert!(place.bytes("x.png") != place.bytes("z.png"));
}

#[test]
fn every_option_draws() {
    let place = Place::new();
    place.good("ic collision -n 400 --scale 1e5Msun:3pc --units msun-pc-kms -o a.hdf5");
    let plain = "render a.hdf5 -o p.png --size 100";
    place.good(plain);
    let mut seen = vec![place.bytes("p.png")];
    for options in [
        "--width 1pc",
        "--fov 60",
        "--distance 0.5pc",
        "--centre 0.1pc,0,0 --width 3pc",
        "--colour group",
        "--colour speed",
        "--colour speed --colour-range 0,0.1",
        "--map gray",
        "--stretch log",
        "--stretch linear",
        "--range 1,1e9",
        "--spot 5",
        "--no-labels",
    ] {
        place.good(&format!("{plain} --force {options}"));
        let bytes = place.bytes("p.png");
        assert!(!seen.contains(&bytes), "{options} changes nothing");
        seen.push(bytes);
    }
}

#[test]
fn a_picture_of_8192_pixels_a_side_is_drawn() {
    let place = stars();
    place.good("render a.hdf5 -o a.png --size 8192 --spot 1");
    assert_eq!(size(&place, "a.png"), (8192, 8192));
}

#[test]
fn a_series_has_numbers_or_names() {
    let place = Place::new();
    place.good("run -n 200 --dt 1/64 --t-end 1/4 --eps 1/16 --snapshot-every 1/8 --out b.hdf5");
    let files = "b.0000.hdf5 b.0001.hdf5 b.hdf5";
    let outcome = place.good(&format!("render {files} -o f-%03d.png --size 64 --json"));
    assert_eq!(
        outcome.json().iter().map(|line| line["output"].clone()).collect::<Vec<_>>(),
        ["f-000.png", "f-001.png", "f-002.png"]
    );
    place.good(&format!("render {files} -o frames/ --size 64"));
    for (k, name) in ["b.0000", "b.0001", "b"].iter().enumerate() {
        assert!(place.bytes(&format!("f-00{k}.png")) == place.bytes(&format!("frames/{name}.png")), "{name}");
    }
    // the camera of the first, not of each
    place.good("render b.hdf5 -o alone.png --size 64");
    assert!(place.bytes("alone.png") != place.bytes("f-002.png"));
    place.bad(&format!("render {files} -o one.png"), 2, &["several pictures", "frame-%04d.png"]);
    place.bad(&format!("render {files} -o f-%03d.png"), 2, &["exists", "--force"]);
    place.bad("render b.hdf5 b.hdf5 -o again/", 2, &["two snapshots of one name"]);
    assert!(!place.path("again").exists());
}

/// Another program in place of ffmpeg, which keeps what it gets.
fn with_ffmpeg(place: &Place, script: &str, words: &str) -> Outcome {
    let folder = place.path("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("ffmpeg");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    Outcome::of(place.command(words).env("PATH", path).output().unwrap())
}

#[test]
fn a_film_goes_through_ffmpeg() {
    let place = stars();
    place.good("ic plummer -n 300 --seed 2 -o b.hdf5");
    let words = "render a.hdf5 b.hdf5 -o film.mp4 --size 64x48 --fps 10";
    let nowhere = Outcome::of(place.command(words).env("PATH", "/nowhere").output().unwrap());
    nowhere.expect_failure(words, 1, &["film.mp4", "ffmpeg", "PATH", "frame-%04d.png"]);
    let keep = "#!/bin/sh\necho \"$@\" > arguments\nfor last; do :; done\ncat > \"$last\"\n";
    let outcome = with_ffmpeg(&place, keep, words);
    assert_eq!(outcome.status, Some(0), "{}", outcome.text);
    assert_eq!(place.bytes("film.mp4").len(), 2 * 64 * 48 * 3);
    let arguments = String::from_utf8(place.bytes("arguments")).unwrap();
    assert!(arguments.contains("-s 64x48 -r 10 ") && arguments.contains("libx264"), "{arguments}");
    // one that fails: what it says, and no file
    std::fs::remove_file(place.path("film.mp4")).unwrap();
    let failing = "#!/bin/sh\necho 'Unknown encoder' >&2\nexit 8\n";
    with_ffmpeg(&place, failing, words).expect_failure(words, 1, &["film.mp4", "Unknown encoder"]);
    assert!(!place.names().iter().any(|name| name.contains("film.mp4")), "{:?}", place.names());
    place.bad("render a.hdf5 -o film.mp4 --size 63", 2, &["size", "even"]);
    place.bad("render a.hdf5 -o film.mp4 --fps nan", 2, &["fps"]);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let place = stars();
    place.write("empty.csv", "mass,x,y,z,vx,vy,vz\n");
    place.write("nothing.hdf5", "");
    let before = place.names();
    for (words, parts) in [
        ("none.hdf5 -o a.png", &["none.hdf5"][..]),
        ("nothing.hdf5 -o a.png", &["nothing.hdf5"]),
        ("empty.csv -o a.png", &["empty.csv", "no bodies"]),
        ("a.hdf5 -o a.png --size 0", &["16384"]),
        ("a.hdf5 -o a.png --size 100000", &["16384"]),
        ("a.hdf5 -o a.png --size nan", &["1920x1080"]),
        ("a.hdf5 -o a.png --size 64x", &["1920x1080"]),
        ("a.hdf5 -o a.png --map jet", &["jet", "viridis"]),
        ("a.hdf5 -o a.png --colour age", &["age", "density"]),
        ("a.hdf5 -o a.png --colour group", &["group"]),
        ("a.hdf5 -o a.png --stretch sqrt", &["sqrt", "asinh"]),
        ("a.hdf5 -o a.png --width nan", &["width"]),
        ("a.hdf5 -o a.png --width 0", &["width"]),
        ("a.hdf5 -o a.png --width 1pc", &["width"]),
        ("a.hdf5 -o a.png --width 1 --fov 30", &["--width", "--fov"]),
        ("a.hdf5 -o a.png --fov 180", &["fov"]),
        ("a.hdf5 -o a.png --distance=-1", &["distance"]),
        ("a.hdf5 -o a.png --direction 0,0,0", &["direction"]),
        ("a.hdf5 -o a.png --up z", &["up"]),
        ("a.hdf5 -o a.png --centre here", &["centre"]),
        ("a.hdf5 -o a.png --centre inf,0,0", &["centre"]),
        ("a.hdf5 -o a.png --range 2,1", &["2,1"]),
        ("a.hdf5 -o a.png --range 0,1", &["range"]),
        ("a.hdf5 -o a.png --spot 0", &["spot"]),
        ("a.hdf5 -o a.jpg", &["jpg", "png"]),
        ("a.hdf5 -o none/a.png", &["none"]),
        ("-o a.png", &["FILE"]),
    ] {
        place.bad(&format!("render {words}"), 2, parts);
        assert_eq!(place.names(), before, "{words}");
    }
}

#[test]
fn odd_systems_are_drawn() {
    let place = Place::new();
    place.write("one.csv", "mass,x,y,z,vx,vy,vz\n1,5,6,7,0,0,0\n");
    place.write("heap.csv", &format!("mass,x,y,z,vx,vy,vz\n{}", "1,5,6,7,0,0,0\n".repeat(9)));
    place.write("massless.csv", "mass,x,y,z,vx,vy,vz\n0,1,0,0,0,0,0\n0,-1,0,0,0,0,0\n");
    for name in ["one", "heap", "massless"] {
        for options in ["", "--fov 30", "--colour speed", "--colour mass", "--size 1", "--size 1x500"] {
            place.good(&format!("render {name}.csv -o {name}.png --force {options}"));
        }
    }
}

#[test]
fn a_series_with_a_bad_file_draws_nothing() {
    let place = stars();
    place.write("garbage.hdf5", "no HDF5");
    place.good("ic plummer -n 0 -o none.hdf5");
    let before = place.names();
    for (name, parts) in [
        ("missing.hdf5", &["missing.hdf5"][..]),
        ("garbage.hdf5", &["garbage.hdf5"]),
        ("none.hdf5", &["none.hdf5", "it has no bodies"]),
    ] {
        for out in ["g-%d.png", "new/"] {
            place.bad(&format!("render a.hdf5 {name} -o {out} --size 64"), 2, parts);
            assert_eq!(place.names(), before, "{name} {out}");
        }
    }
    // what its header does not say: the pictures before it stay, and a first one makes no folder
    place.write("late.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,zero,0,0,0,0,0\n");
    place.bad("render late.csv a.hdf5 -o new/ --size 64", 2, &["late.csv", "zero"]);
    assert!(!place.path("new").exists());
    place.bad("render a.hdf5 late.csv -o new/ --size 64", 2, &["late.csv", "zero"]);
    assert_eq!(size(&place, "new/a.png"), (64, 64));
    assert!(!place.path("new/late.png").exists());
}
