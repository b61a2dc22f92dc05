//! Time and memory are bounded by the size of the input: texts and files of a megabyte, made to be awkward, are read or
//! refused about as fast as harmless ones.

use manybody::law::Law;
use manybody::pairs::read_npy_bytes;
use manybody::snapshot::{ColumnOrder, ReadOptions, read_bytes};
use manybody::units::{Dimension, Units, parse_quantity};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Each takes some hundredths of a second; a quadratic algorithm takes minutes for a megabyte.
const LONGEST: Duration = Duration::from_secs(4);
const SIZE: usize = 1 << 20;

fn in_time(what: &str, call: impl FnOnce()) {
    let start = Instant::now();
    call();
    let took = start.elapsed();
    assert!(took < LONGEST, "{what}: {took:?}");
}

fn numbered(n: usize, one: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut text, k| {
        let _ = write!(text, "{}", one(k));
        text
    })
}

#[test]
fn snapshots() {
    let header = "mass,x,y,z,vx,vy,vz";
    let row = "1,0,0,0,0,0,0";
    let [m, x, v] = ["mass [kg]", "x [m]", "vx [m/s]"];
    let hand = format!("{m},{x},y [m],z [m],{v},vy [m/s],vz [m/s]");
    let cases = [
        ("csv", ",".repeat(SIZE)),
        ("csv", format!("{header}{}\n{row}{}\n", numbered(90_000, |k| format!(",c{k}")), ",1".repeat(90_000))),
        ("csv", format!("{header}{}\n{row}{}\n", ",c".repeat(90_000), ",1".repeat(90_000))),
        // spellings of one dimension, each with a unit of its own
        (
            "csv",
            format!(
                "{hand}{}\n{row}{}\n",
                numbered(60_000, |k| format!(",r_{:016b} [km]", k).replace('0', "_").replace('1', "")),
                ",1".repeat(60_000)
            ),
        ),
        ("csv", format!("{hand}{}\n{row}{}\n", numbered(60_000, |k| format!(",ho{k} [km]")), ",1".repeat(60_000))),
        ("csv", numbered(60_000, |k| format!("# meta \"{k}\" = \"v\"\n")) + header),
        ("csv", "# units = ".repeat(SIZE / 10)),
        ("csv", format!("{header}\n\"{}", "1,".repeat(SIZE / 2))),
        ("csv", format!("{header}\n{}", "\n".repeat(SIZE))),
        ("csv", format!("{header}\n{}\n", "9".repeat(SIZE))),
        ("txt", "1 ".repeat(SIZE / 2)),
        ("txt", "#\n".repeat(SIZE / 2) + "1 2 3 4 5 6 7\n"),
        ("txt", format!("0.{} 0 0 0 0 0 0\n", "0".repeat(SIZE))),
        ("nemo", "\u{1}".repeat(SIZE)),
        ("tipsy", "\0".repeat(SIZE)),
        ("hdf5", format!("\u{89}HDF\r\n\u{1a}\n{}", "\0".repeat(SIZE))),
        ("", "x".repeat(SIZE)),
        ("", "1,".repeat(SIZE / 2)),
    ];
    for (k, (extension, text)) in cases.into_iter().enumerate() {
        // whatever comes of it
        let options = ReadOptions { columns: Some(ColumnOrder::MassFirst), ..ReadOptions::default() };
        in_time(&format!("case {k}, {extension}"), || {
            drop(read_bytes(format!("in.{extension}"), text.into(), &options))
        });
    }
}

/// NEMO's sets nest: `(` opens, `)` closes.
#[test]
fn nested_sets() {
    let open = [0x0992_u16.to_le_bytes().as_slice(), b"(\0a\0"].concat();
    let bytes = open.repeat(SIZE / open.len());
    in_time("nested sets", || drop(read_bytes("in.nemo", bytes, &ReadOptions::default())));
}

#[test]
fn laws() {
    let begin = "body x[3], m; d = j.x - i.x; sum a = j.m";
    let long = |piece: &str| format!("{begin}{}", piece.repeat((60_000 - begin.len()) / piece.len()));
    for (k, text) in [
        long("*m"),
        long(" + j.m"),
        long("*(j.m"),
        long("*sqrt(j.m)"),
        long("^2"),
        long("; sum b = j.m"),
        format!("{begin}; {}", numbered(4000, |k| format!("v{} = j.m + i.m*{k}; ", k))),
        // twice as many operations in every line
        format!("body x; v0 = j.x - i.x; {} sum a = v60", numbered(60, |k| format!("v{} = v{k}*v{k} + v{k}; ", k + 1))),
        format!("body x[3]; {}", numbered(9000, |k| format!("param p{k};"))),
        long("?"),
        "(".repeat(60_000),
        "#define a b\n".repeat(5_000),
        "VMPINPUT".repeat(7_000),
    ]
    .into_iter()
    .enumerate()
    {
        in_time(&format!("law {k}"), || drop(Law::parse(&text)));
    }
}

#[test]
fn quantities_and_arrays() {
    for text in ["1".repeat(SIZE), "1/".repeat(SIZE / 2), format!("1 {}", "pc ".repeat(SIZE / 3)), " ".repeat(SIZE)] {
        in_time("quantity", || drop(parse_quantity(&text, Dimension::LENGTH, &Units::si())));
        in_time("units", || drop(Units::by_name(&text)));
    }
    let array = |header: &str, data: usize| {
        let size = (header.len() as u32).to_le_bytes();
        [b"\x93NUMPY\x02\0".as_slice(), &size, header.as_bytes(), &vec![0; data]].concat()
    };
    for (shape, data) in
        [("(0, 1000000)", 0), ("(1, 131072)", SIZE), ("(131072,)", SIZE), ("(18446744073709551615,)", 0)]
    {
        let bytes = array(&format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}"), data);
        in_time(shape, || drop(read_npy_bytes("in.npy", &bytes)));
    }
    let bytes = array(&"'".repeat(SIZE), 0);
    in_time("a long header", || drop(read_npy_bytes("in.npy", &bytes)));
}
