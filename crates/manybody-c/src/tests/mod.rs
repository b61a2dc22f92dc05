//! Every exported function: what it computes, beside the library's own, and what it refuses.

#![allow(unsafe_code)]
// calls the exported functions
// SAFETY of all: arrays have the sizes that are named beside them, or the call is one that must refuse them unread
#![allow(clippy::undocumented_unsafe_blocks)]

mod device;
mod grape;
mod gravity;
mod laws;
mod settings;
mod simulation;

use crate::error::mb_last_error;
use crate::settings::{mb_settings, mb_settings_free, mb_settings_new, mb_settings_set};
use crate::status::mb_status;
use manybody::{Bodies, ic};
use std::ffi::{CStr, CString};
use std::ptr::null_mut;

/// The message of the last error.
fn message() -> String {
    unsafe { CStr::from_ptr(mb_last_error()) }.to_string_lossy().into_owned()
}

/// Panics with the message where a call has failed.
#[track_caller]
fn good(status: mb_status) {
    assert!(status == mb_status::MB_OK, "{status:?}: {}", message());
}

/// Refuses a call that has not failed in this way, with these words.
#[track_caller]
fn bad(status: mb_status, expected: mb_status, words: &str) {
    assert!(status == expected && message().contains(words), "{status:?}, not {expected:?}: {}", message());
}

fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// Settings that are freed at the end.
struct Settings(*mut mb_settings);

impl Settings {
    fn of(words: &[(&str, &str)]) -> Self {
        let mut at = null_mut();
        good(unsafe { mb_settings_new(&mut at) });
        let settings = Settings(at);
        for (name, value) in words {
            good(settings.set(name, value));
        }
        settings
    }

    fn set(&self, name: &str, value: &str) -> mb_status {
        unsafe { mb_settings_set(self.0, c(name).as_ptr(), c(value).as_ptr()) }
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        unsafe { mb_settings_free(self.0) }
    }
}

/// A cluster of stars, as arrays.
struct Cluster {
    bodies: Bodies,
    x: Vec<f64>,
    v: Vec<f64>,
    m: Vec<f64>,
}

fn rows(columns: [&[f64]; 3]) -> Vec<f64> {
    let [x, y, z] = columns;
    x.iter().zip(y).zip(z).flat_map(|((x, y), z)| [*x, *y, *z]).collect()
}

impl Cluster {
    fn of(n: usize) -> Self {
        let bodies = ic::by_name("plummer", &ic::Request::new(n, 1)).unwrap().bodies;
        let x = rows([&bodies.x, &bodies.y, &bodies.z]);
        let v = rows([&bodies.vx, &bodies.vy, &bodies.vz]);
        Cluster { x, v, m: bodies.mass.clone(), bodies }
    }
}

/// The same bits.
#[track_caller]
fn same_bits(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    let differs = found.iter().zip(expected).position(|(a, b)| a.to_bits() != b.to_bits());
    assert!(differs.is_none(), "number {differs:?}: {:?}", differs.map(|k| (found[k], expected[k])));
}
