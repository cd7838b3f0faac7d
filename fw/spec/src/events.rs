//! The events that registers count, by the block that raises them, each declared once: register map,
//! hardware and golden models are made from this list.
//!
//! `(counter, name, what one count is)` is the pulse `event_<group>_<name>`, which lasts one cycle.

/// Hands the list to the macro `$form`, which makes types or a table of it.
#[macro_export]
macro_rules! events {
    ($form:path) => {
        $form! {
            /// Of the rx pipe.
            rx RxEvents {
                (0, host, "frame given to the host's own stack"),
                (1, host_overflow, "frame for the host's own stack dropped: its buffer was full"),
                (2, req, "good RoCEv2 request packet"),
                (3, ack, "good RoCEv2 acknowledgement packet"),
                (4, drop_mac_error, "frame that the MAC marked bad"),
                (5, drop_truncated, "frame ends before its IPv4 length"),
                (6, drop_oversize, "frame or payload above the maximum"),
                (7, drop_ip_checksum, "IPv4 header checksum wrong"),
                (8, drop_length, "IPv4, UDP and RoCEv2 lengths contradict each other"),
                (9, drop_icrc, "invariant CRC wrong"),
                (10, drop_opcode, "opcode unknown or not supported"),
                (11, drop_version, "transport header version not 0"),
                (12, drop_pkey, "partition key not ours"),
                (13, drop_telemetry,
                    "telemetry longer than its packet, or not what marks the packet"),
                (36, response, "good RoCEv2 READ response packet"),
                (46, feedback, "good telemetry response, probe or window"),
                (50, telemetry_unusable,
                    "good packet whose telemetry gives no update: more than five hops, or \
malformed"),
            }
            /// Of the responder.
            resp ResponderEvents {
                (14, accepted, "request packet accepted"),
                (15, duplicate, "duplicate request packet, acknowledged again"),
                (16, out_of_sequence, "request packet ahead of the expected PSN, dropped"),
                (17, nak_invalid, "request answered by NAK 0x61, invalid request"),
                (18, nak_access, "request answered by NAK 0x62, remote access error"),
                (19, nak_operation, "request answered by NAK 0x63, remote operational error"),
                (20, rnr, "request answered by an RNR NAK: no completion room"),
                (21, no_qp, "request for no valid QP, or from another address"),
            }
            /// Of the requester.
            reqr RequesterEvents {
                (22, ack, "acknowledgement or READ response that was due"),
                (23, ack_coalesced_stale, "answer to packets already acknowledged"),
                (24, ack_ghost, "answer to packets never sent, or READ response behind a lost one"),
                (25, nak_sequence, "NAK 0x60, sequence error: went back"),
                (26, nak_rnr, "RNR NAK: waits, then goes back"),
                (27, nak_fatal, "other NAK, or bad READ response: the QP is in error"),
                (28, no_qp, "answer for no valid QP, or from another address"),
                (29, retransmit_packet, "data packet or READ request sent again"),
                (30, timeout, "retransmission timer expired: went back"),
                (31, wr_refused, "work request refused: send queue full or QP not valid"),
            }
            /// Of the tx pipe.
            tx TxEvents {
                (32, data, "data packet, probe or window sent"),
                (33, ack, "ACK or NAK sent"),
                (34, host, "frame of the host's own stack sent"),
                (35, fail, "data packet given up: host memory read failed"),
                (47, feedback, "telemetry response sent, probes' among them"),
            }
            /// Of the READ responses.
            read ReadEvents {
                (37, packet, "READ response handed to the tx pipe"),
                (38, restart,
                    "READ request of the peer that was asked for before and is read again"),
                (39, dropped,
                    "READ of the peer given up: asked for again, row written, or host memory \
failed"),
            }
            /// Of the submission rings.
            sq SqEvents {
                (40, doorbell_refused,
                    "doorbell refused: no ring, or an index beyond it or behind the last"),
                (41, wr_refused, "work request row refused: the QP has a submission ring"),
                (42, read_error, "work request that could not be read from host memory"),
            }
            /// Of the completion ring.
            cq CqEvents {
                (43, full, "completions began to wait for a free entry of the completion ring"),
                (44, error,
                    "completion ring stopped: an entry could not be written to host memory"),
                (45, refused,
                    "completion ring index refused: it moves back or beyond what was written"),
            }
            /// Of telemetry that comes back.
            feedback FeedbackEvents {
                (48, accepted,
                    "telemetry response given to the congestion control, probe that is answered, \
or window that is in force"),
                (49, dropped,
                    "telemetry response without telemetry, for no QP with telemetry, from another \
address, or for a READ response or data packet that was not sent, or that \
tells nothing new of data; probe that is not answered; or window for no such \
QP, that was overtaken, or with CC_MODE 0"),
            }
            /// Of the congestion control: telemetry that is ignored.
            cc CcEvents {
                (51, psn, "telemetry ignored: its ACK is of a PSN that was never sent"),
                (52, time, "telemetry ignored: the time of a hop has gone back"),
                (53, bytes, "telemetry ignored: a hop has sent more than its link carries"),
                (54, queue, "telemetry ignored: the queue of a hop is longer than CC_CHECK allows"),
            }
            /// Of probes.
            probe ProbeEvents {
                (55, sent, "probe sent"),
                (56, lost, "probe without an answer for four turns: it counts as lost"),
            }
            /// Of windows to the peer.
            window WindowEvents {
                (57, sent, "window sent"),
            }
        }
    };
}
