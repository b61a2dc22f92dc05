//! Tables and figures of cited papers, measured again, the published numbers beside ours: `manybody paper`.
//!
//! A reproduction is a file here and a line in `REPRODUCTIONS`.

pub use output::Output;

use manybody::settings::count;
use manybody::solver::{Device, DeviceChoice};
use std::path::PathBuf;

mod chamomile_table_2;
mod gpu_gems;
mod navarro;
mod output;
mod plot;
mod points;
mod trees;

/// What reproductions have in common.
#[derive(clap::Args)]
pub struct Options {
    /// Largest number of bodies [default: that of the paper]
    #[arg(long, value_name = "N", value_parser = count)]
    to: Option<u64>,
    /// Numbers of bodies instead of the paper's, separated by commas; for chamomile-table-2
    #[arg(short, long, value_name = "N", value_delimiter = ',', value_parser = count, conflicts_with = "to")]
    n: Vec<u64>,
    /// Seed of the bodies that are drawn [default: 1]; for chamomile-table-2
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Where to compute, separated by commas: cpu, cuda, wgpu [default: cpu and the GPUs that are here]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    device: Vec<DeviceChoice>,
    /// Evaluations that are timed a number; the fastest counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    /// Folder for plots, which are written as SVG and PNG
    #[arg(short, long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,
    /// Take the numbers from a file of JSON lines, as --json prints them, instead of measuring
    #[arg(long, value_name = "FILE", conflicts_with_all = ["to", "device", "threads", "json", "n", "seed"])]
    from: Option<PathBuf>,
    /// Print one JSON object a number on stdout
    #[arg(long)]
    json: bool,
}

/// A table or a figure.
struct Reproduction {
    name: &'static str,
    about: &'static str,
    /// Whether it draws bodies, of which the numbers and the seed can be chosen.
    draws_bodies: bool,
    run: fn(&Options, Output) -> anyhow::Result<()>,
}

/// All of them.
const REPRODUCTIONS: &[Reproduction] = &[
    Reproduction {
        name: "chamomile-table-2",
        about: "largest error of a sum of N forces in f32, for all summations [Hamada 2007, table 2]",
        draws_bodies: true,
        run: chamomile_table_2::run,
    },
    Reproduction {
        name: "chamomile-table-3",
        about: "a library call with all transfers, 2,048 to 131,072 bodies [Hamada 2007, table 3]",
        draws_bodies: false,
        run: gpu_gems::table_3,
    },
    Reproduction {
        name: "chamomile-tree",
        about: "calls by a tree and by an FMM beside all pairs, 2,048 bodies and more [Hamada 2007, sec. 4.4]",
        draws_bodies: false,
        run: trees::chamomile_tree,
    },
    Reproduction {
        name: "gpu-gems-31-5",
        about: "rate against the unrolling of the inner loop [Nyland 2007, fig. 31-5]",
        draws_bodies: false,
        run: gpu_gems::figure_5,
    },
    Reproduction {
        name: "gpu-gems-31-6",
        about: "rate against the number of bodies [Nyland 2007, fig. 31-6]",
        draws_bodies: false,
        run: gpu_gems::figure_6,
    },
    Reproduction {
        name: "gpu-gems-31-7",
        about: "rate against the size of a tile [Nyland 2007, fig. 31-7]",
        draws_bodies: false,
        run: gpu_gems::figure_7,
    },
    Reproduction {
        name: "gpu-gems-31-8",
        about: "rate against the threads of a body [Nyland 2007, fig. 31-8]",
        draws_bodies: false,
        run: gpu_gems::figure_8,
    },
    Reproduction {
        name: "gpu-gems-cpu",
        about: "CPU against GPU [Nyland 2007, sec. 31.6]",
        draws_bodies: false,
        run: gpu_gems::cpu,
    },
    Reproduction {
        name: "gpu-gems-fmm",
        about: "2^18 bodies: the near field of an FMM as all pairs, and the whole [Nyland 2007, sec. 31.6]",
        draws_bodies: false,
        run: trees::gpu_gems_fmm,
    },
    Reproduction {
        name: "navarro-figure-3",
        about: "square roots of the lambda map: times the bounding box, and how far each is right [Navarro 2016, fig. 3]",
        draws_bodies: false,
        run: navarro::figure_3,
    },
    Reproduction {
        name: "navarro-figure-5",
        about: "index maps of a triangle: dummy kernel, distances, collisions, times the bounding box [Navarro 2016, fig. 5]",
        draws_bodies: false,
        run: navarro::figure_5,
    },
    #[cfg(feature = "gpu")]
    Reproduction {
        name: "maps-gravity",
        about: "gravity through each index map, mirrored and one-sided, on GPUs",
        draws_bodies: false,
        run: navarro::gravity,
    },
];

/// Their names, each with a line, for help.
pub fn list() -> String {
    let line = |r: &Reproduction| format!("  {:20} {}\n", r.name, r.about);
    format!("Reproductions:\n{}", REPRODUCTIONS.iter().map(line).collect::<String>())
}

/// Runs a reproduction, which prints to `output`.
///
/// # Errors
/// [`manybody::Error::Unknown`] for an unknown name, and those of the computation.
pub fn run(name: &str, options: &Options, output: Output) -> anyhow::Result<()> {
    let Some(found) = REPRODUCTIONS.iter().find(|r| r.name == name) else {
        let known = REPRODUCTIONS.iter().map(|r| r.name).collect::<Vec<_>>().join(", ");
        return Err(manybody::Error::Unknown { what: "reproduction", name: name.into(), known }.into());
    };
    if !found.draws_bodies {
        options.refuse_bodies(found.name)?;
    }
    output.say(format_args!("{}: {}", found.name, found.about));
    (found.run)(options, output)
}

impl Options {
    /// The devices that were named.
    pub fn device(&self) -> &[DeviceChoice] {
        &self.device
    }

    /// Refuses the words about bodies that other reproductions have no use for.
    fn refuse_bodies(&self, name: &str) -> manybody::Result<()> {
        let said = match (self.n.first(), self.seed) {
            (Some(n), _) => ("n", n.to_string()),
            (None, Some(seed)) => ("seed", seed.to_string()),
            (None, None) => return Ok(()),
        };
        let expected = format!("{name} is measured on the bodies of the paper; --to bounds their number");
        Err(manybody::Error::Parameter { name: said.0, value: said.1, expected })
    }

    /// The devices to compute on: those named, or the CPU and every kind of GPU that is here and is no software.
    fn devices(&self) -> anyhow::Result<Vec<Device>> {
        use manybody::driver::device::choose;
        use manybody::solver::Precision;
        if !self.device.is_empty() {
            return Ok(self.device.iter().map(|choice| choose(*choice, Precision::F32, usize::MAX)).collect());
        }
        #[cfg(feature = "gpu")]
        let gpus: Vec<Device> =
            manybody_gpu::devices().iter().filter(|device| !device.is_software).map(|device| device.device).collect();
        #[cfg(not(feature = "gpu"))]
        let gpus: Vec<Device> = Vec::new();
        let mut devices: Vec<Device> = [Device::Cpu].into_iter().chain(gpus).collect();
        devices.dedup();
        Ok(devices)
    }
}
