//! The catalogue: every block by name, with the sizes that a configuration gives it; with it all of
//! the emitter. Blocks know nothing of it.

pub use nic_emit::{
    emit_block, file_list, on_large_stack, Design, Dir, EmitError, Finding, Layout, Port, Rule,
};

use crate::cc::{
    active::CcActive,
    cc_core::{CcCore, CcCoreSerial, CcCoreWide},
    ewma::CcEwma,
    hop::CcHop,
    serial::unit::CcUnitSerial,
    unit::CcUnit,
    wide::unit::CcUnitWide,
    wind::CcWind,
};
use crate::host::{
    axil_port::AxilPort,
    cq::{queue::CompletionQueue, ring::CqRing},
    csr::Csr,
    csr_regs::CsrRegs,
    dma::{read::DmaRead, write::DmaWrite},
    event_counters::EventCounters,
    interrupt::Interrupt,
    read_mux::ReadMux,
    registers::Registers,
    sq::{fetch::SqFetch, rows::beats_log2},
    table_window::TableWindow,
    uart::{self, deframer::UartDeframer, framer::UartFramer, rx::UartRx, tx::UartTx},
    write_mux::WriteMux,
};
use crate::nic;
use crate::rx::pipe::{self as rx, RxPipe};
use crate::sched::{sched_core::SchedCore, scheduler::Scheduler};
use crate::transport::{
    ack::gen::AckGen,
    completer::Completer,
    feedback::{input::FeedbackIn, output::FeedbackOut},
    pkt_mux::{waiting_bytes_log2, waiting_packets_log2, PktMux},
    probe_out::ProbeOut,
    read::reply::ReadReply,
    requester::{array::RequesterArray, Requester},
    responder::Responder,
    window::{input::WindowIn, output::WindowOut},
    work_mux::WorkMux,
};
use crate::tx::{self, pipe::TxPipe};
use crate::util::{
    crc32::Crc32, fifo::Fifo, frame_fifo::FrameFifo, mul_pipe::MulPipe, mul_serial::MulSerial,
    ram::Ram, ram_fifo::RamFifo, recip::Recip, rr_arb::RrArb, skid::Skid, stream_mux::StreamMux,
    stream_route::StreamRoute,
};
use nic_spec::config::CcSchedule::{self, AckPerCycle, BitPerCycle, HopPerCycle};
use nic_spec::config::{
    cq_batch_log2, dma_landings, dma_waiting, read_commands_log2, ring_entries_log2, sq_batch_log2,
    sq_depth_log2, write_commands_log2, NicConfig,
};
use rust_hdl_core::prelude::Bits;
use rust_hdl_core::prelude::Block;

/// A block of some configurations.
struct Row {
    name: &'static str,
    /// The schedules of a NIC that has it; their datapaths differ.
    schedules: &'static [CcSchedule],
    /// The datapaths in bits that it is compiled for; none: it doesn't depend on them.
    widths: &'static [usize],
    /// The flows it is compiled for; none: it doesn't depend on them.
    flows: &'static [usize],
    emit: fn(&NicConfig) -> Result<Design, EmitError>,
}

/// The table of [`ROWS`]. In the sizes of a block that depends on the datapath, `W` are its bits and
/// `KB` its bytes; of one that depends on flows, `F` is their count and `FB` the width of their
/// index; `c` is the configuration.
macro_rules! rows {
    ($($name:literal of $($schedule:ident)+ $(, widths $($widths:literal)+)?
        $(, flows $($flows:literal)+)?, |$c:pat_param| $block:expr;)*) => {
        const ROWS: &[Row] = &[$(Row {
            name: $name,
            schedules: &[$($schedule),+],
            widths: &[$($($widths),+)?],
            flows: &[$($($flows),+)?],
            emit: |config| widths!(config, $name, [$($($widths)+)?], [$($($flows)+)?], |$c| $block),
        }),*];
    };
}

/// With the datapath of the configuration as `W` and `KB`.
macro_rules! widths {
    ($config:ident, $name:literal, [], $flows:tt, |$c:pat_param| $block:expr) => {
        flows!($config, $name, $flows, |$c| $block)
    };
    ($config:ident, $name:literal, [$($widths:literal)+], $flows:tt,
        |$c:pat_param| $block:expr) => {
        match $config.data_bits {
            $($widths => {
                #[allow(unused)]
                const W: usize = $widths;
                #[allow(unused)]
                const KB: usize = W / 8;
                flows!($config, $name, $flows, |$c| $block)
            })+
            _ => unreachable!("by_name looks at the datapath"),
        }
    };
}

/// With the flows of the configuration as `F` and `FB`.
macro_rules! flows {
    ($config:ident, $name:literal, [], |$c:pat_param| $block:expr) => {
        build($config, $name, |$c| $block)
    };
    ($config:ident, $name:literal, [$($flows:literal)+], |$c:pat_param| $block:expr) => {
        match $config.flow_count {
            $($flows => {
                #[allow(unused)]
                const F: usize = $flows;
                #[allow(unused)]
                const FB: usize = F.ilog2() as usize;
                build($config, $name, |$c| $block)
            })+
            _ => unreachable!("by_name looks at the flows"),
        }
    };
}

/// The larger of two sizes.
pub(crate) const fn most(a: usize, b: usize) -> usize {
    if a > b {
        a
    } else {
        b
    }
}

/// Lanes of the scheduler's scan: so many that a pass takes at most 64 cycles, log2.
pub(crate) const fn lanes_log2(flow_bits: usize) -> usize {
    most(flow_bits, 7) - 6
}

/// The UARTs of the catalogue, which no preset has: a bit lasts 5 1/3 cycles.
const BENCH_UART_STEP: u64 = uart::step(3_000_000, 16_000_000);

rows! {
    "skid" of HopPerCycle, |_| Skid::<Bits<64>>::default();
    "fifo" of HopPerCycle, |_| Fifo::<Bits<32>, 4, 5>::default();
    "ram_fifo" of HopPerCycle, |_| RamFifo::<Bits<64>, 9, 10>::default();
    "frame_fifo" of HopPerCycle AckPerCycle, widths 64 512,
        |_| FrameFifo::<W, KB, { W + KB + 1 }, 6, 7>::default();
    "ram" of HopPerCycle, |_| Ram::<9, Bits<32>>::default();
    "mul_pipe" of HopPerCycle, |_| MulPipe::<32, 24, 56>::default();
    "mul_serial" of HopPerCycle, |_| MulSerial::<32, 24, 56>::default();
    "recip" of HopPerCycle, |_| Recip::<48>::default();
    "crc32" of HopPerCycle, |_| Crc32::<64, 8, 1>::default();
    "stream_mux" of HopPerCycle, |_| StreamMux::<64>::default();
    "stream_route" of HopPerCycle, |_| StreamRoute::<32, 33>::default();
    "rr_arb" of HopPerCycle, |_| RrArb::<64, 8, 6>::default();
    "axil_port" of HopPerCycle AckPerCycle, |_| AxilPort::default();
    "rx_pipe" of HopPerCycle AckPerCycle, widths 64 512,
        |_| RxPipe::<W, { 2 * W }, KB, { 64 / KB }, { KB.ilog2() as usize }, { W + KB + 1 },
            { rx::buffer_bits(KB) }, { rx::buffer_bits(KB) + 1 }, { rx::record_bits(KB) },
            { rx::record_bits(KB) + 1 }, { rx::stack_readers(KB) }>::default();
    "scheduler" of HopPerCycle AckPerCycle, flows 4 8 64 128 256 512 1024 2048,
        |c| Scheduler::<FB, { FB + 3 }, { FB + 1 }, { most(FB, 5) }, { 1 << lanes_log2(FB) },
            { lanes_log2(FB) }, { most(FB - lanes_log2(FB), 5) }>::new(c);
    "sched_core" of HopPerCycle AckPerCycle, flows 4 64 128 256 512 1024 2048,
        |c| SchedCore::<FB, { FB + 3 }, { FB + 1 }, { most(FB, 5) }, { 1 << lanes_log2(FB) },
            { lanes_log2(FB) }, { most(FB - lanes_log2(FB), 5) }>::new(c);
    "dma_write" of HopPerCycle AckPerCycle, widths 64 512,
        |_| DmaWrite::<W, { 2 * W }, KB, 128, { write_commands_log2(W) },
            { write_commands_log2(W) + 1 }, { dma_waiting(W) }>::default();
    "dma_read" of HopPerCycle AckPerCycle, widths 64 512,
        |_| DmaRead::<W, { W + 1 }, { 2 * W }, KB, { read_commands_log2(W) },
            { read_commands_log2(W) + 1 }, { dma_landings(W) }>::default();
    "write_mux" of HopPerCycle AckPerCycle, widths 64 512,
        |_| WriteMux::<W, { W + 1 }>::default();
    "completer" of HopPerCycle AckPerCycle, widths 64 512, flows 64 256 1024,
        |_| Completer::<W, KB, { W + KB + 1 }, FB, { FB + 1 },
            { write_commands_log2(W) + 1 }, { write_commands_log2(W) + 2 }>::default();
    "feedback_out" of HopPerCycle AckPerCycle, flows 64 256 1024,
        |_| FeedbackOut::<FB, { FB + 24 }, { FB + 1 }>::default();
    "feedback_in" of HopPerCycle AckPerCycle, flows 64 256 1024,
        |_| FeedbackIn::<FB, { FB + 1 }>::default();
    "probe_out" of HopPerCycle AckPerCycle, flows 64 256 1024,
        |_| ProbeOut::<FB, { FB + 1 }, { 20 - FB }>::default();
    "window_in" of HopPerCycle AckPerCycle, flows 64 256 1024,
        |_| WindowIn::<FB, { FB + 1 }>::default();
    "window_out" of HopPerCycle AckPerCycle, flows 64 256 1024,
        |_| WindowOut::<FB, { FB + 1 }>::default();
    "pkt_mux" of HopPerCycle AckPerCycle, widths 64 512, flows 64 256 1024,
        |_| PktMux::<FB, { FB + 1 }, { waiting_packets_log2(W) }, { waiting_packets_log2(W) + 1 },
            { waiting_bytes_log2(W) }>::default();
    "work_mux" of HopPerCycle AckPerCycle, flows 64 256 1024,
        |_| WorkMux::<FB, { FB + 1 }, { FB + 53 }>::default();
    "read_mux" of HopPerCycle AckPerCycle, widths 64 512,
        |_| ReadMux::<W, KB, { W + KB + 2 }, { read_commands_log2(W) + 1 },
            { read_commands_log2(W) + 2 }, { waiting_packets_log2(W) },
            { waiting_packets_log2(W) + 1 }>::default();
    "cq_ring" of HopPerCycle AckPerCycle, widths 64 512,
        |_| CqRing::<W, { ring_entries_log2(W) }, { ring_entries_log2(W) + 1 },
            { cq_batch_log2(W) + 1 }, { ring_entries_log2(W) + cq_batch_log2(W) },
            { 128 << cq_batch_log2(W) }>::default();
    "interrupt" of HopPerCycle AckPerCycle, |_| Interrupt::default();
    "sq_fetch" of HopPerCycle AckPerCycle, widths 64 512, flows 64 256 1024,
        |c| SqFetch::<W, { W + 1 }, { ring_entries_log2(W) }, { ring_entries_log2(W) + 1 },
            { beats_log2(ring_entries_log2(W), W) }, { beats_log2(ring_entries_log2(W), W) + 1 },
            { sq_batch_log2(W) + 1 }, FB, { FB + 1 }, { FB + 17 + sq_batch_log2(W) }>::new(c);
    "ack_gen" of HopPerCycle AckPerCycle, flows 64 256 1024,
        |_| AckGen::<FB, { FB + 1 }>::default();
    "responder" of HopPerCycle AckPerCycle, widths 64 512, flows 64 256 1024,
        |_| Responder::<W, KB, { W + KB + 1 }, FB, { FB + 1 }, FB>::default();
    "read_reply" of HopPerCycle AckPerCycle, flows 64 256 1024,
        |_| ReadReply::<FB, { FB + 4 }, FB>::default();
    "requester" of HopPerCycle AckPerCycle, widths 64 512, flows 4 8 64 256 1024,
        |c| Requester::<FB, { sq_depth_log2(W) }, { FB + sq_depth_log2(W) }>::new(c);
    "requester_array" of AckPerCycle, flows 64 256 1024,
        |c| RequesterArray::<8, 3, FB, { FB - 3 }, { sq_depth_log2(512) },
            { FB - 3 + sq_depth_log2(512) }, 90, { FB + 406 }, { FB + 53 },
            { FB + 384 }, { FB + 152 }>::new(c);
    "tx_pipe" of HopPerCycle AckPerCycle, widths 64 512, flows 4 8 64 256 1024,
        |_| TxPipe::<W, KB, { KB.ilog2() as usize - 1 }, { W + KB + 1 },
            { tx::pipe::fifo_beats_log2(KB) }, { tx::pipe::fifo_beats_log2(KB) + 1 },
            FB, { FB + 1 }>::default();
    "cc_hop" of HopPerCycle AckPerCycle, |_| CcHop::default();
    "cc_ewma" of HopPerCycle AckPerCycle, |_| CcEwma::default();
    "cc_wind" of HopPerCycle AckPerCycle, |_| CcWind::default();
    "cc_active" of BitPerCycle HopPerCycle AckPerCycle, flows 4 8 64 256 1024 2048,
        |_| CcActive::<FB, { FB + 1 }>::default();
    "cc_unit" of HopPerCycle, flows 4 64 256 1024,
        |_| CcUnit::<FB, { FB + 3 }>::default();
    "cc_unit_wide" of AckPerCycle, flows 4 64 256 1024 4096,
        |_| CcUnitWide::<FB>::default();
    "cc_unit_serial" of BitPerCycle, flows 4 8, |_| CcUnitSerial::<FB, { FB + 5 }>::default();
    "cc_core" of BitPerCycle, flows 4 8, |c| CcCoreSerial::<FB, { FB + 5 }, { FB + 1 }>::new(c);
    "cc_core" of HopPerCycle, flows 4 64 256 1024,
        |c| CcCore::<FB, { FB + 3 }, { FB + 1 }>::new(c);
    "cc_core" of AckPerCycle, flows 4 64 256 1024,
        |c| CcCoreWide::<FB, { FB + 1 }>::new(c);
    "csr" of HopPerCycle AckPerCycle, |c| Csr::new(c);
    "csr_regs" of HopPerCycle AckPerCycle, |_| CsrRegs::default();
    "table_window" of HopPerCycle AckPerCycle, |c| TableWindow::new(c);
    "event_counters" of HopPerCycle AckPerCycle, |_| EventCounters::default();
    "completion_queue" of HopPerCycle, flows 4 8, |c| CompletionQueue::<256, 8, 9>::new(c);
    "completion_queue" of HopPerCycle, flows 64, |c| CompletionQueue::<1024, 10, 11>::new(c);
    "completion_queue" of HopPerCycle, flows 256, |c| CompletionQueue::<4096, 12, 13>::new(c);
    "completion_queue" of AckPerCycle, flows 1024, |c| CompletionQueue::<32768, 15, 16>::new(c);
    "registers" of HopPerCycle, flows 4 8, |c| Registers::<256, 8, 9>::new(c);
    "registers" of HopPerCycle, flows 64, |c| Registers::<1024, 10, 11>::new(c);
    "registers" of HopPerCycle, flows 256, |c| Registers::<4096, 12, 13>::new(c);
    "registers" of AckPerCycle, flows 1024, |c| Registers::<32768, 15, 16>::new(c);
    "uart_rx" of HopPerCycle, |_| UartRx::new(BENCH_UART_STEP);
    "uart_tx" of HopPerCycle, |_| UartTx::new(BENCH_UART_STEP);
    "uart_deframer" of HopPerCycle, |_| UartDeframer::default();
    "uart_framer" of HopPerCycle, |_| UartFramer::default();
    "nic" of HopPerCycle, flows 64, |c| nic::gbe::Nic::new(c);
    "nic" of HopPerCycle, flows 256, |c| nic::ten::Nic::new(c);
    "nic" of AckPerCycle, flows 1024, |c| nic::hundred::Nic::new(c);
}

impl Row {
    /// The NIC of `config` has it.
    fn is_of(&self, config: &NicConfig) -> bool {
        let width_fits = self.widths.is_empty() || self.widths.contains(&config.data_bits);
        width_fits && self.schedules.contains(&config.cc_schedule())
    }
}

/// Names of the blocks that a configuration has.
pub fn blocks(config: &NicConfig) -> Vec<&'static str> {
    let own = ROWS.iter().filter(|row| row.is_of(config));
    let mut names: Vec<&str> = own.map(|row| row.name).collect();
    names.dedup();
    names
}

/// Emits the block called `name` for `config`.
pub fn by_name(name: &str, config: &NicConfig) -> Result<Design, EmitError> {
    let refuse = |text| Err(EmitError::one(name, Rule::UnknownBlock, text));
    let named: Vec<&Row> = ROWS.iter().filter(|row| row.name == name).collect();
    let own: Vec<&&Row> = named.iter().filter(|row| row.is_of(config)).collect();
    let names = blocks(config).join(" ");
    match (named.is_empty(), own.is_empty()) {
        (true, _) => return refuse(format!("no such block; blocks are {names}")),
        (_, true) => {
            let preset = config.name;
            return refuse(format!("is not of preset {preset}, whose blocks are {names}"));
        }
        _ => {}
    }
    let fits = |row: &&&Row| row.flows.is_empty() || row.flows.contains(&config.flow_count);
    match own.iter().copied().find(|row| fits(row)) {
        Some(row) => (row.emit)(config),
        None => {
            let flows = own.iter().flat_map(|row| row.flows).map(usize::to_string);
            let flows = flows.collect::<Vec<_>>().join(", ");
            let (preset, count) = (config.name, config.flow_count);
            refuse(format!("preset {preset} has it with {flows} flows, not with {count}"))
        }
    }
}

/// Builds a block and emits it.
fn build<B: Block>(
    config: &NicConfig,
    name: &str,
    block: impl FnOnce(&NicConfig) -> B + Send,
) -> Result<Design, EmitError> {
    on_large_stack(|| emit(name, block(config), config))
}

/// Emits a freshly made block.
pub fn emit(name: &str, block: impl Block, config: &NicConfig) -> Result<Design, EmitError> {
    emit_block(name, &block, config.name)
}
