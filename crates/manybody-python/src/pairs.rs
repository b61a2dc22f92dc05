//! Distances, collisions, correlations and triples of points.

use crate::arrays::{OneOrEach, described};
use crate::calls::{compute, compute_watched, watch};
use crate::errors::{raise, wrong};
use manybody::pairs::{self, AxilrodTeller, Bins, Float, PairHistogram, Points, Spheres};
use manybody::watch::Watch;
use manybody::{Error, Result};
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;

/// Points in f32 or f64.
enum Either {
    Single(Points<f32>),
    Double(Points<f64>),
}

/// The coordinates of an array \[n, d\], one column a dimension.
fn columns<T: Element + Copy>(array: &PyReadonlyArray2<'_, T>) -> Vec<Vec<T>> {
    array.as_array().columns().into_iter().map(|column| column.iter().copied().collect()).collect()
}

fn points<T: Float>(columns: &[Vec<T>]) -> Result<Points<T>> {
    Points::from_columns(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

impl Either {
    fn of(value: &Bound<'_, PyAny>, argument: &str) -> PyResult<Self> {
        let found = if let Ok(array) = value.cast::<PyArray2<f64>>() {
            points(&columns(&array.readonly())).map(Either::Double)
        } else if let Ok(array) = value.cast::<PyArray2<f32>>() {
            points(&columns(&array.readonly())).map(Either::Single)
        } else {
            let expected = "must be an array of float32 or float64 with shape (n, d)";
            return Err(wrong(argument, described(value), expected));
        };
        found.map_err(|error| match error {
            Error::Parameter { name, value, expected } => wrong(argument, format!("{name} = {value}"), expected),
            other => raise(other),
        })
    }

    fn len(&self) -> u64 {
        match self {
            Either::Single(points) => points.len() as u64,
            Either::Double(points) => points.len() as u64,
        }
    }
}

/// The pairs of n things.
fn pairs_of(n: u64) -> u64 {
    n.saturating_mul(n) / 2
}

/// The distances of all pairs i < j, packed.
#[pyfunction]
pub(crate) fn distances<'py>(py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let points = Either::of(x, "x")?;
    Ok(match points {
        Either::Single(points) => compute(py, || pairs::distance_matrix(&points))?.into_pyarray(py).into_any(),
        Either::Double(points) => compute(py, || pairs::distance_matrix(&points))?.into_pyarray(py).into_any(),
    })
}

/// The pairs i < j of spheres that touch: \[k, 2\].
#[pyfunction]
pub(crate) fn collisions<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    radii: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let points = Either::of(x, "x")?;
    let radii = OneOrEach::of(radii, "radii", points.len() as usize)?.each(points.len() as usize);
    let pairs = pairs_of(points.len());
    let found = match points {
        Either::Single(points) => {
            let radii: Vec<f32> = radii.iter().map(|r| *r as f32).collect();
            touching(py, pairs, points, &radii)?
        }
        Either::Double(points) => touching(py, pairs, points, &radii)?,
    };
    found.concat().into_pyarray(py).reshape([found.len(), 2])
}

fn touching<T: Float>(py: Python<'_>, pairs: u64, points: Points<T>, radii: &[T]) -> PyResult<Vec<[u32; 2]>> {
    let watch = watch();
    compute_watched(py, pairs, &watch, || pairs::collisions_watched(&Spheres::new(points, radii)?, &watch))
}

/// Counts of pairs by distance: in each bin the pairs and their weights, and the weight of all pairs.
type Counted<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<f64>>, f64);

/// The pairs of points in bins of distance: within `x`, or between `x` and `y`.
#[pyfunction]
#[pyo3(signature = (x, y, edges, box_, weights, weights_y))]
pub(crate) fn count_pairs<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: Option<&Bound<'py, PyAny>>,
    edges: Vec<f64>,
    box_: Option<Vec<f64>>,
    weights: Option<&Bound<'py, PyAny>>,
    weights_y: Option<&Bound<'py, PyAny>>,
) -> PyResult<Counted<'py>> {
    let mut bins = Bins::new(&edges).map_err(raise)?;
    if let Some(sides) = box_ {
        bins = bins.periodic(&sides).map_err(raise)?;
    }
    let first = Either::of(x, "x")?;
    let second = y.map(|y| Either::of(y, "y")).transpose()?;
    let pairs = second.as_ref().map_or(pairs_of(first.len()), |second| first.len().saturating_mul(second.len()));
    let n = first.len() as usize;
    let weights = weights.map(|w| OneOrEach::of(w, "weights", n)).transpose()?.map(|w| w.each(n));
    let n = second.as_ref().map_or(0, |second| second.len() as usize);
    let weights_y = weights_y.map(|w| OneOrEach::of(w, "weights_y", n)).transpose()?.map(|w| w.each(n));
    let watch = watch();
    let weights = (weights.as_deref(), weights_y.as_deref());
    let found = match (first, second) {
        (Either::Single(x), None) => compute_watched(py, pairs, &watch, || count(&x, None, weights, &bins, &watch)),
        (Either::Double(x), None) => compute_watched(py, pairs, &watch, || count(&x, None, weights, &bins, &watch)),
        (Either::Single(x), Some(Either::Single(y))) => {
            compute_watched(py, pairs, &watch, || count(&x, Some(&y), weights, &bins, &watch))
        }
        (Either::Double(x), Some(Either::Double(y))) => {
            compute_watched(py, pairs, &watch, || count(&x, Some(&y), weights, &bins, &watch))
        }
        _ => return Err(wrong("y", "another number type", "must be of the number type of x")),
    }?;
    Ok((found.counts.into_pyarray(py), found.weights.into_pyarray(py), found.total))
}

fn count<T: Float>(
    x: &Points<T>,
    y: Option<&Points<T>>,
    weights: (Option<&[f64]>, Option<&[f64]>),
    bins: &Bins,
    watch: &Watch,
) -> Result<PairHistogram> {
    match y {
        None => PairHistogram::within_watched(x, weights.0, bins, watch),
        Some(y) => PairHistogram::between_watched(x, y, weights.0.zip(weights.1), bins, watch),
    }
}

/// Energy and forces of all triples by Axilrod and Teller's law.
#[pyfunction]
#[pyo3(signature = (x, nu, cutoff, box_))]
pub(crate) fn triples<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    nu: f64,
    cutoff: Option<f64>,
    box_: Option<[f64; 3]>,
) -> PyResult<(f64, Bound<'py, PyAny>)> {
    let points = match Either::of(x, "x")? {
        Either::Double(points) => points,
        Either::Single(_) => return Err(wrong("x", "an array of float32", "must be of float64")),
    };
    let law = || {
        let law = AxilrodTeller::new(nu)?;
        let law = cutoff.map_or(Ok(law), |cutoff| law.cutoff(cutoff))?;
        box_.map_or(Ok(law), |sides| law.periodic(sides))
    };
    let law = law().map_err(raise)?;
    let n = points.len() as u64;
    // a triple takes as long as ten pairs
    let work = n.saturating_mul(n).saturating_mul(n) / 6 * 10;
    let watch = watch();
    let found = compute_watched(py, work, &watch, || law.energy_and_forces_watched(&points, &watch))?;
    let n = found.force[0].len();
    let forces = found.force.concat().into_pyarray(py).reshape([3, n])?.call_method0("transpose")?;
    Ok((found.energy, forces))
}
