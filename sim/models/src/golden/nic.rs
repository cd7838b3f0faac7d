//! The whole NIC: every block's twin, composed the way the hardware is (`hdl/src/nic/wiring.rs`).

use crate::golden::cc::active::CcActive;
use crate::golden::cc::flow_state::OP_UPDATE;
use crate::golden::cc::unit::CcUnit;
use crate::golden::cc::wide::unit::CcUnitWide;
use crate::golden::host::axi::{ReadMaster, ReadSlave, WriteMaster, WriteSlave};
use crate::golden::host::cq::ring::CqRing;
use crate::golden::host::dma::read::DmaRead;
use crate::golden::host::dma::write::DmaWrite;
use crate::golden::host::interrupt::Interrupt;
use crate::golden::host::read_mux::ReadMux;
use crate::golden::host::registers::Registers;
use crate::golden::host::sq::fetch::SqFetch;
use crate::golden::host::write_mux::WriteMux;
use crate::golden::netlist::{Netlist, Probe};
use crate::golden::rx::pipe::RxPipe;
use crate::golden::sched::scheduler::Scheduler;
use crate::golden::transport::completer::Completer;
use crate::golden::transport::feedback::input::FeedbackIn;
use crate::golden::transport::feedback::output::FeedbackOut;
use crate::golden::transport::pkt_mux::PktMux;
use crate::golden::transport::probe_out::ProbeOut;
use crate::golden::transport::read::reply::ReadReply;
use crate::golden::transport::requester::{array::RequesterArray, Requester};
use crate::golden::transport::responder::Responder;
use crate::golden::transport::window::input::WindowIn;
use crate::golden::transport::window::output::WindowOut;
use crate::golden::transport::work_mux::WorkMux;
use crate::golden::tx::pipe::TxPipe;
use crate::golden::util::stream_mux::StreamMux;
use crate::golden::util::stream_route::StreamRouteBlock;
use crate::ports;
use crate::ports::{Both, Golden};
use crate::starts::Starts;
use crate::streams::{back, AckTelemetry, AxiLite, Axis, AxisUser, Telemetry, TreadyPort};
use nic_spec::config::{CcSchedule, NicConfig};

ports! {
    /// Input pins of the NIC.
    pub struct NicIn {
        /// Synchronous reset, active high.
        pub reset: bool,
        /// Registers.
        pub s_axil: AxiLite,
        /// Host memory.
        pub m_axi: Both<WriteSlave, ReadSlave>,
        /// Frames from the MAC.
        pub s_axis_rx: AxisUser,
        /// Frames to the MAC.
        pub m_axis_tx: TreadyPort,
        /// Frames to the host's own stack.
        pub m_axis_host: TreadyPort,
        /// Frames from the host's own stack.
        pub s_axis_host: Axis,
    }
}
ports! {
    /// Output pins of the NIC.
    pub struct NicOut {
        /// Registers.
        pub s_axil: back::AxiLite,
        /// Host memory.
        pub m_axi: Both<WriteMaster, ReadMaster>,
        /// Frames from the MAC.
        pub s_axis_rx: TreadyPort,
        /// Frames to the MAC.
        pub m_axis_tx: Axis,
        /// Frames to the host's own stack.
        pub m_axis_host: Axis,
        /// Frames from the host's own stack.
        pub s_axis_host: TreadyPort,
        /// Interrupt, level.
        pub irq: bool,
    }
}

/// Bits of the mark that packets carry of their queue pair's row.
const MARK_BITS: u32 = 4;

/// A flow's window and rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Bytes that may be in flight.
    pub window_bytes: u32,
    /// Bytes a cycle, UQ8.24.
    pub rate_uq8_24: u32,
}

/// The NIC.
#[derive(Debug)]
pub struct Nic {
    netlist: Netlist,
    /// What the scheduler is told: valid, flow, window, rate.
    paces: [Probe; 4],
    /// ACKs to congestion control: valid, ready, flow, peer, PSN, next PSN, records' count and path.
    acks: [Probe; 8],
    hops: [Probe; 5],
    /// Its decisions: valid, ready, flow, op, window, rate.
    decisions: [Probe; 6],
}

impl Nic {
    /// A NIC of the sizes of `config`.
    pub fn new(config: &NicConfig) -> Self {
        let mut n = Netlist::new::<NicIn, NicOut>();
        // Data and READ responses of a queue pair are paced apart.
        let paced = NicConfig { flow_count: 2 * config.flow_count, ..config.clone() };
        let flow_bits = config.flow_count.ilog2();
        n.add("rx", RxPipe::new(config.data_bytes()));
        n.add("responder", Responder::new(config));
        n.add("read_reply", ReadReply::new(config));
        match config.requester_engines() {
            1 => n.add("requester", Requester::new(config)),
            _ => n.add("requester", RequesterArray::new(config)),
        }
        n.add("completer", Completer::new(config));
        n.add("feedback_out", FeedbackOut::new(config));
        n.add("feedback_in", FeedbackIn::new(config));
        n.add("probe_out", ProbeOut::new(config));
        n.add("window_out", WindowOut::new(config));
        n.add("window_in", WindowIn::new(config));
        n.add("work_mux", WorkMux::new(config));
        n.add("scheduler", Scheduler::new(&paced));
        n.add("grants", StreamRouteBlock::new(flow_bits));
        n.add("active", CcActive::new(&paced));
        // The congestion control knows a third one: the peer's data.
        let controlled = NicConfig { flow_count: 4 * config.flow_count, ..config.clone() };
        match config.cc_schedule() {
            CcSchedule::AckPerCycle => n.add("cc", CcUnitWide::new(&controlled)),
            _ => n.add("cc", CcUnit::new(&controlled)),
        }
        n.add("pkt_mux", PktMux::new(config));
        n.add("tx", TxPipe::new(config));
        n.add("tx_fails", StreamRouteBlock::new(flow_bits + MARK_BITS));
        n.add("fails", StreamMux::<u64>::default());
        n.add("sq_fetch", SqFetch::new(config));
        n.add("cq_ring", CqRing::new(config));
        n.add("interrupt", Interrupt::default());
        n.add("write_mux", WriteMux::default());
        n.add("read_mux", ReadMux::new(config));
        n.add("dma_write", DmaWrite::<u128>::new(config));
        n.add("dma_read", DmaRead::new(config));
        n.add("registers", Registers::new(config));
        Self::connect(&mut n, flow_bits);
        Self::configure(&mut n, flow_bits);
        n.finish();
        let paces = ["valid", "flow", "window_bytes", "rate"];
        let paces = paces.map(|field| n.probe(&format!("window_in.m_rate_{field}")));
        let acks = [
            "feedback_in.m_cc_valid",
            "cc.s_ack_ready",
            "feedback_in.m_cc_flow",
            "feedback_in.m_cc_peer",
            "feedback_in.m_cc_psn",
            "feedback_in.m_cc_snd_nxt",
            "feedback_in.m_cc_tel_hops",
            "feedback_in.m_cc_tel_path",
        ];
        let acks = acks.map(|port| n.probe(port));
        let hops = [0, 1, 2, 3, 4].map(|hop| n.probe(&format!("feedback_in.m_cc_tel_hop_{hop}")));
        let decisions = [
            "cc.m_rate_valid",
            "window_in.s_rate_ready",
            "cc.m_rate_flow",
            "cc.m_rate_op",
            "cc.m_rate_window_bytes",
            "cc.m_rate_rate",
        ];
        let decisions = decisions.map(|port| n.probe(port));
        Self { netlist: n, paces, acks, hops, decisions }
    }

    /// The ACK of a flow's data that congestion control takes at the coming edge.
    pub fn ack(&self) -> Option<AckTelemetry> {
        let [valid, ready, flow, peer, psn, snd_nxt, hops, path] =
            self.acks.map(|probe| self.netlist.value(probe));
        let tel = Telemetry {
            valid: true,
            hops: hops as u8,
            path: path as u16,
            hop: self.hops.map(|probe| self.netlist.value(probe)),
        };
        let (flow, psn, snd_nxt) = (flow as u16, psn as u32, snd_nxt as u32);
        let ack = AckTelemetry { valid: true, flow, psn, snd_nxt, tel };
        (valid != 0 && ready != 0 && peer == 0).then_some(ack)
    }

    /// What it has made of an ACK, and gives away at the coming edge: flow, window and rate.
    pub fn decision(&self) -> Option<(usize, Pace)> {
        let [valid, ready, flow, op, window, rate] =
            self.decisions.map(|probe| self.netlist.value(probe));
        let pace = Pace { window_bytes: window as u32, rate_uq8_24: rate as u32 };
        let is_update = valid != 0 && ready != 0 && op == u64::from(OP_UPDATE);
        is_update.then_some((flow as usize, pace))
    }

    /// The flow to which the scheduler is being told a window and a rate; READ responses of a queue pair
    /// are a flow of their own, behind those of all queue pairs' data.
    pub fn pace(&self) -> Option<(usize, Pace)> {
        let [valid, flow, window, rate] = self.paces.map(|probe| self.netlist.value(probe));
        let pace = Pace { window_bytes: window as u32, rate_uq8_24: rate as u32 };
        (valid != 0).then_some((flow as usize, pace))
    }

    /// The picture of design.md: data flows one way along it. One table, so longer than a function.
    fn connect(n: &mut Netlist, flow_bits: u32) {
        for (from, to) in [
            ("pins.s_axis_rx", "rx.s_axis"),
            ("rx.m_host", "pins.m_axis_host"),
            ("rx.m_req", "responder.s_req"),
            ("rx.m_payload", "responder.s_payload"),
            ("responder.m_cmd", "write_mux.s_a_cmd"),
            ("responder.m_data", "write_mux.s_a_data"),
            ("write_mux.m_a_done", "responder.s_done"),
            ("completer.m_cmd", "write_mux.s_b_cmd"),
            ("completer.m_data", "write_mux.s_b_data"),
            ("write_mux.m_b_done", "completer.s_done"),
            ("cq_ring.m_cmd", "write_mux.s_c_cmd"),
            ("cq_ring.m_data", "write_mux.s_c_data"),
            ("write_mux.m_c_done", "cq_ring.s_done"),
            ("write_mux.m_cmd", "dma_write.s_cmd"),
            ("write_mux.m_data", "dma_write.s_axis"),
            ("dma_write.m_done", "write_mux.s_done"),
            ("responder.m_job", "read_reply.s_job"),
            ("read_reply.m_end", "pkt_mux.s_end"),
            ("pkt_mux.m_end", "responder.s_end"),
            ("rx.m_ack", "requester.s_ack"),
            ("rx.m_response", "completer.s_response"),
            ("requester.m_order", "completer.s_order"),
            ("requester.m_work", "work_mux.s_data"),
            ("read_reply.m_work", "work_mux.s_reply"),
            ("work_mux.m_work", "scheduler.s_work"),
            ("requester.m_cc", "feedback_in.s_cc"),
            ("rx.m_feedback", "feedback_in.s_feedback"),
            ("feedback_in.m_probe", "feedback_out.s_probe"),
            ("feedback_in.m_answer", "probe_out.answer"),
            ("probe_out.m_probe", "pkt_mux.s_probe"),
            ("feedback_out.m_feedback", "tx.s_feedback"),
            ("feedback_in.m_window", "window_in.s_window"),
            ("window_in.m_rate", "scheduler.s_rate"),
            ("window_out.m_window", "pkt_mux.s_window"),
            ("requester.m_pkt", "pkt_mux.s_data_pkt"),
            ("requester.m_read", "pkt_mux.s_data_read"),
            ("read_reply.m_pkt", "pkt_mux.s_reply_pkt"),
            ("read_reply.m_read", "pkt_mux.s_reply_read"),
            ("pkt_mux.m_pkt", "tx.s_pkt"),
            ("pkt_mux.m_read", "read_mux.s_pkt"),
            ("sq_fetch.m_cmd", "read_mux.s_wr"),
            ("read_mux.m_cmd", "dma_read.s_cmd"),
            ("dma_read.m_axis", "read_mux.s_axis"),
            ("read_mux.m_pkt", "tx.s_data"),
            ("read_mux.m_wr", "sq_fetch.s_axis"),
            ("responder.m_ack", "tx.s_ack"),
            ("pins.s_axis_host", "tx.s_host"),
            ("tx.m_axis", "pins.m_axis_tx"),
            ("dma_write.m_axi", "pins.m_axi"),
            ("dma_read.m_axi", "pins.m_axi"),
            ("pins.s_axil", "registers.s_axil"),
            ("completer.m_cqe", "registers.s_requester"),
            ("responder.m_cqe", "registers.s_responder"),
            ("registers.m_cfg_responder", "responder.s_cfg"),
            ("registers.m_doorbell", "sq_fetch.s_doorbell"),
            ("sq_fetch.m_cqe", "registers.s_lost"),
            ("sq_fetch.hint", "requester.hint"),
            ("registers.head", "cq_ring.head"),
            ("cq_ring.ring", "interrupt.ring"),
            ("registers.m_consumer", "cq_ring.s_consumer"),
            ("registers.m_clear", "interrupt.clear"),
            ("registers.m_cfg_requester", "sq_fetch.s_cfg"),
            ("sq_fetch.m_cfg", "requester.s_cfg"),
            ("registers.m_cfg_tx", "feedback_out.s_cfg"),
            ("feedback_out.m_cfg", "tx.s_cfg"),
            ("responder.m_cfg", "read_reply.s_cfg"),
            ("registers.m_cfg_completer", "completer.s_cfg"),
            ("registers.m_flow", "cc.s_flow"),
        ] {
            n.stream(from, to);
        }
        // Streams of flow numbers, some of which have the bit of READ responses on top.
        for (from, flow, to, data) in [
            ("scheduler.m_grant", "flow", "grants.s", "data"),
            ("grants.m_a", "data", "requester.s_grant", "flow"),
            ("grants.m_b", "data", "read_reply.s_grant", "flow"),
            ("tx_fails.m_a", "data", "fails.s_a", "data"),
        ] {
            n.wire(&format!("{from}_valid"), &format!("{to}_valid"));
            n.wire(&format!("{from}_{flow}"), &format!("{to}_{data}"));
            n.wire(&format!("{to}_ready"), &format!("{from}_ready"));
        }
        Self::connect_fails(n, flow_bits);
    }

    /// Read errors: the flow above the mark of its queue pair's row.
    fn connect_fails(n: &mut Netlist, flow_bits: u32) {
        for (from, to) in [
            ("tx.m_fail", "tx_fails.s"),
            ("tx_fails.m_b", "read_reply.s_fail"),
            ("completer.m_fail", "fails.s_b"),
            ("fails.m", "requester.s_fail"),
        ] {
            n.wire(&format!("{from}_valid"), &format!("{to}_valid"));
            n.wire(&format!("{to}_ready"), &format!("{from}_ready"));
        }
        let flow = (MARK_BITS, flow_bits);
        n.join(
            &[("tx.m_fail_mark", 0, MARK_BITS), ("tx.m_fail_flow", MARK_BITS, flow_bits + 1)],
            "tx_fails.s_data",
        );
        n.slice("tx_fails.m_b_data", flow, "read_reply.s_fail_flow");
        n.slice("tx_fails.m_b_data", (0, MARK_BITS), "read_reply.s_fail_mark");
        n.join(&[("completer.m_fail_flow", MARK_BITS, flow_bits)], "fails.s_b_data");
        n.slice("fails.m_data", flow, "requester.s_fail_flow");
        n.slice("fails.m_data", (0, MARK_BITS), "requester.s_fail_mark");
    }

    /// What rings, completion queue and interrupt tell each other beside streams.
    fn connect_rings(n: &mut Netlist) {
        for (from, to) in [
            ("sq_fetch.m_cfg_table", "requester.cfg_table"),
            ("sq_fetch.m_cfg_index", "requester.cfg_index"),
            ("sq_fetch.m_cfg_row", "requester.cfg_row"),
            ("requester.m_order_valid", "sq_fetch.watch_valid"),
            ("completer.s_order_ready", "sq_fetch.watch_ready"),
            ("requester.m_order_op", "sq_fetch.watch_op"),
            ("requester.m_order_flow", "sq_fetch.watch_flow"),
            ("registers.wr_room", "sq_fetch.wr_room"),
            ("registers.cfg_cq_base_lo", "cq_ring.cfg_base_lo"),
            ("registers.cfg_cq_base_hi", "cq_ring.cfg_base_hi"),
            ("registers.cfg_cq_log2", "cq_ring.cfg_log2"),
            ("cq_ring.ring_owns", "registers.ring_owns"),
            ("cq_ring.landed", "registers.cq_landed"),
            ("registers.cfg_irq_enable", "interrupt.cfg_enable"),
            ("registers.cfg_line", "scheduler.cfg_line"),
            ("sq_fetch.event_sq_doorbell_refused", "interrupt.error_doorbell"),
            ("sq_fetch.event_sq_read_error", "interrupt.error_sq"),
            ("cq_ring.event_cq_error", "interrupt.error_cq"),
            ("cq_ring.event_cq_refused", "interrupt.error_consumer"),
            ("registers.m_doorbell_flow", "interrupt.doorbell_flow"),
            ("interrupt.status", "registers.host_status"),
            ("interrupt.irq", "pins.irq"),
        ] {
            n.wire(from, to);
        }
    }

    /// What those who send and take telemetry responses see pass.
    fn connect_feedback(n: &mut Netlist) {
        let tel = ["tel_valid", "tel_hops", "tel_path"].map(String::from);
        let hops = (0..5).map(|hop| format!("tel_hop_{hop}"));
        let fields = ["valid", "opcode", "qpn", "psn", "src_ip"].map(String::from);
        for field in fields.into_iter().chain(tel).chain(hops) {
            n.wire(&format!("rx.m_ack_{field}"), &format!("feedback_out.watch_{field}"));
        }
        n.wire("requester.s_ack_ready", "feedback_out.watch_ready");
        for block in ["feedback_in", "probe_out"] {
            for (from, to) in [
                ("registers.m_cfg_tx_valid", "row_valid"),
                ("feedback_out.s_cfg_ready", "row_ready"),
                ("pkt_mux.sent_valid", "sent_valid"),
                ("tx.s_pkt_ready", "sent_ready"),
                ("pkt_mux.m_pkt_flow", "sent_flow"),
                ("pkt_mux.m_pkt_psn", "sent_psn"),
            ] {
                n.wire(from, &format!("{block}.{to}"));
            }
        }
        for (from, to) in [
            ("pkt_mux.m_pkt_payload_bytes", "probe_out.sent_payload_bytes"),
            ("pkt_mux.m_pkt_bare", "probe_out.sent_bare"),
            ("requester.m_work_valid", "probe_out.inflight_valid"),
            ("work_mux.s_data_ready", "probe_out.inflight_ready"),
            ("requester.m_work_flow", "probe_out.inflight_flow"),
            ("requester.m_work_inflight_bytes", "probe_out.inflight_bytes"),
        ] {
            n.wire(from, to);
        }
    }

    /// What a receiver computes for the sender of data.
    fn connect_windows(n: &mut Netlist, flow_bits: u32) {
        for block in ["cc", "active", "feedback_in", "window_out", "tx"] {
            n.slice("registers.cfg_cc_mode", (0, 1), &format!("{block}.cfg_by_time"));
        }
        for block in ["feedback_in", "responder"] {
            n.wire("registers.cfg_tel_echo_hop", &format!("{block}.cfg_worst_hop"));
        }
        Self::connect_peer(n, flow_bits);
        for parameter in ["w_init", "w_min", "rate_gain", "rate_min", "rate_max"] {
            let (from, to) =
                (format!("registers.cfg_cc_{parameter}"), format!("window_in.cfg_{parameter}"));
            n.wire(&from, &to);
        }
        for (from, to) in [
            ("rx.m_req_valid", "feedback_in.req_valid"),
            ("responder.s_req_ready", "feedback_in.req_ready"),
            ("rx.m_req_imm", "window_in.s_window_bytes"),
            ("registers.m_cfg_tx_valid", "window_out.row_valid"),
            ("cc.m_rate_valid", "window_out.watch_valid"),
            ("window_in.s_rate_ready", "window_out.watch_ready"),
            ("cc.m_rate_op", "window_out.watch_op"),
            ("cc.m_rate_full", "window_out.watch_full"),
            ("cc.m_rate_window_bytes", "window_out.watch_window_bytes"),
            ("cc.m_rate_last_update_psn", "window_out.watch_time"),
        ] {
            n.wire(from, to);
        }
    }

    /// The congestion control's third flow of a queue pair: the peer's data.
    fn connect_peer(n: &mut Netlist, flow_bits: u32) {
        let peer = (flow_bits + 1, 1);
        let tel = ["tel_valid", "tel_hops", "tel_path"].map(String::from);
        let hops = (0..5).map(|hop| format!("tel_hop_{hop}"));
        let fields = ["valid", "psn", "snd_nxt"].map(String::from);
        for field in fields.into_iter().chain(tel).chain(hops) {
            n.wire(&format!("feedback_in.m_cc_{field}"), &format!("cc.s_ack_{field}"));
        }
        n.wire("cc.s_ack_ready", "feedback_in.m_cc_ready");
        n.join(
            &[("feedback_in.m_cc_flow", 0, flow_bits + 1), ("feedback_in.m_cc_peer", peer.0, 1)],
            "cc.s_ack_flow",
        );
        for field in ["valid", "op", "window_bytes", "rate"] {
            n.wire(&format!("cc.m_rate_{field}"), &format!("window_in.s_rate_{field}"));
        }
        n.wire("window_in.s_rate_ready", "cc.m_rate_ready");
        for (flow, bits) in [
            ("window_in.s_rate", flow_bits + 1),
            ("active.watch", flow_bits + 1),
            ("window_out.watch", flow_bits),
            ("responder.watch", flow_bits),
        ] {
            n.slice("cc.m_rate_flow", (0, bits), &format!("{flow}_flow"));
            n.slice("cc.m_rate_flow", peer, &format!("{flow}_peer"));
        }
        n.slice("window_in.m_rate_flow", (0, flow_bits), "requester.watch_flow");
        n.slice("window_in.m_rate_flow", (flow_bits, 1), "requester.watch_reply");
        for (from, to) in [
            ("window_in.m_rate_valid", "requester.watch_valid"),
            ("scheduler.s_rate_ready", "requester.watch_ready"),
            ("window_in.m_rate_window_bytes", "requester.watch_window"),
            ("cc.m_rate_valid", "responder.watch_valid"),
            ("window_in.s_rate_ready", "responder.watch_ready"),
            ("cc.m_rate_op", "responder.watch_op"),
            ("cc.m_rate_worst_hop", "responder.watch_worst_hop"),
        ] {
            n.wire(from, to);
        }
    }

    /// Register values, table rows and events. One table, so longer than a function.
    fn configure(n: &mut Netlist, flow_bits: u32) {
        for (port, blocks) in [
            ("cfg_local_mac", &["rx", "tx"][..]),
            ("cfg_local_ip", &["rx", "tx"]),
            ("cfg_pkey", &["rx", "tx"]),
            ("cfg_ttl", &["tx"]),
            ("cfg_feedback_cycles", &["feedback_out", "feedback_in"]),
            ("cfg_probe_cycles", &["probe_out"]),
            ("cfg_tel_format", &["rx"]),
            ("cfg_tel_data", &["tx", "requester", "read_reply"]),
            ("cfg_tel_echo", &["tx"]),
            ("cfg_tel_every", &["requester"]),
            ("cfg_sq_scale", &["requester", "sq_fetch"]),
            ("cfg_tel_port", &["rx", "tx"]),
            ("cfg_tel_queue_bytes", &["rx"]),
            ("cfg_tel_time_binary", &["rx", "tx"]),
            ("cfg_tel_rates", &["rx"]),
            ("cfg_tel_dscp", &["rx", "tx"]),
            ("cfg_tel_echo_dscp", &["rx", "tx"]),
            ("cfg_rnr_timer", &["responder"]),
            ("cfg_reads_max", &["dma_read"]),
            ("cfg_table", &["responder", "sq_fetch", "tx", "read_reply"]),
            ("cfg_index", &["responder", "sq_fetch", "tx", "read_reply", "completer"]),
            ("cfg_row", &["responder", "sq_fetch", "tx", "read_reply"]),
            ("cfg_index", &["feedback_out", "feedback_in", "probe_out"]),
            ("cfg_row", &["feedback_out", "feedback_in"]),
        ] {
            for block in blocks {
                n.wire(&format!("registers.{port}"), &format!("{block}.{port}"));
            }
        }
        n.wire("registers.cq_space", "responder.cfg_cq_space");
        Self::connect_rings(n);
        Self::connect_feedback(n);
        for parameter in [
            "t_ns",
            "inv_t",
            "queue_gain",
            "util_gain",
            "check",
            "target",
            "u_one",
            "max_stage",
            "w_init",
            "w_min",
            "rate_gain",
            "rate_min",
            "rate_max",
        ] {
            n.wire(&format!("registers.cfg_cc_{parameter}"), &format!("cc.cfg_{parameter}"));
        }
        Self::connect_windows(n, flow_bits);
        for (from, to) in [
            ("registers.cfg_cc_w_ai", "active.cfg_w_ai"),
            ("registers.cfg_cc_active", "active.cfg_window"),
            ("cc.m_rate_valid", "active.watch_valid"),
            ("window_in.s_rate_ready", "active.watch_ready"),
            ("cc.m_rate_full", "active.watch_full"),
            ("active.w_ai", "cc.cfg_w_ai"),
        ] {
            n.wire(from, to);
        }
        for (from, to) in
            [("valid", "valid"), ("flow", "flow"), ("window_bytes", "window"), ("rate", "rate")]
        {
            n.wire(&format!("window_in.m_rate_{from}"), &format!("registers.watch_{to}"));
        }
        for (block, group) in [
            ("rx", "rx"),
            ("responder", "resp"),
            ("requester", "reqr"),
            ("tx", "tx"),
            ("read_reply", "read"),
            ("sq_fetch", "sq"),
            ("cq_ring", "cq"),
            ("feedback_in", "feedback"),
            ("cc", "cc"),
            ("probe_out", "probe"),
            ("window_out", "window"),
        ] {
            n.stream(&format!("{block}.event_{group}"), &format!("registers.event_{group}"));
        }
    }
}

impl Golden for Nic {
    type In = NicIn;
    type Out = NicOut;

    fn step(&mut self, inputs: &NicIn) -> NicOut {
        self.netlist.step(inputs, inputs.reset)
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<NicOut> {
        self.netlist.starts(starts)
    }
}
