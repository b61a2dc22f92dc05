//! Triple-dipole energy and forces.

use super::{on_any_threads, points};
use crate::simd::Level;
use crate::{AxilrodTeller, Points};

/// Energy of one triangle as the paper writes it, with cosines.
fn energy(places: [[f64; 3]; 3]) -> f64 {
    let side =
        |a: usize, b: usize| -> f64 { (0..3).map(|d| (places[a][d] - places[b][d]).powi(2)).sum::<f64>().sqrt() };
    let (a, b, c) = (side(1, 2), side(0, 2), side(0, 1));
    let cosine = |opposite: f64, s: f64, t: f64| (s * s + t * t - opposite * opposite) / (2.0 * s * t);
    (1.0 + 3.0 * cosine(a, b, c) * cosine(b, a, c) * cosine(c, a, b)) / (a * b * c).powi(3)
}

/// Energy and forces by the triple loop; forces as central differences of the energy.
fn plain(points: &Points<f64>) -> (f64, Vec<[f64; 3]>) {
    let n = points.len();
    let place = |i: usize| [0, 1, 2].map(|d| points.column(d)[i]);
    let (mut total, mut force) = (0.0, vec![[0.0; 3]; n]);
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let places = [i, j, k].map(place);
                total += energy(places);
                for (atom, index) in [i, j, k].into_iter().enumerate() {
                    for d in 0..3 {
                        let moved = |step: f64| {
                            let mut places = places;
                            places[atom][d] += step;
                            energy(places)
                        };
                        force[index][d] -= (moved(1e-5) - moved(-1e-5)) / 2e-5;
                    }
                }
            }
        }
    }
    (total, force)
}

/// Points on a jittered lattice, so that no two are closer than 0.6.
fn gas(n: usize) -> Points<f64> {
    let side = (n as f64).cbrt().ceil() as usize;
    let jitter = points::<f64>(n, 3, 0.4, 7);
    let column = |d: usize| -> Vec<f64> {
        (0..n).map(|i| (i / side.pow(d as u32) % side) as f64 + jitter.column(d)[i]).collect()
    };
    let columns = [column(0), column(1), column(2)];
    Points::from_columns(&[&columns[0], &columns[1], &columns[2]]).unwrap()
}

#[test]
fn equals_the_triple_loop_at_every_vector_width() {
    for n in [0, 1, 2, 3, 4, 5, 31, 32, 33, 47] {
        let points = gas(n);
        let (energy, force) = plain(&points);
        let scale = force.iter().flatten().fold(1e-300_f64, |m, f| m.max(f.abs()));
        for level in Level::available() {
            let found = AxilrodTeller::new(1.0).unwrap().at_level(&points, level, None, None).unwrap();
            // both add up at most 16,215 terms of one size: 1e-16 x sqrt(16,215), and a margin of ten
            assert!((found.energy - energy).abs() <= 1e-13 * energy.abs(), "n = {n}, {}", level.name());
            for (d, along) in found.force.iter().enumerate() {
                for (found, expected) in along.iter().zip(&force) {
                    // central differences with a step of 1e-5: 1e-10 x third derivative, about 1e3 times the force
                    assert!((found - expected[d]).abs() < 3e-7 * scale, "n = {n}, {}", level.name());
                }
            }
        }
    }
}

#[test]
fn forces_add_up_to_nothing_and_turn_nothing() {
    let points = gas(100);
    let found = AxilrodTeller::new(3.0).unwrap().energy_and_forces(&points).unwrap();
    let size: f64 = found.force.iter().flatten().map(|f| f.abs()).sum();
    for d in 0..3 {
        let (e, f) = ((d + 1) % 3, (d + 2) % 3);
        let momentum: f64 = found.force[d].iter().sum();
        let torque = |i: usize| points.column(e)[i] * found.force[f][i] - points.column(f)[i] * found.force[e][i];
        let torque: f64 = (0..100).map(torque).sum();
        // each of 161,700 triples adds rounding of 1e-16 of its force; sums of absolute values bound them
        assert!(momentum.abs() < 1e-14 * size, "{momentum}");
        assert!(torque.abs() < 1e-13 * size, "{torque}");
    }
    // homogeneous of degree -9: the virial is 9 E
    let virial: f64 = (0..100).map(|i| (0..3).map(|d| points.column(d)[i] * found.force[d][i]).sum::<f64>()).sum();
    assert!((virial / (9.0 * found.energy) - 1.0).abs() < 1e-12);
}

#[test]
fn the_same_on_any_number_of_threads() {
    let points = gas(150);
    on_any_threads(|| AxilrodTeller::new(1.0).unwrap().energy_and_forces(&points).unwrap());
}

/// Atoms of the fcc lattice with nearest neighbours 1 apart, in a ball around one of them.
fn fcc_ball(radius: f64) -> Points<f64> {
    let m = (1.5 * radius) as i64 + 2;
    let mut rows = Vec::new();
    for x in -m..=m {
        for y in -m..=m {
            for z in -m..=m {
                let square = (x * x + y * y + z * z) as f64 / 2.0;
                if (x + y + z) % 2 == 0 && square <= radius * radius + 1e-9 {
                    // the atom in the middle comes first
                    let at = if square == 0.0 { 0 } else { rows.len() };
                    rows.splice(at..at, [x, y, z].map(|c| c as f64 / 2_f64.sqrt()));
                }
            }
        }
    }
    Points::from_rows(&rows, 3).unwrap()
}

/// The energy of all triples that the first atom is part of: what the total loses without it.
fn energy_of_first(points: &Points<f64>) -> f64 {
    let law = AxilrodTeller::new(1.0).unwrap();
    let columns = [0, 1, 2].map(|d| &points.column(d)[1..]);
    let rest = Points::from_columns(&columns).unwrap();
    law.energy_and_forces(points).unwrap().energy - law.energy_and_forces(&rest).unwrap().energy
}

#[test]
fn the_fcc_lattice_has_its_published_energy() {
    // The energy an atom of the fcc lattice, as argon has it, is 19.18293 nu/d^9, d the nearest-neighbour distance:
    // table IV of [RoblesNavarro2025] gives 6.782190 at unit density (d^9 = 2 sqrt 2), and a sum over the Brillouin
    // zone of the cube of the dipole tensor's Fourier transform gives 19.182932.
    // A third of the energy of the triples around one atom, in balls of radius 4 and 5; the rest falls as 1/R^3.
    let (four, five) = (energy_of_first(&fcc_ball(4.0)), energy_of_first(&fcc_ball(5.0)));
    let limit = (125.0 * five - 64.0 * four) / 61.0 / 3.0;
    // what the 1/R^3 law leaves is the unevenness of the shells: 2.3e-4 here
    assert!((limit / 19.18293 - 1.0).abs() < 5e-4, "{limit}");
    // the balls themselves, summed in another program (NumPy): 56.96379045 and 57.25568102
    assert!((four - 56.963_790_45).abs() < 1e-7 && (five - 57.255_681_02).abs() < 1e-7, "{four} {five}");
}

#[test]
fn a_periodic_crystal_is_the_same_around_every_atom() {
    // 5^3 cubic cells of side sqrt 2, cut-off a third of the box: 500 atoms
    let side = 5.0 * 2_f64.sqrt();
    let cutoff = side / 3.0;
    let mut rows = Vec::new();
    for x in 0..10 {
        for y in 0..10 {
            for z in 0..10 {
                if (x + y + z) % 2 == 0 {
                    // shifted, so that many pairs meet across the boundary
                    rows.extend([x, y, z].map(|c| f64::from(c) / 2_f64.sqrt() - 1.7));
                }
            }
        }
    }
    let crystal = Points::from_rows(&rows, 3).unwrap();
    let law = AxilrodTeller::new(1.0).unwrap().cutoff(cutoff).unwrap().periodic([side; 3]).unwrap();
    let found = law.energy_and_forces(&crystal).unwrap();
    // every triple within the cut-off around one atom lies in a ball of that radius, in open space
    let ball = fcc_ball(cutoff);
    let open = AxilrodTeller::new(1.0).unwrap().cutoff(cutoff).unwrap();
    let columns = [0, 1, 2].map(|d| &ball.column(d)[1..]);
    let rest = Points::from_columns(&columns).unwrap();
    let around_one = open.energy_and_forces(&ball).unwrap().energy - open.energy_and_forces(&rest).unwrap().energy;
    // rounding of sums of 1e5 terms
    assert!((found.energy / 500.0 / (around_one / 3.0) - 1.0).abs() < 1e-11, "{} {around_one}", found.energy);
    // by symmetry no atom feels a force; single triples pull with about 10
    assert!(found.force.iter().flatten().all(|f| f.abs() < 1e-10));
}

#[test]
fn bad_input_is_refused() {
    let law = AxilrodTeller::new(1.0).unwrap();
    let text = |r: crate::Result<AxilrodTeller>| r.unwrap_err().to_string();
    assert!(text(AxilrodTeller::new(f64::NAN)).contains("nu = NaN"));
    assert!(text(law.cutoff(-1.0)).contains("cutoff = -1"));
    assert!(text(law.periodic([1.0; 3])).contains("cutoff = none"));
    assert!(text(law.cutoff(0.4).unwrap().periodic([1.0; 3])).contains("cutoff = 0.4"));
    assert!(law.energy_and_forces(&points(5, 2, 1.0, 1)).unwrap_err().to_string().contains("2 dimensions"));
    let twins = Points::from_rows(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 5.0, 5.0, 5.0, 1.0, 0.0, 0.0], 3).unwrap();
    let error = law.energy_and_forces(&twins).unwrap_err().to_string();
    assert!(error.contains("atoms 1 and 3 at distance 0e0"), "{error}");
}
