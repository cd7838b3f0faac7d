//! Benches: host side.

use nic_harness::bench::{Bench, Stimulus};
use nic_models::events::Events;
use nic_models::golden::host::axil_port::{Access, Answer, AxilPort, AxilPortIn, AxilPortOut};
use nic_models::golden::host::cq::queue::{
    CompletionQueue, CompletionQueueIn, CompletionQueueOut, RESPONDER_RESERVE,
};
use nic_models::golden::host::csr::{Csr, CsrIn, CsrOut};
use nic_models::golden::host::csr_regs::{CsrRegs, CsrRegsIn, CsrRegsOut};
use nic_models::golden::host::event_counters::{
    EventCounters, EventCountersIn, EventCountersOut, EventRead,
};
use nic_models::golden::host::registers::{
    CfgReady, Registers, RegistersIn, RegistersOut, WatchIn,
};
use nic_models::golden::host::table_window::{TableWindow, TableWindowIn, TableWindowOut};
use nic_models::ports::PortField;
use nic_models::streams::{
    back, AxiLite, LostRequest, ReadyPort, RequesterCompletion, ResponderCompletion,
};
use nic_spec::config::NicConfig;
use nic_spec::regs;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let (sizes, window_sizes, depth) = (config.clone(), config.clone(), config.cq_depth());
    // Half of the queue is the work requests' own.
    let limits = [0, depth / 2 - 2 * RESPONDER_RESERVE, depth / 2 - RESPONDER_RESERVE, depth];
    let all_sizes = config.clone();
    vec![
        Bench::new("csr_regs", config, CsrRegs::default, Random::new),
        Bench::new("event_counters", config, EventCounters::default, Counting::new),
        Bench::new(
            "completion_queue",
            config,
            move || CompletionQueue::new(depth),
            move |seed| Completing::new(seed, limits[seed as usize % 4]),
        ),
        Bench::new("axil_port", config, AxilPort::default, Accessing::new),
        Bench::new("table_window", config, move || TableWindow::new(&window_sizes), Random::new),
        Bench::new("csr", config, move || Csr::new(&sizes), Decoding::new),
        Bench::new("registers", config, move || Registers::new(&all_sizes), Software::new),
    ]
}

/// Independent random inputs.
struct Random(ChaCha8Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }
}

impl Stimulus<CsrRegs> for Random {
    fn next(&mut self, _: u64, _: &CsrRegsOut) -> CsrRegsIn {
        let rng = &mut self.0;
        let mut index = || rng.gen_range(0..80) & if rng.gen() { 31 } else { 255 };
        let (wr_index, rd_index) = (index(), index());
        let wr_data = rng.gen();
        CsrRegsIn { reset: rng.gen_ratio(1, 500), wr_valid: rng.gen(), wr_index, wr_data, rd_index }
    }
}

impl Stimulus<TableWindow> for Random {
    fn next(&mut self, _: u64, _: &TableWindowOut) -> TableWindowIn {
        let rng = &mut self.0;
        // Mostly an index in range, now and then the first beyond, or any.
        let index: u32 = match rng.gen_range(0..8) {
            0 => rng.gen_range(0..0x1_0000),
            1 => 1 << rng.gen_range(0..16),
            _ => rng.gen_range(0..64),
        };
        let commit = rng.gen_ratio(1, 8);
        let high = rng.gen::<u32>() << 18;
        let table = rng.gen_range(0..4) << 16;
        TableWindowIn {
            reset: rng.gen_ratio(1, 500),
            word_write: rng.gen_ratio(1, 2),
            word_index: rng.gen_range(0..16),
            wdata: if commit { high | table | index } else { rng.gen() },
            commit,
            cfg_sq_scale: rng.gen_range(0..4),
            wr_room: rng.gen_ratio(3, 4),
            m_cfg_responder_ready: rng.gen_ratio(1, 3),
            m_cfg_requester_ready: rng.gen_ratio(1, 3),
            m_cfg_tx_ready: rng.gen_ratio(1, 3),
            m_cfg_completer_ready: rng.gen_ratio(1, 3),
            m_cfg_cc_ready: rng.gen_ratio(1, 3),
        }
    }
}

/// Each event as `pulse` says.
fn events(mut pulse: impl FnMut() -> bool) -> Events {
    Events::load(&[(); Events::WORDS].map(|()| u64::from(pulse())))
}

/// Events at a rate that changes, and reads.
struct Counting {
    rng: ChaCha8Rng,
    percent: u32,
    read: EventRead,
}

impl Counting {
    fn new(seed: u64) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { rng, percent: 100, read: EventRead::default() }
    }
}

impl Stimulus<EventCounters> for Counting {
    fn next(&mut self, cycle: u64, out: &EventCountersOut) -> EventCountersIn {
        let rng = &mut self.rng;
        if cycle.is_multiple_of(512) {
            self.percent = [0, 1, 50, 100][rng.gen_range(0..4)];
        }
        if out.rd_done || !self.read.valid {
            self.read = EventRead { valid: rng.gen_ratio(1, 4), index: rng.gen_range(0..64) };
        }
        let event = events(|| rng.gen_range(0..100) < self.percent);
        EventCountersIn { reset: rng.gen_ratio(1, 5000), event, rd: self.read }
    }
}

/// Completions from both sides, and pops at a rate that changes. Before, the queue is filled to a
/// limit that chance would never reach in a deep one.
struct Completing {
    rng: ChaCha8Rng,
    /// Completions until the rates begin to change.
    fills_to: usize,
    push_percent: u32,
    pop_percent: u32,
    requester: RequesterCompletion,
    responder: ResponderCompletion,
    lost: LostRequest,
    /// A ring that takes entries and commits them later.
    ring: (bool, back::QueueHead),
    taken: u32,
    ring_percent: u32,
}

impl Completing {
    fn new(seed: u64, fills_to: usize) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let (requester, responder, lost, ring) = Default::default();
        let (push_percent, pop_percent, taken, ring_percent) = (100, 0, 0, 0);
        Self {
            rng,
            fills_to,
            push_percent,
            pop_percent,
            requester,
            responder,
            lost,
            ring,
            taken,
            ring_percent,
        }
    }
}

impl Completing {
    /// The ring owns the queue in phases, takes what is shown, and commits in its own time.
    fn next_ring(&mut self, cycle: u64, out: &CompletionQueueOut) {
        let rng = &mut self.rng;
        let was = self.ring.1;
        // What was driven in the cycle before is in effect now.
        let shown = out.head.valid && !was.take && !was.rewind;
        if cycle.is_multiple_of(2048) && self.fills_to == 0 {
            self.ring_percent = [0, 0, 5, 30, 100][rng.gen_range(0..5)];
        }
        let mut chance = |percent: u32| rng.gen_range(0..100) < percent;
        let owns = self.ring_percent > 0 || self.taken > 0;
        let take = owns && shown && chance(self.ring_percent) && self.taken < 8;
        let mut rewind = self.taken > 0 && !take && chance(1);
        let commits = self.taken > 0 && !rewind && chance(self.ring_percent.max(5));
        rewind |= owns && self.taken == 0 && !take && !commits && chance(1);
        // Several of one write.
        let commit = if commits { rng.gen_range(1..=self.taken.min(4)) } else { 0 };
        self.taken = if rewind { 0 } else { self.taken + u32::from(take) - commit };
        let commit = commit as u8;
        self.ring = (owns, back::QueueHead { take, commit, rewind });
    }
}

impl Stimulus<CompletionQueue> for Completing {
    fn next(&mut self, cycle: u64, out: &CompletionQueueOut) -> CompletionQueueIn {
        if usize::from(out.count) >= self.fills_to {
            self.fills_to = 0;
        }
        let fills = self.fills_to != 0;
        self.next_ring(cycle, out);
        let rng = &mut self.rng;
        // Long phases of filling and of draining, so that full and empty both occur.
        if cycle.is_multiple_of(4096) && cycle != 0 && !fills {
            self.push_percent = [0, 5, 30, 100][rng.gen_range(0..4)];
            self.pop_percent = [0, 5, 30, 100][rng.gen_range(0..4)];
        }
        if out.s_requester.ready || !self.requester.valid {
            self.requester = RequesterCompletion {
                valid: rng.gen_range(0..100) < self.push_percent,
                status: if rng.gen() { 0 } else { rng.gen() },
                flow: rng.gen(),
                wr_id: rng.gen(),
                byte_len: rng.gen(),
                signalled: rng.gen_ratio(3, 4),
            };
        }
        if out.s_responder.ready || !self.responder.valid {
            self.responder = ResponderCompletion {
                valid: rng.gen_range(0..100) < self.push_percent,
                status: rng.gen(),
                flow: rng.gen(),
                imm: rng.gen(),
                byte_len: rng.gen(),
            };
        }
        if out.s_lost.ready || !self.lost.valid {
            let valid = rng.gen_ratio(self.push_percent, 1000);
            self.lost = LostRequest { valid, flow: rng.gen(), wr_id: rng.gen() };
        }
        let reset = !fills && rng.gen_ratio(1, 50_000);
        if reset {
            self.taken = 0;
        }
        CompletionQueueIn {
            reset,
            s_requester: self.requester,
            s_responder: self.responder,
            s_lost: self.lost,
            ring_owns: self.ring.0,
            head: self.ring.1,
            pop: rng.gen_range(0..100) < self.pop_percent,
        }
    }
}

/// An AXI4-Lite master that keeps the protocol, and a register file that answers late.
struct Accessing {
    rng: ChaCha8Rng,
    bus: AxiLite,
    answer: Answer,
}

impl Accessing {
    fn new(seed: u64) -> Self {
        let (bus, answer) = Default::default();
        Self { rng: ChaCha8Rng::seed_from_u64(seed), bus, answer }
    }
}

impl Stimulus<AxilPort> for Accessing {
    fn next(&mut self, _: u64, out: &AxilPortOut) -> AxilPortIn {
        let rng = &mut self.rng;
        let slave = &out.s_axil;
        if slave.awready || !self.bus.awvalid {
            self.bus.awvalid = rng.gen_ratio(1, 8);
            self.bus.awaddr = rng.gen();
            self.bus.awprot = rng.gen_range(0..8);
        }
        if slave.wready || !self.bus.wvalid {
            self.bus.wvalid = rng.gen_ratio(1, 8);
            self.bus.wdata = rng.gen();
            self.bus.wstrb = if rng.gen_ratio(1, 8) { rng.gen_range(0..16) } else { 15 };
        }
        if slave.arready || !self.bus.arvalid {
            self.bus.arvalid = rng.gen_ratio(1, 8);
            self.bus.araddr = rng.gen();
            self.bus.arprot = rng.gen_range(0..8);
        }
        self.bus.bready = rng.gen();
        self.bus.rready = rng.gen();
        self.answer = Answer {
            done: out.m.valid && !self.answer.done && rng.gen_ratio(1, 3),
            error: rng.gen_ratio(1, 4),
            rdata: rng.gen(),
        };
        AxilPortIn { reset: rng.gen_ratio(1, 2000), s_axil: self.bus, s: self.answer }
    }
}

/// Accesses all over the map, with random answers of the blocks behind it.
struct Decoding {
    rng: ChaCha8Rng,
    access: Access,
}

impl Decoding {
    fn new(seed: u64) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed), access: Access::default() }
    }
}

impl Stimulus<Csr> for Decoding {
    fn next(&mut self, _: u64, out: &CsrOut) -> CsrIn {
        let rng = &mut self.rng;
        if out.s.done || !self.access.valid {
            let addr = match rng.gen_range(0..8) {
                0 => rng.gen(),
                1 => rng.gen_range(0..0x400),
                2 if rng.gen() => regs::DOORBELL + 4 * rng.gen_range(0..5),
                2 => regs::CQ_ENTRY + 4 * rng.gen_range(0..4),
                3 => regs::COUNTERS + 4 * rng.gen_range(0..64),
                _ => 4 * rng.gen_range(0..0x100),
            };
            // The port drops valid for a cycle after each access.
            let valid = !out.s.done && rng.gen_ratio(3, 4);
            self.access = Access { valid, write: rng.gen(), addr, wdata: rng.gen() };
        }
        CsrIn {
            reset: rng.gen_ratio(1, 2000),
            s: self.access,
            regs_hit: rng.gen(),
            regs_data: rng.gen(),
            window_word: rng.gen(),
            window_busy: rng.gen(),
            window_refused: rng.gen(),
            queue_valid: rng.gen(),
            queue_head: rng.gen(),
            queue_count: rng.gen(),
            watch_window: rng.gen(),
            watch_rate: rng.gen(),
            counter_done: out.counter_valid && rng.gen_ratio(1, 8),
            counter_data: rng.gen(),
            cq_landed: rng.gen(),
            host_status: rng.gen(),
            doorbell_ready: out.doorbell_valid && rng.gen_ratio(1, 8),
        }
    }
}

/// Software that reads and writes registers, blocks that take rows, and completions.
struct Software {
    rng: ChaCha8Rng,
    bus: AxiLite,
    completing: Completing,
    /// One flow's window and rate in this many cycles.
    watch_interval: u32,
}

impl Software {
    fn new(seed: u64) -> Self {
        let (rng, completing) = (ChaCha8Rng::seed_from_u64(seed ^ 1), Completing::new(seed, 0));
        // Software may read them before there is any.
        let watch_interval = [2, 20, 200][seed as usize % 3];
        Self { rng, bus: AxiLite::default(), completing, watch_interval }
    }

    fn address(&mut self) -> u16 {
        let rng = &mut self.rng;
        match rng.gen_range(0..16) {
            0 => rng.gen_range(0..0x500),
            1..=3 => regs::ROW_COMMIT,
            4 | 5 => regs::CQ_POP,
            6 => regs::CQ_COUNT,
            7 => regs::CQ_ENTRY + 4 * rng.gen_range(0..4),
            8 => regs::COUNTERS + 4 * rng.gen_range(0..40),
            9 | 10 => regs::ROW_DATA + 4 * rng.gen_range(0..16),
            11 => regs::ROW_STATUS,
            12 => regs::CC_WINDOW + 4 * rng.gen_range(0..2),
            13 => regs::DOORBELL + 4 * rng.gen_range(0..5),
            _ => 4 * rng.gen_range(0..64),
        }
    }
}

impl Stimulus<Registers> for Software {
    fn next(&mut self, cycle: u64, out: &RegistersOut) -> RegistersIn {
        let slave = &out.s_axil;
        if slave.awready || !self.bus.awvalid {
            self.bus.awaddr = self.address();
            self.bus.awvalid = self.rng.gen_ratio(1, 8);
        }
        if slave.wready || !self.bus.wvalid {
            let rng = &mut self.rng;
            let row = rng.gen_range(0..4) << 16 | rng.gen_range(0..70);
            self.bus.wdata = if rng.gen() { rng.gen() } else { row };
            self.bus.wstrb = if rng.gen_ratio(1, 16) { rng.gen_range(0..16) } else { 15 };
            self.bus.wvalid = rng.gen_ratio(1, 4);
        }
        if slave.arready || !self.bus.arvalid {
            self.bus.araddr = self.address();
            self.bus.arvalid = self.rng.gen_ratio(1, 8);
        }
        self.bus.bready = self.rng.gen();
        self.bus.rready = self.rng.gen();
        let queue_out = CompletionQueueOut {
            s_requester: ReadyPort { ready: out.s_requester.ready },
            s_responder: ReadyPort { ready: out.s_responder.ready },
            s_lost: ReadyPort { ready: out.s_lost.ready },
            head: out.head,
            ..Default::default()
        };
        let completions =
            Stimulus::<CompletionQueue>::next(&mut self.completing, cycle, &queue_out);
        let rng = &mut self.rng;
        let reset = rng.gen_ratio(1, 20_000);
        if reset {
            self.bus = AxiLite::default();
            self.completing.taken = 0;
        }
        let (s_requester, s_responder) = (completions.s_requester, completions.s_responder);
        let m_cfg = CfgReady {
            responder_ready: rng.gen_ratio(1, 3),
            requester_ready: rng.gen_ratio(1, 3),
            tx_ready: rng.gen_ratio(1, 3),
            completer_ready: rng.gen_ratio(1, 3),
        };
        let m_flow_ready = rng.gen_ratio(1, 3);
        let event = events(|| rng.gen_ratio(1, 16));
        let watch = WatchIn {
            valid: rng.gen_ratio(1, self.watch_interval),
            flow: rng.gen_range(0..4),
            window: rng.gen(),
            rate: rng.gen(),
        };
        let s_axil = self.bus;
        RegistersIn {
            reset,
            s_axil,
            m_cfg,
            m_flow: ReadyPort { ready: m_flow_ready },
            s_requester,
            s_responder,
            s_lost: completions.s_lost,
            ring_owns: completions.ring_owns,
            head: completions.head,
            cq_landed: rng.gen(),
            host_status: rng.gen(),
            m_doorbell: ReadyPort { ready: out.m_doorbell.valid && rng.gen_ratio(1, 4) },
            watch,
            event,
        }
    }
}
