//! Pair counts by distance, and the two-point correlation function from them.
//!
//! A [`PairHistogram`] counts the pairs whose distance lies in each bin, edge\[k\] <= r < edge\[k + 1\]: within one set
//! of points (each pair once), or between two. Distances are compared as squares, in the number type of the points.
//! With a periodic box the nearest image counts, so the largest edge may be half the box at most.
//!
//! A row of the triangle is taken in stretches of 256 partners: their squares come from vectors, and those in range,
//! often few, are put in their bin by a table over the leading bits of the square (exponent and four more), which
//! leaves the choice between two or three bins. The counts are integers, and weighted counts are added in an order
//! that depends on the number of points alone.
//!
//! The estimators are those of Peebles and Hauser (DD/RR - 1), Davis and Peebles (DD/DR - 1) and Landy and Szalay
//! ((DD - 2 DR + RR)/RR), each count divided by the number of pairs it is out of [Landy 1993].

use super::Pairs;
use super::points::{Float, Points, parameter};
use crate::Result;
use crate::follow::Followed;
use crate::shared::{Sent, fold_tree_on};
use crate::simd::{Kernel, Level, Vector, launch};
use manybody_pairwise::watch::Watch;
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};
use std::ops::Range;

/// What is counted: bins, and the lengths of a periodic box if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    edges: Vec<f64>,
    periodic: Option<Vec<f64>>,
}

impl Bins {
    /// Bins between neighbouring edges: ascending, from 0 or more.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for fewer than two edges or more than a million bins, or edges
    /// that are negative, infinite, not numbers, or not ascending.
    pub fn new(edges: &[f64]) -> Result<Self> {
        if edges.len() < 2 {
            let expected = "there must be at least two edges, the ends of one bin".to_owned();
            return Err(parameter("edges", &format!("{} of them", edges.len()), expected));
        }
        check_count(edges.len() - 1)?;
        if let Some(k) = edges.iter().position(|e| !(0.0..=1e150).contains(e)) {
            let expected = "edges must be from 0 to 1e150".to_owned();
            return Err(parameter("edges", &format!("{} at {k}", edges[k]), expected));
        }
        if let Some(k) = edges.windows(2).position(|e| e[0] >= e[1]) {
            let value = format!("{} before {}", edges[k], edges[k + 1]);
            return Err(parameter("edges", &value, "edges must be ascending".to_owned()));
        }
        Ok(Bins { edges: edges.to_vec(), periodic: None })
    }

    /// The sides of the periodic box, if there is one.
    pub fn box_sides(&self) -> Option<&[f64]> {
        self.periodic.as_deref()
    }

    /// `count` bins of equal width from `first` to `last`.
    ///
    /// # Errors
    /// As [`new`](Bins::new).
    pub fn linear(first: f64, last: f64, count: usize) -> Result<Self> {
        let step = (last - first) / count as f64;
        Self::new(&ends_exactly(first, last, count, |k| first + k as f64 * step)?)
    }

    /// `count` bins of equal ratio from `first`, above 0, to `last`.
    ///
    /// # Errors
    /// As [`new`](Bins::new).
    pub fn logarithmic(first: f64, last: f64, count: usize) -> Result<Self> {
        let ratio = (last / first).ln() / count as f64;
        Self::new(&ends_exactly(first, last, count, |k| first * (k as f64 * ratio).exp())?)
    }

    /// In a periodic box with these side lengths, one a dimension.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a side that is not positive and finite, or less than twice
    /// the largest edge.
    pub fn periodic(mut self, lengths: &[f64]) -> Result<Self> {
        let largest = self.largest();
        if let Some(length) = lengths.iter().find(|l| !(l.is_finite() && **l > 0.0 && **l >= 2.0 * largest)) {
            let expected = format!(
                "must be at least twice the largest edge, {largest}: beyond half a box there are more images than the nearest"
            );
            return Err(parameter("box length", &length.to_string(), expected));
        }
        self.periodic = Some(lengths.to_vec());
        Ok(self)
    }

    /// The edges: one more than bins.
    pub fn edges(&self) -> &[f64] {
        &self.edges
    }

    /// How many bins.
    pub fn count(&self) -> usize {
        self.edges.len() - 1
    }

    /// The squares of the edges, as squared distances in `T` are compared with them: a pair is in bin k if
    /// squares\[k\] <= r^2 < squares\[k + 1\].
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for edges so small or so close that their squares in `T` are the
    /// same: nothing could be in that bin.
    pub fn squares<T: Float>(&self) -> Result<Vec<T>> {
        let squares: Vec<T> = self.edges.iter().map(|e| T::from_f64(e * e)).collect();
        match squares.windows(2).position(|s| s[0] >= s[1]) {
            None => Ok(squares),
            Some(k) => {
                let value = format!("{} and {}", self.edges[k], self.edges[k + 1]);
                let expected = format!("squares of edges must differ in f{}", 8 * T::BYTES);
                Err(parameter("edges", &value, expected))
            }
        }
    }

    /// The sides of the periodic box, one per dimension; empty in open space.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if the box has another number of dimensions.
    pub fn sides(&self, dimensions: usize) -> Result<Option<&[f64]>> {
        if let Some(lengths) = self.periodic.as_ref().filter(|l| l.len() != dimensions) {
            let expected = format!("there must be one for each of {dimensions} dimensions");
            return Err(parameter("box lengths", &format!("{} of them", lengths.len()), expected));
        }
        Ok(self.periodic.as_deref())
    }

    fn largest(&self) -> f64 {
        self.edges[self.edges.len() - 1]
    }
}

/// Bins at most: every share of a count has its own.
const MAX_BINS: usize = 1_000_000;

fn check_count(count: usize) -> Result<()> {
    if count <= MAX_BINS {
        return Ok(());
    }
    Err(parameter("bins", &count.to_string(), format!("must be at most {MAX_BINS}")))
}

fn ends_exactly(first: f64, last: f64, count: usize, inner: impl Fn(usize) -> f64) -> Result<Vec<f64>> {
    check_count(count)?;
    let edges = (0..=count)
        .map(|k| {
            if k == 0 {
                first
            } else if k == count {
                last
            } else {
                inner(k)
            }
        })
        .collect();
    Ok(edges)
}

/// Pairs by distance.
#[derive(Clone, Debug, PartialEq)]
pub struct PairHistogram {
    /// The edges of the bins: \[bins + 1\].
    pub edges: Vec<f64>,
    /// Pairs in each bin: \[bins\].
    pub counts: Vec<u64>,
    /// The sum of w_i w_j over the pairs of each bin: \[bins\]; equal to `counts` without weights.
    pub weights: Vec<f64>,
    /// The sum of w_i w_j over all pairs, in a bin or not; their number without weights.
    pub total: f64,
}

impl PairHistogram {
    /// All pairs i < j of one set of points (DD, or RR of a random one), with or without a weight for each point.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) if the box has another number of dimensions than the points, edges
    /// have no [`squares`](Bins::squares), or there are not as many weights as points, or one is not finite.
    ///
    /// ```
    /// # mod manybody { pub use manybody_law::{Error, law}; pub mod pairs { pub use manybody_pairs::*; } }
    /// use manybody::pairs::{Bins, PairHistogram, Points};
    /// let points = Points::from_rows(&[0.0, 1.0, 3.0, 9.5], 1)?;
    /// let open = PairHistogram::within(&points, None, &Bins::new(&[0.0, 1.0, 2.0, 4.0])?)?;
    /// assert_eq!(open.counts, [0, 1, 2]); // 0-1 is in [1, 2); 1-3 and 0-3 are in [2, 4)
    /// let ring = PairHistogram::within(&points, None, &Bins::new(&[0.0, 1.0, 2.0, 4.0])?.periodic(&[10.0])?)?;
    /// assert_eq!(ring.counts, [1, 2, 3]); // and across the boundary 0-9.5, 1-9.5, 3-9.5
    /// # Ok::<(), manybody::Error>(())
    /// ```
    pub fn within<T: Float>(points: &Points<T>, weights: Option<&[f64]>, bins: &Bins) -> Result<Self> {
        Self::within_followed(points, weights, bins, None, None)
    }

    /// [`within`](PairHistogram::within), followed by a watch.
    ///
    /// # Errors
    /// As [`within`](PairHistogram::within), and [`Error::Interrupted`](crate::Error::Interrupted) if the watch ends
    /// it.
    pub fn within_watched<T: Float>(
        points: &Points<T>,
        weights: Option<&[f64]>,
        bins: &Bins,
        watch: &Watch,
    ) -> Result<Self> {
        Self::within_followed(points, weights, bins, Some(watch), None)
    }

    /// [`within_watched`](PairHistogram::within_watched), shared by ranks, each of which makes the same call. Rank 0 gets the
    /// result, that of one process bit for bit.
    ///
    /// # Errors
    /// As [`within_watched`](PairHistogram::within_watched), and [`Error::Rank`](crate::Error::Rank) for a rank that is lost.
    pub fn within_on<T: Float>(
        team: &Team,
        points: &Points<T>,
        weights: Option<&[f64]>,
        bins: &Bins,
        watch: &Watch,
    ) -> Result<Self> {
        Self::within_followed(points, weights, bins, Some(watch), Some(team))
    }

    fn within_followed<T: Float>(
        points: &Points<T>,
        weights: Option<&[f64]>,
        bins: &Bins,
        watch: Option<&Watch>,
        team: Option<&Team>,
    ) -> Result<Self> {
        let table = Table::new(bins, points)?;
        check_weights(weights, points.len())?;
        let pairs = Pairs::of(points.len())?.block(STRETCH)?;
        let followed = Followed::begin_on(team, watch, pairs.count(), pairs.shared_blocks());
        let tally = pairs.fold_on(
            team,
            &followed,
            || Tally::new(bins.count()),
            |mut tally, block| {
                for i in block.i.clone() {
                    tally.row(&table, (points, i, weights), (points, block.j_of(i), weights));
                }
                tally
            },
            Tally::join,
        )?;
        followed.outcome()?;
        let total = match weights {
            None => pairs.count() as f64,
            Some(w) => {
                let (sum, squares) = (w.iter().sum::<f64>(), w.iter().map(|w| w * w).sum::<f64>());
                (sum * sum - squares) / 2.0
            }
        };
        Ok(tally.finish(bins, total, weights.is_some()))
    }

    /// All pairs of a point of one set and a point of another (DR), with or without a weight for each point of both.
    ///
    /// # Errors
    /// As [`within`](PairHistogram::within), and if the two sets differ in dimensions or only one has weights.
    pub fn between<T: Float>(
        a: &Points<T>,
        b: &Points<T>,
        weights: Option<(&[f64], &[f64])>,
        bins: &Bins,
    ) -> Result<Self> {
        Self::between_followed([a, b], weights, bins, None, None)
    }

    /// [`between`](PairHistogram::between), followed by a watch.
    ///
    /// # Errors
    /// As [`between`](PairHistogram::between), and [`Error::Interrupted`](crate::Error::Interrupted) if the watch ends
    /// it.
    pub fn between_watched<T: Float>(
        a: &Points<T>,
        b: &Points<T>,
        weights: Option<(&[f64], &[f64])>,
        bins: &Bins,
        watch: &Watch,
    ) -> Result<Self> {
        Self::between_followed([a, b], weights, bins, Some(watch), None)
    }

    /// [`between_watched`](PairHistogram::between_watched), shared by ranks, each of which makes the same call. Rank 0 gets the
    /// result, that of one process bit for bit.
    ///
    /// # Errors
    /// As [`between_watched`](PairHistogram::between_watched), and [`Error::Rank`](crate::Error::Rank) for a rank that is lost.
    pub fn between_on<T: Float>(
        team: &Team,
        sets: [&Points<T>; 2],
        weights: Option<(&[f64], &[f64])>,
        bins: &Bins,
        watch: &Watch,
    ) -> Result<Self> {
        Self::between_followed(sets, weights, bins, Some(watch), Some(team))
    }

    fn between_followed<T: Float>(
        [a, b]: [&Points<T>; 2],
        weights: Option<(&[f64], &[f64])>,
        bins: &Bins,
        watch: Option<&Watch>,
        team: Option<&Team>,
    ) -> Result<Self> {
        if a.dimensions() != b.dimensions() {
            let expected = format!("must be as many as the first set has, {}", a.dimensions());
            return Err(parameter("points", &format!("{} dimensions", b.dimensions()), expected));
        }
        let table = Table::new(bins, a)?;
        let (weights_a, weights_b) = weights.unzip();
        check_weights(weights_a, a.len())?;
        check_weights(weights_b, b.len())?;
        let (rows, columns) = (a.len().div_ceil(STRETCH) as u64, b.len().div_ceil(STRETCH) as u64);
        let range = |block: u64, n: usize| block as usize * STRETCH..((block as usize + 1) * STRETCH).min(n);
        let (blocks, all) = ((rows * columns, super::SHARES), (a.len() as u64).saturating_mul(b.len() as u64));
        let followed = Followed::begin_on(team, watch, all, blocks);
        let square = |mut tally: Tally, block: u64| {
            for i in range(block / columns, a.len()) {
                tally.row(&table, (a, i, weights_a), (b, range(block % columns, b.len()), weights_b));
            }
            tally
        };
        let leaf = |blocks: Range<u64>| {
            blocks.fold(Tally::new(bins.count()), |tally, block| followed.task(tally, 1, |tally| square(tally, block)))
        };
        let tally = fold_tree_on(team, blocks, &leaf, &Tally::join)?;
        followed.outcome()?;
        let total = match (weights_a, weights_b) {
            (Some(a), Some(b)) => a.iter().sum::<f64>() * b.iter().sum::<f64>(),
            _ => a.len() as f64 * b.len() as f64,
        };
        Ok(tally.finish(bins, total, weights.is_some()))
    }

    /// What `n` points strewn evenly over a periodic box would have on average: RR without random points, in one,
    /// two or three dimensions. `counts` are rounded; `weights` hold the exact means.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) without a periodic box, or for one of more than three dimensions.
    pub fn expected_in_box(n: usize, bins: &Bins) -> Result<Self> {
        let Some(lengths) = bins.periodic.as_ref().filter(|l| (1..=3).contains(&l.len())) else {
            let expected = "a periodic box must have 1, 2 or 3 dimensions".to_owned();
            return Err(parameter("bins", "no such box", expected));
        };
        let ball = |r: f64| match lengths.len() {
            1 => 2.0 * r,
            2 => std::f64::consts::PI * r * r,
            _ => 4.0 / 3.0 * std::f64::consts::PI * r * r * r,
        };
        let total = n as f64 * (n as f64 - 1.0).max(0.0) / 2.0;
        let volume: f64 = lengths.iter().product();
        let weights: Vec<f64> = bins.edges.windows(2).map(|e| total * (ball(e[1]) - ball(e[0])) / volume).collect();
        let counts = weights.iter().map(|w| w.round() as u64).collect();
        Ok(PairHistogram { edges: bins.edges.clone(), counts, weights, total })
    }

    /// The counts divided by the number of pairs they are out of (weighted, if they are): \[bins\].
    pub fn normalized(&self) -> Vec<f64> {
        self.weights.iter().map(|w| w / self.total).collect()
    }
}

/// xi = DD/RR - 1 [Peebles 1974], a bin each; not a number where RR is empty.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for histograms of different bins.
pub fn peebles_hauser(dd: &PairHistogram, rr: &PairHistogram) -> Result<Vec<f64>> {
    same_bins(dd, &[rr])?;
    Ok(dd.normalized().iter().zip(rr.normalized()).map(|(dd, rr)| dd / rr - 1.0).collect())
}

/// xi = DD/DR - 1 [Davis 1983], a bin each; not a number where DR is empty.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for histograms of different bins.
pub fn davis_peebles(dd: &PairHistogram, dr: &PairHistogram) -> Result<Vec<f64>> {
    peebles_hauser(dd, dr)
}

/// xi = (DD - 2 DR + RR)/RR [Landy 1993, eq. 44], a bin each; not a number where RR is empty.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for histograms of different bins.
pub fn landy_szalay(dd: &PairHistogram, dr: &PairHistogram, rr: &PairHistogram) -> Result<Vec<f64>> {
    same_bins(dd, &[dr, rr])?;
    let (dd, dr, rr) = (dd.normalized(), dr.normalized(), rr.normalized());
    Ok((0..dd.len()).map(|k| (dd[k] - 2.0 * dr[k] + rr[k]) / rr[k]).collect())
}

fn same_bins(a: &PairHistogram, others: &[&PairHistogram]) -> Result<()> {
    match others.iter().find(|b| b.edges != a.edges) {
        None => Ok(()),
        Some(b) => {
            let value = format!("{} bins up to {:?}", b.counts.len(), b.edges.last());
            Err(parameter("histogram", &value, "all histograms must have the same edges".to_owned()))
        }
    }
}

fn check_weights(weights: Option<&[f64]>, n: usize) -> Result<()> {
    let Some(weights) = weights else { return Ok(()) };
    if weights.len() != n {
        return Err(parameter("weights", &format!("{} entries", weights.len()), format!("one for each of {n} points")));
    }
    match weights.iter().position(|w| !w.is_finite()) {
        None => Ok(()),
        Some(i) => Err(parameter("weights", &format!("{} at {i}", weights[i]), "finite weights".to_owned())),
    }
}

/// Partners whose squares are computed together.
const STRETCH: usize = 256;
/// Bits of the mantissa that the table looks at.
const LEADING: u32 = 4;
/// Doublings of the square that the table spans; smaller squares start from the first bin.
const SPAN: u64 = 64;

/// Where to look for the bin of a square.
struct Table<T> {
    level: Level,
    squares: Vec<T>,
    /// Side of the box and its reciprocal, a dimension each.
    lengths: Option<Vec<[T; 2]>>,
    first_key: u64,
    bins: Vec<u32>,
}

impl<T: Float> Table<T> {
    fn new(bins: &Bins, points: &Points<T>) -> Result<Self> {
        let sides = bins.sides(points.dimensions())?;
        let squares: Vec<T> = bins.squares()?;
        let last_key = key(squares[squares.len() - 1].to_f64());
        let first_key = key(squares[0].to_f64()).max(last_key.saturating_sub(SPAN << LEADING));
        // the bin of the smallest square with that key
        let smallest = |k: u64| f64::from_bits(k << (52 - LEADING));
        let bin = |x: f64| squares.partition_point(|s| s.to_f64() <= x).saturating_sub(1) as u32;
        let bins_of = (first_key..=last_key).map(|k| if k == first_key { 0 } else { bin(smallest(k)) }).collect();
        let lengths = sides.map(|l| l.iter().map(|l| [*l, 1.0 / *l].map(T::from_f64)).collect());
        Ok(Table { level: Level::from_env()?, squares, lengths, first_key, bins: bins_of })
    }

    /// The bin of a square in range.
    #[inline(always)]
    fn bin(&self, square: T) -> usize {
        let key = key(square.to_f64()).max(self.first_key) - self.first_key;
        let mut bin = self.bins[key as usize] as usize;
        while square >= self.squares[bin + 1] {
            bin += 1;
        }
        bin
    }
}

/// Exponent and leading bits: grows with x >= 0.
#[inline(always)]
fn key(x: f64) -> u64 {
    x.to_bits() >> (52 - LEADING)
}

/// One point with its set's weights, and its partners with theirs.
type Row<'a, T> = (&'a Points<T>, usize, Option<&'a [f64]>);
type Partners<'a, T> = (&'a Points<T>, Range<usize>, Option<&'a [f64]>);

/// Counts so far.
struct Tally {
    counts: Vec<u64>,
    weights: Vec<f64>,
}

impl Sent for Tally {
    fn put(&self, to: &mut Words) {
        to.numbers(self.counts.iter().copied()).reals(&self.weights);
    }

    fn get(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Tally { counts: from.numbers()?.to_vec(), weights: from.reals()?.to_vec() })
    }
}

impl Tally {
    fn new(bins: usize) -> Self {
        Tally { counts: vec![0; bins], weights: vec![0.0; bins] }
    }

    fn join(mut self, other: Tally) -> Tally {
        self.counts.iter_mut().zip(other.counts).for_each(|(a, b)| *a += b);
        self.weights.iter_mut().zip(other.weights).for_each(|(a, b)| *a += b);
        self
    }

    fn finish(self, bins: &Bins, total: f64, weighted: bool) -> PairHistogram {
        let weights = if weighted { self.weights } else { self.counts.iter().map(|c| *c as f64).collect() };
        PairHistogram { edges: bins.edges.clone(), counts: self.counts, weights, total }
    }

    /// Point i against a stretch of partners.
    fn row<T: Float>(&mut self, table: &Table<T>, (a, i, weights_a): Row<T>, (b, j, weights_b): Partners<T>) {
        let mut squares = [T::default(); STRETCH];
        let mut flags = [0_u8; STRETCH];
        let n = j.len();
        let (squares_of, flags_of) = (&mut squares[..n], &mut flags[..n]);
        launch(table.level, Squares { table, of: (a, i), among: (b, j.clone()), squares: squares_of, flags: flags_of });
        // eight flags are read at once; often no flag of the word is set
        let (words, _) = flags.as_chunks::<8>();
        for (at, word) in words.iter().enumerate() {
            let mut left = u64::from_le_bytes(*word);
            while left != 0 {
                let k = 8 * at + left.trailing_zeros() as usize / 8;
                let bin = table.bin(squares[k]);
                self.counts[bin] += 1;
                if let (Some(wa), Some(wb)) = (weights_a, weights_b) {
                    self.weights[bin] += wa[i] * wb[j.start + k];
                }
                left &= left - 1;
            }
        }
    }
}

/// Squared distances of a point and its partners, and flags of 1 where one is in range.
struct Squares<'a, T> {
    table: &'a Table<T>,
    of: (&'a Points<T>, usize),
    among: (&'a Points<T>, Range<usize>),
    squares: &'a mut [T],
    flags: &'a mut [u8],
}

impl<T: Float> Kernel<T> for Squares<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, _: V::Token) {
        let Squares { table, of: (a, i), among: (b, j), squares, flags } = self;
        for d in 0..a.dimensions() {
            let (here, there) = (a.column(d)[i], &b.column(d)[j.clone()]);
            let length = table.lengths.as_ref().map(|l| l[d]);
            for (square, x) in squares.iter_mut().zip(there) {
                let mut difference = *x - here;
                if let Some([length, reciprocal]) = length {
                    difference = difference - length * (difference * reciprocal).round();
                }
                *square = *square + difference * difference;
            }
        }
        let (low, high) = (table.squares[0], table.squares[table.squares.len() - 1]);
        for (flag, square) in flags.iter_mut().zip(&*squares) {
            *flag = u8::from(*square >= low) & u8::from(*square < high);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The level that MANYBODY_SIMD names is the one that computes, and all of them count the same pairs.
    #[test]
    fn every_level_counts_the_same() {
        let points = crate::tests::points::<f32>(700, 3, 1.0, 5);
        let bins = Bins::new(&[0.0, 0.1, 0.2, 0.5]).unwrap().periodic(&[1.0; 3]).unwrap();
        let count = |level: Level| {
            let table = Table { level, ..Table::new(&bins, &points).unwrap() };
            let mut tally = Tally::new(bins.count());
            (0..700).for_each(|i| tally.row(&table, (&points, i, None), (&points, 0..STRETCH, None)));
            tally.counts
        };
        let plain = count(Level::Scalar);
        assert!(plain.iter().all(|count| *count > 0));
        assert!(Level::available().into_iter().all(|level| count(level) == plain));
    }
}
