//! Laws on bodies: the columns that a law reads, its parameters by name, and what to say of results that are none.

use super::sets::{column_name, numbers};
use super::{Cell, Field, LAWS, Law, SelfPair, Sets, by_name};
use crate::{Bodies, Error, Result};
use std::borrow::Cow;

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
        if LAWS.iter().any(|b| b.name == word) || !word.contains(|c: char| c.is_whitespace() || "=;[(".contains(c)) {
            return by_name(word);
        }
        Law::parse(law)
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
    /// [`partner`](Law::partner). A column is x, y, z, vx, vy, vz, mass (or m), id, eps, kind, or an extra one.
    ///
    /// # Errors
    /// [`Error::Parameter`] that names what is missing, and what there is.
    pub fn read<'a>(&self, fields: &[Field], bodies: &'a Bodies) -> Result<Vec<Cow<'a, [f64]>>> {
        let mut columns = Vec::new();
        for field in fields {
            for name in self.column_names(field) {
                let found = bodies.column(&name).ok_or_else(|| {
                    let known = bodies.column_names().join(", ");
                    let expected = format!("the law {} reads it as {}; there are: {known}", self.name(), field.name);
                    wrong("column", &name, expected)
                })?;
                columns.push(found);
            }
        }
        Ok(columns)
    }

    /// The names of the parameters' numbers: three numbers `box` are box0, box1, box2.
    pub fn parameter_names(&self) -> Vec<String> {
        numbers(self.parameters()).into_iter().map(|(name, _)| name).collect()
    }

    /// The parameters' numbers: those given by name (three numbers `box` are box0, box1, box2, or `box` for all of
    /// them), for the others the defaults.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a name that is none, or a parameter without a value.
    pub fn parameter_values(&self, given: &[(String, f64)]) -> Result<Vec<f64>> {
        let names = numbers(self.parameters());
        let all = || match names.is_empty() {
            true => format!("the law {} has no parameters", self.name()),
            false => {
                let list: Vec<&str> = names.iter().map(|(n, _)| n.as_str()).collect();
                format!("the law {} has the parameters {}", self.name(), list.join(", "))
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

    /// Looks for results that are no numbers, and finds out which pair made them so.
    ///
    /// # Errors
    /// [`Error::Parameter`] that names the result, the body and its partner.
    pub fn check_results(&self, sets: &Sets<'_>, results: &[Vec<f64>]) -> Result<()> {
        for ((column, name), cell) in results.iter().zip(self.result_columns()).zip(self.columns_cells()) {
            if let Some(body) = column.iter().position(|x| !is_number(cell, *x)) {
                let value = format!("{name} = {} for body {body}", column[body]);
                return Err(wrong("law", value, self.reason(sets, body)?));
            }
        }
        Ok(())
    }

    /// The cell of each column of the results.
    fn columns_cells(&self) -> impl Iterator<Item = Cell> {
        self.cells().into_iter().filter(|cell| *cell != Cell::Scaled)
    }

    /// Which partner spoils the results of a body, in f64.
    fn reason(&self, sets: &Sets<'_>, body: usize) -> Result<String> {
        let one = |columns: &[&'_ [f64]], k: usize| columns.iter().map(|c| vec![c[k]]).collect::<Vec<_>>();
        let i = one(sets.i, body);
        let i: Vec<&[f64]> = i.iter().map(Vec::as_slice).collect();
        for other in 0..sets.lens().1 {
            let itself = sets.same && other == body;
            if itself && self.self_pair() != SelfPair::Included {
                continue;
            }
            let j = one(sets.j, other);
            let j: Vec<&[f64]> = j.iter().map(Vec::as_slice).collect();
            let pair = self.oracle(&Sets { i: &i, j: &j, same: false, par: sets.par })?;
            let spoiled = |(column, cell): (&Vec<f64>, Cell)| column.iter().any(|x| !is_number(cell, *x));
            if pair.iter().zip(self.columns_cells()).any(spoiled) {
                return Ok(match itself {
                    true => "the pair i = j makes it so: write `self exclude`, a softening, or a condition".into(),
                    false => format!(
                        "its partner {other} makes it so: are both at the same place, or is it a root of less than 0?"
                    ),
                });
            }
        }
        Ok("no partner alone makes it so: numbers are too large or too small for the precision".into())
    }
}

/// Whether a result is a number; a `logsumexp` of nobody is -infinity and all right.
fn is_number(cell: Cell, x: f64) -> bool {
    x.is_finite() || (cell == Cell::LogSumExp && x == f64::NEG_INFINITY)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Precision;

    fn bodies() -> Bodies {
        let mut bodies = Bodies::default();
        for k in 0..3 {
            bodies.push(1.0 + f64::from(k), [f64::from(k), 0.0, 0.0], [0.0, f64::from(k), 0.0]);
        }
        bodies.extra.insert("charge".into(), vec![5.0, 6.0, 7.0]);
        bodies
    }

    #[test]
    fn members_find_their_columns() {
        let bodies = bodies();
        let law = Law::parse("body x[3], v[3], m, q = charge; id k = id; sum s = j.q * j.m * j.v[1] when i.k != j.k")
            .unwrap();
        let columns = law.read(law.body(), &bodies).unwrap();
        let want: [&[f64]; 9] = [
            &bodies.x,
            &bodies.y,
            &bodies.z,
            &bodies.vx,
            &bodies.vy,
            &bodies.vz,
            &bodies.mass,
            &[5.0, 6.0, 7.0],
            &[0.0, 1.0, 2.0],
        ];
        assert!(columns.iter().zip(want).all(|(a, b)| **a == *b) && columns.len() == 9);
        let law = Law::parse("body spin; sum s = j.spin").unwrap();
        let said = law.read(law.body(), &bodies).unwrap_err().to_string();
        assert!(said.contains("column = spin") && said.contains("vz, charge"), "{said}");
    }

    #[test]
    fn parameters_by_name() {
        let law = Law::parse("body x; param a = 1, box[3], c; sum s = j.x * a * box[0] * box[1] * box[2] * c").unwrap();
        let given = |list: &[(&str, f64)]| {
            law.parameter_values(&list.iter().map(|(n, v)| (n.to_string(), *v)).collect::<Vec<_>>())
        };
        assert_eq!(given(&[("box", 2.0), ("box1", 3.0), ("c", 4.0)]).unwrap(), [1.0, 2.0, 3.0, 2.0, 4.0]);
        assert!(given(&[("box", 2.0)]).unwrap_err().to_string().contains("parameter = c: it has no value"));
        assert!(given(&[("d", 2.0)]).unwrap_err().to_string().contains("a, box0, box1, box2, c"));
    }

    #[test]
    fn names_and_texts() {
        assert_eq!(Law::by_name_or_text(" coulomb ").unwrap().name(), "coulomb");
        assert!(Law::by_name_or_text("colomb").unwrap_err().to_string().contains("unknown law 'colomb'"));
        assert_eq!(Law::by_name_or_text("body x; sum s = j.x").unwrap().name(), "law");
    }

    /// The guilty pair is named: a body with itself, two at one place, or nobody.
    #[test]
    fn what_is_no_number_is_explained() {
        let said = |text: &str, x: &[f64], par: &[f64], precision| {
            let law = Law::parse(text).unwrap();
            let columns: [&[f64]; 1] = [x];
            let sets = Sets::one(&columns, par);
            let results = law.evaluate(&sets, precision).unwrap();
            law.check_results(&sets, &results).err().map(|e| e.to_string()).unwrap_or_default()
        };
        let f64s = Precision::F64;
        let soft = "body x; param e; sum s = 1 / sqrt((j.x - i.x)^2 + e)";
        assert_eq!(said(soft, &[1.0, 2.0], &[0.5], f64s), "");
        let it = said(soft, &[1.0, 2.0], &[0.0], f64s);
        assert!(it.contains("s = ") && it.contains("for body 0") && it.contains("i = j"), "{it}");
        let two = said("body x; sum s = 1 / abs(j.x - i.x); self exclude", &[3.0, 1.0, 2.0, 1.0], &[], f64s);
        assert!(two.contains("for body 1") && two.contains("partner 3"), "{two}");
        let large = said("body x; sum s = j.x * i.x", &[1e30, 1.0], &[], Precision::F32);
        assert!(large.contains("for body 0") && large.contains("precision"), "{large}");
        assert_eq!(said("body x; logsumexp z = j.x; self exclude", &[1.0], &[], f64s), "");
    }

    /// A logsumexp of nobody, here of the first partner, is not what is wrong.
    #[test]
    fn the_partner_that_spoils_a_result_is_found() {
        let law = Law::parse("body x; logsumexp z = i.x when i.x < j.x; sum s = sqrt(j.x); self exclude").unwrap();
        let x = [1.0, 0.5, -1.0];
        let columns: [&[f64]; 1] = [&x];
        let sets = Sets::one(&columns, &[]);
        let results = law.evaluate(&sets, Precision::F64).unwrap();
        let said = law.check_results(&sets, &results).unwrap_err().to_string();
        assert!(said.contains("s = NaN for body 0") && said.contains("partner 2"), "{said}");
    }
}
