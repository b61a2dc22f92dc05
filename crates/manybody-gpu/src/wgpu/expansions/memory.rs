//! Memory of a device for expansions.

use crate::expansions::levels::{LEAF, Levels};
use crate::expansions::{Columns, Motion, Operators, Width};
use crate::wgpu::state::parts;
use crate::wgpu::{SizedBy, Wgpu};
use ::wgpu::{Buffer, BufferUsages};
use manybody_law::Result;
use manybody_tree::ErrorTable;

// as types.wgsl and order.wgsl have them
const LISTS: usize = 7;
const PAGE: usize = 128;
const SEGMENTS: usize = 32;
const QUADS: usize = 5;
const QUADS_WITH_SOFTENING: usize = 6;
pub(super) const TILE: usize = 2048;
/// Values of the digits of a pass.
pub(super) const RADIX: usize = 16;
/// Counters: pages in use of the segments, then the report.
const COUNTERS: usize = 36;
pub(super) const REPORT: usize = 32;

// which of the buffers is which, in the order of the bindings
pub(super) const BODIES: usize = 0;
pub(super) const COUNTS: usize = 4;
pub(super) const NUMBERS: usize = 3;
const PAGES: usize = 5;
pub(super) const RESULT: usize = 7;

/// Room for the rows of a law's table, for bodies that are sampled, and for parts of their sums; these as law.wgsl has them.
const ROWS: usize = 512;
const SAMPLES: usize = 64;
pub(super) const PARTS: usize = 32;

/// Pages of a cell at first.
const PAGES_PER_CELL: usize = 4;

/// Buffers for so many bodies and an order.
pub(super) struct Memory {
    pub(super) n: usize,
    pub(super) levels: Levels,
    /// In the order of the bindings.
    pub(super) buffers: [Buffer; 8],
    /// For what is brought back.
    pub(super) back: Buffer,
    /// Pages of a segment.
    pub(super) segment: usize,
    pub(super) record: Record,
    pub(super) width: Width,
    /// Where the root mean square of the least accelerations is among the numbers.
    pub(super) least: usize,
}

const STORAGE: BufferUsages = BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

impl Memory {
    pub(super) fn new(wgpu: &Wgpu, n: usize, order: usize, width: Width) -> Result<Self> {
        let levels = Levels::of(n);
        let (record, segment) = (Record::new(order, width), first_segment(&levels));
        let buffer = |bytes: u64| wgpu.buffer(bytes, STORAGE, SizedBy::Bodies);
        let [a, b, c, d, e, f, g, h] = bytes(&levels, n, (record.end, width), segment).map(buffer);
        Ok(Memory {
            buffers: [a?, b?, c?, d?, e?, f?, g?, h?],
            back: wgpu.buffer(
                (4 * width.numbers() * n).max(4 * SAMPLES * (width.numbers() * PARTS + 1)) as u64,
                BufferUsages::MAP_READ | BufferUsages::COPY_DST,
                SizedBy::Bodies,
            )?,
            least: sets(width) * levels.total() * record.end,
            width,
            n,
            levels,
            segment,
            record,
        })
    }

    /// Where links, heads of lists, and numbers of sparse leaves begin among the pages; the page behind the last one takes
    /// what has no room.
    pub(super) fn parts_of_pages(&self) -> [usize; 3] {
        parts_of_pages(self.segment, self.levels.total())
    }

    /// The same with room for twice as many pages.
    pub(super) fn doubled(mut self, wgpu: &Wgpu) -> Result<Self> {
        self.segment *= 2;
        let words = pages(self.segment, self.levels.total(), self.levels.leaves().1);
        // the old one first: both may not have room
        self.buffers[PAGES] = wgpu.buffer(4, STORAGE, SizedBy::Other)?;
        self.buffers[PAGES] = wgpu.buffer(4 * words as u64, STORAGE, SizedBy::Bodies)?;
        Ok(self)
    }

    /// Brings the bodies.
    pub(super) fn fill(&self, wgpu: &Wgpu, columns: &Columns) -> Result<()> {
        let halves = &columns.softenings.halves;
        self.fill_with(wgpu, columns, |k| halves.get(k).map_or(0.0, |half| *half as f32))
    }

    /// The same with another number beside what the place of each lacks.
    fn fill_with(&self, wgpu: &Wgpu, columns: &Columns, last: impl Fn(usize) -> f32) -> Result<()> {
        let [x, y, z, mass] = &columns.numbers;
        let mut numbers: Vec<f32> = (0..self.n)
            .flat_map(|k| {
                let [a, b, c] = [x, y, z].map(|q| parts(q[k]));
                [a[0], b[0], c[0], mass[k] as f32, a[1], b[1], c[1], last(k)]
            })
            .collect();
        // charges of a law, in whole numbers of four
        if columns.law.is_some() {
            let charges = columns.own();
            let filled = charges.next_multiple_of(4);
            let of = |own: &[f64]| (0..filled).map(|k| own.get(k).map_or(0.0, |q| *q as f32)).collect::<Vec<f32>>();
            numbers.extend(columns.charges.chunks_exact(charges).flat_map(of));
        }
        if columns.has_jerks() {
            let [vx, vy, vz] = &columns.velocities;
            numbers.extend((0..self.n).flat_map(|k| [vx[k] as f32, vy[k] as f32, vz[k] as f32, 0.0]));
        }
        wgpu.write(&self.buffers[BODIES], 0, bytemuck::cast_slice(&numbers))
    }

    /// Where the records of rates begin, and what jerks need of slots, in numbers of four.
    pub(super) fn of_jerks(&self) -> [usize; 2] {
        let (total, slots) = (self.levels.total(), self.levels.leaves().1 * LEAF);
        [total * self.record.end, slots * at_rest(self.width)]
    }

    /// Brings the criterion of a law.
    pub(super) fn take_table(&self, wgpu: &Wgpu, columns: &Columns, table: &ErrorTable) -> Result<()> {
        let rows = &table.rows[..table.rows.len().min(ROWS)];
        wgpu.write(&self.buffers[NUMBERS], 16 * (self.least as u64 + 1), bytemuck::cast_slice(rows))?;
        // beside what places lack
        table.allowed.as_ref().map_or(Ok(()), |allowed| self.fill_with(wgpu, columns, |k| allowed[k]))
    }
}

/// Pages of a segment at first.
fn first_segment(levels: &Levels) -> usize {
    let cells: usize = levels.0.iter().map(|(_, count)| count).sum();
    (PAGES_PER_CELL * cells).div_ceil(SEGMENTS).max(64)
}

/// Whether a device has buffers that are large enough for expansions of this order for n bodies.
pub(super) fn fits(wgpu: &Wgpu, n: usize, order: usize, own_softenings: bool) -> bool {
    let (levels, width) = (Levels::of(n), Width::of_gravity(own_softenings));
    // twice the pages: most systems need more than at first
    let most = bytes(&levels, n, (Record::new(order, width).end, width), 2 * first_segment(&levels)).into_iter().max();
    most.is_some_and(|bytes| bytes <= wgpu.largest_buffer())
}

/// Where the parts of a cell's record begin behind its moments, in numbers of four: its spherical moments, its expansion and, of
/// softenings of the bodies' own, the second moments and the second expansion; and where it ends. Of a law the moments are those of
/// all charges, the spherical ones those of charges along the separation, and the expansion those of all; `second_moments` and `second_locals` are from one of these to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) spherical: usize,
    pub(super) locals: usize,
    pub(super) second_moments: usize,
    pub(super) second_locals: usize,
    pub(super) end: usize,
}

impl Record {
    fn new(order: usize, width: Width) -> Self {
        let Width { of_law, own, expansions, has_dyads, .. } = width;
        let widest = Operators { order, dipoles: true, potential: true, of_law, motion: Motion::Rest };
        let [moments, spherical, locals] =
            [widest.moments(), widest.spherical(), widest.locals()].map(|numbers| numbers.div_ceil(4));
        if of_law {
            let spherical = own * moments;
            let first = spherical + if has_dyads { widest.along().div_ceil(4) } else { 0 };
            return Record {
                spherical,
                locals: first,
                second_moments: moments,
                second_locals: locals,
                end: first + expansions * locals,
            };
        }
        let first = moments + spherical + locals;
        let second = if width.own_softenings() { moments + locals } else { 0 };
        Record {
            spherical: moments,
            locals: moments + spherical,
            second_moments: first,
            second_locals: first + moments,
            end: first + second,
        }
    }
}

/// How many records a cell has: one, and that of its rates.
fn sets(width: Width) -> usize {
    1 + usize::from(width.jerks)
}

/// Numbers of four of a slot without those of jerks: its body, what is near and one by one, and what is its own.
fn at_rest(width: Width) -> usize {
    1 + 2 * width.expansions + width.own.div_ceil(4)
}

/// Bytes of the buffers, in the order of the bindings: of the bodies, slots, lines, numbers, counters, pages, keys and results.
fn bytes(levels: &Levels, n: usize, (record, width): (usize, Width), segment: usize) -> [u64; 8] {
    let (total, leaves) = (levels.total(), levels.leaves().1);
    let own = width.own.div_ceil(4);
    let jerks = usize::from(width.jerks);
    let of_body = if width.of_law { 2 + own } else { 2 + jerks };
    let of_slot = at_rest(width) + 3 * jerks;
    let of_line = if width.own_softenings() { QUADS_WITH_SOFTENING } else { QUADS };
    let (words, quads) = (|count: usize| 4 * count as u64, |count: usize| 16 * count as u64);
    [
        quads(of_body * n),
        quads(of_slot * leaves * LEAF),
        quads(total * of_line),
        // and behind the records the root mean square of the least accelerations, and the table of a law
        quads(sets(width) * total * record + 1 + ROWS),
        words(COUNTERS),
        words(pages(segment, total, leaves)),
        words(8 * n + RADIX * (n.div_ceil(TILE) + 1)),
        words((6 * n).max(width.numbers() * n).max(SAMPLES * (width.numbers() * PARTS + 1))),
    ]
}

fn parts_of_pages(segment: usize, total: usize) -> [usize; 3] {
    let pages = SEGMENTS * segment + 1;
    let links = pages * PAGE;
    let heads = links + pages;
    [links, heads, heads + 2 * LISTS * total]
}

/// Words of the pages and what is behind them.
fn pages(segment: usize, total: usize, leaves: usize) -> usize {
    parts_of_pages(segment, total)[2] + leaves
}
