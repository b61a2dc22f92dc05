//! Far from the origin: columns that a law reads as differences only are moved to the middle before they are rounded.
//!
//! ```text
//! x_i - x_j = (x_i - c) - (x_j - c)
//! ```
//!
//! f32 keeps 24 bits of a number: at x = 1e6 the steps between numbers are 0.06, and differences of neighbours are gone
//! before a law sees them. Which columns may be moved is found in the graph, not declared: every use of the number is
//! in a difference or a comparison with its like. Angles, densities, absolute places stay as they are.

use super::graph::{Edge, Node, Role};
use super::{Cell, Field, Law, PairInputs};
use rayon::prelude::*;

/// Columns farther from 0 than this many times their width are moved. Nearer ones lose two bits at most.
const FAR: f64 = 2.0;

/// Numbers that a thread takes at a time.
const PART: usize = 1 << 14;

/// Sets of numbers of i and j that are only ever subtracted from each other.
struct Groups {
    /// The number that stands for the group of each number; those of i first.
    root: Vec<usize>,
    /// Whether something else is done with a number.
    fixed: Vec<bool>,
}

impl Groups {
    fn of(&self, mut k: usize) -> usize {
        while self.root[k] != k {
            k = self.root[k];
        }
        k
    }

    fn new(law: &Law) -> Self {
        let ids = |fields: &[Field]| {
            let of = |f: &Field| vec![f.cell == Cell::Id; f.numbers()];
            fields.iter().flat_map(of).collect::<Vec<_>>()
        };
        let (i, j) = (ids(&law.i), ids(&law.j));
        let first_j = i.len();
        let fixed = [i, j].concat();
        let mut groups = Groups { root: (0..fixed.len()).collect(), fixed };
        if law.one_kind {
            // a body is the same in both parts: kernels that read it once serve both
            (0..first_j).for_each(|k| groups.root[k] = first_j + k);
        }
        let mut subtracted = vec![false; groups.root.len()];
        let number = |e: Edge| match law.graph.at(e) {
            Node::Input { role: Role::I, slot } => Some(usize::from(*slot)),
            Node::Input { role: Role::J, slot } => Some(first_j + usize::from(*slot)),
            _ => None,
        };
        let contributions =
            || law.contributions.iter().chain(&law.own).flat_map(|o| [Some(o.value), o.label]).flatten();
        contributions().filter_map(number).for_each(|k| groups.fixed[k] = true);
        for (node, live) in law.graph.nodes().iter().zip(law.graph.live(contributions())) {
            if !live {
                continue;
            }
            let difference = match node {
                Node::Add(a, b) if a.negative() != b.negative() => number(*a).zip(number(*b)),
                Node::Less(a, b) | Node::LessEqual(a, b) | Node::Equal(a, b) if a.negative() == b.negative() => {
                    number(*a).zip(number(*b))
                }
                _ => None,
            };
            match difference {
                Some((a, b)) => {
                    (subtracted[a], subtracted[b]) = (true, true);
                    let (a, b) = (groups.of(a), groups.of(b));
                    groups.root[a] = b;
                }
                None => node.operands(|e| number(e).into_iter().for_each(|k| groups.fixed[k] = true)),
            }
        }
        let roots: Vec<usize> = (0..groups.root.len()).map(|k| groups.of(k)).collect();
        for root in 0..roots.len() {
            let mut members = (0..roots.len()).filter(|k| roots[*k] == root).peekable();
            if members.peek().is_some() {
                let (fixed, used) = members.fold((false, false), |(f, u), k| (f | groups.fixed[k], u | subtracted[k]));
                groups.fixed[root] = fixed || !used;
            }
        }
        groups
    }
}

/// The middle of columns between these two, where that is far from 0 as measured by their width; a number of f32, so that
/// what f32 holds exactly it holds exactly after the move.
fn middle((low, high): (f64, f64)) -> Option<f64> {
    let middle = f64::from((0.5 * low + 0.5 * high) as f32);
    (middle.is_finite() && middle.abs() > FAR * (high - low)).then_some(middle)
}

/// The smallest and the largest of numbers; infinite without numbers.
pub fn range(column: &[f64]) -> (f64, f64) {
    const NOTHING: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);
    let of = |part: &[f64]| part.iter().fold(NOTHING, |(l, h), x| (l.min(*x), h.max(*x)));
    // so few that threads would not pay
    if column.len() < 2 * PART {
        return of(column);
    }
    column.par_chunks(PART).map(of).reduce(|| NOTHING, |a, b| (a.0.min(b.0), a.1.max(b.1)))
}

impl Law {
    /// Calls `f` with the sets as f32 should see them: columns whose numbers only enter as differences, and lie far
    /// from 0, relative to their middle. Everything else, and the law's results, stay what they are.
    ///
    /// ```
    /// # use manybody_law as manybody;
    /// use manybody::law::{Law, PairInputs};
    /// let law = Law::parse("body x, q; sum p = j.q / abs(j.x - i.x); self exclude")?;
    /// let columns: [&[f64]; 2] = [&[1e9, 1e9 + 0.5], &[1e9, 1e9 + 0.5]];
    /// let moved = law.recentred(&PairInputs::one(&columns, &[]), |sets| [sets.i[0][1] - sets.i[0][0], sets.i[1][0]]);
    /// assert_eq!(moved, [0.5, 1e9]); // q is no place
    /// # Ok::<(), manybody::Error>(())
    /// ```
    pub fn recentred<T>(&self, inputs: &PairInputs<'_>, f: impl FnOnce(&PairInputs<'_>) -> T) -> T {
        let numbers: Vec<&[f64]> = inputs.i.iter().chain(inputs.j).copied().collect();
        let middles = self.middles(numbers.len(), |k| range(numbers[k]));
        let less = |(column, middle): (&&[f64], Option<f64>)| -> Option<Vec<f64>> {
            middle.map(|middle| column.par_iter().with_min_len(PART).map(|x| x - middle).collect())
        };
        let moved: Vec<Option<Vec<f64>>> = numbers.iter().zip(middles).map(less).collect();
        if moved.iter().all(Option::is_none) {
            return f(inputs);
        }
        let columns: Vec<&[f64]> =
            numbers.iter().zip(&moved).map(|(plain, moved)| moved.as_deref().unwrap_or(plain)).collect();
        let (i, j) = columns.split_at(inputs.i.len());
        f(&inputs.with_columns(i, j))
    }

    /// What [`recentred`](Self::recentred) subtracts from each number of bodies i, then j, where it does: `range` gives the
    /// smallest and the largest of a number, of which there are `count`.
    pub fn middles(&self, count: usize, range: impl Fn(usize) -> (f64, f64)) -> Vec<Option<f64>> {
        let groups = Groups::new(self);
        let mut middles = vec![None; count];
        if count == groups.root.len() {
            for root in (0..count).filter(|k| groups.root[*k] == *k && !groups.fixed[*k]) {
                let members: Vec<usize> = (0..count).filter(|k| groups.of(*k) == root).collect();
                let of_all = |(l, h): (f64, f64), (low, high): (f64, f64)| (l.min(low), h.max(high));
                let between = members.iter().map(|k| range(*k)).fold((f64::INFINITY, f64::NEG_INFINITY), of_all);
                members.iter().for_each(|k| middles[*k] = middle(between));
            }
        }
        middles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which numbers of i are moved if all lie far from 0.
    fn moved(text: &str) -> Vec<bool> {
        let law = Law::parse(text).unwrap();
        let columns = |fields: &[Field]| vec![vec![1e6, 1e6 + 1.0]; fields.iter().map(Field::numbers).sum()];
        let (i, j) = (columns(law.body()), columns(law.partner()));
        let (i, j): (Vec<&[f64]>, Vec<&[f64]>) =
            (i.iter().map(Vec::as_slice).collect(), j.iter().map(Vec::as_slice).collect());
        let par = vec![1.0; law.defaults().len()];
        let inputs = if law.has_one_kind() { PairInputs::one(&i, &par) } else { PairInputs::two(&i, &j, &par) };
        law.recentred(&inputs, |inputs| inputs.i.iter().map(|c| c[0] != 1e6).collect())
    }

    #[test]
    fn only_differences_are_moved() {
        assert_eq!(moved("body x[2], q; d = j.x - i.x; sum p = j.q / dot(d, d); self exclude"), [true, true, false]);
        // used by itself, by one side or by both, in a condition, as a result, or by a body on itself
        assert_eq!(moved("body x, y; sum p = (j.x - i.x) * j.y + j.x; self exclude"), [false, false]);
        assert_eq!(moved("body x; sum p = exp(i.x - j.x) when i.x < 3"), [false]);
        assert_eq!(moved("body x; min p = j.x when i.x < j.x"), [false]);
        assert_eq!(moved("body x; sum p = exp(i.x - j.x); self p = i.x"), [false]);
        assert_eq!(moved("body x; sum p = i.x + j.x"), [false]);
        // comparisons of like with like are differences
        assert_eq!(moved("body x; count n = i.x < j.x"), [true]);
        // ids are compared as they are
        assert_eq!(moved("body x; id k; sum p = exp(i.x - j.x) when i.k != j.k"), [true, false]);
        // a member that the law does not read is not moved; a body in both roles is one body
        assert_eq!(moved("body x, y; sum p = exp(i.x - j.x)"), [true, false]);
        assert_eq!(moved("body x, y; sum p = exp(i.x - j.x) when i.y < 3"), [true, false]);
        // numbers of two names belong together, and go with whatever holds one of them
        assert_eq!(moved("target x; source y; sum p = exp(j.y - i.x)"), [true]);
        assert_eq!(moved("body x, y; sum p = exp(i.x - j.y)"), [true, true]);
        assert_eq!(moved("body x, y; sum p = exp(i.x - j.y) * cos(j.x)"), [false, false]);
    }
}
