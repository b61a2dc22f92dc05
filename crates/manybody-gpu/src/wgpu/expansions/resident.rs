//! Bodies that stay on a wgpu device under forces by expansions.

use super::WgpuExpansions;
use super::memory::{BODIES, RESULT};
use crate::expansions::Columns;
use crate::gravity::Records;
use crate::wgpu::failed;
use crate::wgpu::state::{Layout, State, Surroundings};
use manybody_law::{Error, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Bodies, Frame, Integrals, KickDrift, Resident};

/// Bodies on a device: positions and velocities in two parts, forces in f32.
pub(crate) struct WgpuExpansionsResident {
    forces: WgpuExpansions,
    columns: Columns,
    state: State,
    /// Which of the two origins holds, also when `checkpoint` was called.
    turn: usize,
    checkpoint_turn: usize,
    /// The accelerations on the device are those of the present positions.
    has_forces: bool,
    units: Frame,
    watch: Watch,
}

/// A record of the bodies: place and mass, and what the place lacks.
const LAYOUT: Layout = Layout { quads: 2, low: 4 };

impl WgpuExpansionsResident {
    /// Brings the bodies to the device: `columns` are they in the units of the frame.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn new(
        mut forces: WgpuExpansions,
        columns: Columns,
        bodies: &Bodies,
        frame: Frame,
        watch: &Watch,
    ) -> Result<Self> {
        forces.bring(&columns)?;
        let memory = forces.memory.as_ref().ok_or_else(|| failed("the bodies are not on the device"))?;
        let n = bodies.len();
        let around = Surroundings {
            sums: memory.buffers[RESULT].clone(),
            stride: n,
            results: 3,
            factor: [frame.acceleration(); 3],
            per_length: 1.0 / frame.length(),
            records: memory.buffers[BODIES].clone(),
            padded: n,
        };
        let state = State::new(&forces.wgpu, bodies, &frame, (0..n).collect(), around, LAYOUT)?;
        let (turn, checkpoint_turn, has_forces, watch) = (0, 0, false, watch.clone());
        let mut this =
            WgpuExpansionsResident { forces, columns, state, turn, checkpoint_turn, has_forces, units: frame, watch };
        // records as move.wgsl makes them of the state, bit for bit, also where the host rounds otherwise
        this.step(&KickDrift::default(), Records::Always)?;
        Ok(this)
    }

    /// Kicks and drifts.
    fn step(&mut self, each: &KickDrift, records: Records) -> Result<()> {
        let pass = self.state.pass(each, records, self.turn)?;
        self.turn ^= 1;
        self.forces.wgpu.run([&pass]).map(drop)
    }
}

impl Resident for WgpuExpansionsResident {
    fn apply(&mut self, moves: &[KickDrift]) -> Result<()> {
        for each in moves {
            if self.watch.is_stopped() {
                return Err(Error::Interrupted);
            }
            if each.accelerate || !(self.has_forces || each.kicks().is_empty()) {
                self.forces.evaluate(&self.columns, false)?;
                self.has_forces = true;
            }
            self.step(each, Records::WhereMoved)?;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<bool> {
        self.state.sync()
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.checkpoint_turn = self.turn;
        self.state.save()
    }

    fn roll_back(&mut self) -> Result<()> {
        self.turn = self.checkpoint_turn;
        self.state.restore()?;
        self.has_forces = false; // they are those of a later time, and will be computed again
        self.step(&KickDrift::default(), Records::Always)
    }

    fn fetch(&mut self, bodies: &mut Bodies) -> Result<()> {
        self.state.fetch(bodies)
    }

    fn frame(&mut self) -> Result<Frame> {
        self.state.frame(self.units, self.turn)
    }

    /// There is no f64 here.
    fn integrals(&mut self) -> Result<Option<Integrals>> {
        Ok(None)
    }
}
