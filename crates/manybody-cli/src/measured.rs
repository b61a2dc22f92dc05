//! What is measured of bodies and their forces, for people and for programs: of a run, a file, and one evaluation.

use manybody::Units;
use manybody::audit::ForceErrors;
use manybody::diagnostics::{Diagnostics, energy_error_in_words};
use manybody::driver::words::bodies;
use manybody::events::Tally;
use manybody::units::show;
use serde_json::{Value, json};

/// "force error at 64 bodies, |da| / rms|a|: median 1.0e-8, ...".
pub(crate) fn force_errors(errors: &ForceErrors) -> String {
    let relative = errors.relative.map_or(String::new(), |p99| format!("; |da| / |a|: p99 {p99:.1e}"));
    let jerk = errors.jerk.map_or(String::new(), |most| format!("; |dj| / rms|j|: max {most:.1e}"));
    format!(
        "force error at {}, |da| / rms|a|: median {:.1e}, p99 {:.1e}, p99.9 {:.1e}, max {:.1e}{relative}{jerk}; sum of all \
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
        "potential": errors.potential,
        "jerk": errors.jerk,
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

/// Start and end beside each other, and what changed that should not have.
pub(crate) fn table(initial: &Diagnostics, tally: &Tally, last: &Diagnostics, units: &Units) -> String {
    let drift = last.drift_beside(initial, tally);
    let size = |v: [f64; 3]| v.iter().map(|q| q * q).sum::<f64>().sqrt();
    let time = |time: f64| format!("t = {}", show::time(time, units));
    let mut rows = vec![[String::new(), time(initial.time), time(last.time), "drift".into()]];
    let mut row = |name: &str, a: f64, b: f64, drift: String| rows.push([name.into(), digits(a), digits(b), drift]);
    let of = |drift: f64, text: String| if drift.is_nan() { "not conserved".into() } else { text };
    let energy = of(drift.energy, energy_error_in_words(drift.energy, initial.energy()));
    row("energy", initial.energy(), last.energy(), energy);
    if *tally != Tally::default() {
        // the drift is that beside it
        row("  by events", 0.0, tally.energy(), String::new());
    }
    row("  kinetic", initial.kinetic, last.kinetic, String::new());
    row("  potential", initial.potential, last.potential, String::new());
    let pushed = of(drift.momentum, format!("{:.1e} of sum m|v|", drift.momentum));
    row("momentum", size(initial.momentum), size(last.momentum), pushed);
    let turned = of(drift.angular_momentum, format!("{:.1e} of sum m|x × v|", drift.angular_momentum));
    row("angular momentum", size(initial.angular_momentum), size(last.angular_momentum), turned);
    row("virial ratio 2T/|W|", initial.virial_ratio(), last.virial_ratio(), String::new());
    let unit = show::length_unit(units).map_or(String::new(), |unit| format!(" / {unit}"));
    row(&format!("half-mass radius{unit}"), initial.half_mass_radius, last.half_mass_radius, String::new());
    let width = |column: usize, least: usize| {
        rows.iter().map(|row| row[column].chars().count() + 2).max().unwrap_or(0).max(least)
    };
    let (name, a, b) = (width(0, 20), width(1, 16), width(2, 16));
    let line =
        |row: &[String; 4]| format!("{:name$}{:>a$}{:>b$}   {}", row[0], row[1], row[2], row[3]).trim_end().to_owned();
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Nine digits, without an exponent where that can be read.
fn digits(value: f64) -> String {
    let size = value.abs();
    if value.is_nan() {
        // the virial ratio of a single body
        return "-".into();
    }
    if value == 0.0 || (1.0e-4..1.0e5).contains(&size) { format!("{value:.9}") } else { format!("{value:.8e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns never touch, however large the numbers are, and times have their units.
    #[test]
    fn columns_are_apart() {
        let of = |time: f64| {
            let mut found = Diagnostics::default();
            (found.time, found.kinetic, found.potential) = (time, 53_660.568_916_487, -1.234_567_890_12e15);
            (found.half_mass_radius, found.mass, found.momentum) = (98_765.432_1, 1e5, [1e-200, 0.0, 0.0]);
            found
        };
        for (name, begin, end) in [("msun-pc-kms", "t = 0 Myr", "t = 10 Myr"), ("henon", "t = 0", "t = 10.22712165")] {
            let units = Units::by_name(name).unwrap();
            let text = table(&of(0.0), &Tally::default(), &of(10.227_121_650_456_949), &units);
            assert!(text.lines().next().unwrap().contains(begin) && text.contains(end), "{text}");
            for line in text.lines().skip(1) {
                let words: Vec<&str> = line.split_whitespace().collect();
                let numbers = words.iter().filter(|word| word.parse::<f64>().is_ok() || **word == "-").count();
                assert!(numbers >= 2, "{line}");
            }
        }
    }
}
