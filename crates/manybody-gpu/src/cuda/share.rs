//! Several GPUs share an evaluation, and the bits are those of one.
//!
//! A launch fills slots, one for every partial sum, and `gather` adds them up: cut into [`LINES`] lines, each line by
//! itself, then line after line (gather.cu). Which slots a line has follows from the launch alone. GPU g of G does what
//! fills the slots of lines 8 g / G to 8 (g + 1) / G and adds these up; the sums of its lines go to the first GPU, which adds
//! the lines. So the order of additions does not depend on the number of GPUs.
//!
//! Bodies go to every GPU before each evaluation, 32 bytes a body in f32, and 8 / G sums of 8 bytes a result and body come
//! back a launch.

use super::launch::address;
use super::{Cuda, failed};
use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DeviceRepr, sys};
use manybody_law::Result;
use std::ops::Range;
use std::sync::Arc;

/// Lines of slots: as gather.cu has it, and the most GPUs that can share.
pub(super) const LINES: usize = 8;

/// What the blocks of a launch do along y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Rounds \[begin, end) of a mirrored traversal, so many a block.
    Rounds { begin: u32, end: u32, chain: u32 },
    /// Shares of j of a one-sided traversal, one a block: from this one on, of so many bodies.
    Shares { first: u32, size: u32 },
}

/// One launch of a traversal, and the slots it fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Launch {
    pub(super) work: Work,
    /// Blocks along y: slots of i.
    pub(super) slots_i: u32,
    pub(super) slots_j: u32,
}

/// The slots of every line, as gather.cu has them: line l has those from number l to number l + 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lines {
    i: [u32; LINES + 1],
    j: [u32; LINES + 1],
}

// SAFETY: repr(C), of numbers in the order that gather.cu has
unsafe impl DeviceRepr for Lines {}

/// What one GPU does of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) launch: Launch,
    /// The slots of its lines among those it fills.
    pub(super) lines: Lines,
    /// Its lines.
    pub(super) first: u32,
    pub(super) end: u32,
}

/// The lines of one of so many GPUs.
pub(super) fn lines_of(gpu: usize, gpus: usize) -> Range<usize> {
    lines_among(&(0..LINES), gpu, gpus)
}

/// The lines, of these, of one of so many GPUs that have them together.
pub(super) fn lines_among(lines: &Range<usize>, gpu: usize, gpus: usize) -> Range<usize> {
    let begin = |gpu: usize| lines.start + gpu * lines.len() / gpus;
    begin(gpu)..begin(gpu + 1)
}

impl Launch {
    /// Rounds of a mirrored traversal.
    pub(super) fn rounds(&self) -> usize {
        match self.work {
            Work::Rounds { begin, end, .. } => (end - begin) as usize,
            Work::Shares { .. } => 0,
        }
    }

    /// The parts of so many GPUs, at most [`LINES`].
    pub(super) fn parts(&self, gpus: usize) -> Vec<Part> {
        self.parts_of(0..LINES, gpus)
    }

    /// The parts of so many GPUs, at most [`LINES`], which together have these lines; with fewer lines than GPUs, some are
    /// empty.
    pub(super) fn parts_of(&self, lines: Range<usize>, gpus: usize) -> Vec<Part> {
        let gpus = gpus.clamp(1, LINES);
        // a line's blocks along y
        let block = |line: usize| (line * self.slots_i as usize / LINES) as u32;
        let part = |gpu: usize| {
            let Range { start: first, end } = lines_among(&lines, gpu, gpus);
            let own = block(first)..block(end);
            let within = |line: usize| block(line).clamp(own.start, own.end);
            let (work, slots_j, lines_j) = match self.work {
                Work::Shares { first, size } => {
                    (Work::Shares { first: first + own.start, size }, self.slots_j, [0; LINES + 1])
                }
                Work::Rounds { begin, end, chain } => {
                    // round 0 fills no slot of j
                    let round = |block: u32| end.min(begin + block * chain);
                    let (begin, end) = (round(own.start), round(own.end));
                    let slot_j = |line: usize| round(within(line)).max(1) - begin.max(1);
                    (Work::Rounds { begin, end, chain }, end.max(1) - begin.max(1), std::array::from_fn(slot_j))
                }
            };
            let lines = Lines { i: std::array::from_fn(|line| within(line) - own.start), j: lines_j };
            let launch = Launch { work, slots_i: own.len() as u32, slots_j };
            Part { launch, lines, first: first as u32, end: end as u32 }
        };
        (0..gpus).map(part).collect()
    }
}

/// A law's kernels on another GPU than the first.
pub(super) struct SharedKernel {
    pub(super) traverse: CudaFunction,
    pub(super) add_lines: CudaFunction,
}

/// Where a GPU does a launch. Those of an evaluation that is shared take turns, so that the last blocks of one run beside the
/// first ones of the next.
pub(super) struct Turn<T> {
    pub(super) stream: Arc<CudaStream>,
    pub(super) slots_i: CudaSlice<T>,
    pub(super) slots_j: CudaSlice<T>,
}

impl<T> Turn<T> {
    /// The turn of launch k.
    pub(super) fn of(turns: &[Turn<T>], k: usize) -> &Turn<T> {
        &turns[k % turns.len()]
    }

    /// Lets all turns begin after what the stream of the first one has been given so far.
    pub(super) fn begin(turns: &[Turn<T>]) -> Result<()> {
        let [first, others @ ..] = turns else { return Ok(()) };
        let ready = first.stream.record_event(None).map_err(failed("wait for the bodies"))?;
        others.iter().try_for_each(|turn| turn.stream.wait(&ready)).map_err(failed("wait for the bodies"))
    }
}

/// Another GPU's bodies, slots, and the sums of its lines.
pub(super) struct Shared<T> {
    pub(super) cuda: Arc<Cuda>,
    pub(super) bodies: CudaSlice<u8>,
    pub(super) rotated: CudaSlice<u8>,
    pub(super) turns: Vec<Turn<T>>,
    /// \[lines\]\[results\]\[stride\], twice where there are several launches: those of a launch travel while those of the
    /// next one are computed.
    pub(super) sums: CudaSlice<f64>,
    /// The order in which they travel.
    pub(super) way: Arc<CudaStream>,
    pub(super) units: Option<CudaSlice<f64>>,
}

impl<T> Shared<T> {
    /// Where, among the sums, those of launch k of so many begin.
    pub(super) fn lines_of_launch(&self, k: usize, launches: usize) -> usize {
        k % 2 * self.sums.len() / launches.min(2)
    }
}

/// Copies a range of one GPU's memory to the same place of another's, as part of the work of `on`.
pub(super) fn copy_range<A>(
    on: &Cuda,
    from: (&Cuda, &CudaSlice<A>),
    to: (&Cuda, &CudaSlice<A>),
    range: Range<usize>,
) -> Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    let at = range.start * size_of::<A>();
    copy(&on.stream, (from.0, from.1, at), (to.0, to.1, at), range.len() * size_of::<A>())
}

/// Copies bytes between the memories of GPUs, each from so many bytes behind its beginning on, in the order of `on`.
pub(super) fn copy<A, B>(
    on: &CudaStream,
    (from, source, begin): (&Cuda, &CudaSlice<A>, usize),
    (to, target, at): (&Cuda, &CudaSlice<B>, usize),
    bytes: usize,
) -> Result<()> {
    debug_assert!(begin + bytes <= source.num_bytes() && at + bytes <= target.num_bytes());
    let [source, target] = [address(&from.stream, source) + begin as u64, address(&to.stream, target) + at as u64];
    // SAFETY: both ranges lie in memory of an evaluator, whose streams wait for each other, and which waits for the
    // copies before that memory is freed
    unsafe { sys::cuMemcpyAsync(target, source, bytes, on.cu_stream()) }.result().map_err(failed("copy between GPUs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mirrored(begin: u32, end: u32, chain: u32) -> Launch {
        let work = Work::Rounds { begin, end, chain };
        Launch { work, slots_i: (end - begin).div_ceil(chain), slots_j: end - begin.max(1) }
    }

    /// Every line has the same slots however many GPUs there are, each slot is in one line, and each round is done once.
    #[test]
    fn lines_do_not_know_of_gpus() {
        for (begin, end) in [(0, 1), (0, 2), (0, 17), (0, 65), (41, 82), (82, 83), (5, 1000)] {
            for chain in [1, 2, 3, 7, 16] {
                let launch = mirrored(begin, end, chain);
                // slots of a line by what they hold: the block of i, the round of j
                let slots = |gpus: usize| -> Vec<(Vec<u32>, Vec<u32>)> {
                    let mut lines = Vec::new();
                    for part in launch.parts(gpus) {
                        let own = part.launch;
                        let Work::Rounds { begin, end, .. } = own.work else { panic!("{own:?}") };
                        assert_eq!(own.slots_i, (end - begin).div_ceil(chain), "{launch:?} {gpus}");
                        for line in part.first as usize..part.end as usize {
                            let [i, j] = [part.lines.i, part.lines.j].map(|q| q[line]..q[line + 1]);
                            assert!(i.end <= own.slots_i && j.end <= own.slots_j, "{launch:?} {gpus} {part:?}");
                            lines.push((
                                i.map(|slot| begin + slot * chain).collect(),
                                j.map(|slot| begin.max(1) + slot).collect(),
                            ));
                        }
                    }
                    lines
                };
                let one = slots(1);
                assert_eq!(one.len(), LINES);
                let all: (Vec<u32>, Vec<u32>) = one.iter().fold((vec![], vec![]), |all, line| {
                    ([all.0, line.0.clone()].concat(), [all.1, line.1.clone()].concat())
                });
                assert_eq!(all.0, (begin..end).step_by(chain as usize).collect::<Vec<_>>());
                assert_eq!(all.1, (begin.max(1)..end).collect::<Vec<_>>());
                for gpus in 2..=LINES {
                    assert_eq!(slots(gpus), one, "{launch:?}, {gpus} GPUs");
                    // ranks with several GPUs each
                    for ranks in [1, 2, 3, 8] {
                        let of = |rank: usize| launch.parts_of(lines_of(rank, ranks), gpus);
                        let parts: Vec<Part> = (0..ranks).flat_map(of).collect();
                        assert_eq!(
                            parts.iter().map(|part| part.launch.rounds()).sum::<usize>(),
                            (end - begin) as usize
                        );
                        let lines = parts.iter().flat_map(|part| part.first..part.end);
                        assert_eq!(lines.collect::<Vec<_>>(), (0..LINES as u32).collect::<Vec<_>>());
                    }
                }
            }
        }
    }

    /// Shares of j of a one-sided launch likewise.
    #[test]
    fn shares_do_not_know_of_gpus() {
        for slots_i in [1, 3, 8, 17] {
            let launch = Launch { work: Work::Shares { first: 0, size: 4096 }, slots_i, slots_j: 0 };
            for gpus in 1..=LINES {
                let parts = launch.parts(gpus);
                let shares = parts.iter().flat_map(|part| match part.launch.work {
                    Work::Shares { first, size: 4096 } => first..first + part.launch.slots_i,
                    work => panic!("{work:?}"),
                });
                assert_eq!(shares.collect::<Vec<_>>(), (0..slots_i).collect::<Vec<_>>());
                assert!(parts.iter().all(|p| p.lines.j == [0; LINES + 1]));
                let ends: Vec<u32> = parts.iter().map(|p| p.lines.i[p.end as usize]).collect();
                assert_eq!(ends, parts.iter().map(|p| p.launch.slots_i).collect::<Vec<_>>());
            }
        }
    }
}
