//! Bodies of which each rank has a part, in a ring: the bits of one process that has all of them.

use manybody_law::law::{Law, PairInputs};
use manybody_law::simd::Level;
use manybody_pairwise::{Bodies, ForceTerms, Forces, Gravity, Interpreter, Precision, Ring, direct};
use manybody_ranks::{Team, threads};

const GRAVITY: Gravity = Gravity::new(1.0, 0.02);
const ACCELERATION: ForceTerms = ForceTerms { potential: false, jerk: false };
const POTENTIAL: ForceTerms = ForceTerms { potential: true, jerk: false };
const JERK: ForceTerms = ForceTerms { potential: true, jerk: true };

/// What each of so many ranks returns, in their order.
fn on_ranks<R: Send>(ranks: usize, work: impl Fn(&Team) -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let work = &work;
        let all: Vec<_> = threads::teams(ranks)
            .into_iter()
            .map(|team| {
                scope.spawn(move || {
                    // threads of their own, as those of a process
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
                    let done = pool.install(|| work(&team));
                    // rank 0 leaves when no other waits for a letter
                    team.gather(Vec::new()).unwrap();
                    team.leave(0, "");
                    done
                })
            })
            .collect();
        all.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

/// Numbers from 0 to 1 that are the same every time.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

/// A cloud of bodies, far from the origin, of different masses.
fn bodies(n: usize) -> Bodies {
    let (mut bodies, mut state) = (Bodies::default(), n as u64);
    for _ in 0..n {
        let [a, b] = [100.0, 0.0].map(|middle| [(); 3].map(|()| middle + random(&mut state) - 0.5));
        bodies.push((0.1 + random(&mut state)) / n as f64, a, b);
    }
    bodies
}

/// The part of a rank, with nothing of the others.
fn part(bodies: &Bodies, ring: &Ring<'_>) -> Bodies {
    let (mut part, own) = (Bodies::default(), ring.own());
    for k in own.clone() {
        part.push(bodies.mass[k], bodies.position(k), [bodies.vx[k], bodies.vy[k], bodies.vz[k]]);
    }
    part.eps = bodies.eps.as_ref().map(|eps| eps[own].to_vec());
    part
}

fn columns(forces: &Forces) -> [&Vec<f64>; 7] {
    [&forces.ax, &forces.ay, &forces.az, &forces.jx, &forces.jy, &forces.jz, &forces.pot]
}

/// The columns of all ranks, one after the other.
fn joined(parts: &[Forces]) -> Vec<Vec<u64>> {
    (0..7).map(|k| parts.iter().flat_map(|part| columns(part)[k]).map(|x| x.to_bits()).collect()).collect()
}

fn whole(bodies: &Bodies, level: Level, precision: Precision, terms: ForceTerms) -> Vec<Vec<u64>> {
    let mut out = Forces::default();
    direct(level, precision).forces(bodies, &GRAVITY, terms, &mut out).unwrap();
    joined(&[out])
}

fn in_ring(bodies: &Bodies, ranks: usize, level: Level, precision: Precision, terms: ForceTerms) -> Vec<Vec<u64>> {
    let parts = on_ranks(ranks, |team| {
        let (ring, mut out) = (Ring::new(team, bodies.len()), Forces::default());
        ring.forces(level, precision, &part(bodies, &ring), &GRAVITY, terms, &mut out).unwrap();
        out
    });
    joined(&parts)
}

#[test]
fn gravity_has_the_bits_of_one_process() {
    // one line, a whole number of lines, and one body more; ranks without bodies among them
    for n in [1, 2, 65, 1024, 1025, 5000] {
        let bodies = bodies(n);
        for precision in [Precision::F64, Precision::F32] {
            for terms in [ACCELERATION, POTENTIAL, JERK] {
                let one = whole(&bodies, Level::best(), precision, terms);
                for ranks in [1, 2, 3, 4] {
                    let ring = in_ring(&bodies, ranks, Level::best(), precision, terms);
                    assert!(ring == one, "{n} bodies, {precision}, {terms:?}, {ranks} ranks");
                }
            }
        }
    }
}

#[test]
fn every_level_of_vectors_and_softenings_of_bodies_have_the_bits_of_one_process() {
    let mut bodies = bodies(3000);
    for level in Level::available() {
        for eps in [None, Some((0..3000).map(|k| 0.01 * f64::from(k % 4 + 1)).collect())] {
            bodies.eps = eps;
            for precision in [Precision::F64, Precision::F32] {
                let one = whole(&bodies, level, precision, POTENTIAL);
                assert!(in_ring(&bodies, 3, level, precision, POTENTIAL) == one, "{} {precision}", level.name());
            }
        }
    }
}

/// Softenings far above the size of the system, of all bodies and of the bodies' own, which then are units of length.
#[test]
fn soft_systems_have_the_bits_of_one_process() {
    let mut bodies = bodies(1500);
    for k in 0..bodies.len() {
        let at = bodies.position(k).map(|q| (q - 100.0) * 1e-12);
        [bodies.x[k], bodies.y[k], bodies.z[k]] = at;
    }
    for eps in [None, Some((0..1500).map(|k| 0.01 * f64::from(k % 4 + 1)).collect())] {
        bodies.eps = eps;
        for terms in [ACCELERATION, POTENTIAL, JERK] {
            let one = whole(&bodies, Level::best(), Precision::F32, terms);
            assert!(one[0].iter().any(|a| f64::from_bits(*a) != 0.0));
            assert!(in_ring(&bodies, 3, Level::best(), Precision::F32, terms) == one, "{terms:?}");
        }
    }
}

/// Leapfrog, with kicks and drifts of each rank's own bodies.
#[test]
fn steps_of_own_bodies_have_the_bits_of_one_process() {
    let (all, dt) = (bodies(2100), 1.0 / 64.0);
    let step = |bodies: &mut Bodies, forces: &mut dyn FnMut(&Bodies) -> Forces| {
        let Forces { ax, ay, az, .. } = forces(bodies);
        let Bodies { x, y, z, vx, vy, vz, .. } = bodies;
        for (q, v, a) in [(x, vx, ax), (y, vy, ay), (z, vz, az)] {
            v.iter_mut().zip(&a).for_each(|(v, a)| *v += a * dt);
            q.iter_mut().zip(v).for_each(|(q, v)| *q += *v * dt);
        }
    };
    let mut one = all.clone();
    for _ in 0..4 {
        step(&mut one, &mut |bodies| {
            let mut out = Forces::default();
            direct(Level::best(), Precision::F64).forces(bodies, &GRAVITY, ACCELERATION, &mut out).unwrap();
            out
        });
    }
    let parts = on_ranks(3, |team| {
        let ring = Ring::new(team, all.len());
        let mut own = part(&all, &ring);
        for _ in 0..4 {
            step(&mut own, &mut |own| {
                let mut out = Forces::default();
                ring.forces(Level::best(), Precision::F64, own, &GRAVITY, ACCELERATION, &mut out).unwrap();
                out
            });
        }
        own
    });
    let found: Vec<u64> = parts.iter().flat_map(|part| &part.x).map(|x| x.to_bits()).collect();
    assert_eq!(found, one.x.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
}

/// Sums, extremes, a count and a sum of logarithms; with and without the pair of a body with itself, and with columns of
/// sources alone.
const LAWS: [&str; 5] = [
    "body x[3], mass; d = j.x - i.x; r2 = dot(d, d) + 1e-4; sum f[3] = j.mass * d / (r2 * sqrt(r2)); self exclude",
    "body x[3]; d = j.x - i.x; min near = norm(d); max far = norm(d); self exclude",
    "body x[3]; source mass; d = j.x - i.x; sum s = exp(-dot(d, d)) * j.mass",
    "body x[3]; param h; r = norm(j.x - i.x); count n = r < h; self exclude",
    "body x[3]; logsumexp l = -norm(j.x - i.x); self exclude",
];

#[test]
fn laws_have_the_bits_of_one_process() {
    for n in [1, 700, 1025, 3000] {
        let bodies = bodies(n);
        for text in LAWS {
            let law = Law::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let par: &[f64] = if text.contains("param") { &[0.1] } else { &[] };
            for precision in [Precision::F64, Precision::F32] {
                let interpreter = Interpreter::new(&law, Level::best(), precision);
                let all = [&bodies.x[..], &bodies.y, &bodies.z, &bodies.mass];
                let one = interpreter.evaluate(&inputs(&law, &all, par)).unwrap();
                for ranks in [1, 2, 3, 4] {
                    let parts = on_ranks(ranks, |team| {
                        let ring = Ring::new(team, n);
                        let own = part(&bodies, &ring);
                        let columns = [&own.x[..], &own.y, &own.z, &own.mass];
                        ring.evaluate(&interpreter, &inputs(&law, &columns, par)).unwrap()
                    });
                    for (k, one) in one.iter().enumerate() {
                        let found = parts.iter().flat_map(|part| &part[k]);
                        let same = found.clone().map(|x| x.to_bits()).eq(one.iter().map(|x| x.to_bits()));
                        assert!(same && found.count() == n, "{text}: {n} bodies, {precision}, {ranks} ranks");
                    }
                }
            }
        }
    }
}

/// Columns of both roles of a law, of x, y, z and mass.
fn inputs<'a>(law: &Law, columns: &'a [&'a [f64]; 4], par: &'a [f64]) -> PairInputs<'a> {
    let count = |fields: &[manybody_law::law::Field]| fields.iter().map(|field| field.numbers()).sum::<usize>();
    PairInputs::roles(&columns[..count(law.body())], &columns[..count(law.partner())], par)
}

#[test]
fn an_error_of_one_rank_is_one_of_all() {
    let mut bodies = bodies(3000);
    bodies.mass[2500] = 0.0;
    let problems = on_ranks(3, |team| {
        let (ring, mut out) = (Ring::new(team, bodies.len()), Forces::default());
        let own = part(&bodies, &ring);
        let massless = ring.forces(Level::best(), Precision::F64, &own, &GRAVITY, POTENTIAL, &mut out);
        let (columns, less) = ([&own.x[..], &own.y, &own.z], own.len() - usize::from(team.rank() == 1));
        let columns = columns.map(|column| &column[..less]);
        let law = Law::parse(LAWS[1]).unwrap();
        let interpreter = Interpreter::new(&law, Level::best(), Precision::F64);
        let short = ring.evaluate(&interpreter, &PairInputs::one(&columns, &[])).map(drop);
        [massless, short].map(|problem| problem.unwrap_err().to_string())
    });
    for (rank, [massless, short]) in problems.iter().enumerate() {
        assert!(massless.contains("must not be 0 in a ring: that of body 2500 is"), "{massless}");
        assert_eq!(massless.starts_with("rank 2: "), rank != 2, "{massless}");
        assert!(short.contains("rank 1 must have bodies 1024..2048"), "{short}");
    }
}
