//! Divides an evaluation into launches, and a launch into pieces, by sizes alone.

use super::CudaEvaluator;
use super::compile::Kernel;
use crate::cuda::share::{LINES, Launch, Work};
use crate::kernel_config::KernelConfig;
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use manybody_law::simd::Element;
use std::ops::Range;

/// Bytes for the slots of one launch: enough rounds to fill any device, little beside its memory.
const SLOT_BYTES: usize = 1 << 30;

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

/// A launch of these rounds, so many a block.
fn rounds_of_launch(rounds: Range<usize>, chain: usize) -> Launch {
    let [begin, end, chain] = [rounds.start, rounds.end, chain].map(|q| q as u32);
    Launch {
        work: Work::Rounds { begin, end, chain },
        slots_i: (end - begin).div_ceil(chain),
        slots_j: end - begin.max(1),
    }
}

/// Rounds a launch and a block of an evaluation that has several launches: at most so many, and the same number of blocks, all
/// with as many rounds, for each line.
fn of_each_launch(at_once: usize, chain: usize) -> (usize, usize) {
    let line = at_once / LINES;
    if line == 0 {
        return (at_once, 1);
    }
    let whole = |chain: &usize| line / chain * chain;
    let chain = (chain / 2 + 1..=chain).max_by_key(whole).unwrap_or(1);
    (LINES * whole(&chain), chain)
}

/// Rounds a block of a launch of so many rounds: at most so many, and so that no GPU of 2, 4, or 8 has much more to do than
/// another.
fn of_one_launch(rounds: usize, most: usize) -> usize {
    let excess = |chain: &usize| {
        let launch = rounds_of_launch(0..rounds, *chain);
        let of = |gpus: usize| {
            let parts = launch.parts(gpus).into_iter();
            parts.map(|part| gpus * part.launch.rounds()).max().unwrap_or(0) - rounds
        };
        [2, 4, 8].map(of).iter().sum::<usize>()
    };
    let candidates = || (1..=most).rev();
    let is_even = |chain: &usize| 50 * excess(chain) <= 3 * rounds;
    candidates().find(is_even).or(candidates().min_by_key(excess)).unwrap_or(1)
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
                // as many rounds a block as leave sixteen blocks for every place, and one for every line of slots
                let places = processors * blocks as usize;
                let most = (tiles * at_once / (16 * places)).clamp(1, (at_once / LINES).clamp(1, 16));
                let (at_once, each) = match chain as usize {
                    0 if at_once < rounds => of_each_launch(at_once, most),
                    chain => (at_once, chain),
                };
                let launch = |k: usize| {
                    let own = k * at_once..rounds.min((k + 1) * at_once);
                    let chain = match chain {
                        0 if own.len() < at_once || at_once == rounds => of_one_launch(own.len(), most),
                        _ => each,
                    };
                    rounds_of_launch(own, chain)
                };
                (0..rounds.div_ceil(at_once)).map(launch).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The rounds of each GPU.
    fn dealt(rounds: usize, chain: usize, gpus: usize) -> Vec<usize> {
        rounds_of_launch(0..rounds, chain).parts(gpus).iter().map(|part| part.launch.rounds()).collect()
    }

    /// However many GPUs there are, each has the same number of rounds of a launch that is not the last.
    #[test]
    fn each_launch_is_dealt_out_evenly() {
        for most in [8, 9, 21, 42, 85, 170, 341] {
            for chain in 1..=16 {
                let (at_once, chain) = of_each_launch(most, chain.min(most / LINES));
                assert!(at_once <= most && 10 * at_once > 6 * most, "{most}: {at_once}");
                for gpus in [2, 4, 8] {
                    assert_eq!(dealt(at_once, chain, gpus), vec![at_once / gpus; gpus], "{most} {chain} {gpus}");
                }
            }
        }
        assert_eq!(of_each_launch(7, 1), (7, 1), "fewer than lines");
    }

    /// What is left for the last launch, or fits into one, almost so: 262,144 and 1,048,576 bodies in f32 among them.
    #[test]
    fn one_launch_is_dealt_out_almost_evenly() {
        for (rounds, most, expected) in [(257, 7, 4), (257, 8, 8), (65, 10, 8), (513, 16, 16), (1, 1, 1), (33, 4, 4)] {
            assert_eq!(of_one_launch(rounds, most), expected, "{rounds} {most}");
        }
        for rounds in 100..600 {
            let most = (rounds / LINES).min(16);
            let chain = of_one_launch(rounds, most);
            assert!((1..=most).contains(&chain));
            for gpus in [2, 4, 8] {
                let all = dealt(rounds, chain, gpus);
                let longest = all.iter().copied().max().unwrap();
                assert_eq!(all.iter().sum::<usize>(), rounds);
                assert!(longest * gpus <= rounds + rounds / 12 + gpus, "{rounds} {chain} {gpus}: {all:?}");
            }
        }
    }
}
