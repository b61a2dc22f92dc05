//! The functions of a law's text.

use super::lexer::Token;
use super::parser::{At, Mark, Names, Parsed, Parser, Val};
use crate::error::closest;
use crate::law::Real;
use crate::law::graph::trace::Trace;

/// Names and what they take, as an error shows it.
const FUNCTIONS: [(&str, &str); 19] = [
    ("abs", "abs(x)"),
    ("cos", "cos(x)"),
    ("cross", "cross(a, b)"),
    ("dot", "dot(a, b)"),
    ("exp", "exp(x)"),
    ("expm1", "expm1(x)"),
    ("ln", "ln(x)"),
    ("log", "log(x)"),
    ("log1p", "log1p(x)"),
    ("max", "max(a, b)"),
    ("min", "min(a, b)"),
    ("norm", "norm(v)"),
    ("pow", "pow(x, p)"),
    ("round", "round(x)"),
    ("rsqrt", "rsqrt(x)"),
    ("select", "select(condition, yes, no)"),
    ("sin", "sin(x)"),
    ("sqrt", "sqrt(x)"),
    ("square", "square(x)"),
];

/// C's names for them, with and without its f for float.
fn plain(name: &str) -> &str {
    let known = |n: &str| is_plain(n) || matches!(n, "fabs" | "fmin" | "fmax" | "rint");
    let name = match name.strip_suffix('f') {
        Some(short) if known(short) => short,
        _ => name,
    };
    match name {
        "fabs" => "abs",
        "fmin" => "min",
        "fmax" => "max",
        "rint" => "round",
        name => name,
    }
}

fn is_plain(name: &str) -> bool {
    FUNCTIONS.iter().any(|(n, _)| *n == name)
}

/// True for the name of a function.
pub(super) fn is_function(name: &str) -> bool {
    is_plain(plain(name))
}

/// `name(...)`, the name just passed.
pub(super) fn call<N: Names>(p: &mut Parser<'_, N>, token: Token) -> Parsed<At> {
    let word = token.word(p.text).unwrap_or_default();
    let name = plain(word);
    if !is_plain(name) {
        let names = FUNCTIONS.map(|(n, _)| n);
        let help = match closest(word, names) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("there are: {}", names.join(", ")),
        };
        return p.error(token.span, format!("there is no function `{word}`"), help);
    }
    let open = p.next().span;
    p.open();
    let mut args = Vec::new();
    if p.peek().kind != super::lexer::Kind::Symbol(")") {
        args.push(p.expression()?);
        while p.eat(",").is_some() {
            args.push(p.expression()?);
        }
    }
    let span = token.span.to(p.close(")", open)?);
    let usage = FUNCTIONS.iter().find(|(n, _)| *n == name).map_or("", |(_, usage)| usage);
    let wanted = usage.matches(',').count() + 1;
    let several = matches!(name, "min" | "max") && args.len() > wanted;
    if args.len() != wanted && !several {
        return p.error(span, format!("{name} takes {wanted}, not {}", args.len()), format!("it is written: {usage}"));
    }
    let val = match name {
        "dot" => {
            let (a, b) = (p.numbers(&args[0])?.len(), p.numbers(&args[1])?.len());
            if a != b {
                let help = "a number times each of several is a * d";
                return p.error(span, format!("dot takes two of one length, not {a} and {b} numbers"), help);
            }
            Val::Number(vec![dot(&p.together(&args[0], &args[1], span)?)])
        }
        "norm" => {
            let v = p.numbers(&args[0])?;
            Val::Number(vec![dot(&v.iter().map(|x| (*x, *x)).collect::<Vec<_>>()).sqrt()])
        }
        "cross" => cross(p, &args)?,
        "pow" => p.raise(&args[0], &args[1])?.val,
        "select" => p.choose(p.mask(&args[0])?, &args[1], &args[2])?.val,
        "min" | "max" => {
            let mut best = args[0].clone();
            for other in &args[1..] {
                let pairs = p.together(&best, other, span)?;
                let of = |(x, y): (Trace, Trace)| if name == "min" { x.min(y) } else { x.max(y) };
                best = At { val: Val::Number(pairs.into_iter().map(of).collect()), span };
            }
            best.val
        }
        _ => Val::Number(p.numbers(&args[0])?.into_iter().map(|x| one(p, name, x, span)).collect()),
    };
    Ok(At { val, span })
}

/// A function of one number.
fn one<N: Names>(p: &mut Parser<'_, N>, name: &str, x: Trace, span: super::Span) -> Trace {
    let result = match name {
        "abs" => x.abs(),
        "cos" => x.cos(),
        "exp" => x.exp(),
        "expm1" => x.exp_m1(),
        "log1p" => x.ln_1p(),
        "round" => x.round(),
        "sin" => x.sin(),
        "sqrt" => x.sqrt(),
        "square" => x * x,
        "rsqrt" => x.rsqrt(),
        _ => x.ln(),
    };
    if matches!(name, "rsqrt" | "ln" | "log") {
        p.marks.push(Mark { result, argument: x, span });
    }
    result
}

/// In the order in which the Rust helpers add.
fn dot(pairs: &[(Trace, Trace)]) -> Trace {
    let (first, rest) = pairs.split_first().expect("a value has a number");
    rest.iter().fold(first.0 * first.1, |sum, (x, y)| x.fma(*y, sum))
}

fn cross<N: Names>(p: &Parser<'_, N>, args: &[At]) -> Parsed<Val> {
    let (a, b) = (p.numbers(&args[0])?, p.numbers(&args[1])?);
    for (v, arg) in [(&a, &args[0]), (&b, &args[1])] {
        if v.len() != 3 {
            return p.error(arg.span, format!("cross takes 3 numbers, not {}", v.len()), "cross(a, b), a and b of 3");
        }
    }
    let of = |x: usize, y: usize| a[x] * b[y] - a[y] * b[x];
    Ok(Val::Number(vec![of(1, 2), of(2, 0), of(0, 1)]))
}
