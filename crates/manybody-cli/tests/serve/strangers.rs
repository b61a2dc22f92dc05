//! Who may not view is refused, and who disturbs is dropped, while the run and other viewers go on.

use crate::common::Place;
use crate::served::{LONG, Served, Viewer};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
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
