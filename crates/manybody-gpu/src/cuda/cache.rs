//! Compiled kernels on disk, by content: NVRTC takes a second for a kernel, reading a file is immediate.
//!
//! A file's name is the hash of all that its content depends on: the text, the architecture, the options and NVRTC's
//! version. Its first line is the hash of the rest, so that a damaged file is not used. `MANYBODY_CACHE` names another
//! folder, or `off`; where nothing can be written, nothing is kept.

use etcetera::BaseStrategy;
use manybody_law::atomic;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Files kept at most; beyond that the oldest go.
const MAX_FILES: usize = 512;

/// The folder of kernels, if there is to be one.
pub(super) fn folder() -> Option<PathBuf> {
    match std::env::var_os("MANYBODY_CACHE") {
        Some(name) if name.is_empty() || name == "off" => None,
        Some(name) => Some(PathBuf::from(name)),
        None => Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("manybody").join("kernels")),
    }
}

fn hash<B: AsRef<[u8]>>(parts: &[B]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.as_ref().len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name of what depends on these texts.
pub(super) fn name(parts: &[&str]) -> String {
    format!("{}.kernel", hash(parts))
}

/// What was kept under a name, if it is whole.
pub(super) fn get(folder: &Path, name: &str) -> Option<Vec<u8>> {
    let mut first = std::fs::read(folder.join(name)).ok()?;
    let rest = first.split_off(first.iter().position(|byte| *byte == b'\n')? + 1);
    (first == first_line(&rest).as_bytes()).then_some(rest)
}

fn first_line(rest: &[u8]) -> String {
    format!("{}\n", hash(&[rest]))
}

/// Keeps a kernel under a name. Where that cannot be, it will be compiled again: no more is lost.
pub(super) fn keep(folder: &Path, name: &str, kernel: &[u8]) {
    if std::fs::create_dir_all(folder).is_err() {
        return;
    }
    let _ = atomic::write_bytes(&folder.join(name), &[first_line(kernel).as_bytes(), kernel].concat());
    make_room(folder, MAX_FILES);
}

/// Removes the oldest files beyond `most`.
fn make_room(folder: &Path, most: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut files: Vec<_> = entries
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "kernel" || extension == "ptx"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    if files.len() > most {
        files.sort();
        for (_, path) in &files[..files.len() - most] {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_and_what_is_damaged_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let name = name(&["text", "90"]);
        assert_ne!(name, super::name(&["text9", "0"]), "parts are told apart");
        assert_eq!(get(folder.path(), &name), None);
        let kernel = b"\x7fELF\n\0\xff\n";
        keep(folder.path(), &name, kernel);
        assert_eq!(get(folder.path(), &name).as_deref(), Some(&kernel[..]));
        let path = folder.path().join(&name);
        let whole = std::fs::read(&path).unwrap();
        for cut in [0, 5, 65, 70, whole.len() - 1] {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(get(folder.path(), &name), None, "cut at {cut}");
        }
        std::fs::write(&path, [0xff, 0xfe, 0x0a]).unwrap();
        assert_eq!(get(folder.path(), &name), None, "no text");
    }

    #[test]
    fn the_oldest_go() {
        let folder = tempfile::tempdir().unwrap();
        for k in 0..5 {
            keep(folder.path(), &name(&[&k.to_string()]), b"x");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        make_room(folder.path(), 2);
        let left: Vec<bool> = (0..5).map(|k| get(folder.path(), &name(&[&k.to_string()])).is_some()).collect();
        assert_eq!(left, [false, false, false, true, true]);
    }

    #[test]
    fn a_folder_that_cannot_be_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        keep(&file.join("below"), "name", b"kernel");
        assert_eq!(get(&file.join("below"), "name"), None);
    }
}
