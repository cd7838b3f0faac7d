#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""A SoC for simulation: a VexRiscv with firmware in ROM, DDR3 behind LiteDRAM, two NICs.

    sim.py RTL OUT    writes Verilog and C headers, with the core in RTL, to the folder OUT

The simulation reads the firmware from `soc_rom.init`. `sim.v` drives the pins."""
import os
import sys

from litedram.modules import MT41K64M16
from litedram.phy.model import SDRAMPHYModel
from liteeth.phy.gmii import LiteEthPHYGMIIRX, LiteEthPHYGMIITX
from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.integration.soc_core import SoCCore
from migen import ClockDomain, ClockDomainsRenamer

from nic import add_nic
from write import write

SYS_HZ = 75e6  # as on the ECPIX-5
NIC_COUNT = 2


def gmii(number):
    names = dict(rx_dv=1, rx_data=8, tx_en=1, tx_data=8)
    return ("gmii", number, *(Subsignal(name, Pins(width)) for name, width in names.items()))


IO = [
    ("sys_clk", 0, Pins(1)),
    ("sys_rst", 0, Pins(1)),
    ("gmii_clk", 0, Pins(1)),
    ("serial", 0, *(Subsignal(f"{end}_{name}", Pins(width)) for end in ("source", "sink")
        for name, width in dict(valid=1, ready=1, data=8).items())),
    *(gmii(number) for number in range(NIC_COUNT)),
]


class Clocks(LiteXModule):
    def __init__(self, platform):
        self.cd_sys = ClockDomain()
        self.cd_eth_tx = ClockDomain()
        self.cd_eth_rx = ClockDomain()
        reset, ethernet = platform.request("sys_rst"), platform.request("gmii_clk")
        self.comb += [
            self.cd_sys.clk.eq(platform.request("sys_clk")), self.cd_sys.rst.eq(reset),
            self.cd_eth_tx.clk.eq(ethernet), self.cd_eth_tx.rst.eq(reset),
            self.cd_eth_rx.clk.eq(ethernet), self.cd_eth_rx.rst.eq(reset),
        ]


class GMII(LiteXModule):
    """A PHY of LiteEth whose clocks come from outside."""

    dw = 8

    def __init__(self, pads):
        self.tx = ClockDomainsRenamer("eth_tx")(LiteEthPHYGMIITX(pads))
        self.rx = ClockDomainsRenamer("eth_rx")(LiteEthPHYGMIIRX(pads))
        self.sink, self.source = self.tx.sink, self.rx.source


class SmallDDR3(MT41K64M16):
    """DDR3 of 16 bits, of which a simulation can hold all rows: 32 MiB."""

    nrows = 2048


class SoC(SoCCore):
    def __init__(self, rtl):
        platform = SimPlatform("SIM", IO)
        self.crg = Clocks(platform)
        SoCCore.__init__(self, platform, SYS_HZ, cpu_type="vexriscv", uart_name="sim",
            integrated_rom_size=0x4000, integrated_rom_init=[0])
        module = SmallDDR3(SYS_HZ, "1:4")
        self.sdrphy = SDRAMPHYModel(module, data_width=16, clk_freq=SYS_HZ)
        self.add_sdram("sdram", phy=self.sdrphy, module=module, l2_cache_size=0)
        for number in range(NIC_COUNT):
            phy = GMII(platform.request("gmii", number))
            self.add_module(name=f"phy{number}", module=phy)
            add_nic(self, rtl, phy, name=f"nic{number}")


if __name__ == "__main__":
    core, folder = map(os.path.abspath, sys.argv[1:])
    write(SoC(core), folder)
