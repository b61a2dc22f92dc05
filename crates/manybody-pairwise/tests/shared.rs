//! Pairs of tiles, shared out among ranks.

use manybody_pairwise::owners;

#[test]
fn every_rank_has_as_many_pairs_as_any_other_or_nearly() {
    for tiles in [2_usize, 3, 8, 9, 16, 17, 64, 255, 256] {
        for ranks in 1..=tiles.min(64) {
            let owners = owners(tiles, ranks);
            let mut pairs = vec![0; ranks];
            (0..tiles * (tiles + 1) / 2).for_each(|pair| pairs[owners[pair % tiles]] += 1);
            // one row more in each half
            let (least, most) = (pairs.iter().min().unwrap(), pairs.iter().max().unwrap());
            assert!(most - least <= 2 * (tiles / 2 + 1), "{tiles} tiles, {ranks} ranks: {pairs:?}");
            assert_eq!(owners.len(), tiles);
        }
    }
    for ranks in [2, 4, 8] {
        let owners = owners(16, ranks);
        let mut pairs = vec![0; ranks];
        (0..136).for_each(|pair| pairs[owners[pair % 16]] += 1);
        assert!(pairs.iter().all(|pairs| *pairs == 136 / ranks), "{pairs:?}");
    }
}
