//! AXI4 slave memory of 64 bits and more: sparse pages, seeded stalls and latency, error ranges, a
//! record of every written byte, and a check of the master's manners.
//!
//! Outputs are registers like any block's. Call [`AxiMem::drive_write`] and
//! [`AxiMem::drive_read`] once a cycle with the master's pins of that cycle; each returns the
//! slave's pins of the same cycle and then takes the clock edge.

use super::stream::Stall;
use nic_models::golden::host::axi::{ReadMaster, ReadSlave, WriteMaster, WriteSlave};
use nic_models::ports::Data;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Bytes of a page; no burst may cross its end.
pub const PAGE_BYTES: u64 = 4096;
/// `resp`: done.
pub const RESP_OKAY: u8 = 0;
/// `resp`: the slave failed.
pub const RESP_SLVERR: u8 = 2;
/// What goes with each address behind the size of a beat: INCR (burst 1), id 0, no lock, normal
/// memory that is not cacheable and bufferable (cache 3), data that is secure and not privileged
/// (prot 0), qos 0.
const SIDEBANDS: [u8; 6] = [1, 0, 0, 0b0011, 0b000, 0];
/// Bursts that a channel queues before its address ready goes low for good.
const QUEUE_BURSTS: usize = 256;
/// Beats that the W channel queues before their address has come.
const EARLY_BEATS: usize = 32;
/// Longest latency from the last transfer of a request to its answer, in cycles.
const LATENCY_CYCLES_MAX: u64 = 60;

#[derive(Clone)]
struct Page {
    bytes: Box<[u8; PAGE_BYTES as usize]>,
    /// Bit i: the master has written byte i.
    written: [u64; PAGE_BYTES as usize / 64],
}

impl Default for Page {
    fn default() -> Self {
        Self { bytes: Box::new([0; PAGE_BYTES as usize]), written: [0; PAGE_BYTES as usize / 64] }
    }
}

#[derive(Clone, Copy, Debug)]
struct Burst {
    addr: u64,
    beat_count: u64,
    beats_done: u64,
    /// Reads: cycle from which data may appear.
    due_cycle: u64,
    error: bool,
}

/// The memory and its AXI4 slave.
#[derive(Clone)]
pub struct AxiMem {
    /// Bytes of a beat.
    beat_bytes: u64,
    pages: BTreeMap<u64, Page>,
    error_ranges: Vec<Range<u64>>,
    violations: Vec<String>,
    latency_cycles_max: u64,
    write: WriteSide,
    read: ReadSide,
}

#[derive(Clone)]
struct WriteSide {
    rng: ChaCha8Rng,
    stalls: Option<[Stall; 3]>,
    cycle: u64,
    pins: WriteSlave,
    bursts: VecDeque<Burst>,
    /// Beats whose address has not come yet: data, strobe, last.
    early: VecDeque<(Data, u64, bool)>,
    /// Due cycle and response.
    answers: VecDeque<(u64, u8)>,
    waiting_aw: Option<(u64, u8)>,
    waiting_w: Option<(Data, u64, bool)>,
}

#[derive(Clone)]
struct ReadSide {
    rng: ChaCha8Rng,
    stalls: Option<[Stall; 2]>,
    cycle: u64,
    pins: ReadSlave,
    bursts: VecDeque<Burst>,
    waiting_ar: Option<(u64, u8)>,
}

/// Number of the page with the byte at `addr`, and where in it that stands.
fn place(addr: u64) -> (u64, usize) {
    (addr / PAGE_BYTES, (addr % PAGE_BYTES) as usize)
}

impl AxiMem {
    /// A memory full of zeros with beats of `beat_bytes`, whose stalls and latencies are a function
    /// of `seed`.
    pub fn new(beat_bytes: usize, seed: u64) -> Self {
        assert!([8, 16, 32, 64].contains(&beat_bytes), "beats of 8 to 64 bytes");
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xa814_3e3b);
        let mut sub = || ChaCha8Rng::from_rng(&mut rng).expect("ChaCha cannot fail");
        let write = WriteSide {
            stalls: Some(std::array::from_fn(|_| Stall::new(sub()))),
            rng: sub(),
            cycle: 0,
            pins: WriteSlave::default(),
            bursts: VecDeque::new(),
            early: VecDeque::new(),
            answers: VecDeque::new(),
            waiting_aw: None,
            waiting_w: None,
        };
        let read = ReadSide {
            stalls: Some(std::array::from_fn(|_| Stall::new(sub()))),
            rng: sub(),
            cycle: 0,
            pins: ReadSlave::default(),
            bursts: VecDeque::new(),
            waiting_ar: None,
        };
        Self {
            beat_bytes: beat_bytes as u64,
            pages: BTreeMap::new(),
            error_ranges: Vec::new(),
            violations: Vec::new(),
            latency_cycles_max: LATENCY_CYCLES_MAX,
            write,
            read,
        }
    }

    /// Bytes of a beat.
    pub fn beat_bytes(&self) -> usize {
        self.beat_bytes as usize
    }

    /// Never stalls, and answers `latency_cycles` after the request.
    pub fn without_stalls(mut self, latency_cycles: u64) -> Self {
        self.write.stalls = None;
        self.read.stalls = None;
        self.latency_cycles_max = latency_cycles;
        self
    }

    /// Answers so many cycles after a request from now on.
    pub fn answer_after(&mut self, cycles: u64) {
        self.latency_cycles_max = cycles;
    }

    /// Bursts that touch `range` get SLVERR; they write nothing and read noise.
    pub fn fail_in(&mut self, range: Range<u64>) {
        self.error_ranges.push(range);
    }

    /// No range fails from now on.
    pub fn clear_failures(&mut self) {
        self.error_ranges.clear();
    }

    /// Host side: `byte_count` bytes from `addr`.
    pub fn load(&self, addr: u64, byte_count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(byte_count);
        while bytes.len() < byte_count {
            let (number, at) = place(addr.wrapping_add(bytes.len() as u64));
            let count = (byte_count - bytes.len()).min(PAGE_BYTES as usize - at);
            match self.pages.get(&number) {
                Some(page) => bytes.extend_from_slice(&page.bytes[at..at + count]),
                None => bytes.resize(bytes.len() + count, 0),
            }
        }
        bytes
    }

    /// Host side: stores `bytes` at `addr`; not recorded as written.
    pub fn store(&mut self, mut addr: u64, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (number, at) = place(addr);
            let (here, rest) = bytes.split_at(bytes.len().min(PAGE_BYTES as usize - at));
            let page = self.pages.entry(number).or_default();
            page.bytes[at..at + here.len()].copy_from_slice(here);
            (addr, bytes) = (addr.wrapping_add(here.len() as u64), rest);
        }
    }

    /// Host side: 32-bit little-endian words from `addr`.
    pub fn load_words(&self, addr: u64, words: &mut [u32]) {
        let bytes = self.load(addr, 4 * words.len());
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        }
    }

    /// Host side: stores 32-bit little-endian words at `addr`.
    pub fn store_words(&mut self, addr: u64, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.store(addr, &bytes);
    }

    /// Every byte range that the master has written, merged, in order of address.
    pub fn written_ranges(&self) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for (number, page) in &self.pages {
            for i in 0..PAGE_BYTES {
                if page.written[(i / 64) as usize] >> (i % 64) & 1 == 0 {
                    continue;
                }
                let at = number * PAGE_BYTES + i;
                match ranges.last_mut() {
                    Some(last) if last.end == at => last.end = at + 1,
                    _ => ranges.push(at..at + 1),
                }
            }
        }
        ranges
    }

    /// Whether the master has written the byte at `addr`.
    pub fn was_written(&self, addr: u64) -> bool {
        let page = self.pages.get(&(addr / PAGE_BYTES));
        let at = (addr % PAGE_BYTES) as usize;
        page.is_some_and(|page| page.written[at / 64] >> (at % 64) & 1 == 1)
    }

    /// Forgets what was written so far (the bytes stay).
    pub fn clear_written(&mut self) {
        self.pages.values_mut().for_each(|page| page.written.fill(0));
    }

    /// What the master did wrong, first things first.
    pub fn violations(&self) -> &[String] {
        &self.violations
    }

    /// No request is waiting for its answer.
    pub fn is_idle(&self) -> bool {
        let w = &self.write;
        let write_idle = w.bursts.is_empty() && w.answers.is_empty() && !w.pins.bvalid;
        write_idle && w.early.is_empty() && self.read.bursts.is_empty() && !self.read.pins.rvalid
    }

    /// Takes back all requests, as a reset of master and slave does; memory stays.
    pub fn reset(&mut self) {
        let (w, r) = (&mut self.write, &mut self.read);
        w.bursts.clear();
        w.early.clear();
        w.answers.clear();
        (w.waiting_aw, w.waiting_w, r.waiting_ar) = (None, None, None);
        r.bursts.clear();
        (w.pins, r.pins) = (WriteSlave::default(), ReadSlave::default());
    }

    fn aligned_beat(&self, addr: u64) -> Data {
        let Some(page) = self.pages.get(&(addr / PAGE_BYTES)) else { return Data::default() };
        let at = ((addr % PAGE_BYTES) & !(self.beat_bytes - 1)) as usize;
        Data::of(&page.bytes[at..at + self.beat_bytes as usize])
    }

    fn violation(&mut self, text: String) {
        if self.violations.len() < 100 {
            self.violations.push(text);
        }
    }

    /// Checks an address and makes a burst of it.
    fn burst(&mut self, channel: &str, addr: u64, len: u8, sidebands: [u8; 7], due: u64) -> Burst {
        let beat_count = u64::from(len) + 1;
        let end = (addr & !(self.beat_bytes - 1)).wrapping_add(beat_count * self.beat_bytes);
        if addr / PAGE_BYTES != end.wrapping_sub(1) / PAGE_BYTES {
            self.violation(format!("{channel}: {addr:#x} with {beat_count} beats crosses 4 KB"));
        }
        if sidebands[0] != self.beat_bytes.ilog2() as u8 || sidebands[1..] != SIDEBANDS {
            let size = self.beat_bytes.ilog2();
            self.violation(format!("{channel}: {sidebands:?} are not {size} and {SIDEBANDS:?}"));
        }
        let error = self.error_ranges.iter().any(|r| addr < r.end && r.start < end);
        Burst { addr, beat_count, beats_done: 0, due_cycle: due, error }
    }

    /// One cycle of AW, W and B.
    pub fn drive_write(&mut self, master: &WriteMaster) -> WriteSlave {
        let pins = self.write.pins;
        self.write.cycle += 1;
        let aw = master.awvalid.then_some((master.awaddr, master.awlen));
        let w = master.wvalid.then_some((master.wdata, master.wstrb, master.wlast));
        if self.write.waiting_aw.is_some_and(|was| aw != Some(was)) {
            self.violation(format!("AW: changed before ready, now {aw:x?}"));
        }
        if self.write.waiting_w.is_some_and(|was| w != Some(was)) {
            self.violation(format!("W: changed before ready, now {w:x?}"));
        }
        self.write.waiting_aw = aw.filter(|_| !pins.awready);
        self.write.waiting_w = w.filter(|_| !pins.wready);
        if let Some((addr, len)) = aw.filter(|_| pins.awready) {
            let m = master;
            let sidebands =
                [m.awsize, m.awburst, m.awid, m.awlock.into(), m.awcache, m.awprot, m.awqos];
            let burst = self.burst("AW", addr, len, sidebands, 0);
            self.write.bursts.push_back(burst);
        }
        self.write.early.extend(w.filter(|_| pins.wready));
        while !self.write.bursts.is_empty() && !self.write.early.is_empty() {
            self.write_beat();
        }
        let side = &mut self.write;
        let mut go = [true; 3];
        if let Some(stalls) = &mut side.stalls {
            go = std::array::from_fn(|i| stalls[i].go());
        }
        side.pins.awready = go[0] && side.bursts.len() < QUEUE_BURSTS;
        side.pins.wready = go[1] && side.early.len() < EARLY_BEATS;
        if pins.bvalid && master.bready {
            side.pins.bvalid = false;
        }
        if !side.pins.bvalid && go[2] {
            if let Some(&(_, resp)) = side.answers.front().filter(|(due, _)| *due <= side.cycle) {
                side.answers.pop_front();
                side.pins.bvalid = true;
                side.pins.bresp = resp;
            }
        }
        pins
    }

    fn write_beat(&mut self) {
        let (data, strb, last) = self.write.early.pop_front().expect("a beat waits");
        let burst = *self.write.bursts.front().expect("a burst is open");
        let first_addr = burst.addr & !(self.beat_bytes - 1);
        let addr = first_addr + burst.beats_done * self.beat_bytes;
        if burst.beats_done == 0 && strb & ((1 << (burst.addr - first_addr)) - 1) != 0 {
            self.violation(format!("W: strobe {strb:#x} below address {:#x}", burst.addr));
        }
        if !burst.error {
            let page = self.pages.entry(addr / PAGE_BYTES).or_default();
            let at = (addr % PAGE_BYTES) as usize;
            let bytes = data.bytes();
            for i in (0..64).filter(|i| strb >> i & 1 == 1) {
                page.bytes[at + i] = bytes[i];
                page.written[(at + i) / 64] |= 1 << ((at + i) % 64);
            }
        }
        let is_end = burst.beats_done + 1 == burst.beat_count;
        if last != is_end {
            self.violation(format!("W: wlast {last} in beat {} of {burst:x?}", burst.beats_done));
        }
        self.write.bursts[0].beats_done += 1;
        if is_end {
            self.write.bursts.pop_front();
            let latency = self.latency_cycles(true);
            let resp = if burst.error { RESP_SLVERR } else { RESP_OKAY };
            self.write.answers.push_back((self.write.cycle + latency, resp));
        }
    }

    fn latency_cycles(&mut self, is_write: bool) -> u64 {
        let max = self.latency_cycles_max;
        let is_fixed = self.write.stalls.is_none();
        let rng = if is_write { &mut self.write.rng } else { &mut self.read.rng };
        match is_fixed {
            true => max,
            false if rng.gen() => 0,
            false => rng.gen_range(0..=max),
        }
    }

    /// One cycle of AR and R.
    pub fn drive_read(&mut self, master: &ReadMaster) -> ReadSlave {
        let pins = self.read.pins;
        self.read.cycle += 1;
        let ar = master.arvalid.then_some((master.araddr, master.arlen));
        if self.read.waiting_ar.is_some_and(|was| ar != Some(was)) {
            self.violation(format!("AR: changed before ready, now {ar:x?}"));
        }
        self.read.waiting_ar = ar.filter(|_| !pins.arready);
        if let Some((addr, len)) = ar.filter(|_| pins.arready) {
            let due = self.read.cycle + self.latency_cycles(false);
            let m = master;
            let sidebands =
                [m.arsize, m.arburst, m.arid, m.arlock.into(), m.arcache, m.arprot, m.arqos];
            let burst = self.burst("AR", addr, len, sidebands, due);
            self.read.bursts.push_back(burst);
        }
        let mut go = [true; 2];
        if let Some(stalls) = &mut self.read.stalls {
            go = std::array::from_fn(|i| stalls[i].go());
        }
        self.read.pins.arready = go[0] && self.read.bursts.len() < QUEUE_BURSTS;
        if pins.rvalid && master.rready {
            self.read.pins.rvalid = false;
        }
        if !self.read.pins.rvalid && go[1] {
            self.read_beat();
        }
        pins
    }

    fn read_beat(&mut self) {
        let Some(burst) = self.read.bursts.front().copied() else { return };
        if burst.due_cycle > self.read.cycle {
            return;
        }
        let data = self.aligned_beat(burst.addr + burst.beats_done * self.beat_bytes);
        let (side, words) = (&mut self.read, self.beat_bytes as usize / 8);
        side.pins.rvalid = true;
        side.pins.rdata = data;
        if burst.error {
            side.pins.rdata.0[..words].fill_with(|| side.rng.gen());
        }
        side.pins.rresp = if burst.error { RESP_SLVERR } else { RESP_OKAY };
        side.pins.rlast = burst.beats_done + 1 == burst.beat_count;
        side.bursts[0].beats_done += 1;
        if side.pins.rlast {
            side.bursts.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idle_write() -> WriteMaster {
        WriteMaster { awsize: 3, awburst: 1, awcache: 3, ..Default::default() }
    }

    fn idle_read() -> ReadMaster {
        ReadMaster { arsize: 3, arburst: 1, arcache: 3, ..Default::default() }
    }

    fn write_one(mem: &mut AxiMem, addr: u64, len: u8, beats: &[(u64, u64)]) -> u8 {
        let aw = WriteMaster { awaddr: addr, awlen: len, ..idle_write() };
        let (mut aw_sent, mut sent) = (false, 0);
        for _ in 0..10_000 {
            let mut pins = WriteMaster { awvalid: !aw_sent, bready: true, ..aw };
            if let Some(&(data, strb)) = beats.get(sent) {
                (pins.wdata, pins.wstrb, pins.wvalid) = (data.into(), strb, true);
                pins.wlast = sent + 1 == beats.len();
            }
            let slave = mem.drive_write(&pins);
            aw_sent |= slave.awready;
            sent += usize::from(slave.wready && pins.wvalid);
            if slave.bvalid {
                return slave.bresp;
            }
        }
        panic!("no response");
    }

    #[test]
    fn axi_mem_records_exactly_the_strobed_bytes() {
        let mut mem = AxiMem::new(8, 1);
        let beats = [(0x8877_6655_4433_2211, 0xe0), (0x1817_1615_1413_1211, 0x03)];
        assert_eq!(write_one(&mut mem, 0x1ff5 - 0x1000, 1, &beats), RESP_OKAY);
        assert_eq!(mem.written_ranges(), vec![0xff5..0xffa]);
        assert_eq!(mem.load(0xff4, 7), [0, 0x66, 0x77, 0x88, 0x11, 0x12, 0]);
        assert!(mem.violations().is_empty() && mem.is_idle());
    }

    #[test]
    fn axi_mem_loads_what_was_stored_across_pages() {
        let mut mem = AxiMem::new(8, 1);
        let bytes: Vec<u8> = (0..2 * PAGE_BYTES).map(|n| (n % 251) as u8).collect();
        mem.store(3 * PAGE_BYTES - 5, &bytes);
        assert_eq!(mem.load(3 * PAGE_BYTES - 5, bytes.len()), bytes);
        let around = [&[0, 0], &bytes[..], &[0; PAGE_BYTES as usize]].concat();
        assert_eq!(mem.load(3 * PAGE_BYTES - 7, around.len()), around);
        assert_eq!(mem.load(u64::MAX, 2), [0, 0]);
    }

    #[test]
    fn axi_mem_reports_a_crossed_page_and_a_wrong_last() {
        let mut mem = AxiMem::new(8, 2);
        write_one(&mut mem, 0xff8, 1, &[(1, 0xff), (2, 0xff)]);
        assert!(mem.violations()[0].contains("crosses 4 KB"), "{:?}", mem.violations());
        let mut mem = AxiMem::new(8, 2);
        write_one(&mut mem, 0x100, 1, &[(1, 0xff), (2, 0xff), (3, 0xff)]);
        assert!(mem.violations()[0].contains("wlast"), "{:?}", mem.violations());
    }

    #[test]
    fn axi_mem_reports_an_id_and_another_kind_of_memory() {
        for address in [
            WriteMaster { awid: 1, ..idle_write() },
            WriteMaster { awlock: true, ..idle_write() },
            WriteMaster { awcache: 0, ..idle_write() },
            WriteMaster { awprot: 1, ..idle_write() },
            WriteMaster { awqos: 1, ..idle_write() },
        ] {
            let mut mem = AxiMem::new(8, 5).without_stalls(1);
            mem.drive_write(&WriteMaster { awvalid: true, ..address });
            mem.drive_write(&WriteMaster { awvalid: true, ..address });
            let [first, ..] = mem.violations() else { panic!("nothing found in {address:?}") };
            assert!(first.starts_with("AW: [3, 1, "), "{first}");
        }
    }

    #[test]
    fn axi_mem_fails_where_it_should() {
        let mut mem = AxiMem::new(8, 3);
        mem.fail_in(0x2000..0x2001);
        assert_eq!(write_one(&mut mem, 0x2000, 0, &[(1, 0xff)]), RESP_SLVERR);
        assert_eq!(write_one(&mut mem, 0x2008, 0, &[(1, 0xff)]), RESP_OKAY);
        assert_eq!(mem.written_ranges(), vec![0x2008..0x2010]);
    }

    #[test]
    fn axi_mem_reads_bursts_in_order() {
        let mut mem = AxiMem::new(8, 4);
        let bytes: Vec<u8> = (0..64).collect();
        mem.store(0x3000, &bytes);
        let mut requests: VecDeque<(u64, u8)> = [(0x3000, 3), (0x3021, 1)].into();
        let mut got = Vec::new();
        while got.len() < 6 {
            let mut pins = ReadMaster { rready: true, ..idle_read() };
            if let Some(&(addr, len)) = requests.front() {
                (pins.araddr, pins.arlen, pins.arvalid) = (addr, len, true);
            }
            let slave = mem.drive_read(&pins);
            if slave.arready {
                requests.pop_front();
            }
            if slave.rvalid {
                got.push((slave.rdata, slave.rlast));
            }
        }
        let beat = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let expect = [(0, false), (8, false), (16, false), (24, true), (32, false), (40, true)];
        assert_eq!(got, expect.map(|(at, last)| (Data::from(beat(at)), last)));
    }
}
