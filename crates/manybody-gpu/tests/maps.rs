//! The devices' copies of the index maps against the host's: every block of every small domain, and of larger ones the
//! blocks where a map can go wrong. One suite for every device that is here; what is skipped is printed.

#![allow(clippy::print_stdout)] // what is skipped is said

mod common;

use common::devices;
use manybody::Error;
use manybody::map::{self, Band, Diagonal, Layer, Map, Mask, Tetrahedron, Triangle, vectors};
use manybody::solver::Device;
use manybody_gpu::compute::Gpu;
use manybody_gpu::cuda;
use manybody_gpu::figure5::{self, Bench, Test};
use manybody_gpu::look_up::{self, Query};
use manybody_gpu::maps::{self, DeviceMap};

/// Up to which nb a published map must agree with its emulation, whatever the device makes of its root: the worst that a
/// root of 2 units in the last place can do (see `map::lambda`), and for UTM, whose root is of a number as large as n^2,
/// what a root of 3 units can (tried).
fn trusted(map: Triangle) -> u64 {
    match map {
        Triangle::UtmF32 => 1_000,
        Triangle::LambdaF32
        | Triangle::LambdaRsqrt
        | Triangle::LambdaRsqrtFused
        | Triangle::LambdaNewton
        | Triangle::LambdaNewtonFused => 443,
        _ => u64::MAX,
    }
}

#[test]
fn every_block_of_a_triangle() {
    for gpu in devices() {
        for triangle in Triangle::ALL {
            let device_map = DeviceMap::of(triangle);
            if gpu.device() == Device::Wgpu && !device_map.in_wgsl {
                println!("skipped: {triangle} on wgpu: it takes f64 or 64-bit integers");
                continue;
            }
            let limit = trusted(triangle);
            let mut queries = Vec::new();
            let mut cells = Vec::new();
            for diagonal in [Diagonal::With, Diagonal::Without] {
                for nb in (0..=66).chain([100, 127, 128, 129, 255, 257, 443, 512, 700, 1000]) {
                    if nb > limit || (device_map.has_table && nb > 300) {
                        continue;
                    }
                    let map = triangle.of(nb, diagonal).unwrap();
                    for w in 0..map.blocks() as u64 {
                        queries.push(Query { nb, diagonal, w });
                        cells.push(map.cell(w));
                    }
                }
            }
            // the lists for kernels: first and last blocks of rows up to the end of 32 bits
            for v in vectors::triangle(triangle, u64::from(u32::MAX)).unwrap() {
                let fits = maps::launches(triangle, v.nb, v.diagonal).is_ok();
                if v.nb <= limit && fits {
                    queries.push(Query { nb: v.nb, diagonal: v.diagonal, w: v.w });
                    cells.push(v.cell);
                }
            }
            let found = look_up::triangle_cells(&gpu, triangle, &queries).unwrap();
            assert_eq!(found.len(), cells.len());
            for ((query, want), found) in queries.iter().zip(&cells).zip(&found) {
                assert_eq!(want, found, "{} {triangle} {query:?}", gpu.device());
            }
            println!("{} {triangle}: {} blocks agree", gpu.device(), cells.len());
        }
    }
}

#[test]
fn every_block_of_a_tetrahedron() {
    for gpu in devices() {
        for layer in [Layer::Cubic, Layer::Table] {
            let mut queries = Vec::new();
            let mut cells = Vec::new();
            for diagonal in [Diagonal::With, Diagonal::Without] {
                for nb in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19, 20, 33, 64, 100] {
                    let map = Tetrahedron::new(nb, diagonal, layer).unwrap();
                    for w in 0..map.blocks() as u64 {
                        queries.push(Query { nb, diagonal, w });
                        cells.push(map.cell(w));
                    }
                }
            }
            for v in vectors::tetrahedron(layer, u64::from(u32::MAX)).unwrap() {
                queries.push(Query { nb: v.nb, diagonal: v.diagonal, w: v.w });
                cells.push(v.cell);
            }
            let found = look_up::tetrahedron_cells(&gpu, layer, &queries).unwrap();
            assert_eq!(found.len(), cells.len());
            for ((query, want), found) in queries.iter().zip(&cells).zip(&found) {
                assert_eq!(want, found, "{} {layer:?} {query:?}", gpu.device());
            }
            println!("{} tetrahedron {layer:?}: {} blocks agree", gpu.device(), cells.len());
        }
    }
}

#[test]
fn bands_and_masks() {
    for gpu in devices() {
        for (rows, columns, low, high) in [
            (7, 7, -6, 0),
            (9, 5, -2, 1),
            (5, 9, -1, 6),
            (40, 30, -7, 11),
            (8, 8, 3, 5),
            (100, 100, -99, 99),
            (1, 1, 0, 0),
        ] {
            let band = Band::new(rows, columns, low, high).unwrap();
            let found =
                look_up::table_cells(&gpu, &DeviceMap::of(Triangle::Band), &band, &band.table().unwrap()).unwrap();
            let want: Vec<_> = (0..band.blocks() as u64).map(|w| band.cell(w)).collect();
            assert_eq!(found, want, "{} {rows} {columns} {low} {high}", gpu.device());
        }
        for (rows, columns, every) in [(1, 1, 1), (30, 50, 7), (64, 64, 1), (200, 3, 5)] {
            let mask = Mask::from_fn(rows, columns, |i, j| (i * 31 + j * 17) % every == 0).unwrap();
            let found =
                look_up::table_cells(&gpu, &DeviceMap::MASK, &mask, &look_up::mask_table(&mask).unwrap()).unwrap();
            let want: Vec<_> = (0..mask.blocks() as u64).map(|w| mask.cell(w)).collect();
            assert_eq!(found, want, "{} {rows} {columns} {every}", gpu.device());
        }
    }
}

/// The exact root for blocks in order: all that 32 bits hold on a GPU, 2^24 of them where the CPU plays one.
#[test]
fn exact_root_of_every_block() {
    for gpu in devices() {
        let limit = if gpu.is_software() { 1 << 24 } else { u32::MAX };
        assert_eq!(maps::first_wrong(&gpu, Triangle::Lambda, limit).unwrap(), None, "{}", gpu.device());
        // the search can find something: the published roots do go wrong
        let wrong = maps::first_wrong(&gpu, Triangle::LambdaNewton, limit).unwrap();
        assert!(wrong.is_some_and(|w| w > 98_346), "{} {wrong:?}", gpu.device());
    }
}

/// With 64-bit indices, which WGSL has not.
#[test]
fn exact_roots_of_64_bits() {
    let Some(gpu) = devices().into_iter().find(Gpu::has_double) else {
        println!("skipped: roots of 64-bit indices: there is no CUDA device");
        return;
    };
    let mut w: Vec<u64> = (0..4096).chain((0..64).flat_map(|p| [(1_u64 << p) - 1, 1 << p, (1 << p) + 1])).collect();
    for p in 1..=6_074_000 {
        let row = p * 1000 + 999;
        w.extend([map::triangular(row).unwrap() - 1, map::triangular(row).unwrap()]);
    }
    for z in (1..=4_801_278).step_by(7) {
        w.extend([map::tetrahedral(z).unwrap() - 1, map::tetrahedral(z).unwrap()]);
    }
    w.push(u64::MAX);
    let found = look_up::roots64(&gpu, &w).unwrap();
    for (w, found) in w.iter().zip(found) {
        assert_eq!(found, [map::triangular_root(*w), map::tetrahedral_root(*w)], "{w}");
    }
}

/// What does not fit a launch is refused before anything starts.
#[test]
fn sizes_that_do_not_fit() {
    for (name, nb) in [
        (Triangle::Lambda, 92_682),
        (Triangle::BoundingBox, 65_536),
        (Triangle::Recursive, 70_000),
        (Triangle::Utm, 1 << 33),
    ] {
        assert!(matches!(maps::launches(name, nb, Diagonal::With), Err(Error::Parameter { .. })), "{name} {nb}");
    }
    assert_eq!(maps::launches(Triangle::Lambda, 92_000, Diagonal::With).unwrap().len(), 1);
}

fn random(n: usize, scale: f32) -> Vec<[f32; 4]> {
    let mut state = 0x2545_f491_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 16_777_216.0
    };
    (0..n).map(|_| [next(), next(), next(), scale * next()]).collect()
}

/// CUDA's exact root in its own arithmetic, with roots off by up to 6 units of the last place either way: the ends of every
/// row that 32 bits hold, and their neighbours. (Devices' roots are off by 1 or 2.)
#[test]
fn guess_of_the_exact_root_in_cuda() {
    let settled = |w: u32, off: i32| {
        let root = (w as f32).sqrt();
        let root = if w == 0 { 0.0 } else { f32::from_bits(root.to_bits().wrapping_add_signed(off)) };
        let not_g = root.mul_add(-std::f32::consts::SQRT_2, 0.5625).floor() as i32 as u32;
        let v = (!not_g).wrapping_mul(not_g).wrapping_add(w.wrapping_mul(2));
        let after = v.wrapping_add(not_g.wrapping_mul(2));
        ((((after as i32) >> 31) as u32).wrapping_sub(not_g), v.min(after) >> 1)
    };
    for row in 0..92_682_u64 {
        let start = row * (row + 1) / 2;
        for place in [0, 1, row / 2, row.saturating_sub(1), row] {
            let Ok(w) = u32::try_from(start + place.min(row)) else { continue };
            for off in [-6, -3, -1, 0, 1, 3, 6] {
                assert_eq!(settled(w, off), (row as u32, place.min(row) as u32), "block {w}, root off by {off} units");
            }
        }
    }
}

/// Every strategy computes the same distances and touches, at sizes that blocks divide and sizes that they do not.
#[test]
fn strategies_agree() {
    for gpu in devices() {
        for n in [2, 15, 16, 17, 100, 513] {
            let (points, spheres) = (random(n, 1.0), random(n, 0.05));
            let mut touches = [0_u32; 2];
            for i in 0..n {
                for j in 0..i {
                    let (a, b) = (spheres[i].map(f64::from), spheres[j].map(f64::from));
                    let square = |d: usize| (0..d).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
                    let reach = (a[3] + b[3]).powi(2);
                    touches[0] += u32::from(square(1) <= reach);
                    touches[1] += u32::from(square(3) <= reach);
                }
            }
            let mut bench = Bench::new(&gpu, &points, &spheres).unwrap();
            for test in Test::ALL {
                for strategy in figure5::STRATEGIES.into_iter().chain(figure5::ROOTS).chain([Triangle::UtmF32]) {
                    if !DeviceMap::of(strategy).in_wgsl && gpu.device() == Device::Wgpu {
                        continue;
                    }
                    let prepared = bench.prepare(test, strategy).unwrap();
                    let timing = bench.measure(&prepared, 1).unwrap();
                    assert_ne!(timing.is_right, Some(false), "{} {test:?} {strategy} {n}", gpu.device());
                }
            }
            assert_eq!(bench.touches(), touches.map(Some), "{} {n}", gpu.device());
        }
    }
}

/// Every variant compiles for a GPU that is not here.
#[test]
fn cuda_compiles() {
    if !cuda::has_compiler() {
        println!("skipped: CUDA kernels are not compiled, libnvrtc is not found");
        return;
    }
    assert!(DeviceMap::tetrahedron(Layer::F32).is_err());
    assert_eq!(DeviceMap::all().count(), Triangle::ALL.len() + 1 + 3);
    for device_map in DeviceMap::all() {
        let text = look_up::look_up_kernel(&device_map).cuda;
        cuda::compile(&text, 90).unwrap_or_else(|e| panic!("{:?}: {e}", device_map.domain));
    }
    for strategy in figure5::STRATEGIES.into_iter().chain(figure5::ROOTS) {
        for test in Test::ALL {
            let text = figure5::kernel(test, strategy).cuda;
            cuda::compile(&text, 90).unwrap_or_else(|e| panic!("{test:?} {strategy}: {e}"));
        }
    }
    cuda::compile(&figure5::fill_kernel().cuda, 90).unwrap();
}
