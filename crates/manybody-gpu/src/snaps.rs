//! Accelerations, jerks and snaps of the active bodies of a block step, on CUDA in f64.

use crate::{Evaluator, Pairs, evaluator_in_shape};
use manybody_law::law::{Law, PairInputs, SoftGravitySnap};
use manybody_law::{Device, Result};
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Bodies, Derivatives, Gravity, Precision};
use manybody_ranks::Team;

/// Axes of three vectors: the sums of a body.
const SUMS: usize = 9;

/// Computes derivatives up to the snap; holds its kernel from call to call.
pub(crate) struct Snaps {
    evaluator: Box<dyn Evaluator>,
}

impl Snaps {
    /// On these GPUs; where no GPU is named, on the first.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn new(ordinals: &[usize], watch: &Watch) -> Result<Self> {
        let law = Law::of::<SoftGravitySnap>()?;
        let how = (Pairs::Ordered, None, None);
        let mut evaluator = evaluator_in_shape(Device::Cuda, ordinals, &law, Precision::F64, how)?;
        evaluator.watch(watch);
        Ok(Snaps { evaluator })
    }

    /// From now on, long evaluations are reported there.
    pub(crate) fn watch(&mut self, watch: &Watch) {
        self.evaluator.watch(watch);
    }

    /// Accelerations, jerks and snaps of the `active` bodies, from the accelerations of all. These are in the units of the
    /// bodies: no frame is needed in f64, see [`Gravity::least_eps2`].
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
        let least = gravity.least_eps2(bodies);
        let Bodies { x, y, z, vx, vy, vz, .. } = bodies;
        let columns_of = |places: &[usize]| -> Vec<Vec<f64>> {
            let read = [x, y, z, vx, vy, vz].map(Vec::as_slice).into_iter().chain(accelerations);
            let read = read.map(|column| places.iter().map(|k| column[*k]).collect());
            let mass = places.iter().map(|k| bodies.mass[*k] * gravity.g).collect();
            let half = places.iter().map(|k| gravity.half_eps2(bodies, *k, least)).collect();
            read.chain([mass, half]).collect()
        };
        let (i, j) = (columns_of(active), columns_of(&sources));
        let [i, j] = [&i, &j].map(|columns| columns.iter().map(Vec::as_slice).collect::<Vec<_>>());
        self.evaluator.share(team);
        // each body has its own softening: the one of all is not read
        let found = self.evaluator.evaluate(&PairInputs::two(&i, &j, &[0.0]))?;
        for (to, from) in out.columns().into_iter().zip(found.into_iter().take(SUMS)) {
            *to = from;
        }
        Ok(())
    }
}
