//! Which spheres touch: every pair is tested, the touching ones are listed.
//!
//! Two balls touch if |x_i - x_j|^2 <= (r_i + r_j)^2, each operation rounded in the number type: surfaces that just
//! meet, overlaps, a ball inside another, and two points (radius 0) at the same place. Count first, then fill: a row
//! of the triangle is tested in stretches of 256 partners, eight to a vector; a stretch without a touch is done. The
//! others are gone through again, and since there are never more of them than touches, the list grows with what it
//! holds and has no limit of its own. It is ordered by i, then by j.

use super::points::{Float, Points, parameter};
use super::{Pairs, memory};
use crate::Result;
use crate::follow::Followed;
use crate::shared::Sent;
use crate::simd::{Kernel, Level, Vector, launch};
use manybody_pairwise::watch::Watch;
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Spheres of any radius, 0 included, in one, two or three dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Spheres<T> {
    centers: Points<T>,
    radii: Vec<T>,
}

impl<T: Float> Spheres<T> {
    /// Spheres by centre and radius: \[n\], the unit of the coordinates.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for more than three dimensions, another number of radii than of
    /// centres, a radius that is negative, not a number, infinite or too large to be squared (1e150, or 1e18 in f32),
    /// or more than 2^32 spheres.
    pub fn new(centers: Points<T>, radii: &[T]) -> Result<Self> {
        let (n, dimensions) = (centers.len(), centers.dimensions());
        if dimensions > 3 {
            let expected = "spheres must have 1, 2 or 3 dimensions".to_owned();
            return Err(parameter("centers", &format!("{dimensions} dimensions"), expected));
        }
        if radii.len() != n {
            return Err(parameter(
                "radii",
                &format!("{} entries", radii.len()),
                format!("one for each of {n} centers"),
            ));
        }
        if n as u64 > 1 << 32 {
            return Err(parameter("centers", &n.to_string(), "must be at most 2^32 spheres".to_owned()));
        }
        let usable = |r: &T| (0.0..=T::LIMIT.to_f64()).contains(&r.to_f64());
        if let Some(i) = radii.iter().position(|r| !usable(r)) {
            let expected = format!("must be from 0 to {:e}", T::LIMIT.to_f64());
            return Err(parameter("radii", &format!("{:?} at sphere {i}", radii[i]), expected));
        }
        Ok(Spheres { centers, radii: radii.to_vec() })
    }

    /// How many spheres.
    pub fn len(&self) -> usize {
        self.radii.len()
    }

    /// True without spheres.
    pub fn is_empty(&self) -> bool {
        self.radii.is_empty()
    }

    /// The centres.
    pub fn centers(&self) -> &Points<T> {
        &self.centers
    }

    /// The radii: \[n\].
    pub fn radii(&self) -> &[T] {
        &self.radii
    }

    /// Whether spheres i and j touch.
    #[inline(always)]
    fn touch<const D: usize>(here: &[T; D], r: T, there: &[&[T]; D], radii: &[T], k: usize) -> bool {
        let mut square = (there[0][k] - here[0]) * (there[0][k] - here[0]);
        for c in 1..D {
            let difference = there[c][k] - here[c];
            square = square + difference * difference;
        }
        let reach = r + radii[k];
        square <= reach * reach
    }
}

/// How many pairs of spheres touch.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) if there are more pairs than 64 bits count, and for an unusable
/// MANYBODY_SIMD.
pub fn count_collisions<T: Float>(spheres: &Spheres<T>) -> Result<u64> {
    counted(spheres, None, None)
}

/// [`count_collisions`], followed by a watch.
///
/// # Errors
/// As [`count_collisions`], and [`Error::Interrupted`](crate::Error::Interrupted) if the watch ends it.
pub fn count_collisions_watched<T: Float>(spheres: &Spheres<T>, watch: &Watch) -> Result<u64> {
    counted(spheres, Some(watch), None)
}

/// [`count_collisions_watched`], shared by ranks, each of which makes the same call. Rank 0 gets the number.
///
/// # Errors
/// As [`count_collisions_watched`], and [`Error::Rank`](crate::Error::Rank) for a rank that is lost.
pub fn count_collisions_on<T: Float>(team: &Team, spheres: &Spheres<T>, watch: &Watch) -> Result<u64> {
    counted(spheres, Some(watch), Some(team))
}

fn counted<T: Float>(spheres: &Spheres<T>, watch: Option<&Watch>, team: Option<&Team>) -> Result<u64> {
    let (pairs, level) = (pairs_of(spheres)?, Level::from_env()?);
    let followed = Followed::begin_on(team, watch, pairs.count(), pairs.shared_blocks());
    let count = pairs.fold_on(
        team,
        &followed,
        || 0,
        |count, block| count + block.i.clone().map(|i| count_row(level, spheres, i, block.j_of(i))).sum::<u64>(),
        |a, b| a + b,
    )?;
    followed.outcome()?;
    Ok(count)
}

/// The pairs of spheres that touch, as \[i, j\] with i < j, ordered by i, then by j.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) if there are more pairs than 64 bits count, if the memory for the
/// list is not available, and for an unusable MANYBODY_SIMD.
///
/// ```
/// # mod manybody { pub use manybody_law::{Error, law}; pub mod pairs { pub use manybody_pairs::*; } }
/// use manybody::pairs::{Points, Spheres, collisions};
/// let centers = Points::from_rows(&[0.0, 1.0, 3.0, 0.2], 1)?;
/// let spheres = Spheres::new(centers, &[0.5, 0.5, 1.0, 0.0])?;
/// assert_eq!(collisions(&spheres)?, [[0, 1], [0, 3]]);
/// # Ok::<(), manybody::Error>(())
/// ```
pub fn collisions<T: Float>(spheres: &Spheres<T>) -> Result<Vec<[u32; 2]>> {
    listed(spheres, memory::total(), None, None)
}

/// [`collisions`], followed by a watch, which sees two computations: the test of all pairs, and the list.
///
/// # Errors
/// As [`collisions`], and [`Error::Interrupted`](crate::Error::Interrupted) if the watch ends it.
pub fn collisions_watched<T: Float>(spheres: &Spheres<T>, watch: &Watch) -> Result<Vec<[u32; 2]>> {
    listed(spheres, memory::total(), Some(watch), None)
}

/// [`collisions_watched`], shared by ranks, each of which makes the same call: they test all pairs, and rank 0 makes the list,
/// that of one process. The others get an empty one.
///
/// # Errors
/// As [`collisions_watched`], and [`Error::Rank`](crate::Error::Rank) for a rank that is lost.
pub fn collisions_on<T: Float>(team: &Team, spheres: &Spheres<T>, watch: &Watch) -> Result<Vec<[u32; 2]>> {
    listed(spheres, memory::total() / team.beside() as u64, Some(watch), Some(team))
}

/// Which stretches of partners of a sphere have touches, and how many; and how many touches there are, of all stretches.
#[derive(Debug, Default)]
struct Found {
    stretches: Vec<(u32, Range<usize>, u64)>,
    total: u64,
}

impl Sent for Found {
    fn put(&self, to: &mut Words) {
        let flat =
            self.stretches.iter().flat_map(|(i, j, touches)| [u64::from(*i), j.start as u64, j.end as u64, *touches]);
        to.number(self.total).numbers(flat.collect::<Vec<_>>().into_iter());
    }

    fn get(from: &mut Reader<'_>) -> Result<Self> {
        let (total, flat) = (from.number()?, from.numbers()?);
        let stretch = |[i, start, end, touches]: &[u64; 4]| (*i as u32, *start as usize..*end as usize, *touches);
        Ok(Found { stretches: flat.as_chunks().0.iter().map(stretch).collect(), total })
    }
}

/// [`collisions`] in so many bytes of memory, by ranks where they share.
pub(super) fn listed<T: Float>(
    spheres: &Spheres<T>,
    memory: u64,
    watch: Option<&Watch>,
    team: Option<&Team>,
) -> Result<Vec<[u32; 2]>> {
    let (pairs, level) = (pairs_of(spheres)?, Level::from_env()?);
    let followed = Followed::begin_on(team, watch, pairs.count(), pairs.shared_blocks());
    let bytes = AtomicU64::new(0);
    // count: which stretches have touches, and how many each; where that alone is more than memory, how many
    let Found { stretches, total } = pairs.fold_on(
        team,
        &followed,
        Found::default,
        |Found { mut stretches, mut total }, block| {
            let (keep, before, had) = (bytes.load(Relaxed) <= memory, total, stretches.len());
            for i in block.i.clone() {
                let j = block.j_of(i);
                let touches = count_row(level, spheres, i, j.clone());
                total += touches;
                if touches > 0 && keep {
                    stretches.push((i as u32, j, touches));
                }
            }
            let more = (stretches.len() - had) as u64;
            bytes.fetch_add(BYTES_A_STRETCH * more + BYTES_A_TOUCH * (total - before), Relaxed);
            Found { stretches, total }
        },
        |mut a, mut b| {
            a.stretches.append(&mut b.stretches);
            Found { stretches: a.stretches, total: a.total + b.total }
        },
    )?;
    followed.outcome()?;
    drop(followed);
    let mut list = Vec::new();
    if team.is_some_and(|team| !team.is_root()) {
        return Ok(list);
    }
    // with ranks, each of them has left stretches out where its own were more than memory
    let is_whole = stretches.iter().map(|(_, _, touches)| touches).sum::<u64>() == total;
    let bytes = BYTES_A_STRETCH * stretches.len() as u64 + BYTES_A_TOUCH * total;
    let room = usize::try_from(total).ok().filter(|_| is_whole && bytes <= memory);
    if room.is_none_or(|total| list.try_reserve_exact(total).is_err()) {
        let expected =
            format!("there must be memory for {BYTES_A_TOUCH} bytes per touching pair; counting needs no memory");
        return Err(parameter("collisions", &format!("{total} touching pairs"), expected));
    }
    let followed = Followed::begin(watch, pairs.count(), stretches.len() as u64);
    fill(level, spheres, stretches, &mut list, &followed);
    followed.outcome()?;
    Ok(list)
}

fn pairs_of<T: Float>(spheres: &Spheres<T>) -> Result<Pairs> {
    Pairs::of(spheres.len())?.block(STRETCH)
}

/// What a touch takes until the list is there, once in it and once on its way there, and what a stretch with touches.
const BYTES_A_TOUCH: u64 = 16;
const BYTES_A_STRETCH: u64 = size_of::<(u32, Range<usize>, u64)>() as u64;

/// Partners that are tested together: long enough for vectors, short enough to be gone through twice.
const STRETCH: usize = 256;

/// Fills the list, stretch by stretch, in the order of i, then of j.
fn fill<T: Float>(
    level: Level,
    spheres: &Spheres<T>,
    mut found: Vec<(u32, Range<usize>, u64)>,
    list: &mut Vec<[u32; 2]>,
    followed: &Followed<'_>,
) {
    use rayon::prelude::*;
    found.par_sort_unstable_by_key(|(i, j, _)| (*i, j.start));
    list.par_extend(found.into_par_iter().flat_map_iter(|(i, j, touches)| {
        followed.task(Vec::with_capacity(touches as usize), 1, |mut row| {
            match spheres.centers.dimensions() {
                1 => fill_row::<T, 1>(level, spheres, i, j, &mut row),
                2 => fill_row::<T, 2>(level, spheres, i, j, &mut row),
                _ => fill_row::<T, 3>(level, spheres, i, j, &mut row),
            }
            row
        })
    }));
}

fn fill_row<T: Float, const D: usize>(
    level: Level,
    spheres: &Spheres<T>,
    i: u32,
    j: Range<usize>,
    row: &mut Vec<[u32; 2]>,
) {
    let mut flags = [0_u8; STRETCH];
    launch(level, Flag::<T, D> { spheres, i: i as usize, j: j.clone(), flags: &mut flags });
    // eight flags are read at once; most of these words have no flag set
    let (words, _) = flags.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let mut left = u64::from_le_bytes(*word);
        while left != 0 {
            row.push([i, (j.start + 8 * at) as u32 + left.trailing_zeros() / 8]);
            left &= left - 1;
        }
    }
}

/// Sets the flags of the spheres `j` that touch sphere i to 1.
struct Flag<'a, T, const D: usize> {
    spheres: &'a Spheres<T>,
    i: usize,
    j: Range<usize>,
    flags: &'a mut [u8; STRETCH],
}

impl<T: Float, const D: usize> Kernel<T> for Flag<'_, T, D> {
    type Output = ();
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, _: V::Token) {
        let Flag { spheres, i, j, flags } = self;
        let (here, there) = sides::<T, D>(spheres, i, j.clone());
        let (r, radii) = (spheres.radii[i], &spheres.radii[j]);
        let there = there.map(|column| &column[..radii.len()]);
        for (k, flag) in flags[..radii.len()].iter_mut().enumerate() {
            *flag = u8::from(Spheres::touch(&here, r, &there, radii, k));
        }
    }
}

/// Where sphere i is, and where its partners are.
#[inline(always)]
fn sides<T: Float, const D: usize>(spheres: &Spheres<T>, i: usize, j: Range<usize>) -> ([T; D], [&[T]; D]) {
    let mut here = [T::default(); D];
    let mut there: [&[T]; D] = [&[]; D];
    for c in 0..D {
        here[c] = spheres.centers.column(c)[i];
        there[c] = &spheres.centers.column(c)[j.clone()];
    }
    (here, there)
}

/// How many of the spheres `j` touch sphere i.
fn count_row<T: Float>(level: Level, spheres: &Spheres<T>, i: usize, j: Range<usize>) -> u64 {
    launch(level, Count { spheres, i, j })
}

struct Count<'a, T> {
    spheres: &'a Spheres<T>,
    i: usize,
    j: Range<usize>,
}

impl<T: Float> Kernel<T> for Count<'_, T> {
    type Output = u64;
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, _: V::Token) -> u64 {
        match self.spheres.centers.dimensions() {
            1 => count::<T, 1>(self.spheres, self.i, self.j),
            2 => count::<T, 2>(self.spheres, self.i, self.j),
            _ => count::<T, 3>(self.spheres, self.i, self.j),
        }
    }
}

#[inline(always)]
fn count<T: Float, const D: usize>(spheres: &Spheres<T>, i: usize, j: Range<usize>) -> u64 {
    let (here, there) = sides::<T, D>(spheres, i, j.clone());
    let (r, radii) = (spheres.radii[i], &spheres.radii[j]);
    let there = there.map(|column| &column[..radii.len()]);
    let mut touches = T::Count::default();
    for k in 0..radii.len() {
        touches = touches + T::count(Spheres::touch(&here, r, &there, radii, k));
    }
    touches.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The level that MANYBODY_SIMD names is the one that computes, and all of them find the same touches.
    #[test]
    fn every_level_finds_the_same() {
        let spheres = Spheres::new(crate::tests::points::<f64>(700, 3, 1.0, 9), &[0.05; 700]).unwrap();
        let find = |level: Level| {
            let (mut row, j) = (Vec::new(), 100..100 + STRETCH);
            fill_row::<f64, 3>(level, &spheres, 7, j.clone(), &mut row);
            assert_eq!(count_row(level, &spheres, 7, j), row.len() as u64);
            row
        };
        let plain = find(Level::Scalar);
        assert!(!plain.is_empty());
        assert!(Level::available().into_iter().all(|level| find(level) == plain));
    }
}
