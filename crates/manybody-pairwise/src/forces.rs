//! What is computed of bodies: accelerations, and what else is asked for.

use crate::law::Targets;
use crate::{Coordinates, Error, Result};

/// What is to be computed besides the acceleration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForceTerms {
    /// The potential.
    pub potential: bool,
    /// The time derivative of the acceleration (brings the potential along).
    pub jerk: bool,
}

impl ForceTerms {
    /// What they depend on.
    pub fn coordinates(self) -> Coordinates {
        if self.jerk { Coordinates::PhaseSpace } else { Coordinates::Positions }
    }
}

/// Accelerations and their time derivatives, one array a component: what a Hermite scheme needs of active bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derivatives {
    /// Accelerations, length / time^2.
    pub a: [Vec<f64>; 3],
    /// Jerks, length / time^3.
    pub j: [Vec<f64>; 3],
    /// Snaps, length / time^4; empty where they were not requested.
    pub s: [Vec<f64>; 3],
}

impl Derivatives {
    /// Room for n bodies.
    pub fn resize(&mut self, n: usize, snaps: bool) {
        self.a.iter_mut().chain(&mut self.j).for_each(|column| column.resize(n, 0.0));
        self.s.iter_mut().for_each(|column| column.resize(if snaps { n } else { 0 }, 0.0));
    }

    /// The columns that are there, in their order.
    pub fn columns(&mut self) -> Vec<&mut Vec<f64>> {
        let snaps = usize::from(!self.s[0].is_empty()) * 3;
        self.a.iter_mut().chain(&mut self.j).chain(self.s.iter_mut().take(snaps)).collect()
    }
}

/// What a solver computes, one array a component. Arrays not asked for are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forces {
    /// Acceleration along x: \[n\], length / time^2.
    pub ax: Vec<f64>,
    /// Acceleration along y: \[n\], length / time^2.
    pub ay: Vec<f64>,
    /// Acceleration along z: \[n\], length / time^2.
    pub az: Vec<f64>,
    /// Potential: \[n\], length^2 / time^2, negative, of all other bodies at the place of this one.
    pub pot: Vec<f64>,
    /// Jerk along x: \[n\], length / time^3.
    pub jx: Vec<f64>,
    /// Jerk along y: \[n\], length / time^3.
    pub jy: Vec<f64>,
    /// Jerk along z: \[n\], length / time^3.
    pub jz: Vec<f64>,
}

impl Forces {
    /// The acceleration of body `i`.
    pub fn acceleration(&self, i: usize) -> [f64; 3] {
        [self.ax[i], self.ay[i], self.az[i]]
    }

    /// Refuses forces that are not finite. `targets` are the bodies that they act on, where these are not all.
    ///
    /// # Errors
    /// [`Error::NotFinite`] naming the body and the quantity.
    pub fn check_finite(&self, targets: Option<&[usize]>) -> Result<()> {
        self.refuse(targets, |column| {
            // a sum that the compiler makes vectors of, where a search stops at each: 0 times such a number is NaN
            let (eights, rest) = column.as_chunks::<8>();
            let mut held = [0.0; 8];
            eights.iter().for_each(|eight| held.iter_mut().zip(eight).for_each(|(held, q)| *held += q * 0.0));
            if held.iter().chain(rest).map(|q| q * 0.0).sum::<f64>() == 0.0 {
                return None;
            }
            column.iter().position(|q| !q.is_finite()).map(|k| (k, column[k]))
        })
    }

    /// Refuses forces that are finite, and beyond the range of f32.
    ///
    /// # Errors
    /// As [`check_finite`](Self::check_finite), with the value that f32 would have.
    pub fn check_single(&self, targets: Option<&[usize]>) -> Result<()> {
        self.refuse(targets, beyond_single)
    }

    /// Refuses a number that `wrong` finds in a column: its place, and what it is.
    fn refuse(&self, targets: Option<&[usize]>, wrong: impl Fn(&[f64]) -> Option<(usize, f64)>) -> Result<()> {
        let Forces { ax, ay, az, pot, jx, jy, jz } = self;
        let columns =
            [("ax", ax), ("ay", ay), ("az", az), ("potential", pot), ("jerk", jx), ("jerk", jy), ("jerk", jz)];
        for (quantity, column) in columns {
            if let Some((k, value)) = wrong(column) {
                let index = targets.map_or(k, |targets| targets[k]);
                return Err(Error::NotFinite { time: 0.0, index, id: index as u64, quantity, value });
            }
        }
        Ok(())
    }

    /// The forces on some of the bodies, in this order.
    #[must_use]
    pub fn at(&self, bodies: &[usize]) -> Self {
        let of = |column: &Vec<f64>| match column.is_empty() {
            true => Vec::new(),
            false => bodies.iter().map(|k| column[*k]).collect(),
        };
        let Forces { ax, ay, az, pot, jx, jy, jz } = self;
        Forces { ax: of(ax), ay: of(ay), az: of(az), pot: of(pot), jx: of(jx), jy: of(jy), jz: of(jz) }
    }

    /// Keeps those of the targets, in their order.
    pub fn keep(&mut self, targets: &Targets<'_>) {
        match targets {
            Targets::All => {}
            Targets::Range(range) => *self = self.at(&range.clone().collect::<Vec<_>>()),
            Targets::List(list) => *self = self.at(list),
        }
    }

    /// Room for n bodies, all zero.
    pub fn zeros(n: usize, terms: ForceTerms) -> Self {
        let column = |wanted: bool| if wanted { vec![0.0; n] } else { Vec::new() };
        Forces {
            ax: column(true),
            ay: column(true),
            az: column(true),
            pot: column(terms.potential || terms.jerk),
            jx: column(terms.jerk),
            jy: column(terms.jerk),
            jz: column(terms.jerk),
        }
    }
}

/// The first number that is finite and beyond the range of f32: its place, and what it is there.
pub fn beyond_single(column: &[f64]) -> Option<(usize, f64)> {
    let single = column.iter().map(|q| (q, *q as f32));
    let mut beyond = single.enumerate().filter(|(_, (q, single))| q.is_finite() && single.is_infinite());
    beyond.next().map(|(k, (_, single))| (k, single.into()))
}
