//! What is opened once and serves many calls, one after the other.

use manybody_law::{Error, Result};
use std::sync::Mutex;

/// How many are kept at most.
const MAX_IDLE: usize = 16;

/// Those that no call uses.
pub(super) type Idle<T> = Mutex<Vec<T>>;

/// One of them, for one call at a time. It is idle again when this is dropped, unless the device has failed in between: what an
/// error or a panic leaves behind in a context or a stream would be found by a later call.
#[derive(Debug)]
pub(super) struct Lease<T: 'static> {
    // taken when it is dropped
    value: Option<T>,
    state: State,
    idle: &'static Idle<T>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Sound,
    Failed,
}

impl<T> Lease<T> {
    pub(super) fn new(value: T, idle: &'static Idle<T>) -> Self {
        Lease { value: Some(value), state: State::Sound, idle }
    }

    pub(super) fn get(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// Calls `work`. Where it returns an error of the device, or panics, this is used no more after the call.
    ///
    /// # Errors
    /// Those of `work`.
    pub(super) fn used<R>(&mut self, work: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        let Some(value) = &mut self.value else { return Err(gone()) };
        let before = std::mem::replace(&mut self.state, State::Failed); // a panic leaves it so
        let done = work(value);
        if !done.as_ref().is_err_and(is_of_device) {
            self.state = before;
        }
        done
    }

    /// Ends it before it is dropped.
    pub(super) fn end(&mut self) {
        if let (Some(value), State::Sound, Ok(mut idle)) = (self.value.take(), self.state, self.idle.lock())
            && idle.len() < MAX_IDLE
        {
            idle.push(value);
        }
    }
}

/// Whether the device has failed, and not its caller.
pub(super) fn is_of_device(error: &Error) -> bool {
    matches!(error, Error::Device { .. } | Error::NoDevice { .. })
}

pub(in crate::cuda) fn gone() -> Error {
    Error::Device { device: "cuda", problem: "the device was given back".into() }
}

impl<T> Drop for Lease<T> {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed() -> Error {
        Error::Device { device: "cuda", problem: "an illegal memory access was encountered".into() }
    }

    /// What calls on a device leave idle.
    fn left(idle: &'static Idle<u32>, calls: impl FnOnce(&mut Lease<u32>)) -> Vec<u32> {
        let mut lease = Lease::new(7, idle);
        calls(&mut lease);
        drop(lease);
        std::mem::take(&mut *idle.lock().unwrap())
    }

    #[test]
    fn a_device_that_has_failed_serves_no_later_call() {
        static IDLE: Idle<u32> = Mutex::new(Vec::new());
        assert_eq!(left(&IDLE, |_| ()), [7]);
        assert_eq!(left(&IDLE, |lease| assert_eq!(lease.used(|value| Ok(*value)).unwrap(), 7)), [7]);
        // wrong bodies and a stop are no failures of the device
        let of_caller = || Error::Parameter { name: "n", value: "-1".into(), expected: "must be above 0".into() };
        for error in [of_caller(), Error::Interrupted] {
            assert_eq!(left(&IDLE, |lease| assert!(lease.used(|_| Err::<(), _>(error)).is_err())), [7]);
        }
        assert_eq!(left(&IDLE, |lease| assert!(lease.used(|_| Err::<(), _>(failed())).is_err())), []);
        // a later success does not make it sound
        let then_success = |lease: &mut Lease<u32>| {
            assert!(lease.used(|_| Err::<(), _>(failed())).is_err());
            assert!(lease.used(|_| Ok(())).is_ok());
        };
        assert_eq!(left(&IDLE, then_success), []);
        let panics = |lease: &mut Lease<u32>| {
            let called = std::panic::AssertUnwindSafe(|| lease.used(|_| -> Result<()> { panic!("of this test") }));
            assert!(std::panic::catch_unwind(called).is_err());
        };
        assert_eq!(left(&IDLE, panics), []);
    }

    #[test]
    fn some_are_kept_and_not_more() {
        static IDLE: Idle<u32> = Mutex::new(Vec::new());
        drop((0..20).map(|k| Lease::new(k, &IDLE)).collect::<Vec<_>>());
        assert_eq!(IDLE.lock().unwrap().len(), MAX_IDLE);
    }
}
