//! A device with a stream of its own, for one call at a time, and what later calls need again.

use super::super::{Cuda, failed, kernels};
use super::lease::{Idle, Lease, is_of_device};
use crate::compute::Rounding;
use cudarc::driver::{CudaFunction, sys};
use manybody_law::{Error, Result};
use std::any::Any;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

pub(in crate::cuda) const TEXT: &str = include_str!("../../kernels/arrays.cu");

/// Devices that no call uses: with kernels that are loaded, which takes a tenth of a second.
static IDLE: Idle<Open> = Mutex::new(Vec::new());

/// Laws that a device keeps.
const MAX_LAWS: usize = 16;

/// An open device, whose work is done in the order of one stream.
#[derive(Debug)]
pub struct Queue(Lease<Open>);

#[derive(Debug)]
pub(super) struct Open {
    /// Of the process that opened it.
    process: u32,
    index: usize,
    pub(super) cuda: Arc<Cuda>,
    pub(super) kernels: Kernels,
    laws: Vec<(LawKey, Box<dyn Any + Send>)>,
}

/// What kernels of a law are made for: the law and its choices as text, and the number type.
pub(super) type LawKey = (String, bool);

#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) survey: CudaFunction,
    pub(super) take: [CudaFunction; 2],
    pub(super) deliver: CudaFunction,
    pub(super) apart: CudaFunction,
}

/// The context of a thread, as it was: packages of Python compute in that of their current device.
pub(in crate::cuda) struct Bound(sys::CUcontext);

impl Bound {
    /// What the thread has now.
    pub(in crate::cuda) fn now() -> Result<Self> {
        let mut before = std::ptr::null_mut();
        // SAFETY: writes one handle
        unsafe { sys::cuCtxGetCurrent(&mut before) }.result().map_err(failed("ask for the current device"))?;
        Ok(Bound(before))
    }

    /// Opens a device, and what the thread had before.
    pub(in crate::cuda) fn opening(index: usize) -> Result<(Arc<Cuda>, Self)> {
        if super::super::count() == 0 {
            return Err(Error::NoDevice { device: "cuda", how: super::super::HOW.into() });
        }
        // what opens a device binds it to the thread
        // SAFETY: initialises the driver, once
        unsafe { sys::cuInit(0) }.result().map_err(failed("start the driver"))?;
        let before = Bound::now()?;
        Ok((Cuda::open(index)?, before))
    }

    pub(in crate::cuda) fn to(cuda: &Cuda) -> Result<Self> {
        let bound = Bound::now()?;
        cuda.bind()?;
        Ok(bound)
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        // SAFETY: the context that the thread had, if it had one. It can only fail where the driver is gone
        let _ = unsafe { sys::cuCtxSetCurrent(self.0) };
    }
}

/// The device of memory; `None` for memory that is no GPU's.
pub fn ordinal_of(address: u64) -> Option<usize> {
    if super::super::count() == 0 {
        return None;
    }
    let mut ordinal = -1_i32;
    let to: *mut c_void = std::ptr::from_mut(&mut ordinal).cast();
    let what = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: writes one integer; an address that is no GPU's is an error
    unsafe { sys::cuPointerGetAttribute(to, what, address) }.result().ok()?;
    usize::try_from(ordinal).ok()
}

impl Queue {
    /// Opens device `index`, or takes it from an earlier call.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if there is no such GPU, or no NVRTC; [`Error::Device`].
    pub fn open(index: usize) -> Result<Self> {
        let kept = IDLE.lock().ok().and_then(|mut idle| {
            let process = std::process::id();
            // those of a process before a fork are of no use, and cannot be taken down
            let (mine, others) =
                std::mem::take(&mut *idle).into_iter().partition(|open: &Open| open.process == process);
            *idle = mine;
            others.into_iter().for_each(std::mem::forget);
            idle.iter().rposition(|open| open.index == index).map(|k| idle.swap_remove(k))
        });
        let open = kept.map_or_else(|| Open::new(index), Ok)?;
        Ok(Queue(Lease::new(open, &IDLE)))
    }

    /// Its number.
    pub fn index(&self) -> usize {
        self.0.get().map_or(0, |open| open.index)
    }

    /// The handle of its stream, as DLPack's `stream` has it.
    pub fn stream(&self) -> u64 {
        self.0.get().map_or(0, |open| open.cuda.stream.cu_stream() as u64)
    }

    /// Lets what comes wait for what was started on another stream: 1 for the default one.
    ///
    /// # Errors
    /// [`Error::Device`].
    ///
    /// # Safety
    /// It is the handle of a stream of this device, or 1 or 2.
    pub unsafe fn wait_for(&mut self, stream: u64) -> Result<()> {
        self.0.used(|open| {
            let _bound = Bound::to(&open.cuda)?;
            let wait = failed("wait for another stream");
            let event = open.cuda.context.new_event(None).map_err(&wait)?;
            // SAFETY: an event of this context, and the stream that the caller vouches for
            unsafe { sys::cuEventRecord(event.cu_event(), stream as sys::CUstream) }.result().map_err(&wait)?;
            open.cuda.stream.wait(&event).map_err(&wait)
        })
    }

    /// Calls `work`, and waits until the device has done all of it: nothing reads or writes memory of others afterwards.
    pub(super) fn finished<R>(&mut self, work: impl FnOnce(&mut Open) -> Result<R>) -> Result<R> {
        self.0.used(|open| {
            let _bound = Bound::to(&open.cuda)?;
            let done = work(open);
            match open.settled() {
                Ok(()) => done,
                // what a call has found is nearer to the cause
                Err(error) => Err(done.err().filter(is_of_device).unwrap_or(error)),
            }
        })
    }

    pub(super) fn cuda(&self) -> Option<&Arc<Cuda>> {
        self.0.get().map(|open| &open.cuda)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // what is not kept is freed, in its own context
        let _before = Bound::now();
        self.0.end();
    }
}

impl Open {
    fn new(index: usize) -> Result<Self> {
        let (cuda, _before) = Bound::opening(index)?;
        let module = cuda.load(kernels(TEXT, cuda.arch, Rounding::AsWritten)?)?;
        let function = |name: &str| module.load_function(name).map_err(failed("find a kernel"));
        let kernels = Kernels {
            survey: function("survey")?,
            take: [function("take_f32")?, function("take_f64")?],
            deliver: function("deliver")?,
            apart: function("apart")?,
        };
        Ok(Open { process: std::process::id(), index, cuda, kernels, laws: Vec::new() })
    }

    /// Waits until the device has done all of its work; an error where anything has failed.
    fn settled(&self) -> Result<()> {
        // memory that could not be freed leaves an error, which the next call would get, and synchronize return without waiting
        let freed = self.cuda.context.check_err().map_err(failed("free memory"));
        self.cuda.stream.synchronize().map_err(failed("compute")).and(freed)
    }

    /// What was [kept](Self::keep) under a name.
    pub(super) fn kept<E: Any>(&mut self, key: &LawKey) -> Option<Box<E>> {
        let at = self.laws.iter().position(|(kept, _)| kept == key)?;
        self.laws.remove(at).1.downcast().ok()
    }

    /// Keeps a law's kernels for later calls.
    pub(super) fn keep<E: Any + Send>(&mut self, key: LawKey, law: Box<E>) {
        if self.laws.len() >= MAX_LAWS {
            self.laws.remove(0);
        }
        self.laws.push((key, law));
    }
}
