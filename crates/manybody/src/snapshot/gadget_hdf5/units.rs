//! Units as Gadget's files and their readers name them.

use super::values;
use crate::Units;
use crate::units::{Dimension, G_SI};
use hdf5_pure::{AttrValue, DatasetBuilder, GroupBuilder};
use std::collections::HashMap;

/// Seconds in 1e9 Julian years.
pub(super) const GYR: f64 = 1e9 * 365.25 * 86400.0;

/// What /Units says: the scale of the units or, where they have no scale, 1 cm, 1 s, and the mass that gives G its
/// value.
pub(super) fn shown(units: &Units) -> [f64; 3] {
    const METRE: f64 = 1e-2;
    units.si.unwrap_or([METRE, units.g / G_SI * (METRE * METRE * METRE), 1.0])
}

/// The group /Units: centimetres, grams and seconds to one unit, as Gadget's parameter files name them.
pub(super) fn write(group: &mut GroupBuilder, [metre, kilogram, second]: [f64; 3]) {
    group.set_attr("UnitLength_in_cm", AttrValue::F64(metre * 1e2));
    group.set_attr("UnitMass_in_g", AttrValue::F64(kilogram * 1e3));
    group.set_attr("UnitVelocity_in_cm_per_s", AttrValue::F64(metre * 1e2 / second));
    group.set_attr("UnitTime_in_s", AttrValue::F64(second));
}

/// The attributes from which pynbody takes a dataset's unit (the OWLS convention), and those of Gadget-4.
pub(super) fn describe(dataset: &mut DatasetBuilder, dimension: Dimension, [metre, kilogram, second]: [f64; 3]) {
    // velocities have their own symbol; a pure number has no symbol
    let [length, mass, time] = [dimension.length, dimension.mass, dimension.time].map(i32::from);
    let velocity = if time < 0 { -time } else { 0 };
    let symbols = [("U_L", length - velocity), ("U_M", mass), ("U_V", velocity), ("U_T", time + velocity)];
    let words: Vec<String> = symbols
        .iter()
        .filter(|(_, power)| *power != 0)
        .map(|(symbol, power)| if *power == 1 { symbol.to_string() } else { format!("{symbol}^{power} ") })
        .collect();
    let cgs = (metre * 1e2).powi(length) * (kilogram * 1e3).powi(mass) * second.powi(time);
    dataset.set_attr("VarDescription", AttrValue::AsciiString(format!("in units of {} ", words.join(" "))));
    dataset.set_attr("CGSConversionFactor", AttrValue::F64(cgs));
    dataset.set_attr("aexp-scale-exponent", AttrValue::F32(0.0));
    dataset.set_attr("h-scale-exponent", AttrValue::F32(0.0));
    dataset.set_attr("a_scaling", AttrValue::F64(0.0));
    dataset.set_attr("h_scaling", AttrValue::F64(0.0));
    dataset.set_attr("length_scaling", AttrValue::F64((length - velocity).into()));
    dataset.set_attr("mass_scaling", AttrValue::F64(mass.into()));
    dataset.set_attr("velocity_scaling", AttrValue::F64(velocity.into()));
    dataset.set_attr("to_cgs", AttrValue::F64(cgs));
}

/// SI factors of length, mass and time from the attributes of /Units, /Parameters or /Header, as Gadget-2 to 4, AREPO,
/// GIZMO and SWIFT spell them.
pub(super) fn si_from(attributes: &HashMap<String, AttrValue>) -> Option<[f64; 3]> {
    let value = |names: &[&str]| {
        let found = names.iter().find_map(|name| attributes.get(*name)).and_then(values::number);
        found.filter(|v| crate::snapshot::is_positive(*v))
    };
    let length = value(&["UnitLength_in_cm", "UnitLength_In_CGS", "Unit length in cgs (U_L)"])? * 1e-2;
    let mass = value(&["UnitMass_in_g", "UnitMass_In_CGS", "Unit mass in cgs (U_M)"])? * 1e-3;
    let second = match value(&["UnitVelocity_in_cm_per_s", "UnitVelocity_In_CGS"]) {
        Some(velocity) => length / (velocity * 1e-2),
        None => value(&["Unit time in cgs (U_t)"])?,
    };
    Some([length, mass, second])
}

/// Units of a file that gives SI factors and no name. Parameter files round the solar mass and the parsec at will, so
/// what agrees to 1e-3 with a named system is meant to be it. An error says what is wrong with them.
pub(super) fn from_si(si: [f64; 3]) -> Result<Units, String> {
    crate::snapshot::units_of(si, 1e-3)
}
