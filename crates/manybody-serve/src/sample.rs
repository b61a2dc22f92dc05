//! Which bodies are shown: all, or, of many, as many as the link carries.

use manybody::Bodies;

/// The most bodies that are shown. At ten bytes a body and 30 frames a second they are
/// 18 MB/s.
pub const MAX_BODIES: usize = 60_000;

/// A body this much heavier than the mean is shown in any case.
const HEAVY: f64 = 100.0;

/// The bodies that are shown, by index, and how many bodies each stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) indices: Vec<u32>,
    pub(crate) stands_for: Vec<f32>,
}

impl Sample {
    /// Chooses at most `most` bodies: the heaviest of those that are much heavier than the mean, at most a quarter, and
    /// of the others one at random in each of as many equal parts of their order. The same bodies give the same sample.
    pub(crate) fn of(bodies: &Bodies, most: usize) -> Self {
        let n = bodies.len();
        if n <= most {
            return Sample { indices: (0..n as u32).collect(), stands_for: vec![1.0; n] };
        }
        let heavy = heaviest(bodies, most);
        let others: Vec<u32> = (0..n as u32).filter(|i| heavy.binary_search(i).is_err()).collect();
        let parts = most - heavy.len();
        let begin = |part: usize| part * others.len() / parts;
        let chosen = (0..parts).map(|part| {
            let (from, to) = (begin(part), begin(part + 1));
            others[from + (random(part as u64) % (to - from) as u64) as usize]
        });
        let each = others.len() as f32 / parts as f32;
        let mut all: Vec<(u32, f32)> = heavy.iter().map(|i| (*i, 1.0)).chain(chosen.map(|i| (i, each))).collect();
        all.sort_by_key(|(i, _)| *i);
        let (indices, stands_for) = all.into_iter().unzip();
        Sample { indices, stands_for }
    }

    /// What a column has for the bodies of the sample.
    pub(crate) fn take<T: Copy>(&self, column: &[T]) -> Vec<T> {
        match self.indices.len() == column.len() {
            true => column.to_vec(),
            false => self.indices.iter().map(|i| column[*i as usize]).collect(),
        }
    }
}

/// The indices of the heaviest bodies above [`HEAVY`] means, in order: at most a quarter of the `most` that are shown.
pub(crate) fn heaviest(bodies: &Bodies, most: usize) -> Vec<u32> {
    let mean = bodies.mass.iter().sum::<f64>() / bodies.len().max(1) as f64;
    let mass = |i: &u32| bodies.mass[*i as usize];
    let mut heavy: Vec<u32> = (0..bodies.len() as u32).filter(|i| mass(i) > HEAVY * mean).collect();
    heavy.sort_by(|a, b| mass(b).total_cmp(&mass(a)));
    heavy.truncate(most / 4);
    heavy.sort_unstable();
    heavy
}

/// A number that looks random: splitmix64 [Steele 2014].
fn random(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_bodies_are_all_shown_and_many_are_thinned() {
        let mut bodies = Bodies::zeros(1000);
        bodies.mass.fill(1.0);
        let all = Sample::of(&bodies, 1000);
        assert_eq!(all.indices, (0..1000).collect::<Vec<u32>>());
        bodies.mass[700] = 1e6;
        let some = Sample::of(&bodies, 100);
        assert_eq!(some, Sample::of(&bodies, 100));
        assert_eq!(some.indices.len(), 100);
        assert!(some.indices.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(some.indices.contains(&700));
        // each of the others stands for as many
        let stand: f32 = some.stands_for.iter().sum();
        assert!((stand - 1000.0).abs() < 0.01, "{stand}");
    }
}
