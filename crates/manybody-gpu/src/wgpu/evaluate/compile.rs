//! Compiles a law's kernels, each in each shape once.

use super::WgpuEvaluator;
use crate::emit::{numbers, split_inputs};
use crate::wgpu::{Shape, Traits, failed, source};
use crate::{Pairs, finish};
use ::wgpu::{BindGroupLayout, ComputePipeline, ErrorFilter};
use manybody_law::Result;
use manybody_law::law::Law;
use std::sync::Arc;

/// What a kernel's third buffer is to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::wgpu) enum Form {
    ThirdIsRead,
    ThirdIsWritten,
}

/// A law compiled in a shape.
pub(in crate::wgpu) struct Kernel {
    pub(in crate::wgpu) law: Law,
    pub(in crate::wgpu) scales: bool,
    pub(super) shape: Shape,
    pub(in crate::wgpu) results: usize,
    pub(in crate::wgpu) quads: usize,
    /// Where second parts begin in a record; 0 if there are no second parts.
    pub(in crate::wgpu) low: usize,
    pub(super) traverse: ComputePipeline,
    pub(super) gather: ComputePipeline,
}

impl WgpuEvaluator {
    pub(super) fn kernel(&mut self, members: Vec<String>, law: Law, n: usize, pairs: Pairs) -> Result<Arc<Kernel>> {
        let adapter = Traits {
            subgroups: self.subgroups,
            shared: self.wgpu.limits.max_compute_workgroup_storage_size as usize,
            is_software: self.wgpu.is_software,
        };
        // to choose means to lower the law, so what was chosen last is kept
        let knobs = self.knobs.filter(|_| pairs == self.pairs);
        let shape = match (&self.chosen, knobs, self.sum) {
            (Some((of, at, once, shape)), ..) if *of == members && (*at, *once) == (n, pairs) => *shape,
            (_, Some(knobs), _) => Shape::with_knobs(knobs, &law, self.split, adapter),
            (_, None, Some(sum)) => Shape::summed(sum, n, &law, self.split, adapter),
            (_, None, None) => Shape::choose(pairs, n, &law, self.split, adapter),
        };
        self.chosen = Some((members.clone(), n, pairs, shape));
        if let Some(kernel) = self.kernels.get(&(members.clone(), shape)) {
            return Ok(kernel.clone());
        }
        let scales = pairs == Pairs::Ordered || finish::scales_agree(&law);
        let [traverse, gather] = source(&law, shape, scales);
        let form = match pairs {
            Pairs::Once => Form::ThirdIsWritten,
            Pairs::Ordered => Form::ThirdIsRead,
        };
        let base = numbers(law.body()).max(numbers(law.partner()));
        let low = if self.split { split_inputs(&law).len() } else { 0 };
        let kernel = Arc::new(Kernel {
            scales,
            shape,
            results: law.cells().len(),
            quads: (base + low).max(1).div_ceil(4),
            low: if low > 0 { base } else { 0 },
            traverse: self.pipeline(&traverse, shape.entry(), form)?,
            gather: self.pipeline(&gather, "gather", Form::ThirdIsRead)?,
            law,
        });
        self.kernels.insert((members, shape), kernel.clone());
        Ok(kernel)
    }

    #[allow(unsafe_code)]
    pub(in crate::wgpu) fn pipeline(&self, text: &str, entry: &str, form: Form) -> Result<ComputePipeline> {
        let device = &self.wgpu.device;
        let scope = device.push_error_scope(ErrorFilter::Validation);
        let descriptor =
            ::wgpu::ShaderModuleDescriptor { label: Some(entry), source: ::wgpu::ShaderSource::Wgsl(text.into()) };
        // SAFETY: every index of the kernels is below the length of what it indexes: slots, tiles and records are
        // allocated for whole tiles. Checks at run time would cost a third of the rate
        let module =
            unsafe { device.create_shader_module_trusted(descriptor, ::wgpu::ShaderRuntimeChecks::unchecked()) };
        let layout = device.create_pipeline_layout(&::wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(self.layout(form))],
            ..Default::default()
        });
        let pipeline = device.create_compute_pipeline(&::wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&layout),
            module: &module,
            entry_point: Some(entry),
            compilation_options: ::wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        match pollster::block_on(scope.pop()) {
            None => Ok(pipeline),
            Some(error) => Err(failed(format!("the kernel {entry} does not compile: {error}"))),
        }
    }

    pub(super) fn layout(&self, form: Form) -> &BindGroupLayout {
        &self.wgpu.layouts[usize::from(form == Form::ThirdIsWritten)]
    }
}
