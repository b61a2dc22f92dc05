//! How long the steps of a scheme with variable time steps are.

use crate::{Error, Result};

/// Which bodies have which time step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeSteps {
    /// Each body has its own, dt / 2^k: block time steps [McMillan 1986].
    Individual,
    /// All bodies have the smallest of those, from block to block another one.
    Shared,
    /// All bodies have dt, always.
    #[default]
    Constant,
}

impl TimeSteps {
    const ALL: [(TimeSteps, &'static str); 3] =
        [(TimeSteps::Individual, "individual"), (TimeSteps::Shared, "shared"), (TimeSteps::Constant, "constant")];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(steps, _)| *steps == self).map_or("", |(_, name)| name)
    }
}

impl std::fmt::Display for TimeSteps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for TimeSteps {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match Self::ALL.iter().find(|(_, known)| *known == name) {
            Some((steps, _)) => Ok(*steps),
            None => {
                let known = Self::ALL.map(|(_, name)| name).join(", ");
                Err(Error::Unknown { what: "kind of time steps", name: name.into(), known })
            }
        }
    }
}

/// How close pairs and other compact groups of bodies are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pairs {
    /// As any two bodies.
    #[default]
    Resolved,
    /// Pairs that others hardly pull at by Kepler's solution, their centre of mass as one body.
    Kepler,
    /// Compact subsystems of 2 to 8 bodies by algorithmic regularisation with perturbers.
    Chain,
}

impl Pairs {
    const ALL: [(Pairs, &'static str); 3] =
        [(Pairs::Resolved, "resolved"), (Pairs::Kepler, "kepler"), (Pairs::Chain, "chain")];
}

impl std::fmt::Display for Pairs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(Self::ALL.iter().find(|(pairs, _)| pairs == self).map_or("", |(_, name)| name))
    }
}

impl std::str::FromStr for Pairs {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match Self::ALL.iter().find(|(_, known)| *known == name) {
            Some((pairs, _)) => Ok(*pairs),
            None => {
                let known = Self::ALL.map(|(_, name)| name).join(", ");
                Err(Error::Unknown { what: "motion of pairs", name: name.into(), known })
            }
        }
    }
}

/// What decides on the time steps of bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepControl {
    /// Which bodies have which time step; `None` for what the scheme has by itself.
    pub steps: Option<TimeSteps>,
    /// The accuracy parameter of the criterion; `None` for the scheme's own.
    pub eta: Option<f64>,
    /// The accuracy parameter of first steps, eta |a| / |jerk|; `None` for the scheme's own.
    pub eta_start: Option<f64>,
    /// The largest time step; `None` for that of the run.
    pub dt_max: Option<f64>,
    /// The smallest time step, which a body then keeps even where the criterion asks for less; `None` for no limit.
    pub dt_min: Option<f64>,
    /// How often a step is evaluated and corrected; `None` for once.
    pub iterations: Option<u32>,
    /// How close pairs are moved; `None` for as any two bodies.
    pub pairs: Option<Pairs>,
    /// The tidal force of others, relative to a pair's own attraction, that is neglected; `None` for the default.
    pub perturbation: Option<f64>,
}

impl StepControl {
    /// The first that is given, by the name of its setting.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("time-steps", self.steps.is_some_and(|steps| steps != TimeSteps::Constant)),
            ("eta", self.eta.is_some()),
            ("eta-start", self.eta_start.is_some()),
            ("dt-max", self.dt_max.is_some()),
            ("dt-min", self.dt_min.is_some()),
            ("iterations", self.iterations.is_some()),
            ("pairs", self.pairs.is_some()),
            ("perturbation", self.perturbation.is_some()),
        ];
        given.into_iter().find_map(|(name, given)| given.then_some(name))
    }
}
