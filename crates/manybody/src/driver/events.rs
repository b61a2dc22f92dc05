//! The table of events beside a run: `b.events.csv` for `b.hdf5`, a line for each merger and each escape.
//!
//! It keeps the promises of the table of a run ([`super::log`]): lines are on disk before a snapshot of the same time or
//! a later one is begun, and a run that is resumed cuts off the lines after its snapshot and writes them again.

use super::log::{Kept, append, is_table_of, kept};
use super::observer::{Audience, Event};
use super::outputs::{Outputs, wrong_name};
use super::plan::Plan;
use crate::events::{BodyEvent, COLUMNS};
use crate::log::{Chain, header_of};
use crate::settings::Settings;
use crate::simulation::Simulation;
use crate::snapshot::atomic::{self, io_error, is_there};
use crate::units::Units;
use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// What every table of events begins with.
const SIGNATURE: &str = "# manybody events ";
/// How many events there were before the table began.
const BEFORE: &str = "# events before = ";

/// The table of a run that is under way.
pub(super) struct Events {
    path: PathBuf,
    file: File,
    /// Bytes of whole lines, and their checksum.
    bytes: u64,
    chain: Chain,
}

impl Outputs {
    /// The table of events of the run: `b.events.csv`.
    pub(super) fn events(&self) -> PathBuf {
        self.folder.join(format!("{}.events.csv", self.stem))
    }

    /// The tables of a run that are there.
    ///
    /// # Errors
    /// [`Error::Io`] where that cannot be found out.
    pub(super) fn tables(&self) -> Result<Vec<PathBuf>> {
        let mut tables = Vec::new();
        if self.has_log()? {
            tables.push(self.log());
        }
        if is_table_of(&self.events(), SIGNATURE)? {
            tables.push(self.events());
        }
        Ok(tables)
    }
}

/// Whether a run has events.
fn has_events(run: &Simulation) -> bool {
    run.parameters().collisions.is_some() || run.parameters().remove_escapers.is_some()
}

/// Refuses a run whose table would take the place of another file.
///
/// # Errors
/// [`Error::Parameter`]; [`Error::Io`] where that cannot be found out.
pub(super) fn check(plan: &Plan) -> Result<()> {
    let path = plan.outputs.events();
    if !has_events(&plan.run) || !is_there(&path)? || is_table_of(&path, SIGNATURE)? {
        return Ok(());
    }
    let expected = format!(
        "the table of events would take the place of {}, which is no such table: give another --out",
        path.display()
    );
    Err(wrong_name(&plan.outputs.last_snapshot(), &expected))
}

fn header(units: &Units, before: u64) -> String {
    let names = COLUMNS.iter().map(|column| (column.name, column.dimension));
    header_of(&format!("{SIGNATURE}1\n{BEFORE}{before}\n"), units, names)
}

/// Begins the table of a run, or takes it up where the run goes on; nothing for a run without events.
///
/// # Errors
/// [`Error::Format`] for a table with other columns, and [`Error::Io`].
pub(super) fn open(plan: &mut Plan, audience: &mut Audience<'_>) -> Result<()> {
    if !has_events(&plan.run) {
        return Ok(());
    }
    plan.outputs.sweep_events()?;
    let path = plan.outputs.events();
    let goes_on = plan.in_place && !plan.begins;
    let count = plan.run.tally().count;
    let is_there = goes_on && is_table_of(&path, SIGNATURE)?;
    if is_there && let Some((bytes, chain)) = cut(&path, &plan.run, audience)? {
        plan.events = Some(Events { file: append(&path)?, path, bytes, chain });
        return Ok(());
    }
    if goes_on && !is_there && count > 0 {
        audience.warn(format_args!("{} is missing: a new table begins after this snapshot", path.display()));
    }
    let text = header(plan.run.units(), count);
    atomic::write_bytes(&path, text.as_bytes())?;
    let chain = Chain::begin(&text);
    plan.events = Some(Events { file: append(&path)?, path, bytes: text.len() as u64, chain });
    Ok(())
}

/// Cuts off the lines after the time of the run, and what is no whole line; warns where lines before are missing. The
/// bytes that are left, and their checksum; `None` for a table that begins after this time, which is to begin again.
fn cut(path: &Path, run: &Simulation, audience: &mut Audience<'_>) -> Result<Option<(u64, Chain)>> {
    let mut text = Vec::new();
    let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(io_error(path, "write"))?;
    file.read_to_end(&mut text).map_err(io_error(path, "read"))?;
    let wrong = |problem: String| Error::Format { path: path.into(), format: "events", problem };
    let before = String::from_utf8_lossy(&text).lines().find_map(|line| line.strip_prefix(BEFORE)?.parse().ok());
    let before: u64 = before.unwrap_or_default();
    let header = header(run.units(), before);
    let Some(rest) = text.strip_prefix(header.as_bytes()) else {
        let problem = "its header is not the one that this run writes: move it away, and a new table begins";
        return Err(wrong(problem.into()));
    };
    if before > run.tally().count {
        return Ok(None);
    }
    let Kept { lines, bytes, chain, damaged, .. } = kept(rest, Chain::begin(&header), run.time(), 0);
    let missing = run.tally().count.saturating_sub(before + lines);
    if damaged == Some(true) || (damaged.is_some() && missing > 0) {
        return Err(wrong(format!(
            "line {} differs from its checksum, or one before it is missing: --resume a snapshot before it, and it is \
             written again, or move the file away, and a new table begins",
            header.lines().count() as u64 + lines + 1
        )));
    }
    let bytes = header.len() as u64 + bytes;
    if bytes < text.len() as u64 {
        file.set_len(bytes).map_err(io_error(path, "cut off lines of"))?;
    }
    if missing > 0 {
        audience.warn(format_args!("{}: {missing} of its lines before this snapshot are missing", path.display()));
    }
    Ok(Some((bytes, chain)))
}

/// Checks the table of a finished run, where its settings ask for one.
///
/// # Errors
/// [`Error::Io`] for one that is missing, [`Error::Format`] for one that differs from its checksums.
pub(super) fn check_whole(outputs: &Outputs, settings: &Settings) -> Result<()> {
    if settings.collisions.is_none() && settings.remove_escapers.is_none() {
        return Ok(());
    }
    let path = outputs.events();
    let text = std::fs::read_to_string(&path).map_err(io_error(&path, "read"))?;
    let lines = || text.split_inclusive('\n');
    let head = lines().take_while(|line| line.starts_with('#')).count() + 1;
    let mut chain = Chain::begin(&lines().take(head).collect::<String>());
    match lines().enumerate().skip(head).find(|(_, line)| !chain.accepts(line)) {
        None => Ok(()),
        Some((k, _)) => {
            let problem = format!("line {} differs from its checksum, or one before it is missing", k + 1);
            Err(Error::Format { path, format: "events", problem })
        }
    }
}

/// Writes and reports what has happened since it was last asked.
///
/// # Errors
/// [`Error::Io`].
pub(super) fn write(plan: &mut Plan, audience: &mut Audience<'_>) -> Result<()> {
    let happened = plan.run.take_events();
    if let (Some(events), false) = (&mut plan.events, happened.is_empty()) {
        events.append(&happened)?;
    }
    happened.iter().for_each(|event| audience.tell(&Event::Happened(event)));
    Ok(())
}

impl Events {
    fn append(&mut self, happened: &[BodyEvent]) -> Result<()> {
        let mut chain = self.chain;
        let line = |event: &BodyEvent| COLUMNS.iter().map(|column| (column.of)(event)).collect::<Vec<_>>().join(",");
        let text: String = happened.iter().map(|event| chain.seal(&line(event))).collect();
        if let Err(source) = self.file.write_all(text.as_bytes()) {
            // no part of a line stays; where that fails, too, the next resume cuts it off
            let _ = self.file.set_len(self.bytes);
            return Err(io_error(&self.path, "write")(source));
        }
        (self.bytes, self.chain) = (self.bytes + text.len() as u64, chain);
        Ok(())
    }

    /// Brings all lines to the disk, before a snapshot.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(io_error(&self.path, "write"))
    }
}
