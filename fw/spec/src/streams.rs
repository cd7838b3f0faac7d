//! The streams between the blocks, each declared once: hardware and golden models are made from
//! this list.
//!
//! `stream` has `valid`, and `ready` that goes against it, before its members; `bundle` has what
//! is listed. `name: Type` goes with the stream, `name <- Type` against it, `name = Bundle` is a
//! bundle within it, `name == Bundle` one whose members' ports do without its name. `FB` is the
//! width of a flow's index, `W` that of a datapath, `KB` its bytes, `T` the width of a tag,
//! `T: Synth` or `E: Synth` a type. In Verilog a member is a port: `m_pkt_flow`, `s_axis_tdata`.
//!
//! The list is one, whatever its length: both sides hand all of it to one macro.

/// Hands the list to the macro `$form`, which makes types of it.
#[macro_export]
macro_rules! streams {
    ($form:path) => {
        $form! {
            /// A frame's or a payload's bytes, byte 0 in bits 7:0.
            bundle Axis<W, KB> {
                /// Bytes.
                tdata: Bits<W>,
                /// One bit a byte.
                tkeep: Bits<KB>,
                /// The beat is valid.
                tvalid: Bit,
                /// It is taken.
                tready <- Bit,
                /// Last beat.
                tlast: Bit,
            }
            /// The same with a mark for what is bad.
            bundle AxisUser<W, KB> {
                /// Bytes.
                tdata: Bits<W>,
                /// One bit a byte.
                tkeep: Bits<KB>,
                /// The beat is valid.
                tvalid: Bit,
                /// It is taken.
                tready <- Bit,
                /// Last beat.
                tlast: Bit,
                /// On the last beat: what it ends is bad.
                tuser: Bit,
            }
            /// Whole words of data.
            bundle AxisWords<W> {
                /// Bytes.
                tdata: Bits<W>,
                /// The beat is valid.
                tvalid: Bit,
                /// It is taken.
                tready <- Bit,
                /// Last beat.
                tlast: Bit,
            }
            /// The same with a mark for what is bad.
            bundle AxisWordsUser<W> {
                /// Bytes.
                tdata: Bits<W>,
                /// The beat is valid.
                tvalid: Bit,
                /// It is taken.
                tready <- Bit,
                /// Last beat.
                tlast: Bit,
                /// On the last beat: what it ends is bad.
                tuser: Bit,
            }
            /// Events of a core that stands alone: a word each.
            bundle AxisEvent<E: Synth> {
                /// The beat is valid.
                tvalid: Bit,
                /// It is taken.
                tready <- Bit,
                /// The event, or data.
                tdata: E,
            }
            /// AXI4-Lite, as the port of the side that answers.
            bundle AxiLite {
                /// Write address, bytes.
                awaddr: Bits<16>,
                /// Protection of the write; not looked at.
                awprot: Bits<3>,
                /// Write address is valid.
                awvalid: Bit,
                /// Write address is taken.
                awready <- Bit,
                /// Write data.
                wdata: Bits<32>,
                /// Write strobes; all must be high.
                wstrb: Bits<4>,
                /// Write data is valid.
                wvalid: Bit,
                /// Write data is taken.
                wready <- Bit,
                /// Write response is valid.
                bvalid <- Bit,
                /// 0 OKAY, 2 SLVERR.
                bresp <- Bits<2>,
                /// Write response is taken.
                bready: Bit,
                /// Read address, bytes.
                araddr: Bits<16>,
                /// Protection of the read; not looked at.
                arprot: Bits<3>,
                /// Read address is valid.
                arvalid: Bit,
                /// Read address is taken.
                arready <- Bit,
                /// Read data is valid.
                rvalid <- Bit,
                /// Read data, 0 after an error.
                rdata <- Bits<32>,
                /// 0 OKAY, 2 SLVERR.
                rresp <- Bits<2>,
                /// Read data is taken.
                rready: Bit,
            }
            /// Writes on AXI4, as the port of the side that asks.
            bundle AxiWrite<W, KB> {
                /// 0: all writes are in order.
                awid: Bit,
                /// Write address, bytes.
                awaddr: Bits<64>,
                /// Beats less one.
                awlen: Bits<8>,
                /// log2 of bytes a beat.
                awsize: Bits<3>,
                /// 1: INCR.
                awburst: Bits<2>,
                /// 0: normal access.
                awlock: Bit,
                /// 3: normal memory, not cacheable, bufferable.
                awcache: Bits<4>,
                /// 0: data, secure, not privileged.
                awprot: Bits<3>,
                /// 0: no quality of service.
                awqos: Bits<4>,
                /// Write address is valid.
                awvalid: Bit,
                /// Write address is taken.
                awready <- Bit,
                /// Write data.
                wdata: Bits<W>,
                /// Bytes to write.
                wstrb: Bits<KB>,
                /// Last beat.
                wlast: Bit,
                /// Write data is valid.
                wvalid: Bit,
                /// Write data is taken.
                wready <- Bit,
                /// Id of the write; not looked at.
                bid <- Bit,
                /// Write response.
                bresp <- Bits<2>,
                /// Write response is valid.
                bvalid <- Bit,
                /// Write response is taken.
                bready: Bit,
            }
            /// Reads on AXI4, as the port of the side that asks, which counts beats.
            bundle AxiRead<W> {
                /// 0: all reads are in order.
                arid: Bit,
                /// Read address, bytes.
                araddr: Bits<64>,
                /// Beats less one.
                arlen: Bits<8>,
                /// log2 of bytes a beat.
                arsize: Bits<3>,
                /// 1: INCR.
                arburst: Bits<2>,
                /// 0: normal access.
                arlock: Bit,
                /// 3: normal memory, not cacheable, bufferable.
                arcache: Bits<4>,
                /// 0: data, secure, not privileged.
                arprot: Bits<3>,
                /// 0: no quality of service.
                arqos: Bits<4>,
                /// Read address is valid.
                arvalid: Bit,
                /// Read address is taken.
                arready <- Bit,
                /// Id of the read; not looked at.
                rid <- Bit,
                /// Read data.
                rdata <- Bits<W>,
                /// Read response.
                rresp <- Bits<2>,
                /// Last beat of a burst; not looked at.
                rlast <- Bit,
                /// Read data is valid.
                rvalid <- Bit,
                /// Read data is taken.
                rready: Bit,
            }
            /// AXI4, as the port of the side that asks.
            bundle Axi<W, KB> {
                /// Writes.
                write == AxiWrite<W, KB>,
                /// Reads.
                read == AxiRead<W>,
            }
            /// An offer of what stands elsewhere.
            stream Offer {}
            /// A probe that is offered to the block which answers.
            bundle ProbeOffer {
                /// It stands.
                valid: Bit,
                /// It has been looked up.
                ready <- Bit,
                /// With `ready`: it will be answered.
                accepted <- Bit,
            }
            /// Something has come up in a flow, for a cycle.
            bundle FlowPulse<FB> {
                /// It has.
                valid: Bit,
                /// The flow.
                flow: Bits<FB>,
            }
            /// The row that software has committed; it holds until all have taken it.
            bundle CommittedRow {
                /// Its table: 0 QP, 1 memory region, 2 work request.
                table: Bits<2>,
                /// Its index.
                index: Bits<16>,
                /// The row, word 0 in bits 31:0.
                row: StagedRow,
            }
            /// What both pipes must know of telemetry on the wire.
            bundle TelemetryForm {
                /// UDP port that marks INT-MD.
                port: Bits<16>,
                /// Fractions of a second are binary.
                time_binary: Bit,
                /// DSCP of data packets with telemetry.
                dscp: Bits<6>,
                /// DSCP of ACKs that echo telemetry.
                echo_dscp: Bits<6>,
            }
            /// The oldest completion, and what the completion ring does with it.
            bundle QueueHead {
                /// There is one.
                valid: Bit,
                /// The completion, word 0 in bits 31:0; 0 without one.
                entry: Bits<128>,
                /// It is on its way to host memory.
                take <- Bit,
                /// So many of the oldest on their way have landed, at most 4.
                commit <- Bits<3>,
                /// What is on its way has not landed: show it again.
                rewind <- Bit,
            }
            /// State of the completion ring.
            bundle RingStatus {
                /// The queue is the ring's: it is on, or not yet off.
                owns: Bit,
                /// Software wants an interrupt.
                armed: Bit,
                /// Software has not seen all completions.
                waiting: Bit,
                /// A completion waits for software to free an entry.
                full: Bit,
            }
            /// Software clears bits of a status.
            bundle StatusClear {
                /// It does.
                valid: Bit,
                /// These.
                bits: Bits<8>,
            }
            /// Software's index in the completion ring.
            bundle Consumer {
                /// It comes.
                valid: Bit,
                /// The index.
                index: Bits<16>,
                /// Software wants an interrupt.
                arm: Bit,
            }
            /// Parameters of the congestion control.
            bundle CcConfig {
                /// T in ns.
                t_ns: Bits<20>,
                /// 1/T per ns, UQ0.40.
                inv_t: Bits<32>,
                /// 0.625/T per ns, UQ0.40.
                queue_gain: Bits<32>,
                /// What one unit of utilisation is: mantissa in bits 21:0, exponent above.
                util_gain: Bits<28>,
                /// Which of PSN (bit 0), time (1) and bytes (2) are checked; above: limits.
                check: Bits<23>,
                /// PSNs are times: the full update is due T after the last one.
                by_time: Bit,
                /// eta in the units of U, UQ0.36.
                target: Bits<32>,
                /// 1 in the units of U, UQ0.36.
                u_one: Bits<32>,
                /// Additive steps before a multiplicative one.
                max_stage: Bits<8>,
                /// Additive increase in bytes, UQ22.10.
                w_ai: Bits<32>,
                /// Largest window in bytes.
                w_init: Bits<32>,
                /// Smallest window in bytes, UQ22.10.
                w_min: Bits<32>,
                /// Window bytes to bytes a cycle, UQ0.38.
                rate_gain: Bits<32>,
                /// Smallest rate in bytes a cycle, UQ8.24.
                rate_min: Bits<32>,
                /// Largest rate in bytes a cycle, UQ8.24.
                rate_max: Bits<32>,
            }
            /// Answers of the congestion control, as they pass.
            bundle DecisionTap<FB> {
                /// One stands.
                valid: Bit,
                /// It is taken.
                ready: Bit,
                /// It is about the peer's data.
                peer: Bit,
                /// Its flow.
                flow: Bits<FB>,
                /// 0: an update, else a command.
                op: Bits<2>,
                /// Hop with the largest u'; 7: none.
                worst_hop: Bits<3>,
            }
            /// A part of a frame to send, byte 0 in bits 7:0.
            stream FramePart<W> {
                /// Its bytes.
                data: Bits<W>,
                /// On the last beat: how many; 0: none at all.
                bytes: Bits<7>,
                /// Last beat of the part.
                last: Bit,
                /// On the last beat: drop the frame.
                bad: Bit,
            }
            /// A beat of a packet on the way through the rx pipe.
            bundle PacketBeat<W> {
                /// It is there.
                valid: Bit,
                /// Its bytes, byte 0 in bits 7:0.
                data: Bits<W>,
                /// First beat.
                first: Bit,
                /// Last beat.
                last: Bit,
                /// On the last beat: bytes, 0..=64.
                bytes: Bits<7>,
                /// The frame is over: with its last beat or later, and in front of the next one's
                /// first beat.
                end: Bit,
            }
            /// Something has ended in a flow of the responder.
            bundle FlowEnd<FB> {
                /// It has.
                valid: Bit,
                /// The flow.
                flow: Bits<FB>,
                /// It is in error.
                failed: Bit,
                /// READs that have ended, modulo 32.
                reads: Bits<5>,
            }
            /// Anything, as a word.
            stream Word<T: Synth> {
                /// The word.
                data: T,
            }
            /// Telemetry of a packet.
            bundle Telemetry {
                /// It is there.
                valid: Bit,
                /// Records; 6: not usable.
                hops: Bits<3>,
                /// XOR of the switches' identifiers.
                path: Bits<12>,
                /// Records in the native layout, hop 0 first; 0 where there is none.
                hop: [Bits<64>; 5],
            }
            /// A request that has arrived.
            stream Request {
                /// Our QPN.
                qpn: Bits<24>,
                /// BTH operation code.
                opcode: Bits<8>,
                /// PSN.
                psn: Bits<24>,
                /// It asks for an ACK.
                ack_req: Bit,
                /// Bytes of payload, 0..=4096.
                payload_bytes: Bits<13>,
                /// RETH virtual address; 0 without RETH.
                va: Bits<64>,
                /// RETH key.
                rkey: Bits<32>,
                /// RETH length.
                dma_len: Bits<32>,
                /// Immediate data; 0 without.
                imm: Bits<32>,
                /// Sender.
                src_ip: Bits<32>,
                /// What came with it.
                tel = Telemetry,
            }
            /// An ACK, NAK or READ response that has arrived.
            stream Answer {
                /// Our QPN.
                qpn: Bits<24>,
                /// BTH operation code.
                opcode: Bits<8>,
                /// PSN.
                psn: Bits<24>,
                /// AETH syndrome.
                syndrome: Bits<8>,
                /// MSN; not used: the PSN says all.
                msn: Bits<24>,
                /// Bytes of a READ response.
                payload_bytes: Bits<13>,
                /// Sender.
                src_ip: Bits<32>,
                /// What came with it.
                tel = Telemetry,
            }
            /// Telemetry about data, a probe or a window, which has arrived.
            stream Feedback {
                /// Our QPN.
                qpn: Bits<24>,
                /// PSN of the packet whose telemetry it brings.
                psn: Bits<24>,
                /// Sender.
                src_ip: Bits<32>,
                /// It is about data: a direct one, or the answer to a probe.
                direct: Bit,
                /// It is a probe or, about data, the answer to one.
                probe: Bit,
                /// It is a window; its bytes are the immediate data of the request port.
                window: Bit,
                /// UDP source port.
                port: Bits<16>,
                /// What it brings.
                tel = Telemetry,
            }
            /// Telemetry on its way back to the sender of data.
            stream FeedbackPacket<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// PSN of the READ response or probe.
                psn: Bits<24>,
                /// It answers a probe.
                answer: Bit,
                /// What it brings; always there.
                tel = Telemetry,
            }
            /// An ACK or NAK to send.
            stream Ack<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// AETH syndrome.
                syndrome: Bits<8>,
                /// Messages completed.
                msn: Bits<24>,
                /// PSN that is answered.
                psn: Bits<24>,
                /// What it echoes.
                tel = Telemetry,
            }
            /// A data packet or a READ request to send.
            stream Packet<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// BTH operation code.
                opcode: Bits<8>,
                /// PSN.
                psn: Bits<24>,
                /// It asks for an ACK.
                ack_req: Bit,
                /// It asks for an event.
                solicited: Bit,
                /// Payload, 0..=4096 bytes.
                payload_bytes: Bits<13>,
                /// Remote address of the message.
                va: Bits<64>,
                /// Remote key.
                rkey: Bits<32>,
                /// Bytes of the message.
                dma_len: Bits<32>,
                /// Immediate data.
                imm: Bits<32>,
                /// Mark of the flow's row: 1..=15, another one for each.
                mark: Bits<4>,
                /// It goes without telemetry, though its queue pair's packets have it.
                bare: Bit,
            }
            /// A READ response to send.
            stream Reply<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// BTH operation code.
                opcode: Bits<8>,
                /// PSN.
                psn: Bits<24>,
                /// Payload, 0..=4096 bytes.
                payload_bytes: Bits<13>,
                /// AETH syndrome; 0 without AETH.
                syndrome: Bits<8>,
                /// AETH MSN; 0 without AETH.
                msn: Bits<24>,
                /// Mark of the flow's row: another one for each, modulo 16.
                mark: Bits<4>,
            }
            /// A packet of any kind, on its way to the tx pipe.
            stream AnyPacket<FB> {
                /// Paced flow; top bit: a READ response.
                flow: Bits<FB>,
                /// BTH operation code.
                opcode: Bits<8>,
                /// PSN.
                psn: Bits<24>,
                /// It asks for an ACK.
                ack_req: Bit,
                /// It asks for an event.
                solicited: Bit,
                /// Payload, 0..=4096 bytes.
                payload_bytes: Bits<13>,
                /// Remote address of the message.
                va: Bits<64>,
                /// Remote key.
                rkey: Bits<32>,
                /// Bytes of the message.
                dma_len: Bits<32>,
                /// Immediate data.
                imm: Bits<32>,
                /// AETH syndrome; 0 without AETH.
                syndrome: Bits<8>,
                /// AETH MSN; 0 without AETH.
                msn: Bits<24>,
                /// Mark of the flow's row.
                mark: Bits<4>,
                /// It goes without telemetry, though its queue pair's packets have it.
                bare: Bit,
            }
            /// A probe to send.
            stream Probe<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// PSN that it asks about.
                psn: Bits<24>,
            }
            /// A receiver's window to send.
            stream Window<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// PSN up to which it counts.
                psn: Bits<24>,
                /// Window.
                bytes: Bits<32>,
            }
            /// Reads host memory for a packet.
            stream ReadCommand {
                /// Address of the first byte.
                addr: Bits<64>,
                /// Bytes, 1..=4096.
                bytes: Bits<13>,
            }
            /// Where a packet's payload is: in host memory, or in here.
            stream PayloadSource {
                /// Address of its first byte; inline: its bytes 0 to 7, the first one in bits 7:0.
                addr: Bits<64>,
                /// Bytes, 1..=4096; inline: 1..=24.
                bytes: Bits<13>,
                /// It is in here.
                is_inline: Bit,
                /// Inline: its bytes 8 to 23.
                inline_rest: Bits<128>,
            }
            /// Writes to host memory.
            stream WriteCommand<T> {
                /// Address of the first byte.
                addr: Bits<64>,
                /// Bytes, 0..=4096; 0 writes nothing and is reported in order.
                bytes: Bits<13>,
                /// Comes back with the report.
                tag: Bits<T>,
            }
            /// A write's bytes have landed.
            stream WriteDone<T> {
                /// Tag of its command.
                tag: Bits<T>,
                /// The memory reported an error.
                error: Bit,
            }
            /// Arms a flow in the scheduler: it has work. Without frames it only tells the flow's
            /// bytes in flight.
            stream Work<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// Bytes of the frames that it sends once granted, at most 8 KiB of them.
                len_bytes: Bits<14>,
                /// How many frames these are; 0: no work, len_bytes means nothing.
                frame_count: Bits<7>,
                /// Bytes sent and not acknowledged.
                inflight_bytes: Bits<32>,
            }
            /// Window and rate of a flow.
            stream Rate<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// 0 update, 1 create, 2 remove.
                op: Bits<2>,
                /// Window.
                window_bytes: Bits<32>,
                /// Rate, UQ8.24 bytes a cycle.
                rate: Bits<32>,
            }
            /// A flow: the scheduler lets it send, it is out of work, it has failed.
            stream Flow<FB> {
                /// The flow.
                flow: Bits<FB>,
            }
            /// Host memory could not be read for a packet.
            stream ReadError<FB> {
                /// The packet's flow.
                flow: Bits<FB>,
                /// Mark of the row that its packet was made by; 0: of the present one.
                mark: Bits<4>,
            }
            /// A flow begins or ends at the congestion control.
            stream FlowCommand<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// 1 create, else remove.
                op: Bits<2>,
                /// Its ACKs carry telemetry.
                telemetry: Bit,
                /// First window; fixed without telemetry.
                window_bytes: Bits<32>,
                /// First rate, fixed without telemetry, UQ8.24 bytes a cycle.
                rate: Bits<32>,
            }
            /// An ACK's telemetry for the congestion control.
            stream AckTelemetry<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// PSN that it acknowledges.
                psn: Bits<24>,
                /// Next PSN that the flow sends.
                snd_nxt: Bits<24>,
                /// What it says.
                tel = Telemetry,
            }
            /// What the congestion control has decided.
            stream Decision<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// 0 update, 1 create, 2 remove.
                op: Bits<2>,
                /// Window.
                window_bytes: Bits<32>,
                /// Rate, UQ8.24 bytes a cycle.
                rate: Bits<32>,
                /// U, UQ21.36.
                u: Bits<57>,
                /// Wc, UQ32.16 bytes.
                wc_bytes: Bits<48>,
                /// Additive steps since the last multiplicative one.
                inc_stage: Bits<8>,
                /// An ACK behind it makes the next full update.
                last_update_psn: Bits<24>,
                /// Wc, incStage and lastUpdateSeq were updated.
                full: Bit,
                /// The records were only stored.
                first: Bit,
                /// Hop with the largest u' of this update; 7: no hop told anything.
                worst_hop: Bits<3>,
            }
            /// A READ that waits for its responses.
            stream ReadJob<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// PSN of the first response.
                psn: Bits<24>,
                /// MSN of its responses.
                msn: Bits<24>,
                /// Address of the first byte.
                addr: Bits<64>,
                /// Bytes.
                bytes: Bits<32>,
                /// It was asked for before.
                restart: Bit,
                /// Virtual address that the peer has asked for.
                va: Bits<64>,
                /// Remote key.
                rkey: Bits<32>,
            }
            /// READs have ended, or a flow's row is in force.
            stream ReadJobEnd<FB> {
                /// Flow.
                flow: Bits<FB>,
                /// Jobs that have left or were given up.
                jobs: Bits<5>,
                /// Those that were no restarts.
                reads: Bits<5>,
                /// Host memory could not be read: the flow is in error.
                error: Bit,
                /// The flow's row is in force, no job of it is left.
                cleared: Bit,
            }
            /// An order for the completer.
            stream Order<FB> {
                /// 0: a work request has ended, 1: the payload at hand lands, 2: it is dropped.
                op: Bits<2>,
                /// Flow.
                flow: Bits<FB>,
                /// Local address where the payload lands.
                addr: Bits<64>,
                /// Bytes of the payload.
                bytes: Bits<13>,
                /// How the work request ended.
                status: Bits<8>,
                /// Its id.
                wr_id: Bits<32>,
                /// Bytes of its message.
                byte_len: Bits<32>,
                /// Software wants a completion also when it is good.
                signalled: Bit,
            }
            /// A work request has ended.
            stream RequesterCompletion {
                /// How.
                status: Bits<8>,
                /// Flow.
                flow: Bits<16>,
                /// Its id.
                wr_id: Bits<32>,
                /// Bytes of its message.
                byte_len: Bits<32>,
                /// Software wants a completion also when it is good.
                signalled: Bit,
            }
            /// A WRITE with immediate data has landed.
            stream ResponderCompletion {
                /// How.
                status: Bits<8>,
                /// Flow.
                flow: Bits<16>,
                /// Immediate data.
                imm: Bits<32>,
                /// Bytes of the message.
                byte_len: Bits<32>,
            }
            /// A work request could not be read.
            stream LostRequest {
                /// Flow.
                flow: Bits<16>,
                /// Its index in the ring.
                wr_id: Bits<32>,
            }
            /// A doorbell of a send queue.
            stream Doorbell {
                /// Flow; holds for some cycles.
                flow: Bits<16>,
                /// Producer index.
                index: Bits<16>,
            }
            /// A row for a table.
            stream ConfigRow {
                /// Its table.
                table: Bits<2>,
                /// Its index.
                index: Bits<16>,
                /// The row.
                row: Bits<512>,
            }
        }
    };
}
