//! A run as the source: an observer that copies the bodies that are shown, if the last copy is old.

use crate::hello;
use crate::sample::{MAX_BODIES, Sample};
use crate::scene::{self, Cast, Numbers, Scene};
use crate::server::Server;
use manybody::driver::{Event, Observer, Pace, Request};
use manybody::simulation::Simulation;
use manybody::solver::Device;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time between copies: a little less than between frames, since the steps of an event take some time; and without viewers,
/// so that one who comes during a long step has something to look at.
const APART: Duration = Duration::from_millis(20);
const APART_ALONE: Duration = Duration::from_secs(1);

/// Copies may take this part of the time.
const SHARE: u32 = 100;

/// What the copy of a body from a device takes beside that from this memory. An estimate: 48 bytes, once through the bus,
/// once from one form into another.
const FROM_DEVICE: Duration = Duration::from_nanos(20);

/// The time over which steps are counted.
const WINDOW: Duration = Duration::from_secs(2);

/// Shows a run to viewers. It changes no bit of it.
#[derive(Debug)]
pub struct Live {
    server: Server,
    cast: Option<Arc<Cast>>,
    numbers: Numbers,
    /// The energy at the start, and its error as last measured.
    initial: f64,
    energy_error: f64,
    /// The last copy: when, of which step, what it took.
    copied: (Instant, Option<u64>),
    cost: Duration,
    /// The bodies were asked for.
    asked: bool,
    recent: VecDeque<(Instant, u64)>,
}

impl Live {
    /// Shows a run on this server.
    pub fn new(server: Server) -> Self {
        Live {
            server,
            cast: None,
            numbers: Numbers::default(),
            initial: f64::NAN,
            energy_error: f64::NAN,
            copied: (Instant::now(), None),
            cost: Duration::ZERO,
            asked: false,
            recent: VecDeque::new(),
        }
    }

    /// The server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Shows viewers how the run has ended, "finished" or "interrupted", and closes; takes at most a second.
    pub fn close(self, how: &str) {
        self.server.close(how);
    }

    fn begin(&mut self, run: &Simulation, description: &str) {
        let initial = run.initial();
        self.initial = initial.kinetic + initial.potential;
        let Some(bodies) = run.bodies_here() else { return };
        self.cast = Some(Arc::new(Cast::of(1, bodies, Sample::of(bodies, MAX_BODIES))));
        let is_idle = run.parameters().device != Device::Cpu;
        let hello = hello::of_run(run, description, self.server.shared().control.allowed);
        // without a thread for frames there is no view, but there is a run
        let _ = self.server.show(&hello, is_idle);
        let error = run.errors();
        self.note(run, error.energy, error.force.map(|force| force.max), None);
        self.copy(run);
    }

    fn advanced(&mut self, run: &Simulation, pace: &Pace) {
        self.note(run, pace.energy_error(), pace.force_error(), pace.rate(run));
        if self.asked {
            self.copy(run);
        }
    }

    fn note(&mut self, run: &Simulation, energy_error: Option<f64>, force_error: Option<f64>, rate: Option<f64>) {
        let step = run.clock().step();
        // known without a measurement at the start, and there alone
        let is_start = run.steps_since_start() == 0 && run.initial().conserved.energy;
        if !is_start {
            self.energy_error = energy_error.unwrap_or(self.energy_error);
        }
        let shown = if is_start { 0.0 } else { self.energy_error };
        self.numbers = Numbers {
            step: step as f64,
            time: run.time(),
            steps_per_second: self.steps_per_second(step),
            pairs_per_second: rate.unwrap_or(f64::NAN),
            energy: scene::energy(self.initial, shown),
            energy_error: shown,
            force_error: force_error.unwrap_or(f64::NAN),
            index: f64::NAN,
        };
    }

    fn steps_per_second(&mut self, step: u64) -> f64 {
        let now = Instant::now();
        self.recent.push_back((now, step));
        while self.recent.len() > 2 && now - self.recent[0].0 > WINDOW {
            self.recent.pop_front();
        }
        let (since, first) = self.recent[0];
        let seconds = (now - since).as_secs_f64();
        if seconds > 0.0 { (step - first) as f64 / seconds } else { f64::NAN }
    }

    /// Puts the present state where the thread that makes frames finds it.
    fn copy(&mut self, run: &Simulation) {
        let (Some(bodies), Some(cast)) = (run.bodies_here(), &mut self.cast) else { return };
        if cast.bodies != bodies.len() {
            // some have merged, or escaped
            *cast = Arc::new(Cast::of(cast.number + 1, bodies, Sample::of(bodies, MAX_BODIES)));
        }
        let begin = Instant::now();
        self.server.shared().slot.put(Arc::new(Scene::of(cast, bodies, self.numbers)));
        self.copied = (begin, Some(run.clock().step()));
        self.cost = begin.elapsed();
        if run.is_resident() {
            self.cost += FROM_DEVICE * run.count() as u32;
        }
    }

    fn is_due(&self) -> bool {
        let apart = if self.server.shared().slot.viewers() > 0 { APART } else { APART_ALONE };
        self.copied.0.elapsed() >= apart.max(self.cost * SHARE)
    }
}

impl Observer for Live {
    fn event(&mut self, event: &Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Started { run, description, .. } => self.begin(run, description),
            Event::Advanced { run, pace, .. } => self.advanced(run, pace),
            Event::Ended { run, .. } => self.copy(run),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn request(&mut self, run: &Simulation) -> Request {
        let steps = self.server.shared().control.take_steps();
        let is_shown = self.copied.1 == Some(run.clock().step());
        if steps == 0 && !is_shown {
            // a pause: the state at which it began
            self.copy(run);
        }
        self.asked = match steps {
            0 => self.copied.1 != Some(run.clock().step()),
            _ => self.is_due(),
        };
        Request { steps, bodies: self.asked }
    }
}
