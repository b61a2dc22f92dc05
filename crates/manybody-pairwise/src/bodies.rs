//! `Bodies`: the state of a system as a structure of arrays.
//!
//! State is always f64. The precision of a run names the precision of its *forces*: positions are what small
//! differences are taken of, and a rounded position is an error that no later sum can undo.

use crate::law::Columns;
use crate::{Error, Result};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// The bodies of a system, one array a field, all of the same length n.
///
/// Units are those of the snapshot or simulation they belong to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bodies {
    /// Position along x: \[n\], length.
    pub x: Vec<f64>,
    /// Position along y: \[n\], length.
    pub y: Vec<f64>,
    /// Position along z: \[n\], length.
    pub z: Vec<f64>,
    /// Velocity along x: \[n\], length / time.
    pub vx: Vec<f64>,
    /// Velocity along y: \[n\], length / time.
    pub vy: Vec<f64>,
    /// Velocity along z: \[n\], length / time.
    pub vz: Vec<f64>,
    /// Mass: \[n\], 0 or more.
    pub mass: Vec<f64>,
    /// A name that follows a body through sorting, files and restarts: \[n\].
    pub id: Vec<u64>,
    /// Softening length of each body, where bodies differ: \[n\], length, 0 or more.
    pub eps: Option<Vec<f64>>,
    /// Particle type as Gadget numbers it (0 gas, 1 halo, 2 disc, 3 bulge, 4 stars, 5 boundary): \[n\].
    pub kind: Option<Vec<u8>>,
    /// Further columns by name ("density", "temperature", "charge"), carried along untouched: each \[n\].
    pub extra: BTreeMap<String, Vec<f64>>,
}

/// One body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Body {
    /// Its name.
    pub id: u64,
    /// Mass.
    pub mass: f64,
    /// Position.
    pub position: [f64; 3],
    /// Velocity.
    pub velocity: [f64; 3],
}

#[cfg(feature = "glam")]
impl Body {
    /// A body with the id 0.
    pub fn from_vectors(mass: f64, position: glam::DVec3, velocity: glam::DVec3) -> Self {
        Body { id: 0, mass, position: position.into(), velocity: velocity.into() }
    }

    /// The position as a vector of glam.
    pub fn position_vector(&self) -> glam::DVec3 {
        self.position.into()
    }

    /// The velocity as a vector of glam.
    pub fn velocity_vector(&self) -> glam::DVec3 {
        self.velocity.into()
    }
}

/// The bodies of a [`Bodies`] one by one: ids, masses, positions and velocities, without the other columns.
#[derive(Clone, Debug)]
pub struct BodyIter<'a> {
    bodies: &'a Bodies,
    left: Range<usize>,
}

impl Iterator for BodyIter<'_> {
    type Item = Body;

    fn next(&mut self) -> Option<Body> {
        self.left.next().map(|i| self.bodies.body(i))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<Body> {
        self.left.nth(n).map(|i| self.bodies.body(i))
    }
}

impl ExactSizeIterator for BodyIter<'_> {}

impl DoubleEndedIterator for BodyIter<'_> {
    fn next_back(&mut self) -> Option<Body> {
        self.left.next_back().map(|i| self.bodies.body(i))
    }
}

impl<'a> IntoIterator for &'a Bodies {
    type Item = Body;
    type IntoIter = BodyIter<'a>;

    fn into_iter(self) -> BodyIter<'a> {
        self.iter()
    }
}

impl Extend<Body> for Bodies {
    /// Adds bodies with the ids that they have; `eps`, `kind` and `extra` stay as they are.
    fn extend<I: IntoIterator<Item = Body>>(&mut self, bodies: I) {
        for Body { id, mass, position, velocity } in bodies {
            self.push(mass, position, velocity);
            if let Some(last) = self.id.last_mut() {
                *last = id;
            }
        }
    }
}

impl FromIterator<Body> for Bodies {
    fn from_iter<I: IntoIterator<Item = Body>>(bodies: I) -> Self {
        let mut all = Bodies::default();
        all.extend(bodies);
        all
    }
}

/// Three columns side by side.
#[cfg(feature = "ndarray")]
fn rows(columns: [&Vec<f64>; 3]) -> ndarray::Array2<f64> {
    ndarray::Array2::from_shape_fn((columns[0].len(), 3), |(i, axis)| columns[axis][i])
}

impl Bodies {
    /// n bodies at the origin, at rest, of mass 0, with ids 0 to n - 1.
    pub fn zeros(n: usize) -> Self {
        let column = || vec![0.0; n];
        Bodies {
            x: column(),
            y: column(),
            z: column(),
            vx: column(),
            vy: column(),
            vz: column(),
            mass: column(),
            id: (0..n as u64).collect(),
            ..Self::default()
        }
    }

    /// Bodies of these masses, positions and velocities, with ids 0 to n - 1; every column is \[n\].
    ///
    /// # Errors
    /// [`Error::Parameter`] for columns of unequal length, naming the column.
    pub fn from_columns(mass: Vec<f64>, position: [Vec<f64>; 3], velocity: [Vec<f64>; 3]) -> Result<Self> {
        let n = mass.len();
        let names = ["x", "y", "z", "vx", "vy", "vz"];
        for (name, column) in names.into_iter().zip(position.iter().chain(&velocity)) {
            if column.len() != n {
                let expected = format!("must have {n} values, one for each mass");
                return Err(Error::Parameter { name, value: format!("{} values", column.len()), expected });
            }
        }
        let ([x, y, z], [vx, vy, vz]) = (position, velocity);
        Ok(Bodies { x, y, z, vx, vy, vz, mass, id: (0..n as u64).collect(), ..Self::default() })
    }

    /// Bodies of these masses, and of positions and velocities as rows, with ids 0 to n - 1: each \[n\].
    ///
    /// # Errors
    /// [`Error::Parameter`] for rows that are not as many as the masses.
    pub fn from_rows(mass: Vec<f64>, position: &[[f64; 3]], velocity: &[[f64; 3]]) -> Result<Self> {
        let n = mass.len();
        for (name, rows) in [("position", position), ("velocity", velocity)] {
            if rows.len() != n {
                let expected = format!("must have {n} rows, one for each mass");
                return Err(Error::Parameter { name, value: format!("{} rows", rows.len()), expected });
            }
        }
        let columns = |rows: &[[f64; 3]]| [0, 1, 2].map(|axis| rows.iter().map(|row| row[axis]).collect());
        Self::from_columns(mass, columns(position), columns(velocity))
    }

    /// The same of arrays: masses \[n\], positions and velocities \[n, 3\].
    ///
    /// # Errors
    /// [`Error::Parameter`] for an array of another shape.
    #[cfg(feature = "ndarray")]
    pub fn from_arrays(
        mass: ndarray::ArrayView1<'_, f64>,
        position: ndarray::ArrayView2<'_, f64>,
        velocity: ndarray::ArrayView2<'_, f64>,
    ) -> Result<Self> {
        for (name, array) in [("position", &position), ("velocity", &velocity)] {
            if array.ncols() != 3 {
                let value = format!("an array {:?}", array.shape());
                return Err(Error::Parameter { name, value, expected: "must be [n, 3]".into() });
            }
        }
        let columns = |array: ndarray::ArrayView2<'_, f64>| [0, 1, 2].map(|axis| array.column(axis).to_vec());
        Self::from_columns(mass.to_vec(), columns(position), columns(velocity))
    }

    /// Number `i`, without the columns that a [`Body`] does not have.
    ///
    /// # Panics
    /// Where there are fewer bodies.
    pub fn body(&self, i: usize) -> Body {
        Body { id: self.id[i], mass: self.mass[i], position: self.position(i), velocity: self.velocity(i) }
    }

    /// The bodies one by one. A [`Body`] has no softening, kind or further column: bodies that are collected from it lack
    /// these.
    pub fn iter(&self) -> BodyIter<'_> {
        BodyIter { bodies: self, left: 0..self.len() }
    }

    /// The positions as rows.
    pub fn position_rows(&self) -> impl ExactSizeIterator<Item = [f64; 3]> + '_ {
        (0..self.len()).map(|i| self.position(i))
    }

    /// The velocities as rows.
    pub fn velocity_rows(&self) -> impl ExactSizeIterator<Item = [f64; 3]> + '_ {
        (0..self.len()).map(|i| self.velocity(i))
    }

    /// The positions as rows: an array \[n, 3\]. It is a copy, as the columns are apart in memory.
    #[cfg(feature = "ndarray")]
    pub fn positions(&self) -> ndarray::Array2<f64> {
        rows([&self.x, &self.y, &self.z])
    }

    /// The velocities as rows: an array \[n, 3\], a copy.
    #[cfg(feature = "ndarray")]
    pub fn velocities(&self) -> ndarray::Array2<f64> {
        rows([&self.vx, &self.vy, &self.vz])
    }

    /// Room for n bodies; empty.
    pub fn with_capacity(n: usize) -> Self {
        let column = || Vec::with_capacity(n);
        Bodies {
            x: column(),
            y: column(),
            z: column(),
            vx: column(),
            vy: column(),
            vz: column(),
            mass: column(),
            id: Vec::with_capacity(n),
            ..Self::default()
        }
    }

    /// A column by name: x, y, z, vx, vy, vz, mass (or m), id, eps, kind, or an extra one. `None` if there is no such
    /// column.
    pub fn column(&self, name: &str) -> Option<Cow<'_, [f64]>> {
        let plain = match name {
            "x" => &self.x,
            "y" => &self.y,
            "z" => &self.z,
            "vx" => &self.vx,
            "vy" => &self.vy,
            "vz" => &self.vz,
            "mass" | "m" => self.extra.get(name).unwrap_or(&self.mass),
            "id" => return Some(self.id.iter().map(|id| *id as f64).collect()),
            "kind" => return self.kind.as_ref().map(|kind| kind.iter().map(|k| f64::from(*k)).collect()),
            "eps" => self.eps.as_ref()?,
            other => self.extra.get(other)?,
        };
        Some(Cow::Borrowed(plain))
    }

    /// The names that [`column`](Bodies::column) knows.
    pub fn column_names(&self) -> Vec<String> {
        let mut names: Vec<String> = ["id", "mass", "x", "y", "z", "vx", "vy", "vz"].map(String::from).into();
        names.extend(self.eps.iter().map(|_| "eps".into()));
        names.extend(self.kind.iter().map(|_| "kind".into()));
        names.extend(self.extra.keys().cloned());
        names
    }

    /// Adds one body whose id is its index. For building small systems; `eps`, `kind` and `extra` stay as they are.
    pub fn push(&mut self, mass: f64, position: [f64; 3], velocity: [f64; 3]) {
        self.id.push(self.len() as u64);
        self.x.push(position[0]);
        self.y.push(position[1]);
        self.z.push(position[2]);
        self.vx.push(velocity[0]);
        self.vy.push(velocity[1]);
        self.vz.push(velocity[2]);
        self.mass.push(mass);
    }

    /// Keeps the bodies for which `keep`, asked once for each index, is true, in their order, with all columns.
    pub fn retain(&mut self, keep: impl FnMut(usize) -> bool) {
        let kept: Vec<bool> = (0..self.len()).map(keep).collect();
        fn only<T>(column: &mut Vec<T>, kept: &[bool]) {
            let mut each = kept.iter();
            column.retain(|_| each.next().copied().unwrap_or(true));
        }
        let Bodies { x, y, z, vx, vy, vz, mass, id, eps, kind, extra } = self;
        for column in [x, y, z, vx, vy, vz, mass].into_iter().chain(eps).chain(extra.values_mut()) {
            only(column, &kept);
        }
        only(id, &kept);
        if let Some(kind) = kind {
            only(kind, &kept);
        }
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// True for a system without bodies.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Position of body `i`.
    pub fn position(&self, i: usize) -> [f64; 3] {
        [self.x[i], self.y[i], self.z[i]]
    }

    /// Velocity of body `i`.
    pub fn velocity(&self, i: usize) -> [f64; 3] {
        [self.vx[i], self.vy[i], self.vz[i]]
    }

    /// The sum of all masses.
    pub fn total_mass(&self) -> f64 {
        // from 0: the sum of nothing is -0 otherwise
        self.mass.iter().fold(0.0, |sum, m| sum + m)
    }

    /// Centre of mass and its velocity; both zero for a system without mass.
    pub fn center_of_mass(&self) -> ([f64; 3], [f64; 3]) {
        let mass = self.total_mass();
        if mass == 0.0 {
            return ([0.0; 3], [0.0; 3]);
        }
        let mean = |q: &[f64]| q.iter().zip(&self.mass).map(|(q, m)| q * m).sum::<f64>() / mass;
        ([mean(&self.x), mean(&self.y), mean(&self.z)], [mean(&self.vx), mean(&self.vy), mean(&self.vz)])
    }

    /// Moves the origin to the centre of mass, in position and velocity.
    pub fn move_to_com(&mut self) {
        let (position, velocity) = self.center_of_mass();
        self.shift(position.map(|q| -q), velocity.map(|q| -q));
    }

    /// Adds a displacement to every position and a velocity to every velocity.
    pub fn shift(&mut self, position: [f64; 3], velocity: [f64; 3]) {
        let add = |q: &mut [f64], d: f64| q.iter_mut().for_each(|q| *q += d);
        add(&mut self.x, position[0]);
        add(&mut self.y, position[1]);
        add(&mut self.z, position[2]);
        add(&mut self.vx, velocity[0]);
        add(&mut self.vy, velocity[1]);
        add(&mut self.vz, velocity[2]);
    }

    /// Checks that every array has the length n, that every number is finite, and that masses and softenings are
    /// not negative.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a length, [`Error::Body`] for a value, with its index and id.
    pub fn validate(&self) -> Result<()> {
        let n = self.len();
        let columns = self.columns();
        for (name, column) in &columns {
            if column.len() != n {
                return Err(Error::Parameter {
                    name: "bodies",
                    value: format!("{name} has {} entries", column.len()),
                    expected: format!("every field has as many entries as x, {n}"),
                });
            }
        }
        if self.id.len() != n || self.kind.as_ref().is_some_and(|k| k.len() != n) {
            return Err(Error::Parameter {
                name: "bodies",
                value: format!("id or kind has not {n} entries"),
                expected: format!("every field has as many entries as x, {n}"),
            });
        }
        for (name, column) in columns {
            let signed = !matches!(name, "mass" | "eps");
            let bad = column.iter().position(|q| !q.is_finite() || (!signed && *q < 0.0));
            if let Some(index) = bad {
                return Err(Error::Body {
                    index,
                    id: self.id[index],
                    field: name,
                    value: column[index],
                    expected: if signed { "must be a finite number" } else { "must be a finite number, 0 or more" },
                });
            }
        }
        Ok(())
    }

    /// Two of the bodies that take part, at exactly the same place, of which one at least `counts`, if there are any.
    /// O(n log n).
    pub fn coincident(
        &self,
        takes_part: impl Fn(usize) -> bool,
        counts: impl Fn(usize) -> bool,
    ) -> Option<(usize, usize)> {
        // + 0.0 makes -0 and 0 the same place
        let place = |i: usize| self.position(i).map(|q| q + 0.0);
        let order = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k].total_cmp(&b[k])).find(|o| o.is_ne());
        let mut sorted: Vec<usize> = (0..self.len()).filter(|i| takes_part(*i)).collect();
        sorted.sort_unstable_by(|a, b| order(place(*a), place(*b)).unwrap_or_else(|| a.cmp(b)));
        let same = sorted.chunk_by(|a, b| place(*a) == place(*b)).filter(|same| same.len() > 1);
        // n bodies at one place have n^2 pairs: neighbours in the order of indices stand for all
        same.flat_map(|same| same.windows(2)).map(|pair| (pair[0], pair[1])).find(|(i, j)| counts(*i) || counts(*j))
    }

    fn columns(&self) -> Vec<(&'static str, &[f64])> {
        let mut columns: Vec<(&'static str, &[f64])> = vec![
            ("x", &self.x),
            ("y", &self.y),
            ("z", &self.z),
            ("vx", &self.vx),
            ("vy", &self.vy),
            ("vz", &self.vz),
            ("mass", &self.mass),
        ];
        if let Some(eps) = &self.eps {
            columns.push(("eps", eps));
        }
        columns
    }
}

impl Columns for Bodies {
    fn column(&self, name: &str) -> Option<Cow<'_, [f64]>> {
        Bodies::column(self, name)
    }

    fn column_names(&self) -> Vec<String> {
        Bodies::column_names(self)
    }
}
