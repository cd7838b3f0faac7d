/* The verbs program of the interop guest: reliable connections set up without a connection
 * manager, so that the other end can be a NIC that has none. It makes the RDMA link, then takes
 * one command a line on standard input and answers each by one line, "ok ..." or "fail ...".
 *
 *   open QPS MTU PSN TIMEOUT     new queue pairs; QP i sends from PSN + 16 i and expects a connect
 *                                  ok rkey=N addr=N bytes=N qpns=A,B,..
 *   connect I QPN PSN IP         joins queue pair I to the peer's; PSN is the peer's first
 *   fill OFF LEN SEED            puts the pattern into the buffer
 *   clear OFF LEN SEED           puts its complement there, with GUARD_BYTES on both sides
 *   check OFF LEN SEED           compares with the pattern, and the guards with theirs
 *   write I OFF LEN ADDR RKEY    posts an RDMA WRITE from the buffer
 *   read I OFF LEN ADDR RKEY     posts an RDMA READ into the buffer
 *   wait COUNT MS                waits for completions, all of which must be good
 *
 * Offsets, lengths and seeds are decimal, the rest is hexadecimal with 0x. */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { QPS_MAX = 16, BUFFER_BYTES = 32 << 20, GUARD_BYTES = 64, DEPTH = 64 };
static const uint8_t GUARD = 0x5a;

static struct ibv_context *context;
static struct ibv_pd *domain;
static struct ibv_mr *region;
static struct ibv_cq *completions;
static struct ibv_qp *pairs[QPS_MAX];
static int pair_count, gid_index = -1;
static enum ibv_mtu mtu;
static unsigned first_psn, timeout_exponent;
static uint8_t *buffer;

static void answer(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
}

static void die(const char *what)
{
	answer("fail %s: %s", what, strerror(errno));
	exit(1);
}

/* Byte `at` of the pattern called `seed`; the simulation has the same function. */
static uint8_t pattern(uint32_t seed, uint32_t at)
{
	uint32_t x = seed * 0x9e3779b1u + at;

	x ^= x >> 15;
	x *= 0x85ebca77u;
	return x >> 24;
}

static int add_attribute(struct nlmsghdr *message, int type, const char *text)
{
	struct nlattr *attribute = (void *)((char *)message + NLMSG_ALIGN(message->nlmsg_len));

	attribute->nla_type = type;
	attribute->nla_len = NLA_HDRLEN + strlen(text) + 1;
	strcpy((char *)attribute + NLA_HDRLEN, text);
	message->nlmsg_len = NLMSG_ALIGN(message->nlmsg_len) + NLA_ALIGN(attribute->nla_len);
	return 0;
}

/* What `rdma link add rxe0 type rxe netdev NETDEV` does. */
static void add_link(const char *netdev)
{
	union {
		struct nlmsghdr header;
		char bytes[1024];
	} message = { 0 };
	struct nlmsgerr *error;
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA);

	if (fd < 0)
		die("netlink socket");
	message.header.nlmsg_len = NLMSG_HDRLEN;
	message.header.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK);
	message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	add_attribute(&message.header, RDMA_NLDEV_ATTR_DEV_NAME, "rxe0");
	add_attribute(&message.header, RDMA_NLDEV_ATTR_LINK_TYPE, "rxe");
	add_attribute(&message.header, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	if (send(fd, &message, message.header.nlmsg_len, 0) < 0)
		die("netlink send");
	if (recv(fd, &message, sizeof(message), 0) < (int)NLMSG_LENGTH(sizeof(*error)))
		die("netlink answer");
	error = NLMSG_DATA(&message.header);
	if (error->error) {
		errno = -error->error;
		die("adding the rxe link");
	}
	close(fd);
}

static void find_gid(void)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_port_attr port;
	union ibv_gid gid;

	if (ibv_query_port(context, 1, &port))
		die("query_port");
	for (int i = 0; i < port.gid_tbl_len && gid_index < 0; i++)
		if (!ibv_query_gid(context, 1, i, &gid) && !memcmp(gid.raw, mapped, 12))
			gid_index = i;
	if (gid_index < 0)
		die("no GID of an IPv4 address");
}

static void start(const char *netdev)
{
	struct ibv_device **devices;
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	int tries = 100;

	add_link(netdev);
	/* The character device appears a little later than the link. */
	while (!(devices = ibv_get_device_list(NULL)) || !devices[0]) {
		if (!tries--)
			die("no RDMA device");
		usleep(20000);
	}
	while (!(context = ibv_open_device(devices[0]))) {
		if (!tries--)
			die("open_device");
		usleep(20000);
	}
	find_gid();
	domain = ibv_alloc_pd(context);
	buffer = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (!domain || buffer == MAP_FAILED)
		die("alloc_pd or memory");
	region = ibv_reg_mr(domain, buffer, BUFFER_BYTES, access);
	completions = ibv_create_cq(context, QPS_MAX * DEPTH, NULL, NULL, 0);
	if (!region || !completions)
		die("reg_mr or create_cq");
}

static void open_pairs(int count, int mtu_bytes, unsigned psn, unsigned timeout)
{
	struct ibv_qp_init_attr init = {
		.send_cq = completions,
		.recv_cq = completions,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_wc old;
	char text[16 * QPS_MAX] = "";

	while (pair_count)
		ibv_destroy_qp(pairs[--pair_count]);
	while (ibv_poll_cq(completions, 1, &old) > 0)
		;
	mtu = IBV_MTU_256;
	while (128 << mtu < mtu_bytes)
		mtu++;
	first_psn = psn;
	timeout_exponent = timeout;
	for (; pair_count < count && pair_count < QPS_MAX; pair_count++) {
		char *end = text + strlen(text);

		pairs[pair_count] = ibv_create_qp(domain, &init);
		if (!pairs[pair_count]) {
			answer("fail create_qp: %s", strerror(errno));
			return;
		}
		sprintf(end, "%s%#x", pair_count ? "," : "", pairs[pair_count]->qp_num);
	}
	answer("ok rkey=%#x addr=%#llx bytes=%u qpns=%s", region->rkey,
	       (unsigned long long)(uintptr_t)buffer, BUFFER_BYTES, text);
}

static int to_init(struct ibv_qp *pair)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};

	return ibv_modify_qp(pair, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
						IBV_QP_ACCESS_FLAGS);
}

static int to_rtr(struct ibv_qp *pair, unsigned qpn, unsigned psn, struct in_addr peer)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu,
		.dest_qp_num = qpn,
		.rq_psn = psn,
		.max_dest_rd_atomic = 16,
		.min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1 },
	};
	struct ibv_global_route *route = &attributes.ah_attr.grh;

	route->sgid_index = gid_index;
	route->hop_limit = 64;
	route->dgid.raw[10] = route->dgid.raw[11] = 0xff;
	memcpy(route->dgid.raw + 12, &peer, 4);
	return ibv_modify_qp(pair, &attributes, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
						IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
						IBV_QP_MAX_DEST_RD_ATOMIC |
						IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct ibv_qp *pair, unsigned psn)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_RTS,
		.timeout = timeout_exponent,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.sq_psn = psn,
		.max_rd_atomic = 1,
	};

	return ibv_modify_qp(pair, &attributes, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
						IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
						IBV_QP_MAX_QP_RD_ATOMIC);
}

static void join(int at, unsigned qpn, unsigned psn, const char *ip)
{
	struct in_addr peer;

	if (!inet_aton(ip, &peer))
		answer("fail %s is no address", ip);
	else if (to_init(pairs[at]))
		answer("fail to INIT: %s", strerror(errno));
	else if (to_rtr(pairs[at], qpn, psn, peer))
		answer("fail to RTR: %s", strerror(errno));
	else if (to_rts(pairs[at], (first_psn + 16 * at) & 0xffffff))
		answer("fail to RTS: %s", strerror(errno));
	else
		answer("ok");
}

static void fill(long offset, long bytes, uint32_t seed)
{
	for (long at = 0; at < bytes; at++)
		buffer[offset + at] = pattern(seed, at);
	answer("ok");
}

static void clear(long offset, long bytes, uint32_t seed)
{
	memset(buffer + offset - GUARD_BYTES, GUARD, bytes + 2 * GUARD_BYTES);
	for (long at = 0; at < bytes; at++)
		buffer[offset + at] = ~pattern(seed, at);
	answer("ok");
}

static void check(long offset, long bytes, uint32_t seed)
{
	for (long at = -GUARD_BYTES; at < bytes + GUARD_BYTES; at++) {
		uint8_t want = at < 0 || at >= bytes ? GUARD : pattern(seed, at);

		if (buffer[offset + at] != want) {
			answer("fail byte %ld of %ld is %#04x instead of %#04x", at, bytes,
			       buffer[offset + at], want);
			return;
		}
	}
	answer("ok");
}

static void post(enum ibv_wr_opcode opcode, int at, long offset, long bytes, uint64_t address,
		 uint32_t rkey)
{
	struct ibv_sge piece = { (uintptr_t)buffer + offset, bytes, region->lkey };
	struct ibv_send_wr *bad, request = {
		.wr_id = at,
		.sg_list = &piece,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = address, .rkey = rkey },
	};
	int error = ibv_post_send(pairs[at], &request, &bad);

	if (error)
		answer("fail post_send: %s", strerror(error));
	else
		answer("ok");
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

static void wait_for(int count, double limit_ms)
{
	double end_ms = now_ms() + limit_ms;
	struct ibv_wc entry;

	for (int done = 0; done < count;) {
		int found = ibv_poll_cq(completions, 1, &entry);

		if (found > 0 && entry.status) {
			answer("fail QP %d: %s", (int)entry.wr_id, ibv_wc_status_str(entry.status));
			return;
		}
		if (found < 0 || now_ms() > end_ms) {
			answer("fail %d of %d completions in %.0f ms", done, count, limit_ms);
			return;
		}
		if (found)
			done++;
		else
			usleep(200);
	}
	answer("ok");
}

static int is_range(long offset, long bytes)
{
	return offset >= GUARD_BYTES && bytes >= 0 && bytes <= BUFFER_BYTES &&
	       offset <= BUFFER_BYTES - GUARD_BYTES - bytes;
}

static void run(const char *line)
{
	char ip[32];
	int at, mtu_bytes;
	long offset, bytes;
	unsigned psn, timeout, seed, rkey;
	unsigned long long address;

	if (sscanf(line, "open %d %d %x %u", &at, &mtu_bytes, &psn, &timeout) == 4)
		open_pairs(at, mtu_bytes, psn, timeout);
	else if (sscanf(line, "connect %d %x %x %31s", &at, &rkey, &psn, ip) == 4 && at >= 0 &&
		 at < pair_count)
		join(at, rkey, psn, ip);
	else if (sscanf(line, "fill %ld %ld %u", &offset, &bytes, &seed) == 3 &&
		 is_range(offset, bytes))
		fill(offset, bytes, seed);
	else if (sscanf(line, "clear %ld %ld %u", &offset, &bytes, &seed) == 3 &&
		 is_range(offset, bytes))
		clear(offset, bytes, seed);
	else if (sscanf(line, "check %ld %ld %u", &offset, &bytes, &seed) == 3 &&
		 is_range(offset, bytes))
		check(offset, bytes, seed);
	else if (sscanf(line, "write %d %ld %ld %llx %x", &at, &offset, &bytes, &address, &rkey) == 5 &&
		 at >= 0 && at < pair_count && is_range(offset, bytes))
		post(IBV_WR_RDMA_WRITE, at, offset, bytes, address, rkey);
	else if (sscanf(line, "read %d %ld %ld %llx %x", &at, &offset, &bytes, &address, &rkey) == 5 &&
		 at >= 0 && at < pair_count && is_range(offset, bytes))
		post(IBV_WR_RDMA_READ, at, offset, bytes, address, rkey);
	else if (sscanf(line, "wait %d %u", &at, &timeout) == 2)
		wait_for(at, timeout);
	else
		answer("fail unknown command or argument out of range: %s", line);
}

int main(int argument_count, char **arguments)
{
	char line[256];

	if (argument_count != 2) {
		fprintf(stderr, "usage: peer NETDEV\n");
		return 2;
	}
	start(arguments[1]);
	answer("ok ready");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\r\n")] = 0;
		if (line[0])
			run(line);
	}
	return 0;
}
