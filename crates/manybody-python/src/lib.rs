//! manybody from Python: the native half of the package `manybody`, whose other half is in `python/manybody`.
//!
//! Python checks and completes what users write and gives the results their form; this module takes NumPy arrays and plain
//! values, computes without the interpreter's lock, and returns arrays.
//!
//! | module | what it has |
//! |---|---|
//! | `arrays` | NumPy arrays as columns, and columns as arrays |
//! | `calls` | a computation without the lock, which Ctrl-C ends |
//! | `device` | arrays in the memory of a GPU, through DLPack |
//! | `errors` | the library's errors as exceptions |
//! | `gravity` | forces of bodies on each other |
//! | `law` | laws between bodies, on arrays |
//! | `pairs` | distances, collisions, correlations, triples |
//! | `snapshot` | bodies with units and time: files, initial conditions |
//! | `settings`, `simulation`, `force`, `driver` | runs: keywords from the table of settings, step by step, forces of Python's, with files |
//! | `command` | the command `manybody` |

mod arrays;
mod calls;
mod command;
mod device;
mod devices;
mod driver;
mod errors;
mod force;
mod gravity;
mod law;
mod pairs;
mod settings;
mod simulation;
mod snapshot;

use pyo3::prelude::*;

/// The native half of manybody.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::calls::after_fork;
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::device::{Queue, SharedArray, evaluate_on_device, forces_on_device, ordinal_of};
    #[pymodule_export]
    use crate::devices::devices;
    #[pymodule_export]
    use crate::driver::drive;
    #[pymodule_export]
    use crate::gravity::{audit_forces, forces};
    #[pymodule_export]
    use crate::law::{Law, laws};
    #[pymodule_export]
    use crate::pairs::{collisions, count_pairs, distances, triples};
    #[pymodule_export]
    use crate::settings::settings_table;
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::snapshot::{Snapshot, initial_condition, models, quantity, read, units};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
