//! wgpu: any GPU with Vulkan, Metal or Direct3D 12, and Mesa's lavapipe, which emulates one on the CPU. f32.

mod blocks;
mod calls;
mod evaluate;
mod expansions;
pub(crate) mod repeat;
mod resident;
mod source;
mod state;

pub(crate) use blocks::WgpuBlocks;
use calls::Pass;
pub(crate) use calls::SizedBy;
pub use evaluate::WgpuEvaluator;
use evaluate::groups;
pub(crate) use expansions::{WgpuExpansions, WgpuExpansionsResident};
pub(crate) use resident::WgpuResident;
pub(crate) use source::with_zero_word;
pub use source::{Shape, Subgroups, Traits, Traversal, source};

use crate::{DeviceInfo, Evaluator, Pairs};
use ::wgpu::{Adapter, Backends, DeviceType, Features, Instance, InstanceDescriptor, PowerPreference};
use manybody_law::error::Capability;
use manybody_law::law::Law;
use manybody_law::{Device, Error, Result};
use manybody_pairwise::{Precision, Summation};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// An open device.
#[derive(Debug)]
pub struct Wgpu {
    pub(crate) device: ::wgpu::Device,
    pub(crate) queue: ::wgpu::Queue,
    subgroups: Subgroups,
    pub(crate) limits: ::wgpu::Limits,
    /// What kernels are bound to: read, written, read (one-sided, gathering) or written (mirrored), parameters, call.
    layouts: [::wgpu::BindGroupLayout; 2],
    /// Kernels of expansions.
    expansions: expansions::Compiled,
    /// Whether it computes on the CPU.
    is_software: bool,
    /// Why it is lost, once it is.
    lost: Arc<OnceLock<String>>,
}

pub(crate) const HOW: &str = "no adapter for Vulkan, Metal or Direct3D 12 is found: install the GPU's driver, on Linux \
                              also libvulkan1; mesa-vulkan-drivers has one that computes on the CPU";

/// Whether there is a GPU, and not only an adapter that computes on the CPU.
pub fn is_here() -> bool {
    Wgpu::open().is_ok_and(|wgpu| !wgpu.is_software)
}

/// Whether the device that [`Wgpu::open`] opens has room for expansions of this order for n bodies.
pub fn has_expansions(n: usize, order: usize, own_softenings: bool) -> bool {
    Wgpu::open().is_ok_and(|wgpu| expansions::fits(&wgpu, n, order, own_softenings))
}

/// Why a device is lost, where it is the driver that says so.
const LOST: &str = "the device was lost: its driver was restarted, or it was taken out; run again";

pub(crate) fn failed(problem: impl std::fmt::Display) -> Error {
    Error::Device { device: "wgpu", problem: problem.to_string() }
}

fn instance() -> Instance {
    let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    Instance::new(InstanceDescriptor { backends, ..InstanceDescriptor::new_without_display_handle() })
}

impl Wgpu {
    /// Opens the fastest adapter: a GPU if there is one. It is opened once and then shared, until it is lost: drivers
    /// give a process only so many devices.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if there is no GPU.
    pub fn open() -> Result<Arc<Wgpu>> {
        static OPEN: Mutex<Option<Arc<Wgpu>>> = Mutex::new(None);
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        match &*open {
            Some(wgpu) if wgpu.check().is_ok() => Ok(wgpu.clone()),
            _ => Ok(open.insert(Self::fastest()?).clone()),
        }
    }

    fn fastest() -> Result<Arc<Wgpu>> {
        let power_preference = PowerPreference::HighPerformance;
        let options = ::wgpu::RequestAdapterOptions { power_preference, ..Default::default() };
        let adapter = pollster::block_on(instance().request_adapter(&options))
            .map_err(|_| Error::NoDevice { device: "wgpu", how: HOW.into() })?;
        Self::of(&adapter)
    }

    fn of(adapter: &Adapter) -> Result<Arc<Wgpu>> {
        let features = adapter.features() & Features::SUBGROUP;
        let limits = adapter.limits();
        let (device, queue) = pollster::block_on(adapter.request_device(&::wgpu::DeviceDescriptor {
            label: Some("manybody"),
            required_features: features,
            required_limits: limits.clone(),
            ..Default::default()
        }))
        .map_err(failed)?;
        let lost = Arc::new(OnceLock::new());
        let set = lost.clone();
        device.set_device_lost_callback(move |_, _| drop(set.set(LOST.into())));
        let set = lost.clone();
        // otherwise it is a panic
        device.on_uncaptured_error(Arc::new(move |error| {
            drop(
                set.set(format!("an error that no call has made: {error}; the device is not used any more: run again")),
            );
        }));
        let layouts = [layout_of(&device, true)?, layout_of(&device, false)?];
        let info = adapter.get_info();
        let is_software = info.device_type == DeviceType::Cpu;
        let subgroups = match features.contains(Features::SUBGROUP) {
            true if info.subgroup_min_size == info.subgroup_max_size => Subgroups::Width(info.subgroup_min_size),
            true => Subgroups::Any,
            false => Subgroups::None,
        };
        let expansions = expansions::Compiled::default();
        Ok(Arc::new(Wgpu { device, queue, subgroups, limits, layouts, expansions, is_software, lost }))
    }

    /// Whether it can compute: a device that is lost stays lost.
    ///
    /// # Errors
    /// [`Error::Device`], saying why it is lost.
    pub(crate) fn check(&self) -> Result<()> {
        self.lost.get().map_or(Ok(()), |why| Err(failed(why)))
    }

    /// Marks it as lost, and says why; the first reason stays.
    fn lose(&self, why: String) {
        let _ = self.lost.set(why);
    }

    /// Whether it computes on the CPU.
    pub fn is_software(&self) -> bool {
        self.is_software
    }

    /// Its subgroups.
    pub fn subgroups(&self) -> Subgroups {
        self.subgroups
    }
}

/// The layout of a law's kernels.
fn layout_of(device: &::wgpu::Device, third_is_read: bool) -> Result<::wgpu::BindGroupLayout> {
    use ::wgpu::BufferBindingType::{Storage, Uniform};
    let read = |read_only| Storage { read_only };
    calls::layout(device, &[read(true), read(false), read(third_is_read), Uniform, Uniform])
}

/// The adapters that are here.
pub fn devices() -> Vec<DeviceInfo> {
    let instance = instance();
    let describe = |(index, adapter): (usize, Adapter)| {
        let (info, limits) = (adapter.get_info(), adapter.limits());
        let subgroups = match adapter.features().contains(Features::SUBGROUP) {
            true if info.subgroup_min_size == info.subgroup_max_size => {
                format!("subgroups of {}", info.subgroup_min_size)
            }
            true => format!("subgroups of {} to {}", info.subgroup_min_size, info.subgroup_max_size),
            false => "no subgroups".into(),
        };
        DeviceInfo {
            device: Device::Wgpu,
            index,
            name: info.name.clone(),
            memory: None,
            driver: format!("{} {} ({})", info.driver, info.driver_info, info.backend),
            abilities: vec![
                "f32, mixed".into(),
                subgroups,
                format!("buffers up to {} MiB", limits.max_storage_buffer_binding_size >> 20),
                format!("{} KiB of workgroup memory", limits.max_compute_workgroup_storage_size >> 10),
            ],
            is_software: info.device_type == DeviceType::Cpu,
        }
    };
    pollster::block_on(instance.enumerate_adapters(Backends::all())).into_iter().enumerate().map(describe).collect()
}

/// A law on the fastest adapter, with the kernel's own sums or a choice of them.
pub(crate) fn evaluator(
    law: &Law,
    precision: Precision,
    pairs: Pairs,
    knobs: Option<crate::KernelConfig>,
    sum: Option<Summation>,
) -> Result<Box<dyn Evaluator>> {
    let evaluator = WgpuEvaluator::new(Wgpu::open()?, law, pairs).with_knobs(knobs).summing(sum)?;
    match precision {
        Precision::F32 => Ok(Box::new(evaluator)),
        Precision::Mixed => Ok(Box::new(evaluator.mixed()?)),
        Precision::F64 => Err(Error::Unsupported {
            capability: Capability::Precision,
            value: precision.name().into(),
            expected: "the device wgpu computes in f32 or mixed; cuda and cpu also in f64".into(),
        }),
    }
}

#[cfg(test)]
mod tests;
