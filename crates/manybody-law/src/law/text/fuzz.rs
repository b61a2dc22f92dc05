//! No text crashes or hangs.

use super::tests::{FIGURE_14, FIGURE_15, GRAVITY};
use super::*;
use crate::law::{Lowering, PairInputs, pair_inputs};
use proptest::prelude::*;

const WORDS: [&str; 62] = [
    "body",
    "target",
    "source",
    "id",
    "param",
    "law",
    "self",
    "sum",
    "count",
    "min",
    "max",
    "argmin",
    "argmax",
    "logsumexp",
    "when",
    "exclude",
    "include",
    "i",
    "j",
    "x",
    "m",
    "d",
    "a",
    ".",
    ",",
    ";",
    "\n",
    "=",
    "+=",
    "-=",
    "*=",
    "+",
    "-",
    "*",
    "/",
    "^",
    "**",
    "<",
    "<=",
    "==",
    "!=",
    "and",
    "or",
    "not",
    "?",
    ":",
    "(",
    ")",
    "[",
    "]",
    "0",
    "1",
    "2.5",
    "1e308",
    "sqrt",
    "dot",
    "INPUT_I",
    "OUTPUT",
    "float",
    "#define",
    "IDIM",
    "\u{e9}",
];

/// Reads a text, and if it is a law, does with it all that can be done.
fn read(text: &str) -> Result<(), TestCaseError> {
    match parse(text) {
        Ok(law) => {
            prop_assert!(law.one_sided().folds.len() <= 2 * law.contributions.len().max(1) * MAX_WIDTH);
            if law.has_one_kind() {
                law.mirrored().unwrap();
            }
            law.own();
            law.lower(Lowering { exp2: true, scales: true, ..Lowering::default() }).unwrap();
            let one = vec![vec![0.5]; pair_inputs::numbers(law.body()).len().max(1)];
            let one: Vec<&[f64]> = one.iter().map(Vec::as_slice).collect();
            law.to_latex();
            law.to_text();
            law.recentred(&PairInputs::one(&one, &[]), |_| ());
        }
        Err(error) => {
            prop_assert!(error.line >= 1 && error.line <= text.lines().count() + 2, "{error}");
            prop_assert!(error.column >= 1, "{error}");
            prop_assert!(!error.problem.is_empty());
            prop_assert!(error.to_string().len() < 2000, "{error}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_characters(text in "\\PC{0,200}") {
        read(&text)?;
    }

    #[test]
    fn any_bytes_that_are_text(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn any_words(words in proptest::collection::vec(proptest::sample::select(&WORDS[..]), 0..120)) {
        read(&words.join(" "))?;
        read(&format!("body x[3], m; id k; param e = 1; d = j.x - i.x\n{}", words.join(" ")))?;
    }

    /// A law with a stretch cut out, doubled or replaced.
    #[test]
    fn damaged_laws(
        which in 0usize..3,
        start in 0f64..1.0,
        length in 0usize..20,
        word in proptest::sample::select(&WORDS[..]),
        times in 0usize..3,
    ) {
        let text = [GRAVITY, FIGURE_14, FIGURE_15][which];
        let at = (start * text.len() as f64) as usize;
        let end = (at + length).min(text.len());
        let middle = if times == 2 { text[at..end].repeat(2) } else { word.repeat(times) };
        read(&format!("{}{middle}{}", &text[..at], &text[end..]))?;
    }
}
