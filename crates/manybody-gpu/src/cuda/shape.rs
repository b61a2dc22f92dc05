//! How a kernel is cut: the knobs of [Nyland 2007] and of the mirrored kernel, chosen from the law and the number of
//! bodies.

use crate::Pairs;
use manybody_law::{Error, Result};
use manybody_pairwise::Summation;

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
        /// Shares into which the bodies j are split; 0 for as many as fill the device.
        split: u32,
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
    /// One-sided, with a choice of how terms are added.
    Summed {
        /// The choice.
        sum: Summation,
        /// Bodies i a thread.
        per_thread: u32,
        /// Threads a block, and bodies j a tile.
        threads: u32,
        /// Bodies j a turn of the inner loop.
        unroll: u32,
        /// Shares into which the bodies j are split; 0 for as many as fill the device.
        split: u32,
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

/// Terms that pairwise summation adds one by one before it pairs sums, as on the CPU.
const LEAF: usize = 32;

/// How many terms are added up before the sum is put down; 0 for all of them.
pub(crate) fn bag(sum: Summation) -> usize {
    match sum {
        Summation::Direct => 0,
        // as the traversals have it by themselves: 16 tiles of 64
        Summation::Blocked(bag) => bag.unwrap_or(1024),
        Summation::Pairwise => LEAF,
        Summation::Compensated | Summation::F64 | Summation::Fixed => 1,
    }
}

/// The largest number of bodies that is both a part of a tile and of a bag.
pub(crate) fn piece(sum: Summation, tile: usize) -> usize {
    let (mut a, mut b) = (tile, bag(sum));
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Shape {
    /// The shape for `n` bodies of `numbers` numbers and `results` results.
    ///
    /// Bodies i and their sums live in registers, so wide laws get fewer a thread.
    pub fn choose(pairs: Pairs, n: usize, double: bool, numbers: usize, results: usize) -> Shape {
        let width = (numbers.div_ceil(4) * 4 + results) * if double { 2 } else { 1 };
        match pairs {
            Pairs::Ordered if n <= SMALL => {
                // H200, gravity, bodies a block and unrolling: 4,096 of any masses 1375 to 1440 with 4 a block, 1345 with 8
                // unrolled twice, 1458 four times; equal masses 1456 to 1499, 1431, 1548; 8,000 1675, 1580, 1690. Steps of a
                // run, 1,024 bodies, 4 a block: 321 on 256 threads, on 512 unrolled once, twice, four times 376, 358, 360
                match (double, n <= 2048, width) {
                    (false, true, 0..=8) if n <= 1024 => Shape::Small { per_block: 4, threads: 512, unroll: 1 },
                    (false, false, 0..=8) => Shape::Small { per_block: 8, threads: 256, unroll: 4 },
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
                Shape::Direct { per_thread, threads: 64, unroll: 8, bag: 16, split: 0 }
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
                Shape::Symmetric { per_thread, warps, unroll, blocks, chain: 0 }
            }
        }
    }

    /// The shape for `n` bodies of `numbers` numbers whose terms are added in a chosen way. One running sum is not split, so
    /// it takes as many threads as there are bodies.
    pub fn summed(sum: Summation, n: usize, numbers: usize, results: usize) -> Shape {
        let width = numbers.div_ceil(4) * 4 + results;
        let per_thread = match sum {
            Summation::Direct if n <= 1 << 17 => 1,
            _ if width <= 16 => 4,
            _ if width <= 32 => 2,
            _ => 1,
        };
        let split = u32::from(sum == Summation::Direct);
        Shape::Summed { sum, per_thread, threads: 64, unroll: 8, split }
    }

    /// This one-sided shape with a choice of sums; others have none.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a kernel that is not `direct`.
    pub(crate) fn with_sum(self, sum: Summation) -> Result<Shape> {
        match self {
            Shape::Direct { per_thread, threads, unroll, split, .. } => {
                let split = if sum == Summation::Direct { 1 } else { split };
                Ok(Shape::Summed { sum, per_thread, threads, unroll, split })
            }
            _ => Err(Error::Parameter {
                name: "sum",
                value: sum.to_string(),
                expected: "other sums than a kernel's own need the kernel direct".into(),
            }),
        }
    }

    /// The shape that a text describes: the kernel's name and its knobs, those that are not named as they are here:
    ///
    /// ```text
    /// direct:p=64:u=8:K=4:q=0:bag=16                   the four of [Nyland 2007]: tile, unrolling, bodies a thread, split of j
    /// small:p=256:u=4:K=4                              threads, unrolling, bodies a block
    /// symmetric:warps=2:u=1:K=8:blocks=8:chain=0       warps a block, unrolling, bodies a thread, blocks to fit, rounds
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for a knob that the kernel does not have, or a number it cannot be.
    pub fn parse(text: &str) -> Result<Shape> {
        let wrong = |expected: &str| {
            Err(Error::Parameter { name: "solver", value: format!("'{text}'"), expected: expected.into() })
        };
        let mut words = text.split(':');
        let mut shape = match words.next() {
            Some("direct") => Shape::Direct { per_thread: 4, threads: 64, unroll: 8, bag: 16, split: 0 },
            Some("small") => Shape::Small { per_block: 4, threads: 256, unroll: 4 },
            Some("symmetric") => Shape::Symmetric { per_thread: 8, warps: 2, unroll: 1, blocks: 8, chain: 0 },
            _ => return wrong("direct, small or symmetric and knobs are wanted, as in direct:p=64:u=8:K=4:q=0"),
        };
        for word in words {
            let Some((knob, Ok(number))) = word.split_once('=').map(|(knob, number)| (knob, number.parse::<u32>()))
            else {
                return wrong("knobs are wanted as K=4, with a whole number");
            };
            let warps = matches!(number, 32 | 64 | 96 | 128 | 160 | 192 | 224 | 256 | 512 | 1024);
            let fine = match (knob, &mut shape) {
                ("p", Shape::Direct { threads, .. } | Shape::Small { threads, .. }) if warps => {
                    *threads = number;
                    true
                }
                ("u", Shape::Direct { unroll, .. } | Shape::Small { unroll, .. } | Shape::Symmetric { unroll, .. }) => {
                    *unroll = number;
                    (1..=64).contains(&number)
                }
                ("K", Shape::Direct { per_thread: k, .. } | Shape::Small { per_block: k, .. })
                | ("K", Shape::Symmetric { per_thread: k, .. }) => {
                    *k = number;
                    (1..=16).contains(&number)
                }
                ("q", Shape::Direct { split, .. }) => {
                    *split = number;
                    number <= 4096
                }
                ("bag", Shape::Direct { bag, .. }) => {
                    *bag = number;
                    number >= 1
                }
                ("warps", Shape::Symmetric { warps, .. }) => {
                    *warps = number;
                    (1..=8).contains(&number)
                }
                ("blocks", Shape::Symmetric { blocks, .. }) => {
                    *blocks = number;
                    (1..=32).contains(&number)
                }
                ("chain", Shape::Symmetric { chain, .. }) => {
                    *chain = number;
                    number <= 64
                }
                _ => false,
            };
            if !fine {
                return wrong(&format!("'{word}' is no knob of this kernel, or out of its range"));
            }
        }
        Ok(shape)
    }

    /// The kernel's name.
    pub(crate) fn entry(self) -> &'static str {
        match self {
            Shape::Direct { .. } => "direct",
            Shape::Small { .. } => "small",
            Shape::Summed { .. } => "summed",
            Shape::Symmetric { .. } => "symmetric",
        }
    }

    /// Bytes of dynamic shared memory, for records and results of so many bytes.
    pub(crate) fn shared_bytes(self, record: usize, result: usize) -> usize {
        match self {
            Shape::Direct { .. } | Shape::Small { .. } | Shape::Summed { .. } => 0,
            Shape::Symmetric { warps, .. } => self.tile() * (2 * record + if warps > 1 { result } else { 0 }),
        }
    }

    /// Bodies a tile: i-bodies of a block.
    pub fn tile(self) -> usize {
        match self {
            Shape::Direct { per_thread, threads, .. } | Shape::Summed { per_thread, threads, .. } => {
                (per_thread * threads) as usize
            }
            Shape::Small { per_block, .. } => per_block as usize,
            Shape::Symmetric { per_thread, warps, .. } => (32 * per_thread * warps) as usize,
        }
    }
}
