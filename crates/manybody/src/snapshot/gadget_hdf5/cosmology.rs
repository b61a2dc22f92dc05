//! Cosmological snapshots: how each code marks them.
//!
//! | code | marks |
//! |---|---|
//! | Gadget-4, AREPO | /Parameters: ComovingIntegrationOn |
//! | GIZMO | /Header: ComovingIntegrationOn |
//! | SWIFT | /Cosmology: "Cosmological run"; /Policy: "cosmological integration" |
//! | Gadget-2 and 3, scripts | /Header: Redshift, Time = 1 / (1 + Redshift), Omega0, OmegaLambda |
//!
//! A file of the last kind at redshift 0 is recognised by Time = 1 and a density parameter.

use super::part::{Attributes, Part};
use super::values;
use crate::Result;
use crate::snapshot::COSMOLOGY;
use std::collections::BTreeMap;

const FLAGS: [&str; 3] = ["ComovingIntegrationOn", "Cosmological run", "cosmological integration"];
const DENSITIES: [&str; 6] = ["Omega0", "Omega_Matter", "Omega_m", "OmegaLambda", "Omega_Lambda", "Omega_lambda"];

/// Keeps what only a cosmological or periodic simulation sets; returns what is to be said of a box.
pub(super) fn keep(part: &Part, meta: &mut BTreeMap<String, String>) -> Result<Option<&'static str>> {
    let [parameters, cosmology, policy] = ["Parameters", "Cosmology", "Policy"].map(|group| part.attributes(group));
    let groups = [&part.header, &parameters?, &cosmology?, &policy?];
    // the first number: SWIFT has three sides of a box
    let one = |group: &Attributes, name: &str| values::numbers(group.get(name)?)?.first().copied();
    let value = |names: &[&str]| {
        let all = names.iter().flat_map(|name| groups.iter().filter_map(|group| one(group, name)));
        all.into_iter().find(|v| v.is_finite())
    };
    for (name, plain) in
        [("Redshift", 0.0), ("Omega0", 0.0), ("OmegaLambda", 0.0), ("HubbleParam", 1.0), ("BoxSize", 0.0)]
    {
        if let Some(value) = value(&[name]).filter(|v| *v != plain) {
            meta.entry(format!("gadget.{name}")).or_insert_with(|| value.to_string());
        }
    }
    let redshift = value(&["Redshift"]);
    let expansion = value(&["Scale-factor", "ExpansionFactor", "Time"]);
    let dense = DENSITIES.iter().any(|name| value(&[name]).is_some_and(|v| v != 0.0));
    let comoving = match value(&FLAGS) {
        Some(flag) => flag != 0.0,
        None => {
            let today = expansion.is_some_and(|a| (a - 1.0).abs() < 1e-6);
            redshift.is_some_and(|z| z != 0.0) || (dense && today)
        }
    };
    let side = value(&["BoxSize"]).filter(|v| *v != 0.0);
    if comoving {
        let numbers = [("a", expansion), ("z", redshift), ("h", value(&["HubbleParam", "h"])), ("box", side)];
        let words = numbers.iter().filter_map(|(name, value)| Some(format!("{name} = {}", (*value)?)));
        meta.entry(COSMOLOGY.into()).or_insert_with(|| words.collect::<Vec<_>>().join(", "));
    }
    Ok(side.map(|_| "a periodic box: bodies are taken as isolated"))
}
