//! Measures the plots of docs/accuracy.md again: the largest force error as a function of the number of bodies, of the
//! distance from the origin, of the distance between two clusters, and of the softening, for each precision and some
//! summations.
//!
//!     cargo run --release --example accuracy -- docs/accuracy 131072
//!
//! Without arguments, it uses few bodies and a folder for temporary files.

#![allow(clippy::print_stdout)]

use manybody::solver::{self, Device, ForceTerms, Forces, Gravity, Method, Precision, SolverName, Summation};
use manybody::{Bodies, Result, audit, ic};
use plotters::prelude::*;
use std::path::Path;

/// Name, solver, precision, summation, colour.
type Line = (&'static str, SolverName, Precision, Summation, RGBColor);

const METHODS: [Line; 5] = [
    ("f32, direct sums", SolverName::Direct, Precision::F32, Summation::Direct, RGBColor(204, 121, 167)),
    ("f32 (symmetric)", SolverName::Symmetric, Precision::F32, Summation::Blocked(None), RGBColor(213, 94, 0)),
    ("f32, f64 sums", SolverName::Direct, Precision::F32, Summation::F64, RGBColor(230, 159, 0)),
    ("mixed", SolverName::Direct, Precision::Mixed, Summation::Blocked(None), RGBColor(0, 158, 115)),
    ("f64 (symmetric)", SolverName::Symmetric, Precision::F64, Summation::Blocked(None), RGBColor(0, 114, 178)),
];

/// How many bodies are compared with the reference.
const SAMPLE: usize = 2048;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    // the machine's fonts are not looked for; the answer says whether it was the first time
    let _ = plotters::style::register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().map_or(std::env::temp_dir(), Into::into);
    let most: usize = arguments.next().map_or(Ok(1024), |text| text.parse())?;
    std::fs::create_dir_all(&folder)?;

    let sizes: Vec<usize> = (6..=20).map(|k| 1 << k).filter(|n| *n <= most).collect();
    let of_size = |n: usize| Ok((cluster(n)?, 0.01));
    let points = series(&sizes, |n| *n as f64, |n| of_size(*n))?;
    plot(&folder.join("bodies.svg"), "bodies of a Plummer sphere, eps = 0.01", &points)?;

    let distances: Vec<f64> = (0..=8).map(|k| 10.0_f64.powi(k)).collect();
    let points = series(&distances, |d| *d, |d| Ok((far_from_the_origin(*d)?, 0.01)))?;
    plot(
        &folder.join("origin.svg"),
        "distance of a Plummer sphere of 1,024 bodies from the origin, eps = 0.01",
        &points,
    )?;

    let points = series(&distances, |d| *d, |d| Ok((two_clusters(*d)?, 0.01)))?;
    plot(&folder.join("distance.svg"), "distance of two Plummer spheres of 512 bodies, eps = 0.01", &points)?;

    let softenings: Vec<f64> = (2..=14).map(|k| 10.0_f64.powf(-0.5 * f64::from(k))).collect();
    let points = series(&softenings, |eps| *eps, |eps| Ok((cluster(most.min(16_384))?, *eps)))?;
    plot(&folder.join("softening.svg"), "softening length", &points)?;
    println!("wrote bodies.svg, origin.svg, distance.svg and softening.svg to {}", folder.display());
    Ok(())
}

fn cluster(n: usize) -> Result<Bodies> {
    Ok(ic::by_name("plummer", &ic::Request::new(n, 1))?.bodies)
}

/// A sphere at `distance`: its positions are those of f64 there, for the reference too.
fn far_from_the_origin(distance: f64) -> Result<Bodies> {
    let mut bodies = cluster(1024)?;
    bodies.x.iter_mut().for_each(|x| *x += distance);
    Ok(bodies)
}

/// Two spheres, `distance` apart.
fn two_clusters(distance: f64) -> Result<Bodies> {
    let (mut both, other) = (cluster(512)?, ic::by_name("plummer", &ic::Request::new(512, 2))?.bodies);
    for i in 0..other.len() {
        let [x, y, z] = other.position(i);
        both.push(other.mass[i], [x + distance, y, z], other.velocity(i));
    }
    Ok(both)
}

/// For each method, the largest error at each value.
fn series<T>(
    values: &[T],
    x: impl Fn(&T) -> f64,
    system: impl Fn(&T) -> Result<(Bodies, f64)>,
) -> Result<Vec<Vec<(f64, f64)>>> {
    let mut all = vec![Vec::new(); METHODS.len()];
    for value in values {
        let (bodies, eps) = system(value)?;
        let gravity = Gravity::new(1.0, eps);
        let sample = audit::sample(bodies.len(), 0.0, SAMPLE, 0);
        let mut said = format!("{:10.3e}", x(value));
        for ((_, solver, precision, sum, _), points) in METHODS.iter().zip(&mut all) {
            let mut forces = Forces::default();
            solver::of(&Method::summed(Device::Cpu, *precision, *sum).solver(*solver))?.forces(
                &bodies,
                &gravity,
                ForceTerms::default(),
                &mut forces,
            )?;
            let error = audit::audit(&bodies, &gravity, &forces, &sample, 0.0)?.max;
            said += &format!("  {error:.1e}");
            points.push((x(value), error.max(1e-17)));
        }
        println!("{said}");
    }
    Ok(all)
}

/// Lines on double logarithmic axes.
fn plot(path: &Path, abscissa: &str, all: &[Vec<(f64, f64)>]) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    all.iter().flatten().for_each(|(x, _)| (low, high) = (low.min(*x), high.max(*x)));
    let area = SVGBackend::new(path, (640, 400)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d((low..high).log_scale(), (1e-17..1e1).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(abscissa)
        .y_desc("largest |da| / rms |a|")
        .x_label_formatter(&|x| if (1.0..1e6).contains(x) { format!("{x}") } else { format!("{x:.0e}") })
        .y_label_formatter(&|y| format!("{y:.0e}"))
        .draw()?;
    for ((name, .., color), points) in METHODS.iter().zip(all) {
        let color = *color;
        chart
            .draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, color.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    area.present()?;
    Ok(())
}
