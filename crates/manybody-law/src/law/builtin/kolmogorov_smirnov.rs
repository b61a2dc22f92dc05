//! Two samples compared: Kolmogorov and Smirnov's statistic in one and two dimensions.
//!
//! ```text
//! 1d  below_a, below_b = how many of each sample have x_j <= x_i;   D = max |below_a / n_a - below_b / n_b|
//! 2d  the same for the four quadrants around each point            [Fasano 1987; Press 2007, sect. 14.8]
//! ```
//!
//! `sample` is 0 for one sample and 1 for the other. [`largest_difference`] makes D of the counts.

use crate::law::{Count, Id, Nothing, PairLaw, Real};
use crate::record;

record! {
    /// A value of a sample.
    pub struct Value<R> {
        /// The value.
        pub x: R,
        /// Which sample it belongs to, 0 or 1.
        pub sample: Id<R>,
    }
}
record! {
    /// A point of a sample.
    pub struct Point<R> {
        /// The point.
        pub x: [R; 2],
        /// Which sample it belongs to, 0 or 1.
        pub sample: Id<R>,
    }
}
record! {
    /// How many are not above.
    pub struct Below<R> {
        /// Of sample 0.
        pub a: Count<R>,
        /// Of sample 1.
        pub b: Count<R>,
    }
}
record! {
    /// How many lie in each quadrant: right above, left above, left below, right below.
    pub struct Quadrants<R> {
        /// Of sample 0.
        pub a: [Count<R>; 4],
        /// Of sample 1.
        pub b: [Count<R>; 4],
    }
}

/// In one dimension.
#[derive(Clone, Copy, Debug)]
pub struct KolmogorovSmirnov;

impl PairLaw for KolmogorovSmirnov {
    type Body<R: Real> = Value<R>;
    type Par<R: Real> = Nothing<R>;
    type Out<R: Real> = Below<R>;
    const SELF: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &Value<R>, j: &Value<R>, _: &Nothing<R>, out: &mut Below<R>) {
        let second = j.x.lit(0.0).lt(j.sample.0);
        let below = j.x.le(i.x);
        out.a.when(below & !second);
        out.b.when(below & second);
    }
}

/// In two dimensions.
#[derive(Clone, Copy, Debug)]
pub struct KolmogorovSmirnov2d;

impl PairLaw for KolmogorovSmirnov2d {
    type Body<R: Real> = Point<R>;
    type Par<R: Real> = Nothing<R>;
    type Out<R: Real> = Quadrants<R>;
    const SELF: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &Point<R>, j: &Point<R>, _: &Nothing<R>, out: &mut Quadrants<R>) {
        let second = j.x[0].lit(0.0).lt(j.sample.0);
        // a point on a line belongs to the right and the lower side, as the point itself does
        let (left, above) = (j.x[0].lt(i.x[0]), i.x[1].lt(j.x[1]));
        let quadrants = [!left & above, left & above, left & !above, !left & !above];
        out.a[0].when(quadrants[0] & !second);
        out.a[1].when(quadrants[1] & !second);
        out.a[2].when(quadrants[2] & !second);
        out.a[3].when(quadrants[3] & !second);
        out.b[0].when(quadrants[0] & second);
        out.b[1].when(quadrants[1] & second);
        out.b[2].when(quadrants[2] & second);
        out.b[3].when(quadrants[3] & second);
    }
}

/// The largest difference of the two samples' shares, over all points and regions: D. `counts` are the columns of
/// [`KolmogorovSmirnov`] or [`KolmogorovSmirnov2d`], `sizes` how many values each sample has, at least 1.
pub fn largest_difference(counts: &[Vec<f64>], sizes: [usize; 2]) -> f64 {
    let (a, b) = counts.split_at(counts.len() / 2);
    let share = |count: f64, n: usize| count / n as f64;
    let differences = a
        .iter()
        .zip(b)
        .flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (share(*a, sizes[0]) - share(*b, sizes[1])).abs()));
    differences.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::tests::on_itself;
    use super::*;
    use crate::law::conformance::random;

    /// D by sorting both samples and walking through them.
    fn by_sorting(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
        a.sort_by(f64::total_cmp);
        b.sort_by(f64::total_cmp);
        let (mut i, mut k, mut most) = (0, 0, 0f64);
        while i < a.len() && k < b.len() {
            let x = a[i].min(b[k]);
            i += a[i..].iter().take_while(|q| **q == x).count();
            k += b[k..].iter().take_while(|q| **q == x).count();
            most = most.max((i as f64 / a.len() as f64 - k as f64 / b.len() as f64).abs());
        }
        most
    }

    #[test]
    fn against_sorting() {
        for (m, n, grain) in [(100, 150, 1e9), (37, 300, 8.0), (1, 1, 1e9)] {
            let round = |x: &f64| (x * grain).round() / grain; // a coarse grain makes ties
            let a: Vec<f64> = random(1, m, 3, false)[0].iter().map(round).collect();
            let b: Vec<f64> = random(1, n, 4, false)[0].iter().map(|x| round(&(x * x))).collect();
            let sample = [vec![0.0; m], vec![1.0; n]].concat();
            let counts = on_itself("kolmogorov-smirnov", &[[a.clone(), b.clone()].concat(), sample], &[]);
            assert_eq!(largest_difference(&counts, [m, n]), by_sorting(a, b));
        }
    }

    /// In two dimensions against loops; and points on a diagonal are a matter of one dimension.
    #[test]
    fn two_dimensions() {
        let (m, n) = (60, 80);
        let x = random(2, m + n, 5, false);
        let sample = [vec![0.0; m], vec![1.0; n]].concat();
        let counts = on_itself("kolmogorov-smirnov-2d", &[x[0].clone(), x[1].clone(), sample.clone()], &[]);
        let mut most = 0f64;
        for i in 0..m + n {
            for (right, up) in [(false, false), (false, true), (true, false), (true, true)] {
                let inside = |j: &usize| (x[0][*j] >= x[0][i]) == right && (x[1][*j] > x[1][i]) == up;
                let (a, b) = ((0..m).filter(inside).count(), (m..m + n).filter(inside).count());
                most = most.max((a as f64 / m as f64 - b as f64 / n as f64).abs());
            }
        }
        assert_eq!(largest_difference(&counts, [m, n]), most);
        let line = on_itself("kolmogorov-smirnov-2d", &[x[0].clone(), x[0].clone(), sample], &[]);
        let flat = by_sorting(x[0][..m].to_vec(), x[0][m..].to_vec());
        assert!((largest_difference(&line, [m, n]) - flat).abs() <= 1.0 / m as f64 + 1.0 / n as f64);
    }
}
