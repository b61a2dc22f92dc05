//! Power series: a function of one number, or of several, with its derivatives, by Taylor-mode differentiation.
//!
//! A number is replaced by the coefficients of a power series in t, truncated at some order, and every operation by the one
//! on series [Griewank 2008, ch. 13]. A program that computes f from s then computes from the series s + h t the
//! coefficients
//!
//! ```text
//! f(s + h t) = sum_k c_k t^k,    c_k = f^(k)(s) h^k / k!
//! ```
//!
//! of any order at once, exact but for rounding. With several numbers s_1 + h t_1, s_2 + h t_2, ... the coefficients are those
//! of the monomials in t_1, t_2, ...; in the recurrences, which come from y' = f'(a) a', the derivative is then
//! t_1 d/dt_1 + t_2 d/dt_2 + ..., which multiplies a coefficient by its degree. The cost of an operation is that of a product:
//! the square of the order at most for one number. Series are `[coefficient][lane]`, so that several points are differentiated
//! side by side.

use super::graph::Function;
use super::graph::program::{Arg, Class, Op, Program};
use crate::simd::Vector;
use std::ops::Range;

/// An operand: a constant or an earlier series, negated if so marked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Constant(f64),
    Series { place: usize, negative: bool },
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Add,
    Mul,
    Div,
    Fma,
    Call(Function),
}

/// An operation on series, whose result has the next place.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) operation: Operation,
    pub(super) args: [Operand; 3],
    /// Of the first two operands the highest degree, beyond which all coefficients are 0.
    degrees: [usize; 2],
}

/// The degree of a series that does not end.
const ENDLESS: usize = usize::MAX;

/// The coefficients of a truncated series: their order, and which are multiplied.
pub trait Shape: Copy {
    /// How many there are.
    fn count(self) -> usize;

    /// The degree of one.
    fn degree(self, n: usize) -> usize;

    /// The coefficient of the monomial that is number `input` itself.
    fn unit(self, input: usize) -> usize;

    /// Calls `f` with k and m for all monomials k that divide the monomial n, and the quotient m, for k of the degrees, in
    /// ascending order.
    fn products(self, n: usize, degrees: Range<usize>, f: impl FnMut(usize, usize));
}

/// Series in one number, up to an order.
#[derive(Clone, Copy, Debug)]
pub struct Line(pub usize);

impl Shape for Line {
    #[inline(always)]
    fn count(self) -> usize {
        self.0 + 1
    }

    #[inline(always)]
    fn degree(self, n: usize) -> usize {
        n
    }

    #[inline(always)]
    fn unit(self, _input: usize) -> usize {
        1
    }

    #[inline(always)]
    fn products(self, n: usize, degrees: Range<usize>, mut f: impl FnMut(usize, usize)) {
        for k in degrees.start..degrees.end.min(n + 1) {
            f(k, n - k);
        }
    }
}

/// The functions of a program of numbers of i, as functions of series.
#[derive(Clone, Debug)]
pub struct Series {
    /// How many numbers there are.
    inputs: usize,
    pub(super) steps: Vec<Step>,
    /// The factors of each function; without any it is 0.
    pub(super) functions: Vec<[Operand; 2]>,
}

impl Series {
    /// The functions that a program's folds are, for some parameters, of as many numbers as are said. Conditions, minima and
    /// absolute values must not depend on the numbers.
    pub fn new(program: &Program, inputs: usize, par: &[f64]) -> Self {
        let known = program.known(0.0, |k| par[k]);
        let mut places: Vec<usize> = Vec::with_capacity(program.values.len());
        let mut steps = Vec::new();
        // of each place; the numbers are linear
        let mut degrees = vec![1; inputs];
        let of = |places: &[usize], arg: Arg| match program.values[arg.value].class {
            Class::PAR => Operand::Constant(if arg.negative { -known[arg.value] } else { known[arg.value] }),
            _ => Operand::Series { place: places[arg.value], negative: arg.negative },
        };
        for value in &program.values {
            let operation = match value.op {
                _ if value.class == Class::PAR => None,
                Op::Add => Some(Operation::Add),
                Op::Mul => Some(Operation::Mul),
                Op::Div => Some(Operation::Div),
                Op::Fma => Some(Operation::Fma),
                Op::Call(f) => Some(Operation::Call(f)),
                _ => None,
            };
            // the numbers themselves have the first places
            places.push(match value.op {
                Op::Input(_, number) if operation.is_none() => number,
                _ => inputs + steps.len(),
            });
            if let Some(operation) = operation {
                let arg = |k: usize| value.args.get(k).map_or(Operand::Constant(0.0), |arg| of(&places, *arg));
                let args = [arg(0), arg(1), arg(2)];
                let [a, b, c]: [usize; 3] = args.map(|operand| match operand {
                    Operand::Constant(_) => 0,
                    Operand::Series { place, .. } => degrees[place],
                });
                degrees.push(match operation {
                    Operation::Add => a.max(b),
                    Operation::Mul => a.saturating_add(b),
                    Operation::Fma => a.saturating_add(b).max(c),
                    Operation::Div if b == 0 => a,
                    Operation::Div | Operation::Call(_) => ENDLESS,
                });
                steps.push(Step { operation, args, degrees: [a, b] });
            }
        }
        let mut functions = vec![[Operand::Constant(0.0), Operand::Constant(1.0)]; program.folds.len()];
        for fold in &program.folds {
            let second = fold.args.get(1).map_or(Operand::Constant(1.0), |arg| of(&places, *arg));
            functions[fold.slot] = [of(&places, fold.args[0]), second];
        }
        Series { inputs, steps, functions }
    }

    /// How many functions there are.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Numbers of one lane that [`run`](Self::run) needs for series of this many coefficients.
    pub fn work(&self, count: usize) -> usize {
        (self.steps.len() + self.inputs + 4) * count
    }

    /// The series of s + h t, for each number, through all steps.
    #[inline(always)]
    pub fn run<V: Vector, S: Shape>(&self, token: V::Token, shape: S, at: &[[V; 2]], work: &mut [V::T]) {
        let size = shape.count() * V::LEN;
        let zero = V::splat(token, V::T::default());
        let (spare, series) = work.split_at_mut(4 * size);
        for (input, ([s, h], to)) in at.iter().zip(series.chunks_exact_mut(size)).enumerate() {
            to.fill(V::T::default());
            put(*s, to, 0);
            if shape.count() > 1 {
                put(*h, to, shape.unit(input));
            }
        }
        for (k, step) in self.steps.iter().enumerate() {
            let (before, to) = series.split_at_mut((k + self.inputs) * size);
            let to = &mut to[..size];
            // operands that are constants or negated are written out
            let mut written = spare.chunks_exact_mut(size);
            let [a, b, c] = step.args.map(|operand| place::<V>(zero, operand, before, size, written.next()));
            match step.operation {
                Operation::Add => add::<V>(token, a, b, to),
                Operation::Mul => {
                    to.fill(V::T::default());
                    add_product::<V, S>(token, shape, [a, b], step.degrees, to);
                }
                Operation::Fma => {
                    to.copy_from_slice(c);
                    add_product::<V, S>(token, shape, [a, b], step.degrees, to);
                }
                Operation::Div => divide::<V, S>(token, shape, [a, b], step.degrees[1], to),
                Operation::Call(f) => {
                    let other = written.next().unwrap_or_default();
                    call::<V, S>(token, shape, f, (a, step.degrees[0]), to, other);
                }
            }
        }
    }

    /// Coefficient n of a function, after [`run`](Self::run) with this shape.
    #[inline(always)]
    pub fn coefficient<V: Vector, S: Shape>(
        &self,
        token: V::Token,
        shape: S,
        function: usize,
        n: usize,
        work: &[V::T],
    ) -> V {
        let zero = V::splat(token, V::T::default());
        let size = shape.count() * V::LEN;
        let of = |operand: Operand, k: usize| match operand {
            Operand::Constant(x) if k == 0 => zero.lit(x),
            Operand::Constant(_) => zero,
            Operand::Series { place, negative } => {
                let x = V::load(token, &work[(4 + place) * size + k * V::LEN..]);
                if negative { -x } else { x }
            }
        };
        let [a, b] = self.functions[function];
        match b {
            Operand::Constant(factor) => of(a, n) * zero.lit(factor),
            _ => {
                let mut sum = zero;
                shape.products(n, 0..ENDLESS, |k, m| sum = of(a, k).fma(of(b, m), sum));
                sum
            }
        }
    }
}

/// Where an operand's series is.
#[inline(always)]
fn place<'a, V: Vector>(
    zero: V,
    operand: Operand,
    series: &'a [V::T],
    size: usize,
    spare: Option<&'a mut [V::T]>,
) -> &'a [V::T] {
    let spare = spare.unwrap_or_default();
    match operand {
        Operand::Series { place, negative: false } => &series[place * size..(place + 1) * size],
        Operand::Series { place, negative: true } => {
            let from = &series[place * size..(place + 1) * size];
            spare.iter_mut().zip(from).for_each(|(to, from)| *to = -*from);
            spare
        }
        Operand::Constant(x) => {
            spare.fill(V::T::default());
            zero.lit(x).store(spare);
            spare
        }
    }
}

/// Coefficient k.
#[inline(always)]
fn at<V: Vector>(token: V::Token, from: &[V::T], k: usize) -> V {
    V::load(token, &from[k * V::LEN..(k + 1) * V::LEN])
}

#[inline(always)]
fn put<V: Vector>(value: V, to: &mut [V::T], k: usize) {
    value.store(&mut to[k * V::LEN..(k + 1) * V::LEN]);
}

/// sum of a_k b_m over the products k m that are n, for k of the degrees.
#[inline(always)]
fn convolved<V: Vector, S: Shape>(
    token: V::Token,
    shape: S,
    [a, b]: [&[V::T]; 2],
    n: usize,
    degrees: Range<usize>,
) -> V {
    let mut sum = V::splat(token, V::T::default());
    shape.products(n, degrees, |k, m| sum = at::<V>(token, a, k).fma(at(token, b, m), sum));
    sum
}

/// sum of |k| a_k b_m over the products k m that are n, with |k| the degree of k, for k of the degrees.
#[inline(always)]
fn weighted<V: Vector, S: Shape>(
    token: V::Token,
    shape: S,
    [a, b]: [&[V::T]; 2],
    n: usize,
    degrees: Range<usize>,
) -> V {
    let mut sum = V::splat(token, V::T::default());
    shape.products(n, degrees, |k, m| {
        sum = (at::<V>(token, a, k) * sum.lit(shape.degree(k) as f64)).fma(at(token, b, m), sum);
    });
    sum
}

/// From degree 1 to the highest of an operand.
#[inline(always)]
fn inner(highest: usize) -> Range<usize> {
    1..highest.saturating_add(1)
}

/// 1 / |n|.
#[inline(always)]
fn part<V: Vector, S: Shape>(like: V, shape: S, n: usize) -> V {
    like.lit(1.0 / shape.degree(n) as f64)
}

#[inline(always)]
fn add<V: Vector>(token: V::Token, a: &[V::T], b: &[V::T], to: &mut [V::T]) {
    for n in 0..to.len() / V::LEN {
        put(at::<V>(token, a, n) + at(token, b, n), to, n);
    }
}

#[inline(always)]
fn add_product<V: Vector, S: Shape>(
    token: V::Token,
    shape: S,
    [a, b]: [&[V::T]; 2],
    [highest, other]: [usize; 2],
    to: &mut [V::T],
) {
    for n in 0..shape.count() {
        let degrees = shape.degree(n).saturating_sub(other)..highest.saturating_add(1);
        put(at::<V>(token, to, n) + convolved::<V, S>(token, shape, [a, b], n, degrees), to, n);
    }
}

/// q_n = (a_n - sum_{k > 1} b_k q_m) / b_1, with b of a degree.
#[inline(always)]
fn divide<V: Vector, S: Shape>(token: V::Token, shape: S, [a, b]: [&[V::T]; 2], highest: usize, to: &mut [V::T]) {
    let inverse = at::<V>(token, b, 0).recip();
    put(at::<V>(token, a, 0) / at(token, b, 0), to, 0);
    for n in 1..shape.count() {
        let rest = at::<V>(token, a, n) - convolved::<V, S>(token, shape, [b, to], n, inner(highest));
        put(rest * inverse, to, n);
    }
}

/// A series and its highest degree.
type Bounded<'a, V> = (&'a [<V as Vector>::T], usize);

/// y = a^power, from its coefficient 0: |n| a_0 y_n = sum_{k > 1} (power |k| - |m|) a_k y_m.
#[inline(always)]
fn power<V: Vector, S: Shape>(token: V::Token, shape: S, power: f64, first: V, a: Bounded<'_, V>, to: &mut [V::T]) {
    let (a, highest) = a;
    let inverse = at::<V>(token, a, 0).recip();
    put(first, to, 0);
    for n in 1..shape.count() {
        let mut sum = V::splat(token, V::T::default());
        shape.products(n, inner(highest), |k, m| {
            let factor = sum.lit(power * shape.degree(k) as f64 - shape.degree(m) as f64);
            sum = (at::<V>(token, a, k) * factor).fma(at(token, to, m), sum);
        });
        put(sum * inverse * part(sum, shape, n), to, n);
    }
}

/// |n| e_n = sum_{k > 1} |k| a_k e_m.
#[inline(always)]
fn exponential<V: Vector, S: Shape>(token: V::Token, shape: S, first: V, a: Bounded<'_, V>, to: &mut [V::T]) {
    let (a, highest) = a;
    put(first, to, 0);
    for n in 1..shape.count() {
        put(weighted::<V, S>(token, shape, [a, to], n, inner(highest)) * part(first, shape, n), to, n);
    }
}

/// |n| a_0 l_n = |n| a_n - sum_{k > 1, m > 1} |k| l_k a_m, with `shift` added to a_0.
#[inline(always)]
fn logarithm<V: Vector, S: Shape>(
    token: V::Token,
    shape: S,
    [first, shift]: [V; 2],
    a: Bounded<'_, V>,
    to: &mut [V::T],
) {
    let (a, highest) = a;
    let inverse = (at::<V>(token, a, 0) + shift).recip();
    put(first, to, 0);
    for n in 1..shape.count() {
        let degrees = shape.degree(n).saturating_sub(highest).max(1)..shape.degree(n);
        let sum = weighted::<V, S>(token, shape, [to, a], n, degrees) * part(first, shape, n);
        put((at::<V>(token, a, n) - sum) * inverse, to, n);
    }
}

/// Sine and cosine: |n| s_n = sum |k| a_k c_m, |n| c_n = -sum |k| a_k s_m.
#[inline(always)]
fn sine<V: Vector, S: Shape>(token: V::Token, shape: S, a: Bounded<'_, V>, sin: &mut [V::T], cos: &mut [V::T]) {
    let (a, highest) = a;
    let first = at::<V>(token, a, 0);
    put(first.sin(), sin, 0);
    put(first.cos(), cos, 0);
    for n in 1..shape.count() {
        let s = weighted::<V, S>(token, shape, [a, cos], n, inner(highest));
        let c = weighted::<V, S>(token, shape, [a, sin], n, inner(highest));
        put(s * part(first, shape, n), sin, n);
        put(-(c * part(first, shape, n)), cos, n);
    }
}

#[inline(always)]
fn call<V: Vector, S: Shape>(
    token: V::Token,
    shape: S,
    f: Function,
    a: Bounded<'_, V>,
    to: &mut [V::T],
    other: &mut [V::T],
) {
    let first = at::<V>(token, a.0, 0);
    match f {
        Function::Sqrt => power(token, shape, 0.5, first.sqrt(), a, to),
        Function::Rsqrt => power(token, shape, -0.5, first.rsqrt(), a, to),
        Function::Recip => power(token, shape, -1.0, first.recip(), a, to),
        Function::Exp => exponential(token, shape, first.exp(), a, to),
        Function::Exp2 => {
            let factor = first.lit(std::f64::consts::LN_2);
            for n in 0..shape.count() {
                put(at::<V>(token, a.0, n) * factor, other, n);
            }
            exponential(token, shape, at::<V>(token, other, 0).exp(), (other, a.1), to);
        }
        Function::ExpM1 => {
            exponential(token, shape, first.exp(), a, to);
            put(first.exp_m1(), to, 0);
        }
        Function::Ln => logarithm(token, shape, [first.ln(), first.lit(0.0)], a, to),
        Function::Ln1p => logarithm(token, shape, [first.ln_1p(), first.lit(1.0)], a, to),
        Function::Sin => sine::<V, S>(token, shape, a, to, other),
        Function::Cos => sine::<V, S>(token, shape, a, other, to),
        // where they are smooth, `abs` has one sign and `round` is constant; a radial law contains neither
        Function::Abs | Function::Round => to.fill(V::T::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Law, Radial};
    use super::*;
    use crate::simd::Scalar;

    /// The coefficients of the first function of a law.
    fn series(text: &str, order: usize, s: f64, h: f64) -> Vec<f64> {
        let radial = Radial::of(&Law::parse(text).unwrap()).unwrap();
        let series = Series::new(&radial.functions, 1, &[]);
        let mut work = vec![0.0; series.work(order + 1)];
        series.run::<f64, _>(Scalar, Line(order), &[[s, h]], &mut work);
        (0..=order).map(|k| series.coefficient::<f64, _>(Scalar, Line(order), 0, k, &work)).collect()
    }

    /// Polynomials in t at a small t are the function there: every operation, to order 12.
    #[test]
    fn series_sum_to_the_function() {
        type Plain = fn(f64) -> f64;
        let cases: [(&str, Plain); 13] = [
            ("1 / s", |s| 1.0 / s),
            ("sqrt(s)", f64::sqrt),
            ("rsqrt(s)", |s| 1.0 / s.sqrt()),
            ("exp(-s)", |s| (-s).exp()),
            ("ln(s)", f64::ln),
            ("expm1(-s)", |s| (-s).exp_m1()),
            ("log1p(s)", f64::ln_1p),
            ("sin(s)", f64::sin),
            ("cos(s)", f64::cos),
            ("exp(-norm(d)) / norm(d)", |s| (-s.sqrt()).exp() / s.sqrt()),
            ("(1 + 3 * norm(d)) * exp(-3 * norm(d))", |s| (1.0 + 3.0 * s.sqrt()) * (-3.0 * s.sqrt()).exp()),
            ("(2 - s * s) / (s + 0.5)", |s| (2.0 - s * s) / (s + 0.5)),
            ("-(s * s + 1) * s - s", |s| -(s * s + 1.0) * s - s),
        ];
        for (text, plain) in cases {
            let text = format!("body x[3]; d = i.x - j.x; s = dot(d, d); sum p = {text}; self exclude");
            for s in [0.7, 2.0] {
                let coefficients = series(&text, 12, s, 0.1);
                for t in [-1.0, 0.5, 1.0] {
                    let found = coefficients.iter().rev().fold(0.0, |sum, c| sum * t + c);
                    let exact = plain(s + 0.1 * t);
                    // the terms that are cut off are below (0.1 / 0.7)^13 / (1 - 0.1 / 0.7), and some roundings
                    assert!((found - exact).abs() < 2e-11 * exact.abs().max(1.0), "{text} at {s}: {found} {exact}");
                }
            }
        }
    }

    /// Derivatives of 1/sqrt(s) in closed form: c_k = (-1)^k (2k-1)!! / (2k)!! s^(-1/2-k) h^k.
    #[test]
    fn coefficients_are_derivatives() {
        let (s, h) = (1.7, 0.9);
        let found = series("body x[3]; d = i.x - j.x; sum p = rsqrt(dot(d, d)); self exclude", 12, s, h);
        let mut exact = 1.0 / f64::sqrt(s);
        for (k, found) in found.into_iter().enumerate() {
            assert!((found - exact).abs() <= 1e-14 * exact.abs(), "{k}: {found} {exact}"); // a rounding or two each
            exact *= -((2 * k + 1) as f64) / ((2 * k + 2) as f64) * h / s;
        }
    }
}
