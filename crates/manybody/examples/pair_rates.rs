//! Distance matrices and collisions, timed: what scripts/bench_pairs.py runs beside SciPy and NumPy.
//!
//! `pair_rates distances|collisions FILE DIMENSIONS f32|f64 REPEAT OUT` reads numbers as NumPy's `tofile` writes them (for
//! collisions a radius after the coordinates of each sphere), writes the answer in the same way and prints the best
//! times as JSON: of the whole call, and for distances also into memory that is there already.

#![allow(clippy::print_stdout)] // its numbers

use manybody::pairs::{Float, Points, Spheres, collisions, count_collisions, distance_matrix, distance_matrix_into};
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

/// Best seconds of `repeat` calls after one that does not count.
fn best<R>(repeat: usize, mut call: impl FnMut() -> R) -> f64 {
    let mut once = || {
        let start = Instant::now();
        let result = call();
        let seconds = start.elapsed().as_secs_f64();
        drop(result);
        seconds
    };
    once();
    (0..repeat).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn distances<T: Float>(numbers: &[T], dimensions: usize, repeat: usize, out: &str) -> Result<String, Failure> {
    let points = Points::from_rows(numbers, dimensions)?;
    let fresh = best(repeat, || distance_matrix(&points));
    let mut matrix = distance_matrix(&points)?;
    let reused = best(repeat, || distance_matrix_into(&points, &mut matrix));
    let mut bytes = Vec::new();
    T::write_le(&matrix, &mut bytes);
    std::fs::write(out, bytes)?;
    Ok(format!("{{\"seconds\": {fresh:e}, \"reused\": {reused:e}}}"))
}

fn touching<T: Float>(numbers: &[T], dimensions: usize, repeat: usize, out: &str) -> Result<String, Failure> {
    let records = numbers.chunks_exact(dimensions + 1);
    let centers: Vec<T> = records.clone().flat_map(|record| &record[..dimensions]).copied().collect();
    let radii: Vec<T> = records.map(|record| record[dimensions]).collect();
    let spheres = Spheres::new(Points::from_rows(&centers, dimensions)?, &radii)?;
    let counting = best(repeat, || count_collisions(&spheres));
    let listing = best(repeat, || collisions(&spheres));
    let list = collisions(&spheres)?;
    std::fs::write(out, list.iter().flatten().flat_map(|i| i.to_le_bytes()).collect::<Vec<u8>>())?;
    Ok(format!("{{\"seconds\": {listing:e}, \"count\": {counting:e}}}"))
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [what, file, dimensions, precision, repeat, out] = &words[..] else {
        eprintln!("usage: pair_rates distances|collisions FILE DIMENSIONS f32|f64 REPEAT OUT");
        return Ok(());
    };
    let (dimensions, repeat) = (dimensions.parse()?, repeat.parse()?);
    let bytes = std::fs::read(file)?;
    let (f4, f8) = (bytes.as_chunks::<4>().0, bytes.as_chunks::<8>().0);
    let single = || f4.iter().map(|b| f32::from_le_bytes(*b)).collect::<Vec<_>>();
    let double = || f8.iter().map(|b| f64::from_le_bytes(*b)).collect::<Vec<_>>();
    let said = match (what.as_str(), precision.as_str()) {
        ("distances", "f32") => distances(&single(), dimensions, repeat, out)?,
        ("distances", "f64") => distances(&double(), dimensions, repeat, out)?,
        ("collisions", "f32") => touching(&single(), dimensions, repeat, out)?,
        ("collisions", "f64") => touching(&double(), dimensions, repeat, out)?,
        _ => return Err(format!("{what} {precision}: must be distances or collisions, f32 or f64").into()),
    };
    println!("{said}");
    Ok(())
}
