//! The triangular traversal: every pair once, both bodies served, tile pairs in the order of an index map.
//!
//! A map's blocks are cut into 16 shares of neighbours. A share has sums of its own for all bodies, and shares are joined
//! two by two along a tree: the same bits for any number of threads. That takes memory and time that
//! [`mirrored`](super::mirrored()) with its circulant order does not need, and no map either: this one is for comparing
//! maps, and for work that comes as blocks of a triangle.

use super::fold::fold_tree;
use super::mirrored::TilePair;
use super::packed::{Aligned, Packed};
use super::{lanes, mirrored};
use crate::Result;
use crate::law::{Cell, PairLaw};
use crate::map::{Diagonal, Map, Triangle};
use crate::simd::{Element, Level, launch};
use std::marker::PhantomData;
use std::ops::Range;

/// Bodies of a tile.
const TILE: usize = 512;
/// Shares of the blocks.
const SHARES: usize = 16;

/// What all bodies do to each other under law L: `out[result][body]`, tile pairs in the order of a map. A published map
/// that is not right at this size makes a wrong result.
///
/// # Errors
/// As [`Triangle::of`].
pub fn triangular<L: PairLaw, T: Element>(
    map: Triangle,
    level: Level,
    bodies: &Packed<T>,
    par: &[T],
    out: &mut [Vec<T>],
) -> Result<()> {
    let n = bodies.len();
    let map = map.of(n.div_ceil(TILE) as u64, Diagonal::With)?;
    if n == 0 {
        out.iter_mut().for_each(Vec::clear);
        return Ok(());
    }
    let cells = mirrored::cells::<L, T>(level, bodies, par);
    let share = Share::<L, T> { map: &*map, level, bodies, par, cells: &cells, law: PhantomData };
    let all = fold_tree(map.blocks() as u64, SHARES, &|blocks| share.sums(blocks), &|a, b| join(&cells, a, b));
    for ((to, from), (cell, factor)) in out.iter_mut().zip(all).zip(&cells) {
        let factor = if cell.numbers() == 1 { T::from_f64(*factor) } else { T::from_f64(1.0) };
        to.clear();
        to.extend(from.into_iter().map(|x| x * factor));
    }
    Ok(())
}

struct Share<'a, L, T> {
    map: &'a dyn Map<2>,
    level: Level,
    bodies: &'a Packed<T>,
    par: &'a [T],
    cells: &'a [(Cell, f64)],
    law: PhantomData<fn() -> L>,
}

impl<L: PairLaw, T: Element> Share<'_, L, T> {
    /// The sums of all bodies over some blocks, factors left out: `[result][body]`.
    fn sums(&self, blocks: Range<u64>) -> Vec<Vec<T>> {
        let (n, results) = (self.bodies.len(), lanes::width_of::<L::Out<f64>>());
        let room = n.div_ceil(TILE) * TILE * results;
        let nothing: Vec<T> = self.cells.iter().map(|(cell, _)| cell.identity(T::default())).collect();
        let (mut of_i, mut of_j) = (Aligned::default(), Aligned::default());
        of_i.reset(room, T::default());
        of_j.reset(room, T::default());
        // [vector][result][lane] and [body][result]
        let vectors = of_i.as_mut_slice().chunks_exact_mut(self.bodies.lanes());
        vectors.enumerate().for_each(|(k, lanes)| lanes.fill(nothing[k % results]));
        of_j.as_mut_slice().iter_mut().enumerate().for_each(|(k, sum)| *sum = nothing[k % results]);
        let (mut tile, mut block_sums) = (Aligned::default(), Aligned::default());
        tile.reset(TILE * results, T::default());
        block_sums.reset(TILE * results, T::default());
        let range = |tile: u64| tile as usize * TILE..((tile as usize + 1) * TILE).min(n);
        for [i, j] in blocks.filter_map(|w| self.map.cell(w)) {
            let pair = TilePair::<L, T> {
                i: range(i),
                j: range(j),
                bodies: self.bodies,
                par: self.par,
                i_sums: tile.as_mut_slice(),
                j_sums: &mut of_j.as_mut_slice()[j as usize * TILE * results..][..TILE * results],
                block_sums: block_sums.as_mut_slice(),
                law: PhantomData,
            };
            launch(self.level, pair);
            let sums = &mut of_i.as_mut_slice()[i as usize * TILE * results..][..TILE * results];
            mirrored::merge(self.cells, self.bodies.lanes(), sums, tile.as_slice());
        }
        let width = self.bodies.lanes();
        let column = |k: usize| (0..n).map(move |b| (b / width * results + k) * width + b % width);
        let as_i = (0..results).map(|k| column(k).map(|at| of_i.as_slice()[at]).collect()).collect();
        let as_j = (0..results).map(|k| (0..n).map(|b| of_j.as_slice()[b * results + k]).collect()).collect();
        join(self.cells, as_i, as_j)
    }
}

/// Two partial results of all bodies made one.
fn join<T: Element>(cells: &[(Cell, f64)], mut a: Vec<Vec<T>>, b: Vec<Vec<T>>) -> Vec<Vec<T>> {
    for (k, (cell, _)) in cells.iter().enumerate() {
        for body in 0..a[k].len() {
            match cell.numbers() {
                2 => {
                    let both = cell.join([a[k][body], a[k + 1][body]], [b[k][body], b[k + 1][body]]);
                    (a[k][body], a[k + 1][body]) = (both[0], both[1]);
                }
                0 => {} // came with its first half
                _ => a[k][body] = cell.combine(a[k][body], b[k][body]),
            }
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::{Triangle, triangular};
    use crate::law::builtin::nearest::Nearest;
    use crate::law::{Gravity, Law, PairInputs, PairLaw};
    use crate::simd::{Element, Level};
    use crate::{Packed, compiled_triangular, mirrored};

    /// n bodies: three coordinates in [0, 1), and their number from 0.
    fn bodies<T: Element>(n: usize, level: Level) -> Packed<T> {
        let mut packed = Packed::default();
        packed.fill(n, 4, level.lanes::<T>(), |field, column| {
            for (k, x) in column.iter_mut().enumerate() {
                let crooked = ((k * 7919 + field * 104_729) as f64 * 0.618_033_988_749_895).fract();
                *x = T::from_f64(if field == 3 { k as f64 } else { crooked });
            }
        });
        packed
    }

    fn all<L: PairLaw, T: Element>(
        map: Triangle,
        n: usize,
        par: &[T],
        results: usize,
        level: Level,
    ) -> [Vec<Vec<T>>; 2] {
        let (bodies, mut found) = (bodies::<T>(n, level), vec![Vec::new(); results]);
        let mut want = found.clone();
        triangular::<L, T>(map, level, &bodies, par, &mut found).unwrap();
        mirrored::<L, T>(level, &bodies, par, &mut want);
        [found, want]
    }

    #[test]
    fn every_map_gives_what_the_circulant_order_gives() {
        let level = Level::best();
        for map in Triangle::ALL {
            for n in [0, 1, 2, 511, 512, 513, 2_100] {
                let [found, want] = all::<Gravity, f64>(map, n, &[1e-4], 3, level);
                let top = want.iter().flatten().fold(0.0_f64, |top, x| top.max(x.abs()));
                for (found, want) in found.iter().flatten().zip(want.iter().flatten()) {
                    // sums of 2,100 terms in another order
                    assert!((found - want).abs() <= 1e-12 * top, "{map} {n}: {found} {want}");
                }
                assert!(found.iter().all(|column| column.len() == n));
            }
        }
        // a result of two numbers: the nearest, and who it is
        let [found, want] = all::<Nearest, f32>(Triangle::Recursive, 1_300, &[], 2, level);
        assert_eq!(found, want);
    }

    #[test]
    fn from_columns_to_columns() {
        let crooked = |field: usize| (0..700).map(move |k| ((k * 7919 + field * 104_729) as f64 * 0.618_034).fract());
        let columns: Vec<Vec<f64>> = (0..4).map(|field| crooked(field).collect()).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let inputs = PairInputs::one(&columns, &[1e-2]);
        let want = Law::of::<Gravity>().unwrap().oracle(&inputs).unwrap();
        let top = want.iter().flatten().fold(0.0_f64, |top, x| top.max(x.abs()));
        // sums of 700 terms in another order
        let single = compiled_triangular::<Gravity, f32>(Triangle::RectangularBox, &inputs).unwrap();
        let double = compiled_triangular::<Gravity, f64>(Triangle::RectangularBox, &inputs).unwrap();
        for (precision, tolerance, found) in [("f32", 1e-5, single), ("f64", 1e-13, double)] {
            assert_eq!(found.len(), 3);
            for (found, want) in found.iter().flatten().zip(want.iter().flatten()) {
                assert!((found - want).abs() <= tolerance * top, "{precision}: {found} {want}");
            }
        }
        let two = PairInputs::two(inputs.i, inputs.j, inputs.par);
        assert!(
            compiled_triangular::<Gravity, f64>(Triangle::RectangularBox, &two)
                .unwrap_err()
                .to_string()
                .contains("one set")
        );
    }

    #[test]
    fn the_same_bits_on_any_number_of_threads_and_the_same_answer_at_any_level() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| all::<Gravity, f32>(Triangle::Lambda, 1_700, &[1e-4], 3, Level::best())[0].clone())
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(5));
        for level in Level::available() {
            let [found, want] = all::<Gravity, f64>(Triangle::RectangularBox, 700, &[1e-4], 3, level);
            let top = want.iter().flatten().fold(0.0_f64, |top, x| top.max(x.abs()));
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * top;
            assert!(found.iter().flatten().zip(want.iter().flatten()).all(near), "{}", level.name());
        }
    }
}
