//! Which of many spheres touch.

use manybody::Result;
use manybody::pairs::{Points, Spheres, collisions};

fn main() -> Result<()> {
    // 10,000 spheres of different sizes in a unit box
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let centers: Vec<f32> = (0..30_000).map(|_| random()).collect();
    let radii: Vec<f32> = (0..10_000).map(|_| 0.01 * random()).collect();
    let spheres = Spheres::new(Points::from_rows(&centers, 3)?, &radii)?;

    let touching = collisions(&spheres)?;
    eprintln!("{} pairs touch; the first: {:?}", touching.len(), touching.first());
    Ok(())
}
