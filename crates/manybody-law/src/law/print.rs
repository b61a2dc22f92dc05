//! A law in writing, from its graph: as a text that [`Law::parse`] reads again, and in LaTeX.
//!
//! What is used twice gets a name; vectors are written number by number. So a law in Rust can be read by those who do
//! not read Rust, and becomes a text for those who want to change it.

use super::graph::{Edge, Function, Graph, Node, Role};
use super::pair_inputs::numbers;
use super::{Cell, Field, Law, SelfPair, text};
use std::collections::HashMap;
use std::fmt::Write;

/// How tightly the outermost operation of a piece binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binds {
    Choice,
    Or,
    Sum,
    Product,
    Whole,
}

/// What nests deeper than this has a name, because the language has a limit: a node adds two brackets at most.
const DEEPEST: usize = 24;

/// The operands of a comparison: -a < -b is b < a, which ids can be in too.
fn without_signs(a: Edge, b: Edge) -> [Edge; 2] {
    if a.negative() && b.negative() { [b.unsigned(), a.unsigned()] } else { [a, b] }
}

/// A piece of text.
type Piece = (String, Binds);

struct Printer<'a> {
    law: &'a Law,
    latex: bool,
    /// The names of what is used more than once.
    names: HashMap<usize, String>,
}

impl Law {
    /// The law as a text that [`parse`](Law::parse) reads again. (A comparison of an id with a number, which Rust
    /// allows and the text does not, is written as it is.)
    pub fn to_text(&self) -> String {
        let mut text = format!("law {}\n", identifier(&self.name));
        let declare = |text: &mut String, word: &str, fields: &[Field]| {
            for field in fields {
                let word = if field.cell == Cell::Id { "id" } else { word };
                let width = if field.width == 1 { String::new() } else { format!("[{}]", field.width) };
                let columns = match self.columns(&field.name) {
                    Some([one]) => format!(" = {one}"),
                    Some(several) => format!(" = ({})", several.join(", ")),
                    None => String::new(),
                };
                let _ = writeln!(text, "{word} {}{width}{columns}", field.name);
            }
        };
        if self.one_kind {
            declare(&mut text, "body", &self.i);
        } else {
            let both = |f: &&Field| self.i.contains(f) && self.j.contains(f);
            let only = |fields: &[Field]| fields.iter().filter(|f| !both(f)).cloned().collect::<Vec<_>>();
            declare(&mut text, "body", &self.i.iter().filter(both).cloned().collect::<Vec<_>>());
            declare(&mut text, "target", &only(&self.i));
            declare(&mut text, "source", &only(&self.j));
        }
        let mut first = 0;
        for field in &self.par {
            let values: Vec<String> =
                self.defaults[first..first + field.width].iter().flatten().map(|x| format!("{x:?}")).collect();
            let value = match values.len() {
                0 => String::new(),
                1 => format!(" = {}", values[0]),
                _ => format!(" = ({})", values.join(", ")),
            };
            let width = if field.width == 1 { String::new() } else { format!("[{}]", field.width) };
            let _ = writeln!(text, "param {}{width}{value}", field.name);
            first += field.width;
        }
        self.write(&mut text, false);
        match self.self_pair {
            SelfPair::Excluded => text.push_str("self exclude\n"),
            SelfPair::Included => text.push_str("self include\n"),
            SelfPair::Custom => {}
        }
        if text.len() > text::SHORT {
            text.insert_str(0, text::WRITTEN_LONG);
        }
        text
    }

    /// The law's formulas in LaTeX: lines of an `aligned`, intermediate results first.
    pub fn to_latex(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, true);
        format!("\\begin{{aligned}}\n{text}\\end{{aligned}}\n")
    }

    /// Intermediate results, results, and what a body gives itself.
    fn write(&self, text: &mut String, latex: bool) {
        let roots: Vec<Edge> =
            self.contributions.iter().chain(&self.own).flat_map(|o| [Some(o.value), o.label]).flatten().collect();
        let live = self.graph.live(roots.iter().copied());
        let mut uses = vec![0; live.len()];
        let nodes = || self.graph.nodes().iter().enumerate().filter(|(k, _)| live[*k]);
        nodes().for_each(|(_, node)| node.operands(|e| uses[e.node()] += 1));
        roots.iter().for_each(|e| uses[e.node()] += 1);
        let mut printer = Printer { law: self, latex, names: HashMap::new() };
        let taken: Vec<&str> =
            [&self.i, &self.j, &self.par, &self.out].into_iter().flatten().map(|f| f.name.as_str()).collect();
        let mut count = 0;
        let mut depth = vec![0; live.len()];
        for (k, node) in nodes() {
            let plain = matches!(node, Node::Input { .. } | Node::Const(_) | Node::True);
            node.operands(|e| depth[k] = depth[k].max(depth[e.node()] + 1));
            if (uses[k] > 1 || depth[k] > DEEPEST) && !plain {
                depth[k] = 0;
                let value = printer.node(k).0;
                let name = loop {
                    count += 1;
                    let name = format!("t{count}");
                    if !taken.contains(&name.as_str()) {
                        break name;
                    }
                };
                let name = if latex { format!("t_{{{count}}}") } else { name };
                let _ =
                    if latex { writeln!(text, "{name} &= {value} \\\\") } else { writeln!(text, "{name} = {value}") };
                printer.names.insert(k, name);
            }
        }
        let mut first = 0;
        for field in &self.out {
            for (own, contributions) in [(false, &self.contributions), (true, &self.own)] {
                if own && self.self_pair != SelfPair::Custom {
                    continue;
                }
                let slots: Vec<usize> = (0..field.width).map(|k| first + k * field.cell.numbers()).collect();
                // a count has a line for each condition that it counts
                let several = |slot: &usize| contributions.iter().filter(|c| c.slot == *slot).count() > 1;
                if field.cell == Cell::Count && slots.iter().any(several) {
                    for (k, slot) in slots.iter().enumerate() {
                        let name = if field.width == 1 { field.name.clone() } else { format!("{}{k}", field.name) };
                        let field = Field { name, width: 1, ..field.clone() };
                        for one in contributions.iter().filter(|c| c.slot == *slot) {
                            let part = printer.contributed(field.cell, *slot, std::slice::from_ref(one));
                            text.push_str(&printer.result(&field, &[part], own));
                        }
                    }
                    continue;
                }
                let parts: Vec<String> =
                    slots.iter().map(|slot| printer.contributed(field.cell, *slot, contributions)).collect();
                if own && parts.iter().all(String::is_empty) {
                    continue;
                }
                text.push_str(&printer.result(field, &parts, own));
            }
            first += field.numbers();
        }
    }
}

/// A name that the language takes.
fn identifier(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("law_{name}") } else { name }
}

impl Printer<'_> {
    /// What is contributed to a number of the results: several contributions as one.
    fn contributed(&self, cell: Cell, slot: usize, contributions: &[super::definition::Contribution]) -> String {
        let mut said = String::new();
        let several = contributions.iter().filter(|o| o.slot == slot).count() > 1;
        for contribution in contributions.iter().filter(|o| o.slot == slot) {
            let value = match cell {
                // terms of a sum, of which a choice between two would take all that follows
                Cell::Sum if several => self.at(contribution.value, Binds::Sum),
                _ => self.edge(contribution.value).0,
            };
            said = match (said.is_empty(), cell) {
                (true, _) => value,
                (false, Cell::Min) => format!("min({said}, {value})"),
                (false, Cell::Max) => format!("max({said}, {value})"),
                _ if value.starts_with('-') => format!("{said} - {}", &value[1..]),
                _ => format!("{said} + {value}"),
            };
            if let Some(label) = contribution.label {
                let _ = write!(said, ", {}", self.edge(label).0);
            }
        }
        match (said.is_empty(), cell) {
            (true, Cell::Sum | Cell::Count) => "0".into(),
            _ => said,
        }
    }

    fn result(&self, field: &Field, parts: &[String], own: bool) -> String {
        let (name, word) = (&field.name, if own { "self" } else { field.cell.name() });
        if self.latex {
            let operator = match field.cell {
                Cell::Sum | Cell::Count => "\\sum_j",
                Cell::Min => "\\min_j",
                Cell::Max => "\\max_j",
                Cell::ArgMin => "\\operatorname{arg\\,min}_j",
                Cell::ArgMax => "\\operatorname{arg\\,max}_j",
                _ => "\\ln \\sum_j \\exp",
            };
            let one = |(k, part): (usize, &String)| {
                let index = if field.width == 1 { String::new() } else { format!("{k}") };
                let index = if own { format!("{index}\\text{{(self)}}") } else { index };
                let operator = if own { "" } else { operator };
                format!(
                    "\\mathrm{{{}}}_{{i{index}}} &= {operator} \\left( {part} \\right) \\\\\n",
                    name.replace('_', "\\_")
                )
            };
            return parts.iter().enumerate().map(one).collect();
        }
        // the text has i and j for the bodies
        let name = &if matches!(name.as_str(), "i" | "j") { format!("{name}_") } else { name.clone() };
        // a count's contribution is 1 or 0: the text says the condition
        let part = |p: &String| match (field.cell, p.strip_suffix(" ? 1.0 : 0.0"), p.strip_suffix(" ? 0.0 : 1.0")) {
            (Cell::Count, Some(condition), _) => condition.to_string(),
            (Cell::Count, _, Some(condition)) => format!("not ({condition})"),
            (Cell::Count, ..) => format!("0.5 < ({p})"),
            _ => p.clone(),
        };
        match parts {
            [one] => format!("{word} {name} = {}\n", part(one)),
            _ if matches!(field.cell, Cell::Count | Cell::ArgMin | Cell::ArgMax) => {
                parts.iter().enumerate().map(|(k, p)| format!("{word} {name}{k} = {}\n", part(p))).collect()
            }
            several => format!("{word} {name} = ({})\n", several.iter().map(part).collect::<Vec<_>>().join(", ")),
        }
    }

    fn wrapped(&self, (text, binds): Piece, least: Binds) -> String {
        match (binds >= least, self.latex) {
            (true, _) => text,
            (false, true) => format!("\\left({text}\\right)"),
            (false, false) => format!("({text})"),
        }
    }

    fn at(&self, e: Edge, least: Binds) -> String {
        self.wrapped(self.edge(e), least)
    }

    /// An edge with its sign.
    fn edge(&self, e: Edge) -> Piece {
        let graph: &Graph = &self.law.graph;
        let node = graph.at(e);
        if !e.negative() {
            return self.unsigned(e.node());
        }
        match node {
            Node::True => ("false".into(), Binds::Whole),
            _ if node.is_mask() => {
                let not = if self.latex { "\\neg " } else { "not " };
                (format!("{not}{}", self.wrapped(self.unsigned(e.node()), Binds::Whole)), Binds::Or)
            }
            Node::Min(a, b) if !self.names.contains_key(&e.node()) && a.negative() && b.negative() => {
                (self.function("max", &[a.flip(), b.flip()]), Binds::Whole)
            }
            // a sum may begin with a sign, a factor may not
            _ => (format!("-{}", self.wrapped(self.unsigned(e.node()), Binds::Product)), Binds::Sum),
        }
    }

    fn unsigned(&self, k: usize) -> Piece {
        match self.names.get(&k) {
            Some(name) => (name.clone(), Binds::Whole),
            None => self.node(k),
        }
    }

    fn function(&self, name: &str, arguments: &[Edge]) -> String {
        let list: Vec<String> = arguments.iter().map(|e| self.edge(*e).0).collect();
        match self.latex {
            true => format!("\\operatorname{{{name}}}\\left({}\\right)", list.join(", ")),
            false => format!("{name}({})", list.join(", ")),
        }
    }

    fn node(&self, k: usize) -> Piece {
        let two = |a: &Edge, sign: &str, b: &Edge, left: Binds, right: Binds, binds: Binds| {
            (format!("{} {sign} {}", self.at(*a, left), self.at(*b, right)), binds)
        };
        let (times, and, at_most) = if self.latex { ("\\,", "\\wedge", "\\le") } else { ("*", "and", "<=") };
        match &self.law.graph.nodes()[k] {
            Node::Input { role, slot } => (self.input(*role, usize::from(*slot)), Binds::Whole),
            Node::Const(bits) if self.latex && f64::from_bits(*bits).is_infinite() => ("\\infty".into(), Binds::Whole),
            // texts have no word for it, but a division that makes it
            Node::Const(bits) if !self.latex && f64::from_bits(*bits).is_nan() => ("(0.0 / 0.0)".into(), Binds::Whole),
            Node::Const(bits) => (format!("{:?}", f64::from_bits(*bits)), Binds::Whole),
            Node::True => ("true".into(), Binds::Whole),
            Node::Add(a, b) if b.negative() => two(a, "-", &b.flip(), Binds::Sum, Binds::Product, Binds::Sum),
            Node::Add(a, b) if a.negative() => two(b, "-", &a.flip(), Binds::Sum, Binds::Product, Binds::Sum),
            Node::Add(a, b) => two(a, "+", b, Binds::Sum, Binds::Product, Binds::Sum),
            Node::Mul(a, b) => two(a, times, b, Binds::Product, Binds::Whole, Binds::Product),
            Node::Div(a, b) if self.latex => {
                (format!("\\frac{{{}}}{{{}}}", self.edge(*a).0, self.edge(*b).0), Binds::Whole)
            }
            Node::Div(a, b) => two(a, "/", b, Binds::Product, Binds::Whole, Binds::Product),
            Node::Call(f, x) => self.call(*f, *x),
            Node::Min(a, b) => (self.function("min", &[*a, *b]), Binds::Whole),
            Node::Select { mask, yes, no } => match self.latex {
                true => {
                    let [mask, yes, no] = [mask, yes, no].map(|e| self.edge(*e).0);
                    (format!("\\begin{{cases}} {yes} & {mask} \\\\ {no} \\end{{cases}}"), Binds::Whole)
                }
                false => {
                    let [yes, no] = [yes, no].map(|e| self.at(*e, Binds::Sum));
                    (format!("{} ? {yes} : {no}", self.at(*mask, Binds::Whole)), Binds::Choice)
                }
            },
            Node::Less(a, b) => {
                let [a, b] = without_signs(*a, *b);
                two(&a, "<", &b, Binds::Sum, Binds::Sum, Binds::Or)
            }
            Node::LessEqual(a, b) => {
                let [a, b] = without_signs(*a, *b);
                two(&a, at_most, &b, Binds::Sum, Binds::Sum, Binds::Or)
            }
            Node::Equal(a, b) => two(a, if self.latex { "=" } else { "==" }, b, Binds::Sum, Binds::Sum, Binds::Or),
            Node::And(a, b) => two(a, and, b, Binds::Whole, Binds::Whole, Binds::Or),
            node @ (Node::Seed { .. } | Node::Contribution { .. } | Node::Second(_) | Node::Product { .. }) => {
                unreachable!("{node:?} is not in a recorded law")
            }
        }
    }

    fn call(&self, f: Function, x: Edge) -> Piece {
        let argument = self.edge(x).0;
        let name = match f {
            Function::Recip if self.latex => return (format!("\\frac{{1}}{{{argument}}}"), Binds::Whole),
            Function::Recip => return (format!("1 / {}", self.at(x, Binds::Whole)), Binds::Product),
            Function::Sqrt if self.latex => return (format!("\\sqrt{{{argument}}}"), Binds::Whole),
            Function::Rsqrt if self.latex => return (format!("\\frac{{1}}{{\\sqrt{{{argument}}}}}"), Binds::Whole),
            Function::Abs if self.latex => return (format!("\\left|{argument}\\right|"), Binds::Whole),
            Function::Exp2 => return (format!("exp({} * {argument})", std::f64::consts::LN_2), Binds::Whole),
            Function::Sqrt => "sqrt",
            Function::Rsqrt => "rsqrt",
            Function::Exp => "exp",
            Function::Ln => "ln",
            Function::ExpM1 => "expm1",
            Function::Ln1p => "log1p",
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Abs => "abs",
            Function::Round => "round",
        };
        (self.function(name, &[x]), Binds::Whole)
    }

    fn input(&self, role: Role, slot: usize) -> String {
        let (side, fields) = match role {
            Role::I => ("i", &self.law.i),
            Role::J => ("j", &self.law.j),
            Role::Par => ("", &self.law.par),
        };
        let mut first = 0;
        for field in fields {
            if slot < first + field.numbers() {
                let k = slot - first;
                return match (self.latex, side, field.width) {
                    (false, "", 1) => field.name.clone(),
                    (false, "", _) => format!("{}[{k}]", field.name),
                    (false, _, 1) => format!("{side}.{}", field.name),
                    (false, ..) => format!("{side}.{}[{k}]", field.name),
                    (true, _, 1) => format!("\\mathrm{{{}}}_{{{side}}}", field.name.replace('_', "\\_")),
                    (true, ..) => format!("\\mathrm{{{}}}_{{{side}{k}}}", field.name.replace('_', "\\_")),
                };
            }
            first += field.numbers();
        }
        numbers(fields).get(slot).map_or_else(String::new, |(name, _)| name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LAWS, PairInputs};
    use super::*;
    use crate::law::conformance::{random, slices};

    /// Every built-in law, written and read again, is the law.
    #[test]
    fn written_and_read_again() {
        for builtin in LAWS {
            // these compare an id with a number, and have several counts side by side
            if builtin.name.starts_with("kolmogorov") {
                continue;
            }
            let law = builtin.law().unwrap();
            let text = law.to_text();
            let again = Law::parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
            assert_eq!((&again.i, &again.par), (&law.i, &law.par), "{text}");
            // a result named j, the jerk, has another name in the text
            let shape = |law: &Law| law.out.iter().map(|f| (f.width, f.cell)).collect::<Vec<_>>();
            assert_eq!(shape(&again), shape(&law), "{text}");
            assert_eq!((again.defaults(), again.self_pair()), (law.defaults(), law.self_pair()), "{text}");
            let width: usize = law.i.iter().map(Field::numbers).sum();
            let mut bodies = random(width, 20, 3, true);
            let par = random(law.parameter_names().len(), 1, 4, true).concat();
            if law.i.iter().any(|f| f.cell == Cell::Id) {
                bodies[width - 1] = (0..20).map(f64::from).collect();
            }
            let columns = slices(&bodies);
            let inputs = PairInputs::one(&columns, &par);
            let (a, b) = (law.oracle(&inputs).unwrap(), again.oracle(&inputs).unwrap());
            let size = a.iter().flatten().fold(0f64, |m, x| m.max(x.abs()));
            for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
                // the order of sums of several contributions: 20 terms
                assert!((a - b).abs() <= 100.0 * f64::EPSILON * size, "{a} {b}\n{text}");
            }
        }
    }

    /// Ids are compared in every way, and the text has no sign before them.
    #[test]
    fn comparisons_of_ids() {
        for sign in ["<", "<=", ">", ">=", "==", "!="] {
            let law = Law::parse(&format!("body x; id k; count n = i.k {sign} j.k and j.x {sign} i.x")).unwrap();
            let text = law.to_text();
            let again = Law::parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
            let columns = [[0.5, 1.5, -2.0, 7.0, 1.5], [3.0, 1.0, 0.0, 2.0, 1.0]];
            let columns: Vec<&[f64]> = columns.iter().map(<[f64; 5]>::as_slice).collect();
            let inputs = PairInputs::one(&columns, &[]);
            assert_eq!(law.oracle(&inputs).unwrap(), again.oracle(&inputs).unwrap(), "{text}");
        }
    }

    #[test]
    fn signs_and_brackets() {
        let text = "body x, q; id k; param c = 2
            t = i.x - (j.x - c); u = -(t * j.q) / (c / t + 1)
            sum a = t < 1 and not (u < 2 or u == 3) ? -u : max(t, u) - 3
            count n = t < u; argmin m = t, j.k; logsumexp z = -t; sum w = expm1(-t) + log1p(i.q); min far = t when t < u; self a = -i.x; self n = i.q < 1";
        let law = Law::parse(text).unwrap();
        let again = Law::parse(&law.to_text()).unwrap_or_else(|e| panic!("{}\n{e}", law.to_text()));
        let mut bodies = random(2, 30, 9, false);
        bodies.push((0..30).map(f64::from).collect());
        let columns = slices(&bodies);
        let inputs = PairInputs::one(&columns, &[2.0]);
        assert_eq!(law.oracle(&inputs).unwrap(), again.oracle(&inputs).unwrap(), "{}", law.to_text());
    }

    /// What nests deeply has names in between, and what a body gives a count of itself has a line for each condition.
    #[test]
    fn depth_and_counts_of_a_body_itself() {
        // each line is used once only, so the text written is one formula
        let lines: String = (1..100).map(|k| format!("u{k} = {k} - u{}\n", k - 1)).collect();
        let text = format!(
            "body x; u0 = 3 / (i.x + 1)\n{lines} sum s = 1 / u99 + j.x; count n = i.x < j.x
             self n = i.x < 0.5; self n = i.x < 2; self s = i.x < 0.5 ? 1 : 0; self s = 7"
        );
        let law = Law::parse(&text).unwrap();
        let again = Law::parse(&law.to_text()).unwrap_or_else(|e| panic!("{}\n{e}", law.to_text()));
        let columns = random(1, 30, 9, true);
        let columns = slices(&columns);
        let inputs = PairInputs::one(&columns, &[]);
        assert_eq!(law.oracle(&inputs).unwrap(), again.oracle(&inputs).unwrap(), "{}", law.to_text());
    }

    #[test]
    fn latex() {
        let law =
            Law::parse("body x, m; param e; r = j.x - i.x; sum f = j.m * r / (r * r + e)^1.5; self exclude").unwrap();
        let latex = law.to_latex();
        assert!(latex.contains("\\mathrm{x}_{j} - \\mathrm{x}_{i}") && latex.contains("\\sum_j"), "{latex}");
        assert!(latex.contains("\\sqrt{"), "{latex}");
        for builtin in LAWS {
            let latex = builtin.law().unwrap().to_latex();
            let count = |what: &str| latex.matches(what).count();
            assert_eq!(count("{"), count("}"), "{latex}");
            assert_eq!(count("\\left"), count("\\right"), "{latex}");
        }
    }
}
