//! What the link of a viewer may carry.

use std::time::{Duration, Instant};

/// Bytes a second of frames and casts, at most. Thirty frames of the most bodies are 18 MB; where each frame has a cast of its
/// own, as in a series of snapshots of other bodies, fewer are sent.
const MAX_BYTES: f64 = 19e6;

/// The bytes that were sent to a viewer, as the time that they may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    free_at: Instant,
}

impl Budget {
    pub(crate) fn new(now: Instant) -> Self {
        Budget { free_at: now }
    }

    /// When more may be sent.
    pub(crate) fn free_at(&self) -> Instant {
        self.free_at
    }

    /// Takes note of bytes that are sent.
    pub(crate) fn spend(&mut self, now: Instant, bytes: usize) {
        self.free_at = self.free_at.max(now) + Duration::from_secs_f64(bytes as f64 / MAX_BYTES);
    }
}

/// How often something may happen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    /// The time between two, and how many may come at once.
    apart: Duration,
    at_once: u32,
    /// When all that have come would have had their time.
    due: Instant,
}

impl Rate {
    pub(crate) fn new(per_second: u32, at_once: u32, now: Instant) -> Self {
        Rate { apart: Duration::from_secs(1) / per_second, at_once, due: now }
    }

    /// How long the next one must wait.
    pub(crate) fn wait(&self, now: Instant) -> Duration {
        self.due.saturating_duration_since(now).saturating_sub(self.apart * (self.at_once - 1))
    }

    /// Takes note of one.
    pub(crate) fn pass(&mut self, now: Instant) {
        self.due = self.due.max(now) + self.apart;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoder::FRAMES;
    use crate::sample::MAX_BODIES;

    /// Bytes that are sent in ten seconds in which a frame comes as often as one may, and the frames.
    fn sent(bytes: usize) -> (usize, u32) {
        let begin = Instant::now();
        let (mut budget, mut sum, mut frames) = (Budget::new(begin), 0, 0);
        for k in 0..10 * FRAMES {
            let now = begin + k * Duration::from_secs(1) / FRAMES;
            if now >= budget.free_at() {
                budget.spend(now, bytes);
                (sum, frames) = (sum + bytes, frames + 1);
            }
        }
        (sum, frames)
    }

    #[test]
    fn a_link_carries_at_most_20_megabytes_a_second() {
        let frame = 208 + 10 * MAX_BODIES;
        // those of a run are all sent
        assert_eq!(sent(frame).1, 10 * FRAMES);
        // of those with casts as many as the link carries, and the first
        let (bytes, frames) = sent(frame + 16 + 17 * MAX_BODIES);
        assert!(bytes < 200_000_000 && frames >= 100, "{bytes} bytes, {frames} frames");
    }

    #[test]
    fn some_come_at_once_and_then_at_the_rate() {
        let begin = Instant::now();
        let mut rate = Rate::new(50, 10, begin);
        let mut passed = 0;
        for ms in 0..2000 {
            let now = begin + Duration::from_millis(ms);
            while rate.wait(now).is_zero() {
                rate.pass(now);
                passed += 1;
            }
        }
        // 10 at once, and 50 a second of two seconds, less the last one, which would be at their end
        assert_eq!(passed, 10 + 100 - 1);
        assert_eq!(rate.wait(begin + Duration::from_secs(3)), Duration::ZERO);
    }
}
