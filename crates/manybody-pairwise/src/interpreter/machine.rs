//! The machine: runs a tape over a block of bodies, one operation after the other, each a loop over the block.
//!
//! A kernel of an operation is compiled once a number type, level and kind of operands, whatever the law. Truth values
//! are the numbers 1 and 0. Blocks are whole multiples of [`UNROLL`] vectors; what lies past the last body is computed
//! from copies of it and never gathered.

use super::tape::{Code, Operand, Step, Tape};
use crate::law::{Function, Real};
use crate::packed::Aligned;
use crate::simd::{Element, Interleaved4, Vector};

/// Vectors a turn of a kernel's loop: enough for the latency of a multiplication.
pub(super) const UNROLL: usize = 4;

/// The blocks that a thread works in, and what is uniform.
#[derive(Debug)]
pub(super) struct Machine<T> {
    slots: Vec<Aligned<T>>,
    pub(super) uniforms: Vec<T>,
}

impl<T: Element> Machine<T> {
    pub(super) fn new(slots: usize, block: usize, uniforms: usize) -> Self {
        let slot = || {
            let mut slot = Aligned::default();
            slot.reset(block, T::default());
            slot
        };
        Machine { slots: (0..slots).map(|_| slot()).collect(), uniforms: vec![T::default(); uniforms] }
    }
}

/// The columns of a side, and which part of them is the block.
#[derive(Clone, Copy)]
pub(super) struct Window<'a, T> {
    pub(super) columns: &'a [Aligned<T>],
    pub(super) start: usize,
    pub(super) len: usize,
}

impl<T: Element> Machine<T> {
    /// The numbers of an operand that is not uniform.
    #[inline(always)]
    pub(super) fn numbers<'a>(&'a self, window: Window<'a, T>, at: Operand) -> &'a [T] {
        match at {
            Operand::Column(k) => &window.columns[k].as_slice()[window.start..window.start + window.len],
            Operand::Slot(k) => &self.slots[k].as_slice()[..window.len],
            Operand::Uniform { .. } => &[],
        }
    }

    #[inline(always)]
    fn uniform<V: Vector<T = T>>(&self, token: V::Token, at: Operand) -> Option<V> {
        match at {
            Operand::Uniform { index, negative } => {
                let x = self.uniforms[index];
                Some(V::splat(token, if negative { -x } else { x }))
            }
            _ => None,
        }
    }

    /// Runs the tape over a window. It is large: one function for a number type and level, whoever calls it.
    #[inline(never)]
    pub(super) fn run<V: Vector<T = T>>(&mut self, token: V::Token, tape: &Tape, window: Window<'_, T>) {
        V::vectorize(
            token,
            #[inline(always)]
            || {
                for step in &tape.steps {
                    let mut to = std::mem::take(&mut self.slots[step.to]);
                    self.step::<V>(token, step, window, &mut to.as_mut_slice()[..window.len]);
                    self.slots[step.to] = to;
                }
            },
        );
    }

    #[inline(always)]
    fn step<V: Vector<T = T>>(&self, token: V::Token, step: &Step, window: Window<'_, T>, to: &mut [T]) {
        let [a, b, c, d] = step.args;
        let x = self.numbers(window, a);
        macro_rules! one {
            (|$x:ident| $result:expr) => {
                map1::<V>(
                    token,
                    to,
                    x,
                    #[inline(always)]
                    |$x| $result,
                )
            };
        }
        // the second operand a block or uniform
        macro_rules! two {
            (|$x:ident, $y:ident| $result:expr) => {
                match self.uniform::<V>(token, b) {
                    Some($y) => map1::<V>(
                        token,
                        to,
                        x,
                        #[inline(always)]
                        |$x| $result,
                    ),
                    None => map2::<V>(
                        token,
                        to,
                        x,
                        self.numbers(window, b),
                        #[inline(always)]
                        |$x, $y| $result,
                    ),
                }
            };
        }
        macro_rules! three {
            (|$x:ident, $y:ident, $z:ident| $result:expr) => {
                match (self.uniform::<V>(token, b), self.uniform::<V>(token, c)) {
                    (Some($y), Some($z)) => map1::<V>(
                        token,
                        to,
                        x,
                        #[inline(always)]
                        |$x| $result,
                    ),
                    (Some($y), None) => map2::<V>(
                        token,
                        to,
                        x,
                        self.numbers(window, c),
                        #[inline(always)]
                        |$x, $z| $result,
                    ),
                    (None, Some($z)) => map2::<V>(
                        token,
                        to,
                        x,
                        self.numbers(window, b),
                        #[inline(always)]
                        |$x, $y| $result,
                    ),
                    (None, None) => {
                        let (y, z) = (self.numbers(window, b), self.numbers(window, c));
                        map3::<V>(
                            token,
                            to,
                            x,
                            y,
                            z,
                            #[inline(always)]
                            |$x, $y, $z| $result,
                        )
                    }
                }
            };
        }
        macro_rules! truth {
            ($mask:expr, $x:ident) => {
                V::select($mask, $x.lit(1.0), $x.lit(0.0))
            };
        }
        match step.code {
            Code::Add => two!(|x, y| x + y),
            Code::Sub => two!(|x, y| x - y),
            Code::SubFrom => two!(|x, y| y - x),
            Code::Mul => two!(|x, y| x * y),
            Code::Div => two!(|x, y| x / y),
            Code::DivFrom => two!(|x, y| y / x),
            Code::Square => one!(|x| x * x),
            Code::FmaSquare => two!(|x, y| x.fma(x, y)),
            Code::Fma => three!(|x, y, z| x.fma(y, z)),
            Code::Squares2 => two!(|x, y| x.fma(x, y * y)),
            Code::Squares2Plus => match self.uniform::<V>(token, c) {
                Some(u) => two!(|x, y| x.fma(x, y.fma(y, u))),
                None => unreachable!("its third operand is uniform"),
            },
            Code::Squares3 => {
                let (y, z) = (self.numbers(window, b), self.numbers(window, c));
                map3::<V>(
                    token,
                    to,
                    x,
                    y,
                    z,
                    #[inline(always)]
                    |x, y, z| x.fma(x, y.fma(y, z * z)),
                );
            }
            Code::Squares3Plus => match self.uniform::<V>(token, d) {
                Some(u) => {
                    let (y, z) = (self.numbers(window, b), self.numbers(window, c));
                    map3::<V>(
                        token,
                        to,
                        x,
                        y,
                        z,
                        #[inline(always)]
                        |x, y, z| x.fma(x, y.fma(y, z.fma(z, u))),
                    );
                }
                None => unreachable!("its fourth operand is uniform"),
            },
            Code::MulSquare => two!(|x, y| y * (x * x)),
            Code::Mul3 => three!(|x, y, z| z * (x * y)),
            Code::RsqrtCube => one!(|x| {
                let y = x.rsqrt();
                y * (y * y)
            }),
            Code::RsqrtCubeMul => two!(|x, m| {
                let y = x.rsqrt();
                (y * m) * (y * y)
            }),
            Code::Fnma => three!(|x, y, z| x.fnma(y, z)),
            Code::Fms => three!(|x, y, z| x.fma(y, -z)),
            Code::Min => two!(|x, y| x.min(y)),
            Code::Max => two!(|x, y| x.max(y)),
            Code::Less => two!(|x, y| truth!(x.lt(y), x)),
            Code::LessEqual => two!(|x, y| truth!(x.le(y), x)),
            Code::Greater => two!(|x, y| truth!(y.lt(x), x)),
            Code::GreaterEqual => two!(|x, y| truth!(y.le(x), x)),
            Code::Equal => two!(|x, y| truth!(x.same(y), x)),
            Code::Select => three!(|x, y, z| V::select(x.lit(0.5).lt(x), y, z)),
            Code::Neg => one!(|x| -x),
            Code::Not => one!(|x| x.lit(1.0) - x),
            Code::Fill => {
                if let Some(u) = self.uniform::<V>(token, a) {
                    to.chunks_exact_mut(V::LEN).for_each(
                        #[inline(always)]
                        |to| u.store(to),
                    );
                }
            }
            Code::Call(Function::Sqrt) => one!(|x| x.sqrt()),
            Code::Call(Function::Rsqrt) => one!(|x| x.rsqrt()),
            Code::Call(Function::Recip) => one!(|x| x.recip()),
            Code::Call(Function::Abs) => one!(|x| x.abs()),
            Code::Call(Function::Round) => one!(|x| x.round()),
            Code::Call(function) => call::<V>(token, function, to, x),
        }
    }
}

/// A function of a block, which takes so long that a call costs little beside it.
#[inline(never)]
fn call<V: Vector>(token: V::Token, function: Function, to: &mut [V::T], x: &[V::T]) {
    V::vectorize(
        token,
        #[inline(always)]
        || {
            // a chain of operations long enough to wait for
            macro_rules! apply {
                (|$x:ident| $result:expr) => {
                    if V::LEN > 1 {
                        map_four::<V>(
                            token,
                            to,
                            x,
                            #[inline(always)]
                            |$x| $result,
                        )
                    } else {
                        map1::<V>(
                            token,
                            to,
                            x,
                            #[inline(always)]
                            |$x| $result,
                        )
                    }
                };
            }
            match function {
                Function::Exp => apply!(|x| x.exp()),
                Function::Exp2 => apply!(|x| (x * x.lit(std::f64::consts::LN_2)).exp()),
                Function::Ln => apply!(|x| x.ln()),
                Function::ExpM1 => apply!(|x| x.exp_m1()),
                Function::Ln1p => apply!(|x| x.ln_1p()),
                Function::Sin => apply!(|x| x.sin()),
                Function::Cos => apply!(|x| x.cos()),
                Function::Sqrt | Function::Rsqrt | Function::Recip | Function::Abs | Function::Round => {
                    unreachable!("the tape's own operations")
                }
            }
        },
    );
}

#[inline(always)]
fn map1<V: Vector>(token: V::Token, to: &mut [V::T], x: &[V::T], f: impl Fn(V) -> V) {
    for (to, x) in to.chunks_exact_mut(UNROLL * V::LEN).zip(x.chunks_exact(UNROLL * V::LEN)) {
        let x = load::<V>(token, x);
        store(to, [f(x[0]), f(x[1]), f(x[2]), f(x[3])]);
    }
}

/// As [`map1`], operation by operation for all vectors of a turn.
#[inline(always)]
fn map_four<V: Vector>(token: V::Token, to: &mut [V::T], x: &[V::T], f: impl Fn(Interleaved4<V>) -> Interleaved4<V>) {
    const { assert!(Interleaved4::<V>::LEN == UNROLL * V::LEN) }
    for (to, x) in to.chunks_exact_mut(Interleaved4::<V>::LEN).zip(x.chunks_exact(Interleaved4::<V>::LEN)) {
        f(Interleaved4::<V>::load(token, x)).store(to);
    }
}

#[inline(always)]
fn map2<V: Vector>(token: V::Token, to: &mut [V::T], x: &[V::T], y: &[V::T], f: impl Fn(V, V) -> V) {
    let turns = to.chunks_exact_mut(UNROLL * V::LEN).zip(x.chunks_exact(UNROLL * V::LEN));
    for ((to, x), y) in turns.zip(y.chunks_exact(UNROLL * V::LEN)) {
        let (x, y) = (load::<V>(token, x), load::<V>(token, y));
        store(to, [f(x[0], y[0]), f(x[1], y[1]), f(x[2], y[2]), f(x[3], y[3])]);
    }
}

#[inline(always)]
fn map3<V: Vector>(token: V::Token, to: &mut [V::T], x: &[V::T], y: &[V::T], z: &[V::T], f: impl Fn(V, V, V) -> V) {
    let turns = to.chunks_exact_mut(UNROLL * V::LEN).zip(x.chunks_exact(UNROLL * V::LEN));
    for (((to, x), y), z) in turns.zip(y.chunks_exact(UNROLL * V::LEN)).zip(z.chunks_exact(UNROLL * V::LEN)) {
        let (x, y, z) = (load::<V>(token, x), load::<V>(token, y), load::<V>(token, z));
        store(to, [f(x[0], y[0], z[0]), f(x[1], y[1], z[1]), f(x[2], y[2], z[2]), f(x[3], y[3], z[3])]);
    }
}

#[inline(always)]
pub(super) fn load<V: Vector>(token: V::Token, from: &[V::T]) -> [V; UNROLL] {
    const { assert!(UNROLL == 4) }
    [
        V::load(token, &from[..V::LEN]),
        V::load(token, &from[V::LEN..2 * V::LEN]),
        V::load(token, &from[2 * V::LEN..3 * V::LEN]),
        V::load(token, &from[3 * V::LEN..4 * V::LEN]),
    ]
}

#[inline(always)]
fn store<V: Vector>(to: &mut [V::T], from: [V; UNROLL]) {
    from[0].store(&mut to[..V::LEN]);
    from[1].store(&mut to[V::LEN..2 * V::LEN]);
    from[2].store(&mut to[2 * V::LEN..3 * V::LEN]);
    from[3].store(&mut to[3 * V::LEN..4 * V::LEN]);
}
