//! The driver of a run: from settings to the last snapshot on disk.
//!
//! A [`Driver`] takes [`Settings`] and does what `manybody run` does: it finds the bodies, chooses what was not set,
//! keeps snapshots, audits forces, watches limits, resumes a run that was stopped, and keeps other runs from its files.
//! An [`Observer`] gets the events, and can ask the run to stop.
//!
//! ```
//! use manybody::driver::{Driver, End};
//! use manybody::settings::Settings;
//! # let folder = tempfile::tempdir().unwrap();
//! # let out = folder.path().join("b.hdf5");
//! let settings = Settings {
//!     n: Some(100),
//!     dt: Some("1/64".into()),
//!     t_end: Some(0.5.into()),
//!     out: Some(out),
//!     ..Settings::default()
//! };
//! let outcome = Driver::new(settings).run()?;
//! assert_eq!(outcome.end, End::Finished);
//! println!("{}: energy error {:?}", outcome.file.display(), outcome.errors.energy);
//! # Ok::<(), manybody::driver::Failure>(())
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | `plan` | from settings to a run: chooses what is missing, refuses what is impossible |
//! | `start` | finds the bodies: initial conditions, a file, or a snapshot that an earlier run has kept |
//! | `accuracy` | finds the cheapest way of computing forces that has an accuracy |
//! | `law` | the results of a law by expansions, with an accuracy |
//! | `method` | how forces are computed once, as settings say |
//! | `tightening` | halves the tolerance of expansions until an audit finds the accuracy |
//! | `run` | the steps, snapshots and checks; the end, also an early one |
//! | `outputs`, `aside`, `series`, `lock`, `writing`, `log`, `events`, `lines` | the files of a run |
//! | `threads` | the threads of the process |
//! | `pace` | how many steps at a time, and when to look at the energy |

mod accuracy;
mod aside;
pub mod device;
mod events;
mod law;
mod lines;
mod lock;
mod log;
mod method;
mod observer;
mod outputs;
mod pace;
mod plan;
mod run;
mod series;
mod start;
pub mod threads;
mod tightening;
pub mod words;
mod writing;

pub use accuracy::{Choice, Trial, Tuned, cheapest, evaluated, tuned};
pub use law::{LawTrial, TunedLaw, tuned_law};
pub use method::{Evaluated, forces, method, method_of_law, method_of_law_of_arrays};
pub use observer::{Event, Observer, PAUSE, Request};
pub use pace::Pace;
pub use threads::Threads;
pub use writing::Written;

use crate::audit::ForceErrors;
use crate::diagnostics::{Diagnostics, energy_error_in_words};
use crate::events::Tally;
use crate::ranks;
use crate::settings::Settings;
use crate::simd::Level;
use crate::simulation::{Errors, Parameters, Simulation};
use crate::snapshot::Format;
use crate::units::show;
use crate::watch::Watch;
use crate::{Error, Result, Snapshot};
use observer::Audience;
use plan::{Plan, Planned};
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A run to be made.
#[derive(Clone, Debug, Default)]
pub struct Driver {
    settings: Settings,
    watch: Watch,
    /// The TOML file that the settings are from.
    description: Option<PathBuf>,
    /// The settings are those of that file and no others.
    repeats: bool,
    /// The file names an error, and what is given beside it replaces that.
    drops_rtol: bool,
    /// The file names vector instructions that this machine does not have, and nothing beside it replaces them.
    drops_simd: Option<Level>,
    /// The file is not what a run has written: edited on purpose, or damaged.
    differs: bool,
}

impl Driver {
    /// The run that `settings` describe.
    pub fn new(settings: Settings) -> Self {
        Driver { settings, ..Driver::default() }
    }

    /// The run that a TOML file describes, with what `over` says in place of it. Without a name for its output it
    /// gets that of the file.
    ///
    /// # Errors
    /// As [`Settings::read`].
    pub fn described_by(path: &Path, over: Settings) -> Result<Self> {
        let repeats = over.is_of_process_alone();
        let over = over.with_law_text(Path::new(""))?;
        let named_simd = over.simd.is_some();
        let (read, differs) = Settings::read_checked(path)?;
        let has_rtol = read.rtol.is_some();
        let mut settings = read.overridden_by(over);
        let drops_simd = settings.simd.filter(|level| !named_simd && level.on_this_machine().is_err());
        settings.simd = settings.simd.filter(|_| drops_simd.is_none());
        settings.out.get_or_insert_with(|| path.with_extension("hdf5"));
        let drops_rtol = has_rtol && settings.rtol.is_none();
        let description = Some(path.into());
        Ok(Driver { settings, repeats, description, drops_rtol, drops_simd, differs, ..Driver::default() })
    }

    /// What was said of the run, by a TOML file and beside it.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A watch on long evaluations, by which another thread can follow the run and stop it.
    pub fn watch(self, watch: &Watch) -> Self {
        Driver { watch: watch.clone(), ..self }
    }

    /// Makes the run, with no one looking on.
    ///
    /// # Errors
    /// Everything that keeps a run from its end, but an interruption.
    pub fn run(self) -> Result<Outcome, Failure> {
        self.run_observed(&mut |_: &Event<'_>| ControlFlow::Continue(()))
    }

    /// Makes the run; `observer` gets its events.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_observed(self, observer: &mut dyn Observer) -> Result<Outcome, Failure> {
        match self.prepare(observer)? {
            Prepared::Run(run) => run.carry_out(observer),
            Prepared::Finished(file) => Ok(Outcome::finished_before(file)),
        }
    }

    /// Finds the bodies, chooses what was not said, and computes the first forces. Writes nothing.
    ///
    /// # Errors
    /// Those of the settings, the files that are read and the device.
    pub fn prepare(self, observer: &mut dyn Observer) -> Result<Prepared> {
        let Driver { mut settings, watch, description, repeats, drops_rtol, drops_simd, differs } = self;
        let mut audience = Audience::of(observer).watching(&watch);
        if let Some(file) = description.as_ref().filter(|_| differs) {
            audience.warn(format_args!(
                "{} differs from what a run has written, by its checksum: if it was edited on purpose, delete its first \
                 line; otherwise it is damaged, and this is another run",
                file.display()
            ));
        }
        if let Some(file) = description.as_ref().filter(|_| drops_rtol) {
            let line = "is not used: the solver, precision, sum or law is named";
            audience.note(format_args!("the rtol of {} {line}", file.display()));
        }
        if let (Some(file), Some(level)) = (&description, drops_simd) {
            let line = "vector instructions that this machine does not have; with others, the last bits differ";
            audience.note(format_args!("{} names {level}, {line}", file.display()));
        }
        let overwrite = settings.overwrite.unwrap_or(false);
        ranks::check_joined(&settings)?;
        if settings.threads.is_some() {
            threads::start(settings.threads)?;
        }
        if description.is_none() {
            settings = settings.with_law_text(Path::new(""))?;
        }
        let planned = match settings.resume.clone() {
            Some(path) => plan::resumed(settings, &path, &watch, &mut audience)?,
            None => Planned::Run(Box::new(plan::fresh(settings, &watch, &mut audience)?)),
        };
        match planned {
            Planned::Run(mut plan) => {
                if plan.run.parameters().audit > 0.0 {
                    // the audit of the start needs them: before the run owns anything, so that it can be cut without
                    // a trace
                    plan.run.accelerate()?;
                }
                let repeats = description.clone().filter(|_| repeats);
                // a description that says other things than this run does is the user's, and stays as it is
                plan.inputs.extend(description.filter(|_| repeats.is_none()));
                Ok(Prepared::Run(Box::new(Run { plan: *plan, repeats, overwrite, watch })))
            }
            Planned::Finished(path) => {
                run::clear_up_finished(&path, &mut audience)?;
                Ok(Prepared::Finished(path))
            }
        }
    }
}

/// The parameters of a run of bodies in memory: those given, and for the rest what a driver chooses for such bodies, of
/// which `observer` gets notes. Settings that name files or initial conditions are not read. Where forces have to be computed
/// for that, `watch` can end it.
///
/// # Errors
/// [`Error::Missing`] for what cannot be chosen for these bodies, those of the values, and [`Error::Interrupted`].
pub fn parameters(
    settings: &Settings,
    snapshot: &Snapshot,
    watch: &Watch,
    observer: &mut dyn Observer,
) -> Result<Parameters> {
    plan::choose_for(settings, snapshot, None, &mut Audience::of(observer).watching(watch))
}

/// What there is to do.
#[derive(Debug)]
pub enum Prepared {
    /// A run.
    Run(Box<Run>),
    /// Nothing: this run was finished before, in this file.
    Finished(PathBuf),
}

/// A run that can begin.
pub struct Run {
    plan: Plan,
    /// The TOML file that says all of this already.
    repeats: Option<PathBuf>,
    overwrite: bool,
    watch: Watch,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("settings", &self.plan.settings).finish_non_exhaustive()
    }
}

impl Run {
    /// The whole description, nothing left to a default.
    pub fn settings(&self) -> &Settings {
        &self.plan.settings
    }

    /// The simulation, at its start.
    pub fn simulation(&self) -> &Simulation {
        &self.plan.run
    }

    /// The simulation alone, to be advanced by the program: it writes no file.
    pub fn into_simulation(self) -> Simulation {
        self.plan.run
    }

    /// Makes the steps, keeps the snapshots, ends.
    ///
    /// # Errors
    /// Everything that keeps a run from its end, but an interruption.
    pub fn carry_out(self, observer: &mut dyn Observer) -> Result<Outcome, Failure> {
        run::carry_out(self, &mut Audience::of(observer))
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// At t-end.
    Finished,
    /// At t-end, with forces that missed the accuracy that was asked for; the last state is kept under another name.
    Missed {
        /// The accuracy.
        rtol: f64,
        /// The errors that were found.
        found: ForceErrors,
    },
    /// Asked to stop.
    Interrupted,
    /// It was finished before, and nothing has been done.
    FinishedBefore,
}

/// What came of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// The file that holds its last state.
    pub file: PathBuf,
    /// The name of its last snapshot, which only a finished run has.
    pub last_snapshot: PathBuf,
    /// The TOML file that repeats it.
    pub description: PathBuf,
    /// The format of its snapshots.
    pub format: Format,
    /// What is known to be wrong with the last state.
    pub errors: Errors,
    /// The accuracy of the forces that was asked for.
    pub rtol: Option<f64>,
    /// The diagnostics at the start; `None` where nothing has been done.
    pub initial: Option<Diagnostics>,
    /// What events have changed of these: mergers, escapes, a program's own.
    pub tally: Tally,
    /// Those at the end; `None` where the end was not reached.
    pub last: Option<Diagnostics>,
    /// What must be said of the run.
    pub warnings: Vec<String>,
    /// Time from the first step on.
    pub elapsed: Duration,
    /// What audits took of it, and the one before.
    pub auditing: Duration,
    /// Interactions a second while computing.
    pub rate: Option<f64>,
    /// The steps done and those there are.
    pub steps: (u64, u64),
    /// The time of the last state.
    pub time: f64,
    /// What to type to go on, for a run that was interrupted.
    pub resume: Option<String>,
}

impl Outcome {
    fn finished_before(file: PathBuf) -> Self {
        Outcome {
            end: End::FinishedBefore,
            last_snapshot: file.clone(),
            description: file.with_extension("toml"),
            format: Format::of_name(&file).unwrap_or(Format::GadgetHdf5),
            file,
            errors: Errors::default(),
            rtol: None,
            initial: None,
            tally: Tally::default(),
            last: None,
            warnings: Vec::new(),
            elapsed: Duration::ZERO,
            auditing: Duration::ZERO,
            rate: None,
            steps: (0, 0),
            time: f64::NAN,
            resume: None,
        }
    }
}

/// Why a run did not reach its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub struct Failure {
    /// What went wrong.
    #[source]
    pub error: Error,
    /// Where the run stood, and the state from which it can continue; `None` where it had not begun.
    pub stopped: Option<Box<Stopped>>,
}

/// Where a run stopped.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stopped {
    /// The number of the last step.
    pub step: u64,
    /// Its time.
    pub time: f64,
    /// The newest snapshot on disk.
    pub newest: Option<PathBuf>,
    /// What was kept, and what to do, in words.
    pub advice: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        match &self.stopped {
            Some(stopped) if !stopped.advice.is_empty() => write!(f, "\n{}", stopped.advice),
            _ => Ok(()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure { error, stopped: None }
    }
}

/// Beyond this energy error the orbits of a run are not those of its system.
const MAX_ENERGY_ERROR_IN_SILENCE: f64 = 0.1;

/// What must be said of the present state.
fn warning(run: &Simulation) -> Option<String> {
    energy_warning(run).or_else(|| run.errors().force?.warning(&run.parameters().method()))
}

fn energy_warning(run: &Simulation) -> Option<String> {
    let error = run.errors().energy.filter(|error| error.is_nan() || error.abs() > MAX_ENERGY_ERROR_IN_SILENCE)?;
    Some(format!(
        "at t = {} the energy is off by {}: these are not the orbits of the system; a smaller --dt or a larger --eps is \
         needed (--max-energy-error stops such a run)",
        show::time(run.time(), run.units()),
        energy_error_in_words(error, run.initial().energy())
    ))
}

/// The accuracy that was asked for, and whether the forces of the present state had it when they were audited.
fn accuracy_met(run: &Simulation) -> Option<(f64, bool)> {
    let (rtol, force) = (run.parameters().rtol?, run.errors().force?);
    // of expansions it is judged by each audit
    (!run.parameters().is_by_expansion()).then_some((rtol, force.max <= rtol))
}
