//! Particles that stay on a CUDA device and are predicted there, and what they do to others: what GRAPE-6 does [Makino 2003].

use super::arrays::{Bound, gone};
use super::launch::{Call, Start, grid};
use super::{Cuda, failed, kernels};
use crate::compute::Rounding;
use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr, ValidAsZeroBits};
use manybody_law::{Error, Result};
use manybody_pairwise::Forces;
use std::sync::Arc;

pub(super) const TEXT: &str = include_str!("../kernels/grape.cu");

/// As grape.cu has them: particles i of a thread block, its lines, particles j of a tile, and sums of a particle i.
const TARGETS: usize = 32;
const LINES: usize = 8;
const TILE: usize = 64;
const SUMS: usize = 7;

/// Thread blocks of an evaluation, where there are so many tiles: some for each multiprocessor of any GPU.
const BLOCKS: usize = 512;

/// A particle that acts, as it was at its time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Particle {
    /// When it was so.
    pub time: f64,
    /// Its mass, 0 or more.
    pub mass: f64,
    /// Where it was.
    pub position: [f64; 3],
    /// How it moved.
    pub velocity: [f64; 3],
    /// Half of its acceleration.
    pub acceleration: [f64; 3],
    /// A sixth of its jerk.
    pub jerk: [f64; 3],
    /// A 24th of its snap.
    pub snap: [f64; 3],
    /// It does nothing to the target of this index. A particle with one below 0 acts on all, and is never the nearest.
    pub index: i32,
    /// Its place among the particles.
    pub address: u32,
}

// SAFETY: repr(C), of numbers in the order and size that grape.cu has
unsafe impl DeviceRepr for Particle {}
// SAFETY: numbers, all of which may be 0
unsafe impl ValidAsZeroBits for Particle {}

/// A particle that is acted on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Target {
    /// Where it is.
    pub position: [f64; 3],
    /// How it moves.
    pub velocity: [f64; 3],
    /// The particle of this index does nothing to it.
    pub index: i32,
    /// Fills the last word.
    pub pad: u32,
}

// SAFETY: repr(C), of numbers in the order and size that grape.cu has
unsafe impl DeviceRepr for Target {}
// SAFETY: numbers, all of which may be 0
unsafe impl ValidAsZeroBits for Target {}

/// A particle that acts, predicted.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Source {
    numbers: [f64; 7],
    index: i32,
    pad: u32,
}

// SAFETY: repr(C), of numbers in the order and size that grape.cu has
unsafe impl DeviceRepr for Source {}
// SAFETY: numbers, all of which may be 0
unsafe impl ValidAsZeroBits for Source {}

/// Memory of the device that grows.
#[derive(Debug, Default)]
struct Room<T>(Option<CudaSlice<T>>);

impl<T: DeviceRepr + ValidAsZeroBits> Room<T> {
    /// At least `count` numbers; what was there is lost where it grows.
    fn of(&mut self, cuda: &Cuda, count: usize) -> Result<&mut CudaSlice<T>> {
        if self.0.as_ref().is_none_or(|held| held.len() < count) {
            self.0 = None;
            let memory = cuda.stream.alloc_zeros(count.next_power_of_two().max(1024));
            self.0 = Some(memory.map_err(failed("allocate memory for the particles"))?);
        }
        self.0.as_mut().ok_or_else(|| Error::Device { device: "cuda", problem: "no memory".into() })
    }

    /// Copies numbers to the beginning.
    fn fill(&mut self, cuda: &Cuda, numbers: &[T]) -> Result<&CudaSlice<T>> {
        let room = self.of(cuda, numbers.len())?;
        cuda.stream.memcpy_htod(numbers, room).map_err(failed("transfer the particles"))?;
        Ok(room)
    }
}

/// Particles on a device.
pub struct Particles {
    // taken when it is dropped
    open: Option<Open>,
}

struct Open {
    cuda: Arc<Cuda>,
    set: CudaFunction,
    predict: CudaFunction,
    pull: CudaFunction,
    add_shares: CudaFunction,
    /// The particles, by address.
    held: Room<Particle>,
    /// Particles on their way to their addresses.
    new: Room<Particle>,
    sources: Room<Source>,
    targets: Room<Target>,
    sums: Room<f64>,
    squares: Room<f64>,
    nearest: Room<u32>,
    results: Room<f64>,
}

impl Particles {
    /// Opens device `index`.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if there is no such GPU, or no NVRTC; [`Error::Device`].
    pub fn open(index: usize) -> Result<Self> {
        let (cuda, _before) = Bound::opening(index)?;
        let module = cuda.load(kernels(TEXT, cuda.arch, Rounding::Fast)?)?;
        let function = |name: &str| module.load_function(name).map_err(failed("find a kernel"));
        let open = Open {
            set: function("set_particles")?,
            predict: function("predict")?,
            pull: function("pull")?,
            add_shares: function("add_shares")?,
            held: Room::default(),
            new: Room::default(),
            sources: Room::default(),
            targets: Room::default(),
            sums: Room::default(),
            squares: Room::default(),
            nearest: Room::default(),
            results: Room::default(),
            cuda,
        };
        Ok(Particles { open: Some(open) })
    }

    /// How many addresses there is memory for; what is at them is lost where a [`set`](Self::set) needs more.
    pub fn room(&self) -> usize {
        self.open.as_ref().and_then(|open| open.held.0.as_ref()).map_or(0, CudaSlice::len)
    }

    /// Puts particles at their addresses, which are different ones below `count`. Where `count` is above the
    /// [room](Self::room), all particles must be given.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an address of `count` or more; [`Error::Device`].
    pub fn set(&mut self, particles: &[Particle], count: usize) -> Result<()> {
        let Open { cuda, set, held, new, .. } = self.open.as_mut().ok_or_else(gone)?;
        if let Some(wrong) = particles.iter().find(|particle| particle.address as usize >= count) {
            let expected = format!("must be below {count}");
            return Err(Error::Parameter { name: "address", value: wrong.address.to_string(), expected });
        }
        if particles.is_empty() {
            return Ok(());
        }
        let _before = Bound::to(cuda)?;
        let held = held.of(cuda, count)?;
        let new = new.fill(cuda, particles)?;
        let n = particles.len() as u32;
        let mut call = Call::new(&cuda.stream, set);
        call.memory(new).arg(&n).memory(held);
        call.start(grid(n.div_ceil(256), 1, 256, 1, 0), Start::AfterPrevious)
    }

    /// Accelerations, jerks and potentials (G = 1) that the first `acting` particles cause at a time, and the index of the
    /// nearest of them; -1 where there is no other. Numbers beyond the range of f64 give results that are not finite.
    ///
    /// # Errors
    /// [`Error::Parameter`] for more particles than have been set; [`Error::Device`].
    pub fn forces(&mut self, time: f64, acting: usize, targets: &[Target], eps2: f64) -> Result<(Forces, Vec<i32>)> {
        if acting > self.room() {
            let expected = format!("must be at most {}, the particles that are set", self.room());
            return Err(Error::Parameter { name: "particles", value: acting.to_string(), expected });
        }
        let n = targets.len();
        if n == 0 {
            return Ok(Default::default());
        }
        let Open {
            cuda, predict, pull, add_shares, held, sources, targets: room, sums, squares, nearest, results, ..
        } = self.open.as_mut().ok_or_else(gone)?;
        let _before = Bound::to(cuda)?;
        let stream = &cuda.stream;
        let targets = room.fill(cuda, targets)?;
        let sources = sources.of(cuda, acting)?;
        let Shares { size, count } = Shares::of(n, acting);
        let stride = n.div_ceil(TARGETS) * TARGETS;
        let sums = sums.of(cuda, count * SUMS * stride)?;
        let (squares, nearest) = (squares.of(cuda, count * stride)?, nearest.of(cuda, count * stride)?);
        let results = results.of(cuda, (SUMS + 1) * n)?;
        let (ni, nj, size, stride, shares) = (n as u32, acting as u32, size as u32, stride as u32, count as u32);
        if let Some(held) = held.0.as_ref().filter(|_| acting > 0) {
            let mut call = Call::new(stream, predict);
            call.memory(held).arg(&nj).arg(&time).memory(sources);
            call.start(grid(nj.div_ceil(128), 1, 128, 1, 0), Start::AfterPrevious)?;
        }
        let blocks = ni.div_ceil(TARGETS as u32);
        let mut call = Call::new(stream, pull);
        call.memory(targets).arg(&ni).memory(sources).arg(&nj).arg(&size).arg(&eps2).arg(&stride);
        call.memory(sums).memory(squares).memory(nearest);
        call.start(grid(blocks, shares, TARGETS as u32, LINES as u32, 0), Start::AfterPrevious)?;
        let mut call = Call::new(stream, add_shares);
        call.memory(sums).memory(squares).memory(nearest).arg(&shares).arg(&stride).arg(&ni).memory(sources);
        call.memory(results);
        call.start(grid(blocks, 1, TARGETS as u32, LINES as u32, 0), Start::AfterPrevious)?;
        let mut found = vec![0.0; (SUMS + 1) * n];
        let compute = failed("compute");
        stream.memcpy_dtoh(&results.slice(..found.len()), &mut found).map_err(&compute)?;
        stream.synchronize().map_err(&compute)?;
        let column = |k: usize| found[k * n..(k + 1) * n].to_vec();
        let forces = Forces {
            ax: column(0),
            ay: column(1),
            az: column(2),
            jx: column(3),
            jy: column(4),
            jz: column(5),
            pot: column(6),
        };
        Ok((forces, column(SUMS).into_iter().map(|index| index as i32).collect()))
    }
}

impl Drop for Particles {
    fn drop(&mut self) {
        // all is freed in its own context
        let _before = Bound::now();
        self.open = None;
    }
}

/// How particles that act are divided: from the numbers of particles alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shares {
    size: usize,
    count: usize,
}

impl Shares {
    fn of(targets: usize, acting: usize) -> Self {
        let tiles = acting.div_ceil(TILE).max(1);
        let most = BLOCKS.div_ceil(targets.div_ceil(TARGETS).max(1)).min(tiles);
        let size = tiles.div_ceil(most) * TILE;
        Shares { size, count: acting.div_ceil(size).max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_all_that_act_once() {
        for targets in [1, 31, 32, 33, 1000, 100_000] {
            for acting in [0, 1, 63, 64, 65, 1024, 16_384, 1_000_003] {
                let Shares { size, count } = Shares::of(targets, acting);
                assert!(size % TILE == 0 && count >= 1 && count * size >= acting, "{targets} {acting}");
                assert!(count == 1 || (count - 1) * size < acting, "{targets} {acting}: an empty share");
                assert!(count <= BLOCKS, "{targets} {acting}: {count}");
            }
        }
    }

    /// In the memory of the device as in grape.cu.
    #[test]
    fn records_have_the_sizes_of_the_kernels() {
        assert_eq!([size_of::<Particle>(), size_of::<Source>(), size_of::<Target>()], [144, 64, 56]);
    }
}
