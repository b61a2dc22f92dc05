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

/// The first line in which two identities differ, in words.
pub(super) fn difference(of_root: &str, of_other: &str) -> Option<String> {
    let key = |line: &str| line.split(" = ").next().unwrap_or(line).to_owned();
    let cut = |line: &str| line.chars().take(120).collect::<String>();
    let has = |text: &str, line: &str| text.lines().any(|other| other == line);
    let of = |text: &str, name: &str| text.lines().find(|line| key(line) == name).map_or("no such setting".into(), cut);
    let differs =
        of_other.lines().find(|line| !has(of_root, line)).or(of_root.lines().find(|line| !has(of_other, line)))?;
    let name = key(differs);
    Some(format!(
        "it was started with other settings than rank 0: {}, and rank 0: {}",
        of(of_other, &name),
        of(of_root, &name)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_one_rank_lacks_are_named() {
        assert_eq!(difference("a = 1\nb = 2", "a = 1\nb = 2"), None);
        let of = |a: &str, b: &str| difference(a, b).unwrap();
        assert!(of("a = 1", "a = 1\nb = 2").ends_with("b = 2, and rank 0: no such setting"));
        assert!(of("a = 1\nb = 2", "a = 1").ends_with("no such setting, and rank 0: b = 2"));
    }
}
