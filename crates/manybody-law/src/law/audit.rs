//! The audit of a law's results: how far each may be off, from the law's own operations.
//!
//! Bounds are those of [`bounds`](super::bounds) for the law lowered as the device lowers it, with numbers rounded as
//! the device rounds them: to f32, relative to the middle where [`Law::recentred`] moves them. A sum may be formed in
//! any order [Higham 2002, sect. 4.2].

use super::bounds::{Bounded, Rounding};
use super::conformance::Bounds;
use super::{Cell, Grouping, Law, Lowering, PairInputs};
use crate::norm::rms;
use crate::{Device, Precision, Result};
use rayon::prelude::*;

/// What bounds are multiplied by: they are of first order, and compilers of shaders may reassociate what they are
/// given, which doubles roundings at worst.
const SAFETY: f64 = 2.0;

/// Pairs whose bounds are computed, a second of a core; and so many bodies at least.
const PAIRS: usize = 1 << 18;
const LEAST: usize = 8;

/// How a device computes a law.
#[derive(Clone, Debug)]
pub struct Arithmetic {
    rounding: &'static Rounding,
    /// Numbers are rounded to f32.
    single: bool,
    how: Vec<Lowering>,
    /// Additions that a term goes through at most, one after the other, in the precision of the terms.
    additions: f64,
}

impl Arithmetic {
    /// That of a device in a precision; `once` where it may compute pairs once, for both bodies.
    pub fn of(device: Device, precision: Precision, once: bool) -> Self {
        let single = precision != Precision::F64;
        let rounding = Rounding::of(device, single);
        let gpu = device.is_gpu();
        let lowering = |mirrored| Lowering { exp2: gpu, mirrored, ..Lowering::default() };
        let how = if once && gpu { vec![lowering(false), lowering(true)] } else { vec![lowering(false)] };
        // GPUs: 16 rounds of tiles of 512, or blocks of 1,024
        Arithmetic { rounding, single, how, additions: if gpu { 16384.0 } else { f64::INFINITY } }
    }
}

/// A result that is further from f64 than rounding explains.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongResult {
    /// The body, by its place.
    pub body: usize,
    /// The result, by the name of its column.
    pub result: String,
    /// What it is, and what it is in f64.
    pub values: [f64; 2],
    /// How far it may be off.
    pub limit: f64,
}

impl Law {
    /// Compares results with those in f64 at some `bodies`, given by their indices: `found` has a number for each body,
    /// `want` one for each of `bodies`. Returns the worst result that is further off than `by` explains. Where there
    /// are many partners, bounds are computed for the worst bodies only, 2^18 pairs.
    ///
    /// # Errors
    /// Those of a law that cannot be lowered so.
    pub fn find_wrong(
        &self,
        inputs: &PairInputs<'_>,
        bodies: &[usize],
        found: &[Vec<f64>],
        want: &[Vec<f64>],
        by: &Arithmetic,
    ) -> Result<Option<WrongResult>> {
        let rms: Vec<f64> = want
            .iter()
            .map(|column| rms(column.iter().copied().filter(|x| x.is_finite())).max(f64::MIN_POSITIVE))
            .collect();
        // a single term has some roundings: what is off by fewer needs no bound
        let mut doubtful: Vec<(usize, f64)> = bodies
            .iter()
            .enumerate()
            .filter_map(|(k, body)| {
                let off = |c: usize| {
                    let (found, want) = (found[c][*body], want[c][k]);
                    match (found - want).abs() {
                        _ if found == want => 0.0,
                        off if off <= 4.0 * by.rounding.unit * want.abs() => 0.0,
                        off if off.is_nan() => f64::INFINITY,
                        off => off / rms[c],
                    }
                };
                let off = (0..want.len()).map(off).fold(0.0, f64::max);
                (off > 0.0).then_some((k, off))
            })
            .collect();
        if doubtful.is_empty() {
            return Ok(None);
        }
        doubtful.sort_by(|a, b| b.1.total_cmp(&a.1));
        doubtful.truncate((PAIRS / inputs.lens().1.max(1)).max(LEAST));

        let mut programs = Vec::new();
        for how in &by.how {
            let program = self.lower(*how)?;
            programs.extend((0..1 + usize::from(how.mirrored)).map(|side| (program.clone(), side)));
        }
        let written = self.lower(Lowering { grouping: Grouping::AsWritten, ..Lowering::default() })?;
        let off = Rounded::new(self, inputs, by);
        let (cells, names) = (self.cells(), self.result_columns());
        let wrong = doubtful.par_iter().find_map_first(|(k, _)| {
            let body = bodies[*k];
            let ours: Vec<Bounds> = programs
                .iter()
                .map(|(program, side)| {
                    let number = |role, k: usize, at: usize| off.number(inputs, by, role, k, at);
                    Bounds::of_body(self, inputs, body, (program, *side), by.rounding, number)
                })
                .collect();
            let oracle = Bounds::new(self, inputs, body, (&written, 0), &Rounding::F64);
            let bound = |slot: usize, cell: Cell| {
                let of = |b: &Bounds| b.of(slot, cell, by.additions);
                let most =
                    ours.iter().map(of).fold(0.0, |most: f64, b| if b.is_nan() { f64::INFINITY } else { most.max(b) });
                let bound = SAFETY * (most + oracle.of(slot, cell, f64::INFINITY));
                if bound.is_nan() { f64::INFINITY } else { bound }
            };
            let numbers = cells.iter().enumerate().filter(|(_, cell)| **cell != Cell::Scaled);
            for (column, (slot, cell)) in numbers.enumerate() {
                let (found, want) = (found[column][body], want[column][*k]);
                let wrong = |limit| WrongResult { body, result: names[column].clone(), values: [found, want], limit };
                if *cell == Cell::Label {
                    let value = cells[slot - 1];
                    let sure = bound(slot - 1, value).is_finite();
                    if sure && found != want && !ours.iter().any(|b| b.may_be(slot - 1, value, found)) {
                        return Some(wrong(0.0));
                    }
                    continue;
                }
                // without partners both are infinite
                let size = if want.is_finite() { want.abs() } else { 0.0 };
                let limit = bound(slot, *cell) + SAFETY * by.rounding.unit * size;
                let off = (found - want).abs();
                if limit.is_finite() && found != want && (off > limit || off.is_nan()) {
                    return Some(wrong(limit));
                }
            }
            None
        });
        Ok(wrong)
    }
}

/// How far the numbers of the sets are off once they are f32: of i, of j, and the parameters.
struct Rounded {
    off: [Vec<Vec<f64>>; 2],
}

impl Rounded {
    fn new(law: &Law, inputs: &PairInputs<'_>, by: &Arithmetic) -> Self {
        if !by.single {
            return Rounded { off: [Vec::new(), Vec::new()] };
        }
        law.recentred(inputs, |moved| {
            let of = |plain: &[&[f64]], moved: &[&[f64]]| {
                let of = |(plain, moved): (&&[f64], &&[f64])| {
                    plain.iter().zip(*moved).map(|(x, y)| rounding(*x, *y, by.rounding)).collect()
                };
                plain.iter().zip(moved).map(of).collect()
            };
            Rounded { off: [of(inputs.i, moved.i), of(inputs.j, moved.j)] }
        })
    }

    /// Number `k` of a body as the device has it, and how far off it may be.
    fn number(&self, inputs: &PairInputs<'_>, by: &Arithmetic, role: super::Role, k: usize, at: usize) -> Bounded {
        use super::Role::{I, J, Par};
        let off = |side: usize| self.off[side].get(k).map_or(0.0, |column: &Vec<f64>| column[at]);
        let (value, error) = match role {
            I => (inputs.i[k][at], off(0)),
            J => (inputs.j[k][at], off(1)),
            Par if by.single => (inputs.par[k], rounding(inputs.par[k], inputs.par[k], by.rounding)),
            Par => (inputs.par[k], 0.0),
        };
        Bounded::exact(value, by.rounding).with_error(error)
    }
}

/// How far f32 is from a number that it holds as `moved`, relative to something else.
fn rounding(plain: f64, moved: f64, rounding: &Rounding) -> f64 {
    let held = f64::from(moved as f32);
    let single = match held - moved {
        0.0 => 0.0,
        off if off.is_finite() => rounding.unit * moved.abs() + rounding.tiny,
        _ => f64::INFINITY, // beyond f32
    };
    if plain == moved { single } else { single + Rounding::F64.unit * moved.abs() }
}
