//! The particles j of a cluster in the memory of an NVIDIA GPU, which predicts them.

use super::cluster::{Particle, Targets};
use crate::border::Outcome;
use manybody::solver::{Device, Forces, Gpus, Method, Precision, SolverName};
use manybody_gpu::particles::{Particle as OnDevice, Particles, Target};

/// What a GPU has of a cluster.
#[derive(Default)]
pub(super) struct Resident {
    particles: Option<Particles>,
    /// Addresses of what the GPU does not have yet, each once.
    new: Vec<usize>,
    is_new: Vec<bool>,
}

impl Resident {
    /// Takes note of a particle that was set.
    pub(super) fn renew(&mut self, address: usize) {
        if address >= self.is_new.len() {
            self.is_new.resize(address + 1, false);
        }
        if !std::mem::replace(&mut self.is_new[address], true) {
            self.new.push(address);
        }
    }

    /// Whether a GPU with resident particles computes by this method: the first one, all pairs, in f64.
    pub(super) fn suits(method: &Method) -> bool {
        let of_all_pairs = matches!(method.solver, SolverName::Direct | SolverName::Symmetric | SolverName::Auto);
        method.device == Device::Cuda
            && method.precision == Precision::F64
            && method.gpus == Gpus::default()
            && of_all_pairs
    }

    /// Forces on targets, and the indices of the nearest particles. `None` where they are not finite: two particles at one
    /// place, or numbers beyond the range of f64.
    pub(super) fn forces(
        &mut self,
        all: &[Particle],
        acting: usize,
        time: f64,
        targets: &Targets,
    ) -> Outcome<Option<(Forces, Vec<i32>)>> {
        let mut particles = match self.particles.take() {
            Some(particles) => particles,
            None => {
                (0..all.len()).for_each(|address| self.renew(address));
                Particles::open(0)?
            }
        };
        // where memory grows it is lost, and all comes again
        if all.len() > particles.room() {
            (0..all.len()).for_each(|address| self.renew(address));
        }
        let new: Vec<OnDevice> = self.new.iter().map(|address| on_device(&all[*address], *address)).collect();
        particles.set(&new, all.len())?;
        self.new.drain(..).for_each(|address| self.is_new[address] = false);
        let bodies = &targets.bodies;
        let target = |(k, index): (usize, &i32)| Target {
            position: bodies.position(k),
            velocity: bodies.velocity(k),
            index: *index,
            pad: 0,
        };
        let at: Vec<Target> = targets.index.iter().enumerate().map(target).collect();
        let found = particles.forces(time, acting, &at, targets.eps2)?;
        // after an error the device is opened again, with all particles
        self.particles = Some(particles);
        Ok(Some(found).filter(|(forces, _)| forces.check_finite(None).is_ok()))
    }
}

fn on_device(particle: &Particle, address: usize) -> OnDevice {
    let Particle { index, time, mass, snap, jerk, acceleration, velocity, position } = *particle;
    OnDevice { time, mass, position, velocity, acceleration, jerk, snap, index, address: address as u32 }
}
