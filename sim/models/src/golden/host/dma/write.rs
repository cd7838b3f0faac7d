//! Twin of `hdl/src/host/dma/write.rs`: payload to memory, byte by byte to its lane.

use crate::golden::host::axi::{WriteMaster, WriteSlave, CACHE, PROT};
use crate::golden::host::dma::bursts::{window_bytes, BurstsIn, Description, DmaBursts};
use crate::golden::util::fifo::LutFifo;
use crate::golden::util::skid::Skid;
use crate::ports;
use crate::ports::{keep, Data, Golden};
use crate::streams::{AxisEvent, ReadyPort, TreadyPort, WriteCommand, WriteDone};
use nic_spec::config::dma_waiting;
use nic_spec::NicConfig;

/// A command: address of its first byte, bytes, and the tag that comes back with the report.
type Command<T> = (u64, u16, T);

/// Beats of payload that wait for the description of their command.
const WAITING_BEATS: usize = 4;

/// One beat of the W channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct BusBeat {
    data: Data,
    strobe: u64,
    last: bool,
}

/// Bytes that have come from the stream and not gone to the bus.
#[derive(Clone, Debug, Default)]
struct Active {
    at: u64,
    bytes_left: u64,
    stream_bytes_left: u64,
    held: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Aligner {
    beat_bytes: u64,
    descriptions: LutFifo<Description>,
    /// Before `payload`, in wide datapaths.
    waiting: Option<LutFifo<Data>>,
    payload: Skid<Data>,
    active: Option<Active>,
    rotated: Option<BusBeat>,
    beat: BusBeat,
    valid: bool,
}

impl Aligner {
    fn new(config: &NicConfig) -> Self {
        Self {
            beat_bytes: config.data_bytes() as u64,
            descriptions: LutFifo::new(config.write_commands()),
            waiting: (dma_waiting(config.data_bits) > 0).then(|| LutFifo::new(WAITING_BEATS)),
            payload: Skid::default(),
            active: None,
            rotated: None,
            beat: BusBeat::default(),
            valid: false,
        }
    }

    fn step(&mut self, d: Option<Description>, mut s: Option<Data>, ready: bool) {
        if ready || !self.valid {
            let next = self.rotated.take();
            self.valid = next.is_some();
            self.beat = next.unwrap_or(self.beat);
        }
        let mut takes_payload = false;
        if self.rotated.is_none() {
            if let Some(mut active) = self.active.take() {
                let needs_payload = active.stream_bytes_left > 0;
                if !needs_payload || self.payload.m_valid() {
                    takes_payload = needs_payload;
                    self.rotated = Some(self.bus_beat(&mut active));
                }
                self.active = (active.bytes_left > 0).then_some(active);
            }
        }
        let load = self.active.is_none() && self.descriptions.m_valid();
        if load {
            let Description { addr, bytes, .. } = self.descriptions.m_data();
            let bytes = u64::from(bytes);
            let (bytes_left, stream_bytes_left) = (bytes, bytes);
            let (at, held) = (addr, Vec::new());
            self.active = Some(Active { at, bytes_left, stream_bytes_left, held });
        }
        self.descriptions.step(false, d, load);
        if let Some(waiting) = &mut self.waiting {
            let next = waiting.m_valid().then(|| waiting.m_data());
            waiting.step(false, s, self.payload.s_ready());
            s = next;
        }
        self.payload.step(false, s, takes_payload);
    }

    /// The next bus beat of `active`; takes the payload at hand if the stream has more.
    fn bus_beat(&self, active: &mut Active) -> BusBeat {
        if active.stream_bytes_left > 0 {
            let came = active.stream_bytes_left.min(self.beat_bytes);
            active.held.extend(&self.payload.m_data().bytes()[..came as usize]);
            active.stream_bytes_left -= came;
        }
        let lane = active.at % self.beat_bytes;
        let count = active.bytes_left.min(self.beat_bytes - lane);
        let mut bytes = vec![0; lane as usize];
        bytes.extend(active.held.drain(..count as usize));
        active.at = active.at.wrapping_add(count);
        active.bytes_left -= count;
        BusBeat {
            data: Data::of(&bytes),
            strobe: keep(count as usize) << lane,
            last: active.bytes_left == 0 || active.at.is_multiple_of(window_bytes(self.beat_bytes)),
        }
    }
}

#[derive(Clone, Debug)]
struct Collector<T> {
    tags: LutFifo<T>,
    /// Bursts of the commands that have been cut.
    counts: LutFifo<u8>,
    responses: Skid<bool>,
    /// Of the oldest command: responses that have come, and whether one was an error.
    came: u8,
    failed: bool,
    done: bool,
    tag: T,
    error: bool,
}

impl<T: Copy + Default> Collector<T> {
    fn new(config: &NicConfig) -> Self {
        let (responses, came, failed, done, tag, error) = Default::default();
        let tags = LutFifo::new(config.write_commands());
        let counts = LutFifo::new(config.write_commands());
        Self { tags, counts, responses, came, failed, done, tag, error }
    }

    fn step(&mut self, tag: Option<T>, bursts: Option<u8>, error: Option<bool>, ready: bool) {
        self.done &= !ready;
        let oldest = self.counts.m_valid().then(|| self.counts.m_data());
        let collects = oldest.is_some_and(|b| b > self.came) && self.responses.m_valid();
        let ends = oldest == Some(self.came) && !self.done;
        if collects {
            self.came += 1;
            self.failed |= self.responses.m_data();
        }
        if ends {
            (self.done, self.tag, self.error) = (true, self.tags.m_data(), self.failed);
            (self.came, self.failed) = (0, false);
        }
        self.tags.step(false, tag, ends);
        self.counts.step(false, bursts, ends);
        self.responses.step(false, error, collects);
    }
}

/// The write engine with tags of type `T`.
#[derive(Clone, Debug)]
pub struct DmaWrite<T> {
    config: NicConfig,
    cutter: DmaBursts,
    aligner: Aligner,
    collector: Collector<T>,
}

impl<T: Copy + Default> DmaWrite<T> {
    /// The engine of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            config: config.clone(),
            cutter: DmaBursts::new(config.data_bytes()),
            aligner: Aligner::new(config),
            collector: Collector::new(config),
        }
    }

    /// `s_cmd_ready`.
    pub fn s_cmd_ready(&self) -> bool {
        self.cutter.s_ready() && self.collector.tags.s_ready()
    }

    /// `s_axis_tready`.
    pub fn s_axis_tready(&self) -> bool {
        let aligner = &self.aligner;
        aligner.waiting.as_ref().map_or(aligner.payload.s_ready(), LutFifo::s_ready)
    }

    /// `m_done_valid`, tag and error (the last ones while not valid).
    pub fn m_done(&self) -> (bool, T, bool) {
        (self.collector.done, self.collector.tag, self.collector.error)
    }

    /// Pins of the AXI4 write channels.
    pub fn m_axi(&self) -> WriteMaster {
        let (awvalid, burst) = self.cutter.m_a();
        let BusBeat { data, strobe, last } = self.aligner.beat;
        WriteMaster {
            awaddr: burst.addr,
            awlen: burst.len,
            awsize: self.aligner.beat_bytes.trailing_zeros() as u8,
            awburst: 1,
            awcache: CACHE,
            awprot: PROT,
            awvalid,
            wdata: data,
            wstrb: strobe,
            wlast: last,
            wvalid: self.aligner.valid,
            bready: self.collector.responses.s_ready(),
            ..Default::default()
        }
    }

    /// One clock edge. `payload` is the offered beat.
    pub fn step(
        &mut self,
        reset: bool,
        command: Option<Command<T>>,
        payload: Option<Data>,
        axi: &WriteSlave,
        done_ready: bool,
    ) {
        if reset {
            *self = Self::new(&self.config);
            return;
        }
        let room = self.aligner.descriptions.s_ready();
        let description = self.cutter.m_d().filter(|_| room);
        let with_bytes = description.filter(|d| d.burst_count > 0);
        let bursts = description.map(|d| d.burst_count);
        let command = command.filter(|_| self.s_cmd_ready());
        let tag = command.map(|(_, _, tag)| tag);
        let command = command.map(|(addr, bytes, _)| (addr, bytes));
        let a_ready = axi.awready;
        self.cutter.step(false, &BurstsIn { command, open: true, a_ready, d_ready: room });
        self.aligner.step(with_bytes, payload, axi.wready);
        let response = axi.bvalid.then_some(axi.bresp & 2 != 0);
        self.collector.step(tag, bursts, response, done_ready);
    }
}

ports! {
    /// Inputs of the engine with tags of 128 bits.
    pub struct DmaWriteIn {
        /// Synchronous reset.
        pub reset: bool,
        /// Commands.
        pub s_cmd: WriteCommand,
        /// Payload.
        pub s_axis: AxisEvent<Data>,
        /// AXI4 write channels.
        pub m_axi: WriteSlave,
        /// The report is taken.
        pub m_done: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct DmaWriteOut {
        /// The command will be taken.
        pub s_cmd: ReadyPort,
        /// The beat will be taken.
        pub s_axis: TreadyPort,
        /// AXI4 write channels.
        pub m_axi: WriteMaster,
        /// Reports.
        pub m_done: WriteDone,
    }
}

impl Golden for DmaWrite<u128> {
    type In = DmaWriteIn;
    type Out = DmaWriteOut;
    fn step(&mut self, i: &DmaWriteIn) -> DmaWriteOut {
        let WriteCommand { valid, addr, bytes, tag } = i.s_cmd;
        let command = valid.then_some((addr, bytes, tag));
        let payload = i.s_axis.tvalid.then_some(i.s_axis.tdata);
        DmaWrite::step(self, i.reset, command, payload, &i.m_axi, i.m_done.ready);
        let (valid, tag, error) = self.m_done();
        DmaWriteOut {
            s_cmd: ReadyPort { ready: self.s_cmd_ready() },
            s_axis: TreadyPort { tready: self.s_axis_tready() },
            m_axi: self.m_axi(),
            m_done: WriteDone { valid, tag, error },
        }
    }
}
