//! A step of the run as one launch, whose thread blocks publish numbers for each other.

use super::super::launch::{Call, Start};
use super::super::{Cuda, failed, kernels};
use super::{OnDevice, Units, tick, work};
use crate::compute::Rounding;
use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUfunction_attribute_enum as FunctionAttribute};
use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};
use manybody_law::Result;
use manybody_pairwise::{BlockStep, BlockWork};

/// Bytes of a published number, as published.cuh has it.
const CELL: usize = 16;

/// Tags begin again beyond: a launch has fewer blocks than are left then.
const LAST_TAG: u32 = 1 << 31;

/// A kernel, and what its thread blocks publish.
pub(in super::super) struct OneLaunch {
    kernel: CudaFunction,
    launch: LaunchConfig,
    start: Start,
    published: Vec<CudaSlice<u64>>,
    /// Blocks, steps of bodies, the last tag, a body whose step is too small, and the time of the last block.
    report: CudaSlice<u64>,
    last_tag: u32,
}

/// The kernel `blocks` of a text, with so much shared memory for a thread block.
///
/// # Errors
/// Those of the device.
pub(super) fn kernel(cuda: &Cuda, text: &str, shared: u32) -> Result<CudaFunction> {
    let module = cuda.load(kernels(text, cuda.arch, Rounding::Fast)?)?;
    let kernel = module.load_function("blocks").map_err(failed("find a kernel"))?;
    kernel
        .set_attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared as i32)
        .map_err(failed("ask for shared memory"))?;
    Ok(kernel)
}

/// Whether a device of this compute capability or a later one starts thread blocks together that need so many bytes of shared memory.
///
/// # Errors
/// Those of the device.
pub(super) fn has_room(cuda: &Cuda, shared: usize, arch: i32) -> Result<bool> {
    let limit = |attribute| cuda.context.attribute(attribute).map_err(failed("ask for a limit"));
    let most = limit(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?.max(0) as usize;
    let together = limit(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? == 1;
    Ok(together && shared <= most && cuda.arch >= arch)
}

impl OneLaunch {
    /// A launch of a kernel, with room for so many published numbers of each kind.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn new(
        cuda: &Cuda,
        kernel: CudaFunction,
        launch: LaunchConfig,
        start: Start,
        numbers: &[usize],
    ) -> Result<Self> {
        let (stream, memory) = (&cuda.stream, failed("allocate memory for the bodies"));
        let cells = |count: &usize| stream.alloc_zeros::<u64>(count * CELL / 8).map_err(&memory);
        Ok(OneLaunch {
            published: numbers.iter().map(cells).collect::<Result<_>>()?,
            report: stream.alloc_zeros(5).map_err(&memory)?,
            last_tag: 0,
            kernel,
            launch,
            start,
        })
    }

    /// As after so many tags.
    #[cfg(test)]
    pub(super) fn with_last_tag(self, last_tag: u32) -> Self {
        OneLaunch { last_tag, ..self }
    }

    /// Makes a step of the run, without a look at a watch: it is one launch.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn step(
        &mut self,
        cuda: &Cuda,
        bodies: &OnDevice,
        step: &BlockStep,
        frame: Option<&Units>,
    ) -> Result<BlockWork> {
        let stream = &cuda.stream;
        let OneLaunch { kernel, launch, start, published, report, last_tag } = self;
        if *last_tag >= LAST_TAG {
            // no number has a tag that comes again
            for numbers in published.iter_mut() {
                stream.memset_zeros(numbers).map_err(failed("transfer the bodies"))?;
            }
            *last_tag = 0;
        }
        stream.memcpy_htod(&[0, 0, 0, u64::MAX, 0], report).map_err(failed("transfer the bodies"))?;
        let (unit, eta2, [top, bottom]) = (tick(step), step.eta * step.eta, step.levels.map(i32::from));
        let (count, limited) = (bodies.n as u32, u32::from(step.is_limited));
        let mut call = Call::new(stream, kernel);
        call.memory(&bodies.state).memory(&bodies.mass).memory(&bodies.half).memory(&bodies.levels);
        call.arg(&count).arg(&unit).arg(&eta2).arg(&top).arg(&bottom).arg(&limited).arg(last_tag);
        for numbers in published.iter() {
            call.memory(numbers);
        }
        call.memory(report);
        if let Some(frame) = frame {
            call.arg(frame);
        }
        // SAFETY: the arguments are those of `blocks`, and its memory is of the sizes that it computes from n and the grid
        unsafe { call.launch(*launch, *start) }.map_err(failed("start a kernel"))?;
        let report = stream.clone_dtoh(report).map_err(failed("compute"))?;
        stream.synchronize().map_err(failed("compute"))?;
        *last_tag = report[2] as u32;
        Ok(work([report[0], report[1], report[3], report[4]]))
    }
}
