use super::*;
use std::path::Path;

fn read(text: &str) -> Result<Settings> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.toml");
    std::fs::write(&path, text).unwrap();
    Settings::read(&path)
}

/// Settings with a value for each entry of the table, whatever entries there are.
fn everything(folder: &Path) -> Settings {
    let mut settings = Settings::default();
    for setting in TABLE {
        let candidates = [
            "1/3",
            "7",
            "yoshida4",
            "direct",
            "cpu",
            "f32",
            "scalar",
            "blocked:256",
            "shared",
            "spline",
            "kepler",
            "merge",
            "k=1",
            "plummer:m=1.0,b=2.0",
            "mass-first",
            "true",
        ];
        let candidates = candidates.map(|text| Raw::Text(text.into()));
        let taken = candidates.into_iter().any(|raw| settings.set_raw(setting.name, raw) == Some(Ok(())));
        assert!(taken, "{}", setting.name);
    }
    for path in settings.paths() {
        *path = folder.join("sub dir/in.hdf5");
    }
    settings.law = Some("coulomb".into()); // a text with a slash that is no law would be a file that is read
    settings.initial_state = None; // only kept in a description that was not edited
    settings.with = Some([("w0".to_owned(), "7".to_owned())].into());
    settings
}

#[test]
fn every_setting_is_read_and_written_back() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub dir")).unwrap();
    let settings = everything(folder.path());
    let text = settings.to_toml(folder.path(), "# a run\n").unwrap();
    assert!(text.starts_with("# a run\n") && text.contains("out = \"sub dir/in.hdf5\""), "{text}");
    for setting in TABLE.iter().filter(|setting| setting.name != "initial-state") {
        assert!(text.contains(&format!("\n{} = ", setting.name)), "{}: {text}", setting.name);
    }
    let path = folder.path().join("b.toml");
    std::fs::write(&path, &text).unwrap();
    assert_eq!(Settings::read(&path).unwrap(), settings, "{text}");
}

#[test]
fn a_fingerprint_is_kept_until_the_description_is_edited() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.toml");
    let settings = Settings { initial_state: Some("0123".into()), n: Some(5), ..Settings::default() };
    let text = crate::snapshot::checksum::with_line(&settings.to_toml(folder.path(), "").unwrap());
    std::fs::write(&path, &text).unwrap();
    assert_eq!(Settings::read(&path).unwrap(), settings);
    std::fs::write(&path, text.replace("n = 5", "n = 6")).unwrap();
    let edited = Settings::read(&path).unwrap();
    assert_eq!((edited.n, edited.initial_state), (Some(6), None));
}

/// The parameters that a snapshot keeps are read back as they were, from snapshots during the run and from the last
/// one.
#[test]
fn what_is_kept_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let given = everything(folder.path());
    for parameters in [Parameters::default(), Parameters::default().with(&given, &Units::henon()).unwrap()] {
        for last in [false, true] {
            let mut snapshot = Snapshot { time: parameters.t_end, ..Snapshot::default() };
            let mut meta = BTreeMap::new();
            parameters.keep(last, &snapshot, &mut |setting, text| drop(meta.insert(setting.key.to_owned(), text)));
            snapshot.meta = meta;
            let kept = Parameters::from_snapshot(&snapshot).unwrap();
            for setting in kept.differences(&parameters) {
                let lost = setting.kept == Kept::Never || (last && setting.kept == Kept::UntilEnd);
                assert!(lost, "{} is not kept: {snapshot:?}", setting.name);
            }
        }
    }
}

#[test]
fn parameters_of_models_may_stand_beside_the_others() {
    let apart = read("ic = \"king\"\nn = 5\n[with]\nw0 = 7\n").unwrap();
    assert_eq!(read("ic = \"king\"\nw0 = 7\nn = 5\n").unwrap(), apart);
    let both = read("w0 = 7\n[with]\nw0 = 6\n").unwrap_err().to_string();
    assert!(both.contains("twice") && both.contains("w0"), "{both}");
    // another mistake has its line
    let wrong = read("w0 = 7\nesp = 0.1\n").unwrap_err().to_string();
    assert!(wrong.contains("line") && !wrong.contains("twice"), "{wrong}");
}

#[test]
fn what_is_not_known_is_an_error_with_its_line() {
    for (text, parts) in [
        ("n = 5\nesp = 0.1\n", ["line 2", "esp"]),
        ("n = 5\n\ndt = [1]\n", ["line 3", "10 Myr"]),
        ("n = -5\n", ["line 1", "-5"]),
        ("n = [5]\n", ["line 1", "one value"]),
        ("field = [\"nfw:m=1,a=2\", \"nwf\"]\n", ["line 1", "did you mean nfw?"]),
        ("par = \"k\"\n", ["line 1", "NAME=VALUE"]),
        ("n = \"five\"\n", ["line 1", "five"]),
        ("n = 5\nprecision = \"f16\"\n", ["line 2", "f16"]),
        ("file = \"a.txt\"\ncolumns = \"mass\"\n", ["line 2", "mass-first, mass-last"]),
        ("dt = \n", ["line 1", "dt"]),
        ("dt = 1\ndt = 2\n", ["line 2", "duplicate"]),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{text}: {message}");
        assert!(message.contains("b.toml"), "{message}");
    }
}

/// Descriptions with stretches cut out, doubled, replaced or nested: never a panic, and what is read is written back.
#[test]
fn damaged_descriptions_are_errors() {
    let good = "ic = \"king\"\nn = 1e3\nseed = 7\ndt = \"1/128\"\nt-end = 10\nsnapshot-every = 0.5\n[with]\nw0 = 7\n";
    let pieces = ["\"", "=", "[", "]]", "{", "}", "1e999", "-", "nan", "'''", "\n", "#", "\u{e9}", "with.w0 = 1"];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.toml");
    let mut state = 1_u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let (mut read, mut refused) = (0, 0);
    for _ in 0..5000 {
        let mut text: Vec<char> = good.chars().collect();
        for _ in 0..1 + below(3) {
            let at = below(text.len());
            let end = text.len().min(at + below(20));
            let piece: Vec<char> = match below(3) {
                0 => Vec::new(),
                1 => text[at..end].repeat(2),
                _ => pieces[below(pieces.len())].repeat(1 + below(2)).chars().collect(),
            };
            text.splice(at..end, piece);
        }
        std::fs::write(&path, text.iter().collect::<String>()).unwrap();
        match Settings::read(&path) {
            Ok(settings) => {
                let text = settings.to_toml(folder.path(), "").unwrap();
                std::fs::write(&path, &text).unwrap();
                assert_eq!(format!("{:?}", Settings::read(&path).unwrap()), format!("{settings:?}"), "{text}");
                read += 1;
            }
            Err(error) => {
                assert!(error.to_string().contains("b.toml"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(read > 100 && refused > 100, "{read} {refused}");
    // brackets a hundred thousand deep
    std::fs::write(&path, format!("dt = {}", "[".repeat(100_000))).unwrap();
    Settings::read(&path).unwrap_err();
}

/// Gravity, in whatever way it is spelled, is no other law, and a run that names it has it in its description.
#[test]
fn gravity_is_a_law_by_name() {
    for text in ["gravity", " gravity "] {
        let settings = read(&format!("law = \"{text}\"\n")).unwrap();
        assert_eq!(settings.law, Some(ForceLaw::Gravity));
        let parameters = Parameters::default().with(&settings, &Units::henon()).unwrap();
        assert_eq!((parameters.law(), parameters.describe().law), (None, Some(ForceLaw::Gravity)));
    }
    let settings = read("law = \"coulomb\"\n").unwrap();
    let parameters = Parameters::default().with(&settings, &Units::henon()).unwrap();
    assert_eq!((parameters.law(), parameters.describe().law), (Some("coulomb"), Some("coulomb".into())));
}

#[test]
fn counts_are_whole() {
    for (text, n) in [("0", 0), ("16384", 16384), ("1e6", 1_000_000), ("1_000", 1000), ("2.5e3", 2500), ("1E2", 100)] {
        assert_eq!(count(text), Ok(n), "{text}");
    }
    for wrong in ["", "-1", "1.5", "nan", "inf", "1e300", "many", "1e-3", "_"] {
        assert!(count(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_last_settings_apply() {
    let text = "ic = \"disc\"\nn = 5\nseed = 7\ndt = 1\neps = \"1/8\"\n[with]\nthickness = \"1/10\"\nhalo-mass = 5\n";
    let settings = read(text).unwrap();
    let with = |value: &str| [("thickness".to_owned(), value.to_owned())].into();
    let said = Settings { n: Some(6), dt: Some(2.0.into()), with: Some(with("0.3")), ..Settings::default() };
    let both = settings.clone().overridden_by(said);
    assert_eq!((both.ic.as_deref(), both.n, both.seed), (Some("disc"), Some(6), Some(7)));
    assert_eq!((both.dt, both.eps), (Some(Quantity::Number(2.0)), Some(Quantity::Text("1/8".into()))));
    let with: Vec<_> = both.with.unwrap_or_default().into_iter().collect();
    assert_eq!(with, [("halo-mass".into(), "5".into()), ("thickness".into(), "0.3".into())]);
    // another model keeps what it knows of; one with bodies of its own, nothing
    let ic = |name: &str| settings.clone().overridden_by(Settings { ic: Some(name.into()), ..Settings::default() });
    let (same, other, own) = (ic("disc"), ic("king"), ic("kepler"));
    assert_eq!((same.n, same.seed, &same.with), (Some(5), Some(7), &settings.with));
    assert_eq!((other.ic.as_deref(), other.n, other.seed, other.with), (Some("king"), Some(5), Some(7), None));
    assert_eq!((own.n, own.seed, own.with), (None, None, None));
    // another start leaves nothing of the first
    let other = settings.overridden_by(Settings { file: Some("a.hdf5".into()), ..Settings::default() });
    assert_eq!((other.ic, other.n, other.seed, other.dt), (None, None, None, Some(Quantity::Number(1.0))));
}

/// docs/settings.md is made from the table: with MANYBODY_BLESS=1 in the environment this test writes it.
#[test]
fn the_documentation_is_that_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    if std::env::var_os("MANYBODY_BLESS").is_some() {
        std::fs::write(&path, markdown()).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, markdown(), "MANYBODY_BLESS=1 cargo test -p manybody settings writes docs/settings.md");
}
