//! Series as text: statements that compute the coefficients, for the kernels of GPUs.
//!
//! The recurrences are those of [`Series::run`], written out for one order. The statements are what CUDA C++ and WGSL share:
//! `const real c1 = m_fma(c0, s, real(2.0));`. What is 0 or another constant is not computed, and numbers that are powers of the
//! distance are products of one inverse square root: GPUs compute roots and quotients at an eighth of the rate of products.

use super::graph::Function;
use super::series::{Line, Operand, Operation, Series};
use crate::simd::Scalar;
use std::collections::HashMap;

/// Statements, and what they compute.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    /// One after the other.
    pub lines: Vec<String>,
    /// Of each function the coefficients: names or numbers.
    pub coefficients: Vec<Vec<String>>,
}

/// A number of the text.
#[derive(Clone, Debug, PartialEq)]
enum Number {
    Constant(f64),
    Name(String),
    Power(Power),
}

/// factor r^roots h^steps with r the square root of the series' number, and h its step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Power {
    factor: f64,
    roots: i32,
    steps: i32,
}

use Number::{Constant, Name};

const ZERO: Number = Constant(0.0);

impl Number {
    /// As a power, which a constant is, too.
    fn power(&self) -> Option<Power> {
        match self {
            Constant(factor) => Some(Power { factor: *factor, roots: 0, steps: 0 }),
            Name(_) => None,
            Number::Power(power) => Some(*power),
        }
    }
}

impl From<Power> for Number {
    fn from(power: Power) -> Self {
        let Power { factor, roots, steps } = power;
        if factor == 0.0 || (roots, steps) == (0, 0) { Constant(factor) } else { Number::Power(power) }
    }
}

impl Power {
    /// A root or the inverse, where that is a power, too.
    fn of(self, f: Function) -> Option<Power> {
        let Power { factor, roots, steps } = self;
        let has_root = factor > 0.0 && roots % 2 == 0 && steps % 2 == 0;
        match f {
            Function::Recip if factor != 0.0 => Some(Power { factor: 1.0 / factor, roots: -roots, steps: -steps }),
            Function::Sqrt if has_root => Some(Power { factor: factor.sqrt(), roots: roots / 2, steps: steps / 2 }),
            Function::Rsqrt => self.of(Function::Sqrt)?.of(Function::Recip),
            _ => None,
        }
    }

    fn times(self, other: Power) -> Power {
        let Power { factor, roots, steps } = other;
        Power { factor: self.factor * factor, roots: self.roots + roots, steps: self.steps + steps }
    }
}

/// Writes statements.
struct Writer<'a> {
    /// The names of the series' number and of its step.
    at: [&'a str; 2],
    lines: Vec<String>,
    call: &'a dyn Fn(Function, &str) -> String,
    /// The names of what was written by other texts.
    known: HashMap<String, Number>,
}

impl Writer<'_> {
    /// The text of a number.
    fn text(&mut self, number: &Number) -> String {
        match number {
            Constant(x) => format!("real({x:?})"),
            Name(name) => name.clone(),
            Number::Power(Power { factor, roots, steps }) => {
                // by (h / r^2)^steps: powers of r and of h alone may be beyond the range of f32
                let mut text = self.root(roots + 2 * steps);
                let of_step = self.of_step(*steps);
                for other in [of_step, (*factor != 1.0).then(|| format!("real({factor:?})"))].into_iter().flatten() {
                    text = Some(match text {
                        Some(text) => self.once(&format!("{text} * {other}")),
                        None => other,
                    });
                }
                text.unwrap_or_else(|| "real(1.0)".into())
            }
        }
    }

    /// The name of a text that may be written already.
    fn once(&mut self, text: &str) -> String {
        let number = match self.known.get(text) {
            Some(number) => number.clone(),
            None => {
                let number = self.name(text);
                self.known.insert(text.into(), number.clone());
                number
            }
        };
        self.text(&number)
    }

    /// r^power; nothing where that is 1.
    fn root(&mut self, power: i32) -> Option<String> {
        let s = self.at[0].to_owned();
        match power {
            0 => None,
            -1 => {
                let text = (self.call)(Function::Rsqrt, &s);
                Some(self.once(&text))
            }
            1 => {
                let inverse = self.root(-1)?;
                let product = self.once(&format!("{s} * {inverse}"));
                // (0 times infinity)
                Some(self.once(&format!("m_where({s} > real(0.0), {product}, real(0.0))")))
            }
            2 => Some(s),
            _ => {
                // even powers of r are those of s
                let half = if power > 0 { power / 4 * 2 } else { power / 2 };
                let (a, b) = if half == 0 { (2, 1) } else { (half, power - half) };
                let (a, b) = (self.root(a)?, self.root(b)?);
                Some(self.once(&format!("{a} * {b}")))
            }
        }
    }

    /// (h / r^2)^power; nothing where that is 1.
    fn of_step(&mut self, power: i32) -> Option<String> {
        match power {
            i32::MIN..=0 => None,
            1 => {
                let (square, h) = (self.root(-2)?, self.at[1].to_owned());
                Some(self.once(&format!("{square} * {h}")))
            }
            _ => {
                let (a, b) = (self.of_step(power / 2)?, self.of_step(power - power / 2)?);
                Some(self.once(&format!("{a} * {b}")))
            }
        }
    }

    fn name(&mut self, text: &str) -> Number {
        let name = format!("c{}", self.lines.len());
        self.lines.push(format!("const real {name} = {text};"));
        Name(name)
    }

    fn add(&mut self, a: &Number, b: &Number) -> Number {
        match (a, b) {
            (Constant(0.0), other) | (other, Constant(0.0)) => other.clone(),
            _ => match (a.power(), b.power()) {
                (Some(a), Some(b)) if (a.roots, a.steps) == (b.roots, b.steps) => {
                    Power { factor: a.factor + b.factor, ..a }.into()
                }
                _ => {
                    let (a, b) = (self.text(a), self.text(b));
                    self.name(&format!("{a} + {b}"))
                }
            },
        }
    }

    fn mul(&mut self, a: &Number, b: &Number) -> Number {
        match (a, b) {
            (Constant(0.0), _) | (_, Constant(0.0)) => ZERO,
            (Constant(1.0), other) | (other, Constant(1.0)) => other.clone(),
            _ => match (a.power(), b.power()) {
                (Some(a), Some(b)) => a.times(b).into(),
                _ => {
                    let (a, b) = (self.text(a), self.text(b));
                    self.name(&format!("{a} * {b}"))
                }
            },
        }
    }

    /// a b + c.
    fn fma(&mut self, a: &Number, b: &Number, c: &Number) -> Number {
        match (a, b, c) {
            (Constant(0.0 | 1.0), ..) | (_, Constant(0.0 | 1.0), _) | (.., Constant(0.0)) => {
                let product = self.mul(a, b);
                self.add(&product, c)
            }
            _ if a.power().is_some() && b.power().is_some() => {
                let product = self.mul(a, b);
                self.add(&product, c)
            }
            _ => {
                let [a, b, c] = [a, b, c].map(|number| self.text(number));
                self.name(&format!("m_fma({a}, {b}, {c})"))
            }
        }
    }

    fn negative(&mut self, a: &Number) -> Number {
        self.mul(&Constant(-1.0), a)
    }

    fn call(&mut self, f: Function, a: &Number) -> Number {
        if let Some(power) = a.power().and_then(|a| a.of(f)) {
            return power.into();
        }
        let a = self.text(a);
        let text = (self.call)(f, &a);
        self.name(&text)
    }

    /// sum over k of factor(k) a_k b_(n - k), k from `first` on.
    fn convolved(&mut self, [a, b]: [&[Number]; 2], n: usize, first: usize, factor: impl Fn(usize) -> f64) -> Number {
        let mut sum = ZERO;
        for (k, own) in a.iter().enumerate().take(n + 1).skip(first) {
            let Some(other) = b.get(n - k) else { continue };
            let weighted = self.mul(&Constant(factor(k)), own);
            sum = self.fma(&weighted, other, &sum);
        }
        sum
    }

    fn divided(&mut self, a: &[Number], b: &[Number]) -> Vec<Number> {
        let inverse = self.call(Function::Recip, &b[0]);
        let first = match (&a[0], &b[0]) {
            (a, Name(b)) => {
                let a = self.text(a);
                self.name(&format!("{a} / {b}"))
            }
            (a, _) => self.mul(a, &inverse),
        };
        let (scaled, b) = (self.scaled(a, &inverse), self.scaled(b, &inverse));
        let mut to = vec![first];
        for (n, own) in scaled.iter().enumerate().skip(1) {
            let sum = self.convolved([&b, &to], n, 1, |_| -1.0);
            let next = self.add(own, &sum);
            to.push(next);
        }
        to
    }

    /// Coefficients from the first degree on times a number: relative to that of degree 0 they stay in the range of f32.
    fn scaled(&mut self, a: &[Number], by: &Number) -> Vec<Number> {
        let of = |(n, a): (usize, &Number)| if n == 0 { a.clone() } else { self.mul(a, by) };
        a.iter().enumerate().map(of).collect()
    }

    fn power(&mut self, power: f64, first: Number, a: &[Number]) -> Vec<Number> {
        let inverse = self.call(Function::Recip, &a[0]);
        let a = self.scaled(a, &inverse);
        let mut to = vec![first];
        for n in 1..a.len() {
            let next = self.convolved([&a, &to], n, 1, |k| (power * k as f64 - (n - k) as f64) / n as f64);
            to.push(next);
        }
        to
    }

    fn exponential(&mut self, first: Number, a: &[Number]) -> Vec<Number> {
        let mut to = vec![first];
        for n in 1..a.len() {
            let next = self.convolved([a, &to], n, 1, |k| k as f64 / n as f64);
            to.push(next);
        }
        to
    }

    fn logarithm(&mut self, first: Number, shift: f64, a: &[Number]) -> Vec<Number> {
        let shifted = self.add(&a[0], &Constant(shift));
        let inverse = self.call(Function::Recip, &shifted);
        let a = self.scaled(a, &inverse);
        let mut to = vec![first];
        for (n, own) in a.iter().enumerate().skip(1) {
            let mut sum = own.clone();
            for (k, known) in to.iter().enumerate().skip(1) {
                let weighted = self.mul(&Constant(-(k as f64) / n as f64), known);
                sum = self.fma(&weighted, &a[n - k], &sum);
            }
            to.push(sum);
        }
        to
    }

    /// Sine and cosine.
    fn sine(&mut self, a: &[Number]) -> [Vec<Number>; 2] {
        let mut sin = vec![self.call(Function::Sin, &a[0])];
        let mut cos = vec![self.call(Function::Cos, &a[0])];
        for n in 1..a.len() {
            let s = self.convolved([a, &cos], n, 1, |k| k as f64 / n as f64);
            let c = self.convolved([a, &sin], n, 1, |k| -(k as f64) / n as f64);
            sin.push(s);
            cos.push(c);
        }
        [sin, cos]
    }

    fn of_function(&mut self, f: Function, a: &[Number]) -> Vec<Number> {
        let zeros = || vec![ZERO; a.len()];
        match f {
            Function::Sqrt | Function::Rsqrt | Function::Recip => {
                let first = self.call(f, &a[0]);
                let power = if f == Function::Sqrt {
                    0.5
                } else if f == Function::Rsqrt {
                    -0.5
                } else {
                    -1.0
                };
                self.power(power, first, a)
            }
            Function::Exp => {
                let first = self.call(f, &a[0]);
                self.exponential(first, a)
            }
            Function::Exp2 => {
                let first = self.call(f, &a[0]);
                let scaled: Vec<Number> = a.iter().map(|a| self.mul(a, &Constant(std::f64::consts::LN_2))).collect();
                self.exponential(first, &scaled)
            }
            Function::ExpM1 => {
                let whole = self.call(Function::Exp, &a[0]);
                let mut to = self.exponential(whole, a);
                to[0] = self.call(f, &a[0]);
                to
            }
            Function::Ln => {
                let first = self.call(f, &a[0]);
                self.logarithm(first, 0.0, a)
            }
            Function::Ln1p => {
                let first = self.call(f, &a[0]);
                self.logarithm(first, 1.0, a)
            }
            Function::Sin => self.sine(a)[0].clone(),
            Function::Cos => self.sine(a)[1].clone(),
            Function::Abs | Function::Round => zeros(),
        }
    }
}

impl Series {
    /// Statements that compute the coefficients up to an order of series in one number, `at` and the step of which are names in
    /// the text; `call` writes a function of a number.
    pub fn statements(&self, order: usize, at: [&str; 2], call: &dyn Fn(Function, &str) -> String) -> Statements {
        let mut writer = Writer { at, lines: Vec::new(), call, known: HashMap::new() };
        let mut input = vec![ZERO; order + 1];
        input[0] = Power { factor: 1.0, roots: 2, steps: 0 }.into();
        if order > 0 {
            input[1] = Power { factor: 1.0, roots: 0, steps: 1 }.into();
        }
        let mut series = vec![input];
        for step in &self.steps {
            let [a, b, c] = step.args.map(|operand| written(&mut writer, operand, &series, order));
            let to = match step.operation {
                Operation::Add => a.iter().zip(&b).map(|(a, b)| writer.add(a, b)).collect(),
                Operation::Mul => (0..=order).map(|n| writer.convolved([&a, &b], n, 0, |_| 1.0)).collect(),
                Operation::Fma => {
                    let product = |n| writer.convolved([&a, &b], n, 0, |_| 1.0);
                    let products: Vec<Number> = (0..=order).map(product).collect();
                    products.iter().zip(&c).map(|(product, c)| writer.add(product, c)).collect()
                }
                Operation::Div => writer.divided(&a, &b),
                Operation::Call(f) => writer.of_function(f, &a),
            };
            series.push(to);
        }
        let of = |[a, b]: [Operand; 2]| {
            let [a, b] = [a, b].map(|operand| written(&mut writer, operand, &series, order));
            let numbers: Vec<Number> = (0..=order).map(|n| writer.convolved([&a, &b], n, 0, |_| 1.0)).collect();
            numbers.iter().map(|number| writer.text(number)).collect()
        };
        let coefficients = self.functions.iter().copied().map(of).collect();
        Statements { lines: writer.lines, coefficients }
    }

    /// Whether all numbers are in the range of f32: constants, and what is computed at these points, of which what an exponential has
    /// made small may be 0.
    pub fn fits_f32(&self, points: &[f64]) -> bool {
        const LARGEST: f64 = 1e37;
        let fits = |operand: &Operand| match operand {
            Operand::Constant(x) => x.is_finite() && x.abs() <= LARGEST,
            Operand::Series { .. } => true,
        };
        let constants = self.steps.iter().all(|step| step.args.iter().all(fits));
        constants && self.functions.iter().flatten().all(fits) && points.iter().all(|at| self.fits_at(*at, LARGEST))
    }

    fn fits_at(&self, at: f64, largest: f64) -> bool {
        let mut work = vec![0.0; self.work(1)];
        self.run::<f64, _>(Scalar, Line(0), &[[at, 0.0]], &mut work);
        // behind four that are spare
        let values = &work[4..];
        // those that may be small
        let mut decays = vec![false; self.steps.len() + 1];
        for (k, step) in self.steps.iter().enumerate() {
            let of = |operand: &Operand| matches!(operand, Operand::Series { place, .. } if decays[*place]);
            let is_wave =
                |f| matches!(f, Function::Exp | Function::Exp2 | Function::ExpM1 | Function::Sin | Function::Cos);
            decays[k + 1] = step.args.iter().any(of) || matches!(step.operation, Operation::Call(f) if is_wave(f));
            let size = values[k + 1].abs();
            let is_small = size > 0.0 && size < 1.0 / largest && !decays[k + 1];
            if size > largest || is_small {
                return false;
            }
        }
        true
    }
}

/// The coefficients of an operand.
fn written(writer: &mut Writer<'_>, operand: Operand, series: &[Vec<Number>], order: usize) -> Vec<Number> {
    match operand {
        Operand::Constant(x) => {
            let mut to = vec![ZERO; order + 1];
            to[0] = Constant(x);
            to
        }
        Operand::Series { place, negative: false } => series[place].clone(),
        Operand::Series { place, negative: true } => series[place].iter().map(|a| writer.negative(a)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Law, Radial};
    use super::*;

    /// What the statements compute, by a reader of their language.
    fn computed(statements: &Statements, s: f64, h: f64) -> Vec<f64> {
        let mut known: HashMap<String, f64> = HashMap::from([("s".into(), s), ("h".into(), h)]);
        for line in &statements.lines {
            let (name, text) =
                line.strip_prefix("const real ").unwrap().trim_end_matches(';').split_once(" = ").unwrap();
            let value = value(text, &known);
            assert!(known.insert(name.into(), value).is_none(), "{name} twice");
        }
        statements.coefficients[0].iter().map(|name| value(name, &known)).collect()
    }

    fn value(text: &str, known: &HashMap<String, f64>) -> f64 {
        let of = |text: &str| value(text, known);
        if let Some(inner) = text.strip_prefix("m_where(s > real(0.0), ") {
            return of(inner.split_once(", ").unwrap().0);
        }
        if let Some((a, b)) = text.split_once(" + ") {
            return of(a) + of(b);
        }
        if let Some((a, b)) = text.split_once(" / ") {
            return of(a) / of(b);
        }
        if let Some((a, b)) = text.split_once(" * ") {
            return of(a) * of(b);
        }
        if let Some(x) = known.get(text) {
            return *x;
        }
        let (f, inner) = text.trim_end_matches(')').split_once('(').unwrap();
        if f == "m_fma" {
            let all: Vec<f64> = inner.split(", ").map(|part| of(&part.replace("real(", ""))).collect();
            return all[0].mul_add(all[1], all[2]);
        }
        let x = inner.parse().unwrap_or_else(|_| of(inner));
        match f {
            "real" => x,
            "Sqrt" => x.sqrt(),
            "Rsqrt" => 1.0 / x.sqrt(),
            "Recip" => 1.0 / x,
            "Exp" => x.exp(),
            "Exp2" => x.exp2(),
            "ExpM1" => x.exp_m1(),
            "Ln" => x.ln(),
            "Ln1p" => x.ln_1p(),
            "Sin" => x.sin(),
            "Cos" => x.cos(),
            _ => panic!("{text}"),
        }
    }

    /// Every operation: the coefficients of the text are those that are computed.
    #[test]
    fn statements_compute_the_series() {
        let texts = [
            "1 / s",
            "sqrt(s)",
            "rsqrt(s)",
            "exp(-s)",
            "2.5^(-0.3 * s)",
            "ln(s)",
            "expm1(-s)",
            "log1p(s)",
            "sin(s)",
            "cos(s)",
            "exp(-norm(d)) / norm(d)",
            "(1 + 3 * norm(d)) * exp(-3 * norm(d))",
            "(2 - s * s) / (s + 0.5)",
            "-(s * s + 1) * s - s",
            "norm(d)^7 + 1 / norm(d)^5 - 3 * norm(d) / sqrt(2 * s)",
            "sqrt(norm(d)) * (1 / (3 * s * norm(d)) + norm(d)^3) / sqrt(4 * s * s)",
        ];
        for text in texts {
            let text = format!("body x[3]; d = i.x - j.x; s = dot(d, d); sum p = {text}; self exclude");
            let radial = Radial::of(&Law::parse(&text).unwrap()).unwrap();
            let series = Series::new(&radial.functions, 1, &[]);
            for order in [0, 1, 8] {
                let statements = series.statements(order, ["s", "h"], &|f, x| format!("{f:?}({x})"));
                let found = computed(&statements, 0.7, 0.1);
                let mut work = vec![0.0; series.work(order + 1)];
                series.run::<f64, _>(Scalar, Line(order), &[[0.7, 0.1]], &mut work);
                for (k, found) in found.into_iter().enumerate() {
                    let want = series.coefficient::<f64, _>(Scalar, Line(order), 0, k, &work);
                    // roundings of some hundred operations in another order
                    assert!(
                        (found - want).abs() <= 1e-13 * want.abs().max(1e-3),
                        "{text} {k} of {order}: {found} {want}"
                    );
                }
            }
        }
    }
}
