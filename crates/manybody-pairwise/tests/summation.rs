//! Names of summations.

use manybody_pairwise::Summation;

#[test]
fn names_are_read_as_they_are_written() {
    for sum in Summation::ALL.into_iter().chain([Summation::Blocked(Some(1)), Summation::Blocked(Some(256))]) {
        assert_eq!(sum.to_string().parse::<Summation>().unwrap(), sum);
    }
    for wrong in ["kahan", "blocked:0", "blocked:", "blocked:-4", ""] {
        assert!(wrong.parse::<Summation>().unwrap_err().to_string().contains("blocked"), "{wrong}");
    }
}
