//! Lowering: a graph becomes a straight-line program with fused multiply-adds.
//!
//! A product that only sums use is not computed by itself: its last multiplication is fused into each of them, which
//! costs nothing where computing it once and adding it n times costs one more. A sum of products is a chain of fused
//! multiply-adds that starts from its one other term, if it has one: `(dx dx + dy dy) + (dz dz + eps2)` is three
//! operations. Sums with two or more terms that are not products keep their brackets, because regrouping differences
//! loses digits. Nothing is fused across classes: what one body alone determines stays outside the loop over pairs.

use super::program::{Arg, Class, Fold, Op, Program, Scale, Value};
use super::share::{Unit, Units, share};
use super::{Edge, Factor, Function, Graph, Node, Rules};
use crate::law::Cell;
use std::collections::HashMap;

/// A contribution to a result, in a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Output {
    pub(crate) side: usize,
    pub(crate) slot: usize,
    pub(crate) cell: Cell,
    pub(crate) value: Edge,
    pub(crate) label: Option<Edge>,
}

/// A term of a sum.
#[derive(Clone, Copy)]
enum Leaf {
    /// A product whose last multiplication the sum takes over.
    Open(Edge),
    Plain(Edge),
}

impl Leaf {
    fn flip_if(self, flip: bool) -> Self {
        match self {
            Leaf::Open(e) => Leaf::Open(e.flip_if(flip)),
            Leaf::Plain(e) => Leaf::Plain(e.flip_if(flip)),
        }
    }
}

struct Lower<'a> {
    graph: &'a Graph,
    class: Vec<Class>,
    /// How often a node is used, and how often as a term of a sum.
    uses: Vec<[u32; 2]>,
    units: Units,
    /// The units of each product.
    lists: HashMap<usize, Vec<usize>>,
    /// The terms of sums that wait for the one sum that uses them.
    waiting: HashMap<usize, Vec<Leaf>>,
    /// Where the value of a node, a unit or a constant is.
    node_at: Vec<Option<usize>>,
    unit_at: HashMap<usize, usize>,
    const_at: HashMap<u64, usize>,
    program: Program,
}

/// A factor that was left out of a sum, in a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LeftOut {
    pub(crate) side: usize,
    pub(crate) slot: usize,
    pub(crate) factor: Edge,
}

/// The program that computes the outputs.
pub(crate) fn lower(graph: &Graph, outputs: &[Output], scales: &[LeftOut]) -> Program {
    let roots = outputs.iter().flat_map(|o| [Some(o.value), o.label]).flatten();
    let live = graph.live(roots.chain(scales.iter().map(|s| s.factor)));
    let mut lower = Lower {
        graph,
        class: classes(graph),
        uses: uses(graph, &live, outputs, scales),
        units: Units::default(),
        lists: HashMap::new(),
        waiting: HashMap::new(),
        node_at: vec![None; graph.nodes().len()],
        unit_at: HashMap::new(),
        const_at: HashMap::new(),
        program: Program::default(),
    };
    lower.bracket_products(&live);
    for k in (0..live.len()).filter(|k| live[*k]) {
        lower.node(k);
    }
    outputs.iter().for_each(|o| lower.output(o));
    for LeftOut { side, slot, factor } in scales {
        let factor = lower.value(*factor);
        lower.program.scales.push(Scale { side: *side, slot: *slot, factor });
    }
    lower.program
}

pub(crate) fn classes(graph: &Graph) -> Vec<Class> {
    let mut class: Vec<Class> = Vec::with_capacity(graph.nodes().len());
    for node in graph.nodes() {
        let mut c = if let Node::Input { role, .. } = node { Class::from(*role) } else { Class::PAR };
        node.operands(|e| c = c.with(class[e.node()]));
        class.push(c);
    }
    class
}

fn uses(graph: &Graph, live: &[bool], outputs: &[Output], scales: &[LeftOut]) -> Vec<[u32; 2]> {
    let mut uses = vec![[0, 0]; live.len()];
    for (node, _) in graph.nodes().iter().zip(live).filter(|(_, live)| **live) {
        let sum = matches!(node, Node::Add(..));
        node.operands(|e| {
            uses[e.node()][0] += 1;
            uses[e.node()][1] += u32::from(sum);
        });
    }
    for output in outputs {
        uses[output.value.node()][0] += 1;
        uses[output.value.node()][1] += u32::from(output.cell == Cell::Sum);
        if let Some(label) = output.label {
            uses[label.node()][0] += 1;
        }
    }
    scales.iter().for_each(|s| uses[s.factor.node()][0] += 1);
    uses
}

impl Lower<'_> {
    /// Decides which factors of each product are multiplied first.
    fn bracket_products(&mut self, live: &[bool]) {
        let nodes = || self.graph.nodes().iter().enumerate().filter(|(k, _)| live[*k]);
        // powers of rsqrt(x) are all even: 1/x itself is cheaper
        let odd_root: std::collections::HashSet<Edge> = nodes()
            .flat_map(|(_, node)| if let Node::Product { factors, .. } = node { &factors[..] } else { &[] })
            .filter(|f| f.root && f.power < 0 && f.power % 2 != 0)
            .map(|f| f.base)
            .collect();
        let products: Vec<(usize, Node)> = nodes()
            .filter(|(_, node)| matches!(node, Node::Product { .. } | Node::Mul(..)))
            .map(|(k, node)| (k, node.clone()))
            .collect();
        let mut lists = Vec::with_capacity(products.len());
        for (_, node) in &products {
            let mut list = Vec::new();
            match node {
                Node::Product { coefficient, factors } => {
                    if f64::from_bits(*coefficient) != 1.0 {
                        list.push(self.units.put(Unit::Const(*coefficient), Class::PAR));
                    }
                    factors.iter().for_each(|f| self.spell_out(*f, odd_root.contains(&f.base), &mut list));
                }
                Node::Mul(a, b) => {
                    for e in [a, b] {
                        list.push(self.units.put(Unit::Node(*e), self.class[e.node()]));
                    }
                }
                _ => {}
            }
            lists.push(list);
        }
        if self.graph.rules() != Rules::AsWritten {
            share(&mut lists, &mut self.units);
        }
        self.lists = products.into_iter().map(|(k, _)| k).zip(lists).collect();
    }

    /// A power as a list of units.
    fn spell_out(&mut self, f: Factor, odd_root: bool, list: &mut Vec<usize>) {
        let times = f.power.unsigned_abs() as usize;
        let (unit, times) = match (f.root, f.power > 0) {
            (false, true) => (Unit::Node(f.base), times),
            (false, false) => (Unit::Recip(f.base), times),
            (true, true) => (Unit::Sqrt(f.base), times),
            (true, false) if odd_root => (Unit::Rsqrt(f.base), times),
            (true, false) => (Unit::Recip(f.base), times / 2),
        };
        let unit = self.units.put(unit, self.class[f.base.node()]);
        list.extend(std::iter::repeat_n(unit, times));
    }

    fn push(&mut self, op: Op, args: Vec<Arg>) -> usize {
        let class = match op {
            Op::Input(role, _) => Class::from(role),
            _ => args.iter().fold(Class::PAR, |c, a| c.with(self.program.values[a.value].class)),
        };
        self.program.values.push(Value { op, args, class });
        self.program.values.len() - 1
    }

    fn constant(&mut self, bits: u64) -> usize {
        match self.const_at.get(&bits) {
            Some(k) => *k,
            None => {
                let k = self.push(Op::Const(f64::from_bits(bits)), Vec::new());
                self.const_at.insert(bits, k);
                k
            }
        }
    }

    /// Computes node `k`, unless it waits for what uses it.
    fn node(&mut self, k: usize) {
        match &self.graph.nodes()[k] {
            Node::Product { .. } | Node::Mul(..) if self.is_open(k) => {}
            Node::Add(a, b) => {
                let (a, b, class) = (*a, *b, self.class[k]);
                let terms = self.terms(a, b, class);
                self.waiting.insert(k, terms);
                if self.uses[k] != [1, 1] {
                    self.value(Edge::new(k));
                }
            }
            _ => {
                self.value(Edge::new(k));
            }
        }
    }

    /// A product that only sums use, and that nothing has computed yet.
    fn is_open(&self, k: usize) -> bool {
        let long = self.lists.get(&k).is_some_and(|list| list.len() > 1);
        long && self.uses[k][0] == self.uses[k][1] && self.node_at[k].is_none()
    }

    /// A term of a sum of the given class, as the terms of which it consists itself.
    fn leaves(&self, e: Edge, class: Class) -> Vec<Leaf> {
        let k = e.node();
        if self.class[k] != class || self.node_at[k].is_some() {
            return vec![Leaf::Plain(e)];
        }
        match self.waiting.get(&k) {
            Some(terms) => terms.iter().map(|t| t.flip_if(e.negative())).collect(),
            None if self.is_open(k) => vec![Leaf::Open(e)],
            None => vec![Leaf::Plain(e)],
        }
    }

    fn terms(&mut self, a: Edge, b: Edge, class: Class) -> Vec<Leaf> {
        let mut terms = self.leaves(a, class);
        terms.append(&mut self.leaves(b, class));
        if terms.iter().filter(|t| matches!(t, Leaf::Plain(_))).count() <= 1 {
            return terms;
        }
        vec![Leaf::Plain(a), Leaf::Plain(b)]
    }

    /// The value of an edge, computed now if it is not yet.
    fn value(&mut self, e: Edge) -> Arg {
        let k = e.node();
        let value = match self.node_at[k] {
            Some(value) => value,
            None => {
                let value = self.compute(k);
                self.node_at[k] = Some(value);
                value
            }
        };
        Arg { value, negative: e.negative() }
    }

    fn values<const N: usize>(&mut self, edges: [Edge; N]) -> Vec<Arg> {
        edges.into_iter().map(|e| self.value(e)).collect()
    }

    fn compute(&mut self, k: usize) -> usize {
        let (op, args) = match self.graph.nodes()[k].clone() {
            Node::Input { role, slot } => (Op::Input(role, usize::from(slot)), Vec::new()),
            Node::Const(bits) => return self.constant(bits),
            Node::True => (Op::True, Vec::new()),
            Node::Add(..) => {
                let terms = self.waiting.remove(&k).unwrap_or_default();
                return self.sum(&terms);
            }
            Node::Product { .. } | Node::Mul(..) => {
                let list = self.lists[&k].clone();
                let Some((last, first)) = list.split_last() else { return self.constant(1f64.to_bits()) };
                if first.is_empty() {
                    return self.unit(*last);
                }
                let args = self.open(k);
                (Op::Mul, args.to_vec())
            }
            Node::Div(a, b) => (Op::Div, self.values([a, b])),
            Node::Call(f, x) => (Op::Call(f), self.values([x])),
            Node::Min(a, b) => (Op::Min, self.values([a, b])),
            Node::Less(a, b) => (Op::Less, self.values([a, b])),
            Node::LessEqual(a, b) => (Op::LessEqual, self.values([a, b])),
            Node::Equal(a, b) => (Op::Equal, self.values([a, b])),
            Node::And(a, b) => (Op::And, self.values([a, b])),
            Node::Select { mask, yes, no } => (Op::Select, self.values([mask, yes, no])),
            node @ (Node::Seed { .. } | Node::Contribution { .. } | Node::Second(_)) => {
                unreachable!("{node:?} is not in a recorded law")
            }
        };
        self.push(op, args)
    }

    /// A product but for its last multiplication, whose operands are returned.
    fn open(&mut self, k: usize) -> [Arg; 2] {
        let list = self.lists[&k].clone();
        let mut product = self.unit_arg(list[0]);
        for unit in &list[1..list.len() - 1] {
            let args = vec![product, self.unit_arg(*unit)];
            product = Arg { value: self.push(Op::Mul, args), negative: false };
        }
        [product, self.unit_arg(list[list.len() - 1])]
    }

    fn unit_arg(&mut self, unit: usize) -> Arg {
        Arg { value: self.unit(unit), negative: false }
    }

    fn unit(&mut self, unit: usize) -> usize {
        debug_assert!(unit < self.units.len());
        if let Some(k) = self.unit_at.get(&unit) {
            return *k;
        }
        let k = match self.units.at(unit) {
            Unit::Node(e) => self.value(e).value,
            Unit::Const(bits) => self.constant(bits),
            Unit::Sqrt(e) => self.call(Function::Sqrt, e),
            Unit::Rsqrt(e) => self.call(Function::Rsqrt, e),
            Unit::Recip(e) => self.call(Function::Recip, e),
            Unit::Pair(a, b) => {
                let args = vec![self.unit_arg(a), self.unit_arg(b)];
                self.push(Op::Mul, args)
            }
        };
        self.unit_at.insert(unit, k);
        k
    }

    fn call(&mut self, f: Function, x: Edge) -> usize {
        let args = self.values([x]);
        self.push(Op::Call(f), args)
    }

    /// A chain of fused multiply-adds from the plain term, or from the first product.
    fn sum(&mut self, terms: &[Leaf]) -> usize {
        let start = terms.iter().position(|t| matches!(t, Leaf::Plain(_))).unwrap_or(0);
        let (Leaf::Plain(first) | Leaf::Open(first)) = terms[start];
        let mut sum = self.value(first);
        for (_, term) in terms.iter().enumerate().filter(|(k, _)| *k != start) {
            let value = match *term {
                Leaf::Open(e) if self.is_open(e.node()) => {
                    let [mut x, y] = self.open(e.node());
                    x.negative ^= e.negative();
                    self.push(Op::Fma, vec![x, y, sum])
                }
                Leaf::Open(e) | Leaf::Plain(e) => {
                    let term = self.value(e);
                    let args = if sum.negative { vec![term, sum] } else { vec![sum, term] };
                    self.push(Op::Add, args)
                }
            };
            sum = Arg { value, negative: false };
        }
        sum.value
    }

    fn output(&mut self, output: &Output) {
        let Output { side, slot, cell, value, label } = *output;
        if cell == Cell::Sum {
            if self.graph.constant(value) == Some(0.0) {
                return;
            }
            let leaves = self.leaves(value, Class::PAIR);
            // products go into the accumulator one by one; with any other term in it, the sum is made first
            if leaves.iter().all(|leaf| matches!(leaf, Leaf::Open(e) if self.is_open(e.node()))) {
                for leaf in leaves {
                    let (Leaf::Open(e) | Leaf::Plain(e)) = leaf;
                    let [mut x, y] = self.open(e.node());
                    x.negative ^= e.negative();
                    self.program.folds.push(Fold { side, slot, cell, args: vec![x, y] });
                }
                return;
            }
        }
        let mut args = vec![self.value(value)];
        args.extend(label.map(|label| self.value(label)));
        self.program.folds.push(Fold { side, slot, cell, args });
    }
}
