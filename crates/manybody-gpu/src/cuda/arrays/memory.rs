//! Memory of a device that is handed to others.

use super::super::failed;
use super::lease::gone;
use super::queue::{Bound, Queue};
use crate::cuda::Cuda;
use cudarc::driver::{CudaSlice, DevicePtr, result};
use manybody_law::Result;
use std::sync::Arc;

/// Memory that others may read on streams of their own, until it is dropped.
#[derive(Debug)]
pub struct Memory {
    cuda: Arc<Cuda>,
    // taken when it is dropped
    bytes: Option<CudaSlice<u8>>,
}

impl Memory {
    /// So many bytes, of zeros.
    ///
    /// # Errors
    /// [`Error::Device`](manybody_law::Error::Device) if there is not so much.
    pub fn new(queue: &Queue, bytes: usize) -> Result<Self> {
        let cuda = queue.cuda().ok_or_else(gone)?.clone();
        let _bound = Bound::to(&cuda)?;
        let held = cuda.stream.alloc_zeros(bytes.max(16)).map_err(failed("allocate memory for the results"))?;
        // others write and read on other streams
        cuda.stream.synchronize().map_err(failed("allocate memory for the results"))?;
        Ok(Memory { bytes: Some(held), cuda })
    }

    /// Where it is.
    pub fn address(&self) -> u64 {
        self.bytes.as_ref().map_or(0, |bytes| bytes.device_ptr(&self.cuda.stream).0)
    }
}

/// Copies numbers from memory of a device to the host, behind what the queue waits for.
///
/// # Errors
/// [`Error::Device`](manybody_law::Error::Device).
///
/// # Safety
/// So many numbers are at this address of the queue's device.
pub unsafe fn copy_to_host(queue: &mut Queue, address: u64, to: &mut [f64]) -> Result<()> {
    queue.finished(|open| {
        // SAFETY: as this function's; `finished` waits for the copy
        unsafe { result::memcpy_dtoh_async(to, address, open.cuda.stream.cu_stream()) }.map_err(failed("read an array"))
    })
}

/// Copies numbers from the host to memory of a device, behind what the queue waits for.
///
/// # Errors
/// As [`copy_to_host`].
///
/// # Safety
/// As [`copy_to_host`]; what others do with this memory is done, or on a stream that the queue waits for.
pub unsafe fn copy_to_device(queue: &mut Queue, address: u64, from: &[f64]) -> Result<()> {
    queue.finished(|open| {
        // SAFETY: as this function's; `finished` waits for the copy
        unsafe { result::memcpy_htod_async(address, from, open.cuda.stream.cu_stream()) }
            .map_err(failed("write an array"))
    })
}

impl Drop for Memory {
    fn drop(&mut self) {
        // others may read it still, on streams that are not known here
        let bound = Bound::to(&self.cuda);
        let waited = bound.is_ok() && self.cuda.context.synchronize().is_ok();
        if !waited {
            // the driver is gone, and its memory with it
            self.bytes.take().into_iter().for_each(std::mem::forget);
        }
        self.bytes = None;
    }
}
