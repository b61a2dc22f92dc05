//! The order of the coefficients of an expansion in x, y and z.
//!
//! A coefficient has three exponents, n = (nx, ny, nz), and the degree d = nx + ny + nz. Coefficients are stored degree
//! by degree; within a degree in rows of equal nx, by a = ny + nz = d - nx, and in a row by z = nz:
//!
//! ```text
//! place(d, a, z) = start(d) + row(a) + z,    start(d) = d (d + 1) (d + 2) / 6,    row(a) = a (a + 1) / 2
//! ```
//!
//! The place of n + k within its degree is row(a + a') + z + z': products of expansions are sums over contiguous rows.

/// The highest order of an expansion.
pub const HIGHEST: usize = 12;

/// Where row a begins within its degree.
#[inline(always)]
pub const fn row(a: usize) -> usize {
    a * (a + 1) / 2
}

/// How many coefficients have degree d.
#[inline(always)]
pub const fn of_degree(d: usize) -> usize {
    row(d + 1)
}

/// Where degree d begins: how many coefficients have a lower degree.
#[inline(always)]
pub const fn start(d: usize) -> usize {
    d * (d + 1) * (d + 2) / 6
}

/// How many coefficients have degree p or less.
#[inline(always)]
pub const fn count(p: usize) -> usize {
    start(p + 1)
}

/// Where a coefficient with at most one z is, among those of its kind: of a degree first those without z.
#[inline(always)]
pub const fn harmonic(d: usize, a: usize, z: usize) -> usize {
    d * d + a + z * d
}

/// Where a coefficient is.
pub const fn place(d: usize, a: usize, z: usize) -> usize {
    start(d) + row(a) + z
}

/// The coefficients of a degree, as (a, z).
pub fn of(d: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..=d).flat_map(|a| (0..=a).map(move |z| (a, z)))
}

/// Those with at most one z.
pub fn harmonics_of(d: usize) -> impl Iterator<Item = (usize, usize)> {
    of(d).filter(|(_, z)| *z <= 1)
}

/// The axis along which a coefficient of degree d >= 1 has an exponent, that exponent, and the coefficient with one less of
/// it, as (a, z).
pub fn lowered(d: usize, a: usize, z: usize) -> (usize, usize, (usize, usize)) {
    if a < d {
        (0, d - a, (a, z))
    } else if z < d {
        (1, d - z, (d - 1, z))
    } else {
        (2, d, (d - 1, d - 1))
    }
}

/// The exponents of all coefficients of degree p or less, in their order.
pub fn exponents(p: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..=p).flat_map(|d| (0..=d).flat_map(move |a| (0..=a).map(move |z| [d - a, a - z, z])))
}
