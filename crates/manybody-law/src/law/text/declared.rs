//! The names that a law's text declares: members of bodies, parameters, results.

use super::lexer::{Span, Token};
use super::parser::{Names, Parsed, Parser, Val, shorten};
use super::{MAX_FIELDS, MAX_WIDTH};
use crate::law::definition::{Contribution, SelfPair};
use crate::law::graph::Role;
use crate::law::graph::trace::Trace;
use crate::law::{Cell, Field};

/// Who has a declared member.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Both,
    I,
    J,
}

/// A declared member, with its first number on either side.
pub(super) struct Member {
    pub(super) field: Field,
    pub(super) owner: Owner,
    first: [usize; 2],
}

#[derive(Default)]
pub(super) struct Declared {
    pub(super) members: Vec<Member>,
    pub(super) par: Vec<Field>,
    pub(super) defaults: Vec<Option<f64>>,
    pub(super) columns: Vec<(String, Vec<String>)>,
    pub(super) out: Vec<Field>,
    pub(super) contributions: Vec<Contribution>,
    pub(super) own: Vec<Contribution>,
    pub(super) self_pair: Option<SelfPair>,
    pub(super) name: Option<String>,
}

impl Declared {
    fn width(&self, side: usize) -> usize {
        let on = |m: &&Member| m.owner == Owner::Both || (m.owner == Owner::I) == (side == 0);
        self.members.iter().filter(on).map(|m| m.field.width).sum()
    }
}

impl Names for Declared {
    fn outer(p: &mut Parser<'_, Self>, word: Token) -> Parsed<Option<Val>> {
        let name = word.word(p.text).unwrap_or_default();
        let side = match name {
            "i" => 0,
            "j" => 1,
            _ => return member_alone(p, word, name),
        };
        p.need(".", "i and j are the two bodies; a member of one is written i.x, j.x")?;
        let token = p.next();
        let Some(member) = token.word(p.text) else {
            let found = p.describe(token);
            return p.error(token.span, format!("expected a member's name, found {found}"), "for example i.x");
        };
        let who = ["acted on (i)", "that acts (j)"][side];
        match p.names.members.iter().find(|m| m.field.name == member) {
            Some(m) if m.owner == Owner::Both || (m.owner == Owner::I) == (side == 0) => {
                let role = [Role::I, Role::J][side];
                let first = m.first[side];
                let numbers: Vec<Trace> =
                    (0..m.field.width).map(|k| Trace(p.recording.edit(|g| g.input(role, first + k)))).collect();
                Ok(Some(if m.field.cell == Cell::Id { Val::Id(numbers[0]) } else { Val::Number(numbers) }))
            }
            Some(_) => {
                let help = "body declares a member of both, target one of i, source one of j";
                p.error(token.span, format!("the body {who} has no {member}"), help)
            }
            None => {
                let names: Vec<String> = p.names.members.iter().map(|m| m.field.name.clone()).collect();
                let help = match crate::error::closest(member, names.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean {name}.{near}?"),
                    None if names.is_empty() => format!("declare it first: body {member}"),
                    None => format!("declared are: {}", shorten(&names)),
                };
                p.error(token.span, format!("a body has no member {member}"), help)
            }
        }
    }

    fn known(&self) -> Vec<String> {
        let members = self.members.iter().flat_map(|m| {
            let on = |o| m.owner == Owner::Both || m.owner == o;
            let side = |o, letter| on(o).then(|| format!("{letter}.{}", m.field.name));
            [side(Owner::I, "i"), side(Owner::J, "j")].into_iter().flatten()
        });
        members.chain(self.par.iter().map(|f| f.name.clone())).collect()
    }
}

/// A parameter; or a member without its body, which is an error of its own.
fn member_alone(p: &mut Parser<'_, Declared>, word: Token, name: &str) -> Parsed<Option<Val>> {
    let mut first = 0;
    for field in &p.names.par {
        if field.name == name {
            let numbers =
                (0..field.width).map(|k| Trace(p.recording.edit(|g| g.input(Role::Par, first + k)))).collect();
            return Ok(Some(Val::Number(numbers)));
        }
        first += field.width;
    }
    if p.names.members.iter().any(|m| m.field.name == name) {
        let help = format!("every body has one: write i.{name} or j.{name}");
        return p.error(word.span, format!("whose {name}?"), help);
    }
    if p.names.out.iter().any(|f| f.name == name) {
        return p.error(word.span, format!("{name} is a result"), "a result can be given to, not read");
    }
    Ok(None)
}

/// A name that may be given to something new.
pub(super) fn new_name(p: &mut Parser<'_, Declared>, example: &str) -> Parsed<(String, Span)> {
    let token = p.next();
    let Some(name) = token.word(p.text) else {
        let found = p.describe(token);
        return p.error(token.span, format!("expected a name, found {found}"), format!("for example: {example}"));
    };
    let taken = |what: &str| format!("`{name}` is already {what}");
    let problem = if matches!(name, "i" | "j") {
        taken("one of the two bodies")
    } else if super::expression::has_a_meaning(name) {
        taken("a word of laws")
    } else if p.names.members.iter().any(|m| m.field.name == name) {
        taken("a member of a body")
    } else if p.names.par.iter().any(|f| f.name == name) {
        taken("a parameter")
    } else if p.names.out.iter().any(|f| f.name == name) {
        taken("a result")
    } else {
        return Ok((name.to_string(), token.span));
    };
    p.error(token.span, problem, "another name is needed")
}

/// `[n]` after a name.
pub(super) fn width(p: &mut Parser<'_, Declared>) -> Parsed<Option<usize>> {
    let Some(open) = p.eat("[") else { return Ok(None) };
    p.open();
    let n = p.expression()?;
    p.close("]", open)?;
    match p.whole(&n)? {
        k if (1..=MAX_WIDTH).contains(&k) => Ok(Some(k)),
        k => p.error(n.span, format!("{k} numbers side by side"), format!("1 to {MAX_WIDTH} are possible")),
    }
}

pub(super) fn room(p: &Parser<'_, Declared>, span: Span) -> Parsed<()> {
    if p.names.members.len() + p.names.par.len() + p.names.out.len() < MAX_FIELDS {
        return Ok(());
    }
    p.error(span, "too many names", format!("at most {MAX_FIELDS} members, parameters and results are possible"))
}

/// `body x[3], q = charge`.
pub(super) fn declare(p: &mut Parser<'_, Declared>, owner: Owner, cell: Cell) -> Parsed<()> {
    p.next();
    loop {
        let (name, span) = new_name(p, "body x[3], m")?;
        room(p, span)?;
        let width = width(p)?;
        let columns = if p.eat("=").is_some() { Some(columns(p)?) } else { None };
        let count = columns.as_ref().map_or(width.unwrap_or(1), Vec::len);
        if width.is_some_and(|w| w != count) {
            let help = format!("{name} is {} numbers: name as many columns", width.unwrap_or(1));
            return p.error(span, format!("{count} columns are named"), help);
        }
        if cell == Cell::Id && count != 1 {
            return p.error(span, "an id is one number", "declare several: id a, b");
        }
        if let Some(columns) = columns {
            p.names.columns.push((name.clone(), columns));
        }
        let first = [p.names.width(0), p.names.width(1)];
        p.names.members.push(Member { field: Field::new(name, count, cell), owner, first });
        if p.eat(",").is_none() {
            return Ok(());
        }
    }
}

/// `charge` or `(x, y, z)`: names of a file's columns.
pub(super) fn columns<N: Names>(p: &mut Parser<'_, N>) -> Parsed<Vec<String>> {
    let one = |p: &mut Parser<'_, N>| {
        let token = p.next();
        match token.word(p.text) {
            Some(word) => Ok(word.to_string()),
            None => {
                let found = p.describe(token);
                let help = "columns are named in brackets: (x, y, z)";
                p.error(token.span, format!("expected a column's name, found {found}"), help)
            }
        }
    };
    let Some(open) = p.eat("(") else { return Ok(vec![one(p)?]) };
    p.open();
    let mut columns = vec![one(p)?];
    while p.eat(",").is_some() {
        columns.push(one(p)?);
    }
    let end = p.close(")", open)?;
    if columns.len() > MAX_WIDTH {
        return p.error(open.to(end), "too many columns", format!("at most {MAX_WIDTH} are possible"));
    }
    Ok(columns)
}

/// `param eps2 = 0.01, box[3]`.
pub(super) fn parameters(p: &mut Parser<'_, Declared>) -> Parsed<()> {
    p.next();
    loop {
        let (name, span) = new_name(p, "param eps2 = 0.01")?;
        room(p, span)?;
        let mut count = width(p)?;
        let mut defaults = Vec::new();
        if p.eat("=").is_some() {
            let value = p.expression()?;
            for x in p.numbers(&value)? {
                match p.recording.edit(|g| g.constant(x.0)) {
                    Some(c) if c.is_finite() => defaults.push(Some(c)),
                    _ => {
                        return p.error(value.span, "a parameter's value is a finite number", "for example 0.01, 1e-4");
                    }
                }
            }
            let wanted = *count.get_or_insert(defaults.len());
            if defaults.len() == 1 {
                defaults.resize(wanted, defaults[0]);
            }
            if defaults.len() != wanted {
                let problem = format!("{name} is {wanted} numbers, and {} are given", defaults.len());
                return p.error(value.span, problem, "give as many: (1, 2, 3), or one for all");
            }
        }
        let count = count.unwrap_or(1);
        defaults.resize(count, None);
        p.names.defaults.append(&mut defaults);
        p.names.par.push(Field::new(name, count, Cell::Value));
        if p.eat(",").is_none() {
            return Ok(());
        }
    }
}
