//! `manybody devices`: the devices of this machine, with their limits.

use crate::console::{json, say};
use serde_json::json;
use std::process::ExitCode;

/// List the devices that forces can be computed on, with their limits
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object a line on stdout
    #[arg(long)]
    json: bool,
}

/// Prints the devices.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let threads = std::thread::available_parallelism()?;
    let level = manybody::simd::Level::from_env()?.name();
    if args.json {
        json(&json!({"device": "cpu", "threads": threads, "simd": level, "precisions": ["f32", "mixed", "f64"]}));
    } else {
        say(format_args!("cpu     {threads} threads, {level}; f32, mixed, f64"));
    }
    #[cfg(feature = "gpu")]
    gpus(args.json);
    Ok(ExitCode::SUCCESS)
}

#[cfg(feature = "gpu")]
fn gpus(as_json: bool) {
    let found = manybody_gpu::devices();
    for info in &found {
        if as_json {
            json(&json!({
                "device": info.device.name(), "index": info.index, "name": info.name, "memory": info.memory,
                "driver": info.driver, "abilities": info.abilities, "software": info.is_software,
            }));
            continue;
        }
        let memory =
            info.memory.map_or(String::new(), |bytes| format!(", {:.0} GiB", bytes as f64 / f64::from(1 << 30)));
        let software = if info.is_software { ", computes on the CPU" } else { "" };
        say(format_args!(
            "{:7} {}{memory}{software}; {}; {}",
            info.device,
            info.name,
            info.driver,
            info.abilities.join(", ")
        ));
    }
    for (device, how) in manybody_gpu::missing(&found) {
        if as_json {
            json(&json!({"device": device.name(), "missing": how}));
        } else {
            say(format_args!("{device:7} missing: {how}"));
        }
    }
}
