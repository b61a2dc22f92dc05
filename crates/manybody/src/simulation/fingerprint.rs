//! A fingerprint, 16 digits, of the bodies that a run began with.

use crate::Snapshot;
use crate::events::RADIUS;
use crate::forces::extra_columns;
use crate::law::Law;
use std::hash::Hasher;
use twox_hash::XxHash3_64;

/// A fingerprint of the state of bodies: XXH3 with 64 bits of the time, the name of the units, and each body's id,
/// mass, position, velocity and softening, in 16 hexadecimal digits. Bodies that differ in a bit have another one.
pub fn fingerprint(snapshot: &Snapshot) -> String {
    fingerprint_under(snapshot, None, false)
}

/// The same with the extra columns that a law reads, where forces are those of a law, and with the bodies'
/// own radii, where these collide.
pub(crate) fn fingerprint_under(snapshot: &Snapshot, law: Option<&Law>, own_radii: bool) -> String {
    let Snapshot { bodies: b, time, units, .. } = snapshot;
    let mut hasher = XxHash3_64::new();
    hasher.write(&time.to_bits().to_le_bytes());
    hasher.write(units.name.as_bytes());
    hasher.write(&(b.len() as u64).to_le_bytes());
    b.id.iter().for_each(|id| hasher.write(&id.to_le_bytes()));
    for column in [&b.mass, &b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz].into_iter().chain(&b.eps) {
        column.iter().for_each(|value| hasher.write(&value.to_bits().to_le_bytes()));
    }
    let radius = Some(RADIUS.to_owned()).filter(|radius| own_radii && b.extra.contains_key(radius));
    for name in law.map(|law| extra_columns(law, b)).unwrap_or_default().into_iter().chain(radius) {
        hasher.write(name.as_bytes());
        b.extra[&name].iter().for_each(|value| hasher.write(&value.to_bits().to_le_bytes()));
    }
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ic::{Request, by_name};

    #[test]
    fn other_bodies_have_another_fingerprint() {
        let draw = |n, seed| by_name("plummer", &Request { n: Some(n), seed, ..Request::default() }).unwrap();
        let first = fingerprint(&draw(50, 1));
        assert_eq!(first, fingerprint(&draw(50, 1)));
        assert!(first.len() == 16 && first != fingerprint(&draw(50, 2)) && first != fingerprint(&draw(51, 1)));
        let mut moved = draw(50, 1);
        moved.bodies.z[49] = moved.bodies.z[49].next_up();
        assert_ne!(first, fingerprint(&moved));
    }
}
