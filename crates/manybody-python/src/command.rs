//! The command `manybody`, as the wheel carries it.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command with these arguments, the program's name first, and ends the process with its status.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) {
    let code = py.detach(|| manybody_cli::run_command(arguments));
    // an exit code shows its number to the system alone
    let status = (0..=u8::MAX).find(|status| ExitCode::from(*status) == code);
    std::process::exit(status.unwrap_or(1).into())
}
