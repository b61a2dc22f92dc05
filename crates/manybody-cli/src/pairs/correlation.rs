//! `manybody pairs correlation`: pairs by distance, and the two-point correlation function from them.

use super::input::Input;
use super::{Common, Number, write_csv};
use crate::console::{json, say};
use crate::device;
use crate::settings::{Given, OfRanks};
use manybody::pairs::{Bins, PairHistogram, Points, davis_peebles, landy_szalay, peebles_hauser};
use manybody::snapshot::Precision as Stored;
use manybody::solver::Device;
use manybody::{Error, Result};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Pairs counted by distance, and the two-point correlation function
///
/// Writes CSV, a bin a line: its edges from and to, dd (pairs of the file's points), and xi = DD/RR - 1. In a periodic box
/// (--box) RR is known; else it comes from random points of the same region (--random), and further columns hold dr and rr.
/// Without either, pairs are only counted. A pair is in a bin if from <= r < to. Weights, and points in more than four
/// dimensions, are counted on the CPU.
#[derive(clap::Args)]
#[command(mut_arg("out", |out| out.required(true)))]
pub(super) struct Args {
    /// Bins: log:FIRST:LAST:COUNT, linear:FIRST:LAST:COUNT, or their edges separated by commas
    #[arg(long, value_name = "BINS")]
    bins: String,
    /// Sides of a periodic box: one for all, or one a dimension; distances are those of nearest images
    #[arg(long = "box", value_name = "LENGTH,...", value_delimiter = ',')]
    sides: Vec<String>,
    /// File of random points
    #[arg(long, value_name = "FILE")]
    random: Option<PathBuf>,
    /// Column of weights, of the file and of the random points; dd, dr and rr are then sums of products of weights
    #[arg(long, value_name = "NAME")]
    weights: Option<String>,
    /// With random points: landy-szalay ((DD - 2 DR + RR)/RR), davis-peebles (DD/DR - 1) or peebles-hauser (DD/RR - 1)
    #[arg(long, value_name = "NAME", value_enum, hide_possible_values = true, default_value_t)]
    estimator: Estimator,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    ranks: Given<OfRanks>,
}

/// What is written.
struct Counted {
    bins: Bins,
    dd: PairHistogram,
    dr: Option<PairHistogram>,
    rr: Option<PairHistogram>,
    xi: Option<Vec<f64>>,
}

/// Counts.
///
/// # Errors
/// Those of the words and of the files.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.common.on_ranks(&args.ranks, || compute(args))
}

/// An estimator of the correlation function beside random points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Estimator {
    #[default]
    LandySzalay,
    DavisPeebles,
    PeeblesHauser,
}

/// Counts, in the process that writes.
fn compute(args: &Args) -> anyhow::Result<()> {
    let common = &args.common;
    common.begin("csv")?;
    let others: Vec<&str> = args.weights.as_deref().into_iter().collect();
    let input = common.source.read(&others)?;
    let random = args.random.as_ref().map(|path| common.source.read_file(path, &others)).transpose()?;
    let only_on_cpu = if args.weights.is_some() {
        Some("weights are added")
    } else {
        (input.dimensions() > 4).then_some("points in more than four dimensions are counted")
    };
    let most = random.as_ref().map_or(0, Input::len).max(input.len());
    let device = common.device(most, only_on_cpu)?;
    let before = Instant::now();
    let counted = match common.precision {
        Stored::F32 => count::<f32>(args, &input, random.as_ref(), device),
        Stored::F64 => count::<f64>(args, &input, random.as_ref(), device),
    }?;
    let seconds = before.elapsed().as_secs_f64();
    write_csv(common.out()?, &header(&counted), |file| {
        (0..counted.bins.count()).try_for_each(|k| writeln!(file, "{}", line(&counted, k)))
    })?;
    let pairs = counted.dd.counts.iter().sum::<u64>();
    let more = random.map_or(String::new(), |random| format!(", {} random points", random.len()));
    say(format_args!(
        "{} points{more}, {}, {}: {pairs} pairs in {} bins, {seconds:.3} s{}",
        input.len(),
        common.precision(),
        device::in_words(device),
        counted.bins.count(),
        common.wrote(),
    ));
    if common.json {
        json(&serde_json::json!({
            "event": "correlation", "n": input.len(), "bins": counted.bins.count(), "pairs": pairs, "device": device.name(),
            "precision": common.precision().name(), "edges": counted.bins.edges(), "dd": counted.dd.weights,
            "xi": counted.xi, "seconds": seconds, "file": common.file(),
        }));
    }
    Ok(())
}

/// Where pairs are counted.
enum Place {
    Cpu,
    #[cfg(feature = "gpu")]
    Gpu(manybody_gpu::compute::Gpu),
}

/// Counts pairs, and reports how far each count is.
struct Counter<'a> {
    place: Place,
    common: &'a Common,
}

impl<'a> Counter<'a> {
    #[cfg(feature = "gpu")]
    fn open(device: Device, common: &'a Common) -> Result<Self> {
        let place =
            if device == Device::Cpu { Place::Cpu } else { Place::Gpu(manybody_gpu::compute::Gpu::open(device)?) };
        Ok(Counter { place, common })
    }

    #[cfg(not(feature = "gpu"))]
    fn open(_: Device, common: &'a Common) -> Result<Self> {
        Ok(Counter { place: Place::Cpu, common })
    }

    fn within<T: Number>(
        &self,
        what: &str,
        points: &Points<T>,
        weights: Option<&[f64]>,
        bins: &Bins,
    ) -> Result<PairHistogram> {
        let (_progress, watch) = self.common.progress(what);
        match &self.place {
            Place::Cpu => manybody::ranks::pairs_within(points, weights, bins, &watch),
            #[cfg(feature = "gpu")]
            Place::Gpu(gpu) => manybody_gpu::correlation::within_watched(gpu, points, bins, &watch),
        }
    }

    fn between<T: Number>(
        &self,
        what: &str,
        a: &Points<T>,
        b: &Points<T>,
        weights: Option<(&[f64], &[f64])>,
        bins: &Bins,
    ) -> Result<PairHistogram> {
        let (_progress, watch) = self.common.progress(what);
        match &self.place {
            Place::Cpu => manybody::ranks::pairs_between(a, b, weights, bins, &watch),
            #[cfg(feature = "gpu")]
            Place::Gpu(gpu) => manybody_gpu::correlation::between_watched(gpu, a, b, bins, &watch),
        }
    }
}

fn count<T: Number>(args: &Args, input: &Input, random: Option<&Input>, device: Device) -> Result<Counted> {
    let mut bins = bins(args, input)?;
    if let Some(sides) = input.sides(&args.sides)? {
        bins = bins.periodic(&sides)?;
    }
    let weights = |from: &Input| args.weights.as_deref().map(|w| from.column_as::<f64>(w)).transpose();
    // both sets from one middle: distances between them count
    let middle = input.middle::<T>()?;
    let points = input.points_from::<T>(&middle)?;
    let own = weights(input)?;
    let counter = Counter::open(device, &args.common)?;
    let dd = counter.within("counting pairs", &points, own.as_deref(), &bins)?;
    let Some(random) = random else {
        let (mut rr, mut xi) = (None, None);
        if !args.sides.is_empty() {
            let even = PairHistogram::expected_in_box(points.len(), &bins)?;
            xi = Some(peebles_hauser(&dd, &even)?);
            rr = Some(even);
        }
        return Ok(Counted { bins, dd, dr: None, rr, xi });
    };
    let others = random.points_from::<T>(&middle)?;
    let theirs = weights(random)?;
    let both = own.as_deref().zip(theirs.as_deref());
    let dr = random
        .named("coordinates", counter.between("counting pairs with random points", &points, &others, both, &bins))?;
    let rr = counter.within("counting pairs of random points", &others, theirs.as_deref(), &bins)?;
    let xi = match args.estimator {
        Estimator::LandySzalay => landy_szalay(&dd, &dr, &rr)?,
        Estimator::DavisPeebles => davis_peebles(&dd, &dr)?,
        Estimator::PeeblesHauser => peebles_hauser(&dd, &rr)?,
    };
    Ok(Counted { bins, dd, dr: Some(dr), rr: Some(rr), xi: Some(xi) })
}

fn bins(args: &Args, input: &Input) -> Result<Bins> {
    let wrong = || Error::Parameter {
        name: "bins",
        value: args.bins.clone(),
        expected: "must be as log:0.01:1:20, as linear:0:1:20, or edges such as 0,0.1,0.2".into(),
    };
    let length = |text: &str| input.length("bins", text.trim());
    let named = |bins: Result<Bins>| {
        bins.map_err(|error| match error {
            Error::Parameter { value, expected, .. } => {
                let value = format!("{} ({value})", args.bins);
                Error::Parameter { name: "bins", value, expected }
            }
            other => other,
        })
    };
    let parts: Vec<&str> = args.bins.split(':').collect();
    match parts[..] {
        [edges] => {
            let edges: Vec<f64> = edges.split(',').map(length).collect::<Result<_>>()?;
            named(Bins::new(&edges))
        }
        [how @ ("log" | "linear"), first, last, count] => {
            let (first, last) = (length(first)?, length(last)?);
            let count = count.trim().parse().ok().filter(|n| (1..=1_000_000).contains(n)).ok_or_else(wrong)?;
            if how == "log" && first <= 0.0 {
                return Err(wrong());
            }
            named(if how == "log" { Bins::logarithmic(first, last, count) } else { Bins::linear(first, last, count) })
        }
        _ => Err(wrong()),
    }
}

fn header(counted: &Counted) -> String {
    let columns = [("dr", counted.dr.is_some()), ("rr", counted.rr.is_some()), ("xi", counted.xi.is_some())];
    let more: String = columns.iter().filter(|c| c.1).map(|c| format!(",{}", c.0)).collect();
    format!("from,to,dd{more}")
}

fn line(counted: &Counted, k: usize) -> String {
    let edges = counted.bins.edges();
    let mut line = format!("{:?},{:?},{}", edges[k], edges[k + 1], counted.dd.weights[k]);
    for histogram in counted.dr.iter().chain(&counted.rr) {
        line += &format!(",{}", histogram.weights[k]);
    }
    if let Some(xi) = &counted.xi {
        line += &format!(",{:?}", xi[k]);
    }
    line
}
