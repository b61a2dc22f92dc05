//! What an attack costs a run.

use crate::served::{Served, Viewer};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The share of one core that the server's thread may take. On a quiet machine it takes less than 3 %, so that a run of one
/// thread is not slower by more; on a busy one, whose cores are shared, the same work can take twice the time (3.25 % was
/// seen).
const MAX_SHARE: f64 = 0.06;

/// The time that costs are measured over, at least: 3 % of it are twelve of the ticks of 1/100 s that the system counts in.
pub(crate) const WINDOW: Duration = Duration::from_secs(4);

/// Attacks, and returns what the attack does. Meanwhile the run makes steps, a good viewer sees them, and the thread of the
/// server, which alone has to do with connections, takes a small share of a core.
pub(crate) fn attack<T>(served: &Served, good: &mut Viewer, act: impl FnOnce() -> T) -> T {
    let pid = served.child.id();
    let step = good.frame(|_| true).step();
    let (begin, before) = (Instant::now(), server_seconds(pid));
    let is_over = AtomicBool::new(false);
    let done = std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            while !is_over.load(Relaxed) {
                good.frame(|_| true);
            }
        });
        let done = act();
        std::thread::sleep(WINDOW.saturating_sub(begin.elapsed()));
        is_over.store(true, Relaxed);
        watching.join().unwrap();
        done
    });
    let (lasted, cost) = (begin.elapsed().as_secs_f64(), server_seconds(pid) - before);
    assert!(cost <= MAX_SHARE * lasted, "{cost:.3} s of the processor in {lasted:.1} s");
    good.frame(|frame| frame.step() > step);
    done
}

/// Does it again and again, for as long as costs are measured; how often.
pub(crate) fn again(act: impl FnMut()) -> usize {
    let begin = Instant::now();
    std::iter::repeat_with(act).take_while(|()| begin.elapsed() < WINDOW).count()
}

/// The processor time of the thread of a process that serves connections, in seconds.
#[cfg(target_os = "linux")]
fn server_seconds(pid: u32) -> f64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let stats = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default());
    let of_server = stats.filter_map(|stat| {
        // the name is in brackets; the fields 14 and 15 are the times of user and system, in 1/100 s [proc(5)]
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
        let ticks = rest.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum::<u64>();
        (name == "live-server").then_some(ticks)
    });
    // one thread, or the name is another
    let [ticks] = of_server.collect::<Vec<_>>()[..] else { panic!("no thread live-server") };
    ticks as f64 / 100.0
}

/// Not known on this system.
#[cfg(not(target_os = "linux"))]
fn server_seconds(_: u32) -> f64 {
    0.0
}
