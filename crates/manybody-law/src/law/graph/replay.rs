//! Replay: a recorded graph called as a function, over any number type.
//!
//! Called with f64 it is the oracle of a law that came as text; with dual numbers, its time derivative; with [`Trace`]
//! under other rules or with other inputs, the simplified graph, the mirrored one, or the one for i = j.
//!
//! [`Trace`]: super::trace::Trace

use super::{Edge, Function, Graph, Node, Role};
use crate::law::Real;

/// A value or a truth value.
#[derive(Clone, Copy)]
pub(super) enum Slot<R: Real> {
    Number(R),
    Mask(R::Mask),
    Dead,
}

/// All live nodes of a graph over R.
pub(crate) struct Replay<R: Real> {
    slots: Vec<Slot<R>>,
}

impl<R: Real> Replay<R> {
    /// Computes what the roots need. `like` is any number of the kind, for constants.
    pub(crate) fn new(
        graph: &Graph,
        roots: impl IntoIterator<Item = Edge>,
        like: R,
        mut input: impl FnMut(Role, usize) -> R,
    ) -> Self {
        let live = graph.live(roots);
        let mut replay = Replay { slots: Vec::with_capacity(live.len()) };
        for (node, live) in graph.nodes().iter().zip(live) {
            let slot = if live { replay.node(node, like, &mut input) } else { Slot::Dead };
            replay.slots.push(slot);
        }
        replay
    }

    /// The number at an edge that was among the roots, or below them.
    pub(crate) fn number(&self, e: Edge) -> R {
        match self.slots[e.node()] {
            Slot::Number(x) if e.negative() => -x,
            Slot::Number(x) => x,
            _ => unreachable!("a number was recorded here"),
        }
    }

    fn mask(&self, e: Edge) -> R::Mask {
        match self.slots[e.node()] {
            Slot::Mask(m) if e.negative() => !m,
            Slot::Mask(m) => m,
            _ => unreachable!("a truth value was recorded here"),
        }
    }

    fn node(&self, node: &Node, like: R, input: &mut impl FnMut(Role, usize) -> R) -> Slot<R> {
        let of = |e: &Edge| self.number(*e);
        Slot::Number(match node {
            Node::Input { role, slot } => input(*role, usize::from(*slot)),
            Node::Const(bits) => like.lit(f64::from_bits(*bits)),
            Node::Add(a, b) if b.negative() => of(a) - of(&b.flip()),
            Node::Add(a, b) => of(a) + of(b),
            Node::Mul(a, b) => of(a) * of(b),
            Node::Div(a, b) => of(a) / of(b),
            Node::Call(f, x) => call(*f, of(x)),
            Node::Min(a, b) => of(a).min(of(b)),
            Node::Select { mask, yes, no } => R::select(self.mask(*mask), of(yes), of(no)),
            Node::True => return Slot::Mask(like.same(like)),
            Node::Less(a, b) => return Slot::Mask(of(a).lt(of(b))),
            Node::LessEqual(a, b) => return Slot::Mask(of(a).le(of(b))),
            Node::Equal(a, b) => return Slot::Mask(of(a).same(of(b))),
            Node::And(a, b) => return Slot::Mask(self.mask(*a) & self.mask(*b)),
            Node::Seed { .. } | Node::Contribution { .. } | Node::Second(_) | Node::Product { .. } => {
                unreachable!("{node:?} is not in a recorded law")
            }
        })
    }
}

pub(super) fn call<R: Real>(f: Function, x: R) -> R {
    match f {
        Function::Sqrt => x.sqrt(),
        Function::Rsqrt => x.rsqrt(),
        Function::Recip => x.recip(),
        Function::Exp => x.exp(),
        Function::Exp2 => (x * x.lit(std::f64::consts::LN_2)).exp(),
        Function::Ln => x.ln(),
        Function::ExpM1 => x.exp_m1(),
        Function::Ln1p => x.ln_1p(),
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Abs => x.abs(),
        Function::Round => x.round(),
    }
}
