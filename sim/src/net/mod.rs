//! Networks of NICs: stations and a switch on one clock.

pub mod figure;
pub mod history;
pub mod latency;
pub mod rates;
pub mod switch;
pub mod transit;
pub mod writes;

use crate::engine::EngineKind;
use crate::env::station::{BusError, Manners, Station};
use history::History;
use nic_driver::rings::HostMemory;
use nic_driver::Bus;
use nic_harness::lockstep::StepError;
use nic_harness::verilator::Source;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;
use nic_spec::wire::telemetry::Form;
use nic_spec::NicConfig;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::error::Error;
use std::rc::Rc;
use switch::{wire_bytes, Faults, Switch};

/// Longest register access in cycles.
const ACCESS_CYCLES_MAX: u64 = 1000;

/// MAC address of a station.
pub fn mac(station: usize) -> u64 {
    0x0200_0000_0001 + station as u64
}

/// IPv4 address of a station.
pub fn ip(station: usize) -> u32 {
    0x0a00_0001 + station as u32
}

/// Two NICs of the preset `gbe`, each in its host, on a switch of 10 Gb/s without faults: where to
/// start from.
pub fn pair(engine: EngineKind) -> Result<[NetworkBus; 2], Box<dyn Error>> {
    let config = NicConfig::preset("gbe")?;
    let source = match engine.has_rtl() {
        true => crate::bench::emitted("nic", &config)?,
        false => Source::new("nic", ""),
    };
    let mut stations = Vec::new();
    for seed in 0..2 {
        let engine = engine.nic(&config, &source, seed)?;
        stations.push(Station::new(engine, Manners::Prompt, seed)?);
    }
    let switch = Switch::new(&[mac(0), mac(1)], 10.0, Faults::default(), 1);
    let network = Rc::new(RefCell::new(Network::new(stations, switch, config.clock_hz)));
    Ok([0, 1].map(|station| NetworkBus { network: network.clone(), station }))
}

/// Stations, each on the switch port of its index.
#[derive(Debug)]
pub struct Network {
    /// The NICs.
    pub stations: Vec<Station>,
    /// What connects them.
    pub switch: Switch,
    /// A switch that frames pass before it.
    pub first_switch: Option<Switch>,
    /// Rate at which the MACs of the NICs send, Gb/s; absent: a beat a cycle.
    pub mac_gbps: Option<f64>,
    /// When each of them has sent what it took.
    mac_free_ns: Vec<f64>,
    /// Length of a clock cycle.
    cycle_ns: f64,
    /// Cycles run.
    cycle: u64,
    /// The station that is in a register access, and the answer once it is there.
    access: Option<usize>,
    answer: Option<(u32, bool)>,
    /// Frames that the NICs sent.
    pub frames: u64,
    /// ACKs among them.
    pub acks: BTreeMap<Ack, u64>,
    /// What the first two stations were given.
    pub carried: [Carried; 2],
    /// What happens over time, if it is wanted.
    pub history: Option<History>,
}

/// What an ACK with telemetry in the paper's form, or without, looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ack {
    /// Length of the frame.
    pub bytes: usize,
    /// Records that it echoes.
    pub hop_count: u16,
    /// Rate code of the first one.
    pub rate_code: Option<u8>,
}

/// Frames that a station was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// How many.
    pub frames: u64,
    /// Their bytes, from the destination MAC address to the ICRC.
    pub bytes: u64,
}

impl Ack {
    fn of(frame: &[u8]) -> Option<Self> {
        let parsed = |form| FrameRepr::parse(frame, form).ok();
        let packet = parsed(None).or_else(|| parsed(Some(Form::Paper)))?;
        if packet.bth.opcode != opcode::ACKNOWLEDGE {
            return None;
        }
        let hops = packet.telemetry.map_or((0, None), |(_, tel)| {
            (tel.hop_count, (tel.hop_count > 0).then_some(tel.hops[0].rate_code))
        });
        Some(Self { bytes: frame.len(), hop_count: hops.0, rate_code: hops.1 })
    }
}

impl Network {
    /// Connects the stations; `clock_hz` is their clock.
    pub fn new(stations: Vec<Station>, switch: Switch, clock_hz: u64) -> Self {
        let cycle_ns = 1e9 / clock_hz as f64;
        Self {
            mac_gbps: None,
            mac_free_ns: vec![0.0; stations.len()],
            stations,
            switch,
            first_switch: None,
            cycle_ns,
            cycle: 0,
            access: None,
            answer: None,
            frames: 0,
            acks: BTreeMap::new(),
            carried: Default::default(),
            history: None,
        }
    }

    /// Cycles run.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Time in ns.
    pub fn now_ns(&self) -> f64 {
        self.cycle as f64 * self.cycle_ns
    }

    /// One clock cycle of everything.
    pub fn tick(&mut self) -> Result<(), StepError> {
        let begin_ns = self.now_ns();
        for (at, station) in self.stations.iter_mut().enumerate() {
            let free_ns = &mut self.mac_free_ns[at];
            if self.mac_gbps.is_some() {
                station.hold_tx(*free_ns > begin_ns + self.cycle_ns);
            }
            if self.access == Some(at) {
                self.answer = station.tick_access()?.or(self.answer);
            } else {
                station.tick()?;
            }
            while let Some((_, frame)) = station.sent.pop_front() {
                self.frames += 1;
                if let Some(gbps) = self.mac_gbps {
                    // The frame leaves from its first beat on.
                    let beats = station.beats(frame.bytes.len());
                    let first_ns = begin_ns - (beats - 1) as f64 * self.cycle_ns;
                    let wire_ns = wire_bytes(&frame.bytes) as f64 * 8.0 / gbps;
                    *free_ns = free_ns.max(first_ns) + wire_ns;
                }
                if let Some(ack) = Ack::of(&frame.bytes) {
                    *self.acks.entry(ack).or_default() += 1;
                }
                let switch = self.first_switch.as_mut().unwrap_or(&mut self.switch);
                let (bytes, harmed) = (frame.bytes.len(), switch.counters.harmed());
                switch.receive(frame.bytes);
                if let Some(history) = &mut self.history {
                    history.sent(at, bytes, switch.counters.harmed() > harmed);
                }
            }
        }
        self.cycle += 1;
        let now_ns = self.now_ns();
        if let Some(first) = &mut self.first_switch {
            for at in 0..self.stations.len() {
                if let Some(frame) = first.poll(at, now_ns) {
                    self.switch.receive(frame);
                }
            }
        }
        for (at, station) in self.stations.iter_mut().enumerate() {
            if let Some(frame) = self.switch.poll(at, now_ns) {
                if let Some(carried) = self.carried.get_mut(at) {
                    carried.frames += 1;
                    carried.bytes += frame.len() as u64;
                }
                station.deliver(frame, false);
            }
        }
        if let Some(history) = &mut self.history {
            history.cycle(&self.switch);
        }
        Ok(())
    }

    fn access(&mut self, at: usize, address: u32, value: Option<u32>) -> Result<u32, BusError> {
        self.stations[at].begin_access(address, value);
        (self.access, self.answer) = (Some(at), None);
        for _ in 0..ACCESS_CYCLES_MAX {
            self.tick()?;
            if let Some((data, is_refused)) = self.answer.take() {
                self.access = None;
                return if is_refused { Err(BusError::Refused(address)) } else { Ok(data) };
            }
        }
        Err(BusError::Timeout(address))
    }
}

/// The register bus of one NIC of a network: the network runs while an access is under way.
#[derive(Clone, Debug)]
pub struct NetworkBus {
    /// The network.
    pub network: Rc<RefCell<Network>>,
    /// Index of the station.
    pub station: usize,
}

impl NetworkBus {
    /// Stores bytes in the host's memory.
    pub fn store_bytes(&self, address: u64, bytes: &[u8]) {
        self.network.borrow_mut().stations[self.station].memory.store(address, bytes);
    }

    /// Time in ns.
    pub fn now_ns(&self) -> f64 {
        self.network.borrow().now_ns()
    }

    /// Bytes of the host's memory.
    pub fn load_bytes(&self, address: u64, byte_count: usize) -> Vec<u8> {
        self.network.borrow().stations[self.station].memory.load(address, byte_count)
    }
}

impl Bus for NetworkBus {
    type Error = BusError;

    fn read32(&mut self, address_bytes: u32) -> Result<u32, BusError> {
        self.network.borrow_mut().access(self.station, address_bytes, None)
    }

    fn write32(&mut self, address_bytes: u32, value: u32) -> Result<(), BusError> {
        self.network.borrow_mut().access(self.station, address_bytes, Some(value)).map(|_| ())
    }
}

impl HostMemory for NetworkBus {
    /// Takes one cycle, so that time passes for software that polls memory.
    fn load(&mut self, address: u64, words: &mut [u32]) -> Result<(), BusError> {
        self.network.borrow_mut().tick()?;
        self.network.borrow().stations[self.station].memory.load_words(address, words);
        Ok(())
    }

    fn store(&mut self, address: u64, words: &[u32]) -> Result<(), BusError> {
        self.network.borrow_mut().stations[self.station].memory.store_words(address, words);
        Ok(())
    }
}
