//! The message of the last error of a thread.
#![allow(unsafe_code)] // exported functions

use crate::status::mb_status;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Keeps the message of an error of this thread.
pub(crate) fn keep(text: String) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // a thread that is ending has no message any more
    let _ = LAST.try_with(|last| last.replace(text));
}

/// The message of the last error of this thread.
#[cfg(test)]
pub(crate) fn text() -> String {
    LAST.with(|last| last.borrow().to_string_lossy().into_owned())
}

/// What was wrong with the last call of this thread that failed: a sentence that names the argument, the value, and what would
/// be right. Empty where no call has failed. It is valid until the next call of this thread that fails.
#[unsafe(no_mangle)]
pub extern "C" fn mb_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// The name of a status: "MB_OK", "MB_ERROR_INPUT", ...
#[unsafe(no_mangle)]
pub extern "C" fn mb_status_name(status: c_int) -> *const c_char {
    mb_status::name_of(status).as_ptr()
}

/// The version of the library: "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn mb_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };
    VERSION.as_ptr()
}
