//! `manybody ic`: initial conditions to a file.

use crate::console::{self, json, say};
use crate::model::{self, Choice};
use crate::writing::Writing;
use manybody::diagnostics::lagrangian_radii;
use manybody::settings;
use manybody::snapshot::{ColumnOrder, Snapshot};
use manybody::units::{Dimension, parse_quantity};
use manybody::{Error, Result, Units, ic};
use std::path::PathBuf;
use std::process::ExitCode;

/// Make initial conditions and write them to a file
#[derive(clap::Args)]
#[command(after_help = model::list())]
pub(crate) struct Args {
    /// The model; see the list below
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    choice: Choice,
    /// The file to write; its extension says the format: .hdf5 .tipsy .nemo .csv .txt
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// What the units of a model without a scale are to stand for: a mass in Msun and a length in pc, as 1e5:3 or
    /// 1e5Msun:3pc; in Henon units these are the whole mass and the virial radius
    #[arg(long, value_name = "MASS:LENGTH")]
    scale: Option<String>,
    /// With --scale MASS: the radius that is to hold half of the mass drawn, in place of the unit of length
    #[arg(long, value_name = "LENGTH", requires = "scale")]
    half_mass_radius: Option<String>,
    /// Order of plain text's columns: mass-first (m x y z vx vy vz), mass-last (x y z vx vy vz m)
    #[arg(long, value_name = "ORDER")]
    columns: Option<ColumnOrder>,
    #[command(flatten)]
    writing: Writing,
}

/// Makes and writes them. A parameter that the model does not have is an error.
///
/// # Errors
/// Those of the words and of the file.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    crate::interrupt::end_at_once()?;
    let format = args.writing.check("out", &args.out)?;
    let scale = match (&args.scale, &args.half_mass_radius) {
        (Some(text), None) => Some(scaled(text)?),
        _ => None,
    };
    let request = ic::Request {
        n: args.choice.model.settings.n.map(settings::bodies).transpose()?,
        seed: args.choice.model.settings.seed.unwrap_or(1),
        parameters: args.choice.parameters()?,
    };
    let mut made = ic::by_name(&args.name, &request)?;
    let scale = match (&args.scale, &args.half_mass_radius) {
        (Some(mass), Some(radius)) => Some(scaled_by_half_mass(mass, radius, &made)?),
        _ => scale,
    };
    convert(&mut made, &args, scale)?;
    let mut notes = Vec::new();
    let written = args.writing.write(&args.out, &made, format, args.columns, &mut notes)?;
    let (n, units) = (made.bodies.len(), &made.units.name);
    let (size, title, bytes) = (console::bodies(n), written.format.title(), written.bytes);
    say(format_args!("{}: {size} of {}, units {units}, {title}, {bytes} bytes", args.out.display(), args.name));
    if args.writing.json {
        json(&serde_json::json!({
            "model": args.name, "output": args.out, "format": written.format.name(), "n": n, "seed": request.seed,
            "time": made.time, "units": units, "bytes": bytes, "notes": notes,
        }));
    }
    Ok(ExitCode::SUCCESS)
}

/// Henon units with the scale "MASS:LENGTH".
fn scaled(text: &str) -> Result<Units> {
    Units::by_name(&format!("henon:{text}")).map_err(|error| Error::Parameter {
        name: "scale",
        value: text.into(),
        expected: match error {
            Error::Parameter { name, value, expected } => format!("{name} = {value}: {expected}"),
            _ => "must be a mass and a length, as 1e5:3 or 1e5Msun:3pc".into(),
        },
    })
}

/// Henon units whose mass unit is `mass`, and of a length in which half of the mass drawn is within `radius`.
fn scaled_by_half_mass(mass: &str, radius: &str, made: &Snapshot) -> Result<Units> {
    let wrong =
        |name, value: &str, expected: &str| Error::Parameter { name, value: value.into(), expected: expected.into() };
    if mass.contains(':') {
        return Err(wrong("scale", mass, "with --half-mass-radius only a mass must be given, as 1e5Msun"));
    }
    let reference = Units::msun_pc_kms();
    let length = parse_quantity(radius, Dimension::LENGTH, &reference)
        .map_err(|_| wrong("half-mass-radius", radius, "a length must be given, as 3pc"))?;
    let center = made.bodies.center_of_mass().0;
    let drawn = lagrangian_radii(&made.bodies, center, &[0.5])[0];
    if drawn.is_nan() || drawn <= 0.0 {
        return Err(wrong("half-mass-radius", radius, "half of the mass of these bodies is at one point"));
    }
    scaled(&format!("{mass}:{:?}pc", length / drawn))
}

/// Gives a model without a scale (G = 1, Henon units or not) its scale, then converts it; `meta` records the request.
fn convert(made: &mut Snapshot, args: &Args, scale: Option<Units>) -> Result<()> {
    let wrong = |name, value: &str, expected| Err(Error::Parameter { name, value: value.into(), expected });
    let mut words = String::new();
    if let (Some(scale), Some(text)) = (scale, &args.scale) {
        if made.units.si.is_some() {
            let expected = format!("{} has a scale already: its units are {}", args.name, made.units);
            return wrong("scale", text, expected);
        }
        // the scale's own name says henon, which a disc's units are not
        made.units = Units { name: scale.name.replacen("henon", &made.units.name, 1), ..scale };
        words += &format!(" --scale {text}");
        if let Some(radius) = &args.half_mass_radius {
            words += &format!(" --half-mass-radius {radius}");
        }
    }
    if let Some(units) = &args.writing.units {
        if made.units.si.is_none() && *units != made.units {
            let expected = format!("{} has no physical scale: give it one, as --scale 1e5Msun:3pc", args.name);
            return wrong("units", &units.name, expected);
        }
        made.convert_to(units)?;
        words += &format!(" --units {units}");
    }
    if let Some(asked) = made.meta.get_mut("ic") {
        *asked += &words;
    }
    Ok(())
}
