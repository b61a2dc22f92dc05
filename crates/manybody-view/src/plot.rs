//! `manybody plot`: the table of a run as charts against time.

use crate::chart::{Axis, Chart, Curve, Page, Scale};
use crate::wrong;
use manybody::log::{COLUMNS, Table};
use manybody::units::{Dimension, show};
use manybody::{Error, Result, Units};

/// What is drawn where nothing is said.
pub const DEFAULT: [&str; 3] = ["energy_error", "lagrangian", "virial_ratio"];

/// The charts of some columns, below each other; "lagrangian" is all Lagrangian radii with the core radius.
///
/// # Errors
/// [`Error::Unknown`] for a column that is not there, [`Error::Parameter`] for a table without a line.
pub fn page(table: &Table, title: &str, names: &[String]) -> Result<Page> {
    let time = table.column("time").unwrap_or_default();
    if time.is_empty() {
        return Err(wrong("lines", 0, "the table has no line yet: there is nothing to plot"));
    }
    let (unit, factor) = show::time_unit(&table.units).map_or((None, 1.0), |(unit, factor)| (Some(unit), factor));
    let time: Vec<f64> = time.iter().map(|t| t * factor).collect();
    let x = Axis { label: with_unit("t", unit), scale: Scale::Linear };
    let charts = names.iter().map(|name| chart(table, name, &time, &x)).collect::<Result<_>>()?;
    Ok(Page { title: title.into(), charts })
}

fn with_unit(name: &str, unit: Option<&str>) -> String {
    unit.map_or(name.into(), |unit| format!("{name} [{unit}]"))
}

fn chart(table: &Table, name: &str, time: &[f64], x: &Axis) -> Result<Chart> {
    let curve = |name: &str, column: &str, of: fn(f64) -> f64| -> Result<Curve> {
        let values = table.column(column).ok_or_else(|| unknown(column))?;
        Ok(Curve { name: name.into(), points: time.iter().copied().zip(values.iter().map(|y| of(*y))).collect() })
    };
    let same: fn(f64) -> f64 = |y| y;
    let unit = |dimension: Dimension, units: &Units| match dimension {
        Dimension::LENGTH => show::length_unit(units).map(str::to_owned),
        other => show::unit(other, units),
    };
    match name {
        "lagrangian" => {
            let radii = COLUMNS.iter().filter_map(|column| column.name.strip_prefix("lagrangian_"));
            let core = curve("core radius", "core_radius", same);
            let mut curves: Vec<Curve> = vec![core?];
            for share in radii {
                curves.push(curve(&format!("{share} %"), &format!("lagrangian_{share}"), same)?);
            }
            let length = unit(Dimension::LENGTH, &table.units);
            let y = Axis { label: with_unit("Lagrangian radii", length.as_deref()), scale: Scale::Log };
            Ok(Chart { x: x.clone(), y, curves, base: None })
        }
        "energy_error" => {
            let y = Axis { label: "|E - E0| / |E0|".into(), scale: Scale::Log };
            Ok(Chart { x: x.clone(), y, curves: vec![curve(name, name, f64::abs)?], base: None })
        }
        _ => {
            let column = COLUMNS.iter().find(|column| column.name == name).ok_or_else(|| unknown(name))?;
            let label = with_unit(&name.replace('_', " "), unit(column.dimension, &table.units).as_deref());
            let base = (name == "virial_ratio").then_some(1.0);
            let y = Axis { label, scale: Scale::Linear };
            Ok(Chart { x: x.clone(), y, curves: vec![curve(name, name, same)?], base })
        }
    }
}

fn unknown(name: &str) -> Error {
    let known: Vec<&str> = ["lagrangian"].into_iter().chain(COLUMNS.iter().map(|column| column.name)).collect();
    Error::Unknown { what: "column", name: name.into(), known: known.join(", ") }
}
