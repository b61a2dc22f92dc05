//! What is known without a GPU: the numbers that kernels get, and where results go.

use super::law::sinks;
use super::read::{MustBe, NONE, Source, Survey};
use super::{Column, Kind, Numbers, Queue};
use crate::cuda::arrays::law::Goes;
use crate::load::Motion;
use manybody_law::Error;
use manybody_law::law::{self, Law};
use manybody_pairwise::{Along, Bodies, Coordinates, Extent, Frame, Gravity, GravityLaw, GravityTerms};

/// Numbers without a pattern, some of them large, from -1 to 1 times `scale`, about `origin`.
fn column(seed: u64, n: usize, origin: f64, scale: f64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        origin + scale * ((state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    };
    (0..n).map(|_| next()).collect()
}

fn bodies(n: usize, origin: f64) -> Bodies {
    let [x, y, z, vx, vy, vz] = [1, 2, 3, 4, 5, 6].map(|k| column(k, n, origin * k as f64, 10.0 / k as f64));
    let mass = column(7, n, 3.0, 2.0);
    let eps = Some(column(8, n, 0.5, 0.5).iter().map(|eps| eps.abs()).collect());
    Bodies { x, y, z, vx, vy, vz, mass, eps, id: (0..n as u64).collect(), ..Bodies::default() }
}

/// What survey finds in a column, in plain loops.
fn survey(column: &[f64], mass: &[f64]) -> Survey {
    let first = column.first().copied().unwrap_or(0.0).to_bits();
    Survey {
        low: column.iter().copied().fold(f64::INFINITY, f64::min),
        high: column.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        sum: column.iter().sum(),
        moment: column.iter().zip(mass).map(|(q, m)| q * m).sum(),
        bad: None,
        zeros: column.iter().filter(|q| **q == 0.0).count(),
        same: column.iter().all(|q| q.to_bits() == first),
    }
}

fn extent(bodies: &Bodies) -> Extent {
    let along = |column: &Vec<f64>| {
        let Survey { low, high, moment, .. } = survey(column, &bodies.mass);
        Along { low, high, moment }
    };
    Extent {
        mass: bodies.mass.iter().sum(),
        most_mass: bodies.mass.iter().copied().fold(0.0, f64::max),
        least_eps: bodies.eps.as_ref().map(|eps| eps.iter().copied().fold(f64::INFINITY, f64::min)),
        position: [&bodies.x, &bodies.y, &bodies.z].map(along),
        velocity: [&bodies.vx, &bodies.vy, &bodies.vz].map(along),
        at_zero: [false; 2],
    }
}

/// The frame of extents is that of bodies, to the last bit, and what kernels read in it are the numbers of the host.
#[test]
fn frames_are_those_of_the_host() {
    let gravity = Gravity::new(6.7e-11, 0.03);
    for (n, origin) in [(0, 0.0), (1, 5.0), (2, -3.0), (1000, 0.0), (1000, 1e6), (777, -1e-9)] {
        let (one, two) = (bodies(n, origin), bodies(n / 2, origin + 7.0));
        for coordinates in [Coordinates::Positions, Coordinates::PhaseSpace] {
            let frame = Frame::new(&one, &gravity, coordinates).unwrap();
            assert_eq!(Frame::of_extent(&extent(&one), &gravity, coordinates).unwrap(), frame, "{n} {origin}");
            let between = Frame::between(&two, &one, &gravity, coordinates).unwrap();
            let of_extents = Frame::between_extents(&extent(&two), &extent(&one), &gravity, coordinates).unwrap();
            assert_eq!(of_extents, between, "{n} {origin}");
        }
        let frame = Frame::new(&one, &gravity, Coordinates::PhaseSpace).unwrap();
        let [length, velocity, mass, origin @ ..] = frame.numbers();
        let plain = Source::plain(Column::One(0.0), MustBe::Finite);
        let eps = one.eps.clone().unwrap();
        let read = [
            (plain.affine(origin[1], 1.0 / length), &one.y, 1),
            (plain.affine(origin[5], 1.0 / velocity), &one.vz, 5),
            (plain.affine(0.0, gravity.g / mass), &one.mass, 6),
            (plain.half_square(1.0 / length, 0.5 * law::smallest_eps2(true)), &eps, 7),
        ];
        assert_eq!(GravityLaw { terms: GravityTerms::Jerk, soft: true, ..GravityLaw::ACCELERATION }.fields(), 8);
        for (source, column, field) in read {
            let mut written = vec![0.0; n];
            frame.write::<f64>(&one, &gravity, Coordinates::PhaseSpace, field, &mut written);
            let found: Vec<f64> = column.iter().map(|q| source.of(*q)).collect();
            assert_eq!(found, written, "field {field}");
        }
    }
}

/// What is subtracted in f32, and which members become parameters, follow from extents as from columns.
#[test]
fn middles_and_uniform_members_are_those_of_the_host() {
    let law = Law::parse("body x[2], q; d = j.x - i.x; sum p = j.q / dot(d, d); self exclude").unwrap();
    let columns = [column(1, 300, 1e6, 2.0), column(2, 300, 1.0, 2.0), vec![0.25; 300]];
    let surveys = columns.each_ref().map(|c| survey(c, c));
    let sources = columns.each_ref().map(|_| Source::plain(Column::One(0.0), MustBe::Finite));
    let both = [0, 1, 2, 0, 1, 2];
    let middles = law.middles(6, |k| surveys[both[k]].range(&sources[both[k]]));
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let inputs = law::PairInputs::one(&slices, &[]);
    law.recentred(&inputs, |moved| {
        for (k, middle) in middles.iter().take(3).enumerate() {
            let mut source = sources[k];
            source.middle = middle.unwrap_or(0.0);
            assert_eq!(columns[k].iter().map(|q| source.of(*q)).collect::<Vec<_>>(), moved.i[k], "{k}");
        }
    });
    assert!(middles[0].is_some() && middles[1].is_none() && middles[2].is_none());
    let is_one = |k: usize| surveys[k].is_one(&sources[k]);
    assert_eq!(crate::uniform::members_where(&law, (300, 300), Motion::Fixed, || true, is_one), ["q"]);
    assert_eq!(crate::uniform::members(&law, &inputs, Motion::Fixed), ["q"]);
    let crate::uniform::Division { kept, parameters, .. } = crate::uniform::divided(&law, &["q".into()]).unwrap();
    assert_eq!((kept, parameters), (vec![0, 1], vec![2]));
    // 0 and -0 are not one number for kernels; softenings that are all raised to the least are
    let zeros = survey(&[0.0, -0.0], &[]);
    assert!(!zeros.is_one(&sources[0]));
    let tiny = survey(&[1e-300, 2e-300], &[]);
    assert!(tiny.is_one(&sources[0].half_square(1.0, 1e-30)) && !tiny.is_one(&sources[0]));
}

#[test]
fn results_go_where_they_belong() {
    let law = Law::parse(
        "body x; id k; logsumexp s = -(i.x - j.x)^2; argmin near = abs(j.x - i.x), j.k; count n = i.k != j.k; max m = j.x; \
         self exclude",
    )
    .unwrap();
    let count = law.result_columns().len();
    let to = |k: usize| Numbers { address: 1000 + k as u64, stride: 8, kind: Kind::F64 };
    let goes: Vec<Goes> = (0..count).map(|k| Goes { to: to(k), unit: 1.0 }).collect();
    let factors: Vec<f64> = (0..law.cells().len()).map(|k| 2.0 + k as f64).collect();
    let found: Vec<_> = sinks(&law, &factors, &goes).iter().map(|sink| sink.described()).collect();
    // address, row of the sums, row of what is scaled, what it may be, factors
    let want = [
        (1000, 0, 1, 2, [2.0, 3.0]),
        (1001, 2, NONE, 1, [4.0, 1.0]),
        (1002, 3, NONE, 0, [5.0, 1.0]),
        (1003, 4, NONE, 0, [6.0, 1.0]),
        (1004, 5, NONE, 2, [7.0, 1.0]),
    ];
    assert_eq!(found, want);
}

#[test]
fn without_a_gpu_the_device_is_missed() {
    if crate::cuda::count() == 0 {
        assert!(matches!(Queue::open(0), Err(Error::NoDevice { device: "cuda", .. })));
        assert_eq!(super::ordinal_of(0x7f00_0000_0000), None);
    }
}
