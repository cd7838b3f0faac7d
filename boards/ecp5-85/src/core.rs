//! The NIC with its host: registers and host memory are reached over a serial line. All of the
//! board but its pins, its clocks and its MAC.
//!
//! # Source            its blocks
//! # Interface timing  that of the NIC's streams
//! # Reset             synchronous, high
//! # Twins             none: sim/tests/ecpix5/ compares it with the golden NIC in its world

use crate::host_memory::HostMemory;
use board_common::bridge::WRITE_BITS;
use board_common::serial_host::SerialHost;
use nic_emit::{emit_block, on_large_stack, Design, EmitError};
use nic_hdl::host::axil_port::AxilPort;
use nic_hdl::nic::gbe::Nic;
use nic_hdl::streams::{Axis, AxisUser};
use nic_hdl::{block, kernel, Wire};
use nic_spec::serial::{HOST_MEMORY, HOST_MEMORY_BYTES};
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

/// Name of the module.
pub const CORE_MODULE: &str = "ecpix5_core";
/// What the PLL's oscillator of 500 MHz is divided by; `CORE_DIV` of ecpix5.v.
pub const CORE_DIV: u64 = 8;
/// Hz of the core.
pub const CORE_HZ: u64 = 500_000_000 / CORE_DIV;

/// Bits of an index into the beats of host memory.
const AW: usize = (HOST_MEMORY_BYTES / 8).ilog2() as usize;
/// Bits of an address within host memory.
const MEMORY_BITS: u32 = HOST_MEMORY_BYTES.ilog2();

/// The sizes of the board's NIC.
pub fn config() -> NicConfig {
    let gbe = NicConfig::preset("gbe").expect("a preset");
    NicConfig { clock_hz: CORE_HZ, ..gbe }
}

/// NIC, host memory, serial line.
#[block(new(config: &NicConfig), check(config.clock_hz == CORE_HZ))]
pub struct Ecpix5Core {
    /// From the host.
    pub uart_rx: Signal<In, Bit>,
    /// To the host.
    pub uart_tx: Signal<Out, Bit>,
    /// Frames from the MAC.
    pub s_axis_rx: AxisUser<In, 64, 8>,
    /// Frames to the MAC.
    pub m_axis_tx: Axis<Out, 64, 8>,
    #[init(SerialHost::new(config.clock_hz))]
    host: SerialHost<WRITE_BITS>,
    words: AxilPort,
    memory: HostMemory<AW>,
    #[init(Nic::new(config))]
    nic: Nic,
    writes_memory: Signal<Local, Bit>,
    reads_memory: Signal<Local, Bit>,
    beyond: Signal<Local, Bits<2>>,
    is_beyond: Signal<Local, Bit>,
    #[value(u64::from(HOST_MEMORY >> MEMORY_BITS))]
    memory_page: Constant<Bits<2>>,
}

#[kernel]
impl Ecpix5Core {
    fn update(&mut self) {
        self.line();
        self.registers();
        self.host_memory();
        self.frames();
    }

    /// serial line; there are no events
    fn line(&mut self) {
        self.host.uart_rx.next = self.uart_rx.val();
        self.uart_tx.next = self.host.uart_tx.val();
        self.host.m_axis_ack.tready.next = false;
        self.host.m_axis_flow.tready.next = false;
        self.host.s_axis_rate.tvalid.next = false;
        self.host.s_axis_rate.tdata.next = 0.into();
        self.host.event_cc.psn.next = false;
        self.host.event_cc.time.next = false;
        self.host.event_cc.bytes.next = false;
        self.host.event_cc.queue.next = false;
    }

    /// accesses to the NIC, or from HOST_MEMORY on to host memory; one at a time
    fn registers(&mut self) {
        self.writes_memory.next = self.host.m_axil.awaddr.val().get_bit(15);
        self.reads_memory.next = self.host.m_axil.araddr.val().get_bit(15);
        self.nic.s_axil.awaddr.next = self.host.m_axil.awaddr.val();
        self.nic.s_axil.awprot.next = self.host.m_axil.awprot.val();
        self.nic.s_axil.awvalid.next = self.host.m_axil.awvalid.val() && !self.writes_memory.val();
        self.nic.s_axil.wdata.next = self.host.m_axil.wdata.val();
        self.nic.s_axil.wstrb.next = self.host.m_axil.wstrb.val();
        self.nic.s_axil.wvalid.next = self.host.m_axil.wvalid.val() && !self.writes_memory.val();
        self.nic.s_axil.bready.next = self.host.m_axil.bready.val();
        self.nic.s_axil.araddr.next = self.host.m_axil.araddr.val();
        self.nic.s_axil.arprot.next = self.host.m_axil.arprot.val();
        self.nic.s_axil.arvalid.next = self.host.m_axil.arvalid.val() && !self.reads_memory.val();
        self.nic.s_axil.rready.next = self.host.m_axil.rready.val();
        self.words.s_axil.awaddr.next = self.host.m_axil.awaddr.val();
        self.words.s_axil.awprot.next = self.host.m_axil.awprot.val();
        self.words.s_axil.awvalid.next = self.host.m_axil.awvalid.val() && self.writes_memory.val();
        self.words.s_axil.wdata.next = self.host.m_axil.wdata.val();
        self.words.s_axil.wstrb.next = self.host.m_axil.wstrb.val();
        self.words.s_axil.wvalid.next = self.host.m_axil.wvalid.val() && self.writes_memory.val();
        self.words.s_axil.bready.next = self.host.m_axil.bready.val();
        self.words.s_axil.araddr.next = self.host.m_axil.araddr.val();
        self.words.s_axil.arprot.next = self.host.m_axil.arprot.val();
        self.words.s_axil.arvalid.next = self.host.m_axil.arvalid.val() && self.reads_memory.val();
        self.words.s_axil.rready.next = self.host.m_axil.rready.val();
        comment!("Who has no answer says 0.");
        self.host.m_axil.awready.next =
            self.nic.s_axil.awready.val() || self.words.s_axil.awready.val();
        self.host.m_axil.wready.next =
            self.nic.s_axil.wready.val() || self.words.s_axil.wready.val();
        self.host.m_axil.bvalid.next =
            self.nic.s_axil.bvalid.val() || self.words.s_axil.bvalid.val();
        self.host.m_axil.bresp.next = self.nic.s_axil.bresp.val() | self.words.s_axil.bresp.val();
        self.host.m_axil.arready.next =
            self.nic.s_axil.arready.val() || self.words.s_axil.arready.val();
        self.host.m_axil.rvalid.next =
            self.nic.s_axil.rvalid.val() || self.words.s_axil.rvalid.val();
        self.host.m_axil.rdata.next = self.nic.s_axil.rdata.val() | self.words.s_axil.rdata.val();
        self.host.m_axil.rresp.next = self.nic.s_axil.rresp.val() | self.words.s_axil.rresp.val();
    }

    /// host memory; behind its end there is nothing
    fn host_memory(&mut self) {
        self.beyond.next = self.words.m_addr.val().get_bits::<2>(14);
        self.is_beyond.next = self.beyond.val() != self.memory_page.val();
        self.memory.word_valid.next = self.words.m_valid.val() && !self.is_beyond.val();
        self.memory.word_write.next = self.words.m_write.val();
        self.memory.word_addr.next = self.words.m_addr.val();
        self.memory.word_wdata.next = self.words.m_wdata.val();
        self.words.s_done.next = self.memory.word_done.val() || self.is_beyond.val();
        self.words.s_error.next = self.is_beyond.val();
        self.words.s_rdata.next = self.memory.word_rdata.val();
        Wire::join(&mut self.nic.m_axi, &mut self.memory.s_axi);
    }

    /// frames of the MAC; the host has no stack of its own
    fn frames(&mut self) {
        Wire::join(&mut self.s_axis_rx, &mut self.nic.s_axis_rx);
        Wire::join(&mut self.nic.m_axis_tx, &mut self.m_axis_tx);
        self.nic.m_axis_host.tready.next = true;
        self.nic.s_axis_host.tvalid.next = false;
        self.nic.s_axis_host.tdata.next = 0.into();
        self.nic.s_axis_host.tkeep.next = 0.into();
        self.nic.s_axis_host.tlast.next = false;
    }
}

/// The core as Verilog.
///
/// # Errors
/// What the emitter refuses.
pub fn design() -> Result<Design, EmitError> {
    let config = config();
    on_large_stack(|| emit_block(CORE_MODULE, &Ecpix5Core::new(&config), config.name))
}
