//! The time and the scale bar, in letters of a font that comes with the program.

use crate::Size;
use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use manybody::Units;
use manybody::units::{System, show};

/// Pictures with a shorter side are too small for letters.
const LEAST: usize = 96;
/// A share of what is below, that letters have around them on bright and dark pixels alike.
const SHADOW: f64 = 0.6;

/// Pixels with a share of ink: a part of a label.
struct Stamp {
    left: i64,
    top: i64,
    width: usize,
    ink: Vec<f32>,
}

/// A colour map with what its ends stand for.
pub struct Bar {
    /// The colours from left to right.
    pub colours: Vec<[u8; 3]>,
    /// What is at the left end and at the right one.
    pub ends: [String; 2],
}

/// All labels of a picture.
#[derive(Default)]
pub struct Labels {
    stamps: Vec<Stamp>,
    /// Where what is written at the bottom on the left ends.
    taken: i64,
    /// Coloured columns of pixels: where they are, and how high.
    left: i64,
    top: i64,
    high: usize,
    colours: Vec<[u8; 3]>,
    /// The colour of letters, and that of their shadows.
    ink: u8,
    shadow: u8,
    /// How far a shadow reaches.
    offset: i64,
}

/// "t = 10 Myr"; the system where its units have no names.
pub fn time(time: f64, units: &Units) -> String {
    format!("t = {}", with_system(show::label(time, units), units))
}

/// A length as the bar has it.
pub fn length(length: f64, units: &Units) -> String {
    with_system(show::length(length, units), units)
}

fn with_system(text: String, units: &Units) -> String {
    match (units.si, units.system()) {
        (Some(_), _) => text,
        (None, System::Henon) => format!("{text} (Henon units)"),
        (None, System::G1) => format!("{text} (G = 1)"),
        (None, _) => format!("{text} ({})", units.name),
    }
}

/// The largest of 1, 2 and 5 times a power of ten that is not above `most`.
pub fn round_length(most: f64) -> f64 {
    let power = libm::floor(libm::log10(most)) as i32;
    // from text, the nearest number to 5e-3
    let of = |digit: u8, power: i32| format!("{digit}e{power}").parse::<f64>().unwrap_or(most);
    let all = [(5, power), (2, power), (1, power), (5, power - 1)];
    all.into_iter().map(|(digit, power)| of(digit, power)).find(|length| *length <= most).unwrap_or(most)
}

/// The height of letters on a picture, in pixels.
fn letters(size: Size) -> f32 {
    (size.least() as f32 / 36.0).max(11.0)
}

/// How wide a text is.
fn width(text: &str, height: f32) -> f32 {
    let Ok(font) = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT) else { return 0.0 };
    let font = font.as_scaled(PxScale::from(height));
    text.chars().map(|letter| font.h_advance(font.glyph_id(letter))).sum()
}

impl Labels {
    /// The time at the top, and at the bottom a bar of about a fifth of the width, `pixel` long a pixel. Nothing on a
    /// picture that is too small for it. `dark` where letters must be dark.
    pub fn of(size: Size, time_label: &str, pixel: f64, units: &Units, dark: bool) -> Self {
        if size.least() < LEAST {
            return Labels::default();
        }
        let height = letters(size);
        let margin = height.round() as i64;
        let (ink, shadow) = if dark { (0, 255) } else { (255, 0) };
        let offset = (height / 14.0).ceil() as i64;
        let mut labels = Labels { ink, shadow, offset, ..Labels::default() };
        labels.write(time_label, margin, margin, height);
        let long = round_length(0.2 * size.width as f64 * pixel);
        let wide = (long / pixel).round().max(1.0) as usize;
        let thick = (height / 8.0).ceil() as usize;
        let bottom = size.height as i64 - margin;
        let bar = Stamp { left: margin, top: bottom - thick as i64, width: wide, ink: vec![1.0; wide * thick] };
        labels.stamps.push(bar);
        let text = length(long, units);
        labels.write(&text, margin, bottom - thick as i64 - (1.3 * height) as i64, height);
        labels.taken = margin + (wide as i64).max(width(&text, height).ceil() as i64);
        labels
    }

    /// The same with a colour bar at the bottom on the right, as wide as a fifth of the picture, or as what is written
    /// above it. Without it where the picture is too narrow for that.
    pub fn with_bar(mut self, size: Size, bar: &Bar) -> Self {
        if size.least() < LEAST || bar.colours.is_empty() {
            return self;
        }
        let height = letters(size);
        let margin = height.round() as i64;
        let widths = [0, 1].map(|end| width(&bar.ends[end], height).ceil() as usize);
        let wide = (size.width / 5).max(widths[0] + height as usize + widths[1]);
        if self.taken + 2 * margin + wide as i64 > size.width as i64 {
            return self;
        }
        self.high = (height / 2.5).ceil() as usize;
        self.left = size.width as i64 - margin - wide as i64;
        self.top = size.height as i64 - margin - self.high as i64;
        self.colours = (0..wide).map(|x| bar.colours[x * bar.colours.len() / wide]).collect();
        let top = self.top - (1.3 * height) as i64;
        self.write(&bar.ends[0], self.left, top, height);
        let right = size.width as i64 - margin - widths[1] as i64;
        self.write(&bar.ends[1], right, top, height);
        self
    }

    /// Adds a line of text whose upper left corner is at `left` and `top`, with letters of `height` pixels.
    fn write(&mut self, text: &str, left: i64, top: i64, height: f32) {
        // the font is a part of the program, and is read by every test that draws
        let Ok(font) = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT) else { return };
        let font = font.as_scaled(PxScale::from(height));
        let mut caret = left as f32;
        let mut before = None;
        for letter in text.chars() {
            let mut glyph = font.scaled_glyph(letter);
            if let Some(before) = before {
                caret += font.kern(before, glyph.id);
            }
            before = Some(glyph.id);
            glyph.position = point(caret, top as f32 + font.ascent());
            caret += font.h_advance(glyph.id);
            let Some(outlined) = font.outline_glyph(glyph) else { continue };
            let bounds = outlined.px_bounds();
            let (width, rows) = (bounds.width() as usize, bounds.height() as usize);
            let mut ink = vec![0.0; width * rows];
            outlined.draw(|x, y, share| {
                if let Some(pixel) = ink.get_mut(y as usize * width + x as usize) {
                    *pixel = share;
                }
            });
            self.stamps.push(Stamp { left: bounds.min.x as i64, top: bounds.min.y as i64, width, ink });
        }
    }

    /// Draws on rows of a picture, from row `first` on.
    pub fn draw(&self, rows: &mut [u8], width: usize, first: usize) {
        for (y, row) in (first as i64..).zip(rows.chunks_mut(3 * width)) {
            if (self.top..self.top + self.high as i64).contains(&y) {
                let pixels = row.chunks_mut(3).skip(self.left.max(0) as usize);
                pixels.zip(&self.colours).for_each(|(pixel, colour)| pixel.copy_from_slice(colour));
            }
        }
        for stamp in &self.stamps {
            stamp.draw(rows, width, first, self.offset, self.shadow, SHADOW);
        }
        for stamp in &self.stamps {
            stamp.draw(rows, width, first, 0, self.ink, 1.0);
        }
    }
}

impl Stamp {
    fn draw(&self, rows: &mut [u8], width: usize, first: usize, offset: i64, colour: u8, strength: f64) {
        for (y, line) in self.ink.chunks(self.width.max(1)).enumerate() {
            let row = self.top + offset + y as i64 - first as i64;
            let Ok(row) = usize::try_from(row) else { continue };
            for (x, ink) in line.iter().enumerate() {
                let Ok(column) = usize::try_from(self.left + offset + x as i64) else { continue };
                let at = 3 * (row * width + column);
                if column < width && at + 3 <= rows.len() {
                    let share = strength * f64::from(*ink).clamp(0.0, 1.0);
                    for channel in &mut rows[at..at + 3] {
                        *channel = ((1.0 - share) * f64::from(*channel) + share * f64::from(colour) + 0.5) as u8;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_round_lengths() {
        for (most, length) in [(1.0, 1.0), (0.99, 0.5), (7.0, 5.0), (4.9e-7, 2e-7), (1.9e12, 1e12), (0.005, 0.005)] {
            assert_eq!(round_length(most), length);
        }
    }

    #[test]
    fn labels_say_their_units() {
        let units = |name: &str| Units::by_name(name).unwrap();
        assert_eq!(time(10.227_121_650_456_949, &units("msun-pc-kms")), "t = 10 Myr");
        assert_eq!(time(0.5, &units("henon")), "t = 0.5 (Henon units)");
        assert_eq!(length(0.5, &units("msun-pc-kms")), "0.5 pc");
        assert_eq!(length(0.5, &units("henon:1e5msun:3pc")), "0.5 (1.5 pc)");
        assert_eq!(length(2.0, &units("g1")), "2 (G = 1)");
    }

    /// The columns between both ends that have letters of neither, above the bar.
    #[test]
    fn ends_of_a_bar_do_not_run_together() {
        for (side, ends) in [(1024, ["7.36e-6", "0.000955 Msun"]), (300, ["1.57", "16.7 km/s"])] {
            let size = Size { width: side, height: side };
            let bar = Bar { colours: vec![[250, 0, 0]], ends: ends.map(String::from) };
            let labels = Labels::of(size, "", 1.0, &Units::henon(), false).with_bar(size, &bar);
            let height = letters(size) as i64;
            let above = |stamp: &&Stamp| stamp.left >= labels.left && stamp.top < labels.top;
            let mut spans: Vec<[i64; 2]> =
                labels.stamps.iter().filter(above).map(|s| [s.left, s.left + s.width as i64]).collect();
            spans.sort_unstable();
            let letters: usize = ends.iter().map(|end| end.replace(' ', "").len()).sum();
            assert_eq!(spans.len(), letters, "{side}");
            let gap = spans.windows(2).map(|pair| pair[1][0] - pair[0][1]).max().unwrap();
            assert!(gap > height / 2, "{side}: {gap}");
            assert!(spans[0][0] >= labels.taken && spans[letters - 1][1] <= side as i64);
        }
        // beside the scale there is no room for it
        let size = Size { width: 120, height: 120 };
        let bar = Bar { colours: vec![[250, 0, 0]], ends: ["7.36e-6".into(), "0.000955 Msun".into()] };
        assert_eq!(Labels::of(size, "", 1.0, &Units::henon(), false).with_bar(size, &bar).high, 0);
    }

    /// Letters are drawn, in strips as on the whole picture; nothing on a small one.
    #[test]
    fn strips_have_the_labels_of_the_whole() {
        let size = Size { width: 300, height: 200 };
        let bar = Bar { colours: vec![[250, 0, 0], [0, 0, 250]], ends: ["0".into(), "5 km/s".into()] };
        let labels = Labels::of(size, "t = 1.25 Myr", 0.01, &Units::msun_pc_kms(), false).with_bar(size, &bar);
        let mut whole = vec![40_u8; 3 * 300 * 200];
        labels.draw(&mut whole, 300, 0);
        let bright = whole.iter().filter(|value| **value > 200).count();
        assert!(bright > 100, "{bright}");
        let mut parts = vec![40_u8; 3 * 300 * 200];
        for (k, strip) in parts.chunks_mut(3 * 300 * 64).enumerate() {
            labels.draw(strip, 300, 64 * k);
        }
        assert!(parts == whole);
        let mut small = vec![40_u8; 3 * 90 * 90];
        Labels::of(Size { width: 90, height: 90 }, "t", 0.01, &Units::henon(), false).draw(&mut small, 90, 0);
        assert!(small.iter().all(|value| *value == 40));
    }
}
