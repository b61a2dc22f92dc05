//! The physical problem: G and a softening.

use crate::{Bodies, Error, Result};

/// The physical problem: Newtonian gravity with Plummer softening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gravity {
    /// The gravitational constant in the units of the bodies.
    pub g: f64,
    /// Plummer softening length, one for all; bodies with an `eps` of their own use that instead.
    pub eps: f64,
}

impl Gravity {
    /// Refuses bodies that gravity cannot be computed of: two at exactly the same place, of which one at least has a
    /// mass, without softening. (Their force has no direction and their potential no bound; solvers let them exert
    /// nothing on each other, or something of order 1e100.) O(n log n) where there is no softening, else nothing.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming both bodies.
    pub fn check_apart(&self, bodies: &Bodies) -> Result<()> {
        let Some((i, j)) = self.coincident(bodies) else { return Ok(()) };
        let [x, y, z] = bodies.position(i);
        Err(Error::Parameter {
            name: "eps",
            value: "0".into(),
            expected: format!(
                "bodies {i} (id {}) and {j} (id {}) are both at ({x}, {y}, {z}), where gravity without softening has no \
                 bound: eps must be above 0, or one body must replace the two",
                bodies.id[i], bodies.id[j]
            ),
        })
    }

    /// Two bodies whose force has no bound, as [`check_apart`](Self::check_apart) has them.
    pub fn coincident(&self, bodies: &Bodies) -> Option<(usize, usize)> {
        let hard = |i: usize| bodies.eps.as_ref().map_or(self.eps, |eps| eps[i]) == 0.0;
        if !(0..bodies.len()).any(hard) {
            return None;
        }
        bodies.coincident(|i, j| hard(i) && hard(j) && bodies.mass[i] + bodies.mass[j] > 0.0)
    }
}
