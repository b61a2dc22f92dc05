//! Laws by boxes on a GPU: which pairs are left is found on the CPU, by interval arithmetic over the law
//! ([`LawBoxes`]), and the GPU computes them.
//!
//! A block of threads has a leaf of [`LISTED_LEAF`] bodies and goes through the ranges of bodies that act on it, in their
//! order, so that bits depend neither on the number of GPUs nor on how work is cut into launches.

use crate::collisions::{PRELUDE, fold};
use crate::compute::{Access, Buffer, Compiled, Followed, Gpu, Kernel, Rounding as KernelRounding, Start, no_watch};
use crate::emit::{Dialect, Form, LawText, law_text, lowering, numbers};
use crate::wgpu::repeat::{Counts, expand};
use crate::wgpu::with_zero_word;
use crate::{no_gpu, refuse_too_wide};
use manybody_law::law::bounds::Rounding;
use manybody_law::law::{Law, Lowering};
use manybody_law::{Capability, Device, Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Method, Precision};
use manybody_tree::{ComputesPairs, LISTED_LEAF, LawBoxes, ListedPairs};
use rayon::prelude::*;
use std::ops::Range;

const CUDA: &str = include_str!("kernels/law_lists.cu");
const WGSL: &str = include_str!("kernels/law_lists.wgsl");

/// Bodies that act whose sums are added to those of the leaf together.
const BAG: usize = 1024;
/// Bytes of bodies that act in shared memory: as many as every device has.
const SHARED: usize = 16 << 10;
/// Numbers and results of a body of which a thread has two; of wider ones it has one.
const NARROW: usize = 16;
/// Bodies that act on a leaf in one launch, and pairs of a launch: some tenths of a second of work, as a system may stop a program
/// that holds the GPU of a display for seconds.
const BODIES: u64 = 1 << 20;
const PAIRS: u64 = 1 << 36;
const PAIRS_ON_WGPU: u64 = 1 << 34;
/// On a device that computes on the CPU: Mesa's llvmpipe ends all loops of a thread after 65,535 turns, without an error.
const FEW_BODIES: u64 = 1 << 14;
const FEW_PAIRS: u64 = 1 << 26;

/// The evaluator of a law by boxes, whose pairs a GPU computes, or several.
///
/// # Errors
/// [`Error::NoDevice`]; [`Error::Unsupported`] for a law of which no pair can be left out, naming the result, and for a
/// precision that it does not have; [`Error::Parameter`] for GPUs that are not here, and laws that are too wide.
pub fn law_boxes(method: &Method, law: &Law) -> Result<LawBoxes> {
    let device = method.device;
    let wrong = |value: &str, expected: &str| {
        Err(Error::Unsupported { capability: Capability::Precision, value: value.into(), expected: expected.into() })
    };
    match (device, method.precision) {
        (Device::Cpu, _) => return Err(no_gpu(device)),
        (_, Precision::Mixed) => return wrong("mixed", "the solver tree has f32 and f64 for laws"),
        (Device::Wgpu, Precision::F64) => {
            return wrong("f64", "wgpu has f32: --precision f32; cuda and cpu have f64");
        }
        _ => {}
    }
    refuse_too_wide(law)?;
    let boxes = LawBoxes::new(law, method.level()?, method.precision)?;
    let double = method.precision == Precision::F64;
    let gpus = Gpu::open_several(device, method.gpus.ordinals())?;
    let compiled =
        gpus.iter().map(|gpu| gpu.compile(&kernel(law, double, gpu.is_software()))).collect::<Result<_>>()?;
    Ok(boxes.on(Box::new(OnGpus { gpus, compiled, device, double })))
}

/// The kernel of a law.
pub(crate) fn kernel(law: &Law, double: bool, is_software: bool) -> Kernel {
    use Access::{Read, Uniform, Write};
    let text = |dialect| law_text(law, Form { dialect, mirrored: false, scales: true, split: false });
    let LawText { text: cuda, numbers: width, results, .. } =
        text(if double { Dialect::CudaF64 } else { Dialect::CudaF32 });
    // a thread that waits for others costs as much as many pairs where the device computes on the CPU
    let per_thread = match width + results {
        0..=NARROW if is_software => 4,
        0..=NARROW => 2,
        _ => 1,
    };
    let threads = LISTED_LEAF / per_thread;
    let quads = width.max(1).div_ceil(4);
    let bytes = quads * if double { 32 } else { 16 };
    let tile = threads.min(1 << (SHARED / bytes).max(1).ilog2());
    let bag = BAG / tile;
    let constants = format!(
        "#define REAL_IS_DOUBLE {}\n#define ROOTS_HAVE_EDGES {}\n#define LEAF {LISTED_LEAF}\n#define K {per_thread}\n\
         #define B {threads}\n#define T {tile}\n#define BAG {bag}\n#define UNROLL 4\n",
        u32::from(double),
        u32::from(!law.roots_are_finite())
    );
    let counts = Counts {
        per_thread,
        quads,
        numbers_i: numbers(law.body()),
        numbers_j: numbers(law.partner()),
        results,
        unroll: 1,
        constants: vec![("TILE", quads * tile), ("LEAF", LISTED_LEAF), ("BAG", bag), ("B", threads), ("T", tile)],
    };
    let wgsl = match double {
        true => String::new(),
        false => {
            let law = with_zero_word(text(Dialect::Wgsl).text, "call.w[3].w");
            format!("{law}\n{}", expand(WGSL, &counts))
        }
    };
    Kernel {
        cuda: [&constants, PRELUDE, &cuda, CUDA].join("\n"),
        wgsl,
        entry: "law_lists",
        block: [threads as u32, 1],
        access: vec![Read, Read, Uniform, Read, Read, Read, Write],
        rounding: KernelRounding::Fast,
    }
}

/// GPUs that compute listed pairs.
struct OnGpus {
    gpus: Vec<Gpu>,
    compiled: Vec<Compiled>,
    device: Device,
    double: bool,
}

/// Bodies that act on a leaf: a part of its ranges, in the order of their launches.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Item {
    leaf: u32,
    ranges: [u32; 2],
    /// Whether others of the leaf were before.
    goes_on: bool,
    pairs: u64,
}

/// What is launched: items in order, the ranges that they name, and the items of each launch.
#[derive(Debug, Default, PartialEq)]
struct Schedule {
    items: Vec<Item>,
    ranges: Vec<[u32; 2]>,
    launches: Vec<Range<usize>>,
}

impl Schedule {
    /// All pairs of some leaves. An item has so many bodies that act at most, and a launch so many pairs or one item.
    fn of(pairs: &ListedPairs<'_>, leaves: Range<usize>, most_bodies: u64, most_pairs: u64) -> Self {
        let mut schedule = Schedule::default();
        // by the number of an item among those of its leaf
        let mut rounds: Vec<Vec<Item>> = vec![Vec::new()];
        for leaf in leaves {
            let targets = LISTED_LEAF.min(pairs.lens[0] - leaf * LISTED_LEAF) as u64;
            // where items begin and end among the ranges
            let (mut ends, mut turns) = (vec![schedule.ranges.len()], 0);
            for range in &pairs.leaves[leaf] {
                let mut from = range.start;
                while from < range.end {
                    // a range is a turn of a loop, too
                    let room = most_bodies.saturating_sub(turns + 1).clamp(1, u64::from(u32::MAX)) as u32;
                    let to = range.end.min(from.saturating_add(room));
                    schedule.ranges.push([from, to]);
                    (from, turns) = (to, turns + u64::from(to - from) + 1);
                    if turns >= most_bodies {
                        ends.push(schedule.ranges.len());
                        turns = 0;
                    }
                }
            }
            // one at least, which sets what a result is before any contribution
            if turns > 0 || ends.len() == 1 {
                ends.push(schedule.ranges.len());
            }
            for (round, of) in ends.windows(2).enumerate() {
                let bodies: u64 = schedule.ranges[of[0]..of[1]].iter().map(|[from, to]| u64::from(to - from)).sum();
                let (ranges, goes_on) = ([of[0] as u32, of[1] as u32], round > 0);
                if rounds.len() <= round {
                    rounds.push(Vec::new());
                }
                rounds[round].push(Item { leaf: leaf as u32, ranges, goes_on, pairs: bodies * targets });
            }
        }
        for round in rounds {
            let (mut begin, mut sum) = (schedule.items.len(), 0);
            for item in round {
                if sum > 0 && sum + item.pairs > most_pairs {
                    schedule.launches.push(begin..schedule.items.len());
                    (begin, sum) = (schedule.items.len(), 0);
                }
                sum += item.pairs;
                schedule.items.push(item);
            }
            schedule.launches.push(begin..schedule.items.len());
        }
        schedule
    }
}

/// A GPU with its kernel and its leaves.
struct Part<'a> {
    gpu: &'a Gpu,
    kernel: &'a Compiled,
    leaves: Range<usize>,
}

impl OnGpus {
    /// Bodies on a GPU, as records of `width` numbers, padded to a multiple of `unit`.
    fn upload(&self, gpu: &Gpu, columns: &[Vec<f64>], n: usize, unit: usize, width: usize) -> Result<Buffer> {
        match self.double {
            true => gpu.filled(bytemuck::cast_slice(&records(columns, n, [unit, width], |x| x))),
            false => gpu.filled(bytemuck::cast_slice(&records(columns, n, [unit, width], |x| x as f32))),
        }
    }

    /// The sums of the leaves of a part.
    fn part(&self, part: Part<'_>, pairs: &ListedPairs<'_>, watch: &Watch) -> Result<Vec<f64>> {
        let Part { gpu, kernel, leaves } = part;
        if leaves.is_empty() {
            return Ok(Vec::new());
        }
        let (law, results) = (pairs.law, pairs.law.cells().len());
        let width = numbers(law.body()).max(numbers(law.partner())).max(1).next_multiple_of(4);
        let upload = |side: usize| self.upload(gpu, pairs.columns[side], pairs.lens[side], LISTED_LEAF, width);
        let acted = upload(0)?;
        let acting = if pairs.are_same { None } else { Some(upload(1)?) };
        let parameters: Vec<Vec<f64>> = pairs.parameters.iter().map(|x| vec![*x]).collect();
        let mut itself = pairs.itself.clone();
        if !itself.is_empty() {
            itself.resize(itself.len().next_multiple_of(LISTED_LEAF), u32::MAX);
        }
        let [most_bodies, most_pairs] = match gpu.device() {
            _ if gpu.is_software() => [FEW_BODIES, FEW_PAIRS],
            Device::Wgpu => [BODIES, PAIRS_ON_WGPU],
            _ => [BODIES, PAIRS],
        };
        let Schedule { items, ranges, launches } = Schedule::of(pairs, leaves.clone(), most_bodies, most_pairs);
        if u32::try_from(ranges.len()).is_err() {
            let expected = "the solver tree has room for 2^32 ranges of bodies on a GPU; the CPU has more".into();
            return Err(Error::Parameter { name: "n", value: pairs.lens[0].to_string(), expected });
        }
        let words: Vec<[u32; 4]> = items
            .iter()
            .map(|item| [item.leaf - leaves.start as u32, item.ranges[0], item.ranges[1], u32::from(item.goes_on)])
            .collect();
        let per_leaf = results * LISTED_LEAF;
        let (size, count) = (if self.double { 8 } else { 4 }, leaves.len() * per_leaf);
        let parameters = self.upload(gpu, &parameters, 1, 1, (parameters.len() + 1).next_multiple_of(4))?;
        let words = gpu.filled(bytemuck::cast_slice(&words))?;
        let ranges = gpu.filled(bytemuck::cast_slice(&ranges))?;
        let excluded = gpu.filled(bytemuck::cast_slice(&itself))?;
        let sums = gpu.zeros((count * size) as u64)?;
        let buffers: Vec<&Buffer> =
            vec![&acted, acting.as_ref().unwrap_or(&acted), &parameters, &words, &ranges, &excluded, &sums];
        let all: u64 = items.iter().map(|item| item.pairs).sum();
        let mut followed = Followed::begin(gpu, watch, all, items.len() as u64);
        for launch in launches.into_iter().filter(|launch| !launch.is_empty()) {
            let words =
                vec![launch.start as u32, launch.len() as u32, u32::from(!itself.is_empty()), leaves.start as u32];
            let grid = fold(launch.len() as u64);
            followed.start(&[Start { kernel, grid, buffers: buffers.clone(), words }], launch.len() as u64)?;
        }
        followed.finish()?;
        let found = gpu.read(&sums, (count * size) as u64)?;
        Ok(match self.double {
            true => bytemuck::pod_collect_to_vec(&found),
            false => bytemuck::pod_collect_to_vec::<u8, f32>(&found).par_iter().map(|x| f64::from(*x)).collect(),
        })
    }
}

impl ComputesPairs for OnGpus {
    fn lowering(&self) -> Lowering {
        lowering(false, true)
    }

    fn rounding(&self) -> &'static Rounding {
        Rounding::of(self.device, !self.double)
    }

    fn compute(&mut self, pairs: &ListedPairs<'_>, watch: &Watch) -> Result<Vec<f64>> {
        let parts = self.gpus.iter().zip(&self.compiled).zip(shares(pairs, self.gpus.len()));
        let parts = parts.map(|((gpu, kernel), leaves)| Part { gpu, kernel, leaves });
        // the first stands for all
        let (this, unwatched) = (&*self, no_watch());
        let watches = std::iter::once(watch).chain(std::iter::repeat(&unwatched));
        let found: Vec<Result<Vec<f64>>> = std::thread::scope(|scope| {
            let work = |(part, watch)| scope.spawn(move || this.part(part, pairs, watch));
            let workers: Vec<_> = parts.zip(watches).map(work).collect();
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err(lost()))).collect()
        });
        Ok(found.into_iter().collect::<Result<Vec<_>>>()?.concat())
    }
}

/// Records of `width` numbers, padded to a multiple of `unit`.
fn records<T: Default + Copy + Send + Sync>(
    columns: &[Vec<f64>],
    n: usize,
    [unit, width]: [usize; 2],
    of: impl Fn(f64) -> T + Sync,
) -> Vec<T> {
    let mut records = vec![T::default(); n.next_multiple_of(unit) * width];
    records.par_chunks_mut(unit * width).enumerate().for_each(|(part, records)| {
        for (k, column) in columns.iter().enumerate() {
            let column = &column[part * unit..n.min((part + 1) * unit)];
            records.iter_mut().skip(k).step_by(width).zip(column).for_each(|(to, x)| *to = of(*x));
        }
    });
    records
}

fn lost() -> Error {
    Error::Device { device: "gpu", problem: "a thread that served it has failed".into() }
}

/// The leaves of each of so many GPUs: ranges with about as many pairs.
fn shares(pairs: &ListedPairs<'_>, gpus: usize) -> Vec<Range<usize>> {
    let leaves = pairs.leaves.len();
    let before: Vec<u64> = std::iter::once(0)
        .chain((0..leaves).scan(0, |sum, leaf| {
            *sum += pairs.pairs_of(leaf) + 1;
            Some(*sum)
        }))
        .collect();
    let all = before[leaves];
    let cut =
        |gpu: usize| before.partition_point(|sum| u128::from(*sum) * (gpus as u128) < u128::from(all) * gpu as u128);
    (0..gpus).map(|gpu| cut(gpu)..cut(gpu + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs<'a>(law: &'a Law, leaves: Vec<Vec<Range<u32>>>, n: usize) -> ListedPairs<'a> {
        let lens = [n, 1 << 20];
        ListedPairs { law, parameters: &[], columns: [&[], &[]], lens, are_same: false, itself: Vec::new(), leaves }
    }

    /// Every pair is in one item; an item is small, and a launch has one of a leaf at most.
    #[test]
    fn schedules_have_every_pair_once() {
        let law = Law::parse("body x; min m = abs(i.x - j.x)").unwrap();
        let leaves = vec![vec![3..500, 600..601, 700..9000], vec![], vec![0..77], vec![5..6, 7..8, 10..400]];
        let all = pairs(&law, leaves.clone(), 400);
        for (most_bodies, most_pairs) in [(1 << 20, 1 << 38), (100, 1 << 38), (64, 9000), (2, 1)] {
            let Schedule { items, ranges, launches } = Schedule::of(&all, 0..4, most_bodies, most_pairs);
            let mut found = vec![Vec::new(); 4];
            for launch in &launches {
                let mut leaves: Vec<u32> = items[launch.clone()].iter().map(|item| item.leaf).collect();
                leaves.sort_unstable();
                leaves.dedup();
                assert_eq!(leaves.len(), launch.len(), "a leaf twice in a launch");
                let pairs: u64 = items[launch.clone()].iter().map(|item| item.pairs).sum();
                let those_with_pairs = items[launch.clone()].iter().filter(|item| item.pairs > 0).count();
                assert!(those_with_pairs < 2 || pairs <= most_pairs);
                for item in &items[launch.clone()] {
                    assert_eq!(
                        item.goes_on,
                        !found[item.leaf as usize].is_empty() || (item.goes_on && item.pairs == 0)
                    );
                    let of = &ranges[item.ranges[0] as usize..item.ranges[1] as usize];
                    let turns: u64 = of.iter().map(|[a, b]| u64::from(b - a) + 1).sum();
                    assert!(turns <= most_bodies.max(2), "{turns} {most_bodies}");
                    found[item.leaf as usize].extend(of.iter().flat_map(|[a, b]| *a..*b));
                }
            }
            let wanted: Vec<Vec<u32>> =
                leaves.iter().map(|ranges| ranges.iter().cloned().flatten().collect()).collect();
            assert_eq!(found, wanted);
            assert_eq!(launches.iter().map(Range::len).sum::<usize>(), items.len());
        }
    }

    #[test]
    fn gpus_share_all_leaves() {
        let law = Law::parse("body x; min m = abs(i.x - j.x)").unwrap();
        let all = pairs(&law, vec![vec![0..1000], vec![], vec![0..10], vec![0..990]], 512);
        assert_eq!(shares(&all, 1).first(), Some(&(0..4)));
        assert_eq!(shares(&all, 2), [0..2, 2..4]);
        assert_eq!(shares(&all, 3).iter().map(Range::len).sum::<usize>(), 4);
        assert_eq!(shares(&pairs(&law, vec![vec![]], 3), 4).iter().map(Range::len).sum::<usize>(), 1);
    }

    /// Of narrow and wide laws, with all functions and kinds of results.
    #[test]
    fn every_kernel_compiles() {
        let texts = [
            "body x[3], h, m; d = i.x - j.x; q = norm(d) / j.h; sum rho = q < 1 ? j.m * (1 - q)^3 : 0",
            "body x[3]; id k; d = i.x - j.x; argmin near = dot(d, d), j.k; count n = norm(d) < 0.1; self exclude",
            "body x[3], v[20]; d = i.x - j.x; logsumexp z = -dot(d, d) when dot(i.v, j.v) > 0; max u = expm1(j.v[3])",
            "body x[64]; id k; d = i.x - j.x; argmin near = dot(d, d), j.k; self exclude",
            "body x[64], u[64], v[64]; d = i.x - j.x; max far = dot(d, d) + dot(i.u, j.v)",
        ];
        for law in texts.map(|text| Law::parse(text).unwrap()) {
            for (double, is_software) in [(false, false), (false, true), (true, false)] {
                let kernel = kernel(&law, double, is_software);
                if crate::cuda::has_compiler() {
                    crate::cuda::compile(&kernel.cuda, 90).unwrap_or_else(|error| panic!("{}: {error}", law.to_text()));
                }
            }
        }
    }
}
