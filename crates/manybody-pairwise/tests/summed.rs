//! What each summation loses.

use manybody_law::law::{PairLaw, Real, Sum};
use manybody_law::record;
use manybody_law::simd::Level;
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Packed, Summation, nearest_integer, summed};

record! { struct Weight<R> { m: R } }
record! { struct Unused<R> { q: R } }
record! { struct Total<R> { m: Sum<R> } }
/// Adds up the weights of all bodies.
struct Weigh;
impl PairLaw for Weigh {
    type Body<R: Real> = Weight<R>;
    type Par<R: Real> = Unused<R>;
    type Out<R: Real> = Total<R>;
    const SELF: bool = true;
    #[inline(always)]
    fn pair<R: Real>(_: &Weight<R>, j: &Weight<R>, _: &Unused<R>, out: &mut Total<R>) {
        out.m.add(j.m);
    }
}

fn weigh(level: Level, summation: Summation, weights: &[f32], range: f64) -> (Vec<f64>, Option<(usize, usize)>) {
    let mut packed = Packed::default();
    packed.fill(weights.len(), 1, level.lanes_f32(), |_, to| to.copy_from_slice(weights));
    let mut out = vec![Vec::new()];
    let (how, both) = ((level, (&Watch::default(), None)), [&packed, &packed]);
    let left = summed::<Weigh>(how, both, Some(0), &[0.0], summation, &[range], &mut out);
    (out.swap_remove(0), left.unwrap())
}

/// One, and 4,000 terms that are each lost when they are added to it: 2^-25 is half of its last bit. What a
/// compiler that reassociated would make of two-sum is the direct sum, which stays 1.
#[test]
fn what_each_summation_loses() {
    let (n, small) = (4_001, 2.0_f32.powi(-25));
    let mut weights = vec![small; n];
    weights[0] = 1.0;
    let exact = 1.0 + (n - 1) as f64 * f64::from(small);
    for level in Level::available() {
        let error = |summation| {
            let (sums, left) = weigh(level, summation, &weights, 4.0);
            assert_eq!(left, None);
            // the last bodies begin with terms of their own size and meet the large one late or early: all sums are
            // held to the same
            sums.iter().map(|sum| (sum / exact - 1.0).abs()).fold(0.0, f64::max)
        };
        let all = f64::from(small) * (n - 1) as f64 / exact; // 1.2e-4
        let lost = error(Summation::Direct);
        assert!((0.9 * all..1.1 * all).contains(&lost), "{level:?} direct {lost:e}");
        // what shares a block with the one is lost, or all that is added after it
        assert!(error(Summation::Blocked(Some(100))) < 0.05 * all, "{level:?} blocked");
        assert!(error(Summation::Pairwise) < 1.5e-6, "{level:?} pairwise"); // a leaf of 32 is lost, and 7 roundings
        // the lost parts are themselves summed in f32, up to 1.2e-4: 4,000 roundings of at most 4e-12
        assert!(error(Summation::Compensated) < 1e-7, "{level:?} compensated");
        assert_eq!(error(Summation::F64), 0.0, "{level:?}"); // every partial sum has less than 53 bits
        assert_eq!(error(Summation::Fixed), 0.0, "{level:?}"); // 2^-25 is 2^35 units
    }
}

#[test]
fn integers_are_those_of_rounding_to_nearest() {
    let mut random = 1_u64;
    for k in 0..1_000_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // every exponent up to 2^60, both signs, and ties between integers
        let x = (random as i64 >> 3 >> (k % 62)) as f64 * if k % 2 == 0 { 0.5 } else { 1.0 };
        for x in [x, x + 0.25, x * 0.7] {
            assert_eq!(nearest_integer(x), x.round_ties_even() as i64, "{x}");
        }
    }
    let ends = [0.0, -0.0, 0.5, 1.5, -0.5, -2.5, 4_294_967_295.5, -2_147_483_648.5, 2_f64.powi(61) - 256.0];
    ends.into_iter().for_each(|x| assert_eq!(nearest_integer(x), x.round_ties_even() as i64, "{x}"));
}

#[test]
fn a_fixed_point_sum_that_leaves_its_range_is_reported() {
    for level in Level::available() {
        let mut weights = vec![1.0; 100];
        assert_eq!(weigh(level, Summation::Fixed, &weights, 101.0), (vec![100.0; 100], None));
        assert_eq!(weigh(level, Summation::Fixed, &weights, 99.0).1, Some((0, 0)));
        weights[7] = f32::NAN;
        assert!(weigh(level, Summation::Fixed, &weights, 101.0).1.is_some());
    }
}

/// Integers have one sum, in any order.
#[test]
fn a_fixed_point_sum_does_not_depend_on_the_order() {
    let mut weights: Vec<f32> = (0..3000).map(|k| ((k * k % 1013) as f32 + 0.1).recip()).collect();
    for level in Level::available() {
        let there = weigh(level, Summation::Fixed, &weights, 1e4).0;
        weights.reverse();
        let back = weigh(level, Summation::Fixed, &weights, 1e4).0;
        assert!(there.iter().chain(&back).all(|sum| *sum == there[0]), "{level:?}");
        // a running sum does depend on it
        let running = weigh(level, Summation::Direct, &weights, 1e4).0;
        weights.reverse();
        assert_ne!(running[0], weigh(level, Summation::Direct, &weights, 1e4).0[0], "{level:?}");
    }
}
