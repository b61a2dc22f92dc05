//! A scheme that is no splitting: Hermite with individual steps [Makino 1992, eqs. 5 to 8], as small as it can be. It
//! shows that the traits have room for it.

use super::tests::{distance, kepler};
use super::{ActiveBodies, Integrator, System};
use crate::simulation::HostSystem;
use crate::solver::{ForceTerms, Forces, Gravity, Reference};
use crate::{Bodies, Result};
use std::f64::consts::TAU;

/// Body i makes 2^levels\[i\] steps while the system makes one.
#[derive(Debug)]
struct Hermite {
    levels: Vec<u32>,
    /// How many forces on a body have been computed.
    evaluated: usize,
}

/// A body where its own step began.
#[derive(Clone)]
struct Begin {
    time: f64,
    x: [f64; 3],
    v: [f64; 3],
    a: [f64; 3],
    j: [f64; 3],
}

impl Begin {
    fn of(bodies: &Bodies, i: usize, forces: &Forces, k: usize, time: f64) -> Self {
        let j = [forces.jx[k], forces.jy[k], forces.jz[k]];
        Begin { time, x: bodies.position(i), v: bodies.velocity(i), a: forces.acceleration(k), j }
    }

    fn predicted(&self, time: f64) -> [[f64; 3]; 2] {
        let (Begin { x, v, a, j, .. }, t) = (self, time - self.time);
        let axes = [0, 1, 2];
        [
            axes.map(|q| x[q] + t * (v[q] + t / 2.0 * (a[q] + t / 3.0 * j[q]))),
            axes.map(|q| v[q] + t * (a[q] + t / 2.0 * j[q])),
        ]
    }

    fn corrected(&self, time: f64, a: [f64; 3], j: [f64; 3]) -> [[f64; 3]; 2] {
        let t = time - self.time;
        let axes = [0, 1, 2];
        let v = axes.map(|q| self.v[q] + t / 2.0 * (self.a[q] + a[q]) + t * t / 12.0 * (self.j[q] - j[q]));
        [axes.map(|q| self.x[q] + t / 2.0 * (self.v[q] + v[q]) + t * t / 12.0 * (self.a[q] - a[q])), v]
    }
}

fn put(bodies: &mut Bodies, i: usize, [x, v]: [[f64; 3]; 2]) {
    [bodies.x[i], bodies.y[i], bodies.z[i]] = x;
    [bodies.vx[i], bodies.vy[i], bodies.vz[i]] = v;
}

impl Hermite {
    fn forces(&mut self, bodies: &mut dyn ActiveBodies, active: &[usize], elapsed: f64) -> Result<Forces> {
        let mut forces = Forces::default();
        bodies.forces_on(active, elapsed, ForceTerms { potential: false, jerk: true }, &mut forces)?;
        self.evaluated += active.len();
        Ok(forces)
    }
}

impl Integrator for Hermite {
    fn name(&self) -> &'static str {
        "hermite"
    }

    fn order(&self) -> u32 {
        4
    }

    fn evaluations(&self) -> usize {
        1
    }

    fn begins_with_accelerations(&self) -> bool {
        true
    }

    fn step(&mut self, system: &mut dyn System, dt: f64) -> Result<()> {
        let bodies = system.active().expect("bodies in this machine's memory");
        let all: Vec<usize> = (0..bodies.bodies().len()).collect();
        let forces = self.forces(bodies, &all, 0.0)?;
        let mut begin: Vec<Begin> = all.iter().map(|i| Begin::of(bodies.bodies(), *i, &forces, *i, 0.0)).collect();
        let blocks = 1 << self.levels.iter().max().expect("bodies");
        for block in 1..=blocks {
            let time = dt * f64::from(block) / f64::from(blocks);
            let is_active = |i: &usize| (block << self.levels[*i]) % blocks == 0;
            let active: Vec<usize> = all.iter().copied().filter(is_active).collect();
            all.iter().for_each(|i| put(bodies.bodies_mut(), *i, begin[*i].predicted(time)));
            let forces = self.forces(bodies, &active, time)?;
            for (k, i) in active.iter().enumerate() {
                let new = Begin::of(bodies.bodies(), *i, &forces, k, time);
                let corrected = begin[*i].corrected(time, new.a, new.j);
                put(bodies.bodies_mut(), *i, corrected);
                begin[*i] = Begin { x: corrected[0], v: corrected[1], ..new };
            }
        }
        Ok(())
    }
}

/// One body makes four steps while the other makes one: fourth order, and forces on the active body only. The band of 0.3
/// holds the next term of the error, which is dt smaller.
#[test]
fn individual_steps_have_room() {
    let start = kepler(0.3);
    let error = |steps: usize| {
        let mut hermite = Hermite { levels: vec![0, 2], evaluated: 0 };
        let mut system = HostSystem::new(start.clone(), Gravity { g: 1.0, eps: 0.0 }, Box::new(Reference), 0.0);
        (0..steps).for_each(|_| hermite.step(&mut system, TAU / steps as f64).unwrap());
        // two at the beginning of a step, then one by one, and both at its end
        assert_eq!(hermite.evaluated, 7 * steps);
        distance(system.bodies(), &start)
    };
    let (coarse, fine) = (error(400), error(800));
    let measured = (coarse / fine).log2();
    assert!((measured - 4.0).abs() < 0.3 && fine > 1e-12, "{measured}: {coarse:e} -> {fine:e}");
}
