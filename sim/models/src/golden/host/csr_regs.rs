//! Twin of `hdl/src/host/csr_regs.rs`: the configuration registers of the spec's table.

use crate::ports::Golden;
use nic_spec::regs::{Register, CONFIG_REGISTERS};

macro_rules! declare {
    ($(($index:tt, $name:ident, $port:ident, $width:tt, $reset:tt, $doc:literal,
        $fields:tt)),* $(,)?) => {
        crate::ports! {
            /// One port a register.
            pub struct CsrConfig { $(#[doc = $doc] pub $port: u32),* }
        }

        impl CsrConfig {
            fn from_values(values: &[u32]) -> Self {
                let mut values = values.iter().copied();
                $(let $port = values.next().expect("one value a register");)*
                Self { $($port),* }
            }
        }
    };
}
nic_spec::config_registers!(declare);

crate::ports! {
    /// Inputs.
    pub struct CsrRegsIn {
        pub reset: bool,
        pub wr_valid: bool,
        pub wr_index: u8,
        pub wr_data: u32,
        pub rd_index: u8,
    }
}
crate::ports! {
    /// Answer to `rd_index` of the cycle before.
    pub struct CsrRegsRead {
        pub hit: bool,
        pub data: u32,
    }
}

/// Outputs: the read answer and all ports, flattened without a prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CsrRegsOut {
    /// Ports `rd_hit`, `rd_data`.
    pub rd: CsrRegsRead,
    /// Ports `cfg_*`.
    pub config: CsrConfig,
}

impl crate::ports::PortField for CsrRegsOut {
    const WORDS: usize = <CsrRegsRead as crate::ports::PortField>::WORDS
        + <CsrConfig as crate::ports::PortField>::WORDS;
    fn define(name: &str, defs: &mut Vec<crate::ports::PortDef>) {
        CsrRegsRead::define(&crate::ports::join_name(name, "rd"), defs);
        CsrConfig::define(name, defs);
    }
    fn store(&self, words: &mut [u64]) {
        self.rd.store(words);
        self.config.store(&mut words[CsrRegsRead::WORDS..]);
    }
    fn load(words: &[u64]) -> Self {
        Self { rd: CsrRegsRead::load(words), config: CsrConfig::load(&words[CsrRegsRead::WORDS..]) }
    }
}
impl crate::ports::Ports for CsrRegsOut {}

/// Registers of a table: one is read and one written in a cycle.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    rows: &'static [Register],
    values: Vec<u32>,
}

impl RegisterFile {
    /// The registers of `rows` with their reset values.
    pub fn new(rows: &'static [Register]) -> Self {
        Self { rows, values: rows.iter().map(|r| r.reset).collect() }
    }

    fn find(&self, index: u8) -> Option<usize> {
        self.rows.iter().position(|r| r.offset == u16::from(index) * 4)
    }

    /// The register at a word index.
    pub fn read(&self, index: u8) -> CsrRegsRead {
        let at = self.find(index);
        CsrRegsRead { hit: at.is_some(), data: at.map_or(0, |at| self.values[at]) }
    }

    /// Writes the register at a word index, if there is one; bits beyond its width are dropped.
    pub fn write(&mut self, index: u8, data: u32) {
        if let Some(at) = self.find(index) {
            self.values[at] = data & u32::MAX >> (32 - u32::from(self.rows[at].width));
        }
    }

    /// Values in the order of the table.
    pub fn values(&self) -> &[u32] {
        &self.values
    }
}

/// The registers.
#[derive(Clone, Debug)]
pub struct CsrRegs(RegisterFile);

impl Default for CsrRegs {
    fn default() -> Self {
        Self(RegisterFile::new(CONFIG_REGISTERS))
    }
}

impl Golden for CsrRegs {
    type In = CsrRegsIn;
    type Out = CsrRegsOut;

    fn step(&mut self, i: &CsrRegsIn) -> CsrRegsOut {
        let mut rd = self.0.read(i.rd_index);
        if i.reset {
            *self = Self::default();
            rd = CsrRegsRead::default();
        } else if i.wr_valid {
            self.0.write(i.wr_index, i.wr_data);
        }
        CsrRegsOut { rd, config: CsrConfig::from_values(self.0.values()) }
    }
}
