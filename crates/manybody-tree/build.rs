//! Writes the interactions of cells for low orders as straight code: loops cost as much as the sums there.
//!
//! There are two of each order: for any function of the distance, and for a harmonic one, which needs only the coefficients
//! with at most one z (see `src/harmonic.rs`).

use std::fmt::Write as _;
use std::{env, fs, path::Path};

#[allow(dead_code, unreachable_pub, reason = "the library needs more of it")]
#[path = "src/index.rs"]
mod index;

use index::{harmonic, harmonics_of, lowered, of, place, start};

/// The orders that are written out for any function: in f32 loops need 1.8 times as long at order 8 (2^20 bodies of a Plummer sphere,
/// eps = 0.01, AVX-512), and in f64 at order 10, of which f32 has no use.
const ORDERS: [usize; 8] = [2, 3, 4, 5, 6, 7, 8, 10];

/// The orders that are written out for a harmonic function.
const HARMONIC: [usize; 9] = [2, 3, 4, 5, 6, 7, 8, 10, 12];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/index.rs");
    let mut text = String::new();
    for p in ORDERS {
        text += &interaction(p);
    }
    for p in HARMONIC {
        text += &harmonic_interaction(p);
    }
    let folder = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&folder).join("unrolled.rs"), text).expect("OUT_DIR can be written");
}

/// The beginning of a function, which has so many moments and sums.
fn open(name: &str, moments: usize, sums: usize) -> String {
    format!(
        "#[inline(always)]\npub(crate) fn {name}<V: Vector>(\n    token: V::Token,\n    x: [V; 3],\n    ratio: V,\n    \
         chain: &[V],\n    potential: bool,\n    moments: &[V::T],\n    sums: &mut [V::T],\n) {{\n    \
         let moments = &moments[..{moments} * V::LEN];\n    let sums = &mut sums[..{sums} * V::LEN];\n",
    )
}

/// The function `cells_P`: derivatives at x, from the chain g, contracted with moments that have no degree 1.
fn interaction(p: usize) -> String {
    let mut text = open(&format!("cells_{p}"), start(p), start(p + 1));
    chain(&mut text, p);
    for d in 1..=p {
        for m in 0..=p - d {
            for (a, z) in of(d) {
                derivative(&mut text, m, [d, a, z]);
            }
        }
    }
    moments(&mut text, p, |d| start(d)..start(d + 1));
    for d in 0..=p {
        for (a, z) in of(d) {
            let terms = of_moments(p, d).flat_map(|d1| of(d1).map(move |(a1, z1)| [d1, a1, z1]));
            let terms = terms.map(|[d1, a1, z1]| (place(d1, a1, z1), place(d + d1, a + a1, z + z1)));
            sum(&mut text, d, place(d, a, z), terms);
        }
    }
    text + "}\n"
}

/// The function `far_P`: the same for a harmonic function, from folded moments without degree 1.
fn harmonic_interaction(p: usize) -> String {
    let mut text = open(&format!("far_{p}"), harmonic(p, 0, 0), harmonic(p + 1, 0, 0));
    chain(&mut text, p);
    for d in 1..=p {
        for m in 0..=p - d {
            for (a, z) in harmonics_of(d) {
                derivative(&mut text, m, [d, a, z]);
            }
        }
        // without moments of degree 1, no derivative of degree 2 with z = 2 is needed
        for a in (2..=d).filter(|_| d > 2) {
            let [to, x, y] = [(a, 2), (a - 2, 0), (a, 0)].map(|(a, z)| place(d, a, z));
            line(&mut text, &format!("let t0_{to} = -(t0_{x} + t0_{y});"));
        }
    }
    moments(&mut text, p, |d| harmonic(d, 0, 0)..harmonic(d + 1, 0, 0));
    for d in 0..=p {
        for (a, z) in harmonics_of(d) {
            let terms = of_moments(p, d).flat_map(|d1| harmonics_of(d1).map(move |(a1, z1)| [d1, a1, z1]));
            let terms = terms.map(|[d1, a1, z1]| (harmonic(d1, a1, z1), place(d + d1, a + a1, z + z1)));
            sum(&mut text, d, harmonic(d, a, z), terms);
        }
    }
    text + "}\n"
}

/// The degrees of moments that act on a coefficient of degree d.
fn of_moments(p: usize, d: usize) -> impl Iterator<Item = usize> {
    (0..=(p - d).min(p - 1)).filter(|d1| *d1 != 1)
}

fn chain(text: &mut String, p: usize) {
    for m in 0..=p {
        line(text, &format!("let t{m}_0 = chain[{m}];"));
    }
}

/// The moments in the units of the sink.
fn moments(text: &mut String, p: usize, of_degree: impl Fn(usize) -> std::ops::Range<usize>) {
    line(text, "let m0 = get::<V>(token, moments, 0);");
    line(text, "let f1 = ratio;");
    for d in 2..p {
        line(text, &format!("let f{d} = f{} * ratio;", d - 1));
        for k in of_degree(d) {
            line(text, &format!("let m{k} = get::<V>(token, moments, {k}) * f{d};"));
        }
    }
    line(text, "let _ = f1;");
}

/// A derivative D^m, by the recurrence in `taylor.rs`.
fn derivative(text: &mut String, m: usize, [d, a, z]: [usize; 3]) {
    let (axis, exponent, (a1, z1)) = lowered(d, a, z);
    let to = place(d, a, z);
    let one = format!("t{}_{}", m + 1, place(d - 1, a1, z1));
    if exponent == 1 {
        line(text, &format!("let t{m}_{to} = x[{axis}] * {one};"));
    } else {
        let (a2, z2) = if axis == 0 { (a, z) } else { (d - 2, z1.min(d - 2)) };
        let two = format!("t{}_{}", m + 1, place(d - 2, a2, z2));
        let factor = exponent - 1;
        line(text, &format!("let t{m}_{to} = x[{axis}].fma({one}, {two} * x[0].lit({factor}.0));"));
    }
}

/// One coefficient of the expansion, of degree d: pairs of a moment and a derivative. That of degree 0 is the potential.
fn sum(text: &mut String, d: usize, to: usize, terms: impl Iterator<Item = (usize, usize)>) {
    line(text, if d == 0 { "if potential {" } else { "{" });
    line(text, &format!("let mut sum = get::<V>(token, sums, {to});"));
    for (moment, place) in terms {
        line(text, &format!("sum = m{moment}.fma(t0_{place}, sum);"));
    }
    line(text, &format!("put(sum, sums, {to});"));
    line(text, "}");
}

fn line(text: &mut String, statement: &str) {
    let _ = writeln!(text, "    {statement}");
}
