//! Converts a snapshot from one file to another: between any two formats, given by the extensions, and to other units.
//!
//!     cargo run --example convert -- a.nemo b.hdf5
//!
//! Without names, it makes a file and converts that.

use manybody::snapshot::{self, Format, ReadOptions};
use manybody::{Result, Units, ic};
use std::path::PathBuf;

fn main() -> Result<()> {
    let mut names = std::env::args_os().skip(1).map(PathBuf::from);
    let (input, output) = match (names.next(), names.next()) {
        (Some(input), Some(output)) => (input, output),
        _ => made()?,
    };

    // print what the reader had to assume
    let loaded = snapshot::read_with(&input, &ReadOptions::default())?;
    loaded.notes.iter().for_each(|note| eprintln!("{}: {note}", input.display()));
    let mut system = loaded.snapshot;
    eprintln!(
        "{}: {} bodies, {}, {}",
        input.display(),
        system.bodies.len(),
        loaded.header.format.title(),
        system.units
    );

    // units without a physical scale stay what they are
    if system.units.si.is_some() {
        system.convert_to(&Units::msun_pc_kms())?;
    }

    // print what the format cannot hold, too
    let lost = snapshot::write(&output, &system)?;
    lost.iter().for_each(|note| eprintln!("{}: {note}", output.display()));
    eprintln!("{}: {}, {}", output.display(), Format::for_writing(&output)?.title(), system.units);
    Ok(())
}

/// A cluster of 1e5 solar masses with a virial radius of 3 pc, in NEMO's format; and where its copy is to go.
fn made() -> Result<(PathBuf, PathBuf)> {
    let mut cluster = ic::by_name("king", &ic::Request::new(1000, 1).with("w0", 7))?;
    cluster.units = Units::henon_scaled(1e5, 3.0)?;
    let folder = std::env::temp_dir();
    let input = folder.join("manybody_king.nemo");
    snapshot::write(&input, &cluster)?;
    Ok((input, folder.join("manybody_king.hdf5")))
}
