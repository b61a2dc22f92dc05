//! CUDA C++: a kernel = prelude + law + records + traversal, and the constants it is compiled with.

use crate::emit::{Dialect, Form, LawText, law_text};
use crate::kernel_config::{KernelConfig, block_size, piece};
use manybody_law::law::{Cell, Law, SelfPair};
use manybody_pairwise::{Precision, Summation};

pub(super) const PRELUDE: &str = include_str!("../kernels/prelude.cuh");
const RECORDS: &str = concat!(include_str!("../kernels/early.cuh"), include_str!("../kernels/records.cuh"));
const PACK: &str = include_str!("../kernels/pack.cu");
const GATHER: &str = include_str!("../kernels/gather.cu");
const DIRECT: &str = include_str!("../kernels/direct.cu");
const SMALL: &str = include_str!("../kernels/small.cu");
const STEP: &str = include_str!("../kernels/step.cuh");
const SUMS: &str = include_str!("../kernels/sums.cuh");
const SUMMED: &str = include_str!("../kernels/summed.cu");
const SYMMETRIC: &str = include_str!("../kernels/symmetric.cu");

/// The text of all kernels of a law in a shape, and its sizes. With `step`, an evaluation ends in moving the bodies: the
/// law's first three members are a position, and its first three results the acceleration.
pub fn source(
    law: &Law,
    precision: Precision,
    shape: KernelConfig,
    scales: bool,
    step: bool,
    split: bool,
) -> (String, LawText) {
    let (dialect, double) = match precision {
        Precision::F32 => (Dialect::CudaF32, 0),
        Precision::F64 | Precision::Mixed => (Dialect::CudaF64, 1),
    };
    let mirrored = matches!(shape, KernelConfig::Symmetric { .. });
    let law_text = law_text(law, Form { dialect, mirrored, scales, split });
    let included = u32::from(law.self_pair() == SelfPair::Included);
    let sums = u32::from(law.cells().iter().all(|cell| matches!(cell, Cell::Sum | Cell::Count)));
    let (constants, traversal) = match shape {
        KernelConfig::Direct { per_thread, threads, unroll, bag, .. } => (
            format!("#define K {per_thread}\n#define B {threads}\n#define UNROLL {unroll}\n#define BAG {bag}\n"),
            DIRECT,
        ),
        KernelConfig::Small { per_block, threads, unroll } => {
            // 64 registers: then 1,024 threads find room on a multiprocessor; wide laws need more
            let narrow = double == 0 && law_text.numbers <= 4 && law_text.results <= 3;
            let blocks = if narrow { (1024 / threads).max(1) } else { 1 };
            let sizes = format!("#define K {per_block}\n#define B {threads}\n#define UNROLL {unroll}\n");
            (format!("{sizes}#define ALL_SUMS {sums}\n#define MIN_BLOCKS {blocks}\n"), SMALL)
        }
        KernelConfig::Summed { sum, per_thread, threads, unroll, .. } => {
            let piece = piece(sum, threads as usize);
            let outer = (unroll as usize / piece).max(1);
            let sizes = format!("#define K {per_thread}\n#define B {threads}\n#define UNROLL {unroll}\n");
            (format!("{sizes}#define OUTER {outer}\n#define PIECE {piece}\n#define BAG {}\n", block_size(sum)), SUMMED)
        }
        KernelConfig::Symmetric { per_thread, warps, unroll, blocks, .. } => (
            format!(
                "#define K {per_thread}\n#define W {warps}\n#define UNROLL {unroll}\n#define MIN_BLOCKS {blocks}\n"
            ),
            SYMMETRIC,
        ),
    };
    // step.cuh writes positions in two parts
    let low = law_text.numbers - if split { crate::emit::split_inputs(law).len() } else { 0 };
    let constants = format!("{constants}#define LOW {}\n", if split { low } else { 0 });
    let edges = u32::from(!law.roots_are_finite());
    let head = format!(
        "#define REAL_IS_DOUBLE {double}\n#define ROOTS_HAVE_EDGES {edges}\n#define SELF {included}\n#define STEP {}\n#define SUM {}\n{constants}",
        u32::from(step),
        number(shape)
    );
    let step = if step { STEP } else { "" };
    let text = [&head, PRELUDE, &law_text.text, RECORDS, SUMS, step, PACK, GATHER, traversal].join("\n");
    (text, law_text)
}

/// The number by which sums.cuh knows how terms are added; 0 for the traversal's own way.
fn number(shape: KernelConfig) -> usize {
    match shape {
        KernelConfig::Summed { sum, .. } => match sum {
            Summation::Direct => 1,
            Summation::Blocked(_) => 2,
            Summation::Pairwise => 3,
            Summation::Compensated => 4,
            Summation::F64 => 5,
            Summation::Fixed => 6,
        },
        _ => 0,
    }
}
