//! A run described: what a TOML file and the command line can say, every word optional.
//!
//! ```toml
//! ic = "plummer"              # or file = "mine.hdf5", or resume = "other.0003.hdf5"
//! n = 16384
//! seed = 1
//! dt = "1/128"                # a number, or a text with a fraction or a unit
//! t-end = 1
//! eps = 0.015625
//! integrator = "leapfrog"
//! solver = "symmetric"
//! precision = "f64"
//! sum = "blocked"             # how forces are added
//! audit = 0.001
//! audit-limit = 1e-5          # in place of what the precision explains
//! max-energy-error = 1e-3
//! rtol = 1e-6                 # where forces are to stay; with a precision it is only held against them
//! device = "cpu"
//! snapshot-every = 0.25
//! out = "b.csv"               # without it: beside this file, with its name, .hdf5
//!
//! [with]                      # parameters of the initial conditions; w0 = 7 above, beside n, says the same
//! w0 = 7
//! ```
//!
//! The keys are the words of the command line. Files are looked for beside the TOML file. A key that is not known is
//! an error, with its line: a misspelt `esp` must not run with another softening.

use super::start::DEFAULT_IC;
use manybody::simulation::Standing;
use manybody::snapshot::{Checksum, checksum};
use manybody::solver::Summation;
use manybody::units::{Dimension, Units, parse_quantity};
use manybody::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What has been said about a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Scene {
    pub(super) file: Option<PathBuf>,
    pub(super) ic: Option<String>,
    #[serde(default, deserialize_with = "count")]
    pub(super) n: Option<u64>,
    pub(super) seed: Option<u64>,
    pub(super) columns: Option<String>,
    pub(super) resume: Option<PathBuf>,
    pub(super) dt: Option<Quantity>,
    pub(super) t_end: Option<Quantity>,
    pub(super) eps: Option<Quantity>,
    pub(super) integrator: Option<String>,
    pub(super) solver: Option<String>,
    pub(super) precision: Option<String>,
    pub(super) sum: Option<String>,
    pub(super) rtol: Option<Quantity>,
    pub(super) audit: Option<Quantity>,
    pub(super) audit_limit: Option<Quantity>,
    pub(super) max_energy_error: Option<Quantity>,
    pub(super) device: Option<String>,
    pub(super) snapshot_every: Option<Quantity>,
    pub(super) out: Option<PathBuf>,
    /// Parameters of the initial conditions; last, since TOML wants tables after plain values.
    #[serde(default, deserialize_with = "words")]
    pub(super) with: Option<BTreeMap<String, String>>,
}

impl Scene {
    /// Reads a TOML file; the files it names are taken from its folder.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Format`] with line and column for what is not TOML or not known.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let wrong = |problem| Error::Format { path: path.into(), format: "TOML", problem };
        let text = String::from_utf8(bytes_of(path)?).map_err(|error| wrong(error.to_string()))?;
        let plain = toml::from_str(&text).map_err(|error| wrong(error.to_string().trim_end().into()));
        let mut scene: Scene = plain.or_else(|error| with_parameters(&text).unwrap_or(Err(error)))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for name in [&mut scene.file, &mut scene.resume, &mut scene.out].into_iter().flatten() {
            *name = folder.join(&*name);
        }
        Ok(scene)
    }

    /// The TOML text that [`read`](Self::read) reads back from `folder`; file names are made relative to it.
    ///
    /// # Errors
    /// [`Error::Io`] where a file name cannot be made relative.
    pub(super) fn to_toml(&self, folder: &Path, comment: &str) -> anyhow::Result<String> {
        let mut scene = self.clone();
        for name in [&mut scene.file, &mut scene.resume, &mut scene.out].into_iter().flatten() {
            *name = relative(name, folder)?;
        }
        Ok(format!("{comment}{}", toml::to_string(&scene)?))
    }

    /// This scene with what `over` says in place of its own. Another start takes the place of the whole start; another
    /// model leaves the number of bodies and the seed, where it has such, and takes the parameters of the first away.
    pub(super) fn overlaid(mut self, over: Scene) -> Self {
        if over.file.is_some() || over.resume.is_some() {
            self = Scene { file: None, columns: None, ic: None, n: None, seed: None, with: None, resume: None, ..self };
        } else if let Some(model) = &over.ic {
            self = Scene { file: None, columns: None, resume: None, ..self };
            if self.ic.as_deref().unwrap_or(DEFAULT_IC) != model {
                self.with = None;
                if manybody::ic::find(model).is_ok_and(|model| model.n.is_some()) {
                    (self.n, self.seed) = (None, None);
                }
            }
        }
        // each of the two chooses how forces are computed
        if over.rtol.is_some() {
            self = Scene { precision: None, sum: None, solver: None, ..self };
        } else if over.precision.is_some() || over.sum.is_some() || over.solver.is_some() {
            self.rtol = None;
        }
        Scene {
            file: over.file.or(self.file),
            ic: over.ic.or(self.ic),
            n: over.n.or(self.n),
            seed: over.seed.or(self.seed),
            columns: over.columns.or(self.columns),
            resume: over.resume.or(self.resume),
            dt: over.dt.or(self.dt),
            t_end: over.t_end.or(self.t_end),
            eps: over.eps.or(self.eps),
            integrator: over.integrator.or(self.integrator),
            solver: over.solver.or(self.solver),
            precision: over.precision.or(self.precision),
            sum: over.sum.or(self.sum),
            rtol: over.rtol.or(self.rtol),
            audit: over.audit.or(self.audit),
            audit_limit: over.audit_limit.or(self.audit_limit),
            max_energy_error: over.max_energy_error.or(self.max_energy_error),
            device: over.device.or(self.device),
            snapshot_every: over.snapshot_every.or(self.snapshot_every),
            out: over.out.or(self.out),
            // each parameter by itself, or --w0 would take the others of the file away
            with: match (self.with, over.with) {
                (Some(with), Some(over)) => Some(with.into_iter().chain(over).collect()),
                (with, over) => over.or(with),
            },
        }
    }
}

/// The content of a description, which may be on a device that has no end.
fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    const MOST: u64 = 1 << 20;
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes));
    read.map_err(|source| Error::Io { path: path.into(), action: "read", source })?;
    if bytes.len() as u64 > MOST {
        let problem = format!("a description has at most {MOST} bytes");
        return Err(Error::Format { path: path.into(), format: "TOML", problem });
    }
    Ok(bytes)
}

/// True for a description that a run has written, and that nobody has edited since.
///
/// # Errors
/// [`Error::Io`].
pub(super) fn is_generated(path: &Path) -> Result<bool> {
    let bytes = bytes_of(path)?;
    // before there were checksums, descriptions began so
    let old = bytes.starts_with(b"# A run of manybody ");
    Ok(old || matches!(checksum::of_text(&bytes)?, Checksum::Whole(_)))
}

/// The first of the words of a description that a snapshot of the run contradicts, with both values.
///
/// # Errors
/// Those of a quantity that cannot be read.
pub(super) fn contradiction(scene: &Scene, standing: &Standing, units: &Units) -> Result<Option<String>> {
    let kept = &standing.parameters;
    let differs =
        |name: &str, said: String, kept: String| (said != kept).then(|| format!("{name} = {said}, not {kept}"));
    let number =
        |name: &'static str, said: &Option<Quantity>, dimension, kept: Option<f64>| -> Result<Option<String>> {
            let Some(said) = said else { return Ok(None) };
            let kept = kept.map_or("none".into(), |kept| kept.to_string());
            Ok(differs(name, said.value(name, dimension, units)?.to_string(), kept))
        };
    let word =
        |name: &str, said: &Option<String>, kept: String| said.clone().and_then(|said| differs(name, said, kept));
    let sum = scene.sum.as_deref().map(str::parse::<Summation>).transpose()?.map(|sum| sum.to_string());
    let device = scene.device.clone().filter(|device| device != "auto");
    let mut found = vec![
        number("dt", &scene.dt, Dimension::TIME, Some(kept.dt))?,
        number("eps", &scene.eps, Dimension::LENGTH, kept.eps)?,
        word("integrator", &scene.integrator, kept.integrator.clone()),
        word("solver", &scene.solver, kept.solver.clone()),
        word("precision", &scene.precision, kept.precision.to_string()),
        word("sum", &sum, kept.sum.to_string()),
        word("device", &device, kept.device.to_string()),
    ];
    // the last snapshot has neither an end to come nor a schedule
    if !standing.last {
        found.push(number("t-end", &scene.t_end, Dimension::TIME, Some(kept.t_end))?);
        found.push(match (&scene.snapshot_every, kept.snapshot_every) {
            (None, Some(every)) => Some(format!("no snapshot-every, not {every}")),
            (said, every) => number("snapshot-every", said, Dimension::TIME, every)?,
        });
    }
    Ok(found.into_iter().flatten().next())
}

/// A description whose parameters of the initial conditions stand beside the other keys, as they do on the command line.
/// None for one that has no such, or is wrong in another way: the error of the plain text has its line.
fn with_parameters(text: &str) -> Option<Result<Scene>> {
    let mut table: toml::Table = toml::from_str(text).ok()?;
    let known = crate::model::names();
    let moved: Vec<String> = table.keys().filter(|key| known.contains(key.as_str())).cloned().collect();
    let moved: Vec<(String, toml::Value)> = moved.into_iter().filter_map(|key| table.remove_entry(&key)).collect();
    if moved.is_empty() {
        return None;
    }
    let with = table.entry("with").or_insert_with(|| toml::Table::new().into()).as_table_mut()?;
    for (name, value) in moved {
        if with.contains_key(&name) {
            let expected = "given twice, by itself and under [with]: once is enough".into();
            return Some(Err(Error::Parameter { name: "with", value: name, expected }));
        }
        with.insert(name, value);
    }
    table.try_into().ok().map(Ok)
}

/// `path` as seen from `folder`, where there is a way; as it is otherwise.
///
/// # Errors
/// [`Error::Io`] where that cannot be found out.
fn relative(path: &Path, folder: &Path) -> Result<PathBuf> {
    let resolve = |folder: &Path| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        match folder.canonicalize() {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Io { path: folder.into(), action: "find out where it is", source }),
        }
    };
    // names that do not exist yet (the output) are resolved by their folder
    let (Some(name), Some(parent)) = (path.file_name(), path.parent()) else { return Ok(path.into()) };
    let (Some(parent), Some(folder)) = (resolve(parent)?, resolve(folder)?) else { return Ok(path.into()) };
    Ok(pathdiff::diff_paths(parent.join(name), folder).unwrap_or_else(|| path.into()))
}

/// A number, or a text that is one in some units: "1/128", "10 Myr".
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Quantity {
    Number(f64),
    Text(String),
}

impl Quantity {
    /// The number in `units`. `name` is what the quantity is called where it was given.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming it.
    pub(super) fn value(&self, name: &'static str, dimension: Dimension, units: &Units) -> Result<f64> {
        match self {
            Quantity::Number(value) => Ok(*value),
            Quantity::Text(text) => parse_quantity(text, dimension, units).map_err(|error| Error::Parameter {
                name,
                value: text.clone(),
                expected: match error {
                    Error::Parameter { expected, .. } => expected,
                    other => other.to_string(),
                },
            }),
        }
    }
}

/// A number of bodies as the command line has it, 1e6 too.
fn count<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<u64>, D::Error> {
    let text = match toml::Value::deserialize(from)? {
        toml::Value::String(text) => text,
        other => other.to_string(),
    };
    crate::model::count(&text).map(Some).map_err(|wanted| serde::de::Error::custom(format!("n = {text}: {wanted}")))
}

/// Parameters as the command line gives them: w0 = 7 is w0 = "7".
fn words<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<BTreeMap<String, String>>, D::Error> {
    let word = |quantity| match quantity {
        Quantity::Number(value) => format!("{value:?}").trim_end_matches(".0").to_owned(),
        Quantity::Text(text) => text,
    };
    let given = BTreeMap::<String, Quantity>::deserialize(from)?;
    Ok(Some(given.into_iter().map(|(name, quantity)| (name, word(quantity))).collect()))
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Quantity::Number(value) => serializer.serialize_f64(*value),
            Quantity::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Quantity;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number, or a text such as \"1/128\" or \"10 Myr\"")
            }
            fn visit_f64<E>(self, value: f64) -> std::result::Result<Quantity, E> {
                Ok(Quantity::Number(value))
            }
            fn visit_i64<E>(self, value: i64) -> std::result::Result<Quantity, E> {
                Ok(Quantity::Number(value as f64))
            }
            fn visit_str<E>(self, text: &str) -> std::result::Result<Quantity, E> {
                Ok(Quantity::Text(text.into()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Scene> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.toml");
        std::fs::write(&path, text).unwrap();
        Scene::read(&path)
    }

    #[test]
    fn every_key_is_read_and_written_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.toml");
        let scene = Scene {
            file: Some(folder.path().join("sub dir/in.hdf5")),
            ic: Some("plummer".into()),
            n: Some(3),
            seed: Some(i64::MAX as u64),
            resume: Some(folder.path().join("a.0001.hdf5")),
            dt: Some(Quantity::Number(0.1)),
            t_end: Some(Quantity::Text("10 Myr".into())),
            eps: Some(Quantity::Number(1e-300)),
            integrator: Some("yoshida4".into()),
            solver: Some("direct".into()),
            precision: Some("f32".into()),
            sum: Some("blocked:256".into()),
            rtol: Some(Quantity::Number(1e-6)),
            audit: Some(Quantity::Text("1/100".into())),
            audit_limit: Some(Quantity::Number(1e-5)),
            max_energy_error: Some(Quantity::Number(1e-3)),
            device: Some("cpu".into()),
            snapshot_every: Some(Quantity::Number(1.0 / 3.0)),
            out: Some(folder.path().join("b.hdf5")),
            columns: Some("mass-first".into()),
            with: Some([("w0".to_owned(), "7".to_owned())].into()),
        };
        std::fs::create_dir(folder.path().join("sub dir")).unwrap();
        let text = scene.to_toml(folder.path(), "# a run\n").unwrap();
        assert!(text.starts_with("# a run\n") && text.contains("out = \"b.hdf5\""), "{text}");
        std::fs::write(&path, &text).unwrap();
        assert_eq!(Scene::read(&path).unwrap(), scene, "{text}");
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
            ("n = \"five\"\n", ["line 1", "five"]),
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
        let good =
            "ic = \"king\"\nn = 1e3\nseed = 7\ndt = \"1/128\"\nt-end = 10\nsnapshot-every = 0.5\n[with]\nw0 = 7\n";
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
            match Scene::read(&path) {
                Ok(scene) => {
                    let text = scene.to_toml(folder.path(), "").unwrap();
                    std::fs::write(&path, &text).unwrap();
                    assert_eq!(format!("{:?}", Scene::read(&path).unwrap()), format!("{scene:?}"), "{text}");
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
        Scene::read(&path).unwrap_err();
    }

    #[test]
    fn the_command_line_has_the_last_word() {
        let scene =
            "ic = \"disc\"\nn = 5\nseed = 7\ndt = 1\neps = \"1/8\"\n[with]\nthickness = \"1/10\"\nhalo-mass = 5\n";
        let scene = read(scene).unwrap();
        let with = |value: &str| [("thickness".to_owned(), value.to_owned())].into();
        let said = Scene { n: Some(6), dt: Some(Quantity::Number(2.0)), with: Some(with("0.3")), ..Scene::default() };
        let both = scene.clone().overlaid(said);
        assert_eq!((both.ic.as_deref(), both.n, both.seed), (Some("disc"), Some(6), Some(7)));
        assert_eq!((both.dt, both.eps), (Some(Quantity::Number(2.0)), Some(Quantity::Text("1/8".into()))));
        let with: Vec<_> = both.with.unwrap_or_default().into_iter().collect();
        assert_eq!(with, [("halo-mass".into(), "5".into()), ("thickness".into(), "0.3".into())]);
        // another model keeps what it knows of; one with bodies of its own, nothing
        let ic = |name: &str| scene.clone().overlaid(Scene { ic: Some(name.into()), ..Scene::default() });
        let (same, other, own) = (ic("disc"), ic("king"), ic("kepler"));
        assert_eq!((same.n, same.seed, &same.with), (Some(5), Some(7), &scene.with));
        assert_eq!((other.ic.as_deref(), other.n, other.seed, other.with), (Some("king"), Some(5), Some(7), None));
        assert_eq!((own.n, own.seed, own.with), (None, None, None));
        // another start leaves nothing of the first
        let other = scene.overlaid(Scene { file: Some("a.hdf5".into()), ..Scene::default() });
        assert_eq!((other.ic, other.n, other.seed, other.dt), (None, None, None, Some(Quantity::Number(1.0))));
    }
}
