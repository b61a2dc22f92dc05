//! WGSL: a kernel = law + traversal, with its repetitions written out.

use super::repeat::{Counts, expand};
use crate::Pairs;
use crate::emit::{Dialect, Form, law_text, numbers, split_inputs};
use crate::kernel_config::{block_size, piece};
use manybody_law::law::{Law, SelfPair};
use manybody_pairwise::Summation;

const DIRECT: &str = include_str!("../kernels/direct.wgsl");
const SYMMETRIC: &str = include_str!("../kernels/symmetric.wgsl");
const SYMMETRIC_PLAIN: &str = include_str!("../kernels/symmetric_plain.wgsl");
const SMALL_TEXT: &str = include_str!("../kernels/small.wgsl");
const SUMMED: &str = include_str!("../kernels/summed.wgsl");
const SUMS: &str = include_str!("../kernels/sums.wgsl");
const GATHER: &str = include_str!("../kernels/gather.wgsl");

/// How a kernel goes through the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Traversal {
    /// One-sided, in tiles.
    Direct,
    /// One-sided, for few bodies: the j are shared out among the threads of a workgroup.
    Small,
    /// One-sided, in tiles, with a choice of how terms are added.
    Summed(Summation),
    /// Every pair once.
    Symmetric,
}

/// The shape of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// How it goes through the pairs.
    pub traversal: Traversal,
    /// Bodies i a thread; of a [small](Traversal::Small) one a workgroup.
    pub per_thread: usize,
    /// Threads a workgroup.
    pub threads: usize,
    /// Turns of the mirrored inner loop that are written out.
    pub unroll: usize,
    /// The width of subgroups, through whose lanes sums travel.
    pub subgroups: Subgroups,
    /// Numbers whose differences the law takes are given in two parts: mixed precision.
    pub split: bool,
}

/// The subgroups of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subgroups {
    /// The device has no subgroups.
    None,
    /// All are as wide as this.
    Width(u32),
    /// The width is known when a kernel runs.
    Any,
}

/// What of an adapter a shape depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Its subgroups.
    pub subgroups: Subgroups,
    /// Bytes of workgroup memory.
    pub shared: usize,
    /// Whether it computes on the CPU.
    pub is_software: bool,
}

/// Tiles of j a bag.
const BAG: usize = 16;

/// Up to so many bodies a workgroup for every few of them is the fastest way.
const SMALL: usize = 8192;

/// Below so many bodies smaller tiles are the better ones.
const FEW_TILES: usize = 24_576;

/// Turns of the mirrored inner loop that are written out. H200, gravity with equal masses, 1e9/s, 4 bodies a thread and a
/// subgroup a workgroup, written out 4, 8 and 32 times: 2438, 2533, 2718 at 65,536 bodies, 2608, 2757, 2917 at 262,144; 8
/// bodies a thread and two subgroups: 2335, 2386, 1628 and 2596, 2670, 1779. So gravity's 4 x 32 turns of 17 operations
/// fit where 8 x 32 do not, and other laws get as many turns as are no longer.
const TURNS: u32 = 32;
const OPERATIONS: usize = 4 * 32 * 18;

impl Shape {
    /// The shape for `n` bodies under a law: bodies i and their sums live in registers, so wide laws get fewer a thread.
    pub fn choose(pairs: Pairs, n: usize, law: &Law, split: bool, adapter: Traits) -> Shape {
        let subgroups = adapter.subgroups;
        let (numbers, results) = sizes(law, split);
        let width = numbers.div_ceil(4) * 4 + results;
        let (traversal, per_thread, threads) = match (pairs, width) {
            // there a thread that waits for others costs as much as many pairs [lavapipe: 256 of them take 8 times as long]
            (Pairs::Ordered, _) if n <= SMALL && adapter.is_software => (Traversal::Small, 8, 32),
            (Pairs::Ordered, 0..=8) if n <= SMALL && n > 2048 => (Traversal::Small, 8, 256),
            (Pairs::Ordered, 0..=16) if n <= SMALL => (Traversal::Small, 4, 256),
            (Pairs::Ordered, _) if n <= SMALL => (Traversal::Small, 2, 256),
            (Pairs::Ordered, 0..=16) => (Traversal::Direct, 4, 64),
            (Pairs::Once, _) => {
                let per_thread = match width {
                    0..=16 => 4,
                    17..=32 => 2,
                    _ => 1,
                };
                // H200, any masses, 4 bodies a thread in 1, 2 and 4 subgroups: 1551, 1725, 1452 at 16,384 bodies (4 with 2
                // bodies 1813), 1984, 2202, 2339 at 32,768, 2407, 2545, 2584 at 65,536, 2606, 2728, 2766 at 262,144
                let few = n < FEW_TILES && !adapter.is_software;
                let threads = match subgroups {
                    Subgroups::Width(..=32) if !adapter.is_software => 128,
                    Subgroups::Width(..=32) => 32,
                    _ => 64,
                };
                (Traversal::Symmetric, if few { per_thread.min(2) } else { per_thread }, threads)
            }
            (_, 17..=32) => (Traversal::Direct, 2, 64),
            _ => (Traversal::Direct, 1, 64),
        };
        let (room, most) = match subgroups {
            // lavapipe compiles what it is given, slowly, and gains nothing
            _ if adapter.is_software => (OPERATIONS / 8, 4),
            Subgroups::Width(width) if pairs == Pairs::Once => (OPERATIONS, width.min(TURNS) as usize),
            _ => (OPERATIONS, 4),
        };
        let cost = match pairs {
            Pairs::Once => law.mirrored().map_or(OPERATIONS, |both| both.cost().operations + both.cost().special),
            Pairs::Ordered => law.one_sided().cost().operations + law.one_sided().cost().special,
        };
        let unroll = most.min(1 << (room / (cost.max(1) * per_thread)).max(1).ilog2());
        let mut shape = Shape { traversal, per_thread, threads, unroll, subgroups, split };
        // of subgroups of 32 at most, which 128 threads have more than one of
        if shape.threads == 128 && traversal == Traversal::Symmetric && shape.shared_bytes(law) > adapter.shared {
            shape.threads = 32;
        }
        shape.within(law, adapter.shared)
    }

    /// The shape for a choice of sums.
    pub fn summed(sum: Summation, n: usize, law: &Law, split: bool, adapter: Traits) -> Shape {
        let (numbers, results) = sizes(law, split);
        Self::with_knobs(crate::kernel_config::summed(sum, n, numbers, results), law, split, adapter)
    }

    /// The shape that knobs describe, as far as this device has them: tile, bodies i, unrolling.
    pub fn with_knobs(knobs: crate::KernelConfig, law: &Law, split: bool, adapter: Traits) -> Shape {
        use crate::KernelConfig as Knobs;
        let subgroups = adapter.subgroups;
        let (traversal, per_thread, threads, unroll) = match knobs {
            Knobs::Direct { per_thread, threads, .. } => (Traversal::Direct, per_thread, threads, 4),
            Knobs::Summed { sum, per_thread, threads, .. } => (Traversal::Summed(sum), per_thread, threads, 4),
            Knobs::Small { per_block, threads, .. } => {
                (Traversal::Small, per_block.next_power_of_two(), threads.next_power_of_two(), 4)
            }
            Knobs::Symmetric { per_thread, warps, unroll, .. } => {
                (Traversal::Symmetric, per_thread, 32 * warps, unroll.next_power_of_two())
            }
        };
        let unroll = match subgroups {
            Subgroups::Width(width) => unroll.min(width),
            _ => 4,
        };
        let [per_thread, threads, unroll] = [per_thread, threads, unroll].map(|knob| knob as usize);
        Shape { traversal, per_thread, threads, unroll, subgroups, split }.within(law, adapter.shared)
    }

    /// The same with fewer bodies a thread, if it needs more than `shared` bytes of workgroup memory.
    fn within(mut self, law: &Law, shared: usize) -> Shape {
        while self.per_thread > 1 && self.shared_bytes(law) > shared {
            self.per_thread /= 2;
        }
        self
    }

    /// Bodies a tile: i-bodies of a workgroup.
    pub fn tile(self) -> usize {
        match self.traversal {
            Traversal::Small => self.per_thread,
            _ => self.per_thread * self.threads,
        }
    }

    /// Records of four numbers that workgroup memory holds.
    fn tile_quads(self, quads: usize) -> usize {
        match (self.traversal, self.subgroups) {
            (Traversal::Direct | Traversal::Summed(_), _) => quads * self.threads,
            (Traversal::Small, _) => 0,
            (Traversal::Symmetric, Subgroups::None) => quads * self.tile(),
            (Traversal::Symmetric, _) => 2 * quads * self.tile(),
        }
    }

    /// Results in the memory of a workgroup.
    fn shared_results(self) -> usize {
        match self.traversal {
            Traversal::Direct | Traversal::Summed(_) => 0,
            Traversal::Small => self.per_thread * self.threads,
            Traversal::Symmetric => self.tile(),
        }
    }

    /// Bytes of workgroup memory.
    pub fn shared_bytes(self, law: &Law) -> usize {
        let (numbers, results) = sizes(law, self.split);
        16 * self.tile_quads(numbers.max(1).div_ceil(4)) + 4 * results.max(1) * self.shared_results()
    }

    /// Bodies whose slots a workgroup gathers.
    pub(super) fn gathers(self) -> usize {
        if matches!(self.traversal, Traversal::Summed(_)) { 64 } else { 32 }
    }

    /// The name of the traversal in its text.
    pub(super) fn entry(self) -> &'static str {
        match self.traversal {
            Traversal::Direct => "direct",
            Traversal::Small => "small",
            Traversal::Summed(_) => "summed",
            Traversal::Symmetric => "symmetric",
        }
    }
}

/// The text with the function that its infinities need: a 0 that is known only when the kernel runs.
pub(crate) fn with_zero_word(text: String, zero: &str) -> String {
    match text.contains("zero_word()") {
        true => format!("{text}fn zero_word() -> u32 {{\n    return {zero};\n}}\n"),
        false => text,
    }
}

fn sizes(law: &Law, split: bool) -> (usize, usize) {
    let low = if split { split_inputs(law).len() } else { 0 };
    (numbers(law.body()).max(numbers(law.partner())) + low, law.cells().len())
}

/// The texts of the traversal and of the gathering of a law in a shape.
pub fn source(law: &Law, shape: Shape, scales: bool) -> [String; 2] {
    let form =
        Form { dialect: Dialect::Wgsl, mirrored: shape.traversal == Traversal::Symmetric, scales, split: shape.split };
    let text = with_zero_word(law_text(law, form).text, "call.zero");
    let (numbers_all, results) = sizes(law, shape.split);
    let low = numbers_all - sizes(law, false).0;
    let quads = numbers_all.max(1).div_ceil(4);
    let sum = match shape.traversal {
        Traversal::Summed(sum) => Some(sum),
        _ => None,
    };
    let piece = sum.map_or(1, |sum| piece(sum, shape.threads));
    let counts = Counts {
        per_thread: shape.per_thread,
        quads,
        numbers_i: numbers(law.body()) + low,
        numbers_j: numbers(law.partner()) + low,
        results,
        unroll: shape.unroll,
        constants: vec![
            ("UNROLL", shape.unroll),
            ("PIECE", piece),
            ("COUNT", sum.map_or(0, |sum| block_size(sum) / piece)),
            ("TILE", shape.tile_quads(quads)),
            ("SUMS", results.max(1) * shape.shared_results()),
            ("GATHERED", if lines(results) > 1 { lines(results) * 2 * 32 * results.max(1) } else { 1 }),
            ("LINES", lines(results)),
            ("BAG", BAG),
            ("B", shape.threads),
            ("K", shape.per_thread),
        ],
    };
    let own = format!("const SELF: bool = {};\n", law.self_pair() == SelfPair::Included);
    let traversal = match (shape.traversal, shape.subgroups) {
        (Traversal::Direct, _) => DIRECT,
        (Traversal::Small, _) => SMALL_TEXT,
        (Traversal::Summed(sum), _) => {
            let sums = sums(sum);
            return [SUMMED, section("gather")]
                .map(|kernel| format!("{own}{text}\n{sums}\n{}", expand(kernel, &counts)));
        }
        (Traversal::Symmetric, Subgroups::None) => SYMMETRIC_PLAIN,
        (Traversal::Symmetric, _) => SYMMETRIC,
    };
    let width = match shape.subgroups {
        Subgroups::Width(width) => format!("{width}u"),
        _ => "width".into(),
    };
    [traversal, GATHER].map(|template| format!("{own}{text}\n{}", expand(&template.replace("$WIDTH", &width), &counts)))
}

/// Lines of threads that gather the slots of a body: eight, fewer where their sums would take more than 12 KiB.
fn lines(results: usize) -> usize {
    (48 / results.max(1)).clamp(1, 8)
}

/// The text of a choice of sums.
fn sums(sum: Summation) -> String {
    let sections: &[&str] = match sum {
        Summation::Direct | Summation::Blocked(_) => &["floats", "direct"],
        Summation::Pairwise => &["floats", "pairwise"],
        Summation::Compensated => &["floats", "compensated"],
        Summation::F64 => &["floats", "f64"],
        Summation::Fixed => &["fixed"],
    };
    sections.iter().map(|name| section(name)).collect()
}

/// A part of sums.wgsl.
fn section(name: &str) -> &'static str {
    let mut all = SUMS.split("#section ").skip(1).filter_map(|part| part.split_once('\n'));
    all.find(|(title, _)| *title == name).map_or("", |(_, text)| text)
}
