//! Recognises a format by its content, so that a file under the wrong name is an error that says what it looks like.

use super::input::Input;
use super::{Format, ReadOptions, nemo, tipsy};
use crate::Result;

/// The format to read a file in: what the options say, else what the name says and the content does not contradict,
/// else what the content says.
pub(crate) fn decide(input: &mut Input, options: &ReadOptions) -> Result<Format> {
    let start = input.peek(4096)?;
    let named = options.format.or_else(|| Format::of_name(&input.path));
    let Some(format) = named else {
        return from_content(&start, input.len).ok_or_else(|| {
            let seen = describe(&start, input.len);
            let names = Format::ALL.map(Format::name).join(", ");
            input.problem("snapshot", format!("{seen}; name the format, one of {names}"))
        });
    };
    if fits(format, &start, input.len) {
        return Ok(format);
    }
    let mut seen = describe(&start, input.len);
    if let (None, Some(other)) = (options.format, from_content(&start, input.len))
        && other != Format::Text
    {
        seen += &format!(", whose name should end in .{}", other.extensions()[0]);
    }
    Err(input.problem(format.title(), seen))
}

/// Whether content can be of a format. Generous: a damaged file is left to its reader, which can say what is damaged.
fn fits(format: Format, start: &[u8], len: u64) -> bool {
    match format {
        Format::GadgetHdf5 => is_hdf5(start),
        Format::Nemo => nemo::is_nemo(start),
        Format::Tipsy => {
            // a header that agrees with the file's length is one, whatever the bytes of its time spell
            tipsy::is_tipsy(start, len)
                || (!is_hdf5(start) && !nemo::is_nemo(start) && foreign(start).is_none() && !looks_textual(start))
        }
        Format::Csv => (len == 0 || looks_textual(start)) && columns_of_numbers(start).is_none(),
        Format::Text => len == 0 || looks_textual(start),
    }
}

/// The format that content is sure to be of. Plain text is included: the order of its columns must still be given.
fn from_content(start: &[u8], len: u64) -> Option<Format> {
    if is_hdf5(start) {
        Some(Format::GadgetHdf5)
    } else if nemo::is_nemo(start) {
        Some(Format::Nemo)
    } else if tipsy::is_tipsy(start, len) {
        Some(Format::Tipsy)
    } else if foreign(start).is_some() {
        None
    } else if looks_textual(start) && !start.is_empty() {
        if columns_of_numbers(start) == Some(7) {
            Some(Format::Text)
        } else {
            // a first line of numbers is no header
            let header = header_line(start).filter(|_| columns_of_numbers(start).is_none());
            header.is_some_and(|line| line.contains(',')).then_some(Format::Csv)
        }
    } else {
        None
    }
}

/// What content looks like, for an error: "it looks like a tipsy file".
pub(crate) fn describe(start: &[u8], len: u64) -> String {
    if len == 0 {
        return "the file is empty".into();
    }
    match from_content(start, len) {
        Some(Format::GadgetHdf5) => "it looks like an HDF5 file".into(),
        Some(Format::Tipsy) => "it looks like a tipsy file".into(),
        Some(Format::Nemo) => "it looks like a NEMO file".into(),
        Some(Format::Csv) => "it looks like a CSV file with a header".into(),
        Some(Format::Text) => "it looks like plain text with 7 columns and no header: read it as text, and give the \
                               order of the columns"
            .into(),
        None => match (foreign(start), columns_of_numbers(start)) {
            (Some(name), _) => format!("it looks like {name}"),
            (None, Some(columns)) => format!("it looks like plain text with {columns} columns and no header"),
            (None, None) if looks_textual(start) => "it looks like text without columns".into(),
            _ => "its content is of no format known here".into(),
        },
    }
}

fn is_hdf5(start: &[u8]) -> bool {
    // a user block may precede the signature, of 512 bytes times a power of two
    const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
    [0, 512, 1024, 2048].iter().any(|&at| start.get(at..at + 8) == Some(SIGNATURE))
}

/// Formats that are not ours but turn up under our names.
fn foreign(start: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &'static str); 9] = [
        (b"\x1f\x8b", "a gzip archive: unpack it first"),
        (b"BZh", "a bzip2 archive: unpack it first"),
        (b"\xfd7zXZ", "an xz archive: unpack it first"),
        (b"\x28\xb5\x2f\xfd", "a zstd archive: unpack it first"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x93NUMPY", "a NumPy array"),
        (b"SIMPLE  =", "a FITS file"),
        (b"\x89PNG", "a PNG picture"),
        (b"%PDF", "a PDF document"),
    ];
    if let Some((_, name)) = known.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(name);
    }
    // Gadget's own binary: a Fortran record of 256 bytes, or of 8 that names the block HEAD
    let word = |b: &[u8]| (u32::from_le_bytes([b[0], b[1], b[2], b[3]]), u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    if start.len() >= 264 {
        let (first, last) = (word(start), word(&start[260..]));
        let blocked = start[4..8] == *b"HEAD" && (first.0 == 8 || first.1 == 8);
        if blocked || (first.0 == 256 && last.0 == 256) || (first.1 == 256 && last.1 == 256) {
            return Some("a Gadget binary file of format 1 or 2; only Gadget's HDF5 (format 3) is read");
        }
    }
    None
}

/// True for bytes that are text as far as they go: no control characters but white space.
fn looks_textual(start: &[u8]) -> bool {
    !start.iter().any(|b| *b < 0x20 && !b.is_ascii_whitespace())
}

/// The first line that is neither empty nor a comment.
fn header_line(start: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(start);
    text.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with('#')).map(str::to_string)
}

/// The number of columns of a file whose first line is numbers only.
fn columns_of_numbers(start: &[u8]) -> Option<usize> {
    if !looks_textual(start) {
        return None;
    }
    let line = header_line(start)?;
    let words: Vec<&str> =
        line.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|w| !w.is_empty()).collect();
    (!words.is_empty() && words.iter().all(|w| w.parse::<f64>().is_ok())).then_some(words.len())
}
