//! ACK streams in CSV: read, run through the f64 reference or a CC unit, compared.

use clap::ValueEnum;
use nic_harness::lockstep::{StepError, Stepper};
use nic_models::golden::cc::unit::{CcUnitIn, CcUnitOut, OP_CREATE, OP_UPDATE};
use nic_models::golden::cc::CcCfg;
use nic_models::reference::hpcc::{Flow, Ignored, Outcome, Params, Telemetry};
use nic_models::streams::{self, AckTelemetry, Decision, FlowCommand};
use nic_spec::cc_params::{CcConfig, U_FRACTION_BITS, U_ONE, W_FRACTION_BITS};
use std::path::Path;

/// Columns that a trace must have.
pub const COLUMNS: [&str; 8] = ["ack_seq", "snd_nxt", "nhop", "h0", "h1", "h2", "h3", "h4"];
/// Cycles in which a unit must answer.
const CYCLES_MAX: u32 = 10_000;
const PSN_MASK: u64 = 0xff_ffff;

/// One ACK of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Ack {
    /// The line's cells.
    pub cells: Vec<String>,
    /// PSN it acknowledges.
    pub psn: u32,
    /// Next PSN to be sent.
    pub snd_nxt: u32,
    /// Records.
    pub tel: Telemetry,
    /// When it came, ns, where the trace says so.
    pub now_ns: Option<u64>,
    /// The trace's window after this ACK in bytes, where it has one.
    pub win_bytes: Option<f64>,
}

/// Who computes the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// The sender, from ACKs
    #[value(name = "tx")]
    Sender,
    /// The receiver, from data packets that come at `now_ns`; it sends W once in T (column `send`)
    #[value(name = "rx")]
    Receiver,
}

/// A trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// What its lines are: ACKs, or data packets that have come.
    pub mode: Mode,
    /// Column names.
    pub columns: Vec<String>,
    /// ACKs in order.
    pub acks: Vec<Ack>,
}

/// State of the flow after an ACK, in physical units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Utilisation.
    pub u: f64,
    /// Window in bytes; a unit tells whole bytes.
    pub w_bytes: f64,
    /// Reference window in bytes.
    pub wc_bytes: f64,
    /// Pacing rate.
    pub rate_bps: f64,
    /// Additive steps since the last multiplicative one.
    pub inc_stage: u32,
    /// lastUpdateSeq mod 2^24; of a receiver lastUpdateTime + T in ns, mod 2^24.
    pub last_update_psn: u32,
    /// What the ACK did; a receiver sends W if it made a full update.
    pub outcome: Outcome,
}

/// The reference's parameters for a configuration.
pub fn reference_params(c: &CcConfig) -> Params {
    Params {
        t_ns: c.t_ns.into(),
        eta: c.eta,
        max_stage: c.max_stage.into(),
        w_ai_bytes: c.w_ai_bytes,
        w_init_bytes: c.w_init_bytes.into(),
        w_min_bytes: c.w_min_bytes(),
        rate_min_bps: c.rate_min_bps,
        line_rate_bps: c.line_rate_bps,
        multi: c.multi.into(),
        sojourn_unit_ns: c.sojourn_unit_ns,
        checks: c.checks,
        queue_max_units: match c.queue_max_bytes / c.queue_unit_bytes / f64::from(c.multi) {
            units if units < 131_071.0 && c.sojourn_unit_ns.is_none() => units as u32,
            _ => 131_071,
        },
        utilisation_full: c.utilisation_full.map(f64::from),
    }
}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    /// One sentence that names file, line and column.
    pub fn read(path: &Path) -> Result<Self, String> {
        let at = path.display();
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|e| format!("{at}: cannot read the ACK trace: {e}"))?;
        Self::parse(&text).map_err(|e| format!("{at}: {e}"))
    }

    /// Reads a trace from its text.
    ///
    /// # Errors
    /// One sentence that names line and column.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let header = reader.headers().map_err(|e| format!("line 1: no CSV header: {e}"))?;
        let columns: Vec<String> = header.iter().map(String::from).collect();
        let mut places = [0; COLUMNS.len()];
        for (place, name) in places.iter_mut().zip(COLUMNS) {
            *place = columns.iter().position(|c| c == name).ok_or_else(|| {
                format!("line 1: no column {name}; needed are {}", COLUMNS.join(", "))
            })?;
        }
        let optional = |name: &str| columns.iter().position(|c| c == name);
        let (win, path, now) = (optional("win"), optional("path"), optional("now_ns"));
        let mut acks = Vec::new();
        for record in reader.records() {
            let record = record.map_err(csv_error)?;
            let line = record.position().map_or(0, csv::Position::line);
            let decimal = |place: usize| {
                let cell = &record[place];
                let name = &columns[place];
                let wrong = || format!("line {line}: {name} is {cell:?}: must be an integer");
                cell.parse::<u64>().map_err(|_| wrong())
            };
            let hop_count = decimal(places[2])?.min(u32::MAX.into()) as u32;
            let path = path.map(decimal).transpose()?.map_or(0, |p| (p & 0xfff) as u16);
            let mut tel = Telemetry { hop_count, path, ..Telemetry::default() };
            for (hop, place) in tel.hops.iter_mut().zip(&places[3..]) {
                let (cell, name) = (&record[*place], &columns[*place]);
                let wrong = || format!("line {line}: {name} is {cell:?}: must be 64 bits in hex");
                *hop = u64::from_str_radix(cell, 16).map_err(|_| wrong())?;
            }
            let number = |place: usize| {
                let wrong =
                    || format!("line {line}: win is {:?}: must be a number", &record[place]);
                record[place].parse().ok().filter(|win: &f64| win.is_finite()).ok_or_else(wrong)
            };
            acks.push(Ack {
                psn: (decimal(places[0])? & PSN_MASK) as u32,
                snd_nxt: (decimal(places[1])? & PSN_MASK) as u32,
                tel,
                now_ns: now.map(decimal).transpose()?,
                win_bytes: win.map(number).transpose()?,
                cells: record.iter().map(String::from).collect(),
            });
        }
        if acks.is_empty() {
            return Err("line 2: the trace has no ACK".into());
        }
        Ok(Self { mode: Mode::Sender, columns, acks })
    }

    /// The same trace as packets that a receiver gets.
    ///
    /// # Errors
    /// One sentence, if it does not say when they came.
    pub fn received(self) -> Result<Self, String> {
        if self.acks.iter().any(|ack| ack.now_ns.is_none()) {
            return Err("line 1: no column now_ns; needed for --mode rx".into());
        }
        Ok(Self { mode: Mode::Receiver, ..self })
    }

    /// Writes the trace with `states` beside it. An input column whose name is needed is renamed
    /// to `in_<name>`.
    ///
    /// # Errors
    /// As the file system says.
    pub fn write(&self, path: &Path, states: &[State]) -> std::io::Result<()> {
        let ours = ["u", "w_bytes", "wc_bytes", "rate_bps", "inc_stage", "last_update_psn", "send"];
        let ours = &ours[..ours.len() - usize::from(self.mode == Mode::Sender)];
        let renamed = |c: &String| match ours.contains(&c.as_str()) {
            true => format!("in_{c}"),
            false => c.clone(),
        };
        let mut writer = csv::Writer::from_path(path)?;
        let names = self.columns.iter().map(renamed).chain(ours.iter().map(|c| c.to_string()));
        writer.write_record(names)?;
        for (ack, s) in self.acks.iter().zip(states) {
            let (inc_stage, last_update_psn) = (s.inc_stage as f64, s.last_update_psn as f64);
            let send = f64::from(u8::from(s.outcome.full));
            let values = [s.u, s.w_bytes, s.wc_bytes, s.rate_bps, inc_stage, last_update_psn, send];
            let values = &values[..ours.len()];
            writer.write_record(
                ack.cells.iter().cloned().chain(values.iter().map(|v| v.to_string())),
            )?;
        }
        writer.flush()
    }

    /// What the unit gets as PSN and next PSN. A receiver's unit gets the time of the packet and the time T
    /// later: PSN > lastUpdateSeq is then now > lastUpdateTime + T.
    fn numbers(&self, t_ns: u32, ack: &Ack) -> (u32, u32) {
        let now = ack.now_ns.unwrap_or(0);
        let time = |ns: u64| (ns & PSN_MASK) as u32;
        match self.mode {
            Mode::Sender => (ack.psn, ack.snd_nxt),
            Mode::Receiver => (time(now), time(now.wrapping_add(t_ns.into()))),
        }
    }

    fn step(&self, flow: &mut Flow, params: &Params, ack: &Ack) -> Outcome {
        match self.mode {
            Mode::Sender => flow.new_ack(params, ack.psn, ack.snd_nxt, &ack.tel),
            Mode::Receiver => flow.new_int(params, ack.now_ns.unwrap_or(0), &ack.tel),
        }
    }

    fn state(&self, flow: &Flow, params: &Params, outcome: Outcome) -> State {
        let due_ns = flow.last_update_ns + params.t_ns as u64;
        State {
            u: flow.u,
            w_bytes: flow.w,
            wc_bytes: flow.wc,
            rate_bps: flow.rate_bps(params),
            inc_stage: flow.inc_stage,
            last_update_psn: match self.mode {
                Mode::Sender => flow.last_update_psn,
                Mode::Receiver => (due_ns & PSN_MASK) as u32,
            },
            outcome,
        }
    }

    /// Runs the f64 reference; `done` is called after each ACK.
    pub fn run_reference(&self, config: &CcConfig, mut done: impl FnMut()) -> Vec<State> {
        let params = reference_params(config);
        let mut flow = Flow::new(&params);
        let step = |ack: &Ack| {
            let outcome = self.step(&mut flow, &params, ack);
            done();
            self.state(&flow, &params, outcome)
        };
        self.acks.iter().map(step).collect()
    }

    /// What makes flow `flow`, and its ACKs.
    pub fn events(&self, config: &CcConfig, flow: u16) -> (FlowCommand, Vec<AckTelemetry>) {
        let create = FlowCommand {
            valid: true,
            flow,
            op: OP_CREATE,
            telemetry: true,
            window_bytes: config.w_init_bytes,
            rate: 0,
        };
        let ack = |ack: &Ack| {
            let Telemetry { hop_count, path, hops } = ack.tel;
            let tel =
                streams::Telemetry { valid: true, hops: hop_count.min(6) as u8, path, hop: hops };
            let (psn, snd_nxt) = self.numbers(config.t_ns, ack);
            AckTelemetry { valid: true, flow, psn, snd_nxt, tel }
        };
        (create, self.acks.iter().map(ack).collect())
    }

    /// Runs a CC unit, one ACK after the other on flow `flow`; `done` is called after each.
    ///
    /// # Errors
    /// The first cycle in which a unit in lock-step differs.
    ///
    /// # Panics
    /// If the unit doesn't answer.
    pub fn run_unit(
        &self,
        unit: &mut dyn Stepper<In = CcUnitIn, Out = CcUnitOut>,
        config: &CcConfig,
        cfg: CcCfg,
        flow: u16,
        done: impl FnMut(),
    ) -> Result<Vec<State>, StepError> {
        Ok(states(config, &self.answers(unit, config, cfg, flow, done)?))
    }

    /// As [`Trace::run_unit`], with each answer as it is: first to the flow's command, then to the
    /// ACKs.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// As there.
    pub fn answers(
        &self,
        unit: &mut dyn Stepper<In = CcUnitIn, Out = CcUnitOut>,
        config: &CcConfig,
        cfg: CcCfg,
        flow: u16,
        mut done: impl FnMut(),
    ) -> Result<Vec<Answer>, StepError> {
        let idle = CcUnitIn { cfg: self.cfg(cfg), ..CcUnitIn::default() };
        let mut driver = Driver { out: unit.reset()?, taking: None, unit, idle };
        driver.idle.m_rate.ready = true;
        let (create, acks) = self.events(config, flow);
        driver.send(|i| i.s_flow = create, |out| out.s_flow.ready)?;
        let mut answers = vec![driver.answer()?];
        for ack in acks {
            driver.send(|i| i.s_ack = ack, |out| out.s_ack.ready)?;
            answers.push(driver.answer()?);
            done();
        }
        Ok(answers)
    }

    /// The parameters in this mode.
    pub fn cfg(&self, cfg: CcCfg) -> CcCfg {
        CcCfg { by_time: self.mode == Mode::Receiver, ..cfg }
    }
}

/// What a unit answers to an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// Window, rate, and what else there is.
    Result(Decision),
    /// An ACK whose telemetry is not used.
    Ignored(Ignored),
}

/// The states after the ACKs that `answers` tell of: the same as before if telemetry was ignored.
/// The first answer is that to the flow's command.
pub fn states(config: &CcConfig, answers: &[Answer]) -> Vec<State> {
    let mut state = State::default();
    let after = |answer: &Answer| {
        let rate = match answer {
            Answer::Result(rate) => rate,
            Answer::Ignored(reason) => {
                let outcome = Outcome { ignored: Some(*reason), ..Outcome::default() };
                return State { outcome, ..state };
            }
        };
        debug_assert!(rate.op == OP_UPDATE || rate.op == OP_CREATE);
        let one = U_ONE as f64 / f64::from(config.multi);
        debug_assert_eq!(U_FRACTION_BITS, 36);
        state = State {
            u: rate.u as f64 / one,
            w_bytes: rate.window_bytes.into(),
            wc_bytes: rate.wc_bytes as f64 / f64::from(1 << W_FRACTION_BITS),
            rate_bps: f64::from(rate.rate) / f64::from(1 << 24) * 8.0 * config.clock_hz as f64,
            inc_stage: rate.inc_stage.into(),
            last_update_psn: rate.last_update_psn,
            outcome: Outcome { full: rate.full, first: rate.first, ignored: None },
        };
        state
    };
    answers.iter().map(after).skip(1).collect()
}

/// A unit and its outputs after the last edge.
struct Driver<'a> {
    unit: &'a mut dyn Stepper<In = CcUnitIn, Out = CcUnitOut>,
    idle: CcUnitIn,
    out: CcUnitOut,
    /// Outputs in the cycle that took what was sent: a unit may answer in it.
    taking: Option<CcUnitOut>,
}

impl Driver<'_> {
    fn send(
        &mut self,
        offer: impl FnOnce(&mut CcUnitIn),
        is_ready: impl Fn(&CcUnitOut) -> bool,
    ) -> Result<(), StepError> {
        let mut inputs = self.idle;
        offer(&mut inputs);
        for _ in 0..CYCLES_MAX {
            let out = self.out;
            self.out = self.unit.step(&inputs)?;
            if is_ready(&out) {
                self.taking = Some(out);
                return Ok(());
            }
        }
        panic!("the unit takes nothing for {CYCLES_MAX} cycles");
    }

    /// The answer to what was sent.
    fn answer(&mut self) -> Result<Answer, StepError> {
        for _ in 0..CYCLES_MAX {
            let out = match self.taking.take() {
                Some(out) => out,
                None => std::mem::replace(&mut self.out, self.unit.step(&self.idle)?),
            };
            let (rate, events) = (out.m_rate, out.event_cc);
            let ignored = [
                (events.psn, Ignored::Psn),
                (events.time, Ignored::Time),
                (events.bytes, Ignored::Bytes),
                (events.queue, Ignored::Queue),
            ];
            if let Some((_, reason)) = ignored.iter().find(|(is_it, _)| *is_it) {
                return Ok(Answer::Ignored(*reason));
            }
            if rate.valid {
                return Ok(Answer::Result(rate));
            }
        }
        panic!("the unit doesn't answer for {CYCLES_MAX} cycles");
    }
}

fn csv_error(error: csv::Error) -> String {
    let line = error.position().map_or(0, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("line {line}: {len} cells where the header has {expected_len}")
        }
        _ => format!("line {line}: {error}"),
    }
}

/// How far apart two columns of bytes are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Rows compared.
    pub rows: usize,
    /// Rows above 0.1 % and 16 bytes.
    pub rows_above_bound: usize,
    /// Rows above 1 %.
    pub rows_above_percent: usize,
    /// Greatest relative error.
    pub relative_max: f64,
    /// Mean relative error.
    pub relative_mean: f64,
    /// Greatest difference in bytes.
    pub bytes_max: f64,
    /// Rows with another inc_stage.
    pub rows_other_stage: usize,
    /// Rows with another last_update_psn.
    pub rows_other_psn: usize,
    /// Rows whose telemetry is ignored by one alone, or for another reason.
    pub rows_other_ignored: usize,
}

impl Errors {
    fn add(&mut self, is: f64, should_be: f64) {
        let bytes = (is - should_be).abs();
        let relative = bytes / should_be.abs().max(1e-9);
        self.rows += 1;
        self.rows_above_bound += usize::from(relative > 0.001 && bytes > 16.0);
        self.rows_above_percent += usize::from(relative > 0.01);
        self.relative_max = self.relative_max.max(relative);
        self.relative_mean += (relative - self.relative_mean) / self.rows as f64;
        self.bytes_max = self.bytes_max.max(bytes);
    }

    fn add_state(&mut self, is: &State, should_be: &State) {
        self.add(is.w_bytes, should_be.w_bytes);
        self.rows_other_stage += usize::from(is.inc_stage != should_be.inc_stage);
        self.rows_other_psn += usize::from(is.last_update_psn != should_be.last_update_psn);
        self.rows_other_ignored += usize::from(is.outcome.ignored != should_be.outcome.ignored);
    }

    /// Share of rows within 1 %.
    pub fn share_within_percent(&self) -> f64 {
        1.0 - self.rows_above_percent as f64 / self.rows.max(1) as f64
    }
}

/// Each row of `states` against the reference stepped from the row before.
pub fn resynchronised(trace: &Trace, config: &CcConfig, states: &[State]) -> Errors {
    let params = reference_params(config);
    let mut flow = Flow::new(&params);
    let mut errors = Errors::default();
    for (ack, is) in trace.acks.iter().zip(states) {
        let outcome = trace.step(&mut flow, &params, ack);
        errors.add_state(is, &trace.state(&flow, &params, outcome));
        flow = Flow {
            u: is.u,
            w: is.w_bytes,
            wc: is.wc_bytes,
            inc_stage: is.inc_stage,
            last_update_psn: is.last_update_psn,
            ..flow
        };
    }
    errors
}

/// `states` against the reference run freely beside them.
pub fn free_running(states: &[State], reference: &[State]) -> Errors {
    let mut errors = Errors::default();
    states.iter().zip(reference).for_each(|(is, should_be)| errors.add_state(is, should_be));
    errors
}

/// `states` against the trace's own window; `None` if it has none.
pub fn against_trace(trace: &Trace, states: &[State]) -> Option<Errors> {
    let mut errors = Errors::default();
    for (ack, is) in trace.acks.iter().zip(states) {
        errors.add(is.w_bytes, ack.win_bytes?);
    }
    Some(errors)
}
