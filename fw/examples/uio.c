/* A NIC behind Linux UIO, on the generated header alone: finds it, makes a queue pair, WRITEs a
 * message to the peer, waits for its completion. fw/driver/examples/uio.rs does the same in Rust.
 *
 *   cc -std=c99 -I fw -o uio fw/examples/uio.c && ./uio /dev/uio0 /dev/udmabuf0 0x3f000000
 *
 * REGISTERS is a device whose first mapping is the NIC's register space of 64 KiB; MEMORY is memory
 * that the NIC's AXI4 master reaches at ADDRESS, for example of u-dma-buf. */
#define _POSIX_C_SOURCE 200809L
#include "nic_regs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A value at the place of its field in its word. */
#define FIELD(name, value) (((uint32_t)(value) << NIC_##name##_SHIFT) & NIC_##name##_MASK)

enum { SPACE_BYTES = 1 << 16, MESSAGE_BYTES = 4096, ROW_WORDS = NIC_ROW_DATA_COUNT };
enum { TABLE_QP, TABLE_MR, TABLE_WR };
static const uint32_t polls_max = 1000000;
/* This host and its peer: MAC, IPv4 address. */
static const uint64_t mac_here = 0x020000000001, mac_there = 0x020000000002;
static const uint32_t ip_here = 0x0a000001, ip_there = 0x0a000002;
/* What the peer's program says: where its memory is, and the key to it. */
static const uint64_t remote_va = 0x7f0000000000;
static const uint32_t rkey = 0x35a, qpn = 0x100;

static volatile uint32_t *registers;

static uint32_t load(uint32_t offset) { return registers[offset / 4]; }
static void store(uint32_t offset, uint32_t value) { registers[offset / 4] = value; }

static void fail(const char *what) {
    fprintf(stderr, "uio: %s\n", what);
    exit(1);
}

static volatile uint32_t *map(const char *path, size_t byte_count) {
    int file = open(path, O_RDWR | O_SYNC);
    if (file >= 0) {
        void *at = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (at != MAP_FAILED) return at;
    }
    fprintf(stderr, "uio: %s: cannot map %zu bytes: %s\n", path, byte_count, strerror(errno));
    exit(1);
}

/* Copies a row into a table of the NIC. */
static void commit(uint32_t table, uint32_t index, const uint32_t row[ROW_WORDS]) {
    for (uint32_t i = 0; i < ROW_WORDS; i++) store(NIC_ROW_DATA + 4 * i, row[i]);
    store(NIC_ROW_COMMIT, FIELD(ROW_COMMIT_INDEX, index) | FIELD(ROW_COMMIT_TABLE, table));
    for (uint32_t poll = 0; poll < polls_max; poll++) {
        uint32_t status = load(NIC_ROW_STATUS);
        if (status == 0) return;
        if (!(status & NIC_ROW_STATUS_BUSY_MASK)) fail("the NIC refused a table row");
    }
    fail("the NIC did not take a table row: is its clock running?");
}

int main(int count, char **arguments) {
    if (count != 4) fail("usage: uio REGISTERS MEMORY ADDRESS");
    registers = map(arguments[1], SPACE_BYTES);
    volatile uint32_t *memory = map(arguments[2], MESSAGE_BYTES);
    uint64_t address = strtoull(arguments[3], NULL, 16);

    if (load(NIC_ID) != NIC_ID_RESET) fail("no NIC here: the id register reads otherwise");
    uint32_t version = load(NIC_VERSION);
    if ((version ^ NIC_VERSION_RESET) & NIC_VERSION_MAJOR_MASK) fail("another register map");
    uint32_t sizes = load(NIC_SIZES);
    uint32_t flow_count = 1u << ((sizes & NIC_SIZES_FLOW_LOG2_MASK) >> NIC_SIZES_FLOW_LOG2_SHIFT);
    printf("found %" PRIu32 " queue pairs\n", flow_count);

    store(NIC_LOCAL_MAC_LO, (uint32_t)mac_here);
    store(NIC_LOCAL_MAC_HI, (uint32_t)(mac_here >> 32));
    store(NIC_LOCAL_IP, ip_here);

    uint32_t qp[ROW_WORDS] = {0};
    qp[NIC_QP_VALID_WORD] = FIELD(QP_VALID, 1) | FIELD(QP_MTU, 2) | FIELD(QP_TIMEOUT, 14)
        | FIELD(QP_RETRY_LIMIT, 7) | FIELD(QP_ACK_INTERVAL, 4);
    qp[NIC_QP_QPN_WORD] = qpn;
    qp[NIC_QP_REMOTE_QPN_WORD] = qpn;
    qp[NIC_QP_REMOTE_IP_WORD] = ip_there;
    qp[NIC_QP_REMOTE_MAC_LO_WORD] = (uint32_t)mac_there;
    qp[NIC_QP_REMOTE_MAC_HI_WORD] = FIELD(QP_REMOTE_MAC_HI, mac_there >> 32)
        | FIELD(QP_UDP_SOURCE_PORT, 0xc000 | qpn);
    qp[NIC_QP_WINDOW_WORD] = 64 << 10;
    qp[NIC_QP_RATE_WORD] = 8u << 24;
    qp[NIC_QP_RNR_RETRY_LIMIT_WORD] = FIELD(QP_RNR_RETRY_LIMIT, 7) | FIELD(QP_READ_LIMIT, 4);
    commit(TABLE_QP, qpn % flow_count, qp);

    for (uint32_t i = 0; i < MESSAGE_BYTES / 4; i++) memory[i] = i;
    uint32_t wr[ROW_WORDS] = {0};
    wr[NIC_WR_OPERATION_WORD] = FIELD(WR_OPERATION, 0) | FIELD(WR_SIGNALLED, 1);
    wr[NIC_WR_LOCAL_ADDRESS_WORD] = (uint32_t)address;
    wr[NIC_WR_LOCAL_ADDRESS_WORD + 1] = (uint32_t)(address >> 32);
    wr[NIC_WR_LENGTH_WORD] = MESSAGE_BYTES;
    wr[NIC_WR_RKEY_WORD] = rkey;
    wr[NIC_WR_REMOTE_VA_WORD] = (uint32_t)remote_va;
    wr[NIC_WR_REMOTE_VA_WORD + 1] = (uint32_t)(remote_va >> 32);
    commit(TABLE_WR, qpn % flow_count, wr);

    for (uint32_t poll = 0; poll < polls_max; poll++) {
        if (load(NIC_CQ_COUNT) == 0) continue;
        uint32_t entry[NIC_CQ_ENTRY_COUNT];
        for (uint32_t i = 0; i < NIC_CQ_ENTRY_COUNT; i++) entry[i] = load(NIC_CQ_ENTRY + 4 * i);
        store(NIC_CQ_POP, 1);
        uint32_t status = entry[NIC_CQE_STATUS_WORD] & NIC_CQE_STATUS_MASK;
        if (status != 0) {
            fprintf(stderr, "uio: the WRITE failed: status %" PRIu32 "\n", status);
            return 1;
        }
        printf("%" PRIu32 " bytes written\n", entry[NIC_CQE_BYTE_COUNT_WORD]);
        return 0;
    }
    fail("no completion: is the clock of the NIC running?");
}
