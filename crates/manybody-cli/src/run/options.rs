//! The options of `manybody run`: the settings of the library's table, and what only a command has, how it prints.

use crate::model::{self, Choice, ScaleOfIc, Softening};
use crate::settings::{Given, OfRuns};
use manybody::settings::Settings;
#[cfg(feature = "serve")]
use manybody_serve::Address;
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
    #[command(flatten)]
    given: Given<OfRuns>,

    #[command(flatten)]
    choice: Choice,

    #[command(flatten)]
    _softening: Softening,

    #[command(flatten)]
    _scale: ScaleOfIc,

    /// Print nothing but errors and warnings; with --json, the objects too
    #[arg(long)]
    pub(super) quiet: bool,

    /// At the end, say when the energy changed most, which pair of bodies was closest then, and what to change; takes
    /// up to twice the time, and changes no bit of the run
    #[arg(long)]
    pub(super) explain: bool,

    /// Print one JSON object a line on stdout: serve, start, progress, log, snapshot, damaged, explain, end
    #[arg(long)]
    pub(super) json: bool,

    /// Show the run in a browser, at the address that is printed. By default this machine alone can reach it, at a port
    /// that the system chooses; give it after the input, as in --serve 8080 or --serve 0.0.0.0:8080
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "0")]
    pub(super) serve: Option<Address>,

    /// Let viewers pause, step, slow down and stop the run
    #[cfg(feature = "serve")]
    #[arg(long, requires = "serve")]
    pub(super) control: bool,

    /// Begin paused: the first step waits for a viewer who presses play, or Ctrl-C
    #[cfg(feature = "serve")]
    #[arg(long, requires = "control")]
    pub(super) paused: bool,
}

impl Args {
    /// The TOML file to start from, if the input is one.
    pub(super) fn description(&self) -> Option<PathBuf> {
        let is_toml = |path: &&PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
        self.given.settings.file.as_ref().filter(is_toml).cloned()
    }

    /// What the command line says about the run, beside a TOML file.
    ///
    /// # Errors
    /// [`manybody::Error::Parameter`] for a parameter that was given twice.
    pub(super) fn settings(&self) -> manybody::Result<Settings> {
        let with = self.choice.parameters()?;
        let file = self.given.settings.file.clone().filter(|_| self.description().is_none());
        let with = Some(with).filter(|with| !with.is_empty());
        Ok(self.choice.model.settings.clone().or(Settings { file, with, ..self.given.settings.clone() }))
    }
}
