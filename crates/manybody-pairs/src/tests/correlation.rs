//! Pair counts and the correlation function.

use super::{on_any_threads, points, uniform};
use crate::{Bins, Float, PairHistogram, Points, davis_peebles, landy_szalay, peebles_hauser};

/// The double loop, bin by bin, with the same arithmetic.
fn plain<T: Float>(a: &Points<T>, b: Option<&Points<T>>, bins: &Bins, lengths: Option<&[f64]>) -> Vec<u64> {
    let mut counts = vec![0; bins.count()];
    for i in 0..a.len() {
        let partners = b.map_or(i + 1..a.len(), |b| 0..b.len());
        for j in partners {
            let mut square = T::default();
            for d in 0..a.dimensions() {
                let mut difference = b.unwrap_or(a).column(d)[j] - a.column(d)[i];
                if let Some(lengths) = lengths {
                    let (length, per) = (T::from_f64(lengths[d]), T::from_f64(1.0 / lengths[d]));
                    difference = difference - length * (difference * per).round();
                }
                square = square + difference * difference;
            }
            let at = |k: usize| T::from_f64(bins.edges()[k] * bins.edges()[k]);
            if let Some(k) = (0..bins.count()).find(|k| at(*k) <= square && square < at(k + 1)) {
                counts[k] += 1;
            }
        }
    }
    counts
}

fn check<T: Float>(n: usize, dimensions: usize, bins: &Bins) -> u64 {
    let (a, b) = (points::<T>(n, dimensions, 1.0, 3), points::<T>(n / 2 + 1, dimensions, 1.0, 4));
    let lengths = vec![1.0; dimensions];
    for periodic in [None, Some(&lengths[..])] {
        let mut bins = bins.clone();
        if let Some(lengths) = periodic {
            bins = bins.periodic(lengths).unwrap();
        }
        let within = on_any_threads(|| PairHistogram::within(&a, None, &bins).unwrap());
        assert_eq!(within.counts, plain(&a, None, &bins, periodic), "n = {n}, {dimensions} dimensions, {periodic:?}");
        assert_eq!(within.total, (n * n.saturating_sub(1) / 2) as f64);
        let between = on_any_threads(|| PairHistogram::between(&a, &b, None, &bins).unwrap());
        assert_eq!(between.counts, plain(&a, Some(&b), &bins, periodic), "n = {n}, {dimensions} dimensions, cross");
    }
    PairHistogram::within(&a, None, bins).unwrap().counts.iter().sum()
}

#[test]
fn equals_the_double_loop() {
    let mut counted = 0;
    for n in [0, 1, 2, 255, 256, 257, 400] {
        for dimensions in 1..=3 {
            counted += check::<f64>(n, dimensions, &Bins::linear(0.0, 0.5, 10).unwrap());
            counted += check::<f32>(n, dimensions, &Bins::linear(0.1, 0.3, 3).unwrap());
            counted += check::<f64>(n, dimensions, &Bins::logarithmic(1e-4, 0.5, 25).unwrap());
            counted += check::<f32>(n, dimensions, &Bins::new(&[0.0, 1e-6, 0.01, 0.011, 0.4]).unwrap());
        }
    }
    assert!(counted > 100_000, "there was something to count: {counted}");
}

#[test]
fn an_edge_belongs_to_the_bin_above() {
    let points = Points::from_rows(&[0.0, 1.0, 3.0], 1).unwrap(); // distances 1, 3, 2
    let bins = Bins::new(&[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(PairHistogram::within(&points, None, &bins).unwrap().counts, [1, 1]);
}

#[test]
fn weights_are_multiplied() {
    let points = Points::from_rows(&[0.0, 1.0, 3.0], 1).unwrap();
    let bins = Bins::new(&[0.5, 1.5, 2.5, 3.5]).unwrap();
    let histogram = PairHistogram::within(&points, Some(&[2.0, 3.0, 5.0]), &bins).unwrap();
    assert_eq!(histogram.weights, [6.0, 15.0, 10.0]);
    assert_eq!(histogram.counts, [1, 1, 1]);
    assert_eq!(histogram.total, 31.0);
    let cross = PairHistogram::between(&points, &points, Some((&[1.0, 1.0, 1.0], &[2.0, 3.0, 5.0])), &bins).unwrap();
    assert_eq!(cross.weights, [5.0, 8.0, 7.0]);
    assert_eq!(cross.total, 30.0);
}

#[test]
fn random_points_are_uncorrelated_and_a_lattice_is_not() {
    let bins = Bins::linear(0.02, 0.3, 7).unwrap().periodic(&[1.0; 3]).unwrap();
    let data = points::<f64>(2_000, 3, 1.0, 11);
    let dd = PairHistogram::within(&data, None, &bins).unwrap();
    let rr = PairHistogram::expected_in_box(2_000, &bins).unwrap();
    let xi = peebles_hauser(&dd, &rr).unwrap();
    for (xi, count) in xi.iter().zip(&dd.counts) {
        // Poisson: a count of m scatters by sqrt(m); five times that
        assert!(xi.abs() < 5.0 / (*count as f64).sqrt(), "{xi} of {count}");
    }
    // a cubic lattice of spacing 1/10 has 3 neighbours a point (each pair once) at 0.1 and nothing below
    let lattice: Vec<f64> = (0..1_000).flat_map(|k| [k % 10, k / 10 % 10, k / 100].map(|c| c as f64 / 10.0)).collect();
    let lattice = Points::from_rows(&lattice, 3).unwrap();
    let bins = Bins::new(&[0.01, 0.0999, 0.1001]).unwrap().periodic(&[1.0; 3]).unwrap();
    let dd = PairHistogram::within(&lattice, None, &bins).unwrap();
    assert_eq!(dd.counts, [0, 3_000]);
    let xi = peebles_hauser(&dd, &PairHistogram::expected_in_box(1_000, &bins).unwrap()).unwrap();
    assert_eq!(xi[0], -1.0);
}

#[test]
fn estimators_agree_on_clustered_points() {
    // pairs of points 0.02 apart: the correlation at 0.02 is strong, and all estimators see it
    let mut rows: Vec<f64> = uniform(21).take(900).map(|x| 0.02 + 0.96 * x).collect();
    rows.extend(rows.clone().iter().enumerate().map(|(k, x)| if k % 3 == 0 { x + 0.02 } else { *x }));
    let data = Points::from_rows(&rows, 3).unwrap();
    let random = points::<f64>(3_000, 3, 1.0, 22);
    let bins = Bins::new(&[0.0, 0.03, 0.2]).unwrap();
    let dd = PairHistogram::within(&data, None, &bins).unwrap();
    let dr = PairHistogram::between(&data, &random, None, &bins).unwrap();
    let rr = PairHistogram::within(&random, None, &bins).unwrap();
    let all =
        [peebles_hauser(&dd, &rr).unwrap(), davis_peebles(&dd, &dr).unwrap(), landy_szalay(&dd, &dr, &rr).unwrap()];
    // 300 pairs added to about 179,700 x 4/3 pi 0.03^3 = 20
    for xi in &all {
        assert!((10.0..25.0).contains(&xi[0]), "{xi:?}");
        assert!(xi[1].abs() < 0.3, "{xi:?}");
    }
    let other = Bins::linear(0.0, 0.2, 3).unwrap();
    let other = PairHistogram::within(&data, None, &other).unwrap();
    assert!(landy_szalay(&dd, &dr, &other).is_err());
}

#[test]
fn bad_input_is_refused() {
    let text = |r: crate::Result<Bins>| r.unwrap_err().to_string();
    assert!(text(Bins::new(&[1.0])).contains("1 of them"));
    assert!(text(Bins::new(&[1.0, 1.0])).contains("1 before 1"));
    assert!(text(Bins::new(&[-1.0, 1.0])).contains("-1 at 0"));
    assert!(text(Bins::new(&[0.0, f64::NAN])).contains("NaN at 1"));
    assert!(text(Bins::linear(0.0, 1.0, 0)).contains("edges"));
    for bins in
        [Bins::linear(0.0, 1.0, usize::MAX), Bins::logarithmic(1.0, 2.0, 1_000_001), Bins::new(&vec![1.0; 1_000_002])]
    {
        assert!(text(bins).contains("at most 1000000"));
    }
    // squares that vanish, or are the same in f32: no pair could be in such a bin
    let one = points::<f32>(2, 1, 1.0, 1);
    for edges in [[0.0, 1e-30], [1.0, 1.0 + 1e-9]] {
        let bins = Bins::new(&edges).unwrap();
        let error = PairHistogram::within(&one, None, &bins).unwrap_err().to_string();
        assert!(error.contains("edges = ") && error.contains("differ in f32"), "{error}");
        assert!(PairHistogram::within(&points::<f64>(2, 1, 1.0, 1), None, &bins).is_ok());
    }
    assert!(text(Bins::new(&[0.0, 1.0]).unwrap().periodic(&[1.9, 3.0])).contains("box length = 1.9"));
    let bins = Bins::new(&[0.0, 1.0]).unwrap();
    let (three, two) = (points::<f64>(5, 3, 1.0, 1), points::<f64>(5, 2, 1.0, 1));
    assert!(PairHistogram::between(&three, &two, None, &bins).is_err());
    assert!(PairHistogram::within(&three, Some(&[1.0]), &bins).is_err());
    assert!(PairHistogram::within(&two, Some(&[1.0, 1.0, 1.0, 1.0, f64::NAN]), &bins).is_err());
    let boxed = bins.periodic(&[2.0; 3]).unwrap();
    assert!(PairHistogram::within(&two, None, &boxed).unwrap_err().to_string().contains("3 of them"));
    assert!(PairHistogram::expected_in_box(5, &Bins::new(&[0.0, 1.0]).unwrap()).is_err());
}
