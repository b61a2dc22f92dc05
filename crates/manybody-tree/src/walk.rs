//! The walk: every cell from the root down takes what cells and bodies at a distance do to it, and hands the rest on.
//!
//! The walk follows sinks. A cell's lists are made, used and forgotten; what is still to be divided goes to its children.
//! Nothing is written by two, so the sums do not depend on the number of threads.

use crate::bodies::LeafBodies;
use crate::estimate::Estimate;
use crate::far::{FromBodies, FromCells, FromFarCells, Sink, Softness};
use crate::index::count;
use crate::lists::{Criterion, Line, Lines, Lists, Pack, Packed, Sort};
use crate::local::{AtBodies, ToChildren, at_center};
use crate::moments::{HEADER, Moments};
use crate::near::Near;
use crate::own::Own;
use crate::scratch::{Scratch, padded};
use crate::soft::{Both, FromSoftBodies, FromSoftCells};
use crate::softening::Softenings;
use crate::taylor::Degrees;
use crate::tree::{CHILDREN, Point, Tree};
use manybody_law::simd::{Element, Level, launch};
use manybody_law::{Capability, Error, Result};
use manybody_pairwise::watch::{self, Look, Watch};
use manybody_pairwise::{Method, Softening, SolverName, Summation};
use std::ops::Range;
use std::sync::Mutex;

/// What a walk computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// The least acceleration of a body in each leaf, roughly: one number a leaf.
    Estimate,
    /// `[ax, ay, az, pot][body]` of each leaf, the potential if it is asked for.
    Forces {
        /// Whether the potential is asked for.
        potential: bool,
    },
}

/// What takes what is far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sinks {
    /// Cells of every size, which hand it down.
    Cells,
    /// Leaves alone.
    Leaves,
}

impl Sinks {
    /// Those of a method's solver.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a solver of all pairs, and for a summation: expansions have sums of their own.
    pub fn of(method: &Method) -> Result<Self> {
        let wrong = |capability, value: String, expected: &str| {
            Err(Error::Unsupported { capability, value, expected: expected.into() })
        };
        if method.solver.is_by_expansion() && method.sum != Summation::default() {
            return wrong(Capability::Sum, method.sum.to_string(), "the solvers tree and fmm have sums of their own");
        }
        match method.solver {
            SolverName::Tree => Ok(Sinks::Leaves),
            SolverName::Fmm => Ok(Sinks::Cells),
            other => wrong(Capability::Solver, other.to_string(), "evaluates all pairs; must be tree or fmm"),
        }
    }

    /// The name of their solver.
    pub fn name(self) -> &'static str {
        match self {
            Sinks::Leaves => "tree",
            Sinks::Cells => "fmm",
        }
    }
}

/// One walk over a tree.
#[derive(Debug)]
pub(crate) struct Walk<'a, T> {
    pub(crate) level: Level,
    pub(crate) tree: &'a Tree,
    pub(crate) lines: &'a Lines,
    pub(crate) moments: &'a Moments<T>,
    pub(crate) bodies: &'a LeafBodies<T>,
    pub(crate) criterion: Criterion,
    pub(crate) dipoles: bool,
    /// The square of the softening length, where bodies have no softenings of their own.
    pub(crate) soft2: f64,
    pub(crate) softenings: Option<&'a Softenings<T>>,
    /// What a softening length is.
    pub(crate) softening: Softening,
    pub(crate) aim: Aim,
    pub(crate) sinks: Sinks,
    /// Of each leaf, whether distances in it are to be computed in f64; empty where that is so in no leaf.
    pub(crate) wide: &'a [bool],
    /// Whether sums over bodies are compensated, also those of accelerations.
    pub(crate) compensated: bool,
    pub(crate) threads: &'a Mutex<Vec<Thread<T>>>,
    /// The leaves to be filled.
    pub(crate) own: &'a Own<'a>,
}

/// Memory of a thread.
#[derive(Debug)]
pub(crate) struct Thread<T> {
    scratch: Scratch<T>,
    levels: Vec<Here<T>>,
    bodies: Vec<[T; 5]>,
    points: Vec<[T; 5]>,
    stack: Vec<u32>,
    singles: Vec<u32>,
}

/// Memory for a cell of a level.
#[derive(Debug)]
struct Here<T> {
    lists: Lists,
    /// What is near, for the children.
    near: Packed,
    /// Bodies that are still to be divided from: in the order of the tree.
    single: Vec<u32>,
    far_single: Vec<u32>,
    /// The expansions of the children.
    locals: Vec<T>,
}

impl<T> Default for Here<T> {
    fn default() -> Self {
        Here {
            lists: Lists::default(),
            near: Packed::NONE,
            single: Vec::new(),
            far_single: Vec::new(),
            locals: Vec::new(),
        }
    }
}

/// A cell to be walked: what its parent hands down.
#[derive(Clone, Copy)]
struct Handed<'a> {
    cell: usize,
    level: usize,
    near: &'a Packed,
    single: &'a [u32],
    look: Option<&'a Look<'a>>,
}

/// Cells with this many leaves, or more, are work for a thread of its own.
const SHARED: usize = 64;
/// What a body costs, in pairs, at usual errors.
const PAIRS: u64 = 4096;

/// The pairs that take as long as the expansions of so many bodies.
pub(crate) fn worth(bodies: usize) -> u64 {
    bodies as u64 * PAIRS
}

impl<T: Element> Walk<'_, T> {
    /// Fills `to`, leaf by leaf.
    pub(crate) fn run(&self, to: &mut [T], watch: &Watch) -> Result<()> {
        let mut local = vec![T::default(); self.widths()];
        let groups = self.tree.levels[self.group_level()].len() as u64;
        // an interaction of two cells costs about as much as one of fifty bodies, and a body has several of these
        let pairs = worth(self.tree.points.len());
        let look = match self.aim {
            Aim::Estimate => watch.prepare(pairs),
            Aim::Forces { .. } => watch.begin(pairs, groups),
        };
        self.in_thread(|thread| {
            let look = look.as_ref();
            self.cell(Handed { cell: 0, level: 0, near: &Packed::NONE, single: &[], look }, &mut local, to, thread);
        });
        watch::outcome(look.as_ref())
    }

    /// The level whose cells are counted as progress: that of the largest that are not shared.
    fn group_level(&self) -> usize {
        let deepest = self.tree.levels.len() - 1;
        deepest.saturating_sub(SHARED.ilog(CHILDREN) as usize)
    }

    fn order(&self) -> usize {
        self.criterion.order as usize
    }

    /// Numbers of an expansion.
    fn width(&self) -> usize {
        padded(count(self.order()))
    }

    /// The softenings of the bodies' own, where there are second expansions for them. Estimates do without, and so does the
    /// spline softening, which expansions have nothing of.
    fn second(&self) -> Option<&Softenings<T>> {
        self.softenings.filter(|_| self.aim != Aim::Estimate && self.softening == Softening::Plummer)
    }

    /// Numbers of all expansions of a cell.
    fn widths(&self) -> usize {
        self.width() * if self.second().is_some() { 2 } else { 1 }
    }

    /// The square of the softening between two bodies.
    fn soft2_of(&self, i: usize, j: usize) -> f64 {
        self.softenings.map_or(self.soft2, |softenings| softenings.of_pair(i, j))
    }

    /// Half the square of a body's own softening; 0 where bodies have no softenings of their own.
    fn half(&self, body: usize) -> f64 {
        self.softenings.map_or(0.0, |softenings| softenings.of_bodies[body])
    }

    /// A cell's part of the square of a softening: the mean half of its bodies, or all of it.
    fn part_of(&self, cell: usize) -> f64 {
        self.softenings.map_or(self.soft2, |softenings| softenings.means[cell])
    }

    /// The softenings of interactions with a sink that has this part.
    fn softness(&self, sink: f64) -> Softness<'_> {
        match (self.softening, self.softenings) {
            (Softening::Spline, _) => Softness::One(0.0),
            (Softening::Plummer, None) => Softness::One(self.soft2),
            (Softening::Plummer, Some(softenings)) => Softness::Each { cells: &softenings.means, sink },
        }
    }

    /// Numbers of a leaf in the result.
    fn per_leaf(&self) -> usize {
        if self.aim == Aim::Estimate { 1 } else { 4 * self.tree.leaf }
    }

    fn in_thread<R>(&self, work: impl FnOnce(&mut Thread<T>) -> R) -> R {
        let held = self.threads.lock().map_or(None, |mut threads| threads.pop());
        let mut thread = held.unwrap_or_else(|| Thread {
            scratch: Scratch::new(self.level),
            levels: Vec::new(),
            bodies: Vec::new(),
            points: Vec::new(),
            stack: Vec::new(),
            singles: Vec::new(),
        });
        let result = work(&mut thread);
        if let Ok(mut threads) = self.threads.lock() {
            threads.push(thread);
        }
        result
    }

    /// A cell and all below it.
    fn cell(&self, handed: Handed<'_>, local: &mut [T], to: &mut [T], thread: &mut Thread<T>) {
        let Handed { cell, level, near, single, look } = handed;
        if look.is_some_and(Look::ends) || self.own.skips(self.tree, cell, level) {
            return;
        }
        if thread.levels.len() <= level {
            thread.levels.resize_with(level + 1, Here::default);
        }
        let mut here = std::mem::take(&mut thread.levels[level]);
        here.lists.candidates.clear();
        match self.sinks {
            Sinks::Cells => here.lists.candidates.extend(self.siblings(handed)),
            Sinks::Leaves if cell >= self.tree.first_leaf() => here.lists.candidates.push(0),
            Sinks::Leaves => {}
        }
        let sort = Sort {
            cell: cell as u32,
            lines: self.lines,
            children: &self.tree.children,
            criterion: self.criterion,
            handed: near,
            lists: &mut here.lists,
        };
        launch(self.level, sort);
        self.sort_bodies(cell, single, &mut here);
        self.take_far_cells(cell, &here.lists.far, &mut local[..self.width()], &mut thread.scratch);
        self.take_soft_cells(cell, &here.lists, local, &mut thread.scratch);
        self.take_bodies(cell, &here.far_single, local, thread);
        if cell >= self.tree.first_leaf() {
            self.leaf(cell, &here, local, to, thread);
        } else {
            self.below(handed, &mut here, local, to, thread);
        }
        thread.levels[level] = here;
        if let (Some(look), true) = (look, level == self.group_level()) {
            look.count();
        }
    }

    /// The other children of the cell's parent.
    fn siblings(&self, Handed { cell, level, .. }: Handed<'_>) -> impl Iterator<Item = u32> + use<T> {
        let mut all = 0..0;
        if let Some(above) = level.checked_sub(1) {
            let parent = self.tree.levels[above].start + (cell - self.tree.levels[level].start) / CHILDREN;
            all = self.tree.children[parent].clone();
        }
        all.filter(move |sibling| *sibling as usize != cell)
    }

    /// The line of a body.
    fn body(&self, k: u32) -> Line {
        let leaf = self.tree.first_leaf() + k as usize / self.tree.leaf;
        Line::of_body(self.tree.points[k as usize], self.half(k as usize), self.lines.of(leaf))
    }

    /// Tests a cell with bodies: those handed down, and those of large leaves.
    fn sort_bodies(&self, cell: usize, single: &[u32], here: &mut Here<T>) {
        let Here { lists, single: kept, far_single: far, .. } = here;
        kept.clear();
        far.clear();
        let own = self.lines.of(cell);
        let large = lists.large.iter().flat_map(|leaf| {
            let Range { start, end } = self.tree.bodies(*leaf as usize);
            start as u32..end as u32
        });
        for body in single.iter().copied().chain(large) {
            if self.criterion.accepts(&self.body(body), own) { far.push(body) } else { kept.push(body) }
        }
    }

    fn sink(&self, cell: usize) -> Sink {
        Sink { center: self.tree.cells[cell].center, unit: self.tree.cells[cell].unit }
    }

    /// Adds to a cell's expansion what cells do which the softening does not matter to.
    fn take_far_cells(&self, cell: usize, sources: &[u32], to: &mut [T], scratch: &mut Scratch<T>) {
        if sources.is_empty() {
            return;
        }
        let (moments, sink, order) = (self.moments, self.sink(cell), self.order());
        let softness = self.softness(self.part_of(cell));
        let (dipoles, potential) = (self.dipoles, self.aim != Aim::Forces { potential: false });
        launch(self.level, FromFarCells { moments, sources, sink, softness, order, dipoles, potential, scratch, to });
    }

    /// Adds to a cell's expansions what closer cells do.
    fn take_soft_cells(&self, cell: usize, lists: &Lists, local: &mut [T], scratch: &mut Scratch<T>) {
        let (sink, part, order) = (self.sink(cell), self.part_of(cell), self.order());
        let (first, second) = local.split_at_mut(self.width());
        if !lists.soft.is_empty() {
            self.cells_onto(sink, part, order, &lists.soft, first, scratch);
        }
        if !lists.unlike.is_empty() {
            self.unlike_cells_onto(sink, part, order, &lists.unlike, [first, second], scratch);
        }
    }

    /// Adds what cells do to an expansion of degree `highest` about a sink that has this part of the square of a softening.
    fn cells_onto(
        &self,
        sink: Sink,
        part: f64,
        highest: usize,
        sources: &[u32],
        to: &mut [T],
        scratch: &mut Scratch<T>,
    ) {
        let (moments, softness, degrees) = (self.moments, self.softness(part), self.degrees(highest));
        launch(self.level, FromCells { moments, sources, sink, softness, degrees, scratch, to });
    }

    /// The same with differences of softenings, to both expansions about the sink; estimates leave the differences out.
    fn unlike_cells_onto(
        &self,
        sink: Sink,
        mean: f64,
        highest: usize,
        sources: &[u32],
        to: Both<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let Some(softenings) = self.second() else {
            let [to, _] = to;
            return self.cells_onto(sink, mean, highest, sources, to, scratch);
        };
        let (moments, degrees) = (self.moments, self.degrees(highest));
        launch(self.level, FromSoftCells { moments, softenings, sources, sink, mean, degrees, scratch, to });
    }

    /// The degrees of an interaction with a sink that has degrees up to `highest`.
    fn degrees(&self, highest: usize) -> Degrees {
        let (order, dipoles) = (self.order(), self.dipoles);
        let lowest = usize::from(self.aim == Aim::Forces { potential: false });
        Degrees { order, lowest, sink: highest, source: order - 1, dipoles }
    }

    fn take_bodies(&self, cell: usize, sources: &[u32], local: &mut [T], thread: &mut Thread<T>) {
        if sources.is_empty() {
            return;
        }
        let Thread { scratch, bodies, .. } = thread;
        self.relative(sources, self.tree.cells[cell].center, -1.0, bodies);
        let (unit, mut part, order) = (self.tree.cells[cell].unit, self.part_of(cell), self.order());
        if self.softening == Softening::Spline {
            part = 0.0;
            bodies.iter_mut().for_each(|[.., half]| *half = T::default());
        }
        match self.second() {
            None => launch(self.level, FromBodies { bodies, unit, soft2: part, order, scratch, to: local }),
            Some(softenings) => {
                let (first, second) = local.split_at_mut(self.width());
                let (mean, to) = (part, [first, second]);
                launch(self.level, FromSoftBodies { bodies, softenings, unit, mean, order, scratch, to });
            }
        }
    }

    /// Bodies relative to a place, with the sign.
    fn relative(&self, which: &[u32], center: [f64; 3], sign: f64, to: &mut Vec<[T; 5]>) {
        to.clear();
        to.extend(which.iter().map(|k| {
            let (Point { x, mass }, half) = (self.tree.points[*k as usize], self.half(*k as usize));
            let [x, y, z] = [0, 1, 2].map(|k| T::from_f64((x[k] - center[k]) * sign));
            [x, y, z, T::from_f64(mass), T::from_f64(half)]
        }));
    }

    /// Hands a cell's expansion and lists to its children.
    fn below(&self, handed: Handed<'_>, here: &mut Here<T>, local: &[T], to: &mut [T], thread: &mut Thread<T>) {
        let (width, children) = (self.widths(), self.tree.children[handed.cell].clone());
        let range = children.start as usize..children.end as usize;
        here.locals.clear();
        // second expansions begin later, and those of the last child must be whole from there on
        here.locals.resize((CHILDREN + 1) * width, T::default());
        let cells = &self.tree.cells;
        for (k, local) in local.chunks(self.width()).enumerate() {
            let step = ToChildren {
                cell: &cells[handed.cell],
                children: &cells[range.clone()],
                order: self.order(),
                inverse: true,
                local,
                width,
                scratch: &mut thread.scratch,
                to: &mut here.locals[k * self.width()..],
            };
            launch(self.level, step);
        }
        let level = handed.level + 1;
        let Here { lists, near, single, locals, .. } = here;
        launch(self.level, Pack { cells: &lists.near, lines: self.lines, to: near });
        let (near, single) = (&*near, &*single);
        let child = |cell: usize| Handed { cell, level, near, single, look: handed.look };
        // all children but the last have as many leaves as a cell of their level can have
        let share = CHILDREN.pow((self.tree.levels.len() - 1 - level) as u32) * self.per_leaf();
        let parts = range.zip(locals.chunks_mut(width).zip(to.chunks_mut(share)));
        if share / self.per_leaf() >= SHARED {
            rayon::scope(|scope| {
                for (cell, (local, to)) in parts {
                    let handed = child(cell);
                    scope.spawn(move |_| self.in_thread(|thread| self.cell(handed, local, to, thread)));
                }
            });
        } else {
            for (cell, (local, to)) in parts {
                self.cell(child(cell), local, to, thread);
            }
        }
    }

    /// The bodies of a leaf.
    fn leaf(&self, cell: usize, here: &Here<T>, local: &[T], to: &mut [T], thread: &mut Thread<T>) {
        let Aim::Forces { potential } = self.aim else {
            to[0] = T::from_f64(self.estimate(cell, here, local, thread));
            return;
        };
        let first = self.tree.first_leaf();
        let Thread { scratch, bodies, stack, singles, .. } = thread;
        let (mut single, mut near) = (&here.single, &here.lists.near);
        let wide = self.is_wide(cell);
        if wide || !self.wide.is_empty() && near.iter().any(|leaf| self.is_wide(*leaf as usize)) {
            // the places of bodies in wide leaves are not right to the distances of bodies: these are taken one by one
            let of = |leaf: &u32| self.tree.bodies(*leaf as usize).map(|k| k as u32);
            singles.clear();
            singles.extend_from_slice(single);
            singles.extend(near.iter().filter(|leaf| wide || self.is_wide(**leaf as usize)).flat_map(of));
            stack.clear();
            stack.extend(near.iter().filter(|leaf| !(wide || self.is_wide(**leaf as usize))));
            (single, near) = (singles, stack);
        }
        if wide {
            self.exactly(cell, single, to);
        } else {
            self.relative(single, self.tree.cells[cell].center, 1.0, bodies);
            self.leaves_onto(cell, near, bodies, potential, to);
        }
        let unit = self.tree.cells[cell].unit;
        let columns = self.bodies.columns(cell - first);
        let order = self.order();
        let mut at_bodies = |local, differences| {
            let scratch = &mut *scratch;
            launch(self.level, AtBodies { columns, differences, unit, order, local, scratch, to: &mut *to });
        };
        let (local, second) = local.split_at(self.width());
        at_bodies(local, None);
        if let Some(softenings) = self.second() {
            at_bodies(second, Some(softenings.differences_in(cell - first)));
        }
        if !here.lists.small.is_empty() {
            self.one_by_one(cell, here, to, thread);
        }
    }

    /// Whether distances in a leaf are to be computed in f64.
    fn is_wide(&self, leaf: usize) -> bool {
        self.wide.get(leaf - self.tree.first_leaf()).copied().unwrap_or(false)
    }

    /// What the bodies of leaves, other bodies, and a leaf's own do to these.
    fn leaves_onto(&self, cell: usize, sources: &[u32], single: &[[T; 5]], potential: bool, to: &mut [T]) {
        let first = self.tree.first_leaf();
        let (bodies, leaves, leaf) = (self.bodies, &self.tree.cells[first..], cell - first);
        let (soft2, softenings) = (self.soft2, self.softenings);
        let (softening, compensated) = (self.softening, self.compensated);
        let near = Near {
            bodies,
            leaf,
            leaves,
            sources,
            first,
            single,
            soft2,
            softenings,
            softening,
            potential,
            compensated,
            to,
        };
        launch(self.level, near);
    }

    /// What bodies, and those of the leaf, do to these, in f64.
    fn exactly(&self, cell: usize, single: &[u32], to: &mut [T]) {
        let own = self.tree.bodies(cell);
        for (at, k) in own.clone().enumerate() {
            let place = self.tree.points[k].x;
            let mut sum = [0.0; 4];
            let others = own.clone().filter(|other| *other != k);
            for source in single.iter().map(|k| *k as usize).chain(others) {
                self.add_body(place, self.tree.points[source], self.soft2_of(k, source), &mut sum);
            }
            for (field, sum) in sum.into_iter().enumerate() {
                to[field * self.tree.leaf + at] = T::from_f64(sum);
            }
        }
    }

    /// Each body of a leaf that is large for its neighbours walks by itself.
    fn one_by_one(&self, cell: usize, here: &Here<T>, to: &mut [T], thread: &mut Thread<T>) {
        let (first, size) = (self.tree.first_leaf(), self.tree.leaf);
        let unit = self.tree.cells[cell].unit;
        let mut far = Vec::new();
        for (at, k) in self.tree.bodies(cell).enumerate() {
            let line = self.body(k as u32);
            let place = self.tree.points[k].x;
            far.clear();
            let mut sum = [0.0; 4];
            let stack = &mut thread.stack;
            stack.clear();
            stack.extend(here.lists.small.iter().rev());
            while let Some(source) = stack.pop() {
                if self.criterion.accepts(self.lines.of(source as usize), &line) {
                    far.push(source);
                } else if source as usize == cell {
                    // its own bodies have been taken
                } else if source as usize >= first {
                    self.direct(k, source as usize, &mut sum);
                } else {
                    stack.extend(self.tree.children[source as usize].clone().rev());
                }
            }
            let mut local = [T::default(); 16];
            if !far.is_empty() {
                let (sink, part) = (Sink { center: place, unit }, self.softenings.map_or(self.soft2, |_| self.half(k)));
                let mut second = [T::default(); 16];
                self.unlike_cells_onto(sink, part, 1, &far, [&mut local, &mut second], &mut thread.scratch);
                // of the body's own difference, which the first expansion is without
                if let Some(softenings) = self.second() {
                    let difference = T::from_f64(softenings.difference(part));
                    local.iter_mut().zip(second).for_each(|(first, second)| *first = *first + difference * second);
                }
            }
            let distant = at_center(&local, unit);
            for field in 0..4 {
                let to = &mut to[field * size + at];
                *to = T::from_f64(to.to_f64() + sum[field] + distant[field]);
            }
        }
    }

    /// Adds what the bodies of another leaf do to a body.
    fn direct(&self, body: usize, leaf: usize, sum: &mut [f64; 4]) {
        let place = self.tree.points[body].x;
        for other in self.tree.bodies(leaf) {
            self.add_body(place, self.tree.points[other], self.soft2_of(body, other), sum);
        }
    }

    /// Roughly the least acceleration in a leaf: neighbours are points, softened by their size.
    fn estimate(&self, cell: usize, here: &Here<T>, local: &[T], thread: &mut Thread<T>) -> f64 {
        let own = &self.tree.cells[cell];
        let Thread { scratch, points, .. } = thread;
        points.clear();
        // in the middle of a body the pull of the spline is that of a Plummer sphere so much wider
        let wider = if self.softening == Softening::Spline { 1.62 } else { 1.0 };
        let mut add = |x: [f64; 3], mass: T, radius: f64, soft2: f64| {
            let [x, y, z] = [0, 1, 2].map(|k| T::from_f64(x[k] - own.center[k]));
            points.push([x, y, z, mass, T::from_f64(wider * soft2 + 0.5 * radius * radius)]);
        };
        let with = |part: f64| self.softenings.map_or(self.soft2, |_| self.part_of(cell) + part);
        let Lists { near, small, .. } = &here.lists;
        for source in near.iter().chain(small).map(|source| *source as usize) {
            let there = &self.tree.cells[source];
            let mass = self.moments.records[source * self.moments.width + HEADER];
            add(there.center, mass, there.radius, with(self.part_of(source)));
        }
        for body in &here.single {
            let Point { x, mass } = self.tree.points[*body as usize];
            add(x, T::from_f64(mass), own.radius, with(self.half(*body as usize)));
        }
        let (columns, count) = (self.bodies.columns(cell - self.tree.first_leaf()), self.tree.bodies(cell).len());
        let (unit, order) = (own.unit, self.order());
        launch(self.level, Estimate { columns, count, sources: points, unit, order, local, scratch })
    }

    /// Adds what a body does at a place.
    fn add_body(&self, place: [f64; 3], Point { x, mass }: Point, soft2: f64, sum: &mut [f64; 4]) {
        let d: [f64; 3] = std::array::from_fn(|k| x[k] - place[k]);
        let r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        let (y, f) = match self.softening {
            Softening::Plummer => {
                let y = 1.0 / (r2 + soft2).sqrt();
                (y, mass * y * y * y)
            }
            softening @ Softening::Spline => (softening.potential(1.0, r2, soft2), softening.force(mass, r2, soft2)),
        };
        (0..3).for_each(|k| sum[k] += f * d[k]);
        sum[3] -= mass * y;
    }
}
