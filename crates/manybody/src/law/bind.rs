//! Laws on bodies: the columns that a law reads, its parameters by name, and what to say of results that are none.

use super::sets::{column_name, numbers};
use super::{Cell, Field, LAWS, Law, SelfPair, Sets, by_name};
use crate::simd::Level;
use crate::solver::{Evaluator, Precision};
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
        if word.is_empty() {
            let expected = "a law's name such as gravity or coulomb, a text, or a file with a text is needed".into();
            return Err(wrong("law", "", expected));
        }
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
                let known = || bodies.column_names();
                let found =
                    bodies.column(&name).ok_or_else(|| wrong("column", &name, self.lacks(field, &name, &known())))?;
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
        let near = crate::law::text::closest(column, there.iter().copied());
        let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
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
    /// [`Error::Parameter`] for a name that is none, or a parameter without a value.
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

    /// The results that are infinite for lack of partners, extremes and logarithms of sums: the column's name, how many bodies
    /// have none, and the first of them.
    pub fn without_partners(&self, results: &[Vec<f64>]) -> Vec<(String, usize, usize)> {
        let none = |column: &Vec<f64>| {
            let mut bodies = column.iter().enumerate().filter(|(_, x)| x.is_infinite()).map(|(body, _)| body);
            bodies.next().map(|first| (1 + bodies.count(), first))
        };
        let named = results.iter().zip(self.result_columns());
        named.filter_map(|(column, name)| none(column).map(|(count, first)| (name, count, first))).collect()
    }

    /// Looks for results that are no numbers, and finds out which pair made them so. Without partners the smallest value is
    /// infinite, the largest and the logarithm of a sum minus infinity: these are right if there were no offers.
    ///
    /// # Errors
    /// [`Error::Parameter`] that names the result, the body and its partner.
    pub fn check_results(&self, sets: &Sets<'_>, results: &[Vec<f64>]) -> Result<()> {
        for (k, (name, cell)) in self.result_columns().into_iter().zip(self.columns_cells()).enumerate() {
            let Some(column) = results.get(k) else { continue };
            let value = |body: usize| format!("{name} = {} for body {body}", column[body]);
            if let Some(body) = column.iter().position(|x| !is_number(cell, *x)) {
                return Err(wrong("law", value(body), self.reason(sets, body)?));
            }
            // infinite for lack of partners, or for lack of room in f32?
            if let Some(body) = column.iter().position(|x| x.is_infinite())
                && self.oracle_at(sets, &[body])?[k][0].is_finite()
            {
                return Err(wrong(
                    "law",
                    value(body),
                    "numbers are too large on the way: other units, or --precision f64".into(),
                ));
            }
        }
        Ok(())
    }

    /// The cell of each column of the results.
    fn columns_cells(&self) -> impl Iterator<Item = Cell> {
        self.cells().into_iter().filter(|cell| *cell != Cell::Scaled)
    }

    /// Which partner spoils the results of a body: in f64, or else in f32.
    fn reason(&self, sets: &Sets<'_>, body: usize) -> Result<String> {
        let one = |columns: &[&'_ [f64]], k: usize| columns.iter().map(|c| vec![c[k]]).collect::<Vec<_>>();
        let i = one(sets.i, body);
        let i: Vec<&[f64]> = i.iter().map(Vec::as_slice).collect();
        let spoiled = |results: &[Vec<f64>]| {
            let mut columns = results.iter().zip(self.columns_cells());
            columns.any(|(column, cell)| column.iter().any(|x| !is_number(cell, *x)))
        };
        // the first partner with whom alone `results` are none, and whether it is the body itself
        let find = |results: &dyn Fn(&Sets<'_>) -> Result<Vec<Vec<f64>>>| -> Result<Option<(usize, bool)>> {
            for other in 0..sets.lens().1 {
                let itself = sets.same_bodies() && other == body;
                if itself && self.self_pair() != SelfPair::Included {
                    continue;
                }
                let j = one(sets.j, other);
                let j: Vec<&[f64]> = j.iter().map(Vec::as_slice).collect();
                if spoiled(&results(&Sets::two(&i, &j, sets.par).sized(1, 1))?) {
                    return Ok(Some((other, itself)));
                }
            }
            Ok(None)
        };
        match find(&|pair| self.oracle(pair))? {
            Some((_, true)) => {
                return Ok("the pair i = j makes it so: write `self exclude`, a softening, or a condition".into());
            }
            Some((other, false)) => {
                let why = "are both at the same place, or is it a root of less than 0?";
                return Ok(format!("its partner {other} makes it so: {why}"));
            }
            None => {}
        }
        // what f64 has room for was computed in f32
        if !spoiled(&self.oracle_at(sets, &[body])?) {
            let single = Evaluator::new(self, Level::from_env()?, Precision::F32);
            let why = "makes it so in f32, where numbers are too large or too small: other units, or --precision f64";
            match find(&|pair| single.evaluate(pair).or_else(|_| self.oracle(pair)))? {
                Some((_, true)) => return Ok(format!("the pair i = j {why}")),
                Some((other, false)) => return Ok(format!("its partner {other} {why}")),
                None => {}
            }
        }
        Ok("no partner alone makes it so: numbers are too large or too small for the precision".into())
    }
}

/// Whether a result is a number, or what a result without partners is.
fn is_number(cell: Cell, x: f64) -> bool {
    match cell {
        Cell::Min | Cell::ArgMin => x.is_finite() || x == f64::INFINITY,
        Cell::Max | Cell::ArgMax | Cell::LogSumExp => x.is_finite() || x == f64::NEG_INFINITY,
        _ => x.is_finite(),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(said.contains("the law reads it as spin") && said.contains("body spin = NAME"), "{said}");
        let law = Law::parse("law tops; body charg, mu[3]; sum s = j.mu[0] + j.charg").unwrap();
        let said = |k: usize| law.read(&law.body()[k..], &bodies).unwrap_err().to_string();
        assert!(said(0).contains("did you mean charge?") && said(0).contains("the law tops reads"), "{}", said(0));
        assert!(
            said(1).contains("reads mu[3] from mu_x, mu_y, mu_z") && said(1).contains("body mu[3] = ("),
            "{}",
            said(1)
        );
    }

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
        assert!(Law::by_name_or_text(" ").unwrap_err().to_string().contains("a law's name such as gravity"));
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
        assert!(large.contains("for body 0: the pair i = j makes it so in f32") && large.contains("f64"), "{large}");
        let large = said("body x; sum s = j.x * i.x; self exclude", &[1e30, 2.0, 1e30], &[], Precision::F32);
        assert!(large.contains("for body 0: its partner 2 makes it so in f32"), "{large}");
        let all = said("body x; sum s = j.x", &[1.7e308, 1.7e308, 1.7e308], &[], f64s);
        assert!(all.contains("no partner alone makes it so"), "{all}");
        // a smallest value is infinite for lack of partners, not for lack of room
        assert_eq!(said("body x; min m = j.x; max n = j.x; self exclude", &[1.0], &[], f64s), "");
        let room = said("body x; min m = j.x * 1e30; self exclude", &[1e30, 1e30], &[], Precision::F32);
        assert!(room.contains("m = inf for body 0: numbers are too large"), "{room}");
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
