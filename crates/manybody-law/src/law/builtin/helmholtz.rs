//! Helmholtz' equation for boundary elements and acoustics: single and double layer, complex.
//!
//! ```text
//! single layer  u_i = sum q_j e^(i k r) / (4 pi r),   q = re + i im                            [Colton 2013, sect. 3.1]
//! double layer  u_i = sum q_j n_j . (x_i - x_j) (1 - i k r) e^(i k r) / (4 pi r^3)
//! ```
//!
//! q is density times area of an element at x with outward normal n. The double layer is the derivative of the single
//! layer's wave along n_j; k = 0 makes both those of Laplace's equation. An element's effect on itself is left out.
//!
//! In f32 the phase k r keeps 24 bits: waves of more than 1e4 lengths deserve f64.

use crate::law::{PairLaw, Real, Sum, dot3, sub3};
use crate::record;

record! {
    /// A source of waves.
    pub struct Source<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Real part of density times area.
        pub re: R,
        /// Imaginary part of density times area.
        pub im: R,
    }
}
record! {
    /// A source of waves with its direction.
    pub struct OrientedSource<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Outward normal, of length 1.
        pub n: [R; 3],
        /// Real part of density times area.
        pub re: R,
        /// Imaginary part of density times area.
        pub im: R,
    }
}
record! {
    /// The wave.
    pub struct WaveNumber<R> {
        /// 2 pi / wavelength, 1 / length.
        pub k: R,
    }
}
record! {
    /// The field.
    pub struct Field<R> {
        /// Real part.
        pub u_re: Sum<R>,
        /// Imaginary part.
        pub u_im: Sum<R>,
    }
}

/// The single layer.
#[derive(Clone, Copy, Debug)]
pub struct HelmholtzSingle;

impl PairLaw for HelmholtzSingle {
    type Body<R: Real> = Source<R>;
    type Par<R: Real> = WaveNumber<R>;
    type Out<R: Real> = Field<R>;
    const TRANSCENDENTAL: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &Source<R>, j: &Source<R>, par: &WaveNumber<R>, out: &mut Field<R>) {
        let d = sub3(i.x, j.x);
        let r2 = dot3(d, d, par.k.lit(0.0));
        let y = r2.rsqrt();
        let phase = par.k * (r2 * y);
        let (sin, cos) = (phase.sin(), phase.cos());
        let size = y * y.lit(0.25 * std::f64::consts::FRAC_1_PI);
        out.u_re.add(size * (j.re * cos - j.im * sin));
        out.u_im.add(size * (j.re * sin + j.im * cos));
    }
}

/// The double layer.
#[derive(Clone, Copy, Debug)]
pub struct HelmholtzDouble;

impl PairLaw for HelmholtzDouble {
    type Body<R: Real> = OrientedSource<R>;
    type Par<R: Real> = WaveNumber<R>;
    type Out<R: Real> = Field<R>;
    const TRANSCENDENTAL: bool = true;
    #[inline(always)]
    fn pair<R: Real>(i: &OrientedSource<R>, j: &OrientedSource<R>, par: &WaveNumber<R>, out: &mut Field<R>) {
        let d = sub3(i.x, j.x);
        let zero = par.k.lit(0.0);
        let r2 = dot3(d, d, zero);
        let y = r2.rsqrt();
        let phase = par.k * (r2 * y);
        let (sin, cos) = (phase.sin(), phase.cos());
        let size = dot3(j.n, d, zero) * (y * y * y) * y.lit(0.25 * std::f64::consts::FRAC_1_PI);
        // (1 - i p) (cos p + i sin p)
        let (even, odd) = (phase.fma(sin, cos), phase.fnma(cos, sin));
        out.u_re.add(size * (j.re * even - j.im * odd));
        out.u_im.add(size * (j.re * odd + j.im * even));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, columns, sphere};

    /// Kirchhoff's and Helmholtz' theorem: what a point source inside a sphere sends through its surface makes, as
    /// double layer of the wave less single layer of its slope along the normal, the same wave outside and nothing
    /// inside.
    #[test]
    fn a_surface_stands_for_what_it_encloses() {
        let (n, k) = (8000, 3.0f64);
        let source = [0.2, -0.1, 0.3];
        let area = 4.0 * std::f64::consts::PI / n as f64;
        let normals = sphere(n);
        // G and its gradient along u
        let wave = |x: [f64; 3], u: [f64; 3]| {
            let d = [x[0] - source[0], x[1] - source[1], x[2] - source[2]];
            let r = d.iter().map(|q| q * q).sum::<f64>().sqrt();
            let g = [(k * r).cos(), (k * r).sin()].map(|w| 0.25 * w / (std::f64::consts::PI * r));
            let along = d.iter().zip(u).map(|(d, u)| d * u).sum::<f64>() / r;
            // G' = (i k - 1 / r) G
            let slope = [-k * g[1] - g[0] / r, k * g[0] - g[1] / r].map(|w| along * w);
            (g, slope)
        };
        let (mut layers, mut slopes) = (vec![vec![0.0; n]; 2], vec![vec![0.0; n]; 2]);
        for (b, u) in normals.iter().enumerate() {
            let (g, slope) = wave(*u, *u);
            for part in 0..2 {
                layers[part][b] = g[part] * area;
                slopes[part][b] = -slope[part] * area;
            }
        }
        let double = [columns(&normals), columns(&normals), layers].concat();
        let single = [columns(&normals), slopes].concat();
        let places = [[2.0, 0.0, 0.0], [0.0, -1.5, 1.0], [0.0, 0.4, 0.0]];
        let zeros = |columns: usize| vec![vec![0.0; places.len()]; columns];
        let ours = |name: &str, more: usize, sources: &[Vec<f64>]| {
            at(name, &[columns(&places), zeros(more)].concat(), sources, &[k])
        };
        let (u, v) = (ours("helmholtz-double", 5, &double), ours("helmholtz-single", 2, &single));
        for (b, place) in places.iter().enumerate() {
            for part in 0..2 {
                let exact = if b < 2 { wave(*place, [0.0; 3]).0[part] } else { 0.0 };
                // the error of n points spread over the sphere, some tenths of its radius away: below 1 / n
                assert!(
                    (u[part][b] + v[part][b] - exact).abs() < 1e-4,
                    "{b} {part}: {} {exact}",
                    u[part][b] + v[part][b]
                );
            }
        }
    }

    /// Without waves, k = 0, it is Laplace's double layer.
    #[test]
    fn no_waves() {
        let normals = sphere(50);
        let q = (0..50).map(|k| 1.0 + 0.1 * f64::from(k)).collect::<Vec<_>>();
        let still = [columns(&normals), columns(&normals), vec![q.clone()]].concat();
        let waves = [columns(&normals), columns(&normals), vec![q, vec![0.0; 50]]].concat();
        let at_origin = |numbers: usize| vec![vec![0.1]; numbers];
        let u = at("laplace-double", &at_origin(7), &still, &[])[0][0];
        let w = at("helmholtz-double", &at_origin(8), &waves, &[0.0]);
        assert!((u - w[0][0]).abs() <= 1e-14 * u.abs() && w[1][0] == 0.0, "{u} {w:?}"); // fifty terms of one sign
    }

    /// A pulsating sphere: outside a point's wave times sin(ka) / ka, inside sin(kr) / kr.
    #[test]
    fn pulsating_sphere() {
        let (n, k, a) = (8000, 3.0f64, 1.0f64);
        let sources = [columns(&sphere(n)), vec![vec![1.0 / n as f64; n], vec![0.0; n]]].concat();
        let targets = [columns(&[[2.0, 0.0, 0.0], [0.0, 0.5, 0.0]]), vec![vec![0.0; 2]; 2]].concat();
        let u = at("helmholtz-single", &targets, &sources, &[k]);
        let per_4_pi = 0.25 / std::f64::consts::PI;
        let wave = |r: f64| [(k * r).cos(), (k * r).sin()].map(|w| w * per_4_pi / r);
        let sinc = |x: f64| x.sin() / x;
        for part in 0..2 {
            let exact = [wave(2.0)[part] * sinc(k * a), wave(a)[part] * sinc(k * 0.5)];
            for target in 0..2 {
                // the error of n points spread over the sphere
                assert!((u[part][target] - exact[target]).abs() < 1e-4, "{u:?} {exact:?}");
            }
        }
    }
}
