//! DLPack: arrays of other packages in whatever memory they are, without a copy (the structs of dlpack.h 1.0).

// the structs of C that DLPack is; each call says why it is sound
#![allow(unsafe_code)]

use crate::errors::wrong;
use manybody_gpu::arrays::Kind;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_void};

/// The device of DLPack whose memory is that of an NVIDIA GPU.
pub(super) const CUDA: i32 = 2;

const PLAIN: &CStr = c"dltensor";
const PLAIN_USED: &CStr = c"used_dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";
const VERSIONED_USED: &CStr = c"used_dltensor_versioned";

#[repr(C)]
#[derive(Clone, Copy)]
struct Tensor {
    data: *mut c_void,
    device: [i32; 2],
    dimensions: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    offset: u64,
}

#[repr(C)]
pub(super) struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
pub(super) struct Versioned {
    version: [u32; 2],
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

/// What was taken from a capsule: given back when it is dropped.
pub(super) enum Taken {
    Plain(*mut Managed),
    Versioned(*mut Versioned),
}

// SAFETY: DLPack lets any thread call a deleter
unsafe impl Send for Taken {}
// SAFETY: nothing is reached through a shared reference
unsafe impl Sync for Taken {}

impl Drop for Taken {
    fn drop(&mut self) {
        match *self {
            // SAFETY: its capsule was marked as used, so that no one else deletes it
            Taken::Plain(managed) => unsafe {
                if let Some(deleter) = (*managed).deleter {
                    deleter(managed);
                }
            },
            // SAFETY: as above
            Taken::Versioned(managed) => unsafe {
                if let Some(deleter) = (*managed).deleter {
                    deleter(managed);
                }
            },
        }
    }
}

/// An array: where it is, and how it lies there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) address: u64,
    pub(super) shape: Vec<i64>,
    /// In bytes.
    pub(super) strides: Vec<i64>,
    pub(super) kind: &'static str,
    /// Kind and number of the device.
    pub(super) device: (i32, i32),
}

/// The names of kinds of numbers: as NumPy's, and bfloat16.
const KINDS: [(&str, Kind, u8, u8); 13] = [
    ("f4", Kind::F32, 2, 32),
    ("f8", Kind::F64, 2, 64),
    ("f2", Kind::F16, 2, 16),
    ("bf16", Kind::Bf16, 4, 16),
    ("i1", Kind::I8, 0, 8),
    ("i2", Kind::I16, 0, 16),
    ("i4", Kind::I32, 0, 32),
    ("i8", Kind::I64, 0, 64),
    ("u1", Kind::U8, 1, 8),
    ("u2", Kind::U16, 1, 16),
    ("u4", Kind::U32, 1, 32),
    ("u8", Kind::U64, 1, 64),
    ("b1", Kind::U8, 6, 8),
];

/// A kind of numbers by its name.
pub(super) fn kind(name: &str) -> PyResult<Kind> {
    let found = KINDS.iter().find(|(known, ..)| *known == name);
    found.map(|(_, kind, ..)| *kind).ok_or_else(|| wrong("kind", name, "must be a kind of numbers: f4, f8, ..."))
}

impl Tensor {
    /// # Safety
    /// It is as DLPack describes it.
    unsafe fn layout(&self, argument: &str) -> PyResult<Layout> {
        let n = usize::try_from(self.dimensions).unwrap_or(0);
        let list = |from: *const i64| -> Vec<i64> {
            // SAFETY: there are as many as dimensions, where there are any
            if from.is_null() || n == 0 { Vec::new() } else { unsafe { std::slice::from_raw_parts(from, n) }.to_vec() }
        };
        let shape = list(self.shape);
        let known = KINDS.iter().find(|(_, _, code, bits)| (*code, *bits, 1) == (self.code, self.bits, self.lanes));
        let Some((kind, ..)) = known else {
            let family = match self.code {
                5 => "complex",
                _ => "other",
            };
            let shape: Vec<String> = shape.iter().map(i64::to_string).collect();
            let found = format!("an array of {family} numbers of {} bits with shape ({})", self.bits, shape.join(", "));
            return Err(wrong(argument, found, "must be numbers: float32 or float64"));
        };
        let strides = if self.strides.is_null() { dense(&shape) } else { list(self.strides) };
        let bytes = i64::from(self.bits / 8);
        Ok(Layout {
            address: (self.data as u64).wrapping_add(self.offset),
            strides: strides.iter().map(|stride| stride * bytes).collect(),
            shape,
            kind,
            device: (self.device[0], self.device[1]),
        })
    }
}

/// Strides in numbers of an array row by row.
pub(super) fn dense(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for k in (1..shape.len()).rev() {
        strides[k - 1] = strides[k] * shape[k].max(1);
    }
    strides
}

/// The array of a capsule, which is used up.
pub(super) fn taken(capsule: &Bound<'_, PyAny>, argument: &str) -> PyResult<(Layout, Taken)> {
    let pointer = capsule.as_ptr();
    let is = |name: &CStr| {
        // SAFETY: asks a Python object what it is
        unsafe { ffi::PyCapsule_IsValid(pointer, name.as_ptr()) == 1 }
    };
    let of = |name: &CStr, used: &'static CStr| -> PyResult<*mut c_void> {
        // SAFETY: it is a capsule of that name, and the new name lives as long as the program
        unsafe {
            let held = ffi::PyCapsule_GetPointer(pointer, name.as_ptr());
            if held.is_null() || ffi::PyCapsule_SetName(pointer, used.as_ptr()) != 0 {
                return Err(PyErr::fetch(capsule.py()));
            }
            Ok(held)
        }
    };
    // SAFETY: a capsule of that name holds such a struct
    let (tensor, held) = unsafe {
        if is(PLAIN) {
            let managed: *mut Managed = of(PLAIN, PLAIN_USED)?.cast();
            ((*managed).tensor, Taken::Plain(managed))
        } else if is(VERSIONED) {
            let managed: *mut Versioned = of(VERSIONED, VERSIONED_USED)?.cast();
            ((*managed).tensor, Taken::Versioned(managed))
        } else {
            let found = capsule.get_type().name()?;
            return Err(wrong(argument, found, "must be a capsule of DLPack that nothing has used"));
        }
    };
    // SAFETY: the tensor of a capsule, which lives as long as `held`
    unsafe { tensor.layout(argument) }.map(|layout| (layout, held))
}

/// An array that is handed on: what keeps its memory, and its shape, live as long as the capsule or its consumer.
struct Handed<O> {
    managed: Managed,
    shape: Vec<i64>,
    strides: Vec<i64>,
    _owner: O,
}

unsafe extern "C" fn give_back<O>(managed: *mut Managed) {
    if !managed.is_null() {
        // SAFETY: `capsule` has put the box there, and a consumer calls this once
        drop(unsafe { Box::from_raw((*managed).context.cast::<Handed<O>>()) });
    }
}

/// A capsule that no consumer has taken is deleted with its array.
unsafe extern "C" fn never_used(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this with a capsule of `capsule`; one that was taken has another name
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, PLAIN.as_ptr()) == 1 {
            let managed: *mut Managed = ffi::PyCapsule_GetPointer(capsule, PLAIN.as_ptr()).cast();
            if let Some(deleter) = (*managed).deleter {
                deleter(managed);
            }
        }
    }
}

/// A capsule of an array whose memory `owner` keeps.
pub(super) fn capsule<'py, O: Send + 'static>(
    py: Python<'py>,
    layout: &Layout,
    owner: O,
) -> PyResult<Bound<'py, PyAny>> {
    let (_, _, code, bits) = KINDS.iter().find(|(name, ..)| *name == layout.kind).copied().unwrap_or(KINDS[1]);
    let tensor = Tensor {
        data: layout.address as *mut c_void,
        device: [layout.device.0, layout.device.1],
        dimensions: layout.shape.len() as i32,
        code,
        bits,
        lanes: 1,
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        offset: 0,
    };
    let managed = Managed { tensor, context: std::ptr::null_mut(), deleter: Some(give_back::<O>) };
    let strides = layout.strides.iter().map(|stride| stride / i64::from(bits / 8)).collect();
    let handed = Box::into_raw(Box::new(Handed { managed, shape: layout.shape.clone(), strides, _owner: owner }));
    // SAFETY: a box of our own, which moves no more; the capsule deletes it, or who takes the array from it
    unsafe {
        (*handed).managed.context = handed.cast();
        (*handed).managed.tensor.shape = (*handed).shape.as_mut_ptr();
        (*handed).managed.tensor.strides = (*handed).strides.as_mut_ptr();
        let made = ffi::PyCapsule_New((&raw mut (*handed).managed).cast(), PLAIN.as_ptr(), Some(never_used));
        if made.is_null() {
            drop(Box::from_raw(handed));
        }
        Bound::from_owned_ptr_or_err(py, made)
    }
}
