//! Times and lengths with their units, for people. Programs get plain numbers in the units of the system.

use super::{Dimension, PC, System, Units, YEAR};

/// The unit that times of a system are shown in, and how many of it make the system's own unit.
pub fn time_unit(units: &Units) -> Option<(&'static str, f64)> {
    let second = units.in_si(Dimension::TIME)?;
    let years = second / YEAR;
    Some(match units.system() {
        System::Si => ("s", 1.0),
        System::MsunAuDay => ("d", 1.0),
        _ if years >= 1e8 => ("Gyr", years / 1e9),
        _ if years >= 1e4 => ("Myr", years / 1e6),
        _ if years >= 0.1 => ("yr", years),
        _ => ("s", second),
    })
}

/// A number as people write it: the fraction 1/128 for what is one, the shortest decimal otherwise.
pub fn number(value: f64) -> String {
    let inverse = 1.0 / value;
    if value > 0.0 && value < 0.1 && inverse.fract() == 0.0 && inverse < 1.0e6 && 1.0 / inverse == value {
        // 0.01 is shorter than 1/100 is clear
        let decimal = format!("{value}");
        if decimal.len() > 6 { format!("1/{inverse}") } else { decimal }
    } else {
        format!("{value:?}").trim_end_matches(".0").to_owned()
    }
}

/// Seven digits, as few as say it.
fn digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.6e}").parse().unwrap_or(value);
    number(rounded)
}

/// A number in full where that is short, else ten digits of it.
fn short(value: f64) -> String {
    let exact = number(value);
    let rounded: f64 = format!("{value:.9e}").parse().unwrap_or(value);
    if exact.len() <= 11 { exact } else { number(rounded) }
}

/// Whether a system has names for its units, so that its own numbers need not be shown beside others.
fn is_named(units: &Units) -> bool {
    units.si.is_some() && units.system() != System::Scaled
}

/// A time: "10 Myr"; "1.5 (0.41 Myr)" in Henon units with a scale; "1.5" without.
pub fn time(value: f64, units: &Units) -> String {
    match time_unit(units) {
        None => short(value),
        Some((unit, 1.0)) => format!("{} {unit}", short(value)),
        Some((unit, factor)) if is_named(units) => format!("{} {unit}", digits(value * factor)),
        Some((unit, factor)) => format!("{} ({} {unit})", short(value), digits(value * factor)),
    }
}

/// Where a run stands: a decimal of at most ten digits, of whatever size the time is.
pub fn moment(value: f64, units: &Units) -> String {
    match time_unit(units) {
        Some((unit, 1.0)) => format!("{} {unit}", decimal(value, 10)),
        Some((unit, factor)) if is_named(units) => format!("{} {unit}", decimal(value * factor, 7)),
        _ => decimal(value, 10),
    }
}

/// The same in four digits, for labels; in years or days also in Henon units with a scale.
pub fn label(value: f64, units: &Units) -> String {
    match time_unit(units) {
        Some((unit, factor)) => format!("{} {unit}", decimal(value * factor, 4)),
        None => decimal(value, 4),
    }
}

/// As few digits as say the number, `most` of them at most; with an exponent where it is large or small.
pub fn decimal(value: f64, most: usize) -> String {
    let rounded: f64 = format!("{value:.*e}", most - 1).parse().unwrap_or(value);
    format!("{rounded:?}").trim_end_matches(".0").to_owned()
}

/// A time as it can be given to the command, and in words: "1/128 (7.64 kyr)".
pub fn step(value: f64, units: &Units) -> String {
    match time_unit(units) {
        None => number(value),
        Some((unit, 1.0)) => format!("{} {unit}", number(value)),
        Some((unit, factor)) => {
            let years = value * units.in_si(Dimension::TIME).unwrap_or(0.0) / YEAR;
            let known = [("Gyr", 1e9), ("Myr", 1e6), ("kyr", 1e3), ("yr", 1.0)];
            let fits = known.into_iter().find(|(_, size)| years.abs() >= *size);
            let (unit, shown) = fits.map_or((unit, value * factor), |(unit, size)| (unit, years / size));
            format!("{} ({} {unit})", number(value), digits(shown))
        }
    }
}

/// The unit of lengths of a system that has one with a name.
pub fn length_unit(units: &Units) -> Option<&'static str> {
    Some(match units.system() {
        System::Si => "m",
        System::MsunAuDay => "au",
        System::MsunPcKms => "pc",
        System::Gadget | System::MsunKpcKms => "kpc",
        System::G1 | System::Henon | System::Scaled | System::Other => return None,
    })
}

/// Beside those of mass and length, the unit that a system names.
enum Own {
    /// That of time.
    Time(&'static str),
    /// That of velocity, km/s.
    Velocity,
}

/// The unit of a dimension in a system whose units have names: "Msun", "km/s", "pc/(km/s)", "Msun km^2/s^2". For times
/// of other systems with a scale, how long one is: "0.2432 Myr". `None` for numbers, and without a scale.
pub fn unit(dimension: Dimension, units: &Units) -> Option<String> {
    let (mass, length, own) = match units.system() {
        System::Si => ("kg", "m", Own::Time("s")),
        System::MsunAuDay => ("Msun", "au", Own::Time("d")),
        System::MsunPcKms => ("Msun", "pc", Own::Velocity),
        System::MsunKpcKms => ("Msun", "kpc", Own::Velocity),
        System::Gadget => ("1e10 Msun", "kpc", Own::Velocity),
        _ if dimension == Dimension::TIME => {
            return time_unit(units).map(|(unit, factor)| format!("{} {unit}", digits(factor)));
        }
        _ => return None,
    };
    // where velocities have a unit of their own, a time is a length by a velocity
    let powers = match own {
        Own::Velocity if dimension == Dimension::TIME => return Some(format!("{length}/(km/s)")),
        Own::Velocity => {
            let [over, under] = [("km", -dimension.time), ("s", dimension.time)];
            [(mass, dimension.mass), (length, dimension.length + dimension.time), over, under]
        }
        Own::Time(time) => [(mass, dimension.mass), (length, dimension.length), (time, dimension.time), ("", 0)],
    };
    let power = |(unit, power): &(&str, i8)| match power.abs() {
        1 => (*unit).to_owned(),
        power => format!("{unit}^{power}"),
    };
    let over: Vec<String> = powers.iter().filter(|(_, power)| *power > 0).map(power).collect();
    let under: Vec<String> =
        powers.iter().filter(|(_, power)| *power < 0).map(|unit| format!("/{}", power(unit))).collect();
    match (over.is_empty(), under.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("1{}", under.concat())),
        _ => Some(format!("{}{}", over.join(" "), under.concat())),
    }
}

/// A unit without the number that may be in it, beside numbers that are multiplied by that: 1e10 and "Msun" for the unit
/// "1e10 Msun". Empty where numbers have no unit.
pub fn plain_unit(dimension: Dimension, units: &Units) -> (f64, String) {
    let unit = unit(dimension, units).unwrap_or_default();
    match unit.split_once(' ').map(|(number, name)| (number.parse(), name)) {
        Some((Ok(factor), name)) => (factor, name.into()),
        _ => (1.0, unit),
    }
}

/// A length: "0.1 pc"; "1/64 (0.047 pc)" in Henon units with a scale; "1/64" without.
pub fn length(value: f64, units: &Units) -> String {
    match (length_unit(units), units.in_si(Dimension::LENGTH)) {
        (Some(unit), _) => format!("{} {unit}", number(value)),
        (None, Some(metres)) => {
            format!("{} ({} pc)", number(value), digits(value * metres / PC))
        }
        (None, None) => number(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_a_unit_is_told_apart() {
        let of = |name: &str, dimension| plain_unit(dimension, &Units::by_name(name).unwrap());
        assert_eq!(of("gadget", Dimension::MASS), (1e10, "Msun".into()));
        assert_eq!(of("gadget", Dimension::ENERGY), (1e10, "Msun km^2/s^2".into()));
        assert_eq!(of("gadget", Dimension::VELOCITY), (1.0, "km/s".into()));
        assert_eq!(of("msun-pc-kms", Dimension::MASS), (1.0, "Msun".into()));
        assert_eq!(of("g1", Dimension::MASS), (1.0, String::new()));
    }

    #[test]
    fn numbers_read_as_people_write_them() {
        for (value, text) in [
            (1.0 / 128.0, "1/128"),
            (0.01, "0.01"),
            (0.015625, "1/64"),
            (1.0, "1"),
            (0.0, "0"),
            (6.25, "6.25"),
            (1.0e-9, "1e-9"),
            (1.0e21, "1e21"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn dimensions_have_units() {
        let all = [
            Dimension::NUMBER,
            Dimension::TIME,
            Dimension::LENGTH,
            Dimension::VELOCITY,
            Dimension::ENERGY,
            Dimension::DENSITY,
            Dimension::new(1, 1, -1),
            Dimension::new(1, 2, -1),
            Dimension::new(1, -2, 0),
        ];
        let of = |name: &str| all.map(|d| unit(d, &Units::by_name(name).unwrap()).unwrap_or_default()).join("; ");
        assert_eq!(
            of("msun-pc-kms"),
            "; pc/(km/s); pc; km/s; Msun km^2/s^2; Msun/pc^3; Msun km/s; Msun pc km/s; Msun/pc^2"
        );
        assert_eq!(of("si"), "; s; m; m/s; kg m^2/s^2; kg/m^3; kg m/s; kg m^2/s; kg/m^2");
        assert_eq!(of("henon"), "; ; ; ; ; ; ; ; ");
        assert!(
            of("henon:1e5msun:3pc").starts_with("; 0.24") && of("henon:1e5msun:3pc").ends_with(" Myr; ; ; ; ; ; ; ")
        );
    }

    #[test]
    fn times_and_lengths_have_units() {
        let units = |name: &str| Units::by_name(name).unwrap();
        let pc = units("msun-pc-kms");
        assert_eq!(time(10.227_121_650_456_949, &pc), "10 Myr");
        assert_eq!(step(1.0 / 128.0, &pc), "1/128 (7.639002 kyr)");
        assert_eq!(moment(5.0, &pc), "4.888961 Myr");
        assert_eq!((label(5.0, &pc), label(2.0 / 3.0, &Units::henon())), ("4.889 Myr".into(), "0.6667".into()));
        for (value, text) in [(1e300, "1e300"), (1.0 / 128.0, "0.0078125"), (3e-9, "3e-9"), (0.0, "0"), (2.0, "2")] {
            assert_eq!(moment(value, &Units::henon()), text);
        }
        assert_eq!(moment(100.0 / 3.0, &units("msun-au-day")), "33.33333333 d");
        assert_eq!((time(365.25, &units("msun-au-day")), length(0.5, &pc)), ("365.25 d".into(), "0.5 pc".into()));
        assert_eq!((time(1.5, &Units::henon()), length(0.015625, &Units::henon())), ("1.5".into(), "1/64".into()));
        assert_eq!(time(0.5, &units("msun-kpc-kms")), "0.4888961 Gyr");
        let scaled = units("henon:1e5msun:3pc");
        assert_eq!(length(0.5, &scaled), "0.5 (1.5 pc)");
        assert!(
            time(1.0, &scaled).starts_with("1 (0.2") && time(1.0, &scaled).ends_with(" Myr)"),
            "{}",
            time(1.0, &scaled)
        );
    }
}
