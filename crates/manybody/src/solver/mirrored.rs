//! The mirrored kernel: every pair once, both bodies served (Newton's third law), over the triangular domain.
//!
//! Bodies are cut into nt tiles of T. Tile pairs (I, J) are visited in rounds, circulant: round d pairs tile I with
//! tile I + d mod nt, so that in a round every tile is written once as I and once as J. The two kinds of sums are kept
//! apart, and a tile's sums of one kind follow the order of the rounds: no atomics, no copy a thread, memory O(N), and
//! the same bits for any number of threads.
//!
//! ```text
//!   nt = 6      J                      inside a tile pair: j-bodies wait in registers, spread over all lanes, with
//!          0 1 2 3 4 5                 their sums; i-bodies stream through from the cache, with theirs:
//!      0   0 1 2 3 . .
//!      1   . 0 1 2 3 .                     for j in J (2 at a time, AVX-512)
//!   I  2   . . 0 1 2 3                         for each vector of i in I
//!      3   . . . 0 1 2                             law(i, j) -> sum of i (to memory)
//!      4   2 . . . 0 1                             law(j, i) -> sum of j (in registers, lane by lane)
//!      5   1 2 . . . 0                         add the lanes of the sums of j
//! ```
//!
//! No lane is ever rotated: the usual form, vectors against vectors with rotation, pays a shuffle for every result and
//! step on a port that arithmetic needs (7.8e9 interactions/s a core at best where this form has room to 9e9).

use super::lanes::{self, Four, I as SIDE_I, J as SIDE_J, Out, unroll};
use super::packed::{Aligned, Packed};
use crate::law::{Cell, PairLaw};
use crate::simd::{Element, Kernel, Level, Vector, launch};
use std::marker::PhantomData;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bodies a tile. Larger tiles stream longer: on two AVX-512 cores at N = 65,536, f32, T = 512 gives 14.8e9
/// interactions/s, 1,024 15.5, 2,048 16.8, 4,096 17.2 (Xeon of the fifth generation, 2026-11). Smaller ones give more
/// threads work: 16 tiles keep 16 threads busy. Depends on N alone, so the sums do too.
fn tile_size(n: usize) -> usize {
    (n / 16).next_power_of_two().clamp(512, 4096)
}

/// How many j-bodies an i-body sums over before the sum goes to the others (the Chamomile scheme's J-bags
/// [Hamada 2007, sect. 3]): N = 65,536 in one chain is off by 5.3e-6 of the rms force at worst. Bags make a tile's sum, and
/// tiles the whole: three short chains. By the measure of [Hamada 2007, table 2], bags of 512 and no sums of tiles were off
/// by 5.6e-7 at N = 4,096; bags of 256 and of 64 by 2.8e-7 and 2.9e-7. Putting a bag down costs what one of its j-bodies does.
/// A multiple of every J.
const BAG: usize = 256;

/// The sums of one tile in one role, and how many rounds have been added to them.
struct Sums<T> {
    rounds: AtomicUsize,
    values: Mutex<Aligned<T>>,
}

/// What all bodies do to each other under law L: `out[result][body]`. Pairs are evaluated once. The result is the same
/// for any number of threads.
pub fn mirrored<L: PairLaw, T: Element>(level: Level, bodies: &Packed<T>, par: &[T], out: &mut [Vec<T>]) {
    let n = bodies.len();
    out.iter_mut().for_each(|column| column.resize(n, T::default()));
    if n == 0 {
        return;
    }
    let schedule = Schedule::<L, T>::new(level, bodies, par, out.len());
    let tasks = schedule.tiles * (schedule.tiles + 1) / 2;
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(task) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|task| *task < tasks) {
            schedule.task(task);
        }
    };
    if tasks == 1 {
        work();
    } else {
        rayon::broadcast(|_| work());
    }
    schedule.gather(out);
}

struct Schedule<'a, L, T> {
    level: Level,
    bodies: &'a Packed<T>,
    par: &'a [T],
    tile: usize,
    tiles: usize,
    results: usize,
    cells: Vec<(Cell, f64)>,
    /// `[vector][result][lane]` a tile.
    of_i: Vec<Sums<T>>,
    /// `[body][result]` a tile.
    of_j: Vec<Sums<T>>,
    law: PhantomData<L>,
}

impl<'a, L: PairLaw, T: Element> Schedule<'a, L, T> {
    fn new(level: Level, bodies: &'a Packed<T>, par: &'a [T], results: usize) -> Self {
        let tile = tile_size(bodies.len());
        let tiles = bodies.len().div_ceil(tile);
        let cells = cells::<L, T>(level, bodies, par);
        let sums = |_| {
            let mut values = Aligned::default();
            values.reset(tile * results, T::default());
            Sums { rounds: AtomicUsize::new(0), values: Mutex::new(values) }
        };
        let (of_i, of_j) = ((0..tiles).map(sums).collect(), (0..tiles).map(sums).collect());
        let mut schedule = Schedule { level, bodies, par, tile, tiles, results, cells, of_i, of_j, law: PhantomData };
        schedule.clear();
        schedule
    }

    /// Sets all sums to what a cell holds before any contribution.
    fn clear(&mut self) {
        let lanes = self.bodies.lanes();
        for sums in &mut self.of_i {
            let values = sums.values.get_mut().expect("no thread has run yet");
            for (k, lane) in values.as_mut_slice().chunks_exact_mut(lanes).enumerate() {
                lane.fill(self.cells[k % self.results].0.identity(T::default()));
            }
        }
        for sums in &mut self.of_j {
            let values = sums.values.get_mut().expect("no thread has run yet");
            for (k, value) in values.as_mut_slice().iter_mut().enumerate() {
                *value = self.cells[k % self.results].0.identity(T::default());
            }
        }
    }

    /// Tile pair number `task`, in the order of the rounds. Waits for the earlier rounds of its two tiles, which were
    /// handed out before, so that some thread is at them.
    fn task(&self, task: usize) {
        let (round, i) = (task / self.tiles, task % self.tiles);
        let j = (i + round) % self.tiles;
        let (of_i, of_j) = (&self.of_i[i], &self.of_j[j]);
        for sums in [of_i, of_j] {
            let mut spins = 0_u32;
            while sums.rounds.load(Ordering::Acquire) < round {
                spins += 1;
                if spins < 1 << 12 { std::hint::spin_loop() } else { std::thread::yield_now() }
            }
        }
        {
            let mut i_sums = of_i.values.lock().expect("a poisoned lock means a thread has panicked");
            let mut j_sums = of_j.values.lock().expect("a poisoned lock means a thread has panicked");
            let pair = TilePair::<L, T> {
                i: self.range(i),
                j: self.range(j),
                bodies: self.bodies,
                par: self.par,
                i_sums: i_sums.as_mut_slice(),
                j_sums: j_sums.as_mut_slice(),
                law: PhantomData,
            };
            launch(self.level, pair);
        }
        of_i.rounds.fetch_add(1, Ordering::Release);
        of_j.rounds.fetch_add(1, Ordering::Release);
    }

    /// The bodies of a tile.
    fn range(&self, tile: usize) -> std::ops::Range<usize> {
        tile * self.tile..((tile + 1) * self.tile).min(self.bodies.len())
    }

    /// Adds the two kinds of sums of every body.
    fn gather(self, out: &mut [Vec<T>]) {
        let (lanes, results) = (self.bodies.lanes(), self.results);
        for (tile, (of_i, of_j)) in self.of_i.iter().zip(&self.of_j).enumerate() {
            let of_i = of_i.values.lock().expect("a poisoned lock means a thread has panicked");
            let of_j = of_j.values.lock().expect("a poisoned lock means a thread has panicked");
            let range = self.range(tile);
            let vectors = of_i.as_slice().chunks_exact(lanes * results).zip(of_j.as_slice().chunks(lanes * results));
            for (first, (of_i, of_j)) in range.clone().step_by(lanes).zip(vectors) {
                for (k, (cell, factor)) in self.cells.iter().enumerate() {
                    let factor = T::from_f64(*factor);
                    for lane in 0..lanes.min(range.end - first) {
                        let (at_i, at_j) = (|k| of_i[k * lanes + lane], |k| of_j[lane * results + k]);
                        match cell.numbers() {
                            2 => {
                                let both = cell.join([at_i(k), at_i(k + 1)], [at_j(k), at_j(k + 1)]);
                                (out[k][first + lane], out[k + 1][first + lane]) = (both[0], both[1]);
                            }
                            0 => {} // came with its first half
                            _ => out[k][first + lane] = cell.combine(at_i(k), at_j(k)) * factor,
                        }
                    }
                }
            }
        }
    }
}

/// The cells of the law's results, with the factors that are left out of their sums.
pub(super) fn cells<L: PairLaw, T: Element>(level: Level, bodies: &Packed<T>, par: &[T]) -> Vec<(Cell, f64)> {
    launch(level, Factors::<L, T> { bodies, par, law: PhantomData })
}

struct Factors<'a, L, T> {
    bodies: &'a Packed<T>,
    par: &'a [T],
    law: PhantomData<L>,
}

impl<L: PairLaw, T: Element> Kernel<T> for Factors<'_, L, T> {
    type Output = Vec<(Cell, f64)>;
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, token: V::Token) -> Self::Output {
        lanes::factors::<L, V>(token, &self.bodies.each()[..self.bodies.fields()], self.par)
    }
}

/// The bodies of two tiles, or of one with itself.
pub(super) struct TilePair<'a, L, T> {
    pub(super) i: std::ops::Range<usize>,
    pub(super) j: std::ops::Range<usize>,
    pub(super) bodies: &'a Packed<T>,
    pub(super) par: &'a [T],
    pub(super) i_sums: &'a mut [T],
    pub(super) j_sums: &'a mut [T],
    pub(super) law: PhantomData<L>,
}

impl<L: PairLaw, T: Element> Kernel<T> for TilePair<'_, L, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Vector<T = T>, const I: usize, const J: usize>(self, token: V::Token) {
        if L::FUNCTIONS && V::LEN > 1 { self.on::<Four<V>, 1>(token) } else { self.on::<V, J>(token) }
    }
}

impl<L: PairLaw, T: Element> TilePair<'_, L, T> {
    #[inline(always)]
    fn on<V: Vector<T = T>, const J: usize>(self, token: V::Token) {
        let fields = lanes::width_of::<L::Body<f64>>();
        let results = lanes::width_of::<L::Out<f64>>();
        let blocks = &self.bodies.blocks()[self.i.start * fields..];
        let each = &self.bodies.each()[self.j.start * fields..self.j.end * fields];
        let (full, tail) = (self.i.len() / V::LEN, self.i.len() % V::LEN);
        let diagonal = self.i.start == self.j.start;
        let stream = Stream::<L, V> { token, par: self.par, law: PhantomData };
        // on the diagonal, the j-bodies of vector v meet the vectors after v
        let first = |j: usize| if diagonal { j / V::LEN + 1 } else { 0 };
        let even = self.j.len() / J * J;
        // i-bodies sum over a bag of j-bodies at a time: a chain of N additions in f32 would lose digits
        let (mut bag, mut of_tile) = (Aligned::default(), Aligned::default());
        bag.reset(self.i_sums.len(), T::default());
        of_tile.reset(self.i_sums.len(), T::default());
        stream.clear(of_tile.as_mut_slice());
        for first_j in (0..even).step_by(BAG) {
            stream.clear(bag.as_mut_slice());
            for j in (first_j..even.min(first_j + BAG)).step_by(J) {
                let (bodies, j_sums) = (&each[j * fields..], &mut self.j_sums[j * results..]);
                stream.run::<J>(blocks, bodies, bag.as_mut_slice(), j_sums, first(j).min(full)..full);
            }
            stream.add(of_tile.as_mut_slice(), bag.as_slice());
        }
        // what is left over: a last vector of which only some lanes are bodies, and the last j-bodies
        for j in 0..self.j.len() {
            let begin = if j < even { full } else { 0 }.max(first(j));
            for vector in begin..full + (tail > 0) as usize {
                let lanes = if vector == full { tail } else { V::LEN };
                let (bodies, j_sums) = (&each[j * fields..], &mut self.j_sums[j * results..]);
                stream.one(blocks, bodies, of_tile.as_mut_slice(), j_sums, vector, lanes);
            }
        }
        if diagonal {
            stream.diagonal(blocks, each, of_tile.as_mut_slice());
        }
        stream.add(self.i_sums, of_tile.as_slice());
    }
}

struct Stream<'a, L, V: Vector> {
    token: V::Token,
    par: &'a [V::T],
    law: PhantomData<L>,
}

impl<L: PairLaw, V: Vector> Stream<'_, L, V> {
    /// Sets sums to what cells hold before any contribution.
    #[inline(always)]
    fn clear(&self, sums: &mut [V::T]) {
        let results = lanes::width_of::<L::Out<f64>>();
        let nothing = lanes::fresh::<L, V>(V::splat(self.token, V::T::default()));
        for sum in sums.chunks_exact_mut(results * V::LEN) {
            lanes::store::<L, V>(&nothing, sum);
        }
    }

    /// Combines sums with others.
    #[inline(always)]
    fn add(&self, sums: &mut [V::T], others: &[V::T]) {
        let size = lanes::width_of::<L::Out<f64>>() * V::LEN;
        for (sum, other) in sums.chunks_exact_mut(size).zip(others.chunks_exact(size)) {
            let mut both = lanes::resume::<L, V>(self.token, sum);
            lanes::merge::<L, V>(&mut both, &lanes::resume::<L, V>(self.token, other));
            lanes::store::<L, V>(&both, sum);
        }
    }

    /// B bodies j against whole vectors of I: where the time goes.
    #[inline(always)]
    fn run<const B: usize>(
        &self,
        blocks: &[V::T],
        j: &[V::T],
        i_sums: &mut [V::T],
        j_sums: &mut [V::T],
        vectors: std::ops::Range<usize>,
    ) {
        let token = self.token;
        let (fields, results) = (lanes::width_of::<L::Body<f64>>(), lanes::width_of::<L::Out<f64>>());
        let zero = V::splat(token, V::T::default());
        let par = lanes::parameters::<L, V>(token, self.par);
        let mut bodies = [lanes::spread::<L, V>(token, j, SIDE_J); B];
        unroll::<B>(
            #[inline(always)]
            |k| bodies[k] = lanes::spread::<L, V>(token, &j[k * fields..], SIDE_J),
        );
        let mut of_j = [lanes::fresh::<L, V>(zero); B];
        let (size, out_size) = (fields * V::LEN, results * V::LEN);
        let i = &blocks[vectors.start * size..vectors.end * size];
        let sums = &mut i_sums[vectors.start * out_size..vectors.end * out_size];
        for (block, sum) in i.chunks_exact(size).zip(sums.chunks_exact_mut(out_size)) {
            let i = lanes::load::<L, V>(token, block, SIDE_I);
            let mut of_i = lanes::resume::<L, V>(token, sum);
            unroll::<B>(
                #[inline(always)]
                |k| {
                    L::pair(&i, &bodies[k], &par, &mut of_i);
                    of_i = lanes::again::<L, V>(&of_i);
                    L::pair(&bodies[k], &i, &par, &mut of_j[k]);
                    of_j[k] = lanes::again::<L, V>(&of_j[k]);
                },
            );
            lanes::store::<L, V>(&of_i, sum);
        }
        unroll::<B>(
            #[inline(always)]
            |k| lanes::reduce::<L, V>(&of_j[k], &mut j_sums[k * results..]),
        );
    }

    /// One body j against one vector of I, of which the first `valid` lanes are bodies.
    #[inline(always)]
    fn one(&self, blocks: &[V::T], j: &[V::T], i_sums: &mut [V::T], j_sums: &mut [V::T], vector: usize, valid: usize) {
        let token = self.token;
        let (fields, results) = (lanes::width_of::<L::Body<f64>>(), lanes::width_of::<L::Out<f64>>());
        let zero = V::splat(token, V::T::default());
        let par = lanes::parameters::<L, V>(token, self.par);
        let j = lanes::spread::<L, V>(token, j, SIDE_J);
        let i = lanes::load::<L, V>(token, &blocks[vector * fields * V::LEN..], SIDE_I);
        let sum = &mut i_sums[vector * results * V::LEN..];
        let mut of_i = lanes::resume::<L, V>(token, sum);
        L::pair(&i, &j, &par, &mut of_i);
        lanes::store::<L, V>(&of_i, sum);
        let mut of_j = lanes::fresh::<L, V>(zero);
        L::pair(&j, &i, &par, &mut of_j);
        let exists = V::lane_numbers(token).lt(zero.lit(valid as f64));
        lanes::reduce::<L, V>(&lanes::keep::<L, V>(exists, &of_j, zero), j_sums);
    }

    /// The pairs inside each vector of a tile, one-sided.
    #[inline(always)]
    fn diagonal(&self, blocks: &[V::T], each: &[V::T], i_sums: &mut [V::T]) {
        let token = self.token;
        let (fields, results) = (lanes::width_of::<L::Body<f64>>(), lanes::width_of::<L::Out<f64>>());
        let par = lanes::parameters::<L, V>(token, self.par);
        for (vector, bodies) in each.chunks(V::LEN * fields).enumerate() {
            let i = lanes::load::<L, V>(token, &blocks[vector * fields * V::LEN..], SIDE_I);
            let sum = &mut i_sums[vector * results * V::LEN..];
            let mut out: Out<L, V> = lanes::resume::<L, V>(token, sum);
            lanes::own_block::<L, V>(token, &i, bodies, &par, 0, &mut out);
            lanes::store::<L, V>(&out, sum);
        }
    }
}
