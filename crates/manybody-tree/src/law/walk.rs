//! The walk: every sink from the root down takes what sources at a distance do to it, and hands the rest on.
//!
//! It is the walk of gravity for two trees, that of the bodies acted on and that of the bodies that act, which may be one. A
//! source is a cell, or a body of a leaf that is large for its neighbours; a leaf that is large for them walks body by body.
//! Nothing is written by two, so the sums do not depend on the number of threads.

use super::criterion::{Ball, Criterion};
use super::fields::Fields;
use super::near::{Memory, Near};
use crate::bodies::LeafBodies;
use crate::own::Own;
use crate::tree::{CHILDREN, Tree, places};
use manybody_expansions::index::{count, start};
use manybody_expansions::law::{self, AtBodies, Onto, Room, Sources};
use manybody_expansions::{Moments, Operators, Scratch, ToChildren, padded};
use manybody_law::Result;
use manybody_law::simd::Level;
use manybody_pairwise::watch::{self, Look, Watch};
use std::ops::Range;
use std::sync::Mutex;

/// The bodies that act.
#[derive(Debug)]
pub(crate) struct Acting<'a> {
    pub(crate) tree: &'a Tree,
    /// Of each charge.
    pub(crate) moments: &'a [Moments<f64>],
    /// Of each charge, in the order of the tree.
    pub(crate) charges: &'a [Vec<f64>],
    /// `[cell][charge]`.
    pub(crate) weights: &'a [[f64; 2]],
}

/// The bodies acted on.
#[derive(Debug)]
pub(crate) struct Acted<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) bodies: &'a LeafBodies<f64>,
    /// Of each factor, in the order of the tree.
    pub(crate) factors: &'a [Vec<f64>],
    /// `[body][expansion]`, and `[cell][expansion]`.
    pub(crate) of_bodies: &'a [[f64; 2]],
    pub(crate) of_cells: &'a [[f64; 2]],
}

/// A walk over the bodies acted on.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    pub(crate) level: Level,
    pub(crate) fields: &'a Fields,
    pub(crate) acting: Acting<'a>,
    pub(crate) acted: Acted<'a>,
    pub(crate) criterion: &'a Criterion,
    pub(crate) near: &'a Near<'a>,
    pub(crate) order: usize,
    /// The real length of a unit of the trees.
    pub(crate) length: f64,
    /// How many results there are.
    pub(crate) results: usize,
    pub(crate) threads: Mutex<Vec<Thread>>,
    /// The leaves to be filled.
    pub(crate) own: &'a Own<'a>,
}

/// Memory of a thread.
#[derive(Debug)]
pub(crate) struct Thread {
    scratch: Scratch<f64>,
    room: Room,
    memory: Memory,
    stack: Vec<u32>,
    cells: Vec<u32>,
    bodies: Vec<u32>,
    at_bodies: Vec<f64>,
    levels: Vec<Here>,
}

/// Memory for a cell of a level.
#[derive(Debug, Default)]
struct Here {
    near: Vec<u32>,
    /// Of a leaf: smaller cells, with which its bodies are tested one by one.
    small: Vec<u32>,
    locals: Vec<f64>,
}

/// What a cell's parent hands down.
#[derive(Clone, Copy)]
struct Handed<'a> {
    cell: usize,
    level: usize,
    candidates: &'a [u32],
    look: Option<&'a Look<'a>>,
}

/// Cells with this many leaves, or more, are work for a thread of its own.
const SHARED: usize = 16;
/// What a body costs, in pairs, at usual errors.
const PAIRS: u64 = 8192;
/// A leaf this many times larger than a cell is divided into its bodies.
const SPARSE: f64 = 2.0;

impl Walk<'_> {
    /// Fills `to`: `[leaf][result][body]`.
    pub(crate) fn run(&self, to: &mut [f64], watch: &Watch) -> Result<()> {
        let tree = self.acted.tree;
        let groups = tree.levels[self.group_level()].len() as u64;
        let look = watch.begin(tree.points.len() as u64 * PAIRS, groups);
        let local = vec![0.0; self.fields.locals * self.width()];
        self.in_thread(|thread| {
            self.cell(Handed { cell: 0, level: 0, candidates: &[0], look: look.as_ref() }, local, to, thread);
        });
        watch::outcome(look.as_ref())
    }

    /// The level whose cells are counted as progress.
    fn group_level(&self) -> usize {
        (self.acted.tree.levels.len() - 1).saturating_sub(SHARED.ilog(CHILDREN) as usize)
    }

    /// Numbers of an expansion.
    fn width(&self) -> usize {
        padded(count(self.order))
    }

    fn in_thread<R>(&self, work: impl FnOnce(&mut Thread) -> R) -> R {
        let held = self.threads.lock().map_or(None, |mut threads| threads.pop());
        let mut thread = held.unwrap_or_else(|| Thread {
            scratch: Scratch::new(self.level),
            room: Room::new(self.level, &self.fields.operands(), self.acting.charges.len()),
            memory: self.near.memory(),
            stack: Vec::new(),
            cells: Vec::new(),
            bodies: Vec::new(),
            at_bodies: Vec::new(),
            levels: Vec::new(),
        });
        let result = work(&mut thread);
        if let Ok(mut threads) = self.threads.lock() {
            threads.push(thread);
        }
        result
    }

    /// The number of a body as a source: behind the cells.
    fn body(&self, source: u32) -> Option<usize> {
        (source as usize).checked_sub(self.acting.tree.cells.len())
    }

    fn source<'a>(&'a self, source: u32, alone: &'a mut Vec<[f64; 2]>) -> Ball<'a> {
        let Acting { tree, charges, weights, .. } = &self.acting;
        match self.body(source) {
            Some(body) => {
                alone.clear();
                alone.extend(charges.iter().map(|charge| [charge[body].abs(), 0.0]));
                Ball { center: tree.points[body].x, radius: 0.0, weights: alone }
            }
            None => {
                let (cell, count) = (&tree.cells[source as usize], charges.len());
                let weights = &weights[source as usize * count..(source as usize + 1) * count];
                Ball { center: cell.center, radius: cell.radius, weights }
            }
        }
    }

    fn accepts(&self, source: u32, sink: &Ball<'_>, alone: &mut Vec<[f64; 2]>) -> bool {
        self.criterion.accepts(&self.source(source, alone), sink)
    }

    fn sink(&self, cell: usize) -> Ball<'_> {
        let (tree, count) = (self.acted.tree, self.fields.locals);
        let weights = &self.acted.of_cells[cell * count..(cell + 1) * count];
        Ball { center: tree.cells[cell].center, radius: tree.cells[cell].radius, weights }
    }

    /// A cell and all below it.
    fn cell(&self, handed: Handed<'_>, mut local: Vec<f64>, to: &mut [f64], thread: &mut Thread) {
        let Handed { cell, level, candidates, look } = handed;
        if look.is_some_and(Look::ends) || self.own.skips(self.acted.tree, cell, level) {
            return;
        }
        if thread.levels.len() <= level {
            thread.levels.resize_with(level + 1, Here::default);
        }
        let mut here = std::mem::take(&mut thread.levels[level]);
        self.sort(cell, candidates, &mut here, thread);
        let (center, unit) = (self.acted.tree.cells[cell].center, self.acted.tree.cells[cell].unit);
        self.onto(center, unit, self.order, thread, self.width(), &mut local);
        if cell >= self.acted.tree.first_leaf() {
            self.leaf(cell, &here, &local, to, thread);
        } else {
            self.below(handed, &mut here, &local, to, thread);
        }
        thread.levels[level] = here;
        if let (Some(look), true) = (look, level == self.group_level()) {
            look.count();
        }
    }

    /// Sorts the candidates of a cell: what acts by expansions is left in the thread's lists.
    fn sort(&self, cell: usize, candidates: &[u32], here: &mut Here, thread: &mut Thread) {
        let Thread { stack, cells, bodies, .. } = thread;
        let sink = self.sink(cell);
        let is_leaf = cell >= self.acted.tree.first_leaf();
        let tree = self.acting.tree;
        let mut alone = Vec::new();
        [&mut here.near, &mut here.small, cells, bodies].into_iter().for_each(Vec::clear);
        stack.clear();
        stack.extend(candidates.iter().rev());
        while let Some(source) = stack.pop() {
            let body = self.body(source);
            if self.accepts(source, &sink, &mut alone) {
                match body {
                    Some(body) => bodies.push(body as u32),
                    None => cells.push(source),
                }
                continue;
            }
            let Some(there) = tree.cells.get(source as usize).filter(|_| body.is_none()) else {
                here.near.push(source);
                continue;
            };
            let is_large = there.radius > SPARSE * sink.radius;
            if source as usize >= tree.first_leaf() {
                match is_large {
                    true => stack.extend(tree.bodies(source as usize).rev().map(|k| (k + tree.cells.len()) as u32)),
                    false => here.near.push(source),
                }
            } else if is_leaf && there.radius * SPARSE < sink.radius {
                here.small.push(source);
            } else if is_leaf || there.radius > sink.radius {
                stack.extend(tree.children[source as usize].clone().rev());
            } else {
                here.near.push(source);
            }
        }
    }

    /// Adds to expansions what the thread's lists do.
    fn onto(&self, center: [f64; 3], unit: f64, highest: usize, thread: &mut Thread, width: usize, to: &mut [f64]) {
        let Thread { room, cells, bodies, .. } = thread;
        for sources in [Sources::Cells(cells), Sources::Bodies(bodies)] {
            let (Sources::Cells(list) | Sources::Bodies(list)) = sources;
            if list.is_empty() {
                continue;
            }
            let Acting { tree, moments, charges, .. } = &self.acting;
            let (fields, points, length, order) = (self.fields.operands(), &tree.points[..], self.length, self.order);
            let work = Onto {
                fields,
                points,
                moments,
                charges,
                sources,
                center,
                unit,
                length,
                order,
                highest,
                room,
                width,
                to,
            };
            law::onto(self.level, work);
        }
    }

    /// Hands a cell's expansions and the rest of its list to its children.
    fn below(&self, handed: Handed<'_>, here: &mut Here, local: &[f64], to: &mut [f64], thread: &mut Thread) {
        let (tree, width, expansions) = (self.acted.tree, self.width(), self.fields.locals);
        let children = tree.children[handed.cell].start as usize..tree.children[handed.cell].end as usize;
        let (cell, of_children) = (tree.cells[handed.cell].place(), places(&tree.cells[children.clone()]));
        // of one expansion the children's lie side by side: `[expansion][child]`
        here.locals.clear();
        here.locals.resize(expansions * CHILDREN * width, 0.0);
        for (local, to) in local.chunks_exact(width).zip(here.locals.chunks_exact_mut(CHILDREN * width)) {
            let step = ToChildren {
                cell,
                children: &of_children[..children.len()],
                order: self.order,
                inverse: false,
                local,
                width,
                scratch: &mut thread.scratch,
                to,
            };
            f64::to_children(self.level, step);
        }
        let level = handed.level + 1;
        let Here { near, locals, .. } = here;
        let (near, locals) = (&near[..], &locals[..]);
        let child = |cell: usize| Handed { cell, level, candidates: near, look: handed.look };
        let of_child = |number: usize| {
            let of = |expansion: usize| &locals[(expansion * CHILDREN + number) * width..][..width];
            (0..expansions).flat_map(|expansion| of(expansion).iter().copied()).collect::<Vec<f64>>()
        };
        // all children but the last have as many leaves as a cell of their level can have
        let leaves = CHILDREN.pow((tree.levels.len() - 1 - level) as u32);
        let parts = children.enumerate().zip(to.chunks_mut(leaves * self.results * tree.leaf));
        if leaves >= SHARED {
            rayon::scope(|scope| {
                for ((number, cell), to) in parts {
                    let (handed, local) = (child(cell), of_child(number));
                    scope.spawn(move |_| self.in_thread(|thread| self.cell(handed, local, to, thread)));
                }
            });
        } else {
            for ((number, cell), to) in parts {
                self.cell(child(cell), of_child(number), to, thread);
            }
        }
    }

    /// The bodies of a leaf.
    fn leaf(&self, cell: usize, here: &Here, local: &[f64], to: &mut [f64], thread: &mut Thread) {
        let tree = self.acted.tree;
        let (leaf, targets) = (cell - tree.first_leaf(), tree.bodies(cell));
        let (unit, order, expansions) = (tree.cells[cell].unit, self.order, self.fields.locals);
        let Thread { scratch, at_bodies, memory, .. } = thread;
        at_bodies.clear();
        at_bodies.resize(expansions * 4 * tree.leaf, 0.0);
        let columns = self.acted.bodies.columns(leaf);
        let width = self.width();
        law::at_bodies(self.level, AtBodies { columns, unit, order, expansions, local, width, scratch, to: at_bodies });
        for (at, body) in targets.clone().enumerate() {
            self.parts(
                body,
                unit,
                |index| at_bodies[index * tree.leaf + at],
                |result, x| to[result * tree.leaf + at] += x,
            );
        }
        let ranges = memory.ranges();
        here.near.iter().for_each(|source| self.push(*source, ranges));
        self.near.add(memory, targets.clone(), tree.leaf, to);
        if !here.small.is_empty() {
            self.one_by_one(cell, here, to, thread);
        }
    }

    /// Adds a near source to ranges of bodies in the order of the tree.
    fn push(&self, source: u32, ranges: &mut Vec<Range<usize>>) {
        let range = match self.body(source) {
            Some(body) => body..body + 1,
            None => self.acting.tree.bodies(source as usize),
        };
        match ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }

    /// Adds the parts of a body's results from values and gradients of all expansions in a unit.
    fn parts(&self, body: usize, unit: f64, found: impl Fn(usize) -> f64, mut add: impl FnMut(usize, f64)) {
        let slope = 1.0 / (unit * self.length);
        for part in &self.fields.parts {
            let factor = self.acted.factors[part.factor][body] * part.times;
            let scale = if part.component == 0 { factor } else { factor * slope };
            add(part.result, scale * found(4 * part.local + part.component));
        }
    }

    /// Each body of a leaf that is large for its neighbours walks by itself.
    fn one_by_one(&self, cell: usize, here: &Here, to: &mut [f64], thread: &mut Thread) {
        let (tree, acting) = (self.acted.tree, self.acting.tree);
        let (unit, count) = (tree.cells[cell].unit, self.fields.locals);
        let width = padded(manybody_expansions::index::count(1));
        let (mut alone, mut local) = (Vec::new(), vec![0.0; count * width]);
        for (at, body) in tree.bodies(cell).enumerate() {
            let weights = &self.acted.of_bodies[body * count..(body + 1) * count];
            let sink = Ball { center: tree.points[body].x, radius: 0.0, weights };
            let Thread { stack, cells, bodies, memory, .. } = thread;
            let ranges = memory.ranges();
            [&mut *stack, &mut *cells, &mut *bodies].into_iter().for_each(Vec::clear);
            stack.extend(here.small.iter().rev());
            while let Some(source) = stack.pop() {
                if self.accepts(source, &sink, &mut alone) {
                    cells.push(source);
                } else if source as usize >= acting.first_leaf() {
                    self.push(source, ranges);
                } else {
                    stack.extend(acting.children[source as usize].clone().rev());
                }
            }
            self.near.add(memory, body..body + 1, tree.leaf, &mut to[at..]);
            local.fill(0.0);
            self.onto(sink.center, unit, 1, thread, width, &mut local);
            let found = |index: usize| local[index / 4 * width + [0, start(1), start(1) + 1, start(1) + 2][index % 4]];
            self.parts(body, unit, found, |result, x| to[result * tree.leaf + at] += x);
        }
    }
}
