//! How the terms of a sum are added: a named choice.
//!
//! A force is a sum of N terms, and in f32 it is the sum that loses digits, not the terms: each addition rounds what
//! has been summed so far. With u = 2^-24 and sums of N terms, the error of a sum is of order
//!
//! | name | how | error | operations a term |
//! |---|---|---|---|
//! | `direct` | one running f32 sum | u sqrt(N) | 1 |
//! | `blocked` | a sum per block of B terms, added to the sum of blocks [Hamada 2007, sect. 2.2] | u sqrt(B + N / B) | 1 |
//! | `pairwise` | sums of two sums, as the rounds of a cup | u sqrt(log N) | 1 |
//! | `compensated` | f32 sum and what it lost, by two-sum [Knuth 1998] | u | 7 |
//! | `f64` | f64 sum of f32 terms | u / sqrt(N), that of the terms | 2, half as many lanes |
//! | `fixed` | 64-bit fixed-point sum of f32 terms, in any order the same bits | as f64 | 4, half as many lanes |
//!
//! All but `blocked`, which is every solver's own, need the solver `direct`: in f32, on GPUs also in mixed precision.

use crate::{Error, Result};

/// How the terms of a sum are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Summation {
    /// One running sum in the precision of the terms: the DIRECT style of [Hamada 2007, table 2].
    Direct,
    /// A sum for each block of so many terms, added to the sum of blocks; `None` for as many as the solver finds best.
    Blocked(Option<usize>),
    /// Sums of sums of 32 terms, two by two.
    Pairwise,
    /// A running sum, and the sum of what its roundings lost.
    Compensated,
    /// Terms in f32, the sum in f64.
    F64,
    /// Terms in f32, the sum in 64-bit fixed point. Its range follows from the masses and the softening; a sum beyond
    /// it is an error.
    Fixed,
}

impl Default for Summation {
    fn default() -> Self {
        Summation::Blocked(None)
    }
}

impl Summation {
    /// All of them, in the order of the table.
    pub const ALL: [Summation; 6] = [
        Summation::Direct,
        Summation::Blocked(None),
        Summation::Pairwise,
        Summation::Compensated,
        Summation::F64,
        Summation::Fixed,
    ];
    const NAMES: &str = "direct, blocked, blocked:SIZE, pairwise, compensated, f64, fixed";
}

impl std::fmt::Display for Summation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Summation::Direct => f.pad("direct"),
            Summation::Blocked(None) => f.pad("blocked"),
            Summation::Blocked(Some(size)) => f.pad(&format!("blocked:{size}")),
            Summation::Pairwise => f.pad("pairwise"),
            Summation::Compensated => f.pad("compensated"),
            Summation::F64 => f.pad("f64"),
            Summation::Fixed => f.pad("fixed"),
        }
    }
}

impl std::str::FromStr for Summation {
    type Err = Error;

    /// The summation called `name`; "blocked:256" names the number of terms per block.
    fn from_str(name: &str) -> Result<Self> {
        if let Some(size) = name.strip_prefix("blocked:") {
            let size = size.parse().ok().filter(|size| (1..=1 << 30).contains(size));
            return size.map(|size| Summation::Blocked(Some(size))).ok_or_else(|| Error::Parameter {
                name: "sum",
                value: name.into(),
                expected: "the number of terms per block must be 1 to 2^30, as in blocked:256".into(),
            });
        }
        let known = Summation::ALL.into_iter().find(|sum| sum.to_string() == name);
        known.ok_or_else(|| Error::Unknown { what: "summation", name: name.into(), known: Self::NAMES.into() })
    }
}
