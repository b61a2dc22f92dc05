//! Items of a structured file: magic number, type, tag, dimensions, data.

use super::TITLE;
use crate::Result;
use crate::snapshot::atomic::io_error;
use crate::snapshot::input::{Input, Origin, Source};
use crate::snapshot::text::BUFFER;
use std::io::{BufReader, Read};

/// The magic numbers of an item without and with dimensions.
pub(super) const SINGLE: u16 = (0o11 << 8) + 0o222;
pub(super) const PLURAL: u16 = (0o13 << 8) + 0o222;

/// NEMO's limits on a tag's bytes and on dimensions, terminators not counted.
const LONGEST_TAG: usize = 64;
const MAX_DIMENSIONS: usize = 8;

/// Whether bytes begin as a structured file does, in either byte order.
pub(in crate::snapshot) fn is_nemo(start: &[u8]) -> bool {
    let Some(first) = start.first_chunk::<2>() else { return false };
    let magic = [SINGLE, PLURAL];
    magic.contains(&u16::from_le_bytes(*first)) || magic.contains(&u16::from_be_bytes(*first))
}

/// The type of an item's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Char,
    Byte,
    Short,
    Int,
    Long,
    Half,
    Float,
    Double,
    Set,
    Tes,
}

impl Kind {
    const ALL: [(u8, Kind, u64, &'static str); 11] = [
        (b'a', Kind::Byte, 1, "any"),
        (b'c', Kind::Char, 1, "char"),
        (b'b', Kind::Byte, 1, "byte"),
        (b's', Kind::Short, 2, "short"),
        (b'i', Kind::Int, 4, "int"),
        (b'l', Kind::Long, 8, "long"),
        (b'h', Kind::Half, 2, "half"),
        (b'f', Kind::Float, 4, "float"),
        (b'd', Kind::Double, 8, "double"),
        (b'(', Kind::Set, 0, "set"),
        (b')', Kind::Tes, 0, "tes"),
    ];

    pub(super) fn bytes(self) -> u64 {
        Kind::ALL.iter().find(|k| k.1 == self).map_or(0, |k| k.2)
    }

    pub(super) fn name(self) -> &'static str {
        Kind::ALL.iter().rfind(|k| k.1 == self).map_or("", |k| k.3)
    }
}

/// One item, its data left in the file.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) tag: String,
    /// Outermost first; empty for a single element.
    pub(super) dimensions: Vec<u64>,
    /// Where the data begins.
    pub(super) offset: u64,
    pub(super) big_endian: bool,
}

/// Walks over the items of a file.
pub(super) struct Scanner<'a> {
    origin: Origin,
    reader: BufReader<&'a mut Box<dyn Source>>,
    at: u64,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(input: &'a mut Input) -> Result<Self> {
        input.seek(0)?;
        // small, since data is skipped
        let reader = BufReader::with_capacity(4096, &mut input.source);
        Ok(Scanner { origin: input.origin.clone(), reader, at: 0 })
    }

    /// The next item; its data is skipped. `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Item>> {
        if self.at == self.origin.len {
            return Ok(None);
        }
        let start = self.at;
        let magic = self.take::<2>()?;
        let (plural, big_endian) = match (u16::from_le_bytes(magic), u16::from_be_bytes(magic)) {
            (SINGLE, _) => (false, false),
            (PLURAL, _) => (true, false),
            (_, SINGLE) => (false, true),
            (_, PLURAL) => (true, true),
            (magic, _) => {
                let problem =
                    format!("at byte {start} stands {magic:#06x}, where an item begins with 0x0992 or 0x0b92");
                return Err(self.origin.problem(TITLE, problem));
            }
        };
        let name = self.string(start)?;
        let known = Kind::ALL.iter().find(|k| name.len() == 1 && name.as_bytes()[0] == k.0);
        let Some((_, kind, bytes, _)) = known else {
            let problem = format!("the item at byte {start} has the type '{name}', which NEMO does not have");
            return Err(self.origin.problem(TITLE, problem));
        };
        let tag = if *kind == Kind::Tes { String::new() } else { self.string(start)? };
        let dimensions = if plural { self.dimensions(&tag, big_endian)? } else { Vec::new() };
        let offset = self.at;
        let size = dimensions.iter().try_fold(*bytes, |size, n| size.checked_mul(*n));
        let end = size.and_then(|size| offset.checked_add(size)).filter(|end| *end <= self.origin.len);
        let Some(end) = end else {
            let left = self.origin.len - offset;
            let claimed = size.map_or("more bytes than there can be".into(), |size| format!("{size} bytes"));
            let problem = format!("{dimensions:?} elements claim {claimed}, but {left} are left: cut short or damaged");
            return Err(self.origin.field(tag, problem));
        };
        let skip = i64::try_from(end - offset).map_err(|_| self.origin.problem(TITLE, "too large a file"))?;
        self.reader.seek_relative(skip).map_err(io_error(&self.origin.path, "read"))?;
        self.at = end;
        Ok(Some(Item { kind: *kind, tag, dimensions, offset, big_endian }))
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        if self.at + N as u64 > self.origin.len {
            let problem = format!("cut short: the file ends inside an item, at byte {}", self.origin.len);
            return Err(self.origin.problem(TITLE, problem));
        }
        self.reader.read_exact(&mut bytes).map_err(io_error(&self.origin.path, "read"))?;
        self.at += N as u64;
        Ok(bytes)
    }

    /// A string that ends in 0.
    fn string(&mut self, start: u64) -> Result<String> {
        let mut bytes = Vec::new();
        loop {
            match self.take::<1>()? {
                [0] => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
                [byte] => bytes.push(byte),
            }
            if bytes.len() > LONGEST_TAG {
                let problem = format!("the item at byte {start} has a name of more than {LONGEST_TAG} bytes");
                return Err(self.origin.problem(TITLE, problem));
            }
        }
    }

    /// Whole numbers that end in 0.
    fn dimensions(&mut self, tag: &str, big_endian: bool) -> Result<Vec<u64>> {
        let mut dimensions = Vec::new();
        loop {
            let word = self.take::<4>()?;
            let value = if big_endian { i32::from_be_bytes(word) } else { i32::from_le_bytes(word) };
            match u64::try_from(value) {
                Ok(0) => return Ok(dimensions),
                Ok(value) if dimensions.len() < MAX_DIMENSIONS => dimensions.push(value),
                Ok(_) => return Err(self.origin.field(tag, format!("more than {MAX_DIMENSIONS} dimensions"))),
                Err(_) => return Err(self.origin.field(tag, format!("{value}: a dimension is above 0"))),
            }
        }
    }
}

impl Item {
    pub(super) fn order(&self) -> &'static str {
        if self.big_endian { "big-endian" } else { "little-endian" }
    }

    fn expect(&self, origin: &Origin, dimensions: &[u64], kinds: &[Kind]) -> Result<()> {
        if !kinds.contains(&self.kind) {
            let wanted = kinds.iter().map(|k| k.name()).collect::<Vec<_>>().join(" or ");
            return Err(origin.field(&self.tag, format!("it holds {}; expected {wanted}", self.kind.name())));
        }
        if self.dimensions != dimensions {
            let problem = format!("its dimensions are {:?}; expected {dimensions:?}", self.dimensions);
            return Err(origin.field(&self.tag, problem));
        }
        Ok(())
    }

    /// Calls `each` for every element of `count`, from element `first` on, as its bytes in little-endian order.
    fn elements(&self, input: &mut Input, first: u64, count: u64, mut each: impl FnMut([u8; 8])) -> Result<()> {
        let size = self.kind.bytes();
        input.seek(self.offset + first * size)?;
        let mut buffer = vec![0; BUFFER.min((count * size) as usize)];
        let mut left = count * size;
        while left > 0 {
            let now = left.min(buffer.len() as u64) as usize;
            input.fill(&mut buffer[..now])?;
            for bytes in buffer[..now].chunks_exact(size as usize) {
                let mut element = [0; 8];
                element[..bytes.len()].copy_from_slice(bytes);
                if self.big_endian {
                    element[..bytes.len()].reverse();
                }
                each(element);
            }
            left -= now as u64;
        }
        Ok(())
    }

    /// Reads rows of numbers into columns; `dimensions` is what the array has to be, its first the number of rows.
    pub(super) fn columns(&self, input: &mut Input, dimensions: &[u64], columns: &mut [&mut Vec<f64>]) -> Result<()> {
        self.expect(&input.origin, dimensions, &[Kind::Double, Kind::Float])?;
        // the scanner saw that the file has all these bytes
        columns.iter_mut().for_each(|c| c.reserve_exact(dimensions[0] as usize));
        let (width, double) = (columns.len(), self.kind == Kind::Double);
        let mut k = 0;
        self.elements(input, 0, dimensions.iter().product(), |element| {
            columns[k].push(real(double, element));
            k = if k + 1 == width { 0 } else { k + 1 };
        })
    }

    /// Reads row k of a two-dimensional array.
    pub(super) fn row(&self, input: &mut Input, dimensions: &[u64; 2], k: u64, row: &mut Vec<f64>) -> Result<()> {
        self.expect(&input.origin, dimensions, &[Kind::Double, Kind::Float])?;
        let (length, double) = (dimensions[1], self.kind == Kind::Double);
        row.reserve_exact(length as usize);
        self.elements(input, k * length, length, |element| row.push(real(double, element)))
    }

    /// Reads n whole numbers.
    pub(super) fn whole_column(&self, input: &mut Input, n: u64) -> Result<Vec<i64>> {
        let dimensions: &[u64] = if n == 0 { &[] } else { &[n] };
        self.expect(&input.origin, dimensions, &[Kind::Int, Kind::Long, Kind::Short, Kind::Byte])?;
        let mut column = Vec::with_capacity(n as usize);
        let kind = self.kind;
        self.elements(input, 0, n, |element| column.push(whole(kind, element)))?;
        Ok(column)
    }

    /// A single whole number.
    pub(super) fn whole(&self, input: &mut Input) -> Result<i64> {
        self.expect(&input.origin, &[], &[Kind::Int, Kind::Long, Kind::Short])?;
        let (kind, mut value) = (self.kind, 0);
        self.elements(input, 0, 1, |element| value = whole(kind, element))?;
        Ok(value)
    }

    /// A single number.
    pub(super) fn real(&self, input: &mut Input) -> Result<f64> {
        self.expect(&input.origin, &[], &[Kind::Double, Kind::Float])?;
        let (double, mut value) = (self.kind == Kind::Double, 0.0);
        self.elements(input, 0, 1, |element| value = real(double, element))?;
        Ok(value)
    }

    /// A string.
    pub(super) fn text(&self, input: &mut Input) -> Result<String> {
        let count = self.dimensions.iter().product();
        self.expect(&input.origin, &[count], &[Kind::Char])?;
        let mut bytes = Vec::with_capacity(count as usize);
        self.elements(input, 0, count, |element| bytes.push(element[0]))?;
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        String::from_utf8(bytes).map_err(|_| input.field(&self.tag, "it is not text"))
    }
}

fn real(double: bool, element: [u8; 8]) -> f64 {
    if double {
        f64::from_le_bytes(element)
    } else {
        f32::from_le_bytes([element[0], element[1], element[2], element[3]]).into()
    }
}

fn whole(kind: Kind, element: [u8; 8]) -> i64 {
    let value = i64::from_le_bytes(element);
    match kind {
        Kind::Short => i64::from(value as i16),
        Kind::Int => i64::from(value as i32),
        // bytes are types here, which are not negative
        _ => value,
    }
}

impl std::fmt::Display for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind.name(), self.tag)?;
        self.dimensions.iter().try_for_each(|n| write!(f, "[{n}]"))
    }
}
