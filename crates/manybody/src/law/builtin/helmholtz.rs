//! Helmholtz' equation for boundary elements and acoustics: the single layer, complex.
//!
//! ```text
//! u_i = sum q_j e^(i k r) / (4 pi r),   q = re + i im                 [Colton 2013, sect. 3.1]
//! ```
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

#[cfg(test)]
mod tests {
    use super::super::tests::{at, columns, sphere};

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
