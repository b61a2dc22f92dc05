//! Opaque handles: things of the library that a caller keeps a pointer to.
#![allow(unsafe_code)] // pointers that a caller gives back

use crate::border::{Failure, Outcome};

/// The thing behind a handle.
///
/// # Safety
/// `at` is null or was given by [`give`] and not freed, and is not freed during `'a`.
pub(crate) unsafe fn of<'a, T>(name: &str, at: *const T) -> Outcome<&'a T> {
    // SAFETY: null, or a thing that lives
    unsafe { at.as_ref() }.ok_or_else(|| Failure::Argument(format!("{name}: is a null pointer; must be a handle")))
}

/// The same, where null stands for no handle.
///
/// # Safety
/// As [`of`].
pub(crate) unsafe fn optional<'a, T>(at: *const T) -> Option<&'a T> {
    // SAFETY: null, or a thing that lives
    unsafe { at.as_ref() }
}

/// Makes a thing and writes its handle, or null where that fails, to `at`.
///
/// # Safety
/// `at` is null or points to a pointer.
pub(crate) unsafe fn give<T>(at: *mut *mut T, make: impl FnOnce() -> Outcome<T>) -> Outcome {
    if at.is_null() || !at.is_aligned() {
        return Err(Failure::Argument("the handle: is a null pointer; must point to a pointer".into()));
    }
    // SAFETY: not null and aligned, so a pointer of the caller's
    unsafe { at.write(std::ptr::null_mut()) };
    let made = Box::new(make()?);
    // SAFETY: as before
    unsafe { at.write(Box::into_raw(made)) };
    Ok(())
}

/// Frees the thing behind a handle; nothing for null.
///
/// # Safety
/// `at` is null or was given by [`give`], is not freed yet, and is used by no one else.
pub(crate) unsafe fn free<T>(at: *mut T) -> Outcome {
    if !at.is_null() {
        // SAFETY: `give` has made it of a box, which no one else has
        drop(unsafe { Box::from_raw(at) });
    }
    Ok(())
}

/// Writes a number to where a caller says; nothing for null.
///
/// # Safety
/// `at` is null or points to a number of the caller's.
pub(crate) unsafe fn put<T>(at: *mut T, value: T) {
    if !at.is_null() && at.is_aligned() {
        // SAFETY: not null and aligned, so a number of the caller's
        unsafe { at.write(value) };
    }
}
