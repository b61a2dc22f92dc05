//! What ranks that are connected say to each other first: where each is, and what it was started with. (By TCP that is
//! said while they connect.)

use super::identity::difference;
use super::seat::Seat;
use crate::{Error, Result};
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};

/// Compares what all ranks were started with; where they are, by rank. Every rank calls it, before anything else is
/// computed together.
///
/// # Errors
/// [`Error::Rank`] on every rank, naming the first that was started with other settings than rank 0, or is lost.
pub fn introduce(team: &Team, identity: &str) -> Result<Vec<Seat>> {
    let mut words = Words::default();
    Seat::own().put(&mut words);
    words.text(identity);
    let all = team.gather(words.done())?;
    let verdict = if team.is_root() { verdict(&all, identity)? } else { Vec::new() };
    let verdict = team.broadcast(verdict)?;
    let mut reader = Reader::of(&verdict);
    match reader.flag()? {
        true => (0..team.ranks()).map(|_| Seat::get(&mut reader)).collect(),
        false => Err(Error::Rank { rank: reader.count()?, problem: reader.text()? }),
    }
}

/// The seats of all, or what is wrong with a rank.
fn verdict(introductions: &[Vec<u64>], identity: &str) -> Result<Vec<u64>> {
    let mut seats = Words::default();
    seats.flag(true);
    for (rank, words) in introductions.iter().enumerate() {
        let mut reader = Reader::of(words);
        Seat::get(&mut reader)?.put(&mut seats);
        if let Some(problem) = difference(identity, &reader.text()?) {
            let mut words = Words::default();
            words.flag(false).number(rank as u64).text(&problem);
            return Ok(words.done());
        }
    }
    Ok(seats.done())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::threads;

    fn all(identities: &[&str]) -> Vec<Result<Vec<Seat>>> {
        let teams = threads::teams(identities.len());
        std::thread::scope(|scope| {
            let each = teams.iter().zip(identities);
            let each: Vec<_> = each.map(|(team, identity)| scope.spawn(|| introduce(team, identity))).collect();
            each.into_iter().map(|one| one.join().unwrap()).collect()
        })
    }

    #[test]
    fn ranks_of_the_same_settings_know_where_all_are() {
        for seats in all(&["n = 5\ndt = 1/64"; 3]) {
            assert_eq!(seats.unwrap(), vec![Seat::own(); 3]);
        }
    }

    #[test]
    fn a_rank_of_other_settings_is_named_on_all() {
        for found in all(&["n = 5\ndt = 1/64", "n = 5\ndt = 1/64", "n = 5\ndt = 1/32"]) {
            let problem = found.unwrap_err().to_string();
            assert!(
                problem.starts_with("rank 2: it was started with other settings than rank 0: dt = 1/32"),
                "{problem}"
            );
        }
    }
}
