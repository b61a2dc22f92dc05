//! Tides and quadrupoles of many bodies or pairs that are far, eight at a time: loops that the compiler turns into vector
//! instructions. Sums are made in a fixed order.

use super::super::scheme::AXES;
use super::super::vector::Vector;
use crate::few_body::{Field, Tensor};

pub(super) const LANES: usize = 8;

/// A number for each of eight.
pub(super) type Lanes = [f64; LANES];

/// Of a symmetric tensor: the indices of xx, xy, xz, yy, yz, zz.
const PLACES: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

/// Where eight are from another one, how fast, and how accelerated, with a factor that is 0 where there is no such body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eight {
    pub(super) x: [Lanes; AXES],
    pub(super) v: [Lanes; AXES],
    pub(super) a: [Lanes; AXES],
    pub(super) factor: Lanes,
}

impl Default for Eight {
    /// No bodies: at a distance of 1, which divides nothing by 0.
    fn default() -> Self {
        let far = [[1.0; LANES], [0.0; LANES], [0.0; LANES]];
        Eight { x: far, v: [[0.0; LANES]; AXES], a: [[0.0; LANES]; AXES], factor: [0.0; LANES] }
    }
}

impl Eight {
    /// One of them: its place, velocity and acceleration.
    pub(super) fn set(&mut self, lane: usize, [x, v, a]: [Vector; 3], factor: f64) {
        for q in 0..AXES {
            (self.x[q][lane], self.v[q][lane], self.a[q][lane]) = (x[q], v[q], a[q]);
        }
        self.factor[lane] = factor;
    }

    /// 1 / x^2, x v / x^2, and the factor over x^3.
    fn measures(&self) -> [Lanes; 3] {
        let Eight { x, v, factor, .. } = self;
        let mut found = [[0.0; LANES]; 3];
        for l in 0..LANES {
            let inverse2 = 1.0 / (x[0][l] * x[0][l] + x[1][l] * x[1][l] + x[2][l] * x[2][l]);
            let along = x[0][l] * v[0][l] + x[1][l] * v[1][l] + x[2][l] * v[2][l];
            found[0][l] = inverse2;
            found[1][l] = along * inverse2;
            found[2][l] = factor[l] * inverse2 * inverse2.sqrt();
        }
        found
    }
}

/// A sum of tidal tensors and their rates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tides {
    tensor: [Lanes; 6],
    rate: [Lanes; 6],
}

impl Tides {
    /// T = m (delta / x^3 - 3 x x / x^5), dT/dt = m (-3 u delta / x^3 + 15 u x x / x^5 - 3 (x v + v x) / x^5) with
    /// u = x v / x^2 and the factor m.
    pub(super) fn add(&mut self, of: &Eight) {
        let [inverse2, rate, cube] = of.measures();
        for (k, (i, j)) in PLACES.into_iter().enumerate() {
            let unit = if i == j { 1.0 } else { 0.0 };
            for l in 0..LANES {
                let three = 3.0 * inverse2[l];
                let both = three * of.x[i][l] * of.x[j][l];
                let turned = three * (of.x[i][l] * of.v[j][l] + of.v[i][l] * of.x[j][l]);
                self.tensor[k][l] += cube[l] * (unit - both);
                self.rate[k][l] += cube[l] * (rate[l] * (5.0 * both - 3.0 * unit) - turned);
            }
        }
    }

    pub(super) fn add_to(&self, field: &mut Field) {
        for k in 0..6 {
            field.tensor[k] += self.tensor[k].iter().sum::<f64>();
            field.rate[k] += self.rate[k].iter().sum::<f64>();
        }
    }
}

/// A sum of accelerations by quadrupoles, and of their first and second time derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pulls([[Lanes; AXES]; 3]);

impl Pulls {
    /// As [`Multipole::pull`](super::multipole::Multipole::pull), without the octupole, and without the second derivatives if there are to
    /// be no snaps; the factor has the constant of gravity.
    ///
    /// ```text
    /// A = f B,    f = G m / x^5,    B = 3 Q x + R x,    R = 3/2 Q_ii - 15/2 p,    p = x Q x / x^2,    u = x v / x^2
    /// A'  = f (B' - 5 u B),         A'' = f (B'' - 10 u B' + (25 u^2 - 5 u') B),  u' = (v^2 + x a) / x^2 - 2 u^2
    /// ```
    pub(super) fn add(&mut self, of: &Eight, quadrupole: &[Lanes; 6], has_snaps: bool) {
        let [inverse2, rate, cube] = of.measures();
        let [xx, xy, xz, yy, yz, zz] = quadrupole;
        let times = |u: &[Lanes; AXES]| -> [Lanes; AXES] {
            let mut found = [[0.0; LANES]; AXES];
            for l in 0..LANES {
                found[0][l] = xx[l] * u[0][l] + xy[l] * u[1][l] + xz[l] * u[2][l];
                found[1][l] = xy[l] * u[0][l] + yy[l] * u[1][l] + yz[l] * u[2][l];
                found[2][l] = xz[l] * u[0][l] + yz[l] * u[1][l] + zz[l] * u[2][l];
            }
            found
        };
        let (y, w) = (times(&of.x), times(&of.v));
        let (mut radial, mut slope, mut fifth) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for l in 0..LANES {
            let q = of.x[0][l] * y[0][l] + of.x[1][l] * y[1][l] + of.x[2][l] * y[2][l];
            let dq = 2.0 * (of.v[0][l] * y[0][l] + of.v[1][l] * y[1][l] + of.v[2][l] * y[2][l]);
            radial[l] = 1.5 * (xx[l] + yy[l] + zz[l]) - 7.5 * q * inverse2[l];
            slope[l] = -7.5 * inverse2[l] * (dq - 2.0 * q * rate[l]);
            fifth[l] = cube[l] * inverse2[l];
        }
        for k in 0..AXES {
            for l in 0..LANES {
                let a = 3.0 * y[k][l] + radial[l] * of.x[k][l];
                let jerk = 3.0 * w[k][l] + slope[l] * of.x[k][l] + radial[l] * of.v[k][l] - 5.0 * rate[l] * a;
                self.0[0][k][l] += fifth[l] * a;
                self.0[1][k][l] += fifth[l] * jerk;
            }
        }
        if !has_snaps {
            return;
        }
        let z = times(&of.a);
        let (mut bend, mut turn) = ([0.0; LANES], [0.0; LANES]);
        for l in 0..LANES {
            let dot = |a: &[Lanes; AXES], b: &[Lanes; AXES]| a[0][l] * b[0][l] + a[1][l] * b[1][l] + a[2][l] * b[2][l];
            let u = rate[l];
            turn[l] = (dot(&of.v, &of.v) + dot(&of.x, &of.a)) * inverse2[l] - 2.0 * u * u;
            let (p, dq) = (dot(&of.x, &y) * inverse2[l], 2.0 * dot(&of.v, &y) * inverse2[l]);
            let ddq = 2.0 * (dot(&of.a, &y) + dot(&of.v, &w)) * inverse2[l];
            bend[l] = -7.5 * (ddq - 2.0 * u * dq - 2.0 * turn[l] * p - 2.0 * u * (dq - 2.0 * u * p));
        }
        for k in 0..AXES {
            for l in 0..LANES {
                let (x, v, a, u) = (of.x[k][l], of.v[k][l], of.a[k][l], rate[l]);
                let b = 3.0 * y[k][l] + radial[l] * x;
                let db = 3.0 * w[k][l] + slope[l] * x + radial[l] * v;
                let ddb = 3.0 * z[k][l] + bend[l] * x + 2.0 * slope[l] * v + radial[l] * a;
                self.0[2][k][l] += fifth[l] * (ddb - 10.0 * u * db + (25.0 * u * u - 5.0 * turn[l]) * b);
            }
        }
    }

    pub(super) fn add_to(&self, sum: &mut [Vector; 3]) {
        for (sum, of) in sum.iter_mut().zip(&self.0) {
            (0..AXES).for_each(|k| sum[k] += of[k].iter().sum::<f64>());
        }
    }
}

/// The same tensor for all eight.
pub(super) fn alike(tensor: &Tensor) -> [Lanes; 6] {
    tensor.map(|q| [q; LANES])
}

#[cfg(test)]
mod tests {
    use super::super::averaged::Shape;
    use super::super::multipole::Multipole;
    use super::*;

    fn place(lane: usize) -> ([Vector; 3], f64) {
        let at = lane as f64;
        let x = [1.0 + at, 2.0 - 0.7 * at, 0.3 * at - 1.0];
        ([x, [0.1 * at, 0.5, -0.2], [0.7, -0.2 * at, 0.4]], 0.1 + at)
    }

    /// Beside the sums body by body, with lanes that are empty.
    #[test]
    fn eight_at_a_time_are_as_one_by_one() {
        let shape = Shape::of([1.0, 0.2, -0.1], [-0.2, 0.7, 0.5], 1.0);
        let multipole = Multipole::of_pair(&shape, 1.0, [0.5, 0.5]);
        let (mut eight, mut field, mut sum) = (Eight::default(), Field::default(), [[0.0; AXES]; 3]);
        for lane in 0..6 {
            let (path, factor) = place(lane);
            eight.set(lane, path, factor);
            field.add(factor, path[0], path[1]);
            let pull = multipole.pull(path, 0.0);
            (0..3).for_each(|n| (0..AXES).for_each(|q| sum[n][q] += factor * pull[n][q]));
        }
        let (mut tides, mut pulls) = (Tides::default(), Pulls::default());
        tides.add(&eight);
        pulls.add(&eight, &alike(&multipole.quadrupole), true);
        let (mut found, mut pulled) = (Field::default(), [[0.0; AXES]; 3]);
        tides.add_to(&mut found);
        pulls.add_to(&mut pulled);
        for k in 0..6 {
            let off = (found.tensor[k] - field.tensor[k]).abs() + (found.rate[k] - field.rate[k]).abs();
            assert!(off < 1e-14, "{k}: {off:e}");
        }
        for (found, right) in pulled.iter().flatten().zip(sum.iter().flatten()) {
            assert!((found - right).abs() < 1e-14, "{found} {right}");
        }
    }
}
