//! Kernels of [`compute`](super) on wgpu.

use super::{Access, Kernel, Kind, Start, other_device};
use crate::wgpu::{SizedBy, Wgpu};
use ::wgpu::{BindGroup, BindGroupLayout, BufferBindingType, BufferUsages, ComputePipeline, SubmissionIndex};
use manybody_law::{Error, Result};

#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pipeline: ComputePipeline,
    layout: BindGroupLayout,
}

#[derive(Debug)]
pub(super) struct Buffer(::wgpu::Buffer);

/// Bytes brought back at a time.
const BACK: u64 = 64 << 20;

pub(super) fn compile(wgpu: &Wgpu, kernel: &Kernel) -> Result<Compiled> {
    if kernel.wgsl.is_empty() {
        let problem = format!("the kernel {} has no form without f64 or 64-bit integers", kernel.entry);
        return Err(Error::Device { device: "wgpu", problem });
    }
    let kind = |access| match access {
        Access::Read => BufferBindingType::Storage { read_only: true },
        Access::Write => BufferBindingType::Storage { read_only: false },
        Access::Uniform => BufferBindingType::Uniform,
    };
    let kinds: Vec<_> = kernel.access.iter().copied().chain([Access::Uniform]).map(kind).collect();
    let layout = wgpu.layout(&kinds)?;
    Ok(Compiled { pipeline: wgpu.pipeline(&kernel.wgsl, kernel.entry, &layout)?, layout })
}

const USAGE: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::UNIFORM).union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

pub(super) fn zeros(wgpu: &Wgpu, bytes: u64) -> Result<Buffer> {
    wgpu.buffer(bytes, USAGE, SizedBy::Other).map(Buffer)
}

pub(super) fn filled(wgpu: &Wgpu, bytes: &[u8]) -> Result<Buffer> {
    wgpu.filled(bytes, USAGE, SizedBy::Other).map(Buffer)
}

pub(super) fn read(wgpu: &Wgpu, from: &Buffer, bytes: u64) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes as usize);
    let back = wgpu.buffer(bytes.min(BACK), BufferUsages::MAP_READ | BufferUsages::COPY_DST, SizedBy::Other)?;
    while (out.len() as u64) < bytes {
        let at = out.len() as u64;
        let part = (bytes - at).min(BACK);
        let take = |view: &[u8]| out.extend_from_slice(&view[..part as usize]);
        wgpu.read(&from.0, at, &back, part.next_multiple_of(4), take)?;
    }
    Ok(out)
}

pub(super) fn start(wgpu: &Wgpu, starts: &[Start<'_>]) -> Result<SubmissionIndex> {
    let bound = starts.iter().map(|start| bind(wgpu, start)).collect::<Result<Vec<_>>>()?;
    wgpu.submit(|encoder| {
        for (start, (pipeline, group)) in starts.iter().zip(&bound) {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(start.grid[0], start.grid[1], start.grid[2]);
        }
    })
}

/// A kernel, and its buffers and arguments.
fn bind<'a>(wgpu: &Wgpu, start: &Start<'a>) -> Result<(&'a ComputePipeline, BindGroup)> {
    let Kind::Wgpu(kernel) = &start.kernel.0 else { return Err(other_device()) };
    let call = filled(wgpu, bytemuck::cast_slice(&start.words()))?;
    let mut buffers = Vec::new();
    for buffer in &start.buffers {
        let Kind::Wgpu(buffer) = &buffer.0 else { return Err(other_device()) };
        buffers.push(&buffer.0);
    }
    buffers.push(&call.0);
    Ok((&kernel.pipeline, wgpu.bind(&kernel.layout, &buffers)?))
}

pub(super) fn wait(wgpu: &Wgpu) -> Result<()> {
    wgpu.wait()
}
