//! Radial laws by fast multipoles: sums of charges times any smooth function of the distance, in O(n).
//!
//! ```text
//! law --Radial--> charges, factors, functions --Series--> derivatives --McMurchie-Davidson--> tensors --> expansions
//!                                   near: pairs of the law itself, by the interpreter
//! ```
//!
//! The expansions are those of softened gravity ([`taylor`](manybody_expansions::taylor)), which is not harmonic, with the derivatives of
//! another function. Expansions are computed in f64; what is near is computed in the number type of the method. The bodies
//! acted on and those that act have a tree each, or one for both where they are the same bodies at the same places.

mod accuracy;
mod criterion;
mod device;
mod fields;
pub(crate) mod near;
pub(crate) mod sets;
mod walk;
mod weight;

pub use accuracy::LawAccuracy;
pub use device::{BodiesOfLaw, ErrorTable, ExpandedLaw, LawText, ProductText, TermText};
pub use weight::{PARTS_OF_RADIUS, square_factors};

use crate::bodies::LeafBodies;
use crate::boxes;
use crate::moments;
use crate::order::Points;
use crate::own::Own;
use crate::tree::Tree;
use criterion::Criterion;
use fields::Fields;
use manybody_expansions::Moments;
use manybody_law::law::{Law, PairInputs, Program, Radial, Role, SelfPair, Targets};
use manybody_law::norm::norm;
use manybody_law::simd::Level;
use manybody_law::{Capability, Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Evaluator, Interpreter, Loaded, Method, Precision, SolverName};
use manybody_ranks::Team;
use near::{Near, Pairs};
use rayon::prelude::*;
use sets::{Scale, handed_out, in_order};
use std::sync::Mutex;
use walk::{Acted, Acting, Walk};

/// Bodies whose results are medians for the criterion.
const SAMPLE: usize = 64;

/// The evaluator of a law by the solver of a method, on the CPU: fmm, for radial laws, or tree, for laws of which pairs can be
/// left out.
///
/// # Errors
/// [`Error::Unsupported`] for a law that does not fit the solver, with the reason, and for a device, precision or solver that
/// laws do not have; [`Error::Parameter`] for an accuracy that is not available; those of MANYBODY_SIMD.
pub fn evaluator(method: &Method, law: &Law) -> Result<Box<dyn Evaluator>> {
    let wrong = |capability, value: String, expected: &str| {
        Err(Error::Unsupported { capability, value, expected: expected.into() })
    };
    if method.solver == SolverName::Tree {
        return boxes::evaluator(method, law);
    }
    if method.device.is_gpu() {
        return wrong(
            Capability::Device,
            method.device.to_string(),
            "the crate manybody-gpu has laws by expansions on GPUs",
        );
    }
    if method.solver != SolverName::Fmm {
        return wrong(Capability::Solver, method.solver.to_string(), "a law is computed by fmm or tree here");
    }
    if method.precision == Precision::Mixed {
        return wrong(Capability::Precision, "mixed".into(), "laws by expansions have f32 and f64");
    }
    Ok(Box::new(LawFmm::new(method, law)?))
}

/// A radial law by fast multipoles.
#[derive(Debug)]
pub struct LawFmm {
    law: Law,
    radial: Radial,
    level: Level,
    precision: Precision,
    accuracy: LawAccuracy,
    watch: Watch,
    team: Option<Team>,
    loaded: Option<Loaded>,
    results: Vec<Vec<f64>>,
}

/// The bodies of one side: their tree, and what the law makes of each, in the order of the tree.
#[derive(Debug)]
struct Side {
    tree: Tree,
    numbers: Vec<Vec<f64>>,
}

impl LawFmm {
    /// The law with the accuracy of a method.
    ///
    /// # Errors
    /// As [`evaluator`].
    pub fn new(method: &Method, law: &Law) -> Result<Self> {
        Self::with(law, method.level()?, method.precision, LawAccuracy::of(method)?)
    }

    /// The law with an accuracy.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a law that is not radial, with the reason.
    pub fn with(law: &Law, level: Level, precision: Precision, accuracy: LawAccuracy) -> Result<Self> {
        Ok(LawFmm {
            law: law.clone(),
            radial: Radial::of(law)?,
            level,
            precision,
            accuracy,
            watch: Watch::default(),
            team: None,
            loaded: None,
            results: Vec::new(),
        })
    }

    /// What the law makes of the sets.
    fn any(&self, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        let (ni, nj) = inputs.lens();
        let cells = self.law.cells().len();
        if ni == 0 || nj == 0 {
            return Ok(self.with_own(inputs, vec![vec![0.0; ni]; cells]));
        }
        if ni.max(nj) > (u32::MAX / 2) as usize {
            let expected = "laws by expansions have room for 2^31 bodies".into();
            return Err(Error::Parameter { name: "n", value: ni.max(nj).to_string(), expected });
        }
        let axes = |side: usize| self.radial.axes.iter().map(move |axis| axis[side]).collect::<Vec<_>>();
        let (ai, aj) = (axes(0), axes(1));
        let scale = Scale::of(inputs, [&ai, &aj]);
        let charges = each(&self.radial.charges, Role::J, inputs.j, inputs.par, nj);
        let factors = each(&self.radial.factors, Role::I, inputs.i, inputs.par, ni);
        let places = |columns: &[&[f64]], axes: &[usize]| scale.places(columns, axes);
        let (xi, xj) = (places(inputs.i, &ai), places(inputs.j, &aj));
        let whole = inputs.same_bodies() && !inputs.is_part() && xi == xj;
        let sources = self.side(&xj, &sizes(&charges), &charges);
        let targets = if whole { None } else { Some(self.side(&xi, &vec![1.0; ni], &[])) };
        let acted_tree = targets.as_ref().map_or(&sources.tree, |side| &side.tree);
        let order_i = &acted_tree.order;
        let factors: Vec<Vec<f64>> = factors.iter().map(|column| in_order(column, order_i)).collect();

        let LawAccuracy { order, opening, .. } = self.accuracy;
        let fields = Fields::of(&self.law, &self.radial, inputs.par, scale.length, order);
        let medians = self.medians(inputs, order_i, &fields)?;
        let criterion = Criterion::new(&fields, order, opening, scale.length);
        let of_bodies = criterion::of_sinks(&fields, &factors, &medians, ni);
        let of_cells = criterion::of_cells(acted_tree, &of_bodies, fields.locals);
        let moments = self.moments(&sources, order);
        let weights = criterion::of_sources(&sources.tree, &sources.numbers, &moments, order);
        let mut bodies = LeafBodies::default();
        bodies.fill(acted_tree);
        let orders = [&order_i[..], &sources.tree.order];
        let itself = sets::itself(&self.law, inputs, orders);
        let pairs = Pairs::of(&self.law, self.level, self.precision, inputs, orders);
        let near = Near { pairs: &pairs, results: cells, scales: pairs.scales(), itself: &itself };
        let own = Own::of(self.team.as_ref(), acted_tree, None);
        let walk = Walk {
            level: self.level,
            fields: &fields,
            acting: Acting { tree: &sources.tree, moments: &moments, charges: &sources.numbers, weights: &weights },
            acted: Acted {
                tree: acted_tree,
                bodies: &bodies,
                factors: &factors,
                of_bodies: &of_bodies,
                of_cells: &of_cells,
            },
            criterion: &criterion,
            near: &near,
            order,
            length: scale.length,
            results: cells,
            threads: Mutex::new(Vec::new()),
            own: &own,
        };
        let leaves = acted_tree.cells.len() - acted_tree.first_leaf();
        let mut found = vec![0.0; leaves * cells * acted_tree.leaf];
        walk.run(&mut found, &self.watch)?;
        own.gather(&mut found, cells * acted_tree.leaf)?;
        Ok(self.with_own(inputs, handed_out(&found, cells, acted_tree)))
    }

    /// Results with what a body does to itself, where the law says that separately.
    fn with_own(&self, inputs: &PairInputs<'_>, mut results: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        if self.law.self_pair() == SelfPair::Custom && inputs.same_bodies() {
            sets::add_own(&self.law, self.level, Precision::F64, inputs, &mut results);
        }
        results
    }

    fn side(&self, places: &[Vec<f64>; 3], mass: &[f64], numbers: &[Vec<f64>]) -> Side {
        let mut tree = Tree::default();
        let [x, y, z] = places;
        tree.build(self.level, Points { x: [x, y, z], mass, classes: &[] }, self.accuracy.leaf);
        let numbers = numbers.iter().map(|column| in_order(column, &tree.order)).collect();
        Side { tree, numbers }
    }

    fn moments(&self, sources: &Side, order: usize) -> Vec<Moments<f64>> {
        let of = |charge: &Vec<f64>| {
            let (mut bodies, mut moments) = (LeafBodies::default(), Moments::default());
            bodies.fill_with(&sources.tree, |k| charge[k]);
            moments::fill(&mut moments, self.level, &sources.tree, &bodies, order + 1);
            moments
        };
        sources.numbers.iter().map(of).collect()
    }

    /// The median size of each member of the result, in f64, at some bodies along the curve; the mean where half of the results
    /// are nothing.
    fn medians(&self, inputs: &PairInputs<'_>, order_i: &[u32], fields: &Fields) -> Result<Vec<f64>> {
        let n = order_i.len();
        let count = SAMPLE.min(n);
        let sample: Vec<usize> = (0..count).map(|k| order_i[k * n / count] as usize).collect();
        let direct = Interpreter::new(&self.law, self.level, Precision::F64).watched(&self.watch);
        let found = direct.evaluate_at(inputs, &Targets::List(&sample))?;
        Ok(fields.members.iter().map(|numbers| median_of(&found, numbers, count)).collect())
    }
}

impl Evaluator for LawFmm {
    fn load(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        self.check(inputs)?;
        self.loaded = Some(Loaded::of(inputs));
        Ok(())
    }

    fn compute(&mut self) -> Result<()> {
        if let Some(loaded) = &self.loaded {
            self.results = loaded.with(|inputs| self.any(inputs))?;
        }
        Ok(())
    }

    fn fetch(&mut self) -> Result<Vec<Vec<f64>>> {
        Ok(self.results.clone())
    }

    /// Without a copy of the sets.
    fn evaluate(&mut self, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        self.check(inputs)?;
        self.any(inputs)
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

impl LawFmm {
    fn check(&self, inputs: &PairInputs<'_>) -> Result<()> {
        inputs.check(&self.law, 2f64.powi(if self.precision == Precision::F32 { 24 } else { 53 }))
    }
}

/// The median size of a member of the result, `[number][body]`; the mean where half of the results are nothing.
fn median_of(found: &[Vec<f64>], numbers: &std::ops::Range<usize>, count: usize) -> f64 {
    let size = |k: usize| norm(numbers.clone().map(|number| found[number][k]));
    let mut sizes: Vec<f64> = (0..count).map(size).filter(|size| size.is_finite()).collect();
    sizes.sort_by(f64::total_cmp);
    let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
    if median > 0.0 { median } else { sizes.iter().sum::<f64>() / sizes.len().max(1) as f64 }
}

/// What a program's folds are for each body of one side: `[fold][body]`.
fn each(program: &Program, side: Role, columns: &[&[f64]], par: &[f64], n: usize) -> Vec<Vec<f64>> {
    let width = program.folds.len();
    let mut all = vec![0.0; n * width];
    all.par_chunks_mut(width.max(1)).enumerate().for_each(|(body, to)| {
        let input = |role, k: usize| if role == side { columns[k][body] } else { par[k] };
        program.run(0.0, input, |fold, x, _| to[fold.slot] = x);
    });
    (0..width).map(|fold| all.iter().skip(fold).step_by(width).copied().collect()).collect()
}

/// The sizes of all charges of each body together, each charge relative to its mean: what the centres of cells are weighed by.
fn sizes(charges: &[Vec<f64>]) -> Vec<f64> {
    let n = charges.first().map_or(0, Vec::len);
    let mut sizes = vec![0.0; n];
    for charge in charges {
        let mean = charge.iter().map(|q| q.abs()).sum::<f64>() / n.max(1) as f64;
        if mean > 0.0 && mean.is_finite() {
            sizes.iter_mut().zip(charge).for_each(|(size, q)| *size += q.abs() / mean);
        }
    }
    sizes
}

#[cfg(test)]
mod tests;
