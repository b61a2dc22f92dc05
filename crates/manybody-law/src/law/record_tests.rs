use super::*;

record! {
    struct Everything<R> {
        sum: [Sum<R>; 2],
        min: Min<R>,
        max: Max<R>,
        count: Count<R>,
        near: [ArgMin<R>; 2],
        far: ArgMax<R>,
        lse: LogSumExp<R>,
    }
}

fn empty() -> Everything<f64> {
    make(|cell| cell.identity(0.0))
}

/// Contribution x of partner k.
fn contribute(out: &mut Everything<f64>, x: f64, k: f64) {
    out.sum[0].add(x);
    out.sum[1].add_mul(x, 2.0);
    out.min.reduce(x);
    out.max.reduce(x);
    out.count.when(x > 0.0);
    out.near[0].reduce(x.abs(), Id(k));
    out.near[1].reduce((x - 1.0).abs(), Id(k));
    out.far.reduce(x.abs(), Id(k));
    out.lse.add(x);
}

#[test]
fn members_are_named_in_order() {
    let names: Vec<_> = fields::<Everything<f64>>().iter().map(|f| (f.name.clone(), f.width, f.cell)).collect();
    let expected = [
        ("sum", 2, Cell::Sum),
        ("min", 1, Cell::Min),
        ("max", 1, Cell::Max),
        ("count", 1, Cell::Count),
        ("near", 2, Cell::ArgMin),
        ("far", 1, Cell::ArgMax),
        ("lse", 1, Cell::LogSumExp),
    ];
    assert_eq!(names, expected.map(|(n, w, c)| (n.to_string(), w, c)));
    let numbers: usize = fields::<Everything<f64>>().iter().map(Field::numbers).sum();
    assert_eq!(numbers, width::<Everything<f64>>());
    assert_eq!(numbers, 13);
}

/// However the partners are split into two sets, the merged results are those of one set.
#[test]
fn merged_parts_are_the_whole() {
    let xs = [0.5, -2.0, 2.0, 700.0, -3.25, 0.5, -700.0];
    let mut whole = empty();
    xs.iter().enumerate().for_each(|(k, x)| contribute(&mut whole, *x, k as f64));
    assert_eq!(whole.sum[0].0, xs.iter().sum::<f64>());
    assert_eq!((whole.min.0, whole.max.0, whole.count.0), (-700.0, 700.0, 4.0));
    assert_eq!((whole.near[0].value, whole.near[0].label), (0.5, 0.0)); // 0 and 5 tie
    assert_eq!((whole.near[1].value, whole.near[1].label), (0.5, 0.0)); // |0.5 - 1|; 0 and 5 tie
    assert_eq!((whole.far.value, whole.far.label), (700.0, 3.0)); // 3 and 6 tie
    assert_eq!(whole.lse.ln_sum(), 700.0); // the others are below its rounding; e^700 itself would still fit, e^710 not
    for split in 0..=xs.len() {
        let (mut a, mut b) = (empty(), empty());
        for (k, x) in xs.iter().enumerate().rev() {
            contribute(if k < split { &mut a } else { &mut b }, *x, k as f64);
        }
        for (mut p, q) in [(a, b), (b, a)] {
            merge(&mut p, &q);
            each(&mut p, &whole, |cell, x, y| assert_eq!(*x, y, "{cell:?}, split at {split}"));
        }
    }
}

#[test]
fn log_sum_exp_does_not_overflow() {
    let mut out = empty();
    for k in 0..4 {
        out.lse.add(1e4 + f64::from(k));
    }
    let direct = (1.0 + (-1f64).exp() + (-2f64).exp() + (-3f64).exp()).ln() + 10003.0;
    // one rounding of a number near 1e4
    assert!((out.lse.ln_sum() - direct).abs() <= 1e4 * f64::EPSILON);
}

#[test]
fn without_candidates_there_is_no_label() {
    let mut a = empty();
    merge(&mut a, &empty());
    assert_eq!((a.near[0].value, a.near[0].label), (f64::INFINITY, -1.0));
    assert_eq!((a.far.value, a.far.label), (f64::NEG_INFINITY, -1.0));
    assert_eq!(a.lse.ln_sum(), f64::NEG_INFINITY);
}
