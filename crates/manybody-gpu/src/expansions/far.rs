//! What is far, where G is harmonic: in one part, or, for high orders, whose derivatives and coefficients do not fit the registers of a
//! thread, in several.

use super::operators::{AXES, Operators, POINT, real, softness};
use super::text::Argument::{Number, Own, Taken};
use super::text::Text;
use manybody_tree::index::{harmonic, harmonics_of, of, of_degree, place};

/// The highest order whose derivatives are computed by the recurrence of McMurchie and Davidson, which keeps as many derivatives
/// of lower degrees for each as there are degrees above. Up to here it has fewer multiplications.
const BY_STAGES: usize = 8;

/// So many multiplications of an interaction a kernel has at most, in f32 and in f64: its text must fit the cache of
/// instructions, and the coefficients that it makes the registers of a thread. In f64 they are twice as large. [H200]
const PRODUCTS: [usize; 2] = [2200, 1500];

/// Columns of moments that a warp has read; one more than there are lanes, so that lanes that write one column use all banks.
const COLUMNS: usize = 33;

impl Operators {
    /// Whether the order is high.
    pub(crate) fn is_high(self) -> bool {
        self.order > BY_STAGES
    }

    /// The degrees of expansions for a harmonic G, in parts with about the same number of multiplications, each for a kernel of
    /// its own: all in one where the order is not high.
    pub(crate) fn far_parts(self, double: bool) -> Vec<Vec<usize>> {
        let mut degrees: Vec<usize> = (self.lowest()..=self.order).collect();
        if !self.is_high() {
            return vec![degrees];
        }
        let moments = |dn: usize| self.degrees(self.order - dn).map(|dk| 2 * dk + 1).sum::<usize>();
        let products = |dn: &usize| (2 * dn + 1) * moments(*dn);
        let all: usize = degrees.iter().map(products).sum();
        let mut parts = vec![(0, Vec::new()); all.div_ceil(PRODUCTS[usize::from(double)])];
        degrees.sort_by_key(|dn| std::cmp::Reverse(products(dn)));
        for dn in degrees {
            // the largest that is left to the part that has least
            if let Some((sum, part)) = parts.iter_mut().min_by_key(|(sum, _)| *sum) {
                *sum += products(&dn);
                part.push(dn);
            }
        }
        let in_order = |(_, mut part): (usize, Vec<usize>)| {
            part.sort_unstable();
            part
        };
        parts.into_iter().map(in_order).collect()
    }

    /// Operators for a harmonic G: from folded moments to the coefficients of a part that determine the others, as
    /// `cell_onto`; the same from a body; and the other coefficients.
    pub(super) fn far_part(self, text: &mut Text, k: usize, part: &[usize], double: bool) {
        self.cell_onto_part(text, k, part, double);
        self.body_onto_part(text, k, part);
        self.unfold_part(text, part);
    }

    fn cell_onto_part(self, text: &mut Text, k: usize, part: &[usize], double: bool) {
        let are_gathered = self.is_high() && double;
        // from a lane's column of what its warp has gathered, in units of the sink; or from the record
        let moment = |dk: usize, k: usize| match (dk, are_gathered) {
            (_, true) => format!("given[{}]", COLUMNS * k),
            (0, _) => format!("given[{k}]"),
            _ => format!("given[{k}] * f{dk}"),
        };
        let name = format!("from_cell_far_{k}");
        self.onto(text, &name, softness(0), (self.folded(), numbers(part)), |text| {
            if !are_gathered {
                self.powers(text);
            }
            // of high orders each is read where it is used
            let all = self.degrees(self.order).filter(|_| !self.is_high());
            for (dk, k) in all.flat_map(|dk| harmonics_of(dk).map(move |(a, z)| (dk, self.folded_moment(dk, a, z)))) {
                text.line(&format!("const real m{k} = {};", moment(dk, k)));
            }
            for d in 0..=self.order {
                self.derivatives(text, (d, self.order), 0, |z| z <= 1);
                let acting = part.iter().rev().filter(|dn| self.degrees(d).any(|dk| **dn + dk == d));
                let acting: Vec<usize> = acting.copied().collect();
                if acting.is_empty() {
                    continue;
                }
                self.back(text, d, |z| z <= 1, |at| format!("t0_{at}"));
                Self::with_two_z(text, d, "e");
                for (dn, (ak, zk)) in acting.into_iter().flat_map(|dn| harmonics_of(d - dn).map(move |k| (dn, k))) {
                    let k = self.folded_moment(d - dn, ak, zk);
                    let m = if self.is_high() { format!("m{k}_{dn}") } else { format!("m{k}") };
                    if self.is_high() {
                        text.line(&format!("const real {m} = {};", moment(d - dn, k)));
                    }
                    for (a, z) in harmonics_of(dn) {
                        let (to, e) = (number(part, dn, a, z), place(d, a + ak, z + zk));
                        text.line(&format!("L[{to}] = m_fma({m}, e{e}, L[{to}]);"));
                    }
                }
            }
        });
    }

    fn body_onto_part(self, text: &mut Text, k: usize, part: &[usize]) {
        if self.is_of_rates() {
            return self.moving_body_onto_part(text, k, part);
        }
        let arguments = [POINT, &[Number("soft2"), Number("m"), Own("L", numbers(part))]].concat();
        text.open(&format!("from_body_far_{k}"), &arguments);
        for d in 0..=part.last().copied().unwrap_or(0) {
            self.derivatives(text, (d, self.order), 0, |z| z <= 1);
            for (a, z) in harmonics_of(d).filter(|_| part.contains(&d)) {
                let to = number(part, d, a, z);
                text.line(&format!("L[{to}] = m_fma(m, t0_{}, L[{to}]);", place(d, a, z)));
            }
        }
        text.close();
    }

    /// All coefficients of the degrees of a part.
    fn unfold_part(self, text: &mut Text, part: &[usize]) {
        for (name, degrees) in self.unfolded_together(part) {
            let first = self.local(degrees[0], 0, 0);
            let many = degrees.iter().map(|d| of_degree(*d)).sum();
            text.open(&name, &[Taken("L", numbers(part)), Own("to", many)]);
            for d in degrees {
                let local = |a: usize, z: usize| self.local(*d, a, z) - first;
                for (a, z) in harmonics_of(*d) {
                    text.line(&format!("to[{}] = L[{}];", local(a, z), number(part, *d, a, z)));
                }
                for (a, z) in (2..=*d).flat_map(|z| (z..=*d).map(move |a| (a, z))) {
                    let [to, x, y] = [(a, z), (a - 2, z - 2), (a, z - 2)].map(|(a, z)| local(a, z));
                    text.line(&format!("to[{to}] = -(to[{x}] + to[{y}]);"));
                }
            }
            text.close();
        }
    }

    /// The degrees of a part whose coefficients are found together, by the operator of this name: of high orders each by itself.
    fn unfolded_together(self, part: &[usize]) -> Vec<(String, &[usize])> {
        match self.is_high() {
            true => part.chunks(1).map(|degree| (format!("unfold_{}", degree[0]), degree)).collect(),
            false => vec![("unfold".to_owned(), part)],
        }
    }

    /// In CUDA C++: how many numbers determine the coefficients of a part where G is harmonic, how many folded moments they
    /// need, and a macro that finds all coefficients and calls another with the first and how many there are.
    pub(crate) fn of_part(self, part: &[usize]) -> String {
        let numbers = numbers(part);
        let write = |(unfold, degrees): (String, &[usize])| {
            let (first, many) = (self.local(degrees[0], 0, 0), degrees.iter().map(|d| of_degree(*d)).sum::<usize>());
            format!(" {{ real all[{many}]; {unfold}(L, all); WRITE({first}, {many}) }}")
        };
        let each: String = self.unfolded_together(part).into_iter().map(write).collect();
        let highest = (self.order - part[0]).min(self.order - 1);
        let moments = (highest + 1) * (highest + 1) - if self.dipoles || highest == 0 { 0 } else { 3 };
        format!("#define PART_NUMBERS {numbers}\n#define PART_MOMENTS {moments}\n#define EACH_DEGREE(WRITE){each}\n")
    }

    /// The derivatives `t0_` of degree d of G = -(r.r + eps^2)^(-nu/2) from those of the two degrees below alone:
    ///
    /// ```text
    /// d s D_n + (2 d + nu - 2) sum_i n_i x_i D_{n-e_i} + (d + nu - 2) sum_i n_i (n_i - 1) D_{n-2e_i} = 0,    s = r.r + eps^2
    /// ```
    ///
    /// [Duan and Krasny 2001, J. Comput. Chem. 22, 184, without softening; Lindsay and Krasny 2001, J. Comput. Phys. 172, 879,
    /// with it].
    pub(super) fn two_below(text: &mut Text, d: usize, nu: usize, is_needed: fn(usize) -> bool) {
        let factor = |number: usize| real(-(number as f64) / d as f64);
        let all = (1..=d).flat_map(|k| AXES.map(move |axis| (k, axis)));
        for (k, axis) in all.filter(|(k, axis)| *axis != "z" || is_needed(*k)) {
            let times = if k == 1 {
                format!("{axis} * (r2 * {})", factor(2 * d + nu - 2))
            } else {
                format!("q{d}{axis}1 * {}", real(k as f64))
            };
            text.line(&format!("const real q{d}{axis}{k} = {times};"));
        }
        for k in 2..=d {
            text.line(&format!("const real h{d}_{k} = r2 * {};", factor((d + nu - 2) * k * (k - 1))));
        }
        for (a, z) in of(d).filter(|(_, z)| is_needed(*z)) {
            let exponents = [d - a, a - z, z];
            let at = |axis: usize, k: usize| match axis {
                0 => place(d - k, a, z),
                1 => place(d - k, a - k, z),
                _ => place(d - k, a - k, z - k),
            };
            let once = (0..3).filter(|axis| exponents[*axis] >= 1);
            let once = once.map(|axis| (format!("q{d}{}{}", AXES[axis], exponents[axis]), at(axis, 1)));
            let twice = (0..3).filter(|axis| exponents[*axis] >= 2 && d + nu > 2);
            let twice = twice.map(|axis| (format!("h{d}_{}", exponents[axis]), at(axis, 2)));
            let mut sum = String::new();
            for (factor, at) in twice.chain(once) {
                sum = match sum.is_empty() {
                    true => format!("{factor} * t0_{at}"),
                    false => format!("m_fma({factor}, t0_{at}, {sum})"),
                };
            }
            text.line(&format!("const real t0_{} = {sum};", place(d, a, z)));
        }
    }
}

/// How many numbers determine the coefficients of some degrees where G is harmonic.
pub(super) fn numbers(part: &[usize]) -> usize {
    part.iter().map(|d| 2 * d + 1).sum()
}

/// Where one of them is.
pub(super) fn number(part: &[usize], d: usize, a: usize, z: usize) -> usize {
    let below: usize = part.iter().take_while(|other| **other < d).map(|other| 2 * other + 1).sum();
    below + harmonic(d, a, z) - harmonic(d, 0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansions::numbers::Numbers;
    use crate::expansions::operators::Motion;
    use crate::expansions::text::Language;

    const PLAIN: Operators =
        Operators { order: 9, dipoles: false, potential: false, of_law: false, motion: Motion::Rest };

    #[test]
    fn parts_have_every_degree_once() {
        for (order, dipoles, potential, double) in (1..=12).flat_map(|order| {
            [(false, false, false), (true, true, false), (false, true, true), (true, true, true), (true, false, true)]
                .map(|(d, p, f)| (order, d, p, f))
        }) {
            let motion = if dipoles && !potential { Motion::Rates } else { Motion::Rest };
            let operators = Operators { order, dipoles, potential, motion, ..PLAIN };
            let parts = operators.far_parts(double);
            assert!(parts.iter().all(|part| !part.is_empty() && part.is_sorted()), "{parts:?}");
            let mut all = parts.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(operators.lowest()..=order), "{parts:?}");
            // as many as there are names of kernels
            assert!(parts.len() <= if order > BY_STAGES { 8 } else { 1 });
        }
    }

    /// By the recurrence of McMurchie and Davidson, which the solvers on wgpu are tested with, too.
    #[test]
    fn derivatives_from_two_degrees_below_are_those_by_stages() {
        for by_half in 0..=2 {
            let found = [BY_STAGES, BY_STAGES + 1].map(|order| {
                let operators = Operators { order, ..PLAIN };
                let mut text = Text::new(Language::Cuda);
                for d in 0..=BY_STAGES {
                    operators.derivatives(&mut text, (d, order), by_half, |_| true);
                }
                let given = [("x", 0.7), ("y", -1.1), ("z", 0.4), ("soft2", 0.3), ("factor", 0.6)];
                let mut numbers = Numbers::of(&given);
                numbers.run(&text.into_string());
                numbers
            });
            let [by_stages, by_two] = found;
            let all = (0..=BY_STAGES).flat_map(|d| of(d).map(move |(a, z)| (d, format!("t0_{}", place(d, a, z)))));
            for (d, name) in all {
                let (want, got) = (by_stages.0[&name], by_two.0[&name]);
                // some derivatives of a degree are near 0
                let size: f64 = (1..=d).map(|k| k as f64).product();
                assert!((want - got).abs() < 1e-12 * size.max(want.abs()), "{by_half} {name}: {want} {got}");
            }
        }
    }
}
