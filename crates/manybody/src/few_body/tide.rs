//! The tidal field of what is far away: the second and third derivatives of its potential at a centre of mass, and how they
//! change with time.
//!
//! ```text
//! phi(y) = 1/2 T_ij y_i y_j + 1/6 S_ijk y_i y_j y_k         of a body G m at x:
//! T_ij   = -G m d_ij (1/x)  = G m (delta_ij / x^3 - 3 x_i x_j / x^5)
//! S_ijk  =  G m d_ijk (1/x) = G m (3 (delta_ij x_k + delta_ik x_j + delta_jk x_i) / x^5 - 15 x_i x_j x_k / x^7)
//! dT/dt  = -S_ijk v_k
//! ```

/// A symmetric tensor: xx, xy, xz, yy, yz, zz.
pub(crate) type Tensor = [f64; 6];

/// A symmetric tensor of three indices: xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz.
pub(crate) type Third = [f64; 10];

type Vector = [f64; 3];

/// The field at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Field {
    pub(crate) tensor: Tensor,
    pub(crate) rate: Tensor,
    pub(crate) third: Third,
}

impl Field {
    /// Adds a body of this G m at a relative place and velocity.
    pub(crate) fn add(&mut self, attraction: f64, [x, y, z]: Vector, velocity: Vector) {
        let inverse2 = 1.0 / (x * x + y * y + z * z);
        let cube = attraction * inverse2 * inverse2.sqrt();
        let (three, fifteen) = (3.0 * cube * inverse2, 15.0 * cube * inverse2 * inverse2);
        let tensor = [
            cube - three * x * x,
            -three * x * y,
            -three * x * z,
            cube - three * y * y,
            -three * y * z,
            cube - three * z * z,
        ];
        let third = [
            x * (3.0 * three - fifteen * x * x),
            y * (three - fifteen * x * x),
            z * (three - fifteen * x * x),
            x * (three - fifteen * y * y),
            -fifteen * x * y * z,
            x * (three - fifteen * z * z),
            y * (3.0 * three - fifteen * y * y),
            z * (three - fifteen * y * y),
            y * (three - fifteen * z * z),
            z * (3.0 * three - fifteen * z * z),
        ];
        let rate = contracted(&third, velocity);
        (0..6).for_each(|q| {
            self.tensor[q] += tensor[q];
            self.rate[q] -= rate[q];
        });
        (0..10).for_each(|q| self.third[q] += third[q]);
    }

    /// The field at another time, to the first order.
    pub(crate) fn after(&self, time: f64) -> Field {
        Field { tensor: std::array::from_fn(|q| self.tensor[q] + time * self.rate[q]), ..*self }
    }
}

/// The field as a function of the time since the beginning of an advance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tide {
    /// Coefficients of a cubic, and of a line.
    tensor: [Tensor; 4],
    third: [Third; 2],
}

impl Tide {
    /// The cubic through the values and the rates at both ends of a duration.
    pub(crate) fn between(begin: &Field, end: &Field, duration: f64) -> Tide {
        let inverse = if duration > 0.0 { 1.0 / duration } else { 0.0 };
        let mut tide =
            Tide { tensor: [begin.tensor, begin.rate, Tensor::default(), Tensor::default()], ..Tide::default() };
        for q in 0..6 {
            let rise = (end.tensor[q] - begin.tensor[q]) * inverse;
            let [first, last] = [begin.rate[q], end.rate[q]];
            tide.tensor[2][q] = (3.0 * rise - 2.0 * first - last) * inverse;
            tide.tensor[3][q] = (first + last - 2.0 * rise) * inverse * inverse;
        }
        let slope = std::array::from_fn(|q| (end.third[q] - begin.third[q]) * inverse);
        tide.third = [begin.third, slope];
        tide
    }

    /// T at a time.
    pub(crate) fn tensor(&self, time: f64) -> Tensor {
        let [c0, c1, c2, c3] = &self.tensor;
        std::array::from_fn(|q| c0[q] + time * (c1[q] + time * (c2[q] + time * c3[q])))
    }

    /// S at a time.
    pub(crate) fn third(&self, time: f64) -> Third {
        let [c0, c1] = &self.third;
        std::array::from_fn(|q| c0[q] + time * c1[q])
    }
}

/// A_ij u_j.
pub(crate) fn times([xx, xy, xz, yy, yz, zz]: &Tensor, [x, y, z]: Vector) -> Vector {
    [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z]
}

/// S_ijk u_k.
pub(crate) fn contracted([xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz]: &Third, [x, y, z]: Vector) -> Tensor {
    [
        xxx * x + xxy * y + xxz * z,
        xxy * x + xyy * y + xyz * z,
        xxz * x + xyz * y + xzz * z,
        xyy * x + yyy * y + yyz * z,
        xyz * x + yyz * y + yzz * z,
        xzz * x + yzz * y + zzz * z,
    ]
}

/// u_i v_j, made symmetric.
pub(crate) fn product(u: Vector, v: Vector) -> Tensor {
    let of = |i: usize, j: usize| 0.5 * (u[i] * v[j] + u[j] * v[i]);
    [of(0, 0), of(0, 1), of(0, 2), of(1, 1), of(1, 2), of(2, 2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Vector = [0.7, -1.1, 0.4];
    const VELOCITY: Vector = [0.3, 0.2, -0.5];

    fn field(place: Vector) -> Field {
        let mut field = Field::default();
        field.add(2.0, place, VELOCITY);
        field
    }

    /// The acceleration at y less that at the origin is -T y - S y y / 2, but for terms of y^3.
    #[test]
    fn the_field_is_that_of_a_body_expanded() {
        let pull = |y: Vector| -> Vector {
            let apart: Vector = std::array::from_fn(|q| PLACE[q] - y[q]);
            let r2: f64 = apart.iter().map(|q| q * q).sum();
            apart.map(|q| 2.0 * q / r2.powf(1.5))
        };
        let Field { tensor, third, .. } = field(PLACE);
        let off = |size: f64| {
            let y = [size, 2.0 * size, -size];
            let (linear, square) = (times(&tensor, y), times(&contracted(&third, y), y));
            let (here, there) = (pull([0.0; 3]), pull(y));
            (0..3).map(|q| (there[q] - here[q] + linear[q] + 0.5 * square[q]).abs()).fold(0.0, f64::max)
        };
        let (large, small) = (off(1e-2), off(5e-3));
        assert!(large < 1e-4 && (large / small - 8.0).abs() < 0.5, "{large:e} {small:e}");
    }

    /// The rate is the difference quotient, and the cubic through both ends is off by the fourth power of the duration.
    #[test]
    fn the_field_changes_as_its_body_moves() {
        let at = |t: f64| field(std::array::from_fn(|q| PLACE[q] + t * VELOCITY[q]));
        let h = 1e-5;
        let (before, after) = (at(-h), at(h));
        for q in 0..6 {
            let slope = (after.tensor[q] - before.tensor[q]) / (2.0 * h);
            assert!((slope - at(0.0).rate[q]).abs() < 1e-8, "{q}");
        }
        let off = |duration: f64| {
            let tide = Tide::between(&at(0.0), &at(duration), duration);
            let (found, right) = (tide.tensor(0.5 * duration), at(0.5 * duration).tensor);
            (0..6).map(|q| (found[q] - right[q]).abs()).fold(0.0, f64::max)
        };
        let ratio = off(0.1) / off(0.05);
        assert!((13.0..19.0).contains(&ratio), "{ratio}");
    }
}
