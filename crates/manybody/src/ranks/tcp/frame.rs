//! Letters on a socket: a head of three words, then the words of the letter, all little-endian.

use manybody_ranks::{Kind, Letter};
use std::io::{self, ErrorKind, Read, Write};

/// What is on the wire: a letter, or a sign of life.
#[derive(Debug, PartialEq)]
pub(super) enum Frame {
    Letter(Letter),
    Alive,
}

const ALIVE: u64 = 0;
const KINDS: [(u64, Kind); 5] =
    [(1, Kind::Data), (2, Kind::Stop), (3, Kind::Cancel), (4, Kind::Leave), (5, Kind::Lost)];

/// Words of a letter at most: 2^36 are 512 GiB.
const MAX_WORDS: u64 = 1 << 36;

/// Words that are read at once, and memory that is taken at once for what a head only announces.
const PIECE: usize = 1 << 16;

/// Writes a letter.
///
/// # Errors
/// Those of the socket.
pub(super) fn write(to: &mut impl Write, letter: &Letter) -> io::Result<()> {
    let kind = KINDS.iter().find(|(_, kind)| *kind == letter.kind).map_or(ALIVE, |(number, _)| *number);
    let head = [kind, letter.tag, letter.words.len() as u64];
    if letter.words.len() <= 64 {
        // one packet
        let all: Vec<u64> = head.into_iter().chain(letter.words.iter().copied()).collect();
        return to.write_all(&bytes(&all));
    }
    to.write_all(&bytes(&head))?;
    letter.words.chunks(PIECE).try_for_each(|piece| to.write_all(&bytes(piece)))
}

/// Writes a sign of life.
///
/// # Errors
/// Those of the socket.
pub(super) fn write_alive(to: &mut impl Write) -> io::Result<()> {
    to.write_all(&bytes(&[ALIVE, 0, 0]))
}

/// Reads what comes next; `alive` is called for every piece.
///
/// # Errors
/// Those of the socket, and [`ErrorKind::InvalidData`] for what no rank writes.
pub(super) fn read(from: &mut impl Read, mut alive: impl FnMut()) -> io::Result<Frame> {
    let mut head = [0_u64; 3];
    read_words(from, &mut head)?;
    alive();
    let [kind, tag, count] = head;
    if kind == ALIVE {
        return Ok(Frame::Alive);
    }
    let wrong = || io::Error::new(ErrorKind::InvalidData, "what came is no message of a rank");
    let kind = KINDS.iter().find(|(number, _)| *number == kind).map(|(_, kind)| *kind).ok_or_else(wrong)?;
    if count > MAX_WORDS {
        return Err(wrong());
    }
    let count = count as usize;
    let mut words = Vec::with_capacity(count.min(PIECE));
    while words.len() < count {
        let done = words.len();
        words.resize(count.min(done + PIECE), 0);
        read_words(from, &mut words[done..])?;
        alive();
    }
    Ok(Frame::Letter(Letter { kind, tag, words }))
}

fn read_words(from: &mut impl Read, words: &mut [u64]) -> io::Result<()> {
    from.read_exact(bytemuck::cast_slice_mut(words))?;
    words.iter_mut().for_each(|word| *word = u64::from_le(*word));
    Ok(())
}

/// The bytes of words, in place where the machine's order is that of the wire.
fn bytes(words: &[u64]) -> std::borrow::Cow<'_, [u8]> {
    match cfg!(target_endian = "little") {
        true => bytemuck::cast_slice(words).into(),
        false => words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_any_length_are_read_as_written() {
        for length in [0, 1, 64, 65, PIECE, PIECE + 1, 3 * PIECE] {
            let words = (0..length as u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let letter = Letter { kind: Kind::Data, tag: 77, words };
            let mut wire = Vec::new();
            write(&mut wire, &letter).unwrap();
            write_alive(&mut wire).unwrap();
            let mut wire = &wire[..];
            assert_eq!(read(&mut wire, || {}).unwrap(), Frame::Letter(letter));
            assert_eq!(read(&mut wire, || {}).unwrap(), Frame::Alive);
            assert_eq!(read(&mut wire, || {}).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn garbage_is_refused_before_memory_is_taken_for_it() {
        for garbage in [[9, 0, 0], [1, 0, MAX_WORDS + 1], [u64::MAX; 3]] {
            let mut wire = &bytes(&garbage)[..];
            assert_eq!(read(&mut wire, || {}).unwrap_err().kind(), ErrorKind::InvalidData);
        }
        let announced = bytes(&[1, 0, MAX_WORDS]).into_owned();
        assert_eq!(read(&mut &announced[..], || {}).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
