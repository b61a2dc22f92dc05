//! Moments and expansions about another centre, one axis after the other: of order p that takes about p^4 / 8 multiplications, where
//! all axes at once take p^6 / 720 (990 and 3,003 at order 8), and the text is as much shorter to compile.

use super::operators::{AXES, BACK, Operators, POINT, real};
use super::text::Argument::{Kept, Number, Own, Record};
use super::text::Text;
use manybody_expansions::index::{of, place};

impl Operators {
    /// Adds the moments of a child, whose centre is at (x, y, z) from the cell's, both in units of the cell; the ratio is that of
    /// the child's unit and the cell's.
    pub(super) fn of_child(self, text: &mut Text) {
        text.open(
            "of_child",
            &[POINT, &[Number("ratio"), Record("given", self.moments()), Own("M", self.moments())]].concat(),
        );
        self.powers(text);
        let highest = self.highest_moment();
        for d in 0..=highest {
            let is_there = self.degrees(d).any(|there| there == d);
            for (a, z) in of(d) {
                let from = if is_there { format!("given[{}] * f{d}", self.moment(d, a, z)) } else { "real(0)".into() };
                text.line(&format!("real w{} = {from};", place(d, a, z)));
            }
        }
        // one axis after the other: M_n += sum_k (-s)^k / k! M_{n-k}, from the highest exponent down
        for axis in 0..3 {
            monomials_of(text, axis, highest, BACK[axis]);
            for d in (1..=highest).rev() {
                for (a, z) in of(d) {
                    for (k, (d1, a1, z1)) in (1..).zip(all_lowered(axis, (d, a, z))) {
                        let (to, from) = (place(d, a, z), place(d1, a1, z1));
                        text.line(&format!("w{to} = m_fma(w{from}, {}{k}, w{to});", AXES[axis]));
                    }
                }
            }
        }
        for d in self.degrees(self.order) {
            for (a, z) in of(d) {
                text.line(&format!("M[{}] += w{};", self.moment(d, a, z), place(d, a, z)));
            }
        }
        text.close();
    }

    /// Adds the expansion about a cell to that about its child at (x, y, z) from it, in units of the cell; the ratio is that of
    /// the child's unit and the cell's.
    pub(super) fn to_child(self, text: &mut Text) {
        text.open("to_child", &[POINT, &[Number("ratio"), Record("given", self.locals()), Kept("L")]].concat());
        let coefficients = || (self.lowest()..=self.order).flat_map(|d| of(d).map(move |(a, z)| (d, a, z)));
        for (d, a, z) in coefficients() {
            text.line(&format!("real w{} = given[{}];", place(d, a, z), self.local(d, a, z)));
        }
        // one axis after the other: L_n += sum_k s^k / k! L_{n+k}, from the lowest exponent up, so that L_{n+k} is as it was
        for axis in 0..3 {
            monomials_of(text, axis, self.order - self.lowest(), AXES[axis]);
            for (d, a, z) in coefficients() {
                for k in 1..=self.order - d {
                    let (a1, z1) = [(a, z), (a + k, z), (a + k, z + k)][axis];
                    let (to, from) = (place(d, a, z), place(d + k, a1, z1));
                    text.line(&format!("w{to} = m_fma(w{from}, {}{k}, w{to});", AXES[axis]));
                }
            }
        }
        // 1/r has a unit of length itself
        text.line(if self.of_law { "real factor = real(1);" } else { "real factor = ratio;" });
        for dn in 0..=self.order {
            if dn > 0 {
                text.line("factor *= ratio;");
            }
            for (a, z) in of(dn).filter(|_| dn >= self.lowest()) {
                let to = self.local(dn, a, z);
                text.line(&format!("L[{to}] = m_fma(factor, w{}, L[{to}]);", place(dn, a, z)));
            }
        }
        text.close();
    }
}

/// The coefficients with one less of an axis, two less, and so on, as (d, a, z).
fn all_lowered(axis: usize, (d, a, z): (usize, usize, usize)) -> impl Iterator<Item = (usize, usize, usize)> {
    let exponent = [d - a, a - z, z][axis];
    (1..=exponent).map(move |k| match axis {
        0 => (d - k, a, z),
        1 => (d - k, a - k, z),
        _ => (d - k, a - k, z - k),
    })
}

/// The numbers s^k / k! of an axis, `x1`, `x2` and so on.
fn monomials_of(text: &mut Text, axis: usize, highest: usize, step: &str) {
    let name = AXES[axis];
    for k in 1..=highest {
        match k {
            1 => text.line(&format!("const real {name}1 = {step};")),
            _ => text.line(&format!("const real {name}{k} = {step} * {name}{} * {};", k - 1, real(1.0 / k as f64))),
        }
    }
}
