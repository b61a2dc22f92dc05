//! Plots: curves against a number that doubles, several panels side by side, as SVG and as PNG.

use anyhow::Context;
use manybody_view::Size;
use manybody_view::chart::{self, COLORS, Drawing, Drawn, FONT};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::{Path, PathBuf};

/// A curve.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// One plot of several.
pub(super) struct Panel {
    pub(super) title: String,
    /// What is along the axes.
    pub(super) x: String,
    pub(super) y: String,
    pub(super) lines: Vec<Line>,
    /// What the value 1 is, if it is worth a line.
    pub(super) base: Option<String>,
}

/// Pixels of a panel.
const PANEL: (u32, u32) = (420, 320);
/// Panels side by side.
const COLUMNS: usize = 3;

/// Writes `name`.svg and `name`.png to a folder; their paths.
pub(super) fn write(folder: &Path, name: &str, panels: &[Panel]) -> anyhow::Result<[PathBuf; 2]> {
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot make the folder", folder.display()))?;
    let columns = panels.len().clamp(1, COLUMNS);
    let rows = panels.len().div_ceil(columns).max(1);
    let size = Size::new(PANEL.0 as usize * columns, PANEL.1 as usize * rows)?;
    let files = ["svg", "png"].map(|ending| folder.join(format!("{name}.{ending}")));
    for file in &files {
        chart::write(file, size, &Panels { panels, rows, columns })?;
    }
    Ok(files)
}

/// Panels in rows and columns.
struct Panels<'a> {
    panels: &'a [Panel],
    rows: usize,
    columns: usize,
}

impl Drawing for Panels<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        draw(area, self.panels, [self.rows, self.columns])
    }
}

fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    panels: &[Panel],
    [rows, columns]: [usize; 2],
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    area.fill(&WHITE)?;
    for (panel, area) in panels.iter().zip(area.split_evenly((rows, columns))) {
        let all = || panel.lines.iter().flat_map(|line| &line.points);
        let ends = |of: fn(&(f64, f64)) -> f64| {
            all().map(of).filter(|x| x.is_finite()).fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)))
        };
        // across go powers of 2
        let (x, y) = (ends(|p| p.0.log2()), ends(|p| p.1));
        if x.0 > x.1 {
            continue;
        }
        let (low, high) = match panel.base {
            Some(_) => ((y.0 * 0.95).min(0.9), (y.1 * 1.05).max(1.1)),
            None => (0.0, y.1 * 1.05),
        };
        // room for the legend on the right
        let left = x.0 - 0.2;
        let letters = panel.lines.iter().map(|line| line.name.len()).max().unwrap_or(0) as f64;
        let share = (75.0 + 7.0 * letters) / f64::from(PANEL.0);
        let right = x.1 + share / (1.0 - share) * (x.1 - left);
        let mut chart = ChartBuilder::on(&area)
            .caption(&panel.title, (FONT, 16))
            .margin(8)
            .x_label_area_size(34)
            .y_label_area_size(52)
            .build_cartesian_2d(left..right, low..high)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc(&panel.x)
            .y_desc(&panel.y)
            .label_style((FONT, 12))
            .axis_desc_style((FONT, 13))
            .y_label_formatter(&|y| match high - low {
                _ if high > 100.0 => format!("{y:.0}"),
                range if range > 0.8 => format!("{y:.1}"),
                _ => format!("{y:.2}"),
            })
            // long numbers would run into each other
            .x_label_formatter(&|x| match x.fract().abs() < 1e-6 {
                true if *x >= 20.0 => format!("2^{x:.0}"),
                true => format!("{:.0}", x.exp2()),
                false => String::new(),
            })
            .draw()?;
        if let Some(name) = &panel.base {
            chart
                .draw_series(LineSeries::new([(left, 1.0), (right, 1.0)], BLACK.mix(0.6)))?
                .label(name)
                .legend(|(x, y)| PathElement::new([(x, y), (x + 14, y)], BLACK.mix(0.6)));
        }
        for (k, line) in panel.lines.iter().enumerate() {
            let color = COLORS[k % COLORS.len()];
            chart
                .draw_series(
                    LineSeries::new(line.points.iter().map(|p| (p.0.log2(), p.1)), color.stroke_width(2)).point_size(2),
                )?
                .label(&line.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], color.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.7))
            .label_font((FONT, 12))
            .draw()?;
    }
    area.present()
}
