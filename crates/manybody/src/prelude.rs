//! What most programs use: `use manybody::prelude::*;`.

pub use crate::driver::{Driver, End, Event, Observer, Outcome};
pub use crate::forces::{ForceModel, Forcing};
pub use crate::law::{
    ArgMax, ArgMin, Count, EvaluateLaw, Law, LogSumExp, Max, Min, Nothing, PairInputs, PairLaw, Real, Record, Sum,
    add3, dot3, sub3,
};
pub use crate::settings::{Quantity, Settings};
pub use crate::simulation::{Parameters, Simulation};
pub use crate::solver::{
    Device, Evaluator, ForceTerms, Forces, Gpus, Gravity, Method, Precision, Solver, SolverName, Summation,
};
pub use crate::{Bodies, Body, Error, Result, Snapshot, Units, ic, law, record, snapshot, solver, units};
