//! Prints what cells and bodies do where G is harmonic: by real solid harmonics, in a frame in which the two lie along z.
//!
//! The mathematics is that of `manybody_expansions::spherical`. Moments of degree k <= p - 1 act on all coefficients of degree n <= p,
//! so that both sides of an interaction have the same pairs of degrees, and momentum is conserved; a Cartesian interaction of
//! this order, of n + k <= p, has a larger error, and one with all pairs takes more multiplications.
//!
//! With Plummer's softening an interaction has no trace where that is small enough: I_n(x) = R_n(x) / (r^2 + eps^2)^(n + 1/2),
//! whose powers of the distance r are those of h = r / (r^2 + eps^2). Moments of degree k are multiplied by (u h)^k, with the unit
//! u of the cell, and coefficients of degree n by h^n: all numbers between stay near one, also in f32.

use super::operators::{AXES, Operators, POINT, real};
use super::text::Argument::{Kept, Number, Own, Record, Taken};
use super::text::{Language, Text};
use manybody_expansions::index::{harmonics_of, of_degree, place};
use manybody_expansions::spherical::{self, Matrix, at, orders};
use std::ops::RangeInclusive;

/// Columns of moments that a warp has read; one more than there are lanes, so that lanes that write one column use all banks.
const COLUMNS: usize = 33;

/// The cosines and sines that are kept beside a column, for their multiples, where registers do not hold all of these.
const FIRST: [&str; 4] = ["cp1", "sp1", "ct1", "st1"];
const LANES: usize = 32;

/// Below this part of the distance's square, that from the axis along z does not count.
const ON_AXIS: f64 = 1e-30;

/// Terms of a sum, as factor and number.
type Terms = Vec<(f64, String)>;

/// The text of a sum.
fn sum(terms: &[(f64, String)]) -> String {
    let mut sum = String::new();
    for (factor, name) in terms {
        sum = match (sum.is_empty(), *factor == 1.0, *factor == -1.0) {
            (true, true, _) => name.clone(),
            (true, _, true) => format!("-{name}"),
            (true, ..) => format!("{} * {name}", real(*factor)),
            (_, true, _) => format!("{sum} + {name}"),
            (_, _, true) => format!("{sum} - {name}"),
            _ => format!("m_fma({}, {name}, {sum})", real(*factor)),
        };
    }
    sum
}

/// The numbers of a degree by m; `None` for what is 0.
type Row = Vec<Option<String>>;

impl Operators {
    /// Where the moment (k, m) is in a record.
    fn spherical_moment(self, k: usize, m: i32) -> usize {
        at(k, m) - if self.dipoles || k < 2 { 0 } else { 3 }
    }

    /// Adds what a cell does to the coefficients of a sink at (x, y, z) from it, in units of the sink; the ratio is that of the
    /// source's unit and the sink's.
    pub(super) fn cell_onto_far(self, text: &mut Text) {
        let given = if text.language() == Language::Cuda { Kept("given") } else { Record("given", self.spherical()) };
        let rest = [Number("soft2"), Number("ratio"), given, Own("L", self.harmonics())];
        text.open("from_cell_far", &[POINT, &rest].concat());
        self.begin_interaction(text, false);
        for k in self.degrees(self.order) {
            let given = self.moments_of_degree(text, k, |m| format!("given[{}]", self.spherical_moment(k, m)));
            for (m, from) in orders(k).zip(turned(text, k, given, false)) {
                if let Some(from) = from {
                    text.line(&format!("const real w{k}_{} = {from};", index_of(k, m)));
                }
            }
        }
        for n in self.lowest()..=self.order {
            let names = |k, m| format!("w{k}_{}", index_of(k, m));
            let row = orders(n).map(|m| self.translated(text, (n, m), |_| true, names)).collect();
            for (m, from) in orders(n).zip(turned_back(text, n, row, false)) {
                let to = self.number(n) + index_of(n, m);
                if let Some(from) = from {
                    text.line(&format!("L[{to}] = m_fma(g{n}, {from}, L[{to}]);"));
                }
            }
        }
        text.close();
    }

    /// The same for high orders, whose numbers do not fit the registers: the moments of a cell, in units of the sink, are in a lane's
    /// column, harmonic by harmonic, and what comes of them takes their place.
    pub(super) fn cell_in_column(self, text: &mut Text, again: bool) {
        text.open("from_cell_far", &[POINT, &[Number("soft2"), Kept("column"), Kept("first")]].concat());
        text.line("const real ratio = real(1);");
        self.begin_interaction(text, again);
        if again {
            put(
                text,
                FIRST.iter().enumerate().map(|(k, name)| (format!("first[{}]", LANES * k), Some((*name).to_owned()))),
            );
        }
        self.through_column(text, again, |_, _| true);
        text.close();
    }

    /// What moments in a lane's column do, by the pairs (k, n) of degrees that are taken; it takes their place. `again` is that of [`turned`].
    pub(super) fn through_column(self, text: &mut Text, again: bool, takes: impl Fn(usize, usize) -> bool) {
        for k in self.degrees(self.order).filter(|k| *k > 0) {
            let given = self.moments_of_degree(text, k, |m| column(k, m));
            let turned = turned(text, k, given, again);
            put(text, orders(k).map(|m| column(k, m)).zip(turned));
        }
        text.line("m_step();");
        // along z, one m after the other
        for m in orders(self.order) {
            let first = m.unsigned_abs() as usize;
            let sign = if m < 0 { "n" } else { "p" };
            for k in self.degrees(self.order).filter(|k| *k >= first) {
                text.line(&format!("const real w{sign}{first}_{k} = {};", column(k, m)));
            }
            let names = |k: usize, _: i32| format!("w{sign}{first}_{k}");
            let degrees = self.lowest().max(first)..=self.order;
            let found: Vec<_> =
                degrees.clone().map(|n| self.translated(text, (n, m), |k| takes(k, n), names)).collect();
            put(
                text,
                degrees.map(|n| column(n, m)).zip(found.into_iter().map(|found| found.or_else(|| Some(real(0.0))))),
            );
        }
        text.line("m_step();");
        for n in self.lowest()..=self.order {
            let row = orders(n).map(|m| {
                let name = format!("r{n}_{}", index_of(n, m));
                text.line(&format!("const real {name} = {};", column(n, m)));
                Some(name)
            });
            let row = row.collect();
            let turned = turned_back(text, n, row, again).into_iter();
            let scaled = turned.map(|from| from.map(|from| format!("g{n} * {from}")));
            put(text, orders(n).map(|m| column(n, m)).zip(scaled));
        }
    }

    /// Bytes of the columns of a warp, and of what is kept beside them in f64.
    pub(super) fn bytes_of_columns(self, double: bool) -> usize {
        let numbers = COLUMNS * (self.order + 1) * (self.order + 1);
        match (double, self.is_split(double)) {
            (true, false) => 8 * (numbers + LANES * FIRST.len()),
            (true, true) => 8 * numbers.div_ceil(2),
            (false, _) => 4 * numbers,
        }
    }

    /// The frame of an interaction, and the factors of moments and coefficients.
    fn begin_interaction(self, text: &mut Text, again: bool) {
        frame(text);
        angles(text, if again { 1 } else { self.order });
        text.line("const real q1 = ratio * h;");
        factors(text, self.order);
    }

    /// The moments of a degree over the power of the distance.
    pub(super) fn moments_of_degree(self, text: &mut Text, k: usize, given: impl Fn(i32) -> String) -> Row {
        let times = if k == 0 { String::new() } else { format!(" * q{k}") };
        let name = |m| format!("m{k}_{}", index_of(k, m));
        orders(k).for_each(|m| text.line(&format!("const real {} = {}{times};", name(m), given(m))));
        orders(k).map(|m| Some(name(m))).collect()
    }

    /// What moments, of these names and of the degrees that are taken, do along z to the coefficient (n, m).
    pub(super) fn translated(
        self,
        text: &mut Text,
        (n, m): (usize, i32),
        takes: impl Fn(usize) -> bool,
        names: impl Fn(usize, i32) -> String,
    ) -> Option<String> {
        let order = m.unsigned_abs() as usize;
        let acting = self.degrees(self.order).filter(|k| *k >= order && takes(*k));
        let terms: Terms = acting.map(|k| (spherical::translation(n, k, order), names(k, m))).collect();
        let name = format!("o{n}_{}", index_of(n, m));
        (!terms.is_empty()).then(|| {
            text.line(&format!("const real {name} = {};", sum(&terms)));
            name
        })
    }

    /// Where the coefficients of a degree begin.
    fn number(self, n: usize) -> usize {
        n * n - self.lowest()
    }

    /// The same for a body: of mass m, or with the rates m of its moment of degree 1; it adds to the coefficients, or writes a column.
    pub(super) fn body_onto_far(self, text: &mut Text, in_column: bool) {
        let to = if in_column { Kept("column") } else { Own("L", self.harmonics()) };
        text.open("from_body_far", &[POINT, &[Number("soft2"), self.body(), to]].concat());
        begin_irregular(text);
        self.of_body_far(text, self.lowest()..=self.order, in_column);
        text.close();
    }

    /// What a body does to the coefficients of some degrees, from what [`begin_irregular`] has prepared.
    pub(super) fn of_body_far(self, text: &mut Text, degrees: RangeInclusive<usize>, in_column: bool) {
        if self.is_of_rates() {
            text.line("const real minus = -ir;");
        } else {
            text.line("const real odd = m * ir;");
            text.line("const real even = -odd;");
        }
        let further = usize::from(self.is_of_rates());
        for d in 0..=degrees.end() + further {
            irregular(text, d);
            let Some(n) = d.checked_sub(further).filter(|n| degrees.contains(n)) else { continue };
            let axes = [0, 1, 2].map(|axis| if further == 1 { spherical::gradient(d, axis) } else { Matrix::new() });
            for m in orders(n) {
                let mut terms = Vec::new();
                if further == 1 {
                    let factor = if n.is_multiple_of(2) { "ir" } else { "minus" };
                    for (axis, matrix) in axes.iter().enumerate() {
                        let along = along(matrix, n, m);
                        if !along.is_empty() {
                            terms.push((format!("m[{axis}] * {factor}"), sum(&along)));
                        }
                    }
                } else {
                    let factor = if n.is_multiple_of(2) { "even" } else { "odd" };
                    terms.push((factor.to_owned(), format!("i{n}_{}", index_of(n, m))));
                }
                let to = match in_column {
                    true => column(n, m),
                    false => format!("L[{}]", self.number(n) + index_of(n, m)),
                };
                for (k, (factor, of)) in terms.into_iter().enumerate() {
                    let value = if in_column && k == 0 {
                        format!("({factor}) * ({of})")
                    } else {
                        format!("m_fma({factor}, {of}, {to})")
                    };
                    text.line(&format!("{to} = {value};"));
                }
            }
        }
    }

    /// From folded moments to spherical ones.
    pub(super) fn spherical_moments(self, text: &mut Text) {
        for k in self.degrees(self.order) {
            let matrix = spherical::derivatives(k);
            let sign = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
            for (m, row) in orders(k).zip(matrix) {
                let terms = harmonics_of(k).map(|(a, z)| (sign * row[a + z * k], format!("w{}", place(k, a, z))));
                let terms: Terms = terms.filter(|(factor, _)| *factor != 0.0).collect();
                text.line(&format!("to[{}] = {};", self.spherical_moment(k, m), sum(&terms)));
            }
        }
    }

    /// All Cartesian coefficients of some degrees, from those of harmonics.
    pub(super) fn unfold(self, text: &mut Text, name: &str, degrees: RangeInclusive<usize>) {
        let first = self.local(*degrees.start(), 0, 0);
        let many = degrees.clone().map(of_degree).sum();
        text.open(name, &[Taken("L", self.harmonics()), Own("to", many)]);
        for d in degrees {
            let local = |a: usize, z: usize| self.local(d, a, z) - first;
            let matrix = spherical::derivatives(d);
            for (a, z) in harmonics_of(d) {
                let terms =
                    matrix.iter().enumerate().map(|(k, row)| (row[a + z * d], format!("L[{}]", self.number(d) + k)));
                let terms: Terms = terms.filter(|(factor, _)| *factor != 0.0).collect();
                text.line(&format!("to[{}] = {};", local(a, z), sum(&terms)));
            }
            for (a, z) in (2..=d).flat_map(|z| (z..=d).map(move |a| (a, z))) {
                let [to, x, y] = [(a, z), (a - 2, z - 2), (a, z - 2)].map(|(a, z)| local(a, z));
                text.line(&format!("to[{to}] = -(to[{x}] + to[{y}]);"));
            }
        }
        text.close();
    }

    /// As `at_place`, for a harmonic G.
    pub(super) fn at_place_far(self, text: &mut Text) {
        let rest = self.at_place_takes(self.spherical(), self.of_rates().spherical());
        text.open("at_place_far", &[POINT, &[Number("soft2")], &rest].concat());
        begin_irregular(text);
        self.begin_jerk(text);
        let jerks = self.has_jerks();
        let sums = ["to[0]", "to[1]", "to[2]"];
        // second derivatives of the highest moments, too, as those of a moving body have them at a cell: momentum of jerks
        for d in 0..=self.order + usize::from(jerks) {
            irregular(text, d);
            (0..=2 * d).for_each(|k| text.line(&format!("const real f{d}_{k} = ir * i{d}_{k};")));
            for (k, m) in
                self.degrees(d).filter(|k| *k == d && self.potential).flat_map(|k| orders(k).map(move |m| (k, m)))
            {
                let given = self.spherical_moment(k, m);
                text.line(&format!("to[3] = m_fma(-given[{given}], f{d}_{}, to[3]);", index_of(k, m)));
            }
            let Some(k) = d.checked_sub(1) else { continue };
            let axes = [0, 1, 2].map(|axis| spherical::gradient(d, axis));
            if self.degrees(d).any(|there| there == k) {
                let given = |m| format!("given[{}]", self.spherical_moment(k, m));
                gradients(text, k, &axes, given, sums);
            }
            let rates = self.of_rates();
            if jerks && rates.degrees(d).any(|there| there == k) {
                let given = |m| format!("rates[{}]", rates.spherical_moment(k, m));
                gradients(text, k, &axes, given, ["to[4]", "to[5]", "to[6]"]);
            }
            let Some(k) = k.checked_sub(1).filter(|k| jerks && self.degrees(d).any(|there| there == *k)) else {
                continue;
            };
            // the last second derivative follows from two others
            for (q, (i, j)) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2)].into_iter().enumerate() {
                let twice = after(&axes[j], &spherical::gradient(d - 1, i));
                for m in orders(k) {
                    let terms: Terms = along(&twice, k, m)
                        .into_iter()
                        .map(|(factor, name)| (-factor, name.replacen('i', "f", 1)))
                        .collect();
                    if !terms.is_empty() {
                        let given = self.spherical_moment(k, m);
                        text.line(&format!("q{q} = m_fma(given[{given}], {}, q{q});", sum(&terms)));
                    }
                }
            }
        }
        self.end_jerk_far(text);
        text.close();
    }
}

/// Adds to sums what the moments of degree k do along each axis.
fn gradients(text: &mut Text, k: usize, axes: &[Matrix; 3], given: impl Fn(i32) -> String, sums: [&str; 3]) {
    for m in orders(k) {
        for (matrix, to) in axes.iter().zip(sums) {
            let terms: Terms =
                along(matrix, k, m).into_iter().map(|(factor, name)| (factor, name.replacen('i', "f", 1))).collect();
            if !terms.is_empty() {
                text.line(&format!("{to} = m_fma({}, {}, {to});", given(m), sum(&terms)));
            }
        }
    }
}

/// The number (n, m) in a lane's column.
pub(super) fn column(n: usize, m: i32) -> String {
    format!("column[{}]", COLUMNS * at(n, m))
}

/// Where m is in its degree.
pub(super) fn index_of(n: usize, m: i32) -> usize {
    at(n, m) - n * n
}

/// What a derivative of I_k^m is made of, but for its sign: a column of a matrix, whose rows are of a higher degree.
fn along(matrix: &Matrix, k: usize, m: i32) -> Terms {
    let degree = (matrix.len() - 1) / 2;
    let terms = matrix.iter().enumerate().map(|(row, numbers)| (numbers[index_of(k, m)], format!("i{degree}_{row}")));
    terms.filter(|(factor, _)| *factor != 0.0).collect()
}

/// The product of two matrices.
fn after(first: &Matrix, second: &Matrix) -> Matrix {
    let columns = second.first().map_or(0, Vec::len);
    let number =
        |row: &Vec<f64>, column: usize| -> f64 { row.iter().zip(second).map(|(a, other)| a * other[column]).sum() };
    let clean = |number: f64| if number.abs() < 1e-9 { 0.0 } else { number };
    first.iter().map(|row| (0..columns).map(|column| clean(number(row, column))).collect()).collect()
}

/// The powers of `q1` and `h` that moments and coefficients of degrees up to this are multiplied by.
pub(super) fn factors(text: &mut Text, highest: usize) {
    (2..highest).for_each(|k| text.line(&format!("const real q{k} = q{} * q1;", k - 1)));
    text.line("const real g0 = -ir;");
    (1..=highest).for_each(|n| text.line(&format!("const real g{n} = g{} * h;", n - 1)));
}

/// The frame of an interaction: `ir`, 1 over the softened distance; `h`; and cosines and sines of the two angles, `cp1`, `sp1`, `ct1` and
/// `st1`.
pub(super) fn frame(text: &mut Text) {
    text.line("const real rho2 = m_fma(x, x, y * y);");
    text.line("const real d2 = m_fma(z, z, rho2);");
    inverse_root(text, "ir", "(d2 + soft2)");
    inverse_root(text, "id", "d2");
    text.line("const real h = (d2 * id) * (ir * ir);");
    text.line(&format!("const real off = m_where(rho2 > d2 * {}, real(1), real(0));", real(ON_AXIS)));
    text.line("const real on = real(1) - off;");
    inverse_root(text, "iaxis", "(rho2 * off + on)");
    text.line("const real irho = iaxis * off;");
    text.line("const real cp1 = m_fma(x, irho, on);");
    text.line("const real sp1 = y * irho;");
    text.line("const real ct1 = z * id;");
    text.line("const real st1 = (rho2 * irho) * id;");
}

/// Cosines and sines of the multiples of the two angles.
pub(super) fn angles(text: &mut Text, highest: usize) {
    for m in 2..=highest {
        for angle in ["p", "t"] {
            let l = m - 1;
            text.line(&format!("const real c{angle}{m} = m_fma(c{angle}{l}, c{angle}1, -(s{angle}{l} * s{angle}1));"));
            text.line(&format!("const real s{angle}{m} = m_fma(s{angle}{l}, c{angle}1, c{angle}{l} * s{angle}1);"));
        }
    }
}

/// The moments of a degree in the frame along z; `again` finds cosines and sines again, where registers do not hold all.
pub(super) fn turned(text: &mut Text, k: usize, given: Row, again: bool) -> Row {
    if k == 0 { given } else { turn(text, (k, again), &format!("m{k}"), given, [("p", -1.0), ("t", 1.0)]) }
}

/// The coefficients of a degree back from it.
pub(super) fn turned_back(text: &mut Text, n: usize, row: Row, again: bool) -> Row {
    if n == 0 { row } else { turn(text, (n, again), &format!("o{n}"), row, [("t", -1.0), ("p", 1.0)]) }
}

/// Writes numbers, and keeps what is read next from being read before.
pub(super) fn put(text: &mut Text, numbers: impl Iterator<Item = (String, Option<String>)>) {
    for (to, from) in numbers {
        if let Some(from) = from {
            text.line(&format!("{to} = {from};"));
        }
    }
    text.line("m_fence();");
}

/// An inverse root to the last bits, of which four are multiplied: that of GPUs in f32 is as wrong as the sums of an evaluation. A step of
/// Newton's.
fn inverse_root(text: &mut Text, name: &str, of: &str) {
    text.line(&format!("const real {name}0 = m_rsqrt({of});"));
    text.line(&format!("const real {name}1 = m_fma(-({of} * {name}0), {name}0, real(1));"));
    text.line(&format!("const real {name} = m_fma({name}0 * real(0.5), {name}1, {name}0);"));
}

/// Turns the numbers of a degree: about z by an angle, y and z exchanged, about z by another, and exchanged again; or, where the
/// first angle is that between the two, in the other order.
fn turn(text: &mut Text, degree: (usize, bool), name: &str, row: Row, [first, second]: [(&str, f64); 2]) -> Row {
    let matrix = spherical::exchange(degree.0);
    // to the frame along z: about z, exchange, about z, exchange; back: exchange, about z, exchange, about z
    if first.0 == "p" {
        let row = about_z(text, degree, &format!("{name}a"), &row, first);
        let row = exchanged(text, &matrix, &format!("{name}b"), &row);
        let row = about_z(text, degree, &format!("{name}c"), &row, second);
        return exchanged(text, &matrix, &format!("{name}d"), &row);
    }
    let row = exchanged(text, &matrix, &format!("{name}a"), &row);
    let row = about_z(text, degree, &format!("{name}b"), &row, first);
    let row = exchanged(text, &matrix, &format!("{name}c"), &row);
    about_z(text, degree, &format!("{name}d"), &row, second)
}

fn exchanged(text: &mut Text, matrix: &Matrix, name: &str, row: &Row) -> Row {
    let mut to = Row::new();
    for (k, numbers) in matrix.iter().enumerate() {
        let terms = numbers.iter().zip(row).filter(|(factor, _)| **factor != 0.0);
        let terms: Terms = terms.filter_map(|(factor, from)| Some((*factor, from.clone()?))).collect();
        to.push((!terms.is_empty()).then(|| {
            text.line(&format!("const real {name}_{k} = {};", sum(&terms)));
            format!("{name}_{k}")
        }));
    }
    to
}

/// C + i S times e^(i sign m angle).
fn about_z(text: &mut Text, (n, again): (usize, bool), name: &str, row: &Row, (angle, sign): (&str, f64)) -> Row {
    let mut to = row.clone();
    // cosine and sine of a multiple
    let of = |letter: &str, m: usize| if again { format!("{name}{letter}{m}") } else { format!("{letter}{angle}{m}") };
    if again {
        for letter in ["c", "s"] {
            let from = FIRST.iter().position(|name| *name == format!("{letter}{angle}1")).unwrap_or_default();
            text.line(&format!("const real {name}{letter}1 = first[{}];", LANES * from));
        }
        text.line(&format!("const real {name}twice = {name}c1 * real(2);"));
        for m in 2..=n {
            for (letter, zeroth) in [("c", "real(1)"), ("s", "real(0)")] {
                let before = if m == 2 { zeroth.to_owned() } else { of(letter, m - 2) };
                text.line(&format!(
                    "const real {} = m_fma({name}twice, {}, -{before});",
                    of(letter, m),
                    of(letter, m - 1)
                ));
            }
        }
    }
    for m in 1..=n {
        let (cos, sin) = (n + m, n - m);
        let (c, s) = (of("c", m), of("s", m));
        // of the real part and of the imaginary one: first and second number, and whether the second is subtracted
        for (k, own, other, minus) in [(cos, &row[cos], &row[sin], sign > 0.0), (sin, &row[sin], &row[cos], sign < 0.0)]
        {
            let minus = if minus { "-" } else { "" };
            let value = match (own, other) {
                (Some(own), Some(other)) => format!("m_fma({c}, {own}, {minus}({s} * {other}))"),
                (Some(own), None) => format!("{c} * {own}"),
                (None, Some(other)) => format!("{minus}({s} * {other})"),
                (None, None) => continue,
            };
            text.line(&format!("const real {name}_{k} = {value};"));
            to[k] = Some(format!("{name}_{k}"));
        }
    }
    to
}

/// The place of an irregular harmonic: `ir`, and `xs`, `ys`, `zs` over the square of the softened distance, with the square `rs`.
pub(super) fn begin_irregular(text: &mut Text) {
    text.line("const real d2 = m_fma(x, x, m_fma(y, y, z * z));");
    text.line("const real ir = m_rsqrt(d2 + soft2);");
    text.line("const real ir2 = ir * ir;");
    for axis in AXES {
        text.line(&format!("const real {axis}s = {axis} * ir2;"));
    }
    text.line("const real rs = d2 * ir2 * ir2;");
}

/// The numbers `i` of a degree: irregular harmonics over `ir`, from those of the two degrees below.
fn irregular(text: &mut Text, n: usize) {
    if n == 0 {
        text.line("const real i0_0 = real(1);");
        return;
    }
    let factor = spherical::outward(n);
    let name = |n: usize, m: i32| format!("i{n}_{}", index_of(n, m));
    let m = n as i32;
    let (cos, sin) = (name(n - 1, m - 1), name(n - 1, 1 - m));
    if n == 1 {
        text.line("const real i1_2 = xs;");
        text.line("const real i1_0 = ys;");
    } else {
        let factor = real(factor);
        text.line(&format!("const real {} = {factor} * m_fma(xs, {cos}, -(ys * {sin}));", name(n, m)));
        text.line(&format!("const real {} = {factor} * m_fma(xs, {sin}, ys * {cos});", name(n, -m)));
    }
    for m in orders(n - 1) {
        let (one, two) = spherical::upward(n, m.unsigned_abs() as usize);
        let first = format!("({} * zs)", real(one));
        let last = name(n - 1, m);
        let value = match two == 0.0 {
            true => format!("{first} * {last}"),
            false => format!("m_fma({first}, {last}, -({} * rs) * {})", real(two), name(n - 2, m)),
        };
        text.line(&format!("const real {} = {value};", name(n, m)));
    }
}

#[cfg(test)]
mod tests;
