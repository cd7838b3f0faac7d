//! The congestion control core of a board: its registers are set, ACKs stream through it, and each
//! answer is compared with the golden model's.

use super::line::LineError;
use super::registers::{AccessError, Registers};
use crate::replay::cc_trace::Answer;
use nic_models::golden::cc::unit::OP_REMOVE;
use nic_models::golden::cc::CcCfg;
use nic_models::ports::Wide;
use nic_models::reference::hpcc::Ignored;
use nic_models::streams::{AckTelemetry, AxisEvent, FlowCommand};
use nic_spec::regs::{self, cc_offset, config_offset};
use nic_spec::serial::{ACK, ACK_BYTES_MAX, FLOW, FLOW_BYTES, RESULT_BYTES};
use nic_spec::NicConfig;

/// How often a trace begins anew after a fault of the line.
const RESTARTS_MAX: u32 = 5;

/// Why a board's run ends.
#[derive(Clone, Debug, PartialEq)]
pub enum BoardError {
    /// The registers, or the line.
    Access(AccessError),
    /// The line breaks too many bytes; the last fault, and the row that was reached.
    Restarts(LineError, usize),
    /// A register does not keep what was written.
    Register(u16),
    /// The answer to a row, from 0, differs; `None`: that to the flow's command.
    Differs(Option<usize>, Box<Answer>, Box<Answer>),
}

impl From<AccessError> for BoardError {
    fn from(error: AccessError) -> Self {
        Self::Access(error)
    }
}

impl From<LineError> for BoardError {
    fn from(error: LineError) -> Self {
        Self::Access(AccessError::Line(error))
    }
}

impl core::fmt::Display for BoardError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Access(error) => error.fmt(f),
            Self::Restarts(error, row) => write!(
                f,
                "the line breaks too many bytes: {error}, and {RESTARTS_MAX} restarts came no \
                 further than ACK {row}; take a shorter cable or another USB port"
            ),
            Self::Register(offset) => {
                write!(f, "the register at {offset:#05x} does not keep what is written to it")
            }
            Self::Differs(row, golden, board) => {
                match row {
                    Some(row) => write!(f, "ACK {row} (CSV line {}): ", row + 2)?,
                    None => f.write_str("the flow's creation: ")?,
                }
                write!(f, "the golden model says {golden:?}, the board {board:?}")
            }
        }
    }
}

impl core::error::Error for BoardError {}

/// Offset and value of each parameter's register. The count of active flows is off.
pub fn registers(cfg: &CcCfg) -> [(u16, u32); 16] {
    [
        (config_offset::cc_t_ns, cfg.t_ns),
        (config_offset::cc_inv_t, cfg.inv_t),
        (config_offset::cc_queue_gain, cfg.queue_gain),
        (config_offset::cc_target, cfg.target),
        (config_offset::cc_u_one, cfg.u_one),
        (config_offset::cc_max_stage, cfg.max_stage.into()),
        (config_offset::cc_w_ai, cfg.w_ai),
        (config_offset::cc_w_init, cfg.w_init),
        (config_offset::cc_w_min, cfg.w_min),
        (config_offset::cc_rate_gain, cfg.rate_gain),
        (config_offset::cc_rate_min, cfg.rate_min),
        (config_offset::cc_rate_max, cfg.rate_max),
        (config_offset::cc_util_gain, cfg.util_gain),
        (config_offset::cc_check, cfg.check),
        (config_offset::cc_active, 0),
        (cc_offset::cc_mode, cfg.by_time.into()),
    ]
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Faults of the line; the trace began anew after each.
    pub restarts: u32,
}

/// A board with the core of a configuration.
#[derive(Debug)]
pub struct Board {
    registers: Registers,
}

impl Board {
    /// Opens the port and looks who is there.
    ///
    /// # Errors
    /// What is wrong with port, line or board.
    pub fn open(path: &str, config: &NicConfig) -> Result<Self, BoardError> {
        let should_be = [
            ("ID", regs::ID, regs::CC_ID_VALUE),
            ("VERSION", regs::VERSION, regs::VERSION_VALUE),
            ("SIZES", regs::SIZES, config.flow_sizes_word()),
            ("CLOCK_HZ", regs::CLOCK_HZ, config.clock_hz as u32),
        ];
        Ok(Self { registers: Registers::open(path, &should_be)? })
    }

    /// Runs a flow's ACKs and compares each answer with `golden`, whose first is that to the
    /// flow's creation. `done` is told how many ACKs have been compared. After a fault of the line
    /// the flow is made anew, and all of it runs again.
    ///
    /// # Errors
    /// The first answer that differs, or what is wrong with the line.
    pub fn run(
        &mut self,
        cfg: &CcCfg,
        create: &FlowCommand,
        acks: &[AckTelemetry],
        golden: &[Answer],
        mut done: impl FnMut(usize),
    ) -> Result<Run, BoardError> {
        let mut run = Run::default();
        let mut furthest = 0;
        loop {
            let mut reach = |row: usize| {
                furthest = furthest.max(row);
                done(furthest);
            };
            let fault = match self.pass(cfg, create, acks, golden, &mut reach) {
                Err(BoardError::Access(AccessError::Line(fault))) => match fault {
                    LineError::Refused(_) | LineError::Broken => fault,
                    // Bytes that are lost may be all of a frame.
                    LineError::Silent if furthest > 0 => fault,
                    _ => return Err(fault.into()),
                },
                other => return other.map(|()| run),
            };
            if run.restarts == RESTARTS_MAX {
                return Err(BoardError::Restarts(fault, furthest));
            }
            run.restarts += 1;
            self.registers.line.call(regs::ID)?;
        }
    }

    fn pass(
        &mut self,
        cfg: &CcCfg,
        create: &FlowCommand,
        acks: &[AckTelemetry],
        golden: &[Answer],
        reach: &mut dyn FnMut(usize),
    ) -> Result<(), BoardError> {
        for (offset, value) in registers(cfg) {
            self.registers.write(offset, value)?;
            if self.registers.read(offset)? != value {
                return Err(BoardError::Register(offset));
            }
        }
        let line = &mut self.registers.line;
        // The flow may be there, from an earlier run.
        line.ask(FLOW, &flow_payload(&FlowCommand { op: OP_REMOVE, ..*create }))?;
        let created = line.ask(FLOW, &flow_payload(create))?;
        compare(None, &golden[0], &result(&created)?)?;
        let (mut next, mut row) = (acks.iter(), 0);
        while row < acks.len() {
            while !next.as_slice().is_empty() && line.has_room(ACK_BYTES_MAX) {
                let ack = next.next().expect("looked at above");
                line.send(ACK, &ack_payload(ack))?;
            }
            let answer = line.answer()?.payload;
            compare(Some(row), &golden[1 + row], &result(&answer)?)?;
            row += 1;
            reach(row);
        }
        Ok(())
    }
}

fn compare(row: Option<usize>, golden: &Answer, board: &Answer) -> Result<(), BoardError> {
    match golden == board {
        true => Ok(()),
        false => Err(BoardError::Differs(row, Box::new(*golden), Box::new(*board))),
    }
}

fn flow_payload(command: &FlowCommand) -> [u8; FLOW_BYTES] {
    let bytes = AxisEvent::of_flow(command).tdata.to_le_bytes();
    bytes[..FLOW_BYTES].try_into().expect("of 16 bytes")
}

/// The event up to its last record.
fn ack_payload(ack: &AckTelemetry) -> Vec<u8> {
    let Wide(words) = AxisEvent::of_ack(ack).tdata;
    let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let records = ack.tel.hop.iter().rposition(|hop| *hop != 0).map_or(0, |last| last + 1);
    bytes.truncate(FLOW_BYTES + 8 * records);
    bytes
}

/// The core's answer: a result, or the reason why there is none.
fn result(answer: &[u8]) -> Result<Answer, AccessError> {
    match answer {
        [reasons] => {
            let all = [Ignored::Psn, Ignored::Time, Ignored::Bytes, Ignored::Queue];
            let named = all.iter().enumerate().find(|(bit, _)| reasons >> bit & 1 == 1);
            named.map(|(_, reason)| Answer::Ignored(*reason)).ok_or(AccessError::Form("an ACK"))
        }
        _ if answer.len() == RESULT_BYTES => {
            let mut bytes = [0; 32];
            bytes[..RESULT_BYTES].copy_from_slice(answer);
            let word = |at: usize| {
                u64::from_le_bytes(bytes[8 * at..8 * at + 8].try_into().expect("8 bytes"))
            };
            let tdata = Wide(std::array::from_fn(word));
            Ok(Answer::Result(AxisEvent { tvalid: true, tdata }.decision()))
        }
        _ => Err(AccessError::Form("an event")),
    }
}
