use super::*;
use manybody::Units;
use manybody::ic::{self, Request};
use std::str::FromStr as _;

fn plummer(n: usize) -> Snapshot {
    ic::by_name("plummer", &Request::new(n, 1)).unwrap()
}

fn small() -> Look {
    Look { size: Size { width: 150, height: 90 }, labels: false, ..Look::default() }
}

fn drawn(picture: &Picture) -> Vec<u8> {
    let mut all = Vec::new();
    picture
        .draw(|rows| {
            all.extend_from_slice(rows);
            Ok(())
        })
        .unwrap();
    all
}

/// Every body within the picture: the sum over the pixels is the mass.
#[test]
fn a_picture_has_the_mass_of_its_bodies() {
    let stars = plummer(500);
    let look = Look { framing: Framing::Width(1e3), ..small() };
    let picture = Picture::of(&stars, &look).unwrap();
    let area = (1e3_f64 / 150.0).powi(2);
    let sum: f64 = picture.surface_density().iter().sum::<f64>() * area;
    // 500 terms, each times some hundred weights that are off by a rounding
    assert!((sum / stars.bodies.total_mass() - 1.0).abs() < 1e-12, "{sum}");
}

#[test]
fn ends_of_a_bar_differ_and_are_short() {
    let ends = |low, high, units: &str| {
        let scale = Scale::of(ColourBy::Mass, &[], Some([low, high]));
        bar(ColourBy::Mass, &scale, &Colours::from_str("cool").unwrap(), &Units::by_name(units).unwrap()).ends
    };
    assert_eq!(ends(0.04666, 0.04674, "gadget"), ["4.666e8", "4.674e8 Msun"]);
    assert_eq!(ends(1.0, 5.5, "msun-pc-kms"), ["1", "5.5 Msun"]);
    assert_eq!(ends(5.0, 5.0, "g1"), ["5", "5"]);
}

/// Test particles about a star are seen beside it; where fewer bodies have no mass, a picture is of the mass.
#[test]
fn bodies_without_mass_are_seen_where_they_are_most() {
    let mut stars = plummer(500);
    let whole = |stars: &Snapshot| {
        let picture = Picture::of(stars, &Look { framing: Framing::Width(1e3), ..small() }).unwrap();
        picture.surface_density().iter().sum::<f64>() * (1e3_f64 / 150.0).powi(2)
    };
    stars.bodies.mass[..250].fill(0.0);
    assert!((whole(&stars) - stars.bodies.total_mass()).abs() < 1e-12);
    stars.bodies.mass[..251].fill(0.0);
    assert!((whole(&stars) - 500.0).abs() < 1e-9);
}

/// A body on the corner of four tiles, and one beyond the picture whose spot reaches it, are drawn as by a plain sum
/// over all pixels.
#[test]
fn spots_cross_tiles_and_borders() {
    let mut bodies = Bodies::default();
    for place in [[64.0_f64, 64.0], [63.5, 20.25], [-2.0, 45.0], [149.9, 89.9], [75.3, 91.0], [128.0, 0.0]] {
        bodies.push(1.0 + place[0].abs() / 100.0, [place[0] - 75.0, 45.0 - place[1], 0.3], [0.0; 3]);
    }
    let stars = Snapshot { bodies, ..Snapshot::default() };
    let look = Look { framing: Framing::Width(150.0), centre: Centre::Point([0.0; 3]), spot: Some(1.7), ..small() };
    let found = Picture::of(&stars, &look).unwrap().surface_density();
    let mut expected = vec![0.0; 150 * 90];
    let mut sorted = stars.bodies.mass.clone();
    sorted.sort_by(f64::total_cmp);
    for (i, mass) in stars.bodies.mass.iter().enumerate() {
        let (mut across, mut down) = (Span::default(), Span::default());
        let reach = spots::reach(1.7, *mass, sorted[3]);
        across.fill(stars.bodies.x[i] + 75.0, 1.7, reach);
        down.fill(45.0 - stars.bodies.y[i], 1.7, reach);
        for (row, a) in down.weights.iter().enumerate() {
            for (column, b) in across.weights.iter().enumerate() {
                let (x, y) = (across.first + column as i64, down.first + row as i64);
                if (0..150).contains(&x) && (0..90).contains(&y) {
                    expected[(150 * y + x) as usize] += mass * a * b;
                }
            }
        }
    }
    let most = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(most < 1e-15, "{most}");
}

#[test]
fn threads_change_no_bit() {
    let stars = plummer(3000);
    for colour in [ColourBy::Density, ColourBy::Speed] {
        let look = Look { colour, ..small() };
        let on = |threads| {
            let pool = pool_of(threads);
            pool.install(|| {
                let picture = Picture::of(&stars, &look).unwrap();
                (drawn(&picture), picture.surface_density().iter().map(|v| v.to_bits()).collect::<Vec<_>>())
            })
        };
        let one = on(1);
        assert!(one == on(2) && one == on(5), "{colour:?}");
    }
}

fn pool_of(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// The core is bright, the halo is seen, and what is empty is dark.
#[test]
fn core_and_halo_are_both_seen() {
    let picture = Picture::of(&plummer(20_000), &small()).unwrap();
    let values = picture.surface_density();
    let tones: Vec<f64> = values.iter().map(|value| picture.tone.of(*value)).collect();
    let share =
        |low: f64, high: f64| tones.iter().filter(|t| (low..high).contains(*t)).count() as f64 / tones.len() as f64;
    // all tones occur: a linear map has next to nothing in the middle
    assert!(
        share(0.8, 1.1) > 0.002 && share(0.3, 0.8) > 0.05 && share(0.02, 0.3) > 0.1,
        "{} {} {}",
        share(0.8, 1.1),
        share(0.3, 0.8),
        share(0.02, 0.3)
    );
}

/// One body, all bodies at one place, no body with a mass, one body at an enormous distance: all have a picture.
#[test]
fn odd_systems_have_pictures() {
    let mut one = Bodies::default();
    one.push(2.0, [1.0, 2.0, 3.0], [0.0; 3]);
    let mut heap = Bodies::default();
    (0..20).for_each(|_| heap.push(1.0, [7.0; 3], [0.0; 3]));
    let mut massless = plummer(100).bodies;
    massless.mass.fill(0.0);
    let mut far = plummer(100).bodies;
    far.push(1e-3, [1e200, 0.0, 0.0], [0.0; 3]);
    let mut heavy = plummer(100).bodies;
    heavy.mass.iter_mut().for_each(|mass| *mass *= 1e307);
    heavy.vx.iter_mut().for_each(|v| *v *= 1e200);
    let stars = Snapshot { bodies: heavy, ..Snapshot::default() };
    for colour in [ColourBy::Density, ColourBy::Speed, ColourBy::Mass] {
        assert_eq!(drawn(&Picture::of(&stars, &Look { colour, ..small() }).unwrap()).len(), 3 * 150 * 90);
    }
    for bodies in [one, heap, massless, far] {
        let stars = Snapshot { bodies, ..Snapshot::default() };
        for framing in [Framing::Fit, Framing::Eye { distance: None, field: None }] {
            let picture = Picture::of(&stars, &Look { framing, ..small() }).unwrap();
            assert!(drawn(&picture).iter().any(|level| *level > 128));
        }
        // nothing in sight
        let look = Look { centre: Centre::Point([1e6, 0.0, 0.0]), framing: Framing::Width(1.0), ..small() };
        let picture = Picture::of(&stars, &look).unwrap();
        assert!(picture.surface_density().iter().all(|value| *value == 0.0));
        assert_eq!(drawn(&picture).len(), 3 * 150 * 90);
    }
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let stars = plummer(10);
    let refused = |snapshot: &Snapshot, look: Look, part: &str| {
        let error = Picture::of(snapshot, &look).err().unwrap();
        assert!(error.is_bad_input() && error.to_string().contains(part), "{error}");
    };
    refused(&Snapshot::default(), small(), "without bodies");
    refused(&stars, Look { size: Size { width: 0, height: 5 }, ..small() }, "size = 0x5");
    refused(&stars, Look { spot: Some(f64::NAN), ..small() }, "spot");
    refused(&stars, Look { range: Some([1.0, f64::NAN]), ..small() }, "range");
    refused(&stars, Look { colour: ColourBy::Group, ..small() }, "group");
    refused(&stars, Look { framing: Framing::Width(0.0), ..small() }, "width");
    let mut broken = stars;
    broken.bodies.x[3] = f64::NAN;
    refused(&broken, small(), "body 3");
}

/// Two groups side by side have the colours of the palette; where they meet, a mixture.
#[test]
fn groups_have_colours() {
    let mut stars = plummer(2);
    stars.bodies.x = vec![-1.0, 1.0];
    (stars.bodies.y, stars.bodies.mass) = (vec![0.0; 2], vec![1.0; 2]);
    stars.bodies.extra.insert("group".into(), vec![0.0, 1.0]);
    let look = Look {
        size: Size { width: 40, height: 20 },
        colour: ColourBy::Group,
        centre: Centre::Point([0.0; 3]),
        framing: Framing::Width(4.0),
        spot: Some(2.0),
        ..small()
    };
    let image = drawn(&Picture::of(&stars, &look).unwrap());
    let at = |x: usize| <[u8; 3]>::try_from(&image[3 * (10 * 40 + x)..][..3]).unwrap();
    let (blue, orange) = (at(10), at(30));
    assert!(blue[2] > blue[0] && orange[0] > orange[2], "{blue:?} {orange:?}");
}

/// The second picture of a series has the camera, the brightness and the colours of the first.
#[test]
fn a_series_does_not_jump() {
    let (first, mut second) = (plummer(400), plummer(400));
    second.bodies.shift([0.5, 0.0, 0.0], [0.0; 3]);
    second.bodies.x.iter_mut().for_each(|x| *x *= 3.0);
    let look = Look { colour: ColourBy::Speed, ..small() };
    let settled = Picture::of(&first, &look).unwrap().look().clone();
    let again = Picture::of(&second, &settled).unwrap();
    assert_eq!(again.look(), &settled);
    assert!(settled.range.is_some() && settled.colour_range.is_some() && settled.spot.is_some());
    // and the same picture as without it of the first itself
    assert!(drawn(&Picture::of(&first, &settled).unwrap()) == drawn(&Picture::of(&first, &look).unwrap()));
}

#[test]
fn png_files_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    let mut stars = plummer(100);
    stars.units = Units::msun_pc_kms();
    let look = Look { size: Size { width: 200, height: 130 }, ..Look::default() };
    let picture = Picture::of(&stars, &look).unwrap();
    picture.write_png(&path).unwrap();
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap())).read_info().unwrap();
    let mut read = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut read).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (200, 130, png::ColorType::Rgb));
    assert!(read == drawn(&picture));
    assert!(picture.write_png(&folder.path().join("none/a.png")).unwrap_err().is_bad_input());
}
