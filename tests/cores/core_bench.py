"""What the cocotb benches of the cores share: pins as a user sees them, and how a bench is run."""

import sys
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

DRIVEN_BY_THE_CORE = ("ready", "bvalid", "rvalid", "resp", "rdata")


def bits(*fields):
    """Fields (value, lowest bit) as one word."""
    return sum(value << lsb for value, lsb in fields)


class Core:
    """A core with a clock of 125 MHz; pins change at the falling edge."""

    def __init__(self, dut):
        self.dut = dut
        for pin in dut:
            if pin._name.startswith("s_") and not pin._name.endswith(DRIVEN_BY_THE_CORE):
                pin.value = 0
        dut.s_axil_bready.value = dut.s_axil_rready.value = 1
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


def main(top, test_file):
    """Runs the tests of a file on the emitted Verilog in the folder that the command line names."""
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    if len(sys.argv) != 2:
        sys.exit(f"usage: {Path(test_file).name} FOLDER_OF_THE_EMITTED_VERILOG")
    rtl = Path(sys.argv[1]).resolve()
    runner = get_runner("icarus")
    build = rtl / "cocotb"
    sources = [rtl / line for line in (rtl / "files.f").read_text().split()]
    runner.build(sources=sources, hdl_toplevel=top, build_dir=build, timescale=("1ns", "1ps"),
                 build_args=["-g2005"])
    results = runner.test(hdl_toplevel=top, test_module=Path(test_file).stem, build_dir=build,
                          test_dir=build)
    tests, failed = get_results(results)
    print(f"{tests} tests, {failed} failed")
    sys.exit(1 if failed or not tests else 0)
