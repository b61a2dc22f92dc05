//! Collisions, distance matrices, pair counts, and laws over triangles and tetrahedra on every device that is here,
//! against the host.

#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use common::devices;
use manybody::Error;
use manybody::law::{self, Law, PairInputs, Real};
use manybody::map::{Layer, Triangle};
use manybody::pairs::{
    AxilrodTeller, Bins, Float, PairHistogram, Points, Sides, Spheres, TripleLaw, TripletForces, collisions,
    distance_matrix, read_npy,
};
use manybody::solver::{Device, Precision};
use manybody::watch::Watch;
use manybody_gpu::compute::Gpu;
use manybody_gpu::correlation::{self, Form};
use manybody_gpu::cuda;
use manybody_gpu::distances::{self, DevicePoints, Metric};
use manybody_gpu::tetrahedral::{self, DeviceTriples, Triplet};
use manybody_gpu::triangular::{self, Triangular};
use manybody_gpu::{Evaluator, Number};

/// Numbers in [0, 1) of 16 bits, the same everywhere.
fn random(n: usize, seed: u64) -> Vec<f64> {
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        (s >> 48) as f64 / 65_536.0
    };
    (0..n).map(|_| next()).collect()
}

/// Spheres whose coordinates and radii are small whole numbers: squares and sums are exact however they round.
fn whole_spheres<T: Float>(n: usize, dimensions: usize, seed: u64) -> Spheres<T> {
    let box_side = if dimensions == 1 { 4000.0 } else { 40.0 };
    let columns: Vec<Vec<T>> = (0..dimensions as u64)
        .map(|d| random(n, seed + d).iter().map(|x| T::from_f64((x * box_side).floor())).collect())
        .collect();
    let columns: Vec<&[T]> = columns.iter().map(Vec::as_slice).collect();
    let radii: Vec<T> = random(n, seed + 9).iter().map(|x| T::from_f64((x * 3.0).floor())).collect();
    Spheres::new(Points::from_columns(&columns).unwrap(), &radii).unwrap()
}

fn lists_agree<T: Number>(gpu: &Gpu, spheres: &Spheres<T>, what: &str) {
    let want = collisions(spheres).unwrap();
    let found = manybody_gpu::collisions::collisions(gpu, spheres).unwrap();
    assert!(found == want, "{} {what}: {} pairs, {} are right", gpu.device(), found.len(), want.len());
    let count = manybody_gpu::collisions::count_collisions(gpu, spheres).unwrap();
    assert_eq!(count, want.len() as u64, "{} {what}", gpu.device());
}

#[test]
fn collisions_of_whole_numbers() {
    for gpu in devices() {
        for dimensions in [1, 2, 3] {
            for n in [0, 1, 2, 31, 33, 1023, 1024, 1025, 2500] {
                let spheres = whole_spheres::<f32>(n, dimensions, 5);
                lists_agree(&gpu, &spheres, &format!("{n} in {dimensions}D f32"));
                if gpu.has_double() {
                    lists_agree(&gpu, &whole_spheres::<f64>(n, dimensions, 6), &format!("{n} in {dimensions}D f64"));
                }
            }
        }
    }
}

/// All in one place, points without extent, one inside another, surfaces that just meet.
#[test]
fn collisions_at_the_edges() {
    for gpu in devices() {
        let all = |n: usize, radius: f32| {
            Spheres::new(Points::from_rows(&vec![0.25; 3 * n], 3).unwrap(), &vec![radius; n]).unwrap()
        };
        // 719,400 touches among 1,200: every bit of every mark is set
        lists_agree(&gpu, &all(1200, 0.0), "points in one place");
        lists_agree(&gpu, &all(300, 1.0), "spheres in one place");
        let line = Points::from_rows(&[0.0, 2.0, 2.5, 100.0, 4.0_f32], 1).unwrap();
        lists_agree(&gpu, &Spheres::new(line, &[1.0, 1.0, 0.0, 200.0, 1.0]).unwrap(), "nested and meeting");
    }
}

/// On CUDA every operation is rounded as on the host, so random spheres give the same list; elsewhere they may differ
/// where surfaces meet within a rounding.
#[test]
fn collisions_of_random_spheres() {
    for gpu in devices() {
        let n = 3000;
        let columns: Vec<Vec<f32>> = (0..3).map(|d| random(n, 40 + d).iter().map(|x| *x as f32).collect()).collect();
        let columns: Vec<&[f32]> = columns.iter().map(Vec::as_slice).collect();
        let radii: Vec<f32> = random(n, 50).iter().map(|x| *x as f32 * 0.03).collect();
        let spheres = Spheres::new(Points::from_columns(&columns).unwrap(), &radii).unwrap();
        if gpu.device() == Device::Cuda {
            lists_agree(&gpu, &spheres, "random");
            continue;
        }
        let want = collisions(&spheres).unwrap();
        let found = manybody_gpu::collisions::collisions(&gpu, &spheres).unwrap();
        let gap = |[i, j]: [u32; 2]| {
            let (i, j) = (i as usize, j as usize);
            let square: f64 = (0..3).map(|d| (f64::from(columns[d][i]) - f64::from(columns[d][j])).powi(2)).sum();
            let reach = (f64::from(radii[i]) + f64::from(radii[j])).powi(2);
            (square - reach).abs() / reach
        };
        // squares of numbers below 1 round by 6e-8 each, five times
        let differ =
            |a: &[[u32; 2]], b: &[[u32; 2]]| a.iter().filter(|p| b.binary_search(p).is_err()).all(|p| gap(*p) < 1e-6);
        assert!(differ(&want, &found) && differ(&found, &want));
        assert!(want.len() > 100 && found.len().abs_diff(want.len()) < 5);
    }
}

fn distances_agree<T: Number>(gpu: &Gpu, n: usize, dimensions: usize, tolerance: f64) {
    let rows: Vec<T> = random(n * dimensions, 3 + n as u64).iter().map(|x| T::from_f64(*x)).collect();
    let points = Points::from_rows(&rows, dimensions).unwrap();
    let want = distance_matrix(&points).unwrap();
    for metric in [Metric::Euclidean, Metric::Squared] {
        let found = distances::distance_matrix(gpu, &points, metric).unwrap();
        assert_eq!(found.len(), want.len());
        for (k, (x, y)) in found.iter().zip(&want).enumerate() {
            let (x, y) = (x.to_f64(), y.to_f64());
            let y = if metric == Metric::Squared { y * y } else { y };
            let near = (x - y).abs() <= tolerance * y.max(1e-30);
            assert!(near, "{} {metric:?} {n} x {dimensions}: {k}: {x}, {y} is right", gpu.device());
        }
    }
}

/// Of the distance: d squares and sums round by half a unit (6e-8) each, the root and the host's the same; the square
/// of the host's distance has twice its error.
#[test]
fn distances_of_any_dimension() {
    for gpu in devices() {
        for dimensions in [1, 2, 3, 4, 5, 8, 9, 17, 40] {
            for n in [1, 2, 3, 127, 128, 129, 256, 300] {
                distances_agree::<f32>(&gpu, n, dimensions, 6e-8 * (dimensions as f64 + 6.0));
                if gpu.has_double() {
                    distances_agree::<f64>(&gpu, n, dimensions, 1.2e-16 * (dimensions as f64 + 6.0));
                }
            }
        }
    }
}

/// In as many dimensions as a device that computes on the CPU takes: sums of 2,000 squares, off by their roots' and
/// their own roundings, which mostly cancel.
#[test]
fn distances_of_many_dimensions() {
    for gpu in devices() {
        distances_agree::<f32>(&gpu, 130, 2000, 6e-8 * 100.0);
    }
}

/// A matrix that comes in parts is the same bits.
#[test]
fn distances_in_parts() {
    for gpu in devices() {
        let rows: Vec<f32> = random(3 * 1000, 8).iter().map(|x| *x as f32).collect();
        let points = Points::from_rows(&rows, 3).unwrap();
        let whole = distances::distance_matrix(&gpu, &points, Metric::Euclidean).unwrap();
        for limit in [1, 100_000, 1_000_000] {
            let (mut all, mut parts) = (Vec::new(), 0);
            let device = DevicePoints::new(&gpu, &points, Metric::Euclidean).unwrap();
            device
                .in_parts(limit, |bytes| {
                    all.extend(bytemuck::pod_collect_to_vec::<u8, f32>(&bytes));
                    parts += 1;
                    Ok(())
                })
                .unwrap();
            assert!(all == whole && parts > 1, "{} {limit}: {parts} parts", gpu.device());
        }
    }
}

/// A file has the numbers that the matrix in memory has, whatever the parts.
#[test]
fn distances_to_a_file() {
    fn check<T: Number>(gpu: &Gpu, n: usize) {
        let rows: Vec<T> = random(3 * n, 8).iter().map(|x| T::from_f64(*x)).collect();
        let points = Points::from_rows(&rows, 3).unwrap();
        let want: Vec<f64> =
            distances::distance_matrix(gpu, &points, Metric::Euclidean).unwrap().iter().map(|x| x.to_f64()).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.npy");
        for limit in [1, 300_000, 1 << 30] {
            assert_eq!(
                distances::write_in_parts(gpu, &points, &path, limit, &Watch::default()).unwrap(),
                want.len() as u64
            );
            assert!(read_npy(&path).unwrap() == [&want[..]], "{} {n} {limit}", gpu.device());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }
    for gpu in devices() {
        for n in [0, 1, 2, 129, 700] {
            check::<f32>(&gpu, n);
            if gpu.has_double() {
                check::<f64>(&gpu, n);
            }
        }
    }
}

/// Neither a disk that is too small nor one that fails leaves a file; the first is noticed before anything is computed.
#[test]
fn distances_that_cannot_be_written() {
    for gpu in devices() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.npy");
        let many = Points::from_columns(&[&vec![0.0_f32; 5_000_000]]).unwrap(); // 50 TB
        let error = distances::write_distance_matrix(&gpu, &many, &path).unwrap_err();
        assert!(error.is_bad_input() && error.to_string().contains("must have room for"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        #[cfg(target_os = "linux")]
        {
            // every write to /dev/full fails with "no space left"
            let some = Points::from_columns(&[&vec![0.0_f32; 700]]).unwrap();
            let error = distances::write_in_parts(&gpu, &some, "/dev/full".as_ref(), 1, &Watch::default()).unwrap_err();
            assert!(matches!(error, Error::Io { .. }) && error.to_string().contains("/dev/full"), "{error}");
        }
    }
}

/// The same counts as the host's, which are exact: within a set and between two, in the open and in a box.
fn counts_agree<T: Number>(gpu: &Gpu, [n, m]: [usize; 2], dimensions: usize, bins: &Bins) -> u64 {
    let cloud = |n: usize, seed: u64| {
        // 53 bits, so that squares and sums round
        let (high, low) = (random(n * dimensions, seed), random(n * dimensions, seed + 99));
        let rows: Vec<T> = high.iter().zip(low).map(|(h, l)| T::from_f64(h + l / 65_536.0)).collect();
        Points::from_rows(&rows, dimensions).unwrap()
    };
    let (a, b) = (cloud(n, 7 + n as u64), cloud(m, 8 + m as u64));
    let mut counted = 0;
    for bins in [bins.clone(), bins.clone().periodic(&vec![1.0; dimensions]).unwrap()] {
        let what = format!("{} {n}, {m} in {dimensions}D, {} bytes, {bins:?}", gpu.device(), T::BYTES);
        let want = PairHistogram::within(&a, None, &bins).unwrap();
        assert_eq!(correlation::within(gpu, &a, &bins).unwrap(), want, "{what}");
        let between = PairHistogram::between(&a, &b, None, &bins).unwrap();
        assert_eq!(correlation::between(gpu, &a, &b, &bins).unwrap(), between, "{what}");
        counted += want.counts.iter().chain(&between.counts).sum::<u64>();
    }
    counted
}

#[test]
fn pairs_by_distance() {
    let all = [
        Bins::linear(0.0, 0.5, 20).unwrap(),
        Bins::logarithmic(1e-3, 0.4, 33).unwrap(),
        Bins::new(&[0.1, 0.45]).unwrap(),
        Bins::new(&[0.0, 1e-9, 1e-8, 0.3]).unwrap(),
    ];
    for gpu in devices() {
        let mut counted = 0;
        for dimensions in 1..=4 {
            let few: &[_] = if dimensions == 3 { &[[0, 3], [1, 1], [2, 0], [127, 129], [1024, 1]] } else { &[] };
            for [n, m] in few.iter().copied().chain([[1025, 200], [2100, 1030]]) {
                let bins = &all[(n + m + dimensions) % all.len()];
                counted += counts_agree::<f32>(&gpu, [n, m], dimensions, bins);
                if gpu.has_double() {
                    counted += counts_agree::<f64>(&gpu, [n, m], dimensions, bins);
                }
            }
        }
        assert!(counted > 1_000_000, "there was something to count: {counted}");
    }
}

/// More bins than a pass has, and as many; every pair in one bin, more of them than one launch of a few blocks takes.
#[test]
fn pairs_by_distance_in_passes() {
    for gpu in devices() {
        for count in [1024, 1025, 2500] {
            counts_agree::<f32>(&gpu, [1500, 300], 3, &Bins::linear(0.01, 0.5, count).unwrap());
        }
        // every pair counted
        let rows: Vec<f32> = random(3 * 2100, 5).iter().map(|x| *x as f32).collect();
        let points = Points::from_rows(&rows, 3).unwrap();
        let bins = Bins::linear(0.0, 2.0, 1024).unwrap();
        let want = PairHistogram::within(&points, None, &bins).unwrap();
        assert_eq!(want.counts.iter().sum::<u64>(), 2100 * 2099 / 2);
        assert_eq!(correlation::within(&gpu, &points, &bins).unwrap(), want, "{}", gpu.device());
        let all = Bins::new(&[0.0, 1e20]).unwrap();
        let points = Points::from_columns(&[&vec![0.25_f32; 30_000]]).unwrap();
        let found = correlation::within(&gpu, &points, &all).unwrap();
        assert_eq!(found.counts, [30_000 * 29_999 / 2], "{}", gpu.device());
    }
}

/// An edge belongs to the bin above it: whole numbers, whose squares are exact.
#[test]
fn pairs_on_the_edges_of_bins() {
    for gpu in devices() {
        let x: Vec<f32> = random(1500, 3).iter().map(|x| (20.0 * x).floor() as f32).collect();
        let points = Points::from_columns(&[&x[..500], &x[500..1000], &x[1000..]]).unwrap();
        let bins = Bins::linear(0.0, 24.0, 24).unwrap();
        let want = PairHistogram::within(&points, None, &bins).unwrap();
        assert_eq!(correlation::within(&gpu, &points, &bins).unwrap(), want);
        assert!(want.counts[5] > 0);
    }
}

/// Of the largest result of a column: as in the conformance suite.
fn agree(name: &str, found: &[Vec<f64>], want: &[Vec<f64>], tolerance: f64) {
    assert_eq!(found.len(), want.len(), "{name}");
    for (k, (found, want)) in found.iter().zip(want).enumerate() {
        assert_eq!(found.len(), want.len(), "{name}: result {k}");
        let top = want.iter().filter(|x| x.abs() < 1e37).fold(1e-30_f64, |top, x| top.max(x.abs()));
        for (b, (x, y)) in found.iter().zip(want).enumerate() {
            let near = (x - y).abs() <= tolerance * top || (y.abs() >= 1e37 && x.abs() >= 1e37);
            assert!(near, "{name}: result {k} of body {b}: {x} where {y} is right");
        }
    }
}

/// Any law through every exact map, mirrored and one-sided.
#[test]
fn laws_over_the_triangle() {
    let laws = [
        (Law::of::<law::Gravity>().unwrap(), vec![0.01]),
        (Law::parse("body x[3]; id k; argmin near = dot(j.x - i.x, j.x - i.x), j.k; self exclude").unwrap(), vec![]),
        (Law::parse("body x, y; sum s = (i.x - 2 * j.y) * j.x; max m = j.y - i.x; self include").unwrap(), vec![]),
    ];
    for gpu in devices() {
        for (law, par) in &laws {
            let width = law.body().iter().map(|f| f.numbers()).sum::<usize>();
            for precision in [Precision::F32, Precision::F64] {
                if precision == Precision::F64 && !gpu.has_double() {
                    continue;
                }
                for mirrored in [true, false] {
                    for map in Triangle::ALL.into_iter().filter(|map| map.is_exact()) {
                        let mut kernel = Triangular::new(&gpu, law, map, mirrored, precision).unwrap();
                        for n in [0, 1, 2, 255, 257, 1100] {
                            let columns: Vec<Vec<f64>> = (0..width).map(|k| random(n, 70 + k as u64)).collect();
                            let mut columns: Vec<Vec<f64>> = columns;
                            if width == 4 && law.name() != "gravity" {
                                // labels
                                columns[3] = (0..n).map(|b| b as f64).collect();
                            }
                            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
                            let inputs = PairInputs::one(&columns, par);
                            let found = kernel.evaluate(&inputs).unwrap();
                            let name = format!("{} {map} {mirrored} {precision} {n}", gpu.device());
                            let tolerance = if precision == Precision::F64 { 2e-12 } else { 2e-5 };
                            agree(&name, &found, &law.oracle(&inputs).unwrap(), tolerance);
                        }
                    }
                }
            }
        }
    }
}

fn atoms(n: usize) -> Points<f64> {
    // a distorted lattice: no two atoms are too close
    let side = (n as f64).cbrt().ceil() as usize;
    let crooked = random(3 * n, 21);
    let place = |k: usize| [k % side, k / side % side, k / side / side];
    let rows: Vec<f64> = (0..n)
        .flat_map(|k| (0..3).map(move |d| (k, d)))
        .map(|(k, d)| place(k)[d] as f64 + 0.4 * crooked[3 * k + d])
        .collect();
    Points::from_rows(&rows, 3).unwrap()
}

fn triples_agree(name: &str, found: &TripletForces, want: &TripletForces, tolerance: f64) {
    let energy_scale = want.energy.abs().max(1e-30);
    assert!((found.energy - want.energy).abs() <= tolerance * energy_scale, "{name}: {} {}", found.energy, want.energy);
    let top = want.force.iter().flatten().fold(1e-30_f64, |top, f| top.max(f.abs()));
    for (found, want) in found.force.iter().flatten().zip(want.force.iter().flatten()) {
        assert!((found - want).abs() <= tolerance * top, "{name}: {found}, {want} is right, largest {top}");
    }
}

/// Against the host's f64. A triple has sixty roundings of 6e-8, which the fifth power of the reciprocal root of a
/// product of three sides enlarges, and sums of up to 5,000 terms of both signs add theirs.
#[test]
fn triples_once() {
    let law = Triplet::axilrod_teller().unwrap();
    for gpu in devices() {
        for layer in [Layer::Cubic, Layer::Table] {
            for n in [0, 1, 2, 3, 31, 32, 33, 64, 100, 150] {
                let points = atoms(n);
                let want = AxilrodTeller::new(1.5).unwrap().energy_and_forces(&points).unwrap();
                for precision in [Precision::F32, Precision::F64] {
                    if precision == Precision::F64 && !gpu.has_double() {
                        continue;
                    }
                    let tolerance = if precision == Precision::F64 { 1e-12 } else { 1e-5 };
                    let device = DeviceTriples::new(&gpu, &points, &law, layer, precision).unwrap();
                    let found = device.energy_and_forces(1.5).unwrap();
                    let name = format!("{} {precision} {layer:?} {n}", gpu.device());
                    if n == 0 {
                        assert_eq!(found, want);
                        continue;
                    }
                    triples_agree(&name, &found, &want, tolerance);
                    assert_eq!(found, device.energy_and_forces(1.5).unwrap(), "{name}: not the same bits twice");
                    triples_agree(&format!("{name}, loop"), &device.by_triple_loop(1.5).unwrap(), &want, tolerance);
                }
            }
        }
    }
}

/// A law of triangles with powers, a root, an exponential and a choice.
struct Screened;
impl TripleLaw for Screened {
    #[inline(always)]
    fn sides<R: Real>(a: R, b: R, c: R, weight: Option<R>) -> Sides<R> {
        // E = exp(-p / 8) + area^2 / 4 with p = a + b + c (0 beyond p = 30), 16 area^2 = 2 (ab + bc + ca) - aa - bb - cc
        let (two, sum) = (a.lit(2.0), a + b + c);
        let falling = R::select(sum.lt(a.lit(30.0)), (sum * a.lit(-0.125)).exp(), a.lit(0.0));
        let squares = a * a + b * b + c * c;
        let area = (two * (a * b + b * c + c * a) - squares) * a.lit(0.25 / 16.0);
        let slope = |x: R| falling * a.lit(-0.125) + (sum - two * x) * a.lit(0.5 / 16.0);
        let weight = weight.unwrap_or(a.lit(1.0));
        Sides { energy: weight * (falling + area), slope: [a, b, c].map(|x| weight * slope(x)) }
    }
}

/// One text in Rust for all devices.
#[test]
fn laws_of_triangles_from_rust() {
    for gpu in devices() {
        for precision in [Precision::F32, Precision::F64] {
            if precision == Precision::F64 && !gpu.has_double() {
                continue;
            }
            // as above; this law adds energies of one sign
            let tolerance = if precision == Precision::F64 { 1e-12 } else { 1e-5 };
            for n in [3, 33, 70] {
                let points = atoms(n);
                let want = manybody::pairs::tetrahedral::<Screened>(&points).unwrap();
                let found = tetrahedral::tetrahedral::<Screened>(&gpu, &points, precision).unwrap();
                triples_agree(&format!("{} {precision} {n}", gpu.device()), &found, &want, tolerance);
            }
        }
    }
}

/// In metres or in light years: lengths are scaled before they are sent to the device.
#[test]
fn triples_of_any_unit() {
    for gpu in devices() {
        let plain = atoms(40);
        for scale in [1e-10, 1e10] {
            let rows: Vec<f64> =
                (0..40).flat_map(|k| (0..3).map(move |d| (k, d))).map(|(k, d)| plain.column(d)[k] * scale).collect();
            let points = Points::from_rows(&rows, 3).unwrap();
            let want = AxilrodTeller::new(1.0).unwrap().energy_and_forces(&points).unwrap();
            let found = tetrahedral::axilrod_teller(&gpu, &points, 1.0, Precision::F32).unwrap();
            triples_agree(&format!("{} {scale}", gpu.device()), &found, &want, 1e-5);
        }
    }
}

/// Bad input is refused with a name, before anything starts.
#[test]
fn bad_input() {
    for gpu in devices() {
        let flat = Points::from_rows(&[0.0, 1.0, 2.0, 3.0], 2).unwrap();
        assert!(matches!(tetrahedral::axilrod_teller(&gpu, &flat, 1.0, Precision::F32), Err(Error::Parameter { .. })));
        let same = Points::from_rows(&[0.0; 9], 3).unwrap();
        let refused = tetrahedral::axilrod_teller(&gpu, &same, 1.0, Precision::F32);
        assert!(matches!(refused, Err(Error::Parameter { .. })), "{refused:?}");
        if !gpu.has_double() {
            let refused = distances::distance_matrix(&gpu, &flat, Metric::Euclidean);
            assert!(matches!(refused, Err(Error::Parameter { name: "precision", .. })), "{refused:?}");
            let spheres = Spheres::new(flat.clone(), &[1.0, 1.0]).unwrap();
            let refused = manybody_gpu::collisions::collisions(&gpu, &spheres);
            assert!(matches!(refused, Err(Error::Parameter { name: "precision", .. })), "{refused:?}");
        }
        let told = |error: Error, parts: &[&str]| {
            let text = error.to_string();
            assert!(error.is_bad_input() && parts.iter().all(|part| text.contains(part)), "{text}");
        };
        let wide = Points::from_rows(&vec![0.0_f32; 2 * 300_000], 300_000).unwrap();
        let most = if gpu.is_software() { "at most 2000 dimensions" } else { "at most 262144 dimensions" };
        told(distances::distance_matrix(&gpu, &wide, Metric::Euclidean).unwrap_err(), &["300000 dimensions", most]);
        let bins = Bins::new(&[0.0, 1.0]).unwrap();
        let five = Points::from_rows(&[0.0_f32; 10], 5).unwrap();
        told(correlation::within(&gpu, &five, &bins).unwrap_err(), &["5 dimensions", "up to 4"]);
        let two = Points::from_rows(&[0.0_f32; 10], 2).unwrap();
        let three = Points::from_rows(&[0.0_f32; 9], 3).unwrap();
        told(correlation::between(&gpu, &two, &three, &bins).unwrap_err(), &["3 dimensions", "first set has, 2"]);
        let boxed = bins.clone().periodic(&[2.0; 3]).unwrap();
        told(correlation::within(&gpu, &two, &boxed).unwrap_err(), &["3 of them", "2 dimensions"]);
        if !gpu.has_double() {
            let refused = correlation::within(&gpu, &flat, &bins);
            assert!(matches!(refused, Err(Error::Parameter { name: "precision", .. })), "{refused:?}");
        }
        // 512 TB: more than memory, however much of it there is
        let line = Points::from_columns(&[&vec![0.0_f32; 16_000_000]]).unwrap();
        told(distances::distance_matrix(&gpu, &line, Metric::Euclidean).unwrap_err(), &["n = 16000000", "bytes"]);
        let many = Points::from_columns(&[&vec![0.0; 94_465][..]; 3]).unwrap();
        let refused = tetrahedral::axilrod_teller(&gpu, &many, 1.0, Precision::F32).unwrap_err();
        let most = if gpu.is_software() { "at most 11200 atoms" } else { "at most 94464 atoms" };
        told(refused, &["points = 94465", most]);
        let nothing = tetrahedral::axilrod_teller(&gpu, &atoms(8), f64::NAN, Precision::F32).unwrap_err();
        told(nothing, &["nu = NaN"]);
    }
    // spheres are checked where they are made, for every device
    let line = || Points::from_rows(&[0.0, 1.0_f32], 1).unwrap();
    for (radius, text) in
        [(-0.5, "-0.5 at sphere 1"), (f32::NAN, "NaN at sphere 1"), (f32::INFINITY, "inf at sphere 1")]
    {
        let error = Spheres::new(line(), &[1.0, radius]).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    assert!(Points::from_rows(&[0.0, f32::NAN], 1).unwrap_err().to_string().contains("NaN at point 1"));
}

/// Every kernel compiles for a GPU that is not here.
#[test]
fn cuda_compiles() {
    if !cuda::has_compiler() {
        println!("skipped: CUDA kernels are not compiled, libnvrtc is not found");
        return;
    }
    let check = |what: &str, text: &str| {
        cuda::compile(text, 90).unwrap_or_else(|e| panic!("{what}: {e}"));
    };
    let laws = [Triplet::axilrod_teller(), Triplet::of::<Screened>(None)].map(Result::unwrap);
    for double in [false, true] {
        for dimensions in [1, 2, 3] {
            for kernel in manybody_gpu::collisions::kernels(dimensions, double).unwrap() {
                check("collisions", &kernel.cuda);
            }
        }
        for dimensions in [1, 4, 8, 9] {
            for metric in [Metric::Euclidean, Metric::Squared] {
                check("distances", &distances::kernel(dimensions, double, metric, distances::Shape::default()).cuda);
            }
        }
        for (dimensions, slots) in [(1, 1), (3, 32), (4, 1024)] {
            for (periodic, between) in [(false, false), (true, false), (false, true), (true, true)] {
                let form = Form { dimensions, double, periodic, between, slots };
                check("correlation", &correlation::kernel(form).cuda);
            }
        }
        for layer in [Layer::Cubic, Layer::Table] {
            for law in &laws {
                check("tetrahedral", &tetrahedral::kernels(law, layer, double).unwrap()[0].cuda);
            }
        }
    }
    let law = Law::of::<law::Gravity>().unwrap();
    // one map of each kind: that every map compiles is tested with the maps
    for map in [Triangle::BoundingBox, Triangle::Lambda, Triangle::Band] {
        for mirrored in [true, false] {
            for precision in [Precision::F32, Precision::F64] {
                let [kernel, _] = triangular::kernels(&law, map, mirrored, precision, Device::Cuda);
                check(map.name(), &kernel.cuda);
            }
        }
    }
}
