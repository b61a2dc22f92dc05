//! What a call returns.

use manybody::Error;

/// What a call returns.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types)]
pub enum mb_status {
    /// The call has done what it is for.
    MB_OK = 0,
    /// A pointer is null or misaligned, a size is negative or too large, or a result overlaps another array.
    MB_ERROR_ARGUMENT = 1,
    /// A number is not finite or out of its range, a name is unknown, or a choice is not available.
    MB_ERROR_INPUT = 2,
    /// A file cannot be read or written, or is damaged.
    MB_ERROR_FILE = 3,
    /// A device is not here, or has failed.
    MB_ERROR_DEVICE = 4,
    /// A result is not finite, or an error is beyond its limit.
    MB_ERROR_COMPUTATION = 5,
    /// There is not enough memory.
    MB_ERROR_MEMORY = 6,
    /// Another thread is using the handle.
    MB_ERROR_BUSY = 7,
    /// A defect of the library.
    MB_ERROR_INTERNAL = 8,
}

impl mb_status {
    const ALL: [(mb_status, &std::ffi::CStr); 9] = [
        (mb_status::MB_OK, c"MB_OK"),
        (mb_status::MB_ERROR_ARGUMENT, c"MB_ERROR_ARGUMENT"),
        (mb_status::MB_ERROR_INPUT, c"MB_ERROR_INPUT"),
        (mb_status::MB_ERROR_FILE, c"MB_ERROR_FILE"),
        (mb_status::MB_ERROR_DEVICE, c"MB_ERROR_DEVICE"),
        (mb_status::MB_ERROR_COMPUTATION, c"MB_ERROR_COMPUTATION"),
        (mb_status::MB_ERROR_MEMORY, c"MB_ERROR_MEMORY"),
        (mb_status::MB_ERROR_BUSY, c"MB_ERROR_BUSY"),
        (mb_status::MB_ERROR_INTERNAL, c"MB_ERROR_INTERNAL"),
    ];

    /// The name of a number.
    pub(crate) fn name_of(number: i32) -> &'static std::ffi::CStr {
        Self::ALL.iter().find(|(status, _)| *status as i32 == number).map_or(c"no status", |(_, name)| name)
    }

    /// The status of an error of the library.
    pub(crate) fn of(error: &Error) -> Self {
        match error {
            Error::Io { .. } | Error::Format { .. } | Error::Field { .. } => mb_status::MB_ERROR_FILE,
            Error::NoDevice { .. } | Error::Device { .. } => mb_status::MB_ERROR_DEVICE,
            error if error.is_bad_input() => mb_status::MB_ERROR_INPUT,
            _ => mb_status::MB_ERROR_COMPUTATION,
        }
    }
}
