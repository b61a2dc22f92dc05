//! Arrays in the memory of a GPU that belong to others, as tensors of PyTorch: read in place, and results written where
//! their owners want them. No array goes to the host.
//!
//! ```text
//! columns of others --survey--> extents, on the host     --> frame or middles, uniform members, errors
//!                   --take----> columns of T --pack--> records --kernels--> sums in f64 --deliver--> columns of others
//! ```
//!
//! The kernels between are those of an evaluation of columns of the host, with the same numbers, so results have the same
//! bits. What the host gets is some numbers a column: extents, sums, the first number that cannot be used; and, of bodies
//! without mass, one number each. For an error that names a cause, it gets the columns.

mod gravity;
mod law;
mod lease;
mod memory;
mod queue;
mod read;

pub use gravity::{ForceColumns, GravityArrays, forces};
pub use law::{LawArrays, evaluate};
pub(in crate::cuda) use lease::gone;
pub use memory::{Memory, copy_to_device, copy_to_host};
pub(in crate::cuda) use queue::Bound;
#[cfg(test)]
pub(in crate::cuda) use queue::TEXT;
pub use queue::{Queue, ordinal_of};

/// A number type of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Kind {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
    /// 16 bits, of IEEE 754.
    F16,
    /// The upper 16 bits of f32.
    Bf16,
    /// Whole numbers with a sign.
    I8,
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// Whole numbers without a sign; true is 1.
    U8,
    /// 16 bits.
    U16,
    /// 32 bits.
    U32,
    /// 64 bits.
    U64,
}

impl Kind {
    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Kind::I8 | Kind::U8 => 1,
            Kind::F16 | Kind::Bf16 | Kind::I16 | Kind::U16 => 2,
            Kind::F32 | Kind::I32 | Kind::U32 => 4,
            Kind::F64 | Kind::I64 | Kind::U64 => 8,
        }
    }

    /// Whether results can be of this kind: f32, f64 and i64.
    pub fn holds_results(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64 | Kind::I64)
    }
}

/// Numbers in the memory of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Of the first one.
    pub address: u64,
    /// Bytes from one to the next; may be 0 or negative.
    pub stride: i64,
    /// What they are.
    pub kind: Kind,
}

/// A column of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Column {
    /// One number for each.
    Each(Numbers),
    /// One number for all.
    One(f64),
}

#[cfg(test)]
mod tests;
