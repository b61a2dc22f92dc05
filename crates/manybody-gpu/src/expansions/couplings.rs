//! What charges do to expansions by a law, each by a kernel of its own.
//!
//! A vector of charges v may act along the separation d, and times it: d (d . v) g(r), as in a Stokeslet. That is nine products of a
//! charge and an expansion. With functions of s = r^2 of which each is twice the derivative of the one before, ..., F_0, F_1, F_2 = g,
//!
//! ```text
//! d_i d_j g = d^2 F_0 / dx_i dx_j - delta_ij F_1,
//! ```
//!
//! so one function whose derivatives go two degrees higher does it, from the moments of div v to the expansion of a potential, whose
//! gradient is what is left. Of F_1 and F_0 only differences matter: each interaction takes both as 0 at the distance of its
//! centres. Degrees that are cut off are those of the nine products.

use manybody_tree::{LawText, ProductText, TermText};

/// What is computed by one kernel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Coupling {
    /// What one charge does to one expansion.
    Product(ProductText),
    /// What a vector of charges does along the separation.
    Dyad(Dyad),
}

/// Charges along the separation, and the separation times a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dyad {
    /// The number of the function.
    pub(super) function: usize,
    /// The charge along each axis.
    pub(super) charges: Vec<Along>,
    /// The expansion along each.
    pub(super) expansions: Vec<Along>,
}

/// A charge or an expansion along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Along {
    pub(super) axis: usize,
    pub(super) number: usize,
    /// What it is multiplied by.
    pub(super) times: f64,
}

impl Coupling {
    /// Those of a law.
    pub(crate) fn of(law: &LawText) -> Vec<Coupling> {
        let mut products = law.products.clone();
        let mut found = Vec::new();
        let mut functions: Vec<usize> = terms(&products).map(|(_, term)| term.function).collect();
        functions.sort_unstable();
        functions.dedup();
        for function in functions.into_iter().filter(|_| law.has_values) {
            let Some(dyad) = Dyad::of(&products, function) else { continue };
            let mut left = products.clone();
            dyad.take_from(&mut left);
            // integrals are of products that are functions of the distance alone
            if left.iter().all(|product| !product.terms.iter().any(|term| term.is_integral) || product.is_radial()) {
                products = left;
                found.push(Coupling::Dyad(dyad));
            }
        }
        let left = products.into_iter().filter(|product| !product.terms.is_empty());
        left.map(Coupling::Product).chain(found).collect()
    }

    /// The first of these whose kernel is that of number k: operators of products with the same functions are the same.
    pub(crate) fn first_like(all: &[Coupling], k: usize) -> usize {
        let is_like = |other: &Coupling| match (other, &all[k]) {
            (Coupling::Product(other), Coupling::Product(this)) => other.terms == this.terms,
            (other, this) => other == this,
        };
        all.iter().position(is_like).unwrap_or(k)
    }

    /// Those that have a kernel of their own.
    pub(crate) fn first_ones(all: &[Coupling]) -> Vec<usize> {
        (0..all.len()).filter(|k| Coupling::first_like(all, *k) == *k).collect()
    }

    /// The charge and the expansion that a kernel of products is given.
    pub(crate) fn numbers(&self) -> [usize; 2] {
        match self {
            Coupling::Product(ProductText { charge, expansion, .. }) => [*charge, *expansion],
            Coupling::Dyad(_) => [0, 0],
        }
    }

    pub(crate) fn is_dyad(&self) -> bool {
        matches!(self, Coupling::Dyad(_))
    }

    /// The expansions that a dyad makes.
    pub(crate) fn expansions_along(&self) -> Vec<usize> {
        match self {
            Coupling::Product(_) => Vec::new(),
            Coupling::Dyad(dyad) => dyad.expansions.iter().map(|along| along.number).collect(),
        }
    }
}

/// The terms of all products.
fn terms(products: &[ProductText]) -> impl Iterator<Item = (&ProductText, &TermText)> {
    products.iter().flat_map(|product| product.terms.iter().map(move |term| (product, term)))
}

/// The separation along these two axes.
fn powers_of(a: usize, b: usize) -> [u8; 3] {
    let mut powers = [0; 3];
    powers[a] += 1;
    powers[b] += 1;
    powers
}

impl Dyad {
    /// That of a function, if there is one: for each axis a charge and an expansion, and what they are multiplied by is a product of
    /// two vectors. (Two vectors with one function are not found: an axis has two charges.)
    fn of(products: &[ProductText], function: usize) -> Option<Dyad> {
        let along = |axis: usize| {
            let is = |term: &TermText| term.function == function && term.powers == powers_of(axis, axis);
            let mut all = terms(products).filter(|(_, term)| is(term)).map(|(product, _)| product);
            all.next().filter(|_| all.next().is_none())
        };
        let pairs: Vec<(usize, &ProductText)> = (0..3).filter_map(|axis| along(axis).map(|of| (axis, of))).collect();
        let times = |expansion: usize, charge: usize, powers: [u8; 3]| {
            let is = |(product, term): &(&ProductText, &TermText)| {
                (product.expansion, product.charge, term.function, term.powers) == (expansion, charge, function, powers)
            };
            let mut all = terms(products).filter(is).filter_map(|(_, term)| term.times.parse::<f64>().ok());
            all.next().filter(|times| *times != 0.0 && all.next().is_none())
        };
        // one term is not that of two pairs of axes
        let is_own = |(k, (_, this)): (usize, &(usize, &ProductText))| {
            pairs[..k].iter().all(|(_, other)| (other.expansion, other.charge) != (this.expansion, this.charge))
        };
        if pairs.len() < 2 || !pairs.iter().enumerate().all(is_own) {
            return None;
        }
        let own = |(axis, of): &(usize, &ProductText)| times(of.expansion, of.charge, powers_of(*axis, *axis));
        let all: Vec<f64> = pairs.iter().map(own).collect::<Option<_>>()?;
        // relative to the largest
        let largest = (0..pairs.len()).max_by(|a, b| all[*a].abs().total_cmp(&all[*b].abs()))?;
        let ((first_axis, first), all) = (pairs[largest], all[largest]);
        let mut dyad = Dyad { function, charges: Vec::new(), expansions: Vec::new() };
        for (axis, ProductText { charge, expansion, .. }) in &pairs {
            let (axis, powers) = (*axis, powers_of(*axis, first_axis));
            let of_charge = times(first.expansion, *charge, powers)?;
            let of_expansion = times(*expansion, first.charge, powers)? / all;
            dyad.charges.push(Along { axis, number: *charge, times: of_charge });
            dyad.expansions.push(Along { axis, number: *expansion, times: of_expansion });
        }
        let is_product = |to: &Along, from: &Along| {
            let product = to.times * from.times;
            times(to.number, from.number, powers_of(to.axis, from.axis))
                .is_some_and(|times| (times - product).abs() <= 1e-14 * times.abs())
        };
        let is_so = dyad.expansions.iter().all(|to| dyad.charges.iter().all(|from| is_product(to, from)));
        is_so.then_some(dyad)
    }

    /// Takes its terms out of products, and leaves what they have of F_1.
    fn take_from(&self, products: &mut [ProductText]) {
        for to in &self.expansions {
            for from in &self.charges {
                let is = |product: &&mut ProductText| (product.expansion, product.charge) == (to.number, from.number);
                let powers = powers_of(to.axis, from.axis);
                for product in products.iter_mut().filter(is) {
                    let is_here = |term: &TermText| term.function == self.function && term.powers == powers;
                    product.terms.retain(|term| !is_here(term));
                    if to.axis == from.axis {
                        let times = format!("{:?}", -to.times * from.times);
                        let function = self.function;
                        product.terms.push(TermText { function, is_integral: true, powers: [0; 3], times });
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::Dialect;
    use manybody_law::law::{Law, PairInputs, Radial};
    use manybody_tree::{ExpandedLaw, LawAccuracy, Opening};

    fn stokeslet(scales: [f64; 3]) -> LawText {
        let of = |expansion: usize, charge: usize| {
            let times = format!("{:?}", scales[charge] * 0.5);
            let tensor = TermText { function: 1, is_integral: false, powers: powers_of(expansion, charge), times };
            let plain = TermText { function: 0, is_integral: false, powers: [0; 3], times: "1.0".into() };
            let terms = if expansion == charge { vec![plain, tensor] } else { vec![tensor] };
            ProductText { charge, expansion, terms, has_value: true, has_gradient: false }
        };
        let products = (0..3).flat_map(|expansion| (0..3).map(move |charge| (expansion, charge)));
        LawText {
            derivatives: Vec::new(),
            pair: Vec::new(),
            products: products.map(|(expansion, charge)| of(expansion, charge)).collect(),
            charges: 3,
            expansions: 3,
            has_values: true,
            is_self_included: false,
        }
    }

    #[test]
    fn nine_products_are_three_and_a_dyad() {
        let law = stokeslet([1.0, 2.0, 4.0]);
        let found = Coupling::of(&law);
        assert_eq!(found.len(), 4);
        let Coupling::Dyad(dyad) = &found[3] else { panic!("{found:?}") };
        assert_eq!(dyad.charges.iter().map(|along| along.times).collect::<Vec<_>>(), [0.5, 1.0, 2.0]);
        assert_eq!(dyad.expansions.iter().map(|along| along.times).collect::<Vec<_>>(), [1.0; 3]);
        let Coupling::Product(last) = &found[2] else { panic!("{found:?}") };
        assert_eq!((last.terms[1].is_integral, last.terms[1].times.as_str()), (true, "-2.0"));
        // the scales of charges differ, and so do the kernels of the three
        assert_eq!(Coupling::first_ones(&found).len(), 4);
        assert_eq!(Coupling::first_ones(&Coupling::of(&stokeslet([1.0; 3]))).len(), 2);
    }

    fn products_of(text: &str) -> usize {
        let law = Law::parse(&format!("body x[3], q, f[3]; d = i.x - j.x; r = norm(d); {text}")).unwrap();
        let columns: Vec<Vec<f64>> =
            (0..7).map(|k| (0..4).map(|body| ((3 * k + 5 * body) % 7) as f64).collect()).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let accuracy = LawAccuracy { order: 2, opening: Opening::Error(1e-3), leaf: 32 };
        let radial = Radial::of(&law).unwrap();
        let found = ExpandedLaw::new(&law, &radial, &PairInputs::one(&columns, &[]), accuracy).unwrap();
        let text = found.text(false, &|f, x| Dialect::CudaF64.call(f, x)).unwrap();
        let couplings = Coupling::of(&text);
        assert_eq!(couplings.iter().any(Coupling::is_dyad), couplings.len() < text.products.len(), "{couplings:?}");
        couplings.len()
    }

    /// Terms that look like those of dyads, or are beside them.
    #[test]
    fn laws_that_have_no_dyad() {
        assert_eq!(products_of("sum u = j.f / r + d * dot(d, j.f) / r^3; self exclude"), 4);
        assert_eq!(products_of("sum u = d * dot(d, j.f) * exp(-r^2) + d[2]^2 * j.f * exp(-2 * r^2)"), 9);
        assert_eq!(products_of("sum p = j.q * (d[0]^2 + d[0] * d[1] + d[1]^2) * exp(-r^2)"), 1);
    }

    #[test]
    fn what_is_no_product_of_two_vectors_stays() {
        let mut law = stokeslet([1.0; 3]);
        law.products[1].terms[0].times = "0.25".into();
        assert_eq!(Coupling::of(&law).len(), 9);
        let mut law = stokeslet([1.0; 3]);
        law.products.remove(5);
        assert_eq!(Coupling::of(&law).len(), 8);
    }
}
