//! The nearest neighbours of every body, by a k-d tree.
//!
//! The tree is balanced and has no pointers: bodies are divided at the median along the longest side of their box, in
//! halves that differ by one body at most, until 8 or fewer are left. Node k has the children 2k + 1 and 2k + 2, and
//! the bodies of a node are a range that follows from its place alone. Bodies at one place are divided as any others
//! are.
//!
//! Each search reads the tree only, and neighbours at equal distances are ordered by their index: the results depend
//! neither on threads nor on the shape of the tree. O(n log n); six neighbours of a million bodies take about a second
//! on two cores.

use rayon::prelude::*;

/// Bodies of a leaf, at most.
const LEAF: usize = 8;
/// Fewer bodies than this are not worth another thread.
const ALONE: usize = 1 << 12;
/// Searches that a thread makes at a time.
const CHUNK: usize = 1 << 10;

/// A neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Neighbour {
    /// The square of its distance; infinite where there are fewer neighbours.
    pub distance2: f64,
    /// Its index.
    pub index: u32,
}

impl Neighbour {
    const NONE: Neighbour = Neighbour { distance2: f64::INFINITY, index: u32::MAX };

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        self.index != u32::MAX
    }

    fn is_before(&self, other: &Neighbour) -> bool {
        (self.distance2, self.index) < (other.distance2, other.index)
    }
}

/// The `K` nearest of the other points to each of `points`, nearest first: \[n\].
///
/// # Panics
/// For 2^32 - 1 points or more.
pub fn nearest<const K: usize>(points: &[[f64; 3]]) -> Vec<[Neighbour; K]> {
    let tree = Tree::new(points);
    let mut found = vec![[Neighbour::NONE; K]; points.len()];
    let searched: Vec<Vec<[Neighbour; K]>> = tree
        .items
        .par_chunks(CHUNK)
        .map(|chunk| chunk.iter().map(|item| tree.search::<K>(item.point, item.index)).collect())
        .collect();
    for (item, near) in tree.items.iter().zip(searched.into_iter().flatten()) {
        found[item.index as usize] = near;
    }
    found
}

#[derive(Clone, Copy)]
struct Item {
    point: [f64; 3],
    index: u32,
}

/// The smallest box around some points.
#[derive(Clone, Copy)]
struct Bounds {
    low: [f64; 3],
    high: [f64; 3],
}

impl Bounds {
    const EMPTY: Bounds = Bounds { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    fn of(items: &[Item]) -> Self {
        items.iter().fold(Self::EMPTY, |bounds, item| bounds.and(&Bounds { low: item.point, high: item.point }))
    }

    fn and(&self, other: &Bounds) -> Bounds {
        Bounds {
            low: [0, 1, 2].map(|k| self.low[k].min(other.low[k])),
            high: [0, 1, 2].map(|k| self.high[k].max(other.high[k])),
        }
    }

    fn longest_side(&self) -> usize {
        let side = |k: usize| self.high[k] - self.low[k];
        (1..3).fold(0, |longest, k| if side(k) > side(longest) { k } else { longest })
    }

    /// The square of the distance of a point, 0 inside.
    fn distance2(&self, point: [f64; 3]) -> f64 {
        let away = |k: usize| (self.low[k] - point[k]).max(point[k] - self.high[k]).max(0.0);
        square([0, 1, 2].map(away))
    }
}

struct Tree {
    items: Vec<Item>,
    bounds: Vec<Bounds>,
    /// Of the leaves, which have one depth.
    depth: u32,
}

impl Tree {
    fn new(points: &[[f64; 3]]) -> Self {
        assert!(points.len() < u32::MAX as usize, "more points than indices of 32 bits");
        let mut items: Vec<Item> = points.iter().zip(0..).map(|(point, index)| Item { point: *point, index }).collect();
        let depth = items.len().div_ceil(LEAF).next_power_of_two().trailing_zeros();
        let n = items.len();
        divide(&mut items, n, 0, 0, depth);
        let leaf = |j: usize| Bounds::of(&items[place(n, depth, j)..place(n, depth, j + 1)]);
        let mut level: Vec<Bounds> = (0..1_usize << depth).into_par_iter().map(leaf).collect();
        let mut levels = Vec::new();
        while level.len() > 1 {
            let above = level.chunks(2).map(|pair| pair[0].and(&pair[1])).collect();
            levels.push(std::mem::replace(&mut level, above));
        }
        levels.push(level);
        Tree { items, bounds: levels.into_iter().rev().flatten().collect(), depth }
    }

    /// The neighbours of a point of the tree.
    fn search<const K: usize>(&self, point: [f64; 3], own: u32) -> [Neighbour; K] {
        let mut near = [Neighbour::NONE; K];
        self.descend(0, 0, 0, point, own, &mut near);
        near
    }

    /// Searches node `j` of `level`, whose place among all nodes is `node`.
    fn descend(&self, node: usize, level: u32, j: usize, point: [f64; 3], own: u32, near: &mut [Neighbour]) {
        if level == self.depth {
            let n = self.items.len();
            for item in &self.items[place(n, level, j)..place(n, level, j + 1)] {
                let away = square([0, 1, 2].map(|k| item.point[k] - point[k]));
                if item.index != own {
                    insert(near, Neighbour { distance2: away, index: item.index });
                }
            }
            return;
        }
        let children = [0, 1].map(|k| (self.bounds[2 * node + 1 + k].distance2(point), k));
        let order = if children[1].0 < children[0].0 { [children[1], children[0]] } else { children };
        for (away, k) in order {
            // one at the same distance may have a smaller index
            if near.last().is_some_and(|last| away <= last.distance2) {
                self.descend(2 * node + 1 + k, level + 1, 2 * j + k, point, own, near);
            }
        }
    }
}

/// Where node `j` of a level begins among n bodies.
fn place(n: usize, level: u32, j: usize) -> usize {
    ((j as u64 * n as u64) >> level) as usize
}

/// Orders the bodies of node `j` of `level`, so that each node below has its range.
fn divide(items: &mut [Item], n: usize, level: u32, j: usize, depth: u32) {
    if level == depth {
        return;
    }
    let axis = Bounds::of(items).longest_side();
    let middle = place(n, level + 1, 2 * j + 1) - place(n, level, j);
    if middle < items.len() {
        items
            .select_nth_unstable_by(middle, |a, b| a.point[axis].total_cmp(&b.point[axis]).then(a.index.cmp(&b.index)));
    }
    let alone = items.len() < ALONE;
    let (low, high) = items.split_at_mut(middle);
    let mut below = || divide(low, n, level + 1, 2 * j, depth);
    let mut above = || divide(high, n, level + 1, 2 * j + 1, depth);
    if alone {
        below();
        above();
    } else {
        rayon::join(below, above);
    }
}

/// Puts a neighbour at its place among the nearest, if it is one of them.
fn insert(near: &mut [Neighbour], new: Neighbour) {
    let Some(last) = near.len().checked_sub(1) else { return };
    if !new.is_before(&near[last]) {
        return;
    }
    let mut at = last;
    while at > 0 && new.is_before(&near[at - 1]) {
        near[at] = near[at - 1];
        at -= 1;
    }
    near[at] = new;
}

fn square(q: [f64; 3]) -> f64 {
    q[0] * q[0] + q[1] * q[1] + q[2] * q[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All distances, sorted.
    fn by_sorting<const K: usize>(points: &[[f64; 3]]) -> Vec<[Neighbour; K]> {
        let of = |i: usize| {
            let away = |j: usize| square([0, 1, 2].map(|k| points[j][k] - points[i][k]));
            let mut all: Vec<Neighbour> = (0..points.len())
                .filter(|j| *j != i)
                .map(|j| Neighbour { distance2: away(j), index: j as u32 })
                .collect();
            all.sort_by(|a, b| a.distance2.total_cmp(&b.distance2).then(a.index.cmp(&b.index)));
            std::array::from_fn(|k| all.get(k).copied().unwrap_or(Neighbour::NONE))
        };
        (0..points.len()).map(of).collect()
    }

    proptest! {
        /// Places on a coarse grid: many at the same distance, and many at one place.
        #[test]
        fn those_of_a_sorted_list(points in prop::collection::vec([-3_i8..3, -3_i8..3, -1_i8..1], 0..200)) {
            let points: Vec<[f64; 3]> = points.into_iter().map(|p| p.map(f64::from)).collect();
            prop_assert_eq!(nearest::<6>(&points), by_sorting::<6>(&points));
            prop_assert_eq!(nearest::<1>(&points), by_sorting::<1>(&points));
        }
    }

    #[test]
    fn every_size_around_a_leaf_and_bodies_on_a_line() {
        for n in [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 5000] {
            let points: Vec<[f64; 3]> = (0..n).map(|i| [f64::from(i).sqrt(), 0.0, 1e9]).collect();
            assert!(nearest::<6>(&points) == by_sorting::<6>(&points), "{n}");
        }
    }

    #[test]
    fn threads_change_nothing() {
        let points: Vec<[f64; 3]> =
            (0..20_000).map(|i| [1.0, 1.7, 2.9].map(|f| (f64::from(i) * f).sin() * f64::from(i % 7))).collect();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| nearest::<6>(&points))
        };
        assert!(on(1) == on(2) && on(2) == on(5));
    }
}
