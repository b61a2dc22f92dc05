//! Long computations report to a watch and end when it says so.

use super::points;
use crate::{AxilrodTeller, Bins, PairHistogram, Points, Spheres};
use crate::{Error, Result, distance_matrix, read_npy};
use crate::{
    collisions, collisions_watched, count_collisions, count_collisions_watched, write_distance_matrix_watched,
};
use manybody_pairwise::watch::{LONG, Watch};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Runs a computation on two threads beside one that looks at the watch; the shares that were seen, in order.
fn seen<R: Send>(watch: &Watch, compute: impl FnOnce() -> R + Send) -> (R, Vec<f64>) {
    let over = AtomicBool::new(false);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    std::thread::scope(|scope| {
        let looks = scope.spawn(|| {
            let mut shares = Vec::new();
            while !over.load(Relaxed) {
                shares.extend(watch.share());
                std::thread::yield_now();
            }
            shares
        });
        let result = pool.install(compute);
        over.store(true, Relaxed);
        (result, looks.join().unwrap())
    })
}

/// The share grows from 0 to 1, and is gone after the computation; one that may not be ended is not; the result is the
/// same, and one that is ended is an error.
fn check<R: PartialEq + std::fmt::Debug + Send>(name: &str, expected: R, compute: impl Fn(&Watch) -> Result<R> + Sync) {
    let watch = Watch::of(0);
    watch.stop();
    let (result, shares) = seen(&watch, || compute(&watch));
    assert!(result.unwrap() == expected, "{name}");
    assert!(shares.iter().any(|share| *share > 0.1 && *share < 0.9), "{name}: {shares:?}");
    assert_eq!(watch.share(), None, "{name}");
    watch.hear(true);
    assert!(matches!(compute(&watch), Err(Error::Interrupted)), "{name}");
    assert_eq!(watch.share(), None, "{name}");
    // what is not long is not followed, and not ended
    let long = Watch::default();
    long.stop();
    long.hear(true);
    assert!(compute(&long).unwrap() == expected, "{name}: {LONG} pairs are long");
}

#[test]
fn pairs_and_triples() {
    let place = points::<f64>(12_000, 3, 1.0, 3);
    let spheres = Spheres::new(place.clone(), &vec![0.01; place.len()]).unwrap();
    check("count", count_collisions(&spheres).unwrap(), |watch| count_collisions_watched(&spheres, watch));
    check("list", collisions(&spheres).unwrap(), |watch| collisions_watched(&spheres, watch));
    let bins = Bins::new(&[0.0, 0.1, 0.2]).unwrap();
    let within = PairHistogram::within(&place, None, &bins).unwrap();
    check("within", within, |watch| PairHistogram::within_watched(&place, None, &bins, watch));
    let between = PairHistogram::between(&place, &place, None, &bins).unwrap();
    check("between", between, |watch| PairHistogram::between_watched(&place, &place, None, &bins, watch));
    let (law, atoms) = (AxilrodTeller::new(1.0).unwrap(), points::<f64>(400, 3, 1.0, 4));
    check("triples", law.energy_and_forces(&atoms).unwrap(), |watch| law.energy_and_forces_watched(&atoms, watch));
}

/// An interrupted matrix leaves no file.
#[test]
fn distances_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.npy");
    let points: Points<f32> = points(6_000, 3, 1.0, 5);
    let expected: Vec<f64> = distance_matrix(&points).unwrap().into_iter().map(f64::from).collect();
    check("distances", expected, |watch| {
        let _ = std::fs::remove_file(&path);
        let written = write_distance_matrix_watched(&points, &path, watch);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), usize::from(written.is_ok()));
        written?;
        Ok(read_npy(&path)?.remove(0))
    });
}
