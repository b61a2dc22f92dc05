//! The nearest neighbour, and how many spheres a sphere overlaps.
//!
//! ```text
//! nearest  r2_i = min |x_i - x_j|^2, with the id of j; of equally near ones the smaller id
//! overlap  n_i = number of j with |x_i - x_j| < radius_i + radius_j
//! ```

use crate::law::{ArgMin, Count, Id, Nothing, PairLaw, Real, dot3, sub3};
use crate::record;

record! {
    /// A body with a name.
    pub struct Named<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Its name.
        pub id: Id<R>,
    }
}
record! {
    /// Who is nearest.
    pub struct Neighbour<R> {
        /// Square of the distance, and who it is.
        pub r2: ArgMin<R>,
    }
}
record! {
    /// A sphere.
    pub struct Sphere<R> {
        /// Position, length.
        pub x: [R; 3],
        /// Radius, length.
        pub radius: R,
    }
}
record! {
    /// Those it overlaps.
    pub struct Overlaps<R> {
        /// How many.
        pub n: Count<R>,
    }
}

/// The nearest neighbour.
#[derive(Clone, Copy, Debug)]
pub struct Nearest;

impl PairLaw for Nearest {
    type Body<R: Real> = Named<R>;
    type Par<R: Real> = Nothing<R>;
    type Out<R: Real> = Neighbour<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &Named<R>, j: &Named<R>, _: &Nothing<R>, out: &mut Neighbour<R>) {
        let d = sub3(i.x, j.x);
        out.r2.reduce(dot3(d, d, d[0].lit(0.0)), j.id);
    }
}

/// Overlapping spheres.
#[derive(Clone, Copy, Debug)]
pub struct Overlap;

impl PairLaw for Overlap {
    type Body<R: Real> = Sphere<R>;
    type Par<R: Real> = Nothing<R>;
    type Out<R: Real> = Overlaps<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &Sphere<R>, j: &Sphere<R>, _: &Nothing<R>, out: &mut Overlaps<R>) {
        let d = sub3(i.x, j.x);
        let reach = i.radius + j.radius;
        out.n.when(dot3(d, d, reach.lit(0.0)).lt(reach * reach));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::on_itself;
    use crate::law::conformance::random;

    /// Numbers of 24 bits on a coarse grid: squares are exact, ties happen, and all comparisons must agree.
    #[test]
    fn against_loops() {
        let n = 700;
        let mut bodies = random(4, n, 9, false);
        bodies.iter_mut().flatten().for_each(|x| *x = (*x * 64.0).round() / 64.0);
        bodies[3].iter_mut().for_each(|r| *r = r.abs() / 4.0);
        let ids: Vec<f64> = (0..n).map(|k| ((k * 37) % n) as f64).collect();
        let near = on_itself("nearest", &[&bodies[..3], std::slice::from_ref(&ids)].concat(), &[]);
        let spheres = on_itself("overlap", &bodies, &[]);
        let square = |i: usize, j: usize| (0..3).map(|k| (bodies[k][i] - bodies[k][j]).powi(2)).sum::<f64>();
        for i in 0..n {
            let others = || (0..n).filter(|j| *j != i);
            let best = others().map(|j| (square(i, j), ids[j])).min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
            assert_eq!((near[0][i], near[1][i]), best);
            let reach = |j: usize| bodies[3][i] + bodies[3][j];
            assert_eq!(spheres[0][i], others().filter(|j| square(i, *j) < reach(*j) * reach(*j)).count() as f64);
        }
    }
}
