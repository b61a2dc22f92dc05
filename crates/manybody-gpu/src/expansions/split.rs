//! Interactions in f64, of high orders and where the softening matters: pairs of low degrees are f64, and all others f32.
//!
//! What a moment of degree k does to a coefficient of degree n is at most ((b_A + b_B) / R)^(n + k) of what the cell does. Where cells
//! interact at high orders that is 0.3 or less, so that above some sum of degrees f32 has all digits that count; it is twice as fast, its constants are
//! parts of instructions, and its columns take half of the memory. The frame of an interaction and the factors of a degree are found in f64, so f32
//! needs no range for distances.

use super::operators::{Operators, POINT, SCALE, real, softness};
use super::rotations::{angles, begin_irregular, column, factors, frame, index_of, put, turned, turned_back};
use super::text::Argument::{Kept, Number, Own};
use super::text::Text;
use manybody_expansions::spherical::orders;
use manybody_law::simd::Element;
use manybody_tree::Limits;

/// Pairs of degrees whose sum is at most this are f64. Rounding in the others is about 2.5e-7 of the fifth power of the angle (types.cuh): 6e-10
/// of M / R^2 at 0.3, and 8e-11 at 0.2, where interactions of errors of 1e-10 are a hundredth of an acceleration.
pub(crate) const IN_F64: usize = 5;

/// The same where the softening matters and pairs have n + k up to the order.
pub(crate) const SOFTENED_IN_F64: usize = 5;
/// From this order on; at lower ones angles are so large that rounding would be seen in momentum.
const LOWEST_SOFTENED: usize = 8;

/// What the second part of an interaction takes of the first: of a cell the frame, of a body the place.
const FRAME: [&str; 7] = ["h", "q1", "ir", "cp1", "sp1", "ct1", "st1"];
const PLACE: [&str; 5] = ["ir", "xs", "ys", "zs", "rs"];

/// Up to this ratio of a unit and a distance its powers, to order 12, are far from the upper end of f32's range.
const LARGEST_UNIT: f32 = 4.0;

impl Operators {
    /// The ratios of units and distances with which cells may interact; `own_softenings` have second expansions, with two derivatives more.
    pub(crate) fn limits<T: Element>(self, own_softenings: bool) -> Limits {
        let limits = Limits::of::<T>(self.order + 2 * usize::from(own_softenings));
        let most = if self.is_split(T::DOUBLE) { LARGEST_UNIT.powi(2) } else { f32::INFINITY };
        Limits { unit2: limits.unit2.min(most), ..limits }
    }

    /// Whether an interaction that is far has parts in f64 and in f32.
    pub(crate) fn is_split(self, double: bool) -> bool {
        double && self.is_high() && !self.of_law
    }

    /// Whether an interaction that the softening matters to has them, where bodies have one softening.
    pub(crate) fn is_soft_split(self, double: bool) -> bool {
        double && self.order >= LOWEST_SOFTENED && !self.is_high() && !self.of_law
    }

    /// How many coefficients and moments have parts in f64 where the softening matters.
    pub(crate) fn low_softened(self) -> (usize, usize) {
        let low = Operators { order: SOFTENED_IN_F64, of_law: true, ..self };
        (low.locals(), low.moments())
    }

    /// From cells and bodies where the softening matters, each in two parts: `_low` and, in a namespace of f32, `_high`, whose coefficients are
    /// in a unit of its own.
    pub(super) fn softened_in_two_parts(self, text: &mut Text) {
        let (low, high) = (0..=SOFTENED_IN_F64, SOFTENED_IN_F64 + 1..=self.order);
        let sizes = (self.moments(), self.locals());
        self.onto(text, "soft_cell_low", softness(0), sizes, |text| self.of_cell(text, low.clone(), 0));
        self.body_onto_degrees(text, "soft_body_low", low.clone(), 0);
        text.open_single();
        let softness = [softness(0), &[Number(SCALE)]].concat();
        self.onto(text, "soft_cell_high", &softness, sizes, |text| self.of_cell(text, high.clone(), 0));
        self.body_onto_degrees(text, "soft_body_high", high.clone(), 0);
        text.close_single();
    }

    /// From cells and bodies, each in two parts: `_low` and, in a namespace of f32, `_high`. Moments are in units of the cell.
    pub(super) fn in_two_parts(self, text: &mut Text) {
        self.cell_low(text);
        self.body_low(text);
        text.open_single();
        self.cell_high(text);
        self.body_high(text);
        text.close_single();
    }

    /// Pairs of low degrees: moments in a column, whose place the coefficients take.
    fn cell_low(self, text: &mut Text) {
        let rest = [Number("soft2"), Number("ratio"), Kept("column"), Own("frame", FRAME.len())];
        text.open("from_cell_low", &[POINT, &rest].concat());
        frame(text);
        text.line("const real q1 = ratio * h;");
        angles(text, IN_F64);
        factors(text, IN_F64 + 1);
        keep(text, &FRAME);
        for k in self.degrees(IN_F64) {
            let given = self.moments_of_degree(text, k, |m| column(k, m));
            for (m, from) in orders(k).zip(turned(text, k, given, false)) {
                if let Some(from) = from {
                    text.line(&format!("const real w{k}_{} = {from};", index_of(k, m)));
                }
            }
        }
        for n in self.lowest()..=IN_F64 {
            let names = |k, m| format!("w{k}_{}", index_of(k, m));
            let row = orders(n).map(|m| self.translated(text, (n, m), |k| n + k <= IN_F64, names)).collect();
            let found = turned_back(text, n, row, false).into_iter();
            let scaled = found.map(|from| from.map_or_else(|| real(0.0), |from| format!("g{n} * {from}")));
            put(text, orders(n).map(|m| column(n, m)).zip(scaled.map(Some)));
        }
        text.close();
    }

    /// All others, from moments of all degrees in a column of f32.
    fn cell_high(self, text: &mut Text) {
        text.open("from_cell_high", &[&FRAME.map(Number)[..], &[Kept("column")]].concat());
        angles(text, self.order);
        factors(text, self.order);
        self.through_column(text, false, |k, n| n + k > IN_F64);
        text.close();
    }

    /// What a body does to coefficients of low degrees.
    fn body_low(self, text: &mut Text) {
        let rest = [Number("soft2"), self.body(), Kept("column"), Own("place", PLACE.len())];
        text.open("from_body_low", &[POINT, &rest].concat());
        begin_irregular(text);
        for (k, name) in PLACE.iter().enumerate() {
            text.line(&format!("place[{k}] = {name};"));
        }
        self.of_body_far(text, self.lowest()..=IN_F64, true);
        text.close();
    }

    /// The same for all others.
    fn body_high(self, text: &mut Text) {
        text.open("from_body_high", &[&PLACE.map(Number)[..], &[self.body(), Kept("column")]].concat());
        self.of_body_far(text, IN_F64 + 1..=self.order, true);
        text.close();
    }
}

fn keep(text: &mut Text, names: &[&str]) {
    for (k, name) in names.iter().enumerate() {
        text.line(&format!("frame[{k}] = {name};"));
    }
}
