//! The table beside a run: `b.csv` for `b.hdf5`, a line every `--log`, at the start and at the end.
//!
//! The file begins whole, by a rename, and each line is appended by one write; where a write fails, what it has left is
//! cut off. Lines are on disk before a snapshot of the same time or a later one is begun. A run that is resumed cuts
//! off the lines after its snapshot and writes them again: the table ends with the bytes of one that was never
//! interrupted. Lines before it that differ from their checksums are an error. (A system may end a write early where it
//! kills the process within it: then the next resume cuts off the part of a line, and [`Table`](crate::log::Table)
//! passes over it.)

use super::lines::{Earlier, Kept, Lines, is_table};
use super::observer::{Audience, Event};
use super::outputs::{Outputs, wrong_name};
use super::plan::Plan;
use crate::Result;
use crate::cluster::Cluster;
use crate::diagnostics::Diagnostics;
use crate::log::{self, COLUMNS, Row};
use crate::simulation::{Schedule, Simulation};
use crate::snapshot::atomic::is_there;
use std::path::PathBuf;

/// What has been measured for another purpose: the diagnostics, and the potential, if there is one.
pub(super) type Measured = (Diagnostics, Option<Vec<f64>>);

/// The table of a run that is under way.
pub(super) struct Log {
    lines: Lines,
    schedule: Schedule,
    /// The step of the last line, and the line as a snapshot keeps it.
    last: Option<(u64, Vec<(String, String)>)>,
}

impl Outputs {
    /// The table of the run: `b.csv`, or `b.log.csv` where snapshots are CSV.
    pub(super) fn log(&self) -> PathBuf {
        let ending = if self.extension.eq_ignore_ascii_case("csv") { "log.csv" } else { "csv" };
        self.folder.join(format!("{}.{ending}", self.stem))
    }

    /// Whether the table of a run is there.
    ///
    /// # Errors
    /// [`crate::Error::Io`] where that cannot be found out.
    pub(super) fn has_log(&self) -> Result<bool> {
        is_table(&self.log(), log::SIGNATURE)
    }
}

/// Refuses a run whose table would take the place of another file.
///
/// # Errors
/// [`crate::Error::Parameter`]; [`crate::Error::Io`] where that cannot be found out.
pub(super) fn check(plan: &Plan) -> Result<()> {
    let path = plan.outputs.log();
    if plan.run.parameters().log.is_none() || !is_there(&path)? || is_table(&path, log::SIGNATURE)? {
        return Ok(());
    }
    let expected = format!(
        "--log would put its table in the place of {}, which is no table of a run: give another --out",
        path.display()
    );
    Err(wrong_name(&plan.outputs.last_snapshot(), &expected))
}

/// Begins the table of a run, and returns its first line, or takes it up where the run goes on; nothing for a run
/// without a table.
///
/// # Errors
/// [`crate::Error::Format`] for a table with other columns, [`crate::Error::Io`], and those of a measurement.
pub(super) fn open(plan: &mut Plan, audience: &mut Audience<'_>) -> Result<Option<Row>> {
    let Some(schedule) = schedule(&plan.run)? else { return Ok(None) };
    plan.outputs.sweep_log()?;
    let path = plan.outputs.log();
    let header = log::header(plan.run.units());
    let goes_on = plan.in_place && !plan.begins;
    if goes_on && is_table(&path, log::SIGNATURE)? {
        let time = plan.run.time();
        let missing = |kept: &Kept| {
            kept.first.map_or(schedule.count(time) + 1, |first| {
                (schedule.count(time) - schedule.count(first) + 1).saturating_sub(kept.lines)
            })
        };
        let place = COLUMNS.iter().position(|column| column.name == "time").unwrap_or_default();
        let lines = Earlier::read(path)?.up_to((time, place), ("log", &header), missing, audience)?;
        plan.log = Some(Log { lines, schedule, last: None });
        return Ok(None);
    }
    let row = if goes_on { None } else { Some(row(&mut plan.run, None)?) };
    if goes_on {
        audience.warn(format_args!("{} is missing: a new table begins after this snapshot", path.display()));
    }
    let mut log = Log { lines: Lines::begin(path, header, row.iter().map(Row::line))?, schedule, last: None };
    row.iter().for_each(|row| log.note(row));
    plan.log = Some(log);
    Ok(row)
}

/// When lines are due.
fn schedule(run: &Simulation) -> Result<Option<Schedule>> {
    let every = run.parameters().log;
    every.map(|every| Schedule::new(run.initial().time, every, run.parameters().dt)).transpose()
}

/// Measures the present state.
fn row(run: &mut Simulation, measured: Option<Measured>) -> Result<Row> {
    let (diagnostics, potential) = match measured {
        Some(measured) => measured,
        None => run.measure_with_potential()?,
    };
    let drift = diagnostics.drift_beside(run.initial(), run.tally()).energy;
    let energy_error = run.initial().conserved.energy.then_some(drift);
    let gravity = run.gravity().copied();
    let cluster = Cluster::measure(run.bodies()?, potential.as_deref(), gravity.as_ref());
    let step = run.clock().step();
    Ok(Row { step, diagnostics, energy_error, has_potential: potential.is_some(), cluster })
}

impl Log {
    /// Steps until the next line, at most `most`.
    pub(super) fn steps_to_next(&self, run: &Simulation, most: u64) -> u64 {
        self.schedule.steps_to_next(run.clock(), most)
    }

    /// Whether the present state has a line.
    pub(super) fn is_due(&self, run: &Simulation) -> bool {
        let clock = run.clock();
        let before = clock.time_of(clock.step().saturating_sub(1));
        run.is_finished() || self.schedule.count(run.time()) > self.schedule.count(before)
    }

    /// Appends the line of the present state, where it is due; `measured` is what is known of it already.
    ///
    /// # Errors
    /// [`crate::Error::Io`], and those of the measurement.
    pub(super) fn write(
        &mut self,
        run: &mut Simulation,
        measured: Option<Measured>,
        audience: &mut Audience<'_>,
    ) -> Result<()> {
        let has_line = self.last.as_ref().is_some_and(|(step, _)| *step == run.clock().step());
        if has_line || !self.is_due(run) {
            return Ok(());
        }
        let row = row(run, measured)?;
        self.lines.append([row.line()])?;
        self.note(&row);
        audience.notify(&Event::Logged(&row));
        Ok(())
    }

    /// Brings all lines to the disk, before a snapshot.
    ///
    /// # Errors
    /// [`crate::Error::Io`].
    pub(super) fn sync(&self) -> Result<()> {
        self.lines.sync()
    }

    fn note(&mut self, row: &Row) {
        let entry = |(column, entry): (&log::Column, Option<log::Entry>)| {
            // these are in every snapshot
            let is_known = ["step", "time"].contains(&column.name);
            Some((format!("run.log.{}", column.name), log::text(entry?))).filter(|_| !is_known)
        };
        self.last = Some((row.step, row.entries().filter_map(entry).collect()));
    }

    /// What a numbered snapshot of this step keeps of its line.
    pub(super) fn kept_at(&self, step: u64) -> &[(String, String)] {
        self.last.as_ref().filter(|(at, _)| *at == step).map_or(&[], |(_, entries)| entries)
    }
}
