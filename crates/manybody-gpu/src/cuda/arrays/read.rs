//! Columns of others: what the host has to know of them, and the numbers that kernels read.

use super::queue::Open;
use super::{Column, Kind, Numbers};
use crate::cuda::failed;
use crate::cuda::launch::{Call, Start, grid};
use cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::simd::Element;

/// Threads and blocks of a column, as arrays.cu has them; sums depend on both.
const THREADS: usize = 256;
const BLOCKS: usize = 128;

/// No index, as arrays.cu has it.
pub(super) const NONE: u32 = u32::MAX;

/// What becomes of a number q.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Becomes {
    /// (q - origin) scale.
    Affine,
    /// Half the square of q scale, `least` at least.
    HalfSquare,
}

/// What a number must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum MustBe {
    Finite,
    /// Finite, 0 or more.
    Positive,
    /// A whole number from 0.
    Id,
}

/// A column, and what kernels are to read of it: as arrays.cu has it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Source {
    address: u64,
    stride: i64,
    one: f64,
    pub(super) origin: f64,
    pub(super) scale: f64,
    pub(super) least: f64,
    /// Subtracted in the end.
    pub(super) middle: f64,
    kind: u32,
    becomes: u32,
    must_be: u32,
    /// 1 for what f32 lacks of the number.
    low: u32,
}

// SAFETY: repr(C), of numbers in the order and size that arrays.cu has
unsafe impl DeviceRepr for Source {}

impl Source {
    /// A column whose numbers stay what they are.
    pub(super) fn plain(column: Column, must_be: MustBe) -> Self {
        let (Numbers { address, stride, kind }, one) = match column {
            Column::Each(numbers) => (numbers, 0.0),
            Column::One(one) => (Numbers { address: 0, stride: 0, kind: Kind::F64 }, one),
        };
        let (kind, becomes, must_be) = (kind as u32, Becomes::Affine as u32, must_be as u32);
        Source {
            address,
            stride,
            one,
            origin: 0.0,
            scale: 1.0,
            least: 0.0,
            middle: 0.0,
            kind,
            becomes,
            must_be,
            low: 0,
        }
    }

    /// Its numbers less an origin, times a scale.
    pub(super) fn affine(self, origin: f64, scale: f64) -> Self {
        Source { origin, scale, ..self }
    }

    /// Half the squares of its numbers times a scale.
    pub(super) fn half_square(self, scale: f64, least: f64) -> Self {
        Source { scale, least, becomes: Becomes::HalfSquare as u32, ..self }
    }

    /// What f32 lacks of its numbers.
    pub(super) fn low(self) -> Self {
        Source { low: 1, ..self }
    }

    /// What arrays.cu makes of a number of this column, without its low part.
    pub(super) fn of(&self, q: f64) -> f64 {
        let scaled = (q - self.origin) * self.scale;
        let plain = match self.becomes == Becomes::Affine as u32 {
            true => scaled,
            false => (0.5 * (scaled * scaled)).max(self.least),
        };
        plain - self.middle
    }
}

/// Bodies of columns: the first `n`, or those of a list.
#[derive(Clone, Copy)]
pub(super) struct Which<'a> {
    pub(super) at: Option<&'a CudaSlice<u32>>,
    pub(super) n: usize,
}

impl Which<'_> {
    pub(super) fn first(n: usize) -> Self {
        Which { at: None, n }
    }
}

/// What one block found, as arrays.cu has it.
#[derive(Clone, Copy)]
#[repr(C)]
struct Found {
    low: f64,
    high: f64,
    sum: f64,
    moment: f64,
    bad: u32,
    zeros: u32,
    same: u32,
    pad: u32,
}

// SAFETY: repr(C), of numbers in the order and size that arrays.cu has
unsafe impl DeviceRepr for Found {}
// SAFETY: numbers, all of which may be 0
unsafe impl ValidAsZeroBits for Found {}

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Survey {
    /// The smallest number; infinite without numbers.
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) sum: f64,
    /// The sum of number times mass, where there was a mass.
    pub(super) moment: f64,
    /// The first that is not what it must be.
    pub(super) bad: Option<usize>,
    /// How many are 0.
    pub(super) zeros: usize,
    /// Whether all have the same bits.
    pub(super) same: bool,
}

impl Survey {
    fn of(found: &[Found]) -> Self {
        let mut all = Survey {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            sum: 0.0,
            moment: 0.0,
            bad: None,
            zeros: 0,
            same: true,
        };
        for part in found {
            all.low = all.low.min(part.low);
            all.high = all.high.max(part.high);
            all.sum += part.sum;
            all.moment += part.moment;
            let bad = (part.bad != NONE).then_some(part.bad as usize);
            all.bad = all.bad.into_iter().chain(bad).min();
            all.zeros += part.zeros as usize;
            all.same &= part.same != 0;
        }
        all
    }

    /// Whether all numbers of a column become the same.
    pub(super) fn is_one(&self, source: &Source) -> bool {
        // what becomes of numbers keeps their order; where the smallest is the largest, 0 and -0 are both there
        self.same || (self.low != self.high && source.of(self.low).to_bits() == source.of(self.high).to_bits())
    }

    /// Between which numbers those of a column lie, as they become.
    pub(super) fn range(&self, source: &Source) -> (f64, f64) {
        if self.low > self.high { (self.low, self.high) } else { (source.of(self.low), source.of(self.high)) }
    }
}

fn sent(open: &Open, sources: &[Source]) -> Result<CudaSlice<Source>> {
    open.cuda.stream.clone_htod(sources).map_err(failed("describe columns"))
}

/// What columns have; `mass` is that of which moments are taken. Ids must be below `most_ids`.
pub(super) fn survey(
    open: &Open,
    sources: &[Source],
    which: Which<'_>,
    mass: Option<usize>,
    most_ids: f64,
) -> Result<Vec<Survey>> {
    if which.n == 0 || sources.is_empty() {
        return Ok(vec![Survey::of(&[]); sources.len()]);
    }
    let blocks = which.n.div_ceil(THREADS).min(BLOCKS);
    let stream = &open.cuda.stream;
    let memory = failed("look at columns");
    let columns = sent(open, sources)?;
    let found = stream.alloc_zeros::<Found>(blocks * sources.len()).map_err(&memory)?;
    let (n, mass) = (which.n as u32, mass.map_or(NONE, |mass| mass as u32));
    let mut call = Call::new(stream, &open.kernels.survey);
    call.memory(&columns);
    call.optional(which.at);
    call.arg(&n).arg(&mass).arg(&most_ids).memory(&found);
    call.start(grid(blocks as u32, sources.len() as u32, THREADS as u32, 1, 0), Start::AfterPrevious)?;
    let found = stream.clone_dtoh(&found).map_err(&memory)?;
    stream.synchronize().map_err(failed("compute"))?;
    Ok(found.chunks_exact(blocks).map(Survey::of).collect())
}

/// Writes the numbers of columns, \[columns\]\[n\].
pub(super) fn take<T: Element>(open: &Open, sources: &[Source], which: Which<'_>, to: &mut CudaSlice<T>) -> Result<()> {
    if which.n == 0 || sources.is_empty() {
        return Ok(());
    }
    debug_assert!(sources.len() * which.n <= to.len());
    let columns = sent(open, sources)?;
    let n = which.n as u32;
    let mut call = Call::new(&open.cuda.stream, &open.kernels.take[usize::from(T::DOUBLE)]);
    call.memory(&columns);
    call.optional(which.at);
    call.arg(&n).memory(to);
    call.start(grid(n.div_ceil(THREADS as u32), sources.len() as u32, THREADS as u32, 1, 0), Start::AfterPrevious)
}

/// Brings the numbers of columns to the host: for messages on what is wrong with them.
pub(super) fn fetch(open: &Open, sources: &[Source], which: Which<'_>) -> Result<Vec<Vec<f64>>> {
    if which.n == 0 || sources.is_empty() {
        return Ok(vec![Vec::new(); sources.len()]);
    }
    let memory = failed("look at columns");
    let mut columns = open.cuda.stream.alloc_zeros::<f64>(sources.len() * which.n).map_err(&memory)?;
    take(open, sources, which, &mut columns)?;
    let all = open.cuda.stream.clone_dtoh(&columns).map_err(&memory)?;
    open.cuda.stream.synchronize().map_err(failed("compute"))?;
    Ok(all.chunks_exact(which.n).map(<[f64]>::to_vec).collect())
}

/// Number `body` of a column.
pub(super) fn number(open: &Open, source: Source, body: usize) -> Result<f64> {
    let at = open.cuda.stream.clone_htod(&[body as u32]).map_err(failed("look at a column"))?;
    let found = fetch(open, &[source], Which { at: Some(&at), n: 1 })?;
    Ok(found.first().and_then(|column| column.first()).copied().unwrap_or(f64::NAN))
}
