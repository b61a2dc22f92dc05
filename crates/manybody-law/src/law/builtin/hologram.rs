//! Computer-generated holograms: the light of many points on a plane.
//!
//! ```text
//! re_i = sum a_j cos(k r + phase_j),   im_i = sum a_j sin(k r + phase_j)          [Lucente 1993]
//! ```
//!
//! with k = 2 pi / wavelength; the points' light falls off so little over the plane that 1 / r is left to the
//! amplitudes. The interference pattern with a reference wave of amplitude 1 is 1 + re^2 + im^2 + 2 re; the same law
//! with phases reversed reconstructs the points. Visible light over metres has phases of 1e7: they need f64.

use crate::law::{PairLaw, Real, Sum, dot3, sub3};
use crate::record;

record! {
    /// A point of light, or a pixel.
    pub struct LightPoint<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Amplitude.
        pub a: R,
        /// Phase, radians.
        pub phase: R,
    }
}
record! {
    /// The light.
    pub struct Light<R> {
        /// Length of the wave.
        pub wavelength: R,
    }
}
record! {
    /// The field on the plane.
    pub struct Wave<R> {
        /// Real part.
        pub re: Sum<R>,
        /// Imaginary part.
        pub im: Sum<R>,
    }
}

/// The phase sum.
#[derive(Clone, Copy, Debug)]
pub struct Hologram;

impl PairLaw for Hologram {
    type Body<R: Real> = LightPoint<R>;
    type Par<R: Real> = Light<R>;
    type Out<R: Real> = Wave<R>;
    const TRANSCENDENTAL: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &LightPoint<R>, j: &LightPoint<R>, par: &Light<R>, out: &mut Wave<R>) {
        let d = sub3(i.x, j.x);
        let k = par.wavelength.lit(std::f64::consts::TAU) / par.wavelength;
        let phase = k * dot3(d, d, k.lit(0.0)).sqrt() + j.phase;
        out.re.add_mul(j.a, phase.cos());
        out.im.add_mul(j.a, phase.sin());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, columns};

    /// Two points, a plane of pixels, and back: the conjugate light of the plane meets again in the points.
    #[test]
    fn reconstruction_shows_the_points() {
        let wavelength = 0.5;
        let points = [[-6.0, 2.0, 60.0], [7.0, -3.0, 55.0]];
        let sources = [columns(&points), vec![vec![1.0; 2], vec![0.0; 2]]].concat();
        let axis = || (-32..32).map(|k| 1.25 * f64::from(k));
        let plane: Vec<[f64; 3]> = axis().flat_map(|x| axis().map(move |y| [x, y, 0.0])).collect();
        let n = plane.len();
        let pixels = [columns(&plane), vec![vec![0.0; n]; 2]].concat();
        let field = at("hologram", &pixels, &sources, &[wavelength]);
        // a pixel that radiates the conjugate field
        let size = (0..n).map(|k| field[0][k].hypot(field[1][k])).collect();
        // e^(-i k r - i phase) is the conjugate of what the law sums with the phase it has
        let phase = (0..n).map(|k| -field[1][k].atan2(field[0][k])).collect();
        let lit = [columns(&plane), vec![size, phase]].concat();
        let places = [points[0], points[1], [0.5, -0.5, 60.0], [-6.0, 4.5, 60.0]];
        let targets = [columns(&places), vec![vec![0.0; 4]; 2]].concat();
        let image = at("hologram", &targets, &lit, &[wavelength]);
        let bright: Vec<f64> = (0..4).map(|k| image[0][k].hypot(image[1][k])).collect();
        // in a point the light of n pixels is in step, elsewhere it adds up as a random walk
        assert!(bright[0] > 0.5 * n as f64 && bright[1] > 0.5 * n as f64, "{bright:?}");
        assert!(bright[2] < 0.2 * n as f64 && bright[3] < 0.2 * n as f64, "{bright:?}");
    }
}
