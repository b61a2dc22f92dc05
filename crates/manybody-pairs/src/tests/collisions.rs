//! Touching spheres.

use super::{on_any_threads, points, uniform};
use crate::collisions::listed;
use crate::{Float, Points, Spheres, collisions, count_collisions};

/// The double loop.
fn plain<T: Float>(spheres: &Spheres<T>) -> Vec<[u32; 2]> {
    let (centers, radii) = (spheres.centers(), spheres.radii());
    let touch = |i: usize, j: usize| {
        let mut square = T::default();
        for d in 0..centers.dimensions() {
            let difference = centers.column(d)[j] - centers.column(d)[i];
            square = square + difference * difference;
        }
        square <= (radii[i] + radii[j]) * (radii[i] + radii[j])
    };
    let n = spheres.len();
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    pairs.filter(|(i, j)| touch(*i, *j)).map(|(i, j)| [i as u32, j as u32]).collect()
}

fn spheres<T: Float>(n: usize, dimensions: usize, radius: f64) -> Spheres<T> {
    let radii: Vec<T> = uniform(99).take(n).map(|r| T::from_f64(radius * r)).collect();
    Spheres::new(points(n, dimensions, 1.0, n as u64 + 1), &radii).unwrap()
}

fn check<T: Float>(n: usize, dimensions: usize, radius: f64) -> usize {
    let spheres = spheres::<T>(n, dimensions, radius);
    let found = on_any_threads(|| collisions(&spheres).unwrap());
    assert_eq!(found, plain(&spheres), "n = {n}, {dimensions} dimensions, radius {radius}");
    assert_eq!(count_collisions(&spheres).unwrap(), found.len() as u64);
    found.len()
}

#[test]
fn equals_the_double_loop() {
    let mut touches = 0;
    for n in [0, 1, 2, 3, 8, 9, 255, 256, 257, 700] {
        for (dimensions, radius) in [(1, 0.002), (2, 0.03), (3, 0.1), (3, 0.0)] {
            touches += check::<f64>(n, dimensions, radius);
            touches += check::<f32>(n, dimensions, radius);
        }
    }
    assert!(touches > 5_000, "there was something to find: {touches}");
    // everything touches everything: 44,850 pairs, no fixed limit
    assert_eq!(check::<f64>(300, 3, 1e3), 300 * 299 / 2);
}

#[test]
fn nested_coincident_and_just_touching_spheres() {
    let spheres = |x: &[f64], r: &[f64]| Spheres::new(Points::from_rows(x, 1).unwrap(), r).unwrap();
    // 1 lies inside 0; 2 meets 0 in one point; 3 is free
    let found = collisions(&spheres(&[0.0, 0.25, 1.5, 4.0], &[1.0, 0.125, 0.5, 0.5])).unwrap();
    assert_eq!(found, [[0, 1], [0, 2]]);
    // points (radius 0) touch only in the same place; a point on a surface touches
    let found = collisions(&spheres(&[2.0, 2.0, 2.0 + 1e-15, 3.0], &[0.0, 0.0, 0.0, 1.0])).unwrap();
    assert_eq!(found, [[0, 1], [0, 3], [1, 3], [2, 3]]);
}

#[test]
fn a_row_of_equal_spheres_touches_its_neighbours() {
    for dimensions in 1..=3 {
        let n = 1_000;
        let columns: Vec<Vec<f32>> = (0..dimensions).map(|_| (0..n).map(|i| i as f32).collect()).collect();
        let columns: Vec<&[f32]> = columns.iter().map(|c| &c[..]).collect();
        // along the diagonal of the box the neighbours are sqrt(d) apart
        let radius = 0.501 * (dimensions as f32).sqrt();
        let spheres = Spheres::new(Points::from_columns(&columns).unwrap(), &vec![radius; n]).unwrap();
        let expected: Vec<_> = (1..n as u32).map(|j| [j - 1, j]).collect();
        assert_eq!(collisions(&spheres).unwrap(), expected);
    }
}

#[test]
fn bad_input_is_refused() {
    let one = || points::<f64>(2, 3, 1.0, 1);
    let text = |radii: &[f64]| Spheres::new(one(), radii).unwrap_err().to_string();
    assert!(text(&[1.0, -0.5]).contains("-0.5 at sphere 1"));
    assert!(text(&[f64::NAN, 1.0]).contains("NaN at sphere 0"));
    assert!(text(&[1.0, f64::INFINITY]).contains("inf at sphere 1"));
    assert!(text(&[1.0]).contains("1 entries"));
    let four = points::<f64>(2, 4, 1.0, 1);
    assert!(Spheres::new(four, &[1.0, 1.0]).unwrap_err().to_string().contains("4 dimensions"));
}

/// A list that memory does not hold is refused with its length, and what leads to it is not kept either.
#[test]
fn more_touches_than_memory() {
    let spheres = spheres::<f32>(700, 3, 1e3);
    let error = listed(&spheres, 100_000, None, None).unwrap_err();
    assert!(error.is_bad_input() && error.to_string().contains("244650 touching pairs"), "{error}");
    assert_eq!(listed(&spheres, 10_000_000, None, None).unwrap().len(), 244_650);
}
