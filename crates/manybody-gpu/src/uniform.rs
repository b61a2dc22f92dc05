//! Members whose columns hold one value for all bodies become parameters, which cost nothing.

use crate::load::Motion;
use manybody_law::Result;
use manybody_law::law::{Cell, Law, PairInputs};
use std::ops::Range;

/// Fewer bodies are not worth another kernel.
const LEAST: usize = 256;

/// The members of a body that hold one value each, the same in both parts. Of bodies that move, the first one is a position
/// that will change and stays, even if all bodies are at one place now.
pub(crate) fn members(law: &Law, inputs: &PairInputs<'_>, motion: Motion) -> Vec<String> {
    let is_one = |k: usize| inputs.i[k].iter().all(|x| x.to_bits() == inputs.i[k][0].to_bits());
    members_where(law, inputs.lens(), motion, || inputs.same_columns(), is_one)
}

/// The same of bodies whose columns are elsewhere: `is_one` says whether a number holds one value.
pub(crate) fn members_where(
    law: &Law,
    (ni, nj): (usize, usize),
    motion: Motion,
    same_columns: impl FnOnce() -> bool,
    is_one: impl Fn(usize) -> bool,
) -> Vec<String> {
    if ni.min(nj) < LEAST || !law.has_one_kind() || !same_columns() {
        return Vec::new();
    }
    let mut first = 0;
    let mut found = Vec::new();
    for field in law.body() {
        let mut numbers = first..first + field.numbers();
        first = numbers.end;
        if field.cell == Cell::Value && numbers.all(&is_one) {
            found.push(field.name.clone());
        }
    }
    // a law needs a member that distinguishes bodies
    if found.len() == law.body().len() {
        return Vec::new();
    }
    if let (Motion::Moving | Motion::Stepping, Some(position)) = (motion, law.body().first()) {
        found.retain(|name| *name != position.name);
    }
    found
}

/// A law some of whose members have become parameters, and where the numbers of a body have gone.
pub(crate) struct Division {
    pub(crate) law: Law,
    /// Those that are left.
    pub(crate) kept: Vec<usize>,
    /// Those that are parameters now, after the others.
    pub(crate) parameters: Vec<usize>,
}

/// The law with these members as parameters.
pub(crate) fn divided(law: &Law, members: &[String]) -> Result<Division> {
    let names: Vec<&str> = members.iter().map(String::as_str).collect();
    let (mut kept, mut first) = (Vec::new(), 0);
    let mut moved: Vec<(&str, Range<usize>)> = Vec::new();
    for field in law.body() {
        let numbers = first..first + field.numbers();
        first = numbers.end;
        match names.iter().find(|name| **name == field.name) {
            Some(name) => moved.push((name, numbers)),
            None => kept.extend(numbers),
        }
    }
    let of = |name: &&str| {
        moved.iter().filter(|(n, _)| n == name).flat_map(|(_, numbers)| numbers.clone()).collect::<Vec<_>>()
    };
    let parameters = names.iter().flat_map(of).collect();
    Ok(Division { law: law.uniform(&names)?, kept, parameters })
}

/// A law some of whose members have become parameters.
pub(crate) struct Reduced<'a> {
    pub(crate) law: Law,
    /// The columns that are left of the bodies acted on.
    pub(crate) i: Vec<&'a [f64]>,
    /// The columns that are left of those that act; `None` where they are those of i, and one record serves both.
    pub(crate) j: Option<Vec<&'a [f64]>>,
    /// All parameters.
    pub(crate) par: Vec<f64>,
}

/// The law with these members as parameters.
pub(crate) fn reduced<'a>(law: &Law, inputs: &PairInputs<'a>, members: &[String]) -> Result<Reduced<'a>> {
    if members.is_empty() {
        let j = (!inputs.same_columns()).then(|| inputs.j.to_vec());
        return Ok(Reduced { law: law.clone(), i: inputs.i.to_vec(), j, par: inputs.par.to_vec() });
    }
    let Division { law, kept, parameters } = divided(law, members)?;
    let mut par = inputs.par.to_vec();
    par.extend(parameters.iter().map(|k| inputs.i[*k][0]));
    // members that are the same for all are looked for only where both sides have the same columns
    Ok(Reduced { law, i: kept.iter().map(|k| inputs.i[*k]).collect(), j: None, par })
}
