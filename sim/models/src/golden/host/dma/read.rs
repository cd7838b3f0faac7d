//! Twin of `hdl/src/host/dma/read.rs`: memory to a stream, byte by byte from its lane.

use crate::golden::host::axi::{ReadMaster, ReadSlave, CACHE, PROT};
use crate::golden::host::dma::bursts::{Description, DmaBursts};
use crate::golden::util::fifo::LutFifo;
use crate::golden::util::skid::Skid;
use crate::ports;
use crate::ports::{keep, Data, Golden};
use crate::streams::{AxisUser, ReadCommand, ReadyPort, TreadyPort};

/// Commands that are asked for ahead of their data.
const WAITING_COMMANDS: usize = 8;

/// One beat of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamBeat {
    /// Data, byte 0 in bits 7:0; 0 outside `keep`.
    pub data: Data,
    /// Valid bytes.
    pub keep: u64,
    /// Last beat of the command.
    pub last: bool,
    /// On the last beat: the memory reported an error.
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

#[derive(Clone, Debug)]
struct Aligner {
    beat_bytes: u64,
    descriptions: LutFifo<Description>,
    bus: Skid<(Data, bool)>,
    active: Option<Active>,
    rotated: Option<Step>,
    beat: StreamBeat,
    valid: bool,
}

impl Aligner {
    fn new(beat_bytes: usize) -> Self {
        Self {
            beat_bytes: beat_bytes as u64,
            descriptions: LutFifo::new(WAITING_COMMANDS),
            bus: Skid::default(),
            active: None,
            rotated: None,
            beat: StreamBeat::default(),
            valid: false,
        }
    }

    fn step(&mut self, reset: bool, d: Option<Description>, r: Option<(Data, bool)>, ready: bool) {
        if reset {
            *self = Self::new(self.beat_bytes as usize);
            return;
        }
        if ready || !self.valid {
            let next = self.rotated.take().and_then(|step| step.beat);
            self.valid = next.is_some();
            self.beat = next.unwrap_or(self.beat);
        }
        let mut takes_bus = false;
        if self.rotated.is_none() {
            if let Some(mut active) = self.active.take() {
                let needs_bus = active.bus_bytes_left > 0;
                if !needs_bus || self.bus.m_valid() {
                    takes_bus = needs_bus;
                    self.rotated = Some(self.advance(&mut active));
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
        let error = last && active.error;
        Step { beat: Some(StreamBeat { data, keep: keep(count), last, error }) }
    }
}

/// The read engine.
#[derive(Clone, Debug)]
pub struct DmaRead {
    cutter: DmaBursts,
    aligner: Aligner,
}

impl DmaRead {
    /// An engine for beats of `beat_bytes`, a power of two up to 64.
    pub fn new(beat_bytes: usize) -> Self {
        assert!(beat_bytes.is_power_of_two() && beat_bytes <= 64, "beats of 1 to 64 bytes");
        Self { cutter: DmaBursts::new(beat_bytes), aligner: Aligner::new(beat_bytes) }
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
            rready: self.aligner.bus.s_ready(),
            ..Default::default()
        }
    }

    /// One clock edge. `command` is address and length.
    pub fn step(
        &mut self,
        reset: bool,
        command: Option<(u64, u16)>,
        axi: &ReadSlave,
        stream_ready: bool,
    ) {
        let room = self.aligner.descriptions.s_ready();
        let description = self.cutter.m_d().filter(|d| d.burst_count > 0);
        self.cutter.step(reset, command, axi.arready, room);
        let bus = axi.rvalid.then_some((axi.rdata, axi.rresp & 2 != 0));
        self.aligner.step(reset, description, bus, stream_ready);
    }
}

ports! {
    /// Inputs.
    pub struct DmaReadIn {
        /// Synchronous reset.
        pub reset: bool,
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
        let command = i.s_cmd.valid.then_some((i.s_cmd.addr, i.s_cmd.bytes));
        DmaRead::step(self, i.reset, command, &i.m_axi, i.m_axis.tready);
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
