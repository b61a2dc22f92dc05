//! Bodies whose columns the device has already.

use super::CudaEvaluator;
use super::compile::Kernel;
use super::load::Placed;
use crate::Pairs;
use crate::cuda::failed;
use crate::emit::{numbers, split_inputs};
use cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::law::{Law, Role};
use manybody_law::simd::Element;

/// Bodies of which a device has the columns.
pub(in crate::cuda) struct OnDevice {
    /// The law, some of whose members have become parameters.
    pub(in crate::cuda) law: Law,
    /// These members.
    pub(in crate::cuda) members: Vec<String>,
    /// All parameters.
    pub(in crate::cuda) par: Vec<f64>,
    /// How many are acted on, and how many act.
    pub(in crate::cuda) lens: (usize, usize),
    /// Whether those that act have columns of their own.
    pub(in crate::cuda) has_j: bool,
    /// The index of the first of those acted on among those that act.
    pub(in crate::cuda) first: Option<usize>,
    pub(in crate::cuda) pairs: Pairs,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    /// Takes bodies as [`load`](crate::Evaluator::load) does. `fill` writes the columns \[numbers\]\[n\] of a side, then, for
    /// each of the numbers that it is given, what f32 lacks of them.
    ///
    /// # Errors
    /// Those of the device and of `fill`.
    pub(in crate::cuda) fn place_on_device(
        &mut self,
        of: OnDevice,
        mut fill: impl FnMut(Role, &[usize], &mut CudaSlice<T>) -> Result<()>,
    ) -> Result<()> {
        self.loaded = None; // frees its memory for the new bodies
        let (ni, nj) = of.lens;
        let kernel = self.kernel(of.members, of.law, ni, of.pairs)?;
        let split = if self.split { split_inputs(&kernel.law) } else { Vec::new() };
        let tile = kernel.shape.tile();
        let padded = |n: usize| n.div_ceil(tile).max(1) * tile;
        let mut pack = |role, n| self.packed(&kernel, role, n, padded(n), &split, &mut fill);
        let [mut bodies, rotated] = pack(Role::I, ni)?;
        if of.has_j {
            [bodies, _] = pack(Role::J, nj)?;
        }
        let same = of.first.map_or(0, |first| first as u32 + 1);
        let placed = Placed { bodies, rotated, lens: of.lens, same, par64: of.par, columns: Vec::new() };
        self.make_room(kernel, placed)
    }

    fn packed(
        &self,
        kernel: &Kernel,
        role: Role,
        n: usize,
        padded: usize,
        split: &[usize],
        fill: &mut impl FnMut(Role, &[usize], &mut CudaSlice<T>) -> Result<()>,
    ) -> Result<[CudaSlice<u8>; 2]> {
        let stream = &self.cuda.stream;
        let memory = failed("allocate memory for the bodies");
        let records = || stream.alloc_zeros::<u8>((padded * kernel.record).max(16)).map_err(&memory);
        let (mut plain, mut rotated) = (records()?, records()?);
        if n == 0 {
            return Ok([plain, rotated]);
        }
        let side = if role == Role::I { kernel.law.body() } else { kernel.law.partner() };
        let count = numbers(side) + split.len();
        let mut columns = stream.alloc_zeros::<T>((count * n).max(1)).map_err(&memory)?;
        fill(role, split, &mut columns)?;
        self.pack(kernel, &columns, [count, n, padded], [&mut plain, &mut rotated])?;
        Ok([plain, rotated])
    }

    /// Forgets what was loaded, and keeps the kernels.
    pub(in crate::cuda) fn unload(&mut self) {
        self.loaded = None;
    }
}
