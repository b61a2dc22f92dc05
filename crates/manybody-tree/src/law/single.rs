//! Laws that kernels of GPUs compute by expansions: one charge and one function of the distance, its value and its gradient.
//!
//! The host finds what is to be computed: places in units of the tree, the charge, and the function as text. From sums at a few
//! bodies, which the device makes, it makes the table of the criterion; and from values and gradients at all bodies the
//! results of the law.

use super::accuracy::LawAccuracy;
use super::criterion::{self, Criterion};
use super::fields::{Fields, Interaction, Part, Potential};
use super::sets::{self, Scale};
use super::{SAMPLE, each, median_of};
use crate::accuracy::Opening;
use manybody_law::law::{Field, Function, Law, PairInputs, Radial, Role, SelfPair, Statements};
use manybody_law::simd::Level;
use manybody_law::{Capability, Error, Result};
use manybody_pairwise::{Interpreter, Precision};
use std::ops::Range;

/// Pairs at one place that a law is asked for.
const PROBES: usize = 8;

/// A law of one charge and one function on sets of bodies.
#[derive(Debug)]
pub struct SinglePotential {
    law: Law,
    accuracy: LawAccuracy,
    fields: Fields,
    potential: Potential,
    /// Those that act, then those acted on where they are others.
    bodies: [Vec<f64>; 4],
    /// How many there are.
    count: usize,
    /// Which of them are acted on.
    targets: Range<usize>,
    /// Whether a body acts on itself.
    is_self_included: bool,
    /// The square of the length of a unit of the tree.
    pub square: f64,
    /// The number of the charge, and what it was divided by.
    of_charge: usize,
    charge: f64,
    factors: Vec<Vec<f64>>,
    length: f64,
    /// Whether pairs at one place do nothing.
    is_nothing_at_zero: bool,
    /// What expansions lack, where errors open cells.
    missing: Option<Criterion>,
    /// Whether all bodies that are acted on have the same factors.
    is_uniform: bool,
}

/// The text of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionText {
    /// Statements from `s` = r^2 and `square` = h^2 to `t0_0`, `t1_0`, ...: (2 h^2 d/ds)^m of the function.
    pub derivatives: Vec<String>,
    /// Statements from `s` and `square` to `value` and `slope`: the function and 2 h^2 times its derivative by s, also at s = 0.
    pub pair: Vec<String>,
    /// Whether there is a value; otherwise its gradient alone is known.
    pub has_value: bool,
    /// Whether a body acts on itself.
    pub is_self_included: bool,
}

/// When two cells interact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorTable {
    /// By distance, from the largest: what an interaction lacks, (r/R)^p \[r/R (a + b r/R) + (c + d r/R) / R\] a unit of charge.
    pub rows: Vec<[f32; 4]>,
    /// The logarithm of the largest distance, in eighths of a factor of two.
    pub last: i32,
    /// Of each body, how much is allowed there, where that is not 1 for all.
    pub allowed: Option<Vec<f32>>,
}

/// Why a law is not of this kind.
fn other(law: &Law, why: &str) -> Error {
    let expected = format!(
        "on a GPU expansions compute laws of one charge and one function of the distance, and {} {why}: must be computed \
         with --device cpu, or without --solver",
        law.title()
    );
    Error::Unsupported { capability: Capability::Solver, value: "fmm".into(), expected }
}

/// Makes one interaction of those by one function whose charges are proportional, as those of a force and its potential may be.
fn join_proportional(fields: &mut Fields, charges: &[Vec<f64>]) {
    let Some(first) = fields.interactions.first().copied() else { return };
    let ratio = |interaction: &Interaction| {
        let alike = (interaction.potential, interaction.powers) == (first.potential, first.powers);
        if alike { proportion(&charges[interaction.charge], &charges[first.charge]) } else { None }
    };
    let Some(ratios) = fields.interactions.iter().map(ratio).collect::<Option<Vec<f64>>>() else { return };
    // of an expansion that several interactions share the parts are not known one by one
    let mut locals: Vec<usize> = fields.interactions.iter().map(|interaction| interaction.local).collect();
    locals.sort_unstable();
    locals.dedup();
    if locals.len() != fields.interactions.len() {
        return;
    }
    for part in &mut fields.parts {
        let of = fields.interactions.iter().position(|interaction| interaction.local == part.local).unwrap_or(0);
        (part.local, part.times) = (0, part.times * ratios[of]);
    }
    fields.interactions.truncate(1);
    fields.interactions[0].local = 0;
    fields.locals = 1;
}

/// What b is times to be a, if that is one number.
fn proportion(a: &[f64], b: &[f64]) -> Option<f64> {
    let (x, y) = a.iter().zip(b).find(|(a, b)| **a != 0.0 || **b != 0.0).unwrap_or((&1.0, &1.0));
    let ratio = x / y;
    let is_so = |(a, b): (&f64, &f64)| (a - ratio * b).abs() <= 1e-14 * a.abs();
    (ratio.is_finite() && ratio != 0.0 && a.iter().zip(b).all(is_so)).then_some(ratio)
}

impl SinglePotential {
    /// Expansions of cells closer than this, radii over distance, converge too slowly, whatever the criterion says.
    pub const WIDEST_ANGLE: f32 = criterion::WIDEST as f32;

    /// The law on these sets.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a law of another kind, with the reason.
    pub fn new(law: &Law, radial: &Radial, inputs: &PairInputs<'_>, accuracy: LawAccuracy) -> Result<Self> {
        let (ni, nj) = inputs.lens();
        let axes = |side: usize| radial.axes.iter().map(move |axis| axis[side]).collect::<Vec<_>>();
        let (ai, aj) = (axes(0), axes(1));
        let scale = Scale::of(inputs, [&ai, &aj]);
        let mut fields = Fields::of(law, radial, inputs.par, scale.length, accuracy.order);
        let charges = each(&radial.charges, Role::J, inputs.j, inputs.par, nj);
        join_proportional(&mut fields, &charges);
        let (potential, of_charge) = match &fields.interactions[..] {
            [Interaction { powers: [0, 0, 0], potential, charge, .. }] => (fields.potentials[*potential], *charge),
            [_] => return Err(other(law, "has a tensor")),
            many => {
                return Err(other(
                    law,
                    &format!("has {} products of charges and functions that are not proportional", many.len()),
                ));
            }
        };
        if matches!(potential, Potential::Directional(_)) {
            return Err(other(law, "has a function of the direction"));
        }
        let (xi, xj) = (scale.places(inputs.i, &ai), scale.places(inputs.j, &aj));
        let factors = each(&radial.factors, Role::I, inputs.i, inputs.par, ni);
        let most = charges[of_charge].iter().fold(0.0, |most: f64, q| most.max(q.abs()));
        let charge = if most > 0.0 && most.is_finite() { most.log2().ceil().exp2() } else { 1.0 };
        let mut charges: Vec<f64> = charges[of_charge].iter().map(|q| q / charge).collect();
        let (places, targets) = match inputs.first() {
            Some(first) => {
                let same = xi.iter().zip(&xj).all(|(i, j)| *i == j[first..first + ni]);
                if !same {
                    return Err(other(law, "places bodies elsewhere where they are acted on than where they act"));
                }
                (xj, first..first + ni)
            }
            None => {
                charges.resize(nj + ni, 0.0);
                let places = xj.into_iter().zip(xi).map(|(j, i)| [j, i].concat()).collect::<Vec<_>>();
                (places.try_into().unwrap_or_default(), nj..nj + ni)
            }
        };
        let [x, y, z] = places;
        let LawAccuracy { order, opening, .. } = accuracy;
        let by_error = matches!(opening, Opening::Error(_));
        let missing = by_error.then(|| Criterion::new(&fields, order, opening, scale.length));
        let is_uniform = factors.iter().all(|factor| factor.iter().all(|x| *x == factor[0]));
        let mut found = SinglePotential {
            is_self_included: law.self_pair() == SelfPair::Included || !inputs.same_bodies(),
            law: law.clone(),
            accuracy,
            fields,
            potential,
            count: x.len(),
            bodies: [x, y, z, charges],
            targets,
            square: scale.length * scale.length,
            of_charge,
            charge,
            factors,
            length: scale.length,
            is_nothing_at_zero: false,
            missing,
            is_uniform,
        };
        found.is_nothing_at_zero = found.at_one_place(radial, inputs.par)?;
        Ok(found)
    }

    /// Whether two bodies at one place do nothing to each other where the function is not nothing: a law may say so. Bodies with
    /// any numbers are asked, as what a law says then may depend on these.
    fn at_one_place(&self, radial: &Radial, par: &[f64]) -> Result<bool> {
        let mut state = 1_u64;
        let mut any = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            0.5 + (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let numbers = |fields: &[Field]| fields.iter().map(Field::numbers).sum::<usize>();
        let counts = [self.law.body(), self.law.partner()].map(numbers);
        let (mut is_nothing, mut is_same) = (true, true);
        for _ in 0..PROBES {
            let [i, mut j] = counts.map(|count| (0..count).map(|_| [any()]).collect::<Vec<[f64; 1]>>());
            radial.axes.iter().for_each(|axis| j[axis[1]] = i[axis[0]]);
            let [i, j] = [&i, &j].map(|columns| columns.iter().map(|column| &column[..]).collect::<Vec<&[f64]>>());
            let charge = each(&radial.charges, Role::J, &j, par, 1);
            let factors = each(&radial.factors, Role::I, &i, par, 1);
            let sets = PairInputs::two(&i, &j, par).sized(1, 1);
            let said = Interpreter::new(&self.law, Level::Scalar, Precision::F64).evaluate(&sets)?;
            let value = self.value_at_zero();
            let mut sums = vec![0.0; said.len()];
            for part in &self.fields.parts {
                let factor = factors[part.factor][0] * part.times * charge[self.of_charge][0];
                // two bodies at one place have no direction, nor has what is infinite there
                sums[part.result] += factor * if part.component == 0 { value } else { 0.0 * value };
            }
            is_nothing &= said.iter().all(|said| said[0] == 0.0);
            is_same &= said.iter().zip(&sums).all(|(said, sum)| match said[0].is_finite() && sum.is_finite() {
                true => (said[0] - sum).abs() <= 1e-9 * sum.abs(),
                false => !said[0].is_finite() && !sum.is_finite(),
            });
        }
        match (is_same, is_nothing) {
            (true, _) => Ok(false),
            (false, true) => Ok(true),
            (false, false) => Err(other(&self.law, "has a value of its own for two bodies at one place")),
        }
    }

    fn value_at_zero(&self) -> f64 {
        use manybody_law::law::Line;
        use manybody_law::simd::Scalar;
        let series = &self.fields.series;
        let mut work = vec![0.0; series.work(1)];
        series.run::<f64, _>(Scalar, Line(0), &[[0.0, 0.0]], &mut work);
        match self.potential {
            Potential::Function(f) => series.coefficient::<f64, _>(Scalar, Line(0), f, 0, &work),
            // a gradient alone: its factor of the separation
            Potential::Integral(f) | Potential::Directional(f) => {
                let slope: f64 = series.coefficient::<f64, _>(Scalar, Line(0), f, 0, &work);
                slope * 0.0
            }
        }
    }

    /// The places and charges of the bodies, which are for the device alone: those that act, then those acted on where they are
    /// others.
    pub fn take_bodies(&mut self) -> [Vec<f64>; 4] {
        std::mem::take(&mut self.bodies)
    }

    /// The text of the function; `call` writes a function of a number.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for numbers that f32 does not have.
    pub fn text(&self, is_f32: bool, call: &dyn Fn(Function, &str) -> String) -> Result<FunctionText> {
        let series = &self.fields.series;
        // at distances of the size of the system and below
        let points = [4.0, 1.0, 0.1, 0.01].map(|part| part * self.square);
        if is_f32 && !(series.fits_f32(&points) && self.square < 1e37 && self.square > 1e-37) {
            return Err(other(
                &self.law,
                "has numbers beyond those of f32 in these units (--precision f64 has them on cuda)",
            ));
        }
        let order = self.accuracy.order;
        let (function, is_integral) = match self.potential {
            Potential::Function(f) => (f, false),
            Potential::Integral(f) | Potential::Directional(f) => (f, true),
        };
        let chain = |order: usize| -> (Statements, Vec<String>) {
            let found =
                series.statements(if is_integral { order.saturating_sub(1) } else { order }, ["s", "square"], call);
            let mut factor = 1.0;
            let mut names = Vec::new();
            if is_integral {
                names.push("real(0.0)".into());
            }
            for (m, c) in found.coefficients[function].iter().enumerate().take(order + 1 - names.len()) {
                let more = if is_integral { " * square" } else { "" };
                names.push(format!("{c} * real({factor:?}){more}"));
                factor *= 2.0 * (m + 1) as f64;
            }
            (found, names)
        };
        let (found, names) = chain(order);
        let mut derivatives = found.lines;
        derivatives.extend(names.iter().enumerate().map(|(m, name)| format!("const real t{m}_0 = {name};")));
        let (found, names) = chain(1);
        let mut pair = found.lines;
        for (to, from) in ["value", "slope"].iter().zip(&names) {
            let from = if self.is_nothing_at_zero {
                format!("m_where(s > real(0.0), {from}, real(0.0))")
            } else {
                from.clone()
            };
            pair.push(format!("const real {to} = {from};"));
        }
        Ok(FunctionText { derivatives, pair, has_value: !is_integral, is_self_included: self.is_self_included })
    }

    /// The bodies at which the device is to make sums: some of those that are acted on.
    pub fn samples(&self) -> Vec<u32> {
        let (n, count) = (self.targets.len(), SAMPLE.min(self.targets.len()));
        (0..count).map(|k| (self.targets.start + k * n / count) as u32).collect()
    }

    /// The criterion, from values and gradients at the bodies of [`samples`](Self::samples).
    pub fn table(&self, samples: &[(usize, [f64; 4])]) -> ErrorTable {
        let numbers = self.fields.members.last().map_or(0, |member| member.end);
        let mut results = vec![vec![0.0; samples.len()]; numbers];
        for (at, (body, found)) in samples.iter().enumerate() {
            self.add_parts(body - self.targets.start, found, |result, x| results[result][at] += x);
        }
        let medians: Vec<f64> =
            self.fields.members.iter().map(|numbers| median_of(&results, numbers, samples.len())).collect();
        let Some(missing) = &self.missing else {
            return ErrorTable { rows: vec![[0.0; 4]], last: 0, allowed: None };
        };
        // one stands for all where all are alike
        let sinks = if self.is_uniform { 1 } else { self.targets.len() };
        let weights = criterion::of_sinks(&self.fields, &self.factors, &medians, sinks);
        let most = weights.iter().fold([0.0_f64; 2], |most, w| [most[0].max(w[0]), most[1].max(w[1])]);
        let part = |weight: f64, most: f64| match weight {
            0.0 => 0.0,
            w if w == most => 1.0,
            w => w / most,
        };
        let of_all: Vec<f64> = weights.iter().map(|w| part(w[0], most[0]).max(part(w[1], most[1]))).collect();
        let (n, per_length) = (self.accuracy.order as f64 + 1.0, 1.0 / self.length);
        let (last, entries) = missing.entries(0);
        let row = |[a, b]: &[f64; 2]| {
            let of = |weight: f64, missing: f64| if missing == 0.0 { 0.0 } else { weight * missing * self.charge };
            let slope = most[1] * per_length;
            [of(most[0], *a), of(most[0], *b), of(slope * n, *a), of(slope * (n + 1.0), *b)].map(|x| x as f32)
        };
        let is_plain = self.targets.len() == self.count && of_all.iter().all(|w| *w == 1.0);
        let allowed = (!is_plain).then(|| {
            // nothing is asked of bodies that only act
            let mut allowed = vec![f32::MAX; self.count];
            let of = |w: &f64| if *w > 0.0 { ((1.0 / w) as f32).min(f32::MAX) } else { f32::MAX };
            allowed[self.targets.clone()].iter_mut().zip(of_all.iter().cycle()).for_each(|(to, w)| *to = of(w));
            allowed
        });
        ErrorTable { rows: entries.iter().map(row).collect(), last, allowed }
    }

    /// The results of the law, from columns of values and of gradients at all bodies.
    pub fn results(&self, inputs: &PairInputs<'_>, level: Level, found: &[Vec<f64>; 4]) -> Vec<Vec<f64>> {
        let mut results = vec![vec![0.0; self.targets.len()]; self.law.cells().len()];
        for Part { result, factor, component, times, .. } in &self.fields.parts {
            let (scale, from) = self.scale_of(*component);
            let factors = self.factors[*factor].iter().zip(&found[from][self.targets.clone()]);
            let to = results[*result].iter_mut();
            to.zip(factors).for_each(|(to, (factor, x))| *to += factor * times * scale * x);
        }
        if self.law.self_pair() == SelfPair::Custom && inputs.same_bodies() {
            sets::add_own(&self.law, level, Precision::F64, inputs, &mut results);
        }
        results
    }

    /// The results of a law on sets of which one is empty.
    pub fn of_nothing(law: &Law, inputs: &PairInputs<'_>, level: Level) -> Vec<Vec<f64>> {
        let mut results = vec![vec![0.0; inputs.lens().0]; law.cells().len()];
        if law.self_pair() == SelfPair::Custom && inputs.same_bodies() {
            sets::add_own(law, level, Precision::F64, inputs, &mut results);
        }
        results
    }

    fn add_parts(&self, target: usize, found: &[f64; 4], mut add: impl FnMut(usize, f64)) {
        for Part { result, factor, component, times, .. } in &self.fields.parts {
            let (scale, from) = self.scale_of(*component);
            add(*result, self.factors[*factor][target] * times * scale * found[from]);
        }
    }

    /// What numbers of the device are multiplied by, and which it is of a gradient and a value.
    fn scale_of(&self, component: usize) -> (f64, usize) {
        match component {
            0 => (self.charge, 3),
            axis => (self.charge / self.length, axis - 1),
        }
    }
}
