//! What all ranks must have been started with, line by line, so that a difference can be named.

use crate::Result;
use crate::settings::{Effect, Settings, setting};
use crate::simd::Level;
use std::fmt::Write;
use std::path::Path;

/// The program, the vector instructions that it computes with, what it does, and every setting but those of the
/// process. Files are named and not read: rank 0 alone reads them. The text of a law is a setting.
///
/// # Errors
/// Those of MANYBODY_SIMD and of a file with a law.
pub fn identity(settings: &Settings, command: &str) -> Result<String> {
    let settings = settings.clone().with_law_text(Path::new(""))?;
    let mut text = format!(
        "program = manybody {}\nsimd (MANYBODY_SIMD) = {}\ncommand = {command}\n",
        env!("CARGO_PKG_VERSION"),
        settings.simd.map_or_else(Level::from_env, Level::on_this_machine)?
    );
    for (given, raw) in settings.raw() {
        if given.effect != Effect::Process && *given != setting::simd {
            let value = raw.to_string().replace('\n', "; ");
            let _ = writeln!(text, "{} = {value}", given.name);
        }
    }
    for (name, value) in settings.with.iter().flatten() {
        let _ = writeln!(text, "with {name} = {value}");
    }
    Ok(text)
}
