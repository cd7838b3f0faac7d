//! What guest and NIC do to each other, and the check that it has arrived.

use super::lab::Lab;
use super::stack::Address;
use super::wire::Counters;
use super::InteropError;
use crate::net::switch::Faults;
use nic_driver::{MrRow, Qp, QpConfig, Read, Status, Write};
use nic_spec::regs::EVENTS;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// The NIC's address.
pub const LOCAL: Address = Address { mac: 0x0200_0000_0002, ip: 0x0a00_0002 };
/// The guest's.
pub const GUEST: Address = Address { mac: 0x0200_0000_0001, ip: 0x0a00_0001 };
/// Text of [`LOCAL`]'s IPv4 address.
pub const LOCAL_IP: &str = "10.0.0.2";
/// Text of [`GUEST`]'s.
pub const GUEST_IP: &str = "10.0.0.1";
/// MTU of the guest's interface: room for a path MTU of 4096 and headers.
pub const GUEST_MTU: u32 = 4200;

/// Bytes of each buffer: what the messages of a round and the gaps between them need.
const BUFFER_BYTES: u64 = 32 << 20;
/// A message begins up to so many bytes behind the end of the one before it, in any alignment.
const GAP_BYTES_MAX: u64 = 4096;
/// Bytes kept free around a message in the guest.
const GUARD_BYTES: u64 = 64;
/// Queue pairs that a case can have.
pub const QPS_MAX: usize = 4;
/// The guest may write and read here.
const REGION_VA: u64 = 0x7f00_0000_0000;
const REGION_HOST: u64 = 0x8_0000_0000;
const REGION_RKEY: u32 = 0x0000_055a;
/// Buffers of the NIC's own requests.
const BUFFER_HOST: u64 = 0x1_0000_0000;
/// The guest resends after 268 ms of its time without an answer.
const GUEST_TIMEOUT_EXPONENT: u32 = 16;
/// The NIC resends after 131,072 cycles: 131 ms of the guest's time at least.
const NIC_TIMEOUT_EXPONENT: u8 = 8;
/// The guest waits so long for its completions, ms of its time.
const GUEST_WAIT_MS: u32 = 600_000;

/// What one side does to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The guest writes to the NIC's host.
    GuestWrite,
    /// The guest reads that back.
    GuestRead,
    /// The NIC writes to the guest.
    NicWrite,
    /// The NIC reads that back.
    NicRead,
}

impl Action {
    fn is_guests(self) -> bool {
        matches!(self, Self::GuestWrite | Self::GuestRead)
    }
}

/// A set of messages under the same conditions.
#[derive(Clone, Debug)]
pub struct Case {
    /// Path MTU.
    pub mtu_bytes: u32,
    /// Queue pairs at once, at most [`QPS_MAX`].
    pub qp_count: usize,
    /// Messages of each queue pair at once. With one, WRITE and READ of either side follow each
    /// other; with more, both sides WRITE at once and the READs are posted behind the WRITEs.
    pub depth: usize,
    /// Lengths of the messages, one round each.
    pub message_bytes: Vec<u32>,
    /// What the wire does.
    pub faults: Faults,
}

/// What came of a case.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Messages whose data was found right, by [`Action`].
    pub messages: [u32; 4],
    /// Their bytes.
    pub bytes: u64,
    /// Frames of the case.
    pub wire: Counters,
    /// Event counters that moved, by name.
    pub events: Vec<(&'static str, u32)>,
    /// Cycles that the NIC ran.
    pub cycles: u64,
}

impl Outcome {
    /// How often an event happened.
    pub fn event(&self, name: &str) -> u32 {
        self.events.iter().find(|(n, _)| *n == name).map_or(0, |(_, count)| *count)
    }
}

/// Byte `at` of the pattern called `seed`; the guest has the same function.
fn pattern(seed: u32, at: u32) -> u8 {
    let mut x = seed.wrapping_mul(0x9e37_79b1).wrapping_add(at);
    x ^= x >> 15;
    (x.wrapping_mul(0x85eb_ca77) >> 24) as u8
}

/// A message of a queue pair: what it says, where it stands on both sides.
#[derive(Clone, Copy, Debug)]
struct Message {
    qp: usize,
    seed: u32,
    bytes: u32,
    /// Offsets in the guest's buffer: [source or target, destination of a READ].
    guest: [u64; 2],
    /// Offsets in the region or in the NIC's buffers, likewise.
    host: [u64; 2],
}

impl Message {
    fn payload(&self) -> Vec<u8> {
        (0..self.bytes).map(|at| pattern(self.seed, at)).collect()
    }

    /// Where it lands in host memory, if the action brings it there.
    fn landing(&self, action: Action) -> Option<Range<u64>> {
        let at = match action {
            Action::GuestWrite => REGION_HOST + self.host[0],
            Action::NicRead => BUFFER_HOST + self.host[1],
            Action::GuestRead | Action::NicWrite => return None,
        };
        Some(at..at + u64::from(self.bytes))
    }
}

/// The queue pairs of a case, and what the guest told about its buffer.
struct Bench<'a> {
    lab: &'a mut Lab,
    qps: Vec<Qp>,
    guest_rkey: u32,
    guest_address: u64,
}

/// Takes ARP and ping in both directions.
pub fn greet(lab: &mut Lab) -> Result<(), InteropError> {
    let greeting = lab.ask(&format!("ping {LOCAL_IP} 2"))?;
    lab.answer("the verbs program's start")?;
    for sequence in 0..2 {
        lab.ping(GUEST, sequence)?;
    }
    let counters = lab.stack.counters;
    if counters.arps_answered == 0 || counters.pings_answered < 2 {
        return Err(InteropError::Wrong(format!("ping: {greeting}; {counters:?}")));
    }
    lab.nic.create_mr(&MrRow {
        remote_write: true,
        remote_read: true,
        rkey: REGION_RKEY,
        va: REGION_VA,
        length_bytes: BUFFER_BYTES,
        host_address: REGION_HOST,
        ..MrRow::default()
    })?;
    Ok(())
}

/// Runs case `number`; its random choices are a function of `seed` and the number.
pub fn run(lab: &mut Lab, case: &Case, number: u32, seed: u64) -> Result<Outcome, InteropError> {
    assert!(case.qp_count <= QPS_MAX, "QPNs of a case: {QPS_MAX}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ u64::from(number) << 32);
    let (frames, events, cycle) = (lab.wire.counters, counters(lab)?, lab.nic.bus().cycle());
    lab.wire.set_faults(case.faults);
    let mut bench = connect(lab, case, number, &mut rng)?;
    let mut outcome = Outcome::default();
    for bytes in &case.message_bytes {
        round(&mut bench, case, *bytes, &mut rng, &mut outcome)?;
    }
    let qps = bench.qps;
    lab.wire.set_faults(Faults::default());
    for qp in qps {
        lab.nic.destroy_qp(qp)?;
    }
    outcome.wire = since(&lab.wire.counters, &frames);
    let now = counters(lab)?;
    let moved = now.iter().zip(&events).map(|((name, now), (_, then))| (*name, now - then));
    outcome.events = moved.filter(|(_, count)| *count > 0).collect();
    outcome.cycles = lab.nic.bus().cycle() - cycle;
    judge(lab, &outcome)?;
    Ok(outcome)
}

fn since(now: &Counters, then: &Counters) -> Counters {
    Counters {
        frames: std::array::from_fn(|i| now.frames[i] - then.frames[i]),
        roce_good: now.roce_good - then.roce_good,
        roce_bad: now.roce_bad - then.roce_bad,
        lost: now.lost - then.lost,
        duplicated: now.duplicated - then.duplicated,
    }
}

fn counters(lab: &mut Lab) -> Result<Vec<(&'static str, u32)>, InteropError> {
    let read = |(name, _): &(&'static str, &str)| Ok((*name, lab.nic.counter(name)?));
    EVENTS.iter().map(read).collect()
}

/// What holds in every case, with or without faults.
fn judge(lab: &mut Lab, outcome: &Outcome) -> Result<(), InteropError> {
    if let Some(complaint) = &lab.wire.complaint {
        return Err(InteropError::Wrong(complaint.clone()));
    }
    if lab.stack.counters.others > 0 {
        let text = "the NIC gave its host's stack a frame that is neither ARP nor ping";
        return Err(InteropError::Wrong(text.into()));
    }
    if let Some(violation) = lab.nic.bus().memory.violations().first() {
        return Err(InteropError::Wrong(format!("AXI4 rule broken: {violation}")));
    }
    let never = |name: &str| {
        name.starts_with("rx_drop")
            || name.starts_with("resp_nak")
            || ["rx_host_overflow", "reqr_nak_fatal", "reqr_wr_refused", "tx_fail"].contains(&name)
    };
    match outcome.events.iter().find(|(name, _)| never(name)) {
        Some((name, count)) => Err(InteropError::Wrong(format!("{count} x {name}"))),
        None => Ok(()),
    }
}

/// Opens the case's queue pairs on both sides. QPNs are never used again: what is late is dropped,
/// before the NIC waits for an answer behind it.
fn connect<'a>(
    lab: &'a mut Lab,
    case: &Case,
    number: u32,
    rng: &mut ChaCha8Rng,
) -> Result<Bench<'a>, InteropError> {
    // PSNs wrap early in most cases.
    let (guest_psn, nic_psn) =
        (0xff_ffff - rng.gen_range(0..100), 0xff_ffff - rng.gen_range(0..100));
    let open = format!(
        "open {} {} {guest_psn:#x} {GUEST_TIMEOUT_EXPONENT}",
        case.qp_count, case.mtu_bytes
    );
    let opened = lab.ask(&open)?;
    lab.drain()?;
    let field = |name: &str| {
        let found = opened.split_whitespace().find_map(|f| f.strip_prefix(name)?.strip_prefix('='));
        found.ok_or_else(|| InteropError::Wrong(format!("no {name} in \"{opened}\"")))
    };
    let hex = |text: &str| {
        let parsed = u64::from_str_radix(text.trim_start_matches("0x"), 16);
        parsed.map_err(|_| InteropError::Wrong(format!("\"{text}\" is no number")))
    };
    let guest_rkey = hex(field("rkey")?)? as u32;
    let guest_address = hex(field("addr")?)?;
    let mut qps = Vec::new();
    for (i, remote_qpn) in field("qpns")?.split(',').enumerate() {
        let qpn = 0x1000 + number * QPS_MAX as u32 + i as u32;
        let sq_psn = (nic_psn + 32 * i as u32) & 0xff_ffff;
        qps.push(lab.nic.create_qp(&QpConfig {
            remote_write: true,
            remote_read: true,
            mtu_code: (case.mtu_bytes.ilog2() - 8) as u8,
            timeout_exponent: NIC_TIMEOUT_EXPONENT,
            retry_limit: 7,
            rnr_retry_limit: 7,
            read_limit: 4,
            ack_interval_log2: 4,
            qpn,
            remote_qpn: hex(remote_qpn)? as u32,
            remote_ip: GUEST.ip,
            remote_mac: GUEST.mac,
            udp_source_port: 0xc000 + i as u16,
            rq_psn: (guest_psn + 16 * i as u32) & 0xff_ffff,
            sq_psn,
            window_bytes: 64 << 10,
            rate_uq8_24: 8 << 24,
            ..QpConfig::default()
        })?);
        lab.ask(&format!("connect {i} {qpn:#x} {sq_psn:#x} {LOCAL_IP}"))?;
    }
    Ok(Bench { lab, qps, guest_rkey, guest_address })
}

/// Hands out room for the messages of a round.
struct Layout<'a> {
    rng: &'a mut ChaCha8Rng,
    guest_end: u64,
    host_end: u64,
}

impl Layout<'_> {
    fn message(&mut self, qp: usize, bytes: u32) -> Message {
        let gaps: [u64; 4] = [(); 4].map(|()| self.rng.gen_range(2 * GUARD_BYTES..GAP_BYTES_MAX));
        let room = |end: &mut u64, gap: u64| {
            let start = *end + gap;
            *end = start + u64::from(bytes);
            assert!(*end + GUARD_BYTES <= BUFFER_BYTES, "the messages of a round fit the buffers");
            start
        };
        let guest = [gaps[0], gaps[1]].map(|gap| room(&mut self.guest_end, gap));
        let host = [gaps[2], gaps[3]].map(|gap| room(&mut self.host_end, gap));
        Message { qp, seed: self.rng.gen(), bytes, guest, host }
    }
}

/// Messages of this length on every queue pair, there and back.
fn round(
    bench: &mut Bench,
    case: &Case,
    bytes: u32,
    rng: &mut ChaCha8Rng,
    outcome: &mut Outcome,
) -> Result<(), InteropError> {
    let mut layout = Layout { rng, guest_end: GUARD_BYTES, host_end: 0 };
    let mut messages = || -> Vec<Message> {
        let qps = (0..case.depth).flat_map(|_| 0..case.qp_count);
        qps.map(|qp| layout.message(qp, bytes)).collect()
    };
    let (theirs, ours) = (messages(), messages());
    let writes = [(Action::GuestWrite, &theirs[..]), (Action::NicWrite, &ours[..])];
    let reads = [(Action::GuestRead, &theirs[..]), (Action::NicRead, &ours[..])];
    let all = [writes, reads].concat();
    let steps: Vec<&[(Action, &[Message])]> = match case.depth {
        1 => vec![&writes[..1], &reads[..1], &writes[1..], &reads[1..]],
        _ => vec![&all],
    };
    for step in steps {
        exchange(bench, step).map_err(|error| describe(error, case, bytes, step))?;
        for (action, messages) in step {
            outcome.messages[*action as usize] += messages.len() as u32;
            outcome.bytes += messages.len() as u64 * u64::from(bytes);
        }
    }
    Ok(())
}

fn describe(
    error: InteropError,
    case: &Case,
    bytes: u32,
    step: &[(Action, &[Message])],
) -> InteropError {
    let actions: Vec<String> = step.iter().map(|(action, _)| format!("{action:?}")).collect();
    let context = format!("{} of {bytes} bytes, MTU {}", actions.join(" and "), case.mtu_bytes);
    match error {
        InteropError::Wrong(text) => InteropError::Wrong(format!("{context}: {text}")),
        InteropError::Guest { what, console } => {
            InteropError::Guest { what: format!("{context}: {what}"), console }
        }
        other => other,
    }
}

/// Starts the actions, waits for both sides' completions, and checks what landed where.
fn exchange(bench: &mut Bench, step: &[(Action, &[Message])]) -> Result<(), InteropError> {
    let all = || step.iter().flat_map(|(action, list)| list.iter().map(|m| (*action, m)));
    for (action, message) in all() {
        prepare(bench, action, message)?;
    }
    bench.lab.nic.bus().memory.clear_written();
    for (action, message) in all() {
        start(bench, action, message)?;
    }
    let guest_count = all().filter(|(action, _)| action.is_guests()).count();
    let wait = format!("wait {guest_count} {GUEST_WAIT_MS}");
    if guest_count > 0 {
        bench.lab.tell(&wait)?;
    }
    for completion in bench.lab.completions(all().count() - guest_count)? {
        bench.qps.iter_mut().for_each(|qp| qp.complete(&completion));
        if completion.status != Status::Ok {
            return Err(InteropError::Wrong(format!("the NIC completes with {completion:?}")));
        }
    }
    if guest_count > 0 {
        bench.lab.answer(&wait)?;
    }
    for (action, message) in all() {
        check(bench, action, message)?;
    }
    let mut landings: Vec<_> = all().filter_map(|(action, m)| m.landing(action)).collect();
    landings.sort_by_key(|range| range.start);
    let written = bench.lab.nic.bus().memory.written_ranges();
    if written != landings {
        let text = format!("the NIC wrote {written:x?} instead of {landings:x?}");
        return Err(InteropError::Wrong(text));
    }
    Ok(())
}

/// Puts the source's bytes there and something else to where they go.
fn prepare(bench: &mut Bench, action: Action, m: &Message) -> Result<(), InteropError> {
    let other: Vec<u8> = m.payload().iter().map(|byte| !byte).collect();
    let (bytes, seed) = (m.bytes, m.seed);
    match action {
        Action::GuestWrite => {
            bench.lab.nic.bus().memory.store(REGION_HOST + m.host[0], &other);
            bench.lab.ask(&format!("fill {} {bytes} {seed}", m.guest[0]))?;
        }
        Action::GuestRead => {
            bench.lab.ask(&format!("clear {} {bytes} {seed}", m.guest[1]))?;
        }
        Action::NicWrite => {
            bench.lab.nic.bus().memory.store(BUFFER_HOST + m.host[0], &m.payload());
            bench.lab.ask(&format!("clear {} {bytes} {seed}", m.guest[0]))?;
        }
        Action::NicRead => {
            bench.lab.nic.bus().memory.store(BUFFER_HOST + m.host[1], &other);
        }
    }
    Ok(())
}

fn start(bench: &mut Bench, action: Action, m: &Message) -> Result<(), InteropError> {
    let remote_va = REGION_VA + m.host[0];
    match action {
        Action::GuestWrite | Action::GuestRead => {
            let (verb, at) = match action {
                Action::GuestWrite => ("write", m.guest[0]),
                _ => ("read", m.guest[1]),
            };
            let (qp, bytes) = (m.qp, m.bytes);
            bench.lab.ask(&format!("{verb} {qp} {at} {bytes} {remote_va:#x} {REGION_RKEY:#x}"))?;
        }
        Action::NicWrite => {
            let write = Write {
                local_address: BUFFER_HOST + m.host[0],
                length_bytes: m.bytes,
                remote_va: bench.guest_address + m.guest[0],
                rkey: bench.guest_rkey,
                ..Write::default()
            };
            bench.lab.nic.post_write(&mut bench.qps[m.qp], &write)?;
        }
        Action::NicRead => {
            let read = Read {
                local_address: BUFFER_HOST + m.host[1],
                length_bytes: m.bytes,
                remote_va: bench.guest_address + m.guest[0],
                rkey: bench.guest_rkey,
                ..Read::default()
            };
            bench.lab.nic.post_read(&mut bench.qps[m.qp], &read)?;
        }
    }
    Ok(())
}

fn check(bench: &mut Bench, action: Action, m: &Message) -> Result<(), InteropError> {
    let guest_at = match action {
        Action::NicWrite => m.guest[0],
        Action::GuestRead => m.guest[1],
        Action::GuestWrite | Action::NicRead => {
            let landing = m.landing(action).expect("these two land in host memory");
            let found = bench.lab.nic.bus().memory.load(landing.start, m.bytes as usize);
            let wrong = m.payload().iter().zip(&found).position(|(want, is)| want != is);
            return match wrong {
                Some(at) => Err(InteropError::Wrong(format!("byte {at} is {:#04x}", found[at]))),
                None => Ok(()),
            };
        }
    };
    bench.lab.ask(&format!("check {guest_at} {} {}", m.bytes, m.seed))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_is_the_guests() {
        // Printed by the C function in scripts/guest/peer.c.
        let bytes = |seed, first| [0u32, 1, 2, 3].map(|at| pattern(seed, first + at));
        assert_eq!(bytes(1, 0), [0x5d, 0xcb, 0x51, 0xbf]);
        assert_eq!(bytes(0xdead_beef, 1_048_572), [0x05, 0x96, 0x11, 0xa2]);
    }
}
