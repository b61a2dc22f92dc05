//! Sizes of vectors and of columns whose squares may leave the range of f64.

/// The Euclidean norm of these numbers: NaN where one is, otherwise infinite where one is.
pub fn norm(numbers: impl IntoIterator<Item = f64> + Clone) -> f64 {
    scaled(numbers, |squares, _| squares)
}

/// The root mean square of these numbers; 0 of nothing.
pub fn rms(numbers: impl IntoIterator<Item = f64> + Clone) -> f64 {
    scaled(numbers, |squares, count| squares / count as f64)
}

/// The root of what `of` makes of the sum of squares and their number, in units in which the squares are in range.
fn scaled(numbers: impl IntoIterator<Item = f64> + Clone, of: impl Fn(f64, usize) -> f64) -> f64 {
    // where these squares are in range no scale changes a bit
    const PLAIN: std::ops::Range<f64> = 1e-140..1e140;
    let most = numbers.clone().into_iter().fold(0.0_f64, |most, x| if x.is_nan() { x } else { most.max(x.abs()) });
    let scale = if PLAIN.contains(&most) { 1.0 } else { most };
    if most.is_infinite() || most == 0.0 {
        // NaN is lost in the largest where what is larger follows
        return numbers.into_iter().fold(most, |most, x| if x.is_nan() { x } else { most });
    }
    let (squares, count) =
        numbers.into_iter().fold((0.0, 0), |(sum, count), x| (sum + (x / scale) * (x / scale), count + 1));
    scale * of(squares, count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_out_of_range_do_not_matter() {
        for scale in [1.0, 1e300, 1e-300, 5e-324 * 1e10] {
            let found = [norm([3.0 * scale, 4.0 * scale]), rms([scale, -scale, scale])];
            let want = [5.0 * scale, scale];
            assert!(found.iter().zip(want).all(|(f, w)| (f - w).abs() <= 1e-9 * w), "{found:?} {want:?}");
        }
        assert_eq!([norm([]), rms([]), norm([0.0, -0.0]), norm([f64::INFINITY, 1.0])], [0.0, 0.0, 0.0, f64::INFINITY]);
        for numbers in
            [[f64::NAN, 1.0], [1.0, f64::NAN], [f64::INFINITY, f64::NAN], [f64::NAN, f64::INFINITY], [f64::NAN, 0.0]]
        {
            assert!(norm(numbers).is_nan() && rms(numbers).is_nan(), "{numbers:?}");
        }
    }
}
