//! `manybody paper`: tables and figures of cited papers, of the crate `manybody-papers`.

use crate::console;
use crate::device::{self, Threads};
use manybody_papers::{Options, Output};
use std::process::ExitCode;

/// Reproduce a table or figure of a cited paper, the published numbers beside ours
#[derive(clap::Args)]
#[command(after_help = manybody_papers::list())]
pub(crate) struct Args {
    /// Which one; see the list below
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    threads: Threads,
}

/// Runs a reproduction.
///
/// # Errors
/// [`manybody::Error::Unknown`] for an unknown name, and those of the computation.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.options.device().iter().try_for_each(|choice| device::check(*choice))?;
    args.threads.start()?;
    manybody_papers::run(&args.name, &args.options, Output { say: |text| console::say(text), json: console::json })?;
    Ok(ExitCode::SUCCESS)
}
