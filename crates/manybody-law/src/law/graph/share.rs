//! How products are bracketed so that most is shared.
//!
//! Every product of a law is a list of units (a node, a root or reciprocal of one, a constant). Two steps, greedily:
//! units that do not depend on the pair are joined first, since their product is computed once a body (`3 * m_j`);
//! then the two units that most products have in common get a name, again and again. Gravity's six components,
//! `m * y * y * y * d`, are left with `y3 = y * y * y` shared by both bodies and `m * y3` by the three components.

use super::Edge;
use super::program::Class;
use std::collections::{BTreeMap, HashMap};

/// What products are made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Unit {
    Node(Edge),
    /// The bits of a constant.
    Const(u64),
    Sqrt(Edge),
    Rsqrt(Edge),
    Recip(Edge),
    /// The product of two others.
    Pair(usize, usize),
}

/// The units met so far, each with what it depends on.
#[derive(Default)]
pub(super) struct Units {
    list: Vec<(Unit, Class)>,
    index: HashMap<Unit, usize>,
}

impl Units {
    pub(super) fn put(&mut self, unit: Unit, class: Class) -> usize {
        *self.index.entry(unit).or_insert_with(|| {
            self.list.push((unit, class));
            self.list.len() - 1
        })
    }
    pub(super) fn at(&self, k: usize) -> Unit {
        self.list[k].0
    }
    pub(super) fn class(&self, k: usize) -> Class {
        self.list[k].1
    }
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
}

/// The most work for the search below: pairs of factors in products, times factors. Gravity's is 1e4; a second of it is
/// beyond what a law for people has.
const MAX_WORK: usize = 20_000_000;

fn key(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

/// Replaces pairs of units by names until nothing is shared and nothing more can be computed once a body.
pub(super) fn share(products: &mut [Vec<usize>], units: &mut Units) {
    let factors: usize = products.iter().map(Vec::len).sum();
    let pairs: usize = products.iter().map(|p| p.len().saturating_mul(p.len())).fold(0, usize::saturating_add);
    if pairs.saturating_mul(factors) > MAX_WORK {
        return;
    }
    while let Some((a, b)) = best_pair(products, units) {
        let class = units.class(a).with(units.class(b));
        let name = units.put(Unit::Pair(a, b), class);
        for product in products.iter_mut() {
            while let Some(at) = places(product, a, b) {
                product.remove(at.1);
                product.remove(at.0);
                product.push(name);
            }
        }
    }
}

/// Where a product has both, the smaller place first.
fn places(product: &[usize], a: usize, b: usize) -> Option<(usize, usize)> {
    let x = product.iter().position(|u| *u == a)?;
    let y = (0..product.len()).find(|y| *y != x && product[*y] == b)?;
    Some(key(x, y))
}

fn best_pair(products: &[Vec<usize>], units: &Units) -> Option<(usize, usize)> {
    /// How often a pair occurs, and whether it could leave a longer product for a hoisted place.
    #[derive(Default)]
    struct Found {
        times: usize,
        in_longer: bool,
    }
    let mut found: BTreeMap<(usize, usize), Found> = BTreeMap::new();
    for product in products {
        let from = |x: usize| product[x + 1..].iter().map(move |b| key(product[x], *b));
        let mut pairs: Vec<(usize, usize)> = (0..product.len()).flat_map(from).collect();
        pairs.sort_unstable();
        pairs.dedup();
        for pair in pairs {
            let found = found.entry(pair).or_default();
            found.times += 1;
            found.in_longer |= product.len() > 2;
        }
    }
    let hoisted = |(a, b): (usize, usize)| units.class(a).with(units.class(b)) != Class::PAIR;
    found
        .into_iter()
        .filter(|(pair, found)| found.times > 1 || (hoisted(*pair) && found.in_longer))
        .max_by_key(|(pair, found)| (hoisted(*pair), found.times, std::cmp::Reverse(*pair)))
        .map(|(pair, _)| pair)
}
