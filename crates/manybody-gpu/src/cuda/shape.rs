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
    },
}

impl Shape {
    /// The shape for `n` bodies of `numbers` numbers and `results` results.
    ///
    /// Bodies i and their sums live in registers, so wide laws get fewer a thread.
    pub fn choose(pairs: Pairs, n: usize, double: bool, numbers: usize, results: usize) -> Shape {
        let width = (numbers.div_ceil(4) * 4 + results) * if double { 2 } else { 1 };
        match pairs {
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
                let (warps, unroll, blocks) = match (double, n < 49_152) {
                    (false, false) => (2, 4, 8),
                    (false, true) => (1, 4, 16),
                    (true, false) => (4, 2, 4),
                    (true, true) => (2, 2, 8),
                };
                // wide laws need their registers
                let blocks = match width {
                    0..=12 => blocks,
                    13..=16 => blocks * 3 / 4,
                    _ => blocks / 2,
                };
                Shape::Symmetric { per_thread, warps, unroll, blocks }
            }
        }
    }

    /// Bodies a tile: i-bodies of a block.
    pub fn tile(self) -> usize {
        match self {
            Shape::Direct { per_thread, threads, .. } => (per_thread * threads) as usize,
            Shape::Symmetric { per_thread, warps, .. } => (32 * per_thread * warps) as usize,
        }
    }
}
