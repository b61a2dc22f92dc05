//! The events of a run, and the observers that receive them.

use super::{Pace, Written};
use crate::audit::ForceErrors;
use crate::diagnostics::Diagnostics;
use crate::events::BodyEvent;
use crate::log::Row;
use crate::simulation::Simulation;
use crate::watch::Watch;
use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// Something that happens in a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something worth knowing that is no fault: a choice that was made, what a format cannot hold, files that were moved.
    Note(&'a str),
    /// Something that may be wrong.
    Warning(&'a str),
    /// A snapshot of the run that is damaged, missing or not what its name says.
    Damaged {
        /// The file.
        file: &'a Path,
        /// What is wrong with it.
        error: &'a str,
        /// What is done instead, or can be done; may be empty.
        advice: &'a str,
    },
    /// The run begins or goes on: its first forces are known, its files have their places.
    Started {
        /// The run.
        run: &'a Simulation,
        /// Where the bodies come from, in words.
        description: &'a str,
        /// The last snapshot to be.
        out: &'a Path,
    },
    /// Some steps have been made, perhaps with a look at the energy.
    Advanced {
        /// The run.
        run: &'a Simulation,
        /// How fast it goes, and what is known of its errors.
        pace: &'a Pace,
        /// Whether the energy was measured at this step.
        measured: bool,
    },
    /// Forces were compared with f64: at the start, after [`Started`](Event::Started), before the snapshot of a state that is
    /// audited, and at the end. Where they are further off than is allowed, the run ends with [`Error::Audit`] instead.
    ///
    /// [`Error::Audit`]: crate::Error::Audit
    Audited {
        /// The run.
        run: &'a Simulation,
        /// The errors of the forces at a sample of the bodies.
        errors: &'a ForceErrors,
    },
    /// A snapshot is on disk.
    Snapshot(&'a Written),
    /// A line of the table is written.
    Logged(&'a Row),
    /// Bodies have merged, or one has escaped; the line is in the table of events.
    Happened(&'a BodyEvent),
    /// The run has made its last step.
    Ended {
        /// The run.
        run: &'a Simulation,
        /// The diagnostics at its end; `None` where it was interrupted.
        last: Option<&'a Diagnostics>,
    },
}

/// What an observer asks of the next steps. It changes no bit of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The most steps until the next event; 0 to pause: the observer is asked again within [`PAUSE`].
    pub steps: u64,
    /// Whether the bodies must be in the host's memory after them, for [`Simulation::bodies_here`]: where bodies live on a
    /// device, they are copied.
    pub bodies: bool,
}

impl Default for Request {
    /// As many steps as are made at once, and no copy of the bodies.
    fn default() -> Self {
        Request { steps: u64::MAX, bodies: false }
    }
}

/// How long a run that is paused waits before it asks again.
pub const PAUSE: Duration = Duration::from_millis(5);

/// Gets the events of a run. A closure that takes an [`Event`] is one.
///
/// `Break` asks the run to stop: it ends its step, keeps a snapshot from which it can be resumed, and returns.
pub trait Observer {
    /// Gets an event.
    fn event(&mut self, event: &Event<'_>) -> ControlFlow<()>;

    /// What the observer asks of the next steps of `run`; called before them.
    fn request(&mut self, run: &Simulation) -> Request {
        let _ = run;
        Request::default()
    }
}

impl<F: FnMut(&Event<'_>) -> ControlFlow<()>> Observer for F {
    fn event(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        self(event)
    }
}

/// An observer, whether it has asked to stop, and the watch of long evaluations before the first step.
pub(super) struct Audience<'a> {
    observer: Option<&'a mut dyn Observer>,
    stop: bool,
    watch: Watch,
}

impl<'a> Audience<'a> {
    pub(super) fn of(observer: &'a mut dyn Observer) -> Self {
        Audience { observer: Some(observer), stop: false, watch: Watch::default() }
    }

    /// One that follows evaluations before the first step, and can end them.
    pub(super) fn watching(self, watch: &Watch) -> Self {
        Audience { watch: watch.clone(), ..self }
    }

    pub(super) fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// Where no one looks on.
    pub(super) fn empty() -> Self {
        Audience { observer: None, stop: false, watch: Watch::default() }
    }

    pub(super) fn notify(&mut self, event: &Event<'_>) {
        if let Some(observer) = &mut self.observer {
            self.stop |= observer.event(event).is_break();
        }
    }

    pub(super) fn note(&mut self, text: impl Display) {
        self.notify(&Event::Note(&text.to_string()));
    }

    pub(super) fn warn(&mut self, text: impl Display) {
        self.notify(&Event::Warning(&text.to_string()));
    }

    /// What the observer asks of the next steps.
    pub(super) fn request(&mut self, run: &Simulation) -> Request {
        self.observer.as_mut().map_or_else(Request::default, |observer| observer.request(run))
    }

    /// Whether the observer has asked to stop.
    pub(super) fn asks_to_stop(&self) -> bool {
        self.stop
    }
}
