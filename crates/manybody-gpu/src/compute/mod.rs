//! Kernels other than laws, with one host code for both devices.
//!
//! A [`Kernel`] is a text in CUDA C++ and one in WGSL with the same buffers and the same sixteen words of arguments; a
//! [`Gpu`] compiles one of them, holds the [`Buffer`]s, starts launches and takes their time. In CUDA the arguments are
//! the pointers in order, then `const Call call` with `u32 w[16]`; in WGSL the bindings 0, 1, ... of group 0, then
//! `var<uniform> call: Call` with `w: array<vec4<u32>, 4>`.

mod cuda;
mod follow;
mod wgpu;

pub(crate) use follow::{Followed, no_watch};

use crate::cuda::Cuda;
use crate::wgpu::Wgpu;
use manybody_law::{Device, Error, Result};
use std::sync::Arc;

/// Words of arguments of every kernel.
pub const WORDS: usize = 16;

/// How a kernel uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it too.
    Write,
    /// Reads it as a uniform: small, the same for all threads.
    Uniform,
}

/// How a kernel rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// As is fastest: a product and a sum in one step, roots and quotients nearly, subnormal numbers as 0.
    Fast,
    /// Every operation by itself, as written, with subnormal numbers.
    AsWritten,
}

/// A kernel's texts.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// CUDA C++.
    pub cuda: String,
    /// WGSL; empty where the kernel is in CUDA alone.
    pub wgsl: String,
    /// The name of the function.
    pub entry: &'static str,
    /// Threads of a block along x and y.
    pub block: [u32; 2],
    /// Its buffers, in order.
    pub access: Vec<Access>,
    /// How it rounds: CUDA only; WGSL leaves that to the driver.
    pub rounding: Rounding,
}

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Compiled(Kind<cuda::Compiled, wgpu::Compiled>);

/// Memory of a device.
#[derive(Debug)]
pub struct Buffer(Kind<cuda::Buffer, wgpu::Buffer>);

#[derive(Clone, Debug)]
enum Kind<C, W> {
    Cuda(C),
    Wgpu(W),
}

/// A device that kernels run on.
#[derive(Clone, Debug)]
pub struct Gpu(Kind<Arc<Cuda>, Arc<Wgpu>>);

/// One start of a kernel.
#[derive(Debug)]
pub struct Start<'a> {
    /// What.
    pub kernel: &'a Compiled,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Its buffers, in order.
    pub buffers: Vec<&'a Buffer>,
    /// Its arguments; those not given are 0.
    pub words: Vec<u32>,
}

impl Start<'_> {
    fn words(&self) -> [u32; WORDS] {
        std::array::from_fn(|k| self.words.get(k).copied().unwrap_or(0))
    }
}

fn other_device() -> Error {
    Error::Device { device: "gpu", problem: "a kernel or a buffer belongs to another device".into() }
}

impl Gpu {
    /// The first GPU of a device.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if it is not here, [`Error::Unknown`] for the CPU.
    pub fn open(device: Device) -> Result<Gpu> {
        match device {
            Device::Cuda => Ok(Gpu(Kind::Cuda(Cuda::open(0)?))),
            Device::Wgpu => Ok(Gpu(Kind::Wgpu(Wgpu::open()?))),
            Device::Cpu => Err(crate::no_gpu(device)),
        }
    }

    /// The GPUs of CUDA with these ordinals, or the first one of a device if there are no ordinals.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`Error::Parameter`] for GPUs that are not here.
    pub fn open_several(device: Device, ordinals: &[usize]) -> Result<Vec<Gpu>> {
        match device {
            Device::Cuda => Ok(Cuda::open_all(ordinals)?.into_iter().map(|cuda| Gpu(Kind::Cuda(cuda))).collect()),
            Device::Wgpu | Device::Cpu => Ok(vec![Gpu::open(device)?]),
        }
    }

    /// What it is.
    pub fn device(&self) -> Device {
        match self.0 {
            Kind::Cuda(_) => Device::Cuda,
            Kind::Wgpu(_) => Device::Wgpu,
        }
    }

    /// Whether it computes on the CPU.
    pub fn is_software(&self) -> bool {
        matches!(&self.0, Kind::Wgpu(wgpu) if wgpu.is_software())
    }

    /// Whether it has f64.
    pub fn has_double(&self) -> bool {
        matches!(self.0, Kind::Cuda(_))
    }

    /// Bytes that a buffer may have.
    pub fn largest_buffer(&self) -> u64 {
        match &self.0 {
            Kind::Cuda(cuda) => cuda::free_memory(cuda),
            Kind::Wgpu(wgpu) => wgpu.largest_buffer(),
        }
    }

    /// Compiles a kernel.
    ///
    /// # Errors
    /// [`Error::Device`] with the compiler's words.
    pub fn compile(&self, kernel: &Kernel) -> Result<Compiled> {
        Ok(Compiled(match &self.0 {
            Kind::Cuda(cuda) => Kind::Cuda(cuda::compile(cuda, kernel)?),
            Kind::Wgpu(wgpu) => Kind::Wgpu(wgpu::compile(wgpu, kernel)?),
        }))
    }

    /// Memory of so many bytes, all 0.
    ///
    /// # Errors
    /// [`Error::Device`] if the memory is not available.
    pub fn zeros(&self, bytes: u64) -> Result<Buffer> {
        Ok(Buffer(match &self.0 {
            Kind::Cuda(cuda) => Kind::Cuda(cuda::zeros(cuda, bytes)?),
            Kind::Wgpu(wgpu) => Kind::Wgpu(wgpu::zeros(wgpu, bytes)?),
        }))
    }

    /// Memory that holds these bytes.
    ///
    /// # Errors
    /// [`Error::Device`] if the memory is not available.
    pub fn filled(&self, bytes: &[u8]) -> Result<Buffer> {
        Ok(Buffer(match &self.0 {
            Kind::Cuda(cuda) => Kind::Cuda(cuda::filled(cuda, bytes)?),
            Kind::Wgpu(wgpu) => Kind::Wgpu(wgpu::filled(wgpu, bytes)?),
        }))
    }

    /// The first bytes of a buffer, once all that was started has run.
    ///
    /// # Errors
    /// [`Error::Device`] if something that was started has failed.
    pub fn read(&self, buffer: &Buffer, bytes: u64) -> Result<Vec<u8>> {
        match (&self.0, &buffer.0) {
            (Kind::Cuda(cuda), Kind::Cuda(buffer)) => cuda::read(cuda, buffer, bytes),
            (Kind::Wgpu(wgpu), Kind::Wgpu(buffer)) => wgpu::read(wgpu, buffer, bytes),
            _ => Err(other_device()),
        }
    }

    /// Starts kernels one after the other; may return before they have run.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn start(&self, starts: &[Start<'_>]) -> Result<()> {
        match &self.0 {
            Kind::Cuda(cuda) => cuda::start(cuda, starts),
            Kind::Wgpu(wgpu) => wgpu::start(wgpu, starts).map(drop),
        }
    }

    /// Waits until all that was started has run.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn wait(&self) -> Result<()> {
        match &self.0 {
            Kind::Cuda(cuda) => cuda::wait(cuda),
            Kind::Wgpu(wgpu) => wgpu::wait(wgpu),
        }
    }

    /// Seconds that these starts take, the mean of `repeats` in a row: the device's own clock on CUDA, that on the wall
    /// on wgpu.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn seconds(&self, starts: &[Start<'_>], repeats: usize) -> Result<f64> {
        match &self.0 {
            Kind::Cuda(cuda) => cuda::seconds(cuda, starts, repeats),
            Kind::Wgpu(wgpu) => {
                wgpu::wait(wgpu)?;
                let begin = std::time::Instant::now();
                for _ in 0..repeats {
                    wgpu::start(wgpu, starts)?;
                }
                wgpu::wait(wgpu)?;
                Ok(begin.elapsed().as_secs_f64() / repeats.max(1) as f64)
            }
        }
    }
}
