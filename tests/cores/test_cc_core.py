"""A cocotb test bench of the CC core to start from.

    nic emit --core cc -o rtl
    pip install cocotb==2.1.0 cocotbext-axi==0.1.28
    python3 tests/cores/test_cc_core.py rtl

Sets a register, creates a flow and sends it ACKs of a link with a growing queue; its window falls,
and grows again when the queue is gone.
"""

import cocotb

from core_bench import Core, bits, main

CREATE = 1


def record(ns, sent_bytes, queue_bytes):
    """A record of a 100 Gb/s port in the native layout."""
    return bits((2, 0), (ns % (1 << 24), 3), (sent_bytes // 128, 27), (queue_bytes // 80, 47))


class CcCore(Core):
    def __init__(self, dut):
        super().__init__(dut, "cc_core")

    async def create(self, flow, window_bytes, rate):
        telemetry = 1
        event = bits((flow, 0), (CREATE, 16), (telemetry, 18), (window_bytes, 32), (rate, 64))
        await self.send_event("s_axis_flow", event)

    async def ack(self, flow, psn, hop):
        tel_valid, hops, path = 1, 1, 7
        event = bits((flow, 0), (psn, 16), (psn + 4, 40), (tel_valid, 64), (hops, 65), (path, 68),
                     (hop, 96))
        await self.send_event("s_axis_ack", event)

    async def result(self):
        """Flow and window of the next result."""
        frame = await self.streams["m_axis_rate"].recv()
        word = int.from_bytes(frame.tdata, "little")
        return word & 0xFFFF, word >> 32 & 0xFFFF_FFFF


@cocotb.test(timeout_time=100, timeout_unit="us")
async def registers(dut):
    core = CcCore(dut)
    await core.reset()
    assert (await core.read("ID")).to_bytes(4, "big") == b"RNCC"
    await core.write("CC_MAX_STAGE", 3)
    assert await core.read("CC_MAX_STAGE") == 3
    refused = await core.registers.write(core.map["ID"], bytes(4))
    assert refused.resp == 2, "ID is read only"


@cocotb.test(timeout_time=100, timeout_unit="us")
@cocotb.parametrize(stalled=[False, True])
async def window_follows_the_queue(dut, stalled):
    core = CcCore(dut)
    await core.reset()
    if stalled:
        core.stall(1)
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


if __name__ == "__main__":
    main("cc_core", __file__)
