//! The leapfrog of the logarithmic Hamiltonian, in the coordinates of a chain.
//!
//! ```text
//! T + B = U             kinetic energy, binding energy -E, and minus the potential energy
//! Lambda = ln(T + B + C) - ln(U + C)          the Hamiltonian, with the fictitious time s
//! drift h   dt = h / (T + B + C),   t += dt,   R += dt W
//! kick h    dt = h / (U + C),       W += dt A
//! ```
//!
//! Drift h/2, kick h, drift h/2 is symmetric. C is 0 for a bound system: the leapfrog then follows any orbit of two
//! bodies exactly but for the time [Mikkola 1999, Preto 1999]. In an unbound system far apart U is a small difference
//! of T and -B; C = -B leaves T in its place. Steps shorten near a collision by themselves: dt = ds / (U + C).
//!
//! The numbers are those of one system, or vectors of those of several systems side by side. Operations are exact to rounding and
//! in one order, so that both have the same bits.

use super::chain::Link;
use super::double::DoubleDouble;
use super::perturber::Deflections;
use super::tide::Tensor;
use crate::law::Real;

/// The masses and forces of bodies in the order of a chain.
#[derive(Clone, Debug, Default)]
pub(super) struct Leapfrog<V = f64> {
    pub(super) g: V,
    pub(super) mass: Vec<V>,
    /// Half the squares of softening lengths: those of a pair are added.
    pub(super) half_eps2: Vec<V>,
    /// C.
    pub(super) offset: V,
    /// Relative to the first body: places or velocities.
    pub(super) relative: Vec<[V; 3]>,
    pub(super) accelerations: Vec<[V; 3]>,
}

/// Links of a chain, the time, the binding energy B, and what became of perturbers.
#[derive(Clone, Debug, Default)]
pub(super) struct State<V = f64> {
    pub(super) links: Vec<Link<V>>,
    pub(super) time: DoubleDouble<V>,
    pub(super) binding: DoubleDouble<V>,
    pub(super) deflections: Vec<Deflections>,
    /// The time integral of sum m y_i y_j, with the places y about the centre of mass.
    pub(super) spread: Tensor,
}

impl<V: Real> State<V> {
    #[inline(always)]
    pub(super) fn copy(&mut self, from: &Self) {
        self.links.clone_from(&from.links);
        (self.time, self.binding, self.spread) = (from.time, from.binding, from.spread);
        self.deflections.clone_from(&from.deflections);
    }
}

impl<V: Real> Leapfrog<V> {
    /// U, and accelerations in `accelerations`.
    #[inline(always)]
    pub(super) fn evaluate(&mut self, links: &[Link<V>]) -> V {
        let Leapfrog { g, mass, half_eps2, relative, accelerations, .. } = self;
        let (zero, one) = (g.lit(0.0), g.lit(1.0));
        let n = mass.len();
        relative.resize(n, [zero; 3]);
        accelerations.clear();
        accelerations.resize(n, [zero; 3]);
        relative[0] = [zero; 3];
        for (k, link) in links.iter().enumerate() {
            for q in 0..3 {
                relative[k + 1][q] = relative[k][q] + link[q].hi;
            }
        }
        let mut potential = zero;
        for i in 0..n {
            for j in i + 1..n {
                // a few links are added, and not subtracted from others
                let mut apart = [zero; 3];
                for q in 0..3 {
                    apart[q] = match j - i {
                        1 => links[i][q].hi,
                        2 => links[i][q].hi + links[i + 1][q].hi,
                        _ => relative[j][q] - relative[i][q],
                    };
                }
                let eps2 = half_eps2[i] + half_eps2[j];
                let inverse2 = one / (apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2] + eps2);
                let inverse = *g * inverse2.sqrt();
                potential = potential + mass[i] * mass[j] * inverse;
                let inverse3 = inverse * inverse2;
                let (to_j, to_i) = (mass[j] * inverse3, mass[i] * inverse3);
                for q in 0..3 {
                    accelerations[i][q] = accelerations[i][q] + to_j * apart[q];
                    accelerations[j][q] = accelerations[j][q] - to_i * apart[q];
                }
            }
        }
        potential
    }

    /// ds / dt.
    #[inline(always)]
    pub(super) fn pace(&mut self, links: &[Link<V>]) -> V {
        self.evaluate(links) + self.offset
    }

    /// T in the frame of the centre of mass.
    #[inline(always)]
    pub(super) fn kinetic(&mut self, links: &[Link<V>]) -> V {
        let center = self.velocities(links);
        let mut sum = self.g.lit(0.0);
        for (m, v) in self.mass.iter().zip(&self.relative) {
            let [x, y, z] = [v[0] - center[0], v[1] - center[1], v[2] - center[2]];
            sum = sum + *m * (x * x + y * y + z * z);
        }
        sum * sum.lit(0.5)
    }

    /// Velocities relative to the first body in `relative`; their mean.
    #[inline(always)]
    pub(super) fn velocities(&mut self, links: &[Link<V>]) -> [V; 3] {
        let Leapfrog { g, mass, relative, .. } = self;
        let zero = g.lit(0.0);
        relative.resize(mass.len(), [zero; 3]);
        relative[0] = [zero; 3];
        for (k, link) in links.iter().enumerate() {
            for q in 0..3 {
                relative[k + 1][q] = relative[k][q] + link[3 + q].hi;
            }
        }
        mean(mass, relative)
    }

    /// T + B + C, and how long the drift was; it cannot be made where the first is not above 0.
    #[inline(always)]
    pub(super) fn drift(&mut self, state: &mut State<V>, h: V) -> (V, V) {
        let pace = self.kinetic(&state.links) + (state.binding.hi + self.offset);
        let dt = h / pace;
        state.time.accumulate(dt);
        for link in &mut state.links {
            for q in 0..3 {
                link[q].accumulate(dt * link[3 + q].hi);
            }
        }
        (pace, dt)
    }

    /// Relative velocities by the accelerations for a time.
    #[inline(always)]
    pub(super) fn kick(&self, links: &mut [Link<V>], dt: V) {
        for (link, pair) in links.iter_mut().zip(self.accelerations.windows(2)) {
            for q in 0..3 {
                link[3 + q].accumulate(dt * (pair[1][q] - pair[0][q]));
            }
        }
    }
}

/// The mean of vectors of bodies, weighted by mass; the first of them is 0.
#[inline(always)]
pub(super) fn mean<V: Real>(mass: &[V], of: &[[V; 3]]) -> [V; 3] {
    let (mut total, mut center) = (mass[0], [mass[0].lit(0.0); 3]);
    for (m, v) in mass.iter().zip(of).skip(1) {
        for q in 0..3 {
            center[q] = center[q] + *m * v[q];
        }
        total = total + *m;
    }
    [center[0] / total, center[1] / total, center[2] / total]
}
