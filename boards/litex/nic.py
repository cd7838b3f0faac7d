# SPDX-License-Identifier: MIT OR Apache-2.0
"""The NIC in a LiteX SoC: registers on the bus, DMA into LiteDRAM, LiteEth's MAC, an interrupt.

`add_nic` does all of it; `NIC` is the module alone. Both take the folder that `nic emit` wrote."""
import os

from litedram.common import LiteDRAMNativePort
from litedram.frontend.axi import LiteDRAMAXI2Native
from liteeth.common import eth_phy_description
from liteeth.mac.core import LiteEthMACCore
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect import stream
from litex.soc.interconnect.axi import AXIInterface, AXILiteInterface
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, Constant, If, Instance, Mux, ResetSignal, Signal

REGISTER_BYTES = 1 << 16
DATA_WIDTH = 64

# Fields of the channels; those of an address stand in front of the channel's own.
ADDRESS = ["id", "len", "size", "burst", "lock", "cache", "prot", "qos"]
AXI = {"aw": ADDRESS, "ar": ADDRESS, "w": ["data", "strb", "last"], "b": ["id", "resp"],
    "r": ["id", "data", "resp", "last"]}
AXI_LITE = {"aw": ["prot"], "ar": ["prot"], "w": ["data", "strb"], "b": ["resp"],
    "r": ["data", "resp"]}


def pins(prefix, endpoint, is_source, fields):
    """Connections of the NIC's stream `prefix`, whose source is the NIC or not, to `endpoint`."""
    forth, back = ("o", "i") if is_source else ("i", "o")
    connected = {f"{forth}_{prefix}{field}": getattr(endpoint, field) for field in fields}
    connected[f"{forth}_{prefix}valid"] = endpoint.valid
    connected[f"{back}_{prefix}ready"] = endpoint.ready
    return connected


class NIC(LiteXModule):
    """The core that `nic emit -o rtl` wrote, with LiteX's interfaces.

    Frames for the host's own network stack are dropped, and it sends none."""

    def __init__(self, platform, rtl, top="nic"):
        self.bus = AXILiteInterface(data_width=32, address_width=32)
        self.dma = AXIInterface(data_width=DATA_WIDTH, address_width=32, id_width=1)
        self.sink = stream.Endpoint(eth_phy_description(DATA_WIDTH))    # from the MAC
        self.source = stream.Endpoint(eth_phy_description(DATA_WIDTH))  # to the MAC
        self.ev = EventManager()
        # LiteX keeps the name `irq` of a member for the line of the whole event manager.
        self.ev.level = EventSourceLevel(description="The NIC's interrupt, while its line is high.")
        self.ev.finalize()

        self.ports = dict(i_clock=ClockSignal(), i_reset=ResetSignal(), o_irq=self.ev.level.trigger)
        self.connect_buses()
        self.connect_streams()
        self.specials += Instance(top, **self.ports)
        with open(os.path.join(rtl, "files.f"), encoding="utf-8") as files:
            platform.add_sources(rtl, *files.read().split())

    def connect_buses(self):
        for channel, fields in AXI_LITE.items():
            endpoint = getattr(self.bus, channel)
            self.ports |= pins(f"s_axil_{channel}", endpoint, channel in "br", fields)
        for channel, fields in AXI.items():
            endpoint = getattr(self.dma, channel)
            self.ports |= pins(f"m_axi_{channel}", endpoint, channel not in "br", fields)
        for channel in ("aw", "ar"):
            register = getattr(self.bus, channel).addr
            self.ports[f"i_s_axil_{channel}addr"] = register[:16]
            # LiteX's addresses have 32 bits: the upper half of the NIC's is lost.
            address = Signal(64)
            self.ports[f"o_m_axi_{channel}addr"] = address
            self.comb += getattr(self.dma, channel).addr.eq(address)

    def connect_streams(self):
        rx, tx = self.sink, self.source
        # LiteEth marks the last byte with one bit; in AXI4-Stream every byte up to it has one.
        rx_keep, tx_keep = Signal(8), Signal(8)
        self.comb += [
            rx_keep.eq(Mux(rx.last, (rx.last_be << 1) - 1, 0xff)),
            tx.last_be.eq(Mux(tx.last, tx_keep & ~(tx_keep >> 1), 0)),
        ]
        bad = (rx.error & rx_keep) != 0
        none = Constant(0, DATA_WIDTH)
        streams = {
            "s_axis_rx_t": dict(data=rx.data, keep=rx_keep, last=rx.last, user=bad,
                valid=rx.valid, ready=rx.ready),
            "m_axis_tx_t": dict(data=tx.data, keep=tx_keep, last=tx.last,
                valid=tx.valid, ready=tx.ready),
            "s_axis_host_t": dict(data=none, keep=none[:8], last=none[0],
                valid=none[0], ready=Signal()),
            "m_axis_host_t": dict(data=Signal(DATA_WIDTH), keep=Signal(8), last=Signal(),
                valid=Signal(), ready=Constant(1, 1)),
        }
        for prefix, signals in streams.items():
            is_source = prefix.startswith("m_")
            for name, signal in signals.items():
                is_out = is_source != (name == "ready")
                self.ports[f"{'o' if is_out else 'i'}_{prefix}{name}"] = signal


class DataBehindCommand(LiteXModule):
    """A port of LiteDRAM that takes the data of a write no earlier than its command.

    LiteDRAM's converter to a wider controller takes it before; LiteDRAMAXI2Native, which counts
    the data between the two, then counts below 0 and stands still for ever."""

    def __init__(self, port):
        self.port = LiteDRAMNativePort("both", port.address_width, port.data_width)
        owed = Signal(8)
        is_command = port.cmd.valid & port.cmd.ready & port.cmd.we
        self.sync += owed.eq(owed + is_command - (port.wdata.valid & port.wdata.ready))
        self.comb += [
            self.port.cmd.connect(port.cmd),
            port.rdata.connect(self.port.rdata),
            If(owed != 0, self.port.wdata.connect(port.wdata)),
        ]


def add_nic(soc, rtl, phy, name="nic"):
    """Puts a NIC behind the Ethernet PHY `phy` into `soc`, which has SDRAM without an L2 cache.

    The SoC gets the region `<name>_regs`, the interrupt `<name>`, and CSRs of `<name>`, which pass
    the interrupt on, and of `<name>_mac`, which count bad frames."""
    nic = NIC(soc.platform, rtl)
    soc.add_module(name=name, module=nic)
    region = SoCRegion(size=REGISTER_BYTES, cached=False)
    soc.bus.add_slave(f"{name}_regs", nic.bus, region)
    soc.irq.add(name, use_loc_if_exists=True)

    # A port as wide as the NIC: LiteDRAM's converter keeps addresses, AXIUpConverter does not.
    port = soc.sdram.crossbar.get_port(data_width=DATA_WIDTH)
    ordered = DataBehindCommand(port)
    soc.add_module(name=f"{name}_port", module=ordered)
    main_ram = soc.bus.regions["main_ram"].origin
    dma = LiteDRAMAXI2Native(nic.dma, ordered.port, base_address=main_ram)
    soc.add_module(name=f"{name}_dma", module=dma)

    if phy.dw == 8:
        # Such a PHY marks the last byte by `last` alone; LiteEth checks no FCS without this.
        soc.comb += phy.source.last_be.eq(phy.source.last)
    mac = LiteEthMACCore(phy, dw=DATA_WIDTH)
    soc.add_module(name=f"{name}_mac", module=mac)
    soc.comb += [mac.source.connect(nic.sink), nic.source.connect(mac.sink)]
    return nic
