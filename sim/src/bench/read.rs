//! Benches: the blocks that join requester and READ responses, each with a scoreboard of its own.

use super::random::sub;
use crate::env::stream::{Beat, FrameSource, Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::host::write_mux::{WriteMux, WriteMuxIn, WriteMuxOut};
use nic_models::golden::transport::completer::{Completer, CompleterIn, CompleterOut};
use nic_models::golden::transport::pkt_mux::{PktMux, PktMuxIn, PktMuxOut};
use nic_models::golden::transport::requester::order;
use nic_models::golden::transport::work_mux::{WorkMux, WorkMuxIn, WorkMuxOut};
use nic_models::streams::{
    Axis, AxisWords, Order, Packet, PayloadSource, Probe, ReadCommand, ReadJobEnd, ReadyPort,
    Reply, TreadyPort, Window, Work, WriteCommand, WriteDone,
};
use nic_spec::config::NicConfig;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Cycles between resets in the middle of a run, on average.
const RESET_CYCLES: u32 = 10_000;
/// Cycles in which landings are reported, and as many in which none is.
const PHASE_CYCLES: u64 = 4096;
/// Largest number of items that a bench holds back.
const WAITING_MAX: usize = 16;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let c = config;
    let [d, e, f, g, h, k] = std::array::from_fn(|_| c.clone());
    let beat_bytes = c.data_bytes();
    vec![
        Bench::new("write_mux", c, WriteMux::default, move |s| Ports::new(beat_bytes, s)),
        Bench::new("completer", c, move || Completer::new(&d), move |s| Orders::new(&e, s)),
        Bench::new("pkt_mux", c, move || PktMux::new(&f), move |s| Packets::new(&g, s)),
        Bench::new("work_mux", c, move || WorkMux::new(&h), move |s| Works::new(&k, s)),
    ]
}

fn length(rng: &mut ChaCha8Rng) -> u16 {
    match rng.gen_range(0..8) {
        0 => 0,
        1 if rng.gen() => 4096,
        1 => rng.gen_range(1..=4096),
        2 => 8 * rng.gen_range(1..=32),
        3 => 64 * rng.gen_range(1..=32),
        _ => rng.gen_range(1..=40),
    }
}

/// Commands of one port with their frames, which may come before or behind them.
struct Port {
    cmds: Source<WriteCommand>,
    waiting: VecDeque<WriteCommand>,
    frames: FrameSource,
    done: Sink,
    /// First words of the frames whose commands have not left.
    heads: VecDeque<(u128, Option<u64>)>,
    /// Tags whose report has not come.
    open: VecDeque<u128>,
}

impl Port {
    fn new(beat_bytes: usize, seed: u64, salt: u64) -> Self {
        Self {
            cmds: Source::new(sub(seed, salt)),
            waiting: VecDeque::new(),
            frames: FrameSource::new(sub(seed, salt + 1), beat_bytes),
            done: Sink::new(sub(seed, salt + 2)),
            heads: VecDeque::new(),
            open: VecDeque::new(),
        }
    }

    /// A command with a tag of so many bits, and its frame.
    fn make(&mut self, rng: &mut ChaCha8Rng, tag_bits: u32) {
        if self.waiting.len() >= 4 || self.frames.pending_beats() > 600 {
            return;
        }
        let cmd = WriteCommand { valid: true, addr: rng.gen(), bytes: length(rng), tag: rng.gen() };
        let cmd = WriteCommand { tag: cmd.tag >> (128 - tag_bits), ..cmd };
        let frame: Vec<u8> = (0..cmd.bytes.next_multiple_of(8)).map(|_| rng.gen()).collect();
        let head = frame.first_chunk().map(|word| u64::from_le_bytes(*word));
        self.frames.push(&frame, false);
        self.heads.push_back((cmd.tag, head));
        self.waiting.push_back(cmd);
    }

    fn drive(&mut self, cmd_ready: bool, data_ready: bool) -> (Option<WriteCommand>, Option<Beat>) {
        let waiting = &mut self.waiting;
        let cmd = self.cmds.drive(cmd_ready, || waiting.pop_front());
        (cmd, self.frames.drive(data_ready))
    }

    /// The tag comes back in order.
    fn check_report(&mut self, report: &WriteDone, ready: bool) {
        if report.valid && ready {
            assert_eq!(Some(report.tag), self.open.pop_front(), "reports in the order of commands");
        }
    }
}

fn port_beat(beat: Option<Beat>, junk: u64) -> AxisWords {
    match beat {
        Some(beat) => AxisWords { tvalid: true, tdata: beat.tdata, tlast: beat.tlast },
        None => AxisWords { tvalid: false, tdata: junk.into(), tlast: junk & 1 != 0 },
    }
}

/// Responder, completer and completion ring at the write mux, and an engine behind it.
struct Ports {
    beat_bytes: usize,
    rng: ChaCha8Rng,
    ports: [Port; 3],
    /// Those that go on: at times one alone, or none.
    makes: [bool; 3],
    cmd: Sink,
    data: Sink,
    reports: Source<(u128, bool)>,
    started: VecDeque<u128>,
    /// Beats that the engine expects, the first of each frame with its word.
    expected: VecDeque<Option<u64>>,
    reset_seed: u64,
}

impl Ports {
    fn new(beat_bytes: usize, seed: u64) -> Self {
        Self {
            beat_bytes,
            rng: sub(seed, 0),
            ports: [10, 20, 30].map(|salt| Port::new(beat_bytes, seed, salt)),
            makes: [true; 3],
            cmd: Sink::new(sub(seed, 1)),
            data: Sink::new(sub(seed, 2)),
            reports: Source::new(sub(seed, 3)),
            started: VecDeque::new(),
            expected: VecDeque::new(),
            reset_seed: seed,
        }
    }

    fn engine(&mut self, out: &WriteMuxOut, pins: &WriteMuxIn) {
        if out.m_cmd.valid && pins.m_cmd.ready {
            let (port, bits) = match out.m_cmd.tag >> 126 {
                0 | 1 => (0, 127),
                2 => (1, 126),
                _ => (2, 126),
            };
            let (tag, head) = self.ports[port].heads.pop_front().expect("a command was given");
            assert_eq!(out.m_cmd.tag & ((1 << bits) - 1), tag, "commands of a port in order");
            self.ports[port].open.push_back(tag);
            self.started.push_back(out.m_cmd.tag);
            let beats = usize::from(out.m_cmd.bytes).div_ceil(self.beat_bytes);
            self.expected.extend((0..beats).map(|at| head.filter(|_| at == 0)));
        }
        // Data may be ahead of its command.
        if out.m_data.tvalid && pins.m_data.tready {
            let expected = self.expected.pop_front().expect("a beat of a command that has left");
            assert!(
                expected.is_none_or(|word| word == out.m_data.tdata.0[0]),
                "frame behind its command"
            );
        }
    }
}

impl Stimulus<WriteMux> for Ports {
    fn next(&mut self, _cycle: u64, out: &WriteMuxOut) -> WriteMuxIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        if self.rng.gen_ratio(1, 200) {
            self.makes = self.rng.gen();
        }
        for (at, bits) in [127, 126, 126].into_iter().enumerate() {
            if self.makes[at] {
                self.ports[at].make(&mut self.rng, bits);
            }
        }
        let junk = WriteCommand {
            tag: self.rng.gen::<u128>() >> 2,
            addr: self.rng.gen(),
            ..WriteCommand::default()
        };
        let a = self.ports[0].drive(out.s_a_cmd.ready, out.s_a_data.tready);
        let b = self.ports[1].drive(out.s_b_cmd.ready, out.s_b_data.tready);
        let c = self.ports[2].drive(out.s_c_cmd.ready, out.s_c_data.tready);
        let (rng, started) = (&mut self.rng, &mut self.started);
        let error = rng.gen_ratio(1, 4);
        let report =
            self.reports.drive(out.s_done.ready, || started.pop_front().map(|tag| (tag, error)));
        // The engine takes a command before its data.
        let m_cmd_ready = self.cmd.drive();
        let is_ahead = self.expected.is_empty() && !(out.m_cmd.valid && m_cmd_ready);
        let pins = WriteMuxIn {
            reset,
            s_a_cmd: a.0.unwrap_or(junk),
            s_a_data: port_beat(a.1, junk.addr),
            m_a_done: ReadyPort { ready: self.ports[0].done.drive() },
            s_b_cmd: b.0.unwrap_or(junk),
            s_b_data: port_beat(b.1, !junk.addr),
            m_b_done: ReadyPort { ready: self.ports[1].done.drive() },
            s_c_cmd: c.0.unwrap_or(junk),
            s_c_data: port_beat(c.1, junk.addr.rotate_left(1)),
            m_c_done: ReadyPort { ready: self.ports[2].done.drive() },
            m_cmd: ReadyPort { ready: m_cmd_ready },
            m_data: TreadyPort { tready: self.data.drive() && !is_ahead },
            s_done: WriteDone {
                valid: report.is_some(),
                tag: report.map_or(junk.tag, |r| r.0),
                error: report.map_or(error, |r| r.1),
            },
        };
        self.engine(out, &pins);
        self.ports[0].check_report(&out.m_a_done, pins.m_a_done.ready);
        self.ports[1].check_report(&out.m_b_done, pins.m_b_done.ready);
        self.ports[2].check_report(&out.m_c_done, pins.m_c_done.ready);
        if reset {
            self.reset_seed = self.rng.gen();
            *self = Self::new(self.beat_bytes, self.reset_seed);
        }
        pins
    }
}

/// Orders of a requester that reads, payload, an engine that answers late and refuses some.
struct Orders {
    config: NicConfig,
    rng: ChaCha8Rng,
    flow_count: u16,
    orders: Source<Order>,
    waiting: VecDeque<Order>,
    frames: FrameSource,
    cmd: Sink,
    data: Sink,
    done: Source<(u128, bool)>,
    /// Tags and beats of commands that the engine has taken.
    open: VecDeque<(u128, usize)>,
    /// Beats that have come for the oldest commands.
    beats: usize,
    row: Option<u16>,
    cqe: Sink,
    fail: Sink,
    next_id: u32,
    /// Ids of completions that must come.
    ids: VecDeque<u32>,
}

impl Orders {
    fn new(config: &NicConfig, seed: u64) -> Self {
        Self {
            config: config.clone(),
            rng: sub(seed, 0),
            flow_count: config.flow_count as u16,
            orders: Source::new(sub(seed, 1)),
            waiting: VecDeque::new(),
            frames: FrameSource::new(sub(seed, 2), config.data_bytes()),
            cmd: Sink::new(sub(seed, 3)),
            data: Sink::new(sub(seed, 4)),
            done: Source::new(sub(seed, 5)),
            open: VecDeque::new(),
            beats: 0,
            row: None,
            cqe: Sink::new(sub(seed, 6)),
            fail: Sink::new(sub(seed, 7)),
            next_id: sub(seed, 8).gen(),
            ids: VecDeque::new(),
        }
    }

    /// An order; few flows, so that errors meet completions. A beat at most, if they are short.
    fn order(&mut self, are_short: bool) {
        if self.waiting.len() >= 4 || self.frames.pending_beats() > 600 {
            return;
        }
        let rng = &mut self.rng;
        let limit = if rng.gen_ratio(1, 8) { self.flow_count } else { 4 };
        let order = Order {
            valid: true,
            op: *[order::COMPLETION, order::LAND, order::LAND, order::DROP]
                .get(rng.gen_range(0..4))
                .unwrap(),
            flow: rng.gen_range(0..limit),
            addr: rng.gen(),
            bytes: if are_short { rng.gen_range(1..=8) } else { length(rng).max(1) },
            status: if rng.gen_ratio(1, 8) { rng.gen_range(1..9) } else { 0 },
            wr_id: self.next_id,
            byte_len: rng.gen(),
            signalled: rng.gen(),
        };
        if order.op == order::COMPLETION {
            self.ids.push_back(order.wr_id);
            self.next_id = self.next_id.wrapping_add(1);
        } else {
            let bytes: Vec<u8> = (0..order.bytes).map(|_| rng.gen()).collect();
            self.frames.push(&bytes, false);
        }
        self.waiting.push_back(order);
    }

    /// Takes commands and data; reports what has all its data, if reports are not held back.
    fn engine(
        &mut self,
        out: &CompleterOut,
        (cmd_ready, data_ready): (bool, bool),
        holds: bool,
    ) -> Option<(u128, bool)> {
        let (open, beats, rng) = (&mut self.open, &mut self.beats, &mut self.rng);
        let is_complete = !holds && open.front().is_some_and(|(_, needed)| *needed <= *beats);
        let report = self.done.drive(out.s_done.ready, || {
            let (tag, needed) = if is_complete { open.pop_front() } else { None }?;
            *beats -= needed;
            Some((tag, rng.gen_ratio(1, 12)))
        });
        if out.m_cmd.valid && cmd_ready {
            let needed = usize::from(out.m_cmd.bytes).div_ceil(self.config.data_bytes());
            self.open.push_back((out.m_cmd.tag, needed));
        }
        self.beats += usize::from(out.m_data.tvalid && data_ready);
        report
    }
}

impl Stimulus<Completer> for Orders {
    fn next(&mut self, cycle: u64, out: &CompleterOut) -> CompleterIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        // A row that waits holds up the orders: it has its way first.
        let is_full_phase = cycle / PHASE_CYCLES % 2 == 1;
        let holds = is_full_phase && self.row.is_none();
        self.order(holds);
        let junk = Order {
            op: self.rng.gen_range(0..3),
            flow: self.rng.gen_range(0..self.flow_count),
            addr: self.rng.gen(),
            ..Order::default()
        };
        let waiting = &mut self.waiting;
        let order = self.orders.drive(out.s_order.ready, || waiting.pop_front());
        let beat = self.frames.drive(out.s_response.tready);
        let (m_cmd_ready, m_data_tready) = (self.cmd.drive(), self.data.drive());
        let report = self.engine(out, (m_cmd_ready, m_data_tready), holds);
        let row_taken = out.s_cfg_ready;
        if !is_full_phase && self.row.is_none() && self.rng.gen_ratio(1, 100) {
            // Often that of a command under way: what memory says of it is about the queue pair before.
            let oldest = self.open.front().map(|(tag, _)| *tag as u16);
            self.row = oldest.filter(|_| self.rng.gen()).or(Some(self.rng.gen_range(0..4)));
        }
        let (m_cqe_ready, m_fail_ready) = (self.cqe.drive(), self.fail.drive());
        if out.m_cqe.valid && m_cqe_ready {
            assert_eq!(Some(out.m_cqe.wr_id), self.ids.pop_front(), "completions in order");
        }
        let pins = CompleterIn {
            reset,
            s_order: order.unwrap_or(junk),
            s_response: Axis {
                tvalid: beat.is_some(),
                tdata: beat.map_or(junk.addr.into(), |b| b.tdata),
                tkeep: beat.map_or(0x5a, |b| b.tkeep),
                tlast: beat.map_or(junk.addr & 1 != 0, |b| b.tlast),
            },
            s_done: WriteDone {
                valid: report.is_some(),
                tag: report.map_or(junk.flow.into(), |r| r.0),
                error: report.map_or(junk.addr & 2 != 0, |r| r.1),
            },
            s_cfg_valid: self.row.is_some(),
            cfg_index: self.row.unwrap_or(junk.flow),
            m_cmd: ReadyPort { ready: m_cmd_ready },
            m_data: TreadyPort { tready: m_data_tready },
            m_cqe_ready,
            m_fail: ReadyPort { ready: m_fail_ready },
        };
        if row_taken {
            self.row = None;
        }
        if reset {
            *self = Self::new(&self.config.clone(), self.rng.gen());
        }
        pins
    }
}

/// One half in front of the packet mux: packets, each with its read command, and the next one when
/// both are taken.
struct Half<P, R> {
    pkts: Source<P>,
    waiting: VecDeque<(P, Option<R>)>,
    read: Option<R>,
}

impl<P: Clone, R: Copy> Half<P, R> {
    fn new(seed: u64, salt: u64) -> Self {
        Self { pkts: Source::new(sub(seed, salt)), waiting: VecDeque::new(), read: None }
    }

    fn push(&mut self, pkt: P, read: Option<R>) {
        self.waiting.push_back((pkt, read));
    }

    fn drive(&mut self, pkt_ready: bool, read_ready: bool) -> (Option<P>, Option<R>) {
        let (waiting, read) = (&mut self.waiting, &mut self.read);
        let pkt = self.pkts.drive(pkt_ready, || {
            let pkt;
            (pkt, *read) = if read.is_none() { waiting.pop_front()? } else { return None };
            Some(pkt)
        });
        let shown = self.read;
        if read_ready {
            self.read = None;
        }
        (pkt, shown)
    }
}

/// Both halves in front of the packet mux.
struct Packets {
    rng: ChaCha8Rng,
    flow_count: u16,
    data: Half<Packet, PayloadSource>,
    reply: Half<Reply, ReadCommand>,
    probes: Source<Probe>,
    windows: Source<Window>,
    ends: Source<ReadJobEnd>,
    pkt: Sink,
    read: Sink,
    end: Sink,
    next_id: u32,
    /// Where the payload of packets is that have left, and what their read commands said that have:
    /// address, and what comes with them.
    left: [VecDeque<(u64, Option<u128>)>; 2],
    /// Responses and ends that were taken and have not left; an end is `None`.
    replies: VecDeque<Option<u32>>,
}

impl Packets {
    fn new(config: &NicConfig, seed: u64) -> Self {
        Self::of(config.flow_count as u16, seed)
    }

    fn of(flow_count: u16, seed: u64) -> Self {
        Self {
            rng: sub(seed, 0),
            flow_count,
            data: Half::new(seed, 10),
            reply: Half::new(seed, 20),
            probes: Source::new(sub(seed, 3)),
            windows: Source::new(sub(seed, 4)),
            ends: Source::new(sub(seed, 5)),
            pkt: Sink::new(sub(seed, 1)),
            read: Sink::new(sub(seed, 2)),
            end: Sink::new(sub(seed, 6)),
            next_id: 0,
            left: Default::default(),
            replies: VecDeque::new(),
        }
    }

    /// Probes, in phases also one behind the other.
    fn probe(&mut self, ready: bool) -> Probe {
        let (rng, flow_count) = (&mut self.rng, self.flow_count);
        let chance = if self.next_id & 0x400 == 0 { 40 } else { 1 };
        let probe = self.probes.drive(ready, || {
            rng.gen_ratio(1, chance).then(|| {
                let (flow, psn) = (rng.gen_range(0..flow_count), rng.gen_range(0..1 << 24));
                Probe { valid: true, flow, psn }
            })
        });
        probe.unwrap_or_default()
    }

    /// Windows, likewise.
    fn window(&mut self, ready: bool) -> Window {
        let (rng, flow_count) = (&mut self.rng, self.flow_count);
        let chance = if self.next_id & 0x800 == 0 { 40 } else { 1 };
        let window = self.windows.drive(ready, || {
            rng.gen_ratio(1, chance).then(|| {
                let (flow, psn) = (rng.gen_range(0..flow_count), rng.gen_range(0..1 << 24));
                Window { valid: true, flow, psn, bytes: rng.gen() }
            })
        });
        window.unwrap_or(Window { bytes: rng.gen(), ..Window::default() })
    }

    /// Ends of READs.
    fn end(&mut self, ready: bool) -> ReadJobEnd {
        let (rng, flow_count) = (&mut self.rng, self.flow_count);
        let mut end = |valid| {
            let (jobs, reads) = (rng.gen_range(0..32), rng.gen_range(0..32));
            let flow = rng.gen_range(0..flow_count);
            ReadJobEnd { valid, flow, jobs, reads, error: rng.gen(), cleared: rng.gen() }
        };
        let junk = end(false);
        self.ends.drive(ready, || Some(end(true))).unwrap_or(junk)
    }

    /// Responses and ends leave in the order in which they were taken.
    fn check_order(&mut self, out: &PktMuxOut, pins: &PktMuxIn) {
        if out.s_reply_pkt.ready {
            self.replies.push_back(Some(pins.s_reply_pkt.psn));
        }
        if out.s_end.ready {
            self.replies.push_back(None);
        }
        if out.m_pkt.valid && pins.m_pkt.ready && out.m_pkt.flow >= self.flow_count {
            assert_eq!(self.replies.pop_front(), Some(Some(out.m_pkt.psn)), "a response");
        }
        if out.m_end.valid && pins.m_end.ready {
            assert_eq!(self.replies.pop_front(), Some(None), "an end behind its responses");
        }
    }

    fn make(&mut self) {
        let rng = &mut self.rng;
        let flow = rng.gen_range(0..self.flow_count);
        // Whole MTUs fill exactly what may wait.
        let payload_bytes = match rng.gen_range(0..4) {
            0 => 256 << rng.gen_range(0..5),
            1 => rng.gen_range(1..=4096),
            _ => 0,
        };
        let (psn, opcode) = (self.next_id & 0xff_ffff, rng.gen());
        let id = address_of(psn);
        if rng.gen() && self.data.waiting.len() < WAITING_MAX {
            let pkt = Packet {
                valid: true,
                flow,
                opcode,
                psn,
                ack_req: rng.gen(),
                solicited: rng.gen(),
                payload_bytes,
                va: rng.gen(),
                rkey: rng.gen(),
                dma_len: rng.gen(),
                imm: rng.gen(),
                mark: rng.gen_range(0..16),
                bare: rng.gen(),
            };
            let read = PayloadSource {
                valid: true,
                addr: id,
                bytes: payload_bytes,
                is_inline: psn % 2 == 1,
                inline_rest: inline_rest_of(psn),
            };
            self.data.push(pkt, (payload_bytes > 0).then_some(read));
        } else if self.reply.waiting.len() < WAITING_MAX {
            let (syndrome, msn) = (rng.gen(), rng.gen_range(0..1 << 24));
            let mark = rng.gen_range(0..16);
            let pkt = Reply { valid: true, flow, opcode, psn, payload_bytes, syndrome, msn, mark };
            let read = ReadCommand { valid: true, addr: id, bytes: payload_bytes };
            self.reply.push(pkt, (payload_bytes > 0).then_some(read));
        }
        self.next_id += 1;
    }
}

/// The rest of a payload that comes with its packet.
fn inline_rest_of(psn: u32) -> u128 {
    u128::from(address_of(psn)) << 64 | u128::from(address_of(!psn))
}

/// Where the payload of a packet stands: high bits too.
fn address_of(psn: u32) -> u64 {
    u64::from(psn) | u64::from(psn).reverse_bits()
}

impl Stimulus<PktMux> for Packets {
    fn next(&mut self, _cycle: u64, out: &PktMuxOut) -> PktMuxIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        self.make();
        let data = self.data.drive(out.s_data_pkt.ready, out.s_data_read.ready);
        let reply = self.reply.drive(out.s_reply_pkt.ready, out.s_reply_read.ready);
        let junk = self.rng.gen::<u16>() & 0xfff;
        let read = ReadCommand { bytes: junk, ..ReadCommand::default() };
        let source = PayloadSource { bytes: junk, ..PayloadSource::default() };
        let pins = PktMuxIn {
            reset,
            s_probe: self.probe(out.s_probe.ready),
            s_window: self.window(out.s_window.ready),
            s_data_pkt: data.0.unwrap_or(Packet { payload_bytes: junk, ..Packet::default() }),
            s_data_read: data.1.unwrap_or(source),
            s_reply_pkt: reply.0.unwrap_or(Reply { payload_bytes: junk, ..Reply::default() }),
            s_reply_read: reply.1.unwrap_or(read),
            s_end: self.end(out.s_end.ready),
            m_pkt: ReadyPort { ready: self.pkt.drive() },
            m_read: ReadyPort { ready: self.read.drive() },
            m_end: ReadyPort { ready: self.end.drive() },
        };
        self.check_order(out, &pins);
        if out.m_pkt.valid && pins.m_pkt.ready && out.m_pkt.payload_bytes > 0 {
            let psn = out.m_pkt.psn;
            let is_inline = out.m_pkt.flow < self.flow_count && psn % 2 == 1;
            let rest = is_inline.then(|| inline_rest_of(psn));
            self.left[0].push_back((address_of(psn), rest));
        }
        if out.m_read.valid && pins.m_read.ready {
            let PayloadSource { addr, is_inline, inline_rest, .. } = out.m_read;
            self.left[1].push_back((addr, is_inline.then_some(inline_rest)));
        }
        while self.left.iter().all(|ids| !ids.is_empty()) {
            let [pkt, read] = &mut self.left;
            assert_eq!(pkt.pop_front(), read.pop_front(), "reads in the order of packets");
        }
        if reset {
            *self = Self::of(self.flow_count, self.rng.gen());
        }
        pins
    }
}

/// Work of both halves.
struct Works {
    rng: ChaCha8Rng,
    flow_count: u16,
    halves: [Source<Work>; 2],
    sink: Sink,
}

impl Works {
    fn new(config: &NicConfig, seed: u64) -> Self {
        let halves = [10, 11].map(|salt| Source::new(sub(seed, salt)));
        let flow_count = config.flow_count as u16;
        Self { rng: sub(seed, 0), flow_count, halves, sink: Sink::new(sub(seed, 1)) }
    }
}

impl Stimulus<WorkMux> for Works {
    fn next(&mut self, _cycle: u64, out: &WorkMuxOut) -> WorkMuxIn {
        let (rng, flow_count) = (&mut self.rng, self.flow_count);
        let reset = rng.gen_ratio(1, RESET_CYCLES);
        let mut work = || Work {
            valid: true,
            flow: rng.gen_range(0..flow_count),
            len_bytes: rng.gen_range(0..1 << 14),
            frame_count: rng.gen_range(0..128),
            inflight_bytes: rng.gen(),
        };
        let junk = Work { valid: false, ..work() };
        let [data, reply] = &mut self.halves;
        let pins = WorkMuxIn {
            reset,
            s_data: data.drive(out.s_data.ready, || Some(work())).unwrap_or(junk),
            s_reply: reply.drive(out.s_reply.ready, || Some(work())).unwrap_or(junk),
            m_work: ReadyPort { ready: self.sink.drive() },
        };
        if reset {
            self.halves.iter_mut().for_each(Source::reset);
        }
        pins
    }
}
