//! The live view: `run --serve`, `--control` and `view`, with viewers good and bad.
#![cfg(all(unix, feature = "serve"))]

mod common;

use common::Place;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::http::HeaderValue;
use tungstenite::protocol::WebSocket;
use tungstenite::{Message, client};

/// What a busy machine may take for what takes a moment.
const PATIENCE: Duration = Duration::from_secs(60);

/// A command that serves.
struct Served {
    child: Child,
    /// "127.0.0.1:4000"
    host: String,
    token: String,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        BufReader::new(stream).lines().map_while(Result::ok).for_each(|line| drop(send.send(line)));
    });
    receive
}

impl Served {
    fn start(place: &Place, words: &str) -> Self {
        let mut child =
            place.command(words).arg("--json").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdout, stderr) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        let first: Value = serde_json::from_str(&stdout.recv_timeout(PATIENCE).unwrap()).unwrap();
        assert_eq!(first["event"], "serve");
        let (host, token) =
            first["url"].as_str().unwrap().strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
        Served { host: host.into(), token: token.into(), child, stdout, stderr }
    }

    /// Waits for the end: the exit status, and stderr.
    fn end(mut self) -> (Option<i32>, String) {
        let begin = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status.code(),
                None if begin.elapsed() > 2 * PATIENCE => panic!("does not end: {:?}", self.stderr.try_iter().last()),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        let text: Vec<String> = self.stderr.iter().collect();
        let _ = self.stdout.iter().count();
        (status, text.join("\n"))
    }

    /// Ends the command as Ctrl-C does.
    fn interrupt(self) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        self.end()
    }

    fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// A request with these headers: status and whole answer.
    fn get(&self, path: &str, headers: &str) -> (u16, String) {
        let mut stream = self.stream();
        write!(stream, "GET {path} HTTP/1.1\r\n{headers}\r\n").unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        (status.unwrap_or_else(|| panic!("no answer: {answer}")), answer)
    }

    fn connect(&self, token: &str, origin: Option<&str>) -> Result<Viewer, String> {
        let mut request = format!("ws://{}/live?token={token}", self.host).into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", HeaderValue::from_str(origin).unwrap());
        }
        let (socket, _) = client(request, self.stream()).map_err(|error| error.to_string())?;
        Ok(Viewer { socket, cast: None, confirms: true })
    }

    fn viewer(&self) -> Viewer {
        self.connect(&self.token, Some(&format!("http://{}", self.host))).unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

struct Viewer {
    socket: WebSocket<TcpStream>,
    cast: Option<Cast>,
    confirms: bool,
}

#[derive(Debug)]
struct Cast {
    id: Vec<f64>,
    mass: Vec<f32>,
}

#[derive(Debug)]
struct Frame {
    header: Vec<f64>,
    position: Vec<[f64; 3]>,
    speed: Vec<u8>,
    bytes: usize,
}

impl Frame {
    fn step(&self) -> f64 {
        self.header[0]
    }

    fn time(&self) -> f64 {
        self.header[1]
    }
}

enum Heard {
    Frame(Frame),
    Words(Value),
}

fn floats(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap())).collect()
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn frame(bytes: &[u8]) -> Frame {
    let n = word(bytes, 12) as usize;
    let header = floats(&bytes[16..208]);
    let (corner, edge) = (&header[8..11], header[11]);
    let place = |chunk: &[u8]| {
        let words = u64::from_le_bytes(chunk.try_into().unwrap());
        [0, 1, 2].map(|k| corner[k] + ((words >> (21 * k)) & 0x1f_ffff) as f64 * edge / f64::from((1 << 21) - 1))
    };
    let position = bytes[208..208 + 8 * n].chunks_exact(8).map(place).collect();
    assert_eq!(bytes.len(), 208 + 10 * n);
    Frame { position, speed: bytes[208 + 8 * n..208 + 9 * n].to_vec(), header, bytes: bytes.len() }
}

impl Viewer {
    fn say(&mut self, words: &Value) {
        self.socket.send(Message::text(words.to_string())).unwrap();
    }

    /// The next message; `None` where the server has ended the connection.
    fn hear(&mut self) -> Option<Heard> {
        loop {
            let bytes = match self.socket.read() {
                Ok(Message::Text(text)) => return Some(Heard::Words(serde_json::from_str(&text).unwrap())),
                Ok(Message::Binary(bytes)) => bytes,
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => continue,
            };
            if bytes.starts_with(b"mbC1") {
                let n = word(&bytes, 8) as usize;
                let mass = bytes[16 + 8 * n..16 + 12 * n].chunks_exact(4);
                let mass = mass.map(|chunk| f32::from_le_bytes(chunk.try_into().unwrap())).collect();
                self.cast = Some(Cast { id: floats(&bytes[16..16 + 8 * n]), mass });
                continue;
            }
            assert!(bytes.starts_with(b"mbF1"));
            if self.confirms {
                let _ = self.socket.send(Message::text(json!({ "got": word(&bytes, 8) }).to_string()));
            }
            return Some(Heard::Frame(frame(&bytes)));
        }
    }

    /// The first frame for which `good` holds.
    fn frame(&mut self, good: impl Fn(&Frame) -> bool) -> Frame {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            match self.hear() {
                Some(Heard::Frame(frame)) if good(&frame) => return frame,
                Some(_) => {}
                None => panic!("the connection has ended"),
            }
        }
        panic!("no such frame");
    }

    /// The first words under this name for which `good` holds.
    fn words(&mut self, name: &str, good: impl Fn(&Value) -> bool) -> Value {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            match self.hear() {
                Some(Heard::Words(words)) if words.get(name).is_some_and(&good) => return words[name].clone(),
                Some(_) => {}
                None => panic!("the connection has ended"),
            }
        }
        panic!("no such words");
    }

    /// Whether the server ends the connection.
    fn is_dropped(&mut self) -> bool {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if self.hear().is_none() {
                return true;
            }
        }
        false
    }
}

/// A run that takes hours, until it is stopped.
const LONG: &str = "run --ic plummer -n 1024 --dt 1/1024 --t-end 1000 --serve --control --device cpu";

#[test]
fn a_run_has_the_same_bytes_under_the_eyes_of_viewers() {
    let words = "run --ic plummer -n 256 --dt 1/256 --t-end 1 --snapshot-every 1/4 --log 1/8 --device cpu";
    let (alone, watched) = (Place::new(), Place::new());
    alone.good(words);
    let served = Served::start(&watched, &format!("{words} --serve --control"));
    let mut viewer = served.viewer();
    viewer.say(&json!("pause"));
    viewer.words("status", |status| status["playing"] == false);
    (0..3).for_each(|_| viewer.say(&json!("step")));
    viewer.say(&json!({ "speed": 200.0 }));
    viewer.say(&json!("play"));
    let half = viewer.frame(|frame| frame.time() > 0.5);
    assert_eq!(half.position.len(), 256);
    viewer.say(&json!({ "speed": null }));
    let ended = viewer.words("status", |status| !status["ended"].is_null());
    assert_eq!(ended["ended"], "finished");
    let (status, text) = served.end();
    assert_eq!(status, Some(0), "{text}");
    alone.assert_same_files(&watched, "with a live view");
}

#[test]
fn frames_show_the_bodies_of_the_file() {
    let place = Place::new();
    place.good("ic plummer -n 1000 --seed 5 -o a.hdf5");
    let bodies = manybody::snapshot::read(place.path("a.hdf5")).unwrap().bodies;
    let served = Served::start(&place, "view a.hdf5");
    let mut viewer = served.viewer();
    let hello = viewer.words("hello", |_| true);
    assert_eq!((&hello["bodies"], &hello["kind"]), (&json!(1000), &json!("snapshots")));
    let frame = viewer.frame(|_| true);
    let cast = viewer.cast.as_ref().unwrap();
    assert_eq!((frame.position.len(), cast.id.len()), (1000, 1000));
    // half a cell of the box, and what rounding of f64 adds
    let most = 0.5 * frame.header[11] / f64::from((1 << 21) - 1) + 1e-12;
    let (_, drift) = bodies.center_of_mass();
    let [low, high] = [frame.header[18], frame.header[19]];
    for i in 0..1000 {
        for (shown, own) in frame.position[i].into_iter().zip(bodies.position(i)) {
            assert!((shown - own).abs() <= most, "{i}: {shown} {own}");
        }
        assert_eq!((cast.id[i], cast.mass[i]), (bodies.id[i] as f64, bodies.mass[i] as f32));
        let v = bodies.velocity(i);
        let speed = [0, 1, 2].map(|k| (v[k] - drift[k]) * (v[k] - drift[k])).iter().sum::<f64>().sqrt();
        let level = 255.0 * ((speed - low) / (high - low)).clamp(0.0, 1.0);
        assert!((level - f64::from(frame.speed[i])).abs() <= 0.5 + 1e-6, "{i}: {level}");
    }
    viewer.say(&json!({ "body": 7 }));
    let body = viewer.words("body", |_| true);
    for (k, q) in bodies.position(7).into_iter().enumerate() {
        // serde_json reads to the last bit but one
        assert!((body["position"][k].as_f64().unwrap() - q).abs() <= f64::EPSILON * q.abs(), "{body}");
    }
    assert_eq!(body["id"], json!(bodies.id[7].to_string()));
    viewer.say(&json!({ "body": 1000 }));
    assert!(viewer.words("body", |_| true).is_null());
    assert_eq!(served.interrupt().0, Some(130));
}

#[test]
fn a_series_is_played_and_sought() {
    let place = Place::new();
    place.good("run --ic plummer -n 200 --t-end 1 --snapshot-every 1/4 --device cpu --out b.hdf5");
    let served = Served::start(&place, "view b.0000.hdf5 b.0001.hdf5 b.0002.hdf5 b.0003.hdf5 b.hdf5");
    let mut viewer = served.viewer();
    assert_eq!(viewer.words("hello", |_| true)["files"].as_array().unwrap().len(), 5);
    let last = viewer.frame(|frame| frame.header[7] == 4.0);
    assert_eq!((last.time(), last.step()), (1.0, 128.0));
    // energy and its error as the run has kept them
    let meta = manybody::snapshot::read(place.path("b.hdf5")).unwrap().meta;
    assert_eq!(last.header[5].to_string(), meta["run.error.energy"].parse::<f64>().unwrap().to_string());
    viewer.words("status", |status| status["playing"] == false);
    viewer.say(&json!({ "seek": 2 }));
    assert_eq!(viewer.frame(|frame| frame.header[7] == 2.0).time(), 0.5);
    viewer.say(&json!("step"));
    assert_eq!(viewer.frame(|frame| frame.header[7] == 3.0).time(), 0.75);
    viewer.say(&json!({ "seek": 99 }));
    viewer.frame(|frame| frame.header[7] == 4.0);
    viewer.say(&json!("play"));
    viewer.frame(|frame| frame.header[7] == 0.0);
    drop(served);
    let error = place.bad("view b.hdf5 missing.hdf5 --serve nonsense", 2, &["--serve", "must be a port"]);
    assert!(!error.contains("live view:"));
    place.bad("view missing.hdf5", 2, &["missing.hdf5"]);
}

#[test]
fn viewers_control_a_run_only_where_they_may() {
    let place = Place::new();
    let served = Served::start(&place, "run --ic plummer -n 256 --dt 1/512 --t-end 8 --serve --device cpu");
    let mut viewer = served.viewer();
    assert_eq!(viewer.words("hello", |_| true)["control"], false);
    for ask in [json!("pause"), json!("stop"), json!("step"), json!({ "speed": 1.0 }), json!({ "seek": 0 })] {
        viewer.say(&ask);
        assert!(viewer.words("refused", |_| true).as_str().unwrap().contains("--control"));
    }
    viewer.frame(|frame| frame.time() > 0.0);
    assert_eq!(served.end().0, Some(0));

    let served = Served::start(&place, LONG);
    let (mut viewer, mut second) = (served.viewer(), served.viewer());
    viewer.say(&json!("pause"));
    second.words("status", |status| status["playing"] == false);
    let still = viewer.frame(|_| true);
    // the last frame before the pause
    let mut step = still.step();
    while let Some(Heard::Frame(frame)) = {
        viewer.socket.get_ref().set_read_timeout(Some(Duration::from_millis(700))).unwrap();
        match viewer.hear() {
            Some(Heard::Words(_)) => None, // the heartbeat, after a second without frames
            heard => heard,
        }
    } {
        step = frame.step();
    }
    viewer.socket.get_ref().set_read_timeout(Some(PATIENCE)).unwrap();
    for k in 1..=3 {
        viewer.say(&json!("step"));
        let next = viewer.frame(|frame| frame.step() > step);
        assert_eq!(next.step(), step + 1.0, "step {k}");
        step = next.step();
    }
    // a viewer who comes in a pause sees the present state
    assert_eq!(served.viewer().frame(|_| true).step(), step);
    viewer.say(&json!({ "speed": 50.0 }));
    viewer.say(&json!("play"));
    let begin = (Instant::now(), viewer.frame(|frame| frame.step() > step).step());
    let later = viewer.frame(|frame| frame.step() >= begin.1 + 50.0);
    // a second at least, but for what is caught up, a tenth
    assert!(begin.0.elapsed() > Duration::from_millis(800), "{:?}", begin.0.elapsed());
    assert!(later.header[2] < 200.0, "{} steps a second", later.header[2]);
    viewer.say(&json!("stop"));
    let ended = viewer.words("status", |status| !status["ended"].is_null());
    assert_eq!(ended["ended"], "interrupted");
    let (status, text) = served.end();
    assert_eq!(status, Some(130), "{text}");
    assert!(text.contains("--resume"), "{text}");
}

#[test]
fn an_energy_error_is_shown_as_soon_as_it_is_measured() {
    let place = Place::new();
    // it is measured every hundredth of a run
    let words = "run --ic plummer -n 256 --dt 1/512 --t-end 100 --serve --control --paused --device cpu";
    let served = Served::start(&place, words);
    let mut viewer = served.viewer();
    assert_eq!(viewer.frame(|_| true).header[5], 0.0);
    viewer.say(&json!("play"));
    // NaN until then: it is not 0 any more
    let known = viewer.frame(|frame| {
        let error = frame.header[5];
        assert!(frame.step() == 0.0 || error != 0.0, "an error that was not measured, at step {}", frame.step());
        frame.step() > 0.0 && !error.is_nan()
    });
    assert!(known.header[5].abs() < 1e-3 && known.header[4] < 0.0, "{:?}", &known.header[4..6]);
}

#[test]
fn a_run_begins_paused_where_that_is_asked_for() {
    let place = Place::new();
    let served = Served::start(&place, &format!("{LONG} --paused"));
    let mut viewer = served.viewer();
    assert_eq!(viewer.words("status", |_| true)["playing"], false);
    // a viewer gets the initial conditions, and a heartbeat later nothing has moved
    assert_eq!(viewer.frame(|_| true).step(), 0.0);
    viewer.words("status", |_| true);
    viewer.words("status", |_| true);
    assert_eq!(served.viewer().frame(|_| true).step(), 0.0);
    viewer.say(&json!("step"));
    assert_eq!(viewer.frame(|frame| frame.step() > 0.0).step(), 1.0);
    viewer.say(&json!("play"));
    viewer.frame(|frame| frame.step() > 10.0);
    assert_eq!(served.interrupt().0, Some(130));

    // who begins paused and ends it has the initial conditions in a file, and no later ones
    let served = Served::start(&place, &format!("{LONG} --paused --out never.hdf5"));
    served.viewer().frame(|_| true);
    assert_eq!(served.interrupt().0, Some(130));
    let kept = place.names().into_iter().filter(|name| name.starts_with("never")).collect::<Vec<_>>();
    for name in kept.iter().filter(|name| name.ends_with(".hdf5")) {
        assert_eq!(manybody::snapshot::read(place.path(name)).unwrap().time, 0.0, "{name}");
    }

    // no viewer could play it
    place.bad("run --paused", 2, &["--control"]);
    place.bad("run --serve --paused", 2, &["--control"]);
}

#[test]
fn snapshots_begin_paused_where_that_is_asked_for() {
    let place = Place::new();
    place.good("ic plummer -n 100 -o a.hdf5");
    let served = Served::start(&place, "view a.hdf5 a.hdf5 a.hdf5 --paused");
    let mut viewer = served.viewer();
    assert_eq!(viewer.words("status", |_| true)["playing"], false);
    assert_eq!(viewer.frame(|_| true).header[7], 0.0);
    viewer.words("status", |_| true);
    viewer.words("status", |_| true);
    assert_eq!(served.viewer().frame(|_| true).header[7], 0.0);
    viewer.say(&json!("play"));
    viewer.frame(|frame| frame.header[7] == 2.0);
}

#[test]
fn a_pause_ends_by_ctrl_c() {
    let place = Place::new();
    let served = Served::start(&place, LONG);
    let mut viewer = served.viewer();
    viewer.frame(|frame| frame.step() > 0.0);
    viewer.say(&json!("pause"));
    viewer.words("status", |status| status["playing"] == false);
    let (status, text) = served.interrupt();
    assert_eq!(status, Some(130), "{text}");
    assert!(place.names().iter().any(|name| name.ends_with(".hdf5")), "{:?}", place.names());
}

#[test]
fn who_has_no_token_or_comes_from_elsewhere_is_refused() {
    let place = Place::new();
    let served = Served::start(&place, LONG);
    let (host, token) = (served.host.clone(), served.token.clone());
    let own = format!("Host: {host}\r\n");
    let (status, page) = served.get(&format!("/?token={token}"), &own);
    assert_eq!(status, 200, "{page}");
    for header in
        ["content-security-policy: default-src 'none'", "x-content-type-options: nosniff", "cache-control: no-store"]
    {
        assert!(page.contains(header), "{header} in {page}");
    }
    assert_eq!(served.get("/page.js", &own).0, 200);
    assert_eq!(served.get(&format!("/other?token={token}"), &own).0, 404);
    // an ssh tunnel has another port
    assert_eq!(served.get(&format!("/?token={token}"), "Host: localhost:8080\r\n").0, 200);
    for _ in 0..3 {
        let wrong = "0".repeat(32);
        for path in ["/", "/?token=", &format!("/?token={wrong}"), "/live", &format!("/live?token={wrong}")] {
            assert_eq!(served.get(path, &own).0, 403, "{path}");
        }
        // DNS rebinding: the page of another site whose name now leads here
        for headers in ["Host: evil.example:80\r\n", "", "Host: a\r\nHost: b\r\n"] {
            assert_eq!(served.get(&format!("/?token={token}"), headers).0, 403, "{headers}");
        }
        let evil = format!("{own}Origin: http://evil.example\r\n");
        assert_eq!(served.get(&format!("/?token={token}"), &evil).0, 403);
    }
    assert!(served.connect(&"0".repeat(32), None).is_err());
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert!(served.connect(&token, Some(origin)).is_err(), "{origin}");
    }
    // a program, which has no origin
    served.connect(&token, None).unwrap().frame(|_| true);
    let (status, text) = served.interrupt();
    assert_eq!(status, Some(130));
    for part in ["with a wrong token", "under a name that is not this server's", "from a page of another site"] {
        assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
    }
}

#[test]
fn bad_messages_end_their_viewer_alone() {
    let place = Place::new();
    let served = Served::start(&place, LONG);
    let mut good = served.viewer();
    type Act = Box<dyn Fn(&mut Viewer)>;
    let bad: Vec<(&str, Act)> = vec![
        ("more than 1,024 bytes", Box::new(|viewer| viewer.say(&json!("x".repeat(2000))))),
        ("more than 1,024 bytes", Box::new(|viewer| drop(viewer.socket.send(Message::binary(vec![0; 1 << 20]))))),
        ("a malformed message", Box::new(|viewer| viewer.say(&json!("fly")))),
        ("a malformed message", Box::new(|viewer| viewer.socket.send(Message::text("{")).unwrap())),
        ("a malformed message", Box::new(|viewer| viewer.socket.send(Message::binary(vec![1, 2])).unwrap())),
        ("a malformed message", Box::new(|viewer| viewer.say(&json!({ "got": 4_000_000_000_u32 })))),
        ("a malformed message", Box::new(|viewer| viewer.socket.get_mut().write_all(&[0xff; 64]).unwrap())),
        (
            "more than 300 messages",
            Box::new(|viewer| {
                (0..1000).for_each(|_| drop(viewer.socket.send(Message::text(r#"{"body":0}"#))));
            }),
        ),
    ];
    for (_, act) in &bad {
        let mut viewer = served.viewer();
        act(&mut viewer);
        assert!(viewer.is_dropped());
    }
    // no HTTP at all
    let mut stream = served.stream();
    let _ = stream.write_all(&[0x16; 100_000]);
    let _ = stream.read_to_end(&mut Vec::new());
    let before = good.frame(|_| true).step();
    good.frame(|frame| frame.step() > before + 10.0);
    let (status, text) = served.interrupt();
    assert_eq!(status, Some(130));
    for (part, _) in &bad {
        assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
    }
}

#[test]
fn slow_and_vanished_viewers_are_dropped() {
    let place = Place::new();
    let served = Served::start(&place, LONG);
    let mut good = served.viewer();
    let mut slow = served.viewer();
    slow.confirms = false;
    let mut deaf = served.viewer(); // takes not even what was sent
    deaf.confirms = false;
    let gone: Vec<Viewer> = (0..5).map(|_| served.viewer()).collect();
    good.words("status", |status| status["viewers"] == 8);
    gone.into_iter().for_each(|viewer| drop(viewer.socket));
    good.words("status", |status| status["viewers"] == 3);
    // ten seconds later
    let begin = Instant::now();
    let slow = std::thread::spawn(move || std::iter::from_fn(|| slow.hear()).count());
    // meanwhile the good one confirms
    good.words("status", |status| status["viewers"] == 1);
    assert!(begin.elapsed() > Duration::from_secs(5));
    // three frames and the heartbeats
    assert!(slow.join().unwrap() < 100, "sent without confirmation");
    drop(deaf);
    let (status, text) = served.interrupt();
    assert_eq!(status, Some(130));
    assert_eq!(text.matches("confirmed no frame for ten seconds").count(), 1, "{text}");
}

#[test]
fn a_million_bodies_are_thinned_for_the_link() {
    let place = Place::new();
    // 200,000 are enough to see it: the bodies that are shown do not depend on the number
    place.good("ic plummer -n 200000 -o a.hdf5");
    place.good("ic plummer -n 200000 -o b.hdf5");
    let served = Served::start(&place, "view a.hdf5 b.hdf5 a.hdf5 b.hdf5");
    let mut viewer = served.viewer();
    assert_eq!(viewer.words("hello", |_| true)["bodies"], 200_000);
    viewer.say(&json!({ "speed": 1000.0 }));
    let begin = Instant::now();
    let mut bytes = 0;
    let mut frames = 0;
    while begin.elapsed() < Duration::from_secs(3) {
        viewer.say(&json!({ "seek": frames % 4 }));
        let frame = viewer.frame(|_| true);
        assert_eq!(frame.position.len(), 60_000);
        bytes += frame.bytes;
        frames += 1;
    }
    let rate = bytes as f64 / begin.elapsed().as_secs_f64();
    // 10 bytes a body and a header, 30 times a second, are 18 MB/s; a frame more or less at the ends
    assert!(rate <= 20e6 && frames > 10, "{rate:.2e} bytes/s, {frames} frames");
}

#[test]
fn a_series_of_other_bodies_is_thinned_for_the_link() {
    let place = Place::new();
    // a cast for each frame: other ids. 60,000 bodies are as many as are shown
    for (name, first) in [("a.csv", 0), ("b.csv", 100_000)] {
        let row = |k: usize| format!("{},1,{},{},0,0,0,0", first + k, k % 251, k / 251);
        let rows: Vec<String> = (0..60_000).map(row).collect();
        place.write(name, &format!("id,mass,x,y,z,vx,vy,vz\n{}\n", rows.join("\n")));
    }
    let served = Served::start(&place, "view a.csv b.csv --paused");
    let mut viewer = served.viewer();
    for index in [1, 0] {
        // from now on both are in memory
        viewer.say(&json!({ "seek": index }));
        viewer.frame(|frame| frame.header[7] == f64::from(index));
    }
    let (begin, mut bytes, mut casts) = (Instant::now(), 0, 0);
    while begin.elapsed() < Duration::from_secs(3) {
        casts += 1;
        viewer.say(&json!({ "seek": casts % 2 }));
        let frame = viewer.frame(|frame| frame.header[7] == f64::from(casts % 2));
        let ids = &viewer.cast.as_ref().unwrap().id;
        assert_eq!((ids[0], ids.len()), (f64::from(casts % 2) * 100_000.0, 60_000));
        bytes += frame.bytes + 16 + 13 * ids.len();
    }
    let rate = bytes as f64 / begin.elapsed().as_secs_f64();
    assert!(rate <= 20e6 && casts > 3, "{rate:.2e} bytes/s, {casts} casts");
}

/// The processor time of the threads of the live view of a process, in seconds.
#[cfg(target_os = "linux")]
fn live_seconds(pid: u32) -> f64 {
    let ticks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().map(|task| {
        let stat = std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default();
        // the name is in brackets; the fields 14 and 15 are the times of user and system, in 1/100 s [proc(5)]
        let Some((name, rest)) = stat.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')) else { return 0 };
        let time: u64 = rest.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum();
        if name.starts_with("live-") { time } else { 0 }
    });
    ticks.sum::<u64>() as f64 / 100.0
}

#[cfg(target_os = "linux")]
#[test]
fn a_thousand_connections_cost_a_run_little() {
    let place = Place::new();
    let served = Served::start(&place, LONG);
    let mut good = served.viewer();
    good.frame(|frame| frame.step() > 0.0);
    let pid = served.child.id();
    let files = || std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    let (before, begin) = (live_seconds(pid), Instant::now());
    for _ in 0..4 {
        // not all at once: this process may have no more files than most have
        let streams: Vec<TcpStream> = (0..250).map(|_| served.stream()).collect();
        let step = good.frame(|_| true).step();
        good.frame(|frame| frame.step() > step);
        // one who is no stranger gets in meanwhile
        served.viewer().frame(|_| true);
        assert!(files() < 64 + 50, "{} files", files());
        drop(streams);
    }
    let most = 40;
    let many: Vec<_> = (0..most).map(|_| served.connect(&served.token, None)).collect();
    assert_eq!(many.iter().filter(|viewer| viewer.is_err()).count(), most + 1 - 32);
    drop(many);
    while begin.elapsed() < Duration::from_secs(8) {
        good.frame(|_| true);
    }
    // of the processor time that the run could have had in these seconds of attacks, with a viewer
    let cores = std::thread::available_parallelism().unwrap().get() as f64;
    let share = (live_seconds(pid) - before) / (begin.elapsed().as_secs_f64() * cores);
    assert!(share <= 0.03, "{share}");
    let (status, text) = served.interrupt();
    assert_eq!(status, Some(130));
    assert_eq!(text.matches("the oldest were dropped").count(), 1, "{text}");
    assert_eq!(text.matches("more than 32 viewers").count(), 1, "{text}");
}

#[test]
fn addresses_are_checked_before_the_run_begins() {
    let place = Place::new();
    place.write("b.toml", "n = 10\n");
    place.bad("run --serve b.toml", 2, &["--serve", "must be a port"]);
    place.bad("run --control", 2, &["--serve"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let words = format!("run -n 10 --serve {}", taken.local_addr().unwrap());
    place.bad(&words, 2, &["cannot listen there"]);
    assert_eq!(place.names(), ["b.toml"]);
}
