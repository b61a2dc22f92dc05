//! Memory of a CUDA device for expansions.

use crate::cuda::launch::address;
use crate::cuda::{Cuda, failed};
use crate::expansions::levels::{LEAF, LEVELS, Levels};
use crate::expansions::{Columns, Motion, Operators, Width};
use cudarc::driver::{CudaSlice, CudaStream, DeviceRepr, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::simd::Element;
use manybody_tree::{Accuracy, Sinks};
use std::ops::Range;
use std::sync::Arc;

// as types.cuh and order.cu have them
const LIST_COUNT: usize = 6;
const LIST_COUNT_WITH_SOFTENINGS: usize = 7;
pub(super) const PAGE: usize = 128;
pub(super) const SEGMENTS: usize = 32;
const LINE: usize = 48;
const LINE_WITH_SOFTENING: usize = 64;
const PLACE: usize = 32;
const BOX: usize = 56;
pub(super) const RADIX: usize = 256;
pub(super) const TILE: usize = 8 * RADIX;

/// Pages of a cell at first.
const PAGES_PER_CELL: usize = 6;

/// As types.cuh has it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tree {
    pub(super) addresses: [u64; 31],
    pub(super) n: i32,
    pub(super) leaves: i32,
    pub(super) first_leaf: i32,
    pub(super) segment: i32,
    pub(super) moments_stride: i32,
    pub(super) locals_stride: i32,
    pub(super) spherical_stride: i32,
    pub(super) angle2: f32,
    pub(super) tolerance: f32,
    pub(super) units: f32,
    pub(super) unit2: f32,
    pub(super) mutual: i32,
    pub(super) floor: f32,
    pub(super) soft2f: f32,
    pub(super) stack: i32,
    pub(super) rows: i32,
    pub(super) last: i32,
    pub(super) soft2d: f64,
    pub(super) base: f64,
    pub(super) difference: f64,
    pub(super) level_first: [i32; LEVELS],
    pub(super) level_count: [i32; LEVELS],
}

// SAFETY: repr(C), of numbers and addresses in the order and size that types.cuh has
unsafe impl DeviceRepr for Tree {}

impl Tree {
    /// The tree of rates: their records in place of those of moments, spherical moments and expansions.
    pub(super) fn of_rates(mut self) -> Self {
        self.addresses.copy_within(RATES_AT..RATES_AT + 3, MOMENTS_AT);
        self
    }
}

/// Where the addresses of moments, spherical moments and expansions are, and those of their rates.
const MOMENTS_AT: usize = 11;
const RATES_AT: usize = 26;

/// What jerks need beside what accelerations do.
pub(super) struct Rates<T> {
    /// Of bodies, [3][n], and of slots.
    pub(super) velocities: CudaSlice<f64>,
    moving: CudaSlice<T>,
    moments: CudaSlice<T>,
    spherical: CudaSlice<T>,
    locals: CudaSlice<T>,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> Rates<T> {
    /// The addresses of all, in the order that types.cuh has.
    fn addresses(&self, stream: &Arc<CudaStream>) -> [u64; 5] {
        let Rates { velocities, moving, moments, spherical, locals } = self;
        let [moving, moments, spherical, locals] =
            [moving, moments, spherical, locals].map(|memory| address(stream, memory));
        [address(stream, velocities), moving, moments, spherical, locals]
    }
}

/// What the criterion of a law is on a device.
pub(super) struct Criterion {
    pub(super) errors: CudaSlice<f32>,
    pub(super) allowed: Option<CudaSlice<f32>>,
}

/// Memory of the device for so many bodies and this order.
pub(super) struct Memory<T> {
    pub(super) n: usize,
    pub(super) levels: Levels,
    pub(super) columns: [CudaSlice<f64>; 4],
    /// What bodies have of their own beside place and mass, of bodies and of slots.
    pub(super) own: Option<(CudaSlice<f64>, CudaSlice<T>)>,
    pub(super) width: Width,
    pub(super) keys: [CudaSlice<u64>; 3],
    pub(super) index: [CudaSlice<u32>; 2],
    /// Counts of digits, tickets of passes, and states of tiles.
    pub(super) counts: CudaSlice<u32>,
    pub(super) bodies: CudaSlice<T>,
    pub(super) lines: CudaSlice<u64>,
    pub(super) places: CudaSlice<u64>,
    pub(super) boxes: CudaSlice<u64>,
    pub(super) moments: CudaSlice<T>,
    pub(super) spherical: CudaSlice<T>,
    pub(super) locals: CudaSlice<T>,
    pub(super) heads: CudaSlice<i32>,
    pub(super) pages: CudaSlice<i32>,
    pub(super) links: CudaSlice<i32>,
    pub(super) tops: CudaSlice<i32>,
    pub(super) sparse: CudaSlice<i32>,
    /// The reports of all devices that share, of which this is one.
    pub(super) report: CudaSlice<u32>,
    pub(super) part: usize,
    pub(super) least: CudaSlice<f32>,
    pub(super) sums: CudaSlice<f64>,
    pub(super) near: CudaSlice<T>,
    pub(super) single: CudaSlice<T>,
    pub(super) out: CudaSlice<T>,
    /// Where jerks are computed.
    pub(super) rates: Option<Rates<T>>,
    /// Of a law the table of its criterion, and how much is allowed at each body.
    pub(super) of_law: Option<Criterion>,
    /// Pages of a segment.
    pub(super) segment: usize,
    pub(super) strides: [usize; 3],
}

/// Numbers of a report.
pub(super) const REPORT: usize = 4;

/// The report of a device among those of all.
pub(super) fn report_of(part: usize) -> Range<usize> {
    REPORT * part..REPORT * (part + 1)
}

/// Most passes of a sort.
pub(super) const PASSES: usize = 8;

impl<T: Element + DeviceRepr + ValidAsZeroBits> Memory<T> {
    /// Memory of one of so many devices that share.
    pub(super) fn new(
        cuda: &Cuda,
        n: usize,
        order: usize,
        width: Width,
        (part, parts): (usize, usize),
    ) -> Result<Self> {
        let (stream, memory) = (&cuda.stream, failed("allocate memory for the bodies"));
        let levels = Levels::of(n);
        let (total, leaves) = (levels.total(), levels.leaves().1);
        let Width { of_law, own, expansions, has_dyads, jerks } = width;
        let widest = Operators { order, dipoles: true, potential: true, of_law, motion: Motion::Rest };
        let mut strides =
            [widest.moments(), widest.locals(), widest.spherical()].map(|numbers| numbers.next_multiple_of(4));
        let (mut line, mut lists) = (LINE, LIST_COUNT);
        if of_law {
            let along = if has_dyads { widest.along().next_multiple_of(4) } else { 4 };
            strides = [own * strides[0], expansions * strides[1], along];
        }
        if width.own_softenings() {
            // moments of products with differences, and second expansions
            (strides[0], strides[1]) = (2 * strides[0], 2 * strides[1]);
            (line, lists) = (LINE_WITH_SOFTENING, LIST_COUNT_WITH_SOFTENINGS);
        }
        let segment = (PAGES_PER_CELL * total).div_ceil(SEGMENTS).max(64);
        let slots = leaves * LEAF;
        let f64s = |count: usize| stream.alloc_zeros::<f64>(count).map_err(&memory);
        let u64s = |count: usize| stream.alloc_zeros::<u64>(count).map_err(&memory);
        let u32s = |count: usize| stream.alloc_zeros::<u32>(count).map_err(&memory);
        let i32s = |count: usize| stream.alloc_zeros::<i32>(count).map_err(&memory);
        let reals = |count: usize| stream.alloc_zeros::<T>(count).map_err(&memory);
        Ok(Memory {
            columns: [f64s(n)?, f64s(n)?, f64s(n)?, f64s(n)?],
            keys: [u64s(n)?, u64s(n)?, u64s(n)?],
            index: [u32s(n)?, u32s(n)?],
            counts: u32s(PASSES * (RADIX + 1 + n.div_ceil(TILE) * RADIX))?,
            bodies: reals(4 * slots)?,
            own: if own > 0 { Some((f64s(own * n)?, reals(own * slots)?)) } else { None },
            width,
            lines: u64s(total * line / 8)?,
            places: u64s(total * PLACE / 8)?,
            boxes: u64s(total * BOX / 8)?,
            moments: reals(total * strides[0])?,
            spherical: reals(total * strides[2])?,
            locals: reals(total * strides[1])?,
            heads: i32s(total * lists * 2)?,
            pages: i32s(SEGMENTS * segment * PAGE)?,
            links: i32s(SEGMENTS * segment)?,
            tops: i32s(SEGMENTS)?,
            sparse: i32s(leaves)?,
            report: u32s(REPORT * parts)?,
            part,
            least: stream.alloc_zeros::<f32>(leaves).map_err(&memory)?,
            sums: f64s(1)?,
            near: reals(width.numbers() * slots)?,
            single: reals(width.numbers() * slots)?,
            out: reals(width.numbers() * n)?,
            rates: match jerks {
                false => None,
                true => Some(Rates {
                    velocities: f64s(3 * n)?,
                    moving: reals(4 * slots)?,
                    moments: reals(total * strides[0])?,
                    spherical: reals(total * strides[2])?,
                    locals: reals(total * strides[1])?,
                }),
            },
            of_law: None,
            n,
            levels,
            segment,
            strides,
        })
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> Memory<T> {
    /// The address of this device's report.
    pub(super) fn report_at(&self, stream: &Arc<CudaStream>) -> u64 {
        address(stream, &self.report) + (report_of(self.part).start * size_of::<u32>()) as u64
    }

    /// Makes room for twice as many pages; after an error nothing of it may be used.
    pub(super) fn double(&mut self, cuda: &Cuda) -> Result<()> {
        self.segment *= 2;
        let (pages, memory) = (SEGMENTS * self.segment, failed("allocate memory for lists"));
        // the old ones first: both may not have room
        self.pages = cuda.stream.alloc_zeros(1).map_err(&memory)?;
        self.pages = cuda.stream.alloc_zeros(pages * PAGE).map_err(&memory)?;
        self.links = cuda.stream.alloc_zeros(pages).map_err(&memory)?;
        Ok(())
    }

    /// What kernels are given; `own` are the cells that have expansions on this device.
    pub(super) fn tree(&self, cuda: &Cuda, columns: &Columns, digits: i32, sinks: Sinks, own: &Levels) -> Tree {
        let stream = &cuda.stream;
        let (first_leaf, leaves) = self.levels.leaves();
        let [x, y, z, mass] = self.columns.each_ref().map(|column| address(stream, column));
        let (own_of_bodies, own_of_slots) =
            self.own.as_ref().map_or((0, 0), |(bodies, slots)| (address(stream, bodies), address(stream, slots)));
        let [velocities, moving, rate_moments, rate_spherical, rate_locals] =
            self.rates.as_ref().map_or([0; 5], |rates| rates.addresses(stream));
        Tree {
            addresses: [
                x,
                y,
                z,
                mass,
                own_of_bodies,
                own_of_slots,
                address(stream, &self.index[sorted_in(digits, self.width.own_softenings())]),
                address(stream, &self.bodies),
                address(stream, &self.lines),
                address(stream, &self.places),
                address(stream, &self.boxes),
                address(stream, &self.moments),
                address(stream, &self.spherical),
                address(stream, &self.locals),
                address(stream, &self.heads),
                address(stream, &self.pages),
                address(stream, &self.links),
                address(stream, &self.tops),
                address(stream, &self.sparse),
                self.report_at(stream),
                address(stream, &self.least),
                address(stream, &self.near),
                address(stream, &self.single),
                address(stream, &self.out),
                velocities,
                moving,
                rate_moments,
                rate_spherical,
                rate_locals,
                0,
                0,
            ],
            n: self.n as i32,
            leaves: leaves as i32,
            first_leaf: first_leaf as i32,
            segment: self.segment as i32,
            moments_stride: self.strides[0] as i32,
            locals_stride: self.strides[1] as i32,
            spherical_stride: self.strides[2] as i32,
            angle2: 1.0,
            tolerance: f32::INFINITY,
            units: 1.0,
            unit2: 1.0,
            mutual: 1,
            floor: Accuracy::FLOOR as f32,
            soft2f: columns.soft2 as f32,
            stack: self.levels.stack(sinks) as i32,
            rows: 0,
            last: 0,
            soft2d: columns.soft2,
            base: columns.softenings.base,
            difference: columns.softenings.difference,
            level_first: own.table(|(first, _)| first),
            level_count: own.table(|(_, count)| count),
        }
    }
}

/// Passes of a sort by so many digits an axis, at most 21.
pub(super) fn passes(digits: i32) -> usize {
    (3 * digits as usize).div_ceil(8)
}

/// In which of two memories the indices are when all passes have been made.
fn sorted_in(digits: i32, with_classes: bool) -> usize {
    let all = if digits > 21 { 2 * passes(21) } else { passes(digits) };
    (all + usize::from(with_classes)) % 2
}
