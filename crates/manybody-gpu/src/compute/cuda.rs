//! Kernels of [`compute`](super) on CUDA.

// a driver's interface is unsafe by nature; each call says why it is sound
#![allow(unsafe_code)]

use super::{Kernel, Kind, Start, WORDS, other_device};
use crate::cuda::{Cuda, failed, kernels};
use cudarc::driver::{CudaEvent, CudaFunction, CudaSlice, DeviceRepr, LaunchConfig, PushKernelArg};
use manybody_law::Result;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Compiled {
    function: CudaFunction,
    block: [u32; 2],
    buffers: usize,
}

#[derive(Debug)]
pub(super) struct Buffer(CudaSlice<u8>);

/// The arguments of a kernel, by value.
#[repr(C)]
#[derive(Clone, Copy)]
struct Call([u32; WORDS]);
// SAFETY: plain words, laid out as the kernel's `struct Call`
unsafe impl DeviceRepr for Call {}

pub(super) fn free_memory(cuda: &Cuda) -> u64 {
    cuda.context.mem_get_info().map_or(0, |(free, _)| free as u64)
}

pub(super) fn compile(cuda: &Cuda, kernel: &Kernel) -> Result<Compiled> {
    let module = cuda.load(kernels(&kernel.cuda, cuda.arch, kernel.rounding)?)?;
    let function = module.load_function(kernel.entry).map_err(failed("find a kernel"))?;
    Ok(Compiled { function, block: kernel.block, buffers: kernel.access.len() })
}

pub(super) fn zeros(cuda: &Arc<Cuda>, bytes: u64) -> Result<Buffer> {
    cuda.bind()?;
    let bytes = (bytes as usize).max(16);
    cuda.stream.alloc_zeros(bytes).map(Buffer).map_err(failed(&format!("allocate {bytes} bytes")))
}

pub(super) fn filled(cuda: &Arc<Cuda>, bytes: &[u8]) -> Result<Buffer> {
    cuda.bind()?;
    let bytes = if bytes.is_empty() { &[0; 16] } else { bytes };
    cuda.stream.clone_htod(bytes).map(Buffer).map_err(failed(&format!("allocate {} bytes", bytes.len())))
}

pub(super) fn read(cuda: &Cuda, buffer: &Buffer, bytes: u64) -> Result<Vec<u8>> {
    let part = buffer.0.slice(0..bytes as usize);
    let out = cuda.stream.clone_dtoh(&part).map_err(failed("compute"))?;
    wait(cuda)?;
    Ok(out)
}

pub(super) fn start(cuda: &Cuda, starts: &[Start<'_>]) -> Result<()> {
    for start in starts {
        let Kind::Cuda(kernel) = &start.kernel.0 else { return Err(other_device()) };
        let [x, y] = kernel.block;
        let [gx, gy, gz] = start.grid;
        if gx == 0 || gy == 0 || gz == 0 {
            continue;
        }
        assert_eq!(kernel.buffers, start.buffers.len(), "a kernel gets its buffers");
        let call = Call(start.words());
        let mut builder = cuda.stream.launch_builder(&kernel.function);
        for buffer in &start.buffers {
            let Kind::Cuda(buffer) = &buffer.0 else { return Err(other_device()) };
            builder.arg(&buffer.0);
        }
        builder.arg(&call);
        let config = LaunchConfig { grid_dim: (gx, gy, gz), block_dim: (x, y, 1), shared_mem_bytes: 0 };
        // SAFETY: the arguments are the kernel's buffers in order, then the words; whoever writes a kernel's host code
        // gives it buffers as long as what its blocks touch. One stream does all the work, so kernels follow each other
        unsafe { builder.launch(config) }.map_err(failed("start a kernel"))?;
    }
    Ok(())
}

/// An event after all that was started.
pub(super) fn mark(cuda: &Cuda) -> Result<CudaEvent> {
    cuda.stream.record_event(None).map_err(failed("follow a kernel"))
}

pub(super) fn wait_for(event: &CudaEvent) -> Result<()> {
    event.synchronize().map_err(failed("compute"))
}

pub(super) fn wait(cuda: &Cuda) -> Result<()> {
    cuda.stream.synchronize().map_err(failed("compute"))
}

pub(super) fn seconds(cuda: &Cuda, starts: &[Start<'_>], repeats: usize) -> Result<f64> {
    let flags = Some(cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT);
    let time = failed("measure time");
    wait(cuda)?;
    let begin = cuda.stream.record_event(flags).map_err(&time)?;
    for _ in 0..repeats {
        start(cuda, starts)?;
    }
    let end = cuda.stream.record_event(flags).map_err(&time)?;
    let milliseconds = begin.elapsed_ms(&end).map_err(&time)?;
    Ok(f64::from(milliseconds) * 1e-3 / repeats.max(1) as f64)
}
