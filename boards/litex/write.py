# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes a LiteX SoC to files, without LiteX's BIOS, for which it wants more packages."""
import os

from litedram.init import get_sdram_phy_c_header
from litex.soc.integration import export


def write(soc, folder):
    """Fills `folder`: `soc.v`, what its memories hold, `files.f`, C headers."""
    os.makedirs(os.path.join(folder, "generated"), exist_ok=True)
    os.chdir(folder)
    soc.finalize()
    sdram = soc.sdram.controller.settings
    csr_base = soc.mem_regions["csr"].origin
    texts = {
        "csr.h": export.get_csr_header(soc.csr_regions, soc.constants, csr_base),
        "soc.h": export.get_soc_header(soc.constants),
        "mem.h": export.get_mem_header(soc.mem_regions),
        "sdram_phy.h": get_sdram_phy_c_header(sdram.phy, sdram.timing, sdram.geom),
    }
    for name, text in texts.items():
        with open(os.path.join("generated", name), "w", encoding="utf-8") as file:
            file.write(text)
    fragment = soc.get_fragment()
    soc.platform.finalize(fragment)
    soc.platform.get_verilog(fragment, name="soc").write("soc.v")
    with open("files.f", "w", encoding="utf-8") as file:
        file.writelines(f"{path}\n" for path, *_ in soc.platform.sources)
