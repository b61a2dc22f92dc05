//! `manybody ic`: initial conditions to a file.

use crate::console;
use clap::{Arg, ArgMatches, Command, FromArgMatches};
use manybody::{ic, snapshot};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

/// Make initial conditions and write them to a file
#[derive(clap::Args)]
#[command(after_help = models())]
pub(crate) struct Args {
    /// Which; see the list below
    #[arg(value_name = "NAME")]
    name: String,
    /// How many bodies, where the model does not say
    #[arg(short)]
    n: Option<usize>,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file to write; its extension says the format
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    parameters: Parameters,
}

/// The parameters of all models, by name.
struct Parameters(BTreeMap<String, String>);

/// Each name once, with the models that have it.
fn names() -> BTreeMap<&'static str, (Vec<&'static str>, &'static str)> {
    let mut names: BTreeMap<_, (Vec<_>, _)> = BTreeMap::new();
    for model in ic::registry() {
        for parameter in model.parameters {
            names.entry(parameter.name).or_insert((Vec::new(), parameter.about)).0.push(model.name);
        }
    }
    names
}

/// The models with what can be set, for --help.
fn models() -> String {
    let mut text = String::from("Models:\n");
    for model in ic::registry() {
        let n = model.n.map_or(String::new(), |n| format!(" ({n} bodies)"));
        text += &format!("  {:15} {}{n}\n", model.name, model.about);
        for parameter in model.parameters {
            text += &format!("      --{} {}: {}\n", parameter.name, parameter.default, parameter.about);
        }
    }
    text
}

impl FromArgMatches for Parameters {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |name: &&str| matches.get_one::<String>(name).map(|value| (name.to_string(), value.clone()));
        Ok(Parameters(names().keys().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Parameters {
    fn augment_args(command: Command) -> Command {
        command.args(names().into_iter().map(|(name, (models, about))| {
            Arg::new(name)
                .long(name)
                .value_name("VALUE")
                .allow_negative_numbers(true)
                .help_heading("Parameters of models")
                .help(format!("{about} [{}]", models.join(", ")))
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Makes and writes them. A parameter that the model does not have is an error.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.out.exists() && !args.force {
        return Err(manybody::Error::Parameter {
            name: "out",
            value: args.out.display().to_string(),
            expected: "the file exists; another name, or --force to replace it, is wanted".into(),
        }
        .into());
    }
    let request = ic::Request { n: args.n, seed: args.seed, parameters: args.parameters.0 };
    let made = ic::by_name(&args.name, &request)?;
    for warning in snapshot::write(&args.out, &made)? {
        console::say(format_args!("warning: {warning}"));
    }
    let (n, units) = (made.bodies.len(), &made.units.name);
    console::say(format_args!("{}: {n} bodies of {}, units {units}", args.out.display(), args.name));
    Ok(ExitCode::SUCCESS)
}
