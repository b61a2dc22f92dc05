//! Laws that kernels of GPUs compute by expansions: any number of charges and of functions of the distance, times powers of the
//! separation.
//!
//! The host finds what is to be computed: places in units of the tree, charges, and functions as text. From sums at a few bodies,
//! which the device makes, it makes the table of the criterion; and from values and gradients of expansions at all bodies the
//! results of the law.

use super::accuracy::LawAccuracy;
use super::criterion::{self, Criterion};
use super::fields::{Fields, Part};
use super::sets::{self, Scale};
use super::{SAMPLE, each, median_of};
use crate::accuracy::Opening;
use manybody_expansions::law::{Interaction, Potential};
use manybody_law::law::{Field, Function, Law, Line, PairInputs, Radial, Role, SelfPair, Statements};
use manybody_law::norm::norm;
use manybody_law::simd::{Level, Scalar};
use manybody_law::{Capability, Error, Result};
use manybody_pairwise::{Interpreter, Precision};
use std::ops::Range;

/// Pairs at one place that a law is asked for.
const PROBES: usize = 8;

/// Most charges, most expansions about a cell, and most products of the two: kernels keep them in registers, and are compiled for each
/// product, or for some together.
const MOST: usize = 12;
const MOST_PRODUCTS: usize = 36;

/// A law on sets of bodies, as a device computes it.
#[derive(Debug)]
pub struct ExpandedLaw {
    law: Law,
    accuracy: LawAccuracy,
    fields: Fields,
    /// What each interaction of the fields is multiplied by.
    times: Vec<f64>,
    /// Those that act, then those acted on where they are others.
    bodies: BodiesOfLaw,
    /// How many there are.
    count: usize,
    /// Which of them are acted on.
    targets: Range<usize>,
    /// Whether a body acts on itself.
    is_self_included: bool,
    /// The square of the length of a unit of the tree.
    pub square: f64,
    /// The charges of the law that are used, and what each was divided by.
    charges: Vec<(usize, f64)>,
    /// What the values of each expansion were divided by.
    scales: Vec<f64>,
    factors: Vec<Vec<f64>>,
    length: f64,
    at_one_place: AtOnePlace,
    /// What expansions lack, where errors open cells.
    missing: Option<Criterion>,
    /// Whether all bodies that are acted on have the same factors.
    is_uniform: bool,
}

/// What a device is given of each body.
#[derive(Clone, Debug, Default)]
pub struct BodiesOfLaw {
    /// In units of the tree.
    pub places: [Vec<f64>; 3],
    /// The size of all charges together.
    pub weights: Vec<f64>,
    /// Each below about 2.
    pub charges: Vec<Vec<f64>>,
}

/// The text of a law's functions, and what expansions are made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LawText {
    /// Statements from `s` = r^2 and `square` = h^2 to `t0_0_0`, `t0_1_0`, ..., `t1_0_0`, ...: (2 h^2 d/ds)^m of each function.
    pub derivatives: Vec<String>,
    /// Statements from `s` and `square` to `value0` and `slope0`, ...: each function and 2 h^2 times its derivative by s, also at s = 0.
    pub pair: Vec<String>,
    /// By expansions, and of one by charges.
    pub products: Vec<ProductText>,
    /// How many charges, and how many expansions about a cell.
    pub charges: usize,
    /// See above.
    pub expansions: usize,
    /// Whether a result needs a value of an expansion; otherwise gradients alone.
    pub has_values: bool,
    /// Whether a body acts on itself.
    pub is_self_included: bool,
}

/// What one charge does to one expansion: the sum of its terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProductText {
    /// Its number.
    pub charge: usize,
    /// That of the expansion.
    pub expansion: usize,
    /// Functions times powers of the separation.
    pub terms: Vec<TermText>,
    /// Whether results need the value.
    pub has_value: bool,
    /// Whether they need the gradient.
    pub has_gradient: bool,
}

impl ProductText {
    /// Whether it is a function of the distance alone.
    pub fn is_radial(&self) -> bool {
        self.terms.iter().all(|term| term.powers == [0; 3])
    }
}

/// A function times powers of the separation and a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TermText {
    /// The number of the function.
    pub function: usize,
    /// Whether it is the integral of the function by r^2 / 2, from the distance of the centres of two cells on.
    pub is_integral: bool,
    /// The powers.
    pub powers: [u8; 3],
    /// The number.
    pub times: String,
}

/// When two cells interact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorTable {
    /// By distance, from the largest: what an interaction lacks, (r/R)^p \[r/R (a + b t) + (c + d t) / R\] a unit of weight,
    /// t = (r/R) / (1 - r/R).
    pub rows: Vec<[f32; 4]>,
    /// The logarithm of the largest distance, in eighths of a factor of two.
    pub last: i32,
    /// Of each body, how much is allowed there, where that is not 1 for all.
    pub allowed: Option<Vec<f32>>,
}

/// Why a law is not of this kind.
fn other(law: &Law, why: &str) -> Error {
    let expected = format!(
        "on a GPU expansions compute laws of charges and functions of the distance, and {} {why}: must be computed with --device \
         cpu, or without --solver",
        law.title()
    );
    Error::Unsupported { capability: Capability::Solver, value: "fmm".into(), expected }
}

/// Makes one charge of those that are proportional, as those of a force and its potential may be, and one expansion of those that are
/// then proportional. Returns what each interaction is multiplied by, and the charges that are left.
fn join_proportional(fields: &mut Fields, charges: &[Vec<f64>]) -> (Vec<f64>, Vec<usize>) {
    let like = |charge: usize| {
        let found = (0..charge).find_map(|k| proportion(&charges[charge], &charges[k]).map(|ratio| (k, ratio)));
        found.unwrap_or((charge, 1.0))
    };
    let mut times = vec![1.0; fields.interactions.len()];
    for (interaction, times) in fields.interactions.iter_mut().zip(&mut times) {
        (interaction.charge, *times) = like(interaction.charge);
    }
    let of = |fields: &Fields, local: usize| -> Vec<(Interaction, f64)> {
        let all = fields.interactions.iter().copied().zip(times.iter().copied());
        let mut found: Vec<_> = all.filter(|(i, _)| i.local == local).collect();
        found.sort_by_key(|(i, _)| (i.potential, i.powers, i.charge));
        found
    };
    let ratio = |fields: &Fields, a: usize, b: usize| {
        let (a, b) = (of(fields, a), of(fields, b));
        let is_alike = |((x, _), (y, _)): (&(Interaction, f64), &(Interaction, f64))| {
            (x.potential, x.powers, x.charge) == (y.potential, y.powers, y.charge)
        };
        if a.len() != b.len() || !a.iter().zip(&b).all(is_alike) {
            return None;
        }
        let [a, b] = [a, b].map(|all| all.into_iter().map(|(_, times)| times).collect::<Vec<f64>>());
        proportion(&a, &b)
    };
    let mut kept: Vec<usize> = Vec::new();
    let mut place: Vec<(usize, f64)> = Vec::new();
    for local in 0..fields.locals {
        let found = kept.iter().enumerate().find_map(|(at, k)| ratio(fields, local, *k).map(|ratio| (at, ratio)));
        place.push(found.unwrap_or((kept.len(), 1.0)));
        if found.is_none() {
            kept.push(local);
        }
    }
    for part in &mut fields.parts {
        let (local, ratio) = place[part.local];
        (part.local, part.times) = (local, part.times * ratio);
    }
    let (interactions, times) = fields
        .interactions
        .iter()
        .zip(times)
        .filter(|(i, _)| kept.contains(&i.local))
        .map(|(i, times)| (Interaction { local: place[i.local].0, ..*i }, times))
        .unzip();
    (fields.interactions, fields.locals) = (interactions, kept.len());
    let mut used: Vec<usize> = fields.interactions.iter().map(|i| i.charge).collect();
    used.sort_unstable();
    used.dedup();
    for interaction in &mut fields.interactions {
        interaction.charge = used.binary_search(&interaction.charge).unwrap_or(0);
    }
    (times, used)
}

/// What b is times to be a, if that is one number.
fn proportion(a: &[f64], b: &[f64]) -> Option<f64> {
    let (x, y) = a.iter().zip(b).find(|(a, b)| **a != 0.0 || **b != 0.0).unwrap_or((&1.0, &1.0));
    let ratio = x / y;
    let is_so = |(a, b): (&f64, &f64)| (a - ratio * b).abs() <= 1e-14 * a.abs();
    (ratio.is_finite() && ratio != 0.0 && a.iter().zip(b).all(is_so)).then_some(ratio)
}

/// What a law says of two bodies at one place.
#[derive(Debug)]
struct AtOnePlace {
    /// They do nothing to each other, where functions may be something.
    is_nothing: bool,
    /// Of each function, whether its gradient is nothing: that of a smooth function of the distance is, but computed from its
    /// derivative by r^2 it may be infinity times 0.
    has_no_slope: Vec<bool>,
}

impl AtOnePlace {
    /// Bodies with any numbers are asked, as what a law says then may depend on these.
    fn of(law: &Law, radial: &Radial, fields: &Fields, par: &[f64]) -> Result<Self> {
        let mut state = 1_u64;
        let mut any = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            0.5 + (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let numbers = |fields: &[Field]| fields.iter().map(Field::numbers).sum::<usize>();
        let counts = [law.body(), law.partner()].map(numbers);
        let values: Vec<f64> = fields.potentials.iter().map(|potential| value_at_zero(fields, *potential)).collect();
        let (mut is_nothing, mut is_same) = (true, true);
        let mut has_no_slope = vec![true; values.len()];
        for _ in 0..PROBES {
            let [i, mut j] = counts.map(|count| (0..count).map(|_| [any()]).collect::<Vec<[f64; 1]>>());
            radial.axes.iter().for_each(|axis| j[axis[1]] = i[axis[0]]);
            let [i, j] = [&i, &j].map(|columns| columns.iter().map(|column| &column[..]).collect::<Vec<&[f64]>>());
            let charges = each(&radial.charges, Role::J, &j, par, 1);
            let factors = each(&radial.factors, Role::I, &i, par, 1);
            let sets = PairInputs::two(&i, &j, par).sized(1, 1);
            let said = Interpreter::new(law, Level::Scalar, Precision::F64).evaluate(&sets)?;
            let mut sums = vec![0.0; said.len()];
            for part in &fields.parts {
                for interaction in fields.interactions.iter().filter(|i| i.local == part.local) {
                    // two bodies at one place have no direction, nor has what is infinite there
                    let is_value = part.component == 0 && interaction.powers == [0; 3];
                    let value = values[interaction.potential] * if is_value { 1.0 } else { 0.0 };
                    sums[part.result] += factors[part.factor][0] * part.times * charges[interaction.charge][0] * value;
                    has_no_slope[interaction.potential] &= part.component == 0 || said[part.result][0].is_finite();
                }
            }
            is_nothing &= said.iter().all(|said| said[0] == 0.0);
            is_same &= said.iter().zip(&sums).all(|(said, sum)| match said[0].is_finite() && sum.is_finite() {
                true => (said[0] - sum).abs() <= 1e-9 * sum.abs(),
                false => !said[0].is_finite() && !sum.is_finite(),
            });
        }
        match (is_same, is_nothing) {
            (true, _) => Ok(AtOnePlace { is_nothing: false, has_no_slope }),
            (false, true) => Ok(AtOnePlace { is_nothing, has_no_slope }),
            (false, false) => Err(other(law, "has a value of its own for two bodies at one place")),
        }
    }
}

fn value_at_zero(fields: &Fields, potential: Potential) -> f64 {
    let series = &fields.series;
    let mut work = vec![0.0; series.work(1)];
    series.run::<f64, _>(Scalar, Line(0), &[[0.0, 0.0]], &mut work);
    match potential {
        Potential::Function(f) => series.coefficient::<f64, _>(Scalar, Line(0), f, 0, &work),
        // a gradient alone: its factor of the separation
        Potential::Integral(f) | Potential::Directional(f) => {
            let slope: f64 = series.coefficient::<f64, _>(Scalar, Line(0), f, 0, &work);
            slope * 0.0
        }
    }
}

/// Leaves out what charges do that are 0 in all bodies: their results would make the criterion infinite.
fn leave_out_nothing(fields: &mut Fields, charges: &[Vec<f64>]) {
    let is_something = |charge: usize| charges[charge].iter().any(|q| *q != 0.0);
    if fields.interactions.iter().any(|i| is_something(i.charge)) {
        fields.interactions.retain(|i| is_something(i.charge));
    }
}

impl ExpandedLaw {
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
        if fields.potentials.iter().any(|potential| matches!(potential, Potential::Directional(_))) {
            return Err(other(law, "has a function of the direction"));
        }
        let all = each(&radial.charges, Role::J, inputs.j, inputs.par, nj);
        let at_one_place = AtOnePlace::of(law, radial, &fields, inputs.par)?;
        leave_out_nothing(&mut fields, &all);
        let (times, used) = join_proportional(&mut fields, &all);
        let mut products: Vec<(usize, usize)> = fields.interactions.iter().map(|i| (i.local, i.charge)).collect();
        products.sort_unstable();
        products.dedup();
        if products.is_empty() {
            return Err(other(law, "has no charge"));
        }
        for (what, count, most) in [
            ("charges", used.len(), MOST),
            ("sums of charges and functions", fields.locals, MOST),
            ("products of charges and functions", products.len(), MOST_PRODUCTS),
        ] {
            if count > most {
                return Err(other(law, &format!("has {count} {what}, {most} at most there")));
            }
        }
        let (xi, xj) = (scale.places(inputs.i, &ai), scale.places(inputs.j, &aj));
        let factors = each(&radial.factors, Role::I, inputs.i, inputs.par, ni);
        let (mut charges, mut of_charges) = (Vec::new(), Vec::new());
        for k in used {
            let most = all[k].iter().fold(0.0, |most: f64, q| most.max(q.abs()));
            let size = if most > 0.0 && most.is_finite() { most.log2().floor().exp2() } else { 1.0 };
            charges.push(all[k].iter().map(|q| q / size).collect::<Vec<f64>>());
            of_charges.push((k, size));
        }
        let mut weights: Vec<f64> = (0..nj).map(|body| norm(charges.iter().map(|charge| charge[body]))).collect();
        let (places, targets) = match inputs.first() {
            Some(first) => {
                let same = xi.iter().zip(&xj).all(|(i, j)| *i == j[first..first + ni]);
                if !same {
                    return Err(other(law, "places bodies elsewhere where they are acted on than where they act"));
                }
                (xj, first..first + ni)
            }
            None => {
                charges.iter_mut().chain([&mut weights]).for_each(|column| column.resize(nj + ni, 0.0));
                let places = xj.into_iter().zip(xi).map(|(j, i)| [j, i].concat()).collect::<Vec<_>>();
                (places.try_into().unwrap_or_default(), nj..nj + ni)
            }
        };
        let scales = (0..fields.locals)
            .map(|local| {
                let of = fields.interactions.iter().zip(&times).filter(|(i, _)| i.local == local);
                let most = of.map(|(i, times)| of_charges[i.charge].1 * times.abs()).fold(0.0, f64::max);
                if most > 0.0 && most.is_finite() { most.log2().floor().exp2() } else { 1.0 }
            })
            .collect();
        let LawAccuracy { order, opening, .. } = accuracy;
        let by_error = matches!(opening, Opening::Error(_));
        let missing = by_error.then(|| Criterion::new(&fields, order, opening, scale.length));
        let is_uniform = factors.iter().all(|factor| factor.iter().all(|x| *x == factor[0]));
        Ok(ExpandedLaw {
            is_self_included: law.self_pair() == SelfPair::Included || !inputs.same_bodies(),
            law: law.clone(),
            accuracy,
            fields,
            times,
            count: places[0].len(),
            bodies: BodiesOfLaw { places, weights, charges },
            targets,
            square: scale.length * scale.length,
            charges: of_charges,
            scales,
            factors,
            length: scale.length,
            at_one_place,
            missing,
            is_uniform,
        })
    }

    /// The interactions of an expansion, and what each is multiplied by.
    fn interactions_of(&self, local: usize) -> impl Iterator<Item = (&Interaction, f64)> {
        self.fields.interactions.iter().zip(self.times.iter().copied()).filter(move |(i, _)| i.local == local)
    }

    /// The bodies, which are for the device alone: those that act, then those acted on where they are others.
    pub fn take_bodies(&mut self) -> BodiesOfLaw {
        std::mem::take(&mut self.bodies)
    }

    /// The text of the law; `call` writes a function of a number.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for numbers that f32 does not have.
    pub fn text(&self, is_f32: bool, call: &dyn Fn(Function, &str) -> String) -> Result<LawText> {
        let series = &self.fields.series;
        let products = self.products();
        // at distances of the size of the system and below
        let points = [4.0, 1.0, 0.1, 0.01].map(|part| part * self.square);
        const RANGE: Range<f64> = 1e-37..1e37;
        let factor = |interaction: &Interaction, times: f64| {
            times * self.charges[interaction.charge].1 / self.scales[interaction.local]
        };
        let mut factors = self.fields.interactions.iter().zip(&self.times).map(|(i, times)| {
            let degree: i32 = i.powers.iter().map(|power| i32::from(*power)).sum();
            (factor(i, *times).abs(), self.length.powi(degree))
        });
        let is_in_range = factors.all(|(times, power)| RANGE.contains(&times) && RANGE.contains(&(times * power)));
        if is_f32 && !(series.fits_f32(&points) && RANGE.contains(&self.square) && is_in_range) {
            return Err(other(
                &self.law,
                "has numbers beyond those of f32 in these units (--precision f64 has them on cuda)",
            ));
        }
        let products = products
            .into_iter()
            .map(|(expansion, charge)| {
                let has = |is: fn(usize) -> bool| {
                    self.fields.parts.iter().any(|part| part.local == expansion && is(part.component))
                };
                let of = self.interactions_of(expansion).filter(|(i, _)| i.charge == charge);
                let term = |(i, times): (&Interaction, f64)| TermText {
                    function: i.potential,
                    is_integral: false,
                    powers: i.powers,
                    times: format!("{:?}", factor(i, times)),
                };
                let (has_value, has_gradient) = (has(|component| component == 0), has(|component| component > 0));
                ProductText { charge, expansion, terms: of.map(term).collect(), has_value, has_gradient }
            })
            .collect();
        let derivatives =
            self.statements(self.accuracy.order, call, |p, m, text| format!("const real t{p}_{m}_0 = {text};"));
        let pair = self.statements(1, call, |p, m, text| {
            let name = ["value", "slope"][m];
            let AtOnePlace { is_nothing, has_no_slope } = &self.at_one_place;
            match *is_nothing || m == 1 && has_no_slope[p] {
                true => format!("const real {name}{p} = m_where(s > real(0.0), {text}, real(0.0));"),
                false => format!("const real {name}{p} = {text};"),
            }
        });
        Ok(LawText {
            derivatives,
            pair,
            products,
            charges: self.charges.len(),
            expansions: self.fields.locals,
            has_values: self.fields.parts.iter().any(|part| part.component == 0),
            is_self_included: self.is_self_included,
        })
    }

    /// Statements that compute the derivatives of each potential up to an order; `name` names one.
    fn statements(
        &self,
        order: usize,
        call: &dyn Fn(Function, &str) -> String,
        name: impl Fn(usize, usize, &str) -> String,
    ) -> Vec<String> {
        let Statements { mut lines, coefficients } = self.fields.series.statements(order, ["s", "square"], call);
        for (p, potential) in self.fields.potentials.iter().enumerate() {
            let (function, first, more) = match potential {
                Potential::Function(f) => (*f, 0, ""),
                Potential::Integral(f) | Potential::Directional(f) => (*f, 1, " * square"),
            };
            if first == 1 {
                lines.push(name(p, 0, "real(0.0)"));
            }
            let mut factor = 1.0;
            for (m, c) in coefficients[function].iter().enumerate().take(order + 1 - first) {
                lines.push(name(p, m + first, &format!("{c} * real({factor:?}){more}")));
                factor *= 2.0 * (m + 1) as f64;
            }
        }
        lines
    }

    /// The pairs of an expansion and a charge that interact.
    fn products(&self) -> Vec<(usize, usize)> {
        let mut products: Vec<(usize, usize)> = self.fields.interactions.iter().map(|i| (i.local, i.charge)).collect();
        products.sort_unstable();
        products.dedup();
        products
    }

    /// The bodies at which the device is to make sums: some of those that are acted on.
    pub fn samples(&self) -> Vec<u32> {
        let (n, count) = (self.targets.len(), SAMPLE.min(self.targets.len()));
        (0..count).map(|k| (self.targets.start + k * n / count) as u32).collect()
    }

    /// The criterion, from the gradients and values of all expansions at the bodies of [`samples`](Self::samples).
    pub fn table(&self, samples: &[(usize, Vec<f64>)]) -> ErrorTable {
        let numbers = self.fields.members.last().map_or(0, |member| member.end);
        let mut results = vec![vec![0.0; samples.len()]; numbers];
        for (at, (body, found)) in samples.iter().enumerate() {
            for Part { result, factor, local, component, times } in &self.fields.parts {
                let (scale, from) = self.scale_of(*local, *component);
                results[*result][at] += self.factors[*factor][body - self.targets.start] * times * scale * found[from];
            }
        }
        let medians: Vec<f64> =
            self.fields.members.iter().map(|numbers| median_of(&results, numbers, samples.len())).collect();
        let Some(missing) = &self.missing else {
            return ErrorTable { rows: vec![[0.0; 4]], last: 0, allowed: None };
        };
        // one stands for all where all are alike
        let sinks = if self.is_uniform { 1 } else { self.targets.len() };
        let weights = criterion::of_sinks(&self.fields, &self.factors, &medians, sinks);
        let mut most = vec![[0.0_f64; 2]; self.fields.locals];
        for weights in weights.chunks_exact(self.fields.locals) {
            most.iter_mut().zip(weights).for_each(|(most, w)| *most = [most[0].max(w[0]), most[1].max(w[1])]);
        }
        let part = |weight: f64, most: f64| match weight {
            0.0 => 0.0,
            w if w == most => 1.0,
            w => w / most,
        };
        let of_body = |weights: &[[f64; 2]]| {
            let of = |(w, most): (&[f64; 2], &[f64; 2])| part(w[0], most[0]).max(part(w[1], most[1]));
            weights.iter().zip(&most).map(of).fold(0.0, f64::max)
        };
        let of_all: Vec<f64> = weights.chunks_exact(self.fields.locals).map(of_body).collect();
        let (n, per_length) = (self.accuracy.order as f64 + 1.0, 1.0 / self.length);
        let (last, rows) = missing.entries(0);
        let row = |at: usize| {
            let mut of_charges = vec![[0.0; 4]; self.charges.len()];
            for (interaction, times) in self.fields.interactions.iter().zip(&self.times) {
                let size = self.charges[interaction.charge].1 * times.abs();
                let is_nothing = |weight: f64, missing: f64| weight == 0.0 || missing == 0.0;
                let of = |weight, missing| if is_nothing(weight, missing) { 0.0 } else { weight * missing * size };
                let ([value, slope], [a, b]) = (most[interaction.local], missing.entries(interaction.kind).1[at]);
                let slope = slope * per_length;
                let lacks = [of(value, a), of(value, b), of(slope * n, a), of(slope * (n + 1.0), b)];
                of_charges[interaction.charge].iter_mut().zip(lacks).for_each(|(sum, lacks)| *sum += lacks);
            }
            // sum a_k |q_k| is at most |a| |q|: weights are sizes of all charges together
            [0, 1, 2, 3].map(|k| norm(of_charges.iter().map(|of| of[k])) as f32)
        };
        let is_plain = self.targets.len() == self.count && of_all.iter().all(|w| *w == 1.0);
        let allowed = (!is_plain).then(|| {
            // nothing is asked of bodies that only act
            let mut allowed = vec![f32::MAX; self.count];
            let of = |w: &f64| if *w > 0.0 { ((1.0 / w) as f32).min(f32::MAX) } else { f32::MAX };
            allowed[self.targets.clone()].iter_mut().zip(of_all.iter().cycle()).for_each(|(to, w)| *to = of(w));
            allowed
        });
        ErrorTable { rows: (0..rows.len()).map(row).collect(), last, allowed }
    }

    /// The results of the law, from columns of the gradients and values of all expansions at all bodies: `[4 k + c]` of expansion k, of
    /// which those that no result needs may be empty.
    pub fn results(&self, inputs: &PairInputs<'_>, level: Level, found: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut results = vec![vec![0.0; self.targets.len()]; self.law.cells().len()];
        for Part { result, factor, local, component, times } in &self.fields.parts {
            let (scale, from) = self.scale_of(*local, *component);
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

    /// What numbers of an expansion are multiplied by, and which it is of the gradients and values of all.
    fn scale_of(&self, local: usize, component: usize) -> (f64, usize) {
        match component {
            0 => (self.scales[local], 4 * local + 3),
            axis => (self.scales[local] / self.length, 4 * local + axis - 1),
        }
    }
}
