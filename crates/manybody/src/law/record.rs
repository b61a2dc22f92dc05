//! Records: the numbers of a body, of the parameters, of a result, as structs of named fields generic over [`Real`].
//!
//! `build` and `zip` walk a record's numbers in a fixed order. Everything is inlined, so the compiler sees plain
//! registers: no slices, no indices, no run-time width.

use super::Real;

/// What becomes of a number of a result record when the contributions of all partners meet in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Cell {
    /// A plain number of a body or parameter record: nothing is combined.
    Value,
    /// The sum of all contributions.
    Sum,
    /// The smallest contribution.
    Min,
    /// The largest contribution.
    Max,
}

impl Cell {
    /// What a cell holds before any contribution. Min and Max start at 3e38, which f32, f64 and WGSL (it has no
    /// infinity) can all write.
    #[inline(always)]
    pub fn identity<R: Real>(self, like: R) -> R {
        like.lit(match self {
            Cell::Min => 3.0e38,
            Cell::Max => -3.0e38,
            Cell::Value | Cell::Sum => 0.0,
        })
    }

    /// Two partial results made one.
    #[inline(always)]
    pub fn combine<R: Real>(self, a: R, b: R) -> R {
        match self {
            Cell::Min => a.min(b),
            Cell::Max => a.max(b),
            Cell::Value | Cell::Sum => a + b,
        }
    }
}

/// A record of numbers of type R.
pub trait Record<R>: Copy {
    /// Makes a record, asking for its numbers in order.
    fn build<F: FnMut(Cell) -> R>(f: &mut F) -> Self;
    /// Visits the numbers of two records in order, those of `self` by reference.
    fn zip<F: FnMut(Cell, &mut R, R)>(&mut self, other: &Self, f: &mut F);
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

impl<R: Real> Min<R> {
    /// Offers a contribution.
    #[inline(always)]
    pub fn offer(&mut self, a: R) {
        self.0 = self.0.min(a);
    }
}

impl<R: Real> Max<R> {
    /// Offers a contribution.
    #[inline(always)]
    pub fn offer(&mut self, a: R) {
        self.0 = self.0.max(a);
    }
}

/// Declares records: structs generic over a number type `R`, with the walk that kernels need.
///
/// ```
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

/// The cells of a record, in order.
pub fn cells<P: Record<f64>>() -> Vec<Cell> {
    let mut cells = Vec::new();
    P::build(&mut |cell| {
        cells.push(cell);
        0.0
    });
    cells
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
