//! The simulated board with a host at its serial line, all in one thread.

use board_common::simulated::Simulated;
use ecpix5::simulated::{self, Faults, Harm, Sent, SimulatedBoard};
use nic_driver::rings::HostMemory;
use nic_driver::{Bus, MrRow, Nic};
use nic_sim::board::{Decoder, Frame};
use nic_sim::replay::conversation::Pair;
use nic_sim::replay::responder::qp_config;
use nic_spec::serial::{self, ANSWER, READ, READ_ANSWER_BYTES, WRITE};
use nic_spec::wire::bth::{self, opcode};
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::{ethernet, ipv4, reth};

/// Cycles in which an answer to a frame of the host must be there.
const ANSWER_CYCLES_MAX: u64 = 100_000;
/// Cycles of silence after which the NIC has said all.
const QUIET_CYCLES: u64 = 2000;

/// The board and its host.
#[derive(Debug)]
pub struct Bench {
    pub board: SimulatedBoard,
    decoder: Decoder,
    number: u8,
}

impl Bench {
    pub fn new(seed: u64) -> Self {
        Self::of(&source(), seed, &[])
    }

    /// Of this Verilog, with inputs that the board has not, and their values.
    pub fn of(source: &nic_harness::verilator::Source, seed: u64, extra: &[(&str, u64)]) -> Self {
        println!("seed {seed}");
        let board = SimulatedBoard::with_extra(source, seed, Faults::default(), None, extra);
        let board = board.unwrap_or_else(|e| panic!("{e}"));
        let mut bench = Self { board, decoder: Decoder::default(), number: 0 };
        // Past the reset: a byte that it cuts would be refused, and pins begin at random.
        bench.run(100);
        bench.board.phy.sent.clear();
        bench
    }

    pub fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.board.cycle().expect("the model runs"));
    }

    /// One cycle; the frame from the board that ends in it.
    pub fn frame(&mut self) -> Option<Frame> {
        self.run(1);
        let found = self.decoder.push(self.board.line.receive()?)?;
        Some(found.expect("the board sends whole frames"))
    }

    /// The next frame from the board; none within [`ANSWER_CYCLES_MAX`].
    pub fn answer(&mut self) -> Option<Frame> {
        (0..ANSWER_CYCLES_MAX).find_map(|_| self.frame())
    }

    /// Payload of the answer to a frame.
    pub fn ask(&mut self, kind: u8, payload: &[u8]) -> Option<Vec<u8>> {
        self.number = self.number.wrapping_add(1);
        let frame = Frame { kind, number: self.number, payload: payload.to_vec() };
        self.board.line.send(&frame.encode());
        let answer = self.answer()?;
        assert_eq!((answer.kind, answer.number), (kind | ANSWER, self.number));
        Some(answer.payload)
    }

    /// Frames from the board until it is silent.
    pub fn sent(&mut self) -> Vec<Sent> {
        let mut all: Vec<Sent> = Vec::new();
        let mut quiet = 0;
        while quiet < QUIET_CYCLES {
            self.run(1);
            quiet = if self.board.is_idle() { quiet + 1 } else { 0 };
            all.extend(self.board.phy.sent.drain(..));
        }
        assert!(all.iter().all(|sent| sent.is_good), "preamble, FCS, length");
        assert!(all.iter().all(|sent| sent.gap_bytes >= simulated::GAP_BYTES), "gaps");
        all
    }

    /// What the board answers to a frame at its pins.
    pub fn feed(&mut self, frame: &[u8], harm: Harm) -> Vec<Vec<u8>> {
        self.board.phy.deliver(frame, harm);
        self.sent().into_iter().map(|sent| sent.bytes).collect()
    }
}

/// The Verilog of the board.
pub fn source() -> nic_harness::verilator::Source {
    simulated::source().unwrap_or_else(|e| panic!("{e}"))
}

impl Bus for Bench {
    type Error = String;

    fn read32(&mut self, address_bytes: u32) -> Result<u32, String> {
        let answer = self.ask(READ, &(address_bytes as u16).to_le_bytes());
        let answer = answer.ok_or("no answer")?;
        match answer[..] {
            [a, b, c, d, 0] if answer.len() == READ_ANSWER_BYTES => {
                Ok(u32::from_le_bytes([a, b, c, d]))
            }
            _ => Err(format!("{address_bytes:#x}: {answer:x?}")),
        }
    }

    fn write32(&mut self, address_bytes: u32, value: u32) -> Result<(), String> {
        let offset = (address_bytes as u16).to_le_bytes();
        let answer = self.ask(WRITE, &[&offset[..], &value.to_le_bytes()].concat());
        match answer.ok_or("no answer")?[..] {
            [0] => Ok(()),
            ref answer => Err(format!("{address_bytes:#x}: {answer:x?}")),
        }
    }
}

impl HostMemory for Bench {
    fn load(&mut self, address: u64, words: &mut [u32]) -> Result<(), String> {
        for (at, word) in (u32::from(serial::HOST_MEMORY) + address as u32..).step_by(4).zip(words)
        {
            *word = self.read32(at)?;
        }
        Ok(())
    }

    fn store(&mut self, address: u64, words: &[u32]) -> Result<(), String> {
        for (at, word) in (u32::from(serial::HOST_MEMORY) + address as u32..).step_by(4).zip(words)
        {
            self.write32(at, *word)?;
        }
        Ok(())
    }
}

/// Addresses of the NIC and of its peer.
pub const HERE: (u64, u32) = (0x0200_0000_0001, 0x0a00_0001);
pub const THERE: (u64, u32) = (0x0200_0000_0002, 0x0a00_0002);
/// What the peer may write and read.
pub const VA: u64 = 0x7f00_0000_0000;
pub const RKEY: u32 = 0x35a;
/// Both queue pairs.
pub const QPN: u32 = 0x100;

/// Opens a NIC for the peer: addresses, a region of `bytes` at 0 of host memory, a queue pair.
pub fn open<B: Bus>(bus: B, bytes: u64) -> Nic<B> {
    let mut nic = Nic::probe(bus).expect("a NIC");
    nic.set_address(HERE.0, HERE.1).expect("registers");
    let region =
        MrRow { remote_write: true, remote_read: true, rkey: RKEY, va: VA, ..MrRow::default() };
    nic.create_mr(&MrRow { length_bytes: bytes, ..region }).expect("a region");
    let remote = nic_sim::replay::conversation::Address { mac: THERE.0, ip: THERE.1 };
    let pair = Pair {
        qpn: QPN,
        remote_qpn: QPN,
        remote,
        udp_source_port: 0xc000,
        first_psn: 0,
        last_psn: 0,
        mtu_bytes: 1024,
        remote_read: true,
    };
    nic.create_qp(&qp_config(&pair)).expect("a queue pair");
    nic
}

/// A request of the peer: at `offset` in its region.
pub fn request(code: u8, psn: u32, offset: u64, length: u32, payload: &[u8]) -> Vec<u8> {
    let repr = FrameRepr {
        ethernet: ethernet::Repr { dst: HERE.0, src: THERE.0, ..Default::default() },
        ip: ipv4::Repr { src: THERE.1, dst: HERE.1, ttl: 64, ..Default::default() },
        udp_src_port: 0xc000,
        bth: bth::Repr {
            opcode: code,
            pkey: 0xffff,
            qpn: QPN,
            ack_req: true,
            psn,
            ..Default::default()
        },
        reth: Some(reth::Repr { va: VA + offset, rkey: RKEY, dma_len: length }),
        payload,
        ..Default::default()
    };
    let mut frame = vec![0; repr.buffer_len()];
    repr.emit(&mut frame);
    frame
}

/// A WRITE of one packet.
pub fn write(psn: u32, offset: u64, payload: &[u8]) -> Vec<u8> {
    request(opcode::WRITE_ONLY, psn, offset, payload.len() as u32, payload)
}

/// A READ.
pub fn read(psn: u32, offset: u64, length: u32) -> Vec<u8> {
    request(opcode::READ_REQUEST, psn, offset, length, &[])
}
