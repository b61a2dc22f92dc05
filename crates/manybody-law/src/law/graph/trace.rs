//! `Trace`: the number that records what is done to it.

use super::{Edge, Function, Graph};
use crate::law::{Cell, Real};
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

thread_local! {
    /// The graphs being recorded on this thread; a recording within a recording has its own.
    static ACTIVE: RefCell<Vec<Graph>> = const { RefCell::new(Vec::new()) };
}

/// A recording on this thread: while it lives, operations on [`Trace`] numbers go to its graph. Dropped, also by a
/// panic inside the law, it leaves nothing behind.
pub(crate) struct Recording {
    depth: usize,
}

impl Recording {
    /// Goes on with `graph`.
    pub(crate) fn start(graph: Graph) -> Self {
        ACTIVE.with_borrow_mut(|active| {
            active.push(graph);
            Recording { depth: active.len() }
        })
    }

    /// Builds nodes directly.
    pub(crate) fn edit<T>(&self, f: impl FnOnce(&mut Graph) -> T) -> T {
        with(f)
    }

    /// The graph as it is now.
    pub(crate) fn finish(self) -> Graph {
        ACTIVE.with_borrow_mut(|active| {
            active.truncate(self.depth);
            active.pop().expect("a recording has a graph")
        })
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        ACTIVE.with_borrow_mut(|active| active.truncate(self.depth - 1));
    }
}

fn with<T>(f: impl FnOnce(&mut Graph) -> T) -> T {
    ACTIVE.with_borrow_mut(|active| f(active.last_mut().expect("Trace numbers exist only while a law is recorded")))
}

/// A number that records what is done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trace(pub(crate) Edge);

/// A truth value that records what is done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceMask(pub(crate) Edge);

macro_rules! operators {
    ($($op:ident $method:ident $graph:ident),*) => { $(
        impl $op for Trace {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Trace(with(|g| g.$graph(self.0, other.0)))
            }
        }
    )* };
}
operators!(Add add add, Sub sub sub, Mul mul mul, Div div div);

impl Neg for Trace {
    type Output = Self;
    fn neg(self) -> Self {
        Trace(with(|g| g.neg(self.0)))
    }
}

impl BitAnd for TraceMask {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        TraceMask(with(|g| g.and(self.0, other.0)))
    }
}

impl BitOr for TraceMask {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        !(!self & !other)
    }
}

impl Not for TraceMask {
    type Output = Self;
    fn not(self) -> Self {
        TraceMask(self.0.flip())
    }
}

macro_rules! functions {
    ($($method:ident $f:ident),*) => { $(
        fn $method(self) -> Self {
            Trace(with(|g| g.call(Function::$f, self.0)))
        }
    )* };
}

impl Real for Trace {
    type Mask = TraceMask;
    functions!(sqrt Sqrt, rsqrt Rsqrt, recip Recip, exp Exp, ln Ln, exp_m1 ExpM1, ln_1p Ln1p, sin Sin, cos Cos, abs Abs, round Round);
    fn lit(self, c: f64) -> Self {
        Trace(with(|g| g.lit(c)))
    }
    /// What is fused is decided when the graph is lowered.
    fn fma(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    fn min(self, other: Self) -> Self {
        Trace(with(|g| g.min(self.0, other.0)))
    }
    fn max(self, other: Self) -> Self {
        Trace(with(|g| g.max(self.0, other.0)))
    }
    fn lt(self, other: Self) -> TraceMask {
        TraceMask(with(|g| g.less(self.0, other.0)))
    }
    fn le(self, other: Self) -> TraceMask {
        TraceMask(with(|g| g.less_equal(self.0, other.0)))
    }
    fn same(self, other: Self) -> TraceMask {
        TraceMask(with(|g| g.equal(self.0, other.0)))
    }
    fn select(mask: TraceMask, yes: Self, no: Self) -> Self {
        Trace(with(|g| g.select(mask.0, yes.0, no.0)))
    }
    fn join(cell: Cell, held: [Self; 2], contribution: [Self; 2]) -> [Self; 2] {
        with(|g| {
            let first = g.put(super::Node::Contribution {
                cell,
                held: held.map(|e| e.0),
                contribution: contribution.map(|e| e.0),
            });
            [Trace(first), Trace(g.put(super::Node::Second(first)))]
        })
    }
}
