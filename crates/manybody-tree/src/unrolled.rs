//! What cells do to an expansion, without loops, for the orders that build.rs writes out.

use crate::taylor::{get, put};
use manybody_law::simd::Vector;

include!(concat!(env!("OUT_DIR"), "/unrolled.rs"));
