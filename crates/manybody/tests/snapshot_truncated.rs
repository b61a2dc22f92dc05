//! A file that was cut short, at any byte, is an error: never fewer bodies, and never the bodies without their units or
//! their record.

use manybody::snapshot::{self, ColumnOrder, ReadOptions, TipsyVariant, WriteOptions, read_bytes};
use manybody::{Bodies, Snapshot, Units};

/// A snapshot in which everything that a format can hold is there.
fn sample() -> Snapshot {
    let mut bodies = Bodies::default();
    for i in 0..9 {
        let q = f64::from(i) + 0.25;
        bodies.push(q, [q, -q, 2.0 * q], [0.5, q, -0.25]);
    }
    bodies.kind = Some(vec![1, 1, 4, 4, 1, 0, 4, 1, 4]);
    bodies.eps = Some(vec![0.5; 9]);
    bodies.extra.insert("potential".into(), vec![-1.5; 9]);
    let meta = [("run.dt".to_string(), "1/128".to_string()), ("run.step".to_string(), "640".to_string())].into();
    Snapshot { bodies, time: 5.0, units: Units::gadget(), meta }
}

fn bytes_of(extension: &str, snapshot: &Snapshot, options: &WriteOptions) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole").with_extension(extension);
    snapshot::write_as(&path, snapshot, options).unwrap();
    std::fs::read(&path).unwrap()
}

/// Every beginning of the file is refused, except those that a check of `harmless` excuses.
fn assert_no_beginning_is_read(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
    harmless: impl Fn(usize, &Snapshot) -> bool,
) {
    // what hdf5-pure panics on is caught and becomes an error; its messages would bury the others
    std::panic::set_hook(Box::new(|_| {}));
    let whole = read_bytes(name, bytes.to_vec(), options).map(|loaded| loaded.snapshot);
    // all of a short file's beginnings; of a long one's the first and last 4096 and every 101st between
    let cuts = (0..bytes.len()).filter(|n| *n < 4096 || n % 101 == 0 || bytes.len() - n < 4096);
    let survivor = cuts.into_iter().find_map(|cut| {
        let loaded = read_bytes(name, bytes[..cut].to_vec(), options).ok()?;
        (!harmless(cut, &loaded.snapshot)).then_some(cut)
    });
    let _ = std::panic::take_hook();
    whole.unwrap_or_else(|error| panic!("{name} whole: {error}"));
    assert_eq!(survivor, None, "{name}: a beginning of {} bytes was read", bytes.len());
}

#[test]
fn hdf5() {
    let never = |_: usize, _: &Snapshot| false;
    let ours = bytes_of("hdf5", &sample(), &WriteOptions::default());
    // a cut that takes just the checksum away leaves a whole file without one
    let only_the_checksum = |cut: usize, read: &Snapshot| cut + 32 == ours.len() && *read == sample();
    assert_no_beginning_is_read("ours.hdf5", &ours, &ReadOptions::default(), only_the_checksum);
    let theirs = include_bytes!("data/gadget_h5py.h5");
    assert_no_beginning_is_read("theirs.hdf5", theirs, &ReadOptions::default(), never);
}

#[test]
fn tipsy() {
    for tipsy in TipsyVariant::ALL {
        let mut snapshot = sample();
        if matches!(tipsy, TipsyVariant::Nvidia | TipsyVariant::Bonsai) {
            snapshot.bodies.kind = None;
        }
        let bytes = bytes_of("tipsy", &snapshot, &WriteOptions { tipsy, ..WriteOptions::default() });
        let whole = read_bytes("b.tipsy", bytes.clone(), &ReadOptions::default()).unwrap().snapshot;
        let only_the_checksum = |cut: usize, read: &Snapshot| cut + 32 == bytes.len() && *read == whole;
        assert_no_beginning_is_read("cut.tipsy", &bytes, &ReadOptions::default(), only_the_checksum);
    }
}

/// A header has 28 or 32 bytes, and a file that lost or gained 4 has the size of the other kind.
#[test]
fn tipsy_headers_of_both_lengths() {
    let read = |bytes: &[u8]| read_bytes("b.tipsy", bytes.to_vec(), &ReadOptions::default());
    let refused = |bytes: &[u8], part: &str| {
        let error = read(bytes).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(part), "'{error}' should contain '{part}'");
    };
    // also with all x, y and z above 0, so that the sign does not distinguish coordinates from masses
    for away in [0.0, 100.0] {
        for (tipsy, n) in [(TipsyVariant::Standard, 9), (TipsyVariant::Native, 9), (TipsyVariant::Standard, 1)] {
            let mut snapshot = Snapshot { bodies: Bodies::default(), ..sample() };
            for i in 0..n {
                let q = f64::from(i) + 0.25;
                snapshot.bodies.push(q, [away + q, away - q, away + 2.0 * q], [0.5, q, -0.25]);
            }
            let long = bytes_of("tipsy", &snapshot, &WriteOptions { tipsy, ..WriteOptions::default() });
            let short = [&long[..28], &long[32..]].concat();
            let mass = |bytes: &[u8]| read(bytes).unwrap().snapshot.bodies.mass;
            assert_eq!((mass(&long), mass(&short)), (snapshot.bodies.mass.clone(), snapshot.bodies.mass.clone()));
            refused(&long[..long.len() - 4], "lost its last 4");
            // for one body, or away from the origin, both lengths make sense: the error says so and does not guess
            let gained = if away == 0.0 && n > 1 { "gained 4" } else { "gained 4 bytes" };
            refused(&[&short[..], &[0; 4]].concat(), gained);
        }
    }
}

#[test]
fn nemo() {
    let whole = sample();
    let bytes = bytes_of("nemo", &whole, &WriteOptions::default());
    // a NEMO file is a sequence of items without an end mark, so only a cut between items after the snapshot is no damage
    assert_no_beginning_is_read("cut.nemo", &bytes, &ReadOptions::default(), |_, read| *read == whole);
}

#[test]
fn texts() {
    let mut whole = sample();
    let bytes = bytes_of("csv", &whole, &WriteOptions::default());
    assert_no_beginning_is_read("cut.csv", &bytes, &ReadOptions::default(), |_, _| false);

    whole.bodies.kind = None;
    let columns = Some(ColumnOrder::ALL[0]);
    let bytes = bytes_of("txt", &whole, &WriteOptions { columns, ..WriteOptions::default() });
    let options = ReadOptions { columns, ..ReadOptions::default() };
    assert_no_beginning_is_read("cut.txt", &bytes, &options, |_, _| false);
}
