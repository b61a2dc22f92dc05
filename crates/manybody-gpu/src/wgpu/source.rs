//! WGSL: a kernel = law + traversal, with its repetitions written out.

use super::repeat::{Counts, expand};
use crate::Pairs;
use crate::emit::{Dialect, Form, law_text, numbers, split_inputs};
use manybody::law::{Law, SelfPair};

const DIRECT: &str = include_str!("../kernels/direct.wgsl");
const SYMMETRIC: &str = include_str!("../kernels/symmetric.wgsl");
const SYMMETRIC_PLAIN: &str = include_str!("../kernels/symmetric_plain.wgsl");
const GATHER: &str = include_str!("../kernels/gather.wgsl");

/// The shape of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Which pairs.
    pub pairs: Pairs,
    /// Bodies i a thread.
    pub per_thread: usize,
    /// Threads a workgroup.
    pub threads: usize,
    /// The width of subgroups, through whose lanes sums travel.
    pub subgroups: Subgroups,
    /// Numbers whose differences the law takes are given in two parts: mixed precision.
    pub split: bool,
}

/// The subgroups of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subgroups {
    /// There are none.
    None,
    /// All are as wide as this.
    Width(u32),
    /// The width is known when a kernel runs.
    Any,
}

/// Tiles of j a bag.
const BAG: usize = 16;

impl Shape {
    /// The shape for a law: bodies i and their sums live in registers, so wide laws get fewer a thread; workgroup memory
    /// is at most `shared` bytes.
    pub fn choose(pairs: Pairs, law: &Law, subgroups: Subgroups, split: bool, shared: usize) -> Shape {
        let (numbers, results) = sizes(law, split);
        let width = numbers.div_ceil(4) * 4 + results;
        let mut per_thread = match (pairs, width) {
            (Pairs::Once, 0..=8) => 8,
            (_, 0..=16) => 4,
            (_, 17..=32) => 2,
            _ => 1,
        };
        let mut shape = Shape { pairs, per_thread, threads: 64, subgroups, split };
        while per_thread > 1 && shape.shared_bytes(law) > shared {
            per_thread /= 2;
            shape.per_thread = per_thread;
        }
        shape
    }

    /// Bodies a tile: i-bodies of a workgroup.
    pub fn tile(self) -> usize {
        self.per_thread * self.threads
    }

    /// Bytes of workgroup memory.
    pub fn shared_bytes(self, law: &Law) -> usize {
        let (numbers, results) = sizes(law, self.split);
        let quads = numbers.max(1).div_ceil(4);
        match self.pairs {
            Pairs::Ordered => 16 * quads * self.threads,
            Pairs::Once => (16 * quads + 4 * results) * self.tile(),
        }
    }
}

fn sizes(law: &Law, split: bool) -> (usize, usize) {
    let low = if split { split_inputs(law).len() } else { 0 };
    (numbers(law.body()).max(numbers(law.partner())) + low, law.cells().len())
}

/// The texts of the traversal and of the gathering of a law in a shape.
pub fn source(law: &Law, shape: Shape, scales: bool) -> [String; 2] {
    let form = Form { dialect: Dialect::Wgsl, mirrored: shape.pairs == Pairs::Once, scales, split: shape.split };
    let text = law_text(law, form).text;
    let (numbers_all, results) = sizes(law, shape.split);
    let low = numbers_all - sizes(law, false).0;
    let quads = numbers_all.max(1).div_ceil(4);
    let tile = match shape.pairs {
        Pairs::Ordered => quads * shape.threads,
        Pairs::Once => quads * shape.tile(),
    };
    let counts = Counts {
        per_thread: shape.per_thread,
        quads,
        numbers_i: numbers(law.body()) + low,
        numbers_j: numbers(law.partner()) + low,
        results,
        constants: vec![
            ("TILE", tile),
            ("SUMS", results.max(1) * shape.tile()),
            ("BAG", BAG),
            ("B", shape.threads),
            ("K", shape.per_thread),
        ],
    };
    let traversal = match (shape.pairs, shape.subgroups) {
        (Pairs::Ordered, _) => DIRECT,
        (Pairs::Once, Subgroups::None) => SYMMETRIC_PLAIN,
        (Pairs::Once, _) => SYMMETRIC,
    };
    let width = match shape.subgroups {
        Subgroups::Width(width) => format!("{width}u"),
        _ => "width".into(),
    };
    let own = format!("const SELF: bool = {};\n", law.self_pair() == SelfPair::Included);
    [traversal, GATHER].map(|template| format!("{own}{text}\n{}", expand(&template.replace("$WIDTH", &width), &counts)))
}
