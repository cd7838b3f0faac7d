"""Breaks the emitted Verilog on purpose: each test of the cocotb benches must find what is planted
for it.

    python3 tests/cores/planted.py FOLDER

FOLDER holds what `nic emit` wrote for each core, in folders `nic`, `cc_core` and `sched_core`.
"""

import shutil
import sys
from pathlib import Path

from core_bench import run

# Core, test, file without the core's prefix, what stands there, and what is planted instead.
PLANTED = [
    # One byte of eight is not written to host memory.
    ("nic", "write/seed=None", "dma_write_align.v",
     "rotated_strobe_next = all_lanes", "rotated_strobe_next = 8'h7f"),
    # The MAC is not asked whether it takes a beat: only a stalled sink sees it.
    ("nic", "write/seed=1", "nic.v", ".m_axis_tready(m_axis_tx_tready)", ".m_axis_tready(1'b1)"),
    # Another ICRC leaves.
    ("nic", "read/seed=None", "tx_icrc.v", "{32'd0, s_icrc_data}", "{32'd0, ~s_icrc_data}"),
    # Host memory is not asked whether it takes an address.
    ("nic", "read/seed=2", "nic_axi.v", ".m_axi_arready(m_axi_arready)", ".m_axi_arready(1'b1)"),
    ("nic", "bad_icrc", "rx_verdict.v", "(!s_icrc_ok)", "(1'b0)"),
    ("nic", "own_write/seed=None", "cq_ring.v", "head_entry | phase_bit", "head_entry"),
    ("nic", "own_write/seed=5", "nic_axi.v", ".m_axi_awready(m_axi_awready)",
     ".m_axi_awready(1'b1)"),
    ("nic", "bus_error", "dma_write_done.v",
     "failed_next = failed | responses_m_data", "failed_next = failed"),
    ("nic", "other_frames", "axil_port.v", "slverr = 2'd2", "slverr = 2'd0"),
    ("cc_core", "registers", "axil_port.v", "slverr = 2'd2", "slverr = 2'd0"),
    # The records begin elsewhere.
    ("cc_core", "window_follows_the_queue/stalled=False", "cc_core.v",
     "s_axis_ack_tdata[159:96]", "s_axis_ack_tdata[158:95]"),
    ("cc_core", "window_follows_the_queue/stalled=True", "cc_core.v",
     ".m_rate_ready(m_axis_rate_tready)", ".m_rate_ready(1'b1)"),
    # Half of a rate.
    ("sched_core", "rates/stalled=False", "sched_core.v",
     "s_axis_rate_tdata[95:64]", "{s_axis_rate_tdata[95:90], s_axis_rate_tdata[90:65]}"),
    ("sched_core", "rates/stalled=True", "sched_core.v",
     ".m_grant_ready(m_axis_grant_tready)", ".m_grant_ready(1'b1)"),
    # Bytes in flight are not told.
    ("sched_core", "window", "sched_core.v", "s_axis_work_tdata[63:32]", "32'd2000"),
]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: planted.py FOLDER_WITH_THE_CORES_FOLDERS")
    folder = Path(sys.argv[1]).resolve()
    missed = 0
    for top, test, file, text, instead in PLANTED:
        broken = folder / "planted"
        shutil.rmtree(broken, ignore_errors=True)
        shutil.copytree(folder / top, broken, ignore=shutil.ignore_patterns("cocotb"))
        if not (broken / file).exists():
            file = f"{top.removesuffix('_core')}_{file}"
        verilog = (broken / file).read_text()
        if verilog.count(text) != 1:
            sys.exit(f"planted.py: {top}/{file} has {verilog.count(text)} times: {text}")
        (broken / file).write_text(verilog.replace(text, instead))
        tests, failed = run(top, f"test_{top}", broken, test)
        if (tests, failed) != (1, 1):
            print(f"{top}: {test} misses `{instead}` in {file}: {tests} tests, {failed} failed")
            missed += 1
    print(f"{len(PLANTED)} planted, {missed} missed")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
