//! A ring of ranks, each of which has its own bodies only: what acts travels from rank to rank.
//!
//! ```text
//!   bodies    | line 0 | line 1 | line 2 | line 3 | line 4 | line 5 |      lines are cut from N alone
//!   ranks     |       rank 0    |      rank 1     |      rank 2     |
//!
//!   line 0:    rank 0 -> rank 1 -> rank 2        every rank adds the lines in their order, each to the sums of its own
//!   line 2:    rank 1 -> rank 2 -> rank 0        bodies: the bits of one process, for any number of ranks
//! ```
//!
//! A rank has its N / R bodies, and at most [`AHEAD`] lines of others besides that it computes with. Each line goes to every
//! other rank once, N numbers a column through each connection of the ring. While a line is computed, the next ones
//! come.
//!
//! For all pairs, each in both directions: gravity as the solver [`direct`](crate::direct) has it ([`Ring::forces`]) and any
//! law ([`Ring::evaluate`]).

use crate::frame::vote;
use crate::gravity::{GravityLaw, with_compiled_law};
use crate::law::{PairInputs, PairLaw};
use crate::one_sided::Sums;
use crate::packed::Packed;
use crate::simd::{Element, Level};
use crate::{Along, Bodies, Error, Extent, Float, ForceTerms, Forces, Frame, Gravity, Interpreter, Precision, Result};
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};
use std::ops::Range;

/// Lines that a rank may have sent and its successor has not begun.
const AHEAD: usize = 2;

/// The ranks that share bodies of which each has a range.
#[derive(Clone, Copy, Debug)]
pub struct Ring<'a> {
    team: &'a Team,
    bodies: usize,
}

impl<'a> Ring<'a> {
    /// Of so many bodies in all.
    pub fn new(team: &'a Team, bodies: usize) -> Self {
        Ring { team, bodies }
    }

    /// How many bodies there are in all.
    pub fn bodies(&self) -> usize {
        self.bodies
    }

    /// The bodies of this rank; there may be ranks without bodies.
    pub fn own(&self) -> Range<usize> {
        self.range_of(self.team.rank())
    }

    /// The bodies of a rank: whole lines.
    pub fn range_of(&self, rank: usize) -> Range<usize> {
        let lines = self.team.part_of(rank, self.lines());
        self.line(lines.start).start..self.line(lines.end).start
    }

    /// Bodies of a line: a multiple of all blocks of the kernels.
    fn line_size(&self) -> usize {
        (self.bodies / 256).next_power_of_two().clamp(1024, 1 << 16)
    }

    fn lines(&self) -> usize {
        self.bodies.div_ceil(self.line_size())
    }

    /// The bodies of a line, or nothing after the last one.
    fn line(&self, line: usize) -> Range<usize> {
        let at = |line: usize| (line * self.line_size()).min(self.bodies);
        at(line)..at(line + 1)
    }

    /// Calls `add` on every rank with the bodies and the words of each line, in the order of the lines. `pack` makes the
    /// words of bodies of this rank.
    ///
    /// # Errors
    /// As [`Team::receive`].
    pub(crate) fn each_line(
        &self,
        pack: impl Fn(Range<usize>) -> Vec<u64>,
        mut add: impl FnMut(Range<usize>, &[u64]) -> Result<()>,
    ) -> Result<()> {
        let Ring { team, .. } = *self;
        let (rank, ranks) = (team.rank(), team.ranks());
        let (before, after) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
        let (of_lines, of_receipts) = (team.next_tag(), team.next_tag());
        let mut unconfirmed = 0;
        for line in (0..self.lines()).map(|line| self.line(line)) {
            let is_of = |rank: usize| self.range_of(rank).contains(&line.start);
            let words = match is_of(rank) {
                true => pack(line.clone()),
                false => {
                    let words = team.receive(before, of_lines)?;
                    team.send(before, of_receipts, Vec::new())?;
                    words
                }
            };
            if ranks > 1 && !is_of(after) {
                // a slower rank is waited for, so that lines do not pile up there
                while unconfirmed >= AHEAD {
                    team.receive(after, of_receipts)?;
                    unconfirmed -= 1;
                }
                team.send(after, of_lines, words.clone())?;
                unconfirmed += 1;
            }
            add(line, &words)?;
        }
        (0..unconfirmed).try_for_each(|_| team.receive(after, of_receipts).map(drop))
    }

    /// An error of any rank as one of all, so that no rank waits for another; the first rank's counts.
    fn agree<T>(&self, own: Result<T>) -> Result<T> {
        let mut words = Words::default();
        words.text(&own.as_ref().err().map(ToString::to_string).unwrap_or_default());
        let all = self.team.all_gather(words.done())?;
        let own = own?;
        for (rank, words) in all.iter().enumerate() {
            let problem = Reader::of(words).text()?;
            if !problem.is_empty() {
                return Err(Error::Rank { rank, problem });
            }
        }
        Ok(own)
    }

    /// The smallest and the largest number of columns of which each rank has a part; infinite without numbers.
    pub(crate) fn ranges(&self, columns: &[&[f64]]) -> Result<Vec<(f64, f64)>> {
        let mut words = Words::default();
        for column in columns {
            let (low, high) = range(column.iter().copied());
            words.real(low).real(high);
        }
        let all = self.team.all_gather(words.done())?;
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); columns.len()];
        for words in &all {
            let mut reader = Reader::of(words);
            for (low, high) in &mut ranges {
                (*low, *high) = (low.min(reader.real()?), high.max(reader.real()?));
            }
        }
        Ok(ranges)
    }

    /// Refuses a part of another size than this rank's.
    fn check_size(&self, name: &'static str, found: usize) -> Result<()> {
        if found == self.own().len() {
            return Ok(());
        }
        let expected = format!("rank {} must have bodies {:?}", self.team.rank(), self.own());
        Err(Error::Parameter { name, value: found.to_string(), expected })
    }

    /// What all bodies do to those of this rank, `own`, by gravity: the accelerations of the solver
    /// [`direct`](crate::direct), bit for bit. Every rank calls it with its own bodies.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another number of bodies than [`own`](Self::own), for mixed precision and for bodies without
    /// mass, which `direct` computes apart; [`Error::Rank`] on all ranks where one of them has an error or is lost.
    pub fn forces(
        &self,
        level: Level,
        precision: Precision,
        own: &Bodies,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        let massless = || match own.mass.iter().position(|mass| *mass == 0.0) {
            None => Ok(()),
            Some(k) => Err(Error::Parameter {
                name: "mass",
                value: "0".into(),
                expected: format!("must not be 0 in a ring: that of body {} is", self.own().start + k),
            }),
        };
        let float = precision.float("in a ring there is no mixed precision");
        let fits = float.and_then(|float| self.check_size("bodies", own.len()).map(|()| float));
        match self.agree(fits.and_then(|float| massless().map(|()| float)))? {
            Float::F32 => self.forces_in::<f32>(level, own, gravity, terms, out),
            Float::F64 => self.forces_in::<f64>(level, own, gravity, terms, out),
        }
    }

    fn forces_in<T: Element>(
        &self,
        level: Level,
        own: &Bodies,
        gravity: &Gravity,
        terms: ForceTerms,
        out: &mut Forces,
    ) -> Result<()> {
        let (extent, soft) = self.extent(own, terms.jerk)?;
        let frame = Frame::of_extent(&extent, gravity, terms.coordinates())?;
        let kernel = GravityLaw::of(terms, soft, gravity.softening).compiled();
        let mut i = Packed::default();
        i.fill(own.len(), kernel.fields(), level.lanes::<T>(), |field, to| {
            frame.write(own, gravity, terms.coordinates(), field, to);
        });
        let par = frame.parameters(gravity);
        let mut raw = vec![Vec::new(); kernel.results()];
        with_compiled_law!(kernel, L => self.sum::<L, T>(level, &i, &par, &mut raw))?;
        frame.unscale(&raw, terms, out);
        Ok(())
    }

    fn sum<L: PairLaw, T: Element>(&self, level: Level, i: &Packed<T>, par: &[T], raw: &mut [Vec<T>]) -> Result<()> {
        let (first, fields) = (self.own().start, i.fields());
        let mut sums = Sums::<L, T>::new(level, i, first, self.bodies, par);
        let pack = |line: Range<usize>| {
            let records = &i.each()[(line.start - first) * fields..(line.end - first) * fields];
            records.iter().map(|x| x.to_f64().to_bits()).collect()
        };
        self.each_line(pack, |line, words| {
            let records = numbers::<T>(words, line.len() * fields)?;
            sums.add(&records);
            Ok(())
        })?;
        sums.finish(raw);
        Ok(())
    }

    /// The extent of the bodies of all ranks, and whether they have softenings of their own. Sums go from rank to rank, in
    /// the order in which one process adds.
    fn extent(&self, own: &Bodies, moving: bool) -> Result<(Extent, bool)> {
        let Bodies { x, y, z, vx, vy, vz, mass, .. } = own;
        let columns: [&[f64]; 6] = [x, y, z, vx, vy, vz].map(Vec::as_slice);
        let columns = &columns[..if moving { 6 } else { 3 }];
        let ranges = self.ranges(columns)?;
        let most_mass = self.ranges(&[&mass.iter().map(|m| m.abs()).collect::<Vec<_>>()])?[0].1.max(0.0);
        let soft = self.ranges(&[&[f64::from(u8::from(own.eps.is_some() && !own.is_empty()))]])?[0].1 > 0.0;
        let lacks = soft && own.eps.is_none() && !own.is_empty();
        let problem = || Error::Parameter {
            name: "eps",
            value: "not given".into(),
            expected: "the bodies of all ranks or of no rank must have softenings of their own".into(),
        };
        self.agree(if lacks { Err(problem()) } else { Ok(()) })?;
        let masses = std::iter::once(self.total(|k| mass[k])?);
        let moments = columns.iter().map(|column| self.total(|k| column[k] * mass[k]));
        let sums = masses.map(Ok).chain(moments).collect::<Result<Vec<f64>>>()?;
        let along = |from: usize| {
            [0, 1, 2].map(|k| match ranges.get(from + k) {
                Some((low, high)) => Along { low: *low, high: *high, moment: sums[1 + from + k] },
                None => Along { low: f64::INFINITY, high: f64::NEG_INFINITY, moment: 0.0 },
            })
        };
        let eps = own.eps.as_deref().unwrap_or_default();
        let least_eps = if soft { Some(self.ranges(&[eps])?[0].0) } else { None };
        let mut extent =
            Extent { mass: sums[0], most_mass, least_eps, position: along(0), velocity: along(3), at_zero: [false; 2] };
        for ((vectors, mean), which) in columns.chunks_exact(3).zip(extent.means()).zip(0..) {
            extent.at_zero[which] = self.total(|k| vote([0, 1, 2].map(|axis| vectors[axis][k]), mass[k], mean))? > 0.0;
        }
        Ok((extent, soft))
    }

    /// A sum over the bodies of all ranks, as [`Frame::new`] adds: in eight chains side by side.
    fn total(&self, number: impl Fn(usize) -> f64) -> Result<f64> {
        let (team, own) = (self.team, self.own());
        let (rank, tag) = (team.rank(), team.next_tag());
        let mut chains = vec![0.0; 8];
        if rank > 0 {
            chains.copy_from_slice(Reader::of(&team.receive(rank - 1, tag)?).next_reals(8)?);
        }
        for body in own.clone() {
            chains[body % 8] += number(body - own.start);
        }
        let mut words = Words::default();
        words.reals(&chains);
        // the last rank has the sums; rank 0 sends them to all
        let (last, tag_of_last) = (team.ranks() - 1, team.next_tag());
        match rank == last {
            true => team.send(0, tag_of_last, words.done())?,
            false => team.send(rank + 1, tag, words.done())?,
        }
        let sums = if rank == 0 { team.receive(last, tag_of_last)? } else { Vec::new() };
        let sums = team.broadcast(sums)?;
        Ok(Reader::of(&sums).next_reals(8)?.iter().sum())
    }

    /// What a law makes of all bodies for those of this rank, `own`: the results of [`Interpreter::evaluate`], bit for bit.
    /// Every rank calls it with its own bodies, as [`PairInputs::one`] or [`PairInputs::roles`], and the same law.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another number of bodies than [`own`](Self::own), for two sets, and as
    /// [`PairInputs::check`]; [`Error::Rank`] on all ranks where one of them has an error or is lost.
    pub fn evaluate(&self, interpreter: &Interpreter, own: &PairInputs<'_>) -> Result<Vec<Vec<f64>>> {
        let sets = match own.first() {
            Some(0) => self.check_size("bodies", own.lens().0),
            _ => Err(Error::Parameter {
                name: "sets",
                value: "2".into(),
                expected: "a ring computes the bodies of one set: PairInputs::one or roles".into(),
            }),
        };
        self.agree(sets.and_then(|()| interpreter.check(own)))?;
        interpreter.evaluate_ring(self, own)
    }
}

/// Numbers of records that have come.
pub(crate) fn numbers<T: Element>(words: &[u64], due: usize) -> Result<Vec<T>> {
    if words.len() != due {
        let problem = format!("a line of {} numbers came where {due} are due", words.len());
        return Err(Error::Rank { rank: 0, problem });
    }
    Ok(words.iter().map(|word| T::from_f64(f64::from_bits(*word))).collect())
}

fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}
