//! Prints the operators of Cartesian expansions of one order as straight code, for the kernels.
//!
//! The mathematics is that of `manybody_expansions` (see its `taylor.rs`): moments M_k = sum_j m_j (c - x_j)^k / k!, derivatives D_n
//! of G(r) = -1/sqrt(r.r + eps^2) by the recurrence of McMurchie and Davidson, and L_n = sum_k M_k D_{n+k}, truncated at
//! |n| + |k| <= p [Dehnen 2002, J. Comput. Phys. 179, eqs. 3, 4]. Lengths are in a unit u of each cell, a power of two not
//! below its radius: M_k / u^k and L_n u^(n+1) stay in the range of f32.
//!
//! Where the softening does not matter, G is harmonic, and 2 d + 1 numbers of degree d say what all do: those of spherical harmonics
//! (`rotations.rs`).

use super::couplings::Coupling;
use super::text::Argument::{self, Kept, Number, Own, Record, Taken};
use super::text::{Language, Text};
use manybody_expansions::index::{count, lowered, of, of_degree, place, row};
use manybody_tree::{LawText, OF_LAPLACIAN, OF_SOFTENED};
use std::ops::RangeInclusive;

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operators {
    /// |n| + |k| at most; where G is harmonic |n| at most, and one more than |k|.
    pub(crate) order: usize,
    /// Whether there are moments of degree 1: about a centre of mass they are 0.
    pub(crate) dipoles: bool,
    /// Whether the coefficient of degree 0, the potential, is there.
    pub(crate) potential: bool,
    /// Whether G is a law's function of the distance, of which there are moments of the highest degree, too, and nothing that is
    /// harmonic. Where its expansions use a softening they have the square of the unit of length.
    pub(crate) of_law: bool,
    pub(crate) motion: Motion,
}

/// What operators have of the motion of bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Motion {
    /// Accelerations need nothing of it.
    #[default]
    Rest,
    /// Bodies and places have jerks beside accelerations.
    Jerks,
    /// Moments and expansions are the rates of others: there is nothing of degree 0, and a body acts as a moment of degree 1.
    Rates,
}

/// Operators that kernels have together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Moments of bodies and children, their power, and spherical moments.
    Moments,
    /// From cells and bodies to expansions about a sink, with softening.
    Onto,
    /// The same in two parts, in f64 and in f32.
    OntoInTwo,
    /// The same for a harmonic G, in f64 or in f32.
    OntoFar(bool),
    /// From cells to a place.
    AtPlace,
    /// From a cell's expansion to that of a child.
    ToChild,
    /// From a leaf's expansion to a body.
    AtBody,
    /// What a cell of a law weighs as a source.
    Weights,
    /// [`Onto`](Part::Onto) and [`AtPlace`](Part::AtPlace) of the first and second derivatives by a half of the square of the
    /// softening.
    Differences,
}

impl Part {
    /// All that bodies with one softening need.
    pub(crate) fn all(double: bool) -> [Part; 7] {
        use Part::{AtBody, AtPlace, Moments, Onto, OntoFar, ToChild, Weights};
        [Moments, Onto, OntoFar(double), AtPlace, ToChild, AtBody, Weights]
    }
}

pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// Of an interaction whose coefficients are in another unit, the factor of all.
pub(super) const SCALE: &str = "scale";

/// The way back.
pub(super) const BACK: [&str; 3] = ["(-x)", "(-y)", "(-z)"];

/// Where an operator acts.
pub(super) const POINT: &[Argument] = &[Number("x"), Number("y"), Number("z")];

impl Operators {
    /// How many moments there are.
    pub(crate) fn moments(self) -> usize {
        count(self.highest_moment()) - if self.dipoles || self.order < 2 { 0 } else { of_degree(1) }
    }

    /// How many coefficients an expansion about a sink has.
    pub(crate) fn locals(self) -> usize {
        count(self.order) - self.lowest()
    }

    /// How many spherical moments there are.
    pub(crate) fn spherical(self) -> usize {
        self.order * self.order - if self.dipoles || self.order < 2 { 0 } else { 3 }
    }

    /// How many coefficients of an expansion determine the others where G is harmonic.
    pub(crate) fn harmonics(self) -> usize {
        (self.order + 1) * (self.order + 1) - self.lowest()
    }

    pub(super) fn is_of_rates(self) -> bool {
        self.motion == Motion::Rates
    }

    pub(super) fn lowest(self) -> usize {
        usize::from(!self.potential)
    }

    /// The highest degree of moments: only values of a law need those of the order itself.
    pub(super) fn highest_moment(self) -> usize {
        if self.of_law { self.order } else { self.order - 1 }
    }

    /// Degrees of moments.
    pub(super) fn degrees(self, highest: usize) -> impl Iterator<Item = usize> {
        let is_there = move |d: &usize| *d <= highest && (*d != 1 || self.dipoles) && (*d != 0 || !self.is_of_rates());
        (0..=self.highest_moment()).filter(is_there)
    }

    pub(super) fn moment(self, d: usize, a: usize, z: usize) -> usize {
        place(d, a, z) - if self.dipoles || d < 2 { 0 } else { of_degree(1) }
    }

    pub(super) fn local(self, d: usize, a: usize, z: usize) -> usize {
        place(d, a, z) - self.lowest()
    }

    /// The text of operators, and their sizes; of a law with its text, and the coupling that [`Onto`](Part::Onto) is for.
    pub(crate) fn text(self, language: Language, parts: &[Part], law: Option<(&LawText, Option<&Coupling>)>) -> String {
        let mut text = Text::new(language);
        text.size("ORDER", self.order);
        text.size("MOMENTS", self.moments());
        text.size("LOCALS", self.locals());
        text.size("SPHERICAL", self.spherical());
        text.size("HARMONICS", self.harmonics());
        text.size("POTENTIAL", usize::from(self.potential));
        text.size("DIPOLES", usize::from(self.dipoles));
        text.real("OF_LAPLACIAN", OF_LAPLACIAN as f32);
        text.real("OF_SOFTENED", OF_SOFTENED as f32);
        let (charges, expansions) = law.map_or((1, 1), |(law, _)| (law.charges, law.expansions));
        text.size("CHARGES", charges);
        text.size("EXPANSIONS", expansions);
        if let Some((law, _)) = law {
            self.pair_of(&mut text, law);
        }
        for part in parts {
            match part {
                Part::Moments => {
                    if self.is_of_rates() {
                        self.of_moving_body(&mut text);
                    } else {
                        self.of_body(&mut text);
                    }
                    if !self.is_high() {
                        self.of_child(&mut text);
                    }
                    if !(self.of_law || self.is_of_rates()) {
                        self.effective(&mut text);
                    }
                    if !self.of_law {
                        self.to_spherical(&mut text);
                    }
                }
                Part::Onto => match law {
                    Some((law, Some(coupling))) => self.coupling_onto(&mut text, law, coupling),
                    Some((_, None)) => {}
                    // (they are computed by warps, in loops)
                    None if self.is_high() => {}
                    None => {
                        self.cell_onto(&mut text, 0);
                        self.body_onto(&mut text, 0);
                    }
                },
                Part::OntoInTwo => self.softened_in_two_parts(&mut text),
                Part::Differences => {
                    if !self.is_high() {
                        self.cell_onto(&mut text, 1);
                        self.cell_onto(&mut text, 2);
                        self.body_onto(&mut text, 1);
                    }
                    if !self.is_of_rates() {
                        self.at_place(&mut text, 1);
                    }
                }
                Part::OntoFar(_) if self.of_law => {}
                Part::OntoFar(double) => self.onto_far(&mut text, *double),
                // rates are added to what is summed at places with the moments themselves
                Part::AtPlace | Part::AtBody if self.is_of_rates() => {}
                Part::AtPlace => match law {
                    Some((law, _)) => self.products_at_place(&mut text, law),
                    None => {
                        self.at_place_far(&mut text);
                        self.at_place(&mut text, 0);
                    }
                },
                Part::ToChild if self.is_high() => {}
                Part::ToChild => self.to_child(&mut text),
                Part::AtBody => self.at_body(&mut text),
                Part::Weights if self.of_law => {
                    self.add_squares(&mut text);
                    self.weigh(&mut text);
                }
                Part::Weights => {}
            }
        }
        text.into_string()
    }

    /// Adds the moments of a body at (x, y, z) from the centre, in units of the cell.
    fn of_body(self, text: &mut Text) {
        text.open("of_body", &[POINT, &[Number("m"), Own("M", self.moments())]].concat());
        monomials(text, "m", self.highest_moment(), BACK);
        for d in self.degrees(self.order) {
            for (a, z) in of(d) {
                let to = self.moment(d, a, z);
                text.line(&format!("M[{to}] += u{};", place(d, a, z)));
            }
        }
        text.close();
    }

    /// The powers of the ratio of units.
    pub(super) fn powers(self, text: &mut Text) {
        text.line("const real f0 = real(1);");
        for d in 1..=self.highest_moment() {
            text.line(&format!("const real f{d} = f{} * ratio;", d - 1));
        }
    }

    /// Moments of another cell up to a degree, in units of this one.
    pub(super) fn scaled_moments(self, text: &mut Text, from: &str, highest: usize) {
        self.powers(text);
        self.moments_in_units(text, "m", highest, |k| format!("{from}[{k}]"));
    }

    /// The same by those powers; `given` is a moment in the other's units.
    pub(super) fn moments_in_units(self, text: &mut Text, name: &str, highest: usize, given: impl Fn(usize) -> String) {
        for d in self.degrees(highest) {
            for (a, z) in of(d) {
                let k = self.moment(d, a, z);
                let factor = if d == 0 { String::new() } else { format!(" * f{d}") };
                text.line(&format!("const real {name}{k} = {}{factor};", given(k)));
            }
        }
    }

    /// The distance at which one body with the cell's mass would have the power of the highest degree of these moments, or of
    /// the one below: a cell whose two halves mirror each other has no odd powers. In units of the cell [Dehnen 2014, Comput.
    /// Astrophys. Cosmol. 1:1, eq. 18].
    fn effective(self, text: &mut Text) {
        text.open_value("effective", &[Taken("M", self.moments()), Number("mass")]);
        text.line("real most = real(0);");
        for q in [self.order - 1, self.order.saturating_sub(2)].into_iter().filter(|q| *q >= 2) {
            text.line("{");
            self.power(text, q);
            text.line("}");
        }
        text.line("return most;");
        text.close();
    }

    /// The same for degree q, as the largest found so far; the mathematics is that of `manybody_tree`'s `power.rs`.
    fn power(self, text: &mut Text, q: usize) {
        let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
        let odd = |n: usize| (1..=n).map(|k| (2 * k - 1) as f64).product::<f64>();
        let even = |n: usize| (1..=n).map(|k| (2 * k) as f64).product::<f64>();
        let weight = |d: usize, a: usize, z: usize| factorial(d - a) * factorial(a - z) * factorial(z);
        for (a, z) in of(q) {
            let factor = real(weight(q, a, z));
            text.line(&format!("real w{} = M[{}] * {factor};", row(a) + z, self.moment(q, a, z)));
        }
        text.line("real square = real(0);");
        let mut d = q;
        for j in 0..=q / 2 {
            let sign = if j % 2 == 0 { 1.0 } else { -1.0 };
            // times d! of the norm
            let factor = sign * factorial(q) * odd(q - j) / (odd(q) * even(j));
            for (a, z) in of(d) {
                let (w, factor) = (row(a) + z, real(factor / weight(d, a, z)));
                text.line(&format!("square = m_fma(w{w} * {factor}, w{w}, square);"));
            }
            if d >= 2 {
                d -= 2;
                for (a, z) in of(d) {
                    let at = |a: usize, z: usize| row(a) + z;
                    let (to, y, z2) = (at(a, z), at(a + 2, z), at(a + 2, z + 2));
                    text.line(&format!("w{to} = w{to} + w{y} + w{z2};"));
                }
            }
        }
        let factor = real(odd(q) / factorial(q));
        text.line(&format!("const real power2 = max(square, real(0)) * {factor} / (mass * mass);"));
        let root = real(0.5 / q as f64);
        text.line(&format!("if (power2 > real(0)) {{ most = max(most, real(pow(power2, {root}))); }}"));
    }

    /// The derivatives of degree d, of which `t0_` are of G itself. `by_half` says how often
    /// G is derived by a half of the square of the softening before, times `factor` each: (1/2) g_{m+1} is the derivative of
    /// g_m.
    pub(super) fn derivatives(self, text: &mut Text, (d, highest): (usize, usize), by_half: usize) {
        if d == 0 {
            text.line("const real s = m_fma(x, x, m_fma(y, y, m_fma(z, z, soft2)));");
            text.line("const real r1 = m_rsqrt(s);");
            text.line("const real r2 = r1 * r1;");
            let next = |m: usize| real(-((2 * m - 1) as f64));
            let times: String = (1..=by_half).map(|m| format!(" * ({} * r2 * factor)", next(m))).collect();
            text.line(&format!("const real t0_0 = -r1{times};"));
            if self.is_high() {
                return;
            }
            for m in 1..=highest {
                text.line(&format!("const real t{m}_0 = {} * r2 * t{}_0;", next(m + by_half), m - 1));
            }
            return;
        }
        match self.is_high() {
            true => Self::two_below(text, d, 1 + 2 * by_half),
            false => self.recurrence(text, (d, highest), ""),
        }
    }

    /// The same from those of lower degrees, of a function whose numbers begin with `t` and this.
    pub(super) fn recurrence(self, text: &mut Text, (d, highest): (usize, usize), of_function: &str) {
        let t = format!("t{of_function}");
        for m in 0..=highest - d {
            for (a, z) in of(d) {
                let (axis, exponent, (a1, z1)) = lowered(d, a, z);
                let one = format!("{t}{}_{}", m + 1, place(d - 1, a1, z1));
                let (to, axis_name) = (place(d, a, z), AXES[axis]);
                if exponent == 1 {
                    text.line(&format!("const real {t}{m}_{to} = {axis_name} * {one};"));
                } else {
                    let (_, _, (a2, z2)) = match axis {
                        0 => (0, 0, (a1, z1)),
                        1 => (0, 0, (d - 2, z1)),
                        _ => (0, 0, (d - 2, d - 2)),
                    };
                    let two = format!("{t}{}_{}", m + 1, place(d - 2, a2, z2));
                    let factor = real((exponent - 1) as f64);
                    text.line(&format!("const real {t}{m}_{to} = m_fma({axis_name}, {one}, {two} * {factor});"));
                }
            }
        }
    }

    /// Adds what a cell does to the expansion about a sink at (x, y, z) from it, in units of the sink.
    fn cell_onto(self, text: &mut Text, by_half: usize) {
        let name = ["from_cell", "from_cell_1", "from_cell_2"][by_half];
        self.onto(text, name, softness(by_half), (self.moments(), self.locals()), |text| {
            self.of_cell(text, 0..=self.order, by_half);
        });
    }

    /// The pairs of moments and coefficients whose degrees add up to these.
    pub(super) fn of_cell(self, text: &mut Text, degrees: RangeInclusive<usize>, by_half: usize) {
        self.scaled_moments(text, "given", *degrees.end());
        for d in 0..=*degrees.end() {
            self.derivatives(text, (d, *degrees.end()), by_half);
            if degrees.contains(&d) {
                self.back(text, d, |at| format!("t0_{at}"));
                self.contract(text, d, |at| format!("e{at}"));
            }
        }
    }

    /// Prints an operator from so many moments of a cell to so many numbers of an expansion, with the ratio of the source's unit and
    /// the sink's. It computes in the larger of the two: derivatives of high degrees in the unit of a small sink would be below the
    /// range of f32. `body` prints its statements. On CUDA that takes 2 to 6 % of an evaluation; a branch around it takes more.
    pub(super) fn onto(
        self,
        text: &mut Text,
        name: &str,
        softness: &[Argument],
        (moments, locals): (usize, usize),
        body: impl Fn(&mut Text),
    ) {
        let larger = format!("{name}_in_larger");
        let rest = [Number("ratio"), Number("back"), Record("given", moments), Own("L", locals)];
        text.open(&larger, &[POINT, softness, &rest].concat());
        let unit =
            softness.iter().find(|argument| argument.name() == SCALE).map_or_else(|| real(1.0), |_| SCALE.into());
        text.line(&format!("const real b0 = {unit};"));
        let first = usize::from(!self.of_law);
        (1..=self.order + first).for_each(|k| text.line(&format!("const real b{k} = b{} * back;", k - 1)));
        body(text);
        text.close();
        text.open(name, &[POINT, softness, &[Number("ratio"), Kept("given"), Own("L", locals)]].concat());
        text.line("const real larger = max(ratio, real(1));");
        text.line("const real back = real(1) / larger;");
        let mut given: Vec<String> = AXES.map(|axis| format!("{axis} * back")).into();
        // of a law the square of the unit, where gravity has that of the softening, and a factor, in this unit
        let square = if self.of_law { "larger * larger" } else { "back * back" };
        given.extend(softness.iter().map(|argument| match argument.name() {
            SCALE => SCALE.to_owned(),
            name => format!("{name} * ({square})"),
        }));
        text.line(&format!("{larger}({}, ratio, back, given, L);", given.join(", ")));
        text.close();
    }

    /// Brings derivatives of degree d, as `name` names them, to the sink's unit: `e` of each.
    pub(super) fn back(self, text: &mut Text, d: usize, name: impl Fn(usize) -> String) {
        // 1/r has a unit of length itself
        let power = d + usize::from(!self.of_law);
        let times = if power == 0 { String::new() } else { format!(" * b{power}") };
        for (a, z) in of(d) {
            let at = place(d, a, z);
            text.line(&format!("const real e{at} = {}{times};", name(at)));
        }
    }

    /// The part of sum_k M_k D_{n+k} with |n| + |k| = d; `name` names a derivative.
    pub(super) fn contract(self, text: &mut Text, d: usize, name: impl Fn(usize) -> String) {
        for dk in self.degrees(d) {
            let dn = d - dk;
            if dn < self.lowest() {
                continue;
            }
            for (ak, zk) in of(dk) {
                let from = self.moment(dk, ak, zk);
                for (a, z) in of(dn) {
                    let (to, at) = (self.local(dn, a, z), name(place(d, a + ak, z + zk)));
                    text.line(&format!("L[{to}] = m_fma(m{from}, {at}, L[{to}]);"));
                }
            }
        }
    }

    /// The part of degree d of what a body of mass m does.
    pub(super) fn contract_body(self, text: &mut Text, d: usize, name: impl Fn(usize) -> String) {
        if self.is_of_rates() {
            return self.contract_moving_body(text, d, name);
        }
        for (a, z) in of(d).filter(|_| d >= self.lowest()) {
            let to = self.local(d, a, z);
            text.line(&format!("L[{to}] = m_fma(m, {}, L[{to}]);", name(place(d, a, z))));
        }
    }

    /// Adds what a body of mass m does to the expansion about a sink at (x, y, z) from it, in units of the sink.
    fn body_onto(self, text: &mut Text, by_half: usize) {
        self.body_onto_degrees(text, ["from_body", "from_body_1"][by_half], 0..=self.order, by_half);
    }

    /// What it does by derivatives of these degrees.
    pub(super) fn body_onto_degrees(self, text: &mut Text, name: &str, degrees: RangeInclusive<usize>, by_half: usize) {
        let rest = [self.body(), Own("L", self.locals())];
        text.open(name, &[POINT, softness(by_half), &rest].concat());
        for d in 0..=*degrees.end() {
            self.derivatives(text, (d, *degrees.end()), by_half);
            if degrees.contains(&d) {
                self.contract_body(text, d, |at| format!("t0_{at}"));
            }
        }
        text.close();
    }

    /// Folds moments for a harmonic G, and turns them into those of spherical harmonics.
    fn to_spherical(self, text: &mut Text) {
        text.open("to_spherical", &[Taken("M", self.moments()), Own("to", self.spherical())]);
        if self.is_of_rates() {
            text.line("to[0] = real(0);");
        }
        for d in self.degrees(self.order) {
            for (a, z) in of(d) {
                text.line(&format!("real w{} = M[{}];", place(d, a, z), self.moment(d, a, z)));
            }
            for (a, z) in (2..=d).rev().flat_map(|z| (z..=d).map(move |a| (a, z))) {
                let [from, x, y] = [(a, z), (a - 2, z - 2), (a, z - 2)].map(|(a, z)| place(d, a, z));
                text.line(&format!("w{x} -= w{from};"));
                text.line(&format!("w{y} -= w{from};"));
            }
        }
        self.spherical_moments(text);
        text.close();
    }

    /// Adds the gradient and the potential that a cell makes at (x, y, z) from it, in units of the cell: `to` has three numbers
    /// of the gradient, and the potential; then the rate of the gradient at a body that moves, where jerks are computed.
    fn at_place(self, text: &mut Text, by_half: usize) {
        let rest = self.at_place_takes(self.moments(), self.of_rates().moments());
        text.open(["at_place", "at_place_1"][by_half], &[POINT, softness(by_half), &rest].concat());
        text.line("const real ratio = real(1);");
        self.scaled_moments(text, "given", self.order);
        self.begin_jerk(text);
        for d in 0..=self.order {
            self.derivatives(text, (d, self.order), by_half);
            for dk in self.degrees(d).filter(|dk| d - dk <= 1 && d - dk >= self.lowest()) {
                for (ak, zk) in of(dk) {
                    let from = self.moment(dk, ak, zk);
                    for (k, (a, z)) in of(d - dk).enumerate() {
                        let (to, at) = (if d == dk { 3 } else { k }, place(d, a + ak, z + zk));
                        text.line(&format!("to[{to}] = m_fma(m{from}, t0_{at}, to[{to}]);"));
                    }
                }
            }
            self.jerk_at_place(text, d);
        }
        self.end_jerk(text);
        text.close();
    }

    /// Adds the gradient and the potential of an expansion at (x, y, z) from its centre, in its units.
    fn at_body(self, text: &mut Text) {
        text.open("at_body", &[POINT, &self.at_body_takes()].concat());
        monomials(text, "real(1)", self.order - self.lowest(), AXES);
        for d in self.lowest()..=self.order {
            for (a, z) in of(d).filter(|_| self.potential) {
                text.line(&format!("to[3] = m_fma(L[{}], u{}, to[3]);", self.local(d, a, z), place(d, a, z)));
            }
        }
        for d in 0..self.order {
            for (a, z) in of(d) {
                let next = [(a, z), (a + 1, z), (a + 1, z + 1)];
                for (k, (a1, z1)) in next.into_iter().enumerate() {
                    let from = self.local(d + 1, a1, z1);
                    text.line(&format!("to[{k}] = m_fma(L[{from}], u{}, to[{k}]);", place(d, a, z)));
                }
            }
        }
        self.jerk_at_body(text);
        text.close();
    }
}

/// The square of the softening; with derivatives by its half, the factor of each.
pub(super) fn softness(by_half: usize) -> &'static [Argument] {
    const BOTH: &[Argument] = &[Number("soft2"), Number("factor")];
    &BOTH[..if by_half == 0 { 1 } else { 2 }]
}

/// The monomials `first` x^k / k! up to a degree.
pub(super) fn monomials(text: &mut Text, first: &str, highest: usize, axes: [&str; 3]) {
    text.line(&format!("const real u0 = {first};"));
    for d in 1..=highest {
        for (a, z) in of(d) {
            let (axis, exponent, (a1, z1)) = lowered(d, a, z);
            let (to, from) = (place(d, a, z), place(d - 1, a1, z1));
            let factor = if exponent == 1 { String::new() } else { format!(" * {}", real(1.0 / exponent as f64)) };
            text.line(&format!("const real u{to} = {}{factor} * u{from};", axes[axis]));
        }
    }
}

/// A number of the kernel's type.
pub(super) fn real(number: f64) -> String {
    format!("real({number:?})")
}
