//! Local densities of the bodies that are shown, as often as they cost little.

use crate::scene::{Cast, Scene};
use manybody::cluster::{Neighbourhood, density_centre};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The share of one core that densities may take beside a run on this machine's cores.
const SHARE: f64 = 0.02;

/// Where the run is on a GPU, or there is no run.
const SHARE_OF_IDLE: f64 = 0.5;

/// The densities that were computed last.
#[derive(Debug)]
pub(crate) struct Densities {
    /// One thread: those of the run have other things to do.
    pool: Option<rayon::ThreadPool>,
    share: f64,
    next: Instant,
    cast: Option<Arc<Cast>>,
    /// log10, of the cast; empty where there are no densities.
    log: Vec<f64>,
    centre: [f64; 3],
}

impl Densities {
    /// Nothing is known yet. `is_idle`: the cores of this machine have nothing else to do.
    pub(crate) fn new(is_idle: bool) -> Self {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "live-density".into());
        Densities {
            pool: builder.build().ok(),
            share: if is_idle { SHARE_OF_IDLE } else { SHARE },
            next: Instant::now(),
            cast: None,
            log: Vec::new(),
            centre: [f64::NAN; 3],
        }
    }

    /// log10 of the densities, and the density centre; those of an earlier scene of the same bodies, where new ones would
    /// cost too much.
    pub(crate) fn of(&mut self, scene: &Scene) -> (&[f64], [f64; 3]) {
        let is_known = self.cast.as_ref().is_some_and(|cast| Arc::ptr_eq(cast, &scene.cast));
        let begin = Instant::now();
        if !is_known || begin >= self.next {
            self.compute(scene);
            let took = begin.elapsed();
            self.next = Instant::now() + Duration::from_secs_f64(took.as_secs_f64() / self.share);
        }
        (&self.log, self.centre)
    }

    fn compute(&mut self, scene: &Scene) {
        let bodies = scene.bodies();
        let search = || Neighbourhood::of(&bodies).densities(&bodies);
        let found = self.pool.as_ref().and_then(|pool| pool.install(search));
        self.cast = Some(scene.cast.clone());
        self.centre = found.as_ref().map_or([f64::NAN; 3], |found| density_centre(&bodies, found));
        self.log = found.unwrap_or_default().into_iter().map(f64::log10).collect();
    }
}
