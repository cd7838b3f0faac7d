//! Driver of the NIC: no allocation, generic over a [`Bus`], so that the same code drives the
//! golden model, the Verilated NIC and a mapped PCIe BAR.
//!
//! ```no_run
//! # fn f<B: nic_driver::Bus>(bus: B) -> Result<(), nic_driver::Error<B::Error>> {
//! use nic_driver::{Nic, QpConfig, Write};
//! let mut nic = Nic::probe(bus)?;
//! nic.set_address(0x0200_0000_0001, 0x0a00_0001)?;
//! let mut qp = nic.create_qp(&QpConfig { qpn: 0x11, ..QpConfig::default() })?;
//! nic.post_write(&mut qp, &Write { length_bytes: 4096, ..Write::default() })?;
//! while nic.poll()?.is_none() {}
//! # Ok(()) }
//! ```
#![no_std]
#![deny(unsafe_code)]

#[allow(unsafe_code)]
pub mod mmio;
mod ring;
pub mod rings;

use nic_spec::cc_params::CcParams;
use nic_spec::config::SQ_SCALE_MAX;
use nic_spec::regs;
pub use nic_spec::rows::{
    Completion, CompletionKind, MrRow, QpRow as QpConfig, Status, INLINE_BYTES_MAX,
};
use nic_spec::rows::{Operation, Row, Table, WrRow};
use ring::{CompletionRing, Ring};

/// 32-bit register access; addresses are byte offsets into the CSR space.
pub trait Bus {
    /// Error of one access.
    type Error: core::fmt::Debug;
    /// Reads the register at `address_bytes` (a multiple of 4).
    fn read32(&mut self, address_bytes: u32) -> Result<u32, Self::Error>;
    /// Writes the register at `address_bytes` (a multiple of 4).
    fn write32(&mut self, address_bytes: u32, value: u32) -> Result<(), Self::Error>;
}

/// Why an operation failed; nothing was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error<E> {
    /// The bus refused an access.
    Bus(E),
    /// `ID` does not read as this NIC; the value that was read.
    NotThisDevice(u32),
    /// The register map has another major version; the value that was read.
    UnknownVersion(u32),
    /// A table commit, or the end of the completion ring, took [`COMMIT_POLLS_MAX`] polls.
    Timeout,
    /// The NIC refused the row: index out of range or no completion room.
    Refused,
    /// The send queue of this QP is full: poll completions first.
    SendQueueFull,
    /// An argument is out of range; the text names it.
    Argument(&'static str),
}

impl<E: core::fmt::Debug> core::fmt::Display for Error<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Bus(e) => write!(f, "register access failed: {e:?}"),
            Self::NotThisDevice(id) => write!(
                f,
                "no NIC here: the id register reads {id:#010x}, not {:#010x}",
                regs::ID_VALUE
            ),
            Self::UnknownVersion(v) => write!(
                f,
                "register map version {v:#010x} is not known: this driver is for {:#010x}",
                regs::VERSION_VALUE
            ),
            Self::Timeout => write!(
                f,
                "the NIC was busy for {COMMIT_POLLS_MAX} polls: its clock, or its memory's answers"
            ),
            Self::Refused => f.write_str(
                "the NIC refused a table row: its index is out of range, the queue pair is not \
                 valid or has a ring, or there is no room for the completion",
            ),
            Self::SendQueueFull => f.write_str("send queue full: poll completions first"),
            Self::Argument(what) => f.write_str(what),
        }
    }
}

impl<E: core::fmt::Debug> core::error::Error for Error<E> {}

/// Polls of `ROW_STATUS` before a commit is given up.
pub const COMMIT_POLLS_MAX: u32 = 10_000;
/// Longest message in bytes.
pub const MESSAGE_BYTES_MAX: u32 = 1 << 31;

/// Sizes the core was emitted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Queue pairs.
    pub flow_count: u32,
    /// Memory regions.
    pub mr_count: u32,
    /// Send queue entries a QP.
    pub sq_depth: u32,
    /// Core clock in Hz.
    pub clock_hz: u32,
}

/// A queue pair of ours: the send queue's books.
#[derive(Debug, PartialEq, Eq)]
pub struct Qp {
    /// Table index, `qpn mod flow_count`.
    pub flow_index: u16,
    /// Our QPN.
    pub qpn: u32,
    ring: Option<Ring>,
    posted_count: u32,
    completed_count: u32,
}

impl Qp {
    /// Books of a queue pair at this index with nothing outstanding.
    pub fn at_index(flow_index: u16, qpn: u32) -> Self {
        Self { flow_index, qpn, ring: None, posted_count: 0, completed_count: 0 }
    }

    /// Work requests posted and not completed yet.
    pub fn outstanding_count(&self) -> u32 {
        self.posted_count.wrapping_sub(self.completed_count)
    }

    /// Books a completion of this QP. Completions come in posting order, and `wr_id` numbers the
    /// posts, so a signalled completion covers the unsignalled ones before it. One that names no
    /// outstanding post is left over from an earlier queue pair of the index, and changes nothing.
    pub fn complete(&mut self, completion: &Completion) {
        let ours = completion.flow_index == self.flow_index;
        let ahead = completion.wr_id.wrapping_sub(self.completed_count);
        let is_outstanding = ahead < self.outstanding_count();
        if ours && completion.kind == CompletionKind::Requester && is_outstanding {
            self.completed_count = completion.wr_id.wrapping_add(1);
        }
    }
}

/// An RDMA WRITE to post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Write {
    /// Address of the first byte on the NIC's AXI4 master.
    pub local_address: u64,
    /// Bytes, 0..=[`MESSAGE_BYTES_MAX`].
    pub length_bytes: u32,
    /// The peer's virtual address.
    pub remote_va: u64,
    /// The peer's memory key.
    pub rkey: u32,
    /// Immediate data to deliver with it.
    pub immediate: Option<u32>,
    /// The bytes themselves, of which `length_bytes` count: they go with the work request, so the
    /// NIC does not read them at `local_address`.
    pub inline: Option<[u8; INLINE_BYTES_MAX]>,
    /// No completion for a success.
    pub unsignalled: bool,
}

/// An RDMA READ to post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// Address on the NIC's AXI4 master where the first byte goes.
    pub local_address: u64,
    /// Bytes, 0..=[`MESSAGE_BYTES_MAX`].
    pub length_bytes: u32,
    /// The peer's virtual address.
    pub remote_va: u64,
    /// The peer's memory key.
    pub rkey: u32,
    /// No completion for a success.
    pub unsignalled: bool,
}

impl Write {
    fn to_row(self) -> WrRow {
        let bytes = self.inline.unwrap_or_default();
        let word = |at: usize| u64::from_le_bytes(core::array::from_fn(|n| bytes[at + n]));
        WrRow {
            inline: self.inline.is_some(),
            inline_0: word(0),
            inline_8: word(8),
            inline_16: word(16),
            operation: match self.immediate {
                Some(_) => Operation::WriteImmediate,
                None => Operation::Write,
            },
            signalled: !self.unsignalled,
            local_address: self.local_address,
            length_bytes: self.length_bytes,
            rkey: self.rkey,
            remote_va: self.remote_va,
            immediate: self.immediate.unwrap_or(0),
            ..WrRow::default()
        }
    }
}

impl Read {
    fn to_row(self) -> WrRow {
        WrRow {
            operation: Operation::Read,
            signalled: !self.unsignalled,
            local_address: self.local_address,
            length_bytes: self.length_bytes,
            rkey: self.rkey,
            remote_va: self.remote_va,
            ..WrRow::default()
        }
    }
}

/// A work request of a good length.
fn check_length<E>(row: &WrRow) -> Result<(), Error<E>> {
    if row.length_bytes > MESSAGE_BYTES_MAX {
        return Err(Error::Argument("length_bytes is at most 2^31"));
    }
    if row.inline && row.length_bytes as usize > INLINE_BYTES_MAX {
        return Err(Error::Argument("inline: length_bytes is at most 24"));
    }
    Ok(())
}

/// Who computes the windows of data, and what ACKs echo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CcMode {
    /// The sender, from all records of each stack.
    #[default]
    Sender = 0,
    /// The receiver, which sends them instead of echoes; on both sides.
    Receiver = 1,
    /// The sender, from the record of the most loaded hop, which this NIC as receiver echoes alone. The peer needs nothing.
    WorstHop = 2,
}

/// One NIC behind a bus.
#[derive(Debug)]
pub struct Nic<B> {
    bus: B,
    sizes: Sizes,
    sq_scale: u8,
    /// A queue pair has been made.
    has_qp: bool,
    cq: Option<CompletionRing>,
}

impl<B: Bus> Nic<B> {
    /// Checks id and version and reads the sizes.
    pub fn probe(mut bus: B) -> Result<Self, Error<B::Error>> {
        let mut read = |offset: u16| bus.read32(u32::from(offset)).map_err(Error::Bus);
        let id = read(regs::ID)?;
        if id != regs::ID_VALUE {
            return Err(Error::NotThisDevice(id));
        }
        let version = read(regs::VERSION)?;
        if version >> 16 != regs::VERSION_VALUE >> 16 {
            return Err(Error::UnknownVersion(version));
        }
        let sizes = read(regs::SIZES)?;
        let log2 = |lsb: u32| 1u32 << (sizes >> lsb & 15);
        let sizes = Sizes {
            flow_count: log2(4),
            mr_count: log2(8),
            sq_depth: log2(12),
            clock_hz: read(regs::CLOCK_HZ)?,
        };
        Ok(Self { bus, sizes, sq_scale: 0, has_qp: false, cq: None })
    }

    /// Sizes read at probe.
    pub fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The bus, for what the driver does not cover.
    pub fn bus(&mut self) -> &mut B {
        &mut self.bus
    }

    /// Sets this host's MAC (48 bits, first byte in bits 47:40) and IPv4 address.
    pub fn set_address(&mut self, mac: u64, ip: u32) -> Result<(), Error<B::Error>> {
        self.write(regs::config_offset::local_mac_lo, mac as u32)?;
        self.write(regs::config_offset::local_mac_hi, (mac >> 32) as u32 & 0xffff)?;
        self.write(regs::config_offset::local_ip, ip)
    }

    /// Selects the telemetry format (0 none, 1 paper, 2 authors' 42 bytes, 3 INT-MD,
    /// 4 IOAM, 5 IFA) and its DSCP marks.
    pub fn set_telemetry(
        &mut self,
        format: u8,
        dscp: u8,
        echo_dscp: u8,
    ) -> Result<(), Error<B::Error>> {
        if format > 5 || dscp > 63 || echo_dscp > 63 {
            return Err(Error::Argument("telemetry: format is 0..=5, DSCP 0..=63"));
        }
        let value = u32::from(format) | u32::from(dscp) << 8 | u32::from(echo_dscp) << 16;
        self.write(regs::config_offset::telemetry, value)
    }

    /// Says who begins INT-MD, IOAM or IFA: this NIC's data packets bring its header along, INT-MD marked by
    /// the UDP port of [`Nic::set_telemetry_stack`] or by their DSCP, or the first switch inserts it, which
    /// [`Nic::set_telemetry`] goes back to.
    pub fn set_telemetry_source(
        &mut self,
        is_source: bool,
        by_port: bool,
    ) -> Result<(), Error<B::Error>> {
        let telemetry = self.read(regs::config_offset::telemetry)? & !(0b11 << 3);
        let value = telemetry | u32::from(is_source) << 3 | u32::from(is_source && by_port) << 4;
        self.write(regs::config_offset::telemetry, value)
    }

    /// Sets how many PSNs are from one data packet of a queue pair with a telemetry header to the next
    /// one: 0 none has one, 1 each packet, 255 once a round trip.
    pub fn set_telemetry_every(&mut self, every: u8) -> Result<(), Error<B::Error>> {
        self.write(regs::config_offset::telemetry_every, every.into())
    }

    /// Sets how many cycles are from one probe of a queue pair to the next one, at least: the base
    /// round-trip time; 0: no probes. Only data packets without a telemetry header are probed for.
    pub fn set_probe_cycles(&mut self, cycles: u32) -> Result<(), Error<B::Error>> {
        if cycles >= 1 << 20 {
            return Err(Error::Argument("probes: at most 2^20 - 1 cycles"));
        }
        self.write(regs::config_offset::probe_cycles, cycles)
    }

    /// Sets who computes the windows of data, and what is echoed of the peer's. Before the first queue pair is made.
    pub fn set_cc_mode(&mut self, mode: CcMode) -> Result<(), Error<B::Error>> {
        self.write(regs::config_offset::cc_mode, mode as u32)
    }

    /// Tells about INT-MD, IOAM and IFA: the UDP port that marks INT-MD, whether queues
    /// are counted in bytes, whether IOAM's fractions of a second are binary, and the rate codes
    /// (0..=7) by the low three bits of the egress interface.
    pub fn set_telemetry_stack(
        &mut self,
        port: u16,
        queue_in_bytes: bool,
        time_is_binary: bool,
        rate_codes: [u8; 8],
    ) -> Result<(), Error<B::Error>> {
        if rate_codes.iter().any(|code| *code > 7) {
            return Err(Error::Argument("telemetry: rate codes are 0..=7"));
        }
        let rates = rate_codes.iter().rev().fold(0, |word, code| word << 3 | u32::from(*code));
        let units = u32::from(queue_in_bytes) << 16 | u32::from(time_is_binary) << 17;
        let stack = u32::from(port) | units;
        self.write(regs::config_offset::telemetry_stack, stack)?;
        self.write(regs::config_offset::telemetry_rates, rates)
    }

    /// Sets how many bursts the NIC reads from host memory at a time at most: what the bridge before
    /// it allows, 32 for a QDMA or XDMA. 128 after reset.
    pub fn set_reads_max(&mut self, bursts: u8) -> Result<(), Error<B::Error>> {
        if bursts == 0 {
            return Err(Error::Argument("reads: 1..=255 bursts at a time"));
        }
        self.write(regs::config_offset::reads_max, bursts.into())
    }

    /// Makes send queues `4^scale` times deeper than after reset, for as many times fewer queue pairs:
    /// `scale` is 0..=2. Before the first queue pair is made.
    pub fn set_sq_scale(&mut self, scale: u8) -> Result<(), Error<B::Error>> {
        if scale > SQ_SCALE_MAX {
            return Err(Error::Argument("send queues: 4^0..=4^2 times deeper"));
        }
        if self.has_qp && scale != self.sq_scale {
            return Err(Error::Argument("send queues: a queue pair has been made already"));
        }
        self.write(regs::config_offset::sq_scale, scale.into())?;
        self.sq_scale = scale;
        Ok(())
    }

    /// Queue pairs that can be made: their indexes are below.
    pub fn qp_count(&self) -> u32 {
        self.sizes.flow_count >> (2 * self.sq_scale)
    }

    /// Loads the congestion control's parameters.
    pub fn set_cc_params(&mut self, params: &CcParams) -> Result<(), Error<B::Error>> {
        use regs::config_offset as at;
        let p = params;
        for (offset, value) in [
            (at::cc_t_ns, p.t_ns),
            (at::cc_inv_t, p.inv_t),
            (at::cc_queue_gain, p.queue_gain),
            (at::cc_util_gain, p.util_gain),
            (at::cc_check, p.check),
            (at::cc_active, p.active),
            (at::cc_target, p.target),
            (at::cc_u_one, p.u_one),
            (at::cc_max_stage, u32::from(p.max_stage)),
            (at::cc_w_ai, p.w_ai),
            (at::cc_w_init, p.w_init),
            (at::cc_w_min, p.w_min),
            (at::cc_rate_gain, p.rate_gain),
            (at::cc_rate_min, p.rate_min),
            (at::cc_rate_max, p.rate_max),
            (at::feedback_cycles, p.feedback_cycles),
        ] {
            self.write(offset, value)?;
        }
        Ok(())
    }

    /// Window in bytes and rate in UQ8.24 bytes a cycle that the QP was last given, since
    /// [`Nic::watch_cc`]; 0 before it did.
    pub fn cc_state(&mut self) -> Result<(u32, u32), Error<B::Error>> {
        Ok((self.read(regs::CC_WINDOW)?, self.read(regs::CC_RATE)?))
    }

    /// Makes `qp` the one whose window and rate [`Nic::cc_state`] reads.
    pub fn watch_cc(&mut self, qp: &Qp) -> Result<(), Error<B::Error>> {
        self.write(regs::config_offset::cc_watch, u32::from(qp.flow_index))
    }

    /// Makes the READ responses of `qp` those whose window and rate [`Nic::cc_state`] reads.
    pub fn watch_cc_of_responses(&mut self, qp: &Qp) -> Result<(), Error<B::Error>> {
        let flow = u32::from(qp.flow_index) + self.sizes.flow_count;
        self.write(regs::config_offset::cc_watch, flow)
    }

    /// Creates (or resets) the queue pair at `qpn mod flow_count`. Unless its caller says
    /// otherwise, RNR NAKs are retried without limit, and 4 READs may be outstanding. With `sq_log2`
    /// it has a submission ring, and [`Nic::submit`] takes the place of `post_*`.
    pub fn create_qp(&mut self, config: &QpConfig) -> Result<Qp, Error<B::Error>> {
        if config.qpn >> 24 != 0 || config.remote_qpn >> 24 != 0 || config.mtu_code > 4 {
            return Err(Error::Argument("qp: QPNs are 24 bits, mtu_code 0..=4"));
        }
        if config.rnr_retry_limit > 7 || config.read_limit > 16 {
            return Err(Error::Argument("qp: rnr_retry_limit is 0..=7, read_limit 0..=16"));
        }
        if config.sq_log2 > 15 || !config.sq_address.is_multiple_of(64) {
            return Err(Error::Argument("qp: sq_log2 is 0..=15, sq_address a multiple of 64"));
        }
        let flow_index = (config.qpn % self.sizes.flow_count) as u16;
        if u32::from(flow_index) >= self.qp_count() {
            return Err(Error::Argument(
                "qp: send queues are deeper, so there are fewer queue pairs",
            ));
        }
        self.has_qp = true;
        self.commit(Table::Qp, flow_index, &QpConfig { valid: true, ..*config }.to_row())?;
        let ring = Ring { address: config.sq_address, log2: config.sq_log2 };
        let ring = (config.sq_log2 > 0).then_some(ring);
        Ok(Qp { ring, ..Qp::at_index(flow_index, config.qpn) })
    }

    /// Destroys a queue pair; packets for it are dropped from now on.
    pub fn destroy_qp(&mut self, qp: Qp) -> Result<(), Error<B::Error>> {
        self.commit(Table::Qp, qp.flow_index, &[0; 16])
    }

    /// Opens a memory region at `(rkey >> 8) mod mr_count`.
    pub fn create_mr(&mut self, region: &MrRow) -> Result<(), Error<B::Error>> {
        if region.va.checked_add(region.length_bytes).is_none() {
            return Err(Error::Argument("memory region: va + length_bytes overflows 64 bits"));
        }
        let index = (region.rkey >> 8) % self.sizes.mr_count;
        self.commit(Table::Mr, index as u16, &MrRow { valid: true, ..*region }.to_row())
    }

    /// Revokes the memory region of `rkey`.
    pub fn destroy_mr(&mut self, rkey: u32) -> Result<(), Error<B::Error>> {
        let index = (rkey >> 8) % self.sizes.mr_count;
        self.commit(Table::Mr, index as u16, &[0; 16])
    }

    /// Posts an RDMA WRITE by registers; the id that its completion will carry.
    pub fn post_write(&mut self, qp: &mut Qp, write: &Write) -> Result<u32, Error<B::Error>> {
        self.post(qp, write.to_row())
    }

    /// Posts an RDMA READ by registers; the id that its completion will carry. The bytes are in
    /// host memory when the completion is.
    pub fn post_read(&mut self, qp: &mut Qp, read: &Read) -> Result<u32, Error<B::Error>> {
        self.post(qp, read.to_row())
    }

    fn post(&mut self, qp: &mut Qp, row: WrRow) -> Result<u32, Error<B::Error>> {
        check_length(&row)?;
        if qp.ring.is_some() {
            return Err(Error::Argument("post: the QP has a submission ring"));
        }
        if qp.outstanding_count() >= self.sizes.sq_depth << (2 * self.sq_scale) {
            return Err(Error::SendQueueFull);
        }
        let wr_id = qp.posted_count;
        self.commit(Table::Wr, qp.flow_index, &WrRow { wr_id, ..row }.to_row())?;
        qp.posted_count = qp.posted_count.wrapping_add(1);
        Ok(wr_id)
    }

    /// Takes the oldest completion by registers, while no completion ring is open; give it to
    /// [`Qp::complete`] of its queue pair.
    pub fn poll(&mut self) -> Result<Option<Completion>, Error<B::Error>> {
        if self.read(regs::CQ_COUNT)? == 0 {
            return Ok(None);
        }
        let mut words = [0; 4];
        for (offset, word) in (regs::CQ_ENTRY..).step_by(4).zip(&mut words) {
            *word = self.read(offset)?;
        }
        self.write(regs::CQ_POP, 1)?;
        Ok(Some(Completion::from_words(words)))
    }

    /// Value of the event counter called `event` in [`regs::EVENTS`].
    pub fn counter(&mut self, event: &str) -> Result<u32, Error<B::Error>> {
        let index = regs::event_index(event).ok_or(Error::Argument("no such event counter"))?;
        self.read(regs::COUNTERS + 4 * index as u16)
    }

    fn commit(&mut self, table: Table, index: u16, row: &Row) -> Result<(), Error<B::Error>> {
        for (offset, word) in (regs::ROW_DATA..).step_by(4).zip(row) {
            self.write(offset, *word)?;
        }
        self.write(regs::ROW_COMMIT, u32::from(index) | (table as u32) << 16)?;
        for _ in 0..COMMIT_POLLS_MAX {
            match self.read(regs::ROW_STATUS)? {
                0 => return Ok(()),
                status if status & 1 == 0 => return Err(Error::Refused),
                _ => {}
            }
        }
        Err(Error::Timeout)
    }

    fn read(&mut self, offset: u16) -> Result<u32, Error<B::Error>> {
        self.bus.read32(u32::from(offset)).map_err(Error::Bus)
    }

    fn write(&mut self, offset: u16, value: u32) -> Result<(), Error<B::Error>> {
        self.bus.write32(u32::from(offset), value).map_err(Error::Bus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps the row that was staged last, and the register outside of it that was written last.
    struct Staging {
        row: Row,
        last: (u32, u32),
    }

    impl Bus for Staging {
        type Error = ();

        fn read32(&mut self, _address_bytes: u32) -> Result<u32, ()> {
            Ok(0)
        }

        fn write32(&mut self, address_bytes: u32, value: u32) -> Result<(), ()> {
            let word = address_bytes.wrapping_sub(regs::ROW_DATA.into()) / 4;
            match self.row.get_mut(word as usize) {
                Some(place) => *place = value,
                None => self.last = (address_bytes, value),
            }
            Ok(())
        }
    }

    fn nic() -> Nic<Staging> {
        let sizes = Sizes { flow_count: 64, mr_count: 64, sq_depth: 2, clock_hz: 125_000_000 };
        let bus = Staging { row: [0; 16], last: (0, 0) };
        Nic { bus, sizes, sq_scale: 0, has_qp: false, cq: None }
    }

    #[test]
    fn driver_posts_a_read_and_a_write_with_ids_of_one_count() {
        let (mut nic, mut qp) = (nic(), Qp::at_index(5, 5));
        let read = Read {
            local_address: 0x1_0000_2000,
            length_bytes: 600,
            remote_va: 0x7f00_0000_1000,
            rkey: 0x311,
            unsignalled: true,
        };
        assert_eq!(nic.post_read(&mut qp, &read), Ok(0));
        // Operation 2, not signalled.
        let row = [2, 0, 0x2000, 1, 600, 0x311, 0x1000, 0x7f00, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(nic.bus.row, row);
        assert_eq!(nic.post_write(&mut qp, &Write::default()), Ok(1));
        assert_eq!(nic.bus.row[..2], [4, 1]);
        assert_eq!(nic.post_read(&mut qp, &read), Err(Error::SendQueueFull));
        let inline = Some(core::array::from_fn(|n| n as u8));
        let write = Write { length_bytes: 24, inline, unsignalled: true, ..Write::default() };
        let mut other = Qp::at_index(6, 6);
        assert_eq!(nic.post_write(&mut other, &write), Ok(0));
        assert_eq!(nic.bus.row[..5], [1 << 4, 0, 0, 0, 24]);
        assert_eq!(nic.bus.row[10..12], [0x0302_0100, 0x0706_0504]);
        assert_eq!(nic.bus.row[14..], [0x1312_1110, 0x1716_1514]);
        let long = Write { length_bytes: 25, ..write };
        assert!(matches!(nic.post_write(&mut other, &long), Err(Error::Argument(_))));
        let too_long = Read { length_bytes: MESSAGE_BYTES_MAX + 1, ..read };
        assert!(matches!(nic.post_read(&mut qp, &too_long), Err(Error::Argument(_))));
    }

    #[test]
    fn driver_bounds_the_reads_outstanding() {
        let mut nic = nic();
        nic.set_reads_max(32).expect("good");
        assert_eq!(nic.bus.last, (0xc0, 32));
        assert!(matches!(nic.set_reads_max(0), Err(Error::Argument(_))));
        assert_eq!(nic.bus.last, (0xc0, 32));
    }

    #[test]
    fn driver_makes_send_queues_deeper_for_fewer_queue_pairs() {
        let mut nic = nic();
        assert!(matches!(nic.set_sq_scale(3), Err(Error::Argument(_))));
        nic.set_sq_scale(2).expect("good");
        assert_eq!(nic.bus.last, (0xc4, 2));
        let config = QpConfig { qpn: 0x103, ..QpConfig::default() };
        let mut qp = nic.create_qp(&config).expect("below 4 of 64");
        assert!(matches!(nic.set_sq_scale(1), Err(Error::Argument(_))));
        let behind = QpConfig { qpn: 0x104, ..config };
        assert!(matches!(nic.create_qp(&behind), Err(Error::Argument(_))));
        for wr_id in 0..32 {
            assert_eq!(nic.post_write(&mut qp, &Write::default()), Ok(wr_id));
        }
        assert_eq!(nic.post_write(&mut qp, &Write::default()), Err(Error::SendQueueFull));
    }

    #[test]
    fn driver_retries_rnr_without_limit_unless_told() {
        let mut nic = nic();
        nic.create_qp(&QpConfig::default()).expect("good");
        assert_eq!(nic.bus.row[10], 7 | 4 << 8);
        let config = QpConfig { rnr_retry_limit: 0, read_limit: 16, ..QpConfig::default() };
        nic.create_qp(&config).expect("good");
        assert_eq!(nic.bus.row[10], 16 << 8);
        let config = QpConfig { read_limit: 17, ..config };
        assert!(matches!(nic.create_qp(&config), Err(Error::Argument(_))));
    }
}
