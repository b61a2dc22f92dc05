//! The two languages, and the number types in which they compute.

use manybody_law::law::Function;
use std::fmt::Write;

/// A language and its number type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// WGSL, f32.
    Wgsl,
    /// CUDA C++, float.
    CudaF32,
    /// CUDA C++, double.
    CudaF64,
}

use Dialect::{CudaF32, CudaF64, Wgsl};

/// e^x - 1: near 0 by its series, where nothing cancels that a compiler could regroup.
const WGSL_EXPM1: &str = "\
fn m_expm1(x: f32) -> f32 {
    let p = fma(fma(fma(fma(fma(fma(fma(2.7557319e-6f, x, 2.4801587e-5f), x, 1.9841270e-4f), x, 1.3888889e-3f), x,
        8.3333333e-3f), x, 4.1666667e-2f), x, 0.16666667f), x, 0.5f);
    return select(exp(x) - 1.0f, fma(x * x, p, x), abs(x) < 0.5f);
}
";
/// ln(1 + x): between -1/2 and 1 as 2 artanh(x / (2 + x)).
const WGSL_LOG1P: &str = "\
fn m_log1p(x: f32) -> f32 {
    let near = x > -0.5f && x < 1.0f;
    let y = select(0.0f, x, near);
    let s = y / (2.0f + y);
    let z = s * s;
    let p = fma(fma(fma(fma(fma(fma(fma(0.058823529f, z, 0.066666667f), z, 0.076923077f), z, 0.090909091f), z,
        0.11111111f), z, 0.14285714f), z, 0.2f), z, 0.33333333f);
    return select(log(1.0f + x), fma(2.0f * s * z, p, 2.0f * s), near);
}
";

impl Dialect {
    /// The number type's name.
    pub fn real(self) -> &'static str {
        match self {
            Wgsl => "f32",
            CudaF32 | CudaF64 => "real",
        }
    }

    pub(super) fn mask(self) -> &'static str {
        "bool"
    }

    /// A constant's declaration.
    pub(super) fn constant(self, kind: &str, name: &str) -> String {
        match self {
            Wgsl => format!("let {name}: {kind}"),
            CudaF32 | CudaF64 => format!("const {kind} {name}"),
        }
    }

    /// A literal; what f32 has no room for is infinite there, as on the CPU. WGSL has no infinity and its compilers may
    /// assume that no number is infinite: it is made of bits and a number, 0, that is known only when the kernel runs.
    pub(super) fn literal(self, c: f64) -> String {
        let sign = if c < 0.0 { "-" } else { "" };
        match self {
            CudaF64 if c.is_nan() => "__longlong_as_double(0x7ff8000000000000ll)".into(),
            CudaF32 if c.is_nan() => "__int_as_float(0x7fc00000)".into(),
            Wgsl if c.is_nan() => "bitcast<f32>(0x7fc00000u ^ zero_word())".into(),
            CudaF64 if c.is_infinite() => format!("{sign}__longlong_as_double(0x7ff0000000000000ll)"),
            CudaF32 if (c as f32).is_infinite() => format!("{sign}__int_as_float(0x7f800000)"),
            Wgsl if (c as f32).is_infinite() => {
                format!("bitcast<f32>({:#x}u ^ zero_word())", (c as f32).to_bits())
            }
            CudaF64 => format!("{c:?}"),
            Wgsl | CudaF32 => format!("{:?}f", c as f32),
        }
    }

    /// x, or 0 where it is infinite; by its bits, for compilers of WGSL may assume that there are no infinities.
    pub(super) fn finite_or_zero(self, x: &str) -> String {
        match self {
            Wgsl => format!("select(0.0f, {x}, (bitcast<u32>({x}) & 0x7f800000u) != 0x7f800000u)"),
            CudaF32 | CudaF64 => format!("m_finite({x}) ? {x} : 0"),
        }
    }

    /// Functions that the text of a law calls and its language lacks.
    pub(crate) fn missing_functions(self, text: &str) -> String {
        let missing = [("m_expm1(", WGSL_EXPM1), ("m_log1p(", WGSL_LOG1P)];
        let called = missing.iter().filter(|(name, _)| self == Wgsl && text.contains(name));
        called.map(|(_, function)| *function).collect()
    }

    pub(super) fn input_i(self, slot: usize) -> String {
        match self {
            Wgsl => format!("i{slot}"),
            // rotated within its four numbers, so that x_j and x_i fall into different register banks
            CudaF32 | CudaF64 => format!("i.f[ROTATED({slot})]"),
        }
    }

    pub(super) fn input_j(self, slot: usize) -> String {
        match self {
            Wgsl => format!("j{slot}"),
            CudaF32 | CudaF64 => format!("j.f[{slot}]"),
        }
    }

    pub(super) fn parameter(self, slot: usize) -> String {
        match self {
            Wgsl => format!("par.p{slot}"),
            CudaF32 | CudaF64 => format!("par.p[{slot}]"),
        }
    }

    pub(super) fn result(self, side: usize, slot: usize) -> String {
        let side = ["oi", "oj"][side];
        match self {
            Wgsl => format!("(*{side}{slot})"),
            CudaF32 | CudaF64 => format!("{side}[{slot}]"),
        }
    }

    pub(super) fn accumulator(self, k: usize) -> String {
        match self {
            Wgsl => format!("(*a{k})"),
            CudaF32 | CudaF64 => format!("a[{k}]"),
        }
    }

    pub(super) fn contribution(self, k: usize) -> String {
        match self {
            Wgsl => format!("b{k}"),
            CudaF32 | CudaF64 => format!("b[{k}]"),
        }
    }

    pub(super) fn divide(self, a: &str, b: &str) -> String {
        format!("{a} / ({b})")
    }

    pub(super) fn fma(self, a: &str, b: &str, c: &str) -> String {
        format!("fma({a}, {b}, {c})")
    }

    pub(super) fn min(self, a: &str, b: &str) -> String {
        format!("min({a}, {b})")
    }

    pub(super) fn max(self, a: &str, b: &str) -> String {
        format!("max({a}, {b})")
    }

    pub(super) fn select(self, mask: &str, yes: &str, no: &str) -> String {
        match self {
            Wgsl => format!("select({no}, {yes}, {mask})"),
            CudaF32 | CudaF64 => format!("{mask} ? {yes} : {no}"),
        }
    }

    pub(super) fn exp(self, x: &str) -> String {
        self.call(Function::Exp, x)
    }

    /// A function of one number. In CUDA the prelude chooses the instruction.
    pub(crate) fn call(self, f: Function, x: &str) -> String {
        let name = match (f, self) {
            (Function::Recip, Wgsl) => return format!("1.0f / ({x})"),
            (Function::Rsqrt, Wgsl) => "inverseSqrt",
            (Function::Ln, Wgsl) => "log",
            (Function::Round, Wgsl) => "round",
            (Function::Recip, _) => "m_recip",
            (Function::Rsqrt, _) => "m_rsqrt",
            (Function::Sqrt, CudaF32 | CudaF64) => "m_sqrt",
            (Function::Exp, CudaF32 | CudaF64) => "m_exp",
            (Function::Exp2, CudaF32 | CudaF64) => "m_exp2",
            (Function::Ln, _) => "m_log",
            (Function::ExpM1, _) => "m_expm1",
            (Function::Ln1p, _) => "m_log1p",
            (Function::Abs, CudaF32 | CudaF64) => "m_abs",
            (Function::Round, _) => "m_round",
            (Function::Sqrt, _) => "sqrt",
            (Function::Exp, _) => "exp",
            (Function::Exp2, _) => "exp2",
            (Function::Sin, _) => "sin",
            (Function::Cos, _) => "cos",
            (Function::Abs, _) => "abs",
        };
        format!("{name}({x})")
    }

    /// The sizes of records; in CUDA also the records.
    pub(super) fn sizes(self, text: &mut String, i: usize, j: usize, results: usize, parameters: usize) {
        match self {
            Wgsl => {
                let members: String = (0..parameters).map(|k| format!("    p{k}: f32,\n")).collect();
                let _ = writeln!(
                    text,
                    "const QUADS: u32 = {}u;\nconst NO: u32 = {results}u;\nstruct Par {{\n{members}    unused: f32,\n}}",
                    i.max(j).max(1).div_ceil(4)
                );
            }
            CudaF32 | CudaF64 => {
                let quads = i.max(j).max(1).div_ceil(4);
                let arguments: String = (0..parameters).map(|k| format!(", const real p{k}")).collect();
                let values: Vec<String> =
                    (0..parameters.max(1)).map(|k| if k < parameters { format!("p{k}") } else { "0".into() }).collect();
                let _ = writeln!(
                    text,
                    "#define NF {}\n#define NO {}\n#define NP {}\n#define PAR_ARGS {arguments}\n#define PAR_VALUES {}",
                    4 * quads,
                    results,
                    parameters.max(1),
                    values.join(", ")
                );
                text.push_str("struct alignas(16) Body { real f[NF]; };\nstruct Par { real p[NP]; };\n");
            }
        }
    }

    /// The pair function. WGSL has no arrays in registers that can be relied upon: every number is a parameter.
    pub(super) fn function(self, text: &mut String, name: &str, both: bool, sizes: [usize; 3], statements: &str) {
        let [i, j, results] = sizes;
        let _ = match self {
            Wgsl => {
                let numbers = |side: &str, n: usize| (0..n).map(|k| format!("{side}{k}: f32, ")).collect::<String>();
                let (i, j, oi) = (numbers("i", i), numbers("j", j), pointers("oi", results));
                let oj = if both { pointers("oj", results) } else { String::new() };
                writeln!(text, "fn {name}({i}{j}{oi}{oj}) {{\n{statements}}}")
            }
            CudaF32 | CudaF64 => {
                let second = if both { ", real (&oj)[NO]" } else { "" };
                writeln!(
                    text,
                    "static __device__ __forceinline__ void {name}(const Body& i, const Body& j, const Par& par, \
                     real (&oi)[NO]{second}) {{\n{statements}}}"
                )
            }
        };
    }

    /// The functions that begin and combine results. In CUDA they serve two types: sums are gathered in double.
    pub(super) fn start_and_merge(self, text: &mut String, results: usize, [start, merge, exactly]: [&str; 3]) {
        let _ = match self {
            Wgsl => {
                let a = pointers("a", results);
                let b: String = (0..results).map(|k| format!("b{k}: f32, ")).collect();
                let lost = pointers("lost", results);
                writeln!(
                    text,
                    "fn start({a}) {{\n{start}}}\nfn merge({a}{b}) {{\n{merge}}}\n\
                     fn opaque(x: f32, zero: u32) -> f32 {{\n    return bitcast<f32>(bitcast<u32>(x) ^ zero);\n}}\n\
                     fn merge_exactly(zero: u32, {a}{lost}{b}) {{\n{exactly}}}"
                )
            }
            CudaF32 | CudaF64 => {
                let head = "template <class R> static __device__ __forceinline__ void";
                writeln!(
                    text,
                    "{head} start(R (&a)[NO]) {{\n{start}}}\n{head} merge(R (&a)[NO], const R (&b)[NO]) {{\n{}}}",
                    merge.replace("const real ", "const R ")
                )
            }
        };
    }
}

fn pointers(name: &str, n: usize) -> String {
    (0..n).map(|k| format!("{name}{k}: ptr<function, f32>, ")).collect()
}
