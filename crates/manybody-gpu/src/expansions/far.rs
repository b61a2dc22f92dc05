//! Which numbers of what is far are in registers, and which in shared memory; and the derivatives of high orders.

use super::operators::{AXES, Operators, real};
use super::text::Text;
use manybody_expansions::index::{of, of_degree, place};

/// The highest order whose derivatives are computed by the recurrence of McMurchie and Davidson, which keeps as many derivatives
/// of lower degrees for each as there are degrees above. Up to here it has fewer multiplications.
const BY_STAGES: usize = 8;

/// Warps that share a cell in a high order, and in order 12, so that a multiprocessor has room for the columns of ten of them in place of
/// eight. [H200]
const WARPS: usize = 4;
const WARPS_OF_12: usize = 5;

/// The highest orders, in f32 and in f64, whose moments are in registers, too.
const IN_REGISTERS: [usize; 2] = [BY_STAGES, 5];

impl Operators {
    /// Whether the order is high.
    pub(crate) fn is_high(self) -> bool {
        self.order > BY_STAGES
    }

    /// Whether the moments of the cells that a warp interacts with are in shared memory.
    pub(crate) fn is_gathered(self, double: bool) -> bool {
        self.order > IN_REGISTERS[usize::from(double)]
    }

    /// How many warps share a cell where moments are in shared memory, and the bytes that each needs.
    pub(crate) fn columns(self, double: bool) -> Option<(usize, usize)> {
        let bytes = self.bytes_of_columns(double);
        let warps = match self.order {
            12 => WARPS_OF_12,
            _ if self.is_high() => WARPS,
            _ => 1,
        };
        (self.is_gathered(double) && !self.of_law).then_some((warps, bytes))
    }

    /// Operators for a harmonic G: from a cell to coefficients, the same from a body, and to Cartesian coefficients.
    pub(super) fn onto_far(self, text: &mut Text, double: bool) {
        let gathered = self.is_gathered(double);
        if self.is_split(double) {
            self.in_two_parts(text);
        } else {
            if gathered {
                self.cell_in_column(text, double)
            } else {
                self.cell_onto_far(text)
            }
            self.body_onto_far(text, gathered);
        }
        if gathered {
            (self.lowest()..=self.order).for_each(|d| self.unfold(text, &format!("unfold_{d}"), d..=d));
        } else {
            self.unfold(text, "unfold", self.lowest()..=self.order);
        }
    }

    /// In CUDA C++ a macro that finds all coefficients and calls another with the first and how many there are.
    pub(crate) fn each_degree(self, double: bool) -> String {
        let write = |(unfold, degrees): (String, std::ops::RangeInclusive<usize>)| {
            let (first, many) = (self.local(*degrees.start(), 0, 0), degrees.map(of_degree).sum::<usize>());
            format!(" {{ real all[{many}]; {unfold}(L, all); WRITE({first}, {many}) }}")
        };
        let all = self.lowest()..=self.order;
        let each: String = match self.is_gathered(double) {
            true => all.map(|d| write((format!("unfold_{d}"), d..=d))).collect(),
            false => write(("unfold".into(), all)),
        };
        format!("#define EACH_DEGREE(WRITE){each}\n")
    }

    /// The derivatives `t0_` of degree d of G = -(r.r + eps^2)^(-nu/2) from those of the two degrees below alone:
    ///
    /// ```text
    /// d s D_n + (2 d + nu - 2) sum_i n_i x_i D_{n-e_i} + (d + nu - 2) sum_i n_i (n_i - 1) D_{n-2e_i} = 0,    s = r.r + eps^2
    /// ```
    ///
    /// [Duan and Krasny 2001, J. Comput. Chem. 22, 184, without softening; Lindsay and Krasny 2001, J. Comput. Phys. 172, 879,
    /// with it].
    pub(super) fn two_below(text: &mut Text, d: usize, nu: usize) {
        let factor = |number: usize| real(-(number as f64) / d as f64);
        let all = (1..=d).flat_map(|k| AXES.map(move |axis| (k, axis)));
        for (k, axis) in all {
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
        for (a, z) in of(d) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expansions::numbers::Numbers;
    use crate::expansions::operators::Motion;
    use crate::expansions::text::Language;

    const PLAIN: Operators =
        Operators { order: 9, dipoles: false, potential: false, of_law: false, motion: Motion::Rest };

    /// By the recurrence of McMurchie and Davidson, which the solvers on wgpu are tested with, too.
    #[test]
    fn derivatives_from_two_degrees_below_are_those_by_stages() {
        for by_half in 0..=2 {
            let found = [BY_STAGES, BY_STAGES + 1].map(|order| {
                let operators = Operators { order, ..PLAIN };
                let mut text = Text::new(Language::Cuda);
                for d in 0..=BY_STAGES {
                    operators.derivatives(&mut text, (d, order), by_half);
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
