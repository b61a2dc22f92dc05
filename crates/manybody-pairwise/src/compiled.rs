//! A law in Rust on the compiled kernels: columns in, columns out.
//!
//! Each function is one kernel: [`compiled`] is [`mirrored`], for one set of bodies, each pair once, [`compiled_between`] is
//! [`one_sided`], for two sets. The kernel is compiled where the function is called, in the user's crate, for all levels of
//! vectors, in the number type that is named: half a minute or so for each law and type.

use super::lanes;
use super::mirrored::mirrored;
use super::one_sided::one_sided;
use super::packed::Packed;
use super::triangular::triangular;
use crate::law::{self, Cell, Law, PairInputs, PairLaw, Record, make};
use crate::map::Triangle;
use crate::simd::{Element, Level};
use crate::{Error, Result};

/// What the law `L` makes of one set of bodies, on all cores: one column a result, each \[n\], as
/// [`result_columns`](Law::result_columns) names them. The same for any number of threads.
///
/// # Errors
/// As [`PairInputs::check`]; in f32, ids go up to 2^24. [`Error::Parameter`] for two sets, and for an unusable MANYBODY_SIMD.
pub fn compiled<L: PairLaw, T: Element>(inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
    one_set(inputs, "compiled_between computes what one set does to another")?;
    with::<L, T>(inputs, |level, inputs, out| {
        mirrored::<L, T>(level, &pack::<T>(level, inputs.i, inputs.lens().0), &parameters::<T>(inputs), out);
        Ok(())
    })
}

/// What the law `L` makes of bodies on which others act, on all cores: one column a result, each \[n_i\]. The sets may be one,
/// or have bodies in common.
///
/// # Errors
/// As [`compiled`], for any sets.
pub fn compiled_between<L: PairLaw, T: Element>(inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
    with::<L, T>(inputs, |level, inputs, out| {
        let (ni, nj) = inputs.lens();
        let (i, j) = (pack::<T>(level, inputs.i, ni), pack::<T>(level, inputs.j, nj));
        one_sided::<L, T>(level, &i, &j, inputs.first(), &parameters::<T>(inputs), out);
        Ok(())
    })
}

/// [`compiled`], its tile pairs in the order of an index map: [`triangular()`] from columns to columns.
///
/// # Errors
/// As [`compiled`].
pub fn compiled_triangular<L: PairLaw, T: Element>(map: Triangle, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
    one_set(inputs, "a triangle holds each pair once")?;
    with::<L, T>(inputs, |level, inputs, out| {
        let packed = pack::<T>(level, inputs.i, inputs.lens().0);
        triangular::<L, T>(map, level, &packed, &parameters::<T>(inputs), out)
    })
}

/// Refuses two sets.
fn one_set(inputs: &PairInputs<'_>, why: &str) -> Result<()> {
    if inputs.same_columns() {
        return Ok(());
    }
    let expected = format!("one set of bodies with one record each is needed: {why}");
    Err(Error::Parameter { name: "sets", value: "two".into(), expected })
}

/// What a kernel makes of the sets, checked before and finished after.
fn with<L: PairLaw, T: Element>(
    inputs: &PairInputs<'_>,
    kernel: impl Fn(Level, &PairInputs<'_>, &mut [Vec<T>]) -> Result<()>,
) -> Result<Vec<Vec<f64>>> {
    let level = Level::from_env()?;
    let law = Law::of::<L>()?;
    inputs.check(&law, 2f64.powi(if T::DOUBLE { 53 } else { 24 }))?;
    let run = |inputs: &PairInputs<'_>| {
        let mut out = vec![Vec::new(); lanes::width_of::<L::Out<f64>>()];
        kernel(level, inputs, &mut out).map(|()| columns(out))
    };
    let mut raw = match T::DOUBLE {
        false => law.recentred(inputs, run)?,
        true => run(inputs)?,
    };
    if inputs.same_bodies() && law.self_pair() == law::SelfPair::Custom {
        apply_self_term::<L>(inputs, &mut raw);
    }
    Ok(law.finish(raw))
}

fn parameters<T: Element>(inputs: &PairInputs<'_>) -> Vec<T> {
    inputs.par.iter().map(|x| T::from_f64(*x)).collect()
}

fn columns<T: Element>(out: Vec<Vec<T>>) -> Vec<Vec<f64>> {
    out.into_iter().map(|column| column.into_iter().map(T::to_f64).collect()).collect()
}

fn pack<T: Element>(level: Level, columns: &[&[f64]], n: usize) -> Packed<T> {
    let lanes = level.lanes::<T>();
    let mut packed = Packed::default();
    packed.fill(n, columns.len(), lanes, |k, to| {
        to.iter_mut().zip(columns[k]).for_each(|(to, x)| *to = T::from_f64(*x));
    });
    packed
}

/// What bodies do to themselves, in f64: once a body.
fn apply_self_term<L: PairLaw>(inputs: &PairInputs<'_>, raw: &mut [Vec<f64>]) {
    let par: L::Par<f64> = law::record_of(|k| inputs.par[k]);
    (0..inputs.lens().0).for_each(|b| {
        let i: L::Body<f64> = law::record_of(|k| inputs.i[k][b]);
        let mut k = 0;
        let mut out: L::Out<f64> = make(|_: Cell| {
            k += 1;
            raw[k - 1][b]
        });
        L::own(&i, &par, &mut out);
        let (mut k, seen) = (0, out);
        out.zip(&seen, &mut |_, _, x| {
            raw[k][b] = x;
            k += 1;
        });
    });
}
