//! Prints what a cell of a law weighs as a source; the mathematics is that of `manybody_tree`'s `law/weight.rs`.

use super::operators::{Operators, real};
use super::text::Argument::{Number, Own, Record, Taken};
use super::text::Text;
use manybody_tree::{PARTS_OF_RADIUS, square_factors};

impl Operators {
    /// How many squares of norms there are: of each degree of moments.
    pub(super) fn squares(self) -> usize {
        self.order + 1
    }

    /// Adds the squares of the norms of moments, times `scale`, of each degree.
    pub(super) fn add_squares(self, text: &mut Text) {
        let rest = [Number("scale"), Record("given", self.moments()), Own("squares", self.squares())];
        text.open("add_squares", &rest);
        for d in self.degrees(self.order) {
            for ((a, z), factor) in manybody_expansions::index::of(d).zip(square_factors(d)) {
                let k = self.moment(d, a, z);
                text.line(&format!("const real m{k} = given[{k}] * scale;"));
                text.line(&format!("squares[{d}] = m_fma(m{k} * {}, m{k}, squares[{d}]);", real(factor)));
            }
        }
        text.close();
    }

    /// The weight of a source whose charges have the size 1 together, and its radius; lengths in units of the cell. The norms are no less
    /// than `least` times powers of `rms`.
    pub(super) fn weigh(self, text: &mut Text) {
        let lengths = [Number("radius"), Number("rms"), Number("least")];
        text.open("weigh", &[&lengths[..], &[Taken("squares", self.squares()), Own("to", 2)]].concat());
        text.line("const real n0 = max(real(pow(squares[0], real(0.5))), least);");
        text.line("const real least0 = least;");
        for d in 1..=self.order {
            text.line(&format!("const real least{d} = least{} * rms;", d - 1));
            text.line(&format!("const real n{d} = max(real(pow(squares[{d}], real(0.5))), least{d});"));
        }
        // cells of almost no size: powers of one over the radius stay in range
        text.line("const real size = max(radius, real(0.001));");
        let next = self.order + 1;
        text.line(&format!("const real n{next} = radius * max(n{}, radius * n{});", self.order, self.order - 1));
        text.line("real fewest = real(3e38);");
        text.line("to[0] = real(1);");
        text.line("to[1] = size;");
        for part in PARTS_OF_RADIUS {
            text.line("{");
            text.line(&format!("const real s = size * {};", real(part)));
            text.line(&format!("const real inverse = {} / size;", real(1.0 / part)));
            text.line("real weight = n0;");
            text.line("real power = inverse;");
            text.line("real lacks = real(1);");
            for d in 1..=next {
                text.line(&format!("weight = max(weight, n{d} * power);"));
                text.line("power = power * inverse;");
                text.line("lacks = lacks * (s + size);");
            }
            text.line("lacks = lacks * weight;");
            text.line("if (lacks < fewest) {");
            text.line("fewest = lacks;");
            text.line("to[0] = weight;");
            text.line("to[1] = s;");
            text.line("}");
            text.line("}");
        }
        text.close();
    }
}
