use super::super::bounds::{Bounded, Rounding};
use super::super::graph::program::Cost;
use super::*;
use crate::law::*;
use crate::record;

fn count(program: &Program) -> (usize, usize) {
    let Cost { operations, special, .. } = program.cost();
    (operations, special)
}

/// Operations and special functions a pair: the numbers that hand-written kernels reach.
#[test]
fn gravity_costs_what_the_best_kernels_cost() {
    let acc = Law::of::<Gravity>().unwrap();
    assert_eq!(count(&acc.one_sided()), (12, 1));
    assert_eq!(count(&acc.mirrored().unwrap()), (16, 1));
    let pot = Law::of::<GravityPot>().unwrap();
    assert_eq!(count(&pot.one_sided()), (13, 1));
    assert_eq!(count(&pot.mirrored().unwrap()), (18, 1));
    let jerk = Law::of::<GravityJerk>().unwrap();
    assert_eq!(count(&jerk.one_sided()), (28, 1));
    assert_eq!(count(&jerk.mirrored().unwrap()), (40, 1));
}

/// Acceleration and potential through dual numbers: the jerk comes along.
struct DualJerk;
impl PairLaw for DualJerk {
    type Body<R: Real> = MovingStar<R>;
    type Par<R: Real> = Eps2<R>;
    type Out<R: Real> = AccJerkPot<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &MovingStar<R>, j: &MovingStar<R>, par: &Eps2<R>, out: &mut AccJerkPot<R>) {
        use dual::Dual;
        let star = |b: &MovingStar<R>| Star {
            x: [Dual::moving(b.x[0], b.v[0]), Dual::moving(b.x[1], b.v[1]), Dual::moving(b.x[2], b.v[2])],
            m: Dual::fixed(b.m),
        };
        let a = |k: usize| Sum(Dual::moving(out.a[k].0, out.j[k].0));
        let mut acc = AccPot { a: [a(0), a(1), a(2)], pot: Sum(Dual::fixed(out.pot.0)) };
        GravityPot::pair(&star(i), &star(j), &Eps2 { eps2: Dual::fixed(par.eps2) }, &mut acc);
        for k in 0..3 {
            (out.a[k].0, out.j[k].0) = (acc.a[k].0.v, acc.a[k].0.rate());
        }
        out.pot.0 = acc.pot.0.v;
    }
}

/// The graph finds in the derivative what the hand formula has, to the last operation.
#[test]
fn jerk_by_dual_numbers_costs_what_the_hand_formula_costs() {
    let law = Law::of::<DualJerk>().unwrap();
    assert_eq!(count(&law.one_sided()), (28, 1));
    assert_eq!(count(&law.mirrored().unwrap()), (40, 1));
}

/// What a program does for one pair, per side and slot: the sum of contributions to sums, the contribution to others.
fn run<R: Real>(program: &Program, like: R, i: &[R], j: &[R], par: &[R]) -> Vec<(usize, usize, Cell, R)> {
    let mut found: Vec<(usize, usize, Cell, R)> = Vec::new();
    program.run(
        like,
        |role, k| [i, j, par][role as usize][k],
        |fold, x, _| match found.iter_mut().find(|f| (f.0, f.1) == (fold.side, fold.slot)) {
            Some(held) if fold.cell == Cell::Sum => held.3 = held.3 + x,
            _ => found.push((fold.side, fold.slot, fold.cell, x)),
        },
    );
    found
}

/// Every grouping and both sides of the mirrored program agree with the law called directly, within the bound that
/// the operations allow.
fn programs_agree<L: PairLaw>(i: &[f64], j: &[f64], par: &[f64]) {
    let law = Law::of::<L>().unwrap();
    let x = |v: &[f64]| v.iter().map(|v| Bounded::exact(*v, &Rounding::F64)).collect::<Vec<_>>();
    let (bi, bj, bp) = (x(i), x(j), x(par));
    let record = |v: &[Bounded]| {
        let mut k = 0;
        make(|_| {
            k += 1;
            v[k - 1]
        })
    };
    let par_record: L::Par<Bounded> = make({
        let mut k = 0;
        let bp = &bp;
        move |_| {
            k += 1;
            bp[k - 1]
        }
    });
    let programs = [
        law.one_sided(),
        law.mirrored().unwrap(),
        law.lower(Lowering { grouping: Grouping::AsWritten, mirrored: true, ..Lowering::default() }).unwrap(),
        law.lower(Lowering { mirrored: true, exp2: true, ..Lowering::default() }).unwrap(),
    ];
    for (side, (a, b)) in [(&bi, &bj), (&bj, &bi)].into_iter().enumerate() {
        let mut direct: L::Out<Bounded> = make(|cell| cell.identity(bi[0]));
        L::pair(&record(a), &record(b), &par_record, &mut direct);
        let direct: Vec<Bounded> = {
            let mut numbers = Vec::new();
            let mut copy = direct;
            each(&mut copy, &direct, |_, _, x| numbers.push(x));
            numbers
        };
        for program in &programs {
            for (at, slot, _, got) in run(program, bi[0], &bi, &bj, &bp) {
                if at == side {
                    let want = direct[slot];
                    let error = (got.value - want.value).abs();
                    assert!(error <= got.error + want.error, "{} {slot}: {got:?} {want:?}", law.name());
                    assert!(got.error.is_finite(), "{} {slot}: {got:?}", law.name());
                }
            }
        }
    }
}

#[test]
fn gravity_programs_compute_gravity() {
    let (i, j) = ([0.1, 0.2, -0.4, 1.5], [-0.7, 0.9, 0.3, 0.25]);
    programs_agree::<Gravity>(&i, &j, &[1e-4]);
    programs_agree::<GravityPot>(&i, &j, &[1e-4]);
    programs_agree::<SoftGravityPot>(&[0.1, 0.2, -0.4, 1.5, 0.01], &[-0.7, 0.9, 0.3, 0.25, 0.5], &[0.0]);
    let (i, j) = ([0.1, 0.2, -0.4, 1.0, -0.5, 0.3, 1.5], [-0.7, 0.9, 0.3, 0.1, 0.2, -0.8, 0.25]);
    programs_agree::<GravityJerk>(&i, &j, &[1e-4]);
    programs_agree::<DualJerk>(&i, &j, &[1e-4]);
    // within half of the radius, within it, and outside
    for eps in [1.0, 0.6, 0.01] {
        programs_agree::<SplineGravityJerk>(&i, &j, &[eps * eps]);
    }
}

record! {
    struct Tagged<R> { x: [R; 2], id: Id<R> }
}
record! {
    struct Several<R> { sum: Sum<R>, n: Count<R>, low: Min<R>, high: Max<R>, near: ArgMin<R>, far: ArgMax<R>, z: LogSumExp<R> }
}
struct Everything;
impl PairLaw for Everything {
    type Body<R: Real> = Tagged<R>;
    type Par<R: Real> = Nothing<R>;
    type Out<R: Real> = Several<R>;
    fn pair<R: Real>(i: &Tagged<R>, j: &Tagged<R>, _: &Nothing<R>, out: &mut Several<R>) {
        let d = [i.x[0] - j.x[0], i.x[1] - j.x[1]];
        let r2 = d[0].fma(d[0], d[1] * d[1]);
        out.sum.add(d[0]);
        out.sum.add_mul(d[0], d[1]);
        out.n.when(r2.lt(r2.lit(1.0)) & !i.id.same(j.id));
        out.low.reduce(d[0]);
        out.high.reduce(d[0]);
        out.high.reduce(-d[1]);
        out.near.reduce(r2, j.id);
        out.far.reduce(r2, j.id);
        out.z.add(-r2);
    }
    fn own<R: Real>(i: &Tagged<R>, _: &Nothing<R>, out: &mut Several<R>) {
        out.sum.add(i.x[0]);
    }
}

#[test]
fn every_reduction_is_recorded() {
    let law = Law::of::<Everything>().unwrap();
    assert_eq!(law.self_pair(), SelfPair::Custom);
    let folds = |program: &Program| program.folds.iter().map(|f| (f.side, f.slot, f.cell)).collect::<Vec<_>>();
    let one = [
        (0, Cell::Sum),
        (0, Cell::Sum),
        (1, Cell::Count),
        (2, Cell::Min),
        (3, Cell::Max),
        (3, Cell::Max),
        (4, Cell::ArgMin),
        (6, Cell::ArgMax),
        (8, Cell::LogSumExp),
    ];
    assert_eq!(folds(&law.one_sided()), one.map(|(slot, cell)| (0, slot, cell)));
    let mirrored: Vec<_> = (0..2).flat_map(|side| one.map(|(slot, cell)| (side, slot, cell))).collect();
    assert_eq!(folds(&law.mirrored().unwrap()), mirrored);
    assert_eq!(folds(&law.own()), [(0, 0, Cell::Sum)]);
    let names: Vec<_> = law.results().iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["sum", "n", "low", "high", "near", "far", "z"]);
    let found = run(&law.one_sided(), 0.0, &[1.0, 2.0, 7.0], &[0.5, 1.75, 9.0], &[]);
    // d = (0.5, 0.25), r2 = 0.3125
    let values: Vec<f64> = found.iter().map(|f| f.3).collect();
    assert_eq!(values, [0.625, 1.0, 0.5, 0.5, -0.25, 0.3125, 0.3125, -0.3125]);
}

/// A law may contribute to its results, not read them.
macro_rules! misuse {
    ($name:ident, |$x:ident, $out:ident| $body:expr) => {
        struct $name;
        impl PairLaw for $name {
            type Body<R: Real> = Tagged<R>;
            type Par<R: Real> = Nothing<R>;
            type Out<R: Real> = Several<R>;
            fn pair<R: Real>(i: &Tagged<R>, _: &Tagged<R>, _: &Nothing<R>, $out: &mut Several<R>) {
                let $x = i.x[0];
                $body;
            }
        }
    };
}
misuse!(Doubles, |x, out| out.sum.0 = out.sum.0 * x);
misuse!(Swaps, |_x, out| out.sum.0 = out.n.0);
misuse!(Crosses, |_x, out| out.sum.add(out.low.0));
misuse!(Negates, |x, out| out.sum.0 = x - out.sum.0);
misuse!(Tops, |x, out| out.high.0 = out.high.0.min(x));

#[test]
fn results_are_not_to_be_read() {
    let problems = [
        Law::of::<Doubles>().unwrap_err(),
        Law::of::<Swaps>().unwrap_err(),
        Law::of::<Crosses>().unwrap_err(),
        Law::of::<Negates>().unwrap_err(),
        Law::of::<Tops>().unwrap_err(),
    ];
    for problem in problems {
        assert!(problem.to_string().contains("result"), "{problem}");
    }
}
