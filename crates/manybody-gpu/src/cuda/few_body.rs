//! Systems of few bodies by algorithmic regularisation on a CUDA device, one a thread.
//!
//! Who calls this links and unlinks bodies: a system is the links of its chain here. It gets the bits of the engine on a CPU, for the
//! kernel has the same operations in the same order. A launch makes some attempts at steps for each system that is still on its
//! way; between launches these are listed, and the caller is asked whether to go on.

use super::arrays::Bound;
use super::launch::{Call, Start, grid};
use super::{Cuda, failed, kernels};
use crate::compute::Rounding;
use cudarc::driver::{CudaFunction, CudaSlice};
use manybody_law::{Error, Result};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

const KERNEL: &str = include_str!("../kernels/few_body.cu");

/// As few_body.cu has it.
const THREADS: u32 = 32;

/// How many bodies a system may have.
pub const BODIES: RangeInclusive<usize> = 2..=8;

/// The tolerance at which a time is met to a quarter of a unit in its last place.
const TOLERANCE: f64 = 1e-15;

/// A launch makes so many attempts at first, and at most; and takes so long, if the number of attempts can be chosen so.
const FIRST: u32 = 16;
const MOST: u32 = 1 << 14;
const LONG: Duration = Duration::from_millis(100);

/// What has become of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// It is on its way.
    Active = 0,
    /// It has come to the end.
    Done = 1,
    /// No step is short enough: two bodies collide.
    Collision = 2,
}

/// Systems that all have the same number of bodies, in the layout of the kernel: fields of all systems, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct FewBodySystems {
    /// Of each system.
    pub bodies: usize,
    /// How many there are.
    pub systems: usize,
    /// `[Fields::numbers(), systems]`
    pub numbers: Vec<f64>,
    /// `[Fields::control(), systems]`
    pub control: Vec<i32>,
}

/// Where the fields of a system are, for so many bodies: number `field * systems + system`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields(pub usize);

impl Fields {
    /// The mass of a body, in the caller's order.
    pub fn mass(self, body: usize) -> usize {
        body
    }

    /// Half the square of the softening length of a body, in the caller's order: those of a pair are added.
    pub fn half_eps2(self, body: usize) -> usize {
        self.0 + body
    }

    /// The higher part of a number of a link: three of the separation from one body of the chain to the next, three of the relative
    /// velocity. The lower part follows.
    pub fn link(self, link: usize, number: usize) -> usize {
        2 * self.0 + 12 * link + 2 * number
    }

    /// The higher part of the time, 0 where an advance begins. The lower part follows.
    pub fn time(self) -> usize {
        self.link(self.0 - 1, 0)
    }

    /// B = U - T in the frame of the centre of mass; it stays as it is.
    pub fn binding(self) -> usize {
        self.time() + 2
    }

    /// The next step in s; NaN where it is not known.
    pub fn natural(self) -> usize {
        self.time() + 3
    }

    /// How many fields of numbers there are. The last two are the kernel's, the step that is tried and ds/dt where it begins.
    pub fn numbers(self) -> usize {
        self.time() + 6
    }

    /// Which body has this place in the chain.
    pub fn chain(self, place: usize) -> usize {
        place
    }

    /// Which attempt at a step is next; 0 where an advance begins.
    pub fn tries(self) -> usize {
        self.0
    }

    /// A [`Status`]; systems that are not active stay as they are.
    pub fn status(self) -> usize {
        self.0 + 1
    }

    /// How often all forces were evaluated, added to what is there; modulo 2^32.
    pub fn evaluations(self) -> usize {
        self.0 + 2
    }

    /// How many steps were made, added to what is there.
    pub fn steps(self) -> usize {
        self.0 + 3
    }

    /// How many fields of control there are.
    pub fn control(self) -> usize {
        self.0 + 4
    }
}

impl FewBodySystems {
    /// Systems whose fields are 0: all are active, and an advance begins.
    pub fn new(bodies: usize, systems: usize) -> Self {
        let fields = Fields(bodies);
        let (numbers, control) = (vec![0.0; fields.numbers() * systems], vec![0; fields.control() * systems]);
        FewBodySystems { bodies, systems, numbers, control }
    }

    /// Where their fields are.
    pub fn fields(&self) -> Fields {
        Fields(self.bodies)
    }

    /// A number of a system.
    pub fn number(&mut self, field: usize, system: usize) -> &mut f64 {
        &mut self.numbers[field * self.systems + system]
    }

    /// An integer of a system.
    pub fn integer(&mut self, field: usize, system: usize) -> &mut i32 {
        &mut self.control[field * self.systems + system]
    }

    /// What has become of a system.
    pub fn status(&self, system: usize) -> Status {
        match self.control[self.fields().status() * self.systems + system] {
            0 => Status::Active,
            1 => Status::Done,
            _ => Status::Collision,
        }
    }

    /// # Errors
    /// [`Error::Parameter`] for systems that the kernel cannot read.
    fn check(&self) -> Result<()> {
        check_bodies(self.bodies)?;
        let (fields, systems) = (self.fields(), self.systems);
        let lengths = (self.numbers.len(), self.control.len());
        if lengths != (fields.numbers() * systems, fields.control() * systems) || i32::try_from(systems).is_err() {
            let expected = format!("{} numbers and {} integers cannot be so many", lengths.0, lengths.1);
            return Err(Error::Parameter { name: "systems", value: systems.to_string(), expected });
        }
        // the kernel has its bodies by these
        let n = self.bodies as i32;
        if let Some(wrong) = self.control[..self.bodies * systems].iter().find(|body| !(0..n).contains(*body)) {
            let expected = format!("must be one of {n} bodies");
            return Err(Error::Parameter { name: "chain", value: wrong.to_string(), expected });
        }
        Ok(())
    }
}

fn check_bodies(bodies: usize) -> Result<()> {
    if BODIES.contains(&bodies) {
        return Ok(());
    }
    let expected = format!("systems of {} to {} bodies are advanced on a GPU", BODIES.start(), BODIES.end());
    Err(Error::Parameter { name: "bodies", value: bodies.to_string(), expected })
}

/// The text of the kernel for so many bodies.
pub(super) fn source(bodies: usize) -> String {
    format!("#define BODIES {bodies}\n{KERNEL}")
}

/// The kernel for systems of one number of bodies, on a device.
pub struct FewBodyKernel {
    cuda: Arc<Cuda>,
    // taken when it is dropped
    kernel: Option<CudaFunction>,
    bodies: usize,
}

impl FewBodyKernel {
    /// On device `index`.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a number of bodies that is not among [`BODIES`]; [`Error::NoDevice`] if there is no such GPU, or no
    /// NVRTC; [`Error::Device`].
    pub fn open(index: usize, bodies: usize) -> Result<Self> {
        check_bodies(bodies)?;
        let (cuda, _before) = Bound::opening(index)?;
        Self::of(cuda, bodies)
    }

    /// On a device that is open.
    fn of(cuda: Arc<Cuda>, bodies: usize) -> Result<Self> {
        let module = cuda.load(kernels(&source(bodies), cuda.arch, Rounding::AsWritten)?)?;
        let kernel = Some(module.load_function("advance").map_err(failed("find a kernel"))?);
        Ok(FewBodyKernel { cuda, kernel, bodies })
    }

    /// Advances all systems that are active until a duration has passed, with gravity of this constant and the relative error of a
    /// step that is accepted. After each launch `go_on` gets the number of those that are still active; where it says no, this
    /// ends, and may be called again for the rest.
    ///
    /// # Errors
    /// [`Error::Parameter`] for systems of another number of bodies than the kernel's, for arrays of another length, and for a
    /// duration or a tolerance that cannot be; [`Error::Device`], and then the systems are as they were.
    pub fn advance(
        &self,
        systems: &mut FewBodySystems,
        g: f64,
        duration: f64,
        tolerance: f64,
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<()> {
        systems.check()?;
        if systems.bodies != self.bodies {
            let expected = format!("the kernel is for {}", self.bodies);
            return Err(Error::Parameter { name: "bodies", value: systems.bodies.to_string(), expected });
        }
        let wrong = |name, value: f64, expected: &str| {
            Err(Error::Parameter { name, value: value.to_string(), expected: expected.into() })
        };
        if !duration.is_finite() {
            return wrong("duration", duration, "must be a finite number");
        }
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return wrong("tolerance", tolerance, "must be above 0");
        }
        let count = systems.systems;
        let active: Vec<u32> =
            (0..count).filter(|system| systems.status(*system) == Status::Active).map(|system| system as u32).collect();
        let Some(kernel) = self.kernel.as_ref().filter(|_| !active.is_empty()) else { return Ok(()) };
        let _before = Bound::to(&self.cuda)?;
        let stream = &self.cuda.stream;
        let (allocate, compute) = (failed("allocate memory for the systems"), failed("compute"));
        let numbers = stream.clone_htod(&systems.numbers).map_err(&allocate)?;
        let control = stream.clone_htod(&systems.control).map_err(&allocate)?;
        let mut active = (stream.clone_htod(&active).map_err(&allocate)?, active.len() as u32);
        let mut left = stream.alloc_zeros::<u32>(active.0.len()).map_err(&allocate)?;
        let mut left_count: CudaSlice<u32> = stream.alloc_zeros(1).map_err(&allocate)?;
        // as Regularised::steps has it
        let close = 0.25 * f64::EPSILON * duration.abs() * (tolerance / TOLERANCE);
        let (stride, mut attempts) = (count as u32, FIRST);
        while active.1 > 0 {
            let began = Instant::now();
            stream.memset_zeros(&mut left_count).map_err(&compute)?;
            let mut call = Call::new(stream, kernel);
            call.memory(&numbers).memory(&control).arg(&stride).memory(&active.0).arg(&active.1);
            call.memory(&left).memory(&left_count).arg(&attempts);
            call.arg(&g).arg(&duration).arg(&close).arg(&tolerance);
            call.start(grid(active.1.div_ceil(THREADS), 1, THREADS, 1, 0), Start::AfterPrevious)?;
            let mut still = [0];
            stream.memcpy_dtoh(&left_count, &mut still).map_err(&compute)?;
            stream.synchronize().map_err(&compute)?;
            std::mem::swap(&mut active.0, &mut left);
            active.1 = still[0];
            attempts = next_attempts(attempts, began.elapsed());
            if !go_on(still[0] as usize) {
                break;
            }
        }
        let found = (stream.clone_dtoh(&numbers).map_err(&compute)?, stream.clone_dtoh(&control).map_err(&compute)?);
        stream.synchronize().map_err(&compute)?;
        (systems.numbers, systems.control) = found;
        Ok(())
    }
}

impl Drop for FewBodyKernel {
    fn drop(&mut self) {
        // all is freed in its own context
        let _before = Bound::now();
        self.kernel = None;
    }
}

/// Attempts of the next launch, where one of so many has taken a time; no system depends on this.
fn next_attempts(attempts: u32, time: Duration) -> u32 {
    match time {
        time if time < LONG / 2 => (2 * attempts).min(MOST),
        time if time > 2 * LONG => (attempts / 2).max(1),
        _ => attempts,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout)] // what is skipped is said

    use super::super::compile::compile_as;
    use super::super::tests::{Assembled, device, ptxas};
    use super::*;
    use crate::cuda::has_compiler;

    /// Leapfrogs of up to five bodies are in registers: what is spilled then is spilled once a column.
    #[test]
    fn the_kernels_of_few_body_systems_compile() {
        if !has_compiler() {
            println!("skipped: CUDA kernels are not compiled, libnvrtc is not found");
            return;
        }
        let ptxas = ptxas();
        for (bodies, most) in BODIES.zip([96, 128, 168, 255, 255, 255, 255]) {
            let ptx = compile_as(&source(bodies), 90, Rounding::AsWritten).unwrap();
            // a product and a sum are two operations
            assert!(!ptx.contains("fma.rn.f64"), "{bodies}");
            let Some(ptxas) = &ptxas else { continue };
            let (registers, spilled) = Assembled::of(ptxas, &ptx).function("advance");
            println!("{bodies} bodies: {registers} registers, {spilled} bytes spilled");
            assert!(registers <= most && spilled < 2048, "{bodies}: {registers}, {spilled}");
        }
        if ptxas.is_none() {
            println!("skipped: registers and spills are not checked, ptxas is not found");
        }
    }

    #[test]
    fn fields_follow_each_other() {
        for bodies in BODIES {
            let fields = Fields(bodies);
            assert_eq!(fields.link(0, 0), fields.half_eps2(bodies - 1) + 1);
            assert_eq!(fields.time(), fields.link(bodies - 2, 5) + 2);
            assert_eq!((fields.numbers(), fields.control()), (14 * bodies - 6, bodies + 4));
            assert_eq!(fields.tries(), fields.chain(bodies - 1) + 1);
        }
    }

    #[test]
    fn what_the_kernel_cannot_read_is_refused() {
        for bodies in [0, 1, 9] {
            assert!(matches!(check_bodies(bodies), Err(Error::Parameter { name: "bodies", .. })), "{bodies}");
        }
        let mut systems = FewBodySystems::new(3, 5);
        systems.check().unwrap();
        *systems.integer(2, 4) = 3;
        assert!(matches!(systems.check(), Err(Error::Parameter { name: "chain", .. })));
        *systems.integer(2, 4) = 2;
        systems.numbers.pop();
        assert!(matches!(systems.check(), Err(Error::Parameter { name: "systems", .. })));
    }

    #[test]
    fn launches_take_a_tenth_of_a_second() {
        assert_eq!(next_attempts(16, Duration::from_millis(1)), 32);
        assert_eq!(next_attempts(16, Duration::from_millis(100)), 16);
        assert_eq!(next_attempts(16, Duration::from_secs(1)), 8);
        assert_eq!([next_attempts(1, Duration::from_secs(9)), next_attempts(MOST, Duration::ZERO)], [1, MOST]);
    }

    /// Circular orbits of two bodies of one half each, of different sizes, a part of which is stopped in between.
    #[test]
    fn circles_are_circles() {
        let Some(cuda) = device() else { return };
        let kernel = FewBodyKernel::of(cuda, 2).unwrap();
        let mut systems = FewBodySystems::new(2, 1000);
        let fields = systems.fields();
        let radius = |system: usize| 1.0 + 1e-3 * system as f64;
        for system in 0..1000 {
            let r = radius(system);
            let numbers = [(fields.mass(0), 0.5), (fields.mass(1), 0.5), (fields.link(0, 0), r)];
            let motion = [(fields.link(0, 4), r.recip().sqrt()), (fields.binding(), 0.125 / r)];
            for (field, value) in numbers.into_iter().chain(motion).chain([(fields.natural(), f64::NAN)]) {
                *systems.number(field, system) = value;
            }
            *systems.integer(fields.chain(1), system) = 1;
        }
        kernel.advance(&mut systems, 1.0, 20.0, TOLERANCE, &mut |_| false).unwrap();
        kernel.advance(&mut systems, 1.0, 20.0, TOLERANCE, &mut |_| true).unwrap();
        for system in 0..1000 {
            assert_eq!(systems.status(system), Status::Done);
            let [x, y, time] =
                [fields.link(0, 0), fields.link(0, 1), fields.time()].map(|field| *systems.number(field, system));
            let r = radius(system);
            let (sin, cos) = (20.0 / (r * r.sqrt())).sin_cos();
            assert!((x - r * cos).hypot(y - r * sin) < 1e-12 && time == 20.0, "{system}: {x} {y} {time}");
        }
    }
}
