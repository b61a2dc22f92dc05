//! Writes the interactions of cells for low orders as straight code: loops cost as much as the sums there.

use std::fmt::Write as _;
use std::{env, fs, path::Path};

#[allow(dead_code, unreachable_pub, reason = "the library needs more of it")]
#[path = "src/index.rs"]
mod index;

use index::{row, start};

/// The orders that are written out; at higher ones the loops are as fast.
const ORDERS: std::ops::RangeInclusive<usize> = 2..=6;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/index.rs");
    let mut text = String::new();
    for p in ORDERS {
        text += &interaction(p);
    }
    let folder = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&folder).join("unrolled.rs"), text).expect("OUT_DIR can be written");
}

/// The function `cells_P`: derivatives at x, from the chain g, contracted with moments that have no degree 1.
fn interaction(p: usize) -> String {
    let mut text = format!(
        "#[inline(always)]\npub(crate) fn cells_{p}<V: Vector, const POT: bool>(\n    token: V::Token,\n    \
         x: [V; 3],\n    ratio: V,\n    chain: &[V],\n    moments: &[V::T],\n    sums: &mut [V::T],\n) {{\n    \
         let moments = &moments[..{} * V::LEN];\n    let sums = &mut sums[..{} * V::LEN];\n",
        start(p),
        start(p + 1),
    );
    for m in 0..=p {
        line(&mut text, &format!("let t{m}_0 = chain[{m}];"));
    }
    for d in 1..=p {
        for m in 0..=p - d {
            derivatives(&mut text, d, m);
        }
    }
    line(&mut text, "let m0 = get::<V>(token, moments, 0);");
    line(&mut text, "let f1 = ratio;");
    for d in 2..p {
        line(&mut text, &format!("let f{d} = f{} * ratio;", d - 1));
        for k in start(d)..start(d + 1) {
            line(&mut text, &format!("let m{k} = get::<V>(token, moments, {k}) * f{d};"));
        }
    }
    line(&mut text, "let _ = f1;");
    for d in 0..=p {
        if d == 0 {
            line(&mut text, "if POT {");
        }
        for a in 0..=d {
            for z in 0..=a {
                sum(&mut text, p, [d, a, z]);
            }
        }
        if d == 0 {
            line(&mut text, "}");
        }
    }
    text + "}\n"
}

/// The derivatives D^m of degree d, by the recurrence in `taylor.rs`.
fn derivatives(text: &mut String, d: usize, m: usize) {
    for a in 0..=d {
        for z in 0..=a {
            // the axis along which one degree is taken away, and the place of the rest
            let (axis, exponent, a1, z1) = if a < d {
                (0, d - a, a, z)
            } else if z < d {
                (1, d - z, d - 1, z)
            } else {
                (2, d, d - 1, d - 1)
            };
            let to = start(d) + row(a) + z;
            let one = format!("t{}_{}", m + 1, start(d - 1) + row(a1) + z1);
            if exponent == 1 {
                line(text, &format!("let t{m}_{to} = x[{axis}] * {one};"));
            } else {
                let (a2, z2) = if axis == 0 { (a, z) } else { (d - 2, z1.min(d - 2)) };
                let two = format!("t{}_{}", m + 1, start(d - 2) + row(a2) + z2);
                let factor = exponent - 1;
                line(text, &format!("let t{m}_{to} = x[{axis}].fma({one}, {two} * x[0].lit({factor}.0));"));
            }
        }
    }
}

/// One coefficient of the expansion.
fn sum(text: &mut String, p: usize, [d, a, z]: [usize; 3]) {
    let to = start(d) + row(a) + z;
    line(text, &format!("let mut sum = get::<V>(token, sums, {to});"));
    for d1 in (0..=(p - d).min(p - 1)).filter(|d1| *d1 != 1) {
        for a1 in 0..=d1 {
            for z1 in 0..=a1 {
                let (moment, place) = (start(d1) + row(a1) + z1, start(d + d1) + row(a + a1) + z + z1);
                line(text, &format!("sum = m{moment}.fma(t0_{place}, sum);"));
            }
        }
    }
    line(text, &format!("put(sum, sums, {to});"));
}

fn line(text: &mut String, statement: &str) {
    let _ = writeln!(text, "    {statement}");
}
