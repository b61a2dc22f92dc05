//! Two sets of bodies and what a law makes of them, as columns: what every evaluator takes and returns.

use super::{Cell, Field, Law, Role};
use crate::{Error, Result};
use std::ops::Range;

/// Which of the bodies acted on are computed: the targets of an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Targets<'a> {
    /// All of them.
    #[default]
    All,
    /// Those from the first number up to, but not including, the second.
    Range(Range<usize>),
    /// Those of these indices, each at most once, in this order.
    List(&'a [usize]),
}

/// The bodies acted on, those that act, and the parameters; one column a number, in the order of the law's records.
#[derive(Clone, Copy, Debug)]
pub struct PairInputs<'a> {
    /// The bodies acted on: one slice a number of the record, each \[n_i\].
    pub i: &'a [&'a [f64]],
    /// The bodies that act: each \[n_j\].
    pub j: &'a [&'a [f64]],
    /// The numbers of the parameters.
    pub par: &'a [f64],
    /// Where the bodies acted on are among those that act: body k of `i` is body `first` + k of `j`. `None` for other bodies.
    first: Option<usize>,
    /// How many bodies are acted on, and how many act.
    lens: (usize, usize),
}

impl<'a> PairInputs<'a> {
    /// All bodies of one set act on all, with the same columns in both parts.
    pub fn one(bodies: &'a [&'a [f64]], par: &'a [f64]) -> Self {
        Self::roles(bodies, bodies, par)
    }

    /// All bodies of one set act on all, and have other columns as those that act than as those acted on: for laws with
    /// `source` and `target` columns or `INPUT_I` and `INPUT_J`. Body k of one side is body k of the other.
    pub fn roles(i: &'a [&'a [f64]], j: &'a [&'a [f64]], par: &'a [f64]) -> Self {
        // a side of which the law reads nothing has as many bodies as the other
        let len = |side: &[&[f64]], other: &[&[f64]]| side.first().or(other.first()).map_or(0, |c| c.len());
        PairInputs { i, j, par, first: Some(0), lens: (len(i, j), len(j, i)) }
    }

    /// All bodies of one set act on some of it: body k of `i` is body `first` + k of `j`. Where the law reads nothing of a
    /// side, say how many bodies it has with [`sized`](PairInputs::sized).
    pub fn part(i: &'a [&'a [f64]], j: &'a [&'a [f64]], first: usize, par: &'a [f64]) -> Self {
        PairInputs { first: Some(first), ..PairInputs::two(i, j, par) }
    }

    /// The bodies of one set act on those of another. Where the law reads nothing of a side, say how many bodies it has
    /// with [`sized`](PairInputs::sized).
    pub fn two(i: &'a [&'a [f64]], j: &'a [&'a [f64]], par: &'a [f64]) -> Self {
        let len = |side: &[&[f64]]| side.first().map_or(0, |c| c.len());
        PairInputs { i, j, par, first: None, lens: (len(i), len(j)) }
    }

    /// The same with `ni` targets and `nj` sources, for laws without columns.
    pub fn sized(self, ni: usize, nj: usize) -> Self {
        PairInputs { lens: (ni, nj), ..self }
    }

    /// The same bodies with other columns.
    pub(crate) fn with_columns<'b>(&self, i: &'b [&'b [f64]], j: &'b [&'b [f64]]) -> PairInputs<'b>
    where
        'a: 'b,
    {
        PairInputs { i, j, ..*self }
    }

    /// How many bodies are acted on, and how many act.
    pub fn lens(&self) -> (usize, usize) {
        self.lens
    }

    /// Whether those acted on are among those that act, so that one pair of each is a body with itself. Their columns may
    /// differ all the same.
    pub fn same_bodies(&self) -> bool {
        self.first.is_some()
    }

    /// The index of the first of those acted on among those that act; `None` for other bodies.
    pub fn first(&self) -> Option<usize> {
        self.first
    }

    /// Whether those acted on are some of those that act, and not all of them.
    pub fn is_part(&self) -> bool {
        self.first.is_some_and(|first| first > 0 || self.lens.0 != self.lens.1)
    }

    /// The index of body k of those acted on among those that act; `None` for other bodies.
    pub fn source_of(&self, k: usize) -> Option<usize> {
        self.first.map(|first| first + k)
    }

    /// Calls `f` with the sets of which only `targets` are acted on.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a target that is not among the bodies acted on, or is named twice.
    pub fn at<T>(&self, targets: &Targets<'_>, f: impl FnOnce(&PairInputs<'_>) -> T) -> Result<T> {
        targets.check(self.lens.0)?;
        match targets {
            Targets::All => Ok(f(self)),
            Targets::Range(range) => {
                let i: Vec<&[f64]> = self.i.iter().map(|column| &column[range.clone()]).collect();
                Ok(f(&PairInputs {
                    i: &i,
                    first: self.source_of(range.start),
                    lens: (range.len(), self.lens.1),
                    ..*self
                }))
            }
            Targets::List(list) => Ok(self.at_list(list, f)),
        }
    }

    /// [`at`](Self::at) a list: the targets come first among those that act.
    fn at_list<T>(&self, list: &[usize], f: impl FnOnce(&PairInputs<'_>) -> T) -> T {
        let some = |columns: &[&[f64]], order: &[usize]| -> Vec<Vec<f64>> {
            columns.iter().map(|column| order.iter().map(|k| column[*k]).collect()).collect()
        };
        let i = some(self.i, list);
        let i: Vec<&[f64]> = i.iter().map(Vec::as_slice).collect();
        let lens = (list.len(), self.lens.1);
        let Some(first) = self.first else { return f(&PairInputs { i: &i, lens, ..*self }) };
        let mut is_target = vec![false; lens.1];
        list.iter().for_each(|k| is_target[first + k] = true);
        let mut order: Vec<usize> = list.iter().map(|k| first + k).collect();
        order.extend((0..lens.1).filter(|k| !is_target[*k]));
        let j = some(self.j, &order);
        let j: Vec<&[f64]> = j.iter().map(Vec::as_slice).collect();
        f(&PairInputs { i: &i, j: &j, par: self.par, first: Some(0), lens })
    }

    /// Whether, besides, the columns of both sides hold the same numbers, so that one record a body serves both parts.
    pub fn same_columns(&self) -> bool {
        let same = |(a, b): (&&[f64], &&[f64])| {
            std::ptr::eq(*a, *b) || (a.len() == b.len() && a.iter().zip(*b).all(|(x, y)| x.to_bits() == y.to_bits()))
        };
        let whole = self.first == Some(0) && self.lens.0 == self.lens.1;
        whole && self.i.len() == self.j.len() && self.i.iter().zip(self.j).all(same)
    }

    /// Checks that the columns are those of the law, of one length a side, and finite; ids whole and below `most_ids`.
    ///
    /// # Errors
    /// [`Error::Parameter`] that names the column and the body.
    pub fn check(&self, law: &Law, most_ids: f64) -> Result<()> {
        let (ni, nj) = self.lens();
        if self.first.is_some_and(|first| first + ni > nj) {
            let expected = "the bodies acted on must be among those that act";
            return Err(wrong("bodies", format!("{ni} and {nj}"), expected));
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
        law.check_parameters(self.par)
    }
}

impl Targets<'_> {
    /// Checks that there are such bodies, among n.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a target that is not there, or is named twice.
    pub fn check(&self, n: usize) -> Result<()> {
        match self {
            Targets::All => Ok(()),
            Targets::Range(range) if range.start <= range.end && range.end <= n => Ok(()),
            Targets::Range(range) => {
                Err(wrong("targets", format!("{range:?}"), format!("must be a range of the {n} bodies acted on")))
            }
            Targets::List(list) => {
                let mut seen = vec![false; n];
                let mut is_new = |k: usize| seen.get_mut(k).is_some_and(|seen| !std::mem::replace(seen, true));
                let expected = match list.iter().find(|k| !is_new(**k)) {
                    None => return Ok(()),
                    Some(k) if *k < n => (k, "must name each body at most once".into()),
                    Some(k) => (k, format!("must be the index of one of the {n} bodies acted on")),
                };
                Err(wrong("targets", expected.0.to_string(), expected.1))
            }
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
        Some(k) => Err(wrong_number(side, (name, cell), (k, column[k]), most_ids)),
    }
}

/// The error for number `name` of body k.
fn wrong_number(side: &str, (name, cell): (&str, Cell), (k, value): (usize, f64), most_ids: f64) -> Error {
    let expected = match cell {
        Cell::Id => format!("an id is a whole number from 0, below {most_ids}"),
        _ => "must be a finite number".into(),
    };
    Error::Column { column: format!("{side}.{name} = {value} for body {k}"), expected }
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
    /// Checks that there are as many parameters as the law has, all finite.
    ///
    /// # Errors
    /// [`Error::Parameter`] that names the parameter.
    pub fn check_parameters(&self, par: &[f64]) -> Result<()> {
        let names = numbers(&self.par);
        if par.len() != names.len() {
            let list: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
            let expected = format!("{} has {} parameters: {}", self.title(), names.len(), list.join(", "));
            return Err(wrong("parameters", par.len().to_string(), expected));
        }
        match par.iter().zip(&names).find(|(value, _)| !value.is_finite()) {
            Some((value, (name, _))) => Err(wrong("parameter", format!("{name} = {value}"), "must be a finite number")),
            None => Ok(()),
        }
    }

    /// The kinds of the numbers of a body on a side.
    pub fn number_cells(&self, role: Role) -> Vec<Cell> {
        numbers(self.side(role)).into_iter().map(|(_, cell)| cell).collect()
    }

    /// The error of [`PairInputs::check`] for number `number` of body `body`, whose columns are not in the host's memory.
    pub fn wrong_number(&self, role: Role, number: usize, (body, value): (usize, f64), most_ids: f64) -> Error {
        let name = if role == Role::I { "i" } else { "j" };
        match numbers(self.side(role)).get(number) {
            Some((number, cell)) => wrong_number(name, (number, *cell), (body, value), most_ids),
            None => wrong("columns", number.to_string(), format!("must be a number of {name}")),
        }
    }

    fn side(&self, role: Role) -> &[Field] {
        if role == Role::I { &self.i } else { &self.j }
    }

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
