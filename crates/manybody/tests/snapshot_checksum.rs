//! One flipped bit anywhere in a file that was written here is found, and so are missing and additional bytes.

use manybody::snapshot::{self, Checksum, ColumnOrder, Loaded, ReadOptions, TipsyVariant, WriteOptions, read_bytes};
use manybody::{Bodies, Result, Snapshot, Units};

/// A generator of the same numbers everywhere [Steele 2014, SplitMix64].
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

fn sample(n: u64, plain: bool) -> Snapshot {
    let mut bodies = Bodies::default();
    for i in 0..n {
        let q = i as f64 + 0.25;
        bodies.push(q, [q, -q, 2.0 * q], [0.5, q.sqrt(), -0.25]);
    }
    if !plain {
        bodies.kind = Some((0..n).map(|i| (i % 5) as u8).collect());
        bodies.eps = Some(vec![0.5; n as usize]);
        bodies.extra.insert("potential".into(), vec![-1.5; n as usize]);
    }
    let meta = [("run.dt".to_string(), "1/128".to_string()), ("run.snapshot_every".into(), "0.25".into())].into();
    Snapshot { bodies, time: 5.0, units: Units::gadget(), meta }
}

/// A file of each kind that is written.
struct Kind {
    name: &'static str,
    extension: &'static str,
    tipsy: TipsyVariant,
    /// Bytes at its begin or its end that a checksum takes.
    own: usize,
}

const KINDS: [Kind; 8] = {
    const fn kind(name: &'static str, extension: &'static str, tipsy: TipsyVariant, own: usize) -> Kind {
        Kind { name, extension, tipsy, own }
    }
    use TipsyVariant::{Bonsai, Native, Nvidia, Standard};
    [
        kind("HDF5", "hdf5", Standard, 32),
        kind("CSV", "csv", Standard, 92),
        kind("plain text", "txt", Standard, 92),
        kind("NEMO", "nemo", Standard, 45),
        kind("tipsy standard", "tipsy", Standard, 0),
        kind("tipsy native", "tipsy", Native, 0),
        kind("tipsy nvidia", "tipsy", Nvidia, 32),
        kind("tipsy bonsai", "tipsy", Bonsai, 32),
    ]
};

impl Kind {
    fn write(&self, n: u64, without_checksum: bool) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("whole").with_extension(self.extension);
        let plain = matches!(self.tipsy, TipsyVariant::Nvidia | TipsyVariant::Bonsai);
        let columns = Some(ColumnOrder::MassFirst);
        let options = WriteOptions { columns, tipsy: self.tipsy, without_checksum, ..WriteOptions::default() };
        snapshot::write_as(&path, &sample(n, plain), &options).unwrap();
        std::fs::read(&path).unwrap()
    }

    fn read(&self, bytes: Vec<u8>, unverified: bool) -> Result<Loaded> {
        let columns = Some(ColumnOrder::MassFirst);
        let options = ReadOptions { columns, unverified, ..ReadOptions::default() };
        read_bytes(format!("b.{}", self.extension), bytes, &options)
    }
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

#[test]
fn ten_thousand_flips_of_each_kind_are_found() {
    for (k, kind) in KINDS.iter().enumerate() {
        let bytes = kind.write(60, false);
        let loaded = kind.read(bytes.clone(), false).unwrap();
        assert!(matches!(loaded.header.checksum, Checksum::Whole(_)), "{}: {:?}", kind.name, loaded.header.checksum);
        let mut random = Random(k as u64);
        for _ in 0..10_000 {
            let bit = random.below(8 * bytes.len());
            assert!(kind.read(flipped(&bytes, bit), false).is_err(), "{}: bit {bit}", kind.name);
        }
    }
}

/// Those of the checksums and their marks are among them.
#[test]
fn every_bit_of_a_small_file_is_found() {
    for kind in &KINDS {
        // HDF5's small files are large
        let bytes = kind.write(2, false);
        let end = 8 * bytes.len();
        let bits = (0..end).filter(|bit| end <= 20_000 || *bit < 1024 || end - bit <= 512 || bit % 41 == 0);
        for bit in bits {
            let error = kind.read(flipped(&bytes, bit), false).err();
            assert!(error.is_some(), "{}: bit {bit} of {end}", kind.name);
        }
    }
}

/// The figure in docs/running.md: `cargo test --release -p manybody --test snapshot_checksum -- --ignored --nocapture`
#[test]
#[ignore = "a minute"]
fn every_bit_of_every_kind_is_found() {
    for kind in &KINDS {
        let bytes = kind.write(100, false);
        let found = (0..8 * bytes.len()).filter(|bit| kind.read(flipped(&bytes, *bit), false).is_err()).count();
        eprintln!("{}: {found} of {} bits", kind.name, 8 * bytes.len());
        assert_eq!(found, 8 * bytes.len(), "{}", kind.name);
    }
}

/// Where a cut takes just the checksum away, what is left is whole, and is read as a file without one.
#[test]
fn missing_and_additional_bytes_are_found() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut wrong = Vec::new();
    for kind in &KINDS {
        let bytes = kind.write(3, false);
        let whole = kind.read(bytes.clone(), false).unwrap().snapshot;
        let last = bytes.len() - kind.own;
        let cuts = (0..bytes.len()).filter(|cut| *cut < 512 || *cut + 512 > bytes.len() || cut % 37 == 0);
        for cut in cuts {
            match kind.read(bytes[..cut].to_vec(), false) {
                Ok(loaded) if kind.own < 90 && cut == last && loaded.snapshot == whole => {}
                Ok(_) => wrong.push(format!("{} cut to {cut} of {}", kind.name, bytes.len())),
                Err(_) => {}
            }
        }
        for n in (1..100).chain([4096, 70_000]) {
            for byte in [b'\n', 0, b'0', b'm'] {
                let longer = [&bytes[..], &vec![byte; n]].concat();
                if kind.read(longer.clone(), false).is_ok() {
                    wrong.push(format!("{} with {n} times {byte}", kind.name));
                }
                // whoever looks at it all the same sees that it is damaged
                if let Ok(loaded) = kind.read(longer, true)
                    && !matches!(loaded.header.checksum, Checksum::Differs(_))
                {
                    wrong.push(format!("{} with {n} times {byte}, shown as whole", kind.name));
                }
            }
        }
        let twice = [&bytes[..], &bytes].concat();
        let apart = ["nemo", "tipsy", "std"].contains(&kind.extension);
        if !apart && kind.read(twice, false).is_ok() {
            wrong.push(format!("{} twice", kind.name));
        }
    }
    let _ = std::panic::take_hook();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn damage_is_named_with_what_to_do() {
    for kind in &KINDS {
        let bytes = kind.write(3, false);
        let bit = 8 * (bytes.len() - kind.own.min(50)) - 8;
        let error = kind.read(flipped(&bytes, bit), false).unwrap_err().to_string();
        let remedy =
            if matches!(kind.extension, "csv" | "txt") { "delete the line" } else { "convert --ignore-checksum" };
        for part in [&format!("b.{}", kind.extension), "content differs from what was written", remedy] {
            assert!(error.contains(part), "{error}");
        }
        // and whoever wants to look at it can
        if let Ok(loaded) = kind.read(flipped(&bytes, bit), true) {
            assert!(matches!(loaded.header.checksum, Checksum::Differs(_)), "{}", kind.name);
        }
    }
}

#[test]
fn files_without_checksum_are_read() {
    for kind in &KINDS {
        let bytes = kind.write(3, true);
        let loaded = kind.read(bytes.clone(), false).unwrap();
        assert_eq!(loaded.header.checksum, Checksum::Absent, "{}", kind.name);
        let with = kind.read(kind.write(3, false), false).unwrap();
        assert_eq!(with.snapshot, loaded.snapshot);
        assert!(matches!(with.header.checksum, Checksum::Whole(_)), "{}", kind.name);
    }
    // a line that was deleted on purpose
    let csv = String::from_utf8(KINDS[1].write(3, false)).unwrap();
    let edited = csv.split_once('\n').unwrap().1.replace("-0.25", "-0.5");
    let edited = KINDS[1].read(edited.into_bytes(), false).unwrap();
    assert_eq!((edited.snapshot.bodies.vz[0], edited.header.checksum), (-0.5, Checksum::Absent));
    // and one that was moved
    let moved = format!("# mine\n{csv}");
    assert!(KINDS[1].read(moved.into_bytes(), false).is_err());
}

/// `cat a b > c` is how snapshots of these formats are gathered.
#[test]
fn snapshots_one_after_the_other_have_a_checksum_each() {
    for kind in &KINDS[3..] {
        let (a, b) = (kind.write(3, false), kind.write(5, false));
        let both = [&a[..], &b[..]].concat();
        let loaded = kind.read(both.clone(), false).unwrap();
        assert!(matches!(loaded.header.checksum, Checksum::Whole(_)), "{}", kind.name);
        assert_eq!((loaded.header.frames, loaded.snapshot.bodies.len()), (2, 5), "{}", kind.name);
        for bit in (0..8 * both.len()).step_by(7) {
            assert!(kind.read(flipped(&both, bit), false).is_err(), "{}: bit {bit}", kind.name);
        }
    }
}

/// In a tipsy header without pad the mass of the first body stands in its place.
#[test]
fn a_mass_is_no_checksum() {
    let bytes = KINDS[4].write(3, true);
    for mass in [1e-20_f32, 1e-3, 1.0, 2e30, 5.9e24, 7e22, 1.9e27] {
        let mut short = [&bytes[..28], &bytes[32..]].concat();
        short[28..32].copy_from_slice(&mass.to_be_bytes());
        if let Ok(loaded) = KINDS[4].read(short, false) {
            assert_eq!(loaded.header.checksum, Checksum::Absent, "{mass}");
        }
    }
}

/// A pipe gets the same bytes as a file.
#[test]
#[cfg(unix)]
fn a_pipe_gets_the_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    for kind in &KINDS {
        let pipe = folder.path().join(format!("{}.{}", kind.name, kind.extension));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read(pipe).unwrap()
        });
        let plain = matches!(kind.tipsy, TipsyVariant::Nvidia | TipsyVariant::Bonsai);
        let columns = Some(ColumnOrder::MassFirst);
        let options = WriteOptions { columns, tipsy: kind.tipsy, ..WriteOptions::default() };
        snapshot::write_as(&pipe, &sample(3, plain), &options).unwrap();
        assert!(reader.join().unwrap() == kind.write(3, false), "{}", kind.name);
    }
}
