//! One bench a block: its golden model, a seeded stimulus, and the run that compares them.
//!
//! A bench is registered under the name of its Verilog top module in the file of its area, and
//! is then known to `nic verify --block`, to the tests and to the mutation test.

pub mod ack;
pub mod axil;
pub mod cc;
pub mod dma;
pub mod feedback;
pub mod host;
pub mod nic;
mod random;
pub mod read;
pub mod read_reply;
pub mod requester;
pub mod responder;
pub mod rings;
pub mod rx;
pub mod sched;
pub mod tx;
pub mod uart;
pub mod util;
pub mod window;

use nic_harness::bench::Bench;
use nic_harness::verilator::Source;
use nic_spec::config::NicConfig;

/// All benches of a configuration, in the order of the data path: those of its blocks.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let areas = [
        util::benches,
        rx::benches,
        cc::benches,
        sched::benches,
        responder::benches,
        read_reply::benches,
        requester::benches,
        read::benches,
        feedback::benches,
        window::benches,
        tx::benches,
        host::benches,
        nic::benches,
        dma::benches,
        rings::benches,
        uart::benches,
    ];
    let blocks = nic_hdl::emit::blocks(config);
    let all = areas.iter().flat_map(|area| area(config));
    all.filter(|bench| blocks.contains(&bench.name())).collect()
}

/// The bench called `name`.
pub fn by_name(name: &str, config: &NicConfig) -> Option<Bench> {
    benches(config).into_iter().find(|bench| bench.name() == name)
}

/// The Verilog that the emitter makes of a bench's block.
pub fn verilog(bench: &Bench) -> Result<Source, String> {
    emitted(bench.name(), bench.config())
}

/// The Verilog that the emitter makes of `block`, as one text.
pub fn emitted(block: &str, config: &NicConfig) -> Result<Source, String> {
    let design = nic_hdl::emit::by_name(block, config).map_err(|e| e.to_string())?;
    Ok(Source::new(&design.top, &design.single_file()))
}
