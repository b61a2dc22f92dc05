//! Many systems that do not depend on each other: scattering experiments, planetary systems, triples.

use super::regularised::{Obstacle, Regularised};
use super::side_by_side::{Batch, Member};
use super::{MAX_BODIES, check_mass, put, sums};
use crate::error::Capability;
use crate::simd::{Level, launch};
use crate::solver::{Device, Gravity};
use crate::{Bodies, Error, Result};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The column of a file with the time at which the system of each body is, where systems of an ensemble have ended at different times.
pub const SYSTEM_TIME: &str = "system_time";

/// How a system has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// It was advanced to the end.
    Advanced,
    /// Two of its bodies touch. The system is where it is at that time, and is not advanced any further.
    Contact {
        /// Which of all bodies they are.
        pair: [usize; 2],
        /// The time since the beginning.
        time: f64,
    },
    /// Two bodies are so close that f64 has no step for them. Its bodies are where they were when that advance began.
    Collision {
        /// Which of all bodies they are.
        pair: [usize; 2],
        /// Their distance.
        distance: f64,
        /// The time since the beginning.
        time: f64,
    },
}

/// Systems of few bodies, each by algorithmic regularisation as a [`FewBody`](super::FewBody), with the same bits. Systems of the
/// same number of bodies are side by side in the lanes of vectors, on all threads; or on a GPU, one a thread.
///
/// ```
/// use manybody::few_body::{Ensemble, Outcome};
/// use manybody::{Bodies, solver::Gravity};
/// // two binaries, each of a mass of 1, of one period
/// let mut bodies = Bodies::default();
/// for [x, v] in [[0.5, 0.5], [-0.5, -0.5], [0.25, 1.0], [-0.25, -1.0]] {
///     bodies.push(0.5, [x, 0.0, 0.0], [0.0, v, 0.0]);
/// }
/// let mut pairs = Ensemble::new(&bodies, &[7, 7, 8, 8], &Gravity::new(1.0, 0.0))?;
/// pairs.advance(std::f64::consts::TAU)?;
/// assert_eq!(pairs.outcomes(), [Outcome::Advanced; 2]);
/// pairs.write(&mut bodies);
/// assert!((bodies.x[0] - 0.5).abs() < 1e-12);
/// # Ok::<(), manybody::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ensemble {
    members: Vec<Member>,
    /// Of each system in the order of first appearance: its place in `members`, which are in order of their numbers of bodies.
    places: Vec<usize>,
    names: Vec<u64>,
    level: Level,
    device: Device,
}

impl Ensemble {
    /// Systems at time 0: `system` has the number of the system of each body, any integers. Systems are in the order in which
    /// these first appear.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a system of more than [`MAX_BODIES`] bodies, for a body without mass, for two bodies of a system at
    /// one place without softening, where `system` is not of the length of the bodies, and for what MANYBODY_SIMD names if it is no
    /// level of this machine.
    pub fn new(bodies: &Bodies, system: &[u64], gravity: &Gravity) -> Result<Self> {
        if system.len() != bodies.len() {
            let expected = format!("must have a number for each of {} bodies", bodies.len());
            return Err(Error::Parameter { name: "system", value: format!("{} numbers", system.len()), expected });
        }
        let mut of: HashMap<u64, usize> = HashMap::new();
        let (mut names, mut groups): (Vec<u64>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        for (k, name) in system.iter().enumerate() {
            let at = *of.entry(*name).or_insert(names.len());
            if at == names.len() {
                names.push(*name);
                groups.push(Vec::new());
            }
            groups[at].push(k);
        }
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|at| groups[*at].len());
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, at)| places[*at] = place);
        let members = order.iter().map(|at| member(bodies, std::mem::take(&mut groups[*at]), names[*at], gravity));
        Ok(Ensemble {
            members: members.collect::<Result<_>>()?,
            places,
            names,
            level: Level::from_env()?,
            device: Device::Cpu,
        })
    }

    /// How many systems there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no system.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The number of each system.
    pub fn names(&self) -> &[u64] {
        &self.names
    }

    /// The bodies of a system among all, by its place in [`names`](Self::names).
    pub fn bodies_of(&self, system: usize) -> &[usize] {
        &self.members[self.places[system]].bodies
    }

    /// How often all forces of all systems were evaluated.
    pub fn evaluations(&self) -> u64 {
        self.members.iter().map(|member| member.system.evaluations).sum()
    }

    /// Ends the advance of a system where two of its bodies touch: their distance is the sum of their radii. One radius for each of
    /// all bodies; 0 for a point.
    ///
    /// # Panics
    /// If there are fewer radii than bodies.
    pub fn set_radii(&mut self, radius: &[f64]) {
        for member in &mut self.members {
            let own: Vec<f64> = member.bodies.iter().map(|k| radius[*k]).collect();
            member.system.touching = sums(&own);
        }
    }

    /// The vector instructions of the CPU.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Chooses the vector instructions, which change no bit.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a level that this machine does not have.
    pub fn set_level(&mut self, level: Level) -> Result<()> {
        self.level = level.on_this_machine()?;
        Ok(())
    }

    /// Chooses where the systems are advanced: on the CPU, or on CUDA, which has systems of up to [`MAX_BODIES_ON_CUDA`](super::MAX_BODIES_ON_CUDA)
    /// bodies that do not touch.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for wgpu, which has no f64, and for CUDA where this was built without GPUs.
    pub fn set_device(&mut self, device: Device) -> Result<()> {
        let expected = match device {
            Device::Cuda if !cfg!(feature = "gpu") => "this was built without GPUs",
            Device::Cpu | Device::Cuda => {
                self.device = device;
                return Ok(());
            }
            Device::Wgpu => "systems of few bodies are computed in f64: must be cpu or cuda",
        };
        Err(Error::Unsupported { capability: Capability::Device, value: device.to_string(), expected: expected.into() })
    }

    /// Advances all systems by a duration, which is met exactly, but those that have ended before.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a duration that is not a finite number; on CUDA [`Error::Unsupported`] for larger systems and bodies that
    /// touch, and those of the device.
    pub fn advance(&mut self, duration: f64) -> Result<()> {
        self.advance_watched(duration, &|_| false)
    }

    /// The same; `is_stopped` is asked again and again whether to give up, by all threads, and gets the number of systems that are
    /// done.
    ///
    /// # Errors
    /// As [`advance`](Self::advance), and [`Error::Interrupted`]: systems are then at different times.
    pub fn advance_watched(&mut self, duration: f64, is_stopped: &(dyn Fn(usize) -> bool + Sync)) -> Result<()> {
        if !duration.is_finite() {
            let expected = "must be a finite number".into();
            return Err(Error::Parameter { name: "duration", value: duration.to_string(), expected });
        }
        let (done, stops) = (AtomicUsize::new(0), AtomicBool::new(false));
        let watch = |ended: usize| {
            let is_stopped =
                stops.load(Ordering::Relaxed) || is_stopped(done.fetch_add(ended, Ordering::Relaxed) + ended);
            if is_stopped {
                stops.store(true, Ordering::Relaxed);
            }
            is_stopped
        };
        let level = self.level;
        for group in self.members.chunk_by_mut(|a, b| a.bodies.len() == b.bodies.len()) {
            match self.device {
                #[cfg(feature = "gpu")]
                Device::Cuda => super::on_cuda::advance(group, duration, &watch)?,
                _ => advance_group(group, duration, level, &watch),
            }
        }
        if stops.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// How each system has ended.
    pub fn outcomes(&self) -> Vec<Outcome> {
        self.each(Member::outcome)
    }

    /// The time of each system since the beginning.
    pub fn times(&self) -> Vec<f64> {
        self.each(|member| member.time)
    }

    /// The energies of each system, T and U (above 0) in the frame of its centre of mass: its energy is T - U.
    pub fn energies(&self) -> Vec<[f64; 2]> {
        self.each(|member| member.system.energies())
    }

    /// Writes positions and velocities of all systems to the bodies.
    ///
    /// # Panics
    /// If there are fewer bodies than in the systems.
    pub fn write(&self, bodies: &mut Bodies) {
        let Bodies { x, y, z, vx, vy, vz, .. } = bodies;
        for Member { system, bodies, .. } in &self.members {
            for (k, (place, velocity)) in bodies.iter().zip(system.place.iter().zip(&system.velocity)) {
                [x[*k], y[*k], z[*k]] = place.map(|q| q.hi);
                [vx[*k], vy[*k], vz[*k]] = velocity.map(|q| q.hi);
            }
        }
    }

    fn each<T>(&self, of: impl Fn(&Member) -> T) -> Vec<T> {
        self.places.iter().map(|place| of(&self.members[*place])).collect()
    }
}

impl Member {
    fn outcome(&self) -> Outcome {
        let names = |pair: [usize; 2]| pair.map(|k| self.bodies[k]);
        match self.ended {
            Ok(()) | Err(Obstacle::Stopped) => Outcome::Advanced,
            Err(Obstacle::Contact { pair, .. }) => Outcome::Contact { pair: names(pair), time: self.time },
            Err(Obstacle::Collision { pair, distance, after } | Obstacle::Long { pair, distance, after }) => {
                Outcome::Collision { pair: names(pair), distance, time: self.time + after }
            }
        }
    }
}

/// A system of these bodies.
fn member(bodies: &Bodies, of: Vec<usize>, name: u64, gravity: &Gravity) -> Result<Member> {
    if of.len() > MAX_BODIES {
        let expected = format!("system {name} has {} bodies: must be at most {MAX_BODIES}", of.len());
        return Err(Error::Parameter { name: "system", value: name.to_string(), expected });
    }
    check_mass(bodies, &of)?;
    for (at, i) in of.iter().enumerate() {
        for j in &of[at + 1..] {
            if bodies.position(*i) == bodies.position(*j) && gravity.eps2(bodies, *i, *j) == 0.0 {
                let [i, j] = [i, j].map(|k| format!("{k} (id {})", bodies.id[*k]));
                let expected =
                    format!("bodies {i} and {j} are at one place without softening: their force has no bound");
                return Err(Error::Parameter { name: "system", value: name.to_string(), expected });
            }
        }
    }
    let mut system = Regularised::default();
    put(&mut system, bodies, &of, gravity)?;
    Ok(Member { system, ended: Ok(()), bodies: of, time: 0.0 })
}

/// Advances systems of one number of bodies, on all threads.
fn advance_group(group: &mut [Member], duration: f64, level: Level, is_stopped: &(dyn Fn(usize) -> bool + Sync)) {
    let queue = Mutex::new(group.iter_mut());
    rayon::broadcast(|_| {
        let batch = |begun| Batch { queue: &queue, duration, is_stopped, begun };
        // the last ones without lanes that wait
        let left = launch(level, batch(Vec::new()));
        launch(Level::Scalar, batch(left));
    });
}
