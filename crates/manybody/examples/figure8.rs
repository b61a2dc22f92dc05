//! Three bodies that chase each other along an eight: after a period each is where it began, and how near depends on
//! the integrator.

use manybody::Result;
use manybody::ic::{self, FIGURE8_PERIOD};
use manybody::simulation::{Parameters, Simulation};

fn main() -> Result<()> {
    let start = ic::figure8();
    eprintln!("{:12} {:>22} {:>14}", "", "missed after a period", "energy error");
    for name in ["leapfrog", "leapfrog-dkd", "yoshida4", "yoshida6"] {
        let parameters = Parameters {
            dt: 1.0 / 256.0,
            t_end: FIGURE8_PERIOD, // met exactly: the last step is shorter
            eps: Some(0.0),
            integrator: name.parse()?,
            ..Parameters::default()
        };
        let mut run = Simulation::start(start.clone(), parameters)?;
        while !run.is_finished() {
            run.step()?;
        }
        let (first, last) = (&start.bodies, run.bodies()?);
        let apart = |i: usize| {
            let [a, b] = [first.position(i), last.position(i)];
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        let missed = (0..3).map(apart).fold(0.0, f64::max);
        let error = run.measure()?.drift_since(run.initial()).energy;
        eprintln!("{name:12} {missed:22.1e} {error:14.1e}");
    }
    Ok(())
}
