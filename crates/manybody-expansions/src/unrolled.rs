//! What cells do to an expansion, without loops, for the orders that build.rs writes out, and the constants of what is harmonic.

use crate::harmonic::Way;
use crate::taylor::{get, put};
use manybody_law::simd::Vector;

include!(concat!(env!("OUT_DIR"), "/unrolled.rs"));
include!(concat!(env!("OUT_DIR"), "/along_z.rs"));
include!(concat!(env!("OUT_DIR"), "/constants.rs"));
