//! Laws on bodies: the columns that a law reads, and its parameters by name.

use super::pair_inputs::{column_name, numbers};
use super::{Field, LAWS, Law, by_name};
use crate::{Error, Result};
use std::borrow::Cow;

/// Bodies as columns of numbers, by name.
pub trait Columns {
    /// The column of that name; `None` if there is no such column.
    fn column(&self, name: &str) -> Option<Cow<'_, [f64]>>;

    /// The names that [`column`](Columns::column) knows.
    fn column_names(&self) -> Vec<String>;
}

/// Parameters of a law or columns of bodies that could not be found.
fn wrong(name: &'static str, value: impl Into<String>, expected: String) -> Error {
    Error::Parameter { name, value: value.into(), expected }
}

impl Law {
    /// The built-in law of that name, or the law that a text is.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a single word that is no name, [`Error::Law`] for a text that is no law.
    pub fn by_name_or_text(law: &str) -> Result<Law> {
        let word = law.trim();
        if word.is_empty() {
            let names: Vec<&str> = super::LAWS.iter().map(|law| law.name).collect();
            let expected =
                format!("a law's name, a text, or a file with a text is needed; the names are: {}", names.join(", "));
            return Err(wrong("law", "", expected));
        }
        let is_name =
            LAWS.iter().any(|b| b.name == word) || !word.contains(|c: char| c.is_whitespace() || "=;[(".contains(c));
        let made = if is_name { by_name(word)? } else { Law::parse(law)? };
        Ok(Law { source: Some(law.into()), ..made })
    }

    /// The names of the columns that a member's numbers come from: those that the law names, or the member's own. `x`
    /// of three is x, y, z; `v` of three is vx, vy, vz.
    pub fn column_names(&self, member: &Field) -> Vec<String> {
        match self.columns(&member.name) {
            Some(columns) => columns.to_vec(),
            None => (0..member.width).map(|k| column_name(&member.name, member.width, k)).collect(),
        }
    }

    /// The columns of bodies that a record of the law reads, in order; `fields` is [`body`](Law::body) or
    /// [`partner`](Law::partner).
    ///
    /// # Errors
    /// [`Error::Column`] that names what is missing, and what there is.
    pub fn read<'a>(&self, fields: &[Field], bodies: &'a impl Columns) -> Result<Vec<Cow<'a, [f64]>>> {
        let mut columns = Vec::new();
        for field in fields {
            for name in self.column_names(field) {
                let known = || bodies.column_names();
                let found = bodies
                    .column(&name)
                    .ok_or_else(|| Error::Column { expected: self.lacks(field, &name, &known()), column: name })?;
                columns.push(found);
            }
        }
        Ok(columns)
    }

    /// What to say of a column that a member reads and that is not among those `there`.
    pub fn lacks(&self, member: &Field, column: &str, there: &[impl AsRef<str>]) -> String {
        let there: Vec<&str> = there.iter().map(AsRef::as_ref).collect();
        let columns = self.column_names(member);
        let reads = match columns.len() {
            1 => format!("{} reads it as {}", self.title(), member.name),
            n => format!("{} reads {}[{n}] from {}", self.title(), member.name, columns.join(", ")),
        };
        let near = crate::error::closest(column, there.iter().copied());
        let near = near.map_or(".".to_owned(), |near| format!("; did you mean {near}?"));
        let other = match columns.len() {
            1 => format!("{} = NAME", member.name),
            n => format!("{}[{n}] = (NAME, ...)", member.name),
        };
        format!("{reads}; there are: {}{near} Another column is named so: body {other}", there.join(", "))
    }

    /// The names of the parameters' numbers: three numbers `box` are box0, box1, box2.
    pub fn parameter_names(&self) -> Vec<String> {
        numbers(self.parameters()).into_iter().map(|(name, _)| name).collect()
    }

    /// The parameters' numbers: those given by name (three numbers `box` are box0, box1, box2, or `box` for all of
    /// them), for the others the defaults.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an unknown name, or a parameter without a value.
    pub fn parameter_values(&self, given: &[(String, f64)]) -> Result<Vec<f64>> {
        let names = numbers(self.parameters());
        let all = || match names.is_empty() {
            true => format!("{} has no parameters", self.title()),
            false => {
                let list: Vec<&str> = names.iter().map(|(n, _)| n.as_str()).collect();
                format!("{} has the parameters {}", self.title(), list.join(", "))
            }
        };
        let mut values = self.defaults().to_vec();
        for (name, value) in given {
            let whole = self.parameters().iter().find(|f| f.name == *name);
            let mut hit = false;
            for (k, (number, _)) in names.iter().enumerate() {
                let of_whole = whole.is_some_and(|f| number.strip_prefix(&f.name).is_some_and(is_digits));
                if number == name || of_whole {
                    values[k] = Some(*value);
                    hit = true;
                }
            }
            if !hit {
                return Err(wrong("parameter", name, all()));
            }
        }
        let missing = names.iter().zip(&values).find(|(_, v)| v.is_none());
        match missing {
            Some(((name, _), _)) => Err(wrong("parameter", name, format!("it has no value; {}", all()))),
            None => Ok(values.into_iter().flatten().collect()),
        }
    }

    /// Several numbers for one parameter, in the form that [`parameter_values`](Law::parameter_values) takes.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it does not have as many.
    pub fn parameter_numbers(&self, name: &str, values: &[f64]) -> Result<Vec<(String, f64)>> {
        if let [one] = values {
            return Ok(vec![(name.into(), *one)]);
        }
        match self.parameters().iter().find(|field| field.name == name) {
            Some(field) if field.numbers() != values.len() => {
                let value = format!("{name} of {} numbers", values.len());
                Err(wrong("parameter", value, format!("{name} has {}: give as many, or one for all", field.numbers())))
            }
            _ => Ok(values.iter().enumerate().map(|(k, value)| (format!("{name}{k}"), *value)).collect()),
        }
    }

    /// The results that are infinite for lack of partners, extremes and logarithms of sums: the column's name, how many
    /// bodies have no partner, and the first of them.
    pub fn without_partners(&self, results: &[Vec<f64>]) -> Vec<(String, usize, usize)> {
        let none = |column: &Vec<f64>| {
            let mut bodies = column.iter().enumerate().filter(|(_, x)| x.is_infinite()).map(|(body, _)| body);
            bodies.next().map(|first| (1 + bodies.count(), first))
        };
        let named = results.iter().zip(self.result_columns());
        named.filter_map(|(column, name)| none(column).map(|(count, first)| (name, count, first))).collect()
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_by_name() {
        let law = Law::parse("body x; param a = 1, box[3], c; sum s = j.x * a * box[0] * box[1] * box[2] * c").unwrap();
        let given = |list: &[(&str, f64)]| {
            law.parameter_values(&list.iter().map(|(n, v)| (n.to_string(), *v)).collect::<Vec<_>>())
        };
        assert_eq!(given(&[("box", 2.0), ("box1", 3.0), ("c", 4.0)]).unwrap(), [1.0, 2.0, 3.0, 2.0, 4.0]);
        assert!(given(&[("box", 2.0)]).unwrap_err().to_string().contains("parameter = c: it has no value"));
        let several = law.parameter_numbers("box", &[3.0, -7.5, 11.0]).unwrap();
        assert_eq!(
            given(&several.iter().map(|(n, v)| (n.as_str(), *v)).chain([("c", 0.0)]).collect::<Vec<_>>()).unwrap(),
            [1.0, 3.0, -7.5, 11.0, 0.0]
        );
        let wrong = law.parameter_numbers("box", &[1.0, 2.0]).unwrap_err().to_string();
        assert!(wrong.contains("box of 2 numbers: box has 3"), "{wrong}");
        assert!(given(&[("d", 2.0)]).unwrap_err().to_string().contains("a, box0, box1, box2, c"));
    }

    #[test]
    fn names_and_texts() {
        assert_eq!(Law::by_name_or_text(" coulomb ").unwrap().name(), "coulomb");
        assert!(Law::by_name_or_text("colomb").unwrap_err().to_string().contains("unknown law 'colomb'"));
        assert_eq!(Law::by_name_or_text("body x; sum s = j.x").unwrap().title(), "the law");
        assert!(Law::by_name_or_text(" ").unwrap_err().to_string().contains("a law's name, a text"));
    }
}
