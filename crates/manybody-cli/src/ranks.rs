//! Commands on several ranks: rank 0 carries the command out, the others compute with it.

use crate::console;
use crate::status_of;
use manybody::driver::threads;
use manybody::ranks::{self, Joined, Team};
use manybody::settings::Settings;
use manybody::watch::Watch;
use std::process::ExitCode;

/// Starts the threads, and carries out `command`, called `name`, which returns its exit status, on the ranks that the
/// settings or a launcher name, or alone. `begin` is called where this process only computes, so that signals are
/// passed on to rank 0.
///
/// # Errors
/// Those of the command; [`manybody::Error::Rank`] for ranks that are lost or do not belong together.
pub(crate) fn with(
    settings: &Settings,
    name: &str,
    watch: &Watch,
    begin: impl FnOnce(),
    command: impl FnOnce() -> anyhow::Result<u8>,
) -> anyhow::Result<ExitCode> {
    let Some(Joined { team, by }) = ranks::join_by(settings, name, manybody_mpi::MPI)? else {
        threads::start(settings.threads)?;
        return command().map(ExitCode::from);
    };
    threads::start(Some(settings.threads.unwrap_or_else(|| ranks::threads_of(&team))))?;
    ranks::pass_on_stops(&team, watch)?;
    if team.is_root() {
        console::say(format_args!("{} ranks{} by {by}", team.ranks(), hosts(&team)));
        return drive(&team, command).map(ExitCode::from);
    }
    begin();
    Ok(ExitCode::from(ranks::serve(&team)?))
}

/// What all ranks must have been given on the command line: all of it but what belongs to a process.
pub(crate) fn command_line() -> String {
    let mut words = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        match word.split_once('=').map_or(word.as_str(), |(name, _)| name) {
            "--rank" | "--threads" | "--at" if word.contains('=') => {}
            "--rank" | "--threads" | "--at" => drop(arguments.next()),
            _ => words.push(word),
        }
    }
    words.join(" ")
}

/// Rank 0: the others hear how it ends.
fn drive(team: &Team, command: impl FnOnce() -> anyhow::Result<u8>) -> anyhow::Result<u8> {
    let outcome = team.install(command);
    match &outcome {
        Ok(status) => team.leave(*status, ""),
        Err(report) => team.leave(status_of(report), &console::chain(report)),
    }
    outcome
}

/// Where the ranks are, where that is more than one machine: "; on node1 (0, 1), node2 (2, 3)".
fn hosts(team: &Team) -> String {
    let mut hosts: Vec<(&str, Vec<String>)> = Vec::new();
    for rank in 0..team.ranks() {
        let host = team.host(rank);
        match hosts.iter_mut().find(|(known, _)| *known == host) {
            Some((_, ranks)) => ranks.push(rank.to_string()),
            None => hosts.push((host, vec![rank.to_string()])),
        }
    }
    let words: Vec<String> = hosts.iter().map(|(host, ranks)| format!("{host} ({})", ranks.join(", "))).collect();
    if words.len() > 1 { format!(" on {}", words.join(", ")) } else { String::new() }
}
