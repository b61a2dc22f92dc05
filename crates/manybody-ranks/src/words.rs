//! Numbers and text as 64-bit words, to be sent, and read back. What is read comes from a rank that has shown the
//! token; it is checked all the same, so that ranks of different builds get an error.

use crate::{Error, Result};

/// Words that are written.
#[derive(Debug, Default)]
pub struct Words(Vec<u64>);

impl Words {
    /// A number.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.0.push(number);
        self
    }

    /// A number of the floating kind, bit by bit.
    pub fn real(&mut self, number: f64) -> &mut Self {
        self.number(number.to_bits())
    }

    /// Yes or no.
    pub fn flag(&mut self, yes: bool) -> &mut Self {
        self.number(yes.into())
    }

    /// Numbers, with their count.
    pub fn reals(&mut self, numbers: &[f64]) -> &mut Self {
        self.number(numbers.len() as u64);
        self.0.extend_from_slice(bytemuck::cast_slice(numbers));
        self
    }

    /// Numbers, with their count.
    pub fn numbers(&mut self, numbers: impl ExactSizeIterator<Item = u64>) -> &mut Self {
        self.number(numbers.len() as u64);
        self.0.extend(numbers);
        self
    }

    /// Text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64);
        let words = text.as_bytes().chunks(8).map(|bytes| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        });
        self.0.extend(words);
        self
    }

    /// The words.
    pub fn done(self) -> Vec<u64> {
        self.0
    }
}

/// Words that are read.
#[derive(Debug)]
pub struct Reader<'a>(&'a [u64]);

impl<'a> Reader<'a> {
    /// Of these words.
    pub fn of(words: &'a [u64]) -> Self {
        Reader(words)
    }

    /// A number.
    ///
    /// # Errors
    /// [`Error::Rank`] at the end of the words.
    pub fn number(&mut self) -> Result<u64> {
        let (first, rest) = self.0.split_first().ok_or_else(cut_short)?;
        self.0 = rest;
        Ok(*first)
    }

    /// A count or an index.
    ///
    /// # Errors
    /// [`Error::Rank`] at the end of the words.
    pub fn count(&mut self) -> Result<usize> {
        usize::try_from(self.number()?).map_err(|_| cut_short())
    }

    /// A number of the floating kind.
    ///
    /// # Errors
    /// [`Error::Rank`] at the end of the words.
    pub fn real(&mut self) -> Result<f64> {
        self.number().map(f64::from_bits)
    }

    /// Yes or no.
    ///
    /// # Errors
    /// [`Error::Rank`] at the end of the words.
    pub fn flag(&mut self) -> Result<bool> {
        self.number().map(|number| number != 0)
    }

    /// Numbers.
    ///
    /// # Errors
    /// [`Error::Rank`] at the end of the words.
    pub fn reals(&mut self) -> Result<&'a [f64]> {
        self.numbers().map(bytemuck::cast_slice)
    }

    /// Numbers.
    ///
    /// # Errors
    /// [`Error::Rank`] at the end of the words.
    pub fn numbers(&mut self) -> Result<&'a [u64]> {
        let count = self.count()?;
        self.next(count)
    }

    /// Numbers, of which there must be so many.
    ///
    /// # Errors
    /// [`Error::Rank`] for another count.
    pub fn next_reals(&mut self, count: usize) -> Result<&'a [f64]> {
        self.reals().and_then(|numbers| if numbers.len() == count { Ok(numbers) } else { Err(cut_short()) })
    }

    /// Text.
    ///
    /// # Errors
    /// [`Error::Rank`] at the end of the words, and for what is no text.
    pub fn text(&mut self) -> Result<String> {
        let length = self.count()?;
        let words = self.next(length.div_ceil(8))?;
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(length);
        String::from_utf8(bytes).map_err(|_| cut_short())
    }

    /// So many words.
    ///
    /// # Errors
    /// [`Error::Rank`] at the end of the words.
    pub fn next(&mut self, count: usize) -> Result<&'a [u64]> {
        if count > self.0.len() {
            return Err(cut_short());
        }
        let (next, rest) = self.0.split_at(count);
        self.0 = rest;
        Ok(next)
    }

    /// All that is left.
    pub fn rest(self) -> &'a [u64] {
        self.0
    }
}

fn cut_short() -> Error {
    Error::Rank { rank: 0, problem: "a message is cut short: are all ranks the same program?".into() }
}

/// How a rank leaves: its exit status, and what it says.
pub(crate) fn of_status(status: u8, text: &str) -> Vec<u64> {
    let mut words = Words::default();
    words.number(status.into()).text(text);
    words.done()
}

/// [`of_status`], read back; a failure where it cannot be.
pub(crate) fn status_of(words: &[u64]) -> (u8, String) {
    let mut reader = Reader::of(words);
    let read = reader.number().and_then(|status| Ok((status as u8, reader.text()?)));
    read.unwrap_or((1, "it left without a reason".into()))
}

/// A rank that is lost, and how that is known.
pub(crate) fn of_loss(rank: usize, how: &str) -> Vec<u64> {
    let mut words = Words::default();
    words.number(rank as u64).text(how);
    words.done()
}

/// [`of_loss`], read back; without a reason where it cannot be.
pub(crate) fn loss_of(words: &[u64]) -> (usize, String) {
    let mut reader = Reader::of(words);
    let rank = reader.count().unwrap_or_default();
    (rank, reader.text().unwrap_or_else(|_| "it is lost to another rank".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut words = Words::default();
        words.number(7).real(-0.0).flag(true).reals(&[1.5, f64::NAN]).text("Größe 9").numbers([3, 4].into_iter());
        let words = words.done();
        let mut reader = Reader::of(&words);
        assert_eq!(reader.count().unwrap(), 7);
        assert!(reader.real().unwrap().is_sign_negative() && reader.flag().unwrap());
        assert!(reader.reals().unwrap()[1].is_nan());
        assert_eq!(reader.text().unwrap(), "Größe 9");
        assert_eq!(reader.numbers().unwrap(), [3, 4]);
        assert!(reader.number().is_err());
        assert_eq!(status_of(&of_status(130, "asked")), (130, "asked".into()));
        assert_eq!(loss_of(&of_loss(700, "gone")), (700, "gone".into()));
    }

    #[test]
    fn what_is_cut_short_is_an_error() {
        for words in [&[][..], &[9, 1], &[u64::MAX]] {
            assert!(Reader::of(words).text().is_err() && Reader::of(words).reals().is_err(), "{words:?}");
            assert!(matches!(status_of(words), (1 | 9 | 255, text) if text.contains("without a reason")));
        }
    }
}
