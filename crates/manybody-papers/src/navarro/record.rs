//! Numbers that were measured before: JSON lines of `--json`, or of the program `triangles` of manybody-gpu.

use super::{Measured, Root, Test, Times};
use anyhow::{Context, bail};
use manybody::map::Triangle;
use serde_json::Value;
use std::path::Path;

/// The lines of a file, each with the device it belongs to: its own, or that of the last line that names one alone.
pub(super) fn lines(path: &Path) -> anyhow::Result<Vec<(String, Value)>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}: cannot read", path.display()))?;
    let (mut device, mut lines) = (String::from("device"), Vec::new());
    for (at, line) in text.lines().enumerate() {
        let value: Value = serde_json::from_str(line)
            .with_context(|| format!("{}: line {}: must be a JSON object", path.display(), at + 1))?;
        let text = |key: &str| value[key].as_str().filter(|text| !text.is_empty());
        if text("event") == Some("device") {
            text("name").or(text("device")).unwrap_or("device").clone_into(&mut device);
        } else {
            lines.push((text("device").unwrap_or(&device).to_owned(), value));
        }
    }
    Ok(lines)
}

/// The times of some maps in some tests, and how far roots are right.
pub(super) fn times(path: &Path, maps: &[Triangle], tests: &[Test]) -> anyhow::Result<Vec<Measured>> {
    let mut devices: Vec<Measured> = Vec::new();
    for (name, line) in lines(path)? {
        let at = devices.iter().position(|d| d.name == name).unwrap_or_else(|| {
            devices.push(Measured { name, times: Times::new(), roots: Vec::new() });
            devices.len() - 1
        });
        let text = |key: &str| line[key].as_str().unwrap_or_default();
        match text("event") {
            "figure5" | "navarro-figure-5" | "navarro-figure-3" => {
                let t = tests.iter().position(|test| test.name() == text("test"));
                let m = maps.iter().position(|map| map.name() == text("map"));
                if let (Some(t), Some(m)) = (t, m) {
                    let n = line["n"].as_u64().and_then(|n| u32::try_from(n).ok());
                    let seconds = line["seconds"].as_f64().filter(|s| *s > 0.0);
                    let (Some(n), Some(seconds)) = (n, seconds) else {
                        bail!("{}: n and seconds must be in {line}, above 0", path.display());
                    };
                    devices[at].times.insert((t, n, m), seconds);
                }
            }
            "root" => {
                let (tried, first_wrong) = (line["tried"].as_u64().unwrap_or_default(), line["first_wrong"].as_u64());
                let map = maps.iter().find(|map| map.name() == text("map"));
                devices[at].roots.extend(map.map(|map| Root { map: *map, tried, first_wrong }));
            }
            _ => {}
        }
    }
    devices.retain(|d| !d.times.is_empty());
    if devices.is_empty() {
        bail!(
            "{}: no line has a time of one of these tests: {}",
            path.display(),
            tests.iter().map(|test| test.name()).collect::<Vec<_>>().join(", ")
        );
    }
    Ok(devices)
}

#[cfg(test)]
mod tests {
    use super::{Test, Triangle, times};

    fn of(text: &str) -> anyhow::Result<Vec<super::Measured>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, text)?;
        times(&path, &[Triangle::BoundingBox, Triangle::Lambda], &[Test::Dummy])
    }

    #[test]
    fn times_belong_to_their_device() {
        let devices = of(concat!(
            r#"{"event":"device","device":"cuda","name":"A card"}"#,
            "\n",
            r#"{"event":"figure5","test":"dummy","n":64,"map":"lambda","seconds":2e-3}"#,
            "\n",
            r#"{"event":"root","map":"lambda","tried":9,"first_wrong":7}"#,
            "\n",
            r#"{"event":"navarro-figure-3","device":"cpu","test":"dummy","n":64,"map":"bb","seconds":1}"#,
            "\n",
            r#"{"event":"figure5","test":"another","n":64,"map":"bb","seconds":1}"#,
        ))
        .unwrap();
        assert_eq!(devices.len(), 2);
        assert_eq!(devices[0].name, "A card");
        assert_eq!(devices[0].times.get(&(0, 64, 1)), Some(&2e-3));
        assert_eq!((devices[0].roots[0].tried, devices[0].roots[0].first_wrong), (9, Some(7)));
        assert_eq!(devices[1].name, "cpu");
        assert_eq!(devices[1].times.get(&(0, 64, 0)), Some(&1.0));
    }

    #[test]
    fn what_is_no_measurement_is_refused() {
        let error = |text: &str| format!("{:#}", of(text).err().unwrap());
        assert!(error("{}\n12:30").contains("a.jsonl: line 2"));
        assert!(error(r#"{"event":"root"}"#).contains("no line has a time"));
        let negative = r#"{"event":"figure5","test":"dummy","n":64,"map":"bb","seconds":-1}"#;
        assert!(error(negative).contains("n and seconds must be"));
    }
}
