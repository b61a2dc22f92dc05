//! Tile pairs in the order of index maps, beside the circulant order.

use manybody_law::law::builtin::nearest::Nearest;
use manybody_law::law::{Gravity, Law, PairInputs, PairLaw};
use manybody_law::map::Triangle;
use manybody_law::simd::{Element, Level};
use manybody_pairwise::{Packed, compiled_triangular, mirrored, triangular};

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

fn all<L: PairLaw, T: Element>(map: Triangle, n: usize, par: &[T], results: usize, level: Level) -> [Vec<Vec<T>>; 2] {
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
