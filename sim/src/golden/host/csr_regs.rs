//! Twin of `hdl/src/host/csr_regs.rs`: the configuration registers of the spec's table.

use crate::ports::Golden;
use nic_spec::regs::CONFIG_REGISTERS;

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

/// The registers.
#[derive(Clone, Debug)]
pub struct CsrRegs {
    values: Vec<u32>,
}

impl Default for CsrRegs {
    fn default() -> Self {
        Self { values: CONFIG_REGISTERS.iter().map(|r| r.reset).collect() }
    }
}

fn find(index: u8) -> Option<usize> {
    CONFIG_REGISTERS.iter().position(|r| r.offset == u16::from(index) * 4)
}

impl Golden for CsrRegs {
    type In = CsrRegsIn;
    type Out = CsrRegsOut;

    fn step(&mut self, i: &CsrRegsIn) -> CsrRegsOut {
        if i.reset {
            *self = Self::default();
            let config = CsrConfig::from_values(&self.values);
            return CsrRegsOut { config, ..Default::default() };
        }
        let read = find(i.rd_index);
        let rd = CsrRegsRead { hit: read.is_some(), data: read.map_or(0, |at| self.values[at]) };
        if let (true, Some(at)) = (i.wr_valid, find(i.wr_index)) {
            let mask = u32::MAX >> (32 - u32::from(CONFIG_REGISTERS[at].width));
            self.values[at] = i.wr_data & mask;
        }
        CsrRegsOut { rd, config: CsrConfig::from_values(&self.values) }
    }
}
