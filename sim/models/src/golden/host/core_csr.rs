//! Twin of `hdl/src/host/core_csr.rs`: register decode of a core that stands alone.

use crate::golden::host::axil_port::{Access, Answer, AxilPort, AxilPortIn, AxilPortOut};
use crate::golden::host::csr_regs::{CsrRegsRead, RegisterFile};
use crate::ports::Golden;
use crate::streams::{back, AxiLite};
use nic_spec::regs::{self, Register};
use nic_spec::NicConfig;

crate::ports! {
    /// An access without its data, which goes to the registers.
    pub struct AccessAt {
        pub valid: bool,
        pub write: bool,
        pub addr: u16,
    }
}
crate::ports! {
    /// Inputs.
    pub struct CoreCsrIn {
        pub reset: bool,
        pub s: AccessAt,
        pub regs_hit: bool,
        pub regs_data: u32,
    }
}
crate::ports! {
    /// Outputs.
    pub struct CoreCsrOut {
        pub s: Answer,
        pub regs_wr_valid: bool,
    }
}

impl From<Access> for AccessAt {
    fn from(access: Access) -> Self {
        Self { valid: access.valid, write: access.write, addr: access.addr }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Step {
    #[default]
    Start,
    Decide,
    Finish,
}

/// The decode.
#[derive(Clone, Debug)]
pub struct CoreCsr {
    id: u32,
    sizes: u32,
    clock_hz: u32,
    step: Step,
}

impl CoreCsr {
    /// The decode of the core with this `ID`.
    pub fn new(id: u32, config: &NicConfig) -> Self {
        Self {
            id,
            sizes: config.flow_sizes_word(),
            clock_hz: config.clock_hz as u32,
            step: Step::Start,
        }
    }

    /// Value of the register at `offset`, `None` where there is none.
    fn read(&self, offset: u16, i: &CoreCsrIn) -> Option<u32> {
        match offset {
            regs::ID => Some(self.id),
            regs::VERSION => Some(regs::VERSION_VALUE),
            regs::SIZES => Some(self.sizes),
            regs::CLOCK_HZ => Some(self.clock_hz),
            _ => i.regs_hit.then_some(i.regs_data),
        }
    }
}

impl Golden for CoreCsr {
    type In = CoreCsrIn;
    type Out = CoreCsrOut;

    fn step(&mut self, i: &CoreCsrIn) -> CoreCsrOut {
        let mut out = CoreCsrOut::default();
        self.step = match self.step {
            _ if i.reset => Step::Start,
            Step::Start if i.s.valid => Step::Decide,
            Step::Finish if !i.s.valid => Step::Start,
            Step::Start | Step::Finish => self.step,
            Step::Decide => {
                out.s.done = true;
                let in_map = i.s.addr < 0x400 && i.s.addr.is_multiple_of(4);
                let ok = if in_map && i.s.write {
                    out.regs_wr_valid = i.regs_hit;
                    i.regs_hit
                } else {
                    let value = self.read(i.s.addr, i).filter(|_| in_map);
                    out.s.rdata = value.unwrap_or(0);
                    value.is_some()
                };
                out.s.error = !ok;
                Step::Finish
            }
        };
        out
    }
}

/// Port, decode and registers of a core that stands alone, wired together.
#[derive(Clone, Debug)]
pub struct CoreRegisters {
    rows: &'static [Register],
    port: AxilPort,
    decode: CoreCsr,
    file: RegisterFile,
    port_out: AxilPortOut,
    decode_out: CoreCsrOut,
    read: CsrRegsRead,
}

impl CoreRegisters {
    /// The registers `rows` of the core with this `ID`.
    pub fn new(id: u32, rows: &'static [Register], config: &NicConfig) -> Self {
        Self {
            rows,
            port: AxilPort::default(),
            decode: CoreCsr::new(id, config),
            file: RegisterFile::new(rows),
            port_out: AxilPortOut::default(),
            decode_out: CoreCsrOut::default(),
            read: CsrRegsRead::default(),
        }
    }

    /// Values in the order of the table.
    pub fn values(&self) -> &[u32] {
        self.file.values()
    }

    /// The slave's pins after the last edge.
    pub fn pins(&self) -> back::AxiLite {
        self.port_out.s_axil
    }

    /// One rising edge; `refused` is the offset that may not be written now. The offset of the
    /// register that was written.
    pub fn step(&mut self, reset: bool, s_axil: AxiLite, refused: Option<u16>) -> Option<u16> {
        let (access, decoded, read) = (self.port_out.m, self.decode_out, self.read);
        let index = (access.addr >> 2) as u8;
        let offset = u16::from(index) * 4;
        let is_refused = access.write && refused == Some(offset);
        self.port_out = self.port.step(&AxilPortIn { reset, s_axil, s: decoded.s });
        self.decode_out = self.decode.step(&CoreCsrIn {
            reset,
            s: access.into(),
            regs_hit: read.hit && !is_refused,
            regs_data: read.data,
        });
        self.read = self.file.read(index);
        if reset {
            self.file = RegisterFile::new(self.rows);
            self.read = CsrRegsRead::default();
        } else if decoded.regs_wr_valid {
            self.file.write(index, access.wdata);
            return Some(offset);
        }
        None
    }
}
