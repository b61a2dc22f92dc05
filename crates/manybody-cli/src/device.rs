//! Which device computes: `--device auto|cpu|cuda|wgpu`.

use anyhow::Context;
use manybody::solver::{Device, Precision, Summation};
use manybody::{Error, Result};

/// `auto` leaves fewer bodies than this to the CPU: a GPU has nothing to do in the time it takes to ask it.
#[cfg(feature = "gpu")]
const LEAST: usize = 1024;

/// The device for a name on the command line. `auto` takes the fastest that is here: a GPU with CUDA, else one with wgpu
/// if f32 is wanted, else the CPU. A device asked for by name is taken or is an error when it is first used.
///
/// # Errors
/// [`Error::Unknown`] for a name that is none, [`Error::Parameter`] for a device this program was built without.
pub(crate) fn choose(name: Option<&str>, precision: Precision, bodies: usize) -> Result<Device> {
    match name {
        None | Some("auto") => Ok(fastest(precision, bodies)),
        Some(name) => match name.parse::<Device>() {
            Ok(device) if device.is_gpu() && !cfg!(feature = "gpu") => {
                let expected = "this program was built without GPUs; build it with --features gpu".into();
                Err(Error::Parameter { name: "device", value: name.into(), expected })
            }
            Ok(device) => Ok(device),
            Err(_) => Err(Error::Unknown { what: "device", name: name.into(), known: "auto, cpu, cuda, wgpu".into() }),
        },
    }
}

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
    /// Where the system has none to give.
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
    known.ok_or_else(|| "1 to 4096 threads are wanted".into())
}

/// On how many GPUs.
#[derive(clap::Args)]
pub(crate) struct Gpus {
    /// GPUs that share the computation, with --device cuda; their number changes no bit of the result [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    gpus: Option<u8>,
}

impl Gpus {
    /// The GPUs that share every evaluation, the first ones, if a number is given; else none, which stands for the first one.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a device that cannot, or more GPUs than are here; [`Error::NoDevice`].
    pub(crate) fn ordinals(&self, device: Device) -> Result<Vec<usize>> {
        match self.gpus {
            None | Some(1) => Ok(Vec::new()),
            #[cfg(feature = "gpu")]
            Some(gpus) if device == Device::Cuda => {
                let ordinals: Vec<usize> = (0..gpus.into()).collect();
                manybody_gpu::cuda::Cuda::open_several(&ordinals)?;
                Ok(ordinals)
            }
            Some(gpus) => Err(Error::Parameter {
                name: "gpus",
                value: gpus.to_string(),
                expected: format!(
                    "must be with --device cuda: only its GPUs share a computation, and this one is for {device}"
                ),
            }),
        }
    }
}

/// The share of bodies that is audited where nothing is said: on a GPU, whose speed the auditing CPU has not, a tenth.
pub(crate) fn default_audit(device: Device) -> f64 {
    if device == Device::Cpu { 1e-3 } else { 1e-4 }
}

/// Whether an audit takes less than 1 % of the time of so many evaluations. On the CPU it does by the size of its sample; where
/// bodies live on a GPU, they have to be fetched for it, and their forces computed once more on the way. An H200 makes
/// 2.5e12 interactions/s in f32 and half of it in f64, and 330,000 steps/s at most; fetching is reckoned at 0.1 us a body.
pub(crate) fn audit_is_cheap(device: Device, precision: Precision, n: usize, evaluations: f64) -> bool {
    let n = n as f64;
    let evaluation = n * n * if precision == Precision::F64 { 8e-13 } else { 4e-13 };
    let audit = 5e-4 + 1e-7 * n + evaluation;
    device == Device::Cpu || audit <= 0.01 * evaluations * evaluation.max(3e-6)
}

#[cfg(feature = "gpu")]
fn fastest(precision: Precision, bodies: usize) -> Device {
    if bodies < LEAST {
        Device::Cpu
    } else if manybody_gpu::cuda::is_here() {
        Device::Cuda
    } else if precision != Precision::F64 && manybody_gpu::wgpu::is_here() {
        Device::Wgpu
    } else {
        Device::Cpu
    }
}

#[cfg(not(feature = "gpu"))]
fn fastest(_: Precision, _: usize) -> Device {
    Device::Cpu
}

/// The solver of a device where none is named.
pub(crate) fn default_solver(device: Device) -> &'static str {
    if device == Device::Cpu { "symmetric" } else { "auto" }
}

/// The solver of a device for a precision and a summation; on GPUs `auto` knows which one has them.
pub(crate) fn default_solver_of(device: Device, precision: Precision, sum: Summation) -> &'static str {
    match device {
        Device::Cpu if precision == Precision::Mixed || sum != Summation::default() => "direct",
        device => default_solver(device),
    }
}

/// "cpu, 2 threads", "cuda".
pub(crate) fn in_words(device: Device) -> String {
    match device {
        Device::Cpu => format!("cpu, {} threads", rayon::current_num_threads()),
        other => other.name().into(),
    }
}
