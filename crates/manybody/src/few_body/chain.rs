//! The chain: which bodies are neighbours in it, and the vectors from each to the next [Mikkola 1993].
//!
//! The closest pair is a link of the chain, which then grows at both ends by the body that is nearest to an end. So the
//! separations of close bodies are themselves variables of the integration: they are never a difference of large
//! numbers.

use super::double::DoubleDouble;

/// Numbers of a link: a relative position and a relative velocity.
pub(super) const LINK: usize = 6;

/// Numbers of a link, from one body of the chain to the next.
pub(super) type Link<V = f64> = [DoubleDouble<V>; LINK];

/// The order of bodies in a chain, for bodies at these places; `free` is memory for those that are not yet in it.
pub(super) fn order(places: &[[f64; 3]], chain: &mut Vec<usize>, free: &mut Vec<usize>) {
    let distance2 = |i: usize, j: usize| -> f64 {
        let [x, y, z]: [f64; 3] = std::array::from_fn(|q| places[i][q] - places[j][q]);
        x * x + y * y + z * z
    };
    let n = places.len();
    free.clear();
    free.extend(0..n);
    chain.clear();
    if n < 2 {
        return chain.append(free);
    }
    let mut closest = (f64::INFINITY, [0, 1]);
    for i in 0..n {
        for j in i + 1..n {
            let distance2 = distance2(i, j);
            if distance2 < closest.0 {
                closest = (distance2, [i, j]);
            }
        }
    }
    let [mut head, mut tail] = closest.1;
    chain.extend([head, tail]);
    free.retain(|k| *k != head && *k != tail);
    while !free.is_empty() {
        let (mut nearest, mut at, mut is_head) = (f64::INFINITY, 0, false);
        for (place, k) in free.iter().enumerate() {
            let [to_head, to_tail] = [distance2(head, *k), distance2(tail, *k)];
            if to_head.min(to_tail) < nearest {
                (nearest, at, is_head) = (to_head.min(to_tail), place, to_head < to_tail);
            }
        }
        let k = free.remove(at);
        match is_head {
            true => {
                chain.insert(0, k);
                head = k;
            }
            false => {
                chain.push(k);
                tail = k;
            }
        }
    }
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
        let (mut found, mut free) = (Vec::new(), Vec::new());
        order(&places, &mut found, &mut free);
        assert!(is_same(&found, &[2, 0, 3, 1]), "{found:?}");
        order(&places[..1], &mut found, &mut free);
        assert_eq!(found, [0]);
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
