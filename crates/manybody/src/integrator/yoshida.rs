//! Yoshida's compositions of leapfrogs: fourth and sixth order [Yoshida 1990].
//!
//! A time-symmetric composition of leapfrogs with weights w has only odd orders in its error, so
//!
//! ```text
//! order 4:  sum w = 1,  sum w^3 = 0                                                3 weights
//! order 6:  and  sum w^5 = 0,  sum w_i^3 c_i^2 = 0  (c_i: the middle of part i)    7 weights
//! ```
//!
//! The paper prints 15 digits of the sixth order's; those here solve the same equations to 25 digits, then rounded.
//! Each part runs backwards once or thrice, which is why dt must resolve more than the leapfrog's does.

use super::Splitting;

/// 1 / (2 - 2^(1/3)) and -2^(1/3) times that.
const W4: [f64; 2] = [1.351_207_191_959_657_5, -1.702_414_383_919_315_3];

/// Solution A, from the outermost to the middle (w3, w2, w1, w0 in the paper).
const W6: [f64; 4] =
    [0.784_513_610_477_557_3, 0.235_573_213_359_358_13, -1.177_679_984_178_871, 1.315_186_320_683_911_2];

/// Fourth order, three force evaluations a step.
pub(super) fn fourth() -> Splitting {
    let [w1, w0] = W4;
    Splitting::composed("yoshida4", 4, &[w1, w0, w1])
}

/// Sixth order, seven force evaluations a step.
pub(super) fn sixth() -> Splitting {
    let [w3, w2, w1, w0] = W6;
    Splitting::composed("yoshida6", 6, &[w3, w2, w1, w0, w1, w2, w3])
}

#[cfg(test)]
mod tests {
    use super::{W4, W6};

    /// The equations of the module head. Each term is rounded once, to 1.1e-16 of a magnitude of at most 4.
    #[test]
    fn weights_solve_the_order_conditions() {
        let tolerance = 3.0e-15;
        let whole = |half: &[f64]| -> Vec<f64> { half.iter().chain(half.iter().rev().skip(1)).copied().collect() };
        for (weights, order) in [(whole(&W4), 4), (whole(&W6), 6)] {
            let sum = |power| weights.iter().map(|w: &f64| w.powi(power)).sum::<f64>();
            assert!((sum(1) - 1.0).abs() < tolerance, "order {order}: sum w = {}", sum(1));
            assert!(sum(3).abs() < tolerance, "order {order}: sum w^3 = {}", sum(3));
            if order == 6 {
                assert!(sum(5).abs() < tolerance, "sum w^5 = {}", sum(5));
                let mut start = 0.0;
                let mut mixed = 0.0;
                for w in &weights {
                    mixed += w.powi(3) * (start + w / 2.0_f64).powi(2);
                    start += w;
                }
                assert!(mixed.abs() < tolerance, "sum w^3 c^2 = {mixed}");
            }
        }
    }
}
