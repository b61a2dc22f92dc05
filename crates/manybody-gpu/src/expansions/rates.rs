//! Prints what jerks need: the rates of moments and expansions, and what they do at a body that moves.
//!
//! The mathematics is that of `manybody_expansions`' `rates.rs`. Rates are numbers of the same kind as moments and expansions, with
//! the same operators. A body with velocity v has the acceleration -grad Phi and the jerk -grad (dPhi/dt) - (v . grad) grad Phi.
//! Velocities are in units of the cell.

use super::operators::{BACK, Motion, Operators, POINT, monomials};
use super::text::Argument::{self, Number, Own, Record, Taken};
use super::text::Text;
use manybody_expansions::index::{of, place};

const VELOCITY: [Argument; 3] = [Number("vx"), Number("vy"), Number("vz")];

/// The exponents of the three axes, as (a, z) of degree 1.
const ALONG: [(usize, usize); 3] = [(0, 0), (1, 0), (1, 1)];

impl Operators {
    /// The operators of the rates.
    pub(crate) fn of_rates(self) -> Self {
        Operators { dipoles: true, potential: false, motion: Motion::Rates, ..self }
    }

    pub(super) fn has_jerks(self) -> bool {
        self.motion == Motion::Jerks
    }

    /// What a body acts with: its mass; or the rates of its moment of degree 1.
    pub(super) fn body(self) -> Argument {
        if self.is_of_rates() { Taken("m", 3) } else { Number("m") }
    }

    /// Adds the rates of the moments of a body of mass m at (x, y, z) from the centre, in units of the cell.
    pub(super) fn of_moving_body(self, text: &mut Text) {
        text.open("of_body", &[POINT, &[Number("m")], &VELOCITY, &[Own("M", self.moments())]].concat());
        let highest = self.order.saturating_sub(2);
        monomials(text, "m", highest, BACK);
        for (d, (a, z)) in (0..=highest).flat_map(|d| of(d).map(move |at| (d, at))).filter(|_| self.order > 1) {
            for (velocity, (a1, z1)) in VELOCITY.iter().zip(ALONG) {
                let to = self.moment(d + 1, a + a1, z + z1);
                text.line(&format!("M[{to}] -= {} * u{};", velocity.name(), place(d, a, z)));
            }
        }
        text.close();
    }

    /// The part of what a moving body does with derivatives of degree d.
    pub(super) fn contract_moving_body(self, text: &mut Text, d: usize, name: impl Fn(usize) -> String) {
        for (a, z) in d.checked_sub(1).filter(|dn| *dn >= self.lowest()).into_iter().flat_map(of) {
            let to = self.local(d - 1, a, z);
            for (k, (a1, z1)) in ALONG.into_iter().enumerate() {
                text.line(&format!("L[{to}] = m_fma(m[{k}], {}, L[{to}]);", name(place(d, a + a1, z + z1))));
            }
        }
    }

    /// The arguments of an operator from so many moments, and rates of moments, to a place.
    pub(super) fn at_place_takes(self, moments: usize, rates: usize) -> Vec<Argument> {
        match self.has_jerks() {
            false => vec![Record("given", moments), Own("to", 4)],
            true => [&VELOCITY[..], &[Record("given", moments), Record("rates", rates), Own("to", 8)]].concat(),
        }
    }

    /// Those from an expansion, and its rates, to a body.
    pub(super) fn at_body_takes(self) -> Vec<Argument> {
        let (locals, rates) = (self.locals(), self.of_rates().locals());
        match self.has_jerks() {
            false => vec![Record("L", locals), Own("to", 4)],
            true => [&VELOCITY[..], &[Record("L", locals), Record("R", rates), Own("to", 8)]].concat(),
        }
    }

    /// The second derivatives of the potential, `q0` to `q5`, which are summed degree by degree.
    pub(super) fn begin_jerk(self, text: &mut Text) {
        for k in 0..if self.has_jerks() { 6 } else { 0 } {
            text.line(&format!("real q{k} = real(0);"));
        }
    }

    /// What moments and their rates do with derivatives of degree d.
    pub(super) fn jerk_at_place(self, text: &mut Text, d: usize) {
        if !self.has_jerks() {
            return;
        }
        for dk in self.degrees(d).filter(|dk| d - dk == 2) {
            for (ak, zk) in of(dk) {
                let moment = format!("m{}", self.moment(dk, ak, zk));
                for (k, (a, z)) in of(2).enumerate() {
                    text.line(&format!("q{k} = m_fma({moment}, t0_{}, q{k});", place(d, a + ak, z + zk)));
                }
            }
        }
        let rates = self.of_rates();
        for (dk, (ak, zk)) in rates.degrees(d).filter(|dk| d - dk == 1).flat_map(|dk| of(dk).map(move |at| (dk, at))) {
            let moment = rates.moment(dk, ak, zk);
            for (k, (a, z)) in ALONG.into_iter().enumerate() {
                let to = format!("to[{}]", 4 + k);
                text.line(&format!("{to} = m_fma(rates[{moment}], t0_{}, {to});", place(d, a + ak, z + zk)));
            }
        }
    }

    pub(super) fn end_jerk_far(self, text: &mut Text) {
        if self.has_jerks() {
            text.line("q5 = -(q0 + q3);");
        }
        self.end_jerk(text);
    }

    /// Adds the second derivatives along the velocity.
    pub(super) fn end_jerk(self, text: &mut Text) {
        let rows = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
        for (k, [x, y, z]) in rows.into_iter().enumerate().filter(|_| self.has_jerks()) {
            let to = format!("to[{}]", 4 + k);
            text.line(&format!("{to} = m_fma(vx, q{x}, m_fma(vy, q{y}, m_fma(vz, q{z}, {to})));"));
        }
    }

    /// Adds the rate of the gradient at a body that moves, from an expansion and its rates.
    pub(super) fn jerk_at_body(self, text: &mut Text) {
        if !self.has_jerks() {
            return;
        }
        self.begin_jerk(text);
        for (d, (a, z)) in (0..=self.order.saturating_sub(2)).flat_map(|d| of(d).map(move |at| (d, at))) {
            for (k, (a1, z1)) in of(2).enumerate().filter(|_| self.order > 1) {
                let from = self.local(d + 2, a + a1, z + z1);
                text.line(&format!("q{k} = m_fma(L[{from}], u{}, q{k});", place(d, a, z)));
            }
        }
        let rates = self.of_rates();
        for (d, (a, z)) in (0..self.order).flat_map(|d| of(d).map(move |at| (d, at))) {
            for (k, (a1, z1)) in ALONG.into_iter().enumerate() {
                let (from, to) = (rates.local(d + 1, a + a1, z + z1), format!("to[{}]", 4 + k));
                text.line(&format!("{to} = m_fma(R[{from}], u{}, {to});", place(d, a, z)));
            }
        }
        self.end_jerk(text);
    }
}
