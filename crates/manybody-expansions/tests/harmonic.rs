//! What cells do to each other along z, beside their bodies.

use manybody_expansions::index::{HIGHEST, count};
use manybody_expansions::taylor::{evaluate, monomials};
use manybody_expansions::{
    FromFarCells, HEADER, Moments, MomentsOfBodies, Operators, Place, Scratch, Softness, ToSpherical, head,
};
use manybody_law::simd::{Level, Scalar};

/// Bodies in a ball about a centre: x, y, z, mass.
fn ball(center: [f64; 3], radius: f64, mut seed: f64) -> Vec<[f64; 4]> {
    let mut next = || {
        seed = (seed + 0.618_033_988_749_894_9).fract();
        2.0 * (seed * 3177.1).fract() - 1.0
    };
    let mut bodies = Vec::new();
    while bodies.len() < 6 {
        let d: [f64; 3] = std::array::from_fn(|_| next());
        if d.iter().map(|x| x * x).sum::<f64>() < 1.0 {
            let [x, y, z] = std::array::from_fn(|k| center[k] + radius * d[k]);
            bodies.push([x, y, z, 1.0 + 0.5 * next()]);
        }
    }
    bodies
}

/// The moments of one cell, with the spherical ones.
fn moments(level: Level, p: usize, bodies: &[[f64; 4]], place: Place, scratch: &mut Scratch<f64>) -> Moments<f64> {
    let mut moments = Moments::default();
    moments.refill(1, p);
    head(place, &mut moments.records);
    // whole vectors of bodies, some without mass at the centre
    let column = |k: usize| {
        let mut column: Vec<f64> = bodies.iter().map(|body| body[k] - place.center.get(k).unwrap_or(&0.0)).collect();
        column.resize(16, 0.0);
        column
    };
    let columns: [Vec<f64>; 4] = std::array::from_fn(column);
    let columns = columns.each_ref().map(Vec::as_slice);
    let to = &mut moments.records[HEADER..];
    f64::moments_of_bodies(level, MomentsOfBodies { columns, unit: place.unit, order: p, scratch, to });
    moments.resize_spherical();
    let Moments { records, width, spherical, short_width, conversion, .. } = &mut moments;
    let widths = [*width, *short_width];
    f64::to_spherical(level, ToSpherical { conversion, from: records, to: spherical, widths });
    moments
}

/// Two balls of bodies, of which the first acts on the second.
struct Pair {
    bodies: [Vec<[f64; 4]>; 2],
    centers: [[f64; 3]; 2],
    units: [f64; 2],
    soft2: f64,
}

impl Pair {
    fn new(x: [f64; 3], radii: [f64; 2], units: [f64; 2], soft2: f64) -> Self {
        let centers = [[0.0; 3], x];
        Pair { bodies: [ball(centers[0], radii[0], 0.3), ball(x, radii[1], 0.7)], centers, units, soft2 }
    }

    /// The same with the second acting on the first.
    fn exchanged(mut self) -> Self {
        self.bodies.reverse();
        self.centers.reverse();
        self.units.reverse();
        self
    }

    /// The expansion of the second about its centre in its unit, from the first.
    fn expansion(&self, p: usize, level: Level) -> Vec<f64> {
        let [source, sink] = [0, 1].map(|k| Place { center: self.centers[k], unit: self.units[k] });
        let (scratch, softness) = (&mut Scratch::new(level), Softness::One(self.soft2));
        let moments = &moments(level, p, &self.bodies[0], source, scratch);
        let (mut found, dipoles) = (vec![0.0; count(p)], true);
        let work = FromFarCells { moments, sources: &[0], sink, softness, order: p, dipoles, scratch, to: &mut found };
        f64::from_far_cells(level, work);
        found
    }

    /// Potential and gradient at the bodies of the second.
    fn found(&self, p: usize) -> Vec<[f64; 4]> {
        let (local, unit, center) = (self.expansion(p, Level::best()), self.units[1], self.centers[1]);
        let mut powers = vec![0.0; count(p)];
        let at = |body: &[f64; 4]| {
            monomials(Scalar, std::array::from_fn(|k| (body[k] - center[k]) / unit), 1.0, p, &mut powers);
            let [value, x, y, z]: [f64; 4] = evaluate(Scalar, p, &local, &powers);
            [value / unit, x / (unit * unit), y / (unit * unit), z / (unit * unit)]
        };
        self.bodies[1].iter().map(at).collect()
    }

    fn right(&self) -> Vec<[f64; 4]> {
        let [sources, sinks] = &self.bodies;
        let at = |sink: &[f64; 4]| {
            let mut sum = [0.0; 4];
            for source in sources {
                let d: [f64; 3] = std::array::from_fn(|k| sink[k] - source[k]);
                let inverse = 1.0 / d.iter().map(|d| d * d).sum::<f64>().sqrt();
                sum[0] -= source[3] * inverse;
                (0..3).for_each(|k| sum[k + 1] += source[3] * inverse.powi(3) * d[k]);
            }
            sum
        };
        sinks.iter().map(at).collect()
    }

    /// The root mean square of the errors of potentials and gradients, relative to the mean ones.
    fn errors(&self, p: usize) -> [f64; 2] {
        let (found, right) = (self.found(p), self.right());
        [0..1, 1..4].map(|fields| {
            let sum = |of: &dyn Fn(usize, usize) -> f64| {
                (0..right.len())
                    .flat_map(|b| fields.clone().map(move |k| (b, k)))
                    .map(|(b, k)| of(b, k).powi(2))
                    .sum::<f64>()
            };
            (sum(&|b, k| found[b][k] - right[b][k]) / sum(&|b, k| right[b][k])).sqrt()
        })
    }
}

/// In all directions, along axes too, and with cells of different sizes and units.
#[test]
fn errors_fall_with_the_order() {
    for x in
        [[0.5, -0.6, 0.62], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1e-20, 0.0, -1.0], [0.0, -1.0, 0.0], [-1.0, 0.0, 1e-9]]
    {
        for (radii, units) in [([0.2, 0.2], [0.25, 0.25]), ([0.1, 0.25], [0.125, 0.25]), ([0.25, 0.02], [0.5, 0.0625])]
        {
            let pair = Pair::new(x, radii, units, 0.0);
            let [low, high] = [radii[0].min(radii[1]), radii[0].max(radii[1])];
            for p in 1..=HIGHEST {
                let ratio = high / (1.0 - low);
                let [of_potential, of_gradient] = pair.errors(p);
                // a gradient is cut off at one degree less, and has terms of all degrees
                assert!(of_potential < 2.0 * ratio.powi(p as i32) + 1e-14, "{x:?} {radii:?} {p}: {of_potential:e}");
                let bound = 2.0 * (p + 1) as f64 * ratio.powi(p as i32) + 1e-13;
                assert!(of_gradient < bound, "{x:?} {radii:?} {p}: {of_gradient:e}, {bound:e}");
            }
            // and not much better than that where nothing cancels: the test's bodies are not points
            assert!(pair.errors(2)[1] > 1e-5);
        }
    }
}

#[test]
fn straight_code_is_what_loops_compute() {
    let pair = Pair::new([0.5, -0.6, 0.62], [0.3, 0.3], [0.5, 0.25], 1e-3);
    for (p, level) in (1..=HIGHEST).flat_map(|p| Level::available().into_iter().map(move |level| (p, level))) {
        let (one, other) = (pair.expansion(p, level), pair.expansion(p, Level::Scalar));
        let size = one.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (a, b) in one.iter().zip(other) {
            assert!((a - b).abs() < 1e-14 * size, "order {p}, {level:?}: {a} {b}");
        }
    }
}

/// What cells do to each other is opposite, also with what a softening leaves of it.
#[test]
fn momentum_is_conserved_at_every_order() {
    for (soft2, p) in [0.0, 0.01].into_iter().flat_map(|soft2| (1..=HIGHEST).map(move |p| (soft2, p))) {
        let mut pair = Pair::new([0.5, -0.6, 0.62], [0.35, 0.2], [0.5, 0.25], soft2);
        let (mut sum, mut size) = ([0.0; 3], 0.0);
        for _ in 0..2 {
            for (body, found) in pair.bodies[1].iter().zip(pair.found(p)) {
                for k in 0..3 {
                    sum[k] += body[3] * found[k + 1];
                    size += (body[3] * found[k + 1]).abs();
                }
            }
            pair = pair.exchanged();
        }
        assert!(sum.iter().all(|sum| sum.abs() < 1e-14 * size), "{soft2} {p}: {sum:?} of {size}");
    }
}
