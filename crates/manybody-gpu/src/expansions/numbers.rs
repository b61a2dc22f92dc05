//! Executes the text of operators, for tests.

use std::collections::HashMap;

/// The numbers that statements of the text make.
#[derive(Debug)]
pub(super) struct Numbers(pub(super) HashMap<String, f64>);

impl Numbers {
    /// Those that are given.
    pub(super) fn of(given: &[(&str, f64)]) -> Self {
        Numbers(given.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect())
    }

    /// Executes the statements of a text that make or change numbers.
    pub(super) fn run(&mut self, text: &str) {
        for line in text.lines() {
            let line = line.trim();
            let statement = line.strip_prefix("const ").unwrap_or(line);
            let statement = statement.strip_prefix("real ").unwrap_or(statement);
            let Some((name, value)) = statement.trim_end_matches(';').split_once("= ") else { continue };
            let value = self.value(&mut value.replace(' ', "").as_str());
            let (name, change) = name.split_at(name.trim_end_matches(['+', '-', '*', ' ']).len());
            let value = match change.trim() {
                "" => value,
                "+" => self.0[name] + value,
                "-" => self.0[name] - value,
                other => panic!("{other}="),
            };
            self.0.insert(name.to_owned(), value);
        }
    }

    /// Executes an operator of a text.
    pub(super) fn call(&mut self, text: &str, name: &str) {
        let begin = text.find(&format!(" {name}(")).unwrap_or_else(|| panic!("{name}"));
        let end = begin + text[begin..].find("\n}\n").unwrap();
        self.run(&text[begin..end]);
    }

    /// A sum, or whether it is above another.
    fn value(&self, rest: &mut &str) -> f64 {
        let value = self.sum(rest);
        match rest.strip_prefix('>') {
            Some(after) => {
                *rest = after;
                f64::from(u8::from(value > self.sum(rest)))
            }
            None => value,
        }
    }

    fn sum(&self, rest: &mut &str) -> f64 {
        let mut value = self.product(rest);
        loop {
            let (sign, after) = match (rest.strip_prefix('+'), rest.strip_prefix('-')) {
                (Some(after), _) => (1.0, after),
                (_, Some(after)) => (-1.0, after),
                _ => return value,
            };
            *rest = after;
            value += sign * self.product(rest);
        }
    }

    fn product(&self, rest: &mut &str) -> f64 {
        let mut value = self.factor(rest);
        while let Some(after) = rest.strip_prefix('*') {
            *rest = after;
            value *= self.factor(rest);
        }
        value
    }

    fn factor(&self, rest: &mut &str) -> f64 {
        if let Some(after) = rest.strip_prefix('-') {
            *rest = after;
            return -self.factor(rest);
        }
        let end = rest.find(|c: char| !c.is_alphanumeric() && !"_[]".contains(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        *rest = after;
        if !name.is_empty() && !after.starts_with('(') {
            return *self.0.get(name).unwrap_or_else(|| panic!("{name}"));
        }
        let (inside, after) = self.arguments(name == "real", &after[1..]);
        *rest = after;
        match (name, &inside[..]) {
            ("m_fma", [a, b, c]) => a * b + c,
            ("m_where", [c, a, b]) => *if *c != 0.0 { a } else { b },
            ("m_rsqrt", [a]) => 1.0 / a.sqrt(),
            ("" | "real", [a]) => *a,
            other => panic!("{other:?}"),
        }
    }

    fn arguments<'a>(&self, is_literal: bool, rest: &'a str) -> (Vec<f64>, &'a str) {
        if is_literal {
            let (number, rest) = rest.split_once(')').unwrap();
            return (vec![number.parse().unwrap()], rest);
        }
        let (mut values, mut rest) = (Vec::new(), rest);
        loop {
            values.push(self.value(&mut rest));
            let (next, after) = rest.split_at(1);
            rest = after;
            if next == ")" {
                return (values, rest);
            }
        }
    }
}
