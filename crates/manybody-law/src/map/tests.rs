//! Bijection at every small size, boundaries over the whole range of 64 bits, and how far the published roots go.

use super::lambda::{correct32, rsqrt};
use super::tetrahedron::cube_root_guess;
use super::*;

const EXACT: [Triangle; 7] = [
    Triangle::BoundingBox,
    Triangle::RectangularBox,
    Triangle::Recursive,
    Triangle::Utm,
    Triangle::Lambda,
    Triangle::Lambda32,
    Triangle::Band,
];

/// Numbers spread over 64 bits [Steele 2014, splitmix64].
fn random(seed: u64) -> impl Iterator<Item = u64> {
    (1_u64..).map(move |k| {
        let mut z = seed.wrapping_add(k.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// Every cell exactly once, from its own block, and the inverse agrees.
fn check_bijection<const D: usize>(map: &dyn Map<D>, domain: &[[u64; D]], what: &str) {
    let mut seen = Vec::new();
    for w in 0..map.blocks() as u64 {
        if let Some(cell) = map.cell(w) {
            assert_eq!(map.block(cell), Some(w), "{what}: inverse of {cell:?}");
            seen.push(cell);
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, domain, "{what}");
    assert_eq!(map.cells(), domain.len() as u64, "{what}");
    assert_eq!(map.cell(map.blocks() as u64), None, "{what}: past the launch");
}

fn triangle_cells(nb: u64, diagonal: Diagonal) -> Vec<[u64; 2]> {
    let last = |i: u64| if diagonal.is_with() { i + 1 } else { i };
    (0..nb).flat_map(|i| (0..last(i)).map(move |j| [i, j])).collect()
}

#[test]
fn every_triangle_map_is_a_bijection_at_small_sizes() {
    for name in Triangle::ALL {
        for nb in 0..150 {
            for diagonal in [Diagonal::With, Diagonal::Without] {
                let map = name.of(nb, diagonal).unwrap();
                check_bijection(&*map, &triangle_cells(nb, diagonal), &format!("{name} {nb} {diagonal:?}"));
                for outside in [[nb, 0], [nb, nb], [0, 1], [u64::MAX, 0], [u64::MAX, u64::MAX]] {
                    assert_eq!(map.block(outside), None, "{name} {nb} {diagonal:?} {outside:?}");
                }
            }
        }
    }
}

#[test]
fn idle_blocks_are_as_few_as_promised() {
    for nb in [1_u64, 2, 3, 64, 100, 999, 1_000] {
        let blocks = |map: Triangle| map.of(nb, Diagonal::With).unwrap().blocks() as u64;
        let cells = nb * (nb + 1) / 2;
        assert_eq!(blocks(Triangle::BoundingBox), nb * nb);
        assert_eq!([Triangle::RectangularBox, Triangle::Recursive, Triangle::Utm].map(blocks), [cells; 3]);
        let side = (cells as f64).sqrt().ceil() as u64;
        assert_eq!(blocks(Triangle::Lambda), side * side);
        assert!(side * side - cells <= 2 * side, "the paper's O(n) idle blocks");
    }
    // one launch a level, the diagonal last
    let launches = Triangle::Recursive.of(8, Diagonal::With).unwrap().launches();
    assert_eq!(launches, [[1, 4, 1], [2, 4, 1], [4, 4, 1], [8, 1, 1]].map(Launch));
}

#[test]
fn rectangular_box_is_the_published_rule_at_even_sizes() {
    // blocks below the diagonal of the grid move up by one row, the others are turned round [Navarro 2016, sect. 4.2]
    let map = RectangularBox::new(6, Diagonal::With).unwrap();
    for w in 0..21 {
        let (x, y) = (w % 3, w / 3);
        let expected = if y > x { [y - 1, x] } else { [5 - y, 5 - x] };
        assert_eq!(map.cell(w), Some(expected));
    }
}

#[test]
fn upper_triangular_numbers_pairs_as_published() {
    // n = 4: (1,2) (1,3) (1,4) (2,3) (2,4) (3,4), from k = 0
    for root in [Root::Exact, Root::F32, Root::F64] {
        let map = UpperTriangular::new(4, Diagonal::Without, root).unwrap();
        let pairs: Vec<_> = (0..6).map(|k| map.cell(k).map(|[i, j]| (j + 1, i + 1)).unwrap()).collect();
        assert_eq!(pairs, [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]);
    }
}

#[test]
fn triangular_root_is_exact_at_every_kind_of_boundary() {
    let check = |k: u64| {
        let start = triangular(k).unwrap();
        assert_eq!(triangular_root(start), k);
        assert_eq!(triangular_root(start + 1), k.max(1));
        if k > 0 {
            assert_eq!(triangular_root(start - 1), k - 1);
            assert_eq!(triangular_root(start + k), k, "last of the row");
        }
    };
    let last = 6_074_000_998;
    (0..200_000).for_each(check);
    (last - 200_000..=last).for_each(check);
    (0..33).flat_map(|p| (1_u64 << p).saturating_sub(50)..(1 << p) + 50).filter(|k| *k <= last).for_each(check);
    random(1).take(500_000).map(|r| r % last).for_each(check);
    // the top of the range: the last row is cut off by the end of 64 bits
    assert_eq!(triangular(6_074_000_999), Some(18_446_744_070_963_499_500));
    assert_eq!(triangular(6_074_001_000), None);
    assert_eq!(triangular_root(18_446_744_070_963_499_499), 6_074_000_998);
    assert_eq!(triangular_root(18_446_744_070_963_499_500), 6_074_000_999);
    assert_eq!(triangular_root(u64::MAX), 6_074_000_999);
}

#[test]
fn triangular_root_is_the_root_of_random_indices() {
    for w in random(2).take(500_000) {
        let w = w >> (w % 64); // all magnitudes
        let i = u128::from(triangular_root(w));
        let w = u128::from(w);
        assert!(i * (i + 1) / 2 <= w && w < (i + 1) * (i + 2) / 2, "{w}");
    }
}

#[test]
fn triangular_root32_is_exact_with_any_guess_a_gpu_may_make() {
    // every row's first and last block of the whole 32-bit range, with a root off by up to 3 units in the last place
    // either way: 2 ulp is what x rsqrt(x) may be off, 1 more for its product
    for k in 1..=92_681_u32 {
        let start = triangular(u64::from(k)).unwrap() as u32;
        let last = start.saturating_add(k);
        assert_eq!([start - 1, start, last].map(triangular_root32), [k - 1, k, k]);
        for ulp in -3..=3 {
            let off = |w: u32| {
                let root = (2.0 * w as f32 + 0.25).sqrt();
                f32::from_bits(root.to_bits().wrapping_add_signed(ulp)) - 0.5
            };
            assert_eq!([start - 1, start, last].map(|w| correct32(w, off(w))), [k - 1, k, k], "{ulp} ulp");
        }
    }
    assert_eq!(triangular_root32(u32::MAX), 92_681);
}

#[test]
fn rsqrt_is_correctly_rounded() {
    // y is 1/sqrt(x) rounded to nearest if x lies between 1/(y + h)^2 and 1/(y - h)^2, h half a unit of y: in
    // integers, all mantissas of both parities of the exponent
    for parity in [0_u32, 1] {
        for mantissa in (0..1_u32 << 23).step_by(if cfg!(debug_assertions) { 7 } else { 1 }) {
            let x = f32::from_bits(((127 + parity) << 23) | mantissa);
            let bits = rsqrt(x).to_bits();
            let scale = |bits: u32| (u128::from(bits & 0x7f_ffff) | 0x80_0000, 150 - (bits >> 23)); // value = m 2^-e
            let ((mx, ex), (my, ey)) = (scale(x.to_bits()), scale(bits));
            let one = 1_u128 << (ex + 2 * ey + 2); // 1 in units of 2^-(ex + 2 (ey + 1))
            let square = |m: u128| mx * m * m;
            assert!(square(2 * my - 1) <= one && one <= square(2 * my + 1), "{x}");
        }
    }
}

#[test]
fn other_strategies_are_exact_at_the_ends_of_their_range() {
    for name in EXACT.into_iter().filter(|map| *map != Triangle::Lambda32) {
        let nb = match name {
            Triangle::BoundingBox => 1 << 32,
            Triangle::Band => 3_000_000_000,
            _ => 6_074_000_999,
        };
        for diagonal in [Diagonal::With, Diagonal::Without] {
            let map = name.of(nb, diagonal).unwrap();
            let rows = (0..40).chain(nb - 40..nb).chain(random(3).take(2_000).map(|r| r % nb));
            for i in rows {
                for j in [0, 1, i / 2, i.saturating_sub(1), i] {
                    let inside = j < i || (j == i && diagonal.is_with());
                    let block = map.block([i, j]);
                    assert_eq!(block.is_some(), inside, "{name} [{i}, {j}]");
                    if let Some(w) = block {
                        assert_eq!(map.cell(w), Some([i, j]), "{name} {w}");
                    }
                }
            }
        }
        assert!(name.of(u64::MAX, Diagonal::With).is_err());
        assert!(name.of(6_074_001_001, Diagonal::With).is_err());
    }
    assert!(Triangle::Lambda.of(6_074_001_000, Diagonal::With).is_err());
    assert!(Triangle::Lambda.of(6_074_001_000, Diagonal::Without).is_ok());
    assert!(Triangle::Lambda32.of(92_681, Diagonal::With).is_ok());
    assert!(Triangle::Lambda32.of(92_682, Diagonal::With).is_err());
    assert!(Triangle::named("lamda").unwrap_err().to_string().contains("lambda"));
}

/// The first block, in order, whose row a published root has wrong.
fn first_wrong(root: Root, diagonal: Diagonal) -> u64 {
    let map = Lambda::new(5_000, diagonal, root).unwrap();
    (0..map.cells()).find(|w| map.cell(*w).and_then(|cell| map.block(cell)) != Some(*w)).unwrap()
}

#[test]
fn published_lambda_goes_wrong_where_the_table_says() {
    let table = [
        (Root::F32, 10_619_135, 4_607),
        (Root::Newton, 1_316_253, 1_622),
        (Root::NewtonFused, 1_166_628, 1_527),
        (Root::Rsqrt, 2_149_701, 2_073),
        (Root::RsqrtFused, 4_940_795, 3_142),
    ];
    for (root, wrong, nb) in table {
        for diagonal in [Diagonal::With, Diagonal::Without] {
            assert_eq!(first_wrong(root, diagonal), wrong, "{root:?} {diagonal:?}");
        }
        // right up to nb rows: the wrong block is not among theirs, but among those of one more
        assert!(triangular(nb).unwrap() <= wrong && wrong < triangular(nb + 1).unwrap(), "{root:?}");
    }
}

#[test]
fn an_rsqrt_off_by_two_units_goes_wrong_earlier() {
    let wrong = |ulp: i32| {
        let row = |w: u64| {
            let x = 0.25 + 2.0 * w as f32;
            let y = f32::from_bits(rsqrt(x).to_bits().wrapping_add_signed(ulp));
            (x * y + 1e-4 - 0.5).floor() as i64
        };
        (0..5_000_000).find(|w| row(*w) != triangular_root(*w) as i64).unwrap()
    };
    assert_eq!([-2, -1, 1, 2].map(wrong), [98_346, 483_636, 1_951_299, 1_450_955]);
}

#[test]
fn published_f64_lambda_goes_wrong_at_two_to_the_27() {
    // 2w + 1/4, the root and the difference are monotonic in w, so a row whose first and last blocks are right is
    // right: all rows in order
    let map = Lambda::new(1 << 28, Diagonal::With, Root::F64).unwrap();
    let right = |w: u64, i: u64| map.cell(w).is_some_and(|cell| cell[0] == i);
    let wrong = (0..1 << 28).find(|i| !right(triangular(*i).unwrap(), *i) || !right(triangular(*i).unwrap() + i, *i));
    assert_eq!(wrong, Some(134_217_727));
    assert_eq!(triangular(134_217_727).unwrap() + 134_217_727, 9_007_199_321_849_855);
}

#[test]
fn bands_are_bijections() {
    for (rows, columns) in [(0, 0), (0, 5), (5, 0), (1, 1), (7, 7), (5, 9), (9, 5), (12, 3), (1, 12)] {
        for low in -13..=13_i64 {
            for high in -13..=13_i64 {
                let map = Band::new(rows, columns, low, high).unwrap();
                let all = (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j]));
                let inside = |[i, j]: &[u64; 2]| (low..=high).contains(&(*j as i64 - *i as i64));
                let cells: Vec<_> = all.filter(inside).collect();
                check_bijection(&map, &cells, &format!("{rows} x {columns}, {low}..={high}"));
            }
        }
    }
    assert!(Band::new(1 << 33, 3, 0, 0).is_err());
    assert!(Band::new(1 << 32, 1 << 32, -(1 << 32), 1 << 32).is_err());
    // far out: a band of width 5 in a matrix of 4e9 rows, whose cells go up to 2e10
    let map = Band::new(4_000_000_000, 4_000_000_000, -2, 2).unwrap();
    assert_eq!(map.cells(), 5 * 4_000_000_000 - 6);
    for i in [0_u64, 1, 2, 1_999_999_999, 3_999_999_997, 3_999_999_998, 3_999_999_999] {
        for j in i.saturating_sub(2)..=(i + 2).min(3_999_999_999) {
            assert_eq!(map.cell(map.block([i, j]).unwrap()), Some([i, j]));
        }
    }
}

#[test]
fn masks_are_bijections() {
    let chess = |i: u64, j: u64| (i * 7 + j * 3).is_multiple_of(5) && i != 4;
    let map = Mask::from_fn(11, 9, chess).unwrap();
    let cells: Vec<_> = (0..11).flat_map(|i| (0..9).map(move |j| [i, j])).filter(|[i, j]| chess(*i, *j)).collect();
    check_bijection(&map, &cells, "chess");
    let mut shuffled: Vec<_> = cells.iter().rev().chain(&cells[3..6]).copied().collect();
    shuffled.swap(0, 7);
    check_bijection(&Mask::from_cells(11, 9, &shuffled).unwrap(), &cells, "from cells");
    check_bijection(&Mask::from_cells(3, 3, &[]).unwrap(), &[], "empty");
    assert!(Mask::from_cells(3, 3, &[[0, 3]]).is_err());
}

fn tetrahedron_cells(nb: u64, diagonal: Diagonal) -> Vec<[u64; 3]> {
    let all = (0..nb).flat_map(|i| (0..=i).flat_map(move |j| (0..=j).map(move |k| [i, j, k])));
    all.filter(|[i, j, k]| diagonal.is_with() || (i > j && j > k)).collect()
}

#[test]
fn every_tetrahedron_map_is_a_bijection_at_small_sizes() {
    for layer in [Layer::Cubic, Layer::Table] {
        for nb in (0..28).chain([64]) {
            for diagonal in [Diagonal::With, Diagonal::Without] {
                let map = Tetrahedron::new(nb, diagonal, layer).unwrap();
                check_bijection(&map, &tetrahedron_cells(nb, diagonal), &format!("{layer:?} {nb} {diagonal:?}"));
                for outside in [[nb, 0, 0], [0, 1, 0], [1, 1, 2], [u64::MAX; 3]] {
                    assert_eq!(map.block(outside), None, "{layer:?} {nb} {outside:?}");
                }
            }
        }
    }
}

#[test]
fn tetrahedral_root_is_exact_in_every_layer() {
    // all 4.8 million layers that 64 bits hold: first, last, and second block
    for z in 0..4_801_278_u64 {
        let start = tetrahedral(z).unwrap();
        let end = tetrahedral(z + 1).unwrap();
        assert_eq!(u128::from(start), u128::from(z) * u128::from(z + 1) * u128::from(z + 2) / 6);
        assert_eq!([start, end - 1, end].map(tetrahedral_root), [z, z, z + 1]);
        let x = 6.0 * end as f64;
        assert!((cube_root_guess(x) - x.cbrt()).abs() < 1e-6, "the bound that the argument rests on");
    }
    assert_eq!(tetrahedral_root(u64::MAX), 4_801_278);
    assert_eq!(tetrahedral(4_801_279), None);
    assert!(u128::from(4_801_279_u64) * 4_801_280 * 4_801_281 / 6 > u128::from(u64::MAX));
}

#[test]
fn the_table_agrees_with_the_cubic_root_up_to_the_last_size() {
    for nb in [1, 2, 3, 17, 100, 1_000, 4_096, 65_536, 1 << 20, 4_801_277, 4_801_278] {
        let table = Tetrahedron::new(nb, Diagonal::With, Layer::Table).unwrap();
        assert!(table.table_bytes() <= 4_100, "{}", table.table_bytes());
        let cells = table.cells();
        let layers = (0..nb.min(500)).chain(nb.saturating_sub(500)..nb);
        let edges = layers.flat_map(|z| [tetrahedral(z).unwrap(), tetrahedral(z + 1).unwrap() - 1]);
        for w in edges.chain(random(nb).take(20_000).map(|r| r % cells)) {
            let cell = table.cell(w).unwrap();
            assert_eq!(cell[0], tetrahedral_root(w), "nb = {nb}, w = {w}");
            assert_eq!(table.block(cell), Some(w));
        }
    }
    assert!(Tetrahedron::new(4_801_279, Diagonal::With, Layer::Table).is_err());
    assert!(Tetrahedron::new(4_801_280, Diagonal::Without, Layer::Cubic).is_ok());
}

#[test]
fn vectors_are_right_and_reach_the_limit() {
    for name in EXACT {
        let limit = u64::from(u32::MAX);
        let vectors = vectors::triangle(name, limit).unwrap();
        for v in &vectors {
            let map = name.of(v.nb, v.diagonal).unwrap();
            assert_eq!(map.cell(v.w), v.cell);
            assert!(v.cell.is_none_or(|cell| map.block(cell) == Some(v.w)));
        }
        let largest = vectors.iter().map(|v| v.w).max().unwrap();
        assert!(largest > limit / 8 && largest <= limit, "{name}: {largest}");
        assert!(
            vectors.iter().any(|v| v.cell.is_none())
                == matches!(name, Triangle::BoundingBox | Triangle::Lambda | Triangle::Lambda32 | Triangle::Band)
        );
    }
    for layer in [Layer::Cubic, Layer::Table] {
        let vectors = vectors::tetrahedron(layer, u64::from(u32::MAX)).unwrap();
        assert!(vectors.iter().map(|v| v.w).max().unwrap() > u64::from(u32::MAX) / 8);
        assert_eq!(vectors, vectors::tetrahedron(Layer::Cubic, u64::from(u32::MAX)).unwrap());
    }
}

/// The first wrong block of a published cubic root.
fn first_wrong_layer(layer: Layer) -> u64 {
    let map = Tetrahedron::new(200, Diagonal::With, layer).unwrap();
    (0..map.cells()).find(|w| map.cell(*w).is_none_or(|cell| cell[0] != tetrahedral_root(*w))).unwrap()
}

#[test]
fn published_tetrahedron_goes_wrong_at_once() {
    assert_eq!(first_wrong_layer(Layer::F32), 10); // [3, 0, 0]
    // 1,330 with the cube root of glibc; other C libraries round some cube roots differently
    let wrong = first_wrong_layer(Layer::F64);
    assert!(wrong == 1_330 || !cfg!(target_env = "gnu"), "{wrong}");
}

#[test]
fn published_utm_goes_wrong_where_the_table_says() {
    // for one n all operations are monotonic in k: first and last pair of every row, all n in order
    let wrong = |n: u64| {
        let map = UpperTriangular::new(n, Diagonal::Without, Root::F32).unwrap();
        let edges = (0..n - 1).flat_map(|a| [[a + 1, a], [n - 1, a]]);
        edges.map(|cell| (map.block(cell).unwrap(), cell)).find(|(k, cell)| map.cell(*k) != Some(*cell))
    };
    assert_eq!((2..4_098).find_map(wrong), None);
    assert_eq!(wrong(4_098), Some((4_096, [4_097, 0])));
}

#[test]
fn published_f64_utm_goes_wrong_where_the_table_says() {
    // First pair of row a: the root is of m^2, m = 2(n - a) + 1; last pair: of m^2 + 8, m = 2(n - a) - 1. The root
    // depends on m alone, so all odd m in order stand for all n and a: the first wrong n has a = 1.
    // What is left is (2n + 1 - root)/2, exact for a root of m. For a root above m by d >= 3.9/m it could only be
    // rounded up to the next row if d <= 2^-54 times the power of two next above 2a + 2; with n below 1.2e8 that needs
    // a > 2^26, then m < 1.06e8 and d > 3.6e-8 > 2^-26.
    let root = |square: u64| (square as f64).sqrt();
    let right = |m: u64| root(m * m) == m as f64 && root(m * m + 8) > m as f64;
    let m = (1..1 << 28).step_by(2).find(|m| !right(*m)).unwrap();
    assert_eq!(m.div_ceil(2) + 1, 117_440_514);
    let last_of_row_1 = |n| {
        let map = UpperTriangular::new(n, Diagonal::Without, Root::F64).unwrap();
        map.cell(map.block([n - 1, 0]).unwrap())
    };
    assert_eq!(last_of_row_1(117_440_513), Some([117_440_512, 0]));
    assert_ne!(last_of_row_1(117_440_514), Some([117_440_513, 0]));
}
