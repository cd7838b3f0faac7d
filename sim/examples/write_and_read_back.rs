//! Two simulated NICs on a switch: one writes a message into the other's memory and reads it back.
//! With a mapped BAR the calls are the same: `MappedHost` takes the place of `NetworkBus`.

use nic_driver::rings::{Ring, Work};
use nic_driver::{MrRow, Nic, Qp, QpConfig, Read, Status, Write};
use nic_sim::engine::EngineKind;
use nic_sim::net::{self, NetworkBus};
use std::error::Error;

/// Where things stand in each host's memory.
const SQ: u64 = 0x1000;
const CQ: u64 = 0x2000;
const BUFFER: u64 = 0x10_0000;
const BACK: u64 = 0x20_0000;
/// What the peer may write and read.
const VA: u64 = 0x7f00_0000_0000;
const RKEY: u32 = 0x35a;

/// Opens a NIC: addresses, completion ring, one region for the peer, one queue pair.
fn open(bus: &NetworkBus) -> Result<(Nic<NetworkBus>, Qp), Box<dyn Error>> {
    let (here, there) = (bus.station, 1 - bus.station);
    let mut nic = Nic::probe(bus.clone())?;
    nic.set_address(net::mac(here), net::ip(here))?;
    nic.open_cq(Ring { address: CQ, log2: 6 })?;
    nic.create_mr(&MrRow {
        remote_write: true,
        remote_read: true,
        rkey: RKEY,
        va: VA,
        length_bytes: 0x1_0000,
        host_address: BUFFER,
        ..MrRow::default()
    })?;
    let qp = nic.create_qp(&QpConfig {
        remote_write: true,
        remote_read: true,
        sq_log2: 4,
        sq_address: SQ,
        ..QpConfig::connected(0x100, 0x100, net::mac(there), net::ip(there))
    })?;
    Ok((nic, qp))
}

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let [here, there] = net::pair(EngineKind::Golden)?;
    let ((mut nic, mut qp), _peer) = (open(&here)?, open(&there)?);
    let message: Vec<u8> = (0..5000_u32).map(|n| ((n * n) >> 3) as u8).collect();
    here.store_bytes(BUFFER, &message);
    let (length_bytes, remote_va, rkey) = (message.len() as u32, VA, RKEY);
    let write = Write { local_address: BUFFER, length_bytes, remote_va, rkey, ..Write::default() };
    let read = Read { local_address: BACK, length_bytes, remote_va, rkey, ..Read::default() };
    nic.submit(&mut qp, &[Work::Write(write), Work::Read(read)])?;
    while qp.outstanding_count() > 0 {
        let Some(completion) = nic.poll_cq()? else { continue };
        qp.complete(&completion);
        assert_eq!(completion.status, Status::Ok);
    }
    assert_eq!(there.load_bytes(BUFFER, message.len()), message, "written");
    assert_eq!(here.load_bytes(BACK, message.len()), message, "read back");
    println!("{length_bytes} bytes there and back in {:.1} us", here.now_ns() / 1e3);
    Ok(())
}
