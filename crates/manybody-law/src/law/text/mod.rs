//! Laws as text: for files, the command line, Python, C and Fortran.
//!
//! ```
//! # use manybody_law as manybody;
//! use manybody::law::Law;
//! let law = Law::parse("
//!     body  x[3], m                      # the numbers of a body; i is acted on, j acts
//!     param eps2 = 1e-4                  # the same for all pairs, with a value to start from
//!     d  = j.x - i.x                     # three numbers at once
//!     r2 = dot(d, d) + eps2
//!     sum a   =  j.m * d / r2^1.5        # results: sum, count, min, max, argmin, argmax, logsumexp
//!     sum pot = -j.m / sqrt(r2)
//!     self exclude                       # a body does nothing to itself
//! ")?;
//! assert_eq!(law.one_sided().cost().operations, 13);
//! # Ok::<(), manybody::Error>(())
//! ```
//!
//! | statement | means |
//! |---|---|
//! | `body x[3], q` | numbers that every body has: `i.x`, `j.q`; `x[3]` are three |
//! | `body pos[3] = (x, y, z)` | the same, with the columns of a file that they are |
//! | `target w`, `source q` | numbers of the bodies acted on only, of those that act only |
//! | `id mol` | whole numbers that name something: `i.mol == j.mol`, never computed with |
//! | `param eps2 = 0.01` | the same for all pairs; the value is a default and may be left out |
//! | `r2 = dot(d, d)` | a name for an intermediate result |
//! | `sum a = f * d when r2 < rc2` | a result; `when` leaves out pairs that do not meet the condition |
//! | `count n = r2 < rc2` | how many partners meet the condition |
//! | `argmin near = r2, j.id` | the smallest value and the id of who gave it; of equals, the smaller id |
//! | `logsumexp z = -u` | ln(sum(exp(-u))), safe from overflow |
//! | `self exclude`, `self include` | whether the pair i = j counts; included if nothing is said |
//! | `self rho = i.m * w0` | what a body gives to its own result instead |
//! | `law springs` | the law's name |
//!
//! A statement ends with its line or with `;`, and goes on inside brackets or after an operator. `#` and `//` begin a
//! comment. Operators: `+ - * / ^` (or `**`), `< <= > >= == !=`, `and or not` (or `&& || !`), `c ? a : b`. Functions:
//! abs, cos, cross, dot, exp, expm1, ln (or log), log1p, max, min, norm, pow, round, rsqrt, select, sin, sqrt, square.
//! `pi` and `inf` are known.
//! A number and a vector meet number by number.
//!
//! The pipeline descriptions of CUNBODY-1 [Hamada 2007, figures 14 and 15] are understood as they are: a text that
//! uses `INPUT_I`, `INPUT_J` or `OUTPUT` and does not begin with `law` is read as C.
//!
//! No text can crash or hang: its length, the depth of its brackets and the size of its graph are bounded, and it can
//! name nothing but numbers.

mod check;
mod cunbody;
mod declared;
mod error;
mod expression;
mod functions;
mod lexer;
mod native;
mod parser;
mod values;

pub use error::TextError;

use super::Law;
use crate::Result;
use lexer::Span;

/// The most bytes of a law's text.
pub const MAX_TEXT: usize = 64 * 1024;
/// The most words, numbers and signs of a text.
const MAX_TOKENS: usize = 1 << 14;
/// The first line of a text that [`Law::to_text`] has made long: each number of a vector has its own operations there. It
/// is read, because a run keeps the text of its law, and has so many more bytes and words at most, more than the
/// limit of operations makes.
pub(super) const WRITTEN_LONG: &str = "# written number by number; with this line, a longer text than others is read\n";
const WRITTEN_TIMES: usize = 32;
/// No limit is reached by a text of so many bytes.
pub(super) const SHORT: usize = MAX_TOKENS;

fn is_written_long(text: &str) -> bool {
    text.starts_with(WRITTEN_LONG)
}

/// How deep brackets, signs and conditions may nest.
const MAX_DEPTH: usize = 64;
/// The most numbers side by side.
const MAX_WIDTH: usize = 64;
/// The most members of a body, of the parameters, of the results.
const MAX_FIELDS: usize = 128;

impl Law {
    /// A law from its text.
    ///
    /// # Errors
    /// [`Error::Law`](crate::Error::Law): where the text is wrong, and what would be right there. Also where the law
    /// divides by zero for i = j and the text does not say what happens to that pair.
    pub fn parse(text: &str) -> Result<Law> {
        Ok(parse(text)?)
    }
}

fn parse(text: &str) -> Result<Law, TextError> {
    let times = if is_written_long(text) { WRITTEN_TIMES } else { 1 };
    if text.len() > times * MAX_TEXT {
        let span = Span { start: 0, end: 1 };
        let problem = format!("a text of {} bytes is too long", text.len());
        return Err(TextError::new(text, span, problem, format!("at most {} bytes are read", times * MAX_TEXT)));
    }
    let tokens = lexer::tokens(text, times * MAX_TOKENS)?;
    // a pipeline written out by `Law::to_text` keeps its names, and begins as no pipeline does
    let named = tokens.iter().find_map(|t| t.word(text)) == Some("law");
    let is_c = !named && tokens.iter().any(|t| matches!(t.word(text), Some("INPUT_I" | "INPUT_J" | "OUTPUT")));
    let parsed = if is_c { cunbody::parse(text, tokens)? } else { native::parse(text, tokens)? };
    check::self_pair(text, parsed)
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
