//! `manybody view`: snapshots in a browser, by the crate `manybody-serve`.

use crate::console::{complain, json};
use manybody::snapshot::{ColumnOrder, ReadOptions};
use manybody::watch::Watch;
use manybody_serve::{Address, Player};
use std::path::PathBuf;
use std::process::ExitCode;

/// Show snapshots in a browser
///
/// Prints an address for a browser, and serves it until Ctrl-C. Several snapshots are played back, with a slider for
/// the time. On another machine, `ssh -L 8080:127.0.0.1:8080 MACHINE` brings a page served with --serve 8080 to
/// http://127.0.0.1:8080.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Snapshots, in the order in which they are shown
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Where to listen; by default this machine alone can reach it, at a port that the system chooses
    #[arg(long, value_name = "ADDRESS", default_value_t = Address::default())]
    serve: Address,
    /// Begin paused, at the first snapshot
    #[arg(long)]
    paused: bool,
    /// Order of plain text's columns: mass-first (m x y z vx vy vz), mass-last (x y z vx vy vz m)
    #[arg(long, value_name = "ORDER")]
    columns: Option<ColumnOrder>,
    /// Print the address as a JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// Serves.
///
/// # Errors
/// Those of the files and of the address.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    crate::interrupt::end_at_once()?;
    let options = ReadOptions { columns: args.columns, ..ReadOptions::default() };
    let player = Player::open(args.files, options, &args.serve)?;
    if args.paused {
        player.server().pause();
    }
    announce(&player.server().url(), args.json);
    player.play(&Watch::default(), &mut |notice| complain(format_args!("warning: {notice}")));
    Ok(ExitCode::SUCCESS)
}

/// Prints the address of a live view, which has a secret that only this output shows: in any case.
pub(crate) fn announce(url: &str, to_json: bool) {
    complain(format_args!("live view: {url}"));
    if to_json {
        json(&serde_json::json!({ "event": "serve", "url": url }));
    }
}
