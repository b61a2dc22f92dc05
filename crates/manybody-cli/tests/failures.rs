//! Every failure is reported, has an exit status, and destroys no file.

mod common;

use common::{Outcome, Place};
use std::process::Stdio;

#[test]
fn bad_words_are_refused_before_anything_is_written() {
    let place = Place::new();
    for (words, parts) in [
        ("--dt 0", &["dt = 0"][..]),
        ("--dt -1", &["dt = -1:"]),
        ("--dt -1/128", &["dt = -0.0078125"]),
        ("--dt 1e-30", &["dt = 1e-30", "too small"]),
        ("--dt nan", &["dt", "nan"]),
        ("--dt fast", &["dt", "fast"]),
        ("--dt 1/0", &["dt", "1/0"]),
        ("--t-end=-1", &["t-end = -1"]),
        ("--t-end inf", &["t-end", "inf"]),
        ("--eps=-0.1", &["eps = -0.1"]),
        ("--snapshot-every 1e-9", &["snapshot-every"]),
        ("--snapshot-every 0", &["snapshot-every = 0"]),
        ("--device cpu --gpus 2", &["gpus = 2", "--device cuda", "cpu"]),
        ("--device wgpu --precision f32 --gpus 2", &["gpus = 2", "wgpu"]),
        ("--device cuda --gpus 9", &["9", "1 to 8"]),
        ("--integrator euler", &["euler", "yoshida6"]),
        ("--solver magic", &["magic", "symmetric"]),
        ("--solver reference --precision f32", &["f32", "reference"]),
        ("--precision f16", &["f16", "f64"]),
        ("--device abacus", &["unknown device 'abacus'", "auto, cpu, cuda, wgpu"]),
        ("--device gpu", &["unknown device 'gpu'", "did you mean cpu?"]),
        ("--device cudda", &["unknown device 'cudda'", "did you mean cuda?"]),
        ("--ic plumer", &["unknown initial condition 'plumer'", "did you mean plummer?"]),
        ("--precision mixd", &["unknown precision 'mixd'", "did you mean mixed?"]),
        ("--sum pairwize", &["unknown summation 'pairwize'", "did you mean pairwise?"]),
        ("--solver symetric", &["unknown solver 'symetric'", "did you mean symmetric?"]),
        ("--integrator leapfog", &["unknown integrator 'leapfog'", "did you mean leapfrog?"]),
        ("--ic nebula", &["nebula", "plummer"]),
        ("--ic king --with w=3", &["w", "w0"]),
        ("--ic king --with w0", &["w0", "NAME=VALUE"]),
        ("--ic king --w 3", &["--w"]),
        ("--ic king --eccentricity 0.5", &["eccentricity", "w0"]),
        ("--w0 7", &["w0", "cutoff"]),
        ("--ic king --w0 7 --with w0=6", &["w0=6", "w0 has been given before, as 7"]),
        ("--threads 70000", &["70000", "4096"]),
        ("-n 1 --t-end 1", &["no dt is given", "here there is 1", "--dt"]),
        ("-n 1.5", &["1.5", "1e6"]),
        ("-n 1e15", &["n = 1000000000000000", "6.4e16 bytes"]),
        ("--ic kepler -n 3", &["kepler has 2 bodies"]),
        ("--seed -1", &["-1"]),
        ("--threads 0", &["0"]),
        ("--out b.docx", &["b.docx", ".hdf5"]),
        ("--out b.txt", &["b.txt", ".csv"]),
        ("--out none/b.hdf5", &["none"]),
        ("--bogus", &["--bogus"]),
        ("missing.hdf5", &["missing.hdf5"]),
        (".", &["directory"]),
        ("--resume missing.hdf5", &["missing.hdf5", "numbered snapshot"]),
        ("missing.toml", &["missing.toml"]),
    ] {
        place.bad(&format!("run {words}"), 2, parts);
        assert_eq!(place.names(), Vec::<String>::new(), "{words}");
    }
}

#[test]
fn a_folder_of_the_outputs_name_stays_where_it_is() {
    let place = Place::new();
    std::fs::create_dir(place.path("b.hdf5")).unwrap();
    place.bad("run -n 100 --t-end 1/16 --out b.hdf5", 2, &["b.hdf5", "a folder", "--out"]);
    assert_eq!(place.names(), ["b.hdf5"]);
}

/// The words of the operating system, once.
#[test]
fn a_cause_is_said_once() {
    let place = Place::new();
    for words in ["run missing.hdf5", "run missing.toml", "info missing.hdf5", "force missing.csv -o f.csv --force"] {
        let text = place.bad(words, 2, &["missing."]);
        assert_eq!(text.matches("os error").count(), 1, "{text}");
    }
}

#[test]
fn bad_files_are_named_with_field_and_value() {
    let place = Place::new();
    place.write("nan.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,NaN,0,0,0,0,0\n");
    place.bad("run nan.csv --dt 1 --t-end 1", 2, &["nan.csv", "x", "NaN"]);
    place.write("inf.csv", "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,inf,0\n");
    place.bad("run inf.csv --dt 1 --t-end 1", 2, &["inf.csv", "vy", "inf"]);
    place.write("negative.csv", "mass,x,y,z,vx,vy,vz\n-2,0,0,0,0,0,0\n");
    place.bad("run negative.csv --dt 1 --t-end 1", 2, &["negative.csv", "mass", "-2"]);
    place.write("short.csv", "mass,x,y,z,vx,vy\n1,0,0,0,0,0\n");
    place.bad("run short.csv --dt 1 --t-end 1", 2, &["short.csv", "vz"]);
    for value in ["nan", "inf"] {
        place.write("extra.csv", &format!("mass,x,y,z,vx,vy,vz,heat\n1,0,0,0,0,0,0,\n1,1,0,0,0,0,0,{value}\n"));
        place.bad("run extra.csv --dt 1 --t-end 1", 2, &["extra.csv", "heat", "line 3", value]);
    }
    place.write("not.hdf5", "mass,x,y,z,vx,vy,vz\n");
    place.bad("run not.hdf5 --dt 1 --t-end 1", 2, &["not.hdf5"]);
    place.write("typo.toml", "n = 5\n\nesp = 0.1\n");
    place.bad("run typo.toml", 2, &["typo.toml", "line 3", "esp"]);
    for (n, wanted) in [("1e2", "100 bodies"), ("'100'", "100 bodies"), ("1.5", "n = 1.5"), ("-3", "n = -3")] {
        place.write("n.toml", &format!("n = {n}\ndt = 1\nt-end = 0\n"));
        let outcome = place.run("run n.toml");
        assert!(outcome.text.contains(wanted), "{n}: {}", outcome.text);
    }
    place.bad("run -n -5", 2, &["n = -5", "whole number"]);
    place.bad("run --seed -1", 2, &["seed = -1", "whole number"]);
    place.write("both.toml", "file = \"nan.csv\"\nn = 5\n");
    place.bad("run both.toml", 2, &["n = 5", "nan.csv"]);
    place.bad("run nan.csv --w0 7", 2, &["w0=7", "nan.csv"]);
    place.write("plain.txt", "1 0 0 0 0 0 0\n");
    place.bad("run plain.txt --dt 1 --t-end 1", 2, &["columns", "mass-first"]);
    place.good("run plain.txt --dt 1 --t-end 1 --columns mass-first --out p.hdf5");
    place.write("cut.txt", "1 0 0 0 0 0 0\n1 1 0 0 0 0 0.12");
    let outcome = place.good("force cut.txt -o cut.csv --force --columns mass-first");
    assert!(outcome.text.contains("line 2") && outcome.text.contains("no line break"), "{}", outcome.text);
    place.write("cut.txt", "1 0 0 0 0 0 0\n1 1 0 0 0 0");
    place.bad("force cut.txt -o cut.csv --force --columns mass-first", 2, &["line 2", "6 columns"]);
    place.good("run p.toml");
}

/// A body thrown out of all bounds stops the run with its name; the snapshots before stay.
#[test]
fn a_run_that_overflows_stops() {
    let place = Place::new();
    // 1.8e308 is reached in 18 steps of 1e307; the energy, at v^2 = 1e300, is still finite
    place.write("fast.csv", "id,mass,x,y,z,vx,vy,vz\n4,1e-300,0,0,0,0,0,0\n9,0,1,0,0,1e150,0,0\n");
    let words = "run fast.csv --dt 1e157 --t-end 1e159 --snapshot-every 1e157 --solver reference";
    let text = place.bad(words, 1, &["id 9", "t = ", "last good snapshot is manybody.00"]);
    assert!(!place.path("manybody.hdf5").exists(), "{text}");
    let last = place.names().into_iter().filter(|name| name.starts_with("manybody.00")).max().unwrap();
    assert!(text.contains(&last), "{text}");
    manybody::snapshot::read(place.path(&last)).unwrap();
}

/// If the energy of the start is not finite, the run does not begin, and moves no file aside.
#[test]
fn a_start_whose_energy_overflows_is_refused() {
    let place = Place::new();
    place.write("fast.csv", "id,mass,x,y,z,vx,vy,vz\n4,1,0,0,0,0,0,0\n9,1,1,0,0,1e308,0,0\n");
    place.write("manybody.hdf5", "an earlier run's");
    let before = place.content();
    place.bad("run fast.csv --dt 1 --t-end 1", 1, &["body 1 (id 9)", "kinetic energy = inf", "t = 0"]);
    assert!(place.content() == before);
}

/// Gravity has no bound where two bodies are one.
#[test]
fn bodies_at_one_place_want_a_softening() {
    let place = Place::new();
    let rows = "id,mass,x,y,z,vx,vy,vz\n4,1,0,0,0,0,0,0\n9,1,1,2,3,0,0,0\n7,1,1,2,3,1,0,0\n";
    place.write("two.csv", rows);
    let parts = ["eps = 0", "1 (id 9)", "2 (id 7)", "(1, 2, 3)"];
    place.bad("run two.csv --dt 1 --t-end 1", 2, &parts);
    place.bad("force two.csv -o f.csv --force", 2, &parts);
    assert_eq!(place.names(), ["two.csv"]);
    place.good("run two.csv --dt 1/128 --t-end 1/64 --eps 0.1");
    // a softening of one of them is enough, and massless bodies do nothing to each other
    place.write(
        "soft.csv",
        &rows.replace("vz\n", "vz,eps\n").replace("0,0\n", "0,0,0\n").replace("1,0,0,0\n", "1,0,0,0.1\n"),
    );
    place.good("force soft.csv -o f.csv --force");
    place.write("tracers.csv", &rows.replace("9,1", "9,0").replace("7,1", "7,0"));
    place.good("force tracers.csv -o f.csv --force");
}

/// Ctrl-C in a command that writes one file leaves nothing of it.
#[test]
#[cfg(unix)]
fn an_interrupted_file_is_removed() {
    let place = Place::new();
    place.good("ic plummer -n 2e5 -o in.hdf5");
    for (signal, words) in [
        ("INT", "ic plummer -n 2e5 -o out.csv"),
        ("TERM", "convert in.hdf5 out.csv"),
        ("INT", "convert in.hdf5 out.txt --to-columns mass-first"),
    ] {
        let mut child = place.command(words).stderr(Stdio::null()).spawn().unwrap();
        while !place.names().iter().any(|name| name.ends_with(".tmp")) {
            assert!(child.try_wait().unwrap().is_none(), "{words}: too fast for this test");
        }
        let sent = std::process::Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{words}");
        assert_eq!(place.names(), ["in.hdf5"], "{words}");
    }
}

/// A file that cannot grow further fails as on a full disk, and no half of it stays.
#[test]
#[cfg(unix)]
fn a_full_disk_leaves_what_was_there() {
    let place = Place::new();
    place.good("run -n 2000 --t-end 1/16 --snapshot-every 1/32");
    let before = place.content();
    // 32 blocks are 16 or 32 KiB; a snapshot has more than 100
    let small = |words: &str, parts: &[&str]| {
        let script = format!("ulimit -f 32; exec '{}' {words}", env!("CARGO_BIN_EXE_manybody"));
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", &script]).current_dir(place.folder()).output().unwrap();
        Outcome::of(output).expect_failure(&script, 1, parts);
    };
    let go_on = "manybody run --resume manybody.0001.hdf5";
    small("run --resume manybody.0001.hdf5 --out c.hdf5", &["c.hdf5", "too large", go_on]);
    std::fs::remove_file(place.path("c.toml")).unwrap();
    small("ic plummer -n 2000 -o d.hdf5", &["d.hdf5", "too large"]);
    small("convert manybody.hdf5 d.csv", &["d.csv", "too large"]);
    assert!(place.content() == before);
}

/// A snapshot that cannot be written stops the run; those before stay, and the message says how to go on from them.
#[test]
fn a_failed_snapshot_leaves_the_earlier_ones() {
    let place = Place::new();
    place.good("run -n 100 --t-end 1/4 --snapshot-every 1/16 --out b.hdf5");
    let (first, end) = (place.bytes("b.0001.hdf5"), place.bytes("b.hdf5"));
    for name in ["b.0002.hdf5", "b.0003.hdf5", "b.hdf5"] {
        std::fs::remove_file(place.path(name)).unwrap();
    }
    std::fs::create_dir(place.path("b.0003.hdf5")).unwrap();
    let advice = "manybody run --resume b.0002.hdf5\n";
    place.bad("run --resume b.0001.hdf5", 1, &["b.0003.hdf5", "irectory", "t = 0.1875", advice]);
    std::fs::remove_dir(place.path("b.0003.hdf5")).unwrap();
    place.good(advice.strip_prefix("manybody ").unwrap());
    assert!(place.bytes("b.hdf5") == end && place.bytes("b.0001.hdf5") == first);
}

#[test]
#[cfg(unix)]
fn a_read_only_folder_is_refused_at_once() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let folder = place.path("locked");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(folder.join("probe"), "").is_ok() {
        eprintln!("skipped: this user may write to read-only folders");
        return;
    }
    place.bad("run -n 100 --out locked/b.hdf5", 1, &["locked/b.manybody-lock"]);
}

/// If the reader of the output has closed the pipe, the run continues, and prints one warning.
#[test]
fn a_closed_pipe_loses_words_not_work() {
    let place = Place::new();
    let mut child = place
        .command("run -n 500 --t-end 1/4 --snapshot-every 1/64 --json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let outcome = Outcome::of(child.wait_with_output().unwrap());
    assert_eq!(outcome.status, Some(0), "{}", outcome.text);
    assert_eq!(outcome.text.matches("cannot write JSON").count(), 1, "{}", outcome.text);
    assert!(place.path("manybody.hdf5").exists());
}

/// The units of a file must be consistent with its G, and with the units that an option gives.
#[test]
fn units_that_contradict_themselves_are_refused() {
    let place = Place::new();
    let body = "id,mass,x,y,z,vx,vy,vz\n0,1,0,0,0,0,0,0\n1,1,1,0,0,0,0,0\n";
    for (comments, parts) in [
        ("# units = \"g1\"\n# G = -2\n", &["G", "-2", "above 0"][..]),
        ("# units = \"g1\"\n# G = 0\n", &["G", "above 0"]),
        ("# G = 2\n", &["G", "2", "units"]),
        ("# units = \"g1\"\n# G = 7\n", &["G", "7", "it is 1", "g1"]),
        ("# units = \"msun-pc-kms\"\n# G = 1.0\n", &["G", "msun-pc-kms"]),
        ("# units = \"foo\"\n", &["units", "foo", "henon"]),
    ] {
        place.write("u.csv", &format!("{comments}{body}"));
        let told: Vec<&str> = ["u.csv"].iter().chain(parts).copied().collect();
        place.bad("force u.csv -o f.csv --force", 2, &told);
        place.bad("info u.csv", 2, &told);
    }
    // a system of one's own names its G
    place.write("u.csv", &format!("# units = \"foo\"\n# G = 2\n{body}"));
    place.good("force u.csv -o f.csv --force");
    place.good("ic plummer -n 10 -o a.hdf5");
    place.bad("convert a.hdf5 b.hdf5 --from-units gadget", 2, &["from-units = gadget", "a.hdf5", "henon"]);
    place.good("convert a.hdf5 b.hdf5 --from-units henon:1e5msun:3pc --units msun-pc-kms");
}
