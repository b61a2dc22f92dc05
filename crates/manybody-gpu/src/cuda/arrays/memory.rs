//! Memory of a device that is handed to others.

use super::super::failed;
use super::lease::gone;
use super::queue::{Bound, Queue};
use crate::cuda::Cuda;
use cudarc::driver::{CudaSlice, DevicePtr};
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
