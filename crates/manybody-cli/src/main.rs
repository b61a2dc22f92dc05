//! The program `manybody`.

use std::process::ExitCode;

fn main() -> ExitCode {
    manybody_cli::run_command(std::env::args_os().collect())
}
