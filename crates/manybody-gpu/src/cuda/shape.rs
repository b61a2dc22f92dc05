//! How a kernel is cut: the knobs of [Nyland 2007] and of the mirrored kernel, chosen from the law and the number of
//! bodies.

use crate::Pairs;

/// The shape of a kernel: what it is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One-sided.
    Direct {
        /// Bodies i a thread.
        per_thread: u32,
        /// Threads a block, and bodies j a tile.
        threads: u32,
        /// Bodies j a turn of the inner loop.
        unroll: u32,
        /// Tiles a bag.
        bag: u32,
    },
    /// One-sided, for few bodies: the j are shared out among the threads of a block.
    Small {
        /// Bodies i a block.
        per_block: u32,
        /// Threads a block.
        threads: u32,
        /// Bodies j a turn of the inner loop.
        unroll: u32,
    },
    /// Mirrored.
    Symmetric {
        /// Bodies i a thread.
        per_thread: u32,
        /// Warps a block.
        warps: u32,
        /// Bodies j a turn of the inner loop.
        unroll: u32,
        /// Blocks that a multiprocessor shall hold: bounds the registers.
        blocks: u32,
        /// Rounds a block, so that its sums of i are written less often; 0 for as many as leave enough blocks.
        chain: u32,
    },
}

/// Up to so many bodies a block for every few of them is the fastest way.
const SMALL: usize = 8192;

impl Shape {
    /// The shape for `n` bodies of `numbers` numbers and `results` results.
    ///
    /// Bodies i and their sums live in registers, so wide laws get fewer a thread.
    pub fn choose(pairs: Pairs, n: usize, double: bool, numbers: usize, results: usize) -> Shape {
        let width = (numbers.div_ceil(4) * 4 + results) * if double { 2 } else { 1 };
        match pairs {
            Pairs::Ordered if n <= SMALL => {
                // H200, gravity: 1,024 bodies 360 with 4 a block unrolled 4 times, 282 with 8 unrolled twice; 4,096 the
                // other way round, 1254 and 1263 (any masses), 1172 and 1311 (equal masses)
                match (double, n <= 2048, width) {
                    (false, false, 0..=8) => Shape::Small { per_block: 8, threads: 256, unroll: 2 },
                    (_, _, 0..=16) => Shape::Small { per_block: 4, threads: 256, unroll: 4 },
                    _ => Shape::Small { per_block: 2, threads: 256, unroll: 2 },
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
                Shape::Direct { per_thread, threads: 64, unroll: 8, bag: 16 }
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
                    (true, false) => (per_thread, 4, 2, 4),
                    (true, true) => (per_thread, 2, 2, 8),
                };
                // wide laws need their registers
                let blocks = match if double { width / 2 } else { width } {
                    0..=12 => blocks,
                    13..=16 => blocks * 3 / 4,
                    _ => blocks / 2,
                };
                Shape::Symmetric { per_thread, warps, unroll, blocks, chain: 0 }
            }
        }
    }

    /// The kernel's name.
    pub(crate) fn entry(self) -> &'static str {
        match self {
            Shape::Direct { .. } => "direct",
            Shape::Small { .. } => "small",
            Shape::Symmetric { .. } => "symmetric",
        }
    }

    /// Bytes of dynamic shared memory, for records and results of so many bytes.
    pub(crate) fn shared_bytes(self, record: usize, result: usize) -> usize {
        match self {
            Shape::Direct { .. } | Shape::Small { .. } => 0,
            Shape::Symmetric { warps, .. } => self.tile() * (2 * record + if warps > 1 { result } else { 0 }),
        }
    }

    /// Bodies a tile: i-bodies of a block.
    pub fn tile(self) -> usize {
        match self {
            Shape::Direct { per_thread, threads, .. } => (per_thread * threads) as usize,
            Shape::Small { per_block, .. } => per_block as usize,
            Shape::Symmetric { per_thread, warps, .. } => (32 * per_thread * warps) as usize,
        }
    }
}
