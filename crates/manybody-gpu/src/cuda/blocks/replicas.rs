//! Multiprocessors, or clusters of them, each of which has all bodies in its shared memory: for few bodies.

use super::super::Cuda;
use super::super::launch::{Start, clusters_at_once, grid};
use super::Scheme;
use super::one_launch::{OneLaunch, has_room, kernel};
use manybody_law::Result;
use manybody_pairwise::HermiteOrder;

const KERNEL: &str =
    concat!(include_str!("../../kernels/published.cuh"), include_str!("../../kernels/blocks_replicas.cu"));

/// As blocks_replicas.cu has it.
const THREADS: usize = 256;
const RING: usize = 32;

/// Thread blocks that have all bodies together, and bodies of a thread: from the scheme and the number of bodies alone, so that sums are
/// the same bits on every device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Shape {
    scheme: Scheme,
    cluster: usize,
    each: usize,
}

impl Shape {
    /// `None` for more bodies than shared memory of H100 and H200 holds.
    pub(in super::super) fn of(scheme: Scheme, n: usize) -> Option<Self> {
        // bodies of a thread at most: alone, and in a cluster, whose sums need room, too
        let most = if scheme.order.has_snaps() { [5, 4] } else { [7, 6] };
        let each = |cluster: usize| n.div_ceil(THREADS * cluster);
        let [alone, cluster] = [(1, most[0]), (4, most[1])].map(|(cluster, most)| {
            let has_room = n > 0 && each(cluster) <= most && scheme.is_in_one_launch();
            has_room.then_some(Shape { scheme, cluster, each: each(cluster) })
        });
        alone.or(cluster)
    }

    /// Bodies of a thread block.
    fn own(self) -> usize {
        THREADS * self.each
    }

    /// Targets that a thread block corrects at a time.
    fn chunk(self) -> usize {
        if (self.scheme.order, self.cluster) == (HermiteOrder::Fourth, 1) { THREADS } else { THREADS / 2 }
    }

    /// Bytes of shared memory that a thread block needs for its bodies, for sums of targets, and for a list of these.
    fn shared(self) -> usize {
        let sums = self.scheme.sums();
        8 * (2 * sums + 2) * self.own() + 8 * sums * self.chunk() + 4 * self.own()
    }

    /// Whether a thread block has its place on a multiprocessor of a device.
    fn fits(self, cuda: &Cuda) -> Result<bool> {
        has_room(cuda, self.shared() + self.own_shared(), if self.cluster > 1 { 90 } else { 80 })
    }

    /// Bytes of shared memory that the kernel has of its own, at most: targets, and their sums of each warp.
    fn own_shared(self) -> usize {
        if self.cluster > 1 { 44 << 10 } else { 6 << 10 }
    }

    /// The text of the kernel.
    pub(in super::super) fn source(self) -> String {
        let Shape { scheme, cluster, each } = self;
        let sizes = [("THREADS", THREADS), ("EACH", each), ("C", cluster), ("CHUNK", self.chunk())];
        scheme.prelude() + &sizes.map(|(name, size)| format!("#define {name} {size}\n")).concat() + KERNEL
    }
}

/// The kernel, and room for n bodies; `None` for more than a multiprocessor or a cluster holds.
///
/// # Errors
/// Those of the device.
pub(super) fn new(cuda: &Cuda, scheme: Scheme, n: usize) -> Result<Option<OneLaunch>> {
    let Some(shape) = Shape::of(scheme, n) else { return Ok(None) };
    if !shape.fits(cuda)? {
        return Ok(None);
    }
    let kernel = kernel(cuda, &shape.source(), shape.shared() as u32)?;
    let of = |groups: usize| grid((groups * shape.cluster) as u32, 1, THREADS as u32, 1, shape.shared());
    let (groups, start) = match shape.cluster as u32 {
        1 => (cuda.processors as usize, Start::Together),
        cluster => (clusters_at_once(&kernel, of(1), cluster)?, Start::TogetherInClusters(cluster)),
    };
    if groups == 0 {
        return Ok(None);
    }
    // targets are dealt out to the groups
    let groups = groups.min(n);
    let sums = shape.cluster * shape.own() * scheme.sums() * shape.cluster;
    OneLaunch::new(cuda, kernel, of(groups), start, &[RING * sums, groups * shape.cluster]).map(Some)
}

#[cfg(test)]
mod tests {
    use super::super::Scheme;
    use super::Shape;
    use manybody_pairwise::{HermiteOrder, Precision};

    #[test]
    fn all_bodies_have_a_place() {
        for (order, most) in [(HermiteOrder::Fourth, [1792, 6144]), (HermiteOrder::Sixth, [1280, 4096])] {
            for precision in [Precision::F64, Precision::Mixed] {
                let scheme = Scheme::of(order, precision).unwrap();
                for n in (1..=most[1]).filter(|n| n % 97 == 1 || most.contains(n)) {
                    let shape = Shape::of(scheme, n).unwrap();
                    assert!(
                        shape.cluster * shape.own() >= n && (shape.cluster == 1) == (n <= most[0]),
                        "{n}: {shape:?}"
                    );
                    // H100 and H200 have 227 KiB
                    assert!(shape.shared() + shape.own_shared() <= 227 << 10, "{n}: {shape:?}");
                }
                assert_eq!((Shape::of(scheme, 0), Shape::of(scheme, most[1] + 1)), (None, None));
            }
        }
    }
}
