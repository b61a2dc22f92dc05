//! The loops themselves.

use super::on_any_threads;
use crate::{Pairs, Triples, for_each_pair, for_each_triple};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// How often each thing was visited.
fn visits<K: Ord + Send>(run: impl FnOnce(&(dyn Fn(K) + Sync))) -> BTreeMap<K, usize> {
    let seen = Mutex::new(BTreeMap::new());
    run(&|key| *seen.lock().unwrap().entry(key).or_default() += 1);
    seen.into_inner().unwrap()
}

#[test]
fn each_pair_is_visited_once() {
    for n in [0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 130] {
        let expected: BTreeMap<_, _> = (0..n).flat_map(|i| (i + 1..n).map(move |j| ((i, j), 1))).collect();
        assert_eq!(visits(|see| for_each_pair(n, |i, j| see((i, j))).unwrap()), expected, "n = {n}");
        for block in [1, 2, 8, 64, 200] {
            let pairs = Pairs::of(n).unwrap().block(block).unwrap();
            assert_eq!(pairs.count(), expected.len() as u64);
            assert_eq!(visits(|see| pairs.for_each(|i, j| see((i, j)))), expected, "n = {n}, block = {block}");
            let with = pairs.with_diagonal();
            let expected: BTreeMap<_, _> = (0..n).flat_map(|i| (i..n).map(move |j| ((i, j), 1))).collect();
            assert_eq!(with.count(), expected.len() as u64);
            assert_eq!(visits(|see| with.for_each(|i, j| see((i, j)))), expected, "n = {n}, block = {block}, i = j");
            let in_blocks: u64 = (0..with.blocks()).map(|w| with.block_at(w).unwrap().count()).sum();
            assert_eq!(in_blocks, with.count());
            assert_eq!(with.block_at(with.blocks()), None);
        }
    }
}

#[test]
fn each_triple_is_visited_once() {
    for n in [0, 1, 2, 3, 4, 7, 8, 9, 31, 33] {
        let triples = |gap: usize| -> BTreeMap<_, _> {
            let all = (0..n).flat_map(move |i| (i + gap..n).flat_map(move |j| (j + gap..n).map(move |k| (i, j, k))));
            all.map(|t| (t, 1)).collect()
        };
        assert_eq!(visits(|see| for_each_triple(n, |i, j, k| see((i, j, k))).unwrap()), triples(1), "n = {n}");
        for block in [1, 2, 5, 8, 40] {
            let strict = Triples::of(n).unwrap().block(block).unwrap();
            assert_eq!(strict.count(), triples(1).len() as u64);
            assert_eq!(visits(|see| strict.for_each(|i, j, k| see((i, j, k)))), triples(1), "n = {n}, block = {block}");
            let with = strict.with_diagonal();
            assert_eq!(with.count(), triples(0).len() as u64);
            assert_eq!(visits(|see| with.for_each(|i, j, k| see((i, j, k)))), triples(0), "n = {n}, block = {block}");
            let in_blocks: u64 = (0..with.blocks()).map(|w| with.block_at(w).unwrap().count()).sum();
            assert_eq!(in_blocks, with.count());
        }
    }
}

#[test]
fn a_fold_has_the_same_bits_on_any_number_of_threads() {
    // terms of very different size, so that another order of addition shows
    let term = |i: usize, j: usize| 1.0 / (1.0 + i as f64 * 0.37).powi(9) + (j as f64).sqrt() * 1e3;
    let pairs = on_any_threads(|| {
        let pairs = Pairs::of(700).unwrap().block(32).unwrap();
        pairs.fold(|| 0.0, |sum, i, j| sum + term(i, j), |a, b| a + b).to_bits()
    });
    let plain: f64 = (0..700).flat_map(|i| (i + 1..700).map(move |j| term(i, j))).sum();
    // 244,650 terms, each addition right to 1.1e-16 of a sum below 1e10: well below 1e-12 in practice
    assert!((f64::from_bits(pairs) / plain - 1.0).abs() < 1e-12);
    on_any_threads(|| {
        let triples = Triples::of(90).unwrap().block(8).unwrap().shares(37);
        triples.fold(|| 0.0, |sum, i, j, k| sum + term(i, j) * term(j, k), |a, b| a + b).to_bits()
    });
}

#[test]
fn order_within_a_fold_is_that_of_blocks_and_rows() {
    // joining lists keeps the order of the blocks, whatever the threads
    let list = on_any_threads(|| {
        let pairs = Pairs::of(20).unwrap().block(6).unwrap().shares(3);
        pairs.fold(
            Vec::new,
            |mut list, i, j| {
                list.push((i, j));
                list
            },
            |mut a, mut b| {
                a.append(&mut b);
                a
            },
        )
    });
    let blocks = Pairs::of(20).unwrap().block(6).unwrap();
    let in_order: Vec<_> = (0..blocks.blocks())
        .flat_map(|w| {
            let block = blocks.block_at(w).unwrap();
            block.i.clone().flat_map(move |i| block.j_of(i).map(move |j| (i, j)).collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(list, in_order);
}

#[test]
fn sizes_that_overflow_are_refused() {
    let error = |r: crate::Result<()>| r.unwrap_err().to_string();
    assert!(Pairs::of(6_074_000_999).is_ok());
    assert!(error(for_each_pair(6_074_001_000, |_, _| ())).contains("n = 6074001000"));
    assert!(Triples::of(4_801_278).is_ok());
    assert!(error(for_each_triple(4_801_279, |_, _, _| ())).contains("4801278"));
    assert!(Pairs::of(5).unwrap().block(0).is_err());
    assert!(Triples::of(5).unwrap().block(0).is_err());
}
