//! The server: one thread for all connections, and their limits.

use crate::address::Address;
use crate::budget::Rate;
use crate::control::Control;
use crate::door;
use crate::encoder::{self, Frame, Slot};
use crate::message::MAX_BYTES;
use crate::notices::{Notices, Trouble};
use crate::token::Token;
use crate::viewer;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use manybody::watch::Watch;
use manybody::{Error, Result};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

/// Connections that have not become viewers, at most: beyond it the oldest is dropped.
const MAX_STRANGERS: usize = 64;

/// Viewers, at most.
const MAX_VIEWERS: usize = 32;

/// New connections in a second, at most, and those that may come at once after a quiet time: the pages of all viewers.
/// Others wait in the system's queue, where they cost nothing. A request that is refused takes about 0.2 ms of the thread.
const CONNECTIONS: u32 = 50;
const AT_ONCE: u32 = 128;

/// The longest that a request may take to arrive, and an answer to be taken, by a slow link.
const HEAD: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(60);

/// The longest that viewers get for the last frame.
const FAREWELL: Duration = Duration::from_secs(1);

/// The page, made by scripts/page.sh.
const PAGE: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/page.css");
const SCRIPT: &str = include_str!("../page/page.js");

/// What all threads of a server share.
pub(crate) struct Shared {
    pub(crate) address: Address,
    pub(crate) token: Token,
    pub(crate) control: Control,
    pub(crate) slot: Arc<Slot>,
    /// What there is to look at, as soon as it is known.
    pub(crate) hello: watch::Sender<Option<String>>,
    pub(crate) frames: watch::Sender<Option<Arc<Frame>>>,
    /// Changes, too, where viewers have controlled the run.
    pub(crate) status: watch::Sender<Status>,
    pub(crate) notices: Notices,
    strangers: Mutex<Strangers>,
}

/// What viewers hear besides frames.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// How the run has ended.
    ended: Option<String>,
    /// Why the snapshot that is asked for is not shown.
    pub(crate) problem: Option<Problem>,
}

/// A snapshot that cannot be shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    /// Its place in the series.
    pub(crate) index: usize,
    pub(crate) text: String,
}

/// Connections that have not become viewers, the oldest first.
#[derive(Debug, Default)]
struct Strangers {
    next: u64,
    present: VecDeque<(u64, AbortHandle)>,
}

impl Shared {
    pub(crate) fn has_ended(&self) -> bool {
        self.status.borrow().ended.is_some()
    }

    /// The state of the run as viewers see it.
    pub(crate) fn status_text(&self) -> String {
        let shown = self.control.shown();
        let status = self.status.borrow();
        let problem = status.problem.as_ref();
        json!({ "status": {
            "playing": shown.playing,
            "speed": shown.speed,
            "viewers": self.slot.viewers(),
            "ended": status.ended,
            "problem": problem.map(|problem| json!({ "index": problem.index, "text": problem.text })),
        }})
        .to_string()
    }

    fn strangers(&self) -> MutexGuard<'_, Strangers> {
        self.strangers.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A server under way. Nothing that is done with it waits for a viewer.
pub struct Server {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
    encoder: Option<JoinHandle<()>>,
    over: watch::Sender<bool>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.shared.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Listens. Viewers may control the run, and stop it by this watch of its, where one is given.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an address where that is not possible, [`Error::Device`] without threads.
    pub fn start(address: &Address, control: Option<Watch>) -> Result<Self> {
        Self::with(address, Control::new(control.is_some(), control, None))
    }

    pub(crate) fn with(address: &Address, control: Control) -> Result<Self> {
        let listener = address.listen()?;
        let local = listener.local_addr().map_err(failed)?;
        let shared = Arc::new(Shared {
            address: address.at(local.port()),
            token: Token::new()?,
            control,
            slot: Arc::default(),
            hello: watch::channel(None).0,
            frames: watch::channel(None).0,
            status: watch::channel(Status::default()).0,
            notices: Notices::default(),
            strangers: Mutex::default(),
        });
        if !local.ip().is_loopback() {
            shared.notices.note(Trouble::Open);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let (over, is_over) = watch::channel(false);
        let own = shared.clone();
        let serve = move || runtime.block_on(listen(listener, own, is_over));
        let thread = Builder::new().name("live-server".into()).spawn(serve).map_err(failed)?;
        Ok(Server { shared, thread, encoder: None, over })
    }

    /// The address to type into a browser, with the token; where other machines can connect, on these, too.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.shared.address.reachable(), self.shared.token.text())
    }

    /// Pauses: no step is made until a viewer plays. Before the run begins, its first one waits.
    pub fn pause(&self) {
        self.shared.control.pause();
        self.shared.status.send_modify(|_| {});
    }

    /// Whether anyone has looked on.
    pub fn had_viewer(&self) -> bool {
        self.shared.slot.had_viewer()
    }

    /// What went wrong since the last call, each kind once.
    pub fn notices(&self) -> Vec<String> {
        self.shared.notices.take()
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// From now on there is something to look at. `is_idle`: the cores of this machine have nothing else to do.
    ///
    /// # Errors
    /// [`Error::Device`] where no thread can be started.
    pub(crate) fn show(&mut self, hello: &Value, is_idle: bool) -> Result<()> {
        let shared = self.shared.clone();
        let encode = move || {
            encoder::run(&shared.slot, is_idle, |frame| {
                shared.frames.send_replace(Some(frame));
            });
        };
        self.encoder = Some(Builder::new().name("live-frames".into()).spawn(encode).map_err(failed)?);
        self.say_hello(hello);
        Ok(())
    }

    /// Says, also to viewers that are there already, what there is to look at.
    pub(crate) fn say_hello(&self, hello: &Value) {
        self.shared.hello.send_replace(Some(hello.to_string()));
    }

    /// Shows viewers the last scene and how the run has ended, for at most a second, and closes.
    pub fn close(self, how: &str) {
        self.shared.slot.close();
        // a thread that has panicked has said so
        let _ = self.encoder.map(JoinHandle::join);
        self.shared.status.send_modify(|status| status.ended = Some(how.into()));
        self.over.send_replace(true);
        let _ = self.thread.join();
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::Device { device: "server", problem: format!("the live view cannot be started: {error}") }
}

/// Takes connections until the server is over.
async fn listen(listener: std::net::TcpListener, shared: Arc<Shared>, mut over: watch::Receiver<bool>) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    let router = router(&shared);
    let mut rate = Rate::new(CONNECTIONS, AT_ONCE, Instant::now());
    loop {
        let wait = rate.wait(Instant::now());
        let next = async {
            sleep(wait).await;
            listener.accept().await
        };
        tokio::select! {
            connection = next => match connection {
                Ok((stream, _)) => {
                    rate.pass(Instant::now());
                    if !wait.is_zero() {
                        shared.notices.note(Trouble::Rate);
                    }
                    admit(stream, &router, &shared);
                }
                // too many open files: some will be closed
                Err(_) => sleep(Duration::from_millis(50)).await,
            },
            _ = over.changed() => break,
        }
    }
    let farewell = async {
        while shared.slot.viewers() > 0 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    let _ = timeout(FAREWELL, farewell).await;
}

/// Serves a connection in a task of its own; where there are too many, the oldest that is no viewer is dropped.
fn admit(stream: TcpStream, router: &Router, shared: &Arc<Shared>) {
    let mut strangers = shared.strangers();
    let number = strangers.next;
    strangers.next += 1;
    let task = tokio::spawn(serve(stream, router.clone(), shared.clone(), number));
    strangers.present.push_back((number, task.abort_handle()));
    if strangers.present.len() > MAX_STRANGERS
        && let Some((_, oldest)) = strangers.present.pop_front()
    {
        oldest.abort();
        shared.notices.note(Trouble::Crowd);
    }
}

/// One request, and its answer; a viewer goes on in another task.
async fn serve(stream: TcpStream, router: Router, shared: Arc<Shared>, number: u64) {
    let _ = stream.set_nodelay(true); // frames are written whole
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(1 << 14)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    match timeout(ANSWER, connection).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) if error.is_incomplete_message() => {}
        _ => shared.notices.note(Trouble::Request),
    }
    shared.strangers().present.retain(|(own, _)| *own != number);
}

fn router(shared: &Arc<Shared>) -> Router {
    let file = |kind: &'static str, text: Bytes| get(move || async move { ([(CONTENT_TYPE, kind)], text) });
    // a browser asks for the files of the page with the token, too: without it nothing is sent
    let with_token = |page: String, name: &str| page.replace(name, &format!("{name}?token={}", shared.token.text()));
    let page = ["page.css", "page.js"].into_iter().fold(PAGE.to_owned(), with_token);
    Router::new()
        .route("/", file("text/html; charset=utf-8", page.into()))
        .route("/page.css", file("text/css; charset=utf-8", Bytes::from_static(STYLE.as_bytes())))
        .route("/page.js", file("text/javascript; charset=utf-8", Bytes::from_static(SCRIPT.as_bytes())))
        .route("/live", get(live))
        .layer(from_fn_with_state(shared.clone(), door::check))
        .with_state(shared.clone())
}

/// A viewer.
async fn live(State(shared): State<Arc<Shared>>, upgrade: WebSocketUpgrade) -> Response {
    if shared.slot.viewers() >= MAX_VIEWERS {
        shared.notices.note(Trouble::Viewers);
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many viewers.").into_response();
    }
    let present = shared.slot.enter();
    upgrade
        .max_message_size(MAX_BYTES)
        .max_frame_size(MAX_BYTES)
        .on_upgrade(move |socket| viewer::serve(socket, shared, present))
}
