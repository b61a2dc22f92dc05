//! What is expanded: the potentials of a law's charges, and what its results are made of.
//!
//! A term q f(r^2) is the potential of the function f; a term q d f(r^2) along the separation is the gradient of the potential
//! whose derivative by r^2 is f / 2. Where that is another function of the law, as with a force and its potential, both come
//! from one expansion. A term times more differences, q dx^a dy^b dz^c f(r^2), is the potential of the function with these
//! powers, whose derivatives follow from those of f ([`raise`](manybody_expansions::taylor::raise)).

use manybody_expansions::Products;
use manybody_expansions::law::{Interaction, Operands, Potential};
use manybody_law::law::{Field, FunctionOf, Law, Line, Radial, Series, Term};
use manybody_law::simd::Scalar;

/// A part of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The number of the result record.
    pub(crate) result: usize,
    pub(crate) factor: usize,
    /// The expansion.
    pub(crate) local: usize,
    /// 0 for the value, 1 to 3 for the components of the gradient.
    pub(crate) component: usize,
    pub(crate) times: f64,
}

/// All of a law.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    pub(crate) series: Series,
    /// The functions that depend on the direction, of the differences of places.
    pub(crate) directional: Series,
    /// The products of their series, to the order of the expansions.
    pub(crate) products: Products,
    /// How many axes there are.
    pub(crate) axes: usize,
    pub(crate) potentials: Vec<Potential>,
    /// Potentials with the degree of the powers that they are multiplied by.
    pub(crate) kinds: Vec<(usize, usize)>,
    /// By potentials, and of one by its powers.
    pub(crate) interactions: Vec<Interaction>,
    /// How many expansions there are about a sink.
    pub(crate) locals: usize,
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
    /// What operators need of them.
    pub(crate) fn operands(&self) -> Operands<'_> {
        let Fields { series, directional, products, axes, potentials, interactions, locals, .. } = self;
        Operands { series, directional, products, axes: *axes, potentials, interactions, locals: *locals }
    }

    /// Those of a law in a system of this size, for expansions of an order.
    pub(crate) fn of(law: &Law, radial: &Radial, par: &[f64], size: f64, order: usize) -> Self {
        let series = Series::new(&radial.functions, 1, par);
        let mut fields = Fields {
            series,
            directional: Series::new(&radial.directional, radial.axes.len(), par),
            products: Products::new(if radial.directional.folds.is_empty() { 0 } else { order }),
            axes: radial.axes.len(),
            potentials: Vec::new(),
            kinds: Vec::new(),
            interactions: Vec::new(),
            locals: 0,
            parts: Vec::new(),
            members: Vec::new(),
        };
        let terms = fields.with_first_functions(&radial.terms, size);
        // values first: gradients may be theirs
        for value in [true, false] {
            for (term, times) in terms.iter().filter(|(term, _)| (term.degree() != 1) == value) {
                fields.take(*term, *times, size);
            }
        }
        fields.join();
        fields.interactions.sort_by_key(|interaction| (interaction.potential, interaction.powers));
        let mut first = 0;
        for field in law.results() {
            fields.members.push(first..first + field.numbers());
            first += Field::numbers(field);
        }
        fields
    }

    /// Terms with one function for those that are one up to a factor, and the factors.
    fn with_first_functions(&self, terms: &[Term], size: f64) -> Vec<(Term, f64)> {
        let first = |function: usize| {
            let ratio = |other: usize| self.ratio([function, other], size, |_, f, g| [f[0], g[0]]);
            (0..function).find_map(|other| ratio(other).map(|ratio| (other, ratio))).unwrap_or((function, 1.0))
        };
        let firsts: Vec<(usize, f64)> = (0..self.series.len()).map(first).collect();
        let of = |term: &Term| match term.function {
            FunctionOf::Distance(function) => {
                (Term { function: FunctionOf::Distance(firsts[function].0), ..*term }, firsts[function].1)
            }
            FunctionOf::Direction(_) => (*term, 1.0),
        };
        terms.iter().map(of).collect()
    }

    /// Takes a term times a number.
    fn take(&mut self, term: Term, of_term: f64, size: f64) {
        let Term { result, factor, charge, function, powers } = term;
        let axis = if term.degree() == 1 { powers.iter().position(|power| *power == 1) } else { None };
        let (potential, times) = match (function, axis) {
            (FunctionOf::Direction(function), _) => (self.potential(Potential::Directional(function)), 1.0),
            (FunctionOf::Distance(function), None) => (self.potential(Potential::Function(function)), 1.0),
            (FunctionOf::Distance(function), Some(_)) => match self.gradient_of(function, size) {
                Some(found) => found,
                None => (self.potential(Potential::Integral(function)), 1.0),
            },
        };
        let powers = if axis.is_some() { [0; 3] } else { powers };
        let local = self.local(potential, powers, charge);
        let component = axis.map_or(0, |axis| axis + 1);
        self.parts.push(Part { result, factor, local, component, times: times * of_term });
    }

    /// The expansion of what a charge does by a potential.
    fn local(&mut self, potential: usize, powers: [u8; 3], charge: usize) -> usize {
        let same = |i: &&Interaction| (i.potential, i.powers, i.charge) == (potential, powers, charge);
        if let Some(found) = self.interactions.iter().find(same) {
            return found.local;
        }
        let of_kind = (potential, powers.iter().map(|power| usize::from(*power)).sum());
        let kind = self.kinds.iter().position(|kind| *kind == of_kind).unwrap_or_else(|| {
            self.kinds.push(of_kind);
            self.kinds.len() - 1
        });
        let local = self.locals;
        self.interactions.push(Interaction { potential, powers, kind, charge, local });
        self.locals += 1;
        local
    }

    /// Makes one expansion of those whose values are parts of one result with the same factor, and nothing else.
    fn join(&mut self) {
        let alone = |parts: &[Part], local: usize| {
            let mut of = parts.iter().filter(|part| part.local == local);
            of.next().is_some_and(|part| part.component == 0) && of.next().is_none()
        };
        let (parts, mut kept) = (std::mem::take(&mut self.parts), Vec::<Part>::new());
        for part in &parts {
            let like = |other: &&Part| {
                (other.result, other.factor, other.component, other.times) == (part.result, part.factor, 0, part.times)
                    && alone(&parts, other.local)
            };
            match kept.iter().find(like).filter(|_| alone(&parts, part.local)) {
                Some(other) => {
                    let joined = self.interactions.iter_mut().filter(|i| i.local == part.local);
                    joined.for_each(|interaction| interaction.local = other.local);
                }
                None => kept.push(*part),
            }
        }
        self.parts = kept;
        // expansions without a gap
        let mut locals: Vec<usize> = self.interactions.iter().map(|interaction| interaction.local).collect();
        locals.sort_unstable();
        locals.dedup();
        let place = |local: usize| locals.binary_search(&local).unwrap_or(0);
        self.interactions.iter_mut().for_each(|interaction| interaction.local = place(interaction.local));
        self.parts.iter_mut().for_each(|part| part.local = place(part.local));
        self.locals = locals.len();
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
            Potential::Integral(_) | Potential::Directional(_) => None,
        });
        // f / (2 g')
        let ratio = |other: usize| self.ratio([function, other], size, |s, f, g| [f[0] * s, 2.0 * g[1]]);
        functions.into_iter().find_map(|(k, other)| ratio(other).map(|ratio| (k, ratio)))
    }

    /// The ratio of two numbers, from r^2 and the values of two functions and their derivatives by ln r^2, where that is the same at all
    /// distances.
    fn ratio(
        &self,
        functions: [usize; 2],
        size: f64,
        numbers: impl Fn(f64, [f64; 2], [f64; 2]) -> [f64; 2],
    ) -> Option<f64> {
        let (mut work, mut found) = (vec![0.0; self.series.work(2)], None);
        let mut at = 0;
        for k in 0..DISTANCES {
            let s = (2.0 * size * APART.powi(-k)).powi(2);
            self.series.run::<f64, _>(Scalar, Line(1), &[[s, s]], &mut work);
            let of = |function, order| self.series.coefficient::<f64, _>(Scalar, Line(1), function, order, &work);
            let [f, g] = functions.map(|function| [of(function, 0), of(function, 1)]);
            let [a, b] = numbers(s, f, g);
            // where both are 0, or too small for full precision, their ratio is not used
            if a.abs().max(b.abs()) < 1e-280 {
                continue;
            }
            let ratio = a / b;
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
