//! Compiles a law's kernels, each in each shape once.

use super::CudaEvaluator;
use crate::compute::Rounding;
use crate::cuda::share::SharedKernel;
use crate::cuda::{Cuda, failed, kernels, source};
use crate::emit::split_inputs;
use crate::kernel_config::{self, KernelConfig};
use crate::load::Motion;
use crate::{Pairs, finish};
use cudarc::driver::sys::CUfunction_attribute_enum as Limit;
use cudarc::driver::{CudaFunction, CudaModule, DeviceRepr, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::law::Law;
use manybody_law::simd::Element;
use manybody_pairwise::Precision;
use std::sync::Arc;

/// A law compiled in a shape.
pub(in crate::cuda) struct Kernel {
    pub(in crate::cuda) law: Law,
    pub(in crate::cuda) scales: bool,
    pub(super) shape: KernelConfig,
    /// Bytes of a body's record.
    pub(super) record: usize,
    pub(super) results: usize,
    /// Bytes of dynamic shared memory of the traversal.
    pub(super) shared: usize,
    pub(super) pack: CudaFunction,
    pub(super) traverse: CudaFunction,
    pub(super) gather: CudaFunction,
    pub(super) add_lines: CudaFunction,
    /// The same on the other GPUs.
    pub(super) shared_with: Vec<SharedKernel>,
    /// Moves bodies without an evaluation, and by sums that other ranks have completed.
    pub(in crate::cuda) step: Option<[CudaFunction; 2]>,
}

impl Kernel {
    /// Whether it computes each pair once.
    pub(in crate::cuda) fn is_mirrored(&self) -> bool {
        self.shape.is_mirrored()
    }

    /// Whether one block of threads has all pairs of its bodies, adds them up, and moves the bodies.
    pub(in crate::cuda) fn is_small(&self) -> bool {
        matches!(self.shape, KernelConfig::Small { .. })
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    pub(super) fn kernel(&mut self, members: Vec<String>, law: Law, n: usize, pairs: Pairs) -> Result<Arc<Kernel>> {
        let split = if self.split { split_inputs(&law).len() } else { 0 };
        let numbers = crate::emit::numbers(law.body()).max(crate::emit::numbers(law.partner())) + split;
        let results = law.cells().len();
        let choose = || match self.sum {
            Some(sum) => kernel_config::summed(sum, n, numbers, results),
            None => kernel_config::choose(pairs, n, T::DOUBLE, numbers, results),
        };
        let shape = self.shape.filter(|_| pairs == self.pairs).unwrap_or_else(choose);
        if let Some(kernel) = self.kernels.get(&(members.clone(), shape)) {
            return Ok(kernel.clone());
        }
        let precision = if T::DOUBLE { Precision::F64 } else { Precision::F32 };
        let scales = pairs == Pairs::Ordered || finish::scales_agree(&law);
        let (text, sizes) = source(&law, precision, shape, scales, self.motion == Motion::Stepping, self.split);
        let compiled = kernels(&text, self.cuda.arch, Rounding::Fast)?;
        let record = numbers.max(1).div_ceil(4) * 4 * size_of::<T>();
        let shared = kernel_config::shared_bytes(shape, record, results * size_of::<T>());
        let module_on = |cuda: &Cuda| cuda.load(compiled.clone());
        let find = failed("find a kernel");
        let traversal = |module: &Arc<CudaModule>| {
            let traverse = module.load_function(shape.entry()).map_err(&find)?;
            if shared > 48 << 10 {
                traverse
                    .set_attribute(Limit::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared as i32)
                    .map_err(failed("give a kernel its shared memory"))?;
            }
            Ok::<_, manybody_law::Error>(traverse)
        };
        let module = module_on(&self.cuda)?;
        let function = |name: &str| module.load_function(name).map_err(&find);
        let on_another = |cuda: &Arc<Cuda>| {
            let module = module_on(cuda)?;
            let add_lines = module.load_function("add_lines").map_err(&find)?;
            Ok(SharedKernel { traverse: traversal(&module)?, add_lines })
        };
        let others = if matches!(shape, KernelConfig::Small { .. }) { &[] } else { self.cuda.others.as_slice() };
        let kernel = Arc::new(Kernel {
            record,
            results: sizes.results,
            shared,
            scales,
            shape,
            pack: function("pack")?,
            gather: function("gather")?,
            add_lines: function("add_lines")?,
            step: match self.motion {
                Motion::Stepping => Some([function("move")?, function("move_by_sums")?]),
                _ => None,
            },
            traverse: traversal(&module)?,
            shared_with: others.iter().map(on_another).collect::<Result<_>>()?,
            law,
        });
        self.kernels.insert((members, shape), kernel.clone());
        Ok(kernel)
    }

    /// Registers a thread of the loaded kernel, and bytes of local memory (spills).
    ///
    /// # Errors
    /// [`Error::Device`](manybody_law::Error::Device).
    pub fn registers(&self) -> Result<Option<[i32; 2]>> {
        let Some(loaded) = &self.loaded else { return Ok(None) };
        let f = &loaded.kernel.traverse;
        let ask = failed("ask for a kernel's registers");
        Ok(Some([f.num_regs().map_err(&ask)?, f.local_size_bytes().map_err(&ask)?]))
    }
}
