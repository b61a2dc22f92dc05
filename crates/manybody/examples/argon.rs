//! The triple-dipole energy of solid argon: a crystal in a periodic box, and the published lattice sum.

use manybody::Result;
use manybody::pairs::{AxilrodTeller, Points};

fn main() -> Result<()> {
    let nu = 518.0; // hartree bohr^9
    let cell = 10.036; // bohr: side of the cubic cell at 0 K, 5.311 angstrom
    let cells = 6;
    let mut rows = Vec::new();
    for x in 0..2 * cells {
        for y in 0..2 * cells {
            for z in (0..2 * cells).filter(|z| (x + y + z) % 2 == 0) {
                rows.extend([x, y, z].map(|c| f64::from(c) * cell / 2.0));
            }
        }
    }
    let crystal = Points::from_rows(&rows, 3)?;
    let side = f64::from(cells) * cell;
    let law = AxilrodTeller::new(nu)?.cutoff(side / 3.0)?.periodic([side; 3])?;
    let result = law.energy_and_forces(&crystal)?;

    let kj_per_mol = 2_625.499_6; // a hartree
    let within = result.energy / crystal.len() as f64 * kj_per_mol;
    let neighbor = cell / 2_f64.sqrt();
    let everything = 19.182_93 * nu / neighbor.powi(9) * kj_per_mol;
    eprintln!("{} atoms, triples within {:.1} bohr: {within:.4} kJ/mol an atom", crystal.len(), side / 3.0);
    eprintln!("all triples [RoblesNavarro2025]:    {everything:.4} kJ/mol an atom");
    Ok(())
}
