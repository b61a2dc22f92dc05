//! Index maps: from the blocks of a launch to the blocks of a triangle, a tetrahedron, a band or a sparse mask.
//!
//! A grid of blocks is a box; the pairs i < j of n bodies are a triangle, and the triples a tetrahedron. A [`Map`]
//! says which block of the domain the block number `w` of a launch works on. The strategies of [Navarro 2016] are
//! all here, under their names there:
//!
//! | map | blocks launched for a triangle of nb rows | one block costs |
//! |---|---|---|
//! | [`BoundingBox`] BB | nb^2 | a comparison |
//! | [`RectangularBox`] RB | nb(nb+1)/2 | a comparison and two subtractions |
//! | [`Recursive`] REC | nb(nb+1)/2 in about log2(nb) launches | shifts and masks |
//! | [`UpperTriangular`] UTM | nb(nb+1)/2 | a square root and a product |
//! | [`Lambda`] lambda | ceil(sqrt(nb(nb+1)/2))^2 | a square root and a product |
//! | [`Tetrahedron`] | ceil(cbrt(nb(nb+1)(nb+2)/6))^3 | a cube root (or a table) and a square root |
//! | [`Band`], [`Mask`] | as many as have work | a search among five segments; among the rows |
//!
//! The published maps that take a root in floating point are wrong from some size on; [`Root`] names the sizes. What
//! everything else in this library uses takes the root as a guess that integers correct ([`triangular_root`],
//! [`tetrahedral_root`]) and is right for every index that 64 bits hold.
//!
//! A cell is written \[i, j\] with i >= j (rows of the lower triangle), or \[i, j, k\] with i >= j >= k.
//! [`vectors`] lists indices with their cells, for checking a kernel's copy of a map.

pub mod band;
pub mod bb;
pub mod lambda;
pub mod mask;
pub mod rb;
pub mod rec;
pub mod tetrahedron;
pub mod utm;
#[doc(hidden)] // for kernels of this library
pub mod vectors;

pub use band::Band;
pub use bb::BoundingBox;
pub use lambda::{Lambda, Root, triangular, triangular_root, triangular_root32};
pub use mask::Mask;
pub use rb::RectangularBox;
pub use rec::Recursive;
pub use tetrahedron::{Layer, Tetrahedron, tetrahedral, tetrahedral_root};
pub use utm::UpperTriangular;

use crate::{Error, Result};

/// Whether a domain has its diagonal: i >= j, or i > j (for triples i >= j >= k, or i > j > k).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Diagonal {
    /// i >= j. Blocks of pairs need it: a block on the diagonal holds pairs too.
    With,
    /// i > j.
    Without,
}

impl Diagonal {
    /// True for [`Diagonal::With`].
    pub fn is_with(self) -> bool {
        self == Diagonal::With
    }
}

/// The extents of one launch along x, y and z. Block (x, y, z) of it has the index x + extent_x (y + extent_y z).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch(pub [u64; 3]);

impl Launch {
    /// The number of blocks.
    pub fn blocks(self) -> u128 {
        self.0.iter().map(|e| u128::from(*e)).product()
    }
}

/// A map from the blocks of one or more launches to the cells of a domain in D dimensions.
pub trait Map<const D: usize>: std::fmt::Debug + Send + Sync {
    /// The name of the strategy, as [`Triangle::named`] knows it.
    fn name(&self) -> &'static str;

    /// Whether its launches are the levels of a recursion, each of which finds its cells in another way.
    fn has_levels(&self) -> bool {
        false
    }

    /// How many cells the domain has.
    fn cells(&self) -> u64;

    /// What is launched, in order. The blocks of all launches are counted through: the first block of a launch has
    /// the index after the last one of the launch before.
    fn launches(&self) -> Vec<Launch>;

    /// How many blocks are launched, those without work included. Every index with work is below 2^64.
    fn blocks(&self) -> u128 {
        self.launches().iter().map(|l| l.blocks()).sum()
    }

    /// The cell that block `w` works on, or `None` if it has no work.
    fn cell(&self, w: u64) -> Option<[u64; D]>;

    /// The inverse: the block that works on `cell`, or `None` if the cell is not in the domain.
    fn block(&self, cell: [u64; D]) -> Option<u64>;
}

/// A map of the triangle: the strategies by which its blocks are found, and the roots that some of them take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Triangle {
    /// [`BoundingBox`].
    BoundingBox,
    /// [`RectangularBox`].
    RectangularBox,
    /// [`Recursive`].
    Recursive,
    /// [`UpperTriangular`], exact.
    Utm,
    /// [`UpperTriangular`] by [`Root::F32`].
    UtmF32,
    /// [`UpperTriangular`] by [`Root::F64`].
    UtmF64,
    /// [`Lambda`], exact.
    Lambda,
    /// [`Lambda`] by [`Root::Exact32`].
    Lambda32,
    /// [`Lambda`] by [`Root::F32`].
    LambdaF32,
    /// [`Lambda`] by [`Root::F64`].
    LambdaF64,
    /// [`Lambda`] by [`Root::Newton`].
    LambdaNewton,
    /// [`Lambda`] by [`Root::NewtonFused`].
    LambdaNewtonFused,
    /// [`Lambda`] by [`Root::Rsqrt`].
    LambdaRsqrt,
    /// [`Lambda`] by [`Root::RsqrtFused`].
    LambdaRsqrtFused,
    /// [`Band`] over the whole triangle.
    Band,
}

impl Triangle {
    /// All of them.
    pub const ALL: [Triangle; 15] = [
        Triangle::BoundingBox,
        Triangle::RectangularBox,
        Triangle::Recursive,
        Triangle::Utm,
        Triangle::UtmF32,
        Triangle::UtmF64,
        Triangle::Lambda,
        Triangle::Lambda32,
        Triangle::LambdaF32,
        Triangle::LambdaF64,
        Triangle::LambdaNewton,
        Triangle::LambdaNewtonFused,
        Triangle::LambdaRsqrt,
        Triangle::LambdaRsqrtFused,
        Triangle::Band,
    ];

    /// Its name, as options and tables have it.
    pub const fn name(self) -> &'static str {
        match self {
            Triangle::BoundingBox => "bb",
            Triangle::RectangularBox => "rb",
            Triangle::Recursive => "rec",
            Triangle::Utm => "utm",
            Triangle::UtmF32 => "utm-f32",
            Triangle::UtmF64 => "utm-f64",
            Triangle::Lambda => "lambda",
            Triangle::Lambda32 => "lambda32",
            Triangle::LambdaF32 => "lambda-f32",
            Triangle::LambdaF64 => "lambda-f64",
            Triangle::LambdaNewton => "lambda-newton",
            Triangle::LambdaNewtonFused => "lambda-newton-fused",
            Triangle::LambdaRsqrt => "lambda-rsqrt",
            Triangle::LambdaRsqrtFused => "lambda-rsqrt-fused",
            Triangle::Band => "band",
        }
    }

    /// The map called `name`.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn named(name: &str) -> Result<Self> {
        Triangle::ALL.into_iter().find(|map| map.name() == name).ok_or_else(|| Error::Unknown {
            what: "triangle map",
            name: name.to_owned(),
            known: Triangle::ALL.map(Triangle::name).join(", "),
        })
    }

    /// Whether it is right at every size: the others are published ones, see [`Root`].
    pub const fn is_exact(self) -> bool {
        match self {
            Triangle::BoundingBox
            | Triangle::RectangularBox
            | Triangle::Recursive
            | Triangle::Utm
            | Triangle::Lambda
            | Triangle::Lambda32
            | Triangle::Band => true,
            Triangle::UtmF32
            | Triangle::UtmF64
            | Triangle::LambdaF32
            | Triangle::LambdaF64
            | Triangle::LambdaNewton
            | Triangle::LambdaNewtonFused
            | Triangle::LambdaRsqrt
            | Triangle::LambdaRsqrtFused => false,
        }
    }

    /// Whether it is one of UTM, which its paper uses for single pairs, and not for blocks of them.
    pub const fn is_upper_triangular(self) -> bool {
        matches!(self, Triangle::Utm | Triangle::UtmF32 | Triangle::UtmF64)
    }

    /// The map for a triangle of `nb` rows.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a triangle of more than 2^64 - 1 cells.
    ///
    /// ```
    /// # use manybody_law as manybody;
    /// use manybody::map::{Diagonal, Map, Triangle};
    /// let lambda = Triangle::Lambda.of(1000, Diagonal::With)?;
    /// assert_eq!(lambda.cells(), 500_500);
    /// assert_eq!(lambda.cell(500_499), Some([999, 999]));
    /// assert_eq!(lambda.block([999, 0]), Some(499_500));
    /// # Ok::<(), manybody::Error>(())
    /// ```
    pub fn of(self, nb: u64, diagonal: Diagonal) -> Result<Box<dyn Map<2>>> {
        let lambda = |root| -> Result<Box<dyn Map<2>>> { Ok(Box::new(Lambda::new(nb, diagonal, root)?)) };
        let utm = |root| -> Result<Box<dyn Map<2>>> { Ok(Box::new(UpperTriangular::new(nb, diagonal, root)?)) };
        match self {
            Triangle::BoundingBox => Ok(Box::new(BoundingBox::new(nb, diagonal)?)),
            Triangle::RectangularBox => Ok(Box::new(RectangularBox::new(nb, diagonal)?)),
            Triangle::Recursive => Ok(Box::new(Recursive::new(nb, diagonal)?)),
            Triangle::Utm => utm(Root::Exact),
            Triangle::UtmF32 => utm(Root::F32),
            Triangle::UtmF64 => utm(Root::F64),
            Triangle::Lambda => lambda(Root::Exact),
            Triangle::Lambda32 => lambda(Root::Exact32),
            Triangle::LambdaF32 => lambda(Root::F32),
            Triangle::LambdaF64 => lambda(Root::F64),
            Triangle::LambdaNewton => lambda(Root::Newton),
            Triangle::LambdaNewtonFused => lambda(Root::NewtonFused),
            Triangle::LambdaRsqrt => lambda(Root::Rsqrt),
            Triangle::LambdaRsqrtFused => lambda(Root::RsqrtFused),
            Triangle::Band => Ok(Box::new(Band::triangle(nb, diagonal)?)),
        }
    }
}

impl std::fmt::Display for Triangle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// The number of rows of the triangle with a diagonal that has the same cells: all of them, or one fewer.
fn rows(nb: u64, diagonal: Diagonal) -> u64 {
    if diagonal.is_with() { nb } else { nb.saturating_sub(1) }
}

/// Cell \[i, j\] of a triangle with a diagonal, as a cell of the one meant.
fn shift(i: u64, j: u64, diagonal: Diagonal) -> [u64; 2] {
    [i + u64::from(!diagonal.is_with()), j]
}

/// The inverse of [`shift`], or `None` for a cell outside the triangle of `nb` rows.
fn unshift([i, j]: [u64; 2], nb: u64, diagonal: Diagonal) -> Option<[u64; 2]> {
    let i = if diagonal.is_with() { i } else { i.checked_sub(1)? };
    (i < rows(nb, diagonal) && j <= i).then_some([i, j])
}

/// The number of cells of a triangle of `nb` rows.
fn cells(nb: u64, diagonal: Diagonal) -> Result<u64> {
    triangular(rows(nb, diagonal)).ok_or_else(|| Error::Parameter {
        name: "nb",
        value: nb.to_string(),
        expected: "a triangle must have at most 2^64 - 1 cells: at most 6074000999 rows".to_owned(),
    })
}

/// The smallest s with s^2 >= cells.
fn square_side(cells: u64) -> u64 {
    let s = cells.isqrt();
    s + u64::from(s * s < cells)
}

#[cfg(test)]
mod tests;
