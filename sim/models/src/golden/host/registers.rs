//! Twin of `hdl/src/host/registers.rs`: the register side, composed of its blocks' twins.

use super::axil_port::{AxilPort, AxilPortIn, AxilPortOut};
use super::cq::queue::{CompletionQueue, CompletionQueueIn, CompletionQueueOut};
use super::csr::{Csr, CsrIn, CsrOut};
use super::csr_regs::{CsrConfig, CsrRegs, CsrRegsIn, CsrRegsOut};
use super::event_counters::{EventCounters, EventCountersIn, EventCountersOut, EventRead};
use super::table_window::{TableWindow, TableWindowIn, TableWindowOut};
use crate::events::Events;
use crate::ports::{join_name, Golden, PortDef, PortField, Ports};
use crate::starts::Starts;
use crate::streams::{
    back, AxiLite, CommittedRow, Consumer, Doorbell, FlowCommand, LostRequest, QueueHead,
    ReadyPort, RequesterCompletion, ResponderCompletion, StatusClear,
};
use nic_spec::rows::QpRow;
use nic_spec::NicConfig;

crate::ports! {
    /// Readies of the blocks that keep tables.
    pub struct CfgReady {
        pub responder_ready: bool,
        pub requester_ready: bool,
        pub tx_ready: bool,
        pub completer_ready: bool,
    }
}
crate::ports! {
    /// Valids towards the blocks that keep tables.
    pub struct CfgValid {
        pub responder_valid: bool,
        pub requester_valid: bool,
        pub tx_valid: bool,
        pub completer_valid: bool,
    }
}
crate::ports! {
    /// Values put together from configuration registers.
    pub struct Derived {
        pub local_mac: u64,
        pub tel_format: u8,
        /// Form of the header that data packets leave room for.
        pub tel_data: u8,
        /// Form of what ACKs echo: that of the data, the paper's for stacks of the network.
        pub tel_echo: u8,
        /// ACKs echo the most loaded hop alone: the authors' form has no path ID to tell it by.
        pub tel_echo_hop: bool,
        pub tel_port: u16,
        pub tel_queue_bytes: bool,
        pub tel_time_binary: bool,
        pub tel_rates: u32,
        pub tel_dscp: u8,
        pub tel_echo_dscp: u8,
    }
}
crate::ports! {
    /// A window and rate on their way to the scheduler.
    pub struct WatchIn {
        pub valid: bool,
        pub flow: u16,
        pub window: u32,
        pub rate: u32,
    }
}
crate::ports! {
    /// Inputs.
    pub struct RegistersIn {
        pub reset: bool,
        pub s_axil: AxiLite,
        pub m_cfg: CfgReady,
        pub m_flow: ReadyPort,
        pub s_requester: RequesterCompletion,
        pub s_responder: ResponderCompletion,
        pub s_lost: LostRequest,
        pub ring_owns: bool,
        pub head: back::QueueHead,
        pub cq_landed: u16,
        pub host_status: u32,
        pub m_doorbell: ReadyPort,
        pub watch: WatchIn,
        pub event: Events,
    }
}

/// Outputs; the configuration ports stand without a prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RegistersOut {
    /// Bus.
    pub s_axil: back::AxiLite,
    /// Row for the tables.
    pub cfg: CommittedRow,
    /// Who shall take it.
    pub m_cfg: CfgValid,
    /// QP row for the CC unit.
    pub m_flow: FlowCommand,
    /// Ports `cfg_local_mac`, `cfg_tel_*`.
    pub derived: Derived,
    /// Completion of the requester is taken.
    pub s_requester: ReadyPort,
    /// Completion of the responder is taken.
    pub s_responder: ReadyPort,
    /// A lost work request is taken.
    pub s_lost: ReadyPort,
    /// The oldest completion.
    pub head: QueueHead,
    /// Software's index.
    pub m_consumer: Consumer,
    /// What software clears.
    pub m_clear: StatusClear,
    /// Doorbell.
    pub m_doorbell: Doorbell,
    /// Room for the completion of one more work request.
    pub wr_room: bool,
    /// Room for what the responder may still complete.
    pub cq_space: bool,
    /// Ports `cfg_*` of the configuration registers.
    pub config: CsrConfig,
}

crate::ports! {
    /// The outputs in port order.
    struct Named {
        s_axil: back::AxiLite,
        cfg: CommittedRow,
        m_cfg: CfgValid,
        m_flow: FlowCommand,
        s_requester: ReadyPort,
        s_responder: ReadyPort,
        s_lost: ReadyPort,
        head: QueueHead,
        m_consumer: Consumer,
        m_clear: StatusClear,
        m_doorbell: Doorbell,
        wr_room: bool,
        cq_space: bool,
    }
}

impl PortField for RegistersOut {
    const WORDS: usize = Named::WORDS + Derived::WORDS + CsrConfig::WORDS;
    fn define(name: &str, defs: &mut Vec<PortDef>) {
        Named::define(name, defs);
        Derived::define(&join_name(name, "cfg"), defs);
        CsrConfig::define(name, defs);
    }
    fn store(&self, words: &mut [u64]) {
        let named = Named {
            s_axil: self.s_axil,
            cfg: self.cfg,
            m_cfg: self.m_cfg,
            m_flow: self.m_flow,
            s_requester: self.s_requester,
            s_responder: self.s_responder,
            s_lost: self.s_lost,
            head: self.head,
            m_consumer: self.m_consumer,
            m_clear: self.m_clear,
            m_doorbell: self.m_doorbell,
            wr_room: self.wr_room,
            cq_space: self.cq_space,
        };
        named.store(words);
        self.derived.store(&mut words[Named::WORDS..]);
        self.config.store(&mut words[Named::WORDS + Derived::WORDS..]);
    }
    fn load(words: &[u64]) -> Self {
        let n = Named::load(words);
        Self {
            s_axil: n.s_axil,
            cfg: n.cfg,
            m_cfg: n.m_cfg,
            m_flow: n.m_flow,
            s_requester: n.s_requester,
            s_responder: n.s_responder,
            s_lost: n.s_lost,
            head: n.head,
            m_consumer: n.m_consumer,
            m_clear: n.m_clear,
            m_doorbell: n.m_doorbell,
            wr_room: n.wr_room,
            cq_space: n.cq_space,
            derived: Derived::load(&words[Named::WORDS..]),
            config: CsrConfig::load(&words[Named::WORDS + Derived::WORDS..]),
        }
    }
}
impl Ports for RegistersOut {}

/// The register side.
#[derive(Clone, Debug)]
pub struct Registers {
    port: AxilPort,
    decode: Csr,
    config_regs: CsrRegs,
    window: TableWindow,
    counters: EventCounters,
    queue: CompletionQueue,
    flow_count: u16,
    /// Word index of the address, a cycle later.
    index: u8,
    /// Window and rate last given to the watched flow.
    watched: (u32, u32),
    wires: Wires,
}

/// Outputs of the blocks after the last edge.
#[derive(Clone, Copy, Debug, Default)]
struct Wires {
    port: AxilPortOut,
    decode: CsrOut,
    config_regs: CsrRegsOut,
    window: TableWindowOut,
    counters: EventCountersOut,
    queue: CompletionQueueOut,
}

impl Registers {
    /// The registers of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            port: AxilPort::default(),
            decode: Csr::new(config),
            config_regs: CsrRegs::default(),
            window: TableWindow::new(config),
            counters: EventCounters::default(),
            queue: CompletionQueue::new(config.cq_depth()),
            flow_count: config.flow_count as u16,
            index: 0,
            watched: (0, 0),
            wires: Wires::default(),
        }
    }
}

impl Golden for Registers {
    type In = RegistersIn;
    type Out = RegistersOut;

    fn step(&mut self, i: &RegistersIn) -> RegistersOut {
        let w = self.wires;
        let reset = i.reset;
        let (index, wdata) = (self.index, w.port.m.wdata);
        self.index = if reset { 0 } else { (w.port.m.addr >> 2) as u8 };
        self.wires.port = self.port.step(&AxilPortIn { reset, s_axil: i.s_axil, s: w.decode.s });
        self.wires.decode = self.decode.step(&CsrIn {
            reset,
            s: w.port.m,
            regs_hit: w.config_regs.rd.hit,
            regs_data: w.config_regs.rd.data,
            window_word: w.window.word,
            window_busy: w.window.busy,
            window_refused: w.window.refused,
            queue_valid: w.queue.head.valid,
            queue_head: w.queue.head.entry,
            queue_count: w.queue.count,
            watch_window: self.watched.0,
            watch_rate: self.watched.1,
            counter_done: w.counters.rd_done,
            counter_data: w.counters.rd_data,
            cq_landed: i.cq_landed,
            host_status: i.host_status,
            doorbell_ready: i.m_doorbell.ready,
        });
        self.wires.config_regs = self.config_regs.step(&CsrRegsIn {
            reset,
            wr_valid: w.decode.regs_wr_valid,
            wr_index: index,
            wr_data: wdata,
            rd_index: index,
        });
        self.wires.window = self.window.step(&TableWindowIn {
            reset,
            word_write: w.decode.window_write,
            word_index: index & 15,
            wdata,
            commit: w.decode.window_commit,
            cfg_sq_scale: w.config_regs.config.cfg_sq_scale as u8,
            wr_room: w.queue.wr_room,
            m_cfg_responder_ready: i.m_cfg.responder_ready,
            m_cfg_requester_ready: i.m_cfg.requester_ready,
            m_cfg_tx_ready: i.m_cfg.tx_ready,
            m_cfg_completer_ready: i.m_cfg.completer_ready,
            m_cfg_cc_ready: i.m_flow.ready,
        });
        let rd = EventRead { valid: w.decode.counter_valid, index: index & 63 };
        self.wires.counters = self.counters.step(&EventCountersIn { reset, event: i.event, rd });
        self.wires.queue = self.queue.step(&CompletionQueueIn {
            reset,
            s_requester: i.s_requester,
            s_responder: i.s_responder,
            s_lost: i.s_lost,
            pop: w.decode.queue_pop,
            ring_owns: i.ring_owns,
            head: i.head,
        });
        let watched = i.watch.valid && u32::from(i.watch.flow) == w.config_regs.config.cfg_cc_watch;
        if reset {
            self.watched = (0, 0);
        } else if watched {
            self.watched = (i.watch.window, i.watch.rate);
        }
        self.outputs()
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<RegistersOut> {
        starts.within("counters", |s| self.counters.starts(s)).map(|_| self.outputs())
    }
}

impl Registers {
    fn outputs(&self) -> RegistersOut {
        let (w, c) = (&self.wires, &self.wires.config_regs.config);
        let words = w.window.cfg.row.0;
        let row = core::array::from_fn(|i| (words[i / 2] >> (i % 2 * 32)) as u32);
        let qp = QpRow::from_row(&row);
        let part = u16::from(w.window.m_cfg_cc_part);
        RegistersOut {
            s_axil: w.port.s_axil,
            cfg: w.window.cfg,
            m_cfg: CfgValid {
                responder_valid: w.window.m_cfg_responder_valid,
                requester_valid: w.window.m_cfg_requester_valid,
                tx_valid: w.window.m_cfg_tx_valid,
                completer_valid: w.window.m_cfg_completer_valid,
            },
            m_flow: FlowCommand {
                valid: w.window.m_cfg_cc_valid,
                flow: w.window.cfg.index + part * self.flow_count,
                op: if qp.valid { 1 } else { 2 },
                telemetry: qp.telemetry,
                window_bytes: qp.window_bytes,
                rate: qp.rate_uq8_24,
            },
            derived: Derived {
                local_mac: u64::from(c.cfg_local_mac_lo) | u64::from(c.cfg_local_mac_hi) << 32,
                tel_format: (c.cfg_telemetry & 7) as u8,
                // The native forms always; others from here, INT-MD by DSCP (3) or by port (6).
                tel_data: match (c.cfg_telemetry & 7, c.cfg_telemetry >> 3 & 3) {
                    (native @ 1..=2, _) => native as u8,
                    (3, 0b01) => 3,
                    (3, 0b11) => 6,
                    (format @ 4..=5, 0b01 | 0b11) => format as u8,
                    _ => 0,
                },
                tel_echo: [0, 1, 2, 1, 1, 1, 0, 0][c.cfg_telemetry as usize & 7],
                tel_echo_hop: c.cfg_cc_mode == 2 && c.cfg_telemetry & 7 != 2,
                tel_port: c.cfg_telemetry_stack as u16,
                tel_queue_bytes: c.cfg_telemetry_stack >> 16 & 1 != 0,
                tel_time_binary: c.cfg_telemetry_stack >> 17 & 1 != 0,
                tel_rates: c.cfg_telemetry_rates,
                tel_dscp: (c.cfg_telemetry >> 8 & 63) as u8,
                tel_echo_dscp: (c.cfg_telemetry >> 16 & 63) as u8,
            },
            s_requester: ReadyPort { ready: w.queue.s_requester.ready },
            s_responder: ReadyPort { ready: w.queue.s_responder.ready },
            s_lost: ReadyPort { ready: w.queue.s_lost.ready },
            head: w.queue.head,
            m_consumer: Consumer {
                valid: w.decode.consumer_write,
                index: w.port.m.wdata as u16,
                arm: w.port.m.wdata >> 16 & 1 != 0,
            },
            m_clear: StatusClear { valid: w.decode.clear_write, bits: w.port.m.wdata as u8 },
            m_doorbell: Doorbell {
                valid: w.decode.doorbell_valid,
                flow: w.port.m.wdata as u16,
                index: (w.port.m.wdata >> 16) as u16,
            },
            wr_room: w.queue.wr_room,
            cq_space: w.queue.responder_room,
            config: w.config_regs.config,
        }
    }
}
