// SPDX-License-Identifier: MIT OR Apache-2.0
// NIC 0 WRITEs a message to NIC 1 and READs it back. Both have their rings in SDRAM and tell of
// completions by interrupt: nothing here asks a NIC whether it has finished.
#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/sdram_phy.h>
#include <generated/soc.h>
#include <irq.h>
#include <stddef.h>
#include <stdint.h>

#include "nic_regs.h"

/* A value at the place of its field in its word. */
#define FIELD(name, value) (((uint32_t)(value) << NIC_##name##_SHIFT) & NIC_##name##_MASK)

/* Faults that a build can have, and that must be found: another byte is expected; interrupts that
 * the CPU does not hear. */
#ifndef EXPECTED_XOR
#define EXPECTED_XOR 0
#endif
#ifndef DEAF_TO
#define DEAF_TO 0
#endif

enum { TABLE_QP, TABLE_MR };
enum { WRITE_WITH_IMMEDIATE = 1, READ = 2 };
enum { KIND_WORK_REQUEST, KIND_RECEIVED };
enum { NIC_COUNT = 2, SQ_LOG2 = 2, CQ_LOG2 = 2, CQ_ENTRIES = 1 << CQ_LOG2 };
enum { ROW_WORDS = NIC_ROW_DATA_COUNT, CQE_WORDS = NIC_CQE_BYTES / 4 };
enum { QPN = 0x105, RKEY = 0x35a, IMMEDIATE = 0x12345678, END_OF_RUN = 4 };
/* Neither addresses nor lengths are multiples of a bus word; three packets of 1024 bytes. */
enum { WRITE_BYTES = 3001, READ_BYTES = 2999, GUARD_BYTES = 16, GUARD = 0xee };
enum { WAITS_MAX = 20000 };  /* turns of a loop; a wait takes a few thousand cycles */
/* The line's bytes a cycle, UQ8.8. */
enum { LINE_RATE = 125000000ull * 256 / CONFIG_CLOCK_FREQUENCY, LINE_OVERHEAD_BYTES = 24 };

struct nic {
    uint32_t registers;         /* address of its register space */
    volatile uint32_t *sq, *cq; /* its rings */
    uint32_t posted, consumed;  /* entries of them */
    volatile uint32_t completed;
    uint32_t entry[CQE_WORDS];  /* the last completion */
};

static struct nic nics[NIC_COUNT];
/* SDRAM; others write to it too. */
typedef volatile uint8_t memory;
static memory *const sdram = (memory *)MAIN_RAM_BASE;
/* The message, where it is WRITTEN to, and where it is READ back to. */
static memory *const source = (memory *)MAIN_RAM_BASE + 0x10005;
static memory *const target = (memory *)MAIN_RAM_BASE + 0x20013;
static memory *const back = (memory *)MAIN_RAM_BASE + 0x3002e;

static void put(char c) {
    while (uart_txfull_read()) {}
    uart_rxtx_write((uint8_t)c);
}

static void print(const char *text) {
    while (*text) put(*text++);
}

static void print_number(uint32_t number) {
    if (number > 9) print_number(number / 10);
    put((char)('0' + number % 10));
}

_Noreturn static void end_run(void) {
    put('\n');
    put(END_OF_RUN);
    for (;;) {}
}

_Noreturn static void fail(const char *text, uint32_t number) {
    print("FAIL: ");
    print(text);
    print_number(number);
    end_run();
}

/* The compiler calls it for initial values. */
void *memset(void *to, int value, size_t byte_count) {
    volatile char *at = to;
    while (byte_count--) *at++ = (char)value;
    return to;
}

static uint32_t load(const struct nic *nic, uint32_t offset) {
    return *(volatile uint32_t *)(nic->registers + offset);
}

static void store(const struct nic *nic, uint32_t offset, uint32_t value) {
    *(volatile uint32_t *)(nic->registers + offset) = value;
}

static uint32_t number_of(const struct nic *nic) { return (uint32_t)(nic - nics); }

/* Takes the completions that are in the ring, and asks to be told of the next one. */
static void take_completions(struct nic *nic) {
    uint32_t errors = NIC_HOST_STATUS_DOORBELL_REFUSED_MASK | NIC_HOST_STATUS_SQ_ERROR_MASK
        | NIC_HOST_STATUS_CQ_ERROR_MASK | NIC_HOST_STATUS_CONSUMER_REFUSED_MASK;
    if (load(nic, NIC_HOST_STATUS) & errors) fail("rings of NIC ", number_of(nic));
    for (;;) {
        /* The NIC's DMA passes by the data cache. */
        flush_cpu_dcache();
        volatile uint32_t *entry = nic->cq + nic->consumed % CQ_ENTRIES * CQE_WORDS;
        uint32_t phase = (nic->consumed >> CQ_LOG2 & 1) ^ 1;
        if ((entry[NIC_CQE_PHASE_WORD] & NIC_CQE_PHASE_MASK) != FIELD(CQE_PHASE, phase)) break;
        for (int i = 0; i < CQE_WORDS; i++) nic->entry[i] = entry[i];
        nic->consumed++;
        nic->completed++;
    }
    store(nic, NIC_CQ_CONSUMER, FIELD(CQ_CONSUMER_INDEX, nic->consumed) | NIC_CQ_CONSUMER_ARM_MASK);
}

/* LiteX's start-up code calls it at each interrupt. */
void isr(void) {
    uint32_t pending = irq_pending() & irq_getmask();
    if (pending & 1 << NIC0_INTERRUPT) take_completions(&nics[0]);
    if (pending & 1 << NIC1_INTERRUPT) take_completions(&nics[1]);
}

/* Copies a row into a table of the NIC. */
static void commit(const struct nic *nic, uint32_t table, uint32_t index, const uint32_t *row) {
    for (uint32_t i = 0; i < ROW_WORDS; i++) store(nic, NIC_ROW_DATA + 4 * i, row[i]);
    store(nic, NIC_ROW_COMMIT, FIELD(ROW_COMMIT_INDEX, index) | FIELD(ROW_COMMIT_TABLE, table));
    uint32_t status;
    do status = load(nic, NIC_ROW_STATUS);
    while (status & NIC_ROW_STATUS_BUSY_MASK);
    if (status) fail("a table row was refused by NIC ", number_of(nic));
}

/* 10.0.0.1 or 10.0.0.2; the MAC address 02:00:00:00:00:01 or :02. */
static uint32_t ip_of(uint32_t number) { return 0x0a000001 + number; }
static uint32_t mac_lo_of(uint32_t number) { return 1 + number; }
enum { MAC_HI = 0x0200 };

/* All of SDRAM for the peer, by its address. */
static void open_memory(const struct nic *nic) {
    uint32_t row[ROW_WORDS] = {0};
    row[NIC_MR_VALID_WORD] =
        FIELD(MR_VALID, 1) | FIELD(MR_REMOTE_WRITE, 1) | FIELD(MR_REMOTE_READ, 1);
    row[NIC_MR_RKEY_WORD] = RKEY;
    row[NIC_MR_VA_WORD] = row[NIC_MR_HOST_ADDRESS_WORD] = MAIN_RAM_BASE;
    row[NIC_MR_LENGTH_WORD] = MAIN_RAM_SIZE;
    commit(nic, TABLE_MR, RKEY >> 8, row);
}

static uint32_t flow_count(const struct nic *nic) {
    uint32_t sizes = load(nic, NIC_SIZES);
    return 1u << ((sizes & NIC_SIZES_FLOW_LOG2_MASK) >> NIC_SIZES_FLOW_LOG2_SHIFT);
}

static void connect(const struct nic *nic) {
    uint32_t peer = 1 - number_of(nic), row[ROW_WORDS] = {0};
    row[NIC_QP_VALID_WORD] = FIELD(QP_VALID, 1) | FIELD(QP_REMOTE_WRITE, 1)
        | FIELD(QP_REMOTE_READ, 1) | FIELD(QP_MTU, 2) | FIELD(QP_TIMEOUT, 6)
        | FIELD(QP_RETRY_LIMIT, 2);
    row[NIC_QP_QPN_WORD] = row[NIC_QP_REMOTE_QPN_WORD] = QPN;
    row[NIC_QP_REMOTE_IP_WORD] = ip_of(peer);
    row[NIC_QP_REMOTE_MAC_LO_WORD] = mac_lo_of(peer);
    row[NIC_QP_REMOTE_MAC_HI_WORD] =
        FIELD(QP_REMOTE_MAC_HI, MAC_HI) | FIELD(QP_UDP_SOURCE_PORT, 0xc000 | QPN);
    row[NIC_QP_WINDOW_WORD] = 64 << 10;
    row[NIC_QP_RATE_WORD] = LINE_RATE << 16;
    row[NIC_QP_RNR_RETRY_LIMIT_WORD] = FIELD(QP_RNR_RETRY_LIMIT, 7) | FIELD(QP_READ_LIMIT, 4);
    row[NIC_QP_SQ_LOG2_WORD] = FIELD(QP_SQ_LOG2, SQ_LOG2);
    row[NIC_QP_SQ_ADDRESS_WORD] = (uint32_t)nic->sq;
    commit(nic, TABLE_QP, QPN % flow_count(nic), row);
}

static void start(struct nic *nic, uint32_t registers) {
    uint32_t number = number_of(nic);
    nic->registers = registers;
    nic->sq = (volatile uint32_t *)(sdram + 0x1000 * number);
    nic->cq = (volatile uint32_t *)(sdram + 0x1000 * number + 0x800);
    if (load(nic, NIC_ID) != NIC_ID_RESET) fail("no NIC ", number);
    uint32_t version = load(nic, NIC_VERSION);
    if ((version ^ NIC_VERSION_RESET) & NIC_VERSION_MAJOR_MASK) fail("another map, NIC ", number);
    store(nic, NIC_LOCAL_MAC_LO, mac_lo_of(number));
    store(nic, NIC_LOCAL_MAC_HI, MAC_HI);
    store(nic, NIC_LOCAL_IP, ip_of(number));
    store(nic, NIC_LINE,
        FIELD(LINE_RATE, LINE_RATE) | FIELD(LINE_OVERHEAD_BYTES, LINE_OVERHEAD_BYTES));
    for (int i = 0; i < CQ_ENTRIES * CQE_WORDS; i++) nic->cq[i] = 0;
    store(nic, NIC_CQ_BASE_LO, (uint32_t)nic->cq);
    store(nic, NIC_CQ_BASE_HI, 0);
    store(nic, NIC_CQ_LOG2, CQ_LOG2);
    store(nic, NIC_IRQ_ENABLE, NIC_IRQ_ENABLE_COMPLETION_MASK | NIC_IRQ_ENABLE_ERROR_MASK);
    store(nic, NIC_CQ_CONSUMER, NIC_CQ_CONSUMER_ARM_MASK);
    open_memory(nic);
    connect(nic);
}

/* Puts a work request into the submission ring and rings the doorbell. */
static void post(struct nic *nic, uint32_t op, memory *local, memory *remote, uint32_t bytes) {
    volatile uint32_t *wr = nic->sq + nic->posted % (1 << SQ_LOG2) * (NIC_WR_BYTES / 4);
    for (int i = 0; i < NIC_WR_BYTES / 4; i++) wr[i] = 0;
    wr[NIC_WR_OPERATION_WORD] = FIELD(WR_OPERATION, op) | FIELD(WR_SIGNALLED, 1);
    wr[NIC_WR_ID_WORD] = op;
    wr[NIC_WR_LOCAL_ADDRESS_WORD] = (uint32_t)local;
    wr[NIC_WR_LENGTH_WORD] = bytes;
    wr[NIC_WR_RKEY_WORD] = RKEY;
    wr[NIC_WR_REMOTE_VA_WORD] = (uint32_t)remote;
    wr[NIC_WR_IMMEDIATE_WORD] = IMMEDIATE;
    nic->posted++;
    uint32_t index = QPN % flow_count(nic);
    store(nic, NIC_DOORBELL, FIELD(DOORBELL_FLOW, index) | FIELD(DOORBELL_INDEX, nic->posted));
}

/* Waits until the interrupt has brought completion `count`. */
static void wait(const struct nic *nic, uint32_t count, uint32_t kind, uint32_t bytes) {
    for (uint32_t i = 0; nic->completed < count; i++)
        if (i == WAITS_MAX) fail("no interrupt of NIC ", number_of(nic));
    const uint32_t *entry = nic->entry, last = entry[NIC_CQE_STATUS_WORD];
    if (last & NIC_CQE_STATUS_MASK) fail("completion with status ", last & NIC_CQE_STATUS_MASK);
    if ((last & NIC_CQE_KIND_MASK) != FIELD(CQE_KIND, kind)) fail("kind at NIC ", number_of(nic));
    if (entry[NIC_CQE_BYTE_COUNT_WORD] != bytes) fail("byte count at NIC ", number_of(nic));
    if (kind == KIND_RECEIVED && entry[NIC_CQE_IMMEDIATE_WORD] != IMMEDIATE)
        fail("immediate data at NIC ", number_of(nic));
}

static uint8_t byte_at(uint32_t i) { return (uint8_t)(i * 31 + (i >> 8)); }

static void check(const char *what, const memory *at, uint32_t bytes) {
    flush_cpu_dcache();
    for (uint32_t i = 0; i < bytes; i++)
        if (at[i] != (byte_at(i) ^ EXPECTED_XOR)) fail(what, i);
    for (uint32_t i = 1; i <= GUARD_BYTES; i++)
        if (at[-(int)i] != GUARD || at[bytes + i - 1] != GUARD) fail("a byte beside it, ", i);
}

static void report(const char *text, uint32_t number) {
    print(text);
    print_number(number);
    put('\n');
}

int main(void) {
    sdram_dfii_control_write(DFII_CONTROL_SEL);
    for (uint32_t i = 0; i < WRITE_BYTES; i++) source[i] = byte_at(i);
    for (int i = -GUARD_BYTES; i < WRITE_BYTES + GUARD_BYTES; i++) target[i] = back[i] = GUARD;
    irq_setmask((1 << NIC0_INTERRUPT | 1 << NIC1_INTERRUPT) & ~(DEAF_TO));
    irq_setie(1);
    nic0_ev_enable_write(1);
    nic1_ev_enable_write(1);
    start(&nics[0], NIC0_REGS_BASE);
    start(&nics[1], NIC1_REGS_BASE);
    print("two NICs started\n");

    post(&nics[0], WRITE_WITH_IMMEDIATE, source, target, WRITE_BYTES);
    wait(&nics[0], 1, KIND_WORK_REQUEST, WRITE_BYTES);
    wait(&nics[1], 1, KIND_RECEIVED, WRITE_BYTES);
    check("WRITE: byte ", target, WRITE_BYTES);
    report("WRITE: interrupts of sender and receiver, bytes right: ", WRITE_BYTES);

    post(&nics[0], READ, back, target, READ_BYTES);
    wait(&nics[0], 2, KIND_WORK_REQUEST, READ_BYTES);
    check("READ: byte ", back, READ_BYTES);
    report("READ: interrupt, bytes right: ", READ_BYTES);

    report("frames that LiteEth of NIC 1 found damaged: ",
        nic1_mac_rx_datapath_crc_errors_read());
    report("frames that NIC 1 dropped for it: ", load(&nics[1], NIC_COUNTER_RX_DROP_MAC_ERROR));
    report("packets that NIC 0 sent again: ",
        load(&nics[0], NIC_COUNTER_REQR_RETRANSMIT_PACKET));
    print("PASS");
    end_run();
}
