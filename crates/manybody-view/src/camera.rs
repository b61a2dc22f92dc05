//! The camera: from places in space to places on the picture.
//!
//! Pixel k of a row covers the coordinates k to k + 1, so the picture spans 0 to its width, from left to right, and 0
//! to its height, from the top down. The axes of the picture are an orthonormal frame:
//!
//! ```text
//! forward = direction     right = forward x up     upward = right x forward     (each of length 1)
//! ```

use crate::{Size, wrong};
use manybody::Result;

/// What part of space a camera sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Parallel rays: the picture is `width` wide, a length, at any depth.
    Orthographic {
        /// The length across the picture.
        width: f64,
    },
    /// Rays from an eye at `distance` before the centre, a length; `field` is the angle across the picture, in degrees.
    Perspective {
        /// From the eye to the centre.
        distance: f64,
        /// The angle from the left side to the right one.
        field: f64,
    },
}

/// Where the bodies are looked at from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point that is in the middle of the picture.
    pub centre: [f64; 3],
    /// The direction of sight, of any length.
    pub direction: [f64; 3],
    /// What is up on the picture, not along the direction.
    pub up: [f64; 3],
    /// What part of space it sees.
    pub lens: Lens,
}

/// A place on the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// From the left side, in pixels.
    pub x: f64,
    /// From the top, in pixels.
    pub y: f64,
    /// The side of a pixel at the depth of the place, a length.
    pub pixel: f64,
}

/// A camera with a picture of some size.
#[derive(Clone, Copy, Debug)]
pub struct View {
    centre: [f64; 3],
    right: [f64; 3],
    upward: [f64; 3],
    forward: [f64; 3],
    lens: Lens,
    size: Size,
}

/// The up of a direction where nothing is said: y, or z where y is along the direction.
pub fn default_up(direction: [f64; 3]) -> [f64; 3] {
    let along = (direction[1] / length(direction)).abs();
    if along > 0.999 { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] }
}

/// A direction: an axis with or without a sign, or three numbers, as in "-z" or "1,0,-0.5".
///
/// # Errors
/// [`Error::Parameter`](manybody::Error::Parameter) for anything else, under `name`.
pub fn direction(name: &'static str, text: &str) -> Result<[f64; 3]> {
    let (sign, axis) = match text.strip_prefix('-') {
        Some(axis) => (-1.0, axis),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(axis) = ["x", "y", "z"].iter().position(|name| *name == axis) {
        return Ok(std::array::from_fn(|k| if k == axis { sign } else { 0.0 }));
    }
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let found: Option<[f64; 3]> = numbers.and_then(|numbers| numbers.try_into().ok());
    let usable = |v: &[f64; 3]| length(*v) > 0.0 && length(*v).is_finite();
    found.filter(usable).ok_or_else(|| {
        wrong(name, text, "must be an axis, as in x or -z, or three numbers that are not all 0, as in 1,0,-0.5")
    })
}

impl Camera {
    /// The camera with a picture of this size.
    ///
    /// # Errors
    /// [`Error::Parameter`](manybody::Error::Parameter) for numbers that are not finite, a width, a distance or a field that cannot be, and an up
    /// along the direction.
    pub fn view(&self, size: Size) -> Result<View> {
        let show = |v: [f64; 3]| v.map(|q| q.to_string()).join(",");
        for (name, v) in [("centre", self.centre), ("direction", self.direction), ("up", self.up)] {
            if !v.iter().all(|q| q.is_finite()) {
                return Err(wrong(name, show(v), "must be three finite numbers"));
            }
        }
        let positive = |name, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(wrong(name, value, "must be a finite length above 0")),
        };
        match self.lens {
            Lens::Orthographic { width } => positive("width", width)?,
            Lens::Perspective { distance, field } => {
                positive("distance", distance)?;
                if !(MIN_FIELD..=MAX_FIELD).contains(&field) {
                    return Err(wrong("fov", field, format!("must be {MIN_FIELD} to {MAX_FIELD} degrees")));
                }
            }
        }
        let forward = unit(self.direction).ok_or_else(|| wrong("direction", show(self.direction), "must not be 0"))?;
        let across = cross(forward, unit(self.up).unwrap_or([0.0; 3]));
        // a smaller angle than a thousandth of a degree cannot be seen
        let right = unit(across).filter(|_| length(across) > 1e-5);
        let right = right.ok_or_else(|| wrong("up", show(self.up), "must not be along the direction of sight"))?;
        let view = View { centre: self.centre, right, upward: cross(right, forward), forward, lens: self.lens, size };
        // a pixel has an area, and masses are divided by it
        match (view.pixel() * view.pixel()).is_normal() {
            true => Ok(view),
            false => Err(match self.lens {
                Lens::Orthographic { width } => wrong("width", width, "must be 1e-150 to 1e150"),
                Lens::Perspective { distance, .. } => wrong("distance", distance, "must be 1e-150 to 1e150"),
            }),
        }
    }
}

/// Angles across a picture, in degrees.
const MIN_FIELD: f64 = 0.01;
const MAX_FIELD: f64 = 170.0;
/// What is nearer to the eye than this share of the distance is not seen.
const NEAR: f64 = 1e-3;

impl View {
    /// The side of a pixel at the centre, a length.
    pub fn pixel(&self) -> f64 {
        self.pixel_at(match self.lens {
            Lens::Orthographic { .. } => 0.0,
            Lens::Perspective { distance, .. } => distance,
        })
    }

    fn pixel_at(&self, depth: f64) -> f64 {
        let across = match self.lens {
            Lens::Orthographic { width } => width,
            Lens::Perspective { field, .. } => 2.0 * depth * libm::tan(0.5 * field.to_radians()),
        };
        across / self.size.width as f64
    }

    /// Where a point is on the picture, or beside it; `None` behind the eye.
    pub fn place(&self, point: [f64; 3]) -> Option<Place> {
        let q = [0, 1, 2].map(|k| point[k] - self.centre[k]);
        let pixel = match self.lens {
            Lens::Orthographic { .. } => self.pixel(),
            Lens::Perspective { distance, .. } => {
                let depth = distance + dot(q, self.forward);
                if depth < NEAR * distance {
                    return None;
                }
                self.pixel_at(depth)
            }
        };
        let x = 0.5 * self.size.width as f64 + dot(q, self.right) / pixel;
        let y = 0.5 * self.size.height as f64 - dot(q, self.upward) / pixel;
        (x.is_finite() && y.is_finite()).then_some(Place { x, y, pixel })
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(v: [f64; 3]) -> f64 {
    dot(v, v).sqrt()
}

fn unit(v: [f64; 3]) -> Option<[f64; 3]> {
    let length = length(v);
    (length > 0.0 && length.is_finite()).then(|| v.map(|q| q / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(lens: Lens) -> Camera {
        Camera { centre: [1.0, 2.0, 3.0], direction: [0.0, 0.0, -2.0], up: [0.0, 5.0, 0.0], lens }
    }

    const SIZE: Size = Size { width: 200, height: 100 };

    #[test]
    fn x_is_to_the_right_and_y_is_up() {
        let view = camera(Lens::Orthographic { width: 20.0 }).view(SIZE).unwrap();
        let place = |p| view.place(p).unwrap();
        assert_eq!(place([1.0, 2.0, 3.0]), Place { x: 100.0, y: 50.0, pixel: 0.1 });
        assert_eq!(place([11.0, 7.0, 99.0]), Place { x: 200.0, y: 0.0, pixel: 0.1 });
    }

    /// A right angle across: at the distance of the centre, the picture is twice as wide as the distance is long.
    #[test]
    fn what_is_near_is_large() {
        let view = camera(Lens::Perspective { distance: 10.0, field: 90.0 }).view(SIZE).unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b.abs().max(1.0), "{a} {b}");
        near(view.pixel(), 0.1);
        let side = view.place([11.0, 2.0, 3.0]).unwrap();
        near(side.x, 200.0);
        // half as far from the eye, which is at z = 13
        let near_by = view.place([6.0, 2.0, 8.0]).unwrap();
        near(near_by.x, 200.0);
        near(near_by.pixel, 0.05);
        assert_eq!(view.place([1.0, 2.0, 13.0]), None);
    }

    #[test]
    fn directions_are_read_and_impossible_cameras_refused() {
        assert_eq!(direction("direction", "-z").unwrap(), [0.0, 0.0, -1.0]);
        assert_eq!(direction("direction", "1, 0,-0.5").unwrap(), [1.0, 0.0, -0.5]);
        for text in ["w", "", "0,0,0", "1,2", "nan,1,1", "inf,0,0", "--x"] {
            assert!(direction("direction", text).unwrap_err().is_bad_input(), "{text}");
        }
        assert_eq!(default_up([0.0, -3.0, 0.0]), [0.0, 0.0, 1.0]);
        let refused = |camera: Camera, name: &str| {
            let error = camera.view(SIZE).unwrap_err().to_string();
            assert!(error.starts_with(name), "{error}");
        };
        for width in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            refused(camera(Lens::Orthographic { width }), "width");
            refused(camera(Lens::Perspective { distance: width, field: 45.0 }), "distance");
        }
        for width in [1e-300, 1e300] {
            refused(camera(Lens::Orthographic { width }), "width");
            refused(camera(Lens::Perspective { distance: width, field: 45.0 }), "distance");
        }
        refused(camera(Lens::Perspective { distance: 1.0, field: 180.0 }), "fov");
        let ortho = camera(Lens::Orthographic { width: 1.0 });
        refused(Camera { up: [0.0, 0.0, 1.0], ..ortho }, "up");
        refused(Camera { up: [0.0; 3], ..ortho }, "up");
        refused(Camera { centre: [0.0, f64::NAN, 0.0], ..ortho }, "centre");
    }
}
