//! The mirrored kernel on several ranks: the same tasks, the same sums in the same order, so the same bits.
//!
//! A rank has rows of tiles: all tasks whose tile I is one of them. The sums of its tiles as I are therefore its own.
//! The sums of a tile as J get contributions from one row after the other, J, J - 1, J - 2, ...: they wander, in f64,
//! from the rank of one row to that of the next, and each adds what it has, when it is their turn. A contribution that
//! is early is kept.
//!
//! ```text
//!   rows of rank 0      0 1 2 3                  sums of tile 11 as J:   rows 11 10 9 8 | 7 6 5 4
//!   rows of rank 1      4 5 6 7                                          rank 1         -> rank 0 -> rank 0 has the sum
//! ```
//!
//! In all, the sums of each tile move once for every rank that its pairs meet, 8 bytes a result and body: no sum is
//! made in an order that the number of ranks decides, and nothing waits but at the end. At the end rank 0 has the sums
//! of all.

use super::{Schedule, Scratch, combine, merge};
use crate::Result;
use crate::law::PairLaw;
use crate::packed::Aligned;
use crate::simd::Element;
use crate::watch::{self, Look, Watch};
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The rank of each row of tiles. With an even number of tiles, the rows of the first half have one pair more than
/// those of the second: each half is divided, so that all ranks have as much of both, or nearly.
pub fn owners(tiles: usize, ranks: usize) -> Vec<usize> {
    let half = if tiles.is_multiple_of(2) { tiles / 2 } else { tiles };
    // who has the smaller part of the first half has the larger one of the second
    let of = |row: usize, count: usize| (row * ranks + ranks - 1) / count;
    let part = |row: usize, count: usize| of(row, count).min(ranks - 1);
    (0..tiles)
        .map(|row| match row.checked_sub(half) {
            None => part(row, half),
            Some(row) => ranks - 1 - part(row, tiles - half),
        })
        .collect()
}

/// The sums of a part of a tile as J, on their way.
struct Chain<T> {
    /// How many contributions they have, if they are here.
    turn: usize,
    here: bool,
    values: Aligned<f64>,
    /// Contributions whose turn has not come.
    early: BTreeMap<usize, Vec<T>>,
}

/// A schedule that ranks share.
pub(super) struct Shared<'a, L, T> {
    schedule: Schedule<'a, L, T>,
    team: &'a Team,
    owners: Vec<usize>,
    chains: Vec<Mutex<Chain<T>>>,
    /// Contributions of this rank that have been added to sums of tiles as J.
    added: AtomicUsize,
    /// Sums on their way, sums of tiles as I, and complete sums of tiles as J.
    tags: [u64; 3],
}

impl<'a, L: PairLaw, T: Element> Shared<'a, L, T> {
    pub(super) fn new(mut schedule: Schedule<'a, L, T>, team: &'a Team) -> Self {
        let owners = owners(schedule.tiles, team.ranks());
        let of_j = std::mem::take(&mut schedule.of_j).into_iter().enumerate();
        let chains = of_j.map(|(chain, sums)| {
            let here = owners[chain / schedule.parts] == team.rank();
            let values = sums.values.into_inner().expect("a poisoned lock means a thread has panicked");
            Mutex::new(Chain { turn: 0, here, values, early: BTreeMap::new() })
        });
        let chains = chains.collect();
        let tags = [(); 3].map(|()| team.next_tag());
        Shared { schedule, team, owners, chains, added: AtomicUsize::new(0), tags }
    }

    /// Computes this rank's tasks and adds what they give; on rank 0, `out` gets the results of all.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted) where the watch or rank 0 asks for an end,
    /// [`Error::Rank`](crate::Error::Rank) for a rank that is lost.
    pub(super) fn run(self, watch: &Watch, out: &mut [Vec<T>]) -> Result<()> {
        let Schedule { tiles, parts, bodies, .. } = self.schedule;
        let rows = (0..tiles * (tiles + 1) / 2).filter(|pair| self.owners[pair % tiles] == self.team.rank());
        let tasks: Vec<usize> = rows.flat_map(|pair| pair * parts..(pair + 1) * parts).collect();
        let look = watch.begin((bodies.len() as u64).pow(2), tasks.len() as u64);
        let ends = || look.as_ref().is_some_and(Look::ends) || self.team.has_ended();
        let (next, failure) = (AtomicUsize::new(0), Mutex::new(Ok(())));
        let work = || {
            let mut scratch = Scratch::default();
            while !ends()
                && let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed))
            {
                let done = self.task(*task, &mut scratch).and_then(|()| self.accept_what_came());
                look.iter().for_each(Look::count);
                if let Err(error) = done {
                    *failure.lock().expect("a poisoned lock means a thread has panicked") = Err(error);
                    return;
                }
            }
        };
        rayon::scope(|scope| {
            (1..tasks.len().min(rayon::current_num_threads())).for_each(|_| scope.spawn(|_| work()));
            work();
        });
        watch::outcome(look.as_ref())?;
        failure.into_inner().expect("a poisoned lock means a thread has panicked")?;
        while self.added.load(Ordering::Relaxed) < tasks.len() {
            let sums = self.team.receive_any(self.tags[0])?;
            self.accept(&sums)?;
        }
        drop(look);
        self.gather(out)
    }

    /// The rank that adds contribution number `turn` to a chain; `None` behind the last one.
    fn owner(&self, chain: usize, turn: usize) -> Option<usize> {
        let Schedule { tiles, parts, .. } = self.schedule;
        let row = (chain / parts + tiles - turn % tiles) % tiles;
        (turn * tiles + row < tiles * (tiles + 1) / 2).then(|| self.owners[row])
    }

    fn task(&self, task: usize, scratch: &mut Scratch<T>) -> Result<()> {
        let Schedule { parts, tiles, ref cells, ref of_i, bodies, .. } = self.schedule;
        let (round, i, part) = self.schedule.compute(task, scratch);
        of_i[i].add(cells, bodies.lanes(), round * parts + part, scratch.of_i.as_slice());
        let chain = (i + round) % tiles * parts + part;
        let mut sums = self.lock(chain);
        match sums.here && sums.turn == round {
            true => self.add(&mut sums, scratch.of_j.as_slice()),
            false => drop(sums.early.insert(round, scratch.of_j.as_slice().to_vec())),
        }
        self.go_on(chain, &mut sums)
    }

    fn lock(&self, chain: usize) -> std::sync::MutexGuard<'_, Chain<T>> {
        self.chains[chain].lock().expect("a poisoned lock means a thread has panicked")
    }

    fn add(&self, sums: &mut Chain<T>, contribution: &[T]) {
        merge(&self.schedule.cells, 1, sums.values.as_mut_slice(), contribution);
        sums.turn += 1;
        self.added.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds the contributions whose turn it is, and passes the sums on where the next one is another rank's.
    fn go_on(&self, chain: usize, sums: &mut Chain<T>) -> Result<()> {
        if !sums.here {
            return Ok(());
        }
        while let Some(contribution) = sums.early.remove(&sums.turn) {
            self.add(sums, &contribution);
        }
        let (to, tag) = match self.owner(chain, sums.turn) {
            Some(owner) if owner == self.team.rank() => return Ok(()),
            Some(owner) => (owner, self.tags[0]),
            None => (0, self.tags[2]),
        };
        sums.here = false;
        self.team.send(to, tag, numbered([chain, sums.turn], sums.values.as_slice()))
    }

    /// Takes the sums that have arrived.
    fn accept_what_came(&self) -> Result<()> {
        while let Some(sums) = self.team.receive_now(self.tags[0]) {
            self.accept(&sums)?;
        }
        Ok(())
    }

    fn accept(&self, words: &[u64]) -> Result<()> {
        let mut reader = Reader::of(words);
        let (chain, turn) = (reader.count()?, reader.count()?);
        let mut sums = self.lock(chain);
        let values = reader.next_reals(sums.values.as_slice().len())?;
        sums.values.as_mut_slice().copy_from_slice(values);
        (sums.turn, sums.here) = (turn, true);
        self.go_on(chain, &mut sums)
    }

    /// Brings all sums to rank 0, which makes the two kinds one.
    fn gather(self, out: &mut [Vec<T>]) -> Result<()> {
        let Shared { schedule, team, owners, chains, tags, .. } = self;
        let Schedule { bodies, tile, parts, results, cells, of_i, .. } = schedule;
        let (n, lanes, part, tiles) = (bodies.len(), bodies.lanes(), tile / parts, owners.len());
        for (tile, sums) in of_i.into_iter().enumerate().filter(|(tile, _)| owners[*tile] == team.rank()) {
            let values = sums.values.into_inner().expect("a poisoned lock means a thread has panicked");
            team.send(0, tags[1], numbered([tile, 0], values.as_slice()))?;
        }
        if !team.is_root() {
            return Ok(());
        }
        drop(chains);
        let of_i = collect(team, tags[1], tiles)?;
        let of_j = collect(team, tags[2], tiles * parts)?;
        for body in 0..n {
            let (tile, own) = (body / tile, body % tile);
            let (of_i, of_j) = (values_of(&of_i[tile]), values_of(&of_j[tile * parts + own / part]));
            let as_i = |k: usize| f64::from_bits(of_i[(own / lanes * results + k) * lanes + own % lanes]);
            let as_j = |k: usize| f64::from_bits(of_j[own % part * results + k]);
            combine(&cells, as_i, as_j, body, out);
        }
        Ok(())
    }
}

/// Values with the number of their tile or chain, and of the next contribution.
fn numbered([which, turn]: [usize; 2], values: &[f64]) -> Vec<u64> {
    let mut words = Words::default();
    words.number(which as u64).number(turn as u64).reals(values);
    words.done()
}

/// The values of [`numbered`].
fn values_of(words: &[u64]) -> &[u64] {
    &words[3..]
}

/// So many [`numbered`] letters, by their number.
fn collect(team: &Team, tag: u64, count: usize) -> Result<Vec<Vec<u64>>> {
    let mut all = vec![Vec::new(); count];
    for _ in 0..count {
        let words = team.receive_any(tag)?;
        let which = Reader::of(&words).count()?;
        all[which] = words;
    }
    Ok(all)
}
