//! Starts the kernels of an evaluation, on all GPUs that share it.

use super::CudaEvaluator;
use super::load::Loaded;
use super::schedule::Piece;
use crate::cuda::exchange::{Exchange, Layout};
use crate::cuda::failed;
use crate::cuda::launch::{Call, Start, address, grid};
use crate::cuda::pacer::Pacer;
use crate::cuda::resident::Step;
use crate::cuda::share::{LINES, Part, Shared, SharedKernel, Turn, Work, copy};
use crate::kernel_config::KernelConfig;
use cudarc::driver::{CudaEvent, CudaSlice, CudaStream, DeviceRepr, LaunchConfig, ValidAsZeroBits};
use manybody_law::Result;
use manybody_law::simd::Element;
use std::ops::Range;
use std::sync::Arc;

/// What a launch's slots are added to, and by whom.
struct Gathering {
    /// Whether these are the first numbers of the sums.
    begins: bool,
    /// Whether the sums are complete, so that bodies are moved.
    ends: bool,
    /// The lines that are still in slots; the sums of the others are among those of other GPUs, from so many on.
    mine: Range<u32>,
    others: usize,
    /// The bodies whose sums are made.
    bodies: Range<usize>,
}

impl<T: DeviceRepr> Loaded<T> {
    /// Gives a traversal its arguments, in the order of its kernel.
    fn traversal<'a>(
        &'a self,
        call: &mut Call<'a>,
        [bodies, rotated]: [&CudaSlice<u8>; 2],
        Turn { slots_i, slots_j, .. }: &Turn<T>,
        units: Option<&CudaSlice<f64>>,
        (part, piece): (&'a Part, &'a Piece),
        step: Option<&'a Step>,
    ) {
        match (self.kernel.shape, &part.launch.work) {
            (KernelConfig::Small { .. }, _) => {
                call.memory(rotated).memory(bodies).memory(&self.sums);
                call.arg(&self.n[0]).arg(&self.n[1]).arg(&self.n[2]).arg(&self.n[3]);
                if let Some(step) = step {
                    call.arg(step);
                }
            }
            (_, Work::Shares { first, size }) => {
                call.memory(rotated).memory(bodies).memory(slots_i).arg(&self.n[0]).arg(&self.n[1]).arg(&self.n[2]);
                call.arg(size).arg(first).arg(&self.n[3]).arg(&piece.first);
                if let Some(units) = units {
                    call.memory(units);
                }
            }
            (_, Work::Rounds { begin, end, chain }) => {
                call.memory(bodies).memory(rotated).memory(slots_j).memory(slots_i);
                call.arg(&self.n[0]).arg(&self.tiles).arg(begin).arg(end).arg(chain);
            }
        }
        for p in &self.par {
            call.arg(p);
        }
    }

    /// Where the sums of a body are.
    pub(super) fn layout(&self) -> Layout {
        let (columns, tile) = (self.kernel.results, self.kernel.shape.tile());
        Layout { columns, stride: self.stride, tile, n: self.ni }
    }

    /// Where, among the sums of lines, those of launch k begin.
    fn lines_of_launch(&self, k: usize) -> usize {
        k % 2 * LINES * self.kernel.results * self.stride
    }

    fn grid(&self, part: &Part, piece: &Piece) -> LaunchConfig {
        let threads = match self.kernel.shape {
            KernelConfig::Direct { threads, .. }
            | KernelConfig::Summed { threads, .. }
            | KernelConfig::Small { threads, .. } => threads,
            KernelConfig::Symmetric { warps, .. } => 32 * warps,
        };
        grid(piece.blocks, part.launch.slots_i, threads, 1, self.kernel.shared)
    }
}

impl<T: Element + DeviceRepr + ValidAsZeroBits> CudaEvaluator<T> {
    /// Starts an evaluation of what is loaded; with `step`, of an evaluator that is [stepping](Self::stepping), it ends in
    /// moving the bodies.
    /// Every piece that has been started is reported to `pacer`.
    pub(in crate::cuda) fn launch(&self, step: Option<&Step>, pacer: &mut Pacer<'_>) -> Result<()> {
        let Some(l) = self.loaded.as_ref().filter(|l| l.ni > 0) else { return Ok(()) };
        let launched = self.launch_all(l, step, pacer);
        if launched.is_err() {
            // what is under way uses memory that may be freed now, and may wait for another rank
            if let Some(exchange) = &self.exchange {
                exchange.abandon();
            }
            l.finish();
        }
        launched
    }

    fn launch_all(&self, l: &Loaded<T>, step: Option<&Step>, pacer: &mut Pacer<'_>) -> Result<()> {
        let (stream, wait) = (&self.cuda.stream, failed("wait for another GPU"));
        if !l.shared.is_empty() {
            let ready = stream.record_event(None).map_err(&wait)?;
            for other in &l.shared {
                other.cuda.stream.wait(&ready).map_err(&wait)?;
                for (from, to) in [(&l.bodies, &other.bodies), (&l.rotated, &other.rotated)] {
                    copy(&other.cuda.stream, (&self.cuda, from, 0), (&other.cuda, to, 0), from.num_bytes())?;
                }
                Turn::begin(&other.turns)?;
            }
        }
        let exchange = self.exchange.as_ref().filter(|_| l.kernel.is_mirrored());
        if exchange.is_some() || !l.shared.is_empty() {
            return self.launch_lines(l, exchange.map(Arc::as_ref), step, pacer);
        }
        for (k, part) in l.launches.iter().flatten().enumerate() {
            self.traverse(l, part, Turn::of(&l.turns, 0), step, pacer)?;
            if l.kernel.is_small() {
                continue; // has gathered by itself
            }
            // where other ranks have a part, bodies are moved after that has come
            let ends = k + 1 == l.launches.len() && self.team.is_none();
            let mine = part.first..part.end;
            self.gather(l, part, Gathering { begins: k == 0, ends, mine, others: 0, bodies: 0..l.ni }, step)?;
        }
        Ok(())
    }

    /// Starts what the first GPU does of a launch.
    fn traverse(
        &self,
        l: &Loaded<T>,
        part: &Part,
        turn: &Turn<T>,
        step: Option<&Step>,
        pacer: &mut Pacer<'_>,
    ) -> Result<()> {
        self.cuda.context.bind_to_thread().map_err(failed("start a kernel"))?;
        // kernels for few bodies alone wait by themselves for the results of the kernel ahead
        let begin = match l.kernel.shape {
            KernelConfig::Small { .. } => self.cuda.earliest,
            _ => Start::AfterPrevious,
        };
        for piece in &l.pieces {
            let mut call = Call::new(&turn.stream, &l.kernel.traverse);
            l.traversal(&mut call, [&l.bodies, &l.rotated], turn, l.units.as_ref(), (part, piece), step);
            call.start(l.grid(part, piece), begin)?;
            pacer.started(&turn.stream)?;
        }
        Ok(())
    }

    /// Adds the slots of a launch.
    fn gather(&self, l: &Loaded<T>, part: &Part, gathering: Gathering, step: Option<&Step>) -> Result<()> {
        let Gathering { begins, ends, mine, others, bodies } = gathering;
        let (stream, stride) = (&self.cuda.stream, l.stride as u32);
        let (n, first, last) = (bodies.len() as u32, u32::from(begins), u32::from(ends));
        let Turn { slots_i, slots_j, .. } = Turn::of(&l.turns, 0);
        let mut call = Call::new(stream, &l.kernel.gather);
        call.memory(slots_i).memory(slots_j).arg(&part.lines).arg(&mine.start).arg(&mine.end);
        call.address(address(stream, &l.others) + 8 * (others + bodies.start) as u64);
        call.address(address(stream, &l.sums) + 8 * bodies.start as u64).arg(&n).arg(&stride).arg(&first);
        if let Some(units) = &l.units {
            call.memory(units);
        }
        if let Some(step) = step {
            call.arg(&last).arg(step);
        }
        call.start(grid(n.div_ceil(32), 1, 32, LINES as u32, 0), Start::AfterPrevious)
    }

    /// Starts an evaluation that GPUs of this process or of ranks share: each adds up its own lines for all bodies; this one
    /// gets all lines of all bodies, or of those of its rank, and adds these. The lines of a launch travel while the next one
    /// is computed.
    fn launch_lines(
        &self,
        l: &Loaded<T>,
        exchange: Option<&Exchange>,
        step: Option<&Step>,
        pacer: &mut Pacer<'_>,
    ) -> Result<()> {
        let (stream, n, stride, layout) = (&self.cuda.stream, l.ni as u32, l.stride as u32, l.layout());
        let wait = failed("wait for another GPU");
        let bodies = exchange.map_or(0..l.ni, |exchange| exchange.own(layout));
        // adds the lines of launch k, once they have arrived
        let add = |(k, part, arrived): (usize, &Part, Vec<CudaEvent>)| {
            arrived.iter().try_for_each(|event| stream.wait(event)).map_err(&wait)?;
            let nothing = LINES as u32..LINES as u32;
            // ranks move bodies when all accelerations have come
            let ends = k + 1 == l.launches.len() && self.team.is_none();
            let (others, bodies) = (l.lines_of_launch(k), bodies.clone());
            self.gather(l, part, Gathering { begins: k == 0, ends, mine: nothing, others, bodies }, step)?;
            stream.record_event(None).map_err(&wait)
        };
        let mut travelling: Option<(usize, &Part, Vec<CudaEvent>)> = None;
        let mut gathered: [Option<CudaEvent>; 2] = [None, None];
        Turn::begin(&l.turns)?;
        for (k, parts) in l.launches.iter().enumerate() {
            let Some(part) = parts.first() else { continue };
            let turn = Turn::of(&l.turns, k);
            let mut arrived = self.launch_on_others(l, k, &parts[1..], gathered[k % 2].as_ref())?;
            self.traverse(l, part, turn, step, pacer)?;
            if let Some(gathered) = &gathered[k % 2] {
                turn.stream.wait(gathered).map_err(&wait)?;
            }
            let first = l.lines_of_launch(k);
            let own =
                address(stream, &l.others) + 8 * (first + part.first as usize * layout.columns * layout.stride) as u64;
            let mut call = Call::new(&turn.stream, &l.kernel.add_lines);
            call.memory(&turn.slots_i).memory(&turn.slots_j).arg(&part.lines).arg(&part.first).address(own);
            call.arg(&n).arg(&stride);
            if part.first < part.end {
                call.start(grid(n.div_ceil(32), 1, 32, part.end - part.first, 0), Start::AfterPrevious)?;
            }
            if let Some(exchange) = exchange {
                // those of the other GPUs of this rank go with its own
                arrived.iter().try_for_each(|event| turn.stream.wait(event)).map_err(&wait)?;
                arrived = vec![exchange.line_sums(&turn.stream, (&l.others, first), layout)?];
            } else {
                arrived.push(turn.stream.record_event(None).map_err(&wait)?);
            }
            if let Some(earlier) = travelling.replace((k, part, arrived)) {
                gathered[(k + 1) % 2] = Some(add(earlier)?);
            }
        }
        travelling.map_or(Ok(()), |last| add(last).map(drop))
    }

    /// Starts what other GPUs of this process do of launch k, and notes when their lines have arrived. These go where
    /// those of launch k - 2 were, after these have been `gathered`.
    fn launch_on_others(
        &self,
        l: &Loaded<T>,
        k: usize,
        parts: &[Part],
        gathered: Option<&CudaEvent>,
    ) -> Result<Vec<CudaEvent>> {
        let (start, wait) = (failed("start a kernel"), failed("wait for another GPU"));
        let (n, stride) = (l.ni as u32, l.stride as u32);
        let line = l.kernel.results * l.stride;
        let start_one = |((other, kernel), part): ((&Shared<T>, &SharedKernel), &Part)| {
            let (bodies, turn) = ([&other.bodies, &other.rotated], Turn::of(&other.turns, k));
            let stream = &turn.stream;
            other.cuda.context.bind_to_thread().map_err(&start)?;
            for piece in &l.pieces {
                let mut call = Call::new(stream, &kernel.traverse);
                l.traversal(&mut call, bodies, turn, other.units.as_ref(), (part, piece), None);
                call.start(l.grid(part, piece), Start::AfterPrevious)?;
            }
            if let Some(gathered) = gathered {
                stream.wait(gathered).map_err(&wait)?;
            }
            let (lines, own) = (part.end - part.first, other.lines_of_launch(k, l.launches.len()));
            if lines == 0 {
                return stream.record_event(None).map_err(&wait);
            }
            let mut call = Call::new(stream, &kernel.add_lines);
            call.memory(&turn.slots_i).memory(&turn.slots_j).arg(&part.lines).arg(&part.first);
            call.address(address(stream, &other.sums) + 8 * own as u64).arg(&n).arg(&stride);
            call.start(grid(n.div_ceil(32), 1, 32, lines, 0), Start::AfterPrevious)?;
            other.way.wait(&stream.record_event(None).map_err(&wait)?).map_err(&wait)?;
            let to = 8 * (l.lines_of_launch(k) + part.first as usize * line);
            let bytes = 8 * lines as usize * line;
            copy(&other.way, (&other.cuda, &other.sums, 8 * own), (&self.cuda, &l.others, to), bytes)?;
            other.way.record_event(None).map_err(&wait)
        };
        l.shared.iter().zip(&l.kernel.shared_with).zip(parts).map(start_one).collect()
    }

    /// Launches of an evaluation of what is loaded.
    pub(in crate::cuda) fn launches(&self) -> usize {
        self.loaded.as_ref().map_or(0, |l| l.launches.len() * l.pieces.len())
    }

    /// Whether what is loaded is shared with a GPU that is not this one under a second number.
    pub(in crate::cuda) fn is_on_two_gpus(&self) -> bool {
        let own = self.cuda.context.cu_device();
        self.loaded.as_ref().is_some_and(|l| l.shared.iter().any(|other| other.cuda.context.cu_device() != own))
    }

    /// Lets the watch follow an evaluation of what is loaded.
    pub(in crate::cuda) fn pacer(&self) -> Pacer<'_> {
        let pairs = self.loaded.as_ref().map_or(0, Loaded::pairs);
        Pacer::new(&self.watch, pairs, self.launches())
    }

    /// Starts a move of bodies without an evaluation, of an evaluator that is [stepping](Self::stepping).
    pub(in crate::cuda) fn start_move(&self, step: &Step) -> Result<()> {
        let Some([function, _]) = self.loaded.as_ref().and_then(|l| l.kernel.step.as_ref()) else { return Ok(()) };
        let mut call = Call::new(&self.cuda.stream, function);
        call.arg(step);
        // SAFETY: the argument is that of `move`, and its addresses are those of memory for n bodies
        unsafe { call.launch(grid(step.n.div_ceil(256), 1, 256, 1, 0), Start::AfterPrevious) }
            .map_err(failed("start a kernel"))
    }

    /// Completes the sums by those of other ranks, from GPU to GPU, and moves the bodies by them, for an evaluator that is
    /// [stepping](Self::stepping).
    ///
    /// # Errors
    /// Those of the device, and of ranks that have come apart.
    pub(in crate::cuda) fn exchange_and_move(&self, exchange: &Exchange, step: &Step) -> Result<Option<CudaEvent>> {
        let Some(l) = &self.loaded else { return Ok(None) };
        let Some([_, function]) = &l.kernel.step else { return Ok(None) };
        let (stream, stride) = (&self.cuda.stream, l.stride as u32);
        let arrived = exchange.rows(stream, &l.sums, Layout { columns: 3, ..l.layout() })?;
        stream.wait(&arrived).map_err(failed("wait for other GPUs"))?;
        let mut call = Call::new(stream, function);
        call.arg(step).memory(&l.sums).arg(&stride);
        // SAFETY: the arguments are those of `move_by_sums`, and its addresses are those of memory for n bodies
        unsafe { call.launch(grid(step.n.div_ceil(256), 1, 256, 1, 0), Start::AfterPrevious) }
            .map_err(failed("start a kernel"))?;
        Ok(Some(arrived))
    }

    /// The order in which the device does its work.
    pub(in crate::cuda) fn stream(&self) -> &Arc<CudaStream> {
        &self.cuda.stream
    }
}
