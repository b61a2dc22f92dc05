//! A GRAPE in software: particles j with their motion, which is predicted, and what they do to particles i.

#[cfg(feature = "gpu")]
use super::resident::Resident;
use crate::border::{Failure, Outcome};
use crate::cunbody::of_environment;
use crate::gravity::{check_bodies, gravity};
use crate::settings::Chosen;
use crate::threads;
use manybody::Bodies;
#[cfg(feature = "gpu")]
use manybody::solver::Softening;
use manybody::solver::{self, Acting, ForceTerms, Forces, Precision};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// The largest address of a particle j.
const MAX_PARTICLES: usize = 1 << 26;

/// A particle j: where it was at a time, and how it moves.
#[derive(Clone, Copy)]
pub(super) struct Particle {
    pub(super) index: i32,
    pub(super) time: f64,
    pub(super) mass: f64,
    /// Snap / 24, jerk / 6, acceleration / 2.
    pub(super) snap: [f64; 3],
    pub(super) jerk: [f64; 3],
    pub(super) acceleration: [f64; 3],
    pub(super) velocity: [f64; 3],
    pub(super) position: [f64; 3],
}

/// An address that no particle has been set at.
const NO_PARTICLE: Particle = Particle {
    index: -1,
    time: 0.0,
    mass: 0.0,
    snap: [0.0; 3],
    jerk: [0.0; 3],
    acceleration: [0.0; 3],
    velocity: [0.0; 3],
    position: [0.0; 3],
};

impl Particle {
    /// Position and velocity at a time.
    fn at(&self, time: f64) -> ([f64; 3], [f64; 3]) {
        let dt = time - self.time;
        let Particle { snap: s, jerk: j, acceleration: a, velocity: v, position: x, .. } = self;
        let position = [0, 1, 2].map(|k| x[k] + dt * (v[k] + dt * (a[k] + dt * (j[k] + dt * s[k]))));
        let velocity = [0, 1, 2].map(|k| v[k] + dt * (2.0 * a[k] + dt * (3.0 * j[k] + dt * (4.0 * s[k]))));
        (position, velocity)
    }
}

/// Particles i, as the first half of a calculation takes them.
#[derive(Default)]
pub(super) struct Targets {
    pub(super) index: Vec<i32>,
    pub(super) bodies: Bodies,
    pub(super) eps2: f64,
    pub(super) h2: Vec<f64>,
}

/// A GRAPE.
#[derive(Default)]
pub(super) struct Cluster {
    particles: Vec<Particle>,
    pub(super) time: f64,
    targets: Targets,
    /// How many particles j act.
    acting: usize,
    /// The addresses of the indices of so many particles, where they are known.
    address_of: Option<(usize, HashMap<i32, usize>)>,
    /// The neighbours of each particle i, once they are read.
    neighbours: Vec<Vec<i32>>,
    /// Addresses of particles with negative masses, which are errors, or with numbers beyond [`LARGEST`].
    unusual: BTreeSet<usize>,
    #[cfg(feature = "gpu")]
    resident: Resident,
}

/// Forces on the particles i.
pub(super) struct Found {
    pub(super) forces: Forces,
    /// The indices of the nearest particles j, where they were found, too.
    pub(super) nearest: Option<Vec<i32>>,
}

/// The powers that forces have of smaller numbers are far below the limit of f64.
const LARGEST: f64 = 1e40;

impl Cluster {
    pub(super) fn set(&mut self, address: i32, particle: Particle) -> Outcome {
        let numbers = [particle.position, particle.velocity, particle.acceleration, particle.jerk, particle.snap];
        let is_finite = numbers.iter().flatten().chain([&particle.time, &particle.mass]).all(|q| q.is_finite());
        let at = usize::try_from(address).ok().filter(|at| *at < MAX_PARTICLES);
        let Some(at) = at else {
            return Err(Failure::Argument(format!("address = {address}; must be from 0, below {MAX_PARTICLES}")));
        };
        if !is_finite {
            return Err(Failure::Input(format!("the particle at address {address}: all its numbers must be finite")));
        }
        let known = self.particles.len();
        if at >= known {
            self.particles.resize(at + 1, NO_PARTICLE);
        }
        #[cfg(feature = "gpu")]
        (known.min(at)..=at).for_each(|address| self.resident.renew(address));
        if self.particles[at].index != particle.index {
            self.address_of = None;
        }
        let is_usual = |q: &f64| q.abs() <= LARGEST;
        match particle.mass >= 0.0 && numbers.iter().flatten().chain([&particle.mass]).all(is_usual) {
            true => self.unusual.remove(&at),
            false => self.unusual.insert(at),
        };
        self.particles[at] = particle;
        Ok(())
    }

    /// Takes particles i, on which the first `nj` particles j act.
    pub(super) fn begin(&mut self, nj: i32, targets: Targets) -> Outcome {
        let known = self.particles.len();
        let Some(acting) = usize::try_from(nj).ok().filter(|nj| *nj <= known) else {
            return Err(Failure::Argument(format!("nj = {nj}; must be 0 to {known}, the particles that are set")));
        };
        (self.targets, self.acting, self.neighbours) = (targets, acting, Vec::new());
        Ok(())
    }

    /// Forgets the particles i: where new ones cannot be taken, results must not be those of the last ones.
    pub(super) fn forget_targets(&mut self) {
        (self.targets, self.neighbours) = (Targets::default(), Vec::new());
    }

    /// How many particles i there are.
    pub(super) fn count(&self) -> usize {
        self.targets.index.len()
    }

    /// The neighbours of each particle i, once they are read.
    pub(super) fn neighbours(&self) -> &[Vec<i32>] {
        &self.neighbours
    }

    /// Finds the addresses of the indices of the particles j that act.
    fn find_addresses(&mut self) -> Outcome {
        if self.address_of.as_ref().is_some_and(|(acting, _)| *acting == self.acting) {
            return Ok(());
        }
        let acting = &self.particles[..self.acting];
        let mut address_of = HashMap::with_capacity(acting.len());
        for (address, particle) in acting.iter().enumerate().filter(|(_, particle)| particle.index >= 0) {
            if let Some(other) = address_of.insert(particle.index, address) {
                let index = particle.index;
                let text = format!("the particles at {other} and {address} have the same index, {index}");
                return Err(Failure::Input(text));
            }
        }
        self.address_of = Some((self.acting, address_of));
        Ok(())
    }

    /// The address of the particle j that particle i number `k` is.
    fn address(&self, k: usize) -> Option<usize> {
        let (_, address_of) = self.address_of.as_ref()?;
        address_of.get(&self.targets.index[k]).copied()
    }

    /// The addresses of the particles j that act: first those of the particles i that are among them, in the order of
    /// `which`, the particles i.
    fn order(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut which, mut order) = (Vec::new(), Vec::with_capacity(self.acting));
        let mut is_target = vec![false; self.acting];
        for k in 0..self.targets.index.len() {
            // one index may be asked for twice: each is computed alone then
            if let Some(address) = self.address(k).filter(|address| !is_target[*address]) {
                is_target[address] = true;
                which.push(k);
                order.push(address);
            }
        }
        order.extend((0..self.acting).filter(|address| !is_target[*address]));
        (which, order)
    }

    /// Particles j at the time of the particles i.
    fn predicted(&self, order: &[usize]) -> Bodies {
        let at = |address: &usize| (self.particles[*address].at(self.time), self.particles[*address].mass);
        let each: Vec<_> = order.par_iter().with_min_len(1 << 10).map(at).collect();
        let position = |k: usize| each.iter().map(|((x, _), _)| x[k]).collect();
        let velocity = |k: usize| each.iter().map(|((_, v), _)| v[k]).collect();
        Bodies {
            x: position(0),
            y: position(1),
            z: position(2),
            vx: velocity(0),
            vy: velocity(1),
            vz: velocity(2),
            mass: each.iter().map(|(_, mass)| *mass).collect(),
            id: (0..order.len() as u64).collect(),
            ..Bodies::default()
        }
    }

    /// Accelerations, jerks and potentials of the particles i.
    pub(super) fn forces(&mut self) -> Outcome<Found> {
        self.find_addresses()?;
        let chosen = of_environment()?;
        #[cfg(feature = "gpu")]
        if let Some((forces, nearest)) = self.forces_of_resident(&chosen)? {
            return Ok(Found { forces, nearest: Some(nearest) });
        }
        Ok(Found { forces: self.forces_by_address(&chosen)?, nearest: None })
    }

    /// Those of a GPU that has the particles j; `None` for another device, and where the other way names what is wrong.
    #[cfg(feature = "gpu")]
    fn forces_of_resident(&mut self, chosen: &Chosen) -> Outcome<Option<(Forces, Vec<i32>)>> {
        let Cluster { particles, time, targets, acting, unusual, resident, .. } = self;
        let method = chosen.method(Precision::F64, targets.index.len().max(*acting))?;
        let numbers = [&targets.bodies.x, &targets.bodies.y, &targets.bodies.z];
        let extreme = numbers.into_iter().flatten().any(|q| q.abs() > LARGEST);
        if chosen.softening() != Softening::Plummer
            || !Resident::suits(&method)
            || unusual.range(..*acting).next().is_some()
            || extreme
        {
            return Ok(None);
        }
        resident.forces(particles, *acting, *time, targets)
    }

    fn forces_by_address(&self, chosen: &Chosen) -> Outcome<Forces> {
        let n = self.targets.index.len();
        let terms = ForceTerms { potential: true, jerk: true };
        let gravity = gravity(1.0, self.targets.eps2.sqrt())?.softened(chosen.softening());
        threads::on(chosen.threads(), || {
            let mut out = Forces::zeros(n, terms);
            let (which, order) = self.order();
            let sources = self.predicted(&order);
            check_bodies(&sources)?;
            let method = chosen.method(Precision::F64, n.max(order.len()))?;
            let mut compute = |which: &[usize], acting: Acting<'_>| -> Outcome {
                if which.is_empty() {
                    return Ok(());
                }
                let targets = some(&self.targets.bodies, which);
                let found = solver::forces_between(&targets, acting, &gravity, terms, &method)?;
                put(&found, which, &mut out);
                Ok(())
            };
            compute(&which, Acting::Among(&sources))?;
            let mut is_done = vec![false; n];
            which.iter().for_each(|k| is_done[*k] = true);
            let left = (0..n).filter(|k| !is_done[*k]);
            let (again, others): (Vec<usize>, Vec<usize>) = left.partition(|k| self.address(*k).is_some());
            compute(&others, Acting::Others(&sources))?;
            for k in again {
                // one that is asked for once more: it comes first among those that act
                let address = self.address(k);
                let (own, rest): (Vec<usize>, Vec<usize>) = (0..order.len()).partition(|j| Some(order[*j]) == address);
                compute(&[k], Acting::Among(&some(&sources, &[own, rest].concat())))?;
            }
            out.check_finite(None)?;
            Ok(out)
        })
    }

    /// Calls `see` for each particle i with its number, its place and its index, and the particles j at its time.
    fn each<T: Send>(&self, see: impl Fn(usize, &Point, &[Point]) -> T + Sync) -> Outcome<Vec<T>> {
        let chosen = of_environment()?;
        threads::on(chosen.threads(), || {
            let acting = self.particles[..self.acting].iter().filter(|particle| particle.index >= 0);
            let points: Vec<Point> = acting.map(|p| Point { place: p.at(self.time).0, index: p.index }).collect();
            let own = |k: usize| Point { place: self.targets.bodies.position(k), index: self.targets.index[k] };
            Ok((0..self.targets.index.len()).into_par_iter().map(|k| see(k, &own(k), &points)).collect())
        })
    }

    /// The index of the nearest particle j of each particle i; -1 where there is no other.
    pub(super) fn nearest(&self) -> Outcome<Vec<i32>> {
        self.each(|_, own, points| {
            let mut nearest = (f64::INFINITY, -1);
            for point in points {
                let r2 = own.squared_distance(point);
                if r2 < nearest.0 && point.index != own.index {
                    nearest = (r2, point.index);
                }
            }
            nearest.1
        })
    }

    /// The indices of the particles j within the distance h of each particle i, in ascending order.
    pub(super) fn read_neighbours(&mut self) -> Outcome {
        self.neighbours = self.each(|k, own, points| {
            let is_near = |point: &&Point| own.squared_distance(point) < self.targets.h2[k] && point.index != own.index;
            let mut near: Vec<i32> = points.iter().filter(is_near).map(|point| point.index).collect();
            near.sort_unstable();
            near
        })?;
        Ok(())
    }
}

/// The place of a particle.
struct Point {
    place: [f64; 3],
    index: i32,
}

impl Point {
    fn squared_distance(&self, other: &Point) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| other.place[k] - self.place[k]);
        x * x + y * y + z * z
    }
}

/// Some of the bodies.
fn some(bodies: &Bodies, which: &[usize]) -> Bodies {
    let of = |column: &[f64]| which.iter().map(|k| column[*k]).collect();
    Bodies {
        x: of(&bodies.x),
        y: of(&bodies.y),
        z: of(&bodies.z),
        vx: of(&bodies.vx),
        vy: of(&bodies.vy),
        vz: of(&bodies.vz),
        mass: of(&bodies.mass),
        id: (0..which.len() as u64).collect(),
        ..Bodies::default()
    }
}

/// Writes the forces on some of the bodies.
fn put(found: &Forces, which: &[usize], out: &mut Forces) {
    let Forces { ax, ay, az, pot, jx, jy, jz } = out;
    let columns = [(ax, &found.ax), (ay, &found.ay), (az, &found.az), (pot, &found.pot)];
    let jerks = [(jx, &found.jx), (jy, &found.jy), (jz, &found.jz)];
    for (to, from) in columns.into_iter().chain(jerks) {
        which.iter().zip(from).for_each(|(k, value)| to[*k] = *value);
    }
}
