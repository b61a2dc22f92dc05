//! A grid of cubes by which bodies near to each other are found.

use super::touch::Swept;
use crate::Bodies;
use crate::vector::dot;
use rayon::prelude::*;

/// A body in the grid.
#[derive(Clone, Copy)]
struct Placed {
    cell: [i32; 3],
    index: u32,
    place: [f64; 3],
    radius: f64,
    speed: f64,
}

/// Bodies in the order of the cubes that they are in.
pub(super) struct Grid {
    bodies: Vec<Placed>,
    /// Where each body is among them.
    at: Vec<u32>,
}

impl Grid {
    /// Cubes of this edge, for bodies that can touch from at most that distance.
    pub(super) fn of(bodies: &Bodies, radius: &[f64], edge: f64) -> Self {
        // 2^30 cubes along an axis at most
        let size = [&bodies.x, &bodies.y, &bodies.z].into_iter().flatten().fold(0.0, |most: f64, q| most.max(q.abs()));
        let edge = edge.max(size * 1e-9).max(f64::MIN_POSITIVE);
        let placed = |k: usize| {
            let (place, v) = (bodies.position(k), bodies.velocity(k));
            let cell = place.map(|q| (q / edge).floor() as i32);
            Placed { cell, index: k as u32, place, radius: radius[k], speed: dot(v, v).sqrt() }
        };
        let mut all: Vec<Placed> = (0..bodies.len()).into_par_iter().map(placed).collect();
        all.par_sort_unstable_by_key(|body| (body.cell, body.index));
        let mut at = vec![0; all.len()];
        all.iter().enumerate().for_each(|(k, body)| at[body.index as usize] = k as u32);
        Grid { bodies: all, at }
    }

    /// Calls `visit` with the bodies that a swept one can have touched by their speeds, and perhaps others.
    pub(super) fn near(&self, (i, step): Swept, visit: &mut dyn FnMut(usize)) {
        let own = self.bodies[self.at[i] as usize];
        let [x, y, z] = own.cell;
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
            let low = [x + dx, y + dy, z - 1];
            let first = self.bodies.partition_point(|body| body.cell < low);
            for other in &self.bodies[first..] {
                if other.cell[..2] != low[..2] || other.cell[2] > z + 1 {
                    break;
                }
                // rounding must not leave out a pair at the limit
                let reach = (own.radius + other.radius + step * (own.speed + other.speed)) * (1.0 + 1e-12);
                let d: [f64; 3] = std::array::from_fn(|q| other.place[q] - own.place[q]);
                if dot(d, d) <= reach * reach {
                    visit(other.index as usize);
                }
            }
        }
    }
}
