//! `manybody devices`: what is here, with limits.

use crate::console::{json, say};
use std::process::ExitCode;

/// List the devices that forces can be computed on, with their limits
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object a line on stdout
    #[arg(long)]
    json: bool,
}

/// Prints the devices.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let threads = std::thread::available_parallelism()?;
    let level = manybody::simd::Level::from_env()?.name();
    if args.json {
        json(&serde_json::json!({"device": "cpu", "threads": threads, "simd": level}));
    } else {
        say(format_args!("cpu     {threads} threads, {level}"));
    }
    Ok(ExitCode::SUCCESS)
}
