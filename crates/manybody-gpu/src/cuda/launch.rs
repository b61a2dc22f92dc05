//! Launches a kernel, also before the one ahead of it has ended.

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError, LaunchConfig, sys};
use std::ffi::c_void;
use std::marker::PhantomData;

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

    /// [Starts](Self::launch) a kernel of an evaluator, whose arguments its own functions give.
    pub(super) fn start(&mut self, shape: LaunchConfig, early: bool) -> manybody_law::Result<()> {
        // a GPU has no blocks that are none; lines without slots have
        if shape.grid_dim.0 == 0 || shape.grid_dim.1 == 0 {
            return Ok(());
        }
        // SAFETY: the arguments are those of the kernel, and slots hold what its blocks write
        unsafe { self.launch(shape, early) }.map_err(super::failed("start a kernel"))
    }

    /// Starts it. With `early`, its blocks may take their places while the kernel ahead still runs (programmatic
    /// dependent launch): the kernel says itself, by griddepcontrol.wait, when it needs the other's results.
    ///
    /// # Safety
    /// The arguments are those of the kernel, and it reads and writes only what lies in their memory; with `early`, it
    /// waits before that. All work of the memory's owners goes through this stream.
    pub(super) unsafe fn launch(&mut self, shape: LaunchConfig, early: bool) -> Result<(), DriverError> {
        let mut attribute = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID_enum::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        // SAFETY: as the caller says
        unsafe { self.launch_with(shape, early.then_some(&mut attribute)) }
    }

    /// Starts it with all of its blocks on the device at once, so that they may wait for each other; an error where there is no
    /// room for that.
    ///
    /// # Safety
    /// As [`launch`](Self::launch).
    pub(super) unsafe fn launch_together(&mut self, shape: LaunchConfig) -> Result<(), DriverError> {
        let mut attribute = sys::CUlaunchAttribute {
            id: sys::CUlaunchAttributeID_enum::CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue { cooperative: 1 },
        };
        // SAFETY: as the caller says
        unsafe { self.launch_with(shape, Some(&mut attribute)) }
    }

    /// # Safety
    /// As [`launch`](Self::launch).
    unsafe fn launch_with(
        &mut self,
        shape: LaunchConfig,
        attribute: Option<&mut sys::CUlaunchAttribute>,
    ) -> Result<(), DriverError> {
        let count = u32::from(attribute.is_some());
        let (grid, block) = (shape.grid_dim, shape.block_dim);
        let config = sys::CUlaunchConfig {
            gridDimX: grid.0,
            gridDimY: grid.1,
            gridDimZ: grid.2,
            blockDimX: block.0,
            blockDimY: block.1,
            blockDimZ: block.2,
            sharedMemBytes: shape.shared_mem_bytes,
            hStream: self.stream.cu_stream(),
            attrs: attribute.map_or(std::ptr::null_mut(), std::ptr::from_mut),
            numAttrs: count,
        };
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

/// The address of memory, for the work of one stream.
pub(super) fn address<A>(stream: &CudaStream, memory: &CudaSlice<A>) -> u64 {
    memory.device_ptr(stream).0
}

/// The shape of a launch.
pub(super) fn grid(x: u32, y: u32, threads: u32, lines: u32, shared: usize) -> LaunchConfig {
    LaunchConfig { grid_dim: (x, y, 1), block_dim: (threads, lines, 1), shared_mem_bytes: shared as u32 }
}
