//! A law in Rust on the compiled kernels: columns in, columns out.
//!
//! The kernels are [`mirrored`] for one set of bodies, each pair once, and [`one_sided`] for two. They are compiled where
//! this is called, in the user's crate, for all levels of vectors, in the number type that is named: a minute or so for
//! each law and type.

use super::lanes;
use super::mirrored::mirrored;
use super::one_sided::one_sided;
use super::packed::Packed;
use super::triangular::triangular;
use crate::law::{self, Cell, Law, PairInputs, PairLaw, Record, make};
use crate::simd::{Element, Level};
use crate::{Error, Result};

/// What the law `L` makes of the sets, on all cores: one column a result, each \[n_i\], as
/// [`result_columns`](Law::result_columns) names them. The same for any number of threads.
///
/// # Errors
/// As [`PairInputs::check`]; in f32, ids go up to 2^24. [`Error::Parameter`] for an unusable MANYBODY_SIMD.
pub fn compiled<L: PairLaw, T: Element>(inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
    with::<L, T>(inputs, run::<L, T>)
}

/// [`compiled`] for one set of bodies, its tile pairs in the order of an index map: [`triangular()`] from columns to columns.
///
/// # Errors
/// As [`compiled`]; [`Error::Parameter`] for two sets, [`Error::Unknown`] for the map.
pub fn compiled_triangular<L: PairLaw, T: Element>(map: &str, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
    if !inputs.same_columns() {
        let expected = "one set of bodies with one record each is needed: a triangle holds each pair once".into();
        return Err(Error::Parameter { name: "sets", value: "two".into(), expected });
    }
    with::<L, T>(inputs, |level, inputs| once::<L, T>(level, map, inputs))
}

/// What `run` makes of the sets, checked before and finished after.
fn with<L: PairLaw, T: Element>(
    inputs: &PairInputs<'_>,
    run: impl Fn(Level, &PairInputs<'_>) -> Result<Vec<Vec<f64>>>,
) -> Result<Vec<Vec<f64>>> {
    let level = Level::from_env()?;
    let law = Law::of::<L>()?;
    inputs.check(&law, 2f64.powi(if T::DOUBLE { 53 } else { 24 }))?;
    let mut raw = match T::DOUBLE {
        false => law.recentred(inputs, |inputs| run(level, inputs))?,
        true => run(level, inputs)?,
    };
    if inputs.same_bodies() && law.self_pair() == law::SelfPair::Custom {
        apply_self_term::<L>(inputs, &mut raw);
    }
    Ok(law.finish(raw))
}

fn run<L: PairLaw, T: Element>(level: Level, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
    let (par, mut out) = (parameters::<T>(inputs), vec![Vec::new(); lanes::width_of::<L::Out<f64>>()]);
    let (ni, nj) = inputs.lens();
    let i = pack::<T>(level, inputs.i, ni);
    if inputs.same_columns() {
        mirrored::<L, T>(level, &i, &par, &mut out);
    } else {
        one_sided::<L, T>(level, &i, &pack::<T>(level, inputs.j, nj), inputs.first(), &par, &mut out);
    }
    Ok(columns(out))
}

fn once<L: PairLaw, T: Element>(level: Level, map: &str, inputs: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
    let (par, mut out) = (parameters::<T>(inputs), vec![Vec::new(); lanes::width_of::<L::Out<f64>>()]);
    triangular::<L, T>(map, level, &pack::<T>(level, inputs.i, inputs.lens().0), &par, &mut out)?;
    Ok(columns(out))
}

fn parameters<T: Element>(inputs: &PairInputs<'_>) -> Vec<T> {
    inputs.par.iter().map(|x| T::from_f64(*x)).collect()
}

fn columns<T: Element>(out: Vec<Vec<T>>) -> Vec<Vec<f64>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::builtin::kernels::Matern;

    /// A law that is computed for four vectors side by side, on whole and cut vectors, tiles and groups. All terms are
    /// positive: a sum is off by what its terms are, some units in the last place, and by the oracle's chain of 1,100.
    #[test]
    fn a_law_with_functions_meets_the_oracle() {
        let column = |n: usize, k: u64| -> Vec<f64> {
            (0..n as u64).map(|b| ((b * 4 + k) as f64 * 0.618_033_988_749_895).fract().mul_add(0.9, 0.1)).collect()
        };
        let compare = |inputs: &PairInputs<'_>, what: &str| {
            let want = law::oracle::<Matern>(inputs).unwrap();
            let (double, single) = (compiled::<Matern, f64>(inputs).unwrap(), compiled::<Matern, f32>(inputs).unwrap());
            for (precision, bound, found) in [("f64", 1e-14, double), ("f32", 1.5e-6, single)] {
                for (b, (found, want)) in found[0].iter().zip(&want[0]).enumerate() {
                    assert!((found / want - 1.0).abs() < bound, "{what} {precision} {b}: {found} {want}");
                }
                assert_eq!(found[0].len(), want[0].len());
            }
        };
        for n in [1, 2, 3, 15, 16, 17, 64, 65, 511, 512, 513, 1100] {
            let bodies: Vec<Vec<f64>> = (0..4).map(|k| column(n, k)).collect();
            let bodies: Vec<&[f64]> = bodies.iter().map(Vec::as_slice).collect();
            compare(&PairInputs::one(&bodies, &[0.5]), &format!("{n} bodies"));
            let others: Vec<Vec<f64>> = (4..8).map(|k| column(70, k)).collect();
            let others: Vec<&[f64]> = others.iter().map(Vec::as_slice).collect();
            compare(&PairInputs::two(&bodies, &others, &[0.5]), &format!("{n} bodies under 70 others"));
            let others: Vec<Vec<f64>> = (4..8).map(|k| column(n, k)).collect();
            let others: Vec<&[f64]> = others.iter().map(Vec::as_slice).collect();
            compare(&PairInputs::roles(&bodies, &others, &[0.5]), &format!("{n} bodies that act with other columns"));
            let some: Vec<&[f64]> = bodies.iter().map(|column| &column[n / 3..n - n / 4]).collect();
            compare(&PairInputs::part(&some, &bodies, n / 3, &[0.5]), &format!("a part of {n} bodies"));
        }
    }
}
