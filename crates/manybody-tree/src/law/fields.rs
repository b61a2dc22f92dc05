//! What is expanded: the potentials of a law's charges, and what its results are made of.
//!
//! A term q f(r^2) is the potential of the function f; a term q d f(r^2) along the separation is the gradient of the potential
//! whose derivative by r^2 is f / 2. Where that is another function of the law, as with a force and its potential, both come
//! from one expansion.

use manybody_law::law::{Field, Law, Radial, Real, Series, Term};
use manybody_law::simd::Scalar;

/// A function of the distance that is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Potential {
    /// A function of the law.
    Function(usize),
    /// The potential whose derivative by r^2 is half a function of the law: only its gradient is known.
    Integral(usize),
}

/// The potential of one charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expansion {
    /// Its number among the potentials.
    pub(crate) potential: usize,
    pub(crate) charge: usize,
    /// Whether its value is a part of a result, or its gradient alone.
    pub(crate) value: bool,
}

/// A part of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The number of the result record.
    pub(crate) result: usize,
    pub(crate) factor: usize,
    pub(crate) expansion: usize,
    /// 0 for the value, 1 to 3 for the components of the gradient.
    pub(crate) component: usize,
    pub(crate) times: f64,
}

/// All of a law.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    pub(crate) series: Series,
    pub(crate) potentials: Vec<Potential>,
    pub(crate) expansions: Vec<Expansion>,
    pub(crate) parts: Vec<Part>,
    /// Of each member of the result, its numbers.
    pub(crate) members: Vec<std::ops::Range<usize>>,
}

/// Two functions are one up to a factor if they are so at this many distances, a factor of this apart.
const DISTANCES: i32 = 48;
const APART: f64 = 1.37;
/// Roundings of a function and of its derivative.
const ROUNDING: f64 = 1e-11;

impl Fields {
    /// Those of a law in a system of this size.
    pub(crate) fn of(law: &Law, radial: &Radial, par: &[f64], size: f64) -> Self {
        let series = Series::new(&radial.functions, par);
        let mut fields =
            Fields { series, potentials: Vec::new(), expansions: Vec::new(), parts: Vec::new(), members: Vec::new() };
        // values first: gradients may be theirs
        for value in [true, false] {
            for term in radial.terms.iter().filter(|term| term.axis.is_none() == value) {
                fields.take(*term, size);
            }
        }
        let mut first = 0;
        for field in law.results() {
            fields.members.push(first..first + field.numbers());
            first += Field::numbers(field);
        }
        fields
    }

    fn take(&mut self, term: Term, size: f64) {
        let Term { result, factor, charge, function, axis } = term;
        let (potential, times) = match axis {
            None => (self.potential(Potential::Function(function)), 1.0),
            Some(_) => match self.gradient_of(function, size) {
                Some(found) => found,
                None => (self.potential(Potential::Integral(function)), 1.0),
            },
        };
        let same = |e: &Expansion| (e.potential, e.charge) == (potential, charge);
        let expansion = self.expansions.iter().position(same).unwrap_or_else(|| {
            self.expansions.push(Expansion { potential, charge, value: axis.is_none() });
            self.expansions.len() - 1
        });
        self.parts.push(Part { result, factor, expansion, component: axis.map_or(0, |axis| axis + 1), times });
    }

    fn potential(&mut self, potential: Potential) -> usize {
        self.potentials.iter().position(|p| *p == potential).unwrap_or_else(|| {
            self.potentials.push(potential);
            self.potentials.len() - 1
        })
    }

    /// The potential among the functions whose gradient is d times this function, up to a factor.
    fn gradient_of(&self, function: usize, size: f64) -> Option<(usize, f64)> {
        let functions = self.potentials.iter().enumerate().filter_map(|(k, potential)| match potential {
            Potential::Function(other) => Some((k, *other)),
            Potential::Integral(_) => None,
        });
        functions.into_iter().find_map(|(k, other)| self.ratio(function, other, size).map(|ratio| (k, ratio)))
    }

    /// f / (2 g') where that is the same at all distances.
    fn ratio(&self, f: usize, g: usize, size: f64) -> Option<f64> {
        let (mut work, mut found) = (vec![0.0; self.series.work(1)], None);
        let mut at = 0;
        for k in 0..DISTANCES {
            let s = (2.0 * size * APART.powi(-k)).powi(2);
            self.series.run::<f64>(Scalar, 1, s, s, &mut work);
            let of = |function, order| self.series.coefficient::<f64>(Scalar, 1, function, order, &work);
            let (f, slope) = (of(f, 0) * s, 2.0 * of(g, 1));
            // where both are 0, or too small for full precision, their ratio is not used
            if f.abs().max(slope.abs()) < 1e-280 {
                continue;
            }
            let ratio = f / slope;
            let same = found.is_none_or(|before: f64| (ratio - before).abs() <= ROUNDING * before.abs());
            if !ratio.is_finite() || ratio == 0.0 || !same {
                return None;
            }
            found.get_or_insert(ratio);
            at += 1;
        }
        found.filter(|_| at >= DISTANCES / 4)
    }
}

impl Potential {
    /// The derivatives g_m = 2^m h^(2m) d^m/ds^m of the potential for m up to `order`, from the coefficients of the series
    /// f(s + h^2 t), in the sense of the recurrence of derivatives; g_0 of an integral is 0.
    #[inline(always)]
    pub(crate) fn chain<V: Real>(self, order: usize, square: V, coefficient: impl Fn(usize, usize) -> V, to: &mut [V]) {
        let mut factor = 1.0;
        match self {
            Potential::Function(function) => {
                for (m, to) in to.iter_mut().enumerate().take(order + 1) {
                    *to = coefficient(function, m) * square.lit(factor);
                    factor *= 2.0 * (m + 1) as f64;
                }
            }
            Potential::Integral(function) => {
                to[0] = square.lit(0.0);
                for m in 0..order {
                    to[m + 1] = coefficient(function, m) * square.lit(factor) * square;
                    factor *= 2.0 * (m + 1) as f64;
                }
            }
        }
    }
}
