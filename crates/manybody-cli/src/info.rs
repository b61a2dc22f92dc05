//! `manybody info`: the content of a file, as far as it can be read.

use crate::console;
use manybody::cluster::{Cluster, FRACTIONS};
use manybody::diagnostics::Diagnostics;
use manybody::forces::Forcing;
use manybody::simulation::Errors;
use manybody::snapshot::{self, Checksum, ColumnOrder, Format, Header, ReadOptions, TipsyVariant};
use manybody::units::{Dimension, show};
use manybody::{Bodies, Snapshot, Units};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Show what a snapshot file holds
///
/// A damaged file is shown as far as it can be read; the exit status is then 2.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// File to read
    file: PathBuf,
    /// Format, whatever the file is called: hdf5, tipsy, nemo, csv, text
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// Order of plain text's columns: mass-first (m x y z vx vy vz), mass-last (x y z vx vy vz m)
    #[arg(long, value_name = "ORDER")]
    columns: Option<ColumnOrder>,
    /// Tipsy variant, where the content is taken for another: standard, native, nvidia, bonsai
    #[arg(long, value_name = "VARIANT")]
    tipsy: Option<TipsyVariant>,
    /// Which snapshot of a file that holds several, from 0; the last unless given
    #[arg(long, value_name = "K")]
    frame: Option<usize>,
    /// Exit with 1 where the content differs from what was written, by the file's checksum
    #[arg(long)]
    verify: bool,
    /// Measure energies, virial ratio and radii, whatever the number of bodies; without, up to 16,384
    #[arg(long)]
    diagnostics: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// Up to so many bodies a potential is computed without being asked for: a tenth of a second.
const MAX_MEASURED: usize = 16_384;

/// Shows the file.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let options = ReadOptions {
        format: args.from,
        columns: args.columns,
        tipsy: args.tipsy,
        frame: args.frame,
        unchecked: true,
        unverified: true,
        ..ReadOptions::default()
    };
    let metadata = std::fs::metadata(&args.file);
    let bytes = metadata.map_err(manybody::snapshot::atomic::io_error(&args.file, "read"))?.len();
    let mut report = Report { file: args.file.display().to_string(), bytes, ..Report::default() };
    match snapshot::read_with(&args.file, &options) {
        Ok(loaded) => {
            report.problems = problems(&loaded.snapshot);
            let wanted = args.diagnostics || loaded.snapshot.bodies.len() <= MAX_MEASURED;
            if report.problems.is_empty() && wanted {
                // whatever keeps it from being measured, the file can be shown
                match measure(&loaded.snapshot) {
                    Ok(measured) => report.measured = measured,
                    Err(error) => report.unmeasured = Some(error.to_string()),
                }
            }
            report.notes = loaded.notes;
            report.checksum = loaded.header.checksum.clone();
            // it has a line of its own
            report.notes.retain(|note| !matches!(&report.checksum, Checksum::Differs(problem) if problem == note));
            report.header = Some(loaded.header);
            report.snapshot = Some(loaded.snapshot);
        }
        Err(error @ manybody::Error::Io { .. }) => return Err(error.into()),
        Err(error) => {
            report.header = snapshot::header(&args.file, &options).ok();
            report.problems.push(error.to_string());
        }
    }
    if args.json {
        console::json(&report.json());
    } else {
        report.show();
    }
    let damaged = matches!(report.checksum, Checksum::Differs(_));
    Ok(match (report.problems.is_empty(), damaged && args.verify) {
        (_, true) => ExitCode::from(1),
        (true, false) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(2),
    })
}

#[derive(Default)]
struct Report {
    file: String,
    bytes: u64,
    header: Option<Header>,
    snapshot: Option<Snapshot>,
    checksum: Checksum,
    notes: Vec<String>,
    problems: Vec<String>,
    measured: Option<Measured>,
    /// Why it was not measured.
    unmeasured: Option<String>,
}

/// Energies, radii and measures of the cluster.
struct Measured {
    diagnostics: Diagnostics,
    cluster: Cluster,
    /// What acts between the bodies.
    forces: String,
    /// Whether that is gravity alone.
    is_gravity: bool,
    /// Why the energies are not known, if so.
    without_energy: Option<String>,
}

/// Measures a system under the forces of the run that wrote the file, or under gravity with the softening of the bodies;
/// `None` without mass.
fn measure(snapshot: &Snapshot) -> manybody::Result<Option<Measured>> {
    let Snapshot { bodies, time, meta, .. } = snapshot;
    if bodies.total_mass() == 0.0 {
        return Ok(None);
    }
    let mut forcing = match Forcing::from_snapshot(snapshot) {
        Ok(forcing) => forcing,
        // forces of a program, or with numbers in other units: radii are known without
        Err(error @ manybody::Error::Kept { entry: "run.forces" | "run.units", .. }) => {
            let diagnostics = Diagnostics::measure(bodies, *time, &vec![0.0; bodies.len()]);
            let cluster = Cluster::measure(bodies, None, None);
            let forces = meta.get("run.forces").map_or("those of the run", String::as_str).to_owned();
            let without_energy = Some(error.to_string());
            return Ok(Some(Measured { diagnostics, cluster, forces, is_gravity: false, without_energy }));
        }
        Err(error) => return Err(error),
    };
    let (diagnostics, potential) = forcing.measure(bodies, *time)?;
    let cluster = Cluster::measure(bodies, potential.as_deref(), forcing.gravity());
    let field = meta.get("run.field").map_or(String::new(), |field| format!(" in the field {field}"));
    Ok(Some(Measured {
        diagnostics,
        cluster,
        forces: format!("{}{field}", forcing.name()),
        is_gravity: forcing.gravity().is_some() && field.is_empty(),
        without_energy: potential.is_none().then(|| "these forces have no potential".to_owned()),
    }))
}

/// The values of each column that no computation can use.
fn problems(snapshot: &Snapshot) -> Vec<String> {
    let Bodies { x, y, z, vx, vy, vz, mass, eps, .. } = &snapshot.bodies;
    let named = [("x", x), ("y", y), ("z", z), ("vx", vx), ("vy", vy), ("vz", vz), ("mass", mass)];
    let eps = eps.iter().map(|eps| ("eps", eps));
    let mut problems = Vec::new();
    if !snapshot.time.is_finite() {
        problems.push(format!("time is {}", snapshot.time));
    }
    // NaN in an extra column says that there is nothing
    for (name, column) in &snapshot.bodies.extra {
        if let Some(first) = column.iter().position(|q| q.is_infinite()) {
            problems.push(format!("{name}: not all are finite; the first is {} of body {first}", column[first]));
        }
    }
    for (name, column) in named.into_iter().chain(eps) {
        let signed = !matches!(name, "mass" | "eps");
        let bad = |q: &f64| !q.is_finite() || (!signed && *q < 0.0);
        let count = column.iter().filter(|q| bad(q)).count();
        if let Some(first) = column.iter().position(bad) {
            let what = if signed { "not finite" } else { "not finite or negative" };
            let values = if count == 1 { "1 value is".into() } else { format!("{count} values are") };
            problems.push(format!("{name}: {values} {what}; the first is {} of body {first}", column[first]));
        }
    }
    problems
}

/// Smallest and largest finite value.
fn extent(column: &[f64]) -> [f64; 2] {
    let finite = column.iter().copied().filter(|q| q.is_finite());
    finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], q| [low.min(q), high.max(q)])
}

impl Report {
    fn extents(bodies: &Bodies) -> [[f64; 2]; 3] {
        [&bodies.x, &bodies.y, &bodies.z].map(|column| extent(column))
    }

    fn json(&self) -> serde_json::Value {
        let mut object = json!({
            "file": self.file, "bytes": self.bytes, "problems": self.problems, "notes": self.notes,
            "finite": self.snapshot.is_some() && self.problems.is_empty(),
        });
        let mut set = |key: &str, value| object[key] = value;
        if self.snapshot.is_some() {
            let (state, says) = match &self.checksum {
                Checksum::Absent => ("absent", None),
                Checksum::Whole(checksum) => ("whole", Some(checksum)),
                Checksum::Differs(problem) => ("differs", Some(problem)),
            };
            set("checksum", json!({"state": state, "says": says}));
        }
        if let Some(header) = &self.header {
            set("format", json!(header.format.name()));
            set("variant", json!(header.variant));
            set("frames", json!(header.frames));
            set("fields", json!(header.fields));
            set("n", json!(header.count));
            set("kinds", json!(header.kinds));
            set("time", json!(header.time));
        }
        if let Some(Snapshot { bodies, time, units, meta }) = &self.snapshot {
            let (position, velocity) = bodies.center_of_mass();
            let [x, y, z] = Report::extents(bodies);
            set("n", json!(bodies.len()));
            set("time", json!(time));
            set("units", json!({"name": units.name, "g": units.g, "si": units.si}));
            set("mass", json!(bodies.total_mass()));
            set("center_of_mass", json!(position));
            set("velocity", json!(velocity));
            set("extent", json!({"x": x, "y": y, "z": z}));
            set("softening", json!(bodies.eps.as_ref().map(|eps| extent(eps))));
            set("extra", json!(bodies.extra.keys().collect::<Vec<_>>()));
            set("meta", json!(meta));
        }
        if let Some(measured) = &self.measured {
            let mut diagnostics = crate::measured::diagnostics(&measured.diagnostics);
            if measured.without_energy.is_some() {
                for name in ["energy", "potential", "virial_ratio"] {
                    diagnostics[name] = serde_json::Value::Null;
                }
            }
            set("forces", json!(measured.forces));
            set("diagnostics", diagnostics);
            set("cluster", cluster_json(&measured.cluster));
        }
        if let Some(Ok(errors)) = self.snapshot.as_ref().map(Errors::from_snapshot) {
            let force = errors.force.as_ref().map(crate::measured::force_errors_json);
            set("errors", json!({"energy": errors.energy, "force": force}));
        }
        object
    }

    fn show(&self) {
        let line = |name: &str, value: String| console::say(format_args!("{name:<16} {value}"));
        line("file", format!("{} ({} bytes)", self.file, self.bytes));
        if let Some(header) = &self.header {
            let variant = if header.variant.is_empty() { String::new() } else { format!(", {}", header.variant) };
            line("format", format!("{}{variant}", header.format.title()));
            if header.frames > 1 {
                line("snapshots", header.frames.to_string());
            }
        }
        match (&self.snapshot, &self.header) {
            (Some(snapshot), header) => {
                show_snapshot(snapshot, header.as_ref(), &line);
                if let Some(measured) = &self.measured {
                    show_measured(measured, &snapshot.units, &line);
                    show_cluster(&measured.cluster, &snapshot.units, &line);
                }
                if let Some(why) = &self.unmeasured {
                    line("not measured", why.clone());
                }
            }
            (None, Some(header)) => {
                line("bodies", header.count.map_or("not known".into(), |n| format!("{n} claimed")));
                line("time", header.time.map_or("not known".into(), |t| t.to_string()));
            }
            (None, None) => {}
        }
        if let Some(header) = self.header.as_ref().filter(|header| !header.fields.is_empty()) {
            line("fields", header.fields.join("; "));
        }
        if self.snapshot.is_some() {
            match &self.checksum {
                Checksum::Absent => line("whole", "no checksum".into()),
                Checksum::Whole(checksum) => line("whole", format!("checksum {checksum}")),
                Checksum::Differs(problem) => line("damaged", problem.clone()),
            }
        }
        if self.snapshot.is_some() && self.problems.is_empty() {
            line("numbers", "all finite, masses 0 or more".into());
        }
        self.notes.iter().for_each(|note| line("note", note.clone()));
        self.problems.iter().for_each(|problem| line("problem", problem.clone()));
    }
}

fn show_measured(measured: &Measured, units: &Units, line: &impl Fn(&str, String)) {
    let Measured { diagnostics, forces, is_gravity, without_energy, .. } = measured;
    let kinetic = diagnostics.kinetic;
    let under = if *is_gravity { String::new() } else { format!(", under {forces}") };
    match without_energy {
        Some(why) => line("energy", format!("kinetic {kinetic:.6e}{under}; its potential is not known: {why}")),
        None => {
            let (energy, potential) = (diagnostics.energy(), diagnostics.potential);
            line("energy", format!("{energy:.6e}: kinetic {kinetic:.6e}, potential {potential:.6e}{under}"));
        }
    }
    let ratio = diagnostics.virial_ratio();
    if ratio.is_finite() && without_energy.is_none() {
        line("virial ratio", format!("{ratio:.6} (2T/|W|)"));
    }
    let length = |length: f64| show::length(format!("{length:.6e}").parse().unwrap_or(length), units);
    line("half-mass radius", length(diagnostics.half_mass_radius));
    if let Some(radius) = diagnostics.virial_radius(units.g).filter(|_| *is_gravity) {
        line("virial radius", length(radius));
    }
}

fn cluster_json(cluster: &Cluster) -> serde_json::Value {
    let radii = FRACTIONS.iter().zip(cluster.lagrangian_radii).map(|(f, r)| (format!("{}", 100.0 * f), r));
    let hardest = cluster.pairs.and_then(|pairs| pairs.hardest);
    json!({
        "density_centre": cluster.centre,
        "lagrangian_radii": radii.collect::<std::collections::BTreeMap<_, _>>(),
        "core_radius": cluster.core_radius,
        "velocity_dispersion": cluster.velocity_dispersion,
        "escapers": cluster.escapers,
        "bound_pairs": cluster.pairs.map(|pairs| pairs.count),
        "hardest": hardest.map(|pair| json!({
            "id": pair.id,
            "binding_energy": pair.binding_energy,
            "semi_major_axis": pair.semi_major_axis,
            "eccentricity": pair.eccentricity,
        })),
    })
}

fn show_cluster(cluster: &Cluster, units: &Units, line: &impl Fn(&str, String)) {
    let six = |value: f64| format!("{value:.6e}").parse().unwrap_or(value);
    let length = |length: f64| show::length(six(length), units);
    if let Some(radius) = cluster.core_radius {
        line("density centre", format!("{:?}", cluster.centre));
        line("core radius", length(radius));
    }
    let unit = show::unit(Dimension::VELOCITY, units).map_or(String::new(), |unit| format!(" {unit}"));
    line("dispersion", format!("{}{unit} along a line of sight", six(cluster.velocity_dispersion)));
    if let Some(escapers) = cluster.escapers {
        line("escapers", escapers.to_string());
    }
    let Some(pairs) = cluster.pairs else { return };
    let hardest = pairs.hardest.map_or(String::new(), |pair| {
        let ([a, b], axis) = (pair.id, length(pair.semi_major_axis));
        format!("; the hardest, ids {a} and {b}: a = {axis}, e = {:.4}", pair.eccentricity)
    });
    line("bound pairs", format!("{}{hardest}", pairs.count));
}

fn show_snapshot(snapshot: &Snapshot, header: Option<&Header>, line: &impl Fn(&str, String)) {
    let Snapshot { bodies, time, units, meta } = snapshot;
    let names = ["gas", "halo", "disc", "bulge", "stars", "boundary"];
    let kinds = header.map(|h| h.kinds).unwrap_or_default();
    let kinds: Vec<String> =
        kinds.iter().zip(names).filter(|(n, _)| **n > 0).map(|(n, k)| format!("{n} {k}")).collect();
    let n = bodies.len();
    line("bodies", if bodies.kind.is_some() { format!("{n}: {}", kinds.join(", ")) } else { n.to_string() });
    line("time", show::step(*time, units));
    let scale = units.si.map_or("no physical scale".into(), |[m, kg, s]| format!("{m:e} m, {kg:e} kg, {s:e} s"));
    line("units", format!("{}, G = {}, {scale}", units.name, units.g));
    let (position, velocity) = bodies.center_of_mass();
    line("mass", bodies.total_mass().to_string());
    line("centre of mass", format!("{position:?}"));
    line("its velocity", format!("{velocity:?}"));
    if n > 0 {
        let ranges = Report::extents(bodies).map(|[low, high]| format!("{low} to {high}"));
        let unit = show::length_unit(units).map_or(String::new(), |unit| format!(" {unit}"));
        let ranges = ranges.map(|range| format!("{range}{unit}"));
        line("extent", format!("x {}; y {}; z {}", ranges[0], ranges[1], ranges[2]));
    }
    if let Some(eps) = &bodies.eps {
        let [low, high] = extent(eps);
        line("softening", format!("{} to {}", show::length(low, units), show::length(high, units)));
    }
    if let Ok(errors) = Errors::from_snapshot(snapshot) {
        if let Some(energy) = errors.energy {
            line("energy error", format!("{energy:+.2e} since the run's start"));
        }
        if let Some(force) = errors.force {
            line("forces", crate::measured::force_errors(&force));
        }
    }
    for (key, value) in meta {
        let mut short: String = value.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect();
        if short.len() < value.len() {
            short.push_str("...");
        }
        line(key, short);
    }
}
