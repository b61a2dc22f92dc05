//! Brings bodies to the device, and makes room for their results.

use super::CudaEvaluator;
use super::compile::Kernel;
use super::schedule::Piece;
use crate::cuda::launch::{Call, Start, grid};
use crate::cuda::share::{LINES, Launch, Part, Shared, Turn, lines_among, lines_of};
use crate::cuda::transfer::{self, Staging};
use crate::cuda::{Cuda, failed};
use crate::emit::{low_parts, split_inputs};
use crate::kernel_config::KernelConfig;
use crate::{finish, rows, uniform};
use cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::law::{PairInputs, SelfPair};
use manybody_law::simd::Element;
use manybody_pairwise::Summation;
use std::sync::Arc;

/// Bodies on the device, and room for their results.
pub(in crate::cuda) struct Loaded<T> {
    pub(in crate::cuda) kernel: Arc<Kernel>,
    /// Whether those acted on are those that act.
    pub(super) same: bool,
    pub(super) ni: usize,
    /// Bodies i and j, the stride, and whether both sets are one: arguments of kernels.
    pub(super) n: [u32; 4],
    pub(super) tiles: u32,
    /// Bodies with padding: the distance between the results of a slot.
    pub(in crate::cuda) stride: usize,
    /// Bodies j with padding.
    pub(in crate::cuda) padded_j: usize,
    /// As j, and for one set also as i (rotated).
    pub(in crate::cuda) bodies: CudaSlice<u8>,
    pub(in crate::cuda) rotated: CudaSlice<u8>,
    pub(super) turns: Vec<Turn<T>>,
    /// The sums, \[results\]\[stride\].
    pub(in crate::cuda) sums: CudaSlice<f64>,
    /// Fixed point: units a result, then what a unit is worth, \[2\]\[results\].
    pub(super) units: Option<CudaSlice<f64>>,
    /// The sums of lines of all GPUs, \[2\]\[lines\]\[results\]\[stride\], once where there is one launch; nothing where
    /// there is one GPU.
    pub(super) others: CudaSlice<f64>,
    /// What other GPUs have.
    pub(super) shared: Vec<Shared<T>>,
    /// A part for every GPU, launch by launch.
    pub(super) launches: Vec<Vec<Part>>,
    /// The pieces of each launch.
    pub(super) pieces: Vec<Piece>,
    pub(super) par: Vec<T>,
    pub(in crate::cuda) par64: Vec<f64>,
    /// For what bodies do to themselves.
    pub(super) columns: Vec<Vec<f64>>,
}

impl<T> Drop for Loaded<T> {
    /// Memory of other GPUs is freed in an order of theirs.
    fn drop(&mut self) {
        if !self.shared.is_empty() {
            self.finish();
        }
    }
}

/// Bodies as records on the device, and what the kernels have to know of them.
pub(super) struct Placed {
    pub(super) bodies: CudaSlice<u8>,
    pub(super) rotated: CudaSlice<u8>,
    /// How many are acted on, and how many act.
    pub(super) lens: (usize, usize),
    /// As [`finish::same`] says.
    pub(super) same: u32,
    pub(super) par64: Vec<f64>,
    /// For what bodies do to themselves.
    pub(super) columns: Vec<Vec<f64>>,
}

impl<T> Loaded<T> {
    /// Waits for what is under way where several streams use this memory. An error of a device shows again where results
    /// are fetched.
    pub(super) fn finish(&self) {
        let turns = self.turns.iter().chain(self.shared.iter().flat_map(|other| &other.turns));
        let streams = turns.map(|turn| &turn.stream).chain(self.shared.iter().map(|other| &other.way));
        for stream in streams {
            let _ = stream.synchronize();
        }
    }

    /// Pairs of an evaluation.
    pub(super) fn pairs(&self) -> u64 {
        u64::from(self.n[0]) * u64::from(self.n[1])
    }

    /// Whether those acted on are those that act.
    pub(in crate::cuda) fn same(&self) -> bool {
        self.same
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    /// The columns that are packed, one after the other.
    pub(in crate::cuda) fn packed_columns(&self, inputs: &PairInputs<'_>) -> Result<Vec<f64>> {
        Ok(uniform::reduced(&self.law, inputs, &uniform::members(&self.law, inputs, self.motion))?.i.concat())
    }

    /// Uploads columns and packs them into records.
    fn upload(&mut self, kernel: &Kernel, columns: &[&[f64]], n: usize, padded: usize) -> Result<[CudaSlice<u8>; 2]> {
        let stream = &self.cuda.stream;
        let memory = failed("allocate memory for the bodies");
        let bytes = padded * kernel.record;
        let mut plain = stream.alloc_zeros::<u8>(bytes.max(16)).map_err(&memory)?;
        let mut rotated = stream.alloc_zeros::<u8>(bytes.max(16)).map_err(&memory)?;
        if n == 0 {
            return Ok([plain, rotated]);
        }
        let low = if self.split { low_parts(&split_inputs(&kernel.law), columns) } else { Vec::new() };
        let columns: Vec<&[f64]> = columns.iter().copied().chain(low.iter().map(Vec::as_slice)).collect();
        // a law without members has a column all the same, of which nothing is read
        let mut source = stream.alloc_zeros::<T>((columns.len() * n).max(1)).map_err(&memory)?;
        if !columns.is_empty() {
            let up = match &mut self.up {
                Some(up) => up,
                none => none.insert(Staging::new(&self.cuda)?),
            };
            up.send(stream, &mut source, |range, to| {
                transfer::columns(range, n, |column, first, within| {
                    to[within].iter_mut().zip(&columns[column][first..]).for_each(|(to, x)| *to = T::from_f64(*x));
                });
            })
            .map_err(&memory)?;
        }
        self.pack(kernel, &source, [columns.len(), n, padded], [&mut plain, &mut rotated])?;
        Ok([plain, rotated])
    }

    /// Packs columns \[numbers\]\[n\] into `padded` records, plain and rotated.
    pub(super) fn pack(
        &self,
        kernel: &Kernel,
        columns: &CudaSlice<T>,
        sizes: [usize; 3],
        [plain, rotated]: [&mut CudaSlice<u8>; 2],
    ) -> Result<()> {
        let sizes = sizes.map(|size| size as u32);
        let mut call = Call::new(&self.cuda.stream, &kernel.pack);
        call.memory(columns).arg(&sizes[0]).arg(&sizes[1]).arg(&sizes[2]).memory(plain).memory(rotated);
        // SAFETY: the arguments are those of `pack`; it writes `padded` records to each of the two
        unsafe { call.launch(grid(sizes[2].div_ceil(256), 1, 256, 1, 0), Start::AfterPrevious) }
            .map_err(failed("start a kernel"))
    }

    /// Packs columns of what is loaded again: \[numbers\]\[n\], as the device has them.
    pub(in crate::cuda) fn repack(&mut self, columns: &CudaSlice<T>, numbers: usize) -> Result<()> {
        let Some(mut l) = self.loaded.take() else { return Ok(()) };
        let kernel = l.kernel.clone();
        let packed = self.pack(&kernel, columns, [numbers, l.ni, l.stride], [&mut l.bodies, &mut l.rotated]);
        self.loaded = Some(l);
        packed
    }

    /// Brings checked bodies to the device.
    pub(super) fn place(&mut self, inputs: &PairInputs<'_>) -> Result<()> {
        self.cuda.bind()?;
        self.loaded = None; // frees its memory for the new bodies
        let members = uniform::members(&self.law, inputs, self.motion);
        let uniform::Reduced { law, i, j, par: par64 } = uniform::reduced(&self.law, inputs, &members)?;
        let (ni, nj) = inputs.lens();
        let kernel = self.kernel(members, law, ni, finish::pairs_of(self.pairs, inputs)?)?;
        self.join(&kernel)?;
        let tile = kernel.shape.tile();
        let [mut bodies, rotated] = self.upload(&kernel, &i, ni, ni.div_ceil(tile).max(1) * tile)?;
        if let Some(j) = &j {
            [bodies, _] = self.upload(&kernel, j, nj, nj.div_ceil(tile).max(1) * tile)?;
        }
        let columns = match kernel.law.self_pair() {
            SelfPair::Custom => i.iter().map(|c| c.to_vec()).collect(),
            _ => Vec::new(),
        };
        let same = finish::same(inputs);
        self.make_room(kernel, Placed { bodies, rotated, lens: (ni, nj), same, par64, columns })
    }

    /// Makes room for the results of bodies that are on the device.
    pub(super) fn make_room(&mut self, kernel: Arc<Kernel>, placed: Placed) -> Result<()> {
        let Placed { bodies, rotated, lens: (ni, nj), same, par64, columns } = placed;
        let tile = kernel.shape.tile();
        let stride = ni.div_ceil(tile).max(1) * tile;
        let padded_j = nj.div_ceil(tile).max(1) * tile;
        let gpus = 1 + kernel.shared_with.len();
        let one_sided = matches!(kernel.shape, KernelConfig::Direct { .. } | KernelConfig::Summed { .. });
        let own = rows::tiles(self.team.as_ref().filter(|_| one_sided), stride / tile);
        // of mirrored evaluations, ranks have lines
        let place = self.exchange.as_ref().filter(|_| kernel.is_mirrored()).map(|exchange| exchange.place());
        let lines = place.map_or(0..LINES, |(rank, ranks)| lines_of(rank, ranks));
        let parts = |launch: &Launch| launch.parts_of(lines.clone(), gpus);
        let launches: Vec<Vec<Part>> = self.plan(&kernel, ni, nj, stride).iter().map(parts).collect();
        let memory = failed("allocate memory for the results");
        let most = |gpu: usize, f: fn(&Part) -> u32| {
            launches.iter().filter_map(|parts| parts.get(gpu)).map(f).max().unwrap_or(0).max(1) as usize
        };
        // chosen sums leave their kernel in 8 bytes each
        let wide = if matches!(kernel.shape, KernelConfig::Summed { .. }) { 8 / size_of::<T>() } else { 1 };
        let a_slot = kernel.results.max(1) * stride;
        // sums of lines of a launch travel while those of the next one are computed
        let buffers = launches.len().clamp(1, 2);
        let is_shared = gpus > 1 || place.is_some();
        let others = if is_shared { buffers * LINES * a_slot } else { 1 };
        let room = |cuda: &Cuda, slots: usize| cuda.stream.alloc_zeros::<T>(wide * slots * a_slot).map_err(&memory);
        let turn = |cuda: &Arc<Cuda>, gpu: usize, k: usize| {
            let stream = match k {
                0 => cuda.stream.clone(),
                _ => cuda.context.new_stream().map_err(failed("make a stream"))?,
            };
            let slots_i = room(cuda, most(gpu, |part| part.launch.slots_i))?;
            Ok(Turn { stream, slots_i, slots_j: room(cuda, most(gpu, |part| part.launch.slots_j))? })
        };
        let turns = |cuda: &Arc<Cuda>, gpu: usize| {
            cuda.bind()?;
            (0..if is_shared { buffers } else { 1 }).map(|k| turn(cuda, gpu, k)).collect::<Result<Vec<_>>>()
        };
        let units = match kernel.shape {
            KernelConfig::Summed { sum: Summation::Fixed, .. } => {
                let units = finish::units(&finish::factors(&kernel.law, kernel.scales, &par64), &self.range)?;
                Some(units.concat())
            }
            _ => None,
        };
        let units_on = |cuda: &Cuda| match &units {
            Some(units) => cuda.stream.clone_htod(units).map(Some).map_err(&memory),
            None => Ok(None),
        };
        let share = |(gpu, cuda): (usize, &Arc<Cuda>)| {
            let bytes = |of: &CudaSlice<u8>| cuda.stream.alloc_zeros::<u8>(of.len()).map_err(&memory);
            Ok(Shared {
                bodies: bytes(&bodies)?,
                rotated: bytes(&rotated)?,
                turns: turns(cuda, gpu)?,
                sums: cuda
                    .stream
                    .alloc_zeros((buffers * lines_among(&lines, gpu, gpus).len() * a_slot).max(1))
                    .map_err(&memory)?,
                way: cuda.context.new_stream().map_err(failed("make a stream"))?,
                units: units_on(cuda)?,
                cuda: cuda.clone(),
            })
        };
        let shared = (1..gpus).zip(&self.cuda.others).map(share).collect::<Result<Vec<_>>>()?;
        self.cuda.bind()?;
        self.loaded = Some(Loaded {
            units: units_on(&self.cuda)?,
            turns: turns(&self.cuda, 0)?,
            others: self.cuda.stream.alloc_zeros(others).map_err(&memory)?,
            shared,
            sums: self.cuda.stream.alloc_zeros(kernel.results.max(1) * stride).map_err(&memory)?,
            par: par64.iter().map(|x| T::from_f64(*x)).collect(),
            columns,
            same: same > 0,
            ni,
            n: [ni as u32, nj as u32, stride as u32, same],
            tiles: (stride / tile) as u32,
            stride,
            padded_j,
            bodies,
            rotated,
            launches,
            pieces: Piece::all(own.start as u32..own.end as u32, self.blocks_at_once(&kernel, ni, nj)),
            par64,
            kernel,
        });
        Ok(())
    }
}
