//! Ctrl-C and its kin: the run ends its step, keeps a snapshot and goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Notes that somebody wants the program to stop.
///
/// SIGINT (Ctrl-C) and SIGTERM (what batch systems send before they kill) ask. A second one, more than a second later,
/// is taken to mean "at once": the program exits with 130 and keeps nothing of the present step. (Less than a second,
/// and it is the same keystroke, passed on by a wrapper.) SIGHUP is left alone, so that `nohup` works.
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts listening.
    ///
    /// # Errors
    /// Those of the operating system.
    pub(crate) fn listen() -> std::io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        listen(asked.clone())?;
        Ok(Interrupt(asked))
    }

    /// True once somebody has asked.
    pub(crate) fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
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
    // a handler that does nothing is enough; without it, for want of memory, the signal kills as ever
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

#[cfg(unix)]
fn listen(asked: Arc<AtomicBool>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use std::time::{Duration, Instant};

    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        let mut first: Option<Instant> = None;
        for _ in &mut signals {
            asked.store(true, Ordering::Relaxed);
            match first {
                None => first = Some(Instant::now()),
                Some(first) if first.elapsed() > Duration::from_secs(1) => leave(),
                Some(_) => {}
            }
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn listen(asked: Arc<AtomicBool>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    signal_hook::flag::register(SIGINT, asked.clone())?;
    signal_hook::flag::register(SIGTERM, asked)?;
    Ok(())
}
