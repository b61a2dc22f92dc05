//! The live view: `run --serve`, `--control` and `view`, with viewers good and bad.
#![cfg(all(unix, feature = "serve"))]

#[path = "../common/mod.rs"]
mod common;
mod control;
mod cost;
mod link;
mod served;
mod shown;
mod strangers;
