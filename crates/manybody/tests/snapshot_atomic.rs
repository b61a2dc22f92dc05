//! Files are the old one or the whole new one.

use manybody::snapshot::atomic::{write_bytes, write_with};
use manybody::{Error, Result};
use std::fs;
use std::io::Write;
use std::path::Path;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_new_file_and_a_replaced_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    write_bytes(&path, b"first").unwrap();
    write_bytes(&path, b"second").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"second");
    assert_eq!(names(folder.path()), ["a.csv"]);
}

#[test]
fn while_it_is_written_the_old_file_stands_and_no_other_has_its_extension() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.hdf5");
    write_bytes(&path, b"old").unwrap();
    write_with(&path, |file| {
        file.write_all(b"half").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let others: Vec<String> = names(folder.path()).into_iter().filter(|n| n != "a.hdf5").collect();
        assert_eq!(others.len(), 1);
        assert!(others[0].ends_with(".tmp"), "{others:?}");
        Ok(())
    })
    .unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"half");
}

#[test]
fn an_error_or_a_panic_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.hdf5");
    write_bytes(&path, b"old").unwrap();
    let failed: Result<()> = write_with(&path, |file| {
        file.write_all(b"half").unwrap();
        Err(Error::Parameter { name: "x", value: "1".into(), expected: "2".into() })
    });
    assert!(matches!(failed, Err(Error::Parameter { .. })));
    let panicked = std::panic::catch_unwind(|| write_with(&path, |_| -> Result<()> { panic!("on purpose") }));
    assert!(panicked.is_err());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["a.hdf5"]);
}

#[test]
fn a_name_of_the_greatest_length() {
    let folder = tempfile::tempdir().unwrap();
    // 255 bytes, what file systems allow; the temporary name has to be shorter than name and suffix
    let path = folder.path().join(format!("{}.csv", "n".repeat(251)));
    write_bytes(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn folders_and_missing_folders_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_path_buf(), folder.path().join("missing/a.csv"), "/".into(), "".into()] {
        let error = write_bytes(&path, b"x").unwrap_err();
        assert!(matches!(&error, Error::Io { path: named, .. } if *named == path), "{error:?}");
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
fn many_at_once_do_not_meet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    std::thread::scope(|scope| {
        for k in 0..8_u8 {
            let path = &path;
            scope.spawn(move || write_bytes(path, &[k; 1000]).unwrap());
        }
    });
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes, [bytes[0]; 1000], "one of them, whole");
    assert_eq!(names(folder.path()), ["a.txt"]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real.csv"), folder.path().join("link.csv"));
    write_bytes(&real, b"old").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.csv", &link).unwrap();
    write_bytes(&link, b"new").unwrap();
    assert_eq!(fs::read(&real).unwrap(), b"new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);

    fs::set_permissions(&real, fs::Permissions::from_mode(0o440)).unwrap();
    let error = write_bytes(&real, b"newer").unwrap_err().to_string();
    assert!(error.contains("read-only"), "{error}");
    assert_eq!(fs::read(&real).unwrap(), b"new");
}

#[cfg(unix)]
#[test]
fn a_device_is_written_to_and_stays() {
    write_bytes(Path::new("/dev/null"), b"gone").unwrap();
    use std::os::unix::fs::FileTypeExt;
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}
