//! The expression graph of a law: what is recorded when a law is called with [`Trace`] numbers, or parsed from text.
//!
//! ```text
//! law in Rust --Trace--+
//!                      +--> graph as written --replay--> simplified graph --lower--> program --> GPU text, evaluator
//! law as text --parse--+                     (once: one-sided; twice with i and j exchanged: mirrored)
//! ```
//!
//! A node is an operation on edges; an edge is a node and a sign, so negation costs nothing, is found where it hides
//! (`x_i - x_j` and `x_j - x_i` are one node) and Newton's third law falls out of the mirrored graph instead of being
//! declared. Nodes are hash-consed: equal ones are one. They lie in topological order, operands first, so that every
//! pass is a loop over them and no depth of nesting can exhaust the stack.
//!
//! A graph is built under one of two sets of [`Rules`]. *As written* keeps every operation that the author asked for
//! and in the order asked for, up to what is exact in floating point; [`build`] has it. *Algebra* adds what real
//! numbers allow; [`simplify`] has it, and says what it does to the range of numbers.

pub(crate) mod build;
pub(crate) mod lower;
pub(crate) mod program;
pub(crate) mod replay;
pub(crate) mod share;
pub(crate) mod simplify;
pub(crate) mod trace;

use super::Cell;
use std::collections::HashMap;

/// Whose number an input is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Role {
    /// The body that is acted on.
    I,
    /// The body that acts.
    J,
    /// What is the same for all pairs.
    Par,
}

/// A node and a sign; for truth values the sign is "not".
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Edge(u32);

impl Edge {
    pub(crate) fn new(node: usize) -> Self {
        Edge((node as u32) << 1)
    }
    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }
    pub(crate) fn negative(self) -> bool {
        self.0 & 1 == 1
    }
    /// The other sign.
    pub(crate) fn flip(self) -> Self {
        Edge(self.0 ^ 1)
    }
    /// The other sign if `flip`.
    pub(crate) fn flip_if(self, flip: bool) -> Self {
        Edge(self.0 ^ flip as u32)
    }
    /// The positive edge to the same node.
    pub(crate) fn unsigned(self) -> Self {
        Edge(self.0 & !1)
    }
}

/// A function of one number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Function {
    /// Square root.
    Sqrt,
    /// 1 / sqrt(x).
    Rsqrt,
    /// 1 / x.
    Recip,
    /// e^x.
    Exp,
    /// 2^x.
    Exp2,
    /// Natural logarithm.
    Ln,
    /// e^x - 1.
    ExpM1,
    /// ln(1 + x).
    Ln1p,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// |x|.
    Abs,
    /// The nearest integer, ties to even.
    Round,
}

impl Function {
    /// f(x) in f64.
    pub fn of(self, x: f64) -> f64 {
        match self {
            Function::Sqrt => x.sqrt(),
            Function::Rsqrt => 1.0 / x.sqrt(),
            Function::Recip => 1.0 / x,
            Function::Exp => x.exp(),
            Function::Exp2 => x.exp2(),
            Function::Ln => x.ln(),
            Function::ExpM1 => x.exp_m1(),
            Function::Ln1p => x.ln_1p(),
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Abs => x.abs(),
            Function::Round => x.round_ties_even(),
        }
    }

    /// f(-x) = -f(x).
    pub(crate) fn is_odd(self) -> bool {
        matches!(self, Function::Recip | Function::Sin | Function::Round)
    }

    /// f(-x) = f(x).
    pub(crate) fn is_even(self) -> bool {
        matches!(self, Function::Cos | Function::Abs)
    }
}

/// One factor of a product: base^power, or base^(power/2) under a root.
///
/// Roots are a family of their own because x^(-1) from `recip(x)` exists for negative x and from `rsqrt(x)^2` does not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Factor {
    /// Without a root never negative: the sign goes to the product.
    pub(crate) base: Edge,
    pub(crate) root: bool,
    pub(crate) power: i32,
}

/// An operation. Commutative ones have their operands sorted, and of operations whose sign can be pulled out the first
/// operand is positive.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Input {
        role: Role,
        slot: u16,
    },
    /// What an accumulator held before the law was called.
    Seed {
        slot: u16,
    },
    /// The bits of a constant that is not negative.
    Const(u64),
    Add(Edge, Edge),
    Mul(Edge, Edge),
    Div(Edge, Edge),
    Call(Function, Edge),
    /// Only under the rules of algebra: a positive coefficient (its bits) times powers, sorted.
    Product {
        coefficient: u64,
        factors: Vec<Factor>,
    },
    /// max(a, b) is -min(-a, -b).
    Min(Edge, Edge),
    Select {
        mask: Edge,
        yes: Edge,
        no: Edge,
    },
    /// The mask that always holds.
    True,
    Less(Edge, Edge),
    LessEqual(Edge, Edge),
    Equal(Edge, Edge),
    And(Edge, Edge),
    /// Only while a law is recorded: the first number of a cell of two, after a contribution to it.
    Contribution {
        cell: Cell,
        held: [Edge; 2],
        contribution: [Edge; 2],
    },
    /// The second number of the cell, after the same contribution.
    Second(Edge),
}

impl Node {
    /// Calls `f` with the operands.
    pub(crate) fn operands(&self, mut f: impl FnMut(Edge)) {
        match self {
            Node::Input { .. } | Node::Seed { .. } | Node::Const(_) | Node::True => {}
            Node::Add(a, b)
            | Node::Mul(a, b)
            | Node::Div(a, b)
            | Node::Min(a, b)
            | Node::Less(a, b)
            | Node::LessEqual(a, b)
            | Node::Equal(a, b)
            | Node::And(a, b) => [*a, *b].into_iter().for_each(f),
            Node::Call(_, a) | Node::Second(a) => f(*a),
            Node::Product { factors, .. } => factors.iter().for_each(|factor| f(factor.base)),
            Node::Select { mask, yes, no } => [*mask, *yes, *no].into_iter().for_each(f),
            Node::Contribution { held, contribution, .. } => held.iter().chain(contribution).copied().for_each(f),
        }
    }

    /// True for truth values, false for numbers.
    pub(crate) fn is_mask(&self) -> bool {
        matches!(self, Node::True | Node::Less(..) | Node::LessEqual(..) | Node::Equal(..) | Node::And(..))
    }
}

/// What a graph's constructors may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rules {
    /// Only what is exact in floating point.
    AsWritten,
    /// What real numbers allow; see [`simplify`].
    Algebra {
        /// Write e^x as 2^(x log2 e), so that the factor can join those of x.
        exp2: bool,
    },
}

/// Nodes, operands first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    index: HashMap<Node, u32>,
    rules: Rules,
    limit: usize,
    overflow: bool,
}

impl Graph {
    /// The most nodes of a graph. The largest built-in law has 200.
    pub(crate) const LIMIT: usize = 1 << 14;

    pub(crate) fn new(rules: Rules) -> Self {
        Graph { nodes: Vec::new(), index: HashMap::new(), rules, limit: Self::LIMIT, overflow: false }
    }

    /// A graph rewritten from one that is within the limit.
    pub(crate) fn rewritten(rules: Rules) -> Self {
        Graph { limit: 64 * Self::LIMIT, ..Self::new(rules) }
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn at(&self, e: Edge) -> &Node {
        &self.nodes[e.node()]
    }

    pub(crate) fn rules(&self) -> Rules {
        self.rules
    }

    /// True if a node beyond the limit was requested; edges made since then have no meaning.
    pub(crate) fn is_overflowing(&self) -> bool {
        self.overflow
    }

    /// The node, new or already there.
    pub(crate) fn put(&mut self, node: Node) -> Edge {
        if let Some(k) = self.index.get(&node) {
            return Edge::new(*k as usize);
        }
        if self.nodes.len() >= self.limit {
            self.overflow = true;
            return self.any_of_kind(&node);
        }
        let k = self.nodes.len();
        self.index.insert(node.clone(), k as u32);
        self.nodes.push(node);
        Edge::new(k)
    }

    /// An existing node that is a mask if `like` is, and a number if `like` is one.
    fn any_of_kind(&self, like: &Node) -> Edge {
        Edge::new(self.nodes.iter().position(|n| n.is_mask() == like.is_mask()).unwrap_or(0))
    }

    /// Marks what the roots need.
    pub(crate) fn live(&self, roots: impl IntoIterator<Item = Edge>) -> Vec<bool> {
        let mut live = vec![false; self.nodes.len()];
        roots.into_iter().for_each(|e| live[e.node()] = true);
        for k in (0..self.nodes.len()).rev() {
            if live[k] {
                self.nodes[k].operands(|e| live[e.node()] = true);
            }
        }
        live
    }

    /// The same with large numbers for infinite constants, to distinguish infinities that operations make from those of
    /// the author and of conditions.
    pub(crate) fn without_infinities(&self) -> Graph {
        let mut graph = self.clone();
        for node in &mut graph.nodes {
            if let Node::Const(bits) = node
                && f64::from_bits(*bits).is_infinite()
            {
                *bits = 3.0e38_f64.to_bits();
            }
        }
        graph
    }

    /// The constant at `e`, with its sign.
    pub(crate) fn constant(&self, e: Edge) -> Option<f64> {
        match self.at(e) {
            Node::Const(bits) => {
                let c = f64::from_bits(*bits);
                Some(if e.negative() { -c } else { c })
            }
            _ => None,
        }
    }

    /// The truth value at `e`, if it is known.
    pub(crate) fn truth(&self, e: Edge) -> Option<bool> {
        matches!(self.at(e), Node::True).then_some(!e.negative())
    }
}

#[cfg(test)]
mod tests;
