//! wgpu: any GPU with Vulkan, Metal or Direct3D 12, and Mesa's lavapipe, which emulates one on the CPU. f32.

mod evaluate;
pub(crate) mod repeat;
mod resident;
mod source;

pub use evaluate::WgpuEvaluator;
pub(crate) use resident::WgpuResident;
pub(crate) use source::with_zero_word;
pub use source::{Shape, Subgroups, Traits, Traversal, source};

use crate::{DeviceInfo, Evaluator, Pairs};
use ::wgpu::{Adapter, Backends, DeviceType, Features, Instance, InstanceDescriptor, PowerPreference};
use manybody_law::error::Capability;
use manybody_law::guard::guard;
use manybody_law::law::Law;
use manybody_law::{Device, Error, Result};
use manybody_pairwise::{Precision, Summation};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// An open device.
#[derive(Debug)]
pub struct Wgpu {
    pub(crate) device: ::wgpu::Device,
    pub(crate) queue: ::wgpu::Queue,
    subgroups: Subgroups,
    pub(crate) limits: ::wgpu::Limits,
    /// What kernels are bound to: read, written, read (one-sided, gathering) or written (mirrored), parameters, call.
    layouts: [::wgpu::BindGroupLayout; 2],
    /// Whether it computes on the CPU.
    is_software: bool,
    lost: Arc<AtomicBool>,
    /// The first error that no call has returned yet.
    error: Arc<Mutex<Option<String>>>,
}

pub(crate) const HOW: &str = "no adapter for Vulkan, Metal or Direct3D 12 is found: install the GPU's driver, on Linux \
                              also libvulkan1; mesa-vulkan-drivers has one that computes on the CPU";

/// Whether there is a GPU, and not only an adapter that computes on the CPU.
pub fn is_here() -> bool {
    Wgpu::open().is_ok_and(|wgpu| !wgpu.is_software)
}

/// The message where memory is not available; wgpu does not know how much there is.
pub(crate) const NO_MEMORY: &str =
    "not enough memory on the device; fewer bodies or a device with more memory would do";

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
            Some(wgpu) if !wgpu.lost.load(Ordering::Relaxed) => Ok(wgpu.clone()),
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
        let lost = Arc::new(AtomicBool::new(false));
        let set = lost.clone();
        device.set_device_lost_callback(move |_, _| set.store(true, Ordering::Relaxed));
        let error = Arc::new(Mutex::new(None));
        let told = error.clone();
        // otherwise it is a panic
        device.on_uncaptured_error(Arc::new(move |error| {
            let mut first = told.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| match error {
                ::wgpu::Error::OutOfMemory { .. } => NO_MEMORY.into(),
                error => error.to_string(),
            });
        }));
        let layouts = [true, false].map(|third_is_read| layout(&device, third_is_read));
        let info = adapter.get_info();
        let is_software = info.device_type == DeviceType::Cpu;
        let subgroups = match features.contains(Features::SUBGROUP) {
            true if info.subgroup_min_size == info.subgroup_max_size => Subgroups::Width(info.subgroup_min_size),
            true => Subgroups::Any,
            false => Subgroups::None,
        };
        Ok(Arc::new(Wgpu { device, queue, subgroups, limits, layouts, is_software, lost, error }))
    }

    /// Waits for all that was submitted.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub(crate) fn wait(&self) -> Result<()> {
        self.wait_for(None)
    }

    /// Waits for a submission; without one, for all.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub(crate) fn wait_for(&self, submission_index: Option<::wgpu::SubmissionIndex>) -> Result<()> {
        // wgpu returns only that time is up; it panics where the device is lost meanwhile
        match guard(|| self.device.poll(::wgpu::PollType::Wait { submission_index, timeout: None })) {
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(failed(error)),
            None => self.lost.store(true, Ordering::Relaxed),
        }
        self.check()
    }

    /// What went wrong since the last check; a device that is lost stays lost.
    pub(crate) fn check(&self) -> Result<()> {
        if self.lost.load(Ordering::Relaxed) {
            return Err(failed("the device was lost: its driver was restarted, or it was taken out; run again"));
        }
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(Ok(()), |error| Err(failed(error)))
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

fn layout(device: &::wgpu::Device, third_is_read: bool) -> ::wgpu::BindGroupLayout {
    use ::wgpu::BufferBindingType::{Storage, Uniform};
    let read = |read_only| Storage { read_only };
    let kinds = [read(true), read(false), read(third_is_read), Uniform, Uniform];
    let entry = |k: usize| ::wgpu::BindGroupLayoutEntry {
        binding: k as u32,
        visibility: ::wgpu::ShaderStages::COMPUTE,
        ty: ::wgpu::BindingType::Buffer { ty: kinds[k], has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let entries = [0, 1, 2, 3, 4].map(entry);
    device.create_bind_group_layout(&::wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
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
