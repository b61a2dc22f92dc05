//! [`Real`](crate::law::Real) on the CPU's vectors, and the choice of instruction set at run time.
//!
//! A [`Kernel`] is written once over a vector type and compiled for every [`Level`]: plain numbers (vectors of one
//! lane), AVX2 with FMA, AVX-512, NEON. SSE2 and SSE4.2 have no level of their own: machines with these and not AVX2
//! are older than 2013, and each level costs compile time.

mod interleaved;
mod math;
mod peak;
mod prefetch;
mod rsqrt;
mod vector;

pub use interleaved::{Interleaved, Interleaved4};
pub use peak::fma_peak;
pub use prefetch::prefetch;
pub use vector::{Element, Lanes, Scalar, Vector};

use crate::{Error, Result};
use fearless_simd::Simd;
use std::fmt::{self, Display};
use std::str::FromStr;
use std::sync::LazyLock;

/// A set of vector instructions that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// No vector instructions beyond what the compiler may assume.
    Scalar,
    /// ARM, 128 bits.
    Neon,
    /// x86-64-v3: 256 bits and fused multiply-add.
    Avx2,
    /// AVX-512 as of Ice Lake and Zen 4: 512 bits, 32 registers.
    Avx512,
}

impl Level {
    /// Every level, the narrowest first.
    pub const ALL: [Level; 4] = [Level::Scalar, Level::Neon, Level::Avx2, Level::Avx512];

    /// The best level of this machine, or the one that the environment variable MANYBODY_SIMD names.
    ///
    /// # Errors
    /// As [`by_name`](Self::by_name), for the value of the variable.
    pub fn from_env() -> Result<Self> {
        match std::env::var_os("MANYBODY_SIMD") {
            // what is no text is the name of no level
            Some(name) => Self::by_name(&name.to_string_lossy()).map_err(|error| Error::Parameter {
                name: "MANYBODY_SIMD",
                value: format!("'{}'", name.to_string_lossy()),
                expected: error.to_string(),
            }),
            None => Ok(Self::best()),
        }
    }

    /// [`from_env`](Self::from_env), once for the process, for work of which the level changes no bit; the best one where it is an error,
    /// which is refused where a run begins.
    pub fn usual() -> Self {
        static USUAL: LazyLock<Level> = LazyLock::new(|| Level::from_env().unwrap_or_else(|_| Level::best()));
        *USUAL
    }

    /// The best level of this machine.
    pub fn best() -> Self {
        *Self::available().last().unwrap_or(&Level::Scalar)
    }

    /// All levels of this machine, the best one last.
    pub fn available() -> Vec<Self> {
        let machine = fearless_simd::Level::new();
        let mut levels = vec![Level::Scalar];
        #[cfg(target_arch = "aarch64")]
        if machine.as_neon().is_some() {
            levels.push(Level::Neon);
        }
        #[cfg(target_arch = "x86_64")]
        {
            if machine.as_avx2().is_some() {
                levels.push(Level::Avx2);
            }
            if machine.as_avx512().is_some() {
                levels.push(Level::Avx512);
            }
        }
        let _ = machine;
        levels
    }

    /// The level called `name`, if this machine has it.
    ///
    /// # Errors
    /// [`Error::Unknown`] for another name, [`Error::Parameter`] for a level that this machine does not have.
    pub fn by_name(name: &str) -> Result<Self> {
        name.parse::<Level>()?.on_this_machine()
    }

    /// This level, if this machine has it.
    ///
    /// # Errors
    /// [`Error::Parameter`] naming the levels that it has.
    pub fn on_this_machine(self) -> Result<Self> {
        let available = Self::available();
        if available.contains(&self) {
            return Ok(self);
        }
        let names = available.iter().map(|level| level.name()).collect::<Vec<_>>().join(", ");
        let expected = format!("must be what this machine has: {names}");
        Err(Error::Parameter { name: "simd", value: self.name().into(), expected })
    }

    /// The name by which the command line and reports know it.
    pub fn name(self) -> &'static str {
        match self {
            Level::Scalar => "scalar",
            Level::Neon => "neon",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }

    /// Lanes of a vector of T.
    pub fn lanes<T: Element>(self) -> usize {
        if T::DOUBLE { (self.lanes_f32() / 2).max(1) } else { self.lanes_f32() }
    }

    /// Lanes of a vector of f32 (half as many of f64, at least one).
    pub fn lanes_f32(self) -> usize {
        match self {
            Level::Scalar => 1,
            Level::Neon => 4,
            Level::Avx2 => 8,
            Level::Avx512 => 16,
        }
    }
}

impl Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Level::name).join(", ");
            Error::Unknown { what: "simd level", name: name.into(), known }
        })
    }
}

/// Work that is compiled for every level. `run` and all that it calls must be `#[inline(always)]`: a closure or helper
/// that is not loses the target's instructions and runs twenty times slower.
pub trait Kernel<T: Element> {
    /// What it returns.
    type Output;
    /// Does the work with vectors V. The registers of the level hold at once, beside what a light law needs, `I`
    /// vectors of bodies with their results, or `J` bodies spread over all lanes with theirs.
    fn run<V: Lanes<T = T>, const I: usize, const J: usize>(self, token: V::Token) -> Self::Output;
}

/// Runs a kernel at a level.
///
/// # Panics
/// If the machine does not have the level; levels come from [`Level::available`].
pub fn launch<T: Element, K: Kernel<T>>(level: Level, kernel: K) -> K::Output {
    let machine = fearless_simd::Level::new();
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            let token = machine.as_avx512().expect("the level was checked where it was chosen");
            token.vectorize(
                #[inline(always)]
                || kernel.run::<T::Avx512, 4, 2>(token),
            )
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            let token = machine.as_avx2().expect("the level was checked where it was chosen");
            token.vectorize(
                #[inline(always)]
                || kernel.run::<T::Avx2, 2, 1>(token),
            )
        }
        #[cfg(target_arch = "aarch64")]
        Level::Neon => {
            let token = machine.as_neon().expect("the level was checked where it was chosen");
            token.vectorize(
                #[inline(always)]
                || kernel.run::<T::Neon, 4, 2>(token),
            )
        }
        _ => {
            let _ = machine;
            kernel.run::<T, 1, 1>(Scalar)
        }
    }
}
