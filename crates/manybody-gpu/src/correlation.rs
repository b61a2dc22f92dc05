//! Pairs counted by distance on a device, within one set of points or between two: the counts of
//! [`PairHistogram`], every pair tested, exact.
//!
//! On CUDA every operation is rounded as on the host. On wgpu, too, as long as nothing is subnormal (squares below 1.2e-38),
//! which a driver may flush to zero. A thousand bins are counted at a time; more take further passes over the pairs.

use crate::Number;
use crate::collisions::{PRELUDE, fold, no_double};
use crate::compute::{Access, Buffer, Compiled, Followed, Gpu, Kernel, Rounding, Start, no_watch};
use crate::maps::{DeviceMap, MAPS_CUDA};
use crate::wgpu::repeat::{Counts, expand};
use manybody_law::map::{Triangle, triangular};
use manybody_law::{Error, Result};
use manybody_pairs::{Bins, PairHistogram, Points};
use manybody_pairwise::watch::Watch;

const CUDA: &str = include_str!("kernels/correlation.cu");
const WGSL: &str = include_str!("kernels/correlation.wgsl");

/// Threads of a block, and points i of each.
const THREADS: usize = 128;
const PER_THREAD: usize = 8;
/// Points of a tile.
const TILE: usize = THREADS * PER_THREAD;
/// Blocks of one launch, each of a million pairs: a second of work at most on any GPU.
const BLOCKS: u64 = 1 << 18;
/// On a device that computes on the CPU.
const FEW_BLOCKS: u64 = 1 << 8;
/// Bins that are counted in one pass.
const SLOTS: usize = 1024;
/// Counts in shared memory, and copies of each at most: one for each lane of a warp.
const SHARED: usize = 2048;
const COPIES: usize = 32;
/// Dimensions at most.
const DIMENSIONS: usize = 4;

/// What a kernel is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// Dimensions of the points, 1 to 4.
    pub dimensions: usize,
    /// f64 instead of f32; CUDA only.
    pub double: bool,
    /// Whether distances are those of nearest images.
    pub periodic: bool,
    /// Whether points of two sets meet, or each pair of one.
    pub between: bool,
    /// Bins of a pass, a power of 2 up to 1,024.
    pub slots: usize,
}

impl Form {
    fn copies(self) -> usize {
        (SHARED / self.slots).min(COPIES)
    }
}

/// The kernel.
pub fn kernel(form: Form) -> Kernel {
    let device_map = DeviceMap::of(Triangle::Lambda);
    let [macro_call, call] = device_map.calls();
    let Form { dimensions, double, periodic, between, slots } = form;
    let copies = form.copies();
    let constants = format!(
        "#define REAL_IS_DOUBLE {}\n#define DIMENSIONS {dimensions}\n#define PERIODIC {}\n#define BETWEEN {}\n\
         #define SLOTS {slots}\n#define COPIES {copies}\n#define K {PER_THREAD}\n#define B {THREADS}\n",
        u32::from(double),
        u32::from(periodic),
        u32::from(between)
    );
    let image = if periodic { "d -= opaque(side * round(d * per_side));" } else { "" };
    let square = ["p.x", "p.x + p.y", "p.x + p.y + p.z", "p.x + p.y + p.z + p.w"][dimensions.clamp(1, DIMENSIONS) - 1];
    let cell = if between {
        "let cell = vec2(x / call.w[0].x, x % call.w[0].x);\n    let same = false;".to_owned()
    } else {
        let domain = "let d = Domain(call.w[0].x, call.w[0].y, call.w[0].z, call.w[0].w, call.w[1].x);";
        format!("{domain}\n    let y = 0u;\n    let cell = {call};\n    let same = cell.x == cell.y;")
    };
    let constants_wgsl =
        vec![("SLOTS", slots), ("COPIES", copies), ("COUNTS", slots * copies), ("T", TILE), ("B", THREADS)];
    // a turn of the search halves the slots
    let counts = Counts { unroll: slots.ilog2() as usize, ..Counts::of_threads(PER_THREAD, constants_wgsl) };
    let text = WGSL.replace("$IMAGE", image).replace("$SQUARE", square).replace("$CELL", &cell);
    Kernel {
        cuda: [&constants, PRELUDE, MAPS_CUDA, &macro_call, CUDA].join("\n"),
        wgsl: if double { String::new() } else { format!("{}{}", device_map.wgsl(), expand(&text, &counts)) },
        entry: "correlation",
        block: [THREADS as u32, 1],
        access: vec![Access::Read, Access::Read, Access::Read, Access::Write],
        rounding: Rounding::AsWritten,
    }
}

/// Pairs on a device, to be counted by distance.
pub struct DevicePairs<'a> {
    gpu: &'a Gpu,
    bins: Bins,
    form: Form,
    kernel: Compiled,
    rows: Buffer,
    /// The second set, if there is one.
    columns: Option<Buffer>,
    /// For each pass, the squares of its edges and the box.
    limits: Vec<Buffer>,
    /// Points of each side.
    n: [usize; 2],
    domain: [u32; 5],
    blocks: u64,
    watch: Watch,
}

impl<'a> DevicePairs<'a> {
    /// Brings points to the device: `a` alone for its pairs i < j, or two sets for the pairs of a point of each.
    ///
    /// # Errors
    /// [`Error::Parameter`] for f64 on a device without it, more than four dimensions, two sets or a box that differ in
    /// theirs, edges without [`squares`](Bins::squares), more than 94,905,344 points, or two sets of 2^31 points or 4.5e15 pairs; [`Error::Device`].
    pub fn new<T: Number>(gpu: &'a Gpu, a: &Points<T>, b: Option<&Points<T>>, bins: &Bins) -> Result<Self> {
        let (dimensions, double) = (a.dimensions(), T::BYTES == 8);
        if double && !gpu.has_double() {
            return Err(no_double());
        }
        let wrong = |value: String, expected: String| Err(Error::Parameter { name: "points", value, expected });
        if dimensions > DIMENSIONS {
            let expected = format!("must be up to {DIMENSIONS} dimensions on a device; the CPU takes any number");
            return wrong(format!("{dimensions} dimensions"), expected);
        }
        if let Some(b) = b.filter(|b| b.dimensions() != dimensions) {
            let expected = format!("must be as many as the first set has, {dimensions}");
            return wrong(format!("{} dimensions", b.dimensions()), expected);
        }
        let sides = bins.sides(dimensions)?;
        let n = [a.len(), b.unwrap_or(a).len()];
        let [rows, columns] = n.map(|n| n.div_ceil(TILE) as u64);
        let blocks = if b.is_some() { rows.checked_mul(columns) } else { triangular(rows) };
        let numbered = blocks.filter(|blocks| *blocks <= u64::from(u32::MAX) && n.iter().all(|n| *n < 1 << 31));
        let Some(blocks) = numbered else {
            let [value, expected] = if b.is_some() {
                let most = "must be two sets of less than 2^31 points and at most 4.5e15 pairs on a device";
                [format!("{} and {}", n[0], n[1]), most.into()]
            } else {
                [n[0].to_string(), format!("must be at most {} points on a device", 92_681 * TILE)]
            };
            return wrong(value, expected);
        };
        let slots = bins.count().min(SLOTS).next_power_of_two();
        let form = Form { dimensions, double, periodic: sides.is_some(), between: b.is_some(), slots };
        let limits =
            limits(&bins.squares::<T>()?, sides, slots).into_iter().map(|l| gpu.filled(bytemuck::cast_slice(&l)));
        // the triangle's rows and cells; of two sets only how many tiles the second has
        let domain = if b.is_some() { [columns as u32, 0, 0, 0, 0] } else { [rows as u32, 0, blocks as u32, 0, 32] };
        Ok(DevicePairs {
            gpu,
            bins: bins.clone(),
            form,
            kernel: gpu.compile(&kernel(form))?,
            rows: gpu.filled(bytemuck::cast_slice(&records(a)))?,
            columns: b.map(|b| gpu.filled(bytemuck::cast_slice(&records(b)))).transpose()?,
            limits: limits.collect::<Result<_>>()?,
            n,
            domain,
            blocks,
            watch: no_watch(),
        })
    }

    /// Reports to a watch how far a long computation is, and ends early where that asks for it.
    pub fn watched(self, watch: &Watch) -> Self {
        DevicePairs { watch: watch.clone(), ..self }
    }

    /// How many pairs there are, in a bin or not.
    pub fn pairs(&self) -> u64 {
        let [a, b] = self.n.map(|n| n as u64);
        if self.form.between { a * b } else { triangular(a.saturating_sub(1)).unwrap_or_default() }
    }

    /// The launches of a pass, each with its blocks.
    fn starts<'s>(&'s self, limits: &'s Buffer, totals: &'s Buffer) -> impl Iterator<Item = (Start<'s>, u64)> {
        let at_once = if self.gpu.is_software() { FEW_BLOCKS } else { BLOCKS };
        (0..self.blocks).step_by(at_once as usize).map(move |first| {
            let blocks = at_once.min(self.blocks - first);
            let mut words = self.domain.to_vec();
            words.extend([first as u32, blocks as u32, self.n[0] as u32, self.n[1] as u32]);
            let buffers = vec![&self.rows, self.columns.as_ref().unwrap_or(&self.rows), limits, totals];
            (Start { kernel: &self.kernel, grid: fold(blocks), buffers, words }, blocks)
        })
    }

    /// Counts.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn histogram(&self) -> Result<PairHistogram> {
        let mut counts: Vec<u64> = Vec::with_capacity(self.bins.count());
        let passes = self.limits.len() as u64;
        let mut followed =
            Followed::begin(self.gpu, &self.watch, self.pairs().saturating_mul(passes), passes * self.blocks);
        for limits in &self.limits {
            counts.extend(self.add_to(&vec![0; self.form.slots], limits, &mut followed)?);
        }
        followed.finish()?;
        counts.truncate(self.bins.count());
        let weights = counts.iter().map(|c| *c as f64).collect();
        Ok(PairHistogram { edges: self.bins.edges().to_vec(), counts, weights, total: self.pairs() as f64 })
    }

    /// `totals` and the pairs of the bins of a pass.
    fn add_to(&self, totals: &[u64], limits: &Buffer, followed: &mut Followed<'_>) -> Result<Vec<u64>> {
        let totals = self.gpu.filled(bytemuck::cast_slice(totals))?;
        for (start, blocks) in self.starts(limits, &totals) {
            followed.start(&[start], blocks)?;
        }
        Ok(bytemuck::pod_collect_to_vec(&self.gpu.read(&totals, 8 * self.form.slots as u64)?))
    }

    /// Seconds that the device needs to count once, the mean of `repeats`: kernels alone.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn seconds(&self, repeats: usize) -> Result<f64> {
        let totals = self.gpu.zeros(8 * self.form.slots as u64)?;
        let starts: Vec<Start<'_>> =
            self.limits.iter().flat_map(|limits| self.starts(limits, &totals)).map(|(start, _)| start).collect();
        self.gpu.seconds(&starts, repeats)
    }
}

/// Points padded to whole tiles and to four numbers each.
fn records<T: Number>(points: &Points<T>) -> Vec<T> {
    let mut records = vec![T::default(); 4 * points.len().next_multiple_of(TILE)];
    for d in 0..points.dimensions() {
        records.iter_mut().skip(d).step_by(4).zip(points.column(d)).for_each(|(to, x)| *to = *x);
    }
    records
}

/// For each pass: the squares of the edges at which its bins begin, that of its last edge, the sides and their reciprocals.
fn limits<T: Number>(squares: &[T], sides: Option<&[f64]>, slots: usize) -> Vec<Vec<T>> {
    // a square of differences in f32 is 2e37 at most, and WGSL knows no infinity
    let finite =
        |square: &T| if T::BYTES == 4 { T::from_f64(square.to_f64().min(f64::from(f32::MAX))) } else { *square };
    let squares: Vec<T> = squares.iter().map(finite).collect();
    let last = squares.len() - 1;
    let pass = |first: usize| {
        let end = (first + slots).min(last);
        let mut limits = squares[first..end].to_vec();
        limits.resize(slots + 1, squares[end]);
        let mut sides = sides.unwrap_or_default().to_vec();
        sides.resize(DIMENSIONS, 1.0);
        limits.extend(sides.iter().map(|side| T::from_f64(*side)));
        limits.extend(sides.iter().map(|side| T::from_f64(1.0 / side)));
        limits
    };
    (0..last).step_by(slots).map(pass).collect()
}

/// All pairs i < j of one set of points, counted by distance: the same counts as [`PairHistogram::within`] without weights.
///
/// # Errors
/// As [`DevicePairs::new`] and [`DevicePairs::histogram`].
pub fn within<T: Number>(gpu: &Gpu, points: &Points<T>, bins: &Bins) -> Result<PairHistogram> {
    DevicePairs::new(gpu, points, None, bins)?.histogram()
}

/// The same, followed by a watch.
///
/// # Errors
/// As [`within`], and [`Error::Interrupted`] where the watch asks for an end.
pub fn within_watched<T: Number>(gpu: &Gpu, points: &Points<T>, bins: &Bins, watch: &Watch) -> Result<PairHistogram> {
    DevicePairs::new(gpu, points, None, bins)?.watched(watch).histogram()
}

/// All pairs of a point of one set and a point of another: the same counts as [`PairHistogram::between`] without weights.
///
/// # Errors
/// As [`DevicePairs::new`] and [`DevicePairs::histogram`].
pub fn between<T: Number>(gpu: &Gpu, a: &Points<T>, b: &Points<T>, bins: &Bins) -> Result<PairHistogram> {
    DevicePairs::new(gpu, a, Some(b), bins)?.histogram()
}

/// The same, followed by a watch.
///
/// # Errors
/// As [`between`], and [`Error::Interrupted`] where the watch asks for an end.
pub fn between_watched<T: Number>(
    gpu: &Gpu,
    a: &Points<T>,
    b: &Points<T>,
    bins: &Bins,
    watch: &Watch,
) -> Result<PairHistogram> {
    DevicePairs::new(gpu, a, Some(b), bins)?.watched(watch).histogram()
}

#[cfg(test)]
mod tests {
    use super::*;
    use manybody_law::Device;

    /// Totals have 64 bits: a count that fills the lower word goes on in the upper one.
    #[test]
    fn totals_carry() {
        for device in [Device::Cuda, Device::Wgpu] {
            let Ok(gpu) = Gpu::open(device) else { continue };
            let x: Vec<f32> = (0..3000).map(|k| k as f32).collect();
            let points = Points::from_columns(&[&x]).unwrap();
            // distances 1, 2, 3 and 4 to 9
            let bins = Bins::new(&[1.0, 2.0, 3.0, 4.0, 10.0]).unwrap();
            let pairs = DevicePairs::new(&gpu, &points, None, &bins).unwrap();
            let before = [0, (1 << 32) - 2999, (1 << 32) - 2998, (7 << 32) - 1];
            let mut followed = Followed::begin(&gpu, &pairs.watch, 0, 0);
            let after = pairs.add_to(&before, &pairs.limits[0], &mut followed).unwrap();
            let counted: Vec<u64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
            assert_eq!(counted, [2999, 2998, 2997, (4..10).map(|k| 3000 - k).sum()], "{device}");
        }
    }
}
