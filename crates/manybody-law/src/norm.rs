//! Sizes of vectors and of columns whose squares may leave the range of f64, and units of such sizes.

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

/// The smallest power of two at or above x; 1 for 0.
#[inline(always)]
pub fn power_of_two(x: f64) -> f64 {
    const DIGITS: u32 = f64::MANTISSA_DIGITS - 1;
    let (exponent, digits) = (x.to_bits() >> DIGITS, x.to_bits() & ((1 << DIGITS) - 1));
    // a logarithm just above a whole number is rounded to it, so that close above a power of two this is not exact: there,
    // and where the exponent is limited, the logarithm decides
    let clear = digits == 0 || digits > 1 << 13;
    if clear && (f64::MAX_EXP as u64 - 1000..=f64::MAX_EXP as u64 + 900).contains(&exponent) {
        f64::from_bits((exponent + u64::from(digits > 0)) << DIGITS)
    } else {
        by_logarithm(x)
    }
}

#[inline(never)]
fn by_logarithm(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.log2().ceil().clamp(-1000.0, 1000.0).exp2() }
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

    #[test]
    fn the_power_of_two_of_the_bits_is_that_of_the_logarithm() {
        let mut state = 1_u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let x = f64::from_bits(state >> 1);
            assert_eq!(power_of_two(x).to_bits(), by_logarithm(x).to_bits(), "{x:e}");
            // close to a power of two
            let near = f64::from_bits((state >> 12 & 0x7ff) << 52 | (state >> 30 & 0x3fff));
            assert_eq!(power_of_two(near).to_bits(), by_logarithm(near).to_bits(), "{near:e}");
        }
        for x in [0.0, 1.0, 2.0, 3.0, 0.75, f64::MIN_POSITIVE, 1e-320, f64::MAX, f64::INFINITY] {
            assert_eq!(power_of_two(x), by_logarithm(x), "{x:e}");
        }
    }
}
