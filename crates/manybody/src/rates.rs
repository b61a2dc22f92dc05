//! What computations cost, as far as a run decides by it: how many bodies an audit looks at and whether one is made by
//! default, how often the energy is measured, from how many bodies on a GPU is taken, and from how many on expansions are
//! cheaper than all pairs.
//!
//! The numbers are those of two machines, in one table, and not measurements of the machine at hand: snapshots keep what an
//! audit has found, and runs with the same settings have files with the same bytes on every machine. On another machine an
//! audit takes more or less of the time than it should (1 % of a run); no position and no velocity depends on it.
//!
//! | | machine | measured with |
//! |---|---|---|
//! | CPU | two cores of a Xeon with AVX-512, 65,536 bodies, 2026-11 | `manybody bench`, symmetric solver |
//! | GPU | H200 beside 8 cores, cuda, a million bodies, 2026-11 | `manybody bench`; `manybody bench steps` for steps |
//! | expansions | two cores of an EPYC with AVX-512, an H100, of errors below 1e-5 an H200; 2^20 bodies, 2026-11 | `manybody bench expansions` |
//!
//! The kernels make 16.4e9 (f32) and 6.9e9 (f64) interactions/s on the two cores, 3.1e12 and 1.3e12 on the H200. An audit
//! takes 13 ns of a core for a pair.

use crate::driver::device::{MANY_SOFTENINGS, ProblemSize};
use crate::solver::{Device, Precision};

/// Costs of forces on a device in a precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    /// Pairs that a solver computes while an audit computes one, on all cores: 13 ns times the rate, over the cores.
    pub(crate) pairs_per_audited_pair: f64,
    /// Seconds of a run for a pair, of many bodies. Of the CPU's no decision depends on it: its audits are bounded by the
    /// ratio above.
    pub(crate) pair: f64,
    /// Seconds that an evaluation takes at least: an H200 makes 330,000 steps/s of few bodies.
    pub(crate) least_evaluation: f64,
    /// Seconds until the first body is fetched for an audit, and for each body.
    pub(crate) fetch: [f64; 2],
    /// Evaluations of a run after which an energy, an f64 evaluation with potential, takes less than 2 % of the time: it
    /// costs 1.2 of those of an f64 run, and 3 of those of an f32 run.
    pub(crate) evaluations_per_energy: u64,
}

/// The least number of bodies that are computed on a GPU where the device is not named: below, most of a step is the time
/// that it takes to start it.
pub(crate) const MIN_BODIES_ON_GPU: usize = 1024;

/// Pairs that any machine computes within a second or two: the time that an interrupted run may take to measure its energy.
pub(crate) const INTERRUPTED_PAIRS: f64 = 4e9;

/// The row of a device and a precision.
pub(crate) fn of(device: Device, precision: Precision) -> Rates {
    let cpu = Rates {
        pairs_per_audited_pair: 45.0,
        pair: 1.4e-10,
        least_evaluation: 0.0,
        fetch: [0.0; 2],
        evaluations_per_energy: 60,
    };
    let gpu = Rates {
        pairs_per_audited_pair: 2100.0,
        pair: 8e-13,
        least_evaluation: 3e-6,
        fetch: [5e-4, 1e-7],
        evaluations_per_energy: 60,
    };
    match (device, precision) {
        (Device::Cpu, Precision::F32) => {
            Rates { pairs_per_audited_pair: 107.0, pair: 6.1e-11, evaluations_per_energy: 150, ..cpu }
        }
        (Device::Cpu, Precision::Mixed | Precision::F64) => cpu,
        (_, Precision::F32) => {
            Rates { pairs_per_audited_pair: 5000.0, pair: 4e-13, evaluations_per_energy: 150, ..gpu }
        }
        (_, Precision::Mixed) => Rates { pairs_per_audited_pair: 5000.0, pair: 4e-13, ..gpu },
        (_, Precision::F64) => gpu,
    }
}

/// Seconds that the forces of n bodies take by all pairs.
pub(crate) fn of_all_pairs(device: Device, precision: Precision, n: usize) -> f64 {
    let rates = of(device, precision);
    let rate = match (device, precision) {
        // whose solver has no mirrored kernel
        (Device::Cpu, Precision::Mixed) => 2.0 * rates.pair,
        _ => rates.pair,
    };
    ((n as f64).powi(2) * rate).max(rates.least_evaluation)
}

/// Errors that are asked of expansions, and seconds a body on two cores, in f32. (From 1e-7 on those of f64, over `OF_DOUBLE`.)
const OF_EXPANSIONS: [(f64, f64); 8] = [
    (1e-2, 5e-7),
    (1e-3, 6e-7),
    (1e-4, 1.3e-6),
    (1e-5, 2.4e-6),
    (1e-6, 6e-6),
    (1e-7, 8e-6),
    (1e-8, 1.3e-5),
    (1e-9, 2.6e-5),
];

/// The same on a GPU, without and with Plummer's softening. (From 1e-6 on those of f64, over `OF_DOUBLE`; 2^20 bodies of a Plummer
/// sphere, eps = 0 and 0.01.)
const OF_EXPANSIONS_ON_GPU: [(f64, [f64; 2]); 8] = [
    (1e-2, [2.0e-9, 2.0e-9]),
    (1e-3, [2.6e-9, 3.1e-9]),
    (1e-4, [4.5e-9, 6.0e-9]),
    (1e-5, [8.0e-9, 1.4e-8]),
    (1e-6, [1.6e-8, 5.0e-8]),
    (1e-7, [2.8e-8, 1.1e-7]),
    (1e-8, [4.9e-8, 2.6e-7]),
    (1e-10, [1.25e-7, 7e-7]),
];

/// The row of an error: that of the least one that is not below it.
fn row<T>(rows: &[(f64, T)], rtol: f64) -> &T {
    &rows.iter().rev().find(|(error, _)| rtol <= *error).unwrap_or(&rows[0]).1
}

/// Seconds of wgpu for one of CUDA on the same GPU.
const OF_WGPU: f64 = 1.5;

/// Seconds of f64 for one of f32.
const OF_DOUBLE: f64 = 2.1;

/// Seconds that few bodies take on a GPU: that of its launches.
const LEAST_EXPANSION_ON_GPU: f64 = 1e-3;

/// Seconds of bodies with softenings of their own for one of bodies with one softening, on the CPU of few different ones and of many: 2.0
/// to 3.3 times as many with two and three, 6.5 to 13 with a continuum, for 200,000 bodies of a Plummer sphere in f32 at errors of
/// 1e-3 and 1e-4 on two cores of an EPYC with AVX2.
const OF_OWN_SOFTENINGS: [f64; 2] = [4.0, 15.0];

/// The same on a GPU: 1.2 to 2.3 times as many for a million bodies on an H200, whatever they are.
const OF_OWN_SOFTENINGS_ON_GPU: f64 = 2.0;

/// Seconds that the forces of bodies take by expansions with an error.
pub(crate) fn of_expansions(device: Device, precision: Precision, rtol: f64, size: ProblemSize) -> f64 {
    let of_body = match device {
        Device::Cpu => *row(&OF_EXPANSIONS, rtol),
        Device::Cuda | Device::Wgpu => row(&OF_EXPANSIONS_ON_GPU, rtol)[usize::from(size.is_softened)],
    };
    let of_precision = if precision == Precision::F64 { OF_DOUBLE } else { 1.0 };
    let of_softenings = match size.own_softenings {
        0 | 1 => 1.0,
        _ if device.is_gpu() => OF_OWN_SOFTENINGS_ON_GPU,
        few if few < MANY_SOFTENINGS => OF_OWN_SOFTENINGS[0],
        _ => OF_OWN_SOFTENINGS[1],
    };
    let seconds = of_body * size.bodies as f64 * of_precision * of_softenings;
    match device {
        Device::Cpu => seconds,
        Device::Cuda => seconds.max(LEAST_EXPANSION_ON_GPU),
        Device::Wgpu => OF_WGPU * seconds.max(LEAST_EXPANSION_ON_GPU),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With softening, expansions of small errors are slower than all pairs of 2^18 bodies; without, faster.
    #[test]
    fn softened_expansions_of_small_errors_are_for_more_bodies() {
        let seconds = |bodies, is_softened| {
            let size = ProblemSize { bodies, own_softenings: 0, is_softened };
            of_expansions(Device::Cuda, Precision::F64, 1e-8, size)
        };
        let all_pairs = |bodies| of_all_pairs(Device::Cuda, Precision::F64, bodies);
        assert!(seconds(1 << 18, false) < all_pairs(1 << 18) && seconds(1 << 18, true) > all_pairs(1 << 18));
        assert!(seconds(1 << 20, true) < all_pairs(1 << 20));
    }

    /// The ratios are those of the rates that the head of this module names, to their two digits.
    #[test]
    fn the_table_agrees_with_its_origin() {
        for (device, precision, rate, cores) in [
            (Device::Cpu, Precision::F32, 16.4e9, 2.0),
            (Device::Cpu, Precision::F64, 6.9e9, 2.0),
            (Device::Cuda, Precision::F32, 3.1e12, 8.0),
            (Device::Cuda, Precision::F64, 1.3e12, 8.0),
        ] {
            let expected = rate * 13e-9 / cores;
            let found = of(device, precision).pairs_per_audited_pair;
            assert!((found / expected - 1.0).abs() < 0.02, "{device} {precision}: {found} {expected}");
        }
    }
}
