//! The pair i = j: a law that divides by zero there must say what happens.
//!
//! The law is replayed with j's numbers replaced by i's, under the rules of algebra: `j.x - i.x` becomes 0, and if a
//! quotient becomes infinite in a result, the text is refused, with the place and the remedies. A quotient
//! behind a condition that does not hold there (`r2 > 0 ? 1 / r2 : 0`) does no harm. What is 0 only for certain
//! parameters cannot be seen here; the evaluator looks for it.

use super::error::TextError;
use super::native::Read;
use super::parser::Mark;
use crate::law::definition::{Law, SelfPair};
use crate::law::graph::replay::Replay;
use crate::law::graph::trace::{Recording, Trace};
use crate::law::graph::{Edge, Graph, Node, Role, Rules};

pub(super) fn self_pair(text: &str, read: Read) -> Result<Law, TextError> {
    let Read { law, marks, says_self, twin } = read;
    if says_self || law.self_pair != SelfPair::Included {
        return Ok(law);
    }
    let recording = Recording::start(Graph::rewritten(Rules::Algebra { exp2: false }));
    let like = Trace(recording.edit(|g| g.lit(0.0)));
    let results = law.contributions.iter().flat_map(|o| [Some(o.value), o.label]).flatten();
    let roots = results.clone().chain(marks.iter().flat_map(|m| [m.result.0, m.argument.0]));
    let replay = Replay::new(&law.graph.without_infinities(), roots, like, |role, k| {
        let (role, k) = match (role, twin(k)) {
            (Role::J, Some(k)) => (Role::I, k),
            _ => (role, k),
        };
        Trace(recording.edit(|g| g.input(role, k)))
    });
    let ends: Vec<Edge> = results.map(|e| replay.number(e).0).collect();
    let arguments: Vec<Edge> = marks.iter().map(|m| replay.number(m.argument.0).0).collect();
    let zeros: Vec<bool> = {
        let graph = recording.finish();
        let infinite = |e: Edge| {
            let live = graph.live([e]);
            let bad = |n: &Node| match n {
                Node::Const(bits) | Node::Product { coefficient: bits, .. } => !f64::from_bits(*bits).is_finite(),
                _ => false,
            };
            graph.nodes().iter().zip(live).any(|(n, live)| live && bad(n))
        };
        if !ends.iter().any(|e| infinite(*e)) {
            return Ok(law);
        }
        arguments.iter().map(|e| graph.constant(*e) == Some(0.0)).collect()
    };
    let culprit = culprit(&law, &marks, &zeros);
    let help = "say what happens there: `self exclude` leaves the pair out, a softening (r2 + eps2) keeps it finite, \
                or a condition guards it: r2 > 0 ? ... : 0";
    let problem = match zeros.contains(&true) {
        true => "for i = j this divides by zero",
        false => "for i = j this is infinite, or no number",
    };
    Err(TextError::new(text, culprit, problem, help))
}

/// The first quotient by zero that a result needs, behind no closed condition if that is known.
fn culprit(law: &Law, marks: &[Mark], zeros: &[bool]) -> super::Span {
    let results = law.contributions.iter().map(|o| o.value);
    let live = law.graph.live(results);
    let zeros = || (0..marks.len()).filter(|k| zeros[*k]);
    let found = zeros().find(|k| live[marks[*k].result.0.node()] && !guarded(law, marks[*k].result.0));
    let found = found.or_else(|| zeros().next()).unwrap_or(0);
    marks.get(found).map_or(super::Span { start: 0, end: 1 }, |m| m.span)
}

/// Whether an edge is used by choices alone.
fn guarded(law: &Law, e: Edge) -> bool {
    let users = law.graph.nodes().iter().filter(|n| {
        let mut uses = false;
        n.operands(|o| uses |= o.node() == e.node());
        uses
    });
    let mut users = users.peekable();
    users.peek().is_some() && users.all(|n| matches!(n, Node::Select { .. }))
}
