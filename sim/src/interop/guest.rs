//! A QEMU guest: its process, console, command line, network link and clock.
//!
//! QEMU connects to four sockets of ours. Threads turn what comes from them into one queue of
//! [`Event`]s and write what goes out, so that neither side ever waits for the other.

use nic_spec::wire::ethernet::FRAME_BYTES_MIN;
use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// QEMU must connect within this time.
const CONNECT_LIMIT: Duration = Duration::from_secs(20);
/// QEMU answers a monitor command within this time.
const MONITOR_LIMIT: Duration = Duration::from_secs(20);
/// Console lines that an error shows.
const CONSOLE_LINES: usize = 12;
/// Longest frame that is believed.
const FRAME_BYTES_MAX: usize = 65_536;
/// Its network device. When QEMU stops the clock it throws away the frames that wait for room in
/// the guest: with the longest ring there is, hardly any do.
const DEVICE: &str = "virtio-net-pci,netdev=net,romfile=,rx_queue_size=1024";
/// An emulated machine is slow: it gets no safeguards of real CPUs, and its timer may be late.
const KERNEL_ARGUMENTS: &str = "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check";
/// Memory of the guest.
const MEMORY_MB: &str = "256";

/// Something that the guest did.
#[derive(Debug)]
pub enum Event {
    /// A frame, padded as a MAC would.
    Frame(Vec<u8>),
    /// A line on the console.
    Console(String),
    /// A line in answer to a command.
    Answer(String),
    /// QEMU has gone.
    Closed,
}

/// Where a guest's kernel is and what it is called.
#[derive(Clone, Debug)]
pub struct Image {
    /// Linux kernel.
    pub kernel: PathBuf,
    /// Initial RAM disk.
    pub initrd: PathBuf,
    /// Version of the kernel.
    pub version: String,
}

impl Image {
    /// The image that `scripts/guest/build` left in `folder`.
    pub fn open(folder: &Path) -> Result<Self, GuestError> {
        let file = |name: &str| {
            let path = folder.join(name);
            if path.exists() {
                return Ok(path);
            }
            Err(GuestError(format!("{}: not there; scripts/guest/build makes it", path.display())))
        };
        let version = std::fs::read_to_string(file("version")?).unwrap_or_default();
        let (kernel, initrd) = (file("vmlinuz")?, file("initrd.img")?);
        Ok(Self { kernel, initrd, version: version.trim().to_string() })
    }
}

/// Why a guest cannot be run, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestError(pub String);

impl fmt::Display for GuestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for GuestError {}

fn failed(what: &str) -> impl FnOnce(io::Error) -> GuestError + '_ {
    move |error| GuestError(format!("{what}: {error}"))
}

/// QEMU's monitor.
#[derive(Debug)]
struct Monitor {
    input: BufReader<UnixStream>,
    output: UnixStream,
}

impl Monitor {
    fn open(stream: UnixStream) -> Result<Self, GuestError> {
        let output = stream.try_clone().map_err(failed("QEMU monitor"))?;
        output.set_read_timeout(Some(MONITOR_LIMIT)).map_err(failed("QEMU monitor"))?;
        let mut monitor = Self { input: BufReader::new(stream), output };
        monitor.run("qmp_capabilities")?;
        Ok(monitor)
    }

    /// Runs a command without arguments; events and the greeting are skipped.
    fn run(&mut self, command: &str) -> Result<(), GuestError> {
        let text = format!("{{\"execute\": \"{command}\"}}\n");
        self.output.write_all(text.as_bytes()).map_err(failed("QEMU monitor"))?;
        loop {
            let mut line = String::new();
            let count = self.input.read_line(&mut line).map_err(failed("QEMU monitor"))?;
            if line.starts_with("{\"return\"") {
                return Ok(());
            }
            if count == 0 || line.starts_with("{\"error\"") {
                return Err(GuestError(format!("QEMU monitor: {command}: {}", line.trim())));
            }
        }
    }
}

/// A process that ends with its owner.
#[derive(Debug)]
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A folder that goes with its owner.
#[derive(Debug)]
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A running guest. It ends when this is dropped.
#[derive(Debug)]
pub struct Guest {
    _process: Process,
    _folder: Folder,
    monitor: Monitor,
    control: UnixStream,
    frames: Sender<Vec<u8>>,
    events: Receiver<Event>,
    console: VecDeque<String>,
    /// When the clock was last let go, if it runs.
    running_since: Option<Instant>,
    /// Time it ran before.
    ran: Duration,
}

impl Guest {
    /// Starts `image`; its network interface gets this address and MTU.
    pub fn start(image: &Image, mac: u64, ip: &str, mtu: u32) -> Result<Self, GuestError> {
        let unique = format!("nic-interop-{}-{}", std::process::id(), image.version);
        let folder = Folder(std::env::temp_dir().join(unique));
        std::fs::create_dir_all(&folder.0).map_err(failed("temporary folder"))?;
        let mut listeners = Vec::new();
        for name in ["console", "control", "monitor"] {
            let path = folder.0.join(name);
            let _ = std::fs::remove_file(&path);
            let listener = UnixListener::bind(&path).map_err(failed("socket"))?;
            listener.set_nonblocking(true).map_err(failed("socket"))?;
            listeners.push(listener);
        }
        let link = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed("network socket"))?;
        link.set_nonblocking(true).map_err(failed("network socket"))?;
        let port = link.local_addr().map_err(failed("network socket"))?.port();
        let append = format!("{KERNEL_ARGUMENTS} peer.ip={ip}/24 peer.mtu={mtu}");
        let process = command(image, &folder.0, port, mac, &append).stderr(Stdio::piped()).spawn();
        let what = "qemu-system-x86_64 does not start; scripts/setup --interop installs it";
        let mut process = Process(process.map_err(failed(what))?);
        let mut streams = Vec::new();
        for listener in &listeners {
            streams.push(accept(|| listener.accept().map(|(s, _)| s), &mut process.0)?);
        }
        let net = accept(|| link.accept().map(|(s, _)| s), &mut process.0)?;
        net.set_nodelay(true).map_err(failed("network socket"))?;
        let mut streams = streams.into_iter();
        let mut next = || streams.next().expect("one stream a name");
        let (console, control, monitor) = (next(), next(), next());
        let (sender, events) = mpsc::channel();
        read_lines(console, sender.clone(), Event::Console);
        let answers = control.try_clone().map_err(failed("control socket"))?;
        read_lines(answers, sender.clone(), Event::Answer);
        let frames = write_frames(net.try_clone().map_err(failed("network socket"))?);
        read_frames(net, sender);
        Ok(Self {
            _process: process,
            _folder: folder,
            monitor: Monitor::open(monitor)?,
            control,
            frames,
            events,
            console: VecDeque::new(),
            running_since: Some(Instant::now()),
            ran: Duration::ZERO,
        })
    }

    /// The next event, waited for at most this long. Console lines are kept for errors.
    pub fn poll(&mut self, limit: Duration) -> Option<Event> {
        let event = match self.events.recv_timeout(limit) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => Event::Closed,
        };
        if let Event::Console(line) = &event {
            self.console.push_back(line.clone());
            if self.console.len() > CONSOLE_LINES {
                self.console.pop_front();
            }
        }
        Some(event)
    }

    /// The last lines of the console.
    pub fn console_tail(&self) -> String {
        let lines: Vec<&str> = self.console.iter().map(String::as_str).collect();
        lines.join("\n")
    }

    /// Sends a command line.
    pub fn tell(&mut self, line: &str) -> Result<(), GuestError> {
        writeln!(self.control, "{line}").map_err(failed("control socket"))
    }

    /// Sends a frame to the guest.
    pub fn send(&mut self, frame: Vec<u8>) {
        // The thread ends only with QEMU, which is noticed as Event::Closed.
        let _ = self.frames.send(frame);
    }

    /// Stops the guest's clock.
    pub fn hold(&mut self) -> Result<(), GuestError> {
        if let Some(since) = self.running_since.take() {
            self.ran += since.elapsed();
            self.monitor.run("stop")?;
        }
        Ok(())
    }

    /// Lets the guest's clock run.
    pub fn release(&mut self) -> Result<(), GuestError> {
        if self.running_since.is_none() {
            self.monitor.run("cont")?;
            self.running_since = Some(Instant::now());
        }
        Ok(())
    }

    /// How long the guest's clock has run.
    pub fn ran(&self) -> Duration {
        self.ran + self.running_since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

fn command(image: &Image, folder: &Path, port: u16, mac: u64, append: &str) -> Command {
    let octets: Vec<String> = mac.to_be_bytes()[2..].iter().map(|b| format!("{b:02x}")).collect();
    let socket = |id: &str| format!("socket,id={id},path={},server=off", folder.join(id).display());
    let link =
        format!("stream,id=net,server=off,addr.type=inet,addr.host=127.0.0.1,addr.port={port}");
    // QEMU must not outlive us, whatever ends us.
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "qemu-system-x86_64"])
        .args(["-M", "pc", "-accel", "tcg", "-m", MEMORY_MB, "-nodefaults", "-no-reboot"])
        .args(["-display", "none"])
        .arg("-kernel")
        .arg(&image.kernel)
        .arg("-initrd")
        .arg(&image.initrd)
        .args(["-append", append])
        .args(["-chardev", &socket("console"), "-serial", "chardev:console"])
        .args(["-chardev", &socket("control"), "-serial", "chardev:control"])
        .args(["-chardev", &socket("monitor"), "-mon", "chardev=monitor,mode=control"])
        .args(["-netdev", &link])
        .args(["-device", &format!("{DEVICE},mac={}", octets.join(":"))])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

/// QEMU's connection; an error if it ends or does not come.
fn accept<S>(
    mut take: impl FnMut() -> io::Result<S>,
    process: &mut Child,
) -> Result<S, GuestError> {
    let end = Instant::now() + CONNECT_LIMIT;
    loop {
        if let Ok(stream) = take() {
            return Ok(stream);
        }
        if let Ok(Some(status)) = process.try_wait() {
            let mut text = String::new();
            if let Some(mut errors) = process.stderr.take() {
                let _ = errors.read_to_string(&mut text);
            }
            return Err(GuestError(format!("QEMU ended ({status}): {}", text.trim())));
        }
        if Instant::now() > end {
            return Err(GuestError("QEMU does not connect to its sockets".into()));
        }
        thread::sleep(Duration::from_millis(5));
    }
}

fn read_lines(stream: UnixStream, events: Sender<Event>, event: fn(String) -> Event) {
    thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
            let text = String::from_utf8_lossy(&line);
            if events.send(event(text.trim_end().to_string())).is_err() {
                return;
            }
        }
        let _ = events.send(Event::Closed);
    });
}

/// On the link a frame stands behind its length, 4 bytes big-endian.
fn read_frames(stream: TcpStream, events: Sender<Event>) {
    thread::spawn(move || {
        let mut stream = BufReader::with_capacity(1 << 18, stream);
        let mut length = [0; 4];
        while stream.read_exact(&mut length).is_ok() {
            let length = u32::from_be_bytes(length) as usize;
            let mut frame = vec![0; length.min(FRAME_BYTES_MAX)];
            if stream.read_exact(&mut frame).is_err() {
                break;
            }
            frame.resize(frame.len().max(FRAME_BYTES_MIN), 0);
            if events.send(Event::Frame(frame)).is_err() {
                return;
            }
        }
        let _ = events.send(Event::Closed);
    });
}

fn write_frames(mut stream: TcpStream) -> Sender<Vec<u8>> {
    let (sender, frames) = mpsc::channel::<Vec<u8>>();
    thread::spawn(move || {
        for frame in frames {
            let mut bytes = (frame.len() as u32).to_be_bytes().to_vec();
            bytes.extend(frame);
            if stream.write_all(&bytes).is_err() {
                return;
            }
        }
    });
    sender
}
