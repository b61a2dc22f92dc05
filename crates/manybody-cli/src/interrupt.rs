//! SIGINT (Ctrl-C) and SIGTERM: the run completes its step, keeps a snapshot and ends.

use manybody::watch::Watch;
use std::sync::Arc;
#[cfg(unix)]
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// True until a command listens for itself: SIGINT and SIGTERM end the program with 130 where they arrive.
#[cfg(unix)]
static AT_ONCE: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(true)));

/// The first thing that the program does: from here on SIGINT and SIGTERM end it with 130, in every command.
pub(crate) fn begin() {
    // if there is no memory for the handlers, the signals kill the program as before
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, AT_ONCE.clone());
    }
}

/// Notes a request to stop the program.
///
/// SIGINT (Ctrl-C) and SIGTERM (what batch systems send before they kill) ask. Before the run has begun there is nothing to
/// keep, and the program exits with 130 at once, even where it waits for a pipe to be opened. Later, a second signal more
/// than a second after the first is taken to mean "at once": the program exits with 130 and keeps nothing of the present
/// step. (Less than a second, and it is the same keystroke, passed on by a wrapper.) SIGHUP is left alone, so that `nohup`
/// works.
pub(crate) struct Interrupt {
    asked: Arc<AtomicBool>,
    begun: Arc<AtomicBool>,
    watch: Watch,
}

impl Interrupt {
    /// Starts listening.
    ///
    /// # Errors
    /// Those of the operating system.
    pub(crate) fn listen() -> std::io::Result<Self> {
        let interrupt = Interrupt { asked: Arc::default(), begun: Arc::default(), watch: Watch::default() };
        listen(interrupt.asked.clone(), interrupt.begun.clone(), interrupt.watch.clone())?;
        Ok(interrupt)
    }

    /// From now on there is something to keep.
    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::Relaxed);
    }

    /// The watch that ends a long evaluation on request.
    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Becomes true once a signal has come.
    pub(crate) fn asked(&self) -> Arc<AtomicBool> {
        self.asked.clone()
    }
}

/// For commands that have nothing to keep: SIGINT and SIGTERM remove the file that is being written and end the program
/// with 130.
///
/// # Errors
/// Those of the operating system.
#[cfg(unix)]
pub(crate) fn end_at_once() -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    AT_ONCE.store(false, Ordering::Relaxed);
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        if signals.forever().next().is_some() {
            leave();
        }
    })?;
    Ok(())
}

/// Other systems end the program themselves; the file that was being written, `*.tmp`, stays.
#[cfg(not(unix))]
pub(crate) fn end_at_once() -> std::io::Result<()> {
    Ok(())
}

/// Ends the program without the file that is being written.
#[cfg(unix)]
fn leave() -> ! {
    manybody::snapshot::atomic::give_up();
    std::process::exit(130)
}

/// Lets a write past the file size limit of the shell fail like that on a full disk; SIGXFSZ would kill.
pub(crate) fn spare_large_files() {
    // a handler that does nothing is enough; if there is no memory for it, the signal kills the program as before
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Ends the program with 1 and an error where it would abort, as the standard library does for want of memory.
pub(crate) fn fail_without_memory() {
    #[cfg(unix)]
    abort::listen();
}

#[cfg(unix)]
mod abort {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::AsFd as _;

    const ERROR: &[u8] =
        b"error: the program cannot go on; the line above says why. If memory is missing: fewer bodies, \
        fewer --threads or a larger limit (ulimit -v) is needed\n";

    #[allow(unsafe_code)]
    pub(super) fn listen() {
        // without a handler, for want of memory, the program aborts as before
        let Ok(stderr) = std::io::stderr().as_fd().try_clone_to_owned() else { return };
        let stderr = File::from(stderr);
        let fail = move || {
            let _ = (&stderr).write(ERROR);
            signal_hook::low_level::exit(1)
        };
        // SAFETY: the handler makes two calls, write(2) of bytes that are there and _exit(2), which signals allow; it
        // allocates nothing and takes no lock.
        let _ = unsafe { signal_hook::low_level::register(signal_hook::consts::SIGABRT, fail) };
    }
}

#[cfg(unix)]
fn listen(asked: Arc<AtomicBool>, begun: Arc<AtomicBool>, watch: Watch) -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use std::time::{Duration, Instant};

    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    AT_ONCE.store(false, Ordering::Relaxed);
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        let mut first: Option<Instant> = None;
        for _ in &mut signals {
            asked.store(true, Ordering::Relaxed);
            watch.stop();
            match first {
                _ if !begun.load(Ordering::Relaxed) => leave(),
                None => first = Some(Instant::now()),
                Some(first) if first.elapsed() > Duration::from_secs(1) => leave(),
                Some(_) => {}
            }
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn listen(asked: Arc<AtomicBool>, _begun: Arc<AtomicBool>, _watch: Watch) -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    signal_hook::flag::register(SIGINT, asked.clone())?;
    signal_hook::flag::register(SIGTERM, asked)?;
    Ok(())
}
