//! `manybody profile`: density, velocity dispersion and anisotropy against radius, as charts and as CSV.

use crate::chart::{Axis, Chart, Curve, Page, Scale};
use manybody::cluster::Shell;
use manybody::snapshot::atomic;
use manybody::units::{Dimension, show};
use manybody::{Result, Units};
use std::path::Path;

/// A column of the CSV file: name, dimension, and the number of a shell.
type Column = (&'static str, Dimension, fn(&Shell) -> Entry);

/// A number of a shell.
enum Entry {
    Count(usize),
    Number(f64),
}

use Entry::{Count, Number};

const COLUMNS: [Column; 10] = [
    ("inner", Dimension::LENGTH, |shell| Number(shell.inner)),
    ("outer", Dimension::LENGTH, |shell| Number(shell.outer)),
    ("radius", Dimension::LENGTH, |shell| Number(shell.radius)),
    ("bodies", Dimension::NUMBER, |shell| Count(shell.count)),
    ("mass", Dimension::MASS, |shell| Number(shell.mass)),
    ("density", Dimension::DENSITY, |shell| Number(shell.density)),
    ("dispersion", Dimension::VELOCITY, |shell| Number(shell.dispersion)),
    ("radial", Dimension::VELOCITY, |shell| Number(shell.radial)),
    ("tangential", Dimension::VELOCITY, |shell| Number(shell.tangential)),
    ("anisotropy", Dimension::NUMBER, |shell| Number(shell.anisotropy)),
];

/// The shells as CSV, with units in the header; numbers that are not finite are empty fields.
pub fn csv(shells: &[Shell], time: f64, units: &Units) -> String {
    let mut text = format!("# manybody profile 1\n# time = {time:?}\n# units = {:?}\n", units.name);
    let name = |(name, dimension, _): &Column| match show::unit(*dimension, units) {
        Some(unit) => format!("{name} [{unit}]"),
        None => (*name).into(),
    };
    let line = |fields: Vec<String>| fields.join(",") + "\n";
    text += &line(COLUMNS.iter().map(name).collect());
    for shell in shells {
        let field = |(_, _, of): &Column| match of(shell) {
            Count(count) => count.to_string(),
            Number(value) if value.is_finite() => format!("{value:?}"),
            Number(_) => String::new(),
        };
        text += &line(COLUMNS.iter().map(field).collect());
    }
    text
}

/// Writes the CSV file, all or nothing.
///
/// # Errors
/// [`Error::Io`](manybody::Error::Io).
pub fn write_csv(path: &Path, shells: &[Shell], time: f64, units: &Units) -> Result<()> {
    atomic::write_bytes(path, csv(shells, time, units).as_bytes())
}

/// Three charts against the radius: density, velocity dispersions, anisotropy.
pub fn page(shells: &[Shell], title: &str, units: &Units) -> Page {
    let axis = |name: &str, dimension: Dimension, scale: Scale| {
        let unit = show::unit(dimension, units).filter(|_| dimension != Dimension::NUMBER);
        Axis { label: unit.map_or(name.into(), |unit| format!("{name} [{unit}]")), scale }
    };
    let curve = |name: &str, of: fn(&Shell) -> f64| Curve {
        name: name.into(),
        points: shells.iter().map(|shell| (shell.radius, of(shell))).collect(),
    };
    let x = || axis("r", Dimension::LENGTH, Scale::Log);
    let charts = vec![
        Chart {
            x: x(),
            y: axis("density", Dimension::DENSITY, Scale::Log),
            curves: vec![curve("density", |shell| shell.density)],
            base: None,
        },
        Chart {
            x: x(),
            y: axis("velocity dispersion", Dimension::VELOCITY, Scale::Linear),
            curves: vec![
                curve("radial", |shell| shell.radial),
                curve("tangential", |shell| shell.tangential),
                curve("mean", |shell| shell.dispersion),
            ],
            base: None,
        },
        Chart {
            x: x(),
            y: axis("anisotropy", Dimension::NUMBER, Scale::Linear),
            curves: vec![curve("anisotropy", |shell| shell.anisotropy)],
            base: Some(0.0),
        },
    ];
    Page { title: title.into(), charts }
}
