//! The thread that makes frames of scenes: the newest one, at most thirty a second, while there are viewers.

use crate::density::Densities;
use crate::frame::{self, Measured};
use crate::scene::{Cast, Scene};
use axum::body::Bytes;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Frames a second, at most.
pub(crate) const FRAMES: u32 = 30;

/// How fast the range of colours follows the bodies: the time in which all but a third of the way is made.
const FOLLOW: Duration = Duration::from_millis(650);

/// Values that a range is found from.
const RANGE_SAMPLE: usize = 2000;

/// A frame as it is sent, with what it shows.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) number: u32,
    pub(crate) bytes: Bytes,
    pub(crate) scene: Arc<Scene>,
    /// The bytes of the cast, for viewers that do not have it.
    pub(crate) cast: Bytes,
}

/// Where the newest scene lies until it is taken; an older one is replaced.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    state: Mutex<State>,
    changed: Condvar,
    viewers: AtomicUsize,
    /// There was a viewer.
    had_viewer: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    scene: Option<Arc<Scene>>,
    closed: bool,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(crate) fn put(&self, scene: Arc<Scene>) {
        self.lock().scene = Some(scene);
        self.changed.notify_one();
    }

    /// Ends the thread that takes.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    pub(crate) fn viewers(&self) -> usize {
        self.viewers.load(Relaxed)
    }

    pub(crate) fn had_viewer(&self) -> bool {
        self.had_viewer.load(Relaxed)
    }

    /// Counts a viewer until what it returns is dropped.
    pub(crate) fn enter(self: &Arc<Self>) -> Present {
        self.viewers.fetch_add(1, Relaxed);
        self.had_viewer.store(true, Relaxed);
        drop(self.lock()); // who has found no viewer waits now
        self.changed.notify_one();
        Present(self.clone())
    }

    /// Waits for a scene, and for a viewer to look at it; `None` at the end.
    fn take(&self) -> Option<Arc<Scene>> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return state.scene.take();
            }
            if self.viewers() > 0
                && let Some(scene) = state.scene.take()
            {
                return Some(scene);
            }
            state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

/// A viewer that is counted.
#[derive(Debug)]
pub(crate) struct Present(Arc<Slot>);

impl Drop for Present {
    fn drop(&mut self) {
        self.0.viewers.fetch_sub(1, Relaxed);
    }
}

/// Makes frames until the slot is closed, and hands each to `send`.
pub(crate) fn run(slot: &Slot, is_idle: bool, send: impl Fn(Arc<Frame>)) {
    let mut encoder = Encoder::new(is_idle);
    while let Some(scene) = slot.take() {
        let begin = Instant::now();
        send(Arc::new(encoder.encode(scene)));
        std::thread::sleep((Duration::from_secs(1) / FRAMES).saturating_sub(begin.elapsed()));
    }
}

/// What is kept from frame to frame.
#[derive(Debug)]
struct Encoder {
    number: u32,
    densities: Densities,
    speed_range: Range,
    density_range: Range,
    cast: Option<(Arc<Cast>, Bytes)>,
    /// When the last frame was made, and the place of its snapshot in the series.
    last: Option<(Instant, f64)>,
}

impl Encoder {
    fn new(is_idle: bool) -> Self {
        Encoder {
            number: 0,
            densities: Densities::new(is_idle),
            speed_range: Range::default(),
            density_range: Range::default(),
            cast: None,
            last: None,
        }
    }

    fn encode(&mut self, scene: Arc<Scene>) -> Frame {
        let share = self.share(&scene, Instant::now());
        let cast = self.cast_bytes(&scene.cast);
        self.number = self.number.wrapping_add(1);
        let (speeds, centre_of_mass) = scene.speeds();
        let (densities, density_centre) = self.densities.of(&scene);
        let measured = Measured {
            centre_of_mass,
            density_centre,
            speed_range: self.speed_range.follow(&speeds, share),
            density_range: self.density_range.follow(densities, share),
            speeds: &speeds,
            densities,
        };
        let bytes = frame::of_scene(self.number, &scene, &measured);
        Frame { number: self.number, bytes: bytes.into(), scene, cast }
    }

    /// How much of the way to the ranges of this scene is made: all of it to other bodies, and to a snapshot that is not
    /// the next one.
    fn share(&mut self, scene: &Scene, now: Instant) -> f64 {
        let index = scene.numbers.index;
        let are_same = self.cast.as_ref().is_some_and(|(cast, _)| cast.id == scene.cast.id);
        match self.last.replace((now, index)) {
            Some((at, before)) if are_same && (index.is_nan() || (0.0..=1.0).contains(&(index - before))) => {
                1.0 - (-(now - at).div_duration_f64(FOLLOW)).exp()
            }
            _ => 1.0,
        }
    }

    fn cast_bytes(&mut self, cast: &Arc<Cast>) -> Bytes {
        match &self.cast {
            Some((own, bytes)) if Arc::ptr_eq(own, cast) => bytes.clone(),
            _ => {
                let bytes = Bytes::from(frame::of_cast(cast));
                self.cast = Some((cast.clone(), bytes.clone()));
                bytes
            }
        }
    }
}

/// The range of 98 of 100 values, which follows them slowly, so that colours do not flicker.
#[derive(Debug, Default)]
struct Range(Option<[f64; 2]>);

impl Range {
    /// Goes this share of the way to the range of the values.
    fn follow(&mut self, values: &[f64], share: f64) -> [f64; 2] {
        let Some(now) = range(values) else { return [f64::NAN; 2] };
        let next = match self.0 {
            Some(before) if share < 1.0 => [0, 1].map(|k| before[k] + share * (now[k] - before[k])),
            _ => now,
        };
        self.0 = Some(next);
        next
    }
}

fn range(values: &[f64]) -> Option<[f64; 2]> {
    let every = values.len().div_ceil(RANGE_SAMPLE).max(1);
    let mut some: Vec<f64> = values.iter().step_by(every).copied().filter(|value| value.is_finite()).collect();
    some.sort_by(f64::total_cmp);
    let at = |share: f64| some.get((share * (some.len() - 1) as f64) as usize).copied();
    if some.is_empty() { None } else { at(0.01).zip(at(0.99)).map(|(low, high)| [low, high]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;
    use crate::scene::Numbers;
    use manybody::ic;
    use std::sync::mpsc::channel;

    fn scene(step: f64) -> Scene {
        let bodies = ic::by_name("plummer", &ic::Request::new(100, 1)).unwrap().bodies;
        let cast = Arc::new(Cast::of(1, &bodies, Sample::of(&bodies, 1000)));
        Scene::of(&cast, &bodies, Numbers { step, ..Numbers::default() })
    }

    #[test]
    fn without_viewers_no_frame_is_made_and_then_the_newest() {
        let slot = Arc::new(Slot::default());
        let (send, receive) = channel();
        let own = slot.clone();
        let thread = std::thread::spawn(move || run(&own, true, |frame| drop(send.send(frame))));
        (0..100).for_each(|step| slot.put(Arc::new(scene(f64::from(step)))));
        assert!(receive.recv_timeout(Duration::from_millis(100)).is_err());
        let present = slot.enter();
        let frame = receive.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!((frame.scene.numbers.step, slot.viewers()), (99.0, 1));
        drop(present);
        assert_eq!(slot.viewers(), 0);
        slot.close();
        thread.join().unwrap();
    }

    #[test]
    fn a_range_follows_slowly() {
        let mut range = Range::default();
        let values: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!(range.follow(&values, 0.05), [1.0, 99.0]);
        let later: Vec<f64> = values.iter().map(|value| value + 100.0).collect();
        let next = range.follow(&later, 0.05);
        // a twentieth of the way
        assert!((next[0] - 6.0).abs() < 1e-9 && (next[1] - 104.0).abs() < 1e-9, "{next:?}");
        assert_eq!(range.follow(&values, 1.0), [1.0, 99.0]);
        assert!(range.follow(&[f64::NAN, f64::INFINITY], 0.05)[0].is_nan());
    }

    /// What colours mean is that of the snapshot that is shown, whichever was shown before.
    #[test]
    fn a_range_is_at_once_that_of_other_bodies_and_of_a_snapshot_elsewhere() {
        let mut encoder = Encoder::new(true);
        let begin = Instant::now();
        let at = |index: f64, n: usize| {
            let bodies = ic::by_name("plummer", &ic::Request::new(n, 1)).unwrap().bodies;
            let cast = Arc::new(Cast::of(1, &bodies, Sample::of(&bodies, 1000)));
            Arc::new(Scene::of(&cast, &bodies, Numbers { index, ..Numbers::default() }))
        };
        let mut share = |scene: Arc<Scene>, ms: u64| {
            let share = encoder.share(&scene, begin + Duration::from_millis(ms));
            encoder.cast_bytes(&scene.cast);
            share
        };
        assert_eq!(share(at(0.0, 100), 0), 1.0);
        // the next one, after a thirtieth of a second and after a long time
        assert!((share(at(1.0, 100), 33) - 0.05).abs() < 0.01);
        assert!(share(at(2.0, 100), 9000) > 0.99);
        assert_eq!(share(at(9.0, 100), 9033), 1.0);
        assert_eq!(share(at(8.0, 100), 9066), 1.0);
        assert_eq!(share(at(9.0, 90), 9099), 1.0);
        // a run has no series
        assert_eq!(share(at(f64::NAN, 100), 9132), 1.0);
        assert!(share(at(f64::NAN, 100), 9165) < 0.1);
    }
}
