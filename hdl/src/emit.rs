//! Every block by name, with the sizes that a configuration gives it; with it all of the emitter.

pub use nic_emit::{emit_block, Design, Dir, EmitError, Finding, Layout, Port, Rule};

use crate::cc;
use crate::host;
use crate::transport::pkt_mux::PktMux;
use crate::transport::responder;
use crate::transport::work_mux::WorkMux;
use crate::util::{self, frame_fifo::FrameFifo};
use nic_spec::config::{CcSchedule, NicConfig};
use rust_hdl_core::prelude::Block;

/// Emits one block for a configuration.
pub type Entry = fn(&NicConfig) -> Result<Design, EmitError>;

/// One line a block: its module name, and how to build it.
///
/// A block whose sizes depend on the configuration matches on it and refuses what isn't there
/// with [`no_such_size`]: const generics must be known when this crate is compiled.
pub const CATALOGUE: &[(&str, Entry)] = &[
    ("skid", |c| emit("skid", util::skid::Skid::<64>::default(), c)),
    ("fifo", |c| emit("fifo", util::fifo::Fifo::<32, 4, 5>::default(), c)),
    ("ram_fifo", |c| emit("ram_fifo", util::ram_fifo::RamFifo::<64, 9, 10>::default(), c)),
    ("frame_fifo", |c| emit("frame_fifo", FrameFifo::<64, 8, 73, 6, 7>::default(), c)),
    ("ram", |c| emit("ram", util::ram::Ram::<9, 32>::default(), c)),
    ("mul_pipe", |c| emit("mul_pipe", util::mul_pipe::MulPipe::<32, 24, 56>::default(), c)),
    ("mul_serial", |c| emit("mul_serial", util::mul_serial::MulSerial::<32, 24, 56>::default(), c)),
    ("recip", |c| emit("recip", util::recip::Recip::<48>::default(), c)),
    ("crc32", |c| emit("crc32", util::crc32::Crc32::<64, 8, 1>::default(), c)),
    ("stream_mux", |c| emit("stream_mux", util::stream_mux::StreamMux::<64>::default(), c)),
    ("stream_route", |c| {
        emit("stream_route", util::stream_route::StreamRoute::<32, 33>::default(), c)
    }),
    ("rr_arb", |c| emit("rr_arb", util::rr_arb::RrArb::<64, 8, 6>::default(), c)),
    ("axil_port", |c| emit("axil_port", host::axil_port::AxilPort::default(), c)),
    ("rx_pipe", crate::rx::emit),
    ("scheduler", crate::sched::emit),
    ("scheduler_wide", crate::sched::emit_wide),
    ("sched_core", crate::sched::emit_core),
    ("dma_write", |c| {
        emit("dma_write", host::dma_write::DmaWrite::<64, 128, 8, 128>::default(), c)
    }),
    ("dma_read", |c| emit("dma_read", host::dma_read::DmaRead::<64, 128, 8>::default(), c)),
    ("write_mux", |c| {
        emit("write_mux", host::write_mux::WriteMux::<64, 65, 127, 128, 129>::default(), c)
    }),
    ("completer", crate::transport::completer::emit),
    ("feedback_out", crate::transport::feedback_out::emit),
    ("feedback_in", crate::transport::feedback_in::emit),
    ("probe_out", crate::transport::probe_out::emit),
    ("window_in", crate::transport::window_in::emit),
    ("window_out", crate::transport::window_out::emit),
    ("pkt_mux", |c| match c.flow_count {
        64 => emit("pkt_mux", PktMux::<6, 7>::default(), c),
        256 => emit("pkt_mux", PktMux::<8, 9>::default(), c),
        _ => Err(no_such_size("pkt_mux", c)),
    }),
    ("work_mux", |c| match c.flow_count {
        64 => emit("work_mux", WorkMux::<6, 7, 52>::default(), c),
        256 => emit("work_mux", WorkMux::<8, 9, 54>::default(), c),
        _ => Err(no_such_size("work_mux", c)),
    }),
    ("read_mux", |c| emit("read_mux", host::read_mux::ReadMux::default(), c)),
    ("cq_ring", |c| emit("cq_ring", host::cq_ring::CqRing::default(), c)),
    ("interrupt", |c| emit("interrupt", host::interrupt::Interrupt::default(), c)),
    ("sq_fetch", host::sq_fetch::emit),
    ("ack_gen", responder::emit_ack_gen),
    ("responder", responder::emit),
    ("read_reply", crate::transport::read_reply::emit),
    ("requester", crate::transport::requester::emit),
    ("tx_pipe", crate::tx::emit),
    ("cc_hop", |c| emit("cc_hop", cc::cc_hop::CcHop::default(), c)),
    ("cc_ewma", |c| emit("cc_ewma", cc::cc_ewma::CcEwma::default(), c)),
    ("cc_wind", |c| emit("cc_wind", cc::cc_wind::CcWind::default(), c)),
    ("cc_active", cc_active),
    ("cc_unit", cc_unit),
    ("cc_unit_wide", cc_unit_wide),
    ("cc_unit_serial", cc_unit_serial),
    ("cc_core", cc_core),
    ("csr", |c| emit("csr", host::csr::Csr::new(c), c)),
    ("csr_regs", |c| emit("csr_regs", host::csr_regs::CsrRegs::default(), c)),
    ("table_window", |c| emit("table_window", host::table_window::TableWindow::new(c), c)),
    ("event_counters", |c| emit("event_counters", host::event_counters::NicCounters::default(), c)),
    ("completion_queue", completion_queue),
    ("registers", registers),
    ("nic", crate::nic::emit),
];

fn completion_queue(config: &NicConfig) -> Result<Design, EmitError> {
    use host::completion_queue::CompletionQueue;
    let name = "completion_queue";
    match config.cq_depth() {
        256 => emit(name, CompletionQueue::<256, 8, 9>::default(), config),
        1024 => emit(name, CompletionQueue::<1024, 10, 11>::default(), config),
        _ => Err(no_such_size(name, config)),
    }
}

fn registers(config: &NicConfig) -> Result<Design, EmitError> {
    use host::registers::Registers;
    let name = "registers";
    match config.cq_depth() {
        256 => emit(name, Registers::<256, 8, 9>::new(config), config),
        1024 => emit(name, Registers::<1024, 10, 11>::new(config), config),
        _ => Err(no_such_size(name, config)),
    }
}

fn cc_active(c: &NicConfig) -> Result<Design, EmitError> {
    match c.flow_count {
        4 => emit("cc_active", cc::cc_active::CcActive::<2, 3>::default(), c),
        8 => emit("cc_active", cc::cc_active::CcActive::<3, 4>::default(), c),
        64 => emit("cc_active", cc::cc_active::CcActive::<6, 7>::default(), c),
        256 => emit("cc_active", cc::cc_active::CcActive::<8, 9>::default(), c),
        1024 => emit("cc_active", cc::cc_active::CcActive::<10, 11>::default(), c),
        _ => Err(no_such_size("cc_active", c)),
    }
}

fn cc_unit(c: &NicConfig) -> Result<Design, EmitError> {
    match c.flow_count {
        4 => emit("cc_unit", cc::cc_unit::CcUnit::<2, 5, 210>::default(), c),
        64 => emit("cc_unit", cc::cc_unit::CcUnit::<6, 9, 214>::default(), c),
        256 => emit("cc_unit", cc::cc_unit::CcUnit::<8, 11, 216>::default(), c),
        1024 => emit("cc_unit", cc::cc_unit::CcUnit::<10, 13, 218>::default(), c),
        _ => Err(no_such_size("cc_unit", c)),
    }
}

fn cc_unit_wide(c: &NicConfig) -> Result<Design, EmitError> {
    match c.flow_count {
        4 => cc_unit_wide_of::<2, 387, 130, 210, 3>(c),
        64 => cc_unit_wide_of::<6, 391, 134, 214, 7>(c),
        256 => cc_unit_wide_of::<8, 393, 136, 216, 9>(c),
        1024 => cc_unit_wide_of::<10, 395, 138, 218, 11>(c),
        _ => Err(no_such_size("cc_unit_wide", c)),
    }
}

/// One size, in a frame of its own: the block is large.
fn cc_unit_wide_of<
    const FB: usize,
    const EW: usize,
    const HW: usize,
    const IW: usize,
    const MW: usize,
>(
    c: &NicConfig,
) -> Result<Design, EmitError> {
    let block = cc::cc_unit_wide::CcUnitWide::<FB, EW, HW, IW, MW>::default();
    emit("cc_unit_wide", block, c)
}

fn cc_unit_serial(c: &NicConfig) -> Result<Design, EmitError> {
    use cc::cc_unit_serial::CcUnitSerial;
    match c.flow_count {
        4 => emit("cc_unit_serial", CcUnitSerial::<2, 7>::default(), c),
        8 => emit("cc_unit_serial", CcUnitSerial::<3, 8>::default(), c),
        _ => Err(no_such_size("cc_unit_serial", c)),
    }
}

fn cc_core(c: &NicConfig) -> Result<Design, EmitError> {
    use cc::cc_core::CcCore;
    match c.cc_schedule() {
        CcSchedule::BitPerCycle => return cc_core_serial(c),
        CcSchedule::HopPerCycle => {}
        CcSchedule::AckPerCycle => return cc_core_wide(c),
    }
    match c.flow_count {
        4 => emit("cc_core", CcCore::<2, 5, 210, 3>::new(c), c),
        64 => emit("cc_core", CcCore::<6, 9, 214, 7>::new(c), c),
        256 => emit("cc_core", CcCore::<8, 11, 216, 9>::new(c), c),
        1024 => emit("cc_core", CcCore::<10, 13, 218, 11>::new(c), c),
        _ => Err(no_such_size("cc_core", c)),
    }
}

fn cc_core_serial(c: &NicConfig) -> Result<Design, EmitError> {
    use cc::cc_core::CcCoreSerial;
    match c.flow_count {
        4 => emit("cc_core", CcCoreSerial::<2, 7, 3>::new(c), c),
        8 => emit("cc_core", CcCoreSerial::<3, 8, 4>::new(c), c),
        _ => Err(no_such_size("cc_core", c)),
    }
}

fn cc_core_wide(c: &NicConfig) -> Result<Design, EmitError> {
    match c.flow_count {
        4 => cc_core_wide_of::<2, 387, 130, 210, 3>(c),
        64 => cc_core_wide_of::<6, 391, 134, 214, 7>(c),
        256 => cc_core_wide_of::<8, 393, 136, 216, 9>(c),
        1024 => cc_core_wide_of::<10, 395, 138, 218, 11>(c),
        _ => Err(no_such_size("cc_core", c)),
    }
}

/// One size, in a frame of its own: the block is large.
fn cc_core_wide_of<
    const FB: usize,
    const EW: usize,
    const HW: usize,
    const IW: usize,
    const MW: usize,
>(
    c: &NicConfig,
) -> Result<Design, EmitError> {
    let block = cc::cc_core::CcCoreWide::<FB, EW, HW, IW, MW>::new(c);
    emit("cc_core", block, c)
}

/// Blocks that a datapath of 512 bits has: those of the CC core and of the scheduler core.
const OF_ACK_PER_CYCLE: &[&str] = &[
    "cc_hop",
    "cc_ewma",
    "cc_wind",
    "cc_active",
    "cc_unit_wide",
    "cc_core",
    "scheduler_wide",
    "sched_core",
];

/// Blocks that only a datapath of other widths has.
const NOT_OF_HOP_PER_CYCLE: &[&str] = &["cc_unit_wide", "cc_unit_serial", "scheduler_wide"];

/// Blocks that a datapath of up to 32 bits has: those of the CC core.
const OF_BIT_PER_CYCLE: &[&str] = &["cc_active", "cc_unit_serial", "cc_core"];

/// Whether a configuration has the block called `name`.
fn has(config: &NicConfig, name: &str) -> bool {
    match config.cc_schedule() {
        CcSchedule::BitPerCycle => OF_BIT_PER_CYCLE.contains(&name),
        CcSchedule::HopPerCycle => !NOT_OF_HOP_PER_CYCLE.contains(&name),
        CcSchedule::AckPerCycle => OF_ACK_PER_CYCLE.contains(&name),
    }
}

/// All blocks of the catalogue, by name.
pub fn catalogue() -> &'static [(&'static str, Entry)] {
    CATALOGUE
}

/// Names of the blocks that a configuration has.
pub fn blocks(config: &NicConfig) -> Vec<&'static str> {
    catalogue().iter().map(|(name, _)| *name).filter(|name| has(config, name)).collect()
}

/// Emits the block called `name` for `config`.
pub fn by_name(name: &str, config: &NicConfig) -> Result<Design, EmitError> {
    match catalogue().iter().find(|(n, _)| *n == name) {
        Some((_, entry)) if has(config, name) => entry(config),
        Some(_) => {
            let (preset, list) = (config.name, blocks(config).join(" "));
            let cores = match config.cc_schedule() {
                CcSchedule::HopPerCycle => "the blocks",
                CcSchedule::AckPerCycle => "only the cores cc and sched, whose blocks are",
                CcSchedule::BitPerCycle => "only the core cc, whose blocks are",
            };
            let text = format!("is not of preset {preset}, which has {cores} {list}");
            Err(EmitError::one(name, Rule::UnknownBlock, text))
        }
        None => {
            let text = format!("no such block; blocks are {}", blocks(config).join(" "));
            Err(EmitError::one(name, Rule::UnknownBlock, text))
        }
    }
}

/// Emits a freshly made block.
pub fn emit(name: &str, block: impl Block, config: &NicConfig) -> Result<Design, EmitError> {
    emit_block(name, &block, config.name)
}

/// The error for a block that isn't compiled for a configuration's sizes.
pub fn no_such_size(name: &str, config: &NicConfig) -> EmitError {
    let text = format!(
        "not compiled for data_bits {} and flow_count {}: add the sizes to the catalogue",
        config.data_bits, config.flow_count
    );
    EmitError::one(name, Rule::UnknownBlock, text)
}

/// Runs `work` on a stack of its own: large blocks are built by value, which takes more than the
/// 2 MiB of a test's thread.
pub(crate) fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(1 << 26);
        let thread = builder.spawn_scoped(scope, work).expect("a thread for the blocks");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_files_and_lists() {
        let config = NicConfig::preset("gbe").unwrap();
        let design = by_name("fifo", &config).unwrap();
        let dir = std::env::temp_dir().join(format!("nic_emit_{}", std::process::id()));
        let files = design.write_dir(&dir, Layout::FilePerModule).unwrap();
        assert_eq!(files.len(), design.modules.len());
        let list = std::fs::read_to_string(dir.join("files.f")).unwrap();
        assert_eq!(list.lines().collect::<Vec<_>>(), ["lut_ram.v", "fifo.v"]);
        let text = std::fs::read_to_string(dir.join("fifo.v")).unwrap();
        assert!(text.starts_with("// SPDX-License-Identifier: MIT OR Apache-2.0\n"));
        assert!(text.contains("preset gbe"));
        assert!(std::fs::read_to_string(dir.join("fifo.core")).unwrap().contains("toplevel: fifo"));
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn emits_the_same_text_every_time() {
        let config = NicConfig::preset("gbe").unwrap();
        let once = || by_name("frame_fifo", &config).unwrap().single_file();
        assert_eq!(once(), once());
    }

    #[test]
    fn names_the_blocks_when_one_is_unknown() {
        let config = NicConfig::preset("gbe").unwrap();
        let error = by_name("fivo", &config).expect_err("no such block");
        assert_eq!(error.findings[0].rule, Rule::UnknownBlock);
        assert!(error.to_string().contains("skid"));
    }
}
