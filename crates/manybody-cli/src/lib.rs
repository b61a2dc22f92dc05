//! The command `manybody`: each subcommand is a file with its arguments and a `run`.
//!
//! It is a library with one function, [`run_command`], so that the Python package carries the same command as the program.

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

mod bench;
mod console;
mod convert;
mod device;
mod devices;
mod ensemble;
mod force;
mod ic;
mod info;
mod interrupt;
mod law;
mod measured;
mod model;
mod pairs;
#[cfg(feature = "papers")]
mod paper;
#[cfg(feature = "view")]
mod plot;
#[cfg(feature = "view")]
mod profile;
mod progress_line;
mod ranks;
#[cfg(feature = "view")]
mod render;
mod run;
mod settings;
#[cfg(feature = "serve")]
mod view;
mod writing;

/// N-body and pairwise interactions, fast, with measured errors.
#[derive(Parser)]
#[command(name = "manybody", version, propagate_version = true, infer_subcommands = false)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(Box<run::Args>),
    Ic(Box<ic::Args>),
    Force(Box<force::Args>),
    Pairs(Box<pairs::Args>),
    Ensemble(Box<ensemble::Args>),
    Convert(convert::Args),
    Info(info::Args),
    #[cfg(feature = "view")]
    Render(Box<render::Args>),
    #[cfg(feature = "view")]
    Plot(plot::Args),
    #[cfg(feature = "view")]
    Profile(profile::Args),
    #[cfg(feature = "serve")]
    View(view::Args),
    Devices(devices::Args),
    Bench(Box<bench::Args>),
    #[cfg(feature = "papers")]
    Paper(Box<paper::Args>),
}

/// Bytes of the stack that the program runs on, whatever the shell's limit is: Linux's own default.
const STACK: usize = 8 << 20;

/// Runs the command with these arguments, the first of which is the program's name, and returns its exit status. It takes
/// over the process: signals are its own from here on, and bad usage, `--help` and Ctrl-C end the process.
pub fn run_command(arguments: Vec<OsString>) -> ExitCode {
    interrupt::begin();
    // `ulimit -s` may leave the first thread less than parsing the command line takes
    let thread = std::thread::Builder::new().name("manybody".into()).stack_size(STACK).spawn(|| whole(arguments));
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => {
            console::complain(format_args!("error: no thread can be started: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn whole(arguments: Vec<OsString>) -> ExitCode {
    // a panic that is caught becomes an error, and is printed as an error
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !manybody::guard::is_guarded() {
            tell(panic);
        }
    }));
    interrupt::spare_large_files();
    interrupt::fail_without_memory();
    // clap itself exits with 2 on bad usage
    let parsed = Cli::try_parse_from(&arguments).unwrap_or_else(|error| {
        name_what_is_no_text(&error, &arguments);
        error.exit()
    });
    let outcome = match parsed.command {
        Command::Run(args) => run::run(*args),
        Command::Ic(args) => ic::run(*args),
        Command::Force(args) => force::run(*args),
        Command::Pairs(args) => pairs::run(*args),
        Command::Ensemble(args) => ensemble::run(*args),
        Command::Convert(args) => convert::run(args),
        Command::Info(args) => info::run(args),
        #[cfg(feature = "view")]
        Command::Render(args) => render::run(*args),
        #[cfg(feature = "view")]
        Command::Plot(args) => plot::run(args),
        #[cfg(feature = "view")]
        Command::Profile(args) => profile::run(args),
        #[cfg(feature = "serve")]
        Command::View(args) => view::run(args),
        Command::Devices(args) => devices::run(args),
        Command::Bench(args) => bench::run(*args),
        #[cfg(feature = "papers")]
        Command::Paper(args) => paper::run(*args),
    };
    match outcome {
        // lines of --json that could not be written are a result that is not there
        Ok(code) if code == ExitCode::SUCCESS && console::has_lost_lines() => ExitCode::FAILURE,
        Ok(code) => code,
        Err(report) => {
            console::complain(format_args!("error: {}", console::chain(&report)));
            ExitCode::from(status_of(&report))
        }
    }
}

/// Says which argument is meant where clap only says that one is not UTF-8.
fn name_what_is_no_text(error: &clap::Error, arguments: &[OsString]) {
    if error.kind() == clap::error::ErrorKind::InvalidUtf8 {
        let arguments = arguments.iter().filter(|argument| argument.to_str().is_none());
        arguments.for_each(|argument| console::complain(format_args!("{argument:?}: not text in UTF-8")));
    }
}

/// 2 where the input is at fault, 1 where the run failed.
fn status_of(report: &anyhow::Error) -> u8 {
    match report.downcast_ref::<manybody::Error>() {
        Some(error) if error.is_bad_input() => 2,
        _ => 1,
    }
}
