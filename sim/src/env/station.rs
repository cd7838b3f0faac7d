//! One NIC in its surroundings: host memory, a register bus, and the frames of both streams. Any
//! engine drives it: the golden model, the Verilated NIC, or both in lock-step.

use super::axi_mem::AxiMem;
use super::stream::{Beat, Frame, FrameSink, FrameSource, Stall};
use nic_driver::rings::HostMemory;
use nic_driver::Bus;
use nic_harness::lockstep::{StepError, Stepper};
use nic_models::golden::nic::{NicIn, NicOut};
use nic_models::ports::Both;
use nic_models::streams::{AxiLite, TreadyPort};
use nic_spec::config::NicConfig;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use std::fmt;

/// Longest register access in cycles: a counter read, and some.
const ACCESS_CYCLES_MAX: u64 = 1000;

/// Whatever has the NIC's pins and takes its steps.
type Steps = Box<dyn Stepper<In = NicIn, Out = NicOut> + Send>;

/// An engine that runs a NIC.
pub struct NicEngine {
    steps: Steps,
    /// Bytes a beat of its datapath.
    data_bytes: usize,
}

impl NicEngine {
    /// The engine `steps` for a NIC of the sizes of `config`.
    pub fn new<S>(config: &NicConfig, steps: S) -> Self
    where
        S: Stepper<In = NicIn, Out = NicOut> + Send + 'static,
    {
        Self { steps: Box::new(steps), data_bytes: config.data_bytes() }
    }
}

/// Why a register access, and with it a driver call, fails.
#[derive(Debug)]
pub enum BusError {
    /// The engine failed: a mismatch, mostly.
    Step(StepError),
    /// The NIC answered SLVERR at this address.
    Refused(u32),
    /// No answer at this address.
    Timeout(u32),
}

impl fmt::Display for BusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(e) => e.fmt(f),
            Self::Refused(address) => write!(f, "register access at {address:#05x} was refused"),
            Self::Timeout(address) => write!(f, "register access at {address:#05x} hangs"),
        }
    }
}

impl std::error::Error for BusError {}

impl From<StepError> for BusError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

/// How the surroundings behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manners {
    /// Never stall; memory answers after a few cycles.
    Prompt,
    /// Random stalls on every interface.
    Stalling,
}

/// Latency of a prompt memory in cycles.
const MEMORY_LATENCY_CYCLES: u64 = 8;

/// What is around a NIC. Call [`World::drive`] once a cycle.
pub struct World {
    axil: AxiLite,
    /// Host memory.
    pub memory: AxiMem,
    rx: FrameSource,
    rx_frames: VecDeque<(Vec<u8>, bool)>,
    host_tx: FrameSource,
    tx_sink: FrameSink,
    host_sink: FrameSink,
    /// The MAC takes no new frame.
    is_tx_held: bool,
    stalls: Option<[Stall; 2]>,
    /// Of the register bus: address and data of a write, its answer, address of a read, its answer.
    register_stalls: Option<[Stall; 5]>,
    pins: NicIn,
    /// Frames that the NIC sent, with the cycle of their last beat.
    pub sent: VecDeque<(u64, Frame)>,
    /// Frames that the NIC gave to the host's own stack.
    pub to_host: VecDeque<Frame>,
    cycle: u64,
    quiet_cycles: u64,
    tx_beats: u64,
    rx_end_cycle: u64,
    write_cycle: u64,
    irq: bool,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("cycle", &self.cycle).finish_non_exhaustive()
    }
}

impl World {
    /// Surroundings of a NIC with beats of `data_bytes`, whose random behaviour is a function of
    /// `seed`.
    pub fn new(data_bytes: usize, manners: Manners, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x57a7_1014);
        let mut sub = || ChaCha8Rng::from_rng(&mut rng).expect("ChaCha cannot fail");
        let memory = AxiMem::new(data_bytes, seed);
        let (prompt, rx) = (manners == Manners::Prompt, FrameSource::new(sub(), data_bytes));
        let host_tx = FrameSource::new(sub(), data_bytes);
        let stalls = std::array::from_fn(|_| Stall::new(sub()));
        let memory = if prompt { memory.without_stalls(MEMORY_LATENCY_CYCLES) } else { memory };
        Self {
            axil: AxiLite::default(),
            memory,
            rx: if prompt { rx.prompt() } else { rx.gapless() },
            rx_frames: VecDeque::new(),
            host_tx: if prompt { host_tx.prompt() } else { host_tx },
            tx_sink: FrameSink::default(),
            host_sink: FrameSink::default(),
            is_tx_held: false,
            stalls: (!prompt).then_some(stalls),
            register_stalls: None,
            pins: NicIn::default(),
            sent: VecDeque::new(),
            to_host: VecDeque::new(),
            cycle: 0,
            quiet_cycles: 0,
            tx_beats: 0,
            rx_end_cycle: 0,
            write_cycle: 0,
            irq: false,
        }
    }

    /// Stalls what [`Manners::Stalling`] does not: the five channels of the register bus, and frames
    /// from the wire between their beats.
    pub fn stall_everything(&mut self, seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x57a7_1015);
        let mut sub = || ChaCha8Rng::from_rng(&mut rng).expect("ChaCha cannot fail");
        self.rx = FrameSource::new(sub(), self.memory.beat_bytes());
        self.register_stalls = Some(std::array::from_fn(|_| Stall::new(sub())));
    }

    /// Cycles since reset.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Beats of a frame of so many bytes.
    pub fn beats(&self, frame_bytes: usize) -> u64 {
        frame_bytes.div_ceil(self.memory.beat_bytes()) as u64
    }

    /// Cycles since the NIC last moved a beat on a stream or used host memory.
    pub fn quiet_cycles(&self) -> u64 {
        self.quiet_cycles
    }

    /// Cycle in which the NIC last took the last beat of a frame.
    pub fn rx_end_cycle(&self) -> u64 {
        self.rx_end_cycle
    }

    /// Cycle in which the NIC last took the data of a register write.
    pub fn write_cycle(&self) -> u64 {
        self.write_cycle
    }

    /// Beats that the NIC sent.
    pub fn tx_beats(&self) -> u64 {
        self.tx_beats
    }

    /// Queues a frame from the wire; `tuser` marks it bad.
    pub fn deliver(&mut self, frame: Vec<u8>, tuser: bool) {
        self.quiet_cycles = 0;
        self.rx_frames.push_back((frame, tuser));
    }

    /// Frames from the wire that the NIC has not begun to take.
    pub fn undelivered(&self) -> usize {
        self.rx_frames.len()
    }

    /// Whether the MAC takes no new frame from now on; one that has begun goes on.
    pub fn hold_tx(&mut self, is_held: bool) {
        self.is_tx_held = is_held;
    }

    /// Queues a frame of the host's own stack.
    pub fn send_from_host(&mut self, frame: &[u8]) {
        self.host_tx.push(frame, false);
    }

    /// The NIC's inputs of this cycle; `out` are its outputs before the edge.
    pub fn drive(&mut self, out: &NicOut) -> NicIn {
        let mut go = match &mut self.stalls {
            Some(stalls) => [stalls[0].go(), stalls[1].go()],
            None => [true; 2],
        };
        go[0] &= !self.is_tx_held || self.tx_sink.is_in_frame();
        if self.rx.pending_beats() == 0 {
            if let Some((frame, tuser)) = self.rx_frames.pop_front() {
                self.rx.push(&frame, tuser);
            }
        }
        let rx = self.rx.drive(out.s_axis_rx.tready);
        let host = self.host_tx.drive(out.s_axis_host.tready);
        self.pins = NicIn {
            reset: false,
            s_axil: self.drive_registers(),
            m_axi: Both(
                self.memory.drive_write(&out.m_axi.0),
                self.memory.drive_read(&out.m_axi.1),
            ),
            s_axis_rx: Beat::offered_user(rx),
            m_axis_tx: TreadyPort { tready: go[0] },
            m_axis_host: TreadyPort { tready: go[1] },
            s_axis_host: Beat::offered(host),
        };
        self.collect(out, go);
        self.cycle += 1;
        self.pins
    }

    /// Pins of the register bus: what stalls is not shown, but a valid that was shown stays.
    fn drive_registers(&mut self) -> AxiLite {
        let (axil, shown) = (self.axil, self.pins.s_axil);
        let Some(stalls) = &mut self.register_stalls else { return axil };
        let [aw, w, b, ar, r] = stalls.each_mut().map(Stall::go);
        AxiLite {
            awvalid: axil.awvalid && (aw || shown.awvalid),
            wvalid: axil.wvalid && (w || shown.wvalid),
            bready: axil.bready && b,
            arvalid: axil.arvalid && (ar || shown.arvalid),
            rready: axil.rready && r,
            ..axil
        }
    }

    fn collect(&mut self, out: &NicOut, go: [bool; 2]) {
        self.irq = out.irq;
        let rx = &self.pins.s_axis_rx;
        if rx.tvalid && rx.tlast && out.s_axis_rx.tready {
            self.rx_end_cycle = self.cycle;
        }
        if self.pins.s_axil.wvalid && out.s_axil.wready {
            self.write_cycle = self.cycle;
        }
        let moved = (out.m_axis_tx.tvalid, out.m_axis_host.tvalid, self.pins.s_axis_rx.tvalid);
        let busy = moved != (false, false, false)
            || out.m_axi.0.awvalid
            || out.m_axi.0.wvalid
            || out.m_axi.1.arvalid
            || !self.memory.is_idle();
        self.quiet_cycles = if busy { 0 } else { self.quiet_cycles + 1 };
        if out.m_axis_tx.tvalid && go[0] {
            self.tx_beats += 1;
            if let Some(frame) = self.tx_sink.take(&Beat::of(&out.m_axis_tx)) {
                self.sent.push_back((self.cycle, frame));
            }
        }
        if out.m_axis_host.tvalid && go[1] {
            self.to_host.extend(self.host_sink.take(&Beat::of(&out.m_axis_host)));
        }
    }

    /// The interrupt line, as the NIC last drove it.
    pub fn irq(&self) -> bool {
        self.irq
    }

    /// Starts a register access: a write if there is a value.
    pub fn begin_access(&mut self, address_bytes: u32, value: Option<u32>) {
        let addr = address_bytes as u16;
        self.axil = match value {
            Some(wdata) => AxiLite {
                awaddr: addr,
                awvalid: true,
                wdata,
                wstrb: 0xf,
                wvalid: true,
                bready: true,
                ..Default::default()
            },
            None => AxiLite { araddr: addr, arvalid: true, rready: true, ..Default::default() },
        };
    }

    /// The answer once it is taken: data and whether it was refused.
    fn poll_access(&self, out: &NicOut) -> Option<(u32, bool)> {
        let (master, slave) = (self.pins.s_axil, out.s_axil);
        let done = (slave.bvalid && master.bready) || (slave.rvalid && master.rready);
        if done && !self.axil.awvalid && !self.axil.arvalid {
            return Some((slave.rdata, slave.bresp | slave.rresp != 0));
        }
        None
    }

    /// Ready pins seen before an edge end the address phase behind it.
    fn end_address_phase(&mut self, before: &NicOut) {
        let shown = self.pins.s_axil;
        self.axil.awvalid &= !(shown.awvalid && before.s_axil.awready);
        self.axil.wvalid &= !(shown.wvalid && before.s_axil.wready);
        self.axil.arvalid &= !(shown.arvalid && before.s_axil.arready);
    }

    /// As [`World::drive`], in a cycle of an access; its answer once it is there.
    pub fn drive_access(&mut self, out: &NicOut) -> (NicIn, Option<(u32, bool)>) {
        let pins = self.drive(out);
        let answer = self.poll_access(out);
        self.end_address_phase(out);
        if answer.is_some() {
            self.axil = AxiLite::default();
        }
        (pins, answer)
    }
}

/// A NIC in its surroundings.
pub struct Station {
    engine: NicEngine,
    out: NicOut,
    world: World,
}

impl fmt::Debug for Station {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.world.fmt(f)
    }
}

impl std::ops::Deref for Station {
    type Target = World;
    fn deref(&self) -> &World {
        &self.world
    }
}

impl std::ops::DerefMut for Station {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.world
    }
}

impl Station {
    /// Resets `engine` and puts it into its surroundings.
    pub fn new(mut engine: NicEngine, manners: Manners, seed: u64) -> Result<Self, StepError> {
        let out = engine.steps.reset()?;
        let world = World::new(engine.data_bytes, manners, seed);
        Ok(Self { engine, out, world })
    }

    /// One clock cycle.
    pub fn tick(&mut self) -> Result<(), StepError> {
        let pins = self.world.drive(&self.out);
        self.out = self.engine.steps.step(&pins)?;
        Ok(())
    }

    /// Runs `cycles` cycles.
    pub fn run(&mut self, cycles: u64) -> Result<(), StepError> {
        (0..cycles).try_for_each(|_| self.tick())
    }

    /// One cycle during an access.
    pub fn tick_access(&mut self) -> Result<Option<(u32, bool)>, StepError> {
        let (pins, answer) = self.world.drive_access(&self.out);
        self.out = self.engine.steps.step(&pins)?;
        Ok(answer)
    }

    fn access(&mut self, address_bytes: u32, value: Option<u32>) -> Result<u32, BusError> {
        self.begin_access(address_bytes, value);
        for _ in 0..ACCESS_CYCLES_MAX {
            match self.tick_access()? {
                Some((data, false)) => return Ok(data),
                Some((_, true)) => return Err(BusError::Refused(address_bytes)),
                None => {}
            }
        }
        Err(BusError::Timeout(address_bytes))
    }
}

impl Bus for Station {
    type Error = BusError;

    fn read32(&mut self, address_bytes: u32) -> Result<u32, BusError> {
        self.access(address_bytes, None)
    }

    fn write32(&mut self, address_bytes: u32, value: u32) -> Result<(), BusError> {
        self.access(address_bytes, Some(value)).map(|_| ())
    }
}

impl HostMemory for Station {
    fn load(&mut self, address: u64, words: &mut [u32]) -> Result<(), BusError> {
        self.world.memory.load_words(address, words);
        Ok(())
    }

    fn store(&mut self, address: u64, words: &[u32]) -> Result<(), BusError> {
        self.world.memory.store_words(address, words);
        Ok(())
    }
}

/// A seed for each part of a run.
pub fn sub_seed(seed: u64, part: u64) -> u64 {
    ChaCha8Rng::seed_from_u64(seed ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15)).next_u64()
}
