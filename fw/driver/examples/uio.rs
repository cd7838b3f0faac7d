//! A NIC behind Linux UIO: finds it, makes a queue pair, WRITEs a message to the peer, waits for
//! its completion. `fw/examples/uio.c` does the same in C.
//!
//!     cargo run -p nic-driver --example uio -- /dev/uio0 /dev/udmabuf0 0x3f000000
//!
//! REGISTERS is a device whose first mapping is the NIC's register space of 64 KiB; MEMORY is
//! memory that the NIC's AXI4 master reaches at ADDRESS, for example of u-dma-buf.

use memmap2::{MmapOptions, MmapRaw};
use nic_driver::mmio::{MappedHost, Mmio};
use nic_driver::rings::HostMemory;
use nic_driver::{Nic, QpConfig, Status, Write};
use std::error::Error;
use std::fs::File;

/// Bytes of the register space.
const SPACE_BYTES: usize = 1 << 16;
const MESSAGE_BYTES: u32 = 4096;
/// How often the completion is asked for.
const POLLS_MAX: u32 = 1_000_000;
/// This host and its peer: MAC, IPv4 address.
const HERE: (u64, u32) = (0x0200_0000_0001, 0x0a00_0001);
const THERE: (u64, u32) = (0x0200_0000_0002, 0x0a00_0002);
/// What the peer's program says: where its memory is, and the key to it.
const REMOTE_VA: u64 = 0x7f00_0000_0000;
const RKEY: u32 = 0x35a;

fn map(path: &str, byte_count: usize) -> Result<MmapRaw, String> {
    let file = File::options().read(true).write(true).open(path);
    let file = file.map_err(|e| format!("{path}: cannot open: {e}"))?;
    let mapped = MmapOptions::new().len(byte_count).map_raw(&file);
    mapped.map_err(|e| format!("{path}: cannot map {byte_count} bytes: {e}"))
}

/// Runs the example.
pub fn run(registers: &str, memory: &str, address: u64) -> Result<String, Box<dyn Error>> {
    let registers = map(registers, SPACE_BYTES)?;
    let memory = map(memory, MESSAGE_BYTES as usize)?;
    // SAFETY: both stay mapped until the end of this function, and nothing else here uses them.
    let host = unsafe {
        let registers = Mmio::new(registers.as_mut_ptr().cast());
        MappedHost::new(registers, memory.as_mut_ptr().cast(), address, MESSAGE_BYTES.into())
    };
    let mut nic = Nic::probe(host)?;
    println!("found {:?}", nic.sizes());
    nic.set_address(HERE.0, HERE.1)?;
    let mut qp = nic.create_qp(&QpConfig::connected(0x100, 0x100, THERE.0, THERE.1))?;
    let message: Vec<u32> = (0..MESSAGE_BYTES / 4).collect();
    nic.bus().store(address, &message)?;
    let write = Write {
        local_address: address,
        length_bytes: MESSAGE_BYTES,
        remote_va: REMOTE_VA,
        rkey: RKEY,
        ..Write::default()
    };
    nic.post_write(&mut qp, &write)?;
    for _ in 0..POLLS_MAX {
        let Some(completion) = nic.poll()? else { continue };
        qp.complete(&completion);
        return match completion.status {
            Status::Ok => Ok(format!("{} bytes written", completion.byte_count)),
            status => Err(format!("the WRITE failed: {status}").into()),
        };
    }
    Err(format!("no completion after {POLLS_MAX} polls: is the clock of the NIC running?").into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [registers, memory, address] = &arguments[..] else {
        return Err("usage: uio REGISTERS MEMORY ADDRESS".into());
    };
    let address = u64::from_str_radix(address.trim_start_matches("0x"), 16)
        .map_err(|e| format!("ADDRESS {address}: {e}; it is hexadecimal"))?;
    println!("{}", run(registers, memory, address)?);
    Ok(())
}
