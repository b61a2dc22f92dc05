//! Why a result is not finite: which pair causes it, and by which operation.

use super::Interpreter;
use crate::law::{Cell, Field, Law, PairInputs, SelfPair};
use crate::simd::Level;
use crate::{Precision, Result};

/// The partners each of which alone makes the results of a body not finite.
#[derive(Default)]
struct Spoilers {
    /// The body itself is one.
    itself: bool,
    /// The first of the others, with the result of the pair that is not finite.
    first: Option<(usize, f64)>,
    /// All others are.
    all: bool,
}

/// Evaluates a pair of bodies.
type Alone<'a> = &'a dyn Fn(&PairInputs<'_>) -> Result<Vec<Vec<f64>>>;

/// What makes the results of a body no numbers: a pair in f64, or else in f32, or all pairs together.
pub(super) fn cause(law: &Law, inputs: &PairInputs<'_>, body: usize) -> Result<String> {
    let found = spoilers(law, inputs, body, &|pair| law.oracle(pair))?;
    if let Some((other, value)) = found.first {
        let why = if !found.all && same_place(law, inputs, body, other) {
            "both have the same x: a softening or a condition is needed"
        } else if value.is_nan() {
            "a root or a logarithm of less than 0, or 0 / 0"
        } else {
            "a division by 0, or intermediate numbers beyond the range of f64: other units are needed"
        };
        return Ok(match found.all {
            true => format!("every partner makes it so; it is {value} with partner {other} alone: {why}"),
            false => format!("its partner {other} makes it so: {why}"),
        });
    }
    if found.itself {
        return Ok("the pair i = j makes it so: write `self exclude`, a softening, or a condition".into());
    }
    // what f64 has room for was computed in f32
    if spoiled(law, &law.oracle_at(inputs, &[body])?).is_none() {
        let single = Interpreter::new(law, Level::Scalar, Precision::F32);
        let found = spoilers(law, inputs, body, &|pair| single.evaluate(pair).or_else(|_| law.oracle(pair)))?;
        let why = "makes it so in f32, where numbers are too large or too small: other units, or --precision f64";
        match (found.first, found.itself) {
            (Some(_), _) if found.all => return Ok(format!("every partner {why}")),
            (Some((other, _)), _) => return Ok(format!("its partner {other} {why}")),
            (None, true) => return Ok(format!("the pair i = j {why}")),
            (None, false) => {}
        }
    }
    Ok("no partner alone makes it so: numbers are too large or too small for the precision".into())
}

fn spoilers(law: &Law, inputs: &PairInputs<'_>, body: usize, alone: Alone) -> Result<Spoilers> {
    let one = |columns: &[&'_ [f64]], k: usize| columns.iter().map(|c| vec![c[k]]).collect::<Vec<_>>();
    let i = one(inputs.i, body);
    let i: Vec<&[f64]> = i.iter().map(Vec::as_slice).collect();
    let mut found = Spoilers::default();
    let (mut others, mut bad) = (0_usize, 0_usize);
    for other in 0..inputs.lens().1 {
        let itself = inputs.source_of(body) == Some(other);
        if itself && law.self_pair() != SelfPair::Included {
            continue;
        }
        let j = one(inputs.j, other);
        let j: Vec<&[f64]> = j.iter().map(Vec::as_slice).collect();
        let pair = PairInputs::two(&i, &j, inputs.par).sized(1, 1);
        let value = match spoiled(law, &alone(&pair)?) {
            Some(_) if law.contributes_nan(&pair)? => Some(f64::NAN),
            value => value,
        };
        match value {
            _ if itself => found.itself = value.is_some(),
            None => {}
            Some(value) => {
                found.first = found.first.or(Some((other, value)));
                bad += 1;
            }
        }
        others += usize::from(!itself);
    }
    found.all = others > 1 && bad == others;
    Ok(found)
}

/// A result that is not finite.
fn spoiled(law: &Law, results: &[Vec<f64>]) -> Option<f64> {
    let mut columns = results.iter().zip(columns_cells(law));
    columns.find_map(|(column, cell)| column.iter().copied().find(|x| !is_number(cell, *x)))
}

/// Whether a body and its partner have the same member x.
fn same_place(law: &Law, inputs: &PairInputs<'_>, i: usize, j: usize) -> bool {
    let x = |fields: &[Field], columns: &[&[f64]], body: usize| {
        let before = fields.iter().take_while(|field| field.name != "x").map(Field::numbers).sum::<usize>();
        let width = fields.iter().find(|field| field.name == "x").map_or(0, Field::numbers);
        columns[before..before + width].iter().map(|column| column[body]).collect::<Vec<f64>>()
    };
    let place = x(law.body(), inputs.i, i);
    !place.is_empty() && place == x(law.partner(), inputs.j, j)
}

/// The cell of each column of the results.
pub(super) fn columns_cells(law: &Law) -> impl Iterator<Item = Cell> {
    law.cells().into_iter().filter(|cell| *cell != Cell::Scaled)
}

/// Whether a result is a number, or what a result without partners is.
pub(super) fn is_number(cell: Cell, x: f64) -> bool {
    match cell {
        Cell::Min | Cell::ArgMin => x.is_finite() || x == f64::INFINITY,
        Cell::Max | Cell::ArgMax | Cell::LogSumExp => x.is_finite() || x == f64::NEG_INFINITY,
        _ => x.is_finite(),
    }
}
