//! What every reader checks before it hands bodies over, and every writer before it narrows them.

use super::ReadOptions;
use super::input::Origin;
use crate::{Bodies, Error, Result};

/// Where a value stands in its file: the field as the file calls it, and the row.
pub(crate) struct Place {
    pub(crate) field: String,
    pub(crate) row: String,
}

/// Puts 0 into the columns that are not used, so that no number of theirs is refused.
pub(crate) fn forget_unused(bodies: &mut Bodies, options: &ReadOptions) {
    if options.only.is_none() {
        return;
    }
    let Bodies { x, y, z, vx, vy, vz, mass, eps, .. } = bodies;
    let columns = [("x", x), ("y", y), ("z", z), ("vx", vx), ("vy", vy), ("vz", vz), ("mass", mass)];
    columns.into_iter().filter(|(name, _)| !options.uses(name)).for_each(|(_, column)| column.fill(0.0));
    if !options.uses("eps") {
        *eps = None;
    }
}

/// Checks that every number is finite and that masses and softenings are not negative.
///
/// # Errors
/// [`Error::Field`] for the first value that is not, placed by `place` (column of [`Bodies`], index).
pub(crate) fn bodies(origin: &Origin, bodies: &Bodies, place: impl Fn(&'static str, usize) -> Place) -> Result<()> {
    match bodies.validate() {
        Err(Error::Body { index, field, value, expected, .. }) => {
            let Place { field, row } = place(field, index);
            Err(origin.field(field, format!("{row}: {value}: {expected}")))
        }
        other => other,
    }
}

/// Checks bodies to be written: as [`Bodies::validate`], and the columns it leaves alone.
pub(crate) fn writable(bodies: &Bodies) -> Result<()> {
    bodies.validate()?;
    let n = bodies.len();
    if let Some((name, column)) = bodies.extra.iter().find(|(_, column)| column.len() != n) {
        return Err(Error::Parameter {
            name: "bodies",
            value: format!("extra column {name} has {} entries", column.len()),
            expected: format!("every field has as many entries as x, {n}"),
        });
    }
    let odd = bodies.kind.iter().flatten().position(|kind| *kind > 5);
    match (odd, &bodies.kind) {
        (Some(index), Some(kinds)) => Err(Error::Body {
            index,
            id: bodies.id[index],
            field: "kind",
            value: kinds[index].into(),
            expected: "types go from 0 (gas) to 5 (boundary)",
        }),
        _ => Ok(()),
    }
}

/// Checks a time to be written.
pub(crate) fn time(time: f64) -> Result<()> {
    if time.is_finite() {
        return Ok(());
    }
    Err(Error::Parameter { name: "time", value: time.to_string(), expected: "must be a finite number".into() })
}

/// Checks a time that was read.
pub(crate) fn time_read(origin: &Origin, field: &str, time: f64) -> Result<()> {
    if time.is_finite() {
        return Ok(());
    }
    Err(origin.field(field, format!("{time}: must be a finite number")))
}

/// Makes ids unique, since they are what follows a body: where two are the same, all bodies are renumbered, the
/// file's numbers stay beside them as the extra column "file_id", and a note says so.
///
/// Not an error: Bonsai numbers each component from 0, star particles inherit the id of their gas, and NEMO's Key is
/// whatever a program put there. Such files are sound; only their ids do not distinguish bodies.
pub(crate) fn settle_ids(bodies: &mut Bodies, notes: &mut Vec<String>) {
    let Some(twice) = repeated(&bodies.id) else { return };
    notes.push(format!(
        "id {twice} names more than one body: bodies are renumbered from 0, and the file's ids kept as file_id"
    ));
    let old = bodies.id.iter().map(|id| *id as f64).collect();
    bodies.extra.insert("file_id".into(), old);
    bodies.id = (0..bodies.len() as u64).collect();
}

/// A value that occurs more than once.
fn repeated(ids: &[u64]) -> Option<u64> {
    if ids.is_sorted_by(|a, b| a < b) {
        return None;
    }
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Checks that single precision can hold the bodies, and says what it rounds to zero.
///
/// # Errors
/// [`Error::Body`] for a number beyond the range of f32, which would be written as infinity.
pub(crate) fn narrow(bodies: &Bodies) -> Result<Option<String>> {
    let mut columns: Vec<(&'static str, &[f64])> = vec![
        ("mass", &bodies.mass),
        ("x", &bodies.x),
        ("y", &bodies.y),
        ("z", &bodies.z),
        ("vx", &bodies.vx),
        ("vy", &bodies.vy),
        ("vz", &bodies.vz),
    ];
    if let Some(eps) = &bodies.eps {
        columns.push(("eps", eps));
    }
    let mut vanished = 0_usize;
    for (field, column) in columns {
        for (index, value) in column.iter().enumerate() {
            let narrow = *value as f32;
            if !narrow.is_finite() {
                return Err(Error::Body {
                    index,
                    id: bodies.id[index],
                    field,
                    value: *value,
                    expected: "single precision ends at 3.4e38",
                });
            }
            vanished += usize::from(narrow == 0.0 && *value != 0.0);
        }
    }
    Ok((vanished > 0).then(|| format!("{vanished} numbers below 1e-45 are written as 0 in single precision")))
}
