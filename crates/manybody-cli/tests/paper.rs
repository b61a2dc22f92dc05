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
