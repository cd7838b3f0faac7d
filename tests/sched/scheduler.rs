//! The scheduler against its golden twin, and its rules one by one, on both at once.

use nic_harness::lockstep::{GoldenOnly, LockStep, Stepper};
use nic_harness::verilator::Flavour;
use nic_hdl::sched::scheduler::{CREDIT_CAP_BYTES, LATENCY_CYCLES, VISIT_CYCLES};
use nic_models::golden::sched::calendar::Cases;
use nic_models::golden::sched::scheduler::{Scheduler, SchedulerIn, SchedulerOut};
use nic_models::ports::Golden;
use nic_models::streams::{InFlight, Rate, ReadyPort, Work};
use nic_sim::bench::emitted;
use nic_sim::bench::sched::{
    restless, scheduler, BusyLine, RestlessLine, OP_CREATE, OP_REMOVE, OP_UPDATE,
};
use nic_spec::NicConfig;
use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{assert_catches, assert_matches_golden, assert_runs_catch, Runs};

const FLOWS: usize = 64;
/// One byte a cycle, UQ8.24.
const BYTE: u32 = 1 << 24;
const OPEN: u32 = 1 << 20;

fn config(flow_count: usize) -> NicConfig {
    NicConfig { flow_count, ..rdma_nic::gbe() }
}

/// Golden model and Verilog side by side, driven by hand.
struct Bed {
    engine: LockStep<Scheduler>,
    out: SchedulerOut,
    cycle: u64,
    /// The requester takes grants.
    takes: bool,
    /// Cycle (in which m_grant stood) and flow of each grant taken.
    grants: Vec<(u64, u16)>,
}

impl Bed {
    fn new(flow_count: usize) -> Self {
        let config = config(flow_count);
        let source = emitted("scheduler", &config).expect("emits");
        let model = source.model(Flavour::Fast).expect("builds");
        let mut engine = LockStep::new(Scheduler::new(&config), &[model], 7).expect("ports");
        let out = engine.reset().expect("reset");
        let mut bed = Self { engine, out, cycle: 0, takes: true, grants: vec![] };
        bed.run(flow_count as u64 + 2);
        bed
    }

    fn step(&mut self, mut inputs: SchedulerIn) {
        inputs.m_grant = ReadyPort { ready: self.takes };
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
        let s_rate = Rate { valid: true, flow, op, window_bytes, rate };
        self.step(SchedulerIn { s_rate, ..SchedulerIn::default() });
    }

    /// Returns the cycle of the accept.
    fn work(&mut self, flow: u16, len_bytes: u16, inflight_bytes: u32) -> u64 {
        while !self.out.s_work.ready {
            self.run(1);
        }
        let s_work = Work { valid: true, flow, len_bytes, inflight_bytes };
        self.step(SchedulerIn { s_work, ..SchedulerIn::default() });
        self.cycle - 1
    }

    fn inflight(&mut self, flow: u16, inflight_bytes: u32) -> u64 {
        while !self.out.s_inflight.ready {
            self.run(1);
        }
        let s_inflight = InFlight { valid: true, flow, inflight_bytes };
        self.step(SchedulerIn { s_inflight, ..SchedulerIn::default() });
        self.cycle - 1
    }

    /// Runs and returns the grants of these cycles.
    fn grants_in(&mut self, cycles: u64) -> Vec<(u64, u16)> {
        let before = self.grants.len();
        self.run(cycles);
        self.grants[before..].to_vec()
    }

    /// A flow with a full credit, armed never, as after a long idle time.
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
fn scheduler_matches_golden_at_4_and_1024_flows() {
    for flow_count in [4, 1024] {
        Runs::of(scheduler(&config(flow_count)), 1..=2, 150_000).reports();
    }
}

#[test]
fn scheduler_turns_match_golden() {
    for (flow_count, seeds) in [(64, 1..=6), (4, 1..=2), (128, 2..=3), (1024, 1..=2)] {
        Runs::of(restless(&config(flow_count)), seeds, 400_000).reports();
    }
}

/// What the stimulus of `scheduler_turns_match_golden` reaches. Second turns are rare there; they
/// are in lock-step in `scheduler_verilog_gives_flows_their_rates`.
#[test]
fn scheduler_turns_reach_every_case() {
    let mut all = Cases::default();
    for seed in 1..=6 {
        let mut engine = GoldenOnly(Scheduler::new(&config(FLOWS)));
        let mut line = RestlessLine::new(seed, FLOWS, 8);
        let mut out = engine.reset().expect("reset");
        for cycle in 0..400_000 {
            out = engine.step(&line.next(cycle, &out)).expect("steps");
        }
        let c = engine.0.cases();
        println!("seed {seed}: {c:?}");
        all.kept += c.kept;
        all.dropped += c.dropped;
        all.expired += c.expired;
        all.stale += c.stale;
        all.overdue += c.overdue;
        all.renewed += c.renewed;
        all.turns += c.turns;
        all.young += c.young;
    }
    let few = [all.kept, all.dropped, all.expired, all.stale, all.overdue];
    let others = [all.renewed, all.turns, all.young];
    assert!(few.iter().chain(&others).all(|count| *count >= 10), "{all:?}");
}

#[test]
fn scheduler_turn_breaks_are_caught() {
    let breaks = [
        ("oldest_age >= window", "oldest_age > window"),
        ("due_age >= s_turn_age", "due_age > s_turn_age"),
        ("bytes - len_wide", "bytes + len_wide"),
        ("count - 1", "count + 1"),
        ("stale - 1", "stale + 1"),
        ("after_tail == head", "tail == head"),
        ("after_5 <= limit_5", "after_5 < limit_5"),
        ("turned - 1", "turned + 1"),
        ("turned + 1", "turned - 1"),
        ("express_tail + ", "express_tail - "),
        ("s_visit_created & !s_visit_is_kept", "s_visit_created & s_visit_is_kept"),
        ("is_late & !s_visit_is_queued", "1'b0"),
        ("queue_m_grant_valid | ticket_is_due", "queue_m_grant_valid"),
        ("return_is_express <= keeps_ticket |", "return_is_express <="),
        ("is_joining | keeps_ticket |", "is_joining |"),
        ("is_able & is_called & (", "is_able & ("),
        ("recent_5 <= asked_5", "recent_5 < asked_5"),
        ("s_seen_flow == called_flow", "s_seen_flow != called_flow"),
        (
            "s_is_settled | s_is_low) & (!(|below_floor) |",
            "s_is_settled | s_is_low) & (!(|below_floor) &",
        ),
        ("credit_5[40] | credit_5[39]", "credit_5[40]"),
        ("is_mine & s_visit_must_send", "s_visit_must_send"),
        ("longest < longest_before", "longest_before < longest"),
        ("fresh & keep_mask", "fresh | keep_mask"),
        ("& !s_visit_is_stale", ""),
        ("is_stale_4 | is_hit_5", "is_stale_4"),
    ];
    let runs = [FLOWS, 4].map(|flow_count| Runs::of(restless(&config(flow_count)), 1..=6, 400_000));
    assert_runs_catch(&runs, &breaks);
}

#[test]
fn scheduler_breaks_are_caught() {
    let breaks = [
        ("s_inflight_bytes < s_window_bytes", "s_inflight_bytes <= s_window_bytes"),
        ("credit_wide + product_wide", "credit_wide - product_wide"),
        ("len_x8 + len_x2", "len_x8 + len_x4"),
        ("elapsed = s_now - s_seen", "elapsed = s_seen - s_now"),
        ("write_address == read_address", "write_address != read_address"),
    ];
    assert_catches("scheduler", 100_000, &breaks);
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
    assert!(wait <= 2 * VISIT_CYCLES as u64 + 2, "an update is seen at the next visit: {wait}");
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
    bed.work(1, 1000, 1000);
    bed.run(50_000);
    bed.inflight(1, 0);
    let first = bed.grants_in(100);
    assert_eq!(first.len(), 1);
    bed.work(1, 1000, 0);
    let second = bed.grants_in(2000);
    let gap = second[0].0 - first[0].0;
    assert!((990..=1030).contains(&gap), "one packet of credit, then its rate: {gap} cycles");
}

#[test]
fn scheduler_caps_the_credit_of_an_idle_flow() {
    let mut bed = Bed::new(FLOWS);
    // 4095 cycles at 4 bytes are 16380 bytes of credit, and as much again is earned while the line
    // carries what they paid for.
    bed.idle_flow(1, OPEN, 4 * BYTE);
    bed.run(1_000_000);
    let mut burst = 0;
    loop {
        bed.work(1, 8000, 0);
        if bed.grants_in(100).is_empty() {
            break;
        }
        burst += 8000;
    }
    assert!((24_000..=CREDIT_CAP_BYTES).contains(&burst), "burst of {burst} bytes");
}

#[test]
fn scheduler_keeps_the_rate_to_the_byte() {
    for rate in [1, BYTE / 3, BYTE + 12_345, 7 * BYTE + 999_999] {
        let mut bed = Bed::new(FLOWS);
        bed.rate(3, OP_CREATE, OPEN, rate);
        let len = if rate == 1 { 1 } else { 700 };
        bed.work(3, len, 0);
        let begun = bed.cycle;
        let (mut sent, mut first) = (0_u64, None);
        for _ in 0..60_000 {
            let before = bed.grants.len();
            bed.run(1);
            if bed.grants.len() > before {
                first.get_or_insert(bed.cycle);
                sent += u64::from(len);
                bed.work(3, len, 0);
            }
        }
        // First credit: bitreverse(3)/64 of the packet; then every cycle counts in full.
        let first_credit = (u64::from(len) << 24) * 48 / 64;
        let elapsed = bed.cycle - begun;
        let earned = first_credit + u64::from(rate) * elapsed;
        let left = (earned >> 24) as i64 - sent as i64;
        let slack = 40 * i64::from(rate >> 24) + 1;
        let range = -slack..=i64::from(len) + slack;
        assert!(range.contains(&left), "rate {rate}: {left} bytes left of {}", earned >> 24);
    }
}

type Pins = dyn Stepper<In = SchedulerIn, Out = SchedulerOut>;

/// When a flow of 40.1 packets in 1 ms is granted that begins with a burst: packets next to each other
/// leave the window next to each other, while the flow lags.
fn after_a_burst(pins: &mut Pins, len_bytes: u16) -> Result<Vec<u64>, String> {
    let rate = (u64::from(len_bytes) * 401 * u64::from(BYTE) / 1_250_000) as u32;
    let s_rate = Rate { valid: true, flow: 5, op: OP_CREATE, window_bytes: OPEN, rate };
    let m_grant = ReadyPort { ready: true };
    let mut out = pins.reset().map_err(|e| e.to_string())?;
    let (mut grants, mut arm_at) = (vec![], 200);
    for cycle in 0..500_000_u64 {
        let mut inputs = SchedulerIn { m_grant, ..SchedulerIn::default() };
        if cycle == 100 {
            inputs.s_rate = s_rate;
        }
        // The first ones are empty, for credit.
        let len_bytes = if cycle < 100_000 { 0 } else { len_bytes };
        if cycle >= arm_at && out.s_work.ready {
            inputs.s_work = Work { valid: true, flow: 5, len_bytes, inflight_bytes: 0 };
            arm_at = u64::MAX;
        }
        if out.m_grant.valid {
            arm_at = cycle + if cycle < 96_000 { 4200 } else { 10 };
            if cycle >= 100_000 {
                grants.push(cycle);
            }
        }
        out = pins.step(&inputs).map_err(|e| e.to_string())?;
    }
    Ok(grants)
}

#[test]
fn scheduler_bunched_packets_match_golden() {
    let source = emitted("scheduler", &config(FLOWS)).expect("emits");
    let run = |source: &nic_harness::verilator::Source, len_bytes| {
        let model = source.model(Flavour::Fast).expect("builds");
        let engine = LockStep::new(Scheduler::new(&config(FLOWS)), &[model], 7);
        after_a_burst(&mut engine.expect("ports"), len_bytes)
    };
    for len_bytes in [1000, 2047, 2048] {
        let grants = run(&source, len_bytes).unwrap_or_else(|e| panic!("{e}"));
        assert!(grants.len() > 120, "41 packets in each of 3 ms: {}", grants.len());
    }
    let breaks = [
        ("is_several & (!(|long_part))", "is_several", 2048),
        ("turned_1[1] | turned_1[2]", "turned_1[2]", 1000),
        ("held_wide << 22", "held_wide << 21", 1000),
        ("m_is_bunched = bunched_6", "m_is_bunched = 1'b0", 2047),
    ];
    for (from, to, len_bytes) in breaks {
        assert!(source.text.contains(from), "the Verilog has no {from:?}");
        let mut broken = source.clone();
        broken.text = broken.text.replacen(from, to, 1);
        assert!(run(&broken, len_bytes).is_err(), "not noticed: {from:?} -> {to:?}");
    }
}

#[test]
fn scheduler_drops_a_removed_flow() {
    let mut bed = Bed::new(FLOWS);
    // Removed while it waits in the ring, at every distance from its visit.
    for delay in 0..2 * VISIT_CYCLES as u64 {
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
    // remove, create and work in a row while the old entry is anywhere in the ring or pipeline.
    for delay in 0..2 * VISIT_CYCLES as u64 {
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
    for delay in 0..2 * VISIT_CYCLES as u64 {
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
    for delay in 0..2 * VISIT_CYCLES as u64 {
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

#[test]
fn scheduler_overloaded_lets_every_flow_through() {
    // Four times the line: rates mean nothing any more, but nobody waits longer than the bound.
    let mut bed = Bed::new(FLOWS);
    let rates = (0..FLOWS as u32).map(|f| if f % 2 == 0 { BYTE } else { 1 << 16 }).collect();
    let mut line = BusyLine::new(3, 8, rates, vec![1082; FLOWS]);
    let cycles = 600_000;
    for cycle in 0..cycles {
        let inputs = line.next(cycle, &bed.out);
        bed.out = bed.engine.step(&inputs).unwrap_or_else(|e| panic!("{e}"));
    }
    // 63 tickets, each a grant taken (136 cycles) and a round; three periods of the slow flows.
    let round = (FLOWS + 2 * VISIT_CYCLES) as u64;
    let period = 1082 * 256;
    let bound = (FLOWS as u64 - 1) * (136 + round) + 3 * period;
    let mut last = [0; FLOWS];
    for sent in &line.sent {
        let wait = sent.cycle - std::mem::replace(&mut last[usize::from(sent.flow)], sent.cycle);
        let due = if sent.flow % 2 == 0 { 1082 } else { period };
        assert!(wait <= due + bound, "flow {} waited {wait} cycles", sent.flow);
    }
    assert!(last.iter().all(|cycle| cycles - cycle < period + bound), "{last:?}");
    assert!(line.sent.len() as u64 * 136 > cycles * 97 / 100, "the line stays full");
}

#[test]
fn scheduler_keeps_a_ticket_for_the_late() {
    // All flows far behind and the requester slow: served in turn.
    let mut bed = Bed::new(FLOWS);
    (0..FLOWS as u16).for_each(|f| bed.rate(f, OP_CREATE, OPEN, 8 * BYTE));
    for flow in 0..FLOWS as u16 {
        bed.work(flow, 1000, 0);
    }
    bed.takes = false;
    bed.run(4000);
    let mut since = [0; FLOWS];
    for turn in 0..1000_u64 {
        bed.takes = true;
        let taken = bed.grants_in(1);
        bed.takes = false;
        let (_, flow) = taken[0];
        let waited = turn - std::mem::replace(&mut since[usize::from(flow)], turn);
        assert!(waited <= 3 * FLOWS as u64, "flow {flow} was passed over for {waited} grants");
        bed.work(flow, 1000, 0);
        bed.run(130);
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
    const TURN_CYCLES: usize = 64;

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
        let s_work = Work { valid: true, flow, len_bytes: 1000, inflight_bytes: 0 };
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

/// A ticket for the next in the ring let others in before flow 0 in each of 96 turns.
#[test]
fn scheduler_serves_the_late_in_turn_whatever_comes() {
    let config = config(Foe::FLOWS);
    let golden = Scheduler::new(&config);
    let mut foe = Foe { golden, out: SchedulerOut::default(), inputs: vec![] };
    foe.run(Foe::FLOWS + 2);
    for flow in 0..Foe::FLOWS as u16 {
        let s_rate = Rate { valid: true, flow, op: OP_CREATE, window_bytes: OPEN, rate: 64 * BYTE };
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
        // A ticket of each other flow.
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
