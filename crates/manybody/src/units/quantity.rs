//! Quantities as people write them: "1/128", "10 Myr", "0.1pc", "3 km/s", "1e-3 Msun/pc^3".

use super::{AU, DAY, G_SI, GM_EARTH, GM_JUPITER, M_SUN, PC, R_SUN, Units, YEAR};
use crate::{Error, Result};

/// Powers of mass, length and time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dimension {
    /// Power of mass.
    pub mass: i8,
    /// Power of length.
    pub length: i8,
    /// Power of time.
    pub time: i8,
}

impl Dimension {
    /// A plain number.
    pub const NUMBER: Self = Self::new(0, 0, 0);
    /// Mass.
    pub const MASS: Self = Self::new(1, 0, 0);
    /// Length.
    pub const LENGTH: Self = Self::new(0, 1, 0);
    /// Time.
    pub const TIME: Self = Self::new(0, 0, 1);
    /// Length / time.
    pub const VELOCITY: Self = Self::new(0, 1, -1);
    /// Length / time^2.
    pub const ACCELERATION: Self = Self::new(0, 1, -2);
    /// Length / time^3.
    pub const JERK: Self = Self::new(0, 1, -3);
    /// Length^2 / time^2: potential, specific energy.
    pub const POTENTIAL: Self = Self::new(0, 2, -2);
    /// Mass length^2 / time^2.
    pub const ENERGY: Self = Self::new(1, 2, -2);
    /// Mass / length^3.
    pub const DENSITY: Self = Self::new(1, -3, 0);

    /// The dimension mass^a length^b time^c.
    pub const fn new(mass: i8, length: i8, time: i8) -> Self {
        Dimension { mass, length, time }
    }

    /// The dimension of a column by its name, where the name is one that the field's files use; `None` for others
    /// ("temperature", "charge"), which no conversion touches. Case and underscores do not matter.
    pub fn of_column(name: &str) -> Option<Self> {
        let plain: String = name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect();
        Some(match plain.as_str() {
            "x" | "y" | "z" | "eps" | "softening" | "radius" | "h" | "hsml" | "smoothinglength" => Self::LENGTH,
            "vx" | "vy" | "vz" | "soundspeed" => Self::VELOCITY,
            "mass" => Self::MASS,
            "ax" | "ay" | "az" | "acceleration" => Self::ACCELERATION,
            "jx" | "jy" | "jz" | "jerk" => Self::JERK,
            "pot" | "phi" | "potential" | "u" | "internalenergy" => Self::POTENTIAL,
            "rho" | "density" => Self::DENSITY,
            "age" | "time" | "tform" | "birthtime" | "formationtime" | "timestep" => Self::TIME,
            _ => return None,
        })
    }

    /// This dimension times `other` to a power.
    fn times(self, other: Self, power: i8) -> Option<Self> {
        let f = |a: i8, b: i8| a.checked_add(b.checked_mul(power)?);
        Some(Self::new(f(self.mass, other.mass)?, f(self.length, other.length)?, f(self.time, other.time)?))
    }

    /// What a person calls it.
    fn word(self) -> &'static str {
        match self {
            Self::NUMBER => "number",
            Self::MASS => "mass",
            Self::LENGTH => "length",
            Self::TIME => "time",
            Self::VELOCITY => "velocity",
            Self::ACCELERATION => "acceleration",
            Self::POTENTIAL => "potential",
            Self::ENERGY => "energy",
            Self::DENSITY => "density",
            _ => "quantity",
        }
    }
}

/// The SI value and dimension of a unit. Spelling is exact where case distinguishes units (Mpc), free where not.
fn unit(name: &str) -> Option<(f64, Dimension)> {
    let length = |si| Some((si, Dimension::LENGTH));
    let time = |si| Some((si, Dimension::TIME));
    let mass = |si| Some((si, Dimension::MASS));
    match name {
        "m" => return length(1.0),
        "Mpc" => return length(1e6 * PC),
        "Gpc" => return length(1e9 * PC),
        "M☉" | "M⊙" => return mass(M_SUN),
        "h" => return time(3600.0),
        "g" => return mass(1e-3),
        _ => {}
    }
    match name.to_ascii_lowercase().as_str() {
        "cm" => length(1e-2),
        "km" => length(1e3),
        "au" => length(AU),
        "pc" => length(PC),
        "kpc" => length(1e3 * PC),
        "ly" => length(299_792_458.0 * YEAR),
        "rsun" => length(R_SUN),
        "s" | "sec" => time(1.0),
        "min" => time(60.0),
        "hr" | "hour" | "hours" => time(3600.0),
        "d" | "day" | "days" => time(DAY),
        "yr" | "year" | "years" => time(YEAR),
        "kyr" => time(1e3 * YEAR),
        "myr" => time(1e6 * YEAR),
        "gyr" => time(1e9 * YEAR),
        "kg" => mass(1.0),
        "msun" => mass(M_SUN),
        "mearth" => mass(GM_EARTH / G_SI),
        "mjup" | "mjupiter" => mass(GM_JUPITER / G_SI),
        _ => None,
    }
}

const KNOWN: &str = "m cm km au pc kpc Mpc Gpc ly Rsun, s min h day yr kyr Myr Gyr, g kg Msun Mearth Mjup";

/// Reads a number, a fraction (1/128), or either with a unit ("10 Myr", "0.1pc", "3 km/s", "1 Msun/pc^3"), as a
/// number in `units`. A number without a unit is in `units` already.
///
/// # Errors
/// [`Error::Parameter`] for text that is not a finite number, a unit that is not known or of another dimension, or a
/// physical unit where `units` has no physical scale.
pub fn parse_quantity(text: &str, dimension: Dimension, units: &Units) -> Result<f64> {
    let wrong = |expected: String| Error::Parameter { name: dimension.word(), value: format!("'{text}'"), expected };
    let (value, rest) = number(text.trim())
        .ok_or_else(|| wrong("must be a number, a fraction like 1/128, or either with a unit".into()))?;
    if rest.is_empty() {
        return Ok(value);
    }
    let (si, found) = unit_expression(rest).map_err(&wrong)?;
    if found != dimension {
        return Err(wrong(format!("this is a {}; expected a {}", found.word(), dimension.word())));
    }
    let scale = units.in_si(dimension).ok_or_else(|| {
        wrong(format!("units {units} have no physical scale; give a plain number, or a scale as henon:1e5msun:3pc"))
    })?;
    // through a factor of 1 or more, so that 1 unit of the system itself comes out as exactly 1
    let converted = if si >= scale { value * (si / scale) } else { value / (scale / si) };
    if converted.is_finite() { Ok(converted) } else { Err(wrong("too large for these units".into())) }
}

/// The number or fraction that `text` begins with, and what follows it.
fn number(text: &str) -> Option<(f64, &str)> {
    let (value, rest) = decimal(text)?;
    let (value, rest) = match rest.trim_start().strip_prefix('/') {
        Some(below) => {
            let (below, rest) = decimal(below.trim_start())?;
            (value / below, rest)
        }
        None => (value, rest),
    };
    // one fraction: 1/128/2 says too much
    (value.is_finite() && !rest.trim_start().starts_with('/')).then(|| (value, rest.trim()))
}

/// The longest decimal number that `text` begins with.
fn decimal(text: &str) -> Option<(f64, &str)> {
    let bytes = text.as_bytes();
    let digits = |mut k: usize| {
        while bytes.get(k).is_some_and(u8::is_ascii_digit) {
            k += 1;
        }
        k
    };
    let mut end = digits(usize::from(matches!(bytes.first(), Some(b'+' | b'-'))));
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if digits(sign) > sign {
            end = digits(sign);
        }
    }
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// Units joined by `*`, `/` or space, each with an optional power: "km/s", "Msun/pc^3", "km s^-1".
fn unit_expression(text: &str) -> Result<(f64, Dimension), String> {
    let (mut si, mut dimension, mut sign) = (1.0, Dimension::NUMBER, 1);
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(['*', '/', ' ']).unwrap_or(rest.len());
        let (term, after) = rest.split_at(end);
        let (name, power) = match term.split_once('^') {
            Some((name, power)) => (name, power.parse::<i8>().ok().filter(|p| (-9..=9).contains(p))),
            None => (term, Some(1)),
        };
        let (one, of) = unit(name).ok_or_else(|| format!("unit '{name}' is not known; known: {KNOWN}"))?;
        let power = sign * power.ok_or_else(|| format!("'{term}' has no whole power after ^"))?;
        si *= super::power(one, power);
        dimension = dimension.times(of, power).ok_or_else(|| format!("the powers of '{text}' are out of range"))?;
        let joint = after.trim_start();
        sign = if joint.starts_with('/') { -1 } else { 1 };
        rest = joint.strip_prefix(['*', '/']).map_or(joint, str::trim_start);
        if rest.is_empty() && !joint.is_empty() {
            return Err(format!("'{text}' ends where a unit must follow"));
        }
    }
    Ok((si, dimension))
}
