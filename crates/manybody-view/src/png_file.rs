//! PNG files, written row by row.

use crate::Size;
use manybody::snapshot::atomic::{self, io_error};
use manybody::{Error, Result};
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// Writes a picture, all or nothing: `draw` hands rows from the top down to its argument, three bytes a pixel.
///
/// # Errors
/// [`Error::Io`], and those of `draw`.
pub(crate) fn write(
    path: &Path,
    size: Size,
    draw: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
) -> Result<()> {
    atomic::write_with(path, |file| {
        let wrong = |error: png::EncodingError| {
            let source = match error {
                png::EncodingError::IoError(source) => source,
                other => std::io::Error::other(other),
            };
            Error::Io { path: path.into(), action: "write", source }
        };
        let mut out = BufWriter::new(file);
        let mut encoder = png::Encoder::new(&mut out, size.width as u32, size.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(wrong)?;
        let mut stream = writer.stream_writer().map_err(wrong)?;
        draw(&mut |rows| stream.write_all(rows).map_err(io_error(path, "write")))?;
        stream.finish().map_err(wrong)?;
        drop(writer);
        out.flush().map_err(io_error(path, "write"))
    })
}
