//! Which block of a triangle each block of a launch works on, under each strategy.

use manybody::Result;
use manybody::map::{Diagonal, Layer, Map, Mask, Tetrahedron, Triangle};

fn main() -> Result<()> {
    for name in [Triangle::BoundingBox, Triangle::RectangularBox, Triangle::Recursive, Triangle::Utm, Triangle::Lambda]
    {
        let map = name.of(6, Diagonal::With)?;
        eprintln!("{name}: {} blocks launched for {} with work", map.blocks(), map.cells());
        for i in 0..6 {
            let row: Vec<_> = (0..=i).filter_map(|j| map.block([i, j])).map(|w| format!("{w:>3}")).collect();
            eprintln!("  {}", row.join(" "));
        }
    }

    // the published root in f32 goes wrong; the corrected one does not
    let w = 10_619_135;
    for name in [Triangle::LambdaF32, Triangle::Lambda] {
        eprintln!("{name}: block {w} works on {:?}", name.of(5_000, Diagonal::With)?.cell(w));
    }

    let tetrahedron = Tetrahedron::new(1_000, Diagonal::With, Layer::Cubic)?;
    eprintln!("the last of {} blocks of a tetrahedron: {:?}", tetrahedron.cells(), tetrahedron.cell(167_166_999));

    // only the blocks that a mask names
    let mask = Mask::from_fn(4, 4, |i, j| (i + j) % 3 == 0)?;
    eprintln!("{:?}", (0..mask.cells()).filter_map(|w| mask.cell(w)).collect::<Vec<_>>());
    Ok(())
}
