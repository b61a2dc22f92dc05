//! manybody from C, C++ and Fortran: the library `libmanybody`, whose header `include/manybody.h` is made from this crate.
//!
//! Every function returns a status and keeps a message for [`error::mb_last_error`]; no panic crosses the border, and what a
//! caller passes is checked before it is read: null pointers, sizes, alignment, overlap of results with other arrays, and
//! numbers that are not finite. Handles are opaque. A handle that another thread is using is refused, not waited for.
//!
//! | module | what it has |
//! |---|---|
//! | `status`, `error`, `border` | what calls return; the message of an error; the border that no panic crosses |
//! | `arrays`, `text`, `handle` | pointers, texts and handles of a caller, checked |
//! | `settings`, `threads` | settings by name, from the library's table; the threads of a call |
//! | `gravity`, `law` | forces of arrays, once: gravity, and any law as text |
//! | `device` | the same of arrays in the memory of a GPU |
//! | `cunbody` | the call of CUNBODY-1 |
//! | `simulation` | bodies that are kept: forces, steps, energies, files |
//! | `grape` | the calls of GRAPE-6, as Sapporo2 has them |

#![allow(unreachable_pub)] // what C programs call is reached by its name alone
#![allow(clippy::too_many_arguments)] // a call of C has an argument for each array and each size

mod arrays;
mod border;
mod cunbody;
mod device;
mod error;
mod grape;
mod gravity;
mod handle;
mod law;
mod settings;
mod simulation;
mod status;
mod text;
mod threads;

#[cfg(test)]
mod tests;
