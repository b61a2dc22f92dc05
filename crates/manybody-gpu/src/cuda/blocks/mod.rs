//! Block time steps on a CUDA device: all blocks of a step of the run are made there.

pub(super) mod lines;
mod one_launch;
pub(super) mod replicas;
pub(super) mod three_kernels;

use super::{Cuda, failed};
use crate::gravity::frame_of_blocks;
use bytemuck::NoUninit;
use cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
use manybody_law::{Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{
    BlockState, BlockStep, BlockWork, Bodies, Coordinates, Frame, Gravity, HermiteOrder, Precision,
};
use one_launch::OneLaunch;
use std::sync::Arc;
use three_kernels::ThreeKernels;

const SHARED: &str = include_str!("../../kernels/blocks.cuh");

/// A scheme, and the precision of its forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scheme {
    pub(super) order: HermiteOrder,
    /// Forces are computed in mixed precision, all else in f64.
    pub(super) is_mixed: bool,
}

impl Scheme {
    /// `None` for f32, for which there is no kernel.
    pub(super) fn of(order: HermiteOrder, precision: Precision) -> Option<Self> {
        let is_mixed = match precision {
            Precision::F64 => false,
            Precision::Mixed => true,
            Precision::F32 => return None,
        };
        Some(Scheme { order, is_mixed })
    }

    /// Those there are.
    #[cfg(test)]
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let precisions = [Precision::F64, Precision::Mixed];
        let of = move |order| precisions.into_iter().filter_map(move |precision| Scheme::of(order, precision));
        [HermiteOrder::Fourth, HermiteOrder::Sixth, HermiteOrder::ThreePoint].into_iter().flat_map(of)
    }

    /// Whether there are kernels that make all blocks of a step of the run in one launch.
    fn is_in_one_launch(self) -> bool {
        self.order != HermiteOrder::ThreePoint
    }

    /// Those of them that are.
    #[cfg(test)]
    pub(super) fn in_one_launch() -> impl Iterator<Item = Self> {
        Scheme::all().filter(|scheme| scheme.is_in_one_launch())
    }

    /// Numbers that are summed for a target: accelerations, jerks, and snaps.
    fn sums(self) -> usize {
        if self.order.has_snaps() { 9 } else { 6 }
    }

    /// Bytes of a body as a source.
    fn source_bytes(self) -> usize {
        match (self.order.has_snaps(), self.is_mixed) {
            (false, true) => 48,
            (false, false) | (true, true) => 64,
            (true, false) => 96,
        }
    }

    /// What is ahead of the text of a kernel.
    fn prelude(self) -> String {
        let [snaps, mixed] = [self.order.has_snaps(), self.is_mixed].map(u32::from);
        let first_eta2 = (HermiteOrder::Fourth.default_eta() / self.order.default_eta()).powi(2);
        format!(
            "#define ORDER {}\n#define SNAPS {snaps}\n#define MIXED {mixed}\n#define FIRST_ETA2 {first_eta2:e}\n{SHARED}",
            self.order.number()
        )
    }
}

/// Whether a GPU, the first of these, makes the blocks of a scheme of so many bodies by itself; where no GPU is named, the first
/// there is. Others may share them.
///
/// # Errors
/// Those of the device.
pub fn has_blocks(ordinals: &[usize], order: HermiteOrder, precision: Precision, n: usize) -> Result<bool> {
    if Scheme::of(order, precision).is_none() || !is_size(n) {
        return Ok(false);
    }
    Cuda::open_several(first_of(ordinals)).map(|_| true)
}

fn first_of(ordinals: &[usize]) -> &[usize] {
    &ordinals[..ordinals.len().min(1)]
}

/// From so many bodies on several GPUs share blocks. Those of fewer take less time than GPUs need to wait for each other (an estimate). Sums
/// are cut in another way from there on, whatever the number of GPUs.
const SHARED_FROM: usize = 100_000;

/// Which GPUs make the blocks of so many bodies: of few the first one by itself. Any number of them has the bits of one.
pub(crate) fn sharing(ordinals: &[usize], n: usize) -> &[usize] {
    if n < SHARED_FROM { first_of(ordinals) } else { ordinals }
}

/// Whether kernels number so many bodies.
fn is_size(n: usize) -> bool {
    (1..=1 << 30).contains(&n)
}

/// Bodies on a device.
struct OnDevice {
    n: usize,
    /// Position and its derivatives: \[12\]\[n\] for order 4, \[18\]\[n\] for order 6.
    state: CudaSlice<f64>,
    mass: CudaSlice<f64>,
    half: CudaSlice<f64>,
    levels: CudaSlice<u32>,
    /// Of three points the last steps.
    before: Option<CudaSlice<f64>>,
}

impl OnDevice {
    /// Room for n bodies.
    fn new(cuda: &Cuda, scheme: Scheme, n: usize) -> Result<Self> {
        cuda.bind()?;
        let (stream, memory) = (&cuda.stream, failed("allocate memory for the bodies"));
        let numbers = |count: usize| stream.alloc_zeros::<f64>(count).map_err(&memory);
        Ok(OnDevice {
            n,
            state: numbers(3 * scheme.order.derivatives() * n)?,
            mass: numbers(n)?,
            half: numbers(n)?,
            levels: stream.alloc_zeros(n).map_err(&memory)?,
            before: (scheme.order == HermiteOrder::ThreePoint).then(|| numbers(n)).transpose()?,
        })
    }
}

/// How the blocks are made.
enum Way {
    OneLaunch(OneLaunch),
    ThreeKernels(Box<ThreeKernels>),
}

/// Bodies on a device whose blocks of steps are made there.
pub(crate) struct CudaBlocks {
    cuda: Arc<Cuda>,
    scheme: Scheme,
    bodies: OnDevice,
    way: Way,
    held: Held,
}

/// Numbers of bodies that are on a device: after a step, those that the next one begins with. Empty where it is not known what is there.
#[derive(Default)]
struct Held {
    /// As [`OnDevice`] has it.
    state: Vec<f64>,
    mass: Vec<f64>,
    half: Vec<f64>,
    levels: Vec<u32>,
    before: Vec<f64>,
}

/// Whether these are the same bits.
fn are_same<T: NoUninit>(a: &[T], b: &[T]) -> bool {
    bytemuck::cast_slice::<T, u8>(a) == bytemuck::cast_slice::<T, u8>(b)
}

/// Sends numbers to a device, where others are there.
fn send<T: NoUninit + DeviceRepr>(
    stream: &Arc<CudaStream>,
    numbers: Vec<T>,
    there: &mut CudaSlice<T>,
    held: &mut Vec<T>,
) -> Result<()> {
    if !are_same(&numbers, held) {
        stream.memcpy_htod(&numbers, there).map_err(failed("transfer the bodies"))?;
        *held = numbers;
    }
    Ok(())
}

impl CudaBlocks {
    /// Room for n bodies; `None` where no kernel makes their blocks.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn new(cuda: Arc<Cuda>, order: HermiteOrder, precision: Precision, n: usize) -> Result<Option<Self>> {
        let Some(scheme) = Scheme::of(order, precision).filter(|_| is_size(n)) else { return Ok(None) };
        cuda.bind()?;
        let way = match replicas::new(&cuda, scheme, n)? {
            Some(replicas) => Some(replicas),
            None => lines::new(&cuda, scheme, n)?,
        };
        let way = match way {
            Some(one) => Way::OneLaunch(one),
            None => Way::ThreeKernels(Box::new(ThreeKernels::new(&cuda, scheme, n)?)),
        };
        Self::of(cuda, scheme, n, way).map(Some)
    }

    /// Room for n bodies whose blocks are made in this way.
    fn of(cuda: Arc<Cuda>, scheme: Scheme, n: usize, way: Way) -> Result<Self> {
        let bodies = OnDevice::new(&cuda, scheme, n)?;
        Ok(CudaBlocks { cuda, scheme, bodies, way, held: Held::default() })
    }

    /// Whether it is for this scheme and so many bodies.
    pub(crate) fn is_for(&self, order: HermiteOrder, n: usize) -> bool {
        (self.scheme.order, self.bodies.n) == (order, n)
    }

    /// Brings the bodies to the device, where they are not there. Masses, and halves of the squares of softenings, are in the units
    /// of the frame, if there is one.
    fn bring(
        &mut self,
        bodies: &Bodies,
        gravity: &Gravity,
        frame: Option<&Frame>,
        state: &BlockState,
        held: &mut Held,
    ) -> Result<()> {
        gravity.check()?;
        let (n, stream) = (self.bodies.n, &self.cuda.stream);
        let columns = || state.derivatives.iter().flatten();
        let count = columns().map(Vec::len).sum::<usize>();
        let is_known = self.bodies.before.is_none() || state.before.len() == n;
        if count != 3 * self.scheme.order.derivatives() * n || [state.levels.len(), bodies.len()] != [n; 2] || !is_known
        {
            let problem = format!("{count} numbers of {n} bodies with block time steps");
            return Err(Error::Device { device: "cuda", problem });
        }
        let (masses, halves): (Vec<f64>, Vec<f64>) = match frame {
            None => {
                let least = gravity.least_eps2(bodies);
                let masses = bodies.mass.iter().map(|mass| mass * gravity.g).collect();
                (masses, (0..n).map(|k| gravity.half_eps2(bodies, k, least)).collect())
            }
            Some(frame) => {
                // as f32 they have room in f64
                let column = |field| {
                    let mut column = vec![0.0_f32; n];
                    frame.write(bodies, gravity, Coordinates::PhaseSpace, field, &mut column);
                    column.into_iter().map(f64::from).collect()
                };
                (column(6), column(7))
            }
        };
        let there = &mut self.bodies;
        if held.state.len() != count || !columns().zip(held.state.chunks_exact(n)).all(|(a, b)| are_same(a, b)) {
            held.state.clear();
            columns().for_each(|column| held.state.extend_from_slice(column));
            stream.memcpy_htod(&held.state, &mut there.state).map_err(failed("transfer the bodies"))?;
        }
        send(stream, masses, &mut there.mass, &mut held.mass)?;
        send(stream, halves, &mut there.half, &mut held.half)?;
        if let Some(before) = &mut there.before {
            send(stream, state.before.clone(), before, &mut held.before)?;
        }
        let levels = state.levels.iter().map(|level| u32::from(*level)).collect();
        send(stream, levels, &mut there.levels, &mut held.levels)
    }

    /// Makes a step of the run.
    ///
    /// # Errors
    /// Those of the device, and [`Error::Interrupted`], with nothing changed, where the watch asks for an end and a step is more than one
    /// launch.
    pub(crate) fn step(
        &mut self,
        bodies: &Bodies,
        gravity: &Gravity,
        step: &BlockStep,
        state: &mut BlockState,
        watch: &Watch,
    ) -> Result<BlockWork> {
        self.cuda.bind()?;
        let frame = self.scheme.is_mixed.then(|| frame_of_blocks(bodies, gravity, step.order)).transpose()?;
        // after an error it is not known what is there
        let mut held = std::mem::take(&mut self.held);
        self.bring(bodies, gravity, frame.as_ref(), state, &mut held)?;
        let frame = frame.as_ref().map(Units::of);
        let there = &self.bodies;
        let work = match &mut self.way {
            Way::OneLaunch(one) => one.step(&self.cuda, there, step, frame.as_ref())?,
            Way::ThreeKernels(three) => {
                let deepest = state.levels.iter().copied().max().unwrap_or(0);
                three.step(&self.cuda, there, step, deepest, frame.as_ref(), watch)?
            }
        };
        let (stream, compute) = (&self.cuda.stream, failed("compute"));
        stream.memcpy_dtoh(&there.state, &mut held.state).map_err(&compute)?;
        stream.memcpy_dtoh(&there.levels, &mut held.levels).map_err(&compute)?;
        if let Some(before) = &there.before {
            stream.memcpy_dtoh(before, &mut held.before).map_err(&compute)?;
        }
        stream.synchronize().map_err(&compute)?;
        for (to, from) in state.derivatives.iter_mut().flatten().zip(held.state.chunks_exact(there.n)) {
            to.copy_from_slice(from);
        }
        state.levels.iter_mut().zip(&held.levels).for_each(|(to, from)| *to = *from as u8);
        if there.before.is_some() {
            state.before.clone_from(&held.before);
        }
        self.held = held;
        Ok(work)
    }
}

/// Blocks and steps of bodies, a body whose step is too small (or all bits), and the time of the last block.
fn work([blocks, body_steps, short, time]: [u64; 4]) -> BlockWork {
    BlockWork { blocks, body_steps, too_deep: (short != u64::MAX).then_some((short as usize, time)) }
}

/// The time of a tick, as blocks.cuh has it.
fn tick(step: &BlockStep) -> f64 {
    step.dt / (1_u64 << 52) as f64
}

/// A frame as blocks.cuh has it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Units {
    origin: [f64; 3],
    per_length: f64,
    drift: [f64; 3],
    per_velocity: f64,
    per_motion: f64,
    /// Of accelerations, jerks and snaps.
    sums: [f64; 3],
}

// SAFETY: twelve numbers, as the kernel's record
unsafe impl DeviceRepr for Units {}

impl Units {
    fn of(frame: &Frame) -> Self {
        let [length, velocity, _, x, y, z, vx, vy, vz] = frame.numbers();
        Units {
            origin: [x, y, z],
            per_length: length.recip(),
            drift: [vx, vy, vz],
            per_velocity: velocity.recip(),
            per_motion: frame.motion().recip(),
            sums: [frame.acceleration(), frame.jerk(), frame.snap()],
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout)] // what is skipped is said

    use super::three_kernels::ThreeKernels;
    use super::{CudaBlocks, SHARED_FROM, Scheme, Way, are_same, lines, replicas, sharing};
    use crate::cuda::tests::device;
    use crate::cuda::{Cuda, count};
    use manybody_law::Error;
    use manybody_pairwise::watch::Watch;
    use manybody_pairwise::{BlockState, BlockStep, BlockWork, Bodies, Gravity, HermiteOrder};
    use std::sync::Arc;

    /// What is on the device serves only where each bit is the same.
    #[test]
    fn changed_numbers_are_others() {
        let numbers = [1.0, f64::NAN, 0.0];
        assert!(are_same(&numbers, &numbers) && !are_same(&numbers, &numbers[..2]) && !are_same(&numbers, &[]));
        for place in 0..numbers.len() {
            let mut other = numbers;
            other[place] = -other[place];
            assert!(!are_same(&numbers, &other), "{place}");
        }
        assert!(are_same(&[1_u32, 2], &[1, 2]) && !are_same(&[1_u32, 2], &[1, 3]));
    }

    #[test]
    fn the_first_of_several_gpus_makes_the_blocks_of_few_bodies() {
        for (few, all) in [(&[][..], &[][..]), (&[3], &[3, 1])] {
            assert_eq!(sharing(few, SHARED_FROM - 1), few);
            assert_eq!(sharing(all, SHARED_FROM), all);
        }
        assert_eq!(sharing(&[3, 1], SHARED_FROM - 1), [3]);
    }

    /// Bodies at random places of a cube of volume n, with their accelerations; derivatives beyond these are 0.
    fn start(order: HermiteOrder, n: usize) -> (Bodies, BlockState) {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let (mut bodies, size) = (Bodies::default(), (n as f64).cbrt());
        for _ in 0..n {
            bodies.push(
                1.0 + random(),
                [random(), random(), random()].map(|x| x * size),
                [random(), random(), random()],
            );
        }
        let mut derivatives = vec![[vec![0.0; n], vec![0.0; n], vec![0.0; n]]; order.derivatives()];
        derivatives[0] = [bodies.x.clone(), bodies.y.clone(), bodies.z.clone()];
        derivatives[1] = [bodies.vx.clone(), bodies.vy.clone(), bodies.vz.clone()];
        let pull = |i: usize, j: usize| {
            let d = [0, 1, 2].map(|q| bodies.position(j)[q] - bodies.position(i)[q]);
            d.map(|x| bodies.mass[j] * x / (d.iter().map(|x| x * x).sum::<f64>() + EPS * EPS).powf(1.5))
        };
        let sum =
            |i: usize| (0..n).map(|j| pull(i, j)).fold([0.0; 3], |sum: [f64; 3], a| [0, 1, 2].map(|q| sum[q] + a[q]));
        let accelerations: Vec<[f64; 3]> = (0..n).map(sum).collect();
        for (q, column) in derivatives[2].iter_mut().enumerate() {
            column.iter_mut().zip(&accelerations).for_each(|(to, a)| *to = a[q]);
        }
        let levels = (0..n).map(|k| 3 + (k % 4) as u8).collect();
        (bodies, BlockState { derivatives, levels, before: vec![0.0; n] })
    }

    const EPS: f64 = 0.25;

    /// Steps of a run, and what was made.
    fn made(mut blocks: CudaBlocks, n: usize, levels: [u8; 2], dt: f64) -> (BlockState, Vec<BlockWork>) {
        let order = blocks.scheme.order;
        let (mut bodies, mut state) = start(order, n);
        let step = BlockStep { order, dt, eta: 0.1, levels, is_limited: false };
        let mut work = Vec::new();
        for _ in 0..2 {
            let gravity = Gravity::new(1.0, EPS);
            work.push(blocks.step(&bodies, &gravity, &step, &mut state, &Watch::default()).unwrap());
            [bodies.x, bodies.y, bodies.z] = state.derivatives[0].clone();
            [bodies.vx, bodies.vy, bodies.vz] = state.derivatives[1].clone();
            // what a collision, an escape or a kick may change between steps
            let last = n - 1;
            bodies.mass[0] *= 1.25;
            bodies.vy[last] += 0.01;
            state.derivatives[1][1][last] = bodies.vy[last];
            state.levels[n / 2] = (state.levels[n / 2] + 1).min(levels[1]);
        }
        (state, work)
    }

    /// Several GPUs, or one under several numbers, that share the sums of blocks: the bits of one.
    #[test]
    fn any_number_of_gpus_makes_the_same_steps() {
        let Some(one) = device() else { return };
        let mut lists = vec![vec![0; 2], vec![0; 3], vec![0; 8]];
        lists.extend((count() > 1).then(|| vec![1, 0]));
        for scheme in Scheme::all() {
            // fewer tasks than GPUs, words of the list that are not full
            for n in [1, 33, 2049] {
                let of = |cuda: &Arc<Cuda>, shares: bool| {
                    let three = ThreeKernels::of(cuda, scheme, n, shares).unwrap();
                    assert_eq!(three.gpus(), if shares { 1 + cuda.others.len() } else { 1 });
                    CudaBlocks::of(cuda.clone(), scheme, n, Way::ThreeKernels(Box::new(three))).unwrap()
                };
                // with steps of 1/8 at least some body needs a shorter one, and no block follows
                let [long, short] = [([0, 40], 0.25), ([0, 6], 8.0)];
                let expected = [long, short].map(|(levels, dt)| made(of(&one, false), n, levels, dt));
                // (eight are slow on one GPU)
                for list in lists.iter().filter(|list| list.len() < 8 || n == 33) {
                    let (several, what) = (Cuda::open_several(list).unwrap(), format!("{scheme:?} {n} {list:?}"));
                    assert!(several.is_joined().unwrap(), "{what}: they do not reach each other's memory");
                    for ((levels, dt), expected) in [long, short].into_iter().zip(&expected) {
                        assert!(made(of(&several, true), n, levels, dt) == *expected, "{what} {dt}: other bits");
                    }
                    assert!(
                        made(of(&several, false), n, long.0, long.1) == expected[0],
                        "{what}: other bits of the first"
                    );
                    // an end that is asked for, after which all may begin again
                    let mut blocks = of(&several, true);
                    let (watch, (bodies, mut state)) = (Watch::default(), start(scheme.order, n));
                    watch.hear(true);
                    watch.stop();
                    let step =
                        BlockStep { order: scheme.order, dt: long.1, eta: 0.1, levels: long.0, is_limited: false };
                    let end = blocks.step(&bodies, &Gravity::new(1.0, EPS), &step, &mut state, &watch);
                    assert!(n < 33 || matches!(end, Err(Error::Interrupted)), "{what}: {end:?}");
                    assert!(made(blocks, n, long.0, long.1) == expected[0], "{what}: other bits after an interruption");
                }
            }
        }
    }

    /// One launch a step, of either kind, and three kernels a block: the same steps, the same numbers but for rounding, and the same
    /// bits every time.
    #[test]
    fn all_ways_make_the_same_steps() {
        let Some(cuda) = device() else { return };
        for scheme in Scheme::in_one_launch() {
            // tiles and lists that are not full, one target a lane, two and four; one body of a thread and several, one thread block and
            // clusters, one with a thread block that has no bodies
            for n in [1, 2, 33, 128, 129, 2049, 5000] {
                let of = |way| CudaBlocks::of(cuda.clone(), scheme, n, way).unwrap();
                let three = || of(Way::ThreeKernels(Box::new(ThreeKernels::new(&cuda, scheme, n).unwrap())));
                let one_launch = |k: usize, tag: u32| {
                    let new = [replicas::new, lines::new][k];
                    new(&cuda, scheme, n).unwrap().map(|one| of(Way::OneLaunch(one.with_last_tag(tag))))
                };
                let (of_three, work_of_three) = made(three(), n, [0, 40], 0.25);
                let short_of_three = made(three(), n, [0, 6], 8.0).1;
                let [all, again, short] =
                    [0, u32::MAX, 7].map(|tag| [Some(three()), one_launch(0, tag), one_launch(1, tag)]);
                for (way, ((all, again), short)) in all.into_iter().zip(again).zip(short).enumerate() {
                    let what = format!("{scheme:?} {n} {way}");
                    let (Some(all), Some(again), Some(short)) = (all, again, short) else {
                        println!("skipped: {what}: a device without room for it");
                        continue;
                    };
                    let (found, work) = made(all, n, [0, 40], 0.25);
                    assert!(made(again, n, [0, 40], 0.25) == (found.clone(), work.clone()), "{what}: other bits");
                    let is_whole = |work: &BlockWork| work.too_deep.is_none() && work.body_steps >= n as u64;
                    assert!(work.iter().all(is_whole), "{what}: {work:?}");
                    for (a, b) in work.iter().zip(&work_of_three) {
                        // rounding moves a step here and there to another level
                        let near = |a: u64, b: u64| (a as f64 / b as f64 - 1.0).abs() < 0.01;
                        assert!(near(a.blocks, b.blocks) && near(a.body_steps, b.body_steps), "{what}: {a:?} {b:?}");
                    }
                    // half a unit of time, four crossings of a softening, multiplies roundings of accelerations, 1e-16 and 1e-7, by
                    // some hundreds, more where bodies meet
                    let most = if scheme.is_mixed { 1e-4 } else { 1e-12 };
                    let columns = |state: &BlockState| -> Vec<f64> {
                        state.derivatives[..2].iter().flatten().flatten().copied().collect()
                    };
                    let (found, expected) = (columns(&found), columns(&of_three));
                    let mut off: Vec<f64> = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).collect();
                    off.sort_by(f64::total_cmp);
                    let p99 = off[(off.len() * 99).div_ceil(100) - 1];
                    assert!(p99 < most * (n as f64).cbrt(), "{what}: {p99:e}");
                    // steps of 1/8 at least: some body needs a shorter one, and no block follows
                    if n >= 33 {
                        let short = made(short, n, [0, 6], 8.0).1;
                        assert!(short[0].too_deep.is_some(), "{what}: {short:?}");
                        assert!(
                            scheme.is_mixed || short[0] == short_of_three[0],
                            "{what}: {short:?} {short_of_three:?}"
                        );
                    }
                }
            }
        }
    }
}
