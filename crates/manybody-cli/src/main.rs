//! The command `manybody`.

fn main() {}
