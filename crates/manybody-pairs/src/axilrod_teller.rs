//! The triple-dipole interaction of Axilrod and Teller: energy and forces of all triples.
//!
//! Three atoms have the energy E = nu (1 + 3 cos g_1 cos g_2 cos g_3) / (r_12 r_23 r_31)^3, g the angles of their
//! triangle [Axilrod 1943]. In the squared sides a = r_jk^2, b = r_ik^2, c = r_ij^2, with u = b + c - a,
//! v = c + a - b, w = a + b - c, P = uvw and q = 1/(abc):
//!
//! ```text
//!     E     = nu q^(3/2) (1 + 3/8 P q)
//!     dE/da = nu q^(5/2) 3/8 ((uv + vw + wu - 2vw) - (4 + 5/2 P q) bc)      and round
//!     F_i   = -2 (dE/dc (r_i - r_j) + dE/db (r_i - r_k))                    F_k = -(F_i + F_j)
//! ```
//!
//! so one reciprocal root serves the energy and all three forces: 62 operations a triple and a half of a root, 3 ns on
//! a core with 256-bit vectors. The traversal is [`tetrahedral`](super::tetrahedral()).

use super::points::{Points, parameter};
use super::tetrahedral::{Reach, Sides, TripleLaw, TripletForces, nearest, within};
use crate::law::Real;
use crate::simd::Level;
use crate::{Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_ranks::Team;

/// The law: its strength, and where it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxilrodTeller {
    nu: f64,
    reach: Reach,
}

impl AxilrodTeller {
    /// Without end, in open space. `nu` (also called C9) is energy x length^9; argon has 518 hartree bohr^9.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a strength that is not finite.
    pub fn new(nu: f64) -> Result<Self> {
        if !nu.is_finite() {
            return Err(parameter("nu", &nu.to_string(), "must be a finite strength".to_owned()));
        }
        Ok(AxilrodTeller { nu, reach: Reach::default() })
    }

    /// Only triples whose three sides are all shorter than `cutoff`. The energy jumps there, by nu / cutoff^9 at most
    /// times 11/8.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a cut-off that is not positive and finite.
    pub fn cutoff(mut self, cutoff: f64) -> Result<Self> {
        if !(cutoff > 0.0 && cutoff.is_finite()) {
            return Err(parameter("cutoff", &cutoff.to_string(), "must be a positive length".to_owned()));
        }
        self.reach.cutoff = Some(cutoff);
        Ok(self)
    }

    /// In a periodic box: of each pair the nearest images. Wants a cut-off of a third of the box at most, so that the
    /// nearest images of three atoms make one triangle.
    ///
    /// # Errors
    /// [`Error::Parameter`] without such a cut-off, or for a side that is not finite.
    pub fn periodic(mut self, lengths: [f64; 3]) -> Result<Self> {
        let shortest = lengths.iter().copied().fold(f64::INFINITY, f64::min);
        match self.reach.cutoff {
            Some(cutoff) if lengths.iter().all(|l| l.is_finite()) && 3.0 * cutoff <= shortest => {
                self.reach.periodic = Some(lengths);
                Ok(self)
            }
            _ => {
                let value = self.reach.cutoff.map_or("none".to_owned(), |c| c.to_string());
                let expected = format!("must be at most a third of the shortest side of the box, {shortest}");
                Err(parameter("cutoff", &value, expected))
            }
        }
    }

    /// Energy and forces of all triples, on all cores.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the points are not in three dimensions, for more than 4,801,278 of them, or if atoms
    /// are so close (or in one place) that a force is not finite.
    ///
    /// ```
    /// # mod manybody { pub use manybody_law::{Error, law}; pub mod pairs { pub use manybody_pairs::*; } }
    /// use manybody::pairs::{AxilrodTeller, Points};
    /// // an equilateral triangle of side 1: cos 60 = 1/2, so E = nu (1 + 3/8)
    /// let triangle = Points::from_rows(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.75_f64.sqrt(), 0.0], 3)?;
    /// let result = AxilrodTeller::new(2.0)?.energy_and_forces(&triangle)?;
    /// assert!((result.energy - 2.75).abs() < 1e-14);
    /// # Ok::<(), manybody::Error>(())
    /// ```
    pub fn energy_and_forces(&self, points: &Points<f64>) -> Result<TripletForces> {
        self.at_level(points, Level::from_env()?, None, None)
    }

    /// [`energy_and_forces`](Self::energy_and_forces), followed by a watch. A triple counts as ten pairs.
    ///
    /// # Errors
    /// As [`energy_and_forces`](Self::energy_and_forces), and [`Error::Interrupted`] if the watch ends it.
    pub fn energy_and_forces_watched(&self, points: &Points<f64>, watch: &Watch) -> Result<TripletForces> {
        self.at_level(points, Level::from_env()?, Some(watch), None)
    }

    /// [`energy_and_forces_watched`](Self::energy_and_forces_watched), shared by ranks, each of which makes the same call. Rank 0
    /// gets the result, that of one process bit for bit.
    ///
    /// # Errors
    /// As [`energy_and_forces_watched`](Self::energy_and_forces_watched), and [`Error::Rank`] for a rank that is lost.
    pub fn energy_and_forces_on(&self, team: &Team, points: &Points<f64>, watch: &Watch) -> Result<TripletForces> {
        self.at_level(points, Level::from_env()?, Some(watch), Some(team))
    }

    /// The strength.
    pub fn nu(&self) -> f64 {
        self.nu
    }

    /// The cut-off, if there is one.
    pub fn reach(&self) -> Option<f64> {
        self.reach.cutoff
    }

    /// The sides of the periodic box, if there is one.
    pub fn box_sides(&self) -> Option<[f64; 3]> {
        self.reach.periodic
    }

    /// [`energy_and_forces`](Self::energy_and_forces) with chosen vector instructions.
    pub(super) fn at_level(
        &self,
        points: &Points<f64>,
        level: Level,
        watch: Option<&Watch>,
        team: Option<&Team>,
    ) -> Result<TripletForces> {
        let mut result = within::<AxilrodTeller>(points, &self.reach, level, watch, team)?;
        if team.is_some_and(|team| !team.is_root()) {
            // a part
            return Ok(result);
        }
        result.energy *= self.nu;
        result.force.iter_mut().flatten().for_each(|f| *f *= self.nu);
        if result.energy.is_finite() && result.force.iter().flatten().all(|f| f.is_finite()) {
            Ok(result)
        } else {
            Err(self.too_close(points))
        }
    }

    /// The error of forces that are not finite, naming the closest two atoms.
    fn too_close(&self, points: &Points<f64>) -> Error {
        let lengths = self.reach.periodic.unwrap_or([0.0; 3]);
        let square = |i: usize, j: usize| -> f64 {
            let along = |d: usize| nearest(points.column(d)[i] - points.column(d)[j], lengths[d]).powi(2);
            (0..3).map(along).sum()
        };
        let mut closest = (f64::INFINITY, 0, 0);
        for i in 0..points.len() {
            for j in i + 1..points.len() {
                closest = if square(i, j) < closest.0 { (square(i, j), i, j) } else { closest };
            }
        }
        let (square, i, j) = closest;
        let value = format!("atoms {i} and {j} at distance {:e}", square.sqrt());
        parameter("points", &value, "atoms must be far enough apart for finite forces".to_owned())
    }
}

/// With nu = 1.
impl TripleLaw for AxilrodTeller {
    #[inline(always)]
    fn sides<R: Real>(a: R, b: R, c: R, weight: Option<R>) -> Sides<R> {
        let (ab, bc, ca) = (a * b, b * c, c * a);
        let root = (ab * c).rsqrt();
        let q = root * root;
        let mut scale = q * root;
        if let Some(weight) = weight {
            scale = scale * weight;
        }
        let sum = a + b + c;
        let two = a.lit(2.0);
        let (u, v, w) = (a.fnma(two, sum), b.fnma(two, sum), c.fnma(two, sum));
        let (uv, vw, wu) = (u * v, v * w, w * u);
        let all = uv + vw + wu;
        let pq = uv * w * q;
        let m = pq.fma(a.lit(2.5), a.lit(4.0));
        let t = scale * q * a.lit(0.375);
        let slope_a = t * m.fnma(bc, vw.fnma(two, all));
        let slope_b = t * m.fnma(ca, wu.fnma(two, all));
        let slope_c = t * m.fnma(ab, uv.fnma(two, all));
        Sides { energy: scale * pq.fma(a.lit(0.375), a.lit(1.0)), slope: [slope_a, slope_b, slope_c] }
    }
}
