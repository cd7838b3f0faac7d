//! Software on an AXI4-Lite bus: writes that it was given, in order, and reads and idle writes all
//! over the map between them.

use nic_models::streams::{back, AxiLite};
use nic_spec::regs::Register;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// The software.
pub struct Software {
    rng: ChaCha8Rng,
    bus: AxiLite,
    /// Writes to be done: byte address and value.
    pub writes: VecDeque<(u16, u32)>,
    /// Registers that idle writes leave alone.
    kept: &'static [Register],
    writing: bool,
    /// Write and read addresses are taken at the coming edge.
    taken: (bool, bool),
}

impl Software {
    /// Software that writes no register of `kept` of its own accord.
    pub fn new(rng: ChaCha8Rng, kept: &'static [Register]) -> Self {
        let (bus, writes) = Default::default();
        Self { rng, bus, writes, kept, writing: false, taken: (false, false) }
    }

    /// Forgets accesses under way, as the block's reset does, and writes anew.
    pub fn restart(&mut self, writes: impl Into<VecDeque<(u16, u32)>>) {
        (self.bus, self.writing, self.taken) = Default::default();
        self.writes = writes.into();
    }

    /// All writes were answered.
    pub fn is_done(&self) -> bool {
        self.writes.is_empty() && !self.writing
    }

    fn address(&mut self) -> u16 {
        match self.rng.gen_range(0..4) {
            0 => self.rng.gen(),
            1 => self.rng.gen_range(0..0xa0),
            _ => 4 * self.rng.gen_range(0..40),
        }
    }

    /// The master's pins for the coming edge; `slave` are the block's before it.
    pub fn drive(&mut self, slave: &back::AxiLite) -> AxiLite {
        let (write_taken, read_taken) = self.taken;
        if write_taken && self.bus.awvalid {
            (self.bus.awvalid, self.bus.wvalid) = (false, false);
        }
        if read_taken {
            self.bus.arvalid = false;
        }
        self.taken = (slave.awready, slave.arready);
        if !self.writing && self.rng.gen_ratio(1, 4) {
            let (at, value) = (self.address(), self.rng.gen());
            let idle = Some((at, value)).filter(|_| self.kept.iter().all(|r| r.offset != at));
            if let Some((address, value)) = self.writes.pop_front().or(idle) {
                self.writing = true;
                (self.bus.awvalid, self.bus.wvalid) = (true, true);
                (self.bus.awaddr, self.bus.wdata, self.bus.wstrb) = (address, value, 15);
            }
        }
        if !self.bus.arvalid && self.rng.gen_ratio(1, 8) {
            (self.bus.arvalid, self.bus.araddr) = (true, self.address());
        }
        (self.bus.bready, self.bus.rready) = (self.rng.gen(), self.rng.gen());
        if slave.bvalid && self.bus.bready {
            self.writing = false;
        }
        self.bus
    }
}
