//! Interactions at a distance for any function of it: moments of cells, or bodies, into the expansions about a sink.
//!
//! The derivatives of the potentials by r^2 come from the law's own program on power series; for expansions in units of the
//! sink, h, the series is f(s + h^2 t), whose coefficients need no other scale.

use crate::Point;
use crate::index::{HIGHEST, count};
use crate::moments::{HEADER, Moments, UNIT, gather_rows, rescale};
use crate::scratch::{Scratch, WIDEST, add_lanes, load};
use crate::space::{Products, Space, factorial};
use crate::taylor::{Degrees, WORK, contract, derivatives, evaluate, monomials, put, raise};
use manybody_law::law::{Line, Real, Series, Shape};
use manybody_law::simd::{Kernel, Lanes, Level, launch};

/// A function of the distance that is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Potential {
    /// A function of the law.
    Function(usize),
    /// The potential whose derivative by r^2 is half a function of the law: only its gradient is known.
    Integral(usize),
    /// A function of the law that depends on the direction: its derivatives are those of a series in three numbers.
    Directional(usize),
}

/// What one charge does by one potential, into an expansion about the sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interaction {
    /// Its number among the potentials.
    pub potential: usize,
    /// The powers of the separation that the potential is multiplied by.
    pub powers: [u8; 3],
    /// The number of the potential and the degree of the powers among the kinds.
    pub kind: usize,
    /// Its number among the charges.
    pub charge: usize,
    /// The expansion.
    pub local: usize,
}

/// The potentials of a law, and what its charges do by them.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    /// The functions of the squared distance.
    pub series: &'a Series,
    /// The functions that depend on the direction, of the differences of places.
    pub directional: &'a Series,
    /// The products of their series, to the order of the expansions.
    pub products: &'a Products,
    /// How many axes there are.
    pub axes: usize,
    /// The functions that are expanded.
    pub potentials: &'a [Potential],
    /// By potentials, and of one by its powers.
    pub interactions: &'a [Interaction],
    /// How many expansions there are about a sink.
    pub locals: usize,
}

/// Memory of a thread for the interactions of a law.
#[derive(Debug)]
pub struct Room {
    series: Vec<f64>,
    /// Series in three numbers.
    directional: Vec<f64>,
    /// The moments of each charge, and a copy in other units.
    moments: Vec<f64>,
    rescaled: Vec<f64>,
    /// The derivatives of a potential, and of it times powers of the separation.
    tensor: Vec<f64>,
    raised: Vec<f64>,
    work: Vec<f64>,
    /// The sums of each expansion.
    sums: Vec<f64>,
}

impl Room {
    /// For vectors of a level, and so many charges.
    pub fn new(level: Level, fields: &Operands<'_>, charges: usize) -> Self {
        let lanes = level.lanes::<f64>();
        let coefficients = count(HIGHEST) + 2 * WIDEST;
        let room = |n: usize| vec![0.0; n * lanes];
        Room {
            series: room(fields.series.work(HIGHEST + 1)),
            directional: match fields.directional.is_empty() {
                false => room(fields.directional.work(count(HIGHEST))),
                true => Vec::new(),
            },
            moments: room(charges * coefficients),
            rescaled: room(coefficients),
            tensor: room(coefficients),
            raised: room(coefficients),
            work: room(WORK),
            sums: room(fields.locals * coefficients),
        }
    }
}

/// What acts.
#[derive(Clone, Copy, Debug)]
pub enum Sources<'a> {
    /// Cells, by their numbers.
    Cells(&'a [u32]),
    /// Bodies, by their places in the order of the tree.
    Bodies(&'a [u32]),
}

/// Adds what sources do to the expansions L_n h^n about a sink: `[expansion][coefficient]`.
#[derive(Debug)]
pub struct Onto<'a> {
    /// What is expanded.
    pub fields: Operands<'a>,
    /// The bodies in the order of the tree.
    pub points: &'a [Point],
    /// The moments of each charge.
    pub moments: &'a [Moments<f64>],
    /// The charges of the bodies in the order of the tree.
    pub charges: &'a [Vec<f64>],
    /// What acts.
    pub sources: Sources<'a>,
    /// Where the expansions are made, in units of the tree.
    pub center: [f64; 3],
    /// The unit of length of the expansions.
    pub unit: f64,
    /// The real length of a unit of the tree.
    pub length: f64,
    /// The order of the expansions.
    pub order: usize,
    /// The highest degree about the sink.
    pub highest: usize,
    /// Memory of the thread.
    pub room: &'a mut Room,
    /// Numbers of an expansion.
    pub width: usize,
    /// The expansions.
    pub to: &'a mut [f64],
}

impl Kernel<f64> for Onto<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(mut self, token: V::Token) {
        let n = count(self.highest) * V::LEN;
        let stride = (count(HIGHEST) + 2 * WIDEST) * V::LEN;
        let expansions = self.fields.locals;
        if expansions == 0 {
            return; // and no charges
        }
        for sums in self.room.sums.chunks_exact_mut(stride).take(expansions) {
            sums[..n].fill(0.0);
        }
        let list = match self.sources {
            Sources::Cells(list) | Sources::Bodies(list) => list,
        };
        for some in list.chunks(V::LEN) {
            self.some::<V>(token, some, stride);
        }
        let sums = self.room.sums.chunks_exact(stride);
        for (sums, to) in sums.zip(self.to.chunks_exact_mut(self.width)).take(expansions) {
            add_lanes::<V>(token, count(self.highest), sums, to);
        }
    }
}

impl Onto<'_> {
    /// Up to LEN sources, one a lane; lanes without a source have the place of the first and no charge.
    #[inline(always)]
    fn some<V: Lanes<T = f64>>(&mut self, token: V::Token, some: &[u32], stride: usize) {
        let mut columns = [[0.0; WIDEST]; 4];
        let lanes = some.iter().chain(std::iter::repeat(&some[0])).take(V::LEN);
        for (lane, source) in lanes.enumerate() {
            let (center, unit) = match self.sources {
                // a number of f64 has no second part
                Sources::Cells(_) => {
                    let of_cell = &self.moments[0].records[*source as usize * self.moments[0].width..][..HEADER];
                    ([of_cell[0], of_cell[1], of_cell[2]], of_cell[UNIT])
                }
                Sources::Bodies(_) => (self.points[*source as usize].x, self.unit),
            };
            for k in 0..3 {
                columns[k][lane] = (self.center[k] - center[k]) / self.unit;
            }
            columns[3][lane] = unit / self.unit;
        }
        let [x, y, z, ratio] = load::<V, 4>(token, columns.each_ref().map(|column| &column[..]), 0);
        let (p, source) = (self.order, self.take_moments::<V>(token, some, ratio, stride));
        let h = self.unit * self.length;
        let space = Space(self.fields.products);
        let square = V::splat(token, h * h);
        let s = x.fma(x, y.fma(y, z * z)) * square;
        let Room { series, directional, moments, tensor, raised, work, sums, .. } = &mut *self.room;
        self.fields.series.run::<V, _>(token, Line(p), &[[s, square]], series);
        if !self.fields.directional.is_empty() {
            let step = V::splat(token, h);
            let at = [x, y, z].map(|x| [x * step, step]);
            self.fields.directional.run::<V, _>(token, space, &at[..self.fields.axes], directional);
        }
        let mut chain = [s; HIGHEST + 1];
        for (number, potential) in self.fields.potentials.iter().enumerate() {
            if let Potential::Directional(function) = *potential {
                for n in 0..space.count() {
                    let c = self.fields.directional.coefficient::<V, _>(token, space, function, n, directional);
                    put(c * c.lit(factorial(n)), tensor, n);
                }
            } else {
                potential.chain(
                    p,
                    square,
                    #[inline(always)]
                    |function, m| self.fields.series.coefficient::<V, _>(token, Line(p), function, m, series),
                    &mut chain,
                );
                derivatives(token, [x, y, z], &chain[..=p], work, tensor);
            }
            let lowest = potential.lowest();
            let degrees =
                Degrees { order: p, lowest, sink: self.highest, source: source.min(p - lowest), dipoles: true };
            let mut powers = [0; 3];
            for interaction in self.fields.interactions.iter().filter(|i| i.potential == number) {
                if interaction.powers != powers {
                    powers = interaction.powers;
                    raised[..count(p) * V::LEN].copy_from_slice(&tensor[..count(p) * V::LEN]);
                    raise(token, [x, y, z], h, powers, p, raised);
                }
                let tensor = if powers == [0; 3] { &*tensor } else { &*raised };
                let sums = &mut sums[interaction.local * stride..];
                contract::<V>(token, degrees, &moments[interaction.charge * stride..], tensor, sums);
            }
        }
    }

    /// Brings together the moments of sources in units of the sink; the result is their highest degree.
    #[inline(always)]
    fn take_moments<V: Lanes<T = f64>>(&mut self, token: V::Token, some: &[u32], ratio: V, stride: usize) -> usize {
        let Room { moments, rescaled, .. } = &mut *self.room;
        let p = self.order;
        match self.sources {
            Sources::Bodies(_) => {
                for (charge, to) in self.charges.iter().zip(moments.chunks_exact_mut(stride)) {
                    to[..V::LEN].fill(0.0);
                    to.iter_mut().zip(some).for_each(|(to, body)| *to = charge[*body as usize]);
                }
                0
            }
            Sources::Cells(_) => {
                for (from, to) in self.moments.iter().zip(moments.chunks_exact_mut(stride)) {
                    let record = |lane: usize, at: usize| &from.records[some[lane] as usize * from.width + at..];
                    gather_rows::<V>(token, some.len(), HEADER + count(p), record, rescaled);
                    to[..count(p) * V::LEN].copy_from_slice(&rescaled[HEADER * V::LEN..(HEADER + count(p)) * V::LEN]);
                    rescale::<V>(token, ratio, p, to);
                }
                p
            }
        }
    }
}

/// Values and gradients of expansions at the bodies of a leaf: `[expansion][value, x, y, z][body]`, in units of the leaf.
#[derive(Debug)]
pub struct AtBodies<'a> {
    /// x, y and z relative to the leaf's centre, and a fourth number; whole vectors of bodies.
    pub columns: [&'a [f64]; 4],
    /// The leaf's unit of length.
    pub unit: f64,
    /// The order of the expansions.
    pub order: usize,
    /// How many there are.
    pub expansions: usize,
    /// `[expansion][coefficient]`.
    pub local: &'a [f64],
    /// Numbers of an expansion.
    pub width: usize,
    /// Memory of the thread.
    pub scratch: &'a mut Scratch<f64>,
    /// What is found.
    pub to: &'a mut [f64],
}

impl Kernel<f64> for AtBodies<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Lanes<T = f64>, const I: usize, const J: usize>(self, token: V::Token) {
        let inverse = V::splat(token, 1.0 / self.unit);
        let leaf = self.columns[0].len();
        for at in (0..leaf).step_by(V::LEN) {
            let [x, y, z, _] = load::<V, 4>(token, self.columns, at);
            let powers = &mut self.scratch.moments;
            monomials(token, [x * inverse, y * inverse, z * inverse], inverse.lit(1.0), self.order, powers);
            for expansion in 0..self.expansions {
                let local = &self.local[expansion * self.width..];
                let found = evaluate::<V>(token, self.order, local, powers);
                for (component, value) in found.into_iter().enumerate() {
                    put(value, &mut self.to[(4 * expansion + component) * leaf + at..], 0);
                }
            }
        }
    }
}

/// Adds what sources do, with the vectors of a level.
pub fn onto(level: Level, work: Onto<'_>) {
    launch(level, work);
}

/// Evaluates expansions at bodies, with the vectors of a level.
pub fn at_bodies(level: Level, work: AtBodies<'_>) {
    launch(level, work);
}

impl Potential {
    /// The lowest degree of its expansions about a sink.
    pub fn lowest(self) -> usize {
        usize::from(matches!(self, Potential::Integral(_)))
    }

    /// The derivatives g_m = 2^m h^(2m) d^m/ds^m of the potential for m up to `order`, from the coefficients of the series
    /// f(s + h^2 t), in the sense of the recurrence of derivatives; g_0 of an integral is 0. Not of one that depends on the
    /// direction.
    #[inline(always)]
    pub(crate) fn chain<V: Real>(self, order: usize, square: V, coefficient: impl Fn(usize, usize) -> V, to: &mut [V]) {
        let mut factor = 1.0;
        match self {
            Potential::Function(function) => {
                for (m, to) in to.iter_mut().enumerate().take(order + 1) {
                    *to = coefficient(function, m) * square.lit(factor);
                    factor *= 2.0 * (m + 1) as f64;
                }
            }
            Potential::Directional(_) => {}
            Potential::Integral(function) => {
                to[0] = square.lit(0.0);
                for m in 0..order {
                    to[m + 1] = coefficient(function, m) * square.lit(factor) * square;
                    factor *= 2.0 * (m + 1) as f64;
                }
            }
        }
    }
}
