//! Options for settings of the library's table, the same for every command that has them.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use manybody::settings::{Form, Raw, Setting, Settings, TABLE, setting};
use std::marker::PhantomData;
use std::path::PathBuf;

/// Some settings of the table.
pub(crate) trait Selection {
    /// Whether a setting is one of them.
    fn has(setting: &Setting) -> bool;

    /// What a setting is, where a command means something else by it than a run.
    fn help(_setting: &Setting) -> Option<&'static str> {
        None
    }

    /// The settings, in the order of the table.
    fn all() -> impl Iterator<Item = &'static Setting> {
        TABLE.iter().copied().filter(|setting| Self::has(setting))
    }
}

/// Whether a setting is one of `these`.
pub(crate) fn is_among(setting: &Setting, these: &[&Setting]) -> bool {
    these.contains(&setting)
}

/// What a setting is to a command, by a table of those that are more or less there than in a run.
pub(crate) fn help_in(table: &[(&Setting, &'static str)], setting: &Setting) -> Option<&'static str> {
    table.iter().find(|(own, _)| *own == setting).map(|(_, help)| *help)
}

/// Those by which a model of initial conditions draws its bodies.
pub(crate) struct OfModels;

/// The threads that compute.
pub(crate) struct OfThreads;

/// The processes that compute.
pub(crate) struct OfRanks;

/// All but those of models.
pub(crate) struct OfRuns;

impl Selection for OfModels {
    fn has(setting: &Setting) -> bool {
        is_among(setting, &[&setting::n, &setting::seed])
    }
}

impl Selection for OfThreads {
    fn has(setting: &Setting) -> bool {
        is_among(setting, &[&setting::threads])
    }
}

impl Selection for OfRanks {
    fn has(setting: &Setting) -> bool {
        is_among(setting, &[&setting::ranks, &setting::rank, &setting::at])
    }
}

impl Selection for OfRuns {
    fn has(setting: &Setting) -> bool {
        !OfModels::has(setting)
    }
}

/// The settings that were given as options.
pub(crate) struct Given<S> {
    pub(crate) settings: Settings,
    selection: PhantomData<S>,
}

impl<S: Selection> clap::Args for Given<S> {
    fn augment_args(command: Command) -> Command {
        command.args(S::all().map(option::<S>))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The option for a setting.
fn option<S: Selection>(setting: &'static Setting) -> Arg {
    let excludes = S::all().map(|other| other.name).filter(|name| setting.excludes.contains(name));
    let help = S::help(setting).map_or_else(|| help(setting), str::to_owned);
    let arg = Arg::new(setting.name).help(help).conflicts_with_all(excludes);
    let arg = match setting.name {
        "file" => arg, // given by its place
        name if name.len() == 1 => arg.long(name).short(name.chars().next()),
        name => arg.long(name),
    };
    match setting.form {
        Form::Flag => arg.action(ArgAction::SetTrue),
        Form::Number => arg.value_name(setting.value).allow_hyphen_values(true),
        Form::Word => arg.value_name(setting.value),
        Form::Path => arg.value_name(setting.value).value_parser(clap::value_parser!(PathBuf)),
        Form::List => arg.value_name(setting.value).action(ArgAction::Append),
    }
}

/// The help of the option for a setting, with its default.
fn help(setting: &Setting) -> String {
    match setting.default {
        "" => setting.text(),
        default => format!("{} [default: {default}]", setting.text()),
    }
}

/// What was given for a setting.
fn given(matches: &ArgMatches, setting: &Setting) -> Option<Raw> {
    let text = || matches.get_one::<String>(setting.name).cloned().map(Raw::Text);
    match setting.form {
        Form::Flag => matches.get_flag(setting.name).then_some(Raw::Boolean(true)),
        Form::Number | Form::Word => text(),
        Form::Path => matches.get_one::<PathBuf>(setting.name).cloned().map(Raw::Path),
        Form::List => matches.get_many::<String>(setting.name).map(|texts| Raw::List(texts.cloned().collect())),
    }
}

impl<S: Selection> FromArgMatches for Given<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut settings = Settings::default();
        for setting in S::all() {
            if let Some(raw) = given(matches, setting) {
                let wrong = |error| clap::Error::raw(ErrorKind::InvalidValue, format!("{error}\n"));
                settings.set(setting.name, raw).map_err(wrong)?;
            }
        }
        Ok(Given { settings, selection: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
