//! A fixed sequence of random numbers, and of damages to bytes.

/// A generator of the same numbers everywhere [Steele 2014, SplitMix64].
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Damages a file in one to four ways.
pub(crate) fn mutate(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let span = 1 + random.below(16);
        let end = bytes.len().min(at + span);
        match random.below(9) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'-', b'9', b'\n', b','][random.below(9)],
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            5 | 6 => {
                let extremes =
                    [0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, u32::MAX.into(), i64::MAX as u64, u64::MAX];
                let value = extremes[random.below(10)];
                let width = [1, 2, 4, 8][random.below(4)];
                let big = random.below(2) == 0;
                let raw = if big { value.to_be_bytes() } else { value.to_le_bytes() };
                let raw = if big { &raw[8 - width..] } else { &raw[..width] };
                let end = bytes.len().min(at + width);
                bytes[at..end].copy_from_slice(&raw[..end - at]);
            }
            7 if !other.is_empty() => {
                let from = random.below(other.len());
                let piece = &other[from..other.len().min(from + 8 * span)];
                let end = bytes.len().min(at + piece.len());
                bytes.splice(at..end, piece.iter().copied());
            }
            _ => bytes.extend((0..span).map(|_| random.next() as u8)),
        }
    }
}
