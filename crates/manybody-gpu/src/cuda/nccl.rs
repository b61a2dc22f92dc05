//! NCCL, NVIDIA's library by which GPUs of several processes exchange numbers. It is loaded at run time; `Library` has
//! the functions of nccl.h that are called.

use manybody_law::{Error, Result};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::sync::OnceLock;

/// The environment variable that leaves NCCL out where it is "off".
const SWITCH: &str = "MANYBODY_NCCL";

/// Names of the library: that of its interface, which programs are linked to, first.
const NAMES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];

/// The oldest version that has the settings of [`Config`]: 2.18.
const OLDEST: c_int = 21_800;

/// ncclResult_t: what is not an error.
const SUCCESS: c_int = 0;
const IN_PROGRESS: c_int = 7;

/// ncclDataType_t: bytes, and double.
const UINT8: c_int = 1;
const FLOAT64: c_int = 8;

/// NCCL_CONFIG_UNDEF_INT: the library chooses.
const UNDEFINED: c_int = c_int::MIN;

/// ncclUniqueId: by which ranks find each other.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Id(pub(super) [u8; 128]);

/// ncclConfig_t of version 2.18.
#[repr(C)]
pub(super) struct Config {
    size: usize,
    magic: u32,
    version: u32,
    blocking: c_int,
    cga_cluster_size: c_int,
    min_ctas: c_int,
    max_ctas: c_int,
    net_name: *const c_char,
    split_share: c_int,
}

/// ncclComm_t, and cudaStream_t, which is the driver's CUstream.
pub(super) type Communicator = *mut c_void;
pub(super) type Stream = *mut c_void;

/// The functions of the library.
pub(super) struct Library {
    version: c_int,
    unique_id: unsafe extern "C" fn(*mut Id) -> c_int,
    init: unsafe extern "C" fn(*mut Communicator, c_int, Id, c_int, *mut Config) -> c_int,
    broadcast: unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, Communicator, Stream) -> c_int,
    send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Communicator, Stream) -> c_int,
    receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Communicator, Stream) -> c_int,
    group_start: unsafe extern "C" fn() -> c_int,
    group_end: unsafe extern "C" fn() -> c_int,
    state: unsafe extern "C" fn(Communicator, *mut c_int) -> c_int,
    finalize: unsafe extern "C" fn(Communicator) -> c_int,
    destroy: unsafe extern "C" fn(Communicator) -> c_int,
    abort: unsafe extern "C" fn(Communicator) -> c_int,
    text: unsafe extern "C" fn(c_int) -> *const c_char,
    /// The functions are in it.
    _loaded: libloading::Library,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NCCL {}.{}", self.version / 10_000, self.version / 100 % 100)
    }
}

impl Library {
    /// The library, loaded once; or why it cannot be used.
    pub(super) fn get() -> std::result::Result<&'static Library, String> {
        static LIBRARY: OnceLock<std::result::Result<Library, String>> = OnceLock::new();
        if std::env::var_os(SWITCH).is_some_and(|value| value == "off") {
            return Err(format!("{SWITCH}=off"));
        }
        LIBRARY.get_or_init(Self::load).as_ref().map_err(Clone::clone)
    }

    fn load() -> std::result::Result<Library, String> {
        // SAFETY: when it is loaded, the library does nothing but make itself ready
        let loaded = NAMES.iter().find_map(|name| unsafe { libloading::Library::new(*name) }.ok());
        let loaded = loaded.ok_or_else(|| format!("{} (NCCL) is not found", NAMES[0]))?;
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the type, which follows from where it is put, is that of the function in nccl.h
                *unsafe { loaded.get($name) }.map_err(|error| format!("{}: {error}", NAMES[0]))?
            };
        }
        let ask: unsafe extern "C" fn(*mut c_int) -> c_int = function!("ncclGetVersion");
        let mut version = 0;
        // SAFETY: writes one number
        if unsafe { ask(&mut version) } != SUCCESS || version < OLDEST {
            return Err(format!("NCCL is {}.{}, must be 2.18 or later", version / 10_000, version / 100 % 100));
        }
        Ok(Library {
            version,
            unique_id: function!("ncclGetUniqueId"),
            init: function!("ncclCommInitRankConfig"),
            broadcast: function!("ncclBroadcast"),
            send: function!("ncclSend"),
            receive: function!("ncclRecv"),
            group_start: function!("ncclGroupStart"),
            group_end: function!("ncclGroupEnd"),
            state: function!("ncclCommGetAsyncError"),
            finalize: function!("ncclCommFinalize"),
            destroy: function!("ncclCommDestroy"),
            abort: function!("ncclCommAbort"),
            text: function!("ncclGetErrorString"),
            _loaded: loaded,
        })
    }

    /// Whether a call is done; `false` where the library still works on it.
    fn is_done(&self, result: c_int) -> Result<bool> {
        match result {
            SUCCESS => Ok(true),
            IN_PROGRESS => Ok(false),
            _ => {
                // SAFETY: returns a text that is never freed
                let text = unsafe { CStr::from_ptr((self.text)(result)) }.to_string_lossy();
                Err(Error::Device { device: "cuda", problem: format!("NCCL: {text}") })
            }
        }
    }

    /// An id by which ranks find each other.
    ///
    /// # Errors
    /// [`Error::Device`], as of all that follow.
    pub(super) fn id(&self) -> Result<Id> {
        let mut id = Id([0; 128]);
        // SAFETY: writes an id
        self.is_done(unsafe { (self.unique_id)(&mut id) })?;
        Ok(id)
    }

    /// Begins to join a rank, with the current device, to the others. The communicator can be used once it is
    /// [ready](Self::is_ready); its calls return at once, so that they can be ended when another rank dies.
    pub(super) fn join(&self, id: Id, rank: usize, ranks: usize) -> Result<Communicator> {
        let mut config = Config {
            size: size_of::<Config>(),
            magic: 0xcafe_beef,
            version: OLDEST as u32,
            blocking: 0,
            cga_cluster_size: UNDEFINED,
            min_ctas: UNDEFINED,
            max_ctas: UNDEFINED,
            net_name: std::ptr::null(),
            split_share: UNDEFINED,
        };
        let mut communicator = std::ptr::null_mut();
        // SAFETY: writes a communicator; the settings have the form of the version that they name
        self.is_done(unsafe { (self.init)(&mut communicator, ranks as c_int, id, rank as c_int, &mut config) })?;
        Ok(communicator)
    }

    /// Whether all calls for a communicator are done.
    pub(super) fn is_ready(&self, communicator: Communicator) -> Result<bool> {
        let mut state = SUCCESS;
        // SAFETY: writes one number
        self.is_done(unsafe { (self.state)(communicator, &mut state) })?;
        self.is_done(state)
    }

    /// What `calls` ask for is done together.
    pub(super) fn together(&self, calls: impl FnOnce() -> Result<()>) -> Result<()> {
        // SAFETY: begins a group, which ends below in all cases
        self.is_done(unsafe { (self.group_start)() })?;
        let called = calls();
        // SAFETY: ends the group
        let ended = self.is_done(unsafe { (self.group_end)() });
        called?;
        ended.map(drop)
    }

    /// The bytes of rank `root` go to all others.
    ///
    /// # Safety
    /// `at` is the address of so many bytes on the device of the communicator, which stay there until the stream has come
    /// to the end of it.
    pub(super) unsafe fn broadcast(
        &self,
        at: u64,
        bytes: usize,
        root: usize,
        communicator: Communicator,
        stream: Stream,
    ) -> Result<()> {
        let at = at as *mut c_void;
        // SAFETY: the caller's
        let done = unsafe { (self.broadcast)(at, at, bytes, UINT8, root as c_int, communicator, stream) };
        self.is_done(done).map(drop)
    }

    /// Sends numbers to a rank, which receives as many.
    ///
    /// # Safety
    /// As of [`broadcast`](Self::broadcast), for `count` numbers.
    pub(super) unsafe fn send(
        &self,
        at: u64,
        count: usize,
        to: usize,
        communicator: Communicator,
        stream: Stream,
    ) -> Result<()> {
        // SAFETY: the caller's
        let done = unsafe { (self.send)(at as *const c_void, count, FLOAT64, to as c_int, communicator, stream) };
        self.is_done(done).map(drop)
    }

    /// Receives numbers from a rank, which sends as many.
    ///
    /// # Safety
    /// As of [`send`](Self::send).
    pub(super) unsafe fn receive(
        &self,
        at: u64,
        count: usize,
        from: usize,
        communicator: Communicator,
        stream: Stream,
    ) -> Result<()> {
        // SAFETY: the caller's
        let done = unsafe { (self.receive)(at as *mut c_void, count, FLOAT64, from as c_int, communicator, stream) };
        self.is_done(done).map(drop)
    }

    /// Begins to take a communicator down, which all ranks do. It is done where it is [ready](Self::is_ready) again.
    pub(super) fn finalize(&self, communicator: Communicator) -> Result<()> {
        // SAFETY: a communicator whose calls are done
        self.is_done(unsafe { (self.finalize)(communicator) }).map(drop)
    }

    /// Frees a communicator that has been taken down.
    pub(super) fn destroy(&self, communicator: Communicator) {
        // SAFETY: it is not used any more; what is not freed here ends with the process
        let _ = unsafe { (self.destroy)(communicator) };
    }

    /// Ends what a communicator does, without the other ranks, and frees it.
    pub(super) fn abort(&self, communicator: Communicator) {
        // SAFETY: it is not used any more; what is not freed here ends with the process
        let _ = unsafe { (self.abort)(communicator) };
    }
}
