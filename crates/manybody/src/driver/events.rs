//! The table of events beside a run: `b.events.csv` for `b.hdf5`, a line for each merger and each escape.
//!
//! It keeps the promises of the table of a run ([`super::log`]): lines are on disk before a snapshot of the same time or
//! a later one is begun, and a run that is resumed cuts off the lines after its snapshot and writes them again.

use super::lines::{Earlier, Kept, Lines, is_table};
use super::observer::{Audience, Event};
use super::outputs::{Outputs, wrong_name};
use super::plan::Plan;
use crate::events::{BodyEvent, COLUMNS};
use crate::log::{Chain, header_of};
use crate::settings::Settings;
use crate::snapshot::atomic::{io_error, is_there};
use crate::units::Units;
use crate::{Error, Result};
use std::path::PathBuf;

/// What every table of events begins with.
const SIGNATURE: &str = "# manybody events ";
/// How many events there were before the table began.
const BEFORE: &str = "# events before = ";
/// The column of the time.
const TIME: usize = 0;

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
        if is_table(&self.events(), SIGNATURE)? {
            tables.push(self.events());
        }
        Ok(tables)
    }
}

/// Refuses a run whose table would take the place of another file.
///
/// # Errors
/// [`Error::Parameter`]; [`Error::Io`] where that cannot be found out.
pub(super) fn check(plan: &Plan) -> Result<()> {
    let path = plan.outputs.events();
    if !plan.run.parameters().has_events() || !is_there(&path)? || is_table(&path, SIGNATURE)? {
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
    if !plan.run.parameters().has_events() {
        return Ok(());
    }
    plan.outputs.sweep_events()?;
    let path = plan.outputs.events();
    let goes_on = plan.in_place && !plan.begins;
    let count = plan.run.tally().count;
    let is_there = goes_on && is_table(&path, SIGNATURE)?;
    if is_there {
        let earlier = Earlier::read(path.clone())?;
        let before =
            String::from_utf8_lossy(earlier.text()).lines().find_map(|line| line.strip_prefix(BEFORE)?.parse().ok());
        let before: u64 = before.unwrap_or_default();
        let header = header(plan.run.units(), before);
        // one of this run that begins after this time begins again here
        if before <= count || !earlier.text().starts_with(header.as_bytes()) {
            let missing = |kept: &Kept| count.saturating_sub(before + kept.lines);
            plan.events = Some(earlier.up_to((plan.run.time(), TIME), ("events", &header), missing, audience)?);
            return Ok(());
        }
    }
    if goes_on && !is_there && count > 0 {
        audience.warn(format_args!("{} is missing: a new table begins after this snapshot", path.display()));
    }
    plan.events = Some(Lines::begin(path, header(plan.run.units(), count), [])?);
    Ok(())
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
        let line = |event: &BodyEvent| COLUMNS.iter().map(|column| (column.of)(event)).collect::<Vec<_>>().join(",");
        events.append(happened.iter().map(line))?;
    }
    happened.iter().for_each(|event| audience.notify(&Event::Happened(event)));
    Ok(())
}
