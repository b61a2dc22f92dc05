//! Gravity of bodies on a device.

use super::law::{Goes, How, Side, Task, Wrong, run};
use super::queue::{Open, Queue};
use super::read::{self, MustBe, Source, Survey, Which};
use super::{Column, Numbers};
use crate::cuda::launch::{Call, Start, grid};
use crate::cuda::{CudaEvaluator, failed};
use crate::gravity::Choices;
use crate::{Evaluator, Pairs};
use cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};
use manybody_law::error::Capability;
use manybody_law::law::{self, Targets};
use manybody_law::simd::Element;
use manybody_law::{Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{
    Along, Bodies, Coordinates, Extent, ForceTerms, Frame, Gravity, GravityLaw, Method, Precision, Softening, Summation,
};

/// Bodies whose columns are in the memory of a GPU.
#[derive(Clone, Copy, Debug)]
pub struct GravityArrays<'a> {
    /// How many.
    pub n: usize,
    /// Positions.
    pub x: [Column; 3],
    /// Velocities: they ask for the jerk.
    pub v: Option<[Column; 3]>,
    /// Masses, 0 or more.
    pub m: Column,
    /// Softenings, 0 or more.
    pub eps: Column,
    /// The gravitational constant.
    pub g: f64,
    /// What a softening length means.
    pub softening: Softening,
    /// Those whose forces are computed; all without a list.
    pub targets: Option<&'a [usize]>,
}

/// Where forces go: one number for each target.
#[derive(Clone, Copy, Debug)]
pub struct ForceColumns {
    /// Accelerations.
    pub acceleration: [Numbers; 3],
    /// Potentials per mass.
    pub potential: Option<Numbers>,
    /// Time derivatives of the accelerations: where there are velocities.
    pub jerk: Option<[Numbers; 3]>,
}

/// Columns of bodies by their number: positions, mass, softening, velocities.
const MASS: usize = 3;
const EPS: usize = 4;
const VELOCITY: usize = 5;

/// Computes forces, and writes them. The bits are those of the [solver](crate::solver) of this device. Returns when all is
/// written.
///
/// # Errors
/// [`Error::Body`] for a number that no body can have; [`Error::Parameter`] for two bodies at one place without softening, and
/// for targets that are not there; [`Error::Unsupported`] for a solver that GPUs do not have, and for sums in fixed point;
/// [`Error::NotFinite`]; [`Error::Device`]; [`Error::Interrupted`] where the watch asks for an end.
///
/// # Safety
/// Columns and results are in memory that the device of the queue can reach and no one else writes, a number for each body and
/// target, and results overlap nothing. What writes them now is on the stream of the queue, or has ended.
pub unsafe fn forces(
    queue: &mut Queue,
    arrays: &GravityArrays<'_>,
    method: &Method,
    watch: &Watch,
    results: &ForceColumns,
) -> Result<()> {
    let choices = Choices::of(method)?;
    let terms = ForceTerms { potential: results.potential.is_some(), jerk: results.jerk.is_some() };
    check(arrays, results, choices, terms)?;
    let wanted = Wanted { arrays, choices, precision: method.precision, terms, watch, results };
    queue.finished(|open| match method.precision {
        Precision::F64 => wanted.compute::<f64>(open),
        Precision::F32 | Precision::Mixed => wanted.compute::<f32>(open),
    })
}

/// Checks what can be known without the device.
fn check(arrays: &GravityArrays<'_>, results: &ForceColumns, choices: Choices, terms: ForceTerms) -> Result<()> {
    let wrong = |name, value: String, expected: &str| Err(Error::Parameter { name, value, expected: expected.into() });
    choices.check(terms)?;
    if choices.sum == Some(Summation::Fixed) {
        let expected = "arrays in the memory of a GPU have no sums in fixed point; f64 is as exact".into();
        return Err(Error::Unsupported { capability: Capability::Sum, value: "fixed".into(), expected });
    }
    if !arrays.g.is_finite() {
        return wrong("G", arrays.g.to_string(), "must be a finite number");
    }
    if let Column::One(eps) = arrays.eps
        && !(eps.is_finite() && eps >= 0.0)
    {
        return wrong("eps", eps.to_string(), "must be a finite length, 0 or more");
    }
    if arrays.n > u32::MAX as usize / 2 {
        return wrong("bodies", arrays.n.to_string(), "must be at most 2^31");
    }
    if arrays.v.is_some() != results.jerk.is_some() {
        return wrong("results", "jerk".into(), "velocities ask for the jerk");
    }
    let all = results.acceleration.iter().chain(&results.potential).chain(results.jerk.iter().flatten());
    if all.into_iter().any(|column| !column.kind.holds_results()) {
        return wrong("results", "forces".into(), "must be columns of f32 or f64");
    }
    arrays.targets.map_or(Ok(()), |list| Targets::List(list).check(arrays.n))
}

/// What is to be computed.
struct Wanted<'a> {
    arrays: &'a GravityArrays<'a>,
    choices: Choices,
    precision: Precision,
    terms: ForceTerms,
    watch: &'a Watch,
    results: &'a ForceColumns,
}

/// Some of the bodies, and where they are among all.
struct Set {
    at: Option<CudaSlice<u32>>,
    n: usize,
    surveys: Vec<Survey>,
}

impl Set {
    fn which(&self) -> Which<'_> {
        Which { at: self.at.as_ref(), n: self.n }
    }

    fn extent(&self) -> Extent {
        let along = |k: usize| {
            let Survey { low, high, moment, .. } = self.surveys[k];
            Along { low, high, moment }
        };
        let at = if self.surveys.len() > VELOCITY { VELOCITY } else { 0 };
        Extent {
            mass: self.surveys[MASS].sum,
            most_mass: self.surveys[MASS].high.max(0.0),
            least_eps: Some(self.surveys[EPS].low),
            position: [0, 1, 2].map(along),
            velocity: [at, at + 1, at + 2].map(along),
            at_zero: [false; 2], // it would take another look at all bodies, and the host would wait for it
        }
    }
}

/// Which bodies act: as [`Sources`](manybody_pairwise::Sources) has them.
#[derive(Clone, Copy)]
enum Acting<'a> {
    Themselves,
    Others(&'a Set),
    /// Those acted on are the first of them.
    Among(&'a Set),
}

impl<'a> Acting<'a> {
    fn set(self) -> Option<&'a Set> {
        match self {
            Acting::Themselves => None,
            Acting::Others(set) | Acting::Among(set) => Some(set),
        }
    }
}

/// Number types that forces are computed in.
trait Real: Element + DeviceRepr + ValidAsZeroBits {}
impl<T: Element + DeviceRepr + ValidAsZeroBits> Real for T {}

impl Wanted<'_> {
    fn gravity(&self) -> Gravity {
        let eps = if let Column::One(eps) = self.arrays.eps { eps } else { 0.0 };
        Gravity::new(self.arrays.g, eps).softened(self.arrays.softening)
    }

    fn is_soft(&self) -> bool {
        matches!(self.arrays.eps, Column::Each(_))
    }

    /// The columns of all bodies.
    fn sources(&self) -> Vec<Source> {
        let GravityArrays { x, v, m, eps, .. } = *self.arrays;
        let finite = |column: Column| Source::plain(column, MustBe::Finite);
        let positive = |column: Column| Source::plain(column, MustBe::Positive);
        let mut sources = x.map(finite).to_vec();
        sources.extend([positive(m), positive(eps)]);
        sources.extend(v.into_iter().flatten().map(finite));
        sources
    }

    fn set(&self, open: &Open, at: Option<&[u32]>, n: usize) -> Result<Set> {
        let at = match at {
            // the driver has no memory of 0 bytes
            Some(list) if !list.is_empty() => Some(open.cuda.stream.clone_htod(list).map_err(failed("list bodies"))?),
            _ => None,
        };
        let surveys = read::survey(open, &self.sources(), Which { at: at.as_ref(), n }, Some(MASS), 0.0)?;
        Ok(Set { at, n, surveys })
    }

    fn compute<T: Real>(&self, open: &mut Open) -> Result<()> {
        let n = self.arrays.n;
        let all = self.set(open, None, n)?;
        self.check_numbers(open, &all)?;
        self.check_apart(open, &all)?;
        let massless = all.surveys[MASS].zeros > 0;
        let Some(list) = self.arrays.targets else {
            if !massless {
                return self.act::<T>(open, &all, Acting::Themselves, Which::first(n), None);
            }
            let (massive, others): (Vec<u32>, Vec<u32>) = self.divided(open, (0..n as u32).collect(), true)?;
            let sources = self.set(open, Some(&massive), massive.len())?;
            let rest = self.set(open, Some(&others), others.len())?;
            self.act::<T>(open, &sources, Acting::Themselves, sources.which(), Some(&massive))?;
            return self.act::<T>(open, &rest, Acting::Others(&sources), rest.which(), Some(&others));
        };
        let mut place = vec![None; n];
        list.iter().enumerate().for_each(|(k, body)| place[*body] = Some(k as u32));
        let places = |bodies: &[u32]| -> Vec<u32> { bodies.iter().filter_map(|body| place[*body as usize]).collect() };
        let (massive, others) = self.divided(open, list.iter().map(|k| *k as u32).collect(), massless)?;
        let rest: Vec<u32> = (0..n as u32).filter(|k| place[*k as usize].is_none()).collect();
        let (rest, _) = self.divided(open, rest, massless)?;
        let sources = [massive.as_slice(), &rest].concat();
        let sources = self.set(open, Some(&sources), sources.len())?;
        for (bodies, among) in [(&massive, true), (&others, false)] {
            let set = self.set(open, Some(bodies), bodies.len())?;
            let out = self.list(open, &places(bodies))?;
            let out = Which { at: out.as_ref(), n: set.n };
            let acting = if among { Acting::Among(&sources) } else { Acting::Others(&sources) };
            self.act::<T>(open, &set, acting, out, Some(bodies))?;
        }
        Ok(())
    }

    fn list(&self, open: &Open, list: &[u32]) -> Result<Option<CudaSlice<u32>>> {
        match list.is_empty() {
            true => Ok(None),
            false => open.cuda.stream.clone_htod(list).map(Some).map_err(failed("list bodies")),
        }
    }

    /// Bodies with mass, and those without, in their order. The masses come to the host where some are 0.
    fn divided(&self, open: &Open, bodies: Vec<u32>, massless: bool) -> Result<(Vec<u32>, Vec<u32>)> {
        if !massless {
            return Ok((bodies, Vec::new()));
        }
        let mass = read::fetch(open, &[self.sources()[MASS]], Which::first(self.arrays.n))?;
        let has_mass = |body: &u32| mass.first().is_some_and(|mass| mass[*body as usize] != 0.0);
        Ok(bodies.into_iter().partition(has_mass))
    }

    /// Refuses numbers that no body can have.
    fn check_numbers(&self, open: &Open, all: &Set) -> Result<()> {
        const NAMES: [&str; 8] = ["x", "y", "z", "mass", "eps", "vx", "vy", "vz"];
        let sources = self.sources();
        // velocities come before masses, as bodies on the host are checked
        let order = (0..MASS).chain(VELOCITY..sources.len()).chain([MASS, EPS]);
        for k in order {
            if let Some(index) = all.surveys[k].bad {
                let value = read::number(open, sources[k], index)?;
                let signed = k != MASS && k != EPS;
                let expected = if signed { "must be a finite number" } else { "must be a finite number, 0 or more" };
                return Err(Error::Body { index, id: index as u64, field: NAMES[k], value, expected });
            }
        }
        Ok(())
    }

    /// Refuses two bodies at one place without softening.
    fn check_apart(&self, open: &Open, all: &Set) -> Result<()> {
        let n = self.arrays.n;
        if n < 2 || all.surveys[EPS].zeros == 0 {
            return Ok(());
        }
        let stream = &open.cuda.stream;
        let memory = failed("look for bodies at one place");
        let slots = (2 * n).next_power_of_two();
        let mut table = stream.alloc_zeros::<u32>(slots).map_err(&memory)?;
        fill_with_ones(open, &mut table)?;
        let found = stream.clone_htod(&[u32::MAX]).map_err(&memory)?;
        let sources = stream.clone_htod(&self.sources()[..VELOCITY]).map_err(&memory)?;
        let (count, mask) = (n as u32, (slots - 1) as u32);
        let mut call = Call::new(stream, &open.kernels.apart);
        call.memory(&sources).arg(&count).memory(&table).arg(&mask).memory(&found);
        call.start(grid(count.div_ceil(256), 1, 256, 1, 0), Start::AfterPrevious)?;
        let found = stream.clone_dtoh(&found).map_err(&memory)?;
        stream.synchronize().map_err(failed("compute"))?;
        if found.first() == Some(&u32::MAX) {
            return Ok(());
        }
        self.gravity().check_apart(&self.bodies(open)?)
    }

    /// The bodies on the host: for a message on what is wrong with them.
    fn bodies(&self, open: &Open) -> Result<Bodies> {
        let n = self.arrays.n;
        let mut columns = read::fetch(open, &self.sources()[..VELOCITY], Which::first(n))?.into_iter();
        let mut next = || columns.next().unwrap_or_default();
        let (x, y, z, mass, eps) = (next(), next(), next(), next(), next());
        let still = || vec![0.0; n];
        let eps = self.is_soft().then_some(eps);
        let id = (0..n as u64).collect();
        Ok(Bodies { x, y, z, vx: still(), vy: still(), vz: still(), mass, eps, id, ..Bodies::default() })
    }

    /// The columns of a law of gravity, in a frame.
    fn side<'a>(&self, set: &'a Set, frame: &Frame, law: GravityLaw) -> Side<'a> {
        let [length, velocity, mass, origin @ ..] = frame.numbers();
        let raw = self.sources();
        let mut of: Vec<usize> = vec![0, 1, 2];
        let mut sources: Vec<Source> = (0..3).map(|k| raw[k].affine(origin[k], 1.0 / length)).collect();
        if law.coordinates() == Coordinates::PhaseSpace {
            of.extend(VELOCITY..VELOCITY + 3);
            sources.extend((0..3).map(|k| raw[VELOCITY + k].affine(origin[3 + k], 1.0 / velocity)));
        }
        of.push(MASS);
        sources.push(raw[MASS].affine(0.0, self.arrays.g / mass));
        if law.is_soft() {
            let single = if self.precision == Precision::F64 { 0.0 } else { 0.5 * law::smallest_eps2(false) };
            of.push(EPS);
            sources.push(raw[EPS].half_square(1.0 / length, (0.5 * law::smallest_eps2(true)).max(single)));
        }
        Side { sources, surveys: of.into_iter().map(|k| set.surveys[k]).collect(), which: set.which() }
    }

    /// Computes what some bodies do to a set, and writes it. `at` are the set's indices among all.
    fn act<T: Real>(
        &self,
        open: &mut Open,
        set: &Set,
        acting: Acting<'_>,
        out: Which<'_>,
        at: Option<&[u32]>,
    ) -> Result<()> {
        let gravity = self.gravity();
        let coordinates = self.terms.coordinates();
        let frame = match acting.set() {
            None => Frame::of_extent(&set.extent(), &gravity, coordinates)?,
            Some(sources) => Frame::between_extents(&set.extent(), &sources.extent(), &gravity, coordinates)?,
        };
        let of = GravityLaw::of(self.terms, self.is_soft(), self.arrays.softening);
        let law = of.law()?;
        let pairs = match acting {
            Acting::Themselves => self.choices.pairs(set.n),
            Acting::Others(_) | Acting::Among(_) => Pairs::Ordered,
        };
        let Choices { sum, .. } = self.choices;
        let how = How { pairs, precision: self.precision, sum, config: self.choices.config(pairs) };
        let par = match self.precision {
            Precision::F64 => frame.parameters::<f64>(&gravity),
            _ => frame.parameters::<f32>(&gravity).map(f64::from),
        };
        let (first, j) = match acting {
            Acting::Themselves => (Some(0), None),
            // all of them are targets: one set of bodies
            Acting::Among(sources) if sources.n == set.n => (Some(0), None),
            Acting::Among(sources) => (Some(0), Some(self.side(sources, &frame, of))),
            Acting::Others(sources) => (None, Some(self.side(sources, &frame, of))),
        };
        let task = Task { law: &law, how, i: self.side(set, &frame, of), j, first, par: par.to_vec() };
        let goes = self.goes(&frame);
        run::<T>(open, task, self.watch, &goes, out, |_, evaluator, wrong| {
            self.check_finite(evaluator, wrong, &goes, at)
        })
    }

    /// Where results go, in the order in which laws have them.
    fn goes(&self, frame: &Frame) -> Vec<Goes> {
        let ForceColumns { acceleration, potential, jerk } = *self.results;
        let acc = frame.acceleration();
        let [length, velocity, ..] = frame.numbers();
        let mut goes: Vec<Goes> = acceleration.into_iter().map(|to| Goes { to, unit: acc }).collect();
        goes.extend(jerk.into_iter().flatten().map(|to| Goes { to, unit: acc / length * velocity }));
        goes.extend(potential.map(|to| Goes { to, unit: frame.potential() }));
        goes
    }

    /// Names a force that is not finite.
    fn check_finite<T: Real>(
        &self,
        evaluator: &mut CudaEvaluator<T>,
        wrong: Wrong,
        goes: &[Goes],
        at: Option<&[u32]>,
    ) -> Result<()> {
        if !wrong.not_numbers {
            return Ok(());
        }
        let found = evaluator.fetch()?;
        let jerk = if self.terms.jerk { 3..6 } else { 3..3 };
        let order = (0..3).chain(jerk.end..goes.len()).chain(jerk.clone());
        for k in order {
            let quantity = match k {
                0..3 => ["ax", "ay", "az"][k],
                k if jerk.contains(&k) => "jerk",
                _ => "potential",
            };
            let values = found.get(k).into_iter().flatten().map(|sum| sum * goes[k].unit);
            if let Some((index, value)) = values.enumerate().find(|(_, value)| !value.is_finite()) {
                let index = at.map_or(index, |at| at[index] as usize);
                return Err(Error::NotFinite { time: 0.0, index, id: index as u64, quantity, value });
            }
        }
        Ok(())
    }
}

/// Sets every bit of a table.
fn fill_with_ones(open: &Open, table: &mut CudaSlice<u32>) -> Result<()> {
    use cudarc::driver::{DevicePtrMut, sys};
    let stream = &open.cuda.stream;
    let words = table.len();
    let (address, _guard) = table.device_ptr_mut(stream);
    // SAFETY: as many words as the table has
    unsafe { sys::cuMemsetD32Async(address, u32::MAX, words, stream.cu_stream()) }
        .result()
        .map_err(failed("look for bodies at one place"))
}
