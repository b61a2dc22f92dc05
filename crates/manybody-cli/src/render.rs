//! `manybody render`: pictures and films of snapshots, by the crate `manybody-view`.

use crate::console::{json, say};
use crate::device::Threads;
use crate::writing::check_absent;
use manybody::snapshot::{self, ColumnOrder, ReadOptions};
use manybody::units::{Dimension, parse_quantity};
use manybody::{Error, Result, Units};
use manybody_view::camera::direction;
use manybody_view::film::{Output, Series};
use manybody_view::picture::{Centre, Framing};
use manybody_view::{ColourBy, Colours, Look, Size, Stretch};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draw pictures or a film of snapshots
///
/// Each body is a spot with its mass; brightness is the surface density, on a scale that shows core and halo. The
/// picture of one snapshot is a PNG file; several give numbered files (-o frame-%04d.png), a folder of files (-o
/// frames/) or, where ffmpeg is in the PATH, a film (-o film.mp4), all with the camera and the scales of the first.
/// Lengths may carry units.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Snapshots, in the order in which they are shown
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The picture (.png), pictures (frame-%04d.png, or a folder) or film (.mp4) to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Pixels: 1920x1080, or 1024 for a square; at most 16384 a side
    #[arg(long, value_name = "WxH", default_value_t = Size::default())]
    size: Size,
    /// What is in the middle: X,Y,Z, density or mass (of each snapshot) [default: the density centre of the first]
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true)]
    centre: Option<String>,
    /// The direction of sight: an axis, as x or -z, or X,Y,Z
    #[arg(long, value_name = "DIRECTION", default_value = "-z", allow_hyphen_values = true)]
    direction: String,
    /// What is up on the picture [default: y; z where y is along the direction]
    #[arg(long, value_name = "DIRECTION", allow_hyphen_values = true)]
    up: Option<String>,
    /// The length across the picture, by parallel rays [default: 95 % of the bodies fit]
    #[arg(long, value_name = "LENGTH", conflicts_with_all = ["distance", "fov"])]
    width: Option<String>,
    /// The distance of an eye from the centre, in place of parallel rays
    #[arg(long, value_name = "LENGTH")]
    distance: Option<String>,
    /// The angle across the picture from an eye, in degrees [default: 45]
    #[arg(long, value_name = "DEGREES")]
    fov: Option<f64>,
    /// What colours show: density, speed, mass or group (the galaxy, component or type of a body)
    #[arg(long, value_name = "WHAT", default_value = "density")]
    colour: ColourBy,
    /// The colour map: inferno, magma, plasma, viridis, cividis, turbo, cool, warm, gray [default: inferno for density,
    /// cool for others]
    #[arg(long, value_name = "NAME")]
    map: Option<Colours>,
    /// Speeds or masses at the ends of the colour map [default: those of 98 of 100 bodies]
    #[arg(long, value_name = "LOW,HIGH", value_parser = pair)]
    colour_range: Option<[f64; 2]>,
    /// From surface density to brightness: asinh, log or linear
    #[arg(long, value_name = "NAME", default_value = "asinh")]
    stretch: Stretch,
    /// Surface densities, mass by area, where logarithmic brightness begins and where it ends [default: half of a body
    /// alone, and the brightest pixel]
    #[arg(long, value_name = "LOW,HIGH", value_parser = pair)]
    range: Option<[f64; 2]>,
    /// Width of the Gaussian spot of a body, in pixels [default: by the number of bodies]
    #[arg(long, value_name = "PIXELS")]
    spot: Option<f64>,
    /// Leave out the time, the scale bar and the colour bar
    #[arg(long)]
    no_labels: bool,
    /// Pictures a second of a film
    #[arg(long, value_name = "RATE", default_value_t = 25.0)]
    fps: f64,
    /// Order of plain text's columns: mass-first (m x y z vx vy vz), mass-last (x y z vx vy vz m)
    #[arg(long, value_name = "ORDER")]
    columns: Option<ColumnOrder>,
    /// Replace pictures that exist
    #[arg(long)]
    force: bool,
    /// Print one JSON object a picture on stdout
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

/// Draws.
///
/// # Errors
/// Those of the words and of the files.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    crate::interrupt::end_at_once()?;
    args.threads.start()?;
    let output = Output::of(&args.out)?;
    check_outputs(&args, &output)?;
    let options = ReadOptions { columns: args.columns, ..ReadOptions::default() };
    snapshot::check_headers(&args.files, &options)?;
    let mut series: Option<Series> = None;
    for file in &args.files {
        let snapshot = snapshot::read_with(file, &options)?.snapshot;
        if snapshot.bodies.is_empty() {
            return Err(snapshot::nothing_to_show(file).into());
        }
        let series = match &mut series {
            Some(series) => series,
            // lengths are in the units of the first snapshot
            None => series.insert(Series::begin(look(&args, &snapshot.units)?, output.clone(), args.fps)?),
        };
        let path = series.add(&snapshot, file)?;
        say(format_args!("{}: {}", file.display(), path.display()));
        if args.json {
            json(&serde_json::json!({ "input": file, "output": path, "time": snapshot.time }));
        }
    }
    series.map_or(Ok(()), Series::end)?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses to replace files, and two pictures of one name, before anything is drawn.
fn check_outputs(args: &Args, output: &Output) -> Result<()> {
    let wrong = |path: &Path, expected: &str| {
        Err(Error::Parameter { name: "out", value: path.display().to_string(), expected: expected.into() })
    };
    let is_one = args.files.len() == 1;
    if let (Output::File(path), false) = (output, is_one) {
        return wrong(path, "one name for several pictures: must be as frame-%04d.png, a folder, or .mp4");
    }
    let mut paths: Vec<PathBuf> = args.files.iter().enumerate().map(|(k, file)| output.path(k, file)).collect();
    for path in &paths {
        check_absent("out", path, args.force)?;
    }
    paths.sort();
    match paths.windows(2).find(|pair| pair[0] == pair[1]).filter(|_| !matches!(output, Output::Film(_))) {
        Some(pair) => wrong(&pair[0], "two snapshots of one name: give a pattern, as frame-%04d.png"),
        None => Ok(()),
    }
}

fn look(args: &Args, units: &Units) -> Result<Look> {
    let length = |name: &'static str, text: &Option<String>| {
        let read = |text: &String| parse_quantity(text, Dimension::LENGTH, units).map_err(|e| named(e, name, text));
        text.as_ref().map(read).transpose()
    };
    let framing = match (length("width", &args.width)?, length("distance", &args.distance)?, args.fov) {
        (Some(width), _, _) => Framing::Width(width),
        (None, None, None) => Framing::Fit,
        (None, distance, field) => Framing::Eye { distance, field },
    };
    Ok(Look {
        size: args.size,
        centre: args.centre.as_deref().map_or(Ok(Centre::Chosen), |text| centre(text, units))?,
        direction: direction("direction", &args.direction)?,
        up: args.up.as_deref().map(|text| direction("up", text)).transpose()?,
        framing,
        colour: args.colour,
        colours: args.map,
        colour_range: args.colour_range,
        stretch: args.stretch,
        range: args.range,
        spot: args.spot,
        labels: !args.no_labels,
    })
}

/// "density", "mass", or three lengths.
fn centre(text: &str, units: &Units) -> Result<Centre> {
    match text {
        "density" => return Ok(Centre::Density),
        "mass" => return Ok(Centre::Mass),
        _ => {}
    }
    let point: Result<Vec<f64>> = text.split(',').map(|q| parse_quantity(q.trim(), Dimension::LENGTH, units)).collect();
    match point.ok().and_then(|point| <[f64; 3]>::try_from(point).ok()) {
        Some(point) => Ok(Centre::Point(point)),
        None => {
            let expected = "must be density, mass, or three lengths, as in 0,1.5,0".into();
            Err(Error::Parameter { name: "centre", value: text.into(), expected })
        }
    }
}

/// An error of a quantity, by the name of its option.
fn named(error: Error, name: &'static str, text: &str) -> Error {
    let expected = match error {
        Error::Parameter { expected, .. } => expected,
        other => other.to_string(),
    };
    Error::Parameter { name, value: text.into(), expected }
}

/// Two numbers, the smaller one first.
fn pair(text: &str) -> std::result::Result<[f64; 2], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let pair: Option<[f64; 2]> = numbers.and_then(|numbers| numbers.try_into().ok());
    let fits = |[low, high]: &[f64; 2]| low < high && low.is_finite() && high.is_finite();
    pair.filter(fits).ok_or_else(|| "must be two numbers, the smaller one first, as in 0.1,10".into())
}
