//! What rank 0 asks the others to compute, as words.
//!
//! Columns are sent where they differ from those that were sent last: masses and softenings once.

use crate::law::Targets;
use crate::simd::Level;
use crate::solver::Coordinates;
use crate::solver::{Expansion, Gpus, Gravity, Method, Softening};
use crate::{Bodies, Error, Result};
use manybody_ranks::words::{Reader, Words};

/// What the others are to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Forces,
    Derivatives,
    Law,
    Histogram,
    Forget,
    Resident,
    Write,
    Collisions,
    Triples,
    Gpus,
}

impl Kind {
    const ALL: [(u64, Kind); 10] = [
        (1, Kind::Forces),
        (2, Kind::Derivatives),
        (3, Kind::Law),
        (4, Kind::Forget),
        (5, Kind::Histogram),
        (6, Kind::Resident),
        (7, Kind::Write),
        (8, Kind::Collisions),
        (9, Kind::Triples),
        (10, Kind::Gpus),
    ];

    pub(super) fn put(self, to: &mut Words) {
        to.number(Kind::ALL.iter().find(|(_, kind)| *kind == self).map_or(0, |(number, _)| *number));
    }

    /// The first words of a job of no solver, which is made of nothing.
    pub(super) fn alone(self) -> Words {
        let mut words = Words::default();
        self.put(&mut words);
        words.number(u64::MAX).number(0);
        words
    }

    pub(super) fn get(from: &mut Reader<'_>) -> Result<Self> {
        let number = from.number()?;
        Kind::ALL.iter().find(|(known, _)| *known == number).map(|(_, kind)| *kind).ok_or_else(|| unknown("job"))
    }
}

fn unknown(what: &str) -> Error {
    Error::Rank { rank: 0, problem: format!("it asks for an unknown {what}: are all ranks the same program?") }
}

/// Columns as they were sent or received last.
#[derive(Debug, Default)]
pub(super) struct Columns(pub(super) Vec<Vec<f64>>);

impl Columns {
    /// Writes what has changed.
    pub(super) fn put(&mut self, now: &[&[f64]], to: &mut Words) {
        self.0.resize(now.len(), Vec::new());
        to.number(now.len() as u64);
        for (last, now) in self.0.iter_mut().zip(now) {
            let same = last.len() == now.len() && last.iter().zip(*now).all(|(a, b)| a.to_bits() == b.to_bits());
            to.flag(same);
            if !same {
                to.reals(now);
                last.clear();
                last.extend_from_slice(now);
            }
        }
    }

    /// Reads what has changed.
    pub(super) fn get(&mut self, from: &mut Reader<'_>) -> Result<()> {
        let count = from.count()?;
        self.0.resize(count, Vec::new());
        for last in &mut self.0 {
            if !from.flag()? {
                let now = from.reals()?;
                last.clear();
                last.extend_from_slice(now);
            }
        }
        Ok(())
    }
}

/// The columns of bodies that forces depend on.
pub(super) fn columns_of(bodies: &Bodies, of: Coordinates) -> Vec<&[f64]> {
    let Bodies { x, y, z, vx, vy, vz, mass, eps, .. } = bodies;
    let velocities = [vx, vy, vz].into_iter().filter(|_| of == Coordinates::PhaseSpace);
    [mass, x, y, z].into_iter().chain(velocities).chain(eps).map(Vec::as_slice).collect()
}

/// Bodies of such columns, in place of others; those without velocities have 0.
pub(super) fn take_columns(columns: &[Vec<f64>], of: Coordinates, bodies: &mut Bodies) -> Result<()> {
    let n = columns.first().map_or(0, Vec::len);
    let due = match of {
        Coordinates::Positions => 4,
        Coordinates::PhaseSpace => 7,
    };
    if !(due..=due + 1).contains(&columns.len()) || columns.iter().any(|column| column.len() != n) {
        return Err(unknown("set of columns"));
    }
    let Bodies { x, y, z, vx, vy, vz, mass, id, eps, .. } = bodies;
    for (to, from) in [mass, x, y, z, vx, vy, vz].into_iter().zip(columns.iter().take(due)) {
        to.clone_from(from);
    }
    if of == Coordinates::Positions {
        [vx, vy, vz].into_iter().for_each(|column| column.resize(n, 0.0));
    }
    if id.len() != n {
        *id = (0..n as u64).collect();
    }
    *eps = columns.get(due).cloned();
    Ok(())
}

/// Writes what gravity is.
pub(super) fn put_gravity<'a>(gravity: &Gravity, to: &'a mut Words) -> &'a mut Words {
    to.real(gravity.g).real(gravity.eps).number(gravity.softening as u64)
}

/// Gravity that was read.
pub(super) fn gravity_of(from: &mut Reader<'_>) -> Result<Gravity> {
    let (g, eps, softening) = (from.real()?, from.real()?, from.count()?);
    let unknown = || Error::Rank { rank: 0, problem: "it asks for an unknown softening".into() };
    Ok(Gravity::new(g, eps).softened(*Softening::ALL.get(softening).ok_or_else(unknown)?))
}

/// Writes targets.
pub(super) fn put_targets(targets: &Targets<'_>, to: &mut Words) {
    match targets {
        Targets::All => to.number(0),
        Targets::Range(range) => to.number(1).number(range.start as u64).number(range.end as u64),
        Targets::List(list) => to.number(2).numbers(list.iter().map(|k| *k as u64)),
    };
}

/// Targets that were read.
pub(super) enum Read {
    All,
    Range(std::ops::Range<usize>),
    List(Vec<usize>),
}

impl Read {
    pub(super) fn get(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match from.number()? {
            0 => Read::All,
            1 => Read::Range(from.count()?..from.count()?),
            2 => Read::List(from.numbers()?.iter().map(|k| *k as usize).collect()),
            _ => return Err(unknown("set of targets")),
        })
    }

    pub(super) fn as_targets(&self) -> Targets<'_> {
        match self {
            Read::All => Targets::All,
            Read::Range(range) => Targets::Range(range.clone()),
            Read::List(list) => Targets::List(list),
        }
    }
}

/// Writes a method, with the vectors and the GPUs of rank 0, from which follow those of the other ranks.
///
/// # Errors
/// Those of MANYBODY_SIMD.
pub(super) fn put_method(method: &Method, to: &mut Words) -> Result<()> {
    let Method { device, gpus, solver, precision, sum, expansion, .. } = method;
    to.text(device.name()).numbers(gpus.ordinals().iter().map(|ordinal| *ordinal as u64));
    to.text(&solver.to_string()).text(&precision.to_string()).text(&sum.to_string()).text(method.level()?.name());
    let Expansion { rtol, order, theta, tolerance } = expansion;
    for number in [*rtol, order.map(|order| order as f64), *theta, *tolerance] {
        to.flag(number.is_some()).real(number.unwrap_or_default());
    }
    Ok(())
}

/// [`put_method`], read back.
///
/// # Errors
/// [`Error::Parameter`] for vectors that this machine does not have.
pub(super) fn get_method(from: &mut Reader<'_>) -> Result<Method> {
    let device = from.text()?.parse()?;
    let ordinals: Vec<usize> = from.numbers()?.iter().map(|ordinal| *ordinal as usize).collect();
    let gpus = if ordinals.is_empty() { Gpus::default() } else { Gpus::of(&ordinals)? };
    let (solver, precision, sum) = (from.text()?.parse()?, from.text()?.parse()?, from.text()?.parse()?);
    let level = Some(Level::by_name(&from.text()?)?);
    let mut number = || Ok::<_, Error>(Some((from.flag()?, from.real()?)).filter(|(given, _)| *given).map(|(_, x)| x));
    let (rtol, order, theta, tolerance) = (number()?, number()?, number()?, number()?);
    let expansion = Expansion { rtol, order: order.map(|order| order as usize), theta, tolerance };
    Ok(Method { device, gpus, solver, precision, sum, level, expansion })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Precision, SolverName, Summation};

    #[test]
    fn methods_targets_and_columns_read_back() {
        let expansion = Expansion { rtol: Some(1e-4), order: Some(5), theta: None, tolerance: Some(2e-5) };
        for (solver, precision, sum) in [
            (SolverName::Symmetric, Precision::F64, Summation::default()),
            (SolverName::Direct, Precision::F32, Summation::Blocked(Some(128))),
            (SolverName::Fmm, Precision::F32, Summation::default()),
        ] {
            let gpus = if solver == SolverName::Direct { Gpus::of(&[2, 0]).unwrap() } else { Gpus::default() };
            let level = Some(Level::Scalar);
            let method = Method { gpus, solver, precision, sum, expansion, level, ..Method::default() };
            let mut words = Words::default();
            put_method(&method, &mut words).unwrap();
            assert_eq!(get_method(&mut Reader::of(&words.done())).unwrap(), method);
        }
        for targets in [Targets::All, Targets::Range(3..9), Targets::List(&[7, 1, 2])] {
            let mut words = Words::default();
            put_targets(&targets, &mut words);
            let read = Read::get(&mut Reader::of(&words.done())).unwrap();
            assert_eq!(format!("{:?}", read.as_targets()), format!("{targets:?}"));
        }
        for softening in Softening::ALL {
            let (mut words, gravity) = (Words::default(), Gravity::new(2.5, 0.25).softened(softening));
            put_gravity(&gravity, &mut words);
            assert_eq!(gravity_of(&mut Reader::of(&words.done())).unwrap(), gravity);
        }
    }

    #[test]
    fn columns_are_sent_once() {
        let (mut sent, mut received) = (Columns::default(), Columns::default());
        let mut send = |columns: &[&[f64]]| {
            let mut words = Words::default();
            sent.put(columns, &mut words);
            let words = words.done();
            received.get(&mut Reader::of(&words)).unwrap();
            assert_eq!(received.0.len(), columns.len());
            // -0 is another number than 0
            let same = |(a, b): (&Vec<f64>, &&[f64])| a.iter().zip(*b).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(received.0.iter().zip(columns).all(same));
            words.len()
        };
        assert_eq!(send(&[&[1.0, 2.0], &[0.0, 3.0]]), 1 + 4 + 4);
        assert_eq!(send(&[&[1.0, 2.0], &[-0.0, 3.0]]), 1 + 1 + 4);
        assert_eq!(send(&[&[1.0, 2.0], &[-0.0, 3.0]]), 3);
        assert_eq!(send(&[&[1.0], &[2.0], &[]]), 1 + 3 + 3 + 1);
    }

    #[test]
    fn bodies_are_the_same_on_the_other_side() {
        use Coordinates::{PhaseSpace, Positions};
        let mut bodies = Bodies::default();
        for k in 0..5 {
            let k = f64::from(k);
            bodies.push(k, [k + 0.1, k + 0.2, k + 0.3], [k - 0.1, k - 0.2, k - 0.3]);
        }
        for eps in [None, Some(vec![0.5; 5])] {
            bodies.eps = eps;
            let mut other = Bodies::default();
            let columns = |of| columns_of(&bodies, of).into_iter().map(<[f64]>::to_vec).collect::<Vec<_>>();
            take_columns(&columns(PhaseSpace), PhaseSpace, &mut other).unwrap();
            assert_eq!(
                (&other.x, &other.vz, &other.mass, &other.eps),
                (&bodies.x, &bodies.vz, &bodies.mass, &bodies.eps)
            );
            take_columns(&columns(Positions), Positions, &mut other).unwrap();
            assert_eq!((&other.x, &other.eps), (&bodies.x, &bodies.eps));
            assert!(take_columns(&columns(PhaseSpace), Positions, &mut other).is_err());
        }
    }
}
