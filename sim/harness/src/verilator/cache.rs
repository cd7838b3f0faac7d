//! From Verilog text to a shared library, cached by content.

use super::draws;
use super::error::Error;
use super::model::Model;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

const SHIM: &str = include_str!("cpp/shim.inc");
const FATAL_H: &str = include_str!("cpp/fatal.h");
const DRAW_H: &str = include_str!("cpp/draw.h");
/// Registers that a model shows under their names.
const STARTS: &str = include_str!("starts.vlt");

/// Bytes of optimised C++ in one translation unit: small enough to keep all cores busy.
const UNIT_BYTES: u64 = 500_000;

/// Models that no run has wanted for this long are removed from the cache.
const KEEP: Duration = Duration::from_secs(7 * 24 * 3600);

/// What all models include, precompiled once per flavour: saves 0.5 s a translation unit. What moves
/// bits of wide signals is inlined: where to is known then, and need not be found out in each cycle.
const COMMON_H: &str = "\
#include \"verilated.h\"
#if __OPTIMIZE__
static inline void _vl_insert_WW(WDataOutP, WDataInP const, int, int, int)
    __attribute__((always_inline));
static inline WDataOutP VL_SHIFTL_WWI(int, int, int, WDataOutP, WDataInP const, IData)
    __attribute__((always_inline));
#endif
#include <stdexcept>
#include <string>
#if VM_TRACE_FST
#include \"verilated_fst_c.h\"
#endif
#if VM_COVERAGE
#include \"verilated_cov.h\"
#endif
";

/// What a model is built for. Traces and coverage cost speed, so each is a build of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// Nothing but the outputs.
    Fast,
    /// Compiled without optimisation: quickest to build, for short runs of many models.
    Quick,
    /// Can write FST waveforms.
    Trace,
    /// Counts covered lines and toggles.
    Coverage,
    /// Shows all registers and wires under their names.
    Open,
}

/// Cycles from which [`Flavour::Fast`] is the sooner done than [`Flavour::Quick`], the build of the
/// whole NIC of `gbe` included.
const FAST_CYCLES: u64 = 60_000;

/// `-O2` makes the NIC of `gbe` 5 % faster and that of `hundred` 25 %, and builds for twice as long.
const OPTIMISED: &[&str] =
    &["-O1", "-fpeel-loops", "-funroll-loops", "-fschedule-insns2", "-fstore-merging"];
/// Loops of Verilog of up to so many turns are unrolled: over the bytes of the widest row.
const UNROLLED: &str = "256";

impl Flavour {
    /// What suits a model that is to run for so many cycles, those of all its instances together.
    pub fn for_cycles(cycles: u64) -> Self {
        match cycles {
            0..FAST_CYCLES => Self::Quick,
            FAST_CYCLES.. => Self::Fast,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Quick => "quick",
            Self::Trace => "trace",
            Self::Coverage => "coverage",
            Self::Open => "open",
        }
    }

    fn verilator_flags(self) -> &'static [&'static str] {
        match self {
            Self::Fast | Self::Quick => &[],
            Self::Trace => &["--trace-fst"],
            Self::Coverage => &["--coverage-line", "--coverage-toggle"],
            Self::Open => &["--public-flat-rw"],
        }
    }

    fn cxx_flags(self) -> &'static [&'static str] {
        match self {
            Self::Fast | Self::Open => OPTIMISED,
            Self::Quick => &["-O0"],
            Self::Trace => &["-O1", "-DVM_TRACE=1", "-DVM_TRACE_FST=1"],
            Self::Coverage => &["-O1", "-DVM_COVERAGE=1"],
        }
    }
}

/// Verilog of one design.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// Name of the top module.
    pub top: String,
    /// Verilog text; error messages call it `file_name`.
    pub text: String,
    /// What messages of the compiler call the text.
    pub file_name: String,
    /// More files, for example a cell library under a netlist.
    pub files: Vec<PathBuf>,
}

impl Source {
    /// Verilog `text` whose top module is `top`.
    pub fn new(top: &str, text: &str) -> Self {
        let file_name = format!("{top}.v");
        Self { top: top.into(), text: text.into(), file_name, files: Vec::new() }
    }

    /// The Verilog file at `path`, whose top module is `block`, or behind a prefix: the only one
    /// that is called `<prefix>_<block>`.
    pub fn read(block: &str, path: &Path) -> Result<Self, Error> {
        let text = read_text(path)?;
        let file_name = path.file_name().map(|n| n.to_string_lossy().into_owned());
        let file_name = file_name.unwrap_or_else(|| format!("{block}.v"));
        let top = top_of(block, &text).into();
        Ok(Self { top, text, file_name, files: Vec::new() })
    }

    /// The model in this flavour: from memory, from the cache on disk, or built now.
    pub fn model(&self, flavour: Flavour) -> Result<Arc<Model>, Error> {
        type Loaded = Mutex<HashMap<String, Arc<Model>>>;
        static LOADED: OnceLock<Loaded> = OnceLock::new();
        let key = self.key(flavour)?;
        let loaded = LOADED.get_or_init(Loaded::default);
        if let Some(model) = loaded.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(model.clone());
        }
        let library = self.build(flavour, &key)?;
        let model = Arc::new(Model::load(&self.top, &library)?);
        loaded.lock().unwrap_or_else(PoisonError::into_inner).insert(key, model.clone());
        Ok(model)
    }

    /// Whether Verilator takes it; refuses latches, as lint does in any Verilog that is emitted.
    pub fn check(&self) -> Result<(), Error> {
        let name = format!("{}_check_{:?}", self.top, std::thread::current().id());
        let dir = std::env::temp_dir().join(format!("nic_{}_{name}", std::process::id()));
        empty_dir(&dir)?;
        let result = self.verilator(&dir, &["--lint-only", "-Wwarn-LATCH", "-Werror-LATCH"]);
        let _ = fs::remove_dir_all(&dir);
        result
    }

    /// Name of the cache entry: everything that the library depends on is hashed into it.
    fn key(&self, flavour: Flavour) -> Result<String, Error> {
        let mut texts = vec![self.text.clone()];
        for path in &self.files {
            texts.push(read_text(path)?);
        }
        let tools = tools()?;
        let hash = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, &self.top, &self.file_name, &texts, flavour, tools).hash(&mut hasher);
            (
                SHIM,
                FATAL_H,
                DRAW_H,
                COMMON_H,
                STARTS,
                UNROLLED,
                flavour.verilator_flags(),
                flavour.cxx_flags(),
            )
                .hash(&mut hasher);
            hasher.finish()
        };
        Ok(format!("{}_{}_{:016x}{:016x}", self.top, flavour.name(), hash(0), hash(1)))
    }

    /// Builds the library of this entry unless it is there; other processes wait meanwhile.
    fn build(&self, flavour: Flavour, key: &str) -> Result<PathBuf, Error> {
        let dir = cache_dir().join(key);
        let library = dir.join("model.so");
        if library.exists() {
            // The time of the last use, for `prune`.
            if let Ok(file) = fs::File::open(&library) {
                let _ = file.set_modified(SystemTime::now());
            }
            return Ok(library);
        }
        static PRUNE: Once = Once::new();
        PRUNE.call_once(prune);
        let _lock = lock(key)?;
        if !library.exists() {
            // File names carry hashes: the remains of a broken run must not mix with ours.
            empty_dir(&dir)?;
            let result = self.verilate(flavour, key, &dir).and_then(|()| link(flavour, &dir));
            tidy(&dir);
            result?;
        }
        Ok(library)
    }

    /// Runs Verilator in `dir` with these arguments besides those that are always the same.
    fn verilator(&self, dir: &Path, arguments: &[&str]) -> Result<(), Error> {
        let (text_path, starts_path) = (dir.join(&self.file_name), dir.join("starts.vlt"));
        io(&text_path, fs::write(&text_path, &self.text))?;
        io(&starts_path, fs::write(&starts_path, STARTS))?;
        let mut command = Command::new("verilator");
        command.args(["--no-timing", "--timescale", "1ns/1ns", "-Wno-fatal"]);
        command.args(["-Wno-lint", "-Wno-style"]).args(arguments);
        command.args(["--top-module", &self.top, "--Mdir"]).arg(dir);
        command.args([&starts_path, &text_path]).args(&self.files);
        let output = command.output().map_err(|_| Error::NotInstalled("verilator"))?;
        if output.status.success() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(Error::Verilog(first_message(&stderr, dir)))
    }

    /// Verilog to C++, with the shim that makes a C interface of it.
    fn verilate(&self, flavour: Flavour, key: &str, dir: &Path) -> Result<(), Error> {
        // A class name of its own: two models in one process never share a symbol.
        let prefix = format!("V{key}");
        let head = ["--cc", "-O3", "--x-initial", "unique", "--x-assign", "unique"];
        let sizes = ["--unroll-count", UNROLLED, "--prefix", &prefix];
        let arguments = [&head[..], &sizes, flavour.verilator_flags()].concat();
        self.verilator(dir, &arguments)?;
        let header_path = dir.join(format!("{prefix}.h"));
        let table = port_table(&read_text(&header_path)?);
        for path in sources(dir)? {
            let text = read_text(&path)?;
            if let Cow::Owned(text) = draws::named(&text) {
                io(&path, fs::write(&path, text))?;
            }
        }
        let shim = format!(
            "#include \"{prefix}.h\"\n#define TOP {prefix}\n#define PORTS{table}\n\
             #include \"shim.inc\"\n"
        );
        for (name, text) in [("shim.cpp", &*shim), ("shim.inc", SHIM), ("fatal.h", FATAL_H)] {
            let path = dir.join(name);
            io(&path, fs::write(&path, text))?;
        }
        Ok(())
    }
}

/// `P(name, bits, direction)` for each port that the model's header declares.
fn port_table(header: &str) -> String {
    let entry = |line: &str| {
        let (kind, rest) = line.trim().strip_prefix("VL_")?.split_once("(&")?;
        let direction = match kind {
            _ if kind.starts_with("INOUT") => 'x',
            _ if kind.starts_with("IN") => 'i',
            _ if kind.starts_with("OUT") => 'o',
            _ => return None,
        };
        let mut fields = rest.trim_end_matches(");").split(',');
        let name = fields.next()?;
        let high: u32 = fields.next()?.parse().ok()?;
        let low: u32 = fields.next()?.parse().ok()?;
        Some(format!(" P({name}, {}, '{direction}')", high - low + 1))
    };
    header.lines().filter_map(entry).collect()
}

/// The C++ files in `dir`.
fn sources(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = io(dir, fs::read_dir(dir))?.map(|entry| Ok(io(dir, entry)?.path()));
    let paths = entries.collect::<Result<Vec<_>, Error>>()?;
    Ok(paths.into_iter().filter(|path| path.extension().is_some_and(|e| e == "cpp")).collect())
}

/// All C++ in `dir` to `dir/model.so`.
fn link(flavour: Flavour, dir: &Path) -> Result<(), Error> {
    let units = unity_units(dir)?;
    let common = precompiled(flavour)?;
    let objects: Vec<PathBuf> = units.iter().map(|unit| unit.with_extension("o")).collect();
    let compile = |unit: &Path, object: &Path| {
        let mut command = cxx(flavour)?;
        command.arg("-include").arg(&common).arg(format!("-I{}", dir.display()));
        run_cxx(command.arg("-c").arg(unit).arg("-o").arg(object))
    };
    let next = std::sync::atomic::AtomicUsize::new(0);
    let worker = || loop {
        let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let Some(unit) = units.get(at) else { return Ok(()) };
        compile(unit, &objects[at])?;
    };
    let worker_count = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..worker_count.min(units.len())).map(|_| scope.spawn(worker)).collect();
        let join = |w: std::thread::ScopedJoinHandle<'_, Result<(), Error>>| {
            w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect::<Result<Vec<()>, Error>>()
    })?;
    let unfinished = dir.join("unfinished.so");
    let mut command = Command::new("g++");
    command.args(["-shared", "-Wl,-Bsymbolic", "-o"]).arg(&unfinished).args(&objects);
    run_cxx(&mut command)?;
    io(&unfinished, fs::rename(&unfinished, dir.join("model.so")))
}

/// Groups the C++ files of `dir` into translation units of about [`UNIT_BYTES`]. What Verilator
/// calls slow (reset, initial settling, names for the trace) runs once in a model's life and is
/// compiled without optimisation, for a quarter of the time a byte.
fn unity_units(dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in sources(dir)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = io(&path, fs::metadata(&path))?.len();
        let is_slow = name.contains("__Slow");
        files.push((if is_slow { bytes / 4 } else { bytes }, is_slow, name));
    }
    files.sort();
    let total: u64 = files.iter().map(|(cost, ..)| cost).sum();
    let mut units = vec![(0, String::new(), String::new()); (total / UNIT_BYTES + 1) as usize];
    for (cost, is_slow, name) in files.iter().rev() {
        if let Some((sum, fast, slow)) = units.iter_mut().min_by_key(|(sum, ..)| *sum) {
            *sum += cost;
            *if *is_slow { slow } else { fast } += &format!("#include \"{name}\"\n");
        }
    }
    let write = |(i, (_, fast, slow)): (usize, &(u64, String, String))| {
        let path = dir.join(format!("unit{i}.cxx"));
        let text = format!("{fast}#pragma GCC optimize (\"O0\")\n{slow}");
        io(&path, fs::write(&path, text)).map(|()| path)
    };
    units.iter().enumerate().map(write).collect()
}

/// The header to include first in every unit; its precompiled form lies beside it.
fn precompiled(flavour: Flavour) -> Result<PathBuf, Error> {
    let mut hasher = DefaultHasher::new();
    (tools()?, COMMON_H, DRAW_H, flavour.cxx_flags()).hash(&mut hasher);
    let key = format!("common_{}_{:016x}", flavour.name(), hasher.finish());
    let dir = cache_dir().join(&key);
    let (header, compiled) = (dir.join("common.h"), dir.join("common.h.gch"));
    if compiled.exists() {
        return Ok(header);
    }
    let _lock = lock(&key)?;
    if !compiled.exists() {
        empty_dir(&dir)?;
        io(&header, fs::write(&header, [COMMON_H, DRAW_H].concat()))?;
        let unfinished = dir.join("unfinished.gch");
        let mut command = cxx(flavour)?;
        run_cxx(command.args(["-x", "c++-header"]).arg(&header).arg("-o").arg(&unfinished))?;
        io(&compiled, fs::rename(&unfinished, &compiled))?;
    }
    Ok(header)
}

/// The compiler with all flags but the files.
fn cxx(flavour: Flavour) -> Result<Command, Error> {
    let include = &tools()?.include;
    let mut command = Command::new("g++");
    command.args(["-std=gnu++17", "-fPIC", "-faligned-new", "-fcf-protection=none", "-w"]);
    command.args(flavour.cxx_flags());
    command.arg(format!("-I{include}")).arg(format!("-I{include}/vltstd"));
    Ok(command)
}

/// Waits until no other process builds the cache entry `key`; released when dropped.
fn lock(key: &str) -> Result<fs::File, Error> {
    io(cache_dir(), fs::create_dir_all(cache_dir()))?;
    let path = cache_dir().join(format!("{key}.lock"));
    let file = io(&path, fs::File::create(&path))?;
    io(&path, file.lock())?;
    Ok(file)
}

fn empty_dir(dir: &Path) -> Result<(), Error> {
    let _ = fs::remove_dir_all(dir);
    io(dir, fs::create_dir_all(dir))
}

fn run_cxx(command: &mut Command) -> Result<(), Error> {
    let output = command.output().map_err(|_| Error::NotInstalled("g++"))?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let first = stderr.lines().find(|l| l.contains("error")).unwrap_or("g++ failed");
    Err(Error::Compile(first.into()))
}

/// Leaves only the library (and after a failure nothing) of a build.
fn tidy(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for path in entries.filter_map(|e| Some(e.ok()?.path())) {
        if path.file_name().is_some_and(|n| n != "model.so") {
            let _ = fs::remove_file(path);
        }
    }
}

/// The first error in Verilator's messages, without our build folder and the marker.
fn first_message(stderr: &str, dir: &Path) -> String {
    let line = stderr.lines().find(|l| l.starts_with("%Error"));
    let line = line.or(stderr.lines().next()).unwrap_or("verilator failed without a message");
    let line = line.replace(&format!("{}/", dir.display()), "");
    let line = line.strip_prefix("%Error").unwrap_or(&line);
    // `-NAME: file:line:column: text` or `: file:line:column: text`
    line.split_once(": ").map_or(line, |(_, rest)| rest).trim().into()
}

/// Versions and folders of the tools: asked once.
#[derive(Clone, Debug, Hash)]
struct Tools {
    verilator_version: String,
    cxx_version: String,
    include: String,
}

fn tools() -> Result<&'static Tools, Error> {
    static TOOLS: OnceLock<Result<Tools, Error>> = OnceLock::new();
    let ask = |tool: &'static str, args: &[&str]| {
        let output = Command::new(tool).args(args).output();
        let output = output.map_err(|_| Error::NotInstalled(tool))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let find = || {
        let root = ask("verilator", &["--getenv", "VERILATOR_ROOT"])?;
        Ok(Tools {
            verilator_version: ask("verilator", &["--version"])?,
            cxx_version: ask("g++", &["-dumpfullversion", "-dumpmachine"])?,
            include: format!("{root}/include"),
        })
    };
    TOOLS.get_or_init(find).as_ref().map_err(Clone::clone)
}

/// `$NIC_CACHE`; else `verilated` in the cargo target folder that this program lies in; else the
/// user's cache folder.
fn cache_dir() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        if let Some(dir) = std::env::var_os("NIC_CACHE") {
            return PathBuf::from(dir);
        }
        let program = std::env::current_exe().unwrap_or_default();
        // Cargo marks its target folders with this file.
        match program.ancestors().find(|dir| dir.join("CACHEDIR.TAG").is_file()) {
            Some(target) => target.join("verilated"),
            None => {
                let home = std::env::var_os("HOME").map_or_else(std::env::temp_dir, PathBuf::from);
                home.join(".cache").join("rdma-nic")
            }
        }
    })
}

/// Removes models that have not been used for [`KEEP`].
fn prune() {
    let Ok(entries) = fs::read_dir(cache_dir()) else { return };
    let age = |path: &Path| fs::metadata(path).ok()?.modified().ok()?.elapsed().ok();
    for dir in entries.filter_map(|e| Some(e.ok()?.path())) {
        if age(&dir.join("model.so")).is_some_and(|age| age > KEEP) {
            let _ = fs::remove_dir_all(&dir);
            let _ = fs::remove_file(dir.with_extension("lock"));
        }
    }
}

fn read_text(path: &Path) -> Result<String, Error> {
    let bytes = io(path, fs::read(path))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn io<T>(path: &Path, result: std::io::Result<T>) -> Result<T, Error> {
    result.map_err(|e| Error::Io(path.into(), e.to_string()))
}

/// The module of `text` that is `block`.
fn top_of<'a>(block: &'a str, text: &'a str) -> &'a str {
    let heads = text.lines().filter_map(|line| line.trim_start().strip_prefix("module "));
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let names = heads.filter_map(|head| head.trim_start().split(is_end).next());
    let is_block =
        |name: &&str| name.strip_suffix(block).is_some_and(|prefix| prefix.ends_with('_'));
    let names: Vec<&str> = names.collect();
    let mut prefixed = names.iter().copied().filter(is_block);
    match (prefixed.next(), prefixed.next()) {
        (Some(name), None) if !names.contains(&block) => name,
        _ => block,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_table_reads_all_widths() {
        let header =
            "    VL_IN8(&clock,0,0);\n    VL_OUT64(&sum,39,0);\n    VL_INW(&d,511,0,16);\n";
        assert_eq!(port_table(header), " P(clock, 1, 'i') P(sum, 40, 'o') P(d, 512, 'i')");
    }

    #[test]
    fn first_message_drops_marker_and_folder() {
        let stderr = "%Warning-WIDTH: /x/a.v:1:1: w\n%Error: /x/a.v:3:5: syntax error\n%Error: z\n";
        assert_eq!(first_message(stderr, Path::new("/x")), "a.v:3:5: syntax error");
    }
}
