//! For tests of solvers, of ours and of others.

use crate::ic::random::Random;
use crate::solver::Gravity;
use crate::{Bodies, Result};

/// Systems that are hard on rounding, by a number: masses over twelve decades, far from the origin, in SI units,
/// softened not at all or each body by itself, bodies at one place, forces that nearly cancel.
///
/// # Errors
/// `None`; the initial conditions might have some.
pub fn hard(k: u64) -> Result<(Bodies, Gravity)> {
    let mut random = Random::new("hard", 1, k);
    let mut uniform = move || (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
    let n = [2, 3, 17, 33, 130, 257, 700][k as usize % 7];
    let mut bodies = crate::ic::by_name("plummer", &crate::ic::Request::new(n, 3))?.bodies;
    let eps = [0.0, 1e-6, 1e-3, 0.1][k as usize / 3 % 4];
    let columns = |bodies: &mut Bodies, f: &mut dyn FnMut(&mut f64)| {
        [&mut bodies.x, &mut bodies.y, &mut bodies.z].into_iter().for_each(|c| c.iter_mut().for_each(&mut *f));
    };
    if k.is_multiple_of(2) {
        bodies.mass.iter_mut().for_each(|m| *m *= 10f64.powf(12.0 * uniform() - 6.0));
    }
    match k % 11 {
        // every body with its mirror image: in the middle forces cancel
        1 => (0..n / 2).for_each(|i| {
            let at = bodies.position(i).map(|q| -q);
            (bodies.x[n - 1 - i], bodies.y[n - 1 - i], bodies.z[n - 1 - i]) = at.into();
            bodies.mass[n - 1 - i] = bodies.mass[i];
        }),
        2 => columns(&mut bodies, &mut |q| *q = (*q * 4.0).round()), // bodies at one place
        3 => (0..n / 2).for_each(|i| bodies.x[i] += 1e5),            // two clusters
        4 => (0..n / 2).for_each(|i| {
            // close pairs
            let at = bodies.position(i);
            (bodies.x[n - 1 - i], bodies.y[n - 1 - i], bodies.z[n - 1 - i]) = (at[0] + 1e-6 * uniform(), at[1], at[2]);
        }),
        5 => (0..n / 2).for_each(|i| bodies.mass[i] = 0.0),
        6 => columns(&mut bodies, &mut |q| *q = q.round() + 0.5), // a lattice: equal terms
        _ => {}
    }
    if k % 5 == 1 {
        bodies.eps = Some((0..n).map(|i| eps * (i % 3) as f64).collect());
    }
    if k % 3 == 1 {
        columns(&mut bodies, &mut |q| *q += 1e7);
    }
    let mut gravity = Gravity::new(1.0, eps);
    if k % 13 == 4 {
        columns(&mut bodies, &mut |q| *q *= 1.5e11);
        bodies.mass.iter_mut().for_each(|m| *m *= 2e30);
        bodies.eps.iter_mut().flatten().for_each(|eps| *eps *= 1.5e11);
        gravity = Gravity::new(6.674e-11, eps * 1.5e11);
    }
    Ok((bodies, gravity))
}
