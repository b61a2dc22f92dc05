//! Initial conditions: seeded, and the same bits on every machine.
//!
//! Random bits come from a generator defined bit by bit, functions from `libm`, sums run in order on one thread: the
//! same seed gives the same bodies on any processor, with any number of threads, in any release that does not say
//! otherwise in CHANGELOG.md (the tests hold hashes of the bits).
//!
//! Plummer, King, Hernquist and the uniform sphere come in Henon units (G = M = 1, E = -1/4), the solar system in au,
//! days and solar masses; the others have G = 1 alone, units `g1`, with masses and sizes as their heads say.
//!
//! Bodies of a model with several parts have the column [`COMPONENT`], those of several systems the column [`GROUP`];
//! the entries "components" and "groups" of the snapshot's `meta` name their values.
//!
//! A new one adds its own file, named as the field names it, and one line in [`registry`]. The command line takes its
//! options and help from there.
//!
//! ```
//! use manybody::ic::{self, Request};
//! let cluster = ic::by_name("king", &Request::new(1000, 42).with("w0", 7))?;
//! assert_eq!(cluster.bodies.len(), 1000);
//! // or, with types
//! let same = ic::king(&ic::King { n: 1000, seed: 42, w0: 7.0 })?;
//! assert_eq!(cluster.bodies, same.bodies);
//! # Ok::<(), manybody::Error>(())
//! ```

mod collision;
mod disc;
mod figure8;
mod hernquist;
mod isotropic;
mod kepler;
mod king;
mod plummer;
mod pythagorean;
pub(crate) mod random;
mod solar_system;
mod table;
mod uniform_sphere;

pub use collision::{Collision, collision};
pub use disc::{Disc, disc};
pub use figure8::{PERIOD as FIGURE8_PERIOD, figure8};
pub use hernquist::{Hernquist, hernquist};
pub(crate) use kepler::eccentric_anomaly;
pub use kepler::{Kepler, kepler};
pub use king::{King, KingModel, king};
pub use plummer::{Plummer, plummer};
pub use pythagorean::pythagorean;
pub use solar_system::{EPOCH as SOLAR_SYSTEM_EPOCH, NAMES as SOLAR_SYSTEM_NAMES, solar_system};
pub use uniform_sphere::{UniformSphere, uniform_sphere};

use crate::units::{Dimension, Units, parse_quantity};
use crate::{Bodies, Error, Result, Snapshot};
use random::Random;
use std::collections::BTreeMap;

/// The number of bodies of a model that takes any, where the request does not give it.
pub const DEFAULT_N: usize = 16_384;

/// The extra column that says which galaxy or cluster a body came from: 0, 1, ...
pub const GROUP: &str = "group";

/// The extra column that says which part of its galaxy a body belongs to: 1 halo, 2 disc, 3 bulge.
pub const COMPONENT: &str = "component";

/// What a body takes: seven numbers and an id.
const BYTES: usize = 64;

/// An initial condition as the registry knows it.
#[derive(Debug)]
pub struct Model {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// How many bodies it has; `None` where the request says.
    pub n: Option<usize>,
    /// What can be set besides n and seed.
    pub parameters: &'static [Parameter],
    build: fn(&Request) -> Result<Snapshot>,
    /// The model that this one is made of where the request names no other; `None` for a model of its own bodies.
    made_of: Option<&'static str>,
    timescales: Option<fn(&Request) -> Result<Timescales>>,
}

/// What suits orbits that are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timescales {
    /// A time step that resolves the fastest orbit.
    pub(crate) dt: f64,
    /// How long a run would last.
    pub(crate) duration: f64,
}

/// A parameter of an initial condition.
#[derive(Debug, PartialEq)]
pub struct Parameter {
    /// Its name, as on the command line without the dashes.
    pub name: &'static str,
    /// The value where the request does not give it.
    pub default: &'static str,
    /// What it means, in a line.
    pub about: &'static str,
}

/// Every initial condition.
pub fn registry() -> &'static [Model] {
    const fn model(
        name: &'static str,
        about: &'static str,
        n: Option<usize>,
        parameters: &'static [Parameter],
        build: fn(&Request) -> Result<Snapshot>,
    ) -> Model {
        Model { name, about, n, parameters, build, made_of: None, timescales: None }
    }
    static MODELS: [Model; 10] = [
        model("plummer", "Plummer sphere in equilibrium", None, plummer::PARAMETERS, plummer::build),
        model("king", "King's lowered isothermal sphere", None, king::PARAMETERS, king::build),
        model("hernquist", "Hernquist sphere in equilibrium", None, hernquist::PARAMETERS, hernquist::build),
        model(
            "uniform-sphere",
            "homogeneous sphere, cold or virialised",
            None,
            uniform_sphere::PARAMETERS,
            uniform_sphere::build,
        ),
        model("disc", "exponential disc in a live halo, with or without a bulge", None, disc::PARAMETERS, disc::build),
        Model {
            made_of: Some(collision::DEFAULT_MODEL),
            ..model("collision", "two galaxies or clusters on an orbit", None, collision::PARAMETERS, collision::build)
        },
        Model {
            timescales: Some(kepler::timescales),
            ..model("kepler", "two bodies on an ellipse", Some(2), kepler::PARAMETERS, kepler::build)
        },
        Model {
            timescales: Some(|_| Ok(figure8::TIMESCALES)),
            ..model("figure8", "three equal masses that chase each other along an eight", Some(3), &[], |_| {
                Ok(figure8())
            })
        },
        Model {
            timescales: Some(|_| Ok(pythagorean::TIMESCALES)),
            ..model("pythagorean", "masses 3, 4, 5 at rest (Burrau's problem)", Some(3), &[], |_| Ok(pythagorean()))
        },
        Model {
            timescales: Some(|_| Ok(solar_system::TIMESCALES)),
            ..model(
                "solar-system",
                "Sun, planets, Pluto and Moon at J2000 from DE421",
                Some(solar_system::NAMES.len()),
                &[],
                |_| Ok(solar_system()),
            )
        },
    ];
    &MODELS
}

/// The initial condition of a name.
///
/// # Errors
/// [`Error::Unknown`] for a name that is not there.
pub fn find(name: &str) -> Result<&'static Model> {
    registry().iter().find(|model| model.name == name).ok_or_else(|| Error::Unknown {
        what: "initial condition",
        name: name.into(),
        known: registry().iter().map(|model| model.name).collect::<Vec<_>>().join(", "),
    })
}

/// The request for an initial condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// How many bodies; `None` for the model's own number or [`DEFAULT_N`].
    pub n: Option<usize>,
    /// The seed. Models without chance ignore it.
    pub seed: u64,
    /// Parameters by name, as text: numbers, fractions, words.
    pub parameters: BTreeMap<String, String>,
}

impl Request {
    /// A request for n bodies.
    pub fn new(n: usize, seed: u64) -> Self {
        Request { n: Some(n), seed, ..Self::default() }
    }

    /// The same with a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.parameters.insert(name.into(), value.to_string());
        self
    }

    fn n_or(&self, default: usize) -> usize {
        self.n.unwrap_or(default)
    }

    /// A parameter that is a number, perhaps a fraction.
    fn number(&self, name: &'static str, default: f64) -> Result<f64> {
        match self.parameters.get(name) {
            None => Ok(default),
            Some(text) => parse_quantity(text, Dimension::NUMBER, &Units::henon()).map_err(|_| Error::Parameter {
                name,
                value: format!("'{text}'"),
                expected: "must be a number or a fraction like 1/3".into(),
            }),
        }
    }
}

/// Makes the initial condition of a name. What was asked is kept in the snapshot's `meta` under "ic".
///
/// # Errors
/// [`Error::Unknown`] for a name or a parameter that is not there, [`Error::Parameter`] for a value out of range or a
/// number of bodies that the model does not have.
pub fn by_name(name: &str, request: &Request) -> Result<Snapshot> {
    find(name)?.snapshot(request)
}

impl Model {
    /// Makes this initial condition, as [`by_name`] does.
    ///
    /// # Errors
    /// As [`by_name`], but for the name.
    pub fn snapshot(&self, request: &Request) -> Result<Snapshot> {
        let name = self.name;
        if let (Some(n), Some(asked)) = (self.n, request.n)
            && n != asked
        {
            let expected = format!("{name} has {n} bodies; leave n out or give {n}");
            return Err(Error::Parameter { name: "n", value: asked.to_string(), expected });
        }
        for parameter in request.parameters.keys() {
            if !self.takes(request, parameter)? {
                let known: Vec<_> = self.parameters.iter().map(|known| known.name).collect();
                return Err(Error::Unknown {
                    what: "parameter of this initial condition",
                    name: parameter.clone(),
                    known: if known.is_empty() { "none".into() } else { known.join(", ") },
                });
            }
        }
        has_room(self.n.unwrap_or(request.n_or(DEFAULT_N)))?;
        let mut snapshot = (self.build)(request)?;
        let mut words = format!("{name} -n {} --seed {}", snapshot.bodies.len(), request.seed);
        for (parameter, value) in &request.parameters {
            words += &format!(" --{parameter} {value}");
        }
        snapshot.meta.insert("ic".into(), words);
        Ok(snapshot)
    }

    /// The time step and the duration that suit its orbits, where they are known.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a parameter that is not a number.
    pub(crate) fn timescales(&self, request: &Request) -> Result<Option<Timescales>> {
        self.timescales.map(|of| of(request)).transpose()
    }

    fn has(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|known| known.name == parameter)
    }

    /// Whether it has a parameter, or the model that it is made of has.
    fn takes(&self, request: &Request, parameter: &str) -> Result<bool> {
        match self.made_of.filter(|_| !self.has(parameter)) {
            Some(default) => {
                let model = request.parameters.get("model").map_or(default, String::as_str);
                Ok(find(model)?.has(parameter))
            }
            None => Ok(self.has(parameter)),
        }
    }
}

/// [`Error::Parameter`] for more bodies than there is memory for, where the system reports it: better than being
/// killed.
fn has_room(n: usize) -> Result<()> {
    let bytes = n.saturating_mul(BYTES);
    let got = Vec::<u8>::new().try_reserve_exact(bytes);
    got.map_err(|_| Error::Parameter {
        name: "n",
        value: n.to_string(),
        expected: format!(
            "must be smaller: so many bodies need {:.1e} bytes, more than this machine has",
            bytes as f64
        ),
    })
}

/// [`Error::Parameter`] unless `right`.
fn check(name: &'static str, value: f64, right: bool, expected: &str) -> Result<()> {
    if right && value.is_finite() {
        return Ok(());
    }
    Err(Error::Parameter { name, value: value.to_string(), expected: expected.into() })
}

/// The bodies of a sampled model, its centre of mass at rest at the origin, as a snapshot in units that are G = 1.
fn centered(mut bodies: Bodies) -> Snapshot {
    bodies.move_to_com();
    Snapshot { bodies, ..Snapshot::default() }
}

/// The same for a model of mass 1 and energy -1/4.
fn centered_henon(bodies: Bodies) -> Snapshot {
    Snapshot { units: Units::henon(), ..centered(bodies) }
}

#[cfg(test)]
mod tests;
