//! Who may not view is refused, and who disturbs is dropped, while the run and other viewers go on.

use crate::common::Place;
use crate::cost::{again, attack};
use crate::served::{LONG, PATIENCE, Served, Viewer};
use serde_json::json;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};
use tungstenite::Message;

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
    // what the page asks for
    for name in ["page.js", "page.css"] {
        let path = format!("{name}?token={token}");
        assert!(page.contains(&format!("\"{path}\"")), "{path} in {page}");
        assert_eq!(served.get(&format!("/{path}"), &own).0, 200);
    }
    assert_eq!(served.get(&format!("/other?token={token}"), &own).0, 404);
    // an ssh tunnel has another port
    assert_eq!(served.get(&format!("/?token={token}"), "Host: localhost:8080\r\n").0, 200);
    let wrong = "0".repeat(32);
    let mut good = served.viewer();
    attack(&served, &mut good, || {
        for _ in 0..3 {
            let with_wrong = [format!("/?token={wrong}"), format!("/live?token={wrong}")];
            let without = ["/", "/?token=", "/live", "/page.js", "/page.css"].map(String::from);
            for path in with_wrong.iter().chain(&without) {
                assert_eq!(served.get(path, &own).0, 403, "{path}");
            }
            // DNS rebinding: the page of another site whose name now leads here
            for headers in ["Host: evil.example:80\r\n", "", "Host: a\r\nHost: b\r\n"] {
                assert_eq!(served.get(&format!("/?token={token}"), headers).0, 403, "{headers}");
            }
            let evil = format!("{own}Origin: http://evil.example\r\n");
            assert_eq!(served.get(&format!("/?token={token}"), &evil).0, 403);
        }
    });
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
    attack(&served, &mut good, || {
        for (_, act) in &bad {
            let mut viewer = served.viewer();
            act(&mut viewer);
            assert!(viewer.is_dropped());
        }
        // no HTTP at all
        let mut stream = served.stream();
        let _ = stream.write_all(&[0x16; 100_000]);
        let _ = stream.read_to_end(&mut Vec::new());
    });
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
    // they are dropped after ten seconds, in which the good one confirms
    let begin = Instant::now();
    let heard = attack(&served, &mut good, || std::iter::from_fn(|| slow.hear()).count());
    assert!(begin.elapsed() > Duration::from_secs(5), "{:?}", begin.elapsed());
    // three frames and the heartbeats
    assert!(heard < 100, "{heard} messages without confirmation");
    good.words("status", |status| status["viewers"] == 1);
    drop(deaf);
    let (status, text) = served.interrupt();
    assert_eq!(status, Some(130));
    assert_eq!(text.matches("confirmed no frame for ten seconds").count(), 1, "{text}");
}

#[test]
fn a_slow_link_gets_the_newest_frames_and_few() {
    let place = Place::new();
    let served = Served::start(&place, LONG);
    let mut good = served.viewer();
    let mut slow = served.viewer();
    slow.confirms = false;
    let late = Duration::from_millis(400);
    let seen: Vec<u32> = attack(&served, &mut good, || {
        let mut seen = vec![slow.frame(|_| true).number];
        again(|| {
            // by now the three are there that may be under way; confirmed together, they make room for three
            std::thread::sleep(late);
            slow.confirm(*seen.last().unwrap());
            seen.push(slow.frame(|_| true).number);
        });
        seen
    });
    // one in three that are sent is read, each later than the one before: what the link does not carry is left out
    assert!(seen.len() >= 5, "{seen:?}");
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
    let (first, last) = (seen[0], *seen.last().unwrap());
    assert!(last - first >= 2 * (seen.len() as u32 - 1), "{seen:?}");
    assert!(!served.interrupt().1.contains("was dropped"));
}

#[test]
fn who_sends_a_request_too_slowly_is_dropped() {
    let place = Place::new();
    let served = Served::start(&place, LONG);
    let mut good = served.viewer();
    let begin = Instant::now();
    let slow: Vec<TcpStream> = (0..40).map(|_| served.stream()).collect();
    let lasted = attack(&served, &mut good, || {
        let text = format!("GET /?token={} HTTP/1.1\r\nHost: {}\r\nX-Slow: ", served.token, served.host);
        let mut bytes = text.into_bytes().into_iter().chain(std::iter::repeat(b'x'));
        // a byte now and then, until the server has closed all
        let is_open = |mut stream: &TcpStream, byte: u8| {
            stream.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
            let sent = stream.write_all(&[byte]).is_ok();
            sent && matches!(stream.read(&mut [0; 64]), Err(error) if error.kind() == ErrorKind::WouldBlock)
        };
        while begin.elapsed() < PATIENCE {
            let byte = bytes.next().unwrap();
            if slow.iter().filter(|stream| is_open(stream, byte)).count() == 0 {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        begin.elapsed()
    });
    // five seconds are given; the rest is this machine's
    assert!(lasted > Duration::from_secs(4) && lasted < Duration::from_secs(20), "{lasted:?}");
    let (status, text) = served.interrupt();
    assert_eq!(status, Some(130));
    assert_eq!(text.matches("not HTTP, or was too slow").count(), 1, "{text}");
}

#[test]
fn a_loop_of_requests_costs_a_run_little() {
    let place = Place::new();
    let served = Served::start(&place, LONG);
    let mut good = served.viewer();
    let own = format!("Host: {}\r\n", served.host);
    for (path, answer) in [
        ("/page.js".into(), 403),
        (format!("/?token={}", "0".repeat(32)), 403),
        // who has the token costs no more
        (format!("/page.js?token={}", served.token), 200),
    ] {
        let times = attack(&served, &mut good, || again(|| assert_eq!(served.get(&path, &own).0, answer, "{path}")));
        assert!(times > 50, "{times} requests for {path}");
    }
    attack(&served, &mut good, || again(|| drop(served.stream())));
    let (status, text) = served.interrupt();
    assert_eq!(status, Some(130));
    assert_eq!(text.matches("connections in a second: they wait").count(), 1, "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_thousand_connections_cost_a_run_little() {
    // more open files than the 1,024 that a process has by default; util-linux, which every distribution has
    let own = std::process::id().to_string();
    let raised = Command::new("prlimit").args(["--pid", &own, "--nofile=4096:"]).status().unwrap();
    assert!(raised.success(), "{raised}");
    let place = Place::new();
    let served = Served::start(&place, LONG);
    let mut good = served.viewer();
    let pid = served.child.id();
    let files = || std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    let streams: Vec<TcpStream> = attack(&served, &mut good, || (0..1000).map(|_| served.stream()).collect());
    // all are open here; there are the run's own files, 64 strangers and the good viewer
    assert_eq!(streams.len(), 1000);
    assert!(files() < 64 + 50, "{} files", files());
    // one who is no stranger gets in meanwhile
    attack(&served, &mut good, || served.viewer().frame(|_| true));
    drop(streams);
    let most = 40;
    let many = attack(&served, &mut good, || {
        (0..most).map(|_| served.connect(&served.token, None)).collect::<Vec<Result<Viewer, String>>>()
    });
    assert_eq!(many.iter().filter(|viewer| viewer.is_err()).count(), most + 1 - 32);
    drop(many);
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
