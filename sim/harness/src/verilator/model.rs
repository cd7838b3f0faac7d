//! A loaded model and its instances.

use super::error::Error;
use std::ffi::{c_char, c_int, c_uint, c_void, CStr, CString};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use verilated::RandomMode;

/// Mirror of `Port` in cpp/shim.inc.
#[repr(C)]
struct RawPort {
    name: *const c_char,
    bits: c_uint,
    direction: c_uint,
}

/// Mirror of `Model` in cpp/shim.inc.
#[repr(C)]
#[derive(Clone, Copy)]
struct RawModel {
    verilator_version: *const c_char,
    ports: *const RawPort,
    port_count: usize,
    context: unsafe extern "C" fn(c_int) -> *mut c_void,
    create: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
    enter: unsafe extern "C" fn(*mut c_void),
    eval: unsafe extern "C" fn(*mut c_void) -> c_int,
    error: unsafe extern "C" fn(*mut c_void) -> *const c_char,
    error_count: unsafe extern "C" fn(*mut c_void) -> c_int,
    trace_open: unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int,
    trace_dump: unsafe extern "C" fn(*mut c_void, u64),
    coverage: unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int,
    port: unsafe extern "C" fn(*mut c_void, c_uint) -> *mut c_void,
    register: unsafe extern "C" fn(
        *mut c_void,
        *const c_char,
        *const c_char,
        *mut c_uint,
        *mut c_uint,
    ) -> *mut c_void,
    variables: unsafe extern "C" fn(*mut c_void, Visit, *mut c_void),
}

/// Mirror of `Visit` in cpp/shim.inc.
type Visit = extern "C" fn(*mut c_void, *const c_char, *const c_char, c_uint, c_uint, *mut c_void);

/// Direction of a port, seen from the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Driven by us.
    In,
    /// Driven by the module.
    Out,
    /// Both; no block has one.
    InOut,
}

/// One port of the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Verilog name.
    pub name: String,
    /// Width in bits.
    pub bits: usize,
    /// Direction.
    pub direction: Direction,
}

/// A model's shared library. Instances keep it loaded.
pub struct Model {
    top: String,
    ports: Vec<Port>,
    raw: RawModel,
    // Last field: unloaded after everything that points into it.
    _library: libloading::Library,
}

// SAFETY: `raw` points to constants and functions of the library, which keep no state.
unsafe impl Send for Model {}
// SAFETY: as above.
unsafe impl Sync for Model {}

impl core::fmt::Debug for Model {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Model").field("top", &self.top).finish_non_exhaustive()
    }
}

impl Model {
    /// Loads the shared library that `cache` built for module `top`.
    pub(super) fn load(top: &str, library: &Path) -> Result<Self, Error> {
        let load_error = |e: libloading::Error| Error::Load(e.to_string());
        // SAFETY: the library is our own build; its constructors are Verilator's.
        let library = unsafe { libloading::Library::new(library) }.map_err(load_error)?;
        // SAFETY: shim.inc defines `nic_model` with this type and returns a constant.
        let raw = unsafe {
            let entry = library.get::<unsafe extern "C" fn() -> *const RawModel>(b"nic_model");
            *entry.map_err(load_error)?()
        };
        // SAFETY: the shim's strings and port table are constants that end as counted.
        let (version, raw_ports) = unsafe {
            let version = CStr::from_ptr(raw.verilator_version);
            (version, std::slice::from_raw_parts(raw.ports, raw.port_count))
        };
        let linked = verilated::product_version();
        let text = |s: &CStr| s.to_string_lossy().into_owned();
        if version != linked {
            return Err(Error::VersionDiffers { linked: text(linked), installed: text(version) });
        }
        let port = |p: &RawPort| Port {
            // SAFETY: as above.
            name: text(unsafe { CStr::from_ptr(p.name) }),
            bits: p.bits as usize,
            direction: match p.direction as u8 {
                b'i' => Direction::In,
                b'o' => Direction::Out,
                _ => Direction::InOut,
            },
        };
        let ports = raw_ports.iter().map(port).collect();
        Ok(Self { top: top.into(), ports, raw, _library: library })
    }

    /// Name of the top module.
    pub fn top(&self) -> &str {
        &self.top
    }

    /// Ports of the top module, in the order of the Verilog.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Checks that `self` has exactly the ports of `expected`, widths included.
    pub fn check_same_ports(&self, expected: &Model) -> Result<(), Error> {
        let top = || self.top.clone();
        for want in &expected.ports {
            let port = || want.name.clone();
            let have = self.ports.iter().find(|p| p.name == want.name);
            let have = have.ok_or_else(|| Error::PortMissing { top: top(), port: port() })?;
            if have.direction != want.direction {
                return Err(Error::PortDirection { top: top(), port: port() });
            }
            if have.bits != want.bits {
                let (verilog_bits, model_bits) = (have.bits, want.bits);
                return Err(Error::PortWidth {
                    top: top(),
                    port: port(),
                    verilog_bits,
                    model_bits,
                });
            }
        }
        match self.ports.iter().find(|p| expected.ports.iter().all(|want| want.name != p.name)) {
            Some(p) => Err(Error::PortUnknown { top: top(), port: p.name.clone(), bits: p.bits }),
            None => Ok(()),
        }
    }
}

/// One running instance of a model.
pub struct Instance {
    model: Arc<Model>,
    sim: *mut c_void,
    /// The first fatal error: the instance's state is undefined after it.
    fatal: Option<Error>,
}

// SAFETY: an instance owns its C++ objects; the shim sets the calling thread's context.
unsafe impl Send for Instance {}

impl core::fmt::Debug for Instance {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Instance").field("top", &self.model.top).finish_non_exhaustive()
    }
}

impl Instance {
    /// An instance whose registers, memories and X values start random, by `seed`.
    pub fn new(model: &Arc<Model>, seed: u64) -> Result<Self, Error> {
        // What `draws` does not name, Verilator draws per thread, but it numbers its seeds per
        // process: two threads that create instances at once would disturb each other's draws.
        static CREATE: Mutex<()> = Mutex::new(());
        let guard = CREATE.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: no requirement; the result is an owned pointer.
        let context = unsafe { (model.raw.context)(scramble(seed)) };
        // In the context just made, which is this thread's.
        verilated::set_rand_reset(RandomMode::Randomize);
        // SAFETY: the instance takes the context, and is an owned pointer.
        let sim = unsafe { (model.raw.create)(context) };
        drop(guard);
        Ok(Self { model: model.clone(), sim, fatal: None })
    }

    /// The model that this is an instance of.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Settles the logic after ports were written.
    #[inline]
    pub fn eval(&mut self) -> Result<(), Error> {
        if let Some(fatal) = &self.fatal {
            return Err(fatal.clone());
        }
        // SAFETY: `sim` lives as long as `self`.
        if unsafe { (self.model.raw.eval)(self.sim) } == 0 {
            return Ok(());
        }
        // SAFETY: as above; the string lives until the next error.
        let message = unsafe { CStr::from_ptr((self.model.raw.error)(self.sim)) };
        let fatal = Error::Fatal(message.to_string_lossy().into_owned());
        self.fatal = Some(fatal.clone());
        Err(fatal)
    }

    /// Whether `$finish`, `$stop` or a failed assertion has been met.
    pub fn check_status(&self) -> Result<(), Error> {
        self.enter();
        if verilated::got_finish() {
            return Err(Error::Finished);
        }
        // SAFETY: `sim` lives as long as `self`.
        match unsafe { (self.model.raw.error_count)(self.sim) } {
            0 => Ok(()),
            _ => Err(Error::Assertion),
        }
    }

    /// Makes the instance the one that this thread's calls of the crate `verilated` are about.
    fn enter(&self) {
        // SAFETY: `sim` lives as long as `self`.
        unsafe { (self.model.raw.enter)(self.sim) }
    }

    /// Opens an FST file; needs the trace flavour. Nothing is written before `trace_dump`.
    pub fn trace_open(&mut self, path: &Path) -> Result<(), Error> {
        let text = CString::new(path.as_os_str().as_encoded_bytes());
        let text = text.map_err(|_| Error::Io(path.into(), "path contains a NUL byte".into()))?;
        let can_create = std::fs::File::create(path);
        can_create.map_err(|e| Error::Io(path.into(), e.to_string()))?;
        self.enter();
        verilated::trace_ever_on(true);
        // SAFETY: `sim` lives as long as `self`; the shim copies the path.
        match unsafe { (self.model.raw.trace_open)(self.sim, text.as_ptr()) } {
            0 => Err(Error::Flavour("trace")),
            _ => Ok(()),
        }
    }

    /// Writes all signals at `time_ns` to the open FST file.
    pub fn trace_dump(&mut self, time_ns: u64) {
        // SAFETY: `sim` lives as long as `self`.
        unsafe { (self.model.raw.trace_dump)(self.sim, time_ns) }
    }

    /// Writes the coverage points for `verilator_coverage`; needs the coverage flavour.
    pub fn write_coverage(&mut self, path: &Path) -> Result<(), Error> {
        let text = CString::new(path.as_os_str().as_encoded_bytes());
        let text = text.map_err(|_| Error::Io(path.into(), "path contains a NUL byte".into()))?;
        // SAFETY: `sim` lives as long as `self`.
        match unsafe { (self.model.raw.coverage)(self.sim, text.as_ptr()) } {
            0 => Err(Error::Flavour("coverage")),
            _ => Ok(()),
        }
    }

    /// Address of a port's storage.
    pub(super) fn port_address(&self, index: usize) -> *mut u8 {
        assert!(index < self.model.ports.len(), "port index out of range");
        // SAFETY: the index is in range and `sim` lives as long as `self`.
        unsafe { (self.model.raw.port)(self.sim, index as c_uint).cast() }
    }
}

/// A register or wire that a model shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Register {
    /// Its storage, or that of word 0 of a memory.
    pub(super) address: *mut u8,
    /// Width of a word.
    pub(super) bits: usize,
    /// 1 unless it is a memory.
    pub(super) word_count: usize,
}

impl Register {
    /// Bytes from one word to the next.
    pub(super) fn word_bytes(&self) -> usize {
        match self.bits {
            0..=8 => 1,
            9..=16 => 2,
            17..=32 => 4,
            33..=64 => 8,
            _ => 4 * self.bits.div_ceil(32),
        }
    }
}

/// Adds a register to the list that `to` points to.
extern "C" fn list_register(
    to: *mut c_void,
    scope: *const c_char,
    name: *const c_char,
    bits: c_uint,
    words: c_uint,
    data: *mut c_void,
) {
    let text = |s| {
        // SAFETY: the shim gives strings of the model.
        unsafe { CStr::from_ptr(s) }.to_string_lossy()
    };
    let (bits, word_count) = (bits as usize, words as usize);
    let register = Register { address: data.cast(), bits, word_count };
    // SAFETY: `registers` gives its own list.
    let list = unsafe { &mut *to.cast::<Vec<(String, Register)>>() };
    list.push((format!("{}.{}", text(scope), text(name)), register));
}

impl Instance {
    /// All that the model shows below its top, with paths as in [`Instance::register`].
    pub(super) fn registers(&self) -> Vec<(String, Register)> {
        let mut list: Vec<(String, Register)> = Vec::new();
        let to = (&raw mut list).cast();
        // SAFETY: `sim` lives as long as `self`; the list outlives the call.
        unsafe { (self.model.raw.variables)(self.sim, list_register, to) };
        let top = format!("top.{}.", self.model.top);
        let below = |(path, register): (String, Register)| {
            Some((path.strip_prefix(&top)?.to_string(), register))
        };
        list.into_iter().filter_map(below).collect()
    }

    /// The register `path`, instances and name joined by dots.
    pub(super) fn register(&self, path: &str) -> Option<Register> {
        let below_top = format!("top.{}.{path}", self.model.top);
        let (scope, name) = below_top.rsplit_once('.')?;
        let (scope, name) = (CString::new(scope).ok()?, CString::new(name).ok()?);
        let (mut bits, mut words) = (0, 0);
        // SAFETY: `sim` lives as long as `self`; the strings and numbers outlive the call.
        let address = unsafe {
            let register = self.model.raw.register;
            register(self.sim, scope.as_ptr(), name.as_ptr(), &mut bits, &mut words).cast::<u8>()
        };
        let (bits, word_count) = (bits as usize, words as usize);
        (!address.is_null()).then_some(Register { address, bits, word_count })
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: `sim` came from `create` and is not used again.
        unsafe { (self.model.raw.destroy)(self.sim) }
    }
}

/// Spreads a seed over 31 bits: Verilator's generator starts badly from small ones, and 0 means
/// "not seeded".
fn scramble(seed: u64) -> c_int {
    let mixed = (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed >> 33) as c_int & 0x7fff_ffff).max(1)
}
