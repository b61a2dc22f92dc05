//! Launches kernels: how one starts, and many of them as a graph.

use super::failed;
use cudarc::driver::sys::{CUgraphInstantiate_flags as Instantiate, CUstreamCaptureMode as Capture};
use cudarc::driver::{
    CudaFunction, CudaGraph, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError, LaunchConfig, sys,
};
use manybody_law::Result;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::Arc;

/// When the blocks of a kernel begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// After the kernel ahead has ended.
    AfterPrevious,
    /// They may take their places while the kernel ahead still runs (programmatic dependent launch): the kernel says itself,
    /// by griddepcontrol.wait, when it needs the other's results.
    BesidePrevious,
    /// All at once, so that they may wait for each other (cooperative launch); an error where the device has no room for all.
    Together,
    /// As [`Start::Together`], in clusters of this many thread blocks, which write to each other's shared memory.
    TogetherInClusters(u32),
}

impl Start {
    /// What the driver is given.
    fn attributes(self) -> Vec<sys::CUlaunchAttribute> {
        use sys::CUlaunchAttributeID_enum::{
            CU_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        };
        let of = |id, value| sys::CUlaunchAttribute { id, pad: [0; 4], value };
        let together = of(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, sys::CUlaunchAttributeValue { cooperative: 1 });
        match self {
            Start::AfterPrevious => Vec::new(),
            Start::BesidePrevious => vec![of(
                CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
            )],
            Start::Together => vec![together],
            Start::TogetherInClusters(size) => vec![together, cluster(size)],
        }
    }
}

/// The attribute of a launch in clusters.
fn cluster(size: u32) -> sys::CUlaunchAttribute {
    let mut value = sys::CUlaunchAttributeValue { pad: [0; 64] };
    value.clusterDim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x: size, y: 1, z: 1 };
    sys::CUlaunchAttribute {
        id: sys::CUlaunchAttributeID_enum::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        pad: [0; 4],
        value,
    }
}

/// How many clusters of so many thread blocks of a kernel a device holds at once.
///
/// # Errors
/// Those of the device.
pub(super) fn clusters_at_once(function: &CudaFunction, shape: LaunchConfig, size: u32) -> Result<usize> {
    let mut attributes = [cluster(size)];
    let config = config(shape, &mut attributes, std::ptr::null_mut());
    let mut count = 0;
    // SAFETY: the configuration and its attribute live as long as the call
    unsafe { sys::cuOccupancyMaxActiveClusters(&mut count, function.cu_function(), &config) }
        .result()
        .map_err(failed("ask for a limit"))?;
    Ok(count.max(0) as usize)
}

/// A launch as the driver takes it.
fn config(
    shape: LaunchConfig,
    attributes: &mut [sys::CUlaunchAttribute],
    stream: sys::CUstream,
) -> sys::CUlaunchConfig {
    let (grid, block) = (shape.grid_dim, shape.block_dim);
    sys::CUlaunchConfig {
        gridDimX: grid.0,
        gridDimY: grid.1,
        gridDimZ: grid.2,
        blockDimX: block.0,
        blockDimY: block.1,
        blockDimZ: block.2,
        sharedMemBytes: shape.shared_mem_bytes,
        hStream: stream,
        attrs: if attributes.is_empty() { std::ptr::null_mut() } else { attributes.as_mut_ptr() },
        numAttrs: attributes.len() as u32,
    }
}

/// A kernel and its arguments.
pub(super) struct Call<'a> {
    stream: &'a CudaStream,
    function: &'a CudaFunction,
    args: Vec<Arg>,
    borrows: PhantomData<&'a ()>,
}

enum Arg {
    /// Of a number or a record.
    Pointer(*mut c_void),
    /// Of memory of the device.
    Address(u64),
}

impl<'a> Call<'a> {
    pub(super) fn new(stream: &'a CudaStream, function: &'a CudaFunction) -> Self {
        Call { stream, function, args: Vec::new(), borrows: PhantomData }
    }

    /// A number or a record.
    pub(super) fn arg<A: DeviceRepr>(&mut self, arg: &'a A) -> &mut Self {
        self.args.push(Arg::Pointer(std::ptr::from_ref(arg).cast_mut().cast()));
        self
    }

    /// Memory of the device.
    pub(super) fn memory<A>(&mut self, memory: &CudaSlice<A>) -> &mut Self {
        self.args.push(Arg::Address(address(self.stream, memory)));
        self
    }

    /// Memory of the device from an address on.
    pub(super) fn address(&mut self, address: u64) -> &mut Self {
        self.args.push(Arg::Address(address));
        self
    }

    /// Memory of the device, if there is some, where a kernel can do without.
    pub(super) fn optional<A>(&mut self, memory: Option<&CudaSlice<A>>) -> &mut Self {
        match memory {
            Some(memory) => self.memory(memory),
            None => self.nothing(),
        }
    }

    /// No memory, where a kernel can do without.
    pub(super) fn nothing(&mut self) -> &mut Self {
        self.args.push(Arg::Address(0));
        self
    }

    /// [Launches](Self::launch) a kernel whose arguments its module gives, of memory that it has allocated for it.
    pub(super) fn start(&mut self, shape: LaunchConfig, start: Start) -> Result<()> {
        // CUDA refuses to launch a grid without blocks; lines without slots lead to one
        if shape.grid_dim.0 == 0 || shape.grid_dim.1 == 0 {
            return Ok(());
        }
        // SAFETY: the arguments are those of the kernel, and its memory holds what its blocks write
        unsafe { self.launch(shape, start) }.map_err(super::failed("start a kernel"))
    }

    /// Launches it.
    ///
    /// # Safety
    /// The arguments are those of the kernel, and it reads and writes only what lies in their memory; with
    /// [`Start::BesidePrevious`], it waits before that. All work of the memory's owners goes through this stream.
    pub(super) unsafe fn launch(&mut self, shape: LaunchConfig, start: Start) -> std::result::Result<(), DriverError> {
        let mut attributes = start.attributes();
        let config = config(shape, &mut attributes, self.stream.cu_stream());
        let pointer = |arg: &mut Arg| match arg {
            Arg::Pointer(pointer) => *pointer,
            Arg::Address(address) => std::ptr::from_mut(address).cast(),
        };
        let mut args: Vec<*mut c_void> = self.args.iter_mut().map(pointer).collect();
        let function = self.function.cu_function();
        // SAFETY: what the pointers point to lives as long as `self`; the rest is the caller's
        unsafe { sys::cuLaunchKernelEx(&config, function, args.as_mut_ptr(), std::ptr::null_mut()) }.result()
    }
}

/// Launches that were captured.
pub(super) struct Graph(CudaGraph);

// SAFETY: the driver lets any thread use a graph, one at a time; it is owned, and never shared
unsafe impl Send for Graph {}

impl Graph {
    /// What `start` launches on a stream, and on others that it makes wait for it; `None` for nothing.
    ///
    /// # Errors
    /// Those of the device and of `start`.
    pub(super) fn capture(stream: &Arc<CudaStream>, start: impl FnOnce() -> Result<()>) -> Result<Option<Self>> {
        let capture = failed("capture steps");
        stream.begin_capture(Capture::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).map_err(&capture)?;
        let captured = start();
        let graph =
            stream.end_capture(Instantiate::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH).map_err(&capture)?;
        captured.map(|()| graph.map(Graph))
    }

    /// Launches all of it, on the stream of the capture.
    ///
    /// # Errors
    /// Those of the device.
    pub(super) fn launch(&self) -> Result<()> {
        self.0.launch().map_err(failed("start steps"))
    }
}

/// The address of memory, for the work of one stream.
pub(super) fn address<A>(stream: &CudaStream, memory: &CudaSlice<A>) -> u64 {
    memory.device_ptr(stream).0
}

/// The shape of a launch.
pub(super) fn grid(x: u32, y: u32, threads: u32, lines: u32, shared: usize) -> LaunchConfig {
    LaunchConfig { grid_dim: (x, y, 1), block_dim: (threads, lines, 1), shared_mem_bytes: shared as u32 }
}
