//! Accelerations by any law that yields them, on any device.
//!
//! The law's members are columns of the bodies by name, as in `manybody force --law`. Of its results those are read
//! that have the names that built-in laws give them:
//!
//! | result | meaning |
//! |---|---|
//! | `acc[3]` or `a[3]`, a sum | acceleration |
//! | `f[3]` or `force[3]`, a sum | force; the acceleration is force / mass |
//! | `pot`, a sum | the potential: per mass beside an acceleration, per charge `q` beside a force |
//! | `u`, a sum | the energy of the pairs that a body is in |
//! | `dNAME`, a sum, where bodies have an extra column NAME | the rate of that column |
//!
//! Energies are half the sums over bodies, for each pair counts at both its bodies.

use super::{Accelerations, Audited, ForceModel};
use crate::audit::{self, ForceErrors};
use crate::error::Capability;
use crate::law::{Cell, Field, Law, PairInputs, Targets};
use crate::solver::{self, Evaluator, ForceTerms, Forces, Method, Precision, SolverName};
use crate::units::{Dimension, Units, parse_quantity};
use crate::watch::Watch;
use crate::{Bodies, Error, Result};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

/// The text of a law: that of the file in `folder`, where `law` names one, else `law` itself, a name or a text.
///
/// # Errors
/// [`Error::Io`], also for what can only be a path, where no file is; [`Error::Field`] for a file that holds no law;
/// [`Error::Parameter`] for a path of what is no regular file.
pub fn law_text(law: &str, folder: &Path) -> Result<String> {
    let path = folder.join(law);
    if law.contains('\n') || !(path.is_file() || is_path(law)) {
        return Ok(law.into());
    }
    // a device or a pipe may have no end
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        let expected = "must be a name, a text or a regular file that holds a text".into();
        return Err(Error::Parameter { name: "law", value: law.into(), expected });
    }
    match std::fs::read_to_string(&path) {
        Ok(text) => match Law::parse(&text) {
            Ok(_) => Ok(text),
            Err(error) => Err(Error::Field { path, field: "law".into(), problem: error.to_string() }),
        },
        Err(source) => Err(Error::Io { path, action: "read the law", source }),
    }
}

/// Whether a word can only be a path: names of laws have letters, digits and hyphens, and a text has a space or one of the
/// other signs.
fn is_path(law: &str) -> bool {
    law.contains(['.', '/', '\\']) && !law.contains(|c: char| c.is_whitespace() || "=;[(".contains(c))
}

/// The numbers of a law's parameters from words `name=value` and, for several numbers, `name=value,value,...`; a
/// value may be a fraction.
///
/// # Errors
/// [`Error::Parameter`] for what is no such thing, and those of [`Law::parameter_values`].
pub fn law_parameters(law: &Law, words: &[String], units: &Units) -> Result<Vec<f64>> {
    let (mut given, mut names) = (Vec::new(), BTreeSet::new());
    for text in words {
        let wrong = || Error::Parameter {
            name: "par",
            value: text.into(),
            expected: "a parameter is given as name=value, for example eps2=1e-4; several numbers as name=3,-7.5,11"
                .into(),
        };
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let number = |value: &str| parse_quantity(value.trim(), Dimension::NUMBER, units).map_err(|_| wrong());
        let values = values.split(',').map(number).collect::<Result<Vec<f64>>>()?;
        if !names.insert(name.trim()) {
            let (value, expected) = (text.clone(), format!("{} is given twice: must be given once", name.trim()));
            return Err(Error::Parameter { name: "par", value, expected });
        }
        given.extend(law.parameter_numbers(name.trim(), &values)?);
    }
    law.parameter_values(&given)
}

/// The extra columns of bodies that a law reads.
pub(crate) fn extra_columns(law: &Law, bodies: &Bodies) -> BTreeSet<String> {
    let fields = law.body().iter().chain(law.partner());
    fields.flat_map(|field| law.column_names(field)).filter(|name| bodies.extra.contains_key(name)).collect()
}

/// Refuses ids that laws cannot distinguish, for they compare numbers of f64.
fn check_ids(bodies: &Bodies) -> Result<()> {
    let Some(body) = bodies.id.iter().position(|id| *id >= 1 << f64::MANTISSA_DIGITS) else { return Ok(()) };
    let expected = format!("a law that reads ids must have whole numbers below {}", 1_u64 << f64::MANTISSA_DIGITS);
    Err(Error::Column { column: format!("id = {} of body {body}", bodies.id[body]), expected })
}

/// Calls `with` with the columns of the bodies that the law reads.
///
/// # Errors
/// As [`Law::read`], and those of `with`.
pub fn with_inputs<T>(
    law: &Law,
    bodies: &Bodies,
    par: &[f64],
    with: impl FnOnce(&PairInputs<'_>) -> Result<T>,
) -> Result<T> {
    let mut fields = law.body().iter().chain(law.partner());
    if fields.any(|field| law.column_names(field).iter().any(|name| name == "id")) {
        check_ids(bodies)?;
    }
    let (i, j) = (law.read(law.body(), bodies)?, law.read(law.partner(), bodies)?);
    let i: Vec<&[f64]> = i.iter().map(|column| &column[..]).collect();
    let j: Vec<&[f64]> = j.iter().map(|column| &column[..]).collect();
    match law.has_one_kind() {
        true => with(&PairInputs::one(&i, par).sized(bodies.len(), bodies.len())),
        false => with(&PairInputs::roles(&i, &j, par).sized(bodies.len(), bodies.len())),
    }
}

/// Writes columns of bodies that follow from the others.
type Derive = Box<dyn FnMut(&mut Bodies) -> Result<()> + Send>;

/// A law that accelerates bodies.
pub struct LawForces {
    law: Law,
    par: Vec<f64>,
    evaluator: Box<dyn Evaluator>,
    /// For energies: f64 where the device has it.
    exact: Box<dyn Evaluator>,
    yields: Yields,
    reads_velocities: bool,
    advanced: Vec<String>,
    derive: Option<Derive>,
    /// As last computed, for audits.
    results: Vec<Vec<f64>>,
}

impl LawForces {
    /// The law on these bodies, with the numbers of its parameters ([`Law::parameter_values`]).
    ///
    /// # Errors
    /// [`Error::Parameter`] for a law that yields no acceleration, and for columns that the bodies do not have;
    /// [`Error::Unsupported`] for the solver fmm, whose error a run does not audit; those of [`solver::evaluator`].
    pub fn new(law: Law, par: Vec<f64>, method: &Method, bodies: &Bodies) -> Result<Self> {
        LawForces::made(law, par, method, bodies, None)
    }

    /// [`new`](Self::new), for a law that reads columns which follow from the others, as densities and pressures in a gas:
    /// `derive` writes them before each evaluation. Those that the bodies have are kept in them. They must depend on the
    /// bodies alone.
    ///
    /// # Errors
    /// As [`new`](Self::new), and those of `derive`.
    pub fn deriving(
        law: Law,
        par: Vec<f64>,
        method: &Method,
        bodies: &Bodies,
        mut derive: impl FnMut(&mut Bodies) -> Result<()> + Send + 'static,
    ) -> Result<Self> {
        let mut whole = bodies.clone();
        derive(&mut whole)?;
        LawForces::made(law, par, method, &whole, Some(Box::new(derive)))
    }

    fn made(law: Law, par: Vec<f64>, method: &Method, bodies: &Bodies, derive: Option<Derive>) -> Result<Self> {
        if method.solver == SolverName::Fmm {
            return Err(Error::Unsupported {
                capability: Capability::Solver,
                value: method.solver.to_string(),
                expected: "a run evaluates a law for all pairs, or by the solver tree; force --law has fmm".into(),
            });
        }
        let yields = Yields::of(&law, bodies)?;
        with_inputs(&law, bodies, &par, |inputs| inputs.check(&law, 2f64.powi(53)))?;
        let advanced: Vec<String> = yields.rates.iter().map(|(name, _)| name.clone()).collect();
        let columns = || law.body().iter().chain(law.partner()).flat_map(|field| law.column_names(field));
        let changes = |name: &String| ["vx", "vy", "vz"].contains(&name.as_str()) || advanced.contains(name);
        Ok(LawForces {
            evaluator: solver::evaluator(method, &law)?,
            exact: most_exact(method, &law)?,
            reads_velocities: columns().any(|name| changes(&name)),
            results: Vec::new(),
            law,
            par,
            yields,
            advanced,
            derive,
        })
    }

    /// The bodies with the columns that follow from the others.
    fn whole<'a>(&mut self, bodies: &'a Bodies) -> Result<Cow<'a, Bodies>> {
        let Some(derive) = &mut self.derive else { return Ok(Cow::Borrowed(bodies)) };
        let mut whole = bodies.clone();
        derive(&mut whole)?;
        Ok(Cow::Owned(whole))
    }
}

/// The evaluator of a law in f64 where the device has that, else as the method has it.
fn most_exact(method: &Method, law: &Law) -> Result<Box<dyn Evaluator>> {
    match solver::evaluator(&Method { precision: Precision::F64, ..method.clone() }, law) {
        Err(Error::Unsupported { capability: Capability::Precision, .. }) => solver::evaluator(method, law),
        found => found,
    }
}

impl ForceModel for LawForces {
    fn name(&self) -> String {
        self.law.title()
    }

    fn accelerations(&mut self, bodies: &Bodies, _time: f64, out: &mut Accelerations) -> Result<()> {
        let whole = self.whole(bodies)?;
        let LawForces { law, par, evaluator, yields, .. } = self;
        self.results = with_inputs(law, &whole, par, |inputs| evaluator.evaluate(inputs))?;
        let [ax, ay, az] = yields.acceleration(&self.results, bodies);
        (out.forces.ax, out.forces.ay, out.forces.az) = (ax, ay, az);
        out.rates = yields.rates.iter().map(|(name, column)| (name.clone(), self.results[*column].clone())).collect();
        if let Cow::Owned(whole) = whole {
            let is_kept = |name: &String| bodies.extra.contains_key(name) && !self.advanced.contains(name);
            out.columns = whole.extra.into_iter().filter(|(name, _)| is_kept(name)).collect();
        }
        Ok(())
    }

    fn reads_velocities(&self) -> bool {
        self.reads_velocities
    }

    fn advanced(&self) -> &[String] {
        &self.advanced
    }

    fn remarks(&self) -> Vec<String> {
        self.yields.unused.iter().map(|name| remark(name)).collect()
    }

    fn has_potential(&self) -> bool {
        self.yields.energy.is_some()
    }

    fn potential(&mut self, bodies: &Bodies, _time: f64) -> Result<Vec<f64>> {
        let whole = self.whole(bodies)?;
        let LawForces { law, par, exact, yields, .. } = self;
        let results = with_inputs(law, &whole, par, |inputs| exact.evaluate(inputs))?;
        Ok(yields.potential(results, &whole))
    }

    fn forces_on(
        &mut self,
        bodies: &Bodies,
        active: &[usize],
        time: f64,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        super::refuse_jerk(self, terms)?;
        let whole = self.whole(bodies)?;
        let LawForces { law, par, evaluator, yields, .. } = self;
        let targets = Targets::List(active);
        let results = with_inputs(law, &whole, par, |inputs| evaluator.evaluate_at(inputs, &targets))?;
        *out = Forces::zeros(active.len(), ForceTerms::default());
        for (k, i) in active.iter().enumerate() {
            [out.ax[k], out.ay[k], out.az[k]] = yields.acceleration_of(&results, k, bodies.mass[*i]);
        }
        if terms.potential {
            let all = self.potential(bodies, time)?;
            out.pot = active.iter().map(|i| all[*i]).collect();
        }
        Ok(())
    }

    fn check(&self, bodies: &Bodies) -> Result<()> {
        let light = bodies.mass.iter().position(|mass| *mass == 0.0).filter(|_| self.yields.is_force);
        light.map_or(Ok(()), |index| {
            let expected = "must be above 0: the law gives forces, and an acceleration is force / mass";
            Err(Error::Body { index, id: bodies.id[index], field: "mass", value: 0.0, expected })
        })
    }

    fn audit(&mut self, audited: &Audited<'_>) -> Result<Option<ForceErrors>> {
        let whole = self.whole(audited.bodies)?;
        let LawForces { law, par, yields, results, .. } = self;
        let of = |results: &[Vec<f64>], k: usize, mass: f64| yields.acceleration_of(results, k, mass);
        with_inputs(law, &whole, par, |inputs| audit::law::errors(law, inputs, results, audited, of)).map(Some)
    }

    fn watch(&mut self, watch: &Watch) {
        self.evaluator.watch(watch);
        self.exact.watch(watch);
    }
}

/// Which columns of a law's results are accelerations, a potential, rates.
struct Yields {
    /// The first of three columns.
    vector: usize,
    /// They are forces.
    is_force: bool,
    energy: Option<Energy>,
    rates: Vec<(String, usize)>,
    /// The results that a run does not use.
    unused: Vec<String>,
}

/// What a column of energies is per.
enum Energy {
    Mass(usize),
    /// Per charge, which is this column of the bodies.
    Charge(usize, String),
    Body(usize),
}

impl Energy {
    fn column(&self) -> usize {
        match self {
            Energy::Mass(column) | Energy::Charge(column, _) | Energy::Body(column) => *column,
        }
    }
}

/// That a run does not use a result of its law.
fn remark(name: &str) -> String {
    let rate = name.strip_prefix('d').filter(|of| !of.is_empty());
    let why = rate.map_or(String::new(), |of| format!(": the bodies have no extra column {of} that it is the rate of"));
    format!("this run does not use the result {name} of its law{why}")
}

impl Yields {
    fn of(law: &Law, bodies: &Bodies) -> Result<Self> {
        let sums = sums(law);
        let find = |names: [&str; 2], width: usize| {
            sums.iter().find(|(name, found, _)| names.contains(name) && *found == width).map(|(.., column)| *column)
        };
        let (acceleration, force) = (find(["acc", "a"], 3), find(["f", "force"], 3));
        let Some(vector) = acceleration.or(force) else { return Err(no_acceleration(law)) };
        let is_force = acceleration.is_none();
        let energy = match (find(["u", "u"], 1), find(["pot", "pot"], 1)) {
            (Some(column), _) => Some(Energy::Body(column)),
            (None, Some(column)) if is_force => Some(Energy::Charge(column, charge(law)?)),
            (None, Some(column)) => Some(Energy::Mass(column)),
            (None, None) => None,
        };
        let rate = |(name, width, column): &(&str, usize, usize)| {
            let of = name.strip_prefix('d').filter(|of| *width == 1 && bodies.extra.contains_key(*of))?;
            Some((of.to_owned(), *column))
        };
        let rates: Vec<_> = sums.iter().filter_map(rate).collect();
        let of_energy = energy.as_ref().map(Energy::column);
        let of_rates = |column: &usize| rates.iter().any(|(_, of)| of == column);
        let is_used = |column: &usize| *column == vector || Some(*column) == of_energy || of_rates(column);
        let named = |field: &Field| sums.iter().find(|(name, ..)| *name == field.name).map(|(.., column)| *column);
        let unused = law.results().iter().filter(|field| !named(field).is_some_and(|column| is_used(&column)));
        let unused = unused.map(|field| field.name.clone()).collect();
        Ok(Yields { vector, is_force, energy, rates, unused })
    }

    /// The acceleration that entry `i` of some results is, of a body of that mass.
    fn acceleration_of(&self, results: &[Vec<f64>], i: usize, mass: f64) -> [f64; 3] {
        let vector = [0, 1, 2].map(|k| results[self.vector + k][i]);
        if self.is_force { vector.map(|f| f / mass) } else { vector }
    }

    fn acceleration(&self, results: &[Vec<f64>], bodies: &Bodies) -> [Vec<f64>; 3] {
        let column = |k: usize| match self.is_force {
            true => results[self.vector + k].iter().zip(&bodies.mass).map(|(f, m)| f / m).collect(),
            false => results[self.vector + k].clone(),
        };
        [0, 1, 2].map(column)
    }

    /// The potential per mass.
    fn potential(&self, mut results: Vec<Vec<f64>>, bodies: &Bodies) -> Vec<f64> {
        let over_mass = |energy: f64, m: &f64| if *m > 0.0 { energy / m } else { 0.0 };
        match &self.energy {
            None => vec![0.0; bodies.len()],
            Some(Energy::Mass(column)) => results.swap_remove(*column),
            Some(Energy::Body(column)) => {
                results[*column].iter().zip(&bodies.mass).map(|(u, m)| over_mass(*u, m)).collect()
            }
            Some(Energy::Charge(column, charge)) => {
                let charge = bodies.column(charge).unwrap_or_default();
                let energy = results[*column].iter().zip(&charge[..]).map(|(pot, q)| pot * q);
                energy.zip(&bodies.mass).map(|(energy, m)| over_mass(energy, m)).collect()
            }
        }
    }
}

/// The sums among a law's results: name, width and first column.
fn sums(law: &Law) -> Vec<(&str, usize, usize)> {
    let mut column = 0;
    let mut sums = Vec::new();
    for field in law.results() {
        if field.cell == Cell::Sum {
            sums.push((field.name.as_str(), field.width, column));
        }
        column += field.width * if matches!(field.cell, Cell::ArgMin | Cell::ArgMax) { 2 } else { 1 };
    }
    sums
}

fn no_acceleration(law: &Law) -> Error {
    let results: Vec<String> = law.results().iter().map(|field| format!("{}[{}]", field.name, field.width)).collect();
    let value = if law.is_named() { law.name() } else { "the text" }.to_owned();
    let expected = format!(
        "yields no acceleration, and a run needs one: its results are {}; one of them must be a sum of three \
         numbers, acc[3] or a[3] for an acceleration, f[3] or force[3] for a force",
        results.join(", ").replace("[1]", "")
    );
    Error::Parameter { name: "law", value, expected }
}

/// The column of the charge that a potential beside a force is per.
fn charge(law: &Law) -> Result<String> {
    let member = law.body().iter().find(|field| field.name == "q" && field.width == 1);
    member.and_then(|member| law.column_names(member).pop()).ok_or_else(|| Error::Parameter {
        name: "law",
        value: law.name().into(),
        expected:
            "its result pot, beside a force, is an energy per charge q, and a body of the law has no q; an energy is \
                   called u"
                .into(),
    })
}
