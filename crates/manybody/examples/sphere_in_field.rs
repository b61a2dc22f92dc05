//! A sphere of glass in a uniform electric field, by boundary elements: the built-in law laplace-double is the matrix,
//! GMRES solves, and the exact solution judges.
//!
//! ```text
//! On the surface, with eps the ratio of permittivities and u the potential of the field from outside [Kress 2014]:
//!   (eps + 1) / 2 phi + (eps - 1) D phi = u           D: the double layer
//! D 1 = -1/2 on any closed surface, so what an element does to itself need not be known:
//!   phi_i + (eps - 1) sum_j K_ij (phi_j - phi_i) = u_i
//! exact, u = z:   phi = 3 / (eps + 2) z, the uniform field inside
//! ```

use manybody::Result;
use manybody::law::{self, EvaluateLaw, Law, PairInputs};
use manybody::solver::Precision;

/// The unit sphere as n points with normals and equal areas [Gonzalez 2010].
struct Surface {
    law: Law,
    columns: Vec<Vec<f64>>,
    area: f64,
}

impl Surface {
    fn sphere(n: usize) -> Result<Self> {
        let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
        let mut columns = vec![Vec::new(); 3];
        for k in 0..n {
            let z = 1.0 - (2 * k + 1) as f64 / n as f64;
            let (s, angle) = ((1.0 - z * z).sqrt(), golden * k as f64);
            [s * angle.cos(), s * angle.sin(), z].iter().zip(&mut columns).for_each(|(x, column)| column.push(*x));
        }
        let area = 4.0 * std::f64::consts::PI / n as f64;
        Ok(Surface { law: law::by_name("laplace-double")?, columns, area })
    }

    /// sum_j K_ij q_j: one evaluation of the law, n^2 pairs.
    fn double_layer(&self, q: &[f64]) -> Result<Vec<f64>> {
        let q: Vec<f64> = q.iter().map(|q| q * self.area).collect();
        let [x, y, z] = [0, 1, 2].map(|k| &self.columns[k][..]);
        let mut u = self.law.evaluate(&PairInputs::one(&[x, y, z, x, y, z, &q[..]], &[]), Precision::F64)?;
        Ok(u.swap_remove(0))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// GMRES without restart: x with |b - A x| <= tolerance |b|, and the number of products with A [Saad 2003, sect. 6.5].
pub(crate) fn gmres(a: impl Fn(&[f64]) -> Result<Vec<f64>>, b: &[f64], tolerance: f64) -> Result<(Vec<f64>, usize)> {
    let size = dot(b, b).sqrt();
    let mut basis = vec![b.iter().map(|x| x / size).collect::<Vec<f64>>()];
    let (mut columns, mut turns, mut rest) = (Vec::<Vec<f64>>::new(), Vec::<(f64, f64)>::new(), vec![size]);
    while rest[rest.len() - 1].abs() > tolerance * size && columns.len() < b.len().min(100) {
        let mut w = a(&basis[basis.len() - 1])?;
        let mut h = Vec::new();
        for v in &basis {
            let along = dot(&w, v);
            w.iter_mut().zip(v).for_each(|(w, v)| *w -= along * v);
            h.push(along);
        }
        let left = dot(&w, &w).sqrt();
        // rotations make the small matrix triangular
        for (k, (c, s)) in turns.iter().enumerate() {
            (h[k], h[k + 1]) = (c * h[k] + s * h[k + 1], c * h[k + 1] - s * h[k]);
        }
        let last = h.len() - 1;
        let r = h[last].hypot(left);
        let (c, s) = (h[last] / r, left / r);
        h[last] = r;
        turns.push((c, s));
        rest.push(-s * rest[last]);
        rest[last] *= c;
        columns.push(h);
        basis.push(w.iter().map(|x| x / left).collect());
    }
    let count = columns.len();
    let mut y = rest[..count].to_vec();
    for k in (0..count).rev() {
        y[k] /= columns[k][k];
        let known = y[k];
        (0..k).for_each(|row| y[row] -= columns[k][row] * known);
    }
    let mut x = vec![0.0; b.len()];
    for (v, y) in basis.iter().zip(&y) {
        x.iter_mut().zip(v).for_each(|(x, v)| *x += y * v);
    }
    Ok((x, count))
}

/// What came out.
pub(crate) struct Outcome {
    /// Products with the matrix.
    pub(crate) products: usize,
    /// Of the potential, on the surface.
    pub(crate) error: f64,
}

/// Solves for a sphere of n elements.
pub(crate) fn solve(n: usize, eps: f64) -> Result<Outcome> {
    let surface = Surface::sphere(n)?;
    let own = surface.double_layer(&vec![1.0; n])?;
    let matrix = |phi: &[f64]| -> Result<Vec<f64>> {
        let others = surface.double_layer(phi)?;
        Ok((0..n).map(|i| phi[i] + (eps - 1.0) * (others[i] - own[i] * phi[i])).collect())
    };
    let u = &surface.columns[2];
    let (phi, products) = gmres(matrix, u, 1e-10)?;
    let error = phi.iter().zip(u).map(|(phi, z)| (phi - 3.0 / (eps + 2.0) * z).abs()).fold(0.0, f64::max);
    Ok(Outcome { products, error })
}

fn main() -> Result<()> {
    for n in [500, 2000] {
        let Outcome { products, error } = solve(n, 4.0)?;
        eprintln!(
            "{n} elements: {products} products with the matrix, largest error of the potential {error:.1e} of 0.5"
        );
    }
    Ok(())
}
