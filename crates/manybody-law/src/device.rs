//! What computes.

use crate::{Error, Result};

/// The CPU, or GPUs through CUDA or wgpu.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Device {
    /// All cores, with their vector instructions.
    #[default]
    Cpu,
    /// NVIDIA's GPUs, several if they are to share: f32, mixed precision, f64.
    Cuda,
    /// The first GPU through Vulkan, Metal or Direct3D 12: f32 and mixed precision.
    Wgpu,
}

impl Device {
    /// All of them.
    pub const ALL: [Device; 3] = [Device::Cpu, Device::Cuda, Device::Wgpu];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Cuda => "cuda",
            Device::Wgpu => "wgpu",
        }
    }

    /// Whether it is one of GPUs.
    pub fn is_gpu(self) -> bool {
        self != Device::Cpu
    }
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Device {
    type Err = Error;

    /// The device called `name`.
    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|device| device.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Device::name).join(", ");
            Error::Unknown { what: "device", name: name.into(), known }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert!(Device::ALL.into_iter().all(|device| device.name().parse::<Device>().unwrap() == device));
        let error = "gpu".parse::<Device>().unwrap_err().to_string();
        assert!(error.contains("unknown device 'gpu'") && error.contains("known: cpu, cuda, wgpu"), "{error}");
    }
}
