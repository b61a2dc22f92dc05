//! Any law between bodies, once: CUNBODY-1's general call, with IDIM, JDIM and FDIM numbers a body.
#![allow(unsafe_code)] // exported functions

use crate::arrays::{In, Out, Place, check_apart, columns};
use crate::border::{Failure, Outcome, call};
use crate::gravity::Precise;
use crate::settings::{Chosen, mb_settings};
use crate::status::mb_status;
use crate::{arrays, text, threads};
use manybody::driver::{LawTrial, tuned_law};
use manybody::forces::{law_parameters, law_text};
use manybody::law::{EvaluateLaw, Field, Law, PairInputs};
use manybody::solver::{Method, Precision, SolverName, beyond_single};
use manybody::watch::Watch;
use manybody::{Error, Units, solver};
use std::ffi::{c_char, c_int};
use std::path::Path;

/// Bodies of one side as rows of `dim` numbers.
struct Side<T> {
    letter: char,
    rows: In<T>,
    dim: i32,
}

/// Who acts on bodies.
#[derive(Clone, Copy)]
enum Partners {
    Others,
    Themselves,
}

impl<T: Precise> Side<T> {
    /// # Safety
    /// As [`In::new`].
    unsafe fn of(letter: char, name: &'static str, at: *const T, n: i64, dim: i32) -> Outcome<Self> {
        // SAFETY: as this function's
        let rows = unsafe { In::new(name, at, n, width(name, dim)?) }?;
        Ok(Side { letter, rows, dim })
    }

    fn place(&self) -> Option<Place> {
        Some(self.rows.place())
    }

    /// Its columns, which must be those that the law reads.
    fn columns(&self, law: &Law, fields: &[Field]) -> Outcome<Vec<Vec<f64>>> {
        let reads: usize = fields.iter().map(|field| field.width).sum();
        if reads != self.dim as usize {
            let list: Vec<String> = fields.iter().map(|field| format!("{}[{}]", field.name, field.width)).collect();
            let (letter, dim) = (self.letter, self.dim);
            let text = format!(
                "{letter}dim = {dim}; {} reads {reads} numbers of a body {letter}: {}",
                law.title(),
                list.join(", ")
            );
            return Err(Failure::Input(text));
        }
        columns(&self.rows, reads)
    }
}

/// Numbers of a row.
pub(crate) fn width(name: &str, dim: i32) -> Outcome<usize> {
    usize::try_from(dim).map_err(|_| Failure::Argument(format!("{name} has rows of {dim} numbers; must be 0 or more")))
}

/// A law by its name, its text, or the name of a file.
pub(crate) fn law(text: &str) -> Outcome<Law> {
    Ok(Law::by_name_or_text(&law_text(text, Path::new(""))?)?)
}

/// The numbers of a law's parameters: those of the array, or else of the setting `par`, or else the defaults.
pub(crate) fn parameters<T: Precise>(law: &Law, chosen: &Chosen, par: &In<T>) -> Outcome<Vec<f64>> {
    let given = arrays::column(par)?;
    if !given.is_empty() && !chosen.law_parameters().is_empty() {
        return Err(Failure::Input("par: the settings have parameters of the law, too; one or the other".into()));
    }
    match given.is_empty() {
        true => Ok(law_parameters(law, chosen.law_parameters(), &Units::g1())?),
        false => Ok(given),
    }
}

/// What a law makes of bodies.
fn evaluate<T: Precise>(
    chosen: &Chosen,
    law: &Law,
    sides: [(&Side<T>, i64); 2],
    partners: Partners,
    par: &In<T>,
    f: &mut Out<T>,
    fdim: i32,
) -> Outcome {
    let results = law.result_columns();
    if results.len() != fdim as usize {
        let text = format!("fdim = {fdim}; {} has {} results: {}", law.title(), results.len(), results.join(", "));
        return Err(Failure::Input(text));
    }
    check_apart(&[Some(f.place())], &[sides[0].0.place(), sides[1].0.place(), Some(par.place())])?;
    let par = parameters(law, chosen, par)?;
    let (i, j) = (sides[0].0.columns(law, law.body())?, sides[1].0.columns(law, law.partner())?);
    let (i, j): (Vec<&[f64]>, Vec<&[f64]>) =
        (i.iter().map(Vec::as_slice).collect(), j.iter().map(Vec::as_slice).collect());
    let inputs = match partners {
        Partners::Others => PairInputs::two(&i, &j, &par),
        Partners::Themselves if law.has_one_kind() => PairInputs::one(&i, &par),
        Partners::Themselves => PairInputs::roles(&i, &j, &par),
    };
    let [ni, nj] = sides.map(|(_, n)| usize::try_from(n).unwrap_or(0));
    let inputs = inputs.sized(ni, nj);
    let method = chosen.method_of_law(T::PRECISION, ni.max(nj))?;
    if ni == 0 {
        return Ok(());
    }
    // of two sets of bodies GPUs evaluate every ordered pair
    let ordered = matches!(partners, Partners::Others) && method.device.is_gpu() && method.solver == SolverName::Auto;
    let method = if ordered { Method { solver: SolverName::Direct, ..method } } else { method };
    let found = threads::on(chosen.threads(), || {
        if method.solver == SolverName::Fmm {
            let trial = LawTrial { law, inputs: &inputs, share: 0.0 };
            let tuned = tuned_law(method.clone(), trial, &Watch::default(), &mut |_| {})?;
            tuned.check()?;
            return Ok(tuned.results);
        }
        let found = solver::evaluator(&method, law)?.evaluate(&inputs)?;
        law.check_results(&inputs, &found)?;
        Ok(found)
    })?;
    let found: Vec<&[f64]> = found.iter().map(Vec::as_slice).collect();
    if T::PRECISION == Precision::F32 {
        check_single(&found)?;
    }
    f.write_rows(&found);
    Ok(())
}

/// # Safety
/// As [`mb_evaluate`].
unsafe fn on_each_other<T: Precise>(
    settings: *const mb_settings,
    name: *const c_char,
    (n, dim, x): (i64, i32, *const T),
    (npar, par): (i64, *const T),
    (fdim, f): (i32, *mut T),
) -> Outcome {
    // SAFETY: as this function's
    let (chosen, name, x, par, mut f) = unsafe {
        let f = Out::new("f", f, n, width("f", fdim)?)?;
        let (x, par) = (Side::of('i', "x", x, n, dim)?, In::new("par", par, npar, 1)?);
        (Chosen::of(settings)?, text::text("law", name)?, x, par, f)
    };
    let law = law(name)?;
    if !law.has_one_kind() {
        let text = format!("{} has other numbers of bodies that act; mb_evaluate_on takes both", law.title());
        return Err(Failure::Input(text));
    }
    evaluate(&chosen, &law, [(&x, n), (&x, n)], Partners::Themselves, &par, &mut f, fdim)
}

/// # Safety
/// As [`mb_evaluate_on`].
unsafe fn on_others<T: Precise>(
    settings: *const mb_settings,
    name: *const c_char,
    (ni, idim, xi): (i64, i32, *const T),
    (nj, jdim, xj): (i64, i32, *const T),
    same: c_int,
    (npar, par): (i64, *const T),
    (fdim, f): (i32, *mut T),
) -> Outcome {
    // SAFETY: as this function's
    let (chosen, name, i, j, par, mut f) = unsafe {
        let f = Out::new("f", f, ni, width("f", fdim)?)?;
        let (i, j) = (Side::of('i', "xi", xi, ni, idim)?, Side::of('j', "xj", xj, nj, jdim)?);
        (Chosen::of(settings)?, text::text("law", name)?, i, j, In::new("par", par, npar, 1)?, f)
    };
    let law = law(name)?;
    let partners = match same {
        0 => Partners::Others,
        _ if ni != nj => {
            let text = format!("same = {same} with ni = {ni} and nj = {nj}; the same bodies are as many on both sides");
            return Err(Failure::Argument(text));
        }
        _ if law.has_one_kind() => {
            let text =
                format!("same = {same}; {} has bodies of one kind, and mb_evaluate takes them once", law.title());
            return Err(Failure::Input(text));
        }
        _ => Partners::Themselves,
    };
    evaluate(&chosen, &law, [(&i, ni), (&j, nj)], partners, &par, &mut f, fdim)
}

/// CUNBODY-1's general call: what a pipeline description makes of bodies of `idim` numbers acted on and of `jdim` numbers that
/// act, `fdim` sums a body.
///
/// # Safety
/// As [`mb_cunbody_api`](crate::cunbody::mb_cunbody_api).
pub(crate) unsafe fn pipeline(
    chosen: &Chosen,
    name: *const c_char,
    [idim, jdim, fdim]: [i32; 3],
    (nj, xj): (i64, *const f64),
    (ni, xi): (i64, *const f64),
    f: *mut f64,
) -> Outcome {
    // SAFETY: as this function's
    let (name, i, j, par, mut f) = unsafe {
        let f = Out::new("f", f, ni, width("f", fdim)?)?;
        let (i, j) = (Side::of('i', "xi", xi, ni, idim)?, Side::of('j', "xj", xj, nj, jdim)?);
        (text::text("the pipeline description", name)?, i, j, In::new("par", std::ptr::null(), 0, 1)?, f)
    };
    let text = law_text(name, Path::new(""))?;
    // a description may use fewer numbers than its driver has
    let law = Law::parse(&format!("#define IDIM ({idim})\n#define JDIM ({jdim})\n#define FDIM ({fdim})\n{text}"))?;
    evaluate(chosen, &law, [(&i, ni), (&j, nj)], Partners::Others, &par, &mut f, fdim)
}

/// What a law makes of `n` bodies of one set: `f` [n][fdim] from `x` [n][dim]. `law` is a text in the language of
/// docs/laws.md, the name of a built-in law, or the name of a file with such a text; the numbers of a body are those of its
/// `body` line, in order, and `fdim` those of its results. `par` [npar] are the numbers of its parameters; with npar = 0
/// they are those of the setting `par`, or the law's own. In f64 unless the settings name another precision.
///
/// # Safety
/// The arrays have these sizes; `settings` is null or a handle; `law` is a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_evaluate(
    settings: *const mb_settings,
    law: *const c_char,
    n: i64,
    dim: c_int,
    x: *const f64,
    npar: i64,
    par: *const f64,
    fdim: c_int,
    f: *mut f64,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { on_each_other(settings, law, (n, dim, x), (npar, par), (fdim, f)) })
}

/// mb_evaluate of arrays of float, in f32 unless the settings name another precision.
///
/// # Safety
/// As [`mb_evaluate`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_evaluate_f32(
    settings: *const mb_settings,
    law: *const c_char,
    n: i64,
    dim: c_int,
    x: *const f32,
    npar: i64,
    par: *const f32,
    fdim: c_int,
    f: *mut f32,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { on_each_other(settings, law, (n, dim, x), (npar, par), (fdim, f)) })
}

/// What a law makes of `nj` bodies `xj` [nj][jdim] acting on `ni` bodies `xi` [ni][idim]: `f` [ni][fdim]. Where
/// `same` is not 0, body k of one side is body k of the other, with other numbers, and the law decides what it does to
/// itself. Otherwise as mb_evaluate.
///
/// # Safety
/// As [`mb_evaluate`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_evaluate_on(
    settings: *const mb_settings,
    law: *const c_char,
    ni: i64,
    idim: c_int,
    xi: *const f64,
    nj: i64,
    jdim: c_int,
    xj: *const f64,
    same: c_int,
    npar: i64,
    par: *const f64,
    fdim: c_int,
    f: *mut f64,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { on_others(settings, law, (ni, idim, xi), (nj, jdim, xj), same, (npar, par), (fdim, f)) })
}

/// mb_evaluate_on of arrays of float, in f32 unless the settings name another precision.
///
/// # Safety
/// As [`mb_evaluate`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_evaluate_on_f32(
    settings: *const mb_settings,
    law: *const c_char,
    ni: i64,
    idim: c_int,
    xi: *const f32,
    nj: i64,
    jdim: c_int,
    xj: *const f32,
    same: c_int,
    npar: i64,
    par: *const f32,
    fdim: c_int,
    f: *mut f32,
) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { on_others(settings, law, (ni, idim, xi), (nj, jdim, xj), same, (npar, par), (fdim, f)) })
}

/// Refuses results that are finite, and beyond the range of f32.
fn check_single(columns: &[&[f64]]) -> Outcome {
    match columns.iter().find_map(|column| beyond_single(column)) {
        None => Ok(()),
        Some((index, value)) => {
            Err(Error::NotFinite { time: 0.0, index, id: index as u64, quantity: "result", value }.into())
        }
    }
}
