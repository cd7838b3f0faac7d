//! Twin of `hdl/src/rx/pipe.rs`: a frame is judged when its last beat is taken; everything that
//! follows from the verdict appears after the fixed delays of the interface page.

use crate::events::RxEvents;
use crate::golden::rx::stack::Units;
use crate::golden::rx::verdict::{is_roce_for_us, judge, Format, Kind, Packet, Reason, Settings};
use crate::golden::util::fifo::LutFifo;
use crate::golden::util::frame_fifo::{Beat, FrameFifo};
use crate::ports;
use crate::ports::{keep, Data, Golden};
use crate::streams::{Answer, Axis, AxisUser, Feedback, ReadyPort, Request, TreadyPort};
use nic_spec::wire::{roce::PAYLOAD_BYTES_MAX, telemetry};
use std::collections::VecDeque;

/// Cycles from a frame's last beat to its event.
pub const EVENT_CYCLES: u64 = 14;
/// Cycles from a record's entry into its FIFO to its event.
const RECORD_CYCLES: u64 = 2;
/// Cycles from an event to the payload's entry into its FIFO.
const PAYLOAD_CYCLES: u64 = 1;
/// Cycles from a beat to its entry into the host's FIFO.
const HOST_CYCLES: u64 = 7;
/// Longest frame.
const FRAME_BYTES_MAX: usize = 9216;
/// Bytes of a buffer for payload, or for the host.
const BUFFER_BYTES: usize = 16384;
/// Beats and frames that can come from the moment on in which one that fills a buffer is taken.
const UNDER_WAY: usize = 18;
/// Bytes of the smallest frame that gives a record.
const FRAME_BYTES_MIN: usize = 58;

/// Sizes that follow from the beat.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    beat_bytes: usize,
}

impl Sizes {
    fn frame_beats_max(self) -> usize {
        FRAME_BYTES_MAX / self.beat_bytes
    }

    fn buffer_beats(self) -> usize {
        BUFFER_BYTES / self.beat_bytes
    }

    /// Depth of the record FIFO: where each beat can be a frame it takes more.
    fn records(self) -> usize {
        if self.beat_bytes == 8 {
            16
        } else {
            64
        }
    }

    /// Beats of accepted payload below which input is taken: two of the longest may come, one that
    /// has ended and one that arrives.
    fn payload_beats_limit(self) -> usize {
        self.buffer_beats() - 2 * PAYLOAD_BYTES_MAX / self.beat_bytes - 2 * UNDER_WAY
    }

    /// Records below which input is taken.
    fn records_limit(self) -> usize {
        self.records() - UNDER_WAY.div_ceil(FRAME_BYTES_MIN.div_ceil(self.beat_bytes)) - 2
    }
}

ports! {
    /// Inputs.
    pub struct RxPipeIn {
        /// Synchronous reset.
        pub reset: bool,
        /// Our MAC address.
        pub cfg_local_mac: u64,
        /// Our IPv4 address.
        pub cfg_local_ip: u32,
        /// Our partition key.
        pub cfg_pkey: u16,
        /// Telemetry format: 0 none, 1 paper, 2 authors, 3 INT-MD, 4 IOAM, 5 IFA.
        pub cfg_tel_format: u8,
        /// DSCP of stamped data.
        pub cfg_tel_dscp: u8,
        /// DSCP of ACKs that echo telemetry.
        pub cfg_tel_echo_dscp: u8,
        /// UDP port of packets with INT-MD.
        pub cfg_tel_port: u16,
        /// INT-MD, IOAM and IFA count queues in bytes.
        pub cfg_tel_queue_bytes: bool,
        /// IOAM's fractions of a second are binary.
        pub cfg_tel_time_binary: bool,
        /// Rate codes by the low three bits of the egress interface.
        pub cfg_tel_rates: u32,
        /// Raw frames; tuser: the MAC says that the frame is bad.
        pub s_axis: AxisUser,
        /// The host takes a beat.
        pub m_host: TreadyPort,
        /// A beat of a request's payload is taken.
        pub m_payload: TreadyPort,
        /// A beat of a READ response's payload is taken.
        pub m_response: TreadyPort,
        /// A request is taken.
        pub m_req: ReadyPort,
        /// An ACK is taken.
        pub m_ack: ReadyPort,
        /// A telemetry response is taken.
        pub m_feedback: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct RxPipeOut {
        /// The offered beat will be taken.
        pub s_axis: TreadyPort,
        /// The host's frames.
        pub m_host: Axis,
        /// Payload of requests.
        pub m_payload: Axis,
        /// Payload of READ responses.
        pub m_response: Axis,
        /// Requests.
        pub m_req: Request,
        /// It asks for an event.
        pub m_req_solicited: bool,
        /// ACKs and READ responses.
        pub m_ack: Answer,
        /// Telemetry responses.
        pub m_feedback: Feedback,
        /// Events.
        pub event_rx: RxEvents,
    }
}

impl RxEvents {
    fn set(&mut self, reason: Reason) {
        let event = match reason {
            Reason::Host => &mut self.host,
            Reason::HostOverflow => &mut self.host_overflow,
            Reason::Req => &mut self.req,
            Reason::Ack => &mut self.ack,
            Reason::Response => &mut self.response,
            Reason::Feedback => &mut self.feedback,
            Reason::MacError => &mut self.drop_mac_error,
            Reason::Truncated => &mut self.drop_truncated,
            Reason::Oversize => &mut self.drop_oversize,
            Reason::IpChecksum => &mut self.drop_ip_checksum,
            Reason::Length => &mut self.drop_length,
            Reason::Icrc => &mut self.drop_icrc,
            Reason::Opcode => &mut self.drop_opcode,
            Reason::Version => &mut self.drop_version,
            Reason::Pkey => &mut self.drop_pkey,
            Reason::Telemetry => &mut self.drop_telemetry,
        };
        *event = true;
    }

    /// How many events there are in this cycle.
    pub fn count(&self) -> usize {
        let mut words = [0; <Self as ports::PortField>::WORDS];
        ports::PortField::store(self, &mut words);
        words.iter().sum::<u64>() as usize
    }
}

type HostBeat = Beat<(Data, u64)>;

/// Whole frames in, one beat a cycle out: a queue and two places behind it. A frame of more than
/// one beat passes the queue when that is empty.
#[derive(Clone, Debug, Default)]
struct PayloadFifo {
    queue: VecDeque<HostBeat>,
    stage: Option<HostBeat>,
    head: HostBeat,
    head_valid: bool,
}

impl PayloadFifo {
    fn step(&mut self, frame: Option<&[u8]>, beat_bytes: usize, m_ready: bool) {
        if m_ready {
            self.head_valid = false;
        }
        if !self.head_valid {
            if let Some(beat) = self.stage.take() {
                self.head = beat;
                self.head_valid = true;
            }
        }
        if self.stage.is_none() {
            self.stage = self.queue.pop_front();
        }
        let Some(frame) = frame else { return };
        let beat_count = frame.len().div_ceil(beat_bytes);
        self.queue.extend(frame.chunks(beat_bytes).enumerate().map(|(i, bytes)| Beat {
            data: (Data::of(bytes), keep(bytes.len())),
            last: i + 1 == beat_count,
        }));
        if self.stage.is_none() && beat_count > 1 {
            self.stage = self.queue.pop_front();
        }
    }
}

/// A frame with its verdict, on its way to the event.
#[derive(Clone, Debug)]
struct Verdict {
    event_cycle: u64,
    /// `None`: the host's, until its FIFO has taken or refused it.
    reason: Option<Reason>,
    packet: Option<Box<Packet>>,
}

/// A beat on its way to the host's FIFO.
#[derive(Clone, Copy, Debug)]
struct HostEntry {
    cycle: u64,
    beat: HostBeat,
    bad: bool,
    /// Its fate decides the event of the frame.
    decides: bool,
}

/// The rx pipe.
#[derive(Clone, Debug)]
pub struct RxPipe {
    sizes: Sizes,
    cycle: u64,
    frame: Vec<u8>,
    frame_beats: usize,
    host_line: VecDeque<HostEntry>,
    host_fifo: FrameFifo<(Data, u64)>,
    verdicts: VecDeque<Verdict>,
    /// Accepted packets between event and FIFOs.
    accepted: VecDeque<(u64, Box<Packet>)>,
    record_fifo: LutFifo<Record>,
    payload_fifo: PayloadFifo,
    response_fifo: PayloadFifo,
    payload_beats: usize,
    records: usize,
    ready: bool,
    events: RxEvents,
}

/// What the record FIFO holds: fields of all sources, of which `m_ack` has its own names for some.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    kind: Option<Kind>,
    req: Request,
    solicited: bool,
}

impl RxPipe {
    /// After reset, with beats of `beat_bytes`.
    pub fn new(beat_bytes: usize) -> Self {
        let sizes = Sizes { beat_bytes };
        Self {
            sizes,
            cycle: 0,
            frame: Vec::with_capacity(FRAME_BYTES_MAX),
            frame_beats: 0,
            host_line: VecDeque::new(),
            host_fifo: FrameFifo::new(sizes.buffer_beats(), true),
            verdicts: VecDeque::new(),
            accepted: VecDeque::new(),
            record_fifo: LutFifo::new(sizes.records()),
            payload_fifo: PayloadFifo::default(),
            response_fifo: PayloadFifo::default(),
            payload_beats: 0,
            records: 0,
            ready: true,
            events: RxEvents::default(),
        }
    }

    /// Takes a raw beat.
    fn take(&mut self, i: &RxPipeIn) {
        let kept = 64 - i.s_axis.tkeep.leading_zeros() as usize;
        let byte_count = if i.s_axis.tlast { kept } else { self.sizes.beat_bytes };
        self.frame_beats += 1;
        let is_oversize = self.frame_beats > self.sizes.frame_beats_max();
        if !is_oversize {
            self.frame.extend(&i.s_axis.tdata.bytes()[..byte_count]);
        }
        let mut bad = false;
        if i.s_axis.tlast {
            let settings = self.settings(i);
            let is_roce = is_roce_for_us(&self.frame, &settings);
            self.judge(i.s_axis.tuser, is_oversize, is_roce, &settings);
            bad = is_roce || i.s_axis.tuser || is_oversize;
            self.frame.clear();
            self.frame_beats = 0;
        }
        let data = (i.s_axis.tdata, i.s_axis.tkeep);
        self.host_line.push_back(HostEntry {
            cycle: self.cycle + HOST_CYCLES,
            beat: Beat { data, last: i.s_axis.tlast },
            bad,
            decides: i.s_axis.tlast && !bad,
        });
    }

    fn judge(&mut self, user: bool, is_oversize: bool, is_roce: bool, settings: &Settings) {
        let (reason, packet) = if user {
            (Some(Reason::MacError), None)
        } else if is_oversize {
            (Some(Reason::Oversize), None)
        } else if !is_roce {
            (None, None)
        } else {
            match judge(&self.frame, settings) {
                Ok(packet) => (Some(packet.kind.into()), Some(Box::new(packet))),
                Err(reason) => (Some(reason), None),
            }
        };
        let event_cycle = self.cycle + EVENT_CYCLES;
        self.verdicts.push_back(Verdict { event_cycle, reason, packet });
    }

    fn step_host(&mut self, m_ready: bool) {
        let entry = match self.host_line.front() {
            Some(entry) if entry.cycle == self.cycle => self.host_line.pop_front(),
            _ => None,
        };
        self.host_fifo.step(false, entry.map(|e| (e.beat, e.bad)), m_ready);
        if entry.is_some_and(|e| e.decides) {
            let overflow = self.host_fifo.event_overflow();
            let waiting = self.verdicts.iter_mut().find(|v| v.reason.is_none());
            let verdict = waiting.expect("a host frame has a verdict to come");
            verdict.reason = Some(if overflow { Reason::HostOverflow } else { Reason::Host });
        }
    }

    /// Events of the coming cycle.
    fn step_events(&mut self) {
        self.events = RxEvents::default();
        let due = self.verdicts.front().is_some_and(|v| v.event_cycle == self.cycle + 1);
        if !due {
            return;
        }
        let verdict = self.verdicts.pop_front().expect("due");
        self.events.set(verdict.reason.expect("decided long before its event"));
        if let Some(packet) = verdict.packet {
            self.events.telemetry_unusable = packet.req.tel.valid && packet.req.tel.hops == 6;
            self.accepted.push_back((verdict.event_cycle, packet));
        }
    }

    /// FIFOs of records and payload, and the room in them.
    fn step_accepted(&mut self, i: &RxPipeIn) {
        self.ready = self.payload_beats < self.sizes.payload_beats_limit()
            && self.records < self.sizes.records_limit();
        let head = self.record_fifo.m_data();
        let record_ready = match head.kind {
            Some(Kind::Ack | Kind::Response) => i.m_ack.ready,
            Some(Kind::Feedback) => i.m_feedback.ready,
            Some(Kind::Request) | None => i.m_req.ready,
        };
        self.payload_beats -= usize::from(self.payload_fifo.head_valid && i.m_payload.tready);
        self.payload_beats -= usize::from(self.response_fifo.head_valid && i.m_response.tready);
        let at = |event: u64, delay: u64| event + delay == self.cycle;
        if let Some((_, packet)) = self.accepted.iter().find(|(event, _)| at(*event, 0)) {
            self.records += 1;
            self.payload_beats += packet.payload.len().div_ceil(self.sizes.beat_bytes);
        }
        // A record may leave in the cycle of its event.
        self.records -= usize::from(self.record_fifo.m_valid() && record_ready);
        let is_entering = |v: &&Verdict| v.event_cycle == self.cycle + RECORD_CYCLES;
        let entering = self.verdicts.iter().find(is_entering).and_then(|v| v.packet.as_ref());
        let record =
            entering.map(|p| Record { kind: Some(p.kind), req: p.req, solicited: p.solicited });
        self.record_fifo.step(false, record, record_ready);
        let leaving = self.accepted.front().is_some_and(|(event, _)| at(*event, PAYLOAD_CYCLES));
        let packet = if leaving { self.accepted.pop_front() } else { None };
        let payload_of = |for_response: bool| {
            let packet = packet.as_ref().map(|(_, p)| p);
            let packet = packet.filter(|p| (p.kind == Kind::Response) == for_response);
            packet.map(|p| &p.payload[..])
        };
        let beat_bytes = self.sizes.beat_bytes;
        self.payload_fifo.step(payload_of(false), beat_bytes, i.m_payload.tready);
        self.response_fifo.step(payload_of(true), beat_bytes, i.m_response.tready);
    }

    fn out(&self) -> RxPipeOut {
        let axis = |beat: HostBeat, tvalid: bool| Axis {
            tdata: beat.data.0,
            tkeep: beat.data.1,
            tvalid,
            tlast: beat.last,
        };
        let Record { kind, req, solicited } = self.record_fifo.m_data();
        let valid = self.record_fifo.m_valid();
        let is = |kinds: &[Kind]| valid && kind.is_some_and(|k| kinds.contains(&k));
        RxPipeOut {
            s_axis: TreadyPort { tready: self.ready },
            m_host: axis(self.host_fifo.m_beat(), self.host_fifo.m_valid()),
            m_payload: axis(self.payload_fifo.head, self.payload_fifo.head_valid),
            m_response: axis(self.response_fifo.head, self.response_fifo.head_valid),
            m_req: Request { valid: is(&[Kind::Request]), ..req },
            m_req_solicited: solicited,
            m_ack: Answer {
                valid: is(&[Kind::Ack, Kind::Response]),
                qpn: req.qpn,
                psn: req.psn,
                opcode: req.opcode,
                payload_bytes: req.payload_bytes,
                syndrome: (req.imm >> 24) as u8,
                msn: req.imm & 0xff_ffff,
                src_ip: req.src_ip,
                tel: req.tel,
            },
            m_feedback: Feedback {
                valid: is(&[Kind::Feedback]),
                qpn: req.qpn,
                psn: req.psn,
                src_ip: req.src_ip,
                direct: req.opcode & 1 == 1,
                probe: req.opcode & 2 == 2,
                window: req.opcode & 4 == 4,
                port: req.imm as u16,
                tel: req.tel,
            },
            event_rx: self.events,
        }
    }
}

impl RxPipe {
    fn settings(&self, i: &RxPipeIn) -> Settings {
        let units = Units {
            queue_in_bytes: i.cfg_tel_queue_bytes,
            time_is_binary: i.cfg_tel_time_binary,
            rates: i.cfg_tel_rates & 0xff_ffff,
        };
        let format = match i.cfg_tel_format {
            1 => Format::Native(telemetry::Form::Paper),
            2 => Format::Native(telemetry::Form::Authors),
            3 => Format::IntMd { port: i.cfg_tel_port, units },
            4 => Format::Ioam { units },
            5 => Format::Ifa { units },
            _ => Format::None,
        };
        Settings {
            mac: i.cfg_local_mac,
            ip: i.cfg_local_ip,
            pkey: i.cfg_pkey,
            format,
            dscp: i.cfg_tel_dscp,
            echo_dscp: i.cfg_tel_echo_dscp,
            reads_stacks: self.sizes.beat_bytes == 8,
        }
    }
}

impl Golden for RxPipe {
    type In = RxPipeIn;
    type Out = RxPipeOut;

    fn step(&mut self, i: &RxPipeIn) -> RxPipeOut {
        if i.reset {
            let frame = std::mem::take(&mut self.frame);
            *self = Self { frame, ..Self::new(self.sizes.beat_bytes) };
            self.frame.clear();
            return self.out();
        }
        if i.s_axis.tvalid && self.ready {
            self.take(i);
        }
        self.step_host(i.m_host.tready);
        self.step_events();
        self.step_accepted(i);
        self.cycle += 1;
        self.out()
    }
}
