//! The options that choose initial conditions, the same for `ic` and `run`.
//!
//! Every parameter of every model is an option of its own (`--w0 7`); `--with w0=7` is the same. The
//! parameters of each model are declared in [`ic::registry`] alone, and listed from there below the options.

use crate::settings::{Given, OfModels};
use clap::builder::UnknownArgumentValueParser;
use clap::{Arg, ArgGroup, ArgMatches, Command, FromArgMatches};
use manybody::{Error, Result, ic};
use std::collections::{BTreeMap, BTreeSet};

/// The group of the models' parameters.
const PARAMETERS: &str = "parameters";

/// Number, seed and parameters of initial conditions.
#[derive(clap::Args)]
pub(crate) struct Choice {
    #[command(flatten)]
    pub(crate) model: Given<OfModels>,

    /// A parameter of the model: --with w0=7 is --w0 7; each model's are listed below
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    with: Vec<(String, String)>,

    #[command(flatten)]
    named: Named,
}

impl Choice {
    /// The parameters that were given, in either spelling.
    ///
    /// # Errors
    /// [`Error::Parameter`] for one that was given twice.
    pub(crate) fn parameters(&self) -> Result<BTreeMap<String, String>> {
        let mut all = self.named.0.clone();
        for (name, value) in &self.with {
            if let Some(before) = all.insert(name.clone(), value.clone()) {
                let expected = format!("{name} has been given before, as {before}: must be given once");
                return Err(Error::Parameter { name: "with", value: format!("{name}={value}"), expected });
            }
        }
        Ok(all)
    }
}

/// The models with what can be set, for the end of --help.
pub(crate) fn list() -> String {
    let mut text = String::from("Models, with their parameters and what these are if not given:\n");
    for model in ic::registry() {
        let n = model.n.map_or(String::new(), |n| format!(" ({n} bodies)"));
        text += &format!("  {:15} {}{n}\n", model.name, model.about);
        for parameter in model.parameters {
            let default = if parameter.default.is_empty() { "VALUE" } else { parameter.default };
            text += &format!("      {:24} {}\n", format!("--{} {default}", parameter.name), parameter.about);
        }
    }
    text
}

/// What belongs to `manybody ic`.
const OF_IC: &str = "it belongs to `manybody ic`: write a file with units first, and run that";

/// Words that people try: clap would offer another that only looks like them. Each is an option of its own, so that its
/// error has the word that was given.
#[derive(clap::Args)]
pub(crate) struct Softening {
    #[arg(long, hide = true, value_parser = UnknownArgumentValueParser::suggest_arg("--eps"))]
    soften: Option<String>,
    #[arg(long, hide = true, value_parser = UnknownArgumentValueParser::suggest_arg("--eps"))]
    epsilon: Option<String>,
}

/// The same for what belongs to `manybody ic`.
#[derive(clap::Args)]
pub(crate) struct ScaleOfIc {
    #[arg(long, hide = true, value_parser = UnknownArgumentValueParser::suggest(OF_IC))]
    scale: Option<String>,
    #[arg(long, hide = true, value_parser = UnknownArgumentValueParser::suggest(OF_IC))]
    units: Option<String>,
    #[arg(long, hide = true, value_parser = UnknownArgumentValueParser::suggest(OF_IC))]
    half_mass_radius: Option<String>,
}

/// The parameters given as options, by name.
#[derive(Clone, Default)]
struct Named(BTreeMap<String, String>);

/// The names of all models' parameters.
pub(crate) fn names() -> BTreeSet<&'static str> {
    ic::registry().iter().flat_map(|model| model.parameters).map(|parameter| parameter.name).collect()
}

impl FromArgMatches for Named {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let given = |name| Some((String::from(name), matches.get_one::<String>(name)?.clone()));
        Ok(Named(names().into_iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Named {
    fn augment_args(command: Command) -> Command {
        // hidden: the list below the options shows each beside its model
        let option = |name| Arg::new(name).long(name).value_name("VALUE").allow_hyphen_values(true).hide(true);
        command.args(names().into_iter().map(option)).group(ArgGroup::new(PARAMETERS).args(names()).multiple(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn parameter(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be NAME=VALUE, as in w0=7")?;
    Ok((name.trim().into(), value.trim().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the parameters must leave room for the options of both commands.
    #[test]
    fn every_parameter_is_listed() {
        let list = list();
        assert!(names().into_iter().all(|name| list.contains(&format!("--{name} "))), "{list}");
    }
}
