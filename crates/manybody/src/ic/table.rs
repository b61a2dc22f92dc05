//! A function by its values at rising points.

/// Points, values and perhaps slopes of a function of one variable.
pub(super) struct Table {
    x: Vec<f64>,
    y: Vec<f64>,
    /// Empty for straight lines between the points.
    slope: Vec<f64>,
}

impl Table {
    /// Straight lines through the points; `x` rises, and has two points or more.
    pub(super) fn linear(x: Vec<f64>, y: Vec<f64>) -> Self {
        debug_assert!(x.len() == y.len() && x.len() > 1 && x.windows(2).all(|w| w[0] <= w[1]));
        Table { x, y, slope: Vec::new() }
    }

    /// Cubics through the points with the slopes given; `x` rises strictly, and has two points or more.
    pub(super) fn cubic(x: Vec<f64>, y: Vec<f64>, slope: Vec<f64>) -> Self {
        debug_assert!(x.len() == y.len() && x.len() == slope.len() && x.windows(2).all(|w| w[0] < w[1]));
        Table { x, y, slope }
    }

    /// Cubics through the points with slopes from the parabola through each point and its neighbours.
    pub(super) fn smooth(x: Vec<f64>, y: Vec<f64>) -> Self {
        let rise: Vec<f64> = (1..x.len()).map(|i| (y[i] - y[i - 1]) / (x[i] - x[i - 1])).collect();
        let last = x.len() - 1;
        let mut slope: Vec<f64> = (0..=last).map(|i| rise[i.min(last - 1)]).collect();
        for i in 1..last {
            let (left, right) = (x[i] - x[i - 1], x[i + 1] - x[i]);
            slope[i] = (rise[i - 1] * right + rise[i] * left) / (left + right);
        }
        Table { x, y, slope }
    }

    /// The points about `x`, their distance, and where between them `x` lies; beyond the ends, the end.
    fn locate(&self, x: f64) -> (usize, usize, f64, f64) {
        let last = self.x.len() - 1;
        let x = x.clamp(self.x[0], self.x[last]);
        let b = self.x.partition_point(|node| *node <= x).clamp(1, last);
        let h = self.x[b] - self.x[b - 1];
        (b - 1, b, h, if h > 0.0 { (x - self.x[b - 1]) / h } else { 0.0 })
    }

    /// The slope at `x`, of a table with slopes; beyond the ends, that of the end.
    pub(super) fn slope(&self, x: f64) -> f64 {
        let (a, b, h, t) = self.locate(x);
        let rise = (self.y[b] - self.y[a]) / h;
        let (left, right) = (self.slope[a] - rise, self.slope[b] - rise);
        rise + (1.0 - t) * (1.0 - 3.0 * t) * left + t * (3.0 * t - 2.0) * right
    }

    /// The value at `x`; beyond the ends, that of the end.
    pub(super) fn at(&self, x: f64) -> f64 {
        let (a, b, h, t) = self.locate(x);
        let line = self.y[a] + t * (self.y[b] - self.y[a]);
        if self.slope.is_empty() {
            return line;
        }
        let rise = self.y[b] - self.y[a];
        let (left, right) = (self.slope[a] * h - rise, rise - self.slope[b] * h);
        line + t * (1.0 - t) * ((1.0 - t) * left + t * right)
    }
}

/// The integral of `f` from `a` to `b` by Simpson's rule with `n` double steps.
pub(super) fn integrate(a: f64, b: f64, n: usize, f: impl Fn(f64) -> f64) -> f64 {
    let h = (b - a) / (2 * n) as f64;
    let inner: f64 = (1..2 * n).map(|i| f(a + h * i as f64) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    (f(a) + inner + f(b)) * h / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubics_reproduce_cubics() {
        let x: Vec<f64> = [0.0, 0.5, 2.0, 3.5].to_vec();
        let f = |x: f64| x * x * x - 2.0 * x * x + 1.0;
        let table = Table::cubic(
            x.clone(),
            x.iter().map(|x| f(*x)).collect(),
            x.iter().map(|x| 3.0 * x * x - 4.0 * x).collect(),
        );
        for k in 0..=35 {
            let q = f64::from(k) / 10.0;
            assert!((table.at(q) - f(q)).abs() < 1e-13, "{q}"); // rounding of numbers up to 20
            assert!((table.slope(q) - (3.0 * q * q - 4.0 * q)).abs() < 1e-12, "{q}");
        }
        assert_eq!(table.at(9.0), f(3.5));
        assert_eq!(table.at(-1.0), f(0.0));
    }

    #[test]
    fn parabolas_come_out_of_smooth() {
        let x: Vec<f64> = (0..9).map(|i| f64::from(i * i)).collect();
        let table = Table::smooth(x.clone(), x.iter().map(|x| x * x).collect());
        // away from the ends, whose slopes are one-sided
        for q in [2.5, 8.0, 20.0, 40.0] {
            assert!((table.at(q) - q * q).abs() < 1e-11, "{q}");
        }
    }

    #[test]
    fn simpson_is_exact_for_cubics() {
        let integral = integrate(1.0, 3.0, 2, |x| x * x * x);
        assert!((integral - 20.0).abs() < 1e-13, "{integral}"); // rounding
    }
}
