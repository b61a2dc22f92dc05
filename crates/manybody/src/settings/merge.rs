//! Precedence of one source over another: the command line over a TOML file.

use super::{ForceLaw, Settings};
use crate::ic;
use crate::solver::SolverName;

/// The initial conditions of a run of which nothing is said.
pub(crate) const DEFAULT_IC: &str = "plummer";

impl Settings {
    /// These settings with what `over` says in place of their own. Another start takes the place of the whole start;
    /// another model keeps the number of bodies and the seed, where it has such, and drops the parameters of the first.
    pub fn overridden_by(mut self, over: Settings) -> Self {
        let start = over.file.is_some() || over.resume.is_some() || over.ic.is_some();
        if start || over.n.is_some() || over.seed.is_some() || over.with.is_some() || over.columns.is_some() {
            self.initial_state = None;
        }
        if over.file.is_some() || over.resume.is_some() {
            self =
                Settings { file: None, columns: None, ic: None, n: None, seed: None, with: None, resume: None, ..self };
        } else if let Some(model) = &over.ic {
            self = Settings { file: None, columns: None, resume: None, ..self };
            if self.ic.as_deref().unwrap_or(DEFAULT_IC) != model {
                self.with = None;
                if ic::find(model).is_ok_and(|model| model.n.is_some()) {
                    (self.n, self.seed) = (None, None);
                }
            }
        }
        // each of the two chooses how forces are computed
        let by_expansion = over.solver.or(self.solver).is_some_and(SolverName::is_by_expansion);
        if over.rtol.is_some() || over.order.is_some() || over.theta.is_some() {
            // what was chosen for another error
            self.tolerance = None;
        }
        if over.rtol.is_some() && !by_expansion {
            self = Settings { precision: None, sum: None, solver: None, ..self };
        } else if over.solver.is_some() || (!by_expansion && (over.precision.is_some() || over.sum.is_some())) {
            self.rtol = None;
        }
        if over.solver.is_some_and(|solver| !solver.is_by_expansion()) {
            (self.order, self.theta, self.tolerance) = (None, None, None);
        }
        // the parameters of one law are not those of another, and what gravity has, no other law has
        if let Some(law) = &over.law {
            self.par = None;
            if *law != ForceLaw::Gravity {
                self = Settings { eps: None, softening: None, sum: None, solver: None, rtol: None, ..self };
            }
        }
        over.or(self)
    }
}
