//! A computer-generated hologram: letters made of points of light at two depths, the interference pattern that they
//! make with a reference wave on a plane, and what that pattern, lit by the reference wave from behind, shows at each
//! depth. Writes hologram.png: pattern, near plane, far plane.
//!
//! ```text
//! O = sum of the points' waves (the law hologram)      pattern I = |O + R|^2,   R = A e^(i k x sin(tilt))
//! light through the pattern, (I - mean) R*, has a part |R|^2 O*: the points' waves run backwards
//! ```

use manybody::Result;
use manybody::law::{self, EvaluateLaw, Law, PairInputs};
use manybody::solver::Precision;

const WAVELENGTH: f64 = 0.5;
/// Sine of the angle at which the reference wave falls in.
const TILT: f64 = 0.12;
/// Distances of the letters from the plane.
pub(crate) const DEPTHS: [f64; 2] = [560.0, 680.0];
/// Letters of 5 x 7 points.
const LETTERS: [[&str; 7]; 2] = [
    ["#...#", "##..#", "#.#.#", "#..##", "#...#", "#...#", "#...#"],
    ["####.", "#...#", "#...#", "####.", "#...#", "#...#", "####."],
];

/// Points side by side as columns x, y, z, amplitude, phase.
type Light = [Vec<f64>; 5];

/// The points of a letter, six apart.
pub(crate) fn letter(which: usize) -> Vec<[f64; 3]> {
    let rows = LETTERS[which].iter().enumerate();
    let marks = rows.flat_map(|(row, marks)| marks.chars().enumerate().map(move |(k, mark)| (row, k, mark)));
    let place = |(row, k, _): (usize, usize, char)| [6.0 * (k as f64 - 2.0), 6.0 * (3.0 - row as f64), DEPTHS[which]];
    marks.filter(|(_, _, mark)| *mark == '#').map(place).collect()
}

/// A square of n x n places at depth z.
pub(crate) fn square(n: usize, pitch: f64, z: f64) -> Light {
    let axis = |k: usize| (k as f64 - 0.5 * (n - 1) as f64) * pitch;
    let x = (0..n * n).map(|k| axis(k % n)).collect();
    let y = (0..n * n).map(|k| axis(n - 1 - k / n)).collect();
    [x, y, vec![z; n * n], vec![0.0; n * n], vec![0.0; n * n]]
}

/// The wave that sources make at places.
fn wave(law: &Law, places: &Light, sources: &Light) -> Result<[Vec<f64>; 2]> {
    let (i, j) = (places.each_ref().map(Vec::as_slice), sources.each_ref().map(Vec::as_slice));
    // f32 would do for a picture, too: phases of 2 pi 700 / 0.5 keep three digits
    let mut field = law.evaluate(&PairInputs::two(&i, &j, &[WAVELENGTH]), Precision::F64)?;
    let im = field.swap_remove(1);
    Ok([field.swap_remove(0), im])
}

/// The pattern on a plane of n x n pixels, and the light that it lets through.
pub(crate) fn pattern(n: usize, pitch: f64) -> Result<(Vec<f64>, Light)> {
    let law = law::by_name("hologram")?;
    let points: Vec<[f64; 3]> = (0..2).flat_map(letter).collect();
    let column = |k: usize| points.iter().map(|p| p[k]).collect();
    // phases as of a rough surface, by the golden ratio
    let phase = (0..points.len()).map(|k| (k as f64 * 0.618_034).fract() * std::f64::consts::TAU).collect();
    let cloud = [column(0), column(1), column(2), vec![1.0; points.len()], phase];
    let mut plane = square(n, pitch, 0.0);
    let [re, im] = wave(&law, &plane, &cloud)?;
    let strong = 2.0 * (points.len() as f64).sqrt();
    let tilt = |x: f64| std::f64::consts::TAU / WAVELENGTH * TILT * x;
    let intensity: Vec<f64> = (0..n * n)
        .map(|k| {
            let phase = tilt(plane[0][k]);
            (re[k] + strong * phase.cos()).powi(2) + (im[k] + strong * phase.sin()).powi(2)
        })
        .collect();
    let mean = intensity.iter().sum::<f64>() / intensity.len() as f64;
    plane[3] = intensity.iter().map(|i| i - mean).collect();
    plane[4] = plane[0].iter().map(|x| -tilt(*x)).collect();
    Ok((intensity, plane))
}

/// How bright the lit plane is at places.
pub(crate) fn brightness(plane: &Light, places: &Light) -> Result<Vec<f64>> {
    let [re, im] = wave(&law::by_name("hologram")?, places, plane)?;
    Ok(re.iter().zip(&im).map(|(re, im)| re.hypot(*im)).collect())
}

fn main() -> Result<()> {
    let (pixels, views) = (256, 128);
    let (intensity, plane) = pattern(pixels, 1.0)?;
    let mut picture = vec![0_u8; 3 * pixels * pixels];
    let top = intensity.iter().copied().fold(0.0, f64::max);
    let mut paint = |panel: usize, k: usize, value: f64| {
        picture[k / pixels * 3 * pixels + panel * pixels + k % pixels] = (255.0 * value.clamp(0.0, 1.0)) as u8;
    };
    intensity.iter().enumerate().for_each(|(k, i)| paint(0, k, i / top));
    for (view, depth) in DEPTHS.iter().enumerate() {
        let seen = brightness(&plane, &square(views, 0.5, *depth))?;
        let top = seen.iter().copied().fold(0.0, f64::max);
        (0..pixels * pixels).for_each(|k| paint(view + 1, k, seen[k / pixels / 2 * views + k % pixels / 2] / top));
    }
    let path = std::env::args().nth(1).map_or_else(|| std::env::temp_dir().join("hologram.png"), Into::into);
    let failed = |source| manybody::Error::Io { path: path.clone(), action: "write", source };
    let file = std::fs::File::create(&path).map_err(failed)?;
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), 3 * pixels as u32, pixels as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_compression(png::Compression::High);
    encoder.write_header().and_then(|mut w| w.write_image_data(&picture)).map_err(|e| failed(e.into()))?;
    eprintln!("wrote {}", path.display());
    Ok(())
}
