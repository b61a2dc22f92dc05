//! Results: their value before any contribution, and the merge of two partial ones.

use super::Dialect;
use manybody_law::law::Cell;
use std::fmt::Write;

/// A statement that combines a contribution or partial result into the numbers of the accumulator of a cell.
pub(super) fn combine(d: Dialect, cell: Cell, accumulator: [&str; 2], new: [&str; 2]) -> String {
    let [a, b] = accumulator;
    let [x, y] = new;
    match cell {
        Cell::Min => format!("{a} = {};", d.min(a, x)),
        Cell::Max => format!("{a} = {};", d.max(a, x)),
        Cell::ArgMin => format!("if ({x} < {a} || ({x} == {a} && {y} < {b})) {{ {a} = {x}; {b} = {y}; }}"),
        Cell::ArgMax => format!("if ({a} < {x} || ({x} == {a} && {y} < {b})) {{ {a} = {x}; {b} = {y}; }}"),
        Cell::LogSumExp => {
            let top = d.constant(d.real(), "top");
            // infinity minus infinity would be NaN
            let shift = format!("{} = {}", d.constant(d.real(), "shift"), d.finite_or_zero("top"));
            let (old, new) = (d.exp(&format!("{a} - shift")), d.exp(&format!("({x}) - shift")));
            format!("{{ {top} = {}; {shift}; {b} = {b} * {old} + ({y}) * {new}; {a} = top; }}", d.max(a, x))
        }
        _ => format!("{a} = {a} + {x};"),
    }
}

/// The functions `start`, which sets a result to what it is before any contribution, and `merge`, which adds the partial
/// result b to a; in WGSL also `merge_exactly`, which keeps what a sum loses to rounding. Drivers may assume that
/// (a + b) - a is b, which leaves nothing of that; so the results in between go through a number, 0, that is known only
/// when the kernel runs.
pub(super) fn start_and_merge(text: &mut String, d: Dialect, cells: &[Cell]) {
    let mut start = String::new();
    let (mut merge, mut exactly) = (String::new(), String::new());
    for (k, cell) in cells.iter().enumerate() {
        let (a, a2, b, b2) = (d.accumulator(k), d.accumulator(k + 1), d.contribution(k), d.contribution(k + 1));
        let _ = writeln!(start, "    {a} = {};", d.literal(cell.identity(0.0_f64)));
        if !matches!(cell, Cell::Label | Cell::Scaled) {
            let plain = combine(d, *cell, [&a, &a2], [&b, &b2]);
            let _ = match cell {
                Cell::Sum => writeln!(
                    exactly,
                    "    {{ let s = opaque({a} + {b}, zero); let v = opaque(s - {a}, zero); \
                     (*lost{k}) = (*lost{k}) + (({a} - (s - v)) + ({b} - v)); {a} = s; }}"
                ),
                _ => writeln!(exactly, "    {plain}"),
            };
            let _ = writeln!(merge, "    {plain}");
        }
    }
    d.start_and_merge(text, cells.len(), [&start, &merge, &exactly]);
}
