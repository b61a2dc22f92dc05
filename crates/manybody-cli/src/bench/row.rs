//! A row of a benchmark: what was measured, and the error of its answer.

use crate::console;
use manybody::Bodies;
use manybody::audit;
use manybody::solver::Gravity;
use rayon::prelude::*;

/// The f64 reference force on a sample of the bodies.
pub(super) struct Answer {
    sample: Vec<(usize, [f64; 3])>,
    rms: f64,
}

const SAMPLE: usize = 512;

impl Answer {
    /// Of this share of the bodies, and 512 at least.
    pub(super) fn new(bodies: &Bodies, gravity: &Gravity, share: f64) -> Self {
        let sample: Vec<_> = audit::sample(bodies.len(), share, SAMPLE, 0)
            .into_par_iter()
            .map(|i| (i, audit::acceleration(bodies, gravity, i)))
            .collect();
        let rms = (sample.iter().map(|(_, a)| length(*a).powi(2)).sum::<f64>() / sample.len() as f64).sqrt();
        Answer { sample, rms }
    }

    /// The sampled bodies.
    pub(super) fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        self.sample.iter().map(|(i, _)| *i)
    }
}

fn length(v: [f64; 3]) -> f64 {
    v[0].hypot(v[1]).hypot(v[2])
}

pub(super) struct Row {
    program: &'static str,
    method: String,
    precision: &'static str,
    n: usize,
    threads: usize,
    seconds: f64,
    /// |da| / rms |a|: median, p99, p99.9, max; `None` until checked.
    error: Option<[f64; 4]>,
    /// Share of the measured multiply-add peak, in issue slots.
    pub(super) share: Option<f64>,
    /// |sum m a| / sum m |a| of all bodies.
    pub(super) net: Option<f64>,
}

impl Row {
    /// A row whose time is the median of `seconds`.
    pub(super) fn new(
        program: &'static str,
        method: impl Into<String>,
        precision: &'static str,
        n: usize,
        threads: usize,
        seconds: &[f64],
    ) -> Self {
        let mut sorted = seconds.to_vec();
        sorted.sort_by(f64::total_cmp);
        let seconds = sorted[sorted.len() / 2];
        Row { program, method: method.into(), precision, n, threads, seconds, error: None, share: None, net: None }
    }

    /// Compares the answer with the reference.
    pub(super) fn check(&mut self, answer: &Answer, acc: impl Fn(usize) -> [f64; 3]) {
        let off = |(i, want): &(usize, [f64; 3])| {
            let got = acc(*i);
            length([got[0] - want[0], got[1] - want[1], got[2] - want[2]]) / answer.rms
        };
        let mut errors: Vec<f64> = answer.sample.iter().map(off).collect();
        errors.sort_by(f64::total_cmp); // NaN sorts last and shows as the maximum
        let last = errors.len() - 1;
        let at = |share: f64| errors[(last as f64 * share).ceil() as usize];
        self.error = Some([at(0.5), at(0.99), at(0.999), at(1.0)]);
    }

    /// The errors, found otherwise: median, p99, p99.9, max.
    pub(super) fn found(&mut self, error: [f64; 4]) {
        self.error = Some(error);
    }

    /// Interactions a second, N^2 for an evaluation.
    pub(super) fn rate(&self) -> f64 {
        (self.n as f64).powi(2) / self.seconds
    }

    pub(super) fn print(&self, json: bool) {
        let [median, p99, p999, max] = self.error.unwrap_or([f64::NAN; 4]);
        // an answer this wrong is no answer: a tenth of the force
        let wrong = max.is_nan() || max > 0.1;
        if json {
            console::json(&serde_json::json!({
                "program": self.program, "method": self.method, "precision": self.precision, "n": self.n,
                "threads": self.threads, "seconds": self.seconds,
                "pairs_per_second": if wrong { None } else { Some(self.rate()) },
                "share_of_peak": self.share, "error_median": median, "error_p99": p99, "error_p999": p999, "error_max": max,
                "net_force": self.net,
            }));
            return;
        }
        let rate = if wrong { "wrong".into() } else { format!("{:.3}", self.rate() * 1e-9) };
        let share = self.share.map_or("-".into(), |share| format!("{:.0} %", 100.0 * share));
        let net = self.net.map_or("-".into(), |net| format!("{net:.1e}"));
        console::say(format_args!(
            "{:10} {:16} {:4} {:>8} {:>10.3} {rate:>9} {share:>6}   {median:.1e} {p99:.1e} {p999:.1e} {max:.1e}  {net}",
            self.program,
            self.method,
            self.precision,
            self.n,
            self.seconds * 1e3
        ));
    }
}

pub(super) fn heading() {
    console::say(format_args!(
        "{:10} {:16} {:4} {:>8} {:>10} {:>9} {:>6}   error |da| / rms |a|: median, p99, p99.9, max; sum m a",
        "program", "method", "", "N", "ms", "1e9/s", "peak"
    ));
}
