//! Weighted distances, and the energy distance of two samples.
//!
//! ```text
//! s_i = sum w_j |x_i - x_j|
//! ```
//!
//! With w = 1/n for one sample of n points and -1/m for the other of m, -sum w_i s_i is the energy distance
//! 2 E|X - Y| - E|X - X'| - E|Y - Y'| [Szekely 2013]: 0 if and only if the distributions are equal.

use super::kernels::{KernelSum, Weighted};
use crate::law::{Nothing, PairLaw, Real, dot3, sub3};

/// Sums of distances.
#[derive(Clone, Copy, Debug)]
pub struct Distances;

impl PairLaw for Distances {
    type Body<R: Real> = Weighted<R>;
    type Par<R: Real> = Nothing<R>;
    type Out<R: Real> = KernelSum<R>;
    const SELF: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &Weighted<R>, j: &Weighted<R>, _: &Nothing<R>, out: &mut KernelSum<R>) {
        let d = sub3(i.x, j.x);
        out.s.add_mul(j.w, dot3(d, d, j.w.lit(0.0)).sqrt());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::on_itself;
    use crate::law::conformance::random;

    /// On a line the energy distance is 2 times the integral of (F - G)^2 [Szekely 2013].
    #[test]
    fn energy_distance_on_a_line() {
        let (n, m) = (40, 70);
        let x = [random(1, n, 1, false).remove(0), random(1, m, 2, true).remove(0)].concat();
        let w = [vec![1.0 / n as f64; n], vec![-1.0 / m as f64; m]].concat();
        let zeros = vec![0.0; n + m];
        let s = on_itself("distances", &[x.clone(), zeros.clone(), zeros, w.clone()], &[]);
        let energy: f64 = -s[0].iter().zip(&w).map(|(s, w)| s * w).sum::<f64>();
        let mut order: Vec<usize> = (0..n + m).collect();
        order.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
        let (mut step, mut integral) = (0.0, 0.0);
        for pair in order.windows(2) {
            step += w[pair[0]];
            integral += 2.0 * step * step * (x[pair[1]] - x[pair[0]]);
        }
        assert!((energy - integral).abs() < 1e-13, "{energy} {integral}"); // 1e4 terms of 1e-4
    }
}
