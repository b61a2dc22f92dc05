//! How a kernel of a GPU is cut: the parameters of [Nyland 2007] and of the mirrored kernel.

use crate::{Error, Result, Summation};
use std::fmt;
use std::str::FromStr;

/// The configuration of a kernel: what it is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelConfig {
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

impl KernelConfig {
    /// The kernel's name.
    pub fn entry(self) -> &'static str {
        match self {
            KernelConfig::Direct { .. } => "direct",
            KernelConfig::Small { .. } => "small",
            KernelConfig::Summed { .. } => "summed",
            KernelConfig::Symmetric { .. } => "symmetric",
        }
    }

    /// Whether it visits each pair once.
    pub fn is_mirrored(self) -> bool {
        matches!(self, KernelConfig::Symmetric { .. })
    }

    /// Bodies a tile: i-bodies of a block.
    pub fn tile(self) -> usize {
        match self {
            KernelConfig::Direct { per_thread, threads, .. } | KernelConfig::Summed { per_thread, threads, .. } => {
                (per_thread * threads) as usize
            }
            KernelConfig::Small { per_block, .. } => per_block as usize,
            KernelConfig::Symmetric { per_thread, warps, .. } => (32 * per_thread * warps) as usize,
        }
    }
}

impl FromStr for KernelConfig {
    type Err = Error;

    /// The configuration that a text describes: the kernel's name and its parameters, those that are not named as they are here:
    ///
    /// ```text
    /// direct:p=64:u=8:K=4:q=0:bag=16                   the four of [Nyland 2007]: tile, unrolling, bodies a thread, split of j
    /// small:p=256:u=4:K=4                              threads, unrolling, bodies a block
    /// symmetric:warps=2:u=1:K=8:blocks=8:chain=0       warps a block, unrolling, bodies a thread, blocks to fit, rounds
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for a parameter that the kernel does not have, or a number it cannot be.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = |expected: &str| {
            Err(Error::Parameter { name: "solver", value: format!("'{text}'"), expected: expected.into() })
        };
        let mut words = text.split(':');
        let mut shape = match words.next() {
            Some("direct") => KernelConfig::Direct { per_thread: 4, threads: 64, unroll: 8, bag: 16, split: 0 },
            Some("small") => KernelConfig::Small { per_block: 4, threads: 256, unroll: 4 },
            Some("symmetric") => KernelConfig::Symmetric { per_thread: 8, warps: 2, unroll: 1, blocks: 8, chain: 0 },
            _ => return wrong("must be direct, small or symmetric with parameters, as in direct:p=64:u=8:K=4:q=0"),
        };
        for word in words {
            let Some((knob, Ok(number))) = word.split_once('=').map(|(knob, number)| (knob, number.parse::<u32>()))
            else {
                return wrong("parameters must be given as K=4, with a whole number");
            };
            let warps = matches!(number, 32 | 64 | 96 | 128 | 160 | 192 | 224 | 256 | 512 | 1024);
            let fine = match (knob, &mut shape) {
                ("p", KernelConfig::Direct { threads, .. } | KernelConfig::Small { threads, .. }) if warps => {
                    *threads = number;
                    true
                }
                (
                    "u",
                    KernelConfig::Direct { unroll, .. }
                    | KernelConfig::Small { unroll, .. }
                    | KernelConfig::Symmetric { unroll, .. },
                ) => {
                    *unroll = number;
                    (1..=64).contains(&number)
                }
                ("K", KernelConfig::Direct { per_thread: k, .. } | KernelConfig::Small { per_block: k, .. })
                | ("K", KernelConfig::Symmetric { per_thread: k, .. }) => {
                    *k = number;
                    (1..=16).contains(&number)
                }
                ("q", KernelConfig::Direct { split, .. }) => {
                    *split = number;
                    number <= 4096
                }
                ("bag", KernelConfig::Direct { bag, .. }) => {
                    *bag = number;
                    number >= 1
                }
                ("warps", KernelConfig::Symmetric { warps, .. }) => {
                    *warps = number;
                    (1..=8).contains(&number)
                }
                ("blocks", KernelConfig::Symmetric { blocks, .. }) => {
                    *blocks = number;
                    (1..=32).contains(&number)
                }
                ("chain", KernelConfig::Symmetric { chain, .. }) => {
                    *chain = number;
                    number <= 64
                }
                _ => false,
            };
            if !fine {
                return wrong(&format!("'{word}' is not a parameter of this kernel, or out of its range"));
            }
        }
        Ok(shape)
    }
}

impl fmt::Display for KernelConfig {
    /// The text that reads back to the same configuration.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry())?;
        match *self {
            KernelConfig::Direct { per_thread, threads, unroll, bag, split } => {
                write!(f, ":p={threads}:u={unroll}:K={per_thread}:q={split}:bag={bag}")
            }
            KernelConfig::Small { per_block, threads, unroll } => write!(f, ":p={threads}:u={unroll}:K={per_block}"),
            KernelConfig::Summed { sum, per_thread, threads, unroll, split } => {
                write!(f, ":p={threads}:u={unroll}:K={per_thread}:q={split}:sum={sum}")
            }
            KernelConfig::Symmetric { per_thread, warps, unroll, blocks, chain } => {
                write!(f, ":warps={warps}:u={unroll}:K={per_thread}:blocks={blocks}:chain={chain}")
            }
        }
    }
}
