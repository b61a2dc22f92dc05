//! Units as Gadget's files and their readers name them.

use crate::Units;
use crate::units::Dimension;
use hdf5_pure::{AttrValue, DatasetBuilder, GroupBuilder};
use std::collections::HashMap;

/// Seconds in 1e9 Julian years.
pub(super) const GYR: f64 = 1e9 * 365.25 * 86400.0;

/// The group /Units: centimetres, grams and seconds to one unit, as Gadget's parameter files name them.
pub(super) fn write(group: &mut GroupBuilder, [metre, kilogram, second]: [f64; 3]) {
    group.set_attr("UnitLength_in_cm", AttrValue::F64(metre * 1e2));
    group.set_attr("UnitMass_in_g", AttrValue::F64(kilogram * 1e3));
    group.set_attr("UnitVelocity_in_cm_per_s", AttrValue::F64(metre * 1e2 / second));
    group.set_attr("UnitTime_in_s", AttrValue::F64(second));
}

/// The attributes from which pynbody takes a dataset's unit (the OWLS convention), and those of Gadget-4.
pub(super) fn describe(dataset: &mut DatasetBuilder, dimension: Dimension, [metre, kilogram, second]: [f64; 3]) {
    // velocities have a symbol of their own; a pure number none
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

/// SI factors of length, mass and time from the attributes of /Units, /Parameters or /Header, as Gadget-2 to 4, AREPO
/// and GIZMO spell them.
pub(super) fn si_from(attributes: &HashMap<String, AttrValue>) -> Option<[f64; 3]> {
    let value = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| attributes.get(*name)).and_then(AttrValue::as_f64);
        found.filter(|v| v.is_finite() && *v > 0.0)
    };
    let length = value(["UnitLength_in_cm", "UnitLength_In_CGS"])? * 1e-2;
    let mass = value(["UnitMass_in_g", "UnitMass_In_CGS"])? * 1e-3;
    let velocity = value(["UnitVelocity_in_cm_per_s", "UnitVelocity_In_CGS"])? * 1e-2;
    Some([length, mass, length / velocity])
}

/// Units of a file that gives SI factors and no name. Parameter files round the solar mass and the parsec at will, so
/// what agrees to 1e-3 with a named system is meant to be it.
pub(super) fn from_si(si: [f64; 3]) -> Units {
    crate::snapshot::units_of(si, 1e-3)
}
