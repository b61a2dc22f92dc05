//! Checksums: a file knows whether its content is what was written.
//!
//! | format | where the checksum stands | of what |
//! |---|---|---|
//! | CSV, plain text | a comment, the first line | all lines below |
//! | Gadget HDF5 | 32 bytes after the end of the HDF5 file | all bytes before |
//! | NEMO | the last item of the set Manybody | all bytes of the set SnapShot before |
//! | tipsy, standard and native | the header's pad word | all other bytes of the snapshot |
//! | tipsy, nvidia and bonsai | 32 bytes after the last record | all bytes before |
//!
//! Other programs pass over all of these: the HDF5 library reads to its own end of the file (and cuts the rest off when
//! it opens the file to change it), yt wants the exact size of a tipsy file and ignores the pad, the readers of the
//! other two variants count records and take no notice of what follows.
//!
//! The checksum is XXH3 with 64 bits. The pad has 32: a mark of 8 bits, and a CRC of 24, which finds every single
//! flipped bit whatever the length. A file without checksum is read without a check, so the mark itself must not get
//! lost by damage: it is recognised with some of its bits wrong, and then counts as damage.
//!
//! NEMO's and tipsy's files may be concatenated: each snapshot has a checksum of its own, with its length.

use super::atomic::io_error;
use super::input::Input;
use super::output::Output;
use super::{Checksum, Format, TipsyVariant, WriteOptions, tipsy};
use crate::Result;
use std::hash::Hasher;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use twox_hash::XxHash3_64;

/// The line of CSV and text: this, 16 hexadecimal digits, and [`LINE_END`].
const LINE: &str = "# checksum xxh3-64 ";
const LINE_END: &str = " of the lines below; delete this line after editing them\n";
const LINE_BYTES: usize = LINE.len() + 16 + LINE_END.len();

/// What precedes length and checksum at the end of HDF5 and tipsy files.
const MARK: &[u8] = b"manybody-xxh3-64";
/// The same in NEMO: an item of 16 bytes named Checksum, in little-endian order.
const NEMO_MARK: &[u8] = b"\x92\x0bb\0Checksum\0\x10\0\0\0\0\0\0\0";
/// The ends of the sets Manybody and SnapShot.
const NEMO_END: &[u8] = b"\x92\x09)\0\x92\x09)\0";

/// The mark in the pad of a tipsy header, its most significant byte. A mass with this byte, or with one that differs
/// from it in a bit, is negative or 1e32, so that a header without a pad is not mistaken for one with a checksum; a pad
/// of 0, of
/// -1 and of Bonsai's version differs from it in more than one bit.
const PAD_MARK: u32 = 0xf5;

/// Wrong bits with which a mark is still recognised. Two texts that have nothing to do with each other differ in a
/// third of their bits, random bytes in half of them.
const WRONG_BITS: u32 = 12;

const CRC: crc::Crc<u32, crc::Table<16>> = crc::Crc::<u32, crc::Table<16>>::new(&crc::CRC_24_OPENPGP);

/// Bytes read at a time.
const BUFFER: usize = 1 << 18;

/// What stands at the end of a file: mark, length (8 bytes), checksum (8 bytes), closing.
struct Tail {
    mark: &'static [u8],
    closing: &'static [u8],
}

impl Tail {
    fn of(format: Format) -> Option<Tail> {
        match format {
            Format::GadgetHdf5 | Format::Tipsy => Some(Tail { mark: MARK, closing: b"" }),
            Format::Nemo => Some(Tail { mark: NEMO_MARK, closing: NEMO_END }),
            Format::Csv | Format::Text => None,
        }
    }

    fn len(&self) -> u64 {
        (self.mark.len() + 16 + self.closing.len()) as u64
    }

    fn bytes(&self, length: u64, checksum: u64) -> Vec<u8> {
        [self.mark, &length.to_le_bytes(), &checksum.to_le_bytes(), self.closing].concat()
    }
}

/// The bytes that one checksum is of, and where what follows it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) next: u64,
    /// As it stands in the file.
    written: u64,
    /// The mark is there to the last bit.
    exact: bool,
}

/// A text with the first line that CSV and plain text have here.
pub fn with_line(text: &str) -> String {
    let mut hasher = XxHash3_64::new();
    hasher.write(text.as_bytes());
    format!("{LINE}{:016x}{LINE_END}{text}", hasher.finish())
}

/// What the first line of a text says of the rest.
///
/// # Errors
/// `None` but those of memory.
pub fn of_text(text: &[u8]) -> Result<Checksum> {
    check_line(&mut Input::from_bytes(Path::new(""), text.to_vec()))
}

/// Begins a file: leaves room for what stands at its start.
pub(super) fn begin(file: &mut dyn Output, path: &Path, format: Format) -> Result<()> {
    match format {
        Format::Csv | Format::Text => file.write_all(&[b' '; LINE_BYTES]).map_err(io_error(path, "write")),
        Format::GadgetHdf5 | Format::Tipsy | Format::Nemo => Ok(()),
    }
}

/// Ends a file that has been written: reads it again, and puts its checksum where it belongs.
pub(super) fn end(file: &mut dyn Output, path: &Path, format: Format, options: &WriteOptions) -> Result<()> {
    end_io(file, format, options.tipsy).map_err(io_error(path, "write"))
}

fn end_io(file: &mut dyn Output, format: Format, variant: TipsyVariant) -> std::io::Result<()> {
    let len = file.seek(SeekFrom::End(0))?;
    let padded = format == Format::Tipsy && matches!(variant, TipsyVariant::Standard | TipsyVariant::Native);
    let (place, bytes) = if padded {
        let pad = PAD_MARK << 24 | pad_sum(file, 0, len)?;
        let big_endian = variant == TipsyVariant::Standard;
        (28, if big_endian { pad.to_be_bytes() } else { pad.to_le_bytes() }.to_vec())
    } else if let Some(tail) = Tail::of(format) {
        let length = len - tail.closing.len() as u64;
        let known = file.known_sum(length)?;
        (length, tail.bytes(length, known.map_or_else(|| sum(file, 0, length), Ok)?))
    } else {
        let checksum = sum(file, LINE_BYTES as u64, len)?;
        (0, format!("{LINE}{checksum:016x}{LINE_END}").into_bytes())
    };
    // without bodies a pad that is not 0 counts them, for other readers
    if padded && len <= 32 {
        return Ok(());
    }
    file.seek(SeekFrom::Start(place))?;
    file.write_all(&bytes)
}

/// Looks whether the file has a checksum, and compares.
///
/// # Errors
/// Those of reading; damage is no error here.
pub(super) fn check(input: &mut Input, format: Format) -> Result<Checksum> {
    let found = match Tail::of(format) {
        None => check_line(input)?,
        Some(tail) => match regions(input, format)?.as_slice() {
            [] if format == Format::Tipsy => check_pads(input)?,
            [] => Checksum::Absent,
            regions => check_tails(input, format, &tail, regions)?,
        },
    };
    input.seek(0)?;
    Ok(found)
}

/// The regions that tails at the end of the file, and before that one, speak of, in the order of the file; what they do
/// not speak of, which comes first, is left out. Empty where the file has no checksum.
pub(super) fn regions(input: &mut Input, format: Format) -> Result<Vec<Region>> {
    let mut regions = Vec::new();
    let Some(tail) = Tail::of(format) else { return Ok(regions) };
    let mut next = input.len;
    while next >= tail.len() {
        let end = next - tail.len();
        let mut bytes = vec![0; tail.len() as usize];
        input.seek(end)?;
        input.fill(&mut bytes)?;
        let (mark, rest) = bytes.split_at(tail.mark.len());
        let (numbers, closing) = rest.split_at(16);
        if !is_almost(mark, tail.mark) {
            break;
        }
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        let (length, written) = (number(&numbers[..8]), number(&numbers[8..]));
        let exact = mark == tail.mark && closing == tail.closing && length <= end;
        let start = if exact { end - length } else { 0 };
        regions.push(Region { start, end, next, written, exact });
        next = start;
    }
    regions.reverse();
    input.seek(0)?;
    Ok(regions)
}

fn check_tails(input: &mut Input, format: Format, tail: &Tail, regions: &[Region]) -> Result<Checksum> {
    let remedy = "if another program has changed it on purpose, `manybody convert --ignore-checksum` takes it as it is";
    let mut last = 0;
    for region in regions {
        let found = sum(&mut input.source, region.start, region.end).map_err(io_error(&input.origin.path, "read"))?;
        if !region.exact || found != region.written {
            return Ok(differs(region.written, found, remedy));
        }
        last = found;
    }
    // only the formats whose files may be concatenated may begin with a part of another origin
    let first = regions[0].start;
    if format == Format::GadgetHdf5 && (first > 0 || regions.len() > 1) {
        let begin = regions[regions.len() - 1].start;
        return Ok(Checksum::Differs(format!("its checksum is not of its first {begin} bytes; {remedy}")));
    }
    if first > 0 {
        return Ok(Checksum::Differs(format!(
            "its first {first} bytes, before the snapshot that has a checksum, have no checksum ({} bytes each); {remedy}",
            tail.len()
        )));
    }
    Ok(Checksum::Whole(named(last)))
}

/// The pads of a file of tipsy snapshots.
fn check_pads(input: &mut Input) -> Result<Checksum> {
    // what is no tipsy file is left to the reader, which can say what is wrong with it
    let frames = match tipsy::frames(input) {
        Ok(frames) => frames,
        Err(error @ crate::Error::Io { .. }) => return Err(error),
        Err(_) => return Ok(Checksum::Absent),
    };
    let mut checked = Vec::new();
    for frame in &frames {
        let (start, pad) = (frame.start(), frame.pad());
        if let Some(place) = frame.plain_end().filter(|end| end + MARK.len() as u64 <= input.len) {
            let mut mark = vec![0; MARK.len()];
            input.seek(place)?;
            input.fill(&mut mark)?;
            if is_almost(&mark, MARK) {
                return Ok(Checksum::Differs(format!(
                    "bytes follow its checksum, which stands at byte {place}; `manybody convert --ignore-checksum` takes it \
                     as it is"
                )));
            }
        }
        if !is_pad(pad) {
            continue;
        }
        let found = pad_sum(&mut input.source, start, frame.end()).map_err(io_error(&input.origin.path, "read"))?;
        let written = pad & 0xff_ffff;
        if found != written || pad >> 24 != PAD_MARK || !frame.has_pad() {
            return Ok(Checksum::Differs(format!(
                "its content differs from what was written (crc-24 {found:06x}, where {written:06x} was written), or the word \
                 at byte {} is no checksum, but of another program; `manybody convert --ignore-checksum` takes it as it is",
                start + 28
            )));
        }
        checked.push(found);
    }
    match checked.last() {
        None => Ok(Checksum::Absent),
        Some(_) if checked.len() < frames.len() => Ok(Checksum::Differs(format!(
            "of its {} snapshots {} have a checksum; `manybody convert --ignore-checksum` takes it as it is",
            frames.len(),
            checked.len()
        ))),
        Some(last) => Ok(Checksum::Whole(format!("crc-24 {last:06x}"))),
    }
}

/// Whether the pad of a tipsy header is a checksum, its mark perhaps damaged.
pub(super) fn is_pad(pad: u32) -> bool {
    ((pad >> 24) ^ PAD_MARK).count_ones() <= 1
}

/// The line of the texts.
fn check_line(input: &mut Input) -> Result<Checksum> {
    let remedy = "if you have edited it on purpose, delete the line that begins with \"# checksum\"";
    let start = input.peek(1 << 16)?;
    let line = &start[..start.len().min(LINE_BYTES)];
    if !start.is_empty() && LINE.as_bytes().starts_with(&start) {
        return Ok(Checksum::Differs(format!("it is cut short in its first line, that of the checksum; {remedy}")));
    }
    if !line.get(..LINE.len()).is_some_and(|mark| is_almost(mark, LINE.as_bytes())) {
        let moved = start.windows(LINE.len()).any(|mark| mark == LINE.as_bytes());
        return Ok(match moved {
            true => Checksum::Differs(format!("lines stand before that of its checksum; {remedy}")),
            false => Checksum::Absent,
        });
    }
    let found = sum(&mut input.source, LINE_BYTES as u64, input.origin.len);
    let found = found.map_err(io_error(&input.origin.path, "read"))?;
    if line == format!("{LINE}{found:016x}{LINE_END}").as_bytes() {
        return Ok(Checksum::Whole(named(found)));
    }
    let written = line.get(LINE.len()..LINE.len() + 16).and_then(|digits| std::str::from_utf8(digits).ok());
    let written = written.and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default();
    Ok(differs(written, found, remedy))
}

fn differs(written: u64, found: u64, remedy: &str) -> Checksum {
    let sums = match written == found {
        true => format!("the mark of its checksum {found:016x}"),
        false => format!("xxh3-64 {found:016x}, where {written:016x} was written"),
    };
    Checksum::Differs(format!("its content differs from what was written ({sums}); {remedy}"))
}

fn named(checksum: u64) -> String {
    format!("xxh3-64 {checksum:016x}")
}

/// Whether bytes are `mark` but for a few bits.
fn is_almost(bytes: &[u8], mark: &[u8]) -> bool {
    let wrong = |(a, b): (&u8, &u8)| (a ^ b).count_ones();
    bytes.len() == mark.len() && bytes.iter().zip(mark).map(wrong).sum::<u32>() <= WRONG_BITS
}

/// XXH3 of a file that is written from its front to its end.
#[derive(Default)]
pub(crate) struct InOrder {
    hasher: XxHash3_64,
    end: u64,
}

impl InOrder {
    /// Adds the bytes that `file` has up to `start`, and these after them.
    ///
    /// # Errors
    /// Those of reading, and an error for bytes that were added before.
    pub(crate) fn add(
        &mut self,
        file: &mut (impl Read + Seek + ?Sized),
        start: u64,
        bytes: &[u8],
    ) -> std::io::Result<()> {
        if start < self.end {
            return Err(std::io::Error::other("the parts of the file did not come in their order"));
        }
        pieces(file, self.end, start, |piece| self.hasher.write(piece))?;
        self.hasher.write(bytes);
        self.end = start + bytes.len() as u64;
        Ok(())
    }

    /// The checksum of what was added.
    pub(crate) fn finish(&self) -> u64 {
        self.hasher.finish()
    }
}

/// XXH3 of the bytes from `start` to `end`; of an empty file where `end` is before `start`.
fn sum(file: &mut (impl Read + Seek + ?Sized), start: u64, end: u64) -> std::io::Result<u64> {
    let mut hasher = XxHash3_64::new();
    pieces(file, start, end, |piece| hasher.write(piece))?;
    Ok(hasher.finish())
}

/// The CRC of a tipsy snapshot, its pad left out.
fn pad_sum(file: &mut (impl Read + Seek + ?Sized), start: u64, end: u64) -> std::io::Result<u32> {
    let mut digest = CRC.digest();
    pieces(file, start, end.min(start + 28), |piece| digest.update(piece))?;
    pieces(file, start + 32, end, |piece| digest.update(piece))?;
    Ok(digest.finalize())
}

fn pieces(
    file: &mut (impl Read + Seek + ?Sized),
    start: u64,
    end: u64,
    mut take: impl FnMut(&[u8]),
) -> std::io::Result<()> {
    let mut left = end.saturating_sub(start);
    let mut buffer = vec![0; BUFFER.min(left as usize)];
    file.seek(SeekFrom::Start(start))?;
    while left > 0 {
        let piece = buffer.len().min(left as usize);
        match file.read(&mut buffer[..piece]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                take(&buffer[..n]);
                left -= n as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
