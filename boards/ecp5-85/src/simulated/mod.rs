//! The board without the board: its top level, Verilated, from the pins of RGMII to those of the
//! UART.

mod rgmii;

pub use rgmii::{Harm, Pins, Rgmii, Sent, GAP_BYTES};

use crate::{design, CORE_DIV, CORE_HZ};
pub use board_common::simulated::Faults;
use board_common::simulated::{SerialLine, Simulated};
use nic_harness::verilator::{Error, Flavour, PinnedInstance, Source};
use nic_models::ports::port_list;
use nic_spec::wire::roce::FrameRepr;

/// Name of the top level.
pub const TOP: &str = "ecpix5";
/// The top level and what it needs beside the core.
const VERILOG: [&str; 5] = [
    include_str!("../../ecpix5.v"),
    include_str!("../../mac_rx.v"),
    include_str!("../../mac_tx.v"),
    include_str!("../../../common/async_fifo.v"),
    include_str!("../../sim/primitives.v"),
];
/// Edges of the pin's clock in a byte time of RGMII: 8 ns over 2 ns.
const BYTE_EDGES: u64 = 4;

/// The top level as it is synthesised, with the models of its primitives.
///
/// # Errors
/// What the emitter refuses.
pub fn source() -> Result<Source, String> {
    let design = design().map_err(|e| e.to_string())?;
    Ok(Source::new(TOP, &(design.single_file() + &VERILOG.concat())))
}

/// What is at the other end of the Ethernet cable.
pub type Peer = fn(&[u8]) -> Option<Vec<u8>>;

/// A peer that gives each RoCE frame back with the addresses swapped: so the NIC is its own peer.
pub fn turn_back(frame: &[u8]) -> Option<Vec<u8>> {
    let mut back = FrameRepr::parse(frame, None).ok()?;
    std::mem::swap(&mut back.ethernet.src, &mut back.ethernet.dst);
    std::mem::swap(&mut back.ip.src, &mut back.ip.dst);
    let mut bytes = vec![0; back.buffer_len()];
    back.emit(&mut bytes);
    Some(bytes)
}

/// The board.
#[derive(Debug)]
pub struct SimulatedBoard {
    pins: PinnedInstance,
    /// Edges of the pin's clock.
    edges: u64,
    /// What the host is at.
    pub line: SerialLine,
    /// What the Ethernet cable is at.
    pub phy: Rgmii,
    peer: Option<Peer>,
    /// The button that resets the board is pressed.
    pub is_reset: bool,
    /// The LEDs that shine: 0 PLL locked, 1 frame in, 2 frame out.
    pub led: u8,
    /// The PHY is out of reset.
    pub phy_runs: bool,
}

impl SimulatedBoard {
    /// Builds the model. Registers start random, by `seed`. Without a peer, what the board sends
    /// stays in `phy.sent`.
    ///
    /// # Errors
    /// What the Verilog lacks.
    pub fn new(
        source: &Source,
        seed: u64,
        faults: Faults,
        peer: Option<Peer>,
    ) -> Result<Self, String> {
        Self::with_extra(source, seed, faults, peer, &[])
    }

    /// As [`Self::new`], with inputs that the board has not, and their values.
    ///
    /// # Errors
    /// As there.
    pub fn with_extra(
        source: &Source,
        seed: u64,
        faults: Faults,
        peer: Option<Peer>,
        extra: &[(&str, u64)],
    ) -> Result<Self, String> {
        let text = |e: Error| e.to_string();
        let inputs = port_list(&[
            ("rst_n", 1),
            ("uart_rx", 1),
            ("eth_rx_clk", 1),
            ("eth_rx_ctl", 1),
            ("eth_rx_data", 4),
        ]);
        let outputs = port_list(&[
            ("uart_tx", 1),
            ("eth_rst_n", 1),
            ("eth_tx_clk", 1),
            ("eth_tx_ctl", 1),
            ("eth_tx_data", 4),
            ("led_n", 3),
        ]);
        let model = source.model(Flavour::Fast).map_err(text)?;
        let names: Vec<&str> = extra.iter().map(|(name, _)| *name).collect();
        let mut pins =
            PinnedInstance::new(&model, seed, &inputs, &outputs, &names).map_err(text)?;
        extra.iter().for_each(|(name, value)| pins.set_extra(name, *value));
        Ok(Self {
            pins,
            edges: 0,
            line: SerialLine::new(CORE_HZ, faults),
            phy: Rgmii::default(),
            peer,
            is_reset: false,
            led: 0,
            phy_runs: false,
        })
    }

    fn edge(&mut self) -> Result<(), String> {
        let to = self.phy.drive((self.edges % BYTE_EDGES) as usize);
        self.edges += 1;
        let inputs = [!self.is_reset, self.line.level(), to.clock, to.ctl].map(u64::from);
        let [rst_n, uart_rx, clock, ctl] = inputs;
        self.pins.set_inputs(&[rst_n, uart_rx, clock, ctl, to.data.into()]);
        self.pins.clock(self.edges % 2 == 1).map_err(|e| e.to_string())?;
        let mut words = [0; 6];
        self.pins.outputs(&mut words);
        let [_, phy_runs, clock, ctl, data, led_n] = words;
        self.phy.sample(Pins { clock: clock == 1, ctl: ctl == 1, data: data as u8 });
        (self.phy_runs, self.led) = (phy_runs == 1, !led_n as u8 & 7);
        Ok(())
    }
}

impl Simulated for SimulatedBoard {
    fn line(&mut self) -> &mut SerialLine {
        &mut self.line
    }

    /// A cycle of the core: two byte times.
    fn cycle(&mut self) -> Result<(), String> {
        for _ in 0..CORE_DIV {
            self.edge()?;
        }
        let mut words = [0; 6];
        self.pins.outputs(&mut words);
        self.line.cycle(words[0] == 1);
        if let Some(peer) = self.peer {
            while let Some(sent) = self.phy.sent.pop_front() {
                if let Some(frame) = peer(&sent.bytes).filter(|_| sent.is_good) {
                    self.phy.deliver(&frame, Harm::None);
                }
            }
        }
        Ok(())
    }

    fn is_idle(&self) -> bool {
        self.phy.is_idle()
    }
}
