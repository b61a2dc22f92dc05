//! Prints the operators of expansions of laws: for products of charges and expansions, sums of functions of the distance times powers
//! of the separation.
//!
//! Derivatives of a function follow from those by r^2 as in [`operators`](super::operators). Of it times a component x of the
//! separation, D_n(x G) = x D_n(G) + n_x D_{n - e_x}(G), once for each power.

use super::couplings::Coupling;
use super::operators::{Operators, POINT, real};
use super::text::Argument::{Number, Own, Record, Taken};
use super::text::Text;
use manybody_expansions::index::{of, place};
use manybody_tree::{LawText, ProductText, TermText};

const AXES: [&str; 3] = ["x", "y", "z"];

/// Derivatives of products that are printed degree by degree.
pub(super) struct Tensors<'a> {
    operators: Operators,
    products: &'a [ProductText],
    /// The functions that are needed, as their names begin.
    functions: Vec<String>,
    /// Functions with powers.
    raised: Vec<(usize, [u8; 3])>,
    /// Whether the one product is one function: the sum of its terms.
    is_summed: bool,
}

impl<'a> Tensors<'a> {
    /// Begins with what degree 0 needs.
    pub(super) fn begin(operators: Operators, text: &mut Text, law: &LawText, products: &'a [ProductText]) -> Self {
        begin_functions(text, law);
        // functions of the distance alone are one, before any derivative by a component
        let is_summed = products.len() == 1 && products[0].is_radial();
        let (mut functions, mut raised) = (Vec::new(), Vec::new());
        for term in products.iter().flat_map(|product| &product.terms).filter(|_| !is_summed) {
            let name = format!("{}_", term.function);
            if !functions.contains(&name) {
                functions.push(name);
            }
            if term.powers != [0; 3] && !raised.contains(&(term.function, term.powers)) {
                raised.push((term.function, term.powers));
            }
        }
        if !raised.is_empty() {
            text.line("const real h = square * m_rsqrt(square);");
        }
        if is_summed {
            sum_of_functions(text, &products[0].terms, operators.order);
            functions.push(SUM.into());
        }
        for (p, product) in products.iter().enumerate().filter(|_| !is_summed) {
            for (k, term) in product.terms.iter().enumerate().filter(|(_, term)| !is_plain(product, term)) {
                let lengths = " * h".repeat(degree(term));
                text.line(&format!("const real w{p}_{k} = real({}){lengths};", term.times));
            }
        }
        Tensors { operators, products, functions, raised, is_summed }
    }

    /// Those of degree d.
    pub(super) fn degree(&self, text: &mut Text, d: usize) {
        for function in self.functions.iter().filter(|_| d > 0) {
            self.operators.recurrence(text, (d, self.operators.order), function);
        }
        for (number, (function, powers)) in self.raised.iter().enumerate() {
            let mut step = 0;
            for (axis, power) in powers.iter().enumerate() {
                for _ in 0..*power {
                    let from = |at: usize| match step {
                        0 => format!("t{function}_0_{at}"),
                        step => format!("r{number}_{step}_{at}"),
                    };
                    for (a, z) in of(d) {
                        let (to, exponent, name) = (place(d, a, z), [d - a, a - z, z][axis], AXES[axis]);
                        let here = from(to);
                        let text_of = if exponent == 0 {
                            format!("{name} * {here}")
                        } else {
                            let (a, z) = (a - usize::from(axis > 0), z - usize::from(axis > 1));
                            let below = from(place(d - 1, a, z));
                            format!("m_fma({name}, {here}, {below} * {})", real(exponent as f64))
                        };
                        text.line(&format!("const real r{number}_{}_{to} = {text_of};", step + 1));
                    }
                    step += 1;
                }
            }
        }
        for (p, product) in self.products.iter().enumerate().filter(|_| !self.is_summed) {
            if let [term] = &product.terms[..]
                && is_plain(product, term)
            {
                continue;
            }
            for (a, z) in of(d) {
                let at = place(d, a, z);
                let sum = product.terms.iter().enumerate().fold(String::new(), |sum, (k, term)| {
                    let from = self.term(term, at);
                    if sum.is_empty() {
                        format!("w{p}_{k} * {from}")
                    } else {
                        format!("m_fma(w{p}_{k}, {from}, {sum})")
                    }
                });
                text.line(&format!("const real d{p}_{at} = {sum};"));
            }
        }
    }

    fn term(&self, term: &TermText, at: usize) -> String {
        match self.raised.iter().position(|key| *key == (term.function, term.powers)) {
            Some(number) => format!("r{number}_{}_{at}", degree(term)),
            None => format!("t{}_0_{at}", term.function),
        }
    }

    /// The name of a derivative of a product.
    pub(super) fn name(&self, p: usize, at: usize) -> String {
        match &self.products[p].terms[..] {
            _ if self.is_summed => format!("t{SUM}0_{at}"),
            [term] if is_plain(&self.products[p], term) => self.term(term, at),
            _ => format!("d{p}_{at}"),
        }
    }
}

/// How names of the sum of a product's functions begin.
const SUM: &str = "s_";

/// Computes the square of the distance, and from it the derivatives of a law's functions by r^2.
pub(super) fn begin_functions(text: &mut Text, law: &LawText) {
    text.line("const real square = soft2;");
    text.line("const real s = m_fma(x, x, m_fma(y, y, z * z)) * square;");
    law.derivatives.iter().for_each(|line| text.line(line));
}

/// Adds up functions of the distance, and their derivatives by r^2.
fn sum_of_functions(text: &mut Text, terms: &[TermText], order: usize) {
    for m in 0..=order {
        let of = |term: &TermText| match (term.is_integral, m) {
            (true, 0) => None,
            (true, _) => Some(format!("real({}) * (square * t{}_{}_0)", term.times, term.function, m - 1)),
            (false, _) => Some(format!("real({}) * t{}_{m}_0", term.times, term.function)),
        };
        let sum: Vec<String> = terms.iter().filter_map(of).collect();
        let sum = if sum.is_empty() { "real(0)".into() } else { sum.join(" + ") };
        text.line(&format!("const real t{SUM}{m}_0 = {sum};"));
    }
}

/// A charge, what it is multiplied by, and an axis.
type Part<'a> = (usize, &'a str, usize);

/// Terms of an expansion that have a component of the separation in common, and a second one each: a function times the component along
/// the axis, times a sum of charges times components along theirs.
struct Tensor<'a> {
    function: usize,
    expansion: usize,
    axis: usize,
    parts: Vec<Part<'a>>,
}

/// Those of a law with more than one charge: a vector has the same sum in all of its components.
fn tensors(law: &LawText) -> Vec<Tensor<'_>> {
    let mut found: Vec<Tensor<'_>> = Vec::new();
    for expansion in 0..law.expansions {
        let products = law.products.iter().filter(|p| p.expansion == expansion && p.has_value && !p.has_gradient);
        let terms: Vec<(usize, &TermText)> = products
            .flat_map(|product| product.terms.iter().map(|term| (product.charge, term)))
            .filter(|(_, term)| degree(term) == 2)
            .collect();
        let mut functions: Vec<usize> = terms.iter().map(|(_, term)| term.function).collect();
        functions.sort_unstable();
        functions.dedup();
        for function in functions {
            let along = |axis: usize| -> Option<Tensor<'_>> {
                let part = |(charge, term): &(usize, &'_ TermText)| {
                    let mut rest = term.powers;
                    rest[axis] = rest[axis].checked_sub(1)?;
                    Some((*charge, rest.iter().position(|power| *power == 1)?))
                };
                let of_function = terms.iter().filter(|(_, term)| term.function == function);
                let parts: Option<Vec<Part<'_>>> = of_function
                    .map(|of| part(of).map(|(charge, other)| (charge, of.1.times.as_str(), other)))
                    .collect();
                let mut parts = parts.filter(|parts| parts.len() > 1)?;
                parts.sort_unstable();
                Some(Tensor { function, expansion, axis, parts })
            };
            let is_known = |tensor: &Tensor<'_>| {
                found.iter().any(|known| known.function == function && known.parts == tensor.parts)
            };
            let mut possible: Vec<Tensor<'_>> = (0..3).filter_map(along).collect();
            let at = possible.iter().position(is_known).unwrap_or(0);
            if at < possible.len() {
                found.push(possible.swap_remove(at));
            }
        }
    }
    found
}

fn times_text(times: &str) -> String {
    if times == "1.0" { String::new() } else { format!(" * real({times})") }
}

/// How often the separation is multiplied by.
fn degree(term: &TermText) -> usize {
    term.powers.iter().map(|power| usize::from(*power)).sum()
}

/// Whether a product is a function as it is.
fn is_plain(product: &ProductText, term: &TermText) -> bool {
    product.terms.len() == 1 && term.powers == [0; 3] && term.times == "1.0"
}

impl Operators {
    /// What the charges of a body do by a law to another, from which it is at (x, y, z) in units of the tree, whose length has the
    /// square `square`: gradients and values of all expansions. The weight is the size of the charges.
    pub(super) fn pair_of(self, text: &mut Text, law: &LawText) {
        let rest = [Number("square"), Number("weight"), Taken("q", law.charges), Own("to", 4 * law.expansions)];
        text.open("pair_of", &[POINT, &rest].concat());
        text.line("const real s = m_fma(x, x, m_fma(y, y, z * z)) * square;");
        law.pair.iter().for_each(|line| text.line(line));
        if law.products.iter().flat_map(|product| &product.terms).any(|term| term.powers != [0; 3]) {
            text.line("const real h = square * m_rsqrt(square);");
        }
        let mut changed: Vec<usize> = Vec::new();
        for ProductText { expansion, has_value, has_gradient, .. } in &law.products {
            let gradients = (0..3).filter(|_| *has_gradient);
            changed.extend(gradients.chain(has_value.then_some(3)).map(|k| 4 * expansion + k));
        }
        changed.sort_unstable();
        changed.dedup();
        changed.iter().for_each(|to| text.line(&format!("real n{to} = to[{to}];")));
        let tensors = tensors(law);
        let mut sums: Vec<(usize, &[Part<'_>])> = Vec::new();
        for Tensor { function, expansion, axis, parts } in &tensors {
            let sum = (*function, &parts[..]);
            let number = sums.iter().position(|known| *known == sum).unwrap_or_else(|| {
                let of_charges = parts.iter().fold(String::new(), |sum, (charge, times, axis)| {
                    let (charge, axis) = (format!("q[{charge}]{}", times_text(times)), AXES[*axis]);
                    if sum.is_empty() {
                        format!("{charge} * {axis}")
                    } else {
                        format!("m_fma({charge}, {axis}, {sum})")
                    }
                });
                text.line(&format!("const real along{} = {of_charges} * value{function} * square;", sums.len()));
                sums.push(sum);
                sums.len() - 1
            });
            let to = 4 * expansion + 3;
            text.line(&format!("n{to} = m_fma(along{number}, {}, n{to});", AXES[*axis]));
        }
        for ProductText { charge, expansion, terms, has_value, has_gradient } in &law.products {
            let is_done = |term: &TermText| {
                let is_of = |tensor: &Tensor<'_>| (tensor.function, tensor.expansion) == (term.function, *expansion);
                degree(term) == 2 && tensors.iter().any(is_of)
            };
            for TermText { function, powers, times, .. } in terms.iter().filter(|term| !is_done(term)) {
                let times = times_text(times);
                if *has_value {
                    let lengths: String = powers
                        .iter()
                        .zip(AXES)
                        .flat_map(|(power, axis)| (0..*power).map(move |_| format!(" * (-{axis} * h)")))
                        .collect();
                    let to = 4 * expansion + 3;
                    text.line(&format!("n{to} = m_fma(q[{charge}]{times}, value{function}{lengths}, n{to});"));
                }
                for (k, axis) in AXES.iter().enumerate().filter(|_| *has_gradient) {
                    let to = 4 * expansion + k;
                    text.line(&format!("n{to} = m_fma(-q[{charge}]{times} * slope{function}, {axis}, n{to});"));
                }
            }
        }
        // a law may be infinite where no body is; a branch around it would keep pairs from being computed side by side
        changed.iter().for_each(|to| text.line(&format!("to[{to}] = m_where(weight != real(0), n{to}, to[{to}]);")));
        text.close();
    }

    /// What a cell and a body do by a coupling to expansions about a sink, as for gravity.
    pub(super) fn coupling_onto(self, text: &mut Text, law: &LawText, coupling: &Coupling) {
        // moments of a source, and coefficients about a sink
        let [given, onto] = if coupling.is_dyad() { [self.along(); 2] } else { [self.moments(), self.locals()] };
        text.size("GIVEN", given);
        text.size("ONTO", onto);
        text.size("DYAD", usize::from(coupling.is_dyad()));
        match coupling {
            Coupling::Product(product) => self.product_onto(text, law, product),
            Coupling::Dyad(dyad) => self.dyad_onto(text, law, dyad),
        }
    }

    fn product_onto(self, text: &mut Text, law: &LawText, product: &ProductText) {
        let products = std::slice::from_ref(product);
        self.onto(text, "from_cell", &[Number("soft2")], (self.moments(), self.locals()), |text| {
            self.scaled_moments(text, "given", self.order);
            let tensors = Tensors::begin(self, text, law, products);
            for d in 0..=self.order {
                tensors.degree(text, d);
                self.back(text, d, |at| tensors.name(0, at));
                self.contract(text, d, |at| format!("e{at}"));
            }
        });
        text.open("from_body", &[POINT, &[Number("soft2"), Number("m"), Own("L", self.locals())]].concat());
        let tensors = Tensors::begin(self, text, law, products);
        for d in 0..=self.order {
            tensors.degree(text, d);
            self.contract_body(text, d, |at| tensors.name(0, at));
        }
        text.close();
    }

    /// Adds the gradients and values that a cell makes at (x, y, z) from it, in units of the cell, whose record has the moments of all
    /// charges: `to` has those of all expansions.
    pub(super) fn products_at_place(self, text: &mut Text, law: &LawText) {
        let stride = self.moments().next_multiple_of(4);
        let rest = [Number("soft2"), Record("given", law.charges * stride), Own("to", 4 * law.expansions)];
        text.open("at_place", &[POINT, &rest].concat());
        text.line("const real ratio = real(1);");
        self.powers(text);
        for charge in 0..law.charges {
            self.moments_in_units(text, &format!("m{charge}_"), self.order, |k| {
                format!("given[{}]", charge * stride + k)
            });
        }
        let tensors = Tensors::begin(self, text, law, &law.products);
        for d in 0..=self.order {
            tensors.degree(text, d);
            for (p, product) in law.products.iter().enumerate() {
                for dk in self.degrees(d).filter(|dk| d - dk <= 1) {
                    if !(if d == dk { product.has_value } else { product.has_gradient }) {
                        continue;
                    }
                    for (ak, zk) in of(dk) {
                        let from = format!("m{}_{}", product.charge, self.moment(dk, ak, zk));
                        for (k, (a, z)) in of(d - dk).enumerate() {
                            let to = 4 * product.expansion + if d == dk { 3 } else { k };
                            let at = tensors.name(p, place(d, a + ak, z + zk));
                            text.line(&format!("to[{to}] = m_fma({from}, {at}, to[{to}]);"));
                        }
                    }
                }
            }
        }
        text.close();
    }
}
