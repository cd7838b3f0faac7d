//! `nic board`: the whole NIC on a board at a serial port. What it can do by hand, and a WRITE and
//! a READ to see it work.

use super::error::CliError;
use super::files;
use crate::board::{AccessError, LineError, Registers};
use clap::{Args, Subcommand};
use nic_driver::rings::HostMemory;
use nic_driver::{MrRow, Nic, Qp, QpConfig, Read, Status, Write};
use nic_spec::regs::{self, Access, Register};
use nic_spec::serial::HOST_MEMORY_BYTES;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long the example waits for a completion: longer than all retries of a queue pair.
const COMPLETION_WAIT: Duration = Duration::from_secs(20);
/// The example's own address.
const HERE: (u64, u32) = (0x0200_0000_0001, 0x0a00_0001);
/// The example's queue pair.
const QPN: u32 = 0x100;
/// Where the example's things stand in host memory: what the peer may write and read, the message,
/// and what is read back.
const OPEN: u64 = 0;
const MESSAGE: u64 = 0x2000;
const BACK: u64 = 0x3000;
/// Longest message of the example.
const MESSAGE_BYTES_MAX: u32 = (BACK - MESSAGE) as u32;
/// Bytes of a gigabit line in a second.
const LINE_BYTES_PER_S: u64 = 125_000_000;

/// Arguments of `nic board`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Serial port of the board
    #[arg(long, value_name = "TTY")]
    port: String,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Says which NIC is there
    Probe,
    /// Reads registers by name, `row_data[3]` in an array; without a name all
    Read {
        /// Names as on the page fw/registers.md, in lower case
        names: Vec<String>,
    },
    /// Writes a register
    Write {
        /// Name
        name: String,
        /// Value, decimal or with 0x
        #[arg(value_parser = word)]
        value: u32,
    },
    /// Reads the event counters that are not 0
    Counters {
        /// Those that are 0 too
        #[arg(long)]
        all: bool,
    },
    /// Loads a file into host memory
    Load {
        /// Address, a multiple of 4
        #[arg(value_parser = word)]
        address: u32,
        /// The file; zeros fill its last word
        file: PathBuf,
    },
    /// Shows host memory
    Dump {
        /// Address, a multiple of 4
        #[arg(value_parser = word)]
        address: u32,
        /// Bytes, a multiple of 4
        #[arg(value_parser = word)]
        bytes: u32,
        /// Writes them to a file instead
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// WRITEs a message to the peer, READs it back, compares
    Example(Example),
}

/// The peer of the example, and how long the message is.
#[derive(Debug, Args)]
struct Example {
    /// MAC address of the peer
    #[arg(long, default_value = "02:00:00:00:00:02", value_parser = mac)]
    peer_mac: u64,
    /// IPv4 address of the peer
    #[arg(long, default_value = "10.0.0.2")]
    peer_ip: Ipv4Addr,
    /// Queue pair of the peer, whose PSNs begin at 0
    #[arg(long, default_value = "0x100", value_parser = word)]
    peer_qpn: u32,
    /// Key of the peer's memory
    #[arg(long, default_value = "0x35a", value_parser = word)]
    rkey: u32,
    /// Virtual address of the peer's memory
    #[arg(long, default_value = "0x7f0000000000", value_parser = long_word)]
    va: u64,
    /// Bytes of the message
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32)
        .range(1..=MESSAGE_BYTES_MAX as i64))]
    bytes: u32,
}

fn long_word(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "must be a number, decimal or with 0x".into())
}

fn word(text: &str) -> Result<u32, String> {
    u32::try_from(long_word(text)?).map_err(|_| "must be below 2^32".into())
}

fn mac(text: &str) -> Result<u64, String> {
    let bytes: Option<Vec<u8>> = text
        .split(':')
        .map(|part| u8::from_str_radix(part, 16).ok().filter(|_| part.len() == 2))
        .collect();
    match bytes.as_deref() {
        Some(bytes @ [_, _, _, _, _, _]) => {
            Ok(bytes.iter().fold(0, |mac, byte| mac << 8 | u64::from(*byte)))
        }
        _ => Err("must be six bytes in hex, as in 02:00:00:00:00:02".into()),
    }
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    // What needs no board is looked at first.
    let target = match &arguments.verb {
        Verb::Write { name, .. } => Some(named(name, Access::Ro)?),
        Verb::Load { address, file } => {
            let about = std::fs::metadata(file).ok().filter(|about| about.is_file());
            let absent = || CliError::Usage(format!("{}: there is no such file", file.display()));
            let bytes = about.ok_or_else(absent)?.len() as usize;
            in_memory(*address, bytes.next_multiple_of(4))?;
            None
        }
        Verb::Dump { address, bytes, out } => {
            in_memory(*address, *bytes as usize)?;
            files::check_output("--out", out.as_deref())?;
            None
        }
        _ => None,
    };
    let names = match &arguments.verb {
        Verb::Read { names } => {
            let all = names.iter().map(|name| named(name, Access::Wo));
            all.collect::<Result<Vec<_>, _>>()?
        }
        _ => Vec::new(),
    };
    let port = &arguments.port;
    let failed = |e: AccessError| match e {
        AccessError::Line(LineError::Open(_)) => CliError::Usage(format!("--port {port}: {e}")),
        AccessError::Outside(..) => CliError::Usage(e.to_string()),
        e => CliError::Failed(format!("{port}: {e}")),
    };
    let driver_failed = |e: nic_driver::Error<AccessError>| match e {
        nic_driver::Error::Bus(e) => failed(e),
        e => CliError::Failed(format!("{port}: {e}")),
    };
    let mut board = Registers::of_nic(port).map_err(failed)?;
    match &arguments.verb {
        Verb::Probe => probe(&Nic::probe(board).map_err(driver_failed)?),
        Verb::Read { .. } => show(&mut board, &names).map_err(failed)?,
        Verb::Write { value, .. } => {
            let (_, offset) = target.expect("looked up above");
            board.write(offset, *value).map_err(failed)?;
        }
        Verb::Counters { all } => counters(&mut board, *all).map_err(failed)?,
        Verb::Load { address, file } => load(&mut board, *address, file, failed)?,
        Verb::Dump { address, bytes, out } => {
            let found = memory(&mut board, (*address).into(), *bytes as usize).map_err(failed)?;
            match out {
                Some(path) => files::write("--out", path, &found)?,
                None => print!("{}", hex((*address).into(), &found)),
            }
        }
        Verb::Example(example) => {
            let nic = Nic::probe(board).map_err(driver_failed)?;
            let said = run_example(nic, example).map_err(|e| match e {
                Stopped::Driver(e) => driver_failed(e),
                Stopped::Because(text) => CliError::Failed(format!("{port}: {text}")),
            })?;
            println!("{said}");
        }
    }
    Ok(())
}

/// Whether a range is one of whole words of host memory.
fn in_memory(address: u32, bytes: usize) -> Result<(), CliError> {
    let is_whole = address.is_multiple_of(4) && bytes.is_multiple_of(4);
    match address as usize + bytes <= HOST_MEMORY_BYTES && is_whole {
        true => Ok(()),
        false => Err(CliError::usage(AccessError::Outside(address.into(), bytes))),
    }
}

/// A register by its name and offset; one with the access `refused` is not meant.
fn named(name: &str, refused: Access) -> Result<(&'static Register, u16), CliError> {
    let (plain, index) = match name.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
        Some((plain, index)) => (plain, index.parse().unwrap_or(u16::MAX)),
        None => (name, 0),
    };
    let found = regs::registers().find(|register| register.name == plain);
    let Some(register) = found.filter(|register| index < register.count) else {
        let text = format!("{name}: no such register; fw/registers.md has them");
        return Err(CliError::Usage(text));
    };
    if register.access == refused {
        let what = if refused == Access::Ro { "read" } else { "written" };
        return Err(CliError::Usage(format!("{name}: can only be {what}")));
    }
    Ok((register, register.offset + 4 * index))
}

fn probe(nic: &Nic<Registers>) {
    let sizes = nic.sizes();
    println!(
        "NIC with {} queue pairs, {} memory regions, {} work requests a queue pair; core at {} MHz; \
         {HOST_MEMORY_BYTES} bytes of host memory",
        sizes.flow_count,
        sizes.mr_count,
        sizes.sq_depth,
        sizes.clock_hz as f64 / 1e6,
    );
}

/// Prints registers with their fields.
fn show(board: &mut Registers, names: &[(&'static Register, u16)]) -> Result<(), AccessError> {
    let all = regs::registers().filter(|r| r.access != Access::Wo && r.count == 1);
    let all: Vec<_> = match names.is_empty() {
        true => all.map(|register| (register, register.offset)).collect(),
        false => names.to_vec(),
    };
    for (register, offset) in all {
        let value = board.read(offset)?;
        let field = |f: &regs::Field| {
            let mask = u32::MAX >> (32 - f.width);
            format!(" {}={}", f.name, value >> f.lsb & mask)
        };
        let fields: String = register.fields.iter().map(field).collect();
        println!("{:#05x} {:18} {value:#010x}{fields}", offset, register.name);
    }
    Ok(())
}

fn counters(board: &mut Registers, all: bool) -> Result<(), AccessError> {
    for (at, (name, about)) in regs::EVENTS.iter().enumerate() {
        let count = board.read(regs::COUNTERS + 4 * at as u16)?;
        if all || count != 0 {
            println!("{count:10} {name:26} {about}");
        }
    }
    Ok(())
}

fn load(
    board: &mut Registers,
    address: u32,
    file: &PathBuf,
    failed: impl Fn(AccessError) -> CliError,
) -> Result<(), CliError> {
    let at = file.display();
    let bytes = std::fs::read(file).map_err(|e| CliError::Usage(format!("{at}: {e}")))?;
    board.store(address.into(), &words(&bytes)).map_err(failed)?;
    println!("{} bytes of {at} are at {address:#x} of host memory", bytes.len());
    Ok(())
}

/// Bytes as words; zeros fill the last one.
fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |part: &[u8]| part.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks(4).map(word).collect()
}

fn memory(board: &mut Registers, address: u64, bytes: usize) -> Result<Vec<u8>, AccessError> {
    let mut words = vec![0; bytes / 4];
    board.load(address, &mut words)?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// Lines of 16 bytes.
fn hex(address: u64, bytes: &[u8]) -> String {
    let line = |(at, part): (usize, &[u8])| {
        let digits: String = part.iter().map(|byte| format!(" {byte:02x}")).collect();
        let is_plain = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
        let text = part.iter().map(|b| if is_plain(b) { char::from(*b) } else { '.' });
        format!("{:04x} {digits:48}  {}\n", address + 16 * at as u64, text.collect::<String>())
    };
    bytes.chunks(16).enumerate().map(line).collect()
}

/// Why the example ends early.
enum Stopped {
    Driver(nic_driver::Error<AccessError>),
    Because(String),
}

impl From<nic_driver::Error<AccessError>> for Stopped {
    fn from(error: nic_driver::Error<AccessError>) -> Self {
        Self::Driver(error)
    }
}

impl From<AccessError> for Stopped {
    fn from(error: AccessError) -> Self {
        Self::Driver(nic_driver::Error::Bus(error))
    }
}

fn run_example(mut nic: Nic<Registers>, example: &Example) -> Result<String, Stopped> {
    nic.set_address(HERE.0, HERE.1)?;
    // Bytes a cycle of a gigabit line, UQ8.8, and what a frame takes beside its own.
    let rate = (LINE_BYTES_PER_S << 8) / u64::from(nic.sizes().clock_hz);
    nic.bus().write(regs::config_offset::line, 24 << 16 | rate as u32)?;
    nic.create_mr(&MrRow {
        remote_write: true,
        remote_read: true,
        rkey: example.rkey,
        va: example.va,
        length_bytes: MESSAGE,
        host_address: OPEN,
        ..MrRow::default()
    })?;
    let (mac, ip) = (example.peer_mac, example.peer_ip.into());
    let pair = QpConfig::connected(QPN, example.peer_qpn, mac, ip);
    let pair = QpConfig { remote_write: true, remote_read: true, ..pair };
    let mut qp = nic.create_qp(&pair)?;
    let message: Vec<u8> = (0..example.bytes).map(|n| ((n * n) >> 3) as u8).collect();
    nic.bus().store(MESSAGE, &words(&message))?;
    let (length_bytes, remote_va, rkey) = (example.bytes, example.va, example.rkey);
    let local_address = MESSAGE;
    let write = Write { local_address, length_bytes, remote_va, rkey, ..Write::default() };
    nic.post_write(&mut qp, &write)?;
    complete(&mut nic, &mut qp, "WRITE")?;
    let local_address = BACK;
    let read = Read { local_address, length_bytes, remote_va, rkey, ..Read::default() };
    nic.post_read(&mut qp, &read)?;
    complete(&mut nic, &mut qp, "READ")?;
    let mut back = memory(nic.bus(), BACK, message.len().next_multiple_of(4))?;
    back.truncate(message.len());
    match back == message {
        true => Ok(format!("{length_bytes} bytes written to the peer and read back, all equal")),
        false => Err(Stopped::Because("the bytes that were read back differ".into())),
    }
}

/// Waits until the request at hand is complete.
fn complete(nic: &mut Nic<Registers>, qp: &mut Qp, what: &str) -> Result<(), Stopped> {
    let last = Instant::now() + COMPLETION_WAIT;
    while Instant::now() < last {
        let Some(completion) = nic.poll()? else { continue };
        qp.complete(&completion);
        if qp.outstanding_count() > 0 {
            continue;
        }
        return match completion.status {
            Status::Ok => {
                println!("{what}: complete, {} bytes", completion.byte_count);
                Ok(())
            }
            status => Err(Stopped::Because(format!("the {what} failed: {status}"))),
        };
    }
    let seconds = COMPLETION_WAIT.as_secs();
    Err(Stopped::Because(format!("no completion of the {what} in {seconds} s")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_lines_show_address_bytes_and_text() {
        let text = hex(0x20, b"0123456789abcdef\0!");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "0020  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef",
                "0030  00 21                                            .!",
            ]
        );
    }

    #[test]
    fn words_are_little_endian_and_filled_up() {
        assert_eq!(words(&[1, 2, 3, 4, 5]), [0x0403_0201, 5]);
    }
}
