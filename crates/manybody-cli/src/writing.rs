//! The options for writing a snapshot, the same for `ic` and `convert`.

use crate::console::say;
use manybody::snapshot::{self, ColumnOrder, Format, Precision, Snapshot, TipsyVariant, WriteOptions, atomic};
use manybody::{Error, Result, Units};
use std::io::ErrorKind;
use std::path::Path;

/// Format, precision, units, and whether a file may be replaced.
#[derive(clap::Args)]
#[group(id = "writing", multiple = true)]
pub(crate) struct Writing {
    /// Format of the output, whatever it is called: hdf5, tipsy, nemo, csv, text [default: that of its extension]
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// Bits of a number in the output, where the format leaves the choice: f64, f32
    #[arg(long, default_value = "f64")]
    precision: Precision,
    /// Units to convert to: henon:1e5msun:3pc, msun-pc-kms, msun-au-day, gadget, si
    #[arg(long, value_name = "NAME")]
    pub(crate) units: Option<Units>,
    /// Tipsy to write: standard (big-endian), native (little-endian), nvidia (the nbody sample of NVIDIA, Bonsai 0),
    /// bonsai (Bonsai 2)
    #[arg(long, value_name = "VARIANT", default_value = "standard")]
    tipsy: TipsyVariant,
    /// Leave the checksum out: the comment in CSV and text, the bytes at the end of the others, which some programs refuse
    #[arg(long)]
    no_checksum: bool,
    /// Replace an output that exists
    #[arg(long)]
    force: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whether an output would replace a file.
///
/// # Errors
/// [`Error::Io`] where that cannot be found out.
pub(crate) fn is_file(out: &Path) -> Result<bool> {
    match out.metadata() {
        Ok(found) => Ok(found.is_file()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(atomic::io_error(out, "find out whether it exists")(error)),
    }
}

/// Refuses to replace a file that is there, but with `force`, and a place where nothing can be written.
///
/// # Errors
/// As [`check_absent`], and [`Error::Io`] where nothing can be written there.
pub(crate) fn check_replaced(option: &'static str, out: &Path, force: bool) -> Result<()> {
    check_absent(option, out, force)?;
    atomic::check_place(out)
}

/// Refuses to replace a file that is there, but with `force`; its folder may be missing.
///
/// # Errors
/// [`Error::Parameter`] by the name of the `option`; [`Error::Io`] where it cannot be found out.
pub(crate) fn check_absent(option: &'static str, out: &Path, force: bool) -> Result<()> {
    if !force && is_file(out)? {
        let expected = "the file exists: --force replaces it".into();
        return Err(Error::Parameter { name: option, value: out.display().to_string(), expected });
    }
    Ok(())
}

/// What has been written.
pub(crate) struct Written {
    pub(crate) format: Format,
    pub(crate) bytes: u64,
}

impl Writing {
    /// Whether numbers are written as f32.
    pub(crate) fn is_f32(&self) -> bool {
        self.precision == Precision::F32
    }

    /// Whether outputs may replace what is there.
    pub(crate) fn may_replace(&self) -> bool {
        self.force
    }

    /// The format for `out`, once it is known that `out` may be written: asked before the work, not after it. `option`
    /// is what the command calls the file.
    ///
    /// # Errors
    /// [`Error::Unknown`] for an extension that means no format, [`Error::Parameter`] for a file that is there,
    /// [`Error::Io`] where that cannot be found out.
    pub(crate) fn check(&self, option: &'static str, out: &Path) -> Result<Format> {
        let format = self.to.map_or_else(|| Format::for_writing(out), Ok)?;
        check_replaced(option, out, self.force)?;
        Ok(format)
    }

    /// Writes the snapshot, says on stderr what the format cannot hold, and adds that to `notes`.
    ///
    /// # Errors
    /// Those of the format.
    pub(crate) fn write(
        &self,
        out: &Path,
        snapshot: &Snapshot,
        format: Format,
        columns: Option<ColumnOrder>,
        notes: &mut Vec<String>,
    ) -> Result<Written> {
        let options = WriteOptions {
            format: Some(format),
            precision: self.precision,
            columns,
            tipsy: self.tipsy,
            without_checksum: self.no_checksum,
        };
        let led_nowhere = out.is_symlink() && out.metadata().is_err();
        let lost = snapshot::write_as(out, snapshot, &options)?;
        if let (true, Ok(file)) = (led_nowhere, out.canonicalize()) {
            let link = "is a symbolic link that led to no file: it leads to this new one now:";
            notes.push(format!("{}: {link} {}", out.display(), file.display()));
        }
        notes.extend(lost.into_iter().map(|note| format!("{}: {note}", out.display())));
        notes.iter().for_each(|note| say(format_args!("note: {note}")));
        let bytes = out.metadata().map_err(atomic::io_error(out, "find what was written to"))?.len();
        Ok(Written { format, bytes })
    }
}
