//! Ranks with a GPU each exchange what they have computed, from GPU to GPU.
//!
//! Numbers are moved and never added: sums are made by the kernels, in their order, so the bits are those of one process.

use super::launch::address;
use super::nccl::{Communicator, Id, Library};
use super::share::{LINES, lines_of};
use super::{Cuda, failed};
use crate::rows;
use cudarc::driver::{CudaEvent, CudaSlice, CudaStream};
use manybody_law::{Error, Result};
use manybody_ranks::Team;
use manybody_ranks::words::{Reader, Words};
use std::fmt;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::{Duration, Instant};

/// How long GPUs may take to find each other: NCCL looks at all networks of a machine.
const JOINING: Duration = Duration::from_secs(60);

/// How long ranks may take to take leave of each other.
const LEAVING: Duration = Duration::from_secs(1);

/// After an error of NCCL, how long it may take until it is known which rank is lost: longer than ranks wait for a sign of life.
const NAMING: Duration = Duration::from_millis(4500);

/// Between two looks.
const PAUSE: Duration = Duration::from_micros(20);

/// CUDA's highest priority of a stream.
const HIGHEST: i32 = -5;

/// Results \[columns\]\[stride\] of n bodies, in tiles of bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) columns: usize,
    pub(super) stride: usize,
    pub(super) tile: usize,
    pub(super) n: usize,
}

/// The GPUs of ranks, joined by NCCL.
pub(crate) struct Exchange {
    nccl: &'static Library,
    /// Null once it is aborted.
    communicator: AtomicPtr<std::ffi::c_void>,
    team: Team,
    /// The order of exchanges, beside which kernels go on.
    stream: Arc<CudaStream>,
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Exchange({:?}, {:?})", self.team, self.nccl)
    }
}

/// What a rank says of its GPU.
struct Introduction {
    /// Its kind: the model, multiprocessors, and the versions of driver and compiler, from which kernels and their launches follow.
    kind: String,
    /// Its number, by which GPUs of all machines differ.
    uuid: Vec<u64>,
    /// How many GPUs it has.
    gpus: u64,
    /// Why it has no NCCL; empty where it has.
    lacks: String,
}

impl Introduction {
    fn of(cuda: &Cuda, lacks: String) -> Result<Self> {
        let uuid = cuda.context.uuid().map_err(failed("ask for the GPU's number"))?;
        let name = cuda.context.name().map_err(failed("ask for the GPU's name"))?;
        let nvrtc = if super::has_compiler() { super::compile::version() } else { (0, 0) };
        let driver = super::version();
        let kind = format!(
            "{name}, sm_{}, {} multiprocessors, NVRTC {}.{}, driver for CUDA {driver}",
            cuda.arch, cuda.processors, nvrtc.0, nvrtc.1
        );
        let gpus = 1 + cuda.others.len() as u64;
        Ok(Introduction { kind, uuid: to_words(&uuid.bytes.map(|byte| byte as u8)), gpus, lacks })
    }

    /// What all ranks say, each of which must call it.
    fn all(&self, team: &Team) -> Result<Vec<Introduction>> {
        team.all_gather(self.put())?.iter().map(|words| Introduction::get(words)).collect()
    }

    fn put(&self) -> Vec<u64> {
        let mut words = Words::default();
        words.text(&self.kind).numbers(self.uuid.iter().copied()).number(self.gpus).text(&self.lacks);
        words.done()
    }

    fn get(words: &[u64]) -> Result<Self> {
        let mut reader = Reader::of(words);
        let (kind, uuid) = (reader.text()?, reader.numbers()?.to_vec());
        Ok(Introduction { kind, uuid, gpus: reader.number()?, lacks: reader.text()? })
    }

    /// What a rank says that cannot open its GPUs.
    fn without(problem: String) -> Self {
        Introduction { kind: String::new(), uuid: Vec::new(), gpus: 0, lacks: problem }
    }

    /// Refuses ranks whose GPUs are not of one kind.
    ///
    /// # Errors
    /// [`Error::Device`].
    fn check_kinds(all: &[Introduction]) -> Result<()> {
        if let Some(rank) = (1..all.len()).find(|rank| all[*rank].kind != all[0].kind) {
            let problem = format!(
                "the GPUs of rank 0 ({}) and of rank {rank} ({}) must be of one kind, with the same versions: the bits would differ",
                all[0].kind, all[rank].kind
            );
            return Err(Error::Device { device: "cuda", problem });
        }
        Ok(())
    }

    /// Why these ranks cannot exchange numbers by NCCL, if they cannot.
    ///
    /// # Errors
    /// Those of [`check_kinds`](Self::check_kinds).
    fn obstacle(all: &[Introduction]) -> Result<Option<String>> {
        Introduction::check_kinds(all)?;
        if let Some((rank, lacks)) = all.iter().enumerate().find(|(_, other)| !other.lacks.is_empty()) {
            return Ok(Some(format!("rank {rank}: {}", lacks.lacks)));
        }
        if let Some(rank) = (1..all.len()).find(|rank| all[*rank].gpus != all[0].gpus) {
            return Ok(Some(format!("rank 0 has {} GPUs, and rank {rank} has {}", all[0].gpus, all[rank].gpus)));
        }
        let earlier = |rank: usize| all[..rank].iter().position(|other| other.uuid == all[rank].uuid);
        let both = (1..all.len()).find_map(|rank| earlier(rank).map(|other| (other, rank)));
        Ok(both.map(|(other, rank)| format!("ranks {other} and {rank} have the same GPU")))
    }
}

/// Why ranks that have these GPUs each cannot exchange what they compute by NCCL, in words; `None` where they can. Each rank
/// must call it with its own. It opens the GPUs, and joins nothing.
///
/// # Errors
/// [`Error::Rank`] where a rank is lost.
pub fn obstacle(ordinals: &[usize], team: &Team) -> Result<Option<String>> {
    let own = Cuda::open_several(ordinals).and_then(|cuda| match super::has_compiler() {
        true => Introduction::of(&cuda, Library::get().err().unwrap_or_default()),
        false => Ok(Introduction::without("libnvrtc is not found".into())),
    });
    let all = own.unwrap_or_else(|error| Introduction::without(error.to_string())).all(team)?;
    let lacking = all.iter().position(|one| one.gpus == 0);
    if let Some(rank) = lacking {
        return Ok(Some(format!("rank {rank}: {}", all[rank].lacks)));
    }
    Ok(Introduction::obstacle(&all).unwrap_or_else(|error| Some(error.to_string())))
}

/// Bytes as the words of a letter.
fn to_words(bytes: &[u8]) -> Vec<u64> {
    bytemuck::pod_collect_to_vec(bytes)
}

/// The id in the words of a letter.
fn to_id(words: &[u64]) -> Id {
    let mut id = Id([0; 128]);
    id.0.iter_mut().zip(bytemuck::cast_slice(words)).for_each(|(to, byte)| *to = *byte);
    id
}

/// Refuses to go on where ranks have come apart.
///
/// # Errors
/// [`Error::Rank`] where a rank is lost, [`Error::Interrupted`] where rank 0 ends the computation.
pub(super) fn check(team: &Team) -> Result<()> {
    team.ended().map_or(Ok(()), |end| Err(end.error()))
}

/// Waits until the work of a stream is done, as long as the ranks are together.
///
/// # Errors
/// [`Error::Device`], and those of [`check`].
pub(super) fn wait_for_stream(stream: &CudaStream, team: &Team) -> Result<()> {
    wait(team, &stream.record_event(None).map_err(failed("compute"))?)
}

/// Waits for an event, as long as the ranks are together.
///
/// # Errors
/// [`Error::Device`], and those of [`check`].
pub(super) fn wait(team: &Team, event: &CudaEvent) -> Result<()> {
    while !event.try_is_complete().map_err(failed("compute"))? {
        check(team)?;
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

impl Exchange {
    /// Joins the GPUs of all ranks, which must all call it; or says why they have to exchange through the host.
    ///
    /// # Errors
    /// [`Error::Device`] where GPUs are not of one kind, [`Error::Rank`] where a rank is lost.
    pub(super) fn join(cuda: &Cuda, team: &Team) -> Result<std::result::Result<Exchange, String>> {
        let nccl = Library::get();
        let stream =
            cuda.bind().and_then(|()| cuda.context.new_stream_with_priority(HIGHEST).map_err(failed("make a stream")));
        let lacks = match (&nccl, &stream) {
            (Err(why), _) => why.clone(),
            (_, Err(error)) => error.to_string(),
            _ => String::new(),
        };
        let all = Introduction::of(cuda, lacks)?.all(team)?;
        let nccl = match (Introduction::obstacle(&all)?, nccl) {
            (None, Ok(nccl)) => nccl,
            (Some(obstacle), _) | (None, Err(obstacle)) => return Ok(Err(obstacle)),
        };
        let id = if team.is_root() { nccl.id().map(|id| to_words(&id.0)) } else { Ok(Vec::new()) };
        // nothing where rank 0 has no id
        let sent = team.broadcast(id.as_ref().cloned().unwrap_or_default())?;
        if sent.is_empty() {
            let why = id.err().map_or("rank 0 has no id".into(), |error| error.to_string());
            return Ok(Err(format!("rank 0: {why}")));
        }
        let id = to_id(&sent);
        let joined = stream.and_then(|stream| Exchange::begin(nccl, stream, team, id));
        // those that have come in need those that have not
        let mut words = Words::default();
        words.text(&joined.as_ref().err().map_or(String::new(), ToString::to_string));
        for (rank, words) in team.all_gather(words.done())?.iter().enumerate() {
            let problem = Reader::of(words).text()?;
            if !problem.is_empty() {
                return Ok(Err(format!("rank {rank}: {problem}")));
            }
        }
        joined.map(Ok)
    }

    fn begin(nccl: &'static Library, stream: Arc<CudaStream>, team: &Team, id: Id) -> Result<Exchange> {
        let communicator = AtomicPtr::new(nccl.join(id, team.rank(), team.ranks())?);
        let exchange = Exchange { nccl, communicator, team: team.clone(), stream };
        exchange.until_ready(JOINING)?;
        Ok(exchange)
    }

    fn communicator(&self) -> Communicator {
        self.communicator.load(Ordering::Relaxed)
    }

    /// Ends what is under way, on this rank alone: kernels that wait for other ranks would wait for ever. Afterwards no
    /// exchange uses any memory.
    pub(super) fn abandon(&self) {
        let communicator = self.communicator.swap(null_mut(), Ordering::Relaxed);
        if !communicator.is_null() {
            self.nccl.abort(communicator);
            // an error of the device shows again where its results are fetched
            let _ = self.stream.synchronize();
        }
    }

    fn end<R>(&self, error: Error) -> Result<R> {
        self.abandon();
        Err(error)
    }

    /// [`end`](Self::end) after an error of NCCL, which may know of the loss of a rank first, but not of which.
    fn end_named<R>(&self, error: Error) -> Result<R> {
        self.abandon();
        let deadline = Instant::now() + NAMING;
        while Instant::now() < deadline {
            check(&self.team)?;
            std::thread::sleep(100 * PAUSE);
        }
        Err(error)
    }

    /// Waits until `is_done`, as long as the ranks are together.
    fn until(&self, deadline: Option<Instant>, is_done: impl Fn() -> Result<bool>) -> Result<()> {
        loop {
            match is_done() {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) => return self.end_named(error),
            }
            if let Err(error) = check(&self.team) {
                return self.end(error);
            }
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                let problem = "NCCL: the GPUs of ranks do not find each other".into();
                return self.end(Error::Device { device: "cuda", problem });
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn until_ready(&self, patience: Duration) -> Result<()> {
        self.until(Some(Instant::now() + patience), || self.nccl.is_ready(self.communicator()))
    }

    /// Waits until the work of a stream has come to an event.
    ///
    /// # Errors
    /// [`Error::Device`], [`Error::Rank`] where a rank is lost, [`Error::Interrupted`] where rank 0 ends the computation.
    pub(super) fn wait(&self, event: &CudaEvent) -> Result<()> {
        if self.communicator().is_null() {
            // abandoned: nothing is under way
            return Ok(());
        }
        self.until(None, || {
            let is_complete = event.try_is_complete().map_err(failed("compute"))?;
            if !is_complete {
                // a network that fails shows here alone
                self.nccl.is_ready(self.communicator())?;
            }
            Ok(is_complete)
        })
    }

    /// Lets exchanges that `calls` ask for begin after what `after` has been given so far, and notes their end.
    fn exchange(&self, after: &CudaStream, calls: impl FnOnce() -> Result<()>) -> Result<CudaEvent> {
        let failed = failed("wait for the GPUs of other ranks");
        if self.communicator().is_null() {
            return check(&self.team).and(Err(Error::Interrupted));
        }
        let ready = after.record_event(None).map_err(&failed)?;
        self.stream.wait(&ready).map_err(&failed)?;
        if let Err(error) = self.nccl.together(calls) {
            return self.end_named(error);
        }
        self.until(None, || self.nccl.is_ready(self.communicator()))?;
        self.stream.record_event(None).map_err(&failed)
    }

    /// The bodies whose results a rank completes: those of its tiles.
    fn bodies(&self, rank: usize, layout: Layout) -> Range<usize> {
        rows::bodies(&self.team, rank, layout.stride, layout.tile, layout.n)
    }

    /// [`bodies`](Self::bodies) of this rank.
    pub(super) fn own(&self, layout: Layout) -> Range<usize> {
        self.bodies(self.team.rank(), layout)
    }

    /// The number of this rank, and how many there are.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.team.rank(), self.team.ranks())
    }

    /// Completes the columns on all GPUs: of each, a rank has the numbers of its own bodies.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub(super) fn rows(&self, after: &CudaStream, numbers: &CudaSlice<f64>, layout: Layout) -> Result<CudaEvent> {
        debug_assert!(layout.columns * layout.stride <= numbers.len());
        let base = address(&self.stream, numbers);
        self.parts(after, |rank| {
            let own = self.bodies(rank, layout);
            let at = |column: usize| base + 8 * (column * layout.stride + own.start) as u64;
            (0..layout.columns).map(|column| (at(column), 8 * own.len())).collect()
        })
    }

    /// Completes memory on all GPUs: `own` says which parts of it a rank has, by their addresses here and their bytes.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub(super) fn parts(&self, after: &CudaStream, own: impl Fn(usize) -> Vec<(u64, usize)>) -> Result<CudaEvent> {
        let stream = self.stream.cu_stream().cast();
        self.exchange(after, || {
            for rank in 0..self.team.ranks() {
                for (at, bytes) in own(rank).into_iter().filter(|(_, bytes)| *bytes > 0) {
                    // SAFETY: the callers' parts lie in memory that they keep until the exchange has ended
                    unsafe { self.nccl.broadcast(at, bytes, rank, self.communicator(), stream) }?;
                }
            }
            Ok(())
        })
    }

    /// Sums of lines, \[lines\]\[columns\]\[stride\] from number `first` of `sums` on, of which a rank has those of its own
    /// lines: it gets those of all lines for its own bodies.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub(super) fn line_sums(
        &self,
        after: &CudaStream,
        (sums, first): (&CudaSlice<f64>, usize),
        layout: Layout,
    ) -> Result<CudaEvent> {
        debug_assert!(first + LINES * layout.columns * layout.stride <= sums.len());
        let (base, stream) = (address(&self.stream, sums) + 8 * first as u64, self.stream.cu_stream().cast());
        let at = |line: usize, column: usize, body: usize| {
            base + 8 * ((line * layout.columns + column) * layout.stride + body) as u64
        };
        let (rank, ranks) = self.place();
        let own = self.own(layout);
        self.exchange(after, || {
            for other in (0..ranks).filter(|other| *other != rank) {
                let theirs = self.bodies(other, layout);
                let columns = |rank: usize| {
                    lines_of(rank, ranks).flat_map(move |line| (0..layout.columns).map(move |column| (line, column)))
                };
                for (line, column) in columns(rank).filter(|_| !theirs.is_empty()) {
                    let at = at(line, column, theirs.start);
                    // SAFETY: the range lies in the sums, which the evaluator keeps
                    unsafe { self.nccl.send(at, theirs.len(), other, self.communicator(), stream) }?;
                }
                for (line, column) in columns(other).filter(|_| !own.is_empty()) {
                    let at = at(line, column, own.start);
                    // SAFETY: as above
                    unsafe { self.nccl.receive(at, own.len(), other, self.communicator(), stream) }?;
                }
            }
            Ok(())
        })
    }
}

impl Drop for Exchange {
    /// Takes leave of the other ranks, which do the same; without them where they are not there any more.
    fn drop(&mut self) {
        let communicator = self.communicator();
        if communicator.is_null() {
            return;
        }
        let finished = self.team.ended().is_none()
            && self.nccl.finalize(communicator).is_ok()
            && self.until_ready(LEAVING).is_ok();
        if finished {
            self.nccl.destroy(communicator);
        } else {
            self.abandon();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: u64, uuid: u64, lacks: &str) -> Introduction {
        Introduction { kind: format!("model {kind}"), uuid: vec![uuid, 7], gpus: 1, lacks: lacks.into() }
    }

    #[test]
    fn ranks_exchange_by_nccl_where_each_has_it_and_a_gpu_of_its_own() {
        assert_eq!(Introduction::obstacle(&[of(90, 1, ""), of(90, 2, "")]).unwrap(), None);
        let lacking = Introduction::obstacle(&[of(90, 1, ""), of(90, 2, "libnccl.so.2 (NCCL) is not found")]);
        assert_eq!(lacking.unwrap().unwrap(), "rank 1: libnccl.so.2 (NCCL) is not found");
        let same = Introduction::obstacle(&[of(90, 1, ""), of(90, 2, ""), of(90, 1, "")]);
        assert_eq!(same.unwrap().unwrap(), "ranks 0 and 2 have the same GPU");
        let more = Introduction { gpus: 2, ..of(90, 2, "") };
        assert_eq!(
            Introduction::obstacle(&[of(90, 1, ""), more]).unwrap().unwrap(),
            "rank 0 has 1 GPUs, and rank 1 has 2"
        );
        let other = Introduction::obstacle(&[of(90, 1, ""), of(100, 2, "")]).unwrap_err();
        assert!(
            other.to_string().contains("rank 0 (model 90) and of rank 1 (model 100) must be of one kind"),
            "{other}"
        );
    }

    #[test]
    fn introductions_and_ids_survive_the_way() {
        let bytes: [u8; 128] = std::array::from_fn(|k| (k * 37 + 5) as u8);
        assert_eq!(to_id(&to_words(&bytes)).0, bytes);
        let sent = of(90, 3, "nothing");
        let got = Introduction::get(&sent.put()).unwrap();
        assert_eq!((got.kind, got.uuid, got.gpus, got.lacks), (sent.kind, sent.uuid, sent.gpus, sent.lacks));
    }

    /// Lines are dealt out as parts of a launch are.
    #[test]
    fn all_lines_are_dealt_out() {
        for ranks in 1..=LINES {
            let all: Vec<usize> = (0..ranks).flat_map(|rank| lines_of(rank, ranks)).collect();
            assert_eq!(all, (0..LINES).collect::<Vec<_>>());
        }
    }
}
