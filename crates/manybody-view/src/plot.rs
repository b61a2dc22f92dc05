//! `manybody plot`: the table of a run as charts against time.

use crate::chart::{Axis, Chart, Curve, Page, Scale};
use crate::wrong;
use manybody::log::{COLUMNS, Table};
use manybody::units::{Dimension, show};
use manybody::{Error, Result, Units};

/// What is drawn where nothing is said, of what the table has.
pub const DEFAULT: [&str; 3] = ["energy_error", "lagrangian", "virial_ratio"];

/// All Lagrangian radii, with the core radius.
const LAGRANGIAN: &str = "lagrangian";

/// The charts of some columns, below each other; "lagrangian" is all Lagrangian radii with the core radius. Without
/// names, those of [`DEFAULT`] that the table has.
///
/// # Errors
/// [`Error::Unknown`] for a column that the table does not have, [`Error::Parameter`] where it lacks all of the default
/// or has no line.
pub fn page(table: &Table, title: &str, names: &[String]) -> Result<Page> {
    let time = table.column("time").unwrap_or_default();
    if time.is_empty() {
        return Err(wrong("lines", 0, "the table has no line yet: there is nothing to plot"));
    }
    let (unit, factor) = show::time_unit(&table.units).map_or((None, 1.0), |(unit, factor)| (Some(unit), factor));
    let time: Vec<f64> = time.iter().map(|t| t * factor).collect();
    let x = Axis { label: with_unit("t", unit), scale: Scale::Linear };
    let names = match names {
        [] => defaults(table)?,
        names => names.iter().map(String::as_str).collect(),
    };
    let charts = names.into_iter().map(|name| chart(table, name, &time, &x)).collect::<Result<_>>()?;
    Ok(Page { title: title.into(), charts })
}

/// What can be drawn of a table.
fn known(table: &Table) -> Vec<&'static str> {
    let columns = COLUMNS.iter().map(|column| column.name).filter(|name| table.column(name).is_some());
    let is_whole = lagrangian().all(|(_, column)| table.column(column).is_some());
    is_whole.then_some(LAGRANGIAN).into_iter().chain(columns).collect()
}

/// The curves of "lagrangian": their names and columns.
fn lagrangian() -> impl Iterator<Item = (String, &'static str)> {
    let shares = COLUMNS.iter().filter_map(|column| Some((column.name.strip_prefix("lagrangian_")?, column.name)));
    let radii = shares.map(|(share, column)| (format!("{share} %"), column));
    [("core radius".into(), "core_radius")].into_iter().chain(radii)
}

fn defaults(table: &Table) -> Result<Vec<&'static str>> {
    let known = known(table);
    let found: Vec<&str> = DEFAULT.into_iter().filter(|name| known.contains(name)).collect();
    if found.is_empty() {
        let expected = format!("the table has no column of these; it has {}", known.join(", "));
        return Err(wrong("show", DEFAULT.join(","), expected));
    }
    Ok(found)
}

fn with_unit(name: &str, unit: Option<&str>) -> String {
    unit.map_or(name.into(), |unit| format!("{name} [{unit}]"))
}

fn chart(table: &Table, name: &str, time: &[f64], x: &Axis) -> Result<Chart> {
    let curve = |name: &str, column: &str, of: fn(f64) -> f64| -> Result<Curve> {
        let values = table.column(column).ok_or_else(|| unknown(column, table))?;
        Ok(Curve { name: name.into(), points: time.iter().copied().zip(values.iter().map(|y| of(*y))).collect() })
    };
    let same: fn(f64) -> f64 = |y| y;
    let unit = |dimension: Dimension, units: &Units| match dimension {
        Dimension::LENGTH => show::length_unit(units).map(str::to_owned),
        other => show::unit(other, units),
    };
    match name {
        LAGRANGIAN => {
            let curves = lagrangian().map(|(name, column)| curve(&name, column, same)).collect::<Result<_>>()?;
            let length = unit(Dimension::LENGTH, &table.units);
            let y = Axis { label: with_unit("Lagrangian radii", length.as_deref()), scale: Scale::Log };
            Ok(Chart { x: x.clone(), y, curves, base: None })
        }
        "energy_error" => {
            let y = Axis { label: "|E - E0| / |E0|".into(), scale: Scale::Log };
            Ok(Chart { x: x.clone(), y, curves: vec![curve(name, name, f64::abs)?], base: None })
        }
        _ => {
            let column = COLUMNS.iter().find(|column| column.name == name).ok_or_else(|| unknown(name, table))?;
            let label = with_unit(&name.replace('_', " "), unit(column.dimension, &table.units).as_deref());
            let base = (name == "virial_ratio").then_some(1.0);
            let y = Axis { label, scale: Scale::Linear };
            Ok(Chart { x: x.clone(), y, curves: vec![curve(name, name, same)?], base })
        }
    }
}

fn unknown(name: &str, table: &Table) -> Error {
    Error::Unknown { what: "column of the table", name: name.into(), known: known(table).join(", ") }
}
