//! The columns of a CSV file: what their names mean, and in which units they stand.

use super::TITLE;
use crate::snapshot::ReadOptions;
use crate::snapshot::input::Origin;
use crate::snapshot::text;
use crate::units::{Dimension, System, parse_quantity};
use crate::{Bodies, Result, Units};
use ::csv::ByteRecord;
use std::collections::BTreeMap;

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Id,
    Kind,
    /// x, y, z, vx, vy, vz, mass, eps: an index into [`REAL`].
    Real(usize),
    /// An index into the extra columns.
    Extra(usize),
}

/// The columns that every body has, and eps, with the other names that files give them.
const REAL: [(&str, &[&str]); 8] = [
    ("x", &["pos_x", "posx", "position_x"]),
    ("y", &["pos_y", "posy", "position_y"]),
    ("z", &["pos_z", "posz", "position_z"]),
    ("vx", &["vel_x", "velx", "velocity_x", "v_x"]),
    ("vy", &["vel_y", "vely", "velocity_y", "v_y"]),
    ("vz", &["vel_z", "velz", "velocity_z", "v_z"]),
    ("mass", &["m", "masses"]),
    ("eps", &["softening"]),
];

/// One column of the header.
pub(super) struct Column {
    /// As the file spells it, without the unit.
    pub(super) name: String,
    pub(super) role: Role,
    /// What stands in brackets.
    unit: Option<String>,
}

/// The header, understood.
pub(super) struct Layout {
    /// As the file spells them, units included.
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Column>,
    extras: Vec<String>,
    /// Where in `columns` each of the extra columns is.
    places: Vec<usize>,
    /// Those of the columns that every body has which the header does not name.
    pub(super) missing: Vec<&'static str>,
}

impl Layout {
    pub(super) fn new(origin: &Origin, header: &ByteRecord, partial: bool) -> Result<Layout> {
        let mut layout = Layout {
            names: Vec::new(),
            columns: Vec::new(),
            extras: Vec::new(),
            places: Vec::new(),
            missing: Vec::new(),
        };
        for (place, name) in header.iter().enumerate() {
            let spelled = std::str::from_utf8(name).map_err(|_| origin.problem(TITLE, "the header is not text"))?;
            let (name, unit) = split_unit(spelled);
            let role = role_of(name).unwrap_or_else(|name| {
                layout.extras.push(name);
                layout.places.push(place);
                Role::Extra(layout.extras.len() - 1)
            });
            // a new extra column is like no other one so far; names are compared below, all at once
            let other = match role {
                Role::Extra(_) => None,
                role => layout.columns.iter().find(|c| c.role == role),
            };
            if let Some(other) = other {
                let problem = format!("the header names it twice, the other one {}", other.name);
                return Err(origin.field(name, problem));
            }
            layout.columns.push(Column { name: name.into(), role, unit });
            layout.names.push(spelled.into());
        }
        let mut sorted = layout.extras.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(origin.field(&pair[0], "the header names it twice"));
        }
        layout.missing = (0..7).filter(|k| !layout.has(Role::Real(*k))).map(|k| REAL[k].0).collect();
        if layout.missing.is_empty() || (partial && layout.names.iter().any(|name| !name.trim().is_empty())) {
            return Ok(layout);
        }
        let names = layout.names.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
        let found = match names.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "no columns".into(),
            names => text::shown(&names),
        };
        Err(origin.field(layout.missing.join(", "), format!("missing; the header has {found}")))
    }

    pub(super) fn has(&self, role: Role) -> bool {
        self.columns.iter().any(|c| c.role == role)
    }

    /// How the file spells one of [`REAL`]'s columns.
    pub(super) fn name_of(&self, ours: &str) -> String {
        let role = REAL.iter().position(|(name, _)| *name == ours).map(Role::Real);
        self.columns.iter().find(|c| Some(c.role) == role).map_or(ours, |c| &c.name).to_string()
    }

    /// Which columns are used; ids always are.
    pub(super) fn used(&self, options: &ReadOptions) -> Vec<bool> {
        let is_used = |column: &Column| match column.role {
            Role::Id => true,
            Role::Kind => options.uses("kind"),
            Role::Real(k) => options.uses(REAL[k].0),
            Role::Extra(k) => options.uses(&self.extras[k]),
        };
        self.columns.iter().map(is_used).collect()
    }

    pub(super) fn table(&self, unchecked: bool) -> Table {
        Table { extra: vec![Vec::new(); self.extras.len()], unchecked, ..Table::default() }
    }

    /// The column of a role.
    fn column(&self, role: Role) -> Option<&Column> {
        match role {
            Role::Extra(k) => self.columns.get(*self.places.get(k)?),
            role => self.columns.iter().find(|c| c.role == role),
        }
    }

    /// SI units to one unit of a column, if given in brackets; `name` is ours.
    fn in_si(&self, origin: &Origin, role: Role, name: &str, dimension: Dimension) -> Result<Option<f64>> {
        let Some(unit) = self.column(role).and_then(|c| c.unit.as_deref()) else { return Ok(None) };
        let quantity = if unit.starts_with(|c: char| c.is_ascii_digit()) { unit.into() } else { format!("1 {unit}") };
        match parse_quantity(&quantity, dimension, &Units::si()) {
            Ok(si) if si > 0.0 => Ok(Some(si)),
            Ok(si) => Err(origin.field(name, format!("unit [{unit}]: {si}: must be above 0"))),
            Err(error) => Err(origin.field(name, format!("unit [{unit}]: {error}"))),
        }
    }

    /// The system of units that the brackets of x, vx and mass amount to; `None` without brackets.
    pub(super) fn units(&self, origin: &Origin) -> Result<Option<Units>> {
        let of = |k: usize, dimension| self.in_si(origin, Role::Real(k), REAL[k].0, dimension);
        let (length, velocity, mass) =
            (of(0, Dimension::LENGTH)?, of(3, Dimension::VELOCITY)?, of(6, Dimension::MASS)?);
        match (length, velocity, mass) {
            (Some(length), Some(velocity), Some(mass)) => {
                let found = crate::snapshot::units_of([length, mass, length / velocity], 1e-12);
                found.map(Some).map_err(|problem| origin.field("x, vx, mass", problem))
            }
            (None, None, None) => Ok(None),
            // a table without velocities or masses has no system of units: its numbers are taken as they stand
            _ if ["x", "vx", "mass"].iter().any(|name| self.missing.contains(name)) => Ok(None),
            _ => {
                let problem = "units in brackets must be given for all of x, vx and mass, or not at all";
                Err(origin.field("x, vx, mass", problem))
            }
        }
    }

    /// [`Layout::units`], and converts those columns whose brackets say another unit than the system's.
    pub(super) fn settle_units(&self, origin: &Origin, bodies: &mut Bodies) -> Result<Option<Units>> {
        let Some(units) = self.units(origin)? else { return Ok(None) };
        let Bodies { x, y, z, vx, vy, vz, mass, eps, extra, .. } = bodies;
        let real = [x, y, z, vx, vy, vz, mass].into_iter().chain(eps);
        let real = real.enumerate().map(|(k, column)| (Role::Real(k), REAL[k].0, column));
        // the columns of the bodies are sorted by name
        let mut sorted: Vec<usize> = (0..self.extras.len()).collect();
        sorted.sort_by_key(|k| &self.extras[*k]);
        let extra = sorted.into_iter().zip(extra).map(|(k, (name, column))| (Role::Extra(k), name.as_str(), column));
        for (role, name, column) in real.chain(extra) {
            let Some(dimension) = Dimension::of_column(name) else { continue };
            if let (Some(own), Some(system)) = (self.in_si(origin, role, name, dimension)?, units.in_si(dimension)) {
                let factor = own / system;
                // the same unit up to the rounding of its own definition
                if (factor - 1.0).abs() > 1e-12 {
                    column.iter_mut().for_each(|q| *q *= factor);
                }
            }
        }
        Ok(Some(units))
    }
}

/// `x [pc]` is x in pc.
fn split_unit(spelled: &str) -> (&str, Option<String>) {
    if let Some((name, unit)) = spelled.strip_suffix(']').and_then(|s| s.rsplit_once('[')) {
        let unit = unit.trim();
        return (name.trim_end(), (!unit.is_empty()).then(|| unit.to_string()));
    }
    (spelled, None)
}

/// The role of a name, or the name of the extra column it is.
fn role_of(name: &str) -> Result<Role, String> {
    let plain = name.to_ascii_lowercase();
    let named = REAL.iter().position(|(ours, others)| *ours == plain || others.contains(&plain.as_str()));
    match (named, plain.as_str()) {
        (Some(k), _) => Ok(Role::Real(k)),
        (None, "id" | "ids" | "particleid" | "particle_id") => Ok(Role::Id),
        (None, "kind" | "type") => Ok(Role::Kind),
        _ => {
            let quoted = name.strip_prefix("extra:").and_then(|q| serde_json::from_str::<String>(q).ok());
            Err(quoted.unwrap_or_else(|| name.into()))
        }
    }
}

/// The columns while they are read.
#[derive(Default)]
pub(super) struct Table {
    real: [Vec<f64>; 8],
    id: Vec<u64>,
    kind: Vec<u8>,
    extra: Vec<Vec<f64>>,
    /// Lets numbers through that no computation can use. (The other columns are checked when all is read; an extra
    /// one has NaN where the file has nothing, which is no mistake.)
    unchecked: bool,
}

impl Table {
    /// Appends a field to its column; else what it must be.
    pub(super) fn push(&mut self, role: Role, field: &[u8]) -> Result<(), &'static str> {
        let word = std::str::from_utf8(field).map_err(|_| "must be text")?;
        match role {
            Role::Id => self.id.push(word.parse().map_err(|_| "must be a whole number, 0 or more")?),
            Role::Kind => {
                let kind = word.parse().ok().filter(|kind| *kind <= 5);
                self.kind.push(kind.ok_or("must be a type from 0 (gas) to 5 (boundary)")?);
            }
            Role::Real(k) => self.real[k].push(text::number(word).ok_or("must be a number")?),
            Role::Extra(k) => {
                let value = if word.is_empty() { Some(f64::NAN) } else { text::number(word) };
                let sound = value.filter(|value| self.unchecked || word.is_empty() || value.is_finite());
                self.extra[k].push(sound.ok_or("must be a finite number, or empty")?);
            }
        }
        Ok(())
    }

    /// Appends nothing to a column that is not used.
    pub(super) fn skip(&mut self, role: Role) {
        match role {
            Role::Id => self.id.push(0),
            Role::Kind => self.kind.push(0),
            Role::Real(k) => self.real[k].push(0.0),
            Role::Extra(k) => self.extra[k].push(f64::NAN),
        }
    }

    pub(super) fn bodies(mut self, layout: &Layout, rows: usize) -> Bodies {
        for (k, column) in self.real.iter_mut().enumerate().take(7) {
            if layout.missing.contains(&REAL[k].0) {
                column.resize(rows, 0.0);
            }
        }
        let [x, y, z, vx, vy, vz, mass, eps] = self.real;
        let id = if layout.has(Role::Id) { self.id } else { (0..rows as u64).collect() };
        let extra: BTreeMap<String, Vec<f64>> = layout.extras.iter().cloned().zip(self.extra).collect();
        Bodies {
            x,
            y,
            z,
            vx,
            vy,
            vz,
            mass,
            id,
            eps: layout.has(Role::Real(7)).then_some(eps),
            kind: layout.has(Role::Kind).then_some(self.kind),
            extra,
        }
    }
}

/// The name of a column with its unit, where units have a scale and the column a dimension.
pub(super) fn labelled(name: &str, units: &Units) -> String {
    match Dimension::of_column(name).and_then(|dimension| unit_label(units, dimension)) {
        Some(unit) => format!("{name} [{unit}]"),
        None => name.into(),
    }
}

/// The label of an extra column; one that would be read as something else is quoted.
pub(super) fn extra_label(name: &str, units: &Units) -> String {
    let odd = name.is_empty()
        || name.trim() != name
        || name.ends_with(']')
        || name.starts_with("extra:")
        || role_of(name).is_ok()
        || name.chars().any(|c| c.is_control() || c == ';'); // which may separate columns
    if odd { format!("extra:{}", super::quoted(name)) } else { labelled(name, units) }
}

/// What one unit of a dimension is, as a text that [`parse_quantity`] understands.
fn unit_label(units: &Units, dimension: Dimension) -> Option<String> {
    let si = units.in_si(dimension).filter(|si| si.is_normal())?;
    let names = match units.system() {
        System::MsunPcKms => Some(["Msun", "pc", "km/s"]),
        System::MsunKpcKms => Some(["Msun", "kpc", "km/s"]),
        System::MsunAuDay => Some(["Msun", "au", "au/day"]),
        System::Gadget => Some(["1e10 Msun", "kpc", "km/s"]),
        System::Si => Some(["kg", "m", "m/s"]),
        System::G1 | System::Henon | System::Scaled | System::Other => None,
    };
    let place = [Dimension::MASS, Dimension::LENGTH, Dimension::VELOCITY].iter().position(|d| *d == dimension);
    if let (Some(names), Some(place)) = (names, place) {
        return Some(names[place].into());
    }
    let powers = [("kg", dimension.mass), ("m", dimension.length), ("s", dimension.time)];
    let words: Vec<String> = powers
        .iter()
        .filter(|(_, power)| *power != 0)
        .map(|(unit, power)| if *power == 1 { unit.to_string() } else { format!("{unit}^{power}") })
        .collect();
    Some(format!("{} {}", zmij::Buffer::new().format(si), words.join(" ")))
}
