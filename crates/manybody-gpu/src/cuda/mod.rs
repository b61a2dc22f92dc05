//! CUDA: NVIDIA's GPUs through the driver and NVRTC, both loaded at run time. f32 and f64.

// a driver's interface is unsafe by nature; each call says why it is sound
#![allow(unsafe_code)]

pub mod arrays;
mod blocks;
mod cache;
mod compile;
mod evaluate;
mod exchange;
mod expansions;
pub mod few_body;
mod launch;
mod nccl;
mod pacer;
pub mod particles;
mod resident;
mod share;
mod source;
mod transfer;

pub use blocks::has_blocks;
pub(crate) use blocks::{CudaBlocks, sharing};
pub(crate) use compile::kernels;
pub use compile::{compile, has_compiler};
pub use evaluate::CudaEvaluator;
pub use exchange::obstacle;
pub(crate) use expansions::{CudaExpansions, CudaExpansionsResident};
pub(crate) use resident::CudaResident;
pub use source::source;

use crate::{DeviceInfo, Evaluator, Pairs};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use cudarc::driver::{CudaContext, CudaModule, CudaStream, DriverError};
use launch::Start;
use manybody_law::law::Law;
use manybody_law::{Device, Error, Result};
use manybody_pairwise::{Precision, Summation};
use std::sync::Arc;

/// An open device.
#[derive(Debug)]
pub struct Cuda {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    /// Compute capability: 90 for 9.0.
    pub(crate) arch: i32,
    /// Streaming multiprocessors.
    processors: u32,
    /// How early a kernel can start that itself waits for the results of the kernel ahead.
    earliest: Start,
    /// Those it shares evaluations with.
    others: Vec<Arc<Cuda>>,
}

pub(crate) fn failed(what: &str) -> impl Fn(DriverError) -> Error {
    move |error| {
        let said =
            error.error_string().map_or_else(|_| format!("{error:?}"), |text| text.to_string_lossy().into_owned());
        let help = if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            "; fewer bodies or a device with more memory would do"
        } else {
            ""
        };
        Error::Device { device: "cuda", problem: format!("cannot {what}: {said}{help}") }
    }
}

pub(crate) const HOW: &str = "no NVIDIA GPU with a driver is found: it takes both, and NVRTC (from the CUDA toolkit, or the wheel nvidia-cuda-nvrtc)";

/// Whether there is a device that can be used.
pub fn is_here() -> bool {
    count() > 0 && has_compiler()
}

/// Whether the driver can be loaded and has a device.
pub fn count() -> usize {
    // SAFETY: only looks whether a library of that name can be loaded
    if !unsafe { cudarc::driver::sys::is_culib_present() } {
        return 0;
    }
    CudaContext::device_count().map_or(0, |n| n.max(0) as usize)
}

impl Cuda {
    /// Opens several devices, of one kind, that share every evaluation, or the first one where no number is given; a number may
    /// be there twice. The first gathers. Results are the same bits with any number of them, as long as a kernel is not for few
    /// bodies: that one stays on the first.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if the machine has no GPU; [`Error::Parameter`] for one that it has not, or more than 8;
    /// [`Error::Device`] if they are not of one kind.
    pub fn open_several(ordinals: &[usize]) -> Result<Arc<Cuda>> {
        if ordinals.is_empty() {
            return Self::open(0);
        }
        let wrong = |value: usize, expected| Err(Error::Parameter { name: "gpus", value: value.to_string(), expected });
        let here = count();
        if let (1.., Some(missing)) = (here, ordinals.iter().find(|index| **index >= here)) {
            return wrong(missing + 1, format!("{here} {} here", if here == 1 { "is" } else { "are" }));
        }
        let (Some((first, rest)), ..=share::LINES) = (ordinals.split_first(), ordinals.len()) else {
            return wrong(ordinals.len(), format!("1 to {} GPUs can share an evaluation", share::LINES));
        };
        let first = Self::open(*first)?;
        if rest.is_empty() {
            return Ok(first);
        }
        let others = rest.iter().map(|index| Self::open(*index)).collect::<Result<Vec<_>>>()?;
        for other in &others {
            if (other.arch, other.processors) != (first.arch, first.processors) {
                let problem = "GPUs that share an evaluation have to be of one kind".into();
                return Err(Error::Device { device: "cuda", problem });
            }
        }
        // expansions are exchanged between all of them
        for (k, one) in [&first].into_iter().chain(&others).enumerate() {
            for other in others.iter().skip(k) {
                one.let_reach(other)?;
                other.let_reach(one)?;
            }
        }
        first.bind()?;
        let Cuda { context, stream, arch, processors, earliest, .. } = &*first;
        Ok(Arc::new(Cuda {
            context: context.clone(),
            stream: stream.clone(),
            arch: *arch,
            processors: *processors,
            earliest: *earliest,
            others,
        }))
    }

    /// As [`open_several`](Self::open_several), each by itself.
    pub(crate) fn open_all(ordinals: &[usize]) -> Result<Vec<Arc<Cuda>>> {
        let first = Self::open_several(ordinals)?;
        let others = first.others.clone();
        Ok([first].into_iter().chain(others).collect())
    }

    /// Whether another device can reach this one's memory.
    fn is_reached_by(&self, other: &Cuda) -> Result<bool> {
        let [here, there] = [&self.context, &other.context].map(|context| context.cu_device());
        if here == there {
            return Ok(true);
        }
        let mut can = 0;
        // SAFETY: writes one integer
        unsafe { sys::cuDeviceCanAccessPeer(&mut can, there, here) }
            .result()
            .map_err(failed("ask whether GPUs reach each other's memory"))?;
        Ok(can != 0)
    }

    /// Whether this device and those it shares with reach each other's memory, all of them.
    ///
    /// # Errors
    /// Those of the device.
    fn is_joined(&self) -> Result<bool> {
        let all = || [self].into_iter().chain(self.others.iter().map(|other| &**other));
        for one in all() {
            for other in all() {
                if !one.is_reached_by(other)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Lets another device copy straight from and to this one's memory, and its kernels reach it, where their connection can;
    /// otherwise copies take the way through the host.
    fn let_reach(&self, other: &Cuda) -> Result<()> {
        let reach = failed("let GPUs reach each other's memory");
        let [here, there] = [&self.context, &other.context].map(|context| context.cu_device());
        if here == there || !self.is_reached_by(other)? {
            return Ok(());
        }
        let mut pool = std::ptr::null_mut();
        // SAFETY: writes one handle
        unsafe { sys::cuDeviceGetMemPool(&mut pool, here) }.result().map_err(&reach)?;
        let access = sys::CUmemAccessDesc {
            location: sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: there },
            flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // SAFETY: one description, of a device that can access the pool
        unsafe { sys::cuMemPoolSetAccess(pool, &access, 1) }.result().map_err(&reach)
    }

    /// Opens device `index`.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if there is no such GPU.
    pub fn open(index: usize) -> Result<Arc<Cuda>> {
        if index >= count() {
            return Err(Error::NoDevice { device: "cuda", how: HOW.into() });
        }
        let context = CudaContext::new(index).map_err(failed("open the device"))?;
        // SAFETY: streams of this context and of others wait for each other by events of ours
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(failed("make a stream"))?;
        let (major, minor) = context.compute_capability().map_err(failed("ask for the compute capability"))?;
        let processors = context
            .attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
            .map_err(failed("ask for the number of processors"))?;
        Ok(Arc::new(Cuda {
            context,
            stream,
            arch: 10 * major + minor,
            processors: processors.max(1) as u32,
            // in graphs from CUDA 12.3 on
            earliest: if major >= 9 && version() >= 12_030 { Start::BesidePrevious } else { Start::AfterPrevious },
            others: Vec::new(),
        }))
    }

    /// Makes this device the one that the calling thread uses.
    pub(crate) fn bind(&self) -> Result<()> {
        self.context.bind_to_thread().map_err(failed("use the device"))
    }

    /// Loads kernels that are compiled for this device.
    pub(crate) fn load(&self, kernels: cudarc::nvrtc::Ptx) -> Result<Arc<CudaModule>> {
        self.context.load_module(kernels).map_err(failed("load a kernel"))
    }
}

/// The newest CUDA that the driver knows: 13000 for 13.0.
fn version() -> i32 {
    let mut version = 0;
    // SAFETY: writes one integer
    let _ = unsafe { cudarc::driver::sys::cuDriverGetVersion(&mut version) };
    version
}

/// The CUDA devices that are here.
pub fn devices() -> Vec<DeviceInfo> {
    let describe = |index: usize| {
        let context = CudaContext::new(index).ok()?;
        let (major, minor) = context.compute_capability().ok()?;
        let processors = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).ok()?;
        let clock = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE).ok()?;
        let version = version();
        let mut abilities = vec![
            "f32, mixed, f64".to_string(),
            format!("compute capability {major}.{minor}"),
            format!("{processors} multiprocessors at up to {} MHz", clock / 1000),
        ];
        if !has_compiler() {
            abilities.push("not usable: libnvrtc is not found (CUDA toolkit, or the wheel nvidia-cuda-nvrtc)".into());
        }
        Some(DeviceInfo {
            device: Device::Cuda,
            index,
            name: context.name().ok()?,
            memory: context.total_mem().ok().map(|bytes| bytes as u64),
            driver: format!("CUDA {}.{}", version / 1000, version % 1000 / 10),
            abilities,
            is_software: false,
        })
    };
    (0..count()).filter_map(describe).collect()
}

/// A law on a CUDA device and those it shares with, with the kernel's own sums or a choice of them.
pub(crate) fn evaluator(
    cuda: Arc<Cuda>,
    law: &Law,
    precision: Precision,
    pairs: Pairs,
    shape: Option<crate::KernelConfig>,
    sum: Option<Summation>,
) -> Result<Box<dyn Evaluator>> {
    Ok(match precision {
        Precision::F32 => Box::new(CudaEvaluator::<f32>::new(cuda, law, pairs).in_shape(shape).summing(sum)?),
        Precision::Mixed => {
            Box::new(CudaEvaluator::<f32>::new(cuda, law, pairs).in_shape(shape).mixed()?.summing(sum)?)
        }
        Precision::F64 => Box::new(CudaEvaluator::<f64>::new(cuda, law, pairs).in_shape(shape).summing(sum)?),
    })
}

#[cfg(test)]
mod tests;
