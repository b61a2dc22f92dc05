//! Launch configurations, chosen from the law and the number of bodies.

use crate::Pairs;
use manybody_law::error::Capability;
use manybody_law::{Error, Result};
pub use manybody_pairwise::KernelConfig;
use manybody_pairwise::Summation;

/// Up to so many bodies a block for every few of them is the fastest way.
const SMALL: usize = 8192;

/// Terms that pairwise summation adds one by one before it pairs sums, as on the CPU.
const LEAF: usize = 32;

/// Terms of a block, which are added up before their sum is added to that of the others; 0 for all of them.
pub(crate) fn block_size(sum: Summation) -> usize {
    match sum {
        Summation::Direct => 0,
        // as the traversals have it by themselves: 16 tiles of 64
        Summation::Blocked(size) => size.unwrap_or(1024),
        Summation::Pairwise => LEAF,
        Summation::Compensated | Summation::F64 | Summation::Fixed => 1,
    }
}

/// The largest number of bodies that is both a part of a tile and of a block of terms.
pub(crate) fn piece(sum: Summation, tile: usize) -> usize {
    let (mut a, mut b) = (tile, block_size(sum));
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The configuration for `n` bodies of `numbers` numbers and `results` results.
///
/// Bodies i and their sums live in registers, so wide laws get fewer a thread.
pub fn choose(pairs: Pairs, n: usize, double: bool, numbers: usize, results: usize) -> KernelConfig {
    let width = (numbers.div_ceil(4) * 4 + results) * if double { 2 } else { 1 };
    match pairs {
        Pairs::Ordered if n <= SMALL => {
            // H200, gravity, bodies a block and unrolling: 4,096 of any masses 1375 to 1440 with 4 a block, 1345 with 8
            // unrolled twice, 1458 four times; equal masses 1456 to 1499, 1431, 1548; 8,000 1675, 1580, 1690. Steps of a
            // run, 1,024 bodies, 4 a block: 321 on 256 threads, on 512 unrolled once, twice, four times 376, 358, 360
            match (double, n <= 2048, width) {
                (false, true, 0..=8) if n <= 1024 => KernelConfig::Small { per_block: 4, threads: 512, unroll: 1 },
                (false, false, 0..=8) => KernelConfig::Small { per_block: 8, threads: 256, unroll: 4 },
                (_, _, 0..=16) => KernelConfig::Small { per_block: 4, threads: 256, unroll: 4 },
                _ => KernelConfig::Small { per_block: 2, threads: 256, unroll: 2 },
            }
        }
        Pairs::Ordered => {
            let per_thread = if width <= 16 {
                4
            } else if width <= 32 {
                2
            } else {
                1
            };
            KernelConfig::Direct { per_thread, threads: 64, unroll: 8, bag: 16, split: 0 }
        }
        Pairs::Once => {
            let per_thread = match width {
                0..=8 => 8,
                9..=16 => 4,
                17..=32 => 2,
                _ => 1,
            };
            // H200, gravity, 1e9/s. Any masses at 262,144: unrolled 1, 2, 4 times 3093, 3088, 3017; equal masses, whose
            // records are no four numbers: 3132, 3451, 3455. At 16,384: tiles of 512, 256, 128 give 1196, 1748, 2554
            let unroll = if numbers.is_multiple_of(4) { 1 } else { 4 };
            let (per_thread, warps, unroll, blocks) = match (double, n < 49_152) {
                (false, false) => (per_thread, 2, unroll, 8),
                (false, true) => (per_thread.min(4), 1, 2, 24),
                // any masses at 262,144, unrolled 1, 2, 4 times: 1356, 1364, 1360; equal masses: 1465, 1443, 1475; wider
                // laws would spill
                (true, false) => (per_thread, 4, if width <= 14 { unroll.max(2) } else { 2 }, 4),
                (true, true) => (per_thread, 2, 2, 8),
            };
            // wide laws need their registers
            let blocks = match if double { width / 2 } else { width } {
                0..=12 => blocks,
                13..=16 => blocks * 3 / 4,
                _ => blocks / 2,
            };
            KernelConfig::Symmetric { per_thread, warps, unroll, blocks, chain: 0 }
        }
    }
}

/// The configuration for `n` bodies of `numbers` numbers whose terms are added in a chosen way. One running sum is not split, so
/// it takes as many threads as there are bodies.
pub fn summed(sum: Summation, n: usize, numbers: usize, results: usize) -> KernelConfig {
    let width = numbers.div_ceil(4) * 4 + results;
    let per_thread = match sum {
        Summation::Direct if n <= 1 << 17 => 1,
        _ if width <= 16 => 4,
        _ if width <= 32 => 2,
        _ => 1,
    };
    let split = u32::from(sum == Summation::Direct);
    KernelConfig::Summed { sum, per_thread, threads: 64, unroll: 8, split }
}

/// This one-sided configuration with a choice of sums; others have no such choice.
///
/// # Errors
/// [`Error::Unsupported`] for a kernel that is not `direct`.
pub(crate) fn with_sum(config: KernelConfig, sum: Summation) -> Result<KernelConfig> {
    match config {
        KernelConfig::Direct { per_thread, threads, unroll, split, .. } => {
            let split = if sum == Summation::Direct { 1 } else { split };
            Ok(KernelConfig::Summed { sum, per_thread, threads, unroll, split })
        }
        _ => Err(Error::Unsupported {
            capability: Capability::Sum,
            value: sum.to_string(),
            expected: "other sums than a kernel's own need the kernel direct".into(),
        }),
    }
}

/// Bytes of dynamic shared memory, for records and results of so many bytes.
pub(crate) fn shared_bytes(config: KernelConfig, record: usize, result: usize) -> usize {
    match config {
        KernelConfig::Direct { .. } | KernelConfig::Small { .. } | KernelConfig::Summed { .. } => 0,
        KernelConfig::Symmetric { warps, .. } => config.tile() * (2 * record + if warps > 1 { result } else { 0 }),
    }
}
