//! Simplifying a law changes no meaning: what is a number before is one after.

use manybody::law::bounds::{Bounded, Rounding};
use manybody::law::{Grouping, Law, Lowering, Role};
use proptest::prelude::*;

/// Lines of unguarded operations, each a result: anything may be divided by, rooted and raised to a power.
fn unguarded(lines: &[(usize, usize, usize, usize)]) -> String {
    let mut text = "body x[2], q; param c\n".to_string();
    let mut names: Vec<String> = ["i.x[0]", "j.x[0]", "i.x[1]", "j.x[1]", "j.q", "c", "2"].map(String::from).into();
    for (line, (op, a, b, c)) in lines.iter().enumerate() {
        let at = |k: &usize| names[names.len() - 1 - k % names.len()].clone();
        let (a, b, c) = (at(a), at(b), at(c));
        let value = match op % 16 {
            0 => format!("{a} - {b}"),
            1 => format!("{a} + {b}"),
            2 | 3 => format!("{a} * {b}"),
            4 => format!("{a} / {b}"),
            5 => format!("sqrt({a})"),
            6 => format!("rsqrt({a})"),
            7 => format!("{a}^-1.5"),
            8 => format!("{a}^3 / {a}"),
            9 => format!("{a} * {b} / {c}"),
            10 => format!("1 / ({a} * {b})"),
            11 => format!("min({a}, {b})"),
            12 => format!("{a} < {b} ? {c} / {a} : {b}"),
            13 => format!("exp(-abs({a}))"),
            14 => format!("sqrt({a}) / {a}"),
            _ => format!("{a}^0.5 * {b}^0.5"),
        };
        text += &format!("t{line} = {value}\nsum r{line} = t{line}\n");
        names.push(format!("t{line}"));
    }
    text + "self exclude\n"
}

/// Wider than f64 rounds, so that it holds for every order of the operations.
static COARSE: Rounding = Rounding { unit: 1e-13, ..Rounding::F64 };

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// On zeros, equal numbers, negative ones and roots of them.
    #[test]
    fn what_is_finite_stays_so(
        lines in proptest::collection::vec((0usize..16, 0usize..9, 0usize..9, 0usize..9), 1..14),
        picks in proptest::collection::vec(0usize..7, 6),
    ) {
        let text = unguarded(&lines);
        let law = Law::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let v: Vec<f64> = picks.iter().map(|k| [0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 4.0][*k]).collect();
        let input = |role, k: usize| match role {
            Role::I => v[k],
            Role::J => v[3 + k],
            Role::Par => v[5],
        };
        let of = |how: Lowering| {
            let mut found = vec![0.0; lines.len()];
            law.lower(how).unwrap().run(0.0, input, |fold, x, _| if fold.side == 0 { found[fold.slot] += x });
            found
        };
        let as_written = Lowering { grouping: Grouping::AsWritten, ..Lowering::default() };
        let written = of(as_written);
        // a condition on two numbers that differ by rounding only may be true or false, and the result may then be NaN:
        // such results have no finite bound
        let mut clear = vec![true; lines.len()];
        let exact = |x| Bounded::exact(x, &COARSE);
        law.lower(as_written).unwrap().run(
            exact(0.0),
            |role, k| exact(input(role, k)),
            |fold, x, _| clear[fold.slot] &= x.error.is_finite(),
        );
        // the minimum of NaN has no meaning that must be kept; a difference that is rounding only may also become 0,
        // and a huge value may overflow when its terms are regrouped
        let odd = |x: &f64| x.is_nan() || (x.is_finite() && *x != 0.0 && !(1e-12..1e12).contains(&x.abs()));
        if written.iter().any(odd) {
            return Ok(());
        }
        for mirrored in [false, true] {
            for exp2 in [false, true] {
                let free = of(Lowering { mirrored, exp2, ..Lowering::default() });
                for (line, (a, b)) in written.iter().zip(&free).enumerate().filter(|(line, _)| clear[*line]) {
                    prop_assert!(!a.is_finite() || b.is_finite(), "t{line}: {a} became {b} on {v:?}\n{text}");
                }
            }
        }
    }
}
