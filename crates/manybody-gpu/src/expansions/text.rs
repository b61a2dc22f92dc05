//! The text of operators in CUDA C++ or WGSL.
//!
//! Statements are given in what both languages share: `const real a = ...;`, `real a = ...;`, assignments, calls of `m_fma`,
//! `m_rsqrt`, `max` and `pow`, `real(1.5)`, and numbers of arrays by a constant index, `L[3]`. WGSL has no pointers into memory of the
//! device that functions could take: there a record is the place of its first four numbers in the array `numbers`.

use std::fmt::Write as _;

/// The languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    Cuda,
    Wgsl,
}

/// What an operator takes, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// A number.
    Number(&'static str),
    /// So many numbers in the memory of the device, which are read.
    Record(&'static str, usize),
    /// Numbers in the memory of the device, which are changed: in CUDA in registers or in shared memory.
    Kept(&'static str),
    /// So many numbers of the thread.
    Own(&'static str, usize),
    /// The same, which are read.
    Taken(&'static str, usize),
}

use Argument::{Kept, Number, Own, Record, Taken};

impl Argument {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Number(name) | Record(name, _) | Kept(name) | Own(name, _) | Taken(name, _) => name,
        }
    }
}

/// A text that is written.
pub(super) struct Text {
    language: Language,
    out: String,
    /// The arrays of the operator that is open.
    arrays: Vec<Argument>,
}

impl Text {
    pub(super) fn new(language: Language) -> Self {
        Text { language, out: String::new(), arrays: Vec::new() }
    }

    pub(super) fn language(&self) -> Language {
        self.language
    }

    pub(super) fn into_string(self) -> String {
        self.out
    }

    /// A whole number by name.
    pub(super) fn size(&mut self, name: &str, value: usize) {
        let _ = match self.language {
            Language::Cuda => writeln!(self.out, "#define {name} {value}"),
            Language::Wgsl => writeln!(self.out, "const {name}: u32 = {value}u;"),
        };
    }

    /// A number by name.
    pub(super) fn real(&mut self, name: &str, value: f32) {
        let _ = match self.language {
            Language::Cuda => writeln!(self.out, "#define {name} {value:?}f"),
            Language::Wgsl => writeln!(self.out, "const {name}: f32 = {value:?}f;"),
        };
    }

    /// Begins an operator.
    pub(super) fn open(&mut self, name: &str, arguments: &[Argument]) {
        self.begin(name, arguments, None);
    }

    /// Begins an operator that returns a number.
    pub(super) fn open_value(&mut self, name: &str, arguments: &[Argument]) {
        self.begin(name, arguments, Some("real"));
    }

    fn begin(&mut self, name: &str, arguments: &[Argument], returned: Option<&str>) {
        self.arrays = arguments.to_vec();
        let argument = |argument: &Argument| match (self.language, argument) {
            (Language::Cuda, Number(name)) => format!("real {name}"),
            (Language::Cuda, Record(name, _) | Taken(name, _)) => format!("const real *{name}"),
            (Language::Cuda, Kept(name) | Own(name, _)) => format!("real *{name}"),
            (Language::Wgsl, Number(name)) => format!("{name}: f32"),
            (Language::Wgsl, Record(name, _) | Kept(name)) => format!("{name}: u32"),
            (Language::Wgsl, Own(name, numbers) | Taken(name, numbers)) => {
                format!("{name}: ptr<function, array<f32, {numbers}>>")
            }
        };
        let list = arguments.iter().map(argument).collect::<Vec<_>>().join(", ");
        let _ = match self.language {
            Language::Cuda => {
                let returned = returned.unwrap_or("void");
                writeln!(self.out, "static __device__ __forceinline__ {returned} {name}({list}) {{")
            }
            Language::Wgsl => {
                let returned = returned.map_or_else(String::new, |returned| format!(" -> {returned}"));
                writeln!(self.out, "fn {name}({list}){returned} {{")
            }
        };
        if self.language == Language::Wgsl {
            for argument in arguments {
                let Record(name, numbers) = argument else { continue };
                for quad in 0..numbers.div_ceil(4) {
                    let _ = writeln!(self.out, "    let {name}_{quad} = numbers[{name} + {quad}u];");
                }
            }
        }
    }

    /// Begins operators in f32 among others in f64: in CUDA in a namespace of that name.
    pub(super) fn open_single(&mut self) {
        self.out.push_str("namespace single {\ntypedef float real;\n");
        self.out.push_str("static __device__ __forceinline__ float m_rsqrt(float x) { return rsqrtf(x); }\n");
    }

    /// Ends these.
    pub(super) fn close_single(&mut self) {
        self.out.push_str("} // namespace single\n");
    }

    /// Ends an operator.
    pub(super) fn close(&mut self) {
        self.out.push_str("}\n");
    }

    /// A statement.
    pub(super) fn line(&mut self, statement: &str) {
        let _ = match self.language {
            Language::Cuda => writeln!(self.out, "    {statement}"),
            Language::Wgsl => writeln!(self.out, "    {}", self.in_wgsl(statement)),
        };
    }

    fn in_wgsl(&self, statement: &str) -> String {
        if let Some(rest) = statement.strip_prefix("const real ") {
            return format!("let {}", self.with_arrays(rest));
        }
        if let Some(rest) = statement.strip_prefix("real ") {
            return format!("var {}", self.with_arrays(rest));
        }
        self.with_arrays(statement)
    }

    /// With every `name[k]` as WGSL has it.
    fn with_arrays(&self, statement: &str) -> String {
        let mut out = String::new();
        let mut rest = statement;
        while let Some(at) = rest.find('[') {
            let (before, after) = rest.split_at(at);
            let index = after[1..].split(']').next().unwrap_or_default();
            let known = self.arrays.iter().find_map(|array| match array {
                Number(_) => None,
                Record(name, _) | Kept(name) | Own(name, _) | Taken(name, _) => {
                    before.ends_with(name).then_some((array, *name))
                }
            });
            let (Some((array, name)), Ok(k)) = (known, index.parse::<usize>()) else { break };
            out.push_str(&before[..before.len() - name.len()]);
            let (quad, component) = (k / 4, ["x", "y", "z", "w"][k % 4]);
            out.push_str(&match array {
                Record(..) => format!("{name}_{quad}.{component}"),
                Kept(_) => format!("numbers[{name} + {quad}u].{component}"),
                _ => format!("(*{name})[{k}]"),
            });
            rest = &after[index.len() + 2..];
        }
        out + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_in_wgsl() {
        let mut text = Text::new(Language::Wgsl);
        text.open("f", &[Number("x"), Record("given", 5), Own("M", 7), Kept("L")]);
        text.line("const real a = given[4] * x;");
        text.line("M[6] = m_fma(a, given[1], M[6]);");
        text.line("L[2] += real(1.5);");
        text.close();
        let expected = "fn f(x: f32, given: u32, M: ptr<function, array<f32, 7>>, L: u32) {\n    \
             let given_0 = numbers[given + 0u];\n    let given_1 = numbers[given + 1u];\n    \
             let a = given_1.x * x;\n    (*M)[6] = m_fma(a, given_0.y, (*M)[6]);\n    \
             numbers[L + 0u].z += real(1.5);\n}\n";
        assert_eq!(text.into_string(), expected);
    }
}
