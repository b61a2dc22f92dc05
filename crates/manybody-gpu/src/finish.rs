//! What the host does with the sums of a device: factors that were left out, what a body does to itself, and logarithms.

use crate::Pairs;
use crate::emit::lowering;
use manybody_law::error::Capability;
use manybody_law::law::{Cell, Law, PairInputs, Role, SelfPair};
use manybody_law::{Error, Precision, Result};
use manybody_pairwise::Summation;

/// Units at most: what f32 holds with room above.
const MAX_UNITS: f64 = (1_u128 << 120) as f64;
/// A fixed-point sum of so many units has left its range.
const FULL: f64 = (1_u64 << 62) as f64;

/// A sum and what it has lost to rounding; what an infinite sum has lost is NaN.
pub(crate) fn two_parts(sum: f32, lost: f32) -> f64 {
    if sum.is_finite() { f64::from(sum) + f64::from(lost) } else { f64::from(sum) }
}

/// Which pairs of these sets are evaluated: where a part of the bodies is acted on, every ordered pair.
///
/// # Errors
/// As [`check_one_set`], where each pair is visited once.
pub(crate) fn pairs_of(pairs: Pairs, inputs: &PairInputs<'_>) -> Result<Pairs> {
    if inputs.is_part() {
        return Ok(Pairs::Ordered);
    }
    if pairs == Pairs::Once {
        check_one_set(inputs)?;
    }
    Ok(pairs)
}

/// Refuses sets of which a kernel that visits each pair once would read one side only.
pub(crate) fn check_one_set(inputs: &PairInputs<'_>) -> Result<()> {
    if inputs.same_columns() {
        return Ok(());
    }
    let value = if inputs.same_bodies() { "two records a body" } else { "two" };
    let expected = "one set of bodies with one record each is needed to visit each pair once; \
                    Pairs::Ordered takes any inputs";
    Err(Error::Parameter { name: "sets", value: value.into(), expected: expected.into() })
}

/// What kernels know of a body that acts on itself: 0 for sets of different bodies, else 1 more than the index of the first
/// body acted on among those that act.
pub(crate) fn same(inputs: &PairInputs<'_>) -> u32 {
    inputs.first().map_or(0, |first| first as u32 + 1)
}

/// Refuses laws that mixed precision does nothing for: see [`split_inputs`](crate::emit::split_inputs).
pub(crate) fn check_mixed(law: &Law) -> Result<()> {
    match law.has_one_kind() {
        true => Ok(()),
        false => {
            let what = "a law with bodies of two kinds, unlike i and j, takes no differences in two parts of f32, and would be \
                        computed in f32";
            Err(Precision::no_mixed(what))
        }
    }
}

/// Refuses what has no choice of sums.
pub(crate) fn check_summable(law: &Law, sum: Summation, double: bool, pairs: Pairs) -> Result<()> {
    let wrong = |expected: &str| {
        Err(Error::Unsupported { capability: Capability::Sum, value: sum.to_string(), expected: expected.into() })
    };
    if double {
        return wrong("a choice of sums needs f32 or mixed precision");
    }
    if pairs == Pairs::Once {
        return wrong("other sums than a solver's own need the solver direct");
    }
    if law.cells().iter().any(|cell| *cell != Cell::Sum) {
        return wrong("the law has results that are no sums");
    }
    Ok(())
}

/// Fixed point: units a result, and what a unit is worth; powers of two. `range` is what the law's results stay below, and
/// the sums do so without the factors that are left out of them.
pub(crate) fn units(factors: &[f64], range: &[f64]) -> Result<[Vec<f64>; 2]> {
    if range.len() < factors.len() {
        let expected = "fixed-point sums need an upper bound of each result".into();
        return Err(Error::Parameter { name: "sum", value: "fixed".into(), expected });
    }
    let units = |(factor, range): (&f64, &f64)| {
        let share = if factor.is_normal() { factor.abs() } else { 1.0 };
        (FULL / (range / share).log2().ceil().exp2()).clamp(MAX_UNITS.recip(), MAX_UNITS)
    };
    let units: Vec<f64> = factors.iter().zip(range).map(units).collect();
    let worth = units.iter().map(|units| units.recip()).collect();
    Ok([units, worth])
}

/// Whether the factors that were left out of the sums are the same in the one-sided and the mirrored program, as a kernel
/// needs that uses both.
pub(crate) fn scales_agree(law: &Law) -> bool {
    let count = law.parameters().iter().map(|f| f.numbers()).sum::<usize>();
    let (Ok(one), Ok(both)) = (law.lower(lowering(false, true)), law.lower(lowering(true, true))) else { return false };
    // two unlikely sets of parameters: factors that agree on both are the same product of powers
    [0.61, 1.37].into_iter().all(|step| {
        let par = |k: usize| 1.0 + step * (k + 1).min(count) as f64;
        let of = |program: &manybody_law::law::Program, side: usize| {
            let all = program.scale_factors(1.0_f64, par);
            let mut mine: Vec<(usize, f64)> = all.iter().filter(|s| s.0 == side).map(|s| (s.1, s.2)).collect();
            mine.sort_by_key(|a| a.0);
            mine
        };
        of(&one, 0) == of(&both, 0) && of(&one, 0) == of(&both, 1)
    })
}

/// The factors that were left out of the sums, one a number of the results.
pub(crate) fn factors(law: &Law, scales: bool, par: &[f64]) -> Vec<f64> {
    let mut factors = vec![1.0; law.cells().len()];
    if let (true, Ok(program)) = (scales, law.lower(lowering(false, true))) {
        for (_, slot, factor) in program.scale_factors(1.0_f64, |k| par[k]) {
            factors[slot] *= factor;
        }
    }
    factors
}

/// Columns of results from the sums of the device. What a body gives itself comes from `itself`, the columns
/// of the bodies acted on, if they are those that act.
pub(crate) fn finish(
    law: &Law,
    scales: bool,
    par: &[f64],
    itself: Option<&[Vec<f64>]>,
    mut raw: Vec<Vec<f64>>,
) -> Vec<Vec<f64>> {
    for (column, factor) in raw.iter_mut().zip(factors(law, scales, par)) {
        if factor != 1.0 {
            column.iter_mut().for_each(|x| *x *= factor);
        }
    }
    if let (Some(columns), SelfPair::Custom) = (itself, law.self_pair()) {
        own(law, par, columns, &mut raw);
    }
    law.finish(raw)
}

/// Adds what bodies do to themselves.
fn own(law: &Law, par: &[f64], columns: &[Vec<f64>], raw: &mut [Vec<f64>]) {
    let program = law.own();
    let cells = law.cells();
    for b in 0..raw.first().map_or(0, Vec::len) {
        let input = |role, k: usize| if role == Role::Par { par[k] } else { columns[k][b] };
        program.run(0.0_f64, input, |fold, value, second| {
            let k = fold.slot;
            match fold.cell {
                Cell::ArgMin | Cell::ArgMax | Cell::LogSumExp => {
                    let held = [raw[k][b], raw[k + 1][b]];
                    [raw[k][b], raw[k + 1][b]] = cells[k].join(held, [value, second.unwrap_or(1.0)]);
                }
                cell => raw[k][b] = cell.combine(raw[k][b], value),
            }
        });
    }
}
