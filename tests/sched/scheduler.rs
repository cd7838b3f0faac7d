//! The scheduler against its golden twin, and its rules one by one, on both at once.

use nic_harness::lockstep::{LockStep, Stepper};
use nic_harness::verilator::Flavour;
use nic_hdl::sched::scheduler::{CREDIT_CAP_BYTES, GAP_CYCLES, LATENCY_CYCLES};
use nic_models::golden::sched::scheduler::{Scheduler, SchedulerIn, SchedulerOut};
use nic_models::ports::Golden;
use nic_models::streams::{Rate, ReadyPort, Work};
use nic_sim::bench::emitted;
use nic_sim::bench::sched::{scheduler, OP_CREATE, OP_REMOVE, OP_UPDATE};
use nic_spec::NicConfig;
use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{assert_matches_golden, assert_runs_catch, hundred, Runs};

const FLOWS: usize = 64;
/// One byte a cycle, UQ8.24.
const BYTE: u32 = 1 << 24;
const OPEN: u32 = 1 << 20;
/// More than an operation takes, and the wait for its slot.
const SETTLED_CYCLES: u64 = 40;

fn config(flow_count: usize) -> NicConfig {
    NicConfig { flow_count, ..rdma_nic::gbe() }
}

fn lock_step(config: &NicConfig) -> LockStep<Scheduler> {
    let source = emitted("scheduler", config).expect("emits");
    let model = source.model(Flavour::Fast).expect("builds");
    LockStep::new(Scheduler::new(config), &[model], 7).expect("ports")
}

/// Golden model and Verilog side by side, driven by hand.
struct Bed {
    engine: LockStep<Scheduler>,
    out: SchedulerOut,
    cycle: u64,
    /// The requester takes grants.
    takes: bool,
    cfg_line: u32,
    /// Cycle (in which m_grant stood) and flow of each grant taken.
    grants: Vec<(u64, u16)>,
}

impl Bed {
    fn new(flow_count: usize) -> Self {
        let mut engine = lock_step(&config(flow_count));
        let out = engine.reset().expect("reset");
        let mut bed = Self { engine, out, cycle: 0, takes: true, cfg_line: 0, grants: vec![] };
        bed.run(flow_count.max(32) as u64 + 2);
        bed
    }

    fn step(&mut self, mut inputs: SchedulerIn) {
        inputs.m_grant = ReadyPort { ready: self.takes };
        inputs.cfg_line = self.cfg_line;
        if self.takes && self.out.m_grant.valid {
            self.grants.push((self.cycle, self.out.m_grant.flow));
        }
        self.out = self.engine.step(&inputs).unwrap_or_else(|e| panic!("{e}"));
        self.cycle += 1;
    }

    fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.step(SchedulerIn::default()));
    }

    fn rate(&mut self, flow: u16, op: u8, window_bytes: u32, rate: u32) {
        while !self.out.s_rate.ready {
            self.run(1);
        }
        let s_rate = Rate { valid: true, flow, op, window_bytes, rate };
        self.step(SchedulerIn { s_rate, ..SchedulerIn::default() });
    }

    /// Returns the cycle of the accept.
    fn tell(&mut self, s_work: Work) -> u64 {
        while !self.out.s_work.ready {
            self.run(1);
        }
        self.step(SchedulerIn { s_work, ..SchedulerIn::default() });
        self.cycle - 1
    }

    fn work(&mut self, flow: u16, len_bytes: u16, inflight_bytes: u32) -> u64 {
        self.tell(Work { valid: true, flow, len_bytes, frame_count: 1, inflight_bytes })
    }

    fn inflight(&mut self, flow: u16, inflight_bytes: u32) -> u64 {
        // The length means nothing.
        self.tell(Work { valid: true, flow, len_bytes: 1, frame_count: 0, inflight_bytes })
    }

    /// Runs and returns the grants of these cycles.
    fn grants_in(&mut self, cycles: u64) -> Vec<(u64, u16)> {
        let before = self.grants.len();
        self.run(cycles);
        self.grants[before..].to_vec()
    }

    /// A flow that has sent once and was idle for long.
    fn idle_flow(&mut self, flow: u16, window_bytes: u32, rate: u32) {
        self.rate(flow, OP_CREATE, window_bytes, rate);
        self.work(flow, 0, 0);
        self.run(5000);
        self.grants.clear();
    }
}

#[test]
fn scheduler_matches_golden() {
    assert_matches_golden("scheduler", 1..=4, 250_000, &[]);
}

#[test]
fn scheduler_matches_golden_at_every_size() {
    for flow_count in [4, 128, 512, 2048] {
        Runs::of(scheduler(&config(flow_count)), 1..=2, 150_000).reports();
    }
    Runs::of(scheduler(&NicConfig { flow_count: 2048, ..hundred() }), 1..=2, 150_000).reports();
}

/// The time in cycles wraps after a million of them, that of the fastest line after two million.
#[test]
fn scheduler_matches_golden_over_the_wraps_of_its_clocks() {
    Runs::of(scheduler(&config(4)), [5], 3_000_000).reports();
}

#[test]
fn scheduler_breaks_are_caught() {
    let breaks = [
        // Whose slot it is, and what waits for its flow's operation.
        ("slot + 2'd1", "slot + 2'd2"),
        ("is_wanted = (slot == pop_slot) |", "is_wanted ="),
        (
            "is_wanted = (slot == pop_slot) | (s_work_valid & slot[0])",
            "is_wanted = (slot == pop_slot)",
        ),
        ("        rate_slot)) | s_due_valid;", "        rate_slot));"),
        ("under_way_6 & (flows_6 == flow)", "1'b0"),
        ("due_waited & s_due_valid", "1'b0"),
        ("|s_work_frame_count", "1'b1"),
        // Credit.
        ("sum_4 <= credit_3 + gain", "sum_4 <= credit_3 - gain"),
        ("earned >= need", "earned > need"),
        ("s_rearms & ", ""),
        ("s_elapsed < gap", "1'b1"),
        ("elapsed_3 <= operation_2[31:12]", "elapsed_3 <= 20'd1 + operation_2[31:12]"),
        ("credit_less = credit - ", "credit_less = credit + "),
        // Windows, states, queues.
        ("operation_2[11:9] == remove", "1'b0"),
        ("kept & below", "kept & own"),
        ("kept | own", "own"),
        // Time.
        ("units_3 <= at_units + 16'd1", "units_3 <= at_units"),
        ("need_2[32:0] + one_byte", "need_2[32:0]"),
        ("ahead[19]", "!ahead[19]"),
        ("& !fresh_2", ""),
        ("hits & less", "less"),
        // The line.
        ("left + granted", "left"),
        ("line_m_free & !pops[1]", "line_m_free"),
        (" - dropped", ""),
        ("- delivered", ""),
    ];
    let runs =
        [FLOWS, 4].map(|flow_count| Runs::of(scheduler(&config(flow_count)), 1..=4, 200_000));
    assert_runs_catch(&runs, &breaks);
}

#[test]
fn scheduler_grants_within_its_latency() {
    let mut bed = Bed::new(FLOWS);
    bed.idle_flow(5, OPEN, 8 * BYTE);
    let taken = bed.work(5, 1082, 0);
    assert_eq!(bed.grants_in(100), [(taken + LATENCY_CYCLES as u64, 5)]);
}

#[test]
fn scheduler_blocks_at_the_window_edge() {
    let mut bed = Bed::new(FLOWS);
    bed.idle_flow(9, 4000, 8 * BYTE);
    bed.work(9, 1000, 4000);
    assert_eq!(bed.grants_in(3000), [], "inflight == window");
    let opened = bed.inflight(9, 3999);
    let grants = bed.grants_in(100);
    assert_eq!(grants.len(), 1, "inflight < window");
    let wait = grants[0].0 - opened;
    assert!(wait <= LATENCY_CYCLES as u64 + 8, "it is queued at once: {wait}");
}

#[test]
fn scheduler_sends_one_packet_into_the_smallest_window() {
    let mut bed = Bed::new(FLOWS);
    for window_bytes in [0, 1] {
        bed.idle_flow(2, window_bytes, 8 * BYTE);
        bed.work(2, 1000, 0);
        assert_eq!(bed.grants_in(100).len(), 1, "nothing in flight");
        bed.work(2, 1000, 1000);
        assert_eq!(bed.grants_in(3000), [], "one packet in flight");
        bed.inflight(2, 0);
        assert_eq!(bed.grants_in(100).len(), 1);
    }
}

#[test]
fn scheduler_does_not_burst_after_a_closed_window() {
    let mut bed = Bed::new(FLOWS);
    bed.idle_flow(1, 1000, BYTE);
    // What it has from its long pause goes first.
    bed.work(1, 1000, 0);
    assert_eq!(bed.grants_in(200).len(), 1);
    bed.work(1, 1000, 1000);
    bed.run(50_000);
    bed.inflight(1, 0);
    let first = bed.grants_in(100);
    assert_eq!(first.len(), 1);
    bed.work(1, 1000, 0);
    let second = bed.grants_in(2000);
    let gap = second[0].0 - first[0].0;
    assert!((990..=1110).contains(&gap), "one packet of credit, then its rate: {gap} cycles");
}

#[test]
fn scheduler_keeps_one_arm_for_an_idle_flow() {
    let mut bed = Bed::new(FLOWS);
    bed.idle_flow(1, OPEN, BYTE);
    bed.run(1_000_000);
    let mut burst = 0;
    loop {
        bed.work(1, 1000, 0);
        if bed.grants_in(200).is_empty() {
            break;
        }
        burst += 1;
    }
    assert_eq!(burst, 1, "arms at once after a long pause");
}

/// What a flow sends that has all the credit that it may have, and gets its next work some `gap`
/// cycles after each grant; and what its rate is worth meanwhile.
fn burst(gap: u64) -> (u64, u64) {
    let mut bed = Bed::new(FLOWS);
    bed.idle_flow(1, OPEN, 4 * BYTE);
    bed.takes = false;
    // Two grants stand, and nobody takes them.
    for _ in 0..2 {
        bed.work(1, 64, 0);
        bed.run(SETTLED_CYCLES);
    }
    bed.work(1, 8000, 0);
    bed.run(100_000);
    bed.takes = true;
    bed.cfg_line = 0xffff;
    let (begun, mut sent) = (bed.cycle, 0);
    while !bed.grants_in(60).is_empty() {
        sent += 8000;
        bed.run(gap - 60);
        bed.work(1, 8000, 0);
    }
    (sent, 4 * (bed.cycle - begun))
}

#[test]
fn scheduler_caps_the_credit_of_a_flow_that_cannot_send() {
    let (sent, _) = burst(GAP_CYCLES + 100);
    let cap = CREDIT_CAP_BYTES;
    assert!((cap - 8000..=cap + 8000).contains(&sent), "{sent} bytes: no more is earned");
}

#[test]
fn scheduler_counts_a_short_gap_as_work() {
    let (sent, earned) = burst(GAP_CYCLES - 20);
    // The first grant is paid, and then what was earned until then fills the credit again.
    let all = 8000 + CREDIT_CAP_BYTES + earned;
    assert!((all - 8000..=all).contains(&sent), "{sent} bytes of {all}");
    // Up to where a gap is short.
    (GAP_CYCLES - 12..=GAP_CYCLES).for_each(|gap| _ = burst(gap));
}

#[test]
fn scheduler_keeps_the_rate_to_the_byte() {
    for rate in [1, BYTE / 3, BYTE + 12_345, 7 * BYTE + 999_999] {
        let mut bed = Bed::new(FLOWS);
        bed.rate(3, OP_CREATE, OPEN, rate);
        let begun = bed.cycle;
        let len = if rate == 1 { 1 } else { 700 };
        bed.work(3, len, 0);
        let mut sent = 0_u64;
        for _ in 0..60_000 {
            let before = bed.grants.len();
            bed.run(1);
            if bed.grants.len() > before {
                sent += u64::from(len);
                bed.work(3, len, 0);
            }
        }
        let earned = u64::from(rate) * (bed.cycle - begun);
        let left = (earned >> 24) as i64 - sent as i64;
        // A pass of the scan and the way to the grant.
        let slack = 150 * i64::from(rate >> 24) + 1;
        let range = -1..=i64::from(len) + slack;
        assert!(range.contains(&left), "rate {rate}: {left} bytes left of {}", earned >> 24);
    }
}

/// Share of a line of `line` bytes a cycle that one flow gets, with arms of `len_bytes`.
fn alone(line: u32, len_bytes: u16, frame_count: u8) -> f64 {
    let mut bed = Bed::new(FLOWS);
    bed.cfg_line = line << 8 | 24 << 16;
    bed.rate(3, OP_CREATE, OPEN, line * BYTE);
    let cycles = (f64::from(len_bytes) + 24.0 * f64::from(frame_count)) / f64::from(line);
    let (mut rearm_at, mut free_at) = (Some(bed.cycle), 0.0_f64);
    while bed.grants.len() < 120 {
        // Two arms may wait for the line.
        bed.takes = free_at - bed.cycle as f64 <= 2.0 * cycles;
        let before = bed.grants.len();
        let is_due = rearm_at.is_some_and(|at| at <= bed.cycle) && bed.out.s_work.ready;
        let work = Work { valid: true, flow: 3, len_bytes, frame_count, inflight_bytes: 0 };
        let s_work = if is_due { rearm_at.take().map(|_| work) } else { None };
        bed.step(SchedulerIn { s_work: s_work.unwrap_or_default(), ..SchedulerIn::default() });
        if bed.grants.len() > before {
            free_at = free_at.max(bed.cycle as f64) + cycles;
            rearm_at = Some(bed.cycle + 20);
        }
    }
    100.0 * cycles / (bed.grants[119].0 - bed.grants[19].0) as f64
}

/// With gigabit Ethernet at 125 or 62.5 MHz a frame an arm does, of any length; faster lines need
/// arms of what they carry in 50 cycles.
#[test]
fn scheduler_keeps_the_line_full_for_one_flow() {
    let at_gigabit = [64, 128, 300, 700, 1082, 2106, 4154].map(|len| [(1, len, 1), (2, len, 1)]);
    let arms = [(8, 512, 8), (8, 1082, 1), (8, 4096, 32), (50, 4096, 64), (50, 4154, 1)];
    for (line, len_bytes, frame_count) in at_gigabit.concat().into_iter().chain(arms) {
        let share = alone(line, len_bytes, frame_count);
        println!("{line} bytes a cycle, {frame_count} frames, {len_bytes} bytes: {share:.4}");
        assert!(share > 0.99, "arms of {len_bytes} bytes leave a line of {line} idle: {share}");
    }
}

#[test]
fn scheduler_grants_every_fourth_cycle() {
    let mut bed = Bed::new(FLOWS);
    bed.cfg_line = 0xffff;
    for flow in 0..FLOWS as u16 {
        bed.idle_flow(flow, OPEN, 8 * BYTE);
    }
    bed.takes = false;
    for flow in 0..FLOWS as u16 {
        bed.work(flow, 64, 0);
    }
    bed.run(100);
    bed.takes = true;
    let grants = bed.grants_in(4 * FLOWS as u64 + 20);
    assert_eq!(grants.len(), FLOWS, "all were due");
    // Two had stood.
    let gaps = grants[2..].windows(2).map(|pair| pair[1].0 - pair[0].0);
    assert!(gaps.clone().all(|gap| gap == 4), "{:?}", gaps.collect::<Vec<_>>());
}

/// An operation of one flow lasts eight cycles and slots come every other one or every four: they
/// leave no room when they always come, but who is due goes. Sinks: work, bytes in flight, rate.
#[test]
fn scheduler_grants_beside_operations_without_end() {
    for sinks in 1..8 {
        let mut bed = Bed::new(FLOWS);
        bed.cfg_line = 0xffff;
        for flow in 0..8 {
            bed.idle_flow(flow, OPEN, 8 * BYTE);
        }
        bed.takes = false;
        for flow in 0..8 {
            bed.work(flow, 64, 0);
        }
        bed.run(100);
        bed.takes = true;
        let before = bed.grants.len();
        let frame_count = sinks & 1;
        let valid = sinks & 3 > 0;
        let mut s_work = Work { valid, flow: 9, len_bytes: 64, frame_count, inflight_bytes: 0 };
        let op = OP_UPDATE;
        let s_rate = Rate { valid: sinks & 4 > 0, flow: 9, op, window_bytes: OPEN, rate: BYTE };
        for _ in 0..8 * 4 * 8 {
            let alternates = sinks & 3 == 3 && bed.out.s_work.ready;
            bed.step(SchedulerIn { s_work, s_rate, ..SchedulerIn::default() });
            s_work.frame_count ^= u8::from(alternates);
        }
        assert_eq!(bed.grants.len() - before, 8, "sinks {sinks:03b} always have an operation");
    }
}

#[test]
fn scheduler_drops_a_removed_flow() {
    let mut bed = Bed::new(FLOWS);
    // Removed at every distance from the operation before.
    for delay in 0..SETTLED_CYCLES {
        bed.idle_flow(4, 100, BYTE);
        bed.work(4, 1000, 100);
        bed.run(delay);
        bed.rate(4, OP_REMOVE, 0, 0);
        bed.inflight(4, 0);
        assert_eq!(bed.grants_in(200), [], "removed {delay} cycles after the arm");
        // Created again: nothing of the old work comes back, new work is granted.
        bed.rate(4, OP_CREATE, OPEN, 8 * BYTE);
        assert_eq!(bed.grants_in(200), []);
        bed.work(4, 100, 0);
        assert_eq!(bed.grants_in(200).len(), 1, "created again after {delay}");
    }
}

#[test]
fn scheduler_takes_a_flow_back_at_once() {
    let mut bed = Bed::new(FLOWS);
    // remove, create and work in a row while the operations before are anywhere in the pipe.
    for delay in 0..SETTLED_CYCLES {
        bed.idle_flow(4, 100, BYTE);
        bed.work(4, 1000, 100);
        bed.run(delay);
        bed.rate(4, OP_REMOVE, 0, 0);
        bed.rate(4, OP_CREATE, OPEN, 8 * BYTE);
        bed.work(4, 100, 0);
        assert_eq!(bed.grants_in(300).len(), 1, "delay {delay}");
    }
}

#[test]
fn scheduler_holds_work_until_the_flow_is_created() {
    let mut bed = Bed::new(FLOWS);
    bed.work(63, 500, 0);
    assert_eq!(bed.grants_in(500), []);
    bed.rate(63, OP_UPDATE, OPEN, 8 * BYTE);
    assert_eq!(bed.grants_in(500), [], "an update creates nothing");
    bed.rate(63, OP_CREATE, OPEN, 8 * BYTE);
    assert_eq!(bed.grants_in(200).len(), 1);
}

#[test]
fn scheduler_merges_work_for_an_armed_flow() {
    let mut bed = Bed::new(FLOWS);
    for delay in 0..SETTLED_CYCLES {
        bed.idle_flow(8, 100, 8 * BYTE);
        bed.work(8, 1000, 100);
        bed.run(delay);
        bed.work(8, 1000, 100);
        bed.inflight(8, 0);
        assert_eq!(bed.grants_in(300).len(), 1, "armed twice {delay} cycles apart: one grant");
    }
}

#[test]
fn scheduler_sees_an_update_whenever_it_comes() {
    let mut bed = Bed::new(FLOWS);
    for delay in 0..SETTLED_CYCLES {
        bed.idle_flow(6, 0, 8 * BYTE);
        bed.work(6, 1000, 1);
        bed.run(delay);
        bed.rate(6, OP_UPDATE, 2, 8 * BYTE);
        assert_eq!(bed.grants_in(100).len(), 1, "window opened {delay} cycles after the arm");
        bed.work(6, 1000, 2);
        bed.run(delay);
        bed.inflight(6, 0);
        assert_eq!(bed.grants_in(300).len(), 1, "in-flight update {delay} cycles after the arm");
    }
}

/// All flows are late, and the one whose grant is taken gets work again at the worst moment: after
/// delays that make flow 0 wait longest, found on copies of the golden model.
#[derive(Clone)]
struct Foe {
    golden: Scheduler,
    out: SchedulerOut,
    inputs: Vec<SchedulerIn>,
}

impl Foe {
    const FLOWS: usize = 8;
    /// From one grant taken to the next.
    const TURN_CYCLES: usize = 160;

    fn step(&mut self, i: SchedulerIn) {
        self.out = self.golden.step(&i);
        self.inputs.push(i);
    }

    fn run(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.step(SchedulerIn::default()));
    }

    fn work(&mut self, flow: u16) {
        while !self.out.s_work.ready {
            self.run(1);
        }
        let s_work = Work { valid: true, flow, len_bytes: 1000, frame_count: 1, inflight_bytes: 0 };
        self.step(SchedulerIn { s_work, ..SchedulerIn::default() });
    }

    /// Takes a grant, gives its flow work `delay` cycles later, and returns it.
    fn turn(&mut self, delay: usize) -> u16 {
        let flow = self.out.m_grant.flow;
        assert!(self.out.m_grant.valid, "a grant waits");
        let end = self.inputs.len() + Self::TURN_CYCLES;
        self.step(SchedulerIn { m_grant: ReadyPort { ready: true }, ..SchedulerIn::default() });
        self.run(delay);
        self.work(flow);
        self.run(end - self.inputs.len());
        flow
    }

    /// Grants of others before the next one of flow 0, if these are the delays.
    fn wait(&self, delays: &[usize]) -> usize {
        let mut copy = Self { inputs: vec![], ..self.clone() };
        delays.iter().position(|delay| copy.turn(*delay) == 0).unwrap_or(delays.len())
    }
}

#[test]
fn scheduler_serves_the_late_in_turn_whatever_comes() {
    let config = config(Foe::FLOWS);
    let golden = Scheduler::new(&config);
    let mut foe = Foe { golden, out: SchedulerOut::default(), inputs: vec![] };
    foe.run(34);
    for flow in 0..Foe::FLOWS as u16 {
        let s_rate = Rate { valid: true, flow, op: OP_CREATE, window_bytes: OPEN, rate: 64 * BYTE };
        while !foe.out.s_rate.ready {
            foe.run(1);
        }
        foe.step(SchedulerIn { s_rate, ..SchedulerIn::default() });
        foe.work(flow);
    }
    foe.run(4000);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut waited = 0;
    for _ in 0..100 {
        let mut delay = |_: usize| rng.gen_range(0..Foe::TURN_CYCLES - 4);
        let plans: Vec<_> = (0..300).map(|_| [0; 16].map(&mut delay)).collect();
        let worst = plans.iter().max_by_key(|delays| foe.wait(*delays)).expect("there are plans");
        waited = if foe.turn(worst[0]) == 0 { 0 } else { waited + 1 };
        // Each other flow has an earlier deadline once.
        assert!(waited < Foe::FLOWS, "flow 0 is passed over for {waited} grants");
    }
    let source = emitted("scheduler", &config).expect("emits");
    let models = [source.model(Flavour::Fast).expect("builds")];
    let mut engine = LockStep::new(Scheduler::new(&config), &models, 1).expect("ports");
    engine.reset().expect("reset");
    for inputs in &foe.inputs {
        engine.step(inputs).unwrap_or_else(|e| panic!("{e}"));
    }
}
