//! The distance matrix as a file.

use super::points;
use crate::pairs::npy::write_in_parts;
use crate::pairs::{Float, Points, distance_matrix, write_distance_matrix};

fn check<T: Float>(n: usize, buffer: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.npy");
    let points = points::<T>(n, 3, 1.0, 8);
    let expected = distance_matrix(&points).unwrap();
    assert_eq!(write_in_parts(&points, &path, buffer).unwrap(), expected.len() as u64);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let data = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(data % 64, 0);
    let text = std::str::from_utf8(&bytes[10..data]).unwrap();
    let shape = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", T::NPY, expected.len());
    assert!(text.starts_with(&shape) && text.ends_with('\n'), "{text}");
    let mut wanted = Vec::new();
    T::write_le(&expected, &mut wanted);
    assert_eq!(bytes[data..], wanted, "n = {n}, buffer {buffer}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn holds_the_matrix_whatever_the_buffer() {
    for n in [0, 1, 2, 3, 40, 200] {
        for buffer in [1, 8, 100, 1_000, 12_345, 1 << 20] {
            check::<f64>(n, buffer);
            check::<f32>(n, buffer);
        }
    }
}

#[test]
fn a_disk_that_is_too_small_is_noticed_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.npy");
    std::fs::write(&path, "old").unwrap();
    // 30 million points, 3.6 PB: to compute them would take months
    let many = Points::from_columns(&[&vec![0.0_f64; 30_000_000]]).unwrap();
    let error = write_distance_matrix(&many, &path).unwrap_err();
    assert!(error.is_bad_input());
    assert!(error.to_string().contains("3599999880000128 bytes"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let nowhere = folder.path().join("no such folder/d.npy");
    assert!(write_distance_matrix(&points::<f64>(3, 1, 1.0, 1), &nowhere).unwrap_err().to_string().contains("no such"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_write_that_fails_is_reported() {
    // every write to /dev/full fails with "no space left"
    let error = write_in_parts(&points::<f64>(300, 2, 1.0, 1), "/dev/full".as_ref(), 1 << 12).unwrap_err();
    assert!(error.to_string().contains("/dev/full"), "{error}");
}
