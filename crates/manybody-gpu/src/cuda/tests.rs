//! Every kernel compiles, without a GPU: NVRTC makes PTX, ptxas (if it is found, or named by PTXAS) machine code.

#![allow(clippy::print_stdout)] // what is skipped is said

use super::blocks::{self, Scheme};
use super::*;
use crate::emit::{Dialect, Form, law_text};
use crate::kernel_config::{self, KernelConfig};
use manybody_law::law;
use manybody_pairwise::{HermiteOrder, Summation};
use std::io::Write;
use std::process::Command;

pub(super) fn ptxas() -> Option<String> {
    let name = std::env::var("PTXAS").unwrap_or("ptxas".into());
    Command::new(&name).arg("--version").output().is_ok_and(|o| o.status.success()).then_some(name)
}

/// What ptxas says of machine code for sm_90.
pub(super) struct Assembled(String);

impl Assembled {
    pub(super) fn of(ptxas: &str, ptx: &str) -> Self {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(ptx.trim_end_matches('\0').as_bytes()).unwrap();
        let out = Command::new(ptxas).args(["-v", "-arch=sm_90", "-o", "/dev/null"]).arg(file.path()).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{said}");
        Assembled(said)
    }

    /// Registers and bytes spilled of the function `name`.
    pub(super) fn function(&self, name: &str) -> (u32, u32) {
        let mut parts = self.0.split("Compiling entry function");
        let mine = parts.find(|part| part.contains(&format!("'{name}'"))).unwrap();
        let number = |before: &str| -> u32 {
            let words: Vec<&str> = mine.split_whitespace().collect();
            let phrase: Vec<&str> = before.split(' ').collect();
            let at = words
                .windows(phrase.len())
                .position(|w| w.iter().zip(&phrase).all(|(w, p)| w.trim_end_matches(',') == *p));
            words[at.unwrap() - 1].parse().unwrap()
        };
        (number("registers"), number("bytes spill stores"))
    }
}

/// The shapes that are chosen for these pairs and sizes, each once.
fn shapes(law: &Law, precision: Precision, sizes: &[(Pairs, usize)]) -> Vec<KernelConfig> {
    let (numbers, results) = (crate::emit::numbers(law.body()), law.cells().len());
    let mut shapes = Vec::new();
    for (pairs, n) in sizes {
        let shape = kernel_config::choose(*pairs, *n, precision == Precision::F64, numbers, results);
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    shapes
}

fn disassembler() -> Option<String> {
    let name = std::env::var("NVDISASM").unwrap_or("nvdisasm".into());
    Command::new(&name).arg("--version").output().is_ok_and(|o| o.status.success()).then_some(name)
}

/// The instructions of the function `name`, for sm_90.
fn machine_code(ptxas: &str, disassembler: &str, ptx: &str, name: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("one.ptx"), folder.path().join("one.cubin"));
    std::fs::write(&from, ptx.trim_end_matches('\0')).unwrap();
    let made = Command::new(ptxas).arg("-arch=sm_90").arg("-o").args([&to, &from]).status().unwrap();
    assert!(made.success());
    let code = Command::new(disassembler).arg(&to).output().unwrap();
    let code = String::from_utf8_lossy(&code.stdout).into_owned();
    let section = format!(".section\t.text.{name},");
    let from = code.find(&section).unwrap_or_else(|| panic!("{section}\n{code}"));
    let length = code[from + 1..].find(".section").unwrap_or(code.len() - from - 1);
    code[from..from + 1 + length].to_owned()
}

fn laws() -> Vec<(Law, bool)> {
    // the laws of gravity are fast paths: they may not spill
    let own = |l: manybody_law::Result<Law>| (l.unwrap(), true);
    vec![
        own(Law::of::<law::Gravity>()),
        own(Law::of::<law::SoftGravity>()),
        own(Law::of::<law::GravityPot>()),
        own(Law::of::<law::SoftGravityPot>()),
        own(Law::of::<law::GravityJerk>()),
        own(Law::of::<law::SoftGravityJerk>()),
        own(Law::of::<law::Gravity>().and_then(|l| l.uniform(&["m"]))),
        own(Law::of::<law::SplineGravity>()),
        own(Law::of::<law::SoftSplineGravityJerk>()),
        (
            Law::parse(
                "body x[3]; id k; argmin near = dot(j.x - i.x, j.x - i.x), j.k; count n = i.k != j.k; self exclude",
            )
            .unwrap(),
            false,
        ),
        (
            Law::parse(
                "body x, y; logsumexp s = -(i.x - j.x)^2; max m = sin(j.y) * exp(i.y); min l = ln(abs(j.y) + 1)",
            )
            .unwrap(),
            false,
        ),
    ]
}

#[test]
fn every_kernel_compiles() {
    if !has_compiler() {
        println!("skipped: CUDA kernels are not compiled, libnvrtc is not found");
        return;
    }
    let ptxas = ptxas();
    for (law, tight) in laws() {
        for precision in [Precision::F32, Precision::F64] {
            let sizes = [Pairs::Ordered, Pairs::Once].map(|pairs| [1000, 20_000, 1_000_000].map(|n| (pairs, n)));
            for shape in shapes(&law, precision, sizes.as_flattened()) {
                let (text, _) = source(&law, precision, shape, true, false, false);
                let ptx = compile(&text, 90).unwrap_or_else(|e| panic!("{} {shape:?}: {e}\n{text}", law.name()));
                let Some(ptxas) = &ptxas else { continue };
                let (registers, spilled) = Assembled::of(ptxas, &ptx).function(shape.entry());
                println!("{} {precision} {shape:?}: {registers} registers, {spilled} bytes spilled", law.name());
                assert!(!tight || spilled == 0, "{} {shape:?}: {spilled} bytes spilled", law.name());
            }
        }
    }
    if ptxas.is_none() {
        println!("skipped: registers and spills are not checked, ptxas is not found");
    }
}

/// Every choice of sums, for gravity as solvers ask for it and where it ends a step. What pairwise summation holds lies in
/// memory by design, which is no spill.
#[test]
fn every_summation_compiles() {
    if !has_compiler() {
        println!("skipped: CUDA kernels are not compiled, libnvrtc is not found");
        return;
    }
    let ptxas = ptxas();
    let laws = [
        Law::of::<law::Gravity>(),
        Law::of::<law::Gravity>().and_then(|l| l.uniform(&["m"])),
        Law::of::<law::SoftGravityPot>(),
    ];
    for law in laws.map(Result::unwrap) {
        let (numbers, results) = (crate::emit::numbers(law.body()), law.cells().len());
        let bags = [Summation::Blocked(Some(100)), Summation::Blocked(Some(256))];
        let sizes = |sum| if sum == Summation::Direct { vec![20_000, 1_000_000] } else { vec![20_000] };
        for (sum, n) in
            Summation::ALL.into_iter().chain(bags).flat_map(|sum| sizes(sum).into_iter().map(move |n| (sum, n)))
        {
            let shape = kernel_config::summed(sum, n, numbers, results);
            for (step, split) in [(false, false), (results == 3, true)] {
                let (text, _) = source(&law, Precision::F32, shape, true, step, split);
                let ptx = compile(&text, 90).unwrap_or_else(|e| panic!("{} {shape:?}: {e}\n{text}", law.name()));
                let Some(ptxas) = &ptxas else { continue };
                let assembled = Assembled::of(ptxas, &ptx);
                for entry in ["summed", "gather"] {
                    let (registers, spilled) = assembled.function(entry);
                    println!("{} {shape:?} {entry}: {registers} registers, {spilled} bytes spilled", law.name());
                    assert_eq!(spilled, 0, "{} {shape:?} {entry}", law.name());
                }
            }
        }
    }
}

/// A term that is added with compensation is seven additions in machine code, also where the compiler may do as it likes:
/// six of two-sum, and the sum of what is lost.
#[test]
fn compensation_is_not_optimised_away() {
    let (true, Some(ptxas), Some(disassembler)) = (has_compiler(), ptxas(), disassembler()) else {
        println!("skipped: additions are not counted in machine code, libnvrtc, ptxas or nvdisasm is not found");
        return;
    };
    let law = Law::parse("body w; sum s = j.w; self include").unwrap();
    let shape = KernelConfig::Summed { sum: Summation::Compensated, per_thread: 1, threads: 64, unroll: 1, split: 0 };
    let (text, _) = source(&law, Precision::F32, shape, true, false, false);
    let kernel = format!(
        "{}\nextern \"C\" __global__ void one(Held* h, const real* term) {{ add(*h, 0, *term, 0, 1); }}\n",
        &text[..text.find("// One-sided with a choice").unwrap()]
    );
    for options in [vec![], vec!["--use_fast_math".to_string()]] {
        let options = cudarc::nvrtc::CompileOptions {
            options: options.into_iter().chain(["--gpu-architecture=compute_90".into()]).collect(),
            ..Default::default()
        };
        let ptx = cudarc::nvrtc::compile_ptx_with_opts(&kernel, options).unwrap().to_src();
        let code = machine_code(&ptxas, &disassembler, &ptx, "one");
        assert_eq!(code.lines().filter(|line| line.contains("FADD")).count(), 7, "{code}");
        assert!(!code.contains("FFMA"), "{code}");
    }
}

/// The kernels of steps: those whose law is gravity's.
/// A kernel whose blocks take their places early reads no memory before the kernel ahead has ended.
fn assert_begins_with_wait(ptx: &str, entry: &str) {
    let text = ptx.split(".entry ").find(|text| text.starts_with(&format!("{entry}("))).unwrap();
    let wait = text.find("griddepcontrol.wait").unwrap();
    let first = text.find("ld.global").unwrap();
    assert!(wait < first, "{entry}: {}", &text[first..wait]);
}

#[test]
fn every_step_compiles() {
    if !has_compiler() {
        println!("skipped: CUDA kernels are not compiled, libnvrtc is not found");
        return;
    }
    let ptxas = ptxas();
    let laws = [Law::of::<law::Gravity>(), Law::of::<law::SoftGravity>()];
    let uniform = Law::of::<law::Gravity>().and_then(|l| l.uniform(&["m"]));
    for law in laws.into_iter().chain([uniform]).map(Result::unwrap) {
        for precision in [Precision::F32, Precision::F64] {
            let sizes =
                [(Pairs::Ordered, 1000), (Pairs::Ordered, 4000), (Pairs::Ordered, 20_000), (Pairs::Once, 20_000)];
            for shape in shapes(&law, precision, &sizes) {
                let (text, _) = source(&law, precision, shape, true, true, false);
                let ptx = compile(&text, 90).unwrap_or_else(|e| panic!("{} {shape:?}: {e}\n{text}", law.name()));
                let early = ptx.contains("griddepcontrol.wait");
                assert_eq!(early, matches!(shape, KernelConfig::Small { .. }), "{shape:?}");
                if early {
                    assert_begins_with_wait(&ptx, shape.entry());
                }
                let Some(ptxas) = &ptxas else { continue };
                let assembled = Assembled::of(ptxas, &ptx);
                for entry in [shape.entry(), "gather", "move"] {
                    let (registers, spilled) = assembled.function(entry);
                    println!("{} {precision} {shape:?} {entry}: {registers} registers, {spilled} spilled", law.name());
                    assert_eq!(spilled, 0, "{} {shape:?} {entry}", law.name());
                }
            }
        }
    }
    compile(super::resident::INTEGRALS, 90).unwrap();
    for scheme in Scheme::all() {
        let three = (blocks::three_kernels::source(scheme), &["predict", "list_active", "sum", "correct"][..]);
        // a body of a thread, and as many as there can be, in one thread block and in clusters
        let of_replicas = [100, 1280, 4096].map(|n| blocks::replicas::Shape::of(scheme, n));
        let of_replicas = of_replicas.into_iter().flatten().map(|shape| (shape.source(), &["blocks"][..]));
        for (text, entries) in [three].into_iter().chain(of_replicas) {
            let ptx = compile(&text, 90).unwrap_or_else(|e| panic!("{scheme:?}: {e}"));
            for entry in entries.iter().filter(|entry| **entry != "blocks") {
                assert_begins_with_wait(&ptx, entry);
            }
            let Some(ptxas) = &ptxas else { continue };
            let assembled = Assembled::of(ptxas, &ptx);
            for entry in entries {
                let (registers, spilled) = assembled.function(entry);
                println!("{scheme:?} {entry}: {registers} registers, {spilled} bytes spilled");
                assert_eq!(spilled, 0, "{scheme:?} {entry}");
            }
        }
    }
    for (scheme, n) in Scheme::in_one_launch().flat_map(|scheme| [(scheme, 1024), (scheme, 32_768)]) {
        let shape = blocks::lines::Shape::of(scheme, n).unwrap();
        let root = if scheme.is_mixed { "MUFU.RSQ " } else { "MUFU.RSQ64H" };
        let ptx = compile(&shape.source(), 90).unwrap_or_else(|e| panic!("{shape:?}: {e}"));
        if let Some(ptxas) = &ptxas {
            let (registers, spilled) = Assembled::of(ptxas, &ptx).function("blocks");
            println!("blocks {shape:?}: {registers} registers, {spilled} bytes spilled");
            // with 512 threads, numbers of the own body are spilled once a block of steps, and nothing in the sums
            let most = match (scheme.order, scheme.is_mixed) {
                _ if shape.threads < 512 => 0,
                (HermiteOrder::Sixth, _) => 256,
                (_, true) => 16,
                _ => 0,
            };
            assert!(spilled <= most && registers <= 65_536 / shape.threads as u32, "{shape:?}: {registers} {spilled}");
            if let Some(disassembler) = disassembler() {
                let code = machine_code(ptxas, &disassembler, &ptx, "blocks");
                let lines: Vec<&str> = code.lines().collect();
                let first = lines.iter().position(|line| line.contains(root)).unwrap();
                let sums = lines[first..].split(|line| line.contains("BAR.SYNC")).next().unwrap();
                let last = sums.iter().rposition(|line| line.contains(root)).unwrap();
                // four pairs at a time, and the rest one by one
                assert!(last > 0, "{shape:?}");
                let spills = |line: &&&str| line.contains("LDL") || line.contains("STL");
                assert_eq!(sums[..last].iter().filter(spills).count(), 0, "{shape:?}");
            }
        }
    }
}

/// Whatever law there is: a few, for each takes seconds.
#[test]
fn kernels_of_random_laws_compile() {
    if !has_compiler() {
        println!("skipped: CUDA kernels of random laws are not compiled, libnvrtc is not found");
        return;
    }
    let random = (0..8).map(|seed| law::conformance::law_from_seed(seed, seed % 2 == 0));
    let infinite = [law::conformance::EXTREMES, law::conformance::NO_PARTNERS].map(String::from);
    for text in random.chain(infinite) {
        let law = Law::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (numbers, results) = (crate::emit::numbers(law.body()), law.cells().len());
        let pairs = if law.has_one_kind() { Pairs::Once } else { Pairs::Ordered };
        for precision in [Precision::F32, Precision::F64] {
            let shape = kernel_config::choose(pairs, 20_000, precision == Precision::F64, numbers, results);
            let (source, _) = source(&law, precision, shape, true, false, precision == Precision::F32);
            compile(&source, 90).unwrap_or_else(|e| panic!("{text}\n{shape:?}: {e}\n{source}"));
        }
    }
}

/// In machine code a pair is what the graph counts: 12 and 28 operations one-sided, 16 and 40 for both bodies, and one
/// reciprocal root. What depends on one body only (3 m) stands beside them here, where there is no loop to take it out of.
#[test]
fn machine_code_has_the_operations_of_the_graph() {
    let (true, Some(ptxas), Some(disassembler)) = (has_compiler(), ptxas(), disassembler()) else {
        println!("skipped: operations are not counted in machine code, libnvrtc, ptxas or nvdisasm is not found");
        return;
    };
    for (law, [one, one_body], [both, two_bodies]) in
        [(Law::of::<law::Gravity>(), [12, 0], [16, 0]), (Law::of::<law::GravityJerk>(), [28, 1], [40, 2])]
    {
        let law = law.unwrap();
        let form = Form { dialect: Dialect::CudaF32, mirrored: true, scales: false, split: false };
        let text = law_text(&law, form).text;
        for (call, want) in
            [("pair(i, j, par, oi)", one + one_body), ("pair_both(i, j, par, oi, oj)", both + two_bodies)]
        {
            let kernel = format!(
                "#define REAL_IS_DOUBLE 0\n#define SELF 0\n{}\n{text}\n\
                 extern \"C\" __global__ void one(const Body* a, const Body* b, real* out PAR_ARGS) {{\n\
                 const Par par = {{ {{ PAR_VALUES }} }};\nconst Body i = *a, j = *b;\nreal oi[NO], oj[NO];\n\
                 for (int k = 0; k < NO; k++) {{ oi[k] = out[k]; oj[k] = out[NO + k]; }}\n{call};\n\
                 for (int k = 0; k < NO; k++) {{ out[k] = oi[k]; out[NO + k] = oj[k]; }}\n}}\n",
                super::source::PRELUDE
            );
            let ptx = compile(&kernel, 90).unwrap_or_else(|e| panic!("{e}\n{kernel}"));
            let code = machine_code(&ptxas, &disassembler, &ptx, "one");
            let count = |names: &[&str]| {
                let names_one =
                    |line: &&str| line.split_whitespace().any(|word| names.iter().any(|n| word.starts_with(n)));
                code.lines().filter(names_one).count()
            };
            let (operations, roots) = (count(&["FADD", "FMUL", "FFMA"]), count(&["MUFU.RSQ"]));
            assert_eq!((operations, roots, count(&["MUFU"])), (want, 1, 1), "{} {call}\n{code}", law.name());
        }
    }
}

/// What one thread counts with stays in registers, whatever the points and bins.
#[test]
fn pairs_by_distance_do_not_spill() {
    let (true, Some(ptxas)) = (has_compiler(), ptxas()) else {
        println!("skipped: registers and spills are not checked, libnvrtc or ptxas is not found");
        return;
    };
    for double in [false, true] {
        for (dimensions, slots, periodic, between) in
            [(1, 1, false, true), (3, 32, false, false), (3, 1024, true, true), (4, 64, true, false)]
        {
            let form = crate::correlation::Form { dimensions, double, periodic, between, slots };
            let kernel = crate::correlation::kernel(form);
            let ptx = compile::compile_as(&kernel.cuda, 90, kernel.rounding).unwrap();
            let (registers, spilled) = Assembled::of(&ptxas, &ptx).function(kernel.entry);
            println!("{form:?}: {registers} registers, {spilled} bytes spilled");
            assert_eq!(spilled, 0, "{form:?}");
        }
    }
}

/// As symmetric.cu lays it out: every record twice, and for several warps a result for every body of the tile.
#[test]
fn shared_memory_holds_the_tile() {
    let shape = |warps| KernelConfig::Symmetric { per_thread: 8, warps, unroll: 1, blocks: 8, chain: 0 };
    assert_eq!(kernel_config::shared_bytes(shape(2), 16, 12), 2 * 512 * 16 + 3 * 512 * 4);
    assert_eq!(kernel_config::shared_bytes(shape(1), 16, 12), 2 * 256 * 16);
    assert_eq!(kernel_config::shared_bytes(KernelConfig::Small { per_block: 4, threads: 256, unroll: 2 }, 16, 12), 0);
}

#[test]
fn shapes_are_read_from_words() {
    let small = "small:p=128:u=2:K=8".parse::<KernelConfig>().unwrap();
    assert_eq!(small, KernelConfig::Small { per_block: 8, threads: 128, unroll: 2 });
    let direct = KernelConfig::Direct { per_thread: 2, threads: 256, unroll: 8, bag: 16, split: 3 };
    assert_eq!("direct:p=256:K=2:q=3".parse::<KernelConfig>().unwrap(), direct);
    let symmetric = KernelConfig::Symmetric { per_thread: 4, warps: 1, unroll: 2, blocks: 24, chain: 2 };
    assert_eq!("symmetric:warps=1:u=2:K=4:blocks=24:chain=2".parse::<KernelConfig>().unwrap(), symmetric);
    for wrong in ["", "square", "small:q=2", "direct:p=7", "direct:K=0", "direct:K", "direct:K=x", "symmetric:warps=99"]
    {
        let error = wrong.parse::<KernelConfig>().unwrap_err().to_string();
        assert!(error.contains("solver"), "{wrong}: {error}");
    }
}

#[test]
fn a_kernel_that_does_not_compile_is_an_error() {
    if !has_compiler() {
        println!("skipped: libnvrtc is not found");
        return;
    }
    let error = compile("extern \"C\" __global__ void broken( { }", 90).unwrap_err().to_string();
    assert!(error.contains("the kernel does not compile") && error.contains("error"), "{error}");
}

/// A device, if there is one.
pub(super) fn device() -> Option<std::sync::Arc<Cuda>> {
    let found = Cuda::open(0).ok().filter(|_| has_compiler());
    if found.is_none() {
        println!("skipped: device cuda: {HOW}");
    }
    found
}

/// More shared memory than a multiprocessor has.
#[test]
fn a_kernel_that_cannot_start_is_an_error() {
    let Some(cuda) = device() else { return };
    let shape = "symmetric:warps=8:K=16:u=1:blocks=1".parse::<KernelConfig>().unwrap();
    let law = Law::of::<law::GravityJerk>().unwrap();
    let x: Vec<f64> = (0..100).map(f64::from).collect();
    let columns = vec![x.as_slice(); crate::emit::numbers(law.body())];
    let inputs = manybody_law::law::PairInputs::one(&columns, &[0.1]);
    let error = CudaEvaluator::<f64>::new(cuda, &law, Pairs::Once).with_shape(shape).evaluate(&inputs).unwrap_err();
    assert!(matches!(error, manybody_law::Error::Device { device: "cuda", .. }), "{error}");
}

/// The kernels that read and write arrays of others.
#[test]
fn the_kernels_of_arrays_compile() {
    if !has_compiler() {
        println!("skipped: CUDA kernels are not compiled, libnvrtc is not found");
        return;
    }
    let ptx = compile::compile_as(arrays::TEXT, 90, crate::compute::Rounding::AsWritten).unwrap();
    let Some(ptxas) = ptxas() else {
        println!("skipped: registers and spills are not checked, ptxas is not found");
        return;
    };
    for entry in ["survey", "take_f32", "take_f64", "deliver", "apart"] {
        let (registers, spilled) = Assembled::of(&ptxas, &ptx).function(entry);
        println!("arrays {entry}: {registers} registers, {spilled} bytes spilled");
        assert_eq!(spilled, 0, "{entry}");
    }
}

/// The kernels of particles that are predicted on the device.
#[test]
fn the_kernels_of_particles_compile() {
    if !has_compiler() {
        println!("skipped: CUDA kernels are not compiled, libnvrtc is not found");
        return;
    }
    let ptx = compile(super::particles::TEXT, 90).unwrap();
    let Some(ptxas) = ptxas() else {
        println!("skipped: registers and spills are not checked, ptxas is not found");
        return;
    };
    for entry in ["set_particles", "predict", "pull", "add_shares"] {
        let (registers, spilled) = Assembled::of(&ptxas, &ptx).function(entry);
        println!("particles {entry}: {registers} registers, {spilled} bytes spilled");
        assert_eq!(spilled, 0, "{entry}");
    }
}
