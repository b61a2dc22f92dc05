//! Spheres whose velocities are isotropic: positions from the inverse of M(r), speeds from the distribution function.
//!
//! At radius r the speed has the density v^2 f(psi(r) - v^2/2) up to the escape speed. It is sampled by rejection
//! under its maximum. That maximum grows with psi (f never falls with the binding energy, or the model is not drawn
//! from here), so the maximum at a node further in bounds every radius between it and the next node.

use super::Random;

/// A sphere with an isotropic distribution function.
pub(super) trait Isotropic {
    /// The radius that holds a fraction, 0 to 1, of the mass.
    fn radius(&self, fraction: f64) -> f64;
    /// The relative potential psi at a radius: 0 where nothing is bound any more.
    fn potential(&self, radius: f64) -> f64;
    /// The distribution function, on any scale, at a binding energy above 0: it does not fall.
    fn distribution(&self, energy: f64) -> f64;
}

/// Draws positions and velocities of a model.
pub(super) struct Sampler<'a, M> {
    model: &'a M,
    /// Radii, rising from 0.
    node: Vec<f64>,
    /// The largest v^2 f at each node.
    bound: Vec<f64>,
}

impl<'a, M: Isotropic> Sampler<'a, M> {
    /// A sampler with bounds at `node`, radii above 0 that rise.
    pub(super) fn new(model: &'a M, node: Vec<f64>) -> Self {
        let bound = node.iter().map(|r| largest(model, model.potential(*r))).collect();
        Sampler { model, node, bound }
    }

    /// A radius and the position at it.
    pub(super) fn position(&self, random: &mut Random) -> (f64, [f64; 3]) {
        // radii below the first node are too rare to matter (its share of the mass is 1e-9 or less) and have no bound
        let radius = self.model.radius(random.uniform()).max(self.node[0]);
        (radius, random.sphere(radius))
    }

    /// A velocity at a radius.
    pub(super) fn velocity(&self, radius: f64, random: &mut Random) -> [f64; 3] {
        let psi = self.model.potential(radius);
        if psi <= 0.0 {
            return [0.0; 3];
        }
        let inner = self.node.partition_point(|node| *node <= radius).max(1) - 1;
        let escape = (2.0 * psi).sqrt();
        loop {
            let v = escape * random.uniform();
            if random.uniform() * self.bound[inner] < density(self.model, psi, v) {
                return random.sphere(v);
            }
        }
    }
}

fn density(model: &impl Isotropic, psi: f64, v: f64) -> f64 {
    v * v * model.distribution(psi - 0.5 * v * v)
}

/// The maximum of v^2 f(psi - v^2/2), which has one, by golden section; a thousandth above it for safety.
fn largest(model: &impl Isotropic, psi: f64) -> f64 {
    if psi <= 0.0 {
        return 0.0;
    }
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (0.0, (2.0 * psi).sqrt());
    for _ in 0..60 {
        let (left, right) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
        if density(model, psi, left) < density(model, psi, right) {
            a = left;
        } else {
            b = right;
        }
    }
    1.001 * density(model, psi, 0.5 * (a + b))
}

/// `count` radii from `first` to `last`, each the same factor from the one before.
pub(super) fn logarithmic(first: f64, last: f64, count: usize) -> Vec<f64> {
    let step = libm::log(last / first) / (count - 1) as f64;
    (0..count).map(|i| first * libm::exp(step * i as f64)).collect()
}
