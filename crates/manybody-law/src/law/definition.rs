//! `Law`: a law as data, the same whether it was written in Rust or came as text.

use super::graph::lower::{Output, lower};
use super::graph::program::Program;
use super::graph::replay::Replay;
use super::graph::trace::{Recording, Trace};
use super::graph::{Edge, Graph, Node, Role, Rules};
use super::nan::Keeping;
use super::{Cell, Field, PairLaw, Record, fields, uniform};
use crate::{Error, Result};

/// What happens where i and j are the same body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelfPair {
    /// Nothing.
    Excluded,
    /// The law is called with i = j like any other pair.
    Included,
    /// The law says separately what a body does to itself.
    Custom,
}

/// How products are bracketed when a law becomes a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grouping {
    /// So that most is shared: fastest. A product may leave the range of the number type where the author's order would
    /// not; lengths and masses near 1 are safe.
    Free,
    /// As the author wrote it, divisions included.
    AsWritten,
}

/// How a law becomes a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lowering {
    /// How products are bracketed.
    pub grouping: Grouping,
    /// Both directions of a pair at once; only for laws whose bodies are of one kind.
    pub mirrored: bool,
    /// Write e^x as 2^(x log2 e): right where the device has 2^x only, as GPUs do.
    pub exp2: bool,
    /// Leave factors that are the same for all pairs out of the sums; [`Program::scales`] has them.
    pub scales: bool,
}

impl Default for Lowering {
    /// One-sided, freely grouped, nothing left out.
    fn default() -> Self {
        Lowering { grouping: Grouping::Free, mirrored: false, exp2: false, scales: false }
    }
}

/// A contribution of a law to a result, in its graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Contribution {
    /// The number of the result record; of a cell of two numbers, the first.
    pub(crate) slot: usize,
    pub(crate) cell: Cell,
    pub(crate) value: Edge,
    pub(crate) label: Option<Edge>,
}

/// A law as data: its records and what it computes.
///
/// ```
/// # use manybody_law as manybody;
/// use manybody::law::{Gravity, Law};
/// let law = Law::of::<Gravity>()?;
/// assert_eq!(law.body().iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["x", "m"]);
/// // one pair costs 12 operations and a reciprocal square root; both directions of it 16, not 24
/// assert_eq!(law.one_sided().cost().operations, 12);
/// assert_eq!(law.mirrored()?.cost().operations, 16);
/// # Ok::<(), manybody::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    pub(crate) name: String,
    pub(crate) i: Vec<Field>,
    pub(crate) j: Vec<Field>,
    pub(crate) par: Vec<Field>,
    pub(crate) out: Vec<Field>,
    /// Whether i and j are records of one kind.
    pub(crate) one_kind: bool,
    pub(crate) self_pair: SelfPair,
    /// Whether no root meets 0 or infinity: [`PairLaw::ROOTS_ARE_FINITE`].
    pub(crate) roots_are_finite: bool,
    pub(crate) graph: Graph,
    pub(crate) contributions: Vec<Contribution>,
    pub(crate) own: Vec<Contribution>,
    /// Defaults of the parameters' numbers.
    pub(crate) defaults: Vec<Option<f64>>,
    /// Members whose columns in a file are named.
    pub(crate) columns: Vec<(String, Vec<String>)>,
    /// The name or text that the law was made of.
    pub(crate) source: Option<String>,
}

impl Law {
    /// The name or text that [`by_name_or_text`](Law::by_name_or_text) has made this law of; it may have been changed since.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// The law `L` as data.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the law does with its results anything but contribute to them, or is larger than a graph
    /// may be.
    pub fn of<L: PairLaw>() -> Result<Law> {
        let path = std::any::type_name::<L>();
        let plain = path.split('<').next().unwrap_or(path);
        let name = plain.rsplit("::").next().unwrap_or(path).to_string();
        let recording = Recording::start(Graph::new(Rules::AsWritten));
        let i = inputs::<L::Body<Trace>>(&recording, Role::I);
        let j = inputs::<L::Body<Trace>>(&recording, Role::J);
        let par = inputs::<L::Par<Trace>>(&recording, Role::Par);
        let mut pair = seeds::<L::Out<Trace>>(&recording);
        L::pair(&i, &j, &par, &mut pair);
        let mut own = seeds::<L::Out<Trace>>(&recording);
        if !L::SELF {
            L::own(&i, &par, &mut own);
        }
        let graph = recording.finish();
        let wrong = |problem: String| Error::Parameter { name: "law", value: name.clone(), expected: problem };
        if graph.is_overflowing() {
            return Err(wrong(format!("must have at most {} operations", Graph::LIMIT)));
        }
        let contributions = contributions(&graph, &numbers(pair)).map_err(wrong)?;
        let own = self_contributions(&graph, &numbers(own)).map_err(wrong)?;
        let self_pair = match own.is_empty() {
            _ if L::SELF => SelfPair::Included,
            true => SelfPair::Excluded,
            false => SelfPair::Custom,
        };
        let body = fields::<L::Body<f64>>();
        let par = fields::<L::Par<f64>>();
        let parameters = par.iter().map(Field::numbers).sum();
        Ok(Law {
            name,
            i: body.clone(),
            j: body,
            par,
            out: fields::<L::Out<f64>>(),
            one_kind: true,
            self_pair,
            roots_are_finite: L::ROOTS_ARE_FINITE,
            graph,
            contributions,
            own,
            defaults: vec![None; parameters],
            columns: Vec::new(),
            source: None,
        })
    }

    /// Whether no root of the law meets 0 or infinity: [`PairLaw::ROOTS_ARE_FINITE`].
    pub fn roots_are_finite(&self) -> bool {
        self.roots_are_finite
    }

    /// The law under another name.
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }

    /// The law with the columns of a file that a member's numbers come from.
    ///
    /// # Errors
    /// [`Error::Parameter`] if no body has the member, or with as many numbers.
    pub fn with_columns(mut self, member: &str, columns: &[&str]) -> Result<Self> {
        let found = self.i.iter().chain(&self.j).find(|f| f.name == member);
        if found.is_none_or(|f| f.width != columns.len()) {
            let expected = match found {
                Some(f) => format!("{member} has {} numbers: expected as many columns", f.width),
                None => format!("a body of {} has no {member}", self.title()),
            };
            return Err(Error::Parameter { name: "columns", value: columns.join(", "), expected });
        }
        self.columns.retain(|(name, _)| name != member);
        self.columns.push((member.into(), columns.iter().map(|c| c.to_string()).collect()));
        Ok(self)
    }

    /// The law with another default of a parameter's numbers.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the law has no such parameter.
    pub fn with_default(mut self, parameter: &str, value: f64) -> Result<Self> {
        let mut first = 0;
        for field in &self.par {
            if field.name == parameter {
                self.defaults[first..first + field.numbers()].fill(Some(value));
                return Ok(self);
            }
            first += field.numbers();
        }
        let names: Vec<&str> = self.par.iter().map(|f| f.name.as_str()).collect();
        let expected = format!("{} has the parameters: {}", self.title(), names.join(", "));
        Err(Error::Parameter { name: "parameter", value: parameter.into(), expected })
    }

    /// The law's name; "law" if it has no name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The law as a sentence names it: "the law coulomb", or "the law" if it has no name.
    pub fn title(&self) -> String {
        if self.is_named() { format!("the law {}", self.name) } else { "the law".into() }
    }
    /// Whether it has a name of its own, which a text need not give.
    pub fn is_named(&self) -> bool {
        self.name != Self::UNNAMED
    }
    /// The name of a law without a name.
    pub(crate) const UNNAMED: &str = "law";
    /// The members of a body; of the body acted on, if the two are of different kinds.
    pub fn body(&self) -> &[Field] {
        &self.i
    }
    /// The members of the body that acts.
    pub fn partner(&self) -> &[Field] {
        &self.j
    }
    /// The members of the parameters.
    pub fn parameters(&self) -> &[Field] {
        &self.par
    }
    /// The members of the result.
    pub fn results(&self) -> &[Field] {
        &self.out
    }
    /// Whether any body may play either part.
    pub fn has_one_kind(&self) -> bool {
        self.one_kind
    }
    /// The defaults of the parameters' numbers.
    pub fn defaults(&self) -> &[Option<f64>] {
        &self.defaults
    }
    /// The columns of a file that a member's numbers come from, where the law names them.
    pub fn columns(&self, member: &str) -> Option<&[String]> {
        self.columns.iter().find(|(name, _)| name == member).map(|(_, columns)| &columns[..])
    }
    /// What happens where i = j.
    pub fn self_pair(&self) -> SelfPair {
        self.self_pair
    }

    /// What j does to i, as a program.
    pub fn one_sided(&self) -> Program {
        self.program(Lowering::default())
    }

    /// What i and j do to each other, as a program that computes once what both share.
    ///
    /// # Errors
    /// [`Error::Parameter`] if i and j are of different kinds.
    pub fn mirrored(&self) -> Result<Program> {
        self.lower(Lowering { mirrored: true, ..Lowering::default() })
    }

    /// The law as a program of the requested form.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a mirrored program of a law whose i and j are of different kinds.
    pub fn lower(&self, how: Lowering) -> Result<Program> {
        if how.mirrored && !self.one_kind {
            return Err(Error::Parameter {
                name: "law",
                value: self.name.clone(),
                expected: "i and j must be of one kind, so that they can change places".into(),
            });
        }
        Ok(self.program(how))
    }

    /// The law for bodies that all have the same value of some members: these become parameters, at the end of the
    /// others, and what then is the same for all pairs drops out of the pair's operations.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a member that a body does not have, or that is an id.
    pub fn uniform(&self, members: &[&str]) -> Result<Law> {
        uniform::uniform(self, members)
    }

    /// What a body does to itself, where [`self_pair`](Law::self_pair) is `Given`; else an empty program.
    pub fn own(&self) -> Program {
        let (graph, outputs) = self.simplified(Rules::Algebra { exp2: false }, &[(0, &self.own, false)]);
        lower(&graph, &outputs, &[])
    }

    /// The law lowered, without looking for what it has in common with another.
    pub fn program(&self, how: Lowering) -> Program {
        let rules = match how.grouping {
            Grouping::Free => Rules::Algebra { exp2: how.exp2 },
            Grouping::AsWritten => Rules::AsWritten,
        };
        let sides: &[(usize, &[Contribution], bool)] =
            &[(0, &self.contributions, false), (1, &self.contributions, true)];
        let (mut graph, mut outputs) = self.simplified(rules, &sides[..1 + usize::from(how.mirrored)]);
        let scales = if how.scales && how.grouping == Grouping::Free {
            uniform::take_out_scales(&mut graph, &mut outputs)
        } else {
            Vec::new()
        };
        lower(&graph, &outputs, &scales)
    }

    /// The graph again under other rules: for each side, its contributions, with i and j exchanged if so marked. NaN and
    /// IEEE's signs of zeros are kept as [`nan`](super::nan) says.
    pub(super) fn simplified(&self, rules: Rules, sides: &[(usize, &[Contribution], bool)]) -> (Graph, Vec<Output>) {
        let recording = Recording::start(Graph::rewritten(rules));
        let mut outputs = Vec::new();
        for (side, contributions, exchanged) in sides {
            let roots = contributions.iter().flat_map(|o| [Some(o.value), o.label]).flatten();
            let replay = Replay::new(&self.graph, roots, Keeping::zero(&recording), |role, slot| {
                let role = match role {
                    Role::I if *exchanged => Role::J,
                    Role::J if *exchanged => Role::I,
                    role => role,
                };
                Keeping::input(&recording, role, slot)
            });
            outputs.extend(contributions.iter().map(|o| Output {
                side: *side,
                slot: o.slot,
                cell: o.cell,
                value: replay.number(o.value).contribution(o.cell),
                label: o.label.map(|label| replay.number(label).edge()),
            }));
        }
        (recording.finish(), outputs)
    }
}

fn inputs<P: Record<Trace>>(recording: &Recording, role: Role) -> P {
    let mut slot = 0;
    P::build(&mut |_| {
        slot += 1;
        Trace(recording.edit(|g| g.input(role, slot - 1)))
    })
}

fn seeds<P: Record<Trace>>(recording: &Recording) -> P {
    let mut slot = 0;
    P::build(&mut |_| {
        slot += 1;
        Trace(recording.edit(|g| g.seed(slot - 1)))
    })
}

/// The numbers of a result record after the law was called, with their cells.
fn numbers<P: Record<Trace>>(out: P) -> Vec<(Cell, Edge)> {
    let mut numbers = Vec::new();
    let mut copy = out;
    copy.zip(&out, &mut |cell, _, number| numbers.push((cell, number.0)));
    numbers
}

fn self_contributions(graph: &Graph, results: &[(Cell, Edge)]) -> Result<Vec<Contribution>, String> {
    let contributions = contributions(graph, results)?;
    let live = graph.live(contributions.iter().flat_map(|o| [Some(o.value), o.label]).flatten());
    let reads_partner = |(node, live): (&Node, bool)| live && matches!(node, Node::Input { role: Role::J, .. });
    if graph.nodes().iter().zip(live).any(reads_partner) {
        return Err("what a body does to itself cannot depend on another body".into());
    }
    Ok(contributions)
}

/// What was contributed to the results: the difference between what they hold and what they held.
fn contributions(graph: &Graph, results: &[(Cell, Edge)]) -> Result<Vec<Contribution>, String> {
    let mut held = vec![false; graph.nodes().len()]; // depends on what a result held before
    for (k, node) in graph.nodes().iter().enumerate() {
        held[k] = matches!(node, Node::Seed { .. });
        node.operands(|e| held[k] |= held[e.node()]);
    }
    let mut found = Vec::new();
    for (slot, (cell, end)) in results.iter().enumerate() {
        let first = found.len();
        let mut at = *end;
        while !matches!(graph.at(at), Node::Seed { .. }) {
            let wrong = || format!("result {slot} ({}) is not only contributed to but also read", cell.name());
            let (contribution, before) = last_contribution(graph, slot, *cell, at, &held).ok_or_else(wrong)?;
            found.extend(contribution);
            at = before;
        }
        if at.negative() || !matches!(graph.at(at), Node::Seed { slot: s } if usize::from(*s) == slot) {
            return Err(format!("result {slot} ({}) holds what belongs to another result", cell.name()));
        }
        found[first..].reverse();
    }
    Ok(found)
}

/// The contribution made last to the result at `at`, and the result before it.
fn last_contribution(
    graph: &Graph,
    slot: usize,
    cell: Cell,
    at: Edge,
    held: &[bool],
) -> Option<(Option<Contribution>, Edge)> {
    let new = |value: Edge, label| Some(Contribution { slot, cell, value, label });
    let split = |a: Edge, b: Edge| {
        let (a, b) = (a.flip_if(at.negative()), b.flip_if(at.negative()));
        match (held[a.node()], held[b.node()]) {
            (true, false) => Some((b, a)),
            (false, true) => Some((a, b)),
            _ => None,
        }
    };
    match (cell, graph.at(at)) {
        (Cell::Sum | Cell::Count, Node::Add(a, b)) => {
            let (value, before) = split(*a, *b)?;
            Some((new(value, None), before))
        }
        (Cell::Min | Cell::Max, Node::Min(a, b)) if at.negative() == (cell == Cell::Max) => {
            let (value, before) = split(*a, *b)?;
            Some((new(value, None), before))
        }
        (_, Node::Contribution { cell: c, held: [before, _], contribution: [value, label] })
            if *c == cell && !at.negative() =>
        {
            let reads = held[value.node()] || held[label.node()];
            let label = (cell != Cell::LogSumExp).then_some(*label);
            (!reads).then_some((new(*value, label), *before))
        }
        // the second number follows the first, which has said all
        (Cell::Label | Cell::Scaled, Node::Second(contribution)) => match graph.at(*contribution) {
            Node::Contribution { held: [_, before], .. } => Some((None, *before)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
#[path = "definition_tests.rs"]
mod tests;
