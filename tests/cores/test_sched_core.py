"""A cocotb test bench of the scheduler core to start from.

    nic emit --core sched -o rtl
    pip install cocotb==2.1.0 cocotbext-axi==0.1.28
    python3 tests/cores/test_sched_core.py rtl

Gives two flows their rates as the CC core would, on s_axis_rate, and a window to one of them.
"""

import cocotb
from cocotb.triggers import SimTimeoutError, with_timeout

from core_bench import Core, bits, main

CREATE = 1
BYTES = 1000


class SchedCore(Core):
    def __init__(self, dut):
        super().__init__(dut, "sched_core")

    async def create(self, flow, window_bytes, bytes_a_cycle):
        rate = int(bytes_a_cycle * (1 << 24))
        event = bits((flow, 0), (CREATE, 16), (window_bytes, 32), (rate, 64))
        await self.send_event("s_axis_rate", event)

    async def arm(self, flow, inflight_bytes=0):
        event = bits((flow, 0), (BYTES, 16), (inflight_bytes, 32), (1, 64))
        await self.send_event("s_axis_work", event)

    async def inflight(self, flow, inflight_bytes):
        await self.send_event("s_axis_work", bits((flow, 0), (inflight_bytes, 32)))

    async def grant(self, cycles):
        """The next flow that may send, None if there is none for so many cycles."""
        try:
            frame = await with_timeout(self.streams["m_axis_grant"].recv(), 8 * cycles, "ns")
        except SimTimeoutError:
            return None
        return int.from_bytes(frame.tdata, "little")


@cocotb.test(timeout_time=2, timeout_unit="ms")
@cocotb.parametrize(stalled=[False, True])
async def rates(dut, stalled):
    core = SchedCore(dut)
    await core.reset()
    if stalled:
        core.stall(1)
    await core.create(0, 1_000_000, 6.0)
    await core.create(1, 1_000_000, 2.0)
    await core.arm(0)
    await core.arm(1)
    sent = [0, 0]
    for packet in range(600):
        flow = await core.grant(cycles=4000)
        sent[flow] += packet >= 200
        await core.arm(flow)
    dut._log.info("packets: %s", sent)
    assert abs(sent[0] - 300) <= 3 and abs(sent[1] - 100) <= 1


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def window(dut):
    core = SchedCore(dut)
    await core.reset()
    await core.create(3, 2 * BYTES, 8.0)
    await core.arm(3, inflight_bytes=0)
    assert await core.grant(cycles=400) == 3
    await core.arm(3, inflight_bytes=2 * BYTES)
    assert await core.grant(cycles=4000) is None, "the window is full"
    await core.inflight(3, BYTES)
    assert await core.grant(cycles=400) == 3, "an ACK has opened it"


if __name__ == "__main__":
    main("sched_core", __file__)
