//! The order of coefficients.

use manybody_expansions::index::*;

#[test]
fn places_are_counted_without_gaps() {
    for (k, [x, y, z]) in exponents(HIGHEST).enumerate() {
        let (d, a) = (x + y + z, y + z);
        assert_eq!(start(d) + row(a) + z, k);
    }
    assert_eq!(exponents(5).count(), count(5));
    assert_eq!(of_degree(4), count(4) - count(3));
    let with_at_most_one = (0..=HIGHEST).flat_map(|d| (0..=1).flat_map(move |z| (z..=d).map(move |a| (d, a, z))));
    assert!(with_at_most_one.map(|(d, a, z)| harmonic(d, a, z)).eq(0..(HIGHEST + 1) * (HIGHEST + 1)));
}
