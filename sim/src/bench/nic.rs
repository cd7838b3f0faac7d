//! Bench: the whole NIC among software, host memory and a peer that also makes mistakes.

mod answers;
mod peer_qp;
mod requests;

use super::random::Lengths;
use crate::env::station::{sub_seed, Manners, World};
use nic_driver::rings::{HostMemory, Ring, Work};
use nic_driver::{Bus, CcMode, Completion, MrRow, QpConfig, Read, Status, Write, INLINE_BYTES_MAX};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::nic::{Nic, NicIn, NicOut};
use nic_models::reference::rc::feedback::FeedbackCheck;
use nic_models::starts::Place;
use nic_spec::config::NicConfig;
use nic_spec::regs;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::telemetry::{self, Form, Hop};
use peer_qp::{qpn, rkey, PeerQp, LOCAL_IP, LOCAL_MAC, MASK_24, PEER_IP, PEER_MAC};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// The bench of the NIC.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let (golden, traffic) = (config.clone(), config.clone());
    let stimulus = move |seed| Traffic::new(&traffic, seed);
    vec![Bench::new("nic", config, move || Nic::new(&golden), stimulus)]
}

const TELEMETRY_DSCP: u8 = 0x13;

const ECHO_DSCP: u8 = 0x17;

/// Queue pairs in use.
const QP_COUNT: usize = 6;

/// Each QP's region of the NIC's memory that the peer writes.
const REGION_VA: u64 = 0x7f12_3456_7000;

const REGION_BYTES: u64 = 0x8000;

const REGION_BASE: u64 = 0x4_0000_0000;

/// Where the NIC's own messages stand; reads at the top end fail.
const SOURCE_BASE: u64 = 0x9_0000_0000;

const SOURCE_BYTES: u64 = 0x4_0000;

/// Where READs of the NIC land; writes at the top end fail.
const LANDING_BASE: u64 = 0xa_0000_0000;

const LANDING_BYTES: u64 = 0x4_0000;

/// READ requests that a peer may repeat.
const OLD_READS_MAX: usize = 8;

/// Where the rings stand: one place cannot be read.
const SQ_BASE: u64 = 0x20_0000_0000;

const SQ_STRIDE: u64 = 0x1_0000;

/// Bytes from one work request of a ring to the next.
const WR_STRIDE_BYTES: u64 = 64;

const CQ_BASE: u64 = 0x21_0000_0000;

/// Register writes that the driver makes, for playing later.
#[derive(Clone, Debug)]
struct Recorder {
    sizes: u32,
    writes: VecDeque<(u32, u32)>,
    /// What it wrote to rings.
    stores: Vec<(u64, Vec<u32>)>,
}

impl Bus for Recorder {
    type Error = core::convert::Infallible;

    fn read32(&mut self, address_bytes: u32) -> Result<u32, Self::Error> {
        Ok(match address_bytes as u16 {
            regs::ID => regs::ID_VALUE,
            regs::VERSION => regs::VERSION_VALUE,
            regs::SIZES => self.sizes,
            _ => 0,
        })
    }

    fn write32(&mut self, address_bytes: u32, value: u32) -> Result<(), Self::Error> {
        self.writes.push_back((address_bytes, value));
        Ok(())
    }
}

impl HostMemory for Recorder {
    fn load(&mut self, _address: u64, words: &mut [u32]) -> Result<(), Self::Error> {
        words.fill(0);
        Ok(())
    }

    fn store(&mut self, address: u64, words: &[u32]) -> Result<(), Self::Error> {
        self.stores.push((address, words.to_vec()));
        Ok(())
    }
}

/// Who computes windows and what is echoed, by the seed's last two bits.
const MODES: [CcMode; 4] = [CcMode::Sender, CcMode::WorstHop, CcMode::Receiver, CcMode::WorstHop];

/// Software, memory and the peer.
struct Traffic {
    world: World,
    rng: ChaCha8Rng,
    driver: nic_driver::Nic<Recorder>,
    script: VecDeque<(u32, Option<u32>)>,
    /// Accesses until the registers stand that frames are judged by: no frame comes before.
    settings_left: usize,
    /// Address of the register access that is under way.
    access: Option<u32>,
    /// Words of `CQ_ENTRY`, as they were read last.
    entry: [u32; 4],
    qps: Vec<PeerQp>,
    form: Option<Form>,
    time_ns: u32,
    tx_units: u32,
    /// Probability in 1/256 that the peer misbehaves with a packet.
    malice_256: u32,
    /// The receivers of data compute the windows.
    cc_mode: CcMode,
    /// Windows go up to what their numbers hold.
    has_large_windows: bool,
    /// The completion ring, if the run has rings, and entries read.
    ring: Option<Ring>,
    read_count: u16,
    /// READ requests and READ responses that the NIC sent.
    reads_sent: [usize; 2],
    /// Telemetry responses that it sent.
    feedbacks: usize,
    /// Payload lengths that the NIC has not sent yet, and those that the peer has not.
    posted: Lengths,
    sent: Lengths,
}

impl Traffic {
    fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(sub_seed(seed, 1));
        let manners = if seed % 4 == 3 { Manners::Prompt } else { Manners::Stalling };
        let mut world = World::new(config.data_bytes(), manners, sub_seed(seed, 2));
        let bytes: Vec<u8> = (0..SOURCE_BYTES).map(|_| rng.gen()).collect();
        world.memory.store(SOURCE_BASE, &bytes);
        // READ responses of zeros would hide what stands behind their last byte.
        for index in 0..QP_COUNT as u64 {
            let bytes: Vec<u8> = (0..REGION_BYTES).map(|_| rng.gen()).collect();
            world.memory.store(REGION_BASE + index * 0x1_0000 + index * 3, &bytes);
        }
        world.memory.fail_in(SOURCE_BASE + SOURCE_BYTES - 0x1000..SOURCE_BASE + SOURCE_BYTES);
        // The thirteenth place of a ring of sixteen.
        let place = SQ_BASE + 4 * SQ_STRIDE + 0xf40 + 12 * 64;
        world.memory.fail_in(place..place + 1);
        world.memory.fail_in(REGION_BASE + 0x7800..REGION_BASE + 0x8000);
        let landing_end = LANDING_BASE + LANDING_BYTES;
        world.memory.fail_in(landing_end - 0x1000..landing_end);
        let recorder =
            Recorder { sizes: config.sizes_word(), writes: VecDeque::new(), stores: vec![] };
        let driver = nic_driver::Nic::probe(recorder).expect("the recorder answers as a NIC");
        let form = [None, Some(Form::Authors), Some(Form::Paper)][(seed % 3) as usize];
        let mut traffic = Self {
            world,
            rng,
            driver,
            script: VecDeque::new(),
            settings_left: 0,
            access: None,
            entry: [0; 4],
            qps: Vec::new(),
            form,
            time_ns: 0,
            tx_units: 0,
            malice_256: [0, 10, 40][(seed / 3 % 3) as usize],
            cc_mode: MODES[(seed % 4) as usize],
            has_large_windows: seed.is_multiple_of(4),
            ring: (seed % 2 == 1).then_some(Ring { address: CQ_BASE + 0x7f0, log2: 3 }),
            read_count: 0,
            reads_sent: [0; 2],
            feedbacks: 0,
            posted: Lengths::new(seed),
            sent: Lengths::new(seed),
        };
        traffic.set_up();
        traffic
    }

    fn set_up(&mut self) {
        let format = match self.form {
            None => 0,
            Some(Form::Paper) => 1,
            Some(Form::Authors) => 2,
        };
        let d = &mut self.driver;
        let fine = "the recorder never fails";
        d.set_address(LOCAL_MAC, LOCAL_IP).expect(fine);
        d.set_telemetry(format, TELEMETRY_DSCP, ECHO_DSCP).expect(fine);
        d.set_cc_mode(self.cc_mode).expect(fine);
        if let Some(ring) = self.ring {
            d.open_cq(ring).expect(fine);
            d.enable_interrupts(true, true).expect(fine);
        }
        self.play();
        if self.has_large_windows {
            use regs::config_offset::{cc_max_stage, cc_w_init};
            let settings = [(cc_w_init, u32::MAX), (cc_max_stage, 0)];
            self.script.extend(settings.map(|(at, value)| (u32::from(at), Some(value))));
        }
        self.settings_left = self.script.len();
        for index in 0..QP_COUNT {
            let region = MrRow {
                remote_write: index != 5,
                remote_read: index != 4,
                rkey: rkey(index),
                va: REGION_VA,
                length_bytes: REGION_BYTES,
                host_address: REGION_BASE + index as u64 * 0x1_0000 + index as u64 * 3,
                ..MrRow::default()
            };
            self.driver.create_mr(&region).expect(fine);
            let qp = self.new_qp(index);
            self.qps.push(qp);
        }
        self.play();
    }

    fn new_qp(&mut self, index: usize) -> PeerQp {
        let rng = &mut self.rng;
        let mtu_code: u8 = rng.gen_range(0..5);
        let wraps_soon = |rng: &mut ChaCha8Rng| (0xff_ffe0 + rng.gen_range(0..0x40)) & MASK_24;
        let ack_interval_log2 = [0, 1, 2, 15, 15][rng.gen_range(0..5)];
        let rq_psn = wraps_soon(rng);
        let sq_psn = match ack_interval_log2 {
            // Where an interval ends.
            15 => (rng.gen_range(0..0x200) << 15 | 0x7fff) - rng.gen_range(0..8),
            _ => wraps_soon(rng),
        };
        let has_telemetry = self.form.is_some() && index.is_multiple_of(2);
        let sq_log2 =
            if self.ring.is_some() && index.is_multiple_of(2) { rng.gen_range(1..5) } else { 0 };
        let sq_address = SQ_BASE + index as u64 * SQ_STRIDE + 0xf40;
        let config = QpConfig {
            telemetry: has_telemetry,
            remote_write: true,
            remote_read: index != 3,
            read_limit: rng.gen_range(0..=16),
            rnr_retry_limit: rng.gen_range(0..8),
            mtu_code,
            timeout_exponent: rng.gen_range(1..4),
            retry_limit: rng.gen_range(1..8),
            dscp: rng.gen_range(0..8),
            ack_interval_log2,
            qpn: qpn(index),
            remote_qpn: 0x800 + index as u32,
            remote_ip: PEER_IP,
            remote_mac: PEER_MAC,
            udp_source_port: 0xc000 + index as u16,
            rq_psn,
            sq_psn,
            // Also one that whole packets fill.
            window_bytes: match rng.gen_range(0..3) {
                _ if self.has_large_windows && has_telemetry => u32::MAX >> rng.gen_range(0..3),
                0 => 2048,
                1 => 20_000,
                _ => 200_000,
            },
            rate_uq8_24: [1 << 23, 4 << 24, 8 << 24][rng.gen_range(0..3)],
            sq_log2,
            sq_address,
            ..QpConfig::default()
        };
        let handle = self.driver.create_qp(&config).expect("the recorder never fails");
        PeerQp {
            index,
            has_telemetry,
            mtu_bytes: 256 << mtu_code,
            psn: rq_psn,
            message_psn: rq_psn,
            message_bytes: 0,
            offset: 0,
            va: 0,
            rkey: 0,
            with_immediate: false,
            is_read: false,
            in_message: false,
            old_reads: VecDeque::new(),
            asked_reads: VecDeque::new(),
            is_failed: false,
            feedback: FeedbackCheck::default(),
            handle,
            sq_address,
            sq_bytes: if sq_log2 > 0 { WR_STRIDE_BYTES << sq_log2 } else { 0 },
            first_index: 0,
        }
    }

    /// Moves what the driver has written into the script.
    fn play(&mut self) {
        // Ring entries first: the places are free, and no doorbell has told of them.
        for (address, words) in std::mem::take(&mut self.driver.bus().stores) {
            self.world.memory.store_words(self.ring_place(address), &words);
        }
        let writes = std::mem::take(&mut self.driver.bus().writes);
        for (address, value) in writes {
            let is_doorbell = address == u32::from(regs::DOORBELL);
            let qp = self.qps.iter().find(|qp| u32::from(qp.handle.flow_index) == value & 0xffff);
            let first = qp.filter(|_| is_doorbell).map_or(0, |qp| u32::from(qp.first_index) << 16);
            self.script.push_back((address, Some(value.wrapping_add(first))));
            if address == u32::from(regs::ROW_COMMIT) {
                // Software waits until the row is taken.
                self.script.extend([(u32::from(regs::ROW_STATUS), None); 3]);
            }
        }
    }

    /// The driver's rings begin at index 0; where an entry of them stands if the ring does not.
    fn ring_place(&self, address: u64) -> u64 {
        let at = |qp: &PeerQp| address.wrapping_sub(qp.sq_address);
        let qp = self.qps.iter().find(|qp| at(qp) < qp.sq_bytes);
        qp.map_or(address, |qp| {
            let first_bytes = u64::from(qp.first_index) * WR_STRIDE_BYTES;
            qp.sq_address + (at(qp) + first_bytes) % qp.sq_bytes
        })
    }

    /// Now and then software does something.
    fn software(&mut self) {
        if !self.script.is_empty() {
            return;
        }
        let rng = &mut self.rng;
        match rng.gen_range(0..400) {
            24..=39 => self.post(),
            8..=11 if self.ring.is_some() => self.poll_ring(),
            8..=11 => self.script.extend([
                (u32::from(regs::CQ_COUNT), None),
                (u32::from(regs::CQ_ENTRY), None),
                (u32::from(regs::CQ_ENTRY) + 4, None),
                (u32::from(regs::CQ_ENTRY) + 8, None),
                (u32::from(regs::CQ_ENTRY) + 12, None),
                (u32::from(regs::CQ_POP), Some(1)),
            ]),
            12 if rng.gen_ratio(1, 8) => {
                // As a log of all events does.
                let counters = (0..regs::EVENTS.len() as u32).map(|n| 4 * n);
                self.script.extend(counters.map(|at| (u32::from(regs::COUNTERS) + at, None)));
            }
            12 => {
                let counter = rng.gen_range(0..regs::EVENTS.len() as u32);
                self.script.push_back((u32::from(regs::COUNTERS) + 4 * counter, None));
            }
            13 if self.has_large_windows && rng.gen_ratio(1, 3) => {
                // One with telemetry, whose window moves.
                let qp = &self.qps[2 * rng.gen_range(0..QP_COUNT / 2)];
                let watch = u32::from(regs::config_offset::cc_watch);
                self.script.push_back((watch, Some(qp.handle.flow_index.into())));
            }
            13 if self.has_large_windows || rng.gen_ratio(1, 4) => {
                let any = rng.gen_range(0..0x400) & !3;
                let watched = u32::from(regs::CC_WINDOW) + 4 * rng.gen_range(0..2);
                let address = if rng.gen() { any } else { watched };
                self.script.push_back((address, None));
            }
            40..=71 if self.has_large_windows => {
                self.script.push_back((u32::from(regs::CC_WINDOW), None));
            }
            14..=18 => {
                let failed = self.qps.iter().position(|qp| qp.is_failed);
                let any = rng.gen_ratio(1, 40).then(|| rng.gen_range(0..QP_COUNT));
                if let Some(at) = failed.or(any) {
                    let qp = self.new_qp(at);
                    // Frames of the old one may still be on their way.
                    let feedback = std::mem::take(&mut self.qps[at].feedback);
                    self.qps[at] = PeerQp { feedback, ..qp };
                    self.play();
                }
            }
            19 if self.ring.is_some() => self.script.extend([
                (u32::from(regs::HOST_STATUS), None),
                (u32::from(regs::HOST_CLEAR), Some(rng.gen())),
            ]),
            // A wrong doorbell or index changes nothing: beyond any ring, or of no flow.
            20 if self.ring.is_some() && rng.gen_ratio(1, 4) => {
                let wrong = [0x7000 << 16 | 2, 0x1_0005, 0x1_0fff][rng.gen_range(0..3)];
                self.script.push_back((u32::from(regs::DOORBELL), Some(wrong)));
                let index = self.read_count.wrapping_add(0x4000);
                self.script.push_back((u32::from(regs::CQ_CONSUMER), Some(index.into())));
            }
            _ => {}
        }
    }

    /// Reads what has come into the completion ring, and tells the NIC.
    fn poll_ring(&mut self) {
        let Some(ring) = self.ring else { return };
        let size = 1 << ring.log2;
        loop {
            let place = u64::from(self.read_count % size);
            let mut words = [0; 4];
            let address = ring.address + place * Completion::RING_BYTES;
            self.world.memory.load_words(address, &mut words);
            if !Completion::has_phase(&words, (self.read_count / size).is_multiple_of(2)) {
                break;
            }
            self.read_count = self.read_count.wrapping_add(1);
            self.completed(words);
        }
        let arm = u32::from(self.rng.gen_ratio(3, 4)) << 16;
        let index = u32::from(self.read_count);
        self.script.push_back((u32::from(regs::CQ_CONSUMER), Some(index | arm)));
    }

    /// Software has read a completion.
    fn completed(&mut self, words: [u32; 4]) {
        let completion = Completion::from_words(words);
        for qp in self.qps.iter_mut() {
            qp.handle.complete(&completion);
            let ours = qp.handle.flow_index == completion.flow_index;
            qp.is_failed |= ours && completion.status != Status::Ok;
        }
    }

    /// A register has been read.
    fn has_read(&mut self, address: u32, value: u32) {
        let word = address.wrapping_sub(regs::CQ_ENTRY.into()) / 4;
        let Some(kept) = self.entry.get_mut(word as usize) else { return };
        *kept = value;
        // Without a completion all words are 0.
        if word == 3 && self.entry != [0; 4] {
            self.completed(self.entry);
        }
    }

    /// The completion ring starts with entries up to `landed`, of no work request.
    fn land_before(&mut self, landed: u16) {
        let Some(ring) = self.ring else { return };
        let size = 1 << ring.log2;
        for n in 0..landed.wrapping_sub(self.read_count) {
            let index = self.read_count.wrapping_add(n);
            let phase = u32::from((index / size).is_multiple_of(2));
            let address = ring.address + u64::from(index % size) * Completion::RING_BYTES;
            self.world.memory.store_words(address, &[0, 0, 0, phase << 15]);
        }
    }

    fn post(&mut self) {
        let rng = &mut self.rng;
        let at = rng.gen_range(0..self.qps.len());
        let (is_read, is_swept) = (rng.gen_ratio(1, 6), rng.gen_ratio(15, 16));
        let mtu_bytes = self.qps[at].mtu_bytes;
        let lengths = if is_read { &mut self.sent } else { &mut self.posted };
        let swept = is_swept.then(|| lengths.try_next(mtu_bytes)).flatten();
        // Whole packets before the one with this length, if they are small.
        let before_count = [0, 0, 0, 0, 1, 3][rng.gen_range(0..6)].min(1536 / mtu_bytes);
        let length_bytes = match rng.gen_range(0..4) {
            _ if swept.is_some() => swept.unwrap_or(0) + before_count * mtu_bytes,
            0 => rng.gen_range(0..5),
            1 => rng.gen_range(0..300),
            _ => rng.gen_range(0..12_000),
        };
        // Memory fails at the end of what it holds for us.
        let fails = rng.gen_ratio(1, 30);
        let mut offset = |bytes: u64| match fails {
            true => bytes - 0x1000,
            false => rng.gen_range(0..bytes - 0x1000 - u64::from(length_bytes)),
        };
        let (source, landing) = (offset(SOURCE_BYTES), offset(LANDING_BYTES));
        let (remote_va, rkey, unsignalled) = (rng.gen(), rng.gen(), rng.gen_ratio(1, 4));
        let has_ring = self.ring.is_some() && at % 2 == 0;
        let work = if is_read {
            let local_address = LANDING_BASE + landing;
            Work::Read(Read { local_address, length_bytes, remote_va, rkey, unsignalled })
        } else {
            let local_address = SOURCE_BASE + source;
            let immediate = rng.gen_ratio(1, 4).then(|| rng.gen());
            let may_inline = length_bytes as usize <= INLINE_BYTES_MAX;
            let inline = (may_inline && rng.gen()).then(|| rng.gen());
            Work::Write(Write {
                local_address,
                length_bytes,
                remote_va,
                rkey,
                immediate,
                inline,
                unsignalled,
            })
        };
        let qp = &mut self.qps[at].handle;
        let result = match work {
            // A full ring waits for completions; now and then two go with one doorbell.
            _ if has_ring => {
                let both = [work, work];
                let count = 1 + usize::from(length_bytes % 3 == 0);
                let _ = self.driver.submit(qp, &both[..count]);
                Ok(0)
            }
            Work::Read(read) => self.driver.post_read(qp, &read),
            Work::Write(write) => self.driver.post_write(qp, &write),
        };
        if result.is_err() {
            // The NIC's own books decide: forget ours.
            *qp = nic_driver::Qp::at_index(qp.flow_index, qp.qpn);
        }
        self.play();
    }

    /// A frame goes to the NIC; READ responses with telemetry are noted.
    fn deliver(&mut self, bytes: Vec<u8>) {
        let parsed = self.form.and_then(|form| FrameRepr::parse(&bytes, Some(form)).ok());
        if let Some(packet) = parsed.filter(|p| opcode::is_read_response(p.bth.opcode)) {
            let at = (0..self.qps.len()).find(|at| qpn(*at) == packet.bth.qpn);
            let telemetry = packet.telemetry.map(|(_, repr)| repr).filter(|repr| repr.is_usable());
            if let Some(at) = at {
                self.qps[at].feedback.came(0, packet.bth.psn, telemetry);
            }
        }
        self.world.deliver(bytes, false);
    }

    /// Telemetry of a path of some hops.
    fn telemetry(&mut self, at: usize) -> Option<(Form, telemetry::Repr)> {
        let form = self.form.filter(|_| self.qps[at].has_telemetry)?;
        let rng = &mut self.rng;
        self.time_ns = self.time_ns.wrapping_add(rng.gen_range(0..20_000));
        self.tx_units = self.tx_units.wrapping_add(rng.gen_range(0..300));
        // Windows grow where there are no queues.
        let is_idle = self.has_large_windows && rng.gen_ratio(15, 16);
        let most = if form == Form::Paper { 7 } else { 5 };
        let usual = [2, 5, 4][at / 2 % 3];
        let count = if rng.gen_ratio(1, 5) { rng.gen_range(0..=most) } else { usual };
        let hops: Vec<Hop> = (0..count)
            .map(|i| Hop {
                rate_code: 0,
                ts_ns: self.time_ns.wrapping_add(300 * i) & 0xff_ffff,
                tx_units: self.tx_units.wrapping_mul(i * u32::from(!is_idle) + 1) & 0xf_ffff,
                queue_units: if is_idle || rng.gen() { 0 } else { rng.gen_range(0..3000) },
            })
            .collect();
        let path = if rng.gen_ratio(1, 50) { rng.gen_range(0..0x1000) } else { 0x123 };
        let path = if form == Form::Paper { path } else { 0 };
        Some((form, telemetry::Repr::new(path, &hops)))
    }
}

impl Stimulus<Nic> for Traffic {
    fn next(&mut self, _: u64, out: &NicOut) -> NicIn {
        self.software();
        self.answer();
        self.peer();
        if self.access.is_none() {
            if let Some((address, value)) = self.script.pop_front() {
                self.world.begin_access(address, value);
                self.access = Some(address);
            }
        }
        let Some(address) = self.access else { return self.world.drive(out) };
        let (pins, answer) = self.world.drive_access(out);
        if let Some((value, _)) = answer {
            self.access = None;
            self.has_read(address, value);
            self.settings_left = self.settings_left.saturating_sub(1);
        }
        pins
    }

    /// The scheduler would wait for bytes in flight that no packet accounts for.
    fn follows(&self, path: &str) -> bool {
        !path.starts_with("requester.psns.")
    }

    fn started(&mut self, path: &str, value: u64) {
        match path {
            "cq_ring.index.consumer" => self.read_count = value as u16,
            "cq_ring.index.landed_q" => self.land_before(value as u16),
            _ => {}
        }
        let word = Place::parse(path).and_then(|place| place.word);
        let flow = word.filter(|_| path.starts_with("sq_fetch."));
        let qp = self.qps.iter_mut().find(|qp| Some(usize::from(qp.handle.flow_index)) == flow);
        if let Some(qp) = qp {
            qp.first_index = value as u16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::random::sees_each_length;
    use nic_models::ports::Golden;

    #[test]
    fn bench_of_the_nic_sends_and_receives_most_lengths() {
        let config = NicConfig::preset("gbe").expect("the preset exists");
        let (golden, stimulus) = (|| Nic::new(&config), |seed| Traffic::new(&config, seed));
        sees_each_length(golden, stimulus, |s| &s.sent, 60);
        sees_each_length(golden, stimulus, |s| &s.posted, 80);
    }

    #[test]
    fn bench_of_the_nic_reads_both_ways() {
        let config = NicConfig::preset("gbe").expect("the preset exists");
        for seed in [1, 3] {
            let (mut nic, mut traffic) = (Nic::new(&config), Traffic::new(&config, seed));
            let mut out = nic.step(&NicIn { reset: true, ..NicIn::default() });
            for cycle in 0..150_000 {
                out = nic.step(&traffic.next(cycle, &out));
            }
            let written = traffic.world.memory.written_ranges();
            let landed: u64 = written
                .iter()
                .filter(|range| range.start >= LANDING_BASE)
                .map(|range| range.end - range.start)
                .sum();
            let [requests, responses] = traffic.reads_sent;
            let feedbacks = traffic.feedbacks;
            println!("seed {seed}: {requests} asked, {responses} answered, {landed} bytes landed");
            println!("seed {seed}: {feedbacks} telemetry responses");
            assert!(feedbacks > 4 || traffic.form.is_none(), "seed {seed}: {feedbacks}");
            assert!(requests > 20 && responses > 20 && landed > 10_000, "seed {seed}");
        }
    }
}
