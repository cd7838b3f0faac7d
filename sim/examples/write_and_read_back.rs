//! Two simulated NICs on a switch: one writes a message into the other's memory and reads it back.
//! With a mapped BAR the calls are the same: `MappedHost` takes the place of `NetworkBus`.

use nic_driver::rings::{Ring, Work};
use nic_driver::{MrRow, Nic, Qp, QpConfig, Read, Status, Write};
use nic_sim::engine::EngineKind;
use nic_sim::env::station::{Manners, Station};
use nic_sim::net::switch::{Faults, Switch};
use nic_sim::net::{Network, NetworkBus};
use nic_sim::verilator::Source;
use nic_spec::NicConfig;
use std::cell::RefCell;
use std::error::Error;
use std::rc::Rc;

/// Where things stand in each host's memory.
const SQ: u64 = 0x1000;
const CQ: u64 = 0x2000;
const BUFFER: u64 = 0x10_0000;
const REGION_VA: u64 = 0x7f00_0000_0000;
const RKEY: u32 = 0x35a;

/// Opens station `at`: addresses, completion ring, one region for the peer, one queue pair.
fn open(bus: NetworkBus) -> Result<(Nic<NetworkBus>, Qp), Box<dyn Error>> {
    let (at, peer) = (bus.station as u64, 1 - bus.station as u64);
    let mut nic = Nic::probe(bus)?;
    nic.set_address(0x0200_0000_0001 + at, 0x0a00_0001 + at as u32)?;
    nic.open_cq(Ring { address: CQ, log2: 6 })?;
    let (remote_write, remote_read) = (true, true);
    let (va, length_bytes, host_address) = (REGION_VA, 0x1_0000, BUFFER);
    let valid = true;
    nic.create_mr(&MrRow {
        valid,
        remote_write,
        remote_read,
        rkey: RKEY,
        va,
        length_bytes,
        host_address,
    })?;
    let qp = nic.create_qp(&QpConfig {
        remote_write,
        remote_read,
        mtu_code: 2,
        timeout_exponent: 10,
        retry_limit: 7,
        qpn: 0x100,
        remote_qpn: 0x100,
        remote_ip: 0x0a00_0001 + peer as u32,
        remote_mac: 0x0200_0000_0001 + peer,
        udp_source_port: 0xc000,
        window_bytes: 16_000,
        rate_uq8_24: 8 << 24,
        sq_log2: 4,
        sq_address: SQ,
        ..QpConfig::default()
    })?;
    Ok((nic, qp))
}

/// Runs the example.
pub fn main() -> Result<(), Box<dyn Error>> {
    let (config, none) = (NicConfig::preset("gbe")?, Source::new("nic", ""));
    let station =
        |seed| Station::new(EngineKind::Golden.nic(&config, &none, seed)?, Manners::Prompt, seed);
    let switch = Switch::new(&[0x0200_0000_0001, 0x0200_0000_0002], 10.0, Faults::default(), 1);
    let network = Network::new(vec![station(1)?, station(2)?], switch, config.clock_hz);
    let network = Rc::new(RefCell::new(network));
    let message: Vec<u8> = (0..5000_u32).map(|n| (n * n >> 3) as u8).collect();
    network.borrow_mut().stations[0].memory.store(BUFFER, &message);
    let bus = |station| NetworkBus { network: network.clone(), station };
    let (mut nic, mut qp) = open(bus(0))?;
    let _peer = open(bus(1))?;
    let length_bytes = message.len() as u32;
    let write = Write {
        local_address: BUFFER,
        length_bytes,
        remote_va: REGION_VA,
        rkey: RKEY,
        ..Write::default()
    };
    let back = BUFFER + 0x8000;
    let read = Read {
        local_address: back,
        length_bytes,
        remote_va: REGION_VA,
        rkey: RKEY,
        unsignalled: false,
    };
    nic.submit(&mut qp, &[Work::Write(write), Work::Read(read)])?;
    while qp.outstanding_count() > 0 {
        match nic.poll_cq()? {
            Some(completion) if completion.status == Status::Ok => qp.complete(&completion),
            Some(failure) => return Err(format!("{failure:?}").into()),
            None => network.borrow_mut().tick()?,
        }
    }
    let network = network.borrow();
    assert_eq!(network.stations[1].memory.load(BUFFER, message.len()), message, "written");
    assert_eq!(network.stations[0].memory.load(back, message.len()), message, "read back");
    println!("{length_bytes} bytes there and back in {:.1} us", network.now_ns() / 1e3);
    Ok(())
}
