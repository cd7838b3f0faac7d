/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Made by `nic regmap --core nic --preset gbe --format c`; edit fw/spec/src/regs.rs.
 * Values after reset are those of `gbe`: 64-bit datapath, 64 queue pairs, 64 memory regions, 8 work requests a queue pair, 5 telemetry records a packet, 1024 completions, 125 MHz. */
#ifndef NIC_REGS_H
#define NIC_REGS_H

/* Identifies the core: "RNIC". (ro, reset 0x524e4943) */
#define NIC_ID 0x000
#define NIC_ID_RESET 0x524e4943u
/* Version of the register map. (ro, reset 0x300) */
#define NIC_VERSION 0x004
#define NIC_VERSION_RESET 0x300u
#define NIC_VERSION_PATCH_SHIFT 0 /* compatible corrections */
#define NIC_VERSION_PATCH_MASK 0x000000ffu
#define NIC_VERSION_MINOR_SHIFT 8 /* compatible additions */
#define NIC_VERSION_MINOR_MASK 0x0000ff00u
#define NIC_VERSION_MAJOR_SHIFT 16 /* incompatible changes */
#define NIC_VERSION_MAJOR_MASK 0x00ff0000u
/* Sizes the core was emitted with. (ro, reset 0xa53663) */
#define NIC_SIZES 0x008
#define NIC_SIZES_RESET 0xa53663u
#define NIC_SIZES_DATA_BYTES_LOG2_SHIFT 0 /* log2 of bytes a beat */
#define NIC_SIZES_DATA_BYTES_LOG2_MASK 0x0000000fu
#define NIC_SIZES_FLOW_LOG2_SHIFT 4 /* log2 of flows (queue pairs) */
#define NIC_SIZES_FLOW_LOG2_MASK 0x000000f0u
#define NIC_SIZES_MR_LOG2_SHIFT 8 /* log2 of memory regions */
#define NIC_SIZES_MR_LOG2_MASK 0x00000f00u
#define NIC_SIZES_SQ_LOG2_SHIFT 12 /* log2 of send queue entries a flow */
#define NIC_SIZES_SQ_LOG2_MASK 0x0000f000u
#define NIC_SIZES_HOP_COUNT_SHIFT 16 /* telemetry records used */
#define NIC_SIZES_HOP_COUNT_MASK 0x000f0000u
#define NIC_SIZES_CQ_LOG2_SHIFT 20 /* log2 of completion entries */
#define NIC_SIZES_CQ_LOG2_MASK 0x00f00000u
/* Core clock the timers were sized for, Hz. (ro, reset 0x7735940) */
#define NIC_CLOCK_HZ 0x00c
#define NIC_CLOCK_HZ_RESET 0x7735940u
/* Writing copies ROW_DATA into a table row. (wo, reset 0x0) */
#define NIC_ROW_COMMIT 0x010
#define NIC_ROW_COMMIT_INDEX_SHIFT 0 /* row */
#define NIC_ROW_COMMIT_INDEX_MASK 0x0000ffffu
#define NIC_ROW_COMMIT_TABLE_SHIFT 16 /* 0 QP, 1 memory region, 2 work request */
#define NIC_ROW_COMMIT_TABLE_MASK 0x00030000u
/* State of the last commit. (ro, reset 0x0) */
#define NIC_ROW_STATUS 0x014
#define NIC_ROW_STATUS_BUSY_SHIFT 0 /* the commit is under way */
#define NIC_ROW_STATUS_BUSY_MASK 0x00000001u
#define NIC_ROW_STATUS_REFUSED_SHIFT 1 /* it changed nothing: index or table out of range, another commit under way, or a work request without completion room */
#define NIC_ROW_STATUS_REFUSED_MASK 0x00000002u
/* Completions waiting. (ro, reset 0x0) */
#define NIC_CQ_COUNT 0x018
/* Writing drops the completion that CQ_ENTRY shows; ignored with a completion ring. (wo, reset 0x0) */
#define NIC_CQ_POP 0x01c
/* Bits 31:0 of this host's MAC address. (rw, reset 0x0) */
#define NIC_LOCAL_MAC_LO 0x020
/* Bits 47:32 of this host's MAC address. (rw, reset 0x0) */
#define NIC_LOCAL_MAC_HI 0x024
/* This host's IPv4 address; 10.0.0.1 is 0x0a000001. (rw, reset 0x0) */
#define NIC_LOCAL_IP 0x028
/* Partition key of all packets. (rw, reset 0xffff) */
#define NIC_PKEY 0x02c
#define NIC_PKEY_RESET 0xffffu
/* IPv4 time to live of packets sent. (rw, reset 0x40) */
#define NIC_TTL 0x030
#define NIC_TTL_RESET 0x40u
/* In-band telemetry of packets on the wire. (rw, reset 0x171300) */
#define NIC_TELEMETRY 0x034
#define NIC_TELEMETRY_RESET 0x171300u
#define NIC_TELEMETRY_FORMAT_SHIFT 0 /* 0 none, 1 HPCC paper figure 7, 2 HPCC authors' 42 bytes, 3 P4-INT INT-MD 2.1, 4 IOAM trace (RFC 9197), 5 IFA 2.0 */
#define NIC_TELEMETRY_FORMAT_MASK 0x00000007u
#define NIC_TELEMETRY_SOURCE_SHIFT 3 /* 1: data packets and READ responses leave with the header of INT-MD, IOAM or IFA; 0: the first switch inserts it */
#define NIC_TELEMETRY_SOURCE_MASK 0x00000008u
#define NIC_TELEMETRY_BY_PORT_SHIFT 4 /* such a header of INT-MD is marked by the port in TELEMETRY_STACK, not by the DSCP */
#define NIC_TELEMETRY_BY_PORT_MASK 0x00000010u
#define NIC_TELEMETRY_DSCP_SHIFT 8 /* DSCP of data packets and READ responses with telemetry */
#define NIC_TELEMETRY_DSCP_MASK 0x00003f00u
#define NIC_TELEMETRY_ECHO_DSCP_SHIFT 16 /* DSCP of ACKs and telemetry responses, which echo telemetry */
#define NIC_TELEMETRY_ECHO_DSCP_MASK 0x003f0000u
/* Timer code of RNR NAKs sent, InfiniBand encoding. (rw, reset 0x1) */
#define NIC_RNR_TIMER 0x038
#define NIC_RNR_TIMER_RESET 0x1u
/* Free for software; drives nothing. (rw, reset 0x0) */
#define NIC_SCRATCH 0x03c
/* T, base round-trip time, ns. (rw, reset 0x1388) */
#define NIC_CC_T_NS 0x040
#define NIC_CC_T_NS_RESET 0x1388u
/* 1/T per ns, UQ0.40. (rw, reset 0xd1b7176) */
#define NIC_CC_INV_T 0x044
#define NIC_CC_INV_T_RESET 0xd1b7176u
/* 0.625/T per ns, UQ0.40. (rw, reset 0x83126e9) */
#define NIC_CC_QUEUE_GAIN 0x048
#define NIC_CC_QUEUE_GAIN_RESET 0x83126e9u
/* eta in units of U, UQ0.36. (rw, reset 0x5f000000) */
#define NIC_CC_TARGET 0x04c
#define NIC_CC_TARGET_RESET 0x5f000000u
/* U = 1 in units of U, UQ0.36. (rw, reset 0x64000000) */
#define NIC_CC_U_ONE 0x050
#define NIC_CC_U_ONE_RESET 0x64000000u
/* maxStage: additive steps before a multiplicative one. (rw, reset 0x5) */
#define NIC_CC_MAX_STAGE 0x054
#define NIC_CC_MAX_STAGE_RESET 0x5u
/* W_ai, additive increase, bytes, UQ22.10; with CC_ACTIVE that of a flow which is alone. (rw, reset 0xfa0) */
#define NIC_CC_W_AI 0x058
#define NIC_CC_W_AI_RESET 0xfa0u
/* W_init, largest window, bytes. (rw, reset 0x1388) */
#define NIC_CC_W_INIT 0x05c
#define NIC_CC_W_INIT_RESET 0x1388u
/* W_min, smallest window, bytes, UQ22.10. (rw, reset 0x1400) */
#define NIC_CC_W_MIN 0x060
#define NIC_CC_W_MIN_RESET 0x1400u
/* Cycle time over T: window to bytes a cycle, UQ0.38. (rw, reset 0x1a36e2eb) */
#define NIC_CC_RATE_GAIN 0x064
#define NIC_CC_RATE_GAIN_RESET 0x1a36e2ebu
/* R_min, smallest rate, bytes a cycle, UQ8.24. (rw, reset 0x20c4a) */
#define NIC_CC_RATE_MIN 0x068
#define NIC_CC_RATE_MIN_RESET 0x20c4au
/* Line rate, largest rate, bytes a cycle, UQ8.24. (rw, reset 0x8000000) */
#define NIC_CC_RATE_MAX 0x06c
#define NIC_CC_RATE_MAX_RESET 0x8000000u
/* Flow whose window and rate CC_WINDOW and CC_RATE show; from the flow count on: READ responses. (rw, reset 0x0) */
#define NIC_CC_WATCH 0x070
/* Bits 31:0 of the completion ring's address, a multiple of 16. (rw, reset 0x0) */
#define NIC_CQ_BASE_LO 0x074
/* Bits 63:32 of the completion ring's address. (rw, reset 0x0) */
#define NIC_CQ_BASE_HI 0x078
/* log2 of the completion ring's entries, 1..=15; 0: no ring, completions wait for CQ_POP. (rw, reset 0x0) */
#define NIC_CQ_LOG2 0x07c
/* What raises the interrupt line. (rw, reset 0x0) */
#define NIC_IRQ_ENABLE 0x080
#define NIC_IRQ_ENABLE_COMPLETION_SHIFT 0 /* a completion, once CQ_CONSUMER has asked for it */
#define NIC_IRQ_ENABLE_COMPLETION_MASK 0x00000001u
#define NIC_IRQ_ENABLE_ERROR_SHIFT 1 /* errors in HOST_STATUS */
#define NIC_IRQ_ENABLE_ERROR_MASK 0x00000002u
/* Cycles between two telemetry responses of a queue pair, T; 0: no limit. With CC_MODE 1 also between two windows, at least 1. (rw, reset 0x271) */
#define NIC_FEEDBACK_CYCLES 0x084
#define NIC_FEEDBACK_CYCLES_RESET 0x271u
/* INT-MD, IOAM and IFA. (rw, reset 0x0) */
#define NIC_TELEMETRY_STACK 0x088
#define NIC_TELEMETRY_STACK_PORT_SHIFT 0 /* UDP destination port that marks INT-MD, beside the DSCP */
#define NIC_TELEMETRY_STACK_PORT_MASK 0x0000ffffu
#define NIC_TELEMETRY_STACK_QUEUE_BYTES_SHIFT 16 /* queues are counted in bytes, else in cells */
#define NIC_TELEMETRY_STACK_QUEUE_BYTES_MASK 0x00010000u
#define NIC_TELEMETRY_STACK_TIME_BINARY_SHIFT 17 /* IOAM's fractions of a second are binary (NTP), else ns (PTP) */
#define NIC_TELEMETRY_STACK_TIME_BINARY_MASK 0x00020000u
/* Rate codes of hops of INT-MD and IOAM, 3 bits each, by the low three bits of the egress interface. (rw, reset 0x0) */
#define NIC_TELEMETRY_RATES 0x08c
/* What one unit of utilisation adds to U on a link of 25 Gb/s; 0: hops count bytes. (rw, reset 0x0) */
#define NIC_CC_UTIL_GAIN 0x090
#define NIC_CC_UTIL_GAIN_MANTISSA_SHIFT 0 /* at least 2^21, or 0 */
#define NIC_CC_UTIL_GAIN_MANTISSA_MASK 0x003fffffu
#define NIC_CC_UTIL_GAIN_EXPONENT_SHIFT 22 /* mantissa x 2^(14 - exponent), UQ0.36 */
#define NIC_CC_UTIL_GAIN_EXPONENT_MASK 0x07c00000u
#define NIC_CC_UTIL_GAIN_SOJOURN_SHIFT 27 /* 1: hops tell how long a packet waited in the place of the queue; CC_QUEUE_GAIN is then U = 1 over T */
#define NIC_CC_UTIL_GAIN_SOJOURN_MASK 0x08000000u
/* Telemetry that no honest network gives is ignored. (rw, reset 0x7fffc7) */
#define NIC_CC_CHECK 0x094
#define NIC_CC_CHECK_RESET 0x7fffc7u
#define NIC_CC_CHECK_PSN_SHIFT 0 /* 1: with an ACK of a PSN that was never sent */
#define NIC_CC_CHECK_PSN_MASK 0x00000001u
#define NIC_CC_CHECK_TIME_SHIFT 1 /* 1: if a hop's time goes back */
#define NIC_CC_CHECK_TIME_MASK 0x00000002u
#define NIC_CC_CHECK_BYTES_SHIFT 2 /* 1: if a hop has sent more than its link carries */
#define NIC_CC_CHECK_BYTES_MASK 0x00000004u
#define NIC_CC_CHECK_MULTI_SHIFT 3 /* log2 of the records' unit of 128 bytes, rounded down */
#define NIC_CC_CHECK_MULTI_MASK 0x00000038u
#define NIC_CC_CHECK_QUEUE_MAX_SHIFT 6 /* if a hop's queue is longer, in its unit; 131071: never */
#define NIC_CC_CHECK_QUEUE_MAX_MASK 0x007fffc0u
/* PSNs from one data packet with a telemetry header to the next one of its flow; 0: none has one, 1: each packet, 255: once a round trip. (rw, reset 0x1) */
#define NIC_TELEMETRY_EVERY 0x098
#define NIC_TELEMETRY_EVERY_RESET 0x1u
/* Window in which active flows are counted, 64 cycles; W_ai of each is CC_W_AI over their number in the window before. 0: W_ai is CC_W_AI. (rw, reset 0x0) */
#define NIC_CC_ACTIVE 0x09c
/* Tells of work requests in a submission ring. Refused (HOST_STATUS) without a ring, and with an index beyond the ring or behind the last one. (wo, reset 0x0) */
#define NIC_DOORBELL 0x0a0
#define NIC_DOORBELL_FLOW_SHIFT 0 /* QP index */
#define NIC_DOORBELL_FLOW_MASK 0x0000ffffu
#define NIC_DOORBELL_INDEX_SHIFT 16 /* work requests posted since the QP was set up, modulo 2^16 */
#define NIC_DOORBELL_INDEX_MASK 0xffff0000u
/* Frees entries of the completion ring. Refused (HOST_STATUS) if it moves back or beyond what was written. (wo, reset 0x0) */
#define NIC_CQ_CONSUMER 0x0a4
#define NIC_CQ_CONSUMER_INDEX_SHIFT 0 /* entries read since the ring was switched on, modulo 2^16 */
#define NIC_CQ_CONSUMER_INDEX_MASK 0x0000ffffu
#define NIC_CQ_CONSUMER_ARM_SHIFT 16 /* interrupt once there is an entry that is not read; takes back a pending one */
#define NIC_CQ_CONSUMER_ARM_MASK 0x00010000u
/* Entries written to the completion ring since it was switched on, modulo 2^16. (ro, reset 0x0) */
#define NIC_CQ_PRODUCER 0x0a8
/* State of rings and interrupt. (ro, reset 0x0) */
#define NIC_HOST_STATUS 0x0ac
#define NIC_HOST_STATUS_PENDING_SHIFT 0 /* a completion has raised the interrupt */
#define NIC_HOST_STATUS_PENDING_MASK 0x00000001u
#define NIC_HOST_STATUS_ARMED_SHIFT 1 /* the next completion will raise it */
#define NIC_HOST_STATUS_ARMED_MASK 0x00000002u
#define NIC_HOST_STATUS_CQ_FULL_SHIFT 2 /* completions wait for a free ring entry */
#define NIC_HOST_STATUS_CQ_FULL_MASK 0x00000004u
#define NIC_HOST_STATUS_CQ_ON_SHIFT 3 /* the completion ring is on, or not yet off */
#define NIC_HOST_STATUS_CQ_ON_MASK 0x00000008u
#define NIC_HOST_STATUS_DOORBELL_REFUSED_SHIFT 4 /* error: a doorbell was refused */
#define NIC_HOST_STATUS_DOORBELL_REFUSED_MASK 0x00000010u
#define NIC_HOST_STATUS_SQ_ERROR_SHIFT 5 /* error: a work request could not be read */
#define NIC_HOST_STATUS_SQ_ERROR_MASK 0x00000020u
#define NIC_HOST_STATUS_CQ_ERROR_SHIFT 6 /* error: a completion could not be written; the ring stands still until CQ_LOG2 is 0 */
#define NIC_HOST_STATUS_CQ_ERROR_MASK 0x00000040u
#define NIC_HOST_STATUS_CONSUMER_REFUSED_SHIFT 7 /* error: CQ_CONSUMER was refused */
#define NIC_HOST_STATUS_CONSUMER_REFUSED_MASK 0x00000080u
#define NIC_HOST_STATUS_FLOW_SHIFT 16 /* QP index of the doorbell refused last */
#define NIC_HOST_STATUS_FLOW_MASK 0xffff0000u
/* Writing ones clears these bits of HOST_STATUS: 0 and 4 to 7. (wo, reset 0x0) */
#define NIC_HOST_CLEAR 0x0b0
/* Who computes the window, and what ACKs echo. (rw, reset 0x0) */
#define NIC_CC_MODE 0x0b4
#define NIC_CC_MODE_MODE_SHIFT 0 /* 0: the sender, from the whole stack. 1: the receiver: a NIC, on both sides, sends windows of the peer's data and takes the peer's; at the CC core psn is the time of a packet, snd_nxt that time + T, and results with full are sent. 2: the sender, from the record of the most loaded hop, which a NIC with this value finds and echoes alone, but as 0 with TELEMETRY.format 2, whose echo has no path ID; the CC core takes it for 0. 3: reserved, as 1 */
#define NIC_CC_MODE_MODE_MASK 0x00000003u
/* Cycles from one turn of a queue pair to send a probe to the next one, T, rounded down to a multiple of the number of queue pairs; below that, 0: no probes. (rw, reset 0x0) */
#define NIC_PROBE_CYCLES 0x0b8
/* What the line carries; the scheduler grants no more. (rw, reset 0x0) */
#define NIC_LINE 0x0bc
#define NIC_LINE_RATE_SHIFT 0 /* bytes a cycle, UQ8.8; 0: a beat of the datapath */
#define NIC_LINE_RATE_MASK 0x0000ffffu
#define NIC_LINE_OVERHEAD_BYTES_SHIFT 16 /* bytes of the line that a frame takes beside its own: 24 on Ethernet */
#define NIC_LINE_OVERHEAD_BYTES_MASK 0x00ff0000u
/* Bursts that are read from host memory at a time at most, for a bridge that allows fewer; 0 counts as 1. (rw, reset 0x80) */
#define NIC_READS_MAX 0x0c0
#define NIC_READS_MAX_RESET 0x80u
/* How much deeper send queues are than SIZES says: 0: not, 1: 4 times, 2 and 3: 16 times, for as many times fewer queue pairs: rows of those behind are refused. Before the first queue pair. (rw, reset 0x0) */
#define NIC_SQ_SCALE 0x0c4
/* Window that the flow in CC_WATCH was last given, bytes. (ro, reset 0x0) */
#define NIC_CC_WINDOW 0x0e0
/* Rate that the flow in CC_WATCH was last given, bytes a cycle, UQ8.24. (ro, reset 0x0) */
#define NIC_CC_RATE 0x0e4
/* Oldest completion, see the completion entry; 0 when none waits. (ro, reset 0x0) */
#define NIC_CQ_ENTRY 0x0f0
#define NIC_CQ_ENTRY_COUNT 4
/* Staged table row, word 0 first. (rw, reset 0x0) */
#define NIC_ROW_DATA 0x100
#define NIC_ROW_DATA_COUNT 16

/* Event counters: 32 bits, saturating. */
#define NIC_COUNTER_RX_HOST 0x200 /* frame given to the host's own stack */
#define NIC_COUNTER_RX_HOST_OVERFLOW 0x204 /* frame for the host's own stack dropped: its buffer was full */
#define NIC_COUNTER_RX_REQ 0x208 /* good RoCEv2 request packet */
#define NIC_COUNTER_RX_ACK 0x20c /* good RoCEv2 acknowledgement packet */
#define NIC_COUNTER_RX_DROP_MAC_ERROR 0x210 /* frame that the MAC marked bad */
#define NIC_COUNTER_RX_DROP_TRUNCATED 0x214 /* frame ends before its IPv4 length */
#define NIC_COUNTER_RX_DROP_OVERSIZE 0x218 /* frame or payload above the maximum */
#define NIC_COUNTER_RX_DROP_IP_CHECKSUM 0x21c /* IPv4 header checksum wrong */
#define NIC_COUNTER_RX_DROP_LENGTH 0x220 /* IPv4, UDP and RoCEv2 lengths contradict each other */
#define NIC_COUNTER_RX_DROP_ICRC 0x224 /* invariant CRC wrong */
#define NIC_COUNTER_RX_DROP_OPCODE 0x228 /* opcode unknown or not supported */
#define NIC_COUNTER_RX_DROP_VERSION 0x22c /* transport header version not 0 */
#define NIC_COUNTER_RX_DROP_PKEY 0x230 /* partition key not ours */
#define NIC_COUNTER_RX_DROP_TELEMETRY 0x234 /* telemetry longer than its packet, or not what marks the packet */
#define NIC_COUNTER_RESP_ACCEPTED 0x238 /* request packet accepted */
#define NIC_COUNTER_RESP_DUPLICATE 0x23c /* duplicate request packet, acknowledged again */
#define NIC_COUNTER_RESP_OUT_OF_SEQUENCE 0x240 /* request packet ahead of the expected PSN, dropped */
#define NIC_COUNTER_RESP_NAK_INVALID 0x244 /* request answered by NAK 0x61, invalid request */
#define NIC_COUNTER_RESP_NAK_ACCESS 0x248 /* request answered by NAK 0x62, remote access error */
#define NIC_COUNTER_RESP_NAK_OPERATION 0x24c /* request answered by NAK 0x63, remote operational error */
#define NIC_COUNTER_RESP_RNR 0x250 /* request answered by an RNR NAK: no completion room */
#define NIC_COUNTER_RESP_NO_QP 0x254 /* request for no valid QP, or from another address */
#define NIC_COUNTER_REQR_ACK 0x258 /* acknowledgement or READ response that was due */
#define NIC_COUNTER_REQR_ACK_COALESCED_STALE 0x25c /* answer to packets already acknowledged */
#define NIC_COUNTER_REQR_ACK_GHOST 0x260 /* answer to packets never sent, or READ response behind a lost one */
#define NIC_COUNTER_REQR_NAK_SEQUENCE 0x264 /* NAK 0x60, sequence error: went back */
#define NIC_COUNTER_REQR_NAK_RNR 0x268 /* RNR NAK: waits, then goes back */
#define NIC_COUNTER_REQR_NAK_FATAL 0x26c /* other NAK, or bad READ response: the QP is in error */
#define NIC_COUNTER_REQR_NO_QP 0x270 /* answer for no valid QP, or from another address */
#define NIC_COUNTER_REQR_RETRANSMIT_PACKET 0x274 /* data packet or READ request sent again */
#define NIC_COUNTER_REQR_TIMEOUT 0x278 /* retransmission timer expired: went back */
#define NIC_COUNTER_REQR_WR_REFUSED 0x27c /* work request refused: send queue full or QP not valid */
#define NIC_COUNTER_TX_DATA 0x280 /* data packet, probe or window sent */
#define NIC_COUNTER_TX_ACK 0x284 /* ACK or NAK sent */
#define NIC_COUNTER_TX_HOST 0x288 /* frame of the host's own stack sent */
#define NIC_COUNTER_TX_FAIL 0x28c /* data packet given up: host memory read failed */
#define NIC_COUNTER_RX_RESPONSE 0x290 /* good RoCEv2 READ response packet */
#define NIC_COUNTER_READ_PACKET 0x294 /* READ response handed to the tx pipe */
#define NIC_COUNTER_READ_RESTART 0x298 /* READ request of the peer that was asked for before and is read again */
#define NIC_COUNTER_READ_DROPPED 0x29c /* READ of the peer given up: asked for again, row written, or host memory failed */
#define NIC_COUNTER_SQ_DOORBELL_REFUSED 0x2a0 /* doorbell refused: no ring, or an index beyond it or behind the last */
#define NIC_COUNTER_SQ_WR_REFUSED 0x2a4 /* work request row refused: the QP has a submission ring */
#define NIC_COUNTER_SQ_READ_ERROR 0x2a8 /* work request that could not be read from host memory */
#define NIC_COUNTER_CQ_FULL 0x2ac /* completions began to wait for a free entry of the completion ring */
#define NIC_COUNTER_CQ_ERROR 0x2b0 /* completion ring stopped: an entry could not be written to host memory */
#define NIC_COUNTER_CQ_REFUSED 0x2b4 /* completion ring index refused: it moves back or beyond what was written */
#define NIC_COUNTER_RX_FEEDBACK 0x2b8 /* good telemetry response, probe or window */
#define NIC_COUNTER_TX_FEEDBACK 0x2bc /* telemetry response sent, probes' among them */
#define NIC_COUNTER_FEEDBACK_ACCEPTED 0x2c0 /* telemetry response given to the congestion control, probe that is answered, or window that is in force */
#define NIC_COUNTER_FEEDBACK_DROPPED 0x2c4 /* telemetry response without telemetry, for no QP with telemetry, from another address, or for a READ response or data packet that was not sent, or that tells nothing new of data; probe that is not answered; or window for no such QP, that was overtaken, or with CC_MODE 0 */
#define NIC_COUNTER_RX_TELEMETRY_UNUSABLE 0x2c8 /* good packet whose telemetry gives no update: more than five hops, or malformed */
#define NIC_COUNTER_CC_PSN 0x2cc /* telemetry ignored: its ACK is of a PSN that was never sent */
#define NIC_COUNTER_CC_TIME 0x2d0 /* telemetry ignored: the time of a hop has gone back */
#define NIC_COUNTER_CC_BYTES 0x2d4 /* telemetry ignored: a hop has sent more than its link carries */
#define NIC_COUNTER_CC_QUEUE 0x2d8 /* telemetry ignored: the queue of a hop is longer than CC_CHECK allows */
#define NIC_COUNTER_PROBE_SENT 0x2dc /* probe sent */
#define NIC_COUNTER_PROBE_LOST 0x2e0 /* probe without an answer for four turns: it counts as lost */
#define NIC_COUNTER_WINDOW_SENT 0x2e4 /* window sent */

/* Queue pair, row QPN mod flow count of table 0: 32-bit little-endian words. */
#define NIC_QP_BYTES 64
#define NIC_QP_VALID_WORD 0 /* the queue pair exists */
#define NIC_QP_VALID_SHIFT 0
#define NIC_QP_VALID_MASK 0x00000001u
#define NIC_QP_TELEMETRY_WORD 0 /* data and READ responses carry telemetry, ACKs and telemetry responses echo it */
#define NIC_QP_TELEMETRY_SHIFT 1
#define NIC_QP_TELEMETRY_MASK 0x00000002u
#define NIC_QP_REMOTE_WRITE_WORD 0 /* the peer may RDMA WRITE */
#define NIC_QP_REMOTE_WRITE_SHIFT 2
#define NIC_QP_REMOTE_WRITE_MASK 0x00000004u
#define NIC_QP_REMOTE_READ_WORD 0 /* the peer may RDMA READ */
#define NIC_QP_REMOTE_READ_SHIFT 3
#define NIC_QP_REMOTE_READ_MASK 0x00000008u
#define NIC_QP_MTU_WORD 0 /* path MTU 256 x 2^n bytes, 0..=4 */
#define NIC_QP_MTU_SHIFT 4
#define NIC_QP_MTU_MASK 0x00000070u
#define NIC_QP_TIMEOUT_WORD 0 /* retransmission timeout 4.096 us x 2^n; 0: off */
#define NIC_QP_TIMEOUT_SHIFT 8
#define NIC_QP_TIMEOUT_MASK 0x00001f00u
#define NIC_QP_RETRY_LIMIT_WORD 0 /* retries in a row without progress */
#define NIC_QP_RETRY_LIMIT_SHIFT 13
#define NIC_QP_RETRY_LIMIT_MASK 0x0000e000u
#define NIC_QP_DSCP_WORD 0 /* DSCP of packets without telemetry */
#define NIC_QP_DSCP_SHIFT 16
#define NIC_QP_DSCP_MASK 0x003f0000u
#define NIC_QP_ACK_INTERVAL_WORD 0 /* log2 of the packets between AckReq */
#define NIC_QP_ACK_INTERVAL_SHIFT 24
#define NIC_QP_ACK_INTERVAL_MASK 0x0f000000u
#define NIC_QP_QPN_WORD 1 /* our QPN */
#define NIC_QP_QPN_SHIFT 0
#define NIC_QP_QPN_MASK 0x00ffffffu
#define NIC_QP_REMOTE_QPN_WORD 2 /* the peer's QPN */
#define NIC_QP_REMOTE_QPN_SHIFT 0
#define NIC_QP_REMOTE_QPN_MASK 0x00ffffffu
#define NIC_QP_REMOTE_IP_WORD 3 /* the peer's IPv4 address */
#define NIC_QP_REMOTE_MAC_LO_WORD 4 /* bits 31:0 of the peer's MAC address */
#define NIC_QP_REMOTE_MAC_HI_WORD 5 /* bits 47:32 of the peer's MAC address */
#define NIC_QP_REMOTE_MAC_HI_SHIFT 0
#define NIC_QP_REMOTE_MAC_HI_MASK 0x0000ffffu
#define NIC_QP_UDP_SOURCE_PORT_WORD 5 /* UDP source port */
#define NIC_QP_UDP_SOURCE_PORT_SHIFT 16
#define NIC_QP_UDP_SOURCE_PORT_MASK 0xffff0000u
#define NIC_QP_RQ_PSN_WORD 6 /* first PSN expected */
#define NIC_QP_RQ_PSN_SHIFT 0
#define NIC_QP_RQ_PSN_MASK 0x00ffffffu
#define NIC_QP_SQ_PSN_WORD 7 /* first PSN sent */
#define NIC_QP_SQ_PSN_SHIFT 0
#define NIC_QP_SQ_PSN_MASK 0x00ffffffu
#define NIC_QP_WINDOW_WORD 8 /* initial window, bytes */
#define NIC_QP_RATE_WORD 9 /* initial rate, UQ8.24 bytes a cycle */
#define NIC_QP_RNR_RETRY_LIMIT_WORD 10 /* RNR retries; 7: no limit */
#define NIC_QP_RNR_RETRY_LIMIT_SHIFT 0
#define NIC_QP_RNR_RETRY_LIMIT_MASK 0x00000007u
#define NIC_QP_READ_LIMIT_WORD 10 /* READs outstanding, 1..=16 */
#define NIC_QP_READ_LIMIT_SHIFT 8
#define NIC_QP_READ_LIMIT_MASK 0x00001f00u
#define NIC_QP_SQ_LOG2_WORD 11 /* log2 of the submission ring's entries; 0: no ring */
#define NIC_QP_SQ_LOG2_SHIFT 0
#define NIC_QP_SQ_LOG2_MASK 0x0000000fu
#define NIC_QP_SQ_ADDRESS_WORD 12 /* address of the submission ring, a multiple of 64; high word behind it */

/* Memory region, row (rkey >> 8) mod region count of table 1: 32-bit little-endian words. */
#define NIC_MR_BYTES 64
#define NIC_MR_VALID_WORD 0 /* the region exists */
#define NIC_MR_VALID_SHIFT 0
#define NIC_MR_VALID_MASK 0x00000001u
#define NIC_MR_REMOTE_WRITE_WORD 0 /* the peer may RDMA WRITE */
#define NIC_MR_REMOTE_WRITE_SHIFT 1
#define NIC_MR_REMOTE_WRITE_MASK 0x00000002u
#define NIC_MR_REMOTE_READ_WORD 0 /* the peer may RDMA READ */
#define NIC_MR_REMOTE_READ_SHIFT 2
#define NIC_MR_REMOTE_READ_MASK 0x00000004u
#define NIC_MR_RKEY_WORD 1 /* remote key */
#define NIC_MR_VA_WORD 2 /* first virtual address; high word behind it */
#define NIC_MR_LENGTH_WORD 4 /* bytes; high word behind it */
#define NIC_MR_HOST_ADDRESS_WORD 6 /* address of the first byte; high word behind it */

/* Work request, entry of a submission ring or row of table 2: 32-bit little-endian words. */
#define NIC_WR_BYTES 64
#define NIC_WR_OPERATION_WORD 0 /* 0 WRITE, 1 WRITE with immediate, 2 READ */
#define NIC_WR_OPERATION_SHIFT 0
#define NIC_WR_OPERATION_MASK 0x00000003u
#define NIC_WR_SIGNALLED_WORD 0 /* a success makes a completion too */
#define NIC_WR_SIGNALLED_SHIFT 2
#define NIC_WR_SIGNALLED_MASK 0x00000004u
#define NIC_WR_SOLICITED_WORD 0 /* asks the peer for a solicited event */
#define NIC_WR_SOLICITED_SHIFT 3
#define NIC_WR_SOLICITED_MASK 0x00000008u
#define NIC_WR_INLINE_WORD 0 /* a WRITE of at most 24 bytes that stand in words 10 to 15, not at local_address */
#define NIC_WR_INLINE_SHIFT 4
#define NIC_WR_INLINE_MASK 0x00000010u
#define NIC_WR_ID_WORD 1 /* returned in the completion */
#define NIC_WR_LOCAL_ADDRESS_WORD 2 /* address of the first byte here; high word behind it */
#define NIC_WR_LENGTH_WORD 4 /* bytes, at most 2^31 */
#define NIC_WR_RKEY_WORD 5 /* the peer's memory key */
#define NIC_WR_REMOTE_VA_WORD 6 /* the peer's virtual address; high word behind it */
#define NIC_WR_IMMEDIATE_WORD 8 /* immediate data */
#define NIC_WR_INLINE_0_WORD 10 /* bytes 0 to 7 of an inline WRITE, the first one in bits 7:0; high word behind it */
#define NIC_WR_INLINE_8_WORD 12 /* bytes 8 to 15; high word behind it */
#define NIC_WR_INLINE_16_WORD 14 /* bytes 16 to 23; high word behind it */

/* Completion, entry of the completion ring; the last word is written last: 32-bit little-endian words. */
#define NIC_CQE_BYTES 16
#define NIC_CQE_WR_ID_WORD 0 /* id of the work request; kind 2: its index in the ring */
#define NIC_CQE_IMMEDIATE_WORD 1 /* immediate data, kind 1 */
#define NIC_CQE_BYTE_COUNT_WORD 2 /* bytes of the message */
#define NIC_CQE_STATUS_WORD 3 /* 0 ok, 1 retry exceeded, 2 remote access, 3 remote invalid request, 4 remote operation, 5 local DMA, 6 flushed, 7 RNR retry exceeded, 8 bad READ response */
#define NIC_CQE_STATUS_SHIFT 0
#define NIC_CQE_STATUS_MASK 0x000000ffu
#define NIC_CQE_KIND_WORD 3 /* 0 work request, 1 WRITE with immediate received, 2 submission ring not readable */
#define NIC_CQE_KIND_SHIFT 8
#define NIC_CQE_KIND_MASK 0x00007f00u
#define NIC_CQE_PHASE_WORD 3 /* 1 in the first pass through the ring, then alternating */
#define NIC_CQE_PHASE_SHIFT 15
#define NIC_CQE_PHASE_MASK 0x00008000u
#define NIC_CQE_FLOW_WORD 3 /* QP index */
#define NIC_CQE_FLOW_SHIFT 16
#define NIC_CQE_FLOW_MASK 0xffff0000u

#endif
