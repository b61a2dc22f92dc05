//! The library's errors as exceptions of Python.

use manybody::Error;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::ffi::CString;

/// The exceptions of `manybody._errors`.
#[derive(Clone, Copy)]
enum Exception {
    Input,
    Device,
    Computation,
}

impl Exception {
    fn named(self) -> (&'static str, &'static PyOnceLock<Py<PyType>>) {
        static INPUT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static DEVICE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static COMPUTATION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        match self {
            Exception::Input => ("InputError", &INPUT),
            Exception::Device => ("DeviceError", &DEVICE),
            Exception::Computation => ("ComputationError", &COMPUTATION),
        }
    }

    fn with(self, text: String) -> PyErr {
        let (name, lock) = self.named();
        Python::attach(|py| match lock.import(py, "manybody._errors", name) {
            Ok(exception) => PyErr::from_type(exception.clone(), text),
            Err(error) => error,
        })
    }
}

/// An error of the library as an exception.
pub(crate) fn raise(error: Error) -> PyErr {
    match error {
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        Error::Io { path, action, source } => {
            let text = format!("cannot {action}: {source}");
            match source.raw_os_error() {
                Some(number) => PyOSError::new_err((number, text, path.into_os_string())),
                None => PyOSError::new_err(format!("{}: {text}", path.display())),
            }
        }
        Error::NoDevice { .. } | Error::Device { .. } => Exception::Device.with(keywords(&error.to_string())),
        Error::Parameter { name, value, expected } => {
            Exception::Input.with(keywords(&format!("{} = {value}: {expected}", keyword(name))))
        }
        error if error.is_bad_input() => Exception::Input.with(keywords(&error.to_string())),
        error => Exception::Computation.with(keywords(&error.to_string())),
    }
}

/// Refuses an argument: what was found, and what it must be.
pub(crate) fn wrong(argument: &str, found: impl std::fmt::Display, expected: impl std::fmt::Display) -> PyErr {
    Exception::Input.with(format!("{argument}: {found}; {expected}"))
}

/// Warns the caller of the package's function.
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = CString::new(keywords(text))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)
}

/// The error of a body as one of an argument: of `x[3, 1]` where the library says y of body 3.
pub(crate) fn in_arguments(error: Error) -> PyErr {
    let Error::Body { index, field, value, expected, .. } = error else { return raise(error) };
    let (argument, axis) = match field {
        "x" | "y" | "z" => ("x", ["x", "y", "z"].iter().position(|name| *name == field)),
        "vx" | "vy" | "vz" => ("v", ["vx", "vy", "vz"].iter().position(|name| *name == field)),
        "mass" => ("m", None),
        other => (other, None),
    };
    let at = axis.map_or(format!("{argument}[{index}]"), |axis| format!("{argument}[{index}, {axis}]"));
    wrong(argument, format!("{at} = {value}"), expected)
}

/// A setting as it is called in Python.
pub(crate) fn keyword(name: &str) -> String {
    name.replace('-', "_")
}

/// A message in which settings are called as in Python: `t_end` where the command has `--t-end`.
pub(crate) fn keywords(text: &str) -> String {
    let mut words = text.split("--");
    let mut out = words.next().unwrap_or_default().to_owned();
    for word in words {
        let is_of_option = |c: char| c.is_ascii_lowercase() || c == '-';
        let end = word.find(|c| !is_of_option(c)).unwrap_or(word.len());
        match word.starts_with(|c: char| c.is_ascii_lowercase()) {
            true => out += &(keyword(&word[..end]) + &word[end..]),
            false => out += &format!("--{word}"),
        }
    }
    out
}
