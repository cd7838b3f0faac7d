"""A cocotb test bench of the NIC to start from.

    nic emit -o rtl
    pip install cocotb==2.1.0 cocotbext-axi==0.1.28 scapy==2.8.0
    python3 tests/cores/test_nic.py rtl

Host memory is cocotbext-axi's AxiRam, the peer scapy's RoCEv2: it makes the requests, takes the
answers apart, and computes every ICRC. Memories and registers of the NIC begin as X.
"""

import random
import struct

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiRam, AxiStreamFrame
from scapy.contrib.roce import AETH, BTH, opcode
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw
from scapy.utils import atol, mac2str

from core_bench import Core, main

NIC, PEER = ("02:00:00:00:00:01", "10.0.0.1"), ("02:00:00:00:00:02", "10.0.0.2")
QPN, PEER_QPN = 0x105, 0x2345
MTU = 1024
# The region that the peer may use: its key, its virtual address, and where it is in host memory.
RKEY, VA, REGION, REGION_BYTES = 0x35A, 0x7F00_0000_0000, 0x10000, 0x10000
# The rings in host memory, of eight entries each.
SUBMISSIONS, COMPLETIONS, RING_LOG2 = 0x4000, 0x5000, 3
ACK, NAK_OPERATION = 0x00, 0x63
LOCAL_DMA = 5


def code(name):
    """Opcode of an operation of reliable connections."""
    return opcode("RC", name)[0]


def request(name, psn, body):
    """A packet of the peer."""
    pad = -len(body) % 4
    return (Ether(src=PEER[0], dst=NIC[0]) / IP(src=PEER[1], dst=NIC[1], flags="DF", id=psn)
            / UDP(sport=0xC005, dport=4791, chksum=0)
            / BTH(opcode=code(name), dqpn=QPN, psn=psn, ackreq=1, migreq=1, padcount=pad)
            / Raw(body + bytes(pad)))


def write_request(psn, va, data):
    """WRITE ONLY: behind the BTH address, key and length (RETH), and the data."""
    return request("RDMA_WRITE_ONLY", psn, struct.pack(">QII", va, RKEY, len(data)) + data)


def read_request(psn, va, length):
    return request("RDMA_READ_REQUEST", psn, struct.pack(">QII", va, RKEY, length))


class Nic(Core):
    def __init__(self, dut):
        super().__init__(dut, "nic")
        self.ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), *self.wires, size=1 << 20)
        write, read = self.ram.write_if, self.ram.read_if
        self.channels += [write.aw_channel, write.w_channel, write.b_channel, read.ar_channel,
                          read.r_channel]

    async def commit(self, table, index, row):
        """Writes a row of a table."""
        staged = await self.registers.write(self.map["ROW_DATA"], row)
        assert staged.resp == 0
        await self.write("ROW_COMMIT", index | table << 16)
        while (status := await self.read("ROW_STATUS")) == 1:
            pass
        assert status == 0, "the row was refused"

    async def open(self, seed=None):
        """Address, completion ring, a region and a queue pair with a submission ring."""
        await self.reset()
        if seed is not None:
            self.stall(seed)
        mac, peer_mac = (int.from_bytes(mac2str(of[0]), "big") for of in (NIC, PEER))
        await self.write("LOCAL_MAC_LO", mac & 0xFFFF_FFFF)
        await self.write("LOCAL_MAC_HI", mac >> 32)
        await self.write("LOCAL_IP", atol(NIC[1]))
        await self.write("CQ_BASE_LO", COMPLETIONS)
        await self.write("CQ_LOG2", RING_LOG2)
        await self.write("IRQ_ENABLE", 1)
        await self.write("CQ_CONSUMER", 1 << self.map["CQ_CONSUMER_ARM_SHIFT"])
        sizes = await self.read("SIZES")
        self.flow = QPN % (1 << (sizes >> self.map["SIZES_FLOW_LOG2_SHIFT"] & 15))
        region = (RKEY >> 8) % (1 << (sizes >> self.map["SIZES_MR_LOG2_SHIFT"] & 15))
        row = self.map.pack("MR", valid=1, remote_write=1, remote_read=1, rkey=RKEY, va=VA,
                            length=REGION_BYTES, host_address=REGION)
        await self.commit(1, region, row)
        row = self.map.pack(
            "QP", valid=1, remote_write=1, remote_read=1, mtu=(MTU // 256).bit_length() - 1,
            qpn=QPN, remote_qpn=PEER_QPN, remote_ip=atol(PEER[1]),
            remote_mac_lo=peer_mac & 0xFFFF_FFFF, remote_mac_hi=peer_mac >> 32,
            udp_source_port=0xC005, window=1 << 16, rate=8 << 24, rnr_retry_limit=7,
            read_limit=4, sq_log2=RING_LOG2, sq_address=SUBMISSIONS)
        await self.commit(0, self.flow, row)

    async def send(self, packet):
        await self.streams["s_axis_rx"].send(AxiStreamFrame(bytes(packet), tuser=0))

    async def answer(self):
        """The next packet of the NIC, its headers and its ICRC as scapy has them."""
        frame = await self.streams["m_axis_tx"].recv()
        packet = Ether(bytes(frame.tdata))
        again = packet.copy()
        del again[IP].chksum, again[IP].len, again[UDP].len, again[BTH].icrc
        assert bytes(again) == bytes(frame.tdata), "lengths, IPv4 checksum or ICRC"
        assert (packet.src, packet.dst) == (NIC[0], PEER[0])
        assert (packet[IP].src, packet[IP].dst) == (NIC[1], PEER[1])
        assert packet[BTH].dqpn == PEER_QPN
        return packet

    async def acknowledged(self, psn, msn, syndrome=ACK):
        """An ACK, or the NAK with this syndrome, comes; an ACK has credits in the low bits."""
        packet = await self.answer()
        assert packet[BTH].opcode == code("ACKNOWLEDGE")
        mask = 0x60 if syndrome == ACK else 0xFF
        found = (packet[BTH].psn, packet[AETH].msn, packet[AETH].syndrome & mask)
        assert found == (psn, msn, syndrome), packet[BTH].show(dump=True)

    async def post_write(self, address, length, va, rkey, number=0):
        """Posts a WRITE in the submission ring and rings the doorbell."""
        entry = self.map.pack("WR", operation=0, signalled=1, id=77 + number, length=length,
                              local_address=address, remote_va=va, rkey=rkey)
        self.ram.write(SUBMISSIONS + len(entry) * number, entry)
        at = self.map["DOORBELL_INDEX_SHIFT"]
        await self.write("DOORBELL", self.flow | number + 1 << at)

    async def completion(self):
        """Fields of the first completion, once the interrupt comes."""
        if self.dut.irq.value != 1:
            await RisingEdge(self.dut.irq)
        entry = bytes(self.ram.read(COMPLETIONS, self.map["CQE_BYTES"]))
        names = ("wr_id", "byte_count", "status", "kind", "phase", "flow")
        return {name: self.map.field("CQE", name, entry) for name in names}


def payload(packet):
    """What is behind the BTH, without padding."""
    data = bytes(packet[BTH].payload)
    return data[: len(data) - packet[BTH].padcount]


@cocotb.test(timeout_time=60, timeout_unit="us")
@cocotb.parametrize(seed=[None, 1])
async def write(dut, seed):
    """The peer WRITEs: the bytes are in host memory, no others change, and an ACK comes."""
    nic, rng = Nic(dut), random.Random(1)
    await nic.open(seed)
    memory = bytearray(rng.randbytes(REGION_BYTES))
    nic.ram.write(REGION, memory)
    for psn in range(8):
        # Any alignment, every second one over a page of host memory.
        at = rng.randrange(0x3000) if psn % 2 else 0xFF0 + rng.randrange(16)
        data = rng.randbytes(rng.randrange(17, MTU + 1))
        await nic.send(write_request(psn, VA + at, data))
        await nic.acknowledged(psn, msn=psn + 1)
        memory[at : at + len(data)] = data
        assert nic.ram.read(REGION, REGION_BYTES) == memory
    assert await nic.read("COUNTER_RESP_ACCEPTED") == 8


@cocotb.test(timeout_time=60, timeout_unit="us")
@cocotb.parametrize(seed=[None, 2])
async def read(dut, seed):
    """The peer READs, one packet and several."""
    nic, rng = Nic(dut), random.Random(2)
    await nic.open(seed)
    nic.ram.write(REGION, rng.randbytes(REGION_BYTES))
    await nic.send(read_request(0, VA + 0x43, 501))
    packet = await nic.answer()
    assert (packet[BTH].opcode, packet[BTH].psn) == (code("RDMA_READ_RESPONSE_ONLY"), 0)
    assert payload(packet)[4:] == nic.ram.read(REGION + 0x43, 501)
    await nic.send(read_request(1, VA + 0x101, 2 * MTU + 5))
    data = b""
    for psn, name in enumerate(("FIRST", "MIDDLE", "LAST"), start=1):
        packet = await nic.answer()
        assert (packet[BTH].opcode, packet[BTH].psn) == (code(f"RDMA_READ_RESPONSE_{name}"), psn)
        part = payload(packet)
        if name != "MIDDLE":
            aeth, part = AETH(part[:4]), part[4:]
            assert (aeth.syndrome & 0x60, aeth.msn) == (ACK, 2)
        data += part
    assert data == nic.ram.read(REGION + 0x101, 2 * MTU + 5)


@cocotb.test(timeout_time=60, timeout_unit="us")
async def bad_icrc(dut):
    """A packet whose ICRC is wrong changes nothing; it is counted, and its PSN stays due."""
    nic = Nic(dut)
    await nic.open()
    wrong = bytearray(bytes(write_request(0, VA, b"wrong bytes!")))
    wrong[-1] ^= 1
    await nic.send(wrong)
    await nic.send(write_request(0, VA + 64, b"right bytes!"))
    await nic.acknowledged(psn=0, msn=1)
    assert nic.ram.read(REGION, 128) == bytes(64) + b"right bytes!" + bytes(52)
    assert await nic.read("COUNTER_RX_DROP_ICRC") == 1


@cocotb.test(timeout_time=60, timeout_unit="us")
@cocotb.parametrize(seed=[None, 5])
async def own_write(dut, seed):
    """A WRITE from the submission ring leaves as three packets; the peer's ACK completes it."""
    nic, rng = Nic(dut), random.Random(3)
    await nic.open(seed)
    data = rng.randbytes(3000)
    nic.ram.write(0x20003, data)
    await nic.post_write(0x20003, len(data), va=0x7F_0000_1001, rkey=0x1234)
    sent = b""
    for psn, name in enumerate(("FIRST", "MIDDLE", "LAST")):
        packet = await nic.answer()
        assert (packet[BTH].opcode, packet[BTH].psn) == (code(f"RDMA_WRITE_{name}"), psn)
        sent += payload(packet)
    assert packet[BTH].ackreq == 1
    assert sent == struct.pack(">QII", 0x7F_0000_1001, 0x1234, 3000) + data
    assert dut.irq.value == 0, "nothing is acknowledged yet"
    # Host memory lets the completion's address wait.
    addresses = nic.ram.write_if.aw_channel
    addresses.clear_pause_generator()
    addresses.pause = True
    await nic.send(request("ACKNOWLEDGE", 2, bytes(AETH(syndrome=0x1F, msn=1))))
    await RisingEdge(dut.m_axi_awvalid)
    await ClockCycles(dut.aclk, 3)
    addresses.pause = False
    good = {"wr_id": 77, "byte_count": 3000, "status": 0, "kind": 0, "phase": 1, "flow": nic.flow}
    assert await nic.completion() == good
    await nic.write("CQ_CONSUMER", 1)
    assert await nic.read("CQ_PRODUCER") == 1


@cocotb.test(timeout_time=60, timeout_unit="us")
async def bus_error(dut):
    """Host memory refuses: a NAK for the peer's WRITE, a bad completion for an own one."""
    nic = Nic(dut)
    await nic.open()

    async def refused(address, _):
        raise ValueError(f"nothing at {address:#x}")

    # AxiRam answers SLVERR to what raises; here the payload alone does.
    good = nic.ram.read_if._read

    async def payload_refused(address, length):
        return await (refused if address >= 0x20000 else good)(address, length)

    nic.ram.read_if._read = payload_refused
    await nic.post_write(0x20000, 64, va=0x1000, rkey=0x1234)
    found = await nic.completion()
    assert (found["wr_id"], found["status"]) == (77, LOCAL_DMA), found
    assert nic.streams["m_axis_tx"].empty(), "nothing of it is sent"
    await nic.open()
    nic.ram.write_if._write = refused
    await nic.send(write_request(0, VA, b"nowhere"))
    await nic.acknowledged(psn=0, msn=0, syndrome=NAK_OPERATION)


@cocotb.test(timeout_time=60, timeout_unit="us")
async def other_frames(dut):
    """What is not RoCEv2 passes between MAC and the host's own stack; registers refuse by SLVERR."""
    nic = Nic(dut)
    await nic.open()
    frame = bytes(Ether(src=PEER[0], dst="ff:ff:ff:ff:ff:ff") / ARP(psrc=PEER[1], pdst=NIC[1]))
    await nic.send(frame)
    received = await nic.streams["m_axis_host"].recv()
    assert received.tdata == frame
    await nic.streams["s_axis_host"].send(frame)
    sent = await nic.streams["m_axis_tx"].recv()
    assert sent.tdata == frame
    assert (await nic.read("ID")).to_bytes(4, "big") == b"RNIC"
    assert (await nic.registers.write(nic.map["ID"], bytes(4))).resp == 2, "it is read only"
    assert (await nic.registers.read(0xFC0, 4)).resp == 2, "there is no register"


if __name__ == "__main__":
    main("nic", __file__)
