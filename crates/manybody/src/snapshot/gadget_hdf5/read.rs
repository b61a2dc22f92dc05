//! The reader: our own files, and those of Gadget-2 to 4, AREPO, GIZMO and h5py scripts.

use super::part::Part;
use super::{OWN, SOFTENING, TITLE, column_name, cosmology, vector_columns};
use crate::guard::guard;
use crate::snapshot::input::{Input, Origin};
use crate::snapshot::verify::{self, Place};
use crate::snapshot::{Header, Loaded, ReadOptions, Snapshot};
use crate::{Bodies, Result};
use hdf5_pure::{AttrValue, Group};
use std::path::PathBuf;

/// Extra columns beyond these are left out: a column costs 8 bytes for every body, also for those without a value.
const MAX_EXTRAS: usize = 64;

/// Reads what the file says of itself.
pub(crate) fn header(input: Input) -> Result<Header> {
    let origin = input.origin.clone();
    guarded(&origin, || Part::open(input)?.header())
}

/// Reads a snapshot, from all its files where it is spread over several.
pub(crate) fn read(input: Input, options: &ReadOptions) -> Result<Loaded> {
    let origin = input.origin.clone();
    guarded(&origin, || {
        let first = Part::open(input)?;
        let mut reader = Reader::default();
        let files = first.attribute_u64("NumFilesPerSnapshot")?.unwrap_or(1);
        if files > 1 {
            for path in siblings(&first.origin, files)? {
                reader.append(&Part::open(Input::open(&path)?)?, options.partial)?;
            }
        } else {
            reader.append(&first, options.partial)?;
        }
        reader.finish(&first, options)
    })
}

/// Runs a reader. A panic inside hdf5-pure on a damaged file becomes an error like any other: it is a dependency's
/// parser, with untrusted bytes.
fn guarded<T>(origin: &Origin, read: impl FnOnce() -> Result<T>) -> Result<T> {
    let outcome =
        guard(read).unwrap_or_else(|| Err(origin.problem(TITLE, "the HDF5 structure is damaged (its parser gave up)")));
    // the parser turns what the disk refuses into damage, or into something that is not there
    origin.failure()?;
    outcome
}

/// The names of all files of a snapshot: `snap.0.hdf5`, `snap.1.hdf5`, ...
fn siblings(origin: &Origin, files: u64) -> Result<Vec<PathBuf>> {
    let wanted = || {
        let problem =
            format!("{files}: the name of such a file is NAME.K.hdf5 with K from 0, and all lie in one folder");
        origin.field("Header/NumFilesPerSnapshot", problem)
    };
    let name = origin.path.file_name().and_then(|n| n.to_str()).ok_or_else(wanted)?;
    let mut words: Vec<String> = name.split('.').map(str::to_string).collect();
    let place = words.len().checked_sub(2).filter(|p| words[*p].parse::<u64>().is_ok_and(|k| k < files));
    let (Some(place), true, true) = (place, origin.on_disk, files <= 1 << 20) else { return Err(wanted()) };
    let path = |k: u64| {
        words[place] = k.to_string();
        origin.path.with_file_name(words.join("."))
    };
    Ok((0..files).map(path).collect())
}

/// The bodies of one type in one file.
struct Block {
    group: String,
    first: usize,
    len: usize,
}

/// Gathers the bodies of all types and files.
#[derive(Default)]
struct Reader {
    bodies: Bodies,
    kinds: Vec<u8>,
    order: Vec<u64>,
    blocks: Vec<Block>,
    notes: Vec<String>,
    /// The columns that a type lacks, and a partial reading does without.
    missing: Vec<&'static str>,
}

impl Reader {
    /// Appends one file's bodies, type by type; a `partial` reading does without velocities and masses.
    fn append(&mut self, part: &Part, partial: bool) -> Result<()> {
        let claimed = part.counts("NumPart_ThisFile")?;
        for name in part.groups.iter().filter(|g| g.starts_with("PartType")) {
            match name.strip_prefix("PartType").and_then(|k| k.parse::<u8>().ok()) {
                Some(0..6) => {}
                _ => self.note(format!("{name} is left out: types go from 0 to 5")),
            }
        }
        for kind in 0..6_u8 {
            let path = format!("PartType{kind}");
            let count = claimed.map(|c| c[kind as usize]);
            if part.groups.contains(&path) {
                self.append_kind(part, kind, &path, count, partial)?;
            } else if let Some(count @ 1..) = count {
                let problem = format!("{count} bodies of type {kind}, but the file has no group {path}");
                return Err(part.origin.field("Header/NumPart_ThisFile", problem));
            }
        }
        Ok(())
    }

    fn append_kind(&mut self, part: &Part, kind: u8, path: &str, claimed: Option<u64>, partial: bool) -> Result<()> {
        let group = part.group(path)?;
        let names = group.datasets().map_err(|error| part.damaged(error))?;
        let has = |name: &str| names.iter().any(|n| n == name);
        let missing = |name: &str| part.origin.field(format!("{path}/{name}"), "missing");
        if !has("Coordinates") {
            // a type without bodies may come as an empty group
            return if claimed == Some(0) || names.is_empty() { Ok(()) } else { Err(missing("Coordinates")) };
        }
        let position = part.numbers(&group, path, "Coordinates", claimed)?;
        let rows = Some(position.rows);
        let first = self.bodies.len();
        let end = first + position.rows as usize;
        position.expect(&part.origin, 3)?;
        let Bodies { x, y, z, vx, vy, vz, mass, id, .. } = &mut self.bodies;
        position.append(&part.origin, &mut [x, y, z])?;

        let name = if has("Velocities") { "Velocities" } else { "Velocity" };
        if has(name) {
            let velocity = part.numbers(&group, path, name, rows)?;
            velocity.expect(&part.origin, 3)?;
            velocity.append(&part.origin, &mut [vx, vy, vz])?;
        } else if partial {
            [vx, vy, vz].into_iter().for_each(|column| column.resize(end, 0.0));
            self.missing.extend(["vx", "vy", "vz"]);
        } else {
            return Err(missing("Velocities"));
        }

        match (["Masses", "Mass"].into_iter().find(|n| has(n)), part.mass_of(kind)?) {
            (Some(name), _) => {
                let masses = part.numbers(&group, path, name, rows)?;
                masses.expect(&part.origin, 1)?;
                masses.append(&part.origin, &mut [mass])?;
            }
            (None, Some(value)) => mass.resize(end, value),
            (None, None) if partial => {
                mass.resize(end, 0.0);
                self.missing.push("mass");
            }
            (None, None) => {
                let problem = format!("missing, and Header/MassTable gives no mass for type {kind}");
                return Err(part.origin.field(format!("{path}/Masses"), problem));
            }
        }
        if has("ParticleIDs") {
            let ids = part.numbers(&group, path, "ParticleIDs", rows)?;
            ids.expect(&part.origin, 1)?;
            ids.append_ids(&part.origin, id)?;
        } else {
            id.extend(first as u64..end as u64);
            self.note("a type without ParticleIDs is numbered in the order of the file");
        }
        self.append_optional(part, &group, path, &names, first, end)?;
        self.kinds.resize(end, kind);
        self.blocks.push(Block { group: path.into(), first, len: end - first });
        Ok(())
    }

    /// Softening, extra columns, and the order bodies had before they were grouped by type.
    fn append_optional(
        &mut self,
        part: &Part,
        group: &Group,
        path: &str,
        names: &[String],
        first: usize,
        end: usize,
    ) -> Result<()> {
        let rows = Some((end - first) as u64);
        for name in names.iter().filter(|n| !OWN.contains(&n.as_str()) && *n != "Velocity" && *n != "Mass") {
            self.append_extra(part, group, path, name, first)?;
        }
        if names.iter().any(|n| n == SOFTENING) {
            let numbers = part.numbers(group, path, SOFTENING, rows)?;
            numbers.expect(&part.origin, 1)?;
            let eps = self.bodies.eps.get_or_insert_default();
            eps.resize(first, 0.0);
            numbers.append(&part.origin, &mut [eps])?;
        }
        let Some(order) = part.order()? else { return Ok(()) };
        if order.datasets().map_err(|error| part.damaged(error))?.iter().any(|name| name == path) {
            let numbers = part.numbers(&order, "ManyBody/Order", path, rows)?;
            numbers.expect(&part.origin, 1)?;
            numbers.append_ids(&part.origin, &mut self.order)?;
        }
        Ok(())
    }

    fn append_extra(&mut self, part: &Part, group: &Group, path: &str, name: &str, first: usize) -> Result<()> {
        let left_out = |why: &str| format!("{path}/{name} is left out: {why}");
        let numbers = match part.numbers(group, path, name, None) {
            Ok(numbers) => numbers,
            Err(error) => {
                part.origin.failure()?;
                if matches!(error, crate::Error::Io { .. }) {
                    return Err(error);
                }
                self.note(left_out("it is not a table of numbers"));
                return Ok(());
            }
        };
        let at_most = usize::MAX - first;
        if !numbers.numeric || !(1..=16).contains(&numbers.width) || numbers.rows as usize > at_most {
            self.note(left_out("it is not a table of numbers of at most 16 columns"));
            return Ok(());
        }
        if numbers.rows as usize != self.bodies.len() - first {
            let problem = format!("{} rows, where {path} has {} bodies", numbers.rows, self.bodies.len() - first);
            return Err(part.origin.field(&numbers.field, problem));
        }
        let attributes = numbers.dataset.attrs().map_err(|error| part.damaged(error))?;
        let stem = attributes.get("Name").and_then(AttrValue::as_str).unwrap_or(column_name(name));
        let columns: Vec<String> = match numbers.width {
            1 => vec![stem.to_string()],
            3 => vector_columns(stem).to_vec(),
            width => (0..width).map(|k| format!("{stem}_{k}")).collect(),
        };
        let extra = &mut self.bodies.extra;
        let new = columns.iter().filter(|c| !extra.contains_key(*c)).count();
        if extra.len() + new > MAX_EXTRAS {
            self.note(left_out(&format!("there are more than {MAX_EXTRAS} extra columns")));
            return Ok(());
        }
        // taken out of the map while they are filled, since several are borrowed at once
        let mut filled: Vec<Vec<f64>> = columns.iter().map(|c| extra.remove(c).unwrap_or_default()).collect();
        filled.iter_mut().for_each(|column| column.resize(first, f64::NAN));
        let outcome = numbers.append(&part.origin, &mut filled.iter_mut().collect::<Vec<_>>());
        extra.extend(columns.into_iter().zip(filled));
        outcome
    }

    fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Checks what was gathered, and restores order and types.
    fn finish(mut self, first: &Part, options: &ReadOptions) -> Result<Loaded> {
        let n = self.bodies.len();
        let origin = &first.origin;
        if let Some(low) = first.counts("NumPart_Total")? {
            let high = first.counts("NumPart_Total_HighWord")?.unwrap_or_default();
            let total = (0..6).try_fold(0_u64, |sum, k| {
                let wide = if low[k] > u32::MAX.into() { 0 } else { high[k].checked_shl(32)? };
                sum.checked_add(low[k])?.checked_add(wide)
            });
            if total != Some(n as u64) {
                let total = total.map_or("too many".into(), |t| t.to_string());
                return Err(origin.field("Header/NumPart_Total", format!("{total} bodies in all, but {n} are there")));
            }
        }
        for column in self.bodies.extra.values_mut() {
            column.resize(n, f64::NAN);
        }
        if let Some(eps) = &mut self.bodies.eps {
            eps.resize(n, 0.0);
        }
        let time = first.attribute_f64("Time")?.unwrap_or_else(|| {
            self.note("the file has no time: taken as 0");
            0.0
        });
        verify::forget_unused(&mut self.bodies, options);
        if !options.unchecked {
            verify::time_read(origin, "Header/Time", time)?;
            verify::bodies(origin, &self.bodies, |column, i| self.place(column, i))?;
        }
        let units = first.units()?.unwrap_or_default();
        let mut meta = first.meta()?;
        cosmology::keep(first, &mut meta)?.into_iter().for_each(|note| self.note(note));

        let own = first.attributes("ManyBody")?;
        let given = own.get("KindsGiven").and_then(AttrValue::as_i64).map(|g| g != 0);
        if given.unwrap_or(self.kinds.iter().any(|kind| *kind != 1)) {
            self.bodies.kind = Some(std::mem::take(&mut self.kinds));
        }
        if !self.order.is_empty() {
            reorder(&mut self.bodies, &self.order)
                .ok_or_else(|| origin.field("ManyBody/Order", "it is no permutation of the bodies"))?;
        }
        verify::settle_ids(&mut self.bodies, &mut self.notes);
        let mut header = first.header()?;
        self.missing.sort_unstable();
        self.missing.dedup();
        header.missing = self.missing;
        Ok(Loaded { snapshot: Snapshot { bodies: self.bodies, time, units, meta }, header, notes: self.notes })
    }

    fn place(&self, column: &'static str, i: usize) -> Place {
        let block = self.blocks.iter().find(|b| (b.first..b.first + b.len).contains(&i));
        let (group, row) = block.map_or(("", i), |b| (b.group.as_str(), i - b.first));
        let (dataset, axis) = match column {
            "x" => ("Coordinates", ", 0"),
            "y" => ("Coordinates", ", 1"),
            "z" => ("Coordinates", ", 2"),
            "vx" => ("Velocities", ", 0"),
            "vy" => ("Velocities", ", 1"),
            "vz" => ("Velocities", ", 2"),
            "eps" => (SOFTENING, ""),
            _ => ("Masses", ""),
        };
        Place { field: format!("{group}/{dataset}"), row: format!("[{row}{axis}]") }
    }
}

/// Moves body k to place order[k]; `None` unless order is a permutation.
fn reorder(bodies: &mut Bodies, order: &[u64]) -> Option<()> {
    let n = bodies.len();
    let mut seen = vec![false; n];
    for place in order {
        let seen = seen.get_mut(usize::try_from(*place).ok()?)?;
        if std::mem::replace(seen, true) {
            return None;
        }
    }
    if order.len() != n {
        return None;
    }
    fn scatter<T: Copy + Default>(column: &mut Vec<T>, order: &[u64]) {
        let mut sorted = vec![T::default(); column.len()];
        column.iter().zip(order).for_each(|(value, place)| sorted[*place as usize] = *value);
        *column = sorted;
    }
    let Bodies { x, y, z, vx, vy, vz, mass, id, eps, kind, extra } = bodies;
    for column in [x, y, z, vx, vy, vz, mass].into_iter().chain(eps).chain(extra.values_mut()) {
        scatter(column, order);
    }
    scatter(id, order);
    kind.iter_mut().for_each(|kind| scatter(kind, order));
    Some(())
}
