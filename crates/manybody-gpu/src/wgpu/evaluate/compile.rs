//! Compiles a law's kernels, each in each shape once.

use super::WgpuEvaluator;
use crate::emit::{numbers, split_inputs};
use crate::wgpu::{Shape, Traits, source};
use crate::{Pairs, finish};
use ::wgpu::{BindGroupLayout, ComputePipeline};
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
            traverse: self.wgpu.pipeline(&traverse, shape.entry(), self.layout(form))?,
            gather: self.wgpu.pipeline(&gather, "gather", self.layout(Form::ThirdIsRead))?,
            law,
        });
        self.kernels.insert((members, shape), kernel.clone());
        Ok(kernel)
    }

    pub(in crate::wgpu) fn layout(&self, form: Form) -> &BindGroupLayout {
        &self.wgpu.layouts[usize::from(form == Form::ThirdIsWritten)]
    }
}
