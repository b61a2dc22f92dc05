//! The words of `manybody run`.

use super::scene::{Quantity, Scene};
use crate::device::{Gpus, Threads};
use crate::model::{self, CHOICE, Choice, ScaleOfIc, Softening};
use std::path::PathBuf;

/// Evolve a system of bodies
///
/// With nothing else: a Plummer sphere of 16,384 bodies in virial equilibrium, in Henon units, for one time unit.
/// Energy, momentum, angular momentum and virial ratio are printed at the start and the end, with their drift.
///
/// A quantity may be a fraction (1/128) and may carry a unit ("10 Myr") where the system has physical units.
#[derive(clap::Args)]
#[command(after_long_help = model::list())]
pub(crate) struct Args {
    /// Snapshot to start from, or a TOML file that describes a run (each run writes one beside its output)
    #[arg(value_name = "SCENE|FILE", conflicts_with = "resume")]
    input: Option<PathBuf>,

    /// Initial conditions to start from: plummer, king, ...; --help lists them [default: plummer]
    #[arg(long, value_name = "NAME", conflicts_with = "resume")]
    ic: Option<String>,

    #[command(flatten)]
    choice: Choice,

    /// Which column of a plain text file is the mass: mass-first or mass-last
    #[arg(long, value_name = "ORDER", conflicts_with = "resume")]
    columns: Option<String>,

    /// Go on from a snapshot that a run has kept; with the name of the last one (b.hdf5), from the newest there is
    #[arg(long, value_name = "FILE", conflicts_with_all = CHOICE)]
    resume: Option<PathBuf>,

    /// Time step
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    dt: Option<String>,

    /// Time at which the run ends (not how long it lasts); met exactly
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    t_end: Option<String>,

    /// Plummer softening length, one for all bodies
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    eps: Option<String>,

    /// leapfrog (also leapfrog-kdk), leapfrog-dkd, yoshida4 or yoshida6 [default: leapfrog]
    #[arg(long, value_name = "NAME")]
    integrator: Option<String>,

    /// Which pairs in what order: symmetric, direct, reference (cpu) or auto (GPUs) [default: symmetric; on GPUs auto]
    #[arg(long, value_name = "NAME")]
    solver: Option<String>,

    /// Where forces are computed: auto, cpu, cuda or wgpu [default: auto, the fastest that is here]
    #[arg(long, value_name = "NAME")]
    device: Option<String>,

    /// Precision of the forces, f32, mixed or f64; positions, velocities and (but on wgpu) energies are always f64 [default: f64]
    #[arg(long, value_name = "NAME")]
    precision: Option<String>,

    /// How the terms of a force are added: blocked; in f32, and in mixed precision on GPUs, also direct, blocked:BAG,
    /// pairwise, compensated, f64 or fixed, by the solver direct [default: blocked]
    #[arg(long, value_name = "NAME")]
    sum: Option<String>,

    /// Error of the forces to stay below, |da| / rms|a|: the cheapest precision and solver that meet it are taken, and
    /// held against it again at the end
    #[arg(long, value_name = "ERROR", conflicts_with_all = ["precision", "sum", "solver", "resume"], allow_hyphen_values = true)]
    rtol: Option<String>,

    /// Share of the bodies whose forces are held against f64, at the start, each snapshot and the end; 0 for none
    /// [default: 0.001; on GPUs 0.0001]
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true)]
    audit: Option<String>,

    /// Force error, |da| / rms|a|, at which an audit stops the run [default: what the precision can explain]
    #[arg(long, value_name = "ERROR", allow_hyphen_values = true)]
    audit_limit: Option<String>,

    /// Stop the run where the energy error is found beyond this
    #[arg(long, value_name = "ERROR", allow_hyphen_values = true)]
    max_energy_error: Option<String>,

    /// The last snapshot, in the format of its extension [default: manybody.hdf5, or the name of SCENE]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Time between snapshots, kept as b.0000.hdf5, the first bodies, b.0001.hdf5, ... beside b.hdf5
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    snapshot_every: Option<String>,

    #[command(flatten)]
    _softening: Softening,

    #[command(flatten)]
    _scale: ScaleOfIc,

    #[command(flatten)]
    pub(super) threads: Threads,

    #[command(flatten)]
    pub(super) gpus: Gpus,

    /// Remove the files of an earlier run of this name instead of moving them out of the way
    #[arg(long, conflicts_with = "resume")]
    pub(super) overwrite: bool,

    /// Print nothing but errors and warnings; with --json, the objects too
    #[arg(long)]
    pub(super) quiet: bool,

    /// Print one JSON object a line on stdout: start, progress, snapshot, damaged, end
    #[arg(long)]
    pub(super) json: bool,
}

impl Args {
    /// The TOML file to start from, if the input is one.
    pub(super) fn scene_file(&self) -> Option<PathBuf> {
        let is_scene = |path: &&PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
        self.input.as_ref().filter(is_scene).cloned()
    }

    /// What the command line says about the run, beside a TOML file.
    ///
    /// # Errors
    /// [`manybody::Error::Parameter`] for a parameter that was given twice.
    pub(super) fn scene(&self) -> manybody::Result<Scene> {
        let with = self.choice.parameters()?;
        let quantity = |text: &Option<String>| text.clone().map(Quantity::Text);
        Ok(Scene {
            file: if self.scene_file().is_some() { None } else { self.input.clone() },
            ic: self.ic.clone(),
            n: self.choice.n,
            seed: self.choice.seed,
            resume: self.resume.clone(),
            dt: quantity(&self.dt),
            t_end: quantity(&self.t_end),
            eps: quantity(&self.eps),
            integrator: self.integrator.clone(),
            solver: self.solver.clone(),
            precision: self.precision.clone(),
            sum: self.sum.clone(),
            rtol: quantity(&self.rtol),
            audit: quantity(&self.audit),
            audit_limit: quantity(&self.audit_limit),
            max_energy_error: quantity(&self.max_energy_error),
            device: self.device.clone(),
            snapshot_every: quantity(&self.snapshot_every),
            out: self.out.clone(),
            columns: self.columns.clone(),
            with: (!with.is_empty()).then_some(with),
        })
    }
}
