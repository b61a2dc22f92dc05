//! The tetrahedron i >= j >= k: layer z of block w, then lambda inside the layer [Navarro 2016, sect. 6].
//!
//! Layer z begins at the tetrahedral number T3(z) = z(z+1)(z+2)/6, so z is the largest integer with T3(z) <= w: the
//! integer part of the real root of z^3 + 3z^2 + 2z = 6w. Three ways to it:
//!
//! - [`Layer::Cubic`]: the cube root is a guess that integers correct. With y = z + 1 the equation is y^3 - y = 6w, so
//!   c = cbrt(6w) < y <= c + 1/2 for w >= 1: the integer part of c is that of y or one less. The computed c is off by
//!   less than 1e-6 (c < 4.81e6), so the guess is z - 1, z or z + 1, and comparing w with the starts of
//!   that layer and the next chooses z, as in [lambda](super::Lambda). Right for every w of 64 bits.
//! - [`Layer::Table`]: the succinct look-up that the paper suggests as future work. The domain's blocks are cut into
//!   at most 1024 equal stretches; the table holds the layer of the first block of each. The layer of w then lies
//!   between two neighbouring entries and is found by halving, in integers alone. Only the first stretches, next to
//!   the tip, span many layers: on average 1.1 halvings for nb = 1,000 and 2.4 for nb = 4,000. The table has 4 KiB at
//!   any size, so the paper's rule, nothing that grows with n, stands. Right for every w of 64 bits: the entries
//!   come from the exact root, and halving keeps T3(low) <= w < T3(high).
//! - [`Layer::F32`], [`Layer::F64`]: as published, the real root in closed form,
//!   v = p/3^(2/3) + 1/(3^(1/3) p) - 1 with p = cbrt(sqrt(729 w^2 - 3) + 27 w).
//!
//! The published root is wrong almost at once: it comes out just below the whole number where a layer begins. All w in
//! order, the first wrong block of F32 is 10 (right up to nb = 3), of F64 1,330 (nb = 19, with glibc's cube root).
//!
//! Which is faster: on one core of an EPYC 7003, a block takes 37 ns with the cubic root at any size, and with the
//! table 18 ns for nb = 1,000, 30 ns for 4,000 and 110 ns at the end of 64 bits. The published f64 root takes 100 ns.
//! The cubic root is the default as it needs no memory; the table is for small tetrahedra whose blocks do little.

use super::lambda::triangular_in_range;
use super::{Diagonal, Launch, Map, triangular_root};
use crate::{Error, Result};

/// The last n whose tetrahedral number fits 64 bits.
const LAST: u64 = 4_801_278;
/// The largest number of table entries, one more than stretches: 4 KiB.
const ENTRIES: u64 = 1025;

/// T3(n) = n(n+1)(n+2)/6, or `None` if it does not fit: n above 4801278.
#[inline]
pub const fn tetrahedral(n: u64) -> Option<u64> {
    if n <= LAST { Some(tetrahedral_in_range(n)) } else { None }
}

/// T3(n) for n <= 4801278: 3 divides n(n+1)/2 or n + 2, so no intermediate value is larger than the result.
#[inline]
const fn tetrahedral_in_range(n: u64) -> u64 {
    let (triangle, top) = (triangular_in_range(n), n + 2);
    if top.is_multiple_of(3) { triangle * (top / 3) } else { triangle / 3 * top }
}

/// The largest z with z(z+1)(z+2)/6 <= w, for every w.
///
/// ```
/// # use manybody_law as manybody;
/// use manybody::map::tetrahedral_root;
/// assert_eq!([0, 1, 3, 4, 9, 10].map(tetrahedral_root), [0, 1, 1, 2, 2, 3]);
/// assert_eq!(tetrahedral_root(u64::MAX), 4_801_278);
/// ```
#[inline]
pub fn tetrahedral_root(w: u64) -> u64 {
    let guess = (cube_root_guess(6.0 * w as f64) as u64).saturating_sub(1);
    let start = tetrahedral_in_range(guess);
    if start > w { guess - 1 } else { guess + u64::from(w - start >= triangular_in_range(guess + 1)) }
}

/// The cube root of 0 <= x < 2^67, off by less than 1e-6: a third of the exponent (right to 4%), then two of Halley's
/// steps, which cube the error and take two thirds of it: 4e-2, 4e-5, 5e-14, then rounding. Faster than the C library's
/// (37 ns against 46 ns for the whole map), and the same on every machine.
#[inline]
pub(super) fn cube_root_guess(x: f64) -> f64 {
    const BIAS: u64 = 715_094_163 << 32; // 2/3 of the exponent's offset less 0.033, which centres the error [FreeBSD]
    let mut y = f64::from_bits(x.to_bits() / 3 + BIAS);
    for _ in 0..2 {
        let cube = y * y * y;
        y *= (cube + 2.0 * x) / (2.0 * cube + x);
    }
    y
}

/// How the layer of a block is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// A cube root in f64 that integers correct: right for every 64-bit index.
    Cubic,
    /// A table of at most 1,025 layers, and halving between two of them: integers only, right for every 64-bit index.
    Table,
    /// As published, in f32.
    F32,
    /// As published, in f64.
    F64,
}

/// A tetrahedron of blocks.
#[derive(Clone, Debug)]
pub struct Tetrahedron {
    nb: u64,
    diagonal: Diagonal,
    layer: Layer,
    cells: u64,
    /// Layer of the first block of each stretch of 2^`shift` blocks, and the last layer.
    table: Vec<u32>,
    shift: u32,
}

impl Tetrahedron {
    /// The cells i >= j >= k (with the diagonal) or i > j > k (without) of `nb` layers.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a tetrahedron of more than 2^64 - 1 cells.
    pub fn new(nb: u64, diagonal: Diagonal, layer: Layer) -> Result<Self> {
        let layers = if diagonal.is_with() { nb } else { nb.saturating_sub(2) };
        let cells = tetrahedral(layers).ok_or_else(|| Error::Parameter {
            name: "nb",
            value: nb.to_string(),
            expected: format!("a tetrahedron must have at most 2^64 - 1 cells: at most {LAST} layers"),
        })?;
        // stretches of a power of two, between 512 and 1024 of them unless the domain has fewer blocks
        let shift = (64 - cells.saturating_sub(1).leading_zeros()).saturating_sub((ENTRIES - 1).ilog2());
        let mut table = Vec::new();
        if layer == Layer::Table && cells > 0 {
            let stretches = ((cells - 1) >> shift) + 1;
            table = (0..stretches).map(|s| tetrahedral_root(s << shift) as u32).collect();
            table.push(layers as u32 - 1);
        }
        Ok(Tetrahedron { nb, diagonal, layer, cells, table, shift })
    }

    /// Bytes that the map looks things up in: 0 unless [`Layer::Table`].
    #[cfg(test)]
    pub(crate) fn table_bytes(&self) -> usize {
        size_of_val(&self.table[..])
    }

    /// The look-up table and the exponent of its stretches, for a kernel's copy of the map.
    pub fn table(&self) -> (&[u32], u32) {
        (&self.table, self.shift)
    }

    #[inline]
    fn look_up(&self, w: u64) -> u64 {
        let stretch = (w >> self.shift) as usize;
        let (mut low, mut high) = (u64::from(self.table[stretch]), u64::from(self.table[stretch + 1]) + 1);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if tetrahedral_in_range(middle) <= w {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    fn layers(&self) -> u64 {
        if self.diagonal.is_with() { self.nb } else { self.nb.saturating_sub(2) }
    }
}

/// The published root in f32; every operation correctly rounded.
fn published_f32(w: u64) -> f32 {
    let cbrt = |x: f32| f64::from(x).cbrt() as f32;
    let w = w as f32;
    let p = cbrt((729.0 * w * w - 3.0).sqrt() + 27.0 * w);
    p / cbrt(9.0) + 1.0 / (cbrt(3.0) * p) - 1.0
}

/// The published root in f64.
fn published_f64(w: u64) -> f64 {
    let w = w as f64;
    let p = ((729.0 * w * w - 3.0).sqrt() + 27.0 * w).cbrt();
    p / 9.0_f64.cbrt() + 1.0 / (3.0_f64.cbrt() * p) - 1.0
}

impl Map<3> for Tetrahedron {
    fn name(&self) -> &'static str {
        match self.layer {
            Layer::Cubic => "tetrahedron",
            Layer::Table => "tetrahedron-table",
            Layer::F32 => "tetrahedron-f32",
            Layer::F64 => "tetrahedron-f64",
        }
    }

    fn cells(&self) -> u64 {
        self.cells
    }

    fn launches(&self) -> Vec<Launch> {
        let mut side = (self.cells as f64).cbrt() as u64;
        while u128::from(side).pow(3) < u128::from(self.cells) {
            side += 1;
        }
        vec![Launch([side; 3])]
    }

    /// As with [`Lambda`](super::Lambda), a published root that has gone wrong gives a wrong cell or no cell.
    #[inline]
    fn cell(&self, w: u64) -> Option<[u64; 3]> {
        if w >= self.cells {
            return None;
        }
        let z = match self.layer {
            Layer::Cubic => tetrahedral_root(w),
            Layer::Table => self.look_up(w),
            // at w = 0 the closed form takes the root of -3: NaN, which the conversion makes layer 0, the right one
            Layer::F32 => published_f32(w) as u64,
            Layer::F64 => published_f64(w) as u64,
        };
        let v = w.checked_sub(tetrahedral(z)?)?;
        let y = triangular_root(v);
        let x = v - triangular_in_range(y);
        if y > z || z >= self.layers() {
            return None;
        }
        let more = u64::from(!self.diagonal.is_with());
        Some([z + 2 * more, y + more, x])
    }

    fn block(&self, [i, j, k]: [u64; 3]) -> Option<u64> {
        let more = u64::from(!self.diagonal.is_with());
        let (z, y) = (i.checked_sub(2 * more)?, j.checked_sub(more)?);
        let inside = z < self.layers() && y <= z && k <= y;
        inside.then(|| tetrahedral_in_range(z) + triangular_in_range(y) + k)
    }
}
