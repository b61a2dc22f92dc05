//! Power series: a function of one number with its derivatives, by Taylor-mode differentiation.
//!
//! A number is replaced by the coefficients of a power series in t, truncated at some order, and every operation by the one
//! on series [Griewank 2008, ch. 13]. A program that computes f from s then computes from the series s + h t the
//! coefficients
//!
//! ```text
//! f(s + h t) = sum_k c_k t^k,    c_k = f^(k)(s) h^k / k!
//! ```
//!
//! of any order at once, exact but for rounding. The cost of an operation is the square of the order at most. Series are
//! `[coefficient][lane]`, so that several points are differentiated side by side.

use super::graph::Function;
use super::graph::program::{Arg, Class, Op, Program};
use crate::simd::Vector;

/// An operand: a constant or an earlier series, negated if so marked.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Constant(f64),
    Series { place: usize, negative: bool },
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Add,
    Mul,
    Div,
    Fma,
    Call(Function),
}

/// An operation on series, whose result has the next place.
#[derive(Clone, Debug)]
struct Step {
    operation: Operation,
    args: [Operand; 3],
}

/// The functions of a program of number 0 of i, as functions of series.
#[derive(Clone, Debug)]
pub struct Series {
    steps: Vec<Step>,
    /// The factors of each function; without any it is 0.
    functions: Vec<[Operand; 2]>,
}

impl Series {
    /// The functions that a program's folds are, for some parameters. Conditions, minima and absolute values must not depend on
    /// the number.
    pub fn new(program: &Program, par: &[f64]) -> Self {
        let known = program.known(0.0, |k| par[k]);
        let mut places: Vec<usize> = Vec::with_capacity(program.values.len());
        let mut steps = Vec::new();
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
            // the number itself has the first place
            places.push(if operation.is_some() { 1 + steps.len() } else { 0 });
            if let Some(operation) = operation {
                let arg = |k: usize| value.args.get(k).map_or(Operand::Constant(0.0), |arg| of(&places, *arg));
                steps.push(Step { operation, args: [arg(0), arg(1), arg(2)] });
            }
        }
        let mut functions = vec![[Operand::Constant(0.0), Operand::Constant(1.0)]; program.folds.len()];
        for fold in &program.folds {
            let second = fold.args.get(1).map_or(Operand::Constant(1.0), |arg| of(&places, *arg));
            functions[fold.slot] = [of(&places, fold.args[0]), second];
        }
        Series { steps, functions }
    }

    /// How many functions there are.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Numbers of one lane that [`run`](Self::run) needs at an order.
    pub fn work(&self, order: usize) -> usize {
        (self.steps.len() + 5) * (order + 1)
    }

    /// The series of s + h t through all steps.
    #[inline(always)]
    pub fn run<V: Vector>(&self, token: V::Token, order: usize, s: V, h: V, work: &mut [V::T]) {
        let size = (order + 1) * V::LEN;
        let zero = V::splat(token, V::T::default());
        let (spare, series) = work.split_at_mut(4 * size);
        series[..size].fill(V::T::default());
        s.store(series);
        if order > 0 {
            h.store(&mut series[V::LEN..]);
        }
        for (k, step) in self.steps.iter().enumerate() {
            let (before, to) = series.split_at_mut((k + 1) * size);
            let to = &mut to[..size];
            // operands that are constants or negated are written out
            let mut written = spare.chunks_exact_mut(size);
            let [a, b, c] = step.args.map(|operand| place::<V>(zero, operand, before, size, written.next()));
            match step.operation {
                Operation::Add => add::<V>(token, a, b, to),
                Operation::Mul => {
                    to.fill(V::T::default());
                    add_product::<V>(token, a, b, to);
                }
                Operation::Fma => {
                    to.copy_from_slice(c);
                    add_product::<V>(token, a, b, to);
                }
                Operation::Div => divide::<V>(token, a, b, to),
                Operation::Call(f) => {
                    let other = written.next().unwrap_or_default();
                    call::<V>(token, f, a, to, other);
                }
            }
        }
    }

    /// Coefficient k of a function, after [`run`](Self::run) at the order.
    #[inline(always)]
    pub fn coefficient<V: Vector>(&self, token: V::Token, order: usize, function: usize, k: usize, work: &[V::T]) -> V {
        let zero = V::splat(token, V::T::default());
        let size = (order + 1) * V::LEN;
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
            Operand::Constant(factor) => of(a, k) * zero.lit(factor),
            _ => (0..=k).fold(zero, |sum, m| of(a, m).fma(of(b, k - m), sum)),
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

/// sum of a_m b_{k-m} for m from `first` to `last`.
#[inline(always)]
fn convolved<V: Vector>(token: V::Token, a: &[V::T], b: &[V::T], k: usize, first: usize, last: usize) -> V {
    let mut sum = V::splat(token, V::T::default());
    for m in first..=last {
        sum = at::<V>(token, a, m).fma(at(token, b, k - m), sum);
    }
    sum
}

/// sum of m a_m b_{k-m} for m from 1 to `last`.
#[inline(always)]
fn weighted<V: Vector>(token: V::Token, a: &[V::T], b: &[V::T], k: usize, last: usize) -> V {
    let mut sum = V::splat(token, V::T::default());
    for m in 1..=last {
        sum = (at::<V>(token, a, m) * sum.lit(m as f64)).fma(at(token, b, k - m), sum);
    }
    sum
}

#[inline(always)]
fn add<V: Vector>(token: V::Token, a: &[V::T], b: &[V::T], to: &mut [V::T]) {
    for k in 0..to.len() / V::LEN {
        put(at::<V>(token, a, k) + at(token, b, k), to, k);
    }
}

#[inline(always)]
fn add_product<V: Vector>(token: V::Token, a: &[V::T], b: &[V::T], to: &mut [V::T]) {
    for k in 0..to.len() / V::LEN {
        put(at::<V>(token, to, k) + convolved::<V>(token, a, b, k, 0, k), to, k);
    }
}

/// q_k = (a_k - sum_{m=1..k} b_m q_{k-m}) / b_0.
#[inline(always)]
fn divide<V: Vector>(token: V::Token, a: &[V::T], b: &[V::T], to: &mut [V::T]) {
    let inverse = at::<V>(token, b, 0).recip();
    put(at::<V>(token, a, 0) / at(token, b, 0), to, 0);
    for k in 1..to.len() / V::LEN {
        let rest = at::<V>(token, a, k) - convolved::<V>(token, b, to, k, 1, k);
        put(rest * inverse, to, k);
    }
}

/// y = a^power, from its coefficient 0: k a_0 y_k = sum_{m=1..k} (power m - (k - m)) a_m y_{k-m}.
#[inline(always)]
fn power<V: Vector>(token: V::Token, power: f64, first: V, a: &[V::T], to: &mut [V::T]) {
    let inverse = at::<V>(token, a, 0).recip();
    put(first, to, 0);
    for k in 1..to.len() / V::LEN {
        let mut sum = V::splat(token, V::T::default());
        for m in 1..=k {
            let factor = sum.lit(power * m as f64 - (k - m) as f64);
            sum = (at::<V>(token, a, m) * factor).fma(at(token, to, k - m), sum);
        }
        put(sum * inverse * sum.lit(1.0 / k as f64), to, k);
    }
}

/// k e_k = sum_{m=1..k} m a_m e_{k-m}.
#[inline(always)]
fn exponential<V: Vector>(token: V::Token, first: V, a: &[V::T], to: &mut [V::T]) {
    put(first, to, 0);
    for k in 1..to.len() / V::LEN {
        put(weighted::<V>(token, a, to, k, k) * first.lit(1.0 / k as f64), to, k);
    }
}

/// k a_0 l_k = k a_k - sum_{m=1..k-1} m l_m a_{k-m}, with `shift` added to a_0.
#[inline(always)]
fn logarithm<V: Vector>(token: V::Token, first: V, shift: f64, a: &[V::T], to: &mut [V::T]) {
    let inverse = (at::<V>(token, a, 0) + first.lit(shift)).recip();
    put(first, to, 0);
    for k in 1..to.len() / V::LEN {
        let sum = weighted::<V>(token, to, a, k, k - 1) * first.lit(1.0 / k as f64);
        put((at::<V>(token, a, k) - sum) * inverse, to, k);
    }
}

/// Sine and cosine: k s_k = sum m a_m c_{k-m}, k c_k = -sum m a_m s_{k-m}.
#[inline(always)]
fn sine<V: Vector>(token: V::Token, a: &[V::T], sin: &mut [V::T], cos: &mut [V::T]) {
    let first = at::<V>(token, a, 0);
    put(first.sin(), sin, 0);
    put(first.cos(), cos, 0);
    for k in 1..sin.len() / V::LEN {
        let (s, c) = (weighted::<V>(token, a, cos, k, k), weighted::<V>(token, a, sin, k, k));
        put(s * first.lit(1.0 / k as f64), sin, k);
        put(c * first.lit(-1.0 / k as f64), cos, k);
    }
}

#[inline(always)]
fn call<V: Vector>(token: V::Token, f: Function, a: &[V::T], to: &mut [V::T], other: &mut [V::T]) {
    let first = at::<V>(token, a, 0);
    match f {
        Function::Sqrt => power(token, 0.5, first.sqrt(), a, to),
        Function::Rsqrt => power(token, -0.5, first.rsqrt(), a, to),
        Function::Recip => power(token, -1.0, first.recip(), a, to),
        Function::Exp => exponential(token, first.exp(), a, to),
        Function::Exp2 => {
            let factor = first.lit(std::f64::consts::LN_2);
            for k in 0..to.len() / V::LEN {
                put(at::<V>(token, a, k) * factor, other, k);
            }
            exponential(token, at::<V>(token, other, 0).exp(), other, to);
        }
        Function::ExpM1 => {
            exponential(token, first.exp(), a, to);
            put(first.exp_m1(), to, 0);
        }
        Function::Ln => logarithm(token, first.ln(), 0.0, a, to),
        Function::Ln1p => logarithm(token, first.ln_1p(), 1.0, a, to),
        Function::Sin => sine::<V>(token, a, to, other),
        Function::Cos => sine::<V>(token, a, other, to),
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
        let series = Series::new(&radial.functions, &[]);
        let mut work = vec![0.0; series.work(order)];
        series.run::<f64>(Scalar, order, s, h, &mut work);
        (0..=order).map(|k| series.coefficient::<f64>(Scalar, order, 0, k, &work)).collect()
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
