//! The settings of a run: one table, from which options, TOML keys, metadata of snapshots, resume rules and
//! documentation are made.
//!
//! An entry of the table below is the only place where a setting is declared. What it makes:
//!
//! | made from the entry | where |
//! |---|---|
//! | a field of [`Settings`] (what was said), and for most one of [`Parameters`] (what a run has) | this module |
//! | the key of a TOML file, read and written | [`Settings::read`], [`Settings::to_toml`] |
//! | the option of `manybody run`, with its help | the command, from [`TABLE`] |
//! | the entry `run.NAME` in a snapshot's metadata | [`Parameters::from_snapshot`] |
//! | what may change when a run is resumed | [`Effect`], [`Parameters::differences`], [`Parameters::contradiction`] |
//! | its row in docs/settings.md | [`markdown`] |

mod check;
mod declare;
mod description;
mod document;
mod forces;
mod merge;
mod value;

pub use check::Audit;
pub(crate) use description::is_generated;
pub use document::markdown;
pub use forces::{FieldWords, Fields, ForceLaw, ParameterWords};
pub(crate) use merge::DEFAULT_IC;
use value::one_or_more;
pub use value::{Form, Given, Quantity, Raw, Value, bodies, count};

use crate::driver::Threads;
use crate::events::Collisions;
use crate::integrator::{IntegratorName, Pairs, StepControl, TimeSteps};
use crate::simd::Level;
use crate::snapshot::ColumnOrder;
use crate::solver::{Device, Expansion, Gpus, Method, Precision, Softening, SolverName, Summation};
use crate::units::{Dimension, Units};
use crate::{Error, Result, Snapshot};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A setting: everything that is known of it but its type.
#[derive(Debug)]
#[non_exhaustive]
pub struct Setting {
    /// The option, the key in TOML and the keyword: "t-end".
    pub name: &'static str,
    /// The key in the metadata of a snapshot: "run.t_end".
    pub key: &'static str,
    /// What stands for its value in help: "TIME".
    pub value: &'static str,
    /// What it is, in a line or more.
    pub help: &'static str,
    /// The dimension of a quantity that may carry a unit.
    pub unit: Option<Dimension>,
    /// What holds where it is not given, in words; empty where nothing does.
    pub default: &'static str,
    /// What it changes.
    pub effect: Effect,
    /// Whether snapshots keep it.
    pub kept: Kept,
    /// Settings that cannot be given beside it.
    pub excludes: &'static [&'static str],
    /// Whether it says how forces are computed: then all have it that compute forces once, too.
    pub of_forces: bool,
    /// How it is given.
    pub form: Form,
}

/// A setting is known by its name.
impl PartialEq for Setting {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Setting {}

impl Setting {
    /// The help as one line of text.
    pub fn text(&self) -> String {
        self.help.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned()
    }
}

/// What a setting changes, and so what another value means for a run that is resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The bodies at the start: another value is another run.
    Start,
    /// The bits of the results: another value is another run.
    Bits,
    /// Which states are kept, in snapshots or lines of the table: another value is another run.
    Schedule,
    /// What is recorded beside the results: another value is another run, whose files differ.
    Record,
    /// Where a run is stopped: may change when it is resumed.
    Limit,
    /// The machine that computes: may change when a run is resumed.
    Machine,
    /// The names of files.
    Name,
    /// The process that makes the run, and nothing of the run: no description has it.
    Process,
}

impl Effect {
    /// Whether a run that is resumed with another value is another run, with an output of its own.
    pub fn makes_another_run(self) -> bool {
        matches!(self, Effect::Start | Effect::Bits | Effect::Schedule | Effect::Record)
    }
}

/// Whether a snapshot keeps a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// In every snapshot.
    Always,
    /// In every snapshot but the last, which has nothing more to come.
    UntilEnd,
    /// In no snapshot.
    Never,
}

/// For settings that a snapshot of a run must have.
fn required<T>(_: &Snapshot) -> Option<T> {
    None
}

declare::settings! {
    given {
        /// Snapshot to start from, or a TOML file that describes a run (each run writes one beside its output)
        file: PathBuf {
            name: "file", value: "SCENE|FILE", default: "", effect: Start, excludes: ["resume"],
        }
        /// Initial conditions to start from: plummer, king, ...; --help lists them
        ic: String {
            name: "ic", value: "NAME", default: "plummer", effect: Start, excludes: ["resume"],
        }
        /// Number of bodies, also as 1e6
        n: u64 {
            name: "n", value: "N", default: "16384, or what the model has", effect: Start, excludes: [],
        }
        /// Seed of the random numbers: the same seed gives the same bits
        seed: u64 {
            name: "seed", value: "S", default: "1", effect: Start, excludes: [],
        }
        /// Which column of a plain text file is the mass: mass-first or mass-last
        columns: ColumnOrder {
            name: "columns", value: "ORDER", default: "", effect: Start, excludes: ["resume"],
        }
        /// Go on from a snapshot that a run has kept; with the name of the last one (b.hdf5), from the newest there is
        resume: PathBuf {
            name: "resume", value: "FILE", default: "", effect: Start, excludes: ["n", "seed"],
        }
        /// Fingerprint of the bodies that the run must begin with: other bodies are an error
        initial_state: String {
            name: "initial-state", value: "HASH", default: "", effect: Start, excludes: [],
        }
        /// The last snapshot, in the format of its extension
        out: PathBuf {
            name: "out", value: "FILE", default: "manybody.hdf5, or the name of SCENE", effect: Name, excludes: [],
        }
        /// Threads to compute on; their number changes no bit of the result
        threads: Threads {
            name: "threads", value: "N", default: "all cores", effect: Process, excludes: [],
        }
        /// Processes that share the computation; their number changes no bit of the result. Under srun or mpirun it is known
        ranks: u64 {
            name: "ranks", value: "N", default: "what the launcher says, or 1", effect: Process, excludes: [],
        }
        /// Which of these processes this is, from 0; rank 0 writes the files. Under srun or mpirun it is known
        rank: u64 {
            name: "rank", value: "R", default: "what the launcher says", effect: Process, excludes: [],
        }
        /// Where the ranks meet: an address of the machine of rank 0, which listens there; needs MANYBODY_TOKEN
        at: String {
            name: "at", value: "HOST:PORT", default: "agreed on by a file, under srun or mpirun", effect: Process, excludes: [],
        }
        /// Remove the files of an earlier run of this name instead of moving them aside
        overwrite: bool {
            name: "overwrite", value: "", default: "", effect: Process, excludes: ["resume"],
        }
    }
    parameters {
        /// Time step; with Hermite schemes the time after which all bodies are at one time, and their largest step;
        /// with ar-chain the time between states that can be kept
        dt: f64 {
            name: "dt", value: "TIME", unit: Some(Dimension::TIME),
            default: "chosen for the system" = 1.0 / 128.0,
            absent: required, effect: Bits, kept: Always, excludes: [],
        }
        /// Time at which the run ends (not how long it lasts); met exactly
        t_end: f64 {
            name: "t-end", value: "TIME", unit: Some(Dimension::TIME),
            default: "chosen for the system" = 1.0,
            absent: |snapshot| Some(snapshot.time), effect: Bits, kept: UntilEnd, excludes: [],
        }
        /// Softening length, one for all bodies; without it each body's own, if the bodies have such
        eps: Option<f64> {
            name: "eps", value: "LENGTH", unit: Some(Dimension::LENGTH),
            default: "chosen for the system" = Some(1.0 / 64.0),
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// What a softening length is: plummer, r^2 + eps^2 in place of r^2; or spline, bodies as balls of radius 2.8 eps,
        /// beyond which forces are Newton's
        softening: Softening {
            name: "softening", value: "NAME", unit: None,
            default: "plummer" = Softening::Plummer,
            absent: |_| Some(Softening::Plummer), effect: Bits, kept: Always, excludes: [], of_forces: true,
        }
        /// The law between bodies in place of gravity: a name (coulomb, lennard-jones, ...), a text, or a file that
        /// holds a text. Its members are columns of the bodies; it must yield an acceleration or a force (docs/laws.md)
        law: Option<ForceLaw> {
            name: "law", value: "NAME|TEXT|FILE", unit: None,
            default: "gravity" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// A parameter of the law, name=value, or name=3,-7.5,11 for one of several numbers; may be given several times
        par: ParameterWords {
            name: "par", value: "NAME=VALUE", unit: None,
            default: "what the law has" = ParameterWords::default(),
            absent: |_| Some(ParameterWords::default()), effect: Bits, kept: Always, excludes: [],
        }
        /// An external field, NAME:param=value,...: point-mass, uniform, harmonic, logarithmic, miyamoto-nagai,
        /// plummer, hernquist or nfw; may be given several times
        field: Fields {
            name: "field", value: "NAME:PARAMS", unit: None,
            default: "" = Fields::default(),
            absent: |_| Some(Fields::default()), effect: Bits, kept: Always, excludes: [],
        }
        /// leapfrog (also leapfrog-kdk), leapfrog-dkd, yoshida4 or yoshida6; with time steps that vary, hermite4,
        /// hermite6 or hermite6-3pt; or ar-chain, regularised, for up to 32 bodies and their close encounters
        integrator: IntegratorName {
            name: "integrator", value: "NAME", unit: None,
            default: "leapfrog" = IntegratorName::default(),
            absent: required, effect: Bits, kept: Always, excludes: [],
        }
        /// Time steps of Hermite schemes: individual (each body its own, dt / 2^k), shared (the smallest of those for
        /// all), or constant (dt)
        time_steps: Option<TimeSteps> {
            name: "time-steps", value: "KIND", unit: None,
            default: "individual for Hermite schemes" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// Accuracy parameter of time steps that vary, dt = eta (A_1 / A_(p-2))^(1/(p-3)) with the order p
        eta: Option<f64> {
            name: "eta", value: "NUMBER", unit: None,
            default: "0.1 for hermite4, 0.5 for hermite6, 0.35 for hermite6-3pt" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// Accuracy parameter of the first time steps, dt = eta-start |a| / |jerk|
        eta_start: Option<f64> {
            name: "eta-start", value: "NUMBER", unit: None,
            default: "a tenth of eta; hermite6-3pt: 0.03 eta" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// Largest time step that a body may have, where time steps vary
        dt_max: Option<f64> {
            name: "dt-max", value: "TIME", unit: Some(Dimension::TIME),
            default: "dt" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// Smallest time step that a body may have, where time steps vary: it keeps that where it needs a smaller one
        dt_min: Option<f64> {
            name: "dt-min", value: "TIME", unit: Some(Dimension::TIME),
            default: "2^-40 dt, below which a run stops" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// How often Hermite schemes evaluate and correct a step, 1 to 9
        iterations: Option<u64> {
            name: "iterations", value: "N", unit: None,
            default: "1" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// Motion of close bodies, with hermite4 or hermite6 and without softening: resolved, as of any others; kepler, bound
        /// pairs that others hardly pull at by Kepler's solution; or chain, compact subsystems of 2 to 8 bodies by algorithmic
        /// regularisation (experimental)
        pairs: Option<Pairs> {
            name: "pairs", value: "KIND", unit: None,
            default: "resolved" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// Tidal force of others on a pair at its apocentre, relative to its own attraction, up to which --pairs kepler
        /// neglects it, and chain averages it over the orbit
        perturbation: Option<f64> {
            name: "perturbation", value: "NUMBER", unit: None,
            default: "1e-5 for kepler, 3e-6 for chain" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// What bodies do whose radii touch: merge, into one at their centre of mass. Each merger is a line of a table
        /// beside the run, b.events.csv for b.hdf5
        collisions: Option<Collisions> {
            name: "collisions", value: "KIND", unit: None,
            default: "nothing: bodies are points" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// Radius of the bodies for --collisions, one for all at the start; without it each body's own, the column radius
        radius: Option<f64> {
            name: "radius", value: "LENGTH", unit: Some(Dimension::LENGTH),
            default: "the bodies' own" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// Remove bodies that are farther than this from the centre of mass, move away from it and have an energy above 0,
        /// alone or as a bound pair. Each is a line of b.events.csv
        remove_escapers: Option<f64> {
            name: "remove-escapers", value: "LENGTH", unit: Some(Dimension::LENGTH),
            default: "bodies stay" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [],
        }
        /// Which pairs in what order: symmetric, direct, reference (cpu), auto (GPUs); or not all pairs: fmm or tree,
        /// with an error of the forces that --rtol names
        solver: SolverName {
            name: "solver", value: "NAME", unit: None,
            default: "symmetric; on GPUs auto" = SolverName::Symmetric,
            absent: required, effect: Bits, kept: Always, excludes: [], of_forces: true,
        }
        /// Where forces are computed: auto, cpu, cuda or wgpu
        device: Device {
            name: "device", value: "NAME", unit: None,
            default: "auto, the fastest that is here" = Device::Cpu,
            absent: |_| Some(Device::Cpu), effect: Bits, kept: Always, excludes: [], of_forces: true,
        }
        /// Precision of the forces, f32, mixed or f64; positions, velocities and (but on wgpu) energies are always f64
        precision: Precision {
            name: "precision", value: "NAME", unit: None,
            default: "f64" = Precision::F64,
            absent: required, effect: Bits, kept: Always, excludes: [], of_forces: true,
        }
        /// How the terms of a force are added: blocked; in f32, and in mixed precision on GPUs, also direct,
        /// blocked:SIZE, pairwise, compensated, f64 or fixed, by the solver direct
        sum: Summation {
            name: "sum", value: "NAME", unit: None,
            default: "blocked" = Summation::default(),
            absent: |_| Some(Summation::default()), effect: Bits, kept: Always, excludes: [], of_forces: true,
        }
        /// Vector instructions of the CPU: scalar, neon, avx2 or avx512. Others change the last bits of forces
        simd: Option<Level> {
            name: "simd", value: "NAME", unit: None,
            default: "what MANYBODY_SIMD names, or the widest there are" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [], of_forces: true,
        }
        /// A title, kept in the snapshots of the run and in its description
        title: Option<String> {
            name: "title", value: "TEXT", unit: None,
            default: "" = None,
            absent: |_| Some(None), effect: Record, kept: Always, excludes: [],
        }
        /// Time between snapshots, kept as b.0000.hdf5, the first bodies, b.0001.hdf5, ... beside b.hdf5
        snapshot_every: Option<f64> {
            name: "snapshot-every", value: "TIME", unit: Some(Dimension::TIME),
            default: "" = None,
            absent: |_| Some(None), effect: Schedule, kept: UntilEnd, excludes: [],
        }
        /// Time between the lines of a table beside the run, b.csv for b.hdf5: energies, radii, bound pairs and more;
        /// costs an energy, an f64 evaluation, a line
        log: Option<f64> {
            name: "log", value: "TIME", unit: Some(Dimension::TIME),
            default: "" = None,
            absent: |_| Some(None), effect: Schedule, kept: UntilEnd, excludes: [],
        }
        /// Share of the bodies whose forces are compared with f64, at the start, each snapshot and the end; 0 for no
        /// audit
        audit: f64 {
            name: "audit", value: "FRACTION", unit: None,
            default: "0.001; on GPUs 0.0001" = 0.001,
            absent: |_| Some(0.0), effect: Record, kept: Always, excludes: [],
        }
        /// Force error, |da| / rms|a|, at which an audit stops the run
        audit_limit: Option<f64> {
            name: "audit-limit", value: "ERROR", unit: None,
            default: "what the precision can explain" = None,
            absent: |_| Some(None), effect: Limit, kept: UntilEnd, excludes: [],
        }
        /// Stop the run where the energy error is found beyond this
        max_energy_error: Option<f64> {
            name: "max-energy-error", value: "ERROR", unit: None,
            default: "" = None,
            absent: |_| Some(None), effect: Limit, kept: UntilEnd, excludes: [],
        }
        /// Error of the forces to stay below: the cheapest solver and precision that meet it are taken, and compared
        /// with it again. By all pairs it is the largest |da| / rms|a|; with the solver fmm, which is chosen for many
        /// bodies, or tree, what 99 of 100 bodies stay below, |da| / |a| (1e-3 where nothing is said)
        rtol: Option<f64> {
            name: "rtol", value: "ERROR", unit: None,
            default: "" = None,
            absent: |_| Some(None), effect: Record, kept: Always, excludes: ["sum", "resume"], of_forces: true,
        }
        /// Order of the expansions of fmm and tree, 1 to 12 (8 on wgpu, and of laws on GPUs), in place of one that suits the error
        order: Option<u64> {
            name: "order", value: "P", unit: None,
            default: "what suits the error" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [], of_forces: true,
        }
        /// Error of an acceleration that one interaction of fmm and tree may make, relative to it
        tolerance: Option<f64> {
            name: "tolerance", value: "ERROR", unit: None,
            default: "chosen for --rtol, and halved until an audit at the start finds it met" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [], of_forces: true,
        }
        /// Ratio of radii to distance below which cells of fmm and tree interact, above 0 and below 1, in place of a
        /// criterion by the error
        theta: Option<f64> {
            name: "theta", value: "RATIO", unit: None,
            default: "by the error" = None,
            absent: |_| Some(None), effect: Bits, kept: Always, excludes: [], of_forces: true,
        }
        /// GPUs that share the computation, with --device cuda: how many, or which, as id:1 or id:0,2; they change no
        /// bit of the result
        gpus: Gpus {
            name: "gpus", value: "N", unit: None,
            default: "1" = Gpus::default(),
            absent: |_| Some(Gpus::default()), effect: Machine, kept: Never, excludes: [], of_forces: true,
        }
    }
}

impl Parameters {
    /// Whether forces are gravity by expansions, so that their error is chosen.
    pub fn is_by_expansion(&self) -> bool {
        self.law().is_none() && self.solver.is_by_expansion()
    }

    /// Whether bodies may merge, or be removed.
    pub(crate) fn has_events(&self) -> bool {
        self.collisions.is_some() || self.remove_escapers.is_some()
    }

    /// How forces are computed.
    pub fn method(&self) -> Method {
        let Parameters { device, gpus, solver, precision, sum, simd, rtol, order, theta, tolerance, .. } = self;
        let expansion = match solver.is_by_expansion() {
            true => {
                let order = order.map(|order| order as usize);
                Expansion { rtol: *rtol, order, theta: *theta, tolerance: *tolerance }
            }
            false => Expansion::default(),
        };
        Method {
            device: *device,
            gpus: gpus.clone(),
            solver: *solver,
            precision: *precision,
            sum: *sum,
            level: *simd,
            expansion,
        }
    }

    /// What decides on time steps that vary.
    pub fn step_control(&self) -> StepControl {
        let Parameters {
            time_steps, eta, eta_start, dt_max, dt_min, iterations, pairs, perturbation, collisions, ..
        } = self;
        StepControl {
            steps: *time_steps,
            eta: *eta,
            eta_start: *eta_start,
            dt_max: *dt_max,
            dt_min: *dt_min,
            iterations: iterations.map(|n| n.min(u64::from(u32::MAX)) as u32),
            pairs: *pairs,
            perturbation: *perturbation,
            collisions: collisions.is_some(),
        }
    }

    /// Whether the time steps of the integrator vary.
    pub fn has_variable_steps(&self) -> bool {
        self.integrator.has_variable_steps() && self.time_steps != Some(TimeSteps::Constant)
    }
}

impl Settings {
    /// Whether nothing is said of the run itself, but at most of the process that makes it.
    pub(crate) fn is_of_process_alone(&self) -> bool {
        self.with.is_none() && self.raw().iter().all(|(setting, _)| setting.effect == Effect::Process)
    }

    /// Sets the setting called `name`, as an option, a TOML key or a keyword does.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a name that is not in the table, [`Error::Parameter`] for a value that cannot be one.
    pub fn set(&mut self, name: &str, value: Raw) -> Result<()> {
        let shown = value.to_string();
        match (find(name), self.set_raw(name, value)) {
            (_, Some(Ok(()))) => Ok(()),
            (Some(setting), Some(Err(expected))) => {
                Err(Error::Parameter { name: setting.name, value: shown, expected })
            }
            _ => {
                let known: Vec<&str> = TABLE.iter().map(|setting| setting.name).collect();
                Err(Error::Unknown { what: "setting", name: name.into(), known: known.join(", ") })
            }
        }
    }
}

/// The setting called `name`.
pub fn find(name: &str) -> Option<&'static Setting> {
    TABLE.iter().find(|setting| setting.name == name).copied()
}

#[cfg(test)]
mod tests;
