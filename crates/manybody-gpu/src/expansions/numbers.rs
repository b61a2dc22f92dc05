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

    /// Executes the statements of a text that make numbers.
    pub(super) fn run(&mut self, text: &str) {
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("const real ")) {
            let (name, value) = line.trim_end_matches(';').split_once(" = ").unwrap();
            let value = self.sum(&mut value.replace(' ', "").as_str());
            self.0.insert(name.to_owned(), value);
        }
    }

    fn sum(&self, rest: &mut &str) -> f64 {
        let mut value = self.product(rest);
        while let Some(after) = rest.strip_prefix('+') {
            *rest = after;
            value += self.product(rest);
        }
        value
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
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        *rest = after;
        if !name.is_empty() && !after.starts_with('(') {
            return self.0[name];
        }
        let (inside, after) = self.arguments(name == "real", &after[1..]);
        *rest = after;
        match (name, &inside[..]) {
            ("m_fma", [a, b, c]) => a * b + c,
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
            values.push(self.sum(&mut rest));
            let (next, after) = rest.split_at(1);
            rest = after;
            if next == ")" {
                return (values, rest);
            }
        }
    }
}
