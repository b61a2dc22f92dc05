//! What is measured of bodies and their forces, for people and for programs: of a run, a file, and one evaluation.

use manybody::audit::ForceErrors;
use manybody::diagnostics::Diagnostics;
use manybody::driver::words::bodies;
use serde_json::{Value, json};

/// "force error at 64 bodies, |da| / rms|a|: median 1.0e-8, ...".
pub(crate) fn force_errors(errors: &ForceErrors) -> String {
    let relative = errors.relative.map_or(String::new(), |p99| format!("; |da| / |a|: p99 {p99:.1e}"));
    format!(
        "force error at {}, |da| / rms|a|: median {:.1e}, p99 {:.1e}, p99.9 {:.1e}, max {:.1e}{relative}; sum of all \
         forces {:.1e} of sum m|a|",
        bodies(errors.sample),
        errors.median,
        errors.p99,
        errors.p999,
        errors.max,
        errors.net
    )
}

/// The same for programs.
pub(crate) fn force_errors_json(errors: &ForceErrors) -> Value {
    json!({
        "sample": errors.sample,
        "median": errors.median,
        "p99": errors.p99,
        "p999": errors.p999,
        "max": errors.max,
        "net": errors.net,
        "relative_p99": errors.relative,
    })
}

/// Conserved quantities and measures of the system, for programs.
pub(crate) fn diagnostics(d: &Diagnostics) -> Value {
    json!({
        "time": d.time,
        "energy": d.energy(),
        "kinetic": d.kinetic,
        "potential": d.potential,
        "momentum": d.momentum,
        "angular_momentum": d.angular_momentum,
        "virial_ratio": d.virial_ratio(),
        "center_of_mass": d.center_of_mass,
        "half_mass_radius": d.half_mass_radius,
        "mass": d.mass,
    })
}
