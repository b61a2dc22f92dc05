//! The command `manybody`: each subcommand is a file with its arguments and a `run`.

use clap::{Parser, Subcommand};
use std::process::ExitCode;

mod bench;
mod console;
mod convert;
mod device;
mod devices;
mod force;
mod ic;
mod info;
mod interrupt;
mod law;
mod model;
mod pairs;
mod paper;
mod run;
mod writing;

/// N-body and pairwise interactions: fast, and known how right.
#[derive(Parser)]
#[command(name = "manybody", version, propagate_version = true, infer_subcommands = false)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(Box<run::Args>),
    Ic(ic::Args),
    Force(force::Args),
    Pairs(Box<pairs::Args>),
    Convert(convert::Args),
    Info(info::Args),
    Devices(devices::Args),
    Bench(bench::Args),
    Paper(paper::Args),
}

fn main() -> ExitCode {
    device::register();
    interrupt::spare_large_files();
    // clap itself exits with 2 on bad usage
    let outcome = match Cli::parse().command {
        Command::Run(args) => run::run(*args),
        Command::Ic(args) => ic::run(args),
        Command::Force(args) => force::run(args),
        Command::Pairs(args) => pairs::run(*args),
        Command::Convert(args) => convert::run(args),
        Command::Info(args) => info::run(args),
        Command::Devices(args) => devices::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Paper(args) => paper::run(args),
    };
    match outcome {
        Ok(code) => code,
        Err(report) => {
            console::say(format_args!("error: {}", console::chain(&report)));
            ExitCode::from(status_of(&report))
        }
    }
}

/// 2 where the input is at fault, 1 where the run failed.
fn status_of(report: &anyhow::Error) -> u8 {
    match report.downcast_ref::<manybody::Error>() {
        Some(error) if error.is_bad_input() => 2,
        _ => 1,
    }
}
