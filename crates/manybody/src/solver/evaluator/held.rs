//! For tests: an evaluator held against the f64 oracle, within bounds that come from the operations themselves.

use super::Evaluator;
use crate::law::bounds::{Bounded, Rounding};
use crate::law::{Cell, Grouping, Law, Lowering, Program, Role, SelfPair, Sets};
use crate::simd::Level;
use crate::solver::Precision;

/// The contributions to one number of a body's result: each with its bound, and its label.
type Offers = Vec<(Bounded, f64)>;

fn collect(program: &Program, to: &mut [Offers], rounding: &'static Rounding, input: impl Fn(Role, usize) -> f64) {
    let exact = |x| Bounded::exact(x, rounding);
    program.run(
        exact(0.0),
        |role, k| exact(input(role, k)),
        |fold, x, label| to[fold.slot].push((x, label.map_or(0.0, |l| l.value))),
    );
}

/// What a body's results may be off by, at most, one number a cell; infinite where nothing is promised.
struct Bounds {
    offers: Vec<Offers>,
    unit: f64,
}

impl Bounds {
    fn new(law: &Law, sets: &Sets<'_>, body: usize, program: &Program, rounding: &'static Rounding) -> Self {
        let mut offers = vec![Offers::new(); law.cells().len()];
        let (_, nj) = sets.lens();
        for c in 0..nj {
            if sets.same && c == body && law.self_pair() != SelfPair::Included {
                continue;
            }
            collect(program, &mut offers, rounding, |role, k| match role {
                Role::I => sets.i[k][body],
                Role::J => sets.j[k][c],
                Role::Par => sets.par[k],
            });
        }
        if sets.same && law.self_pair() == SelfPair::Given {
            let input = |role, k: usize| if role == Role::I { sets.i[k][body] } else { sets.par[k] };
            collect(&law.own(), &mut offers, rounding, input);
        }
        Bounds { offers, unit: rounding.unit }
    }

    /// The bound of a sum, whatever the order of its terms [Higham 2002, sect. 4.2], of a minimum, of a logarithm.
    fn of(&self, slot: usize, cell: Cell) -> f64 {
        let offers = &self.offers[slot];
        let n = offers.len() as f64;
        let worst = offers.iter().map(|(x, _)| x.error).fold(0.0, f64::max);
        match cell {
            Cell::Sum | Cell::Count => {
                let sizes: f64 = offers.iter().map(|(x, _)| x.value.abs() + x.error).sum();
                // a product is rounded, each addition, and the factor left out of the sum with its own operations
                offers.iter().map(|(x, _)| x.error).sum::<f64>() + (n + 16.0) * self.unit * sizes
            }
            // exp(x - top): its exponent is rounded, the function, and n additions of numbers up to 1
            Cell::LogSumExp => {
                let top = offers.iter().map(|(x, _)| x.value.abs()).fold(0.0, f64::max);
                worst + (n + 16.0 + 4.0 * top) * self.unit
            }
            _ => worst + 2.0 * self.unit * offers.iter().map(|(x, _)| x.value.abs()).fold(0.0, f64::max),
        }
    }

    /// Whether the label is one that rounding may have chosen.
    fn may_be(&self, slot: usize, cell: Cell, label: f64) -> bool {
        let sign = if cell == Cell::ArgMin { 1.0 } else { -1.0 };
        let high = self.offers[slot].iter().map(|(x, _)| sign * x.value + x.error).fold(f64::INFINITY, f64::min);
        let low = |(x, l): &(Bounded, f64)| *l == label && sign * x.value - x.error <= high;
        self.offers[slot].iter().any(low) || (self.offers[slot].is_empty() && label == -1.0)
    }
}

/// Compares all results of the law on the sets, at a level, in a precision, with the oracle. Returns how many numbers
/// were held to a finite bound.
///
/// # Errors
/// A sentence that names the law, the body and the number that is out of bounds.
pub(crate) fn against_oracle(law: &Law, sets: &Sets<'_>, level: Level, precision: Precision) -> Result<usize, String> {
    let got = Evaluator::new(law, level, precision).evaluate(sets).map_err(|e| e.to_string())?;
    let want = law.oracle(sets).map_err(|e| e.to_string())?;
    let rounding = if precision == Precision::F32 { &Rounding::F32 } else { &Rounding::F64 };
    let (free, written) = (
        law.lower(Lowering::default()).map_err(|e| e.to_string())?,
        law.lower(Lowering { grouping: Grouping::AsWritten, ..Lowering::default() }).map_err(|e| e.to_string())?,
    );
    let (mut checked, cells) = (0, law.cells());
    for body in 0..sets.lens().0 {
        let ours = Bounds::new(law, sets, body, &free, rounding);
        let oracle = Bounds::new(law, sets, body, &written, &Rounding::F64);
        let mut column = 0;
        for (slot, cell) in cells.iter().enumerate() {
            let at = |columns: &[Vec<f64>]| columns[column][body];
            let wrong = |bound: f64| {
                let (g, w) = (at(&got), at(&want));
                format!(
                    "{} {level:?} {precision}: result {slot} of body {body}: {g:e}, not {w:e} to {bound:e}",
                    law.name
                )
            };
            match cell {
                Cell::Scaled => continue,
                Cell::Label => {
                    let value = cells[slot - 1];
                    let bound = ours.of(slot - 1, value);
                    if bound.is_finite() && !ours.may_be(slot - 1, value, at(&got)) && at(&got) != at(&want) {
                        return Err(wrong(0.0));
                    }
                }
                _ => {
                    let bound = ours.of(slot, *cell) + oracle.of(slot, *cell) + rounding.unit * at(&want).abs();
                    let bound = if bound.is_nan() { f64::INFINITY } else { bound };
                    let (g, w) = (at(&got), at(&want));
                    if bound.is_finite() && g != w && ((g - w).abs() > bound || (g - w).is_nan()) {
                        return Err(wrong(bound));
                    }
                    checked += usize::from(bound.is_finite());
                }
            }
            column += 1;
        }
    }
    Ok(checked)
}

/// The same at all levels of this machine in both precisions; sets given as columns that f32 holds exactly.
pub(crate) fn everywhere(law: &Law, sets: &Sets<'_>) -> Result<usize, String> {
    let mut checked = 0;
    for level in Level::available() {
        for precision in [Precision::F32, Precision::F64] {
            checked += against_oracle(law, sets, level, precision)?;
        }
    }
    Ok(checked)
}

/// `width` columns of n random numbers in -1..1, or in 0.1..1 if positive, that f32 holds exactly.
pub(crate) fn random(width: usize, n: usize, seed: u64, positive: bool) -> Vec<Vec<f64>> {
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        let x = (s >> 40) as f64 / (1u64 << 24) as f64;
        f64::from(if positive { 0.1 + 0.9 * x } else { 2.0 * x - 1.0 } as f32)
    };
    (0..width).map(|_| (0..n).map(|_| next()).collect()).collect()
}

pub(crate) fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}
