//! The distance matrix as a file.

use super::points;
use crate::npy::write_in_parts;
use crate::{Float, Points, distance_matrix, read_npy, write_distance_matrix};

fn check<T: Float>(n: usize, buffer: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.npy");
    let points = points::<T>(n, 3, 1.0, 8);
    let expected = distance_matrix(&points).unwrap();
    assert_eq!(write_in_parts(&points, &path, buffer, None).unwrap(), expected.len() as u64);
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
    let error = write_in_parts(&points::<f64>(300, 2, 1.0, 1), "/dev/full".as_ref(), 1 << 12, None).unwrap_err();
    assert!(error.to_string().contains("/dev/full"), "{error}");
}

/// A file as numpy.save writes it, with this header.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn read(bytes: &[u8]) -> Result<Vec<Vec<f64>>, String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    read_npy(file.path()).map_err(|error| {
        assert!(error.is_bad_input(), "{error}");
        error.to_string()
    })
}

#[test]
fn arrays_are_read_by_rows_and_by_columns() {
    let numbers: Vec<u8> = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0_f64].iter().flat_map(|x| x.to_le_bytes()).collect();
    // NumPy 2.4: numpy.save of arange(1., 7.).reshape(3, 2), and of its asfortranarray
    let of = |fortran: &str| format!("{{'descr': '<f8', 'fortran_order': {fortran}, 'shape': (3, 2), }}   \n");
    assert_eq!(read(&npy(&of("False"), &numbers)).unwrap(), [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]);
    assert_eq!(read(&npy(&of("True"), &numbers)).unwrap(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let single: Vec<u8> = [0.1_f32, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let flat = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    assert_eq!(read(&npy(flat, &single)).unwrap(), [[f64::from(0.1_f32), -2.0]]);
    assert_eq!(read(&npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", &[])).unwrap().len(), 3);
}

#[test]
fn what_was_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.npy");
    let points = points::<f64>(30, 3, 1.0, 8);
    write_distance_matrix(&points, &path).unwrap();
    assert_eq!(read_npy(&path).unwrap(), [distance_matrix(&points).unwrap()]);
}

#[test]
fn files_that_are_no_arrays_are_refused() {
    let bad = |bytes: &[u8], part: &str| {
        let error = read(bytes).unwrap_err();
        assert!(error.contains(part) && error.contains("NumPy"), "{error}");
    };
    let head = |descr: &str, shape: &str| format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    bad(b"x,y\n1,2\n", "begin as numpy.save");
    bad(b"\x93NUM", "within its header");
    bad(&npy(&head("<i8", "(1,)"), &[0; 8]), "'<i8'");
    bad(&npy(&head(">f8", "(1,)"), &[0; 8]), "astype('<f8')");
    bad(&npy(&head("<f8", "(2, 2)"), &[0; 24]), "2 x 2 numbers of 8 bytes are promised, 24 bytes follow");
    bad(&npy(&head("<f8", "(1,)"), &[0; 9]), "9 bytes follow");
    bad(&npy(&head("<f8", "(18446744073709551615, 1000000)"), &[0; 8]), "promised");
    bad(&npy(&head("<f8", "(99999999999999999999,)"), &[0; 8]), "shape (99999999999999999999,)");
    bad(&npy(&head("<f8", "(1, 1, 1)"), &[0; 8]), "shape (1, 1, 1)");
    bad(&npy(&head("<f8", "()"), &[0; 8]), "shape ()");
    bad(&npy("{'descr': '<f8'}", &[0; 8]), "no 'shape'");
    // every cut and every changed byte of a header is an error or an array, never a panic
    let whole = npy(&head("<f8", "(2, 1)"), &[0; 16]);
    for k in 0..whole.len() {
        assert!(read(&whole[..k]).is_err());
        let mut changed = whole.clone();
        changed[k] = changed[k].wrapping_add(17);
        let _ = read(&changed);
    }
}

/// An array with more numbers than memory holds is refused before it is read. The file is all hole: 64 bytes on the disk.
#[cfg(target_os = "linux")]
#[test]
fn an_array_larger_than_memory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let (rows, header) = (1_u64 << 40, 128);
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 1), }}");
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{text:117}\n").bytes());
    assert_eq!(bytes.len(), header);
    std::fs::write(&path, bytes).unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_len(8 * rows + header as u64).unwrap();
    let error = read_npy(&path).unwrap_err();
    assert!(error.is_bad_input() && error.to_string().contains("8796093022208 bytes, more than"), "{error}");
}
