//! Named presets of one [`NicConfig`].

/// Sizes of one NIC. Widths become const generics of the hardware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NicConfig {
    /// Preset name, as given to `--preset`.
    pub name: &'static str,
    /// Width of the AXI4-Stream and AXI4 datapath in bits: 8..=512, a power of two.
    pub data_bits: usize,
    /// Flows (queue pairs): 4..=2048, a power of two.
    pub flow_count: usize,
    /// Telemetry records per packet that are used: 1..=5.
    pub hop_count: usize,
    /// Memory regions: a power of two.
    pub mr_count: usize,
    /// Nominal core clock in Hz; timers and rates are derived from it.
    pub clock_hz: u64,
}

/// Why a configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// No preset has this name.
    UnknownPreset,
    /// A field is out of its range; the text names the field and its range.
    OutOfRange(&'static str),
}

impl core::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::UnknownPreset => {
                f.write_str("unknown preset; presets are")?;
                PRESETS.iter().try_for_each(|p| write!(f, " {}", p.name))
            }
            Self::OutOfRange(what) => f.write_str(what),
        }
    }
}

impl core::error::Error for ConfigError {}

/// Gigabit Ethernet on an ECP5.
pub const GBE: NicConfig = NicConfig {
    name: "gbe",
    data_bits: 64,
    flow_count: 64,
    hop_count: 5,
    mr_count: 64,
    clock_hz: 125_000_000,
};

/// 10 Gb/s.
pub const TEN: NicConfig = NicConfig {
    name: "ten",
    data_bits: 64,
    flow_count: 256,
    hop_count: 5,
    mr_count: 256,
    clock_hz: 156_250_000,
};

/// Alchitry Cu, iCE40 HX8K. The CC core only: no other block has a datapath of 8 bits.
pub const CU: NicConfig = NicConfig {
    name: "cu",
    data_bits: 8,
    flow_count: 8,
    hop_count: 5,
    mr_count: 8,
    clock_hz: 50_000_000,
};

/// 100 Gb/s.
pub const HUNDRED: NicConfig = NicConfig {
    name: "hundred",
    data_bits: 512,
    flow_count: 1024,
    hop_count: 5,
    mr_count: 1024,
    clock_hz: 250_000_000,
};

/// All presets that the hardware can be emitted for.
pub const PRESETS: &[NicConfig] = &[GBE, TEN, CU, HUNDRED];

/// log2 of [`NicConfig::sq_depth`]. At 100 Gb/s each is there for some 5.7 us: host memory is waited
/// for three times. 32 would take 106 UltraRAMs, by count, with the queue of completions.
pub const fn sq_depth_log2(data_bits: usize) -> usize {
    3 + (data_bits == 512) as usize
}

/// Highest value of register `SQ_SCALE`: send queues 16 times as deep. A higher one counts as it.
pub const SQ_SCALE_MAX: u8 = 2;

/// log2 of [`NicConfig::read_commands`]. At 100 Gb/s 2 us of latency are 31 commands of 1 KiB.
pub const fn read_commands_log2(data_bits: usize) -> usize {
    if data_bits == 512 {
        7
    } else {
        3
    }
}

/// log2 of [`NicConfig::write_commands`]. Small messages take up to two each, with one that comes for
/// one that goes: its payload, and the completion of the other, which may be packed. 256 within 2 us
/// are 64 million in a second, both ways.
pub const fn write_commands_log2(data_bits: usize) -> usize {
    if data_bits == 512 {
        8
    } else {
        3
    }
}

/// log2 of [`NicConfig::ring_entries`]. 128 within 1.5 us are 85 million in a second, if none of them
/// ever waits: 256.
pub const fn ring_entries_log2(data_bits: usize) -> usize {
    if data_bits == 512 {
        8
    } else {
        3
    }
}

/// log2 of [`NicConfig::sq_batch`]. At 64 bits a work request is a read of 8 beats already.
pub const fn sq_batch_log2(data_bits: usize) -> usize {
    2 * (data_bits == 512) as usize
}

/// log2 of [`NicConfig::cq_batch`]: a beat at most.
pub const fn cq_batch_log2(data_bits: usize) -> usize {
    if data_bits == 512 {
        2
    } else {
        0
    }
}

/// Landing buffers of a datapath: 16 block RAMs of 36 kbit, so none below 512 bits.
pub const fn dma_landings(data_bits: usize) -> usize {
    (data_bits == 512) as usize
}

/// FIFOs of the write engine in which payload waits for its command: above 64 bits a command has so
/// few beats that the next one would come behind its data.
pub const fn dma_waiting(data_bits: usize) -> usize {
    (data_bits > 64) as usize
}

/// Whether packets of 4 KiB may leave at once. One queue pair with packets of 256 bytes then fills
/// 100 Gb/s. Beside 64 bits it fills 96 % of 8 Gb/s packet by packet, and 87 % by 4 KiB, because its
/// ACKs wait until they have left.
pub const fn has_bursts(data_bits: usize) -> bool {
    data_bits == 512
}

/// log2 of [`NicConfig::requester_engines`]. One engine takes 28 cycles for a packet and its ACK; at
/// 100 Gb/s 256 bytes and their ACK come every 7.
pub const fn requester_engines_log2(data_bits: usize) -> usize {
    if data_bits == 512 {
        3
    } else {
        0
    }
}

/// How the congestion control unit shares its arithmetic among the hops of an ACK.
///
/// The results are the same, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CcSchedule {
    /// One hop after the other, one bit of a product a cycle: an ACK every few hundred cycles.
    BitPerCycle,
    /// One hop a cycle, one ACK every 8 cycles.
    HopPerCycle,
    /// Five hops side by side, one ACK a cycle.
    AckPerCycle,
}

impl NicConfig {
    /// The preset called `name`.
    pub fn preset(name: &str) -> Result<Self, ConfigError> {
        let preset = PRESETS.iter().find(|p| p.name == name).cloned();
        preset.ok_or(ConfigError::UnknownPreset)
    }

    /// Checks every field against its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let pow2_in = |v: usize, lo: usize, hi: usize| v.is_power_of_two() && v >= lo && v <= hi;
        let checks = [
            (pow2_in(self.data_bits, 8, 512), "data_bits must be a power of two in 8..=512"),
            (pow2_in(self.flow_count, 4, 2048), "flow_count must be a power of two in 4..=2048"),
            ((1..=5).contains(&self.hop_count), "hop_count must be in 1..=5"),
            (pow2_in(self.mr_count, 4, 1024), "mr_count must be a power of two in 4..=1024"),
            (self.clock_hz >= 1_000_000, "clock_hz must be at least 1000000"),
        ];
        match checks.iter().find(|(ok, _)| !ok) {
            Some((_, what)) => Err(ConfigError::OutOfRange(what)),
            None => Ok(()),
        }
    }

    /// Completions the queue holds: half of them for the send queues, at least 256.
    pub const fn cq_depth(&self) -> usize {
        let depth = 2 * self.flow_count * self.sq_depth();
        if depth > 256 {
            depth
        } else {
            256
        }
    }

    /// Value of the register `SIZES`.
    pub fn sizes_word(&self) -> u32 {
        self.data_bytes().ilog2()
            | self.flow_count.ilog2() << 4
            | self.mr_count.ilog2() << 8
            | self.sq_depth().ilog2() << 12
            | (self.hop_count as u32) << 16
            | self.cq_depth().ilog2() << 20
    }

    /// Value of register `SIZES` in a core that stands alone: its flows.
    pub fn flow_sizes_word(&self) -> u32 {
        self.flow_count.ilog2() << 4
    }

    /// Schedule of the congestion control unit. An ACK of 62 bytes and more takes at least 8 beats
    /// of 64 bits, but only one or two of 512 bits. A narrower datapath is that of a small FPGA.
    pub fn cc_schedule(&self) -> CcSchedule {
        match self.data_bits {
            8..=32 => CcSchedule::BitPerCycle,
            512 => CcSchedule::AckPerCycle,
            _ => CcSchedule::HopPerCycle,
        }
    }

    /// Work requests a flow can hold.
    pub const fn sq_depth(&self) -> usize {
        1 << sq_depth_log2(self.data_bits)
    }

    /// Work requests that fit into a send queue while register `SQ_SCALE` is `sq_scale`.
    pub fn sq_depth_at(&self, sq_scale: u8) -> usize {
        self.sq_depth() << (2 * sq_scale.min(SQ_SCALE_MAX))
    }

    /// Queue pairs that there are while register `SQ_SCALE` is `sq_scale`.
    pub fn qp_count_at(&self, sq_scale: u8) -> usize {
        self.flow_count >> (2 * sq_scale.min(SQ_SCALE_MAX))
    }

    /// Commands that the read engine takes ahead of memory's answers.
    pub fn read_commands(&self) -> usize {
        1 << read_commands_log2(self.data_bits)
    }

    /// Commands that the write engine takes ahead of memory's answers.
    pub fn write_commands(&self) -> usize {
        1 << write_commands_log2(self.data_bits)
    }

    /// Work requests that are on their way from the submission rings at most, and completions on
    /// their way to theirs.
    pub fn ring_entries(&self) -> usize {
        1 << ring_entries_log2(self.data_bits)
    }

    /// Work requests in a read of a submission ring at most.
    pub fn sq_batch(&self) -> usize {
        1 << sq_batch_log2(self.data_bits)
    }

    /// Completions in a write of a completion ring at most.
    pub fn cq_batch(&self) -> usize {
        1 << cq_batch_log2(self.data_bits)
    }

    /// Send queues stand in UltraRAM: 100 Gb/s is for devices that have it.
    pub fn has_ultra_ram(&self) -> bool {
        self.data_bits == 512
    }

    /// Requesters side by side; a flow's is its number modulo so many.
    pub fn requester_engines(&self) -> usize {
        1 << requester_engines_log2(self.data_bits)
    }

    /// Reads of host memory have a landing buffer, so that memory never waits with its answers.
    pub fn has_dma_landing(&self) -> bool {
        dma_landings(self.data_bits) > 0
    }

    /// Bytes a beat of the datapath carries.
    pub fn data_bytes(&self) -> usize {
        self.data_bits / 8
    }
}
