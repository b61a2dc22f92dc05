//! A series of snapshots as the source.

use crate::address::Address;
use crate::control::Control;
use crate::hello;
use crate::sample::{MOST_BODIES, Sample};
use crate::scene::{Cast, Numbers, Scene};
use crate::server::{Server, Shared};
use manybody::driver::PAUSE;
use manybody::snapshot::{self, ReadOptions};
use manybody::watch::Watch;
use manybody::{Error, Result, Snapshot};
use std::collections::HashMap;
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
    kept: HashMap<usize, Arc<Scene>>,
}

impl Player {
    /// Opens the first of `files` and shows it.
    ///
    /// # Errors
    /// Those of the file, and of [`Server::start`].
    pub fn open(files: Vec<PathBuf>, options: ReadOptions, address: &Address) -> Result<Self> {
        let server = Server::with(address, Control::new(true, None, Some(SPEED)))?;
        let mut player = Player { server, files, options, cast: None, casts: 0, kept: HashMap::new() };
        let first = player.read(0)?;
        let hello = hello::of_snapshots(&first, &player.files);
        let scene = player.keep(0, &first);
        player.server.show(&hello, true)?;
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

    /// Plays until `watch` asks to stop, while there are viewers; `report` gets what went wrong at the server.
    ///
    /// # Errors
    /// Those of the files.
    pub fn play(mut self, watch: &Watch, report: &mut dyn FnMut(&str)) -> Result<()> {
        let last = self.files.len() - 1;
        let mut at = 0;
        while !watch.is_stopped() {
            let shared = self.server.shared();
            let next = match shared.control.take_seek() {
                Some(index) => index.min(last),
                None if shared.slot.viewers() == 0 => at,
                None => next(at, last, shared),
            };
            if next != at {
                at = next;
                let scene = self.scene(at)?;
                self.server.shared().slot.put(scene);
            }
            self.server.notices().iter().for_each(|text| report(text));
            std::thread::sleep(PAUSE);
        }
        self.server.close("closed");
        Ok(())
    }

    fn read(&self, index: usize) -> Result<Snapshot> {
        let path = &self.files[index];
        let snapshot = snapshot::read_with(path, &self.options)?.snapshot;
        if snapshot.bodies.is_empty() {
            let problem = "it has no bodies, and there is nothing to show".into();
            return Err(Error::Field { path: path.clone(), field: "bodies".into(), problem });
        }
        Ok(snapshot)
    }

    fn scene(&mut self, index: usize) -> Result<Arc<Scene>> {
        match self.kept.get(&index) {
            Some(scene) => Ok(scene.clone()),
            None => self.read(index).map(|snapshot| self.keep(index, &snapshot)),
        }
    }

    /// The scene of a snapshot, with the bodies of the one before, found by their ids, where they are all there.
    fn keep(&mut self, index: usize, snapshot: &Snapshot) -> Arc<Scene> {
        let bodies = &snapshot.bodies;
        let numbers = Numbers { index: index as f64, ..Numbers::of(snapshot) };
        let places = self.cast.as_ref().and_then(|cast| places(cast, &bodies.id));
        let scene = match (&self.cast, places) {
            (Some(cast), Some(places)) => Scene::at(cast, &places, bodies, numbers),
            _ => {
                self.casts += 1;
                let cast = Arc::new(Cast::of(self.casts, bodies, Sample::of(bodies, MOST_BODIES)));
                Scene::of(self.cast.insert(cast), bodies, numbers)
            }
        };
        let scene = Arc::new(scene);
        if (self.kept.len() + 1) * 48 * scene.cast.len() > KEPT {
            self.kept.clear();
        }
        self.kept.insert(index, scene.clone());
        scene
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

/// The places of the bodies of a cast among these ids, which are most often those that they had; `None` where one is missing.
fn places(cast: &Cast, ids: &[u64]) -> Option<Vec<u32>> {
    let own = cast.id.iter().zip(&cast.sample.indices);
    if own.clone().all(|(id, i)| ids.get(*i as usize) == Some(id)) {
        return Some(cast.sample.indices.clone());
    }
    let places: HashMap<u64, u32> = ids.iter().enumerate().map(|(i, id)| (*id, i as u32)).collect();
    cast.id.iter().map(|id| places.get(id).copied()).collect()
}
