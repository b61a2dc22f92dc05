//! `manybody paper`, through the command.

mod common;

use common::Place;

/// A figure drawn from numbers measured before, and what is refused.
#[test]
fn a_figure_is_drawn_from_earlier_numbers() {
    let place = Place::new();
    let numbers = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers/navarro-h200-467caf3.jsonl");
    let outcome = place.good(&format!("paper navarro-figure-5 --from {numbers}"));
    assert!(outcome.text.contains("[Navarro 2016, fig. 5]") && outcome.text.contains("ours: "), "{}", outcome.text);
    assert_eq!(place.names(), ["navarro-figure-5.png", "navarro-figure-5.svg"]);
    place.bad("paper navarro-figure-6", 2, &["navarro-figure-6", "did you mean navarro-figure-"]);
    place.bad("paper gpu-gems-31-6 --seed 3", 2, &["seed = 3", "--to"]);
}

/// Hierarchical methods beside all pairs, at a few thousand bodies: measured, printed as lines that can be read again, and drawn.
#[test]
fn hierarchical_methods_are_measured() {
    let place = Place::new();
    let outcome = place.good("paper chamomile-tree --to 4096 --device cpu --repeat 1 --json");
    let lines = outcome.json();
    let of =
        |line: &str| lines.iter().filter(|row| row["line"] == line).map(|row| row["x"].as_f64().unwrap()).collect();
    for line in ["cpu all pairs", "cpu tree", "cpu fmm"] {
        let numbers: Vec<f64> = of(line);
        assert_eq!(numbers, [2048.0, 4096.0], "{line}");
    }
    // an audit has seen each: all pairs in f32, and 99 of 100 bodies within 1e-3
    assert!(lines.iter().all(|row| (1e-9..2e-3).contains(&row["error"].as_f64().unwrap())), "{}", outcome.text);
    let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
    place.write("rows.jsonl", &text.join("\n"));
    let outcome = place.good("paper chamomile-tree --from rows.jsonl");
    assert!(outcome.text.contains("cpu fmm is ") && outcome.text.contains("all pairs"), "{}", outcome.text);
    assert_eq!(place.names(), ["chamomile-tree.png", "chamomile-tree.svg", "rows.jsonl"]);
    place.bad("paper gpu-gems-fmm --from rows.jsonl", 1, &["rows.jsonl", "gpu-gems-fmm"]);
    let outcome = place.good("paper gpu-gems-fmm --to 8192 --device cpu --repeat 1");
    // 16 bodies in each of 512 cells: (3 * 8 - 2)^3 pairs of cells that touch or are the same
    let interactions = format!("near field, {:.1e} interactions", 22.0_f64.powi(3) * 256.0);
    assert!(outcome.text.contains(&interactions) && outcome.text.contains("cpu: fmm, 1e-4"), "{}", outcome.text);
    place.bad("paper gpu-gems-fmm --to 1000 --device cpu", 2, &["to = 1000", "1024 or more"]);
}
