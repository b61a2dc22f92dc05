//! Which device computes: `--device auto|cpu|cuda|wgpu`, `--threads`, `--gpus`.

use anyhow::Context;
use manybody::solver::{Device, DeviceChoice, Gpus};
use manybody::{Error, Result};

/// On how many cores.
#[derive(clap::Args)]
pub(crate) struct Threads {
    /// Threads to compute on; their number changes no bit of the result [default: all cores]
    #[arg(long, value_name = "N", value_parser = bearable)]
    threads: Option<u16>,
}

impl Threads {
    /// Starts them, before anything is computed.
    ///
    /// # Errors
    /// Where the system cannot start a thread.
    pub(crate) fn start(&self) -> anyhow::Result<()> {
        // as many as there are cores for 0; later, when they are first needed, a failure would be a panic
        let threads = self.threads.unwrap_or(0);
        let started = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
        started.context("the threads to compute on cannot be started (--threads gives fewer)")
    }
}

/// A number of threads that a machine can bear: beyond some thousand they only look for work from each other.
fn bearable(text: &str) -> Result<u16, String> {
    let known = text.parse().ok().filter(|n| (1..=4096).contains(n));
    known.ok_or_else(|| "must be 1 to 4096 threads".into())
}

/// On which GPUs.
#[derive(clap::Args)]
pub(crate) struct OnGpus {
    /// GPUs that share the computation, with --device cuda: how many, or which, as id:1 or id:0,2; they change no bit of the
    /// result [default: 1]
    #[arg(long, value_name = "N")]
    gpus: Option<Gpus>,
}

impl OnGpus {
    /// The GPUs of a device.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a device that has no choice of them.
    pub(crate) fn of(&self, device: Device) -> Result<Gpus> {
        let gpus = self.gpus.clone().unwrap_or_default();
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
