//! The threads of a call: those of the process, or as many as a setting says.

use crate::border::Outcome;
use manybody::driver::Threads;
use manybody::{Error, driver};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

/// The threads of each number that a call has asked for; they wait for the next such call.
static POOLS: LazyLock<Mutex<HashMap<usize, Arc<ThreadPool>>>> = LazyLock::new(Mutex::default);

/// Calls `work` on so many threads, or on all cores.
pub(crate) fn on<T: Send>(threads: Option<Threads>, work: impl FnOnce() -> Outcome<T> + Send) -> Outcome<T> {
    match threads {
        Some(threads) => pool(threads.get())?.install(work),
        None => {
            // the library's own threads: a failure to start them is an error here, and a panic where they are first used
            static STARTED: OnceLock<()> = OnceLock::new();
            if STARTED.get().is_none() {
                driver::threads::start(None)?;
                STARTED.get_or_init(|| ());
            }
            work()
        }
    }
}

fn pool(threads: usize) -> Outcome<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| Error::Device {
        device: "cpu",
        problem: format!("{threads} threads cannot be started: {error}"),
    })?;
    Ok(pools.entry(threads).or_insert(Arc::new(pool)).clone())
}
