//! Progress of long evaluations, printed before the run has any other output.

use crate::console::say;
use indicatif::{ProgressBar, ProgressStyle};
use manybody::watch::Watch;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The first word, within a second; and where there is a terminal, how often it is repeated.
const FIRST: Duration = Duration::from_millis(800);
const AGAIN: Duration = Duration::from_millis(250);
/// Where there is no terminal, a line this often.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Prints the progress of long evaluations until it is dropped. Prints no line for what ends within a second.
pub(crate) struct ProgressLine {
    over: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// Begins to print the share that is done of each long evaluation, and nothing between them. If no thread can be
    /// started, nothing is printed.
    pub(crate) fn begin(what: &str, watch: &Watch) -> Self {
        Self::with(what, watch, false)
    }

    /// The same, and where no share is known how long it has taken.
    pub(crate) fn timed(what: &str, watch: &Watch) -> Self {
        Self::with(what, watch, true)
    }

    fn with(what: &str, watch: &Watch, timed: bool) -> Self {
        let (over, wait) = channel::<()>();
        let (what, watch, start) = (what.to_owned(), watch.clone(), Instant::now());
        let tell = move || {
            let bar = ProgressBar::new_spinner();
            bar.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
            let mut pause = FIRST;
            while let Err(RecvTimeoutError::Timeout) = wait.recv_timeout(pause) {
                pause = AGAIN;
                let text = match watch.share() {
                    Some(share) => format!("{what}: {:.0} %", 100.0 * share),
                    None if timed => format!("{what}: {:.0} s so far", start.elapsed().as_secs_f64()),
                    None => continue,
                };
                if bar.is_hidden() {
                    say(text);
                    pause = LINE_EVERY;
                } else {
                    bar.set_message(text);
                    bar.tick();
                }
            }
            bar.finish_and_clear();
        };
        let thread = std::thread::Builder::new().name("progress".into()).spawn(tell).ok();
        ProgressLine { over: Some(over), thread }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        drop(self.over.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it has nothing to give back
        }
    }
}
