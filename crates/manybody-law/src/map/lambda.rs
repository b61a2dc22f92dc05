//! lambda: block w of a square launch works on row i = floor(sqrt(1/4 + 2w) - 1/2) [Navarro 2016, eq. 4].
//!
//! Row i of a triangle begins at the triangular number T(i) = i(i+1)/2, so i is the largest integer with T(i) <= w and
//! j = w - T(i). The launch is a square of side ceil(sqrt(T(nb))); at most about twice its side is idle.
//!
//! # Exact at every size
//!
//! [`triangular_root`] takes the published root in f64 as a guess g and lets integers decide: if T(g) > w the row is
//! g - 1, if w - T(g) > g it is g + 1, else g. This is right for every w of 64 bits:
//!
//! 1. Let x = sqrt(1/4 + 2w) - 1/2 be the true root and y the computed one. Converting w rounds once, adding 1/4
//!    rounds once (the product by 2 is exact), the square root halves what came in and rounds once: the computed root
//!    is off by at most 2 u sqrt(1/4 + 2w) to first order, u = 2^-53, and subtracting 1/2 adds at most u of the
//!    result. As sqrt(1/4 + 2w) < 6.08e9, |y - x| < 3 x 1.2e-16 x 6.08e9 < 3e-6 < 1.
//! 2. Two numbers less than 1 apart have integer parts at most 1 apart, so g is i - 1, i or i + 1.
//! 3. g = i + 1 means T(g) > w; g = i - 1 means T(g) + g + 1 <= w; neither holds for g = i. So the correction
//!    chooses i, and chooses it only once.
//! 4. Nothing overflows: the largest root is 6074000999.84 (w = 2^64 - 1), so g <= 6074000999 by 1, and T of that is
//!    18446744070963499500 < 2^64. T is formed as ((g + 1) >> 1) (g | 1), which holds no larger number on its way.
//!
//! The same holds for [`triangular_root32`] with an f32 guess and w below 2^32: there the roots are below 92682, and
//! a conversion, a square root of 2 units in the last place (as x rsqrt(x) on a GPU is) and a subtraction are off by
//! less than 0.06. That is the one for kernels: no f64, no 64-bit integer.
//!
//! # The published ones, and how far they are right
//!
//! All w in order up to the first wrong row (the f64 one: first and last block of every row, which suffices as each
//! of its operations is monotonic). "Fused" is x rsqrt(x) + 1e-4 in one rounding, as CUDA compiles it by default.
//!
//! | root | first wrong block | right up to nb |
//! |---|---|---|
//! | [`Root::F32`] | 10,619,135 | 4,607 |
//! | [`Root::F64`] | 9,007,199,321,849,855 | 134,217,727 |
//! | [`Root::Newton`] | 1,316,253 | 1,622 |
//! | [`Root::NewtonFused`] | 1,166,628 | 1,527 |
//! | [`Root::Rsqrt`] | 2,149,701 | 2,073 |
//! | [`Root::RsqrtFused`] | 4,940,795 | 3,142 |
//!
//! The two with rsqrt assume that it is correctly rounded. CUDA promises 2 units in the last place; an rsqrt that
//! uses them up is wrong from block 98,346 (nb = 443) on. Without the 1e-4, Newton's root is wrong at block 0
//! and x rsqrt(x) at block 465. With or without the diagonal, the first wrong block is the same.

use super::{Diagonal, Launch, Map, cells, rows, shift, square_side, unshift};
use crate::{Error, Result};

/// T(n) = n(n+1)/2, or `None` if it does not fit: n above 6074000999.
#[inline]
pub const fn triangular(n: u64) -> Option<u64> {
    if n <= 6_074_000_999 { Some(triangular_in_range(n)) } else { None }
}

/// T(n) for n <= 6074000999, without an intermediate value larger than the result.
#[inline]
pub(super) const fn triangular_in_range(n: u64) -> u64 {
    ((n + 1) >> 1) * (n | 1)
}

/// The largest i with i(i+1)/2 <= w, for every w (the argument is in the [module's page](self)).
///
/// ```
/// # use manybody_law as manybody;
/// use manybody::map::triangular_root;
/// assert_eq!([0, 1, 2, 3, 5, 6].map(triangular_root), [0, 1, 1, 2, 2, 3]);
/// assert_eq!(triangular_root(u64::MAX), 6_074_000_999);
/// ```
#[inline]
pub fn triangular_root(w: u64) -> u64 {
    let guess = ((2.0 * w as f64 + 0.25).sqrt() - 0.5) as u64;
    let start = triangular_in_range(guess);
    if start > w { guess - 1 } else { guess + u64::from(w - start > guess) }
}

/// The same in 32 bits with an f32 guess: what a kernel without f64 and 64-bit integers computes.
///
/// ```
/// # use manybody_law as manybody;
/// assert_eq!(manybody::map::triangular_root32(u32::MAX), 92_681);
/// ```
#[inline]
pub fn triangular_root32(w: u32) -> u32 {
    correct32(w, (2.0 * w as f32 + 0.25).sqrt() - 0.5)
}

/// The integer part of a guess that is off by less than 1, corrected.
#[inline]
pub(super) fn correct32(w: u32, guess: f32) -> u32 {
    let guess = guess as u32;
    let start = ((guess + 1) >> 1) * (guess | 1);
    if start > w { guess - 1 } else { guess + u32::from(w - start > guess) }
}

/// How a map takes its square root. The sizes up to which each is right stand in the [module's page](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// An f64 guess that integers correct: right for every 64-bit index.
    Exact,
    /// An f32 guess that 32-bit integers correct: right for every 32-bit index, and refused beyond.
    Exact32,
    /// As published, the default square root in f32.
    F32,
    /// As published, the default square root in f64.
    F64,
    /// As published: 0x5f3759df, three Newton steps, + 1e-4; each operation rounded.
    Newton,
    /// The same with each product and sum that follow one another fused.
    NewtonFused,
    /// As published: x rsqrt(x) + 1e-4; each operation rounded.
    Rsqrt,
    /// The same with the last product and sum fused.
    RsqrtFused,
}

impl Root {
    /// The published square root of x in f32 (of the exact ones, their guess).
    #[inline]
    pub fn sqrt(self, x: f32) -> f32 {
        const EPSILON: f32 = 1e-4; // the paper's constant against roots that come out low
        match self {
            Root::Exact | Root::Exact32 | Root::F32 | Root::F64 => x.sqrt(),
            Root::Newton => x * newton_rsqrt(x, false) + EPSILON,
            Root::NewtonFused => x.mul_add(newton_rsqrt(x, true), EPSILON),
            Root::Rsqrt => x * rsqrt(x) + EPSILON,
            Root::RsqrtFused => x.mul_add(rsqrt(x), EPSILON),
        }
    }
}

/// 1/sqrt(x), correctly rounded for every f32: 1/sqrt in f64 is off by 2^-52 of itself, and no f32 has its reciprocal
/// root that close to the middle between two f32 (the closest is 2^-50, found by trying all mantissas).
#[inline]
pub(super) fn rsqrt(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}

/// 1/sqrt(x) from the shifted bits and three Newton steps y <- y (3/2 - x/2 y y).
#[inline]
fn newton_rsqrt(x: f32, fused: bool) -> f32 {
    let half = 0.5 * x;
    let mut y = f32::from_bits(0x5f37_59df_u32.wrapping_sub(x.to_bits() >> 1));
    for _ in 0..3 {
        y *= if fused { (-(half * y)).mul_add(y, 1.5) } else { 1.5 - half * y * y };
    }
    y
}

/// The lambda map.
#[derive(Clone, Copy, Debug)]
pub struct Lambda {
    nb: u64,
    diagonal: Diagonal,
    root: Root,
    cells: u64,
}

impl Lambda {
    /// A triangle of `nb` rows.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a triangle of more than 2^64 - 1 cells, or 2^32 - 1 with [`Root::Exact32`].
    pub fn new(nb: u64, diagonal: Diagonal, root: Root) -> Result<Self> {
        let cells = cells(nb, diagonal)?;
        if root == Root::Exact32 && cells > u64::from(u32::MAX) {
            return Err(Error::Parameter {
                name: "nb",
                value: nb.to_string(),
                expected: "for the 32-bit map a triangle must have at most 2^32 - 1 cells: 92681 rows".to_owned(),
            });
        }
        Ok(Lambda { nb, diagonal, root, cells })
    }

    /// Row of block w, as this root has it, counted in a triangle with its diagonal.
    #[inline]
    fn row(&self, w: u64) -> i64 {
        let without = f32::from(u8::from(!self.diagonal.is_with()));
        match self.root {
            Root::Exact => triangular_root(w) as i64,
            Root::Exact32 => i64::from(triangular_root32(w as u32)),
            // without the diagonal the published formula adds 1/2 where this one subtracts it, and counts from 1
            Root::F64 => {
                let half = f64::from(without) - 0.5;
                ((0.25 + 2.0 * w as f64).sqrt() + half).floor() as i64 - i64::from(!self.diagonal.is_with())
            }
            root => {
                let half = without - 0.5;
                (root.sqrt(0.25 + 2.0 * w as f32) + half).floor() as i64 - i64::from(!self.diagonal.is_with())
            }
        }
    }
}

impl Map<2> for Lambda {
    fn name(&self) -> &'static str {
        match self.root {
            Root::Exact => "lambda",
            Root::Exact32 => "lambda32",
            Root::F32 => "lambda-f32",
            Root::F64 => "lambda-f64",
            Root::Newton => "lambda-newton",
            Root::NewtonFused => "lambda-newton-fused",
            Root::Rsqrt => "lambda-rsqrt",
            Root::RsqrtFused => "lambda-rsqrt-fused",
        }
    }

    fn cells(&self) -> u64 {
        self.cells
    }

    fn launches(&self) -> Vec<Launch> {
        let side = square_side(self.cells);
        vec![Launch([side, side, 1])]
    }

    /// A root that has gone wrong gives a cell that another block has too, or one outside the triangle, which is
    /// `None`: the kernel's own guard would discard it.
    #[inline]
    fn cell(&self, w: u64) -> Option<[u64; 2]> {
        if w >= self.cells {
            return None;
        }
        let i = u64::try_from(self.row(w)).ok()?;
        let j = w.checked_sub(triangular(i)?)?;
        if self.root != Root::Exact && (j > i || i >= rows(self.nb, self.diagonal)) {
            return None;
        }
        Some(shift(i, j, self.diagonal))
    }

    fn block(&self, cell: [u64; 2]) -> Option<u64> {
        let [i, j] = unshift(cell, self.nb, self.diagonal)?;
        Some(triangular_in_range(i) + j)
    }
}
