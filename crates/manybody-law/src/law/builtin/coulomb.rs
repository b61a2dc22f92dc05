//! Coulomb's law: forces and potential of point charges.
//!
//! ```text
//! F_i   = k q_i sum q_j (x_i - x_j) / r^3        like charges repel
//! phi_i = k sum q_j / r                          q_i phi_i is twice body i's share of the energy
//! ```
//!
//! k is 1 in Gaussian units and 1 / (4 pi eps_0) = 8.9875517862e9 N m^2 / C^2 in SI [Tiesinga 2021]. Two charges at one
//! place have no finite force: the evaluator names them.

use crate::law::{PairLaw, Real, Sum, add3, dot3, sub3};
use crate::record;

record! {
    /// A point charge.
    pub struct Charge<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Charge.
        pub q: R,
    }
}
record! {
    /// Coulomb's constant.
    pub struct Constant<R> {
        /// force length^2 / charge^2.
        pub k: R,
    }
}
record! {
    /// What a charge feels.
    pub struct ForcePot<R> {
        /// Force.
        pub f: [Sum<R>; 3],
        /// Potential, energy / charge.
        pub pot: Sum<R>,
    }
}

/// Coulomb's law.
#[derive(Clone, Copy, Debug)]
pub struct Coulomb;

impl PairLaw for Coulomb {
    type Body<R: Real> = Charge<R>;
    type Par<R: Real> = Constant<R>;
    type Out<R: Real> = ForcePot<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &Charge<R>, j: &Charge<R>, par: &Constant<R>, out: &mut ForcePot<R>) {
        let d = sub3(i.x, j.x);
        let y = dot3(d, d, par.k.lit(0.0)).rsqrt();
        let pot = par.k * j.q * y;
        out.pot.add(pot);
        add3(&mut out.f, i.q * pot * (y * y), d);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::at;

    /// The Madelung constant of rock salt, by Evjen's cubes whose faces, edges and corners count in part.
    #[test]
    fn madelung() {
        let size = 12i32;
        let mut ions = vec![Vec::new(); 4];
        let share = |k: i32| if k.abs() == size { 0.5 } else { 1.0 };
        for (x, y, z) in
            (-size..=size).flat_map(|x| (-size..=size).flat_map(move |y| (-size..=size).map(move |z| (x, y, z))))
        {
            if (x, y, z) != (0, 0, 0) {
                let sign = if (x + y + z) % 2 == 0 { 1.0 } else { -1.0 };
                let ion = [x.into(), y.into(), z.into(), sign * share(x) * share(y) * share(z)];
                ions.iter_mut().zip(ion).for_each(|(column, q): (_, f64)| column.push(q));
            }
        }
        let origin = vec![vec![0.0]; 4];
        let pot = at("coulomb", &origin, &ions, &[1.0])[3][0];
        // 1.7475645946 in every textbook; the cubes converge as size^-4
        assert!((pot + 1.7475645946).abs() < 1e-5, "{pot}");
    }

    #[test]
    fn like_charges_repel() {
        let (a, b) =
            (vec![vec![0.0], vec![0.0], vec![0.0], vec![2.0]], vec![vec![2.0], vec![0.0], vec![0.0], vec![3.0]]);
        let f = at("coulomb", &a, &b, &[10.0]);
        assert!((f[0][0] + 15.0).abs() < 1e-13 && (f[3][0] - 15.0).abs() < 1e-13, "{f:?}"); // a few roundings
    }
}
