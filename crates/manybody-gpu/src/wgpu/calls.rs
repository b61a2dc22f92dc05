//! Calls into wgpu that can fail.
//!
//! wgpu's calls return no errors: an error goes to the innermost error scope of its kind that the thread has opened, or else to
//! one handler for the whole device. Every call here is made in scopes of its own for all kinds of errors, so that an error
//! stays with the computation that has made it, whatever other threads compute on the device. What reaches the handler all the
//! same belongs to no computation: the device counts as lost then (`Wgpu::check`).

use super::{Wgpu, failed};
use ::wgpu::{
    BindGroup, BindGroupEntry, BindGroupLayout, BindGroupLayoutEntry, BindingResource, BindingType, Buffer,
    BufferBinding, BufferBindingType, BufferDescriptor, BufferUsages, CommandEncoder, ComputePipeline, Device,
    ErrorFilter, MapMode, ShaderStages, SubmissionIndex,
};
use manybody_law::guard::guard;
use manybody_law::{Error, Result};
use std::num::NonZero;

/// What the size of a buffer follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizedBy {
    /// The number of bodies.
    Bodies,
    /// Something else, or the caller's problem, which is not known here.
    Other,
}

/// A dispatch.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    pub(super) pipeline: ComputePipeline,
    pub(super) group: BindGroup,
    pub(super) groups: [u32; 2],
    /// Pairs that it evaluates, where that is known.
    pub(super) pairs: u64,
}

/// What is wrong with a call.
#[derive(Debug)]
enum Problem {
    /// The device has no memory for it.
    Memory(String),
    /// wgpu or the driver refuses it.
    Refused(String),
}

impl Problem {
    /// That of the errors of a call's scopes: where memory is missing, other errors follow from that.
    fn of(errors: impl IntoIterator<Item = ::wgpu::Error>) -> Option<Self> {
        let mut refused = None;
        for error in errors {
            match &error {
                ::wgpu::Error::OutOfMemory { .. } => return Some(Problem::Memory(error.to_string())),
                _ => refused = refused.or(Some(Problem::Refused(error.to_string()))),
            }
        }
        refused
    }

    /// As an error; `what` is the message where the call is refused.
    fn error(self, what: impl FnOnce(String) -> String) -> Error {
        match self {
            Problem::Memory(said) => failed(no_memory(SizedBy::Other, &said)),
            Problem::Refused(said) => failed(what(said)),
        }
    }
}

/// The message where memory is not available; wgpu does not know how much there is.
fn no_memory(sized_by: SizedBy, said: &str) -> String {
    let smaller = match sized_by {
        SizedBy::Bodies => "fewer bodies",
        SizedBy::Other => "a smaller problem",
    };
    format!("not enough memory on the device; {smaller} or a device with more memory would do: {said}")
}

/// Makes a call in error scopes of its own.
fn scoped<R>(device: &Device, call: impl FnOnce() -> R) -> std::result::Result<R, Problem> {
    let scopes = [ErrorFilter::Validation, ErrorFilter::OutOfMemory, ErrorFilter::Internal]
        .map(|filter| device.push_error_scope(filter));
    let done = call();
    // the last one that was opened is closed first
    let errors: Vec<_> = scopes.into_iter().rev().map(|scope| pollster::block_on(scope.pop())).collect();
    Problem::of(errors.into_iter().flatten()).map_or(Ok(done), Err)
}

/// The layout of a kernel's buffers, in order.
///
/// # Errors
/// [`Error::Device`].
pub(super) fn layout(device: &Device, kinds: &[BufferBindingType]) -> Result<BindGroupLayout> {
    let entry = |(binding, ty): (usize, &BufferBindingType)| BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer { ty: *ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let entries: Vec<_> = kinds.iter().enumerate().map(entry).collect();
    let descriptor = ::wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
    scoped(device, || device.create_bind_group_layout(&descriptor)).map_err(|problem| problem.error(|said| said))
}

impl Wgpu {
    /// Makes a call; what is returned of a device that is lost meanwhile is an error.
    fn call<R>(&self, call: impl FnOnce() -> R) -> Result<R> {
        let done = scoped(&self.device, call);
        self.check()?;
        done.map_err(|problem| problem.error(|said| said))
    }

    /// Bytes that a buffer may have.
    pub(crate) fn largest_buffer(&self) -> u64 {
        self.limits.max_buffer_size.min(self.limits.max_storage_buffer_binding_size)
    }

    /// Memory of so many bytes at least, all 0.
    ///
    /// # Errors
    /// [`Error::Device`] if there is not so much, or a buffer cannot be so large.
    pub(crate) fn buffer(&self, bytes: u64, usage: BufferUsages, sized_by: SizedBy) -> Result<Buffer> {
        let most = self.largest_buffer();
        if bytes > most {
            let smaller = match sized_by {
                SizedBy::Bodies => ": fewer bodies would do",
                SizedBy::Other => "",
            };
            return Err(failed(format!(
                "a buffer of {bytes} bytes is needed, and at most {most} are possible{smaller}"
            )));
        }
        let size = bytes.max(64).next_multiple_of(16);
        let descriptor = BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let made = scoped(&self.device, || self.device.create_buffer(&descriptor));
        self.check()?;
        made.map_err(|problem| match problem {
            Problem::Memory(said) => failed(format!("{bytes} bytes: {}", no_memory(sized_by, &said))),
            Problem::Refused(said) => failed(said),
        })
    }

    /// Memory that holds these bytes.
    ///
    /// # Errors
    /// As [`buffer`](Self::buffer).
    pub(crate) fn filled(&self, bytes: &[u8], usage: BufferUsages, sized_by: SizedBy) -> Result<Buffer> {
        let buffer = self.buffer(bytes.len() as u64, usage | BufferUsages::COPY_DST, sized_by)?;
        self.write(&buffer, 0, bytes)?;
        Ok(buffer)
    }

    /// Overwrites a part of a buffer, of whole words: fewer bytes are followed by zeros.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(crate) fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<()> {
        if bytes.len().is_multiple_of(4) {
            return self.call(|| self.queue.write_buffer(buffer, offset, bytes));
        }
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(4), 0);
        self.call(|| self.queue.write_buffer(buffer, offset, &padded))
    }

    /// The layout of a kernel's buffers, in order.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(crate) fn layout(&self, kinds: &[BufferBindingType]) -> Result<BindGroupLayout> {
        layout(&self.device, kinds)
    }

    /// Compiles a kernel.
    ///
    /// # Errors
    /// [`Error::Device`] with the compiler's words, or where memory is missing.
    #[allow(unsafe_code)]
    pub(crate) fn pipeline(&self, text: &str, entry: &str, layout: &BindGroupLayout) -> Result<ComputePipeline> {
        let device = &self.device;
        let compiled = scoped(device, || {
            let descriptor =
                ::wgpu::ShaderModuleDescriptor { label: Some(entry), source: ::wgpu::ShaderSource::Wgsl(text.into()) };
            // SAFETY: every index of the kernels is below the length of what it indexes: buffers are as long as what
            // workgroups touch, with slots, tiles and records for whole tiles. Checks at run time would cost a third of the
            // rate
            let module =
                unsafe { device.create_shader_module_trusted(descriptor, ::wgpu::ShaderRuntimeChecks::unchecked()) };
            let layout = device.create_pipeline_layout(&::wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &[Some(layout)],
                ..Default::default()
            });
            device.create_compute_pipeline(&::wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(entry),
                compilation_options: ::wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        });
        self.check()?;
        compiled.map_err(|problem| does_not_compile(entry, problem))
    }

    /// Binds buffers to a kernel, in order.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(crate) fn bind(&self, layout: &BindGroupLayout, buffers: &[&Buffer]) -> Result<BindGroup> {
        self.bind_all(layout, buffers.iter().map(|buffer| buffer.as_entire_binding()))
    }

    /// The same, and behind them a part of one: from that byte on, so many.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(crate) fn bind_with(
        &self,
        layout: &BindGroupLayout,
        buffers: &[&Buffer],
        (buffer, offset, bytes): (&Buffer, u64, u64),
    ) -> Result<BindGroup> {
        let part = BindingResource::Buffer(BufferBinding { buffer, offset, size: NonZero::new(bytes) });
        self.bind_all(layout, buffers.iter().map(|buffer| buffer.as_entire_binding()).chain([part]))
    }

    fn bind_all<'a>(
        &self,
        layout: &BindGroupLayout,
        all: impl Iterator<Item = BindingResource<'a>>,
    ) -> Result<BindGroup> {
        let entries: Vec<_> = (0..).zip(all).map(|(binding, resource)| BindGroupEntry { binding, resource }).collect();
        let descriptor = ::wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
        self.call(|| self.device.create_bind_group(&descriptor))
    }

    /// Runs what `record` records, and waits for nothing.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(crate) fn submit(&self, record: impl FnOnce(&mut CommandEncoder)) -> Result<SubmissionIndex> {
        self.call(|| {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            record(&mut encoder);
            self.queue.submit([encoder.finish()])
        })
    }

    /// Runs dispatches one after the other in one submission, and waits for nothing.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(crate) fn run<'a>(&self, passes: impl IntoIterator<Item = &'a Pass>) -> Result<SubmissionIndex> {
        self.submit(|encoder| {
            let mut recorded = encoder.begin_compute_pass(&Default::default());
            for pass in passes {
                recorded.set_pipeline(&pass.pipeline);
                recorded.set_bind_group(0, &pass.group, &[]);
                recorded.dispatch_workgroups(pass.groups[0], pass.groups[1], 1);
            }
        })
    }

    /// Calls `take` with a part of a buffer, which comes through the beginning of `back`, a buffer that can be mapped. Waits
    /// for all that was submitted.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(crate) fn read<R>(
        &self,
        from: &Buffer,
        offset: u64,
        back: &Buffer,
        bytes: u64,
        take: impl FnOnce(&[u8]) -> R,
    ) -> Result<R> {
        self.submit(|encoder| encoder.copy_buffer_to_buffer(from, offset, back, 0, bytes))?;
        let slice = back.slice(..bytes);
        self.call(|| slice.map_async(MapMode::Read, |_| {}))?;
        self.wait()?;
        let taken = match slice.get_mapped_range() {
            Ok(view) => take(&view),
            Err(error) => return Err(failed(format!("{error:?}"))),
        };
        self.call(|| back.unmap())?;
        Ok(taken)
    }

    /// Waits for all that was submitted.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub(crate) fn wait(&self) -> Result<()> {
        self.wait_for(None)
    }

    /// Waits for a submission; without one, for all.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub(crate) fn wait_for(&self, submission_index: Option<SubmissionIndex>) -> Result<()> {
        // wgpu returns only that time is up; it panics where the device is lost meanwhile
        let poll = || self.device.poll(::wgpu::PollType::Wait { submission_index, timeout: None });
        match guard(|| self.call(poll)) {
            Some(waited) => waited?.map(drop).map_err(failed),
            None => {
                self.lose(super::LOST.into());
                self.check()
            }
        }
    }
}

/// The error of a kernel that is not compiled.
fn does_not_compile(entry: &str, problem: Problem) -> Error {
    problem.error(|said| format!("the kernel {entry} does not compile: {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without memory for a shader's module, the pipeline that uses it is refused, too: that is not what is wrong.
    #[test]
    fn missing_memory_is_no_error_of_the_kernel() {
        let memory = || ::wgpu::Error::OutOfMemory { source: "VK_ERROR_OUT_OF_DEVICE_MEMORY".into() };
        let refused = || ::wgpu::Error::Validation { source: "".into(), description: "the module is invalid".into() };
        let message = |errors: Vec<::wgpu::Error>| does_not_compile("gather", Problem::of(errors).unwrap()).to_string();
        for errors in [vec![memory()], vec![memory(), refused()], vec![refused(), memory()]] {
            let error = message(errors);
            assert!(error.contains("not enough memory") && !error.contains("compile"), "{error}");
            assert!(!error.contains("bodies"), "{error}");
        }
        let error = message(vec![refused()]);
        assert!(error.contains("the kernel gather does not compile: ") && error.contains("invalid"), "{error}");
        assert!(Problem::of([]).is_none());
    }
}
