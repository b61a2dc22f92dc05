//! A file that is not what was written is found by every command that reads it.

mod common;

use common::Place;

/// Flips a bit in the middle of the file.
fn damage(place: &Place, name: &str) {
    let mut bytes = place.bytes(name);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(place.path(name), bytes).unwrap();
}

#[test]
fn info_verify_distinguishes_whole_absent_and_damaged() {
    let place = Place::new();
    for name in ["a.hdf5", "a.csv", "a.nemo", "a.tipsy"] {
        place.good(&format!("ic plummer -n 30 -o {name}"));
        let outcome = place.good(&format!("info {name} --verify"));
        assert!(outcome.text.contains("whole            checksum "), "{}", outcome.text);
        let json = place.good(&format!("info {name} --verify --json")).json();
        assert_eq!(json[0]["checksum"]["state"], "whole", "{name}");
        place.good(&format!("ic plummer -n 30 -o b-{name} --no-checksum"));
        let outcome = place.good(&format!("info b-{name} --verify"));
        assert!(outcome.text.contains("whole            no checksum"), "{}", outcome.text);

        damage(&place, name);
        for words in ["run", "force", "convert"] {
            let out = if words == "convert" { "c.hdf5" } else { "--out c.hdf5" };
            let out = if words == "force" { "-o c.csv" } else { out };
            place.bad(&format!("{words} {name} {out}"), 2, &[name, "content differs from what was written"]);
        }
        // the damaged value is another finite number in every format but CSV, where it may not be readable as a number
        let shown = place.run(&format!("info {name}"));
        assert!(shown.text.contains("content differs from what was written"), "{}", shown.text);
        let verified = place.run(&format!("info {name} --verify --json"));
        match shown.status {
            Some(0) => {
                assert_eq!(verified.status, Some(1), "{}", verified.text);
                assert_eq!(verified.json()[0]["checksum"]["state"], "differs");
                place.good(&format!("convert {name} ignored-{name} --ignore-checksum"));
            }
            _ => assert!(matches!(verified.status, Some(1 | 2)), "{}", verified.text),
        }
        assert!(!place.path("c.hdf5").exists() && !place.path("c.csv").exists());
    }
}

/// What follows a checksum makes the file a damaged one for all commands, `info` included.
#[test]
fn info_verify_sees_additional_bytes() {
    let place = Place::new();
    place.good("ic plummer -n 30 -o a.hdf5");
    for more in [&b"x"[..], &[0; 100], &place.bytes("a.hdf5")] {
        std::fs::write(place.path("b.hdf5"), [&place.bytes("a.hdf5"), more].concat()).unwrap();
        place.bad("convert b.hdf5 c.csv", 2, &["b.hdf5"]);
        let outcome = place.run("info b.hdf5 --verify --json");
        assert_eq!((outcome.status, &outcome.json()[0]["checksum"]["state"]), (Some(1), &"differs".into()));
    }
}

#[test]
fn a_csv_may_be_edited_without_its_first_line() {
    let place = Place::new();
    place.good("ic plummer -n 30 -o a.csv");
    let text = String::from_utf8(place.bytes("a.csv")).unwrap();
    place.write("b.csv", &text.replace("# time = 0.0", "# time = 1.0"));
    place.bad("convert b.csv c.csv", 2, &["b.csv", "edited", "delete the line", "# checksum"]);
    place.write("b.csv", text.replace("# time = 0.0", "# time = 1.0").split_once('\n').unwrap().1);
    place.good("convert b.csv c.csv");
}

/// What goes through a pipe has its checksum too.
#[test]
#[cfg(target_os = "linux")]
fn a_pipe_carries_the_checksum() {
    let place = Place::new();
    for (format, columns) in [("hdf5", ""), ("csv", ""), ("nemo", ""), ("tipsy", ""), ("text", "mass-first")] {
        place.good(&format!("ic plummer -n 5 -o {format}.hdf5"));
        let columns = if columns.is_empty() { String::new() } else { format!("--to-columns {columns}") };
        let words = format!("convert {format}.hdf5 /dev/stdout --to {format} {columns}");
        let output = place.command(&words).output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        place.good(&format!("convert {format}.hdf5 file.x --to {format} {columns} --force"));
        assert!(output.stdout == place.bytes("file.x"), "{words}");
    }
}
