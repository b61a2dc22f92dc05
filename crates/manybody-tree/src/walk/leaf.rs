//! What acts on the bodies of a leaf: its expansions, the bodies of its neighbours, and what its bodies find one by one.

use super::{Aim, Here, Thread, Walk};
use crate::lists::Lists;
use crate::softening::Softenings;
use manybody_expansions::{
    AtBodies, Estimate, FIELDS, HEADER, JerksAtBodies, Near, OF_ORDER_TWO, Operators, Place, Point, Scratch, at_center,
    jerk_at_center,
};
use manybody_pairwise::Softening;

impl<T: Operators> Walk<'_, T> {
    /// What its expansion, its neighbours and its bodies do to the bodies of a leaf.
    pub(super) fn leaf(&self, cell: usize, here: &Here<T>, local: &[T], to: &mut [T], thread: &mut Thread<T>) {
        let Aim::Forces { potential } = self.aim else {
            to[0] = T::from_f64(self.estimate(cell, here, local, thread));
            return;
        };
        let first = self.tree.first_leaf();
        let Thread { scratch, bodies, velocities, steps, stack, singles, .. } = thread;
        let (mut single, mut near) = (&here.single, &here.lists.near);
        let wide = self.is_wide(cell);
        if wide || !self.wide.is_empty() && near.iter().any(|leaf| self.is_wide(*leaf as usize)) {
            // the places of bodies in wide leaves are not right to the distances of bodies: these are taken one by one
            let of = |leaf: &u32| self.tree.bodies(*leaf as usize).map(|k| k as u32);
            singles.clear();
            singles.extend_from_slice(single);
            singles.extend(near.iter().filter(|leaf| wide || self.is_wide(**leaf as usize)).flat_map(of));
            stack.clear();
            stack.extend(near.iter().filter(|leaf| !(wide || self.is_wide(**leaf as usize))));
            (single, near) = (singles, stack);
        }
        if wide {
            self.exactly(cell, single, to);
        } else {
            self.relative(single, self.tree.cells[cell].center, 1.0, bodies);
            self.velocities_of(single, velocities);
            self.leaves_onto(cell, near, (bodies, velocities), potential, steps, to);
        }
        let unit = self.tree.cells[cell].unit;
        let columns = self.bodies.columns(cell - first);
        let (order, width) = (self.order(), self.width());
        let (at_rest, rates) = local.split_at(self.width_at_rest());
        let (found, jerks) = to.split_at_mut(FIELDS[0] * self.tree.leaf);
        let mut at_bodies = |k: usize, differences| {
            let (local, to, scratch) = (&at_rest[k * width..][..width], &mut *found, &mut *scratch);
            T::at_bodies(self.level, AtBodies { columns, differences, unit, order, local, scratch, to });
            if let Some(moving) = self.rates {
                let (velocities, rate) = (moving.velocities.columns(cell - first), &rates[k * width..][..width]);
                let to = &mut *jerks;
                T::jerks_at_bodies(
                    self.level,
                    JerksAtBodies { columns, velocities, differences, unit, order, local, rate, scratch, to },
                );
            }
        };
        at_bodies(0, None);
        if let Some(softenings) = self.second() {
            at_bodies(1, Some(softenings.differences_in(cell - first)));
        }
        if !here.lists.small.is_empty() {
            self.one_by_one(cell, here, to, thread);
        }
    }

    /// Whether distances in a leaf are to be computed in f64.
    fn is_wide(&self, leaf: usize) -> bool {
        self.wide.get(leaf - self.tree.first_leaf()).copied().unwrap_or(false)
    }

    /// What the bodies of leaves, other bodies, and a leaf's own do to these.
    fn leaves_onto(
        &self,
        cell: usize,
        sources: &[u32],
        (single, velocities): (&[[T; 5]], &[[T; 3]]),
        potential: bool,
        steps: &mut Vec<[T; 3]>,
        to: &mut [T],
    ) {
        let (first, cells) = (self.tree.first_leaf(), &self.tree.cells);
        let center = cells[cell].center;
        let step = |there: [f64; 3]| std::array::from_fn(|k| T::from_f64(there[k] - center[k]));
        steps.clear();
        steps.extend(sources.iter().map(|leaf| step(cells[*leaf as usize].center)));
        let (bodies, leaf) = (self.bodies.view(), cell - first);
        let (soft2, halves) = (self.soft2, self.softenings.map(Softenings::of_leaves));
        let (spline, compensated) = (self.softening == Softening::Spline, self.compensated);
        let moving = self.rates.map(|rates| (rates.velocities.view(), velocities));
        let near = Near {
            bodies,
            leaf,
            sources,
            first,
            steps,
            single,
            moving,
            soft2,
            halves,
            spline,
            potential,
            compensated,
            to,
        };
        T::near(self.level, near);
    }

    /// What bodies, and those of the leaf, do to these, in f64.
    fn exactly(&self, cell: usize, single: &[u32], to: &mut [T]) {
        let own = self.tree.bodies(cell);
        for (at, k) in own.clone().enumerate() {
            let mut sum = [0.0; FIELDS[1]];
            let others = own.clone().filter(|other| *other != k);
            for source in single.iter().map(|k| *k as usize).chain(others) {
                self.add_body(k, source, &mut sum);
            }
            for (field, sum) in sum.into_iter().enumerate().take(self.per_leaf() / self.tree.leaf) {
                to[field * self.tree.leaf + at] = T::from_f64(sum);
            }
        }
    }

    /// Each body of a leaf that is large for its neighbours walks by itself.
    fn one_by_one(&self, cell: usize, here: &Here<T>, to: &mut [T], thread: &mut Thread<T>) {
        let (first, size) = (self.tree.first_leaf(), self.tree.leaf);
        let unit = self.tree.cells[cell].unit;
        let mut far = Vec::new();
        for (at, k) in self.tree.bodies(cell).enumerate() {
            let line = self.body(k as u32);
            far.clear();
            let mut sum = [0.0; FIELDS[1]];
            let stack = &mut thread.stack;
            stack.clear();
            stack.extend(here.lists.small.iter().rev());
            while let Some(source) = stack.pop() {
                if self.criterion.accepts(self.lines.of(source as usize), &line) {
                    far.push(source);
                } else if source as usize == cell {
                    // its own bodies have been taken
                } else if source as usize >= first {
                    self.direct(k, source as usize, &mut sum);
                } else {
                    stack.extend(self.tree.children[source as usize].clone().rev());
                }
            }
            let distant = self.distant(k, unit, &far, &mut thread.scratch);
            for (field, (sum, distant)) in sum.into_iter().zip(distant).enumerate().take(self.per_leaf() / size) {
                let to = &mut to[field * size + at];
                *to = T::from_f64(to.to_f64() + sum + distant);
            }
        }
    }

    /// What cells at a distance do to a body, by expansions in a unit.
    fn distant(&self, k: usize, unit: f64, sources: &[u32], scratch: &mut Scratch<T>) -> [f64; FIELDS[1]] {
        let mut sum = [0.0; FIELDS[1]];
        if sources.is_empty() {
            return sum;
        }
        let (sink, part) =
            (Place { center: self.tree.points[k].x, unit }, self.softenings.map_or(self.soft2, |_| self.half(k)));
        // jerks need second derivatives
        let highest = if self.rates.is_some() { self.order().min(2) } else { 1 };
        let mut found = [[T::default(); OF_ORDER_TWO]; 2];
        for (acting, local) in self.acting().zip(&mut found) {
            let mut second = [T::default(); OF_ORDER_TWO];
            self.unlike_cells_onto(sink, (part, highest), (acting, sources), [local, &mut second], scratch);
            // of the body's own difference, which the first expansion is without
            if let Some(softenings) = self.second() {
                let difference = T::from_f64(softenings.differences.of(part));
                local.iter_mut().zip(second).for_each(|(first, second)| *first = *first + difference * second);
            }
        }
        let [local, rate] = &found;
        let (distant, jerk) = sum.split_at_mut(FIELDS[0]);
        distant.copy_from_slice(&at_center(local, unit));
        if let Some(rates) = self.rates {
            jerk.copy_from_slice(&jerk_at_center(local, rate, rates.of_bodies[k], unit));
        }
        sum
    }

    /// Adds what the bodies of another leaf do to a body.
    fn direct(&self, body: usize, leaf: usize, sum: &mut [f64; FIELDS[1]]) {
        for other in self.tree.bodies(leaf) {
            self.add_body(body, other, sum);
        }
    }

    /// Roughly the least acceleration in a leaf: neighbours are points, softened by their size.
    fn estimate(&self, cell: usize, here: &Here<T>, local: &[T], thread: &mut Thread<T>) -> f64 {
        let own = &self.tree.cells[cell];
        let Thread { scratch, points, .. } = thread;
        points.clear();
        // in the middle of a body the pull of the spline is that of a Plummer sphere so much wider
        let wider = if self.softening == Softening::Spline { 1.62 } else { 1.0 };
        let mut add = |x: [f64; 3], mass: T, radius: f64, soft2: f64| {
            let [x, y, z] = [0, 1, 2].map(|k| T::from_f64(x[k] - own.center[k]));
            points.push([x, y, z, mass, T::from_f64(wider * soft2 + 0.5 * radius * radius)]);
        };
        let with = |part: f64| self.softenings.map_or(self.soft2, |_| self.part_of(cell) + part);
        let Lists { near, small, .. } = &here.lists;
        for source in near.iter().chain(small).map(|source| *source as usize) {
            let there = &self.tree.cells[source];
            let mass = self.moments.records[source * self.moments.width + HEADER];
            add(there.center, mass, there.radius, with(self.part_of(source)));
        }
        for body in &here.single {
            let Point { x, mass } = self.tree.points[*body as usize];
            add(x, T::from_f64(mass), own.radius, with(self.half(*body as usize)));
        }
        let (columns, count) = (self.bodies.columns(cell - self.tree.first_leaf()), self.tree.bodies(cell).len());
        let (unit, order) = (own.unit, self.order());
        T::estimate(self.level, Estimate { columns, count, sources: points, unit, order, local, scratch })
    }

    /// Adds what a body, the other one, does to a body.
    fn add_body(&self, body: usize, other: usize, sum: &mut [f64; FIELDS[1]]) {
        let (Point { x: place, .. }, Point { x, mass }) = (self.tree.points[body], self.tree.points[other]);
        let soft2 = self.soft2_of(body, other);
        let d: [f64; 3] = std::array::from_fn(|k| x[k] - place[k]);
        let r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        let (y, f) = match self.softening {
            Softening::Plummer => {
                let y = 1.0 / (r2 + soft2).sqrt();
                (y, mass * y * y * y)
            }
            softening @ Softening::Spline => (softening.potential(1.0, r2, soft2), softening.force(mass, r2, soft2)),
        };
        (0..3).for_each(|k| sum[k] += f * d[k]);
        sum[3] -= mass * y;
        if let Some(rates) = self.rates {
            let (v, u) = (rates.of_bodies[body], rates.of_bodies[other]);
            let w: [f64; 3] = std::array::from_fn(|k| u[k] - v[k]);
            let along = -3.0 * self.softening.fall(mass, r2, soft2) * (d[0] * w[0] + d[1] * w[1] + d[2] * w[2]);
            (0..3).for_each(|k| sum[FIELDS[0] + k] += f * w[k] + along * d[k]);
        }
    }
}
