//! Gravity by a tree or by fast multipoles.

use crate::accuracy::{Accuracy, Limits, Opening};
use crate::bodies::LeafBodies;
use crate::few::WithFew;
use crate::lists::{Criterion, Lines};
use crate::moments;
use crate::order::Points;
use crate::own::Own;
use crate::rates::Rates;
use crate::softening::{Softenings, classes, own_softenings};
use crate::tree::{SMALLEST_UNIT_WITH_SOFTENINGS, Tree};
use crate::walk::{Aim, Sinks, Thread, Walk, worth};
use manybody_expansions::{FIELDS, Moments, Operators};
use manybody_law::law::Targets;
use manybody_law::memory::{self, refill};
use manybody_law::simd::Level;
use manybody_law::{Error, Result};
use manybody_pairwise::watch::{self, Watch};
use manybody_pairwise::{
    Bodies, Expansion, ForceTerms, Forces, Frame, Gravity, Method, Precision, Softening, Solver, SolverName, cpu_solver,
};
use manybody_ranks::Team;
use rayon::prelude::*;
use std::sync::Mutex;

/// The order in which the first estimate of accelerations is made, and the ratio of radii to distance.
const ESTIMATE: (usize, f32) = (3, 1.0);
/// Bodies whose results are copied by one thread at least.
const AT_ONCE: usize = 4096;
/// How much smaller than their estimate accelerations are taken to be. (The estimate has an error of several per cent.)
const CAUTION: f64 = 0.8;

/// The solver of gravity on the CPU for a method, by the solver tree or fmm.
///
/// # Errors
/// [`Error::Unsupported`] for a device, precision or summation that these solvers do not have, [`Error::Parameter`] for
/// an accuracy that is not available, and those of MANYBODY_SIMD.
pub fn solver(method: &Method) -> Result<Box<dyn Solver>> {
    use manybody_law::Capability;
    let wrong = |capability, value: String, expected: &str| {
        Err(Error::Unsupported { capability, value, expected: expected.into() })
    };
    let sinks = Sinks::of(method)?;
    if method.device.is_gpu() {
        return wrong(Capability::Device, method.device.to_string(), "the solvers tree and fmm are on the CPU");
    }
    let (level, accuracy) = (method.level()?, Accuracy::of(method)?);
    let all_pairs = Method { solver: SolverName::Direct, expansion: Expansion::default(), ..method.clone() };
    let pairs = cpu_solver(&all_pairs)?;
    Ok(match method.precision {
        Precision::F32 => with_few(Fmm::<f32>::new(level, accuracy, sinks), pairs),
        Precision::Mixed => with_few(Fmm::<f32> { compensated: true, ..Fmm::new(level, accuracy, sinks) }, pairs),
        Precision::F64 => with_few(Fmm::<f64>::new(level, accuracy, sinks), pairs),
    })
}

fn with_few<T: Operators>(expansions: Fmm<T>, pairs: Box<dyn Solver>) -> Box<dyn Solver> {
    Box::new(WithFew { expansions, pairs })
}

/// Gravity by expansions, with forces in T.
#[derive(Debug)]
pub struct Fmm<T> {
    level: Level,
    accuracy: Accuracy,
    sinks: Sinks,
    watch: Watch,
    team: Option<Team>,
    tree: Tree,
    lines: Lines,
    moments: Moments<T>,
    bodies: LeafBodies<T>,
    places: [Vec<f64>; 3],
    mass: Vec<f64>,
    /// Half the squares of softenings of the bodies' own; empty where they have one for all.
    halves: Vec<f64>,
    softenings: Softenings<T>,
    /// Where jerks are asked for.
    velocities: [Vec<f64>; 3],
    rates: Option<Rates<T>>,
    softening: Softening,
    wide: Vec<bool>,
    /// Whether sums over bodies are compensated.
    compensated: bool,
    threads: Mutex<Vec<Thread<T>>>,
    leaves: Vec<T>,
    found: Vec<[T; 4]>,
    rank: Vec<u32>,
    /// How many leaves before each one have bodies that are asked for; empty where all are.
    needed: Vec<u32>,
}

impl<T: Operators> Fmm<T> {
    /// A solver of this accuracy.
    pub fn new(level: Level, accuracy: Accuracy, sinks: Sinks) -> Self {
        Fmm {
            level,
            accuracy,
            sinks,
            watch: Watch::default(),
            team: None,
            tree: Tree::default(),
            lines: Lines::default(),
            moments: Moments::default(),
            bodies: LeafBodies::default(),
            places: Default::default(),
            mass: Vec::new(),
            halves: Vec::new(),
            softenings: Softenings::default(),
            velocities: Default::default(),
            rates: None,
            softening: Softening::default(),
            wide: Vec::new(),
            compensated: false,
            threads: Mutex::new(Vec::new()),
            leaves: Vec::new(),
            found: Vec::new(),
            rank: Vec::new(),
            needed: Vec::new(),
        }
    }

    /// Runs a walk over the tree; what it finds is in `self.leaves`.
    fn walk(&mut self, criterion: Criterion, soft2: f64, aim: Aim, watch: &Watch) -> Result<()> {
        let leaves = self.tree.cells.len() - self.tree.first_leaf();
        // estimates are of all cells
        let forces = matches!(aim, Aim::Forces { .. });
        let rates = self.rates.as_ref().filter(|_| forces);
        let needed = (forces && !self.needed.is_empty()).then_some(&self.needed[..]);
        let per_leaf = if forces { FIELDS[usize::from(rates.is_some())] * self.tree.leaf } else { 1 };
        refill(&mut self.leaves, leaves * per_leaf, T::default());
        let own = Own::of(self.team.as_ref(), &self.tree, needed);
        let walk = Walk {
            level: self.level,
            tree: &self.tree,
            lines: &self.lines,
            moments: &self.moments,
            bodies: &self.bodies,
            criterion,
            dipoles: self.mass.iter().any(|mass| *mass < 0.0),
            soft2,
            softenings: (!self.halves.is_empty()).then_some(&self.softenings),
            rates,
            softening: self.softening,
            aim,
            // estimates need the accelerations of all cells, cheaply
            sinks: if aim == Aim::Estimate { Sinks::Cells } else { self.sinks },
            wide: &self.wide,
            compensated: self.compensated,
            threads: &self.threads,
            own: &own,
        };
        walk.run(&mut self.leaves, watch)?;
        if self.team.is_none() {
            return Ok(());
        }
        let mut found: Vec<f64> = self.leaves.iter().map(|x| x.to_f64()).collect();
        match aim {
            Aim::Forces { .. } => own.gather(&mut found, per_leaf)?,
            // every cell needs those of its neighbours
            Aim::Estimate => own.gather_on_all(&mut found, per_leaf)?,
        }
        self.leaves.iter_mut().zip(&found).for_each(|(to, from)| *to = T::from_f64(*from));
        Ok(())
    }

    /// Ends an evaluation of n bodies between two of its phases, where that is requested.
    fn check(&self, n: usize) -> Result<()> {
        watch::outcome(self.watch.prepare(worth(n)).as_ref())
    }

    /// Sets the least acceleration of every cell from an estimate.
    fn estimate(&mut self, soft2: f64) -> Result<()> {
        let (order, angle) = ESTIMATE;
        let order = order.min(self.accuracy.order);
        let limits = Limits::of::<T>(order);
        let criterion = Criterion {
            angle2: angle * angle,
            tolerance: f32::INFINITY,
            order: order as u32,
            units: limits.units,
            unit2: limits.unit2,
            mutual: true,
            soft2: self.halves.is_empty().then_some(soft2 as f32),
            softening: self.softening,
        };
        let leaves = self.tree.cells.len() - self.tree.first_leaf();
        self.lines.set_least(&self.tree, &vec![1.0; leaves]);
        if matches!(self.accuracy.opening, Opening::Angle(_)) {
            return Ok(());
        }
        let watch = self.watch.clone();
        self.walk(criterion, soft2, Aim::Estimate, &watch)?;
        let found: Vec<f64> = self.leaves.iter().map(|a| a.to_f64() * CAUTION).collect();
        let rms = (found.iter().map(|a| a * a).sum::<f64>() / found.len() as f64).sqrt();
        let floor = (Accuracy::FLOOR * rms).min(Accuracy::low(&found));
        let least: Vec<f32> = found.iter().map(|a| a.max(floor) as f32).collect();
        self.lines.set_least(&self.tree, &least);
        Ok(())
    }

    /// Where each body is in the tree.
    fn set_ranks(&mut self) {
        self.rank.resize(self.tree.order.len(), 0);
        for (at, body) in self.tree.order.iter().enumerate() {
            self.rank[*body as usize] = at as u32;
        }
    }

    /// Counts the leaves that have some of the bodies which are asked for.
    fn set_needed(&mut self, targets: &Targets<'_>) {
        self.needed.clear();
        let leaves = self.tree.cells.len() - self.tree.first_leaf();
        let mut need = |body: usize| {
            self.needed.resize(leaves + 1, 0);
            self.needed[self.rank[body] as usize / self.tree.leaf + 1] = 1;
        };
        match targets {
            Targets::All => return,
            Targets::Range(range) => range.clone().for_each(&mut need),
            Targets::List(list) => list.iter().copied().for_each(&mut need),
        }
        let mut before = 0;
        for count in &mut self.needed {
            before += *count;
            *count = before;
        }
    }

    /// Copies what was found into the order of the bodies.
    fn hand_out(&mut self, frame: &Frame, terms: ForceTerms, out: &mut Forces) {
        let [a, pot, j] = [frame.acceleration(), frame.potential(), frame.jerk()];
        let Forces { ax, ay, az, jx, jy, jz, pot: to_pot } = out;
        self.copy_fields(0, [(ax, a), (ay, a), (az, a), (to_pot, pot)]);
        if terms.jerk {
            self.copy_fields(FIELDS[0], [(jx, j), (jy, j), (jz, j)]);
        } else {
            [jx, jy, jz].into_iter().for_each(Vec::clear);
        }
        if !(terms.potential || terms.jerk) {
            to_pot.clear();
        }
    }

    /// Copies fields of what was found, from this one on, each times its unit.
    fn copy_fields<const N: usize>(&mut self, first: usize, to: [(&mut Vec<f64>, f64); N]) {
        let (n, size) = (self.tree.order.len(), self.tree.leaf);
        let fields = FIELDS[usize::from(self.rates.is_some())];
        // side by side, so that a body's numbers are fetched at once
        memory::resize(&mut self.found, n.div_ceil(size) * size, [T::default(); 4]);
        let leaves = self.leaves.par_chunks(fields * size).zip(self.found.par_chunks_mut(size));
        leaves.for_each(|(leaf, found)| {
            for (k, found) in found.iter_mut().enumerate() {
                for (field, found) in found.iter_mut().enumerate().take(N) {
                    *found = leaf[(first + field) * size + k];
                }
            }
        });
        let units = to.each_ref().map(|(_, unit)| *unit);
        let mut parts = to.map(|(to, _)| {
            to.resize(n, 0.0);
            to.chunks_mut(AT_ONCE)
        });
        let parts = std::iter::from_fn(|| {
            let mut parts = parts.each_mut().map(Iterator::next);
            parts[0].is_some().then(|| parts.each_mut().map(|part| part.take().unwrap_or_default()))
        });
        let parts: Vec<[&mut [f64]; N]> = parts.collect();
        parts.into_par_iter().zip(self.rank.par_chunks(AT_ONCE)).for_each(|(mut to, ranks)| {
            for (k, rank) in ranks.iter().enumerate() {
                let found = self.found[*rank as usize];
                for (field, to) in to.iter_mut().enumerate() {
                    to[k] = found[field].to_f64() * units[field];
                }
            }
        });
    }
}

impl<T: Operators> Fmm<T> {
    /// The forces on some bodies, in the places of these among all.
    fn evaluate(
        &mut self,
        bodies: &Bodies,
        targets: &Targets<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        if terms.jerk && self.accuracy.order < 2 {
            let expected = "jerks by expansions need an order of 2 at least".into();
            return Err(Error::Parameter { name: "order", value: self.accuracy.order.to_string(), expected });
        }
        self.softening = gravity.softening;
        let (n, coordinates) = (bodies.len(), terms.coordinates());
        let frame = Frame::new(bodies, gravity, coordinates)?;
        if n == 0 {
            *out = Forces::zeros(0, terms);
            return Ok(());
        }
        if n > u32::MAX as usize {
            let expected = "the solvers tree and fmm have room for 2^32 bodies".into();
            return Err(Error::Parameter { name: "n", value: n.to_string(), expected });
        }
        let moving = if terms.jerk { &mut self.velocities[..] } else { &mut [] };
        for (field, to) in self.places.iter_mut().chain(moving).chain([&mut self.mass]).enumerate() {
            to.resize(n, 0.0);
            frame.write(bodies, gravity, coordinates, field, to);
        }
        let soft2 = own_softenings(&frame, bodies, gravity, T::DOUBLE, &mut self.halves);
        let Accuracy { order, opening, leaf, .. } = self.accuracy.of_bodies(n);
        let [x, y, z] = &self.places;
        let classes = classes(&self.halves);
        let points = Points { x: [x, y, z], mass: &self.mass, classes: &classes };
        match !T::DOUBLE && !self.halves.is_empty() {
            true => self.tree.build_with(self.level, points, leaf, SMALLEST_UNIT_WITH_SOFTENINGS),
            false => self.tree.build(self.level, points, leaf),
        }
        self.set_ranks();
        self.set_needed(targets);
        self.check(n)?;
        self.bodies.fill(&self.tree);
        let digits = if T::DOUBLE { f64::MANTISSA_DIGITS } else { f32::MANTISSA_DIGITS };
        let leaves = &self.tree.cells[self.tree.first_leaf()..];
        self.wide.clear();
        if leaves.par_iter().any(|leaf| leaf.is_wide(digits as i32)) {
            self.wide.extend(leaves.iter().map(|leaf| leaf.is_wide(digits as i32)));
        }
        moments::fill(&mut self.moments, self.level, &self.tree, &self.bodies, order);
        moments::fill_spherical(&mut self.moments, self.level);
        if !self.halves.is_empty() {
            self.softenings.fill(self.level, &self.tree, &self.halves, order);
        }
        if terms.jerk {
            let softenings = (!self.halves.is_empty()).then_some(&self.softenings);
            let mut rates = self.rates.take().unwrap_or_default();
            rates.fill(self.level, &self.tree, &self.velocities, (&self.bodies, softenings), order);
            self.rates = Some(rates);
        } else {
            self.rates = None;
        }
        self.check(n)?;
        let softenings = (!self.halves.is_empty()).then_some(&self.softenings);
        self.lines.fill(&self.tree, &self.moments, softenings);
        self.estimate(soft2)?;
        let (angle, tolerance) = match opening {
            Opening::Error(tolerance) => (Accuracy::WIDEST_ANGLE, tolerance as f32),
            Opening::Angle(theta) => (theta as f32, f32::INFINITY),
        };
        // second expansions have two derivatives more
        let has_second = !self.halves.is_empty() && self.softening == Softening::Plummer;
        let limits = Limits::of::<T>(if has_second { order + 2 } else { order });
        let criterion = Criterion {
            angle2: angle * angle,
            tolerance,
            order: order as u32,
            units: limits.units,
            unit2: limits.unit2,
            mutual: self.sinks == Sinks::Cells,
            soft2: self.halves.is_empty().then_some(soft2 as f32),
            softening: self.softening,
        };
        let watch = self.watch.clone();
        self.walk(criterion, soft2, Aim::Forces { potential: terms.potential || terms.jerk }, &watch)?;
        self.hand_out(&frame, terms, out);
        Ok(())
    }
}

impl<T: Operators> Solver for Fmm<T> {
    fn name(&self) -> &'static str {
        self.sinks.name()
    }

    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms, out: &mut Forces) -> Result<()> {
        self.evaluate(bodies, &Targets::All, gravity, terms, out)
    }

    fn forces_on(
        &mut self,
        bodies: &Bodies,
        targets: &Targets<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        targets.check(bodies.len())?;
        self.evaluate(bodies, targets, gravity, terms, out)?;
        out.keep(targets);
        Ok(())
    }

    fn watch(&mut self, watch: &Watch) {
        self.watch = watch.clone();
    }

    fn can_share(&self) -> bool {
        true
    }

    fn share(&mut self, team: Option<&Team>) {
        self.team = team.cloned();
    }
}
