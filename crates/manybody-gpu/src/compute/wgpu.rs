//! Kernels of [`compute`](super) on wgpu.

use super::{Access, Kernel, Kind, Start, other_device};
use crate::wgpu::{NO_MEMORY, Wgpu, failed};
use ::wgpu::{
    BindGroupEntry, BindGroupLayout, BindGroupLayoutEntry, BindingType, BufferBindingType, BufferDescriptor,
    BufferUsages, ComputePipeline, ErrorFilter, MapMode, ShaderStages, SubmissionIndex,
};
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

pub(super) fn largest(wgpu: &Wgpu) -> u64 {
    wgpu.limits.max_buffer_size.min(wgpu.limits.max_storage_buffer_binding_size)
}

#[allow(unsafe_code)]
pub(super) fn compile(wgpu: &Wgpu, kernel: &Kernel) -> Result<Compiled> {
    let device = &wgpu.device;
    if kernel.wgsl.is_empty() {
        let problem = format!("the kernel {} has no form without f64 or 64-bit integers", kernel.entry);
        return Err(Error::Device { device: "wgpu", problem });
    }
    let scope = device.push_error_scope(ErrorFilter::Validation);
    let entry = |(binding, access): (usize, Access)| BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty: match access {
                Access::Read => BufferBindingType::Storage { read_only: true },
                Access::Write => BufferBindingType::Storage { read_only: false },
                Access::Uniform => BufferBindingType::Uniform,
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let access = kernel.access.iter().copied().chain([Access::Uniform]);
    let entries: Vec<_> = access.enumerate().map(entry).collect();
    let layout = device.create_bind_group_layout(&::wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
    let descriptor = ::wgpu::ShaderModuleDescriptor {
        label: Some(kernel.entry),
        source: ::wgpu::ShaderSource::Wgsl(kernel.wgsl.as_str().into()),
    };
    // SAFETY: as on CUDA, buffers are as long as what blocks touch; checks at run time would cost a third of the rate
    let module = unsafe { device.create_shader_module_trusted(descriptor, ::wgpu::ShaderRuntimeChecks::unchecked()) };
    let pipeline_layout = device.create_pipeline_layout(&::wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        ..Default::default()
    });
    let pipeline = device.create_compute_pipeline(&::wgpu::ComputePipelineDescriptor {
        label: Some(kernel.entry),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some(kernel.entry),
        compilation_options: ::wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    });
    match pollster::block_on(scope.pop()) {
        None => Ok(Compiled { pipeline, layout }),
        Some(error) => Err(failed(format!("the kernel {} does not compile: {error}", kernel.entry))),
    }
}

fn buffer(wgpu: &Wgpu, bytes: u64, usage: BufferUsages) -> Result<::wgpu::Buffer> {
    if bytes > largest(wgpu) {
        let most = largest(wgpu);
        return Err(failed(format!("a buffer of {bytes} bytes is needed, and at most {most} are possible")));
    }
    let memory = wgpu.device.push_error_scope(ErrorFilter::OutOfMemory);
    let size = bytes.max(64).next_multiple_of(16);
    let buffer = wgpu.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    match pollster::block_on(memory.pop()) {
        None => Ok(buffer),
        Some(error) => Err(failed(format!("{bytes} bytes: {NO_MEMORY}: {error}"))),
    }
}

pub(super) fn zeros(wgpu: &Wgpu, bytes: u64) -> Result<Buffer> {
    let usage = BufferUsages::STORAGE | BufferUsages::UNIFORM | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    buffer(wgpu, bytes, usage).map(Buffer)
}

pub(super) fn filled(wgpu: &Wgpu, bytes: &[u8]) -> Result<Buffer> {
    let buffer = zeros(wgpu, bytes.len() as u64)?;
    if !bytes.len().is_multiple_of(4) {
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(4), 0);
        wgpu.queue.write_buffer(&buffer.0, 0, &padded);
    } else if !bytes.is_empty() {
        wgpu.queue.write_buffer(&buffer.0, 0, bytes);
    }
    Ok(buffer)
}

pub(super) fn read(wgpu: &Wgpu, from: &Buffer, bytes: u64) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(bytes as usize);
    let back = buffer(wgpu, bytes.min(BACK), BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
    while (out.len() as u64) < bytes {
        let at = out.len() as u64;
        let part = (bytes - at).min(BACK);
        let mut encoder = wgpu.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&from.0, at, &back, 0, part.next_multiple_of(4));
        wgpu.queue.submit([encoder.finish()]);
        back.slice(..).map_async(MapMode::Read, |_| {});
        wait(wgpu)?;
        {
            let view = back.slice(..).get_mapped_range().map_err(|error| failed(format!("{error:?}")))?;
            out.extend_from_slice(&view[..part as usize]);
        }
        back.unmap();
    }
    Ok(out)
}

pub(super) fn start(wgpu: &Wgpu, starts: &[Start<'_>]) -> Result<SubmissionIndex> {
    let scope = wgpu.device.push_error_scope(ErrorFilter::Validation);
    let mut encoder = wgpu.device.create_command_encoder(&Default::default());
    for start in starts {
        let Kind::Wgpu(kernel) = &start.kernel.0 else { return Err(other_device()) };
        let call = filled(wgpu, bytemuck::cast_slice(&start.words()))?;
        let mut entries = Vec::new();
        for (binding, buffer) in start.buffers.iter().enumerate() {
            let Kind::Wgpu(buffer) = &buffer.0 else { return Err(other_device()) };
            entries.push(BindGroupEntry { binding: binding as u32, resource: buffer.0.as_entire_binding() });
        }
        entries.push(BindGroupEntry { binding: entries.len() as u32, resource: call.0.as_entire_binding() });
        let group = wgpu.device.create_bind_group(&::wgpu::BindGroupDescriptor {
            label: None,
            layout: &kernel.layout,
            entries: &entries,
        });
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&kernel.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(start.grid[0], start.grid[1], start.grid[2]);
    }
    let index = wgpu.queue.submit([encoder.finish()]);
    pollster::block_on(scope.pop()).map_or(Ok(index), |error| Err(failed(error)))
}

pub(super) fn wait(wgpu: &Wgpu) -> Result<()> {
    wgpu.wait()
}
