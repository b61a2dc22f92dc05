//! What a body adds to the pixels around it: a Gaussian, integrated over each pixel.
//!
//! The weight of pixel k for a body at x, with the width sigma of the Gaussian and the reach R of the spot, both in
//! pixels, is
//!
//! ```text
//! w_k = [Phi((k + 1 - x) / sigma) - Phi((k - x) / sigma)] / [the sum of these]     floor(x - R) <= k <= floor(x + R)
//! R = sigma sqrt(2 ln(2000 v / m)), at least 4 sigma and at most 8 sigma
//! ```
//!
//! with the mass by area v of the body and the median m of these, and that of a pixel in two dimensions the product of one
//! along each axis. The weights of a body sum to 1, so the picture of bodies within it has their whole mass. At the end of
//! its reach, the spot of a heavy body is as faint as that of any other: no square is seen around a star with planets.

/// The least and the largest reach, in widths of the Gaussian: 6e-5 and 1e-15 of it lie beyond along an axis.
const REACH: [f64; 2] = [4.0, 8.0];
/// How much fainter than the middle of the median body the end of a spot is.
const FAINT: f64 = 2000.0;

/// The reach of a body with `value`, in pixels, where the median body has `median`.
pub fn reach(sigma: f64, value: f64, median: f64) -> f64 {
    // the logarithm is NaN where all values are 0, and the larger of NaN and 0 is 0
    let wide = libm::sqrt(2.0 * libm::log(FAINT * value / median).max(0.0));
    sigma * wide.clamp(REACH[0], REACH[1])
}

/// The pixels that a body reaches along an axis, and their weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Span {
    /// The first pixel, which may be outside of the picture.
    pub first: i64,
    /// The weight of each pixel from there on.
    pub weights: Vec<f64>,
}

/// The first and the last pixel that a spot reaches, whether on the picture or not.
pub fn ends(x: f64, reach: f64) -> [i64; 2] {
    [x - reach, x + reach].map(|end| end.floor() as i64)
}

impl Span {
    /// The weights of a body at `x` with this width and reach, in place of those before.
    pub fn fill(&mut self, x: f64, sigma: f64, reach: f64) {
        let [first, last] = ends(x, reach);
        self.first = first;
        self.weights.clear();
        let below = |k: i64| 0.5 * libm::erf((k as f64 - x) / (sigma * std::f64::consts::SQRT_2));
        let begin = below(first);
        let mut before = begin;
        for k in first..=last {
            let end = below(k + 1);
            self.weights.push(end - before);
            before = end;
        }
        let whole = before - begin;
        self.weights.iter_mut().for_each(|weight| *weight /= whole);
    }
}

/// The weight of the middle pixel of a body in its middle.
pub fn peak(sigma: f64) -> f64 {
    libm::erf(0.5 / (sigma * std::f64::consts::SQRT_2)).powi(2)
}

/// The width of spots that suits a number of bodies on a picture whose shorter side has `side` pixels: few bodies are
/// large, and a million are as fine as the picture.
pub fn suitable(n: usize, side: usize) -> f64 {
    let fine = (1e5 / n.max(1) as f64).cbrt().clamp(0.7, 5.0);
    (fine * side as f64 / 1024.0).max(0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_a_gaussian_and_sum_to_1() {
        let mut span = Span::default();
        for (x, sigma) in [(10.0, 0.5), (10.25, 1.0), (-3.7, 2.5), (1e6, 0.8)] {
            span.fill(x, sigma, 4.0 * sigma);
            assert!((span.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            let place = |k: usize| (span.first + k as i64) as f64 + 0.5;
            let mean: f64 = span.weights.iter().enumerate().map(|(k, w)| w * place(k)).sum();
            // what lies beyond, at 4 sigma and more, on one side at most
            assert!((mean - x).abs() < 6e-5 * 5.0 * sigma + 1e-9, "{x} {sigma}: {mean}");
        }
        // by symmetry
        span.fill(0.5, 1.0, 4.0);
        assert_eq!(span.first, -4);
        assert!(span.weights.iter().zip(span.weights.iter().rev()).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    #[test]
    fn heavy_bodies_reach_further() {
        assert_eq!(reach(2.0, 1.0, 1.0), 8.0);
        assert_eq!(reach(2.0, 0.0, 1.0), 8.0);
        assert_eq!(reach(2.0, 0.0, 0.0), 8.0);
        assert_eq!(reach(1.0, 1e30, 1.0), 8.0);
        let wide = reach(1.0, 1e7, 1.0);
        assert!((1e7 * (-0.5 * wide * wide).exp() * FAINT - 1.0).abs() < 1e-9, "{wide}");
    }
}
