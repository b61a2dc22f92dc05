//! What jerks need beside what accelerations do: velocities, and the rates of moments.

use crate::bodies::{LeafBodies, Leaves};
use crate::moments;
use crate::softening::Softenings;
use crate::tree::Tree;
use manybody_expansions::{Moments, Operators, RatesOfBodies};
use manybody_law::simd::Level;

/// vx, vy and vz of the bodies of leaves, beside [`LeafBodies`].
pub(crate) type Velocities<T> = Leaves<T, 3>;

/// What jerks need beside what accelerations do.
#[derive(Debug, Default)]
pub(crate) struct Rates<T> {
    pub(crate) velocities: Velocities<T>,
    /// In the order of the tree, where distances are computed in f64.
    pub(crate) of_bodies: Vec<[f64; 3]>,
    /// The rates of the moments of cells.
    pub(crate) moments: Moments<T>,
    /// Those of the products with differences of softenings, where bodies have their own.
    pub(crate) products: Moments<T>,
}

impl<T: Operators> Rates<T> {
    /// Takes the velocities of bodies, by their indices.
    pub(crate) fn fill(
        &mut self,
        level: Level,
        tree: &Tree,
        velocities: &[Vec<f64>; 3],
        (bodies, softenings): (&LeafBodies<T>, Option<&Softenings<T>>),
        order: usize,
    ) {
        let Rates { velocities: of_leaves, of_bodies, moments, products } = self;
        of_bodies.clear();
        of_bodies.extend(tree.order.iter().map(|body| [0, 1, 2].map(|k: usize| velocities[k][*body as usize])));
        of_leaves.take(tree, |_, body| of_bodies[body].map(T::from_f64));
        let rates = |moments: &mut Moments<T>, bodies: &LeafBodies<T>| {
            moments::fill_with(moments, level, tree, order, |leaf, unit, scratch, to| {
                let (columns, velocities) = (bodies.columns(leaf), of_leaves.columns(leaf));
                T::rates_of_bodies(level, RatesOfBodies { columns, velocities, unit, order, scratch, to });
            });
        };
        rates(moments, bodies);
        moments::fill_spherical(moments, level);
        if let Some(softenings) = softenings {
            rates(products, softenings.products());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Accuracy, Fmm, Opening, Sinks};
    use manybody_expansions::Operators;
    use manybody_law::simd::Level;
    use manybody_pairwise::{Bodies, ForceTerms, Forces, Gravity, Reference, Softening, Solver};

    const TERMS: ForceTerms = ForceTerms { potential: false, jerk: true };

    /// Two clumps that move through each other, with some bodies far out and some without mass.
    fn clumps(n: usize) -> Bodies {
        let mut next = 0.5_f64;
        let mut number = || {
            next = (next + 0.618_033_988_749_894_9).fract();
            (next * 31.7).sin() * (next * 77.1).cos()
        };
        let mut bodies = Bodies::default();
        for k in 0..n {
            let side = if k % 2 == 0 { 1.5 } else { -1.5 };
            let far = if k % 97 == 0 { 6.0 } else { 1.0 };
            let mass = if k % 50 == 3 { 0.0 } else { (1.0 + 0.5 * number()) / n as f64 };
            let place = [side + far * number(), far * number(), far * number()];
            bodies.push(mass, place, [number() - side, 0.3 + number(), number()]);
        }
        bodies
    }

    fn jerks<T: Operators>(bodies: &Bodies, gravity: &Gravity, order: usize, theta: f64, sinks: Sinks) -> Forces {
        let accuracy = Accuracy { order, opening: Opening::Angle(theta), leaf: 16, is_usual: false };
        let mut found = Forces::default();
        Fmm::<T>::new(Level::best(), accuracy, sinks).forces(bodies, gravity, TERMS, &mut found).unwrap();
        found
    }

    /// The root mean square of the differences, over that of the right ones: of accelerations and jerks.
    fn errors(found: &Forces, right: &Forces) -> [f64; 2] {
        let of = |found: [&Vec<f64>; 3], right: [&Vec<f64>; 3]| {
            let sum = |f: &dyn Fn(usize, usize) -> f64| {
                (0..3).flat_map(|q| (0..right[0].len()).map(move |k| (q, k))).map(|(q, k)| f(q, k).powi(2)).sum::<f64>()
            };
            (sum(&|q, k| found[q][k] - right[q][k]) / sum(&|q, k| right[q][k])).sqrt()
        };
        [
            of([&found.ax, &found.ay, &found.az], [&right.ax, &right.ay, &right.az]),
            of([&found.jx, &found.jy, &found.jz], [&right.jx, &right.jy, &right.jz]),
        ]
    }

    /// Without softening, with one for all, with the bodies' own, and with that of splines.
    #[test]
    fn jerks_converge_with_the_order() {
        for (what, gravity, own) in [
            ("none", Gravity::new(2.0, 0.0), false),
            ("one", Gravity::new(2.0, 0.1), false),
            ("own", Gravity::new(2.0, 0.1), true),
            ("spline", Gravity { softening: Softening::Spline, ..Gravity::new(2.0, 0.1) }, false),
            ("own splines", Gravity { softening: Softening::Spline, ..Gravity::new(2.0, 0.1) }, true),
        ] {
            let mut bodies = clumps(1500);
            bodies.eps = own.then(|| (0..1500).map(|k| 0.1 + 0.01 * f64::from(k % 7)).collect());
            let mut right = Forces::default();
            Reference::default().forces(&bodies, &gravity, TERMS, &mut right).unwrap();
            for sinks in [Sinks::Cells, Sinks::Leaves] {
                let mut last = f64::INFINITY;
                // high orders take long with softenings
                let highest = if what == "none" { 12 } else { 8 };
                for order in (2..=highest).step_by(2) {
                    let found = jerks::<f64>(&bodies, &gravity, order, 0.5, sinks);
                    let [of_a, of_j] = errors(&found, &right);
                    let what = format!("{what}, {sinks:?}, order {order}: {of_a:e} {of_j:e}");
                    // one order less than accelerations, so a power of the angle more, and 2 (p + 1) times as many terms
                    assert!(of_j < 25.0 * of_a, "{what}");
                    // two orders are two powers of half the angle, or rounding alone is left
                    assert!(of_j < last / 3.0 || of_j < 1e-13, "{what}");
                    last = of_j;
                }
            }
        }
    }
}
