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
