//! A law in Rust on the compiled kernels: columns in, columns out.
//!
//! The kernels are [`mirrored`] for one set of bodies, each pair once, and [`one_sided`] for two. They are compiled where
//! this is called, in the user's crate, for all levels of vectors: a minute or so for each law and precision, so ask for
//! what is needed.

use super::Precision;
use super::mirrored::mirrored;
use super::one_sided::one_sided;
use super::packed::Packed;
#[cfg(doc)]
use crate::Error;
use crate::Result;
use crate::law::{self, Cell, Law, PairLaw, Record, Sets, make};
use crate::simd::{Element, Level};

/// What the law `L` makes of the sets, on all cores: one column a result, each \[n_i\], as
/// [`result_columns`](Law::result_columns) names them. The same for any number of threads.
///
/// # Errors
/// As [`Sets::check`]; in f32, ids go up to 2^24. [`Error::Parameter`] for an unusable MANYBODY_SIMD.
pub fn compiled<L: PairLaw>(sets: &Sets<'_>, precision: Precision) -> Result<Vec<Vec<f64>>> {
    let level = Level::from_env()?;
    let law = Law::of::<L>()?;
    sets.check(&law, 2f64.powi(if precision == Precision::F32 { 24 } else { 53 }))?;
    let mut raw = match precision {
        Precision::F32 => law.recentred(sets, |sets| run::<L, f32>(level, sets, law.cells().len())),
        Precision::F64 | Precision::Mixed => run::<L, f64>(level, sets, law.cells().len()),
    };
    if sets.same && law.self_pair() == law::SelfPair::Given {
        give_to_itself::<L>(sets, &mut raw);
    }
    Ok(law.finish(raw))
}

fn run<L: PairLaw, T: Element>(level: Level, sets: &Sets<'_>, results: usize) -> Vec<Vec<f64>> {
    let par: Vec<T> = sets.par.iter().map(|x| T::from_f64(*x)).collect();
    let mut out = vec![Vec::new(); results];
    let (ni, nj) = sets.lens();
    let i = pack::<T>(level, sets.i, ni);
    if sets.same {
        mirrored::<L, T>(level, &i, &par, &mut out);
    } else {
        one_sided::<L, T>(level, &i, &pack::<T>(level, sets.j, nj), false, &par, &mut out);
    }
    out.into_iter().map(|column| column.into_iter().map(T::to_f64).collect()).collect()
}

fn pack<T: Element>(level: Level, columns: &[&[f64]], n: usize) -> Packed<T> {
    let lanes = if T::DOUBLE { (level.lanes_f32() / 2).max(1) } else { level.lanes_f32() };
    let mut packed = Packed::default();
    packed.fill(n, columns.len(), lanes, |k, to| {
        to.iter_mut().zip(columns[k]).for_each(|(to, x)| *to = T::from_f64(*x));
    });
    packed
}

/// What bodies do to themselves, in f64: once a body.
fn give_to_itself<L: PairLaw>(sets: &Sets<'_>, raw: &mut [Vec<f64>]) {
    let par: L::Par<f64> = law::oracle::record(|k| sets.par[k]);
    (0..sets.lens().0).for_each(|b| {
        let i: L::Body<f64> = law::oracle::record(|k| sets.i[k][b]);
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
