//! A law of your own over the tetrahedron of triples, on every device, and one over the triangle of pairs through an index map.
use manybody::law::{GravityPot, Law, PairInputs, Real};
use manybody::map::Triangle;
use manybody::pairs::{Points, Sides, TripleLaw, tetrahedral};
use manybody::solver::Device;
use manybody::{Result, ic, solver};
use manybody_gpu::compute::Gpu;
use manybody_gpu::{Evaluator, tetrahedral as on_device, triangular::Triangular};

/// E = 16 area^2 = 2 (ab + bc + ca) - aa - bb - cc of the squared sides: 0 for three bodies in line.
struct Area;
impl TripleLaw for Area {
    #[inline(always)]
    fn sides<R: Real>(a: R, b: R, c: R, weight: Option<R>) -> Sides<R> {
        let (one, two) = (weight.unwrap_or(a.lit(1.0)), a.lit(2.0));
        let (sum, squares) = (a + b + c, a * a + b * b + c * c);
        let slope = |x: R| one * two * (sum - two * x);
        Sides { energy: one * (two * (a * b + b * c + c * a) - squares), slope: [slope(a), slope(b), slope(c)] }
    }
}

fn main() -> Result<()> {
    let stars = ic::by_name("uniform-sphere", &ic::Request::new(300, 1))?.bodies;
    let columns: [&[f64]; 4] = [&stars.x, &stars.y, &stars.z, &stars.mass];
    let points = Points::from_columns(&columns[..3])?;
    let right = tetrahedral::<Area>(&points)?;
    eprintln!("cpu: {} triples, energy {}", 300 * 299 * 298 / 6, right.energy);

    let (law, inputs) = (Law::of::<GravityPot>()?, PairInputs::one(&columns, &[1e-4]));
    let f32 = solver::Precision::F32;
    let pull = solver::compiled_triangular::<GravityPot, f32>(Triangle::Lambda, &inputs)?;
    eprintln!("cpu: gravity through lambda, body 0: {}", pull[0][0]);
    for device in [Device::Cuda, Device::Wgpu] {
        let gpu = match Gpu::open(device) {
            Ok(gpu) => gpu,
            Err(error) => {
                eprintln!("{error}");
                continue;
            }
        };
        let found = on_device::tetrahedral::<Area>(&gpu, &points, f32)?;
        eprintln!("{device}: energy off by {:.1e}", found.energy / right.energy - 1.0);
        let found = Triangular::new(&gpu, &law, Triangle::Lambda, true, f32)?.evaluate(&inputs)?;
        eprintln!("{device}: gravity through lambda off by {:.1e}", found[0][0] / pull[0][0] - 1.0);
    }
    Ok(())
}
