//! Ways to compute, and columns for laws.

use super::common;
use manybody::law::{Law, PairInputs, PairLaw, oracle};
use manybody::solver::{Device, Precision};
use manybody_gpu::cuda::{Cuda, CudaEvaluator};
use manybody_gpu::kernel_config::KernelConfig;
use manybody_gpu::wgpu::{Subgroups, Wgpu, WgpuEvaluator};
use manybody_gpu::{Evaluator, Pairs, evaluator};

/// A way to compute: a device with a number type, and a name for messages.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) device: Device,
    pub(crate) precision: Precision,
    pub(crate) pairs: Pairs,
    /// On wgpu: subgroups other than the adapter's own.
    pub(crate) subgroups: Option<Subgroups>,
    /// On cuda: the tiled one-sided kernel, which is not chosen for so few bodies.
    pub(crate) tiled: bool,
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for device in common::kinds() {
        let precisions =
            if device == Device::Cuda { vec![Precision::F32, Precision::F64] } else { vec![Precision::F32] };
        for precision in precisions {
            for pairs in [Pairs::Ordered, Pairs::Once] {
                let name = format!("{device} {precision} {pairs:?}");
                cases.push(Case { name, device, precision, pairs, subgroups: None, tiled: false });
            }
        }
    }
    if cases.iter().any(|c| c.device == Device::Cuda) {
        for precision in [Precision::F32, Precision::F64] {
            let name = format!("cuda {precision} Ordered, tiled");
            let (device, pairs) = (Device::Cuda, Pairs::Ordered);
            cases.push(Case { name, device, precision, pairs, subgroups: None, tiled: true });
        }
    }
    if cases.iter().any(|c| c.device == Device::Wgpu) {
        for subgroups in [Subgroups::None, Subgroups::Any] {
            let name = format!("wgpu f32 Once, subgroups: {subgroups:?}");
            let (device, precision, pairs) = (Device::Wgpu, Precision::F32, Pairs::Once);
            // any width only where there are subgroups at all
            if subgroups == Subgroups::None || Wgpu::open().unwrap().subgroups() != Subgroups::None {
                cases.push(Case { name, device, precision, pairs, subgroups: Some(subgroups), tiled: false });
            }
        }
    }
    cases
}

impl Case {
    pub(crate) fn evaluator(&self, law: &Law) -> Box<dyn Evaluator> {
        if let Some(subgroups) = self.subgroups {
            let evaluator = WgpuEvaluator::new(Wgpu::open().unwrap(), law, self.pairs);
            return Box::new(evaluator.with_subgroups(subgroups));
        }
        if self.tiled {
            let shape = KernelConfig::Direct { per_thread: 2, threads: 64, unroll: 4, bag: 2, split: 0 };
            let cuda = Cuda::open(0).unwrap();
            return match self.precision {
                Precision::F32 => Box::new(CudaEvaluator::<f32>::new(cuda, law, self.pairs).with_shape(shape)),
                Precision::Mixed => {
                    Box::new(CudaEvaluator::<f32>::new(cuda, law, self.pairs).with_shape(shape).mixed().unwrap())
                }
                Precision::F64 => Box::new(CudaEvaluator::<f64>::new(cuda, law, self.pairs).with_shape(shape)),
            };
        }
        evaluator(self.device, &[], law, self.precision, self.pairs, None).unwrap()
    }

    /// Of the largest result of a column. A term has a dozen roundings of 6e-8 (f32; devices' roots and exponentials
    /// have two such) or 1e-16 (f64; the root 1e-14), and sums of up to 1024 terms add at most as many more, as a random
    /// walk a few; terms that cancel make the sum smaller than they are, ten times at these sizes.
    fn tolerance(&self) -> f64 {
        if self.precision == Precision::F64 { 2e-12 } else { 2e-5 }
    }

    pub(crate) fn agree(&self, what: &str, found: &[Vec<f64>], want: &[Vec<f64>]) {
        assert_eq!(found.len(), want.len(), "{}: {what}", self.name);
        for (k, (found, want)) in found.iter().zip(want).enumerate() {
            assert_eq!(found.len(), want.len(), "{}: {what}: result {k}", self.name);
            let top = want.iter().filter(|x| x.is_finite()).fold(1e-30_f64, |top, x| top.max(x.abs()));
            for (b, (x, y)) in found.iter().zip(want).enumerate() {
                let near = (x - y).abs() <= self.tolerance() * top || x == y;
                assert!(near, "{}: {what}: result {k} of body {b}: {x} where {y} is right", self.name);
            }
        }
    }
}

/// Random numbers in (-1, 1), the same everywhere.
pub(crate) fn random(n: usize, seed: u64) -> Vec<f64> {
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        // a float's number of bits, so that f32 reads the same bodies
        f64::from((s >> 40) as u32) / f64::from(1_u32 << 23) - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// Columns for a law: the last, a mass, is positive.
pub(crate) fn columns(numbers: usize, n: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> = (0..numbers).map(|k| random(n, seed + 31 * k as u64)).collect();
    columns[numbers - 1].iter_mut().for_each(|m| *m = 0.5 + 0.25 * *m);
    columns
}

pub(crate) fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}

pub(crate) const SIZES: [usize; 14] = [0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 511, 513, 1000, 2051];

pub(crate) fn check<L: PairLaw>(numbers: usize, par: &[f64], sizes: &[usize]) {
    let law = Law::of::<L>().unwrap();
    for case in cases() {
        let mut evaluator = case.evaluator(&law);
        for n in sizes {
            let data = columns(numbers, *n, 7);
            let data = slices(&data);
            let inputs = PairInputs::one(&data, par);
            let found = evaluator.evaluate(&inputs).unwrap();
            case.agree(&format!("{} of {n} bodies", law.name()), &found, &oracle::<L>(&inputs).unwrap());
            let again = evaluator.evaluate(&inputs).unwrap();
            assert_eq!(found, again, "{}: not the same bits twice", case.name);
        }
    }
}
