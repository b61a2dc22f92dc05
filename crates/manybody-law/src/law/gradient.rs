//! The derivatives of a law's sums, from its graph: what automatic differentiation asks for.
//!
//! With results `r_i = sum_j f(i, j)` and weights `g_i`, one for each result of a body, the derivatives of
//! `L = sum_i g_i . r_i` are
//!
//! ```text
//! dL/di = sum_j d(g_i . f(i, j))/di      dL/dj = sum_i d(g_i . f(i, j))/dj
//! ```
//!
//! Both are sums over pairs again, so both are laws. The graph is walked once from the results to the inputs (reverse
//! mode), so all derivatives together cost a few times the law [Griewank 2008, sect. 3.3].
//!
//! A condition stays a condition: what a branch does that is not taken has no part in a derivative, even where it is not
//! finite. The slope of a root at 0 is taken to be 0, that of |x| to be 1.

use super::definition::{Contribution, Law, SelfPair};
use super::graph::replay::Replay;
use super::graph::trace::{Recording, Trace, TraceMask};
use super::graph::{Edge, Function, Graph, Node, Role};
use super::{Cell, Field, Real};
use crate::{Error, Result};
use std::collections::BTreeMap;

/// The derivatives of the weighted results of a law, as two laws.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// By the numbers of the bodies acted on, and of the parameters; the latter are summed over the bodies. Its bodies
    /// acted on have the weights `g_NAME` of the results behind their own members; its results are `d_NAME`.
    pub targets: Law,
    /// By the numbers of the bodies that act; the bodies with weights act here.
    pub sources: Law,
}

impl Law {
    /// The derivatives of the law's sums. Counts and ids have no derivative.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a law with another result than sums and counts, and for one that is too large.
    pub fn gradient(&self) -> Result<Gradient> {
        let wrong = |expected: String| Error::Parameter { name: "law", value: self.name().into(), expected };
        if let Some(field) = self.out.iter().find(|field| !matches!(field.cell, Cell::Sum | Cell::Count)) {
            return Err(wrong(format!("{} is a {}: only sums have a gradient", field.name, field.cell.name())));
        }
        let gradient = Gradient { targets: self.of_targets(), sources: self.of_sources() };
        match gradient.targets.graph.is_overflowing() || gradient.sources.graph.is_overflowing() {
            true => Err(wrong(format!("its gradient must have at most {} operations", Graph::LIMIT))),
            false => Ok(gradient),
        }
    }

    /// Which numbers of a record the law's results depend on.
    pub fn reads(&self, role: Role) -> Vec<bool> {
        let roots = self.contributions.iter().flat_map(|o| [Some(o.value), o.label]).flatten();
        let live = self.graph.live(roots);
        let of_own = self.graph.live(self.own.iter().map(|o| o.value));
        let fields = match role {
            Role::I => &self.i,
            Role::J => &self.j,
            Role::Par => &self.par,
        };
        let mut reads = vec![false; fields.iter().map(Field::numbers).sum()];
        for (node, live) in self.graph.nodes().iter().zip(live.iter().zip(of_own)) {
            match node {
                Node::Input { role: of, slot } if *of == role => reads[usize::from(*slot)] |= *live.0 || live.1,
                _ => {}
            }
        }
        reads
    }

    /// The bodies acted on, with the weights of their results.
    fn weighted(&self) -> Vec<Field> {
        let weight = |field: &Field| Field::new(format!("g_{}", field.name), field.numbers(), Cell::Value);
        self.i.iter().cloned().chain(self.out.iter().map(weight)).collect()
    }

    fn of_targets(&self) -> Law {
        let mut tape = Tape::of(self);
        let (pair, own) = (tape.adjoints(&self.contributions), tape.adjoints(&self.own));
        let order = [(Role::I, &self.i), (Role::Par, &self.par)];
        let (contributions, own) = (tape.contributions(&pair, &order), tape.contributions(&own, &order));
        Law {
            name: format!("{}-gradient-i", self.name()),
            i: self.weighted(),
            out: derivatives(&[&self.i, &self.par]),
            one_kind: false,
            roots_are_finite: false,
            graph: tape.finish(),
            contributions,
            own,
            columns: Vec::new(),
            ..self.clone()
        }
    }

    fn of_sources(&self) -> Law {
        let mut tape = Tape::of(self);
        let pair = tape.adjoints(&self.contributions);
        let contributions = tape.contributions(&pair, &[(Role::J, &self.j)]);
        let (graph, contributions) = exchanged(&tape.finish(), &contributions);
        Law {
            name: format!("{}-gradient-j", self.name()),
            i: self.j.clone(),
            j: self.weighted(),
            out: derivatives(&[&self.j]),
            one_kind: false,
            roots_are_finite: false,
            self_pair: if self.self_pair == SelfPair::Included { SelfPair::Included } else { SelfPair::Excluded },
            graph,
            contributions,
            own: Vec::new(),
            columns: Vec::new(),
            ..self.clone()
        }
    }
}

/// The results of a gradient: one for each member that is no id.
fn derivatives(records: &[&Vec<Field>]) -> Vec<Field> {
    let fields = records.iter().flat_map(|fields| fields.iter());
    let plain = fields.filter(|field| field.cell == Cell::Value);
    plain.map(|field| Field::new(format!("d_{}", field.name), field.width, Cell::Sum)).collect()
}

/// The same with i and j exchanged.
fn exchanged(graph: &Graph, contributions: &[Contribution]) -> (Graph, Vec<Contribution>) {
    let recording = Recording::start(Graph::new(graph.rules()));
    let like = Trace(recording.edit(|g| g.lit(0.0)));
    let replay = Replay::new(graph, contributions.iter().map(|o| o.value), like, |role, slot| {
        let role = match role {
            Role::I => Role::J,
            Role::J => Role::I,
            Role::Par => Role::Par,
        };
        Trace(recording.edit(|g| g.input(role, slot)))
    });
    let of = |o: &Contribution| Contribution { value: replay.number(o.value).0, ..*o };
    let contributions = contributions.iter().map(of).collect();
    (recording.finish(), contributions)
}

/// The derivative of the weighted results by each node, under the conditions that it has them under.
type Adjoints = Vec<BTreeMap<Option<Edge>, Trace>>;

/// The graph of a law, which its derivatives are recorded behind.
struct Tape<'a> {
    law: &'a Law,
    recording: Recording,
    weights: Vec<Trace>,
}

impl<'a> Tape<'a> {
    fn of(law: &'a Law) -> Self {
        let recording = Recording::start(law.graph.clone());
        let numbers = |fields: &[Field]| fields.iter().map(Field::numbers).sum::<usize>();
        let first = numbers(&law.i);
        let weight = |slot: usize| Trace(recording.edit(|g| g.input(Role::I, first + slot)));
        let weights = (0..numbers(&law.out)).map(weight).collect();
        Tape { law, recording, weights }
    }

    fn finish(self) -> Graph {
        self.recording.finish()
    }

    /// From the contributions back to the inputs.
    fn adjoints(&mut self, contributions: &[Contribution]) -> Adjoints {
        let nodes = self.law.graph.nodes();
        let mut adjoints = vec![BTreeMap::new(); nodes.len()];
        for contribution in contributions.iter().filter(|o| o.cell == Cell::Sum) {
            add(&mut adjoints, contribution.value, None, self.weights[contribution.slot]);
        }
        for (k, node) in nodes.iter().enumerate().rev() {
            for (under, a) in std::mem::take(&mut adjoints[k]) {
                if matches!(node, Node::Input { .. }) {
                    adjoints[k].insert(under, a);
                } else {
                    self.pass_on(&mut adjoints, node, Trace(Edge::new(k)), under, a);
                }
            }
        }
        adjoints
    }

    /// From a node of the value `y` to its operands.
    fn pass_on(&self, adjoints: &mut Adjoints, node: &Node, y: Trace, under: Option<Edge>, a: Trace) {
        match *node {
            Node::Add(p, q) => {
                add(adjoints, p, under, a);
                add(adjoints, q, under, a);
            }
            Node::Mul(p, q) => {
                add(adjoints, p, under, a * Trace(q));
                add(adjoints, q, under, a * Trace(p));
            }
            Node::Div(p, q) => {
                let share = a / Trace(q);
                add(adjoints, p, under, share);
                add(adjoints, q, under, -(share * y));
            }
            Node::Call(f, x) => {
                if let Some(slope) = slope(f, Trace(x), y) {
                    add(adjoints, x, under, a * slope);
                }
            }
            Node::Min(p, q) => {
                let first = Trace(p).le(Trace(q)).0;
                add(adjoints, p, self.both(under, first), a);
                add(adjoints, q, self.both(under, first.flip()), a);
            }
            Node::Select { mask, yes, no } => {
                add(adjoints, yes, self.both(under, mask), a);
                add(adjoints, no, self.both(under, mask.flip()), a);
            }
            // inputs are kept by the caller, constants have no derivative, and other nodes are conditions or do not
            // occur in a recorded law
            _ => {}
        }
    }

    fn both(&self, under: Option<Edge>, mask: Edge) -> Option<Edge> {
        Some(under.map_or(mask, |under| self.recording.edit(|g| g.and(under, mask))))
    }

    /// The derivatives by the numbers of records, one result each.
    fn contributions(&self, adjoints: &Adjoints, records: &[(Role, &Vec<Field>)]) -> Vec<Contribution> {
        let mut found = Vec::new();
        let mut result = 0;
        for (role, fields) in records {
            let mut slot = 0;
            for field in *fields {
                for _ in 0..field.numbers() {
                    let is_plain = field.cell == Cell::Value;
                    let value = self.by_input(adjoints, *role, slot).filter(|_| is_plain);
                    found.extend(value.map(|value| Contribution { slot: result, cell: Cell::Sum, value, label: None }));
                    result += usize::from(is_plain);
                    slot += 1;
                }
            }
        }
        found
    }

    /// The derivative by an input; `None` where there is no such input, or no way to it.
    fn by_input(&self, adjoints: &Adjoints, role: Role, slot: usize) -> Option<Edge> {
        let is =
            |node: &Node| matches!(node, Node::Input { role: r, slot: s } if *r == role && usize::from(*s) == slot);
        let k = self.law.graph.nodes().iter().position(is)?;
        let nothing = Trace(self.recording.edit(|g| g.lit(0.0)));
        let term = |(under, a): (&Option<Edge>, &Trace)| match under {
            Some(mask) => Trace::select(TraceMask(*mask), *a, nothing),
            None => *a,
        };
        adjoints[k].iter().map(term).reduce(|sum, a| sum + a).map(|sum| sum.0)
    }
}

/// Adds `a`, under a condition, to the derivative by an operand.
fn add(adjoints: &mut Adjoints, operand: Edge, under: Option<Edge>, a: Trace) {
    let a = if operand.negative() { -a } else { a };
    adjoints[operand.node()].entry(under).and_modify(|sum| *sum = *sum + a).or_insert(a);
}

/// df/dx at x, where y = f(x); `None` where it is 0 everywhere.
fn slope(f: Function, x: Trace, y: Trace) -> Option<Trace> {
    let half = x.lit(0.5);
    Some(match f {
        // a distance of 0 has a slope in no direction: 0, as where i and j are one body
        Function::Sqrt => Trace::select(x.lit(0.0).lt(x), half * x.rsqrt(), x.lit(0.0)),
        Function::Rsqrt => -(half * (y * y * y)),
        Function::Recip => -(y * y),
        Function::Exp => y,
        Function::Exp2 => y * x.lit(std::f64::consts::LN_2),
        Function::Ln => x.recip(),
        Function::ExpM1 => y + x.lit(1.0),
        Function::Ln1p => (x + x.lit(1.0)).recip(),
        Function::Sin => x.cos(),
        Function::Cos => -x.sin(),
        Function::Abs => Trace::select(x.lt(x.lit(0.0)), x.lit(-1.0), x.lit(1.0)),
        Function::Round => return None,
    })
}

#[cfg(test)]
#[path = "gradient_tests.rs"]
mod tests;
