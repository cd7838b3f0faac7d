//! Jobs of the READ responses in block RAM, and the next packet of the job at hand.
//!
//! # Source            hdl/transport.md
//! # Interface timing  steps as `read_ctl` has them. fetch, get: the job is read; judge: its packet is
//!                     measured, m_* stand from the next cycle on; pad: m_frame_bytes from the next
//! # Number formats    job | PSN \[23:0\], MSN \[47:24\], address \[111:48\], bytes to come
//!                     \[143:112\], begun \[144\], generation of its region \[160:145\], region
//!                     \[170:161\]
//! # Rules             a region's generation counts its rows modulo 2^16: a job of an older one is
//!                     dead, and no byte of it leaves
//! # Reset             none: a job is written before it is read; generations only compare,
//!                     so they may begin as anything
//! # Twins             sim/models/src/golden/transport/read/reply.rs, tests/transport/read_reply.rs

use crate::util::{any_ram::AnyRam, ram::Ram};
use crate::{block, row, Unreset};
use rust_hdl_core::prelude::*;

/// What is left of a READ.
#[row]
struct JobRow {
    psn: Bits<24>,        // PSN of the next response
    msn: Bits<24>,        // MSN
    addr: Bits<64>,       // Address of its first byte
    bytes: Bits<32>,      // Bytes to come
    begun: Bit,           // It is in the middle of its READ
    generation: Bits<16>, // Generation of the region
    region: Bits<10>,     // The region
}

/// `2^JB` jobs, `2^MB` memory regions.
#[block(no_reset, check(MB <= 10))]
pub struct ReadJobs<const JB: usize, const MB: usize> {
    /// PSN of the first response.
    pub s_job_psn: Signal<In, Bits<24>>,
    /// MSN of its responses.
    pub s_job_msn: Signal<In, Bits<24>>,
    /// Address of the first byte.
    pub s_job_addr: Signal<In, Bits<64>>,
    /// Bytes.
    pub s_job_bytes: Signal<In, Bits<32>>,
    /// Memory region.
    pub s_job_region: Signal<In, Bits<MB>>,
    /// Region of a row.
    pub cfg_index: Signal<In, Bits<16>>,
    /// 0 none, 1 paper, 2 authors'.
    pub cfg_tel_data: Signal<In, Bits<3>>,
    /// Step: take the job, or the row.
    pub take: Signal<In, Bit>,
    /// It is a row.
    pub is_cfg: Signal<In, Bit>,
    /// The region of the row has a new generation.
    pub revoke: Signal<In, Bit>,
    /// Store the new job.
    pub store: Signal<In, Bit>,
    /// It goes on in the middle of its READ.
    pub store_begun: Signal<In, Bit>,
    /// Step: look the job up.
    pub fetch: Signal<In, Bit>,
    /// Step: it is there.
    pub get: Signal<In, Bit>,
    /// Step: its packet is measured.
    pub judge: Signal<In, Bit>,
    /// Store the job as it is after its packet.
    pub advance: Signal<In, Bit>,
    /// Place of the job.
    pub job_index: Signal<In, Bits<JB>>,
    /// log2(MTU) - 8.
    pub mtu_code: Signal<In, Bits<3>>,
    /// Frames carry telemetry.
    pub telemetry: Signal<In, Bit>,
    /// PSN of the job that was taken.
    pub new_psn: Signal<Out, Bits<24>>,
    /// PSN of the packet.
    pub m_psn: Signal<Out, Bits<24>>,
    /// Its MSN.
    pub m_msn: Signal<Out, Bits<24>>,
    /// Address of its bytes.
    pub m_addr: Signal<Out, Bits<64>>,
    /// Bytes.
    pub m_bytes: Signal<Out, Bits<13>>,
    /// It is in the middle or at the end of its READ.
    pub m_begun: Signal<Out, Bit>,
    /// It is the last of its job.
    pub m_last: Signal<Out, Bit>,
    /// The job's region has a new row.
    pub m_dead: Signal<Out, Bit>,
    /// Bytes of its frame.
    pub m_frame_bytes: Signal<Out, Bits<14>>,
    jobs: Ram<JB, JobRow>,
    generations: AnyRam<MB, Bits<16>>,
    psn: Unreset<Bits<24>>,
    msn: Unreset<Bits<24>>,
    addr: Unreset<Bits<64>>,
    bytes: Unreset<Bits<32>>,
    region: Unreset<Bits<MB>>,
    job: Unreset<JobRow>,
    last: Unreset<Bit>,
    dead: Unreset<Bit>,
    addr_after: Unreset<Bits<64>>,
    bytes_after: Unreset<Bits<32>>,
    psn_after: Unreset<Bits<24>>,
    padded: Unreset<Bits<14>>,
    headers: Unreset<Bits<14>>,
    mtu: Unreset<Bits<32>>,
    job_addr: Signal<Local, Bits<64>>,
    job_bytes: Signal<Local, Bits<32>>,
    job_psn: Signal<Local, Bits<24>>,
    job_msn: Signal<Local, Bits<24>>,
    job_generation: Signal<Local, Bits<16>>,
    job_region: Signal<Local, Bits<MB>>,
    begun: Signal<Local, Bit>,
    packet_bytes: Signal<Local, Bits<13>>,
    rounded: Signal<Local, Bits<14>>,
    base: Signal<Local, Bits<14>>,
    telemetry_bytes: Signal<Local, Bits<14>>,
    generation_after: Signal<Local, Bits<16>>,
    new_job: Signal<Local, JobRow>,
    next_job: Signal<Local, JobRow>,
    #[init(Constant::new(0x3ffcu64.to_bits()))]
    rounds: Constant<Bits<14>>,
    #[init(Constant::new(62u64.to_bits()))]
    with_aeth: Constant<Bits<14>>,
    #[init(Constant::new(58u64.to_bits()))]
    without_aeth: Constant<Bits<14>>,
}

impl<const JB: usize, const MB: usize> Logic for ReadJobs<JB, MB> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("what was taken");
        self.new_psn.next = self.psn.val();
        if self.take.val() {
            self.psn.next = self.s_job_psn.val();
            self.msn.next = self.s_job_msn.val();
            self.addr.next = self.s_job_addr.val();
            self.bytes.next = self.s_job_bytes.val();
            self.region.next = self.s_job_region.val();
            if self.is_cfg.val() {
                self.region.next = self.cfg_index.val().get_bits::<MB>(0);
            }
        }
        comment!("the job at hand");
        if self.get.val() {
            self.job.next = self.jobs.read_data.val();
        }
        self.job_psn.next = self.job.val().psn;
        self.job_msn.next = self.job.val().msn;
        self.job_addr.next = self.job.val().addr;
        self.job_bytes.next = self.job.val().bytes;
        self.begun.next = self.job.val().begun;
        self.job_generation.next = self.job.val().generation;
        self.job_region.next = self.job.val().region.get_bits::<MB>(0);
        comment!("judge: its packet, and what comes after it");
        match self.mtu_code.val().index() {
            0 => self.mtu.next = 256.into(),
            1 => self.mtu.next = 512.into(),
            2 => self.mtu.next = 1024.into(),
            3 => self.mtu.next = 2048.into(),
            _ => self.mtu.next = 4096.into(),
        }
        self.last.next = self.job_bytes.val() <= self.mtu.val();
        self.dead.next = self.generations.read_data.val() != self.job_generation.val();
        self.psn_after.next = self.job_psn.val() + 1;
        self.addr_after.next = self.job_addr.val() + bit_cast::<64, 32>(self.mtu.val());
        self.bytes_after.next = self.job_bytes.val() - self.mtu.val();
        self.packet_bytes.next = self.mtu.val().get_bits::<13>(0);
        if self.last.val() {
            self.packet_bytes.next = self.job_bytes.val().get_bits::<13>(0);
        }
        self.m_psn.next = self.job_psn.val();
        self.m_msn.next = self.job_msn.val();
        self.m_addr.next = self.job_addr.val();
        self.m_bytes.next = self.packet_bytes.val();
        self.m_begun.next = self.begun.val();
        self.m_last.next = self.last.val();
        self.m_dead.next = self.dead.val();
        comment!(
            "pad: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4 bytes; AETH 4, but not in a MIDDLE"
        );
        self.rounded.next = bit_cast::<14, 13>(self.packet_bytes.val()) + 3;
        self.padded.next = self.rounded.val() & self.rounds.val();
        self.base.next = self.with_aeth.val();
        if self.begun.val() & !self.last.val() {
            self.base.next = self.without_aeth.val();
        }
        self.telemetry_bytes.next = 0.into();
        if self.telemetry.val() {
            match self.cfg_tel_data.val().index() {
                1 => self.telemetry_bytes.next = 2.into(),
                2 => self.telemetry_bytes.next = 42.into(),
                3 => self.telemetry_bytes.next = 16.into(),
                4 => self.telemetry_bytes.next = 12.into(),
                5 => self.telemetry_bytes.next = 8.into(),
                6 => self.telemetry_bytes.next = 16.into(),
                _ => self.telemetry_bytes.next = 0.into(),
            }
        }
        self.headers.next = self.base.val() + self.telemetry_bytes.val();
        self.m_frame_bytes.next = self.padded.val() + self.headers.val();
        comment!("generations of the regions");
        self.generation_after.next = self.generations.read_data.val() + 1;
        self.generations.read_address.next = self.region.val();
        if self.judge.val() {
            self.generations.read_address.next = self.job_region.val();
        }
        self.generations.write_enable.next = self.revoke.val();
        self.generations.write_address.next = self.region.val();
        self.generations.write_data.next = self.generation_after.val();
        comment!("the job as it is stored");
        self.new_job.next = (bit_cast::<171, 24>(self.psn.val())
            | (bit_cast::<171, 24>(self.msn.val()) << 24)
            | (bit_cast::<171, 64>(self.addr.val()) << 48)
            | (bit_cast::<171, 32>(self.bytes.val()) << 112)
            | (bit_cast::<171, 16>(self.generations.read_data.val()) << 145)
            | (bit_cast::<171, MB>(self.region.val()) << 161))
            .into();
        self.new_job.next.begun = self.store_begun.val();
        self.next_job.next = (bit_cast::<171, 24>(self.psn_after.val())
            | (bit_cast::<171, 24>(self.job_msn.val()) << 24)
            | (bit_cast::<171, 64>(self.addr_after.val()) << 48)
            | (bit_cast::<171, 32>(self.bytes_after.val()) << 112)
            | (bit_cast::<171, 16>(self.job_generation.val()) << 145)
            | (bit_cast::<171, MB>(self.job_region.val()) << 161))
            .into();
        self.next_job.next.begun = true;
        self.jobs.read_enable.next = self.fetch.val();
        self.jobs.read_address.next = self.job_index.val();
        self.jobs.write_enable.next = self.store.val() | self.advance.val();
        self.jobs.write_address.next = self.job_index.val();
        self.jobs.write_data.next = self.new_job.val();
        if self.advance.val() {
            self.jobs.write_data.next = self.next_job.val();
        }
    }
}
