//! Texts of a caller, and texts for one.
#![allow(unsafe_code)] // reads and writes where a caller says

use crate::arrays::Out;
use crate::border::{Failure, Outcome};
use std::ffi::{CStr, c_char};
use std::path::PathBuf;

/// The text at a pointer.
///
/// # Safety
/// Null, or a text that ends with a zero and lives as long as `'a`.
pub(crate) unsafe fn text<'a>(name: &str, at: *const c_char) -> Outcome<&'a str> {
    // SAFETY: as this function's
    let bytes = unsafe { bytes(name, at) }?;
    std::str::from_utf8(bytes).map_err(|error| Failure::Argument(format!("{name}: must be a text in UTF-8: {error}")))
}

/// The name of a file at a pointer.
///
/// # Safety
/// As [`text`].
pub(crate) unsafe fn path(name: &str, at: *const c_char) -> Outcome<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        // SAFETY: as this function's
        let bytes = unsafe { bytes(name, at) }?;
        Ok(std::ffi::OsStr::from_bytes(bytes).into())
    }
    #[cfg(not(unix))]
    {
        // SAFETY: as this function's
        unsafe { text(name, at) }.map(PathBuf::from)
    }
}

unsafe fn bytes<'a>(name: &str, at: *const c_char) -> Outcome<&'a [u8]> {
    if at.is_null() {
        return Err(Failure::Argument(format!("{name}: is a null pointer; must be a text")));
    }
    // SAFETY: not null, so a text that ends with a zero
    Ok(unsafe { CStr::from_ptr(at) }.to_bytes())
}

/// Writes a text with a zero at its end to a buffer; one that does not fit is refused.
///
/// # Safety
/// `at` is null or points to `size` bytes that live for the call.
pub(crate) unsafe fn write(name: &'static str, text: &str, at: *mut c_char, size: usize) -> Outcome {
    // SAFETY: as this function's
    let mut buffer = unsafe { Out::new(name, at.cast::<u8>(), i64::try_from(size).unwrap_or(i64::MAX), 1) }?;
    let buffer = buffer.slice();
    if buffer.len() < text.len() + 1 {
        let (size, needed) = (buffer.len(), text.len() + 1);
        return Err(Failure::Argument(format!("{name}: has {size} bytes; must have {needed} for '{text}'")));
    }
    buffer[..text.len()].copy_from_slice(text.as_bytes());
    buffer[text.len()] = 0;
    Ok(())
}
