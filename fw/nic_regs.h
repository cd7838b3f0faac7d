/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Made by `nic regmap --format c`; edit fw/spec/src/regs.rs. */
#ifndef NIC_REGS_H
#define NIC_REGS_H

/* Identifies the core: "RNIC". (ro, reset 0x524e4943) */
#define NIC_ID 0x000
/* Version of the register map. (ro, reset 0x100) */
#define NIC_VERSION 0x004
#define NIC_VERSION_PATCH_SHIFT 0 /* compatible corrections */
#define NIC_VERSION_PATCH_MASK 0x000000ffu
#define NIC_VERSION_MINOR_SHIFT 8 /* compatible additions */
#define NIC_VERSION_MINOR_MASK 0x0000ff00u
#define NIC_VERSION_MAJOR_SHIFT 16 /* incompatible changes */
#define NIC_VERSION_MAJOR_MASK 0x00ff0000u
/* Sizes the core was emitted with. (ro, reset 0x0) */
#define NIC_SIZES 0x008
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
/* Core clock the timers were sized for, Hz. (ro, reset 0x0) */
#define NIC_CLOCK_HZ 0x00c
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
/* Writing drops the completion that CQ_ENTRY shows. (wo, reset 0x0) */
#define NIC_CQ_POP 0x01c
/* Bits 31:0 of this host's MAC address. (rw, reset 0x0) */
#define NIC_LOCAL_MAC_LO 0x020
/* Bits 47:32 of this host's MAC address. (rw, reset 0x0) */
#define NIC_LOCAL_MAC_HI 0x024
/* This host's IPv4 address; 10.0.0.1 is 0x0a000001. (rw, reset 0x0) */
#define NIC_LOCAL_IP 0x028
/* Partition key of all packets. (rw, reset 0xffff) */
#define NIC_PKEY 0x02c
/* IPv4 time to live of packets sent. (rw, reset 0x40) */
#define NIC_TTL 0x030
/* In-band telemetry of packets on the wire. (rw, reset 0x171300) */
#define NIC_TELEMETRY 0x034
#define NIC_TELEMETRY_FORMAT_SHIFT 0 /* 0 none, 1 HPCC paper figure 7, 2 HPCC authors' 42 bytes */
#define NIC_TELEMETRY_FORMAT_MASK 0x00000003u
#define NIC_TELEMETRY_DSCP_SHIFT 8 /* DSCP of data packets with a telemetry header */
#define NIC_TELEMETRY_DSCP_MASK 0x00003f00u
#define NIC_TELEMETRY_ECHO_DSCP_SHIFT 16 /* DSCP of ACKs that echo telemetry */
#define NIC_TELEMETRY_ECHO_DSCP_MASK 0x003f0000u
/* Timer code of RNR NAKs sent, InfiniBand encoding. (rw, reset 0x1) */
#define NIC_RNR_TIMER 0x038
/* Free for software; drives nothing. (rw, reset 0x0) */
#define NIC_SCRATCH 0x03c
/* T, base round-trip time, ns. (rw, reset 0x1388) */
#define NIC_CC_T_NS 0x040
/* 1/T per ns, UQ0.40. (rw, reset 0xd1b7176) */
#define NIC_CC_INV_T 0x044
/* 0.625/T per ns, UQ0.40. (rw, reset 0x83126e9) */
#define NIC_CC_QUEUE_GAIN 0x048
/* eta in units of U, UQ0.36. (rw, reset 0x5f000000) */
#define NIC_CC_TARGET 0x04c
/* U = 1 in units of U, UQ0.36. (rw, reset 0x64000000) */
#define NIC_CC_U_ONE 0x050
/* maxStage: additive steps before a multiplicative one. (rw, reset 0x5) */
#define NIC_CC_MAX_STAGE 0x054
/* W_ai, additive increase, bytes, UQ22.10. (rw, reset 0xfa0) */
#define NIC_CC_W_AI 0x058
/* W_init, largest window, bytes. (rw, reset 0x1388) */
#define NIC_CC_W_INIT 0x05c
/* W_min, smallest window, bytes, UQ22.10. (rw, reset 0x1400) */
#define NIC_CC_W_MIN 0x060
/* Cycle time over T: window to bytes a cycle, UQ0.38. (rw, reset 0x1a36e2eb) */
#define NIC_CC_RATE_GAIN 0x064
/* R_min, smallest rate, bytes a cycle, UQ8.24. (rw, reset 0x20c4a) */
#define NIC_CC_RATE_MIN 0x068
/* Line rate, largest rate, bytes a cycle, UQ8.24. (rw, reset 0x8000000) */
#define NIC_CC_RATE_MAX 0x06c
/* Flow whose window and rate CC_WINDOW and CC_RATE show; from the flow count on: READ responses. (rw, reset 0x0) */
#define NIC_CC_WATCH 0x070
/* Window that the CC unit last gave the flow in CC_WATCH, bytes. (ro, reset 0x0) */
#define NIC_CC_WINDOW 0x0e0
/* Rate that the CC unit last gave the flow in CC_WATCH, bytes a cycle, UQ8.24. (ro, reset 0x0) */
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
#define NIC_COUNTER_RX_DROP_TELEMETRY 0x234 /* telemetry header malformed */
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
#define NIC_COUNTER_TX_DATA 0x280 /* data packet sent */
#define NIC_COUNTER_TX_ACK 0x284 /* ACK or NAK sent */
#define NIC_COUNTER_TX_HOST 0x288 /* frame of the host's own stack sent */
#define NIC_COUNTER_TX_FAIL 0x28c /* data packet given up: host memory read failed */
#define NIC_COUNTER_RX_RESPONSE 0x290 /* good RoCEv2 READ response packet */
#define NIC_COUNTER_READ_PACKET 0x294 /* READ response handed to the tx pipe */
#define NIC_COUNTER_READ_RESTART 0x298 /* READ request of the peer that was asked for before and is read again */
#define NIC_COUNTER_READ_DROPPED 0x29c /* READ of the peer given up: asked for again, row written, or host memory failed */

#endif
