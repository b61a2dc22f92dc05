//! The options of `manybody run`: the settings of the library's table, and those that only the command has.

use crate::device::Threads;
use crate::model::{self, CHOICE, Choice, ScaleOfIc, Softening};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use manybody::settings::{self, Raw, Setting, Settings};
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
    given: Given,

    #[command(flatten)]
    choice: Choice,

    #[command(flatten)]
    _softening: Softening,

    #[command(flatten)]
    _scale: ScaleOfIc,

    #[command(flatten)]
    pub(super) threads: Threads,

    /// Remove the files of an earlier run of this name instead of moving them aside
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
    pub(super) fn description(&self) -> Option<PathBuf> {
        let is_toml = |path: &&PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
        self.given.0.file.as_ref().filter(is_toml).cloned()
    }

    /// What the command line says about the run, beside a TOML file.
    ///
    /// # Errors
    /// [`manybody::Error::Parameter`] for a parameter that was given twice.
    pub(super) fn settings(&self) -> manybody::Result<Settings> {
        let with = self.choice.parameters()?;
        let file = self.given.0.file.clone().filter(|_| self.description().is_none());
        Ok(Settings {
            file,
            n: self.choice.n,
            seed: self.choice.seed,
            with: (!with.is_empty()).then_some(with),
            ..self.given.0.clone()
        })
    }
}

/// The settings that were given as options.
struct Given(Settings);

/// Declared with the models, for `manybody ic` has them too.
fn is_of_choice(setting: &Setting) -> bool {
    ["n", "seed"].contains(&setting.name)
}

impl clap::Args for Given {
    fn augment_args(command: Command) -> Command {
        command.args(settings::TABLE.iter().filter(|setting| !is_of_choice(setting)).map(|setting| option(setting)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The option for a setting.
fn option(setting: &'static Setting) -> Arg {
    let arg = Arg::new(setting.name).value_name(setting.value).help(model::help(setting));
    let arg = arg.conflicts_with_all(setting.excludes);
    let arg = if setting.repeats { arg.action(ArgAction::Append) } else { arg };
    match setting.name {
        // the one that is given by its place
        "file" => arg.value_parser(clap::value_parser!(PathBuf)),
        "resume" => arg.long("resume").conflicts_with_all(CHOICE).value_parser(clap::value_parser!(PathBuf)),
        "out" => arg.long("out").value_parser(clap::value_parser!(PathBuf)),
        name => arg
            .long(name)
            .allow_hyphen_values(setting.unit.is_some() || setting.value == "ERROR" || setting.value == "FRACTION"),
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Settings::default();
        for setting in settings::TABLE.iter().filter(|setting| !is_of_choice(setting)) {
            let path = || matches.try_get_one::<PathBuf>(setting.name).ok().flatten().cloned();
            match setting.name {
                "file" => given.file = path(),
                "resume" => given.resume = path(),
                "out" => given.out = path(),
                name => {
                    let texts = matches.get_many::<String>(name).map(|texts| texts.cloned().collect::<Vec<_>>());
                    let raw = match texts {
                        Some(texts) if setting.repeats => Raw::List(texts),
                        Some(mut texts) => Raw::Text(texts.pop().unwrap_or_default()),
                        None => continue,
                    };
                    let wrong = |error| clap::Error::raw(ErrorKind::InvalidValue, format!("{error}\n"));
                    given.set(name, raw).map_err(wrong)?;
                }
            }
        }
        Ok(Given(given))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
