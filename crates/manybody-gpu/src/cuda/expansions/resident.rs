//! Bodies that stay on CUDA devices under forces by expansions.

use super::CudaExpansions;
use crate::cuda::launch::{Call, Start, grid};
use crate::cuda::{Cuda, failed};
use crate::expansions::Columns;
use cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};
use manybody_law::simd::Element;
use manybody_law::{Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Bodies, Frame, Integrals, KickDrift, Resident};
use std::sync::Arc;

/// Bodies on devices: positions and velocities in f64, forces by expansions in T.
pub(crate) struct CudaExpansionsResident<T> {
    forces: CudaExpansions<T>,
    columns: Columns,
    /// On every device: all make the same moves.
    devices: Vec<OnDevice<T>>,
    /// Units, and where the frame is at present: its origin moves with the centre of mass.
    frame: Frame,
    saved_frame: Frame,
    watch: Watch,
    n: usize,
}

/// The bodies on one device.
struct OnDevice<T> {
    cuda: Arc<Cuda>,
    state: State<T>,
    saved: State<T>,
    bad: CudaSlice<u32>,
}

/// What steps change: x and v, \[3\]\[n\] each, and the last accelerations.
struct State<T> {
    x: CudaSlice<f64>,
    v: CudaSlice<f64>,
    a: CudaSlice<T>,
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> State<T> {
    fn copy_to(&self, cuda: &Cuda, to: &mut State<T>) -> Result<()> {
        let copied = failed("note the bodies");
        cuda.stream.memcpy_dtod(&self.x, &mut to.x).map_err(&copied)?;
        cuda.stream.memcpy_dtod(&self.v, &mut to.v).map_err(&copied)?;
        cuda.stream.memcpy_dtod(&self.a, &mut to.a).map_err(&copied)
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaExpansionsResident<T> {
    /// Brings the bodies to the device: `columns` are they in the units of the frame.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn new(
        mut forces: CudaExpansions<T>,
        columns: Columns,
        bodies: &Bodies,
        frame: Frame,
        watch: &Watch,
    ) -> Result<Self> {
        forces.is_resident = true;
        forces.bring(&columns)?;
        let n = bodies.len();
        let [x, v] = [[&bodies.x, &bodies.y, &bodies.z], [&bodies.vx, &bodies.vy, &bodies.vz]]
            .map(|q| q.into_iter().flatten().copied().collect::<Vec<f64>>());
        let on_device = |cuda: &Arc<Cuda>| -> Result<OnDevice<T>> {
            cuda.bind()?;
            let (stream, memory) = (&cuda.stream, failed("allocate memory for the bodies"));
            let state = || -> Result<State<T>> {
                Ok(State {
                    x: stream.clone_htod(&x).map_err(&memory)?,
                    v: stream.clone_htod(&v).map_err(&memory)?,
                    a: stream.alloc_zeros(4 * n).map_err(&memory)?,
                })
            };
            let (state, saved) = (state()?, state()?);
            Ok(OnDevice { cuda: cuda.clone(), state, saved, bad: stream.alloc_zeros(1).map_err(&memory)? })
        };
        let devices = forces.shares.iter().map(|share| on_device(&share.cuda)).collect::<Result<Vec<_>>>()?;
        let watch = watch.clone();
        Ok(CudaExpansionsResident { forces, columns, devices, frame, saved_frame: frame, watch, n })
    }

    /// The accelerations where the bodies are.
    fn accelerate(&mut self) -> Result<()> {
        let [length, _, _, x, y, z, ..] = self.frame.numbers();
        let (per_length, count) = (1.0 / length, self.n as i32);
        for (k, device) in self.devices.iter().enumerate() {
            device.cuda.bind()?;
            let function = self.forces.function(k, "place_bodies", &self.columns)?;
            let Some(memory) = &self.forces.shares[k].memory else { return Ok(()) };
            let [px, py, pz, _] = &memory.columns;
            let mut call = Call::new(&device.cuda.stream, &function);
            call.memory(&device.state.x).memory(px).memory(py).memory(pz);
            call.arg(&x).arg(&y).arg(&z).arg(&per_length).arg(&count);
            call.start(grid(self.n.div_ceil(256) as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
        }
        self.forces.evaluate(&self.columns, false)?;
        for (device, share) in self.devices.iter_mut().zip(&self.forces.shares) {
            device.cuda.bind()?;
            let Some(memory) = &share.memory else { return Ok(()) };
            let noted = device.cuda.stream.memcpy_dtod(&memory.out, &mut device.state.a);
            noted.map_err(failed("note the accelerations"))?;
        }
        Ok(())
    }

    /// Kicks and drifts.
    fn step(&mut self, each: &KickDrift) -> Result<()> {
        let two = |q: &[f64]| [0, 1].map(|k| q.get(k).copied().unwrap_or(0.0));
        let ([kick0, kick1], [drift0, drift1]) = (two(each.kicks()), two(each.drifts()));
        let (kicks, drifts, count) = (each.kicks().len() as i32, each.drifts().len() as i32, self.n as i32);
        let unit = self.frame.acceleration();
        for (k, device) in self.devices.iter().enumerate() {
            device.cuda.bind()?;
            let function = self.forces.function(k, "move_bodies", &self.columns)?;
            let mut call = Call::new(&device.cuda.stream, &function);
            call.memory(&device.state.x).memory(&device.state.v).memory(&device.state.a).memory(&device.bad).arg(&unit);
            call.arg(&kick0).arg(&kick1).arg(&kicks).arg(&drift0).arg(&drift1).arg(&drifts).arg(&count);
            call.start(grid(self.n.div_ceil(256) as u32, 1, 256, 1, 0), Start::AfterPrevious)?;
        }
        let mut numbers = self.frame.numbers();
        for drift in each.drifts() {
            (0..3).for_each(|k| numbers[3 + k] += drift * numbers[6 + k]);
        }
        self.frame = Frame::of_numbers(numbers).unwrap_or(self.frame);
        Ok(())
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> Resident for CudaExpansionsResident<T> {
    fn apply(&mut self, moves: &[KickDrift]) -> Result<()> {
        for each in moves {
            if self.watch.is_stopped() {
                return Err(Error::Interrupted);
            }
            if each.accelerate {
                self.accelerate()?;
            }
            self.step(each)?;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<bool> {
        let mut is_good = true;
        for device in &mut self.devices {
            device.cuda.bind()?;
            let found = device.cuda.stream.clone_dtoh(&device.bad).map_err(failed("compute"))?;
            if found != [0] {
                is_good = false;
                device.cuda.stream.memset_zeros(&mut device.bad).map_err(failed("compute"))?;
            }
        }
        Ok(is_good)
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.saved_frame = self.frame;
        self.devices.iter_mut().try_for_each(|device| {
            device.cuda.bind()?;
            device.state.copy_to(&device.cuda, &mut device.saved)
        })
    }

    fn roll_back(&mut self) -> Result<()> {
        self.frame = self.saved_frame;
        self.devices.iter_mut().try_for_each(|device| {
            device.cuda.bind()?;
            device.saved.copy_to(&device.cuda, &mut device.state)
        })
    }

    fn fetch(&mut self, bodies: &mut Bodies) -> Result<()> {
        let Some(device) = self.devices.first() else { return Ok(()) };
        device.cuda.bind()?;
        let fetch = failed("fetch the bodies");
        let columns = [&mut bodies.x, &mut bodies.y, &mut bodies.z, &mut bodies.vx, &mut bodies.vy, &mut bodies.vz];
        let [x, v] = [&device.state.x, &device.state.v].map(|q| device.cuda.stream.clone_dtoh(q).map_err(&fetch));
        let (x, v) = (x?, v?);
        let parts = x.chunks_exact(self.n).chain(v.chunks_exact(self.n));
        columns.into_iter().zip(parts).for_each(|(to, from)| to.copy_from_slice(from));
        Ok(())
    }

    fn frame(&mut self) -> Result<Frame> {
        Ok(self.frame)
    }

    fn integrals(&mut self) -> Result<Option<Integrals>> {
        // the host sums them, with potentials in f64
        Ok(None)
    }
}
