//! A law of your own on every device: gravity that a length screens, written once, compared with plain f64 loops.
use manybody::law::{Law, PairInputs, PairLaw, Real, Sum, add3, dot3, sub3};
use manybody::solver::Device;
use manybody::{Result, ic, record, solver};
use manybody_gpu::{Pairs, evaluator};

record! { struct Star<R> { x: [R; 3], m: R } } // what the law reads of a body
record! { struct Screen<R> { eps2: R, per_length: R } } // what is the same for all pairs
record! { struct Pull<R> { a: [Sum<R>; 3] } } // what a body gets

struct Yukawa; // a_i = sum m_j d (1 + s/l) e^(-s/l) / s^3,  s^2 = d.d + eps^2
impl PairLaw for Yukawa {
    type Body<R: Real> = Star<R>;
    type Par<R: Real> = Screen<R>;
    type Out<R: Real> = Pull<R>;
    #[inline(always)]
    fn pair<R: Real>(i: &Star<R>, j: &Star<R>, par: &Screen<R>, out: &mut Pull<R>) {
        let d = sub3(j.x, i.x);
        let s2 = dot3(d, d, par.eps2);
        let t = s2.sqrt() * par.per_length;
        add3(&mut out.a, j.m * s2.rsqrt3() * (t + t.lit(1.0)) * (-t).exp(), d);
    }
}

fn main() -> Result<()> {
    let stars = ic::by_name("plummer", &ic::Request::new(2000, 1))?.bodies;
    let columns: [&[f64]; 4] = [&stars.x, &stars.y, &stars.z, &stars.mass];
    let (law, inputs) = (Law::of::<Yukawa>()?, PairInputs::one(&columns, &[1e-4, 1.0]));
    let right = law.oracle(&inputs)?.concat();
    let off = |a: &[f64]| a.iter().zip(&right).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let f32 = solver::Precision::F32;
    eprintln!("cpu: off by {:.1e}", off(&solver::compiled::<Yukawa, f32>(&inputs)?.concat()));
    for device in [Device::Cuda, Device::Wgpu] {
        match evaluator(device, &[], &law, f32, Pairs::Once, None).and_then(|mut gpu| gpu.evaluate(&inputs)) {
            Ok(found) => eprintln!("{device}: off by {:.1e}", off(&found.concat())),
            Err(error) => eprintln!("{error}"),
        }
    }
    Ok(())
}
