//! The table beside a run: `b.csv` for `b.hdf5`, a line every `--log`, at the start and at the end.
//!
//! The file begins whole, by a rename, and each line is appended by one write; where a write fails, what it has left is
//! cut off. Lines are on disk before a snapshot of the same time or a later one is begun. A run that is resumed cuts
//! off the lines after its snapshot and writes them again: the table ends with the bytes of one that was never
//! interrupted. Lines before it that differ from their checksums are an error. (A system may end a write early where it
//! kills the process within it: then the next resume cuts off the part of a line, and [`Table`](crate::log::Table)
//! passes over it.)

use super::observer::{Audience, Event};
use super::outputs::{Outputs, wrong_name};
use super::plan::Plan;
use crate::cluster::Cluster;
use crate::diagnostics::Diagnostics;
use crate::log::{self, COLUMNS, Chain, Row};
use crate::simulation::{Schedule, Simulation};
use crate::snapshot::atomic::{self, io_error, is_there};
use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// What has been measured for another purpose: the diagnostics, and the potential, if there is one.
pub(super) type Measured = (Diagnostics, Option<Vec<f64>>);

/// The table of a run that is under way.
pub(super) struct Log {
    path: PathBuf,
    file: File,
    /// Bytes of whole lines, and their checksum.
    bytes: u64,
    chain: Chain,
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
    /// [`Error::Io`] where that cannot be found out.
    pub(super) fn has_log(&self) -> Result<bool> {
        is_table(&self.log())
    }
}

/// Whether a file is the table of a run, by its first bytes.
pub(super) fn is_table(path: &Path) -> Result<bool> {
    is_table_of(path, log::SIGNATURE)
}

/// Whether a file is a table that begins so.
pub(super) fn is_table_of(path: &Path, signature: &str) -> Result<bool> {
    let mut begin = Vec::new();
    if !is_there(path)? {
        return Ok(false);
    }
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => {}
        // a link to no file
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(io_error(path, "find out what it is")(error)),
        Ok(_) => return Ok(false),
    }
    let file = File::open(path).map_err(io_error(path, "read"))?;
    file.take(signature.len() as u64).read_to_end(&mut begin).map_err(io_error(path, "read"))?;
    Ok(begin == signature.as_bytes())
}

/// Refuses a run whose table would take the place of another file.
///
/// # Errors
/// [`Error::Parameter`]; [`Error::Io`] where that cannot be found out.
pub(super) fn check(plan: &Plan) -> Result<()> {
    let path = plan.outputs.log();
    if plan.run.parameters().log.is_none() || !is_there(&path)? || is_table(&path)? {
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
/// [`Error::Format`] for a table with other columns, [`Error::Io`], and those of a measurement.
pub(super) fn open(plan: &mut Plan, audience: &mut Audience<'_>) -> Result<Option<Row>> {
    let Some(schedule) = schedule(&plan.run)? else { return Ok(None) };
    plan.outputs.sweep_log()?;
    let path = plan.outputs.log();
    let header = log::header(plan.run.units());
    let goes_on = plan.in_place && !plan.begins;
    if goes_on && is_table(&path)? {
        let (bytes, chain) = cut(&path, &header, &schedule, plan.run.time(), audience)?;
        plan.log = Some(Log { file: append(&path)?, path, bytes, chain, schedule, last: None });
        return Ok(None);
    }
    let row = if goes_on { None } else { Some(row(&mut plan.run, None)?) };
    if goes_on {
        audience.warn(format_args!("{} is missing: a new table begins after this snapshot", path.display()));
    }
    let mut chain = Chain::begin(&header);
    let text = header + &row.as_ref().map_or(String::new(), |row| chain.seal(&row.line()));
    atomic::write_bytes(&path, text.as_bytes())?;
    let mut log = Log { file: append(&path)?, path, bytes: text.len() as u64, chain, schedule, last: None };
    row.iter().for_each(|row| log.note(row));
    plan.log = Some(log);
    Ok(row)
}

pub(super) fn append(path: &Path) -> Result<File> {
    let mut file = OpenOptions::new().write(true).open(path).map_err(io_error(path, "write"))?;
    file.seek(SeekFrom::End(0)).map_err(io_error(path, "write"))?;
    Ok(file)
}

/// When lines are due.
fn schedule(run: &Simulation) -> Result<Option<Schedule>> {
    let every = run.parameters().log;
    every.map(|every| Schedule::new(run.initial().time, every, run.parameters().dt)).transpose()
}

/// Cuts off the lines after `time`, and what is no whole line; warns where lines before are missing. The bytes that are
/// left, and their checksum.
///
/// # Errors
/// [`Error::Format`] for another header, and for a line before that differs from its checksum; [`Error::Io`].
fn cut(path: &Path, header: &str, schedule: &Schedule, time: f64, audience: &mut Audience<'_>) -> Result<(u64, Chain)> {
    let mut text = Vec::new();
    let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(io_error(path, "write"))?;
    file.read_to_end(&mut text).map_err(io_error(path, "read"))?;
    let wrong = |problem: String| Error::Format { path: path.into(), format: "log", problem };
    let Some(rest) = text.strip_prefix(header.as_bytes()) else {
        let problem = "its header is not the one that this run writes: move it away, and a new table begins";
        return Err(wrong(problem.into()));
    };
    let place = COLUMNS.iter().position(|column| column.name == "time").unwrap_or_default();
    let kept = kept(rest, Chain::begin(header), time, place);
    let missing = kept.first.map_or(schedule.count(time) + 1, |first| {
        (schedule.count(time) - schedule.count(first) + 1).saturating_sub(kept.lines)
    });
    if kept.damaged == Some(true) || (kept.damaged.is_some() && missing > 0) {
        return Err(wrong(format!(
            "line {} differs from its checksum, or one before it is missing: --resume a snapshot before it, and it is \
             written again, or move the file away, and a new table begins",
            header.lines().count() as u64 + kept.lines + 1
        )));
    }
    let bytes = header.len() as u64 + kept.bytes;
    if bytes < text.len() as u64 {
        file.set_len(bytes).map_err(io_error(path, "cut off lines of"))?;
    }
    if missing > 0 {
        audience.warn(format_args!("{}: {missing} of its lines before this snapshot are missing", path.display()));
    }
    Ok((bytes, kept.chain))
}

/// The lines of a table up to a time.
pub(super) struct Kept {
    pub(super) lines: u64,
    pub(super) bytes: u64,
    pub(super) chain: Chain,
    /// The time of the first one.
    pub(super) first: Option<f64>,
    /// Whether the next line, which is a whole one but differs from its checksum, is one of them by its time.
    pub(super) damaged: Option<bool>,
}

/// The lines up to a time, which is the column at `place`.
pub(super) fn kept(rows: &[u8], chain: Chain, time: f64, place: usize) -> Kept {
    let mut kept = Kept { lines: 0, bytes: 0, chain, first: None, damaged: None };
    for line in rows.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        let text = String::from_utf8_lossy(line);
        let mut chain = kept.chain;
        let at = text.split(',').nth(place).and_then(|field| field.parse().ok()).filter(|at: &f64| *at <= time);
        kept.damaged = (!chain.accepts(&text)).then_some(at.is_some());
        let Some(at) = at.filter(|_| kept.damaged.is_none()) else { break };
        kept.first.get_or_insert(at);
        (kept.lines, kept.bytes, kept.chain) = (kept.lines + 1, kept.bytes + line.len() as u64, chain);
    }
    kept
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
    /// [`Error::Io`], and those of the measurement.
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
        let mut chain = self.chain;
        let line = chain.seal(&row.line());
        if let Err(source) = self.file.write_all(line.as_bytes()) {
            // no part of a line stays; where that fails, too, the next resume cuts it off
            let _ = self.file.set_len(self.bytes);
            return Err(io_error(&self.path, "write")(source));
        }
        (self.bytes, self.chain) = (self.bytes + line.len() as u64, chain);
        self.note(&row);
        audience.tell(&Event::Logged(&row));
        Ok(())
    }

    /// Brings all lines to the disk, before a snapshot.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(io_error(&self.path, "write"))
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
