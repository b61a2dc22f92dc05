//! Sod's shock tube with SPH: density and motion are laws, the leapfrog is the library's, and the exact solution of the
//! Riemann problem judges [Sod 1978; Toro 2009, ch. 4; Monaghan 1992].
//!
//! One dimension: parcels of equal mass on a line, eight times as dense on the left. Each brings its smoothing length,
//! so that it reaches as many neighbours everywhere. Ends are free; what they send inwards does not arrive in time.

use manybody::Result;
use manybody::integrator::{self, System};
use manybody::law::builtin::sph::{DensityOf, MotionOf, kernels::CubicSpline};
use manybody::law::{Law, Sets};
use manybody::simd::Level;
use manybody::solver::{Interpreter, Precision};

const GAMMA: f64 = 1.4;
const END: f64 = 0.2;
/// Where the ends cannot be felt until then.
pub(crate) const SEEN: f64 = 0.45;

/// Density, velocity and pressure.
type State = [f64; 3];
const LEFT: State = [1.0, 0.0, 1.0];
const RIGHT: State = [0.125, 0.0, 0.1];

/// The tube: columns of parcels.
pub(crate) struct Tube {
    density: Interpreter,
    motion: Interpreter,
    /// Places.
    pub(crate) x: Vec<f64>,
    /// Velocities.
    pub(crate) v: Vec<f64>,
    u: Vec<f64>,
    h: Vec<f64>,
    /// Densities.
    pub(crate) rho: Vec<f64>,
    m: Vec<f64>,
    acc: Vec<f64>,
    du: Vec<f64>,
    /// The length of the last kick: velocities are so far behind their places.
    behind: f64,
    moved: bool,
}

impl Tube {
    /// Parcels `spacing` apart on the left, up to `reach` from the middle on either side.
    pub(crate) fn new(spacing: f64, reach: f64) -> Result<Self> {
        let place = |k: i32, spacing: f64| (f64::from(k) + 0.5) * spacing;
        let count = |spacing: f64| (reach / spacing) as i32;
        let left = (-count(spacing)..0).map(|k| place(k, spacing));
        let x: Vec<f64> = left.chain((0..count(8.0 * spacing)).map(|k| place(k, 8.0 * spacing))).collect();
        let n = x.len();
        let energy = |[rho, _, p]: State| p / ((GAMMA - 1.0) * rho);
        let pick = |left: f64, right: f64| x.iter().map(|x| if *x < 0.0 { left } else { right }).collect::<Vec<_>>();
        let law = |law: Law| -> Result<Interpreter> { Ok(Interpreter::new(&law, Level::from_env()?, Precision::F64)) };
        Ok(Tube {
            density: law(Law::of::<DensityOf<CubicSpline, 1>>()?)?,
            motion: law(Law::of::<MotionOf<CubicSpline, 1>>()?)?,
            u: pick(energy(LEFT), energy(RIGHT)),
            rho: pick(LEFT[0], RIGHT[0]),
            h: vec![0.0; n],
            m: vec![spacing; n],
            v: vec![0.0; n],
            acc: vec![0.0; n],
            du: vec![0.0; n],
            behind: 0.0,
            moved: true,
            x,
        })
    }

    /// The pressure of a parcel.
    pub(crate) fn pressure(&self, k: usize) -> f64 {
        (GAMMA - 1.0) * self.rho[k] * self.u[k]
    }

    /// The longest step that is safe: a quarter of a smoothing length at the speed of sound and of motion.
    fn step(&self) -> f64 {
        let speed = |k: usize| (GAMMA * (GAMMA - 1.0) * self.u[k]).sqrt() + self.v[k].abs();
        (0..self.x.len()).map(|k| 0.25 * self.h[k] / speed(k)).fold(f64::INFINITY, f64::min)
    }

    /// Runs to the end; returns the number of steps.
    pub(crate) fn run(&mut self) -> Result<usize> {
        let mut leapfrog = integrator::by_name("leapfrog")?;
        self.accelerate()?;
        let (mut time, mut steps) = (0.0, 0);
        while time < END {
            let dt = self.step().min(END - time);
            leapfrog.step(self, dt)?;
            time += dt;
            steps += 1;
        }
        Ok(steps)
    }
}

impl System for Tube {
    fn drift(&mut self, dt: f64) -> Result<()> {
        self.x.iter_mut().zip(&self.v).for_each(|(x, v)| *x += dt * v);
        self.moved = true;
        Ok(())
    }

    fn kick(&mut self, dt: f64) -> Result<()> {
        self.v.iter_mut().zip(&self.acc).for_each(|(v, a)| *v += dt * a);
        self.u.iter_mut().zip(&self.du).for_each(|(u, du)| *u = (*u + dt * du).max(1e-6));
        self.behind = dt;
        Ok(())
    }

    fn accelerate(&mut self) -> Result<()> {
        if !self.moved {
            return Ok(());
        }
        let (n, zero) = (self.x.len(), vec![0.0; self.x.len()]);
        // h = 1.4 m / rho and rho(h) settle together; two turns follow a step's change
        for _ in 0..2 {
            self.h = (0..n).map(|k| 1.4 * self.m[k] / self.rho[k]).collect();
            let columns: [&[f64]; 5] = [&self.x, &zero, &zero, &self.m, &self.h];
            self.rho = self.density.evaluate(&Sets::one(&columns, &[]))?.swap_remove(0);
        }
        // viscosity and heat ask for velocities and energies of this time, not of half a step ago
        let v: Vec<f64> = (0..n).map(|k| self.v[k] + self.behind * self.acc[k]).collect();
        let u: Vec<f64> = (0..n).map(|k| (self.u[k] + self.behind * self.du[k]).max(1e-6)).collect();
        let p: Vec<f64> = (0..n).map(|k| (GAMMA - 1.0) * self.rho[k] * u[k]).collect();
        let c: Vec<f64> = u.iter().map(|u| (GAMMA * (GAMMA - 1.0) * u).sqrt()).collect();
        let columns: [&[f64]; 11] = [&self.x, &zero, &zero, &v, &zero, &zero, &self.m, &self.h, &self.rho, &p, &c];
        let mut result = self.motion.evaluate(&Sets::one(&columns, &[1.0, 2.0]))?;
        (self.du, self.acc) = (result.swap_remove(3), result.swap_remove(0));
        self.moved = false;
        Ok(())
    }
}

/// The exact solution at x / t [Toro 2009, ch. 4], for a rarefaction on the left and a shock on the right.
pub(crate) fn exact(xi: f64) -> State {
    let sound = |[rho, _, p]: State| (GAMMA * p / rho).sqrt();
    let (cl, cr) = (sound(LEFT), sound(RIGHT));
    let z = (GAMMA - 1.0) / (2.0 * GAMMA);
    // velocities behind a rarefaction from the left and a shock into the right, at pressure p
    let behind_rarefaction = |p: f64| 2.0 * cl / (GAMMA - 1.0) * (1.0 - (p / LEFT[2]).powf(z));
    let behind_shock = |p: f64| {
        let a = 2.0 / ((GAMMA + 1.0) * RIGHT[0]);
        (p - RIGHT[2]) * (a / (p + (GAMMA - 1.0) / (GAMMA + 1.0) * RIGHT[2])).sqrt()
    };
    let (mut low, mut high) = (RIGHT[2], LEFT[2]);
    for _ in 0..100 {
        let p = 0.5 * (low + high);
        if behind_rarefaction(p) > behind_shock(p) { low = p } else { high = p }
    }
    let (p, v) = (low, behind_shock(low));
    let rho_left = LEFT[0] * (p / LEFT[2]).powf(1.0 / GAMMA);
    let (g, ratio) = ((GAMMA - 1.0) / (GAMMA + 1.0), p / RIGHT[2]);
    let rho_right = RIGHT[0] * (ratio + g) / (g * ratio + 1.0);
    let shock = cr * ((GAMMA + 1.0) / (2.0 * GAMMA) * ratio + z).sqrt();
    if xi < -cl {
        LEFT
    } else if xi < v - sound([rho_left, v, p]) {
        let c = (2.0 * cl - (GAMMA - 1.0) * xi) / (GAMMA + 1.0);
        let rho = LEFT[0] * (c / cl).powf(2.0 / (GAMMA - 1.0));
        [rho, xi + c, LEFT[2] * (c / cl).powf(1.0 / z)]
    } else if xi < v {
        [rho_left, v, p]
    } else if xi < shock {
        [rho_right, v, p]
    } else {
        RIGHT
    }
}

/// Mean differences from the exact density, velocity and pressure over the part that is seen.
pub(crate) fn errors(tube: &Tube) -> State {
    let mut sums = [0.0; 3];
    for k in (0..tube.x.len()).filter(|k| tube.x[*k].abs() < SEEN) {
        let (found, exact) = ([tube.rho[k], tube.v[k], tube.pressure(k)], exact(tube.x[k] / END));
        // a parcel stands for the length m / rho
        (0..3).for_each(|q| sums[q] += (found[q] - exact[q]).abs() * tube.m[k] / tube.rho[k]);
    }
    sums.map(|sum| sum / (2.0 * SEEN))
}

fn main() -> Result<()> {
    for spacing in [0.005, 0.0025] {
        let mut tube = Tube::new(spacing, 0.75)?;
        let (steps, n) = (tube.run()?, tube.x.len());
        let [rho, v, p] = errors(&tube);
        eprintln!("{n} parcels, {steps} steps: mean error of density {rho:.4}, velocity {v:.4}, pressure {p:.4}");
        eprintln!("     x   density  (exact)   velocity  (exact)   pressure  (exact)");
        for k in (0..n).filter(|k| tube.x[*k].abs() < SEEN).step_by(15) {
            let [rho, v, p] = exact(tube.x[k] / END);
            let (x, found) = (tube.x[k], [tube.rho[k], tube.v[k], tube.pressure(k)]);
            eprintln!("{x:7.3}  {:.4} ({rho:.4})   {:7.4} ({v:.4})    {:.4} ({p:.4})", found[0], found[1], found[2]);
        }
    }
    Ok(())
}
