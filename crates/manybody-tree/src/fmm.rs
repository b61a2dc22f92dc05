//! The fast multipole method for gravity.

use crate::bodies::LeafBodies;
use crate::index::HIGHEST;
use crate::lists::{Criterion, Lines};
use crate::moments::Moments;
use crate::order::Points;
use crate::tree::Tree;
use crate::walk::{Aim, Thread, Walk};
use manybody_law::simd::{Element, Level};
use manybody_law::{Error, Result};
use manybody_pairwise::{Bodies, Forces, Frame, Gravity, Solver, Want};
use rayon::prelude::*;
use std::sync::Mutex;

/// How exact the forces are, and how that is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The order of the expansions: 2 to 12.
    pub order: usize,
    /// The error that one interaction may make, relative to the least acceleration in the sink.
    pub tolerance: f64,
    /// Bodies in a leaf: 16 or 32.
    pub leaf: usize,
}

impl Accuracy {
    /// What reaches a relative error below `rtol` for 99 of 100 bodies.
    pub fn reaching(rtol: f64) -> Self {
        let table = [
            (1e-2, 3, 4e-3, 16),
            (1e-3, 5, 1.8e-4, 16),
            (3e-4, 6, 7e-5, 16),
            (1e-4, 6, 1.7e-5, 16),
            (2.7e-5, 7, 5e-6, 16),
            (8e-6, 8, 2e-6, 16),
            (9e-7, 9, 1.6e-7, 32),
        ];
        let found = table.iter().find(|row| row.0 <= rtol * 1.0001);
        let (_, order, tolerance, leaf) = found.copied().unwrap_or((1e-9, 12, 1e-10, 32));
        Accuracy { order, tolerance, leaf }
    }
}

/// The order in which the first estimate of accelerations is made, and the ratio of radii to distance.
const ESTIMATE: (usize, f32) = (3, 1.0);
/// An estimate is this much too large at most, in most leaves.
const CAUTION: f64 = 0.8;
/// Accelerations are taken to be at least this much of their root mean square: where forces cancel, there is no relative
/// error.
const FLOOR: f64 = 1e-3;

/// Gravity by fast multipoles, with forces in T.
#[derive(Debug)]
pub struct Fmm<T> {
    level: Level,
    accuracy: Accuracy,
    tree: Tree,
    lines: Lines,
    moments: Moments<T>,
    bodies: LeafBodies<T>,
    places: [Vec<f64>; 3],
    mass: Vec<f64>,
    threads: Mutex<Vec<Thread<T>>>,
    leaves: Vec<T>,
}

impl<T: Element> Fmm<T> {
    /// A solver of this accuracy.
    pub fn new(level: Level, accuracy: Accuracy) -> Self {
        Fmm {
            level,
            accuracy,
            tree: Tree::default(),
            lines: Lines::default(),
            moments: Moments::default(),
            bodies: LeafBodies::default(),
            places: Default::default(),
            mass: Vec::new(),
            threads: Mutex::new(Vec::new()),
            leaves: Vec::new(),
        }
    }

    /// Runs a walk over the tree; what it finds is in `self.leaves`.
    fn walk(&mut self, criterion: Criterion, soft2: f64, aim: Aim) {
        let leaves = self.tree.cells.len() - self.tree.first_leaf();
        let per_leaf = if aim == Aim::Estimate { 1 } else { 4 * self.tree.leaf };
        self.leaves.clear();
        self.leaves.resize(leaves * per_leaf, T::default());
        let [x, y, z] = &self.places;
        let walk = Walk {
            level: self.level,
            tree: &self.tree,
            children: &self.tree.children(),
            points: Points { x: [x, y, z], mass: &self.mass },
            lines: &self.lines,
            moments: &self.moments,
            bodies: &self.bodies,
            criterion,
            dipoles: self.mass.iter().any(|mass| *mass < 0.0),
            soft2,
            aim,
            threads: &self.threads,
        };
        walk.run(&mut self.leaves);
    }

    /// Sets the least acceleration of every cell from an estimate.
    fn estimate(&mut self, soft2: f64) {
        let (order, angle) = ESTIMATE;
        let order = order.min(self.accuracy.order);
        let criterion = Criterion {
            angle2: angle * angle,
            tolerance: f32::INFINITY,
            order: order as u32,
            units: units::<T>(order),
        };
        let ones = vec![1.0; self.tree.cells.len() - self.tree.first_leaf()];
        self.lines.set_least(&self.tree, &ones);
        self.walk(criterion, soft2, Aim::Estimate);
        let found: Vec<f64> = self.leaves.iter().map(|a| a.to_f64() * CAUTION).collect();
        let rms = (found.iter().map(|a| a * a).sum::<f64>() / found.len() as f64).sqrt();
        let least: Vec<f32> = found.iter().map(|a| a.max(FLOOR * rms) as f32).collect();
        self.lines.set_least(&self.tree, &least);
    }
}

/// The ratio of units up to which no power of it, to the order, leaves the range of the type.
fn units<T: Element>(order: usize) -> f32 {
    let digits = if T::DOUBLE { 100 } else { 96 / (order as i32 + 1) };
    2.0_f32.powi(digits)
}

impl<T: Element> Solver for Fmm<T> {
    fn name(&self) -> &'static str {
        "fmm"
    }

    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, want: Want, out: &mut Forces) -> Result<()> {
        let wrong = |name, value: &str, expected: &str| {
            Err(Error::Parameter { name, value: value.into(), expected: expected.into() })
        };
        if want.jerk {
            return wrong("jerk", "requested", "the solver fmm has accelerations and potentials");
        }
        if bodies.eps.is_some() {
            return wrong("eps", "of each body", "the solver fmm needs one softening for all bodies");
        }
        let n = bodies.len();
        let frame = Frame::new(bodies, gravity, false)?;
        if n == 0 {
            *out = Forces::zeros(0, want);
            return Ok(());
        }
        for (field, to) in self.places.iter_mut().chain([&mut self.mass]).enumerate() {
            to.resize(n, 0.0);
            frame.write(bodies, gravity, false, field, to);
        }
        let [eps2] = frame.parameters::<T>(gravity);
        let soft2 = eps2.to_f64();
        let Accuracy { order, tolerance, leaf } = self.accuracy;
        let order = order.clamp(2, HIGHEST);
        let [x, y, z] = &self.places;
        let points = Points { x: [x, y, z], mass: &self.mass };
        self.tree.build(points, leaf);
        self.bodies.fill(points, &self.tree);
        self.moments.of(self.level, &self.tree, &self.bodies, order);
        self.lines.fill(&self.tree, &self.moments);
        self.estimate(soft2);
        let criterion = Criterion {
            angle2: 0.95 * 0.95,
            tolerance: tolerance as f32,
            order: order as u32,
            units: units::<T>(order),
        };
        self.walk(criterion, soft2, Aim::Forces { potential: want.potential });
        let size = self.tree.leaf;
        let mut place = vec![0_u32; n];
        self.tree.order.iter().enumerate().for_each(|(at, body)| place[*body as usize] = at as u32);
        let unit = [frame.acceleration(), frame.acceleration(), frame.acceleration(), frame.potential()];
        let columns = [(&mut out.ax, true), (&mut out.ay, true), (&mut out.az, true), (&mut out.pot, want.potential)];
        for (field, (to, wanted)) in columns.into_iter().enumerate() {
            to.clear();
            if wanted {
                let leaves = &self.leaves;
                to.par_extend(place.par_iter().map(|at| {
                    let (leaf, k) = (*at as usize / size, *at as usize % size);
                    leaves[(leaf * 4 + field) * size + k].to_f64() * unit[field]
                }));
            }
        }
        for to in [&mut out.jx, &mut out.jy, &mut out.jz] {
            to.clear();
        }
        Ok(())
    }
}
