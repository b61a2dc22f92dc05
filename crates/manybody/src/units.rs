//! Systems of units: named, stored in every file, converted exactly to rounding.
//!
//! G = 1 by default. Henon units are G = 1 too, and promise more: M = 1 and E = -1/4. A physical system derives its G
//! from the *nominal* solar mass parameter GM, which is known to ten digits, never from G times a mass in kilograms,
//! which is known to four. CODATA's G enters only where kilograms do, and cancels between any two systems that count in
//! solar masses.
//!
//! Constants: GM of Sun, Earth and Jupiter and the solar radius [Prsa 2016]; au [IAU 2012]; pc = 648000/pi au
//! [IAU 2015]; day = 86400 s; year = 365.25 days; G in SI units [Tiesinga 2021].

mod quantity;
pub mod show;

pub use quantity::{Dimension, parse_quantity};

use crate::{Bodies, Error, Result, Snapshot};

/// Nominal solar mass parameter GM, m^3 / s^2 [Prsa 2016, table 1].
pub const GM_SUN: f64 = 1.327_124_4e20;
/// Nominal terrestrial mass parameter GM, m^3 / s^2 [Prsa 2016, table 1].
pub const GM_EARTH: f64 = 3.986_004e14;
/// Nominal jovian mass parameter GM, m^3 / s^2 [Prsa 2016, table 1].
pub const GM_JUPITER: f64 = 1.266_865_3e17;
/// Nominal solar radius, m [Prsa 2016, table 1].
pub const R_SUN: f64 = 6.957e8;
/// Astronomical unit, m, exact [IAU 2012].
pub const AU: f64 = 149_597_870_700.0;
/// Parsec, m: 648000/pi au [IAU 2015].
pub const PC: f64 = AU * 648_000.0 / std::f64::consts::PI;
/// Day, s, exact.
pub const DAY: f64 = 86_400.0;
/// Julian year, s, exact.
pub const YEAR: f64 = 365.25 * DAY;
/// The gravitational constant, m^3 / (kg s^2), relative uncertainty 2.2e-5 [Tiesinga 2021].
pub const G_SI: f64 = 6.674_30e-11;
/// Solar mass, kg: as uncertain as [`G_SI`].
pub const M_SUN: f64 = GM_SUN / G_SI;

/// The names that [`Units::by_name`] knows, with one line about each.
pub const NAMES: [(&str, &str); 9] = [
    ("g1", "G = 1, without a physical scale"),
    ("g1:MASSmsun:LENGTHpc", "G = 1 with units of mass and length, as g1:4e10msun:3000pc"),
    ("henon", "G = M = 1, E = -1/4, without a physical scale"),
    ("henon:MASSmsun:LENGTHpc", "Henon units with a scale, as henon:1e5msun:3pc"),
    ("msun-pc-kms", "solar masses, parsecs, km/s"),
    ("msun-kpc-kms", "solar masses, kiloparsecs, km/s"),
    ("msun-au-day", "solar masses, astronomical units, days"),
    ("gadget", "1e10 solar masses, kpc, km/s"),
    ("si", "kilograms, metres, seconds"),
];

/// A system of units: what the numbers of a snapshot mean.
///
/// G = 1 by default. A system with a physical scale also says how many SI units its units are.
///
/// ```
/// use manybody::units::{Dimension, Units, parse_quantity};
/// let units = Units::by_name("msun-pc-kms")?;
/// assert!((units.g - 4.300_917e-3).abs() < 1e-9);
/// let t_end = parse_quantity("10 Myr", Dimension::TIME, &units)?;
/// assert!((t_end - 10.227_12).abs() < 1e-4); // pc/(km/s) is 0.9778 Myr
/// # Ok::<(), manybody::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// The name as files and the command line spell it: "g1", "henon", "msun-pc-kms", ...
    pub name: String,
    /// The gravitational constant in these units.
    pub g: f64,
    /// Metres, kilograms and seconds to one unit of length, mass and time; `None` for a system without a scale.
    pub si: Option<[f64; 3]>,
}

/// What kind of system a name of units means, as far as its units have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum System {
    /// G = 1, without a physical scale.
    G1,
    /// G = M = 1, E = -1/4, without a physical scale.
    Henon,
    /// G = 1 with units of mass and length, which the name gives: "henon:1e5msun:3pc".
    Scaled,
    /// Solar masses, parsecs, km/s.
    MsunPcKms,
    /// Solar masses, kiloparsecs, km/s.
    MsunKpcKms,
    /// Solar masses, astronomical units, days.
    MsunAuDay,
    /// 1e10 solar masses, kiloparsecs, km/s.
    Gadget,
    /// Kilograms, metres, seconds.
    Si,
    /// Of another program, or given by a file in numbers.
    Other,
}

impl Units {
    /// The kind of system that the name means.
    pub fn system(&self) -> System {
        match self.name.as_str() {
            "g1" => System::G1,
            "henon" => System::Henon,
            "msun-pc-kms" => System::MsunPcKms,
            "msun-kpc-kms" => System::MsunKpcKms,
            "msun-au-day" => System::MsunAuDay,
            "gadget" => System::Gadget,
            "si" => System::Si,
            name if name.contains(':') => System::Scaled,
            _ => System::Other,
        }
    }

    /// G = 1 and nothing else: the units of a system whose mass and energy are what they are, and of files without
    /// units.
    pub fn g1() -> Self {
        Units { name: "g1".into(), g: 1.0, si: None }
    }

    /// Henon (N-body) units: G = M = 1, E = -1/4, without a physical scale [Heggie 1986]. The name is the maker's word
    /// for M and E; a run leaves it as it is.
    pub fn henon() -> Self {
        Units { name: "henon".into(), g: 1.0, si: None }
    }

    /// Henon units whose mass unit is `mass` solar masses and whose length unit (the virial radius of a system with
    /// E = -1/4) is `length` parsecs. The time unit follows from G = 1.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless both are finite and above 0.
    pub fn henon_scaled(mass: f64, length: f64) -> Result<Self> {
        Self::scaled("henon", mass, length)
    }

    /// The same for [`Units::g1`].
    ///
    /// # Errors
    /// [`Error::Parameter`] unless both are finite and above 0.
    pub fn g1_scaled(mass: f64, length: f64) -> Result<Self> {
        Self::scaled("g1", mass, length)
    }

    fn scaled(of: &str, mass: f64, length: f64) -> Result<Self> {
        for (name, value) in [("mass unit", mass), ("length unit", length)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(parameter(name, value, "must be a finite number above 0"));
            }
        }
        let metres = length * PC;
        let seconds = metres * (metres / (mass * GM_SUN)).sqrt();
        if !(seconds.is_finite() && seconds > 0.0) {
            return Err(parameter("length unit", length, "out of the range of numbers for this mass unit"));
        }
        let name = format!("{of}:{mass}msun:{length}pc");
        Ok(Units { name, g: 1.0, si: Some([metres, mass * M_SUN, seconds]) })
    }

    /// Solar masses, parsecs, km/s; time in pc/(km/s) = 0.9778 Myr.
    pub fn msun_pc_kms() -> Self {
        Units { name: "msun-pc-kms".into(), g: GM_SUN / (PC * 1e6), si: Some([PC, M_SUN, PC / 1e3]) }
    }

    /// Solar masses, kiloparsecs, km/s; time in kpc/(km/s) = 0.9778 Gyr.
    pub fn msun_kpc_kms() -> Self {
        let kpc = 1e3 * PC;
        Units { name: "msun-kpc-kms".into(), g: GM_SUN / (kpc * 1e6), si: Some([kpc, M_SUN, kpc / 1e3]) }
    }

    /// Solar masses, astronomical units, days.
    pub fn msun_au_day() -> Self {
        // DAY^2 is exact; AU^3 is rounded once a product
        Units { name: "msun-au-day".into(), g: GM_SUN * (DAY * DAY) / (AU * AU * AU), si: Some([AU, M_SUN, DAY]) }
    }

    /// Gadget's usual units without h: 1e10 solar masses, kpc, km/s; time in kpc/(km/s) = 0.9778 Gyr.
    pub fn gadget() -> Self {
        let kpc = 1e3 * PC;
        Units { name: "gadget".into(), g: 1e10 * GM_SUN / (kpc * 1e6), si: Some([kpc, 1e10 * M_SUN, kpc / 1e3]) }
    }

    /// Kilograms, metres, seconds.
    pub fn si() -> Self {
        Units { name: "si".into(), g: G_SI, si: Some([1.0; 3]) }
    }

    /// The system of a name, as [`Units::name`] spells it; [`NAMES`] lists them.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a name that is not there, [`Error::Parameter`] for a scale that cannot be.
    pub fn by_name(name: &str) -> Result<Self> {
        let unknown = || Error::Unknown {
            what: "system of units",
            name: name.into(),
            known: NAMES.map(|(name, _)| name).join(", "),
        };
        match name.to_ascii_lowercase().as_str() {
            "g1" => Ok(Self::g1()),
            "henon" => Ok(Self::henon()),
            "msun-pc-kms" => Ok(Self::msun_pc_kms()),
            "msun-kpc-kms" | "kpc-msun-kms" => Ok(Self::msun_kpc_kms()),
            "msun-au-day" => Ok(Self::msun_au_day()),
            "gadget" => Ok(Self::gadget()),
            "si" => Ok(Self::si()),
            _ => {
                let (of, scale) = name.split_once(':').ok_or_else(unknown)?;
                let of = ["henon", "g1"].into_iter().find(|known| *known == of).ok_or_else(unknown)?;
                let (mass, length) = scale.split_once(':').ok_or_else(unknown)?;
                let reference = Self::msun_pc_kms();
                Self::scaled(
                    of,
                    parse_quantity(mass, Dimension::MASS, &reference)?,
                    parse_quantity(length, Dimension::LENGTH, &reference)?,
                )
            }
        }
    }

    /// SI units to one unit of a dimension; `None` for a system without a scale.
    pub fn in_si(&self, dimension: Dimension) -> Option<f64> {
        let [metre, kilogram, second] = self.si?;
        Some(power(kilogram, dimension.mass) * power(metre, dimension.length) * power(second, dimension.time))
    }

    /// What turns a number in these units into one in `to`.
    ///
    /// # Errors
    /// [`Error::Parameter`] where one of two different systems has no physical scale.
    pub fn conversion(&self, to: &Units, dimension: Dimension) -> Result<Conversion> {
        if dimension == Dimension::NUMBER || (self.g == to.g && self.si == to.si) {
            return Ok(Conversion::Multiply(1.0));
        }
        match (self.in_si(dimension), to.in_si(dimension)) {
            // the same factor, 1 or more, serves both ways, so that there and back costs two roundings, not four
            (Some(from), Some(to)) if from >= to => Ok(Conversion::Multiply(from / to)),
            (Some(from), Some(to)) => Ok(Conversion::Divide(to / from)),
            (from, _) => Err(Error::Parameter {
                name: "units",
                value: if from.is_none() { self.name.clone() } else { to.name.clone() },
                expected: "no physical scale, so nothing to convert by; give it one, as henon:1e5msun:3pc".into(),
            }),
        }
    }
}

impl Units {
    /// Whether G is 1 and there is no physical scale, so that a file that names no units loses nothing.
    pub(crate) fn are_plain(&self) -> bool {
        self.g == 1.0 && self.si.is_none()
    }
}

impl Default for Units {
    fn default() -> Self {
        Self::g1()
    }
}

impl std::fmt::Display for Units {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl std::str::FromStr for Units {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        Self::by_name(name)
    }
}

/// base^exponent by multiplication: the same bits everywhere, which `f64::powi` does not promise.
fn power(base: f64, exponent: i8) -> f64 {
    let product = (0..exponent.unsigned_abs()).fold(1.0, |product, _| product * base);
    if exponent < 0 { 1.0 / product } else { product }
}

fn parameter(name: &'static str, value: f64, expected: &str) -> Error {
    Error::Parameter { name, value: value.to_string(), expected: expected.into() }
}

/// Turns a number of one system into that of another, with one rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Conversion {
    /// Multiply by a factor of 1 or more.
    Multiply(f64),
    /// Divide by a factor of 1 or more.
    Divide(f64),
}

impl Conversion {
    /// The converted number.
    pub fn apply(self, value: f64) -> f64 {
        match self {
            Conversion::Multiply(factor) => value * factor,
            Conversion::Divide(factor) => value / factor,
        }
    }

    /// Converts a column in place.
    pub fn apply_all(self, column: &mut [f64]) {
        if self != Conversion::Multiply(1.0) {
            column.iter_mut().for_each(|q| *q = self.apply(*q));
        }
    }
}

impl Units {
    /// Converts every field of bodies from these units to others: positions, velocities, masses, `eps`, and those
    /// `extra` columns whose dimension is known ([`Dimension::of_column`]); the others stay as they are.
    ///
    /// # Errors
    /// [`Error::Parameter`] where one of two different systems has no physical scale; nothing is changed then.
    pub fn convert_bodies(&self, bodies: &mut Bodies, to: &Units) -> Result<()> {
        let length = self.conversion(to, Dimension::LENGTH)?;
        let velocity = self.conversion(to, Dimension::VELOCITY)?;
        let mass = self.conversion(to, Dimension::MASS)?;
        for q in [&mut bodies.x, &mut bodies.y, &mut bodies.z] {
            length.apply_all(q);
        }
        for q in [&mut bodies.vx, &mut bodies.vy, &mut bodies.vz] {
            velocity.apply_all(q);
        }
        mass.apply_all(&mut bodies.mass);
        if let Some(eps) = &mut bodies.eps {
            length.apply_all(eps);
        }
        for (name, column) in &mut bodies.extra {
            if let Some(dimension) = Dimension::of_column(name) {
                self.conversion(to, dimension)?.apply_all(column);
            }
        }
        Ok(())
    }
}

impl Snapshot {
    /// Converts bodies and time to another system of units, exact to rounding: there and back again is within two
    /// units in the last place. `meta` stays as it is.
    ///
    /// A snapshot in "henon" or "g1" has no scale; give it one first: `snapshot.units = Units::henon_scaled(1e5,
    /// 3.0)?`.
    ///
    /// # Errors
    /// [`Error::Parameter`] where one of two different systems has no physical scale; nothing is changed then.
    pub fn convert_to(&mut self, to: &Units) -> Result<()> {
        let time = self.units.conversion(to, Dimension::TIME)?;
        self.units.convert_bodies(&mut self.bodies, to)?;
        self.time = time.apply(self.time);
        self.units = to.clone();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
