//! `disc`: an exponential disc in a live halo, with or without a bulge, in equilibrium from distribution functions.
//!
//! ```text
//! disc    Sigma(R) = M_d / (2 pi R_d^2) exp(-R/R_d),  rho ~ sech^2(z/z0),  sigma_R ~ exp(-R / 2 R_d), Q at 2.5 R_d
//! halo    Hernquist's density, cut; bulge likewise
//! ```
//!
//! The disc's motions in its plane come from Dehnen's distribution function [Dehnen 1999] in the potential
//! of disc, halo and bulge together: orbits are drawn and then places along them, so that the disc is mixed from the
//! start and no rings run out of it (`orbits`). Across the plane the velocities are normal with the dispersion that
//! the vertical virial theorem asks for in the field of all three (`plane`). Halo and bulge are isotropic, from
//! Eddington's inversion in the common potential with the disc's monopole (`halo`), as in [McMillan 2007].
//!
//! Units: G = 1, disc mass 1, scale length R_d = 1 (`g1`). The defaults give a circular speed of 1.09 at 2.2 R_d, a
//! turn in 12.7 time units there (the disc itself streams at 1.06), and a halo heavy enough that no bar forms within
//! five turns. Bodies of all parts are equally heavy unless `disc_share` says otherwise; a softening of about 0.05
//! suits them. O(N).
//!
//! It is kept for five turns: tests/python/test_disc.py. The rings keep their density, but few bodies heat each other:
//! heights grow by 3 to 27% with 32,768 bodies, by 26 to 50% with 12,288.

mod halo;
mod orbits;
mod plane;

use super::isotropic::{Sampler, logarithmic};
use super::{COMPONENT, Parameter, Random, Request, centered, check};
use crate::{Bodies, Result, Snapshot};

/// Options of [`disc`]. Masses in disc masses, lengths in the disc's scale length.
#[derive(Clone, Debug, PartialEq)]
pub struct Disc {
    /// Number of bodies of disc, halo and bulge together.
    pub n: usize,
    /// Seed.
    pub seed: u64,
    /// Toomre's Q at 2.5 scale lengths, near its minimum, above 0, up to 3.
    pub toomre_q: f64,
    /// The z0 of the sech^2 profile, 0.01 to 0.5.
    pub thickness: f64,
    /// Mass of the halo within its cut-off, 1 or more: a lighter one leaves a disc that this method does not serve.
    pub halo_mass: f64,
    /// Scale radius of the halo, above 0.
    pub halo_scale: f64,
    /// Largest radius of the halo in its scale radii, 1 or more.
    pub halo_cutoff_scales: f64,
    /// Mass of the bulge, 0 for no bulge.
    pub bulge_mass: f64,
    /// Scale radius of the bulge, above 0. It is cut at 30 of them.
    pub bulge_scale: f64,
    /// Share of the bodies that make the disc, 0 to 1; `None` for its share of the mass.
    pub disc_share: Option<f64>,
}

impl Default for Disc {
    fn default() -> Self {
        Disc {
            n: super::DEFAULT_N,
            seed: 0,
            toomre_q: 1.5,
            thickness: 0.2,
            halo_mass: 6.0,
            halo_scale: 2.0,
            halo_cutoff_scales: 20.0,
            bulge_mass: 0.0,
            bulge_scale: 0.2,
            disc_share: None,
        }
    }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter { name: "toomre-q", default: "1.5", about: "Toomre's Q at 2.5 scale lengths" },
    Parameter { name: "thickness", default: "0.2", about: "z0 of the sech^2 profile in scale lengths" },
    Parameter { name: "halo-mass", default: "6", about: "halo's mass in disc masses" },
    Parameter { name: "halo-scale", default: "2", about: "halo's scale radius in scale lengths" },
    Parameter { name: "halo-cutoff-scales", default: "20", about: "halo's largest radius in its scale radii" },
    Parameter { name: "bulge-mass", default: "0", about: "bulge's mass in disc masses" },
    Parameter { name: "bulge-scale", default: "0.2", about: "bulge's scale radius in scale lengths" },
    Parameter { name: "disc-share", default: "", about: "disc's share of the bodies [its share of the mass]" },
];

pub(super) fn build(request: &Request) -> Result<Snapshot> {
    let default = Disc::default();
    let disc_share = match request.parameters.get("disc-share") {
        Some(_) => Some(request.number("disc-share", 0.5)?),
        None => None,
    };
    disc(&Disc {
        n: request.n_or(default.n),
        seed: request.seed,
        toomre_q: request.number("toomre-q", default.toomre_q)?,
        thickness: request.number("thickness", default.thickness)?,
        halo_mass: request.number("halo-mass", default.halo_mass)?,
        halo_scale: request.number("halo-scale", default.halo_scale)?,
        halo_cutoff_scales: request.number("halo-cutoff-scales", default.halo_cutoff_scales)?,
        bulge_mass: request.number("bulge-mass", default.bulge_mass)?,
        bulge_scale: request.number("bulge-scale", default.bulge_scale)?,
        disc_share,
    })
}

/// Values of [`COMPONENT`]: the numbers of Gadget's types for these parts.
const HALO: f64 = 1.0;
const DISC: f64 = 2.0;
const BULGE: f64 = 3.0;

/// Gadget's particle types. Disc and bulge are both stars: analysis packages take types 2 and 3 for dark matter.
const DARK: u8 = 1;
const STARS: u8 = 4;

/// A sphere of Hernquist's density about the disc.
#[derive(Clone, Copy)]
struct Spheroid {
    /// Mass within the cut.
    mass: f64,
    scale: f64,
    /// Largest radius in units of `scale`.
    cutoff: f64,
}

impl Spheroid {
    /// The mass before the cut.
    fn whole(&self) -> f64 {
        let root = self.cutoff / (1.0 + self.cutoff);
        self.mass / (root * root)
    }

    fn mass_within(&self, r: f64) -> f64 {
        let root = r / (r + self.scale);
        self.whole() * root * root
    }
}

/// A disc in its halo, G = 1, its centre of mass at rest at the origin, turning about the z axis. Halo, disc and bulge
/// follow each other in this order, [`COMPONENT`] 1, 2, 3. `kind` is 1 for the halo, 4 (stars) for disc and bulge, so
/// that pynbody's families and yt's particle types distinguish stars from dark matter.
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) for an option out of its range.
pub fn disc(options: &Disc) -> Result<Snapshot> {
    validate(options)?;
    let halo = Spheroid { mass: options.halo_mass, scale: options.halo_scale, cutoff: options.halo_cutoff_scales };
    let bulge = Spheroid { mass: options.bulge_mass, scale: options.bulge_scale, cutoff: 30.0 };
    let spheroids: Vec<Spheroid> = [halo, bulge].into_iter().filter(|part| part.mass > 0.0).collect();

    let others = halo.mass + bulge.mass;
    let share = options.disc_share.unwrap_or(1.0 / (1.0 + others));
    let n_disc = (options.n as f64 * share).round() as usize;
    let n_bulge = ((options.n - n_disc) as f64 * bulge.mass / others).round() as usize;
    let n_halo = options.n - n_disc - n_bulge;

    let mut bodies = Bodies::with_capacity(options.n);
    let around = halo::Monopole::new(options.thickness, &spheroids);
    let sphere = |part: Spheroid, n: usize, stream: u64, bodies: &mut Bodies| {
        let model = halo::Eddington::new(part, &around);
        let sampler = Sampler::new(&model, logarithmic(1e-4 * part.scale, part.scale * part.cutoff, 512));
        let mut random = Random::new("disc", options.seed, stream);
        for _ in 0..n {
            let (radius, position) = sampler.position(&mut random);
            bodies.push(part.mass / n as f64, position, sampler.velocity(radius, &mut random));
        }
    };
    if n_halo > 0 {
        sphere(halo, n_halo, 1, &mut bodies);
    }
    if n_disc > 0 {
        let plane = plane::Plane::new(options.thickness, &spheroids);
        let orbits = orbits::Orbits::new(&plane, options.toomre_q);
        let mut random = Random::new("disc", options.seed, 0);
        for _ in 0..n_disc {
            let (position, velocity) = orbits.draw(options.thickness, &mut random);
            bodies.push(1.0 / n_disc as f64, position, velocity);
        }
    }
    if n_bulge > 0 {
        sphere(bulge, n_bulge, 2, &mut bodies);
    }
    bodies.kind = Some([vec![DARK; n_halo], vec![STARS; n_disc + n_bulge]].concat());
    let component = [vec![HALO; n_halo], vec![DISC; n_disc], vec![BULGE; n_bulge]].concat();
    bodies.extra.insert(COMPONENT.into(), component);
    let mut snapshot = centered(bodies);
    snapshot.meta.insert("components".into(), "1 halo, 2 disc, 3 bulge".into());
    Ok(snapshot)
}

fn validate(options: &Disc) -> Result<()> {
    let q = options.toomre_q;
    check("toomre-q", q, q > 0.0 && q <= 3.0, "must be above 0, at most 3")?;
    check("thickness", options.thickness, (0.01..=0.5).contains(&options.thickness), "must be from 0.01 to 0.5")?;
    check("halo-mass", options.halo_mass, options.halo_mass >= 1.0, "must be at least 1 disc mass")?;
    // beyond these the tables of the potential would need more points than there is time for
    let scale = 1e-2..=1e3;
    check(
        "halo-scale",
        options.halo_scale,
        scale.contains(&options.halo_scale),
        "must be from 0.01 to 1000 scale lengths",
    )?;
    check(
        "halo-cutoff-scales",
        options.halo_cutoff_scales,
        options.halo_cutoff_scales >= 1.0,
        "must be at least 1 scale radius",
    )?;
    check("bulge-mass", options.bulge_mass, options.bulge_mass >= 0.0, "must be 0 or more")?;
    let scale = 1e-2..=1e2;
    check(
        "bulge-scale",
        options.bulge_scale,
        scale.contains(&options.bulge_scale),
        "must be from 0.01 to 100 scale lengths",
    )?;
    let share = options.disc_share.unwrap_or(0.5);
    check("disc-share", share, share > 0.0 && share < 1.0, "must be a number between 0 and 1")
}

#[cfg(test)]
mod tests;
