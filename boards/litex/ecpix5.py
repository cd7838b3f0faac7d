#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The ECPIX-5 as LiteX has it (VexRiscv, 512 MiB of DDR3), with the NIC at its gigabit port.

    ecpix5.py RTL OUT    writes Verilog and C headers, with the core in RTL, to the folder OUT"""
import os
import sys

from litex_boards.targets.lambdaconcept_ecpix5 import BaseSoC
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII

from nic import add_nic
from write import write


class SoC(BaseSoC):
    def __init__(self, rtl, **options):
        # The NIC writes to SDRAM past an L2 cache, which would then hold what was there before.
        BaseSoC.__init__(self, l2_size=0, **options)
        # The PHY delays the receive clock by itself.
        self.phy = LiteEthPHYRGMII(self.platform.request("eth_clocks"),
            self.platform.request("eth"), rx_delay=0)
        add_nic(self, rtl, self.phy)


if __name__ == "__main__":
    core, folder = map(os.path.abspath, sys.argv[1:])
    write(SoC(core, sys_clk_freq=75e6, cpu_type="vexriscv", integrated_rom_size=0x10000,
        integrated_rom_init=[0]), folder)
