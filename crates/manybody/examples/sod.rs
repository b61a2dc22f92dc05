//! Sod's shock tube with SPH: density and motion are laws, the run is the library's, and the exact solution of the
//! Riemann problem judges [Sod 1978; Monaghan 1992].
//!
//! One dimension: parcels of equal mass on a line, eight times as dense on the left. Each brings its smoothing length,
//! so that it reaches as many neighbours everywhere. Ends are free; what they send inwards does not arrive in time.

use manybody::forces::{Accelerations, ForceModel, Forcing, with_inputs};
use manybody::law::builtin::sph::{DensityOf, MotionOf, kernels::CubicSpline};
use manybody::law::{EvaluateLaw, Law};
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::Precision;
use manybody::{Bodies, Result, Snapshot};

#[path = "sod/riemann.rs"]
pub(crate) mod riemann;
use riemann::{GAMMA, LEFT, RIGHT, State, exact};

const END: f64 = 0.2;
/// Where the ends cannot be felt until then.
const SEEN: f64 = 0.45;

/// The forces in a gas whose parcels have an internal energy u.
struct Gas {
    density: Law,
    motion: Law,
    advanced: [String; 1],
}

impl ForceModel for Gas {
    fn name(&self) -> String {
        "SPH in one dimension".into()
    }

    fn reads_velocities(&self) -> bool {
        true
    }

    fn advanced(&self) -> &[String] {
        &self.advanced
    }

    fn accelerations(&mut self, bodies: &Bodies, _time: f64, out: &mut Accelerations) -> Result<()> {
        let mut gas = bodies.clone();
        let evaluate = |law: &Law, gas: &Bodies, par: &[f64]| {
            with_inputs(law, gas, par, |inputs| law.evaluate(inputs, Precision::F64))
        };
        let of = |column: &str, gas: &Bodies, f: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
            gas.extra[column].iter().enumerate().map(|(k, x)| f(k, *x)).collect()
        };
        // h = 1.4 m / rho and rho(h) settle together; two turns follow a step's change
        for _ in 0..2 {
            gas.extra.insert("h".into(), of("rho", &gas, &|k, rho| 1.4 * bodies.mass[k] / rho));
            gas.extra.insert("rho".into(), evaluate(&self.density, &gas, &[])?.swap_remove(0));
        }
        gas.extra.insert("p".into(), of("rho", &gas, &|k, rho| (GAMMA - 1.0) * rho * gas.extra["u"][k]));
        gas.extra.insert("c".into(), of("u", &gas, &|_, u| (GAMMA * (GAMMA - 1.0) * u).sqrt()));
        let [ax, ay, az, du] = evaluate(&self.motion, &gas, &[1.0, 2.0])?.try_into().expect("four results");
        (out.forces.ax, out.forces.ay, out.forces.az) = (ax, ay, az);
        out.rates.insert("u".into(), du);
        out.columns.extend(gas.extra.remove_entry("rho"));
        Ok(())
    }
}

/// Parcels `spacing` apart on the left, up to `reach` from the middle on either side.
pub(crate) fn tube(spacing: f64, reach: f64) -> Result<Simulation> {
    let count = |spacing: f64| (reach / spacing) as i32;
    let (left, right) = (-count(spacing)..0, 0..count(8.0 * spacing));
    let mut bodies = Bodies::default();
    for (k, apart) in left.map(|k| (k, spacing)).chain(right.map(|k| (k, 8.0 * spacing))) {
        bodies.push(spacing, [(f64::from(k) + 0.5) * apart, 0.0, 0.0], [0.0; 3]);
    }
    let pick = |of: &dyn Fn(State) -> f64| bodies.x.iter().map(|x| of(if *x < 0.0 { LEFT } else { RIGHT })).collect();
    let (u, rho) = (pick(&|[rho, _, p]| p / ((GAMMA - 1.0) * rho)), pick(&|[rho, ..]| rho));
    bodies.extra = [("u".into(), u), ("rho".into(), rho)].into();
    let (density, motion) = (Law::of::<DensityOf<CubicSpline, 1>>()?, Law::of::<MotionOf<CubicSpline, 1>>()?);
    let gas = Gas { density, motion, advanced: ["u".into()] };
    // a step is a fifth of what sound takes through a smoothing length
    let parameters = Parameters { dt: 0.25 * spacing, t_end: END, ..Parameters::default() };
    Simulation::start_with(Snapshot { bodies, ..Snapshot::default() }, parameters, Forcing::new(gas))
}

/// Density, velocity and pressure of a parcel.
pub(crate) fn state(bodies: &Bodies, k: usize) -> State {
    let (rho, u) = (bodies.extra["rho"][k], bodies.extra["u"][k]);
    [rho, bodies.vx[k], (GAMMA - 1.0) * rho * u]
}

/// Mean differences from the exact density, velocity and pressure over the part that is seen.
pub(crate) fn errors(bodies: &Bodies) -> State {
    let mut sums = [0.0; 3];
    for k in (0..bodies.len()).filter(|k| bodies.x[*k].abs() < SEEN) {
        let (found, exact) = (state(bodies, k), exact(bodies.x[k] / END));
        // a parcel stands for the length m / rho
        (0..3).for_each(|q| sums[q] += (found[q] - exact[q]).abs() * bodies.mass[k] / found[0]);
    }
    sums.map(|sum| sum / (2.0 * SEEN))
}

fn main() -> Result<()> {
    for spacing in [0.005, 0.0025] {
        let mut run = tube(spacing, 0.75)?;
        let steps = run.advance(u64::MAX)?;
        let bodies = run.bodies()?;
        let [rho, v, p] = errors(bodies);
        eprintln!(
            "{} parcels, {steps} steps: mean error of density {rho:.4}, velocity {v:.4}, pressure {p:.4}",
            bodies.len()
        );
        eprintln!("     x   density  (exact)   velocity  (exact)   pressure  (exact)");
        for k in (0..bodies.len()).filter(|k| bodies.x[*k].abs() < SEEN).step_by(15) {
            let ([rho, v, p], x) = (exact(bodies.x[k] / END), bodies.x[k]);
            let found = state(bodies, k);
            eprintln!("{x:7.3}  {:.4} ({rho:.4})   {:7.4} ({v:.4})    {:.4} ({p:.4})", found[0], found[1], found[2]);
        }
    }
    Ok(())
}
