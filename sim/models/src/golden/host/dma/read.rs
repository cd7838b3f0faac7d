//! Twin of `hdl/src/host/dma/read.rs`: memory to a stream, byte by byte from its lane.

use crate::golden::host::axi::{ReadMaster, ReadSlave, CACHE, PROT};
use crate::golden::host::dma::bursts::{window_bytes, BurstsIn, Description, DmaBursts};
use crate::golden::util::fifo::{LutFifo, RamFifo};
use crate::golden::util::skid::Skid;
use crate::ports;
use crate::ports::{keep, Data, Golden};
use crate::streams::{AxisUser, ReadCommand, ReadyPort, TreadyPort};
use nic_spec::NicConfig;

/// Beats of the landing buffer.
const LANDING_BEATS: u64 = 1024;

/// One beat of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamBeat {
    /// Data, byte 0 in bits 7:0; 0 outside `keep`.
    pub data: Data,
    /// Valid bytes.
    pub keep: u64,
    /// Last beat of the command.
    pub last: bool,
    /// The memory has reported an error of this beat or one before.
    pub error: bool,
}

/// A step of the aligner: a bus beat, or the flush after the last one.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// What it puts out; a first bus beat that does not begin with lane 0 only opens.
    beat: Option<StreamBeat>,
}

/// Bytes that have come from the bus and not gone to the stream.
#[derive(Clone, Debug, Default)]
struct Active {
    at: u64,
    bus_bytes_left: u64,
    bytes_left: u64,
    opened: bool,
    held: Vec<u8>,
    error: bool,
}

/// A beat of memory, and whether it is an error.
type BusBeat = (Data, bool);

#[derive(Clone, Debug)]
struct Aligner {
    beat_bytes: u64,
    descriptions: LutFifo<Description>,
    bus: Skid<BusBeat>,
    active: Option<Active>,
    rotated: Option<Step>,
    beat: StreamBeat,
    valid: bool,
    /// The last beat of a burst was taken at the last edge.
    ended: bool,
}

impl Aligner {
    fn new(config: &NicConfig) -> Self {
        Self {
            beat_bytes: config.data_bytes() as u64,
            descriptions: LutFifo::new(config.read_commands()),
            bus: Skid::default(),
            active: None,
            rotated: None,
            beat: StreamBeat::default(),
            valid: false,
            ended: false,
        }
    }

    fn step(&mut self, d: Option<Description>, r: Option<BusBeat>, ready: bool) {
        if ready || !self.valid {
            let next = self.rotated.take().and_then(|step| step.beat);
            self.valid = next.is_some();
            self.beat = next.unwrap_or(self.beat);
        }
        let mut takes_bus = false;
        self.ended = false;
        if self.rotated.is_none() {
            if let Some(mut active) = self.active.take() {
                let needs_bus = active.bus_bytes_left > 0;
                if !needs_bus || self.bus.m_valid() {
                    takes_bus = needs_bus;
                    self.rotated = Some(self.advance(&mut active));
                    let is_end = active.bus_bytes_left == 0
                        || active.at.is_multiple_of(window_bytes(self.beat_bytes));
                    self.ended = takes_bus && is_end;
                }
                self.active = (active.bytes_left > 0).then_some(active);
            }
        }
        let load = self.active.is_none() && self.descriptions.m_valid();
        if load {
            let Description { addr, bytes, .. } = self.descriptions.m_data();
            let bytes = u64::from(bytes);
            let mut active = Active { at: addr, ..Active::default() };
            (active.bus_bytes_left, active.bytes_left) = (bytes, bytes);
            self.active = Some(active);
        }
        self.descriptions.step(false, d, load);
        self.bus.step(false, r, takes_bus);
    }

    /// Takes a bus beat if there is one left, and gives a stream beat unless it was only a part of
    /// the first.
    fn advance(&self, active: &mut Active) -> Step {
        // With bytes from lane 0 on a bus beat is a stream beat. Else what stands in the stream
        // beat is decided by the bytes before the new ones come: a full beat, or the last bytes.
        let opens = !active.opened && !active.at.is_multiple_of(self.beat_bytes);
        active.opened = true;
        if active.bus_bytes_left > 0 {
            let (data, error) = self.bus.m_data();
            let lane = active.at % self.beat_bytes;
            let came = active.bus_bytes_left.min(self.beat_bytes - lane);
            active.held.extend(&data.bytes()[lane as usize..(lane + came) as usize]);
            active.at = active.at.wrapping_add(came);
            active.bus_bytes_left -= came;
            active.error |= error;
        }
        if opens {
            return Step { beat: None };
        }
        let count = active.bytes_left.min(self.beat_bytes);
        active.bytes_left -= count;
        let last = active.bytes_left == 0;
        let count = count as usize;
        let data = Data::of(&active.held[..count]);
        active.held.drain(..count);
        let error = active.error;
        Step { beat: Some(StreamBeat { data, keep: keep(count), last, error }) }
    }
}

/// Places for what memory answers, promised to bursts when they are asked for.
#[derive(Clone, Debug)]
struct Landing {
    beats: RamFifo<BusBeat>,
    /// Places that no burst has.
    free: u64,
    window_beats: u64,
}

impl Landing {
    /// The buffer of a NIC of these sizes, if it has one.
    fn new(config: &NicConfig) -> Option<Self> {
        let beat_bytes = config.data_bytes() as u64;
        let window_beats = window_bytes(beat_bytes) / beat_bytes;
        let beats = RamFifo::new(LANDING_BEATS as usize);
        config.has_dma_landing().then_some(Self { beats, free: LANDING_BEATS, window_beats })
    }

    /// `asked`: beats of a burst that was asked for.
    fn step(&mut self, asked: Option<u64>, r: Option<BusBeat>, taken: bool) {
        self.free -= asked.unwrap_or(0);
        self.free += u64::from(self.beats.m_valid() && taken);
        self.beats.step(false, r, taken);
    }
}

/// The read engine.
#[derive(Clone, Debug)]
pub struct DmaRead {
    config: NicConfig,
    cutter: DmaBursts,
    landing: Option<Landing>,
    aligner: Aligner,
    /// Bursts that were asked for and have not ended.
    reads: u8,
    is_full: bool,
}

impl DmaRead {
    /// The engine of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            config: config.clone(),
            cutter: DmaBursts::new(config.data_bytes()),
            landing: Landing::new(config),
            aligner: Aligner::new(config),
            reads: 0,
            is_full: false,
        }
    }

    /// `s_cmd_ready`.
    pub fn s_cmd_ready(&self) -> bool {
        self.cutter.s_ready()
    }

    /// `m_axis_tvalid` and the beat: the last one while not valid.
    pub fn m_axis(&self) -> (bool, StreamBeat) {
        (self.aligner.valid, self.aligner.beat)
    }

    /// Pins of the AXI4 read channels.
    pub fn m_axi(&self) -> ReadMaster {
        let (arvalid, burst) = self.cutter.m_a();
        ReadMaster {
            araddr: burst.addr,
            arlen: burst.len,
            arsize: self.aligner.beat_bytes.trailing_zeros() as u8,
            arburst: 1,
            arcache: CACHE,
            arprot: PROT,
            arvalid,
            rready: match &self.landing {
                Some(landing) => landing.beats.s_ready(),
                None => self.aligner.bus.s_ready(),
            },
            ..Default::default()
        }
    }

    /// One clock edge.
    pub fn step(&mut self, i: &DmaReadIn) {
        if i.reset {
            *self = Self::new(&self.config);
            return;
        }
        // A burst that has just come up is not yet counted.
        let started = self.cutter.started();
        let asked = started.then(|| u64::from(self.cutter.m_a().1.len) + 1);
        let may_ask = !started && !self.is_full;
        let has_room = self.landing.as_ref().is_none_or(|l| l.free >= l.window_beats);
        self.reads += u8::from(started);
        self.reads -= u8::from(self.aligner.ended);
        self.is_full = self.reads > 0 && self.reads >= i.cfg_reads_max;
        let room = self.aligner.descriptions.s_ready();
        let description = self.cutter.m_d().filter(|d| d.burst_count > 0);
        let command = i.s_cmd.valid.then_some((i.s_cmd.addr, i.s_cmd.bytes));
        let (a_ready, open) = (i.m_axi.arready, may_ask && has_room);
        self.cutter.step(false, &BurstsIn { command, open, a_ready, d_ready: room });
        let mut beat = i.m_axi.rvalid.then_some((i.m_axi.rdata, i.m_axi.rresp & 2 != 0));
        if let Some(landing) = &mut self.landing {
            let came = beat;
            beat = landing.beats.m_valid().then(|| landing.beats.m_data());
            landing.step(asked, came, self.aligner.bus.s_ready());
        }
        self.aligner.step(description, beat, i.m_axis.tready);
    }
}

ports! {
    /// Inputs.
    pub struct DmaReadIn {
        /// Synchronous reset.
        pub reset: bool,
        /// Bursts without all their data at most.
        pub cfg_reads_max: u8,
        /// Commands.
        pub s_cmd: ReadCommand,
        /// AXI4 read channels.
        pub m_axi: ReadSlave,
        /// The beat is taken.
        pub m_axis: TreadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct DmaReadOut {
        /// The command will be taken.
        pub s_cmd: ReadyPort,
        /// AXI4 read channels.
        pub m_axi: ReadMaster,
        /// Data; tuser: an error of the memory.
        pub m_axis: AxisUser,
    }
}

impl Golden for DmaRead {
    type In = DmaReadIn;
    type Out = DmaReadOut;
    fn step(&mut self, i: &DmaReadIn) -> DmaReadOut {
        DmaRead::step(self, i);
        let (tvalid, beat) = self.m_axis();
        DmaReadOut {
            s_cmd: ReadyPort { ready: self.s_cmd_ready() },
            m_axi: self.m_axi(),
            m_axis: AxisUser {
                tdata: beat.data,
                tkeep: beat.keep,
                tlast: beat.last,
                tuser: beat.error,
                tvalid,
            },
        }
    }
}
