"""A cocotb test bench of the CC core to start from.

    nic emit --core cc -o rtl
    pip install cocotb
    python3 tests/cores/test_cc_core.py rtl

Sets a register, creates a flow and sends it ACKs of a link with a growing queue; its window falls,
and grows again when the queue is gone.
"""

import sys
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, with_timeout

CC_MAX_STAGE = 0x54
CREATE = 1


def bits(*fields):
    """Fields (value, lowest bit) as one word."""
    return sum(value << lsb for value, lsb in fields)


def record(ns, sent_bytes, queue_bytes):
    """A record of a 100 Gb/s port in the native layout."""
    return bits((2, 0), (ns % (1 << 24), 3), (sent_bytes // 128, 27), (queue_bytes // 80, 47))


class Core:
    """The pins of the core, as its user sees them."""

    def __init__(self, dut):
        self.dut = dut
        for pin in dut:
            if pin._name.startswith("s_") and not pin._name.endswith(("ready", "bvalid", "rvalid",
                                                                      "resp", "rdata")):
                pin.value = 0
        dut.s_axil_bready.value = dut.s_axil_rready.value = dut.m_axis_rate_tready.value = 1
        dut.s_axil_wstrb.value = 15
        cocotb.start_soon(Clock(dut.clock, 8, unit="ns").start())

    async def until(self, pin):
        while pin.value != 1:
            await FallingEdge(self.dut.clock)

    async def reset(self):
        self.dut.reset.value = 1
        for _ in range(4):
            await FallingEdge(self.dut.clock)
        self.dut.reset.value = 0

    async def write(self, address, value):
        d = self.dut
        d.s_axil_awaddr.value, d.s_axil_wdata.value = address, value
        d.s_axil_awvalid.value = d.s_axil_wvalid.value = 1
        await FallingEdge(d.clock)
        await self.until(d.s_axil_awready)
        await FallingEdge(d.clock)
        d.s_axil_awvalid.value = d.s_axil_wvalid.value = 0
        await self.until(d.s_axil_bvalid)
        assert d.s_axil_bresp.value == 0, f"write to {address:#x} was refused"
        await FallingEdge(d.clock)

    async def read(self, address):
        d = self.dut
        d.s_axil_araddr.value, d.s_axil_arvalid.value = address, 1
        await FallingEdge(d.clock)
        await self.until(d.s_axil_arready)
        await FallingEdge(d.clock)
        d.s_axil_arvalid.value = 0
        await self.until(d.s_axil_rvalid)
        assert d.s_axil_rresp.value == 0, f"read of {address:#x} was refused"
        value = int(d.s_axil_rdata.value)
        await FallingEdge(d.clock)
        return value

    async def send(self, stream, event):
        pins = {p: getattr(self.dut, f"s_axis_{stream}_{p}") for p in ("tdata", "tvalid", "tready")}
        pins["tdata"].value, pins["tvalid"].value = event, 1
        await self.until(pins["tready"])
        await FallingEdge(self.dut.clock)
        pins["tvalid"].value = 0

    async def create(self, flow, window_bytes, rate):
        telemetry = 1
        event = bits((flow, 0), (CREATE, 16), (telemetry, 18), (window_bytes, 32), (rate, 64))
        await self.send("flow", event)

    async def ack(self, flow, psn, hop):
        tel_valid, hops, path = 1, 1, 7
        event = bits((flow, 0), (psn, 16), (psn + 4, 40), (tel_valid, 64), (hops, 65), (path, 68),
                     (hop, 96))
        await self.send("ack", event)

    async def result(self):
        """Flow and window of the next result."""
        d = self.dut
        await with_timeout(self.until(d.m_axis_rate_tvalid), 2, "us")
        word = int(d.m_axis_rate_tdata.value)
        await FallingEdge(d.clock)
        return word & 0xFFFF, word >> 32 & 0xFFFF_FFFF


@cocotb.test()
async def registers(dut):
    core = Core(dut)
    await core.reset()
    assert (await core.read(0)).to_bytes(4, "big") == b"RNCC"
    await core.write(CC_MAX_STAGE, 3)
    assert await core.read(CC_MAX_STAGE) == 3


@cocotb.test()
async def window_follows_the_queue(dut):
    core = Core(dut)
    await core.reset()
    await core.create(5, window_bytes=5000, rate=8 << 24)
    assert await core.result() == (5, 5000)
    windows = []
    ns = sent = 0
    for step in range(24):
        queue_bytes = 80_000 if step < 8 else 0
        sent += 62_000 if step < 8 else 20_000
        ns += 5000
        await core.ack(5, 10 + 5 * step, record(ns, sent, queue_bytes))
        flow, window = await core.result()
        assert flow == 5
        windows.append(window)
    dut._log.info("windows: %s", windows)
    assert windows[0] == 5000, "the first record is only stored"
    assert min(windows[:8]) < 2000, "a full link with a queue makes the window small"
    assert windows[-1] > 10 * min(windows), "an idle link makes it grow again"


def main(rtl):
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    rtl = Path(rtl).resolve()
    runner = get_runner("icarus")
    build = rtl / "cocotb"
    sources = [rtl / line for line in (rtl / "files.f").read_text().split()]
    runner.build(sources=sources, hdl_toplevel="cc_core", build_dir=build,
                 timescale=("1ns", "1ps"), build_args=["-g2005"])
    sys.path.insert(0, str(Path(__file__).parent))
    results = runner.test(hdl_toplevel="cc_core", test_module="test_cc_core", build_dir=build,
                          test_dir=build)
    tests, failed = get_results(results)
    print(f"{tests} tests, {failed} failed")
    sys.exit(1 if failed or not tests else 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: test_cc_core.py FOLDER_OF_THE_EMITTED_VERILOG")
    main(sys.argv[1])
