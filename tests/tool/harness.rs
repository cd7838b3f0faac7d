//! Self-test of the harness on a hand-written counter: it must be able to fail, and say how.

use nic_harness::bench::{Bench, Engine, Failure, FailureCause, Options, Stimulus};
use nic_harness::lockstep::{Dut, Rule, StepError, Stepper};
use nic_harness::verilator::{Error, Flavour, Source};
use nic_models::ports;
use nic_models::ports::{Golden, Wide};
use nic_spec::config::NicConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;

const COUNTER_V: &str = "
module counter(
    input wire clock, input wire reset, input wire enable, input wire [12:0] step,
    output reg [39:0] count, output reg [99:0] wide, output reg odd);
  reg [7:0] never_reset;
  always @(posedge clock) begin
    never_reset <= never_reset + 8'd1;
    if (enable) begin
      count <= count + {27'd0, step};
      wide <= {wide[86:0], step};
    end
    odd <= enable & step[0];
    if (reset) begin
      count <= 40'd0;
      wide <= 100'd0;
      odd <= 1'b0;
    end
  end
endmodule
";

ports! {
    struct CounterIn { pub reset: bool, pub enable: bool, pub step: u16 }
}
ports! {
    struct CounterOut { pub count: u64, pub wide: Wide<2>, pub odd: bool }
}

#[derive(Default)]
struct Counter(CounterOut);

impl Golden for Counter {
    type In = CounterIn;
    type Out = CounterOut;
    fn step(&mut self, i: &CounterIn) -> CounterOut {
        if i.reset {
            self.0 = CounterOut::default();
            return self.0;
        }
        if i.enable {
            self.0.count = (self.0.count + u64::from(i.step)) & ((1 << 40) - 1);
            let [low, high] = self.0.wide.0;
            let shifted = (u128::from(low) | u128::from(high) << 64) << 13 | u128::from(i.step);
            self.0.wide.0 = [shifted as u64, (shifted >> 64) as u64 & ((1 << 36) - 1)];
        }
        self.0.odd = i.enable && i.step % 2 == 1;
        self.0
    }
}

struct Noise {
    rng: ChaCha8Rng,
    step_max: u16,
}

impl Stimulus<Counter> for Noise {
    fn next(&mut self, _cycle: u64, _out: &CounterOut) -> CounterIn {
        let step = self.rng.gen_range(0..=self.step_max);
        CounterIn { reset: self.rng.gen_ratio(1, 500), enable: self.rng.gen(), step }
    }
}

fn bench(step_max: u16) -> Bench {
    let config = NicConfig::preset("gbe").expect("preset");
    let stimulus = move |seed| Noise { rng: ChaCha8Rng::seed_from_u64(seed), step_max };
    Bench::new("counter", &config, Counter::default, stimulus)
}

/// Where this file's tests leave things.
fn scratch() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

fn options(seed: u64) -> Options {
    let mut options = Options::new(seed, 10_000);
    options.failure_dir = Some(scratch());
    options
}

fn run_changed(from: &str, to: &str, seed: u64) -> Box<Failure> {
    assert!(COUNTER_V.contains(from), "the counter has {from}");
    let source = Source::new("counter", &COUNTER_V.replace(from, to));
    bench(0x1fff).run(&source, &options(seed)).expect_err("a broken counter must fail")
}

#[test]
fn harness_passes_an_equal_dut() {
    let source = Source::new("counter", COUNTER_V);
    for seed in 0..4 {
        let report = bench(0x1fff).run(&source, &options(seed)).expect("no mismatch");
        assert_eq!(report.cycles, 10_000);
        assert!(report.still_outputs.is_empty());
    }
}

#[test]
fn harness_finds_a_mismatch_and_leaves_waveform_and_replay() {
    // Wrong only where the low 12 bits of both are set: rare, so that the cycle means something.
    let broken = "count + {27'd0, step} + (&count[9:0])";
    let first = run_changed("count + {27'd0, step}", broken, 7);
    let mismatch = first.mismatch().expect("a mismatch").clone();
    assert_eq!((mismatch.seed, mismatch.rule), (7, Rule::EqualsGolden));
    assert_eq!(mismatch.block, "counter");
    let signals: Vec<&str> = mismatch.differences.iter().map(|d| &*d.signal).collect();
    assert_eq!(signals, ["count"]);
    let difference = &mismatch.differences[0];
    assert_eq!(difference.dut[0], difference.golden[0] + 1);
    assert!(first.waveform_reproduces, "{first}");
    let waveform = first.waveform.clone().expect("a waveform");
    let bytes = std::fs::metadata(&waveform).expect("it exists").len();
    assert!((200..100_000).contains(&bytes), "{bytes} bytes of waveform");

    let cycle = mismatch.cycle.expect("after reset");
    assert!(cycle > 50, "too easy: cycle {cycle}");
    let replay = first.replay.clone().expect("a replay line");
    assert!(replay.contains(&format!("--block counter --seed 7 --cycles {}", cycle + 1)));
    // What the replay line says: the same seed, just long enough.
    let source = Source::new("counter", &COUNTER_V.replace("count + {27'd0, step}", broken));
    let mut short = options(7);
    short.cycles = cycle + 1;
    let again = bench(0x1fff).run(&source, &short).expect_err("same mismatch");
    assert_eq!(again.cause, first.cause);
    short.cycles = cycle;
    bench(0x1fff).run(&source, &short).expect("one cycle less is fine");
}

#[test]
fn harness_traces_the_run_that_failed_where_x_matters() {
    // Wrong where a register that nothing sets happens to be met; the wires are in a waveform alone.
    let broken = COUNTER_V
        .replace("reg [7:0] never_reset;", "reg [7:0] never_reset; reg [12:0] ghost;")
        .replace("odd <= enable & step[0];", "odd <= enable & step[0]; ghost <= ghost;")
        .replace("count + {27'd0, step}", "count + {27'd0, step} + {39'd0, is_met}")
        .replace(
            "  reg [7:0]",
            "  wire at = step == ghost; wire is_met = at & enable;\n  reg [7:0]",
        );
    let source = Source::new("counter", &broken);
    let mut cycles = Vec::new();
    for seed in 1..=4 {
        let long = Options { cycles: 200_000, ..options(seed) };
        let failure = bench(0x1fff).run(&source, &long).expect_err("it is met");
        assert!(failure.waveform_reproduces, "{failure}");
        cycles.push(failure.cycle);
    }
    cycles.dedup();
    assert_eq!(cycles.len(), 4, "the seeds differ: {cycles:?}");
}

#[test]
fn harness_names_the_first_register_that_differs() {
    let good = COUNTER_V
        .replace("reg [7:0] never_reset;", "reg [7:0] never_reset; reg seen; wire sees = 1'b0;")
        .replace("odd <= enable & step[0];", "odd <= enable & step[0]; seen <= sees;")
        .replace("count + {27'd0, step}", "count + {27'd0, step} + {39'd0, seen & step[5]}");
    let broken = good.replace("sees = 1'b0", "sees = !reset & (seen | &step[8:0])");
    let (source, reference) = (Source::new("counter", &broken), Source::new("counter", &good));
    let compared = Options { reference: Some(reference), ..options(3) };
    let failure = bench(0x1fff).run(&source, &compared).expect_err("a mismatch");
    let register = failure.register.as_ref().expect("a register differs");
    assert_eq!((register.path.as_str(), register.others), ("seen", 0));
    assert_eq!(register.values, ["0x1", "0x0"]);
    assert!(register.cycle < failure.cycle, "{failure}");
    assert!(failure.to_string().contains("first register that differs: seen, 0x1 not 0x0"));
}

/// Noise with a check that fails in a cycle.
struct Checked {
    noise: Noise,
    fails_at: u64,
}

impl Stimulus<Counter> for Checked {
    fn next(&mut self, cycle: u64, out: &CounterOut) -> CounterIn {
        assert!(cycle < self.fails_at, "cycle {cycle} comes");
        self.noise.next(cycle, out)
    }
}

fn checked_bench(fails_at: u64) -> Bench {
    let config = NicConfig::preset("gbe").expect("preset");
    let noise = |seed| Noise { rng: ChaCha8Rng::seed_from_u64(seed), step_max: 0x1fff };
    let stimulus = move |seed| Checked { noise: noise(seed), fails_at };
    Bench::new("counter", &config, Counter::default, stimulus)
}

#[test]
fn harness_names_cycle_and_replay_line_of_a_failed_check() {
    let (source, bench) = (Source::new("counter", COUNTER_V), checked_bench(765));
    let failure = bench.run(&source, &options(11)).expect_err("the check fails");
    let FailureCause::Check(failed) = &failure.cause else { panic!("{failure}") };
    assert_eq!((failed.text.as_str(), failure.cycle), ("cycle 765 comes", Some(765)));
    assert!(failed.place.contains("harness.rs:"), "{failure}");
    assert!(failure.to_string().starts_with("seed 11 cycle 765: check failed: cycle 765 comes"));
    let replay = failure.replay.as_ref().expect("a replay line");
    assert!(replay.contains("--block counter --seed 11 --cycles 766 --trace"), "{replay}");
    assert!(failure.waveform_reproduces, "{failure}");
    let waveform = failure.waveform.as_ref().expect("a waveform");
    assert!(std::fs::metadata(waveform).expect("it exists").len() > 200);
    for engine in [Engine::Golden, Engine::Rtl] {
        let alone = Options { engine, ..options(11) };
        let again = bench.run(&source, &alone).expect_err("the check fails");
        assert_eq!((again.cycle, &again.cause), (Some(765), &failure.cause));
    }
    bench.run(&source, &Options { cycles: 765, ..options(11) }).expect("one cycle less is fine");
}

#[test]
fn harness_reports_the_mismatch_though_a_check_fails_behind_it() {
    let broken =
        COUNTER_V.replace("count + {27'd0, step}", "count + {27'd0, step} + (&count[9:0])");
    let source = Source::new("counter", &broken);
    let alone = bench(0x1fff).run(&source, &options(12)).expect_err("a mismatch");
    let cycle = alone.cycle.expect("after reset");
    // The run for the waveform goes on behind the mismatch and comes to the check.
    let both = checked_bench(cycle + 5).run(&source, &options(12)).expect_err("a mismatch");
    assert_eq!((&both.cause, both.waveform_reproduces), (&alone.cause, true));
}

#[test]
fn harness_compares_the_upper_words_of_wide_ports() {
    let failure =
        run_changed("{wide[86:0], step}", "{wide[86:70], ~wide[69], wide[68:0], step}", 1);
    let mismatch = failure.mismatch().expect("a mismatch");
    assert_eq!(mismatch.differences[0].signal, "wide");
    assert_eq!(mismatch.differences[0].golden[0], mismatch.differences[0].dut[0]);
}

#[test]
fn harness_sees_registers_that_reset_forgets() {
    // Random X-initialisation makes the missing reset visible at the end of the first reset.
    let failure = run_changed("wide <= 100'd0;", "", 3);
    assert_eq!(failure.mismatch().expect("a mismatch").cycle, None);
}

#[test]
fn harness_refuses_outputs_that_are_no_registers() {
    let from = "output reg odd);";
    let to = "output wire odd); reg odd_r; assign odd = odd_r | (step == 13'h111);";
    let text = COUNTER_V.replace(from, to).replace("odd <=", "odd_r <=");
    let failure = bench(0x1fff).run(&Source::new("counter", &text), &options(2)).expect_err("red");
    assert!(matches!(failure.mismatch(), Some(m) if m.differences[0].signal == "odd"), "{failure}");
}

fn error_of(text: &str) -> Error {
    let result = bench(0x1fff).run(&Source::new("counter", text), &options(1));
    match result.expect_err("bad Verilog").cause {
        FailureCause::Other(StepError::Model(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn harness_names_the_port_that_differs() {
    let text = |from: &str, to: &str| error_of(&COUNTER_V.replacen(from, to, 1)).to_string();
    assert_eq!(
        text("[12:0] step", "[16:0] step"),
        "port step of Verilog module counter has 17 bits, the model's has 16"
    );
    assert_eq!(
        text("output reg odd", "output reg odd, input wire spare"),
        "Verilog module counter has a port spare of 1 bits, which the model has not"
    );
    assert_eq!(
        error_of(&COUNTER_V.replace("enable", "enabled")).to_string(),
        "Verilog module counter has a port enabled of 1 bits, which the model has not"
    );
    assert_eq!(
        text("input wire enable, ", ""),
        "Verilog does not compile: counter.v:8:9: Can't find definition of variable: 'enable'"
    );
}

#[test]
fn harness_compares_port_lists_of_two_models() {
    let model = |text: &str| Source::new("counter", text).model(Flavour::Quick).expect("builds");
    let expected = model(COUNTER_V);
    assert_eq!(expected.check_same_ports(&expected), Ok(()));
    let narrow = model(&COUNTER_V.replace("[12:0] step", "[11:0] step"));
    let error = narrow.check_same_ports(&expected).expect_err("one bit less");
    assert_eq!(
        error.to_string(),
        "port step of Verilog module counter has 12 bits, the model's has 13"
    );
}

#[test]
fn harness_reports_the_first_verilog_error_with_its_line() {
    let error = error_of("module counter(input wire clock);\n  assign = 1;\nendmodule\n");
    let text = error.to_string();
    assert!(text.starts_with("Verilog does not compile: counter.v:2:10: syntax error"), "{text}");
    assert!(!text.contains('\n'), "one sentence: {text}");
    let text = error_of("module other(input wire clock); endmodule\n").to_string();
    assert!(text.contains("counter"), "{text}");
}

#[test]
fn harness_refuses_a_stimulus_that_is_too_wide() {
    let source = Source::new("counter", COUNTER_V);
    let failure = bench(0xffff).run(&source, &options(1)).expect_err("13 bits");
    assert!(matches!(
        &failure.cause,
        FailureCause::Other(StepError::Input { signal, .. }) if signal == "counter.step"
    ));
}

#[test]
fn harness_survives_finish_and_logic_that_does_not_settle() {
    let finish = "if (reset) begin\n      if (count == 40'h123) $finish;";
    let text = COUNTER_V.replace("if (reset) begin", finish).replace("40'h123", "40'd0");
    assert_eq!(error_of(&text), Error::Finished);
    let loops = "reg [7:0] never_reset; wire a; assign a = enable ? ~a : 1'b0;";
    let text = COUNTER_V.replace("reg [7:0] never_reset;", loops);
    let text = text.replace("enable & step[0]", "enable & step[0] & a");
    match error_of(&text) {
        Error::Fatal(message) => assert!(message.contains("converge"), "{message}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn harness_runs_every_golden_model_alone() {
    let config = NicConfig::preset("gbe").expect("preset");
    for bench in nic_sim::bench::benches(&config) {
        let mut options = options(1);
        (options.engine, options.cycles) = (Engine::Golden, 2_000);
        let result = bench.run(&Source::new(bench.name(), ""), &options);
        result.unwrap_or_else(|failure| panic!("{}: {failure}", bench.name()));
    }
}

#[test]
fn harness_starts_from_a_state_that_the_seed_alone_decides() {
    // `wide` keeps its random start value: the mismatch shows it.
    let text = COUNTER_V.replace("wide <= 100'd0;", "");
    let start = |seed: u64| -> Vec<u64> {
        let mut options = options(seed);
        options.failure_dir = None;
        let failure = bench(0x1fff).run(&Source::new("counter", &text), &options);
        let failure = failure.expect_err("a register without reset");
        failure.mismatch().expect("a mismatch").differences[0].dut.clone()
    };
    let alone: Vec<Vec<u64>> = (0..16).map(start).collect();
    let distinct: std::collections::BTreeSet<&Vec<u64>> = alone.iter().collect();
    assert_eq!(distinct.len(), alone.len(), "every seed starts elsewhere");
    let side_by_side: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..16).map(|seed| scope.spawn(move || start(seed))).collect();
        runs.into_iter().map(|r| r.join().expect("no panic")).collect()
    });
    assert_eq!(side_by_side, alone);
}

#[test]
fn harness_writes_coverage() {
    let model = Source::new("counter", COUNTER_V).model(Flavour::Coverage).expect("builds");
    let mut dut = Dut::<CounterIn, CounterOut>::new(&model, 1).expect("starts");
    dut.reset().expect("resets");
    let inputs = CounterIn { enable: true, step: 3, ..CounterIn::default() };
    for _ in 0..10 {
        dut.step(&inputs).expect("steps");
    }
    let path = scratch().join("counter.dat");
    dut.write_coverage(&path).expect("writes");
    let text = std::fs::read_to_string(&path).expect("it exists");
    assert!(text.contains("counter.v"), "{text}");
}
