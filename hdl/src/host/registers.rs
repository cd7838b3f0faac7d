//! The register side of the NIC: AXI4-Lite port, decode, configuration registers, table window,
//! event counters and completion queue, wired together.
//!
//! # Source            hdl/host.md
//! # Interface timing  that of the blocks inside; but the index of an access comes a cycle after its address
//! # Reset             synchronous, high
//! # Length            the kernel is one wire a register of the map.
//! # Twins             sim/models/src/golden/host/registers.rs, tests/host/csr.rs

use crate::events::Events;
use crate::host::{
    axil_port::AxilPort, cq::queue::CompletionQueue, csr::Csr, csr_regs::CsrRegs,
    event_counters::EventCounters, table_window::TableWindow,
};
use crate::streams::{
    AxiLite, CommittedRow, Consumer, Doorbell, FlowCommand, LostRequest, Offer, QueueHead,
    RequesterCompletion, ResponderCompletion, StatusClear, TelemetryForm,
};
use crate::{block, kernel, Reg, Wire};
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

macro_rules! registers {
    ($(($index:tt, $name:ident, $port:ident, $width:tt, $reset:tt, $doc:literal,
        $fields:tt)),* $(,)?) => {
        /// The register side, with a completion queue of `D = 2^A` entries, `AP1 = A + 1`.
        #[block(new(config: &NicConfig))]
        pub struct Registers<const D: usize, const A: usize, const AP1: usize> {
            /// Write address, bytes.
            pub s_axil: AxiLite<In>,
            $(#[doc = $doc] pub $port: Signal<Out, Bits<$width>>,)*
            /// The committed row.
            pub cfg: CommittedRow<Out>,
            /// The row waits for the responder.
            pub m_cfg_responder: Offer<Out>,
            /// The row waits for the requester.
            pub m_cfg_requester: Offer<Out>,
            /// The row waits for the tx pipe.
            pub m_cfg_tx: Offer<Out>,
            /// The row waits for the completer.
            pub m_cfg_completer: Offer<Out>,
            /// A QP row waits for the CC unit: its data flow, then its flow of READ responses.
            pub m_flow: FlowCommand<Out, 16>,
            /// This host's MAC address.
            pub cfg_local_mac: Signal<Out, Bits<48>>,
            /// Telemetry format.
            pub cfg_tel_format: Signal<Out, Bits<3>>,
            /// Form of the telemetry header in data packets: 0 none, 1 paper, 2 authors, 3 INT-MD that
            /// the DSCP marks, 4 IOAM, 5 IFA, 6 INT-MD that the port marks.
            pub cfg_tel_data: Signal<Out, Bits<3>>,
            /// Form of what ACKs echo: 0 none, 1 paper, 2 authors.
            pub cfg_tel_echo: Signal<Out, Bits<2>>,
            /// ACKs echo the most loaded hop alone: CC_MODE 2, and an echo that has a path ID.
            pub cfg_tel_echo_hop: Signal<Out, Bit>,
            /// How telemetry looks on the wire.
            pub cfg_tel: TelemetryForm<Out>,
            /// INT-MD, IOAM and IFA count queues in bytes.
            pub cfg_tel_queue_bytes: Signal<Out, Bit>,
            /// Rate codes by the low three bits of the egress interface.
            pub cfg_tel_rates: Signal<Out, Bits<24>>,
            /// Completion of the requester.
            pub s_requester: RequesterCompletion<In>,
            /// Completion of the responder.
            pub s_responder: ResponderCompletion<In>,
            /// A work request could not be read.
            pub s_lost: LostRequest<In>,
            /// The oldest completion.
            pub head: QueueHead<Out>,
            /// The completion ring owns the queue.
            pub ring_owns: Signal<In, Bit>,
            /// Entries that have landed.
            pub cq_landed: Signal<In, Bits<16>>,
            /// Software's index in the completion ring.
            pub m_consumer: Consumer<Out>,
            /// State of rings and interrupt.
            pub host_status: Signal<In, Bits<32>>,
            /// Software clears bits of it.
            pub m_clear: StatusClear<Out>,
            /// A doorbell.
            pub m_doorbell: Doorbell<Out>,
            /// Room for the completion of one more work request.
            pub wr_room: Signal<Out, Bit>,
            /// Room for what the responder may still complete.
            pub cq_space: Signal<Out, Bit>,
            /// The CC unit gives a flow its window and rate.
            pub watch_valid: Signal<In, Bit>,
            /// Flow index.
            pub watch_flow: Signal<In, Bits<16>>,
            /// Window, bytes.
            pub watch_window: Signal<In, Bits<32>>,
            /// Rate, UQ8.24 bytes a cycle.
            pub watch_rate: Signal<In, Bits<32>>,
            /// What is counted.
            pub event: Events<In>,
            port: AxilPort,
            #[init(Csr::new(config))]
            decode: Csr,
            config_regs: CsrRegs,
            #[init(TableWindow::new(config))]
            window: TableWindow,
            counters: EventCounters,
            #[init(CompletionQueue::new(config))]
            queue: CompletionQueue<D, A, AP1>,
            mac_low: Signal<Local, Bits<48>>,
            mac_high: Signal<Local, Bits<48>>,
            mac_high_placed: Signal<Local, Bits<48>>,
            is_source: Signal<Local, Bit>,
            by_port: Signal<Local, Bit>,
            #[value(2u64.to_bits())]
            echoes_hop: Constant<Bits<2>>,
            #[value(1u64.to_bits())]
            op_create: Constant<Bits<2>>,
            #[value(2u64.to_bits())]
            op_remove: Constant<Bits<2>>,
            #[value((config.flow_count as u64).to_bits())]
            reply_bit: Constant<Bits<16>>,
            #[value((2 * config.flow_count as u64).to_bits())]
            peer_bit: Constant<Bits<16>>,
            window_seen: Reg<Bits<32>>,
            rate_seen: Reg<Bits<32>>,
            index: Reg<Bits<8>>,
        }

        #[kernel]
        impl<const D: usize, const A: usize, const AP1: usize> Registers<D, A, AP1> {
            fn update(&mut self) {
                self.bus();
                self.configuration();
                self.telemetry();
                self.window();
                self.flow();
                self.completions();
                self.rings();
                self.counters();
                self.watched();
            }

            /// bus
            fn bus(&mut self) {
                Wire::join(&mut self.s_axil, &mut self.port.s_axil);
                self.decode.s_valid.next = self.port.m_valid.val();
                self.decode.s_write.next = self.port.m_write.val();
                self.decode.s_addr.next = self.port.m_addr.val();
                self.decode.s_wdata.next = self.port.m_wdata.val();
                self.port.s_done.next = self.decode.s_done.val();
                self.port.s_error.next = self.decode.s_error.val();
                self.port.s_rdata.next = self.decode.s_rdata.val();
                comment!("one register drives the look-ups of hundreds of words");
                self.index.next = self.port.m_addr.val().get_bits::<8>(2);
            }

            /// configuration registers
            fn configuration(&mut self) {
                self.config_regs.wr_valid.next = self.decode.regs_wr_valid.val();
                self.config_regs.wr_index.next = self.index.val();
                self.config_regs.wr_data.next = self.port.m_wdata.val();
                self.config_regs.rd_index.next = self.index.val();
                self.decode.regs_hit.next = self.config_regs.rd_hit.val();
                self.decode.regs_data.next = self.config_regs.rd_data.val();
                $(self.$port.next = self.config_regs.$port.val();)*
                self.mac_low.next = bit_cast::<48, 32>(self.config_regs.cfg_local_mac_lo.val());
                self.mac_high.next = bit_cast::<48, 16>(self.config_regs.cfg_local_mac_hi.val());
                self.mac_high_placed.next = self.mac_high.val() << 32;
                self.cfg_local_mac.next = self.mac_low.val() | self.mac_high_placed.val();
                self.cfg_tel_format.next = self.config_regs.cfg_telemetry.val().get_bits::<3>(0);
            }

            /// all but the authors' form are echoed in the paper's
            fn telemetry(&mut self) {
                self.is_source.next = self.config_regs.cfg_telemetry.val().get_bit(3);
                self.by_port.next = self.config_regs.cfg_telemetry.val().get_bit(4);
                self.cfg_tel_data.next = 0.into();
                self.cfg_tel_echo.next = 1.into();
                self.cfg_tel_echo_hop.next =
                    self.config_regs.cfg_cc_mode.val() == self.echoes_hop.val();
                match self.config_regs.cfg_telemetry.val().get_bits::<3>(0).index() {
                    1 => {
                        self.cfg_tel_data.next = 1.into();
                    }
                    2 => {
                        self.cfg_tel_data.next = 2.into();
                        self.cfg_tel_echo.next = 2.into();
                        self.cfg_tel_echo_hop.next = false;
                    }
                    3 => {
                        if self.is_source.val() {
                            self.cfg_tel_data.next = 3.into();
                            if self.by_port.val() {
                                self.cfg_tel_data.next = 6.into();
                            }
                        }
                    }
                    4 => {
                        if self.is_source.val() {
                            self.cfg_tel_data.next = 4.into();
                        }
                    }
                    5 => {
                        if self.is_source.val() {
                            self.cfg_tel_data.next = 5.into();
                        }
                    }
                    _ => {
                        self.cfg_tel_echo.next = 0.into();
                    }
                }
                self.cfg_tel.port.next =
                    self.config_regs.cfg_telemetry_stack.val().get_bits::<16>(0);
                self.cfg_tel_queue_bytes.next =
                    self.config_regs.cfg_telemetry_stack.val().get_bit(16);
                self.cfg_tel.time_binary.next =
                    self.config_regs.cfg_telemetry_stack.val().get_bit(17);
                self.cfg_tel_rates.next = self.config_regs.cfg_telemetry_rates.val();
                self.cfg_tel.dscp.next = self.config_regs.cfg_telemetry.val().get_bits::<6>(8);
                self.cfg_tel.echo_dscp.next =
                    self.config_regs.cfg_telemetry.val().get_bits::<6>(16);
            }

            /// table window
            fn window(&mut self) {
                self.window.word_write.next = self.decode.window_write.val();
                self.window.word_index.next = self.index.val().get_bits::<4>(0);
                self.window.wdata.next = self.port.m_wdata.val();
                self.window.commit.next = self.decode.window_commit.val();
                self.window.cfg_sq_scale.next = self.config_regs.cfg_sq_scale.val();
                self.window.wr_room.next = self.queue.wr_room.val();
                self.decode.window_word.next = self.window.word.val();
                self.decode.window_busy.next = self.window.busy.val();
                self.decode.window_refused.next = self.window.refused.val();
                Wire::join(&mut self.window.cfg, &mut self.cfg);
                Wire::join(&mut self.window.m_cfg_responder, &mut self.m_cfg_responder);
                Wire::join(&mut self.window.m_cfg_requester, &mut self.m_cfg_requester);
                Wire::join(&mut self.window.m_cfg_tx, &mut self.m_cfg_tx);
                Wire::join(&mut self.window.m_cfg_completer, &mut self.m_cfg_completer);
            }

            /// what the CC unit needs of a QP row
            fn flow(&mut self) {
                self.m_flow.valid.next = self.window.m_cfg_cc_valid.val();
                self.window.m_cfg_cc_ready.next = self.m_flow.ready.val();
                self.m_flow.flow.next = self.window.cfg.index.val();
                if self.window.m_cfg_cc_part.val().get_bit(0) {
                    self.m_flow.flow.next = self.window.cfg.index.val() | self.reply_bit.val();
                } else if self.window.m_cfg_cc_part.val().get_bit(1) {
                    self.m_flow.flow.next = self.window.cfg.index.val() | self.peer_bit.val();
                }
                self.m_flow.op.next = self.op_remove.val();
                if self.window.cfg.row.val().qp_valid {
                    self.m_flow.op.next = self.op_create.val();
                }
                self.m_flow.telemetry.next = self.window.cfg.row.val().qp_telemetry;
                self.m_flow.window_bytes.next = self.window.cfg.row.val().qp_window_bytes;
                self.m_flow.rate.next = self.window.cfg.row.val().qp_rate_uq8_24;
            }

            /// completions
            fn completions(&mut self) {
                Wire::join(&mut self.s_requester, &mut self.queue.s_requester);
                Wire::join(&mut self.s_responder, &mut self.queue.s_responder);
                Wire::join(&mut self.s_lost, &mut self.queue.s_lost);
                self.queue.ring_owns.next = self.ring_owns.val();
                Wire::join(&mut self.queue.head, &mut self.head);
                self.wr_room.next = self.queue.wr_room.val();
                self.queue.pop.next = self.decode.queue_pop.val();
                self.decode.queue_valid.next = self.queue.head.valid.val();
                self.decode.queue_head.next = self.queue.head.entry.val();
                self.decode.queue_count.next = bit_cast::<16, AP1>(self.queue.count.val());
                self.cq_space.next = self.queue.responder_room.val();
            }

            /// rings and interrupt
            fn rings(&mut self) {
                self.decode.cq_landed.next = self.cq_landed.val();
                self.decode.host_status.next = self.host_status.val();
                self.m_consumer.valid.next = self.decode.consumer_write.val();
                self.m_consumer.index.next = self.port.m_wdata.val().get_bits::<16>(0);
                self.m_consumer.arm.next = self.port.m_wdata.val().get_bit(16);
                self.m_clear.valid.next = self.decode.clear_write.val();
                self.m_clear.bits.next = self.port.m_wdata.val().get_bits::<8>(0);
                self.m_doorbell.valid.next = self.decode.doorbell_valid.val();
                self.decode.doorbell_ready.next = self.m_doorbell.ready.val();
                self.m_doorbell.flow.next = self.port.m_wdata.val().get_bits::<16>(0);
                self.m_doorbell.index.next = self.port.m_wdata.val().get_bits::<16>(16);
            }

            /// event counters
            fn counters(&mut self) {
                Wire::join(&mut self.event, &mut self.counters.event);
                self.counters.rd_valid.next = self.decode.counter_valid.val();
                self.counters.rd_index.next = self.index.val().get_bits::<6>(0);
                self.decode.counter_done.next = self.counters.rd_done.val();
                self.decode.counter_data.next = self.counters.rd_data.val();
            }

            /// window and rate of the watched flow
            fn watched(&mut self) {
                self.decode.watch_window.next = self.window_seen.val();
                self.decode.watch_rate.next = self.rate_seen.val();
                if self.watch_valid.val()
                    && (self.watch_flow.val() == self.config_regs.cfg_cc_watch.val())
                {
                    self.window_seen.next = self.watch_window.val();
                    self.rate_seen.next = self.watch_rate.val();
                }
            }
        }
    };
}
nic_spec::config_registers!(registers);
