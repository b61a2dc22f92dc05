//! A picture of bodies: their surface density by spots, its brightness by a tone, and colours.
//!
//! A body adds its mass over the area of a pixel to the pixels around it ([`spots`]), so that a pixel has
//! the mass by area of what lies behind it; from an eye, by the area that a pixel has at the depth of the body. (Where
//! more than half of the bodies have no mass, as test particles about a star, each counts as 1.) Colours of several bodies in a pixel are mixed by these weights, as light is:
//! as squares of their levels; their brightness is the square root of the tone, or a halo would be too dark to have a
//! colour.
//!
//! The picture is divided into tiles of 64 pixels a side. A body is in the list of each tile that its spot reaches; a
//! tile adds its bodies in their order, in f64, on one thread: the bits do not depend on the number of threads. No more
//! than a row of tiles is in memory, so a picture of 8192 x 8192 takes a few MB beside its bodies. Tiles are computed
//! twice where no range is given, first for the largest value.

use crate::camera::{Camera, Lens, View, default_up};
use crate::colours::{self, ColourBy, Colours, Scale, level};
use crate::labels::{self, Bar, Labels};
use crate::spots::{self, Span};
use crate::{Size, Stretch, Tone, png_file, wrong};
use manybody::cluster::{Neighbourhood, density_centre};
use manybody::diagnostics::lagrangian_radii;
use manybody::units::{Dimension, show};
use manybody::{Bodies, Result, Snapshot, Units};
use rayon::prelude::*;
use std::path::Path;

/// Pixels along a side of a tile.
const TILE: usize = 64;
/// The share of the bodies that fits the picture where nothing is said, and the room around it.
const SHOWN: f64 = 0.95;
const ROOM: f64 = 1.1;
/// The angle across a picture from an eye, in degrees, where only its distance is given.
const FIELD: f64 = 45.0;
/// The widest spots, in pixels: wider ones are slow, and no picture of bodies.
const WIDEST: f64 = 200.0;

/// What is in the middle of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Centre {
    /// The density centre, or the centre of mass of few bodies; in a series that of the first picture.
    #[default]
    Chosen,
    /// The density centre, of each picture of a series.
    Density,
    /// The centre of mass, of each picture of a series.
    Mass,
    /// A point.
    Point([f64; 3]),
}

/// How much of space is on a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Framing {
    /// So much that 95 % of the bodies fit, by parallel rays.
    #[default]
    Fit,
    /// This length across, by parallel rays.
    Width(f64),
    /// From an eye. Without a distance, as much as [`Fit`](Framing::Fit) shows at the centre; the angle is in degrees.
    Eye {
        /// From the eye to the centre.
        distance: Option<f64>,
        /// The angle across the picture.
        field: Option<f64>,
    },
}

/// How bodies are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Pixels.
    pub size: Size,
    /// What is in the middle.
    pub centre: Centre,
    /// The direction of sight.
    pub direction: [f64; 3],
    /// What is up; y where nothing is said, or z where y is along the direction.
    pub up: Option<[f64; 3]>,
    /// How much is seen.
    pub framing: Framing,
    /// What colours show.
    pub colour: ColourBy,
    /// The colour map.
    pub colours: Option<Colours>,
    /// The range of what is coloured; that of 98 of 100 bodies where nothing is said.
    pub colour_range: Option<[f64; 2]>,
    /// From density to brightness.
    pub stretch: Stretch,
    /// The surface densities where it begins and ends; chosen where nothing is said.
    pub range: Option<[f64; 2]>,
    /// The width of a body's Gaussian, in pixels; by the number of bodies where nothing is said.
    pub spot: Option<f64>,
    /// Whether time and scale are written.
    pub labels: bool,
}

impl Default for Look {
    fn default() -> Self {
        Look {
            size: Size::default(),
            centre: Centre::Chosen,
            direction: [0.0, 0.0, -1.0],
            up: None,
            framing: Framing::Fit,
            colour: ColourBy::Density,
            colours: None,
            colour_range: None,
            stretch: Stretch::Asinh,
            range: None,
            spot: None,
            labels: true,
        }
    }
}

/// A body on the picture.
#[derive(Clone, Copy)]
struct Spot {
    x: f64,
    y: f64,
    /// What it adds in all: mass by area.
    value: f64,
    /// How far it reaches, in pixels.
    reach: f64,
}

/// A picture that can be drawn.
pub struct Picture {
    look: Look,
    sigma: f64,
    spots: Vec<Spot>,
    /// The squares of the levels of each body's colour; empty where the density is coloured.
    shades: Vec<[f32; 3]>,
    /// Where the bodies of each tile begin in `listed`.
    begins: Vec<usize>,
    listed: Vec<u32>,
    tone: Tone,
    colours: Colours,
    labels: Labels,
}

impl Picture {
    /// Prepares the picture of a snapshot: O(n log n).
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody::Error::Parameter) for a look that cannot be, and for a snapshot without bodies;
    /// [`Error::Body`](manybody::Error::Body) for bodies with values that no computation can use.
    pub fn of(snapshot: &Snapshot, look: &Look) -> Result<Self> {
        let bodies = &snapshot.bodies;
        if bodies.is_empty() {
            return Err(wrong("bodies", 0, "there is nothing to show in a snapshot without bodies"));
        }
        bodies.validate()?;
        Size::new(look.size.width, look.size.height)?;
        let camera = camera(bodies, look)?;
        let view = camera.view(look.size)?;
        let sigma = look.spot.unwrap_or_else(|| spots::suitable(bodies.len(), look.size.least()));
        if !(0.1..=WIDEST).contains(&sigma) {
            return Err(wrong("spot", sigma, format!("must be 0.1 to {WIDEST} pixels")));
        }
        let (spots, seen) = project(bodies, &view, sigma, look.size);
        let scale_of = |values: &[f64]| Scale::of(look.colour, values, look.colour_range);
        let values = colours::quantity(bodies, look.colour)?;
        let scale = if values.is_empty() { Scale::Groups } else { scale_of(&values) };
        let colours = look.colours.unwrap_or_else(|| look.colour.colours());
        let square = |level: u8| (f32::from(level) / 255.0).powi(2);
        let shade = |i: &u32| scale.colour(values[*i as usize], &colours).map(square);
        let shades = if values.is_empty() { Vec::new() } else { seen.iter().map(shade).collect() };
        let (begins, listed) = list(&spots, look.size);
        let settled = Look {
            centre: if look.centre == Centre::Chosen { Centre::Point(camera.centre) } else { look.centre },
            framing: match camera.lens {
                Lens::Orthographic { width } => Framing::Width(width),
                Lens::Perspective { distance, field } => Framing::Eye { distance: Some(distance), field: Some(field) },
            },
            colour_range: scale.range().filter(|_| !values.is_empty()),
            spot: Some(sigma),
            ..look.clone()
        };
        // where the density is coloured, what is empty has a colour, too
        let dark = look.colour == ColourBy::Density && colours.at(0.0).iter().map(|c| u32::from(*c)).sum::<u32>() > 384;
        let labels = match look.labels {
            true => Labels::of(
                look.size,
                &labels::time(snapshot.time, &snapshot.units),
                view.pixel(),
                &snapshot.units,
                dark,
            )
            .with_bar(look.size, &bar(look.colour, &scale, &colours, &snapshot.units)),
            false => Labels::default(),
        };
        let tone = Tone { stretch: look.stretch, low: 1.0, high: 2.0 };
        let mut picture = Picture { look: settled, sigma, spots, shades, begins, listed, tone, colours, labels };
        picture.tone = match look.range {
            Some([low, high]) => Tone::new(look.stretch, low, high)?,
            None => picture.suitable_tone(),
        };
        picture.look.range = Some([picture.tone.low, picture.tone.high]);
        Ok(picture)
    }

    /// The look with all that was chosen for this picture, for the others of a series.
    pub fn look(&self) -> &Look {
        &self.look
    }

    fn suitable_tone(&self) -> Tone {
        let high = (0..self.tiles()).into_par_iter().map(|tile| {
            let values = self.accumulate(tile);
            values.chunks(self.channels()).map(|pixel| pixel[0]).fold(0.0, f64::max)
        });
        let high = high.reduce(|| 0.0, f64::max);
        let median = median(self.spots.iter().map(|spot| spot.value).collect());
        let low = 0.5 * median * spots::peak(self.sigma);
        // nothing in sight, or one body
        let low = if low > 0.0 && low.is_finite() { low } else { 1.0 };
        Tone { stretch: self.look.stretch, low, high: high.max(2.0 * low) }
    }

    fn channels(&self) -> usize {
        if self.shades.is_empty() { 1 } else { 4 }
    }

    fn columns(&self) -> usize {
        self.look.size.width.div_ceil(TILE)
    }

    fn tiles(&self) -> usize {
        self.columns() * self.look.size.height.div_ceil(TILE)
    }

    /// The sums of a tile: mass by area, and where bodies are coloured that times their colour; \[64, 64, channels\].
    fn accumulate(&self, tile: usize) -> Vec<f64> {
        let channels = self.channels();
        let mut sums = vec![0.0; TILE * TILE * channels];
        let [left, top] = [tile % self.columns(), tile / self.columns()].map(|k| (k * TILE) as i64);
        let (mut across, mut down) = (Span::default(), Span::default());
        // the part of a span on this tile: the first pixel there, and the weights from it on
        let part = |span: &Span, begin: i64| {
            let skipped = (begin - span.first).max(0) as usize;
            let first = (span.first - begin).max(0) as usize;
            let count = span.weights.len().saturating_sub(skipped).min(TILE.saturating_sub(first));
            (first, skipped, count)
        };
        for index in &self.listed[self.begins[tile]..self.begins[tile + 1]] {
            let spot = &self.spots[*index as usize];
            across.fill(spot.x, self.sigma, spot.reach);
            down.fill(spot.y, self.sigma, spot.reach);
            let (x, skipped_x, count_x) = part(&across, left);
            let (y, skipped_y, count_y) = part(&down, top);
            let shade = self.shades.get(*index as usize);
            for (row, weight) in down.weights[skipped_y..skipped_y + count_y].iter().enumerate() {
                let value = spot.value * weight;
                let at = ((y + row) * TILE + x) * channels;
                let pixels = sums[at..at + count_x * channels].chunks_exact_mut(channels);
                for (pixel, weight) in pixels.zip(&across.weights[skipped_x..]) {
                    let value = value * weight;
                    pixel[0] += value;
                    for (sum, channel) in pixel[1..].iter_mut().zip(shade.into_iter().flatten()) {
                        *sum += value * f64::from(*channel);
                    }
                }
            }
        }
        sums
    }

    /// The surface density of every pixel, row by row from the top: \[height, width\], mass / length^2.
    pub fn surface_density(&self) -> Vec<f64> {
        let Size { width, height } = self.look.size;
        let mut all = vec![0.0; width * height];
        let channels = self.channels();
        all.par_chunks_mut(TILE * width).enumerate().for_each(|(band, rows)| {
            for column in 0..self.columns() {
                let sums = self.accumulate(band * self.columns() + column);
                self.copy(&sums, rows, column, 1, |pixel, out| out[0] = pixel[0], channels);
            }
        });
        all
    }

    /// Copies a tile into rows with `depth` numbers a pixel.
    fn copy<T>(
        &self,
        sums: &[f64],
        rows: &mut [T],
        column: usize,
        depth: usize,
        of: impl Fn(&[f64], &mut [T]),
        channels: usize,
    ) {
        let width = self.look.size.width;
        let left = column * TILE;
        let count = TILE.min(width - left);
        for (row, line) in rows.chunks_mut(depth * width).zip(sums.chunks(TILE * channels)) {
            let pixels = row[depth * left..depth * (left + count)].chunks_mut(depth);
            pixels.zip(line.chunks(channels)).for_each(|(out, pixel)| of(pixel, out));
        }
    }

    /// The colour of a pixel.
    fn colour(&self, pixel: &[f64]) -> [u8; 3] {
        let t = self.tone.of(pixel[0]);
        match pixel {
            [_, shade @ ..] if !shade.is_empty() => {
                if pixel[0] > 0.0 {
                    std::array::from_fn(|k| level((t * shade[k] / pixel[0]).sqrt()))
                } else {
                    [0; 3]
                }
            }
            _ => self.colours.at(t),
        }
    }

    /// Draws the picture from the top down: hands some rows at a time to `take`, three bytes a pixel.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn draw(&self, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let Size { width, height } = self.look.size;
        let channels = self.channels();
        for top in (0..height).step_by(TILE) {
            let band = top / TILE;
            let tiles: Vec<Vec<[u8; 3]>> = (0..self.columns())
                .into_par_iter()
                .map(|column| {
                    let sums = self.accumulate(band * self.columns() + column);
                    sums.chunks(channels).map(|pixel| self.colour(pixel)).collect()
                })
                .collect();
            let mut rows = vec![0; 3 * width * TILE.min(height - top)];
            for (y, row) in rows.chunks_mut(3 * width).enumerate() {
                for (tile, out) in tiles.iter().zip(row.chunks_mut(3 * TILE)) {
                    let line = &tile[y * TILE..(y + 1) * TILE];
                    out.chunks_mut(3).zip(line).for_each(|(out, colour)| out.copy_from_slice(colour));
                }
            }
            self.labels.draw(&mut rows, width, top);
            take(&rows)?;
        }
        Ok(())
    }

    /// Writes a PNG file, all or nothing.
    ///
    /// # Errors
    /// [`Error::Io`](manybody::Error::Io).
    pub fn write_png(&self, path: &Path) -> Result<()> {
        png_file::write(path, self.look.size, |take| self.draw(take))
    }
}

/// The colour bar of speeds or masses; without colours for what has no such scale.
fn bar(by: ColourBy, scale: &Scale, colours: &Colours, units: &Units) -> Bar {
    let dimension = if by == ColourBy::Mass { Dimension::MASS } else { Dimension::VELOCITY };
    let (factor, unit) = show::plain_unit(dimension, units);
    match scale.range().filter(|_| by != ColourBy::Density) {
        None => Bar { colours: Vec::new(), ends: Default::default() },
        Some([low, high]) => {
            let colours = (0..256).map(|k| colours.at(f64::from(k) / 255.0)).collect();
            // as many digits as distinguish the ends
            let texts = |digits| [low, high].map(|end| colours::short(factor * end, digits));
            let apart = (3..=6).map(texts).find(|[low, high]| low != high);
            let [low, high] = apart.unwrap_or_else(|| texts(3));
            Bar { colours, ends: [low, format!("{high} {unit}").trim_end().into()] }
        }
    }
}

/// The camera of a look.
fn camera(bodies: &Bodies, look: &Look) -> Result<Camera> {
    let centre = match look.centre {
        Centre::Point(point) => point,
        Centre::Mass => centre_of_mass(bodies),
        Centre::Chosen | Centre::Density => {
            let densities = Neighbourhood::of(bodies).densities(bodies);
            densities.map_or_else(|| centre_of_mass(bodies), |densities| density_centre(bodies, &densities))
        }
    };
    let fit = || {
        let ones = Bodies { mass: vec![1.0; bodies.len()], ..bodies.clone() };
        let radius = lagrangian_radii(&ones, centre, &[SHOWN])[0];
        // one body, or all at one place
        let radius = if radius > 0.0 { radius } else { 1.0 };
        2.0 * ROOM * radius * look.size.width as f64 / look.size.least() as f64
    };
    let lens = match look.framing {
        Framing::Fit => Lens::Orthographic { width: fit() },
        Framing::Width(width) => Lens::Orthographic { width },
        Framing::Eye { distance, field } => {
            let field = field.unwrap_or(FIELD);
            let distance = distance.unwrap_or_else(|| 0.5 * fit() / libm::tan(0.5 * field.to_radians()));
            Lens::Perspective { distance, field }
        }
    };
    Ok(Camera { centre, direction: look.direction, up: look.up.unwrap_or_else(|| default_up(look.direction)), lens })
}

/// The centre of mass, or of the places of bodies without mass.
fn centre_of_mass(bodies: &Bodies) -> [f64; 3] {
    if bodies.total_mass() > 0.0 {
        return bodies.center_of_mass().0;
    }
    [&bodies.x, &bodies.y, &bodies.z].map(|column| column.iter().sum::<f64>() / bodies.len().max(1) as f64)
}

/// The one in the middle of the sorted values; 0 of no values.
fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    match values.is_empty() {
        true => 0.0,
        false => *values.select_nth_unstable_by(middle, f64::total_cmp).1,
    }
}

/// The bodies whose spots reach the picture, and their indices.
fn project(bodies: &Bodies, view: &View, sigma: f64, size: Size) -> (Vec<Spot>, Vec<u32>) {
    let massless = bodies.mass.iter().filter(|mass| **mass == 0.0).count();
    let are_counted = 2 * massless > bodies.len();
    let spot = |i: usize| {
        let mass = if are_counted { 1.0 } else { bodies.mass[i] };
        let place = view.place(bodies.position(i)).filter(|_| mass > 0.0)?;
        let value = mass / (place.pixel * place.pixel);
        Some((Spot { x: place.x, y: place.y, value, reach: 0.0 }, i as u32))
    };
    let mut placed: Vec<(Spot, u32)> = (0..bodies.len()).into_par_iter().filter_map(spot).collect();
    let median = median(placed.iter().map(|(spot, _)| spot.value).collect());
    placed.iter_mut().for_each(|(spot, _)| spot.reach = spots::reach(sigma, spot.value, median));
    let is_seen = |x: f64, reach: f64, side: usize| {
        let [first, last] = spots::ends(x, reach);
        last >= 0 && first < side as i64
    };
    placed.retain(|(spot, _)| is_seen(spot.x, spot.reach, size.width) && is_seen(spot.y, spot.reach, size.height));
    placed.into_iter().unzip()
}

/// The bodies of each tile, in their order: where each begins, and all one after the other.
fn list(spots: &[Spot], size: Size) -> (Vec<usize>, Vec<u32>) {
    let (columns, rows) = (size.width.div_ceil(TILE), size.height.div_ceil(TILE));
    let tiles = |x: f64, reach: f64, side: usize, count: usize| {
        let [first, last] = spots::ends(x, reach).map(|pixel| pixel.clamp(0, side as i64 - 1) as usize / TILE);
        first..=last.min(count - 1)
    };
    let each = |spot: &Spot, take: &mut dyn FnMut(usize)| {
        for row in tiles(spot.y, spot.reach, size.height, rows) {
            tiles(spot.x, spot.reach, size.width, columns).for_each(|column| take(row * columns + column));
        }
    };
    let mut begins = vec![0; columns * rows + 1];
    spots.iter().for_each(|spot| each(spot, &mut |tile| begins[tile + 1] += 1));
    for tile in 0..columns * rows {
        begins[tile + 1] += begins[tile];
    }
    let mut next = begins.clone();
    let mut listed = vec![0; begins[columns * rows]];
    for (index, spot) in spots.iter().enumerate() {
        each(spot, &mut |tile| {
            listed[next[tile]] = index as u32;
            next[tile] += 1;
        });
    }
    (begins, listed)
}

#[cfg(test)]
mod tests;
