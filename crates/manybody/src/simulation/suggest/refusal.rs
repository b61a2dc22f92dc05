//! Why nothing is suggested.

use super::{MIN_BODIES_FOR_SUGGESTION, Suggestion};

/// Why nothing is suggested: a system that is no distribution of bodies with one size.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSuggestion {
    /// Fewer than [`MIN_BODIES_FOR_SUGGESTION`] bodies with a mass.
    #[error(
        "for fewer than {MIN_BODIES_FOR_SUGGESTION} bodies with a mass it depends on their orbits; here there {}",
        count_of(*.0)
    )]
    Few(usize),
    /// No mass.
    #[error("a system without mass has no length and time of its own")]
    Massless,
    /// All bodies with mass in one place, or distances, masses and times beyond the range of f64.
    #[error(
        "its bodies with mass are in one place, or their potential is beyond the range of f64: no length and time of its own \
         can be computed"
    )]
    Extreme,
    /// Speeds that are not those of bodies that move by their own gravity.
    #[error(
        "the median speed of its bodies about their centre of mass is {speed:.3e}, and their own gravity gives them speeds of \
         about {typical:.3e}: they are not bound to each other, or units of mass, length and velocity do not fit together"
    )]
    Fast {
        /// The median speed of the bodies with mass about their centre of mass.
        speed: f64,
        /// R / T.
        typical: f64,
    },
    /// A few bodies have most of the mass: (sum m)^2 / sum m^2 is small, or one has more than a twentieth.
    #[error(
        "{:.3} % of the mass is that of body {index} (id {id}): it rules the orbits about it, and a twentieth of the shortest \
         period, divided by 2 pi, suits them",
        100.0 * share
    )]
    Dominated {
        /// The heaviest body, by its place.
        index: usize,
        /// Its id.
        id: u64,
        /// Its share of the mass.
        share: f64,
    },
    /// Virial and half-mass radius disagree: clusters far apart, a core in a wide halo.
    #[error(
        "its virial radius is {virial:.4} and its half-mass radius {half_mass:.4}: it has parts of unlike sizes (clusters far \
         apart, or a core in a wide halo), and what suits one does not suit the other"
    )]
    Unlike {
        /// The virial radius.
        virial: f64,
        /// The half-mass radius.
        half_mass: f64,
    },
    /// Half of the mass or so is in a core much smaller than the rest.
    #[error(
        "a quarter of its mass is within {quarter:.3e} of its densest part, and three quarters within {three_quarters:.3e} only: \
         it has parts of unlike sizes, and what suits one does not suit the other"
    )]
    Core {
        /// The radius about the densest part that holds a quarter of the mass.
        quarter: f64,
        /// That of three quarters.
        three_quarters: f64,
    },
    /// Many bodies are bound to close neighbours much more tightly than to the whole: hard binaries, multiples, planets, a
    /// small dense core.
    #[error("{}", .whole.hides(*.index, *.id, *.massive, *.share, *.step))]
    Hidden {
        /// One of these bodies, by its place.
        index: usize,
        /// Its id.
        id: u64,
        /// Whether these are bodies with mass.
        massive: bool,
        /// The share of the bodies with mass, or of those without.
        share: f64,
        /// A step that resolves the fastest orbit of that body about another.
        step: f64,
        /// What would suit the system without such parts; its duration suits it still.
        whole: Suggestion,
    },
}

fn count_of(n: usize) -> String {
    if n == 1 { "is 1".into() } else { format!("are {n}") }
}

impl Suggestion {
    /// [`NoSuggestion::Hidden`] in words.
    fn hides(&self, index: usize, id: u64, massive: bool, share: f64, step: f64) -> String {
        let kind = if massive { "with" } else { "without" };
        format!(
            "{:.1} % of its bodies {kind} mass are bound much more tightly than the whole to what is close to them: hard \
             binaries, multiples, planets or a small dense core, which a softening and a step that suit the rest (eps = {:.3e}, \
             dt = {:.3e}) do not resolve. Body {index} (id {id}) needs a step of about {step:.1e}",
            100.0 * share,
            self.eps,
            self.dt
        )
    }
}
