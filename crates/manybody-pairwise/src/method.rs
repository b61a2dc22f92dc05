//! How forces are computed: on which devices, by which solver, in which precision, with which sums and vectors.

use crate::simd::Level;
use crate::{Capability, Device, Error, KernelConfig, Precision, Result, Summation};
use std::fmt::{self, Display};
use std::str::FromStr;

/// How forces are computed, as one value: everything that decides their bits, and where they are computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// What computes.
    pub device: Device,
    /// Which of its GPUs.
    pub gpus: Gpus,
    /// Which pairs, in which order.
    pub solver: SolverName,
    /// The type of the forces.
    pub precision: Precision,
    /// How the terms of a force are added.
    pub sum: Summation,
    /// The vector instructions of the CPU; `None` for those that MANYBODY_SIMD names, or the widest there are.
    pub level: Option<Level>,
    /// How exact the solvers tree and fmm are.
    pub expansion: Expansion,
}

/// How exact forces by expansions are, and how that is reached: for the solvers tree and fmm.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expansion {
    /// The relative error, |da| / |a|, that 99 of 100 bodies stay below; [`Expansion::RTOL`] where no error
    /// is named.
    pub rtol: Option<f64>,
    /// The order of the expansions; `None` for one that suits the error.
    pub order: Option<usize>,
    /// Cells interact where their radii together are less than this times their distance, whatever the error; `None` for
    /// a criterion by the error.
    pub theta: Option<f64>,
    /// The error of an acceleration that one interaction may make, relative to it; `None` for one that suits the error.
    pub tolerance: Option<f64>,
}

impl Expansion {
    /// The error that is promised where no error is named: well below what the softening and the graininess of a
    /// collisionless system of a million bodies do to its forces (docs/accuracy.md).
    pub const RTOL: f64 = 1e-3;

    /// The error that is promised; `None` where an angle alone decides.
    pub fn promise(&self) -> Option<f64> {
        self.rtol.or(if self.theta.is_some() { None } else { Some(Self::RTOL) })
    }
}

impl Default for Method {
    /// Each pair once, in f64, on the CPU.
    fn default() -> Self {
        Method {
            device: Device::Cpu,
            gpus: Gpus::default(),
            solver: SolverName::Symmetric,
            precision: Precision::F64,
            sum: Summation::default(),
            level: None,
            expansion: Expansion::default(),
        }
    }
}

impl Method {
    /// The default on a device in a precision: the solver that suits it, with its own sums.
    pub fn on(device: Device, precision: Precision) -> Self {
        Method::summed(device, precision, Summation::default())
    }

    /// The default on a device with a precision and sums.
    pub fn summed(device: Device, precision: Precision, sum: Summation) -> Self {
        Method { device, solver: SolverName::default_on(device, precision, sum), precision, sum, ..Method::default() }
    }

    /// This method by another solver.
    #[must_use]
    pub fn solver(self, solver: SolverName) -> Self {
        Method { solver, ..self }
    }

    /// This method on other GPUs.
    #[must_use]
    pub fn gpus(self, gpus: Gpus) -> Self {
        Method { gpus, ..self }
    }

    /// The vector instructions of the CPU.
    ///
    /// # Errors
    /// [`Error::Parameter`] for those that this machine does not have, and [those](Level::from_env) of MANYBODY_SIMD.
    pub fn level(&self) -> Result<Level> {
        self.level.map_or_else(Level::from_env, Level::on_this_machine)
    }

    /// Refuses what does not go together on any machine, and vector instructions that this one does not have.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming `gpus` or `simd`.
    pub fn check(&self) -> Result<()> {
        if self.gpus != Gpus::default() && self.device != Device::Cuda {
            let expected = format!(
                "needs --device cuda: only its GPUs are chosen and share a computation, and this one is for {}",
                self.device
            );
            return Err(Error::Parameter { name: "gpus", value: self.gpus.to_string(), expected });
        }
        self.level.map_or(Ok(()), |level| level.on_this_machine().map(drop))
    }

    /// [`check`](Self::check), and refuses what only gravity has: other sums than blocked ones, the plain loops of the
    /// reference, mixed precision on the CPU.
    ///
    /// # Errors
    /// Its errors, and [`Error::Unsupported`].
    pub fn check_for_laws(&self) -> Result<()> {
        self.check()?;
        let wrong = |capability, value: String, expected: &str| {
            Err(Error::Unsupported { capability, value, expected: expected.into() })
        };
        if self.sum != Summation::default() {
            return wrong(Capability::Sum, self.sum.to_string(), "it belongs to gravity; a law sums in blocks");
        }
        let solver = self.solver.to_string();
        match (self.solver, self.device) {
            (SolverName::Reference | SolverName::Tuned(_), _) => {
                wrong(Capability::Solver, solver, "it belongs to gravity; a law has symmetric, direct, fmm and tree")
            }
            (SolverName::Auto, Device::Cpu) => {
                wrong(Capability::Solver, solver, "is for GPUs; a law on the CPU has symmetric, direct, fmm and tree")
            }
            (_, Device::Cpu) if self.precision == Precision::Mixed => {
                let expected = "the CPU has mixed precision for gravity only: must be f32 or f64";
                wrong(Capability::Precision, self.precision.to_string(), expected)
            }
            _ => Ok(()),
        }
    }
}

/// Which GPUs share a computation; an empty list stands for the first one. Their number changes no bit of the result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Gpus(Vec<usize>);

impl Gpus {
    /// The most that share a computation.
    pub const MAX: usize = 8;

    /// Those of these numbers, from 0. One that is named twice shares with itself, which is for tests.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more than [`MAX`](Self::MAX).
    pub fn of(ordinals: &[usize]) -> Result<Self> {
        if ordinals.len() > Self::MAX {
            let expected = format!("must be at most {} GPUs", Self::MAX);
            return Err(Error::Parameter { name: "gpus", value: format!("{ordinals:?}"), expected });
        }
        Ok(Gpus(ordinals.to_vec()))
    }

    /// Their numbers; empty for the first one alone.
    pub fn ordinals(&self) -> &[usize] {
        &self.0
    }

    /// Whether there is more than one.
    pub fn are_several(&self) -> bool {
        self.0.len() > 1
    }
}

impl Display for Gpus {
    /// Their count for the first ones, "id:1,3" for others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.iter().copied().eq(0..self.0.len()) {
            return write!(f, "{}", self.0.len().max(1));
        }
        let ids: Vec<String> = self.0.iter().map(usize::to_string).collect();
        write!(f, "id:{}", ids.join(","))
    }
}

impl FromStr for Gpus {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::Parameter {
            name: "gpus",
            value: text.into(),
            expected: "must be a number of GPUs from 1 to 8, or id: and their numbers, as in id:1 or id:0,2".into(),
        };
        let ordinals: Vec<usize> = match text.strip_prefix("id:") {
            Some(ids) => ids.split(',').map(|id| id.trim().parse().map_err(|_| wrong())).collect::<Result<_>>()?,
            None => match text.parse().map_err(|_| wrong())? {
                1 => Vec::new(),
                count if (2..=Self::MAX).contains(&count) => (0..count).collect(),
                _ => return Err(wrong()),
            },
        };
        match (1..ordinals.len()).all(|k| !ordinals[..k].contains(&ordinals[k])) {
            true => Gpus::of(&ordinals),
            false => Err(wrong()),
        }
    }
}

/// A device that was asked for, or the fastest that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The fastest that is there.
    #[default]
    Auto,
    /// This one, or an error.
    Device(Device),
}

impl Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceChoice::Auto => f.pad("auto"),
            DeviceChoice::Device(device) => device.fmt(f),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let devices = Device::ALL.map(|device| (device.name(), DeviceChoice::Device(device)));
        named(name, "device", [("auto", DeviceChoice::Auto)].into_iter().chain(devices))
    }
}

/// The solvers by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SolverName {
    /// Each pair once, by Newton's third law.
    Symmetric,
    /// Every body sums over all others.
    Direct,
    /// Plain f64 loops on one thread of the CPU, for checking.
    Reference,
    /// Cells of a tree act on leaves by expansions, neighbours body by body: O(n log n).
    Tree,
    /// Cells of a tree act on cells by expansions, neighbours body by body: O(n).
    Fmm,
    /// On GPUs, whichever is faster for the number of bodies.
    Auto,
    /// On GPUs, a kernel with a configuration of one's own.
    Tuned(KernelConfig),
}

impl SolverName {
    /// Every solver that has a name of its own.
    pub const ALL: [SolverName; 6] = [
        SolverName::Symmetric,
        SolverName::Direct,
        SolverName::Reference,
        SolverName::Tree,
        SolverName::Fmm,
        SolverName::Auto,
    ];

    /// Whether forces are computed by expansions, so that their error is chosen.
    pub fn is_by_expansion(self) -> bool {
        matches!(self, SolverName::Tree | SolverName::Fmm)
    }

    /// Its name on the command line; that of its kernel for one with a configuration.
    pub fn name(self) -> &'static str {
        match self {
            SolverName::Symmetric => "symmetric",
            SolverName::Direct => "direct",
            SolverName::Reference => "reference",
            SolverName::Tree => "tree",
            SolverName::Fmm => "fmm",
            SolverName::Auto => "auto",
            SolverName::Tuned(config) => config.entry(),
        }
    }

    /// The solver of a device where no solver is named; on GPUs `auto` knows which one has a precision and a summation.
    pub fn default_on(device: Device, precision: Precision, sum: Summation) -> Self {
        match device {
            Device::Cpu if precision == Precision::Mixed || sum != Summation::default() => SolverName::Direct,
            Device::Cpu => SolverName::Symmetric,
            Device::Cuda | Device::Wgpu => SolverName::Auto,
        }
    }
}

impl Display for SolverName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverName::Tuned(config) => f.pad(&config.to_string()),
            named => f.pad(named.name()),
        }
    }
}

impl FromStr for SolverName {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        if name.contains(':') {
            return name.parse().map(SolverName::Tuned);
        }
        named(name, "solver", SolverName::ALL.map(|solver| (solver.name(), solver)))
    }
}

/// The value of a name in a list.
fn named<T>(name: &str, what: &'static str, known: impl IntoIterator<Item = (&'static str, T)>) -> Result<T> {
    let mut names = Vec::new();
    for (text, value) in known {
        if text == name {
            return Ok(value);
        }
        names.push(text);
    }
    Err(Error::Unknown { what, name: name.into(), known: names.join(", ") })
}
