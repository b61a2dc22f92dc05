//! Constructors of nodes under the rules of algebra: what is equal in real numbers becomes one node.
//!
//! - A product is flat: a coefficient times powers, `m * y * y * y * dx` however it was bracketed, and the lowering
//!   brackets it again so that most is shared. Powers of one base meet: `r2 * rsqrt(r2)^5` is `rsqrt(r2)^3`, `x / x` is 1.
//! - Sums keep the author's brackets, since regrouping a difference loses digits. Only like terms merge (`x + x`,
//!   `2 p + 3 p`, `p + (p + c)`, `x - x`), and an equal coefficient is taken out (`2 p + 2 q`).
//! - Reciprocals and roots of constants and of powers of one base are powers; e^x may become 2^(x log2 e).
//!
//! All of this is as exact as the original *if exponents were unbounded*. With bounded ones a regrouped product can
//! leave the range where the original did not: in f32 and SI units, r = 1e16 m, `y * y * y * m` is 0 and `m * y * y *
//! y` is not. Scale units so that masses and lengths are near 1, or lower the law as written.
//!
//! No rewrite turns a finite result into NaN for finite operands in range. Where the original is NaN or infinite the
//! rewritten one may be finite: `x - x` and `0 * x` are 0, `x / x` is 1, sqrt(x)^2 is x also for x < 0.
//! A power of x from a reciprocal is never computed from rsqrt(x) unless the same product has a root of x anyway.

use super::{Edge, Factor, Function, Graph, Node};

/// The largest sum of powers of a product; beyond it, products nest. Keeps texts like `x = x*x; x = x*x; ...` small.
const LARGEST_DEGREE: u32 = 64;

/// A coefficient with its sign, times powers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Term {
    pub(crate) coefficient: f64,
    pub(crate) factors: Vec<Factor>,
}

fn degree(factors: &[Factor]) -> u32 {
    factors.iter().map(|f| f.power.unsigned_abs()).sum()
}

impl Graph {
    /// An edge as a product.
    pub(crate) fn term(&self, e: Edge) -> Term {
        let sign = if e.negative() { -1.0 } else { 1.0 };
        match self.at(e) {
            Node::Const(bits) => Term { coefficient: sign * f64::from_bits(*bits), factors: Vec::new() },
            Node::Product { coefficient, factors } => {
                Term { coefficient: sign * f64::from_bits(*coefficient), factors: factors.clone() }
            }
            _ => {
                let factors = vec![Factor { base: e.unsigned(), root: false, power: 1 }];
                Term { coefficient: sign, factors }
            }
        }
    }

    fn is_small_product(&self, e: Edge) -> bool {
        matches!(self.at(e), Node::Product { factors, .. } if degree(factors) <= LARGEST_DEGREE / 2)
    }

    /// The node of a product.
    pub(crate) fn product(&mut self, term: Term) -> Edge {
        let mut c = term.coefficient;
        let mut factors = meet(term.factors);
        // sqrt(a b)^2 has become (a b)^1: its factors are factors of the whole
        while let Some(k) = factors.iter().position(|f| !f.root && f.power == 1 && self.is_small_product(f.base)) {
            if degree(&factors) > LARGEST_DEGREE / 2 {
                break;
            }
            let mut inner = self.term(factors.swap_remove(k).base);
            c *= inner.coefficient;
            factors.append(&mut inner.factors);
            factors = meet(factors);
        }
        if c == 0.0 || factors.is_empty() {
            return self.lit(c);
        }
        let sign = c < 0.0;
        if let ([Factor { base, root: false, power: 1 }], 1.0) = (&factors[..], c.abs()) {
            return base.flip_if(sign);
        }
        self.put(Node::Product { coefficient: c.abs().to_bits(), factors }).flip_if(sign)
    }

    pub(super) fn algebra_mul(&mut self, a: Edge, b: Edge) -> Edge {
        let (mut p, mut q) = (self.term(a), self.term(b));
        for (term, edge) in [(&mut p, a), (&mut q, b)] {
            // half the largest degree each, so that their product is within it
            if degree(&term.factors) > LARGEST_DEGREE / 2 {
                let sign = if edge.negative() { -1.0 } else { 1.0 };
                let base = edge.unsigned();
                *term = Term { coefficient: sign, factors: vec![Factor { base, root: false, power: 1 }] };
            }
        }
        p.coefficient *= q.coefficient;
        p.factors.append(&mut q.factors);
        self.product(p)
    }

    /// sqrt, rsqrt and recip as powers.
    pub(super) fn algebra_power(&mut self, f: Function, x: Edge) -> Edge {
        let one = |factors| Term { coefficient: 1.0, factors };
        match f {
            Function::Sqrt => self.product(one(vec![Factor { base: x, root: true, power: 1 }])),
            Function::Rsqrt => self.product(one(vec![Factor { base: x, root: true, power: -1 }])),
            _ => {
                let Term { coefficient, mut factors } = self.term(x);
                let one_base = factors.windows(2).all(|w| w[0].base == w[1].base);
                if one_base {
                    factors.iter_mut().for_each(|f| f.power = -f.power);
                } else {
                    // one reciprocal of the whole rather than one of each factor
                    let whole = self.product(one(factors));
                    factors = vec![Factor { base: whole.unsigned(), root: false, power: -1 }];
                }
                self.product(Term { coefficient: 1.0 / coefficient, factors })
            }
        }
    }

    pub(super) fn algebra_add(&mut self, a: Edge, b: Edge) -> Edge {
        let (p, q) = (self.term(a), self.term(b));
        if p.factors == q.factors {
            return self.product(Term { coefficient: p.coefficient + q.coefficient, factors: p.factors });
        }
        let (c, d) = (p.coefficient, q.coefficient);
        if c.abs() == d.abs() && c.abs() != 1.0 && !p.factors.is_empty() && !q.factors.is_empty() {
            let x = self.product(Term { coefficient: c.signum(), ..p });
            let y = self.product(Term { coefficient: d.signum(), ..q });
            let sum = self.add(x, y);
            let c = self.lit(c.abs());
            return self.mul(c, sum);
        }
        // p + (p' + c) with p and p' alike and of one sign; of different signs it may be an author's compensated sum
        for (t, u, term) in [(a, b, &p), (b, a, &q)] {
            let Node::Add(x, y) = *self.at(u) else { continue };
            for (x, y) in [(x, y), (y, x)] {
                let (x, y) = (x.flip_if(u.negative()), y.flip_if(u.negative()));
                let like = self.term(x);
                let alike = like.factors == term.factors && !like.factors.is_empty();
                if alike && like.coefficient.signum() == term.coefficient.signum() {
                    let both = self.add(t, x);
                    return self.add(both, y);
                }
            }
        }
        self.plain_add(a, b)
    }
}

/// Factors of one base made one, sorted.
fn meet(mut factors: Vec<Factor>) -> Vec<Factor> {
    factors.sort_unstable();
    let mut met: Vec<Factor> = Vec::with_capacity(factors.len());
    for f in factors {
        match met.last_mut() {
            Some(last) if last.base == f.base && last.root == f.root => last.power += f.power,
            _ => met.push(f),
        }
    }
    // sorted, x^p and the powers of its root are neighbours
    let mut k = 0;
    while k < met.len() {
        let root = met[k];
        let beside = k > 0 && met[k - 1].base == root.base;
        // a root of -x cannot be combined with powers of x
        if root.root && !root.base.negative() {
            let plain = if beside { met[k - 1].power } else { 0 };
            let (plain, power) = settle(plain, root.power);
            met[k].power = power;
            if beside {
                met[k - 1].power = plain;
            } else if plain != 0 {
                met.insert(k, Factor { base: root.base, root: false, power: plain });
                k += 1;
            }
        }
        k += 1;
    }
    met.retain(|f| f.power != 0);
    met
}

/// x^plain * sqrt(x)^root with fewer powers. x >= 0 is implied, there being a root.
fn settle(mut plain: i32, mut root: i32) -> (i32, i32) {
    if plain < 0 {
        (plain, root) = (0, root + 2 * plain); // sqrt(x) / x = rsqrt(x)
    }
    while plain > 0 && root <= -2 {
        (plain, root) = (plain - 1, root + 2); // x * rsqrt(x)^5 = rsqrt(x)^3, but x * rsqrt(x) stays: sqrt costs more
    }
    if root >= 2 {
        (plain, root) = (plain + root / 2, root % 2); // sqrt(x)^2 = x
    }
    (plain, root)
}
