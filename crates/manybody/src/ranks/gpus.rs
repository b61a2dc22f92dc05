//! Whether ranks can compute on a GPU each, where the device is left open.

use super::job::{self, Kind};
use super::resident::{MOST, own_gpus};
use super::shared::carry_out;
#[cfg(not(feature = "gpu"))]
use crate::Error;
use crate::Result;
use crate::solver::{Device, Method};
use manybody_ranks::Team;
use manybody_ranks::words::Reader;

/// Why the ranks of this thread do not compute on CUDA GPUs, one for each, that exchange what they compute; `None` where they
/// can. The first call asks all ranks; each opens its GPU.
pub(crate) fn obstacle(team: &Team) -> Option<&str> {
    team.without_gpus(|| find(team).unwrap_or_else(|error| Some(error.to_string())))
}

fn find(team: &Team) -> Result<Option<String>> {
    if !team.is_root() || team.has_ended() {
        return Ok(Some("the ranks are no longer together".into()));
    }
    if team.ranks() > MOST {
        return Ok(Some(format!("up to {MOST} ranks share on GPUs what computes each pair once")));
    }
    let method = Method { device: Device::Cuda, ..Method::default() };
    let mut words = Kind::Gpus.alone();
    job::put_method(&method, &mut words)?;
    carry_out(team, words, || of_own(method, team))
}

/// What another rank than 0 does.
pub(super) fn serve(reader: &mut Reader<'_>, team: &Team) -> Result<()> {
    let method = own_gpus(team, job::get_method(reader)?)?;
    of_own(method, team).map(drop)
}

#[cfg(feature = "gpu")]
fn of_own(method: Method, team: &Team) -> Result<Option<String>> {
    manybody_gpu::cuda::obstacle(method.gpus.ordinals(), team)
}

#[cfg(not(feature = "gpu"))]
fn of_own(_: Method, _: &Team) -> Result<Option<String>> {
    Err(Error::NoDevice { device: "cuda", how: "this program was built without GPUs".into() })
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::driver::device::choose;
    use crate::ranks::serve;
    use crate::solver::{DeviceChoice, Precision};
    use manybody_ranks::threads;

    /// Rank 0 of so many does `work`, and the others compute with it.
    fn on_ranks<R>(ranks: usize, work: impl FnOnce(&Team) -> R) -> R {
        let mut teams = threads::teams(ranks);
        let root = teams.remove(0);
        std::thread::scope(|scope| {
            for team in teams {
                scope.spawn(move || serve(&team).unwrap());
            }
            // dropped with a test that fails, so that the others end
            let root = root;
            let done = root.install(|| work(&root));
            root.leave(0, "");
            done
        })
    }

    #[test]
    fn ranks_without_a_gpu_each_compute_on_the_cpu() {
        let [first, second] = on_ranks(3, |team| [(); 2].map(|()| obstacle(team).map(str::to_owned)));
        assert_eq!(first, second);
        let here = manybody_gpu::cuda::count();
        assert_eq!(first.is_some_and(|why| why.contains("no NVIDIA GPU")), here == 0);
        let device = on_ranks(2, |_| choose(DeviceChoice::Auto, Precision::F32, 100_000));
        assert!(here > 1 || device == Device::Cpu, "{device}");
        assert!(on_ranks(9, |team| obstacle(team).map(str::to_owned)).unwrap().contains("up to 8"));
    }
}
