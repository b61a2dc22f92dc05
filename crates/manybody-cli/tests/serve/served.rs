//! A command that serves a live view, and viewers of it.

use crate::common::Place;
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
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A command that serves.
pub(crate) struct Served {
    pub(crate) child: Child,
    /// "127.0.0.1:4000"
    pub(crate) host: String,
    pub(crate) token: String,
    pub(crate) stdout: Receiver<String>,
    pub(crate) stderr: Receiver<String>,
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        BufReader::new(stream).lines().map_while(Result::ok).for_each(|line| drop(send.send(line)));
    });
    receive
}

impl Served {
    pub(crate) fn start(place: &Place, words: &str) -> Self {
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
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
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
    pub(crate) fn interrupt(self) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        self.end()
    }

    pub(crate) fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// A request with these headers: status and whole answer.
    pub(crate) fn get(&self, path: &str, headers: &str) -> (u16, String) {
        let mut stream = self.stream();
        write!(stream, "GET {path} HTTP/1.1\r\n{headers}\r\n").unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
        (status.unwrap_or_else(|| panic!("no answer: {answer}")), answer)
    }

    pub(crate) fn connect(&self, token: &str, origin: Option<&str>) -> Result<Viewer, String> {
        let mut request = format!("ws://{}/live?token={token}", self.host).into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", HeaderValue::from_str(origin).unwrap());
        }
        let (socket, _) = client(request, self.stream()).map_err(|error| error.to_string())?;
        Ok(Viewer { socket, cast: None, confirms: true })
    }

    pub(crate) fn viewer(&self) -> Viewer {
        self.connect(&self.token, Some(&format!("http://{}", self.host))).unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

pub(crate) struct Viewer {
    pub(crate) socket: WebSocket<TcpStream>,
    pub(crate) cast: Option<Cast>,
    pub(crate) confirms: bool,
}

#[derive(Debug)]
pub(crate) struct Cast {
    pub(crate) id: Vec<f64>,
    pub(crate) mass: Vec<f64>,
    pub(crate) group: Option<Vec<u8>>,
}

#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) number: u32,
    pub(crate) header: Vec<f64>,
    pub(crate) position: Vec<[f64; 3]>,
    pub(crate) speed: Vec<u8>,
    pub(crate) bytes: usize,
}

impl Frame {
    pub(crate) fn step(&self) -> f64 {
        self.header[0]
    }

    pub(crate) fn time(&self) -> f64 {
        self.header[1]
    }

    /// The place of the snapshot in its series.
    pub(crate) fn index(&self) -> f64 {
        self.header[7]
    }
}

pub(crate) enum Heard {
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
    Frame {
        number: word(bytes, 8),
        position,
        speed: bytes[208 + 8 * n..208 + 9 * n].to_vec(),
        header,
        bytes: bytes.len(),
    }
}

impl Viewer {
    pub(crate) fn say(&mut self, words: &Value) {
        self.socket.send(Message::text(words.to_string())).unwrap();
    }

    /// Confirms a frame and those before it.
    pub(crate) fn confirm(&mut self, number: u32) {
        let _ = self.socket.send(Message::text(json!({ "got": number }).to_string()));
    }

    /// The next message; `None` where the server has ended the connection.
    pub(crate) fn hear(&mut self) -> Option<Heard> {
        loop {
            let bytes = match self.socket.read() {
                Ok(Message::Text(text)) => return Some(Heard::Words(serde_json::from_str(&text).unwrap())),
                Ok(Message::Binary(bytes)) => bytes,
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => continue,
            };
            if bytes.starts_with(b"mbC1") {
                let n = word(&bytes, 8) as usize;
                assert_eq!(bytes.len(), 16 + 17 * n);
                let has_groups = word(&bytes, 12) == 1;
                self.cast = Some(Cast {
                    id: floats(&bytes[16..16 + 8 * n]),
                    mass: floats(&bytes[16 + 8 * n..16 + 16 * n]),
                    group: has_groups.then(|| bytes[16 + 16 * n..].to_vec()),
                });
                continue;
            }
            assert!(bytes.starts_with(b"mbF1"));
            if self.confirms {
                self.confirm(word(&bytes, 8));
            }
            return Some(Heard::Frame(frame(&bytes)));
        }
    }

    /// The first frame for which `good` holds.
    pub(crate) fn frame(&mut self, good: impl Fn(&Frame) -> bool) -> Frame {
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
    pub(crate) fn words(&mut self, name: &str, good: impl Fn(&Value) -> bool) -> Value {
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
    pub(crate) fn is_dropped(&mut self) -> bool {
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
pub(crate) const LONG: &str = "run --ic plummer -n 1024 --dt 1/1024 --t-end 1000 --serve --control --device cpu";
