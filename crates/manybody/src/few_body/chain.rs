//! The chain: which bodies are neighbours in it, and the vectors from each to the next [Mikkola 1993].
//!
//! The closest pair is a link of the chain, which then grows at both ends by the body that is nearest to an end. So the
//! separations of close bodies are themselves variables of the integration: they are never a difference of large
//! numbers.

use super::double::DoubleDouble;

/// Numbers of a link: a relative position and a relative velocity.
pub(super) const LINK: usize = 6;

/// Numbers of a link, from one body of the chain to the next.
pub(super) type Link = [DoubleDouble; LINK];

/// The order of bodies in a chain, for bodies at these places.
pub(super) fn order(places: &[[f64; 3]]) -> Vec<usize> {
    let distance2 = |i: usize, j: usize| (0..3).map(|q| (places[i][q] - places[j][q]).powi(2)).sum::<f64>();
    let n = places.len();
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let closest = pairs.min_by(|a, b| distance2(a.0, a.1).total_cmp(&distance2(b.0, b.1)));
    let Some((i, j)) = closest else { return (0..n).collect() };
    let mut chain = std::collections::VecDeque::from([i, j]);
    let mut free: Vec<usize> = (0..n).filter(|k| *k != i && *k != j).collect();
    while let (Some(head), Some(tail)) = (chain.front().copied(), chain.back().copied()) {
        let to_end = |k: usize| distance2(head, k).min(distance2(tail, k));
        let nearest = (0..free.len()).min_by(|a, b| to_end(free[*a]).total_cmp(&to_end(free[*b])));
        let Some(k) = nearest.map(|place| free.remove(place)) else { break };
        match distance2(head, k) < distance2(tail, k) {
            true => chain.push_front(k),
            false => chain.push_back(k),
        }
    }
    chain.into()
}

/// Whether two orders are those of the same chain.
pub(super) fn is_same(a: &[usize], b: &[usize]) -> bool {
    a == b || a.iter().rev().eq(b)
}

/// The links of a chain in another order of its bodies.
pub(super) fn relinked(links: &[Link], old: &[usize], new: &[usize]) -> Vec<Link> {
    let mut place = vec![0; old.len()];
    old.iter().enumerate().for_each(|(k, body)| place[*body] = k);
    let sum = |from: usize, to: usize| {
        let mut sum = Link::default();
        links[from..to].iter().for_each(|link| (0..LINK).for_each(|q| sum[q] = sum[q] + link[q]));
        sum
    };
    let between = |pair: &[usize]| {
        let (from, to) = (place[pair[0]], place[pair[1]]);
        if from < to { sum(from, to) } else { sum(to, from).map(|q| -q) }
    };
    new.windows(2).map(between).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 and 0 are closest, 3 is next to 0, 1 is next to 3.
    #[test]
    fn neighbours_are_neighbours_in_the_chain() {
        let places = [[0.0; 3], [9.0, 0.0, 0.0], [-0.5, 0.0, 0.0], [2.0, 0.0, 0.0]];
        let found = order(&places);
        assert!(is_same(&found, &[2, 0, 3, 1]), "{found:?}");
        assert_eq!(order(&places[..1]), [0]);
        assert!(!is_same(&[0, 1, 2], &[1, 0, 2]));
    }

    #[test]
    fn links_follow_the_order() {
        let at = [3.0, -1.0, 0.5, 10.0];
        let link =
            |a: usize, b: usize| -> Link { std::array::from_fn(|q| ((at[b] - at[a]) * (q as f64 + 1.0)).into()) };
        let of = |order: &[usize]| -> Vec<Link> { order.windows(2).map(|pair| link(pair[0], pair[1])).collect() };
        let (old, new) = ([0, 1, 2, 3], [2, 0, 3, 1]);
        assert_eq!(relinked(&of(&old), &old, &new), of(&new));
    }
}
