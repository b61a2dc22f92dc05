//! Histograms of pairs that ranks share.

use super::job::Kind;
use super::shared::{carry_out, drives};
use crate::pairs::{Bins, Float, PairHistogram, Points};
use crate::watch::Watch;
use crate::{Error, Result};
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};

/// Pairs of fewer points than this are counted by one process: that takes milliseconds.
const LEAST_PAIRS: usize = 1 << 22;

/// [`PairHistogram::within_watched`], shared with the ranks of this thread, if there are any.
///
/// # Errors
/// Those of the histogram; [`Error::Rank`] for a rank that is lost.
pub fn pairs_within<T: Float>(
    points: &Points<T>,
    weights: Option<&[f64]>,
    bins: &Bins,
    watch: &Watch,
) -> Result<PairHistogram> {
    let Some(team) = drives(points.len(), points.len(), LEAST_PAIRS)? else {
        return PairHistogram::within_watched(points, weights, bins, watch);
    };
    let words = job(&[(points, weights)], bins);
    carry_out(&team, words, || PairHistogram::within_on(&team, points, weights, bins, watch))
}

/// [`PairHistogram::between_watched`], shared with the ranks of this thread, if there are any.
///
/// # Errors
/// As [`pairs_within`].
pub fn pairs_between<T: Float>(
    a: &Points<T>,
    b: &Points<T>,
    weights: Option<(&[f64], &[f64])>,
    bins: &Bins,
    watch: &Watch,
) -> Result<PairHistogram> {
    let Some(team) = drives(a.len(), b.len(), LEAST_PAIRS)? else {
        return PairHistogram::between_watched(a, b, weights, bins, watch);
    };
    let (of_a, of_b) = weights.unzip();
    let words = job(&[(a, of_a), (b, of_b)], bins);
    carry_out(&team, words, || PairHistogram::between_on(&team, [a, b], weights, bins, watch))
}

/// Points in f64, which holds both types, and their weights.
fn job<T: Float>(sets: &[(&Points<T>, Option<&[f64]>)], bins: &Bins) -> Words {
    let mut words = Words::default();
    Kind::Histogram.put(&mut words);
    // of no solver, and made of nothing
    words.number(u64::MAX).number(0).flag(T::DOUBLE).number(sets.len() as u64);
    for (points, weights) in sets {
        words.number(points.dimensions() as u64);
        for d in 0..points.dimensions() {
            let wide: Vec<f64> = points.column(d).iter().map(|x| x.to_f64()).collect();
            words.reals(&wide);
        }
        words.flag(weights.is_some()).reals(weights.unwrap_or_default());
    }
    words.reals(bins.edges()).flag(bins.box_sides().is_some()).reals(bins.box_sides().unwrap_or_default());
    words
}

/// What the other ranks do of a [`job`].
///
/// # Errors
/// As [`pairs_within`].
pub(super) fn serve(reader: &mut Reader<'_>, team: &Team) -> Result<()> {
    match reader.flag()? {
        true => serve_in::<f64>(reader, team),
        false => serve_in::<f32>(reader, team),
    }
}

fn serve_in<T: Float>(reader: &mut Reader<'_>, team: &Team) -> Result<()> {
    let sets = (0..reader.count()?).map(|_| set::<T>(reader)).collect::<Result<Vec<_>>>()?;
    let mut bins = Bins::new(reader.reals()?)?;
    if reader.flag()? {
        bins = bins.periodic(reader.reals()?)?;
    }
    let watch = Watch::default();
    match &sets[..] {
        [(points, weights)] => PairHistogram::within_on(team, points, *weights, &bins, &watch).map(drop),
        [(a, of_a), (b, of_b)] => PairHistogram::between_on(team, [a, b], of_a.zip(*of_b), &bins, &watch).map(drop),
        _ => Err(Error::Rank { rank: 0, problem: format!("it asks for pairs of {} sets of points", sets.len()) }),
    }
}

fn set<'a, T: Float>(reader: &mut Reader<'a>) -> Result<(Points<T>, Option<&'a [f64]>)> {
    let narrow = |column: &[f64]| column.iter().map(|x| T::from_f64(*x)).collect::<Vec<T>>();
    let columns = (0..reader.count()?).map(|_| reader.reals().map(narrow)).collect::<Result<Vec<_>>>()?;
    let slices: Vec<&[T]> = columns.iter().map(Vec::as_slice).collect();
    let points = Points::from_columns(&slices)?;
    let is_weighted = reader.flag()?;
    let weights = reader.reals()?;
    Ok((points, is_weighted.then_some(weights)))
}
