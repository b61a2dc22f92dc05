//! What a softening hides of a system: hard binaries, multiples, planets, a core much smaller than the whole.
//!
//! A softening takes from the potential of a body what is within about eps of it. Relative to the mean potential of all,
//! G M / R, that is
//!
//! ```text
//! d = (phi(eps) - phi(0)) R / (G M)
//! ```
//!
//! For a binary of equal masses M / n at the separation r it is R / (n r), and d = 1 means a binding energy G m^2 / 2r of twice
//! the mean kinetic energy of a body in equilibrium, G M m / 4R: the pair is hard, and so are its orbits beside those of the
//! whole. Planets and multiples count likewise, by their stars, and a small dense core by all of it at once.
//!
//! Chance gives few bodies such neighbours. Of all models of initial conditions, at 64 to 16,384 bodies, King's with w0 = 12
//! has most: d > 1 at 7 of 64, d > 2 nowhere. Hence [`MANY`] and [`SOME`].

/// The share of bodies with d > 1 that is too much.
const MANY: f64 = 1.0 / 8.0;

/// The share of bodies with d > 2 that is too much.
const SOME: f64 = 1.0 / 40.0;

/// Two close pairs, which chance may give 64 bodies.
const CHANCE: usize = 4;

/// What of a sample is hidden: the share of its bodies, and the place of the one that most is hidden of. `depths` are d of the
/// sampled bodies.
pub(super) fn found(depths: &[f64]) -> Option<(f64, usize)> {
    let beyond = |least: f64| depths.iter().filter(|d| **d > least).count();
    let n = depths.len() as f64;
    let is_considerable =
        |count: usize, share: f64| count as f64 > share * n && (count > CHANCE || 2 * count > depths.len());
    let (bound, tight) = (beyond(1.0), beyond(2.0));
    if !is_considerable(bound, MANY) && !is_considerable(tight, SOME) {
        return None;
    }
    let deepest = (0..depths.len()).max_by(|a, b| depths[*a].total_cmp(&depths[*b]))?;
    Some((bound as f64 / n, deepest))
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn a_considerable_share_is_found() {
        let of =
            |n: usize, deep: usize, d: f64| (0..n).map(|k| if k < deep { d + k as f64 * 1e-3 } else { 0.5 }).collect();
        let found = |n, deep, d| {
            let depths: Vec<f64> = of(n, deep, d);
            found(&depths)
        };
        assert_eq!(found(512, 64, 1.5), None);
        assert_eq!(found(512, 65, 1.5), Some((65.0 / 512.0, 64)));
        assert_eq!(found(512, 12, 5.0), None);
        assert_eq!(found(512, 13, 5.0), Some((13.0 / 512.0, 12)));
        // chance, and three planets of three
        assert_eq!(found(64, 4, 100.0), None);
        assert_eq!(found(3, 3, 100.0), Some((1.0, 2)));
        assert_eq!(found(0, 0, 1.0), None);
    }
}
