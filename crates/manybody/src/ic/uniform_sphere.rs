//! `uniform-sphere`: a homogeneous sphere, at rest (cold collapse) or with any virial ratio.
//!
//! ```text
//! U = -3/5 G M^2 / R      Q = -2 K / U      E = U (1 - Q/2) = -1/4   ->   R = 12/5 (1 - Q/2) in Henon units
//! ```
//!
//! Velocities fill a sphere uniformly, of radius v_max^2 = 5/3 <v^2> = Q G M / R, at every place alike: no body is
//! faster than the escape speed at the edge, (2 G M / R)^(1/2), for any Q below 2. With Q = 1 the whole is virialised,
//! not in equilibrium: the profile still relaxes. O(N).

use super::{Parameter, Random, Request, centered_henon, check};
use crate::{Bodies, Result, Snapshot};

/// Options of [`uniform_sphere`].
#[derive(Clone, Debug, PartialEq)]
pub struct UniformSphere {
    /// Number of bodies, each of mass 1/n.
    pub n: usize,
    /// Seed.
    pub seed: u64,
    /// Virial ratio -2 K / U: 0 for bodies at rest, 1 for virialised, below 2.
    pub virial: f64,
}

impl Default for UniformSphere {
    fn default() -> Self {
        UniformSphere { n: super::DEFAULT_N, seed: 0, virial: 0.0 }
    }
}

pub(super) const PARAMETERS: &[Parameter] =
    &[Parameter { name: "virial", default: "0", about: "virial ratio -2K/U: 0 cold, 1 virialised, below 2" }];

pub(super) fn build(request: &Request) -> Result<Snapshot> {
    let default = UniformSphere::default();
    uniform_sphere(&UniformSphere {
        n: request.n_or(default.n),
        seed: request.seed,
        virial: request.number("virial", default.virial)?,
    })
}

/// A homogeneous sphere of n equal masses in Henon units, its centre of mass at rest at the origin.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for a virial ratio below 0, or of 2 or more (unbound).
pub fn uniform_sphere(options: &UniformSphere) -> Result<Snapshot> {
    let UniformSphere { n, seed, virial } = *options;
    check("virial", virial, (0.0..2.0).contains(&virial), "must be a virial ratio -2K/U of 0 or more and below 2")?;
    let radius = 2.4 * (1.0 - 0.5 * virial);
    let fastest = (virial / radius).sqrt();
    let mut random = Random::new("uniform-sphere", seed, 0);
    let mut bodies = Bodies::with_capacity(n);
    for _ in 0..n {
        let position = in_ball(radius, &mut random);
        let velocity = if virial > 0.0 { in_ball(fastest, &mut random) } else { [0.0; 3] };
        bodies.push(1.0 / n as f64, position, velocity);
    }
    Ok(centered_henon(bodies))
}

fn in_ball(radius: f64, random: &mut Random) -> [f64; 3] {
    let r = radius * libm::cbrt(random.uniform());
    random.sphere(r)
}
