//! Measured points of a figure: printed, read again and drawn, a curve for each line.

use crate::Options;
use crate::output::Output;
use crate::plot::{self, Line, Panel};
use std::path::Path;

/// A measured number.
pub(crate) struct Point {
    pub(crate) device: String,
    /// The line it belongs to, and its place along it.
    pub(crate) line: String,
    pub(crate) x: f64,
    /// A second: what is counted, the [`Unit`] says.
    pub(crate) rate: f64,
    pub(crate) error: f64,
}

/// What is counted a second.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    /// Its name in JSON.
    pub(crate) key: &'static str,
    /// Its name in plots, and how many are one there.
    pub(crate) label: &'static str,
    pub(crate) size: f64,
}

impl Unit {
    /// Prints a point as a line of JSON, where that is requested.
    pub(crate) fn print(self, options: &Options, output: Output, figure: &str, point: Option<&Point>) {
        if let (true, Some(p)) = (options.json, point) {
            output.json(&serde_json::json!({
                "event": figure, "device": p.device, "line": p.line, "x": p.x, self.key: p.rate, "error": p.error,
            }));
        }
    }

    /// The points of a figure in a file of JSON lines.
    ///
    /// # Errors
    /// For a file that cannot be read, and one without points of the figure.
    pub(crate) fn read(self, file: &Path, figure: &str) -> anyhow::Result<Vec<Point>> {
        let text =
            std::fs::read_to_string(file).map_err(|e| anyhow::anyhow!("{}: cannot read: {e}", file.display()))?;
        let mut points = Vec::new();
        for line in text.lines() {
            let Ok(row) = serde_json::from_str::<serde_json::Value>(line) else { continue };
            if row["event"] != figure {
                continue;
            }
            let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let number = |name: &str| row[name].as_f64().unwrap_or(f64::NAN);
            points.push(Point {
                device: text("device"),
                line: text("line"),
                x: number("x"),
                rate: number(self.key),
                error: number("error"),
            });
        }
        if points.is_empty() {
            anyhow::bail!("{}: no line of {figure} is in it", file.display());
        }
        Ok(points)
    }

    /// Writes a plot, with a curve for each `line`.
    ///
    /// # Errors
    /// Those of the files.
    pub(crate) fn draw(
        self,
        options: &Options,
        output: Output,
        figure: &str,
        x: &str,
        points: &[Point],
    ) -> anyhow::Result<()> {
        let mut lines: Vec<Line> = Vec::new();
        for p in points {
            let at = match lines.iter().position(|line| line.name == p.line) {
                Some(at) => at,
                None => {
                    lines.push(Line { name: p.line.clone(), points: Vec::new() });
                    lines.len() - 1
                }
            };
            lines[at].points.push((p.x, p.rate / self.size));
        }
        let panel = Panel { title: figure.into(), x: x.into(), y: self.label.into(), lines, base: None };
        for file in plot::write(&options.out, figure, &[panel])? {
            output.say(format_args!("wrote {}", file.display()));
        }
        Ok(())
    }
}
