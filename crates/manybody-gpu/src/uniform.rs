//! Members whose columns hold one value for all bodies become parameters, which cost nothing.

use manybody_law::Result;
use manybody_law::law::{Cell, Law, PairInputs};

/// Fewer bodies are not worth another kernel.
const LEAST: usize = 256;

/// The members of a body that hold one value each, the same in both parts. With `moving`, the first one is a position that
/// will change and stays, even if all bodies are at one place now.
pub(crate) fn members(law: &Law, inputs: &PairInputs<'_>, moving: bool) -> Vec<String> {
    let (ni, nj) = inputs.lens();
    if ni.min(nj) < LEAST || !law.has_one_kind() || !inputs.same_columns() {
        return Vec::new();
    }
    let mut first = 0;
    let mut found = Vec::new();
    for field in law.body() {
        let columns = &inputs.i[first..first + field.numbers()];
        first += field.numbers();
        if field.cell == Cell::Value && columns.iter().all(|c| c.iter().all(|x| x.to_bits() == c[0].to_bits())) {
            found.push(field.name.clone());
        }
    }
    // a law needs a member that distinguishes bodies
    if found.len() == law.body().len() {
        return Vec::new();
    }
    if let (true, Some(position)) = (moving, law.body().first()) {
        found.retain(|name| *name != position.name);
    }
    found
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
    let names: Vec<&str> = members.iter().map(String::as_str).collect();
    let (mut kept, mut par, mut first) = (Vec::new(), inputs.par.to_vec(), 0);
    let mut values: Vec<(&str, Vec<f64>)> = Vec::new();
    for field in law.body() {
        let columns = &inputs.i[first..first + field.numbers()];
        first += field.numbers();
        match names.iter().find(|n| **n == field.name) {
            Some(name) => values.push((name, columns.iter().map(|c| c[0]).collect())),
            None => kept.extend_from_slice(columns),
        }
    }
    for name in &names {
        par.extend(values.iter().filter(|(n, _)| n == name).flat_map(|(_, v)| v));
    }
    // members that are the same for all are looked for only where both sides have the same columns
    Ok(Reduced { law: law.uniform(&names)?, i: kept, j: None, par })
}
