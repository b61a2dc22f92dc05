//! The packed distance matrix.

use super::{on_any_threads, points};
use crate::distances::Rows;
use crate::follow::Followed;
use crate::simd::Level;
use crate::{Float, Points, distance_count, distance_index, distance_matrix, distance_matrix_into};

/// Row by row, dimension by dimension: what the fast path must give bit for bit.
fn plain<T: Float>(points: &Points<T>) -> Vec<T> {
    let n = points.len();
    let distance = |i: usize, j: usize| {
        let mut square = T::default();
        for d in 0..points.dimensions() {
            let difference = points.column(d)[j] - points.column(d)[i];
            square = difference.fused(difference, square);
        }
        square.sqrt()
    };
    (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(|(i, j)| distance(i, j)).collect()
}

fn check<T: Float>(n: usize, dimensions: usize) {
    let points = points::<T>(n, dimensions, 3.0, n as u64);
    let want = plain(&points);
    assert_eq!(distance_matrix(&points).unwrap(), want, "n = {n}, {dimensions} dimensions");
    let mut out = vec![T::default(); want.len()];
    for (level, past_caches) in Level::available().into_iter().flat_map(|level| [(level, false), (level, true)]) {
        out.fill(T::default());
        Rows::new(&points, level).fill(0..n.saturating_sub(1), &mut out, past_caches, &Followed::not());
        assert!(out == want, "n = {n}, {dimensions} dimensions, {} {past_caches}", level.name());
    }
}

#[test]
fn equals_the_plain_loop_bit_for_bit() {
    for n in [0, 1, 2, 3, 4, 5, 15, 16, 17, 18, 33, 64, 100, 257] {
        for dimensions in [1, 2, 3, 4, 5, 7, 8, 9, 13] {
            check::<f64>(n, dimensions);
            check::<f32>(n, dimensions);
        }
    }
}

#[test]
fn rows_longer_than_a_stretch_and_matrices_beyond_the_caches() {
    check::<f64>(1_100, 200); // several stretches of 64 columns
    check::<f32>(1_500, 3);
    check::<f64>(4_201, 4); // more than a stretch of 4,096 columns, and 71 MB: written past the caches
    check::<f32>(4_201, 2); // 35 MB
}

#[test]
fn the_same_on_any_number_of_threads() {
    let points = points::<f64>(400, 3, 1.0, 5);
    on_any_threads(|| distance_matrix(&points).unwrap());
}

#[test]
fn agrees_with_geometry() {
    // SciPy 1.17: pdist([[0, 0], [3, 4], [6, 8], [0, 1]])
    let points = Points::from_rows(&[0.0, 0.0, 3.0, 4.0, 6.0, 8.0, 0.0, 1.0], 2).unwrap();
    let expected = [5.0, 10.0, 1.0, 5.0, 18_f64.sqrt(), 85_f64.sqrt()];
    assert_eq!(distance_matrix(&points).unwrap(), expected);
    for (k, (i, j)) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].into_iter().enumerate() {
        assert_eq!(distance_index(4, i, j), k);
    }
}

#[test]
fn bad_input_is_refused() {
    let text = |r: crate::Result<Points<f64>>| r.unwrap_err().to_string();
    assert!(text(Points::from_rows(&[1.0, 2.0, f64::NAN], 1)).contains("NaN at point 2, dimension 0"));
    assert!(text(Points::from_rows(&[1.0, f64::INFINITY], 2)).contains("inf at point 0, dimension 1"));
    assert!(text(Points::from_rows(&[1e151], 1)).contains("1e150"));
    assert!(text(Points::from_rows(&[1.0, 2.0, 3.0], 2)).contains("3 coordinates"));
    assert!(text(Points::from_rows(&[], 0)).contains("at least 1"));
    assert!(text(Points::from_columns(&[&[1.0], &[1.0, 2.0]])).contains("2 entries"));
    assert!(text(Points::from_columns(&[])).contains("0 dimensions"));
    assert!(Points::from_rows(&[1e19_f32], 1).is_err());
    let two = points::<f64>(2, 1, 1.0, 1);
    assert!(distance_matrix_into(&two, &mut [0.0; 2]).unwrap_err().to_string().contains("1 entries"));
    // 2^63 bytes and more cannot be addressed; the count itself still fits
    assert!(distance_count::<f64>(1_518_500_250).is_ok());
    assert!(distance_count::<f64>(1_518_500_251).unwrap_err().to_string().contains("n = 1518500251"));
    assert!(distance_count::<f32>(usize::MAX).is_err());
}
