//! Bodies and devices for tests of expansions.

#[cfg(feature = "gpu")]
use manybody::Error;
#[cfg(feature = "gpu")]
use manybody::solver::{self, Method, SolverName};
use manybody::solver::{Device, Precision};
use manybody::{Bodies, ic};

/// A splitmix64 stream: tests need bodies, not statistics.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
    pub(crate) fn place(&mut self) -> [f64; 3] {
        [0; 3].map(|_| 2.0 * self.next() - 1.0)
    }
}

/// Bodies of a model without softenings.
pub(crate) fn model(name: &str, n: usize) -> Bodies {
    let mut bodies = ic::by_name(name, &ic::Request::new(n, 1)).unwrap().bodies;
    bodies.eps = None;
    bodies
}

/// Bodies on which trees fail: what they are, and a softening.
pub(crate) fn hard_cases() -> Vec<(&'static str, Bodies, f64)> {
    let mut random = Random(7);
    let mut cases = Vec::new();
    let mut cloud = |n: usize, at: &dyn Fn(usize, [f64; 3]) -> [f64; 3], mass: &dyn Fn(usize) -> f64| {
        let mut bodies = Bodies::default();
        (0..n).for_each(|k| bodies.push(mass(k), at(k, random.place()), [0.0; 3]));
        bodies
    };
    let one = |_: usize| 1.0;
    for n in [1, 2, 3, 15, 16, 17, 31, 33, 64, 65, 257] {
        cases.push(("few", cloud(n, &|_, x| x, &one), 0.0));
    }
    cases.push(("all at one place", cloud(200, &|_, _| [3.0, -1.0, 2.0], &one), 0.1));
    cases.push(("forty at one place", cloud(900, &|k, x| if k < 40 { [0.5; 3] } else { x }, &one), 0.01));
    let points: Vec<[f64; 3]> = (0..10_u64).map(|k| Random(100 + k).place()).collect();
    cases.push(("thirty at each of ten places", cloud(300, &|k, _| points[k % 10], &one), 0.01));
    cases.push(("massless", cloud(900, &|_, x| x, &|k| if k % 3 == 0 { 0.0 } else { 1.0 }), 0.0));
    cases.push(("one has all mass", cloud(900, &|_, x| x, &|k| if k == 5 { 1.0 } else { 0.0 }), 0.0));
    cases.push(("one far away", cloud(900, &|k, x| if k == 9 { [1e10, 0.0, 0.0] } else { x }, &one), 0.0));
    cases.push(("a sheet", cloud(2000, &|_, [x, y, _]| [x, y, 0.25], &one), 0.0));
    cases.push(("a line", cloud(900, &|_, [x, ..]| [x, 2.0 * x, -x], &one), 1e-3));
    let apart = |k: usize, x: [f64; 3]| x.map(|x| x * 1e-7 + if k.is_multiple_of(2) { 1.0 } else { -1.0 });
    cases.push(("two small clusters", cloud(1000, &apart, &one), 0.0));
    cases.push(("far from the origin", cloud(1000, &|_, x| x.map(|x| x + 1e6), &one), 0.0));
    cases.push(("in metres", cloud(1000, &|_, x| x.map(|x| x * 1e17), &|_| 2e30), 1e14));
    cases.push(("tiny", cloud(1000, &|_, x| x.map(|x| x * 1e-30), &|_| 1e-40), 1e-33));
    cases.push(("masses over ten decades", cloud(1500, &|_, x| x, &|k| 10_f64.powi(-(k as i32 % 11))), 0.0));
    cases
}

/// The CPU, and the GPUs that are here; for the others, a line is printed.
#[allow(clippy::print_stdout)] // what is skipped is said
pub(crate) fn devices() -> Vec<Device> {
    #[cfg(feature = "gpu")]
    let here = |device: &Device| {
        let (solver, precision) = (SolverName::Fmm, Precision::F32);
        match solver::of(&Method { device: *device, solver, precision, ..Method::default() }) {
            Ok(_) => true,
            Err(Error::NoDevice { how, .. }) => {
                println!("skipped: device {device}: {how}");
                false
            }
            Err(other) => panic!("{other}"),
        }
    };
    #[cfg(not(feature = "gpu"))]
    let here = |device: &Device| !device.is_gpu();
    [Device::Cpu, Device::Cuda, Device::Wgpu].into_iter().filter(here).collect()
}

/// The most exact precision of a device.
pub(crate) fn finest(device: Device) -> Precision {
    if device == Device::Wgpu { Precision::F32 } else { Precision::F64 }
}

/// Whether a device is one that computes on the CPU.
pub(crate) fn is_slow(device: Device) -> bool {
    #[cfg(feature = "gpu")]
    return device == Device::Wgpu && !manybody::gpu::wgpu::is_here();
    #[cfg(not(feature = "gpu"))]
    return device == Device::Wgpu;
}

/// Whether a device has a precision.
pub(crate) fn has(device: Device, precision: Precision) -> bool {
    device != Device::Wgpu || precision != Precision::F64
}
