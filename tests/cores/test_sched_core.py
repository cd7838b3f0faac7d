"""A cocotb test bench of the scheduler core to start from.

    nic emit --core sched -o rtl
    pip install cocotb
    python3 tests/cores/test_sched_core.py rtl

Gives two flows their rates as the CC core would, on s_axis_rate, and a window to one of them.
"""

import sys
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

CREATE = 1
BYTES = 1000
BEATS = 125


def bits(*fields):
    """Fields (value, lowest bit) as one word."""
    return sum(value << lsb for value, lsb in fields)


class Core:
    """The pins of the core, as its user sees them."""

    def __init__(self, dut):
        self.dut = dut
        for pin in dut:
            if pin._name.startswith("s_") and not pin._name.endswith(("ready", "bvalid", "rvalid",
                                                                      "resp", "rdata")):
                pin.value = 0
        dut.m_axis_grant_tready.value = 0
        cocotb.start_soon(Clock(dut.clock, 8, unit="ns").start())

    async def reset(self):
        self.dut.reset.value = 1
        for _ in range(4):
            await FallingEdge(self.dut.clock)
        self.dut.reset.value = 0

    async def send(self, stream, event):
        pins = {p: getattr(self.dut, f"s_axis_{stream}_{p}") for p in ("tdata", "tvalid", "tready")}
        pins["tdata"].value, pins["tvalid"].value = event, 1
        while pins["tready"].value != 1:
            await FallingEdge(self.dut.clock)
        await FallingEdge(self.dut.clock)
        pins["tvalid"].value = 0

    async def create(self, flow, window_bytes, bytes_a_cycle):
        rate = int(bytes_a_cycle * (1 << 24))
        await self.send("rate", bits((flow, 0), (CREATE, 16), (window_bytes, 32), (rate, 64)))

    async def arm(self, flow, inflight_bytes=0):
        await self.send("work", bits((flow, 0), (BYTES, 16), (inflight_bytes, 32)))

    async def grant(self, cycles):
        """The next flow that may send, None if there is none for so many cycles."""
        d = self.dut
        for _ in range(cycles):
            if d.m_axis_grant_tvalid.value == 1:
                flow = int(d.m_axis_grant_tdata.value)
                d.m_axis_grant_tready.value = 1
                await FallingEdge(d.clock)
                d.m_axis_grant_tready.value = 0
                return flow
            await FallingEdge(d.clock)
        return None


@cocotb.test()
async def rates(dut):
    core = Core(dut)
    await core.reset()
    await core.create(0, 1_000_000, 6.0)
    await core.create(1, 1_000_000, 2.0)
    await core.arm(0)
    await core.arm(1)
    sent = [0, 0]
    for packet in range(600):
        flow = await core.grant(cycles=4000)
        sent[flow] += packet >= 200
        await core.arm(flow)
        for _ in range(BEATS - 3):
            await FallingEdge(dut.clock)
    dut._log.info("packets: %s", sent)
    assert abs(sent[0] - 300) <= 3 and abs(sent[1] - 100) <= 1


@cocotb.test()
async def window(dut):
    core = Core(dut)
    await core.reset()
    await core.create(3, 2 * BYTES, 8.0)
    await core.arm(3, inflight_bytes=0)
    assert await core.grant(cycles=400) == 3
    await core.arm(3, inflight_bytes=2 * BYTES)
    assert await core.grant(cycles=4000) is None, "the window is full"
    await core.send("inflight", bits((3, 0), (BYTES, 32)))
    assert await core.grant(cycles=400) == 3, "an ACK has opened it"


def main(rtl):
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    rtl = Path(rtl).resolve()
    runner = get_runner("icarus")
    build = rtl / "cocotb"
    sources = [rtl / line for line in (rtl / "files.f").read_text().split()]
    runner.build(sources=sources, hdl_toplevel="sched_core", build_dir=build,
                 timescale=("1ns", "1ps"), build_args=["-g2005"])
    sys.path.insert(0, str(Path(__file__).parent))
    results = runner.test(hdl_toplevel="sched_core", test_module="test_sched_core",
                          build_dir=build, test_dir=build)
    tests, failed = get_results(results)
    print(f"{tests} tests, {failed} failed")
    sys.exit(1 if failed or not tests else 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: test_sched_core.py FOLDER_OF_THE_EMITTED_VERILOG")
    main(sys.argv[1])
