//! The text of interactions is executed, and compared with sums over bodies.

use super::*;
use crate::expansions::numbers::Numbers;
use crate::expansions::operators::{Motion, Part};
use crate::expansions::split::IN_F64;
use manybody_expansions::index::{count, of};

/// Bodies of a cell as (place from its centre of mass, mass).
fn bodies() -> Vec<([f64; 3], f64)> {
    let places = [[0.3, -0.2, 0.1], [-0.25, 0.35, 0.2], [0.1, 0.1, -0.4], [-0.1, -0.3, 0.25]];
    let mut all: Vec<_> = places.into_iter().zip([1.0, 0.7, 1.6, 1.1]).collect();
    let mass: f64 = all.iter().map(|(_, m)| m).sum();
    let center = [0, 1, 2].map(|k| all.iter().map(|(x, m)| x[k] * m).sum::<f64>() / mass);
    all.iter_mut().for_each(|(x, _)| (0..3).for_each(|k| x[k] -= center[k]));
    all
}

/// The spherical moments of these bodies, in a unit of 2, which an operator finds: in a record, and in a column in units of the sink.
fn prepared(operators: Operators, text: &str) -> Numbers {
    let bodies = bodies();
    let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
    let mut numbers = Numbers::of(&[]);
    for k in operators.degrees(operators.order) {
        for (a, z) in of(k) {
            let exponents = [k - a, a - z, z];
            let term = |x: &[f64; 3]| -> f64 {
                (0..3).map(|i| (-x[i]).powi(exponents[i] as i32) / factorial(exponents[i])).product()
            };
            // a unit of 2
            let sum: f64 = bodies.iter().map(|(x, m)| m * term(&x.map(|x| x / 2.0))).sum();
            numbers.0.insert(format!("M[{}]", operators.moment(k, a, z)), sum);
        }
    }
    numbers.call(text, "to_spherical");
    for (k, m) in operators.degrees(operators.order).flat_map(|k| orders(k).map(move |m| (k, m))) {
        let from = operators.spherical_moment(k, m);
        let value = numbers.0[&format!("to[{from}]")];
        // a warp gathers moments in units of the sink, where interactions have one part
        let factor = if text.contains("from_cell_low") { 1.0 } else { 2_f64.powi(k as i32) };
        numbers.0.insert(column(k, m), value * factor);
        numbers.0.insert(format!("given[{from}]"), value);
    }
    numbers
}

/// Executes what a cell, or a body, does far away; in two parts where it has these: the coefficients of both are in the columns then.
fn far(numbers: &mut Numbers, operators: Operators, double: bool, text: &str, source: &str) {
    if !operators.is_split(double) {
        numbers.call(text, &format!("from_{source}_far"));
        return;
    }
    let of_cell = source == "cell";
    let all = || (0..=operators.order).flat_map(|n| orders(n).map(move |m| column(n, m)));
    let moments: Vec<_> = all().map(|name| numbers.0.get(&name).copied().unwrap_or(f64::NAN)).collect();
    numbers.call(text, &format!("from_{source}_low"));
    let low: Vec<_> = all().map(|name| numbers.0.get(&name).copied().unwrap_or(f64::NAN)).collect();
    if of_cell {
        numbers.0.extend(all().zip(moments));
    }
    numbers.call(text, &format!("from_{source}_high"));
    if of_cell {
        for (name, low) in all().zip(low).take((IN_F64 + 1).pow(2)) {
            *numbers.0.get_mut(&name).unwrap() += low;
        }
    }
}

/// The Cartesian coefficients of degree 1 and 2 that the text finds about a sink there, from the cell and from its first body; and the
/// gradient at that place. In units: the source's is twice that of the sink.
fn found(order: usize, double: bool, dipoles: bool, at_place: [f64; 3]) -> [Vec<f64>; 3] {
    let operators = Operators { order, dipoles, potential: true, of_law: false, motion: Motion::Rest };
    let text = operators.text(Language::Cuda, &[Part::Moments, Part::OntoFar(double), Part::AtPlace], None);
    let (bodies, gathered) = (bodies(), operators.is_gathered(double));
    let mut numbers = prepared(operators, &text);
    let place = |numbers: &mut Numbers, x: [f64; 3]| {
        for (name, x) in AXES.iter().zip(x) {
            numbers.0.insert((*name).to_owned(), x);
        }
        numbers.0.insert("soft2".into(), 0.0);
    };
    let low = |numbers: &mut Numbers| -> Vec<f64> {
        let mut all = Vec::new();
        if gathered {
            for (n, m) in (0..=order).flat_map(|n| orders(n).map(move |m| (n, m))) {
                let value = numbers.0[&column(n, m)];
                numbers.0.insert(format!("L[{}]", at(n, m)), value);
            }
            for d in 1..=2 {
                numbers.call(&text, &format!("unfold_{d}"));
                all.extend((0..of_degree(d)).map(|k| numbers.0[&format!("to[{k}]")]));
            }
        } else {
            numbers.call(&text, "unfold");
            all.extend((1..count(order.min(2))).map(|k| numbers.0[&format!("to[{k}]")]));
        }
        all
    };
    let clear = |numbers: &mut Numbers| {
        numbers.0.extend((0..operators.harmonics()).map(|k| (format!("L[{k}]"), 0.0)));
    };
    place(&mut numbers, at_place);
    numbers.0.insert("ratio".into(), 2.0);
    clear(&mut numbers);
    far(&mut numbers, operators, double, &text, "cell");
    let of_cell = low(&mut numbers);
    clear(&mut numbers);
    place(&mut numbers, [0, 1, 2].map(|k| at_place[k] - bodies[0].0[k]));
    numbers.0.insert("m".into(), bodies[0].1);
    far(&mut numbers, operators, double, &text, "body");
    let of_body = low(&mut numbers);
    // in units of the source
    place(&mut numbers, at_place.map(|x| x / 2.0));
    numbers.0.extend((0..4).map(|k| (format!("to[{k}]"), 0.0)));
    numbers.call(&text, "at_place_far");
    let gradient = (0..3).map(|k| numbers.0[&format!("to[{k}]")] / 4.0).collect();
    [of_cell, of_body, gradient]
}

/// The first and second derivatives of -m / r, as `of` has them.
fn direct(bodies: &[([f64; 3], f64)], at: [f64; 3]) -> Vec<f64> {
    let mut all = vec![0.0; 9];
    for (x, m) in bodies {
        let d = [0, 1, 2].map(|k| at[k] - x[k]);
        let r2: f64 = d.iter().map(|d| d * d).sum();
        let g = m / (r2 * r2.sqrt());
        (0..3).for_each(|k| all[k] += g * d[k]);
        for (k, (i, j)) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].into_iter().enumerate() {
            all[3 + k] += g * (f64::from(u8::from(i == j)) - 3.0 * d[i] * d[j] / r2);
        }
    }
    all
}

#[test]
fn interactions_are_those_of_the_bodies() {
    let size = |a: &[f64]| a.iter().map(|a| a * a).sum::<f64>().sqrt();
    let error = |a: &[f64], b: &[f64]| size(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>()) / size(b);
    let bodies = bodies();
    let directions = [[1.0, 2.0, -1.5], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [-0.3, 0.0, 0.2], [0.0, -1.0, 0.0]];
    for (order, double, dipoles) in [
        (1, false, false),
        (2, false, true),
        (5, true, false),
        (6, true, false),
        (8, false, true),
        (8, true, false),
        (9, false, true),
        (12, true, false),
    ] {
        for direction in directions {
            let length = size(&direction);
            let errors = [3.0, 6.0].map(|distance| {
                let at = direction.map(|x| x / length * distance);
                let [cell, body, gradient] = found(order, double, dipoles, at);
                let want = direct(&bodies, at);
                let first = error(&cell[..3], &want[..3]);
                let second = if order == 1 { 0.0 } else { error(&cell[3..], &want[3..]) };
                // the expansion of one body has no error at the sink
                let one = direct(&bodies[..1], at);
                let many = if order == 1 { 3 } else { 9 };
                assert!(error(&body[..many], &one[..many]) < 1e-13, "{order} {body:?} {one:?}");
                // at a place a cell does what it does at a sink
                assert!(error(&gradient, &cell[..3]) < 1e-12, "{order} {direction:?} {gradient:?} {cell:?}");
                // moments up to degree p - 1, of bodies within 0.55
                let most = (0.6 / distance).powi(order as i32) * (order + 1) as f64;
                assert!(
                    first < most && second < most * order as f64,
                    "{order} {direction:?} {distance} {first} {second} {most} {cell:?} {want:?}"
                );
                first
            });
            // twice the distance is an error smaller by a power of two: of the order, or above where that moment is small
            let slope = (errors[0] / errors[1]).log2();
            assert!(slope > order as f64 - 0.5 || errors[1] < 1e-13, "{order} {direction:?}: {errors:?}");
        }
    }
}

/// At a body that moves, with bodies of the cell at rest: moments up to degree p - 1 act on it, as it acts on them.
#[test]
fn jerks_at_places_are_those_of_the_bodies() {
    let (bodies, v) = (bodies(), [0.4, -0.7, 0.2]);
    let hessian = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
    for order in [1, 2, 3, 6, 9] {
        let operators = Operators { order, dipoles: false, potential: false, of_law: false, motion: Motion::Jerks };
        let text = operators.text(Language::Cuda, &[Part::Moments, Part::AtPlace], None);
        let mut numbers = prepared(operators, &text);
        numbers.0.extend((0..operators.of_rates().spherical()).map(|k| (format!("rates[{k}]"), 0.0)));
        numbers.0.extend(["vx", "vy", "vz"].iter().zip(v).map(|(name, v)| ((*name).to_owned(), v)));
        numbers.0.insert("soft2".into(), 0.0);
        let errors = [3.0, 6.0].map(|distance| {
            let at = [0.36, 0.48, -0.8].map(|x| x * distance);
            numbers.0.extend(AXES.iter().zip(at).map(|(name, x)| ((*name).to_owned(), x / 2.0)));
            numbers.0.extend((0..8).map(|k| (format!("to[{k}]"), 0.0)));
            numbers.call(&text, "at_place_far");
            let want = direct(&bodies, at);
            let want = hessian.map(|row| row.iter().zip(v).map(|(k, v)| want[3 + k] * v).sum::<f64>());
            let error = (0..3).map(|k| (numbers.0[&format!("to[{}]", 4 + k)] / 8.0 - want[k]).powi(2)).sum::<f64>();
            (error / want.iter().map(|x| x * x).sum::<f64>()).sqrt()
        });
        let slope = (errors[0] / errors[1]).log2();
        assert!(slope > order as f64 - 0.5, "{order}: {errors:?}");
    }
}

/// What a body does to the bodies of a cell, and these to it, adds up to nothing, to rounding, in the softened interaction too: of the
/// potential of a cell at a place, and of the expansion that a body makes about the cell's centre.
#[test]
fn cells_and_bodies_have_the_same_potential() {
    for (order, soft2) in [(2, 0.0), (5, 0.3), (8, 0.1), (9, 0.2)] {
        let operators = Operators { order, dipoles: false, potential: true, of_law: false, motion: Motion::Rest };
        let text = operators.text(Language::Cuda, &[Part::Moments, Part::OntoFar(true), Part::AtPlace], None);
        let mut numbers = prepared(operators, &text);
        let place = [1.5, -1.0, 2.0];
        numbers.0.insert("soft2".into(), soft2);
        numbers.0.extend(AXES.iter().zip(place).map(|(name, x)| ((*name).to_owned(), x)));
        numbers.0.extend((0..4).map(|k| (format!("to[{k}]"), 0.0)));
        numbers.call(&text, "at_place_far");
        let of_cell = numbers.0["to[3]"];
        // the body is at the place, the sink is the cell
        numbers.0.extend(AXES.iter().zip(place).map(|(name, x)| ((*name).to_owned(), -x)));
        numbers.0.insert("m".into(), 1.0);
        numbers.0.extend((0..operators.harmonics()).map(|k| (format!("L[{k}]"), 0.0)));
        far(&mut numbers, operators, true, &text, "body");
        let gathered = operators.is_gathered(true);
        let of_body: f64 = operators
            .degrees(order)
            .flat_map(|k| orders(k).map(move |m| (k, m)))
            .map(|(k, m)| {
                let name = if gathered { column(k, m) } else { format!("L[{}]", at(k, m)) };
                numbers.0[&name] * numbers.0[&format!("given[{}]", operators.spherical_moment(k, m))]
            })
            .sum();
        assert!((of_cell - of_body).abs() < 1e-13 * of_cell.abs(), "{order} {soft2}: {of_cell} {of_body}");
    }
}
