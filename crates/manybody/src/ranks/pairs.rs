//! Computations on pairs and triples of points that ranks share: histograms, touching spheres, energies of triples.

use super::job::Kind;
use super::shared::{carry_out, drives};
use crate::pairs::{
    self, AxilrodTeller, Bins, Float, PairHistogram, Points, Spheres, TripletForces, collisions_on, count_collisions_on,
};
use crate::watch::Watch;
use crate::{Error, Result};
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};

/// Fewer pairs than this are looked at by one process: that takes milliseconds.
const LEAST_PAIRS: usize = 1 << 22;

/// Fewer triples, which take more than ten times as long as pairs.
const LEAST_TRIPLES: usize = LEAST_PAIRS / 16;

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

/// [`count_collisions_watched`](pairs::count_collisions_watched), shared with the ranks of this thread, if there are any.
///
/// # Errors
/// Those of the count; [`Error::Rank`] for a rank that is lost.
pub fn count_collisions<T: Float>(spheres: &Spheres<T>, watch: &Watch) -> Result<u64> {
    let Some(team) = drives(spheres.len(), spheres.len(), LEAST_PAIRS)? else {
        return pairs::count_collisions_watched(spheres, watch);
    };
    carry_out(&team, job_of_spheres(spheres, false), || count_collisions_on(&team, spheres, watch))
}

/// [`collisions_watched`](pairs::collisions_watched), shared with the ranks of this thread, if there are any.
///
/// # Errors
/// Those of the list; [`Error::Rank`] for a rank that is lost.
pub fn collisions<T: Float>(spheres: &Spheres<T>, watch: &Watch) -> Result<Vec<[u32; 2]>> {
    let Some(team) = drives(spheres.len(), spheres.len(), LEAST_PAIRS)? else {
        return pairs::collisions_watched(spheres, watch);
    };
    carry_out(&team, job_of_spheres(spheres, true), || collisions_on(&team, spheres, watch))
}

/// [`energy_and_forces_watched`](AxilrodTeller::energy_and_forces_watched), shared with the ranks of this thread, if there are
/// any.
///
/// # Errors
/// Those of the law; [`Error::Rank`] for a rank that is lost.
pub fn triples(law: &AxilrodTeller, points: &Points<f64>, watch: &Watch) -> Result<TripletForces> {
    let n = points.len();
    let Some(team) = drives(n, n.saturating_mul(n) / 6, LEAST_TRIPLES)? else {
        return law.energy_and_forces_watched(points, watch);
    };
    let mut words = begin::<f64>(Kind::Triples);
    words.real(law.nu()).reals(law.reach().as_slice()).reals(law.box_sides().as_ref().map_or(&[], |sides| &sides[..]));
    put_points(points, &mut words);
    carry_out(&team, words, || law.energy_and_forces_on(&team, points, watch))
}

/// The first words of a job for points of one type.
fn begin<T: Float>(kind: Kind) -> Words {
    let mut words = kind.alone();
    words.flag(T::DOUBLE);
    words
}

/// Points in f64, which holds both types.
fn put_points<T: Float>(points: &Points<T>, to: &mut Words) {
    to.number(points.dimensions() as u64);
    for d in 0..points.dimensions() {
        put_column(points.column(d), to);
    }
}

fn put_column<T: Float>(column: &[T], to: &mut Words) {
    let wide: Vec<f64> = column.iter().map(|x| x.to_f64()).collect();
    to.reals(&wide);
}

fn job_of_spheres<T: Float>(spheres: &Spheres<T>, list: bool) -> Words {
    let mut words = begin::<T>(Kind::Collisions);
    put_points(spheres.centers(), words.flag(list));
    put_column(spheres.radii(), &mut words);
    words
}

fn job<T: Float>(sets: &[(&Points<T>, Option<&[f64]>)], bins: &Bins) -> Words {
    let mut words = begin::<T>(Kind::Histogram);
    words.number(sets.len() as u64);
    for (points, weights) in sets {
        put_points(points, &mut words);
        words.flag(weights.is_some()).reals(weights.unwrap_or_default());
    }
    words.reals(bins.edges()).flag(bins.box_sides().is_some()).reals(bins.box_sides().unwrap_or_default());
    words
}

/// What the other ranks do of such a job.
///
/// # Errors
/// Those of the computation; [`Error::Rank`] for a rank that is lost.
pub(super) fn serve(kind: Kind, reader: &mut Reader<'_>, team: &Team) -> Result<()> {
    let (double, watch) = (reader.flag()?, Watch::default());
    match (kind, double) {
        (Kind::Triples, _) => serve_triples(reader, team, &watch),
        (Kind::Collisions, true) => serve_spheres::<f64>(reader, team, &watch),
        (Kind::Collisions, false) => serve_spheres::<f32>(reader, team, &watch),
        (_, true) => serve_histogram::<f64>(reader, team, &watch),
        (_, false) => serve_histogram::<f32>(reader, team, &watch),
    }
}

fn serve_triples(reader: &mut Reader<'_>, team: &Team, watch: &Watch) -> Result<()> {
    let mut law = AxilrodTeller::new(reader.real()?)?;
    if let [cutoff] = reader.reals()? {
        law = law.cutoff(*cutoff)?;
    }
    if let Ok(sides) = <[f64; 3]>::try_from(reader.reals()?) {
        law = law.periodic(sides)?;
    }
    law.energy_and_forces_on(team, &points(reader)?, watch).map(drop)
}

fn serve_spheres<T: Float>(reader: &mut Reader<'_>, team: &Team, watch: &Watch) -> Result<()> {
    let list = reader.flag()?;
    let spheres = Spheres::<T>::new(points(reader)?, &narrow(reader.reals()?))?;
    match list {
        true => collisions_on(team, &spheres, watch).map(drop),
        false => count_collisions_on(team, &spheres, watch).map(drop),
    }
}

fn serve_histogram<T: Float>(reader: &mut Reader<'_>, team: &Team, watch: &Watch) -> Result<()> {
    let sets = (0..reader.count()?).map(|_| set::<T>(reader)).collect::<Result<Vec<_>>>()?;
    let mut bins = Bins::new(reader.reals()?)?;
    if reader.flag()? {
        bins = bins.periodic(reader.reals()?)?;
    }
    match &sets[..] {
        [(points, weights)] => PairHistogram::within_on(team, points, *weights, &bins, watch).map(drop),
        [(a, of_a), (b, of_b)] => PairHistogram::between_on(team, [a, b], of_a.zip(*of_b), &bins, watch).map(drop),
        _ => Err(Error::Rank { rank: 0, problem: format!("it asks for pairs of {} sets of points", sets.len()) }),
    }
}

fn set<'a, T: Float>(reader: &mut Reader<'a>) -> Result<(Points<T>, Option<&'a [f64]>)> {
    let points = points(reader)?;
    let is_weighted = reader.flag()?;
    let weights = reader.reals()?;
    Ok((points, is_weighted.then_some(weights)))
}

fn points<T: Float>(reader: &mut Reader<'_>) -> Result<Points<T>> {
    let columns = (0..reader.count()?).map(|_| reader.reals().map(narrow)).collect::<Result<Vec<_>>>()?;
    let slices: Vec<&[T]> = columns.iter().map(Vec::as_slice).collect();
    Points::from_columns(&slices)
}

fn narrow<T: Float>(column: &[f64]) -> Vec<T> {
    column.iter().map(|x| T::from_f64(*x)).collect()
}
