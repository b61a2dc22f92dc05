//! The packed Euclidean distance matrix, in memory and straight to a file.

use manybody::Result;
use manybody::pairs::{Points, distance_index, distance_matrix, write_distance_matrix};

fn main() -> Result<()> {
    // four features of each of 3,000 things, as numpy stores an array of shape (3000, 4)
    let rows: Vec<f64> = (0..12_000).map(|k| (f64::from(k) * 0.754_877).fract()).collect();
    let points = Points::from_rows(&rows, 4)?;

    let distances = distance_matrix(&points)?;
    eprintln!("from 10 to 20: {}", distances[distance_index(points.len(), 10, 20)]);

    // the same order as scipy.spatial.distance.pdist; numpy.load(path, mmap_mode="r") opens a file of any size
    let path = std::env::temp_dir().join("manybody_distances.npy");
    let count = write_distance_matrix(&points, &path)?;
    eprintln!("{count} distances in {}", path.display());
    Ok(())
}
