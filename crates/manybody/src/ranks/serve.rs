//! What the ranks beside rank 0 do: what it asks for, until it leaves.

use super::job::{self, Columns, Kind, Read};
use super::resident::{self, Served};
use super::{file, gpus, pairs};
use crate::law::{Law, PairInputs};
use crate::solver::{self, Coordinates, Derivatives, Evaluator, ForceTerms, Forces, Solver};
use crate::{Bodies, Error, Result};
use manybody_ranks::words::Reader;
use manybody_ranks::{End, Team};
use std::collections::HashMap;
use std::time::Duration;

/// How long a rank waits for rank 0 to leave once another rank is lost: all stop within 5 s.
const GRACE: Duration = Duration::from_secs(3);
/// Rank 0 may write for long after it has gone on alone.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// Computes with rank 0 until it leaves; its exit status, which is this rank's, too.
///
/// # Errors
/// [`Error::Rank`] naming a rank that is lost; what this rank cannot do, as an unusable MANYBODY_SIMD.
pub fn serve(team: &Team) -> Result<u8> {
    let mut kept = HashMap::new();
    while let Ok(words) = team.broadcast(Vec::new()) {
        // an error after the end is that of a computation cut short
        if let Err(error) = carry_out(&words, team, &mut kept)
            && !team.has_ended()
        {
            team.leave(1, &error.to_string());
            return Err(error);
        }
    }
    let ended = team.ended().unwrap_or(End::Cancelled);
    if let End::Lost(lost @ 1.., how) = &ended {
        team.report_loss(*lost, how);
    }
    let left = team.mailbox().wait_for_leave(if ended == End::Cancelled { FOREVER } else { GRACE });
    team.leave(0, "");
    match (left, ended) {
        (Some((status, _)), _) | (None, End::Left(status, _)) => Ok(status),
        (None, lost @ End::Lost(_, _)) => Err(lost.error()),
        (None, End::Cancelled) => Err(Error::Interrupted),
    }
}

/// What rank 0 will ask for again.
struct Kept {
    what: Computes,
    columns: Columns,
    bodies: Bodies,
}

enum Computes {
    Gravity(Box<dyn Solver>),
    Law(Box<dyn Evaluator>),
    Resident(Served),
}

fn carry_out(words: &[u64], team: &Team, kept: &mut HashMap<u64, Kept>) -> Result<()> {
    let mut reader = Reader::of(words);
    let (kind, number) = (Kind::get(&mut reader)?, reader.number()?);
    let made_of = reader.numbers()?;
    if matches!(kind, Kind::Histogram | Kind::Collisions | Kind::Triples) {
        return pairs::serve(kind, &mut reader, team);
    }
    if kind == Kind::Gpus {
        return gpus::serve(&mut reader, team);
    }
    if kind == Kind::Write {
        return file::serve(&mut reader, team);
    }
    if kind == Kind::Forget {
        kept.remove(&number);
        return Ok(());
    }
    if !made_of.is_empty() {
        kept.insert(
            number,
            Kept { what: make(kind, made_of, team)?, columns: Columns::default(), bodies: Bodies::default() },
        );
    }
    let unknown = || Error::Rank { rank: 0, problem: "it asks for a solver that it has not sent".into() };
    let Kept { what, columns, bodies } = kept.get_mut(&number).ok_or_else(unknown)?;
    match (kind, what) {
        (Kind::Forces, Computes::Gravity(solver)) => forces(&mut reader, &mut **solver, columns, bodies),
        (Kind::Derivatives, Computes::Gravity(solver)) => derivatives(&mut reader, &mut **solver, columns, bodies),
        (Kind::Resident, Computes::Resident(served)) => served.carry_out(&mut reader, columns, bodies),
        (Kind::Law, Computes::Law(evaluator)) => law(&mut reader, &mut **evaluator, columns),
        _ => Err(unknown()),
    }
}

fn make(kind: Kind, made_of: &[u64], team: &Team) -> Result<Computes> {
    let mut reader = Reader::of(made_of);
    let method = resident::own_gpus(team, job::get_method(&mut reader)?)?;
    Ok(match kind {
        Kind::Law => {
            let law = Law::by_name_or_text(&reader.text()?)?;
            let mut evaluator = solver::evaluator_alone(&method, &law)?;
            evaluator.share(Some(team));
            Computes::Law(evaluator)
        }
        _ => {
            let mut solver = solver::alone(&method)?;
            solver.share(Some(team));
            match kind {
                Kind::Resident => Computes::Resident(Served::new(solver)),
                _ => Computes::Gravity(solver),
            }
        }
    })
}

fn forces(reader: &mut Reader<'_>, solver: &mut dyn Solver, columns: &mut Columns, bodies: &mut Bodies) -> Result<()> {
    let gravity = job::gravity_of(reader)?;
    let terms = ForceTerms { potential: reader.flag()?, jerk: reader.flag()? };
    let targets = Read::get(reader)?;
    columns.get(reader)?;
    job::take_columns(&columns.0, terms.coordinates(), bodies)?;
    let out = &mut Forces::default();
    match &targets {
        Read::All => solver.forces(bodies, &gravity, terms, out),
        some => solver.forces_on(bodies, &some.as_targets(), &gravity, terms, out),
    }
}

fn derivatives(
    reader: &mut Reader<'_>,
    solver: &mut dyn Solver,
    columns: &mut Columns,
    bodies: &mut Bodies,
) -> Result<()> {
    let gravity = job::gravity_of(reader)?;
    let snaps = reader.flag()?;
    let Read::List(active) = Read::get(reader)? else {
        return Err(Error::Rank { rank: 0, problem: "it asks for derivatives of no bodies".into() });
    };
    columns.get(reader)?;
    let (accelerations, of_bodies) = columns.0.split_at(if snaps { 3 } else { 0 }.min(columns.0.len()));
    job::take_columns(of_bodies, Coordinates::PhaseSpace, bodies)?;
    let accelerations = match accelerations {
        [x, y, z] => Some([&x[..], &y[..], &z[..]]),
        _ => None,
    };
    solver.derivatives_on(bodies, accelerations, &active, &gravity, &mut Derivatives::default())
}

fn law(reader: &mut Reader<'_>, evaluator: &mut dyn Evaluator, columns: &mut Columns) -> Result<()> {
    let (is_part, first, ni, nj) = (reader.flag()?, reader.count()?, reader.count()?, reader.count()?);
    let (same, of_i) = (reader.flag()?, reader.count()?);
    let par = reader.reals()?;
    let targets = Read::get(reader)?;
    columns.get(reader)?;
    let all: Vec<&[f64]> = columns.0.iter().map(Vec::as_slice).collect();
    let (i, j) = all.split_at(of_i.min(all.len()));
    let j = if same { i } else { j };
    let inputs = match is_part {
        true => PairInputs::part(i, j, first, par),
        false => PairInputs::two(i, j, par),
    };
    evaluator.evaluate_at(&inputs.sized(ni, nj), &targets.as_targets()).map(drop)
}
