//! Thread blocks that share the bodies, one a thread: for as many as the device holds in registers.

use super::super::Cuda;
use super::super::launch::{Start, grid};
use super::Scheme;
use super::one_launch::{OneLaunch, has_room, kernel};
use manybody_law::Result;

const KERNEL: &str =
    concat!(include_str!("../../kernels/published.cuh"), include_str!("../../kernels/blocks_lines.cu"));

/// As blocks_lines.cu has it.
const MAX_LINES: usize = 128;

/// How many thread blocks share the bodies, and of how many threads: from the scheme and the number of bodies alone, so that
/// sums are the same bits on every device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Shape {
    scheme: Scheme,
    lines: usize,
    pub(in super::super) threads: usize,
}

impl Shape {
    /// `None` for more bodies than threads, and in mixed precision for more than half as many: on an H200 three kernels a block need 0.94
    /// times the time of 65,536 bodies (order 6: 0.92), and 1.04 times that of 32,768 (0.93); in f64 1.03 (1.02) and 1.07 (1.0).
    pub(in super::super) fn of(scheme: Scheme, n: usize) -> Option<Self> {
        let lines = (n / 32).next_power_of_two().clamp(1, MAX_LINES);
        let threads = if n < 16_384 { 256 } else { 512 };
        let each = if scheme.is_mixed { threads / 2 } else { threads };
        (n > 0 && n.div_ceil(lines) <= each && scheme.is_in_one_launch()).then_some(Shape { scheme, lines, threads })
    }

    /// Numbers of a predicted target that are published.
    fn predicted(self) -> usize {
        if self.scheme.order.has_snaps() { 10 } else { 7 }
    }

    /// Parts of sums that shared memory holds, a warp of targets each: four for each warp, or two where that is all the room.
    fn tasks(self) -> usize {
        if self.scheme.order.has_snaps() { 32 } else { 4 * self.threads / 32 }
    }

    /// Bytes of shared memory a thread block needs for n bodies.
    fn shared(self, n: usize) -> usize {
        let most = n.div_ceil(self.lines);
        self.scheme.source_bytes() * (most + self.threads) + 8 * self.scheme.sums() * (self.tasks() * 32 + most)
    }

    /// Whether a device holds the thread blocks of n bodies at once.
    fn fits(self, cuda: &Cuda, n: usize) -> Result<bool> {
        // a thread block fills a multiprocessor, and some more bytes are the kernel's own
        Ok(self.lines <= cuda.processors as usize && has_room(cuda, self.shared(n) + 4096, 80)?)
    }

    /// The text of the kernel.
    pub(in super::super) fn source(self) -> String {
        let (threads, warps, tasks) = (self.threads, self.threads / 32, self.tasks());
        let sizes = format!("#define THREADS {threads}\n#define WARPS {warps}\n#define TASKS {tasks}\n");
        self.scheme.prelude() + &sizes + KERNEL
    }
}

/// The kernel, and room for n bodies; `None` for more than the device holds at once.
///
/// # Errors
/// Those of the device.
pub(super) fn new(cuda: &Cuda, scheme: Scheme, n: usize) -> Result<Option<OneLaunch>> {
    let Some(shape) = Shape::of(scheme, n) else { return Ok(None) };
    if !shape.fits(cuda, n)? {
        return Ok(None);
    }
    let most = n.div_ceil(shape.lines);
    // headers, predicted targets, and sums
    let numbers = [2 * MAX_LINES * 2, 2 * shape.lines * most * shape.predicted(), n * scheme.sums() * shape.lines];
    let launch = grid(shape.lines as u32, 1, shape.threads as u32, 1, shape.shared(n));
    let kernel = kernel(cuda, &shape.source(), shape.shared(n) as u32)?;
    OneLaunch::new(cuda, kernel, launch, Start::Together, &numbers).map(Some)
}

#[cfg(test)]
mod tests {
    use super::super::Scheme;
    use super::Shape;
    use manybody_pairwise::{HermiteOrder, Precision};

    #[test]
    fn a_thread_has_one_body_at_most() {
        for scheme in Scheme::in_one_launch() {
            let most = if scheme.is_mixed { 32_768 } else { 65_536 };
            for n in [1, 2, 31, 32, 33, 1000, 1024, 4096, 16_383, 16_384, 32_768, 50_001, 65_536] {
                if n > most {
                    continue;
                }
                let shape = Shape::of(scheme, n).unwrap();
                assert!(shape.lines <= 128 && n.div_ceil(shape.lines) <= shape.threads, "{n}: {shape:?}");
                // H100 and H200 have 227 KiB, of which the kernel takes some by itself
                assert!(shape.shared(n) < 220 << 10, "{n}: {shape:?}");
            }
            assert_eq!((Shape::of(scheme, 0), Shape::of(scheme, most + 1)), (None, None));
        }
        assert_eq!(Scheme::of(HermiteOrder::Fourth, Precision::F32), None);
        assert_eq!(
            Scheme::of(HermiteOrder::ThreePoint, Precision::F64).and_then(|scheme| Shape::of(scheme, 1000)),
            None
        );
    }
}
