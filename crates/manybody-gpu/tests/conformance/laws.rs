//! Laws of the registry and as text, and what is refused.

use super::cases::{cases, columns, random, slices};
use manybody::Error;
use manybody::law::{self, Law, PairInputs};
use manybody::solver::{Device, Precision};
use manybody_gpu::{Pairs, evaluator};

#[test]
fn laws_as_text() {
    let texts = [
        (
            "body x[3]; id k; param r2; argmin near = dot(j.x - i.x, j.x - i.x), j.k; \
          count n = dot(j.x - i.x, j.x - i.x) < r2; self exclude",
            4,
            vec![0.1],
        ),
        (
            "body x, y; logsumexp s = -(i.x - j.x)^2; max m = sin(j.y) * i.x; min l = ln(abs(j.y) + 1) - i.y; self include",
            2,
            vec![],
        ),
        (
            "body x[2], q; id mol; sum f = i.q * j.q * exp(-dot(j.x - i.x, j.x - i.x)) when i.mol != j.mol; self exclude",
            4,
            vec![],
        ),
        (
            "body x[3]; sum a = cos(3 * sqrt(dot(j.x - i.x, j.x - i.x))); sum b = i.x[0] - j.x[1] / (2 + j.x[2]); self include",
            3,
            vec![],
        ),
        ("body x; sum s = i.x * j.x; self = i.x", 1, vec![]),
    ];
    for (text, numbers, par) in texts {
        let law = match Law::parse(text) {
            Ok(law) => law,
            Err(error) => panic!("{text}: {error}"),
        };
        for case in cases() {
            let mut evaluator = case.evaluator(&law);
            for n in [1_usize, 2, 65, 300] {
                let mut data = columns(numbers, n, 11);
                let ids = law.body().last().is_some_and(|f| f.cell == law::Cell::Id);
                if ids {
                    data[numbers - 1] = (0..n).map(|k| (k / if text.contains("mol") { 3 } else { 1 }) as f64).collect();
                }
                let data = slices(&data);
                let inputs = PairInputs::one(&data, &par);
                let found = evaluator.evaluate(&inputs).unwrap();
                case.agree(&format!("{text}, {n} bodies"), &found, &law.oracle(&inputs).unwrap());
            }
        }
    }
}

/// Every law of the registry, on bodies that are not too close: all numbers but places lie in (1/4, 3/4).
#[test]
fn built_in_laws() {
    for builtin in law::LAWS {
        let law = builtin.law().unwrap();
        let par: Vec<f64> = law.defaults().iter().map(|d| d.filter(|x| x.abs() < 1e17).unwrap_or(0.5)).collect();
        for case in cases() {
            if case.pairs == Pairs::Once && !law.has_one_kind() {
                continue;
            }
            let mut evaluator = case.evaluator(&law);
            for n in [2_usize, 33, 200] {
                let mut data: Vec<Vec<f64>> = Vec::new();
                for field in law.body() {
                    let seed = 100 + data.len() as u64;
                    let more: Vec<Vec<f64>> = match (field.cell, field.name.as_str()) {
                        (law::Cell::Id, _) => vec![(0..n).map(|k| (k % 2) as f64).collect()],
                        // a lattice, shaken: forces that diverge where bodies meet would test nothing but the closest two
                        (_, "x") => (0..field.numbers())
                            .map(|axis| {
                                let shake = random(n, seed + axis as u64);
                                let place = |k: usize| (k / 6_usize.pow(axis as u32) % 6) as f64 + 0.3 * shake[k];
                                (0..n).map(|k| f64::from((0.5 * place(k)) as f32)).collect()
                            })
                            .collect(),
                        _ => (0..field.numbers())
                            .map(|c| random(n, seed + c as u64).iter().map(|x| 0.5 + 0.25 * x).collect())
                            .collect(),
                    };
                    data.extend(more);
                }
                let data = slices(&data);
                let inputs = PairInputs::one(&data, &par);
                let found = evaluator.evaluate(&inputs).unwrap();
                case.agree(&format!("{}, {n} bodies", law.name()), &found, &law.oracle(&inputs).unwrap());
            }
        }
    }
}

#[test]
fn what_cannot_be_is_said() {
    let law = Law::of::<law::Gravity>().unwrap();
    assert!(matches!(evaluator(Device::Cpu, &[], &law, Precision::F32, Pairs::Once, None), Err(Error::Unknown { .. })));
    for case in cases() {
        let mut evaluator = case.evaluator(&law);
        let (x, bad) = ([1.0, 2.0], [1.0, f64::NAN]);
        let columns: [&[f64]; 4] = [&x, &x, &bad, &x];
        let error = evaluator.evaluate(&PairInputs::one(&columns, &[0.1])).unwrap_err().to_string();
        assert!(error.contains("NaN for body 1"), "{error}");
    }
    if cases().iter().any(|c| c.device == Device::Wgpu) {
        let error =
            evaluator(Device::Wgpu, &[], &law, Precision::F64, Pairs::Once, None).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("computes in f32"), "{error}");
    }
}
