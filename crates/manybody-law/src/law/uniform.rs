//! What is the same for all bodies costs nothing: it becomes a parameter, and parameters leave the sums.
//!
//! ```text
//! sum_j m y_ij^3 d_ij  =  m sum_j y_ij^3 d_ij
//! ```

use super::definition::{Contribution, Law};
use super::graph::lower::{LeftOut, Output, classes};
use super::graph::program::Class;
use super::graph::replay::Replay;
use super::graph::trace::{Recording, Trace};
use super::graph::{Factor, Graph, Node, Role, Rules};
use super::{Cell, Field};
use crate::{Error, Result};

/// Where the numbers of a record go: to their new place on their side, or to the parameters.
struct Moves {
    kept: Vec<Field>,
    to: Vec<(bool, usize)>,
}

fn moves(fields: &[Field], members: &[&str], parameter: impl Fn(&str) -> usize) -> Moves {
    let mut moves = Moves { kept: Vec::new(), to: Vec::new() };
    let mut next = 0;
    for field in fields {
        let uniform = members.contains(&field.name.as_str());
        let first = if uniform { parameter(&field.name) } else { next };
        moves.to.extend((0..field.numbers()).map(|k| (uniform, first + k)));
        if !uniform {
            next += field.numbers();
            moves.kept.push(field.clone());
        }
    }
    moves
}

pub(super) fn uniform(law: &Law, members: &[&str]) -> Result<Law> {
    let mut par = law.par.clone();
    let mut first = Vec::new();
    for name in members {
        let found = law.i.iter().chain(&law.j).find(|f| f.name == *name && f.cell == Cell::Value);
        let Some(field) = found else {
            let known: Vec<&str> = law.i.iter().chain(&law.j).map(|f| f.name.as_str()).collect();
            return Err(Error::Parameter {
                name: "uniform member",
                value: name.to_string(),
                expected: format!("a member of a body of {} is needed: {}", law.title(), known.join(", ")),
            });
        };
        first.push(par.iter().map(Field::numbers).sum::<usize>());
        par.push(field.clone());
    }
    let parameter = |name: &str| first[members.iter().position(|m| *m == name).unwrap_or(0)];
    let (i, j) = (moves(&law.i, members, parameter), moves(&law.j, members, parameter));

    let recording = Recording::start(Graph::new(Rules::AsWritten));
    let like = Trace(recording.edit(|g| g.lit(0.0)));
    let all = || law.contributions.iter().chain(&law.own);
    let roots = all().flat_map(|o| [Some(o.value), o.label]).flatten();
    let replay = Replay::new(&law.graph, roots, like, |role, k| {
        let (role, k) = match role {
            Role::Par => (Role::Par, k),
            Role::I | Role::J => match (if role == Role::I { &i } else { &j }).to[k] {
                (true, k) => (Role::Par, k),
                (false, k) => (role, k),
            },
        };
        Trace(recording.edit(|g| g.input(role, k)))
    });
    let moved = |contributions: &[Contribution]| {
        let of = |o: &Contribution| Contribution {
            value: replay.number(o.value).0,
            label: o.label.map(|l| replay.number(l).0),
            ..*o
        };
        contributions.iter().map(of).collect::<Vec<_>>()
    };
    let (contributions, own) = (moved(&law.contributions), moved(&law.own));
    let mut defaults = law.defaults.clone();
    defaults.resize(par.iter().map(Field::numbers).sum(), None);
    Ok(Law { i: i.kept, j: j.kept, par, contributions, own, defaults, graph: recording.finish(), ..law.clone() })
}

/// Takes out of each sum the factors that are the same for all pairs and all its contributions.
pub(super) fn take_out_scales(graph: &mut Graph, outputs: &mut [Output]) -> Vec<LeftOut> {
    let mut scales = Vec::new();
    let mut sums: Vec<(usize, usize)> =
        outputs.iter().filter(|o| o.cell == Cell::Sum).map(|o| (o.side, o.slot)).collect();
    sums.sort_unstable();
    sums.dedup();
    for (side, slot) in sums {
        let class = classes(graph);
        let mine = |o: &&mut Output| (o.side, o.slot) == (side, slot);
        let terms: Vec<_> = outputs.iter_mut().filter(mine).map(|o| graph.term(o.value)).collect();
        let whole = |f: &&Factor| {
            // a whole power of one parameter or of a combination of them
            class[f.base.node()] == Class::PAR && !matches!(graph.at(f.base), Node::Const(_))
        };
        let common: Vec<Factor> = terms[0]
            .factors
            .iter()
            .filter(whole)
            .filter(|f| terms.iter().all(|t| t.factors.contains(f)))
            .copied()
            .collect();
        let coefficient = terms[0].coefficient.abs();
        // 0 cannot be divided out
        let common_size = coefficient != 0.0 && terms.iter().all(|t| t.coefficient.abs() == coefficient);
        let coefficient = if common_size { coefficient } else { 1.0 };
        if common.is_empty() && coefficient == 1.0 {
            continue;
        }
        let outputs = outputs.iter_mut().filter(mine);
        for (output, mut term) in outputs.zip(terms) {
            term.factors.retain(|f| !common.contains(f));
            term.coefficient /= coefficient;
            output.value = graph.product(term);
        }
        let factor = graph.product(super::graph::simplify::Term { coefficient, factors: common });
        scales.push(LeftOut { side, slot, factor });
    }
    scales
}

#[cfg(test)]
mod tests {
    use super::super::{Cost, Gravity, GravityJerk, GravityPot, Lowering, PairLaw};
    use super::*;

    fn cost(law: &Law) -> [usize; 2] {
        [false, true].map(|mirrored| {
            let Cost { operations, .. } =
                law.lower(Lowering { mirrored, scales: true, ..Lowering::default() }).unwrap().cost();
            operations
        })
    }

    /// 12 and 16 without the products with the mass.
    #[test]
    fn equal_masses_cost_nothing() {
        let equal = |law: Law| cost(&law.uniform(&["m"]).unwrap());
        assert_eq!(equal(Law::of::<Gravity>().unwrap()), [11, 14]);
        assert_eq!(equal(Law::of::<GravityPot>().unwrap()), [12, 16]);
        assert_eq!(equal(Law::of::<GravityJerk>().unwrap()), [27, 37]);
    }

    #[test]
    fn the_uniform_law_is_the_law() {
        same::<GravityPot>(&[0.1, 0.2, 0.3, 1.5], &[0.4, -0.2, 0.1, 1.5], &[0.01], &[0.01, 1.5]);
    }

    fn same<L: PairLaw>(i: &[f64], j: &[f64], par: &[f64], uniform_par: &[f64]) {
        let law = Law::of::<L>().unwrap();
        let uniform = law.uniform(&["m"]).unwrap();
        let sums = |law: &Law, par: &[f64]| {
            let program = law.lower(Lowering { mirrored: true, scales: true, ..Lowering::default() }).unwrap();
            let mut out = vec![0.0; 16];
            let input = |role, k: usize| [i, j, par][role as usize][k];
            program.run(0.0, input, |fold, x, _| out[8 * fold.side + fold.slot] += x);
            for (side, slot, x) in program.scale_factors(0.0, |k| par[k]) {
                out[8 * side + slot] *= x;
            }
            out
        };
        for (a, b) in sums(&law, par).iter().zip(sums(&uniform, uniform_par)) {
            assert!((a - b).abs() <= 16.0 * f64::EPSILON * a.abs(), "{a} {b}"); // a dozen roundings, nothing cancels
        }
    }

    #[test]
    fn what_is_not_there_cannot_be_uniform() {
        let law = Law::of::<Gravity>().unwrap();
        assert!(law.uniform(&["q"]).unwrap_err().to_string().contains("x, m"));
    }
}
