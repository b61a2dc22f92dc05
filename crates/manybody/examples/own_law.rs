//! A law of your own: gravity that a length screens (Yukawa), written once, run on the fast kernel for pairs, held
//! against plain f64 loops, and counted.
//!
//! ```text
//! s^2 = |x_j - x_i|^2 + eps^2       a_i = sum m_j (x_j - x_i) (1 + s/l) e^(-s/l) / s^3
//! ```

use manybody::law::{Law, PairLaw, Real, Sets, Sum, add3, dot3, oracle, sub3};
use manybody::simd::{Element, Level};
use manybody::solver::{Packed, mirrored};
use manybody::{Result, ic, record};

record! {
    /// What the law reads of a body.
    struct Star<R> { x: [R; 3], m: R }
}
record! {
    /// What is the same for all pairs.
    struct Screen<R> { eps2: R, per_length: R }
}
record! {
    /// What a body gets.
    struct Pull<R> { a: [Sum<R>; 3] }
}

/// What j does to i. That i does the opposite to j is found, not said.
struct Yukawa;

impl PairLaw for Yukawa {
    type Body<R: Real> = Star<R>;
    type Par<R: Real> = Screen<R>;
    type Out<R: Real> = Pull<R>;

    #[inline(always)]
    fn pair<R: Real>(i: &Star<R>, j: &Star<R>, par: &Screen<R>, out: &mut Pull<R>) {
        let d = sub3(j.x, i.x);
        let s2 = dot3(d, d, par.eps2);
        let lengths = s2 * s2.rsqrt() * par.per_length;
        let screened = (lengths + s2.lit(1.0)) * (-lengths).exp();
        add3(&mut out.a, j.m * s2.rsqrt3() * screened, d);
    }
}

fn main() -> Result<()> {
    let cluster = ic::by_name("plummer", &ic::Request::new(2000, 1))?.bodies;
    let columns: [&[f64]; 4] = [&cluster.x, &cluster.y, &cluster.z, &cluster.mass];
    let par = [1.0e-4, 1.0]; // eps = 0.01, a screen of one length unit

    let law = Law::of::<Yukawa>()?;
    let (one, both) = (law.one_sided().cost().operations, law.mirrored()?.cost().operations);
    eprintln!("operations beside roots and exponentials: {one} a pair one-sided, {both} for both bodies at once");

    // the kernel that evaluates each pair once, on all cores and the best vectors there are
    let level = Level::best();
    let mut packed = Packed::<f64>::default();
    packed.fill(cluster.len(), columns.len(), lanes::<f64>(level), |field, to| to.copy_from_slice(columns[field]));
    let mut fast = vec![Vec::new(); 3];
    mirrored::<Yukawa, f64>(level, &packed, &par, &mut fast);

    // the same law in plain loops
    let slow = oracle::<Yukawa>(&Sets::one(&columns, &par))?;
    let largest = slow.iter().flatten().fold(0.0_f64, |m, a| m.max(a.abs()));
    let off = fast.iter().flatten().zip(slow.iter().flatten()).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    eprintln!("largest difference from f64 loops, in the largest acceleration: {:.1e}", off / largest);

    let momentum = |k: usize| fast[k].iter().zip(&cluster.mass).map(|(a, m)| a * m).sum::<f64>();
    eprintln!("change of the momentum: {:.1e} {:.1e} {:.1e}", momentum(0), momentum(1), momentum(2));
    Ok(())
}

/// Numbers of type T in a vector.
fn lanes<T: Element>(level: Level) -> usize {
    if T::DOUBLE { (level.lanes_f32() / 2).max(1) } else { level.lanes_f32() }
}
