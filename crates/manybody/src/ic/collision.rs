//! `collision`: two galaxies or clusters on a given orbit.
//!
//! ```text
//! mu = G (M1 + M2)    v^2 = mu (2/d - (1 - e)/p)    d v_t = sqrt(mu p (1 + e))     p pericentre, d separation
//! cos f = (p (1 + e)/d - 1) / e                     true anomaly f, before pericentre
//! ```
//!
//! The two are put on the orbit that point masses at their centres would follow, as [Toomre 1972] did; where they
//! overlap, the real orbit shrinks faster. Each is a model of its own, drawn from its own stream of random numbers; the
//! second is scaled to its mass and size and both are turned to their inclination i (about the x axis, then by the
//! argument w about the orbit's z axis). The relative orbit lies in z = 0 with its pericentre on the x axis.

use super::{GROUP, Parameter, Random, Request, centered, check, find, kepler};
use crate::{Bodies, Error, Result, Snapshot};
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// What collides where the request does not say.
pub(super) const DEFAULT_MODEL: &str = "disc";

/// Options of [`collision`]. Lengths and masses are in the units of the first model.
#[derive(Clone, Debug, PartialEq)]
pub struct Collision {
    /// Number of bodies of both together, shared by mass, so that all are equally heavy where the model's are.
    pub n: usize,
    /// Seed.
    pub seed: u64,
    /// What collides, as [`by_name`](super::by_name) knows it: "disc", "plummer", "king", "hernquist", "uniform-sphere".
    pub model: String,
    /// The parameters of that model, the same for both.
    pub parameters: BTreeMap<String, String>,
    /// Mass of the second over that of the first, above 0.
    pub mass_ratio: f64,
    /// Length of the second over that of the first, above 0; `None` for the square root of the mass ratio (the same
    /// surface density). Velocities follow from mass and length.
    pub size_ratio: Option<f64>,
    /// Pericentre distance of the relative orbit, 0 (head on) or more.
    pub pericenter: f64,
    /// Eccentricity of the relative orbit: 0 or more, 1 for a parabola.
    pub eccentricity: f64,
    /// Distance of the centres at the start, before pericentre: no less than the pericentre, no more than the
    /// apocentre.
    pub separation: f64,
    /// Inclination of each to the orbit's plane, degrees: 0 turns with the orbit, 180 against it.
    pub inclination: [f64; 2],
    /// Argument of the axis of that tilt, counted from the pericentre, degrees.
    pub argument: [f64; 2],
}

impl Default for Collision {
    fn default() -> Self {
        Collision {
            n: 2 * super::DEFAULT_N,
            seed: 0,
            model: DEFAULT_MODEL.into(),
            parameters: BTreeMap::new(),
            mass_ratio: 1.0,
            size_ratio: None,
            pericenter: 2.0,
            eccentricity: 1.0,
            separation: 20.0,
            inclination: [0.0, 0.0],
            argument: [0.0, 0.0],
        }
    }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter { name: "model", default: DEFAULT_MODEL, about: "what collides: disc, plummer, king, ..." },
    Parameter { name: "mass-ratio", default: "1", about: "second mass over first" },
    Parameter { name: "size-ratio", default: "", about: "second length over first [root of the mass ratio]" },
    Parameter { name: "pericenter", default: "2", about: "pericentre distance of the relative orbit" },
    Parameter { name: "eccentricity", default: "1", about: "eccentricity of the relative orbit; 1 is a parabola" },
    Parameter { name: "separation", default: "20", about: "distance of the centres at the start" },
    Parameter { name: "inclination1", default: "0", about: "first one's inclination to the orbit, degrees" },
    Parameter { name: "inclination2", default: "0", about: "second one's inclination to the orbit, degrees" },
    Parameter { name: "argument1", default: "0", about: "argument of the first one's tilt, degrees" },
    Parameter { name: "argument2", default: "0", about: "argument of the second one's tilt, degrees" },
];

pub(super) fn build(request: &Request) -> Result<Snapshot> {
    let default = Collision::default();
    let own = |name: &str| PARAMETERS.iter().any(|parameter| parameter.name == name);
    let size_ratio = match request.parameters.get("size-ratio") {
        Some(_) => Some(request.number("size-ratio", 1.0)?),
        None => None,
    };
    collision(&Collision {
        n: request.n_or(default.n),
        seed: request.seed,
        model: request.parameters.get("model").cloned().unwrap_or(default.model),
        parameters: request.parameters.iter().filter(|p| !own(p.0)).map(|(k, v)| (k.clone(), v.clone())).collect(),
        mass_ratio: request.number("mass-ratio", default.mass_ratio)?,
        size_ratio,
        pericenter: request.number("pericenter", default.pericenter)?,
        eccentricity: request.number("eccentricity", default.eccentricity)?,
        separation: request.number("separation", default.separation)?,
        inclination: [
            request.number("inclination1", default.inclination[0])?,
            request.number("inclination2", default.inclination[1])?,
        ],
        argument: [
            request.number("argument1", default.argument[0])?,
            request.number("argument2", default.argument[1])?,
        ],
    })
}

/// Two galaxies or clusters on an orbit, the centre of mass at rest at the origin. The first one's bodies come first;
/// [`GROUP`] is 0 for them and 1 for the second one's.
///
/// # Errors
/// [`Error::Unknown`] for a model that is not there, [`Error::Parameter`] for one that cannot collide or an option out
/// of its range.
pub fn collision(options: &Collision) -> Result<Snapshot> {
    let q = options.mass_ratio;
    check("mass-ratio", q, q > 0.0, "must be a ratio above 0")?;
    let size = options.size_ratio.unwrap_or(q.sqrt());
    check("size-ratio", size, size > 0.0, "must be a ratio above 0")?;
    let model = find(&options.model)?;
    if model.n.is_some() || model.made_of.is_some() {
        return Err(Error::Parameter {
            name: "model",
            value: options.model.clone(),
            expected: "must be a model of any number of bodies: disc, plummer, king, hernquist, ...".into(),
        });
    }
    let n_second = (options.n as f64 * q / (1.0 + q)).round() as usize;
    let mut seeds = Random::new("collision", options.seed, 0);
    let mut draw = |n| {
        let request = Request { n: Some(n), seed: seeds.bits(), parameters: options.parameters.clone() };
        model.snapshot(&request)
    };
    let (mut first, mut second) = (draw(options.n - n_second)?, draw(n_second)?);
    let (position, velocity) = orbit(options, first.bodies.total_mass() * (1.0 + q))?;

    scale(&mut second.bodies, q, size, (q / size).sqrt());
    let centers = kepler::pair(q, position, velocity);
    for (k, galaxy) in [&mut first, &mut second].into_iter().enumerate() {
        turn(&mut galaxy.bodies, options.inclination[k], options.argument[k])?;
        galaxy.bodies.shift(centers.position(k), centers.velocity(k));
    }
    let group = [vec![0.0; first.bodies.len()], vec![1.0; second.bodies.len()]].concat();
    let mut snapshot = centered(join(first.bodies, second.bodies));
    snapshot.bodies.extra.insert(GROUP.into(), group);
    snapshot.meta.insert("groups".into(), format!("0 first {0}, 1 second {0}", options.model));
    snapshot.meta.extend(first.meta.remove_entry("components"));
    Ok(snapshot)
}

/// Position and velocity of the second relative to the first, before pericentre.
fn orbit(options: &Collision, mu: f64) -> Result<([f64; 3], [f64; 3])> {
    let (p, e, d) = (options.pericenter, options.eccentricity, options.separation);
    check("pericenter", p, p >= 0.0, "must be a distance of 0 or more")?;
    check("eccentricity", e, e >= 0.0, "must be an eccentricity of 0 or more")?;
    check("separation", d, d > 0.0 && d >= p, "must be above 0 and no less than the pericentre")?;
    if p == 0.0 && e != 1.0 {
        check("eccentricity", e, false, "with a pericentre of 0 only the parabola, 1, is defined")?;
    }
    // an apocentre may be met exactly, so rounding is forgiven
    let apocenter = if e < 1.0 { p * (1.0 + e) / (1.0 - e) } else { f64::INFINITY };
    check("separation", d, d <= apocenter * (1.0 + 1e-12), &format!("no more than the apocentre, {apocenter}"))?;

    let binding = if p > 0.0 { (1.0 - e) / p } else { 0.0 };
    let v2 = mu * (2.0 / d - binding);
    let across = (mu * p * (1.0 + e)).sqrt() / d;
    let inwards = (v2 - across * across).max(0.0).sqrt();
    let cos = if e > 0.0 { ((p * (1.0 + e) / d - 1.0) / e).clamp(-1.0, 1.0) } else { 1.0 };
    let sin = -(1.0 - cos * cos).sqrt();
    let along = [cos, sin];
    let position = [d * along[0], d * along[1], 0.0];
    let velocity = [-inwards * along[0] - across * along[1], -inwards * along[1] + across * along[0], 0.0];
    Ok((position, velocity))
}

fn scale(bodies: &mut Bodies, mass: f64, length: f64, velocity: f64) {
    let times = |q: &mut [f64], factor: f64| q.iter_mut().for_each(|q| *q *= factor);
    times(&mut bodies.mass, mass);
    for q in [&mut bodies.x, &mut bodies.y, &mut bodies.z] {
        times(q, length);
    }
    for q in [&mut bodies.vx, &mut bodies.vy, &mut bodies.vz] {
        times(q, velocity);
    }
}

/// Tilts about the x axis, then turns about the z axis. Angles of 0 leave every bit.
fn turn(bodies: &mut Bodies, inclination: f64, argument: f64) -> Result<()> {
    check("inclination", inclination, true, "must be an angle in degrees")?;
    check("argument", argument, true, "must be an angle in degrees")?;
    let rotate = |a: &mut [f64], b: &mut [f64], degrees: f64| {
        let angle = degrees * (PI / 180.0);
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        for (a, b) in a.iter_mut().zip(b) {
            (*a, *b) = (cos * *a - sin * *b, sin * *a + cos * *b);
        }
    };
    rotate(&mut bodies.y, &mut bodies.z, inclination);
    rotate(&mut bodies.vy, &mut bodies.vz, inclination);
    rotate(&mut bodies.x, &mut bodies.y, argument);
    rotate(&mut bodies.vx, &mut bodies.vy, argument);
    Ok(())
}

/// Both sets in one, renumbered.
fn join(mut a: Bodies, b: Bodies) -> Bodies {
    let n = a.len() + b.len();
    for (to, from) in [
        (&mut a.x, b.x),
        (&mut a.y, b.y),
        (&mut a.z, b.z),
        (&mut a.vx, b.vx),
        (&mut a.vy, b.vy),
        (&mut a.vz, b.vz),
        (&mut a.mass, b.mass),
    ] {
        to.extend(from);
    }
    if let (Some(to), Some(from)) = (&mut a.kind, b.kind) {
        to.extend(from);
    }
    // both are of one model, and so have the same columns
    for (name, from) in b.extra {
        a.extra.entry(name).or_default().extend(from);
    }
    a.id = (0..n as u64).collect();
    a
}
