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
    /// The tidal force of others, relative to a pair's own attraction, up to which it is neglected or averaged over the orbit;
    /// `None` for the default.
    pub perturbation: Option<f64>,
    /// Whether bodies whose radii touch merge.
    pub collisions: bool,
}

impl StepControl {
    /// The first that is given, by the name of its setting, with its value.
    pub fn given(&self) -> Option<(&'static str, String)> {
        let number = |value: Option<f64>| value.map(|value| value.to_string());
        let steps = self.steps.filter(|steps| *steps != TimeSteps::Constant);
        let given = [
            ("time-steps", steps.map(|steps| steps.to_string())),
            ("eta", number(self.eta)),
            ("eta-start", number(self.eta_start)),
            ("dt-max", number(self.dt_max)),
            ("dt-min", number(self.dt_min)),
            ("iterations", self.iterations.map(|rounds| rounds.to_string())),
            ("pairs", self.pairs.map(|pairs| pairs.to_string())),
            ("perturbation", number(self.perturbation)),
        ];
        given.into_iter().find_map(|(name, value)| Some((name, value?)))
    }
}
