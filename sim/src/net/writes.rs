//! NICs that write to and read from each other through the switch, and the proof that every byte
//! landed and every operation completed once: memory is held against the message-level reference.

mod error;
mod expected;
mod host;
mod plan;
mod report;

pub use error::RunError;
pub use plan::{Plan, Software};
pub use report::{NicReport, Report, Sample};

use super::history::History;
use super::switch::{Faults, Format, Stamping, Switch, DIRECT_DSCP, INT_PORT, UTILISATION_FULL};
use super::{ip, mac, Network, NetworkBus};
use crate::engine::Paces;
use crate::env::station::{sub_seed, BusError, Manners, NicEngine, Station};
use error::stuck_cycles;
use host::{check_received, post, Host};
use nic_driver::rings::Ring;
use nic_driver::{CcMode, Error, MrRow, Nic, QpConfig, INLINE_BYTES_MAX};
use nic_spec::cc_params::{CcConfig, CcParams};
use nic_spec::regs::EVENTS;
use plan::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::rc::Rc;

/// Cycles behind the last completion in which none may come twice.
const SETTLE_CYCLES: u64 = 20_000;
/// Runs the plan with two NICs.
pub fn run(
    plan: &Plan,
    engines: [NicEngine; 2],
    progress: impl FnMut(u64),
) -> Result<Report, RunError> {
    run_watched(plan, engines, None, progress)
}

/// Runs the plan with two NICs, and reports what happens over time if their flows can be seen.
pub fn run_watched(
    plan: &Plan,
    engines: [NicEngine; 2],
    paces: Option<[Paces; 2]>,
    mut progress: impl FnMut(u64),
) -> Result<Report, RunError> {
    let mut stations = Vec::new();
    for (at, engine) in engines.into_iter().enumerate() {
        let seed = sub_seed(plan.seed, at as u64);
        let mut station = Station::new(engine, plan.manners, seed)?;
        if plan.manners == Manners::Stalling {
            station.stall_everything(seed);
        } else if let Some(cycles) = plan.software.memory_cycles {
            station.memory.answer_after(cycles);
        }
        stations.push(station);
    }
    let seed = sub_seed(plan.seed, 100);
    let mut switch = Switch::new(&[mac(0), mac(1)], plan.link_gbps, plan.faults, seed);
    if let Some(stamping) = plan.stamping {
        switch.stamp(stamping);
    }
    if let Some(opcode) = plan.cut_opcode {
        switch.cut_opcode(opcode);
    }
    let mut network = Network::new(stations, switch, plan.clock_hz);
    network.mac_gbps = plan.mac_gbps;
    network.first_switch = plan.first_rate_code.map(|code| first_switch(plan, code));
    let network = Rc::new(RefCell::new(network));
    let mut hosts = Vec::new();
    for at in 0..2 {
        hosts.push(set_up(plan, &network, at)?);
    }
    let qp_flows = hosts[0].qps.iter().map(|qp| usize::from(qp.flow_index));
    let flow_count = hosts[0].nic.sizes().flow_count as usize;
    network.borrow_mut().history =
        paces.map(|paces| History::new(paces, qp_flows.collect(), flow_count));
    let start_ns = network.borrow().now_ns();
    let mut samples = Vec::new();
    let end_ns = exchange(plan, &network, &mut hosts, &mut samples, &mut progress)?;
    for host in &mut hosts {
        host.report.flow0 = Some(host.nic.cc_state()?);
        for (name, _) in EVENTS {
            host.report.counters.push((name, host.nic.counter(name)?));
        }
    }
    check_received(&mut hosts);
    let images = expected::images(plan, &network.borrow(), &hosts);
    for (at, image) in images.iter().enumerate() {
        expected::verify(plan, &network.borrow(), &mut hosts, at, image);
    }
    let mut network = network.borrow_mut();
    let history = network.history.take();
    Ok(Report {
        nics: hosts.into_iter().map(|h| h.report).collect(),
        switch: network.switch.counters,
        cycles: network.cycle(),
        busy_ns: end_ns - start_ns,
        frames: network.frames,
        acks: network.acks.clone(),
        history,
        samples,
    })
}

/// The switch that frames pass first.
fn first_switch(plan: &Plan, rate_code: u8) -> Switch {
    let rate_gbps = 25.0 * f64::from(1 << rate_code);
    let seed = sub_seed(plan.seed, 101);
    let mut switch = Switch::new(&[mac(0), mac(1)], rate_gbps, Faults::default(), seed);
    if let Some(stamping) = plan.stamping {
        let switch_id = stamping.switch_id ^ 0x13c;
        switch.stamp(Stamping { rate_code, switch_id, ..stamping });
    }
    switch
}

fn set_up(plan: &Plan, network: &Rc<RefCell<Network>>, at: usize) -> Result<Host, Error<BusError>> {
    let mut nic = Nic::probe(NetworkBus { network: network.clone(), station: at })?;
    nic.set_address(mac(at), ip(at))?;
    if plan.software.sq_scale > 0 {
        nic.set_sq_scale(plan.software.sq_scale)?;
    }
    if let Some(stamping) = plan.stamping {
        use nic_spec::wire::telemetry::Form;
        let format = match stamping.format {
            Format::Native(Form::Paper) => 1,
            Format::Native(Form::Authors) => 2,
            Format::IntMd { .. } => 3,
            Format::Ioam => 4,
            Format::Ifa => 5,
            // A format whose header switches insert: none does, and echoes have the paper's form.
            Format::Direct { .. } => 4,
        };
        nic.set_telemetry(format, stamping.dscp, DIRECT_DSCP)?;
        let by_port = stamping.format == Format::IntMd { by_port: true };
        nic.set_telemetry_source(stamping.is_transit, by_port)?;
        nic.set_telemetry_every(plan.telemetry_every)?;
        if plan.cc_mode != CcMode::Sender {
            nic.set_cc_mode(plan.cc_mode)?;
        }
        if plan.probe_cycles > 0 {
            nic.set_probe_cycles(plan.probe_cycles)?;
        }
        nic.set_telemetry_stack(INT_PORT, false, false, [stamping.rate_code; 8])?;
    }
    let is_int = plan.stamping.is_some_and(|s| matches!(s.format, Format::IntMd { .. }));
    let utilisation_full = is_int.then_some(UTILISATION_FULL);
    let cc = CcConfig { utilisation_full, ..plan.cc };
    let cc = CcParams::derive(&cc).map_err(|_| Error::Argument("cc parameters"))?;
    nic.set_cc_params(&cc)?;
    nic.create_mr(&MrRow {
        remote_write: true,
        rkey: rkey(at),
        va: REGION_VA,
        length_bytes: region_bytes(plan),
        host_address: TARGET_BASE,
        ..MrRow::default()
    })?;
    nic.create_mr(&MrRow {
        remote_read: true,
        rkey: rkey(at) + READ_REGION,
        va: READ_VA,
        length_bytes: region_bytes(plan),
        host_address: READ_BASE,
        ..MrRow::default()
    })?;
    let mut rng = ChaCha8Rng::seed_from_u64(sub_seed(plan.seed, 10 + at as u64));
    if plan.ring_qp_count > 0 {
        nic.open_cq(Ring { address: CQ_BASE, log2: plan.software.cq_log2 })?;
    }
    let (mut qps, mut messages) = (Vec::new(), Vec::new());
    for qp in 0..plan.qp_count {
        qps.push(nic.create_qp(&qp_config(plan, at, qp))?);
        messages.push(draw_messages(plan, network, at, qp, &mut rng));
    }
    match plan.read_percent {
        100 => nic.watch_cc_of_responses(&qps[0])?,
        _ => nic.watch_cc(&qps[0])?,
    }
    let (posted, completed) = (vec![0; qps.len()], vec![0; qps.len()]);
    let received = vec![Vec::new(); qps.len()];
    let first_ring_qp = plan.first_ring_qp() as usize;
    let reads = messages.iter().flatten().filter(|m: &&Message| m.is_read).count() as u32;
    let report = NicReport { reads, ..NicReport::default() };
    Ok(Host { nic, qps, first_ring_qp, messages, posted, completed, received, rng, report })
}

fn qp_config(plan: &Plan, at: usize, qp: u32) -> QpConfig {
    QpConfig {
        telemetry: plan.stamping.is_some(),
        remote_write: true,
        remote_read: true,
        read_limit: plan.read_limit,
        rnr_retry_limit: 7,
        mtu_code: plan.mtu_code,
        timeout_exponent: plan.timeout_exponent,
        retry_limit: 7,
        ack_interval_log2: if plan.stamping.is_some() { 0 } else { 4 },
        qpn: FIRST_QPN + qp,
        remote_qpn: FIRST_QPN + qp,
        remote_ip: ip(1 - at),
        remote_mac: mac(1 - at),
        udp_source_port: 0xc000 + qp as u16,
        rq_psn: first_psn(1 - at),
        sq_psn: first_psn(at),
        window_bytes: plan.window_bytes,
        rate_uq8_24: 8 << 24,
        sq_log2: if qp < plan.first_ring_qp() { 0 } else { plan.software.sq_log2 },
        sq_address: SQ_BASE + (u64::from(qp) << plan.software.sq_log2) * SQ_ENTRY_BYTES,
        ..QpConfig::default()
    }
}

/// Messages of queue pair `qp` of station `at`; their bytes are stored where they stand.
fn draw_messages(
    plan: &Plan,
    network: &Rc<RefCell<Network>>,
    at: usize,
    qp: u32,
    rng: &mut ChaCha8Rng,
) -> Vec<Message> {
    let slot_bytes = slot_bytes(plan);
    let mut queue = Vec::new();
    let message_count = if plan.one_way && at > 0 { 0 } else { plan.message_count };
    for number in 0..message_count {
        let slot = u64::from(qp * plan.message_count + number) * slot_bytes;
        let length_bytes = rng.gen_range(plan.message_bytes.0..=plan.message_bytes.1);
        let offset = slot + rng.gen_range(0..64);
        let remote_offset = slot + rng.gen_range(0..64);
        let bytes: Vec<u8> = (0..length_bytes).map(|_| rng.gen()).collect();
        let is_read = rng.gen_range(0..100) < plan.read_percent;
        let may_carry = !is_read && plan.immediate_percent > 0;
        let is_immediate = may_carry && rng.gen_range(0..100) < plan.immediate_percent;
        let immediate = is_immediate.then(|| rng.gen());
        let local = if is_read { LANDING_BASE } else { SOURCE_BASE } + offset;
        let (source_at, source) =
            if is_read { (1 - at, READ_BASE + remote_offset) } else { (at, local) };
        let has_inline = plan.has_inline && !is_read && bytes.len() <= INLINE_BYTES_MAX;
        let inline = has_inline.then(|| core::array::from_fn(|n| *bytes.get(n).unwrap_or(&0)));
        if !has_inline {
            network.borrow_mut().stations[source_at].memory.store(source, &bytes);
        }
        queue.push(Message { is_read, immediate, inline, local, remote_offset, length_bytes });
    }
    queue
}

/// Posts and polls until every message is complete; the time of the last completion.
fn exchange(
    plan: &Plan,
    network: &Rc<RefCell<Network>>,
    hosts: &mut [Host],
    samples: &mut Vec<Sample>,
    progress: &mut impl FnMut(u64),
) -> Result<f64, RunError> {
    let messages = hosts.iter().flat_map(|h| h.messages.iter().flatten());
    let immediates = messages.filter(|m| m.immediate.is_some()).count() as u32;
    let sides = if plan.one_way { 1 } else { 2 };
    let total = sides * plan.qp_count * plan.message_count + immediates;
    let (mut done, mut last_cycle) = (0, network.borrow().cycle());
    while done < total {
        for (at, host) in hosts.iter_mut().enumerate() {
            post(host, 1 - at, plan.software.sq_log2)?;
        }
        for _ in 0..plan.software.poll_cycles {
            network.borrow_mut().tick()?;
        }
        for host in hosts.iter_mut() {
            let count = host.poll()?;
            if count > 0 {
                last_cycle = network.borrow().cycle();
            }
            done += count;
        }
        progress(u64::from(done));
        let completions = [0, 1].map(|at: usize| hosts[at].report.completions);
        let (cycle, carried) = (network.borrow().cycle(), network.borrow().carried);
        samples.push(Sample { cycle, completions, carried });
        let waited = cycle - last_cycle;
        if waited > stuck_cycles(plan) {
            return Err(RunError::Stuck { cycle, waited, outstanding: total - done });
        }
    }
    let end_ns = network.borrow().now_ns();
    for _ in 0..SETTLE_CYCLES {
        network.borrow_mut().tick()?;
    }
    for host in hosts.iter_mut() {
        host.poll()?;
    }
    Ok(end_ns)
}
