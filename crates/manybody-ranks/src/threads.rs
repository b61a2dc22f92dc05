//! Ranks that are threads of one process: the same letters without sockets, for tests and for programs that try out
//! ranks.

use crate::Result;
use crate::mailbox::{Letter, Mailbox};
use crate::team::{Ranks, Team};
use std::sync::Arc;

struct Threads {
    rank: usize,
    mailboxes: Arc<[Mailbox]>,
}

/// So many ranks, each to be used by a thread of its own.
pub fn teams(ranks: usize) -> Vec<Team> {
    let mailboxes: Arc<[Mailbox]> = (0..ranks).map(|_| Mailbox::default()).collect();
    (0..ranks).map(|rank| Team::of(Threads { rank, mailboxes: mailboxes.clone() })).collect()
}

impl Ranks for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.mailboxes.len()
    }

    fn send(&self, to: usize, letter: Letter) -> Result<()> {
        self.mailboxes[to].deliver(self.rank, letter);
        Ok(())
    }

    fn mailbox(&self) -> &Mailbox {
        &self.mailboxes[self.rank]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::End;

    /// What each of so many ranks returns.
    fn each<R: Send>(ranks: usize, f: impl Fn(&Team) -> R + Sync) -> Vec<R> {
        std::thread::scope(|scope| {
            let all: Vec<_> = teams(ranks)
                .into_iter()
                .map(|team| {
                    let f = &f;
                    scope.spawn(move || {
                        let done = f(&team);
                        // rank 0 leaves when no other waits for a letter
                        team.gather(Vec::new()).unwrap();
                        team.leave(0, "");
                        done
                    })
                })
                .collect();
            all.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn everything_that_ranks_do_together_arrives_where_it_is_due() {
        for ranks in [1, 2, 3, 4, 7, 64] {
            each(ranks, |team| {
                let own = team.rank() as u64;
                let sent = if own == 0 { vec![42, 43] } else { Vec::new() };
                assert_eq!(team.broadcast(sent).unwrap(), [42, 43]);
                let all: Vec<Vec<u64>> = (0..ranks as u64).map(|rank| vec![rank * rank]).collect();
                let gathered = team.gather(vec![own * own]).unwrap();
                assert_eq!(gathered, if own == 0 { all.clone() } else { Vec::new() });
                assert_eq!(team.all_gather(vec![own * own]).unwrap(), all);
                let to_each = (0..ranks as u64).map(|to| vec![own, to]).collect();
                let from_each: Vec<Vec<u64>> = (0..ranks as u64).map(|from| vec![from, own]).collect();
                assert_eq!(team.exchange(to_each).unwrap(), from_each);
                team.barrier().unwrap();
                let mut columns = [vec![0.0; 10], vec![0.0; 10]];
                for k in team.part(10) {
                    (columns[0][k], columns[1][k]) = (k as f64, -(k as f64));
                }
                let mut slices = columns.each_mut().map(Vec::as_mut_slice);
                team.gather_ranges(&mut slices, |rank| team.part_of(rank, 10)).unwrap();
                let mut column: Vec<f64> = team.part(10).map(|k| k as f64).collect();
                column.splice(0..0, vec![0.0; team.part(10).start]);
                column.resize(10, 0.0);
                team.all_gather_ranges(&mut column, |rank| team.part_of(rank, 10)).unwrap();
                assert_eq!(column, (0..10).map(f64::from).collect::<Vec<_>>());
                if own == 0 {
                    assert_eq!(columns[0], (0..10).map(f64::from).collect::<Vec<_>>());
                    assert_eq!(columns[1][9], -9.0);
                }
            });
        }
    }

    #[test]
    fn parts_are_as_large_as_each_other_and_leave_nothing_out() {
        for (ranks, count) in [(1, 5), (3, 8), (4, 4), (5, 3), (64, 1000)] {
            let teams = teams(ranks);
            let parts: Vec<_> = teams.iter().map(|team| team.part(count)).collect();
            assert!(parts.iter().all(|part| (count / ranks..=count.div_ceil(ranks)).contains(&part.len())));
            assert_eq!(parts.into_iter().flatten().collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
            teams.iter().for_each(|team| team.leave(0, ""));
        }
    }

    #[test]
    fn a_rank_that_ends_without_a_word_is_an_error_of_the_others() {
        let mut teams = teams(3);
        drop(teams.remove(1));
        for team in &teams {
            let error = team.barrier().unwrap_err().to_string();
            assert!(error.starts_with("rank 1: "), "{error}");
            assert!(team.check().is_err() && matches!(team.ended(), Some(End::Lost(1, _))));
        }
    }

    /// The part of a rank that is lost has come, but rank 0 has left out what remained of its own when it saw the loss.
    #[test]
    fn what_was_computed_while_ranks_came_apart_is_not_given() {
        type Give = fn(&Team) -> crate::Result<()>;
        let gather: Give = |team| team.gather(vec![1]).map(drop);
        let ranges: Give = |team| team.gather_ranges(&mut [&mut [0.0; 2]], |rank| rank..rank + 1);
        for give in [gather, ranges] {
            let mut teams = teams(2);
            let lost = teams.remove(1);
            give(&lost).unwrap();
            drop(lost);
            while !teams[0].has_ended() {
                std::thread::yield_now();
            }
            assert!(give(&teams[0]).unwrap_err().to_string().starts_with("rank 1: "));
        }
    }

    #[test]
    fn a_team_is_current_where_it_is_installed() {
        let teams = teams(2);
        assert!(Team::current().is_none());
        teams[1].install(|| {
            assert_eq!(Team::current().unwrap().rank(), 1);
            teams[0].install(|| assert_eq!(Team::current().unwrap().rank(), 0));
            assert_eq!(Team::current().unwrap().rank(), 1);
        });
        assert!(Team::current().is_none());
    }
}
