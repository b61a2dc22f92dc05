//! Which device computes: `--device auto|cpu|cuda|wgpu`, `--threads`, `--gpus`.

use crate::settings::{Given, OfGpus, OfThreads};
use manybody::driver::threads;
use manybody::solver::{Device, DeviceChoice, Gpus};
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

/// On which GPUs.
#[derive(clap::Args)]
pub(crate) struct OnGpus {
    #[command(flatten)]
    given: Given<OfGpus>,
}

impl OnGpus {
    /// The GPUs of a device.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a device that has no choice of them.
    pub(crate) fn of(&self, device: Device) -> Result<Gpus> {
        let gpus = self.given.settings.gpus.clone().unwrap_or_default();
        if gpus == Gpus::default() || device == Device::Cuda {
            return Ok(gpus);
        }
        Err(Error::Parameter {
            name: "gpus",
            value: gpus.to_string(),
            expected: format!(
                "must be with --device cuda: only its GPUs are chosen and share a computation, and this one is for {device}"
            ),
        })
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
