//! The bytes of frames and casts, which docs/live.md describes. Everything is little-endian.
//!
//! ```text
//! frame   "mbF1"  cast u32  number u32  bodies u32 | 24 f64 (see HEADER) | 2 u32 a body | 1 byte a body | 1 byte a body
//! cast    "mbC1"  cast u32  bodies u32  groups u32 | f64 id a body | f64 mass a body | 1 byte a body, its group
//! ```
//!
//! The two words of a body hold its place in the box, x + 2^21 y + 2^42 z, of 21 bits each. The two bytes are speed and
//! the logarithm of the local density, between the ends of the ranges of the header.

use crate::scene::{Cast, Scene};

/// Numbers in the header of a frame, in this order: step, time, steps a second, pairs a second, energy, energy error,
/// force error, place in the series; the corner of the box (3) and its edge; the centre of mass (3); the density centre
/// (3); the ends of the range of speeds (2) and of log10 of densities (2); the most bodies that one of those shown stands
/// for; all bodies, shown or not.
const HEADER: usize = 24;

/// The largest number of 21 bits.
const CELLS: f64 = ((1_u32 << 21) - 1) as f64;

/// What a frame shows besides the scene.
#[derive(Clone, Debug)]
pub(crate) struct Measured<'a> {
    pub(crate) centre_of_mass: [f64; 3],
    /// NaN where it is not known.
    pub(crate) density_centre: [f64; 3],
    pub(crate) speeds: &'a [f64],
    pub(crate) speed_range: [f64; 2],
    /// log10, empty where densities are not known.
    pub(crate) densities: &'a [f64],
    pub(crate) density_range: [f64; 2],
}

/// The box is at most so many times as wide as the place of 90 of 100 bodies. Its cells, 2^-21 of it, then are 1/2000 of
/// that place, less than a pixel: one body that is far away makes no grid of the others.
const MAX_WIDTHS: f64 = 1000.0;

/// Bodies that this place is found from.
const WIDTH_SAMPLE: usize = 2000;

/// The cube about the bodies. Those that are farther out than [`MAX_WIDTHS`] allows are shown on its faces.
#[derive(Clone, Copy, Debug)]
struct Cube {
    corner: [f64; 3],
    edge: f64,
}

impl Cube {
    fn about(position: &[Vec<f64>; 3]) -> Self {
        let low = |column: &Vec<f64>| column.iter().copied().fold(f64::INFINITY, f64::min);
        let high = |column: &Vec<f64>| column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if position[0].is_empty() {
            return Cube { corner: [0.0; 3], edge: 1.0 };
        }
        let corner = [0, 1, 2].map(|k| low(&position[k]));
        let edge = [0, 1, 2].map(|k| high(&position[k]) - corner[k]).into_iter().fold(0.0, f64::max);
        let bulk = position.each_ref().map(|column| bulk(column));
        let most = MAX_WIDTHS * bulk.map(|[low, high]| high - low).into_iter().fold(0.0, f64::max);
        if most > 0.0 && edge > most {
            return Cube { corner: bulk.map(|[low, high]| 0.5 * (low + high) - 0.5 * most), edge: most };
        }
        Cube { corner, edge: if edge > 0.0 { edge } else { 1.0 } }
    }

    fn words(&self, place: [f64; 3]) -> u64 {
        let scale = CELLS / self.edge;
        let cell = |k: usize| ((place[k] - self.corner[k]) * scale + 0.5).clamp(0.0, CELLS) as u64;
        cell(0) | (cell(1) << 21) | (cell(2) << 42)
    }
}

/// Where 90 of 100 values are: without the lowest and the highest twentieth of them.
fn bulk(values: &[f64]) -> [f64; 2] {
    let mut some: Vec<f64> = values.iter().step_by(values.len().div_ceil(WIDTH_SAMPLE)).copied().collect();
    let (without, last) = (some.len() / 20, some.len() - 1);
    [without, last - without].map(|k| *some.select_nth_unstable_by(k, f64::total_cmp).1)
}

/// The frame of a scene.
pub(crate) fn of_scene(number: u32, scene: &Scene, measured: &Measured<'_>) -> Vec<u8> {
    let n = scene.cast.len();
    let cube = Cube::about(&scene.position);
    let mut bytes = Vec::with_capacity(16 + 8 * HEADER + 10 * n);
    bytes.extend(b"mbF1");
    [scene.cast.number, number, n as u32].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    header(scene, measured, &cube).iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    let [x, y, z] = &scene.position;
    for i in 0..n {
        bytes.extend(cube.words([x[i], y[i], z[i]]).to_le_bytes());
    }
    bytes.extend(measured.speeds.iter().map(|speed| level(*speed, measured.speed_range)));
    match measured.densities.is_empty() {
        true => bytes.resize(bytes.len() + n, 0),
        false => bytes.extend(measured.densities.iter().map(|density| level(*density, measured.density_range))),
    }
    bytes
}

fn header(scene: &Scene, measured: &Measured<'_>, cube: &Cube) -> [f64; HEADER] {
    let numbers = &scene.numbers;
    let stands_for = scene.cast.sample.stands_for.iter().copied().fold(1.0, f32::max);
    let mut header = [0.0; HEADER];
    let values = [
        &[numbers.step, numbers.time, numbers.steps_per_second, numbers.pairs_per_second][..],
        &[numbers.energy, numbers.energy_error, numbers.force_error, numbers.index],
        &cube.corner,
        &[cube.edge],
        &measured.centre_of_mass,
        &measured.density_centre,
        &measured.speed_range,
        &measured.density_range,
        &[f64::from(stands_for), scene.cast.bodies as f64],
    ];
    values.into_iter().flatten().zip(&mut header).for_each(|(value, place)| *place = *value);
    header
}

/// The level of a value between the ends of a range, 0 to 255.
fn level(value: f64, [low, high]: [f64; 2]) -> u8 {
    let share = if high > low { (value - low) / (high - low) } else { 0.5 };
    (share.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// What of the bodies does not change.
pub(crate) fn of_cast(cast: &Cast) -> Vec<u8> {
    let n = cast.len();
    let mut bytes = Vec::with_capacity(16 + 17 * n);
    bytes.extend(b"mbC1");
    let has_groups = u32::from(cast.group.is_some());
    [cast.number, n as u32, has_groups].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    cast.id.iter().for_each(|id| bytes.extend((*id as f64).to_le_bytes()));
    cast.mass.iter().for_each(|mass| bytes.extend(mass.to_le_bytes()));
    match &cast.group {
        Some(group) => bytes.extend(group),
        None => bytes.resize(bytes.len() + n, 0),
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_21_bits() {
        let position = [vec![-3.0, 1.0], vec![0.0, 5.0], vec![2.0, 2.5]];
        let cube = Cube::about(&position);
        assert_eq!((cube.corner, cube.edge), ([-3.0, 0.0, 2.0], 5.0));
        for place in [[-3.0, 0.0, 2.0], [1.0, 5.0, 2.5]] {
            let words = cube.words(place);
            for (k, q) in place.into_iter().enumerate() {
                let cell = (words >> (21 * k)) & 0x1f_ffff;
                let back = cube.corner[k] + cell as f64 * cube.edge / CELLS;
                // half a cell
                assert!((back - q).abs() <= 0.5 * cube.edge / CELLS * (1.0 + 1e-9), "{back} {q}");
            }
            assert_eq!(words >> 63, 0);
        }
        assert_eq!(Cube::about(&[vec![1.0], vec![1.0], vec![1.0]]).edge, 1.0);
        assert_eq!(Cube::about(&[vec![], vec![], vec![]]).edge, 1.0);
    }

    #[test]
    fn a_body_far_away_makes_no_grid_of_the_others() {
        let near = |k: usize| (k % 100) as f64 / 100.0;
        let mut position = [0, 1, 2].map(|axis| (0..200).map(|k| near(k * (axis + 1))).collect::<Vec<f64>>());
        let whole = Cube::about(&position);
        assert!(whole.edge < 1.0);
        position[0][7] = 1e6;
        position[1][8] = -1e9;
        let cube = Cube::about(&position);
        // the place of 90 of 100 is at most 1 wide
        assert!(cube.edge <= MAX_WIDTHS && cube.edge / CELLS < 1e-3, "{cube:?}");
        let cells = |words: u64| [0, 21, 42].map(|k| (words >> k) & 0x1f_ffff);
        let [x, _, _] = cells(cube.words([1e6, position[1][7], position[2][7]]));
        let [_, y, _] = cells(cube.words([position[0][8], -1e9, position[2][8]]));
        assert_eq!((x, y), ((1 << 21) - 1, 0));
        // with few bodies, every body counts
        let triple = [vec![0.0, 1e-6, 1e6], vec![0.0; 3], vec![0.0; 3]];
        assert_eq!(Cube::about(&triple).edge, 1e6);
    }

    #[test]
    fn levels_span_the_range() {
        assert_eq!(
            [0.0, 1.0, 2.0, 3.0, 9.0, f64::NEG_INFINITY].map(|v| level(v, [1.0, 3.0])),
            [0, 0, 128, 255, 255, 0]
        );
        assert_eq!(level(1.0, [1.0, 1.0]), 128);
    }
}
