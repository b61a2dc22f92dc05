//! NumPy arrays as columns of numbers, and columns as arrays.
//!
//! Vectors are an array \[n, 3\] or three arrays \[n\], in f32 or f64; results have the form of the positions.

use crate::errors::wrong;
use manybody::solver::Precision;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The number type of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    F32,
    F64,
}

impl Number {
    /// The precision in which such arrays are computed, where no other is given.
    pub(crate) fn precision(self) -> Precision {
        match self {
            Number::F32 => Precision::F32,
            Number::F64 => Precision::F64,
        }
    }
}

/// How vectors lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// An array \[n, 3\], row by row.
    Rows,
    /// An array \[n, 3\], column by column.
    Columns,
    /// Three arrays \[n\].
    Parts,
}

/// The form of vectors: what results have, too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) number: Number,
    layout: Layout,
}

/// Vectors of three numbers as columns.
pub(crate) struct Vectors {
    pub(crate) columns: [Vec<f64>; 3],
    pub(crate) form: Form,
}

/// What an argument is, for a message: its number type and shape, or its type.
pub(crate) fn described(value: &Bound<'_, PyAny>) -> String {
    match value.cast::<PyUntypedArray>() {
        Ok(array) => {
            let shape: Vec<String> = array.shape().iter().map(usize::to_string).collect();
            let comma = if shape.len() == 1 { "," } else { "" };
            format!("an array of {} with shape ({}{comma})", array.dtype(), shape.join(", "))
        }
        Err(_) => match value.get_type().name() {
            Ok(name) => format!("{value} ({name})"),
            Err(_) => "a value".to_owned(),
        },
    }
}

impl Vectors {
    /// The vectors of an argument, of which there must be `n` where that is known.
    pub(crate) fn of(value: &Bound<'_, PyAny>, argument: &str, n: Option<usize>) -> PyResult<Self> {
        let vectors = if let Ok(parts) = value.cast::<PyTuple>() {
            Vectors::of_parts(parts, argument)?
        } else if let Ok(array) = value.cast::<PyArray2<f64>>() {
            Vectors::of_rows(&array.readonly(), value, argument, Number::F64)?
        } else if let Ok(array) = value.cast::<PyArray2<f32>>() {
            Vectors::of_rows(&array.readonly(), value, argument, Number::F32)?
        } else {
            return Err(wrong(argument, described(value), VECTORS));
        };
        let found = vectors.columns[0].len();
        match n {
            Some(n) if n != found => {
                Err(wrong(argument, described(value), format!("must have {n} vectors, one for each body")))
            }
            _ => Ok(vectors),
        }
    }

    fn of_rows<T: numpy::Element + Copy + Into<f64>>(
        array: &PyReadonlyArray2<'_, T>,
        value: &Bound<'_, PyAny>,
        argument: &str,
        number: Number,
    ) -> PyResult<Self> {
        let view = array.as_array();
        if view.ncols() != 3 {
            return Err(wrong(argument, described(value), VECTORS));
        }
        let columns = [0, 1, 2].map(|k| view.column(k).iter().map(|q| (*q).into()).collect());
        let by_columns = array.is_fortran_contiguous() && !array.is_c_contiguous();
        let layout = if by_columns { Layout::Columns } else { Layout::Rows };
        Ok(Vectors { columns, form: Form { number, layout } })
    }

    fn of_parts(parts: &Bound<'_, PyTuple>, argument: &str) -> PyResult<Self> {
        if parts.len() != 3 {
            return Err(wrong(argument, format!("{} arrays", parts.len()), VECTORS));
        }
        let (mut columns, mut number) = ([Vec::new(), Vec::new(), Vec::new()], Number::F32);
        for k in 0..3 {
            let part = parts.get_item(k)?;
            let name = format!("{argument}[{k}]");
            let n = (k > 0).then_some(columns[0].len());
            let (column, of) = numbers(&part, &name, n)?;
            columns[k] = column;
            if of == Number::F64 {
                number = of;
            }
        }
        Ok(Vectors { columns, form: Form { number, layout: Layout::Parts } })
    }
}

const VECTORS: &str = "must be an array of float32 or float64 with shape (n, 3), or a tuple of three with shape (n,)";

/// The numbers of an array \[n\].
pub(crate) fn numbers(value: &Bound<'_, PyAny>, argument: &str, n: Option<usize>) -> PyResult<(Vec<f64>, Number)> {
    let (column, number) = if let Ok(array) = value.cast::<PyArray1<f64>>() {
        (plain(&array.readonly()), Number::F64)
    } else if let Ok(array) = value.cast::<PyArray1<f32>>() {
        (plain(&array.readonly()), Number::F32)
    } else {
        return Err(wrong(argument, described(value), expected(n)));
    };
    match n {
        Some(n) if n != column.len() => Err(wrong(argument, described(value), expected(Some(n)))),
        _ => Ok((column, number)),
    }
}

fn expected(n: Option<usize>) -> String {
    let n = n.map_or("n".to_owned(), |n| n.to_string());
    format!("must be an array of float32 or float64 with shape ({n},)")
}

fn plain<T: numpy::Element + Copy + Into<f64>>(array: &PyReadonlyArray1<'_, T>) -> Vec<f64> {
    array.as_array().iter().map(|q| (*q).into()).collect()
}

/// One number for all bodies, or an array of one for each.
pub(crate) enum OneOrEach {
    One(f64),
    Each(Vec<f64>),
}

impl OneOrEach {
    /// The numbers of an argument for `n` bodies.
    pub(crate) fn of(value: &Bound<'_, PyAny>, argument: &str, n: usize) -> PyResult<Self> {
        // an array of one number is an array, which NumPy would convert to a number
        let is_array = value.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() > 0);
        if !is_array && let Ok(one) = value.extract::<f64>() {
            return Ok(OneOrEach::One(one));
        }
        match numbers(value, argument, Some(n)) {
            Ok((each, _)) => Ok(OneOrEach::Each(each)),
            Err(_) => {
                let expected = format!("must be a number, or an array of float32 or float64 with shape ({n},)");
                Err(wrong(argument, described(value), expected))
            }
        }
    }

    /// One for each of `n` bodies.
    pub(crate) fn each(self, n: usize) -> Vec<f64> {
        match self {
            OneOrEach::One(one) => vec![one; n],
            OneOrEach::Each(each) => each,
        }
    }
}

impl Form {
    /// Columns of vectors as arrays of this form.
    pub(crate) fn vectors<'py>(self, py: Python<'py>, columns: [Vec<f64>; 3]) -> PyResult<Bound<'py, PyAny>> {
        let n = columns[0].len();
        match self.layout {
            Layout::Parts => {
                let parts = columns.map(|column| self.numbers(py, column));
                Ok(PyTuple::new(py, parts)?.into_any())
            }
            Layout::Columns => self.shaped(py, columns.concat(), [3, n])?.call_method0("transpose"),
            Layout::Rows => {
                let [x, y, z] = &columns;
                let rows = x.iter().zip(y).zip(z).flat_map(|((x, y), z)| [*x, *y, *z]).collect();
                self.shaped(py, rows, [n, 3])
            }
        }
    }

    /// A column as an array \[n\].
    pub(crate) fn numbers<'py>(self, py: Python<'py>, column: Vec<f64>) -> Bound<'py, PyAny> {
        match self.number {
            Number::F64 => column.into_pyarray(py).into_any(),
            Number::F32 => narrowed(column).into_pyarray(py).into_any(),
        }
    }

    fn shaped<'py>(self, py: Python<'py>, flat: Vec<f64>, shape: [usize; 2]) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self.number {
            Number::F64 => flat.into_pyarray(py).reshape(shape)?.into_any(),
            Number::F32 => narrowed(flat).into_pyarray(py).reshape(shape)?.into_any(),
        })
    }
}

fn narrowed(column: Vec<f64>) -> Vec<f32> {
    column.into_iter().map(|q| q as f32).collect()
}
