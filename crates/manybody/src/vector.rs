//! Vectors of three numbers.

pub(crate) type Vector = [f64; 3];

pub(crate) fn less(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|q| a[q] - b[q])
}

pub(crate) fn plus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|q| a[q] + b[q])
}

pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
