//! Whole steps of few bodies: on the calling thread, without a lock, an allocation or a call between an evaluation and
//! the next.
//!
//! Eleven bodies have 55 pairs, which one core computes in a tenth of a microsecond; to bring them to the general path
//! and back takes ten times as long. Here a stretch of steps is one [`Kernel`]: the bodies are copied into columns filled
//! up to whole vectors, moved there, and copied back. Every number is computed as by the general path, operation by
//! operation, so the bits are the same.

use super::frame::{Coordinates, Frame};
use super::mirrored::{ONE_TILE, TilePair};
use super::one_sided::{Sources, own_bodies, some};
use super::packed::{Aligned, Packed};
use super::{Forces, Gravity, Softening, lanes};
use crate::Substep;
use crate::law;
use crate::simd::{Element, Kernel, Level, Vector, launch};
use crate::{Bodies, Result};
use std::marker::PhantomData;

/// Columns are filled up to a multiple of this, whole vectors of any level: eight f64 or sixteen f32.
const fn fill<T: Element>() -> usize {
    if T::DOUBLE { 8 } else { 16 }
}
/// Positions, velocities, accelerations, masses, and 1 for a body or 0 for filling.
const COLUMNS: usize = 11;
/// Numbers of a body in the kernels, and results.
const FIELDS: usize = 4;
const RESULTS: usize = 3;
/// Of the widest vector.
const MAX_LANES: usize = 16;

/// Steps to be made, and what they change.
#[derive(Debug)]
pub struct Steps<'a> {
    /// The bodies.
    pub bodies: &'a mut Bodies,
    /// Their accelerations.
    pub forces: &'a mut Forces,
    /// Positions have changed since the accelerations were computed.
    pub moved: &'a mut bool,
    /// The physical problem.
    pub gravity: &'a Gravity,
    /// What a step consists of.
    pub substeps: &'a [Substep],
    /// The length of a step.
    pub dt: f64,
    /// How many steps are to be made.
    pub most: u64,
}

/// Memory that serves again.
#[derive(Debug, Default)]
pub(super) struct Few<T> {
    columns: Aligned<f64>,
    packed: Packed<T>,
    i_sums: Aligned<T>,
    block_sums: Aligned<T>,
    j_sums: Aligned<T>,
}

impl<T: Element> Few<T> {
    /// Makes steps, each pair computed `once` or for either body. Returns how many: 0 for bodies that are not few, have
    /// softenings of their own, the spline softening or no mass; fewer than asked for where the step that follows makes a number that is not finite.
    ///
    /// # Errors
    /// As [`Frame::new`].
    pub(super) fn steps(&mut self, level: Level, once: bool, steps: Steps<'_>) -> Result<u64> {
        let n = steps.bodies.len();
        // bodies without mass are no sources, which single evaluations know
        let is_plain = steps.bodies.eps.is_none() && steps.gravity.softening == Softening::Plummer;
        if n == 0 || n > ONE_TILE || !is_plain || steps.bodies.mass.contains(&0.0) {
            return Ok(0);
        }
        let frame = Frame::new(steps.bodies, steps.gravity, Coordinates::Positions)?;
        let (mut done, mut moved) = self.attempt(level, once, frame, &steps, steps.most, false);
        if !self.is_finite() {
            // from the start once more, with a look after every step, to the one before the first that failed
            (done, _) = self.attempt(level, once, frame, &steps, steps.most, true);
            (_, moved) = self.attempt(level, once, frame, &steps, done, false);
        }
        if done > 0 {
            let width = n.next_multiple_of(fill::<T>());
            let Steps { bodies: b, forces: f, .. } = steps;
            f.ax.resize(n, 0.0);
            f.ay.resize(n, 0.0);
            f.az.resize(n, 0.0);
            let to = [&mut b.x, &mut b.y, &mut b.z, &mut b.vx, &mut b.vy, &mut b.vz, &mut f.ax, &mut f.ay, &mut f.az];
            for (to, from) in to.into_iter().zip(self.columns.as_slice().chunks_exact(width)) {
                to.copy_from_slice(&from[..n]);
            }
            [&mut f.pot, &mut f.jx, &mut f.jy, &mut f.jz].into_iter().for_each(Vec::clear);
            *steps.moved = moved;
        }
        Ok(done)
    }

    /// Steps from the bodies as they are. With a `look` after each, they end before the first that makes a number that is
    /// not finite. How many were made, and whether positions have changed since the last evaluation.
    fn attempt(
        &mut self,
        level: Level,
        once: bool,
        frame: Frame,
        steps: &Steps<'_>,
        count: u64,
        look: bool,
    ) -> (u64, bool) {
        let (b, f, n) = (&*steps.bodies, &*steps.forces, steps.bodies.len());
        let (width, lanes) = (n.next_multiple_of(fill::<T>()), level.lanes::<T>());
        self.columns.reset(COLUMNS * width, 0.0);
        let known = [&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &f.ax, &f.ay, &f.az, &b.mass];
        let mut columns = self.columns.as_mut_slice().chunks_exact_mut(width);
        for (from, to) in known.into_iter().zip(columns.by_ref()) {
            let from = &from[..from.len().min(n)];
            to[..from.len()].copy_from_slice(from);
        }
        columns.for_each(|counts| counts[..n].fill(1.0));
        self.packed.room(n, FIELDS, lanes);
        let (blocks, each) = self.packed.parts_mut();
        let mass = steps.gravity.g / frame.mass_unit();
        for (k, m) in b.mass.iter().enumerate() {
            let m = T::from_f64(m * mass);
            blocks[(k / lanes * FIELDS + 3) * lanes + k % lanes] = m;
            each[k * FIELDS + 3] = m;
        }
        let room = n.next_multiple_of(lanes) * RESULTS;
        self.i_sums.reset(room, T::default());
        self.block_sums.reset(room, T::default());
        self.j_sums.reset(width * RESULTS, T::default());
        launch(level, Stretch { few: self, once, frame, steps, count, look })
    }

    /// Whether positions and velocities are finite. A number that is not stays so.
    fn is_finite(&self) -> bool {
        let columns = self.columns.as_slice();
        all_finite(&columns[..columns.len() / COLUMNS * 6])
    }
}

/// Whether all of a multiple of eight numbers are finite.
#[inline(always)]
fn all_finite(numbers: &[f64]) -> bool {
    // 0 times a number that is not finite is NaN
    let mut held = [0.0; 8];
    for eight in numbers.as_chunks::<8>().0 {
        for lane in 0..8 {
            held[lane] += eight[lane] * 0.0;
        }
    }
    held.iter().sum::<f64>() == 0.0
}

/// q += dt p, as a step of the general path rounds it.
#[inline(always)]
fn add_scaled(q: &mut [f64], dt: f64, p: &[f64]) {
    for (q, p) in q.iter_mut().zip(p) {
        *q += dt * p;
    }
}

struct Stretch<'a, 'b, T> {
    few: &'a mut Few<T>,
    once: bool,
    /// Of the bodies as they are.
    frame: Frame,
    steps: &'a Steps<'b>,
    count: u64,
    look: bool,
}

impl<T: Element> Kernel<T> for Stretch<'_, '_, T> {
    type Output = (u64, bool);
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, token: V::Token) -> (u64, bool) {
        let Steps { bodies, gravity, substeps, dt, moved, .. } = self.steps;
        let (n, dt, mut moved) = (bodies.len(), *dt, **moved);
        let Few { columns, packed, i_sums, block_sums, j_sums } = self.few;
        let columns = columns.as_mut_slice();
        let width = columns.len() / COLUMNS;
        // one slice after the other, so that the compiler knows them apart
        let (state, rest) = columns.split_at_mut(6 * width);
        let (acceleration, rest) = rest.split_at_mut(3 * width);
        let (mass, counts) = rest.split_at(width);
        let mut work = Evaluation::<V> {
            token,
            n,
            once: self.once,
            frame: self.frame,
            gravity,
            mass,
            counts,
            packed,
            i_sums: i_sums.as_mut_slice(),
            block_sums: block_sums.as_mut_slice(),
            j_sums: j_sums.as_mut_slice(),
            factor: 1.0,
        };
        work.find_factor();
        for step in 0..self.count {
            for substep in *substeps {
                let (positions, velocities) = state.split_at_mut(3 * width);
                match *substep {
                    Substep::Drift(c) => {
                        add_scaled(positions, c * dt, velocities);
                        moved = true;
                    }
                    Substep::Kick(c) => {
                        if std::mem::take(&mut moved) {
                            work.run::<I, J>(positions, acceleration);
                        }
                        add_scaled(velocities, c * dt, acceleration);
                    }
                }
            }
            if self.look && !all_finite(state) {
                return (step, moved);
            }
        }
        (self.count, moved)
    }
}

/// A call, so that the compiler does not make a choice between two values of the branch.
#[cold]
#[inline(never)]
fn replace(frame: &mut Frame, by: &Frame) {
    *frame = *by;
}

/// What an evaluation of the accelerations needs besides the positions.
struct Evaluation<'a, V: Vector> {
    token: V::Token,
    n: usize,
    once: bool,
    /// Of the last evaluation.
    frame: Frame,
    gravity: &'a Gravity,
    mass: &'a [f64],
    counts: &'a [f64],
    packed: &'a mut Packed<V::T>,
    i_sums: &'a mut [V::T],
    block_sums: &'a mut [V::T],
    j_sums: &'a mut [V::T],
    /// Of the kernel's sums.
    factor: f64,
}

impl<V: Vector> Evaluation<'_, V> {
    #[inline(always)]
    fn find_factor(&mut self) {
        let (body, par) = ([V::T::default(); FIELDS], [V::T::from_f64(1.0)]);
        let factor = &mut self.factor;
        lanes::each_factor::<law::Gravity, V>(
            self.token,
            &body,
            &par,
            #[inline(always)]
            |_, of_result| *factor = of_result,
        );
    }

    /// The accelerations at these positions.
    #[inline(always)]
    fn run<const I: usize, const J: usize>(&mut self, positions: &[f64], acceleration: &mut [f64]) {
        let (n, width, vectors) = (self.n, self.mass.len(), self.n.div_ceil(V::LEN));
        let places = [&positions[..width], &positions[width..2 * width], &positions[2 * width..3 * width]];
        // The frame is seldom another than the last one. To go on with the last one, behind a branch, lets the processor
        // begin with the forces before the frame is known: a quarter of the time of a step of nine bodies.
        let now = Frame::of_columns(places, self.mass, self.counts, self.frame.mass_unit(), self.gravity.eps);
        if now != self.frame {
            replace(&mut self.frame, &now);
        }
        let frame = self.frame;
        let par = frame.parameters::<V::T>(self.gravity);
        let (blocks, each) = self.packed.parts_mut();
        for (k, place) in places.iter().enumerate() {
            for (block, from) in blocks.chunks_exact_mut(FIELDS * V::LEN).zip(place.chunks_exact(V::LEN)) {
                for (to, q) in block[k * V::LEN..(k + 1) * V::LEN].iter_mut().zip(from) {
                    *to = V::T::from_f64(frame.place(k, *q));
                }
            }
            for (v, block) in blocks.chunks_exact(FIELDS * V::LEN).enumerate() {
                let of_vector = each[v * V::LEN * FIELDS..].chunks_exact_mut(FIELDS);
                for (body, from) in of_vector.zip(&block[k * V::LEN..(k + 1) * V::LEN]) {
                    body[k] = *from;
                }
            }
        }
        let unit = frame.acceleration();
        if self.once {
            self.j_sums[..n * RESULTS].fill(V::T::default());
            let pair = TilePair::<law::Gravity, V::T> {
                i: 0..n,
                j: 0..n,
                bodies: self.packed,
                par: &par,
                i_sums: self.i_sums,
                j_sums: &mut self.j_sums[..n * RESULTS],
                block_sums: self.block_sums,
                law: PhantomData,
            };
            pair.on::<V, J>(self.token);
        } else {
            let (body, sum) = (FIELDS * V::LEN, RESULTS * V::LEN);
            let sources = Sources::all(self.packed);
            for first in (0..vectors).step_by(I) {
                let own = own_bodies(Some(0), first * V::LEN, I * V::LEN, n);
                if first + I <= vectors {
                    let (blocks, sums) = (&self.packed.blocks()[first * body..], &mut self.i_sums[first * sum..]);
                    some::<law::Gravity, V, I>(self.token, blocks, sources, own, 0, &par, sums);
                    continue;
                }
                // the vectors that are left, without filling
                for v in first..vectors {
                    let (blocks, sums) = (&self.packed.blocks()[v * body..], &mut self.i_sums[v * sum..]);
                    let at = (v - first) * V::LEN;
                    some::<law::Gravity, V, 1>(self.token, blocks, sources, own.clone(), at, &par, sums);
                }
            }
        }
        for (k, to) in acceleration.chunks_exact_mut(width).enumerate() {
            let sums = self.i_sums.chunks_exact(RESULTS * V::LEN).zip(self.j_sums.chunks_exact(RESULTS * V::LEN));
            let to = to.chunks_exact_mut(V::LEN).zip(self.counts.chunks_exact(V::LEN));
            for ((to, counts), (of_i, of_j)) in to.zip(sums) {
                // through arrays, which the compiler makes vectors of
                let mut sums = [0.0; MAX_LANES];
                if self.once {
                    for lane in 0..V::LEN {
                        sums[lane] = of_j[lane * RESULTS + k].to_f64();
                    }
                    for lane in 0..V::LEN {
                        let both = of_i[k * V::LEN + lane].to_f64() + sums[lane];
                        sums[lane] = V::T::from_f64(both * self.factor).to_f64();
                    }
                } else {
                    for lane in 0..V::LEN {
                        sums[lane] = (of_i[k * V::LEN + lane] * V::T::from_f64(self.factor)).to_f64();
                    }
                }
                for lane in 0..V::LEN {
                    sums[lane] = sums[lane] * unit * counts[lane];
                }
                to.copy_from_slice(&sums[..V::LEN]);
            }
        }
    }
}
