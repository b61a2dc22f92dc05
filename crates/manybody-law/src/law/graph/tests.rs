use super::replay::Replay;
use super::trace::{Recording, Trace};
use super::*;
use crate::law::Real;

/// Builds under the given rules from inputs x, y, z of body I and checks what comes out.
fn build(rules: Rules, f: impl Fn([Trace; 3]) -> Trace) -> (Graph, Edge) {
    let recording = Recording::start(Graph::new(rules));
    let inputs = [0, 1, 2].map(|k| Trace(recording.edit(|g| g.input(Role::I, k))));
    let result = f(inputs);
    (recording.finish(), result.0)
}

const ALGEBRA: Rules = Rules::Algebra { exp2: false };

/// Both formulas are one edge.
#[track_caller]
fn same(rules: Rules, f: impl Fn([Trace; 3]) -> Trace, g: impl Fn([Trace; 3]) -> Trace) {
    let recording = Recording::start(Graph::new(rules));
    let inputs = [0, 1, 2].map(|k| Trace(recording.edit(|g| g.input(Role::I, k))));
    let (f, g) = (f(inputs), g(inputs));
    let graph = recording.finish();
    assert_eq!(f, g, "{:#?}", graph.nodes());
}

#[track_caller]
fn different(rules: Rules, f: impl Fn([Trace; 3]) -> Trace, g: impl Fn([Trace; 3]) -> Trace) {
    let recording = Recording::start(Graph::new(rules));
    let inputs = [0, 1, 2].map(|k| Trace(recording.edit(|g| g.input(Role::I, k))));
    assert_ne!(f(inputs), g(inputs));
}

#[test]
fn negation_is_found_where_it_hides() {
    for rules in [Rules::AsWritten, ALGEBRA] {
        same(rules, |[x, y, _]| x - y, |[x, y, _]| -(y - x));
        same(rules, |[x, y, z]| (x - y) * z, |[x, y, z]| -(z * (y - x)));
        same(rules, |[x, y, _]| (x - y).sin(), |[x, y, _]| -((y - x).sin()));
        same(rules, |[x, y, _]| (x - y).cos(), |[x, y, _]| (y - x).cos());
        same(rules, |[x, y, _]| (x - y).abs(), |[x, y, _]| (y - x).abs());
        same(rules, |[x, y, _]| x.max(y), |[x, y, _]| -((-y).min(-x)));
        same(rules, |[x, y, z]| Trace::select((-x).lt(-y), z, -z), |[x, y, z]| Trace::select(y.lt(x), z, -z));
        same(rules, |[x, y, z]| Trace::select(!x.lt(y), z, y), |[x, y, z]| Trace::select(x.lt(y), y, z));
        different(rules, |[x, y, _]| (x - y).exp(), |[x, y, _]| (y - x).exp());
    }
}

#[test]
fn as_written_keeps_the_order() {
    different(Rules::AsWritten, |[x, y, z]| (x * y) * z, |[x, y, z]| x * (y * z));
    different(Rules::AsWritten, |[x, _, _]| x - x, |[x, _, _]| x.lit(0.0));
    different(Rules::AsWritten, |[x, y, _]| x / y, |[x, y, _]| x * y.recip());
    same(Rules::AsWritten, |[x, y, _]| x * y + x.lit(0.0), |[x, y, _]| y * x);
}

#[test]
fn products_are_flat_and_powers_meet() {
    same(ALGEBRA, |[x, y, z]| (x * y) * (z * x), |[x, y, z]| z * (x * x) * y);
    same(ALGEBRA, |[x, y, _]| x / y / y, |[x, y, _]| x * (y * y).recip());
    same(ALGEBRA, |[x, y, _]| x / (y * y.sqrt()), |[x, y, _]| x * y.rsqrt3());
    same(ALGEBRA, |[x, y, _]| y * (x * y.rsqrt().powi(5)), |[x, y, _]| x * y.rsqrt3());
    same(ALGEBRA, |[x, _, _]| x.sqrt() * x.sqrt(), |[x, _, _]| x);
    same(ALGEBRA, |[x, y, z]| (x * y).sqrt() * z * (x * y).sqrt(), |[x, y, z]| x * y * z);
    same(ALGEBRA, |[x, _, _]| x.sqrt() / x, |[x, _, _]| x.rsqrt());
    same(ALGEBRA, |[x, _, _]| x.lit(1.0) / x.sqrt(), |[x, _, _]| x.rsqrt());
    same(ALGEBRA, |[x, y, _]| x * y / x, |[_, y, _]| y);
    same(ALGEBRA, |[x, _, _]| x.lit(3.0) / (x.lit(2.0) * x), |[x, _, _]| x.lit(1.5) * x.recip());
    // the reciprocal exists for negative x, the root does not
    different(ALGEBRA, |[x, _, _]| x.recip(), |[x, _, _]| x.rsqrt() * x.rsqrt());
    // at x = 0 the root exists, the product does not
    different(ALGEBRA, |[x, _, _]| x.sqrt(), |[x, _, _]| x * x.rsqrt());
}

#[test]
fn like_terms_merge_and_differences_keep_their_brackets() {
    same(ALGEBRA, |[x, y, _]| x * y + y * x, |[x, y, _]| x * y * x.lit(2.0));
    same(ALGEBRA, |[x, _, _]| x - x, |[x, _, _]| x.lit(0.0));
    same(ALGEBRA, |[x, y, z]| x * y + (y * x + z), |[x, y, z]| x.lit(2.0) * x * y + z);
    same(ALGEBRA, |[x, y, _]| x.lit(3.0) * x + x.lit(3.0) * y, |[x, y, _]| (x + y) * x.lit(3.0));
    different(ALGEBRA, |[x, y, z]| (x - y) + z, |[x, y, z]| x + (z - y));
    // Dekker's and Kahan's sums live from rounding errors that algebra says are 0
    different(ALGEBRA, |[x, y, _]| (x + y) - x, |[_, y, _]| y);
}

#[test]
fn known_questions_are_answered() {
    for rules in [Rules::AsWritten, ALGEBRA] {
        same(rules, |[x, y, _]| Trace::select(x.lit(1.0).lt(x.lit(2.0)), x, y), |[x, _, _]| x);
        same(rules, |[x, y, _]| Trace::select(x.lt(y) & x.lit(2.0).lt(x.lit(1.0)), x, y), |[_, y, _]| y);
        same(rules, |[x, y, _]| Trace::select(x.lt(y) | x.lit(1.0).lt(x.lit(2.0)), x, y), |[x, _, _]| x);
        let twice = |[x, y, z]: [Trace; 3]| {
            let m = x.lt(y);
            Trace::select(m, Trace::select(m, x, z), Trace::select(!m, y, z))
        };
        same(rules, twice, |[x, y, _]| Trace::select(x.lt(y), x, y));
    }
}

/// Squaring again and again doubles the degree: sizes stay small all the same.
#[test]
fn degrees_are_bounded() {
    let (graph, _) = build(ALGEBRA, |[x, y, _]| {
        let mut p = x * y;
        for _ in 0..200 {
            p = p * p;
        }
        p
    });
    let largest = graph.nodes().iter().map(|n| match n {
        Node::Product { factors, .. } => factors.iter().map(|f| f.power.unsigned_abs()).sum(),
        _ => 0,
    });
    assert!(largest.max().unwrap() <= 64);
    assert!(graph.nodes().len() < 300);
}

#[test]
fn too_large_a_graph_is_noticed() {
    let (graph, _) = build(Rules::AsWritten, |[x, y, _]| {
        (0..Graph::LIMIT).fold(x, |sum, k| Trace::select(sum.lt(y), sum * y, sum + x.lit(k as f64)))
    });
    assert!(graph.is_overflowing());
    assert!(graph.nodes().len() <= Graph::LIMIT);
}

/// A panic inside a law leaves no recording behind, and recordings nest.
#[test]
fn recordings_do_not_leak() {
    let caught = std::panic::catch_unwind(|| build(ALGEBRA, |_| panic!("a law's own panic")));
    assert!(caught.is_err());
    let (outer, edge) = build(Rules::AsWritten, |[x, y, _]| {
        let (inner, _) = build(ALGEBRA, |[x, _, _]| x.exp());
        assert_eq!(inner.nodes().len(), 4);
        x * y
    });
    assert_eq!(outer.nodes().len(), 4);
    assert_eq!(edge.node(), 3);
}

#[test]
fn replay_is_the_law() {
    fn f<R: Real>(x: R, y: R, z: R) -> R {
        let d = x - y;
        let near = d.lt(z) & !y.same(z) | x.le(z);
        R::select(near, d.abs().sqrt() / z, (-d * z).exp() - y.max(x).ln()) + (x * y).sin() * z.cos() - d.round().min(z)
    }
    let (graph, edge) = build(Rules::AsWritten, |[x, y, z]| f(x, y, z));
    for v in [[0.5, 2.25, 3.0], [4.0, 2.0, 1.0], [1.0, 1.0, 1.0], [3.0, 0.25, 2.0]] {
        let replay = Replay::new(&graph, [edge], 0.0, |_, k| v[k]);
        assert_eq!(replay.number(edge), f(v[0], v[1], v[2]), "{v:?}");
    }
}
