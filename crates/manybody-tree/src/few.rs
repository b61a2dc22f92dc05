//! Few active bodies: all their pairs cost less than a tree.

use manybody_law::Result;
use manybody_law::law::Targets;
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Bodies, Derivatives, ForceTerms, Forces, Gravity, Solver, jerks_on};
use manybody_ranks::Team;

/// So many active bodies have all their pairs computed: both costs are proportional to the number of all bodies, and all pairs of
/// these take less time than expansions of all bodies. With twice as many, runs take as long
/// (docs/measurements/2026-11-29-jerks-by-expansions.md). The number does not depend on the threads, so that the bits do not.
pub const FEW: usize = 4096;

/// Whether the derivatives of these active bodies are computed by all their pairs: of few, and no snaps.
pub fn are_few(accelerations: Option<[&[f64]; 3]>, active: &[usize]) -> bool {
    accelerations.is_none() && active.len() <= FEW
}

/// A solver by expansions, with one of all pairs for the derivatives of few bodies.
pub(crate) struct WithFew<S> {
    pub(crate) expansions: S,
    pub(crate) pairs: Box<dyn Solver>,
}

impl<S: Solver> Solver for WithFew<S> {
    fn name(&self) -> &'static str {
        self.expansions.name()
    }

    fn forces(&mut self, bodies: &Bodies, gravity: &Gravity, terms: ForceTerms, out: &mut Forces) -> Result<()> {
        self.expansions.forces(bodies, gravity, terms, out)
    }

    fn forces_on(
        &mut self,
        bodies: &Bodies,
        targets: &Targets<'_>,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        self.expansions.forces_on(bodies, targets, gravity, terms, out)
    }

    fn derivatives_on(
        &mut self,
        bodies: &Bodies,
        accelerations: Option<[&[f64]; 3]>,
        active: &[usize],
        gravity: &Gravity,
        out: &mut Derivatives,
    ) -> Result<()> {
        if are_few(accelerations, active) {
            return self.pairs.derivatives_on(bodies, None, active, gravity, out);
        }
        jerks_on(&mut self.expansions, bodies, accelerations, active, gravity, out)
    }

    fn has_rounded_terms(&self) -> bool {
        self.pairs.has_rounded_terms()
    }

    fn watch(&mut self, watch: &Watch) {
        self.expansions.watch(watch);
        self.pairs.watch(watch);
    }

    fn can_share(&self) -> bool {
        self.expansions.can_share()
    }

    fn share(&mut self, team: Option<&Team>) {
        self.expansions.share(team);
        self.pairs.share(team);
    }
}
