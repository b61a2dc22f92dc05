//! Writes the interactions of cells as straight code: loops cost as much as the sums in them.
//!
//! There are two of each order: for any function of the distance, and for a harmonic one, along z (see `src/harmonic.rs`), whose
//! constants are written, too.

use std::fmt::Write as _;
use std::{env, fs, path::Path};

#[allow(dead_code, unreachable_pub, reason = "the library needs more of it")]
#[path = "src/index.rs"]
mod index;

#[allow(dead_code, unreachable_pub, reason = "the library needs more of it")]
#[path = "src/spherical.rs"]
mod spherical;

use index::{HIGHEST, lowered, of, place, start};
use spherical::{Matrix, all_derivatives, exchange, translation};

/// The orders that are written out for any function: in f32 loops need 1.8 times as long at order 8 (2^20 bodies of a Plummer sphere,
/// eps = 0.01, AVX-512), and in f64 at order 10, of which f32 has no use.
const ORDERS: [usize; 8] = [2, 3, 4, 5, 6, 7, 8, 10];

/// The orders that are written out for a harmonic function.
const HARMONIC: [usize; 9] = [2, 3, 4, 5, 6, 7, 8, 10, 12];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/index.rs");
    println!("cargo::rerun-if-changed=src/spherical.rs");
    let mut text = String::new();
    for p in ORDERS {
        text += &interaction(p);
    }
    write("unrolled.rs", &text);
    let mut text = String::new();
    for p in HARMONIC {
        text += &along_z(p);
    }
    write("along_z.rs", &text);
    write("constants.rs", &constants());
}

fn write(name: &str, text: &str) {
    let folder = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&folder).join(name), text).expect("OUT_DIR can be written");
}

/// The beginning of the function of an order.
fn open(p: usize) -> String {
    let (moments, sums) = (start(p), start(p + 1));
    format!(
        "#[inline(always)]\npub(crate) fn cells_{p}<V: Vector>(\n    token: V::Token,\n    x: [V; 3],\n    ratio: V,\n    \
         chain: &[V],\n    potential: bool,\n    moments: &[V::T],\n    sums: &mut [V::T],\n) {{\n    \
         let moments = &moments[..{moments} * V::LEN];\n    let sums = &mut sums[..{sums} * V::LEN];\n",
    )
}

/// The function `cells_P`: derivatives at x, from the chain g, contracted with moments that have no degree 1.
fn interaction(p: usize) -> String {
    let mut text = open(p);
    chain(&mut text, p);
    for d in 1..=p {
        for m in 0..=p - d {
            for (a, z) in of(d) {
                derivative(&mut text, m, [d, a, z]);
            }
        }
    }
    moments(&mut text, p);
    for d in 0..=p {
        for (a, z) in of(d) {
            let terms = of_moments(p, d).flat_map(|d1| of(d1).map(move |(a1, z1)| [d1, a1, z1]));
            let terms = terms.map(|[d1, a1, z1]| (place(d1, a1, z1), place(d + d1, a + a1, z + z1)));
            sum(&mut text, d, place(d, a, z), terms);
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
fn moments(text: &mut String, p: usize) {
    line(text, "let m0 = get::<V>(token, moments, 0);");
    line(text, "let f1 = ratio;");
    for d in 2..p {
        line(text, &format!("let f{d} = f{} * ratio;", d - 1));
        for k in start(d)..start(d + 1) {
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

/// The function `far_P`: the interaction along z of a harmonic function.
fn along_z(p: usize) -> String {
    let mut text = format!(
        "#[inline(always)]\npub(crate) fn far_{p}<V: Vector>(\n    token: V::Token,\n    way: Way<V>,\n    dipoles: bool,\n    \
         moments: &[V::T],\n    turned: &mut [V::T],\n    sums: &mut [V::T],\n) {{\n    \
         let moments = &moments[..{moments} * V::LEN];\n    let turned = &mut turned[..{moments} * V::LEN];\n    \
         let sums = &mut sums[..{sums} * V::LEN];\n",
        moments = p * p,
        sums = (p + 1) * (p + 1),
    );
    line(&mut text, "let Way { phi: [c1, s1], theta: [d1, t1], source: q1, sink: h1, first: f0 } = way;");
    for m in 2..=p {
        for [c, s] in [["c", "s"], ["d", "t"]] {
            let below = m - 1;
            line(&mut text, &format!("let {c}{m} = {s}1.fnma({s}{below}, {c}1 * {c}{below});"));
            line(&mut text, &format!("let {s}{m} = {s}1.fma({c}{below}, {c}1 * {s}{below});"));
        }
    }
    for k in 0..p {
        line(&mut text, if k == 1 { "if dipoles {" } else { "{" });
        for at in 0..=2 * k {
            let factor = if k == 0 { String::new() } else { format!(" * q{k}") };
            line(&mut text, &format!("let v{at} = get::<V>(token, moments, {}){factor};", k * k + at));
        }
        turn(&mut text, k, ["c", "s"], Sense::Back);
        exchanged(&mut text, k, k);
        turn(&mut text, k, ["d", "t"], Sense::Forth);
        exchanged(&mut text, k, k);
        for at in 0..=2 * k {
            line(&mut text, &format!("put(v{at}, turned, {});", k * k + at));
        }
        line(&mut text, "}");
        if k == 1 {
            line(&mut text, "else {");
            line(&mut text, "for k in 1..4 { put(f0.lit(0.0), turned, k); }");
            line(&mut text, "}");
        }
        if (1..p - 1).contains(&k) {
            line(&mut text, &format!("let q{} = q{k} * q1;", k + 1));
        }
    }
    for n in 0..=p {
        line(&mut text, "{");
        let most = n.min(p - 1);
        for at in n - most..=n + most {
            let m = at.abs_diff(n);
            for k in m..p {
                let moment = format!("get::<V>(token, turned, {})", k * k + k + at - n);
                let factor = format!("f0.lit({:?})", translation(n, k, m));
                let term =
                    if k == m { format!("{moment} * {factor}") } else { format!("{moment}.fma({factor}, v{at})") };
                line(&mut text, &format!("let v{at} = {term};"));
            }
            line(&mut text, &format!("let v{at} = v{at} * f{n};"));
        }
        exchanged(&mut text, n, most);
        turn(&mut text, n, ["d", "t"], Sense::Back);
        exchanged(&mut text, n, n);
        // the last turn adds to the sums
        line(&mut text, &format!("put(v{n} + get(token, sums, {k}), sums, {k});", k = n * n + n));
        for m in 1..=n {
            let [cos, sin] = [n + m, n - m];
            for (v, other, to, sense) in [(cos, sin, n * n + cos, "fnma"), (sin, cos, n * n + sin, "fma")] {
                line(&mut text, &format!("let sum = c{m}.fma(v{v}, get(token, sums, {to}));"));
                line(&mut text, &format!("put(s{m}.{sense}(v{other}, sum), sums, {to});"));
            }
        }
        line(&mut text, "}");
        if n < p {
            line(&mut text, &format!("let f{} = f{n} * h1;", n + 1));
        }
    }
    text + "}\n"
}

/// Which way a frame is turned.
#[derive(Clone, Copy, PartialEq)]
enum Sense {
    Forth,
    Back,
}

/// Turns the numbers v of a degree about z, by the multiples of an angle.
fn turn(text: &mut String, n: usize, [c, s]: [&str; 2], sense: Sense) {
    let [first, second] = if sense == Sense::Forth { ["fnma", "fma"] } else { ["fma", "fnma"] };
    for m in 1..=n {
        let (cos, sin) = (n + m, n - m);
        line(text, &format!("let [a, b] = [v{cos}, v{sin}];"));
        line(text, &format!("let v{cos} = {s}{m}.{first}(b, {c}{m} * a);"));
        line(text, &format!("let v{sin} = {s}{m}.{second}(a, {c}{m} * b);"));
    }
}

/// Exchanges y and z in the numbers v of a degree, of which those up to `most` are there.
fn exchanged(text: &mut String, n: usize, most: usize) {
    if n == 0 {
        return;
    }
    let matrix = exchange(n);
    for (to, row) in matrix.iter().enumerate() {
        let mut sum = String::new();
        for (from, number) in row.iter().enumerate().filter(|(_, number)| **number != 0.0) {
            if from.abs_diff(n) > most {
                continue;
            }
            let is_one = (number - 1.0).abs() < 1e-12;
            sum = match (sum.is_empty(), is_one) {
                (true, true) => format!("v{from}"),
                (true, false) => format!("v{from} * v{from}.lit({number:?})"),
                (false, _) => format!("v{from}.fma(v{from}.lit({number:?}), {sum})"),
            };
        }
        let sum = if sum.is_empty() { "f0.lit(0.0)".into() } else { sum };
        line(text, &format!("let w{to} = {sum};"));
    }
    for at in 0..=2 * n {
        line(text, &format!("let v{at} = w{at};"));
    }
}

/// Matrices of all degrees: what is not 0 of exchanges, as (row, column, number), and the derivatives row by row.
fn constants() -> String {
    let numbers = |matrix: Matrix| matrix.into_iter().flatten().map(|number| format!("{number:?}")).collect::<Vec<_>>();
    let mut text = format!("pub(crate) static EXCHANGES: [&[(u8, u8, f64)]; {}] = [\n", HIGHEST + 1);
    for matrix in (0..=HIGHEST).map(exchange) {
        let of_row = |(k, row): (usize, Vec<f64>)| {
            let numbers = row.into_iter().enumerate().filter(|(_, number)| *number != 0.0);
            numbers.map(|(m, number)| format!("({k}, {m}, {number:?})")).collect::<Vec<_>>()
        };
        let all: Vec<String> = matrix.into_iter().enumerate().flat_map(of_row).collect();
        line(&mut text, &format!("&[{}],", all.join(", ")));
    }
    text += &format!("];\npub(crate) static DERIVATIVES: [&[f64]; {}] = [\n", HIGHEST + 1);
    for matrix in (0..=HIGHEST).map(all_derivatives) {
        line(&mut text, &format!("&[{}],", numbers(matrix).join(", ")));
    }
    text + "];\n"
}
