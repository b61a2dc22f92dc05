//! NVRTC, loaded at run time: compiles source text to PTX.

use super::cache;
use crate::compute::Rounding;
use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};
use manybody_law::{Error, Result};

/// Whether NVRTC can be loaded here.
pub fn has_compiler() -> bool {
    // SAFETY: only looks whether a library of that name can be loaded
    unsafe { cudarc::nvrtc::sys::is_culib_present() }
}

/// PTX of a source for compute capability `arch`, 90 for 9.0.
///
/// # Errors
/// [`Error::Device`] if NVRTC cannot be loaded, or refuses the text: with its log.
pub fn compile(source: &str, arch: i32) -> Result<String> {
    compile_as(source, arch, Rounding::Fast)
}

/// [`compile_as`], or what it gave before: kernels are kept on disk.
pub(crate) fn kernels(source: &str, arch: i32, rounding: Rounding) -> Result<String> {
    let Some(folder) = cache::folder().filter(|_| has_compiler()) else { return compile_as(source, arch, rounding) };
    let (mut major, mut minor) = (0, 0);
    // SAFETY: writes two integers
    let _ = unsafe { cudarc::nvrtc::sys::nvrtcVersion(&mut major, &mut minor) };
    let strict = rounding == Rounding::AsWritten;
    let form = format!("NVRTC {major}.{minor}, sm_{arch}, strict: {strict}, manybody {}", env!("CARGO_PKG_VERSION"));
    let name = cache::name(&[&form, source]);
    if let Some(ptx) = cache::get(&folder, &name) {
        return Ok(ptx);
    }
    let ptx = compile_as(source, arch, rounding)?;
    let ptx = ptx.trim_end_matches('\0').to_owned();
    cache::keep(&folder, &name, &ptx);
    Ok(ptx)
}

/// [`compile`], with a choice how the kernel rounds.
pub(crate) fn compile_as(source: &str, arch: i32, rounding: Rounding) -> Result<String> {
    if !has_compiler() {
        return Err(Error::NoDevice {
            device: "cuda",
            how: "libnvrtc is not found: install NVIDIA's CUDA toolkit, or the Python wheel nvidia-cuda-nvrtc and add \
                  its lib folder to LD_LIBRARY_PATH"
                .into(),
        });
    }
    let strict = rounding == Rounding::AsWritten;
    let options = CompileOptions {
        ftz: Some(!strict),
        prec_sqrt: Some(strict),
        prec_div: Some(strict),
        fmad: Some(!strict),
        options: vec![format!("--gpu-architecture=compute_{arch}"), "--std=c++17".into()],
        ..Default::default()
    };
    let ptx = compile_ptx_with_opts(source, options).map_err(|error| {
        let problem = match &error {
            CompileError::CompileError { log, .. } => format!("the kernel does not compile: {}", log.to_string_lossy()),
            other => format!("NVRTC: {other:?}"),
        };
        Error::Device { device: "cuda", problem }
    })?;
    Ok(ptx.to_src())
}
