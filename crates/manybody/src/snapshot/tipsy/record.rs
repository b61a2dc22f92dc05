//! Headers and records as bytes.

use crate::snapshot::TipsyVariant;

/// Byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::snapshot) enum Endian {
    Little,
    Big,
}

/// Tipsy's three families, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Gas = 0,
    Dark = 1,
    Star = 2,
}

impl Family {
    pub(super) const ALL: [Family; 3] = [Family::Gas, Family::Dark, Family::Star];

    pub(super) fn name(self) -> &'static str {
        ["gas", "dark", "star"][self as usize]
    }

    pub(super) fn fields(self) -> &'static str {
        [
            "gas: mass pos vel rho temp hsmooth metals phi",
            "dark: mass pos vel eps phi",
            "star: mass pos vel metals tform eps phi",
        ][self as usize]
    }
}

/// One particle. Fields that a family has not are 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record {
    pub(super) mass: f64,
    pub(super) position: [f64; 3],
    pub(super) velocity: [f64; 3],
    /// Softening; smoothing length of gas.
    pub(super) eps: f32,
    pub(super) phi: f32,
    pub(super) rho: f32,
    pub(super) temp: f32,
    pub(super) metals: f32,
    pub(super) tform: f32,
    /// Acceleration and potential, in the records that have them.
    pub(super) boom: Option<[f32; 4]>,
}

impl Record {
    /// rho, temp, metals, tform, acceleration, potential; `None` where the family has no such field.
    pub(super) fn rest(&self, family: Family) -> [Option<f32>; 8] {
        let (gas, star) = (family == Family::Gas, family == Family::Star);
        let some = |has: bool, value: f32| has.then_some(value);
        let boom = |k: usize| self.boom.map(|b| b[k]);
        [
            some(gas, self.rho),
            some(gas, self.temp),
            some(gas || star, self.metals),
            some(star, self.tform),
            boom(0),
            boom(1),
            boom(2),
            boom(3),
        ]
    }
}

/// True for a phi whose bits are an integer of 0 or more.
pub(super) fn is_id(phi: f32) -> bool {
    phi.to_bits() <= i32::MAX as u32
}

/// How records are laid out beyond the plain one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Widths {
    wide_position: bool,
    wide_velocity: bool,
    boom: bool,
}

/// One snapshot of a file.
#[derive(Clone, Copy, Debug)]
pub(in crate::snapshot) struct Frame {
    pub(super) time: f64,
    pub(super) dimensions: i32,
    /// Gas, dark matter, stars.
    pub(super) counts: [u64; 3],
    /// The pad word: 2 in Bonsai's version 2, a checksum in ours, else anything.
    pub(super) version: u32,
    pub(super) endian: Endian,
    header_bytes: u64,
    offset: u64,
    widths: Widths,
}

impl Frame {
    /// Understands a header of up to 32 bytes that stands at `offset` in a file of `len` bytes.
    pub(super) fn parse(start: &[u8], offset: u64, len: u64) -> Result<Frame, String> {
        if start.len() < 28 {
            return Err(format!("cut short: a header has 28 or 32 bytes, {} are there", start.len()));
        }
        let word = |at: usize, endian: Endian| {
            let bytes = start.get(at..at + 4).and_then(|b| <[u8; 4]>::try_from(b).ok()).unwrap_or_default();
            if endian == Endian::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
        };
        let plausible = |endian| (1..=3).contains(&word(12, endian));
        let endian = match (plausible(Endian::Big), plausible(Endian::Little)) {
            (true, _) => Endian::Big,
            (false, true) => Endian::Little,
            (false, false) => {
                let problem = "ndim, at byte 12, is 3 in neither byte order";
                return Err(format!("{problem} ({} or {})", word(12, Endian::Big), word(12, Endian::Little)));
            }
        };
        let time: [u8; 8] = start[..8].try_into().unwrap_or_default();
        let time = if endian == Endian::Little { f64::from_le_bytes(time) } else { f64::from_be_bytes(time) };
        let total = u64::from(word(8, endian));
        let mut counts = [16, 20, 24].map(|at| u64::from(word(at, endian)));
        let version = word(28, endian);
        if counts.iter().sum::<u64>() != total {
            // beyond 2^32 the pad carries the high bytes, of total, gas, dark matter and stars
            let high = |k: u32| u64::from(version >> (8 * k) & 0xff) << 32;
            let wide = [counts[0] + high(1), counts[1] + high(2), counts[2] + high(3)];
            if wide.iter().sum::<u64>() != total + high(0) || version == 0 {
                let [gas, dark, star] = counts;
                return Err(format!(
                    "nbodies is {total}, but gas {gas}, dark {dark} and stars {star} make another sum"
                ));
            }
            counts = wide;
        }
        let dimensions = word(12, endian) as i32;
        let mut frame =
            Frame { time, dimensions, counts, version, endian, header_bytes: 32, offset, widths: Widths::default() };
        frame.fit(start.len() as u64, len)?;
        Ok(frame)
    }

    /// Finds the layout of records whose size agrees with the file's.
    fn fit(&mut self, header: u64, len: u64) -> Result<(), String> {
        let mut layouts = Vec::new();
        for (wide_position, wide_velocity, boom) in
            [(false, false, false), (true, false, false), (true, true, false), (false, false, true)]
        {
            for header_bytes in [32, 28] {
                layouts.push((header_bytes, Widths { wide_position, wide_velocity, boom }));
            }
        }
        // exactly to the end first; else followed by another snapshot
        for exact in [true, false] {
            for (header_bytes, widths) in &layouts {
                let tried = Frame { header_bytes: *header_bytes, widths: *widths, ..*self };
                let fits = tried.checked_end().is_some_and(|end| if exact { end == len } else { end + 28 <= len });
                // a longer record must explain the whole file; only the plain one may be followed by more
                if fits && header >= *header_bytes && (exact || *widths == Widths::default()) {
                    *self = tried;
                    return Ok(());
                }
            }
        }
        let wanted = self.checked_end().map_or("more bytes than there can be".into(), |end| format!("{end} bytes"));
        let total: u64 = self.counts.iter().sum();
        Err(format!("{total} bodies are claimed, which take {wanted}; the file has {len}: cut short or damaged"))
    }

    /// The same counts after a header of the other length.
    pub(super) fn with_other_header(&self) -> Frame {
        Frame { header_bytes: 60 - self.header_bytes, ..*self }
    }

    pub(super) fn header_bytes(&self) -> u64 {
        self.header_bytes
    }

    /// A number in single precision.
    pub(super) fn single(&self, word: [u8; 4]) -> f32 {
        if self.endian == Endian::Little { f32::from_le_bytes(word) } else { f32::from_be_bytes(word) }
    }

    /// The frame of a file to be written.
    pub(super) fn to_write(time: f64, counts: [u64; 3], variant: TipsyVariant) -> Frame {
        let endian = if variant == TipsyVariant::Standard { Endian::Big } else { Endian::Little };
        let version = if variant == TipsyVariant::Bonsai { 2 } else { 0 };
        let widths = Widths::default();
        Frame { time, dimensions: 3, counts, version, endian, header_bytes: 32, offset: 0, widths }
    }

    pub(super) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Where the records begin.
    pub(super) fn data(&self) -> u64 {
        self.offset + self.header_bytes
    }

    fn checked_end(&self) -> Option<u64> {
        Family::ALL.into_iter().try_fold(self.data(), |end, family| {
            end.checked_add(self.counts[family as usize].checked_mul(self.record_bytes(family))?)
        })
    }

    /// Where the header begins.
    pub(in crate::snapshot) fn start(&self) -> u64 {
        self.offset
    }

    /// The word at byte 28.
    pub(in crate::snapshot) fn pad(&self) -> u32 {
        self.version
    }

    /// Whether that word belongs to the header.
    pub(in crate::snapshot) fn has_pad(&self) -> bool {
        self.header_bytes == 32
    }

    /// Where the next snapshot begins if the layout is the plain one, which is written here.
    pub(in crate::snapshot) fn plain_end(&self) -> Option<u64> {
        Frame { header_bytes: 32, widths: Widths::default(), ..*self }.checked_end()
    }

    /// Where the next snapshot begins.
    pub(in crate::snapshot) fn end(&self) -> u64 {
        self.checked_end().unwrap_or(u64::MAX)
    }

    pub(super) fn record_bytes(&self, family: Family) -> u64 {
        let wide = 12 * (u64::from(self.widths.wide_position) + u64::from(self.widths.wide_velocity));
        let boom = if self.widths.boom && family != Family::Gas { 16 } else { 0 };
        [48, 36, 44][family as usize] + wide + boom
    }

    /// Whether a family has the field k of [`Record::rest`].
    pub(super) fn has(&self, family: Family, k: usize) -> bool {
        let (gas, star) = (family == Family::Gas, family == Family::Star);
        match k {
            0 | 1 => gas,
            2 => gas || star,
            3 => star,
            _ => self.widths.boom && !gas,
        }
    }

    pub(super) fn header(&self) -> Vec<u8> {
        let [gas, dark, star] = self.counts.map(|c| c as u32);
        let words = [self.total() as u32, 3, gas, dark, star, self.version];
        let mut bytes = Vec::with_capacity(32);
        match self.endian {
            Endian::Little => {
                bytes.extend(self.time.to_le_bytes());
                words.iter().for_each(|w| bytes.extend(w.to_le_bytes()));
            }
            Endian::Big => {
                bytes.extend(self.time.to_be_bytes());
                words.iter().for_each(|w| bytes.extend(w.to_be_bytes()));
            }
        }
        bytes
    }

    /// A record from its bytes.
    pub(super) fn decode(&self, family: Family, bytes: &[u8]) -> Record {
        let mut reader = Words { bytes, at: 0, endian: self.endian };
        let mut record = Record { mass: reader.single().into(), ..Record::default() };
        record.position = std::array::from_fn(|_| reader.real(self.widths.wide_position));
        record.velocity = std::array::from_fn(|_| reader.real(self.widths.wide_velocity));
        if self.widths.boom && family != Family::Gas {
            record.boom = Some(std::array::from_fn(|_| reader.single()));
        }
        match family {
            Family::Gas => {
                record.rho = reader.single();
                record.temp = reader.single();
                record.eps = reader.single();
                record.metals = reader.single();
            }
            Family::Dark => record.eps = reader.single(),
            Family::Star => {
                record.metals = reader.single();
                record.tform = reader.single();
                record.eps = reader.single();
            }
        }
        record.phi = reader.single();
        record
    }

    /// Appends the bytes of a plain record.
    pub(super) fn encode(&self, family: Family, record: &Record, bytes: &mut Vec<u8>) {
        // by bits, since eps and phi may carry integers that are no valid numbers
        let mut put = |word: f32| match self.endian {
            Endian::Little => bytes.extend(word.to_bits().to_le_bytes()),
            Endian::Big => bytes.extend(word.to_bits().to_be_bytes()),
        };
        put(record.mass as f32);
        record.position.iter().chain(&record.velocity).for_each(|q| put(*q as f32));
        match family {
            Family::Gas => [record.rho, record.temp, record.eps, record.metals].into_iter().for_each(&mut put),
            Family::Dark => put(record.eps),
            Family::Star => [record.metals, record.tform, record.eps].into_iter().for_each(&mut put),
        }
        put(record.phi);
    }
}

impl std::fmt::Display for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.endian == Endian::Big { "big-endian (standard)" } else { "little-endian (native)" })?;
        if self.header_bytes == 28 {
            f.write_str(", header without pad")?;
        }
        match self.widths {
            Widths { wide_velocity: true, .. } => f.write_str(", positions and velocities in f64"),
            Widths { wide_position: true, .. } => f.write_str(", positions in f64"),
            Widths { boom: true, .. } => f.write_str(", with accelerations"),
            _ => Ok(()),
        }
    }
}

/// Reads words off a record.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    endian: Endian,
}

impl Words<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut word: [u8; N] = self.bytes[self.at..self.at + N].try_into().unwrap_or([0; N]);
        self.at += N;
        if self.endian == Endian::Big {
            word.reverse();
        }
        word
    }

    fn single(&mut self) -> f32 {
        f32::from_bits(u32::from_le_bytes(self.take()))
    }

    fn real(&mut self, wide: bool) -> f64 {
        if wide { f64::from_le_bytes(self.take()) } else { self.single().into() }
    }
}
