//! Prints the operators of [dyads](super::couplings).

use super::couplings::{Along, Dyad};
use super::operators::{Operators, POINT, real};
use super::products::begin_functions;
use super::text::Argument::{Number, Own, Record, Taken};
use super::text::{Language, Text};
use manybody_expansions::index::{count, of, place};
use manybody_tree::LawText;

/// How the names of the derivatives of F_0 begin.
const POTENTIAL: &str = "f_";

/// Where the moment of degree d is from which one less along an axis is derived: (d - 1, a, z) of that.
fn below((d, a, z): (usize, usize, usize), axis: usize) -> Option<(usize, usize, usize)> {
    let exponents = [d - a, a - z, z];
    (exponents[axis] > 0).then(|| (d - 1, a - usize::from(axis > 0), z - usize::from(axis > 1)))
}

impl Operators {
    /// How many moments of charges along the separation there are, and as many coefficients of their potential: of degrees 1 to
    /// one above the order.
    pub(crate) fn along(self) -> usize {
        count(self.order + 1) - 1
    }

    /// Derivatives of F_0 by r^2, of which the first two are taken as 0.
    fn begin_potential(self, text: &mut Text, law: &LawText, dyad: &Dyad) {
        begin_functions(text, law);
        for m in 0..=self.order + 2 {
            let value = match m {
                0 | 1 => "real(0)".into(),
                m => format!("square * t{}_{}_0", dyad.function, m - 2),
            };
            text.line(&format!("const real t{POTENTIAL}{m}_0 = {value};"));
        }
    }

    /// The derivatives of degree d of F_0.
    fn of_potential(self, text: &mut Text, d: usize) {
        if d > 0 {
            self.recurrence(text, (d, self.order + 2), POTENTIAL);
        }
    }

    /// From the moments of a cell's charges, each a record, those of the charges along the separation: each of one degree less.
    fn moments_along(self, text: &mut Text, law: &LawText, dyad: &Dyad) {
        let stride = self.moments().next_multiple_of(4);
        text.open("moments_along", &[Record("given", law.charges * stride), Own("M", self.along())]);
        for (d, (a, z)) in (1..=self.order + 1).flat_map(|d| of(d).map(move |k| (d, k))) {
            let part = |Along { axis, number, times }: &Along| {
                let from = below((d, a, z), *axis).map(|(d, a, z)| number * stride + self.moment(d, a, z));
                from.map(|from| format!("given[{from}] * {}", real(*times)))
            };
            let sum = dyad.charges.iter().filter_map(part).collect::<Vec<_>>().join(" + ");
            let sum = if sum.is_empty() { "real(0)".into() } else { sum };
            text.line(&format!("M[{}] = {sum};", place(d, a, z) - 1));
        }
        text.close();
    }

    /// What a cell and a body do to the potential about a sink, and the expansions that its gradients are.
    pub(super) fn dyad_onto(self, text: &mut Text, law: &LawText, dyad: &Dyad) {
        self.moments_along(text, law, dyad);
        self.onto(text, "from_cell", &[Number("soft2")], (self.along(), self.along()), |text| {
            self.powers(text);
            for (d, (a, z)) in (1..=self.order + 1).flat_map(|d| of(d).map(move |k| (d, k))) {
                let k = place(d, a, z) - 1;
                text.line(&format!("const real q{k} = given[{k}] * f{};", d - 1));
            }
            self.begin_potential(text, law, dyad);
            for d in 0..=self.order + 2 {
                self.of_potential(text, d);
                // expansions have two degrees less
                for (a, z) in of(d).filter(|_| d >= 2) {
                    let at = place(d, a, z);
                    text.line(&format!("const real e{at} = t{POTENTIAL}0_{at} * b{};", d - 2));
                }
                for dk in (1..d).filter(|dk| (*dk).max(d - dk) <= self.order + 1) {
                    for ((ak, zk), (a, z)) in of(dk).flat_map(|k| of(d - dk).map(move |n| (k, n))) {
                        let (from, to) = (place(dk, ak, zk) - 1, place(d - dk, a, z) - 1);
                        let at = place(d, a + ak, z + zk);
                        text.line(&format!("L[{to}] = m_fma(q{from}, e{at}, L[{to}]);"));
                    }
                }
            }
        });
        self.dyad_of_body(text, law, dyad);
        for (k, along) in dyad.expansions.iter().enumerate() {
            self.gradient_along(text, k, along);
        }
        if text.language() == Language::Cuda {
            self.each_axis(text, dyad);
        }
    }

    fn dyad_of_body(self, text: &mut Text, law: &LawText, dyad: &Dyad) {
        let rest = [Number("soft2"), Taken("q", law.charges), Own("L", self.along())];
        text.open("from_body", &[POINT, &rest].concat());
        self.begin_potential(text, law, dyad);
        for Along { axis, number, times } in &dyad.charges {
            text.line(&format!("const real q{axis} = q[{number}] * {};", real(*times)));
        }
        for d in 0..=self.order + 2 {
            self.of_potential(text, d);
            for (a, z) in of(d.saturating_sub(1)).filter(|_| d >= 2) {
                let to = place(d - 1, a, z) - 1;
                for Along { axis, .. } in &dyad.charges {
                    let at = place(d, a + usize::from(*axis > 0), z + usize::from(*axis > 1));
                    text.line(&format!("L[{to}] = m_fma(q{axis}, t{POTENTIAL}0_{at}, L[{to}]);"));
                }
            }
        }
        text.close();
    }

    /// The expansion along an axis, from that of the potential.
    fn gradient_along(self, text: &mut Text, k: usize, Along { axis, times, .. }: &Along) {
        text.open(&format!("along_{k}"), &[Taken("L", self.along()), Own("to", self.locals())]);
        for d in 0..=self.order {
            for (a, z) in of(d) {
                let (to, from) =
                    (place(d, a, z), place(d + 1, a + usize::from(*axis > 0), z + usize::from(*axis > 1)) - 1);
                text.line(&format!("to[{to}] = L[{from}] * {};", real(*times)));
            }
        }
        text.close();
    }

    /// In CUDA, a macro that finds the expansion along each axis and calls another with its number.
    fn each_axis(self, text: &mut Text, dyad: &Dyad) {
        let locals = self.locals();
        let write = |(k, along): (usize, &Along)| {
            format!(" {{ real all[{locals}]; along_{k}(L, all); WRITE({}) }}", along.number)
        };
        let each: String = dyad.expansions.iter().enumerate().map(write).collect();
        text.line(&format!("#define EACH_AXIS(WRITE){each}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansions::numbers::Numbers;
    use crate::expansions::operators::Motion;
    use crate::expansions::products::Tensors;
    use manybody_tree::{ProductText, TermText};

    const ORDER: usize = 4;

    /// A law whose function has any derivatives by r^2.
    fn law() -> LawText {
        let derivative = |m: usize| format!("const real t0_{m}_0 = real({:?});", 0.3 + ((7 * m) % 5) as f64);
        LawText {
            derivatives: (0..=ORDER).map(derivative).collect(),
            pair: Vec::new(),
            products: Vec::new(),
            charges: 1,
            expansions: 1,
            has_values: true,
            is_self_included: false,
        }
    }

    fn executed(text: Text) -> Numbers {
        let mut numbers = Numbers::of(&[("x", 0.7), ("y", -1.1), ("z", 0.4), ("soft2", 0.3)]);
        numbers.run(&text.into_string());
        numbers
    }

    /// The identity of the file of [couplings](crate::expansions::couplings), for all components and derivatives.
    #[test]
    fn derivatives_of_a_potential_are_those_of_the_nine_products() {
        let operators = Operators { order: ORDER, dipoles: true, potential: true, of_law: true, motion: Motion::Rest };
        let law = law();
        let of_term = |powers: [u8; 3], is_integral: bool| {
            let terms = vec![TermText { function: 0, is_integral, powers, times: "1.0".into() }];
            let product = [ProductText { charge: 0, expansion: 0, terms, has_value: true, has_gradient: false }];
            let mut text = Text::new(Language::Cuda);
            let tensors = Tensors::begin(operators, &mut text, &law, &product);
            (0..=ORDER).for_each(|d| tensors.degree(&mut text, d));
            let numbers = executed(text);
            let all = (0..=ORDER).flat_map(|d| of(d).map(move |(a, z)| place(d, a, z)));
            all.map(|at| numbers.0[&tensors.name(0, at)]).collect::<Vec<f64>>()
        };
        let integral = of_term([0; 3], true);
        let mut text = Text::new(Language::Cuda);
        let dyad = Dyad { function: 0, charges: Vec::new(), expansions: Vec::new() };
        operators.begin_potential(&mut text, &law, &dyad);
        (0..=ORDER + 2).for_each(|d| operators.of_potential(&mut text, d));
        let potential = executed(text);
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            let mut powers = [0; 3];
            powers[i] += 1;
            powers[j] += 1;
            let product = of_term(powers, false);
            for (d, (a, z)) in (0..=ORDER).flat_map(|d| of(d).map(move |k| (d, k))) {
                let at = place(d, a, z);
                let [a, z] = [(a, 0), (z, 1)].map(|(n, k)| n + usize::from(i > k) + usize::from(j > k));
                let found = potential.0[&format!("tf_0_{}", place(d + 2, a, z))];
                let found = found - if i == j { integral[at] } else { 0.0 };
                assert!((found - product[at]).abs() < 1e-12, "{i} {j} {d} {at}: {found} {}", product[at]);
            }
        }
    }
}
