//! Van der Waals forces after Lennard-Jones, with Lorentz-Berthelot mixing and a cut-off.
//!
//! ```text
//! sigma = (sigma_i + sigma_j) / 2,  epsilon = sqrt(epsilon_i epsilon_j),  s = (sigma / r)^6
//! u_i = sum 4 epsilon (s^2 - s)                                   r < rc      [Jones 1924]
//! F_i = sum 24 epsilon (2 s^2 - s) (x_i - x_j) / r^2
//! ```
//!
//! u is not shifted at the cut-off. The energy of all is half the sum of u, for each pair counts at both its bodies.

use crate::law::{PairLaw, Real, Sum, add3, dot3, sub3};
use crate::record;

record! {
    /// An atom.
    pub struct Atom<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Where the potential of two such atoms is 0, length.
        pub sigma: R,
        /// How deep the potential of two such atoms is, energy; 0 or more.
        pub epsilon: R,
    }
}
record! {
    /// How far the force reaches.
    pub struct CutOff<R> {
        /// length.
        pub rc: R,
    }
}
record! {
    /// What an atom feels.
    pub struct ForceEnergy<R> {
        /// Force, energy / length.
        pub f: [Sum<R>; 3],
        /// Energy of the pairs this atom is in.
        pub u: Sum<R>,
    }
}

/// Lennard-Jones' law.
#[derive(Clone, Copy, Debug)]
pub struct LennardJones;

impl PairLaw for LennardJones {
    type Body<R: Real> = Atom<R>;
    type Par<R: Real> = CutOff<R>;
    type Out<R: Real> = ForceEnergy<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &Atom<R>, j: &Atom<R>, par: &CutOff<R>, out: &mut ForceEnergy<R>) {
        let d = sub3(i.x, j.x);
        let zero = par.rc.lit(0.0);
        let r2 = dot3(d, d, zero);
        let sigma = zero.lit(0.5) * i.sigma + zero.lit(0.5) * j.sigma;
        let epsilon = i.epsilon.sqrt() * j.epsilon.sqrt();
        let per_r2 = r2.recip();
        let near = r2.lt(par.rc * par.rc);
        let s = (sigma * sigma * per_r2).powi(3);
        let depth = R::select(near, zero.lit(4.0) * epsilon, zero) * s;
        out.u.add(depth * (s - zero.lit(1.0)));
        add3(&mut out.f, depth * per_r2 * (zero.lit(12.0) * s - zero.lit(6.0)), d);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::at;

    fn atoms(places: &[[f64; 3]], sigma: f64, epsilon: f64) -> Vec<Vec<f64>> {
        let n = places.len();
        let mut columns: Vec<Vec<f64>> = (0..3).map(|k| places.iter().map(|p| p[k]).collect()).collect();
        columns.extend([vec![sigma; n], vec![epsilon; n]]);
        columns
    }

    /// At 2^(1/6) sigma the force vanishes and the energy is -epsilon; mixing: sigma 2, epsilon 6 = sqrt(4 9).
    #[test]
    fn minimum_of_a_mixed_pair() {
        let r = 2.0 * 2f64.powf(1.0 / 6.0);
        let (a, b) = (atoms(&[[0.0; 3]], 1.0, 4.0), atoms(&[[r, 0.0, 0.0]], 3.0, 9.0));
        let got = at("lennard-jones", &a, &b, &[1e18]);
        assert!(got[0][0].abs() < 1e-13 && (got[3][0] + 6.0).abs() < 1e-13, "{got:?}"); // terms of 36, a dozen roundings
        let nearer = at("lennard-jones", &a, &atoms(&[[1.9, 0.0, 0.0]], 3.0, 9.0), &[1e18]);
        assert!(nearer[0][0] < 0.0, "atoms that touch repel");
        assert_eq!(at("lennard-jones", &a, &b, &[r]).concat(), [0.0; 4]);
        assert_eq!(at("lennard-jones", &a, &b, &[r * 1.0001])[3][0], got[3][0]);
    }

    /// The energy of an fcc crystal: 2 epsilon (A12 s^12 - A6 s^6) an atom, A12 = 12.13188, A6 = 14.45392
    /// [Kittel 2005, ch. 3].
    #[test]
    fn fcc_crystal() {
        let (size, rc) = (16i32, 15.0);
        let mut places = Vec::new();
        for (x, y, z) in (-size..=size)
            .flat_map(|x| (-size..=size).flat_map(move |y| (-size..=size).map(move |z| (x, y, z))))
            .filter(|(x, y, z)| (x + y + z) % 2 == 0 && (*x, *y, *z) != (0, 0, 0))
        {
            // nearest neighbours at distance 1
            places.push([x, y, z].map(|q| f64::from(q) / 2f64.sqrt()));
        }
        let crystal = atoms(&places, 1.0, 1.0);
        let u = at("lennard-jones", &atoms(&[[0.0; 3]], 1.0, 1.0), &crystal, &[rc / 2f64.sqrt()])[3][0];
        // what lies beyond the cut-off R, taken as a continuum of density sqrt 2: -4 * 4 pi sqrt 2 / (3 R^3)
        let beyond = -16.0 * std::f64::consts::PI * 2f64.sqrt() / 3.0 / (rc / 2f64.sqrt()).powi(3);
        let exact = 4.0 * (12.13188 - 14.45392);
        // the lattice is no continuum at the surface of the cut-off: a few percent of what is beyond, 0.02
        assert!((u + beyond - exact).abs() < 2e-3, "{u} {beyond} {exact}");
    }
}
