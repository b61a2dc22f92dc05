//! Two sets of bodies and what a law makes of them, as columns: what every evaluator takes and returns.

use super::{Cell, Field, Law};
use crate::{Error, Result};

/// The bodies acted on, those that act, and the parameters; one column a number, in the order of the law's records.
#[derive(Clone, Copy, Debug)]
pub struct Sets<'a> {
    /// The bodies acted on: one slice a number of the record, each \[n_i\].
    pub i: &'a [&'a [f64]],
    /// The bodies that act: each \[n_j\].
    pub j: &'a [&'a [f64]],
    /// The numbers of the parameters.
    pub par: &'a [f64],
    /// Does not compare columns: see [`same_bodies`](Sets::same_bodies) and [`same_columns`](Sets::same_columns).
    same_bodies: bool,
    /// How many bodies are acted on, and how many act.
    lens: (usize, usize),
}

impl<'a> Sets<'a> {
    /// All bodies of one set act on all, with the same columns in both parts.
    pub fn one(bodies: &'a [&'a [f64]], par: &'a [f64]) -> Self {
        Self::roles(bodies, bodies, par)
    }

    /// All bodies of one set act on all, and have other columns as those that act than as those acted on: for laws with
    /// `source` and `target` columns or `INPUT_I` and `INPUT_J`. Body k of one side is body k of the other.
    pub fn roles(i: &'a [&'a [f64]], j: &'a [&'a [f64]], par: &'a [f64]) -> Self {
        // a side of which the law reads nothing has as many bodies as the other
        let len = |side: &[&[f64]], other: &[&[f64]]| side.first().or(other.first()).map_or(0, |c| c.len());
        Sets { i, j, par, same_bodies: true, lens: (len(i, j), len(j, i)) }
    }

    /// The bodies of one set act on those of another. Where the law reads nothing of a side, say how many bodies it has
    /// with [`sized`](Sets::sized).
    pub fn two(i: &'a [&'a [f64]], j: &'a [&'a [f64]], par: &'a [f64]) -> Self {
        let len = |side: &[&[f64]]| side.first().map_or(0, |c| c.len());
        Sets { i, j, par, same_bodies: false, lens: (len(i), len(j)) }
    }

    /// The same with `ni` targets and `nj` sources, for laws without columns.
    pub fn sized(self, ni: usize, nj: usize) -> Self {
        Sets { lens: (ni, nj), ..self }
    }

    /// The same bodies with other columns.
    pub(crate) fn with_columns<'b>(&self, i: &'b [&'b [f64]], j: &'b [&'b [f64]]) -> Sets<'b>
    where
        'a: 'b,
    {
        Sets { i, j, ..*self }
    }

    /// How many bodies are acted on, and how many act.
    pub fn lens(&self) -> (usize, usize) {
        self.lens
    }

    /// Whether those that act are those acted on, so that body k of one is body k of the other and the pair (k, k) is a
    /// body with itself. Their columns may differ all the same.
    pub fn same_bodies(&self) -> bool {
        self.same_bodies
    }

    /// Whether, besides, the columns of both sides hold the same numbers, so that one record a body serves both parts.
    pub fn same_columns(&self) -> bool {
        let same = |(a, b): (&&[f64], &&[f64])| {
            std::ptr::eq(*a, *b) || (a.len() == b.len() && a.iter().zip(*b).all(|(x, y)| x.to_bits() == y.to_bits()))
        };
        self.same_bodies && self.i.len() == self.j.len() && self.i.iter().zip(self.j).all(same)
    }

    /// Checks that the columns are those of the law, of one length a side, and finite; ids whole and below `most_ids`.
    ///
    /// # Errors
    /// [`Error::Parameter`] that names the column and the body.
    pub fn check(&self, law: &Law, most_ids: f64) -> Result<()> {
        let (ni, nj) = self.lens();
        if self.same_bodies && ni != nj {
            return Err(wrong(
                "bodies",
                format!("{ni} and {nj}"),
                "as many bodies act as are acted on, being the same",
            ));
        }
        for (side, columns, fields, n) in [("i", self.i, &law.i, ni), ("j", self.j, &law.j, nj)] {
            let names = numbers(fields);
            if columns.len() != names.len() {
                let list: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
                let expected = format!("{} reads {} numbers of {side}: {}", law.title(), names.len(), list.join(", "));
                return Err(wrong("columns", columns.len().to_string(), expected));
            }
            for (column, (name, cell)) in columns.iter().zip(&names) {
                check_column(column, side, name, *cell, n, most_ids)?;
            }
        }
        let names = numbers(&law.par);
        if self.par.len() != names.len() {
            let list: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
            let expected = format!("{} has {} parameters: {}", law.title(), names.len(), list.join(", "));
            return Err(wrong("parameters", self.par.len().to_string(), expected));
        }
        match self.par.iter().zip(&names).find(|(value, _)| !value.is_finite()) {
            Some((value, (name, _))) => Err(wrong("parameter", format!("{name} = {value}"), "must be a finite number")),
            None => Ok(()),
        }
    }
}

fn wrong(name: &'static str, value: String, expected: impl Into<String>) -> Error {
    Error::Parameter { name, value, expected: expected.into() }
}

fn check_column(column: &[f64], side: &str, name: &str, cell: Cell, n: usize, most_ids: f64) -> Result<()> {
    if column.len() != n {
        let value = format!("{side}.{name} has {} entries", column.len());
        return Err(wrong("columns", value, format!("all columns of {side} have {n}")));
    }
    let fits = |x: &f64| match cell {
        Cell::Id => x.fract() == 0.0 && (0.0..most_ids).contains(x),
        _ => x.is_finite(),
    };
    match column.iter().position(|x| !fits(x)) {
        None => Ok(()),
        Some(k) => {
            let expected = match cell {
                Cell::Id => format!("an id is a whole number from 0, below {most_ids}"),
                _ => "must be a finite number".into(),
            };
            Err(wrong("column", format!("{side}.{name} = {} for body {k}", column[k]), expected))
        }
    }
}

/// The numbers of a record, each with its name and kind: `x` of three is `x0`, `x1`, `x2`.
pub(crate) fn numbers(fields: &[Field]) -> Vec<(String, Cell)> {
    let mut numbers = Vec::new();
    for field in fields {
        for k in 0..field.width {
            let name = if field.width == 1 { field.name.clone() } else { format!("{}{k}", field.name) };
            numbers.push((name, field.cell));
        }
    }
    numbers
}

impl Law {
    /// The names of the results' columns. Three numbers `a` are `ax`, `ay`, `az`, others `a0`, `a1`, ...; `argmin` and
    /// `argmax` are two columns, the value and, with `_id` appended, who gave it.
    pub fn result_columns(&self) -> Vec<String> {
        self.out.iter().flat_map(columns_of).collect()
    }

    /// The cells of the result record's numbers, in order: those of two numbers twice.
    pub fn cells(&self) -> Vec<Cell> {
        let of = |field: &Field| {
            let one: &[Cell] = match field.cell {
                Cell::ArgMin => &[Cell::ArgMin, Cell::Label],
                Cell::ArgMax => &[Cell::ArgMax, Cell::Label],
                Cell::LogSumExp => &[Cell::LogSumExp, Cell::Scaled],
                Cell::Count => &[Cell::Count],
                Cell::Min => &[Cell::Min],
                Cell::Max => &[Cell::Max],
                _ => &[Cell::Sum],
            };
            one.repeat(field.width)
        };
        self.out.iter().flat_map(of).collect()
    }

    /// The columns of the results from the numbers of the result record, each \[n_i\]: a `logsumexp` becomes one
    /// column, the others stay.
    pub fn finish(&self, mut raw: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        let cells = self.cells();
        for k in 0..cells.len() {
            if cells[k] == Cell::LogSumExp {
                let (top, scaled) = raw.split_at_mut(k + 1);
                top[k].iter_mut().zip(&scaled[0]).for_each(|(m, s)| *m += s.ln());
            }
        }
        raw.into_iter().zip(cells).filter(|(_, cell)| *cell != Cell::Scaled).map(|(column, _)| column).collect()
    }
}

/// The columns of one result.
pub(crate) fn columns_of(field: &Field) -> Vec<String> {
    let two = matches!(field.cell, Cell::ArgMin | Cell::ArgMax);
    let of = |k| {
        let name = column_name(&field.name, field.width, k);
        let id = two.then(|| format!("{name}_id"));
        std::iter::once(name).chain(id)
    };
    (0..field.width).flat_map(of).collect()
}

/// A column's name for number `k` of a member of `width`.
pub(crate) fn column_name(name: &str, width: usize, k: usize) -> String {
    match width {
        1 => name.to_string(),
        2 | 3 if name == "x" => ["x", "y", "z"][k].to_string(),
        2 | 3 => format!("{name}{}{}", if name.len() == 1 { "" } else { "_" }, ["x", "y", "z"][k]),
        _ => format!("{name}{k}"),
    }
}
