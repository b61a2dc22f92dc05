//! Numbers to the device and back through page-locked memory, in pieces: while one is transferred, the next is
//! converted.

use super::{Cuda, failed};
use cudarc::driver::{CudaEvent, CudaSlice, CudaStream, DeviceRepr, DriverError, PinnedHostSlice, ValidAsZeroBits};
use manybody_law::Result;
use std::ops::Range;
use std::sync::Arc;

/// Numbers a piece: a transfer of a quarter of a megabyte or more runs at the bus's full rate.
const PIECE: usize = 1 << 16;

/// Two pieces of page-locked memory.
pub(super) struct Staging<T> {
    pieces: [Piece<T>; 2],
}

struct Piece<T> {
    memory: PinnedHostSlice<T>,
    /// When the last copy from or to it has ended.
    copied: Option<CudaEvent>,
}

impl<T: DeviceRepr + ValidAsZeroBits> Piece<T> {
    fn new(cuda: &Cuda) -> Result<Self> {
        // SAFETY: numbers are written before they are read
        #[allow(unsafe_code)]
        let memory = unsafe { cuda.context.alloc_pinned_with_flags(PIECE, 0) };
        Ok(Piece { memory: memory.map_err(failed("allocate memory for transfers"))?, copied: None })
    }

    /// Its numbers, once no copy needs them any more.
    fn numbers(&mut self) -> Result<&mut [T], DriverError> {
        if let Some(copied) = self.copied.take() {
            copied.synchronize()?;
        }
        self.memory.as_mut_slice()
    }
}

impl<T> Drop for Piece<T> {
    fn drop(&mut self) {
        // a copy may still run; if it fails, no caller is left to get the error
        let _ = self.copied.take().map(|copied| copied.synchronize());
    }
}

impl<T: DeviceRepr + ValidAsZeroBits> Staging<T> {
    pub(super) fn new(cuda: &Cuda) -> Result<Self> {
        Ok(Staging { pieces: [Piece::new(cuda)?, Piece::new(cuda)?] })
    }

    /// Sends `to.len()` numbers: `fill` is called for one range of them after the other.
    pub(super) fn send(
        &mut self,
        stream: &Arc<CudaStream>,
        to: &mut CudaSlice<T>,
        mut fill: impl FnMut(Range<usize>, &mut [T]),
    ) -> Result<(), DriverError> {
        for (k, range) in pieces(to.len()).enumerate() {
            let piece = &mut self.pieces[k % 2];
            let numbers = &mut piece.numbers()?[..range.len()];
            fill(range.clone(), numbers);
            stream.memcpy_htod(&*numbers, &mut to.slice_mut(range))?;
            piece.copied = Some(stream.record_event(None)?);
        }
        Ok(())
    }

    /// Fetches all numbers: `take` is called with one range of them after the other.
    pub(super) fn fetch(
        &mut self,
        stream: &Arc<CudaStream>,
        from: &CudaSlice<T>,
        mut take: impl FnMut(Range<usize>, &[T]),
    ) -> Result<(), DriverError> {
        let mut before: Option<Range<usize>> = None;
        // one turn more than there are pieces: each takes the piece before
        for (k, range) in pieces(from.len()).map(Some).chain([None]).enumerate() {
            if let Some(range) = &range {
                let piece = &mut self.pieces[k % 2];
                stream.memcpy_dtoh(&from.slice(range.clone()), &mut piece.numbers()?[..range.len()])?;
                piece.copied = Some(stream.record_event(None)?);
            }
            if let Some(last) = before.take() {
                take(last.clone(), &self.pieces[(k + 1) % 2].numbers()?[..last.len()]);
            }
            before = range;
        }
        Ok(())
    }
}

/// The ranges of `count` numbers.
fn pieces(count: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).step_by(PIECE).map(move |first| first..count.min(first + PIECE))
}

/// Calls `part` for every stretch of `range` that lies in one of several columns of `stride` numbers one after the other:
/// with the column, the first number in it, and where it is in the range.
pub(super) fn columns(range: Range<usize>, stride: usize, mut part: impl FnMut(usize, usize, Range<usize>)) {
    let mut at = range.start;
    while at < range.end {
        let (column, first) = (at / stride, at % stride);
        let end = range.end.min((column + 1) * stride);
        part(column, first, at - range.start..end - range.start);
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_columns_cover_everything_once() {
        for (count, stride) in [(0, 1), (7, 7), (3 * PIECE, PIECE), (3 * 50_000, 50_000), (4 * 70_001, 70_001)] {
            let mut met = 0;
            for range in pieces(count) {
                columns(range.clone(), stride, |column, first, within| {
                    assert_eq!(column * stride + first, range.start + within.start);
                    assert_eq!(range.start + within.start, met);
                    assert!(!within.is_empty() && first + within.len() <= stride);
                    met += within.len();
                });
            }
            assert_eq!(met, count);
        }
    }
}
