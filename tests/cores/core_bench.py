"""What the cocotb benches of the cores share: the models of cocotbext-axi at a core's thin top, its
registers by name, and how a bench is run."""

import os
import random
import re
import struct
import sys
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiStreamBus, AxiStreamSink, AxiStreamSource


def bits(*fields):
    """Fields (value, lowest bit) as one word."""
    return sum(value << lsb for value, lsb in fields)


class Map:
    """Offsets of registers and fields of rows, as the C header beside the Verilog has them."""

    def __init__(self, top):
        text = (Path(os.environ["RTL"]) / f"{top}_regs.h").read_text()
        defined = re.findall(rf"^#define {top.upper()}_(\w+) (0x\w+?|\d+)u?\b", text, re.M)
        self.names = {name: int(value, 0) for name, value in defined}

    def __getitem__(self, name):
        return self.names[name]

    def pack(self, kind, **fields):
        """The words of a row."""
        words = [0] * (self[f"{kind}_BYTES"] // 4)
        for name, value in fields.items():
            name = f"{kind}_{name.upper()}"
            value <<= self.names.get(f"{name}_SHIFT", 0)
            at = self[f"{name}_WORD"]
            words[at] |= value & 0xFFFF_FFFF
            if value >> 32:
                words[at + 1] |= value >> 32
        return struct.pack(f"<{len(words)}I", *words)

    def field(self, kind, name, row):
        """A field of a row of words."""
        name = f"{kind}_{name.upper()}"
        (word,) = struct.unpack_from("<I", row, 4 * self[f"{name}_WORD"])
        mask = self.names.get(f"{name}_MASK", 0xFFFF_FFFF)
        return (word & mask) >> self.names.get(f"{name}_SHIFT", 0)


class Core:
    """A core with a clock of 125 MHz, AxiLiteMaster at its registers, and a source or a sink at each
    of its streams."""

    def __init__(self, dut, top):
        self.dut, self.map = dut, Map(top)
        # Clock, reset, and that the reset is active low.
        self.wires = (dut.aclk, dut.aresetn, False)
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), *self.wires)
        names = [pin._name.removesuffix("_tdata") for pin in dut if pin._name.endswith("_tdata")]
        self.streams = {
            name: (AxiStreamSource if name.startswith("s_") else AxiStreamSink)(
                AxiStreamBus.from_prefix(dut, name), *self.wires
            )
            for name in names
        }
        write, read = self.registers.write_if, self.registers.read_if
        self.channels = [write.aw_channel, write.w_channel, write.b_channel, read.ar_channel,
                         read.r_channel, *self.streams.values()]
        cocotb.start_soon(Clock(dut.aclk, 8, unit="ns").start())

    async def reset(self):
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, 4)
        self.dut.aresetn.value = 1
        await ClockCycles(self.dut.aclk, 1)

    def stall(self, seed):
        """Every model pauses in half of the cycles, at random."""

        def halves(of):
            rng = random.Random(of)
            while True:
                yield rng.random() < 0.5

        for number, channel in enumerate(self.channels):
            channel.set_pause_generator(halves(64 * seed + number))

    async def write(self, name, value):
        response = await self.registers.write(self.map[name], struct.pack("<I", value))
        assert response.resp == 0, f"write to {name}: {response.resp!r}"

    async def read(self, name):
        response = await self.registers.read(self.map[name], 4)
        assert response.resp == 0, f"read of {name}: {response.resp!r}"
        return int.from_bytes(response.data, "little")

    async def send_event(self, stream, event):
        stream = self.streams[stream]
        await stream.send(event.to_bytes(stream.byte_lanes, "little"))


def run(top, test_module, rtl, test=None):
    """Runs a file's tests, or one, on the Verilog in a folder: how many ran, and how many failed. What
    the simulator says goes to cocotb/log there."""
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    runner = get_runner("icarus")
    build = rtl / "cocotb"
    build.mkdir(exist_ok=True)
    names = [*(rtl / "files.f").read_text().split(), f"{top}_axi.v"]
    sources = [rtl / name for name in names]
    runner.build(sources=sources, hdl_toplevel=f"{top}_axi", build_dir=build,
                 timescale=("1ns", "1ps"), build_args=["-g2005"], log_file=build / "build.log")
    results = runner.test(hdl_toplevel=f"{top}_axi", test_module=test_module, build_dir=build,
                          test_dir=build, test_filter=test and rf"\.{re.escape(test)}$",
                          extra_env={"RTL": str(rtl)}, log_file=build / "log")
    return get_results(results)


def main(top, test_file):
    """Runs the tests of a file on the emitted Verilog in the folder that the command line names."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {Path(test_file).name} FOLDER_OF_THE_EMITTED_VERILOG")
    rtl = Path(sys.argv[1]).resolve()
    tests, failed = run(top, Path(test_file).stem, rtl)
    if failed or not tests:
        print((rtl / "cocotb" / "log").read_text())
    print(f"{top}: {tests} tests, {failed} failed")
    sys.exit(1 if failed or not tests else 0)
