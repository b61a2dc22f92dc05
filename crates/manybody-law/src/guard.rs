//! Other people's code that panics where an error is due: a parser on a damaged file, a driver's wrapper whose device
//! is lost.
//!
//! A panic is caught and becomes nothing, [`None`]; what it would have printed is kept off the screen by a program
//! whose panic hook asks [`is_guarded`].

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Runs `call`; `None` where it panicked. What it has changed is then to be thrown away.
pub fn guard<T>(call: impl FnOnce() -> T) -> Option<T> {
    DEPTH.set(DEPTH.get() + 1);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    DEPTH.set(DEPTH.get() - 1);
    outcome.ok()
}

/// Whether a panic of this thread would be caught by [`guard`] now.
pub fn is_guarded() -> bool {
    DEPTH.get() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_nothing() {
        assert_eq!(guard(|| guard(is_guarded)), Some(Some(true)));
        assert!(guard(|| -> () { panic!("a dependency's") }).is_none() && !is_guarded());
    }
}
