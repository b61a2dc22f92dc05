//! The kernels of figure 5 on the CPU: blocks of 16 x 16 pairs handed out by each map to all cores.

use super::{Data, Test, wrong};
use manybody::Error;
use manybody::map::{Diagonal, Map, Triangle};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Pairs on a side of a block.
const SIDE: usize = 16;
/// Blocks that a thread takes at a time.
const SHARE: u64 = 4096;

/// Whether a map must be right for n bodies in blocks of 16: the published ones only where the worst rounding is.
pub(super) fn is_right_at(map: Triangle, n: usize) -> bool {
    map.is_exact() || n.div_ceil(SIDE) <= 443
}

/// Seconds of a test with each map, the fastest of `repeat`, maps taken in turns.
pub(super) fn measure(data: &Data, test: Test, maps: &[Triangle], repeat: usize) -> Result<Vec<f64>, Error> {
    let n = data.points.len();
    let run = Run {
        data,
        test,
        out: (0..if test == Test::Edm4 { n * (n - 1) / 2 } else { 1 }).map(|_| AtomicU32::new(0)).collect(),
        touches: AtomicU64::new(0),
    };
    let maps: Vec<(Triangle, Box<dyn Map<2>>)> = maps
        .iter()
        .map(|name| {
            let by_pair = name.is_upper_triangular();
            let (rows, diagonal) = if by_pair { (n, Diagonal::Without) } else { (n.div_ceil(SIDE), Diagonal::With) };
            Ok((*name, name.of(rows as u64, diagonal)?))
        })
        .collect::<Result<_, Error>>()?;
    let mut best = vec![f64::INFINITY; maps.len()];
    let mut answer = None;
    for _ in 0..repeat.max(1) {
        for ((name, map), best) in maps.iter().zip(&mut best) {
            run.clear();
            let clock = Instant::now();
            run.all(&**map, name.is_upper_triangular());
            *best = best.min(clock.elapsed().as_secs_f64());
            let found = run.answer();
            if *answer.get_or_insert(found) != found && is_right_at(*name, n) {
                return Err(wrong(name.name(), n));
            }
        }
    }
    Ok(best)
}

struct Run<'a> {
    data: &'a Data,
    test: Test,
    out: Vec<AtomicU32>,
    touches: AtomicU64,
}

impl Run<'_> {
    fn clear(&self) {
        self.out.iter().for_each(|o| o.store(u32::MAX, Relaxed));
        self.touches.store(0, Relaxed);
    }

    /// What must be the same with every map: touches, or all distances.
    fn answer(&self) -> u64 {
        if self.test != Test::Edm4 {
            return self.touches.load(Relaxed);
        }
        let mix = |hash: u64, o: &AtomicU32| (hash ^ u64::from(o.load(Relaxed))).wrapping_mul(0x100_0000_01b3);
        self.out.iter().fold(0xcbf2_9ce4_8422_2325, mix)
    }

    fn all(&self, map: &dyn Map<2>, by_pair: bool) {
        let blocks = map.blocks() as u64;
        (0..blocks.div_ceil(SHARE)).into_par_iter().for_each(|share| {
            let mut touches = 0;
            for w in share * SHARE..blocks.min((share + 1) * SHARE) {
                let Some([i, j]) = map.cell(w) else { continue };
                let (i, j) = (i as usize, j as usize);
                if by_pair {
                    touches += self.pair(i, j);
                } else {
                    touches += self.block(i * SIDE, j * SIDE);
                }
            }
            if touches > 0 {
                self.touches.fetch_add(touches, Relaxed);
            }
        });
    }

    fn block(&self, i0: usize, j0: usize) -> u64 {
        if self.test == Test::MapOnly {
            // a place that the compiler cannot leave out
            return u64::from(std::hint::black_box(i0 + j0) == usize::MAX);
        }
        let n = self.data.points.len();
        let mut touches = 0;
        for i in i0..n.min(i0 + SIDE) {
            for j in j0..i.min(j0 + SIDE) {
                touches += self.pair(i, j);
            }
        }
        touches
    }

    #[inline]
    fn pair(&self, i: usize, j: usize) -> u64 {
        match self.test {
            Test::Edm4 => {
                let (a, b) = (&self.data.points[i], &self.data.points[j]);
                let square: f32 = (0..4).map(|d| (a[d] - b[d]) * (a[d] - b[d])).sum();
                self.out[i * (i - 1) / 2 + j].store(square.sqrt().to_bits(), Relaxed);
                0
            }
            Test::Collide1 | Test::Collide3 => {
                let (a, b) = (&self.data.spheres[i], &self.data.spheres[j]);
                let dimensions = if self.test == Test::Collide1 { 1 } else { 3 };
                let square: f32 = (0..dimensions).map(|d| (a[d] - b[d]) * (a[d] - b[d])).sum();
                let reach = a[3] + b[3];
                u64::from(square <= reach * reach)
            }
            Test::Dummy => {
                self.out[0].store((i + j) as u32, Relaxed);
                0
            }
            Test::MapOnly => u64::from(std::hint::black_box(i + j) == usize::MAX),
        }
    }
}
