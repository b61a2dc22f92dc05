//! One suite for every device that is here: laws, pairs and sizes against the f64 oracle.
//!
//! On a machine without a GPU this runs on Mesa's lavapipe, if it is installed; what is skipped is printed.

#![allow(clippy::print_stdout)] // what is skipped is said

mod cases;
#[path = "../common/mod.rs"]
mod common;
mod gravity;
mod ieee;
mod laws;
mod ways;
