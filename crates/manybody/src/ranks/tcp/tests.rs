use super::*;
use std::io::Write;

const SECRET: &str = "a secret of these tests";

/// A port that nothing listens on now.
fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

fn launch(rank: usize, ranks: usize, address: &str, token: &str) -> Launch {
    let meeting = Meeting::At { address: address.into(), token: Token::of(token) };
    Launch { rank, ranks, meeting, launcher: None, transport: None, patience: Duration::from_secs(2) }
}

/// What comes of ranks that join at once.
fn join_all(launches: &[(Launch, &str)]) -> Vec<Result<Team>> {
    std::thread::scope(|scope| {
        let all: Vec<_> = launches.iter().map(|(launch, identity)| scope.spawn(|| join(launch, identity))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

fn teams(ranks: usize) -> Vec<Team> {
    let at = free_address();
    let launches: Vec<_> = (0..ranks).map(|rank| (launch(rank, ranks, &at, SECRET), "n = 5")).collect();
    join_all(&launches).into_iter().map(Result::unwrap).collect()
}

/// The error of each, or nothing.
fn problems(launches: &[(Launch, &str)]) -> Vec<String> {
    let text = |joined: Result<Team>| joined.map_or_else(|error| error.to_string(), |_| String::new());
    join_all(launches).into_iter().map(text).collect()
}

#[test]
fn processes_say_to_each_other_what_threads_do() {
    for ranks in [2, 3, 5] {
        let teams = teams(ranks);
        std::thread::scope(|scope| {
            for team in &teams {
                scope.spawn(|| {
                    let own = team.rank() as u64;
                    let long: Vec<u64> = (0..200_000).collect();
                    let sent = if own == 0 { long.clone() } else { Vec::new() };
                    assert_eq!(team.broadcast(sent).unwrap(), long);
                    let all: Vec<Vec<u64>> = (0..ranks as u64).map(|rank| vec![rank]).collect();
                    assert_eq!(team.all_gather(vec![own]).unwrap(), all);
                    team.barrier().unwrap();
                });
            }
        });
        // a rank that leaves well is not lost
        teams.iter().rev().for_each(|team| team.leave(0, ""));
        assert!(teams.iter().skip(1).all(|team| team.mailbox().wait_for_leave(Duration::from_secs(5)).is_some()));
        assert!(teams.iter().all(|team| team.check().is_ok()));
    }
}

/// Rank 0, which reaches both, hears of it, and waits for neither.
#[test]
fn a_connection_that_breaks_between_two_other_ranks_ends_all() {
    let pair = || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (stream, listener.accept().unwrap().0)
    };
    let begin = |rank, lines: [Option<TcpStream>; 3]| {
        let lines = lines.into_iter().map(|line| line.map(|line| (line, Seat::own()))).collect();
        Team::of(Mesh::begin(rank, lines).unwrap())
    };
    let ((a, b), (c, d), (e, f)) = (pair(), pair(), pair());
    let between = e.try_clone().unwrap();
    let teams =
        [begin(0, [None, Some(a), Some(c)]), begin(1, [Some(b), None, Some(e)]), begin(2, [Some(d), Some(f), None])];
    std::thread::scope(|scope| {
        let others = [1, 2].map(|rank| {
            scope.spawn({
                let team = &teams[rank];
                move || crate::ranks::serve(team)
            })
        });
        let start = Instant::now();
        between.shutdown(std::net::Shutdown::Both).unwrap();
        let error = teams[0].receive(1, 1 << 40).unwrap_err().to_string();
        assert!(error.contains("the connection to it is lost") && error.contains(" reports"), "{error}");
        teams[0].leave(1, &error);
        for other in others {
            assert!(!matches!(other.join().unwrap(), Ok(0)));
        }
        assert!(start.elapsed() < Duration::from_secs(5));
    });
}

#[test]
fn strangers_and_wrong_tokens_do_not_disturb() {
    let at = free_address();
    let launches = [(launch(0, 2, &at, SECRET), ""), (launch(1, 2, &at, SECRET), "")];
    std::thread::scope(|scope| {
        let root = scope.spawn(|| join(&launches[0].0, ""));
        let mut strangers = Vec::new();
        while strangers.len() < 3 {
            match TcpStream::connect(&at) {
                Ok(mut stranger) => {
                    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
                    strangers.push(stranger);
                }
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
        let problem = join(&launch(1, 2, &at, "another secret of tests"), "").map(drop).unwrap_err().to_string();
        assert!(problem.contains("MANYBODY_TOKEN must be the same on all ranks"), "{problem}");
        join(&launches[1].0, "").unwrap().leave(0, "");
        root.join().unwrap().unwrap().leave(0, "");
    });
    // the port is closed
    assert!(TcpStream::connect(&at).is_err());
}

#[test]
fn a_rank_that_does_not_come_is_named() {
    let at = free_address();
    let found = problems(&[(launch(0, 4, &at, SECRET), ""), (launch(2, 4, &at, SECRET), "")]);
    assert!(found[0].starts_with("rank 1: it did not come within 2 s (nor did 1 other): 2 of 4 ranks"), "{found:?}");
    assert!(found[1].starts_with("rank 1: "), "{found:?}");
    let alone = problems(&[(launch(1, 2, &at, SECRET), "")]);
    assert!(alone[0].starts_with("rank 0: it was not found within 2 s"), "{alone:?}");
}

/// Also where that rank has begun to wait before rank 0: the time of rank 0 counts, not its own.
#[test]
fn a_rank_that_came_before_rank_0_hears_who_is_missing() {
    let at = free_address();
    let patient = |rank| Launch { patience: Duration::from_secs(3), ..launch(rank, 3, &at, SECRET) };
    let early = std::thread::spawn({
        let launch = patient(1);
        move || join(&launch, "").map(drop).unwrap_err().to_string()
    });
    std::thread::sleep(Duration::from_millis(1500));
    let problem = join(&patient(0), "").map(drop).unwrap_err().to_string();
    assert!(problem.starts_with("rank 2: it did not come within 3 s"), "{problem}");
    assert_eq!(early.join().unwrap(), problem);
}

#[test]
fn ranks_that_do_not_belong_together_are_refused_by_name() {
    let at = free_address();
    let both = problems(&[(launch(0, 2, &at, SECRET), ""), (launch(1, 3, &at, SECRET), "")]);
    assert!(both.iter().all(|problem| problem.contains("--ranks 3, rank 0 with --ranks 2")), "{both:?}");
    let at = free_address();
    let twice = [(launch(0, 3, &at, SECRET), ""), (launch(1, 3, &at, SECRET), ""), (launch(1, 3, &at, SECRET), "")];
    let twice = problems(&twice);
    let named = |problem: &&String| problem.starts_with("rank 1: two processes were started with this number");
    assert!(twice.iter().filter(named).count() >= 2, "{twice:?}");
    let at = free_address();
    let settings = [(launch(0, 2, &at, SECRET), "n = 5\ndt = 1/64"), (launch(1, 2, &at, SECRET), "n = 5\ndt = 1/32")];
    for problem in problems(&settings) {
        assert_eq!(problem, "rank 1: it was started with other settings than rank 0: dt = 1/32, and rank 0: dt = 1/64");
    }
}

#[test]
fn a_lost_connection_is_noticed_at_once() {
    let mut teams = teams(3);
    let start = Instant::now();
    // as a process that dies: its sockets are closed without a word
    let lost = teams.remove(1);
    lost.mailbox().cancel();
    std::mem::forget(lost.clone());
    lost.close();
    for team in &teams {
        let error = team.receive(1, 99).unwrap_err().to_string();
        assert!(error.starts_with("rank 1: the connection to it is lost"), "{error}");
    }
    assert!(start.elapsed() < Duration::from_secs(2));
}

/// A rank that has left because of another is not what is reported, also where its connection is the first that fails.
#[test]
fn a_rank_that_has_left_because_of_another_is_not_to_blame() {
    let mut teams = teams(3);
    let sender = teams.pop().unwrap();
    teams.pop().unwrap().leave(1, "");
    let ended = std::thread::scope(|scope| {
        let sending = scope.spawn(|| {
            loop {
                if let Err(error) = sender.send(1, 5, vec![0; 1000]) {
                    return error.to_string();
                }
            }
        });
        std::thread::sleep(Duration::from_millis(200));
        // rank 0 dies: its sockets are closed without a word
        let root = teams.pop().unwrap();
        root.mailbox().cancel();
        std::mem::forget(root.clone());
        root.close();
        sending.join().unwrap()
    });
    assert!(ended.starts_with("rank 0: the connection to it is lost"), "{ended}");
}
