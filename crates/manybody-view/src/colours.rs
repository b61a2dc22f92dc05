//! Colour maps made for science, and what of the bodies is coloured.

use crate::wrong;
use colorous::Gradient;
use manybody::units::show;
use manybody::{Bodies, Error, Result};
use std::str::FromStr;

/// A colour map.
#[derive(Clone, Copy, Debug)]
pub struct Colours {
    name: &'static str,
    /// `None` for plain gray.
    gradient: Option<Gradient>,
}

/// The maps by name. All but gray are those of the crate colorous, by the names of their authors.
const MAPS: [(&str, Option<Gradient>); 9] = [
    ("inferno", Some(colorous::INFERNO)),
    ("magma", Some(colorous::MAGMA)),
    ("plasma", Some(colorous::PLASMA)),
    ("viridis", Some(colorous::VIRIDIS)),
    ("cividis", Some(colorous::CIVIDIS)),
    ("turbo", Some(colorous::TURBO)),
    ("cool", Some(colorous::COOL)),
    ("warm", Some(colorous::WARM)),
    ("gray", None),
];

impl Colours {
    /// The names of all maps.
    pub fn names() -> String {
        MAPS.map(|(name, _)| name).join(", ")
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The colour of `t`, 0 to 1, or of 0 where it is NaN: red, green and blue.
    pub fn at(&self, t: f64) -> [u8; 3] {
        let t = if t.is_nan() { 0.0 } else { t };
        match self.gradient {
            Some(gradient) => {
                let colour = gradient.eval_continuous(t.clamp(0.0, 1.0));
                [colour.r, colour.g, colour.b]
            }
            None => [level(t); 3],
        }
    }
}

impl FromStr for Colours {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = MAPS.into_iter().find(|(name, _)| *name == text);
        let unknown = || Error::Unknown { what: "colour map", name: text.into(), known: Colours::names() };
        found.map(|(name, gradient)| Colours { name, gradient }).ok_or_else(unknown)
    }
}

impl PartialEq for Colours {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The nearest of the 256 levels of a channel.
pub fn level(t: f64) -> u8 {
    (255.0 * t.clamp(0.0, 1.0) + 0.5) as u8
}

/// A number of so many digits, with an exponent where it is large.
pub(crate) fn short(value: f64, digits: usize) -> String {
    let decimal = show::decimal(value, digits);
    if value.abs() < 1e5 { decimal } else { decimal.parse().map_or(decimal, |rounded: f64| format!("{rounded:e}")) }
}

/// What the colours show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// The surface density, as brightness does.
    #[default]
    Density,
    /// The speed of the bodies, about that of the centre of mass.
    Speed,
    /// The mass of the bodies.
    Mass,
    /// The group: the column `group`, else `component`, else the type of a particle.
    Group,
}

impl ColourBy {
    const NAMES: [(&str, ColourBy); 4] = [
        ("density", ColourBy::Density),
        ("speed", ColourBy::Speed),
        ("mass", ColourBy::Mass),
        ("group", ColourBy::Group),
    ];

    /// The map where nothing is said.
    pub fn colours(self) -> Colours {
        let name = if self == ColourBy::Density { "inferno" } else { "cool" };
        let gradient = MAPS.into_iter().find(|(own, _)| *own == name).and_then(|(_, gradient)| gradient);
        Colours { name, gradient }
    }
}

impl FromStr for ColourBy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = || Self::NAMES.map(|(name, _)| name).join(", ");
        let found = Self::NAMES.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, by)| by).ok_or_else(|| Error::Unknown { what: "colouring", name: text.into(), known: known() })
    }
}

/// The number that a body is coloured by: \[n\].
pub(crate) fn quantity(bodies: &Bodies, by: ColourBy) -> Result<Vec<f64>> {
    match by {
        ColourBy::Density => Ok(Vec::new()),
        ColourBy::Mass => Ok(bodies.mass.clone()),
        ColourBy::Speed => {
            let (_, mean) = bodies.center_of_mass();
            let speed = |i: usize| {
                let v = bodies.velocity(i);
                [0, 1, 2].map(|k| (v[k] - mean[k]) * (v[k] - mean[k])).iter().sum::<f64>().sqrt()
            };
            Ok((0..bodies.len()).map(speed).collect())
        }
        ColourBy::Group => {
            let column = ["group", "component"].iter().find_map(|name| bodies.extra.get(*name)).cloned();
            let kinds = || bodies.kind.as_ref().map(|kinds| kinds.iter().map(|kind| f64::from(*kind)).collect());
            column.or_else(kinds).ok_or_else(|| {
                wrong("colour", "group", "these bodies have neither a column group or component nor types of particles")
            })
        }
    }
}

/// From such numbers to colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scale {
    Linear([f64; 2]),
    Log([f64; 2]),
    /// Whole numbers, each with a colour of its own.
    Groups,
}

impl Scale {
    /// The scale for these numbers. `range` is what was asked for; else it is that of 98 of 100 bodies.
    pub(crate) fn of(by: ColourBy, values: &[f64], range: Option<[f64; 2]>) -> Self {
        if by == ColourBy::Group {
            return Scale::Groups;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted.get((share * (sorted.len().max(1) - 1) as f64) as usize).copied().unwrap_or(0.0);
        let range = range.unwrap_or([at(0.01), at(0.99)]);
        let is_wide = by == ColourBy::Mass && range[0] > 0.0 && range[1] > 10.0 * range[0];
        if is_wide { Scale::Log(range) } else { Scale::Linear(range) }
    }

    /// Its range, where it has one.
    pub(crate) fn range(&self) -> Option<[f64; 2]> {
        match self {
            Scale::Linear(range) | Scale::Log(range) => Some(*range),
            Scale::Groups => None,
        }
    }

    pub(crate) fn colour(&self, value: f64, colours: &Colours) -> [u8; 3] {
        let share = |value: f64, [low, high]: [f64; 2]| match high > low {
            true => ((value - low) / (high - low)).clamp(0.0, 1.0),
            false => 0.5,
        };
        match self {
            Scale::Linear(range) => colours.at(share(value, *range)),
            Scale::Log(range) => colours.at(share(libm::log(value.max(range[0])), range.map(libm::log))),
            Scale::Groups => {
                let palette = &colorous::TABLEAU10;
                let colour = palette[(value as i64).rem_euclid(palette.len() as i64) as usize];
                [colour.r, colour.g, colour.b]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_go_from_end_to_end() {
        for (name, _) in MAPS {
            let map: Colours = name.parse().unwrap();
            assert_ne!(map.at(0.0), map.at(1.0), "{name}");
            assert_eq!(map.at(1.0), map.at(7.0));
            assert_eq!(map.at(0.0), map.at(f64::NAN));
        }
        let gray: Colours = "gray".parse().unwrap();
        assert_eq!([0.0, 0.5, 1.0].map(|t| gray.at(t)[0]), [0, 128, 255]);
        let error = "jet".parse::<Colours>().unwrap_err();
        assert!(error.is_bad_input() && error.to_string().contains("cividis"), "{error}");
        assert!("temperature".parse::<ColourBy>().unwrap_err().is_bad_input());
    }

    #[test]
    fn a_scale_spans_its_values() {
        let values: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!(Scale::of(ColourBy::Speed, &values, None), Scale::Linear([1.0, 99.0]));
        assert_eq!(Scale::of(ColourBy::Mass, &values, None), Scale::Log([1.0, 99.0]));
        assert_eq!(Scale::of(ColourBy::Mass, &values, Some([2.0, 3.0])), Scale::Linear([2.0, 3.0]));
        let gray: Colours = "gray".parse().unwrap();
        assert_eq!(Scale::Log([1.0, 100.0]).colour(10.0, &gray)[0], 128);
        assert_eq!(Scale::of(ColourBy::Speed, &[3.0; 5], None).colour(3.0, &gray)[0], 128);
        assert_eq!(Scale::of(ColourBy::Speed, &[], None).colour(3.0, &gray)[0], 128);
    }
}
