//! Descriptions of runs: settings in TOML.
//!
//! ```toml
//! ic = "plummer"              # or file = "mine.hdf5", or resume = "other.0003.hdf5"
//! n = 16384
//! seed = 1
//! dt = "1/128"                # a number, or a text with a fraction or a unit
//! t-end = 1
//! eps = 0.015625
//! precision = "f64"
//! snapshot-every = 0.25
//! field = ["nfw:m=10,a=5"]    # a list, for settings that may be given several times
//! out = "b.csv"               # without it: beside this file, with its name, .hdf5
//!
//! [with]                      # parameters of the initial conditions; w0 = 7 above, beside n, says the same
//! w0 = 7
//! ```
//!
//! The keys are the names of the table. Files are looked for beside the TOML file. A key that is not known is an
//! error, with its line: a misspelt `esp` must not run with another softening.

use super::{Raw, Settings, TABLE, find};
use crate::snapshot::{Checksum, checksum};
use crate::{Error, Result, ic};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The most bytes of a description.
const MAX_BYTES: u64 = 1 << 20;

impl Settings {
    /// Reads a TOML file; the files it names are taken from its folder. One that was edited since a run wrote it has no
    /// `initial-state` any more: other bodies may be intended.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Format`] with line and column for what is not TOML or not known.
    pub fn read(path: &Path) -> Result<Self> {
        Self::read_checked(path).map(|(settings, _)| settings)
    }

    /// As [`read`](Self::read), with whether the file has the checksum of another text: it was edited since a run has
    /// written it, or is damaged.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_checked(path: &Path) -> Result<(Self, bool)> {
        let bytes = bytes_of(path)?;
        let mut settings = Self::read_bytes(path, &bytes)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for name in settings.paths() {
            *name = folder.join(&*name);
        }
        Ok((settings.with_law_text(folder)?, matches!(checksum::of_text(&bytes)?, Checksum::Differs(_))))
    }

    /// Reads a description from bytes, with the names of files as they stand in it; `path` stands for the file's name
    /// in errors.
    ///
    /// # Errors
    /// As [`read`](Self::read), but those of the disk.
    pub fn read_bytes(path: &Path, bytes: &[u8]) -> Result<Self> {
        let edited = !matches!(checksum::of_text(bytes)?, Checksum::Whole(_));
        let wrong = |problem| Error::Format { path: path.into(), format: "TOML", problem };
        let text = std::str::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
        let mut settings: Settings =
            toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().into()))?;
        if edited {
            settings.initial_state = None;
        }
        Ok(settings)
    }

    /// The TOML text that [`read`](Self::read) reads back from `folder`, after `comment`; file names are made
    /// relative to the folder.
    ///
    /// # Errors
    /// [`Error::Io`] where a file name cannot be made relative; [`Error::Parameter`] for a value that TOML cannot hold.
    pub fn to_toml(&self, folder: &Path, comment: &str) -> Result<String> {
        let mut settings = self.clone();
        for name in settings.paths() {
            *name = relative(name, folder)?;
        }
        let text = toml::to_string(&settings).map_err(|error| Error::Parameter {
            name: "settings",
            value: format!("{settings:?}"),
            expected: error.to_string(),
        })?;
        Ok(format!("{comment}{text}"))
    }
}

/// True for a description that a run has written, and that was not edited since.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn is_generated(path: &Path) -> Result<bool> {
    let bytes = bytes_of(path)?;
    // before there were checksums, descriptions began so
    let old = bytes.starts_with(b"# A run of manybody ");
    Ok(old || matches!(checksum::of_text(&bytes)?, Checksum::Whole(_)))
}

/// The content of a description, which may be on a device that has no end.
fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|source| Error::Io { path: path.into(), action: "read", source })?;
    if bytes.len() as u64 > MAX_BYTES {
        let problem = format!("a description has at most {MAX_BYTES} bytes");
        return Err(Error::Format { path: path.into(), format: "TOML", problem });
    }
    Ok(bytes)
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

/// Whether a model of initial conditions has a parameter of that name.
fn is_parameter(name: &str) -> bool {
    ic::registry().iter().flat_map(|model| model.parameters).any(|parameter| parameter.name == name)
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(OfSettings)
    }
}

struct OfSettings;

impl<'de> Visitor<'de> for OfSettings {
    type Value = Settings;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the settings of a run")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Settings, A::Error> {
        let mut settings = Settings::default();
        let mut with = BTreeMap::new();
        let mut put = |name: String, value: Raw| match with.insert(name.clone(), value.to_string()) {
            Some(_) => Err(de::Error::custom(format!("{name} is given twice, by itself and under [with]"))),
            None => Ok(()),
        };
        while let Some(Key(name)) = map.next_key()? {
            if name == "with" {
                for (name, value) in map.next_value::<BTreeMap<String, Raw>>()? {
                    put(name, value)?;
                }
            } else if is_parameter(&name) {
                put(name, map.next_value()?)?;
            } else {
                map.next_value_seed(Named(&mut settings, &name))?;
            }
        }
        settings.with = Some(with).filter(|with| !with.is_empty());
        Ok(settings)
    }
}

/// A key that is known.
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        if name == "with" || is_parameter(&name) || find(&name).is_some() {
            return Ok(Key(name));
        }
        let known: Vec<&str> = TABLE.iter().map(|setting| setting.name).chain(["with"]).collect();
        Err(de::Error::custom(format!("unknown field `{name}`, expected one of {}", known.join(", "))))
    }
}

/// A value for a setting; what is wrong with it has its line.
struct Named<'a>(&'a mut Settings, &'a str);

impl<'de> de::DeserializeSeed<'de> for Named<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        let Named(settings, name) = self;
        match settings.set_raw(name, raw) {
            Some(Ok(())) => Ok(()),
            Some(Err(problem)) => Err(de::Error::custom(format!("{name}: {problem}"))),
            None => Err(de::Error::custom(format!("unknown field `{name}`"))),
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct OfRaw;
        impl<'de> Visitor<'de> for OfRaw {
            type Value = Raw;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a text such as \"1/128\" or \"10 Myr\"")
            }
            fn visit_f64<E>(self, value: f64) -> std::result::Result<Raw, E> {
                Ok(Raw::Number(value))
            }
            fn visit_i64<E>(self, value: i64) -> std::result::Result<Raw, E> {
                Ok(Raw::Integer(value))
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> std::result::Result<Raw, E> {
                i64::try_from(value).map(Raw::Integer).map_err(E::custom)
            }
            fn visit_bool<E>(self, value: bool) -> std::result::Result<Raw, E> {
                Ok(Raw::Boolean(value))
            }
            fn visit_str<E>(self, text: &str) -> std::result::Result<Raw, E> {
                Ok(Raw::Text(text.into()))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Raw, A::Error> {
                let mut texts = Vec::new();
                while let Some(raw) = list.next_element::<Raw>()? {
                    texts.push(raw.to_string());
                }
                Ok(Raw::List(texts))
            }
        }
        deserializer.deserialize_any(OfRaw)
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Raw::Integer(value) => serializer.serialize_i64(*value),
            Raw::Number(value) => serializer.serialize_f64(*value),
            Raw::Text(text) => serializer.serialize_str(text),
            Raw::Boolean(value) => serializer.serialize_bool(*value),
            Raw::Path(path) => serializer.collect_str(&path.display()),
            Raw::List(texts) => serializer.collect_seq(texts),
        }
    }
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (setting, raw) in self.raw() {
            map.serialize_entry(setting.name, &raw)?;
        }
        if let Some(with) = &self.with {
            map.serialize_entry("with", with)?; // TOML has tables after plain values
        }
        map.end()
    }
}
