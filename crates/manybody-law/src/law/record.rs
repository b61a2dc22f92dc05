//! Records: the numbers of a body, of the parameters, of a result, as structs of named fields generic over [`Real`].
//!
//! `build` and `zip` walk a record's numbers in a fixed order. Everything is inlined, so the compiler sees plain
//! registers: no slices, no indices, no run-time width.

use super::Real;

/// What a number of a record is: for a result, what becomes of it when the contributions of all partners meet in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// A plain number of a body or parameter record: nothing is combined.
    Value,
    /// A whole number that names something, compared and never computed with.
    Id,
    /// The sum of all contributions.
    Sum,
    /// How many contributions there were.
    Count,
    /// The smallest contribution.
    Min,
    /// The largest contribution.
    Max,
    /// The smallest contribution, followed by its [`Label`](Cell::Label).
    ArgMin,
    /// The largest contribution, followed by its [`Label`](Cell::Label).
    ArgMax,
    /// The second number of an `ArgMin` or `ArgMax`: which partner it was.
    Label,
    /// The largest contribution m, followed by its [`Scaled`](Cell::Scaled) sum.
    LogSumExp,
    /// The second number of a `LogSumExp`: the sum of exp(x - m).
    Scaled,
}

impl Cell {
    /// What a cell holds before any contribution: of Min and Max an infinity, which stays without any contribution; the
    /// label is then -1.
    #[inline(always)]
    pub fn identity<R: Real>(self, like: R) -> R {
        like.lit(match self {
            Cell::Min | Cell::ArgMin => f64::INFINITY,
            Cell::Max | Cell::ArgMax | Cell::LogSumExp => f64::NEG_INFINITY,
            Cell::Label => -1.0,
            Cell::Value | Cell::Id | Cell::Sum | Cell::Count | Cell::Scaled => 0.0,
        })
    }

    /// Two partial results made one, for the cells that are one number. Those of two numbers meet in [`merge`].
    #[inline(always)]
    pub fn combine<R: Real>(self, a: R, b: R) -> R {
        debug_assert!(self.numbers() == 1, "{self:?} is half of a cell: use merge");
        match self {
            Cell::Min => a.min(b),
            Cell::Max => a.max(b),
            _ => a + b,
        }
    }

    /// Two partial results made one, for the cells of two numbers. Of equal candidates the smaller label wins, so the
    /// result does not depend on the order.
    #[inline(always)]
    pub fn join<R: Real>(self, a: [R; 2], b: [R; 2]) -> [R; 2] {
        let better = match self {
            Cell::ArgMin => b[0].lt(a[0]),
            Cell::ArgMax => a[0].lt(b[0]),
            _ => {
                let top = a[0].max(b[0]);
                let shift = finite_or_zero(top);
                return [top, a[1].fma((a[0] - shift).exp(), b[1] * (b[0] - shift).exp())];
            }
        };
        let better = better | (b[0].same(a[0]) & b[1].lt(a[1]));
        [R::select(better, b[0], a[0]), R::select(better, b[1], a[1])]
    }

    /// How many numbers a cell of this kind takes in a record. `Label` and `Scaled` are halves: 0.
    #[inline(always)]
    pub const fn numbers(self) -> usize {
        match self {
            Cell::ArgMin | Cell::ArgMax | Cell::LogSumExp => 2,
            Cell::Label | Cell::Scaled => 0,
            _ => 1,
        }
    }

    /// The reduction's name, as a law's text has it.
    pub const fn name(self) -> &'static str {
        match self {
            Cell::Value => "value",
            Cell::Id => "id",
            Cell::Sum => "sum",
            Cell::Count => "count",
            Cell::Min => "min",
            Cell::Max => "max",
            Cell::ArgMin => "argmin",
            Cell::ArgMax => "argmax",
            Cell::Label => "label",
            Cell::LogSumExp => "logsumexp",
            Cell::Scaled => "scaled",
        }
    }
}

/// What exponents are taken relative to: an infinity less itself would be NaN, and e^x of it is right as it stands.
#[inline(always)]
pub fn finite_or_zero<R: Real>(x: R) -> R {
    R::select(x.abs().lt(x.lit(f64::INFINITY)), x, x.lit(0.0))
}

/// A named member of a record: one or several cells of a kind.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Field {
    /// The member's name.
    pub name: String,
    /// How many cells side by side: 3 for a position.
    pub width: usize,
    /// Their kind.
    pub cell: Cell,
}

impl Field {
    /// A field of `width` cells.
    pub fn new(name: impl Into<String>, width: usize, cell: Cell) -> Self {
        Field { name: name.into(), width, cell }
    }

    /// How many numbers it takes in the record.
    pub fn numbers(&self) -> usize {
        self.width * self.cell.numbers()
    }
}

/// A record of numbers of type R.
pub trait Record<R>: Copy {
    /// Makes a record, asking for its numbers in order.
    fn build<F: FnMut(Cell) -> R>(f: &mut F) -> Self;
    /// Visits the numbers of two records in order, those of `self` by reference.
    fn zip<F: FnMut(Cell, &mut R, R)>(&mut self, other: &Self, f: &mut F);
    /// Adds the members to `out`, in order; `name` is what this one is called in the record around it, or "".
    fn fields(name: &str, out: &mut Vec<Field>);
}

impl<R: Real> Record<R> for R {
    #[inline(always)]
    fn build<F: FnMut(Cell) -> R>(f: &mut F) -> Self {
        f(Cell::Value)
    }
    #[inline(always)]
    fn zip<F: FnMut(Cell, &mut R, R)>(&mut self, other: &Self, f: &mut F) {
        f(Cell::Value, self, *other)
    }
    fn fields(name: &str, out: &mut Vec<Field>) {
        out.push(Field::new(name, 1, Cell::Value));
    }
}

impl<R: Real, T: Record<R>, const N: usize> Record<R> for [T; N] {
    // array::from_fn is not inline(always): its closure would lose the target features and run 20 times slower
    #[inline(always)]
    fn build<F: FnMut(Cell) -> R>(f: &mut F) -> Self {
        let mut values = [T::build(f); N];
        for value in values.iter_mut().skip(1) {
            *value = T::build(f);
        }
        values
    }
    #[inline(always)]
    fn zip<F: FnMut(Cell, &mut R, R)>(&mut self, other: &Self, f: &mut F) {
        for k in 0..N {
            self[k].zip(&other[k], f);
        }
    }
    fn fields(name: &str, out: &mut Vec<Field>) {
        let first = out.len();
        T::fields(name, out);
        match &mut out[first..] {
            [one] => one.width *= N,
            _ => {
                out.truncate(first);
                (0..N).for_each(|k| T::fields(&format!("{name}{k}"), out));
            }
        }
    }
}

macro_rules! cell {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<R>(pub R);
        impl<R: Real> Record<R> for $name<R> {
            #[inline(always)]
            fn build<F: FnMut(Cell) -> R>(f: &mut F) -> Self {
                $name(f(Cell::$name))
            }
            #[inline(always)]
            fn zip<F: FnMut(Cell, &mut R, R)>(&mut self, other: &Self, f: &mut F) {
                f(Cell::$name, &mut self.0, other.0)
            }
            fn fields(name: &str, out: &mut Vec<Field>) {
                out.push(Field::new(name, 1, Cell::$name));
            }
        }
    };
}
cell!(
    /// A result that is the sum over all partners.
    Sum
);
cell!(
    /// A result that is the smallest over all partners.
    Min
);
cell!(
    /// A result that is the largest over all partners.
    Max
);
cell!(
    /// A result that is how many partners met a condition.
    Count
);
cell!(
    /// A member of a body that names something: the body itself, its molecule, its species. It can be compared, and be
    /// the label of an [`ArgMin`]; it cannot be computed with.
    ///
    /// It is held in the law's number type, so f32 keeps whole numbers up to 2^24 apart and f64 up to 2^53; who loads
    /// larger ones replaces them by their rank.
    Id
);

macro_rules! pair_cell {
    ($(#[$doc:meta])* $name:ident { $(#[$adoc:meta])* $a:ident, $(#[$bdoc:meta])* $b:ident: $second:ident }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<R> {
            $(#[$adoc])*
            pub $a: R,
            $(#[$bdoc])*
            pub $b: R,
        }
        impl<R: Real> Record<R> for $name<R> {
            #[inline(always)]
            fn build<F: FnMut(Cell) -> R>(f: &mut F) -> Self {
                let $a = f(Cell::$name);
                $name { $a, $b: f(Cell::$second) }
            }
            #[inline(always)]
            fn zip<F: FnMut(Cell, &mut R, R)>(&mut self, other: &Self, f: &mut F) {
                f(Cell::$name, &mut self.$a, other.$a);
                f(Cell::$second, &mut self.$b, other.$b);
            }
            fn fields(name: &str, out: &mut Vec<Field>) {
                out.push(Field::new(name, 1, Cell::$name));
            }
        }
        impl<R: Real> $name<R> {
            #[inline(always)]
            fn take(&mut self, contribution: [R; 2]) {
                [self.$a, self.$b] = R::join(Cell::$name, [self.$a, self.$b], contribution);
            }
        }
    };
}
pair_cell!(
    /// A result that is the smallest over all partners, and which partner it was.
    ArgMin {
        /// The smallest contribution, infinity if there was no contribution.
        value,
        /// Its label, -1 if there was no contribution.
        label: Label
    }
);
pair_cell!(
    /// A result that is the largest over all partners, and which partner it was.
    ArgMax {
        /// The largest contribution, minus infinity if there was no contribution.
        value,
        /// Its label, -1 if there was no contribution.
        label: Label
    }
);
pair_cell!(
    /// A result that is ln(sum exp(x)), safe from overflow: exp is only taken of differences to the largest x.
    LogSumExp {
        /// The largest contribution m.
        top,
        /// The sum of exp(x - m).
        scaled: Scaled
    }
);

impl<R: Real> Sum<R> {
    /// Adds a contribution.
    #[inline(always)]
    pub fn add(&mut self, a: R) {
        self.0 = self.0 + a;
    }
    /// Adds the product a * b, fused.
    #[inline(always)]
    pub fn add_mul(&mut self, a: R, b: R) {
        self.0 = a.fma(b, self.0);
    }
}

impl<R: Real> Count<R> {
    /// Counts this partner if the condition holds.
    #[inline(always)]
    pub fn when(&mut self, condition: R::Mask) {
        self.0 = self.0 + R::select(condition, self.0.lit(1.0), self.0.lit(0.0));
    }
}

impl<R: Real> Min<R> {
    /// Takes a value.
    #[inline(always)]
    pub fn reduce(&mut self, a: R) {
        self.0 = self.0.min(a);
    }
}

impl<R: Real> Max<R> {
    /// Takes a value.
    #[inline(always)]
    pub fn reduce(&mut self, a: R) {
        self.0 = self.0.max(a);
    }
}

impl<R: Real> ArgMin<R> {
    /// Takes a value and the label of the body that it is of. Of equal values, the smaller label is kept.
    #[inline(always)]
    pub fn reduce(&mut self, value: R, label: Id<R>) {
        self.take([value, label.0]);
    }
}

impl<R: Real> ArgMax<R> {
    /// Takes a value and the label of the body that it is of. Of equal values, the smaller label is kept.
    #[inline(always)]
    pub fn reduce(&mut self, value: R, label: Id<R>) {
        self.take([value, label.0]);
    }
}

impl<R: Real> LogSumExp<R> {
    /// Adds exp(x) under the logarithm.
    #[inline(always)]
    pub fn add(&mut self, x: R) {
        self.take([x, x.lit(1.0)]);
    }
    /// The result, ln(sum exp(x)).
    #[inline(always)]
    pub fn ln_sum(&self) -> R {
        self.top + self.scaled.ln()
    }
}

impl<R: Real> Id<R> {
    /// Where both name the same.
    #[inline(always)]
    pub fn same(self, other: Self) -> R::Mask {
        self.0.same(other.0)
    }
    /// Where this one is the smaller number.
    #[inline(always)]
    pub fn before(self, other: Self) -> R::Mask {
        self.0.lt(other.0)
    }
}

/// A record without numbers: the parameters of a law without parameters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing<R>(std::marker::PhantomData<R>);

impl<R: Real> Record<R> for Nothing<R> {
    #[inline(always)]
    fn build<F: FnMut(Cell) -> R>(_: &mut F) -> Self {
        Nothing(std::marker::PhantomData)
    }
    #[inline(always)]
    fn zip<F: FnMut(Cell, &mut R, R)>(&mut self, _: &Self, _: &mut F) {}
    fn fields(_: &str, _: &mut Vec<Field>) {}
}

/// Declares records: structs generic over a number type `R`, with the walk that kernels need.
///
/// ```
/// # use manybody_law as manybody;
/// use manybody::{record, law::Sum};
/// record! {
///     /// A charge at a place.
///     pub struct Ion<R> {
///         /// Position, length.
///         pub x: [R; 3],
///         /// Charge.
///         pub q: R,
///     }
/// }
/// record! {
///     /// The field it feels.
///     pub struct Field<R> {
///         /// Sum over all partners.
///         pub e: [Sum<R>; 3],
///     }
/// }
/// ```
#[macro_export]
macro_rules! record {
    ($(#[$doc:meta])* $vis:vis struct $name:ident<R> { $($(#[$fdoc:meta])* $fvis:vis $field:ident : $t:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $name<R: $crate::law::Real> { $($(#[$fdoc])* $fvis $field: $t),* }
        impl<R: $crate::law::Real> $crate::law::Record<R> for $name<R> {
            #[inline(always)]
            #[allow(unused_variables)]
            fn build<F: FnMut($crate::law::Cell) -> R>(f: &mut F) -> Self {
                $(let $field = $crate::law::Record::build(f);)*
                $name { $($field),* }
            }
            #[inline(always)]
            #[allow(unused_variables)]
            fn zip<F: FnMut($crate::law::Cell, &mut R, R)>(&mut self, other: &Self, f: &mut F) {
                $($crate::law::Record::zip(&mut self.$field, &other.$field, f);)*
            }
            #[allow(unused_variables)]
            fn fields(name: &str, out: &mut Vec<$crate::law::Field>) {
                let dot = if name.is_empty() { "" } else { "." };
                $(<$t as $crate::law::Record<R>>::fields(&format!("{name}{dot}{}", stringify!($field)), out);)*
            }
        }
    };
}

/// Makes a record from a closure. (A closure keeps `#[inline(always)]` on stable Rust only as a direct argument.)
#[inline(always)]
pub fn make<R, P: Record<R>, F: FnMut(Cell) -> R>(mut f: F) -> P {
    P::build(&mut f)
}

/// Visits two records side by side.
#[inline(always)]
pub fn each<R, P: Record<R>>(a: &mut P, b: &P, mut f: impl FnMut(Cell, &mut R, R)) {
    a.zip(b, &mut f);
}

/// Adds the partial results `b` to `a`: what a kernel does with the results of two sets of partners.
#[inline(always)]
pub fn merge<R: Real, P: Record<R>>(a: &mut P, b: &P) {
    let mut first: Option<(Cell, R, R)> = None; // the first numbers of a cell of two, before they met
    each(
        a,
        b,
        #[inline(always)]
        |cell, x: &mut R, y: R| match (cell, first) {
            (Cell::ArgMin | Cell::ArgMax | Cell::LogSumExp, _) => {
                first = Some((cell, *x, y));
                *x = if cell == Cell::ArgMin { x.min(y) } else { x.max(y) };
            }
            (Cell::Label | Cell::Scaled, Some((cell, p, q))) => *x = cell.join([p, *x], [q, y])[1],
            _ => *x = cell.combine(*x, y),
        },
    );
}

/// The cells of a record, in order.
pub fn cells<P: Record<f64>>() -> Vec<Cell> {
    let mut cells = Vec::new();
    P::build(&mut |cell| {
        cells.push(cell);
        0.0
    });
    cells
}

/// The members of a record, in order.
pub fn fields<P: Record<f64>>() -> Vec<Field> {
    let mut fields = Vec::new();
    P::fields("", &mut fields);
    fields
}

/// How many numbers a record holds.
pub fn width<P: Record<f64>>() -> usize {
    let mut n = 0;
    P::build(&mut |_| {
        n += 1;
        0.0
    });
    n
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
