use super::*;

fn sample() -> Snapshot {
    let mut bodies = Bodies::default();
    for i in 0..50 {
        let q = f64::from(i) * 0.37 - 3.0;
        bodies.push(0.01 + q * q / 900.0, [q, q * q / 7.0, 1.0 / (q + 0.1)], [q / 3.0, 0.2 - q, q * q * q / 50.0]);
    }
    bodies.eps = Some((0..50).map(|i| 0.01 + f64::from(i) / 1e4).collect());
    bodies.extra.insert("density".into(), (0..50).map(|i| 1.0 + f64::from(i)).collect());
    bodies.extra.insert("temperature".into(), vec![300.0; 50]);
    Snapshot { bodies, time: 12.3, units: Units::henon_scaled(1e4, 2.5).unwrap(), ..Snapshot::default() }
}

/// Kinetic plus potential energy, by the definition.
fn energy(snapshot: &Snapshot) -> f64 {
    let b = &snapshot.bodies;
    let mut sum = 0.0;
    for i in 0..b.len() {
        sum += b.mass[i] * (b.vx[i].powi(2) + b.vy[i].powi(2) + b.vz[i].powi(2)) / 2.0;
        for j in 0..i {
            let r = ((b.x[i] - b.x[j]).powi(2) + (b.y[i] - b.y[j]).powi(2) + (b.z[i] - b.z[j]).powi(2)).sqrt();
            sum -= snapshot.units.g * b.mass[i] * b.mass[j] / r;
        }
    }
    sum
}

fn physical() -> [Units; 5] {
    [Units::msun_pc_kms(), Units::msun_au_day(), Units::gadget(), Units::si(), Units::henon_scaled(3e11, 7e3).unwrap()]
}

fn columns(b: &Bodies) -> Vec<&[f64]> {
    let mut all: Vec<&[f64]> = vec![&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.mass, b.eps.as_ref().unwrap()];
    all.extend(b.extra.values().map(Vec::as_slice));
    all
}

#[test]
fn g_agrees_with_published_values() {
    // astropy 8.0.2: constants.GM_sun in pc (km/s)^2 and, times 1e10, in kpc (km/s)^2
    assert!((Units::msun_pc_kms().g / 4.300_917_270_036e-3 - 1.0).abs() < 1e-12);
    assert!((Units::gadget().g / 43_009.172_700_36 - 1.0).abs() < 1e-12);
    // Gauss' constant squared; the nominal GM is rounded to 8 digits, 3e-10 below the measured one
    assert!((Units::msun_au_day().g / 0.017_202_098_95_f64.powi(2) - 1.0).abs() < 1e-9);
}

#[test]
fn g_follows_from_the_scales() {
    for units in physical() {
        let [l, m, t] = units.si.unwrap();
        // a handful of roundings
        assert!((G_SI * m * t * t / (l * l * l) / units.g - 1.0).abs() < 2e-15, "{units}");
    }
}

#[test]
fn there_and_back_is_exact_to_rounding() {
    for to in physical() {
        let before = sample();
        let mut after = before.clone();
        after.convert_to(&to).unwrap();
        assert_ne!(after.bodies.x, before.bodies.x);
        after.convert_to(&before.units).unwrap();
        for (a, b) in columns(&before.bodies).into_iter().zip(columns(&after.bodies)) {
            for (a, b) in a.iter().zip(b) {
                assert!(a.to_bits().abs_diff(b.to_bits()) <= 2, "{to}: {a} came back as {b}");
            }
        }
        assert!(before.time.to_bits().abs_diff(after.time.to_bits()) <= 2);
        assert_eq!(after.units, before.units);
    }
}

#[test]
fn energies_scale() {
    let before = sample();
    let e = energy(&before);
    for to in physical() {
        let mut after = before.clone();
        after.convert_to(&to).unwrap();
        let expected = before.units.conversion(&to, Dimension::ENERGY).unwrap().apply(e);
        // 1225 pairs of alternating signs, each with a few roundings
        assert!((energy(&after) / expected - 1.0).abs() < 1e-13, "{to}");
        assert_eq!(after.bodies.extra["temperature"], before.bodies.extra["temperature"]);
    }
}

#[test]
fn a_system_without_scale_is_not_converted() {
    let mut snapshot = Snapshot { units: Units::henon(), ..sample() };
    let before = snapshot.clone();
    let error = snapshot.convert_to(&Units::gadget()).unwrap_err();
    assert!(matches!(&error, Error::Parameter { value, .. } if value == "henon"), "{error}");
    assert_eq!(snapshot, before);
    snapshot.convert_to(&Units::henon()).unwrap();
    assert_eq!(snapshot, before);
    // G = 1 in both: the numbers are the same
    snapshot.convert_to(&Units::g1()).unwrap();
    assert_eq!((&snapshot.bodies, snapshot.units), (&before.bodies, Units::g1()));
}

#[test]
fn names_read_back() {
    for units in physical().into_iter().chain([
        Units::g1(),
        Units::g1_scaled(2.0, 0.7).unwrap(),
        Units::henon(),
        Units::henon_scaled(0.1, 1.0 / 3.0).unwrap(),
    ]) {
        assert_eq!(Units::by_name(&units.to_string()).unwrap(), units);
    }
    assert_eq!(Units::by_name("henon:1e4 Msun:2.5pc").unwrap(), sample().units);
    assert!(matches!(Units::by_name("furlongs"), Err(Error::Unknown { .. })));
    assert!(matches!(Units::by_name("henon:0msun:1pc"), Err(Error::Parameter { .. })));
    assert!(matches!(Units::by_name("henon:1msun:1yr"), Err(Error::Parameter { .. })));
}

#[test]
fn quantities() {
    let pc = Units::msun_pc_kms();
    let day = Units::msun_au_day();
    let (henon, gadget) = (Units::henon(), Units::gadget());
    let q = |text: &str, dimension, units| parse_quantity(text, dimension, units).unwrap();
    // exact: no unit, or the system's own unit
    for (text, dimension, units, expected) in [
        ("1/128", Dimension::TIME, &pc, 1.0 / 128.0),
        (" 1 / 128 ", Dimension::TIME, &pc, 1.0 / 128.0),
        ("-2.5e-3", Dimension::LENGTH, &pc, -2.5e-3),
        ("0.1pc", Dimension::LENGTH, &pc, 0.1),
        ("1/3 pc", Dimension::LENGTH, &pc, 1.0 / 3.0),
        ("10 Msun", Dimension::MASS, &pc, 10.0),
        ("10 days", Dimension::TIME, &day, 10.0),
        ("1 yr", Dimension::TIME, &day, 365.25),
        ("2 au/day", Dimension::VELOCITY, &day, 2.0),
        (".5", Dimension::NUMBER, &henon, 0.5),
    ] {
        assert_eq!(q(text, dimension, units), expected, "{text}");
    }
    // pc / (pc / 1000) may be one rounding from 1000
    assert!((q("3 km/s", Dimension::VELOCITY, &pc) - 3.0).abs() < 1e-14);
    assert!((q("3 km s^-1", Dimension::VELOCITY, &gadget) - 3.0).abs() < 1e-14);
    assert!((q("1e9 Msun/kpc^3", Dimension::DENSITY, &pc) - 1.0).abs() < 1e-14);
    // 1 pc = 206264.806 au
    assert!((q("1pc", Dimension::LENGTH, &day) - 206_264.806_247).abs() < 1e-6);
}

#[test]
fn quantities_that_are_not() {
    let units = Units::msun_pc_kms();
    let fractions = ["1/0", "1//2", "1/", "1/2/3"];
    let units_of = ["pc", "1 furlong", "1 pc/", "1 pc^x", "1 Myr", "1 2"];
    for text in ["", "nan", "inf", "1e999", "--1"].into_iter().chain(fractions).chain(units_of) {
        let outcome = parse_quantity(text, Dimension::LENGTH, &units);
        assert!(matches!(outcome, Err(Error::Parameter { .. })), "'{text}' gave {outcome:?}");
    }
    let error = parse_quantity("1 Myr", Dimension::TIME, &Units::henon()).unwrap_err();
    assert!(error.to_string().contains("no physical scale"), "{error}");
}
