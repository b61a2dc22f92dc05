//! Readers are fed with damaged files: valid ones of every format and dialect, mutated. Whatever comes in, what comes
//! out is sound bodies or an error; there is no panic, and no more memory than the file's size can explain.
//!
//! The mutations are a fixed sequence, so a failure repeats: it prints the seed and the round.

#[path = "common/mutate.rs"]
mod mutate;

use manybody::snapshot::{self, ColumnOrder, Format, Precision, ReadOptions, TipsyVariant, WriteOptions, read_bytes};
use manybody::{Bodies, Snapshot, Units};
use mutate::{Random, mutate};
use peak_alloc::PeakAlloc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Beside the bodies, readers hold buffers of a MiB each; a packed HDF5 dataset may claim 1,100 times its file's bytes,
/// and files here are below 20 kB.
const MAX_MEMORY: usize = 64 << 20;

/// Rounds for each valid file, and the time after which fewer will do (a loaded machine).
const ROUNDS: u64 = 2500;
const TIME: Duration = Duration::from_secs(20);

fn sample() -> Snapshot {
    let mut bodies = Bodies::zeros(7);
    for i in 0..7 {
        let q = i as f64 + 0.25;
        (bodies.x[i], bodies.y[i], bodies.z[i]) = (q, -q, 2.0 * q);
        (bodies.vx[i], bodies.vy[i], bodies.vz[i]) = (0.5 * q, 0.25, -q);
        bodies.mass[i] = 1.0 + q;
    }
    bodies.kind = Some(vec![0, 1, 4, 1, 2, 0, 4]);
    bodies.eps = Some(vec![0.125; 7]);
    bodies.extra.insert("potential".into(), vec![-1.5; 7]);
    bodies.extra.insert("ax".into(), vec![1.0; 7]);
    bodies.extra.insert("ay".into(), vec![2.0; 7]);
    bodies.extra.insert("az".into(), vec![3.0; 7]);
    bodies.extra.insert("charge".into(), vec![0.5; 7]);
    let meta = [("key".to_string(), "value, \"quoted\"\n".to_string()), ("long".into(), "x\0y".into())].into();
    Snapshot { bodies, time: 0.5, units: Units::gadget(), meta }
}

/// A valid file with the name it is read under.
struct Seed {
    name: String,
    bytes: Vec<u8>,
    options: ReadOptions,
}

fn seeds() -> Vec<Seed> {
    let folder = tempfile::tempdir().unwrap();
    let mut seeds = Vec::new();
    let mut add = |snapshot: &Snapshot, extension: &str, options: WriteOptions| {
        // with it, damage would be found before anything is parsed
        let options = WriteOptions { without_checksum: true, ..options };
        let path = folder.path().join("seed").with_extension(extension);
        snapshot::write_as(&path, snapshot, &options).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let options = ReadOptions { columns: options.columns, ..ReadOptions::default() };
        seeds.push(Seed { name: format!("seed{}.{extension}", seeds.len()), bytes, options });
    };
    let whole = sample();
    let mut plain = whole.clone();
    plain.bodies.kind = None;
    for snapshot in [&whole, &plain] {
        for extension in ["hdf5", "nemo", "csv"] {
            let precision = if extension == "csv" { Precision::F64 } else { Precision::F32 };
            add(snapshot, extension, WriteOptions::default());
            add(snapshot, extension, WriteOptions { precision, ..WriteOptions::default() });
        }
    }
    for tipsy in TipsyVariant::ALL {
        let snapshot = if matches!(tipsy, TipsyVariant::Nvidia | TipsyVariant::Bonsai) { &plain } else { &whole };
        add(snapshot, "tipsy", WriteOptions { tipsy, ..WriteOptions::default() });
    }
    for order in ColumnOrder::ALL {
        add(&whole, "txt", WriteOptions { columns: Some(order), ..WriteOptions::default() });
    }
    let bytes = include_bytes!("data/gadget_h5py.h5").to_vec();
    seeds.push(Seed { name: "h5py.h5".into(), bytes, options: ReadOptions::default() });
    seeds
}

/// Sound: every column as long as the others, finite, masses not negative, ids unique, types known.
fn assert_sound(snapshot: &Snapshot) {
    let bodies = &snapshot.bodies;
    bodies.validate().unwrap();
    assert!(snapshot.time.is_finite());
    assert!(bodies.extra.values().all(|column| column.len() == bodies.len()));
    assert!(bodies.kind.iter().flatten().all(|kind| *kind <= 5));
    let mut ids = bodies.id.clone();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]));
}

/// Set by a panic in our own code; one inside hdf5-pure is caught and becomes an error.
static PANICKED: AtomicBool = AtomicBool::new(false);

#[test]
fn damaged_files_are_errors() {
    std::panic::set_hook(Box::new(|panic| {
        if !panic.location().is_some_and(|place| place.file().contains("hdf5-pure")) {
            PANICKED.store(true, Ordering::Relaxed);
            eprintln!("{panic}");
        }
    }));
    let seeds = seeds();
    let start = Instant::now();
    let mut read = [0_u64; 2];
    for (k, seed) in seeds.iter().enumerate() {
        for round in 0..ROUNDS {
            if round % 64 == 0 && start.elapsed() > TIME * (k as u32 + 1) / seeds.len() as u32 {
                break;
            }
            let mut random = Random(round << 8 | k as u64);
            let mut bytes = seed.bytes.clone();
            if round > 0 {
                let other = random.below(seeds.len());
                mutate(&mut random, &mut bytes, &seeds[other].bytes);
            }
            // now and then under another format's name, or with values unchecked
            let mut options = seed.options.clone();
            options.unchecked = round % 16 == 5;
            if round % 16 == 7 {
                options.format = Some(Format::ALL[random.below(5)]);
            }
            let unchecked = options.unchecked;
            let here = format!("{} round {round}", seed.name);
            MEMORY.reset_peak_usage();
            let before = MEMORY.current_usage();
            let outcome = std::panic::catch_unwind(|| read_bytes(&seed.name, bytes, &options));
            let peak = MEMORY.peak_usage() - before;
            assert!(peak <= MAX_MEMORY, "{here}: {peak} bytes");
            assert!(!PANICKED.load(Ordering::Relaxed), "{here}: a panic");
            match outcome.unwrap() {
                Ok(loaded) => {
                    read[0] += 1;
                    if !unchecked {
                        assert_sound(&loaded.snapshot);
                    }
                }
                Err(error) => {
                    read[1] += 1;
                    assert!(round > 0, "{here}: a valid file is not read: {error}");
                    let told = error.to_string();
                    assert!(told.contains(&seed.name) || told.contains("columns ="), "{here}: {told}");
                }
            }
        }
    }
    // damage is not always fatal, and not always harmless: both outcomes have to be common for this to test anything
    assert!(read[0] > 100 && read[1] > 100, "{read:?}");
}
