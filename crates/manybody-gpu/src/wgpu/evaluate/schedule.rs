//! Divides an evaluation into traversals, and these into dispatches, by sizes alone.

use super::WgpuEvaluator;
use super::compile::{Form, Kernel};
use super::load::Memory;
use crate::wgpu::Pass;
use crate::wgpu::{SizedBy, Traversal};
use crate::{Pairs, rows};
use ::wgpu::{BindGroup, Buffer, BufferUsages};
use manybody_law::{Error, Result};
use manybody_pairwise::Summation;
use std::ops::Range;

/// Bytes for the slots of one launch.
const SLOT_BYTES: u64 = 256 << 20;

/// Workgroups that fill a device: the j of one-sided kernels is split until there are so many.
const WORKGROUPS: usize = 2048;

/// Pairs of one submission: systems stop a program whose work holds a display's GPU for seconds, and a long evaluation can
/// be ended between submissions. The second is for a device that computes on the CPU.
pub(super) const SUBMISSION_PAIRS: [u64; 2] = [1 << 34, 1 << 28];

/// Bodies j of a share at most on a device that computes on the CPU: Mesa's llvmpipe ends all loops of a thread after 65,535
/// turns, without an error. A body takes a turn, in blocks of one body a second one, and a tile takes one.
const SOFTWARE_SHARE: usize = 32_000;

/// Where the first block of bodies i is among the words of a one-sided traversal.
const FIRST_BLOCK: usize = 6;

/// The numbers of an evaluation: bodies, and the bodies of a tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) ni: usize,
    pub(super) nj: usize,
    pub(super) tile: usize,
    /// Bodies i with padding: whole tiles.
    pub(super) stride: usize,
    /// Whether both sets are one, as kernels read it.
    pub(super) same: u32,
    /// Bytes of a slot of all bodies.
    pub(super) a_slot: u64,
}

impl Sizes {
    fn tiles(self) -> usize {
        self.stride / self.tile
    }
}

/// A traversal, and the slots that it fills.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// Its arguments.
    words: [u32; 8],
    /// Slots of sums of bodies i, one for each line of workgroups, and of bodies j.
    pub(super) slots_i: u32,
    pub(super) slots_j: u32,
}

impl WgpuEvaluator {
    /// The traversals of an evaluation.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more bodies than a device that computes on the CPU can add one after the other.
    pub(super) fn calls(&self, kernel: &Kernel, pairs: Pairs, sizes: Sizes) -> Result<Vec<Call>> {
        let Sizes { ni, nj, stride, same, .. } = sizes;
        let most = SLOT_BYTES.min(self.wgpu.limits.max_storage_buffer_binding_size);
        let at_once = (most / sizes.a_slot).max(1) as usize;
        match pairs {
            Pairs::Ordered if kernel.shape.traversal == Traversal::Small => {
                let words = [ni as u32, nj as u32, stride as u32, same, 0, 0, 0, 0];
                Ok(vec![Call { words, slots_i: 1, slots_j: 0 }])
            }
            Pairs::Ordered => self.one_sided(kernel, sizes, at_once).map(|call| vec![call]),
            Pairs::Once => Ok(rounds(sizes, at_once)),
        }
    }

    /// A one-sided traversal, whose bodies j are shared out to at most `at_once` slots.
    fn one_sided(&self, kernel: &Kernel, sizes: Sizes, at_once: usize) -> Result<Call> {
        let Sizes { ni, nj, stride, same, .. } = sizes;
        let share_tiles = nj.div_ceil(kernel.shape.threads).max(1);
        let most = if self.sum == Some(Summation::Direct) { 1 } else { at_once };
        let least = if self.wgpu.is_software { nj.div_ceil(SOFTWARE_SHARE).max(1) } else { 1 };
        if least > most {
            let most = most * SOFTWARE_SHARE;
            let expected = format!("must be at most {most} bodies, with this summation, on a GPU emulated by the CPU");
            return Err(Error::Parameter { name: "n", value: nj.to_string(), expected });
        }
        let split = (WORKGROUPS / sizes.tiles()).max(least).clamp(1, share_tiles).min(most);
        let share = share_tiles.div_ceil(split) * kernel.shape.threads;
        let slots_i = nj.div_ceil(share).max(1) as u32;
        Ok(Call { words: [ni as u32, nj as u32, stride as u32, share as u32, same, 0, 0, 0], slots_i, slots_j: 0 })
    }

    /// The dispatches: each traversal, followed by the gathering of its slots. `scale` is for kernels with a choice of
    /// sums; others do not look at it.
    pub(super) fn dispatches(
        &self,
        kernel: &Kernel,
        pairs: Pairs,
        sizes: Sizes,
        calls: &[Call],
        memory: &Memory,
        scale: [f32; 8],
    ) -> Result<Vec<Pass>> {
        let Memory { records, sources, slots_i, slots_j, sums, par, .. } = memory;
        let Sizes { ni, nj, tile, stride, .. } = sizes;
        let arguments = |words: [u32; 8]| {
            let mut bytes: Vec<u8> = bytemuck::cast_slice(&words).to_vec();
            bytes.extend_from_slice(bytemuck::cast_slice(&scale));
            self.wgpu.filled(&bytes, BufferUsages::UNIFORM, SizedBy::Other)
        };
        let bind = |form, buffers: [&Buffer; 5]| self.wgpu.bind(self.layout(form), &buffers);
        let traversal = |group: BindGroup, groups: [u32; 2], pairs: u64| Pass {
            pipeline: kernel.traverse.clone(),
            group,
            groups,
            pairs,
        };
        let mut passes = Vec::new();
        for (k, Call { words, slots_i: lines, slots_j: slots }) in calls.iter().enumerate() {
            if kernel.shape.traversal == Traversal::Small {
                let group = bind(Form::ThirdIsRead, [&sources.0, sums, records, par, &arguments(*words)?])?;
                passes.push(traversal(group, [sizes.tiles() as u32, 1], ni as u64 * nj as u64));
                continue; // gathers by itself
            }
            let own = match pairs {
                Pairs::Ordered => rows::tiles(self.team.as_ref(), sizes.tiles()),
                Pairs::Once => 0..sizes.tiles(),
            };
            for piece in pieces(pairs, own, tile as u64 * nj as u64, self.wgpu.is_software) {
                let (group, work) = match pairs {
                    Pairs::Ordered => {
                        let mut words = *words;
                        words[FIRST_BLOCK] = piece.start as u32;
                        let buffers = [&sources.0, slots_i, records, par, &arguments(words)?];
                        (bind(Form::ThirdIsRead, buffers)?, piece.len() as u64 * tile as u64 * nj as u64)
                    }
                    Pairs::Once => {
                        let rounds = u64::from(words[3] - words[2]);
                        let buffers = [records, slots_i, slots_j, par, &arguments(*words)?];
                        (bind(Form::ThirdIsWritten, buffers)?, 2 * rounds * stride as u64 * tile as u64)
                    }
                };
                passes.push(traversal(group, [piece.len() as u32, *lines], work));
            }
            let gather = arguments([ni as u32, stride as u32, *lines, *slots, u32::from(k == 0), 0, 0, 0])?;
            passes.push(Pass {
                pipeline: kernel.gather.clone(),
                group: bind(Form::ThirdIsRead, [slots_i, sums, slots_j, par, &gather])?,
                groups: groups(ni, kernel.shape.gathers()),
                pairs: 0,
            });
        }
        Ok(passes)
    }
}

/// Mirrored traversals, each of as many rounds of tile pairs as have slots at once.
fn rounds(sizes: Sizes, at_once: usize) -> Vec<Call> {
    let tiles = sizes.tiles();
    let rounds = tiles / 2 + 1;
    let launches = rounds.div_ceil(at_once.min(rounds));
    let at_once = rounds.div_ceil(launches);
    let chain = (tiles * at_once / (8 * WORKGROUPS)).clamp(1, 16);
    let call = |k: usize| {
        let (begin, end) = (k * at_once, rounds.min((k + 1) * at_once));
        let slots_i = end.saturating_sub(begin).div_ceil(chain) as u32;
        let words = [sizes.ni as u32, tiles as u32, begin as u32, end as u32, chain as u32, 0, 0, 0];
        (begin < end).then(|| Call { words, slots_i, slots_j: (end - begin.max(1)) as u32 })
    };
    (0..launches).filter_map(call).collect()
}

/// The blocks of bodies i that are dispatched at once: all of a mirrored traversal, whose dispatches have an end by their
/// slots; of a one-sided one as many as keep a dispatch short, and enough to fill the device.
fn pieces(pairs: Pairs, blocks: Range<usize>, pairs_of_a_block: u64, is_software: bool) -> Vec<Range<usize>> {
    let least = if is_software { 8 } else { WORKGROUPS };
    // the last blocks of a dispatch leave a part of the device idle, so only what takes a second is divided
    let is_short = !is_software && blocks.len() as u64 * pairs_of_a_block < 1 << 41;
    let most = match pairs {
        Pairs::Once => usize::MAX,
        Pairs::Ordered if is_short => usize::MAX,
        Pairs::Ordered => least.max((SUBMISSION_PAIRS[usize::from(is_software)] / pairs_of_a_block.max(1)) as usize),
    };
    let end = blocks.end;
    blocks.step_by(most).map(|first| first..end.min(first.saturating_add(most))).collect()
}

/// Workgroups for n bodies of so many each, on two axes: one holds no more than 65,535.
pub(in crate::wgpu) fn groups(n: usize, each: usize) -> [u32; 2] {
    let all = n.div_ceil(each) as u32;
    let lines = all.div_ceil(65_535).max(1);
    [all.div_ceil(lines), lines]
}
