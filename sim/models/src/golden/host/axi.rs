//! Pins of the AXI4 channels, of the master and of the slave.

use crate::ports;
use crate::ports::Data;

/// `AxCACHE` (AXI4, A4.4): normal memory, not cacheable, bufferable. Bit 0, bufferable: whoever
/// orders the access may answer it. Bit 1, modifiable: a bridge may make wider or narrower beats
/// of it.
pub const CACHE: u8 = 0b0011;
/// `AxPROT` (AXI4, A4.7): data, secure, not privileged.
pub const PROT: u8 = 0b000;
/// Pins of the master that are the same for each write.
pub const FIXED_WRITE: [&str; 7] = [
    "m_axi_awid",
    "m_axi_awsize",
    "m_axi_awburst",
    "m_axi_awlock",
    "m_axi_awcache",
    "m_axi_awprot",
    "m_axi_awqos",
];
/// Pins of the master that are the same for each read.
pub const FIXED_READ: [&str; 7] = [
    "m_axi_arid",
    "m_axi_arsize",
    "m_axi_arburst",
    "m_axi_arlock",
    "m_axi_arcache",
    "m_axi_arprot",
    "m_axi_arqos",
];

ports! {
    /// Write channels, pins of the master (`m_axi_awaddr` and so on).
    pub struct WriteMaster {
        /// 0.
        pub awid: u8,
        /// Byte address, not necessarily aligned.
        pub awaddr: u64,
        /// Beats less one.
        pub awlen: u8,
        /// log2 of the bytes a beat.
        pub awsize: u8,
        /// 1: INCR.
        pub awburst: u8,
        /// Exclusive access: no.
        pub awlock: bool,
        /// [`CACHE`].
        pub awcache: u8,
        /// [`PROT`].
        pub awprot: u8,
        /// 0.
        pub awqos: u8,
        /// Address valid.
        pub awvalid: bool,
        /// Data, byte 0 in bits 7:0.
        pub wdata: Data,
        /// Bytes that are written.
        pub wstrb: u64,
        /// Last beat of the burst.
        pub wlast: bool,
        /// Data valid.
        pub wvalid: bool,
        /// Response taken.
        pub bready: bool,
    }
}
ports! {
    /// Write channels, pins of the slave.
    pub struct WriteSlave {
        /// Address taken.
        pub awready: bool,
        /// Data taken.
        pub wready: bool,
        /// Id of the write.
        pub bid: u8,
        /// 0 okay, 2 slave error, 3 decode error.
        pub bresp: u8,
        /// Response valid.
        pub bvalid: bool,
    }
}
ports! {
    /// Read channels, pins of the master.
    pub struct ReadMaster {
        /// 0.
        pub arid: u8,
        /// Byte address, not necessarily aligned.
        pub araddr: u64,
        /// Beats less one.
        pub arlen: u8,
        /// log2 of the bytes a beat.
        pub arsize: u8,
        /// 1: INCR.
        pub arburst: u8,
        /// Exclusive access: no.
        pub arlock: bool,
        /// [`CACHE`].
        pub arcache: u8,
        /// [`PROT`].
        pub arprot: u8,
        /// 0.
        pub arqos: u8,
        /// Address valid.
        pub arvalid: bool,
        /// Data taken.
        pub rready: bool,
    }
}
ports! {
    /// Read channels, pins of the slave.
    pub struct ReadSlave {
        /// Address taken.
        pub arready: bool,
        /// Id of the read.
        pub rid: u8,
        /// Data of a whole aligned beat.
        pub rdata: Data,
        /// 0 okay, 2 slave error, 3 decode error.
        pub rresp: u8,
        /// Last beat of the burst.
        pub rlast: bool,
        /// Data valid.
        pub rvalid: bool,
    }
}
