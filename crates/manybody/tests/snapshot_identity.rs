//! Write, then read = identity, up to what a format says it holds.

use manybody::snapshot::{self, ColumnOrder, Format, Precision, ReadOptions, TipsyVariant, WriteOptions};
use manybody::{Bodies, Snapshot, Units};
use proptest::prelude::*;
use std::collections::BTreeMap;
use tempfile::TempDir;

/// Numbers at the edges of f64, and between them.
fn real() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -1e3..1e3_f64,
        1 => any::<f64>().prop_filter("finite", |v| v.is_finite()),
        1 => prop::sample::select(vec![
            0.0,
            -0.0,
            f64::MIN_POSITIVE,
            5e-324,
            -5e-324,
            f64::MAX,
            f64::MIN,
            f64::EPSILON,
            1.0 / 3.0,
            0.1,
        ]),
    ]
}

/// Numbers that single precision holds exactly, its own edges included.
fn single() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => (-1e3..1e3_f32).prop_map(f64::from),
        1 => any::<f32>().prop_filter("finite", |v| v.is_finite()).prop_map(f64::from),
        1 => prop::sample::select(vec![0.0_f32, f32::MIN_POSITIVE, 1e-45, f32::MAX, f32::MIN]).prop_map(f64::from),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("potential".to_string()),
        Just("Density".to_string()),
        Just("density".to_string()),
        Just("ax".to_string()),
        Just("q_x".to_string()),
        Just("q_y".to_string()),
        Just("q_z".to_string()),
        Just("q".to_string()),
        Just("mass".to_string()),
        Just("x [pc]".to_string()),
        Just("a/b".to_string()),
        Just(".".to_string()),
        Just("Coordinates".to_string()),
        Just(" two\nlines, \"quoted\" ".to_string()),
        "[ -~äß]{0,12}",
    ]
}

fn bodies(value: BoxedStrategy<f64>) -> impl Strategy<Value = Bodies> {
    prop_oneof![Just(0_usize), Just(1), Just(2), 3..40_usize].prop_flat_map(move |n| {
        let column = || prop::collection::vec(value.clone(), n);
        let positive = || prop::collection::vec(value.clone().prop_map(f64::abs), n);
        let extra = || prop::collection::vec(prop_oneof![9 => value.clone(), 1 => Just(f64::NAN)], n);
        let ids = prop_oneof![
            Just((0..n as u64).collect::<Vec<_>>()),
            prop::collection::hash_set(any::<u64>(), n).prop_map(|s| s.into_iter().collect()),
            prop::collection::hash_set(0..1000_u64, n).prop_map(|s| s.into_iter().collect()),
        ];
        let some = prop::bool::weighted(if n == 0 { 0.0 } else { 0.5 });
        let kinds = (some, prop::collection::vec(0..6_u8, n));
        let eps = (some, positive());
        let extras = prop::collection::btree_map(name(), extra(), 0..4);
        ([column(), column(), column(), column(), column(), column()], positive(), ids, kinds, eps, extras).prop_map(
            |([x, y, z, vx, vy, vz], mass, id, (typed, kind), (soft, eps), extra)| Bodies {
                x,
                y,
                z,
                vx,
                vy,
                vz,
                mass,
                id,
                eps: soft.then_some(eps),
                kind: typed.then_some(kind),
                extra,
            },
        )
    })
}

fn snapshots(value: BoxedStrategy<f64>) -> impl Strategy<Value = Snapshot> {
    let units = prop_oneof![
        Just(Units::g1()),
        Just(Units::henon()),
        Just(Units::gadget()),
        Just(Units::msun_pc_kms()),
        Just(Units { name: "mine, \"own\"".into(), g: 0.1, si: Some([1.0 / 3.0, 1e300, 5e-324]) }),
    ];
    let text = || prop_oneof![".{0,20}", Just("a\nb\r\n\"c\" = # \u{2028} é\\".to_string()), Just(String::new())];
    let meta = prop::collection::btree_map(text(), text(), 0..4);
    (bodies(value), real(), units, meta).prop_map(|(bodies, time, units, meta)| Snapshot { bodies, time, units, meta })
}

/// Equality of bits, except that every NaN (an extra column's "not given") is the same.
fn assert_same(read: &Snapshot, written: &Snapshot) {
    let bits = |column: &Vec<f64>| -> Vec<u64> {
        column.iter().map(|v| if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() }).collect()
    };
    let columns = |b: &Bodies| {
        let plain = [&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.mass].map(bits);
        let extra: BTreeMap<String, Vec<u64>> = b.extra.iter().map(|(k, v)| (k.clone(), bits(v))).collect();
        (plain, b.eps.as_ref().map(bits), extra, b.id.clone(), b.kind.clone())
    };
    assert_eq!(columns(&read.bodies), columns(&written.bodies));
    assert_eq!(read.time.to_bits(), written.time.to_bits());
    assert_eq!(read.units, written.units);
    assert_eq!(read.meta, written.meta);
}

fn round_trip(snapshot: &Snapshot, options: &WriteOptions) -> (Snapshot, Vec<String>) {
    let folder = TempDir::new().unwrap();
    let format = options.format.unwrap();
    let path = folder.path().join("b").with_extension(format.extensions()[0]);
    let notes = snapshot::write_as(&path, snapshot, options).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file was left");
    let in_memory = snapshot::write_bytes(&path, snapshot, options).unwrap();
    assert!(in_memory == (std::fs::read(&path).unwrap(), notes.clone()), "other bytes or notes in memory");
    let read = snapshot::read_with(&path, &ReadOptions { columns: options.columns, ..ReadOptions::default() });
    let read = read.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.header.format, format);
    assert!(!read.notes.iter().any(|n| n.contains("renumbered")), "{:?}", read.notes);
    let claimed = snapshot::header(&path, &ReadOptions::default()).unwrap();
    if let Some(count) = claimed.count {
        assert_eq!(count as usize, snapshot.bodies.len());
    }
    (read.snapshot, notes)
}

/// What a format that goes by families can give back: an extra column that no body of a type has is not there, but as a
/// component of a vector, NAME_x, NAME_y and NAME_z, of which a body has another.
fn without_empty_extras(mut snapshot: Snapshot) -> Snapshot {
    if snapshot.bodies.is_empty() {
        return snapshot;
    }
    let all = snapshot.bodies.extra.clone();
    let held = |name: &str| all.get(name).is_some_and(|column| column.iter().any(|v| !v.is_nan()));
    snapshot.bodies.extra.retain(|name, _| {
        let base = ["_x", "_y", "_z"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or_default();
        let vector = ["_x", "_y", "_z"].map(|end| format!("{base}{end}"));
        held(name) || (vector.iter().all(|part| all.contains_key(part)) && vector.iter().any(|part| held(part)))
    });
    snapshot
}

/// A tipsy file begins with its time, whose bytes may be those that another format begins with.
/// Brackets alone, without the comments, name every system with a scale, and in its own words.
#[test]
fn brackets_name_every_system() {
    for (name, words) in [
        ("msun-pc-kms", ["[Msun]", "[pc]", "[km/s]"]),
        ("msun-kpc-kms", ["[Msun]", "[kpc]", "[km/s]"]),
        ("msun-au-day", ["[Msun]", "[au]", "[au/day]"]),
        ("gadget", ["[1e10 Msun]", "[kpc]", "[km/s]"]),
        ("si", ["[kg]", "[m]", "[m/s]"]),
    ] {
        let mut snapshot = Snapshot { units: Units::by_name(name).unwrap(), ..Snapshot::default() };
        snapshot.bodies.push(1.0, [0.5, 0.25, 2.0], [1.0, -3.0, 0.0]);
        let (bytes, _) = snapshot::write_bytes("b.csv", &snapshot, &WriteOptions::default()).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
        let bare: String = text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
        let read = snapshot::read_bytes("b.csv", bare.into(), &ReadOptions::default()).unwrap().snapshot;
        assert_eq!((&*read.units.name, read.bodies), (name, snapshot.bodies), "{text}");
    }
}

#[test]
fn a_time_that_looks_like_another_format() {
    for magic in [*b"\x1f\x8b\x08\0", *b"PK\x03\x04", *b"BZh9", *b"%PDF"] {
        let [a, b, c, d] = magic;
        for time in [f64::from_le_bytes([a, b, c, d, 0, 0, 0, 64]), f64::from_be_bytes([a, b, c, d, 0, 0, 0, 64])] {
            let mut bodies = Bodies::default();
            bodies.push(1.0, [0.5, 0.0, 0.0], [0.0; 3]);
            for variant in TipsyVariant::ALL {
                let snapshot = Snapshot { bodies: bodies.clone(), time, ..Snapshot::default() };
                let snapshot = tipsy_can_hold(&snapshot, variant);
                let options = WriteOptions { format: Some(Format::Tipsy), tipsy: variant, ..Default::default() };
                assert_same(&round_trip(&snapshot, &options).0, &snapshot);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hdf5_holds_everything(snapshot in snapshots(real().boxed())) {
        let (read, notes) = round_trip(&snapshot, &WriteOptions { format: Some(Format::GadgetHdf5), ..Default::default() });
        assert_same(&read, &without_empty_extras(snapshot));
        prop_assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn nemo_holds_everything(snapshot in snapshots(real().boxed())) {
        let (read, notes) = round_trip(&snapshot, &WriteOptions { format: Some(Format::Nemo), ..Default::default() });
        assert_same(&read, &snapshot);
        prop_assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn csv_holds_everything(snapshot in snapshots(real().boxed())) {
        let (read, notes) = round_trip(&snapshot, &WriteOptions { format: Some(Format::Csv), ..Default::default() });
        assert_same(&read, &snapshot);
        prop_assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn single_precision_holds_singles(snapshot in snapshots(single().boxed())) {
        for format in [Format::GadgetHdf5, Format::Nemo, Format::Csv] {
            let options = WriteOptions { format: Some(format), precision: Precision::F32, ..Default::default() };
            let (mut read, notes) = round_trip(&snapshot, &options);
            let mut want = snapshot.clone();
            match format {
                Format::GadgetHdf5 => want = without_empty_extras(want),
                // the digits of a single are not those of the double it equals: what they mean is the single
                Format::Csv => [&mut read, &mut want].into_iter().for_each(|s| to_single(&mut s.bodies)),
                _ => {}
            }
            assert_same(&read, &want);
            prop_assert!(notes.is_empty(), "{notes:?}");
        }
    }

    #[test]
    fn text_holds_seven_columns(snapshot in snapshots(real().boxed())) {
        for order in ColumnOrder::ALL {
            let options = WriteOptions { format: Some(Format::Text), columns: Some(order), ..Default::default() };
            let (read, notes) = round_trip(&snapshot, &options);
            let mut want = Snapshot { bodies: snapshot.bodies.clone(), ..Snapshot::default() };
            let n = want.bodies.len();
            want.bodies = Bodies { id: (0..n as u64).collect(), eps: None, kind: None, extra: BTreeMap::new(), ..want.bodies };
            assert_same(&read, &want);
            // units without a scale are read as those of G = 1, which is what they are
            let units = if snapshot.units == Units::henon() { Units::g1() } else { snapshot.units.clone() };
            prop_assert_eq!(notes.is_empty(), want == Snapshot { units, ..snapshot.clone() });
        }
    }

    #[test]
    fn tipsy_holds_singles(snapshot in snapshots(single().boxed())) {
        for variant in TipsyVariant::ALL {
            let snapshot = tipsy_can_hold(&snapshot, variant);
            let options = WriteOptions { format: Some(Format::Tipsy), tipsy: variant, ..Default::default() };
            let (read, notes) = round_trip(&snapshot, &options);
            assert_same(&read, &snapshot);
            prop_assert!(notes.is_empty(), "{variant} {notes:?}");
        }
    }
}

fn to_single(bodies: &mut Bodies) {
    let Bodies { x, y, z, vx, vy, vz, mass, eps, extra, .. } = bodies;
    let columns = [x, y, z, vx, vy, vz, mass].into_iter().chain(eps).chain(extra.values_mut());
    columns.flatten().for_each(|q| *q = f64::from(*q as f32));
}

/// The part of a snapshot that tipsy holds: families in order, the few known columns, no units.
fn tipsy_can_hold(snapshot: &Snapshot, variant: TipsyVariant) -> Snapshot {
    let mut bodies = snapshot.bodies.clone();
    let n = bodies.len();
    let ids = matches!(variant, TipsyVariant::Nvidia | TipsyVariant::Bonsai);
    // distinct and, for Bonsai's mark, small
    bodies.id = (0..n as u64).map(|i| if ids { (i * 7919 + 5) % 1_000_003 } else { i }).collect();
    bodies.extra.clear();
    let mut kinds: Vec<u8> = bodies.kind.take().into_iter().flatten().map(|k| [1, 1, 4, 4, 0, 0][k as usize]).collect();
    if ids {
        kinds.iter_mut().filter(|k| **k == 0).for_each(|k| *k = 1);
    }
    kinds.sort_unstable();
    if kinds.iter().any(|k| *k != 1) {
        if kinds.contains(&0) {
            let density = kinds.iter().map(|k| if *k == 0 { 0.5 } else { f64::NAN }).collect();
            bodies.extra.insert("density".into(), density);
        }
        bodies.kind = Some(kinds);
    }
    if !ids && n > 0 {
        bodies.extra.insert("potential".into(), (0..n).map(|i| -1.5 - i as f64).collect());
    }
    if variant == TipsyVariant::Bonsai || bodies.eps.iter().flatten().all(|e| *e == 0.0) {
        bodies.eps = None;
    }
    Snapshot { bodies, time: snapshot.time, ..Snapshot::default() }
}
