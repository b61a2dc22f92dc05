//! `convert` and `info` as a user calls them. The proofs with the field's own packages are in tests/python.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn manybody(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manybody"));
    command.current_dir(folder).args(arguments.split_whitespace()).output().unwrap()
}

fn status(output: &Output) -> Option<i32> {
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!told.contains("panicked"), "{told}");
    output.status.code()
}

fn json(output: &Output) -> serde_json::Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "one object on one line: {text}");
    serde_json::from_str(&text).unwrap()
}

const CSV: &str =
    "# time = 0.25\n# units = msun-pc-kms\nx,y,z,vx,vy,vz,mass,id\n1,2,3,0.1,0.2,0.3,4,17\n-1,0.1,1e-300,0,0,0,0.5,3\n";

#[test]
fn round_the_formats_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.csv"), CSV).unwrap();
    for step in ["a.csv b.hdf5", "b.hdf5 c.nemo", "c.nemo d.h5", "d.h5 e.csv", "a.csv f.csv"] {
        let output = manybody(folder, &format!("convert {step}"));
        assert_eq!(status(&output), Some(0), "{step}: {output:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("note:"), "{step}: nothing is lost: {output:?}");
    }
    assert_eq!(fs::read(folder.join("e.csv")).unwrap(), fs::read(folder.join("f.csv")).unwrap());
}

#[test]
fn a_csv_of_a_later_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (version, good) in [("1", true), ("2", false), ("1.5", false), ("", false)] {
        fs::write(folder.join("a.csv"), format!("# manybody snapshot {version}\n{CSV}")).unwrap();
        let output = manybody(folder, "info a.csv");
        let told = String::from_utf8_lossy(&output.stderr).to_string();
        assert_eq!(status(&output), Some(if good { 0 } else { 2 }), "{version}: {told}");
        assert!(good || (told.contains("a.csv") && told.contains("version")), "{version}: {told}");
    }
}

#[test]
fn info_prints_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), CSV).unwrap();
    let output = manybody(folder.path(), "info a.csv --json");
    assert_eq!(status(&output), Some(0));
    let info = json(&output);
    assert_eq!(info["n"], 2);
    assert_eq!(info["time"], 0.25);
    assert_eq!(info["format"], "csv");
    assert_eq!(info["units"]["name"], "msun-pc-kms");
    assert_eq!(info["mass"], 4.5);
    assert_eq!(info["finite"], true);
    // (4 * 1 - 0.5 * 1) / 4.5
    assert_eq!(info["center_of_mass"][0], 3.5 / 4.5);
    assert_eq!(info["extent"]["z"], serde_json::json!([1e-300, 3.0]));
    let output = manybody(folder.path(), "info a.csv");
    assert!(output.stdout.is_empty(), "people's text goes to stderr");
    assert!(String::from_utf8_lossy(&output.stderr).contains("msun-pc-kms"));
}

#[test]
fn info_of_a_bad_file_prints_what_is_readable() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), CSV.replace("-1,", "nan,").replace("0.5", "-0.5")).unwrap();
    let output = manybody(folder.path(), "info a.csv --json");
    assert_eq!(status(&output), Some(2));
    let info = json(&output);
    assert_eq!((&info["n"], &info["time"], &info["finite"]), (&2.into(), &0.25.into(), &false.into()));
    let problems = info["problems"].to_string();
    assert!(problems.contains("x: 1 value is") && problems.contains("mass: 1 value is"), "{problems}");

    assert_eq!(status(&manybody(folder.path(), "convert a.csv a.tipsy")), Some(2));
    fs::write(folder.path().join("b.csv"), CSV).unwrap();
    assert_eq!(status(&manybody(folder.path(), "convert b.csv b.tipsy")), Some(0));
    let tipsy = fs::read(folder.path().join("b.tipsy")).unwrap();
    fs::write(folder.path().join("cut.nemo"), &tipsy[..60]).unwrap();
    fs::write(folder.path().join("cut.tipsy"), &tipsy[..60]).unwrap();
    for (file, words) in [("cut.nemo", "no format known"), ("cut.tipsy", "2 bodies are claimed")] {
        let output = manybody(folder.path(), &format!("info {file} --json"));
        assert_eq!(status(&output), Some(2));
        let problems = json(&output)["problems"].to_string();
        assert!(problems.contains(file) && problems.contains(words), "{problems}");
    }
    assert_eq!(status(&manybody(folder.path(), "info missing.hdf5")), Some(2));
}

#[test]
fn units_want_a_scale() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), CSV.replace("msun-pc-kms", "henon")).unwrap();
    let output = manybody(folder.path(), "convert a.csv b.csv --units si");
    assert_eq!(status(&output), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("a.csv") && told.contains("--from-units"), "{told}");
    assert_eq!(status(&manybody(folder.path(), "convert a.csv b.csv --units si --from-units henon:1:1")), Some(0));
    // what a file says of its scale is not contradicted
    let output = manybody(folder.path(), "convert b.csv c.csv --from-units gadget");
    assert_eq!(status(&output), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("from-units = gadget: b.csv") && told.contains("si"), "{told}");
}

#[test]
fn a_snapshot_that_the_file_does_not_hold_is_no_other_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), CSV).unwrap();
    for file in ["a.hdf5", "a.nemo", "a.tipsy"] {
        assert_eq!(status(&manybody(folder.path(), &format!("convert a.csv {file}"))), Some(0), "{file}");
    }
    for file in ["a.csv", "a.hdf5", "a.nemo", "a.tipsy"] {
        for (frame, wanted) in [(0, 0), (1, 2)] {
            let words = format!("convert {file} {frame}-{file}.csv --frame {frame}");
            assert_eq!(status(&manybody(folder.path(), &words)), Some(wanted), "{words}");
        }
    }
}

#[test]
fn usage_is_checked_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), CSV).unwrap();
    for wrong in ["a.csv b.xyz", "a.csv a.csv", "a.csv b.txt", "a.csv b.hdf5 --precision f16", "a.csv b.csv --units x"]
    {
        let output = manybody(folder.path(), &format!("convert {wrong}"));
        assert_eq!(status(&output), Some(2), "{wrong}");
    }
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["a.csv"]);
    assert_eq!(fs::read_to_string(folder.path().join("a.csv")).unwrap(), CSV);
}

/// What says that positions are comoving is kept by each format that can be converted to, so that `run` refuses them all.
#[test]
fn a_cosmological_snapshot_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut found = manybody::ic::by_name("plummer", &manybody::ic::Request::new(70, 1)).unwrap();
    found.meta.insert("cosmology".into(), "redshift 3".into());
    manybody::snapshot::write(folder.join("a.hdf5"), &found).unwrap();
    for name in ["b.csv", "b.nemo", "b.hdf5"] {
        assert_eq!(status(&manybody(folder, &format!("convert a.hdf5 {name}"))), Some(0), "{name}");
        let output = manybody(folder, &format!("run {name} --dt 1/64 --t-end 1/64 --eps 0.1 --out c.hdf5"));
        assert_eq!(status(&output), Some(2), "{name}: {output:?}");
    }
    for words in ["b.tipsy", "b.txt --to-columns mass-first", "b.dat --to tipsy --tipsy bonsai"] {
        let output = manybody(folder, &format!("convert a.hdf5 {words}"));
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(status(&output), Some(2), "{words}: {told}");
        assert!(
            told.contains("cosmology = redshift 3") && told.contains("comoving") && told.contains(".hdf5"),
            "{told}"
        );
    }
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.hdf5", "b.csv", "b.hdf5", "b.nemo"]);
}
