//! A computation without the interpreter's lock, which Ctrl-C ends.

use crate::errors::raise;
use manybody::Result;
use manybody::watch::Watch;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Pairs of a call that looks for signals: a hundredth of a second on two cores.
const LONG: u64 = 1 << 26;

/// How long a signal waits.
const LOOK: Duration = Duration::from_millis(50);

/// The threads of a process that was forked after the others had started; null in all others.
static FORKED: AtomicPtr<ThreadPool> = AtomicPtr::new(std::ptr::null_mut());

/// Gives a forked process threads of its own: of its parent's only the one that forked is there.
#[pyfunction]
pub(crate) fn after_fork() {
    if let Ok(pool) = ThreadPoolBuilder::new().build() {
        // what a fork of a fork replaces has no threads any more, and cannot be taken down
        FORKED.store(Box::leak(Box::new(pool)), Ordering::Release);
    }
}

/// Calls `work` on the threads of this process.
#[allow(unsafe_code)]
fn on_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    // SAFETY: null, or a pool that `after_fork` has leaked, which lives as long as the process
    match unsafe { FORKED.load(Ordering::Acquire).as_ref() } {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// A watch of computations of many pairs.
pub(crate) fn watch() -> Watch {
    Watch::of(LONG)
}

/// Computes without the interpreter's lock, what nothing can end.
pub(crate) fn compute<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(|| on_threads(work)).map_err(raise)
}

/// Computes without the interpreter's lock under a watch. A computation of many pairs runs beside this thread, which looks
/// for signals meanwhile; an exception of a signal's handler, as `KeyboardInterrupt`, ends it.
pub(crate) fn compute_watched<T: Send>(
    py: Python<'_>,
    pairs: u64,
    watch: &Watch,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    if pairs < LONG {
        return compute(py, work);
    }
    watch.hear(true);
    py.detach(|| beside(watch, work))
}

fn beside<T: Send>(watch: &Watch, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let (send, receive) = channel();
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let done = on_threads(work);
            // the receiver waits until the worker has ended
            let _ = send.send(());
            done
        });
        let mut signal = None;
        while receive.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if signal.is_none() {
                signal = Python::attach(|py| py.check_signals()).err();
                if signal.is_some() {
                    watch.stop();
                }
            }
        }
        let done = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        signal.map_or_else(|| done.map_err(raise), Err)
    })
}
