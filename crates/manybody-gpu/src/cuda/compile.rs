//! NVRTC, loaded at run time: compiles source text to machine code, or to PTX.

// NVRTC's interface is unsafe by nature; each call says why it is sound
#![allow(unsafe_code)]

use super::cache;
use crate::compute::Rounding;
use cudarc::nvrtc::{Ptx, result, sys};
use manybody_law::{Error, Result};
use std::ffi::{CStr, CString};

/// Whether NVRTC can be loaded here.
pub fn has_compiler() -> bool {
    // SAFETY: only looks whether a library of that name can be loaded
    unsafe { sys::is_culib_present() }
}

/// PTX of a source for compute capability `arch`, 90 for 9.0.
///
/// # Errors
/// [`Error::Device`] if NVRTC cannot be loaded, or refuses the text: with its log.
pub fn compile(source: &str, arch: i32) -> Result<String> {
    compile_as(source, arch, Rounding::Fast)
}

/// [`compile`], with a choice how the kernel rounds.
pub(crate) fn compile_as(source: &str, arch: i32, rounding: Rounding) -> Result<String> {
    let ptx = Program::compile(source, Form::Ptx(arch), rounding)?.ptx()?;
    Ok(String::from_utf8_lossy(&ptx).into_owned())
}

/// The kernels of a source for a GPU of compute capability `arch`. They are kept on disk, and found there the next time.
pub(crate) fn kernels(source: &str, arch: i32, rounding: Rounding) -> Result<Ptx> {
    let form = Form::of(arch);
    let compiled = || {
        let program = Program::compile(source, form, rounding)?;
        match form {
            Form::MachineCode(_) => program.machine_code(),
            Form::Ptx(_) => program.ptx(),
        }
    };
    let image = match cache::folder().filter(|_| has_compiler()) {
        None => compiled()?,
        Some(folder) => {
            let (major, minor) = version();
            let (options, own) = (options(form, rounding).join(" "), env!("CARGO_PKG_VERSION"));
            let name = cache::name(&[&format!("NVRTC {major}.{minor}, {options}, manybody {own}"), source]);
            match cache::get(&folder, &name) {
                Some(image) => image,
                None => {
                    let image = compiled()?;
                    cache::keep(&folder, &name, &image);
                    image
                }
            }
        }
    };
    Ok(match form {
        Form::MachineCode(_) => Ptx::from_binary(image),
        Form::Ptx(_) => Ptx::from_src(String::from_utf8_lossy(&image).into_owned()),
    })
}

/// What NVRTC makes of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Code for GPUs of one compute capability, which the driver loads as it is.
    MachineCode(i32),
    /// For this compute capability and later ones: the driver compiles it, in each process again if it keeps no cache.
    Ptx(i32),
}

impl Form {
    /// What is best for a GPU of compute capability `arch`: machine code, if NVRTC knows that capability. For a GPU later
    /// than NVRTC, PTX of the last capability that it knows.
    fn of(arch: i32) -> Self {
        let known = if has_compiler() && version() >= (11, 2) { architectures() } else { Vec::new() };
        if known.contains(&arch) {
            return Form::MachineCode(arch);
        }
        Form::Ptx(known.into_iter().filter(|known| *known < arch).max().unwrap_or(arch))
    }

    fn architecture(self) -> String {
        match self {
            Form::MachineCode(arch) => format!("sm_{arch}"),
            Form::Ptx(arch) => format!("compute_{arch}"),
        }
    }
}

/// NVRTC's version, (0, 0) if it does not say.
pub(super) fn version() -> (i32, i32) {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: writes two integers
    let _ = unsafe { sys::nvrtcVersion(&mut major, &mut minor) };
    (major, minor)
}

/// The compute capabilities that NVRTC knows, from 11.2 on.
fn architectures() -> Vec<i32> {
    let mut count = 0;
    // SAFETY: writes one integer
    if unsafe { sys::nvrtcGetNumSupportedArchs(&mut count) }.result().is_err() {
        return Vec::new();
    }
    let mut all = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: writes as many integers as it said
    match unsafe { sys::nvrtcGetSupportedArchs(all.as_mut_ptr()) }.result() {
        Ok(()) => all,
        Err(_) => Vec::new(),
    }
}

fn options(form: Form, rounding: Rounding) -> Vec<String> {
    let strict = rounding == Rounding::AsWritten;
    vec![
        format!("--ftz={}", !strict),
        format!("--prec-sqrt={strict}"),
        format!("--prec-div={strict}"),
        format!("--fmad={}", !strict),
        format!("--gpu-architecture={}", form.architecture()),
        "--std=c++17".into(),
    ]
}

/// A program of NVRTC that is compiled.
struct Program(sys::nvrtcProgram);

impl Program {
    fn compile(source: &str, form: Form, rounding: Rounding) -> Result<Self> {
        if !has_compiler() {
            return Err(Error::NoDevice {
                device: "cuda",
                how: "libnvrtc is not found: install NVIDIA's CUDA toolkit, or the Python wheel nvidia-cuda-nvrtc and \
                      add its lib folder to LD_LIBRARY_PATH"
                    .into(),
            });
        }
        let text = CString::new(source).map_err(|_| problem("the kernel's text has a zero byte"))?;
        let program = Program(result::create_program(&text, None).map_err(nvrtc)?);
        // SAFETY: the program was made and is not destroyed
        unsafe { result::compile_program(program.0, &options(form, rounding)) }
            .map_err(|error| problem(&program.log().unwrap_or_else(|| format!("NVRTC: {error:?}"))))?;
        Ok(program)
    }

    /// Why it did not compile.
    fn log(&self) -> Option<String> {
        // SAFETY: the program was compiled, in vain
        let log = unsafe { result::get_program_log(self.0) }.ok()?;
        // SAFETY: NVRTC ends its log with a zero
        let log = unsafe { CStr::from_ptr(log.as_ptr()) };
        Some(format!("the kernel does not compile: {}", log.to_string_lossy()))
    }

    /// Its text, without the zero at the end.
    fn ptx(&self) -> Result<Vec<u8>> {
        // SAFETY: the program is compiled
        let ptx = unsafe { result::get_ptx(self.0) }.map_err(nvrtc)?;
        Ok(ptx.into_iter().map(|byte| byte as u8).take_while(|byte| *byte != 0).collect())
    }

    fn machine_code(&self) -> Result<Vec<u8>> {
        let mut size = 0;
        // SAFETY: the program is compiled; writes one integer
        unsafe { sys::nvrtcGetCUBINSize(self.0, &mut size) }.result().map_err(nvrtc)?;
        let mut code = vec![0_u8; size];
        // SAFETY: writes as many bytes as it said
        unsafe { sys::nvrtcGetCUBIN(self.0, code.as_mut_ptr().cast()) }.result().map_err(nvrtc)?;
        Ok(code)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program was made and is not used again
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

fn problem(what: &str) -> Error {
    Error::Device { device: "cuda", problem: what.into() }
}

fn nvrtc(error: result::NvrtcError) -> Error {
    problem(&format!("NVRTC: {error:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "extern \"C\" __global__ void nothing() {}";

    /// A GPU that NVRTC knows gets machine code, a later one PTX.
    #[test]
    fn kernels_are_machine_code_where_nvrtc_knows_the_gpu() {
        if !has_compiler() {
            return;
        }
        assert_eq!(Form::of(90), Form::MachineCode(90));
        let last = *architectures().iter().max().unwrap();
        assert_eq!(Form::of(last + 100), Form::Ptx(last));
        let code = Program::compile(SOURCE, Form::of(90), Rounding::Fast).unwrap().machine_code().unwrap();
        assert!(code.starts_with(b"\x7fELF"));
        let later = Program::compile(SOURCE, Form::of(last + 100), Rounding::Fast).unwrap().ptx().unwrap();
        assert!(String::from_utf8(later).unwrap().contains("nothing"));
        kernels(SOURCE, last + 100, Rounding::Fast).unwrap();
        let error = Program::compile("__global__ void f( {", Form::of(90), Rounding::Fast).err().unwrap();
        assert!(error.to_string().contains("the kernel does not compile"), "{error}");
    }
}
