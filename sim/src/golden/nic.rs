//! The whole NIC: every block's twin, composed the way the hardware is (`hdl/src/nic.rs`).

use crate::env::axi_mem::{ReadMaster, ReadSlave, WriteMaster, WriteSlave};
use crate::golden::host::axil_port::{AxilMaster, AxilSlave};
use crate::ports;
use crate::ports::Both;

ports! {
    /// AXI4-Stream pins of a source, 64 bits.
    pub struct AxisMaster {
        /// Byte 0 in bits 7:0.
        pub tdata: u64,
        /// One bit a byte.
        pub tkeep: u8,
        /// Beat valid.
        pub tvalid: bool,
        /// Last beat of the frame.
        pub tlast: bool,
        /// On the last beat: the frame is bad.
        pub tuser: bool,
    }
}
ports! {
    /// AXI4-Stream pins of a source whose frames are all good.
    pub struct AxisGood {
        /// Byte 0 in bits 7:0.
        pub tdata: u64,
        /// One bit a byte.
        pub tkeep: u8,
        /// Beat valid.
        pub tvalid: bool,
        /// Last beat of the frame.
        pub tlast: bool,
    }
}
ports! {
    /// AXI4-Stream pins of a sink.
    pub struct AxisSlave {
        /// Beat taken.
        pub tready: bool,
    }
}
ports! {
    /// Input pins of the NIC.
    pub struct NicIn {
        /// Synchronous reset, active high.
        pub reset: bool,
        /// Registers.
        pub s_axil: AxilMaster,
        /// Host memory.
        pub m_axi: Both<WriteSlave, ReadSlave>,
        /// Frames from the MAC.
        pub s_axis_rx: AxisMaster,
        /// Frames to the MAC.
        pub m_axis_tx: AxisSlave,
        /// Frames to the host's own stack.
        pub m_axis_host: AxisSlave,
        /// Frames from the host's own stack.
        pub s_axis_host: AxisGood,
    }
}
ports! {
    /// Output pins of the NIC.
    pub struct NicOut {
        /// Registers.
        pub s_axil: AxilSlave,
        /// Host memory.
        pub m_axi: Both<WriteMaster, ReadMaster>,
        /// Frames from the MAC.
        pub s_axis_rx: AxisSlave,
        /// Frames to the MAC.
        pub m_axis_tx: AxisGood,
        /// Frames to the host's own stack.
        pub m_axis_host: AxisGood,
        /// Frames from the host's own stack.
        pub s_axis_host: AxisSlave,
    }
}
