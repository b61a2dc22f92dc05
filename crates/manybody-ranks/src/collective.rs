//! What all ranks do together: broadcast, gather, exchange, barrier. Each is called by every rank, in the same order.

use crate::Result;
use crate::team::Team;
use crate::words::{Reader, Words};
use std::ops::Range;

impl Team {
    /// Refuses to give what was computed while the ranks came apart: kernels leave out what is left of their parts then, and the
    /// letters of the others may all be there.
    fn check_whole(&self) -> Result<()> {
        self.ended().map_or(Ok(()), |end| Err(end.error()))
    }

    /// Words of rank 0 on every rank: `words` is read on rank 0 and returned on all. Each rank passes them on to at
    /// most log2 of the others, so that rank 0 does not send all copies.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn broadcast(&self, words: Vec<u64>) -> Result<Vec<u64>> {
        let tag = self.next_tag();
        let (rank, ranks) = (self.rank(), self.ranks());
        // rank r gets it from r without its lowest bit, and sends it on below that bit
        let lowest = if rank == 0 { ranks.next_power_of_two() } else { 1 << rank.trailing_zeros() };
        let words = if rank == 0 { words } else { self.receive(rank - lowest, tag)? };
        let mut step = lowest / 2;
        while step > 0 {
            if rank + step < ranks {
                self.send(rank + step, tag, words.clone())?;
            }
            step /= 2;
        }
        Ok(words)
    }

    /// The words of each rank, by rank, on rank 0; nothing on the others.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn gather(&self, words: Vec<u64>) -> Result<Vec<Vec<u64>>> {
        self.check_whole()?;
        let tag = self.next_tag();
        self.send(0, tag, words)?;
        match self.is_root() {
            true => (0..self.ranks()).map(|from| self.receive(from, tag)).collect(),
            false => Ok(Vec::new()),
        }
    }

    /// The words of each rank, by rank, on every rank.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn all_gather(&self, words: Vec<u64>) -> Result<Vec<Vec<u64>>> {
        self.exchange(vec![words; self.ranks()])
    }

    /// Words of each rank for each: `words[to]` goes to rank `to`, and what comes back is by the rank that it is from.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn exchange(&self, words: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>> {
        self.check_whole()?;
        let tag = self.next_tag();
        for (to, words) in words.into_iter().enumerate() {
            self.send(to, tag, words)?;
        }
        (0..self.ranks()).map(|from| self.receive(from, tag)).collect()
    }

    /// Returns on every rank after every rank has called it.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn barrier(&self) -> Result<()> {
        self.all_gather(Vec::new()).map(drop)
    }

    /// Columns of numbers that each rank has a range of: rank 0 gets those of all.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn gather_ranges(&self, columns: &mut [&mut [f64]], range_of: impl Fn(usize) -> Range<usize>) -> Result<()> {
        self.check_whole()?;
        let tag = self.next_tag();
        if !self.is_root() {
            let mut words = Words::default();
            let own = range_of(self.rank());
            columns.iter().for_each(|column| {
                words.reals(&column[own.clone()]);
            });
            return self.send(0, tag, words.done());
        }
        for rank in 1..self.ranks() {
            let words = self.receive(rank, tag)?;
            let mut reader = Reader::of(&words);
            for column in columns.iter_mut() {
                let (to, from) = (&mut column[range_of(rank)], reader.reals()?);
                if to.len() != from.len() {
                    let problem = format!("it sent {} numbers where {} are due", from.len(), to.len());
                    return Err(crate::Error::Rank { rank, problem });
                }
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    /// A column of numbers that each rank has a range of: every rank gets those of all.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub fn all_gather_ranges(&self, column: &mut [f64], range_of: impl Fn(usize) -> Range<usize>) -> Result<()> {
        self.gather_ranges(&mut [&mut *column], range_of)?;
        let mut words = Words::default();
        if self.is_root() {
            words.reals(column);
        }
        let words = self.broadcast(words.done())?;
        column.copy_from_slice(Reader::of(&words).next_reals(column.len())?);
        Ok(())
    }
}
