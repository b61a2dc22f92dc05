//! Every target of fuzz/targets.rs on its corpus, and on a fixed sequence of mutations of it, without coverage.
//!
//! `MANYBODY_FUZZ` is the number of executions a target; a failure prints the seed, and the input goes to the folder of
//! temporary files.

#[path = "common/mutate.rs"]
mod mutate;
#[path = "../../../fuzz/targets.rs"]
mod targets;

use mutate::{Random, mutate};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use targets::{TARGETS, Target};

/// Executions a target, where nothing is said.
const EXECUTIONS: u64 = 5_000;
/// No input of a corpus's size takes longer, not even on a machine with other things to do.
const LONGEST: Duration = Duration::from_secs(5);
/// Mutations may double a file a few times over.
const LARGEST: usize = 1 << 16;

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

fn fuzz(name: &str) {
    let (_, run): Target = TARGETS.into_iter().find(|target| target.0 == name).unwrap();
    // what others' code panics about is caught and becomes an error
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !manybody::guard::is_guarded() {
            tell(panic);
        }
    }));
    let corpus = corpus(name);
    assert!(corpus.len() > 2, "{name}: the corpus is missing");
    let executions = std::env::var("MANYBODY_FUZZ").map_or(EXECUTIONS, |n| n.parse::<f64>().expect("a number") as u64);
    // HDF5 takes 30 times as long as the others
    let executions = if name == "hdf5" { executions / 10 } else { executions }.max(corpus.len() as u64);
    let (start, next) = (Instant::now(), AtomicU64::new(0));
    let one = |round: u64| {
        let mut random = Random(round << 8);
        let mut input = match corpus.get(round as usize) {
            Some(file) => file.clone(),
            None => corpus[random.below(corpus.len())].clone(),
        };
        if round >= corpus.len() as u64 {
            let other = random.below(corpus.len());
            mutate(&mut random, &mut input, &corpus[other]);
            input.truncate(LARGEST);
        }
        let before = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&input)));
        if outcome.is_err() || before.elapsed() > LONGEST {
            let file = std::env::temp_dir().join(format!("manybody-{name}-{round}"));
            std::fs::write(&file, &input).unwrap();
            panic!("{name}, round {round}, after {:?}: the input is {}", before.elapsed(), file.display());
        }
    };
    // each round by itself, whichever thread it falls to
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    match next.fetch_add(1, Ordering::Relaxed) {
                        round if round < executions => one(round),
                        _ => break,
                    }
                }
            });
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{name}: {executions} executions in {seconds:.1} s, {} files", corpus.len());
}

macro_rules! tests {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            fuzz(stringify!($name));
        })*

        #[test]
        fn all_are_here() {
            assert_eq!(TARGETS.map(|target| target.0), [$(stringify!($name)),*]);
        }
    };
}

tests!(hdf5 nemo tipsy csv text sniff law quantity npy metadata table description);
