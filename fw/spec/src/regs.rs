//! The register map, described once: HDL decode, driver, C header, SystemRDL and the reference
//! page are made from it.
//!
//! All registers are 32 bits wide; an offset is a byte address in the AXI4-Lite space. Accesses to
//! an offset without a register, writes to a read-only register and writes with any byte strobe low
//! answer SLVERR and change nothing.

/// Who may do what with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and write; reads return what was written.
    Rw,
    /// Read only.
    Ro,
    /// Write triggers an action; reads return 0.
    Wo,
}

/// Part of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Lower-case name, unique in its register.
    pub name: &'static str,
    /// Lowest bit, 0..=31.
    pub lsb: u8,
    /// Bits, 1..=32.
    pub width: u8,
    /// What it means: unit, range.
    pub doc: &'static str,
}

/// One register, or an array of `count` consecutive ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Lower-case name, unique.
    pub name: &'static str,
    /// Byte offset of the first word.
    pub offset: u16,
    /// Words in the array (1: a plain register).
    pub count: u16,
    /// Access of every word.
    pub access: Access,
    /// Value after reset.
    pub reset: u32,
    /// Implemented bits, counted from bit 0.
    pub width: u8,
    /// What it is for.
    pub doc: &'static str,
    /// Named parts; empty when the register is one value.
    pub fields: &'static [Field],
}

/// Calls macro `$m` with one row per register of the congestion control, as the NIC and the CC core
/// have them. With `@between`, other rows stand before and behind them.
#[macro_export]
macro_rules! cc_registers {
    ($m:ident) => { $crate::cc_registers! { @between $m [] [] } };
    (@between $m:ident [$($before:tt)*] [$($after:tt)*]) => {
        $m! {
            $($before)*
            (16, cc_t_ns, cfg_cc_t_ns, 20, 5000, "T, base round-trip time, ns.", []),
            (17, cc_inv_t, cfg_cc_inv_t, 32, 219902326, "1/T per ns, UQ0.40.", []),
            (18, cc_queue_gain, cfg_cc_queue_gain, 32, 137438953, "0.625/T per ns, UQ0.40.", []),
            (19, cc_target, cfg_cc_target, 32, 1593835520, "eta in units of U, UQ0.36.", []),
            (20, cc_u_one, cfg_cc_u_one, 32, 1677721600, "U = 1 in units of U, UQ0.36.", []),
            (21, cc_max_stage, cfg_cc_max_stage, 8, 5,
                "maxStage: additive steps before a multiplicative one.", []),
            (22, cc_w_ai, cfg_cc_w_ai, 32, 4000, "W_ai, additive increase, bytes, UQ22.10; with CC_ACTIVE that of a flow which is alone.", []),
            (23, cc_w_init, cfg_cc_w_init, 32, 5000, "W_init, largest window, bytes.", []),
            (24, cc_w_min, cfg_cc_w_min, 32, 5120, "W_min, smallest window, bytes, UQ22.10.", []),
            (25, cc_rate_gain, cfg_cc_rate_gain, 32, 439804651,
                "Cycle time over T: window to bytes a cycle, UQ0.38.", []),
            (26, cc_rate_min, cfg_cc_rate_min, 32, 134218,
                "R_min, smallest rate, bytes a cycle, UQ8.24.", []),
            (27, cc_rate_max, cfg_cc_rate_max, 32, 134217728,
                "Line rate, largest rate, bytes a cycle, UQ8.24.", []),
            (36, cc_util_gain, cfg_cc_util_gain, 28, 0,
                "What one unit of utilisation adds to U on a link of 25 Gb/s; 0: hops count bytes.", [
                (mantissa, 0, 22, "at least 2^21, or 0"),
                (exponent, 22, 5, "mantissa x 2^(14 - exponent), UQ0.36"),
                (sojourn, 27, 1, "1: hops tell how long a packet waited in the place of the queue; CC_QUEUE_GAIN is then U = 1 over T"),
            ]),
            (37, cc_check, cfg_cc_check, 23, 8388551,
                "Telemetry that no honest network gives is ignored.", [
                (psn, 0, 1, "1: with an ACK of a PSN that was never sent"),
                (time, 1, 1, "1: if a hop's time goes back"),
                (bytes, 2, 1, "1: if a hop has sent more than its link carries"),
                (multi, 3, 3, "log2 of the records' unit of 128 bytes, rounded down"),
                (queue_max, 6, 17, "if a hop's queue is longer, in its unit; 131071: never"),
            ]),
            (39, cc_active, cfg_cc_active, 20, 0,
                "Window in which active flows are counted, 64 cycles; W_ai of each is CC_W_AI over their number in the window before. 0: W_ai is CC_W_AI.", []),
            (45, cc_mode, cfg_cc_mode, 2, 0, "Who computes the window, and what ACKs echo.", [
                (mode, 0, 2, "0: the sender, from the whole stack. 1: the receiver: a NIC, on both sides, sends windows of the peer's data and takes the peer's; at the CC core psn is the time of a packet, snd_nxt that time + T, and results with full are sent. 2: the sender, from the record of the most loaded hop, which a NIC with this value finds and echoes alone, but as 0 with TELEMETRY.format 2, whose echo has no path ID; the CC core takes it for 0. 3: reserved, as 1"),
            ]),
            $($after)*
        }
    };
}

/// Calls macro `$m` with one row per register of the CC core.
#[macro_export]
macro_rules! cc_core_registers {
    ($m:ident) => {
        $crate::cc_registers! { $m }
    };
}

/// Calls macro `$m` with one row per register of the scheduler core.
#[macro_export]
macro_rules! sched_registers {
    ($m:ident) => {
        $m! {
            (8, flow_window, cfg_flow_window, 32, 0, "Window of the next FLOW_COMMAND, bytes.", []),
            (9, flow_rate, cfg_flow_rate, 32, 0,
                "Rate of the next FLOW_COMMAND, bytes a cycle, UQ8.24.", []),
            (10, flow_command, cfg_flow_command, 18, 0,
                "Writing creates, changes or removes a flow; refused while the last one waits.", [
                (flow, 0, 16, "index of the flow"),
                (op, 16, 2, "0 new window and rate, 1 create, 2 remove"),
            ]),
            (11, line, cfg_line, 24, 0,
                "What the line carries; the scheduler grants no more.", [
                (rate, 0, 16, "bytes a cycle, UQ8.8; 0: a beat of the datapath"),
                (overhead_bytes, 16, 8, "bytes of the line that a frame takes beside its own: 24 on Ethernet"),
            ]),
        }
    };
}

/// Calls macro `$m` with one row per configuration register:
/// `(word index, name, port, width, reset, doc, [fields])`. They are flip-flops in the block
/// `csr_regs`, each driving its port.
#[macro_export]
macro_rules! config_registers {
    ($m:ident) => {
        $crate::cc_registers! { @between $m [
            (8, local_mac_lo, cfg_local_mac_lo, 32, 0, "Bits 31:0 of this host's MAC address.", []),
            (9, local_mac_hi, cfg_local_mac_hi, 16, 0, "Bits 47:32 of this host's MAC address.", []),
            (10, local_ip, cfg_local_ip, 32, 0, "This host's IPv4 address; 10.0.0.1 is 0x0a000001.", []),
            (11, pkey, cfg_pkey, 16, 65535, "Partition key of all packets.", []),
            (12, ttl, cfg_ttl, 8, 64, "IPv4 time to live of packets sent.", []),
            (13, telemetry, cfg_telemetry, 22, 1512192, "In-band telemetry of packets on the wire.", [
                (format, 0, 3, "0 none, 1 HPCC paper figure 7, 2 HPCC authors' 42 bytes, 3 P4-INT INT-MD 2.1, 4 IOAM trace (RFC 9197), 5 IFA 2.0"),
                (source, 3, 1, "1: data packets and READ responses leave with the header of INT-MD, IOAM or IFA; 0: the first switch inserts it"),
                (by_port, 4, 1, "such a header of INT-MD is marked by the port in TELEMETRY_STACK, not by the DSCP"),
                (dscp, 8, 6, "DSCP of data packets and READ responses with telemetry"),
                (echo_dscp, 16, 6, "DSCP of ACKs and telemetry responses, which echo telemetry"),
            ]),
            (14, rnr_timer, cfg_rnr_timer, 5, 1, "Timer code of RNR NAKs sent, InfiniBand encoding.", []),
            (15, scratch, cfg_scratch, 32, 0, "Free for software; drives nothing.", []),
        ] [
            (28, cc_watch, cfg_cc_watch, 16, 0, "Flow whose window and rate CC_WINDOW and CC_RATE show; from the flow count on: READ responses.", []),
            (29, cq_base_lo, cfg_cq_base_lo, 32, 0, "Bits 31:0 of the completion ring's address, a multiple of 16.", []),
            (30, cq_base_hi, cfg_cq_base_hi, 32, 0, "Bits 63:32 of the completion ring's address.", []),
            (31, cq_log2, cfg_cq_log2, 4, 0,
                "log2 of the completion ring's entries, 1..=15; 0: no ring, completions wait for CQ_POP.", []),
            (32, irq_enable, cfg_irq_enable, 2, 0, "What raises the interrupt line.", [
                (completion, 0, 1, "a completion, once CQ_CONSUMER has asked for it"),
                (error, 1, 1, "errors in HOST_STATUS"),
            ]),
            (33, feedback_cycles, cfg_feedback_cycles, 20, 625,
                "Cycles between two telemetry responses of a queue pair, T; 0: no limit. With CC_MODE 1 also between two windows, at least 1.", []),
            (34, telemetry_stack, cfg_telemetry_stack, 18, 0, "INT-MD, IOAM and IFA.", [
                (port, 0, 16, "UDP destination port that marks INT-MD, beside the DSCP"),
                (queue_bytes, 16, 1, "queues are counted in bytes, else in cells"),
                (time_binary, 17, 1, "IOAM's fractions of a second are binary (NTP), else ns (PTP)"),
            ]),
            (35, telemetry_rates, cfg_telemetry_rates, 24, 0,
                "Rate codes of hops of INT-MD and IOAM, 3 bits each, by the low three bits of the egress interface.", []),
            (38, telemetry_every, cfg_tel_every, 8, 1,
                "PSNs from one data packet with a telemetry header to the next one of its flow; 0: none has one, 1: each packet, 255: once a round trip.", []),
            (46, probe_cycles, cfg_probe_cycles, 20, 0,
                "Cycles from one turn of a queue pair to send a probe to the next one, T, rounded down to a multiple of the number of queue pairs; below that, 0: no probes.", []),
            (47, line, cfg_line, 24, 0,
                "What the line carries; the scheduler grants no more.", [
                (rate, 0, 16, "bytes a cycle, UQ8.8; 0: a beat of the datapath"),
                (overhead_bytes, 16, 8, "bytes of the line that a frame takes beside its own: 24 on Ethernet"),
            ]),
            (48, reads_max, cfg_reads_max, 8, 128,
                "Bursts that are read from host memory at a time at most, for a bridge that allows fewer; 0 counts as 1.", []),
            (49, sq_scale, cfg_sq_scale, 2, 0,
                "How much deeper send queues are than SIZES says: 0: not, 1: 4 times, 2 and 3: 16 times, for as many times fewer queue pairs: rows of those behind are refused. Before the first queue pair.", []),
        ] }
    };
}

macro_rules! register_table {
    ($(#[$about:meta])* $table:ident; $(($index:tt, $name:ident, $port:ident, $width:tt,
        $reset:tt, $doc:literal,
        [$(($field:ident, $lsb:tt, $bits:tt, $field_doc:literal)),* $(,)?])),* $(,)?) => {
        $(#[$about])*
        pub const $table: &[Register] = &[$(Register {
            name: stringify!($name),
            offset: $index * 4,
            count: 1,
            access: Access::Rw,
            reset: $reset,
            width: $width,
            doc: $doc,
            fields: &[$(Field {
                name: stringify!($field), lsb: $lsb, width: $bits, doc: $field_doc,
            }),*],
        }),*];
    };
}

macro_rules! config_table {
    ($($row:tt),* $(,)?) => {
        register_table! {
            /// Configuration registers, in the order of their ports.
            CONFIG_REGISTERS; $($row),*
        }
        register_offsets! {
            /// Byte offsets of the configuration registers.
            config_offset; $($row),*
        }
    };
}

macro_rules! register_offsets {
    ($(#[$about:meta])* $module:ident; $(($index:tt, $name:ident, $port:ident, $width:tt, $reset:tt, $doc:literal,
        $fields:tt)),*) => {
        $(#[$about])*
        pub mod $module {
            $(#[doc = $doc] #[allow(non_upper_case_globals)]
            pub const $name: u16 = $index * 4;)*
        }
    };
}
config_registers!(config_table);

macro_rules! cc_table {
    ($($row:tt),* $(,)?) => {
        register_table! {
            /// Registers of the CC core beside id, version, sizes and clock, in the order of their ports.
            CC_REGISTERS; $($row),*
        }
        register_offsets! {
            /// Byte offsets of the CC core's own registers.
            cc_offset; $($row),*
        }
    };
}
cc_core_registers!(cc_table);

macro_rules! sched_table {
    ($($row:tt),* $(,)?) => {
        register_table! {
            /// Registers of the scheduler core beside id, version, sizes and clock.
            SCHED_REGISTERS; $($row),*
        }
        register_offsets! {
            /// Byte offsets of the scheduler core's own registers.
            sched_offset; $($row),*
        }
    };
}
sched_registers!(sched_table);

/// Value of `ID`: "RNIC" in ASCII.
pub const ID_VALUE: u32 = 0x524e_4943;
/// Value of `ID` in the CC core: "RNCC" in ASCII.
pub const CC_ID_VALUE: u32 = 0x524e_4343;
/// Value of `ID` in the scheduler core: "RNSC" in ASCII.
pub const SCHED_ID_VALUE: u32 = 0x524e_5343;
/// Value of `VERSION`: major, minor, patch.
pub const VERSION_VALUE: u32 = 0x0000_0300;

/// Byte offset of `ID`.
pub const ID: u16 = 0x000;
/// Byte offset of `VERSION`.
pub const VERSION: u16 = 0x004;
/// Byte offset of `SIZES`.
pub const SIZES: u16 = 0x008;
/// Byte offset of `CLOCK_HZ`.
pub const CLOCK_HZ: u16 = 0x00c;
/// Byte offset of `ROW_COMMIT`.
pub const ROW_COMMIT: u16 = 0x010;
/// Byte offset of `ROW_STATUS`.
pub const ROW_STATUS: u16 = 0x014;
/// Byte offset of `CQ_COUNT`.
pub const CQ_COUNT: u16 = 0x018;
/// Byte offset of `CQ_POP`.
pub const CQ_POP: u16 = 0x01c;
/// Byte offset of `DOORBELL`.
pub const DOORBELL: u16 = 0x0a0;
/// Byte offset of `CQ_CONSUMER`.
pub const CQ_CONSUMER: u16 = 0x0a4;
/// Byte offset of `CQ_PRODUCER`.
pub const CQ_PRODUCER: u16 = 0x0a8;
/// Byte offset of `HOST_STATUS`.
pub const HOST_STATUS: u16 = 0x0ac;
/// Byte offset of `HOST_CLEAR`.
pub const HOST_CLEAR: u16 = 0x0b0;
/// Byte offset of `CC_WINDOW`.
pub const CC_WINDOW: u16 = 0x0e0;
/// Byte offset of `CC_RATE`.
pub const CC_RATE: u16 = 0x0e4;
/// Byte offset of the four words `CQ_ENTRY`.
pub const CQ_ENTRY: u16 = 0x0f0;
/// Byte offset of the sixteen words `ROW_DATA`.
pub const ROW_DATA: u16 = 0x100;
/// Byte offset of the event counters.
pub const COUNTERS: u16 = 0x200;

/// Fields of `HOST_STATUS`.
pub const HOST_STATUS_FIELDS: &[Field] = &[
    Field { name: "pending", lsb: 0, width: 1, doc: "a completion has raised the interrupt" },
    Field { name: "armed", lsb: 1, width: 1, doc: "the next completion will raise it" },
    Field { name: "cq_full", lsb: 2, width: 1, doc: "completions wait for a free ring entry" },
    Field { name: "cq_on", lsb: 3, width: 1, doc: "the completion ring is on, or not yet off" },
    Field { name: "doorbell_refused", lsb: 4, width: 1, doc: "error: a doorbell was refused" },
    Field { name: "sq_error", lsb: 5, width: 1, doc: "error: a work request could not be read" },
    Field {
        name: "cq_error",
        lsb: 6,
        width: 1,
        doc: "error: a completion could not be written; the ring stands still until CQ_LOG2 is 0",
    },
    Field { name: "consumer_refused", lsb: 7, width: 1, doc: "error: CQ_CONSUMER was refused" },
    Field { name: "flow", lsb: 16, width: 16, doc: "QP index of the doorbell refused last" },
];

/// Fields of `SIZES` in a core that stands alone.
pub const CORE_SIZES_FIELDS: &[Field] =
    &[Field { name: "flow_log2", lsb: 4, width: 4, doc: "log2 of flows" }];

/// Registers that are not plain configuration.
pub const SPECIAL_REGISTERS: &[Register] = &[
    Register {
        name: "id",
        offset: ID,
        count: 1,
        access: Access::Ro,
        reset: ID_VALUE,
        width: 32,
        doc: "Identifies the core: \"RNIC\".",
        fields: &[],
    },
    Register {
        name: "version",
        offset: VERSION,
        count: 1,
        access: Access::Ro,
        reset: VERSION_VALUE,
        width: 32,
        doc: "Version of the register map.",
        fields: &[
            Field { name: "patch", lsb: 0, width: 8, doc: "compatible corrections" },
            Field { name: "minor", lsb: 8, width: 8, doc: "compatible additions" },
            Field { name: "major", lsb: 16, width: 8, doc: "incompatible changes" },
        ],
    },
    Register {
        name: "sizes",
        offset: SIZES,
        count: 1,
        access: Access::Ro,
        reset: 0,
        width: 32,
        doc: "Sizes the core was emitted with.",
        fields: &[
            Field { name: "data_bytes_log2", lsb: 0, width: 4, doc: "log2 of bytes a beat" },
            Field { name: "flow_log2", lsb: 4, width: 4, doc: "log2 of flows (queue pairs)" },
            Field { name: "mr_log2", lsb: 8, width: 4, doc: "log2 of memory regions" },
            Field { name: "sq_log2", lsb: 12, width: 4, doc: "log2 of send queue entries a flow" },
            Field { name: "hop_count", lsb: 16, width: 4, doc: "telemetry records used" },
            Field { name: "cq_log2", lsb: 20, width: 4, doc: "log2 of completion entries" },
        ],
    },
    Register {
        name: "clock_hz",
        offset: CLOCK_HZ,
        count: 1,
        access: Access::Ro,
        reset: 0,
        width: 32,
        doc: "Core clock the timers were sized for, Hz.",
        fields: &[],
    },
    Register {
        name: "row_commit",
        offset: ROW_COMMIT,
        count: 1,
        access: Access::Wo,
        reset: 0,
        width: 18,
        doc: "Writing copies ROW_DATA into a table row.",
        fields: &[
            Field { name: "index", lsb: 0, width: 16, doc: "row" },
            Field {
                name: "table",
                lsb: 16,
                width: 2,
                doc: "0 QP, 1 memory region, 2 work request",
            },
        ],
    },
    Register {
        name: "row_status",
        offset: ROW_STATUS,
        count: 1,
        access: Access::Ro,
        reset: 0,
        width: 2,
        doc: "State of the last commit.",
        fields: &[
            Field { name: "busy", lsb: 0, width: 1, doc: "the commit is under way" },
            Field {
                name: "refused",
                lsb: 1,
                width: 1,
                doc: "it changed nothing: index or table out of range, another commit under way, \
                      or a work request without completion room",
            },
        ],
    },
    Register {
        name: "cq_count",
        offset: CQ_COUNT,
        count: 1,
        access: Access::Ro,
        reset: 0,
        width: 16,
        doc: "Completions waiting.",
        fields: &[],
    },
    Register {
        name: "cq_pop",
        offset: CQ_POP,
        count: 1,
        access: Access::Wo,
        reset: 0,
        width: 1,
        doc: "Writing drops the completion that CQ_ENTRY shows; ignored with a completion ring.",
        fields: &[],
    },
    Register {
        name: "doorbell",
        offset: DOORBELL,
        count: 1,
        access: Access::Wo,
        reset: 0,
        width: 32,
        doc: "Tells of work requests in a submission ring. Refused (HOST_STATUS) without a ring, and \
              with an index beyond the ring or behind the last one.",
        fields: &[
            Field { name: "flow", lsb: 0, width: 16, doc: "QP index" },
            Field {
                name: "index",
                lsb: 16,
                width: 16,
                doc: "work requests posted since the QP was set up, modulo 2^16",
            },
        ],
    },
    Register {
        name: "cq_consumer",
        offset: CQ_CONSUMER,
        count: 1,
        access: Access::Wo,
        reset: 0,
        width: 17,
        doc: "Frees entries of the completion ring. Refused (HOST_STATUS) if it moves back or beyond \
              what was written.",
        fields: &[
            Field {
                name: "index",
                lsb: 0,
                width: 16,
                doc: "entries read since the ring was switched on, modulo 2^16",
            },
            Field {
                name: "arm",
                lsb: 16,
                width: 1,
                doc: "interrupt once there is an entry that is not read; takes back a pending one",
            },
        ],
    },
    Register {
        name: "cq_producer",
        offset: CQ_PRODUCER,
        count: 1,
        access: Access::Ro,
        reset: 0,
        width: 16,
        doc: "Entries written to the completion ring since it was switched on, modulo 2^16.",
        fields: &[],
    },
    Register {
        name: "host_status",
        offset: HOST_STATUS,
        count: 1,
        access: Access::Ro,
        reset: 0,
        width: 32,
        doc: "State of rings and interrupt.",
        fields: HOST_STATUS_FIELDS,
    },
    Register {
        name: "host_clear",
        offset: HOST_CLEAR,
        count: 1,
        access: Access::Wo,
        reset: 0,
        width: 8,
        doc: "Writing ones clears these bits of HOST_STATUS: 0 and 4 to 7.",
        fields: &[],
    },
    Register {
        name: "cc_window",
        offset: CC_WINDOW,
        count: 1,
        access: Access::Ro,
        reset: 0,
        width: 32,
        doc: "Window that the flow in CC_WATCH was last given, bytes.",
        fields: &[],
    },
    Register {
        name: "cc_rate",
        offset: CC_RATE,
        count: 1,
        access: Access::Ro,
        reset: 0,
        width: 32,
        doc: "Rate that the flow in CC_WATCH was last given, bytes a cycle, UQ8.24.",
        fields: &[],
    },
    Register {
        name: "cq_entry",
        offset: CQ_ENTRY,
        count: 4,
        access: Access::Ro,
        reset: 0,
        width: 32,
        doc: "Oldest completion, see the completion entry; 0 when none waits.",
        fields: &[],
    },
    Register {
        name: "row_data",
        offset: ROW_DATA,
        count: 16,
        access: Access::Rw,
        reset: 0,
        width: 32,
        doc: "Staged table row, word 0 first.",
        fields: &[],
    },
];

macro_rules! event_table {
    ($($(#[$about:meta])* $group:ident $bundle:ident {
        $(($counter:literal, $name:ident, $doc:literal),)*
    })*) => {
        /// Event counters, in counter order: port `event_<name>` and what one pulse means. 32 bits,
        /// saturating; a read may lag the event by 64 cycles.
        pub const EVENTS: &[(&str, &str)] = &{
            let mut events = [("", ""); [$($($counter),*),*].len()];
            $($(events[$counter] =
                (concat!(stringify!($group), "_", stringify!($name)), $doc);)*)*
            events
        };
    };
}
crate::events!(event_table);

/// Position of an event in [`EVENTS`].
pub fn event_index(name: &str) -> Option<usize> {
    EVENTS.iter().position(|(event, _)| *event == name)
}

/// Every register but the counters, in offset order within each group.
pub fn registers() -> impl Iterator<Item = &'static Register> {
    SPECIAL_REGISTERS.iter().chain(CONFIG_REGISTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_do_not_overlap_and_fields_fit() {
        let mut taken = [false; 0x400];
        for r in registers() {
            for word in 0..r.count {
                let at = usize::from(r.offset / 4 + word);
                assert!(!taken[at], "{} overlaps", r.name);
                taken[at] = true;
            }
            for f in r.fields {
                assert!(f.lsb + f.width <= r.width, "{}.{}", r.name, f.name);
            }
            let fits = r.width == 32 || r.reset >> r.width == 0;
            assert!(fits, "{}: reset beyond its width", r.name);
        }
        let counters = usize::from(COUNTERS / 4)..usize::from(COUNTERS / 4) + 64;
        assert!(counters.clone().all(|at| !taken[at]));
        assert!(EVENTS.len() <= counters.len());
    }

    #[test]
    fn telemetry_reset_is_dscp_0x13_and_0x17_without_a_format() {
        let r = CONFIG_REGISTERS.iter().find(|r| r.name == "telemetry").unwrap();
        assert_eq!(r.reset, 0x17 << 16 | 0x13 << 8);
    }
}
