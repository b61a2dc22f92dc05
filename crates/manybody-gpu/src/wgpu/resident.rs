//! Bodies that live on a wgpu device: many steps are one submission. Energies are summed on the host, in f64.

use super::calls::Pass;
use super::state::{Layout, State, Surroundings};
use super::{Wgpu, WgpuEvaluator, failed};
use crate::gravity::{How, Problem, Problems, Records};
use crate::{Evaluator, Pairs, finish};
use manybody_law::Result;
use manybody_pairwise::watch::Watch;
use manybody_pairwise::{Bodies, ForceTerms, Frame, Integrals, KickDrift, Resident};
use manybody_ranks::Team;
use std::sync::Arc;

/// Moves of one submission.
const MOVES: usize = 64;

/// Bodies on a wgpu device.
pub(crate) struct WgpuResident {
    massive: Group,
    massless: Option<Massless>,
    /// Which of the two origins holds, also when `checkpoint` was called.
    turn: usize,
    checkpoint_turn: usize,
    /// The sums on the device are those of the present positions, if these have not moved since an evaluation.
    has_forces: bool,
    units: Frame,
}

/// Bodies with the evaluator of their forces.
struct Group {
    forces: WgpuEvaluator,
    state: State,
}

/// Bodies without mass: those with mass act on them.
struct Massless {
    group: Group,
    /// The calls that write the records of those with mass, one for each of the two origins.
    sources: [Pass; 2],
}

fn not_loaded() -> manybody_law::Error {
    failed("the bodies are not on the device")
}

impl Group {
    /// Brings the bodies of a problem to the device.
    fn new(wgpu: &Arc<Wgpu>, problem: &Problem<'_>, how: How, at: &[usize], team: Option<Team>) -> Result<Self> {
        let law = problem.law(ForceTerms::default());
        let mut forces = WgpuEvaluator::new(wgpu.clone(), &law.law()?, how.pairs).with_knobs(how.config).moving();
        if how.mixed {
            forces = forces.mixed()?;
        }
        forces = forces.summing(problem.sum)?;
        forces.team = team;
        forces.bound(&problem.ranges());
        problem.with_inputs(law, true, |inputs| forces.load(inputs))?;
        let loaded = forces.loaded.as_ref().ok_or_else(not_loaded)?;
        let factors = finish::factors(&loaded.kernel.law, loaded.kernel.scales, &loaded.par64);
        let unit = problem.frame.acceleration();
        let kernel = &loaded.kernel;
        let around = Surroundings {
            sums: loaded.memory.sums.clone(),
            stride: loaded.stride,
            results: kernel.results,
            factor: [0, 1, 2].map(|k| factors[k] * unit),
            per_length: 1.0 / problem.frame.length(),
            records: loaded.memory.records.clone(),
            padded: loaded.stride,
        };
        let layout = Layout { quads: kernel.quads, low: kernel.low };
        let state = State::new(wgpu, problem.bodies, &problem.frame, at.to_vec(), around, layout)?;
        Ok(Group { forces, state })
    }
}

impl Massless {
    fn new(wgpu: &Arc<Wgpu>, problem: &Problem<'_>, how: How, at: &[usize], massive: &Group) -> Result<Self> {
        // every source acts, so pairs are ordered, and the kernel is chosen
        let config = how.config.filter(|config| !config.is_mirrored());
        let group = Group::new(wgpu, problem, How { pairs: Pairs::Ordered, config, ..how }, at, None)?;
        let loaded = group.forces.loaded.as_ref().ok_or_else(not_loaded)?;
        let (of_sources, padded) = &loaded.memory.sources;
        let pass = |turn: usize| massive.state.records_for(&group.state, of_sources.clone(), *padded, turn);
        let sources = [pass(0)?, pass(1)?];
        Ok(Massless { group, sources })
    }
}

impl WgpuResident {
    /// Brings the bodies to an open device.
    pub(crate) fn new(
        wgpu: Arc<Wgpu>,
        problems: &Problems<'_>,
        how: How,
        watch: &Watch,
        team: Option<Team>,
    ) -> Result<Self> {
        let mut massive = Group::new(&wgpu, &problems.massive, how, problems.at[0], team)?;
        // all moves are submitted by it
        massive.forces.watch(watch);
        let massless = match &problems.massless {
            Some(problem) => Some(Massless::new(&wgpu, problem, how, problems.at[1], &massive)?),
            None => None,
        };
        let units = problems.massive.frame;
        let mut this = WgpuResident { massive, massless, turn: 0, checkpoint_turn: 0, has_forces: false, units };
        // records as move.wgsl makes them of the state, bit for bit, also where the host rounds otherwise
        this.place()?;
        Ok(this)
    }

    /// The groups of bodies.
    fn groups(&mut self) -> impl Iterator<Item = &mut Group> {
        std::iter::once(&mut self.massive).chain(self.massless.as_mut().map(|massless| &mut massless.group))
    }

    /// Writes the records of the present positions.
    fn place(&mut self) -> Result<()> {
        let turn = self.turn;
        let passes = self
            .groups()
            .map(|group| group.state.pass(&KickDrift::default(), Records::Always, turn))
            .collect::<Result<Vec<_>>>()?;
        self.turn ^= 1;
        self.massive.forces.submit_passes(&passes)
    }

    /// The dispatches of a move, and whether there are evaluations before the last one.
    fn passes(&mut self, each: &KickDrift) -> Result<(Vec<Pass>, bool)> {
        let evaluates = each.accelerate || !(self.has_forces || each.kicks().is_empty());
        self.has_forces |= evaluates;
        let (turn, mut passes) = (self.turn, Vec::new());
        // before the others move: their positions and origin are those of this time
        if let Some(Massless { group, sources }) = &mut self.massless {
            if evaluates {
                passes.push(sources[turn].clone());
                passes.extend(group.forces.passes());
            }
            passes.push(group.state.pass(each, Records::WhereMoved, turn)?);
        }
        if evaluates {
            passes.extend(self.massive.forces.passes());
        }
        passes.push(self.massive.state.pass(each, Records::WhereMoved, turn)?);
        self.turn ^= 1;
        Ok((passes, evaluates))
    }
}

impl Resident for WgpuResident {
    fn apply(&mut self, moves: &[KickDrift]) -> Result<()> {
        for some in moves.chunks(MOVES) {
            let mut passes = Vec::new();
            for each in some {
                let (mut of_a_move, evaluates) = self.passes(each)?;
                let moves = of_a_move.pop();
                passes.extend(of_a_move);
                if evaluates && self.massive.forces.team.is_some() {
                    self.massive.forces.submit_passes(&std::mem::take(&mut passes))?;
                    self.massive.forces.complete()?;
                }
                passes.extend(moves);
            }
            self.massive.forces.submit_passes(&passes)?;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<bool> {
        let mut is_fine = true;
        for group in self.groups() {
            is_fine &= group.state.sync()?;
        }
        Ok(is_fine)
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.checkpoint_turn = self.turn;
        self.groups().try_for_each(|group| group.state.save())
    }

    fn roll_back(&mut self) -> Result<()> {
        self.turn = self.checkpoint_turn;
        self.groups().try_for_each(|group| group.state.restore())?;
        self.has_forces = false; // they are those of a later time, and will be computed again
        self.place()
    }

    fn fetch(&mut self, bodies: &mut Bodies) -> Result<()> {
        self.groups().try_for_each(|group| group.state.fetch(bodies))
    }

    fn frame(&mut self) -> Result<Frame> {
        self.massive.state.frame(self.units, self.turn)
    }

    /// There is no f64 here.
    fn integrals(&mut self) -> Result<Option<Integrals>> {
        Ok(None)
    }
}
