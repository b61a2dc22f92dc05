//! Arrays of a caller on a GPU, as columns.

use super::{Bodies, Call, Column as Given, LawCall, Results, Rows, handle_of};
use crate::arrays::{self, In, Place, check_apart, place_of};
use crate::border::{Failure, Outcome};
use crate::gravity::{Precise, gravity, in_arguments};
use crate::law::{law, parameters, width};
use crate::settings::Chosen;
use crate::text;
use manybody::law::{Field, Law};
use manybody::settings::Raw;
use manybody::solver::{Precision, SolverName};
use manybody::watch::Watch;
use manybody_gpu::Pairs;
use manybody_gpu::arrays::{
    Column, ForceColumns, GravityArrays, Kind, LawArrays, Memory, Numbers, Queue, copy_to_device, copy_to_host,
    evaluate as evaluate_law, forces as compute, ordinal_of,
};
use std::ffi::c_void;

/// Rows of numbers on a GPU.
#[derive(Clone, Copy)]
struct Array {
    name: &'static str,
    address: u64,
    rows: usize,
    width: usize,
    bytes: usize,
    kind: Kind,
}

impl Array {
    fn of<T: Precise>(name: &'static str, at: *const T, n: i64, width: usize) -> Outcome<Self> {
        let kind = if T::PRECISION == Precision::F32 { Kind::F32 } else { Kind::F64 };
        let len = arrays::check(name, at, n, width)?;
        Ok(Array { name, address: at.addr() as u64, rows: len / width.max(1), width, bytes: kind.bytes(), kind })
    }

    fn optional<T: Precise>(name: &'static str, at: *const T, n: i64, width: usize) -> Outcome<Option<Self>> {
        (!at.is_null()).then(|| Self::of(name, at, n, width)).transpose()
    }

    /// Number k of each row.
    fn numbers(&self, k: usize) -> Numbers {
        let stride = self.width * self.bytes;
        Numbers { address: self.address + (k * self.bytes) as u64, stride: stride as i64, kind: self.kind }
    }

    fn column(&self, k: usize) -> Column {
        Column::Each(self.numbers(k))
    }

    fn three(&self) -> [Column; 3] {
        [0, 1, 2].map(|k| self.column(k))
    }

    fn place(&self) -> Option<Place> {
        Some(place_of(self.name, self.address as usize, self.rows * self.width * self.bytes))
    }
}

/// Opens the GPU in whose memory all arrays are, behind what is on the caller's stream.
///
/// # Safety
/// The stream is one of this GPU.
unsafe fn queue(stream: u64, arrays: &[Array]) -> Outcome<Queue> {
    let mut found: Option<(usize, &str)> = None;
    for array in arrays.iter().filter(|array| array.rows * array.width > 0) {
        let Some(ordinal) = ordinal_of(array.address) else {
            if manybody_gpu::cuda::count() == 0 {
                break; // opening it says what is missing
            }
            return Err(Failure::Argument(format!("{}: is not in the memory of a GPU", array.name)));
        };
        match found {
            Some((first, name)) if first != ordinal => {
                let other = array.name;
                let text =
                    format!("{other}: is in the memory of GPU {ordinal}; must be in that of GPU {first}, as {name}");
                return Err(Failure::Argument(text));
            }
            _ => found = Some((ordinal, array.name)),
        }
    }
    let ordinal = found.map_or(0, |(ordinal, _)| ordinal);
    let mut queue = Queue::open(ordinal)?;
    // SAFETY: as this function's
    unsafe { queue.wait_for(stream) }?;
    Ok(queue)
}

/// The settings, on this GPU.
fn chosen(chosen: &Chosen) -> Outcome<Chosen> {
    let mut here = chosen.clone();
    let (device, gpus) = (here.get("device")?, here.get("gpus")?);
    if !matches!(device.as_str(), "" | "auto" | "cuda") {
        let text = format!("device = {device}; the GPU computes in whose memory the arrays are: cuda, or not set");
        return Err(Failure::Input(text));
    }
    if !matches!(gpus.as_str(), "" | "1") {
        let text = format!("gpus = {gpus}; the one GPU computes in whose memory the arrays are");
        return Err(Failure::Input(text));
    }
    here.set("device", Raw::Text("cuda".into()))?;
    Ok(here)
}

/// # Safety
/// As [`mb_forces_device`](super::mb_forces_device).
pub(super) unsafe fn forces<T: Precise>(call: &Call, bodies: &Bodies<T>, results: &Results<T>) -> Outcome {
    let n = bodies.n;
    let (x, m) = (Array::of("x", bodies.x, n, 3)?, Array::of("m", bodies.m, n, 1)?);
    let v = Array::optional("v", bodies.v, n, 3)?;
    let eps = Array::optional("eps_each", bodies.eps_each, n, 1)?;
    let a = Array::optional("a", results.a.cast_const(), n, 3)?;
    let phi = Array::optional("phi", results.phi.cast_const(), n, 1)?;
    let jerk = Array::optional("jerk", results.jerk.cast_const(), n, 3)?;
    let inputs: Vec<Array> = [Some(x), Some(m), v, eps].into_iter().flatten().collect();
    let outputs: Vec<Array> = [a, phi, jerk].into_iter().flatten().collect();
    let places = |arrays: &[Array]| arrays.iter().map(Array::place).collect::<Vec<_>>();
    check_apart(&places(&outputs), &places(&inputs))?;
    if jerk.is_some() && v.is_none() {
        return Err(Failure::Argument("v: is a null pointer; the jerk needs velocities".into()));
    }
    gravity(bodies.g, bodies.eps)?;
    let chosen = chosen(&call.chosen)?;
    let (method, softening) = (chosen.method(T::PRECISION, x.rows)?, chosen.softening());
    if x.rows == 0 {
        return Ok(());
    }
    // SAFETY: as this function's
    let mut queue = unsafe { queue(call.stream, &[inputs, outputs].concat()) }?;
    let unused = match a {
        Some(_) => None,
        None => Some(Memory::new(&queue, 3 * x.rows * x.bytes)?),
    };
    let a = a.unwrap_or(Array { address: unused.as_ref().map_or(0, Memory::address), ..x });
    let given = GravityArrays {
        n: x.rows,
        x: x.three(),
        v: jerk.and(v).map(|v| v.three()),
        m: m.column(0),
        eps: eps.map_or(Column::One(bodies.eps), |eps| eps.column(0)),
        g: bodies.g,
        softening,
        targets: None,
    };
    let three = |array: Array| [0, 1, 2].map(|k| array.numbers(k));
    let goes = ForceColumns { acceleration: three(a), potential: phi.map(|phi| phi.numbers(0)), jerk: jerk.map(three) };
    // SAFETY: the caller's arrays have these sizes, and the stream waits for what writes them
    let done = unsafe { compute(&mut queue, &given, &method, &Watch::default(), &goes) };
    done.map_err(in_arguments)
}

/// The numbers of rows that a law reads.
fn columns(letter: char, title: &str, array: &Array, fields: &[Field]) -> Outcome<Vec<Column>> {
    let reads: usize = fields.iter().map(|field| field.width).sum();
    if reads != array.width {
        let text = format!("{letter}dim = {}; {title} reads {reads} numbers of a body {letter}", array.width);
        return Err(Failure::Input(text));
    }
    Ok((0..reads).map(|k| array.column(k)).collect())
}

/// Refuses bodies and results that are not those of the law.
fn check_law<T>(law: &Law, given: &LawCall<T>, f: &Array, (ni, nj): (usize, usize)) -> Outcome {
    if given.j.is_none() && !law.has_one_kind() {
        let text = format!("{} has other numbers of bodies that act; mb_evaluate_on_device takes both", law.title());
        return Err(Failure::Input(text));
    }
    if given.j.is_some() && given.same != 0 && law.has_one_kind() {
        let text = format!(
            "same = {}; {} has bodies of one kind: mb_evaluate_device takes them once",
            given.same,
            law.title()
        );
        return Err(Failure::Input(text));
    }
    if given.same != 0 && ni != nj {
        let text =
            format!("same = {} with ni = {ni} and nj = {nj}; the same bodies are as many on both sides", given.same);
        return Err(Failure::Argument(text));
    }
    let count = law.result_columns().len();
    if count != f.width {
        let text =
            format!("fdim = {}; {} has {count} results: {}", f.width, law.title(), law.result_columns().join(", "));
        return Err(Failure::Input(text));
    }
    Ok(())
}

/// # Safety
/// As [`mb_evaluate_device`](super::mb_evaluate_device).
pub(super) unsafe fn evaluate<T: Precise>(call: &Call, given: &LawCall<T>) -> Outcome {
    let side = |name: &'static str, (n, dim, at): Rows<T>| Array::of(name, at, n, width(name, dim)?);
    let (fdim, f) = given.f;
    let f = Array::of("f", f.cast_const(), given.i.0, width("f", fdim)?)?;
    let names = if given.j.is_some() { ["xi", "xj"] } else { ["x", "x"] };
    let i = side(names[0], given.i)?;
    let j = given.j.map_or(Ok(i), |j| side(names[1], j))?;
    // SAFETY: as this function's
    let (name, par) = unsafe { (text::text("law", given.law)?, In::new("par", given.par.1, given.par.0, 1)?) };
    check_apart(&[f.place()], &[i.place(), j.place()])?;
    let law = law(name)?;
    let (ni, nj) = (arrays::count("i", given.i.0)?, arrays::count("j", given.j.map_or(given.i.0, |(n, ..)| n))?);
    check_law(&law, given, &f, (ni, nj))?;
    let par = parameters(&law, &call.chosen, &par)?;
    let (of_i, of_j) = (columns('i', &law.title(), &i, law.body())?, columns('j', &law.title(), &j, law.partner())?);
    let method = chosen(&call.chosen)?.method_of_law_of_arrays(T::PRECISION, ni.max(nj))?;
    if ni == 0 {
        return Ok(());
    }
    // SAFETY: as this function's
    let mut queue = unsafe { queue(call.stream, &[i, j, f]) }?;
    let once = given.same != 0 && law.has_one_kind() && method.solver != SolverName::Direct;
    let pairs = if once { Pairs::Once } else { Pairs::Ordered };
    let same = given.same != 0;
    let task = LawArrays { law: &law, i: &of_i, j: &of_j, parameters: &par, lens: (ni, nj), same };
    let results: Vec<Numbers> = (0..f.width).map(|k| f.numbers(k)).collect();
    // SAFETY: the caller's arrays have these sizes, and the stream waits for what writes them
    Ok(unsafe { evaluate_law(&mut queue, &task, method.precision, pairs, &Watch::default(), &results) }?)
}

/// The numbers of arrays of `n` rows on a GPU.
///
/// # Safety
/// The arrays have these sizes; `stream` is a stream of the GPU, or null.
pub(crate) unsafe fn fetch(stream: *mut c_void, n: i64, arrays: &[Given<*const f64>]) -> Outcome<Vec<Vec<f64>>> {
    let here = arrays.iter().map(|(name, width, at)| Array::of(name, *at, n, *width)).collect::<Outcome<Vec<_>>>()?;
    let mut numbers = here.iter().map(|array| arrays::zeros(array.rows * array.width)).collect::<Outcome<Vec<_>>>()?;
    if n == 0 {
        return Ok(numbers);
    }
    // SAFETY: as this function's
    let mut queue = unsafe { queue(handle_of(stream), &here) }?;
    for (array, to) in here.iter().zip(&mut numbers) {
        // SAFETY: the caller's array has this size, and the stream waits for what writes it
        unsafe { copy_to_host(&mut queue, array.address, to) }?;
    }
    Ok(numbers)
}

/// Writes numbers to arrays of `n` rows on a GPU.
///
/// # Safety
/// As [`fetch`].
pub(crate) unsafe fn put(stream: *mut c_void, n: i64, arrays: &[(Given<*mut f64>, &[f64])]) -> Outcome {
    let of = |((name, width, at), _): &(Given<*mut f64>, _)| Array::of(name, at.cast_const(), n, *width);
    let here = arrays.iter().map(of).collect::<Outcome<Vec<_>>>()?;
    check_apart(&here.iter().map(Array::place).collect::<Vec<_>>(), &[])?;
    if n == 0 || here.is_empty() {
        return Ok(());
    }
    // SAFETY: as this function's
    let mut queue = unsafe { queue(handle_of(stream), &here) }?;
    for (array, (_, from)) in here.iter().zip(arrays) {
        // SAFETY: the caller's array has this size, and the stream waits for what uses it
        unsafe { copy_to_device(&mut queue, array.address, from) }?;
    }
    Ok(())
}
