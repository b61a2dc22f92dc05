//! What a law can contribute between two boxes of bodies: interval arithmetic over its program.
//!
//! Every number of a program is computed as an interval that contains it for all pairs of two boxes, as a device
//! computes it: each operation is widened by its rounding [Moore, Kearfott & Cloud 2009, ch. 2 and 3]. A box is the
//! range of every column of its bodies. Where all contributions of a pair of boxes are known, no pair of their bodies
//! needs to be computed.

use super::bounds::Rounding;
use super::graph::program::{Arg, Class, Fold, Op, Program};
use super::graph::{Edge, Function, Node, Role};
use super::{Cell, Law, Lowering};
use crate::Precision;

/// All numbers from `low` to `high`, and perhaps NaN. A truth value is 1 or 0, or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The smallest number.
    pub low: f64,
    /// The largest number.
    pub high: f64,
    /// Whether NaN is possible, too.
    pub nan: bool,
}

impl Interval {
    /// Anything.
    pub const ANY: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };
    const TRUE: Interval = Interval { low: 1.0, high: 1.0, nan: false };
    const FALSE: Interval = Interval { low: 0.0, high: 0.0, nan: false };
    const DOUBTFUL: Interval = Interval { low: 0.0, high: 1.0, nan: false };

    /// The numbers from `low` to `high`.
    pub fn new(low: f64, high: f64) -> Self {
        Interval { low, high, nan: false }
    }

    /// The smallest interval that contains both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high), nan: self.nan || other.nan }
    }

    /// Whether it is this number alone.
    pub fn is(self, x: f64) -> bool {
        self.low == x && self.high == x && !self.nan
    }

    fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    fn is_unbounded(self) -> bool {
        self.low == f64::NEG_INFINITY || self.high == f64::INFINITY
    }

    fn opposite(self) -> Self {
        Interval { low: -self.high, high: -self.low, ..self }
    }

    /// Of a truth value.
    fn not(self) -> Self {
        Interval { low: 1.0 - self.high, high: 1.0 - self.low, nan: false }
    }
}

impl Law {
    /// The columns that say where bodies are: of each axis, the number of i and the number of j that the law subtracts
    /// from each other, or those that it compares, if it does not subtract any; three at most, in the order of the
    /// records.
    pub fn places(&self) -> Vec<[usize; 2]> {
        let kinds = |fields: &[super::Field]| {
            fields.iter().flat_map(|f| vec![f.cell != Cell::Id; f.numbers()]).collect::<Vec<_>>()
        };
        let (i, j) = (kinds(&self.i), kinds(&self.j));
        let graph = &self.graph;
        let of = |e: Edge| match graph.at(e) {
            Node::Input { role, slot } => Some((*role, usize::from(*slot))),
            _ => None,
        };
        let pair = |a: Edge, b: Edge| match (of(a)?, of(b)?) {
            ((Role::I, i), (Role::J, j)) | ((Role::J, j), (Role::I, i)) => Some([i, j]),
            _ => None,
        };
        let live = graph.live(self.contributions.iter().flat_map(|o| [Some(o.value), o.label]).flatten());
        let find = |of: &dyn Fn(&Node) -> Option<[usize; 2]>| {
            let live = graph.nodes().iter().zip(&live).filter(|(_, live)| **live);
            let mut found: Vec<_> = live.filter_map(|(node, _)| of(node)).filter(|[a, b]| i[*a] && j[*b]).collect();
            found.sort_unstable();
            found.dedup_by_key(|pair| pair[0]);
            found.truncate(3);
            found
        };
        let subtracted = find(&|node| match node {
            Node::Add(a, b) if a.negative() != b.negative() => pair(*a, *b),
            _ => None,
        });
        match subtracted.is_empty() {
            false => subtracted,
            true => find(&|node| match node {
                Node::Less(a, b) | Node::LessEqual(a, b) | Node::Equal(a, b) => pair(*a, *b),
                _ => None,
            }),
        }
    }
}

/// Why pairs of a law cannot be left out, whatever its bodies are; `None` where they may.
pub fn why_not(law: &Law) -> Option<String> {
    let intervals = Intervals::new(law, Precision::F64, &vec![1.0; law.defaults().len()]);
    if let Some(fold) = intervals.folds().iter().find(|fold| !intervals.can_be_nothing(fold)) {
        let cells = law.cells();
        // of a logsumexp, two cells are one column
        let column = fold.slot - cells[..fold.slot].iter().filter(|cell| **cell == Cell::Scaled).count();
        let name = law.result_columns()[column].clone();
        return Some(format!(
            "every pair contributes to result {name}, which has no condition, minimum or maximum of both bodies"
        ));
    }
    let nowhere = "no numbers of two bodies but ids are subtracted or compared, so that no bodies are far apart";
    law.places().is_empty().then(|| nowhere.into())
}

/// A law's program over boxes of bodies, for numbers of one precision.
#[derive(Clone, Debug)]
pub struct Intervals {
    program: Program,
    rounding: &'static Rounding,
    /// Whether numbers are f32.
    single: bool,
    /// All values; those that depend on parameters alone are computed.
    known: Vec<Interval>,
    /// The values that depend on one body of either side, and those of pairs.
    of_i: Vec<usize>,
    of_j: Vec<usize>,
    of_pairs: Vec<usize>,
}

/// What all pairs of two boxes contribute to a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contribution {
    /// Nothing: 0 to a sum, no number to an extreme.
    Nothing,
    /// 1 each to a count.
    One,
    /// A number of this interval to an extreme.
    Extreme(Interval),
    /// A number that is not known.
    Some,
}

impl Intervals {
    /// The law with these parameters, as the CPU computes it. `precision` is f32, or f64 for any other.
    pub fn new(law: &Law, precision: Precision, par: &[f64]) -> Self {
        let rounding = if precision == Precision::F32 { &Rounding::F32 } else { &Rounding::F64 };
        Self::of(law, precision, par, Lowering { scales: true, ..Lowering::default() }, rounding)
    }

    /// The law with these parameters as a device computes it, which groups operations and rounds in its way.
    pub fn of(law: &Law, precision: Precision, par: &[f64], lowering: Lowering, rounding: &'static Rounding) -> Self {
        let single = precision == Precision::F32;
        let program = law.program(lowering);
        let list = |class| (0..program.values.len()).filter(|k| program.values[*k].class == class).collect();
        let [of_i, of_j, of_pairs] = [Class::I, Class::J, Class::PAIR].map(list);
        let of_par: Vec<usize> = list(Class::PAR);
        let known = vec![Interval::ANY; program.values.len()];
        let mut intervals = Intervals { program, rounding, single, known, of_i, of_j, of_pairs };
        let mut known = std::mem::take(&mut intervals.known);
        let par: Vec<Interval> = par.iter().map(|x| intervals.exactly(*x)).collect();
        of_par.iter().for_each(|k| known[*k] = intervals.value(*k, &known, &par));
        intervals.known = known;
        intervals
    }

    /// The number as the precision has it.
    pub fn rounded(&self, x: f64) -> f64 {
        if self.single { f64::from(x as f32) } else { x }
    }

    /// The interval of numbers that are given, from the smallest to the largest: a device may take small ones for 0.
    pub fn range(&self, low: f64, high: f64) -> Interval {
        let is_small = |x: f64| x.abs() < self.rounding.tiny;
        Interval::new(if is_small(low) { low.min(0.0) } else { low }, if is_small(high) { high.max(0.0) } else { high })
    }

    /// What the sums of each number of the result record have to be multiplied by, once, at the end.
    pub fn scales(&self, par: &[f64]) -> Vec<f64> {
        let count = self.program.folds.iter().map(|fold| fold.slot + 1).max().unwrap_or(0);
        let mut scales = vec![1.0; count];
        self.program.scale_factors(0.0, |k| par[k]).into_iter().for_each(|(_, slot, factor)| scales[slot] = factor);
        scales
    }

    /// The contributions to the results, in the order of [`contribution`](Self::contribution).
    pub fn folds(&self) -> &[Fold] {
        &self.program.folds
    }

    /// Whether a contribution can be known before its pair is computed: it is to an extreme or a count, or depends on a
    /// comparison, a minimum or a maximum.
    pub fn can_be_nothing(&self, fold: &Fold) -> bool {
        if !matches!(fold.cell, Cell::Sum | Cell::LogSumExp) {
            return true;
        }
        let mut needed = vec![false; self.program.values.len()];
        fold.args.iter().for_each(|arg| needed[arg.value] = true);
        for k in (0..needed.len()).rev() {
            if needed[k] {
                self.program.values[k].args.iter().for_each(|arg| needed[arg.value] = true);
            }
        }
        let decides = |k: &usize| matches!(self.program.values[*k].op, Op::Select | Op::Min);
        (0..needed.len()).any(|k| needed[k] && self.program.values[k].class == Class::PAIR && decides(&k))
    }

    /// What the bodies acted on in a box determine alone, from the range of each of their columns.
    pub fn of_i(&self, columns: &[Interval]) -> Vec<Interval> {
        self.of_side(&self.of_i, columns)
    }

    /// The same for bodies that act.
    pub fn of_j(&self, columns: &[Interval]) -> Vec<Interval> {
        self.of_side(&self.of_j, columns)
    }

    fn of_side(&self, list: &[usize], columns: &[Interval]) -> Vec<Interval> {
        let mut values = self.known.clone();
        list.iter().for_each(|k| values[*k] = self.value(*k, &values, columns));
        list.iter().map(|k| values[*k]).collect()
    }

    /// Computes all values for the pairs of two boxes, of [`of_i`](Self::of_i) and [`of_j`](Self::of_j).
    pub fn of_pairs(&self, i: &[Interval], j: &[Interval], values: &mut Vec<Interval>) {
        values.clone_from(&self.known);
        self.of_i.iter().zip(i).for_each(|(k, x)| values[*k] = *x);
        self.of_j.iter().zip(j).for_each(|(k, x)| values[*k] = *x);
        self.of_pairs.iter().for_each(|k| values[*k] = self.value(*k, values, &[]));
    }

    /// What pairs contribute, from their values.
    pub fn contribution(&self, fold: &Fold, values: &[Interval]) -> Contribution {
        let first = number(values, fold.args[0]);
        let is_nothing = match fold.cell {
            Cell::Sum => match fold.args.get(1) {
                Some(second) => self.product(first, number(values, *second)).is(0.0),
                None => first.is(0.0),
            },
            Cell::Count => first.is(0.0),
            Cell::Min | Cell::ArgMin => first.is(f64::INFINITY),
            Cell::Max | Cell::ArgMax | Cell::LogSumExp => first.is(f64::NEG_INFINITY),
            _ => false,
        };
        match fold.cell {
            _ if is_nothing => Contribution::Nothing,
            Cell::Count if first.is(1.0) => Contribution::One,
            Cell::Min | Cell::ArgMin | Cell::Max | Cell::ArgMax => Contribution::Extreme(first),
            _ => Contribution::Some,
        }
    }

    fn exactly(&self, x: f64) -> Interval {
        let x = self.rounded(x);
        if x.is_nan() { Interval::ANY } else { self.range(x, x) }
    }

    /// A value from those before it; `columns` are those of the side, or the parameters.
    fn value(&self, k: usize, values: &[Interval], columns: &[Interval]) -> Interval {
        let value = &self.program.values[k];
        let x = |k: usize| number(values, value.args[k]);
        let m = |k: usize| mask(values, value.args[k]);
        match value.op {
            Op::Input(Role::I | Role::J | Role::Par, slot) => columns.get(slot).copied().unwrap_or(Interval::ANY),
            Op::Const(c) => self.exactly(c),
            Op::True => Interval::TRUE,
            Op::Add => self.sum(x(0), x(1)),
            Op::Mul => self.product_of(values, value.args[0], value.args[1]),
            Op::Fma => self.sum(self.product_of(values, value.args[0], value.args[1]), x(2)),
            Op::Div => self.quotient(x(0), x(1)),
            Op::Min => match (x(0), x(1)) {
                (a, b) if a.nan || b.nan => Interval::ANY,
                (a, b) => Interval::new(a.low.min(b.low), a.high.min(b.high)),
            },
            Op::Call(function) => self.call(function, x(0)),
            Op::Less => compared(x(0), x(1), |a, b| a < b),
            Op::LessEqual => compared(x(0), x(1), |a, b| a <= b),
            Op::Equal => match (x(0), x(1)) {
                (a, b) if a.nan || b.nan => Interval::DOUBTFUL,
                (a, b) if a.high < b.low || b.high < a.low => Interval::FALSE,
                (a, b) if a.low == a.high && b.low == b.high => Interval::TRUE,
                _ => Interval::DOUBTFUL,
            },
            Op::And => Interval::new(m(0).low.min(m(1).low), m(0).high.min(m(1).high)),
            Op::Select => match m(0) {
                mask if mask.is(1.0) => x(1),
                mask if mask.is(0.0) => x(2),
                _ => x(1).hull(x(2)),
            },
        }
    }

    /// The interval of rounded results, from that of exact ones: an error of so many units, and of `absolute`. Rounding
    /// does not change a sign.
    #[inline]
    fn widened(&self, low: f64, high: f64, nan: bool, units: f64, absolute: f64) -> Interval {
        if low.is_nan() || high.is_nan() {
            return Interval::ANY;
        }
        let (share, least) = (units * self.rounding.unit + f64::EPSILON, self.rounding.tiny + absolute);
        let keeps_sign = absolute == 0.0;
        // of an infinite lower or negative infinite upper end nothing is left but the sign
        let down = low - (low.abs() * share + least);
        let up = high + (high.abs() * share + least);
        let low = if keeps_sign && low >= 0.0 || low == f64::INFINITY { down.max(0.0) } else { down };
        let high = if keeps_sign && high <= 0.0 || high == f64::NEG_INFINITY { up.min(0.0) } else { up };
        let largest = if self.single { f64::from(f32::MAX) } else { f64::MAX };
        Interval {
            low: if low < -largest { f64::NEG_INFINITY } else { low },
            high: if high > largest { f64::INFINITY } else { high },
            nan,
        }
    }

    #[inline]
    fn sum(&self, a: Interval, b: Interval) -> Interval {
        let opposed = |a: Interval, b: Interval| a.high == f64::INFINITY && b.low == f64::NEG_INFINITY;
        let nan = a.nan || b.nan || opposed(a, b) || opposed(b, a);
        self.widened(a.low + b.low, a.high + b.high, nan, 1.0, 0.0)
    }

    fn product(&self, a: Interval, b: Interval) -> Interval {
        let of = |x: f64, y: f64| if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
        let all = [of(a.low, b.low), of(a.low, b.high), of(a.high, b.low), of(a.high, b.high)];
        let zero_times_infinity = |a: Interval, b: Interval| a.contains(0.0) && b.is_unbounded();
        let nan = a.nan || b.nan || zero_times_infinity(a, b) || zero_times_infinity(b, a);
        let [low, high] =
            [all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(-f64::INFINITY, f64::max)];
        self.widened(low, high, nan, 1.0, 0.0)
    }

    /// The product of two operands, which may be one number: its square is not negative.
    fn product_of(&self, values: &[Interval], a: Arg, b: Arg) -> Interval {
        if a.value != b.value {
            return self.product(number(values, a), number(values, b));
        }
        let x = values[a.value];
        let (p, q) = (x.low * x.low, x.high * x.high);
        let low = if x.contains(0.0) { 0.0 } else { p.min(q) };
        let square = self.widened(low, p.max(q), x.nan, 1.0, 0.0);
        if a.negative == b.negative { square } else { square.opposite() }
    }

    fn quotient(&self, a: Interval, b: Interval) -> Interval {
        // numbers below the smallest normal number may be 0, of either sign
        if b.low < self.rounding.tiny && b.high > -self.rounding.tiny {
            let nan = a.nan || b.nan || a.contains(0.0) || (a.is_unbounded() && b.is_unbounded());
            return Interval { nan, ..Interval::ANY };
        }
        if a.is_unbounded() && b.is_unbounded() {
            return Interval::ANY;
        }
        let all = [a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high];
        let [low, high] =
            [all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(-f64::INFINITY, f64::max)];
        self.widened(low, high, a.nan || b.nan, self.rounding.root, 0.0)
    }

    fn call(&self, function: Function, x: Interval) -> Interval {
        let Rounding { root, exp, sine, tiny, unit } = *self.rounding;
        // a function that grows, of numbers from `least` on
        let growing = |least: f64, units: f64, absolute: f64| {
            if x.high < least {
                return Interval::ANY;
            }
            let [low, high] = [x.low.max(least), x.high].map(|x| function.of(x));
            self.widened(low, high, x.nan || x.low < least, units, absolute)
        };
        match function {
            Function::Abs if x.contains(0.0) => Interval { low: 0.0, high: x.high.max(-x.low), ..x },
            Function::Abs => Interval { low: x.low.abs().min(x.high.abs()), high: x.low.abs().max(x.high.abs()), ..x },
            // a number is rounded by adding another to it, for which there must be digits
            Function::Round if x.low > -1e6 && x.high < 1e6 => {
                Interval { low: x.low.round_ties_even(), high: x.high.round_ties_even(), ..x }
            }
            Function::Round => self.widened(x.low - 1.0, x.high + 1.0, x.nan || x.is_unbounded(), 1.0, 0.0),
            Function::Sqrt => growing(0.0, root, 0.0),
            Function::Rsqrt if x.high < 0.0 => Interval::ANY,
            Function::Rsqrt => {
                let high = if x.low < tiny { f64::INFINITY } else { 1.0 / x.low.sqrt() };
                self.widened(1.0 / x.high.sqrt(), high, x.nan || x.low < 0.0, root, 0.0)
            }
            Function::Recip => self.quotient(Interval::TRUE, x),
            // an error of the exponent, x u, is a relative error of the result, which is 0 or infinite for large x
            Function::Exp | Function::Exp2 => {
                growing(f64::NEG_INFINITY, exp * (1.0 + x.low.abs().max(x.high.abs()).min(1100.0)), 0.0)
            }
            // near 1 the result is small and the error is not
            Function::Ln => {
                let y = growing(0.0, exp, exp * unit);
                if x.low < tiny { Interval { low: f64::NEG_INFINITY, ..y } } else { y }
            }
            // away from 0, 1 may be taken from the exponential
            Function::ExpM1 => {
                growing(f64::NEG_INFINITY, 5.0 * exp * (1.0 + x.low.abs().max(x.high.abs()).min(1100.0)), 0.0)
            }
            Function::Ln1p => growing(-1.0, 1.5 * exp, 0.0),
            Function::Sin | Function::Cos => {
                Interval { low: -1.0 - sine, high: 1.0 + sine, nan: x.nan || x.is_unbounded() }
            }
        }
    }
}

fn number(values: &[Interval], arg: Arg) -> Interval {
    if arg.negative { values[arg.value].opposite() } else { values[arg.value] }
}

fn mask(values: &[Interval], arg: Arg) -> Interval {
    if arg.negative { values[arg.value].not() } else { values[arg.value] }
}

/// A comparison that holds for a smaller a and a larger b, if at all.
fn compared(a: Interval, b: Interval, holds: impl Fn(f64, f64) -> bool) -> Interval {
    match (holds(a.high, b.low), holds(a.low, b.high)) {
        _ if a.nan || b.nan => Interval::DOUBTFUL,
        (true, _) => Interval::TRUE,
        (_, false) => Interval::FALSE,
        _ => Interval::DOUBTFUL,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Field, LAWS, by_name};
    use super::*;
    use proptest::prelude::*;

    const TEXTS: [&str; 8] = [
        "body x[3], h, m; d = i.x - j.x; q = norm(d) / j.h; sum rho = q < 2 ? j.m * (2 - q)^3 : 0",
        "body x[3], r; d = i.x - j.x; count n = norm(d) < i.r + j.r; min near = norm(d); self exclude",
        "body x[3]; param L; d = i.x - j.x; e = d - L * round(d / L); min near = dot(e, e); self exclude",
        "body x, y; max m = exp(-abs(i.x - j.x)) * ln(1 + abs(j.y)); sum s = expm1(i.y) * log1p(abs(j.x)) when i.x < j.x",
        "body x, y; sum s = sin(i.x * j.x) / (i.y - j.y); logsumexp z = i.x * j.y when abs(i.y) < 1; self exclude",
        "body x, y; sum s = rsqrt(i.x - j.x) + sqrt(i.y * j.y); min m = 1 / (i.x - j.y); self exclude",
        "body x; id k; argmin m = abs(i.x - j.x), j.k; sum s = j.x when i.k != j.k",
        "body x, y; sum s = (i.x - j.x)^3 * (i.y - j.y)^2; max t = min(i.x, j.y) * (i.x > j.y ? -1 : exp(i.y))",
    ];

    fn laws() -> Vec<Law> {
        let named = LAWS.iter().map(|law| by_name(law.name).unwrap());
        named.chain(TEXTS.iter().map(|text| Law::parse(text).unwrap())).collect()
    }

    /// The numbers of a box: whole for ids.
    fn number_in(fields: &[Field], k: usize, low: f64, width: f64, share: f64) -> (Interval, f64) {
        let cells: Vec<Cell> = fields.iter().flat_map(|f| vec![f.cell; f.numbers()]).collect();
        if cells[k] == Cell::Id {
            let (low, width) = (low.abs().floor(), width.floor());
            return (Interval::new(low, low + width), low + (share * width).round());
        }
        (Interval::new(low, low + width), (low + share * width).clamp(low, low + width))
    }

    proptest! {
        /// What a pair of bodies contributes, in f64 and in f32, is in the interval of the boxes that the bodies are
        /// in.
        #[test]
        fn pairs_are_within_the_intervals_of_their_boxes(
            which in 0..LAWS.len() + TEXTS.len(),
            lows in prop::collection::vec(prop_oneof![-2.0..2.0_f64, Just(0.0), -1e3..1e3], 40),
            widths in prop::collection::vec(prop_oneof![Just(0.0), 0.0..0.1_f64, 0.0..3.0], 40),
            shares in prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64], 40),
            par in prop::collection::vec(prop_oneof![0.01..2.0_f64, Just(0.0)], 16),
        ) {
            let law = &laws()[which];
            let [i, j] = [(law.body(), 0), (law.partner(), 20)].map(|(fields, first)| {
                let numbers: usize = fields.iter().map(Field::numbers).sum();
                let of = |k: usize| number_in(fields, k, lows[first + k], widths[first + k], shares[first + k]);
                (0..numbers).map(of).unzip::<_, _, Vec<_>, Vec<_>>()
            });
            check::<f64>(law, Precision::F64, [&i, &j], &par)?;
            check::<f32>(law, Precision::F32, [&i, &j], &par)?;
        }
    }

    fn check<T: super::super::Real + Into<f64>>(
        law: &Law,
        precision: Precision,
        [i, j]: [&(Vec<Interval>, Vec<f64>); 2],
        par: &[f64],
    ) -> std::result::Result<(), TestCaseError>
    where
        f32: Into<T>,
    {
        let intervals = Intervals::new(law, precision, par);
        let rounded = |boxes: &[Interval]| {
            let of = |x: &Interval| Interval::new(intervals.rounded(x.low), intervals.rounded(x.high));
            boxes.iter().map(of).collect::<Vec<_>>()
        };
        let mut values = Vec::new();
        let (in_i, in_j) = (intervals.of_i(&rounded(&i.0)), intervals.of_j(&rounded(&j.0)));
        intervals.of_pairs(&in_i, &in_j, &mut values);
        let like: T = 0_f32.into();
        let input = |role, k: usize| {
            like.lit(match role {
                Role::I => i.1[k],
                Role::J => j.1[k],
                Role::Par => par[k],
            })
        };
        let mut at = 0;
        let mut wrong = None;
        intervals.program.run(like, input, |fold, x, _| {
            let x: f64 = x.into();
            let said = intervals.contribution(fold, &values);
            let fits = match (said, fold.cell) {
                (Contribution::Nothing, Cell::Min | Cell::ArgMin) => x == f64::INFINITY,
                (Contribution::Nothing, Cell::Max | Cell::ArgMax | Cell::LogSumExp) => x == f64::NEG_INFINITY,
                (Contribution::Nothing, _) => x == 0.0,
                (Contribution::One, _) => x == 1.0,
                (Contribution::Extreme(y), _) => {
                    if x.is_nan() {
                        y.nan
                    } else {
                        y.contains(x)
                    }
                }
                (Contribution::Some, _) => true,
            };
            // and the number itself, whatever it is for
            let y = number(&values, fold.args[0]);
            let y = fold
                .args
                .get(1)
                .filter(|_| fold.cell == Cell::Sum)
                .map_or(y, |b| intervals.product(y, number(&values, *b)));
            let contains = if x.is_nan() { y.nan } else { y.contains(x) };
            if !(fits && contains) {
                wrong = Some(format!("fold {at} of {}: {x} is not {said:?}, in {y:?}", law.title()));
            }
            at += 1;
        });
        prop_assert!(wrong.is_none(), "{}", wrong.unwrap_or_default());
        Ok(())
    }

    #[test]
    fn what_is_far_contributes_nothing() {
        let law = Law::parse(TEXTS[0]).unwrap();
        let intervals = Intervals::new(&law, Precision::F64, &[]);
        let at = |x: f64| {
            [
                Interval::new(x, x + 1.0),
                Interval::new(0.0, 1.0),
                Interval::new(0.0, 1.0),
                Interval::new(0.5, 1.0),
                Interval::new(1.0, 2.0),
            ]
        };
        let of = |x: f64| {
            let mut values = Vec::new();
            intervals.of_pairs(&intervals.of_i(&at(0.0)), &intervals.of_j(&at(x)), &mut values);
            intervals.contribution(&intervals.folds()[0], &values)
        };
        // boxes of width 1, and 2 h = 2 at most
        assert_eq!(of(3.1), Contribution::Nothing);
        assert_eq!(of(2.9), Contribution::Some);
        assert!(intervals.can_be_nothing(&intervals.folds()[0]));
        let sum = Law::parse("body x, q; sum p = j.q * exp(-abs(i.x - j.x))").unwrap();
        let intervals = Intervals::new(&sum, Precision::F64, &[]);
        assert!(!intervals.can_be_nothing(&intervals.folds()[0]));
    }

    #[test]
    fn places_are_what_is_subtracted_or_compared() {
        let places = |text: &str| Law::parse(text).unwrap().places();
        assert_eq!(places(TEXTS[0]), [[0, 0], [1, 1], [2, 2]]);
        assert_eq!(places("body m, x, y; id k; d = j.y - i.y; sum s = j.m when abs(d) < 1 && i.k != j.k"), [[2, 2]]);
        assert_eq!(places("target t; source m, x; count n = j.x <= i.t"), [[0, 1]]);
        assert!(places("body m; sum s = i.m * j.m").is_empty());
    }
}
