//! The walk: every cell from the root down takes what cells and bodies at a distance do to it, and hands the rest on.
//!
//! The walk follows sinks. A cell's lists are made, used and forgotten; what is still to be divided goes to its children.
//! Nothing is written by two, so the sums do not depend on the number of threads.

mod leaf;

use crate::bodies::LeafBodies;
use crate::lists::{Criterion, Line, Lines, Lists, Pack, Packed, Sort};
use crate::own::Own;
use crate::rates::Rates;
use crate::softening::Softenings;
use crate::tree::{CHILDREN, Tree, places};
use manybody_expansions::index::count;
use manybody_expansions::taylor::Degrees;
use manybody_expansions::{
    Both, FIELDS, FromBodies, FromCells, FromFarCells, FromSoftBodies, FromSoftCells, Moments, Operators, Place, Point,
    RatesFromBodies, Scratch, Softness, ToChildren, padded,
};
use manybody_law::simd::{Level, launch};
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
    /// `[ax, ay, az, pot][body]` of each leaf, the potential if it is asked for; behind these `[jx, jy, jz][body]`, where
    /// velocities are known.
    Forces {
        /// Whether the potential is asked for, as jerks always do.
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

/// What makes an expansion.
#[derive(Clone, Copy, Debug)]
struct Acting<'a, T> {
    moments: &'a Moments<T>,
    /// Of masses times differences of softenings, where bodies have their own.
    products: Option<&'a Moments<T>>,
    /// Whether there are moments of degree 1.
    dipoles: bool,
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
    /// Where jerks are asked for.
    pub(crate) rates: Option<&'a Rates<T>>,
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
    velocities: Vec<[T; 3]>,
    points: Vec<[T; 5]>,
    steps: Vec<[T; 3]>,
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

impl<T: Operators> Walk<'_, T> {
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

    /// How many groups a cell has, or is.
    fn groups_below(&self, cell: usize, level: usize) -> u64 {
        let (of_groups, own) = (self.group_level(), self.tree.levels[level].start);
        let Some(above) = of_groups.checked_sub(level) else { return 0 };
        let groups = CHILDREN.pow(above as u32);
        let first = (cell - own) * groups;
        groups.min(self.tree.levels[of_groups].len() - first) as u64
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

    /// Numbers of the expansions of a cell: one, or two with that which takes differences of softenings.
    fn width_at_rest(&self) -> usize {
        self.width() * if self.second().is_some() { 2 } else { 1 }
    }

    /// Numbers of all expansions of a cell, their rates behind them where there are any.
    fn widths(&self) -> usize {
        self.width_at_rest() * if self.rates.is_some() { 2 } else { 1 }
    }

    /// What acts: moments and their products with differences, for the first expansions; then the rates, for theirs.
    fn acting(&self) -> impl Iterator<Item = Acting<'_, T>> {
        let at_rest = Acting {
            moments: self.moments,
            products: self.softenings.map(|softenings| &softenings.moments),
            dipoles: self.dipoles,
        };
        let rates = self.rates.map(|rates| Acting {
            moments: &rates.moments,
            products: self.softenings.map(|_| &rates.products),
            // about centres of mass at rest
            dipoles: true,
        });
        std::iter::once(at_rest).chain(rates)
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
        match self.aim {
            Aim::Estimate => 1,
            Aim::Forces { .. } => FIELDS[usize::from(self.rates.is_some())] * self.tree.leaf,
        }
    }

    fn in_thread<R>(&self, work: impl FnOnce(&mut Thread<T>) -> R) -> R {
        let held = self.threads.lock().map_or(None, |mut threads| threads.pop());
        let mut thread = held.unwrap_or_else(|| Thread {
            scratch: Scratch::new(self.level),
            levels: Vec::new(),
            bodies: Vec::new(),
            velocities: Vec::new(),
            points: Vec::new(),
            steps: Vec::new(),
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
        if look.is_some_and(Look::ends) {
            return;
        }
        if self.own.skips(self.tree, cell, level) {
            if let Some(look) = look {
                look.count_all(self.groups_below(cell, level));
            }
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
        self.take_far_cells(cell, &here.lists.far, local, &mut thread.scratch);
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

    fn sink(&self, cell: usize) -> Place {
        self.tree.cells[cell].place()
    }

    /// Adds to a cell's expansions what cells do which the softening does not matter to.
    fn take_far_cells(&self, cell: usize, sources: &[u32], local: &mut [T], scratch: &mut Scratch<T>) {
        if sources.is_empty() {
            return;
        }
        let (sink, order, softness) = (self.sink(cell), self.order(), self.softness(self.part_of(cell)));
        for (Acting { moments, dipoles, .. }, to) in self.acting().zip(local.chunks_mut(self.width_at_rest())) {
            let scratch = &mut *scratch;
            T::from_far_cells(
                self.level,
                FromFarCells { moments, sources, sink, softness, order, dipoles, scratch, to },
            );
        }
    }

    /// Adds to a cell's expansions what closer cells do.
    fn take_soft_cells(&self, cell: usize, lists: &Lists, local: &mut [T], scratch: &mut Scratch<T>) {
        let (sink, part, order) = (self.sink(cell), self.part_of(cell), self.order());
        for (acting, local) in self.acting().zip(local.chunks_mut(self.width_at_rest())) {
            let (first, second) = local.split_at_mut(self.width());
            if !lists.soft.is_empty() {
                self.cells_onto(sink, (part, order), (acting, &lists.soft), first, scratch);
            }
            if !lists.unlike.is_empty() {
                self.unlike_cells_onto(sink, (part, order), (acting, &lists.unlike), [first, second], scratch);
            }
        }
    }

    /// Adds what cells do to an expansion of degree `highest` about a sink that has this part of the square of a softening.
    fn cells_onto(
        &self,
        sink: Place,
        (part, highest): (f64, usize),
        (acting, sources): (Acting<'_, T>, &[u32]),
        to: &mut [T],
        scratch: &mut Scratch<T>,
    ) {
        let (moments, softness, degrees) = (acting.moments, self.softness(part), self.degrees(highest, acting.dipoles));
        T::from_cells(self.level, FromCells { moments, sources, sink, softness, degrees, scratch, to });
    }

    /// The same with differences of softenings, to both expansions about the sink; estimates leave the differences out.
    fn unlike_cells_onto(
        &self,
        sink: Place,
        (mean, highest): (f64, usize),
        (acting, sources): (Acting<'_, T>, &[u32]),
        to: Both<'_, T>,
        scratch: &mut Scratch<T>,
    ) {
        let (Some(softenings), Some(products)) = (self.second(), acting.products) else {
            let [to, _] = to;
            return self.cells_onto(sink, (mean, highest), (acting, sources), to, scratch);
        };
        let (moments, degrees) = (acting.moments, self.degrees(highest, acting.dipoles));
        let (means, differences) = (&softenings.means[..], softenings.differences);
        let work = FromSoftCells { moments, products, means, differences, sources, sink, mean, degrees, scratch, to };
        T::from_soft_cells(self.level, work);
    }

    /// The degrees of an interaction with a sink that has degrees up to `highest`.
    fn degrees(&self, highest: usize, dipoles: bool) -> Degrees {
        let order = self.order();
        let lowest = usize::from(self.aim == Aim::Forces { potential: false });
        Degrees { order, lowest, sink: highest, source: order - 1, dipoles }
    }

    fn take_bodies(&self, cell: usize, sources: &[u32], local: &mut [T], thread: &mut Thread<T>) {
        if sources.is_empty() {
            return;
        }
        let Thread { scratch, bodies, velocities, .. } = thread;
        self.relative(sources, self.tree.cells[cell].center, -1.0, bodies);
        let (unit, mut part, order) = (self.tree.cells[cell].unit, self.part_of(cell), self.order());
        if self.softening == Softening::Spline {
            part = 0.0;
            bodies.iter_mut().for_each(|[.., half]| *half = T::default());
        }
        let (at_rest, moving) = local.split_at_mut(self.width_at_rest());
        if self.rates.is_some() {
            self.velocities_of(sources, velocities);
            let (first, second) = moving.split_at_mut(self.width());
            let differences = self.second().map(|softenings| softenings.differences);
            let (to, scratch) = ([first, second], &mut *scratch);
            let work = RatesFromBodies { bodies, velocities, unit, part, differences, order, scratch, to };
            T::rates_from_bodies(self.level, work);
        }
        match self.second() {
            None => T::from_bodies(self.level, FromBodies { bodies, unit, soft2: part, order, scratch, to: at_rest }),
            Some(softenings) => {
                let (first, second) = at_rest.split_at_mut(self.width());
                let (differences, mean, to) = (softenings.differences, part, [first, second]);
                T::from_soft_bodies(self.level, FromSoftBodies { bodies, differences, unit, mean, order, scratch, to });
            }
        }
    }

    /// The velocities of bodies, where jerks are asked for.
    fn velocities_of(&self, which: &[u32], to: &mut Vec<[T; 3]>) {
        to.clear();
        if let Some(rates) = self.rates {
            to.extend(which.iter().map(|k| rates.of_bodies[*k as usize].map(T::from_f64)));
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
        let (cell, of_children) = (cells[handed.cell].place(), places(&cells[range.clone()]));
        for (k, local) in local.chunks(self.width()).enumerate() {
            let step = ToChildren {
                cell,
                children: &of_children[..range.len()],
                order: self.order(),
                inverse: true,
                local,
                width,
                scratch: &mut thread.scratch,
                to: &mut here.locals[k * self.width()..],
            };
            T::to_children(self.level, step);
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
}
