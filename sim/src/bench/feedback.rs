//! Benches: telemetry responses, out and in, and probes.

use crate::env::stream::{Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::transport::feedback::input::{
    FeedbackIn, FeedbackInIn, FeedbackInOut, RowWatch, SentWatch,
};
use nic_models::golden::transport::feedback::output::{
    FeedbackOut, FeedbackOutIn, FeedbackOutOut, WatchPorts,
};
use nic_models::golden::transport::probe_out::{
    DataWatch, InflightWatch, ProbeOut, ProbeOutIn, ProbeOutOut,
};
use nic_models::golden::transport::requester::ValidPort;
use nic_models::ports::Wide;
use nic_models::streams::{back, AckTelemetry, Feedback, FlowPulse, ReadyPort, Telemetry};
use nic_spec::config::NicConfig;
use nic_spec::rows::QpRow;
use nic_spec::wire::bth::opcode;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A reset comes once in so many cycles.
const RESET_CYCLES: u32 = 20_000;
/// The requester takes an answer in so many cycles at least.
const WATCH_CYCLES: u64 = 8;
/// Rows and packets sent are so many cycles apart at least.
const ROW_CYCLES: u32 = 12;
const SENT_CYCLES: u32 = 3;
/// Cycles between two changes of what is busy.
const PHASE_CYCLES: core::ops::Range<u64> = 500..3000;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let c = config;
    let [d, e, f, g, h, k] = std::array::from_fn(|_| c.clone());
    vec![
        Bench::new("feedback_out", c, move || FeedbackOut::new(&d), move |s| Answers::new(&e, s)),
        Bench::new("feedback_in", c, move || FeedbackIn::new(&f), move |s| Responses::new(&g, s)),
        Bench::new("probe_out", c, move || ProbeOut::new(&h), move |s| Turns::new(&k, s)),
    ]
}

/// Rows of few queue pairs, so that what comes often meets one.
struct Rows {
    rng: ChaCha8Rng,
    flow_count: usize,
    /// Rows as they were offered last.
    last: Vec<QpRow>,
    /// Flows that are busy in this phase: so many from this one on.
    busy: (usize, usize),
    source: Source<(u16, QpRow)>,
    pins: (u16, Wide<8>),
    phase_left: u64,
    /// There was none since the reset.
    is_first: bool,
}

impl Rows {
    fn new(config: &NicConfig, mut rng: ChaCha8Rng) -> Self {
        let source = Source::new(ChaCha8Rng::seed_from_u64(rng.gen()));
        let flow_count = config.flow_count;
        let last = vec![QpRow::default(); flow_count];
        let pins = (0, Wide([0; 8]));
        Self { rng, flow_count, last, busy: (0, 4), source, pins, phase_left: 0, is_first: true }
    }

    fn reset(&mut self) {
        self.source.reset();
        (self.phase_left, self.is_first) = (0, true);
    }

    /// Whether a phase begins.
    fn tick(&mut self) -> bool {
        self.phase_left = self.phase_left.saturating_sub(1);
        if self.phase_left > 0 {
            return false;
        }
        self.phase_left = self.rng.gen_range(PHASE_CYCLES);
        let any = self.rng.gen_range(0..self.flow_count);
        self.busy = match self.rng.gen_range(0..8) {
            // The last flow has the top bit of every mask.
            0 => (self.flow_count - 1, 1),
            n => (any, [1, 2, 8, self.flow_count][n % 4]),
        };
        true
    }

    fn flow(&mut self) -> usize {
        (self.busy.0 + self.rng.gen_range(0..self.busy.1)) % self.flow_count
    }

    /// One cycle in so many brings a row: the first one soon, and more before the phase ends.
    fn chance(&self) -> u32 {
        match self.phase_left {
            401.. if !self.is_first => 300,
            _ => 20,
        }
    }

    /// Whether a row is offered.
    fn drive(&mut self, ready: bool, chance: u32) -> bool {
        let is_new = self.rng.gen_ratio(1, chance);
        let flow = self.flow();
        let (rng, flow_count) = (&mut self.rng, self.flow_count);
        let row = self.source.drive(ready, || {
            is_new.then(|| {
                let number = rng.gen_range(0..1 << 24) / flow_count * flow_count + flow;
                let row = QpRow {
                    valid: rng.gen_ratio(7, 8),
                    telemetry: rng.gen_ratio(7, 8),
                    qpn: number as u32,
                    remote_qpn: rng.gen_range(0..1 << 24),
                    remote_ip: rng.gen(),
                    remote_mac: rng.gen_range(0..1 << 48),
                    sq_psn: rng.gen_range(0..1 << 24),
                    ..QpRow::default()
                };
                (flow as u16, row)
            })
        });
        if let Some((index, row)) = row {
            let words = row.to_row();
            let word = |n: usize| u64::from(words[2 * n]) | u64::from(words[2 * n + 1]) << 32;
            self.pins = (index, Wide(core::array::from_fn(word)));
            self.last[usize::from(index)] = row;
            self.is_first = false;
        }
        row.is_some()
    }

    /// QPN and source of a packet, mostly of a queue pair with a row; a direct one has the peer's QPN.
    fn address(&mut self, is_direct: bool) -> (usize, u32, u32) {
        let flow = self.flow();
        let row = self.last[flow];
        let qpn = if is_direct { row.remote_qpn } else { row.qpn };
        match self.rng.gen_range(0..24) {
            0 => (flow, qpn ^ 1 << self.rng.gen_range(6..24), row.remote_ip),
            1 => (flow, qpn, row.remote_ip ^ 1 << self.rng.gen_range(0..32)),
            // A direct one is looked up by its port.
            2 if is_direct => (flow, row.qpn, row.remote_ip),
            _ => (flow, qpn, row.remote_ip),
        }
    }
}

fn tel(rng: &mut ChaCha8Rng) -> Telemetry {
    Telemetry {
        valid: rng.gen_ratio(9, 10),
        hops: rng.gen_range(0..7),
        path: rng.gen_range(0..1 << 12),
        hop: rng.gen(),
    }
}

/// Answers on their way to the requester.
struct Answers {
    rng: ChaCha8Rng,
    rows: Rows,
    interval: u32,
    answer: Option<WatchPorts>,
    /// Probes; none stands beside an answer.
    probe: Source<WatchPorts>,
    since_taken: u64,
    /// One cycle in so many brings an answer, and may take a frame.
    pause: u32,
    frame_pause: u32,
    frame: Sink,
    row: Sink,
}

impl Answers {
    fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut fork = || ChaCha8Rng::seed_from_u64(rng.gen());
        let rows = Rows::new(config, fork());
        let (frame, row) = (Sink::new(fork()), Sink::new(fork()));
        let probe = Source::new(fork());
        let (interval, pause, frame_pause) = (100, 1, 1);
        Self {
            rng,
            rows,
            interval,
            answer: None,
            probe,
            since_taken: 0,
            pause,
            frame_pause,
            frame,
            row,
        }
    }

    /// A probe, as what is watched.
    fn probe(&mut self, ready: bool) -> Option<WatchPorts> {
        let is_free = self.answer.is_none();
        let (_, qpn, src_ip) = self.rows.address(false);
        let (rng, pause) = (&mut self.rng, self.pause);
        self.probe.drive(ready, || {
            (is_free && rng.gen_ratio(1, pause)).then(|| {
                let (psn, tel) = (rng.gen_range(0..1 << 24), tel(rng));
                let (opcode, qpn) = (opcode::TELEMETRY_PROBE, qpn & 0xff_ffff);
                WatchPorts { valid: false, ready: false, opcode, qpn, psn, src_ip, tel }
            })
        })
    }

    fn watch(&mut self) -> WatchPorts {
        self.since_taken += 1;
        if self.answer.is_none() && self.rng.gen_ratio(1, self.pause) {
            let (_, qpn, src_ip) = self.rows.address(false);
            let rng = &mut self.rng;
            let opcode = match rng.gen_range(0..8) {
                0 => opcode::ACKNOWLEDGE,
                1 => rng.gen(),
                _ => rng.gen_range(opcode::READ_RESPONSE_FIRST..=opcode::READ_RESPONSE_ONLY),
            };
            let (psn, tel) = (rng.gen_range(0..1 << 24), tel(rng));
            self.answer =
                Some(WatchPorts { valid: true, ready: false, opcode, qpn, psn, src_ip, tel });
        }
        let mut pins =
            self.answer.unwrap_or(WatchPorts { qpn: self.rng.gen(), ..Default::default() });
        pins.qpn &= 0xff_ffff;
        pins.ready = self.since_taken >= WATCH_CYCLES && self.rng.gen_ratio(1, 2);
        if pins.valid && pins.ready {
            (self.answer, self.since_taken) = (None, 0);
        }
        pins
    }
}

impl Stimulus<FeedbackOut> for Answers {
    fn next(&mut self, _cycle: u64, out: &FeedbackOutOut) -> FeedbackOutIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        if self.rows.tick() {
            self.interval = [0, 1, 30, 200, 625, 1500][self.rng.gen_range(0..6)];
            self.pause = [1, 1, 40, 300][self.rng.gen_range(0..4)];
            // So slow at times that answers to probes find no room.
            self.frame_pause = [1, 1, 1, 200][self.rng.gen_range(0..4)];
        }
        let chance = match self.rows.chance() {
            // Answers to probes pile up while no row waits for them.
            chance if self.frame_pause > 1 => 20 * chance,
            // In the very cycle in which the answer to a probe joins the others.
            _ if out.s_probe.ready => 16,
            chance => chance,
        };
        let valid = self.rows.drive(out.s_cfg.ready, chance);
        let probe = self.probe(out.s_probe.ready);
        let watch = match probe {
            Some(probe) => WatchPorts { ready: self.rng.gen(), ..probe },
            None => self.watch(),
        };
        let pins = FeedbackOutIn {
            reset,
            cfg_feedback_cycles: self.interval,
            s_cfg: ValidPort { valid },
            cfg_index: self.rows.pins.0,
            cfg_row: self.rows.pins.1,
            m_cfg: ReadyPort { ready: self.row.drive() },
            watch,
            s_probe: ValidPort { valid: probe.is_some() },
            m_feedback: ReadyPort {
                ready: self.frame.drive() && self.rng.gen_ratio(1, self.frame_pause),
            },
        };
        if reset {
            self.rows.reset();
            self.probe.reset();
        }
        pins
    }
}

/// Telemetry responses, ACKs and packets that are sent.
struct Responses {
    rng: ChaCha8Rng,
    rows: Rows,
    /// PSN of the latest packet of each paced flow: data, then READ responses.
    psns: Vec<u32>,
    /// Cycles since a row was taken, and since a packet was sent.
    since: [u32; 2],
    /// Cycles until the tables are clear.
    scrub_left: usize,
    sent: Source<SentWatch>,
    feedback: Source<Feedback>,
    /// Telemetry of requests, in the place of a telemetry response; none stands beside one.
    request: Source<Feedback>,
    ack: Source<AckTelemetry>,
    /// One cycle in so many brings a telemetry response, an ACK, a request.
    pauses: [u32; 3],
    sink: Sink,
    window: Sink,
    /// `CC_MODE`; another one with each reset.
    mode: u64,
    interval: u32,
    /// A request stands for so many cycles, on the average.
    hold: u32,
    /// A telemetry response stands.
    is_offered: bool,
    /// Time of the latest window of each flow.
    times: Vec<u32>,
}

impl Responses {
    fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut fork = || ChaCha8Rng::seed_from_u64(rng.gen());
        let rows = Rows::new(config, fork());
        let (sent, feedback, ack) = (Source::new(fork()), Source::new(fork()), Source::new(fork()));
        let sink = Sink::new(fork());
        let psns = vec![0xff_ff00; 2 * config.flow_count];
        let (since, pauses) = ([0; 2], [1; 3]);
        let (request, window) = (Source::new(fork()), Sink::new(fork()));
        let times = vec![0xff_ff80; config.flow_count];
        let (mode, interval, is_offered) = (seed % 4, 625, false);
        Self {
            rng,
            rows,
            psns,
            since,
            scrub_left: config.flow_count,
            sent,
            feedback,
            request,
            ack,
            pauses,
            sink,
            window,
            mode,
            interval,
            hold: 2,
            is_offered,
            times,
        }
    }

    /// A request, as what its telemetry is read from.
    fn request(&mut self, ready: bool) -> Option<Feedback> {
        let is_free = !self.is_offered;
        let (_, qpn, src_ip) = self.rows.address(false);
        let (rng, pause) = (&mut self.rng, self.pauses[2]);
        self.request.drive(ready, || {
            (is_free && rng.gen_ratio(1, pause)).then(|| {
                let Telemetry { valid, hops, path, hop } = tel(rng);
                // The rest is of another kind of packet.
                Feedback {
                    valid: false,
                    qpn: qpn & 0xff_ffff,
                    src_ip,
                    direct: rng.gen(),
                    probe: rng.gen(),
                    window: rng.gen(),
                    port: rng.gen(),
                    tel: Telemetry { valid, hops, path, hop },
                    ..Feedback::default()
                }
            })
        })
    }

    /// Time of a window of the flow: the next one mostly.
    fn time(&mut self, flow: usize) -> u32 {
        let (rng, latest) = (&mut self.rng, &mut self.times[flow]);
        let step = match rng.gen_range(0..12) {
            0 => (1 << 24) - rng.gen_range(0..3),
            1 => (1 << 24) - (1 << 16) - rng.gen_range(0..3) + 1,
            2 => rng.gen_range(0..1 << 24),
            _ => rng.gen_range(1..2000),
        };
        let time = (*latest + step) & 0xff_ffff;
        if step < 1 << 23 {
            *latest = time;
        }
        time
    }

    fn sent(&mut self) -> SentWatch {
        let flow = self.rows.flow() + if self.rng.gen() { self.rows.flow_count } else { 0 };
        let (rng, psns) = (&mut self.rng, &mut self.psns);
        self.since[1] += 1;
        let ready = self.since[1] >= SENT_CYCLES && rng.gen();
        let sent = self.sent.drive(ready, || {
            rng.gen_ratio(1, 8).then(|| {
                let step = match rng.gen_range(0..16) {
                    0 => rng.gen_range(1 << 21..1 << 23),
                    1 => (1 << 24) - rng.gen_range(1..50),
                    2 => rng.gen_range(2..1 << 18),
                    _ => 1,
                };
                psns[flow] = (psns[flow] + step) & 0xff_ffff;
                SentWatch { valid: true, ready: false, flow: flow as u16, psn: psns[flow] }
            })
        });
        let sent = SentWatch { ready, ..sent.unwrap_or_default() };
        if sent.valid && ready {
            self.since[1] = 0;
        }
        sent
    }

    fn feedback(&mut self, ready: bool) -> Feedback {
        let window = self.rng.gen_ratio(1, 4);
        let (direct, probe) = (!window && self.rng.gen(), !window && self.rng.gen_ratio(1, 3));
        let by_port = direct && !probe;
        let (flow, qpn, src_ip) = self.rows.address(by_port);
        let half = if direct { 0 } else { self.rows.flow_count };
        let time = if self.is_offered { 0 } else { self.time(flow) };
        let (rng, last, pause) = (&mut self.rng, self.psns[half + flow], self.pauses[0]);
        // The bits of a port above those of the flow say nothing, nor does the port of any other.
        let (other, flow_count) = (rng.gen::<u16>(), self.rows.flow_count as u16);
        let of_flow = other / flow_count * flow_count + flow as u16;
        let port = if by_port { of_flow } else { other };
        let feedback = self.feedback.drive(ready, || {
            rng.gen_ratio(1, pause).then(|| {
                let back = match rng.gen_range(0..16) {
                    0 => rng.gen_range(0..1 << 24),
                    1 => (1 << 24) - rng.gen_range(1..3),
                    2 => (1 << 16) + rng.gen_range(0..3) - 1,
                    3 => rng.gen_range(0..1 << 17),
                    _ => rng.gen_range(0..20),
                };
                let psn = if window { time } else { last.wrapping_sub(back) & 0xff_ffff };
                let Telemetry { valid, hops, path, hop } = tel(rng);
                let tel = Telemetry { valid, hops, path, hop };
                let qpn = qpn & 0xff_ffff;
                Feedback { valid: true, qpn, psn, src_ip, direct, probe, window, port, tel }
            })
        });
        self.is_offered = feedback.is_some() && !ready;
        feedback.unwrap_or_default()
    }

    fn ack(&mut self, ready: bool) -> AckTelemetry {
        let flow = self.rows.flow() as u16;
        let (rng, pause) = (&mut self.rng, self.pauses[1]);
        let ack = self.ack.drive(ready, || {
            rng.gen_ratio(1, pause).then(|| {
                let (psn, snd_nxt) = (rng.gen_range(0..1 << 24), rng.gen_range(0..1 << 24));
                AckTelemetry { valid: true, flow, psn, snd_nxt, tel: tel(rng) }
            })
        });
        ack.unwrap_or_default()
    }
}

impl Stimulus<FeedbackIn> for Responses {
    fn next(&mut self, _cycle: u64, out: &FeedbackInOut) -> FeedbackInIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        if self.rows.tick() {
            self.pauses = core::array::from_fn(|_| [1, 1, 10, 200][self.rng.gen_range(0..4)]);
            self.hold = [1, 2, 2, 200][self.rng.gen_range(0..4)];
            self.interval = self.rng.gen_range(0..1 << self.rng.clone().gen_range(1..21));
        }
        let req_ready = self.rng.gen_ratio(1, self.hold);
        let request = self.request(req_ready);
        let s_feedback = match request {
            Some(request) => request,
            None => self.feedback(out.s_feedback.ready),
        };
        self.since[0] += 1;
        let may_come = self.since[0] >= ROW_CYCLES && self.scrub_left == 0;
        let row_ready = may_come && self.rng.gen_ratio(1, 4);
        self.scrub_left = self.scrub_left.saturating_sub(1);
        let valid = self.rows.drive(row_ready, self.rows.chance());
        if valid && row_ready {
            self.since[0] = 0;
            let flow = usize::from(self.rows.pins.0);
            self.psns[flow] = self.rows.last[flow].sq_psn.wrapping_sub(1) & 0xff_ffff;
            // The first window of a row may come at a time that is behind its PSNs.
            self.times[flow] =
                self.psns[flow].wrapping_sub(self.rng.gen_range(0..4000)) & 0xff_ffff;
        }
        let pins = FeedbackInIn {
            reset,
            cfg_worst_hop: self.mode & 2 != 0,
            cfg_by_time: self.mode & 1 != 0,
            cfg_feedback_cycles: self.interval,
            req: RowWatch { valid: request.is_some(), ready: req_ready },
            row: RowWatch { valid, ready: row_ready },
            cfg_index: self.rows.pins.0,
            cfg_row: self.rows.pins.1,
            sent: self.sent(),
            s_feedback,
            s_cc: self.ack(out.s_cc.ready),
            m_probe: back::ProbeOffer {
                ready: out.m_probe.valid && self.rng.gen_ratio(1, 4),
                accepted: self.rng.gen(),
            },
            m_cc: ReadyPort { ready: self.sink.drive() },
            m_window: ReadyPort { ready: self.window.drive() },
        };
        if reset {
            self.rows.reset();
            self.feedback.reset();
            self.request.reset();
            self.ack.reset();
            (self.mode, self.is_offered) = ((self.mode + 1) % 4, false);
            self.scrub_left = self.rows.flow_count;
        }
        pins
    }
}

/// What `probe_out` watches, each at least as far apart as its page says.
struct Turns {
    rng: ChaCha8Rng,
    rows: Rows,
    /// PSN of the latest data packet of each flow.
    psns: Vec<u32>,
    sent: Source<DataWatch>,
    inflight: Source<InflightWatch>,
    /// Cycles since a row, a packet, bytes in flight, an answer.
    since: [u32; 4],
    /// One cycle in so many brings a packet, bytes in flight, an answer.
    pauses: [u32; 3],
    probe_cycles: u32,
    sink: Sink,
}

/// Cycles between two rows, packets, bytes in flight, answers at least.
const TURN_CYCLES: [u32; 4] = [12, 3, 2, 6];

impl Turns {
    fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut fork = || ChaCha8Rng::seed_from_u64(rng.gen());
        let rows = Rows::new(config, fork());
        let (sent, inflight, sink) = (Source::new(fork()), Source::new(fork()), Sink::new(fork()));
        let psns = vec![0xff_fff0; config.flow_count];
        let (since, pauses, probe_cycles) = ([0; 4], [1; 3], 0);
        Self { rng, rows, psns, sent, inflight, since, pauses, probe_cycles, sink }
    }

    /// Whether what is watched may be taken.
    fn ready(&mut self, what: usize) -> bool {
        self.since[what] >= TURN_CYCLES[what] && self.rng.gen()
    }

    fn sent(&mut self) -> DataWatch {
        let (ready, flow) = (self.ready(1), self.rows.flow());
        let (rng, psns, pause) = (&mut self.rng, &mut self.psns, self.pauses[0]);
        let flow_count = psns.len();
        let sent = self.sent.drive(ready, || {
            rng.gen_ratio(1, pause).then(|| {
                psns[flow] = (psns[flow] + 1) & 0xff_ffff;
                let half = if rng.gen_ratio(1, 8) { flow_count } else { 0 };
                DataWatch {
                    valid: true,
                    ready: false,
                    flow: (half + flow) as u16,
                    psn: psns[flow],
                    payload_bytes: if rng.gen_ratio(1, 8) { 0 } else { 1 << rng.gen_range(0..13) },
                    bare: rng.gen_ratio(7, 8),
                }
            })
        });
        let sent = DataWatch { ready, ..sent.unwrap_or_default() };
        self.since[1] = if sent.valid && ready { 0 } else { self.since[1] };
        sent
    }

    fn inflight(&mut self) -> InflightWatch {
        let (ready, flow) = (self.ready(2), self.rows.flow() as u16);
        let (rng, pause) = (&mut self.rng, self.pauses[1]);
        let inflight = self.inflight.drive(ready, || {
            rng.gen_ratio(1, pause).then(|| {
                let bytes = if rng.gen() { 0 } else { 1 << rng.gen_range(0..32) };
                InflightWatch { valid: true, ready: false, flow, bytes }
            })
        });
        let inflight = InflightWatch { ready, ..inflight.unwrap_or_default() };
        self.since[2] = if inflight.valid && ready { 0 } else { self.since[2] };
        inflight
    }
}

impl Stimulus<ProbeOut> for Turns {
    fn next(&mut self, _cycle: u64, _: &ProbeOutOut) -> ProbeOutIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        if self.rows.tick() {
            let rng = &mut self.rng;
            self.pauses = core::array::from_fn(|_| [1, 10, 100, 1000][rng.gen_range(0..4)]);
            let turn = [0, 1, 2, 5, 10, 40][rng.gen_range(0..6)];
            self.probe_cycles = 64 * turn + rng.gen_range(0..64);
        }
        self.since.iter_mut().for_each(|cycles| *cycles += 1);
        let row_ready = self.ready(0);
        let valid = self.rows.drive(row_ready, self.rows.chance());
        if valid && row_ready {
            self.since[0] = 0;
        }
        let answers = self.ready(3) && self.rng.gen_ratio(1, self.pauses[2]);
        if answers {
            self.since[3] = 0;
        }
        let pins = ProbeOutIn {
            reset,
            cfg_probe_cycles: self.probe_cycles,
            row: RowWatch { valid, ready: row_ready },
            cfg_index: self.rows.pins.0,
            sent: self.sent(),
            inflight: self.inflight(),
            answer: FlowPulse { valid: answers, flow: self.rows.flow() as u16 },
            m_probe: ReadyPort { ready: self.sink.drive() },
        };
        if reset {
            self.rows.reset();
            self.sent.reset();
            self.inflight.reset();
        }
        pins
    }
}
