//! The two-point correlation function of points in a periodic box, and in an open one with random points.

use manybody::Result;
use manybody::pairs::{Bins, PairHistogram, Points, landy_szalay, peebles_hauser};

fn main() -> Result<()> {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    // 1,000 places, three points within 0.02 of each: clustered at short distances
    let mut rows = Vec::new();
    for _ in 0..1_000 {
        let place = [random(), random(), random()];
        for _ in 0..3 {
            rows.extend(place.map(|x| (x + 0.02 * random()).fract()));
        }
    }
    let data = Points::from_rows(&rows, 3)?;

    // in a periodic box random points are not needed: their counts are known
    let bins = Bins::logarithmic(0.005, 0.25, 6)?;
    let periodic = bins.clone().periodic(&[1.0; 3])?;
    let dd = PairHistogram::within(&data, None, &periodic)?;
    let in_box = peebles_hauser(&dd, &PairHistogram::expected_in_box(data.len(), &periodic)?)?;

    let random: Vec<f64> = (0..30_000).map(|_| random()).collect();
    let random = Points::from_rows(&random, 3)?;
    let dd = PairHistogram::within(&data, None, &bins)?;
    let dr = PairHistogram::between(&data, &random, None, &bins)?;
    let rr = PairHistogram::within(&random, None, &bins)?;
    let open = landy_szalay(&dd, &dr, &rr)?;

    eprintln!("{:>8} {:>8} {:>12} {:>14}", "from", "to", "xi in a box", "Landy-Szalay");
    for k in 0..bins.count() {
        eprintln!("{:8.4} {:8.4} {:12.4} {:14.4}", bins.edges()[k], bins.edges()[k + 1], in_box[k], open[k]);
    }
    Ok(())
}
