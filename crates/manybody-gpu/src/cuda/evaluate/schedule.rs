//! Divides an evaluation into launches, and a launch into pieces, by sizes alone.

use super::CudaEvaluator;
use super::compile::Kernel;
use crate::cuda::share::{LINES, Launch, Work};
use crate::kernel_config::KernelConfig;
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use manybody_law::simd::Element;
use std::ops::Range;

/// Bytes for the slots of one launch: enough rounds to fill any device, little beside its memory.
const SLOT_BYTES: usize = 512 << 20;

/// Pairs of an evaluation that takes a second: only such a one is divided, because the last blocks of a launch leave a part
/// of the device idle.
const LONG_PAIRS: u64 = 1 << 41;

/// Pairs of one launch of a long evaluation: a tenth of a second, so that it can be ended between.
const LAUNCH_PAIRS: u64 = 1 << 38;

/// Blocks of bodies i that are started at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) first: u32,
    pub(super) blocks: u32,
}

impl Piece {
    /// These blocks of bodies i, at most `most` at once.
    pub(super) fn all(blocks: Range<u32>, most: u32) -> Vec<Piece> {
        let end = blocks.end;
        blocks.step_by(most as usize).map(|first| Piece { first, blocks: most.min(end - first) }).collect()
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    /// The launches of an evaluation.
    pub(super) fn plan(&self, kernel: &Kernel, ni: usize, nj: usize, stride: usize) -> Vec<Launch> {
        let shares = |size: u32, slots_i: u32| {
            let work = Work::Shares { first: 0, size };
            vec![Launch { work, slots_i, slots_j: 0 }]
        };
        let processors = self.cuda.processors as usize;
        match kernel.shape {
            KernelConfig::Direct { threads, split, .. } | KernelConfig::Summed { threads, split, .. } => {
                // split j until every multiprocessor has 16 blocks of 64 threads
                let blocks = ni.div_ceil(kernel.shape.tile()).max(1);
                let tiles = nj.div_ceil(threads as usize).max(1);
                // and into eight where there is room, so that several GPUs can share them
                let room = (SLOT_BYTES / (kernel.results.max(1) * stride * size_of::<f64>())).clamp(1, LINES);
                let split = match split as usize {
                    0 => (16 * processors).div_ceil(blocks).max(room).clamp(1, tiles),
                    split => split.min(tiles),
                };
                let share = tiles.div_ceil(split) * threads as usize;
                let slots_i = nj.div_ceil(share).max(1) as u32;
                shares(share as u32, slots_i)
            }
            // all of j
            KernelConfig::Small { .. } => shares(0, 1),
            KernelConfig::Symmetric { blocks, chain, .. } => {
                let tiles = stride / kernel.shape.tile();
                let rounds = tiles / 2 + 1;
                let a_round = kernel.results * stride * size_of::<T>();
                let at_once = (SLOT_BYTES / a_round.max(1)).clamp(1, rounds);
                let launches = rounds.div_ceil(at_once);
                let at_once = rounds.div_ceil(launches);
                // as many rounds a block as leave sixteen blocks for every place, and one for every line of slots
                let places = processors * blocks as usize;
                let chain = match chain as usize {
                    0 => (tiles * at_once / (16 * places)).clamp(1, (at_once / LINES).clamp(1, 16)),
                    chain => chain,
                };
                let launch = |k: usize| {
                    let (begin, end) = (k * at_once, rounds.min((k + 1) * at_once));
                    Launch {
                        work: Work::Rounds { begin: begin as u32, end: end as u32, chain: chain as u32 },
                        slots_i: (end - begin).div_ceil(chain) as u32,
                        slots_j: (end - begin.max(1)) as u32,
                    }
                };
                (0..launches).map(launch).collect()
            }
        }
    }

    /// Blocks of bodies i that are started at once: all, but for a long evaluation by a one-sided kernel. (A mirrored one's
    /// launches have an end by their slots.)
    pub(super) fn blocks_at_once(&self, kernel: &Kernel, ni: usize, nj: usize) -> u32 {
        let is_long = ni as u64 * nj as u64 >= LONG_PAIRS;
        match kernel.shape {
            KernelConfig::Direct { .. } | KernelConfig::Summed { .. } if is_long => {
                let a_block = (kernel.shape.tile() * nj.max(1)) as u64;
                // at least as many as fill the device
                (LAUNCH_PAIRS / a_block).clamp(u64::from(8 * self.cuda.processors), u32::MAX.into()) as u32
            }
            _ => u32::MAX,
        }
    }
}
