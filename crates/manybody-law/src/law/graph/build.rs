//! Constructors of nodes under the rules "as written": only what is exact in floating point.
//!
//! Constants are folded (in f64), operands of commutative operations sorted, signs pulled out, x + 0, x * 1 and x / 1
//! dropped, selects with a known mask decided. Nothing is regrouped and nothing cancelled.

use super::{Edge, Function, Graph, Node, Role, Rules};

impl Graph {
    pub(crate) fn input(&mut self, role: Role, slot: usize) -> Edge {
        self.put(Node::Input { role, slot: slot as u16 })
    }

    pub(crate) fn seed(&mut self, slot: usize) -> Edge {
        self.put(Node::Seed { slot: slot as u16 })
    }

    /// A constant. NaN and the sign of zero are not kept apart.
    pub(crate) fn lit(&mut self, c: f64) -> Edge {
        self.put(Node::Const(c.abs().to_bits())).flip_if(c < 0.0)
    }

    pub(crate) fn neg(&self, a: Edge) -> Edge {
        if self.constant(a) == Some(0.0) { a } else { a.flip() }
    }

    pub(crate) fn add(&mut self, a: Edge, b: Edge) -> Edge {
        match (self.constant(a), self.constant(b)) {
            (Some(a), Some(b)) => return self.lit(a + b),
            (Some(0.0), _) => return b,
            (_, Some(0.0)) => return a,
            _ => {}
        }
        if let Rules::Algebra { .. } = self.rules() {
            return self.algebra_add(a, b);
        }
        self.plain_add(a, b)
    }

    /// a + b as a node: sorted, the first operand positive.
    pub(super) fn plain_add(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = if a.node() <= b.node() { (a, b) } else { (b, a) };
        let sign = a.negative();
        self.put(Node::Add(a.unsigned(), b.flip_if(sign))).flip_if(sign)
    }

    pub(crate) fn sub(&mut self, a: Edge, b: Edge) -> Edge {
        let b = self.neg(b);
        self.add(a, b)
    }

    pub(crate) fn mul(&mut self, a: Edge, b: Edge) -> Edge {
        match (self.constant(a), self.constant(b)) {
            (Some(a), Some(b)) => return self.lit(a * b),
            (Some(1.0), _) => return b,
            (_, Some(1.0)) => return a,
            (Some(-1.0), _) => return b.flip(),
            (_, Some(-1.0)) => return a.flip(),
            _ => {}
        }
        if let Rules::Algebra { .. } = self.rules() {
            return self.algebra_mul(a, b);
        }
        let sign = a.negative() != b.negative();
        let (a, b) = (a.unsigned(), b.unsigned());
        self.put(Node::Mul(a.min(b), a.max(b))).flip_if(sign)
    }

    pub(crate) fn div(&mut self, a: Edge, b: Edge) -> Edge {
        match (self.constant(a), self.constant(b)) {
            (Some(a), Some(b)) => return self.lit(a / b),
            (_, Some(1.0)) => return a,
            (Some(1.0), _) => return self.call(Function::Recip, b),
            _ => {}
        }
        if let Rules::Algebra { .. } = self.rules() {
            let b = self.call(Function::Recip, b);
            return self.mul(a, b);
        }
        // the sign of what is divided by stays where it is: 0 and -0 are not alike there
        self.put(Node::Div(a.unsigned(), b)).flip_if(a.negative())
    }

    pub(crate) fn call(&mut self, f: Function, x: Edge) -> Edge {
        if let Some(c) = self.constant(x) {
            let value = f.of(c);
            return if value.is_nan() { self.put(Node::Call(f, x)) } else { self.lit(value) };
        }
        if let Rules::Algebra { exp2 } = self.rules() {
            match f {
                Function::Sqrt | Function::Rsqrt | Function::Recip => return self.algebra_power(f, x),
                Function::Exp if exp2 => {
                    let log2_e = self.lit(std::f64::consts::LOG2_E);
                    let x = self.mul(x, log2_e);
                    return self.put(Node::Call(Function::Exp2, x));
                }
                _ => {}
            }
        }
        match f {
            Function::Recip => self.put(Node::Call(f, x)),
            _ if f.is_odd() => self.put(Node::Call(f, x.unsigned())).flip_if(x.negative()),
            _ if f.is_even() => self.put(Node::Call(f, x.unsigned())),
            _ => self.put(Node::Call(f, x)),
        }
    }

    pub(crate) fn min(&mut self, a: Edge, b: Edge) -> Edge {
        match (self.constant(a), self.constant(b)) {
            (Some(a), Some(b)) => self.lit(a.min(b)),
            _ if a == b => a,
            _ => self.put(Node::Min(a.min(b), a.max(b))),
        }
    }

    pub(crate) fn max(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = (self.neg(a), self.neg(b));
        let smaller = self.min(a, b);
        self.neg(smaller)
    }

    pub(crate) fn select(&mut self, mask: Edge, yes: Edge, no: Edge) -> Edge {
        let (mask, yes, no) = if mask.negative() { (mask.flip(), no, yes) } else { (mask, yes, no) };
        if self.truth(mask) == Some(true) || yes == no {
            return yes;
        }
        // the same question asked again inside a branch is answered there
        let inner = |e: Edge, holds: bool| match self.at(e) {
            Node::Select { mask: m, yes, no } if *m == mask => if holds { *yes } else { *no }.flip_if(e.negative()),
            _ => e,
        };
        let (yes, no) = (inner(yes, true), inner(no, false));
        if yes == no {
            return yes;
        }
        let sign = if self.constant(yes) == Some(0.0) { no.negative() } else { yes.negative() };
        let signed = |e: Edge| if sign { self.neg(e) } else { e };
        let node = Node::Select { mask, yes: signed(yes), no: signed(no) };
        self.put(node).flip_if(sign)
    }

    pub(crate) fn truth_value(&mut self, holds: bool) -> Edge {
        self.put(Node::True).flip_if(!holds)
    }

    /// a < b. Of `a < b` and `-b < -a`, which are the same, one is kept.
    pub(crate) fn less(&mut self, a: Edge, b: Edge) -> Edge {
        match (self.constant(a), self.constant(b)) {
            (Some(a), Some(b)) => return self.truth_value(a < b),
            _ if a == b => return self.truth_value(false),
            _ => {}
        }
        let (a, b) = self.one_of_two(a, b);
        self.put(Node::Less(a, b))
    }

    /// a <= b.
    pub(crate) fn less_equal(&mut self, a: Edge, b: Edge) -> Edge {
        if let (Some(a), Some(b)) = (self.constant(a), self.constant(b)) {
            return self.truth_value(a <= b);
        }
        if a == b && self.is_algebra() {
            return self.truth_value(true);
        }
        let (a, b) = self.one_of_two(a, b);
        self.put(Node::LessEqual(a, b))
    }

    /// Whether what is equal in algebra is taken to be equal, as if no number were NaN.
    fn is_algebra(&self) -> bool {
        matches!(self.rules(), Rules::Algebra { .. })
    }

    fn one_of_two(&self, a: Edge, b: Edge) -> (Edge, Edge) {
        (a, b).min((self.neg(b), self.neg(a)))
    }

    /// a == b.
    pub(crate) fn equal(&mut self, a: Edge, b: Edge) -> Edge {
        if let (Some(a), Some(b)) = (self.constant(a), self.constant(b)) {
            return self.truth_value(a == b);
        }
        if a == b && self.is_algebra() {
            return self.truth_value(true);
        }
        let (a, b) = if a.node() <= b.node() { (a, b) } else { (b, a) };
        let sign = a.negative();
        let (a, b) = if sign { (a.flip(), self.neg(b)) } else { (a, b) };
        self.put(Node::Equal(a, b))
    }

    /// Both hold.
    pub(crate) fn and(&mut self, a: Edge, b: Edge) -> Edge {
        match (self.truth(a), self.truth(b)) {
            (Some(true), _) => b,
            (_, Some(true)) => a,
            (Some(false), _) | (_, Some(false)) => self.truth_value(false),
            _ if a == b => a,
            _ if a == b.flip() => self.truth_value(false),
            _ => self.put(Node::And(a.min(b), a.max(b))),
        }
    }
}
