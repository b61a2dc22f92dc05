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
    /// 1 / sum m.
    inverse_mass: V,
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

/// Calls a method with the number of bodies known to the compiler, which then keeps what it computes in registers: a step of
/// three bodies takes half the time. 0 stands for any number.
macro_rules! with_bodies {
    ($n:expr, $of:ident . $f:ident ( $($argument:expr),* )) => {
        match $n {
            2 => $of.$f::<2>($($argument),*),
            3 => $of.$f::<3>($($argument),*),
            4 => $of.$f::<4>($($argument),*),
            _ => $of.$f::<0>($($argument),*),
        }
    };
}
pub(super) use with_bodies;

/// Methods with N have N bodies, or with 0 any number.
impl<V: Real> Leapfrog<V> {
    /// Without bodies. `zero` is any number.
    pub(super) fn new(zero: V) -> Self {
        Leapfrog {
            g: zero,
            mass: Vec::new(),
            half_eps2: Vec::new(),
            inverse_mass: zero,
            offset: zero,
            relative: Vec::new(),
            accelerations: Vec::new(),
        }
    }

    /// Takes other bodies: their masses, and half the squares of their softening lengths.
    #[inline(always)]
    pub(super) fn set(&mut self, g: V, bodies: impl Iterator<Item = [V; 2]>) {
        self.g = g;
        self.mass.clear();
        self.half_eps2.clear();
        for [mass, half_eps2] in bodies {
            self.mass.push(mass);
            self.half_eps2.push(half_eps2);
        }
        let mut total = self.mass[0];
        for mass in &self.mass[1..] {
            total = total + *mass;
        }
        self.inverse_mass = g.lit(1.0) / total;
        for vectors in [&mut self.relative, &mut self.accelerations] {
            vectors.resize(self.mass.len(), [g.lit(0.0); 3]);
        }
    }

    /// U, and accelerations in `accelerations`.
    #[inline(always)]
    pub(super) fn evaluate<const N: usize>(&mut self, links: &[Link<V>]) -> V {
        let n = if N > 0 { N } else { self.mass.len() };
        let Leapfrog { g, mass, half_eps2, relative, accelerations, .. } = self;
        let (mass, half_eps2, links) = (&mass[..n], &half_eps2[..n], &links[..n - 1]);
        let (relative, accelerations) = (&mut relative[..n], &mut accelerations[..n]);
        let (zero, one) = (g.lit(0.0), g.lit(1.0));
        relative[0] = [zero; 3];
        accelerations[0] = [zero; 3];
        for k in 1..n {
            for q in 0..3 {
                relative[k][q] = relative[k - 1][q] + links[k - 1][q].hi;
            }
            accelerations[k] = [zero; 3];
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
    pub(super) fn pace<const N: usize>(&mut self, links: &[Link<V>]) -> V {
        self.evaluate::<N>(links) + self.offset
    }

    /// T in the frame of the centre of mass.
    #[inline(always)]
    pub(super) fn kinetic<const N: usize>(&mut self, links: &[Link<V>]) -> V {
        let n = if N > 0 { N } else { self.mass.len() };
        let center = self.velocities::<N>(links);
        let (mass, relative) = (&self.mass[..n], &self.relative[..n]);
        let mut sum = self.g.lit(0.0);
        for k in 0..n {
            let v = relative[k];
            let [x, y, z] = [v[0] - center[0], v[1] - center[1], v[2] - center[2]];
            sum = sum + mass[k] * (x * x + y * y + z * z);
        }
        sum * sum.lit(0.5)
    }

    /// Velocities relative to the first body in `relative`; their mean.
    #[inline(always)]
    pub(super) fn velocities<const N: usize>(&mut self, links: &[Link<V>]) -> [V; 3] {
        let n = if N > 0 { N } else { self.mass.len() };
        let (relative, links) = (&mut self.relative[..n], &links[..n - 1]);
        relative[0] = [self.g.lit(0.0); 3];
        for k in 1..n {
            for q in 0..3 {
                relative[k][q] = relative[k - 1][q] + links[k - 1][3 + q].hi;
            }
        }
        self.mean::<N>()
    }

    /// The mean of `relative`, weighted by mass; the first of them is 0.
    #[inline(always)]
    pub(super) fn mean<const N: usize>(&self) -> [V; 3] {
        let n = if N > 0 { N } else { self.mass.len() };
        let (mass, relative) = (&self.mass[..n], &self.relative[..n]);
        let mut center = [self.g.lit(0.0); 3];
        for k in 1..n {
            for q in 0..3 {
                center[q] = center[q] + mass[k] * relative[k][q];
            }
        }
        let [x, y, z] = center;
        [x * self.inverse_mass, y * self.inverse_mass, z * self.inverse_mass]
    }

    /// T + B + C, and how long the drift was; it cannot be made where the first is not above 0.
    #[inline(always)]
    pub(super) fn drift<const N: usize>(&mut self, state: &mut State<V>, h: V) -> (V, V) {
        let n = if N > 0 { N } else { self.mass.len() };
        let pace = self.kinetic::<N>(&state.links) + (state.binding.hi + self.offset);
        let dt = h / pace;
        state.time.accumulate(dt);
        for link in &mut state.links[..n - 1] {
            for q in 0..3 {
                link[q].accumulate(dt * link[3 + q].hi);
            }
        }
        (pace, dt)
    }

    /// Relative velocities by the accelerations for a time.
    #[inline(always)]
    pub(super) fn kick<const N: usize>(&self, links: &mut [Link<V>], dt: V) {
        let n = if N > 0 { N } else { self.mass.len() };
        let (accelerations, links) = (&self.accelerations[..n], &mut links[..n - 1]);
        for k in 1..n {
            for q in 0..3 {
                links[k - 1][3 + q].accumulate(dt * (accelerations[k][q] - accelerations[k - 1][q]));
            }
        }
    }
}
