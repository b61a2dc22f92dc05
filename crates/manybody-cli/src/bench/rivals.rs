//! Other programs on the same bodies in the same run: the crate particular, and REBOUND from PyPI.

use super::Bench;
use super::row::{Answer, Row};
use anyhow::{Context, bail};
use manybody::{Bodies, Error};
use std::io::Write;

/// A program that can be run beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rival {
    Particular,
    Rebound,
}

impl Rival {
    const ALL: [Rival; 2] = [Rival::Particular, Rival::Rebound];

    fn name(self) -> &'static str {
        match self {
            Rival::Particular => "particular",
            Rival::Rebound => "rebound",
        }
    }
}

/// The rivals of these names.
///
/// # Errors
/// A name that is no rival, or one that this program was built without.
pub(super) fn named(names: &[String]) -> anyhow::Result<Vec<Rival>> {
    let named = |name: &String| {
        let known = || Rival::ALL.map(Rival::name).join(", ");
        let found = Rival::ALL.into_iter().find(|rival| rival.name() == name);
        let rival = found.ok_or_else(|| Error::Unknown { what: "rival", name: name.clone(), known: known() })?;
        if rival == Rival::Particular && !cfg!(feature = "rivals") {
            bail!("this program was built without particular: build it with --features rivals");
        }
        Ok(rival)
    };
    names.iter().map(named).collect()
}

pub(super) fn run(
    rival: Rival,
    python: &str,
    bench: &Bench,
    bodies: &Bodies,
    answer: &Answer,
) -> anyhow::Result<Vec<Row>> {
    match rival {
        Rival::Rebound => Ok(vec![rebound(python, bench, bodies, answer)?]),
        Rival::Particular => particular(bench, bodies, answer),
    }
}

#[cfg(not(feature = "rivals"))]
fn particular(_: &Bench, _: &Bodies, _: &Answer) -> anyhow::Result<Vec<Row>> {
    bail!("this program was built without particular: build it with --features rivals")
}

/// Its brute-force SIMD method on the same threads, f32 in 4 and 8 lanes and f64 in 4: it fixes its instructions when it
/// is compiled (RUSTFLAGS="-C target-cpu=native" gives it its best).
#[cfg(feature = "rivals")]
fn particular(bench: &Bench, bodies: &Bodies, answer: &Answer) -> anyhow::Result<Vec<Row>> {
    use particular::prelude::*;
    let n = bodies.len();
    macro_rules! method {
        ($t:ident, $lanes:literal) => {{
            let points: Vec<([$t; 3], $t)> =
                (0..n).map(|i| (bodies.position(i).map(|q| q as $t), bodies.mass[i] as $t)).collect();
            let softening = bench.gravity.eps as $t;
            let mut method = particular::parallel::BruteForceSoftenedSIMD::<$lanes, $t> { softening };
            let mut acc: Vec<[$t; 3]> = Vec::new();
            let seconds = bench.time(|| {
                acc = points.iter().accelerations(&mut method).collect();
                Ok(())
            })?;
            let name = concat!("SIMD x", $lanes);
            let mut row = Row::new("particular", name, stringify!($t), n, bench.threads, &seconds);
            row.check(answer, |i| acc[i].map(|a| a as f64));
            row
        }};
    }
    Ok(vec![method!(f32, 4), method!(f32, 8), method!(f64, 4)])
}

/// Its `basic` gravity, as its wheel was built (one thread unless built with OpenMP).
fn rebound(python: &str, bench: &Bench, bodies: &Bodies, answer: &Answer) -> anyhow::Result<Row> {
    let mut text = format!("{} {} {}\n", bodies.len(), bench.gravity.eps, bench.repeat);
    for i in 0..bodies.len() {
        let [x, y, z] = bodies.position(i);
        text += &format!("{} {x} {y} {z}\n", bodies.mass[i]);
    }
    text += &answer.indices().map(|i| i.to_string()).collect::<Vec<_>>().join(" ");
    let mut child = std::process::Command::new(python)
        .args(["-c", include_str!("rebound.py")])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {python} (--python names another)"))?;
    // a Python without REBOUND ends before it reads anything: its exit status is checked below
    let fed = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!(
            "{python} could not run REBOUND: `{python} -m pip install rebound`, or name another Python with --python"
        );
    }
    fed?;
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).context("REBOUND's answer is not JSON")?;
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect()
    };
    let (seconds, acc) = (numbers(&said["seconds"]), numbers(&said["acc"]));
    let indices: Vec<usize> = answer.indices().collect();
    if seconds.is_empty() || acc.len() != 3 * indices.len() {
        bail!("REBOUND's answer is not complete");
    }
    let mut row = Row::new(
        "rebound",
        format!("basic {}", said["version"].as_str().unwrap_or("")),
        "f64",
        bodies.len(),
        1,
        &seconds,
    );
    row.check(answer, |i| match indices.binary_search(&i) {
        Ok(k) => [acc[3 * k], acc[3 * k + 1], acc[3 * k + 2]],
        Err(_) => [f64::NAN; 3],
    });
    Ok(row)
}
