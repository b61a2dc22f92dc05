//! Which device computes: `--device auto|cpu|cuda|wgpu`, `--threads`.

use crate::settings::{Given, OfThreads};
use manybody::driver::threads;
use manybody::solver::{Device, DeviceChoice};
use manybody::{Error, Result};

/// On how many cores.
#[derive(clap::Args)]
pub(crate) struct Threads {
    #[command(flatten)]
    given: Given<OfThreads>,
}

impl Threads {
    /// Their number, if it is given.
    pub(crate) fn number(&self) -> Option<threads::Threads> {
        self.given.settings.threads
    }

    /// Starts them, before anything is computed.
    ///
    /// # Errors
    /// Where the system cannot start a thread.
    pub(crate) fn start(&self) -> Result<()> {
        threads::start(self.given.settings.threads)
    }
}

/// Refuses a device that this program was built without.
///
/// # Errors
/// [`Error::Parameter`].
pub(crate) fn check(choice: DeviceChoice) -> Result<()> {
    match choice {
        DeviceChoice::Device(device) if device.is_gpu() && !cfg!(feature = "gpu") => Err(Error::Parameter {
            name: "device",
            value: device.to_string(),
            expected: "this program was built without GPUs; build it with --features gpu".into(),
        }),
        _ => Ok(()),
    }
}

/// "cpu, 2 threads", "cuda".
pub(crate) fn in_words(device: Device) -> String {
    match device {
        Device::Cpu => format!("cpu, {} threads", rayon::current_num_threads()),
        other => other.name().into(),
    }
}
