//! Radial laws, found in the graph: sums of charges times a function of the distance and powers of the differences of places,
//! which expansions can compute.
//!
//! A law is radial if each of its results is a sum of products
//!
//! ```text
//! sum_j T(i) q(j) dx^a dy^b dz^c f(r^2),          (dx, dy, dz) = x_i - x_j,    a + b + c <= 4
//! ```
//!
//! with factors T of the body acted on, charges q of the body that acts, and functions f that are smooth for r > 0; or a sum
//! of T(i) q(j) f(dx, dy, dz) where the function depends on the direction, too. Each number of the graph is written as a sum of
//! such products, from the inputs up: sums are put together, products are multiplied out, and any other function needs a number
//! that depends on the separation alone. Places are the numbers whose differences are squared or in functions. What does not fit
//! is refused with the reason.

use super::graph::lower::{Output, classes, lower};
use super::graph::program::{Class, Program};
use super::graph::replay::Replay;
use super::graph::trace::{Recording, Trace};
use super::graph::{Edge, Function, Graph, Node, Role, Rules};
use super::{Cell, Field, Law, intervals};
use crate::error::Capability;
use crate::{Error, Result};
use std::collections::BTreeMap;

/// A law as a sum of charges times functions of the distance.
#[derive(Clone, Debug)]
pub struct Radial {
    /// The places: of each axis, the number of i and the number of j whose difference it is; three at most.
    pub axes: Vec<[usize; 2]>,
    /// The charges: folds of a program that reads the numbers of j and the parameters.
    pub charges: Program,
    /// The factors of the bodies acted on, of their numbers and the parameters.
    pub factors: Program,
    /// The functions of r^2, which is number 0 of i, and the parameters.
    pub functions: Program,
    /// The functions of the differences of places, i less j, which are the numbers of i, and the parameters.
    pub directional: Program,
    /// The products whose sums over j are the results.
    pub terms: Vec<Term>,
}

/// A product whose sum over j is a part of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The number of the result record.
    pub result: usize,
    /// The factor of the body acted on.
    pub factor: usize,
    /// The charge of the body that acts.
    pub charge: usize,
    /// The function.
    pub function: FunctionOf,
    /// The powers of the differences of places, i less j, that it is multiplied by: of each axis, [`Term::HIGHEST`] in all at
    /// most. 0 for functions of the direction.
    pub powers: [u8; 3],
}

/// A function of the separation of two bodies, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionOf {
    /// Of the distance alone.
    Distance(usize),
    /// Of the direction, too.
    Direction(usize),
}

impl Term {
    /// The highest power of differences of places: four are the interaction of two quadrupoles.
    pub const HIGHEST: u8 = 4;

    /// The sum of the powers.
    pub fn degree(&self) -> usize {
        self.powers.iter().map(|power| usize::from(*power)).sum()
    }
}

impl Radial {
    /// The law as such a sum.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the reason for any other law.
    pub fn of(law: &Law) -> Result<Self> {
        Finder::new(law).and_then(Finder::find).map_err(|why| {
            let other = match intervals::why_not(law) {
                None => "the solver tree leaves out pairs that contribute nothing; ",
                Some(_) => "",
            };
            let expected = format!("{why}; {other}without --solver, {} is evaluated for all pairs", law.title());
            Error::Unsupported { capability: Capability::Solver, value: "fmm".into(), expected }
        })
    }

    /// How many charges there are.
    #[cfg(test)]
    pub(super) fn charge_count(&self) -> usize {
        self.charges.folds.len()
    }

    /// How many factors there are.
    #[cfg(test)]
    pub(super) fn factor_count(&self) -> usize {
        self.factors.folds.len()
    }

    /// How many functions there are.
    #[cfg(test)]
    pub(super) fn function_count(&self) -> usize {
        self.functions.folds.len() + self.directional.folds.len()
    }
}

/// A factor of i, a factor of j, powers of the differences of places, and a function of the separation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Product {
    i: Edge,
    j: Edge,
    powers: [u8; 3],
    radial: Edge,
}

type Sum = Vec<Product>;
/// A sum of products, or why a number is not such a sum.
type Found = std::result::Result<Sum, String>;

/// More products than this are not multiplied out.
const MAX_PRODUCTS: usize = 256;

struct Finder<'a> {
    law: &'a Law,
    live: Vec<bool>,
    class: Vec<Class>,
    axes: Vec<[usize; 2]>,
    /// Of each number, whether the place of a body is in it other than as a difference.
    absolute: Vec<bool>,
    recording: Recording,
    one: Edge,
    /// r^2.
    square: Edge,
    /// The differences of places, i less j.
    separation: [Edge; 3],
    /// Numbers that do not depend on the pair, in the new graph.
    plain: Replay<Trace>,
    found: Vec<Option<Found>>,
}

/// The pair of numbers of i and j that a node is the difference of, and whether it is j less i.
fn difference(graph: &Graph, node: &Node) -> Option<([usize; 2], bool)> {
    let Node::Add(a, b) = node else { return None };
    if a.negative() == b.negative() {
        return None;
    }
    let of = |e: Edge| match graph.at(e) {
        Node::Input { role, slot } => Some((*role, usize::from(*slot))),
        _ => None,
    };
    match (of(*a)?, of(*b)?) {
        ((Role::I, i), (Role::J, j)) => Some(([i, j], a.negative())),
        ((Role::J, j), (Role::I, i)) => Some(([i, j], b.negative())),
        _ => None,
    }
}

/// The differences on which a number depends other than linearly: they are in a function, in a denominator, or multiplied by a number
/// that depends on them, too.
fn curved(graph: &Graph, live: &[bool]) -> Vec<[usize; 2]> {
    let (mut all, mut found) = (Vec::new(), Vec::new());
    let mut depends: Vec<Vec<[usize; 2]>> = Vec::with_capacity(live.len());
    for node in graph.nodes() {
        if let Some((pair, _)) = difference(graph, node) {
            depends.push(vec![pair]);
            continue;
        }
        all.clear();
        node.operands(|e| all.extend(depends[e.node()].iter().copied()));
        let number = depends.len();
        let bends: Vec<[usize; 2]> = match node {
            Node::Mul(a, b) => {
                let of = &depends[b.node()];
                depends[a.node()].iter().copied().filter(|pair| of.contains(pair)).collect()
            }
            Node::Div(_, b) => depends[b.node()].clone(),
            Node::Call(..) => all.clone(),
            _ => Vec::new(),
        };
        if live[number] {
            found.extend(bends);
        }
        all.sort_unstable();
        all.dedup();
        depends.push(all.clone());
    }
    found.sort_unstable();
    found.dedup();
    found
}

impl<'a> Finder<'a> {
    fn new(law: &'a Law) -> std::result::Result<Self, String> {
        if let Some(field) = law.results().iter().find(|field| field.cell != Cell::Sum) {
            let kind = field.cell.name();
            return Err(format!("result {} is a {kind}: expansions compute sums", field.name));
        }
        let graph = &law.graph;
        let live = graph.live(law.contributions.iter().map(|o| o.value));
        let mut axes = curved(graph, &live);
        axes.sort_unstable();
        if axes.is_empty() {
            let why = "no difference of places is squared or in a function: the law must depend on a distance";
            return Err(why.into());
        }
        if axes.len() > 3 {
            return Err(format!(
                "{} differences are squared or in functions: a distance must have three axes at most",
                axes.len()
            ));
        }
        let class = classes(graph);
        let mut absolute = vec![false; graph.nodes().len()];
        for (k, node) in graph.nodes().iter().enumerate() {
            absolute[k] = match node {
                Node::Input { role: Role::I, slot } => axes.iter().any(|axis| axis[0] == usize::from(*slot)),
                Node::Input { role: Role::J, slot } => axes.iter().any(|axis| axis[1] == usize::from(*slot)),
                _ => {
                    let mut any = false;
                    node.operands(|e| any |= absolute[e.node()]);
                    any && !difference(graph, node).is_some_and(|(pair, _)| axes.contains(&pair))
                }
            };
        }
        let recording = Recording::start(Graph::rewritten(Rules::AsWritten));
        let first = law.par.iter().map(Field::numbers).sum();
        let (one, square) = recording.edit(|g| (g.lit(1.0), g.input(Role::Par, first)));
        let separation = std::array::from_fn(|axis| recording.edit(|g| g.input(Role::Par, first + 1 + axis)));
        let plain = (0..live.len()).filter(|k| live[*k] && class[*k] != Class::PAIR).map(Edge::new);
        let input = |role, slot| Trace(recording.edit(|g| g.input(role, slot)));
        let plain = Replay::new(graph, plain, Trace(one), input);
        let found = vec![None; live.len()];
        Ok(Finder { law, live, class, axes, absolute, recording, one, square, separation, plain, found })
    }

    fn find(mut self) -> std::result::Result<Radial, String> {
        for k in 0..self.live.len() {
            let node = &self.law.graph.nodes()[k];
            if self.live[k] && !node.is_mask() {
                self.found[k] = Some(self.node(k, node));
            }
        }
        let names = self.law.result_columns();
        let mut sums: BTreeMap<(usize, Edge, [u8; 3], Edge), Edge> = BTreeMap::new();
        for contribution in &self.law.contributions {
            let name = &names[contribution.slot];
            let said = |why: String| format!("result {name}: {why}");
            for product in self.merged(self.of(contribution.value).map_err(said)?, 0) {
                let product = if self.is_directional(product.radial) { self.in_one_function(product) } else { product };
                // charges that meet the same function are one
                let place = sums.entry((contribution.slot, product.i, product.powers, product.radial));
                let recording = &self.recording;
                place.and_modify(|j| *j = recording.edit(|g| g.add(*j, product.j))).or_insert(product.j);
            }
        }
        Ok(self.made(&sums))
    }

    /// The programs, from the products.
    fn made(self, sums: &BTreeMap<(usize, Edge, [u8; 3], Edge), Edge>) -> Radial {
        let (mut factors, mut charges, mut functions, mut directional) = Default::default();
        let place = |list: &mut Vec<Edge>, edge: Edge| -> usize {
            list.iter().position(|e| *e == edge).unwrap_or_else(|| {
                list.push(edge);
                list.len() - 1
            })
        };
        let terms = sums.iter().map(|((result, i, powers, radial), j)| Term {
            result: *result,
            factor: place(&mut factors, *i),
            charge: place(&mut charges, *j),
            function: match self.is_directional(*radial) {
                false => FunctionOf::Distance(place(&mut functions, *radial)),
                true => FunctionOf::Direction(place(&mut directional, *radial)),
            },
            powers: *powers,
        });
        let terms = terms.collect();
        let (axes, last) = (self.axes, self.law.par.iter().map(Field::numbers).sum::<usize>());
        let graph = self.recording.finish();
        let of_distance = |g: &mut Graph, slot: usize| (slot == last).then(|| g.input(Role::I, 0));
        let of_direction = |g: &mut Graph, slot: usize| {
            let axis = |g: &mut Graph, axis: usize| g.input(Role::I, axis);
            if slot != last {
                return slot.checked_sub(last + 1).map(|k| axis(g, k));
            }
            let squares = (0..axes.len()).map(|k| {
                let d = axis(g, k);
                g.mul(d, d)
            });
            let squares: Vec<Edge> = squares.collect();
            squares.into_iter().reduce(|sum, square| g.add(sum, square))
        };
        let [factors, charges, functions] =
            [factors, charges, functions].map(|edges: Vec<Edge>| programmed(&graph, &edges, of_distance));
        let directional = programmed(&graph, &directional, of_direction);
        Radial { axes, charges, factors, functions, directional, terms }
    }

    /// Whether a function depends on the direction.
    fn is_directional(&self, function: Edge) -> bool {
        let first = self.law.par.iter().map(Field::numbers).sum::<usize>();
        let is_axis = |node: &Node| matches!(node, Node::Input { role: Role::Par, slot } if usize::from(*slot) > first);
        self.recording.edit(|g| {
            let live = g.live([function]);
            g.nodes().iter().zip(live).any(|(node, live)| live && is_axis(node))
        })
    }

    /// A product with the powers of the differences in its function.
    fn in_one_function(&self, product: Product) -> Product {
        let mut radial = product.radial;
        for (d, power) in self.separation.into_iter().zip(product.powers) {
            for _ in 0..power {
                radial = self.recording.edit(|g| g.mul(radial, d));
            }
        }
        Product { radial, powers: [0; 3], ..product }
    }

    /// What a number is, if it is a sum of products.
    fn of(&self, e: Edge) -> Found {
        let sum = self.found[e.node()].clone().unwrap_or_else(|| Err("it is a truth value".into()))?;
        Ok(if e.negative() { self.negated(sum) } else { sum })
    }

    fn negated(&self, mut sum: Sum) -> Sum {
        sum.iter_mut().for_each(|product| product.radial = self.recording.edit(|g| g.neg(product.radial)));
        sum
    }

    fn node(&self, k: usize, node: &Node) -> Found {
        let graph = &self.law.graph;
        if let Some((pair, reversed)) = difference(graph, node)
            && let Some(axis) = self.axes.iter().position(|axis| *axis == pair)
        {
            let mut powers = [0; 3];
            powers[axis] = 1;
            let sum = vec![Product { powers, ..self.constant() }];
            return Ok(if reversed { self.negated(sum) } else { sum });
        }
        if self.class[k] != Class::PAIR {
            return self.plain(k);
        }
        match *node {
            Node::Add(a, b) => Ok(self.together([self.of(a)?, self.of(b)?].concat())),
            Node::Mul(a, b) => self.times(&self.of(a)?, &self.of(b)?),
            Node::Div(a, b) => self.times(&self.of(a)?, &self.inverse(&self.of(b)?)?),
            Node::Call(Function::Recip, x) => self.inverse(&self.of(x)?),
            Node::Call(Function::Abs | Function::Round, _) | Node::Min(..) => {
                let name = match node {
                    Node::Call(Function::Abs, _) => "abs",
                    Node::Call(..) => "round",
                    _ => "min or max",
                };
                Err(format!("{name} of what depends on both bodies is not smooth at some distance"))
            }
            Node::Call(f, x) => {
                let inner = self.separation_alone(&self.of(x)?, &format!("{f:?}").to_lowercase())?;
                let radial = self.recording.edit(|g| g.call(f, inner));
                Ok(vec![Product { radial, ..self.constant() }])
            }
            Node::Select { mask, yes, no } => match self.where_apart(mask)? {
                true => self.of(yes),
                false => self.of(no),
            },
            _ => Err(format!("{node:?} is not computed by expansions")),
        }
    }

    /// 1.
    fn constant(&self) -> Product {
        Product { i: self.one, j: self.one, powers: [0; 3], radial: self.one }
    }

    /// A number of one body, or of the parameters.
    fn plain(&self, k: usize) -> Found {
        if self.absolute[k] {
            return Err("the place of a body is used by itself: places must be used as differences only".into());
        }
        if self.law.graph.nodes()[k].is_mask() {
            return Err("it is a truth value".into());
        }
        let copy = self.plain.number(Edge::new(k)).0;
        let one = self.constant();
        Ok(vec![match self.class[k] {
            Class::I => Product { i: copy, ..one },
            Class::J => Product { j: copy, ..one },
            _ => Product { radial: copy, ..one },
        }])
    }

    /// Puts products together: squares of all differences become r^2, and functions of the same factors are added.
    fn together(&self, mut sum: Sum) -> Sum {
        while let Some((places, whole)) = (0..sum.len()).find_map(|k| self.whole_square(&sum, k)) {
            let radial = self.recording.edit(|g| g.mul(whole.radial, self.square));
            let mut kept = 0..;
            sum.retain(|_| kept.next().is_some_and(|k| !places.contains(&k)));
            sum.push(Product { radial, ..whole });
        }
        // the squares of differences wait for those of the other axes
        self.merged(sum, 2)
    }

    /// Adds the functions of products with the same factors and powers; of powers of a degree from `waiting` on, if that is not
    /// 0, they are left.
    fn merged(&self, sum: Sum, waiting: u8) -> Sum {
        let mut merged: Sum = Vec::new();
        for product in sum {
            let waits = waiting > 0 && product.powers.iter().sum::<u8>() >= waiting;
            let same = |other: &&mut Product| {
                !waits && (other.i, other.j, other.powers) == (product.i, product.j, product.powers)
            };
            match merged.iter_mut().find(same) {
                Some(other) => other.radial = self.recording.edit(|g| g.add(other.radial, product.radial)),
                None => merged.push(product),
            }
        }
        merged
    }

    /// The places of the squares of all differences times the same, the first of which is at `k`, and what they are times.
    fn whole_square(&self, sum: &[Product], k: usize) -> Option<(Vec<usize>, Product)> {
        let mut whole = sum[k];
        whole.powers[0] = whole.powers[0].checked_sub(2)?;
        let place = |axis: usize| {
            let mut square = whole;
            square.powers[axis] += 2;
            sum.iter().position(|other| *other == square)
        };
        let places: Vec<usize> = (0..self.axes.len()).map(place).collect::<Option<_>>()?;
        (places[0] == k).then_some((places, whole))
    }

    fn times(&self, a: &[Product], b: &[Product]) -> Found {
        if a.len() * b.len() > MAX_PRODUCTS {
            return Err(format!("multiplied out it has more than {MAX_PRODUCTS} products"));
        }
        let mut sum = Vec::new();
        for (p, q) in a.iter().flat_map(|p| b.iter().map(move |q| (p, q))) {
            let powers: [u8; 3] = std::array::from_fn(|axis| p.powers[axis] + q.powers[axis]);
            if powers.iter().sum::<u8>() > Term::HIGHEST {
                return Err("it has a product of more than four differences of places".into());
            }
            let multiplied = |g: &mut Graph| Product {
                i: g.mul(p.i, q.i),
                j: g.mul(p.j, q.j),
                powers,
                radial: g.mul(p.radial, q.radial),
            };
            sum.push(self.recording.edit(multiplied));
        }
        Ok(self.together(sum))
    }

    /// 1 over a sum.
    fn inverse(&self, sum: &[Product]) -> Found {
        match sum {
            [] => Ok(Vec::new()),
            [product] => {
                let Product { i, j, radial, .. } = self.in_one_function(*product);
                let inverted = self.recording.edit(|g| [i, j, radial].map(|x| g.call(Function::Recip, x)));
                let [i, j, radial] = inverted;
                Ok(vec![Product { i, j, radial, powers: [0; 3] }])
            }
            _ => {
                let inner = self.separation_alone(sum, "1 / x")?;
                let radial = self.recording.edit(|g| g.call(Function::Recip, inner));
                Ok(vec![Product { radial, ..self.constant() }])
            }
        }
    }

    /// The function of the separation that a sum is, if nothing else is in it.
    fn separation_alone(&self, sum: &[Product], of: &str) -> std::result::Result<Edge, String> {
        let whole = sum.iter().map(|product| self.in_one_function(*product));
        let acted = sum.iter().any(|product| product.i != self.one);
        let acting = sum.iter().any(|product| product.j != self.one);
        let whose = match (acted, acting) {
            (false, false) => {
                let functions = whole.map(|product| product.radial);
                let sum = functions.reduce(|sum, x| self.recording.edit(|g| g.add(sum, x)));
                return Ok(sum.unwrap_or_else(|| self.recording.edit(|g| g.lit(0.0))));
            }
            (true, true) => "of both bodies",
            (true, false) => "of the body acted on",
            (false, true) => "of the body that acts",
        };
        Err(format!("{of} of the distance and numbers {whose}: charges and factors must enter as factors"))
    }

    /// Whether a condition holds wherever two bodies are apart; of other conditions, why there is no answer.
    fn where_apart(&self, mask: Edge) -> std::result::Result<bool, String> {
        let graph = &self.law.graph;
        let zero = |e: Edge| graph.constant(e) == Some(0.0);
        let distance = |e: Edge| {
            let root = match graph.at(e) {
                Node::Call(Function::Sqrt, x) if !e.negative() => *x,
                _ => e,
            };
            let is_square =
                |sum: Sum| matches!(&sum[..], [p] if *p == Product { radial: self.square, ..self.constant() });
            self.found[root.node()].is_some() && self.of(root).is_ok_and(is_square)
        };
        let holds = match *graph.at(mask) {
            Node::Less(a, b) if zero(a) && distance(b) => true,
            Node::LessEqual(a, b) if distance(a) && zero(b) => false,
            Node::Equal(a, b) if zero(a) && distance(b) || distance(a) && zero(b) => false,
            _ => {
                return Err(
                    "it has a condition on both bodies: at its border the law is not smooth. Only a distance of 0 \
                            may be excluded"
                        .into(),
                );
            }
        };
        Ok(holds != mask.negative())
    }
}

/// A program of these numbers, in which `of` says what stands for a parameter.
fn programmed(graph: &Graph, edges: &[Edge], of: impl Fn(&mut Graph, usize) -> Option<Edge>) -> Program {
    let recording = Recording::start(Graph::rewritten(Rules::AsWritten));
    let like = Trace(recording.edit(|g| g.lit(0.0)));
    let replay = Replay::new(graph, edges.iter().copied(), like, |role, slot| {
        let replaced = |g: &mut Graph| if role == Role::Par { of(g, slot) } else { None };
        Trace(recording.edit(|g| replaced(g).unwrap_or_else(|| g.input(role, slot))))
    });
    let outputs = edges.iter().enumerate().map(|(slot, edge)| Output {
        side: 0,
        slot,
        cell: Cell::Sum,
        value: replay.number(*edge).0,
        label: None,
    });
    let outputs: Vec<Output> = outputs.collect();
    lower(&recording.finish(), &outputs, &[])
}

#[cfg(test)]
#[path = "radial_tests.rs"]
mod tests;
