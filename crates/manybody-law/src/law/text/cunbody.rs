//! CUNBODY-1's pipeline descriptions: C statements over INPUT_I[k], INPUT_J[k] and OUTPUT[k] [Hamada 2007, appendix A].
//!
//! The numbers of i, of j and of the result are counted from the indices used, or given by `#define IDIM (4)`, JDIM and
//! FDIM as in the drivers. Added to the original: PARAM[k], the choice `c ? a : b`, the statements `self exclude;` and
//! `self include;`, and `INPUT_I = (x, y, z);`, which names the columns of a file that the numbers are. As in the
//! original, the pair i = j counts if nothing is said.

use super::MAX_WIDTH;
use super::declared::columns;
use super::lexer::{Kind, Span, Token};
use super::native::Read;
use super::parser::{At, Mark, Names, Parsed, Parser, Val};
use crate::law::definition::{Contribution, Law, SelfPair};
use crate::law::graph::trace::{Recording, Trace};
use crate::law::graph::{Graph, Role, Rules};
use crate::law::{Cell, Field};

/// How many numbers of each kind: used so far, and as defined.
#[derive(Default)]
struct Dimension {
    used: usize,
    defined: Option<usize>,
}

impl Dimension {
    fn width(&self) -> usize {
        self.defined.unwrap_or(self.used)
    }
}

#[derive(Default)]
pub(super) struct Pipeline {
    /// Of i, j, the parameters, the result.
    dimensions: [Dimension; 4],
    contributions: Vec<Contribution>,
    self_pair: Option<SelfPair>,
    /// Declared without a value yet.
    empty: Vec<String>,
    /// The columns of a file that INPUT_I and INPUT_J are.
    columns: Vec<(String, Vec<String>)>,
}

const OUTPUT: usize = 3;
const DEFINED: [&str; 4] = ["IDIM", "JDIM", "PDIM", "FDIM"];

impl Names for Pipeline {
    fn outer(p: &mut Parser<'_, Self>, word: Token) -> Parsed<Option<Val>> {
        let name = word.word(p.text).unwrap_or_default();
        let (which, role) = match name {
            "INPUT_I" => (0, Role::I),
            "INPUT_J" => (1, Role::J),
            "PARAM" => (2, Role::Par),
            "OUTPUT" => {
                return p.error(word.span, "OUTPUT can be added to, not read", "write OUTPUT[k] += value;");
            }
            _ if p.names.empty.iter().any(|n| n == name) => {
                return p.error(word.span, format!("`{name}` has no value yet"), format!("write {name} = ...; first"));
            }
            _ => return Ok(None),
        };
        let k = index(p, which)?;
        Ok(Some(Val::Number(vec![Trace(p.recording.edit(|g| g.input(role, k)))])))
    }

    fn known(&self) -> Vec<String> {
        ["INPUT_I", "INPUT_J", "PARAM", "OUTPUT"].map(String::from).to_vec()
    }
}

/// `[k]`, within the dimension.
fn index(p: &mut Parser<'_, Pipeline>, which: usize) -> Parsed<usize> {
    let open = p.need("[", "its numbers are INPUT_I[0], INPUT_I[1], ...")?;
    p.open();
    let k = p.expression()?;
    p.close("]", open)?;
    let index = p.whole(&k)?;
    let dimension = &p.names.dimensions[which];
    let limit = dimension.defined.unwrap_or(MAX_WIDTH);
    if index >= limit {
        let help = match dimension.defined {
            Some(n) => format!("{} is defined as {n}, so the last one is {}", DEFINED[which], n - 1),
            None => format!("at most {MAX_WIDTH} numbers are possible"),
        };
        return p.error(k.span, format!("number {index} does not exist"), help);
    }
    p.names.dimensions[which].used = dimension.used.max(index + 1);
    Ok(index)
}

pub(super) fn parse(text: &str, tokens: Vec<Token>) -> Parsed<Read> {
    let recording = Recording::start(Graph::new(Rules::AsWritten));
    let mut p = Parser::new(text, tokens, &recording, Pipeline::default(), false);
    p.lit(0.0);
    p.recording.edit(|g| g.truth_value(true));
    loop {
        let token = p.peek();
        match token.kind {
            Kind::End => break,
            Kind::Symbol(";") => {
                p.next();
            }
            _ => statement(&mut p, token)?,
        }
        if p.recording.edit(|g| g.is_overflowing()) {
            let help = format!("at most {} different operations are possible", Graph::LIMIT);
            return p.error(token.span, "the law is too large", help);
        }
    }
    if p.names.contributions.is_empty() {
        let span = Span { start: 0, end: text.lines().next().map_or(0, str::len) };
        return p.error(span, "the law has no result", "a result is written: OUTPUT[0] += value;");
    }
    if p.names.dimensions[..2].iter().all(|d| d.width() == 0) {
        let span = Span { start: 0, end: text.lines().next().map_or(0, str::len) };
        return p.error(span, "the law reads nothing of the bodies", "what they have is INPUT_I[k] and INPUT_J[k]");
    }
    let (names, marks) = (p.names, p.marks);
    Ok(finish(names, marks, recording.finish()))
}

fn finish(names: Pipeline, marks: Vec<Mark>, graph: Graph) -> Read {
    let [i, j, par, out] = names.dimensions.map(|d| d.width());
    let field = |name, width, cell| if width > 0 { vec![Field::new(name, width, cell)] } else { Vec::new() };
    let law = Law {
        roots_are_finite: false,
        name: "pipeline".into(),
        i: field("INPUT_I", i, Cell::Value),
        j: field("INPUT_J", j, Cell::Value),
        par: field("PARAM", par, Cell::Value),
        out: field("OUTPUT", out, Cell::Sum),
        one_kind: false,
        self_pair: names.self_pair.unwrap_or(SelfPair::Included),
        graph,
        contributions: names.contributions,
        own: Vec::new(),
        defaults: vec![None; par],
        columns: names.columns,
        source: None,
    };
    // the drivers of the paper put the same quantity at the same place on both sides, but for the last
    Read { law, marks, says_self: names.self_pair.is_some(), twin: Some }
}

fn statement(p: &mut Parser<'_, Pipeline>, token: Token) -> Parsed<()> {
    if token.kind == Kind::Define {
        return define(p);
    }
    let Some(word) = token.word(p.text) else {
        let found = p.describe(token);
        let help = "a statement is float x = value; or x = value; or OUTPUT[k] += value;";
        return p.error(token.span, format!("a statement cannot begin with {found}"), help);
    };
    match word {
        "OUTPUT" => output(p)?,
        "const" => {
            p.next();
            return Ok(());
        }
        "float" | "double" => {
            p.next();
            loop {
                variable(p, true)?;
                if p.eat(",").is_none() {
                    break;
                }
            }
        }
        "self" => itself(p)?,
        "INPUT_I" | "INPUT_J" => inputs(p)?,
        "for" | "if" | "while" | "return" | "else" | "goto" | "do" | "switch" => {
            let help = "a pipeline is a straight line; a choice is written x = condition ? a : b;";
            return p.error(token.span, format!("`{word}` is not possible here"), help);
        }
        _ => variable(p, false)?,
    }
    p.need(";", "a statement ends with ;")?;
    Ok(())
}

/// `INPUT_I = (x, y, z);`.
fn inputs(p: &mut Parser<'_, Pipeline>) -> Parsed<()> {
    let token = p.next();
    let name = token.word(p.text).unwrap_or_default().to_string();
    let which = usize::from(name == "INPUT_J");
    if p.names.columns.iter().any(|(n, _)| *n == name) {
        return p.error(token.span, format!("the columns of {name} are named already"), "once is enough");
    }
    p.need("=", "an input is read; the columns of a file that it is are named: INPUT_I = (x, y, z);")?;
    let columns = columns(p)?;
    let dimension = &p.names.dimensions[which];
    let (used, defined) = (dimension.used, dimension.defined.unwrap_or(columns.len()));
    if columns.len() < used || columns.len() != defined {
        let help = format!("{name} is {} numbers: name as many columns", used.max(defined));
        return p.error(token.span, format!("{} columns are named", columns.len()), help);
    }
    p.names.dimensions[which].defined = Some(defined);
    p.names.columns.push((name, columns));
    Ok(())
}

/// `#define IDIM (4)`.
fn define(p: &mut Parser<'_, Pipeline>) -> Parsed<()> {
    p.next();
    let token = p.next();
    let name = token.word(p.text).unwrap_or_default();
    let Some(which) = DEFINED.iter().position(|d| *d == name) else {
        return p.error(token.span, format!("`{name}` cannot be defined"), "IDIM, JDIM, PDIM and FDIM can");
    };
    let open = p.eat("(");
    let value = p.next();
    let n = match value.kind {
        Kind::Number(n) if n.fract() == 0.0 && (1.0..=MAX_WIDTH as f64).contains(&n) => n as usize,
        _ => {
            let help = format!("for example #define {name} (4); 1 to {MAX_WIDTH}");
            return p.error(value.span, format!("{name} is a whole number"), help);
        }
    };
    if open.is_some() {
        p.need(")", "a bracket is not closed")?;
    }
    if p.names.dimensions[which].used > n {
        let help = "a definition comes before what it defines is used";
        return p.error(value.span, format!("a number beyond {name} was used before"), help);
    }
    p.names.dimensions[which].defined = Some(n);
    Ok(())
}

/// `x = value`, `x += value`, and in a declaration also `x`.
fn variable(p: &mut Parser<'_, Pipeline>, declares: bool) -> Parsed<()> {
    let token = p.next();
    let Some(name) = token.word(p.text).map(str::to_string) else {
        let found = p.describe(token);
        return p.error(token.span, format!("expected a name, found {found}"), "for example: float dx, dy, dz;");
    };
    let reserved = matches!(name.as_str(), "INPUT_I" | "INPUT_J" | "PARAM" | "OUTPUT");
    if reserved || super::expression::has_a_meaning(&name) {
        return p.error(token.span, format!("`{name}` cannot be a variable"), "another name is needed");
    }
    for (symbol, operator) in [("+=", "+"), ("-=", "-"), ("*=", "*"), ("/=", "/")] {
        if p.eat(symbol).is_some() {
            let Some(old) = p.locals.get(&name).cloned() else {
                return p.error(token.span, format!("`{name}` has no value yet"), format!("write {name} = ...; first"));
            };
            let value = p.expression()?;
            let (x, y) = (p.number(&At { val: old, span: token.span })?, p.number(&value)?);
            let new = p.arithmetic(operator, x, y, token.span.to(value.span));
            p.locals.insert(name, Val::Number(vec![new]));
            return Ok(());
        }
    }
    if p.eat("=").is_some() {
        let value = p.expression()?;
        if matches!(value.val, Val::Number(_)) {
            p.number(&value)?;
        }
        p.locals.insert(name, value.val);
        return Ok(());
    }
    if declares {
        p.locals.remove(&name);
        p.names.empty.push(name);
        return Ok(());
    }
    let next = p.peek();
    let found = p.describe(next);
    p.error(next.span, format!("expected `=`, found {found}"), format!("a statement is {name} = value;"))
}

/// `OUTPUT[k] += value`, `OUTPUT[k] -= value`.
fn output(p: &mut Parser<'_, Pipeline>) -> Parsed<()> {
    p.next();
    let slot = index(p, OUTPUT)?;
    let minus = match (p.eat("+="), p.eat("-=")) {
        (Some(_), _) => false,
        (_, Some(_)) => true,
        _ => {
            let token = p.peek();
            let help = "contributions of all j are added: OUTPUT[k] += value; or -= value;";
            return p.error(token.span, "an output can only be added to", help);
        }
    };
    let value = p.expression()?;
    let x = p.number(&value)?;
    let x = if minus { -x } else { x };
    p.names.contributions.push(Contribution { slot, cell: Cell::Sum, value: x.0, label: None });
    Ok(())
}

fn itself(p: &mut Parser<'_, Pipeline>) -> Parsed<()> {
    p.next();
    let token = p.next();
    p.names.self_pair = Some(match token.word(p.text) {
        Some("exclude") => SelfPair::Excluded,
        Some("include") => SelfPair::Included,
        _ => return p.error(token.span, "what about i = j?", "write self exclude; or self include;"),
    });
    Ok(())
}
