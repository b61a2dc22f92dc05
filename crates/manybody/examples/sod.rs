//! Sod's shock tube with SPH: density and motion are laws, the run is the library's, and the exact solution of the
//! Riemann problem judges [Sod 1978; Monaghan 1992].
//!
//! One dimension: parcels of equal mass on a line, eight times as dense on the left. Each brings its smoothing length,
//! so that it reaches as many neighbours everywhere. Ends are free; what they send inwards does not arrive in time.

use manybody::forces::{Forcing, LawForces, with_inputs};
use manybody::law::builtin::sph::{DensityOf, MotionOf, kernels::CubicSpline};
use manybody::law::{EvaluateLaw, Law};
use manybody::simulation::{Parameters, Simulation};
use manybody::solver::{Method, Precision};
use manybody::{Bodies, Result, Snapshot};

#[path = "sod/riemann.rs"]
pub(crate) mod riemann;
use riemann::{END, GAMMA, LEFT, RIGHT, State};

/// What follows from the mass and the internal energy u of parcels: density, smoothing length, pressure, speed of sound.
fn derive(density: &Law, gas: &mut Bodies) -> Result<()> {
    // h = 1.4 m / rho and rho(h) settle together; two turns follow a step's change
    for _ in 0..2 {
        let h = gas.mass.iter().zip(&gas.extra["rho"]).map(|(m, rho)| 1.4 * m / rho).collect();
        gas.extra.insert("h".into(), h);
        let mut rho = with_inputs(density, gas, &[], |inputs| density.evaluate(inputs, Precision::F64))?;
        gas.extra.insert("rho".into(), rho.swap_remove(0));
    }
    let (rho, u) = (&gas.extra["rho"], &gas.extra["u"]);
    let p = rho.iter().zip(u).map(|(rho, u)| (GAMMA - 1.0) * rho * u).collect();
    let c = u.iter().map(|u| (GAMMA * (GAMMA - 1.0) * u).sqrt()).collect();
    gas.extra.extend([("p".into(), p), ("c".into(), c)]);
    Ok(())
}

/// Parcels `spacing` apart on the left, up to `reach` from the middle on either side.
pub(crate) fn tube(spacing: f64, reach: f64) -> Result<Simulation> {
    let mut bodies = Bodies::default();
    let mut fill = |[rho, _, p]: State, spacing: f64, side: f64| {
        for k in 0..(reach / spacing) as usize {
            bodies.push(rho * spacing, [side * (k as f64 + 0.5) * spacing, 0.0, 0.0], [0.0; 3]);
            for (name, value) in [("u", p / ((GAMMA - 1.0) * rho)), ("rho", rho)] {
                bodies.extra.entry(name.into()).or_default().push(value);
            }
        }
    };
    fill(LEFT, spacing, -1.0);
    fill(RIGHT, 8.0 * spacing, 1.0);
    let (density, motion) = (Law::of::<DensityOf<CubicSpline, 1>>()?, Law::of::<MotionOf<CubicSpline, 1>>()?);
    let gas = LawForces::deriving(motion, vec![1.0, 2.0], &Method::default(), &bodies, move |b| derive(&density, b))?;
    // a step is a fifth of what sound takes through a smoothing length
    let parameters = Parameters { dt: 0.25 * spacing, t_end: END, ..Parameters::default() };
    Simulation::start_with(Snapshot { bodies, ..Snapshot::default() }, parameters, Forcing::new(gas))
}

fn main() -> Result<()> {
    for spacing in [0.005, 0.0025] {
        let mut run = tube(spacing, 0.75)?;
        run.advance(u64::MAX)?;
        riemann::report(run.bodies()?);
    }
    Ok(())
}
