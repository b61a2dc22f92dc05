//! `--simd`: the vector instructions of a command, which a run keeps.

mod common;

use common::{Outcome, Place};
use manybody::settings::TABLE;
use manybody::simd::Level;

const RUN: &str = "run -n 300 --dt 1/64 --t-end 1/8 --eps 1/32 --snapshot-every 1/16 --device cpu";

/// A level that no machine with this processor has.
const ABSENT: &str = if cfg!(target_arch = "x86_64") { "neon" } else { "avx2" };

fn with_variable(place: &Place, level: &str, words: &str) -> Outcome {
    let outcome = Outcome::of(place.command(words).env("MANYBODY_SIMD", level).output().unwrap());
    assert!(outcome.status == Some(0), "{words}: {}", outcome.text);
    outcome
}

/// All levels compute; those of a run are kept, so that it goes on and is repeated with the same bits.
#[test]
fn a_run_keeps_its_vector_instructions() {
    let place = Place::new();
    for level in Level::available() {
        let level = level.name();
        place.good(&format!("{RUN} --simd {level} --out {level}.csv"));
        with_variable(&place, level, &format!("{RUN} --out variable-{level}.csv"));
        assert!(place.bytes(&format!("{level}.csv")) == place.bytes(&format!("variable-{level}.csv")), "{level}");
        let kept = format!("\"run.simd\" = \"{level}\"");
        assert!(String::from_utf8(place.bytes(&format!("{level}.csv"))).unwrap().contains(&kept), "{kept}");
        // the variable is of the process; the run has its own
        with_variable(&place, "scalar", &format!("run --resume {level}.0001.csv --out resumed-{level}.csv"));
        assert!(place.bytes(&format!("{level}.csv")) == place.bytes(&format!("resumed-{level}.csv")), "{level}");
        with_variable(&place, "scalar", &format!("run {level}.toml --out repeated-{level}.csv"));
        assert!(place.bytes(&format!("{level}.csv")) == place.bytes(&format!("repeated-{level}.csv")), "{level}");
    }
    let best = Level::best().name();
    if best != "scalar" {
        assert!(place.bytes("scalar.csv") != place.bytes(&format!("{best}.csv")), "{best} adds in another order");
        place.bad(&format!("run --resume scalar.0001.csv --simd {best}"), 2, &["another run"]);
    }
}

/// A description from a machine with other vector instructions is a run here, too.
#[test]
fn a_description_of_another_machine_runs_here() {
    let place = Place::new();
    place.good(&format!("{RUN} --out b.csv"));
    let text = String::from_utf8(place.bytes("b.toml")).unwrap();
    let best = format!("simd = \"{}\"", Level::best());
    assert!(text.contains(&best), "{text}");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("# checksum")).collect();
    place.write("other.toml", &lines.join("\n").replace(&best, &format!("simd = \"{ABSENT}\"")));
    let outcome = place.good("run other.toml --out c.csv");
    assert!(outcome.text.contains(&format!("names {ABSENT}")), "{}", outcome.text);
    assert!(place.bytes("b.csv") == place.bytes("c.csv"));
    place.bad(
        &format!("run other.toml --simd {ABSENT} --out d.csv"),
        2,
        &["simd", ABSENT, "must be what this machine"],
    );
}

#[test]
fn forces_and_benchmarks_have_it_too() {
    let place = Place::new();
    place.good("ic plummer -n 300 -o a.csv");
    for law in [" --eps 0.1", " --law nearest --precision f32"] {
        for level in Level::available() {
            let words = format!("force a.csv --device cpu{law}");
            place.good(&format!("{words} --force --simd {level} -o f.csv"));
            with_variable(&place, level.name(), &format!("{words} --force -o g.csv"));
            assert!(place.bytes("f.csv") == place.bytes("g.csv"), "{level}{law}");
        }
    }
    let bench = place.good("bench -n 256 --repeat 1 --simd scalar --precision f64 --solver direct --device cpu");
    assert!(bench.text.contains("scalar"), "{}", bench.text);
    for command in ["force a.csv -o h.csv", "bench -n 256", "run a.csv --out h.csv"] {
        place.bad(&format!("{command} --simd {ABSENT}"), 2, &["simd", ABSENT, "must be what this machine has"]);
        place.bad(&format!("{command} --simd sse9"), 2, &["sse9", "scalar, neon, avx2, avx512"]);
    }
}

/// What says how forces are computed is an option of all commands that compute them.
#[test]
fn every_setting_of_forces_is_an_option_of_force() {
    let place = Place::new();
    let [run, force] = ["run --help", "force --help"].map(|words| place.good(words).lines.join("\n"));
    let mut count = 0;
    for setting in TABLE.iter().filter(|setting| setting.of_forces) {
        count += 1;
        assert!([&run, &force].iter().all(|help| help.contains(&format!("--{}", setting.name))), "{}", setting.name);
    }
    assert_eq!(count, 11);
}
