//! The same bits on every machine and in every release: hashes of all that a model makes.
//!
//! A hash that changes means that everybody's seeds give other bodies: say so in CHANGELOG.md, or find what changed.

use super::*;

/// FNV-1a over the bits of all columns, in a fixed byte order.
fn hash(bodies: &Bodies) -> u64 {
    let columns = [&bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz, &bodies.mass];
    let bits = columns.into_iter().flatten().map(|q| q.to_bits()).chain(bodies.id.iter().copied());
    let components = bodies.extra.get(COMPONENT).into_iter().flatten().map(|component| *component as u8);
    bits.flat_map(u64::to_le_bytes)
        .chain(components)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn models_keep_their_bits() {
    let golden: [(&str, u64); 10] = [
        ("plummer", 0xaaf9_032e_109e_b2ea),
        ("king", 0xee50_4a78_8bf6_8687),
        ("hernquist", 0xb64a_03a5_542b_445b),
        ("uniform-sphere", 0x7c59_3dcd_7337_e652),
        ("disc", 0x8e1d_0023_d20c_3606),
        ("collision", 0x504e_7729_036c_6b43),
        ("kepler", 0x1eef_9e17_f937_24d4),
        ("figure8", 0xa340_85c7_e5d3_9746),
        ("pythagorean", 0x80e6_18f1_150b_4b82),
        ("solar-system", 0xee3b_4a22_a1ed_3b4a),
    ];
    let found: Vec<(&str, u64)> = registry()
        .iter()
        .map(|model| {
            let mut request = Request { n: model.n.or(Some(1000)), seed: 42, ..Request::default() };
            match model.name {
                "uniform-sphere" => request = request.with("virial", 0.5),
                "kepler" => request = request.with("phase", 100),
                "disc" => request = request.with("bulge-mass", 0.3),
                "collision" => request = request.with("mass-ratio", "1/3").with("inclination2", 60),
                _ => {}
            }
            (model.name, hash(&by_name(model.name, &request).unwrap().bodies))
        })
        .collect();
    let table: String = found.iter().map(|(name, hash)| format!("(\"{name}\", {hash:#018x}),\n")).collect();
    assert!(found == golden, "found\n{table}");
}
