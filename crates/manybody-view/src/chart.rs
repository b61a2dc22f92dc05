//! Charts as SVG and PNG, by plotters, with a font that comes with the program.

use crate::{Size, png_file};
use manybody::snapshot::atomic;
use manybody::{Error, Result};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ffi::OsStr;
use std::ops::Range;
use std::path::Path;

/// The name of the font, which [`write()`] brings with it.
pub const FONT: &str = "sans-serif";

/// Distinguishable with colour blindness, too [Okabe and Ito].
pub const COLORS: [RGBColor; 8] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 114, 178),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(60, 60, 60),
    RGBColor(140, 86, 75),
];

/// The error of a drawing on some kind of area.
pub type Drawn<B> = std::result::Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// What can be drawn on any kind of area.
pub trait Drawing {
    /// Draws it.
    ///
    /// # Errors
    /// Those of the area.
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B>;
}

/// The format of a chart, by the extension of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines and text, of any size.
    Svg,
    /// Pixels.
    Png,
}

impl Format {
    /// That of a name.
    ///
    /// # Errors
    /// [`Error::Unknown`] for an extension that means neither.
    pub fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "svg" => Ok(Format::Svg),
            "png" => Ok(Format::Png),
            _ => Err(Error::Unknown { what: "kind of plot", name: extension.into(), known: "svg, png".into() }),
        }
    }
}

/// Draws to a file, svg or png by its extension, all or nothing.
///
/// # Errors
/// [`Error::Unknown`] for another extension, [`Error::Io`] where the file cannot be written.
pub fn write(path: &Path, size: Size, drawing: &impl Drawing) -> Result<()> {
    let format = Format::of(path)?;
    // once a process; the answer says whether it was the first time
    let _ = plotters::style::register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    let area = (size.width as u32, size.height as u32);
    let wrong = |error: &dyn std::fmt::Display| {
        let source = std::io::Error::other(error.to_string());
        Error::Io { path: path.into(), action: "draw", source }
    };
    match format {
        Format::Svg => {
            let mut text = String::new();
            drawing
                .draw(&SVGBackend::with_string(&mut text, area).into_drawing_area())
                .map_err(|error| wrong(&error))?;
            atomic::write_bytes(path, text.as_bytes())
        }
        Format::Png => {
            let mut pixels = vec![255_u8; 3 * size.width * size.height];
            drawing
                .draw(&BitMapBackend::with_buffer(&mut pixels, area).into_drawing_area())
                .map_err(|error| wrong(&error))?;
            png_file::write(path, size, |take| take(&pixels))
        }
    }
}

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal lengths for equal differences.
    Linear,
    /// Equal lengths for equal ratios; numbers that are not above 0 are left out.
    Log,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it has along it, with its unit.
    pub label: String,
    /// Its scale.
    pub scale: Scale,
}

/// A curve; where a number is not finite, it has a gap.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name, for the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// Some curves with their axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Along the bottom.
    pub x: Axis,
    /// Along the left side.
    pub y: Axis,
    /// The curves.
    pub curves: Vec<Curve>,
    /// A value that is worth a line.
    pub base: Option<f64>,
}

/// Charts below each other.
#[derive(Clone, Debug)]
pub struct Page {
    /// Above all charts.
    pub title: String,
    /// The charts.
    pub charts: Vec<Chart>,
}

/// Pixels of a chart, and of what is above the first.
const CHART: [usize; 2] = [760, 280];
const TITLE: usize = 34;
/// Pixels that the legend takes on the right.
const LEGEND: u32 = 110;

impl Page {
    /// The pixels that it takes.
    pub fn size(&self) -> Size {
        Size { width: CHART[0], height: TITLE + CHART[1] * self.charts.len().max(1) }
    }

    /// Draws it to a file.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn write(&self, path: &Path) -> Result<()> {
        write(path, self.size(), self)
    }
}

impl Drawing for Page {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        area.fill(&WHITE)?;
        let (head, rest) = area.split_vertically(TITLE as u32);
        head.draw(&Text::new(self.title.clone(), (12, 10), (FONT, 17).into_font()))?;
        // one legend makes all charts narrower: the same place along the axis is below the same one
        let legend = self.charts.iter().any(Chart::has_legend);
        for (chart, area) in self.charts.iter().zip(rest.split_evenly((self.charts.len().max(1), 1))) {
            chart.draw(&area, if legend { LEGEND } else { 16 })?;
        }
        area.present()
    }
}

impl Scale {
    fn of(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Log if value > 0.0 => value.log10(),
            Scale::Log => f64::NAN,
        }
    }

    /// The places of ticks between these ends, about `most` of them: of a logarithmic scale at round digits, as many as there
    /// is room for, or at some powers of ten where there is not even room for all of these.
    fn ticks(self, [low, high]: [f64; 2], most: usize) -> Vec<f64> {
        if self == Scale::Linear || high - low < 0.3 {
            return RangedCoordf64::from(low..high).key_points(most);
        }
        let at = |digits: &[f64], every: i32| -> Vec<f64> {
            let powers = (low.floor() as i32..=high.ceil() as i32).filter(|power| power.rem_euclid(every) == 0);
            let all = powers.flat_map(|power| digits.iter().map(move |digit| f64::from(power) + digit.log10()));
            all.filter(|place| (low..=high).contains(place)).collect()
        };
        let every = ((high - low) / most as f64).ceil() as i32;
        let sets: [&[f64]; 2] = [&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0], &[1.0, 2.0, 5.0]];
        let round = sets.into_iter().map(|digits| at(digits, 1)).find(|ticks| ticks.len() <= most);
        round.unwrap_or_else(|| at(&[1.0], every))
    }

    /// The text of a tick.
    fn text(self, place: f64, range: f64) -> String {
        let value = match self {
            Scale::Linear => place,
            Scale::Log => 10_f64.powf(place),
        };
        // digits that distinguish ticks, of which there are about ten
        let digits = match self {
            Scale::Linear => (1.0 - (range / 10.0).log10()).ceil().clamp(0.0, 12.0) as usize,
            Scale::Log => 2,
        };
        // the place of 0 as a tick has the rounding of the ends of the axis
        let is_zero = self == Scale::Linear && value.abs() < 1e-9 * range;
        match value.abs() {
            _ if is_zero => "0".into(),
            size if !(1e-3..1e5).contains(&size) => short(&format!("{value:.2e}")),
            _ if self == Scale::Log => short_decimal(value),
            _ => {
                let text = format!("{value:.digits$}");
                if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
            }
        }
    }
}

/// The places along an axis, with these ticks.
struct Places {
    ends: [f64; 2],
    ticks: Vec<f64>,
}

impl Ranged for Places {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, pixels: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.range()).map(place, pixels)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.ends[0]..self.ends[1]
    }
}

/// "1e-6" for "1.00e-6".
fn short(text: &str) -> String {
    let (digits, power) = text.split_once('e').unwrap_or((text, "0"));
    format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// Two digits: "0.32", "32", "3.2".
fn short_decimal(value: f64) -> String {
    let rounded: f64 = format!("{value:.1e}").parse().unwrap_or(value);
    format!("{rounded}")
}

/// The ends of an axis for some values, with a little room; `None` where no value is finite.
fn ends(values: impl Iterator<Item = f64>, room: f64) -> Option<[f64; 2]> {
    let finite = values.filter(|value| value.is_finite());
    let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
    if low > high {
        return None;
    }
    // equal values need an axis, too: a twentieth of them to both sides, and from -1 to 1 for zeros
    let size = low.abs().max(high.abs());
    let room = match high - low > 1e-6 * size {
        true => room * (high - low),
        false if size == 0.0 => 1.0,
        false => 0.05 * size,
    };
    Some([low - room, high + room])
}

impl Chart {
    /// Where the points of a curve are along the axes, in pieces without gaps.
    fn pieces(&self, curve: &Curve) -> Vec<Vec<(f64, f64)>> {
        let places = curve.points.iter().map(|(x, y)| (self.x.scale.of(*x), self.y.scale.of(*y)));
        let mut pieces = vec![Vec::new()];
        for (x, y) in places {
            match (x.is_finite() && y.is_finite(), pieces.last_mut()) {
                (true, Some(piece)) => piece.push((x, y)),
                _ => pieces.push(Vec::new()),
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    fn has_legend(&self) -> bool {
        self.curves.len() > 1
    }

    /// Draws it with this room on the right.
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, right: u32) -> Drawn<B> {
        let curves: Vec<Vec<Vec<(f64, f64)>>> = self.curves.iter().map(|curve| self.pieces(curve)).collect();
        let all = || curves.iter().flatten().flatten();
        let base = self.base.map(|base| self.y.scale.of(base));
        // also where y has no value, so that charts of one page have one axis
        let places = self.curves.iter().flat_map(|curve| &curve.points).map(|(x, _)| self.x.scale.of(*x));
        let across = ends(places, 0.01);
        let up = ends(all().map(|point| point.1).chain(base), 0.06);
        let (Some(across), Some(up)) = (across, up.filter(|_| all().next().is_some())) else {
            let text = format!("{}: no values", self.y.label);
            return area.draw(&Text::new(text, (60, 40), (FONT, 14).into_font()));
        };
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_right(right)
            .x_label_area_size(36)
            .y_label_area_size(68)
            .build_cartesian_2d(
                Places { ends: across, ticks: self.x.scale.ticks(across, 11) },
                Places { ends: up, ticks: self.y.scale.ticks(up, 7) },
            )?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .label_style((FONT, 12))
            .axis_desc_style((FONT, 13))
            .x_label_formatter(&|x| self.x.scale.text(*x, across[1] - across[0]))
            .y_label_formatter(&|y| self.y.scale.text(*y, up[1] - up[0]))
            .draw()?;
        if let Some(base) = base {
            chart.draw_series(LineSeries::new([(across[0], base), (across[1], base)], BLACK.mix(0.5)))?;
        }
        let corner = area.dim_in_pixel().0 as i32 - LEGEND as i32 + 8;
        for (k, (curve, pieces)) in self.curves.iter().zip(&curves).enumerate() {
            let color = COLORS[k % COLORS.len()];
            let style = color.stroke_width(2);
            for piece in pieces {
                let dot = if piece.len() < 3 { 3 } else { 0 };
                chart.draw_series(LineSeries::new(piece.iter().copied(), style).point_size(dot))?;
            }
            if self.has_legend() {
                // beside the chart, where it hides no curve; the last above, as of curves that are ordered
                let y = 24 + 18 * (self.curves.len() - 1 - k) as i32;
                area.draw(&PathElement::new([(corner, y), (corner + 16, y)], style))?;
                area.draw(&Text::new(curve.name.clone(), (corner + 22, y - 7), (FONT, 13).into_font()))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_short() {
        assert_eq!(Scale::Log.text(-6.0, 8.0), "1e-6");
        assert_eq!(Scale::Log.text(0.5, 1.0), "3.2");
        assert_eq!(Scale::Log.text(2.0, 1.0), "100");
        assert_eq!(Scale::Linear.text(0.25, 1.0), "0.25");
        assert_eq!(Scale::Linear.text(1.002, 0.01), "1.002");
        assert_eq!(Scale::Linear.text(30.0, 100.0), "30");
        for (zero, range) in [(0.0, 100.0), (6.31e-30, 2.0), (-5.6e-17, 2.0), (1e-26, 8e-15)] {
            assert_eq!(Scale::Linear.text(zero, range), "0");
        }
        assert_eq!(Scale::Linear.text(2e-20, 8e-20), "2e-20");
    }

    #[test]
    fn logarithmic_ticks_are_round() {
        let texts = |ends: [f64; 2], most| {
            let places = Scale::Log.ticks(ends, most);
            places.iter().map(|place| Scale::Log.text(*place, ends[1] - ends[0])).collect::<Vec<_>>()
        };
        assert_eq!(texts([-0.7, 1.0], 7), ["0.2", "0.5", "1", "2", "5", "10"]);
        assert_eq!(texts([-5.3, -0.9], 7), ["1e-5", "1e-4", "0.001", "0.01", "0.1"]);
        assert_eq!(texts([-20.0, 1.0], 7), ["1e-18", "1e-15", "1e-12", "1e-9", "1e-6", "0.001", "1"]);
        assert_eq!(texts([1.34, 2.28], 11), ["30", "40", "50", "60", "80", "100", "150"]);
        // so near to each other that there are few of them
        assert!(texts([0.35, 0.45], 7).len() > 2);
    }

    #[test]
    fn an_axis_has_room_for_equal_and_for_no_values() {
        assert_eq!(ends([f64::NAN].into_iter(), 0.1), None);
        let [low, high] = ends([3.0, 3.0].into_iter(), 0.1).unwrap();
        assert!(low < 3.0 && high > 3.0);
        assert_eq!(ends([0.0, 0.0].into_iter(), 0.1), Some([-1.0, 1.0]));
        assert_eq!(ends([-40.0].into_iter(), 0.1), Some([-42.0, -38.0]));
        // small numbers are no zeros
        let small = 2.0_f64.powi(-70);
        assert_eq!(ends([small, 3.0 * small].into_iter(), 0.5), Some([0.0, 4.0 * small]));
        assert_eq!(ends([1.0, f64::INFINITY, 2.0].into_iter(), 0.5), Some([0.5, 2.5]));
    }

    /// The texts of a chart of one curve, as SVG has them.
    fn texts(points: &[(f64, f64)]) -> Vec<String> {
        let axis = |label: &str| Axis { label: label.into(), scale: Scale::Linear };
        let curves = vec![Curve { name: "y".into(), points: points.to_vec() }];
        let page =
            Page { title: String::new(), charts: vec![Chart { x: axis("x"), y: axis("y"), curves, base: None }] };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svg");
        page.write(&path).unwrap();
        let svg = std::fs::read_to_string(path).unwrap();
        let pieces = svg.split("<text ").skip(1);
        pieces.map(|piece| piece.split('>').nth(1).unwrap().split('<').next().unwrap().trim().into()).collect()
    }

    #[test]
    fn zeros_and_one_line_have_plain_ticks() {
        for points in [vec![(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], vec![(0.0, 0.0)]] {
            let texts = texts(&points);
            let ticks: Vec<f64> = texts.iter().filter_map(|text| text.parse().ok()).collect();
            assert!(ticks.len() > 5 && ticks.contains(&0.0), "{texts:?}");
            for tick in ticks {
                assert!(tick == 0.0 || tick.abs() >= 0.1, "{tick} in {texts:?}");
            }
        }
    }
}
