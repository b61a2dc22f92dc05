//! Play, pause, single steps and speed: what viewers ask of a run or of a series of snapshots.

use manybody::watch::Watch;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// After a pause the steps of at most this time are made at once.
const CATCH_UP: Duration = Duration::from_millis(100);

/// What the viewers have asked for.
#[derive(Debug)]
pub(crate) struct Control {
    /// Whether they may.
    pub(crate) allowed: bool,
    /// Ends the run.
    watch: Option<Watch>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    playing: bool,
    /// Single steps that were asked for and not yet made.
    singles: u64,
    /// Steps a second; `None` for as many as there are.
    speed: Option<f64>,
    /// Steps up to this time have been made.
    since: Instant,
    seek: Option<usize>,
}

/// The present state, as viewers are to see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shown {
    pub(crate) playing: bool,
    pub(crate) speed: Option<f64>,
}

impl Control {
    /// Plays. `watch` is that of a run, which viewers may stop if they are `allowed` to.
    pub(crate) fn new(allowed: bool, watch: Option<Watch>, speed: Option<f64>) -> Self {
        let state = State { playing: true, singles: 0, speed, since: Instant::now(), seek: None };
        Control { allowed, watch, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(crate) fn shown(&self) -> Shown {
        let state = self.lock();
        Shown { playing: state.playing, speed: state.speed }
    }

    pub(crate) fn play(&self) {
        let mut state = self.lock();
        state.playing = true;
        state.since = Instant::now();
    }

    pub(crate) fn pause(&self) {
        let mut state = self.lock();
        state.playing = false;
        state.singles = 0;
    }

    /// One step, and then a pause.
    pub(crate) fn step(&self) {
        let mut state = self.lock();
        state.playing = false;
        state.singles += 1;
    }

    /// Steps a second, above 0; `None` for no limit.
    pub(crate) fn set_speed(&self, speed: Option<f64>) {
        let mut state = self.lock();
        state.speed = speed;
        state.since = Instant::now();
    }

    /// Ends the run as Ctrl-C does.
    pub(crate) fn stop(&self) {
        if let Some(watch) = &self.watch {
            watch.stop();
        }
    }

    pub(crate) fn seek(&self, index: usize) {
        self.lock().seek = Some(index);
    }

    /// The place that was asked for since the last call.
    pub(crate) fn take_seek(&self) -> Option<usize> {
        self.lock().seek.take()
    }

    /// How many steps may be made now; they count as made.
    pub(crate) fn take_steps(&self) -> u64 {
        let mut state = self.lock();
        if state.singles > 0 {
            state.singles -= 1;
            return 1;
        }
        match (state.playing, state.speed) {
            (false, _) => 0,
            (true, None) => u64::MAX,
            (true, Some(speed)) => state.due(speed),
        }
    }
}

impl State {
    /// The steps of the time since the last ones, whole ones.
    fn due(&mut self, speed: f64) -> u64 {
        let step = Duration::from_secs_f64(1.0 / speed);
        let passed = self.since.elapsed();
        // what could not be made in time is not made up for
        if passed > step + CATCH_UP {
            self.since += passed - step - CATCH_UP;
        }
        let due = (self.since.elapsed().as_secs_f64() * speed) as u64;
        self.since += Duration::from_secs_f64(due as f64 / speed);
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_given_as_asked() {
        let control = Control::new(true, None, None);
        assert_eq!(control.take_steps(), u64::MAX);
        control.pause();
        assert_eq!(control.take_steps(), 0);
        control.step();
        control.step();
        assert_eq!([control.take_steps(), control.take_steps(), control.take_steps()], [1, 1, 0]);
        control.play();
        control.set_speed(Some(1000.0));
        let begin = Instant::now();
        let mut steps = 0;
        while begin.elapsed() < Duration::from_millis(300) {
            steps += control.take_steps();
            std::thread::sleep(Duration::from_millis(5));
        }
        // what a sleeping thread misses beyond 100 ms is not made up for, so only the upper end is exact
        let most = begin.elapsed().as_secs_f64() * 1000.0 + 1.0;
        assert!(steps >= 50 && steps as f64 <= most, "{steps} {most}");
        assert_eq!(control.shown(), Shown { playing: true, speed: Some(1000.0) });
    }

    #[test]
    fn stop_asks_the_watch_and_a_seek_is_taken_once() {
        let watch = Watch::default();
        let control = Control::new(true, Some(watch.clone()), None);
        control.stop();
        assert!(watch.is_stopped());
        control.seek(7);
        assert_eq!((control.take_seek(), control.take_seek()), (Some(7), None));
    }
}
