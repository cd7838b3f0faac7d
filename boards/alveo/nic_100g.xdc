# SPDX-License-Identifier: MIT OR Apache-2.0
# What crosses the clocks in nic_100g: read_xdc -ref nic_100g nic_100g.xdc
# NOT RUN: written after UG903 and UG835; no vendor's tool has read it.

set cmac_ns [get_property PERIOD [get_clocks -of_objects [get_ports cmac_clk]]]

# Pointers of the FIFOs: bits of one may be apart by less than a cycle, and a verdict's pointer may
# not overtake that of its beats, which leaves a cycle before. The shorter cycle holds for both.
set_max_delay -datapath_only $cmac_ns -from [get_cells -hierarchical -filter {NAME =~ *fifo/write_gray_reg*}] -to [get_cells -hierarchical -filter {NAME =~ *fifo/write_gray_1_reg*}]
set_max_delay -datapath_only $cmac_ns -from [get_cells -hierarchical -filter {NAME =~ *fifo/read_gray_reg*}] -to [get_cells -hierarchical -filter {NAME =~ *fifo/read_gray_1_reg*}]

# Verdicts are in a memory of LUTs, whose output crosses long after it was written.
set_max_delay -datapath_only $cmac_ns -from [get_clocks -of_objects [get_ports aclk]] -to [get_cells -hierarchical -filter {NAME =~ *verdict_fifo/m_data_reg*}]

# Resets may begin at any time, and end through synchronizers.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ *_sync/stages_reg*/PRE}]
set_false_path -to [get_pins cmac_reset_1_reg/D]
