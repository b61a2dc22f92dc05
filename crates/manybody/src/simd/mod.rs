//! [`Real`](crate::law::Real) on the CPU's vectors.
