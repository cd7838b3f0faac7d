//! How long single things take in the NIC: cycles of the golden model, which the Verilog equals in
//! every cycle. Host memory's own latency is left out.

use super::switch::DIRECT_DSCP;
use crate::engine::{EngineKind, Paces};
use crate::env::axi_mem::AxiMem;
use crate::env::station::{BusError, Manners, Station};
use nic_driver::rings::{Ring, Work};
use nic_driver::{Error, MrRow, Nic, Qp, QpConfig, Write};
use nic_harness::verilator::Source;
use nic_spec::cc_params::{CcConfig, CcParams};
use nic_spec::wire::telemetry::{Form, Hop};
use nic_spec::wire::{aeth, bth, bth::opcode, ethernet, ipv4, reth, roce::FrameRepr, telemetry};
use nic_spec::NicConfig;

const MAC: [u64; 2] = [0x0200_0000_0001, 0x0200_0000_0002];
const IP: [u32; 2] = [0x0a00_0001, 0x0a00_0002];
const QPN: u32 = 1;
const RKEY: u32 = 0x100;
const HOST: u64 = 0x1_0000_0000;
/// The ring of work requests.
const SQ: Ring = Ring { address: 0x10_0000, log2: 5 };
const TELEMETRY_DSCP: u8 = 0x13;
const ACK: u8 = 0x1f;
const NAK_SEQUENCE: u8 = 0x60;
/// Starts that are tried: work in the background takes turns with what is measured, the longest of
/// it every 32 cycles.
const PHASES: u64 = 32;
/// Cycles before each start, more than anything takes.
const QUIET_CYCLES: u64 = 400;
/// ACKs until the rate must have changed.
const DECISIONS_MAX: u32 = 16;
/// Cycles in which something must come.
const CYCLES_MAX: u64 = 10_000;
/// Latencies of host memory that tell how often it is waited for.
const MEMORY_CYCLES: [u64; 2] = [8, 24];

/// What is measured, from the last beat or access in to the first beat or change out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A WRITE of 64 bytes from the peer, and its ACK.
    Ack,
    /// A WRITE of 64 bytes whose work request is written to registers.
    Commit,
    /// One of a ring, from its doorbell on.
    Doorbell,
    /// A NAK, and the first packet that is sent again.
    Resend,
    /// An ACK with telemetry, and the rate that the scheduler gets for it.
    Decision,
}

/// All of them, with their names.
pub const MEASURES: [(&str, Measure); 5] = [
    ("WRITE ONLY of 64 bytes in, to its ACK out", Measure::Ack),
    ("work request of 64 bytes written to registers, to the WRITE out", Measure::Commit),
    ("doorbell of a ring, to the WRITE of 64 bytes out", Measure::Doorbell),
    ("NAK in, to the first packet sent again", Measure::Resend),
    ("ACK with telemetry in, to the new rate at the scheduler", Measure::Decision),
];

/// Least and most cycles that `measure` takes, over all starts.
///
/// # Errors
/// What the driver says, or that nothing comes out.
pub fn cycles(config: &NicConfig, measure: Measure) -> Result<[u64; 2], String> {
    let all = |memory_cycles| -> Result<[u64; 2], String> {
        let mut lab = Lab::new(config, measure, memory_cycles).map_err(|e| e.to_string())?;
        let mut range = [u64::MAX, 0];
        for phase in 0..PHASES {
            let took = lab.run(measure, phase).map_err(|e| format!("{measure:?}: {e}"))?;
            range = [range[0].min(took), range[1].max(took)];
        }
        Ok(range)
    };
    let [fast, slow] = [all(MEMORY_CYCLES[0])?, all(MEMORY_CYCLES[1])?];
    let accesses = (slow[0] - fast[0]) / (MEMORY_CYCLES[1] - MEMORY_CYCLES[0]);
    Ok(fast.map(|cycles| cycles - MEMORY_CYCLES[0] * accesses))
}

/// The WRITE that is posted.
fn write() -> Write {
    Write { local_address: HOST, length_bytes: 64, rkey: RKEY, ..Write::default() }
}

/// A NIC with a queue pair, and its peer.
struct Lab {
    nic: Nic<Station>,
    qp: Qp,
    paces: Paces,
    /// PSN of the next packet in each direction.
    sent: u32,
    received: u32,
}

type Bus = Error<BusError>;

impl Lab {
    fn new(config: &NicConfig, measure: Measure, memory_cycles: u64) -> Result<Self, Bus> {
        let (engine, paces) = EngineKind::Golden
            .nic_with_paces(config, &Source::new("nic", ""), 1)
            .map_err(|_| Error::Argument("a golden NIC needs nothing"))?;
        let data_bytes = config.data_bytes();
        let station = Station::new(engine, Manners::Prompt, 1).map_err(BusError::from);
        let mut nic = Nic::probe(station.map_err(Error::Bus)?)?;
        nic.bus().memory = AxiMem::new(data_bytes, 1).without_stalls(memory_cycles);
        nic.set_address(MAC[0], IP[0])?;
        nic.set_telemetry(2, TELEMETRY_DSCP, DIRECT_DSCP)?;
        nic.set_telemetry_every(1)?;
        let gbps = (8 * data_bytes) as f64 * config.clock_hz as f64 / 1e9;
        let cc = CcConfig::for_line(gbps * 1e9, 2, config.clock_hz);
        let cc = CcParams::derive(&cc).map_err(|_| Error::Argument("cc parameters"))?;
        nic.set_cc_params(&cc)?;
        nic.create_mr(&MrRow {
            valid: true,
            remote_write: true,
            rkey: RKEY,
            length_bytes: 1 << 24,
            host_address: HOST,
            ..MrRow::default()
        })?;
        let ring = if measure == Measure::Doorbell { SQ } else { Ring { address: 0, log2: 0 } };
        let qp = nic.create_qp(&QpConfig {
            telemetry: measure == Measure::Decision,
            remote_write: true,
            retry_limit: 7,
            mtu_code: 2,
            qpn: QPN,
            remote_qpn: QPN,
            remote_ip: IP[1],
            remote_mac: MAC[1],
            udp_source_port: 0xc000,
            window_bytes: 1 << 20,
            rate_uq8_24: (data_bytes as u32) << 24,
            sq_log2: ring.log2,
            sq_address: ring.address,
            ..QpConfig::default()
        })?;
        Ok(Self { nic, qp, paces, sent: 0, received: 0 })
    }

    /// Once, so many cycles behind the quiet ones.
    fn run(&mut self, measure: Measure, phase: u64) -> Result<u64, Bus> {
        self.wait(QUIET_CYCLES + phase)?;
        self.complete()?;
        self.wait(QUIET_CYCLES + phase)?;
        match measure {
            Measure::Ack => {
                self.deliver(opcode::WRITE_ONLY, self.received, None, None);
                self.received += 1;
                let first = self.first_beat()?;
                Ok(first - self.nic.bus().rx_end_cycle())
            }
            Measure::Commit | Measure::Doorbell => {
                if measure == Measure::Commit {
                    self.nic.post_write(&mut self.qp, &write())?;
                } else {
                    self.nic.submit(&mut self.qp, &[Work::Write(write())])?;
                }
                let from = self.nic.bus().write_cycle();
                let first = self.first_beat()?;
                self.acknowledge(ACK, None);
                Ok(first - from)
            }
            Measure::Resend => {
                self.send(phase)?;
                self.deliver(opcode::ACKNOWLEDGE, self.sent, Some(NAK_SEQUENCE), None);
                let first = self.first_beat()?;
                let end = self.nic.bus().rx_end_cycle();
                self.acknowledge(ACK, None);
                Ok(first - end)
            }
            // The first record is only stored, and some decisions change nothing.
            Measure::Decision => {
                for _ in 0..DECISIONS_MAX {
                    if let Some(took) = self.decision(phase)? {
                        return Ok(took);
                    }
                }
                Err(Error::Argument("the rate does not change"))
            }
        }
    }

    /// Cycles from an ACK to the new rate, if there is one.
    fn decision(&mut self, phase: u64) -> Result<Option<u64>, Bus> {
        self.send(phase)?;
        // Queues that are long for some ACKs, and short for some.
        let queue_units = if self.sent % 8 < 4 { 4000 } else { 0 };
        let (ts_ns, tx_units) = (1000 * self.sent, 80 * self.sent);
        let hop = Hop { rate_code: 2, ts_ns, tx_units, queue_units };
        let before = self.paces.of(QPN as usize);
        self.acknowledge(ACK, Some(telemetry::Repr::new(0, &[hop; 5])));
        for _ in 0..QUIET_CYCLES {
            self.wait(1)?;
            if self.paces.of(QPN as usize) != before {
                return Ok(Some(self.nic.bus().cycle() - self.nic.bus().rx_end_cycle()));
            }
        }
        self.complete()?;
        Ok(None)
    }

    /// A WRITE leaves, and a while passes.
    fn send(&mut self, phase: u64) -> Result<(), Bus> {
        self.nic.post_write(&mut self.qp, &write())?;
        self.first_beat()?;
        self.wait(QUIET_CYCLES + phase)
    }

    /// Takes the completions.
    fn complete(&mut self) -> Result<(), Bus> {
        while let Some(done) = self.nic.poll()? {
            self.qp.complete(&done);
        }
        Ok(())
    }

    fn wait(&mut self, cycles: u64) -> Result<(), Bus> {
        self.nic.bus().run(cycles).map_err(|e| Error::Bus(e.into()))
    }

    fn tick_until(&mut self, start: u64) -> Result<(), Bus> {
        self.nic.bus().tick().map_err(|e| Error::Bus(e.into()))?;
        match self.nic.bus().cycle() < start + CYCLES_MAX {
            true => Ok(()),
            false => Err(Error::Argument("nothing comes out")),
        }
    }

    /// Runs until a frame has left; the cycle of its first beat.
    fn first_beat(&mut self) -> Result<u64, Bus> {
        let start = self.nic.bus().cycle();
        loop {
            if let Some((last, frame)) = self.nic.bus().sent.pop_front() {
                return Ok(last + 1 - self.nic.bus().beats(frame.bytes.len()));
            }
            self.tick_until(start)?;
        }
    }

    /// The peer acknowledges the packet that was sent.
    fn acknowledge(&mut self, syndrome: u8, telemetry: Option<telemetry::Repr>) {
        self.deliver(opcode::ACKNOWLEDGE, self.sent, Some(syndrome), telemetry);
        self.sent += 1;
    }

    /// A frame of the peer: a WRITE of 64 bytes, or an answer.
    fn deliver(
        &mut self,
        opcode: u8,
        psn: u32,
        syndrome: Option<u8>,
        telemetry: Option<telemetry::Repr>,
    ) {
        let dscp = if telemetry.is_some() { TELEMETRY_DSCP } else { 0 };
        let repr = FrameRepr {
            ethernet: ethernet::Repr { dst: MAC[0], src: MAC[1], ..Default::default() },
            ip: ipv4::Repr { src: IP[1], dst: IP[0], ttl: 64, dscp, ..Default::default() },
            telemetry: telemetry.map(|repr| (Form::Authors, repr)),
            bth: bth::Repr {
                opcode,
                pkey: 0xffff,
                qpn: QPN,
                psn,
                ack_req: syndrome.is_none(),
                ..Default::default()
            },
            reth: syndrome.is_none().then_some(reth::Repr { va: 0, rkey: RKEY, dma_len: 64 }),
            aeth: syndrome.map(|syndrome| aeth::Repr { syndrome, msn: 0 }),
            payload: if syndrome.is_none() { &[7; 64] } else { &[] },
            ..Default::default()
        };
        let mut frame = vec![0; repr.buffer_len()];
        repr.emit(&mut frame);
        self.nic.bus().deliver(frame, false);
    }
}
