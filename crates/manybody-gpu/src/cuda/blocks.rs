//! Block time steps on a CUDA device: a step of the run is one launch.

use super::launch::{Call, Start, grid};
use super::{Cuda, failed, kernels};
use crate::compute::Rounding;
use crate::gravity::frame_of_blocks;
use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUfunction_attribute_enum as FunctionAttribute};
use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr};
use manybody_law::{Error, Result};
use manybody_pairwise::{
    BlockState, BlockStep, BlockWork, Bodies, Coordinates, Frame, Gravity, HermiteOrder, Precision,
};
use std::sync::Arc;

const BLOCKS: &str = include_str!("../kernels/blocks.cu");

/// As blocks.cu has it.
const MAX_LINES: usize = 128;
/// Bytes of a published number.
const CELL: usize = 16;

/// How many thread blocks share the bodies, and of how many threads: from the scheme and the number of bodies alone, so that
/// sums are the same bits on every device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    order: HermiteOrder,
    /// Forces are computed in mixed precision, all else in f64.
    is_mixed: bool,
    pub(super) lines: usize,
    pub(super) threads: usize,
}

impl Shape {
    /// `None` for more bodies than threads, and for f32, for which there is no kernel.
    pub(super) fn of(order: HermiteOrder, precision: Precision, n: usize) -> Option<Self> {
        let is_mixed = match precision {
            Precision::F64 => false,
            Precision::Mixed => true,
            Precision::F32 => return None,
        };
        let lines = (n / 32).next_power_of_two().clamp(1, MAX_LINES);
        let threads = if n < 16_384 { 256 } else { 512 };
        (n > 0 && n.div_ceil(lines) <= threads).then_some(Shape { order, is_mixed, lines, threads })
    }

    /// Numbers that are summed for a target: accelerations, jerks, and snaps.
    fn sums(self) -> usize {
        match self.order {
            HermiteOrder::Fourth => 6,
            HermiteOrder::Sixth => 9,
        }
    }

    /// Numbers of a predicted target that are published.
    fn predicted(self) -> usize {
        match self.order {
            HermiteOrder::Fourth => 7,
            HermiteOrder::Sixth => 10,
        }
    }

    /// Bytes of a body in shared memory.
    fn source_bytes(self) -> usize {
        match (self.order, self.is_mixed) {
            (HermiteOrder::Fourth, true) => 48,
            (HermiteOrder::Fourth, false) | (HermiteOrder::Sixth, true) => 64,
            (HermiteOrder::Sixth, false) => 96,
        }
    }

    /// Parts of sums that shared memory holds, a warp of targets each: four for each warp, or two where that is all the room.
    fn tasks(self) -> usize {
        match self.order {
            HermiteOrder::Fourth => 4 * self.threads / 32,
            HermiteOrder::Sixth => 32,
        }
    }

    /// Bytes of shared memory a thread block needs for n bodies.
    fn shared(self, n: usize) -> usize {
        let most = n.div_ceil(self.lines);
        self.source_bytes() * (most + self.threads) + 8 * self.sums() * (self.tasks() * 32 + most)
    }

    /// Whether a device holds the thread blocks of n bodies at once.
    fn fits(self, cuda: &Cuda, n: usize) -> Result<bool> {
        let limit = |attribute| cuda.context.attribute(attribute).map_err(failed("ask for a limit"));
        let shared = limit(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?.max(0) as usize;
        let together = limit(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? == 1;
        // a thread block fills a multiprocessor, and some more bytes are the kernel's own
        let has_room = self.shared(n) + 4096 <= shared && self.lines <= cuda.processors as usize;
        Ok(together && has_room && cuda.arch >= 80)
    }

    /// The text of the kernel.
    pub(super) fn source(self) -> String {
        let (order, mixed) = (self.order.number(), u32::from(self.is_mixed));
        let (threads, warps, tasks) = (self.threads, self.threads / 32, self.tasks());
        format!(
            "#define ORDER {order}\n#define MIXED {mixed}\n#define THREADS {threads}\n#define WARPS {warps}\n\
             #define TASKS {tasks}\n{BLOCKS}"
        )
    }
}

/// Whether the first of these GPUs makes the blocks of a scheme of so many bodies by itself; where no GPU is named, the first
/// there is.
///
/// # Errors
/// Those of the device.
pub fn has_blocks(ordinals: &[usize], order: HermiteOrder, precision: Precision, n: usize) -> Result<bool> {
    let Some(shape) = Shape::of(order, precision, n) else { return Ok(false) };
    shape.fits(&*Cuda::open_several(first_of(ordinals))?, n)
}

/// Several GPUs have the bits of one: the first makes the blocks.
pub(crate) fn first_of(ordinals: &[usize]) -> &[usize] {
    &ordinals[..ordinals.len().min(1)]
}

/// Bodies on a device whose blocks of steps are made there.
pub(crate) struct CudaBlocks {
    cuda: Arc<Cuda>,
    n: usize,
    shape: Shape,
    kernel: CudaFunction,
    /// Position and its derivatives: \[12\]\[n\] for order 4, \[18\]\[n\] for order 6.
    state: CudaSlice<f64>,
    mass: CudaSlice<f64>,
    half: CudaSlice<f64>,
    levels: CudaSlice<u32>,
    /// What lines publish: headers, predicted targets, and sums.
    headers: CudaSlice<u64>,
    payload: CudaSlice<u64>,
    partial: CudaSlice<u64>,
    /// Blocks, steps of bodies, the last tag, a body whose step is too small, and the time of the last block.
    report: CudaSlice<u64>,
    /// What of the bodies is on the device, if that is known.
    held: Option<Held>,
    last_tag: u64,
}

/// Numbers of bodies on a device: after a step, those that the next one begins with.
struct Held {
    /// State, masses and halves of the squares of softenings, as columns.
    numbers: [Vec<f64>; 3],
    levels: Vec<u32>,
}

impl Held {
    /// Whether these are the same bits.
    fn is(&self, numbers: &[Vec<f64>; 3], levels: &[u32]) -> bool {
        let same = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
        };
        self.levels == levels && self.numbers.iter().zip(numbers).all(same)
    }
}

impl CudaBlocks {
    /// Room for n bodies; `None` for more than the device holds at once.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn new(cuda: Arc<Cuda>, order: HermiteOrder, precision: Precision, n: usize) -> Result<Option<Self>> {
        let Some(shape) = Shape::of(order, precision, n) else { return Ok(None) };
        if !shape.fits(&cuda, n)? {
            return Ok(None);
        }
        cuda.bind()?;
        let module = cuda.load(kernels(&shape.source(), cuda.arch, Rounding::Fast)?)?;
        let kernel = module.load_function("blocks").map_err(failed("find a kernel"))?;
        kernel
            .set_attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shape.shared(n) as i32)
            .map_err(failed("ask for shared memory"))?;
        let (stream, memory) = (&cuda.stream, failed("allocate memory for the bodies"));
        let most = n.div_ceil(shape.lines);
        let numbers = |count: usize| stream.alloc_zeros::<f64>(count).map_err(&memory);
        let cells = |count: usize| stream.alloc_zeros::<u64>(count * CELL / 8).map_err(&memory);
        Ok(Some(CudaBlocks {
            state: numbers(3 * order.derivatives() * n)?,
            mass: numbers(n)?,
            half: numbers(n)?,
            levels: stream.alloc_zeros(n).map_err(&memory)?,
            headers: cells(2 * MAX_LINES * 2)?,
            payload: cells(2 * shape.lines * most * shape.predicted())?,
            partial: cells(n * shape.sums() * shape.lines)?,
            report: stream.alloc_zeros(5).map_err(&memory)?,
            held: None,
            last_tag: 0,
            n,
            shape,
            kernel,
            cuda,
        }))
    }

    /// Whether it is for this scheme and so many bodies.
    pub(crate) fn is_for(&self, order: HermiteOrder, n: usize) -> bool {
        (self.shape.order, self.n) == (order, n)
    }

    /// Brings the bodies to the device, where they are not there. Returns what a step does not change: masses, and halves of
    /// the squares of softenings, in the units of the frame, if there is one.
    fn bring(
        &mut self,
        bodies: &Bodies,
        gravity: &Gravity,
        frame: Option<&Frame>,
        state: &BlockState,
    ) -> Result<[Vec<f64>; 2]> {
        gravity.check()?;
        let (n, stream) = (self.n, &self.cuda.stream);
        let columns: Vec<f64> = state.derivatives.iter().flatten().flatten().copied().collect();
        if columns.len() != 3 * self.shape.order.derivatives() * n || state.levels.len() != n || bodies.len() != n {
            let problem = format!("{} numbers of {n} bodies with block time steps", columns.len());
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
        let levels: Vec<u32> = state.levels.iter().map(|level| u32::from(*level)).collect();
        let numbers = [columns, masses, halves];
        // an error from here on leaves open what is there
        if !self.held.take().is_some_and(|held| held.is(&numbers, &levels)) {
            let transfer = failed("transfer the bodies");
            for (from, to) in numbers.iter().zip([&mut self.state, &mut self.mass, &mut self.half]) {
                stream.memcpy_htod(from, to).map_err(&transfer)?;
            }
            stream.memcpy_htod(&levels, &mut self.levels).map_err(&transfer)?;
        }
        let [_, masses, halves] = numbers;
        Ok([masses, halves])
    }

    /// Makes a step of the run.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn step(
        &mut self,
        bodies: &Bodies,
        gravity: &Gravity,
        step: &BlockStep,
        state: &mut BlockState,
    ) -> Result<BlockWork> {
        self.cuda.bind()?;
        let frame = self.shape.is_mixed.then(|| frame_of_blocks(bodies, gravity, step.order)).transpose()?;
        let constant = self.bring(bodies, gravity, frame.as_ref(), state)?;
        let frame = frame.as_ref().map(Units::of);
        let CudaBlocks { cuda, n, shape, kernel, headers, payload, partial, report, .. } = self;
        let (stream, n) = (cuda.stream.clone(), *n);
        stream.memcpy_htod(&[0, 0, self.last_tag, u64::MAX, 0], report).map_err(failed("transfer the bodies"))?;
        let unit = step.dt / (1_u64 << 52) as f64;
        let (eta2, [top, bottom]) = (step.eta * step.eta, step.levels.map(i32::from));
        let (count, limited) = (n as u32, u32::from(step.is_limited));
        let mut call = Call::new(&stream, kernel);
        call.memory(&self.state).memory(&self.mass).memory(&self.half).memory(&self.levels).arg(&count).arg(&unit);
        call.arg(&eta2).arg(&top).arg(&bottom).arg(&limited);
        call.memory(headers).memory(payload).memory(partial).memory(report);
        if let Some(frame) = &frame {
            call.arg(frame);
        }
        let launch = grid(shape.lines as u32, 1, shape.threads as u32, 1, shape.shared(n));
        // SAFETY: the arguments are those of `blocks`, and its memory is of the sizes that it computes from n and the grid
        unsafe { call.launch(launch, Start::Together) }.map_err(failed("start a kernel"))?;
        let compute = failed("compute");
        let columns = stream.clone_dtoh(&self.state).map_err(&compute)?;
        let levels = stream.clone_dtoh(&self.levels).map_err(&compute)?;
        let report = stream.clone_dtoh(&self.report).map_err(&compute)?;
        stream.synchronize().map_err(&compute)?;
        for (to, from) in state.derivatives.iter_mut().flatten().zip(columns.chunks_exact(n)) {
            to.copy_from_slice(from);
        }
        state.levels.iter_mut().zip(&levels).for_each(|(to, from)| *to = *from as u8);
        let [masses, halves] = constant;
        self.held = Some(Held { numbers: [columns, masses, halves], levels });
        self.last_tag = report[2];
        let too_deep = (report[3] != u64::MAX).then_some((report[3] as usize, report[4]));
        Ok(BlockWork { blocks: report[0], body_steps: report[1], too_deep })
    }
}

/// A frame as blocks.cu has it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
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
    use super::{Held, HermiteOrder, Precision, Shape, first_of};

    /// What is on the device serves only where each bit is the same.
    #[test]
    fn changed_bodies_are_sent_again() {
        let numbers = || [vec![1.0, f64::NAN], vec![0.5, 0.0], vec![2.0, 3.0]];
        let held = Held { numbers: numbers(), levels: vec![1, 2] };
        assert!(held.is(&numbers(), &[1, 2]));
        assert!(!held.is(&numbers(), &[1, 3]) && !held.is(&numbers(), &[1]));
        for column in 0..3 {
            let mut other = numbers();
            other[column][1] = -other[column][1];
            assert!(!held.is(&other, &[1, 2]), "{column}");
            other[column].pop();
            assert!(!held.is(&other, &[1, 2]), "{column}");
        }
    }

    #[test]
    fn the_first_of_several_gpus_makes_the_blocks() {
        assert_eq!((first_of(&[]), first_of(&[3, 1])), (&[][..], &[3][..]));
    }

    #[test]
    fn a_thread_has_one_body_at_most() {
        let kinds = [
            (HermiteOrder::Fourth, Precision::F64),
            (HermiteOrder::Fourth, Precision::Mixed),
            (HermiteOrder::Sixth, Precision::F64),
            (HermiteOrder::Sixth, Precision::Mixed),
        ];
        for (order, precision) in kinds {
            for n in [1, 2, 31, 32, 33, 1000, 1024, 4096, 16_383, 16_384, 50_001, 65_536] {
                let shape = Shape::of(order, precision, n).unwrap();
                assert!(shape.lines <= 128 && n.div_ceil(shape.lines) <= shape.threads, "{n}: {shape:?}");
                // H100 and H200 have 227 KiB, of which the kernel takes some by itself
                assert!(shape.shared(n) < 220 << 10, "{n}: {shape:?}");
            }
            assert_eq!((Shape::of(order, precision, 0), Shape::of(order, precision, 65_537)), (None, None));
        }
        assert_eq!(Shape::of(HermiteOrder::Fourth, Precision::F32, 100), None);
    }
}
