//! Tests of docs/laws.md and of the example text: every text in them is a law, and the list of built-in laws is that of
//! the code.

use super::{Cost, Field, LAWS, Law, PairInputs};
use std::fmt::Write;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/laws.md");
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../manybody/examples/own_law.txt");

/// "13 operations, 1 root or function".
fn counted(cost: Cost) -> String {
    let plural = |n, one: &str, more: &str| format!("{n} {}", if n == 1 { one } else { more });
    let operations = plural(cost.operations, "operation", "operations");
    format!("{operations}, {}", plural(cost.special, "root or function", "roots or functions"))
}

/// The end of the page, made from the registry and the graphs.
fn built_in() -> String {
    let mut page = "## Built-in laws\n\nGenerated from the code; a test compares this list with the code\n\
                    (`MANYBODY_WRITE_DOCUMENTS=1 cargo test -p manybody-law documents`\nwrites it). Sources and units are \
                    in `crates/manybody-law/src/law/builtin`.\n\n| name | result | columns | parameters | results |\n\
                    |---|---|---|---|---|\n"
        .to_string();
    for builtin in LAWS {
        let law = builtin.law().unwrap();
        let columns: Vec<String> = law.body().iter().flat_map(|f: &Field| law.column_names(f)).collect();
        let columns = columns.join(" ");
        let (parameters, results) = (law.parameter_names().join(" "), law.result_columns().join(" "));
        writeln!(page, "| `{}` | {} | {columns} | {parameters} | {results} |", builtin.name, builtin.help).unwrap();
    }
    for builtin in LAWS {
        let law = builtin.law().unwrap();
        // a comparison of an id with a number cannot be read again
        let fence = if Law::parse(&law.to_text()).is_ok() { "law" } else { "text" };
        let cost = law.one_sided().cost();
        let both = law.mirrored().unwrap().cost();
        write!(
            page,
            "\n### {}\n\nCost of a pair: {}; of both directions together: {}.\n\n```{fence}\n{}```\n",
            builtin.name,
            counted(cost),
            counted(both),
            law.to_text()
        )
        .unwrap();
    }
    page
}

#[test]
fn the_page_lists_the_built_in_laws() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let start = page.find("## Built-in laws").unwrap();
    if std::env::var_os("MANYBODY_WRITE_DOCUMENTS").is_some() {
        std::fs::write(PAGE, format!("{}{}", &page[..start], built_in())).unwrap();
    } else {
        assert!(
            page[start..] == built_in(),
            "the page differs from the code; to write it: MANYBODY_WRITE_DOCUMENTS=1 cargo test -p manybody-law documents"
        );
    }
}

/// Every text on the page is a law.
#[test]
fn texts_on_the_page_are_laws() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let fenced = |fence: &str| {
        let open = format!("```{fence}\n");
        page.split(&open).skip(1).map(|rest| rest.split("```").next().unwrap().to_string()).collect::<Vec<_>>()
    };
    let laws = fenced("law");
    assert!(laws.len() > 20);
    for text in laws {
        let law = Law::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(law.one_sided().cost().operations > 0);
    }
}

/// Two bodies: a = m (1 + t) e^-t / s^2 and pot = -m e^-t / s, with t = s / length.
#[test]
fn the_example_text() {
    let law = Law::parse(&std::fs::read_to_string(OWN).unwrap()).unwrap();
    assert!(std::fs::read_to_string(OWN).unwrap().lines().count() < 40);
    let (x, zero, m) = ([0.0, 2.0], [0.0; 2], [1.0, 3.0]);
    let columns: [&[f64]; 4] = [&x, &zero, &zero, &m];
    let got = law.oracle(&PairInputs::one(&columns, &[0.0, 4.0])).unwrap();
    let screened = (-0.5f64).exp();
    for (got, exact) in [(got[0][0], 3.0 * 1.5 * screened / 4.0), (got[3][0], -3.0 * screened / 2.0)] {
        assert!((got - exact).abs() < 4e-16 * 4.0, "{got} {exact}"); // a dozen roundings of numbers near 1
    }
}
