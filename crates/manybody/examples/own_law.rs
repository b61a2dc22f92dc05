//! A law of your own: gravity that a length screens (Yukawa), on the kernel that evaluates each pair once. The program
//! compares it with plain f64 loops and counts its operations. docs/laws.md explains it; own_law.txt is its text form.
use manybody::law::{Law, PairInputs, Sum, add3, dot3, oracle, sub3};
use manybody::solver::compiled;
use manybody::{Result, ic, law};

law! {
    /// a_i = sum m_j d (1 + s/l) e^(-s/l) / s^3,  s^2 = d.d + eps^2
    pub struct Yukawa;
    body { x: [R; 3], m: R } // what the law reads of a body
    par { eps2: R, per_length: R } // what is the same for all pairs
    out { a: [Sum<R>; 3] } // what a body gets
    const TRANSCENDENTAL: bool = true;
    fn pair(i, j, par, out) {
        let d = sub3(j.x, i.x); // that i does the opposite to j is found, not said
        let s2 = dot3(d, d, par.eps2);
        let t = s2.sqrt() * par.per_length;
        add3(&mut out.a, j.m * s2.rsqrt3() * (t + t.lit(1.0)) * (-t).exp(), d);
    }
}

fn main() -> Result<()> {
    let stars = ic::by_name("plummer", &ic::Request::new(2000, 1))?.bodies;
    let columns: [&[f64]; 4] = [&stars.x, &stars.y, &stars.z, &stars.mass];
    let inputs = PairInputs::one(&columns, &[1e-4, 1.0]); // eps = 0.01, a screen of one length unit
    let (fast, slow) = (compiled::<Yukawa, f64>(&inputs)?.concat(), oracle::<Yukawa>(&inputs)?.concat());
    let off = fast.iter().zip(&slow).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    eprintln!("largest difference from f64 loops: {off:.1e}");

    let law = Law::of::<Yukawa>()?;
    let (one, both) = (law.one_sided().cost(), law.mirrored()?.cost());
    eprintln!("a pair costs {} operations one-sided, {} for both bodies at once", one.operations, both.operations);
    Ok(())
}
