//! A store-and-forward switch: one queue a port, telemetry stamped at dequeue, random loss.

use super::transit;
pub use super::transit::INT_PORT;
use nic_models::insert;
use nic_models::reference::hpcc::link_bytes_per_ns;
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::telemetry::{
    self, Form, Hop, HOPS_MAX, HOPS_USED_MAX, QUEUE_UNIT_BYTES, TX_UNIT_BYTES,
};
use nic_spec::wire::{bth, ethernet, ipv4, udp};
use nic_spec::wire::{ifa, int_md, ioam};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Preamble, FCS and gap of a frame on the wire, bytes.
pub const WIRE_OVERHEAD_BYTES: usize = 24;
/// Largest queue length that fits its field.
const QUEUE_UNITS_MAX: u64 = (1 << 17) - 1;

/// Frames that overtake a held one, at most.
pub const OVERTAKEN_MAX: usize = 4;
/// A held frame that none overtakes goes on after this time.
const HELD_NS: f64 = 3_000.0;

/// Utilisation of a whole link, as INT-MD tells it here: hundredths of a percent.
pub const UTILISATION_FULL: u32 = 10_000;
/// Time over which the utilisation is averaged.
const UTILISATION_NS: f64 = 2_000.0;
/// What the clocks of IOAM and IFA show in the beginning: 50 us before a second ends.
const START_NS: u64 = 1_700_000_000_999_950_000;
/// Time that a packet has stayed in the switch when it leaves, as IFA tells it here.
const IFA_STAY_NS: u64 = 700;
/// DSCP of direct telemetry responses.
pub const DIRECT_DSCP: u8 = 0x17;
/// Bytes of a cell of the buffer, in which INT-MD, IOAM and IFA count queues here.
const CELL_BYTES: u64 = QUEUE_UNIT_BYTES as u64;

/// How a switch writes telemetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Into the header that the sender has left room for.
    Native(Form),
    /// INT-MD in HPCC's profile: added to where there is a header, or inserted into every RoCEv2
    /// packet that is no ACK and no telemetry response.
    IntMd {
        /// [`INT_PORT`] marks the packets; else their DSCP.
        by_port: bool,
    },
    /// An IOAM trace with what HPCC asks for and seconds, in the same packets.
    Ioam,
    /// IFA 2.0 with HPCC's hop, in the same packets.
    Ifa,
    /// Packets stay as they are: the record goes back to the requester in a direct telemetry response.
    Direct {
        /// One for so many data packets that leave by a port.
        every: u32,
    },
}

/// Telemetry that a switch stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamping {
    /// Layout.
    pub format: Format,
    /// DSCP of packets with telemetry.
    pub dscp: u8,
    /// Rate code of the ports, see reference HPCC: 0 is 25 Gb/s.
    pub rate_code: u8,
    /// Identifier of the switch, 12 bits.
    pub switch_id: u16,
    /// Packets of the formats that need no room bring their header along: the switch is a transit hop,
    /// else it is the source.
    pub is_transit: bool,
}

/// Rate code of a link: of the fastest rate that has one and is no faster, or of 25 Gb/s.
pub fn rate_code(link_gbps: f64) -> u8 {
    let rates = (0..8).filter_map(|code| link_bytes_per_ns(code).map(|rate| (code, rate * 8.0)));
    let no_faster = rates.filter(|(_, gbps)| *gbps <= link_gbps);
    no_faster.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(code, _)| code)
}

/// What happens to frames at random, in parts per million.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Frames lost.
    pub loss_ppm: u32,
    /// Frames delivered twice.
    pub duplicate_ppm: u32,
    /// Frames with one bit flipped.
    pub corrupt_ppm: u32,
    /// Frames that up to [`OVERTAKEN_MAX`] later ones to the same port overtake.
    pub reorder_ppm: u32,
}

/// Bytes of a frame on the wire.
pub fn wire_bytes(frame: &[u8]) -> u64 {
    (frame.len().max(ethernet::FRAME_BYTES_MIN) + WIRE_OVERHEAD_BYTES) as u64
}

/// Frames that a switch has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwitchCounters {
    /// Delivered.
    pub forwarded: u64,
    /// Lost at random.
    pub lost: u64,
    /// Lost because the queue was full.
    pub overflowed: u64,
    /// Delivered a second time.
    pub duplicated: u64,
    /// Corrupted.
    pub corrupted: u64,
    /// Held back so that others overtook them.
    pub reordered: u64,
    /// Given a record of telemetry.
    pub stamped: u64,
    /// Answered with a direct telemetry response.
    pub answered: u64,
    /// Cut off for their opcode.
    pub cut: u64,
    /// Largest queue, bytes.
    pub queue_bytes_max: u64,
}

impl SwitchCounters {
    /// Frames that did not get through as they were.
    pub fn harmed(&self) -> u64 {
        self.lost + self.overflowed + self.corrupted + self.cut
    }
}

#[derive(Clone, Debug, Default)]
struct Port {
    mac: u64,
    queue: VecDeque<Vec<u8>>,
    queue_bytes: u64,
    tx_bytes: u64,
    /// Utilisation of the link, and when the last frame began to leave.
    utilisation: f64,
    started_ns: f64,
    /// Frames that wait for others to overtake them: how many are still to, and until when.
    held: Vec<(usize, Option<f64>, Vec<u8>)>,
    /// Data packets since the last one that was answered.
    unanswered: u32,
    /// Frame on the wire and the time its last byte is through.
    on_wire: Option<(f64, Vec<u8>)>,
}

/// The switch. Time is in ns.
#[derive(Clone, Debug)]
pub struct Switch {
    ports: Vec<Port>,
    bytes_per_ns: f64,
    queue_bytes_limit: u64,
    stamping: Option<Stamping>,
    cut_opcode: Option<u8>,
    faults: Faults,
    rng: ChaCha8Rng,
    /// What it has done.
    pub counters: SwitchCounters,
}

impl Switch {
    /// A switch whose ports lead to `macs`, each at `rate_gbps`.
    pub fn new(macs: &[u64], rate_gbps: f64, faults: Faults, seed: u64) -> Self {
        Self {
            ports: macs.iter().map(|mac| Port { mac: *mac, ..Port::default() }).collect(),
            bytes_per_ns: rate_gbps / 8.0,
            queue_bytes_limit: 1 << 20,
            stamping: None,
            cut_opcode: None,
            faults,
            rng: ChaCha8Rng::seed_from_u64(seed),
            counters: SwitchCounters::default(),
        }
    }

    /// Stamps telemetry from now on.
    pub fn stamp(&mut self, stamping: Stamping) {
        self.stamping = Some(stamping);
    }

    /// Lets no frame with this opcode through from now on.
    pub fn cut_opcode(&mut self, opcode: u8) {
        self.cut_opcode = Some(opcode);
    }

    /// Bytes that wait at port `at`, without the frame on the wire.
    pub fn queue_bytes(&self, at: usize) -> u64 {
        self.ports[at].queue_bytes
    }

    fn is_cut(&self, frame: &[u8]) -> bool {
        let Some(opcode) = self.cut_opcode else { return false };
        let form = self.stamping.map(|stamping| match stamping.format {
            Format::Native(form) => form,
            Format::IntMd { .. } | Format::Ioam | Format::Ifa | Format::Direct { .. } => {
                Form::Paper
            }
        });
        let forms = [form, None];
        let parsed = forms.into_iter().find_map(|form| FrameRepr::parse(frame, form).ok());
        parsed.is_some_and(|packet| packet.bth.opcode == opcode)
    }

    fn happens(&mut self, ppm: u32) -> bool {
        ppm > 0 && self.rng.gen_range(0..1_000_000) < ppm
    }

    /// A frame arrives; frames to an unknown MAC are lost.
    pub fn receive(&mut self, mut frame: Vec<u8>) {
        let destination = frame.iter().take(6).fold(0, |mac, b| mac << 8 | u64::from(*b));
        let Some(at) = self.ports.iter().position(|p| p.mac == destination) else {
            self.counters.lost += 1;
            return;
        };
        if self.is_cut(&frame) {
            self.counters.cut += 1;
            return;
        }
        if self.happens(self.faults.loss_ppm) {
            self.counters.lost += 1;
            return;
        }
        if self.happens(self.faults.corrupt_ppm) {
            self.counters.corrupted += 1;
            let bit = self.rng.gen_range(14 * 8..frame.len() * 8);
            frame[bit / 8] ^= 1 << (bit % 8);
        }
        let copies = if self.happens(self.faults.duplicate_ppm) { 2 } else { 1 };
        self.counters.duplicated += copies - 1;
        for _ in 0..copies {
            if self.happens(self.faults.reorder_ppm) {
                self.counters.reordered += 1;
                let later = self.rng.gen_range(1..=OVERTAKEN_MAX);
                self.ports[at].held.push((later, None, frame.clone()));
                continue;
            }
            self.enqueue(at, frame.clone());
            for held in &mut self.ports[at].held {
                held.0 = held.0.saturating_sub(1);
            }
            self.release(at, |held| held.0 == 0);
        }
    }

    fn enqueue(&mut self, at: usize, frame: Vec<u8>) {
        let port = &mut self.ports[at];
        if port.queue_bytes + frame.len() as u64 > self.queue_bytes_limit {
            self.counters.overflowed += 1;
            return;
        }
        port.queue_bytes += frame.len() as u64;
        self.counters.queue_bytes_max = self.counters.queue_bytes_max.max(port.queue_bytes);
        port.queue.push_back(frame);
    }

    /// Held frames that are `due` go on.
    fn release(&mut self, at: usize, due: impl Fn(&(usize, Option<f64>, Vec<u8>)) -> bool) {
        let held = std::mem::take(&mut self.ports[at].held);
        for item in held {
            if due(&item) {
                self.enqueue(at, item.2);
            } else {
                self.ports[at].held.push(item);
            }
        }
    }

    /// The next frame that is through at port `at` by `now_ns`.
    pub fn poll(&mut self, at: usize, now_ns: f64) -> Option<Vec<u8>> {
        if !self.ports[at].held.is_empty() {
            for held in &mut self.ports[at].held {
                held.1 = held.1.or(Some(now_ns + HELD_NS));
            }
            self.release(at, |held| held.1.is_some_and(|until_ns| until_ns <= now_ns));
        }
        let (through, free_ns) = match self.ports[at].on_wire.take() {
            Some((done_ns, frame)) if done_ns <= now_ns => {
                self.counters.forwarded += 1;
                (Some(frame), done_ns)
            }
            Some(waiting) => {
                self.ports[at].on_wire = Some(waiting);
                return None;
            }
            None => (None, now_ns),
        };
        self.start(at, free_ns);
        through
    }

    /// Puts the next frame of a port on the wire, and answers it if its turn has come.
    fn start(&mut self, at: usize, now_ns: f64) {
        let (stamping, bytes_per_ns) = (self.stamping, self.bytes_per_ns);
        let answer = stamping.and_then(|stamping| self.ports[at].answer(now_ns, &stamping));
        self.counters.stamped += self.ports[at].start(now_ns, bytes_per_ns, stamping);
        if let Some(answer) = answer {
            self.counters.answered += 1;
            self.receive(answer);
        }
    }
}

impl Port {
    /// Puts the head of the queue on the wire; how many records it was given.
    fn start(&mut self, now_ns: f64, bytes_per_ns: f64, stamping: Option<Stamping>) -> u64 {
        let Some(frame) = self.queue.pop_front() else { return 0 };
        self.queue_bytes -= frame.len() as u64;
        self.utilisation *= (-(now_ns - self.started_ns) / UTILISATION_NS).exp();
        self.started_ns = now_ns;
        let stamped = stamping.and_then(|s| self.stamped(&frame, now_ns, s));
        let record_count = u64::from(stamped.is_some());
        let frame = stamped.unwrap_or(frame);
        self.tx_bytes += frame.len() as u64;
        let wire_ns = wire_bytes(&frame) as f64 / bytes_per_ns;
        self.utilisation += 1.0 - (-wire_ns / UTILISATION_NS).exp();
        self.on_wire = Some((now_ns + wire_ns, frame));
        record_count
    }

    /// The frame with one more record: the queue without this packet, the bytes sent before it.
    fn stamped(&self, frame: &[u8], now_ns: f64, stamping: Stamping) -> Option<Vec<u8>> {
        match stamping.format {
            Format::Native(form) => self.stamped_natively(frame, now_ns, form, stamping),
            Format::IntMd { by_port } => self.stamped_by_int(frame, now_ns, by_port, stamping),
            Format::Ioam => self.stamped_by_ioam(frame, now_ns, stamping),
            Format::Ifa => self.stamped_by_ifa(frame, now_ns, stamping),
            Format::Direct { .. } => None,
        }
    }

    /// What a packet that leaves now and finds `queue_bytes` would tell.
    fn hop(&self, now_ns: f64, stamping: &Stamping, queue_bytes: u64) -> Hop {
        Hop {
            rate_code: stamping.rate_code,
            ts_ns: (now_ns as u64 & 0xff_ffff) as u32,
            tx_units: ((self.tx_bytes / u64::from(TX_UNIT_BYTES)) & 0xf_ffff) as u32,
            queue_units: (queue_bytes / u64::from(QUEUE_UNIT_BYTES)).min(QUEUE_UNITS_MAX) as u32,
        }
    }

    /// The direct telemetry response to the frame that leaves next, if it is a data packet whose turn it is:
    /// back to where it came from, all that finds its flow as in the packet, and the queue without it.
    fn answer(&mut self, now_ns: f64, stamping: &Stamping) -> Option<Vec<u8>> {
        let Format::Direct { every } = stamping.format else { return None };
        let frame = self.queue.front()?;
        let packet = FrameRepr::parse(frame, None).ok()?;
        let is_data = bth::opcode::WRITE_FIRST..=bth::opcode::WRITE_ONLY_IMM;
        if !is_data.contains(&packet.bth.opcode) {
            return None;
        }
        self.unanswered += 1;
        if self.unanswered < every {
            return None;
        }
        self.unanswered = 0;
        let hop = self.hop(now_ns, stamping, self.queue_bytes - frame.len() as u64);
        let telemetry = telemetry::Repr::new(stamping.switch_id & 0xfff, &[hop]);
        let (ethernet, ip, bth) = (packet.ethernet, packet.ip, packet.bth);
        let response = FrameRepr {
            ethernet: ethernet::Repr { dst: ethernet.src, src: ethernet.dst, ..ethernet },
            ip: ipv4::Repr { ident: 0, dscp: DIRECT_DSCP, src: ip.dst, dst: ip.src, ..ip },
            udp_src_port: packet.udp_src_port,
            telemetry: Some((Form::Paper, telemetry)),
            bth: bth::Repr {
                opcode: bth::opcode::DIRECT_RESPONSE,
                pkey: bth.pkey,
                qpn: bth.qpn,
                psn: bth.psn,
                ..bth::Repr::default()
            },
            ..FrameRepr::default()
        };
        let mut bytes = vec![0; response.buffer_len().max(ethernet::FRAME_BYTES_MIN)];
        response.emit(&mut bytes);
        Some(bytes)
    }

    /// The frame with a record in the room that its sender has left.
    fn stamped_natively(
        &self,
        frame: &[u8],
        now_ns: f64,
        form: Form,
        stamping: Stamping,
    ) -> Option<Vec<u8>> {
        let eth = ethernet::Packet::new_checked(frame).ok()?;
        let ip = ipv4::Packet::new_checked(eth.payload()).ok()?;
        if ip.dscp() != stamping.dscp {
            return None;
        }
        let repr = FrameRepr::parse(frame, Some(form)).ok()?;
        let (_, mut telemetry) = repr.telemetry?;
        let count = usize::from(telemetry.hop_count);
        let room = if form == Form::Paper { HOPS_MAX } else { HOPS_USED_MAX };
        if count >= room {
            return None;
        }
        telemetry.hops[count] = self.hop(now_ns, &stamping, self.queue_bytes);
        telemetry.hop_count += 1;
        if form == Form::Paper {
            telemetry.path ^= stamping.switch_id & 0xfff;
        }
        let repr = FrameRepr { telemetry: Some((form, telemetry)), ..repr };
        let mut bytes = vec![0; repr.buffer_len().max(ethernet::FRAME_BYTES_MIN)];
        repr.emit(&mut bytes);
        Some(bytes)
    }

    /// The frame with INT-MD of this hop.
    fn stamped_by_int(
        &self,
        frame: &[u8],
        now_ns: f64,
        by_port: bool,
        stamping: Stamping,
    ) -> Option<Vec<u8>> {
        let ts_ns = now_ns as u64;
        let words = [
            stamping.switch_id.into(),
            1 << 16 | 8,
            (self.queue_bytes / CELL_BYTES) as u32 & 0xff_ffff,
            (ts_ns >> 32) as u32,
            ts_ns as u32,
            (self.utilisation * f64::from(UTILISATION_FULL)) as u32,
        ];
        let hop: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_be_bytes()).collect();
        if stamping.is_transit {
            return transit::int_md(frame, &hop, by_port, stamping.dscp);
        }
        let repr = to_stamp(frame)?;
        let (npt, original) = match by_port {
            true => (int_md::NPT_PORT, udp::PORT_ROCE),
            false => (int_md::NPT_DSCP, u16::from(repr.ip.dscp) << 2),
        };
        let headers = int_md::Headers { hops_left: 4, ..int_md::Headers::hpcc(npt, original) };
        let mut telemetry = vec![0; int_md::HEADERS_BYTES];
        headers.emit(hop.len(), &mut telemetry);
        telemetry.extend(hop);
        let port = by_port.then_some(INT_PORT);
        let dscp = if by_port { repr.ip.dscp } else { stamping.dscp };
        Some(insert::telemetry(frame, &telemetry, dscp, port))
    }

    /// The frame with an IOAM trace of this node.
    fn stamped_by_ioam(&self, frame: &[u8], now_ns: f64, stamping: Stamping) -> Option<Vec<u8>> {
        let ns = START_NS + now_ns as u64;
        let words = [
            63 << 24 | u32::from(stamping.switch_id),
            1 << 16 | 8,
            (ns / 1_000_000_000) as u32,
            (ns % 1_000_000_000) as u32,
            (self.queue_bytes / CELL_BYTES) as u32,
            self.tx_bytes as u32,
        ];
        let node: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_be_bytes()).collect();
        if stamping.is_transit {
            return transit::ioam(frame, &node, stamping.dscp);
        }
        to_stamp(frame)?;
        let headers = ioam::Headers { words_left: 24, ..ioam::Headers::hpcc(false) };
        let mut telemetry = vec![0; ioam::HEADERS_BYTES];
        headers.emit(node.len(), &mut telemetry);
        telemetry.extend(node);
        Some(insert::telemetry(frame, &telemetry, stamping.dscp, None))
    }

    /// The frame with IFA of this hop.
    fn stamped_by_ifa(&self, frame: &[u8], now_ns: f64, stamping: Stamping) -> Option<Vec<u8>> {
        let ns = START_NS + now_ns as u64;
        let ingress_ns = ns - IFA_STAY_NS;
        let hop = ifa::Hop {
            device: 1 << 20 | u32::from(stamping.switch_id),
            // Rate codes and speeds count the same rates, but for 40 and 50 Gb/s.
            speed: [1, 3, 4, 5, 6, 0, 0, 2][usize::from(stamping.rate_code & 7)],
            seconds: (ingress_ns / 1_000_000_000) as u32 & 0xf_ffff,
            interfaces: 8 << 16 | 1,
            ns: (ingress_ns % 1_000_000_000) as u32,
            stay_ns: IFA_STAY_NS as u32,
            tx_bytes: self.tx_bytes as u32,
            queue: (self.queue_bytes / CELL_BYTES).min(0xfffe) as u16,
        };
        if stamping.is_transit {
            return transit::ifa(frame, &hop.emit());
        }
        to_stamp(frame)?;
        let words = (ifa::HOP_BYTES / 4) as u8;
        let metadata = [&[0, 0, ifa::HOP_LIMIT - 1, words], &hop.emit()[..]].concat();
        Some(insert::ifa(frame, ifa::Header::default(), &metadata))
    }
}

/// The packet, if it is one of those that switches insert telemetry into.
fn to_stamp(frame: &[u8]) -> Option<FrameRepr<'_>> {
    use bth::opcode::{ACKNOWLEDGE, PROBE_RESPONSE, TELEMETRY_RESPONSE, TELEMETRY_WINDOW};
    let back = [ACKNOWLEDGE, TELEMETRY_RESPONSE, PROBE_RESPONSE, TELEMETRY_WINDOW];
    FrameRepr::parse(frame, None).ok().filter(|repr| !back.contains(&repr.bth.opcode))
}

#[cfg(test)]
mod tests {
    use super::rate_code;

    #[test]
    fn rate_code_is_of_the_fastest_rate_that_is_no_faster() {
        let codes = [1.0, 25.0, 39.9, 40.0, 50.0, 100.0, 399.0, 1000.0].map(rate_code);
        assert_eq!(codes, [0, 0, 0, 7, 1, 2, 3, 4]);
    }
}
