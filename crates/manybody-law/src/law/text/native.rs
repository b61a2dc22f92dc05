//! The statements of a law's text.

use super::declared::{Declared, Owner, declare, new_name, parameters, room, width};
use super::lexer::{Kind, Span, Token};
use super::parser::{At, Mark, Parsed, Parser, Val};
use crate::law::definition::{Contribution, Law, SelfPair};
use crate::law::graph::trace::{Recording, Trace};
use crate::law::graph::{Edge, Graph, Node, Role, Rules};
use crate::law::pair_inputs::columns_of;
use crate::law::{Cell, Field, Real};

/// A law that has been read, and what the check for i = j needs.
pub(super) struct Read {
    pub(super) law: Law,
    pub(super) marks: Vec<Mark>,
    /// Whether the text says what happens where i = j.
    pub(super) says_self: bool,
    /// The number of j that is the same quantity as a number of i.
    pub(super) twin: fn(usize) -> Option<usize>,
}

pub(super) fn parse(text: &str, tokens: Vec<Token>) -> Parsed<Read> {
    let recording = Recording::start(Graph::new(Rules::AsWritten));
    let mut p = Parser::new(text, tokens, &recording, Declared::default(), true);
    // a first number, so that constants have one to be made from even in an overfull graph
    p.lit(0.0);
    p.recording.edit(|g| g.truth_value(true));
    loop {
        let token = p.peek();
        match token.kind {
            Kind::End => break,
            Kind::Newline | Kind::Symbol(";") => {
                p.next();
            }
            _ => {
                statement(&mut p, token)?;
                end_of_statement(&mut p)?;
            }
        }
        if p.recording.edit(|g| g.is_overflowing()) {
            let help = format!("at most {} different operations are possible", Graph::LIMIT);
            return p.error(token.span, "the law is too large", help);
        }
    }
    let span = Span { start: 0, end: text.lines().next().map_or(0, str::len) };
    if p.names.out.is_empty() {
        return p.error(span, "the law has no result", "a result is written: sum a = ..., or min, max, count, argmin");
    }
    if p.names.members.is_empty() {
        return p.error(span, "the law reads nothing of the bodies", "say what they have: body x[3], q");
    }
    let (names, marks) = (p.names, p.marks);
    Ok(finish(names, marks, recording.finish()))
}

fn finish(names: Declared, marks: Vec<Mark>, graph: Graph) -> Read {
    let side = |o: Owner| {
        let on = names.members.iter().filter(move |m| m.owner == Owner::Both || m.owner == o);
        on.map(|m| m.field.clone()).collect::<Vec<_>>()
    };
    let one_kind = names.members.iter().all(|m| m.owner == Owner::Both);
    let own_given = !names.own.is_empty();
    let self_pair = if own_given { SelfPair::Custom } else { names.self_pair.unwrap_or(SelfPair::Included) };
    let law = Law {
        roots_are_finite: false,
        name: names.name.unwrap_or_else(|| Law::UNNAMED.into()),
        i: side(Owner::I),
        j: side(Owner::J),
        par: names.par,
        out: names.out,
        one_kind,
        self_pair,
        graph,
        contributions: names.contributions,
        own: names.own,
        defaults: names.defaults,
        columns: names.columns,
        source: None,
    };
    let says_self = own_given || names.self_pair.is_some();
    // members of both come at the same place on both sides if there are no others
    let twin: fn(usize) -> Option<usize> = if one_kind { Some } else { |_| None };
    Read { law, marks, says_self, twin }
}

fn end_of_statement(p: &mut Parser<'_, Declared>) -> Parsed<()> {
    let token = p.peek();
    match token.kind {
        Kind::Newline | Kind::End | Kind::Symbol(";") => Ok(()),
        Kind::Word | Kind::Number(_) | Kind::Symbol("(") => {
            let found = p.describe(token);
            let help = "statements end with a line or with ; and a product needs its *";
            p.error(token.span, format!("{found} follows what was complete"), help)
        }
        _ => {
            let found = p.describe(token);
            p.error(token.span, format!("{found} means nothing here"), "the statement was complete before it")
        }
    }
}

fn statement(p: &mut Parser<'_, Declared>, token: Token) -> Parsed<()> {
    let Some(word) = token.word(p.text) else {
        let found = p.describe(token);
        let help = "a statement begins with a name: body, param, sum, self, ... or name = value";
        return p.error(token.span, format!("a statement cannot begin with {found}"), help);
    };
    if p.peek_second() != Kind::Word {
        return assignment(p);
    }
    match word {
        "body" => declare(p, Owner::Both, Cell::Value),
        "target" => declare(p, Owner::I, Cell::Value),
        "source" => declare(p, Owner::J, Cell::Value),
        "id" => declare(p, Owner::Both, Cell::Id),
        "param" => parameters(p),
        "self" => itself(p),
        "law" => {
            p.next();
            let name = p.next().word(p.text).map(str::to_string);
            p.names.name = name;
            Ok(())
        }
        "sum" => result(p, Cell::Sum),
        "count" => result(p, Cell::Count),
        "min" => result(p, Cell::Min),
        "max" => result(p, Cell::Max),
        "argmin" => result(p, Cell::ArgMin),
        "argmax" => result(p, Cell::ArgMax),
        "logsumexp" => result(p, Cell::LogSumExp),
        _ => {
            const STATEMENTS: [&str; 14] = [
                "body",
                "target",
                "source",
                "id",
                "param",
                "self",
                "law",
                "sum",
                "count",
                "min",
                "max",
                "argmin",
                "argmax",
                "logsumexp",
            ];
            let help = match crate::error::closest(word, STATEMENTS) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("statements begin with {}, or are: name = value", STATEMENTS.join(", ")),
            };
            p.error(token.span, format!("`{word}` begins no statement"), help)
        }
    }
}

/// `name = value`, `name += value`.
fn assignment(p: &mut Parser<'_, Declared>) -> Parsed<()> {
    let token = p.peek();
    let name = token.word(p.text).unwrap_or_default();
    let again = p.locals.contains_key(name);
    let (name, span) = if again { (name.to_string(), p.next().span) } else { new_name(p, "r2 = dot(d, d)")? };
    for (symbol, operator) in [("+=", "+"), ("-=", "-"), ("*=", "*"), ("/=", "/")] {
        if p.eat(symbol).is_some() {
            let Some(old) = p.locals.get(&name).cloned() else {
                return p.error(span, format!("`{name}` has no value yet"), format!("write {name} = ... first"));
            };
            let old = At { val: old, span };
            let value = p.expression()?;
            let both = span.to(value.span);
            let pairs = p.together(&old, &value, both)?;
            let new = pairs.into_iter().map(|(x, y)| p.arithmetic(operator, x, y, both)).collect();
            p.locals.insert(name, Val::Number(new));
            return Ok(());
        }
    }
    if p.peek().kind == Kind::Symbol("(") {
        let problem = format!("no statement begins with `{name}(`");
        let help = match name.as_str() {
            "if" | "while" | "for" | "switch" => {
                "the language has no branches and loops: write condition ? this : that, or sum a = value when condition"
            }
            _ => "a statement is: name = value; results are sum, count, min, max, argmin, argmax and logsumexp",
        };
        return p.error(span, problem, help);
    }
    p.need("=", "a statement is: name = value; results begin with sum, min, max, count, ...")?;
    let value = p.expression()?;
    p.locals.insert(name, value.val);
    Ok(())
}

/// The first number of a result's record.
fn slot(out: &[Field], k: usize) -> usize {
    out[..k].iter().map(Field::numbers).sum()
}

/// `sum a = value when condition`.
fn result(p: &mut Parser<'_, Declared>, cell: Cell) -> Parsed<()> {
    p.next();
    let (name, span) = new_name(p, "sum a = f * d")?;
    room(p, span)?;
    let wanted = width(p)?;
    p.need("=", "a result is written: sum a = value")?;
    let first = slot(&p.names.out, p.names.out.len());
    let (contributions, count) = contribution(p, cell, first, wanted)?;
    let field = Field::new(name, count, cell);
    let columns = columns_of(&field);
    if let Some(taken) = columns.iter().find(|c| *c == "id" || p.names.out.iter().any(|f| columns_of(f).contains(c))) {
        let problem = format!("two columns of the results would be called {taken}");
        return p.error(span, problem, "another name is needed");
    }
    p.names.out.push(field);
    p.names.contributions.extend(contributions);
    Ok(())
}

/// What stands to the right of a result's `=`.
fn contribution(
    p: &mut Parser<'_, Declared>,
    cell: Cell,
    first: usize,
    wanted: Option<usize>,
) -> Parsed<(Vec<Contribution>, usize)> {
    let value = p.expression()?;
    let label = match cell {
        Cell::ArgMin | Cell::ArgMax => {
            p.need(",", "argmin and argmax need to know who: argmin near = r2, j.id")?;
            let label = p.expression()?;
            match label.val {
                Val::Id(x) => Some(x),
                _ => return p.error(label.span, "the label is an id", "declare one, id name, and write j.name"),
            }
        }
        _ => None,
    };
    let when = if p.peek_word() == Some("when") {
        p.next();
        let condition = p.expression()?;
        Some(p.mask(&condition)?)
    } else {
        None
    };
    let zero = p.lit(0.0);
    let mut values = match (cell, &value.val) {
        (Cell::Count, _) => {
            let mask = p.mask(&value)?;
            vec![Trace::select(mask, p.lit(1.0), zero)]
        }
        _ => p.numbers(&value)?,
    };
    if let Some(w) = wanted {
        if values.len() == 1 {
            values.resize(w, values[0]);
        }
        if values.len() != w {
            let problem = format!("{} numbers are given to a result of {w}", values.len());
            return p.error(value.span, problem, "give as many as it has, or leave its width out");
        }
    }
    let none = cell.identity(zero);
    let count = values.len();
    let contributions = values.into_iter().enumerate().map(|(k, x)| {
        let x = when.map_or(x, |mask| Trace::select(mask, x, none));
        Contribution { slot: first + k * cell.numbers(), cell, value: x.0, label: label.map(|l| l.0) }
    });
    Ok((contributions.collect(), count))
}

/// `self exclude`, `self include`, `self rho = value`.
fn itself(p: &mut Parser<'_, Declared>) -> Parsed<()> {
    p.next();
    let token = p.next();
    let word = token.word(p.text).unwrap_or_default();
    let Some(open) = p.eat("=") else {
        let said = match word {
            "exclude" => SelfPair::Excluded,
            "include" => SelfPair::Included,
            _ => {
                let help = "write self exclude, self include, or self result = value";
                return p.error(token.span, format!("`self {word}` is not known"), help);
            }
        };
        if p.names.self_pair.is_some_and(|before| before != said) || !p.names.own.is_empty() {
            return p.error(token.span, "something else was said about i = j before", "say it once");
        }
        p.names.self_pair = Some(said);
        return Ok(());
    };
    let Some(k) = p.names.out.iter().position(|f| f.name == word) else {
        let help = "write it after the result: sum rho = ..., then self rho = ...";
        return p.error(token.span, format!("there is no result {word} yet"), help);
    };
    if p.names.self_pair == Some(SelfPair::Included) {
        let help = "self include already calls the law with i = j";
        return p.error(token.span, "something else was said about i = j before", help);
    }
    let Field { width, cell, .. } = p.names.out[k];
    let first = slot(&p.names.out, k);
    let (contributions, _) = contribution(p, cell, first, Some(width))?;
    let roots: Vec<Edge> = contributions.iter().flat_map(|o| [Some(o.value), o.label]).flatten().collect();
    let reads_j = p.recording.edit(|g| {
        let live = g.live(roots);
        g.nodes().iter().zip(live).any(|(n, live)| live && matches!(n, Node::Input { role: Role::J, .. }))
    });
    if reads_j {
        let end = p.peek().span;
        let help = "a body's gift to itself is made of i and parameters only";
        return p.error(Span { start: open.end, end: end.start }, "there is no j here", help);
    }
    p.names.own.extend(contributions);
    Ok(())
}
