//! Accelerations, jerks and snaps of the active bodies of a block step, on CUDA in f64 and mixed precision, on wgpu in mixed
//! precision.

use crate::{Evaluator, Pairs, evaluator_in_shape};
use manybody_law::law::{Law, NearGravitySnap, PairInputs, SoftGravitySnap};
use manybody_law::{Device, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Bodies, Coordinates, Derivatives, Frame, Gravity, Precision};
use manybody_ranks::Team;
use std::borrow::Cow;

/// Axes of three vectors: the sums of a body.
const SUMS: usize = 9;

/// Computes derivatives up to the snap; holds its kernel from call to call.
pub(crate) struct Snaps {
    evaluator: Box<dyn Evaluator>,
    precision: Precision,
}

impl Snaps {
    /// On these GPUs of CUDA; where no GPU is named, on the first. Not for f32.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn new(device: Device, ordinals: &[usize], precision: Precision, watch: &Watch) -> Result<Self> {
        let law = match precision {
            Precision::F64 => Law::of::<SoftGravitySnap>()?,
            Precision::Mixed | Precision::F32 => Law::of::<NearGravitySnap>()?,
        };
        let how = (Pairs::Ordered, None, None);
        let mut evaluator = evaluator_in_shape(device, ordinals, &law, precision, how)?;
        evaluator.watch(watch);
        Ok(Snaps { evaluator, precision })
    }

    /// From now on, long evaluations are reported there.
    pub(crate) fn watch(&mut self, watch: &Watch) {
        self.evaluator.watch(watch);
    }

    /// Accelerations, jerks and snaps of the `active` bodies, from the accelerations of all. In f64 these are in the units of the
    /// bodies: no frame is needed, see [`Gravity::least_eps2`].
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn of(
        &mut self,
        bodies: &Bodies,
        accelerations: [&[f64]; 3],
        active: &[usize],
        gravity: &Gravity,
        team: Option<&Team>,
        out: &mut Derivatives,
    ) -> Result<()> {
        gravity.check()?;
        out.resize(active.len(), true);
        let sources: Vec<usize> = (0..bodies.len()).filter(|k| bodies.mass[*k] != 0.0).collect();
        if active.is_empty() || sources.is_empty() {
            out.columns().into_iter().for_each(|column| column.fill(0.0));
            return Ok(());
        }
        self.evaluator.share(team);
        if self.precision == Precision::F64 {
            let written = in_their_units(bodies, accelerations, gravity);
            let all: Vec<usize> = (0..active.len()).collect();
            return self.evaluate(&written, active, (&sources, &all), out);
        }
        // bodies without mass do not change the frame of the others, and may be far away from them
        let (massive, others): (Vec<usize>, Vec<usize>) =
            (0..active.len()).partition(|at| bodies.mass[active[*at]] != 0.0);
        let mut of_sources = Cow::Borrowed(bodies);
        if sources.len() < bodies.len() {
            of_sources.to_mut().retain(|k| bodies.mass[k] != 0.0);
        }
        let frame = Frame::new(&of_sources, gravity, Coordinates::PhaseSpace)?.for_snaps(&of_sources);
        let written = in_frame(&frame, bodies, accelerations, gravity);
        self.evaluate(&written, active, (&sources, &massive), out)?;
        if !others.is_empty() {
            let frame = Frame::between(bodies, &of_sources, gravity, Coordinates::PhaseSpace)?.for_snaps(bodies);
            let written = in_frame(&frame, bodies, accelerations, gravity);
            self.evaluate(&written, active, (&sources, &others), out)?;
        }
        Ok(())
    }

    /// Derivatives of some of the active bodies, by their places among these.
    fn evaluate(
        &mut self,
        written: &Written,
        active: &[usize],
        (sources, some): (&[usize], &[usize]),
        out: &mut Derivatives,
    ) -> Result<()> {
        if some.is_empty() {
            return Ok(());
        }
        let columns_of = |places: &[usize]| -> Vec<Vec<f64>> {
            written.columns.iter().map(|column| places.iter().map(|k| column[*k]).collect()).collect()
        };
        let places: Vec<usize> = some.iter().map(|at| active[*at]).collect();
        let (i, j) = (columns_of(&places), columns_of(sources));
        let [i, j] = [&i, &j].map(|columns| columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
        // each body has its own softening: the one of all is not read
        let found = self.evaluator.evaluate(&PairInputs::two(&i, &j, &[0.0]))?;
        for (sum, (to, from)) in out.columns().into_iter().zip(found.into_iter().take(SUMS)).enumerate() {
            some.iter().zip(from).for_each(|(at, value)| to[*at] = value * written.units[sum / 3]);
        }
        Ok(())
    }
}

/// Bodies as the law has them.
struct Written {
    columns: Vec<Vec<f64>>,
    /// Of accelerations, jerks and snaps.
    units: [f64; 3],
}

fn in_their_units(bodies: &Bodies, accelerations: [&[f64]; 3], gravity: &Gravity) -> Written {
    let least = gravity.least_eps2(bodies);
    let Bodies { x, y, z, vx, vy, vz, mass, .. } = bodies;
    let read = [x, y, z, vx, vy, vz].map(Vec::as_slice).into_iter().chain(accelerations).map(<[f64]>::to_vec);
    let mass = mass.iter().map(|mass| mass * gravity.g).collect();
    let half = (0..bodies.len()).map(|k| gravity.half_eps2(bodies, k, least)).collect();
    Written { columns: read.chain([mass, half]).collect(), units: [1.0; 3] }
}

fn in_frame(frame: &Frame, bodies: &Bodies, accelerations: [&[f64]; 3], gravity: &Gravity) -> Written {
    let column = |field: usize| {
        let mut column = vec![0.0; bodies.len()];
        frame.write::<f64>(bodies, gravity, Coordinates::PhaseSpace, field, &mut column);
        column
    };
    let per_motion = 1.0 / frame.motion();
    let accelerations = accelerations.map(|from| from.iter().map(|a| a * per_motion).collect());
    // not infinite in f32, and not 0
    let mut half = vec![0.0_f32; bodies.len()];
    frame.write(bodies, gravity, Coordinates::PhaseSpace, 7, &mut half);
    let half = half.into_iter().map(f64::from).collect();
    Written {
        columns: (0..6).map(column).chain(accelerations).chain([column(6), half]).collect(),
        units: [frame.acceleration(), frame.jerk(), frame.snap()],
    }
}
