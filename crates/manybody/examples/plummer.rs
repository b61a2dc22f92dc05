//! A cluster of stars in equilibrium, run for a time unit and watched: energy, virial ratio, the radii of its shells.

use manybody::diagnostics::lagrangian_radii;
use manybody::ic::{self, Request};
use manybody::simulation::{Parameters, Simulation};
use manybody::{Result, snapshot};

fn main() -> Result<()> {
    let cluster = ic::by_name("plummer", &Request::new(1024, 1))?;
    let parameters = Parameters { dt: 1.0 / 128.0, t_end: 1.0, eps: Some(1.0 / 32.0), ..Parameters::default() };
    let mut run = Simulation::start(cluster, parameters)?;

    eprintln!("{:>6} {:>12} {:>8}   radii that hold 10 %, 50 % and 90 % of the mass", "time", "energy error", "2T/|W|");
    loop {
        if run.clock().step().is_multiple_of(32) {
            let now = run.measure()?;
            let error = now.drift_since(run.initial()).energy;
            let shells = lagrangian_radii(run.bodies()?, now.center_of_mass, &[0.1, 0.5, 0.9]);
            let [inner, half, outer] = [shells[0], shells[1], shells[2]];
            eprintln!("{:6.3} {error:12.1e} {:8.4}   {inner:.3} {half:.3} {outer:.3}", run.time(), now.virial_ratio());
        }
        if run.is_finished() {
            break;
        }
        run.step()?;
    }

    let path = std::env::temp_dir().join("manybody_plummer.hdf5");
    run.with_snapshot(|last| snapshot::write(&path, last))?;
    eprintln!("h5py, yt and pynbody open {}", path.display());
    Ok(())
}
