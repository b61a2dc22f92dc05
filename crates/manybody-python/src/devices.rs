//! The devices of this machine.

use crate::calls::compute;
use crate::errors::raise;
use manybody::simd::Level;
use manybody::solver::Device;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The devices that are here, one dictionary each, the CPU first.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    let cpu = PyDict::new(py);
    cpu.set_item("device", Device::Cpu.name())?;
    cpu.set_item("name", Level::from_env().map_err(raise)?.name())?;
    cpu.set_item("threads", std::thread::available_parallelism()?.get())?;
    cpu.set_item("precisions", ["f32", "mixed", "f64"])?;
    list.append(cpu)?;
    for info in compute(py, || Ok(manybody_gpu::devices()))? {
        let gpu = PyDict::new(py);
        gpu.set_item("device", info.device.name())?;
        gpu.set_item("index", info.index)?;
        gpu.set_item("name", info.name)?;
        gpu.set_item("memory", info.memory)?;
        gpu.set_item("driver", info.driver)?;
        gpu.set_item("abilities", info.abilities)?;
        gpu.set_item("software", info.is_software)?;
        list.append(gpu)?;
    }
    Ok(list)
}
