//! The potential in the plane of the disc, and the vertical dispersion.
//!
//! For a disc of finite thickness, with J_m the Bessel functions and S(k) = (1 + k^2)^(-3/2) the Hankel transform of
//! the exponential [Binney 2008, section 2.6]:
//!
//! ```text
//! Phi(R)        = - int J0(kR) S(k) I(k) dk             I(k) = int zeta(z) exp(-k|z|) dz
//! dPhi/dR       =   int J1(kR) S(k) I(k) k dk
//! <z dPhi/dz>   =   int J0(kR) S(k) H(k) k dk           H(k) = 1/2 <|z - z'| exp(-k|z - z'|)>
//! ```
//!
//! zeta = sech^2(z/z0) / 2 z0, <> is the mean over pairs of heights. The last line is the mean square of v_z that the
//! disc's own field holds in equilibrium; far from the centre it is the well-known pi G Sigma z0.

use super::Spheroid;
use crate::ic::table::{Table, integrate};

/// Out to here the tables reach, in scale lengths.
pub(super) const REACH: f64 = 16.0;
const NODES: usize = 200;

/// Potential, its gradient and the vertical dispersion in the plane.
pub(super) struct Plane {
    potential: Table,
    gradient: Table,
    dispersion2: Table,
}

impl Plane {
    pub(super) fn new(thickness: f64, spheroids: &[Spheroid]) -> Self {
        let waves = Waves::new(thickness);
        // dense near the centre, where the gradient turns
        let radii: Vec<f64> = (0..=NODES)
            .map(|i| {
                let share = i as f64 / NODES as f64;
                REACH * share * share
            })
            .collect();
        let (mut potential, mut gradient, mut dispersion2) = (Vec::new(), Vec::new(), Vec::new());
        for r in &radii {
            let [mut phi, mut slope, mut vertical] = waves.at(*r);
            for part in spheroids {
                let reach = r + part.scale;
                phi -= part.whole() / reach;
                slope += if *r > 0.0 { part.whole() / (reach * reach) } else { 0.0 };
                vertical += lift(part, *r, thickness);
            }
            potential.push(phi);
            gradient.push(slope);
            dispersion2.push(vertical);
        }
        Plane {
            potential: Table::cubic(radii.clone(), potential, gradient.clone()),
            gradient: Table::smooth(radii.clone(), gradient),
            dispersion2: Table::smooth(radii, dispersion2),
        }
    }

    /// The potential at a radius in the plane.
    pub(super) fn potential(&self, r: f64) -> f64 {
        self.potential.at(r)
    }

    /// Angular frequency of the circular orbit.
    pub(super) fn omega(&self, r: f64) -> f64 {
        (self.gradient.at(r) / r).sqrt()
    }

    /// Epicyclic frequency: kappa^2 = d2Phi/dR2 + 3/R dPhi/dR.
    pub(super) fn kappa(&self, r: f64) -> f64 {
        (self.gradient.slope(r) + 3.0 * self.gradient.at(r) / r).sqrt()
    }

    /// Mean square of v_z.
    pub(super) fn dispersion2(&self, r: f64) -> f64 {
        self.dispersion2.at(r)
    }
}

/// <z dPhi/dz> in the field of a spheroid at radius r of the plane: int zeta z^2 G M(s) / s^3 dz, s^2 = r^2 + z^2.
fn lift(part: &Spheroid, r: f64, thickness: f64) -> f64 {
    // in t = z/z0 up to 12, beyond which sech^2 is below 1e-10
    integrate(0.0, 12.0, 40, |t| {
        let z = t * thickness;
        let s = (r * r + z * z).sqrt();
        if s == 0.0 { 0.0 } else { sech2(t) * z * z * part.mass_within(s) / (s * s * s) }
    })
}

fn sech2(t: f64) -> f64 {
    let e = libm::exp(-2.0 * t);
    4.0 * e / ((1.0 + e) * (1.0 + e))
}

/// The integrands at the nodes of k, with Simpson's weights.
struct Waves {
    /// k, weight S I, weight S H k.
    nodes: Vec<[f64; 3]>,
}

impl Waves {
    fn new(thickness: f64) -> Self {
        // 20 nodes to a wave of J(kR) at R = REACH where the integrand is large; beyond k = 8 it falls as k^-3 or
        // faster, and 20 nodes to a wave at R = 4 do: finer steps change no result by more than 1e-5
        let mut nodes = Vec::new();
        for (from, to, steps) in [(0.0, 8.0, 200), (8.0, 100.0, 500)] {
            let h = (to - from) / f64::from(2 * steps);
            for i in 0..=2 * steps {
                let ends = i == 0 || i == 2 * steps;
                let weight = h / 3.0
                    * if ends {
                        1.0
                    } else if i % 2 == 1 {
                        4.0
                    } else {
                        2.0
                    };
                let k = from + h * f64::from(i);
                let q = 1.0 / (1.0 + k * k);
                let s = weight * q * q.sqrt();
                nodes.push([k, s * mean_decay(k * thickness), s * k * thickness * mean_distance(k * thickness)]);
            }
        }
        Waves { nodes }
    }

    /// Potential, gradient and <z dPhi/dz> at a radius.
    fn at(&self, r: f64) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for [k, decay, distance] in &self.nodes {
            let (j0, j1) = (libm::j0(k * r), libm::j1(k * r));
            sums[0] -= j0 * decay;
            sums[1] += j1 * decay * k;
            sums[2] += j0 * distance;
        }
        sums
    }
}

/// I as a function of a = k z0: int_0^inf sech^2(t) exp(-a t) dt.
fn mean_decay(a: f64) -> f64 {
    integrate(0.0, 18.0, 60, |t| sech2(t) * libm::exp(-a * t))
}

/// H / z0 as a function of a = k z0. The difference y = 2 |z - z'| / z0 of two heights has the density
/// 2 e^y ((y - 2) e^y + y + 2) / (e^y - 1)^3 on y > 0, that of two logistic variables.
fn mean_distance(a: f64) -> f64 {
    integrate(0.0, 40.0, 100, |y| {
        let density = if y < 0.05 {
            // the closed form cancels: 1/3 - y^2/30
            1.0 / 3.0 - y * y / 30.0
        } else {
            let e = libm::exp(-y);
            let rest = 1.0 - e;
            2.0 * e * (y - 2.0 + (y + 2.0) * e) / (rest * rest * rest)
        };
        0.25 * y * density * libm::exp(-0.5 * a * y)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thin disc's circular speed [Binney 2008, eq. 2.165], y = R/2: v^2 = 2 y^2 (I0 K0 - I1 K1), at R = 2.2 R_d,
    /// where I0 = 1.32614, K0 = 0.36560, I1 = 0.63749, K1 = 0.50976 (Abramowitz and Stegun, table 9.8): 0.38667. The
    /// thickness z0 = 0.02 lowers it by about z0/R_d.
    #[test]
    fn a_thin_disc_has_freemans_rotation() {
        let plane = Plane::new(0.02, &[]);
        let omega = plane.omega(2.2);
        let v2 = omega * omega * 2.2 * 2.2;
        assert!((v2 / 0.386_67 - 1.0).abs() < 0.01, "{v2}");
    }

    /// At 3 scale lengths a disc of z0 = 0.02 is a sheet but for terms of z0 / R_d.
    #[test]
    fn a_thin_disc_is_a_sheet() {
        let plane = Plane::new(0.02, &[]);
        let sheet = 0.5 * (-3.0f64).exp() * 0.02; // pi Sigma z0
        assert!((plane.dispersion2(3.0) / sheet - 1.0).abs() < 0.02, "{}", plane.dispersion2(3.0) / sheet);
    }

    /// The mean distance of two heights of sech^2(z/z0) is z0, and of one from the plane z0 ln 2.
    #[test]
    fn means_of_heights() {
        assert!((mean_distance(0.0) - 0.5).abs() < 1e-6);
        assert!((mean_decay(0.0) - 1.0).abs() < 1e-6);
        let h = 1e-4;
        assert!(((mean_decay(0.0) - mean_decay(h)) / h - std::f64::consts::LN_2).abs() < 1e-3);
    }
}
