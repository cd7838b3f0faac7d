//! Benches: DMA engines on an AXI4 memory. Beside the lock-step compare each stimulus keeps a
//! scoreboard: bytes land before the report, none beside a command's range, in order, with errors.

use super::random::{sub, Lengths};
use crate::env::axi_mem::AxiMem;
use crate::env::stream::{Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::host::axi::{ReadMaster, ReadSlave};
use nic_models::golden::host::dma::read::{DmaRead, DmaReadIn, DmaReadOut};
use nic_models::golden::host::dma::write::{DmaWrite, DmaWriteIn, DmaWriteOut};
use nic_models::ports::Data;
use nic_models::streams::{AxisEvent, ReadCommand, ReadyPort, TreadyPort, WriteCommand};
use nic_spec::config::NicConfig;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Cycles between resets in the middle of a run, on average.
const RESET_CYCLES: u32 = 20_000;
/// Cycles between changes of the limit of reads, on average.
const LIMIT_CYCLES: u32 = 4_000;
/// Where memory lies: with carries into every part of the address.
const BASES: [u64; 4] = [0x1_0000, 0xffff_8000, 0x00ff_ffff_ffff_8000, 0xfffe_ffff_ffff_8000];
const REGION_BYTES: u64 = 0x1_0000;
/// Longest latency of a memory behind PCI Express.
const FAR_CYCLES: u64 = 600;
/// Bursts that a bridge may allow.
const READS_MAX: [u8; 8] = [0, 1, 2, 8, 32, 128, 128, 255];

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let [c, d, e, f] = std::array::from_fn(|_| config.clone());
    vec![
        Bench::new(
            "dma_write",
            config,
            move || DmaWrite::<u128>::new(&c),
            move |seed| Writes::new(&d, seed),
        ),
        Bench::new("dma_read", config, move || DmaRead::new(&e), move |seed| Reads::new(&f, seed)),
    ]
}

fn length(rng: &mut ChaCha8Rng, lengths: &mut Lengths) -> u16 {
    let is_swept = rng.gen_range(0..8) > if lengths.is_through() { 5 } else { 2 };
    match rng.gen_range(0..12) {
        _ if is_swept => lengths.take() as u16,
        0 => 0,
        1 => 4096,
        2 | 3 => rng.gen_range(1..=4096),
        4 | 5 => 8 * rng.gen_range(1..=64),
        6..=9 => rng.gen_range(1..=16),
        _ => rng.gen_range(1..=300),
    }
}

/// Commands that may be on their way: more than the engine takes.
fn commands_max(commands: usize) -> usize {
    2 * commands + 24
}

/// A memory as near, or as far away, as one that the engine is made for.
fn memory(config: &NicConfig, seed: u64, rng: &mut ChaCha8Rng) -> AxiMem {
    let mut memory = AxiMem::new(config.data_bytes(), seed);
    if config.has_dma_landing() && rng.gen() {
        memory.answer_after(FAR_CYCLES);
    }
    memory
}

/// A write and what must come of it.
struct Expected {
    command: WriteCommand,
    bytes: Vec<u8>,
    /// First byte of the gap before it, which nobody writes.
    gap_start: u64,
    error: bool,
}

/// Commands to fresh addresses, their payload, and a scoreboard.
struct Writes {
    rng: ChaCha8Rng,
    memory: AxiMem,
    commands: Source<WriteCommand>,
    pending: Option<WriteCommand>,
    payload: Source<Data>,
    done: Sink,
    beats: VecDeque<Data>,
    expected: VecDeque<Expected>,
    next_addr: u64,
    lengths: Lengths,
    commands_max: usize,
}

impl Writes {
    fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = sub(seed, 0);
        let next_addr = BASES[rng.gen_range(0..BASES.len())];
        Self {
            memory: memory(config, seed, &mut rng),
            commands: Source::new(sub(seed, 1)),
            pending: None,
            payload: Source::new(sub(seed, 2)),
            done: Sink::new(sub(seed, 3)),
            beats: VecDeque::new(),
            expected: VecDeque::new(),
            next_addr,
            lengths: Lengths::new(seed),
            commands_max: commands_max(config.write_commands()),
            rng,
        }
    }

    fn restart(&mut self) {
        self.memory.reset();
        self.memory.clear_failures();
        self.memory.clear_written();
        self.commands.reset();
        self.pending = None;
        self.payload.reset();
        self.beats.clear();
        self.expected.clear();
        self.next_addr = BASES[self.rng.gen_range(0..BASES.len())];
    }

    fn command(&mut self) -> WriteCommand {
        let beat_bytes = self.memory.beat_bytes();
        // What fails is a beat away from what must not.
        let apart = 2 * beat_bytes as u64;
        let rng = &mut self.rng;
        let error = rng.gen_ratio(1, 16);
        let gap_start = self.next_addr;
        let gap = match rng.gen_range(0..4) {
            _ if error => apart,
            0 => 0,
            1 => rng.gen_range(0..16),
            2 => rng.gen_range(0..600),
            // Near the end of a page.
            _ => (gap_start.wrapping_neg() % 4096).saturating_sub(rng.gen_range(0..20)),
        };
        let addr = gap_start + gap;
        let bytes = length(rng, &mut self.lengths);
        let command = WriteCommand { valid: true, addr, bytes, tag: rng.gen() };
        let data: Vec<u8> = (0..bytes).map(|_| rng.gen()).collect();
        for beat in data.chunks(beat_bytes) {
            // What lies above the last byte means nothing.
            let mut bytes = [0; 64];
            rng.fill_bytes(&mut bytes[..beat_bytes]);
            bytes[..beat.len()].copy_from_slice(beat);
            self.beats.push_back(Data::of(&bytes));
        }
        self.next_addr = addr + u64::from(bytes);
        let error = error && bytes > 0;
        if error {
            self.memory.fail_in(addr + u64::from(bytes / 2)..addr + u64::from(bytes / 2) + 1);
            self.next_addr += apart;
        }
        // Jump now and then.
        if self.expected.is_empty() && self.next_addr % REGION_BYTES > REGION_BYTES - 0x4000 {
            self.next_addr = BASES[self.rng.gen_range(0..BASES.len())];
            self.memory.clear_written();
        }
        self.expected.push_back(Expected { command, bytes: data, gap_start, error });
        command
    }

    fn check(&mut self, tag: u128, error: bool) {
        let Expected { command, bytes, gap_start, error: expected_error } =
            self.expected.pop_front().expect("a command is on its way");
        assert_eq!((tag, error), (command.tag, expected_error), "report of {command:x?}");
        if !error {
            assert_eq!(self.memory.load(command.addr, bytes.len()), bytes, "{command:x?}");
        }
        let mut gap = gap_start..command.addr;
        assert!(gap.all(|at| !self.memory.was_written(at)), "bytes before {:#x}", command.addr);
    }
}

impl Stimulus<DmaWrite<u128>> for Writes {
    fn next(&mut self, _cycle: u64, out: &DmaWriteOut) -> DmaWriteIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        let junk =
            WriteCommand { valid: false, addr: self.rng.gen(), bytes: 77, tag: self.rng.gen() };
        let room = self.expected.len() < self.commands_max;
        if self.pending.is_none() && room {
            self.pending = Some(self.command());
        }
        let pending = &mut self.pending;
        let offer = self.commands.drive(out.s_cmd.ready, || pending.take());
        let beats = &mut self.beats;
        let beat = self.payload.drive(out.s_axis.tready, || beats.pop_front());
        let m_axi = self.memory.drive_write(&out.m_axi);
        assert!(self.memory.violations().is_empty(), "{:?}", self.memory.violations());
        let m_done_ready = self.done.drive();
        if out.m_done.valid && m_done_ready {
            self.check(out.m_done.tag, out.m_done.error);
        }
        let command = offer.unwrap_or(junk);
        let pins = DmaWriteIn {
            reset,
            s_cmd: command,
            s_axis: AxisEvent { tdata: beat.unwrap_or(junk.addr.into()), tvalid: beat.is_some() },
            m_axi,
            m_done: ReadyPort { ready: m_done_ready },
        };
        if reset {
            self.restart();
        }
        pins
    }
}

/// Commands into a region of random bytes, with some ranges that fail.
struct Reads {
    rng: ChaCha8Rng,
    memory: AxiMem,
    commands: Source<(u64, u16)>,
    stream: Sink,
    base: u64,
    failing: Vec<u64>,
    expected: VecDeque<(u64, u16)>,
    partial: Vec<u8>,
    lengths: Lengths,
    commands_max: usize,
    /// Memory may never wait.
    is_prompt: bool,
    reads_max: u8,
    /// The largest limit since nothing was on its way.
    limit: u8,
    /// Bursts that memory has taken and not ended.
    reads: usize,
}

impl Reads {
    fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = sub(seed, 0);
        let mut reads = Self {
            memory: memory(config, seed, &mut rng),
            rng,
            commands: Source::new(sub(seed, 1)),
            stream: Sink::new(sub(seed, 2)),
            base: 0,
            failing: Vec::new(),
            expected: VecDeque::new(),
            partial: Vec::new(),
            lengths: Lengths::new(seed),
            commands_max: commands_max(config.read_commands()),
            is_prompt: config.has_dma_landing(),
            reads_max: 0,
            limit: 0,
            reads: 0,
        };
        reads.restart();
        reads
    }

    fn restart(&mut self) {
        self.memory.reset();
        self.memory.clear_failures();
        self.commands.reset();
        self.expected.clear();
        self.partial.clear();
        self.base = BASES[self.rng.gen_range(0..BASES.len())];
        let bytes: Vec<u8> = (0..REGION_BYTES).map(|_| self.rng.gen()).collect();
        self.memory.store(self.base, &bytes);
        self.failing = (0..8).map(|_| self.base + self.rng.gen_range(0..REGION_BYTES)).collect();
        self.failing.iter().for_each(|&at| self.memory.fail_in(at..at + 1));
        (self.reads, self.limit) = (0, 0);
        self.reads_max = READS_MAX[self.rng.gen_range(0..READS_MAX.len())];
    }

    /// Counts what is on its way, and holds it against the limit.
    fn count(&mut self, master: &ReadMaster, slave: &ReadSlave) {
        assert!(!self.is_prompt || master.rready, "memory waits");
        if self.reads == 0 && !master.arvalid {
            self.limit = 1;
        }
        self.limit = self.limit.max(self.reads_max);
        self.reads += usize::from(master.arvalid && slave.arready);
        assert!(self.reads <= self.limit.into(), "{} bursts, not {}", self.reads, self.limit);
        self.reads -= usize::from(slave.rvalid && slave.rlast && master.rready);
        if self.rng.gen_ratio(1, LIMIT_CYCLES) {
            self.reads_max = READS_MAX[self.rng.gen_range(0..READS_MAX.len())];
        }
    }

    fn fails(&self, addr: u64, bytes: u16) -> bool {
        // The last beat is read whole.
        let end = (addr + u64::from(bytes)).next_multiple_of(self.memory.beat_bytes() as u64);
        bytes > 0 && self.failing.iter().any(|at| (addr..end).contains(at))
    }

    fn check_frame(&mut self, error: bool) {
        let (addr, bytes) = loop {
            let command = self.expected.pop_front().expect("a command is on its way");
            if command.1 > 0 {
                break command;
            }
        };
        assert_eq!(error, self.fails(addr, bytes), "error of {addr:#x} {bytes}");
        assert_eq!(self.partial.len(), usize::from(bytes), "length of {addr:#x} {bytes}");
        if !error {
            assert_eq!(self.partial, self.memory.load(addr, self.partial.len()), "{addr:#x}");
        }
        self.partial.clear();
    }
}

impl Stimulus<DmaRead> for Reads {
    fn next(&mut self, _cycle: u64, out: &DmaReadOut) -> DmaReadIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        let near_page = self.rng.gen_ratio(1, 4);
        let mut at = self.rng.gen_range(0..REGION_BYTES - 4096);
        if near_page {
            at = (at | 0xfff) - self.rng.gen_range(0..20).min(at);
        }
        let addr = self.base + at;
        let (expected, is_new) = (&mut self.expected, self.commands.is_idle());
        let room = expected.len() < self.commands_max;
        let (rng, lengths) = (&mut self.rng, &mut self.lengths);
        let mut command = || (is_new && room).then(|| (addr, length(rng, lengths)));
        let offer = self.commands.drive(out.s_cmd.ready, &mut command);
        if let Some(command) = offer.filter(|_| out.s_cmd.ready) {
            expected.push_back(command);
        }
        let m_axi = self.memory.drive_read(&out.m_axi);
        let cfg_reads_max = self.reads_max;
        self.count(&out.m_axi, &m_axi);
        assert!(self.memory.violations().is_empty(), "{:?}", self.memory.violations());
        let m_axis_tready = self.stream.drive();
        if out.m_axis.tvalid && m_axis_tready {
            let byte_count = out.m_axis.tkeep.count_ones() as usize;
            self.partial.extend(&out.m_axis.tdata.bytes()[..byte_count]);
            if out.m_axis.tlast {
                self.check_frame(out.m_axis.tuser);
            }
        }
        let (s_cmd_addr, s_cmd_bytes) = offer.unwrap_or((!addr, addr as u16 & 0xfff));
        let pins = DmaReadIn {
            reset,
            cfg_reads_max,
            s_cmd: ReadCommand { valid: offer.is_some(), addr: s_cmd_addr, bytes: s_cmd_bytes },
            m_axi,
            m_axis: TreadyPort { tready: m_axis_tready },
        };
        if reset {
            self.restart();
        }
        pins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::random::sees_each_length;

    #[test]
    fn benches_of_dma_see_each_length() {
        let gbe = NicConfig::preset("gbe").expect("the preset exists");
        let (write, read) = (|| DmaWrite::<u128>::new(&gbe), || DmaRead::new(&gbe));
        sees_each_length(write, |seed| Writes::new(&gbe, seed), |s| &s.lengths, 0);
        sees_each_length(read, |seed| Reads::new(&gbe, seed), |s| &s.lengths, 0);
    }
}
