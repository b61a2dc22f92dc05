//! A series of snapshots as the source.

use crate::address::Address;
use crate::control::Control;
use crate::hello;
use crate::sample::{MAX_BODIES, Sample};
use crate::scene::{Cast, Numbers, Scene};
use crate::server::{Problem, Server, Shared};
use manybody::driver::PAUSE;
use manybody::snapshot::{self, ReadOptions};
use manybody::watch::Watch;
use manybody::{Result, Snapshot};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Snapshots a second, until a viewer says otherwise.
const SPEED: f64 = 10.0;

/// Bytes of scenes that are kept in memory.
const KEPT: usize = 1 << 30;

/// Plays snapshots.
#[derive(Debug)]
pub struct Player {
    server: Server,
    files: Vec<PathBuf>,
    options: ReadOptions,
    cast: Option<Arc<Cast>>,
    casts: u32,
    kept: HashMap<usize, (Arc<Scene>, Value)>,
    /// The words to the page about the snapshot that is shown.
    hello: Value,
    /// Those that cannot be shown, of which a notice was given.
    unreadable: HashSet<usize>,
}

impl Player {
    /// Checks `files` as far as their headers go, opens the first and shows it.
    ///
    /// # Errors
    /// Those of the files, and of [`Server::start`].
    pub fn open(files: Vec<PathBuf>, options: ReadOptions, address: &Address) -> Result<Self> {
        snapshot::check_headers(&files, &options)?;
        let server = Server::with(address, Control::new(true, None, Some(SPEED)))?;
        let mut player = Player {
            server,
            files,
            options,
            cast: None,
            casts: 0,
            kept: HashMap::new(),
            hello: Value::Null,
            unreadable: HashSet::new(),
        };
        let (scene, hello) = player.scene(0)?;
        player.server.show(&hello, true)?;
        player.hello = hello;
        player.server.shared().slot.put(scene);
        if player.files.len() == 1 {
            player.server.shared().control.pause();
        }
        Ok(player)
    }

    /// The server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Plays until `watch` asks to stop, while there are viewers; `report` gets what went wrong at the server, and which
    /// snapshots could not be shown.
    pub fn play(mut self, watch: &Watch, report: &mut dyn FnMut(&str)) {
        let last = self.files.len() - 1;
        let mut at = 0;
        while !watch.is_stopped() {
            let shared = self.server.shared();
            let goal = match shared.control.take_seek() {
                Some(index) => Some(index.min(last)),
                None if shared.slot.viewers() == 0 => None,
                None => Some(next(at, last, shared)).filter(|next| *next != at),
            };
            if let Some(index) = goal {
                at = index;
                if let Some(notice) = self.go_to(index) {
                    report(&notice);
                }
            }
            self.server.notices().iter().for_each(|text| report(text));
            std::thread::sleep(PAUSE);
        }
        self.server.close("closed");
    }

    /// Shows a snapshot, or why it cannot be shown; the first time that it cannot, a notice for the log.
    fn go_to(&mut self, index: usize) -> Option<String> {
        let found = self.scene(index);
        let problem = found.as_ref().err().map(|error| Problem { index, text: error.to_string() });
        if let Ok((scene, hello)) = found {
            if hello != self.hello {
                self.server.say_hello(&hello);
                self.hello = hello;
            }
            self.server.shared().slot.put(scene);
        }
        let is_new = |problem: &Problem| self.unreadable.insert(problem.index);
        let notice = problem.clone().filter(is_new).map(|problem| format!("live view: {}", problem.text));
        self.server.shared().status.send_modify(|status| status.problem = problem);
        notice
    }

    fn read(&self, index: usize) -> Result<Snapshot> {
        let path = &self.files[index];
        let snapshot = snapshot::read_with(path, &self.options)?.snapshot;
        if snapshot.bodies.is_empty() {
            return Err(snapshot::nothing_to_show(path));
        }
        Ok(snapshot)
    }

    /// The scene of a snapshot, and the words to the page about it.
    fn scene(&mut self, index: usize) -> Result<(Arc<Scene>, Value)> {
        match self.kept.get(&index) {
            Some(kept) => Ok(kept.clone()),
            None => self.read(index).map(|snapshot| self.keep(index, &snapshot)),
        }
    }

    /// The scene of a snapshot, with the cast of the one before, where its bodies have the same.
    fn keep(&mut self, index: usize, snapshot: &Snapshot) -> (Arc<Scene>, Value) {
        let bodies = &snapshot.bodies;
        let numbers = Numbers { index: index as f64, ..Numbers::of(snapshot) };
        let places = self.cast.as_ref().and_then(|cast| cast.places(bodies));
        let scene = match (&self.cast, places) {
            (Some(cast), Some(places)) => Scene::at(cast, &places, bodies, numbers),
            _ => {
                self.casts += 1;
                let cast = Arc::new(Cast::of(self.casts, bodies, Sample::of(bodies, MAX_BODIES)));
                Scene::of(self.cast.insert(cast), bodies, numbers)
            }
        };
        let kept = (Arc::new(scene), hello::of_snapshots(snapshot, &self.files));
        if (self.kept.len() + 1) * 48 * kept.0.cast.len() > KEPT {
            self.kept.clear();
        }
        self.kept.insert(index, kept.clone());
        kept
    }
}

/// Where to go from a place: on, and at the end stop; from the end, where play is pressed again, to the beginning.
fn next(at: usize, last: usize, shared: &Shared) -> usize {
    let steps = usize::try_from(shared.control.take_steps()).unwrap_or(usize::MAX);
    let next = match steps {
        0 => return at,
        _ if at == last => 0,
        steps => last.min(at.saturating_add(steps)),
    };
    if next == last {
        shared.control.pause();
        shared.status.send_modify(|_| {});
    }
    next
}
